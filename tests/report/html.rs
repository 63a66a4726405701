//! A strict parser of the pages. It accepts known elements and attributes, all
//! closed, and refuses everything that a browser would run or fetch.

const ELEMENTS: &[&str] = &[
    "a",
    "body",
    "caption",
    "circle",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "head",
    "header",
    "html",
    "i",
    "li",
    "line",
    "main",
    "meta",
    "nav",
    "p",
    "polygon",
    "polyline",
    "rect",
    "section",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "text",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
];

const ATTRIBUTES: &[&str] = &[
    "aria-hidden",
    "aria-label",
    "charset",
    "class",
    "content",
    "cx",
    "cy",
    "download",
    "dy",
    "fill",
    "font-family",
    "font-size",
    "height",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "opacity",
    "points",
    "r",
    "role",
    "scope",
    "stroke",
    "stroke-width",
    "style",
    "text-anchor",
    "transform",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "xmlns",
    "y",
    "y1",
    "y2",
];

/// Panics if the page has anything else.
pub fn check(page: &str) {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    let mut open: Vec<&str> = Vec::new();
    while let Some(at) = rest.find('<') {
        text(&rest[..at], &open);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('/') {
            let end = after.find('>').unwrap();
            assert_eq!(Some(&after[..end]), open.last().copied());
            open.pop();
            rest = &after[end + 1..];
            continue;
        }
        let end = rest.find([' ', '>', '/']).unwrap();
        let name = &rest[..end];
        assert!(ELEMENTS.contains(&name), "<{name}");
        rest = attributes(name, &rest[end..]);
        if let Some(after) = rest.strip_prefix("/>") {
            rest = after;
        } else {
            rest = rest.strip_prefix('>').unwrap();
            if name != "meta" {
                open.push(name);
            }
        }
    }
    assert_eq!((rest.trim(), &open[..]), ("", &[][..]));
    let tables = page.matches("<table>").count();
    assert_eq!(page.matches("<table><caption>").count(), tables, "captions");
    assert!(!page.contains("></th>"), "an empty heading");
    // The small lines have their numbers as CSV too.
    let lines = page.matches("<ul class=\"lines\">").count();
    let links = page.matches(".csv\" href=\"data:").count();
    assert_eq!(links, tables + lines, "CSV");
}

fn text(text: &str, open: &[&str]) {
    let is_hidden = |c| c != '\n' && urlgrep_base::escape::is_hidden(c);
    assert!(!text.contains(is_hidden), "{text:?}");
    if open.last() == Some(&"style") {
        assert!(!text.contains("url(") && !text.contains("@import"));
    } else {
        assert!(!text.contains('>'), "{text:?}");
    }
}

/// True for a table as CSV in the page itself: base64, so that no value can end it.
fn is_csv(target: &str) -> bool {
    let data = target.strip_prefix("data:text/csv;charset=utf-8;base64,");
    let is_base64 = |b: u8| b.is_ascii_alphanumeric() || b"+/=".contains(&b);
    data.is_some_and(|data| !data.is_empty() && data.bytes().all(is_base64))
}

/// Reads attributes. Returns the rest of the page from the end of the tag on.
fn attributes<'p>(element: &str, mut rest: &'p str) -> &'p str {
    loop {
        rest = rest.trim_start();
        if rest.starts_with(['>', '/']) {
            return rest;
        }
        let (name, after) = rest.split_once("=\"").unwrap();
        assert!(ATTRIBUTES.contains(&name), "{element} {name:?}");
        let (value, after) = after.split_once('"').unwrap();
        text(value, &[]);
        match name {
            "href" => assert!(value.starts_with('#') || is_csv(value), "{value}"),
            "style" => assert!(element == "i" && value.starts_with("width:"), "{value}"),
            "xmlns" => assert_eq!(value, "http://www.w3.org/2000/svg"),
            _ => assert!(!value.contains(':') || element == "meta", "{name} {value}"),
        }
        rest = after;
    }
}
