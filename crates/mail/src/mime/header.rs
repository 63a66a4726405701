//! The header block. It is collected up to a limit, and divided into lines
//! while it comes in.

use std::ops::Range;

use urlgrep_base::span::{SeamKind, Span};

use super::mapped::{MappedBytes, line_feeds};
use super::policy::HeaderPolicy;
use urlgrep_containers::fields::{self, Known, Row, Use, Writer, equal};
use urlgrep_containers::{MARK, is_lead};

/// The maximum length of a header block. A longer block is cut.
pub const MAX_HEADER: usize = 1024 * 1024;

/// A block of this many fields no longer doubles. A hostile one has a field for each three bytes, and
/// twice as much room would be megabytes that nothing uses.
const MANY_FIELDS: usize = 16 * 1024;

/// The room for the first block, so that its memory does not grow step by step: most blocks are
/// smaller.
const FIRST_BYTES: usize = 4096;
const FIRST_FIELDS: usize = 32;

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
    pub(super) writer: Writer,
}

impl Field {
    /// The field on the line `body`, which begins at `start` in the block.
    #[inline(always)] // One of two callers runs for each field.
    fn new(body: &[u8], start: usize, name: Name, line: u32) -> Field {
        let (known, writer) = name.known;
        let mut value = name.colon + 1;
        while let Some(b' ' | b'\t') = body.get(value) {
            value += 1;
        }
        Field {
            name: narrow(start..start + name.len),
            value: narrow(start + value..start + body.len()),
            line,
            known,
            writer,
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

#[inline]
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
    seam: Option<(SeamKind, Span)>,
}

/// The line that ends a header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockEnd {
    /// The empty line after the block.
    Blank,
    /// A boundary of this frame. True if it is the last boundary.
    Boundary(usize, bool),
    /// A line of the body. It is the current line, together with the undecided
    /// lines before it.
    Text,
    /// The block is empty: its first line is blank, and the following lines are no header
    /// either. They are the current line.
    Empty,
}

/// Reads the lines of a header.
///
/// It is one thing: the fields until now, the current line, and the lines of which it is not yet
/// known whether they belong to the header.
#[derive(Debug)]
pub(super) struct Block {
    /// The ranges of a field are kept if it is searched, or if it is of the use `until`
    /// or an earlier one, in the order of [`Known`].
    policy: HeaderPolicy,
    until: Known,
    bytes: Vec<u8>,
    runs: Vec<Run>,
    fields: Vec<Field>,
    last: Last,
    /// The start of the current line, which is not complete. After the block, the
    /// start of the line that ended it.
    line_start: usize,
    /// The source line of the first line.
    first_line: u64,
    /// The number of lines before the current line.
    line: u32,
    /// Lines that do not look like a header, and that may begin the body: the
    /// start of the first of them, and their number.
    doubt: Option<usize>,
    doubtful: u32,
    /// Blank lines may precede the first field, because the block belongs to a message.
    may_begin_blank: bool,
    /// The end of the first blank line, if the block so far consists of blank lines.
    blank: Option<usize>,
    /// Lines that a program left may precede the first field: so many more.
    leads: u32,
    /// The start of the first of these lines, if the block so far consists of them.
    lead: Option<usize>,
}

/// The maximum number of bytes of blank lines before the first field of a message.
const MAX_BLANK: usize = 4096;

/// The maximum number of lines that a program left before the first field of a message in another.
const MAX_LEADS: u32 = 3;

/// The maximum number of consecutive lines that do not look like a header
/// (`Block::doubtful`). The line after them must clearly be a field.
const MAX_DOUBTFUL: u32 = 4;

impl Block {
    pub(super) fn new(policy: HeaderPolicy, until: Known) -> Block {
        Block {
            policy,
            until,
            bytes: Vec::new(),
            runs: Vec::new(),
            fields: Vec::new(),
            last: Last::None,
            line_start: 0,
            first_line: 0,
            line: 0,
            doubt: None,
            doubtful: 0,
            may_begin_blank: false,
            blank: None,
            leads: 0,
            lead: None,
        }
    }

    /// Starts a block on line `line` of the source.
    pub(super) fn start(&mut self, line: u64, of_message: bool) {
        self.bytes.clear();
        self.runs.clear();
        self.fields.clear();
        self.last = Last::None;
        self.line_start = 0;
        self.first_line = line;
        self.line = 0;
        self.doubt = None;
        self.doubtful = 0;
        self.may_begin_blank = of_message;
        self.blank = None;
        self.leads = 0;
        self.lead = None;
    }

