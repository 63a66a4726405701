//! Chunks make no difference, for random messages and for tokens of any length.

use urlgrep_base::span::SourceMap;
use urlgrep_mail::mime::*;

use super::check::walk;

/// The texts of all parts, and those that are open.
#[derive(Default)]
struct Texts(Vec<(String, Vec<u8>)>, Vec<(String, Vec<u8>)>);

impl MailSink for Texts {
    fn part_start(&mut self, part: &PartInfo<'_>) {
        let kind = format!("{} {:?}", part.path, part.kind);
        self.1.push((kind, vec![]));
    }
    fn text(&mut self, bytes: &[u8], _map: &SourceMap) {
        self.1.last_mut().unwrap().1.extend_from_slice(bytes);
    }
    fn part_end(&mut self, _end: PartEnd) {
        self.0.extend(self.1.pop());
    }
}

fn texts(walker: &mut Walker, raw: &[u8], size: usize) -> Vec<(String, Vec<u8>)> {
    let mut texts = Texts::default();
    walker.message(MessageMeta::default());
    for (i, chunk) in raw.chunks(size).enumerate() {
        walker.feed(chunk, (i * size) as u64, &mut texts);
    }
    walker.finish(&mut texts);
    texts.0
}

/// Messages that consist of random words with a meaning to the walker. For all
/// of them the chunks make no difference, every byte maps to the source, the text is the same without places, and
/// nothing panics. URLGREP_ROUNDS sets the number of messages.
#[test]
fn chunks_make_no_difference() {
    const WORDS: &[&str] = &[
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "a",
        "http://a.example/b",
        "=",
        "=3D",
        "=\n",
        "= \r\n",
        "=41",
        "--",
        "--b",
        "--b--",
        "\n--b\n",
        "\n--b--\n",
        "\n--c\n",
        "\n\n",
        "\r\n\r\n",
        "-- \n",
        "> ",
        ">",
        "Content-Type: multipart/mixed; boundary=b\n",
        "Content-Type: multipart/digest; boundary=c\n",
        "Content-Type: message/rfc822\n",
        "Content-Type: text/html\n",
        "Content-Type: text/plain; charset=utf-7\n",
        "Content-Type: text/plain; charset=iso-2022-jp\n",
        "Content-Type: text/plain; charset=big5\n",
        "Content-Type: text/plain; charset=gb18030\n",
        "Content-Type: text/html; charset=iso-8859-1\n",
        "Content-Type: text/plain; format=flowed; delsp=yes\n",
        "Content-Type: text/plain; format=flowed\n",
        "Content-Transfer-Encoding: base64\n",
        "Content-Transfer-Encoding: quoted-printable\n",
        "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n",
        "Subject: =?utf-8?q?a=42?=\n =?utf-8?b?YWI=?=\n",
        "X-Test: ",
        "=?",
        "?=",
        "=?x?q?",
        "aHR0cDovL2EuZXhhbXBsZS8=\n",
        "QUJD",
        "QQ==\n",
        "not base64!\n",
        "begin 644 x\n",
        "M",
        "#0V%T\n",
        "`\n",
        "end\n",
        "=ybegin line=128 size=10 name=x\n",
        "=yend size=10\n",
        "<a href=\"http://x/?a=1&amp;b\">",
        "<a href=3D\"http://x/?a=3D1=\n2 3\">",
        "<a onclick=\"go('http://x/', ",
        "<a href='",
        "<td onblur=",
        "javascript:",
        "3D'",
        "'http://x/'",
        "</a>",
        "<p>",
        "<",
        "</",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "&",
        "&amp;",
        "&#65;",
        "&#x41;",
        "&lt",
        "\"",
        "'",
        "<http://y/>",
        "&copy=",
        ";",
        "+AGE-",
        "+-",
        "+",
        "\u{1B}$B",
        "\u{1B}(B",
        "\u{1B}",
        "F|K\\",
        ">From x\n",
        "From x\n",
        "\n..\n",
        "____________________\n",
        "====================\n",
        "unsubscribe\n",
        "\n  ",
        " \n",
        "=\n<div class=3D\"x",
        "\"> ",
        "&nbsp;",
        "<br>",
        "<b>",
        "<http:",
        "--!>",
        "<!--[if",
        "<pre>",
        "<style>",
        "</style>",
        "<td style='",
        "url(",
        "http://z/)",
        "=20\n",
    ];
    const HEADS: &[&str] = &[
        "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n",
        "Content-Type: text/html\n\n",
        "Content-Type: text/plain; format=flowed; delsp=yes\nContent-Transfer-Encoding: quoted-printable\n\n",
        "Content-Type: text/html; charset=big5\nContent-Transfer-Encoding: quoted-printable\n\n",
    ];
    const BYTES: &[&[u8]] = &[b"\xE9", b"\x81", b"\x810", b"\xA4\x40", b"\xFF", b"\x00"];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % n
    };
    /// Prints the message if a check during the walk fails.
    struct Show(Vec<u8>);
    impl Drop for Show {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("message: {}", self.0.escape_ascii());
            }
        }
    }
    let builder = Walker::builder().headers(HeaderPolicy::All);
    let (mut walker, mut placeless) = (builder.build(), builder.info(false).places(false).build());
    let rounds = std::env::var("URLGREP_ROUNDS").ok();
    for _ in 0..rounds.map_or(600, |n| n.parse().expect("a number")) {
        let mut raw = vec![];
        if random(2) == 0 {
            raw.extend_from_slice(HEADS[random(HEADS.len())].as_bytes());
        }
        for _ in 0..random(40) + 1 {
            if random(12) == 0 {
                raw.extend_from_slice(BYTES[random(BYTES.len())]);
            } else {
                raw.extend_from_slice(WORDS[random(WORDS.len())].as_bytes());
            }
        }
        let raw = Show(raw);
        let whole = walk(&mut walker, &raw.0, raw.0.len());
        for size in [1, 2, 3, 7, 70, 100] {
            let cut = walk(&mut walker, &raw.0, size);
            for (a, b) in whole.0.iter().zip(&cut.0) {
                assert_eq!(a, b, "chunks of {size}");
            }
            assert_eq!(whole.0.len(), cut.0.len(), "chunks of {size}");
            assert_eq!(whole.1, cut.1, "notes, chunks of {size}");
        }
        // Nor do they if places are not kept.
        let whole = texts(&mut walker, &raw.0, raw.0.len());
        for size in [raw.0.len(), 1, 7] {
            assert_eq!(
                whole,
                texts(&mut placeless, &raw.0, size),
                "no places, {size}"
            );
        }
    }
}

