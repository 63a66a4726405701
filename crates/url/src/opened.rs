//! What a browser, or the program to which it hands a link, opens for a text that the grammar
//! refuses.
//!
//! A browser passes `mailto:` and `tel:` on as they are, and mail programs mend what people
//! write there: a blank before the address, `mailto://`, a name with the address in brackets.
//! The rules here are those on which mail programs agree. Where they differ (`;` between
//! addresses), the link is printed as written.

use std::net::{Ipv4Addr, Ipv6Addr};

use ::url::Host;

use super::whatwg::parse;
use super::{Profile, decoded, measure};
use urlgrep_base::variables::is_variable;

/// Schemes of the web, whose links must have a host that is an IP address or has a dot.
/// `https:///un/x` was not meant to open a host `un`.
const WEB: [&str; 5] = ["http", "https", "ftp", "ws", "wss"];

/// Schemes of names, and of files on the machine of the author. If the grammar refuses them,
/// no program opens them.
const NAMES: [&str; 10] = [
    "about",
    "blob",
    "cid",
    "data",
    "doi",
    "file",
    "javascript",
    "mid",
    "nntp",
    "urn",
];

/// The serialised URL of a text that a browser or a mail program would open. `is_link` is true
/// for the target of a link. Such a text has no other meaning, so more of them are opened.
///
/// The id of a `news` link has a `%` or two `#`, which RFC 5538 wants to be escaped. Outlook Express
/// wrote ids such as `#YTdUEIi#GA.224@a.example`.
pub fn opened(text: &[u8], is_link: bool) -> Option<String> {
    let url = parse(text).ok()?;
    let opens = match url.scheme() {
        "mailto" => {
            let is_opened = is_link || is_plain_address(url.path());
            return mailed(url.as_str()).filter(|_| is_opened);
        }
        scheme if WEB.contains(&scheme) => match url.host() {
            Some(Host::Domain(name)) => has_dot(name),
            host => host.is_some(),
        },
        "news" => {
            let id = text.get("news:".len()..)?;
            let (local, domain) = std::str::from_utf8(id).ok()?.split_once('@')?;
            let is_local = |b: u8| is_atom(b) || b"%#".contains(&b);
            (local.contains('%') || local.matches('#').count() > 1)
                && local.bytes().all(is_local)
                && !domain.is_empty()
                && domain.bytes().all(is_atom)
        }
        "tel" => return dialled(url.as_str()).filter(|_| is_link),
        scheme => is_link && url.cannot_be_a_base() && !NAMES.contains(&scheme),
    };
    opens.then(|| url.into())
}

/// True for a URL of the web that the grammar refuses only for marks that browsers keep:
///
/// * `|` and `^` in a query, and brackets there after the name of a parameter (`?a[]=1`) and around
///   a value (`?a=[1,2]`)
/// * a second `#` in the fragment (`https://matrix.to/#/#room:a.example`)
/// * `%_` in a fragment, as in the names of sections by tex2page (`#%_sec_2.2`)
/// * `"` in a query, and after the seconds of a place (`45°11'07.2"N`)
/// * `<` and `>` in the DOI of a journal of 1996 to 2001 (`…16<1661::AID-SIM968>3.0.CO;2-2`)
pub fn keeps(text: &[u8]) -> bool {
    let Ok(url) = parse(text) else {
        return false;
    };
    let is_doi =
        url.scheme() == "doi" || url.host_str().is_some_and(|host| host.ends_with("doi.org"));
    if !is_doi && !matches!(url.scheme(), "http" | "https" | "ws" | "wss") {
        return false;
    }
    let end = |mark: u8, from: usize| {
        let at = text[from..].iter().position(|&b| b == mark);
        at.map_or(text.len(), |at| from + at)
    };
    let fragment = end(b'#', 0);
    let query = end(b'?', 0).min(fragment);
    let mut plain = text.to_vec();
    // The length of the name of a parameter so far. `None` in its value.
    let mut name = None;
    // A value in brackets, up to the next parameter.
    let mut is_list = false;
    for (at, b) in plain.iter_mut().enumerate() {
        let is_in_query = query < at && at < fragment;
        let is_kept = match *b {
            b'<' | b'>' => is_doi && at < query,
            b'#' => at > fragment,
            b'%' => at > fragment && text.get(at + 1) == Some(&b'_'),
            b'|' | b'^' => is_in_query,
            b'"' => is_in_query || at < query && is_after_seconds(&text[..at]),
            b'[' | b']' => {
                is_list |=
                    *b == b'[' && at > query && text[at - 1] == b'=' && is_value(&text[at + 1..]);
                is_in_query && (is_list || name.is_some_and(|len| len > 0))
            }
            _ => false,
        };
        name = match *b {
            b'&' => {
                is_list = false;
                Some(0)
            }
            b'?' | b';' => Some(0),
            b'=' => None,
            _ => name.map(|len| len + 1),
        };
        if is_kept {
            *b = b'x';
        }
    }
    measure(Profile::Iri, &plain).is_ok()
}

