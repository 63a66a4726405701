//! Input made to use much memory, for the whole command. Like `hostile_mail`,
//! with packed files.

use crate::mail_families::Family;

const HEAD: &str = "From: a@b.example\nDate: Thu, 1 Jan 1998 00:00:00 +0000\n\
                    Message-ID: <1@b.example>\nMIME-Version: 1.0\n";
const HTML: &str = "Content-Type: text/html; charset=utf-8\n\n";
const QP: &str = "Content-Transfer-Encoding: quoted-printable\n\n";
const URL: &str = "http://a.example/b ";

/// Families of files that are not packed.
fn plain() -> Vec<Family> {
    let mut all = vec![];
    let mut add = |name, head: &str, unit: String| {
        all.push(Family::new(name, head.as_bytes(), unit.as_bytes()));
    };
    add("text: one line of URLs", "", URL.into());
    add("text: a URL a line", "", "http://a.example/b\n".into());
    add("text: URLs and commas", "", "http://a.example/b,".into());
    add(
        "text: wrappers with one byte on each line",
        "",
        format!("<URL:http://a.example/{}>\n", "\n> > b".repeat(1300)),
    );
    add(
        "text: wrappers with a space after each byte",
        "",
        format!("<URL:http://a.example/{}>\n", " b".repeat(3900)),
    );
    add(
        "text: escapes and hidden characters",
        "",
        "http://a.example/\x1b[31m\u{202e} ".into(),
    );
    add(
        "text: long hosts",
        "",
        format!("http://{}example/ ", "a.".repeat(4000)),
    );
    add(
        "text: percent signs",
        "",
        format!("http://a.example/{} ", "%41".repeat(2700)),
    );
    add(
        "text: many addresses",
        "",
        format!("mailto:{}c@d.example ", "a@b.example,".repeat(650)),
    );
    add(
        "text: long addresses of IPv6",
        "",
        format!("http://[{}]/ ", "0:".repeat(4000)),
    );
    add(
        "text: long user names",
        "",
        format!("http://{}@h.example/ ", "a:".repeat(4000)),
    );
    add(
        "text: brackets in quotes",
        "",
        "\"http://a.example/ <http://b.example/ (".into(),
    );
    add(
        "text: page furniture",
        "",
        "<URL:http://a.example/b\n\n\n\n\n\nX [Page 1]\n\x0c\nRFC 1 1994\n".into(),
    );
    add(
        "text: quote marks at every depth",
        "",
        (0..61)
            .map(|i| format!("{}<URL:http://a.example/xxxx-\n", "> ".repeat(i % 31)))
            .collect(),
    );

    // Containers.
    let mbox = "From a@b Thu Jan  1 00:00:00 1998\n";
    add(
        "mbox: a URL a message",
        "",
        format!("{mbox}{HEAD}\nhttp://a.example/\n\n"),
    );
    add(
        "mbox: quoted separators",
        "",
        format!("{mbox}{}", ">From x\n".repeat(20)),
    );
    add(
        "mbox: long subjects",
        "",
        format!(
            "{mbox}Subject: {}\nList-Id: {}\n\nhttp://a.example/\n\n",
            "(".repeat(400),
            "<".repeat(300)
        ),
    );
    add(
        "nntp: articles",
        "200 ok\r\n",
        "220 1 <a@b>\r\nFrom: a\r\nSubject: b\r\n\r\nhttp://a.example/\r\n.\r\n".into(),
    );
    add(
        "nntp: truncated replies",
        "200 ok\r\n220 1 <a@b>\r\n.\r\n",
        "220 1 <a@\r\n".into(),
    );
    add(
        "rnews: too large counts",
        "",
        "#! rnews 65000\nFrom: a\nSubject: x\n\nhttp://a.example/ #! rnews 9\n\n".into(),
    );
    add(
        "rnews: batches in a batch",
        "#! rnews 60000\nFrom: a\nSubject: x\n\n",
        "#! rnews 70\nX: y\n".into(),
    );
    add(
        "git: objects",
        "",
        "0123456789012345678901234567890123456789 blob 32\nFrom: a\nSubject: b\n\nhttp://a.b/\n\n\n"
            .into(),
    );

    // Headers.
    let mut mail =
        |name, head: String, unit: &str| add(name, &format!("{HEAD}{head}"), unit.into());
    mail(
        "mail: a long subject",
        format!("Subject: {}\n\n", "s".repeat(60_000)),
        URL,
    );
    mail(
        "mail: a long folded subject",
        format!("Subject: {}\n\n", "ssssssssssssssssss\n ".repeat(3000)),
        URL,
    );
    mail(
        "mail: many groups",
        format!("Newsgroups: {}\n\n", "a.b.c,".repeat(10_000)),
        URL,
    );
    mail(
        "mail: encoded words of the sender",
        format!("From: {}<a@b>\n\n", "=?utf-8?q?=C3=A9?= ".repeat(2000)),
        URL,
    );
    mail(
        "mail: encoded words of URLs",
        "Subject:".into(),
        " =?utf-8?b?aHR0cDovL2EuZXhhbXBsZS8=?=\n",
    );
    mail(
        "mail: encoded words of many charsets",
        String::new(),
        "Subject: =?iso-2022-jp?b?GyRCGyhCGyRC?= =?gb18030?q?=81=30?= http://a.example/\n",
    );
    mail(
        "mail: links in fields",
        String::new(),
        "X-Url: http://a.example/b\n",
    );
    mail(
        "mail: links in one field",
        "X-Url:".into(),
        " http://a.example/b\n",
    );
    mail(
        "mail: pieces of a boundary",
        "Content-Type: multipart/mixed".into(),
        ";\n boundary*1=\"b1\"",
    );

    // Parts.
    let levels = |name: &dyn Fn(usize) -> String| -> String {
        (0..60)
            .map(|i| {
                let b = name(i);
                format!("Content-Type: multipart/mixed; boundary=\"{b}\"\n\n--{b}\n")
            })
            .collect()
    };
    mail(
        "mime: boundaries that begin alike",
        levels(&|i| "b".repeat(i + 1)),
        &format!("--{}\n", "b".repeat(70)),
    );
    mail(
        "mime: long boundaries",
        levels(&|i| format!("{}{i:02}", "b".repeat(950))),
        &format!("--{}\n", "b".repeat(949)),
    );
    mail(
        "mime: digests",
        "Content-Type: multipart/digest; boundary=b\n\n".into(),
        "--b\n\nFrom: a\nSubject: http://a.example/\n\nhttp://a.example/\n",
    );
    mail(
        "mime: parts of base64",
        "Content-Type: multipart/mixed; boundary=b\n\n".into(),
        "--b\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n\
         PGEgaHJlZj1odHRwOi8vYS9iPng8L2E+\n",
    );
    mail(
        "mime: quoted-printable of every byte",
        QP.into(),
        &format!("http://a.example/{}\n", "=62".repeat(1500)),
    );
    mail(
        "mime: escapes of ISO-2022-JP",
        "Content-Type: text/plain; charset=iso-2022-jp\n\n".into(),
        "http://a\x1b$B\x1b(B.example/b\x1b(J ",
    );
    mail(
        "mime: UTF-7",
        "Content-Type: text/plain; charset=utf-7\n\n".into(),
        "h+AHQ-tp+ADo-//a.example/+AGI-\n",
    );
    mail(
        "mime: flowed text at every depth",
        "Content-Type: text/plain; format=flowed; delsp=yes\n\n".into(),
        &(0..60)
            .map(|i| format!("{} <URL:http://a.example/b \n", ">".repeat(i % 30)))
            .collect::<String>(),
    );
    mail(
        "mime: uuencode",
        "\n".into(),
        "begin 644 x\nhttp://a.example/\n",
    );
    mail(
        "mime: a signature of URLs",
        "\ntext\n-- \n".into(),
        "http://a.example/b\n",
    );
    mail(
        "mime: a footer of URLs",
        "\ntext\n_______________________________________________\n".into(),
        "http://a.example/b ",
    );
    mail(
        "mime: signatures",
        "\n".into(),
        "-- \n\nhttp://a.example/b\n\n\n",
    );

    // XML.
    const XML: &str = "Content-Type: application/xml\n\n<?xml version='1.0'?>";
    mail(
        "xml: attributes",
        format!("{XML}<a "),
        "b='http://a.example/' ",
    );
    mail(
        "xml: a value without end",
        XML.into(),
        "<a b=\"http://a.example/ ",
    );
    mail(
        "xml: relationships",
        XML.into(),
        "<Relationship Target=\"http://a.example/\"/>",
    );

    // HTML.
    let mut html = |name, before: String, unit: &str| mail(name, format!("{HTML}{before}"), unit);
    html(
        "html: links full of references",
        String::new(),
        &format!(
            "<a href=\"http://a.example/?{}\">t</a>",
            "&amp;x=1".repeat(900)
        ),
    );
    html(
        "html: links of a few references",
        String::new(),
        &format!(
            "<a href=\"http://a.example/?{}\">t</a>",
            "&amp;x=1".repeat(9)
        ),
    );
    html(
        "html: URLs of references",
        String::new(),
        &format!("http://a.example/{}\n", "&#98;".repeat(1500)),
    );
    html(
        "html: wrappers of references",
        String::new(),
        "&lt;URL:http://a.example/&amp;&colon;&#x2f;&bogus",
    );
    html("html: tags in tags", String::new(), "<div><table><tr><td>");
    html(
        "html: bases",
        String::new(),
        "<base href=\"http://a.example/x/\"><a href=\"y\">",
    );
    html(
        "html: absolute links",
        String::new(),
        "<a href=\"http://a.example/x/\">",
    );
    html(
        "html: images without text",
        String::new(),
        "<img src=\"http://a.example/\">\n",
    );
    html(
        "html: conditional comments",
        String::new(),
        "<!--[if mso]><a href=\"http://a.example/\">",
    );
    html(
        "html: links and images",
        String::new(),
        "<a href=\"http://a.example/x\"><img src=\"http://b.example/y\">",
    );
    html(
        "html: quotes never closed",
        String::new(),
        "<a title='\"' href=\"http://a.example/>",
    );
    html(
        "html: many attributes",
        "<a ".into(),
        "href=http://a.example/x ",
    );
    // Each of them looks for the end of a name of a tag.
    html("html: marks of wrappers", String::new(), "<URL:");
    html(
        "html: citations",
        String::new(),
        "<blockquote cite=\"http://a.example/\">",
    );
    html(
        "html: a wrapper before many links",
        "&lt;URL:http://a ".into(),
        &format!(
            "{}{}",
            "http://b ".repeat(800),
            "<a href=http://c>".repeat(10_000)
        ),
    );
    html(
        "html: links that are their text",
        "<p>-- <br>".into(),
        "<a href=\"http://a.example/\">http://a.example/</a><br>",
    );
    all
}

