use super::*;

fn found(text: &str) -> Vec<String> {
    let mut urls = vec![];
    Scanner::new().scan(text.as_bytes(), |c| {
        let readings: Vec<_> = c
            .readings()
            .map(|r| format!("{} {}", r.kind.name(), String::from_utf8_lossy(r.text)))
            .collect();
        urls.push(format!("{}: {}", c.form().name(), readings.join(" | ")));
        true
    });
    urls
}

#[test]
fn each_form_and_all_its_readings() {
    assert_eq!(
        found(
            "see <URL:ftp://info.cern.ch/pub/www/doc;\n      type=d> but http://a.b/c. and\n> <http://x/\n> y> \"http://q/-\nz\" URL: http://p/ mailto:joe@x.org Re:foo"
        ),
        [
            "wrapped: plain ftp://info.cern.ch/pub/www/doc;type=d",
            "bare: plain http://a.b/c",
            "bracketed: plain http://x/y",
            "quoted: plain http://q/-z | hyphen http://q/z",
            "prefixed: plain http://p/",
            "bare: plain mailto:joe@x.org",
        ]
    );
}
