//! Properties of the grammar, the scanner, the extractor and the decoders, on
//! generated URLs and texts.

use std::cell::Cell;

use crate::common::generate::{self, DOCUMENTS};
use crate::common::properties as p;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use urlgrep::Form;
use urlgrep::{Extractor, Hyphen};

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(generate::token(), 0..60).prop_map(|tokens| tokens.concat().into_bytes())
}

/// Text with raw bytes inserted.
fn dirty() -> impl Strategy<Value = Vec<u8>> {
    (
        text(),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    )
        .prop_map(|(mut text, bytes)| {
            for (at, byte) in bytes {
                let at = at.index(text.len() + 1);
                text.insert(at, byte);
            }
            text
        })
}

/// Text with marks that defang URLs.
fn defanged() -> impl Strategy<Value = Vec<u8>> {
    let marks = select(
        &[
            "hxxp",
            "hXXps",
            "h**p",
            "fxp",
            "http",
            "[:]",
            "://",
            " : ",
            "[/]",
            "[",
            "]",
            "[.]",
            "(dot)",
            " dot ",
            "{.}",
            " [.] ",
            "[at]",
            "a",
            "b.example",
            "/c",
            " ",
            "\n",
            "mailto:",
            "\\",
            "hxxp://a[.]b",
        ][..],
    );
    let token = prop_oneof![3 => marks, 1 => generate::token()];
    prop::collection::vec(token, 0..30).prop_map(|tokens| tokens.concat().into_bytes())
}

/// Paragraphs: text with blank lines inserted, so that it can be cut.
fn paragraphs() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec((dirty(), select(&["\n\n", "\r\n\r\n", "\n"][..])), 1..8).prop_map(
        |parts| {
            let parts = parts.into_iter();
            parts
                .flat_map(|(text, end)| [&text[..], end.as_bytes()].concat())
                .collect()
        },
    )
}

/// What stands in the paragraphs of a screen.
const OF_SCREEN: &[&str] = &[
    "https://a.example/2013/04/18/question-build-budget-meeting-storage/ ",
    "https://a.example/o/authorize?client_id=abcdef&redirect_uri=http%3A%2F%2Fb ",
    "http://b.example/manual/7 ",
    "see http://c.example/d ",
    "kim.lee7@mail.example ",
    "memory it is a station that the will ",
    "policy of it are had quarter answer function ",
    "key=value ",
    "7 ",
    "Name: x ",
    "(a) ",
    "- ",
];

/// Paragraphs of rows of one width, as a terminal breaks a text without regard to words, or a pager with
/// its marks.
fn screen() -> impl Strategy<Value = Vec<u8>> {
    let line = prop::collection::vec(select(OF_SCREEN), 1..8);
    let between = select(&["\n", "\n\n", "\n\n", "\n\n\n", "\n \n"][..]);
    let lines = prop::collection::vec((line, between), 2..9);
    let marks = select(
        &[
            ("", ""),
            ("", ""),
            ("+", ""),
            ("> ", ""),
            ("", "$"),
            ("", "\\"),
        ][..],
    );
    (lines, marks, 24..90usize, any::<bool>()).prop_map(|(lines, (mark, end), width, has_cr)| {
        let mut text = String::new();
        for (line, between) in lines {
            let line = line.concat();
            let rows: Vec<&str> = (0..line.len().div_ceil(width))
                .map(|i| &line[i * width..line.len().min((i + 1) * width)])
                .collect();
            text += rows.join(&format!("{end}\n{mark}")).trim_end();
            text += between;
        }
        let text = if has_cr {
            text.replace('\n', "\r\n")
        } else {
            text
        };
        text.into_bytes()
    })
}

/// Text around and inside a wrapper.
/// Lines with runs of one mark. Readers that look at a part of a row look at this many bytes, or one
/// more or less.
fn runs() -> impl Strategy<Value = Vec<u8>> {
    let marks = select(
        &[
            " ", "\t", "-", "=", "*", "_", ">", "|", "│", "a", ".", "\n", "> ",
        ][..],
    );
    let lengths = select(&[16, 32, 64, 128, 256, 512, 1024, 2048, 4096][..]);
    let run = (marks, lengths, 0..3usize).prop_map(|(mark, len, more)| mark.repeat(len - 1 + more));
    let ends = select(&["", "\n", " ", "b", "\nhttp://b.example/c\n", "> \n"][..]);
    let line = (generate::token(), run, ends).prop_map(|(token, run, end)| {
        let starts = [
            "http://a.example/b\n",
            "http://a.example/bcdefg-\n",
            "│ http://a.example/b │\n",
        ];
        let start = starts[run.len() % starts.len()];
        format!("{start}{token}{run}c{end}")
    });
    prop::collection::vec(line, 1..4).prop_map(|lines| lines.concat().into_bytes())
}

