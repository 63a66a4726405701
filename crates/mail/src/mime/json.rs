//! JSON (RFC 8259) and JSON Lines, read as their strings: each string, also a name of a member,
//! is a text of its own, with its escapes decoded. What stands between strings is removed.
//!
//! In the decoded text each string begins after a line feed. The sink learns where a string begins
//! and ends, and which objects are around it ([`MailSink::json`]), so that no URL crosses two
//! strings, and a hit can get the date and the author of its message (`objects`).
//!
//! A string that can be read whole, and that the sink does not want ([`MailSink::wants_string`]),
//! is removed too. That is most of a log: numbers, words and dates. A string longer than
//! [`MAX_SHORT`] is passed on as it comes, so a line of any length needs no memory.
//!
//! Where the grammar is broken, or nesting is too deep, JSON ends: the rest is plain text, with a
//! note.
//!
//! # Slack
//!
//! Slack writes `<https://a.example/?b=1&amp;c=2|label>`: "`&`, `<` and `>` are replaced by their
//! HTML entities" (Slack's *Formatting text for app surfaces*). These three are decoded between
//! `<http` or `<mailto` and the end of this link, and nowhere else: another program that writes
//! `&amp;` may mean it.

pub(super) mod objects;

use memchr::{memchr, memchr3};

use self::objects::Member;
pub use self::objects::{JsonEvent, JsonObject, JsonObjects};
use super::note::MessageNoteKind;
use super::out::{Cx, Out, Replacement};
use super::sink::MailSink;
use super::text::Text;
use urlgrep_base::span::SeamKind;
use urlgrep_containers::json::{JsonEscape, JsonGrammar, JsonToken, json_escape};

/// The maximum number of arrays and objects around a value.
const MAX_DEPTH: usize = 512;

/// The maximum length of a string that is read whole. The strings that name an author or a date
/// are shorter.
const MAX_SHORT: usize = 1024;

/// The number of bytes of a longer string after which the sink may give what it has found.
const STEP: usize = 32 * 1024;

#[derive(Debug)]
pub(super) struct Json {
    grammar: JsonGrammar,
    objects: JsonObjects,
    place: JsonPlace,
    /// The decoded value of a member that is read.
    value: Vec<u8>,
}

impl Default for Json {
    fn default() -> Json {
        Json {
            grammar: JsonGrammar::new(MAX_DEPTH),
            objects: JsonObjects::default(),
            place: JsonPlace::Between,
            value: Vec::new(),
        }
    }
}

/// Where the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonPlace {
    /// Outside of strings.
    Between,
    /// At the quotation mark before a string. True for the name of a member.
    Start(bool),
    /// In a string that is passed on. The other value is true in a link of Slack.
    Within { is_key: bool, in_link: bool },
    /// In text that is no JSON.
    Rest,
}

/// The end of a string that is read whole.
enum Short {
    /// The string has this many bytes before its quotation mark.
    Ends(usize),
    /// More bytes are needed.
    More,
    /// It is too long, or has no end.
    Long,
}

impl Json {
    pub(super) fn start(&mut self) {
        self.grammar.start();
        self.objects.start();
        self.place = JsonPlace::Between;
    }

