//! The options of a searcher, by name.

use std::str::FromStr;

use urlgrep::mail::ReadAs;
use urlgrep::scan::Form;
use urlgrep::{Extractor, ExtractorBuilder, Forms, Hyphen};

#[derive(Clone)]
pub struct Options {
    pub extractor: ExtractorBuilder,
    pub notes: bool,
    /// The columns of a scan, or `None` for all keys of JSON.
    pub fields: Option<Vec<String>>,
    /// The number of threads of a scan, or `None` for all processors.
    pub threads: Option<usize>,
    pub read_as: ReadAs,
    pub batch_rows: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            extractor: Extractor::builder(),
            notes: false,
            fields: None,
            threads: None,
            read_as: ReadAs::Auto,
            batch_rows: 65_536,
        }
    }
}

impl Options {
    pub fn set(&mut self, option: &str, value: &str) -> Result<(), String> {
        let builder = self.extractor;
        match option {
            "profile" => self.extractor = builder.profile(parsed(option, value)?),
            "forms" => self.extractor = builder.forms(forms(value)?),
            "hyphen" => self.extractor = builder.hyphen(hyphen(value)?),
            "join" => self.extractor = builder.join(parsed(option, value)?),
            "doubtful" => self.extractor = builder.doubtful(parsed(option, value)?),
            "rejects" => self.extractor = builder.rejects(parsed(option, value)?),
            "unwrap" => self.extractor = builder.unwrap_links(parsed(option, value)?),
            "max-url" => self.extractor = builder.url_max(parsed(option, value)?),
            "notes" => self.notes = parsed(option, value)?,
            "fields" => self.fields = Some(value.split(',').map(str::to_owned).collect()),
            "threads" => self.threads = Some(positive(option, value)?),
            "as" => self.read_as = parsed(option, value)?,
            "batch-rows" => self.batch_rows = positive(option, value)?,
            _ => return Err(format!("no option {option}")),
        }
        Ok(())
    }
}

fn parsed<T: FromStr<Err: ToString>>(option: &str, value: &str) -> Result<T, String> {
    let parsed = value.parse::<T>();
    parsed.map_err(|error| format!("{option}: {value}: {}", error.to_string()))
}

fn positive(option: &str, value: &str) -> Result<usize, String> {
    match parsed(option, value)? {
        0 => Err(format!("{option}: must be at least 1")),
        number => Ok(number),
    }
}

fn forms(value: &str) -> Result<Forms, String> {
    let form = |name: &str| {
        let mut all = Form::ALL.iter().copied();
        all.find(|form| form.name() == name)
            .ok_or_else(|| format!("forms: no form {name}"))
    };
    value.split(',').map(form).collect()
}

fn hyphen(value: &str) -> Result<Hyphen, String> {
    match value {
        "keep" => Ok(Hyphen::Keep),
        "drop" => Ok(Hyphen::Drop),
        _ => Err(format!("hyphen: {value}: keep or drop")),
    }
}
