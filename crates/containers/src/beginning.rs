//! Recognises a message by the header at the start of a stream.

use memchr::{memchr, memchr_iter, memmem};

use super::fields::begins_with_known_field;
use super::lead::{Lead, LeadKind, first_header, lead};
use super::lines::{Answer, LINE, header_follows};

/// The number of bytes at the start of a stream that are examined, unless a
/// longer header begins there. A stream that is not recognised is plain text.
pub const SNIFF: usize = 8192;

/// The maximum number of bytes that are examined.
pub const SNIFF_MAX: usize = 256 << 10;

/// The fields that mark a message, with their points. [`POINTS`] make a message.
///
/// * Two different fields of the first eight are enough.
/// * So are two that a server writes when it receives or signs a message. Microsoft
///   365 writes 8 to 12 KiB of them before the first `From`.
/// * The last ones only add to others, because HTTP has Date, MIME-Version and
///   Content-Type, and `To` begins a line of many a text.
/// * Xref has no points. It only shows, with others, that a news server filed the message.
const FIELDS: [(&str, u32); 22] = [
    ("from", 3),
    ("date", 3),
    ("subject", 3),
    ("message-id", 3),
    ("return-path", 3),
    ("received", 3),
    ("path", 3),
    ("newsgroups", 3),
    ("xref", 0),
    ("arc-authentication-results", 3),
    ("arc-message-signature", 3),
    ("arc-seal", 3),
    ("authentication-results", 3),
    ("delivered-to", 3),
    ("dkim-signature", 3),
    ("domainkey-signature", 3),
    ("received-spf", 3),
    ("cc", 1),
    ("content-transfer-encoding", 1),
    ("content-type", 1),
    ("mime-version", 1),
    ("to", 1),
];
const POINTS: u32 = 6;

/// The fields that a news server writes.
const FILED: u32 = bits(["path", "newsgroups", "xref"]);
/// The fields of which one must be there if only three known fields show that a header
/// follows.
const IDENTITY: u32 = bits(["from", "date", "subject", "message-id", "mime-version"]);
/// The fields whose names people write too, in a quotation or a form.
const TYPED: u32 = bits(["from", "date", "subject", "received", "path", "cc", "to"]);

/// One bit for each of these fields, by its index in [`FIELDS`].
const fn bits<const N: usize>(names: [&str; N]) -> u32 {
    let mut bits = 0;
    let mut i = 0;
    while i < N {
        bits |= 1 << index(names[i]);
        i += 1;
    }
    bits
}

/// The index of a name in [`FIELDS`]. Another name is a compile error.
const fn index(name: &str) -> usize {
    let mut i = 0;
    while !is_equal(FIELDS[i].0.as_bytes(), name.as_bytes()) {
        i += 1;
    }
    i
}

/// `a == b`, which a constant function cannot say.
const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// If a name that brings no more points begins more than this many lines in a row,
/// it is a word of a log. Such lines are not a header block.
const REPEATS: u32 = 8;

/// The header block at the start of a stream.
#[derive(Clone, Copy, Default)]
struct Block<'h> {
    /// One bit for each of [`FIELDS`] that the block has.
    fields: u32,
    points: u32,
    /// The length of the block, or of its first bytes.
    len: usize,
    /// More lines of the block may follow.
    is_open: bool,
    /// What precedes the block.
    lead: LeadKind,
    /// One line of the block is no field.
    has_odd_line: bool,
    /// The name of the last line, and the number of lines before it with the same name,
    /// if it brings no points.
    name: &'h [u8],
    repeats: u32,
}

impl<'h> Block<'h> {
    /// True if the fields show that this is the header of a message. A block with a lead, or
    /// with a line that is no field, needs three known fields. After a banner, one of them
    /// must be a field that only programs write, because people copy the others.
    fn is_enough(&self) -> bool {
        let is_plain = self.lead == LeadKind::Blank && !self.has_odd_line;
        let has_three = self.fields.count_ones() >= 3 && self.fields & IDENTITY != 0;
        let is_by_program = self.lead != LeadKind::Banner || self.fields & !TYPED != 0;
        self.points >= POINTS && (is_plain || has_three && is_by_program)
    }

    /// True if the block goes on after `line`, which is no field: one line in a block may
    /// have been damaged.
    fn passes_over(&mut self, line: &[u8]) -> bool {
        let is_odd =
            !line.trim_ascii().is_empty() && line.len() <= LINE && memchr(b':', line).is_none();
        let passes = is_odd && self.fields != 0 && !self.has_odd_line && !self.is_enough();
        self.has_odd_line |= passes;
        passes
    }

