//! The search for colons. In most texts this is nearly all the work.

#[cfg(target_arch = "x86_64")]
use memchr::arch::x86_64::avx2::memchr::One;

use super::prefix::is_prefix_word;
use super::scheme::{self, AFTER, ANY, BEFORE, PREFIX, SCHEME, SPACED};
use super::suffix;
use crate::text::class::is_scheme_byte;
use crate::text::schemes::{self, SCHEME_MAX};
use crate::view;

/// Finds the bytes that may belong to a URL: colons, and dots if they are
/// wanted.
#[derive(Clone, Copy)]
pub(super) enum Finder {
    /// The search that suits this processor. `memchr_iter` chooses again for
    /// each colon, which takes a third of the time of the whole loop.
    #[cfg(target_arch = "x86_64")]
    Chosen(One),
    Any,
    /// Also finds dots. A dot may end the first label of a host without a
    /// scheme.
    Dots,
    /// Finds all that is asked for.
    Asked(Asked),
    /// Visits every byte. It is the reference for the other variants.
    Plain(Asked),
}

/// What is found besides the colons that matter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    /// Dots that may end a first label.
    pub(super) dots: bool,
    /// Colons of defanged URLs.
    pub(super) defanged: bool,
    /// Colons of [experimental](scheme::is_experimental) schemes in brackets.
    pub(super) experimental: bool,
}

impl Finder {
    pub(super) fn new(asked: Asked, plain: bool) -> Finder {
        if plain {
            return Finder::Plain(asked);
        }
        if asked.defanged || asked.experimental {
            return Finder::Asked(asked);
        }
        #[cfg(target_arch = "x86_64")]
        if let (false, Some(one)) = (asked.dots, One::new(b':')) {
            return Finder::Chosen(one);
        }
        if asked.dots {
            Finder::Dots
        } else {
            Finder::Any
        }
    }

    /// Index of the next colon in `from..end` that [`matters`], or of the next
    /// dot that may end a first label.
    ///
    /// It is not inlined, so that the loop over colons has the registers for
    /// itself.
    #[inline(never)]
    pub(super) fn find(&self, bytes: &[u8], from: usize, end: usize) -> Option<usize> {
        let range = &bytes[from..end];
        let wanted = |&at: &usize| matters(bytes, from + at);
        let wanted_too = |&at: &usize| match range[at] {
            b'.' => suffix::may_end(bytes, from + at),
            _ => matters(bytes, from + at),
        };
        let wanted_here = |asked: &Asked, at: &usize| {
            let at = from + at;
            match bytes[at] {
                b'.' => asked.dots && suffix::may_end(bytes, at),
                _ => {
                    matters(bytes, at)
                        || asked.defanged && view::may_matter(bytes, at)
                        || asked.experimental && scheme::is_experimental(bytes, at)
                }
            }
        };
        let found = match self {
            #[cfg(target_arch = "x86_64")]
            Finder::Chosen(one) => {
                // A release build does not inline the closure of `find` here.
                for at in one.iter(range) {
                    if matters(bytes, from + at) {
                        return Some(from + at);
                    }
                }
                None
            }
            Finder::Any => memchr::memchr_iter(b':', range).find(wanted),
            Finder::Dots => memchr::memchr2_iter(b':', b'.', range).find(wanted_too),
            Finder::Asked(asked) => {
                memchr::memchr2_iter(b':', b'.', range).find(|at| wanted_here(asked, at))
            }
            Finder::Plain(asked) => (0..range.len()).find(|at| {
                let is_place = matches!(range[*at], b':' | b'.');
                is_place && wanted_here(asked, at)
            }),
        };
        found.map(|at| from + at)
    }
}

/// The index of the first colon of `bytes` that [`matters`].
pub fn first_colon(bytes: &[u8]) -> Option<usize> {
    Finder::new(Asked::default(), false).find(bytes, 0, bytes.len())
}

/// True if the colon at `colon` may belong to a URL or a wrapper. Decides by
/// the bytes next to it.
#[inline(always)]
pub fn matters(bytes: &[u8], colon: usize) -> bool {
    let bits = shared(bytes, colon.wrapping_sub(1));
    let bits = bits.unwrap_or_else(|| shared_at_edge(bytes, colon));
    bits != 0 && matters_by(bits, bytes, colon)
}

/// True if the colon at `colon`, which [`matters`], may belong to a URL as far as the name before it
/// shows. In `List-Id:List-Help`, as in the list of names that a mail server signs, it does not.
///
/// It reads the whole name, and so it is only for texts that nearly always have no URL.
pub fn follows_scheme(bytes: &[u8], colon: usize) -> bool {
    let Some(&after) = bytes.get(colon + 1) else {
        return true;
    };
    // `//` may follow, perhaps escaped, or the URL after a blank.
    if AFTER[usize::from(after)] & (ANY | SPACED) != 0 {
        return true;
    }
    let before = &bytes[colon.saturating_sub(SCHEME_MAX)..colon];
    let len = before.iter().rev().take_while(|&&b| is_scheme_byte(b));
    let (before, run) = before.split_at(before.len() - len.count());
    let mut near = before.iter().rev().take(ESCAPE_NEAR);
    if run.is_empty() || is_prefix_word(run) || near.any(|&b| b == b'\\') {
        return true;
    }
    let word = run.iter().position(u8::is_ascii_alphabetic).unwrap_or(0);
    let name = &run[word..];
    schemes::shape(name).is_some() || schemes::is_slashed(name)
}

