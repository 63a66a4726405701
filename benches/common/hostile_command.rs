//! The parts of `hostile` that run the command.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command_families;
use crate::families;
use crate::mail_families;
use crate::peak::{as_mail, children_seconds, measure};
use crate::{MB, RUNS, Table};

const KIB: u64 = 1 << 10;

/// The command with these arguments; `@` is the file with the text.
struct Run<'a> {
    args: &'a [&'a str],
    file: PathBuf,
}

impl Run<'_> {
    fn args(&self) -> impl Iterator<Item = &str> {
        let file = self.file.to_str().expect("a path in UTF-8");
        let args = self.args.iter().copied().chain(["@"]);
        args.map(move |arg| if arg == "@" { file } else { arg })
    }

    /// The least processor time of some runs, and the number of printed lines.
    fn seconds(&self, text: &[u8]) -> (f64, usize, Option<u64>) {
        fs::write(&self.file, text).expect("a temporary file");
        let mut best = f64::MAX;
        let mut lines = 0;
        for _ in 0..RUNS {
            let start = children_seconds();
            let mut child = Command::new(env!("URLGREP_COMMAND"))
                .args(self.args())
                .stdout(Stdio::piped())
                .spawn()
                .expect("the command");
            lines = count_lines(child.stdout.take().expect("a pipe"));
            child.wait().expect("the command");
            best = best.min(children_seconds() - start);
        }
        (best, lines, None)
    }
}

fn count_lines(mut from: impl Read) -> usize {
    let mut buffer = vec![0; 1 << 16];
    let mut lines = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) | Err(_) => return lines,
            Ok(n) => lines += memchr::memchr_iter(b'\n', &buffer[..n]).count(),
        }
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{}", std::process::id()))
}

fn repeat(unit: &str, n: usize) -> Vec<u8> {
    unit.repeat(n / unit.len() + 1).into_bytes()
}

/// URLs that are all different, one a line.
fn distinct(n: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(n + 64);
    for i in 0u64.. {
        if text.len() >= n {
            break;
        }
        let x = i.wrapping_mul(2_654_435_761) & 0xFFFF_FFFF;
        writeln!(text, "http://h{i}.example/{x:x}").expect("a vector");
    }
    text
}

