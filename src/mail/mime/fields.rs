//! The header fields that are known by name. They determine the structure,
//! identify the message, or are not searched for URLs.

use crate::words::words;

/// The use of a field by the walker itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    // The structure of the part.
    ContentType,
    TransferEncoding,
    Disposition,
    /// The field has the URL of the part, on which others are based.
    Base,
    /// The field names the messages that this one answers.
    Answered,
    // The identity of the message.
    MessageId,
    Date,
    From,
    Subject,
    Newsgroups,
    ListId,
    MozillaStatus,
    /// The field identifies the mailing list: by its address, or by its web
    /// page.
    List,
    // No use.
    Other,
}

impl Known {
    /// The last use that determines the structure.
    pub(super) const STRUCTURE: Known = Answered;
    /// The last use that identifies the message.
    pub(super) const IDENTITY: Known = List;
}

/// Whether the field is searched under `HeaderPolicy::Auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Auto {
    Searched,
    /// The field has addresses, ids, traces, signatures or notes that only their writer
    /// can read. It is not searched.
    Left,
}

use Auto::{Left, Searched};
use Known::{
    Answered, Base, ContentType, Date, Disposition, From, List, ListId, MessageId, MozillaStatus,
    Newsgroups, Other, Subject, TransferEncoding,
};

/// The names in lower case that have a use or are searched, grouped by purpose.
#[rustfmt::skip]
const USED: [(&str, Known, Auto); 24] = [
    // The structure of the part.
    ("content-type", ContentType, Searched),
    ("content-transfer-encoding", TransferEncoding, Left),
    ("content-disposition", Disposition, Searched),
    // RFC 2557 section 4. Content-Base is in RFC 2110, which it obsoletes.
    ("content-location", Base, Searched),
    ("content-base", Base, Searched),
    ("in-reply-to", Answered, Left),
    ("references", Answered, Left),
    // The identity of the message.
    ("subject", Subject, Searched),
    ("newsgroups", Newsgroups, Searched),
    ("date", Date, Left),
    ("from", From, Left),
    ("message-id", MessageId, Left),
    // Mailing lists (RFC 2369, RFC 2919, and older fields).
    ("list-id", ListId, Searched),
    ("list-post", List, Searched),
    ("list-help", List, Searched),
    ("list-subscribe", List, Searched),
    ("list-unsubscribe", List, Searched),
    ("list-archive", List, Searched),
    ("list-owner", List, Searched),
    ("mailing-list", List, Left),
    ("x-mailing-list", List, Left),
    ("x-beenthere", List, Left),
    ("x-loop", List, Left),
    // Traces.
    ("x-mozilla-status", MozillaStatus, Left),
];

/// The names in lower case of the other fields that are not searched.
const UNSEARCHED: [&str; 97] = words(include_str!("unsearched_fields.txt"));

/// All known names.
const ROWS: &[(&str, Known, Auto)] = &{
    let mut rows = [("", Other, Left); USED.len() + UNSEARCHED.len()];
    let mut i = 0;
    while i < rows.len() {
        match i.checked_sub(USED.len()) {
            None => rows[i] = USED[i],
            Some(other) => rows[i].0 = UNSEARCHED[other],
        }
        i += 1;
    }
    rows
};

/// True for `X-…-ID` fields, which programs write for other programs.
fn is_private_id(name: &[u8]) -> bool {
    matches!(
        name,
        [b'x' | b'X', b'-', _, .., b'-', b'i' | b'I', b'd' | b'D']
    )
}

/// The use of the field `name`. Ignores case.
pub(super) fn find(name: &[u8]) -> Use {
    let mut line = [0; 64];
    let known = match line.get_mut(..=name.len()) {
        Some([start @ .., colon]) => {
            start.copy_from_slice(name);
            *colon = b':';
            known(&line)
        }
        _ => None,
    };
    match known {
        Some(row) if row.len == name.len() => row.known,
        _ => other(name),
    }
}

/// The use of a field that has no row.
pub(super) fn other(name: &[u8]) -> Use {
    if is_private_id(name) {
        (Other, Left)
    } else {
        UNKNOWN
    }
}

/// The row of the name at the start of `line`. A colon must directly follow it.
/// Ignores case. `line` may extend beyond the end of the line. Most names need
/// only their first 16 bytes.
#[inline(always)] // One of its callers runs for each header line.
pub(super) fn known(line: &[u8]) -> Option<&'static Row> {
    let start = Start::of(line.first_chunk()?);
    let mut slot = start.hash();
    loop {
        // 0 marks a free slot.
        let i = usize::from(SLOTS[slot]).checked_sub(1)?;
        let row = &TABLE[i];
        if row.start == start && (row.len < 16 || has_rest(line, ROWS[i].0.as_bytes())) {
            return Some(row);
        }
        slot = (slot + 1) % SIZE;
    }
}

