//! `--format`: one line per hit, by a template. `--csv` and `--tsv`: a table.
//!
//! A template is text with fields in braces: `{url} {path}:{line}`. `{{` and
//! `}}` are braces, `\t` is a tab, `\n` a line feed, `\0` a NUL byte and `\\` a
//! backslash. A line feed ends each output, except after a NUL byte, which readers such as
//! `xargs -0` take for its end. A missing value is an empty field.
//!
//! **Escapes.** Values of a template follow [`escape::field`], on a terminal
//! and in a pipe. So no value has a line feed, a tab or another control byte,
//! and the escapes can be undone. In URLs and their parts, hidden characters
//! follow [`escape::url`]. Values of a table are escaped on a terminal, by
//! [`escape::terminal`], and in the answers of `--batch`, by [`escape::field`],
//! because there a line feed of a value could forge the end of an answer.
//! Elsewhere they are in UTF-8, and U+FFFD replaces other bytes. All of them are
//! quoted by RFC 4180, section 2.

use std::fmt;
use std::str::FromStr;

use super::super::error::ConfigError;
use super::super::names::is_near;
use super::text::put_number;
use super::{put_display, put_url};
use urlgrep::Span;
use urlgrep::rows::{Field, Record, Row, Value};
use urlgrep::url::Url;
use urlgrep_base::escape;

/// A parsed template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<TemplatePart>,
    table: Option<Table>,
}

/// The format of the fields of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    pub separator: u8,
    /// A terminal shows the table.
    pub terminal: bool,
    /// The table is divided into the answers of `--batch`.
    pub batch: bool,
    /// A spreadsheet must not run a value as a formula.
    pub excel: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Field(Field),
}

/// The field with this name, which was typed for `option`.
///
/// # Errors
///
/// There is none.
pub fn field(option: &str, name: &str) -> Result<Field, ConfigError> {
    if let Some(field) = Field::from_name(name) {
        return Ok(field);
    }
    if name.is_empty() {
        return Err(ConfigError::new(format!(
            "{option}: the name of a field is missing; --help lists the fields"
        )));
    }
    let lower = name.to_lowercase();
    let is_near = |field: &&str| lower == **field || is_near(&lower, field);
    let mut names = Field::ALL.iter().map(|field| field.name());
    let is_of_field = |(field, _): &(&str, &str)| Field::from_name(field).is_some();
    let has_format = lower
        .split_once([':', '|'])
        .is_some_and(|pair| is_of_field(&pair));
    let hint = match (meant(&lower), names.find(is_near)) {
        (Some(hint), _) => format!("use {hint}"),
        (None, Some(near)) => format!("did you mean {near}?"),
        (None, None) if has_format => {
            "a field has no format; year, month, day and timestamp are forms of date".to_owned()
        }
        (None, None) => "--help lists the fields".to_owned(),
    };
    let blank = |c: char| c.is_whitespace() || c == ';';
    let words: Vec<&str> = name.split(blank).filter(|word| !word.is_empty()).collect();
    let are_fields = words.iter().all(|word| Field::from_name(word).is_some());
    let inner = name.trim_matches(['{', '}']);
    let hint = if words.len() > 1 && are_fields {
        format!("commas separate fields: {}", words.join(","))
    } else if inner.len() < name.len() && Field::from_name(inner).is_some() {
        format!("only a template has braces: {inner}")
    } else {
        hint
    };
    let name = name.escape_debug();
    Err(ConfigError::new(format!(
        "{option}: no field `{name}`; {hint}"
    )))
}

/// What people call a field, and the fields with this meaning.
const MEANT: &[(&str, &str)] = &[
    ("bcc recipient recipients", "to, which is To, Cc and Bcc"),
    ("sender author", "from, from_address or from_name"),
    ("email mail address", "from_address, or to"),
    ("name", "from_name"),
    ("link href", "url"),
    ("title", "subject"),
    ("referer referrer page", "path"),
    (
        "anchor linktext link_text",
        "text, the URL in the text of a link if it is another one",
    ),
    ("number nr index", "line, or nl(1)"),
    ("file filename", "path, or file_name for attachments"),
    ("attachment attached", "file_name"),
    ("time datetime when", "date, day or timestamp"),
    ("list newsgroup", "group"),
    ("tld", "domain"),
    ("lineno linenumber", "line"),
    ("id msgid", "message_id"),
    (
        "all * everything",
        "--json without --fields, which has nearly all",
    ),
];

