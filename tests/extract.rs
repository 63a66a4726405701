//! Runs the rows of `testdata/extract` in several ways: as one slice, with the
//! scanner that visits every byte, at several chunk sizes, cut in two at each of
//! the first 200 bytes (at a third of them without `URLGREP_SLOW`), and after other text. The slice also runs with CRLF
//! instead of LF, unless the row forbids it or has a CR.

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::common::rows::{self, Failures};
use crate::common::{properties, slow};
use serde::Deserialize;
use urlgrep::Form;
use urlgrep::{Alternate, Doubt, Extractor, ExtractorBuilder, Hit, Hyphen, Profile, Stream};
use urlgrep_base::span::extent;
use urlgrep_find::Drive;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    source: String,
    #[serde(default)]
    why: String,
    text: String,
    #[serde(default)]
    hit: Vec<Expected>,
    profile: Option<String>,
    hyphen: Option<String>,
    #[serde(default)]
    no_join: bool,
    #[serde(default)]
    no_doubtful: bool,
    #[serde(default)]
    no_rejects: bool,
    forms: Option<Vec<String>>,
    max_url: Option<usize>,
    #[serde(default = "yes")]
    crlf: bool,
    line: Option<Vec<u64>>,
    #[serde(default)]
    terminal: bool,
    #[serde(default)]
    refang: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    url: String,
    form: String,
    #[serde(default = "ok")]
    verdict: String,
    doubt: Option<String>,
    #[serde(default)]
    continues: bool,
    #[serde(default)]
    glued: bool,
    alternates: Option<Vec<String>>,
    seams: Option<Vec<String>>,
}

fn ok() -> String {
    "ok".into()
}

/// A row's text without its marks, and the offsets of the marks.
fn unmark(row: &Row) -> (Vec<u8>, Vec<(u64, u64)>) {
    let (mut text, mut marks, mut open) = (vec![], vec![], None);
    for piece in row.text.split_inclusive(['⟦', '⟧']) {
        let (plain, mark) = match piece.char_indices().next_back() {
            Some((i, c @ ('⟦' | '⟧'))) => (&piece[..i], Some(c)),
            _ => (piece, None),
        };
        text.extend(rows::unescape(plain));
        match mark {
            Some('⟦') => assert!(
                open.replace(text.len() as u64).is_none(),
                "{}: ⟦ twice",
                row.name
            ),
            Some(_) => marks.push((
                open.take()
                    .unwrap_or_else(|| panic!("{}: ⟧ alone", row.name)),
                text.len() as u64,
            )),
            None => {}
        }
    }
    assert!(open.is_none(), "{}: ⟦ alone", row.name);
    (text, marks)
}

