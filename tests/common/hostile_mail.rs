//! Mail made to be slow. Like `hostile`, for containers, header blocks, MIME
//! parts and their decoders.

/// A name, the first bytes, and the bytes that are repeated after them.
pub struct Family {
    pub name: &'static str,
    head: Vec<u8>,
    unit: Vec<u8>,
    /// The last bytes.
    tail: &'static [u8],
}

impl Family {
    /// `head` once, and then `unit` repeated.
    pub fn new(name: &'static str, head: &[u8], unit: &[u8]) -> Family {
        Family {
            name,
            head: head.to_vec(),
            unit: unit.to_vec(),
            // This ends an open encoded word and the header block. `?=` has no
            // meaning elsewhere.
            tail: b"?=\n\n",
        }
    }

    /// A mail of about `n` bytes.
    pub fn make(&self, n: usize) -> Vec<u8> {
        let mut mail = self.head.clone();
        while mail.len() < n {
            mail.extend_from_slice(&self.unit);
        }
        mail.extend_from_slice(self.tail);
        mail
    }
}

const MIXED: &str = "Content-Type: multipart/mixed; boundary=b\n\n";
const QP: &str = "Content-Transfer-Encoding: quoted-printable\n\n";
const BASE64: &str = "Content-Transfer-Encoding: base64\n\n";
const HTML: &str = "Content-Type: text/html\n\n";
const FLOWED: &str = "Content-Type: text/plain; format=flowed; delsp=yes\n\n";

/// Nested multiparts, each with its own boundary.
fn nested(levels: usize) -> String {
    let level = |i| format!("Content-Type: multipart/mixed; boundary=b{i}\n\n--b{i}\n");
    (0..levels).map(level).collect()
}

fn charset(name: &str) -> String {
    format!("Content-Type: text/plain; charset={name}\n\n")
}

