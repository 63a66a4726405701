//! `--format`: one line a hit, by a template.
//!
//! A template is text with fields in braces: `{url} {path}:{line}`. `{{` and
//! `}}` are braces, `\t` is a tab, `\n` a line feed, `\0` a NUL byte and `\\` a
//! backslash. A line feed follows each line. What a hit does not have is an
//! empty field.
//!
//! **What is escaped.** No value can hold a line feed, a tab or any other
//! control byte, and each can be read back: values follow [`escape::field`], on a
//! terminal and into a pipe. A template with a tab makes tab-separated output,
//! in which they follow [`escape::tabbed`].

use std::fmt;
use std::str::FromStr;

use super::put_display;
use super::text::put_number;
use urlgrep::escape;
use urlgrep::mail::mime::Role;
use urlgrep::record::Record;
use urlgrep::span::Span;
use urlgrep::url::{Host, Url};

/// A template that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
    /// Whether its own text holds a tab.
    tabbed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(Field),
}

macro_rules! fields {
    ($($(#[$meta:meta])* $variant:ident => $name:literal,)+) => {
        /// What a template can ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Field {
            $($(#[$meta])* $variant,)+
        }

        impl Field {
            /// Every field.
            pub const ALL: &[Field] = &[$(Field::$variant,)+];

            /// The name between the braces.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Field::$variant => $name,)+
                }
            }
        }
    };
}

fields! {
    /// The URL, rejoined.
    Url => "url",
    /// The file's path.
    Path => "path",
    /// The line of the URL's first byte.
    Line => "line",
    /// The column of the URL's first byte.
    Column => "column",
    /// The offset of the URL's first byte.
    Offset => "offset",
    /// The offset of the byte after the URL's last.
    End => "end",
    /// `120-134,137-150`: the spans that are copied.
    Segments => "segments",
    /// `line-break,leader`: the kinds of the repairs.
    Seams => "seams",
    /// `10-40`: the place in the decoded text.
    Decoded => "decoded",
    /// The scheme in lower case.
    Scheme => "scheme",
    /// The user name.
    User => "user",
    /// The password.
    Password => "password",
    /// The host as it is written.
    Host => "host",
    /// The port as it is written.
    Port => "port",
    /// The path of the URL.
    UrlPath => "urlpath",
    /// The query of the URL.
    Query => "query",
    /// The fragment of the URL.
    Fragment => "fragment",
    /// The canonical form.
    Canonical => "canonical",
    /// `password,low-port`: the cautions.
    Cautions => "cautions",
    /// How the URL was delimited.
    Form => "form",
    /// Why the reading is doubtful.
    Doubt => "doubt",
    /// `true` if letters stood right before the scheme.
    Glued => "glued",
    /// `true` if the URL plainly goes on in the next line.
    Continues => "continues",
    /// The other readings, with spaces between.
    Alternates => "alternates",
    /// The profile that judged.
    Profile => "profile",
    /// `valid` or `invalid`.
    Verdict => "verdict",
    /// The rule that failed.
    Rule => "rule",
    /// The byte of the URL at which it failed.
    At => "at",
    /// Why it was refused, in words.
    Reason => "reason",
    /// Which way the file was read.
    ReadAs => "as",
    /// The number of the message.
    Message => "message",
    /// The Message-ID.
    Id => "id",
    /// The date in UTC.
    Date => "date",
    /// The sender.
    From => "from",
    /// The subject.
    Subject => "subject",
    /// The newsgroups.
    Groups => "groups",
    /// The List-Id.
    List => "list",
    /// The MIME part.
    Part => "part",
    /// The header field.
    Header => "header",
    /// The role.
    Role => "role",
    /// The depth of the quote.
    Depth => "depth",
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
                    let field = Field::ALL.iter().find(|field| field.name() == name);
                    let field = *field.ok_or_else(|| TemplateError::Field(name.to_owned()))?;
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
        let has_tab = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains('\t'));
        Ok(Template {
            tabbed: pieces.iter().any(has_tab),
            pieces,
        })
    }
}

impl Template {
    pub(super) fn print(&self, record: &Record<'_>, out: &mut Vec<u8>) {
        let rule = if self.tabbed {
            escape::tabbed
        } else {
            escape::field
        };
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Field(field) => field.put(record, rule, out),
            }
        }
        out.push(b'\n');
    }
}

