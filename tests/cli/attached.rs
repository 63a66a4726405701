//! Attachments that are files: archives, compressed files, encoded messages.

use super::kit::Dir;
use crate::common::make::{ZipMember, gzip, tar, zip};
use crate::common::records::base64;

/// A message with a text and these attachments: type, name, bytes.
fn message(parts: &[(&str, &str, &[u8])]) -> String {
    let mut out = "From: a@b.example\nSubject: outer\nDate: Thu, 1 Jan 1998 00:00:00 +0000\n\
         Content-Type: multipart/mixed; boundary=b\n\n--b\n\nfirst http://text.example/\n"
        .to_owned();
    for (kind, name, bytes) in parts {
        let bytes = base64(bytes);
        out += &format!(
            "--b\nContent-Type: {kind}; name=\"{name}\"\n\
             Content-Transfer-Encoding: base64\n\n{bytes}\n"
        );
    }
    out + "--b\n\nlast http://end.example/\n--b--\n"
}

const FORMAT: &str = "{url} {part} {member} {role} {line} {subject}";

const EML: &str = "From: c@d.example\nSubject: see http://subject.example/\n\
     Content-Type: multipart/alternative; boundary=c\n\n--c\n\nhttp://eml.example/1\n--c\n\
     Content-Type: text/html\n\n<a href=\"http://eml.example/?b&amp;c\">x</a>\n--c--\n";

#[test]
fn folders_of_other_archives_that_begin_like_documents_are_searched() {
    let dir = Dir::with("mimetype", "application/epub+zip");
    let package = zip(&[
        ZipMember::stored("[Content_Types].xml", b"<Types/>"),
        ZipMember::stored("extension/media/main.html", b"http://page.example/\n"),
        ZipMember::stored("OEBPS/fonts/read.txt", b"http://font.example/\n"),
        ZipMember::stored("Pictures", b"http://file.example/\n"),
        ZipMember::stored("xl/media/a.txt", b"http://media.example/\n"),
    ]);
    dir.write("a.zip", &package);
    dir.write("m", message(&[("application/zip", "a.zip", &package)]));
    let expected = "http://page.example/\nhttp://font.example/\nhttp://file.example/\n";
    dir.run(["a.zip"]).ends(0, expected, "");
    dir.run(["--role", "attachment", "m"]).ends(0, expected, "");
}

/// A part has the type that its header names. A header field and a file of text have none, and
/// what is in an archive has that of the archive, unless it is itself a document with parts.
#[test]
fn every_part_has_its_type() {
    let package = zip(&[
        ZipMember::stored("a.txt", b"http://packed.example/\n"),
        ZipMember::stored("a.eml", EML.as_bytes()),
    ]);
    let long = format!("text/{}", "x".repeat(300));
    let page = b"<a href='http://page.example/'>x</a>";
    let dir = Dir::with(
        "m",
        message(&[
            ("application/zip", "a.zip", &package),
            ("message/rfc822", "a.eml", EML.as_bytes()),
            ("Text/HTML; charset=utf-8", "a", page),
            (
                "application/octet-stream",
                "a.html",
                b"http://named.example/\n",
            ),
            ("text", "a", b"http://half.example/\n"),
            (&long, "a", b"http://long.example/\n"),
        ]),
    );
    dir.write("plain.txt", "http://plain.example/\n");
    let fields = ["--format", "{url} {part} {content_type}"];
    let expected = "\
        http://text.example/ 1 text/plain\n\
        http://packed.example/ 2 application/zip\n\
        http://subject.example/  \n\
        http://eml.example/1 2.1 text/plain\n\
        http://eml.example/?b&c 2.2 text/html\n\
        http://subject.example/  \n\
        http://eml.example/1 3.1 text/plain\n\
        http://eml.example/?b&c 3.2 text/html\n\
        http://page.example/ 4 text/html\n\
        http://named.example/ 5 application/octet-stream\n\
        http://half.example/ 6 text/plain\n\
        http://long.example/ 7 \n\
        http://end.example/ 8 text/plain\n\
        http://plain.example/  \n";
    let args = [&fields[..], &["m", "plain.txt"]].concat();
    dir.run(&args).is(expected);
}