/// True for the beginning of a URL that ends with the seconds of a place.
fn is_after_seconds(text: &[u8]) -> bool {
    let is_digit = text.last().is_some_and(u8::is_ascii_digit);
    let minutes = text.iter().rposition(|b| !b.is_ascii_digit() && *b != b'.');
    is_digit && minutes.is_some_and(|at| text[at] == b'\'')
}

/// Names of values beside those of [`is_variable`], as examples of queries have them.
const VALUES: [&[u8]; 16] = [
    b"apikey",
    b"city",
    b"country",
    b"domain",
    b"email",
    b"keyword",
    b"language",
    b"number",
    b"password",
    b"query",
    b"search",
    b"string",
    b"text",
    b"url",
    b"userid",
    b"value",
];

/// True if what follows an opening bracket is a value, and not the name of one: `[1,2]`, `[out:json]`,
/// `[slow]`, but not `[user_id]`, which names no page.
fn is_value(text: &[u8]) -> bool {
    /// The maximum length of a value that is looked at, because a URL may have a thousand.
    const LEN: usize = 256;
    let text = &text[..text.len().min(LEN)];
    let is_of_value = |b: &u8| b.is_ascii_digit() || b",:\"".contains(b);
    let close = text.iter().position(|&b| b == b']');
    close.is_some_and(|close| {
        let text = &text[..close];
        let is_word = text.len() > 1 && text.iter().all(u8::is_ascii_lowercase);
        text.iter().any(is_of_value) || is_word && !is_variable(text) && !VALUES.contains(&text)
    })
}

/// The link that a mail program reads in the `mailto:` link `url`. `None` if there is neither
/// an address with a domain nor a field, such as `?subject=…`.
///
/// ```text
/// mailto:%20ida@a.example             mailto:ida@a.example
/// mailto:mailto:ida@a.example         mailto:ida@a.example
/// mailto:Ida%20<ida@a.example>        mailto:ida@a.example
/// mailto:ida@a.example%20&subject=x   mailto:ida@a.example
/// mailto:ida@a.example, jo@a.example  mailto:ida@a.example,jo@a.example
/// mailto:ida%40a.example              the same
/// ```
pub fn mailed(url: &str) -> Option<String> {
    let rest = without_scheme(url)?;
    let (to, query) = match rest.split_once('?') {
        Some((to, query)) => (to, Some(query)),
        None => (rest, None),
    };
    let mut to = trim(to);
    while let Some(rest) = to.strip_prefix("//").or_else(|| without_scheme(to)) {
        to = trim(rest);
    }
    if let Some(address) = in_brackets(to) {
        to = address;
    }
    // `&subject=` without its `?`. No domain has a `&`.
    if let Some(at) = to.rfind('@')
        && let Some(fields) = to[at..].find('&')
    {
        to = trim(&to[..at + fields]);
    }
    let to = &without_blanks(to.trim_end_matches([',', ';']));
    let names_mail = match query {
        Some(query) if to.is_empty() => begins_field(query),
        _ => !to.is_empty() && to.split([',', ';']).all(is_address),
    };
    if !names_mail {
        return None;
    }
    let mended = match query {
        Some(query) => format!("mailto:{to}?{query}"),
        None => format!("mailto:{to}"),
    };
    Some(parse(mended.as_bytes()).ok()?.into())
}