impl Field {
    fn put(self, record: &Record<'_>, rule: fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) {
        let (hit, found, message) = (record.hit(), &record.found, record.found.message);
        let source = found.source();
        let span = source.map(|pieces| pieces.span());
        let role = found.role();
        let url = hit.verdict().ok();
        let reject = hit.verdict().err();
        let text = |text: Option<&[u8]>, out: &mut Vec<u8>| rule(text.unwrap_or_default(), out);
        let name = |name: Option<&str>, out: &mut Vec<u8>| {
            rule(name.unwrap_or_default().as_bytes(), out);
        };
        let number = |number: Option<u64>, out: &mut Vec<u8>| {
            if let Some(number) = number {
                put_number(number, out);
            }
        };
        let flag = |yes: bool| yes.then_some("true");
        match self {
            Field::Url => rule(hit.url(), out),
            Field::Path => rule(record.path_or_stdin(), out),
            Field::Line => number(found.line(), out),
            Field::Column => number(record.column, out),
            Field::Offset => number(span.map(|span| span.start), out),
            Field::End => number(span.map(|span| span.end), out),
            Field::Segments => {
                let segments = source.map_or(&[][..], |pieces| pieces.segments);
                list(segments, b',', out, |&span, out| put_span(span, out));
            }
            Field::Seams => {
                let seams = source.map_or(hit.seams(), |pieces| pieces.seams);
                list(seams, b',', out, |seam, out| {
                    out.extend_from_slice(seam.kind.name().as_bytes());
                });
            }
            Field::Decoded => {
                if let Some(pieces) = found.decoded() {
                    put_span(pieces.span(), out);
                }
            }
            Field::Scheme => {
                let scheme = record.scheme().unwrap_or_default();
                out.extend(scheme.bytes().map(|b| b.to_ascii_lowercase()));
            }
            Field::User => text(url.and_then(|url| url.user()), out),
            Field::Password => text(url.and_then(|url| url.password()), out),
            Field::Host => text(url.and_then(|url| url.host()).map(Host::as_bytes), out),
            Field::Port => text(url.and_then(|url| url.port()), out),
            Field::UrlPath => text(url.map(|url| url.path()), out),
            Field::Query => text(url.and_then(|url| url.query()), out),
            Field::Fragment => text(url.and_then(|url| url.fragment()), out),
            Field::Canonical => {
                let mut canonical = Vec::new();
                if let Some(url) = url {
                    url.canonical_into(&mut canonical);
                }
                rule(&canonical, out);
            }
            Field::Cautions => {
                let cautions = url.iter().flat_map(|url| Url::cautions(url).iter());
                list(cautions, b',', out, |caution, out| {
                    out.extend_from_slice(caution.name().as_bytes());
                });
            }
            Field::Form => name(Some(hit.form().name()), out),
            Field::Doubt => name(hit.doubt().map(|doubt| doubt.name()), out),
            Field::Glued => name(flag(hit.glued()), out),
            Field::Continues => name(flag(hit.continues()), out),
            Field::Alternates => {
                list(hit.alternates(), b' ', out, |other, out| {
                    rule(other.url, out)
                });
            }
            Field::Profile => name(Some(hit.profile().name()), out),
            Field::Verdict => name(Some(if url.is_some() { "valid" } else { "invalid" }), out),
            Field::Rule => name(reject.map(|reject| reject.rule.name()), out),
            Field::At => number(reject.map(|reject| u64::from(reject.at)), out),
            Field::Reason => {
                if let Some(reject) = reject {
                    put_display(&reject, rule, out);
                }
            }
            Field::ReadAs => name(record.read_as, out),
            Field::Message => number(message.and_then(|message| message.number), out),
            Field::Id => text(message.map(|message| message.info.message_id()), out),
            Field::Date => {
                if let Some(date) = message.and_then(|message| message.info.date()) {
                    put_display(&date, rule, out);
                }
            }
            Field::From => text(message.map(|message| message.info.from()), out),
            Field::Subject => text(message.map(|message| message.info.subject()), out),
            Field::Groups => text(message.map(|message| message.info.newsgroups()), out),
            Field::List => text(message.map(|message| message.info.list_id()), out),
            Field::Part => name(found.part(), out),
            Field::Header => text(found.header(), out),
            Field::Role => name(role.map(Role::name), out),
            Field::Depth => number(role.and_then(Role::depth).map(u64::from), out),
        }
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
        assert!(message.starts_with("no field {\\u{1b}x}; there are {url} {path}"));
        for field in Field::ALL {
            assert!(message.contains(&format!(" {{{}}}", field.name())));
        }
    }
}
