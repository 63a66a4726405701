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
