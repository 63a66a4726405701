//! Messages with kilobytes of fields before the fields that a person writes.

use std::io::{self, Read};
use std::ops::ControlFlow;

use super::*;
use crate::common::fields::{SIZES, server_fields};
use urlgrep::mail::ReadAs;
use urlgrep::ranges::{describe, visit};
use urlgrep::search::{Match, Searcher};

/// `row` with `fields` before the header of its first message. A count before the
/// message includes them. `None` if the row does not begin with a message with a
/// header.
fn with_fields(row: &Row, text: &str, fields: &str) -> Option<Vec<u8>> {
    let shape = row.shapes.as_ref().map_or("message", |shapes| &shapes[0]);
    // The fields end with LF, and a message with LF does not end its lines with CR.
    if !text.contains('\n') {
        return None;
    }
    let (before, after) = text.split_once('⟦')?;
    let is_field = after.split_once(':').is_some_and(|(name, _)| {
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        name.trim_end().bytes().all(is_name)
    });
    if shape != "message" || !is_field || matches!(&*row.container, "text" | "a-news") {
        return None;
    }
    let mut before = unescape(before);
    if matches!(&*row.container, "rnews" | "emlx" | "git-cat-file") {
        let line = String::from_utf8(before).unwrap();
        let words = line.trim_end();
        let from = words.rfind([' ', '\n']).map_or(0, |at| at + 1);
        let count = words[from..]
            .parse::<usize>()
            .ok()?
            .checked_add(fields.len())?;
        before = format!("{}{count}{}", &words[..from], &line[words.len()..]).into_bytes();
    }
    before.extend(fields.as_bytes());
    before.extend(unescape(&after.replace(['⟦', '⟧'], "")));
    Some(before)
}

/// The messages of every container are the same with such fields and without, apart
/// from the fields themselves.
#[test]
fn fields_of_servers_before_the_header() {
    let mut number = 0;
    let every = SIZES.into_iter().flat_map(server_fields);
    let every: Vec<String> = every.collect();
    for row in all_rows() {
        for (fields, on) in every
            .iter()
            .flat_map(|fields| [(fields, false), (fields, true)])
        {
            let text = crlf(&row.text, on && row.crlf);
            let fields = crlf(fields, text.contains("\r\n") || text.contains("\\r"));
            let Some(long) = with_fields(&row, &text, &fields) else {
                continue;
            };
            number += 1;
            let name = format!(
                "{}, {} bytes, {:.8}, CRLF: {on}",
                row.name,
                fields.len(),
                fields
            );
            let short = with_fields(&row, &text, "").unwrap();
            let hint = ReadAs::from_name(row.hint.as_deref().unwrap_or("auto")).unwrap();
            let container = sniff(&long, true, hint);
            assert_eq!(container.name(), row.container, "{name}");
            let mut expected = Trace::default();
            run(Splitter::new(hint), &short, usize::MAX, &mut expected);
            for size in [700, 8_192, usize::MAX] {
                let mut found = Trace::default();
                run(Splitter::new(hint), &long, size, &mut found);
                let first = &mut found.messages[0].data;
                assert_eq!(
                    first.drain(..fields.len()).collect::<Vec<_>>(),
                    fields.as_bytes()
                );
                let pairs = found.messages.iter().zip(&expected.messages);
                for (found, expected) in pairs {
                    assert_eq!(
                        found.data.escape_ascii().to_string(),
                        expected.data.escape_ascii().to_string(),
                        "{name}"
                    );
                    assert_eq!(found.seams.len(), expected.seams.len(), "{name}");
                    let after = |text: &[u8], at: u64| text.len() as u64 - at;
                    assert_eq!(
                        after(&long, found.extent.end),
                        after(&short, expected.extent.end),
                        "{name}"
                    );
                }
                assert_eq!(found.messages.len(), expected.messages.len(), "{name}");
                let kinds = |trace: &Trace| trace.notes.iter().map(|n| n.kind).collect::<Vec<_>>();
                assert_eq!(kinds(&found), kinds(&expected), "{name}");
            }
        }
    }
    assert!(number > 400, "{number} streams");
}

/// Gives at most this many bytes a read.
struct Chunks<'a>(&'a [u8], usize);

impl Read for Chunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

