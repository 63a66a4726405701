//! The search for colons, which is nearly all the work in most texts.

use std::iter::Enumerate;
use std::slice;

#[cfg(target_arch = "aarch64")]
use memchr::arch::aarch64::neon::memchr::{One, OneIter};
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use memchr::arch::all::memchr::{One, OneIter};
#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::avx2::memchr::{One, OneIter};
use memchr::{Memchr, Memchr2};

use super::scheme::{self, AFTER, ANY, BEFORE, SCHEME, SPACED};

/// The fastest search of this processor, chosen once. `memchr_iter` chooses
/// again for each colon, which takes a tenth of the time if colons are
/// frequent.
pub(super) fn finder() -> Option<One> {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        One::new(b':')
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        None
    }
}

/// The indexes of the colons of some bytes.
pub(super) enum Colons<'f, 'h> {
    Chosen(OneIter<'f, 'h>),
    Any(Memchr<'h>),
    /// Dots too, which may end the first label of a host without a scheme.
    Dots(Memchr2<'h>, &'h [u8]),
    /// Visits every byte: the oracle of the other two.
    Plain(Enumerate<slice::Iter<'h, u8>>, bool),
}

impl<'f, 'h> Colons<'f, 'h> {
    pub(super) fn new(
        finder: Option<&'f One>,
        bytes: &'h [u8],
        dots: bool,
        plain: bool,
    ) -> Colons<'f, 'h> {
        match finder {
            _ if plain => Colons::Plain(bytes.iter().enumerate(), dots),
            _ if dots => Colons::Dots(memchr::memchr2_iter(b':', b'.', bytes), bytes),
            Some(one) => Colons::Chosen(one.iter(bytes)),
            None => Colons::Any(memchr::memchr_iter(b':', bytes)),
        }
    }

    /// The next one that is `wanted`, or the next dot that is.
    #[inline]
    pub(super) fn find(
        &mut self,
        wanted: impl Fn(usize) -> bool,
        wanted_dot: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        match self {
            Colons::Chosen(colons) => colons.find(|&at| wanted(at)),
            Colons::Any(colons) => colons.find(|&at| wanted(at)),
            Colons::Dots(..) | Colons::Plain(..) => self.find_others(&wanted, &wanted_dot),
        }
    }

    /// As [`find`](Colons::find), with dots, or for every byte. Not inlined:
    /// otherwise the other two need a tenth more instructions.
    #[inline(never)]
    fn find_others(
        &mut self,
        wanted: &dyn Fn(usize) -> bool,
        wanted_dot: &dyn Fn(usize) -> bool,
    ) -> Option<usize> {
        match self {
            Colons::Chosen(colons) => colons.find(|&at| wanted(at)),
            Colons::Any(colons) => colons.find(|&at| wanted(at)),
            Colons::Dots(places, bytes) => places.find(|&at| match bytes[at] {
                b'.' => wanted_dot(at),
                _ => wanted(at),
            }),
            Colons::Plain(bytes, dots) => {
                let found = bytes.find(|(at, b)| match b {
                    b':' => wanted(*at),
                    b'.' => *dots && wanted_dot(*at),
                    _ => false,
                });
                found.map(|(at, _)| at)
            }
        }
    }
}

/// True if the colon at `colon` can be that of a URL or a wrapper, by the bytes
/// beside it.
#[inline]
pub(crate) fn matters(bytes: &[u8], colon: usize) -> bool {
    let before = match colon.checked_sub(1) {
        Some(i) => BEFORE[bytes[i] as usize],
        None => ANY,
    };
    let after = match bytes.get(colon + 1) {
        Some(&b) => AFTER[b as usize],
        None => ANY,
    };
    match before & after {
        0 => false,
        // Nearly all of these are `Subject:Date:` in the signatures of mail.
        SPACED => scheme::is_spaced(&bytes[..colon]),
        SCHEME => colon >= 2 && scheme::may_end(bytes[colon - 2], bytes[colon - 1]),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_find_the_same() {
        let text: Vec<u8> = (0..3000u32)
            .map(|i| b"a:b.:c\xFF"[(i * i % 97 % 7) as usize])
            .collect();
        let one = finder();
        for len in (0..200).chain([text.len()]) {
            let all = |finder, dots, plain| {
                let mut colons = Colons::new(finder, &text[..len], dots, plain);
                let mut found = Vec::new();
                while let Some(at) = colons.find(|at| at % 7 != 0, |at| at % 5 != 0) {
                    found.push(at);
                }
                found
            };
            let plain = all(None, false, true);
            assert_eq!(all(one.as_ref(), false, false), plain, "{len}");
            assert_eq!(all(None, false, false), plain, "{len}");
            let plain = all(None, true, true);
            assert_eq!(all(one.as_ref(), true, false), plain, "{len}");
        }
    }
}