fn layout() -> impl Strategy<Value = p::Layout<'static>> {
    let leaders = [
        "", "", "", "> ", ">> ", "> > ", ">", "JS> ", "2> ", "> 2> ", "| ", "# ", "* ", "// ",
        "+ ", "- ", "% ", "; ", ": ", "} ", "│ ", "  ", "\t", " > ", "> | ",
    ];
    (
        select(leaders.to_vec()),
        select(&["\n", "\r\n", "\r"][..]),
        select(&["", "", " ", "   ", "\t"][..]),
        select(&["", "", " ", "\t "][..]),
        select(
            &[
                "<URL:",
                "<url:",
                "< URL :",
                "<URL: ",
                "<URL:URL:",
                "<\tUrl:",
            ][..],
        ),
    )
        .prop_map(|(leader, line_end, indent, trail, open)| p::Layout {
            leader,
            line_end,
            indent,
            trail,
            open,
        })
}

/// Text around a bare URL.
fn surroundings() -> impl Strategy<Value = (&'static str, &'static str)> {
    (
        select(&["", "see ", "a:\t", "> ", "x\n", "line.\r\n  "][..]),
        select(&["", " ", " and", "\n", "\r\nmore", "\t"][..]),
    )
}

proptest! {
    #![proptest_config(generate::config(3000))]

    #[test]
    fn derived_urls_are_valid((profile, url) in generate::url()) {
        let valid = p::url_keeps_its_promises(profile, &url);
        prop_assert!(
            valid,
            "{profile}: {} {:?}",
            url.escape_ascii(),
            urlgrep::url::validate(profile, &url)
        );
    }

    #[test]
    fn valid_urls_keep_their_promises((_, url) in generate::any_url()) {
        for &profile in DOCUMENTS {
            p::url_keeps_its_promises(profile, &url);
        }
    }

    #[test]
    fn resolve_ends_with_a_result(
        (profile, base) in generate::url(),
        partial in prop::collection::vec(select(&["/", ".", "..", "a", "?", "#", ":", ";", "x:"][..]), 0..12),
    ) {
        p::resolve_answers(profile, &base, partial.concat().as_bytes());
    }

    #[test]
    fn a_wrapped_url_is_found(
        (profile, url) in generate::url(),
        layout in layout(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let places: Vec<_> = places.iter().map(|at| at.index(url.len() + 1)).collect();
        p::broken_wrapper_is_found(profile, &url, layout, &places);
    }

    #[test]
    fn a_wrapper_broken_everywhere_is_found((profile, url) in generate::url(), layout in layout()) {
        let places: Vec<_> = (0..=url.len()).collect();
        p::broken_wrapper_is_found(profile, &url, layout, &places);
    }
}

proptest! {
    #![proptest_config(generate::config(1000))]

    #[test]
    fn any_chunking_finds_the_same(
        text in dirty(),
        profile in generate::profile(),
        drop in any::<bool>(),
        join in any::<bool>(),
    ) {
        let hyphen = if drop { Hyphen::Drop } else { Hyphen::Keep };
        let builder = Extractor::builder().profile(profile).hyphen(hyphen).join(join).rejects(true);
        p::hits_are_independent_of_chunks(builder, &text, &[1, 3, 7]);
        let builder = builder.forms(Form::ALL.iter().copied());
        p::hits_are_independent_of_chunks(builder.url_max(30), &text, &[1, 64]);
    }

    #[test]
    fn runs_of_one_mark_do_not_depend_on_chunks(text in runs()) {
        let builder = Extractor::builder().rejects(true);
        p::hits_are_independent_of_chunks(builder, &text, &[7, 250]);
        let builder = Extractor::builder().rejects(true).rows(true).refang(true);
        p::hits_are_independent_of_chunks(builder, &text, &[64, 1000]);
    }

    #[test]
    fn rows_do_not_depend_on_chunks(text in screen()) {
        let builder = Extractor::builder().rejects(true).rows(true);
        p::hits_are_independent_of_chunks(builder, &text, &[1, 7, 100]);
    }

    #[test]
    fn defanged_urls_do_not_depend_on_chunks(text in prop_oneof![dirty(), defanged()]) {
        let builder = Extractor::builder().rejects(true).refang(true);
        p::hits_are_independent_of_chunks(builder, &text, &[1, 3, 7]);
        let builder = builder.forms(Form::ALL.iter().copied()).rows(true);
        p::hits_are_independent_of_chunks(builder, &text, &[1, 64]);
        p::refanged_hits_replay(&text);
    }

    #[test]
    fn no_plain_url_changes_if_defanged_ones_are_read(text in prop_oneof![dirty(), defanged()]) {
        p::plain_urls_stay(&text);
    }

    #[test]
    fn hits_consist_of_their_pieces(text in dirty(), profile in generate::profile()) {
        p::hits_replay(profile, &text);
    }

    #[test]
    fn a_text_can_be_cut_at_ground(text in prop_oneof![paragraphs(), screen()]) {
        let builder = Extractor::builder().rejects(true);
        p::ground_cuts_change_nothing(builder, &text);
        p::ground_cuts_change_nothing(builder.rows(true), &text);
        p::ground_cuts_change_nothing(builder.forms(Form::ALL.iter().copied()).rows(true), &text);
    }
}

proptest! {
    #![proptest_config(generate::config(60))]

    /// If a chunk is longer than the lookbehind, only its end is kept.
    #[test]
    fn any_chunking_of_long_texts_scans_the_same(
        before in prop::collection::vec(paragraphs(), 4..12),
        open in select(&["http://a/", "<URL:http://a/", "\"http://a/", "<http://a/"][..]),
        (long, line_end) in (0..140usize, select(&["", "\n", "\r\n", " "][..])),
        after in prop::collection::vec(paragraphs(), 4..12),
        size in 1000..9000usize,
    ) {
        // A URL that continues over the end of a chunk and far beyond it.
        let line = format!("{}{line_end}", "x".repeat(60));
        let url = format!("{open}{}> {line_end}", line.repeat(long));
        let text = [before.concat(), url.into_bytes(), after.concat()].concat();
        p::scan_is_independent_of_chunks(&text, &[size, 1200, 2314, 2315, 4000, 20000], 8192);
        p::scan_is_independent_of_chunks(&text, &[size, 2400], 40);
        p::a_stopped_feed_goes_on(&text, &[size, 2400, 20000]);
    }


    /// Base64 may be cut at a ground state. No candidate that was open at the
    /// beginning of the base64 is open there, even if very long URLs are allowed.
    #[test]
    fn a_text_can_be_cut_in_base64(
        before in dirty(),
        open in select(&["", "<URL:http://a/", "<URL:", "\"http://a/", "http://a.example/b/", "<", "URL:"][..]),
        line in "[A-Za-z0-9+/]{76}",
        end in select(&["\n", "\r\n", "\n\n", "=\n"][..]),
        after in dirty(),
        join in any::<bool>(),
        long in any::<bool>(),
    ) {
        let base64 = [&line, end].concat().repeat(310);
        let text = [&before, open.as_bytes(), base64.as_bytes(), &after].concat();
        let builder = Extractor::builder().join(join).rejects(true);
        let builder = if long { builder.url_max(1 << 20) } else { builder };
        let cuts = p::ground_cuts_change_nothing(builder, &text);
        assert!(cuts > 0);
    }
}

/// `prop_assume` cannot be used, because few derived URLs end like a bare URL.
#[test]
fn a_bare_url_is_found() {
    let config = generate::config(8000);
    let least = config.cases / 3;
    let tried = Cell::new(0);
    let urls = (generate::tame_url(), surroundings());
    TestRunner::new(config)
        .run(&urls, |((profile, url), (before, after))| {
            let bare = p::bare_is_found(profile, &url, before, after);
            tried.set(tried.get() + u32::from(bare));
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(tried.get() > least, "{} URLs were tried", tried.get());
}

proptest! {
    #![proptest_config(generate::config(1500))]

    #[test]
    fn any_chunking_scans_the_same(text in dirty()) {
        p::scan_is_independent_of_chunks(&text, &[1, 2, 3, 7, 64], 8192);
        p::scan_is_independent_of_chunks(&text, &[1, 5], 40);
    }

    #[test]
    fn readings_consist_of_their_pieces(text in dirty()) {
        p::readings_replay(&text, 8192);
        p::readings_replay(&text, 40);
    }

    #[test]
    fn every_byte_is_examined_a_few_times(text in dirty()) {
        p::scan_is_linear(&text.repeat(40));
    }
}

/// URLs that only a view shows.
const VIEWED: &[&str] = &[
    r"http:\/\/a.example\/b",
    r"http:\/\/a.example\/bbbbbbbbbbbbbbbbbbbbbbbb\/cccccccccccccccccccccc\/d",
    r"http://a.example/b\u0026c",
    r"\fBhttp://a.example/b\-c\fR",
    "http://a.e\u{2}xample/",
    "http://a.\u{1b}[1mexample/b\u{1b}[0m",
    "h\u{8}ht\u{8}tt\u{8}tp\u{8}p:\u{8}:/\u{8}//\u{8}/a\u{8}a.\u{8}.e\u{8}ex\u{8}x",
];

/// Candidates that come to nothing, each read through a view.
const NOTHING: &[&str] = &[
    r"https?:\/\/ ",
    "s://",
    "p://",
    "s:// ",
    "\nttp:// x",
    "tp://  x ",
    r"http:\/\/ ",
    r"x://\q ",
    "<p:// ",
    "│ s:// ",
    r"ttp:\/\/\q ",
    "http://\u{2} ",
    "(s://",
    "C:\\x ",
    "x ",
    "\n",
];

/// What may stand after a URL in its paragraph.
const PROSE: &[&str] = &[
    " x",
    "  x",
    "\nx",
    " x:y",
    "\nx x x x x x x x x x x x x x x x x x x x x",
];

/// The texts of the URLs of `text`, in order.
fn urls(text: &str) -> Vec<Vec<u8>> {
    let extractor = Extractor::builder().rows(true).build();
    let hits = extractor.find_iter(text.as_bytes());
    hits.filter(|hit| hit.url().is_ok())
        .map(|hit| hit.text().to_vec())
        .collect()
}

proptest! {
    #![proptest_config(generate::config(300))]

    /// What stands before and after a URL in its paragraph never hides it, however much that cost.
    #[test]
    fn a_url_that_a_view_shows_is_found_in_prose(
        url in select(VIEWED),
        before in prop::collection::vec(select(NOTHING), 0..12),
        after in select(PROSE),
        count in select(&[0, 1, 30, 60, 2000][..]),
    ) {
        let alone = urls(url);
        prop_assert_eq!(alone.len(), 1);
        let text = format!("{} {url} x{}", before.concat(), after.repeat(count));
        let found = urls(&text);
        prop_assert!(found.contains(&alone[0]), "{:?} in {:?}", found, &text[..text.len().min(400)]);
    }
}

/// Parts of which a URL fills its rows.
const OF_URL: &[&str] = &[
    "ab", "c1/", "de-", "x9", "?q=", "&y=z", "%2F", "kk", "_", "Qz",
];

/// Parts of the rows below it.
const BELOW: &[&str] = &[
    "a",
    "b1",
    "Zk81",
    "/",
    "?",
    "=",
    "&",
    "x=",
    "#",
    "-",
    "[",
    "]",
    "{",
    "}",
    "|",
    "\\",
    "\\n",
    "%",
    "%2",
    "%2F",
    " ",
    "  ",
    ".",
    ",",
    ":",
    "\"",
    "'",
    "<",
    ">",
    "(",
    ")",
    "│",
    "│ ",
    "*",
    "~",
    "^",
    "$",
    "`",
    "é",
    "件",
    "T=",
    "https",
    "://",
    "\t",
    "\u{1b}[0m",
    "@",
    ";",
    "html",
    "the ",
    "+",
    "\n",
];

/// True if a URL of `text` begins at `start`, or a reject there says that it is abbreviated.
fn has_url_at(text: &str, start: usize, rows: bool) -> bool {
    let extractor = Extractor::builder().rows(rows).rejects(true).build();
    let mut hits = extractor.find_iter(text.as_bytes());
    hits.any(|hit| {
        let is_there = hit
            .segments()
            .first()
            .is_some_and(|s| s.start == start as u64);
        let is_known = match hit.url() {
            Ok(_) => true,
            Err(reject) => reject.rule == urlgrep::url::Rule::Abbreviated,
        };
        is_there && is_known
    })
}

proptest! {
    #![proptest_config(generate::config(2000))]

    /// What was joined never hides a URL: if the grammar refuses it with the rows below, the URL has
    /// fewer rows.
    #[test]
    fn rows_that_are_refused_hide_no_url(
        before in select(&["", "Open:\n", "see the text that stands above the link in the rows of\n"][..]),
        width in select(&[24, 40, 60, 72, 78, 80, 100][..]),
        rows in 1..4_usize,
        parts in prop::collection::vec(select(OF_URL), 300),
        below in prop::collection::vec(select(BELOW), 0..40),
        is_terminal in any::<bool>(),
    ) {
        let mut url = format!("https://a.example/p/{}", parts.concat());
        url.truncate(width * rows);
        let filled: Vec<&str> = (0..rows).map(|row| &url[row * width..(row + 1) * width]).collect();
        let filled = filled.join("\n");
        let first = format!("{before}{}", &url[..width]);
        let start = before.len();
        let alone = format!("{before}{filled}");
        // The end of a row may break an escape.
        if !has_url_at(&first, start, is_terminal) || !has_url_at(&alone, start, is_terminal) {
            return Ok(());
        }
        let text = format!("{alone}\n{}", below.concat());
        prop_assert!(has_url_at(&text, start, is_terminal), "{text:?}");
    }
}

/// A line with a form feed and `<url:` is not a page header. If it was, each
/// wrapper would read over all later wrappers up to its limit, and the next
/// wrapper would read the same bytes again.
#[test]
fn wrappers_that_look_like_page_headers_are_read_once() {
    p::scan_is_linear(&b"\n\n\x0C<url:\n\x0C\n /".repeat(1000));
}

#[cfg(feature = "search")]
mod messages {
    use super::*;
    use crate::common::messages as m;
    use urlgrep::mail::ReadAs;

    fn mail() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(generate::mail_token(), 0..40)
            .prop_map(|tokens| tokens.concat().into_bytes())
    }

    /// A header field. Its value consists of pieces of URLs, and of pieces that can
    /// hide a URL.
    fn header() -> impl Strategy<Value = Vec<u8>> {
        let name = select(vec![
            "Subject",
            "X-Url",
            "Content-Type",
            "Content-Disposition",
        ]);
        let pieces = vec![
            "http://a.example/",
            "mailto:a@b.example",
            "news:a@b",
            "http",
            "HTTP",
            ":",
            "//",
            "a.example",
            "/",
            " ",
            "  ",
            "\r\n ",
            "\n\t",
            "\n ",
            "<URL:",
            "<url :",
            "URL:",
            "<",
            ">",
            "\"",
            "Re: ",
            "12:30:59",
            "=?us-ascii?q?http=3A//b.example/?=",
            "=?us-ascii?b?aHR0cDovL2MuZXhhbXBsZS8=?=",
            "=?us-ascii?q?=3A?=",
            "=",
            "?",
            "*",
            "; name*=us-ascii''http%3A//d.example/",
            "; name*0=\"http\"; name*1=\"://e.example/\"",
            "; name* = us-ascii''http%3A//d.example/",
            "text/plain",
            "(",
            ")",
        ];
        (name, prop::collection::vec(select(pieces), 0..9))
            .prop_map(|(name, value)| format!("{name}: {}\n\n", value.concat()).into_bytes())
    }

    /// Parts of tags in any order.
    fn html() -> impl Strategy<Value = Vec<u8>> {
        let pieces = vec![
            "<",
            "<a",
            "</a",
            "<img",
            "<P",
            "<br",
            "<b",
            "</",
            ">",
            ">",
            " ",
            "\n",
            "\r\n",
            "/",
            "=",
            "=",
            "'",
            "\"",
            "=\"",
            "='",
            "\">",
            "href",
            "HREF",
            "Src",
            "alt",
            "width",
            "x",
            "a-name-of-much-length",
            "&amp;",
            "&",
            "http://a.example/",
            "word",
            "<!--",
            "-->",
            "<script",
            "</script>",
            "\t",
            "\x0C",
            "ä",
        ];
        let encodings = vec!["", "Content-Transfer-Encoding: quoted-printable\n"];
        (
            select(encodings),
            prop::collection::vec(select(pieces), 0..30),
        )
            .prop_map(|(encoding, text)| {
                format!("Content-Type: text/html\n{encoding}\n{}", text.concat()).into_bytes()
            })
    }

    fn hint() -> impl Strategy<Value = ReadAs> {
        select(vec![
            ReadAs::Auto,
            ReadAs::Mbox,
            ReadAs::Message,
            ReadAs::Rnews,
            ReadAs::Text,
        ])
    }

    proptest! {
        #![proptest_config(generate::config(600))]

        #[test]
        fn any_chunking_splits_the_same(stream in mail(), hint in hint()) {
            m::split_is_independent_of_chunks(hint, &stream, &[1, 2, 7, 64]);
        }

        #[test]
        fn only_fields_without_urls_are_skipped(message in header()) {
            m::only_fields_without_urls_are_skipped_in(&message);
        }

        #[test]
        fn any_chunking_decodes_the_same(message in mail()) {
            m::walk_is_independent_of_chunks(&message, &[1, 5]);
        }

        #[test]
        fn any_chunking_reads_tags_the_same(message in html()) {
            m::walk_is_independent_of_chunks(&message, &[1, 3, 8]);
        }
    }
}
