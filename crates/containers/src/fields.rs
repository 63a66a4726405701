//! The header fields that are known by name. They determine the structure,
//! identify the message, or are not searched for URLs.

use urlgrep_base::words::phrases;

/// The use of a field by the walker itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    // The structure of the part.
    /// Content-Type.
    ContentType,
    /// Content-Transfer-Encoding.
    TransferEncoding,
    /// Content-Disposition.
    Disposition,
    /// The field has the URL of the part, on which others are based.
    Base,
    /// The field names the messages that this one answers.
    Answered,
    // The identity of the message.
    /// Message-ID.
    MessageId,
    /// Date.
    Date,
    /// From.
    From,
    /// To, Cc and Bcc.
    To,
    /// Subject.
    Subject,
    /// Newsgroups.
    Newsgroups,
    /// List-Id.
    ListId,
    /// X-Mozilla-Status: the flags of the message, as Mozilla's mail programs write them.
    MozillaStatus,
    /// The field identifies the mailing list: by its address, or by its web
    /// page.
    List,
    /// No use.
    Other,
}

impl Known {
    /// The last use that determines the structure.
    pub const STRUCTURE: Known = Answered;
    /// The last use that identifies the message.
    pub const IDENTITY: Known = List;
}

/// Who writes a field. It decides whether `HeaderPolicy` has it searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// A person, in the message or in the settings of a mail program.
    Person,
    /// The software of a mailing list.
    List,
    /// Another program: addresses, ids, traces, signatures, the verdicts of filters.
    Program,
}

use Known::{
    Answered, Base, ContentType, Date, Disposition, From, List, ListId, MessageId, MozillaStatus,
    Newsgroups, Other, Subject, To, TransferEncoding,
};

/// The names in lower case that the walker uses.
#[rustfmt::skip]
const USED: [(&str, Known); 27] = [
    // The structure of the part.
    ("content-type", ContentType),
    ("content-transfer-encoding", TransferEncoding),
    ("content-disposition", Disposition),
    // RFC 2557 section 4. Content-Base is in RFC 2110, which it obsoletes.
    ("content-location", Base),
    ("content-base", Base),
    ("in-reply-to", Answered),
    ("references", Answered),
    // The identity of the message.
    ("subject", Subject),
    ("newsgroups", Newsgroups),
    ("date", Date),
    ("from", From),
    ("to", To),
    ("cc", To),
    ("bcc", To),
    ("message-id", MessageId),
    // Mailing lists (RFC 2369, RFC 2919, and older fields).
    ("list-id", ListId),
    ("list-post", List),
    ("list-help", List),
    ("list-subscribe", List),
    ("list-unsubscribe", List),
    ("list-archive", List),
    ("list-owner", List),
    ("mailing-list", List),
    ("x-mailing-list", List),
    ("x-beenthere", List),
    ("x-loop", List),
    // Traces.
    ("x-mozilla-status", MozillaStatus),
];

/// The number of fields and patterns in `program_fields.txt`.
const WRITTEN_BY_PROGRAMS: usize = 227;

/// The names and patterns of the fields that programs write, with their writers.
const PROGRAM_FIELDS: [(&str, Writer); WRITTEN_BY_PROGRAMS] = {
    let texts: [&str; 3 * WRITTEN_BY_PROGRAMS] = phrases(include_str!("program_fields.txt"));
    let mut fields = [("", Writer::Person); WRITTEN_BY_PROGRAMS];
    let mut i = 0;
    while i < fields.len() {
        let writer = match texts[3 * i + 1].as_bytes() {
            b"list" => Writer::List,
            b"program" => Writer::Program,
            _ => panic!("a field is written by `list` or by `program`"),
        };
        fields[i] = (texts[3 * i], writer);
        i += 1;
    }
    fields
};

const fn has_star(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'*' {
            return true;
        }
        i += 1;
    }
    false
}

/// True if both names are the same. `==` is not for constants.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// The use of the name `name` by the walker.
const fn use_of(name: &str) -> Known {
    let mut i = 0;
    while i < USED.len() {
        if is_same(USED[i].0, name) {
            return USED[i].1;
        }
        i += 1;
    }
    Other
}

/// The writer of the name `name`, by its row or by a pattern.
const fn writer_of(name: &str) -> Writer {
    let mut i = 0;
    while i < PROGRAM_FIELDS.len() {
        let (pattern, writer) = PROGRAM_FIELDS[i];
        if matches(pattern.as_bytes(), name.as_bytes()) {
            return writer;
        }
        i += 1;
    }
    Writer::Person
}

