//! What stands before the header of a message that is a file of its own.
//!
//! Programs that save a message leave something before its header: the empty first line of
//! a page, a banner, the replies of the server that sent the message, or half of the
//! separator of a mailbox. Such lines are a *lead*. A lead alone proves nothing, because a
//! letter may begin in the same way and quote a header after two lines. So each kind of
//! lead asks for more evidence in the header (see `beginning`), and a lead is short, and has
//! no URL that would be lost.

use memchr::{memchr, memmem};

use super::beginning::SNIFF;
use super::date::ends_with_date;
use super::fields::is_known_field;
use super::lines::{Answer, LINE, header_follows};
use super::mbox::{FROM, FromLine};
use super::sniff::MARK;

/// The maximum length of a lead in bytes.
const MAX_LEAD: usize = 4096;
/// The maximum number of lines of a lead that may say anything.
const MAX_BANNERS: u32 = 3;

/// The kind of a lead, from the one that needs least evidence to the one that needs most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LeadKind {
    /// Empty lines, and lines of blanks.
    #[default]
    Blank,
    /// Lines of a mail or news server, or the rest of a separator.
    Server,
    /// Lines that may say anything, directly before the header.
    Banner,
}

/// The lines before a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lead {
    pub len: usize,
    pub kind: LeadKind,
}

/// The lead at the start of `head`, if the line after it may begin a header. `whole` means
/// that no following byte matters.
pub(super) fn lead(head: &[u8], whole: bool) -> Answer<Lead> {
    let mut kind = LeadKind::Blank;
    let mut at = 0;
    let mut banners = 0;
    let mut is_after_banner = false;
    while at <= MAX_LEAD {
        let rest = &head[at..];
        // An editor put a byte order mark before the first line that it showed.
        if at > 0 && rest.starts_with(MARK) {
            at += MARK.len();
            continue;
        }
        let near = &rest[..rest.len().min(LINE)];
        let feed = memchr(b'\n', near);
        let is_complete = feed.is_some() || whole || near.len() == LINE;
        let line = near[..feed.unwrap_or(near.len())].trim_ascii_end();
        let is_separator = line.starts_with(FROM) && is_complete && FromLine::of(line).is_some();
        if is_separator {
            // What follows is an mbox.
            return Answer::No;
        }
        match begins_header(rest, line, is_complete) {
            // A header after a banner and an empty line is an example in a text.
            Some(true) if kind == LeadKind::Banner && !is_after_banner => return Answer::No,
            Some(true) => return Answer::Yes(Lead { len: at, kind }),
            Some(false) => {}
            None => return Answer::unless(whole),
        }
        if line.is_empty() {
            is_after_banner = false;
        } else if is_of_server(line) {
            kind = kind.max(LeadKind::Server);
            is_after_banner = false;
        } else if kind == LeadKind::Banner && !is_after_banner && is_complete {
            // A text with paragraphs.
            return Answer::No;
        } else if is_banner(line, is_complete) && banners < MAX_BANNERS {
            kind = LeadKind::Banner;
            banners += u32::from(is_complete);
            is_after_banner = true;
        } else if is_complete || may_have_url(line) {
            return Answer::No;
        }
        match feed {
            Some(feed) => at += feed + 1,
            None if near.len() == LINE => return Answer::No,
            None => return Answer::unless(whole),
        }
    }
    Answer::No
}

/// Whether a header may begin with `line`, which is the first line of `rest`. A `From ` line
/// without a date may stand before the fields. `None` if more bytes are needed.
fn begins_header(rest: &[u8], line: &[u8], is_complete: bool) -> Option<bool> {
    if rest.starts_with(FROM) || rest.starts_with(b">From ") {
        return is_complete.then_some(true);
    }
    match line.first() {
        // It is a lead only if an empty line follows. Otherwise the reader of the header skips it.
        Some(b'A') if is_of_reader(line) => Some(false),
        Some(b) if b.is_ascii_alphabetic() => header_follows(rest, &mut 0, is_complete),
        _ => Some(false),
    }
}

/// True for `Article 12 of comp.lang.c:`, which programs for reading news put above an article.
fn is_of_reader(line: &[u8]) -> bool {
    let number = line.strip_prefix(b"Article ");
    number.is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
}

