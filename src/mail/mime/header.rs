//! The header block: gathered whole, up to a limit, and taken apart by line
//! as it comes.

use std::ops::Range;

use memchr::memchr;

use crate::span::{SeamKind, Span};

use super::fields::{self, Auto, Known};
use super::piece::{Piece, line_feeds};

/// A header block longer than this is cut.
pub const MAX_HEADER: usize = 1024 * 1024;

/// One field, as ranges of the block.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Range<usize>,
    /// The value with its folds, without white space around it.
    pub(super) value: Range<usize>,
    /// The line of the source that the field starts on.
    pub(super) line: u64,
    /// What is known of its name.
    pub(super) known: Known,
    pub(super) auto: Auto,
}

/// Bytes of the block that stand side by side in the source.
#[derive(Debug)]
struct Run {
    /// Where in the block the run starts.
    at: usize,
    source: u64,
    /// What was removed right before it.
    seam: Option<(SeamKind, Span, i64)>,
}

/// What a line of the header block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A field, a continuation, or a line that may stand in a header block.
    Part,
    /// The empty line behind the block.
    Blank,
    /// No line of a header block.
    Other,
}

#[derive(Debug, Default)]
pub(super) struct Block {
    /// The block as far as it was read, and what comes next.
    bytes: Vec<u8>,
    /// How many of them were read.
    end: usize,
    runs: Vec<Run>,
    fields: Vec<Field>,
    /// Where the line that is being read starts.
    line_start: usize,
    /// The line of the source that it is.
    line: u64,
    /// Where lines start that look like no header, while it is not clear
    /// whether they are the body, and how many.
    doubt: Option<usize>,
    doubtful: u32,
}

/// So many lines that look like no header may stand in a header block, if the
/// line after them is a field for sure.
const MAX_DOUBTFUL: u32 = 4;

impl Block {
    /// Starts a block on line `line` of the source.
    pub(super) fn start(&mut self, line: u64) {
        self.bytes.clear();
        self.end = 0;
        self.runs.clear();
        self.fields.clear();
        self.line_start = 0;
        self.line = line;
        self.doubt = None;
        self.doubtful = 0;
    }

