//! The registered domain of a host, according to the Public Suffix List.

use psl::Psl as _;

/// The maximum length of a host that is looked up. A DNS name has at most this
/// length, without its final dot.
const HOST_MAX: usize = 253;

/// The registered domain of `host`. It is the public suffix, such as `co.uk`,
/// and the label before it. A final dot is left out.
///
/// The list comes from the crate `psl`, <https://publicsuffix.org/list/>, and
/// includes the section of private domains. So the registered domain of
/// `ann.github.io` is `ann.github.io`. A suffix that is not on the list counts
/// as one label, as the rules of the list say.
///
/// `None` for a public suffix, for a name of one label, for an address, for a
/// host with escapes, and for a host of more than 253 bytes.
///
/// # Complexity
///
/// Linear in the length of a host of at most 253 bytes, else constant. No
/// allocation.
pub fn registered_domain(host: &[u8]) -> Option<&[u8]> {
    let host = host.strip_suffix(b".").unwrap_or(host);
    let mut lower = [0; HOST_MAX];
    let lower = lower.get_mut(..host.len())?;
    lower.copy_from_slice(host);
    lower.make_ascii_lowercase();
    // An address ends in a number or a bracket.
    let is_dot = |&b: &u8| b == b'.';
    let last = &lower[lower.iter().rposition(is_dot).map_or(0, |at| at + 1)..];
    let is_address = last.iter().all(u8::is_ascii_digit) || last.ends_with(b"]");
    if is_address || lower.contains(&b'%') {
        return None;
    }
    let suffix = public_suffix(lower).len;
    let before = host.len().checked_sub(suffix + 1)?;
    let label = lower.get(..before)?.iter().rposition(is_dot);
    let start = label.map_or(0, |at| at + 1);
    host.get(start..).filter(|_| start < before)
}

/// True if `host` ends with a suffix of the list.
pub fn has_known_suffix(host: &[u8]) -> bool {
    host.len() <= HOST_MAX && public_suffix(&host.to_ascii_lowercase()).typ.is_some()
}

/// True if `host` has a registered domain below a suffix of the list.
pub fn is_registered(host: &[u8]) -> bool {
    has_known_suffix(host) && registered_domain(host).is_some()
}

/// The public suffix of `host`, in small letters. The only call of the list: it is some 11,000
/// functions that are generic over the iterator, and are compiled again for each type of it.
fn public_suffix(host: &[u8]) -> psl::Info {
    psl::List.find(Labels { rest: Some(host) })
}

/// The labels of a host, from the last to the first.
struct Labels<'a> {
    rest: Option<&'a [u8]>,
}

impl<'a> Iterator for Labels<'a> {
    type Item = &'a [u8];

    /// Never inlined: with a copy of it in each function, the list takes a third longer to compile.
    #[inline(never)]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let dot = rest.iter().rposition(|&b| b == b'.');
        self.rest = dot.map(|dot| &rest[..dot]);
        Some(dot.map_or(rest, |dot| &rest[dot + 1..]))
    }
}