/// What prints a form of output that has this name in other programs.
fn form_meant(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "csv" | "excel" | "xlsx" => "use --csv, or --csv=excel",
        "tsv" | "tab" | "table" => "use --tsv",
        "json" | "jsonl" | "ndjson" => "use --json",
        "html" => "--report FILE writes a page; a template is such as '<a href=\"{url}\">'",
        "markdown" | "md" => "a template is such as '* <{url}> {subject}'",
        "bookmarks" | "netscape" => "\"Bookmarks\" in docs/recipes.md has the commands",
        "plain" | "text" | "urls" => "leave it out",
        _ => return None,
    })
}

/// The message for a template without a field.
fn without_field(text: &str) -> String {
    let are_fields = text.split(',').all(|name| Field::from_name(name).is_some());
    let near = ["csv", "tsv", "json"]
        .into_iter()
        .find(|form| is_near(text, form));
    let instead = match form_meant(text) {
        Some(form) => form.to_owned(),
        None if near.is_some() => format!("did you mean --{}?", near.unwrap_or_default()),
        None if text.contains(',') && are_fields => {
            format!("use --fields {text}, or braces around each field: {{url}}")
        }
        None => "a field is in braces: {url}".to_owned(),
    };
    format!("`{text}` has no field; {instead}")
}

/// The fields that have the meaning of a name.
pub fn meant(name: &str) -> Option<&'static str> {
    let is_it = |names: &str| names.split(' ').any(|one| one == name);
    let row = MEANT.iter().find(|(names, _)| is_it(names));
    row.map(|(_, fields)| *fields)
}

impl Template {
    /// A table of these fields.
    #[must_use]
    pub fn table(fields: Vec<Field>, table: Table) -> Template {
        Template {
            pieces: fields.into_iter().map(TemplatePart::Field).collect(),
            table: Some(table),
        }
    }

    /// True if the template prints a blank line for a hit whose fields are
    /// empty.
    #[must_use]
    pub fn may_be_blank(&self) -> bool {
        const FILLED: [Field; 4] = [Field::Version, Field::Type, Field::Path, Field::Url];
        // True if the line until now may be blank.
        let mut is_blank = true;
        for piece in &self.pieces {
            match piece {
                TemplatePart::Field(field) => is_blank &= !FILLED.contains(field),
                TemplatePart::Text(text) => {
                    let mut lines = text.split('\n');
                    is_blank &= lines.next().is_none_or(|line| line.trim().is_empty());
                    for line in lines {
                        if is_blank {
                            return true;
                        }
                        is_blank = line.trim().is_empty();
                    }
                }
            }
        }
        is_blank && self.table.is_none()
    }

    /// True if a NUL byte ends each output. Then no line feed follows.
    #[must_use]
    pub fn ends_in_nul(&self) -> bool {
        matches!(self.pieces.last(), Some(TemplatePart::Text(text)) if text.ends_with('\0'))
    }

    /// Appends the header row of a table.
    pub fn header(&self, out: &mut Vec<u8>) {
        if let Some(table) = self.table {
            table.begin(out);
            let names = self.pieces.iter().map(|piece| match piece {
                TemplatePart::Text(text) => text,
                TemplatePart::Field(field) => field.name(),
            });
            list(names, table.separator, out, |name, out| {
                out.extend_from_slice(name.as_bytes());
            });
            out.push(b'\n');
        }
    }

    /// True if the template prints this field.
    #[must_use]
    pub fn has(&self, field: Field) -> bool {
        self.pieces.contains(&TemplatePart::Field(field))
    }
}

impl FromStr for Template {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Template, ConfigError> {
        let fail = |what: fmt::Arguments<'_>| ConfigError::new(format!("--format: {what}"));
        let unmatched = |at| {
            fail(format_args!(
                "byte {at}: an unmatched brace; write {{{{ or }}}} for a brace"
            ))
        };
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => plain.push(match chars.next() {
                    Some((_, 't')) => '\t',
                    Some((_, 'n')) => '\n',
                    Some((_, '0')) => '\0',
                    Some((_, '\\')) => '\\',
                    _ => {
                        return Err(fail(format_args!(
                            r"byte {at}: expected t, n, 0 or \ after the backslash"
                        )));
                    }
                }),
                '{' | '}' if chars.as_str().starts_with(c) => {
                    chars.next();
                    plain.push(c);
                }
                '{' => {
                    let (name, rest) = chars
                        .as_str()
                        .split_once('}')
                        .ok_or_else(|| unmatched(at))?;
                    let field = field("--format", name)?;
                    if !plain.is_empty() {
                        pieces.push(TemplatePart::Text(std::mem::take(&mut plain)));
                    }
                    pieces.push(TemplatePart::Field(field));
                    let after = text.len() - rest.len();
                    while chars.offset() < after {
                        chars.next();
                    }
                }
                '}' => return Err(unmatched(at)),
                _ => plain.push(c),
            }
        }
        if pieces.is_empty() {
            return Err(fail(format_args!("{}", without_field(text))));
        }
        if !plain.is_empty() {
            pieces.push(TemplatePart::Text(plain));
        }
        Ok(Template {
            pieces,
            table: None,
        })
    }
}

