//! Hits: they describe the text, and do not depend on chunks.

use std::ops::ControlFlow;
use urlgrep::url::{Reject, Rule, validate};
use urlgrep::{Extractor, ExtractorBuilder, Hit, Profile, Stream};
use urlgrep::{ReadingKind, Seam, SeamKind, Span};
use urlgrep_find::Drive;
use urlgrep_find::scan::{ALTERNATES_MAX, Doubt, is_ground};

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
        hit.text().escape_ascii(),
        hit.line(),
        hit.doubts(),
        hit.glued(),
        hit.continues(),
        hit.segments(),
        hit.seams(),
    );
    match hit.url() {
        Ok(url) => out += &format!(" {:?}", Vec::from_iter(url.components())),
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
        let verdict = hit.url().map(|url| url.as_bytes().to_vec());
        let is_cut = |reject: &Reject| {
            matches!(
                reject.rule,
                Rule::Abbreviated | Rule::CutHost | Rule::Placeholder
            )
        };
        if verdict.as_ref().is_err_and(is_cut) {
            // A mark after the text decided this.
            continue;
        }
        if verdict
            .as_ref()
            .is_err_and(|reject| matches!(reject.rule, Rule::TooLong | Rule::Unclosed))
        {
            // The text decided this, not the grammar.
            assert_eq!(hit.alternates().count(), 0);
            continue;
        }
        // A browser decided about a mark that it keeps in a query.
        let judged = validate(hit.profile(), hit.text()).map(|url| url.as_bytes().to_vec());
        assert_eq!(verdict, judged);
        // The text of an escaped URL, as it stands, is no URL of the document.
        let is_escaped = [Doubt::Escape, Doubt::Typeset, Doubt::Refanged]
            .iter()
            .any(|&doubt| hit.doubts().has(doubt));
        let is_text = |kind| kind == ReadingKind::Raw && is_escaped;
        let others: Vec<_> = hit
            .alternates()
            .filter(|other| other.kind != ReadingKind::Browser && !is_text(other.kind))
            .map(|other| other.url.as_bytes().to_vec())
            .collect();
        assert!(others.len() <= ALTERNATES_MAX);
        for (i, other) in others.iter().enumerate() {
            assert!(validate(profile, other).is_ok());
            assert!(other != hit.text() && !others[..i].contains(other));
        }
    }
}

/// As [`hits_replay`], if defanged URLs are read.
pub fn refanged_hits_replay(haystack: &[u8]) {
    let extractor = Extractor::builder().rejects(true).refang(true).build();
    for hit in extractor.find_iter(haystack) {
        hit_replays(haystack, &hit);
    }
}

/// If defanged URLs are read, each other hit is the same as without it.
pub fn plain_urls_stay(haystack: &[u8]) {
    let all = |refang| {
        let extractor = Extractor::builder().refang(refang).build();
        extractor.find_iter(haystack).collect::<Vec<_>>()
    };
    let (defanged, plain): (Vec<_>, Vec<_>) = all(true)
        .into_iter()
        .partition(|hit| hit.doubts().has(Doubt::Refanged));
    let is_inside = |hit: &Hit| {
        let is_over = |other: &Hit| {
            let (one, other) = (hit.span(), other.span());
            one.start <= other.end && other.start <= one.end
        };
        defanged.iter().any(is_over)
    };
    let outside = |hits: Vec<Hit>| {
        let hits = hits.iter().filter(|hit| !is_inside(hit));
        hits.map(describe_hit).collect::<Vec<_>>()
    };
    assert_eq!(
        outside(plain),
        outside(all(false)),
        "{}",
        haystack.escape_ascii()
    );
}

