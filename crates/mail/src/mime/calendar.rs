//! iCalendar (RFC 5545) and vCard (RFC 6350): lines are unfolded, and escapes undone.
//!
//! > Any sequence of CRLF followed immediately by a single linear white-space character is
//! > ignored (RFC 5545 section 3.1; RFC 6350 section 3.2 has the same rule)
//!
//! A writer may fold anywhere, even inside of an escape or a character reference. So the
//! text is unfolded first, and what this leaves is read in a second step.
//!
//! vCard 2.1 (section 2.1.3) has quoted-printable values. Their soft line breaks are no folds,
//! because no white space follows them, so they are removed in the second step.

use memchr::{memchr, memchr2, memchr3};

use super::carry::Carry;
use super::html::{Characters, reference};
use super::out::{Out, Replacement};
use super::sink::MailSink;
use super::text::{Text, TextBuffer};
use urlgrep_base::digits::hex_byte;
use urlgrep_base::span::SeamKind;

/// The properties whose value is HTML. The first is Outlook's, the second is that of RFC
/// 9073 section 6.5.
const HTML: [&[u8]; 2] = [b"X-ALT-DESC", b"STYLED-DESCRIPTION"];

#[derive(Debug, Default)]
pub(super) struct Calendar {
    /// Unfolded text, until it is passed on.
    unfolded: TextBuffer,
    /// An escape or the name of a property that is not complete.
    carry: Carry,
    value: PropertyValue,
}

/// The maximum length of the name and parameters of a property in which an encoding is
/// found.
const MAX_NAME: usize = 512;

#[derive(Debug, Default)]
struct PropertyValue {
    place: ValuePlace,
}

/// What the next bytes of a calendar are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ValuePlace {
    /// The start of a line.
    #[default]
    LineStart,
    /// A property whose value is text.
    Text,
    /// A property whose value is HTML.
    Html,
    /// A value in quoted-printable.
    QuotedPrintable,
}

impl ValuePlace {
    /// The byte, besides a backslash and a line feed, that may mean something else.
    fn special(self) -> u8 {
        match self {
            ValuePlace::Html => b'&',
            ValuePlace::QuotedPrintable => b'=',
            ValuePlace::LineStart | ValuePlace::Text => b'\\',
        }
    }
}

impl Calendar {
    pub(super) fn start(&mut self) {
        self.carry.clear();
        self.value = PropertyValue::default();
    }

    /// Reads `text`, up to a line break that may be a fold. `end` is true if the part
    /// ends with `text`.
    pub(super) fn read<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        sink: &mut S,
    ) {
        let unfolded = &mut self.unfolded;
        loop {
            let bytes = text.bytes();
            let feed = memchr(b'\n', bytes);
            let line = feed.unwrap_or(bytes.len());
            let start = line - usize::from(bytes[..line].ends_with(b"\r"));
            match (feed, bytes.get(line + 1)) {
                (Some(_), Some(b' ' | b'\t')) => {
                    unfolded.copy(text, start);
                    unfolded.seam(text, line + 2 - start, SeamKind::Fold, b"", 1);
                }
                (Some(_), Some(_)) => unfolded.copy(text, line + 1),
                // More bytes may show that the line break is a fold.
                _ => {
                    let known = if end { bytes.len() } else { start };
                    unfolded.copy_all(text.take(known));
                    break;
                }
            }
        }
        self.carry.feed(unfolded.text(), end, |text, end| {
            self.value.read(text, end, out, sink);
        });
        unfolded.clear();
    }
}