    /// Reads `text` up to a token that is not complete. `end` is true if the part ends with it.
    pub(super) fn read<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        loop {
            let goes_on = match self.place {
                JsonPlace::Between => self.between(text, end, out, cx),
                JsonPlace::Start(is_key) => self.string(is_key, text, end, out, cx),
                JsonPlace::Within { is_key, in_link } => {
                    self.within(is_key, in_link, text, end, out, cx)
                }
                JsonPlace::Rest => {
                    let len = text.bytes().len();
                    out.copy(text, len, cx.sink);
                    false
                }
            };
            if !goes_on {
                break;
            }
        }
        if end {
            self.end(text, out, cx);
        }
        out.pass_removals(text);
    }

    /// Ends the JSON with its text.
    fn end<S: MailSink>(&mut self, text: &Text<'_>, out: &mut Out, cx: &mut Cx<'_, S>) {
        let is_cut = match self.place {
            JsonPlace::Between => !self.grammar.is_complete(),
            JsonPlace::Start(_) | JsonPlace::Within { .. } => true,
            JsonPlace::Rest => return,
        };
        if matches!(self.place, JsonPlace::Within { .. }) {
            out.flush(cx.sink);
            cx.sink.json(JsonEvent::StringEnd, &self.objects);
        }
        if is_cut {
            cx.note(MessageNoteKind::DamagedJson, text.source());
        }
        self.close_all(cx);
        self.place = JsonPlace::Rest;
    }

    /// Ends the JSON where it is broken.
    fn give_up<S: MailSink>(&mut self, text: &Text<'_>, cx: &mut Cx<'_, S>) {
        cx.note(MessageNoteKind::DamagedJson, text.source());
        self.close_all(cx);
        self.place = JsonPlace::Rest;
    }

    fn close_all<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        while !self.objects.open().is_empty() {
            cx.sink.json(JsonEvent::ObjectEnd, &self.objects);
            self.objects.close_object();
        }
    }

    /// Reads what stands between strings. Returns false if more text is needed.
    fn between<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let bytes = text.bytes();
        let mut at = 0;
        let place = loop {
            let (read, token) = self.grammar.next(&bytes[at..], end);
            at += read;
            match token {
                JsonToken::OpenObject => self.objects.open_object(),
                JsonToken::OpenArray => self.objects.open_array(),
                JsonToken::CloseArray => self.objects.close_array(),
                JsonToken::CloseObject => {
                    cx.sink.json(JsonEvent::ObjectEnd, &self.objects);
                    self.objects.close_object();
                }
                JsonToken::Scalar(len) => self.objects.scalar(&bytes[at - len..at]),
                JsonToken::Key => {
                    at -= 1;
                    break Some(JsonPlace::Start(true));
                }
                JsonToken::String => {
                    self.objects.begin_string();
                    at -= 1;
                    break Some(JsonPlace::Start(false));
                }
                JsonToken::More => break None,
                JsonToken::Wrong => break Some(JsonPlace::Rest),
            }
        };
        // Removing nothing must not part two removals.
        if at > 0 {
            out.cut(text, at, SeamKind::Markup);
        }
        match place {
            Some(JsonPlace::Rest) => self.give_up(text, cx),
            Some(place) => self.place = place,
            None => {}
        }
        place.is_some()
    }

    /// Reads the beginning of a string, or all of it if it is short.
    fn string<S: MailSink>(
        &mut self,
        is_key: bool,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let Some(bytes) = text.bytes().get(1..) else {
            return false;
        };
        match short(bytes, end) {
            Short::More => return false,
            Short::Ends(len) => {
                let raw = &bytes[..len];
                if is_key {
                    self.objects.member = Member::of(raw);
                }
                if !is_key && self.objects.member.is_read() {
                    self.value.clear();
                    decode(raw, &mut self.value);
                }
                if !cx.sink.wants_string(raw) {
                    out.cut(text, 1 + len + 1, SeamKind::Markup);
                    self.end_string(is_key);
                    return true;
                }
            }
            Short::Long => {
                self.value.clear();
                if is_key {
                    self.objects.member = Member::Other;
                }
            }
        }
        if out.end() > 0 {
            let line_end = Replacement {
                kind: SeamKind::Markup,
                bytes: b"\n",
                lines: -1,
            };
            out.seam(text, 1, line_end, cx.sink);
            out.flush(cx.sink);
        } else {
            out.cut(text, 1, SeamKind::Markup);
        }
        cx.sink.json(JsonEvent::String, &self.objects);
        self.place = JsonPlace::Within {
            is_key,
            in_link: false,
        };
        true
    }

    /// A string has ended.
    fn end_string(&mut self, is_key: bool) {
        if !is_key {
            self.objects.end_string(&self.value);
            self.value.clear();
        }
        self.place = JsonPlace::Between;
    }

    /// Passes on the bytes of a string.
    fn within<S: MailSink>(
        &mut self,
        is_key: bool,
        mut in_link: bool,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let mut fed = 0;
        loop {
            self.place = JsonPlace::Within { is_key, in_link };
            let bytes = text.bytes();
            let near = &bytes[..bytes.len().min(STEP)];
            let special = special(near, in_link);
            let plain = special.unwrap_or(near.len());
            if plain > 0 {
                out.copy(text, plain, cx.sink);
                fed += plain;
            }
            if fed >= STEP {
                fed = 0;
                out.flush(cx.sink);
                cx.sink.json(JsonEvent::More, &self.objects);
            }
            let rest = text.bytes();
            let Some(&first) = rest.first() else {
                return false;
            };
            if special.is_none() {
                continue;
            }
            let (len, character, kind) = match special_token(rest, end) {
                Special::End => {
                    out.flush(cx.sink);
                    cx.sink.json(JsonEvent::StringEnd, &self.objects);
                    out.cut(text, 1, SeamKind::Markup);
                    self.end_string(is_key);
                    return true;
                }
                Special::More => return false,
                Special::Wrong => return self.break_string(text, out, cx),
                Special::Plain { begins_link } => {
                    // An ampersand is the only other byte within a link.
                    in_link = begins_link || in_link && first == b'&';
                    out.copy(text, 1, cx.sink);
                    continue;
                }
                Special::Decoded(len, character, kind) => (len, character, kind),
            };
            in_link &= kind == SeamKind::Entity || !character.is_whitespace();
            let mut utf8 = [0; 4];
            let replacement = Replacement {
                kind,
                bytes: character.encode_utf8(&mut utf8).as_bytes(),
                lines: -i64::from(character == '\n'),
            };
            out.seam(text, len, replacement, cx.sink);
        }
    }

    /// Ends a string, and the JSON, at a byte that no string has.
    fn break_string<S: MailSink>(
        &mut self,
        text: &Text<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        out.flush(cx.sink);
        cx.sink.json(JsonEvent::StringEnd, &self.objects);
        self.give_up(text, cx);
        true
    }
}

