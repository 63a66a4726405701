//! Strategies: URLs of each production of each profile, and strings that are
//! nearly URLs.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use urlgrep::Profile;
use urlgrep::url::validate;

use super::bnf::{self, Grammar};

/// The profiles whose grammar is in this crate: all but that of the URL Standard.
pub const DOCUMENTS: &[Profile] = Profile::ALL.split_at(7).0;

static GRAMMARS: LazyLock<[Grammar; 6]> = LazyLock::new(bnf::all);

/// The BNF of a profile's document. For `iri` it is the BNF of `current`, because
/// `iri` accepts all URLs of `current`.
pub fn grammar(profile: Profile) -> &'static Grammar {
    let at = DOCUMENTS.iter().position(|&one| one == profile);
    let at = at.expect("a profile of the list");
    GRAMMARS.get(at).unwrap_or(&GRAMMARS[GRAMMARS.len() - 1])
}

/// Runs a property on `cases` cases. The cases are the same in every run, so a
/// failure is caused by a change of the code. The environment variable
/// `URLGREP_CASES` multiplies their number and randomises them. Failures become
/// rows of `testdata`, so no seeds are stored.
pub fn config(cases: u32) -> ProptestConfig {
    let times = std::env::var("URLGREP_CASES").ok();
    let times = times.map(|times| times.parse().expect("URLGREP_CASES is a number"));
    ProptestConfig {
        cases: cases * times.unwrap_or(1),
        rng_seed: match times {
            Some(_) => RngSeed::Random,
            None => RngSeed::Fixed(1738),
        },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

pub fn profile() -> impl Strategy<Value = Profile> {
    select(DOCUMENTS)
}

/// A profile and a URL that is valid in it, from any production, sometimes with
/// a fragment.
pub fn url() -> impl Strategy<Value = (Profile, Vec<u8>)> {
    let choices = || vec(any::<u8>(), 0..160);
    (profile(), any::<u16>(), choices(), choices(), 0..8).prop_map(
        |(profile, root, choices, more, fragment)| {
            let fragment = (fragment == 0).then_some(&more[..]);
            (
                profile,
                grammar(profile).url(root.into(), &choices, fragment),
            )
        },
    )
}

/// A valid URL that ends with a letter, digit or slash, because punctuation at its
/// end could belong to the sentence. If needed, one such character is added. In
/// half of the cases brackets and quotation marks are removed. If the result is
/// not valid, the URL is unchanged.
pub fn tame_url() -> impl Strategy<Value = (Profile, Vec<u8>)> {
    (url(), any::<bool>()).prop_map(|((profile, url), brackets)| {
        let wild = |b: &u8| matches!(b, b'"' | b'(' | b')' | b'[' | b']' | b'{' | b'}');
        let mut tame: Vec<u8> = url
            .iter()
            .copied()
            .filter(|b| brackets || !wild(b))
            .collect();
        for end in [&b""[..], b"a", b"/", b"1"] {
            tame.extend_from_slice(end);
            let ends = tame
                .last()
                .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'/');
            if ends && validate(profile, &tame).is_ok() {
                return (profile, tame);
            }
            tame.truncate(tame.len() - end.len());
        }
        (profile, url)
    })
}

/// Any byte, most often one that occurs in a grammar.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        4 => select(&b"/:@?#%;=&.-_~+*[]{}()!,'\"\\^|<>` \t\r\n09azAZxX"[..]),
        1 => any::<u8>(),
    ]
}

/// A string near a valid URL: one to three bytes inserted, deleted or
/// replaced.
pub fn near_miss() -> impl Strategy<Value = (Profile, Vec<u8>)> {
    let change = (0..3, any::<Index>(), byte());
    (url(), vec(change, 1..4)).prop_map(|((profile, mut url), changes)| {
        for (kind, at, byte) in changes {
            match kind {
                0 => url.insert(at.index(url.len() + 1), byte),
                1 if !url.is_empty() => {
                    url.remove(at.index(url.len()));
                }
                2 if !url.is_empty() => {
                    let at = at.index(url.len());
                    url[at] = byte;
                }
                _ => {}
            }
        }
        (profile, url)
    })
}

/// A valid URL or a near miss.
pub fn any_url() -> impl Strategy<Value = (Profile, Vec<u8>)> {
    prop_oneof![url(), near_miss()]
}

/// Pieces of mail that have a meaning for the scanner, in any order.
pub fn token() -> impl Strategy<Value = &'static str> {
    select(vec![
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
        "www.",
        "FTP.b.example",
        "gopher.b.example/c",
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

/// Pieces of mail that have a meaning for the splitter and the walker.
pub fn mail_token() -> impl Strategy<Value = &'static str> {
    select(vec![
        "From a@b Thu Jan  1 00:00:00 1970\n",
        "\nFrom -\n",
        "\n\nFrom ...\nSubject: a\n",
        ">From ",
        "Article 1 of ",
        "#! rnews 30\n",
        "220 1 <a@b>\r\n",
        "\n.\n",
        "\r\n.\r\n",
        "Subject: =?utf-8?q?a_b?=\n",
        "Subject: x\r\n",
        "Content-Type: text/plain; charset=utf-8; format=flowed\n",
        "Content-Type: text/html; charset=\"koi8-r\"\n",
        "Content-Type: multipart/mixed; boundary=b\n",
        "Content-Type: message/rfc822\n",
        "Content-Transfer-Encoding: base64\n",
        "Content-Transfer-Encoding: quoted-printable\n",
        "\n--b\n",
        "\n--b\r\n\r\n",
        "\n--b--\n",
        "PGEgaHJlZj0iaHR0cDovL2EiPg==\n",
        "begin 644 a\n#0V%T\n`\nend\n",
        "=ybegin line=128 size=1 name=a\nk\n=yend size=1\n",
        "=3D",
        "=\n",
        "=",
        " \n",
        "-- \n",
        "> ",
        "<a href=\"http://a/?b&amp;c\">",
        "</a>",
        "<style>",
        "<!--",
        "-->",
        "&#x41;",
        "http://a.example/",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "\t",
        "word ",
        "ä",
    ])
}
