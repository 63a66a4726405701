//! The programs of a race: the command with its options, and other tools.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::race::{Contender, Row, race, ratio, report, verdict};

/// The command of this package.
pub const COMMAND: &str = env!("URLGREP_COMMAND");

/// The pattern that regex engines search for, as a rough equivalent.
pub const PATTERN: &str = r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>]+";

pub const OURS: &str = "urlgrep -j1 --no-decode";
pub const OURS_ON_TWO: &str = "urlgrep -j2 --no-decode";
pub const DECODING: &str = "urlgrep -j1";
const DECODING_PAIR: &str = "urlgrep -j1, twice at once";
const DECODING_ON_TWO: &str = "urlgrep -j2";
const JSON: &str = "urlgrep -j1 --json";
/// `benches/compare/parser1`, if it was built.
const PARSER1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/release/parser1");
pub const RG: &str = "rg --no-mmap -j1 -a -o -N";

/// The name of a row, a program, and its arguments.
pub struct Program(
    pub &'static str,
    pub &'static str,
    pub &'static [&'static str],
);

/// The command without decoding, and the programs that are as fast.
pub const FAST: [Program; 5] = [
    Program(OURS, COMMAND, &["-j1", "--no-decode"]),
    Program(OURS_ON_TWO, COMMAND, &["-j2", "--no-decode"]),
    Program(RG, "rg", &["--no-mmap", "-j1", "-a", "-o", "-N", PATTERN]),
    Program(
        "rg --mmap -j1 -a -o -N",
        "rg",
        &["--mmap", "-j1", "-a", "-o", "-N", PATTERN],
    ),
    Program("cat", "cat", &[]),
];

/// The command with all decoding: on one thread, as two processes, on two and on
/// four threads, and with other output. And mail-parser 1.0, which prints one number.
pub const ALL_DECODING: [Program; 9] = [
    Program(DECODING, COMMAND, &["-j1"]),
    Program(DECODING_PAIR, COMMAND, &["-j1"]),
    Program(DECODING_ON_TWO, COMMAND, &["-j2"]),
    Program("urlgrep -j4", COMMAND, &["-j4"]),
    Program(JSON, COMMAND, &["-j1", "--json"]),
    Program(
        "urlgrep -j1 --tally=host",
        COMMAND,
        &["-j1", "--tally=host"],
    ),
    Program("urlgrep -j1 -u", COMMAND, &["-j1", "-u"]),
    Program("mail-parser 1.0: parse", PARSER1, &["parse"]),
    Program(
        "mail-parser 1.0, and linkify for each text",
        PARSER1,
        &["links"],
    ),
];

/// Tools that are slow. They get only a part of the text.
pub const SLOW: [Program; 3] = [
    Program("xurls", "xurls", &[]),
    Program("urlscan", "urlscan", &["--no-browser", "--dedupe"]),
    Program("urifind", "urifind", &[]),
];

/// Names the programs that are not installed, and prints the version of `rg`.
pub fn print_installed() {
    for name in ["rg", "xurls", "urlscan", "urifind", PARSER1] {
        if !is_installed(name) {
            println!("{name} is not installed: its rows are left out");
        }
    }
    if let Ok(output) = Command::new("rg").arg("--version").output() {
        let text = String::from_utf8_lossy(&output.stdout);
        println!("{}", text.lines().next().unwrap_or_default());
    }
}

pub fn is_installed(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    // An absolute path stays as it is.
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// A command with empty standard input and discarded output.
pub fn quiet(program: &str, args: &[&str], paths: &[&Path]) -> Command {
    let mut command = Command::new(program);
    command.args(args).args(paths).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

impl Program {
    /// A contender that searches `path`, a file or folder of `bytes` bytes.
    pub fn contender<'t>(&self, path: &Path, bytes: usize) -> Contender<'t> {
        let copies = if self.0 == DECODING_PAIR { 2 } else { 1 };
        let mut command = quiet(self.1, self.2, &[path]);
        Contender::new(self.0, bytes * copies, move || {
            let others: Vec<_> = (1..copies).map(|_| command.spawn()).collect();
            let status = command.status();
            let others = others.into_iter().map(|child| child?.wait());
            others.chain([status]).filter(Result::is_ok).count()
        })
    }

    /// The number of lines that the program prints.
    pub fn lines(&self, path: &Path) -> usize {
        let mut command = quiet(self.1, self.2, &[path]);
        let output = command.stdout(Stdio::piped()).output();
        output.map_or(0, |o| memchr::memchr_iter(b'\n', &o.stdout).count())
    }
}

/// Runs `others` and the installed `programs` in turns. The programs search
/// `path`, a file or folder of `bytes` bytes. One more run of each program counts
/// its lines.
pub fn race_with<'t>(
    mut others: Vec<Contender<'t>>,
    programs: impl IntoIterator<Item = &'t Program>,
    path: &Path,
    bytes: usize,
    runs: usize,
) -> Vec<Row> {
    let programs = programs.into_iter().filter(|p| is_installed(p.1));
    let programs: Vec<_> = programs.collect();
    let first = others.len();
    others.extend(programs.iter().map(|p| p.contender(path, bytes)));
    let mut rows = race(others, runs);
    for (row, program) in rows[first..].iter_mut().zip(programs) {
        row.hits = program.lines(path);
    }
    rows
}

/// Prints what a second thread gains, what a second process gains, which shares
/// nothing but the machine, and the costs of `--json`.
pub fn print_decoding(rows: &[Row]) {
    report("--json to plain", rows, JSON, DECODING);
    report("two processes to one", rows, DECODING_PAIR, DECODING);
    let of_one = ratio(rows, DECODING_ON_TWO, DECODING);
    let of_pair = ratio(rows, DECODING_ON_TWO, DECODING_PAIR);
    if let (Some(of_one), Some(of_pair)) = (of_one, of_pair) {
        println!(
            "  target: two threads to one: {of_one:.2}, at least 1.80, or to two processes: \
             {of_pair:.2}, at least 0.95: {}",
            verdict(of_one >= 1.8 || of_pair >= 0.95)
        );
    }
}
