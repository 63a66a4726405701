//! Letters and their numbers, as the tables of words know them.
//!
//! The script `build.rs` makes the tables when the crate is compiled, and `language.rs` looks words
//! up in them, so both have this file.

use std::ops::Deref;

/// The use of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    From,
    Sent,
    Date,
    To,
    Subject,
    Other,
    Title,
    Begin,
    Above,
    By,
    End,
    Closing,
    Farewell,
    Device,
    Via,
    Own,
    Postscript,
    Never,
    Journey,
    Afterthought,
    Credit,
    Dashes,
    Paragraph,
    Line,
    Heading,
    Program,
    Wrote,
    Rule,
    Short,
    List,
    Scanner,
    Notice,
}

/// The uses for which there is one prefilter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Field,
    /// The beginnings of lines.
    Line,
    Closing,
    Postscript,
    Other,
    /// Words that few lines have.
    Rare,
}

impl Group {
    /// The set of this group alone.
    #[inline]
    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Use {
    /// The set of this use alone.
    pub(super) fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The mark for a run of letters that are not ASCII, in an outline.
pub(super) const LOST: u8 = 0x1A;
/// A text to which bytes are added.
pub(super) trait Text: Deref<Target = [u8]> {
    /// An empty text, which will have about `len` bytes.
    fn with_room(len: usize) -> Self;
    fn push(&mut self, b: u8);
    fn pop(&mut self);
    /// Adds a text of ASCII in lower case.
    fn push_lower(&mut self, text: &[u8]);
}

impl Text for Vec<u8> {
    fn with_room(len: usize) -> Vec<u8> {
        Vec::with_capacity(len)
    }

    fn push(&mut self, b: u8) {
        self.push(b);
    }

    fn pop(&mut self) {
        self.pop();
    }

    fn push_lower(&mut self, text: &[u8]) {
        self.extend(text.iter().map(u8::to_ascii_lowercase));
    }
}

/// The text in lower case, with one blank for blanks, and `'` for `’`. A byte that is no UTF-8
/// stays.
pub(super) fn lower<T: Text>(text: &[u8]) -> T {
    let mut lower = T::with_room(text.len());
    if text.is_ascii() {
        if has_single_blanks(text) {
            lower.push_lower(text);
        } else {
            for b in text {
                if !b.is_ascii_whitespace() {
                    lower.push(b.to_ascii_lowercase());
                } else if lower.last() != Some(&b' ') {
                    lower.push(b' ');
                }
            }
        }
        if lower.last() == Some(&b' ') {
            lower.pop();
        }
        return lower;
    }
    for chunk in text.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                // The dot of the Turkish capital is no letter of its own.
                '\u{307}' => {}
                'İ' => lower.push(b'i'),
                '’' => lower.push(b'\''),
                _ if letter.is_whitespace() => {
                    if lower.last() != Some(&b' ') {
                        lower.push(b' ');
                    }
                }
                _ if letter.is_ascii() => lower.push(letter.to_ascii_lowercase() as u8),
                _ => {
                    for letter in letter.to_lowercase() {
                        let mut bytes = [0; 4];
                        for &b in letter.encode_utf8(&mut bytes).as_bytes() {
                            lower.push(b);
                        }
                    }
                }
            }
        }
        for &b in chunk.invalid() {
            lower.push(b);
        }
    }
    if lower.last() == Some(&b' ') {
        lower.pop();
    }
    lower
}

/// True if all white space is single blanks, as in nearly all texts. False if there is a control
/// character.
pub(crate) fn has_single_blanks(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk() else {
        let pairs = text.iter().zip(text.get(1..).unwrap_or_default());
        return !text.iter().any(|b| *b < b' ') && !pairs.into_iter().any(|p| p == (&b' ', &b' '));
    };
    // Each word overlaps the one before it in one byte, so that each pair is in a word.
    let mut rest = text;
    while let Some(word) = rest.first_chunk() {
        if !are_single(u64::from_le_bytes(*word)) {
            return false;
        }
        rest = &rest[WORD - 1..];
    }
    are_single(u64::from_le_bytes(*last))
}

/// The number of bytes that [`are_single`] examines.
const WORD: usize = 8;

/// True if these bytes have no control character, and no two blanks side by side.
#[inline]
fn are_single(bytes: u64) -> bool {
    let control = bytes.wrapping_sub(ONES * 0x20) & !bytes;
    let other = bytes ^ (ONES * 0x20);
    // The high bit of each byte that is no blank.
    let others = ((other & !HIGH) + (HIGH - ONES)) | other;
    let blanks = !others & HIGH;
    (control & HIGH) | (blanks & (blanks >> 8)) == 0
}

