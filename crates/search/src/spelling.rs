//! Chooses between the two readings of a hyphen at a line end by the other URLs of the part.
//!
//! A hyphen at a line end has two readings: keep it or drop it, or end there or go on. If exactly one
//! of the two spellings stands elsewhere in the same part, we choose it: 26 of 26 such places were
//! right. So a hit with both readings waits for [`REACH`] bytes of its part, and what stands in them and
//! before it decides. All of this is counted in bytes of the text and in hits, so it is the same
//! however the text comes. A text without a header is no part, because a file can be searched in
//! ranges.

use super::Place;
use urlgrep_find::Hit;

/// The number of bytes of the part after a hit in which the other spelling is looked for.
const REACH: u64 = 64 * 1024;
/// The maximum number of hits within [`REACH`] bytes that wait for another spelling.
const MOST: usize = 16;

/// A hit whose hyphen at a line end may not be its own, in its other reading.
#[derive(Debug)]
pub(super) struct Spelling {
    hit: Hit,
    place: Place,
    /// Text offset after which nothing decides.
    pub(super) until: u64,
    /// The index of the first byte that differs.
    at: usize,
    /// The spelling of the hit stands elsewhere, and that of the other reading.
    has_own: bool,
    has_other: bool,
}

impl Spelling {
    /// The other reading of `hit`, `other`, at its place.
    pub(super) fn new(hit: &Hit, other: Hit, place: Place) -> Spelling {
        let (own, text) = (hit.text(), other.text());
        let at = own.iter().zip(text).take_while(|(a, b)| a == b).count();
        Spelling {
            until: hit.start() + REACH,
            hit: other,
            place,
            at,
            has_own: false,
            has_other: false,
        }
    }

    /// Notes that the part has the URL `text`. `own` is the text of the hit.
    pub(super) fn note(&mut self, own: &[u8], text: &[u8]) {
        // A hit that a line end cuts stands nowhere: another such one is cut in the same way.
        let is_cut = self.at == own.len();
        self.has_own |= !is_cut && begins_as(text, own, self.at);
        self.has_other |= begins_as(text, self.hit.text(), self.at);
    }

    /// Puts the right reading into `hit` and `place`, if that is known.
    pub(super) fn decide(mut self, hit: &mut Hit, place: &mut Place) {
        if self.has_own == self.has_other {
            return;
        }
        if self.has_other {
            std::mem::swap(hit, &mut self.hit);
            std::mem::swap(place, &mut self.place);
        }
        hit.forget_hyphen();
    }
}

/// True if `text` begins with the part of `url` up to the end of the name that has the byte at
/// `at`: the host, or a name of the path.
fn begins_as(text: &[u8], url: &[u8], at: usize) -> bool {
    let is_end = |b: &u8| b"/?#".contains(b);
    let len = url[at..]
        .iter()
        .position(is_end)
        .map_or(url.len(), |len| at + len);
    let (url, text) = (body(&url[..len]), body(text));
    let Some((start, rest)) = text.split_at_checked(url.len()) else {
        return false;
    };
    start.eq_ignore_ascii_case(url) && rest.first().is_none_or(|b| is_end(b) || *b == b':')
}

/// The URL without its scheme and slashes.
fn body(url: &[u8]) -> &[u8] {
    // To build a searcher takes longer than to read the scheme.
    let slashes = memchr::memchr_iter(b':', url).find(|&at| url[at + 1..].starts_with(b"//"));
    &url[slashes.map_or(0, |at| at + 3)..]
}

/// The last hits of a part that waited. It bounds how many wait at a time.
#[derive(Debug, Default)]
pub(super) struct Waited {
    starts: [u64; MOST],
    count: usize,
}

impl Waited {
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// True if the hit that starts at the text offset `at` may wait.
    pub(super) fn admits(&mut self, at: u64) -> bool {
        let place = &mut self.starts[self.count % MOST];
        if self.count >= MOST && *place + REACH > at {
            return false;
        }
        *place = at;
        self.count += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::begins_as;

    #[test]
    fn a_name_stands_elsewhere() {
        let is = |text: &str, url: &str| {
            let at = url.find('*').expect("a mark");
            begins_as(text.as_bytes(), url.replace('*', "").as_bytes(), at)
        };
        assert!(is(
            "http://helsinki.example/b",
            "http://hel*sinki.example/a"
        ));
        assert!(is("https://HELSINKI.example", "http://hel*sinki.example/a"));
        assert!(is(
            "http://a.example/programm/x",
            "http://a.example/pro*gramm/y"
        ));
        assert!(!is(
            "http://helsinki.example.org",
            "http://hel*sinki.example/a"
        ));
        assert!(!is(
            "http://a.example/programmer",
            "http://a.example/pro*gramm/y"
        ));
        assert!(!is("http://a.example/pro", "http://a.example/pro*gramm"));
    }
}