    /// Lets the block begin with a byte order mark, or with a few lines that a program left there: a
    /// banner, `<pre>`. The block is the header of a message in another, which a container did not
    /// examine.
    pub(super) fn allow_lead(&mut self) {
        self.leads = MAX_LEADS;
    }

    /// The number of bytes so far.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
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

    /// True if the last line is complete.
    pub(super) fn ends_line(&self) -> bool {
        self.bytes.ends_with(b"\n")
    }

    /// The source line after the lines of the block.
    pub(super) fn next_line(&self) -> u64 {
        self.first_line + u64::from(self.line)
    }

    /// Reads the next bytes of the source, up to the line that ends the block.
    /// Returns their number, and the kind of that line. If `is_end` is true, the
    /// block ends with these bytes at the latest, and the last line needs no line
    /// feed. `boundary` knows the boundaries.
    pub(super) fn read(
        &mut self,
        bytes: &[u8],
        source: u64,
        is_end: bool,
        boundary: impl Fn(&[u8]) -> Option<(usize, bool)>,
    ) -> (usize, Option<BlockEnd>) {
        let from = self.push(bytes, source);
        if self.line_start == 0 && self.leads > 0 && self.bytes.starts_with(MARK) {
            self.line_start = MARK.len();
        }
        // The bytes of a line before `from` were already searched.
        let mut searched = from.saturating_sub(self.line_start);
        loop {
            let start = self.line_start;
            let rest = &self.bytes[start..];
            let row = match rest.first() {
                Some(..=b' ') => None,
                _ => fields::known(rest),
            };
            // A known name has no line feed.
            let name_end = row.map_or(0, |row| row.len);
            let (len, feeds) = match line_feed(rest, name_end.max(searched)) {
                Some(feed) => (feed + 1, 1),
                None if !is_end => return (bytes.len(), None),
                None if !rest.is_empty() => (rest.len(), 0),
                None => return (bytes.len(), Some(self.recall().unwrap_or(BlockEnd::Blank))),
            };
            searched = 0;
            let end = if self.doubt.is_some() {
                self.odd_line(row, len, &boundary)
            } else if let Some(row) = row
                // `http://…` can begin a part without a header.
                && !rest[row.len + 1..].starts_with(b"//")
            {
                self.blank = None;
                self.lead = None;
                self.add(Name::from(row), body_end(rest, len));
                None
            } else if matches!(rest[0], b' ' | b'\t') && self.last != Last::None {
                if let (Last::Kept, Some(field)) = (self.last, self.fields.last_mut()) {
                    field.end_value(start + body_end(rest, len));
                }
                None
            } else {
                self.odd_line(row, len, &boundary)
            };
            let next = start + len;
            if let Some(end) = end {
                self.bytes.truncate(next);
                // Undecided lines begin the body, and so do the lines after them.
                let end = self.recall().unwrap_or(end);
                if !matches!(end, BlockEnd::Text | BlockEnd::Empty) {
                    self.line += feeds;
                }
                return (next - from, Some(end));
            }
            self.line_start = next;
            self.line += feeds;
        }
    }

    /// Reads the current line, which may end the block. It has `len` bytes.
    #[inline(never)] // Most lines are clearly fields and continuation lines.
    fn odd_line(
        &mut self,
        row: Option<&Row>,
        len: usize,
        boundary: impl Fn(&[u8]) -> Option<(usize, bool)>,
    ) -> Option<BlockEnd> {
        let start = self.line_start;
        let line = &self.bytes[start..start + len];
        let body = &line[..body_end(line, len)];
        let is_first = self.last == Last::None;
        let name = match (row, body.first()) {
            (Some(row), _) if !body[row.len + 1..].starts_with(b"//") => Some(Name::from(row)),
            (_, None | Some(b' ' | b'\t')) => None,
            _ => other_name(body),
        };
        if line.starts_with(b"--")
            && let Some((frame, last)) = boundary(line)
        {
            return Some(BlockEnd::Boundary(frame, last));
        }
        let is_in_doubt = self.doubt.is_some() || self.blank.is_some() || self.lead.is_some();
        if let Some(name) = name
            && (!is_in_doubt || name.known != fields::UNKNOWN || body[..name.len].contains(&b'-'))
        {
            let end = body.len();
            self.settle_doubt();
            self.blank = None;
            self.lead = None;
            self.add(name, end);
        } else if is_first && self.leads > 0 && is_lead(body) {
            self.leads -= 1;
            self.lead.get_or_insert(start);
        } else if self.skips_blank(body, len) {
            self.blank.get_or_insert(start + len);
        } else if body.is_empty() || is_first && body.trim_ascii().is_empty() {
            // Before any field, a line of white space is an empty line that an
            // editor indented.
            return Some(BlockEnd::Blank);
        } else if self.is_parameter(body) {
            let end = start + body.len();
            if let Some(field) = self.fields.last_mut() {
                field.end_value(end);
            }
        } else if !is_left_over(body) {
            // Any other line may be a broken field, but not if it looks like a
            // boundary.
            if is_first || body.starts_with(b"--") || self.doubtful == MAX_DOUBTFUL {
                return Some(BlockEnd::Text);
            }
            self.doubt.get_or_insert(start);
            self.doubtful += 1;
        }
        None
    }

