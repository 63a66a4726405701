//! A stream that arrives in small pieces (`--line-buffered`) gives the URLs of the
//! file.
//!
//! The pieces are datagrams of a socket. So each read returns one piece, however
//! busy the machine is.

#![cfg(unix)]

use std::env;
use std::fs;
use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use super::kit::{Dir, Out, run};

/// The maximum number of bytes of a file that are sent. Fewer bytes are enough to
/// recognise the container.
const MOST: usize = 24 << 10;

/// Runs the command on `bytes`. Each read returns `size` bytes.
fn dribbled(dir: &Dir, options: &[&str], bytes: &[u8], size: usize) -> Out {
    let (ours, theirs) = UnixDatagram::pair().expect("sockets");
    let bytes = bytes.to_vec();
    let feed = thread::spawn(move || {
        // An empty datagram is an end, and every later read needs one too.
        let ends = [&[][..]; 8];
        for piece in bytes.chunks(size).chain(ends) {
            // The command may have exited.
            if ours.send(piece).is_err() {
                break;
            }
        }
        let _ = ours.shutdown(Shutdown::Both);
    });
    let mut command = dir.command();
    command
        .args(options)
        .stdin(Stdio::from(OwnedFd::from(theirs)));
    let out = run(&mut command, None);
    // The socket of the command is open as long as `command` exists.
    drop(command);
    feed.join().expect("the feeder");
    out
}

/// The sizes that give other URLs than the file does.
fn differences(path: &Path, sizes: &[usize]) -> Vec<String> {
    let bytes = fs::read(path).expect("a file");
    let bytes = &bytes[..bytes.len().min(MOST)];
    let dir = Dir::with("whole", bytes);
    let whole = dir.run(["-j2", "whole"]);
    // A read that is shorter than the datagram loses the rest of the datagram.
    // Decoders read a few bytes at a time.
    let packed = path
        .parent()
        .is_some_and(|folder| folder.ends_with("unpack"));
    let sizes = if packed { &[1] } else { sizes };
    let different = |size: &&usize| {
        let out = dribbled(&dir, &["-j2", "--line-buffered"], bytes, **size);
        // Without a seek an archive is read from its start.
        let expected = if bytes.starts_with(b"PK") {
            dir.pipe(["-j2"], bytes)
        } else {
            whole.clone()
        };
        (&out.bytes, out.code) != (&expected.bytes, expected.code)
    };
    let sizes = sizes.iter().filter(different);
    sizes
        .map(|size| format!("{} in pieces of {size}", path.display()))
        .collect()
}

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files(&entry.path(), all),
            Ok(kind) if kind.is_file() => all.push(entry.path()),
            _ => {}
        }
    }
}

/// The files of these folders, about `most` of them, spread over all.
fn some_files(folders: &[PathBuf], most: usize) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in folders {
        files(folder, &mut all);
    }
    all.sort();
    let step = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(step).collect()
}

#[track_caller]
fn none_differs(files: &[PathBuf], sizes: &[usize]) {
    // Two threads, because each process waits half of the time.
    let halves = files.chunks(files.len().div_ceil(2));
    let bad: Vec<String> = thread::scope(|scope| {
        let search = |files: &[PathBuf]| files.iter().flat_map(|f| differences(f, sizes)).collect();
        let found: Vec<_> = halves
            .map(|files| scope.spawn(move || -> Vec<String> { search(files) }))
            .collect();
        found
            .into_iter()
            .flat_map(|found| found.join().expect("no panic"))
            .collect()
    });
    assert!(bad.is_empty(), "{} of {}: {bad:#?}", bad.len(), files.len());
}

#[test]
fn the_files_of_the_tests() {
    let all = some_files(
        &[Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")],
        usize::MAX,
    );
    assert!(all.len() > 50);
    none_differs(
        &all,
        if crate::common::slow() {
            &[1, 7, 100]
        } else {
            &[7]
        },
    );
}

#[test]
fn files_of_the_corpus() {
    let Some(corpus) = env::var_os("URLGREP_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: URLGREP_CORPUS is not set");
        return;
    };
    let folders = ["list", "mail", "mime", "news", "rfc"].map(|name| corpus.join(name));
    let all: Vec<_> = folders
        .into_iter()
        .flat_map(|folder| some_files(&[folder], 60))
        .collect();
    if crate::common::slow() {
        none_differs(&all, &[1, 7, 100]);
    } else {
        let third = all.len().div_ceil(3);
        for (files, size) in all.chunks(third).zip([1, 7, 100]) {
            none_differs(files, &[size]);
        }
    }
}

/// The same through a pipe, with pauses in which the command can read everything.
#[test]
fn byte_by_byte_with_pauses() {
    let html = "Content-Type: text/html\r\n\r\n<p>http://b.exam&#112;le/y</p>\r\n";
    for before in [
        "To: a@b.example\r\nFrom: c@d.example\r\nDate: x\r\n",
        "X-Filter: a\r\nFrom: c@d.example\r\nSubject: x\r\n",
        "200 news ready\r\n220 1 <a@b>\r\nFrom: a@b.example\r\nSubject: x\r\n",
    ] {
        let text = format!("{before}{html}");
        let dir = Dir::new();
        let mut command = dir.command();
        command
            .arg("--line-buffered")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the command");
        let mut pipe = child.stdin.take().expect("a pipe");
        for byte in text.bytes() {
            thread::sleep(Duration::from_micros(500));
            pipe.write_all(&[byte]).expect("the command reads");
        }
        drop(pipe);
        let out = child.wait_with_output().expect("the command");
        assert_eq!(
            String::from_utf8_lossy(&out.stdout),
            "http://b.example/y\n",
            "{before}"
        );
    }
}

/// A run of more than a second draws its progress on a terminal, but not beside the reader
/// of a pipe. It never hides the cursor.
#[test]
fn progress_is_on_a_terminal() {
    let dir = Dir::new();
    let script = |line: &str| dir.shell(&format!("script -qec '{line}' /dev/null"));
    if cfg!(not(target_os = "linux")) || script("echo x").text() != "x\r\n" {
        return;
    }
    let slow = "(echo http://a.example/; sleep 2) | TERM=xterm \"$U\" --color never";
    let drawn = script(&format!("{slow} > out")).text();
    assert!(drawn.contains("searched, 0 files, "), "{drawn:?}");
    assert!(!drawn.contains("\x1b[?25"), "{drawn:?}");
    assert_eq!(dir.read("out"), b"http://a.example/\n");
    let line = format!("{slow} --no-progress > out; {slow} > out 2> errors; cat errors");
    assert_eq!(script(&line).text(), "");
    // The reader of a pipe may be a pager, which draws on the terminal itself.
    assert_eq!(script(&format!("{slow} | cat > out")).text(), "");
}
