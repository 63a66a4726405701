//! The rows of `testdata/grammar/*.toml`. A row has a string and its verdict in
//! each profile. `canonical.toml` has canonical forms, `surt.toml` SURTs,
//! `unwrap.toml` links around links, and `resolve.toml` partial forms.
//!
//! `URLGREP_ROWS=gopher cargo test --test tests grammar::` runs the rows whose file
//! name or strings contain `gopher`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::common::generate::DOCUMENTS;
use crate::common::properties::rules;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use urlgrep::url::{Caution, Profile, Rule, Url, resolve, validate};

/// The value of a component that must be absent.
const ABSENT: &str = "-absent-";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<R> {
    row: Vec<R>,
}

/// A string and its verdicts. In every string of a row `\xNN`, `\n`, `\r`, `\t`
/// and `\\` are decoded after TOML's own escapes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    url: String,
    /// For each profile: `ok` or `rule@offset`. If `iri` is missing here, the
    /// value of `current` applies. It then also applies in `parts` and in
    /// `cautions`, if `iri` is missing there.
    verdict: BTreeMap<String, String>,
    /// By profile: the expected components.
    #[serde(default)]
    parts: BTreeMap<String, BTreeMap<String, String>>,
    /// For each profile: all expected cautions.
    #[serde(default)]
    cautions: BTreeMap<String, BTreeSet<String>>,
    /// The rules that accept something in this row, if the row is accepted.
    #[serde(default)]
    rules: BTreeSet<String>,
    /// The document and section, and the reason.
    why: String,
}

/// A URL and its canonical form; a row of `canonical.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Canonical {
    url: String,
    profile: String,
    canonical: String,
    why: String,
}

/// A URL of the profile `iri` and its SURT; a row of `surt.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Surt {
    url: String,
    surt: String,
    why: String,
}

/// A URL of the profile `iri` and the URL inside it; a row of `unwrap.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unwrap {
    url: String,
    /// Absent if there is no URL inside.
    inner: Option<String>,
    /// Each URL of a chain.
    hops: Option<Vec<String>>,
    /// The URL of another host in a parameter of the last URL.
    guess: Option<String>,
    why: String,
}

/// A partial form and the URL it resolves to; a row of `resolve.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Partial {
    base: String,
    partial: String,
    profile: String,
    /// Absent if an error is expected.
    result: Option<String>,
    #[serde(default)]
    error: bool,
    why: String,
}

const CANONICAL: &str = "canonical.toml";
const SURT: &str = "surt.toml";
const UNWRAP: &str = "unwrap.toml";
const RESOLVE: &str = "resolve.toml";

/// The files with rows of one kind, by name, and their texts.
fn files(wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/grammar");
    let entries = std::fs::read_dir(&folder).expect("testdata/grammar");
    let paths: BTreeSet<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let toml = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    };
    let mut files = Vec::new();
    for path in paths.into_iter().filter(|path| toml(path)) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if wanted(&name) {
            files.push((
                name,
                std::fs::read_to_string(&path).expect("a readable file"),
            ));
        }
    }
    files
}

impl Row {
    /// If the row has no verdict of `iri`, copies the verdict of `current`, and
    /// the parts and cautions of `current` that `iri` lacks.
    fn complete(mut self) -> Row {
        fn copy<T: Clone>(map: &mut BTreeMap<String, T>) {
            if !map.contains_key("iri")
                && let Some(value) = map.get("current").cloned()
            {
                map.insert("iri".to_owned(), value);
            }
        }
        let own = self.verdict.contains_key("iri");
        copy(&mut self.verdict);
        if !own {
            copy(&mut self.parts);
            copy(&mut self.cautions);
        }
        self
    }
}

/// The rows of such files, each with the name of its file.
fn rows<R: DeserializeOwned>(wanted: impl Fn(&str) -> bool) -> Vec<(String, R)> {
    let mut rows = Vec::new();
    for (name, text) in files(wanted) {
        let file: File<R> = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        rows.extend(file.row.into_iter().map(|row| (name.clone(), row)));
    }
    assert!(!rows.is_empty(), "testdata/grammar lacks rows");
    rows
}

fn verdict_rows() -> Vec<(String, Row)> {
    let rows = rows::<Row>(|name| ![CANONICAL, SURT, UNWRAP, RESOLVE].contains(&name));
    rows.into_iter()
        .map(|(file, row)| (file, row.complete()))
        .collect()
}

/// True if `URLGREP_ROWS` selects a row with these strings.
fn asked_for(strings: &[&str]) -> bool {
    match std::env::var("URLGREP_ROWS") {
        Ok(filter) => strings.iter().any(|string| string.contains(&filter)),
        Err(_) => true,
    }
}

