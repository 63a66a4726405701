//! The header block. It is collected up to a limit, and divided into lines
//! while it comes in.

use std::ops::Range;

use crate::span::{SeamKind, Span};

use super::fields::{self, Auto, Known, Row, Use, equal};
use super::mapped::{MappedBytes, line_feeds};

/// The maximum length of a header block. A longer block is cut.
pub const MAX_HEADER: usize = 1024 * 1024;

/// The last field before the current line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    None,
    /// A field whose ranges were not kept.
    Dropped,
    /// The last of `Block::fields`.
    Kept,
}

/// A field, as ranges of the block. A block can have 350,000 fields, so the
/// offsets and the line have 32 bits, which is enough for [`MAX_HEADER`].
#[derive(Clone, Debug)]
pub(super) struct Field {
    name: Range<u32>,
    value: Range<u32>,
    /// The line on which the field starts. The first line of the block is 0.
    line: u32,
    /// The use of the field.
    pub(super) known: Known,
    pub(super) auto: Auto,
}

impl Field {
    /// The field on the line `body`, which begins at `start` in the block.
    #[inline(always)] // One of two callers runs for each line.
    fn new(body: &[u8], start: usize, name: Name, line: u32) -> Field {
        let (known, auto) = name.known;
        let mut value = name.colon + 1;
        while let Some(b' ' | b'\t') = body.get(value) {
            value += 1;
        }
        Field {
            name: narrow(start..start + name.len),
            value: narrow(start + value..start + body.len()),
            line,
            known,
            auto,
        }
    }

    pub(super) fn name(&self) -> Range<usize> {
        wide(&self.name)
    }

    /// The value with its folds. White space around it is not included.
    pub(super) fn value(&self) -> Range<usize> {
        wide(&self.value)
    }

    fn end_value(&mut self, end: usize) {
        self.value.end = end as u32;
    }
}

fn narrow(range: Range<usize>) -> Range<u32> {
    range.start as u32..range.end as u32
}

fn wide(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Bytes of the block that are contiguous in the source.
#[derive(Debug)]
struct Run {
    /// The start of the run in the block.
    at: usize,
    source: u64,
    /// The seam directly before the run.
    seam: Option<(SeamKind, Span, i64)>,
}

/// The kind of a line of the header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A field, a continuation line, or another line that a header block may
    /// have.
    Part,
    /// The empty line after the block.
    Blank,
    /// Not a line of a header block.
    Other,
}

/// The result of reading a part of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    /// The number of bytes.
    pub(super) len: usize,
    /// The number of line feeds.
    pub(super) lines: u64,
    /// True if [`Block::current`] is a complete line that was not taken yet.
    pub(super) ended: bool,
}

#[derive(Debug)]
pub(super) struct Block {
    /// The ranges of a field are kept if it is searched, or if it is of this use
    /// or an earlier one, in the order of [`Known`].
    until: Known,
    /// The bytes of the block that were read, then bytes that were not read
    /// yet.
    bytes: Vec<u8>,
    /// The number of bytes that were read.
    end: usize,
    runs: Vec<Run>,
    fields: Vec<Field>,
    last: Last,
    /// The start of the current line.
    line_start: usize,
    /// The source line of the first line.
    first_line: u64,
    /// The number of source lines before the current line.
    line: u32,
    /// Lines that do not look like a header, and that may begin the body: the
    /// start of the first of them, and their number.
    doubt: Option<usize>,
    doubtful: u32,
}

/// The maximum number of consecutive lines that do not look like a header
/// (`Block::doubtful`). The line after them must clearly be a field.
const MAX_DOUBTFUL: u32 = 4;

impl Block {
    pub(super) fn new(until: Known) -> Block {
        Block {
            until,
            bytes: Vec::new(),
            end: 0,
            runs: Vec::new(),
            fields: Vec::new(),
            last: Last::None,
            line_start: 0,
            first_line: 0,
            line: 0,
            doubt: None,
            doubtful: 0,
        }
    }

    /// Starts a block on line `line` of the source.
    pub(super) fn start(&mut self, line: u64) {
        self.bytes.clear();
        self.end = 0;
        self.runs.clear();
        self.fields.clear();
        self.last = Last::None;
        self.line_start = 0;
        self.first_line = line;
        self.line = 0;
        self.doubt = None;
        self.doubtful = 0;
    }

