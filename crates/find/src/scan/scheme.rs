//! The scheme before a colon, which the bytes on both sides of the colon show.

use super::suffix;
use super::window::Window;
use crate::text::class::{is_scheme_byte, is_space};
use crate::text::schemes::{
    ALONE, SCHEME_MAX, SchemeShape, is_registered, is_slashed, shape, starts_url, used_alone,
};

/// A bit of [`BEFORE`] and [`AFTER`]. A colon matters if the bytes before and
/// after it share a bit. Every byte before a colon has this bit. After a colon
/// only the slash, the backslash, the backspace and the escape have it.
pub(super) const ANY: u8 = 1;
/// The byte before the colon may end a scheme that needs no `//`. The byte after it
/// is not white space.
pub(super) const SCHEME: u8 = 2;
/// The byte before the colon may end `mailto`, `news` or `http`. The byte after
/// it is white space, as in `<http: //a>` and `mailto: a@b`.
pub(super) const SPACED: u8 = 8;
/// The byte before the colon may end `URL`, or may be white space between `URL`
/// and the colon.
pub(super) const PREFIX: u8 = 4;

/// Stands between two letters that are printed one over the other.
pub(super) const BACKSPACE: u8 = 0x08;

/// Begins a code of a terminal.
pub(super) const ESCAPE: u8 = 0x1B;

/// The bits of a byte directly before a colon. This table and [`AFTER`] reject
/// nearly all colons of mail and news. A branch for each byte would be
/// unpredictable.
pub(super) static BEFORE: [u8; 256] = {
    let mut table = [ANY; 256];
    let mut i = 0;
    while i < ALONE {
        let name = used_alone(i);
        let last = name[name.len() - 1];
        table[last as usize] |= SCHEME;
        table[last.to_ascii_uppercase() as usize] |= SCHEME;
        i += 1;
    }
    let spaced = *b"oOsSpP";
    let mut i = 0;
    while i < spaced.len() {
        table[spaced[i] as usize] |= SPACED;
        i += 1;
    }
    table[b'l' as usize] |= PREFIX;
    table[b'L' as usize] |= PREFIX;
    table[BACKSPACE as usize] |= SCHEME;
    let mut b = 0;
    while b < 256 {
        table[b] |= if is_space(b as u8) { PREFIX } else { 0 };
        b += 1;
    }
    table
};

/// The bits of a byte directly after a colon. See [`BEFORE`].
pub(super) static AFTER: [u8; 256] = {
    let mut table = [PREFIX; 256];
    let mut b = 0;
    while b < 256 {
        table[b] |= if is_space(b as u8) { SPACED } else { SCHEME };
        b += 1;
    }
    table[b'/' as usize] |= ANY;
    // `https:\/\/a.example`, as in JSON.
    table[b'\\' as usize] |= ANY;
    // Letters that are printed twice, as in a page of nroff.
    table[BACKSPACE as usize] |= ANY;
    // The codes of a terminal: a search may have found the colon.
    table[ESCAPE as usize] |= ANY;
    table
};

/// The last two letters of the schemes in those that are used without `//`. The index
/// is the letter before the last, in either case. The value has one bit for each
/// last letter, by its low five bits.
static LAST_TWO: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < ALONE {
        let name = used_alone(i);
        let (first, second) = (name[name.len() - 2], name[name.len() - 1]);
        table[first as usize] |= 1 << (second & 31);
        table[first.to_ascii_uppercase() as usize] |= 1 << (second & 31);
        i += 1;
    }
    table
};

/// True if the two bytes directly before a colon may end a scheme of
/// those that are used without `//`. The second byte is compared only by its low five
/// bits.
#[inline]
pub(super) fn may_end(first: u8, second: u8) -> bool {
    LAST_TWO[first as usize] >> (second & 31) & 1 != 0
}

/// True if `before` ends in the last two letters of `URL` or `tel`, perhaps
/// with white space after them. `before` is the text before a colon. Only these
/// names end in an `l`. Case does not matter.
pub(super) fn may_end_prefix(before: &[u8]) -> bool {
    let end = before.iter().rposition(|&b| !is_space(b));
    let word = &before[..end.map_or(0, |i| i + 1)];
    matches!(word, [.., b'r' | b'R' | b'e' | b'E', b'l' | b'L'])
}

/// True if `before` ends in `mailto`, or in `<news`, `<http` or another such name.
/// `before` is the text before a colon and its white space.
#[inline]
pub(super) fn is_spaced(before: &[u8]) -> bool {
    // These names have three to six letters. Prose also ends in such letters,
    // but rarely after a `<`.
    let is_near = match before.last_chunk::<7>() {
        Some([a, b, c, d, ..]) => [a, b, c, d].contains(&&b'<'),
        None => true,
    };
    is_near && is_spaced_name(before) || before.ends_with(b"mailto")
}

/// [`is_spaced`] for a text with a `<` near its end.
#[cold]
fn is_spaced_name(before: &[u8]) -> bool {
    let Some(open) = before.iter().rposition(|&b| b == b'<') else {
        return false;
    };
    let name = &before[open + 1..];
    is_slashed(name) || matches!(shape(name), Some(SchemeShape::At | SchemeShape::Group))
}

/// The common schemes of mail. If a word is glued to the scheme, they are
/// preferred to a rarer scheme with the same last letters (`shttp`, `sftp`).
const COMMON: [&[u8]; 7] = [
    b"https", b"http", b"ftp", b"news", b"gopher", b"telnet", b"file",
];

/// The position of a scheme in a run of scheme characters before `://`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scheme {
    /// Index of the first byte of the scheme in the run.
    pub(super) start: usize,
    /// True if bytes of the run precede the scheme.
    pub(super) glued: bool,
    /// Index of another scheme that ends at the same byte.
    pub(super) other: Option<usize>,
}

