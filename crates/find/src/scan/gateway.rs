//! Links of mail gateways, which have marks of their own where they end.

use urlgrep_url::gateways::{LINK_ENDS, LinkEnd, Marks};

/// The marks of the link of a mail gateway. `url` begins before the body
/// of the URL, with the last byte of `://` if it has that.
pub(super) fn end_marks(url: &[u8]) -> Option<Marks> {
    let url = url.strip_prefix(b"/")?;
    let (host, path) = url.split_at(memchr::memchr(b'/', url)?);
    // Few other paths begin so.
    path.get(1).filter(|b| b"?v".contains(b))?;
    let fits = |end: &&LinkEnd| {
        host.ends_with(end.host.as_bytes()) && path.starts_with(end.path.as_bytes())
    };
    LINK_ENDS.iter().find(fits).map(|end| end.marks)
}
