//! The worker: searches pieces, and prints the hits into a buffer.
//!
//! When the buffer is full, the worker sends it and waits until there is room
//! for the next. So the memory of a run is bounded for every input.

use std::sync::Arc;

use urlgrep::engine::{Kind, Outbox, Piece, Worker};
use urlgrep::search::Searcher;

use super::config::Config;
use super::output::{Mark, Output};
use super::report::{Report, Take, send_if_full};

/// The searcher of a worker, with its report.
pub struct Search {
    searcher: Searcher,
    report: Report,
}

impl Search {
    /// A new worker.
    pub fn new(config: &Arc<Config>) -> Search {
        Search {
            searcher: Searcher::builder()
                .extractor(config.extractor)
                .headers(config.args.mail.headers.policy())
                .message_ends(config.has_records())
                .details(config.details)
                .columns(config.column)
                .context(config.context)
                .build(),
            report: Report::new(config),
        }
    }

    /// True if the rest of the text is not wanted, and no lines are pending.
    fn is_done(&self) -> bool {
        self.report.is_satisfied() && !self.searcher.has_pending_lines()
    }
}

impl Worker for Search {
    type Output = Output;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Output>) -> bool {
        let mut piece = *piece;
        if piece.first {
            self.report.begin(piece.kind);
            if piece.start.offset == 0
                && piece.kind == Kind::Text
                && let Some(what) = encoded(piece.bytes)
            {
                self.report.encoded(what, piece.path, out);
            }
            if !self.report.config.line {
                // Counting lines takes time.
                piece.start.line = 0;
            }
        }
        if !self.is_done() {
            out.counts.bytes += piece.bytes.len() as u64;
            let (report, path) = (&mut self.report, piece.path);
            piece.search(&mut self.searcher, &mut Take { report, path, out });
        }
        if piece.end.is_file() {
            self.report.end(piece.kind, piece.path, out);
        }
        !self.is_done() && send_if_full(out)
    }

    fn repair(out: &mut Output) {
        let marked = out.marks.iter().rev().find_map(|mark| match mark {
            Mark::Hit { end, .. } | Mark::Note { end } => Some(*end),
            _ => None,
        });
        let line = memchr::memrchr(b'\n', &out.text).map_or(0, |at| at + 1);
        out.text.truncate(if out.marks.is_empty() {
            line
        } else {
            marked.unwrap_or(0)
        });
    }
}

/// The kind of a file that is read as text, although most of its text is
/// encoded in its own format. `None` for other files.
fn encoded(head: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 6] = [
        (b"%PDF-", "PDF"),
        (
            b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
            "OLE file, such as .msg and .doc",
        ),
        (b"!BDN", "Outlook folder (.pst)"),
        (b"{\\rtf", "RTF"),
        (b"7z\xBC\xAF\x27\x1C", "7z archive"),
        (b"Rar!\x1A\x07", "RAR archive"),
    ];
    let kind = KINDS.iter().find(|(start, _)| head.starts_with(start));
    kind.map(|&(_, name)| name)
}
