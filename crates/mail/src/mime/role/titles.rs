//! Titles of other messages: `-----Original Message-----`, `Begin forwarded message:`, and the lines that end
//! one.

use memchr::memmem;

use super::language::{self, Group, Use};
use super::shapes::{CLOSING_LINE, begins};

/// What a title says about the text after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Title {
    /// It is another message: `-----Original Message-----`.
    Begins,
    /// It no longer is: `----- End forwarded message -----`.
    Ends,
}

/// The quoting depth after the line, if it is a title. `base` is the depth before it.
pub(super) fn original(line: &[u8], base: u8) -> Option<u8> {
    match title(line)? {
        Title::Begins => (base == 0).then_some(1),
        Title::Ends => (base > 0).then_some(0),
    }
}

/// What the line says, if it is a title.
pub(super) fn title(line: &[u8]) -> Option<Title> {
    const FROM: &[u8] = b"forwarded message from ";
    let title = trim_blanks(line);
    // Fast path: most lines have neither dashes nor a colon.
    let has_mark = |b: Option<&u8>| matches!(b, Some(b'-' | b'_' | b':' | 0x9A));
    if !has_mark(title.first()) && !has_mark(title.last()) {
        return None;
    }
    let words = language::known();
    let is_mark = |b: &&u8| matches!(b, b'-' | b'_' | b' ');
    let marks = title.iter().take_while(is_mark).count();
    let title = &title[marks..];
    let title = if marks >= 4 {
        without_field(title)
    } else {
        title
    };
    let title = trim_blanks(title);
    let end = title.iter().rev().take_while(is_mark).count();
    let bare = trim_blanks(&title[..title.len() - end]);
    let unmarked = bare
        .strip_suffix(b":")
        .or_else(|| bare.strip_suffix("：".as_bytes()));
    if marks < 2 && unmarked.is_none() {
        return None;
    }
    let text = trim_blanks(unmarked.unwrap_or(bare));
    let begun = strip_word(text, b"begin ").or_else(|| strip_word(text, b"start of "));
    let ended = strip_word(text, b"end ");
    let ended = ended.map(|rest| strip_word(rest, b"of ").unwrap_or(rest));
    let has_word = begun.is_some() || ended.is_some() || begins(text, FROM);
    if !has_word && !words.may_begin(text, Group::Other) {
        return None;
    }
    let uses = words.uses(text);
    let is_title = |text: &[u8]| words.is(text, Use::Title) || begins(text, FROM);
    if uses.has(Use::End) || ended.is_some_and(is_title) {
        return (marks >= 2).then_some(Title::Ends);
    }
    let is_known = uses.has(Use::Title) || uses.has(Use::Begin) || begins(text, FROM);
    let is_begun = begun.is_some_and(is_title) || uses.has(Use::Begin);
    let is_framed = marks >= 2 && end >= 2 && is_known;
    let is_forwarded = marks >= 4 && words.begins_with(text, Use::By);
    (is_begun || is_framed || is_forwarded).then_some(Title::Begins)
}

/// The title with its marks, without the header that a phone wrote on the same line:
/// `Original message --------From: Jo <jo@a.example> Date: …`.
fn without_field(title: &[u8]) -> &[u8] {
    const NAME: usize = 32;
    const MARKS: &[u8] = b"----";
    let Some(at) = memmem::find(title, MARKS) else {
        return title;
    };
    let (bare, rest) = title.split_at(at + MARKS.len());
    let is_text = |b: &u8| !matches!(b, b'-' | b' ');
    let rest = &rest[rest.iter().position(is_text).unwrap_or(rest.len())..];
    let colon = rest.iter().take(NAME).position(|&b| b == b':');
    let names_sender = |colon: usize| {
        let name = trim_blanks(&rest[..colon]);
        language::known().field(name) == Some(Use::From)
    };
    if colon.is_some_and(names_sender) {
        bare
    } else {
        title
    }
}

/// True if the line asks to answer above it, as help desks write it: `##- Please type your reply
/// above this line -##`.
pub(super) fn asks_above(line: &[u8]) -> bool {
    const MARKS: usize = 2;
    let line = line.trim_ascii();
    let is_mark = |b: &&u8| matches!(b, b'#' | b'-' | b'=' | b'*');
    if !line.first().as_ref().is_some_and(is_mark) || line.len() >= CLOSING_LINE * 2 {
        return false;
    }
    let before = line.iter().take_while(is_mark).count();
    let after = line.iter().rev().take_while(is_mark).count();
    if before < MARKS || after < MARKS || before + after >= line.len() {
        return false;
    }
    let text = line[before..line.len() - after].trim_ascii();
    let text = text.strip_suffix(b".").unwrap_or(text);
    language::known().is(text, Use::Above)
}

/// True if the line is a title as KMail writes it: `----------  Forwarded Message  ----------`.
pub(super) fn is_title_of_kmail(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"----------  ") && line.ends_with(b"  ----------")
}

/// True if the line is the rule that KMail writes below the message that it forwards.
pub(super) fn is_end_of_kmail(line: &[u8]) -> bool {
    const DASHES: usize = 55;
    line.len() == DASHES && line.iter().all(|&b| b == b'-')
}

/// True if the line is a title whose letters were all lost: `-----???????? ?????????-----`.
pub(super) fn is_lost_title(line: &[u8]) -> bool {
    const MARKS: usize = 4;
    let is_dash = |b: &&u8| **b == b'-';
    let before = line.iter().take_while(is_dash).count();
    let after = line.iter().rev().take_while(is_dash).count();
    let text = line
        .get(before..line.len() - after.min(line.len()))
        .unwrap_or_default();
    before >= MARKS
        && after >= MARKS
        && text.contains(&b'?')
        && text.iter().all(|b| matches!(b, b'?' | b' '))
}

/// The text without `word` before it, in upper or lower case.
fn strip_word<'t>(text: &'t [u8], word: &[u8]) -> Option<&'t [u8]> {
    begins(text, word).then(|| &text[word.len()..])
}

/// The text without blanks around it, and without marks of bold text.
pub(super) fn trim_blanks(mut text: &[u8]) -> &[u8] {
    loop {
        text = match text.trim_ascii() {
            [b'*', rest @ ..]
            | [rest @ .., b'*']
            | [0xC2, 0xA0, rest @ ..]
            | [rest @ .., 0xC2, 0xA0]
            // QQ writes it into plain text.
            | [b'&', b'n', b'b', b's', b'p', b';', rest @ ..]
            | [rest @ .., b'&', b'n', b'b', b's', b'p', b';'] => rest,
            text => return text,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mime::role::shapes::tests::those;

    #[test]
    fn titles_of_messages() {
        let originals = [
            "-----Original Message-----",
            " ----- Original Message ----- \n",
            "---------- Forwarded message ----------",
            "Begin forwarded message:",
            "----- Forwarded message from Jo <jo@a.example> -----",
            "------- Start of forwarded message -------",
        ];
        let begins = |line: &[u8]| original(line, 0) == Some(1);
        assert_eq!(those(begins, &originals), originals);
        let none = [
            "Original Message",
            "-----Original Message",
            "----- Message -----",
            "Original:",
            "----- End forwarded message -----",
        ];
        assert_eq!(those(begins, &none), [""; 0]);
    }
}