/// A name, options, and a function that makes a text of about `n` bytes.
type Row = (&'static str, &'static [&'static str], fn(usize) -> Vec<u8>);

fn lines(n: usize) -> Vec<u8> {
    repeat("http://a.example/b\n", n)
}

/// Lines that begin with other lines.
fn numbers(n: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(n + 10);
    for i in 1.. {
        if text.len() >= n {
            break;
        }
        writeln!(text, "x{i}").expect("a vector");
    }
    text
}

fn percent(n: usize) -> Vec<u8> {
    repeat(&format!("http://a.example/{} ", "%41".repeat(2700)), n)
}

const OPTIONS: &[Row] = &[
    ("lines -C 1000000", &["-C1000000"], lines),
    ("lines -A 1000", &["-A1000"], lines),
    ("lines -B 1000000", &["-B1000000"], lines),
    ("one line -C 5", &["-C5"], |n| {
        repeat("http://a.example/b ", n)
    }),
    ("long lines -C 5", &["-C5"], |n| {
        let long = "y".repeat(70_000);
        repeat(&format!("{long} http://a.example/b {long}\n"), n)
    }),
    ("few URLs -C 1000000", &["-C1000000"], |n| {
        repeat(&format!("{}http://a.example/b\n", "x\n".repeat(30_000)), n)
    }),
    ("lines -n -b --column", &["-nb", "--column"], lines),
    ("lines -m 1000000000", &["-m1000000000"], lines),
    ("lines --json", &["--json"], lines),
    ("lines --explain", &["--explain"], lines),
    (
        "lines -F -f, as many patterns",
        &["-F", "-f", "@"],
        distinct,
    ),
    (
        "lines -F -i -f, as many patterns",
        &["-Fi", "-f", "@"],
        distinct,
    ),
    (
        "numbers -F -f, as many patterns",
        &["-F", "-f", "@"],
        numbers,
    ),
    ("numbers -f, as many patterns", &["-f", "@"], numbers),
    ("percent -e (a*)*$", &["-e", "(a*)*$"], percent),
    ("percent -e (.*a){20}", &["-e", "(.*a){20}"], percent),
    (
        "percent -e (?:.?){200}zz",
        &["-e", "(?:.?){200}zz"],
        percent,
    ),
    (
        "percent -e ^(.|..|...)*$",
        &["-e", "^(.|..|...)*$"],
        percent,
    ),
    (
        "hosts --host *a*a*a*a*a*a*a*a*b",
        &["--host", "*a*a*a*a*a*a*a*a*b"],
        |n| {
            let label = "a".repeat(60);
            repeat(&format!("http://{} ", format!("{label}.").repeat(60)), n)
        },
    ),
    (
        "subjects --subject (\\(*)*x$",
        &["--subject", "(\\(*)*x$"],
        |n| {
            let from = "From a@b Thu Jan  1 00:00:00 1998\nSubject: ";
            repeat(
                &format!("{from}{}\n\nhttp://a.example/\n\n", "(".repeat(400)),
                n,
            )
        },
    ),
    ("distinct -u", &["-u"], distinct),
    ("distinct --tally", &["--tally"], distinct),
    (
        "distinct --unique-per-message",
        &["--as", "message", "--unique-per-message"],
        distinct,
    ),
    (
        "refused --rejects=both",
        &["--json", "--rejects=both"],
        |n| repeat("http://a..example/b ", n),
    ),
    ("refused --check", &["--check"], |n| {
        repeat(&format!("http://a.example/{}\n", "%4".repeat(2000)), n)
    }),
];

/// The processor time of the command with options, and its peak memory.
pub fn options(is_wanted: impl Fn(&str) -> bool) {
    let file = file();
    let plain = Run {
        args: &[],
        file: file.clone(),
    };
    let prose = plain.seconds(&families::prose(8 * MB)).0;
    let mut table = Table::start("options", prose);
    for &(name, args, make) in OPTIONS {
        if is_wanted(name) {
            let run = Run {
                args,
                file: file.clone(),
            };
            table.print(
                name,
                [1, 2, 4, 8].map(|times| run.seconds(&make(times * MB))),
            );
            let args: Vec<_> = run.args().collect();
            match measure(&args) {
                Ok(usage) => println!("{:>60}", format!("peak {} KiB", usage.peak / KIB)),
                Err(e) => println!("{e}"),
            }
        }
    }
    table.end();
    // OK to ignore: the file is temporary.
    let _ = fs::remove_file(file);
}

/// Makes about `n` bytes.
type Make = Box<dyn Fn(usize) -> Vec<u8>>;

/// All families: the name, the function that makes the text, and whether the text
/// must be read as mail.
fn all() -> Vec<(&'static str, Make, bool)> {
    let mail = |families: Vec<mail_families::Family>, is_mail| {
        families.into_iter().map(move |family| {
            let name = family.name;
            (name, Box::new(move |n| family.make(n)) as Make, is_mail)
        })
    };
    let text = families::FAMILIES.iter();
    text.map(|&(name, make)| (name, Box::new(make) as Make, false))
        .chain(mail(mail_families::families(), true))
        .chain(mail(command_families::families(), false))
        .collect()
}

/// Options, and the bound of the memory.
const MODES: [(&[&str], u64); 3] = [
    (&["-j1"], (16 + 4) << 20),
    (&["-j2"], (16 + 2 * 4) << 20),
    (&["-j2", "--json"], (16 + 2 * 8) << 20),
];

/// The peak memory of every family. Returns false if one exceeds its bound, or
/// grows by more than a fifth from 8 to 64 MB.
pub fn memory(is_wanted: impl Fn(&str) -> bool) -> bool {
    println!("memory: peak in KiB at 8 MB, at 64 MB, ratio\n");
    println!(
        "{:<48} {:^20} {:^20} {:^20}",
        "family", "-j1", "-j2", "-j2 --json"
    );
    let file = file();
    let mut over = Vec::new();
    for (name, make, is_mail) in all() {
        if !is_wanted(name) {
            continue;
        }
        let mut row = [[0; 2]; MODES.len()];
        for (size, times) in [8, 64].into_iter().enumerate() {
            let bytes = make(times * MB);
            let read_as = if is_mail { as_mail(&bytes) } else { &[] };
            fs::write(&file, bytes).expect("a temporary file");
            for (mode, (args, _)) in MODES.into_iter().enumerate() {
                let args = [args, read_as].concat();
                let args: Vec<_> = args.into_iter().chain(file.to_str()).collect();
                let usage = measure(&args).expect("the launcher");
                if usage.code < 0 {
                    over.push(format!("{name} {args:?}: ended by a signal"));
                }
                row[mode][size] = usage.peak;
            }
        }
        print!("{name:<48}");
        for ([small, large], (args, bound)) in row.into_iter().zip(MODES) {
            let ratio = large as f64 / small as f64;
            print!(" {:>7} {:>7} {ratio:>4.2}", small / KIB, large / KIB);
            let most = large.max(small);
            if most > bound || ratio > 1.2 {
                over.push(format!(
                    "{name} {args:?}: {} KiB, {ratio:.2} times",
                    most / KIB
                ));
            }
        }
        println!();
    }
    // OK to ignore: the file is temporary.
    let _ = fs::remove_file(file);
    println!("\nabove the bounds: {}", over.len());
    for line in &over {
        println!("{line}");
    }
    over.is_empty()
}
