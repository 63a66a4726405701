//! `format=flowed` (RFC 3676): removes space-stuffing, and the line breaks of
//! `DelSp=yes`.
//!
//! Without `DelSp` a flowed line break means a space. A space ends a bare URL
//! just as the line break does, so the line break is kept. Quote marks are also
//! kept, because the scanner handles them.

use memchr::{memchr, memmem};

use crate::span::SeamKind;

use super::MailSink;
use super::mapped::{Held, MappedBytes};
use super::out::Out;

/// The maximum depth at which lines are joined. It bounds the memory.
const MAX_DEPTH: u32 = 64;

/// > … line consisting of DASH DASH SP is neither fixed nor flowed.
/// > (RFC 3676 section 4.3)
const SEPARATOR: &[u8] = b"-- ";

#[derive(Debug)]
pub(super) struct Flowed {
    delete_space: bool,
    state: State,
    /// The number of quote marks on this line.
    depth: u32,
    /// The number of bytes of [`SEPARATOR`] that the line matches so far.
    /// Larger than the length of the separator if the line does not match.
    separator: u8,
    /// Bytes that are not decided yet.
    held: Held,
    /// The number of held bytes that a join removes.
    removes: usize,
    /// Finds a line break before a stuffed line.
    stuffed: memmem::Finder<'static>,
}