    /// How many bytes of the block were read.
    pub(super) fn len(&self) -> usize {
        self.end
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    pub(super) fn bytes(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// The line that is being read.
    pub(super) fn current(&self) -> &[u8] {
        &self.bytes[self.line_start..self.end]
    }

    /// Takes what comes next, as the source goes on with it. All that came
    /// before was read.
    pub(super) fn push(&mut self, bytes: &[u8], source: u64) {
        let at = self.bytes.len();
        debug_assert_eq!(at, self.end);
        let next = self.runs.last().map(|r| r.source + (at - r.at) as u64);
        if next != Some(source) {
            self.runs.push(Run {
                at,
                source,
                seam: None,
            });
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Reads on to the end of the line, or of what came. Returns how many bytes
    /// that was, and whether the line has ended; `None` if there is nothing to
    /// read.
    pub(super) fn read_line(&mut self) -> Option<(usize, bool)> {
        let rest = self.bytes.get(self.end..).filter(|r| !r.is_empty())?;
        let feed = memchr(b'\n', rest);
        let n = feed.map_or(rest.len(), |i| i + 1);
        self.end += n;
        Some((n, feed.is_some()))
    }

    /// Source bytes were removed here.
    pub(super) fn seam(&mut self, kind: SeamKind, span: Span, lines: i64) {
        // Containers remove single bytes at the start of lines, so there are
        // no more of these than bytes in the block.
        self.runs.push(Run {
            at: self.end,
            source: span.end,
            seam: Some((kind, span, lines)),
        });
        self.line = self.line.saturating_add_signed(lines);
    }

    /// Takes the line that was read, which is now complete. After
    /// [`Line::Other`] it is still the current one, together with the lines
    /// before it that were in doubt.
    pub(super) fn end_line(&mut self) -> Line {
        let start = self.line_start;
        let line = &self.bytes[start..self.end];
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        let end = start + body.len();
        let lines = u64::from(line.ends_with(b"\n"));
        let continues = body.first().is_some_and(|&b| b == b' ' || b == b'\t');
        // White space alone before any field is an empty line that some
        // editor indented.
        if body.is_empty() || self.fields.is_empty() && body.trim_ascii().is_empty() {
            if self.recall() {
                return Line::Other;
            }
            self.next_line(lines);
            return Line::Blank;
        }
        if continues && self.doubt.is_none() {
            let Some(field) = self.fields.last_mut() else {
                return Line::Other;
            };
            field.value.end = end;
        } else if let Some((name, colon)) = field_name(body)
            && let (known, auto) = fields::find(&body[..name])
            && (self.doubt.is_none()
                || (known, auto) != fields::UNKNOWN
                || body[..name].contains(&b'-'))
        {
            self.settle_doubt();
            let value = start + colon + 1;
            let space = self.bytes[value..end]
                .iter()
                .take_while(|&&b| b == b' ' || b == b'\t')
                .count();
            self.fields.push(Field {
                name: start..start + name,
                value: value + space..end,
                line: self.line,
                known,
                auto,
            });
        } else if !body.starts_with(b"From ") && !body.starts_with(b">From ") {
            // (Those are separator lines of a mailbox, left by a program that
            // did not know what they were.)
            // What looks like a boundary is never a broken field.
            if self.fields.is_empty() || body.starts_with(b"--") {
                self.recall();
                return Line::Other;
            }
            self.doubt.get_or_insert(start);
            self.doubtful += 1;
            if self.doubtful > MAX_DOUBTFUL {
                self.recall();
                return Line::Other;
            }
        }
        self.next_line(lines);
        Line::Part
    }

    fn next_line(&mut self, lines: u64) {
        self.line += lines;
        self.line_start = self.end;
    }

    /// The lines in doubt are part of the header: of the field before them.
    fn settle_doubt(&mut self) {
        if self.doubt.take().is_some()
            && let Some(field) = self.fields.last_mut()
        {
            let value = &self.bytes[field.value.start..self.line_start];
            field.value.end = field.value.start + value.trim_ascii_end().len();
        }
        self.doubtful = 0;
    }

    /// Makes the lines that are in doubt the current ones again, with what
    /// follows them; false if there are none.
    pub(super) fn recall(&mut self) -> bool {
        let Some(start) = self.doubt.take() else {
            return false;
        };
        self.line_start = start;
        true
    }

    /// Forgets the line that was read, which belongs to something else, and what
    /// comes next.
    pub(super) fn drop_line(&mut self) {
        self.end = self.line_start;
        self.bytes.truncate(self.end);
    }

    /// Where the line that is being read stands in the source, and its line
    /// feeds. It stands there in one piece: containers remove bytes only at the
    /// start of lines, and no line is in doubt then.
    pub(super) fn current_source(&self) -> (u64, u64) {
        let line = self.line_start..self.end;
        (self.run_at(&line).1, line_feeds(self.current()) as u64)
    }

    /// Where a range of the block stands in the source, as far as its first
    /// run goes: the end of that run in the block, and the source offset.
    pub(super) fn run_at(&self, range: &Range<usize>) -> (usize, u64) {
        let i = self.runs.partition_point(|r| r.at <= range.start);
        let end = self.runs.get(i).map_or(range.end, |r| r.at.min(range.end));
        match i.checked_sub(1).map(|i| &self.runs[i]) {
            Some(run) => (end, run.source + (range.start - run.at) as u64),
            None => (end, 0),
        }
    }

    /// The bytes in `range` as pieces.
    pub(super) fn pieces(&self, range: Range<usize>, mut put: impl FnMut(Piece<'_>)) {
        let mut rest = range.clone();
        while !rest.is_empty() {
            let (end, source) = self.run_at(&rest);
            put(Piece::copy(&self.bytes[rest.start..end], source));
            rest.start = end;
            let i = self.runs.partition_point(|r| r.at < end);
            for run in self.runs[i..].iter().take_while(|r| r.at == end) {
                if let (Some((kind, span, lines)), false) = (run.seam, rest.is_empty()) {
                    put(Piece::seam(kind, span, b"", lines));
                }
            }
        }
    }

    /// All of `range` as one seam that stands for `text`.
    pub(super) fn source(&self, range: &Range<usize>) -> Span {
        let start = self.run_at(range).1;
        let last = range.end.max(range.start + 1) - 1;
        Span::new(start, self.run_at(&(last..range.end)).1 + 1)
    }
}

/// The length of the field name at the start of `line`, and where its colon
/// is.
///
/// > A field name MUST be composed of printable US-ASCII characters (i.e.,
/// > characters that have values between 33 and 126, inclusive), except
/// > colon. (RFC 5322 section 2.2) … obsolete: *WSP before the colon (4.5)
fn field_name(line: &[u8]) -> Option<(usize, usize)> {
    // A table: this loop runs over a third of all bytes of small messages.
    static NAME: [bool; 256] = {
        let mut table = [false; 256];
        let mut b = 33;
        while b <= 126 {
            table[b] = b != b':' as usize;
            b += 1;
        }
        table
    };
    let name = line.iter().position(|&b| !NAME[usize::from(b)])?;
    let space = line[name..]
        .iter()
        .take_while(|&&b| b == b' ' || b == b'\t')
        .count();
    let colon = name + space;
    if name == 0 || line.get(colon) != Some(&b':') {
        return None;
    }
    // `http://…` at the start of a part that has no header of its own.
    let url = line[colon + 1..].starts_with(b"//");
    (!url).then_some((name, colon))
}