/// A hit is in the file that the sender attached: the part itself, or else the nearest message or
/// archive around it that has a name.
#[test]
fn every_hit_says_in_which_file_it_is() {
    let named = message(&[("text/plain", "../../x", b"http://deep.example/\n")]);
    let package = zip(&[
        ZipMember::stored("a.txt", b"http://packed.example/\n"),
        ZipMember::stored("a.eml", EML.as_bytes()),
        ZipMember::stored("b.eml", named.as_bytes()),
    ]);
    let inner = zip(&[ZipMember::stored("b.zip", &package)]);
    let dir = Dir::with(
        "m",
        message(&[
            ("application/zip", "a.zip", &package),
            ("application/zip", "c.zip", &inner),
            ("application/zip", "", &package),
            ("message/rfc822", "fwd.eml", EML.as_bytes()),
            ("application/gzip", "a.gz", &gzip(b"http://gz.example/\n")),
            (
                "text/plain",
                "=?utf-8?B?YRtbMW1iCmMJZOKArg==?=",
                b"http://odd.example/\n",
            ),
        ]),
    );
    dir.write("plain.txt", "http://plain.example/\n");
    let of_package = |name: &str, around: &str| {
        let members = [
            ("packed.example/", "a.txt", name),
            ("subject.example/", "a.eml", name),
            ("eml.example/1", "a.eml", name),
            ("eml.example/?b&c", "a.eml", name),
            ("text.example/", "b.eml", name),
            ("deep.example/", "b.eml", "../../x"),
            ("end.example/", "b.eml", name),
        ];
        let line = |(url, member, name): &(&str, &str, &str)| {
            format!("http://{url} {name} {around}{member}\n")
        };
        members.iter().map(line).collect::<String>()
    };
    let expected = "http://text.example/  \n".to_owned()
        + &of_package("a.zip", "a.zip!")
        + &of_package("c.zip", "c.zip!b.zip!")
        + &of_package("", "!")
        + "http://subject.example/ fwd.eml \n\
            http://eml.example/1 fwd.eml \n\
            http://eml.example/?b&c fwd.eml \n\
            http://gz.example/ a.gz \n\
            http://odd.example/ a\\x1B[1mb c d\\u{202e} \n\
            http://end.example/  \n\
            http://plain.example/  \n";
    let fields = ["--format", "{url} {file_name} {member}", "m", "plain.txt"];
    dir.run(fields).is(&expected);
    let rows = dir.shell("$U --json m | $U --verify");
    assert!(rows.errors.contains(" 0 wrong, 0 not read"), "{rows:?}");
    let odd = ["-e", "odd", "--fields", "file_name,url", "m"];
    let table = |sep| format!("file_name{sep}url\na\x1B[1mb c d\u{202e}{sep}http://odd.example/\n");
    dir.run(["--tsv"].iter().chain(&odd)).is(&table('\t'));
    dir.run(["--csv"].iter().chain(&odd)).is(&table(','));
    let json = r#"{"file_name":"a\u001b[1mb c d\u202e","url":"http://odd.example/"}"#;
    dir.run(["--json"].iter().chain(&odd))
        .is(&format!("{json}\n"));
}

