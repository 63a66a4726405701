//! Top-level domains. They tell a host that is whole from one that a line end cut.

use urlgrep_base::words::words;

/// The top-level domains. Sorted by bytes.
static TOPS: [&str; 1453] = words(include_str!("tlds.txt"));

/// True if `label` is a top-level domain. Ignores case.
pub(super) fn is_top(label: &[u8]) -> bool {
    let lower = |b: &u8| b.to_ascii_lowercase();
    TOPS.binary_search_by(|top| top.bytes().cmp(label.iter().map(lower)))
        .is_ok()
}

/// True for a host of two labels or more whose last one is a top-level domain.
pub(super) fn is_whole(host: &[u8]) -> bool {
    let dot = memchr::memrchr(b'.', host);
    dot.is_some_and(|dot| dot > 0 && is_top(&host[dot + 1..]))
}

/// The host at the beginning of `text`, which follows the slashes of a URL. Without login and
/// port.
pub(super) fn host(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|b| b"/?#".contains(b));
    let authority = &text[..end.unwrap_or(text.len())];
    let start = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
    let host = &authority[start..];
    &host[..memchr::memchr(b':', host).unwrap_or(host.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_byte_order() {
        assert!(TOPS.is_sorted());
        assert!(is_top(b"DE") && is_top(b"example") && !is_top(b"exampl") && !is_top(b""));
    }

    #[test]
    fn hosts_are_whole_or_cut() {
        for whole in ["www.x.com", "a.example", "WWW.X.DE"] {
            assert!(is_whole(whole.as_bytes()), "{whole}");
        }
        for cut in ["www", "www.exam", ".com", "localhost", "www.x.", ""] {
            assert!(!is_whole(cut.as_bytes()), "{cut}");
        }
        assert_eq!(host(b"ann:x@a.example:80/b@c"), b"a.example");
        assert_eq!(host(b"a.example?b"), b"a.example");
    }
}
