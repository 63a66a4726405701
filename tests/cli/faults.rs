//! What goes wrong, and that the rest is still done.

#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use super::kit::{Dir, run};

fn two() -> Dir {
    let dir = Dir::with("a", "http://a.example/\n");
    dir.write("b", "http://b.example/\n");
    dir
}

const BOTH: &str = "http://a.example/\nhttp://b.example/\n";

#[test]
fn a_path_that_is_not_there() {
    let dir = two();
    for threads in ["-j1", "-j4"] {
        let out = dir.run([threads, "a", "gone/x", "b"]);
        out.ends(2, BOTH, "urlgrep: gone/x: No such file or directory\n");
        assert_eq!(out.errors.lines().count(), 1);
    }
    dir.run(["--no-messages", "a", "gone/x", "b"])
        .ends(2, BOTH, "");
    dir.run(["gone/x"]).fails("gone/x");
}

#[test]
fn a_file_that_must_not_be_read() {
    let dir = two();
    dir.write("ab", "http://secret.example/\n");
    dir.write("closed/x", "http://secret.example/\n");
    let forbid = |name: &str, mode| {
        fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).unwrap()
    };
    forbid("ab", 0);
    forbid("closed", 0);
    // Root may read everything, so there is nothing to see.
    if fs::read(dir.path().join("ab")).is_err() {
        dir.run(["."]).ends(2, BOTH, "./ab: Permission denied");
        dir.run(["."]).ends(2, BOTH, "./closed: Permission denied");
    }
    forbid("closed", 0o700);
}

#[test]
fn a_file_that_goes_while_the_folder_is_read() {
    let dir = two();
    std::os::unix::fs::symlink("gone", dir.path().join("ab")).unwrap();
    dir.run(["."]).is(BOTH);
    dir.run(["-L", "."]).ends(2, BOTH, "./ab: No such file");
}

#[test]
fn an_error_while_reading() {
    // The first page of a process is not mapped: reading it is an I/O error.
    let out = two().run(["a", "/proc/self/mem", "b"]);
    if cfg!(target_os = "linux") {
        out.ends(2, BOTH, "urlgrep: /proc/self/mem: Input/output error\n");
    }
}

#[test]
fn files_that_the_system_makes_up() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let dir = two();
    let out = dir.run(["--stats", "/proc/self", "a"]);
    assert_eq!(
        (out.code, out.text().as_str()),
        (Some(0), "http://a.example/\n")
    );
    assert!(out.errors.contains("1 passed over"), "{}", out.errors);
    // One that is named is read, though its length is said to be 0.
    let out = run(
        dir.command()
            .args(["-e", "e.example", "/proc/self/environ"])
            .env_clear()
            .env("X", "http://e.example/"),
        None,
    );
    out.is("http://e.example/\n");
}

#[test]
fn a_folder_in_place_of_a_file() {
    let dir = two();
    dir.run(["--files-from", ".", "a"])
        .ends(2, "http://a.example/\n", ".: Is a directory");
}

#[test]
fn a_full_device() {
    let dir = two();
    if !fs::exists("/dev/full").unwrap() {
        return;
    }
    for threads in ["-j1", "-j4"] {
        let out = dir.shell(&format!("\"$U\" {threads} . >/dev/full"));
        out.ends(2, "", "urlgrep: <stdout>: No space left on device\n");
    }
    dir.shell("\"$U\" --check a >/dev/full")
        .fails("<stdout>: No space left");
    // Nothing to write, nothing to fail.
    dir.shell("\"$U\" -q a >/dev/full").is("");
}

#[test]
fn a_closed_pipe_is_success() {
    let dir = Dir::with("t", "http://a.example/\n".repeat(50_000));
    for args in [
        &["-j1"][..],
        &["-j4", "--segment-size", "1000"],
        &["--json"],
        &["--check"],
    ] {
        let mut child = dir
            .command()
            .args(args)
            .arg("t")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 1];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let mut errors = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), errors.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
}

#[test]
fn an_interruption_leaves_whole_lines() {
    // The pipe is full long before the end, and nobody reads.
    let dir = Dir::with("t", "see http://a.example/of/some/length\n".repeat(20_000));
    for args in [&["-j1"][..], &["-j3", "--segment-size", "5000"]] {
        let mut child = dir
            .command()
            .args(args)
            .arg("t")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let mut text = vec![0];
        pipe.read_exact(&mut text).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert_eq!(
            dir.shell(&format!("kill -INT {}", child.id())).code,
            Some(0)
        );
        assert_eq!(child.wait().unwrap().code(), None, "ended by the signal");
        pipe.read_to_end(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.len() > 4096 && text.ends_with('\n'),
            "{:?}",
            text.lines().last()
        );
        assert!(
            text.lines()
                .all(|line| line == "http://a.example/of/some/length")
        );
    }
}

#[test]
fn closed_descriptors() {
    let dir = two();
    dir.shell("\"$U\" <&-").is_none();
    dir.shell("\"$U\" a >&-").is("");
    dir.shell("\"$U\" a gone/x 2>&-")
        .ends(2, "http://a.example/\n", "");
}

#[test]
fn few_open_files() {
    let dir = Dir::new();
    let mut path = String::new();
    for i in 0..100 {
        path.push_str("d/");
        dir.write(format!("{path}{i}"), format!("http://h{i}.example/\n"));
    }
    let out = dir.shell("ulimit -n 64; \"$U\" -j16 --segment-size 64 .");
    assert_eq!(
        (out.code, out.text().lines().count(), out.errors.as_str()),
        (Some(0), 100, "")
    );
}

#[test]
fn little_memory() {
    // Nothing is kept of a line without end, nor of what is found in it.
    let dir = Dir::new();
    for threads in ["-j1", "-j2"] {
        let line = format!(
            "ulimit -v 200000; head -c 250000000 /dev/zero | \"$U\" {threads} -nb --column; \
             head -c 1000000 /dev/zero | tr '\\0' ':' | \"$U\" {threads} --json; \
             yes 'http://a.example/ ' | head -c 1900000 | tr -d '\\n' | \"$U\" {threads} --json | wc -l"
        );
        let out = dir.shell(&line);
        assert_eq!(
            (out.text().trim(), out.errors.as_str()),
            ("100000", ""),
            "{threads}"
        );
    }
}
