//! `--format`: one line a hit, by a template.
//!
//! A template is text with fields in braces: `{url} {path}:{line}`. `{{` and
//! `}}` are braces, `\t` is a tab, `\n` a line feed, `\0` a NUL byte and `\\` a
//! backslash. A line feed follows each line. What a hit does not have is an
//! empty field.
//!
//! **What is escaped.** No value can hold a line feed, a tab or any other
//! control byte, and each can be read back: values follow [`escape::field`], on a
//! terminal and into a pipe, whatever the template is.

use std::fmt;
use std::str::FromStr;

use super::put_display;
use super::text::put_number;
use urlgrep::escape;
use urlgrep::record::{Field, Record, Row, Value};
use urlgrep::span::Span;
use urlgrep::url::Url;

/// A template that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(Field),
}

/// Why a template cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// There is no such field.
    Field(String),
    /// A brace at this byte has no partner.
    Brace(usize),
    /// A backslash at this byte is followed by nothing it can escape.
    Escape(usize),
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::Field(name) => {
                write!(f, "no field {{{}}}; there are", name.escape_debug())?;
                for field in Field::ALL {
                    write!(f, " {{{}}}", field.name())?;
                }
                Ok(())
            }
            TemplateError::Brace(at) => {
                write!(f, "byte {at}: a brace alone; {{{{ and }}}} stand for one")
            }
            TemplateError::Escape(at) => {
                write!(f, r"byte {at}: after a backslash stands t, n, 0 or \")
            }
        }
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// True if it prints this field.
    #[must_use]
    pub fn has(&self, field: Field) -> bool {
        self.pieces.contains(&Piece::Field(field))
    }
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Template, TemplateError> {
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
                    _ => return Err(TemplateError::Escape(at)),
                }),
                '{' | '}' if chars.as_str().starts_with(c) => {
                    chars.next();
                    plain.push(c);
                }
                '{' => {
                    let (name, rest) = chars
                        .as_str()
                        .split_once('}')
                        .ok_or(TemplateError::Brace(at))?;
                    let field = Field::from_name(name);
                    let field = field.ok_or_else(|| TemplateError::Field(name.to_owned()))?;
                    if !plain.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                    }
                    pieces.push(Piece::Field(field));
                    let after = text.len() - rest.len();
                    while chars.offset() < after {
                        chars.next();
                    }
                }
                '}' => return Err(TemplateError::Brace(at)),
                _ => plain.push(c),
            }
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Template { pieces })
    }
}

impl Template {
    /// Appends the line of `record`. `scratch` is for values that are computed.
    pub(super) fn print(&self, record: &Record<'_>, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        let row = Row::from(record);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Field(field) => put(row.value(*field, scratch), out),
            }
        }
        out.push(b'\n');
    }
}

/// Appends `value`: lists with commas, but readings and components, which may
/// hold commas, with spaces.
fn put(value: Value<'_>, out: &mut Vec<u8>) {
    let rule = escape::field;
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
            rule(other.url, out);
        }),
        Value::Components(url) => {
            let components = url.iter().flat_map(Url::components);
            list(components, b' ', out, |(name, value), out| {
                out.extend_from_slice(name.as_bytes());
                out.push(b'=');
                rule(value, out);
            });
        }
        // A flag that is not set is an empty field, as is a value that is not
        // there.
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

    fn error(template: &str) -> TemplateError {
        template.parse::<Template>().unwrap_err()
    }

    #[test]
    fn templates_are_read_whole() {
        let read = |text: &str| text.parse::<Template>().unwrap().pieces;
        let text = |text: &str| Piece::Text(text.to_owned());
        assert_eq!(read(""), []);
        assert_eq!(read(r"{{ä}}\t\n\0\\"), [text("{ä}\t\n\0\\")]);
        assert_eq!(
            read("{url} {path}:{line}"),
            [
                Piece::Field(Field::Url),
                text(" "),
                Piece::Field(Field::Path),
                text(":"),
                Piece::Field(Field::Line)
            ]
        );
        assert_eq!(
            read("{{{url}}}"),
            [text("{"), Piece::Field(Field::Url), text("}")]
        );
    }

    #[test]
    fn faults_are_named() {
        assert_eq!(error("{url"), TemplateError::Brace(0));
        assert_eq!(error("a}"), TemplateError::Brace(1));
        assert_eq!(error(r"a\x"), TemplateError::Escape(1));
        assert_eq!(error("\\"), TemplateError::Escape(0));
        let unknown = error("{\u{1b}x}");
        assert_eq!(unknown, TemplateError::Field("\u{1b}x".to_owned()));
        let message = unknown.to_string();
        assert!(message.starts_with("no field {\\u{1b}x}; there are {v} {type} {path}"));
        for field in Field::ALL {
            assert!(message.contains(&format!(" {{{}}}", field.name())));
        }
    }
}