/// Messages in which a URL is found only if they are decoded.
const MESSAGES: [&str; 4] = [
    "From: a@b.example\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\nsee h=\nttp://a.example/q?x=3D1 now\n",
    "From: a@b.example\nDate: x\nContent-Transfer-Encoding: base64\n\naHR0cDovL2IuZXhhbXBsZS8xIGh0dHA6Ly9jLmV4YW1wbGUvMgo=\n",
    "Subject: x\nMessage-ID: <1@b.example>\nContent-Type: text/html\n\n<a href=\"http://a.example/?a&amp;b\">x</a>\n",
    "From: a@b.example\nTo: c@d.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://a.example/\n> http://b.example/\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGEgaHJlZj0naHR0cDovL2MuZXhhbXBsZS8nPg==\n--b--\n",
];

/// One way to search: the searcher, and what receives its hits.
type Search<'a> = dyn Fn(&mut Searcher, &mut dyn FnMut(&Match<'_>) -> ControlFlow<()>) + 'a;

/// Every way to search them gives the hits of the message without the fields.
#[test]
fn hits_after_fields_of_servers() {
    for message in MESSAGES {
        for fields in SIZES.into_iter().flat_map(server_fields) {
            for text in [message.to_owned(), crlf(message, true)] {
                let fields = crlf(&fields, text.contains('\r'));
                let long = format!("{fields}{text}").into_bytes();
                let hits = |moved: usize, search: &Search<'_>| {
                    let mut hits = Vec::new();
                    let mut add = |found: &Match<'_>| {
                        let at = found
                            .source()
                            .map(|place| place.span().start - moved as u64);
                        hits.push(format!("{} {at:?} {:?}", found.hit, found.role()));
                        ControlFlow::Continue(())
                    };
                    search(&mut Searcher::default(), &mut add);
                    hits
                };
                let expected = hits(0, &|searcher, mut add| {
                    let _ = searcher.visit_message(text.as_bytes(), &mut add);
                });
                assert!(!expected.is_empty());
                for size in [100, 8_192, 100_000, usize::MAX] {
                    let found = hits(fields.len(), &|searcher, mut add| {
                        let rdr = Chunks(&long, size);
                        let _ = searcher.visit_reader(rdr, ReadAs::Auto, &mut add).unwrap();
                    });
                    assert_eq!(found, expected, "{fields:.9}, {} bytes", fields.len());
                }
                let found = hits(fields.len(), &|searcher, mut add| {
                    let description = describe(&*long, ReadAs::Auto).unwrap();
                    assert!(!description.is_divisible());
                    visit(&*long, &description, 0..u64::MAX, searcher, &mut add).unwrap();
                });
                assert_eq!(found, expected, "a range");
            }
        }
    }
}

/// Text that begins with lines of a name and a colon is no message, however long.
#[test]
fn text_with_colons_is_no_message() {
    let many = |line: &str| {
        (0..4_000)
            .map(|i| line.replace('#', &i.to_string()))
            .collect::<String>()
    };
    let texts = [
        // HTTP: the fields of a response, without its first line.
        "Date: Sat, 20 Nov 2021 02:00:00 GMT\nMIME-Version: 1.0\nContent-Type: text/html\nContent-Length: 5\nServer: x\nVia: 1.1 a\n\nwords\n".to_owned(),
        "HTTP/1.1 200 OK\nDate: x\nFrom: a\nContent-Type: text/html\n\nwords\n".to_owned(),
        // A part of a message, as a program stores it.
        "Content-Type: text/plain\nContent-Transfer-Encoding: 7bit\nMIME-Version: 1.0\n\nwords\n".to_owned(),
        "To: all\nCc: few\nFrom: one\n\nA letter.\n".to_owned(),
        // Logs.
        many("Received: # bytes\n"),
        many("Sent: # bytes\nReceived: # bytes\n"),
        many("2021-11-20T02:00:#: words\n"),
        // A calendar, a word list, and code.
        format!("BEGIN:VEVENT\nX-WR-CALNAME:x\n{}END:VCALENDAR\nFrom: a\nDate: b\n", many("X-A#:b\n")),
        format!("{}from: von\ndate: Datum\nsubject: Betreff\n", many("w#: words\n")),
        many("case_#: run(); break;\n"),
        format!("{}Path: a\n", many("Name#: /bin/#\n")),
    ];
    for text in texts {
        for text in [text.clone(), crlf(&text, true)] {
            assert_eq!(
                sniff(text.as_bytes(), true, ReadAs::Auto),
                Container::Text,
                "{text:.60}"
            );
            let head = &text.as_bytes()[..text.len().min(SNIFF)];
            // A log with one field of a message is read on, the others are not.
            let reads_on = text.len() > SNIFF && text.contains("Sent:");
            let is_undecided = text.len() > SNIFF && is_undecided(head, ReadAs::Auto);
            assert_eq!(is_undecided, reads_on, "{text:.60}");
        }
    }
}

