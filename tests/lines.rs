//! The lines around hits, and the columns of hits, do not depend on chunks. They
//! agree with the file.

use std::fs;
use std::ops::ControlFlow;

use urlgrep::Extractor;
use urlgrep::mail::{Container, Position, ReadAs, sniff};
use urlgrep::search::{Context, Line, LineKind, Match, Searcher, Visitor};
use urlgrep_base::span;
use urlgrep_search::around::LINES_REACH;

/// A line, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    bytes: String,
    number: Option<u64>,
    offset: Option<u64>,
    kind: LineKind,
    gap: bool,
    hits: usize,
    /// The URLs on the line: their bytes, or the whole URL of a link.
    urls: Vec<String>,
}

#[derive(Default)]
struct Rows {
    lines: Vec<Row>,
    /// Offset and column of each hit.
    columns: Vec<(Option<u64>, Option<u64>)>,
}

impl Visitor for Rows {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let offset = found.source().map(|source| source.span().start);
        self.columns.push((offset, found.column()));
        ControlFlow::Continue(())
    }

    fn line(&mut self, line: &Line<'_>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let urls = line.urls().map(|url| match url.span {
            Some(span) => text(&line.bytes[span.start as usize..span.end as usize]),
            None => format!("link {}", text(url.url)),
        });
        self.lines.push(Row {
            bytes: text(line.bytes),
            number: line.number,
            offset: line.offset,
            kind: line.kind,
            gap: line.gap,
            hits: line.hits(),
            urls: urls.collect(),
        });
    }
}

fn search(file: &[u8], container: Container, context: Option<Context>, chunk: usize) -> Rows {
    let mut searcher = Searcher::builder()
        .extractor(Extractor::builder().line_numbers(true))
        .columns(true)
        .context(context)
        .build();
    let mut rows = Rows::default();
    if chunk == 0 {
        let _ = searcher.search(container, Position::START, file, &mut rows);
        return rows;
    }
    searcher.begin(container, Position::START);
    for chunk in file.chunks(chunk) {
        let _ = searcher.feed(chunk, &mut rows);
    }
    let _ = searcher.finish(&mut rows);
    rows
}

const CONTEXTS: [Context; 3] = [
    Context {
        before: 0,
        after: 0,
    },
    Context {
        before: 2,
        after: 1,
    },
    Context {
        before: 0,
        after: 9,
    },
];

/// The lines and columns are the same for every size of chunks. Each hit is on one
/// line. Each line of a plain text has its number and the bytes at its offset. The
/// columns agree with the file, and do not depend on the context.
fn check(file: &[u8], container: Container, name: &str) {
    for context in CONTEXTS {
        let whole = search(file, container, Some(context), 0);
        for chunk in [1, 2, 3, 7, 64, 4096] {
            let cut = search(file, container, Some(context), chunk);
            assert_eq!(cut.lines, whole.lines, "{name}: chunks of {chunk}");
            assert_eq!(cut.columns, whole.columns, "{name}: chunks of {chunk}");
        }
        let hits: usize = whole.lines.iter().map(|line| line.hits).sum();
        assert_eq!(hits, whole.columns.len(), "{name}");
        for line in &whole.lines {
            let is_hit = !line.urls.is_empty();
            assert_eq!(is_hit, line.kind == LineKind::Hit, "{name}: {line:?}");
            if container == Container::Text {
                let at = line.offset.unwrap() as usize;
                assert!(file[at..].starts_with(line.bytes.as_bytes()), "{line:?}");
                let feeds = file[..at].iter().filter(|&&b| b == b'\n').count() as u64;
                assert_eq!(line.number, Some(feeds + 1), "{name}");
            }
        }
        for &(offset, column) in &whole.columns {
            if let Some(column) = column {
                assert_eq!(span::column(file, offset.unwrap()), column, "{name}");
            }
        }
    }
    let without = search(file, container, None, 0);
    let with = search(file, container, Some(Context::default()), 0);
    assert_eq!(without.columns, with.columns, "{name}");
    assert!(without.lines.is_empty());
}

#[test]
fn lines_of_mail_are_decoded() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/mail");
    let mut columns = 0;
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let file = fs::read(&path).unwrap();
        let sniffed = sniff(&file, true, ReadAs::Auto);
        for container in [sniffed, Container::Message, Container::Text] {
            check(&file, container, &path.display().to_string());
        }
        let rows = search(&file, sniffed, None, 0);
        columns += rows.columns.iter().filter(|c| c.1.is_some()).count();
        files += 1;
    }
    assert!(files > 1 && columns > 3, "{files} files, {columns} columns");
}

