//! Prints the table of docs/answers.md as Markdown: precision and recall of the
//! extractor and of other tools over the truth set, `testdata/truth.toml`.
//!
//! ```text
//! cargo run --locked --example truth_report
//! ```
//!
//! `rg -o` is represented by a common pattern, run by ripgrep's regex engine. The
//! pattern matches no line end, so line boundaries do not matter. The other tools
//! decode neither transfer encodings nor HTML. So one row leaves out the places in
//! text that is declared quoted-printable or HTML.

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;

use common::truth::{Answer, Mode, Row, Score, ours, rows, scores};
use linkify::{LinkFinder, LinkKind};
use regex::bytes::Regex;

/// The pattern of `rg -o`.
const PATTERN: &str = r#"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"]+"#;

/// A name, the mode in which its answers are judged, and the tool.
type Tool<'t> = (&'static str, Mode, &'t dyn Fn(&Row) -> Answer);

/// The strata: name and description.
const STRATA: [(&str, &str); 5] = [
    ("slashes", "`://`"),
    ("line-end", "`://` at the end of a line of 60 bytes or more"),
    ("quoted", "quoted"),
    ("bracketed", "bracketed"),
    ("scheme-only", "scheme only"),
];

fn main() {
    let rows = rows();
    let regex = Regex::new(PATTERN).expect("a valid pattern");
    let tools: [Tool<'_>; 4] = [
        ("urlgrep", Mode::Default, &|row| ours(row, Mode::Default)),
        ("urlgrep --no-join", Mode::NoJoin, &|row| {
            ours(row, Mode::NoJoin)
        }),
        ("rg -o", Mode::Default, &|row| rg(&regex, row)),
        ("linkify", Mode::Default, &linkify),
    ];
    let with_slashes = |row: &&Row| row.context()[row.at..].starts_with(b"://");
    let plain = |row: &&Row| !row.is_encoded();
    let all: [BTreeMap<String, Score>; 4] =
        tools.map(|(_, mode, answer)| scores(&rows, mode, answer));
    let groups: [(&str, [Score; 4]); 3] = [
        (
            "all places with `://`",
            tools.map(
                |(_, mode, answer)| scores(rows.iter().filter(with_slashes), mode, answer)["all"],
            ),
        ),
        (
            "all except those declared quoted-printable or HTML",
            tools.map(|(_, mode, answer)| scores(rows.iter().filter(plain), mode, answer)["all"]),
        ),
        ("**all**", all.each_ref().map(|scores| scores["all"])),
    ];

    print!("| | places | URLs |");
    for (name, ..) in tools {
        print!(" `{name}` |");
    }
    println!("\n|---|---:|---:|---:|---:|---:|---:|");
    for (name, what) in STRATA {
        print_row(what, all.each_ref().map(|scores| scores[name]));
    }
    for (what, scores) in groups {
        print_row(what, scores);
    }

    let ours = all[1]["all"];
    let whole = Score {
        right: ours.right - ours.first_parts,
        ..ours
    };
    println!(
        "\nPrecision / recall, in per cent. With `--no-join`, {} right answers are only the first \
         line of a broken URL. If these answers count as wrong, the column has {:.1} / {:.1}.",
        ours.first_parts,
        whole.precision(),
        whole.recall()
    );
}

fn print_row(what: &str, scores: [Score; 4]) {
    print!("| {what} | {} | {} |", scores[0].places, scores[0].wanted);
    for score in scores {
        if score.printed == 0 {
            print!(" – / 0 |");
        } else {
            print!(" {:.1} / {:.1} |", score.precision(), score.recall());
        }
    }
    println!();
}

/// The match of the pattern at the mark.
fn rg(regex: &Regex, row: &Row) -> Answer {
    let context = row.context();
    let found = regex
        .find_iter(&context)
        .find(|found| found.range().contains(&row.at));
    Answer {
        printed: found.map(|found| String::from_utf8_lossy(found.as_bytes()).into_owned()),
        ..Answer::default()
    }
}

/// The URL that linkify finds at the mark.
fn linkify(row: &Row) -> Answer {
    let context = row.context();
    let text = String::from_utf8_lossy(&context);
    let at = String::from_utf8_lossy(&context[..row.at]).len();
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let found = finder
        .links(&text)
        .find(|link| (link.start()..link.end()).contains(&at));
    Answer {
        printed: found.map(|link| link.as_str().to_owned()),
        ..Answer::default()
    }
}