    /// True if the current line, which is `line`, is a parameter of the field above it, and only
    /// its indent is missing. A line with `boundary="q"` may be the last one of a header.
    fn is_parameter(&self, line: &[u8]) -> bool {
        let Some(field) = self.fields.last() else {
            return false;
        };
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"-*".contains(b);
        let name = line.iter().take_while(|b| is_name(b)).count();
        self.last == Last::Kept
            && self.doubt.is_none()
            && matches!(field.known, Known::ContentType | Known::Disposition)
            && self.bytes[field.value()].trim_ascii_end().ends_with(b";")
            && name > 0
            && line.get(name) == Some(&b'=')
    }

    /// True if the current line is a blank line before the first field of a message. Its
    /// text is `body`, and it has `len` bytes. Programs leave such lines after separators,
    /// and before the header of a message in another.
    fn skips_blank(&self, body: &[u8], len: usize) -> bool {
        self.may_begin_blank
            && self.last == Last::None
            && self.lead.is_none()
            && self.line_start + len <= MAX_BLANK
            && body.trim_ascii().is_empty()
    }

    /// Adds the field `name` on the current line, which has `len` bytes without its
    /// line break.
    #[inline(always)] // It runs for each field.
    fn add(&mut self, name: Name, len: usize) {
        self.last = Last::Dropped;
        let (known, writer) = name.known;
        if known <= self.until || self.policy.searches(writer) {
            self.last = Last::Kept;
            let start = self.line_start;
            let line = &self.bytes[start..start + len];
            if self.fields.len() == self.fields.capacity() {
                make_room(&mut self.fields);
            }
            self.fields.push(Field::new(line, start, name, self.line));
        }
    }

    /// Adds bytes to the block. Returns their place.
    fn push(&mut self, bytes: &[u8], source: u64) -> usize {
        let at = self.bytes.len();
        let next = self.runs.last().map(|r| r.source + (at - r.at) as u64);
        if next != Some(source) && !bytes.is_empty() {
            self.runs.push(Run {
                at,
                source,
                seam: None,
            });
        }
        if self.bytes.capacity() == 0 {
            self.bytes.reserve(FIRST_BYTES);
        }
        self.bytes.extend_from_slice(bytes);
        at
    }

    /// Records that source bytes without a line feed were removed here.
    pub(super) fn seam(&mut self, kind: SeamKind, span: Span) {
        // Containers remove single bytes at the start of lines. So there are
        // fewer seams than bytes in the block.
        self.runs.push(Run {
            at: self.bytes.len(),
            source: span.end,
            seam: Some((kind, span)),
        });
    }

    /// Adds the undecided lines to the field before them, unless it needs no more: a whole address
    /// of the author, a date or a Message-ID.
    fn settle_doubt(&mut self) {
        if self.doubt.take().is_some()
            && self.last == Last::Kept
            && let Some(field) = self.fields.last_mut()
        {
            let value = &self.bytes[field.value()];
            let is_whole = match field.known {
                Known::From => memchr::memchr(b'@', value).is_some(),
                Known::Date | Known::MessageId => !value.is_empty(),
                _ => false,
            };
            if is_whole {
                self.doubtful = 0;
                return;
            }
            let start = field.value().start;
            let value = &self.bytes[start..self.line_start];
            field.end_value(start + value.trim_ascii_end().len());
        }
        self.doubtful = 0;
    }