impl Template {
    /// Appends the line of `record`. `scratch` holds values that are computed.
    pub(super) fn print(&self, record: &Record<'_>, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        let row = Row::from(record);
        let begin = out.len();
        let is_hit = record.hit.url().is_ok();
        for (i, piece) in self.pieces.iter().enumerate() {
            match (piece, self.table) {
                (TemplatePart::Text(text), _) => out.extend_from_slice(text.as_bytes()),
                (TemplatePart::Field(field), None) => {
                    put(row.value(*field, scratch), rule_of(*field, is_hit), out);
                }
                (TemplatePart::Field(field), Some(table)) => {
                    if i > 0 {
                        out.push(table.separator);
                    }
                    let start = out.len();
                    let value = row.value(*field, scratch);
                    let is_time = matches!(value, Value::Time(_));
                    put(value, table.rule(), out);
                    if table.excel && is_time {
                        put_spreadsheet_time(start, out);
                    }
                    table.end_cell(start, out);
                }
            }
        }
        // Readers of CSV skip a blank line.
        if self.table.is_some() && out.len() == begin {
            out.extend_from_slice(b"\"\"");
        }
        if !self.ends_in_nul() {
            out.push(b'\n');
        }
    }
}

impl Table {
    /// Appends what comes before the header row.
    pub(super) fn begin(self, out: &mut Vec<u8>) {
        if self.excel {
            // A byte order mark. Without it, Excel reads the file in the code page of Windows.
            out.extend_from_slice("\u{feff}".as_bytes());
        }
    }

    /// Appends the cell of a text.
    pub(super) fn cell(self, text: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        self.rule()(text, out);
        self.end_cell(start, out);
    }

    /// The escape rule of the values.
    fn rule(self) -> fn(&[u8], &mut Vec<u8>) {
        if self.batch {
            escape::field
        } else if self.terminal {
            escape::terminal
        } else {
            utf8
        }
    }

    /// Ends the cell that begins at `start`: makes it harmless for a spreadsheet, and
    /// quotes it if that is needed.
    fn end_cell(self, start: usize, out: &mut Vec<u8>) {
        if self.excel && is_formula(&out[start..]) {
            out.insert(start, b'\'');
        }
        quote(self.separator, start, out);
    }
}

/// The escape rule of a field in a line of text. `is_hit` is false for a reject.
pub fn rule_of(field: Field, is_hit: bool) -> fn(&[u8], &mut Vec<u8>) {
    if is_hit && URLS.contains(&field) {
        put_url
    } else {
        escape::field
    }
}

/// The fields with URLs and parts of URLs. [`Field::Url`] of a reject is other
/// text.
const URLS: [Field; 17] = {
    use Field::*;
    [
        Url, Canonical, Surt, Unwrapped, Clean, Host, Domain, Alternates, Components, LinkTarget,
        LinkText, Readable, User, Password, UrlPath, Query, Fragment,
    ]
};

/// Turns the `2024-01-31T10:00:00Z` at `start` into `2024-01-31 10:00:00`, which a
/// spreadsheet takes for a date and not for text.
fn put_spreadsheet_time(start: usize, out: &mut Vec<u8>) {
    let time = String::from_utf8_lossy(&out[start..]).into_owned();
    let Some((day, clock)) = time.split_once('T') else {
        return;
    };
    let clock = clock.strip_suffix('Z').unwrap_or(clock);
    out.truncate(start);
    out.extend_from_slice(format!("{day} {clock}").as_bytes());
}

