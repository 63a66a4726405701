//! The profile `whatwg` against the tests of the URL Standard. `differences.jsonl` has the rows
//! on which the crate `url` differs: the input, the base, and why.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use urlgrep::search::Match;
use urlgrep::url::{Profile, resolve, validate};
use urlgrep::{Doubt, Extractor, Hit, ReadingKind};
use urlgrep_find::Drive;

#[derive(Deserialize)]
struct Row {
    input: String,
    base: Option<String>,
    #[serde(default)]
    failure: bool,
    #[serde(default)]
    href: String,
    #[serde(default)]
    protocol: String,
    #[serde(default)]
    username: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    hostname: String,
    #[serde(default)]
    port: String,
    #[serde(default)]
    pathname: String,
    #[serde(default)]
    search: String,
    #[serde(default)]
    hash: String,
}

fn read(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/whatwg");
    std::fs::read_to_string(folder.join(name)).expect(name)
}

/// The rows. A lone surrogate is U+FFFD, as in a `USVString`.
fn rows() -> Vec<Row> {
    let lone = r"(?i)\\u(d[89ab]\w\w\\ud[c-f]\w\w)|\\ud[89a-f]\w\w";
    let lone = regex::Regex::new(lone).expect("a pattern");
    let file = read("urltestdata.json");
    let text = lone.replace_all(&file, |found: &regex::Captures<'_>| match found.get(1) {
        Some(_) => found[0].to_owned(),
        None => "\\uFFFD".to_owned(),
    });
    let rows: Vec<Value> = serde_json::from_str(&text).expect("JSON");
    let rows = rows.into_iter().filter(Value::is_object);
    rows.map(|row| serde_json::from_value(row).expect("a row"))
        .collect()
}

/// What differs from the row.
fn differs(row: &Row) -> Option<String> {
    let input = row.input.as_bytes();
    let href = match &row.base {
        Some(base) => resolve(Profile::Whatwg, base.as_bytes(), input).map_err(|e| e.to_string()),
        None => match validate(Profile::Whatwg, input) {
            Ok(url) => Ok(url.canonical()),
            Err(reject) => Err(reject.to_string()),
        },
    };
    let href = match (href, row.failure) {
        (Err(_), true) => return None,
        (Err(reject), false) => return Some(reject),
        (Ok(href), true) => return Some(format!("no failure: {href}")),
        (Ok(href), false) => href,
    };
    if href != row.href {
        return Some(format!("{href}, not {}", row.href));
    }
    let url = validate(Profile::Whatwg, href.as_bytes()).expect("an href is valid");
    let with = |mark: &str, part: Option<&str>| match part {
        None | Some("") => String::new(),
        Some(part) => format!("{mark}{part}"),
    };
    let parts = [
        (format!("{}:", url.scheme()), &row.protocol),
        (with("", url.user()), &row.username),
        (with("", url.password()), &row.password),
        (
            with("", url.host().map(|host| host.as_str())),
            &row.hostname,
        ),
        (with("", url.port()), &row.port),
        (url.path().to_owned(), &row.pathname),
        (with("?", url.query()), &row.search),
        (with("#", url.fragment()), &row.hash),
    ];
    let wrong = parts.iter().find(|(part, expected)| part != *expected);
    wrong.map(|(part, expected)| format!("{part:?}, not {expected:?}"))
}