/// True if `query` begins with the name of a field and `=`.
fn begins_field(query: &str) -> bool {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    let name = query.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(is_name))
}

fn without_scheme(text: &str) -> Option<&str> {
    const SCHEME: &str = "mailto:";
    let name = text.get(..SCHEME.len())?;
    let rest = &text[SCHEME.len()..];
    name.eq_ignore_ascii_case(SCHEME).then_some(rest)
}

/// `text` without blanks at its ends, which may be escaped.
fn trim(mut text: &str) -> &str {
    loop {
        let inner = text.trim_matches(' ');
        let inner = inner.strip_prefix("%20").unwrap_or(inner);
        let inner = inner.strip_suffix("%20").unwrap_or(inner);
        if inner.len() == text.len() {
            return text;
        }
        text = inner;
    }
}

/// The addresses without blanks before and after each.
fn without_blanks(to: &str) -> String {
    const MARKS: [char; 2] = [',', ';'];
    let parts = to.split_inclusive(MARKS).map(|part| {
        let address = part.strip_suffix(MARKS).unwrap_or(part);
        [trim(address), &part[address.len()..]].concat()
    });
    parts.collect()
}

/// The address in `Name <address>`.
fn in_brackets(to: &str) -> Option<&str> {
    let marks = [("<", ">"), ("%3C", "%3E"), ("%3c", "%3e")];
    marks.iter().find_map(|(open, close)| {
        let (_, rest) = to.split_once(open)?;
        let (address, after) = rest.split_once(close)?;
        after.is_empty().then(|| trim(address))
    })
}

/// True for an address with a domain. Its `@` may be escaped, or masked as in archives
/// (`ida%20at%20a.example`).
fn is_address(text: &str) -> bool {
    let address = trim(text).replace("%20at%20", "@").replace("%40", "@");
    match address.split_once('@') {
        Some((local, domain)) => {
            let is_domain = || domain.bytes().all(is_atom) && has_dot(domain);
            !local.is_empty()
                && local.bytes().all(is_atom)
                && (is_domain() || is_ip_address(domain))
        }
        None => false,
    }
}

/// True for one address without an escape, which may be in brackets.
fn is_plain_address(to: &str) -> bool {
    let inner = to.strip_prefix('<').and_then(|to| to.strip_suffix('>'));
    let to = inner.unwrap_or(to);
    !to.contains(['%', '[']) && is_address(to)
}

/// True for the address of a machine in brackets: `[192.0.2.7]`, `[IPv6:2001:db8::7]`.
fn is_ip_address(domain: &str) -> bool {
    let inside = domain.strip_prefix('[').and_then(|d| d.strip_suffix(']'));
    inside.is_some_and(|address| match address.strip_prefix("IPv6:") {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => address.parse::<Ipv4Addr>().is_ok(),
    })
}

/// The link that a telephone dials for the `tel:` link `url`. `None` if there is no number.
///
/// ```text
/// tel:%20555-0123             tel:555-0123
/// tel://555-0123              tel:555-0123
/// tel:+12025550123,,812%23    the same
/// ```
fn dialled(url: &str) -> Option<String> {
    let rest = trim(url.strip_prefix("tel:")?);
    let number = trim(rest.strip_prefix("//").unwrap_or(rest));
    if !is_number(number.split(['?', '#']).next()?) {
        return None;
    }
    Some(parse(["tel:", number].concat().as_bytes()).ok()?.into())
}

/// True for a telephone number: digits, the marks that people write between them, pauses and keys
/// (`,,812#`), and the letters of a number that is a word. Parameters follow it. Each mark may be
/// escaped.
fn is_number(path: &str) -> bool {
    let number = decoded(path);
    let number = number.split(|b| *b == b';').next().unwrap_or_default();
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"+-.()/*#, ".contains(b);
    number.iter().any(u8::is_ascii_digit) && number.iter().all(is_part)
}