#[test]
fn archives_compressed_files_and_messages_are_searched_where_they_hang() {
    let docx = zip(&[
        ZipMember::deflated(
            "word/document.xml",
            b"<?xml version=\"1.0\"?><w:document xmlns:w=\"http://ns.example/\"><w:p><w:r>\
              <w:t>http://docx.exa</w:t></w:r><w:r><w:t>mple/</w:t></w:r></w:p></w:document>",
        ),
        ZipMember::deflated(
            "word/_rels/document.xml.rels",
            b"<?xml version=\"1.0\"?><Relationships><Relationship Type=\"http://ns.example/\" \
              Target=\"http://rel.example/?b&amp;c\"/></Relationships>",
        ),
        ZipMember::stored("[Content_Types].xml", b"<Types/>"),
        ZipMember::stored("word/media/image1.png", b"\x89PNG\0http://png.example/"),
        ZipMember::stored(
            "word/media/a.svg",
            b"<svg><a href=\"http://svg.example/\"/></svg>",
        ),
        ZipMember::stored("word/fonts/font1.odttf", b"http://font.example/"),
    ]);
    let nested = tar(&[
        ("a.txt", b"http://tar.example/"),
        ("b.gz", &gzip(EML.as_bytes())),
    ]);
    let mail = message(&[
        ("application/octet-stream", "r.docx", &docx),
        ("message/rfc822", "", EML.as_bytes()),
        ("application/gzip", "t.tgz", &gzip(&nested)),
        (
            "application/octet-stream",
            "x.ics",
            b"BEGIN:VCALENDAR\nURL:http://ics.exa\n mple/\n",
        ),
    ]);
    let dir = Dir::with("m", &mail);
    let expected = "http://text.example/ 1  body 8 outer\n\
        http://docx.example/ 2.1 r.docx!word/document.xml attachment 10 outer\n\
        http://rel.example/?b&c 2.1 r.docx!word/_rels/document.xml.rels attachment 10 outer\n\
        http://subject.example/   attachment 26 outer\n\
        http://eml.example/1 3.1  attachment 26 outer\n\
        http://eml.example/?b&c 3.2  attachment 26 outer\n\
        http://tar.example/ 4 t.tgz!a.txt attachment 35 outer\n\
        http://subject.example/  t.tgz!b.gz attachment 35 outer\n\
        http://eml.example/1 4.1 t.tgz!b.gz attachment 35 outer\n\
        http://eml.example/?b&c 4.2 t.tgz!b.gz attachment 35 outer\n\
        http://ics.example/ 5  attachment 44 outer\n\
        http://end.example/ 6  body 51 outer\n";
    let strip = |text: String| {
        let lines = text.lines().map(|line| {
            let mut words: Vec<_> = line.split(' ').collect();
            // Lines of parts depend on the length of their base64.
            let at = words.len() - 2;
            words[at] = "";
            words.join(" ")
        });
        lines.collect::<Vec<_>>()
    };
    let out = dir.run(["--format", FORMAT, "m"]);
    assert_eq!(
        strip(out.text()),
        strip(expected.to_owned()),
        "{}",
        out.errors
    );
    // Pictures and fonts in folders of the document are left out on disk, too.
    dir.write("r.docx", &docx);
    dir.run(["r.docx"])
        .ends(0, "http://docx.example/\nhttp://rel.example/?b&c\n", "");
    // The end of the message is known in every row, and each row is consistent.
    let rows = dir.run(["--json", "m"]);
    assert_eq!(rows.text().matches("\"message_end\":null").count(), 0);
    let verified = dir.pipe(["--verify"], &rows.bytes);
    assert!(
        verified.errors.contains(" 0 wrong, 0 not read"),
        "{}",
        verified.errors
    );
    // A ledger has the same rows.
    if cfg!(feature = "ledger") {
        let ledger = dir.run(["--ledger", "l", "--format", FORMAT, "m"]);
        assert_eq!(ledger.text(), out.text(), "{}", ledger.errors);
    }
    let lines = dir.run(["-C0", "--no-filename", "m"]).text();
    assert!(lines.contains("http://tar.example/\n"), "{lines}");
    // What an option leaves out is no warning, but is in the totals.
    let text = "http://text.example/\nhttp://end.example/\n";
    dir.run(["--no-attachments", "m"]).is(text);
    let totals = "not searched: compressed file or archive, in 1 part\n";
    dir.run(["--no-attachments", "--stats", "m"])
        .ends(0, text, totals);
    dir.write(
        "encrypted",
        "From: a@b.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIAGCSqGSIb3\n",
    );
    dir.run(["--no-attachments", "encrypted"]).ends(
        1,
        "",
        "urlgrep: encrypted: 1 part was not read: encrypted part\n",
    );
    dir.run(["--no-decompress", "m"]).ends(
        0,
        "http://text.example/\nhttp://subject.example/\nhttp://eml.example/1\nhttp://eml.example/?b&c\n\
         http://ics.example/\nhttp://end.example/\n",
        "urlgrep: m: 2 parts were not read: compressed file or archive, office document (--notes names each)\n",
    );
}