impl PropertyValue {
    /// Reads `text`, up to a token that is not complete.
    #[expect(
        clippy::too_many_lines,
        reason = "one loop over the tokens of a value, in the order in which a place allows them"
    )]
    fn read<S: MailSink>(&mut self, text: &mut Text<'_>, end: bool, out: &mut Out, sink: &mut S) {
        while let bytes = text.bytes()
            && let Some(&first) = bytes.first()
        {
            if self.place == ValuePlace::LineStart {
                let Some(name) = property_name(bytes, end) else {
                    return;
                };
                let has_name = |html: &&[u8]| {
                    let start = name.get(..html.len());
                    start.is_some_and(|start| start.eq_ignore_ascii_case(html))
                };
                if bytes.get(name.len()) == Some(&b':') && is_quoted_printable(name) {
                    // The parameters have equals signs, too.
                    self.place = ValuePlace::QuotedPrintable;
                    out.copy(text, name.len() + 1, sink);
                    continue;
                }
                self.place = if HTML.iter().any(has_name) {
                    ValuePlace::Html
                } else {
                    ValuePlace::Text
                };
            }
            if self.place == ValuePlace::QuotedPrintable && first == b'=' {
                let escaped = match bytes {
                    [_, high, low, ..] => hex_byte(*high, *low),
                    _ => None,
                };
                let (kind, n) = match (escaped, bytes) {
                    (Some(_), _) => (SeamKind::QpByte, 3),
                    (None, [_, b'\r', b'\n', ..]) => (SeamKind::SoftBreak, 3),
                    (None, [_, b'\n', ..]) => (SeamKind::SoftBreak, 2),
                    (None, [_] | [_, _]) if !end => return,
                    (None, _) => {
                        out.copy(text, 1, sink);
                        continue;
                    }
                };
                let removed = i64::from(escaped.is_none());
                let added = i64::from(escaped == Some(b'\n'));
                let replacement = Replacement {
                    kind,
                    bytes: escaped.as_slice(),
                    lines: removed - added,
                };
                out.seam(text, n, replacement, sink);
                continue;
            }
            let (n, to) = match (first, bytes.get(1)) {
                (b'\\', None) if !end => return,
                // > ESCAPED-CHAR = ("\\" / "\;" / "\," / "\N" / "\n") (RFC 5545 section
                // > 3.3.11). Apple's address book writes `\:` too.
                (b'\\', Some(b'n' | b'N')) => (2, Some(Characters::One('\n'))),
                (b'\\', Some(&c @ (b'\\' | b';' | b',' | b':'))) => {
                    (2, Some(Characters::One(char::from(c))))
                }
                (b'&', _) if self.place == ValuePlace::Html => match reference(bytes, true, end) {
                    None => return,
                    Some((n, to @ Some(_))) if bytes[n - 1] != b';' => match &bytes[n..] {
                        // The semicolon has an escape of its own.
                        [b'\\', b';', ..] => (n + 2, to),
                        [] | [b'\\'] if !end => return,
                        _ => (n, to),
                    },
                    Some(found) => found,
                },
                (b'\n', _) => (1, None),
                _ => match memchr3(b'\\', b'\n', self.place.special(), &bytes[1..]) {
                    Some(i) if bytes[i + 1] == b'\n' => (i + 2, None),
                    special => (special.map_or(bytes.len(), |i| i + 1), None),
                },
            };
            let Some(to) = to else {
                if bytes[n - 1] == b'\n' {
                    self.place = ValuePlace::LineStart;
                }
                out.copy(text, n, sink);
                continue;
            };
            let kind = match first {
                b'&' => SeamKind::Entity,
                _ => SeamKind::Escape,
            };
            let mut utf8 = [0; 4];
            let bytes = to.encode(&mut utf8);
            let lines = -i64::from(bytes == b"\n");
            out.seam(text, n, Replacement { kind, bytes, lines }, sink);
        }
        out.pass_removals(text);
    }
}

/// The name and the parameters at the start of a line, up to the colon, the line end or
/// [`MAX_NAME`]. `None` if more bytes are needed.
fn property_name(line: &[u8], end: bool) -> Option<&[u8]> {
    let near = &line[..line.len().min(MAX_NAME)];
    match memchr2(b':', b'\n', near) {
        Some(at) => Some(&near[..at]),
        None if end || near.len() == MAX_NAME => Some(near),
        None => None,
    }
}

/// True for the name of a property with `ENCODING=QUOTED-PRINTABLE`, or, in vCard 2.1, only
/// `QUOTED-PRINTABLE` among its parameters.
fn is_quoted_printable(name: &[u8]) -> bool {
    let mut parameters = name.split(|&b| b == b';').skip(1);
    parameters.any(|parameter| {
        let value = parameter.rsplit(|&b| b == b'=').next().unwrap_or_default();
        value.trim_ascii().eq_ignore_ascii_case(b"quoted-printable")
    })
}