/// Tokens that are longer than a stage keeps are removed piecewise or cut. The
/// chunks make no difference.
#[test]
fn tokens_over_the_limit() {
    const HTML: &str = "Content-Type: text/html\n\n";
    const QP: &str = "Content-Transfer-Encoding: quoted-printable\n\n";
    const BASE64: &str = "Content-Transfer-Encoding: base64\n\n";
    let long = "x".repeat(70_000);
    let url = format!("http://a.example/{long}");
    let (cut, near) = (&url[..MAX_LINK], &url[..20_000]);
    let (entity, twice) = (format!("&{long};"), format!("{long}{long}"));
    let padded = format!("a={}\nb", " ".repeat(70_000));
    let decoded = "xxx".repeat(25_000);
    let link = "<a href=http://b.example/>";
    let rows = [
        (
            format!("{HTML}a<b title='{long}'>b{link}"),
            vec![("link 0 a href", "http://b.example/"), ("html", "ab")],
            "",
        ),
        (
            format!(
                "{HTML}a<a {} href=http://b.example/>b",
                "x=y ".repeat(20_000)
            ),
            vec![("link 0 a href", "http://b.example/"), ("html", "ab")],
            "",
        ),
        (
            format!("{HTML}a<{long} href=http://b.example/>b"),
            vec![
                ("link 0 xxxxxxxxxxxxxxxx href", "http://b.example/"),
                ("html", "ab"),
            ],
            "",
        ),
        (
            format!("{HTML}a<!-- {long}>{link}-- -->b"),
            vec![("html", "ab")],
            "",
        ),
        (format!("{HTML}{entity}"), vec![("html", &entity)], ""),
        (
            format!("{HTML}<a href='{url}'>b"),
            vec![("link 0 a href", cut), ("html", "b")],
            "LinkTooLong",
        ),
        // In a list each link is cut, not the list, unless that is longer than a token.
        (
            format!("{HTML}<img srcset='http://b.example/ 1x, {near} 2x, http://c.example/'>b"),
            vec![
                ("link 0 img srcset", "http://b.example/"),
                ("link 1 img srcset", cut),
                ("link 2 img srcset", "http://c.example/"),
                ("html", "b"),
            ],
            "LinkTooLong",
        ),
        (
            format!("{HTML}<b onclick=\"f('{near}', 'http://b.example/');{long}\">b"),
            vec![
                ("link 0 b script", cut),
                ("link 1 b script", "http://b.example/"),
                ("html", "b"),
            ],
            "LinkTooLong",
        ),
        (
            format!(
                "{HTML}<b onclick=\"{}f('http://b.example/')\">b",
                &long[..40_000]
            ),
            vec![("link 0 b script", "http://b.example/"), ("html", "b")],
            "",
        ),
        (
            format!("{HTML}<b onclick=\"f('http://b.example/');{long}\">b"),
            vec![("link 0 b script", "http://b.example/"), ("html", "b")],
            "LinkTooLong",
        ),
        // A URL without its end, as a browser would read it, is cut.
        (
            format!("{HTML}<style>url({url}</style>b"),
            vec![("link 0 style style", cut), ("html", "b")],
            "LinkTooLong",
        ),
        (
            format!("{HTML}<style>url(http://b.example/</style>b"),
            vec![("link 0 style style", "http://b.example/"), ("html", "b")],
            "",
        ),
        (format!("{QP}{long}=\n{long}"), vec![("body", &twice)], ""),
        (
            format!("{QP}{padded}"),
            vec![("body", &padded)],
            "BadQuotedPrintable",
        ),
        (
            format!("{BASE64}{}\n", "eHh4".repeat(25_000)),
            vec![("body", &decoded)],
            "",
        ),
        (
            format!("Subject: =?utf-8?q?{long}?=\n\nb"),
            vec![("header Subject", &long), ("body", "b")],
            "",
        ),
    ];
    let mut walker = Walker::builder().headers(HeaderPolicy::All).build();
    for (message, expected, note) in &rows {
        for size in [7, 1000, 32 << 10, 1 << 20] {
            let (parts, notes, _) = walk(&mut walker, message.as_bytes(), size);
            let parts = parts
                .iter()
                .filter(|part| !part.kind.starts_with("header C"));
            let parts: Vec<_> = parts.map(|part| (&*part.kind, &*part.text)).collect();
            let is_expected = parts.len() == expected.len()
                && parts
                    .iter()
                    .zip(expected)
                    .all(|(a, b)| *a == (b.0, b.1.as_bytes()));
            let show = |text: &[u8]| {
                format!(
                    "{} {}",
                    text.len(),
                    text[..text.len().min(40)].escape_ascii()
                )
            };
            let shown: Vec<_> = parts
                .iter()
                .map(|(kind, text)| (*kind, show(text)))
                .collect();
            assert!(is_expected, "{:?}: {shown:?}", &message[..60]);
            let notes: String = notes.iter().map(|note| format!("{note:?}")).collect();
            assert_eq!(notes, *note, "{:?}", &message[..60]);
        }
    }
}
