//! Properties that must hold for every input, as plain functions. The property
//! tests here and the fuzz targets call them. Each function panics with the
//! difference.

use urlgrep::extract::FindIter;
use urlgrep::scan::{ALTERNATES_MAX, Candidate, Form, SCHEME_MAX, Scanner, is_ground};
use urlgrep::span::{Seam, SeamKind, Span};
use urlgrep::url::{Found, Parts, Rule, Url, resolve, validate};
use urlgrep::{Extractor, ExtractorBuilder, Hit, Profile};

/// All fields of a candidate, to compare.
fn describe(c: &Candidate) -> String {
    let mut out = format!(
        "{} line {:?} doubt {:?} glued {} continues {} too long {}",
        c.form().name(),
        c.line(),
        c.doubts(),
        c.glued(),
        c.continues(),
        c.too_long()
    );
    for r in c.readings() {
        let text = String::from_utf8_lossy(r.text);
        out += &format!(
            "\n  {} {text:?} {:?} {:?}",
            r.kind.name(),
            r.segments,
            r.seams
        );
    }
    out
}

/// The candidates of a haystack that is scanned as one slice.
pub fn whole(haystack: &[u8], plain: bool, url_max: usize) -> Vec<String> {
    let mut found = vec![];
    let mut scanner = Scanner::new().url_max(url_max);
    if plain {
        scanner = scanner.plain();
    }
    scanner.scan(haystack, |c| {
        found.push(describe(c));
        true
    });
    found
}

/// The candidates of a haystack that is fed in chunks of `size` bytes.
pub fn chunked(haystack: &[u8], size: usize, url_max: usize) -> Vec<String> {
    let mut found = vec![];
    let mut scanner = Scanner::new().url_max(url_max);
    for chunk in haystack.chunks(size.max(1)) {
        scanner.feed(chunk, |c| {
            found.push(describe(c));
            true
        });
    }
    scanner.finish(|c| {
        found.push(describe(c));
        true
    });
    found
}

/// Any chunking gives the candidates of one slice. The scanner that visits every
/// byte gives them too.
pub fn scan_is_independent_of_chunks(haystack: &[u8], sizes: &[usize], url_max: usize) {
    let expected = whole(haystack, false, url_max);
    assert_eq!(
        expected,
        whole(haystack, true, url_max),
        "fast and plain differ"
    );
    for &size in sizes {
        let found = chunked(haystack, size, url_max);
        if let Some(i) =
            (0..expected.len().max(found.len())).find(|&i| expected.get(i) != found.get(i))
        {
            panic!(
                "chunks of {size}: candidate {i}\nwhole: {}\nchunks: {}\nin {:?}",
                expected.get(i).map_or("none", |s| s),
                found.get(i).map_or("none", |s| s),
                String::from_utf8_lossy(haystack)
            );
        }
    }
}

/// A scan that stops at every candidate finds the candidates of a scan that does
/// not stop. After a stop it continues with the next chunk, or with an empty one.
pub fn a_stopped_feed_goes_on(haystack: &[u8], sizes: &[usize]) {
    let expected = whole(haystack, false, 8192);
    for &size in sizes {
        let mut found = vec![];
        let mut scanner = Scanner::new();
        for chunk in haystack.chunks(size) {
            let mut emit = |c: &Candidate| {
                found.push(describe(c));
                false
            };
            // After about a third of the stops, the next chunk is fed at once.
            let mut more = !scanner.feed(chunk, &mut emit) && !scanner.settled().is_multiple_of(3);
            while more {
                more = !scanner.feed(b"", &mut emit);
            }
        }
        while !scanner.finish(|c| {
            found.push(describe(c));
            false
        }) {}
        assert_eq!(found, expected, "chunks of {size}");
    }
}

/// Segments and seams of every reading are ordered, in bounds and disjoint. They
/// cover the extent of the reading and give its text.
pub fn readings_replay(haystack: &[u8], url_max: usize) {
    let mut last = 0;
    Scanner::new().url_max(url_max).scan(haystack, |c| {
        for r in c.readings() {
            let text = replayed(haystack, r.segments, r.seams);
            assert_eq!(text, r.text, "segments and seams give the text");
            assert!(!r.text.is_empty());
        }
        let first = c.readings().next().expect("at least one reading");
        let start = first.segments[0].start;
        assert!(
            start >= last,
            "candidates come in order: {start} after {last}"
        );
        last = first.segments.last().expect("a segment").end;
        true
    });
}