/// The start of lines by which servers and their clients are recognised. Prose may begin with
/// some of these words too, which is why such a lead needs a third field in the header.
const SERVER_LINES: [(&str, &str); 22] = [
    ("+OK", "RFC 1939 section 3, POP3"),
    ("RETR ", "RFC 1939 section 5"),
    ("TOP ", "RFC 1939 section 7"),
    ("USER ", "RFC 1939 section 7"),
    ("PASS ", "RFC 1939 section 7"),
    ("STAT", "RFC 1939 section 5"),
    ("LIST", "RFC 1939 section 5"),
    ("UIDL", "RFC 1939 section 7"),
    ("HELO ", "RFC 5321 section 4.1.1.1, SMTP"),
    ("EHLO ", "RFC 5321 section 4.1.1.1"),
    ("LHLO ", "RFC 2033 section 4.1, LMTP"),
    ("MAIL FROM:", "RFC 5321 section 4.1.1.2"),
    ("RCPT TO:", "RFC 5321 section 4.1.1.3"),
    ("DATA", "RFC 5321 section 4.1.1.4"),
    ("XFER", "an old extension of SMTP"),
    ("* OK ", "RFC 3501 section 7.1, IMAP"),
    ("* PREAUTH ", "RFC 3501 section 7.1"),
    ("* CAPABILITY ", "RFC 3501 section 7.2"),
    ("* FLAGS ", "RFC 3501 section 7.2"),
    ("Trying ", "telnet"),
    ("Connected to ", "telnet"),
    ("Escape character is ", "telnet"),
];

/// True for a line of a mail or news server or its client, and for the rest of a separator
/// whose start was lost.
fn is_of_server(line: &[u8]) -> bool {
    let after_name = SERVER_LINES
        .iter()
        .find_map(|(start, _)| line.strip_prefix(start.as_bytes()));
    let text = after_name
        .or_else(|| after_code(line))
        .or_else(|| after_tag(line));
    let is_of_server =
        text.is_some() || is_fetched(line) || is_of_reader(line) || ends_with_date(line);
    // A URL in a lead would be lost.
    is_of_server && !may_have_url(text.unwrap_or(line))
}

/// The text of a reply of SMTP or NNTP, after a number of three digits (RFC 5321 section 4.2,
/// RFC 3977 section 3.2).
fn after_code(line: &[u8]) -> Option<&[u8]> {
    match line {
        [b'1'..=b'5', a, b, b' ' | b'-', text @ ..] if a.is_ascii_digit() && b.is_ascii_digit() => {
            Some(text)
        }
        _ => None,
    }
}

/// The text after the tag of a response of IMAP, or of the command that it answers: `a1 OK LOGIN`,
/// `a2 FETCH 4 BODY[]` (RFC 3501 section 2.2). Programs write letters and a number as a tag.
fn after_tag(line: &[u8]) -> Option<&[u8]> {
    const LETTERS: usize = 4;
    const WORDS: [&[u8]; 8] = [
        b"OK ",
        b"NO ",
        b"LOGIN ",
        b"SELECT ",
        b"EXAMINE ",
        b"FETCH ",
        b"UID ",
        b"CAPABILITY",
    ];
    let letters = line.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let rest = line.get(letters..).filter(|_| letters <= LETTERS)?;
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let text = rest[digits..].strip_prefix(b" ").filter(|_| digits > 0)?;
    WORDS.iter().find_map(|word| text.strip_prefix(*word))
}

/// True for the untagged response before a message in IMAP, such as `* 12 FETCH (BODY[]
/// {3210}` (RFC 3501 section 7.4.2).
fn is_fetched(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"* ") else {
        return false;
    };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let words: [&[u8]; 3] = [b" FETCH (", b" EXISTS", b" RECENT"];
    digits > 0 && words.iter().any(|word| rest[digits..].starts_with(word))
}

/// True for a line that a program may leave before the header of a message: that of a server, or a
/// banner. No URL is lost with it.
pub fn is_lead(line: &[u8]) -> bool {
    line.len() <= LINE && (is_of_server(line) || is_banner(line, true))
}

/// True for a line that a program may put before a header. It is no rule, no quotation, no
/// item and no indented line. It does not announce what follows, as `She wrote:` does, has
/// no URL, and begins no message of HTTP or SIP, which have the same fields.
fn is_banner(line: &[u8], is_complete: bool) -> bool {
    let Some(&first) = line.first() else {
        return false;
    };
    let begins = first.is_ascii_alphanumeric() || b"<([\"".contains(&first) || !first.is_ascii();
    let announces = is_complete && line.ends_with(b":");
    let protocols = [&b"HTTP/"[..], b"SIP/", b"RTSP/"];
    let is_protocol = |name: &&[u8]| memmem::find(line, name).is_some();
    begins && !announces && !may_have_url(line) && !protocols.iter().any(is_protocol)
}

/// True if a letter, a colon and something else follow each other, as in every URL.
fn may_have_url(line: &[u8]) -> bool {
    let mut colons = memchr::memchr_iter(b':', line);
    colons.any(|at| {
        // A digit before the colon is a time of day.
        let is_scheme = at > 0 && line[at - 1].is_ascii_alphabetic();
        is_scheme && line.get(at + 1).is_some_and(|b| !b.is_ascii_whitespace())
    })
}