fn builder(row: &Row) -> ExtractorBuilder {
    let mut builder = Extractor::builder()
        .join(!row.no_join)
        .doubtful(!row.no_doubtful)
        .rejects(!row.no_rejects)
        .rows(row.terminal)
        .refang(row.refang);
    if let Some(profile) = &row.profile {
        builder = builder.profile(Profile::from_name(profile).expect("a profile"));
    }
    if let Some(hyphen) = &row.hyphen {
        builder = builder.hyphen(if hyphen == "drop" {
            Hyphen::Drop
        } else {
            Hyphen::Keep
        });
    }
    if let Some(forms) = &row.forms {
        let named = |name: &String| Form::from_name(name).expect(name);
        builder = builder.forms(forms.iter().map(named));
    }
    if let Some(max) = row.max_url {
        builder = builder.url_max(max);
    }
    builder
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

fn verdict(hit: &Hit) -> String {
    match hit.url() {
        Ok(_) => "ok".into(),
        Err(reject) if reject.rule == urlgrep::url::Rule::TooLong => "too-long".into(),
        Err(reject) => format!("{}@{}", reject.rule.name(), reject.at),
    }
}

/// The doubts of a hit, with commas between them.
fn doubts(hit: &Hit) -> String {
    let names: Vec<&str> = hit.doubts().iter().map(|d| d.name()).collect();
    names.join(",")
}

/// One line with everything about a hit that rows can state.
fn describe(hit: &Hit) -> String {
    describe_from(hit, 0, 0)
}

/// The same hit in a haystack that starts this many bytes and lines earlier.
fn describe_from(hit: &Hit, offset: u64, lines: u64) -> String {
    let alternates: Vec<String> = hit
        .alternates()
        .map(|a| format!("{}:{}", a.kind.name(), text(a.url.as_bytes())))
        .collect();
    let seams: Vec<&str> = hit.seams().iter().map(|s| s.kind.name()).collect();
    format!(
        "{} {} [{}, {}) {} line {:?} doubts {:?} continues {} glued {} alternates {alternates:?} seams {seams:?}",
        hit.form().name(),
        text(hit.text()),
        hit.span().start + offset,
        hit.span().end + offset,
        verdict(hit),
        hit.line().map(|line| line + lines),
        doubts(hit),
        hit.continues(),
        hit.glued(),
    )
}

/// The difference between a hit and the expectation of its row.
fn differs(expected: &Expected, hit: &Hit, mark: (u64, u64)) -> Option<String> {
    let found = verdict(hit);
    let wrong = [
        (hit.text() != rows::unescape(&expected.url), "url"),
        (hit.form().name() != expected.form, "form"),
        (
            found != expected.verdict && !(expected.verdict == "reject" && found != "ok"),
            "verdict",
        ),
        ((hit.span().start, hit.span().end) != mark, "extent"),
        (
            doubts(hit) != expected.doubt.as_deref().unwrap_or_default(),
            "doubt",
        ),
        (hit.continues() != expected.continues, "continues"),
        (hit.glued() != expected.glued, "glued"),
        (
            expected.alternates.as_ref().is_some_and(|want| {
                // Without the feature `whatwg` there is no reading of browsers.
                // `tests/whatwg.rs` has the rows for it.
                let have: Vec<Vec<u8>> = hit
                    .alternates()
                    .filter(|a| a.kind.name() != "browser")
                    .map(|a| [a.kind.name().as_bytes(), b":", a.url.as_bytes()].concat())
                    .collect();
                have != want.iter().map(|a| rows::unescape(a)).collect::<Vec<_>>()
            }),
            "alternates",
        ),
        (
            expected.seams.as_ref().is_some_and(|want| {
                !hit.seams()
                    .iter()
                    .map(|s| s.kind.name())
                    .eq(want.iter().map(String::as_str))
            }),
            "seams",
        ),
    ];
    let wrong: Vec<&str> = wrong.iter().filter(|w| w.0).map(|w| w.1).collect();
    (!wrong.is_empty()).then(|| wrong.join(", "))
}

/// The hits of `haystack`, fed in chunks. The first chunk has `first` bytes.
fn chunked(builder: ExtractorBuilder, haystack: &[u8], first: usize, size: usize) -> Vec<String> {
    let (head, rest) = haystack.split_at(first.min(haystack.len()));
    fed(&mut builder.build().stream(), head, rest, size)
}

/// The hits of a haystack, fed as `head` and the `rest` in chunks.
fn fed(extractor: &mut Stream, head: &[u8], rest: &[u8], size: usize) -> Vec<String> {
    let mut found = vec![];
    let mut sink = |hit: &Hit| {
        found.push(describe(hit));
        ControlFlow::Continue(())
    };
    let _ = extractor.feed(head, &mut sink);
    for chunk in rest.chunks(size) {
        let _ = extractor.feed(chunk, &mut sink);
    }
    let _ = extractor.finish(&mut sink);
    found
}

fn run(row: &Row, failures: &mut Failures, path: &str) {
    let by_standard = |hit: &Expected| hit.doubt.as_deref().is_some_and(|d| d.contains("browser"));
    if cfg!(not(feature = "whatwg")) && row.hit.iter().any(by_standard) {
        return;
    }
    let (haystack, marks) = unmark(row);
    let builder = builder(row);
    assert_eq!(
        marks.len(),
        row.hit.len(),
        "{}: the number of marks is the number of hits",
        row.name
    );
    let hits: Vec<Hit> = builder.build().find_iter(&haystack).collect();
    let described: Vec<String> = hits.iter().map(describe).collect();
    let mut fail = |what: String| {
        failures.add(format!(
            "{path} {} ({}) {}: {what}\n    found: {}",
            row.name,
            row.source,
            row.why,
            described.join("\n           ")
        ));
    };
    if hits.len() != row.hit.len() {
        return fail(format!("{} hits, expected {}", hits.len(), row.hit.len()));
    }
    for ((expected, hit), &mark) in row.hit.iter().zip(&hits).zip(&marks) {
        properties::hit_replays(&haystack, hit);
        let judge = if hit.doubts().has(Doubt::Browser) {
            "whatwg"
        } else {
            row.profile.as_deref().unwrap_or("iri")
        };
        if hit.profile().name() != judge {
            fail(format!("judged by {}, not {judge}", hit.profile()));
        }
        if let Some(what) = differs(expected, hit, mark) {
            fail(format!(
                "{what} of {:?}, expected {} at {mark:?}",
                expected.url, expected.verdict
            ));
        }
    }
    if let Some(lines) = &row.line
        && !hits
            .iter()
            .map(Hit::line)
            .eq(lines.iter().map(|&line| Some(line)))
    {
        fail(format!("lines {:?}", lines));
    }
    // All ways of searching must give the same hits.
    let valid = hits.iter().filter(|hit| hit.url().is_ok()).map(describe);
    let unasked = builder.rejects(false).build();
    let found = unasked.find_iter(&haystack).map(|hit| describe(&hit));
    if !found.eq(valid) {
        fail("another answer where rejects are not asked for".into());
    }
    let plain: Vec<String> = builder
        .build()
        .stream()
        .plain()
        .find_iter(&haystack)
        .map(|hit| describe(&hit))
        .collect();
    if plain != described {
        fail(format!("byte by byte: {plain:#?}"));
    }
    for size in [1, 2, 3, 7, 64] {
        let found = chunked(builder, &haystack, size, size);
        if found != described {
            fail(format!("chunks of {size}: {found:#?}"));
        }
    }
    // Without `URLGREP_SLOW` a third of the places of each row, and others in the next row.
    let step = if slow() { 1 } else { 3 };
    for first in (row.name.len() % step..haystack.len().min(200)).step_by(step) {
        let found = chunked(builder, &haystack, first, haystack.len().max(1));
        if found != described {
            fail(format!("cut at {first}: {found:#?}"));
            break;
        }
    }
    // At another offset, in a stream whose earlier bytes are discarded.
    let (offset, lines) = (1_000_003, 500);
    let ahead = "It was a dark and stormy night.\n".repeat(100) + "\n";
    let here = offset - ahead.len() as u64;
    let moved: Vec<String> = hits
        .iter()
        .map(|hit| describe_from(hit, offset, lines))
        .collect();
    let mut extractor = builder.build().stream();
    extractor.reset(here, lines - 100);
    let found = fed(&mut extractor, ahead.as_bytes(), &haystack, 64);
    if found != moved {
        fail(format!("after other text: {found:#?}"));
    }
    extractor.reset(offset, lines + 1);
    let found = fed(&mut extractor, b"", &haystack, 5);
    if found != moved {
        fail(format!("from another offset: {found:#?}"));
    }
    if row.crlf && !haystack.contains(&b'\r') {
        run_crlf(&haystack, builder, &hits, &mut fail);
    }
}

/// With CRLF instead of LF the same URLs are found at shifted offsets.
fn run_crlf(
    haystack: &[u8],
    builder: ExtractorBuilder,
    hits: &[Hit],
    fail: &mut impl FnMut(String),
) {
    let mut dos = vec![];
    let mut moved = vec![0u64];
    for &b in haystack {
        if b == b'\n' {
            dos.push(b'\r');
        }
        dos.push(b);
        moved.push(dos.len() as u64);
    }
    let extent = |other: Alternate<'_>| extent(other.segments, other.seams);
    let found: Vec<Hit> = builder.build().find_iter(&dos).collect();
    let same = found.len() == hits.len()
        && found.iter().zip(hits).all(|(a, b)| {
            let span = b.span();
            a.text() == b.text()
                && a.form() == b.form()
                && a.line() == b.line()
                && verdict(a) == verdict(b)
                && a.continues() == b.continues()
                && a.doubts() == b.doubts()
                && a.alternates().count() == b.alternates().count()
                && a.alternates().zip(b.alternates()).all(|(a, b)| {
                    (a.kind, a.url) == (b.kind, b.url)
                        && extent(a).start == moved[extent(b).start as usize]
                        && extent(a).end == moved[extent(b).end as usize]
                })
                && a.seams()
                    .iter()
                    .map(|s| s.kind)
                    .eq(b.seams().iter().map(|s| s.kind))
                && a.span().start == moved[span.start as usize]
                && a.span().end == moved[span.end as usize]
        });
    if !same {
        fail(format!(
            "with CRLF: {:#?}",
            found.iter().map(describe).collect::<Vec<_>>()
        ));
    }
}

#[test]
fn rows_of_extract() {
    let (mut failures, mut count, mut names) = (Failures::default(), 0, HashSet::new());
    for path in rows::files("extract") {
        let rows: Vec<Row> = rows::read_rows(&path);
        let name = path
            .file_name()
            .expect("a file name")
            .to_string_lossy()
            .into_owned();
        assert!(!rows.is_empty(), "{name}: no rows");
        for row in &rows {
            assert!(
                names.insert(row.name.clone()),
                "{name}: row {} twice",
                row.name
            );
            count += 1;
            if rows::wanted(&row.name) {
                run(row, &mut failures, &name);
            }
        }
    }
    failures.check(count);
}

/// The longest wrapper, bracketed URL and quoted URL are recognised, on one
/// line and on several. A form that is one byte longer is not.
#[test]
fn limits_of_delimited_urls_are_exact() {
    const MAX: usize = urlgrep_find::scan::DELIMITED_MAX;
    for (open, close, form) in [
        ("<URL:", ">", "wrapped"),
        ("<", ">", "bracketed"),
        ("\"", "\"", "quoted"),
    ] {
        // A line break near the start, and white space before the end.
        let ways = [("", ""), ("\n", ""), ("", "\n"), ("\n  ", "\n  ")];
        let ways = ways
            .iter()
            .flat_map(|way| [MAX, MAX + 1].map(|len| (way, len)));
        for (&(line_break, space), len) in ways {
            let start = format!("{open}http://a.example/{line_break}b");
            let close = format!("{space}{close}");
            let text = format!("{start:b<0$}{close} and more\n", len - close.len());
            let builder = Extractor::builder().rejects(true);
            let hits: Vec<Hit> = builder.build().find_iter(text.as_bytes()).collect();
            assert_eq!(hits.len(), 1);
            let found = hits[0].form().name();
            assert_eq!(found, if len == MAX { form } else { "bare" }, "{len}");
            let described: Vec<String> = hits.iter().map(describe).collect();
            for first in [1, 1000, MAX - 1, MAX, MAX + 1, MAX + 2] {
                let chunked = chunked(builder, text.as_bytes(), first, text.len());
                assert_eq!(chunked, described, "{form} {len} cut at {first}");
            }
        }
    }
}

/// A stream keeps the bytes that are still needed, and no more. The wrapper has
/// the longest opening, at the maximum distance from the start of its line. If it
/// begins one byte later, the start of the line is too far away, and the leader is
/// not recognised.
#[test]
fn a_stream_keeps_exactly_the_lookbehind() {
    use urlgrep_find::scan::{LEADER_MAX, LINE_START_MAX};
    let ahead = "It was a dark and stormy night.\n".repeat(200);
    let space = " ".repeat(LEADER_MAX);
    for (over, expected) in [
        (0, "wrapped http://a.example/b"),
        (1, "wrapped http://a.example/"),
    ] {
        let line = format!("{:x<1$}<", "> ", LINE_START_MAX + over);
        let head = format!("{ahead}{line}{space}URL{space}:");
        let builder = Extractor::builder().rejects(true);
        let found = chunked(
            builder,
            format!("{head}http://a.example/\n> b> and more\n").as_bytes(),
            head.len(),
            7,
        );
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(
            found[0].starts_with(&format!("{expected} [")),
            "{over}: {found:#?}"
        );
    }
    let mut extractor = Extractor::new(Profile::Current).stream();
    let mut sink = |_: &Hit| ControlFlow::Continue(());
    let _ = extractor.feed(ahead.as_bytes(), &mut sink);
    let kept = ahead.len() as u64 - extractor.settled();
    assert!(kept <= (LINE_START_MAX + 3 * LEADER_MAX) as u64, "{kept}");
}
