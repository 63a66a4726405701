//! Errors of the command line.

use std::fmt;

/// The error for a command line that is invalid or cannot be executed.
#[derive(Debug)]
pub struct ConfigError(String);

impl ConfigError {
    /// An error with the text of this value, which may be an error too.
    pub fn new(text: impl fmt::Display) -> ConfigError {
        ConfigError(text.to_string())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