/// The number of names in [`ROWS`].
const NAMES: usize = {
    let mut names = USED.len();
    let mut i = 0;
    while i < PROGRAM_FIELDS.len() {
        let name = PROGRAM_FIELDS[i].0;
        if !has_star(name) && matches!(use_of(name), Other) {
            names += 1;
        }
        i += 1;
    }
    names
};

/// All known names: those that the walker uses, and the names of programs that are no
/// patterns.
const ROWS: [(&str, Known, Writer); NAMES] = {
    let mut rows = [("", Other, Writer::Person); NAMES];
    let mut n = 0;
    while n < USED.len() {
        let (name, known) = USED[n];
        rows[n] = (name, known, writer_of(name));
        n += 1;
    }
    let mut i = 0;
    while i < PROGRAM_FIELDS.len() {
        let (name, writer) = PROGRAM_FIELDS[i];
        if !has_star(name) && matches!(use_of(name), Other) {
            rows[n] = (name, Other, writer);
            n += 1;
        }
        i += 1;
    }
    rows
};

/// The patterns that may match a name, by the group of the name: the number plus one of
/// the last row of [`PROGRAM_FIELDS`], or 0. Names are in groups so that a name is compared
/// with a few patterns only.
static LAST_PATTERN: [u8; GROUPS] = PATTERNS.0;

/// For each row of [`PROGRAM_FIELDS`], the next row of the same group, as in
/// [`LAST_PATTERN`].
static NEXT_PATTERN: [u8; WRITTEN_BY_PROGRAMS] = PATTERNS.1;

/// For each row of [`PROGRAM_FIELDS`], the place of the first `*` in its name. The length if
/// it has none.
static STARS: [u8; WRITTEN_BY_PROGRAMS] = {
    let mut stars = [0; WRITTEN_BY_PROGRAMS];
    let mut i = 0;
    while i < stars.len() {
        let name = PROGRAM_FIELDS[i].0.as_bytes();
        let mut star = 0;
        while star < name.len() && name[star] != b'*' {
            star += 1;
        }
        // What follows the first `*`: see `matches_quickly`.
        assert!(star + 1 >= name.len() || name[star + 1] == b'-');
        // A group is known by three letters.
        let is_private = name.len() > 1 && name[0] == b'x' && name[1] == b'-';
        let letters = if is_private {
            star as i32 - 2
        } else {
            star as i32
        };
        assert!(star == name.len() || letters > 2 || group(name) == ANY_X);
        stars[i] = star as u8;
        i += 1;
    }
    stars
};

const PATTERNS: ([u8; GROUPS], [u8; WRITTEN_BY_PROGRAMS]) = {
    assert!(WRITTEN_BY_PROGRAMS < 255);
    let mut last = [0; GROUPS];
    let mut next = [0; WRITTEN_BY_PROGRAMS];
    let mut i = 0;
    while i < WRITTEN_BY_PROGRAMS {
        let name = PROGRAM_FIELDS[i].0;
        if has_star(name) {
            let group = group(name.as_bytes());
            next[i] = last[group];
            last[group] = i as u8 + 1;
        }
        i += 1;
    }
    (last, next)
};

const GROUPS: usize = 256;
/// The group of the patterns that begin with `x-*`, which may match every `X-` name.
const ANY_X: usize = 1;

/// The group of a name or a pattern, by its first three letters, without `X-`. A shorter name
/// matches no pattern.
const fn group(name: &[u8]) -> usize {
    let (rest, is_private) = match name {
        [b'x' | b'X', b'-', rest @ ..] => (rest, 1),
        rest => (rest, 0),
    };
    match rest {
        [b'*', ..] => ANY_X,
        [first, second, third, ..] => {
            // The bit that makes a letter small. Other bytes stay apart well enough.
            let first = (*first | 0x20) as usize;
            let second = (*second | 0x20) as usize;
            let third = (*third | 0x20) as usize;
            (first * 7 + second * 2 + third * 31 + is_private) % GROUPS
        }
        _ => 0,
    }
}

/// True if `pattern`, which is in lower case, matches all of `name`, in any case. `*` is any
/// text. This is the usual search with one place to go back to, so its time is the product
/// of both lengths at most, and patterns are short.
const fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let mut p = 0;
    let mut n = 0;
    // The place after the last `*`, and where the name goes on after the text it stands for.
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            p += 1;
            back = Some((p, n));
        } else if p < pattern.len() && pattern[p] == name[n].to_ascii_lowercase() {
            p += 1;
            n += 1;
        } else if let Some((after, from)) = back {
            back = Some((after, from + 1));
            p = after;
            n = from + 1;
        } else {
            return false;
        }
    }
    while p < pattern.len() && pattern[p] == b'*' {
        p += 1;
    }
    p == pattern.len()
}

