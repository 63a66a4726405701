//! Standard output.

use std::io::{self, Write};

/// Standard output. The handle of the standard library reports success if the
/// descriptor cannot be written to (`1<FILE`). So a copy of the descriptor is
/// used. Windows keeps the handle, because it converts text for consoles.
pub fn stdout() -> Box<dyn Write> {
    #[cfg(unix)]
    {
        use std::fs::File;
        use std::os::fd::AsFd;

        if let Ok(copy) = io::stdout().as_fd().try_clone_to_owned() {
            return Box::new(File::from(copy));
        }
    }
    Box::new(io::stdout().lock())
}