fn has_dot(name: &str) -> bool {
    name.trim_end_matches('.').contains('.')
}

/// > atext = ALPHA / DIGIT / … (RFC 5322 section 3.2.3), and the dot between atoms.
fn is_atom(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$&'*+-./=?^_`{|}~".contains(&b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_that_programs_mend() {
        for (url, mended) in [
            ("mailto:%20a@b.example", Some("mailto:a@b.example")),
            ("mailto: a@b.example", Some("mailto:a@b.example")),
            (
                "MAILTO:a@b.example%20?subject=x",
                Some("mailto:a@b.example?subject=x"),
            ),
            ("mailto:mailto:a@b.example", Some("mailto:a@b.example")),
            ("mailto://a@b.example", Some("mailto:a@b.example")),
            (
                "mailto:Ann%20B%20%3Ca@b.example%3E",
                Some("mailto:a@b.example"),
            ),
            (
                "mailto:a@b.example%20<a@b.example>",
                Some("mailto:a@b.example"),
            ),
            ("mailto:a@b.example,", Some("mailto:a@b.example")),
            (
                "mailto:a@b.example%20&subject=x",
                Some("mailto:a@b.example"),
            ),
            (
                "mailto:a@b.example;c@d.example",
                Some("mailto:a@b.example;c@d.example"),
            ),
            (
                "mailto:a%40b.example?subject=x",
                Some("mailto:a%40b.example?subject=x"),
            ),
            (
                "mailto:a%20at%20b.example",
                Some("mailto:a%20at%20b.example"),
            ),
            (
                "mailto:a@b.example,%20c@d.example ?subject=x",
                Some("mailto:a@b.example,c@d.example?subject=x"),
            ),
            ("mailto:a@[192.0.2.7]", Some("mailto:a@[192.0.2.7]")),
            ("mailto:a@[192.0.2]", None),
            ("mailto:?subject=a/b", Some("mailto:?subject=a/b")),
            ("mailto:a=b@c.example", Some("mailto:a=b@c.example")),
            ("mailto:a@b@c.example", None),
            ("mailto:a@b", None),
            ("mailto:a%20b", None),
            ("mailto:?", None),
            ("mailto:?a b=c", None),
            ("mailto:", None),
            ("http://a.example/", None),
        ] {
            assert_eq!(mailed(url).as_deref(), mended, "{url}");
        }
    }

    #[test]
    fn numbers_that_programs_dial() {
        for (url, dialled) in [
            ("tel: 2025550123", "tel:2025550123"),
            ("tel:%202025550123", "tel:2025550123"),
            ("tel://+12025550123", "tel:+12025550123"),
            ("TEL:*21%23", "tel:*21%23"),
        ] {
            assert_eq!(
                opened(url.as_bytes(), true).as_deref(),
                Some(dialled),
                "{url}"
            );
        }
    }

    #[test]
    fn links_that_programs_open() {
        for (url, in_link, in_text) in [
            ("tel:2025550123", true, false),
            ("tel:(202)%20555-0123", true, false),
            ("tel:1-800-FLOWERS", true, false),
            ("tel:+372123%3B498%23", true, false),
            ("tel:%2B12025550123", true, false),
            ("tel:%2A21%23", true, false),
            ("tel:+12025550123,,812%23", true, false),
            ("tel:+1202555%2D0123%2c%2C812", true, false),
            ("tel:2025550123%21", false, false),
            ("tel:202555%", false, false),
            ("tel:", false, false),
            ("tel:me", false, false),
            ("ms-word:ofe|u|https://a.example/x.docx", true, false),
            ("data:a b,c", false, false),
            ("cid:a[b]", false, false),
            ("http://a.example/[", true, true),
            ("http://a/[", false, false),
            ("mailto:a|b@c.example", true, true),
            ("mailto:a%40b.example", true, false),
            ("mailto:a@[192.0.2.7]", true, false),
        ] {
            assert_eq!(opened(url.as_bytes(), true).is_some(), in_link, "{url}");
            assert_eq!(opened(url.as_bytes(), false).is_some(), in_text, "{url}");
        }
    }
}