    /// Makes the undecided lines and the lines after them current again, and so
    /// all lines after the first blank one of a block that has no field. Returns how such
    /// a block ends. `None` if there are no such lines.
    pub(super) fn recall(&mut self) -> Option<BlockEnd> {
        let (start, end) = match (self.doubt.take(), self.blank.take(), self.lead.take()) {
            (Some(start), ..) => (start, BlockEnd::Text),
            (None, Some(start), _) => (start, BlockEnd::Empty),
            (None, None, Some(lead)) => (lead, BlockEnd::Text),
            (None, None, None) => return None,
        };
        self.line -= line_feeds(&self.bytes[start..self.line_start]) as u32;
        self.line_start = start;
        Some(end)
    }

    /// Takes the current line from the block, to which it does not belong. Appends
    /// it to `out`, and returns its source offset. The line is contiguous in the
    /// source, even together with undecided lines. Containers remove bytes only at
    /// the start of lines, and no undecided line comes before such a removal.
    pub(super) fn take_line(&mut self, out: &mut Vec<u8>) -> u64 {
        let line = self.line_start..self.bytes.len();
        out.extend_from_slice(&self.bytes[line.clone()]);
        self.bytes.truncate(line.start);
        self.run_at(&line).1
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
                if let (Some((kind, span)), false) = (run.seam, rest.is_empty()) {
                    put(MappedBytes::seam(kind, span, b"", 0));
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

/// True for a line that is no field but may be skipped, because a program left it in the
/// header: `From ` and `>From ` begin the separator of a mailbox that a program did not
/// recognise, and news readers write `Article 409 of news.answers:`.
fn is_left_over(line: &[u8]) -> bool {
    match line.strip_prefix(b"Article ") {
        Some(rest) => rest.first().is_some_and(u8::is_ascii_digit),
        None => line.starts_with(b"From ") || line.starts_with(b">From "),
    }
}

/// The field name at the start of a line.
#[derive(Clone, Copy)]
pub(super) struct Name {
    len: usize,
    /// The index of the colon.
    pub(super) colon: usize,
    pub(super) known: Use,
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

/// The field name at the start of `line`, which is not known or has white space
/// before its colon.
///
/// > A field name MUST be composed of printable US-ASCII characters (i.e.,
/// > characters that have values between 33 and 126, inclusive), except
/// > colon. (RFC 5322 section 2.2)
///
/// Section 4.5 also allows white space before the colon.
pub(super) fn other_name(line: &[u8]) -> Option<Name> {
    let colon = first_colon(line)?;
    let name = line[..colon].trim_ascii_end();
    let is_name = |b: &u8| (33..=126).contains(b);
    let is_space = |b: &u8| matches!(b, b' ' | b'\t');
    // Most names are valid. This way the compiler can use vector instructions.
    let are_names = name.iter().fold(true, |all, b| all & is_name(b));
    let valid = are_names && line[name.len()..colon].iter().all(is_space);
    let is_url = line[colon + 1..].starts_with(b"//");
    (valid && !name.is_empty() && !is_url).then(|| Name {
        len: name.len(),
        colon,
        // A longer line was looked up with its colon.
        known: if name.len() == colon && line.len() >= 16 {
            fields::other(name)
        } else {
            fields::find(name)
        },
    })
}

/// The length of a line of `len` bytes without its line break.
#[inline(always)] // It runs for each line.
pub(super) fn body_end(line: &[u8], len: usize) -> usize {
    match line[..len] {
        [.., b'\r', b'\n'] => len - 2,
        [.., b'\n' | b'\r'] => len - 1,
        _ => len,
    }
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
#[inline(always)] // It runs for each line.
pub(super) fn line_feed(bytes: &[u8], from: usize) -> Option<usize> {
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
#[inline(always)] // It runs for each line.
fn first_feed(block: &[u8; 16]) -> usize {
    let (words, _) = block.as_chunks();
    match equal(&words[0], b'\n') {
        0 => 8 + equal(&words[1], b'\n').trailing_zeros() as usize / 8,
        feeds => feeds.trailing_zeros() as usize / 8,
    }
}

/// Makes room for more fields.
#[cold]
fn make_room(fields: &mut Vec<Field>) {
    match fields.len() {
        0 => fields.reserve(FIRST_FIELDS),
        MANY_FIELDS.. => fields.reserve_exact(fields.len() / 4),
        _ => {}
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
        let found = |line: &[u8]| other_name(line).map(|name| (name.len, name.colon));
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
}