/// The scanner examines at most `15 n + c` bytes of a haystack of `n` bytes: once
/// for each of the reasons that `scan` lists. A text with one of these reasons
/// costs less than `4 n`. The worst mixture that a random search found costs less
/// than `9 n`. tests/hostile.rs has both.
pub fn scan_is_linear(haystack: &[u8]) {
    let mut scanner = Scanner::new();
    scanner.scan(haystack, |_| true);
    let (n, seen) = (haystack.len() as u64, scanner.examined());
    assert!(seen <= 15 * n + 4096, "{seen} bytes examined, of {n}");
}

/// The promises of a verdict. Returns whether `url` is valid.
///
/// The components of a valid URL give the URL. Its printed form is valid. Its
/// canonical form is a URL with the same parts, and is its own canonical form.
///
/// A reject names a byte of `url` or its end, and a rule of the profile.
pub fn url_keeps_its_promises(profile: Profile, url: &[u8]) -> bool {
    let valid = match validate(profile, url) {
        Ok(valid) => valid,
        Err(reject) => {
            let at = reject.at as usize;
            let found = url.get(at).map_or(Found::End, |&byte| Found::Byte(byte));
            assert_eq!(reject.found, found, "{profile} {reject}");
            assert!(at <= url.len(), "{profile} {reject}");
            assert!(
                profile.rules().contains(&reject.rule),
                "{profile} {reject}: not a rule of the profile"
            );
            return false;
        }
    };
    let shown = url.escape_ascii();
    assert_eq!(valid.as_bytes(), url);
    assert_eq!(valid.profile(), profile);
    assert_eq!(
        reassembled(&valid).escape_ascii().to_string(),
        shown.to_string(),
        "{profile}: the components of {shown}"
    );
    let printed = url.to_vec();
    assert!(
        validate(profile, &printed).is_ok(),
        "{profile} {shown}: again"
    );

    let mut canonical = vec![];
    valid.canonical_into(&mut canonical);
    let again = validate(profile, &canonical).unwrap_or_else(|reject| {
        panic!(
            "{profile} {shown}: canonical form {} refused: {reject}",
            canonical.escape_ascii()
        )
    });
    let mut twice = vec![];
    again.canonical_into(&mut twice);
    assert_eq!(
        canonical.escape_ascii().to_string(),
        twice.escape_ascii().to_string(),
        "{profile} {shown}: canonical form of the canonical form"
    );
    let names = |url: &Url<'_>| -> Vec<_> { url.components().map(|(name, _)| name).collect() };
    let (mut expected, found) = (names(&valid), names(&again));
    // A default port is dropped, and so is the colon of an empty port.
    if valid.port().is_some() && again.port().is_none() {
        let default = valid.port_number().is_none() || valid.port_number() == valid.default_port();
        assert!(default, "{profile} {shown}: a port is dropped");
        expected.retain(|&name| name != "port");
    }
    // RFC 8141 3.1: these components are not compared.
    if matches!(valid.parts(), Parts::Urn { .. }) {
        expected.retain(|&name| name != "query" && name != "fragment");
    }
    // "A void fragment-id … means that the URL refers to the whole object."
    if profile <= Profile::WwwUri00 && valid.fragment() == Some("") {
        expected.retain(|&name| name != "fragment");
    }
    assert_eq!(expected, found, "{profile} {shown}: canonical components");
    true
}

/// The URL built from its components, each after the delimiter that the
/// documents put before it.
fn reassembled(url: &Url<'_>) -> Vec<u8> {
    let mut out = vec![];
    let mut authority = false;
    for (name, part) in url.components() {
        let slashes = if authority { &b""[..] } else { b"//" };
        let has_host = url.host().is_some();
        let before: &[u8] = match name {
            "scheme" => b"",
            "user" => slashes,
            "host" if authority => b"@",
            "host" => slashes,
            "password" | "port" | "nss" => b":",
            "query" | "headers" => b"?",
            "typecode" => b";type=",
            "gtype" | "database" | "wtype" | "length" | "wpath" | "content-id" => b"/",
            // draft-ietf-uri-url-00: in prospero://path the host may be the whole path.
            "object" if url.path().is_empty() => b"",
            "object" => b"/",
            "group" | "article" if has_host => b"/",
            "number" if url.components().any(|(name, _)| name == "group") => b"/",
            "search" => match (url.scheme().eq_ignore_ascii_case("wais"), url.query()) {
                (false, None) => b"%09",
                _ => b"?",
            },
            "gopher-plus" => b"%09",
            "version" | "attributes" if url.profile() == Profile::Url00 => b"%23",
            "version" => b"%00",
            "fields" | "parameters" => b";",
            "fragment" => b"#",
            _ => b"",
        };
        authority |= matches!(name, "user" | "host");
        // The slash of a gopher URL without a type belongs to no component.
        if matches!(name, "search" | "fragment")
            && url.path() == "/"
            && matches!(url.parts(), Parts::Gopher { gtype: None, .. })
            && !out.ends_with(b"/")
        {
            out.push(b'/');
        }
        out.extend_from_slice(before);
        out.extend_from_slice(part.as_bytes());
        if name == "scheme" {
            out.push(b':');
        }
    }
    if url.path() == "/" && url.fragment().is_none() && out.len() + 1 == url.as_bytes().len() {
        out.push(b'/');
    }
    out
}

