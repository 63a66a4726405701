//! Long, hostile and real streams.

use std::path::Path;

use super::*;
use crate::common::slow;

/// Lines at and over the maximum length.
#[test]
fn long_lines_do_not_separate() {
    for (length, messages) in [(900, 2), (1_024, 2), (1_025, 1), (5_000, 1)] {
        let word = "x".repeat(length - DATED.len());
        let line = DATED.replace("x", &word);
        let text = format!("{DATED}\nSubject: a\n\n{line}\nSubject: b\n");
        let trace = check(Container::Mbox(Dialect::Dated), text.as_bytes());
        assert_eq!(trace.messages.len(), messages, "{length}");
    }
    for (length, messages) in [(1_000, 2), (1_023, 2), (1_024, 1), (4_000, 1)] {
        let name = "x".repeat(length);
        let text = format!("{DATED}\nSubject: a\n\n{DATED}\n{name}: b\n");
        let trace = check(Container::Mbox(Dialect::Dated), text.as_bytes());
        assert_eq!(trace.messages.len(), messages, "{length}");
    }
}

/// A doubtful count is checked only if it leads to a place at most 64 KiB ahead.
#[test]
fn rnews_reach() {
    for (length, messages) in [(60_000, 1), (70_000, 2)] {
        let text = "x\n".repeat(length / 2);
        let inner = "#! rnews 5\nA: b\n";
        let count = 6 + inner.len() + text.len();
        let batch = format!("#! rnews {count}\nA: b\n\n{inner}{text}");
        let whole = split(Container::Rnews, batch.as_bytes(), usize::MAX);
        assert_eq!(whole.messages.len(), messages);
        for size in [1_000, 4_096, 65_536] {
            assert_eq!(split(Container::Rnews, batch.as_bytes(), size), whole);
        }
    }
}

/// The recognised container does not depend on the chunks: the first result
/// that is not undecided is final.
#[test]
fn a_stream_of_single_bytes_is_recognised_like_the_whole() {
    let dribbled = |text: &[u8], hint: ReadAs| {
        let at = (0..text.len()).find(|&n| !is_undecided(&text[..n], hint));
        let at = at.unwrap_or(text.len());
        (at, sniff(&text[..at], at == text.len(), hint))
    };
    let check = |text: &[u8], name: &str| {
        for hint in [
            ReadAs::Auto,
            ReadAs::Mbox,
            ReadAs::Message,
            ReadAs::Rnews,
            ReadAs::Text,
        ] {
            let whole = sniff(text, true, hint);
            let (at, found) = dribbled(text, hint);
            assert_eq!(found, whole, "{name}, {hint:?}, after {at}");
        }
    };
    for row in all_rows() {
        for on in [false, true] {
            let text = unescape(&crlf(&row.text.replace(['⟦', '⟧'], ""), on && row.crlf));
            check(&text, &row.name);
            check(&[b"\xEF\xBB\xBF", &text[..]].concat(), &row.name);
            check(&text[..text.len() / 2], &row.name);
        }
    }
    let texts = [
        "To: a@b.example\nX-Mailer: b\nFrom: c@d.example\nSubject: e\n\nhttp://a.example/\n",
        "X-A: http://a.example/\nTo: a\nFrom: b\nDate: c\n\nd\n",
        "200 news.example.org ready\r\n211 1 2 3 a.b\r\n220 1 <a@b>\r\nFrom: c\r\n\r\nd\r\n.\r\n",
        "321\nFrom: a\nTo: b\nSubject: c\n\nd\n",
        "321\nwords\n220 1 <a@b>\nFrom: c\n",
        "Path: a\r\nFrom: b\r\nNewsgroups: c\r\n\r\n..d\r\n.\r\n",
        "Path: a\r\nFrom: b\r\nNewsgroups: c\r\n\r\n..d\r\n.\r\ne\r\n",
        "From a: b\nTo: c\n",
        "From: a\nPath://b\nTo: c\n\nd\n",
        "A\nb\nc\nd\ne\n",
        "#! words\n",
        "#! cunbatch",
        "0123456789abcdef0123456789abcdef01234567 blob 3\na: b\n",
        "0123456789abcdef0123456789abcdef01234567 words\n",
    ];
    for text in texts {
        check(text.as_bytes(), text);
        check(crlf(text, true).as_bytes(), text);
    }
    let log = "INFO: words\n".repeat(20) + "From: a\nDate: b\n";
    check(log.as_bytes(), "a log");
    let (at, _) = dribbled(log.as_bytes(), ReadAs::Auto);
    assert!(at < 120, "a log is recognised after {at} bytes");
    // Text is recognised at its first URL at the latest.
    for text in ["see http://a.example/", "\n\n---\nwords\nhttp://a.example/"] {
        let (at, _) = dribbled(text.as_bytes(), ReadAs::Auto);
        assert!(
            at < text.len() - 9,
            "{text:?} is recognised after {at} bytes"
        );
    }
    // A header block over the maximum length.
    let long = format!(
        "X-A: b\n{}From: c\nDate: d\n\ne\n",
        "X-B: c\nX-C: d\n".repeat(700)
    );
    check(long.as_bytes(), "a long header");
}

