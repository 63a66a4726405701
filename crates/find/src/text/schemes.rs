//! The names of schemes, and what must follow those that are used without `//`.

use super::class::is_scheme_byte;
use urlgrep_base::names::{key, keys};
use urlgrep_base::words::words;

/// The maximum length of a scheme in bytes.
pub const SCHEME_MAX: usize = 32;

/// The shape of the text that must follow a scheme without `//`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemeShape {
    /// `mailto`, `mid`, `cid`: an `@`.
    At,
    /// `news`, `snews`: an `@` or a dotted group. Between delimiters also `*`.
    Group,
    /// `data`: a comma, `;` or a media type (RFC 2397), and a comma.
    Comma,
    /// `doi`: `10.`.
    Doi,
    /// `tel`: `+` or a digit.
    Digit,
    /// `sip`, `sips`, `xmpp`: an `@` or a host.
    Host,
    /// `magnet`: `?`.
    Question,
    /// `urn`: a namespace, a colon and a name.
    Nid,
    /// `sms`: `+` and a digit, or five digits.
    Number,
    /// `geo`: a latitude, a comma and a longitude (RFC 5870).
    Place,
    /// `nntp`, `fax`: allowed only with an explicit mark.
    Marked,
    /// `http`, `ftp` and other schemes without their `//`. Allowed only with an
    /// explicit mark, and not in quotation marks. Elsewhere one slash and a host are a
    /// candidate, which the grammar refuses, because a reader sees a URL: `http:/a.example/b`.
    Slashed,
    /// A slash and a letter or digit: `file:/tmp/x` (RFC 8089).
    Path,
}

/// The names of schemes that are used without `//`. The text after them must
/// have their shape, because "Good news: ..." and "the data:" are prose.
const SHAPED: [(&[u8], SchemeShape); 17] = [
    (b"mailto", SchemeShape::At),
    (b"news", SchemeShape::Group),
    (b"mid", SchemeShape::At),
    (b"cid", SchemeShape::At),
    (b"urn", SchemeShape::Nid),
    (b"tel", SchemeShape::Digit),
    (b"sip", SchemeShape::Host),
    (b"sips", SchemeShape::Host),
    (b"xmpp", SchemeShape::Host),
    (b"magnet", SchemeShape::Question),
    (b"doi", SchemeShape::Doi),
    (b"data", SchemeShape::Comma),
    (b"snews", SchemeShape::Group),
    (b"nntp", SchemeShape::Marked),
    (b"fax", SchemeShape::Marked),
    (b"sms", SchemeShape::Number),
    (b"geo", SchemeShape::Place),
];

/// The schemes of RFC 1738 that are followed by `//`. After an explicit mark, a
/// URL without the slashes is also a candidate: `<http:www.example.org/>`.
const SLASHED: [&[u8]; 7] = [
    b"http", b"https", b"ftp", b"file", b"gopher", b"telnet", b"wais",
];

/// The keys of [`SHAPED`] and [`SLASHED`].
const SHAPED_KEYS: [u64; SHAPED.len()] = {
    let mut keys = [0; SHAPED.len()];
    let mut i = 0;
    while i < SHAPED.len() {
        keys[i] = key(SHAPED[i].0);
        i += 1;
    }
    keys
};
const SLASHED_KEYS: [u64; SLASHED.len()] = keys(&SLASHED);

/// True for a scheme of RFC 1738 that is followed by `//`. Ignores case.
pub(crate) fn is_slashed(name: &[u8]) -> bool {
    SLASHED_KEYS.contains(&key(name))
}

/// The shape that the scheme `name` needs, if it is used without `//`. Case
/// does not matter.
pub(crate) fn shape(name: &[u8]) -> Option<SchemeShape> {
    let key = key(name);
    let at = SHAPED_KEYS.iter().position(|&shaped| shaped == key)?;
    Some(SHAPED[at].1)
}

/// The number of schemes that are used without `//`.
pub(crate) const ALONE: usize = SHAPED.len() + SLASHED.len();

/// The scheme at index `i` of those that are used without `//`.
pub(crate) const fn used_alone(i: usize) -> &'static [u8] {
    if i < SHAPED.len() {
        SHAPED[i].0
    } else {
        SLASHED[i - SHAPED.len()]
    }
}

/// Names registered with IANA that occur before `://`, and unregistered names
/// that occur in mail and news (`shttp`, `svn+ssh`, `feed` …). Sorted by bytes.
static REGISTERED: [&str; 204] = words(include_str!("schemes.txt"));

/// The schemes of links, with `//` or without. Sorted by bytes.
static IANA: [&str; 376] = words(include_str!("iana.txt"));

pub(crate) fn is_registered(name: &[u8]) -> bool {
    // Nearly all schemes of mail and news are these.
    is_slashed(name) || is_in(&REGISTERED, name)
}

/// True for a scheme of IANA's registry, or of Office. Ignores case.
pub(crate) fn is_iana(name: &[u8]) -> bool {
    is_in(&IANA, name)
}

/// True if `name` is in `list`, which is sorted by bytes. Ignores case.
fn is_in(list: &[&str], name: &[u8]) -> bool {
    let lower = |b: &u8| b.to_ascii_lowercase();
    list.binary_search_by(|entry| entry.bytes().cmp(name.iter().map(lower)))
        .is_ok()
}

/// True if `bytes` start with a registered scheme and `://`, or with a scheme of
/// [`SHAPED`], a colon and a graphic byte. After a comma this is another URL.
pub(crate) fn starts_url(bytes: &[u8]) -> bool {
    let len = bytes.iter().take_while(|&&b| is_scheme_byte(b)).count();
    let (name, rest) = bytes.split_at(len);
    match rest {
        [b':', b'/', b'/', ..] => is_registered(name),
        [b':', next, ..] => shape(name).is_some() && next.is_ascii_graphic(),
        _ => false,
    }
}

/// The index of the first `://` in `text`, which shows a URL, whatever its scheme.
pub(crate) fn slashes(text: &[u8]) -> Option<usize> {
    // To build a searcher for three bytes takes longer.
    memchr::memchr_iter(b':', text).find(|&at| text[at..].starts_with(b"://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_byte_order() {
        for list in [&REGISTERED[..], &IANA] {
            assert!(list.is_sorted());
        }
        assert!(REGISTERED.iter().all(|s| s.len() <= SCHEME_MAX));
    }
}
