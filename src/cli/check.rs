//! `--check`: judges each line of the input.

use std::sync::Arc;

use super::config::Config;
use super::lines;
use super::print::check_line;
use super::status::Status;

/// The maximum number of bytes of a line that are printed.
const LINE: usize = 64 << 10;

/// Judges every line of the input. The status is found if no line was refused.
pub fn run(config: &Arc<Config>) -> Status {
    let mut refused = false;
    let each = |line: &lines::InputLine<'_>, out: &mut Vec<u8>| {
        let bytes = line.bytes.strip_suffix(b"\r").unwrap_or(line.bytes);
        refused |= !check_line(config.args.reading.profile, bytes, line.len, out);
    };
    let mut status = lines::run(config, LINE, each);
    status.found |= !refused;
    status
}