/// Families of packed files: very many members, frames or blocks of nearly no
/// bytes. The decoder may allocate a window for each of them.
fn packed() -> Vec<Family> {
    let mut tar = [0; 512];
    tar[0] = b'a';
    for (at, field) in [
        (100, &b"0000644\0"[..]),
        (108, b"0000000\0"),
        (116, b"0000000\0"),
        (124, b"00000000000\0"),
        (136, b"00000000000\0"),
        (148, b"006076\0 0"),
        (257, b"ustar\x0000"),
    ] {
        tar[at..at + field.len()].copy_from_slice(field);
    }
    // A stored member whose length comes after its data.
    let zip = [&b"PK\x03\x04\x14\0\x08\0"[..], &[0; 18], b"\x01\0\0\0a"].concat();
    let frame = b"\x28\xb5\x2f\xfd\0\x88";
    let of = |name, head: &[u8], unit: &[u8]| Family::new(name, head, unit);
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xe3\x02\0\x93\x06\xd7\x32\x01\0\0\0";
    vec![
        of("gzip: members of a byte", b"", gzip),
        of(
            "gzip: empty blocks",
            b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
            b"\0\0\0\xff\xff",
        ),
        of(
            "bzip2: empty streams",
            b"",
            b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0",
        ),
        of(
            "xz: streams of two bytes, windows of 128 MiB",
            b"",
            b"\xfd7zXZ\0\0\0\xff\x12\xd9\x41\x02\0\x21\x01\x1e\0\0\0\x9b\x07\x51\x66\x01\0\x01x\n\
              \0\0\0\0\x01\x12\x02\xd4\xa4\x7c\xb6\x06\x72\x9e\x7a\x01\0\0\0\0\0YZ",
        ),
        of(
            "zstd: frames of a byte, windows of 128 MiB",
            b"",
            &[&frame[..], b"\x09\0\0x"].concat(),
        ),
        of(
            "zstd: skippable frames",
            &[&frame[..], b"\x01\0\0"].concat(),
            b"\x50\x2a\x4d\x18\0\0\0\0",
        ),
        of("zstd: empty blocks", frame, b"\0\0\0"),
        of(
            "compress: codes that clear the table",
            b"\x1f\x9d\x90",
            b"a\0\x02\0\0\0\0\0\0",
        ),
        of("tar: empty files", b"", &tar),
        of("zip: members of unknown length", b"", &zip),
        of("zip: descriptors", &zip, b"PK\x07\x08"),
    ]
}

/// Every family.
pub fn families() -> Vec<Family> {
    let mut all = plain();
    all.extend(packed());
    all
}
