//! Compares the tags, attributes and values of HTML with those of html5gum, a tokeniser that
//! follows the HTML standard. The pages are the rows of `testdata`, and the HTML parts of the
//! collection that URLGREP_CORPUS names, and of those in the same folder. Without
//! URLGREP_CORPUS these are skipped.
//!
//! Two lists are compared. One has all tags with their names and all attributes of start tags
//! with their names and values. The other has the links of the attributes that are one URL, with
//! their character references decoded by us.
//!
//! These differences are known, and are removed from the pages or the lists: conditional
//! comments are markup for us, quoted-printable in a value is decoded, a tag at the end of a page
//! that is not complete counts, `srcdoc` has links, `http:a` may be relative to a base,
//! `<http://a/>` is text, and names of tags are cut.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use html5gum::{DefaultEmitter, State, Token, Tokenizer};
use mail_parser::{Message, MessageParser, PartType};
use serde::Deserialize;
use urlgrep_base::span::SourceMap;
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

/// A tag: its name, which begins with `/` if it is an end tag, and the names and values of its
/// attributes.
type Tag = (String, BTreeMap<String, String>);

/// What a page has.
#[derive(Default)]
struct Read {
    tags: Vec<Tag>,
    links: Vec<Link>,
}

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

/// The value of an attribute that the page has as `raw`, as html5gum decodes it. So the list of
/// tags does not depend on our decoder of character references.
fn decoded(raw: &[u8]) -> String {
    let raw = text(raw);
    // Most values have nothing to decode.
    if !raw.contains('&') {
        return raw;
    }
    let quote = if raw.contains('"') { '\'' } else { '"' };
    let tag = format!("<a x={quote}{raw}{quote}>");
    let mut tokens = Tokenizer::new(&tag).flatten();
    let value = tokens.find_map(|token| match token {
        Token::StartTag(tag) => tag.attributes.get(&b"x"[..]).map(|value| text(value)),
        _ => None,
    });
    value.unwrap_or_default()
}

/// The start of a name or value.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let text = text.replace('\r', "\n").replace('\0', "\u{FFFD}");
    text.chars().take(MAX_VALUE).collect()
}

/// A name of a tag, as our reader cuts it.
fn cut(name: &[u8]) -> String {
    let name = name.to_ascii_lowercase();
    text(&name[..name.len().min(MAX_NAME)])
}

/// True for the name of a tag that is text for us, `<http://a/>`.
fn is_text(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "file", "ftp", "gopher", "http", "https", "mailto", "news", "nntp", "prospero", "telnet",
        "url", "wais",
    ];
    name.split_once(':')
        .is_some_and(|(word, _)| WORDS.contains(&word))
}

/// What html5gum reads.
fn theirs(page: &str) -> Read {
    let Read {
        mut tags,
        mut links,
    } = Read::default();
    let mut tokens = Tokenizer::new_with_emitter(page, DefaultEmitter::<usize>::new_with_span());
    while let Some(Ok(token)) = tokens.next() {
        let tag = match token {
            Token::StartTag(tag) => tag,
            Token::EndTag(tag) => {
                let name = cut(&tag.name);
                if !is_text(&name) {
                    tags.push((format!("/{name}"), BTreeMap::new()));
                }
                continue;
            }
            _ => continue,
        };
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        if is_text(&name) {
            continue;
        }
        let all = tag.attributes.iter();
        let all = all.map(|(name, value)| (text(name), text(value)));
        tags.push((cut(&tag.name), all.collect()));
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
    Read { tags, links }
}

/// Collects what the walker reads.
#[derive(Default)]
struct Collect {
    tags: Vec<Tag>,
    /// The attributes since the last tag, and whether their values are complete.
    attributes: BTreeMap<String, (String, bool)>,
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

    fn attribute(&mut self, name: &[u8], value: &[u8], is_whole: bool) {
        let name = text(&name.to_ascii_lowercase());
        let known = self.attributes.get(&name);
        if known.is_none_or(|(_, is_known_whole)| !is_known_whole) {
            self.attributes.insert(name, (decoded(value), is_whole));
        }
    }

    fn tag(&mut self, name: &[u8], closing: bool) {
        let attributes = std::mem::take(&mut self.attributes);
        let tag = if closing {
            (format!("/{}", cut(name)), BTreeMap::new())
        } else {
            let values = attributes
                .into_iter()
                .map(|(name, (value, _))| (name, value));
            (cut(name), values.collect())
        };
        self.tags.push(tag);
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

/// What the walker reads.
fn ours(page: &str) -> Read {
    let message = format!("Content-Type: text/html; charset=utf-8\n\n{page}");
    let mut collect = Collect::default();
    let mut walker = Walker::builder().headers(HeaderPolicy::None).build();
    walker.message(MessageMeta::default());
    walker.feed(message.as_bytes(), 0, &mut collect);
    walker.finish(&mut collect);
    Read {
        tags: collect.tags,
        links: collect.links,
    }
}

/// A page without the known differences. `None` if it has no tag.
fn comparable(page: &str) -> Option<String> {
    let page = page.replace("<!--[", "<!--x").replace("<!--#", "<!--x");
    let page = page.replace("srcdoc", "src-doc");
    let page = page.replace("=3D\"", "=3_\"").replace("=3d\"", "=3_\"");
    let page = page.replace("=3D'", "=3_'").replace("=3d'", "=3_'");
    // A tag that is open at the end is closed.
    page.contains('<').then(|| format!("{page}\n'>\"> -->"))
}

/// The first place where two lists differ.
fn first_difference<T: PartialEq + Debug>(ours: &[T], theirs: &[T]) -> Option<String> {
    let mut pairs = ours.iter().zip(theirs);
    let first = pairs.position(|(one, other)| one != other);
    let at = first.unwrap_or(ours.len().min(theirs.len()));
    let is_equal = at == ours.len() && at == theirs.len();
    (!is_equal).then(|| format!("{at}: {:?}, not {:?}", ours.get(at), theirs.get(at)))
}

/// The first difference between the two readings of a page, and the number of tags.
fn difference(page: &str) -> (usize, Option<String>) {
    let Some(page) = comparable(page) else {
        return (0, None);
    };
    let (ours, theirs) = (ours(&page), theirs(&page));
    let tag = first_difference(&ours.tags, &theirs.tags).map(|shown| format!("tag {shown}"));
    let link = || first_difference(&ours.links, &theirs.links).map(|shown| format!("link {shown}"));
    (theirs.tags.len(), tag.or_else(link))
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
        html_parts_of(&message, visit);
    }
}

/// Passes the text of each HTML part of a message, and of the messages in it, to `visit`.
fn html_parts_of(message: &Message<'_>, visit: &mut impl FnMut(&str)) {
    for part in &message.parts {
        match &part.body {
            PartType::Html(text) => visit(text),
            PartType::Message(inner) => html_parts_of(inner, visit),
            _ => {}
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
    let (mut pages, mut tags) = (BTreeSet::new(), 0);
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
            tags += count;
            if let Some(difference) = difference {
                failures.add(format!("{}: {difference}", path.display()));
            }
        });
    }
    println!("{} pages, {tags} tags", pages.len());
    failures.check(tags);
}
