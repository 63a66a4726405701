//! The registered domain of a host, by the Public Suffix List.

use psl::Psl as _;

/// The maximum length of a host that is looked up. A name of the DNS is at
/// most this long without its final dot.
const HOST_MAX: usize = 253;

/// The registered domain of `host`: its public suffix, such as `co.uk`, and
/// one more label. A final dot is left out.
///
/// The list is the one of the crate `psl`, <https://publicsuffix.org/list/>,
/// with its section of private domains. So the domain of `ann.github.io` is
/// `ann.github.io`. As the rules of the list say, a suffix that is not on the
/// list is one label. `None` for a public suffix, for a name of one label, for
/// an address, and for a host with escapes.
///
/// # Complexity
///
/// Linear in the length, which is at most 253. No allocation.
///
/// ```
/// use urlgrep::url::registered_domain;
///
/// assert_eq!(registered_domain(b"www.Example.CO.uk"), Some(&b"Example.CO.uk"[..]));
/// assert_eq!(registered_domain(b"co.uk"), None);
/// assert_eq!(registered_domain(b"192.0.2.1"), None);
/// ```
#[must_use]
pub fn registered_domain(host: &[u8]) -> Option<&[u8]> {
    let host = host.strip_suffix(b".").unwrap_or(host);
    let mut lower = [0; HOST_MAX];
    let lower = lower.get_mut(..host.len())?;
    lower.copy_from_slice(host);
    lower.make_ascii_lowercase();
    // An address ends in a number or a bracket.
    let last = host.rsplit(|&b| b == b'.').next()?;
    let is_address = last.iter().all(u8::is_ascii_digit) || last.ends_with(b"]");
    if is_address || memchr::memchr(b'%', host).is_some() {
        return None;
    }
    let suffix = psl::List.find(lower.rsplit(|&b| b == b'.')).len;
    let before = host.len().checked_sub(suffix + 1)?;
    let start = memchr::memrchr(b'.', &host[..before]).map_or(0, |at| at + 1);
    (start < before).then(|| &host[start..])
}