/// True if `line` has the bytes of `name` after the first 16 bytes, and a colon.
#[inline(never)] // Few names are so long.
fn has_rest(line: &[u8], name: &[u8]) -> bool {
    line.get(name.len()) == Some(&b':') && line[16..name.len()].eq_ignore_ascii_case(&name[16..])
}

/// The row for any other field.
pub(super) const UNKNOWN: Use = (Other, Searched);

/// The use of a field.
pub(super) type Use = (Known, Auto);

/// The first 16 bytes of a line, up to the first colon, and zeros after it.
/// Letters are in lower case.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Start(u64, u64);

impl Start {
    #[inline(always)] // For the same reason as `known`.
    const fn of(line: &[u8; 16]) -> Start {
        let (words, _) = line.as_chunks::<8>();
        let (first, second) = (words[0], words[1]);
        let colons = equal(&first, b':');
        if colons != 0 {
            return Start(lower(first) & up_to(colons), 0);
        }
        let colons = equal(&second, b':');
        Start(lower(first), lower(second) & up_to(colons))
    }

    /// A hash that distinguishes most names.
    #[inline(always)]
    const fn hash(self) -> usize {
        let mixed = self.0 ^ self.1.rotate_left(31);
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SIZE.ilog2())) as usize
    }
}

/// Converts letters to lower case. No other byte becomes a byte that occurs in
/// a row.
#[inline(always)] // For the same reason as `known`.
const fn lower(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    word | (word & u64::from_ne_bytes([0x40; 8])) >> 1
}

/// A mask for the bytes up to the first match of [`equal`]. If there is no
/// match, it covers all bytes.
#[inline(always)]
const fn up_to(matches: u64) -> u64 {
    matches ^ matches.wrapping_sub(1)
}

/// Finds the first byte of `word` that equals `byte`. Its top bit is set in the
/// result. Bits after it have no meaning. Returns 0 if there is no such byte.
#[inline(always)]
pub(super) const fn equal(word: &[u8; 8], byte: u8) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let differ = u64::from_le_bytes(*word) ^ (ONES * byte as u64);
    differ.wrapping_sub(ONES) & !differ & (ONES << 7)
}

const SIZE: usize = 512;

/// A row, prepared for the search.
#[derive(Clone, Copy)]
pub(super) struct Row {
    start: Start,
    /// The length of the name.
    pub(super) len: usize,
    pub(super) known: Use,
}

/// The rows of [`ROWS`].
static TABLE: [Row; ROWS.len()] = {
    let empty = Row {
        start: Start(0, 0),
        len: 0,
        known: UNKNOWN,
    };
    let mut table = [empty; ROWS.len()];
    let mut i = 0;
    while i < ROWS.len() {
        let (name, known, auto) = ROWS[i];
        table[i] = Row {
            start: start_of(name.as_bytes()),
            len: name.len(),
            known: (known, auto),
        };
        i += 1;
    }
    table
};

const fn start_of(name: &[u8]) -> Start {
    let mut line = [0; 16];
    let mut i = 0;
    while i < 16 && i <= name.len() {
        line[i] = if i < name.len() { name[i] } else { b':' };
        i += 1;
    }
    Start::of(&line)
}

/// A hash table. Each slot has the number of a row plus one, or 0 if it is
/// free. A row is in the slot of its hash, or in the next free slot. At most a
/// quarter of the slots is used, so every search ends.
static SLOTS: [u8; SIZE] = {
    let mut slots = [0; SIZE];
    assert!(ROWS.len() < SIZE / 4 && ROWS.len() < 255);
    let mut i = 0;
    while i < ROWS.len() {
        let mut slot = start_of(ROWS[i].0.as_bytes()).hash();
        while slots[slot] != 0 {
            slot = (slot + 1) % SIZE;
        }
        slots[slot] = i as u8 + 1;
        i += 1;
    }
    slots
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_row_in_any_case() {
        for &(name, known, auto) in ROWS {
            assert_eq!(name, name.to_ascii_lowercase());
            assert_eq!(find(name.as_bytes()), (known, auto), "{name}");
            assert_eq!(find(name.to_ascii_uppercase().as_bytes()), (known, auto));
        }
        assert_eq!(find(b"X-URL"), (Other, Searched));
        assert_eq!(find(b"X-Gm-Message-Id"), (Other, Left));
        assert_eq!(find(b""), (Other, Searched));
        for name in [
            &b"Content\rType"[..],
            b"Mime\x0Dversion",
            b"Article\x0Ei.d.",
            b"X-Mozilla-Status\x12",
        ] {
            assert_eq!(find(name), UNKNOWN);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = ROWS.iter().map(|r| r.0).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
    }
}
