//! UTS #58, "Unicode Link Detection and Formatting": the tables are made from `LinkTerm.txt` and
//! `LinkBracket.txt`, and the lines of `LinkDetectionTest.txt` and `LinkFormattingTest.txt` hold,
//! but for those of `differences.toml`.
//!
//! `URLGREP_WRITE_TABLES=1` writes the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;
use urlgrep::rows::{Field, Record, Row, Value};
use urlgrep::url::{Profile, validate};
use urlgrep::{Extractor, ReadingKind};

/// The characters of a block, and the number of characters in the table.
const BLOCK: usize = 128;
const ALL: usize = 0x40000;

fn read(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/uts58");
    std::fs::read_to_string(folder.join(name)).expect(name)
}

#[test]
fn the_table_is_that_of_the_standard() {
    let mut terms = vec![0u8; ALL];
    for line in read("LinkTerm.txt").lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some((range, value)) = line.split_once(';') else {
            continue;
        };
        let range = range.trim();
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        let number = |hex: &str| usize::from_str_radix(hex, 16).expect(line);
        let value = match value.trim() {
            "Include" => 1,
            "Soft" => 2,
            _ => 0,
        };
        if let Some(terms) = terms.get_mut(number(first)..=number(last).min(ALL - 1)) {
            terms.fill(value);
        }
    }
    let (mut numbers, mut blocks, mut known) = (Vec::new(), Vec::new(), BTreeMap::new());
    for block in terms.chunks(BLOCK) {
        let next = u8::try_from(known.len()).expect("at most 256 blocks");
        let number = *known.entry(block).or_insert_with(|| {
            let four = |four: &[u8]| (0..4).map(|i| four[i] << (2 * i)).sum::<u8>();
            blocks.extend(block.chunks(4).map(four));
            next
        });
        numbers.push(number);
    }
    let table = [numbers, blocks].concat();
    check_table("link_term.bin", &table);
}

#[test]
fn the_brackets_are_those_of_the_standard() {
    let mut pairs = Vec::new();
    for line in read("LinkBracket.txt").lines() {
        let line = line.split('#').next().unwrap_or_default();
        if let Some((close, open)) = line.split_once(';') {
            let bracket = |hex: &str| {
                let code = u32::from_str_radix(hex.trim(), 16).expect(line);
                char::from_u32(code).expect(line)
            };
            pairs.push(String::from_iter([bracket(open), bracket(close)]));
        }
    }
    let lines: Vec<_> = pairs.chunks(16).map(|pairs| pairs.join(" ")).collect();
    check_table("link_bracket.txt", (lines.join("\n") + "\n").as_bytes());
}

/// Checks a file of `crates/base/src`, or writes it.
fn check_table(name: &str, table: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates/base/src")
        .join(name);
    if std::env::var_os("URLGREP_WRITE_TABLES").is_some() {
        std::fs::write(&path, table).expect("the table is written");
    }
    let is_equal = std::fs::read(&path).is_ok_and(|bytes| bytes == table);
    assert!(
        is_equal,
        "{name}: run this test with URLGREP_WRITE_TABLES=1"
    );
}

#[derive(serde::Deserialize)]
struct Differences {
    line: Vec<Difference>,
    formatted: Vec<Difference>,
}

#[derive(serde::Deserialize)]
struct Difference {
    text: String,
    why: String,
}

/// Adds `http://` to links without a scheme. `None` for a line with a mail address.
fn with_schemes(line: &str) -> Option<String> {
    let link = Regex::new("⸠([^⸡]*)⸡").expect("a pattern");
    let mut has_address = false;
    let line = link.replace_all(line, |link: &regex::Captures<'_>| {
        let url = &link[1];
        let has_scheme = url.starts_with("http://") || url.starts_with("https://");
        let authority = url.split(['/', '?', '#']).next().unwrap_or_default();
        has_address |= !has_scheme && authority.contains('@');
        format!("⸠{}{url}⸡", if has_scheme { "" } else { "http://" })
    });
    (!has_address).then(|| line.into_owned())
}

/// The line with its links marked.
fn marked(line: &str, profile: Profile) -> String {
    let mut out = String::new();
    let mut rest = 0;
    for hit in Extractor::new(profile).find_iter(line.as_bytes()) {
        let (start, end) = (hit.span().start as usize, hit.span().end as usize);
        out += &format!("{}⸠{}⸡", &line[rest..start], &line[start..end]);
        rest = end;
    }
    out + &line[rest..]
}

/// In brackets `iri` allows no `[`, and no second `#`, so a line with them is judged by the URL
/// Standard.
#[test]
fn links_are_detected() {
    let known: Differences = toml::from_str(&read("differences.toml")).expect("lines");
    let reasons = known.line.iter().all(|line| line.why.len() > 10);
    let known: BTreeSet<&str> = known.line.iter().map(|line| &*line.text).collect();
    assert!(reasons && known.len() <= 12);
    let (mut number, mut differ) = (0, BTreeSet::new());
    let file = read("LinkDetectionTest.txt");
    let lines = file
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines.filter_map(with_schemes) {
        number += 1;
        let plain = line.replace(['⸠', '⸡'], "");
        let profile = if plain.contains('[') || plain.matches('#').count() > 1 {
            Profile::Whatwg
        } else {
            Profile::Iri
        };
        if marked(&plain, profile) != line {
            differ.insert(line);
        }
    }
    let differ: BTreeSet<&str> = differ.iter().map(|line| &**line).collect();
    let new: Vec<_> = differ.difference(&known).collect();
    let gone: Vec<_> = known.difference(&differ).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}"
    );
    assert_eq!(number, 335);
}