#[test]
fn lines_are_decoded_and_numbered_by_the_file() {
    let mail = "Subject: see http://s.example/x now\nContent-Transfer-Encoding: quoted-printable\n\n\
        one\ntwo caf=C3=A9 http://a.example/b=3Dc and http://b.exa=\nmple/ end\nthree\n\n\
        From me <URL:http://c.exa\nmple/long> tail\nend http://d.example/\n";
    let context = Context {
        before: 1,
        after: 0,
    };
    let rows = search(mail.as_bytes(), Container::Message, Some(context), 0);
    let lines: Vec<_> = rows
        .lines
        .iter()
        .map(|l| (l.number.unwrap(), &*l.bytes))
        .collect();
    assert_eq!(
        lines,
        [
            (1, "see http://s.example/x now"),
            (4, "one\n"),
            (
                5,
                "two café http://a.example/b=c and http://b.example/ end\n"
            ),
            (8, "\n"),
            (9, "From me <URL:http://c.exa\n"),
            (10, "mple/long> tail\n"),
            (11, "end http://d.example/\n"),
        ]
    );
    let columns: Vec<_> = rows.columns.iter().map(|c| c.1).collect();
    assert_eq!(columns, [Some(14), None, None, Some(14), Some(5)]);
}

#[test]
fn a_link_is_on_the_line_of_its_place() {
    let mail = "Subject: x\nContent-Type: text/html\n\n<p>one</p><p>two <a href=\"http://a.example/\">three</a></p>\n\
        <p>four<img src=\"http://b.example/\"></p>";
    let rows = search(
        mail.as_bytes(),
        Container::Message,
        Some(Context::default()),
        0,
    );
    let lines: Vec<_> = rows.lines.iter().map(|l| (&*l.bytes, &*l.urls)).collect();
    let link = |url: &str| vec![format!("link {url}")];
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0].0.trim_end(), "two three");
    assert_eq!(lines[0].1, link("http://a.example/"));
    assert_eq!(lines[1].0.trim_end(), "four");
    assert_eq!(lines[1].1, link("http://b.example/"));
}

#[test]
fn long_lines_come_in_pieces() {
    let word = "x".repeat(3 * LINES_REACH / 2);
    let text = format!("a\n{word} http://a.example/ {word}{word} http://b.example/ {word}\nz\n");
    check(text.as_bytes(), Container::Text, "long");
    let message = format!("Subject: x\n\n{text}");
    check(message.as_bytes(), Container::Message, "long message");
    let rows = search(
        text.as_bytes(),
        Container::Text,
        Some(Context::default()),
        0,
    );
    assert!(
        rows.lines
            .iter()
            .all(|line| line.bytes.len() <= LINES_REACH)
    );
    assert_eq!(rows.lines.iter().map(|line| line.hits).sum::<usize>(), 2);
}

/// A visitor chooses the hits whose lines it receives.
#[test]
fn unwanted_hits_have_no_lines() {
    #[derive(Default)]
    struct Second(Vec<String>, bool);
    impl Visitor for Second {
        fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
            self.1 = found.hit.text().starts_with(b"ftp");
            ControlFlow::Continue(())
        }
        fn wants_lines(&mut self, _: &Match<'_>) -> bool {
            self.1
        }
        fn line(&mut self, line: &Line<'_>) {
            assert_eq!(line.urls().count(), line.hits());
            self.0
                .push(String::from_utf8_lossy(line.bytes).into_owned());
        }
    }
    let text = b"http://a.example/\nftp://b.example/ http://b.example/\nhttp://c.example/\n";
    let mut searcher = Searcher::builder()
        .context(Some(Context::default()))
        .build();
    let mut second = Second::default();
    let _ = searcher.search(Container::Text, Position::START, text, &mut second);
    assert_eq!(second.0, ["ftp://b.example/ http://b.example/\n"]);
}

/// A page can have any number of links on one line, and their hits are kept until it ends.
/// So it ends in the text where the text is cut. A line with fewer hits stays whole there.
#[test]
fn a_line_of_links_has_an_end() {
    let head = "Subject: x\nContent-Type: text/html\n\n";
    let pages = [
        (
            "<img src=\"http://a.example/\">".repeat(3000),
            vec![1023, 1024, 953],
        ),
        (
            "<a href=\"http://a.example/\">b</a>".repeat(1500),
            vec![1023, 477],
        ),
        (
            "<img src=\"http://a.example/\"><p>b<p>".repeat(1500),
            vec![1; 1500],
        ),
        (
            format!("<img src=\"http://a.example/{}\">\n", "b".repeat(7000)).repeat(90),
            vec![],
        ),
    ];
    for (page, expected) in pages {
        let mail = format!("{head}{page}");
        let name = &page[..page.len().min(60)];
        let context = Some(Context::default());
        let rows = search(mail.as_bytes(), Container::Message, context, 0);
        for chunk in [61, 4096] {
            let cut = search(mail.as_bytes(), Container::Message, context, chunk);
            assert_eq!(cut.lines, rows.lines, "{name}: chunks of {chunk}");
        }
        let hits: Vec<_> = rows.lines.iter().map(|line| line.hits).collect();
        if expected.is_empty() {
            assert!(
                hits.len() > 1 && hits.iter().all(|&hits| hits < 80),
                "{hits:?}"
            );
        } else {
            assert_eq!(hits, expected, "{name}");
        }
    }
}
