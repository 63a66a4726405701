//! The options of a search by name. Python and C have the same.

use std::fmt::Display;
use std::str::FromStr;

use urlgrep::filter::Filter;
use urlgrep::mail::{HeaderPolicy, ReadAs};
use urlgrep::{Extractor, ExtractorBuilder, Form, Hyphen, Profile};

/// The options that are not those of filters.
const OPTIONS: &[&str] = &[
    "doubtful", "forms", "headers", "hyphen", "join", "max_url", "profile", "refang", "rejects",
    "unwrap", "www",
];

/// The options that only a scan has.
const SCAN_OPTIONS: &[&str] = &["as", "batch_rows", "errors", "fields", "notes", "threads"];

/// The options of a search.
#[derive(Clone)]
pub struct Options {
    /// The options that were set, as they were spelled. All else is made from them.
    given: Vec<(String, Vec<String>)>,
    /// How URLs are read and judged.
    pub extractor: ExtractorBuilder,
    /// The forms that were named.
    forms: Vec<Form>,
    /// Whether hosts without a scheme are found too.
    suffix: bool,
    /// The header fields that are searched.
    pub headers: HeaderPolicy,
    /// Whether tolerated faults are rows of a scan.
    pub notes: bool,
    /// Whether the first input that cannot be read ends a scan.
    pub stops_at_fault: bool,
    /// The columns of a scan, or `None` for all keys of JSON.
    pub fields: Option<Vec<String>>,
    /// The number of threads of a scan, or `None` for all processors.
    pub threads: Option<usize>,
    /// What the files of a scan are read as.
    pub read_as: ReadAs,
    /// The maximum number of rows of a batch.
    pub batch_rows: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            given: Vec::new(),
            extractor: Extractor::builder(),
            forms: Vec::new(),
            suffix: false,
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
    /// There is no such option, or a value is wrong. Then nothing changes. Some values of
    /// filters are refused only by [`Options::filter`].
    pub fn set(&mut self, option: &str, values: &[String]) -> Result<(), String> {
        check(option)?;
        self.with(option, |given| {
            given.push((option.to_owned(), values.to_vec()))
        })
    }

    /// Gives an option its default value again. Filters that are not set accept everything.
    ///
    /// # Errors
    ///
    /// There is no such option.
    pub fn unset(&mut self, option: &str) -> Result<(), String> {
        check(option)?;
        self.with(option, |_| ())
    }

    /// Makes all anew from the options that were set, without this one and with `change`.
    fn with(
        &mut self,
        option: &str,
        change: impl FnOnce(&mut Vec<(String, Vec<String>)>),
    ) -> Result<(), String> {
        let mut given = self.given.clone();
        given.retain(|(other, _)| key(other) != key(option));
        change(&mut given);
        let mut made = Options::default();
        for (option, values) in &given {
            made.apply(option, values)?;
        }
        let wanted = Form::wanted(&made.forms, made.suffix);
        made.extractor = made.extractor.forms(wanted);
        made.given = given;
        *self = made;
        Ok(())
    }

    fn apply(&mut self, option: &str, values: &[String]) -> Result<(), String> {
        let name = &*key(option);
        let is_filter = Filter::OPTIONS.contains(&name);
        let value = match (name, values) {
            // No pattern matches nothing. Other empty lists are probably mistakes.
            ("fields" | "regexp", _) => "",
            (_, []) => return Err(format!("{option}: the list is empty")),
            (_, [value]) => value,
            _ if is_filter || name == "forms" => "",
            _ => return Err(format!("{option}: one value only")),
        };
        if is_filter {
            return Ok(());
        }
        let builder = self.extractor;
        match name {
            "profile" => self.extractor = builder.profile(one_of("profile", value, Profile::ALL)?),
            "forms" => self.forms = forms(values)?,
            "www" => self.suffix = parsed(option, value)?,
            "hyphen" => self.extractor = builder.hyphen(hyphen(value)?),
            "join" => self.extractor = builder.join(parsed(option, value)?),
            "doubtful" => self.extractor = builder.doubtful(parsed(option, value)?),
            "refang" => self.extractor = builder.refang(parsed(option, value)?),
            "rejects" => self.extractor = builder.rejects(parsed(option, value)?),
            "unwrap" => self.extractor = builder.unwrap_links(parsed(option, value)?),
            "max_url" => self.extractor = builder.url_max(parsed(option, value)?),
            "headers" => self.headers = headers(value)?,
            "notes" => self.notes = parsed(option, value)?,
            "fields" => self.fields = Some(columns(values)?),
            "threads" => self.threads = Some(parsed(option, value)?).filter(|&number| number > 0),
            "as" => self.read_as = one_of("format", value, ReadAs::ALL)?,
            "batch_rows" => self.batch_rows = positive(option, value)?,
            "errors" => self.stops_at_fault = stops(value)?,
            _ => return Err(format!("no option {option}")),
        }
        Ok(())
    }

    /// The filter. Each thread needs one.
    ///
    /// # Errors
    ///
    /// A value is malformed, or no hit can pass the filter.
    pub fn filter(&self) -> Result<Filter, String> {
        let given = self.given.iter();
        let given: Vec<_> = given
            .map(|(option, values)| (key(option), values))
            .collect();
        let filters = given
            .iter()
            .filter(|(name, _)| Filter::OPTIONS.contains(&&**name));
        let filter = Filter::new(filters.map(|(name, values)| (&**name, &values[..])));
        filter.map_err(|error| error.to_string())
    }
}

/// The name of an option with `_`.
fn key(option: &str) -> String {
    option.replace('-', "_")
}

/// Refuses an option that does not exist.
fn check(option: &str) -> Result<(), String> {
    let name = key(option);
    if SCAN_OPTIONS.contains(&&*name) && cfg!(not(feature = "arrow")) {
        return Err(format!("{option}: this library is built without scans"));
    }
    let mut all = [OPTIONS, SCAN_OPTIONS, Filter::OPTIONS]
        .into_iter()
        .flatten();
    if all.any(|&known| known == name) {
        Ok(())
    } else {
        Err(format!("no option {option}"))
    }
}

/// The columns of these names.
#[cfg(feature = "arrow")]
fn columns(values: &[String]) -> Result<Vec<String>, String> {
    let names: Vec<String> = list(values).map(str::to_owned).collect();
    match crate::column::Columns::new(Some(names.clone())) {
        Ok(_) => Ok(names),
        Err(name) => Err(format!("no such column: {name}")),
    }
}

#[cfg(not(feature = "arrow"))]
fn columns(values: &[String]) -> Result<Vec<String>, String> {
    Ok(list(values).map(str::to_owned).collect())
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