/// The use of the field `name`. Ignores case.
pub fn find(name: &[u8]) -> Use {
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
pub fn other(name: &[u8]) -> Use {
    let found = matching(group(name), name);
    let is_private = matches!(name, [b'x' | b'X', b'-', ..]);
    let found = match found {
        None if is_private && may_match_any_x(name) => matching(ANY_X, name),
        found => found,
    };
    found.map_or(UNKNOWN, |writer| (Other, writer))
}

/// False only if no pattern of the group [`ANY_X`] matches `name`: none of its hyphens has
/// a letter after it with which one of them goes on.
fn may_match_any_x(name: &[u8]) -> bool {
    let mut pairs = name.windows(2);
    pairs.any(|pair| pair[0] == b'-' && ANY_X_LETTERS[usize::from(pair[1])])
}

/// The letters after `x-*-` in the patterns, in both cases.
static ANY_X_LETTERS: [bool; 256] = {
    let mut letters = [false; 256];
    let mut i = 0;
    while i < WRITTEN_BY_PROGRAMS {
        let name = PROGRAM_FIELDS[i].0.as_bytes();
        if has_star(PROGRAM_FIELDS[i].0) && group(name) == ANY_X {
            // Other patterns may be in the group.
            let letter = if name.len() > 4 { name[4] } else { b'-' };
            letters[letter as usize] = true;
            letters[letter.to_ascii_uppercase() as usize] = true;
        }
        i += 1;
    }
    letters
};

/// The writer of `name` by a pattern of this group.
fn matching(group: usize, name: &[u8]) -> Option<Writer> {
    let mut at = LAST_PATTERN[group];
    while let Some(i) = usize::from(at).checked_sub(1) {
        let (pattern, writer) = PROGRAM_FIELDS[i];
        at = NEXT_PATTERN[i];
        let star = usize::from(STARS[i]);
        let mut equal = 0;
        if let Some(first) = name.first_chunk::<8>() {
            if lower(*first) & STARTS[i].1 != STARTS[i].0 {
                continue;
            }
            equal = star.min(first.len());
        }
        if matches_quickly(pattern.as_bytes(), star, equal, name) {
            return Some(writer);
        }
    }
    None
}

/// For each row of [`PROGRAM_FIELDS`], up to eight bytes of its name before the first `*`, and a
/// mask for them.
static STARTS: [(u64, u64); WRITTEN_BY_PROGRAMS] = {
    let mut starts = [(0, 0); WRITTEN_BY_PROGRAMS];
    let mut i = 0;
    while i < starts.len() {
        let name = PROGRAM_FIELDS[i].0.as_bytes();
        let mut first = [0; 8];
        let mut mask = [0; 8];
        let mut at = 0;
        while at < first.len() && at < name.len() && name[at] != b'*' {
            first[at] = name[at];
            mask[at] = 0xFF;
            at += 1;
        }
        starts[i] = (
            lower(first) & u64::from_le_bytes(mask),
            u64::from_le_bytes(mask),
        );
        i += 1;
    }
    starts
};

/// As [`matches()`], for a pattern whose first `*` is at `star`, and whose first `equal` bytes
/// are known to match. Nearly all patterns are a beginning and a `*`. In the others a hyphen follows the `*`, so they are compared only at
/// the hyphens of the name.
fn matches_quickly(pattern: &[u8], star: usize, equal: usize, name: &[u8]) -> bool {
    let Some((start, rest)) = name.split_at_checked(star) else {
        return false;
    };
    let tail = &pattern[star + 1..];
    start[equal..].eq_ignore_ascii_case(&pattern[equal..star])
        && (tail.is_empty() || memchr::memchr_iter(b'-', rest).any(|at| matches(tail, &rest[at..])))
}

/// True if the header field `name` is known here. Case does not matter.
pub(crate) fn is_known_field(name: &[u8]) -> bool {
    find(name) != UNKNOWN
}

/// True if `head` begins with a header line whose name is known by a row of its own.
pub(crate) fn begins_with_known_field(head: &[u8]) -> bool {
    let row = known(head);
    let after = row.and_then(|row| head.get(row.len + 1..row.len + 3));
    after.is_some_and(|after| after != b"//")
}

/// The row of the name at the start of `line`. A colon must directly follow it.
/// Ignores case. `line` may extend beyond the end of the line. Most names need
/// only their first 16 bytes.
#[inline(always)] // One of its callers runs for each header line.
pub fn known(line: &[u8]) -> Option<&'static Row> {
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
pub const UNKNOWN: Use = (Other, Writer::Person);

/// The use of a field.
pub type Use = (Known, Writer);

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
pub const fn equal(word: &[u8; 8], byte: u8) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let differ = u64::from_le_bytes(*word) ^ (ONES * byte as u64);
    differ.wrapping_sub(ONES) & !differ & (ONES << 7)
}