/// Each URL of `testdata/office`, and the member that has it. The host of a URL is the ending
/// of its file and `example`.
const OFFICE: [(&str, &str); 31] = [
    ("docx property", "docProps/core.xml"),
    ("docx text", "word/document.xml"),
    ("docx runs", "word/document.xml"),
    ("docx field", "word/document.xml"),
    ("docx cell", "word/document.xml"),
    ("docx link?a=1&b=2", "word/_rels/document.xml.rels"),
    ("docx header", "word/header1.xml"),
    ("docx footer", "word/footer1.xml"),
    ("docx comment", "word/comments.xml"),
    ("odt header", "styles.xml"),
    ("odt footer", "styles.xml"),
    ("odt text", "content.xml"),
    ("odt link?a=1&b=2", "content.xml"),
    ("odt runs", "content.xml"),
    ("odt footnote", "content.xml"),
    ("odt comment", "content.xml"),
    ("pptx title", "ppt/slides/slide1.xml"),
    ("pptx runs", "ppt/slides/slide1.xml"),
    ("pptx cell", "ppt/slides/slide1.xml"),
    ("pptx link?a=1&b=2", "ppt/slides/_rels/slide1.xml.rels"),
    ("pptx click", "ppt/slides/_rels/slide1.xml.rels"),
    ("pptx notes", "ppt/notesSlides/notesSlide1.xml"),
    ("xlsx text?a=1&b=2", "xl/worksheets/sheet1.xml"),
    ("xlsx formula", "xl/worksheets/sheet1.xml"),
    ("xlsx one", "xl/worksheets/sheet1.xml"),
    ("xlsx runs", "xl/worksheets/sheet1.xml"),
    ("xlsx header", "xl/worksheets/sheet1.xml"),
    ("xlsx footer", "xl/worksheets/sheet1.xml"),
    ("xlsx comment", "xl/comments/comment1.xml"),
    ("xlsx link", "xl/worksheets/_rels/sheet1.xml.rels"),
    ("xlsx second", "xl/worksheets/sheet2.xml"),
];

/// Every link of an office document is found, and no name of a vocabulary or URL in a picture,
/// on disk as in mail.
#[test]
fn documents_of_office_programs_have_links_in_many_places() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/office");
    let names = ["links.docx", "links.odt", "links.pptx", "links.xlsx"];
    let files = names.map(|name| std::fs::read(format!("{folder}/{name}")).expect("a document"));
    let parts = [0, 1, 2, 3].map(|i| ("application/octet-stream", names[i], &files[i][..]));
    let dir = Dir::with("m", message(&parts));
    for (name, bytes) in names.iter().zip(&files) {
        dir.write(name, bytes);
    }
    let row = |(url, member): &(&str, &str), mark: &str| {
        let (kind, path) = url.split_once(' ').expect("two words");
        format!("http://{kind}.example/{path} {mark}links.{kind}!{member}\n")
    };
    let on_disk: String = OFFICE.iter().map(|it| row(it, "")).collect();
    let out = dir.run([&["--format", "{url} {path}"], &names[..]].concat());
    out.ends(0, &on_disk, "");
    let out = dir.run([
        "--format",
        "{url} {part} {member}",
        "--role",
        "attachment",
        "m",
    ]);
    let attached: String = OFFICE
        .iter()
        .map(|it| {
            let part = names.iter().position(|name| name.contains(&it.0[..3]));
            row(it, &format!("{}.1 ", part.expect("a file") + 2))
        })
        .collect();
    out.ends(0, &attached, "");
    let names = dir.run(["--form", "namespace", "links.xlsx"]).text();
    assert!(names.lines().count() > 10, "{names}");
}