/// True if a spreadsheet would run the value as a formula. The characters are
/// those of <https://owasp.org/www-community/attacks/CSV_Injection>.
fn is_formula(value: &[u8]) -> bool {
    let first = value.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    first.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

/// Appends text in UTF-8.
fn utf8(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(String::from_utf8_lossy(text).as_bytes());
}

/// Quotes the value that begins at `start`, if it needs quotes. RFC 4180,
/// section 2: "Fields containing line breaks (CRLF), double quotes, and commas
/// should be enclosed in double-quotes", and "a double-quote appearing inside
/// a field must be escaped by preceding it with another double quote".
fn quote(separator: u8, start: usize, out: &mut Vec<u8>) {
    let value = &out[start..];
    let is_special = |b: &u8| *b == separator || b"\"\r\n".contains(b);
    if !value.iter().any(is_special) {
        return;
    }
    let value = String::from_utf8_lossy(value).replace('"', "\"\"");
    out.truncate(start);
    out.push(b'"');
    out.extend_from_slice(value.as_bytes());
    out.push(b'"');
}

/// Appends `value`. The elements of lists have commas between them. Readings
/// and components have spaces between them, because they may contain commas.
pub fn put(value: Value<'_>, rule: fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) {
    match value {
        Value::Name(name) => rule(name.as_bytes(), out),
        Value::Text(text) => rule(text, out),
        Value::Number(number) => put_number(number, out),
        Value::Flag(true) => out.extend_from_slice(b"true"),
        Value::Time(date) => put_display(&date, rule, out),
        Value::Names(names) => list(names.iter(), b',', out, |name, out| {
            out.extend_from_slice(name.as_bytes());
        }),
        Value::Spans(spans) => list(spans, b',', out, |&span, out| put_span(span, out)),
        Value::Seams(seams) => list(seams, b',', out, |seam, out| {
            out.extend_from_slice(seam.kind.name().as_bytes());
        }),
        Value::Decoded(pieces) => put_span(pieces.span(), out),
        Value::Alternates(hit) => list(hit.alternates(), b' ', out, |other, out| {
            rule(other.url.as_bytes(), out);
        }),
        Value::Components(url) => {
            let components = url.iter().flat_map(Url::components);
            list(components, b' ', out, |(name, value), out| {
                out.extend_from_slice(name.as_bytes());
                out.push(b'=');
                rule(value.as_bytes(), out);
            });
        }
        // A missing value or a flag that is not set is an empty field.
        _ => {}
    }
}

fn list<T>(
    items: impl IntoIterator<Item = T>,
    separator: u8,
    out: &mut Vec<u8>,
    put: impl Fn(T, &mut Vec<u8>),
) {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(separator);
        }
        put(item, out);
    }
}

fn put_span(span: Span, out: &mut Vec<u8>) {
    put_number(span.start, out);
    out.push(b'-');
    put_number(span.end, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(template: &str) -> String {
        template.parse::<Template>().unwrap_err().to_string()
    }

    #[test]
    fn templates_are_read_whole() {
        let read = |text: &str| text.parse::<Template>().unwrap().pieces;
        let text = |text: &str| TemplatePart::Text(text.to_owned());
        let url = TemplatePart::Field(Field::Url);
        assert_eq!(read(r"{{ä}}\t\n\0\\{url}"), [text("{ä}\t\n\0\\"), url]);
        assert_eq!(
            read("{url} {path}:{line}"),
            [
                TemplatePart::Field(Field::Url),
                text(" "),
                TemplatePart::Field(Field::Path),
                text(":"),
                TemplatePart::Field(Field::Line)
            ]
        );
        assert_eq!(
            read("{{{url}}}"),
            [text("{"), TemplatePart::Field(Field::Url), text("}")]
        );
    }

    #[test]
    fn formulas_begin_with_a_mark() {
        for mark in ["=", "+", "-", "@", "\t", "\r", "\n", "\u{ff0b}"] {
            assert!(is_formula(format!("{mark}1").as_bytes()), "{mark:?}");
        }
        assert!(!is_formula(b"") && !is_formula(b"1=2") && !is_formula(b"\xFF="));
    }

    #[test]
    fn faults_are_named() {
        for (template, message) in [
            (
                "{url",
                "byte 0: an unmatched brace; write {{ or }} for a brace",
            ),
            (
                "a}",
                "byte 1: an unmatched brace; write {{ or }} for a brace",
            ),
            (r"a\x", r"byte 1: expected t, n, 0 or \ after the backslash"),
            ("\\", r"byte 0: expected t, n, 0 or \ after the backslash"),
            ("{\u{1b}x}", r"no field `\u{1b}x`; --help lists the fields"),
            ("{hots}", "no field `hots`; did you mean host?"),
            (
                "{}",
                "the name of a field is missing; --help lists the fields",
            ),
        ] {
            assert_eq!(error(template), format!("--format: {message}"));
        }
    }
}
