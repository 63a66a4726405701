//! Instructions of a small fixed set, counted by valgrind. Other programs on the
//! machine do not change the count, so a regression shows.
//!
//! Needs valgrind, and `cargo install gungraun-runner` in the version of the
//! dependency. Compares with the last run. The rows of `benches/record` are
//! counted here without their floors. `floors` counts both.

mod common;
#[path = "common/rows.rs"]
mod rows;

use std::hint::black_box;
use std::ops::ControlFlow;

use gungraun::prelude::*;
use urlgrep::url::validate;
use urlgrep::{Extractor, Hit, Profile};
use urlgrep_find::Drive;
use urlgrep_find::scan::Scanner;

/// A generated text by name.
fn text(name: &str) -> Vec<u8> {
    let mut samples = common::generated(256 << 10).into_iter();
    let sample = samples.find(|sample| sample.name == name);
    sample.map(|sample| sample.bytes).unwrap_or_default()
}

#[library_benchmark]
#[bench::prose(text("prose"))]
#[bench::dense(text("dense"))]
fn scanner(text: Vec<u8>) -> usize {
    let mut hits = 0;
    Scanner::new().scan(black_box(&text), |_| {
        hits += 1;
        true
    });
    hits
}

#[library_benchmark]
#[bench::sparse(text("sparse"))]
#[bench::dense(text("dense"))]
#[bench::quoted(text("quoted mail"))]
#[bench::schemes(text("schemes"))]
#[bench::message(common::message().bytes)]
fn extractor(text: Vec<u8>) -> usize {
    let mut hits = 0;
    let mut extractor = Extractor::builder().rejects(true).build().stream();
    let _ = extractor.search_here(black_box(&text), |hit: &Hit| {
        hits += usize::from(hit.url().is_ok());
        ControlFlow::Continue(())
    });
    hits
}

#[library_benchmark]
#[bench::http(b"http://www.example.org/fox/index.html?a=1")]
#[bench::address(b"mailto:fox@mail.example.net?subject=home")]
fn validator(url: &[u8]) -> bool {
    validate(Profile::Current, black_box(url)).is_ok()
}

/// A row by its name, called once so that its memory is allocated.
fn row(name: &str) -> (rows::Task, Vec<u8>) {
    let mut all = rows::rows().into_iter();
    let row = all
        .find(|row| row.name == name)
        .expect("a row with this name");
    let mut task = (row.ours)();
    task(&row.text);
    (task, row.text)
}

#[library_benchmark]
#[bench::text(row("text, 8bit"))]
#[bench::text_quoted_printable(row("text, quoted-printable"))]
#[bench::text_base64(row("text, base64"))]
#[bench::html(row("HTML, 8bit"))]
#[bench::html_quoted_printable(row("HTML, quoted-printable"))]
#[bench::news(row("plain news"))]
#[bench::header(row("header lines"))]
#[bench::json(row("--json, new header"))]
#[bench::details(row("roles and header texts"))]
#[bench::one_message(row("Searcher::default and a message"))]
fn mail((mut task, text): (rows::Task, Vec<u8>)) {
    task(black_box(&text));
}

library_benchmark_group!(
    name = core,
    benchmarks = [scanner, extractor, validator, mail]
);
main!(library_benchmark_groups = core);