const SIZE: usize = 1024;

/// A row, prepared for the search.
#[derive(Clone, Copy)]
pub struct Row {
    start: Start,
    /// The length of the name.
    pub len: usize,
    /// What it is used for, and who writes it.
    pub known: Use,
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
        let (name, known, writer) = ROWS[i];
        table[i] = Row {
            start: start_of(name.as_bytes()),
            len: name.len(),
            known: (known, writer),
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
        for (name, known, writer) in ROWS {
            assert_eq!(name, name.to_ascii_lowercase());
            assert_eq!(find(name.as_bytes()), (known, writer), "{name}");
            assert_eq!(find(name.to_ascii_uppercase().as_bytes()), (known, writer));
        }
        assert_eq!(find(b""), UNKNOWN);
        for name in [
            &b"Content\rType"[..],
            b"Mime\x0Dversion",
            b"Article\x0Ei.d.",
            b"X-Mozilla\x12Status",
        ] {
            assert_eq!(find(name), UNKNOWN);
        }
    }

    #[test]
    fn the_quick_comparison_is_the_plain_one() {
        let patterns = PROGRAM_FIELDS.iter().enumerate();
        for (i, (pattern, _)) in patterns.filter(|(_, (name, _))| has_star(name)) {
            for (name, _) in PROGRAM_FIELDS {
                for text in ["", "q", "-id", "-9-Mailscanner-x", "x--id"] {
                    let name = [&name.replace('*', text), text].concat();
                    let name = name.as_bytes();
                    let quick = matches_quickly(pattern.as_bytes(), STARS[i].into(), 0, name);
                    assert_eq!(
                        quick,
                        matches(pattern.as_bytes(), name),
                        "{pattern} {name:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_pattern_is_found_by_its_group() {
        for (pattern, writer) in PROGRAM_FIELDS {
            assert_eq!(pattern, pattern.to_ascii_lowercase());
            for text in ["", "q", "Q-9"] {
                let name = pattern.replace('*', text);
                let (_, found) = find(name.as_bytes());
                assert_eq!(found, writer, "{name} of {pattern}");
            }
        }
    }

    /// Fields that people invented, beside those of programs that look like them.
    #[test]
    fn what_people_write_is_no_pattern() {
        for name in [
            "Subject",
            "Comments",
            "Keywords",
            "Summary",
            "Organization",
            "OpenPGP",
            "Lists",
            "X-URL",
            "X-Homepage",
            "X-GitHub",
            "X-Facebook",
            "X-Face-Viewer",
            "X-Face-URL",
            "X-Listening-To",
            "X-FAQ",
            "X-Web",
            "X-GPG-Key",
            "X-Source-Code",
            "X-Image-Url",
            "X-Idea",
            "X-Unsub",
            "X-Msg",
            "X-Mailing-Address",
            "Content-Location",
            "Receive",
            "Receiveds",
            "X-Spamless",
            "XID",
            "X-ID",
        ] {
            let (_, writer) = find(name.as_bytes());
            assert_eq!(writer, Writer::Person, "{name}");
        }
        for name in [
            "X-Gm-Message-Id",
            "X-A-ID",
            "X-Acme-MailScanner-Information",
            "DKIM-Filter",
        ] {
            assert_eq!(find(name.as_bytes()), (Other, Writer::Program), "{name}");
        }
        for name in ["List-Digest", "X-Acme-Unsubscribe-Web", "X-Unsubscribe"] {
            assert_eq!(find(name.as_bytes()), (Other, Writer::List), "{name}");
        }
        let long = [b"X-MS-", &[b'a'; 100_000][..]].concat();
        assert_eq!(find(&long), (Other, Writer::Program));
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = ROWS.iter().map(|r| r.0).collect();
        names.extend(
            PROGRAM_FIELDS
                .iter()
                .map(|r| r.0)
                .filter(|name| has_star(name)),
        );
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
    }
}