/// True if the colon at `colon` may end an experimental scheme directly after a bracket, which is
/// the wrapper that draft-ietf-uri-url-03 recommends:
///
/// > Experimental scheme identifiers may be used by mutual agreement between parties, and must
/// > start with the characters "x-".
pub(super) fn is_experimental(bytes: &[u8], colon: usize) -> bool {
    let before = &bytes[colon.saturating_sub(SCHEME_MAX + 1)..colon];
    let name = before.iter().rev().take_while(|&&b| is_scheme_byte(b));
    let (before, name) = before.split_at(before.len() - name.count());
    before.ends_with(b"<") && matches!(name, [b'x' | b'X', b'-', _, ..])
}

/// The index of `http` or `https` at the end of `before`, unless the byte before it may
/// belong to a scheme.
#[inline]
pub(super) fn web(before: &[u8]) -> Option<usize> {
    let name = before.strip_suffix(b"s").unwrap_or(before);
    let rest = name.strip_suffix(b"http")?;
    let is_free = !rest.last().is_some_and(|&b| is_scheme_byte(b));
    is_free.then_some(rest.len())
}

/// True if `before` ends with `http` or `https`, perhaps after the mark of a robot's address: `(+https`.
#[inline]
pub(super) fn ends_web(before: &[u8]) -> bool {
    web(before).is_some() || is_marked_web(before)
}

#[cold]
fn is_marked_web(before: &[u8]) -> bool {
    let name = before.strip_suffix(b"s").unwrap_or(before);
    let rest = name.strip_suffix(b"+http");
    rest.is_some_and(|rest| !rest.last().is_some_and(|&b| is_scheme_byte(b)))
}

/// True if the colon of `http` or `https` ends its line. The width of a terminal may have broken
/// the scheme there.
#[inline]
pub(super) fn ends_row(bytes: &[u8], colon: usize) -> bool {
    matches!(bytes.get(colon + 1), Some(b'\r' | b'\n')) && ends_web(&bytes[..colon])
}

/// Finds the scheme at the end of `run`, the scheme characters directly before
/// `://`. It is the whole run if that is registered. Otherwise it is the
/// longest registered suffix of the run, or a shorter suffix in [`COMMON`] that
/// follows a letter. Otherwise it is the run if that looks like a scheme. `cut`
/// means that the run continues to the left, beyond the maximum length of a
/// scheme.
pub(super) fn before_slashes(run: &[u8], cut: bool) -> Option<Scheme> {
    if !cut && is_registered(run) {
        return Some(Scheme {
            start: 0,
            glued: false,
            other: None,
        });
    }
    if let Some(longest) = (1..run.len()).find(|&i| is_registered(&run[i..])) {
        let is_common = |i: &usize| {
            run[i - 1].is_ascii_alphabetic()
                && COMMON
                    .iter()
                    .any(|name| run[*i..].eq_ignore_ascii_case(name))
        };
        let common = (longest + 1..run.len()).find(is_common);
        return Some(Scheme {
            start: common.unwrap_or(longest),
            glued: true,
            other: common.map(|_| longest),
        });
    }
    let looks_like_one = !cut
        && run.first().is_some_and(u8::is_ascii_alphabetic)
        && !run.windows(2).any(|pair| pair == b"..");
    looks_like_one.then_some(Scheme {
        start: 0,
        glued: false,
        other: None,
    })
}

/// As [`starts_url`], for the bytes from `i` on.
pub(super) fn starts_at(w: &Window<'_>, i: usize) -> bool {
    let next = w.slice(i, SCHEME_MAX + 3);
    let len = next.iter().take_while(|&&b| is_scheme_byte(b)).count();
    // Ask for more bytes if these could be the beginning of a scheme and `://`.
    if next.len() < SCHEME_MAX + 3 && b"://".starts_with(&next[len..]) {
        let _ = w.at(i + next.len());
    }
    starts_url(next)
}

/// True if another URL starts at `i`.
pub(super) fn url_follows(w: &Window<'_>, i: usize) -> bool {
    starts_at(w, i) || w.suffixes && suffix::starts(w.slice(i, SCHEME_MAX + 3)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_two_letters_tell_a_scheme_from_a_word() {
        for name in (0..ALONE).map(used_alone) {
            let [.., first, second] = *name else {
                panic!("a scheme of one letter")
            };
            assert!(may_end(first, second));
            assert!(may_end(first.to_ascii_uppercase(), second));
            assert!(may_end(first, second.to_ascii_uppercase()));
        }
        // The endings of the words before most colons of a message.
        for (first, second) in [(b't', b'e'), (b'c', b't'), (b'o', b'm'), (b'i', b'a')] {
            assert!(!may_end(first, second));
        }
    }

    #[test]
    fn runs_before_slashes() {
        fn found(run: &str) -> Option<(&str, bool)> {
            before_slashes(run.as_bytes(), false).map(|s| (&run[s.start..], s.glued))
        }
        assert_eq!(found("http"), Some(("http", false)));
        assert_eq!(web(b"(http"), Some(1));
        assert!([&b"xhttp"[..], b".https", b"http:"].map(web) == [None; 3]);
        assert_eq!(found("HTTPS"), Some(("HTTPS", false)));
        assert_eq!(found("websitehttp"), Some(("http", true)));
        assert_eq!(found("season.http"), Some(("http", true)));
        assert_eq!(found("svn+ssh"), Some(("svn+ssh", false)));
        assert_eq!(found("hxxp"), Some(("hxxp", false)));
        assert_eq!(found("9foo"), None);
        assert_eq!(found("a..b"), None);
        assert_eq!(found(""), None);
    }
}