    /// Reads the lines of `head` that were not read. `whole` means that no following
    /// byte can change the answer. If not, also returns the block before a line that is
    /// not complete.
    fn read(mut self, head: &'h [u8], whole: bool) -> (Block<'h>, Block<'h>) {
        self.is_open = !whole;
        let mut before = self;
        while self.len < head.len() {
            let from = self.len;
            before = self;
            let feed = memchr(b'\n', &head[from..]);
            self.len = feed.map_or(head.len(), |feed| from + feed + 1);
            let line = &head[from..self.len];
            // Ignore a `From ` line that a mail program left before the header.
            if from == 0 && line.starts_with(b"From ")
                || from > 0 && matches!(line.first(), Some(b' ' | b'\t'))
            {
                continue;
            }
            let is_complete = whole || feed.is_some();
            let Some(is_field) = header_follows(line, &mut 0, is_complete) else {
                break;
            };
            if !is_field {
                if !is_complete && self.fields != 0 && line.len() <= LINE {
                    // The rest of the line shows whether the block ends here.
                    break;
                }
                if self.passes_over(line) {
                    continue;
                }
            }
            let name = line[..memchr(b':', line).unwrap_or(line.len())].trim_ascii_end();
            let is_name = |f: &[u8]| f.len() == name.len() && name.eq_ignore_ascii_case(f);
            let field = FIELDS
                .iter()
                .position(|(field, _)| is_name(field.as_bytes()));
            // A log may have lines `Received: 5 bytes`. RFC 5321 §4.4 wants a date
            // after a semicolon, and many servers fold the line.
            let is_trace = || {
                let is_folded = matches!(head.get(self.len), Some(b' ' | b'\t'));
                name.eq_ignore_ascii_case(b"received") && (is_folded || line.contains(&b';'))
            };
            let counts = field.filter(|i| self.fields & 1 << i == 0 || is_trace());
            self.repeats = match counts {
                None if name == self.name => self.repeats + 1,
                _ => 0,
            };
            self.name = name;
            // The time of a line of a log, `10:00 see`, is no name. So a live stream need not wait for
            // more lines.
            let is_time = self.fields == 0 && name.first().is_some_and(u8::is_ascii_digit);
            if !is_field || is_time || self.repeats == REPEATS {
                self.len = from;
                self.is_open = false;
                break;
            }
            if let Some(i) = counts {
                self.points += FIELDS[i].1;
                self.fields |= 1 << i;
            }
            // A stream in memory needs neither the other fields nor the length.
            if whole && head.len() < SNIFF && self.is_enough() {
                break;
            }
        }
        (self, before)
    }
}

/// The start of a stream that may be one message, as far as it is examined. This
/// is at least twice the header, so that the first lines of the body are seen too.
pub(crate) struct Beginning<'h> {
    pub head: &'h [u8],
    /// No byte after `head` can change an answer.
    pub whole: bool,
    /// Nothing follows `head`.
    eof: bool,
    /// The lines before `head`.
    lead: Lead,
    block: Block<'h>,
}

