//! `search_paths`, the way to search files that needs no threads of the caller.

use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::process::Command;

use urlgrep::rows::json;
use urlgrep::search::Searcher;
use urlgrep::{Options, search_paths};

use crate::cli::kit::Dir;

/// The rows of `paths`, with this number of threads.
fn rows(paths: &[&str], threads: usize) -> String {
    let (mut writer, mut out) = (json::Writer::new(), Vec::new());
    let searcher = Searcher::builder().columns(true).message_ends(true);
    let options = Options::default().searcher(searcher).threads(threads);
    search_paths(paths, options, |m| {
        writer.write(m, &mut out);
        ControlFlow::Continue(())
    })
    .unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_rows_are_those_of_the_command_for_any_number_of_threads() {
    let paths = [
        "testdata/mail",
        "testdata/office",
        "testdata/mail/list.mbox",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_urlgrep"));
    let output = command
        .args(["--json", "-j1"])
        .args(paths)
        .output()
        .unwrap();
    let expected = String::from_utf8(output.stdout).unwrap();
    assert!(expected.lines().count() > 30);
    for threads in [0, 1, 2, 5] {
        assert_eq!(rows(&paths, threads), expected, "{threads} threads");
    }
}

/// A file of many pieces, and many small files, whose hits go in several outputs.
#[test]
fn large_files_and_many_files_keep_their_order() {
    let dir = Dir::new();
    let message = |at: usize| {
        format!("From a@b Thu Jan  1 00:00:00 1970\nSubject: {at}\n\nhttp://a.example/{at}\n\n")
    };
    dir.write("box", (0..20_000).map(message).collect::<String>());
    for at in 0..200 {
        dir.write(
            format!("small{at:03}"),
            format!("http://small.example/{at}\n"),
        );
    }
    let path = dir.path().to_str().unwrap().to_owned();
    let mut expected: Vec<_> = (0..20_000)
        .map(|at| (format!("http://a.example/{at}"), Some(at as u64 + 1)))
        .collect();
    expected.extend((0..200).map(|at| (format!("http://small.example/{at}"), None)));
    for threads in [1, 3] {
        let mut found = Vec::new();
        search_paths([&path], Options::default().threads(threads), |m| {
            let number = m.message.and_then(|message| message.number);
            assert_eq!(
                m.message.map(|message| message.info.subject().to_vec()),
                number.map(|number| (number - 1).to_string().into_bytes())
            );
            found.push((m.hit.to_string(), number));
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(found == expected, "{threads} threads");
    }
}

#[test]
fn a_closure_that_breaks_gets_no_more() {
    for threads in [1, 4] {
        let mut left = 3;
        let options = Options::default().threads(threads);
        search_paths(["testdata/mail", "missing"], options, |_| {
            left -= 1;
            if left > 0 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .unwrap();
        assert_eq!(left, 0);
    }
}

/// What cannot be read is an error, and all else has been searched.
#[test]
fn faults_are_an_error_at_the_end() {
    let dir = Dir::with("a", "http://a.example/\n");
    let name = |name: &str| dir.path().join(name);
    let mut found = 0;
    let search = |paths: &[&str], found: &mut u64| {
        let paths = paths.iter().map(|path| name(path));
        search_paths(paths, Options::default(), |_| {
            *found += 1;
            ControlFlow::Continue(())
        })
    };
    let error = search(&["missing", "a"], &mut found).unwrap_err();
    assert_eq!((error.kind(), found), (ErrorKind::NotFound, 1));
    assert!(error.to_string().contains("missing"), "{error}");
    let error = search(&["missing", "a", "gone", "lost"], &mut found).unwrap_err();
    assert!(
        error.to_string().ends_with(", and 2 more faults"),
        "{error}"
    );
    assert_eq!(found, 2);
}
