//! What became of a run, and the exit status that says so.

use std::process::ExitCode;

/// The outcome of a run. Handed upward; nothing global.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Something was found.
    pub found: bool,
    /// A path could not be read, or the output not be written.
    pub failed: bool,
    /// Only whether something was found matters: `--quiet`.
    pub quiet: bool,
}

impl Status {
    /// Nothing was done because something is wrong with the command line.
    pub const TROUBLE: Status = Status {
        found: false,
        failed: true,
        quiet: false,
    };

    /// The number for the caller: 0 found, 1 none, 2 trouble. With `--quiet` a
    /// hit is success whatever else went wrong, as POSIX has it for grep.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Status {
                found: true,
                quiet: true,
                ..
            } => 0,
            Status { failed: true, .. } => 2,
            Status { found: true, .. } => 0,
            Status { .. } => 1,
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
