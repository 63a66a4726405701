//! Modes that read their input line by line, in order: `--check`, `--verify`.

use std::sync::Arc;

use urlgrep_files::engine::{End, Outbox, Piece, Worker};

use super::config::Config;
use super::hits::send_if_full;
use super::output::Output;
use super::status::Status;
use super::stdout::stdout;
use super::write::Writer;

/// A line of input, without its line feed.
#[derive(Debug)]
pub struct InputLine<'a> {
    /// The line, cut to `most` bytes.
    pub bytes: &'a [u8],
    /// The length of the whole line in bytes.
    pub len: usize,
    /// The file of the line. `None` is standard input.
    pub path: Option<&'a [u8]>,
    /// The number of the line, from 1.
    pub number: u64,
}

/// Calls `each` for every line of the input, with a buffer for its output. At
/// most `most` bytes of a line are kept.
pub fn run(
    config: &Arc<Config>,
    most: usize,
    mut each: impl FnMut(&InputLine<'_>, &mut Vec<u8>),
) -> Status {
    let mut writer = Writer::new(config, stdout());
    let lines = InputLines {
        most,
        each: &mut each,
        line: Vec::new(),
        len: 0,
        number: 1,
    };
    let engine = config.engine().threads(1).decode(false);
    // Each file is one text. Otherwise the search would continue after
    // unreadable bytes, where the numbers of lines are unknown.
    let engine = engine.whole_files(true).build();
    engine.run_here(config.inputs(), lines, |delivery| writer.take(delivery));
    writer.finish()
}

/// Assembles lines from pieces.
struct InputLines<'e> {
    most: usize,
    each: &'e mut dyn FnMut(&InputLine<'_>, &mut Vec<u8>),
    /// The beginning of the current line, at most `most` bytes.
    line: Vec<u8>,
    /// The length of the current line so far, in bytes.
    len: usize,
    number: u64,
}

impl InputLines<'_> {
    fn feed(&mut self, mut bytes: &[u8], path: Option<&[u8]>, out: &mut Vec<u8>) {
        while let Some(at) = memchr::memchr(b'\n', bytes) {
            self.keep(&bytes[..at]);
            self.give(path, out);
            bytes = &bytes[at + 1..];
        }
        self.keep(bytes);
    }

    /// Handles the end of a text. The end of a file also ends its last line. A
    /// line that is cut by an error is dropped.
    fn end(&mut self, end: End, path: Option<&[u8]>, out: &mut Output) {
        if self.len > 0 && end == End::File {
            self.give(path, &mut out.text);
        }
        self.forget();
        out.counts.files += 1;
    }

    fn forget(&mut self) {
        self.line.clear();
        self.len = 0;
        self.number = 1;
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.most - self.line.len();
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.len = self.len.saturating_add(bytes.len());
    }

    fn give(&mut self, path: Option<&[u8]>, out: &mut Vec<u8>) {
        let line = InputLine {
            bytes: &self.line,
            len: self.len,
            path,
            number: self.number,
        };
        (self.each)(&line, out);
        self.line.clear();
        self.len = 0;
        self.number += 1;
    }
}

impl Worker for InputLines<'_> {
    type Output = Output;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Output>) -> bool {
        if piece.first && piece.start.offset == 0 {
            self.forget();
        }
        self.feed(piece.bytes, piece.path, &mut out.text);
        if piece.end.is_file() {
            self.end(piece.end, piece.path, out);
        }
        send_if_full(out)
    }
}
