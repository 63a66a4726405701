//! Valid URLs are found, wrapped and bare.

use urlgrep::Profile;
use urlgrep_find::scan::{Form, SCHEME_MAX};

use super::hit::{describe_hit, hits, hits_replay};

/// A wrapper and the text around it.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// The quote or comment marks before each line.
    pub leader: &'a str,
    /// LF, CRLF or CR.
    pub line_end: &'a str,
    /// White space between the leader and the URL on a continuation line.
    pub indent: &'a str,
    /// White space before a line break.
    pub trail: &'a str,
    /// The start of the wrapper: `<URL:`, in any case, with white space.
    pub open: &'a str,
}

/// True if a wrapper can contain `url` and nothing else.
///
/// There are two exceptions. If the scheme is `url`, `<URL:url:x>` is read as a
/// doubled prefix. If `url` does not begin like a URL or a partial form, there is
/// no wrapper. RFC 1738 allows the scheme `+x`, but `<URL:+x:y>` is not a wrapper,
/// because code has many similar strings (`"<URL:" + $url`).
pub fn can_be_wrapped(url: &[u8]) -> bool {
    let doubled = url.len() >= 4 && url[..4].eq_ignore_ascii_case(b"url:");
    !doubled
        && url
            .first()
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.')
}

/// A valid URL in `<URL:…>` is found if line breaks are inserted before the bytes
/// at `places`. The length of the URL as a place means a line break before the
/// closing bracket.
pub fn broken_wrapper_is_found(profile: Profile, url: &[u8], layout: Layout<'_>, places: &[usize]) {
    if !can_be_wrapped(url) {
        return;
    }
    let mut text = format!("{}Look: {}", layout.leader, layout.open).into_bytes();
    let (mut line, mut start, mut end) = (0, 0, 0);
    for at in 0..=url.len() {
        if places.contains(&at) && may_break(url, at, layout, text.len() - line) {
            text.extend(layout.trail.bytes());
            text.extend(layout.line_end.bytes());
            line = text.len();
            text.extend(layout.leader.bytes());
            text.extend(layout.indent.bytes());
        }
        if at == 0 {
            start = text.len();
        }
        if let Some(&byte) = url.get(at) {
            text.push(byte);
            end = text.len();
        }
    }
    text.extend(b"> and so on.");
    text.extend(layout.line_end.bytes());
    let hits = hits(profile, &text);
    let found = match &hits[..] {
        [hit] => {
            hit.text() == url
                && hit.form() == Form::Wrapped
                && hit.url().is_ok()
                && hit.doubts().is_empty()
                && (hit.span().start, hit.span().end) == (start as u64, end as u64)
        }
        _ => false,
    };
    assert!(
        found,
        "{profile}: {} in {}\nfound {:#?}",
        url.escape_ascii(),
        text.escape_ascii(),
        hits.iter().map(describe_hit).collect::<Vec<_>>()
    );
    hits_replay(profile, &text);
}

/// True if a line break before the byte at `at`, with `column` bytes before it
/// on its line, leaves only one way to read the wrapper.
///
/// There are three exceptions:
///
/// * Without white space before the line break, and without a leader and an indent
///   after it, a final `=` on a line of 73 to 76 bytes is read as a soft break of
///   quoted-printable.
/// * Before the closing bracket, a line break could turn the bracket into a quote
///   mark.
/// * A line in a wrapper that starts with a scheme starts a new URL.
fn may_break(url: &[u8], at: usize, layout: Layout<'_>, column: usize) -> bool {
    let soft = at > 0
        && url[at - 1] == b'='
        && (73..=76).contains(&column)
        && [layout.leader, layout.indent, layout.trail] == [""; 3];
    let quote = at == url.len() && layout.leader.ends_with('>') && layout.indent.is_empty();
    let rest = &url[at..];
    let name = rest.iter().take_while(|b| is_scheme_byte(b)).count();
    let new_url = at > 0 && name > 0 && rest.get(name) == Some(&b':');
    !soft && !quote && !new_url
}

fn is_scheme_byte(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || b"+-.".contains(b)
}

