//! The search for colons. In most texts this is nearly all the work.

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

/// The fastest search function for this processor, chosen once. `memchr_iter`
/// chooses again for each colon. If colons are frequent, this takes a tenth of
/// the time.
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

/// Iterates over the indexes of colons.
pub(super) enum Colons<'f, 'h> {
    Chosen(OneIter<'f, 'h>),
    Any(Memchr<'h>),
    /// Also finds dots. A dot may end the first label of a host without a
    /// scheme.
    Dots(Memchr2<'h>, &'h [u8]),
    /// Visits every byte. It is the reference for the other variants.
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

    /// The next colon that is `wanted`. If dots are searched for, the next
    /// colon or dot that is wanted.
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

    /// As [`find`](Colons::find), for the variants `Dots` and `Plain`. It is not
    /// inlined. Inlined, it costs the main variant a tenth more instructions.
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

/// True if the colon at `colon` may belong to a URL or a wrapper. Decides by
/// the bytes next to it.
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
        // Nearly all of these colons are in `Subject:Date:`, in the signatures
        // of mail.
        SPACED => scheme::is_spaced(&bytes[..colon]),
        SCHEME => colon >= 2 && scheme::may_end(bytes[colon - 2], bytes[colon - 1]),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_searchers_find_the_same_colons() {
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