/// Finds the end of the string whose first bytes are `bytes`.
fn short(bytes: &[u8], end: bool) -> Short {
    let near = &bytes[..bytes.len().min(MAX_SHORT)];
    let mut at = 0;
    while let Some(i) = memchr3(b'"', b'\\', b'\n', &near[at..]) {
        match near[at + i] {
            b'"' => return Short::Ends(at + i),
            b'\\' => match json_escape(&bytes[at + i..], end) {
                JsonEscape::Character(..) => at = near.len().min(at + i + 2),
                JsonEscape::More if near.len() < MAX_SHORT => return Short::More,
                JsonEscape::More | JsonEscape::Wrong => return Short::Long,
            },
            _ => return Short::Long,
        }
    }
    if near.len() < MAX_SHORT && !end {
        Short::More
    } else {
        Short::Long
    }
}

/// Appends the characters of a whole string.
fn decode(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let JsonEscape::Character(len, c) = json_escape(&rest[at..], true) else {
            break;
        };
        let mut utf8 = [0; 4];
        out.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
        rest = &rest[at + len..];
    }
    out.extend_from_slice(rest);
}

/// The first byte that is not passed on as it is.
fn special(bytes: &[u8], in_link: bool) -> Option<usize> {
    if in_link {
        let ends_link = |b: &u8| matches!(b, b'>' | b'|' | b'&' | b' ' | b'\t' | b'\r');
        let is_special = |b: &u8| matches!(b, b'"' | b'\\' | b'<' | b'\n') || ends_link(b);
        return bytes.iter().position(is_special);
    }
    let near = memchr3(b'"', b'\\', b'<', bytes).unwrap_or(bytes.len());
    let feed = memchr(b'\n', &bytes[..near]);
    feed.or((near < bytes.len()).then_some(near))
}

/// What begins at a byte that is not passed on as it is.
enum Special {
    /// The quotation mark at the end of the string.
    End,
    /// This many bytes stand for a character.
    Decoded(usize, char, SeamKind),
    /// A byte of the text. It may begin a link of Slack.
    Plain { begins_link: bool },
    /// More bytes are needed.
    More,
    /// No string of JSON has this.
    Wrong,
}

/// What `bytes` begin with, at a byte that [`special`] has found.
fn special_token(bytes: &[u8], end: bool) -> Special {
    match bytes.first() {
        Some(b'"') => Special::End,
        Some(b'\\') => match json_escape(bytes, end) {
            JsonEscape::Character(len, c) => Special::Decoded(len, c, SeamKind::Escape),
            JsonEscape::More => Special::More,
            JsonEscape::Wrong => Special::Wrong,
        },
        Some(b'<') => match begins_link(bytes, end) {
            Some(begins_link) => Special::Plain { begins_link },
            None => Special::More,
        },
        Some(b'&') => slack_entity(bytes, end),
        Some(b'\n') | None => Special::Wrong,
        Some(_) => Special::Plain { begins_link: false },
    }
}

/// True if `bytes`, which begin with `<`, begin a link of Slack. `None` if more are needed.
fn begins_link(bytes: &[u8], end: bool) -> Option<bool> {
    let starts = [&b"<http"[..], b"<mailto:"];
    if starts.iter().any(|start| bytes.starts_with(start)) {
        return Some(true);
    }
    let is_open = !end && starts.iter().any(|start| start.starts_with(bytes));
    (!is_open).then_some(false)
}

/// The entity of Slack at the start of `bytes`, which begin with `&`.
fn slack_entity(bytes: &[u8], end: bool) -> Special {
    let entities = [(&b"&amp;"[..], '&'), (b"&lt;", '<'), (b"&gt;", '>')];
    let found = entities.iter().find(|(name, _)| bytes.starts_with(name));
    if let Some((name, character)) = found {
        return Special::Decoded(name.len(), *character, SeamKind::Entity);
    }
    let may_be_one = entities.iter().any(|(name, _)| name.starts_with(bytes));
    if may_be_one && !end {
        Special::More
    } else {
        Special::Plain { begins_link: false }
    }
}