/// Decodes the escapes of the row format.
fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let (decoded, len) = match after {
            [b'n', ..] => (b'\n', 1),
            [b'r', ..] => (b'\r', 1),
            [b't', ..] => (b'\t', 1),
            [b'\\', ..] => (b'\\', 1),
            [b'x', digits @ ..] => {
                let digits = digits
                    .get(..2)
                    .and_then(|two| std::str::from_utf8(two).ok());
                let value = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
                (value.ok_or_else(|| format!("bad escape in {text:?}"))?, 3)
            }
            _ => return Err(format!("bad escape in {text:?}")),
        };
        out.push(decoded);
        rest = &after[len..];
    }
    Ok(out)
}

fn component<'a>(url: &Url<'a>, name: &str) -> Option<&'a [u8]> {
    url.components()
        .find(|part| part.0 == name)
        .map(|part| part.1.as_bytes())
}

fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// The faults of one row, one line each.
fn faults(row: &Row) -> Result<Vec<String>, String> {
    let url = bytes(&row.url)?;
    let mut faults = Vec::new();
    let known: BTreeSet<_> = DOCUMENTS.iter().map(|profile| profile.name()).collect();
    let named: BTreeSet<_> = row.verdict.keys().map(String::as_str).collect();
    if known != named {
        faults.push(format!("verdicts of {named:?}, not one for each profile"));
    }
    let others = row.parts.keys().chain(row.cautions.keys());
    for name in others.filter(|name| !known.contains(name.as_str())) {
        faults.push(format!("no profile {name}"));
    }
    for name in row.rules.iter().filter(|name| rule(name).is_none()) {
        faults.push(format!("no rule {name}"));
    }
    for caution in row.cautions.values().flatten() {
        if Caution::ALL.iter().all(|known| known.name() != caution) {
            faults.push(format!("no caution {caution}"));
        }
    }
    if row.why.is_empty() {
        faults.push("no reason".to_owned());
    }
    for &profile in DOCUMENTS {
        let Some(expected) = row.verdict.get(profile.name()) else {
            continue;
        };
        let result = validate(profile, &url);
        let verdict = match &result {
            Ok(_) => "ok".to_owned(),
            Err(reject) => format!("{}@{}", reject.rule, reject.at),
        };
        if verdict != *expected {
            faults.push(format!("{profile}: expected {expected}, is {verdict}"));
        }
        match result {
            Ok(url) => parts(row, profile, &url, &mut faults)?,
            Err(_) if row.parts.contains_key(profile.name()) => {
                faults.push(format!("{profile}: parts of a refused string"));
            }
            Err(_) if row.cautions.contains_key(profile.name()) => {
                faults.push(format!("{profile}: cautions of a refused string"));
            }
            Err(_) => {}
        }
    }
    Ok(faults)
}

/// Compares the components and cautions that the row lists.
fn parts(
    row: &Row,
    profile: Profile,
    url: &Url<'_>,
    faults: &mut Vec<String>,
) -> Result<(), String> {
    for (name, expected) in row.parts.get(profile.name()).into_iter().flatten() {
        let expected = Some(expected).filter(|text| *text != ABSENT);
        let expected = expected.map(|text| bytes(text)).transpose()?;
        let found = component(url, name);
        if found != expected.as_deref() {
            let found = found.map_or(ABSENT.to_owned(), show);
            let expected = expected.map_or(ABSENT.to_owned(), |text| show(&text));
            faults.push(format!("{profile}: {name} expected {expected}, is {found}"));
        }
    }
    if let Some(expected) = row.cautions.get(profile.name()) {
        let found: BTreeSet<_> = url
            .cautions()
            .iter()
            .map(|caution| caution.to_string())
            .collect();
        if found != *expected {
            faults.push(format!(
                "{profile}: cautions expected {expected:?}, are {found:?}"
            ));
        }
    }
    Ok(())
}

fn rule(name: &str) -> Option<Rule> {
    Rule::ALL.iter().copied().find(|rule| rule.name() == name)
}

