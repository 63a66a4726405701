//! Compares the tags, attributes and values of HTML with those of html5gum, a tokeniser that
//! follows the HTML standard. The pages are the rows of `testdata`, and the HTML parts of the
//! collection that URLGREP_CORPUS names, and of those in the same folder. Without
//! URLGREP_CORPUS these are skipped.
//!
//! The walker passes on only values that may be links. But if it misread a tag, a quotation
//! mark, a comment or a script before one of them, that value would be missing or another.
//!
//! Five differences are known, and are removed from the pages: conditional comments are
//! markup for us, quoted-printable in a value is decoded, a tag at the end of a page that is
//! not complete counts, `srcdoc` has links, and `http:a` may be relative to a base.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use html5gum::{DefaultEmitter, State, Token, Tokenizer};
use mail_parser::{MessageParser, PartType};
use serde::Deserialize;
use urlgrep_find::span::SourceMap;
use urlgrep_mail::mime::{
    HeaderPolicy, MailSink, MessageMeta, PartEnd, PartInfo, PartKind, Walker,
};

use crate::common::rows;

/// The attributes whose value is one URL.
const ATTRIBUTES: [&str; 9] = [
    "href",
    "src",
    "action",
    "cite",
    "background",
    "poster",
    "data",
    "formaction",
    "longdesc",
];

/// The names of elements are cut after this length.
const MAX_NAME: usize = 16;
/// Longer values are cut, because the walker cuts links.
const MAX_VALUE: usize = 4096;

/// The element, the attribute and its value.
type Link = (String, String, String);

/// A value without the bytes that a URL does not have at these places: white space, controls,
/// blanks, which we encode, and the scheme of the base.
fn normalised(value: &str) -> String {
    let value: String = value
        .replace("%20", "")
        .chars()
        .filter(|&c| c > ' ' && c != '\u{FFFD}')
        .collect();
    let host = value
        .trim_start_matches("https:")
        .trim_start_matches("http:")
        .trim_start_matches(['/', '\\']);
    host.chars().take(MAX_VALUE).collect()
}

/// True for a script, whose links are other ones, and for `http:a`.
fn is_left_out(value: &str) -> bool {
    let value: String = value
        .trim_start_matches(|c| c <= ' ')
        .chars()
        .filter(|c| !"\t\r\n".contains(*c))
        .collect();
    let lower = value.to_ascii_lowercase();
    let web = lower.strip_prefix("https:").or(lower.strip_prefix("http:"));
    lower.starts_with("javascript:") || web.is_some_and(|rest| !rest.starts_with(['/', '\\']))
}

/// The links that html5gum reads.
fn theirs(page: &str) -> Vec<Link> {
    let mut links = vec![];
    let mut tokens = Tokenizer::new_with_emitter(page, DefaultEmitter::<usize>::new_with_span());
    while let Some(Ok(token)) = tokens.next() {
        let Token::StartTag(tag) = token else {
            continue;
        };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        let state = match &*name {
            "title" | "textarea" => Some(State::RcData),
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(State::RawText),
            "script" => Some(State::ScriptData),
            "plaintext" => Some(State::PlainText),
            _ => None,
        };
        if let Some(state) = state {
            tokens.set_last_start_tag(Some(&name));
            tokens.set_state(state);
        }
        let mut attributes: Vec<_> = tag.attributes.iter().collect();
        attributes.sort_by_key(|(_, value)| value.span.start);
        for (attribute, value) in attributes {
            let attribute = String::from_utf8_lossy(attribute);
            let value = String::from_utf8_lossy(value);
            let attribute = attribute.strip_prefix("xlink:").unwrap_or(&attribute);
            if !ATTRIBUTES.contains(&attribute) || is_left_out(&value) {
                continue;
            }
            let value = normalised(&value);
            if !value.is_empty() {
                let name = name.chars().take(MAX_NAME).collect();
                links.push((name, attribute.to_owned(), value));
            }
        }
    }
    links
}

/// Collects the links of the walker.
#[derive(Default)]
struct Collect {
    links: Vec<Link>,
    /// The element and attribute of the open link.
    open: Option<(String, String)>,
    value: Vec<u8>,
}

impl MailSink for Collect {
    fn part_start(&mut self, part: &PartInfo<'_>) {
        if let PartKind::HtmlLink {
            element, attribute, ..
        } = part.kind
        {
            let element = String::from_utf8_lossy(element).into_owned();
            self.open = Some((element, format!("{attribute:?}").to_lowercase()));
            self.value.clear();
        }
    }

    fn text(&mut self, bytes: &[u8], _map: &SourceMap) {
        if self.open.is_some() {
            self.value.extend_from_slice(bytes);
        }
    }

    fn part_end(&mut self, _end: PartEnd) {
        let Some((element, attribute)) = self.open.take() else {
            return;
        };
        let value = String::from_utf8_lossy(&self.value);
        if is_left_out(&value) {
            return;
        }
        let value = normalised(&value);
        if ATTRIBUTES.contains(&&*attribute) && !value.is_empty() {
            self.links.push((element, attribute, value));
        }
    }
}

