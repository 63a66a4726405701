//! Sets of bytes. They are built at compile time from the lists in the
//! documents.
//!
//! A set is written as a union, below the BNF line that it comes from. A set
//! that lists a byte twice does not compile. Neither does a set with `%` or
//! `#`. `%` only starts an escape (see [`Cursor::run`]), and `#` only ends the
//! URL.
//!
//! [`Cursor::run`]: super::document::Cursor::run

/// A set of byte values: a table with one entry for each value.
#[derive(Clone, Copy)]
pub(super) struct ByteClass([bool; 256]);

impl ByteClass {
    /// The set of the bytes in `list`.
    pub(super) const fn of(list: &[u8]) -> ByteClass {
        let mut table = [false; 256];
        let mut i = 0;
        while i < list.len() {
            let byte = list[i];
            assert!(byte != b'%', "an escape is not a byte of a set");
            assert!(byte != b'#', "the hash sign ends the URL");
            assert!(0x21 <= byte && byte <= 0x7e, "not a graphic character");
            assert!(!table[byte as usize], "listed twice");
            table[byte as usize] = true;
            i += 1;
        }
        ByteClass(table)
    }

    /// The set of the bytes from `first` to `last`, both included.
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

    /// The union. The sets may overlap, because documents often list a byte in
    /// two sets.
    pub(super) const fn or(self, other: ByteClass) -> ByteClass {
        let mut table = self.0;
        let mut i = 0;
        while i < 256 {
            table[i] |= other.0[i];
            i += 1;
        }
        ByteClass(table)
    }

    /// The difference. Removing a byte that is not in the set does not compile.
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

    /// The ranges of the set. There must be exactly `N` of them.
    pub(super) const fn ranges<const N: usize>(self) -> [(u8, u8); N] {
        let mut ranges = [(0, 0); N];
        let mut found = 0;
        let mut byte = 0;
        while byte < 256 {
            if self.0[byte] {
                if byte == 0 || !self.0[byte - 1] {
                    ranges[found].0 = byte as u8;
                    found += 1;
                }
                ranges[found - 1].1 = byte as u8;
            }
            byte += 1;
        }
        assert!(found == N, "wrong number of ranges");
        ranges
    }
}

/// A set of bytes for `Cursor::run`.
pub(super) trait ByteSet {
    /// The end of the run that starts at `from`. A run is a sequence of bytes
    /// of the set.
    fn span(&self, text: &[u8], from: usize) -> usize;
}

impl ByteSet for ByteClass {
    #[inline]
    fn span(&self, text: &[u8], from: usize) -> usize {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|&&byte| self.has(byte)).count()
    }
}

/// The number of bytes that a [`Ranges`] compares at a time.
const BLOCK: usize = 16;

/// A set as a type, for the few sets that contain most bytes of most URLs.
///
/// The end of a run is an unpredictable branch, and a table needs one load per
/// byte. With bounds that are known at compile time, the compiler compares
/// sixteen bytes at a time. The first byte outside the set is then found
/// without a branch. Ranges in a value instead of a type were no faster than
/// the table.
pub(super) trait Ranges {
    /// From [`ByteClass::ranges`].
    const RANGES: &'static [(u8, u8)];

    #[inline(always)]
    fn has(byte: u8) -> bool {
        let within = |any, &(first, last): &(u8, u8)| {
            any | (byte.wrapping_sub(first) <= last.wrapping_sub(first))
        };
        Self::RANGES.iter().fold(false, within)
    }

    /// The number of bytes at the start of `bytes` that are in the set. The
    /// first `seen` bytes count as bytes of the set without a test.
    #[inline(always)]
    fn run(bytes: &[u8; BLOCK], seen: u8) -> usize {
        let inside = |i| {
            if Self::has(bytes[i]) | ((i as u8) < seen) {
                0xff
            } else {
                0
            }
        };
        u128::from_le_bytes(std::array::from_fn(inside)).trailing_ones() as usize / 8
    }
}

impl<R: Ranges> ByteSet for R {
    #[inline]
    fn span(&self, text: &[u8], from: usize) -> usize {
        let mut pos = from;
        while let Some(bytes) = text.get(pos..).and_then(|rest| rest.first_chunk()) {
            let run = R::run(bytes, 0);
            pos += run;
            if run < BLOCK {
                return pos;
            }
        }
        let Some(last) = text.last_chunk() else {
            let rest = text.get(pos..).unwrap_or_default();
            return pos + rest.iter().take_while(|&&byte| R::has(byte)).count();
        };
        // Less than a block is left. Compare the last block, and ignore its bytes
        // before `pos`.
        let start = text.len() - BLOCK;
        start + R::run(last, (pos - start) as u8)
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
    fn a_run_ends_at_the_first_other_byte() {
        struct Digit;
        impl Ranges for Digit {
            const RANGES: &'static [(u8, u8)] = &DIGIT.ranges::<1>();
        }
        for len in 0..40 {
            for end in 0..=len {
                for from in 0..=end {
                    let mut text = vec![b'7'; len];
                    text[..from].fill(b'x');
                    if let Some(byte) = text.get_mut(end) {
                        *byte = b'x';
                    }
                    assert_eq!(DIGIT.span(&text, from), end, "{len} {end} {from}");
                    assert_eq!(Digit.span(&text, from), end, "{len} {end} {from}");
                }
            }
        }
    }

    #[test]
    fn ranges_are_the_same_set() {
        const CLASS: ByteClass = HEX
            .or(ByteClass::range(0, 1))
            .or(ByteClass::range(254, 255));
        struct Odd;
        impl Ranges for Odd {
            const RANGES: &'static [(u8, u8)] = &CLASS.ranges::<5>();
        }
        for byte in 0..=255 {
            assert_eq!(Odd::has(byte), CLASS.has(byte), "{byte}");
        }
    }
}