#[test]
fn verdicts() {
    let mut report = String::new();
    let mut seen = BTreeSet::new();
    for (file, row) in verdict_rows() {
        if !seen.insert((file.clone(), row.url.clone())) {
            let _ = writeln!(report, "{file} {}: twice", row.url);
        }
        if !asked_for(&[&file, &row.url]) {
            continue;
        }
        for fault in faults(&row).unwrap_or_else(|error| vec![error]) {
            let _ = writeln!(report, "{file} {}: {fault}", row.url);
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn canonical_forms() {
    let mut report = String::new();
    let mut seen = BTreeSet::new();
    for (file, row) in rows::<Canonical>(|name| name == CANONICAL) {
        if !seen.insert((row.url.clone(), row.profile.clone())) {
            let _ = writeln!(report, "{} {}: twice", row.profile, row.url);
        }
        if asked_for(&[&file, &row.url])
            && let Err(fault) = canonical(&row)
        {
            let _ = writeln!(report, "{} {}: {fault}", row.profile, row.url);
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

fn canonical(row: &Canonical) -> Result<(), String> {
    let profile = profile(&row.profile)?;
    let (url, expected) = (bytes(&row.url)?, bytes(&row.canonical)?);
    let url = validate(profile, &url).map_err(|reject| reject.to_string())?;
    let mut found = Vec::new();
    url.canonical_into(&mut found);
    if found != expected {
        return Err(format!("expected {}, is {}", show(&expected), show(&found)));
    }
    if row.why.is_empty() {
        return Err("no reason".to_owned());
    }
    Ok(())
}

#[test]
fn surts() {
    let mut report = String::new();
    for (file, row) in rows::<Surt>(|name| name == SURT) {
        assert!(!row.why.is_empty(), "{}: no reason", row.url);
        if !asked_for(&[&file, &row.url]) {
            continue;
        }
        let url = bytes(&row.url).expect("escapes");
        match validate(Profile::Iri, &url) {
            Ok(url) if url.surt() == row.surt => {}
            Ok(url) => {
                let _ = writeln!(
                    report,
                    "{}: expected {}, is {}",
                    row.url,
                    row.surt,
                    url.surt()
                );
            }
            Err(reject) => {
                let _ = writeln!(report, "{}: {reject}", row.url);
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn links_around_links() {
    let mut report = String::new();
    for (file, row) in rows::<Unwrap>(|name| name == UNWRAP) {
        assert!(!row.why.is_empty(), "{}: no reason", row.url);
        if !asked_for(&[&file, &row.url]) {
            continue;
        }
        let text = bytes(&row.url).expect("escapes");
        let url = validate(Profile::Iri, &text).unwrap_or_else(|e| panic!("{}: {e}", row.url));
        let hops: Vec<_> = url.hops().collect();
        assert!(hops.is_sorted_by_key(|url| std::cmp::Reverse(url.len())));
        let last = hops.last().cloned();
        let inmost = last
            .as_ref()
            .and_then(|last| validate(Profile::Iri, last.as_bytes()).ok());
        let guess = inmost.unwrap_or(url).inner();
        if last != row.inner || guess != row.guess {
            let (inner, expected) = (&row.inner, &row.guess);
            let _ = writeln!(
                report,
                "{}: expected {inner:?} and {expected:?}, is {last:?} and {guess:?}",
                row.url
            );
        }
        if let Some(expected) = row.hops {
            assert_eq!(hops, expected, "{}", row.url);
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn partial_forms() {
    let mut report = String::new();
    for (file, row) in rows::<Partial>(|name| name == RESOLVE) {
        if asked_for(&[&file, &row.base, &row.partial])
            && let Err(fault) = partial(&row)
        {
            let Partial {
                profile,
                base,
                partial,
                ..
            } = row;
            let _ = writeln!(report, "{profile} {base} {partial}: {fault}");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

fn partial(row: &Partial) -> Result<(), String> {
    let profile = profile(&row.profile)?;
    let expected = row.result.as_deref().map(bytes).transpose()?;
    let found = resolve(profile, &bytes(&row.base)?, &bytes(&row.partial)?);
    if expected.is_none() != row.error || row.why.is_empty() {
        return Err("neither result nor error, or no reason".to_owned());
    }
    match (found, expected) {
        (Ok(found), Some(expected)) if found.as_bytes() == expected => Ok(()),
        (Err(_), None) => Ok(()),
        (Ok(found), Some(expected)) => Err(format!("expected {}, is {found}", show(&expected))),
        (Ok(found), None) => Err(format!("expected an error, is {found}")),
        (Err(reject), Some(expected)) => Err(format!("expected {}, is {reject}", show(&expected))),
    }
}

fn profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| format!("{name}: no profile"))
}

/// Rules that accept no string: "left in as historical note, but is not a url
/// production" (url-03, www-uri-00).
const NEVER_ACCEPTS: [(Profile, Rule); 2] = [
    (Profile::Url03, Rule::Afsaddress),
    (Profile::WwwUri00, Rule::Afsaddress),
];

/// For every rule that a profile can name there is a row that it accepts and a
/// row that it refuses.
#[test]
fn every_rule_accepts_and_refuses_a_row() {
    let mut accepting = BTreeSet::from(NEVER_ACCEPTS);
    let mut refusing = BTreeSet::new();
    for (_, row) in verdict_rows() {
        for &profile in DOCUMENTS {
            match row.verdict.get(profile.name()).map(String::as_str) {
                Some("ok") => {
                    let rules = row.rules.iter().filter_map(|name| rule(name));
                    accepting.extend(rules.map(|rule| (profile, rule)));
                }
                Some(verdict) => {
                    let rule = verdict.rsplit_once('@').and_then(|(name, _)| rule(name));
                    refusing.extend(rule.map(|rule| (profile, rule)));
                }
                None => {}
            }
        }
    }
    let mut report = String::new();
    for &profile in DOCUMENTS {
        for rule in rules(profile) {
            for (kind, rows) in [("accepting", &accepting), ("refusing", &refusing)] {
                if !rows.contains(&(profile, rule)) {
                    let _ = writeln!(report, "{profile} {rule}: no {kind} row");
                }
            }
        }
    }
    assert!(report.is_empty(), "\n{report}");
}