/// The start of the header in a stream that a person has called a message. It is the first
/// block of lines that look like fields, if one of them has a known name, or a hyphen in its
/// name. 0 if there is none in the first [`SNIFF`] bytes. `None` if more bytes are needed.
pub(super) fn first_header(head: &[u8], full: bool) -> Option<usize> {
    let near = &head[..head.len().min(SNIFF)];
    let whole = full || near.len() == SNIFF;
    let mut at = 0;
    // The start of the current lines that look like fields.
    let mut block = None;
    while at < near.len() {
        let rest = &near[at..];
        let feed = memchr(b'\n', rest);
        if feed.is_none() && !whole {
            return None;
        }
        let len = feed.map_or(rest.len(), |feed| feed + 1);
        let line = &rest[..len];
        let is_field =
            line[0].is_ascii_alphabetic() && header_follows(line, &mut 0, true) == Some(true);
        let is_folded = matches!(line[0], b' ' | b'\t') && !line.trim_ascii().is_empty();
        if is_field {
            let start = *block.get_or_insert(at);
            let name = line[..memchr(b':', line).unwrap_or(0)].trim_ascii_end();
            // No prose begins a line with `X-Spam-Report:`.
            if is_known_field(name) || name.contains(&b'-') {
                return Some(start);
            }
        } else if !is_folded {
            block = None;
        }
        at += len;
    }
    whole.then_some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads() {
        use LeadKind::{Banner, Blank, Server};
        #[rustfmt::skip]
        let rows: &[(&str, Option<(usize, LeadKind)>)] = &[
            ("Subject: x\n", Some((0, Blank))),
            ("\nSubject: x\n", Some((1, Blank))),
            (" \t \r\n\r\nSubject: x\n", Some((7, Blank))),
            ("\n\u{FEFF}Subject: x\n", Some((4, Blank))),
            ("+OK 12 octets\nSubject: x\n", Some((14, Server))),
            ("* 1 FETCH (BODY[] {3}\nSubject: x\n", Some((22, Server))),
            ("* OK ready\na1 OK LOGIN\n* 4 EXISTS\nSubject: x\n", Some((34, Server))),
            ("ab12 UID FETCH 3 BODY[]\nSubject: x\n", Some((24, Server))),
            ("a1 OK http://a.example/\nSubject: x\n", None),
            ("Article 12 of a.b:\n\nSubject: x\n", Some((20, Server))),
            ("Article 12 of news:a.b\n\nSubject: x\n", None),
            ("rom a@b Thu Dec 21 07:24:52 1995\nSubject: x\n", Some((33, Server))),
            ("354 go\n\nSubject: x\n", Some((8, Server))),
            ("A banner\nSubject: x\n", Some((9, Banner))),
            ("A\nb\nc\nSubject: x\n", Some((6, Banner))),
            ("A\nFrom someone\nSubject: x\n", Some((2, Banner))),
            // Too many lines, or lines that no program puts there.
            ("A\nb\nc\nd\nSubject: x\n", None),
            ("A title\n\nSubject: x\n", None),
            ("She wrote:\nSubject: x\n", None),
            ("-----Original Message-----\nSubject: x\n", None),
            ("> quoted\nSubject: x\n", None),
            ("  indented\nSubject: x\n", None),
            ("see http://a.example/\nSubject: x\n", None),
            ("+OK http://a.example/\nSubject: x\n", None),
            ("+OK mailto:a@b.example\nSubject: x\n", None),
            ("220 news:a.b\nSubject: x\n", None),
            ("Trying mailto:a@b.example\nSubject: x\n", None),
            ("MAIL FROM:<a@b.example>\nSubject: x\n", Some((24, Server))),
            ("@http://a.b/ Thu Dec 21 07:24:52 1995\nSubject: x\n", None),
            ("\nFrom a@b Thu Dec 21 07:24:52 1995\nSubject: x\n", None),
            ("* an item\nSubject: x\n", None),
            ("", None),
            ("\n\n", None),
        ];
        for &(text, expected) in rows {
            let answer = match lead(text.as_bytes(), true) {
                Answer::Yes(lead) => Some((lead.len, lead.kind)),
                Answer::No => None,
                Answer::More => panic!("{text:?}"),
            };
            assert_eq!(answer, expected, "{text:?}");
            // Fewer bytes never give another answer.
            for cut in 0..text.len() {
                match lead(&text.as_bytes()[..cut], false) {
                    Answer::Yes(lead) => assert_eq!(Some((lead.len, lead.kind)), expected),
                    Answer::No => assert_eq!(expected, None, "{text:?} {cut}"),
                    Answer::More => {}
                }
            }
        }
    }

    #[test]
    fn first_headers() {
        for (text, expected) in [
            ("x\ny: z\nTo: a\n", 2),
            ("x\ny: z\n w\nTo: a\n", 2),
            ("x: y\n\nTo: a\n", 6),
            ("250 OK\n\nSubject: x\n", 8),
            ("x\ny: z\n", 0),
            ("words\n", 0),
            ("", 0),
        ] {
            assert_eq!(
                first_header(text.as_bytes(), true),
                Some(expected),
                "{text:?}"
            );
        }
        assert_eq!(first_header(b"x\nTo", false), None);
    }
}
