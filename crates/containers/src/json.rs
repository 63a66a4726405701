//! The grammar of JSON (RFC 8259), and of JSON Lines. It recognises a stream of JSON, and
//! `urlgrep_mail` reads one with it.
//!
//! [`JsonGrammar`] reads what stands between strings, one token at a time, in bytes that may come
//! in pieces of any size. A string may have any length, so its bytes are left to the caller, who
//! reads its escapes with [`json_escape`].

use super::lines::Answer;

/// What a text of JSON has at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonToken {
    /// `{`
    OpenObject,
    /// `}`
    CloseObject,
    /// `[`
    OpenArray,
    /// `]`
    CloseArray,
    /// The quotation mark before the name of a member. The caller reads the rest of the string.
    Key,
    /// The quotation mark before a string. The caller reads the rest of it.
    String,
    /// A number, `true`, `false` or `null`, with this length in bytes.
    Scalar(usize),
    /// More bytes are needed.
    More,
    /// Something that no JSON has here.
    Wrong,
}

/// What may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    /// The first value.
    First,
    /// Another value of JSON Lines. True after a line end.
    Next(bool),
    /// A value.
    Value,
    /// A value, or the end of the array that has just begun.
    Element,
    /// The name of a member.
    Key,
    /// The same, or the end of the object that has just begun.
    FirstKey,
    /// The colon after a name.
    Colon,
    /// A comma, or the end of the array or object.
    Comma,
}

/// The maximum length of a number. No program writes a longer one.
const MAX_SCALAR: usize = 1024;

/// Reads JSON up to the next string, bracket or scalar.
///
/// Besides one value it knows a sequence of values: each on a line of its own, as in JSON Lines,
/// or an array or object directly after another.
#[derive(Debug)]
pub struct JsonGrammar {
    /// The open arrays and objects, the outermost first. True for an object.
    nest: Vec<bool>,
    /// The maximum number of them.
    most: usize,
    expects: Expects,
}

impl JsonGrammar {
    /// A grammar for text with at most `most` open arrays and objects.
    #[must_use]
    pub fn new(most: usize) -> JsonGrammar {
        JsonGrammar {
            nest: Vec::new(),
            most,
            expects: Expects::First,
        }
    }

    /// Begins another text.
    pub fn start(&mut self) {
        self.nest.clear();
        self.expects = Expects::First;
    }

    /// True if the text may end here.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self.expects, Expects::First | Expects::Next(_))
    }

    /// Reads the next token of `bytes`, which begin after the last token, or after the string
    /// that it began. Returns it, and the number of bytes up to its end: white space, commas and
    /// colons before it, and its first byte or, if it is a scalar, all of it. `More` and `Wrong`
    /// have no bytes of their own. `eof` means that the text ends with `bytes`.
    ///
    /// # Complexity
    ///
    /// Linear in that number. A scalar that is not complete is read again.
    pub fn next(&mut self, bytes: &[u8], eof: bool) -> (usize, JsonToken) {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match (byte, self.expects) {
                (b'\n', Expects::Next(_)) => self.expects = Expects::Next(true),
                (b' ' | b'\t' | b'\r' | b'\n', _) => {}
                (b':', Expects::Colon) => self.expects = Expects::Value,
                (b',', Expects::Comma) => {
                    let in_object = self.nest.last() == Some(&true);
                    self.expects = if in_object {
                        Expects::Key
                    } else {
                        Expects::Value
                    };
                }
                _ => return self.token(bytes, at, eof),
            }
            at += 1;
        }
        (at, JsonToken::More)
    }

    /// Reads the token at `at`.
    fn token(&mut self, bytes: &[u8], at: usize, eof: bool) -> (usize, JsonToken) {
        let byte = bytes[at];
        let begins_value = match self.expects {
            Expects::First | Expects::Value | Expects::Element | Expects::Next(true) => true,
            Expects::Next(false) => matches!(byte, b'{' | b'['),
            Expects::Key | Expects::FirstKey | Expects::Colon | Expects::Comma => false,
        };
        let begins_key = matches!(self.expects, Expects::Key | Expects::FirstKey);
        match byte {
            b'"' if begins_key => {
                self.expects = Expects::Colon;
                (at + 1, JsonToken::Key)
            }
            b'"' if begins_value => {
                self.end_value();
                (at + 1, JsonToken::String)
            }
            b'{' | b'[' if begins_value && self.nest.len() < self.most => {
                let is_object = byte == b'{';
                self.nest.push(is_object);
                if is_object {
                    self.expects = Expects::FirstKey;
                    (at + 1, JsonToken::OpenObject)
                } else {
                    self.expects = Expects::Element;
                    (at + 1, JsonToken::OpenArray)
                }
            }
            b'}' if matches!(self.expects, Expects::FirstKey | Expects::Comma) => {
                self.close(true, at)
            }
            b']' if matches!(self.expects, Expects::Element | Expects::Comma) => {
                self.close(false, at)
            }
            _ if begins_value => match scalar(&bytes[at..], eof) {
                Answer::Yes(len) => {
                    self.end_value();
                    (at + len, JsonToken::Scalar(len))
                }
                Answer::More => (at, JsonToken::More),
                Answer::No => (at, JsonToken::Wrong),
            },
            _ => (at, JsonToken::Wrong),
        }
    }

    fn close(&mut self, is_object: bool, at: usize) -> (usize, JsonToken) {
        if self.nest.last() != Some(&is_object) {
            return (at, JsonToken::Wrong);
        }
        self.nest.pop();
        self.end_value();
        let token = if is_object {
            JsonToken::CloseObject
        } else {
            JsonToken::CloseArray
        };
        (at + 1, token)
    }

    fn end_value(&mut self) {
        self.expects = if self.nest.is_empty() {
            Expects::Next(false)
        } else {
            Expects::Comma
        };
    }
}

