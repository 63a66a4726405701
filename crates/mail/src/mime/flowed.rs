//! `format=flowed` (RFC 3676): removes space-stuffing, and the line breaks of
//! `DelSp=yes`.
//!
//! Without `DelSp` a flowed line break means a space. A space ends a bare URL
//! just as the line break does, so the line break is kept. Quote marks are also
//! kept, because the scanner handles them.

use memchr::{memchr, memmem};

use urlgrep_base::span::SeamKind;

use super::out::Out;
use super::sink::MailSink;
use super::text::Text;

/// The maximum depth at which lines are joined. It bounds the memory.
const MAX_DEPTH: usize = 64;

#[derive(Debug)]
pub(super) struct Flowed {
    delete_space: bool,
    state: FlowedState,
    /// The number of quote marks on this line.
    depth: usize,
    /// Finds a line break before a stuffed line.
    stuffed: memmem::Finder<'static>,
}

impl Default for Flowed {
    fn default() -> Flowed {
        Flowed {
            delete_space: false,
            state: FlowedState::Marks,
            depth: 0,
            stuffed: memmem::Finder::new(b"\n "),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlowedState {
    /// In the quote marks at the start of a line.
    Marks,
    /// After the marks and the space that may follow them.
    Line,
    /// Further in the line, or in a line that is not flowed.
    Rest,
}

/// The line after a line that ends in a space. The number is that of the bytes
/// before its text: quote marks, and the space after them.
enum NextLine {
    /// It continues the line.
    Joins(usize),
    /// It is a signature separator, or may become one after the end of the part.
    Separator(usize),
    /// It is another paragraph.
    Other,
    /// Not known yet.
    Unknown,
}

impl Flowed {
    pub(super) fn start(&mut self, delete_space: bool) {
        self.delete_space = delete_space;
        self.state = FlowedState::Marks;
        self.depth = 0;
    }

    /// Reads `text`, up to a token that is not complete. `end` is true if the part
    /// ends with `text`.
    pub(super) fn read<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        sink: &mut S,
    ) {
        while let Some(&first) = text.bytes().first() {
            let bytes = text.bytes();
            match self.state {
                FlowedState::Marks if first == b'>' => {
                    let marks = marks(bytes, bytes.len());
                    self.depth += marks;
                    out.copy(text, marks, sink);
                }
                FlowedState::Marks if first == b' ' => {
                    // > … any unquoted lines which start with ">" … MUST be
                    // > space-stuffed. (RFC 3676 section 4.4)
                    //
                    // Without its space such a line would look quoted. After marks
                    // the space is kept. The mark and the space form one leader.
                    match bytes.get(1) {
                        None if self.depth == 0 && !end => return,
                        Some(next) if self.depth == 0 && *next != b'>' => {
                            out.pass_removals(text);
                            out.cut(text, 1, SeamKind::SpaceStuff);
                        }
                        _ => out.copy(text, 1, sink),
                    }
                    self.state = FlowedState::Line;
                }
                FlowedState::Marks => self.state = FlowedState::Line,
                FlowedState::Line | FlowedState::Rest if self.delete_space => {
                    if !self.line(text, end, out, sink) {
                        return;
                    }
                }
                FlowedState::Line | FlowedState::Rest => {
                    // Only stuffed lines matter. Lines with quote marks are copied.
                    let next = self.stuffed.find(bytes).map(|i| i + 1);
                    let n = next.unwrap_or(bytes.len());
                    if bytes[..n].ends_with(b"\n") {
                        self.state = FlowedState::Marks;
                        self.depth = 0;
                    }
                    out.copy(text, n, sink);
                }
            }
        }
        out.pass_removals(text);
    }

    /// Reads a line that may end in a flowed line break. Returns false if that is
    /// not known.
    fn line<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        sink: &mut S,
    ) -> bool {
        let bytes = text.bytes();
        let feed = memchr(b'\n', bytes);
        let line = &bytes[..feed.unwrap_or(bytes.len())];
        let body = line.strip_suffix(b"\r").unwrap_or(line);
        let is_start = self.state == FlowedState::Line;
        let ends_in_space = body.ends_with(b" ");
        let words = if ends_in_space {
            body.len() - 1
        } else {
            line.len()
        };
        let Some(feed) = feed else {
            let is_known = !is_start || is_separator(line).is_some();
            if end || is_known {
                out.copy(text, if end { line.len() } else { words }, sink);
                self.state = FlowedState::Rest;
            }
            return end || !ends_in_space && is_known;
        };
        let after = &bytes[feed + 1..];
        // > … line consisting of DASH DASH SP is neither fixed nor flowed.
        // > (RFC 3676 section 4.3)
        let next = if ends_in_space && self.depth <= MAX_DEPTH && !(is_start && body == b"-- ") {
            self.next_line(after, end)
        } else {
            NextLine::Other
        };
        match next {
            NextLine::Joins(leader) => {
                out.copy(text, words, sink);
                out.pass_removals(text);
                out.cut(text, feed + 1 + leader - words, SeamKind::FlowedBreak);
                self.state = FlowedState::Line;
            }
            NextLine::Separator(leader) => {
                out.copy(text, feed + 1 + leader, sink);
                self.state = FlowedState::Line;
            }
            NextLine::Other => {
                out.copy(text, feed + 1, sink);
                self.state = FlowedState::Marks;
                self.depth = 0;
            }
            NextLine::Unknown if words > 0 => {
                out.copy(text, words, sink);
                self.state = FlowedState::Rest;
                return false;
            }
            NextLine::Unknown => return false,
        }
        true
    }

    /// The next line, after a line that ends in a space.
    fn next_line(&self, line: &[u8], end: bool) -> NextLine {
        let marks = marks(line, self.depth + 1);
        let leader = marks + usize::from(line.get(marks) == Some(&b' '));
        if marks < self.depth && marks == line.len() && !end {
            return NextLine::Unknown;
        }
        // > … consider the paragraph to end with the flowed line immediately
        // > preceding the change in quote depth. (RFC 3676 section 4.5)
        //
        // So the line break is kept.
        if marks != self.depth {
            return NextLine::Other;
        }
        match is_separator(&line[leader..]) {
            Some(false) => NextLine::Joins(leader),
            None if !end => NextLine::Unknown,
            _ => NextLine::Separator(leader),
        }
    }
}

/// True if `line` is a signature separator. `None` if that depends on the next
/// bytes.
fn is_separator(line: &[u8]) -> Option<bool> {
    if line.starts_with(b"-- \n") || line.starts_with(b"-- \r\n") {
        return Some(true);
    }
    (!b"-- \r".starts_with(line)).then_some(false)
}

/// The number of quote marks at the start of `bytes`, at most `most`.
fn marks(bytes: &[u8], most: usize) -> usize {
    bytes.iter().take(most).take_while(|&&b| b == b'>').count()
}
