//! The options of a filter as given, and their errors.

use std::fmt;

/// A value of an option is malformed, or no hit can pass the filter. Options have
/// the names of the command, such as `--exclude-host`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    text: String,
    is_of_regex: bool,
}

impl FilterError {
    pub(super) fn new(text: impl Into<String>) -> FilterError {
        FilterError {
            text: text.into(),
            is_of_regex: false,
        }
    }

    /// A pattern is no regular expression.
    pub(super) fn of_regex(text: impl Into<String>) -> FilterError {
        FilterError {
            is_of_regex: true,
            ..FilterError::new(text)
        }
    }

    /// True if a pattern is no regular expression, so that `fixed_strings` would accept it.
    #[must_use]
    #[doc(hidden)]
    pub fn is_of_regex(&self) -> bool {
        self.is_of_regex
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for FilterError {}

/// The options as given. An option that is not given has no values.
pub struct Given<'o>(pub Vec<(&'o str, &'o [String])>);

impl<'o> Given<'o> {
    pub fn all(&self, name: &str) -> &'o [String] {
        let found = self.0.iter().find(|(given, _)| *given == name);
        found.map_or(&[], |(_, values)| values)
    }

    pub fn one(&self, name: &str) -> Result<Option<&'o str>, FilterError> {
        match self.all(name) {
            [] => Ok(None),
            [value] => Ok(Some(value)),
            _ => Err(FilterError::new(format!(
                "{}: one value only",
                option(name)
            ))),
        }
    }

    pub fn flag(&self, name: &str) -> Result<bool, FilterError> {
        match self.one(name)? {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            _ => Err(FilterError::new(format!("{}: true or false", option(name)))),
        }
    }
}

/// The option as the command has it.
fn option(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}
