//! The options of a search by name. Python and C have the same.

use std::fmt::Display;
use std::str::FromStr;

use urlgrep::filter::Filter;
use urlgrep::mail::{HeaderPolicy, ReadAs};
use urlgrep::{Extractor, ExtractorBuilder, Form, Hyphen, Profile};

/// The options of a search.
#[derive(Clone)]
pub struct Options {
    /// How URLs are read and judged.
    pub extractor: ExtractorBuilder,
    /// The forms that were named.
    forms: Vec<Form>,
    /// Whether hosts without a scheme are found too.
    suffix: bool,
    /// The options of the filter.
    filter: Vec<(String, Vec<String>)>,
    /// The header fields that are searched.
    pub headers: HeaderPolicy,
    pub(crate) notes: bool,
    /// Whether the first input that cannot be read ends a scan.
    pub(crate) stops_at_fault: bool,
    /// The columns of a scan, or `None` for all keys of JSON.
    pub(crate) fields: Option<Vec<String>>,
    /// The number of threads of a scan, or `None` for all processors.
    pub(crate) threads: Option<usize>,
    pub(crate) read_as: ReadAs,
    pub(crate) batch_rows: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            extractor: Extractor::builder(),
            forms: Vec::new(),
            suffix: false,
            filter: Vec::new(),
            headers: HeaderPolicy::Written,
            notes: false,
            stops_at_fault: false,
            fields: None,
            threads: None,
            read_as: ReadAs::Auto,
            batch_rows: 65_536,
        }
    }
}

impl Options {
    /// Sets an option. Its name has `-` or `_`. Lists have several values, or one with
    /// commas.
    ///
    /// # Errors
    ///
    /// There is no such option, or a value is wrong. Some values of filters are refused
    /// only by [`Options::filter`].
    pub fn set(&mut self, option: &str, values: &[String]) -> Result<(), String> {
        let name = option.replace('-', "_");
        let is_filter = Filter::OPTIONS.contains(&&*name);
        let value = match (&*name, values) {
            ("fields", _) => "",
            // No pattern matches nothing. Other empty lists are probably mistakes.
            ("regexp", _) => "",
            (_, []) => return Err(format!("{option}: the list is empty")),
            (_, [value]) => value,
            _ if is_filter || name == "forms" => "",
            _ => return Err(format!("{option}: one value only")),
        };
        let builder = self.extractor;
        if is_filter {
            self.filter.retain(|(given, _)| *given != name);
            self.filter.push((name, values.to_vec()));
        } else {
            match &*name {
                "profile" => {
                    self.extractor = builder.profile(one_of("profile", value, Profile::ALL)?)
                }
                "forms" => self.forms = forms(values)?,
                "www" => self.suffix = parsed(option, value)?,
                "hyphen" => self.extractor = builder.hyphen(hyphen(value)?),
                "join" => self.extractor = builder.join(parsed(option, value)?),
                "doubtful" => self.extractor = builder.doubtful(parsed(option, value)?),
                "rejects" => self.extractor = builder.rejects(parsed(option, value)?),
                "unwrap" => self.extractor = builder.unwrap_links(parsed(option, value)?),
                "max_url" => self.extractor = builder.url_max(parsed(option, value)?),
                "headers" => self.headers = headers(value)?,
                "notes" => self.notes = parsed(option, value)?,
                "fields" => self.fields = Some(list(values).map(str::to_owned).collect()),
                "threads" => self.threads = Some(positive(option, value)?),
                "as" => self.read_as = one_of("format", value, ReadAs::ALL)?,
                "batch_rows" => self.batch_rows = positive(option, value)?,
                "errors" => self.stops_at_fault = stops(value)?,
                _ => return Err(format!("no option {option}")),
            }
        }
        let wanted = Form::wanted(&self.forms, self.suffix);
        self.extractor = self.extractor.forms(wanted);
        Ok(())
    }

    /// The filter. Each thread needs one.
    ///
    /// # Errors
    ///
    /// A value is malformed, or no hit can pass the filter.
    pub fn filter(&self) -> Result<Filter, String> {
        let given = self.filter.iter();
        let filter = Filter::new(given.map(|(name, values)| (&**name, &values[..])));
        filter.map_err(|error| error.to_string())
    }
}

/// The items of lists with commas.
fn list(values: &[String]) -> impl Iterator<Item = &str> {
    values.iter().flat_map(|value| value.split(','))
}

fn parsed<T: FromStr<Err: ToString>>(option: &str, value: &str) -> Result<T, String> {
    let parsed = value.parse::<T>();
    parsed.map_err(|error| format!("{option}: {value}: {}", error.to_string()))
}

/// The value of this name.
fn one_of<T: Copy + Display>(what: &str, value: &str, all: &[T]) -> Result<T, String> {
    let found = all.iter().find(|one| one.to_string() == value);
    found.copied().ok_or_else(|| {
        let names: Vec<_> = all.iter().map(T::to_string).collect();
        format!("no such {what}: {value}; there are {}", names.join(", "))
    })
}

fn positive(option: &str, value: &str) -> Result<usize, String> {
    match parsed(option, value)? {
        0 => Err(format!("{option}: must be at least 1")),
        number => Ok(number),
    }
}

fn forms(values: &[String]) -> Result<Vec<Form>, String> {
    let form = |name: &str| Form::from_name(name).ok_or_else(|| format!("forms: no form {name}"));
    list(values).map(form).collect()
}

fn hyphen(value: &str) -> Result<Hyphen, String> {
    match value {
        "keep" => Ok(Hyphen::Keep),
        "drop" => Ok(Hyphen::Drop),
        _ => Err(format!("hyphen: {value}: keep or drop")),
    }
}

fn headers(value: &str) -> Result<HeaderPolicy, String> {
    let policy = HeaderPolicy::from_name(value);
    policy.ok_or_else(|| format!("headers: {value}: none, written, list or all"))
}

fn stops(value: &str) -> Result<bool, String> {
    match value {
        "rows" => Ok(false),
        "raise" => Ok(true),
        _ => Err(format!("errors: {value}: rows or raise")),
    }
}
