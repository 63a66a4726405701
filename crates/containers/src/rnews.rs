//! News batches: articles after `#! rnews N` lines, and compressed batches.
//!
//! news(5) of C News: "each preceded by a line of the form `#! rnews
//! byte-count`, where byte-count is the number of bytes in the following
//! article, where each newline is counted as a single byte, even if it is
//! stored as a CR-LF". So a batch that went through another system has wrong
//! counts throughout. The reader then resynchronises at a `#! rnews N` line:
//!
//! * If no such line is at the end of the counted bytes, the count is wrong.
//!   The article then continues up to the next `#! rnews N` line before a
//!   header line.
//! * If such a line is inside the counted bytes, it begins the next article,
//!   unless the count is right. To check the count, the bytes at the counted
//!   end are examined, if these are at most [`REACH`] bytes ahead. So an
//!   article that quotes a batch stays whole.

use memchr::memmem;

use super::events::{ContainerNoteKind, ContainerSink, Out, Outside, Packing, Shape, View};
use super::lines::{LINE, header_follows, partial_line};
use urlgrep_base::digits::decimal;

/// The maximum distance at which a doubtful count is checked. These bytes are
/// held back meanwhile.
pub(crate) const REACH: u64 = 64 * 1024;

const PREFIX: &[u8] = b"#! rnews ";

/// The byte count and the length of the `#! rnews N` line at the start of
/// `buf`. `None` if more bytes are needed. Text after the count is allowed,
/// because some programs write a host there.
pub(crate) fn batch_head(buf: &[u8], eof: bool) -> Option<Option<(u64, usize)>> {
    let Some(rest) = buf.strip_prefix(PREFIX) else {
        return (eof || !PREFIX.starts_with(buf)).then_some(None);
    };
    let window = &rest[..rest.len().min(LINE - PREFIX.len())];
    let Some(end) = memchr::memchr(b'\n', window) else {
        return (eof || buf.len() >= LINE).then_some(None);
    };
    let mut words = window[..end]
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let count = words.next().and_then(decimal);
    Some(count.map(|n| (n, PREFIX.len() + end + 1)))
}

/// The packing and the length of a `#! cunbatch`, `#! gunbatch` or
/// `#! zunbatch` line.
pub(crate) fn packing_line(buf: &[u8]) -> Option<(Packing, usize)> {
    let rest = buf.strip_prefix(b"#! ")?;
    let packing = match rest.get(..8)? {
        b"cunbatch" => Packing::Compress,
        b"gunbatch" => Packing::Gzip,
        b"zunbatch" => Packing::Zlib,
        _ => return None,
    };
    let window = &rest[8..rest.len().min(LINE)];
    let end = memchr::memchr(b'\n', window)?;
    window[..end]
        .trim_ascii()
        .is_empty()
        .then_some((packing, 3 + 8 + end + 1))
}

/// As [`packing_line`], but `None` if more bytes are needed.
pub(crate) fn packing_head(buf: &[u8], eof: bool) -> Option<Option<Packing>> {
    const PREFIX: &[u8] = b"#! ?unbatch";
    let known = packing_line(buf).map(|(packing, _)| packing);
    let near = buf.iter().take(LINE);
    let fits = near.zip(PREFIX).all(|(a, b)| a == b || *b == b'?');
    let has_ended = eof || buf.len() >= LINE || memchr::memchr(b'\n', buf).is_some();
    (known.is_some() || !fits || has_ended).then_some(known)
}

/// Splits a batch into articles.
#[derive(Debug)]
pub(crate) struct Rnews {
    finder: memmem::Finder<'static>,
    state: BatchState,
    /// In an article: true if the next byte is the first of a line.
    at_line: bool,
    /// The line at the start of the view is undecided until this offset was
    /// fed.
    wait: u64,
}

#[derive(Clone, Copy, Debug)]
enum BatchState {
    /// At the place where a batch line should be.
    Head { begun: bool },
    Article {
        /// The end of the article by its count. `u64::MAX` if unknown.
        end: u64,
        /// True if the count was confirmed.
        sure: bool,
        /// True if the count was already reported as wrong.
        noted: bool,
    },
}

enum LineVerdict {
    More,
    /// The line is text of the article.
    No,
    /// The line is text of the article, and the count is right.
    Sure,
    /// The line begins the next article.
    Yes,
}

