//! Errors of the command line.

use std::fmt;

/// The error for a command line that is invalid or cannot be executed.
#[derive(Debug)]
pub struct ConfigError(String);

impl ConfigError {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> ConfigError {
        ConfigError(text.into())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}