/// The segments and seams of a hit cover its span and give its URL. So do those
/// of its alternates, but for what a browser makes of a reject.
pub fn hit_replays(haystack: &[u8], hit: &Hit) {
    let own = (hit.text(), hit.segments(), hit.seams());
    let others = hit
        .alternates()
        .filter(|a| a.kind != ReadingKind::Browser)
        .map(|a| (a.url.as_bytes(), a.segments, a.seams));
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

/// The characters of an escape of a program.
fn escaped(source: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(source).expect("an escape is ASCII");
    // SQL and YAML write an apostrophe twice.
    if text == "''" {
        return b"'".to_vec();
    }
    let in_pair = |open, close| text.strip_prefix(open)?.strip_suffix(close);
    let inner = in_pair('{', '}').or(in_pair('$', '$'));
    let after = inner.unwrap_or(text).trim_start_matches('\\');
    let number = |hex: &str| u32::from_str_radix(hex, 16).expect("hexadecimal digits");
    match after.as_bytes()[0] {
        b'x' if after.len() > 3 => {
            let bytes = after.split('\\').map(|byte| number(&byte[1..]) as u8);
            bytes.collect()
        }
        b'x' | b'u' | b'U' => {
            let c = char::from_u32(number(&after[1..])).expect("a character");
            c.to_string().into_bytes()
        }
        _ if [
            "(ti",
            "[ti]",
            "~{}",
            "textasciitilde{}",
            "textasciitilde",
            "textasciitilde ",
            "sim",
        ]
        .contains(&after) =>
        {
            b"~".to_vec()
        }
        _ => after.as_bytes().to_vec(),
    }
}

/// What a mark that defangs a URL means.
fn refanged(source: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(source.to_vec()).expect("a mark is ASCII");
    let inner = text
        .to_ascii_lowercase()
        .replace([' ', '[', ']', '(', ')', '{', '}'], "");
    match &*inner {
        "dot" => ".".into(),
        "at" => "@".into(),
        "x" | "xx" | "*" | "**" => "t".repeat(inner.len()).into(),
        _ => inner.into(),
    }
}

/// What a character of a typesetter stands for.
fn typed(source: &[u8]) -> &'static [u8] {
    match std::str::from_utf8(source).expect("a character") {
        "\u{2010}" | "\u{2011}" => b"-",
        "\u{2DC}" | "\u{223C}" | "\u{FF5E}" => b"~",
        "\u{FB00}" => b"ff",
        "\u{FB01}" => b"fi",
        "\u{FB02}" => b"fl",
        "\u{FB03}" => b"ffi",
        "\u{FB04}" => b"ffl",
        "\u{FB05}" | "\u{FB06}" => b"st",
        other => panic!("{other:?} is of no typesetter"),
    }
}

/// The bytes that segments and seams give. Checks first that they cover the span.
pub fn replayed(haystack: &[u8], segments: &[Span], seams: &[Seam]) -> Vec<u8> {
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
            (1, b" at ") if seam.kind == SeamKind::Mask => vec![b'@'],
            (3, b" ") if seam.kind == SeamKind::Blank => b"%20".to_vec(),
            (_, source) if seam.kind == SeamKind::Refanged => refanged(source),
            (_, source) if seam.kind == SeamKind::Typeset => typed(source).to_vec(),
            (_, source) if seam.kind == SeamKind::Scheme => {
                let scheme: &[u8] = match source.len() {
                    7 => b"gopher://",
                    _ if source.eq_ignore_ascii_case(b"ftp.") => b"ftp://",
                    _ => b"http://",
                };
                [scheme, source].concat()
            }
            (_, source) if seam.kind == SeamKind::Escape => escaped(source),
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
    let all = |mut extractor: Stream| {
        let hits = extractor.find_iter(haystack);
        hits.map(|hit| describe_hit(&hit)).collect::<Vec<_>>()
    };
    let expected = all(builder.build().stream());
    assert_eq!(
        expected,
        all(builder.build().stream().plain()),
        "fast and plain differ"
    );
    for &size in sizes {
        let mut found = vec![];
        let mut sink = |hit: &Hit| {
            found.push(describe_hit(hit));
            ControlFlow::Continue(())
        };
        let mut extractor = builder.build().stream();
        for chunk in haystack.chunks(size.max(1)) {
            let _ = extractor.feed(chunk, &mut sink);
        }
        let _ = extractor.finish(&mut sink);
        assert_eq!(expected, found, "chunks of {size}");
    }
}

/// A haystack that is cut at every place where [`is_ground`] is true gives the
/// hits of the whole. Returns the number of cuts.
pub fn ground_cuts_change_nothing(builder: ExtractorBuilder, haystack: &[u8]) -> usize {
    let mut extractor = builder.build().stream();
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
        let _ = extractor.search_here(piece, |hit: &Hit| {
            found.push(describe_hit(hit));
            ControlFlow::Continue(())
        });
        line += piece.iter().filter(|&&b| b == b'\n').count() as u64;
        from = to;
    }
    assert_eq!(whole, found, "cut at {cuts:?}: {}", haystack.escape_ascii());
    cuts.len()
}