/// The links that the walker reads.
fn ours(page: &str) -> Vec<Link> {
    let message = format!("Content-Type: text/html; charset=utf-8\n\n{page}");
    let mut collect = Collect::default();
    let mut walker = Walker::builder().headers(HeaderPolicy::None).build();
    walker.message(MessageMeta::default());
    walker.feed(message.as_bytes(), 0, &mut collect);
    walker.finish(&mut collect);
    collect.links
}

/// A page without the known differences. `None` if it has too few bytes to compare.
fn comparable(page: &str) -> Option<String> {
    let page = page.replace("<!--[", "<!--x").replace("<!--#", "<!--x");
    let page = page.replace("srcdoc", "src-doc");
    let is_escaped = page.contains("=3D\"") || page.contains("=3d\"") || page.contains("=3D'");
    // A tag that is open at the end is closed.
    (!is_escaped && page.contains('<')).then(|| format!("{page}\n'>\"> -->"))
}

/// The first difference between the two readings of a page, and the number of links.
fn difference(page: &str) -> (usize, Option<String>) {
    let Some(page) = comparable(page) else {
        return (0, None);
    };
    let (ours, theirs) = (ours(&page), theirs(&page));
    let first = ours
        .iter()
        .zip(&theirs)
        .position(|(one, other)| one != other);
    let at = first.unwrap_or(ours.len().min(theirs.len()));
    let is_equal = at == ours.len() && at == theirs.len();
    let shown = (!is_equal).then(|| {
        let (one, other) = (ours.get(at), theirs.get(at));
        format!("link {at}: {one:?}, not {other:?}")
    });
    (theirs.len(), shown)
}

#[derive(Deserialize)]
struct Rows {
    /// One of the files has no `row` but a list of another kind.
    #[serde(default)]
    row: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    text: String,
}

/// The text of a row is read as one page, whatever its header says.
#[test]
fn pages_of_rows_are_read_alike() {
    let mut files = rows::files("mime");
    files.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/links.toml"));
    let mut failures = rows::Failures::default();
    let mut total = 0;
    for path in files {
        let all: Rows = rows::read(&path);
        for row in all.row.iter().filter(|row| rows::wanted(&row.name)) {
            let page = rows::unescape(&row.text);
            let (count, difference) = difference(&String::from_utf8_lossy(&page));
            total += count;
            if let Some(difference) = difference {
                failures.add(format!("{}: {difference}", row.name));
            }
        }
    }
    failures.check(total);
    assert!(total > 100, "{total}");
}

/// The regular files below a folder.
fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// Passes the text of each HTML part of the messages in a file to `visit`. A message begins at
/// a line with `From `.
fn html_parts(file: &[u8], visit: &mut impl FnMut(&str)) {
    let separators = memchr::memmem::find_iter(file, b"\nFrom ").map(|at| at + 1);
    let mut starts = vec![0];
    starts.extend(separators);
    starts.push(file.len());
    for pair in starts.windows(2) {
        let raw = &file[pair[0]..pair[1]];
        let lower = raw.to_ascii_lowercase();
        if memchr::memmem::find(&lower, b"text/html").is_none() {
            continue;
        }
        // mail-parser panics on some multiparts without an end.
        let parsed = std::panic::catch_unwind(|| MessageParser::default().parse(raw));
        let Ok(Some(message)) = parsed else {
            continue;
        };
        for part in &message.parts {
            if let PartType::Html(text) = &part.body {
                visit(text);
            }
        }
    }
}

#[test]
fn pages_of_the_collections_are_read_alike() {
    /// Larger files are archives of lists, whose mail is text.
    const MAX_FILE: u64 = 64 << 20;
    let Some(corpus) = std::env::var_os("URLGREP_CORPUS").map(PathBuf::from) else {
        println!("skipped: URLGREP_CORPUS is not set");
        return;
    };
    let mut paths = vec![];
    for name in ["corpus", "corpus2", "corpus3"] {
        files(&corpus.with_file_name(name), &mut paths);
    }
    paths.sort();
    let (mut pages, mut links) = (BTreeSet::new(), 0);
    let mut failures = rows::Failures::default();
    for path in paths {
        let is_small = path.metadata().is_ok_and(|data| data.len() <= MAX_FILE);
        let Some(file) = is_small.then(|| std::fs::read(&path).ok()).flatten() else {
            continue;
        };
        html_parts(&file, &mut |page| {
            if !pages.insert(page.to_owned()) {
                return;
            }
            let (count, difference) = difference(page);
            links += count;
            if let Some(difference) = difference {
                failures.add(format!("{}: {difference}", path.display()));
            }
        });
    }
    println!("{} pages, {links} links", pages.len());
    failures.check(links);
}
