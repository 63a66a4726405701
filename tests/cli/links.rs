//! Links of HTML that are not written as they are opened.

use super::kit::Dir;

/// Tabs and line ends in a link are removed, even in its scheme. A link without a scheme
/// has that of the base, and an address is opened without brackets. `--verify` confirms all.
#[test]
fn links_are_those_of_a_browser() {
    let page = "<base href='https://base.example/'>\n<a href='ht\ntp&#10;:/&Tab;/a.exa\tmple/'>a</a>\n\
        <a href='//b.example/c'>b</a> <a href='/d'>d</a> <a href='ht tp://e.example/'>e</a>\
        <a href='mailto:&lt;a@f.example&gt;?subject=b'>f</a>";
    let mail = format!("From: a\nSubject: b\nContent-Type: text/html\n\n{page}\n");
    let dir = Dir::with("page", format!("<html>{page}"));
    dir.write("mail", mail);
    for name in ["page", "mail"] {
        dir.run(["--format", "{url} {doubt} {seams}", name]).ends(
            0,
            "https://base.example/  \nhttp://a.example/  line-break,line-break,space,space\n\
             https://b.example/c  scheme\nmailto:a@f.example?subject=b browser entity,entity\n",
            "",
        );
        let rows = dir.run(["--json", name]);
        dir.pipe(["--verify"], &rows.bytes).ends(
            0,
            "",
            "4 replayed, 0 in decoded text, 0 in compressed files, 0 wrong, 0 not read\n",
        );
        let wrong = rows.text().replace("https://b", "gopher://b");
        assert_eq!(dir.pipe(["--verify"], wrong.as_bytes()).code, Some(1));
    }
}

/// `--verify` undoes the escapes of a style sheet, a reference of two characters, slashes that
/// are backslashes, and blanks beside a line break.
#[test]
fn mended_links_are_verified() {
    let page = "<base href='https://base.example/'>\n\
        <p style='x:url(http:\\/\\/a.example\\2f b)'>a</p>\n<a href='http://b.example/&NotEqualTilde;'>b</a>\n\
        <a href='\\\\c.example\\d'>c</a> <a href='mailto:d@d.example?subject=e \nf'>d</a>\n\
        <a href='mailto: e@e.example'>e</a>";
    let dir = Dir::with("page", format!("<html>{page}"));
    dir.run(["--format", "{url} {doubt} {seams}", "page"]).ends(
        0,
        "https://base.example/  \nhttp://a.example/b  css-escape,css-escape,css-escape\n\
         http://b.example/\u{2242}\u{338}  entity\nhttps://c.example/d browser scheme\n\
         mailto:d@d.example?subject=e%20f  blank,line-break\nmailto:e@e.example browser blank\n",
        "",
    );
    let rows = dir.run(["--json", "page"]);
    dir.pipe(["--verify"], &rows.bytes).ends(
        0,
        "",
        "6 replayed, 0 in decoded text, 0 in compressed files, 0 wrong, 0 not read\n",
    );
}

/// The fields of mailing lists are links. ezmlm writes a `=` in an address, which RFC 6068
/// wants to be escaped.
#[test]
fn fields_of_lists_are_links() {
    let mail = "From: a\nSubject: b\nList-Unsubscribe: <mailto:l-unsubscribe-u=b.example@a.example>\n\
        X-Note: <mailto:l-unsubscribe-u=b.example@c.example>\n\nmailto:l-u=b.example@d.example\n";
    let dir = Dir::with("mail", mail);
    dir.run(["--headers", "all", "--format", "{url} {doubt}", "mail"])
        .ends(
            0,
            "mailto:l-unsubscribe-u=b.example@a.example browser\n",
            "",
        );
}

/// A program of Office opens the URL after its scheme.
#[test]
fn links_of_programs_are_unwrapped() {
    let page = "<html><a href='ms-word:ofe|u|https://a.example/b.docx'>a</a>";
    let dir = Dir::with("page", page);
    dir.run(["--unwrap", "page"])
        .ends(0, "https://a.example/b.docx\n", "");
}
