//! `--check`: judges each line of the input.

use std::io::{self, Write};
use std::sync::Arc;

use urlgrep_base::escape::{self, STDIN};

use super::config::Config;
use super::inputs::{BOM, is_of_mail};
use super::lines;
use super::print::check_line;
use super::status::Status;

/// The maximum number of bytes of a line that are printed.
const LINE: usize = 64 << 10;

/// Judges every line of the input. The status is found if no line was refused.
pub fn run(config: &Arc<Config>) -> Status {
    let mut refused = false;
    // The first input that is mail, and no list of URLs.
    let mut mail = None;
    let each = |line: &lines::InputLine<'_>, out: &mut Vec<u8>| {
        let bytes = line.bytes.strip_suffix(b"\r").unwrap_or(line.bytes);
        let unmarked = bytes.strip_prefix(BOM).filter(|_| line.number == 1);
        let bytes = unmarked.unwrap_or(bytes);
        let is_valid = check_line(config.args.reading.profile, bytes, line.len, out);
        refused |= !is_valid;
        if !is_valid && line.number == 1 && mail.is_none() && is_of_mail(bytes) {
            let mut shown = Vec::new();
            escape::terminal(line.path.unwrap_or(STDIN), &mut shown);
            mail = Some(String::from_utf8_lossy(&shown).into_owned());
        }
    };
    let mut status = lines::run(config, LINE, each);
    if let Some(path) = mail.filter(|_| !config.args.output.no_messages) {
        // OK to ignore: standard error is the last place for messages.
        let _ = writeln!(
            io::stderr().lock(),
            "urlgrep: warning: {path} is mail, and --check reads a URL a line; without --check its \
             URLs are found"
        );
    }
    status.found |= !refused;
    status
}