/// The URL whose parts a comment of the formatting test lists, such as
/// `{𝑺=https:// 𝑯=example.com 𝑷=α 𝑸=β 𝑽=γ 𝑭=δ}`, with all that can be escaped. The
/// line after the comment has it, but without the escapes of syntax inside of a part.
fn escaped(parts: &str) -> String {
    let mut url = String::new();
    let part = Regex::new("(𝑺|𝑯|𝑷|𝑸|𝑽|𝑭)=(.*?)(?: (𝑺|𝑯|𝑷|𝑸|𝑽|𝑭)=|$)").expect("a pattern");
    let mut at = 0;
    while let Some(found) = part.captures_at(parts, at) {
        at = found.get(3).map_or(parts.len(), |next| next.start());
        url += match &found[1] {
            "𝑷" => "/",
            "𝑸" if url.contains('?') => "&",
            "𝑸" => "?",
            "𝑽" => "=",
            "𝑭" => "#",
            _ => "",
        };
        let is_origin = ["𝑺", "𝑯"].contains(&&found[1]);
        for byte in found[2].bytes() {
            if is_origin || byte.is_ascii_alphanumeric() || b"-._~!$'()*,:;@".contains(&byte) {
                url.push(byte.into());
            } else {
                url += &format!("%{byte:02X}");
            }
        }
    }
    url
}

/// The URL for people of the first hit in `<url>`.
fn readable(url: &str, profile: Profile) -> String {
    let text = format!("<{url}>");
    let hit = Extractor::new(profile).find_iter(text.as_bytes()).next();
    let hit = hit.unwrap_or_else(|| panic!("{text}"));
    let (record, mut scratch) = (Record::plain(None, &hit), Vec::new());
    match Row::from(&record).value(Field::Readable, &mut scratch) {
        Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
        other => panic!("{text}: {other:?}"),
    }
}

/// The program of Unicode that wrote this file took the URLs of Wikipedia for the ends of
/// texts, where no prose follows, and so left a soft character at the end of them. Ours may
/// stand anywhere, so the same algorithm escapes that character, as in the lines before. (A
/// line of `LinkDetectionTest.txt` ends with such a character, which is not in the link.)
/// A `%` without digits is for `whatwg`, since `iri` refuses it.
#[test]
fn links_are_formatted() {
    let known: Differences = toml::from_str(&read("differences.toml")).expect("lines");
    let reasons = known.formatted.iter().all(|line| line.why.len() > 10);
    let known: BTreeSet<&str> = known.formatted.iter().map(|line| &*line.text).collect();
    assert!(reasons);
    let (file, mut number, mut differ) = (read("LinkFormattingTest.txt"), 0, BTreeSet::new());
    let (lone, mut soft) = (Regex::new("%([^0-9]|$)").expect("a pattern"), 0);
    let (_, wikipedia) = file.split_once("# Wikipedia test cases").expect("a part");
    let lines: Vec<_> = file.lines().collect();
    for lines in lines.windows(3) {
        let Some(parts) = lines[0]
            .strip_prefix("# {")
            .and_then(|of| of.strip_suffix('}'))
        else {
            continue;
        };
        number += 1;
        // The URL Standard adds a path.
        let (profile, line) = if lone.is_match(lines[2]) {
            (Profile::Whatwg, lines[2].replace(".com?", ".com/?"))
        } else {
            (Profile::Iri, lines[2].to_owned())
        };
        let readable = readable(&escaped(parts), profile);
        let (start, last) = line.split_at(line.floor_char_boundary(line.len() - 1));
        let escapes: String = last.bytes().map(|byte| format!("%{byte:02X}")).collect();
        if readable == format!("{start}{escapes}") && wikipedia.contains(lines[0]) {
            soft += 1;
        } else if readable != line {
            assert!(differ.insert(lines[2]));
        }
    }
    assert_eq!(differ, known);
    assert_eq!((number, soft), (55, 10));
}

/// Wherever a text has a URL, it may have the URL for people instead, and that is found whole
/// and as the same URL. Only where a script without spaces comes directly after ASCII is the
/// whole the other reading.
#[test]
fn urls_for_people_are_found_again() {
    let canonical = |url: &str| {
        let extractor = Extractor::new(Profile::Iri);
        let text = format!("x {url} x");
        let hits: Vec<_> = extractor.find_iter(text.as_bytes()).collect();
        let [hit] = &hits[..] else { return None };
        let others = hit.alternates().filter(|o| o.kind == ReadingKind::Script);
        let mut found = others.map(|other| other.url.as_bytes()).chain([hit.text()]);
        let whole = found.find(|found| *found == url.as_bytes())?;
        Some(validate(Profile::Iri, whole).ok()?.canonical())
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut urls = BTreeSet::new();
    for file in ["truth.toml", "other-hands.toml", "rules.toml"] {
        let text = std::fs::read(folder.join(file)).expect(file);
        let hits = Extractor::new(Profile::Iri);
        urls.extend(
            hits.find_iter(&text)
                .filter_map(|hit| Some(hit.url().ok()?.to_string())),
        );
    }
    let ends =
        "/ /x../y /__x /x%2A /x~%7E /%22x%22 /x%7C /50%25 /%C3%A4 /x?y=%5B#%60 /(x) /x) /x?y=%3F";
    urls.extend(ends.split(' ').map(|end| format!("http://a.example{end}")));
    let mut number = 0;
    for url in urls {
        let Some(before) = canonical(&url) else {
            continue;
        };
        let readable = readable(&url, Profile::Iri);
        assert_eq!(canonical(&readable), Some(before), "{url} {readable}");
        number += 1;
    }
    assert!(number > 600, "{number}");
}