/// Documents as two office programs wrote them: all places of a link, and no other URL.
#[test]
fn documents_of_office_programs_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/office");
    let written = "http://office.example/cell\nhttp://office.example/link?a=1&b=2\n\
                   http://office.example/runs\nhttp://office.example/text\n";
    let sheet = "http://office.example/formula\nhttp://office.example/one\n\
                 http://office.example/text?a=1&b=2\n";
    for (name, expected) in [
        ("abiword.docx", written),
        ("abiword.odt", written),
        ("gnumeric.xlsx", sheet),
        ("gnumeric.ods", sheet),
    ] {
        let file = std::fs::read(format!("{folder}/{name}")).expect("a document");
        let dir = Dir::with(name, &file);
        dir.write("m", message(&[("application/octet-stream", "part", &file)]));
        for args in [&[name][..], &["--role", "attachment", "m"]] {
            let out = dir.run(args);
            let mut found: Vec<_> = out.text().lines().map(|line| format!("{line}\n")).collect();
            found.sort();
            assert_eq!(found.concat(), expected, "{name}: {}", out.errors);
            assert_eq!(out.errors, "");
        }
    }
}

#[test]
fn members_that_are_no_text_are_told() {
    let wide: Vec<u8> = "\u{FEFF}http://wide.example/ \u{1F600}\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let mixed = zip(&[
        ZipMember::stored("wide.txt", &wide),
        ZipMember::stored("program", b"\x7FELF\0http://program.example/"),
        ZipMember::deflated("a.txt", b"http://a.example/"),
    ]);
    let dir = Dir::with("m", message(&[("application/zip", "m.zip", &mixed)]));
    dir.run(["--format", "{url} {member}", "m"]).ends(
        0,
        "http://text.example/ \nhttp://wide.example/ m.zip!wide.txt\n\
         http://a.example/ m.zip!a.txt\nhttp://end.example/ \n",
        "urlgrep: m: 1 part was not read: data in an unknown format\n",
    );
    // Each is named, even in an archive in an archive. A picture in a document is left out.
    let document = zip(&[
        ZipMember::stored("mimetype", b"application/epub+zip"),
        ZipMember::stored("a.png", b"\x89PNG\0http://png.example/"),
    ]);
    let outer = zip(&[
        ZipMember::stored("inner.zip", &mixed),
        ZipMember::stored("book.epub", &document),
        ZipMember::stored("data\x1B", b"\0"),
    ]);
    dir.write("n", message(&[("application/zip", "o.zip", &outer)]));
    dir.run(["--notes", "-q", "n"]).ends(0, "", "");
    let out = dir.run(["--notes", "n"]);
    let expected = "urlgrep: note: n!o.zip!inner.zip!program: data in an unknown format, not searched\n\
        urlgrep: note: n!o.zip!data\\x1B: data in an unknown format, not searched\n";
    assert_eq!(out.errors, expected);
    let rows = dir.run(["--notes", "--json", "n"]).text();
    assert!(
        rows.contains("\"member\":\"o.zip!inner.zip!program\""),
        "{rows}"
    );
    dir.write("b.epub", &document);
    dir.run(["b.epub"]).ends(1, "", "");
    dir.run(["--as", "text", "b.epub"])
        .ends(0, "http://png.example/\n", "");
}

