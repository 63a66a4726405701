//! The worker: searches pieces, and prints the hits into a buffer.
//!
//! A [`Search`] belongs to one thread at a time. It never blocks, and writes to
//! no file. When the buffer is full, it stops with [`Flow::Again`]. If it is
//! called again with the same piece, it continues. So the memory of a run is
//! bounded for every input.

use std::sync::Arc;

use urlgrep::engine::{End, Flow, Kind, Piece, Worker};
use urlgrep::mail::{Container, Position};
use urlgrep::search::Searcher;

use super::config::Config;
use super::output::{Mark, Output};
use super::report::{Report, Take};

/// The number of bytes of a container that are searched between two checks for
/// a full output. Inside a message the search cannot stop between two hits.
const SLICE: usize = 32 << 10;

/// The searcher of a worker, with its report.
pub struct Search {
    searcher: Searcher,
    /// The number of bytes of the current piece that were searched.
    fed: usize,
    report: Report,
    step: Step,
}

/// The next step in the current piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin,
    GoOn,
    Finish,
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
            fed: 0,
            report: Report::new(config),
            step: Step::Begin,
        }
    }

    /// Begins a text, a container of messages, or a piece of a container that
    /// can be searched separately.
    fn begin(&mut self, kind: Kind, at: Position) {
        match kind {
            Kind::Mail(container) => {
                let line = if self.report.config.line { at.line } else { 0 };
                self.searcher.begin(container, Position { line, ..at });
            }
            Kind::Utf16 => self.searcher.begin_transcoded(at),
            _ => self.searcher.begin(Container::Text, at),
        }
        self.report.begin(kind);
    }

    /// True if the rest of the text is not wanted, and no lines are pending.
    fn is_done(&self) -> bool {
        self.report.is_satisfied() && !self.searcher.has_pending_lines()
    }

    /// Searches a text in one piece, without a copy.
    fn whole(&mut self, piece: &Piece<'_>, out: &mut Output) -> Flow {
        let report = &mut self.report;
        if self.step == Step::Begin {
            out.counts.bytes += piece.bytes.len() as u64;
            self.step = Step::GoOn;
        }
        if !report.is_satisfied() {
            let path = piece.path;
            self.searcher.resume();
            self.searcher
                .search_here(piece.bytes, &mut Take { report, path, out });
            if self.report.stopped_full {
                self.report.stopped_full = false;
                return Flow::Again;
            }
        }
        self.step = Step::Begin;
        Flow::Done
    }

    /// Searches the next piece of a text.
    fn text(&mut self, piece: &Piece<'_>, out: &mut Output) -> Flow {
        let path = piece.path;
        if self.step == Step::Begin && !self.is_done() {
            out.counts.bytes += piece.bytes.len() as u64;
        }
        while !self.is_done() {
            let report = &mut self.report;
            let mut take = Take { report, path, out };
            self.searcher.resume();
            match self.step {
                Step::Begin => self.searcher.feed(piece.bytes, &mut take),
                Step::GoOn => self.searcher.feed(&[], &mut take),
                Step::Finish if piece.end.is_broken() => self.searcher.break_off(&mut take),
                Step::Finish => self.searcher.finish(&mut take),
            };
            let stopped = std::mem::take(&mut self.report.stopped_full);
            match self.step {
                Step::Begin | Step::GoOn if stopped => self.step = Step::GoOn,
                Step::Begin | Step::GoOn if piece.end != End::Open => self.step = Step::Finish,
                Step::Finish if stopped => {}
                _ => break,
            }
            if out.is_full() {
                return Flow::Again;
            }
        }
        self.step = Step::Begin;
        Flow::Done
    }

    /// Searches the next piece of a container.
    fn mail(&mut self, piece: &Piece<'_>, out: &mut Output) -> Flow {
        let (path, bytes) = (piece.path, piece.bytes);
        if self.step == Step::Begin {
            out.counts.bytes += bytes.len() as u64;
            self.fed = 0;
            self.step = Step::GoOn;
        }
        while self.fed < bytes.len() && !self.is_done() {
            if out.is_full() {
                return Flow::Again;
            }
            let slice = &bytes[self.fed..bytes.len().min(self.fed + SLICE)];
            self.fed += slice.len();
            let mut take = Take {
                report: &mut self.report,
                path,
                out,
            };
            self.searcher.feed(slice, &mut take);
        }
        if piece.end != End::Open && !self.is_done() {
            if out.is_full() {
                return Flow::Again;
            }
            let mut take = Take {
                report: &mut self.report,
                path,
                out,
            };
            if piece.end.is_broken() {
                self.searcher.break_off(&mut take);
            } else {
                self.searcher.finish(&mut take);
            }
        }
        self.step = Step::Begin;
        Flow::Done
    }
}

impl Worker for Search {
    type Output = Output;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Output) -> Flow {
        if piece.first && self.step == Step::Begin {
            self.begin(piece.kind, piece.start);
            if piece.start.offset == 0
                && piece.kind == Kind::Text
                && let Some(what) = encoded(piece.bytes)
            {
                self.report.encoded(what, piece.path, out);
            }
        }
        let is_whole = piece.first && matches!(piece.end, End::Text | End::File);
        let flow = match piece.kind {
            Kind::Mail(_) => self.mail(piece, out),
            _ if is_whole && self.report.config.context.is_none() => self.whole(piece, out),
            _ => self.text(piece, out),
        };
        if flow == Flow::Again {
            return flow;
        }
        if piece.end.is_file() {
            self.report.end(piece.kind, piece.path, out);
        }
        if self.is_done() {
            Flow::Enough
        } else {
            Flow::Done
        }
    }

    fn is_full(out: &Output) -> bool {
        out.is_full()
    }

    fn repair(out: &mut Output) {
        let marked = out.marks.iter().rev().find_map(|mark| match mark {
            Mark::Hit { end, .. } | Mark::Note { end } => Some(*end),
            Mark::Spill => Some(0),
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