#[test]
fn the_tests_of_the_standard_hold() {
    let known: BTreeSet<(String, Option<String>)> = read("differences.jsonl")
        .lines()
        .map(|line| {
            let (input, base, why): (String, Option<String>, String) =
                serde_json::from_str(line).expect(line);
            assert!(!why.is_empty(), "{line}");
            (input, base)
        })
        .collect();
    let mut report = Vec::new();
    let mut met = BTreeSet::new();
    for row in rows() {
        let key = (row.input.clone(), row.base.clone());
        match (differs(&row), known.contains(&key)) {
            (Some(_), true) => {
                met.insert(key);
            }
            (None, true) => report.push(format!("passes now, and is listed: {key:?}")),
            (Some(what), false) => {
                let line = serde_json::to_string(&(&row.input, &row.base, what));
                report.push(line.expect("JSON"));
            }
            (None, false) => {}
        }
    }
    for key in known.difference(&met) {
        report.push(format!("no such row: {key:?}"));
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Links {
    row: Vec<LinkRow>,
}

/// A row of `links.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkRow {
    value: String,
    url: Option<String>,
    iri: Option<bool>,
    #[serde(default)]
    cautions: Vec<String>,
    why: String,
}

fn alternates(hit: &Hit, kind: ReadingKind) -> Vec<String> {
    let alternates = hit.alternates().filter(|other| other.kind == kind);
    let shown = alternates.map(|other| {
        validate(Profile::Whatwg, other.url.as_bytes())
            .expect("valid")
            .to_string()
    });
    shown.collect()
}

#[test]
fn links_of_html_are_those_of_a_browser() {
    let rows: Links = toml::from_str(&read("links.toml")).expect("rows");
    let find = |value: &str, link: bool, doubtful: bool, profile| {
        let builder = Extractor::builder().rejects(true).profile(profile);
        let mut extractor = builder.doubtful(doubtful).build().stream();
        let mut hits = Vec::new();
        let mut sink = |hit: &Hit| {
            hits.push(hit.clone());
            ControlFlow::Continue(())
        };
        let _ = if link {
            extractor.search_value(value.as_bytes(), false, &mut sink)
        } else {
            extractor.reset(0, 1);
            extractor.search_here(format!("<URL:{value}>").as_bytes(), &mut sink)
        };
        hits
    };
    for LinkRow {
        value,
        url,
        iri,
        cautions,
        why,
    } in rows.row
    {
        let hits = find(&value, true, true, Profile::Iri);
        let hit = match (&hits[..], iri) {
            ([], Some(false)) => continue,
            ([hit], _) => hit,
            _ => panic!("{value}: {hits:?}"),
        };
        assert!(!why.is_empty(), "{value}");
        let strict = find(&value, true, true, Profile::Current);
        assert!(strict[0].alternates().next().is_none(), "{value}");
        assert_eq!(strict[0].url().is_ok(), iri == Some(true), "{value}");
        let Some(url) = url else {
            assert_eq!(hit.url().is_ok(), iri == Some(true), "{value}");
            assert!(hit.doubts().is_empty() && hit.alternates().next().is_none());
            continue;
        };
        assert_eq!(hit.url().expect("a URL").as_str(), url);
        assert_eq!(hit.profile(), Profile::Whatwg);
        assert_eq!(hit.doubts().iter().collect::<Vec<_>>(), [Doubt::Browser]);
        let written = alternates(hit, ReadingKind::Written);
        let expected = (value != url).then(|| value.clone());
        assert_eq!(written, Vec::from_iter(expected), "{value}");
        let found = Match::plain(hit).cautions();
        let found: Vec<_> = found.iter().map(|caution| caution.name()).collect();
        assert_eq!(found, cautions, "{value}");
        // The brackets end a URL in text, and the standard keeps them.
        if value.starts_with("mailto:<") {
            continue;
        }
        // Without doubtful hits, and in text, it is a reject.
        for (link, doubtful) in [(true, false), (false, true)] {
            let hits = find(&value, link, doubtful, Profile::Iri);
            assert!(hits[0].url().is_err(), "{value}");
            assert_eq!(
                alternates(&hits[0], ReadingKind::Browser),
                std::slice::from_ref(&url)
            );
        }
        // The profile itself finds the same.
        let own = &find(&value, false, true, Profile::Whatwg)[0];
        assert_eq!(own.url().expect("a URL").as_str(), url, "{value}");
        // In text `\/` is also the escape of a slash, and its hit has that doubt.
        let escape = value.contains(r"\/").then_some(Doubt::Escape);
        let doubts: Vec<_> = own.doubts().iter().collect();
        assert_eq!(doubts, Vec::from_iter(escape), "{value}");
    }
}

#[test]
fn long_urls_are_refused() {
    let url = |len: usize| format!("http://a.example/{}", "x".repeat(len - 17));
    let judge = |len| validate(Profile::Whatwg, url(len).as_bytes()).is_ok();
    assert!(judge(8192) && !judge(8193));
    let base = b"http://a.example/";
    assert!(resolve(Profile::Whatwg, base, &[b'x'; 8193]).is_err());
}
