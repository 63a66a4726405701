//! iCalendar (RFC 5545) and vCard (RFC 6350): lines are unfolded, and escapes undone.
//!
//! > Any sequence of CRLF followed immediately by a single linear white-space character is
//! > ignored (RFC 5545 section 3.1; RFC 6350 section 3.2 has the same rule)
//!
//! A writer may fold anywhere, even inside of an escape or a character reference. So the
//! text is unfolded first, and what this leaves is read in a second step.

use memchr::{memchr, memchr3};

use super::MailSink;
use super::carry::Carry;
use super::html::{Characters, reference};
use super::out::Out;
use super::text::{Text, TextBuffer};
use crate::span::SeamKind;

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

#[derive(Debug, Default)]
struct PropertyValue {
    /// The value is not that of a line that has just begun.
    is_inside: bool,
    is_html: bool,
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
    fn read<S: MailSink>(&mut self, text: &mut Text<'_>, end: bool, out: &mut Out, sink: &mut S) {
        while let bytes = text.bytes()
            && let Some(&first) = bytes.first()
        {
            if !self.is_inside {
                let is_name = |name: &&&[u8]| {
                    let len = name.len().min(bytes.len());
                    name[..len].eq_ignore_ascii_case(&bytes[..len])
                };
                let name = HTML.iter().find(is_name);
                if !end && name.is_some_and(|name| name.len() > bytes.len()) {
                    return;
                }
                (self.is_inside, self.is_html) = (true, name.is_some());
            }
            let (n, to) = match (first, bytes.get(1)) {
                (b'\\', None) if !end => return,
                // > ESCAPED-CHAR = ("\\" / "\;" / "\," / "\N" / "\n") (RFC 5545 section
                // > 3.3.11). Apple's address book writes `\:` too.
                (b'\\', Some(b'n' | b'N')) => (2, Some(Characters::One('\n'))),
                (b'\\', Some(&c @ (b'\\' | b';' | b',' | b':'))) => {
                    (2, Some(Characters::One(char::from(c))))
                }
                (b'&', _) if self.is_html => match reference(bytes, true, end) {
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
                _ => {
                    let special = if self.is_html { b'&' } else { b'\\' };
                    match memchr3(b'\\', b'\n', special, &bytes[1..]) {
                        Some(i) if bytes[i + 1] == b'\n' => (i + 2, None),
                        special => (special.map_or(bytes.len(), |i| i + 1), None),
                    }
                }
            };
            let Some(to) = to else {
                self.is_inside = bytes[n - 1] != b'\n';
                out.copy(text, n, sink);
                continue;
            };
            let kind = match first {
                b'&' => SeamKind::Entity,
                _ => SeamKind::Escape,
            };
            let mut utf8 = [0; 4];
            let utf8 = to.encode(&mut utf8);
            out.seam(text, n, (kind, utf8, -i64::from(utf8 == b"\n")), sink);
        }
        out.pass_removals(text);
    }
}