/// True if `url`, which is valid, is found as a whole between spaces.
///
/// It has `://`, or a registered scheme with its shape. It ends in a letter, a
/// digit or `/`, and its brackets balance. These conditions apply too:
/// * There is text after the `://`.
/// * Its scheme has 2 to 32 letters, digits, `+`, `-` and `.`, starts with a
///   letter, and has no `..`. It is not `url`, which is a prefix, and does not end
///   in `url` after `+`, `-` or `.`.
/// * It has no `"`, which the first drafts allow.
/// * It has no comma directly before a possible scheme and its colon.
/// * It has no bracket or quote in the form of HTML (`&gt;`).
/// * If it has no `://`, its first `@` is not after three dots.
/// * It does not end in `'s`, in `*/`, in four dots and digits, or in an apostrophe and lower-case
///   letters after a host or a slash.
/// * It has no `''` and no `&&` before its query, and no other scheme directly after `://`.
/// * Its host is not only `www`.
pub fn is_found_bare(url: &[u8]) -> bool {
    let Some(colon) = url.iter().position(|&b| b == b':') else {
        return false;
    };
    let (scheme, rest) = (&url[..colon], &url[colon + 1..]);
    let ends_in_url = scheme.len() >= 3
        && scheme[scheme.len() - 3..].eq_ignore_ascii_case(b"url")
        && !scheme[..scheme.len() - 3]
            .last()
            .is_some_and(u8::is_ascii_alphanumeric);
    let good_scheme = (2..=SCHEME_MAX).contains(&scheme.len())
        && scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(is_scheme_byte)
        && !scheme.windows(2).any(|pair| pair == b"..")
        && !ends_in_url;
    let last = url.last().copied().unwrap_or_default();
    let good_end = (last.is_ascii_alphanumeric() || last == b'/') && !url.ends_with(b"'s");
    let second = url.iter().enumerate().any(|(i, &b)| {
        let after = &url[i + 1..];
        let run = after.iter().take_while(|b| is_scheme_byte(b)).count();
        matches!(b, b',' | b'!') && after.get(run) == Some(&b':')
    });
    let lower = url.to_ascii_lowercase();
    let html = [&b"&gt;"[..], b"&lt;", b"&quot;"]
        .iter()
        .any(|name| lower.windows(name.len()).any(|part| part == *name));
    good_scheme
        && good_end
        && !has_new_end(url)
        && balances(url)
        && !url.contains(&b'"')
        && !second
        && !html
        && match rest.strip_prefix(b"//") {
            Some(after) => !after.is_empty(),
            None => has_shape(&scheme.to_ascii_lowercase(), rest),
        }
}

/// True if the text has one of the marks that end a bare URL, or a part before its host.
fn has_new_end(url: &[u8]) -> bool {
    // A name that a program replaces.
    let is_name = |pair: &[u8]| pair[1] == b'$' && b"/=-_.".contains(&pair[0]);
    // A place in a file: `a.js:12`, `b:0+12`.
    let digits = url.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let is_place = digits > 0
        && matches!(url[..url.len() - digits].last(), Some(b':' | b'+'))
        && url.iter().filter(|&&b| b == b'/').count() > 2;
    // The size of a report in a record of DMARC: `mailto:ann@a.example!10m`.
    let size = url
        .iter()
        .rposition(|&b| b == b'!')
        .map(|at| &url[at + 1..]);
    let is_size = size.is_some_and(|size| {
        let number = match size {
            [number @ .., b'k' | b'm' | b'g' | b't'] => number,
            number => number,
        };
        !number.is_empty() && number.iter().all(u8::is_ascii_digit) && url.contains(&b'@')
    });
    // An address that an archive masks: `mid:ann...@a.example`.
    let at = url.iter().position(|&b| b == b'@').unwrap_or_default();
    let is_masked = url[..at].ends_with(b"...") && !url.windows(3).any(|part| part == b"://");
    if url.windows(2).any(is_name) || is_place || is_size || is_masked {
        return true;
    }
    let has = |part: &[u8]| url.windows(part.len()).any(|there| there == part);
    let before_query = url.split(|&b| b == b'?').next().unwrap_or_default();
    let has_early = |part: &[u8]| before_query.windows(2).any(|there| there == part);
    let dots = url
        .iter()
        .rev()
        .skip_while(|b| b.is_ascii_digit())
        .take_while(|b| **b == b'.');
    let tail: Vec<_> = url.rsplitn(2, |&b| b == b'\'').collect();
    let is_suffix = tail.len() == 2
        && tail[0].iter().all(u8::is_ascii_lowercase)
        && (tail[1].ends_with(b"/") || tail[1].iter().filter(|b| b"/?#".contains(b)).count() < 3);
    let lower = url.to_ascii_lowercase();
    let doubled = [&b"://http://"[..], b"://https://", b"://ftp://"];
    url.ends_with(b"*/")
        || dots.count() > 3
        || is_suffix
        || has_early(b"''")
        || has_early(b"&&")
        || has(b"<")
        || lower.ends_with(b"://www")
        || doubled
            .iter()
            .any(|part| lower.windows(part.len()).any(|there| there == *part))
}

