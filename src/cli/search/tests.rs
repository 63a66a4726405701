//! What a worker does when a file is not what it was, and when its output is
//! full.

use std::fs;
use std::path::PathBuf;

use clap::Parser;

use super::super::args::Args;
use super::super::input::feed::Small;
use super::*;

/// A file that goes when the test is over.
struct Temp(PathBuf);

impl Temp {
    fn new(name: &str, bytes: &[u8]) -> Temp {
        let name = format!("urlgrep-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, bytes).unwrap();
        Temp(path)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Searches the file, which was `len` bytes long when it was found. Returns
/// what is printed, in how many parts, and the faults.
fn search(file: &Temp, len: u64, options: &[&str]) -> (String, usize, Vec<Fault>) {
    let args = ["urlgrep", "x"].iter().chain(options);
    let config = Arc::new(Config::new(Args::try_parse_from(args).unwrap()).unwrap());
    let path = file.0.clone();
    let mut work = Work::Batch(Batch {
        files: vec![Small { path, len }],
        next: 0,
        buffer: Vec::new(),
    });
    let (mut search, mut output) = (Search::new(&config), Output::default());
    let (mut text, mut parts, mut faults) = (Vec::new(), 0, Vec::new());
    loop {
        let progress = search.run(&mut work, &mut output);
        text.extend_from_slice(&output.text);
        faults.append(&mut output.faults);
        output.clear();
        parts += 1;
        if progress == Progress::Done {
            let text = String::from_utf8(text).unwrap();
            return (text, parts, faults);
        }
    }
}

#[test]
fn a_file_that_grows_is_read_to_its_end() {
    let text = "see http://a.example/ here\n".repeat(1000);
    let file = Temp::new("grows", text.as_bytes());
    for len in [0, 10, 26_999, 27_000, 99_999] {
        for segment in ["64", "1000", "26000", "100000"] {
            let (found, _, faults) = search(&file, len, &["--segment-size", segment]);
            assert_eq!(found.lines().count(), 1000, "{len} {segment}");
            assert!(faults.is_empty());
        }
    }
}

#[test]
fn a_file_that_shrinks_or_goes() {
    let file = Temp::new("shrinks", b"http://a.example/");
    let (found, ..) = search(&file, 1_000_000, &[]);
    assert_eq!(found, "http://a.example/\n");
    fs::write(&file.0, "").unwrap();
    assert_eq!(search(&file, 17, &[]).0, "");
    fs::remove_file(&file.0).unwrap();
    let (found, _, faults) = search(&file, 17, &[]);
    assert!(found.is_empty());
    assert!(
        faults[0].to_string().ends_with("No such file or directory"),
        "{}",
        faults[0]
    );
}

#[test]
fn a_full_output_is_handed_out_and_the_work_goes_on() {
    let file = Temp::new("full", &b"a://b ".repeat(15_000));
    let records = |options: &[&str]| {
        let (found, parts, _) = search(&file, 90_000, options);
        assert_eq!(found.lines().count(), 15_000);
        parts
    };
    assert!(records(&["--json"]) > 3);
    // In chunks, and with lines around hits, too.
    assert!(records(&["--json", "--segment-size", "100"]) > 3);
    assert_eq!(records(&["-n", "-C1"]), 1);
    let (_, parts, _) = search(&file, 90_000, &["-c"]);
    assert_eq!(parts, 1);
    let many = Temp::new("marks", &b"a://b ".repeat(3 * MARKS));
    let (_, parts, _) = search(&many, 6 * 3 * MARKS as u64, &["-c"]);
    assert_eq!(parts, 4);
}