/// The number of bytes before a scheme in which a backslash may begin an escape that its first
/// letter ends: `\nmailto:`.
const ESCAPE_NEAR: usize = 3;

/// The bits that the neighbours of a colon share. `before` is the index of the
/// byte before the colon. `None` if the colon is the first or the last byte.
#[inline]
fn shared(bytes: &[u8], before: usize) -> Option<u8> {
    let around = bytes.get(before..)?.first_chunk()?;
    let [before, _, after] = around.map(usize::from);
    Some(BEFORE[before] & AFTER[after])
}

/// [`shared`] for the first or the last byte.
#[cold]
fn shared_at_edge(bytes: &[u8], colon: usize) -> u8 {
    let before = colon.checked_sub(1).map(|i| BEFORE[bytes[i] as usize]);
    let after = bytes.get(colon + 1).map(|&b| AFTER[b as usize]);
    before.unwrap_or(ANY) & after.unwrap_or(ANY)
}

/// As [`matters`], for a colon whose neighbours share `bits`.
#[inline]
fn matters_by(bits: u8, bytes: &[u8], colon: usize) -> bool {
    let before = &bytes[..colon];
    match bits {
        // Nearly all of these colons are in `Subject:Date:`, in the signatures
        // of mail.
        SPACED => scheme::is_spaced(before) || scheme::ends_row(bytes, colon),
        _ => matters_by_name(bits, before),
    }
}

/// [`matters_by`] for the few other colons. Not inlined, because they are few.
#[inline(never)]
fn matters_by_name(bits: u8, before: &[u8]) -> bool {
    const SCHEME_OR_PREFIX: u8 = SCHEME | PREFIX;
    match bits {
        SCHEME => match before {
            [.., scheme::BACKSPACE] => true,
            [.., first, second] => scheme::may_end(*first, *second),
            _ => false,
        },
        PREFIX | SCHEME_OR_PREFIX => scheme::may_end_prefix(before),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_that_follows_no_scheme_begins_nothing() {
        let follows = |text: &str| {
            let colons = memchr::memchr_iter(b':', text.as_bytes());
            let mut colons = colons.filter(|&at| matters(text.as_bytes(), at));
            colons.any(|at| follows_scheme(text.as_bytes(), at))
        };
        for text in [
            "mailto:a@b",
            "--NEWS:a",
            "URL:a",
            "URL :a",
            "<http: //a>",
            "http://a",
            "\\nmailto:a@b",
            "a.ftp:\\/\\/b",
        ] {
            assert!(follows(text), "{text}");
        }
        for text in ["h=From:To:List-Id:List-Help", "Re:Re:x", "12:30:45", "a::1"] {
            assert!(!follows(text), "{text}");
        }
        let pieces = [
            "a",
            "mailto",
            "news",
            "x@b.example",
            "b.example",
            "URL",
            "http",
            "s",
            "-",
            "1",
            "\\n",
            "\\",
            "/",
            "//",
            ":",
            ":",
            ":",
            ": ",
            "<",
            ">",
            " ",
            "\n",
            "_\u{8}",
            "\"",
        ];
        let mut scanner = crate::scan::Scanner::new();
        let (mut passed, mut found) = (0, 0);
        let mut seed = 1u64;
        for _ in 0..40_000 {
            let mut text = String::new();
            for _ in 0..7 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            }
            let mut any = false;
            scanner.reset(0, 1);
            scanner.scan(text.as_bytes(), |_| {
                any = true;
                true
            });
            assert!(!any || follows(&text), "{text:?}");
            passed += usize::from(!follows(&text));
            found += usize::from(any);
        }
        assert!(passed > 10_000 && found > 200, "{passed} {found}");
    }

    #[test]
    fn all_searchers_find_the_same_colons() {
        let text: Vec<u8> = (0..3000u32)
            .flat_map(|i| [&b"a:"[..], b"url", b"ftp.", b":/", b"\xFF"][(i * i % 97 % 5) as usize])
            .copied()
            .collect();
        for len in (0..200).chain([text.len()]) {
            for from in [0, 1, 7].map(|from| from.min(len)) {
                let all = |finder: Finder| {
                    let mut found = Vec::new();
                    let mut next = from;
                    while let Some(at) = finder.find(&text, next, len) {
                        found.push(at);
                        next = at + 1;
                    }
                    found
                };
                let plain = all(Finder::new(Asked::default(), true));
                assert_eq!(all(Finder::new(Asked::default(), false)), plain, "{len}");
                assert_eq!(all(Finder::Any), plain, "{len}");
                let asked = Asked {
                    dots: true,
                    ..Asked::default()
                };
                let dots = all(Finder::new(asked, true));
                assert_eq!(all(Finder::new(asked, false)), dots, "{len}");
                assert!(len < 200 || dots.len() > plain.len() && plain.len() > 300);
            }
        }
    }
}