impl Rnews {
    pub fn new() -> Rnews {
        Rnews {
            finder: memmem::Finder::new(b"\n#! rnews "),
            state: BatchState::Head { begun: false },
            at_line: false,
            wait: 0,
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each state")]
    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let View { buf, base, eof } = view;
        let mut at = 0;
        loop {
            let rest = &buf[at..];
            let offset = base + at as u64;
            match self.state {
                BatchState::Head { begun } => match batch_head(rest, eof) {
                    None => return at,
                    Some(Some((count, length))) => {
                        out.start(&rest[..length], offset, Shape::Message);
                        at += length;
                        self.at_line = true;
                        self.state = BatchState::Article {
                            end: (base + at as u64).saturating_add(count),
                            sure: false,
                            noted: false,
                        };
                    }
                    Some(None) if rest.is_empty() => return at,
                    Some(None) => {
                        if begun {
                            out.note(ContainerNoteKind::Count, offset);
                        } else {
                            out.start(b"", offset, Shape::Message);
                        }
                        self.at_line = false;
                        self.state = BatchState::Article {
                            end: u64::MAX,
                            sure: false,
                            noted: true,
                        };
                    }
                },
                BatchState::Article { end, .. } if offset >= end => {
                    self.state = BatchState::Head { begun: true };
                }
                BatchState::Article { end, sure, noted } => {
                    if self.at_line && !sure {
                        match self.judge(rest, offset, end, eof) {
                            LineVerdict::More => return at,
                            LineVerdict::No => {}
                            LineVerdict::Sure => {
                                self.state = BatchState::Article {
                                    end,
                                    sure: true,
                                    noted,
                                };
                                continue;
                            }
                            LineVerdict::Yes => {
                                if !noted {
                                    out.note(ContainerNoteKind::Count, offset);
                                }
                                self.state = BatchState::Head { begun: true };
                                continue;
                            }
                        }
                    }
                    let (length, at_line) = self.text(rest, end - offset, sure, eof);
                    out.data(&rest[..length], offset);
                    at += length;
                    self.at_line = at_line;
                    let offset = base + at as u64;
                    if !at_line && offset < end {
                        if eof && !noted {
                            out.note(ContainerNoteKind::Count, offset);
                        }
                        return at;
                    }
                }
            }
        }
    }

    /// The number of bytes of `rest` that are text of the article, and whether
    /// a line to judge follows. By the count, `left` bytes of the article
    /// remain.
    fn text(&self, rest: &[u8], left: u64, sure: bool, eof: bool) -> (usize, bool) {
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let length = left.min(rest.len());
        if sure {
            return (length, false);
        }
        // A line that begins before the end may extend beyond it.
        let window = &rest[..left.saturating_add(PREFIX.len()).min(rest.len())];
        let line = match self.finder.find(window) {
            Some(found) => Some(found + 1),
            None if eof || window.len() < rest.len() => None,
            None => partial_line(window, PREFIX),
        };
        match line {
            Some(line) if line < left => (line, true),
            _ => (length, false),
        }
    }

    /// Judges the line at the start of `line`, which is inside an article.
    fn judge(&mut self, line: &[u8], offset: u64, end: u64, eof: bool) -> LineVerdict {
        let fed = offset + line.len() as u64;
        if !eof && fed < self.wait {
            return LineVerdict::More;
        }
        let Some((_, length)) = (match batch_head(line, eof) {
            None => return LineVerdict::More,
            Some(head) => head,
        }) else {
            return LineVerdict::No;
        };
        match header_follows(&line[length..], &mut 0, eof) {
            None => return LineVerdict::More,
            Some(false) => return LineVerdict::No,
            Some(true) => {}
        }
        if end - offset > REACH {
            return LineVerdict::Yes;
        }
        let wait = end.saturating_add(PREFIX.len() as u64);
        if !eof && fed < wait {
            self.wait = wait;
            return LineVerdict::More;
        }
        // The difference fits, because `end` is at most REACH bytes after
        // `offset`.
        match line.get((end - offset) as usize..) {
            Some(next) if next.starts_with(PREFIX) || next.is_empty() => LineVerdict::Sure,
            _ => LineVerdict::Yes,
        }
    }
}

/// Passes on the data of a compressed batch.
#[derive(Debug)]
pub(crate) struct Packed {
    packing: Packing,
    begun: bool,
}

impl Packed {
    pub fn new(packing: Packing) -> Packed {
        Packed {
            packing,
            begun: false,
        }
    }

    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let View { buf, base, eof } = view;
        let mut at = 0;
        if !self.begun {
            let window = &buf[..buf.len().min(LINE)];
            at = match memchr::memchr(b'\n', window) {
                Some(end) => end + 1,
                None if !eof && window.len() < LINE => return 0,
                None => 0,
            };
            self.begun = true;
            out.outside(&buf[..at], base, Outside::Frame);
            out.compressed(self.packing, base + at as u64);
        }
        out.outside(&buf[at..], base + at as u64, Outside::Packed);
        buf.len()
    }
}
