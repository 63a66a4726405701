use super::*;

fn found(text: &str) -> Vec<String> {
    let mut urls = vec![];
    Scanner::new().scan(text.as_bytes(), |c| {
        let readings: Vec<_> = c
            .readings()
            .map(|r| format!("{}", String::from_utf8_lossy(r.text)))
            .collect();
        urls.push(format!("{} {}", c.form().name(), readings.join(" | ")));
        true
    });
    urls
}

#[test]
fn first_light() {
    println!(
        "{:#?}",
        found(
            "see <URL:ftp://info.cern.ch/pub/www/doc;\n      type=d> but http://a.b/c. and\n> <http://x/\n> y> \"http://q/-\nz\" URL: http://p/ mailto:joe@x.org Re:foo"
        )
    );
}
