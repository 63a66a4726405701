//! Texts made to be slow. Each family repeats one idea up to the requested
//! length. Tests and benches check how the cost grows with the length: the
//! tests count steps, the benches measure time.

/// A name, and a function that makes a text of about `n` bytes.
pub type Family = (&'static str, fn(usize) -> Vec<u8>);

/// `unit` repeated, cut at `n` bytes.
fn repeat(unit: impl AsRef<[u8]>, n: usize) -> Vec<u8> {
    let unit = unit.as_ref();
    let mut text = Vec::with_capacity(n + unit.len());
    while text.len() < n {
        text.extend_from_slice(unit);
    }
    text.truncate(n);
    text
}

/// `before`, and then `unit` repeated.
fn lead(before: impl AsRef<[u8]>, unit: impl AsRef<[u8]>, n: usize) -> Vec<u8> {
    let mut text = before.as_ref().to_vec();
    text.extend(repeat(unit, n.saturating_sub(text.len())));
    text
}

/// Different lines: `line(i)` for i from 0.
fn lines(n: usize, line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = Vec::with_capacity(n + 256);
    for i in 0.. {
        if text.len() >= n {
            break;
        }
        text.extend_from_slice(line(i).as_bytes());
    }
    text
}

/// Prose without a colon, as the reference for measurements.
pub fn prose(n: usize) -> Vec<u8> {
    repeat(
        "The quick brown fox jumps over the lazy dog, and then it goes home again.\n\
         Nobody had asked it to; nobody minds (much). \"Well\", it said, \"well\".\n\n",
        n,
    )
}

/// Every family.
pub const FAMILIES: &[Family] = &[
    ("prose", prose),
    // Single bytes and pairs.
    ("all <", |n| repeat("<", n)),
    ("all >", |n| repeat(">", n)),
    ("all :", |n| repeat(":", n)),
    ("all /", |n| repeat("/", n)),
    ("all \"", |n| repeat("\"", n)),
    ("all line feeds", |n| repeat("\n", n)),
    ("all spaces", |n| repeat(" ", n)),
    ("all NUL", |n| repeat("\0", n)),
    ("all 0xFF", |n| repeat(b"\xff", n)),
    ("://", |n| repeat("://", n)),
    // Characters beyond ASCII over which a URL may continue.
    ("http://a.b/漢", |n| repeat("http://a.b/漢", n)),
    ("http://漢", |n| repeat("http://漢", n)),
    ("http://a.b/漢, one", |n| lead("http://a.b/", "漢", n)),
    ("http://a.b/?漢, with marks", |n| {
        lead("http://a.b/?", "漢/", n)
    }),
    ("http://漢, one", |n| lead("http://", "漢–", n)),
    ("http://a.b/c–", |n| repeat("http://a.b/c–", n)),
    ("c–d", |n| lead("http://a.b/", "c–d‾", n)),
    ("a:", |n| repeat("a:", n)),
    (" :", |n| repeat(" :", n)),
    // Links of mail gateways without their end.
    ("/v3/ and parts", |n| {
        repeat("https://urldefense.com/v3/__a\nb\n%7C\n=c\n", n)
    }),
    ("Safe Links without a scheme", |n| {
        repeat("(www.a.safelinks.protection.outlook.com/?url=1\n", n)
    }),
    // Schemes.
    ("http:", |n| repeat("http:", n)),
    ("http://", |n| repeat("http://", n)),
    ("http:// with spaces", |n| repeat("http:// ", n)),
    ("http://.", |n| repeat("http://. ", n)),
    ("http://a", |n| repeat("http://a ", n)),
    ("http://a on every line", |n| repeat("http://a\n", n)),
    ("http://a,http://a", |n| repeat("http://a,", n)),
    ("schemes of 32 letters", |n| {
        repeat(format!("{}://a ", "q".repeat(32)), n)
    }),
    ("runs of 40 letters before ://", |n| {
        repeat(format!("{}://a ", "q".repeat(40)), n)
    }),
    ("9:// that is no scheme", |n| repeat("9.9.9.9.9.9://a ", n)),
    ("mailto:", |n| repeat("mailto:", n)),
    ("mailto:a", |n| repeat("mailto:a", n)),
    ("mailto: without an @", |n| repeat("mailto:joe ", n)),
    ("mailto:a@b", |n| repeat("mailto:a@b ", n)),
    ("news:", |n| repeat("news:", n)),
    ("news:a.", |n| repeat("news:a.", n)),
    ("news: and a long name", |n| {
        repeat(format!("news:{} ", "a".repeat(400)), n)
    }),
    ("sip:a-sip:", |n| repeat("sip:a-", n)),
    ("data:", |n| repeat("data:", n)),
    ("data: far from a comma", |n| repeat("data:;a", n)),
    ("urn:", |n| repeat("urn:", n)),
    ("urn:a-", |n| {
        repeat("urn:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-:", n)
    }),
    ("urn:isbn:", |n| repeat("urn:isbn:", n)),
    ("doi:10.", |n| repeat("doi:10.1/a ", n)),
    ("tel:+1", |n| repeat("tel:+1 ", n)),
    // Names.
    ("a.a.a.", |n| repeat("a.", n)),
    ("a._", |n| repeat("a._", n)),
    ("a@", |n| repeat("a@", n)),
    ("http://a.a.a.", |n| lead("http://", "a.", n)),
    ("http://a@a@", |n| lead("http://", "a@", n)),
    ("http://%", |n| repeat("http://a/%%%%%%%% ", n)),
    // Delimiters.
    ("<URL:", |n| repeat("<URL:", n)),
    ("<URL:URL:", |n| lead("<", "URL:", n)),
    ("<URL: on every line, unclosed", |n| {
        repeat("<URL:http://a.b/c\n", n)
    }),
    ("<URL: on every line, blank lines", |n| {
        repeat("<URL:http://a.b/c\n\n", n)
    }),
    ("<URL: words", |n| repeat("<URL: a b c d e f g ", n)),
    ("<URL: closed late", |n| {
        repeat(format!("<URL:http://a/{}> ", "b ".repeat(4000)), n)
    }),
    ("<URL: never closed", |n| {
        repeat(format!("<URL:http://a/{}\n", "b\n".repeat(4200)), n)
    }),
    ("<URL: hyphens", |n| {
        repeat(format!("<URL:http://a/{}b>\n", "b-\n".repeat(200)), n)
    }),
    ("<http:// on every line", |n| repeat("<http://a.b/c\n", n)),
    ("<http:// in <http://", |n| repeat("<http://a", n)),
    ("<mailto: without an @", |n| {
        repeat("<mailto:aaaaaaaa>\n", n)
    }),
    ("\"http:// on every line", |n| repeat("\"http://a.b/c\n", n)),
    ("\"http:// once", |n| lead("\"http://a", "<b", n)),
    ("\"<http://", |n| repeat("\"http://a <http://b ", n)),
    ("URL= URL=", |n| repeat("URL=", n)),
    ("URL=http://", |n| repeat("URL=http://a ", n)),
    ("URL   :", |n| {
        repeat(format!("<{0}URL{0}:{0}http://a ", " ".repeat(60)), n)
    }),
    ("< and spaces before http://", |n| {
        repeat(format!("<{}http://a", " ".repeat(64)), n)
    }),
    // Ends.
    ("nested brackets", |n| {
        repeat(
            format!("http://a/{}{} ", "(".repeat(500), ")".repeat(500)),
            n,
        )
    }),
    ("crossed brackets", |n| repeat("http://a/([{)]} ", n)),
    ("open brackets", |n| {
        repeat(format!("http://a/{} ", "([{".repeat(300)), n)
    }),
    ("punctuation tails", |n| {
        repeat(format!("http://a{} ", ".,;:!?'*_~|".repeat(100)), n)
    }),
    ("punctuation and no URL", |n| {
        repeat(format!("http://{} ", ".".repeat(1000)), n)
    }),
    ("tails of dashes", |n| {
        repeat(format!("http://a{} ", "-".repeat(1000)), n)
    }),
    ("tails of 's", |n| {
        repeat(format!("http://a{} ", "'s".repeat(500)), n)
    }),
    ("'' and another URL", |n| repeat("http://a.b/c''", n)),
    ("'' in one URL", |n| lead("http://a.b/c", "''d", n)),
    ("&& and words", |n| repeat("http://a.b/c&&d&&e&&f&&g ", n)),
    ("brackets of lists", |n| lead("http://a.b/?a", "[]=1&b", n)),
    ("notes in a URL", |n| lead("http://a.b/c", "[1]", n)),
    ("ligatures", |n| repeat("http://a.b/ﬁﬂ¹,² ", n)),
    ("commas", |n| lead("http://a/", ",", n)),
    ("commas and schemes", |n| {
        lead("http://a/", ",aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", n)
    }),
    ("&gt; almost", |n| lead("http://a/", "&g&q&quo", n)),
    ("letters beyond ASCII", |n| repeat("http://ä/öööööööö ", n)),
    ("bytes that are not UTF-8", |n| {
        lead("http://a/", b"\xe4\xf0\xe2\x80", n)
    }),
    ("URLs too long", |n| {
        repeat(format!("http://a/{} ", "b".repeat(9000)), n)
    }),
    ("URLs as long as they can be", |n| {
        repeat(format!("http://a/{} ", "b".repeat(8000)), n)
    }),
    ("one URL", |n| lead("http://a/", "b", n)),
    ("one line of URLs", |n| repeat("http://a/b c ", n)),
    ("one line without an end", |n| repeat("word ", n)),
    // Lines.
    ("leaders of every depth", |n| {
        lines(n, |i| {
            let marks = ["> ", ">", "| ", "# ", "* ", "// ", "JS> "][i % 7].repeat(i % 70);
            format!("{marks}<URL:http://a/\n{marks}b>\n")
        })
    }),
    ("leaders that differ", |n| {
        lines(n, |i| format!("{}<URL:http://a/\n", "> ".repeat(i % 32)))
    }),
    ("a leader and many wrappers", |n| {
        repeat(
            format!("{}{}\n", "> ".repeat(31), "<URL: a>".repeat(100)),
            n,
        )
    }),
    ("an indent and many wrappers", |n| {
        repeat(format!("{}{}\n", " ".repeat(500), "<URL: a>".repeat(64)), n)
    }),
    ("wrappers full of leaders", |n| {
        repeat(format!("> > > > <URL:a{}>\n", "\n> > > > b".repeat(80)), n)
    }),
    ("-\\n", |n| repeat("-\n", n)),
    ("http://a-\\n", |n| repeat("http://a-\n", n)),
    ("long lines that end in -", |n| {
        repeat(format!("http://a/{}-\n", "b".repeat(60)), n)
    }),
    ("URLs of eight lines", |n| {
        repeat(
            format!(
                "http://a/{}\n{}",
                "b".repeat(60),
                format!("/{}\n", "c".repeat(60)).repeat(7)
            ),
            n,
        )
    }),
    ("a URL and the end of another on each line", |n| {
        repeat(
            format!("/{}_mailto:a@b/{}\n", "a".repeat(50), "c".repeat(20)),
            n,
        )
    }),
    ("the same in longer lines", |n| {
        repeat(
            format!("/{}http://b/{}\n", "a".repeat(900), "c".repeat(60)),
            n,
        )
    }),
    ("the same after leaders", |n| {
        repeat(
            format!("> /{}_mailto:a@b/{}\n", "a".repeat(50), "c".repeat(20)),
            n,
        )
    }),
    ("soft breaks only", |n| repeat("=\n", n)),
    ("http://a=\\n", |n| repeat("http://a=\n", n)),
    ("soft breaks at column 76", |n| {
        repeat(format!("http://a/{}=\n", "b".repeat(66)), n)
    }),
    ("soft breaks and wrappers", |n| {
        repeat(format!("<URL:http://a/{}=\n", "b".repeat(61)), n)
    }),
    ("each line soft and a URL", |n| {
        repeat(
            format!("{}_mailto:a@b/{}=\n", "a".repeat(40), "c".repeat(21)),
            n,
        )
    }),
    ("=3D", |n| {
        repeat(format!("http://a/{}=\n", "=3D".repeat(22)), n)
    }),
    // Brackets in a URL, which are judged by what is before them.
    ("closing tags in a URL", |n| {
        let open = "[a".repeat(256);
        repeat(format!("{open} http://a/{}\n", "[/b]".repeat(1900)), n)
    }),
    ("macros in a URL", |n| {
        let open = "{a".repeat(256);
        repeat(format!("{open} http://a/{}\n", "{code}".repeat(1300)), n)
    }),
    ("round brackets beyond ASCII in a host", |n| {
        repeat(format!("http://{}\n", "(é)".repeat(2000)), n)
    }),
    // Pages.
    ("page furniture", |n| {
        repeat(
            "<URL:http://a/b\n\n\nSmith   Informational   [Page 3]\n\x0C\nRFC 9   Title   1994\n\n   c>\n",
            n,
        )
    }),
    ("headers that hide wrappers", |n| {
        repeat(
            "\n\x0C<URL:\n\nSmith   [Page 3]\n\x0C\nRFC 9   1994\n\n   #",
            n,
        )
    }),
    ("headers that hide quotes", |n| {
        repeat(
            "\n\x0C\"http:\n\nSmith   [Page 3]\n\x0C\nRFC 9   1994\n\n   \"http://",
            n,
        )
    }),
    ("footers only", |n| repeat("<URL:a [Page 1]\n\n", n)),
    ("footers without end", |n| {
        repeat(format!("<URL:a {} [Page 1]\n\n", "b".repeat(900)), n)
    }),
    ("form feeds and wrappers", |n| repeat("\x0C<URL:a\n\n", n)),
    ("form feeds and long headers", |n| {
        repeat(format!("\x0C<URL:{}\n\n", "a".repeat(900)), n)
    }),
    ("blank lines that are long", |n| {
        repeat(
            format!(
                "<URL:a\n{}\x0C\n",
                format!("{}\n", " ".repeat(1000)).repeat(11)
            ),
            n,
        )
    }),
];

/// Families whose places are read through a view, as rows of a terminal.
pub const VIEWED: &[Family] = &[
    ("http:\\u002F\\u002Fa", |n| repeat(r"http:\u002F\u002Fa", n)),
    ("http:\\/\\/a\\/", |n| repeat(r"http:\/\/a\/", n)),
    ("ws:\\/\\/a", |n| repeat(r"ws:\/\/a", n)),
    ("URLs between drawn bars in one word", |n| {
        repeat("http://a.b/c│__", n)
    }),
    ("escaped URLs, and then a pattern", |n| {
        repeat(format!("{}.*\n", r"http:\/\/a".repeat(90)), n)
    }),
    ("escaped URLs, and then no escape", |n| {
        repeat(format!("{}\\q\n", r"http:\/\/a".repeat(700)), n)
    }),
    ("escaped URLs, and then what no URL has", |n| {
        repeat(format!("{}^\n", r"http:\/\/a".repeat(700)), n)
    }),
    ("escaped line ends", |n| repeat("http:\\/\\/a\\\n", n)),
    ("soft breaks of short lines, and escapes", |n| {
        repeat("\\fhttp://a.b/=\n", n)
    }),
    ("soft breaks of short lines, and brackets", |n| {
        repeat("('http://a.b/=\n", n)
    }),
    ("escaped line ends and mailto:", |n| {
        repeat("\\-mailto:aaaaaaa\\\n", n)
    }),
    ("\\nmailto:a", |n| repeat(r"\nmailto:a", n)),
    ("\\-mailto:a", |n| repeat(r"\-mailto:a", n)),
    ("\\-data:;a", |n| repeat(r"\-data:;a", n)),
    ("\\-urn:a-", |n| repeat(r"\-urn:aaaaaaaa-:", n)),
    ("escaped characters only", |n| {
        repeat(format!("http://a/{}\n", r"\u0061".repeat(5000)), n)
    }),
    ("letters printed twice", |n| {
        repeat("h\x08ht\x08tt\x08tp\x08p:\x08:/\x08//\x08/a\x08a", n)
    }),
    ("colons printed twice", |n| repeat(":\x08:", n)),
    ("colons with a line", |n| repeat("_\x08:_\x08/", n)),
    ("a backspace before each colon", |n| {
        repeat("\x08\\://\n", n)
    }),
    ("backspaces after short URLs", |n| {
        repeat("s://a\x08\x08\n", n)
    }),
    ("colours in a URL", |n| lead("http://a/", "\x1b[1mb", n)),
    ("colours and URLs", |n| repeat("http://a\x1b[1m/b", n)),
    ("colours, and what no URL has", |n| {
        repeat(format!("{}^\n", "http://a\x1b[1m,".repeat(500)), n)
    }),
    ("colours only", |n| repeat("http://a\x1b[1;", n)),
    ("full rows of one URL", |n| {
        lines(n, |i| match i % 100 {
            0 => "http://a.example/bbbbbbbb\n".into(),
            _ => "1111111111111111111111111\n".into(),
        })
    }),
    ("a URL in each full row", |n| {
        repeat("http://a.example/bbbbbbbb\nb1b1b1b\n", n)
    }),
    ("a URL in each full row, and what no URL has", |n| {
        repeat("http://a.example/bbbbbb^b\nb1b1b1b\n", n)
    }),
    ("full rows without an @", |n| {
        repeat("\\-mailto:aaaaaaaaaaaaaaaa\n", n)
    }),
    ("a URL in each full row, and then a blank", |n| {
        repeat("x/http://bbbbbbbbbbbb \n", n)
    }),
    ("broken schemes", |n| {
        repeat("aaaaaaaaaaaaaa http:/\n/\n", n)
    }),
    ("://, each in a row", |n| repeat("://a\n", n)),
    ("schemes that end their row", |n| {
        repeat("aaaaaaaaaaaaaaa https:\n", n)
    }),
    ("escaped fonts without blanks", |n| {
        repeat("\\/http://a.example/bx\\fBx", n)
    }),
    ("escaped quotation marks after defanged URLs", |n| {
        repeat("hxxp://b[.]example \\\"", n)
    }),
    ("bars and broken schemes in one row", |n| {
        repeat("\"tp://\\/a.4/b  \\u00a,│", n)
    }),
    ("long lines that end in -", |n| {
        repeat(
            format!("{}http://a.example/b-\n", "aaaa bbbb ".repeat(40)),
            n,
        )
    }),
    ("long lines that end in -, each of another length", |n| {
        lines(n, |i| {
            let words = "aaaa bbbb ".repeat(40);
            format!(
                "{}http://a.example/{}-\n",
                &words[i % 7..],
                "b".repeat(i % 7)
            )
        })
    }),
    ("soft breaks", |n| {
        repeat(format!("http://a.example/{}=\n", "b".repeat(60)), n)
    }),
    ("full rows, and then one that is refused", |n| {
        repeat(
            "http://a.example/bbbbbbbb\n1111111111111111111111111\n{1}\n\n",
            n,
        )
    }),
    ("full rows that are refused", |n| {
        lines(n, |i| match i % 50 {
            0 => "http://a.example/bbbbbbbb\n".into(),
            _ => "11111111111{1111111111111\n".into(),
        })
    }),
    ("a URL in each full row, which the row above refuses", |n| {
        repeat("11111{ftp://a.example/b11\n", n)
    }),
    ("the same, of which the grammar refuses the last", |n| {
        lines(n, |i| match i % 60 {
            59 => "111111111111111111111{11\n".into(),
            _ => "1111(ftp://a.example/b11\n".into(),
        })
    }),
    ("literals in a list", |n| {
        repeat("\"http://a.b/\"\n \"c\"\n", n)
    }),
    ("literals in a list with long lines", |n| {
        repeat(
            format!("\"{}\"\n\"http://a.b/\"\n \"c\"\n", "d".repeat(90)),
            n,
        )
    }),
    ("two texts side by side", |n| {
        repeat(
            "http://a.example/bbbb1 | http://a.example/bbbb2\nhttp://a.example/bbb     http://a.example/bbb\n",
            n,
        )
    }),
    ("URLs between bars in one row", |n| {
        repeat("http://a.example/bb | ", n)
    }),
    ("panes without blanks", |n| {
        repeat("aaaaaaaaaaaaaaaaaaaaa|b\nhttp://a.example/cccc|b\n", n)
    }),
    ("bars in each URL, below others", |n| {
        repeat(format!("{}\n", "http://a.b/c?d|".repeat(30)), n)
    }),
    ("dots of a host that may be defanged", |n| {
        repeat("http://a dot b dot c dot d dot e ", n)
    }),
    ("frames", |n| {
        repeat(
            "│ http://a.example/bbbbbbbb │\n│ b1b1b1b                   │\n",
            n,
        )
    }),
];
