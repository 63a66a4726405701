//! The output does not depend on the number of threads, nor on the segments of
//! a file. Tested on generated text and mail. `cli/threads.rs` tests the command
//! on texts that are written for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::generate;
use proptest::prelude::*;
use proptest::sample::select;

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn with(files: &[Vec<u8>]) -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("threads-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        for (i, bytes) in files.iter().enumerate() {
            fs::write(path.join(format!("{i:03}")), bytes).unwrap();
        }
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The output of the command, and its status.
fn run(folder: &Folder, options: &[&str], threads: &str, segment: usize) -> (Vec<u8>, Option<i32>) {
    let out = Command::new(env!("CARGO_BIN_EXE_urlgrep"))
        .args(["-j", threads, "--segment-size", &segment.to_string()])
        .args(options)
        .arg(&folder.0)
        .output()
        .unwrap();
    (out.stdout, out.status.code())
}

/// A line break, perhaps followed by the start of a paragraph or a message.
fn between() -> impl Strategy<Value = &'static str> {
    select(vec![
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "\r\n\r\n",
        "\n\nFrom a@b.example Thu Jan  1 00:00:00 1970\nSubject: http://s.example/\n\n",
        "\n\nFrom a@b.example Thu Jan  1 00:00:00 1970\nContent-Transfer-Encoding: base64\n\n",
    ])
}

/// Lines of text or mail with URLs of all profiles.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => generate::token().prop_map(|token| token.as_bytes().to_vec()),
        3 => generate::mail_token().prop_map(|token| token.as_bytes().to_vec()),
        2 => generate::url().prop_map(|(_, url)| [b" ", &url[..], b" "].concat()),
        1 => generate::url().prop_map(|(_, url)| [b"<URL:", &url[..], b">"].concat()),
        4 => between().prop_map(|token| token.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    let begin = select(vec![
        "",
        "",
        "From a@b.example Thu Jan  1 00:00:00 1970\nSubject: x\n\n",
        "Subject: x\nMessage-ID: <1@b.example>\n\n",
        "#! rnews 60\n",
    ]);
    let pieces = prop::collection::vec(piece, 0..120);
    (begin, pieces).prop_map(|(begin, pieces)| [begin.as_bytes(), &pieces.concat()].concat())
}

fn options() -> impl Strategy<Value = Vec<&'static str>> {
    select(vec![
        vec!["-Hnb", "--column"],
        vec!["-Hb"],
        vec!["-b", "--no-decode"],
        vec!["--json", "--rejects=both"],
        vec!["-u", "-n"],
        vec!["--unique-per-message", "-H"],
        vec!["-c"],
        vec!["-l"],
        vec!["-m", "2", "-b"],
        vec!["--tally"],
        vec!["-C", "2", "-n", "--as", "text"],
        vec!["--explain"],
        vec!["--format", "{path}:{line}:{role}:{part}:{message_id}:{url}"],
        vec!["--format", "{message_number} {url}"],
        vec!["--no-decode", "--json", "--no-join"],
    ])
}

proptest! {
    #![proptest_config(generate::config(24))]

    #[test]
    fn any_number_of_threads_and_any_segments_print_the_same(
        files in prop::collection::vec(file(), 1..6),
        options in options(),
        segment in 64..3000_usize,
    ) {
        let folder = Folder::with(&files);
        let expected = run(&folder, &options, "1", 1 << 20);
        for threads in ["1", "2", "3", "16"] {
            for segment in [64, segment, 1 << 20] {
                let got = run(&folder, &options, threads, segment);
                prop_assert!(
                    got == expected,
                    "{:?} -j{} --segment-size {}:\n{}\ninstead of\n{}",
                    options,
                    threads,
                    segment,
                    got.0.escape_ascii(),
                    expected.0.escape_ascii(),
                );
            }
        }
    }
}

/// Segments of a file also begin inside base64, because an attachment may be
/// longer than a segment.
#[test]
fn a_file_of_base64_prints_the_same() {
    let base64 = [&b"Az09+/".repeat(12)[..], b"AA==\n"].concat().repeat(4000);
    let open = b"see http://a.example/\n<URL:http://b.\nexample/c";
    let close = b"d> <URL:http://e.\nexample/> http://f.example/\n";
    let folder = Folder::with(&[[open, &base64[..], close].concat().repeat(3)]);
    for options in [vec!["-nb", "--no-decode"], vec!["--json", "--no-decode"]] {
        let expected = run(&folder, &options, "1", 1 << 22);
        assert!(expected.0.len() > 100);
        for threads in ["1", "2", "3"] {
            for segment in [64, 3000, 30_000, 100_000] {
                let got = run(&folder, &options, threads, segment);
                assert!(got == expected, "{options:?} -j{threads} {segment}");
            }
        }
    }
}

/// The rows of other paragraphs are as wide as that of the URL. A cut between them changes nothing.
#[test]
fn rows_of_a_terminal_print_the_same() {
    let text = "\
https://a.example/2013/04/18/question-build-budget-meeting-storag
e/of/the/archive

Memory it is a station that the will policy of it are had quarter
 had answer function question and was meeting. Window for memory
of this, and so on and on until the system is built, and the peop
le who run it are there.

https://a.example/manual/7
kim.lee7@mail.example

";
    let folder = Folder::with(&[text.repeat(2000).into_bytes()]);
    for options in [vec!["-nb"], vec!["--json", "--rejects=both"]] {
        let expected = run(&folder, &options, "1", 1 << 22);
        assert!(expected.0.len() > 100_000);
        for threads in ["1", "4"] {
            for segment in [3000, 30_000, 100_000] {
                let got = run(&folder, &options, threads, segment);
                assert!(got == expected, "{options:?} -j{threads} {segment}");
            }
        }
    }
}