impl Default for Flowed {
    fn default() -> Flowed {
        Flowed {
            delete_space: false,
            state: State::Marks,
            depth: 0,
            separator: 0,
            held: Held::default(),
            removes: 0,
            stuffed: memmem::Finder::new(b"\n "),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the quote marks at the start of a line.
    Marks,
    /// At a space at the start of a line. The space is held.
    Stuffing,
    /// After marks and stuffing. The last space of a possible flowed line, and
    /// a CR after it, may be held.
    Line,
    /// After a flowed line break, which is held. In the marks of the next line.
    JoinMarks(u32),
    /// As `JoinMarks`, and the next line so far matches a signature separator.
    JoinSeparator,
}

impl Flowed {
    pub(super) fn start(&mut self, delete_space: bool) {
        self.delete_space = delete_space;
        self.held.clear();
        self.line_start();
    }

    fn line_start(&mut self) {
        self.state = State::Marks;
        self.depth = 0;
        self.separator = 0;
    }

    pub(super) fn put<S: MailSink>(
        &mut self,
        mut rest: MappedBytes<'_>,
        out: &mut Out,
        sink: &mut S,
    ) {
        if rest.bytes.is_empty() {
            if self.held.is_empty() {
                out.put(rest, sink);
            } else {
                self.held.push(rest);
            }
            return;
        }
        while let Some(&b) = rest.bytes.first() {
            match self.state {
                State::Marks => match b {
                    b'>' => {
                        self.depth = self.depth.saturating_add(1);
                        out.put(rest.take(1), sink);
                    }
                    b' ' if self.depth == 0 => {
                        self.held.push(rest.take(1));
                        self.state = State::Stuffing;
                    }
                    b' ' => {
                        // The space is kept. The mark and the space form one
                        // leader.
                        out.put(rest.take(1), sink);
                        self.state = State::Line;
                    }
                    _ => self.state = State::Line,
                },
                State::Stuffing => {
                    // > … any unquoted lines which start with ">" … MUST be
                    // > space-stuffed. (RFC 3676 section 4.4)
                    //
                    // Without its space such a line would look quoted.
                    if b == b'>' {
                        self.release(out, sink);
                    } else {
                        let seam = self.held.seam(1, SeamKind::SpaceStuff, b"");
                        out.put(seam, sink);
                        self.held.clear();
                    }
                    self.state = State::Line;
                }
                State::Line if self.delete_space => self.line(&mut rest, b, out, sink),
                State::Line => {
                    // Only stuffed lines matter. Lines with quote marks are
                    // copied.
                    let next = self.stuffed.find(rest.bytes).map(|i| i + 1);
                    let piece = rest.take(next.unwrap_or(rest.bytes.len()));
                    if piece.bytes.ends_with(b"\n") {
                        self.line_start();
                    }
                    out.put(piece, sink);
                }
                State::JoinMarks(marks) => {
                    if b == b'>' && marks < self.depth {
                        self.held.push(rest.take(1));
                        self.state = State::JoinMarks(marks + 1);
                    } else if b == b'>' || marks < self.depth {
                        // > … consider the paragraph to end with the flowed
                        // > line immediately preceding the change in quote
                        // > depth. (RFC 3676 section 4.5)
                        //
                        // So the line break is kept.
                        self.release(out, sink);
                        self.line_start();
                        self.depth = marks;
                    } else {
                        if b == b' ' {
                            self.held.push(rest.take(1));
                        }
                        self.removes = self.held.bytes().len();
                        self.separator = 0;
                        self.state = State::JoinSeparator;
                    }
                }
                State::JoinSeparator => {
                    let seen = &self.held.bytes()[self.removes..];
                    let ends = b == b'\r' && seen.len() == SEPARATOR.len();
                    if SEPARATOR.get(seen.len()) == Some(&b) || ends {
                        self.held.push(rest.take(1));
                    } else if b == b'\n' && seen.starts_with(SEPARATOR) {
                        self.release(out, sink);
                        self.state = State::Line;
                        // Do not examine the line again as a flowed line.
                        self.separator = SEPARATOR.len() as u8;
                    } else {
                        self.join(out, sink);
                    }
                }
            }
        }
    }

    /// One step within a line that may end in a flowed line break.
    fn line<S: MailSink>(
        &mut self,
        rest: &mut MappedBytes<'_>,
        b: u8,
        out: &mut Out,
        sink: &mut S,
    ) {
        if !self.held.is_empty() {
            let cr = self.held.bytes().ends_with(b"\r");
            match b {
                b'\r' if !cr => self.held.push(rest.take(1)),
                b'\n'
                    if self.depth <= MAX_DEPTH
                        && usize::from(self.separator) != SEPARATOR.len() =>
                {
                    self.held.push(rest.take(1));
                    self.state = State::JoinMarks(0);
                }
                _ => self.release(out, sink),
            }
            return;
        }
        if b == b'\n' {
            out.put(rest.take(1), sink);
            self.line_start();
            return;
        }
        if usize::from(self.separator) < SEPARATOR.len() {
            self.separator = match SEPARATOR.get(usize::from(self.separator)) {
                Some(&s) if s == b => self.separator + 1,
                _ => u8::MAX,
            };
            let byte = rest.take(1);
            if b == b' ' {
                self.held.push(byte);
            } else {
                out.put(byte, sink);
            }
            return;
        }
        let end = memchr(b'\n', rest.bytes).unwrap_or(rest.bytes.len());
        if b != b'\r' {
            self.separator = u8::MAX;
        }
        let line = &rest.bytes[..end];
        let body = line.strip_suffix(b"\r").unwrap_or(line);
        let keep = body.strip_suffix(b" ").map_or(end, <[u8]>::len);
        if keep > 0 {
            out.put(rest.take(keep), sink);
        } else {
            self.held.push(rest.take(1));
        }
    }

    fn join<S: MailSink>(&mut self, out: &mut Out, sink: &mut S) {
        let held = std::mem::take(&mut self.held);
        out.put(held.seam(self.removes, SeamKind::FlowedBreak, b""), sink);
        self.state = State::Line;
        self.separator = 0;
        if self.removes < held.bytes().len() {
            for p in held.iter_from(self.removes) {
                self.put(p, out, sink);
            }
        }
        // Keep new bytes that the replay has held. Otherwise reuse the
        // allocation.
        if self.held.is_empty() {
            self.held = held;
            self.held.clear();
        }
    }

    fn release<S: MailSink>(&mut self, out: &mut Out, sink: &mut S) {
        for p in self.held.iter() {
            out.put(p, sink);
        }
        self.held.clear();
    }

    pub(super) fn finish<S: MailSink>(&mut self, out: &mut Out, sink: &mut S) {
        self.release(out, sink);
    }
}