/// Every family.
pub fn families() -> Vec<Family> {
    let mut all = vec![];
    let mut add = |name, head: &[u8], unit: &[u8]| all.push(Family::new(name, head, unit));
    let dated = "From a@b Thu Jan  1 00:00:00 1970\n";

    // Containers.
    add("empty mbox messages", b"", format!("{dated}\n").as_bytes());
    add(
        "mbox messages of one field",
        b"",
        format!("{dated}A:\n\n").as_bytes(),
    );
    add("mbox separators", b"", dated.as_bytes());
    add("From in a body", dated.as_bytes(), b"\nFrom ");
    add(
        "dates in a body",
        format!("{dated}A: b\n\n").as_bytes(),
        format!("{dated}no field\n").as_bytes(),
    );
    add(
        "quoted From",
        format!("{dated}A: b\n\n").as_bytes(),
        b">From \n",
    );
    add(
        "quote marks and From",
        format!("{dated}A: b\n\n").as_bytes(),
        b">>>>>>>>>>>>>>>>From ",
    );
    add(
        "quoted From in a header",
        format!("{dated}A: b\n").as_bytes(),
        b">From a\n b\n",
    );
    add("news batches of nothing", b"", b"#! rnews 0\n");
    add(
        "news batches with too large counts",
        b"",
        b"#! rnews 60000\nA: b\n\n",
    );
    add(
        "news batches with too small counts",
        b"",
        b"#! rnews 9\nA: b\n\nsome more text\n",
    );
    add(
        "wire format",
        b"Path: a\r\nNewsgroups: b\r\nXref: c\r\n\r\n",
        b"..\r\n",
    );

    // Header blocks.
    add("a million fields", b"", b"a:b\n");
    add(
        "a million fields, then a body",
        &b"Subject: x\n".repeat(90_000),
        b"body\n",
    );
    add("a million empty fields", b"", b"a:\n");
    add("a million subjects", b"", b"Subject: a.b.example\n");
    add("a million list ids", b"", b"List-Id: <a.b.example>\n");
    add("a million lines of a field", b"Subject: a\n", b" b\n");
    add("a field of one line", b"Subject: a", b"b");
    add("a field of one line, URLs", b"Subject: a", b" http://a/");
    add("fields of no name", b"A: b\n", b"no field\nA: b\n");
    add(
        "fields with doubtful names",
        b"A: b\n",
        b"no\nno\nno\nno\nA: b\n",
    );
    add("white space before a field", b"", b" \n");
    add(
        "a million content types",
        b"",
        b"Content-Type: text/plain; a*=b\n",
    );
    add(
        "a million parameters",
        b"Content-Type: text/plain",
        b"; a=b",
    );
    add(
        "a million parameters in pieces",
        b"Content-Type: text/plain",
        b"; a*0*=b",
    );
    add("parameters of one name", b"Content-Type: a/b", b"; a");
    add("comments in comments", b"Content-Type: a/b", b"(");
    add(
        "escapes in a parameter",
        b"Content-Type: a/b; c=\"",
        b"\\\"",
    );
    add(
        "a long boundary",
        b"Content-Type: multipart/mixed; boundary=",
        b"b",
    );
    add("encoded words", b"Subject: ", b"=?utf-8?q?a?= ");
    add(
        "encoded words of many charsets",
        b"Subject: ",
        b"=?utf-8?q?a?= =?latin1?q?b?= =?x?b?c?=",
    );
    add("starts of encoded words", b"Subject: ", b"=?");
    add("encoded words without an end", b"Subject: ", b"=?utf-8?q?");
    add(
        "encoded words without a charset",
        b"Subject: ",
        b"=?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ",
    );
    add("an encoded word of spaces", b"Subject: =?utf-8?b?", b" ");
    add("an encoded word of padding", b"Subject: =?utf-8?b?", b"=");
    add(
        "an encoded word of groups and padding",
        b"Subject: =?utf-8?b?",
        b"AAAA=",
    );
    add(
        "encoded words, each of spaces",
        b"",
        b"Subject: =?utf-8?b?                                                            ?=\n",
    );

    // Parts.
    add("boundary lines only", MIXED.as_bytes(), b"--b\n");
    add("empty parts", MIXED.as_bytes(), b"--b\n\n");
    add("parts of a line", MIXED.as_bytes(), b"--b\n\nx\n");
    add(
        "parts of a link",
        MIXED.as_bytes(),
        b"--b\nContent-Type: text/html\n\n<a href=http://a/>\n",
    );
    add(
        "empty parts in base64",
        MIXED.as_bytes(),
        b"--b\nContent-Transfer-Encoding: base64\n\n",
    );
    add("last boundaries only", MIXED.as_bytes(), b"--b--\n");
    add(
        "lines that look like boundaries",
        MIXED.as_bytes(),
        b"--a\n",
    );
    add("two dashes", MIXED.as_bytes(), b"--\n");
    add(
        "dashes in long lines",
        MIXED.as_bytes(),
        &[b"\n--".as_slice(), &[b'x'; 1500]].concat(),
    );
    add("dashes only", MIXED.as_bytes(), b"-");
    add(
        "line feeds in a part",
        format!("{MIXED}--b\n\n").as_bytes(),
        b"\n",
    );
    add(
        "carriage returns in a part",
        format!("{MIXED}--b\n\n").as_bytes(),
        b"\r",
    );
    add(
        "line breaks in a part",
        format!("{MIXED}--b\n\n").as_bytes(),
        b"\r\n",
    );
    add(
        "a digest of nothing",
        b"Content-Type: multipart/digest; boundary=b\n\n",
        b"--b\n\n\n",
    );
    add(
        "a digest of fields",
        b"Content-Type: multipart/digest; boundary=b\n\n",
        b"--b\n\nA: b\n\nc\n",
    );
    add(
        "multiparts deep in one another",
        nested(200).as_bytes(),
        b"--b0\n",
    );
    add(
        "parts at the bottom",
        nested(63).as_bytes(),
        b"--b62\n\nx\n",
    );
    add(
        "no boundaries at the bottom",
        nested(63).as_bytes(),
        b"--bx\n",
    );
    add("two dashes at the bottom", nested(63).as_bytes(), b"--\n");
    add(
        "multiparts without end",
        b"",
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n",
    );
    add(
        "multiparts that end",
        MIXED.as_bytes(),
        b"--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n--c--\n",
    );
    add(
        "messages in messages",
        b"",
        b"Content-Type: message/rfc822\n\n",
    );
    add(
        "messages in messages without a blank line",
        b"",
        b"Content-Type: message/rfc822\nx\n",
    );
    add("files that begin", b"A: b\n\n", b"begin 644 a\n");
    add(
        "files that begin and end",
        b"A: b\n\n",
        b"begin 644 a\n`\nend\n",
    );
    add(
        "files that begin in parts",
        MIXED.as_bytes(),
        b"--b\n\nbegin 644 a\n",
    );
    add("the word begin", b"A: b\n\n", b"\nbegin x");
    add(
        "the word begin, far away",
        MIXED.as_bytes(),
        b"--b\n\nto begin with\n",
    );
    add(
        "yEnc that begins",
        b"A: b\n\n",
        b"=ybegin line=1 size=9 name=a\n",
    );
    add(
        "yEnc in one line",
        b"A: b\n\n=ybegin line=1 size=99999999999 name=a\n",
        b"a",
    );
    add("uuencoded in one line", b"A: b\n\nbegin 644 a\n", b"M");
    add(
        "yEnc without end",
        b"A: b\n\n=ybegin line=1 size=99999999999 name=a\n",
        b"a\n",
    );

    // Decoders.
    add("soft breaks only, declared", QP.as_bytes(), b"=\n");
    add(
        "soft breaks with padding",
        QP.as_bytes(),
        format!("={}\n", " ".repeat(120)).as_bytes(),
    );
    add(
        "white space after = without a line end",
        QP.as_bytes(),
        format!("={}", " ".repeat(126)).as_bytes(),
    );
    add("equals signs", QP.as_bytes(), b"=");
    add("=3D, declared", QP.as_bytes(), b"=3D");
    add("=3", QP.as_bytes(), b"=3");
    add(
        "soft breaks in a URL, declared",
        format!("{QP}http://a/").as_bytes(),
        b"b=\n",
    );
    // Formats of parts.
    let typed = |kind: &str| format!("Content-Type: {kind}\n\n").into_bytes();
    add(
        "a calendar of folds",
        &typed("text/calendar"),
        b"\r\n \\\n\t",
    );
    add(
        "a calendar of escapes",
        &typed("text/calendar"),
        b"\\nhttp://a.example/\\,",
    );
    add(
        "a calendar without line ends",
        &typed("text/vcard"),
        b"http://a.example/\\\\",
    );
    add(
        "a calendar without end",
        &typed("text/calendar"),
        b"BEGIN:VEVENT\nURL:http://a.example/\n b\nX-ALT-DESC:<a href=\"http://b.example/\">\n",
    );
    add(
        "XML references",
        &typed("text/xml"),
        b"&a;&lt;&#x26;http://a.example/",
    );
    add("XML sections", &typed("text/xml"), b"<![CDATA[]]>]]");
    add(
        "an XML section without end",
        &typed("text/xml"),
        b"<![CDATA[ ]]",
    );
    add(
        "XML vocabularies",
        &typed("text/xml"),
        b"<a:b xmlns:c='http://a.example/ b' d='http://a.example/'>",
    );
    add(
        "an unknown part of text",
        &typed("application/x"),
        b"From: a\nhttp://a.example/\n",
    );
    add(
        "an unknown part of header fields",
        &typed("application/x"),
        b"Received: a\n",
    );
    add(
        "unknown parts",
        MIXED.as_bytes(),
        b"--b\nContent-Type: a/b\n\n<html>\n",
    );
    // A zip with a member `a`, which has a URL, and a message with a URL in base64.
    add(
        "attached archives",
        MIXED.as_bytes(),
        b"--b\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n\
          UEsDBBQAAAAAAAAAIQAk99x7EQAAABEAAAABAAAAYWh0dHA6Ly9hLmV4YW1wbGUvUEsBAhQDFAAA\n\
          AAAAAAAhACT33HsRAAAAEQAAAAEAAAAAAAAAAAAAAIABAAAAAGFQSwUGAAAAAAEAAQAvAAAAMAAA\n\
          AAAA\n",
    );
    // A zip with a message, which has the zip above.
    add(
        "archives in messages in archives",
        MIXED.as_bytes(),
        b"--b\nContent-Type: application/zip\nContent-Transfer-Encoding: base64\n\n\
          UEsDBBQAAAAIAAAAIQAKxAbspgAAAOcAAAABAAAAYlWMyw6CMBBF9/0KfoCogWBgN4XySHBRAQlL\n\
          HlXUUAwgyN/biiQ6i8nMmTvH7drGUnIUPYsbKwdLKZDd8oHxQY3nBxOnzQ/pct6fWacSXrbVlV9E\n\
          PO+ZoSOUkN7BmMJaAYW7ab72RCJMJMKyZWm9rXwwwtmsw+akZ+luKrxkFP8Yauq4IoO+jhrsWNP8\n\
          /iiXjwgI/FWwSMFzaTQl3gJFhsIop8MqQ29QSwECFAMUAAAACAAAACEACsQG7KYAAADnAAAAAQAA\n\
          AAAAAAAAAAAAgAEAAAAAYlBLBQYAAAAAAQABAC8AAADFAAAAAAA=\n\n",
    );
    add(
        "XML entities that expand",
        &typed("text/xml"),
        b"<!ENTITY a '&a;&a;'><!ENTITY b 'http://a.example/&a;'><c>&a;&b;</c>",
    );
    add(
        "XML declarations of names",
        &typed("text/xml"),
        b"<!A 'http://a.example/' \"http://b.example/\"",
    );
    add("XML declarations", &typed("text/xml"), b"<!A");
    add(
        "HTML links with tabs",
        HTML.as_bytes(),
        b"<base href=http://a.example/><a href='\t/\n/b'><a href='java\tscript:\t'>",
    );
    add(
        "attached messages in base64",
        MIXED.as_bytes(),
        b"--b\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n\
          RnJvbTogYQpTdWJqZWN0OiBiCgpodHRwOi8vYS5leGFtcGxlLwo=\n",
    );
    add("base64 padding only", BASE64.as_bytes(), b"=");
    add("base64 of spaces", BASE64.as_bytes(), b" ");
    add(
        "base64 of spaces in lines",
        BASE64.as_bytes(),
        format!("{}\n", " ".repeat(70)).as_bytes(),
    );
    add(
        "base64 of spaces in long lines",
        BASE64.as_bytes(),
        format!("{}\n", " ".repeat(7000)).as_bytes(),
    );
    add("base64 a digit a line", BASE64.as_bytes(), b"A\n");
    add("base64 a digit between spaces", BASE64.as_bytes(), b"A ");
    add("base64 pads again and again", BASE64.as_bytes(), b"AA==");
    add(
        "base64 that ends again and again",
        BASE64.as_bytes(),
        b"AA==\n",
    );
    add(
        "base64 without line ends",
        BASE64.as_bytes(),
        b"aHR0cDovL2EvIAo",
    );
    // QUFB… is AAA… in base64.
    add(
        "base64 of base64",
        BASE64.as_bytes(),
        b"UVVGQlFVRkJRVUZCUVVGQlFVRkJRVUZCUVVGQlFVRkJRVUZCUVVGQlFVRkJRVUZCUVVGQlFVRkI=\n",
    );
    add("UTF-7 of nothing", charset("utf-7").as_bytes(), b"+-");
    add("UTF-7 of anything", charset("utf-7").as_bytes(), b"+AAAAAA");
    add("UTF-7 shifted and not", charset("utf-7").as_bytes(), b"+ a");
    add(
        "ISO-2022-JP escapes",
        charset("iso-2022-jp").as_bytes(),
        b"\x1b$B\x1b(B",
    );
    add(
        "ISO-2022-JP without end",
        charset("iso-2022-jp").as_bytes(),
        b"\x1b$B",
    );
    add("bytes of no Big5", charset("big5").as_bytes(), b"\xff");
    add("bytes of half Big5", charset("big5").as_bytes(), b"\xa4 ");
    add(
        "bytes that are not UTF-8, declared",
        charset("utf-8").as_bytes(),
        b"\xff",
    );
    add(
        "bytes of Latin 1",
        charset("iso-8859-1").as_bytes(),
        b"\xe9a",
    );
    add("UTF-16 without any", charset("utf-16").as_bytes(), b"ab");
    add("flowed lines", FLOWED.as_bytes(), b"a \n");
    add("flowed lines of a space", FLOWED.as_bytes(), b" \n");
    add(
        "flowed lines at another depth",
        FLOWED.as_bytes(),
        b"> a \n>> b \n",
    );
    add("flowed quote marks", FLOWED.as_bytes(), b">");
    add("flowed separators", FLOWED.as_bytes(), b"a \n-- \n");
    add("flowed separators, nearly", FLOWED.as_bytes(), b"a \n-- x");
    add("flowed stuffing", FLOWED.as_bytes(), b" >\n");
    add("signatures", b"A: b\n\n", b"-- \n");
    add("footers", b"A: b\n\n", b"____________________\nhttp://a/\n");
    add("quoted lines", b"A: b\n\n", b"> > > > http://a/\n");

    // HTML.
    add("HTML <", HTML.as_bytes(), b"<");
    add("HTML &", HTML.as_bytes(), b"&");
    add("HTML entities", HTML.as_bytes(), b"&amp;");
    add(
        "HTML entities without end",
        HTML.as_bytes(),
        b"&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    );
    add(
        "HTML numbers",
        HTML.as_bytes(),
        b"&#0000000000000000000000000000000000000065;",
    );
    add("HTML tags", HTML.as_bytes(), b"<p>");
    add("HTML links", HTML.as_bytes(), b"<a href=http://a/>");
    add("HTML links of a byte", HTML.as_bytes(), b"<a href=x>");
    add("HTML links and text", HTML.as_bytes(), b"<a href=x>y</a>");
    // Links that are kept until the text before them is known.
    let link = "<a href=\"http://a.example/\">";
    // Hits that wait for the link in whose text they are. They are different, and the link is
    // almost as long as a page may go on without an end of its text.
    let words: String = (0..19_000).map(|i| format!("http://a{i}/ ")).collect();
    add(
        "html: links full of words",
        HTML.as_bytes(),
        format!("{link}{words}</a>").as_bytes(),
    );
    add(
        "HTML links and short words",
        HTML.as_bytes(),
        format!("{link}yyy</a>").as_bytes(),
    );
    add(
        "HTML links and short lines",
        HTML.as_bytes(),
        format!("{link}y: yy\n").as_bytes(),
    );
    add(
        "HTML links and other URLs",
        HTML.as_bytes(),
        format!("{link}http://b.example/</a>\n").as_bytes(),
    );
    add("HTML links that end", HTML.as_bytes(), b"<a href=x></a>");
    add(
        "HTML links of a base",
        HTML.as_bytes(),
        b"<base href=\"http://a.example/\"><a href=\"y\">",
    );
    let ampersands = "&amp;b=1".repeat(900);
    add(
        "HTML links of entities",
        HTML.as_bytes(),
        format!("<a href=\"http://a.example/?{ampersands}\">t</a>").as_bytes(),
    );
    add(
        "HTML links of entities in quoted-printable",
        format!("Content-Type: text/html\n{QP}").as_bytes(),
        format!(
            "<a href=3D\"http://a.example/?{}\">t</a>",
            "&amp;x=3D1&amp;y=3D1=\n".repeat(400)
        )
        .as_bytes(),
    );
    add(
        "HTML links in one tag",
        HTML.as_bytes(),
        format!("<a{}>t</a>", " href=\"http://a.example/x\"".repeat(50)).as_bytes(),
    );
    add(
        "HTML links after a wrapper",
        format!("{HTML}<URL:http://a/").as_bytes(),
        b"<a href=x>&lt;</a>",
    );
    add(
        "HTML links after many entities",
        HTML.as_bytes(),
        &[b"&lt;".repeat(4000), b"<a href=x>".repeat(4000)].concat(),
    );
    add(
        "HTML links in a URL",
        format!("{HTML}http://a/").as_bytes(),
        b"<i src=x>b",
    );
    add(
        "HTML links in a quotation",
        format!("{HTML}\"http://a/").as_bytes(),
        b"b<i src=x>\n",
    );
    add(
        "HTML link without end",
        format!("{HTML}<a href=\"http://a/").as_bytes(),
        b"b&amp;",
    );
    // White space inside of a long value, which is judged by what is around it.
    let lines = "x\n".repeat(20_000);
    add(
        "HTML links of many lines",
        HTML.as_bytes(),
        format!("<a href=\"http://a/{lines}\">").as_bytes(),
    );
    add(
        "HTML links whose queries have many lines",
        HTML.as_bytes(),
        format!("<a href=\"http://a/?{lines}\">").as_bytes(),
    );
    add(
        "HTML links whose texts are many URLs",
        HTML.as_bytes(),
        format!("<a href=http://a/>{}</a><p>", "http://b/ ".repeat(20_000)).as_bytes(),
    );
    add(
        "HTML links whose texts have blanks",
        HTML.as_bytes(),
        format!("<a href=http://a/>http://b{}</a>", " b".repeat(113)).as_bytes(),
    );
    add("HTML attributes", format!("{HTML}<a ").as_bytes(), b"a=b ");
    add(
        "HTML attributes of &",
        format!("{HTML}<a b=\"").as_bytes(),
        b"&",
    );
    add("HTML equals signs", format!("{HTML}<a ").as_bytes(), b"=");
    add(
        "HTML names",
        HTML.as_bytes(),
        b"<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    );
    add(
        "HTML links in a list",
        format!("{HTML}<a ping=\"").as_bytes(),
        b"a ",
    );
    add(
        "HTML links of pictures",
        HTML.as_bytes(),
        format!("<img srcset=\"{}\">", "a, ".repeat(5000)).as_bytes(),
    );
    add(
        "HTML links in styles",
        HTML.as_bytes(),
        b"<p style=\"url(a)url('b')url(\">",
    );
    add(
        "HTML style sheet",
        format!("{HTML}<style>").as_bytes(),
        b"url(http://a/)",
    );
    add(
        "HTML style sheet of a word",
        format!("{HTML}<style>").as_bytes(),
        b"ururl",
    );
    add(
        "HTML style sheet of a link",
        format!("{HTML}<style>url(").as_bytes(),
        b"http://a/ ",
    );
    add(
        "HTML link of blanks",
        format!("{HTML}<a href=\"a").as_bytes(),
        b"  b",
    );
    add(
        "HTML links of blanks",
        HTML.as_bytes(),
        format!("<a href=\"a{}\">", " ".repeat(3000)).as_bytes(),
    );
    add("HTML white space", HTML.as_bytes(), b"\n  ");
    add("HTML white space and tags", HTML.as_bytes(), b"<b>\n ");
    add(
        "HTML white space and breaks",
        HTML.as_bytes(),
        b"a\n\n <br>\n\n",
    );
    add(
        "HTML conditional comments",
        HTML.as_bytes(),
        b"<!--[if x]><![endif]-->",
    );
    add(
        "HTML comments that begin as conditional",
        HTML.as_bytes(),
        b"<!--[i",
    );
    add("HTML comments", HTML.as_bytes(), b"<!---->");
    add(
        "HTML comment without end",
        format!("{HTML}<!--").as_bytes(),
        b"--a",
    );
    add("HTML comments that begin", HTML.as_bytes(), b"<!--");
    add("HTML scripts", HTML.as_bytes(), b"<script></script>");
    add(
        "HTML script without end",
        format!("{HTML}<script>").as_bytes(),
        b"</scrip",
    );
    add(
        "HTML in quoted-printable",
        format!("Content-Type: text/html\n{QP}").as_bytes(),
        b"<a href=3D=22=\n=26amp;=22>=26lt;",
    );
    all
}
