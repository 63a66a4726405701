//! The worker: searches pieces, and prints the hits into a buffer.
//!
//! When the buffer is full, the worker sends it and waits until there is room
//! for the next. So the memory of a run is bounded for every input.

use std::sync::Arc;

use urlgrep::search::Searcher;
use urlgrep_files::engine::{Outbox, Piece, Worker};

use super::config::Config;
use super::hits::{HitPrinter, HitVisitor, send_if_full};
use super::output::{Mark, Output};

/// The searcher of a worker, and the printer of its hits.
pub struct Search {
    searcher: Searcher,
    hits: HitPrinter,
}

impl Search {
    /// A new worker.
    pub fn new(config: &Arc<Config>) -> Search {
        Search {
            searcher: Searcher::builder()
                .extractor(config.extractor)
                .headers(config.args.mail.headers.policy())
                .message_ends(config.has_records())
                .details(config.needs.details)
                .places(config.needs.places)
                // A message that a filter refuses has no hit either way.
                .all_infos(config.filter.needs_messages())
                .columns(config.needs.column)
                .context(config.context)
                .attachments(config.args.mail.attachments())
                .build(),
            hits: HitPrinter::new(config),
        }
    }

    /// True if the rest of the text is not wanted, and no lines are pending.
    fn is_done(&self) -> bool {
        self.hits.is_satisfied() && !self.searcher.has_pending_lines()
    }
}

/// The longest first line of standard input that may be the name of a file.
const LONGEST_NAME: usize = 4096;

/// The first line of a text, if a path could be so long. A NUL ends it too.
fn first_line(text: &[u8]) -> Option<Vec<u8>> {
    let near = &text[..text.len().min(LONGEST_NAME)];
    let end = memchr::memchr2(b'\n', 0, near)?;
    Some(near[..end].to_vec())
}

impl Worker for Search {
    type Output = Output;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Output>) -> bool {
        let mut piece = *piece;
        if piece.first {
            self.hits.begin(piece.kind);
            if !self.hits.config.needs.line {
                // Counting lines takes time.
                piece.start.line = 0;
            }
        }
        out.counts.refused.get_or_insert(0);
        if piece.first && piece.path.is_none() {
            out.counts.stdin = first_line(piece.bytes);
        }
        if !self.is_done() {
            out.counts.bytes += piece.bytes.len() as u64;
            let (hits, path) = (&mut self.hits, piece.path);
            piece.search(&mut self.searcher, &mut HitVisitor { hits, path, out });
        }
        if piece.end.is_file() {
            self.hits.end(piece.kind, piece.path, out);
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
