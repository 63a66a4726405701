//! `--check`: each line of the input is judged.

use std::io::Write;
use std::sync::Arc;

use super::config::Config;
use super::lines;
use super::print::check_line;
use super::status::Status;
use urlgrep::escape;
use urlgrep::scan::URL_MAX;
use urlgrep::url::Reject;

/// How much of a line is printed. What is longer than [`URL_MAX`] is refused
/// unread.
const LINE: usize = 64 << 10;

/// Judges every line of what `config` names. Found is that none was refused.
pub fn run(config: &Arc<Config>) -> Status {
    let mut refused = false;
    let each = |line: &lines::Line<'_>, out: &mut Vec<u8>| {
        let bytes = line.bytes.strip_suffix(b"\r").unwrap_or(line.bytes);
        if bytes.len() <= URL_MAX {
            refused |= !check_line(config.profile, bytes, out);
            return;
        }
        refused = true;
        out.extend_from_slice(b"invalid\t");
        escape::tabbed(bytes, out);
        // OK to ignore: a vector takes everything, and the reason is made of
        // what needs no escape.
        let _ = writeln!(out, "\t{}", Reject::too_long(config.profile, line.len));
    };
    let mut status = lines::run(config, LINE, each);
    status.found |= !refused;
    status
}