/// A byte of 1 in each byte, and the high bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// True if the outline of the text differs from it.
pub(super) fn has_lost(text: &[u8]) -> bool {
    text.iter()
        .fold(false, |any, b| any | (*b == b'?') | !b.is_ascii())
}

/// The outline of a text in lower case.
pub(super) fn outline<T: Text>(lower: &[u8]) -> T {
    let mut outline = T::with_room(lower.len());
    for &b in lower {
        if b == b'?' || !b.is_ascii() {
            if outline.last() != Some(&LOST) {
                outline.push(LOST);
            }
        } else {
            outline.push(b);
        }
    }
    outline
}

/// The number of values of [`first_letters`], [`stem`], [`hash`] and [`three`].
pub(super) const NUMBERS: usize = 1 << 12;
/// What follows fewer than three letters: a letter that is not ASCII or was lost, or the end.
const LETTER: u8 = 7;
const END: u8 = 3;

/// Each byte as a letter: in lower case, or one of the marks above.
static LETTERS: [u8; 256] = {
    let mut letters = [END; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        if byte.is_ascii_alphanumeric() {
            letters[b] = byte | 0x20;
        } else if matches!(byte, b'?' | LOST | 0x80..) {
            letters[b] = LETTER;
        }
        b += 1;
    }
    letters
};

/// A number for the first three letters of a text, up to one that is not ASCII.
#[inline]
pub(super) fn first_letters(text: &[u8]) -> usize {
    // Fast path: nearly all lines begin with two letters or digits.
    if let Some(first) = text.first_chunk::<3>() {
        let [a, b, c] = first.map(|b| LETTERS[usize::from(b)]);
        if a > LETTER && b > LETTER {
            return three([a, b, c]);
        }
    }
    let mut number = 0;
    for i in 0..3 {
        let letter = text.get(i).map_or(END, |&b| LETTERS[usize::from(b)]);
        number = then(number, letter);
        if letter <= LETTER {
            break;
        }
    }
    number
}

/// The number of bytes of a beginning in [`stem`]. No beginning is shorter.
pub(super) const STEM: usize = 8;

/// A number for the first bytes of a text, in lower case, up to one that is not ASCII.
#[inline]
pub(super) fn stem(text: &[u8]) -> usize {
    let bytes = match text.first_chunk() {
        Some(first) if are_plain(u64::from_le_bytes(*first)) => *first,
        _ => other_stem(text),
    };
    let lower = u64::from_le_bytes(bytes) | 0x2020_2020_2020_2020;
    (lower.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize & (NUMBERS - 1)
}

/// The bytes of a [`stem`], if not all of them stand for themselves.
fn other_stem(text: &[u8]) -> [u8; STEM] {
    let mut bytes = [0; STEM];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = match text.get(i) {
            Some(b) if b.is_ascii_whitespace() => b' ',
            Some(b'?' | &LOST | 0x80..) => LETTER,
            Some(&b) => b,
            None => END,
        };
        if *byte <= LETTER {
            break;
        }
    }
    bytes
}

/// True if these eight bytes are ASCII without control characters and `?`, so that each stands for
/// itself.
#[inline]
fn are_plain(bytes: u64) -> bool {
    // The high bit of a difference is set if a byte was less, in ASCII.
    let control = bytes.wrapping_sub(ONES * 0x20);
    let mark = (bytes ^ (ONES * 0x3F)).wrapping_sub(ONES);
    (bytes | control | mark) & HIGH == 0
}

/// A number for all of a text: the hash function of Fowler, Noll and Vo. The words are in the
/// program, so nobody can choose ones that collide.
pub(super) fn hash(text: &[u8]) -> usize {
    let hash = text.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01B3)
    });
    (hash >> 40) as usize & (NUMBERS - 1)
}

/// A number for the first three bytes of a text.
#[inline]
pub(super) fn three([a, b, c]: [u8; 3]) -> usize {
    // As `then` for each byte.
    (usize::from(a) * (131 * 131) + usize::from(b) * 131 + usize::from(c)) & (NUMBERS - 1)
}

#[inline]
fn then(number: usize, letter: u8) -> usize {
    (number * 131 + usize::from(letter)) & (NUMBERS - 1)
}
