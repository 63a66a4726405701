//! One table in one run: this library and command, the limits of the machine,
//! and other programs on the same texts. Also the growth of the command.
//!
//! ```text
//! URLGREP_CORPUS=folder cargo bench --bench compare -- [--mb N] [--runs N] [TEXT...]
//! URLGREP_CORPUS=folder cargo bench --bench compare -- growth [--mb N] [--runs N]
//! ```
//!
//! A text consists of files of the corpus. They are concatenated, and repeated
//! until there are at least `--mb` million bytes (400). Without a corpus the
//! texts are generated. A program that is not installed is left out. All contenders of a text run in turns, `--runs` times (5).
//! A speed is the median of its turns. A ratio is the median of the ratios within
//! each turn, so a disturbance of the machine affects both sides.

#[path = "../common/mod.rs"]
mod common;
mod growth;
#[path = "../../tests/common/peak.rs"]
mod peak;
mod programs;
mod race;
mod small;
mod text;
mod texts;

use std::env;
use std::io;

pub struct Options {
    mb: Option<usize>,
    runs: usize,
    texts: Vec<String>,
}

impl Options {
    fn parse() -> Options {
        let mut options = Options {
            mb: None,
            runs: 5,
            texts: Vec::new(),
        };
        let mut args = env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut number = || args.next().and_then(|n| n.parse().ok());
            match arg.as_str() {
                "--bench" => {}
                "--mb" => options.mb = number().or(options.mb),
                "--runs" => options.runs = number().unwrap_or(options.runs).max(1),
                _ => options.texts.push(arg),
            }
        }
        options
    }

    fn wants(&self, name: &str) -> bool {
        self.texts.is_empty() || self.texts.iter().any(|text| text == name)
    }

    /// The size of a text.
    fn bytes(&self) -> usize {
        self.mb.unwrap_or(400) * 1_000_000
    }
}

fn main() -> io::Result<()> {
    if peak::launched() {
        return Ok(());
    }
    let options = Options::parse();
    let corpus = common::corpus();
    if corpus.is_none() {
        println!("URLGREP_CORPUS is not a folder: texts are generated");
    }
    if options.texts.iter().any(|text| text == "growth") {
        return growth::growth(corpus.as_deref(), &options);
    }
    println!(
        "urlgrep {}, {} processors, texts of {} MB, medians of {} turns; ratio: speed of urlgrep's \
         extractor (or command) = 1",
        env!("CARGO_PKG_VERSION"),
        std::thread::available_parallelism().map_or(1, usize::from),
        options.bytes() / 1_000_000,
        options.runs
    );
    programs::print_installed();
    let texts = texts::all(corpus.as_deref());
    for text in texts.iter().filter(|text| options.wants(text.name)) {
        if text.bytes.is_empty() {
            println!("\n{}: left out, because its files do not exist", text.name);
        } else {
            text::compare(text, &options)?;
        }
    }
    let mixture = texts.last().map_or(&[][..], |text| &text.bytes);
    if options.wants("validator") {
        small::verdicts(mixture, &options);
    }
    if options.wants("messages") {
        small::calls(mixture, &options);
    }
    if options.wants("gzip") {
        small::gzip(mixture, &options)?;
    }
    if options.wants("spool") {
        small::spool(mixture, &options)?;
    }
    if options.wants("start") {
        small::start(&options)?;
    }
    Ok(())
}