/// `--verify` searches the message of a row again if its URL is in an attachment.
#[test]
fn rows_of_attachments_are_verified() {
    let inner = message(&[(
        "application/zip",
        "i.zip",
        &zip(&[ZipMember::deflated(
            "b.html",
            b"<html><a href=\"http://html.example/?b&amp;c\">http://other.example/</a>",
        )]),
    )]);
    let mixed = zip(&[
        ZipMember::deflated("a.txt", b"http://a.example/one-\ntwo http://b.example/"),
        ZipMember::deflated("m.eml", inner.as_bytes()),
    ]);
    let mail = message(&[
        ("application/zip", "m.zip", &mixed),
        ("text/plain", "", b"http://t.example/"),
    ]);
    let dated = "From a@b Thu Jan  1 00:00:00 1970\n";
    let dir = Dir::with("m", format!("{dated}{mail}\n{dated}{mail}"));
    let rows = dir.run(["--json", "m"]);
    let verify = |rows: &str| dir.pipe(["--verify"], rows.as_bytes());
    verify(&rows.text()).ends(
        0,
        "",
        "16 replayed, 2 in decoded text, 0 in compressed files, 0 wrong, 0 not read",
    );
    for (right, wrong) in [
        ("m.zip!a.txt", "m.zip!b.txt"),
        ("http://html.example/?b&c\"", "http://html.example/?b&d\""),
        ("\"part\":\"2\"", "\"part\":\"3\""),
    ] {
        let rows = rows.text();
        let line = rows.lines().find(|line| line.contains(right)).expect(right);
        assert_eq!(verify(line).code, Some(0), "{right}");
        let out = verify(&line.replace(right, wrong));
        assert_eq!(out.code, Some(1), "{wrong}: {}", out.errors);
    }
    // A URL over the marks of a CDATA section, and over an escaped line break.
    dir.write(
        "x.eml",
        "From: a\nSubject: a\nContent-Type: application/xml\n\n<a>http://a.examp<![CDATA[le/b]]><![CDATA[c d]]></a>\n",
    );
    dir.write(
        "c.eml",
        "From: a\nSubject: a\nContent-Type: text/calendar\n\nX-ALT-DESC:<a h=\"http://a.example/?b=1&amp;c\\n&amp;d\">\n",
    );
    let both = dir.run(["--json", "x.eml", "c.eml"]);
    verify(&both.text()).ends(
        0,
        "",
        "2 replayed, 0 in decoded text, 0 in compressed files, 0 wrong, 0 not read",
    );
    // The row of a run with other options.
    let rows = dir.run(["--json", "--no-join", "--regexp", "a.example", "m"]);
    assert_eq!(verify(&rows.text()).code, Some(0));
    dir.write("m", "changed since");
    assert_eq!(verify(&rows.text()).code, Some(1));
}