impl<'h> Beginning<'h> {
    /// `full` means that no byte after `head` is examined, `eof` that there is
    /// none.
    ///
    /// Text may consist of lines such as `name: words` as well. So more than
    /// [`SNIFF`] bytes are read only if a field in them marks a message.
    pub fn of(head: &'h [u8], full: bool, eof: bool) -> Beginning<'h> {
        let mut start = Beginning::after(Lead::default(), head, full, eof);
        if start.block.is_enough() || start.block.is_open {
            return start;
        }
        match lead(head, full) {
            Answer::Yes(lead) if lead.len > 0 => {
                start = Beginning::after(lead, &head[lead.len..], full, eof);
            }
            Answer::Yes(_) | Answer::No => {}
            Answer::More => start.block.is_open = true,
        }
        start
    }

    /// The start of a header after `lead`.
    #[inline]
    fn after(lead: Lead, head: &'h [u8], full: bool, eof: bool) -> Beginning<'h> {
        let near = &head[..head.len().min(SNIFF)];
        let block = Block {
            lead: lead.kind,
            ..Block::default()
        };
        let (mut block, before) = block.read(near, full && near.len() == head.len());
        let mut window = SNIFF;
        if block.points > 0 || near.starts_with(b"X-") {
            if block.is_open && head.len() > SNIFF {
                (block, _) = before.read(head, full);
            }
            while window < SNIFF_MAX && (block.is_open || block.len > window / 2) {
                window *= 2;
            }
        } else {
            block.is_open &= head.len() < SNIFF;
        }
        Beginning {
            head: &head[..head.len().min(window)],
            whole: full || head.len() >= window,
            eof: eof && head.len() < window,
            lead,
            block,
        }
    }

    /// Whether the header has enough fields that mark a message.
    pub fn is_message(&self) -> Answer<()> {
        if self.block.is_enough() {
            Answer::Yes(())
        } else {
            Answer::unless(!self.block.is_open)
        }
    }

    /// Whether this is a message that begins with its header, or with blank lines. Such
    /// lines need not be removed, because the reader of the message skips them.
    pub fn is_bare_message(&self) -> Answer<()> {
        match self.lead.kind {
            LeadKind::Blank => self.is_message(),
            _ => Answer::No,
        }
    }

    /// The length of the lead, if it must be removed because the reader of the message does not
    /// skip it.
    pub fn lead_to_remove(&self) -> usize {
        match self.lead.kind {
            LeadKind::Blank => 0,
            LeadKind::Server | LeadKind::Banner => self.lead.len,
        }
    }

    /// Whether a message is in wire format.
    ///
    /// A complete file must end with the final dot. Of a longer file only the
    /// start is known. It is in wire format under three conditions:
    ///
    /// * It has CRLF.
    /// * A server filed it, so it has Path, Newsgroups and Xref.
    /// * No line begins with a single dot. Bytes follow `head`, so a line of one
    ///   dot in `head` would not be the final dot.
    pub fn is_wire(&self) -> Answer<()> {
        if self.lead.len > 0 {
            return Answer::No;
        }
        let head = self.head;
        let known = |yes: bool| if yes { Answer::Yes(()) } else { Answer::No };
        // Nearly every file ends without a dot. Then its lines need no check.
        if self.eof && !head.ends_with(b"\r\n.\r\n") {
            return Answer::No;
        }
        let crlf = memchr_iter(b'\n', head).all(|i| i > 0 && head[i - 1] == b'\r');
        if !crlf || !self.whole {
            return Answer::unless(!crlf);
        }
        let stuffed = || {
            memmem::find_iter(head, b"\n.").all(|i| matches!(head.get(i + 2), Some(b'.') | None))
        };
        known(self.eof || self.block.fields & FILED == FILED && stuffed())
    }
}

/// The length of what precedes the header of a stream that is one message. If the header
/// does not show that it is one, a person has said so, and the lines before the first field
/// are passed over. `None` if more bytes are needed.
pub(crate) fn before_header(head: &[u8], eof: bool) -> Option<usize> {
    // Nearly all messages begin with a known field.
    if begins_with_known_field(head) {
        return Some(0);
    }
    let is_letter = head.first().is_some_and(u8::is_ascii_alphabetic);
    if is_letter && header_follows(head, &mut 0, eof) == Some(true) {
        return Some(0);
    }
    let full = eof || head.len() >= SNIFF_MAX;
    let start = Beginning::of(head, full, eof);
    match start.is_message() {
        Answer::Yes(()) => Some(start.lead.len),
        Answer::No => first_header(head, full),
        Answer::More => None,
    }
}

/// As [`before_header`], for the first message of an mbox. 0 if it is no message.
pub(crate) fn before_first_header(head: &[u8], eof: bool) -> Option<usize> {
    let full = eof || head.len() >= SNIFF;
    let start = Beginning::of(head, full, eof);
    match start.is_message() {
        Answer::Yes(()) => Some(start.lead.len),
        Answer::No => Some(0),
        Answer::More => None,
    }
}

/// The bytes of a message whose lines end with CR alone, with LF in place of CR. The pairs
/// CRLF stay. So all bytes keep their offsets.
pub(crate) fn with_line_feeds(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for at in memchr_iter(b'\r', bytes) {
        if bytes.get(at + 1) != Some(&b'\n') {
            out[at] = b'\n';
        }
    }
    out
}

/// Whether the lines of a stream end with CR alone, as classic Mac OS wrote them: the first
/// [`SNIFF`] bytes have CR and no LF. `None` if more bytes are needed.
pub(crate) fn has_cr_lines(head: &[u8], eof: bool) -> Option<bool> {
    // Fast path: most first lines are short. Without a branch, the compiler uses vector
    // instructions.
    let first = head.first_chunk::<64>();
    if first.is_some_and(|first| first.iter().fold(false, |has, &b| has | (b == b'\n'))) {
        return Some(false);
    }
    let near = &head[..head.len().min(SNIFF)];
    if memchr(b'\n', near).is_some() {
        return Some(false);
    }
    let is_whole = eof || near.len() == SNIFF;
    is_whole.then(|| memchr(b'\r', near).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block that is read on when more bytes are known equals one that is read at once.
    #[test]
    fn a_block_can_be_read_in_two_steps() {
        let lines =
            "Received: a;\n\tb\nReceived: 5 bytes\nReceived: c\n d\nX: y\nX: z\nDate :e\nTo: f\n";
        for end in ["\nFrom: g\n", "no field\n", ""] {
            let head = format!("From x\n{lines}{lines}{end}");
            let state = |block: Block| (block.fields, block.points, block.len, block.is_open);
            let (once, _) = Block::default().read(head.as_bytes(), false);
            for cut in 0..head.len() {
                let (near, before) = Block::default().read(&head.as_bytes()[..cut], false);
                if near.is_open {
                    let (twice, _) = before.read(head.as_bytes(), false);
                    assert_eq!(state(twice), state(once), "{cut} {end:?}");
                }
            }
        }
    }
}
