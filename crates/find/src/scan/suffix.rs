//! Hosts without a scheme.
//!
//! > traditional media (television, radio, newspapers, billboards, etc.) have
//! > increasingly used a suffix of the URI as a reference, consisting of only the
//! > authority and path portions of the URI … most registered names beginning
//! > with "www" are likely to have a URI prefix of "http://" (RFC 3986 4.5)
//!
//! Such a host begins with `www.`, `ftp.` or `gopher.`. Its first label
//! determines the scheme.

/// The first labels and their schemes.
const LABELS: [(&[u8], &[u8]); 3] = [
    (b"www", b"http://"),
    (b"ftp", b"ftp://"),
    (b"gopher", b"gopher://"),
];

/// File extensions that are not top-level domains: `ftp.tar.gz`.
const FILES: [&[u8]; 16] = [
    b"asp", b"cgi", b"css", b"doc", b"exe", b"gif", b"gz", b"htm", b"html", b"jpg", b"pdf", b"php",
    b"png", b"tar", b"tgz", b"txt",
];

/// The first label of a host without a scheme.
#[derive(Clone, Copy)]
pub(super) struct Label {
    /// Index of its first byte.
    pub(super) start: usize,
    /// The scheme and slashes for this label.
    pub(super) scheme: &'static [u8],
}

/// The first label that ends at `dot`. `None` if the bytes before it make it
/// part of a longer host, an address or a path. Bytes before `floor` belong to
/// another candidate.
pub(super) fn label(bytes: &[u8], floor: usize, dot: usize) -> Option<Label> {
    let before = bytes.get(floor..dot)?;
    let (name, scheme) = LABELS
        .iter()
        .find(|(name, _)| ends_with(before, name))
        .copied()?;
    let start = dot - name.len();
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b"-_.@/\\%+~$!".contains(&b);
    let is_first = start == floor || !is_part(bytes[start - 1]);
    is_first.then_some(Label { start, scheme })
}

/// True if the dot at `dot` may end a first label. Decides by the bytes next to
/// it.
#[inline]
pub(super) fn may_end(bytes: &[u8], dot: usize) -> bool {
    dot >= 3
        && matches!(bytes[dot - 1], b'w' | b'W' | b'p' | b'P' | b'r' | b'R')
        && LABELS
            .iter()
            .any(|(name, _)| ends_with(&bytes[..dot], name))
}

fn ends_with(bytes: &[u8], name: &[u8]) -> bool {
    bytes.len() >= name.len() && bytes[bytes.len() - name.len()..].eq_ignore_ascii_case(name)
}

/// The scheme for `bytes`, if they start with a first label, and the length of
/// that label with its dot.
pub(super) fn starts(bytes: &[u8]) -> Option<(&'static [u8], usize)> {
    let (name, scheme) = LABELS.iter().find(|(name, _)| {
        bytes.get(name.len()) == Some(&b'.') && ends_with(&bytes[..name.len()], name)
    })?;
    Some((scheme, name.len() + 1))
}

/// True if `text`, which starts with a first label, has a host that a reader
/// would recognise. The host needs a name and a top-level domain after the
/// label. If there is an `@` before the path, `text` is an address.
pub(super) fn has_host(text: &[u8]) -> bool {
    let end = text.iter().position(|b| b"/?#".contains(b));
    let authority = &text[..end.unwrap_or(text.len())];
    let host = authority.split(|&b| b == b':').next().unwrap_or_default();
    let mut labels = host.rsplit(|&b| b == b'.');
    let top = labels.next().unwrap_or_default();
    let is_label = |label: &[u8]| {
        !label.is_empty()
            && label
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii())
    };
    let is_top = top.len() > 1 && top.iter().all(|b| b.is_ascii_alphabetic() || !b.is_ascii())
        || top.len() > 4 && top[..4].eq_ignore_ascii_case(b"xn--");
    let is_file = end.is_none() && FILES.iter().any(|file| top.eq_ignore_ascii_case(file));
    !authority.contains(&b'@')
        && is_top
        && is_label(top)
        && !is_file
        && labels.clone().count() > 1
        && labels.all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_other_words() {
        let found = |text: &str| {
            let dot = text.find('.')?;
            let is = label(text.as_bytes(), 0, dot);
            assert!(is.is_none() || may_end(text.as_bytes(), dot));
            is.map(|label| (label.start, str::from_utf8(label.scheme).unwrap()))
        };
        assert_eq!(found("www."), Some((0, "http://")));
        assert_eq!(found("(WwW."), Some((1, "http://")));
        assert_eq!(found("x ftp."), Some((2, "ftp://")));
        assert_eq!(found("x:gopher."), Some((2, "gopher://")));
        for text in ["xwww.", "-www.", "@www.", "/www.", "ww.", "sftp.", "."] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn hosts_and_other_words() {
        for text in [
            "www.x.org",
            "www.x.org/a@b",
            "WWW.X.CO.UK:80",
            "ftp.x.org:/pub",
            "ftp.uu.net/a.tar.gz",
            "www.xn--a.xn--p1ai?q",
            "www.k\u{e4}se.de",
        ] {
            assert!(has_host(text.as_bytes()), "{text}");
        }
        for text in [
            "www.org",
            "www.x",
            "www.joe@x.org",
            "www.x.c",
            "ftp.tar.gz",
            "www.index.HTML",
            "www..org",
            "www.x.org,y",
            "www.1.2",
        ] {
            assert!(!has_host(text.as_bytes()), "{text}");
        }
    }
}
