//! Colons: the first thing that is looked for, and in most texts nearly all
//! that is done.

use std::iter::Enumerate;
use std::slice;

use memchr::Memchr;
#[cfg(target_arch = "aarch64")]
use memchr::arch::aarch64::neon::memchr::{One, OneIter};
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use memchr::arch::all::memchr::{One, OneIter};
#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::avx2::memchr::{One, OneIter};

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
    /// Visits every byte: the oracle of the others.
    Plain(Enumerate<slice::Iter<'h, u8>>),
}

impl<'f, 'h> Colons<'f, 'h> {
    pub(super) fn new(finder: Option<&'f One>, bytes: &'h [u8], plain: bool) -> Colons<'f, 'h> {
        match finder {
            _ if plain => Colons::Plain(bytes.iter().enumerate()),
            Some(one) => Colons::Chosen(one.iter(bytes)),
            None => Colons::Any(memchr::memchr_iter(b':', bytes)),
        }
    }

    /// The next one that is `wanted`.
    #[inline]
    pub(super) fn find(&mut self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        match self {
            Colons::Chosen(colons) => colons.find(|&at| wanted(at)),
            Colons::Any(colons) => colons.find(|&at| wanted(at)),
            Colons::Plain(bytes) => {
                let mut colons = bytes.filter(|(_, b)| **b == b':').map(|(at, _)| at);
                colons.find(|&at| wanted(at))
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
            .map(|i| b"a:b:c\xFF"[(i * i % 97 % 6) as usize])
            .collect();
        let one = finder();
        for len in (0..200).chain([text.len()]) {
            let all = |finder, plain| {
                let mut colons = Colons::new(finder, &text[..len], plain);
                let mut found = Vec::new();
                while let Some(at) = colons.find(|at| at % 7 != 0) {
                    found.push(at);
                }
                found
            };
            let plain = all(None, true);
            assert_eq!(all(one.as_ref(), false), plain, "{len}");
            assert_eq!(all(None, false), plain, "{len}");
        }
    }
}
