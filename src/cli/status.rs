//! The outcome of a run, and its exit status.

use std::process::ExitCode;

/// The outcome of a run. It is returned, so there is no global state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Something was found.
    pub found: bool,
    /// Something failed. For example, a path could not be read, or the output
    /// could not be written.
    pub failed: bool,
    /// `--quiet`: a hit means success despite any failure.
    pub quiet: bool,
}

impl Status {
    /// The run ended with an error, for example because the command line is
    /// invalid.
    pub const TROUBLE: Status = Status {
        found: false,
        failed: true,
        quiet: false,
    };

    /// The exit status: 0 found, 1 nothing found, 2 failed. With `--quiet` a
    /// hit means success despite any failure, as in POSIX grep.
    #[must_use]
    pub fn code(self) -> u8 {
        match (self.found, self.failed) {
            (true, _) if self.quiet => 0,
            (_, true) => 2,
            (true, false) => 0,
            (false, false) => 1,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        let code = |found, failed, quiet| {
            Status {
                found,
                failed,
                quiet,
            }
            .code()
        };
        assert_eq!(
            [
                code(true, false, false),
                code(false, false, false),
                code(true, true, false)
            ],
            [0, 1, 2]
        );
        assert_eq!(
            [
                code(true, true, true),
                code(false, true, true),
                code(false, false, true)
            ],
            [0, 2, 1]
        );
    }
}
