//! Properties of the scanner and the extractor on generated texts.

mod common;

use common::properties as p;
use proptest::prelude::*;

/// Pieces of mail that mean something to the scanner, in any order.
fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "<URL:",
        "<url :",
        "URL:",
        "URL=",
        "<",
        ">",
        "\"",
        "'",
        "`",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        ";",
        ":",
        "!",
        "?",
        "*",
        "_",
        "~",
        "|",
        "-",
        "=",
        "=3D",
        "=\n",
        "&gt;",
        "'s",
        "\\",
        "#",
        "//",
        "/",
        "%",
        "&",
        "http://",
        "https://",
        "ftp://",
        "mailto:",
        "news:",
        "data:",
        "urn:isbn:",
        "tel:+1",
        "magnet:?",
        "doi:10.",
        "sip:",
        "xhttp://",
        "foo://",
        "a.b",
        "x@y.org",
        "comp.lang.lisp",
        "www.example.com",
        "path/to",
        "index.html",
        " ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\n> ",
        "\n>> ",
        "\n| ",
        "\n# ",
        "> ",
        "\x0C",
        "\x0B",
        "\0",
        "\x1B",
        "ä",
        "漢",
        "»",
        "\u{a0}",
        "\n\nSmith      [Page 3]\n\x0C\nRFC 9     Title     1994\n\n   ",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "bcdefgh",
        "and",
        "or",
        "The ",
    ])
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(token(), 0..60).prop_map(|tokens| tokens.concat().into_bytes())
}

/// The same with raw bytes strewn in.
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn any_chunking_scans_the_same(text in dirty()) {
        p::scan_is_independent_of_chunks(&text, &[1, 2, 3, 7, 64], 8192);
        p::scan_is_independent_of_chunks(&text, &[1, 5], 40);
    }

    #[test]
    fn readings_are_made_of_their_pieces(text in dirty()) {
        p::readings_replay(&text, 8192);
        p::readings_replay(&text, 40);
    }

    #[test]
    fn every_byte_is_looked_at_a_few_times(text in dirty()) {
        p::scan_is_linear(&text.repeat(40));
    }
}