/// Texts that begin like a message after a lead, or like a header with one damaged line.
#[test]
fn texts_that_only_look_like_messages() {
    /// A header that is enough after any lead.
    const HEADER: &str = "From: a\nTo: b\nSubject: c\nMessage-ID: <d@e>\nMIME-Version: 1.0\n\n";
    /// The fields that a quotation shows.
    const QUOTED: &str = "From: a\nDate: b\nTo: c\nSubject: d\n\nwords\n";
    let announced = [
        "-----Original Message-----\n",
        "---------- Forwarded message ---------\n",
        "========\n",
        "--- \n",
        "```\n",
        "# A mail\n",
        "## How a header looks\n\n",
        "* TODO answer\n",
        "- a mail\n",
        "> a quotation\n",
        "  indented words\n",
        "\tindented words\n",
        "Ann wrote:\n",
        "This is the mail:\n\n",
        "How a mail looks\n\n",
        "A title\n\nA paragraph of words.\n",
        "one\ntwo\nthree\nfour\n",
        "see http://a.example/\n",
        "write to mailto:a@b.example\n",
        "HTTP/1.1 200 OK\n",
        "GET /mail HTTP/1.1\n",
        "SIP/2.0 200 OK\n",
        "%!PS\n",
        "$ cat mail\n",
        "/* a mail */\n",
        "{\n",
        "* a list\n\n",
        "\n\nwords\n\n",
        "\n> words\n",
    ];
    let quoted = [
        "Words\n",
        "FYI\n",
        "Minutes of the meeting\nin two lines\n",
        "\u{201C}See below\u{201D}\n",
        "[mail]\n",
        "commit 0123456789abcdef\n",
        "1. words\n",
    ];
    let others = [
        // Too few fields.
        "\n\nFrom: a\nTo: b\n\n",
        "\nSubject: x\nand so on\n",
        "\nFrom: a\n\nSubject: b\n",
        "+OK\nSubject: x\nTo: y\n\n",
        "250 words\nFrom: a\nTo: b\n",
        "* 1 FETCH (FLAGS ())\nFrom: a\nSubject: b\n\n",
        "A report\nDate: x\nFrom: y\nReceived: 5 pieces\nPath: /a/b\n\n",
        "Trying 192.0.2.1...\nConnected to a.example.\n\nlogin: ann\n",
        "HELO a.example\n250 b.example\nQUIT\n221 bye\n",
        "12:00:01 From: a\n12:00:02 Subject: b\n",
        // More than one odd line, a line with a colon, or fields that prove nothing.
        "From: a\nodd words\nTo: b\n\n",
        "From: a\nodd words\nmore words\nSubject: b\nDate: c\n\n",
        "From: a\nsee also: http://a.example/ here\nSubject: b\nDate: c\n\n",
        "Subject: a\nodd words\nWords: b\nMore: c\n\n",
        "Ann: good evening\nodd words\nBob: good evening\n",
        // A separator before no message.
        "From x Thu Dec 21 07:24:52 1995\n\nDear all,\n",
        "From x Thu Dec 21 07:24:52 1995\n\nSubject: only one field\n\n",
        // Lines that end with CR.
        "Dear Ann,\rFrom: here\rto there\r",
        "From: a\rTo: b\r\rwords\r",
    ];
    let announced = announced.iter().map(|lead| format!("{lead}{HEADER}"));
    let quoted = quoted.iter().map(|lead| format!("{lead}{QUOTED}"));
    let others = others.iter().map(|&text| text.to_owned());
    let texts: Vec<String> = announced.chain(quoted).chain(others).collect();
    assert!(texts.len() >= 40);
    for text in texts {
        for text in [text.clone(), crlf(&text, true)] {
            let container = sniff(text.as_bytes(), true, ReadAs::Auto);
            assert_eq!(container, Container::Text, "{text:?}");
            for cut in 0..text.len() {
                // Nothing is decided too early.
                let head = &text.as_bytes()[..cut];
                if !is_undecided(head, ReadAs::Auto) {
                    let container = sniff(head, false, ReadAs::Auto);
                    assert_eq!(container, Container::Text, "{text:?} {cut}");
                }
            }
        }
    }
}
