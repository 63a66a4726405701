//! The contrast of all colours of the page, by WCAG 2.2: 4.5 for text
//! (section 1.4.3) and 3 for graphics (section 1.4.11).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::cli::kit::Dir;

type Color = [u8; 3];

/// A page with all lines of the plot.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let message = "From: a@b\nDate: Thu, 9 Jun 1994 10:00:00 +0000\n\n\
        gopher://a.example/ mailto:a@a.example ftp://a.example/ http://a.example/\n\
        https://a.example/ telnet://a.example/ news:a.b\n-- \nhttp://sig.example/\n";
    let dir = Dir::with("a.eml", message);
    super::page(&[dir.path().join("a.eml").to_str().expect("UTF-8")])
});

/// The style sheet of the page.
fn style() -> &'static str {
    let (_, style) = PAGE.split_once("<style>").expect("a style sheet");
    style.split_once("</style>").expect("its end").0
}

/// The colours of the lines of the plot. The axes are black.
fn colors() -> BTreeSet<&'static str> {
    let (_, body) = PAGE.split_once("</style>").expect("a body");
    let strokes = body.split("stroke=\"").skip(1);
    let colors = strokes.filter_map(|rest| rest.split('"').next());
    colors
        .filter(|color| color.starts_with('#') && *color != "#000000")
        .collect()
}

/// Three or six hexadecimal digits after `#`.
fn color(text: &str) -> Color {
    let digits = text.strip_prefix('#').expect("a color");
    let digits: Vec<u8> = digits
        .chars()
        .map(|c| c.to_digit(16).expect("a hexadecimal digit") as u8)
        .collect();
    match digits[..] {
        [r, g, b] => [r * 17, g * 17, b * 17],
        [r, s, g, h, b, c] => [r * 16 + s, g * 16 + h, b * 16 + c],
        _ => panic!("{text} is not a color"),
    }
}

/// The definition of WCAG 2.2, "relative luminance".
fn luminance(color: Color) -> f64 {
    let linear = color.map(|value| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// The definition of WCAG 2.2, "contrast ratio".
fn contrast(one: Color, other: Color) -> f64 {
    let (a, b) = (luminance(one), luminance(other));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The values of the declarations of `property`.
fn values(property: &str) -> BTreeSet<&'static str> {
    let declarations = style().split(['{', '}', ';', '\n']);
    declarations
        .filter_map(|text| text.strip_prefix(property)?.strip_prefix(':'))
        .collect()
}

/// The variables of each `:root` rule, in order: light, dark, print. They are
/// the defaults of the themes after the first.
fn themes() -> Vec<BTreeMap<&'static str, Color>> {
    let mut all = BTreeMap::new();
    let rules = style().split(":root{").skip(1);
    rules
        .map(|rule| {
            let rule = rule.split('}').next().unwrap_or_default();
            let variables = rule.split(';').filter(|text| text.starts_with("--"));
            all.extend(variables.map(|text| {
                let (name, value) = text.split_once(':').expect("a value");
                (name, color(value))
            }));
            all.clone()
        })
        .collect()
}

/// The variable that a value names, if it names one.
fn variable(value: &str) -> Option<&str> {
    value.strip_prefix("var(")?.strip_suffix(')')
}

#[test]
fn ratios_follow_the_definition() {
    let ratio = |one, other| (contrast(color(one), color(other)) * 100.0).round();
    assert_eq!(ratio("#000", "#fff"), 2100.0);
    assert_eq!(ratio("#777777", "#fff"), 448.0);
    assert_eq!(ratio("#fff", "#767676"), 454.0);
}

#[test]
fn text_and_graphics_differ_from_their_background() {
    let themes = themes();
    assert_eq!(themes.len(), 3);
    let texts: Vec<&str> = values("color").into_iter().filter_map(variable).collect();
    let (bars, backs): (Vec<_>, Vec<_>) = values("background")
        .into_iter()
        .filter_map(variable)
        .partition(|name| ["--bar", "--other"].contains(name));
    assert_eq!((texts.len(), backs.len(), bars.len()), (2, 2, 2));
    // Colors are named once, so that the themes have all of them.
    let named: Vec<_> = values("color")
        .into_iter()
        .filter(|v| v.starts_with('#'))
        .collect();
    assert!(named.is_empty(), "{named:?}");
    for theme in &themes {
        for back in &backs {
            for text in &texts {
                let ratio = contrast(theme[text], theme[back]);
                assert!(ratio >= 4.5, "{text} on {back}: {ratio:.2}");
            }
        }
        for bar in &bars {
            let ratio = contrast(theme[bar], theme["--back"]);
            assert!(ratio >= 3.0, "{bar}: {ratio:.2}");
        }
    }
}

#[test]
fn lines_of_the_plot_differ_from_their_background() {
    let themes = themes();
    assert_eq!(colors().len(), 2);
    for line in colors() {
        let of_dark = style().split_once(&format!("svg [stroke=\"{line}\"]{{stroke:"));
        let of_dark = of_dark.map_or(line, |(_, rest)| rest.split('}').next().unwrap_or(""));
        let lines = [line, of_dark, line];
        for (line, theme) in lines.into_iter().zip(&themes) {
            let ratio = contrast(color(line), theme["--back"]);
            assert!(ratio >= 3.0, "{line}: {ratio:.2}");
        }
    }
}
