//! `--check`: judges each line of the input.

use std::io::Write;
use std::sync::Arc;

use super::config::Config;
use super::lines;
use super::print::check_line;
use super::status::Status;
use urlgrep::ExtractorBuilder;
use urlgrep::escape;
use urlgrep::url::Reject;

/// The maximum number of bytes of a line that are printed. A line longer than
/// [`ExtractorBuilder::URL_MAX`] is refused without validation.
const LINE: usize = 64 << 10;

/// Judges every line of the input. The status is found if no line was refused.
pub fn run(config: &Arc<Config>) -> Status {
    let mut refused = false;
    let each = |line: &lines::InputLine<'_>, out: &mut Vec<u8>| {
        let bytes = line.bytes.strip_suffix(b"\r").unwrap_or(line.bytes);
        if bytes.len() <= ExtractorBuilder::URL_MAX {
            refused |= !check_line(config.args.reading.profile, bytes, out);
            return;
        }
        refused = true;
        out.extend_from_slice(b"invalid\t");
        escape::tabbed(bytes, out);
        // OK to ignore: writing to a vector does not fail. The reason has no
        // byte that needs an escape.
        let _ = writeln!(
            out,
            "\t{}",
            Reject::too_long(config.args.reading.profile, line.len)
        );
    };
    let mut status = lines::run(config, LINE, each);
    status.found |= !refused;
    status
}