/// Wire format is recognised from the first 8 KiB of a long article, too.
#[test]
fn wire_format_of_a_long_article() {
    let body = "..stuffed\r\n".repeat(2_000);
    let text = format!("Path: a\r\nNewsgroups: b\r\nXref: c\r\n\r\n{body}.\r\n");
    let recognised = |text: &str| sniff(&text.as_bytes()[..SNIFF], false, ReadAs::Auto);
    assert_eq!(recognised(&text), Container::Wire);
    let trace = check(Container::Wire, text.as_bytes());
    assert_eq!(trace.messages[0].seams.len(), 2_000);
    assert_eq!(trace.notes, []);

    let cut = &text.as_bytes()[..text.len() - 3];
    let trace = check(Container::Wire, cut);
    assert_eq!(trace.notes[0].kind, ContainerNoteKind::NoFinalDot);

    // A copy saved by a news reader, and an article whose dots are not stuffed.
    let saved = text.replace("Xref", "Subject");
    assert_eq!(recognised(&saved), Container::Message);
    let unstuffed = text.replacen("..stuffed", ".stuffed", 1);
    assert_eq!(recognised(&unstuffed), Container::Message);
}

/// Streams on which a naive splitter takes much time or memory. The test has no
/// measurement: with a quadratic splitter it would not end.
#[test]
fn hostile_streams() {
    let dated = format!("{DATED}\n");
    let chunks = "WARC/1.0\nWARC-Type: response\nContent-Type: application/http\n\
        Content-Length: 9999999\n\nHTTP/1.1 200\nTransfer-Encoding: chunked\n\n"
        .to_owned()
        + &"1\na\n".repeat(99_999);
    let families: [(Container, &str); 20] = [
        (Container::Mbox(Dialect::Dated), "\nFrom "),
        (Container::Mbox(Dialect::Dated), "From "),
        (Container::Mbox(Dialect::Dated), &dated),
        (Container::Mbox(Dialect::Dated), "\nFrom Mon Mon"),
        (Container::Mbox(Dialect::Any), "\n\nFrom ...\nA"),
        (Container::Mbox(Dialect::Any), ">"),
        (Container::Mbox(Dialect::Any), ">From "),
        (Container::Mbox(Dialect::Any), "\n>From"),
        (Container::Rnews, "#! rnews 60000\nA: b\n"),
        (Container::Rnews, "#! rnews 9\n"),
        (Container::Rnews, "\n#! rnews 1000000\nA"),
        (Container::Session, "\n220 1 <"),
        (Container::Session, "220 1 <a@b>\n."),
        (Container::GitCat, "0123456789"),
        (Container::Warc, "WARC/1.0\n"),
        (Container::Warc, "\nWARC/"),
        (Container::Warc, "WARC/1.0\nWARC-A: b"),
        (
            Container::Warc,
            "WARC/1.0\nWARC-Type: response\nContent-Length: 18446744073709551615\n\n",
        ),
        (
            Container::Warc,
            "WARC/1.0\nContent-Length: 1\n\nWARC/1.0\n\n\n",
        ),
        (Container::Warc, &chunks),
    ];
    // More than two of the larger chunks.
    let len = if slow() { 2_000_000 } else { 150_000 };
    for (container, piece) in families {
        let text = piece.repeat(len / piece.len());
        let whole = split(container, text.as_bytes(), usize::MAX);
        for size in [997, 65_536] {
            assert_eq!(split(container, text.as_bytes(), size), whole, "{piece:?}");
        }
    }
}

/// The counts of Python's `mailbox`, minus the body lines at which `mailbox`
/// splits. Skipped unless the environment variable URLGREP_CORPUS is set.
#[test]
fn counts_of_archives() {
    let Some(corpus) = std::env::var_os("URLGREP_CORPUS") else {
        return;
    };
    let corpus = Path::new(&corpus);
    let read = |path: &Path| {
        let text = std::fs::read(corpus.join(path)).unwrap();
        let container = sniff(&text, true, ReadAs::Auto);
        let trace = split(container, &text, 65_536);
        if container.is_divisible() {
            let pieces = split_pieces(container, &text, 1 << 20);
            assert_eq!(pieces, trace, "{}", path.display());
        }
        (container.name(), trace.messages.len())
    };
    for (path, container, messages) in [
        ("news/comp.lang.lisp-1986-1990.mbx", "mbox-dots", 3_969),
        ("news/comp.lang.lisp-2016-2017.mbx", "mbox-dots", 5_358),
        ("mail/linux-hams.mbox", "mbox", 2_354),
        ("list/cypherpunks-1996.mbox", "mbox", 10_801),
        (
            "mime/gmime/tests/data/mbox/input/substring.mbox",
            "mbox-dash",
            3,
        ),
    ] {
        let found = read(Path::new(path));
        assert_eq!(found, (container, messages), "{path}");
    }
    let mimekit = Path::new("mime/mimekit/UnitTests/TestData/mbox");
    for (path, container, messages) in [
        ("simple.mbox.txt", "mbox-dash", 3),
        ("unmunged.mbox.txt", "mbox-dash", 2),
        ("content-length.mbox.txt", "mbox-dash", 29),
        ("issue1189.mbox.txt", "mbox-number", 4),
        ("jwz-summary.txt", "mbox-dash", 152),
    ] {
        let found = read(&mimekit.join(path));
        assert_eq!(found, (container, messages), "{path}");
    }
    // These lists have six body lines at which other readers split.
    let mut messages = 0;
    for list in [
        "list/pipermail/twisted-python",
        "list/pipermail/twisted-web",
    ] {
        for entry in std::fs::read_dir(corpus.join(list)).unwrap() {
            let (container, count) = read(&entry.unwrap().path());
            assert_eq!(container, "mbox");
            messages += count;
        }
    }
    assert_eq!(messages, 12_335);
}