/// True if every bracket closes an open one, and no bracket stays open.
fn balances(url: &[u8]) -> bool {
    [b"()", b"[]", b"{}"].iter().all(|pair| {
        let depth = url.iter().try_fold(0u32, |depth, b| match b {
            b if *b == pair[0] => Some(depth + 1),
            b if *b == pair[1] => depth.checked_sub(1),
            _ => Some(depth),
        });
        depth == Some(0)
    })
}

/// True if the text after a scheme without `//` has the shape of the scheme:
///
/// * mailto, mid, cid: an `@`
/// * news, snews, sip, sips, xmpp: an `@`, or a name with a dot
/// * data: a comma
/// * doi: starts with `10.`
/// * tel: starts with a digit, or with `+` and a digit
/// * magnet: starts with `?`
/// * urn: a NID, a colon and an NSS
///
/// Only the first `@` or comma counts. A letter, a digit or an escape follows it.
fn has_shape(scheme: &[u8], rest: &[u8]) -> bool {
    let inside = |byte: u8| {
        let near = &rest[..rest.len().min(300)];
        let at = near.iter().position(|&b| b == byte);
        at.and_then(|at| rest.get(at + 1))
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'%')
    };
    let dotted = || {
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"+-_.".contains(b);
        let len = rest.iter().take(300).take_while(|b| is_name(b)).count();
        let alnum = |b: u8| b.is_ascii_alphanumeric();
        rest.first().is_some_and(|&b| alnum(b))
            && rest[..len]
                .windows(3)
                .any(|p| p[1] == b'.' && alnum(p[0]) && alnum(p[2]))
    };
    match scheme {
        b"mailto" | b"mid" | b"cid" => inside(b'@'),
        b"news" | b"snews" | b"sip" | b"sips" | b"xmpp" => inside(b'@') || dotted(),
        b"data" => {
            let has_type = rest.contains(&b'/');
            inside(b',') && (matches!(rest, [b',' | b';', ..]) || has_type && is_media(rest))
        }
        b"doi" => rest.starts_with(b"10."),
        b"magnet" => rest.starts_with(b"?"),
        b"tel" => rest
            .strip_prefix(b"+")
            .unwrap_or(rest)
            .first()
            .is_some_and(u8::is_ascii_digit),
        b"urn" => rest
            .split(|&b| b == b':')
            .nth(1)
            .is_some_and(|name| !name.is_empty()),
        _ => false,
    }
}

/// True if `rest` begins with a type of RFC 6838 and its slash.
fn is_media(rest: &[u8]) -> bool {
    let types = [
        "application",
        "audio",
        "font",
        "image",
        "message",
        "model",
        "multipart",
        "text",
        "video",
    ];
    types.iter().any(|name| {
        let there = rest.get(..name.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes()))
            && rest.get(name.len()) == Some(&b'/')
            && rest
                .get(name.len() + 1)
                .is_some_and(u8::is_ascii_alphanumeric)
    })
}

/// A valid URL that [`is_found_bare`] is found between white space. If letters come
/// before a registered scheme, it is found without them. Returns whether the
/// property was tested.
pub fn bare_is_found(profile: Profile, url: &[u8], before: &str, after: &str) -> bool {
    if !is_found_bare(url) {
        return false;
    }
    let text = [before.as_bytes(), url, after.as_bytes()].concat();
    let hits = hits(profile, &text);
    let end = (before.len() + url.len()) as u64;
    let found = match &hits[..] {
        [hit] if hit.glued() => {
            let scheme = url.iter().position(|&b| b == b':').unwrap_or_default();
            let cut = url.len() - hit.text().len();
            url.ends_with(hit.text()) && cut < scheme && hit.span().end == end
        }
        [hit] => {
            hit.text() == url
                && hit.url().is_ok()
                && (hit.span().start, hit.span().end) == (before.len() as u64, end)
        }
        _ => false,
    };
    assert!(
        found && hits.iter().all(|hit| hit.form() == Form::Bare),
        "{profile}: {} in {}\nfound {:#?}",
        url.escape_ascii(),
        text.escape_ascii(),
        hits.iter().map(describe_hit).collect::<Vec<_>>()
    );
    true
}