/// Whether `bytes` begin with a number or a literal, and its length. `NaN`, `Infinity` and
/// `-Infinity` count: Python's `json` writes them by default.
fn scalar(bytes: &[u8], eof: bool) -> Answer<usize> {
    const LITERALS: [&[u8]; 6] = [
        b"true",
        b"false",
        b"null",
        b"NaN",
        b"Infinity",
        b"-Infinity",
    ];
    let near = &bytes[..bytes.len().min(MAX_SCALAR)];
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let len = near.iter().take_while(is_part).count();
    let word = &near[..len];
    if len == near.len() && !eof && len < MAX_SCALAR {
        let may_be_one = LITERALS.iter().any(|literal| literal.starts_with(word))
            || word.iter().all(|b| b"0123456789+-.eE".contains(b));
        return Answer::unless(!may_be_one);
    }
    if LITERALS.contains(&word) || is_number(word) {
        Answer::Yes(len)
    } else {
        Answer::No
    }
}

/// > `number = [ minus ] int [ frac ] [ exp ]` (RFC 8259 section 6)
fn is_number(word: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut rest = word.strip_prefix(b"-").unwrap_or(word);
    let int = digits(rest);
    if int == 0 || int > 1 && rest[0] == b'0' {
        return false;
    }
    rest = &rest[int..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let len = digits(fraction);
        if len == 0 {
            return false;
        }
        rest = &fraction[len..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = match exponent {
            [b'+' | b'-', digits @ ..] => digits,
            digits => digits,
        };
        let len = digits(exponent);
        return len > 0 && len == exponent.len();
    }
    rest.is_empty()
}

/// The escape at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonEscape {
    /// An escape of this many bytes, for this character.
    Character(usize, char),
    /// More bytes are needed.
    More,
    /// No escape of JSON.
    Wrong,
}

/// The escape at the start of `bytes`, which begin with a backslash (RFC 8259 section 7). Two
/// escaped surrogates are one character. One alone is read as U+FFFD.
#[must_use]
pub fn json_escape(bytes: &[u8], eof: bool) -> JsonEscape {
    let one = |c| JsonEscape::Character(2, c);
    match bytes.get(1) {
        None if eof => JsonEscape::Wrong,
        None => JsonEscape::More,
        Some(&b @ (b'"' | b'\\' | b'/')) => one(char::from(b)),
        Some(b'b') => one('\u{8}'),
        Some(b'f') => one('\u{C}'),
        Some(b'n') => one('\n'),
        Some(b'r') => one('\r'),
        Some(b't') => one('\t'),
        Some(b'u') => match code_unit(bytes, eof) {
            Answer::More => JsonEscape::More,
            Answer::No => JsonEscape::Wrong,
            Answer::Yes(unit @ 0xD800..=0xDBFF) => match code_unit(&bytes[6..], eof) {
                Answer::More => JsonEscape::More,
                Answer::Yes(low @ 0xDC00..=0xDFFF) => {
                    let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                    JsonEscape::Character(12, char::from_u32(code).unwrap_or('\u{FFFD}'))
                }
                _ => JsonEscape::Character(6, '\u{FFFD}'),
            },
            Answer::Yes(unit) => {
                JsonEscape::Character(6, char::from_u32(unit).unwrap_or('\u{FFFD}'))
            }
        },
        Some(_) => JsonEscape::Wrong,
    }
}

/// The code unit of UTF-16 that `bytes` begin with as `\uXXXX`.
fn code_unit(bytes: &[u8], eof: bool) -> Answer<u32> {
    let near = &bytes[..bytes.len().min(6)];
    let mut unit = 0;
    for (i, &byte) in near.iter().enumerate() {
        let digit = urlgrep_base::digits::hex(byte);
        match (i, digit) {
            (0, _) if byte == b'\\' => {}
            (1, _) if byte == b'u' => {}
            (2.., Some(digit)) => unit = unit << 4 | u32::from(digit),
            _ => return Answer::No,
        }
    }
    match near.len() {
        6 => Answer::Yes(unit),
        _ => Answer::unless(eof),
    }
}

