//! The tables of a page as CSV, in links that have the data themselves.

use maud::{Markup, html};

use urlgrep_base::digits::put_base64;

/// A link to a table as a file of CSV (RFC 4180) with a header row. Base64 has no byte that
/// ends an attribute, so no value can become markup, and a browser fetches nothing for it.
pub(super) fn link(name: &str, head: &[&str], rows: &[Vec<String>]) -> Markup {
    let head: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    let mut text = Vec::new();
    for row in std::iter::once(&head).chain(rows) {
        for (at, value) in row.iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            put_cell(value, &mut text);
        }
        text.extend_from_slice(b"\r\n");
    }
    let mut data = b"data:text/csv;charset=utf-8;base64,".to_vec();
    put_base64(&text, &mut data);
    let data = String::from_utf8_lossy(&data);
    html! { a download={ (name) ".csv" } href=(data) { "CSV" } }
}

/// Appends a value. Anyone can write a mail whose author begins with `=`, and a spreadsheet
/// may run such a value as a formula, so a `'` precedes it.
fn put_cell(value: &str, out: &mut Vec<u8>) {
    let is_formula =
        value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let mark = if is_formula { "'" } else { "" };
    let is_special = value.contains(['"', ',', '\r', '\n']);
    if is_special {
        let escaped = value.replace('"', "\"\"");
        out.extend_from_slice(format!("\"{mark}{escaped}\"").as_bytes());
    } else {
        out.extend_from_slice(format!("{mark}{value}").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_and_are_no_formulas() {
        for (value, cell) in [
            ("a", "a"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a\nb", "\"a\nb\""),
            ("=1+1", "'=1+1"),
            ("=\"a\"", "\"'=\"\"a\"\"\""),
            ("@SUM(1,2)", "\"'@SUM(1,2)\""),
            ("<script>", "<script>"),
        ] {
            let mut out = Vec::new();
            put_cell(value, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), cell);
        }
        let page = link("x", &["a"], &[vec!["\"><script>".to_owned()]]).into_string();
        assert!(
            page.starts_with("<a download=\"x.csv\" href=\"data:text/csv;charset=utf-8;base64,")
        );
        assert!(!page.contains("<script"));
    }
}