#[test]
fn attachments_have_limits() {
    let urls: String = (0..20_000)
        .map(|i| format!("http://a.example/{i}\n"))
        .collect();
    let text = gzip(urls.as_bytes());
    let bomb = gzip(&gzip(&vec![b'x'; 20 << 20]));
    let mail = message(&[
        ("application/gzip", "large.gz", &vec![0x1F; 3000]),
        ("application/x-gzip", "bomb.gz", &bomb),
        (
            "application/zip",
            "cut.zip",
            &zip(&[ZipMember::stored("a", b"http://cut.example/")])[..40],
        ),
    ]);
    let dir = Dir::with("m", mail);
    let out = dir.run(["--notes", "--max-attachment", "100k", "m"]);
    assert!(out.text().contains("http://end.example/"));
    assert_eq!(out.code, Some(2));
    for (what, number) in [
        ("damaged or encrypted", 1),
        ("archive over a limit", 1),
        ("m: byte ", 1),
        (": part 3, bomb.gz: stopped after ", 1),
    ] {
        let found = out.errors.matches(what).count();
        assert_eq!(found, number, "{what}: {}", out.errors);
    }
    dir.write("n", message(&[("application/gzip", "a.gz", &text)]));
    let size = (text.len() + 100).to_string();
    assert_eq!(
        dir.run(["-c", "--max-attachment", &size, "n"]).text(),
        "20002\n"
    );
    // A larger one is in a temporary file, of whatever source.
    let most = ["-c", "--max-attachment", "1k"];
    dir.run([&most[..], &["n"]].concat()).ends(0, "20002\n", "");
    let out = dir.shell("TMPDIR=/none \"$U\" --notes --max-attachment 1k n");
    assert!(
        out.errors.contains("attachment too large to be held"),
        "{}",
        out.errors
    );
    let mail = dir.read("n");
    dir.pipe(most, &mail).ends(0, "20002\n", "");
    // So is one in a message in an archive in a message.
    let inner = zip(&[ZipMember::deflated("n.eml", &mail)]);
    dir.write("o", message(&[("application/zip", "o.zip", &inner)]));
    dir.run([&most[..], &["o"]].concat()).ends(0, "20004\n", "");
    let count = |limits: &[&str]| dir.run([limits, &["-c", "o"]].concat()).text();
    assert_eq!(count(&["--max-decompressed", "10M"]), "20004\n");
    // The limit is one for all that is inside of one another.
    let least = text.len() + mail.len() + urls.len();
    assert_eq!(
        count(&["--max-decompressed", &least.to_string()]),
        "20004\n"
    );
    let less = (mail.len() + urls.len() - 1).to_string();
    assert_ne!(count(&["--max-decompressed", &less]), "20004\n");
    if cfg!(unix) {
        let out = dir.shell("TMPDIR=/missing $U --max-attachment 1k n");
        assert_eq!(out.text(), "http://text.example/\nhttp://end.example/\n");
        assert_eq!(out.code, Some(2));
        assert!(
            out.errors.starts_with(
                "urlgrep: n: byte 228: part 2, a.gz: temporary file: No such file or directory\n"
            ),
            "{}",
            out.errors
        );
        assert!(
            out.errors.contains(
                "n: 1 part was not read: attachment too large to be held; --max-attachment"
            ),
            "{}",
            out.errors
        );
    }
}

/// What a limit hid is a fault of the file, as on disk. Damage is a note, because the sender made
/// it, and no option helps.
#[test]
fn a_limit_that_hid_something_is_a_fault_and_damage_is_not() {
    let bomb = gzip(&gzip(&vec![b'x'; 20 << 20]));
    let packed = |file: &[u8]| {
        let inner = message(&[("application/gzip", "i.gz", file)]);
        zip(&[
            ZipMember::deflated("m.eml", inner.as_bytes()),
            ZipMember::deflated("n.eml", inner.as_bytes()),
        ])
    };
    // Data that cannot be compressed.
    let mut state = 1_u32;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(60_000)
    .collect();
    let noise = gzip(&[&b"http://noise.example/ "[..], &noise].concat());
    let inner = message(&[("application/gzip", "n.gz", &noise)]);
    let part = |name, bytes: &[u8]| message(&[("application/octet-stream", name, bytes)]);
    for (mail, option, expected) in [
        (part("b.gz", &bomb), "-j2", Some("b.gz: stopped after ")),
        (
            part("b.gz", &bomb),
            "--max-decompressed=9k",
            Some("b.gz: stopped after 9216 bytes of decompressed data (--max-decompressed)\n"),
        ),
        (
            part("o.zip", &packed(&bomb)),
            "-j2",
            Some("o.zip!m.eml!i.gz: stopped after "),
        ),
        // Data that is only encoded takes space too, though nothing is decompressed before.
        (
            part("n.eml", inner.as_bytes()),
            "--max-decompressed=9k",
            Some("n.eml: larger than 9216 bytes; not opened (--max-decompressed)\n"),
        ),
        (part("n.eml", inner.as_bytes()), "-j2", None),
        (part("c.gz", &noise[..500]), "-j2", None),
        (part("o.zip", &packed(&noise[..500])), "-j2", None),
    ] {
        let dir = Dir::with("m", &mail);
        let out = dir.run([option, "m"]);
        assert!(
            out.text().ends_with("http://end.example/\n"),
            "{expected:?}"
        );
        let code = if expected.is_some() { 2 } else { 0 };
        assert_eq!(out.code, Some(code), "{expected:?}: {}", out.errors);
        let faults = out.errors.matches("m: byte ").count();
        assert_eq!(faults, usize::from(expected.is_some()), "{}", out.errors);
        if let Some(expected) = expected {
            let expected = format!(": part 2, {expected}");
            assert!(out.errors.contains(&expected), "{}", out.errors);
        }
        if cfg!(feature = "ledger") {
            let update = || dir.run([option, "--ledger", "l", "m"]);
            assert_eq!(update().code, out.code);
            // A limit met again would hide the same, so the file is not read again.
            assert_eq!(update().code, Some(1));
        }
    }
}

