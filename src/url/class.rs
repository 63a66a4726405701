//! Sets of bytes, built at compile time from the documents' own lists.
//!
//! A set is written as the union its BNF line writes, under that line. A set
//! that lists a byte twice, or lists `%` or `#`, does not compile: the percent
//! sign is only ever the start of an escape (see [`Cursor::run`]) and the hash
//! sign only ever the end of the URL.
//!
//! [`Cursor::run`]: super::cursor::Cursor::run

/// A set of byte values: one table entry for each.
#[derive(Clone, Copy)]
pub(super) struct ByteClass([bool; 256]);

impl ByteClass {
    /// The set of exactly the bytes in `list`.
    pub(super) const fn of(list: &[u8]) -> ByteClass {
        let mut table = [false; 256];
        let mut i = 0;
        while i < list.len() {
            let byte = list[i];
            assert!(byte != b'%', "an escape is not a member of a class");
            assert!(byte != b'#', "the hash sign ends the URL");
            assert!(0x21 <= byte && byte <= 0x7e, "not a graphic character");
            assert!(!table[byte as usize], "listed twice");
            table[byte as usize] = true;
            i += 1;
        }
        ByteClass(table)
    }

    /// The set `first` to `last`, both included.
    pub(super) const fn range(first: u8, last: u8) -> ByteClass {
        assert!(first <= last, "an empty range");
        let mut table = [false; 256];
        let mut byte = first;
        while byte < last {
            table[byte as usize] = true;
            byte += 1;
        }
        table[last as usize] = true;
        ByteClass(table)
    }

    /// Union. The two may overlap: documents often list a byte in two sets.
    pub(super) const fn or(self, other: ByteClass) -> ByteClass {
        let mut table = self.0;
        let mut i = 0;
        while i < 256 {
            table[i] |= other.0[i];
            i += 1;
        }
        ByteClass(table)
    }

    /// Difference. Taking away what is not there does not compile.
    pub(super) const fn minus(self, list: &[u8]) -> ByteClass {
        let mut table = self.0;
        let mut i = 0;
        while i < list.len() {
            assert!(table[list[i] as usize], "not in the set");
            table[list[i] as usize] = false;
            i += 1;
        }
        ByteClass(table)
    }

    /// True if `byte` is in the set.
    #[inline]
    pub(super) const fn has(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }
}

/// `digit`, in every document.
pub(super) const DIGIT: ByteClass = ByteClass::range(b'0', b'9');

/// `alpha`, in every document.
pub(super) const ALPHA: ByteClass = ByteClass::range(b'a', b'z').or(ByteClass::range(b'A', b'Z'));

/// `alphanum` (1630), `alphadigit` (1738), `ALPHA / DIGIT` (RFC 5234).
pub(super) const ALPHANUM: ByteClass = ALPHA.or(DIGIT);

/// `hex` (1738), `HEXDIG` (RFC 5234, whose strings match either case).
pub(super) const HEX: ByteClass = DIGIT
    .or(ByteClass::range(b'a', b'f'))
    .or(ByteClass::range(b'A', b'F'));

/// The value of a hexadecimal digit, or `None`.
#[inline]
pub(super) const fn hex_value(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(class: &ByteClass) -> Vec<u8> {
        (0..=255).filter(|&byte| class.has(byte)).collect()
    }

    #[test]
    fn sets_hold_what_they_list() {
        assert_eq!(members(&ByteClass::of(b"-.")), b"-.");
        assert_eq!(members(&DIGIT), b"0123456789");
        assert_eq!(members(&ALPHANUM).len(), 62);
        assert_eq!(members(&HEX), b"0123456789ABCDEFabcdef");
        assert_eq!(members(&DIGIT.minus(b"05")), b"12346789");
        assert_eq!(members(&ByteClass::range(0xff, 0xff)), [0xff]);
    }

    #[test]
    fn hexadecimal_digits_have_their_values() {
        for byte in 0..=255u8 {
            let expected = char::from(byte).to_digit(16).filter(|_| byte < 0x80);
            assert_eq!(hex_value(byte).map(u32::from), expected);
            assert_eq!(HEX.has(byte), expected.is_some());
        }
    }
}