    /// The number of bytes of the block that were read.
    pub(super) fn len(&self) -> usize {
        self.end
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The line of the source on which `field` starts.
    pub(super) fn line_of(&self, field: &Field) -> u64 {
        self.first_line.saturating_add(field.line.into())
    }

    pub(super) fn bytes(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// The current line so far.
    pub(super) fn current(&self) -> &[u8] {
        &self.bytes[self.line_start..self.end]
    }

    /// Adds the next bytes of the source. All earlier bytes must have been
    /// read.
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

    /// Reads up to the end of a line that needs the slow path, or to the end of
    /// the input. The fast path takes earlier lines if they are clearly fields
    /// and continuation lines. `None` if there is nothing to read.
    pub(super) fn read(&mut self) -> Option<Read> {
        let Block {
            until,
            bytes,
            end,
            fields,
            last,
            line_start,
            line,
            doubt,
            ..
        } = self;
        let from = *end;
        if from == bytes.len() {
            return None;
        }
        *end = bytes.len();
        let (mut start, mut lines, mut ended) = (*line_start, 0u32, false);
        // The bytes of a line before `from` were already searched.
        let mut searched = from - start;
        loop {
            let rest = &bytes[start..];
            let row = match rest.first() {
                Some(..=b' ') => None,
                _ => fields::known(rest),
            };
            // A known name has no line feed.
            let name_end = row.map_or(0, |row| row.len);
            let Some(feed) = line_feed(rest, name_end.max(searched)) else {
                break;
            };
            let body = || &rest[..feed - usize::from(rest[..feed].ends_with(b"\r"))];
            let name = match (row, rest.first()) {
                _ if doubt.is_some() => None,
                // `http://…` can begin a part without a header.
                (Some(row), _) if rest.get(row.len + 1) != Some(&b'/') => Some(Name::from(row)),
                (_, Some(b' ' | b'\t')) if *last != Last::None => {
                    if let (Last::Kept, Some(field)) = (*last, fields.last_mut()) {
                        field.end_value(start + body().len());
                    }
                    (start, searched) = (start + feed + 1, 0);
                    lines += 1;
                    continue;
                }
                // A line that begins with a hyphen may be a boundary.
                (None, Some(b)) if !b" \t-\r\n".contains(b) => other_name(body()),
                _ => None,
            };
            let Some(name) = name else {
                *end = start + feed + 1;
                ended = true;
                break;
            };
            *last = Last::Dropped;
            if name.is_kept(*until) {
                *last = Last::Kept;
                fields.push(Field::new(body(), start, name, *line + lines));
            }
            (start, searched) = (start + feed + 1, 0);
            lines += 1;
        }
        *line_start = start;
        *line += lines;
        Some(Read {
            len: *end - from,
            lines: u64::from(lines) + u64::from(ended),
            ended,
        })
    }

    /// Records that source bytes were removed here.
    pub(super) fn seam(&mut self, kind: SeamKind, span: Span, lines: i64) {
        // Containers remove single bytes at the start of lines. So there are
        // fewer seams than bytes in the block.
        self.runs.push(Run {
            at: self.end,
            source: span.end,
            seam: Some((kind, span, lines)),
        });
        let lines = lines.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        self.line = self.line.saturating_add_signed(lines);
    }

    /// Takes the current line, which is complete. After [`Line::Other`] it
    /// remains the current line, together with the undecided lines before it.
    pub(super) fn end_line(&mut self) -> Line {
        let start = self.line_start;
        let line = &self.bytes[start..self.end];
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        let end = start + body.len();
        let lines = u32::from(line.ends_with(b"\n"));
        let continues = body.first().is_some_and(|&b| b == b' ' || b == b'\t');
        // Before any field, a line of white space is an empty line that an
        // editor indented.
        if body.is_empty() || self.last == Last::None && body.trim_ascii().is_empty() {
            if self.recall() {
                return Line::Other;
            }
            self.next_line(lines);
            return Line::Blank;
        }
        if continues && self.doubt.is_none() {
            match (self.last, self.fields.last_mut()) {
                (Last::None, _) => return Line::Other,
                (Last::Kept, Some(field)) => field.end_value(end),
                _ => {}
            }
        } else if let Some(name) = field_name(body)
            && (self.doubt.is_none()
                || name.known != fields::UNKNOWN
                || body[..name.len].contains(&b'-'))
        {
            let field = Field::new(body, start, name, self.line);
            self.settle_doubt();
            self.last = Last::Dropped;
            if name.is_kept(self.until) {
                self.last = Last::Kept;
                self.fields.push(field);
            }
        } else if !body.starts_with(b"From ") && !body.starts_with(b">From ") {
            // `From ` and `>From ` begin separator lines of a mailbox that a
            // program did not recognise. They are skipped. Any other line may
            // be a broken field, but not if it looks like a boundary.
            if self.last == Last::None || body.starts_with(b"--") {
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

    fn next_line(&mut self, lines: u32) {
        self.line += lines;
        self.line_start = self.end;
    }

    /// Adds the undecided lines to the field before them.
    fn settle_doubt(&mut self) {
        if self.doubt.take().is_some()
            && self.last == Last::Kept
            && let Some(field) = self.fields.last_mut()
        {
            let start = field.value().start;
            let value = &self.bytes[start..self.line_start];
            field.end_value(start + value.trim_ascii_end().len());
        }
        self.doubtful = 0;
    }

    /// Makes the undecided lines and the lines after them current again.
    /// Returns false if there are none.
    pub(super) fn recall(&mut self) -> bool {
        let Some(start) = self.doubt.take() else {
            return false;
        };
        self.line_start = start;
        true
    }

    /// Drops the current line, which does not belong to the block, and the
    /// bytes after it.
    pub(super) fn drop_line(&mut self) {
        self.end = self.line_start;
        self.bytes.truncate(self.end);
    }

    /// The source offset of the current line, and its number of line feeds. The
    /// line is contiguous in the source, even together with undecided lines.
    /// Containers remove bytes only at the start of lines, and no undecided line
    /// comes before such a removal.
    pub(super) fn current_source(&self) -> (u64, u64) {
        let line = self.line_start..self.end;
        (self.run_at(&line).1, line_feeds(self.current()) as u64)
    }

    /// The run at the start of `range`: the end of that run in the block, and
    /// the source offset of the start of `range`.
    pub(super) fn run_at(&self, range: &Range<usize>) -> (usize, u64) {
        let i = self.runs.partition_point(|r| r.at <= range.start);
        let end = self.runs.get(i).map_or(range.end, |r| r.at.min(range.end));
        match i.checked_sub(1).map(|i| &self.runs[i]) {
            Some(run) => (end, run.source + (range.start - run.at) as u64),
            None => (end, 0),
        }
    }

    /// Passes the bytes in `range` to `put`, with their source spans.
    pub(super) fn pieces(&self, range: Range<usize>, mut put: impl FnMut(MappedBytes<'_>)) {
        let mut rest = range.clone();
        while !rest.is_empty() {
            let (end, source) = self.run_at(&rest);
            put(MappedBytes::copy(&self.bytes[rest.start..end], source));
            rest.start = end;
            let i = self.runs.partition_point(|r| r.at < end);
            for run in self.runs[i..].iter().take_while(|r| r.at == end) {
                if let (Some((kind, span, lines)), false) = (run.seam, rest.is_empty()) {
                    put(MappedBytes::seam(kind, span, b"", lines));
                }
            }
        }
    }

    /// The source span of `range`, including bytes that were removed inside it.
    pub(super) fn source(&self, range: &Range<usize>) -> Span {
        let start = self.run_at(range).1;
        let last = range.end.max(range.start + 1) - 1;
        Span::new(start, self.run_at(&(last..range.end)).1 + 1)
    }
}

/// The field name at the start of a line.
#[derive(Clone, Copy)]
struct Name {
    len: usize,
    /// The index of the colon.
    colon: usize,
    known: Use,
}

impl Name {
    #[inline(always)] // It runs for each line.
    fn is_kept(&self, until: Known) -> bool {
        let (known, auto) = self.known;
        known <= until || auto == Auto::Searched
    }
}

impl From<&Row> for Name {
    #[inline(always)] // It runs for each line.
    fn from(row: &Row) -> Name {
        Name {
            len: row.len,
            colon: row.len,
            known: row.known,
        }
    }
}

/// The field name at the start of `line`.
///
/// > A field name MUST be composed of printable US-ASCII characters (i.e.,
/// > characters that have values between 33 and 126, inclusive), except
/// > colon. (RFC 5322 section 2.2)
///
/// Section 4.5 also allows white space before the colon.
fn field_name(line: &[u8]) -> Option<Name> {
    match fields::known(line) {
        // Fast path. The bytes of a known name need no check.
        Some(row) if !line[row.len + 1..].starts_with(b"//") => Some(Name::from(row)),
        _ => other_name(line),
    }
}

/// A name with white space before its colon, an unknown name, or the name of a
/// very short line.
fn other_name(line: &[u8]) -> Option<Name> {
    let colon = first_colon(line)?;
    let name = line[..colon].trim_ascii_end();
    let is_name = |b: &u8| (33..=126).contains(b);
    let is_space = |b: &u8| matches!(b, b' ' | b'\t');
    let valid = name.iter().all(is_name) && line[name.len()..colon].iter().all(is_space);
    let is_url = line[colon + 1..].starts_with(b"//");
    (valid && !name.is_empty() && !is_url).then(|| Name {
        len: name.len(),
        colon,
        // A longer line was looked up with its colon.
        known: match name.len() == colon && line.len() >= 16 {
            true => fields::other(name),
            false => fields::find(name),
        },
    })
}

/// The index of the first colon of `line`.
fn first_colon(line: &[u8]) -> Option<usize> {
    // Names are short.
    let (words, rest) = line.as_chunks();
    for (i, word) in words.iter().enumerate() {
        let colons = equal(word, b':');
        if colons != 0 {
            return Some(i * 8 + colons.trailing_zeros() as usize / 8);
        }
    }
    let rest_at = line.len() - rest.len();
    rest.iter().position(|&b| b == b':').map(|i| rest_at + i)
}

/// The index of the first line feed at or after `from`. Blocks of 16 bytes are
/// faster than `memchr`, because header lines are short.
#[inline(always)] // For the same reason as `field_name`.
fn line_feed(bytes: &[u8], from: usize) -> Option<usize> {
    let (blocks, rest) = bytes[from..].as_chunks::<16>();
    for (i, block) in blocks.iter().enumerate() {
        if block.iter().fold(false, |any, &b| any | (b == b'\n')) {
            return Some(from + i * 16 + first_feed(block));
        }
    }
    let rest_at = bytes.len() - rest.len();
    rest.iter().position(|&b| b == b'\n').map(|i| rest_at + i)
}

/// The index of the first line feed of `block`, which has one.
fn first_feed(block: &[u8; 16]) -> usize {
    let (words, _) = block.as_chunks();
    match equal(&words[0], b'\n') {
        0 => 8 + equal(&words[1], b'\n').trailing_zeros() as usize / 8,
        feeds => feeds.trailing_zeros() as usize / 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_names_end_as_in_the_plain_version() {
        let plain = |line: &[u8]| {
            let is_name = |b: &&u8| (33..=126).contains(*b) && **b != b':';
            let len = line.iter().take_while(is_name).count();
            let is_space = |b: &&u8| matches!(b, b' ' | b'\t');
            let colon = len + line[len..].iter().take_while(is_space).count();
            (len > 0 && line.get(colon) == Some(&b':')).then_some((len, colon))
        };
        let found = |line: &[u8]| field_name(line).map(|name| (name.len, name.colon));
        for end in [&b""[..], b":", b" :", b"\t: x"] {
            let line = [&[b'x'; 19], end].concat();
            for (a, b) in (0..=255).flat_map(|a| (0..=255).map(move |b| (a, b))) {
                for at in [0, 3, 6, 7, 8, 15, 16] {
                    let mut line = line.clone();
                    line[at..at + 2].copy_from_slice(&[a, b]);
                    assert_eq!(found(&line), plain(&line), "{line:?}");
                }
            }
        }
        for len in 0..24 {
            let line = [&vec![b'x'; len][..], b":"].concat();
            assert_eq!(found(&line), plain(&line));
            assert_eq!(line_feed(&line, 0), None);
            let line = [&line[..], b"\n\n:\n"].concat();
            assert_eq!(found(&line), plain(&line));
            for from in 0..line.len() {
                let feed = line[from..].iter().position(|&b| b == b'\n');
                assert_eq!(line_feed(&line, from), feed.map(|i| from + i));
            }
        }
    }

    /// The fast path takes only lines that the slow path would take.
    #[test]
    fn whole_lines_are_read_as_in_the_plain_version() {
        #[rustfmt::skip]
        let lines: &[&[u8]] = &[
            b"Subject: a\n", b"X-Y : b \r\n", b" c\n", b"\td\r\n", b"To:\n", b"Date:\t e\n", b"Cc: f\r\n",
            b"--g: h\n", b"-: i\n", b"odd\n", b"From j\n", b">From k\n", b"http://l\n", b": m\n", b" \n", b"\xE9: n\n",
        ];
        let mut seed = 1u64;
        for round in 0..4000 {
            let until = [Known::Other, Known::STRUCTURE][round % 2];
            let mut next = |n: usize| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
                (seed >> 33) as usize % n
            };
            // Malformed lines are rare here, so that blocks continue after
            // them.
            let text: Vec<u8> = (0..12)
                .flat_map(|_| match next(4) {
                    0 => lines[next(lines.len())],
                    _ => lines[next(7)],
                })
                .chain(b"\n")
                .copied()
                .collect();
            let start = || {
                let mut block = Block::new(until);
                block.start(7);
                block.push(&text, 0);
                block
            };
            let mut fast = start();
            let fast_end = loop {
                let read = fast.read().expect("a blank line ends it");
                match fast.end_line() {
                    Line::Part => assert!(read.ended),
                    end => break end,
                }
            };
            let mut plain = start();
            let plain_end = loop {
                let rest = &text[plain.end..];
                plain.end += rest.iter().position(|&b| b == b'\n').map_or(0, |i| i + 1);
                match plain.end_line() {
                    Line::Part => {}
                    end => break end,
                }
            };
            let text = text.escape_ascii();
            assert_eq!(fast_end, plain_end, "{text}");
            assert_eq!(format!("{fast:?}"), format!("{plain:?}"), "{text}");
        }
    }
}