/// An attachment may cost 256 times its size and 1 MiB, in all its layers together and in every
/// format. `--max-decompressed` sets another limit, also a higher one.
#[test]
fn an_attachment_may_cost_a_multiple_of_its_size() {
    let text = |len: usize| [&vec![b' '; len][..], b" http://inner.example/"].concat();
    // Nothing that can be read grows so much.
    let bomb = text(20 << 20);
    let mild = text(1 << 20);
    let files = [
        ("a.gz", gzip(&bomb), false),
        ("a.zip", zip(&[ZipMember::deflated("a", &bomb)]), false),
        (
            "b.zip",
            zip(&[ZipMember::deflated("a.gz", &gzip(&bomb))]),
            false,
        ),
        // Each member is below the limit, but not both.
        (
            "c.zip",
            zip(&[
                ZipMember::deflated("a", &text(1_600_000)),
                ZipMember::deflated("b", &text(1_600_000)),
            ]),
            false,
        ),
        ("d.gz", gzip(&mild), true),
        ("d.zip", zip(&[ZipMember::deflated("a", &mild)]), true),
    ];
    for (name, file, is_whole) in files {
        let mail = message(&[("application/octet-stream", name, &file)]);
        let dir = Dir::with("m", &mail);
        let out = dir.run(["m"]);
        let most = (1 << 20) + 256 * file.len();
        if is_whole {
            assert_eq!(out.code, Some(0), "{name}: {}", out.errors);
            assert!(out.text().contains("http://inner.example/"), "{name}");
            continue;
        }
        assert_eq!(out.code, Some(2), "{name}");
        let told =
            format!("stopped after {most} bytes of decompressed data (--max-decompressed)\n");
        assert!(out.errors.contains(&told), "{name}: {}", out.errors);
        assert!(out.text().ends_with("http://end.example/\n"), "{name}");
        let out = dir.run(["--max-decompressed=64M", "m"]);
        assert_eq!(out.code, Some(0), "{name}: {}", out.errors);
        assert!(out.text().contains("http://inner.example/"), "{name}");
    }
}

/// Messages and archives that are inside of each other are opened to a depth, and no deeper.
#[test]
fn nesting_has_a_limit() {
    let mut inner = b"From: a\nSubject: x\n\nhttp://deep.example/\n".to_vec();
    for level in 1..8 {
        let packed = zip(&[ZipMember::deflated("m.eml", &inner)]);
        inner = message(&[("application/zip", "z.zip", &packed)]).into_bytes();
        let dir = Dir::with("m", &inner);
        let out = dir.run(["m"]);
        let found = out.text();
        assert_eq!(found.contains("http://deep.example/"), level < 5, "{level}");
        let expected = match level {
            5.. => {
                ": part 2, z.zip!m.eml!z.zip!m.eml!z.zip!m.eml!z.zip!m.eml: \
                    attached more than 4 deep; what is packed in it is not opened \
                    (save the attachment, and search that file)\n"
            }
            _ => "",
        };
        assert!(out.errors.contains(expected), "{}", out.errors);
        assert_eq!(out.code, Some(if level < 5 { 0 } else { 2 }));
        assert_eq!(
            found.matches("http://end.example/").count(),
            level.min(5),
            "{level}"
        );
    }
}