/// `resolve` does not panic for any two strings. A result is a URL of the
/// profile, by the production of its scheme or by the generic one.
pub fn resolve_answers(profile: Profile, base: &[u8], partial: &[u8]) {
    let Ok(result) = resolve(profile, base, partial) else {
        return;
    };
    assert!(validate(profile, base).is_ok());
    if validate(profile, result.as_bytes()).is_err() {
        // A URL of the same shape whose scheme has no production of its own.
        let other = format!("x{result}");
        let colon = result.find(':').expect("a scheme");
        assert!(
            validate(profile, other.as_bytes()).is_ok() || colon == 0,
            "{profile}: {} from {} and {}",
            result.escape_debug(),
            base.escape_ascii(),
            partial.escape_ascii()
        );
    }
}

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
            hit.url() == url
                && hit.form() == Form::Wrapped
                && hit.verdict().is_ok()
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
/// * It does not end in `'s`.
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
        b == b',' && after.get(run) == Some(&b':')
    });
    let lower = url.to_ascii_lowercase();
    let html = [&b"&gt;"[..], b"&lt;", b"&quot;"]
        .iter()
        .any(|name| lower.windows(name.len()).any(|part| part == *name));
    good_scheme
        && good_end
        && balances(url)
        && !url.contains(&b'"')
        && !second
        && !html
        && match rest.strip_prefix(b"//") {
            Some(after) => !after.is_empty(),
            None => has_shape(&scheme.to_ascii_lowercase(), rest),
        }
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
        b"data" => inside(b','),
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
            let cut = url.len() - hit.url().len();
            url.ends_with(hit.url()) && cut < scheme && hit.span().end == end
        }
        [hit] => {
            hit.url() == url
                && hit.verdict().is_ok()
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

/// The hits of a text.
pub fn hits(profile: Profile, text: &[u8]) -> Vec<Hit> {
    let builder = Extractor::builder().profile(profile).rejects(true);
    builder.build().find_iter(text).collect()
}

/// All fields of a hit, to compare.
pub fn describe_hit(hit: &Hit) -> String {
    let mut out = format!(
        "{} {} line {:?} doubt {:?} glued {} continues {} {:?} {:?}",
        hit.form().name(),
        hit.url().escape_ascii(),
        hit.line(),
        hit.doubts(),
        hit.glued(),
        hit.continues(),
        hit.segments(),
        hit.seams(),
    );
    match hit.verdict() {
        Ok(url) => out += &format!(" {:?}", url.parts()),
        Err(reject) => out += &format!(" {reject}"),
    }
    for other in hit.alternates() {
        out += &format!("\n  {} {}", other.kind.name(), other.url);
    }
    out
}

/// Segments and seams of every hit are ordered, in bounds and disjoint, and give
/// its URL. Hits are in order, and their lines are right. The grammar confirms
/// verdict and alternates.
pub fn hits_replay(profile: Profile, haystack: &[u8]) {
    let mut last = 0;
    for hit in hits(profile, haystack) {
        hit_replays(haystack, &hit);
        let span = hit.span();
        assert!(
            span.start >= last && span.end > span.start,
            "hits come in order: {} in {}",
            describe_hit(&hit),
            haystack.escape_ascii()
        );
        last = span.end;
        let before = &haystack[..span.start as usize];
        let line = before.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
        assert_eq!(hit.line(), Some(line), "line of {}", describe_hit(&hit));
        let verdict = hit.verdict().map(|url| url.as_bytes().to_vec());
        if verdict
            .as_ref()
            .is_err_and(|reject| matches!(reject.rule, Rule::TooLong | Rule::Unclosed))
        {
            // The text decided this, not the grammar.
            assert_eq!(hit.alternates().count(), 0);
            continue;
        }
        let judged = validate(profile, hit.url()).map(|url| url.as_bytes().to_vec());
        assert_eq!(verdict, judged);
        let others: Vec<_> = hit
            .alternates()
            .map(|other| other.url.as_bytes().to_vec())
            .collect();
        assert!(others.len() <= ALTERNATES_MAX);
        for (i, other) in others.iter().enumerate() {
            assert!(validate(profile, other).is_ok());
            assert!(other != hit.url() && !others[..i].contains(other));
        }
    }
}

/// The segments and seams of a hit cover its span and give its URL. So do those
/// of its alternates.
pub fn hit_replays(haystack: &[u8], hit: &Hit) {
    let own = (hit.url(), hit.segments(), hit.seams());
    let others = hit
        .alternates()
        .map(|a| (a.url.as_bytes(), a.segments(), a.seams()));
    for (url, segments, seams) in std::iter::once(own).chain(others) {
        assert_eq!(
            replayed(haystack, segments, seams)
                .escape_ascii()
                .to_string(),
            url.escape_ascii().to_string(),
            "replay of {}",
            describe_hit(hit)
        );
    }
}

/// The bytes that segments and seams give. Checks first that they cover the span.
fn replayed(haystack: &[u8], segments: &[Span], seams: &[Seam]) -> Vec<u8> {
    let bytes = |span: Span| &haystack[span.start as usize..span.end as usize];
    let mut pieces: Vec<(Span, Vec<u8>)> = segments
        .iter()
        .map(|&span| (span, bytes(span).to_vec()))
        .collect();
    for seam in seams {
        let made = match (seam.len, bytes(seam.span)) {
            (0, _) => vec![],
            (1, [b'=', hex @ ..]) => {
                let hex = std::str::from_utf8(hex).expect("hexadecimal digits are ASCII");
                vec![u8::from_str_radix(hex, 16).expect("two hexadecimal digits")]
            }
            (1, b"&amp;" | b"&#38;") if seam.kind == SeamKind::Entity => vec![b'&'],
            (_, source) if seam.kind == SeamKind::Scheme => {
                let scheme: &[u8] = match source.len() {
                    7 => b"gopher://",
                    _ if source.eq_ignore_ascii_case(b"ftp.") => b"ftp://",
                    _ => b"http://",
                };
                [scheme, source].concat()
            }
            (_, source) => panic!("seam {seam:?} of {source:?}"),
        };
        pieces.push((seam.span, made));
    }
    pieces.sort();
    assert!(
        pieces.windows(2).all(|p| p[0].0.end == p[1].0.start),
        "pieces tile: {pieces:?}"
    );
    assert!(
        segments
            .iter()
            .chain(seams.iter().map(|s| &s.span))
            .all(|s| !s.is_empty())
    );
    for seam in seams {
        let before = pieces.iter().filter(|p| p.0.start < seam.span.start);
        let at: usize = before.map(|p| p.1.len()).sum();
        assert_eq!(seam.at, at as u64, "the place of the seam in the URL");
    }
    pieces.into_iter().flat_map(|p| p.1).collect()
}

/// Any chunking gives the hits of one slice. The scanner that visits every byte
/// gives them too.
pub fn hits_are_independent_of_chunks(builder: ExtractorBuilder, haystack: &[u8], sizes: &[usize]) {
    let all = |hits: FindIter<'_, '_>| hits.map(|hit| describe_hit(&hit)).collect::<Vec<_>>();
    let expected = all(builder.build().find_iter(haystack));
    assert_eq!(
        expected,
        all(builder.plain(true).build().find_iter(haystack)),
        "fast and plain differ"
    );
    for &size in sizes {
        let mut found = vec![];
        let mut sink = |hit: &Hit| {
            found.push(describe_hit(hit));
            true
        };
        let mut extractor = builder.build();
        for chunk in haystack.chunks(size.max(1)) {
            extractor.feed(chunk, &mut sink);
        }
        extractor.finish(&mut sink);
        assert_eq!(expected, found, "chunks of {size}");
    }
}

/// A haystack that is cut at every place where [`is_ground`] is true gives the
/// hits of the whole. Returns the number of cuts.
pub fn ground_cuts_change_nothing(builder: ExtractorBuilder, haystack: &[u8]) -> usize {
    let mut extractor = builder.build();
    let whole: Vec<_> = extractor
        .find_iter(haystack)
        .map(|hit| describe_hit(&hit))
        .collect();
    let cuts: Vec<usize> = (1..haystack.len())
        .filter(|&at| is_ground(haystack, at))
        .collect();
    let (mut found, mut from, mut line) = (vec![], 0, 1);
    for &to in cuts.iter().chain([&haystack.len()]) {
        let piece = &haystack[from..to];
        extractor.reset(from as u64, line);
        extractor.search_here(piece, &mut |hit: &Hit| {
            found.push(describe_hit(hit));
            true
        });
        line += piece.iter().filter(|&&b| b == b'\n').count() as u64;
        from = to;
    }
    assert_eq!(whole, found, "cut at {cuts:?}: {}", haystack.escape_ascii());
    cuts.len()
}