/// The number of bytes by which JSON is recognised. A stream of it need not wait for more.
const NEAR: usize = 4096;

/// Whether `head` is the start of JSON: an array or an object, and after it the end, or two more
/// tokens of JSON Lines. What breaks the grammar before, as `[1] https://…` does, never was JSON.
/// What breaks it later, or after [`NEAR`] bytes, is damage. `whole` means that no byte after `head`
/// is examined.
pub(crate) fn is_json(head: &[u8], whole: bool) -> Answer<()> {
    let whole = whole || head.len() >= NEAR;
    let head = &head[..head.len().min(NEAR)];
    let mut rest = head.trim_ascii_start();
    match rest.first() {
        None => return Answer::unless(whole),
        Some(b'{' | b'[') => {}
        Some(_) => return Answer::No,
    }
    // The text may go on, unless the head shows that it cannot be JSON.
    let cut = if whole { Answer::Yes(()) } else { Answer::More };
    let mut grammar = JsonGrammar::new(usize::MAX);
    let mut after_first = 0;
    let mut has_first = false;
    loop {
        let (read, token) = grammar.next(rest, false);
        rest = &rest[read..];
        if has_first && !matches!(token, JsonToken::More | JsonToken::Wrong) {
            after_first += 1;
        }
        match token {
            JsonToken::More => return cut,
            JsonToken::Wrong => return Answer::No,
            JsonToken::Key | JsonToken::String => match after_string(rest) {
                Answer::Yes(after) => rest = after,
                Answer::More => return cut,
                Answer::No => return Answer::No,
            },
            _ => {}
        }
        has_first |= grammar.is_complete();
        if after_first == 2 {
            return Answer::Yes(());
        }
    }
}

/// What follows the string in which `text` begins.
fn after_string(mut text: &[u8]) -> Answer<&[u8]> {
    while let Some(at) = memchr::memchr3(b'"', b'\\', b'\n', text) {
        let rest = &text[at..];
        match rest[0] {
            b'"' => return Answer::Yes(&rest[1..]),
            b'\\' => match json_escape(rest, false) {
                JsonEscape::Character(len, _) => text = &rest[len..],
                JsonEscape::More => return Answer::More,
                JsonEscape::Wrong => return Answer::No,
            },
            // > unescaped = %x20-21 / %x23-5B / %x5D-10FFFF (RFC 8259 section 7)
            _ => return Answer::No,
        }
    }
    Answer::More
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_from_text() {
        #[rustfmt::skip]
        let rows = [
            (r#"{"a": [1, -2.5e+3, true, null, "x\u00e9\/"], "b": {}}"#, Answer::Yes(())),
            ("[]\n[1]\n{\"a\":\"b\"}\n\"c\"\n", Answer::Yes(())),
            ("{}{}[]", Answer::Yes(())),
            (" \r\n\t[\"a", Answer::Yes(())),
            (r#"{"a": "x\"#, Answer::Yes(())),
            ("[NaN, -Infinity]", Answer::Yes(())),
            ("{\"a\": 1}\n{\"b\": x}\n", Answer::Yes(())),
            ("{}\n{x}\n", Answer::No),
            ("[1]\n[two words]\n", Answer::No),
            ("[1] https://a.example/", Answer::No),
            ("[1] 2", Answer::No),
            ("{x} is", Answer::No),
            ("[cid:1@a.example]", Answer::No),
            ("[note", Answer::No),
            ("[01]", Answer::No),
            ("[1,]", Answer::No),
            ("{\"a\"}", Answer::No),
            ("{\"a\" \"b\"}", Answer::No),
            ("[\"a\nb\"]", Answer::No),
            (r#"["\x"]"#, Answer::No),
            ("[1}", Answer::No),
            ("\"a\"", Answer::No),
            ("", Answer::No),
        ];
        for (text, expected) in rows {
            assert_eq!(is_json(text.as_bytes(), true), expected, "{text}");
            for end in 0..text.len() {
                let early = is_json(&text.as_bytes()[..end], false);
                assert!(
                    early == Answer::More || early == expected,
                    "{text} up to {end}: {early:?}"
                );
            }
        }
    }

    #[test]
    fn escapes_are_read() {
        use JsonEscape::{Character, More, Wrong};
        #[rustfmt::skip]
        let rows = [
            (r"\/x", Character(2, '/')),
            (r"\u0026amp", Character(6, '&')),
            (r"\ud83d\ude00", Character(12, '😀')),
            (r"\ud83d\u0041", Character(6, '\u{FFFD}')),
            (r"\ude00", Character(6, '\u{FFFD}')),
            (r"\ud83dx", Character(6, '\u{FFFD}')),
            (r"\", More),
            (r"\u00", More),
            (r"\ud83d\u", More),
            (r"\x41", Wrong),
            (r"\u00g0", Wrong),
        ];
        for (text, expected) in rows {
            assert_eq!(json_escape(text.as_bytes(), false), expected, "{text}");
        }
        assert_eq!(json_escape(br"\u00", true), Wrong);
    }
}
