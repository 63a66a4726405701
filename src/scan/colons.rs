//! Colons: the first thing that is looked for, and in most texts nearly all
//! that is done.

use std::iter::Enumerate;
use std::slice;

#[cfg(target_arch = "aarch64")]
use memchr::arch::aarch64::neon::memchr::{One, OneIter};
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use memchr::arch::all::memchr::{One, OneIter};
#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::avx2::memchr::{One, OneIter};
use memchr::{Memchr, Memchr2};

/// What this processor finds colons by, chosen once: `memchr_iter` chooses for
/// each colon anew, which is a tenth of the time where they are frequent.
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
    /// Visits every byte: the oracle of the others.
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

    /// As [`find`](Colons::find), where dots are wanted or every byte is visited.
    /// Not inlined: with these loops beside them the others take a tenth more
    /// instructions.
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
