//! Recognises a message by the header at the start of a stream.

use memchr::{memchr, memchr_iter, memmem};

use super::lines::{Answer, header_follows};
use crate::words::words;

/// The number of bytes at the start of a stream that are examined, unless a
/// longer header begins there. A stream that is not recognised is plain text.
pub const SNIFF: usize = 8192;

/// The maximum number of bytes that are examined.
pub const SNIFF_MAX: usize = 256 << 10;

/// The fields that mark a message. See [`points`].
const FIELDS: [&str; 22] = words(
    "from date subject message-id return-path received path newsgroups xref \
     arc-authentication-results arc-message-signature arc-seal authentication-results \
     delivered-to dkim-signature domainkey-signature received-spf \
     cc content-transfer-encoding content-type mime-version to",
);

/// The points of a field of [`FIELDS`]. [`POINTS`] make a message.
///
/// * Two different fields of the first nine are enough. Xref does not count.
/// * So are two that a server writes when it receives or signs a message. Microsoft
///   365 writes 8 to 12 KiB of them before the first `From`.
/// * The last ones only add to others, because HTTP has Date, MIME-Version and
///   Content-Type, and `To` begins a line of many a text.
const fn points(field: usize) -> u32 {
    match field {
        8 => 0,
        ..17 => 3,
        _ => 1,
    }
}
const POINTS: u32 = 6;
/// The bits of Path, Newsgroups and Xref, which a news server writes.
const FILED: u32 = 0b111 << 6;

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
    /// The name of the last line, and the number of lines before it with the same name,
    /// if it brings no points.
    name: &'h [u8],
    repeats: u32,
}

impl<'h> Block<'h> {
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
            let Some(is_field) = header_follows(line, &mut 0, whole || feed.is_some()) else {
                break;
            };
            let name = line[..memchr(b':', line).unwrap_or(line.len())].trim_ascii_end();
            let is_name = |f: &[u8]| f.len() == name.len() && name.eq_ignore_ascii_case(f);
            let field = FIELDS.iter().position(|field| is_name(field.as_bytes()));
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
            if !is_field || self.repeats == REPEATS {
                (self.len, self.is_open) = (from, false);
                break;
            }
            if let Some(i) = counts {
                self.points += points(i);
                self.fields |= 1 << i;
            }
            // A stream in memory needs neither the other fields nor the length.
            if self.points >= POINTS && whole && head.len() < SNIFF {
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
    block: Block<'h>,
}

impl<'h> Beginning<'h> {
    /// `full` means that no byte after `head` is examined, `eof` that there is
    /// none.
    ///
    /// Text may consist of lines such as `name: words` as well. So more than
    /// [`SNIFF`] bytes are read only if a field in them marks a message.
    pub fn of(head: &'h [u8], full: bool, eof: bool) -> Beginning<'h> {
        let near = &head[..head.len().min(SNIFF)];
        let (mut block, before) = Block::default().read(near, full && near.len() == head.len());
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
            block,
        }
    }

    /// Whether the header has enough fields that mark a message.
    pub fn is_message(&self) -> Answer<()> {
        if self.block.points >= POINTS {
            Answer::Yes(())
        } else {
            Answer::unless(!self.block.is_open)
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
