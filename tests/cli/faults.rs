//! Faults of files, folders and the system. The rest of the run is still done.

#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;

use super::kit::{Dir, run};
use crate::common::{hostile, hostile_mail, slow};

fn two() -> Dir {
    let dir = Dir::with("a", "http://a.example/\n");
    dir.write("b", "http://b.example/\n");
    dir
}

const BOTH: &str = "http://a.example/\nhttp://b.example/\n";

#[test]
fn a_missing_path() {
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
fn a_file_without_permission() {
    let dir = two();
    dir.write("ab", "http://secret.example/\n");
    dir.write("closed/x", "http://secret.example/\n");
    let forbid = |name: &str, mode| {
        fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    forbid("ab", 0);
    forbid("closed", 0);
    for threads in ["-j1", "-j4"] {
        let mut command = dir.command();
        command.args([threads, "."]);
        // Root may read everything, so root changes to another user. If that
        // user cannot run the command itself, the test is skipped.
        if fs::read(dir.path().join("ab")).is_ok() {
            command.uid(65534).gid(65534);
        }
        let Ok(out) = command.output() else {
            eprintln!("skipped: only root can run the command in its folder");
            break;
        };
        let errors = String::from_utf8(out.stderr).unwrap();
        assert_eq!(
            (out.status.code(), String::from_utf8_lossy(&out.stdout)),
            (Some(2), BOTH.into())
        );
        for name in ["ab", "closed"] {
            let line = format!("urlgrep: ./{name}: Permission denied\n");
            assert!(errors.contains(&line), "{errors}");
        }
        // (Tools that measure coverage print errors too.)
        let ours = errors.lines().filter(|line| line.starts_with("urlgrep:"));
        assert_eq!(ours.count(), 2, "{errors}");
    }
    forbid("closed", 0o700);
}

#[test]
fn a_file_that_vanishes_while_the_folder_is_read() {
    let dir = two();
    std::os::unix::fs::symlink("gone", dir.path().join("ab")).unwrap();
    dir.run(["."]).is(BOTH);
    dir.run(["-L", "."]).ends(2, BOTH, "./ab: No such file");
}

/// While the first file is read, and its output is not yet read, the other
/// files change.
#[test]
fn files_that_vanish_shrink_and_grow_during_a_run() {
    let line = "http://a.example/of/some/length\n";
    // More than the jobs that are in flight, so that the later files are not open yet.
    let lines = 200_000;
    for threads in ["-j1", "-j3"] {
        let dir = Dir::with("a", line.repeat(lines));
        dir.write("b", line.repeat(lines));
        dir.write("c", "http://c.example/\n");
        dir.write("d", "http://d.example/\n");
        dir.write("e", "http://e.example/\n");
        let mut child = dir
            .command()
            .args([threads, "--segment-size", "10000", "."])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let mut text = vec![0];
        pipe.read_exact(&mut text).unwrap();
        dir.write("b", line.repeat(10));
        fs::remove_file(dir.path().join("c")).unwrap();
        dir.write("d", "http://d.example/\n".repeat(1000));
        pipe.read_to_end(&mut text).unwrap();
        let mut errors = String::new();
        let mut pipe = child.stderr.take().unwrap();
        pipe.read_to_string(&mut errors).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2));
        assert!(
            errors.ends_with("urlgrep: ./c: No such file or directory\n"),
            "{errors}"
        );
        let text = String::from_utf8(text).unwrap();
        let count = |line: &str| text.lines().filter(|l| *l == line).count();
        if errors.contains("./b") {
            // This file was open at that time.
            assert!(errors.contains("has become shorter"), "{errors}");
            assert!((lines..2 * lines).contains(&count(line.trim_end())));
        } else {
            assert_eq!(count(line.trim_end()), lines + 10);
        }
        assert_eq!(count("http://d.example/"), 1000);
        assert!(text.ends_with("\nhttp://e.example/\n"));
    }
}

/// A file that is truncated while it is read.
#[test]
fn a_file_that_shrinks_while_it_is_read() {
    let line = "http://a.example/of/some/length\n";
    for threads in ["-j1", "-j3"] {
        let dir = Dir::with("a", line.repeat(50_000));
        dir.write("b", "http://b.example/\n");
        let mut child = dir
            .command()
            .args([threads, "--segment-size", "10000", "a", "b"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let mut text = vec![0];
        pipe.read_exact(&mut text).unwrap();
        let file = fs::OpenOptions::new()
            .write(true)
            .open(dir.path().join("a"));
        file.unwrap().set_len(1000).unwrap();
        pipe.read_to_end(&mut text).unwrap();
        let mut errors = String::new();
        let mut pipe = child.stderr.take().unwrap();
        pipe.read_to_string(&mut errors).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2));
        assert!(
            errors.starts_with("urlgrep: a: bytes ")
                && errors.ends_with(
                    " to 1600000 were not searched: the file has become shorter while it was read\n"
                ),
            "{errors}"
        );
        let text = String::from_utf8(text).unwrap();
        // The bytes that were read are searched, and no line is invented.
        let known = |l: &str| line.trim_end() == l || l == "http://b.example/";
        assert!(text.lines().all(known), "{text}");
        assert!(text.lines().count() < 50_001 && text.ends_with("\nhttp://b.example/\n"));
    }
}

#[test]
fn an_error_while_reading() {
    // The first page of a process is not mapped, so reading it is an I/O error.
    let out = two().run(["a", "/proc/self/mem", "b"]);
    if cfg!(target_os = "linux") {
        out.ends(2, BOTH, "urlgrep: /proc/self/mem: Input/output error\n");
    }
}

#[test]
fn files_of_proc() {
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
    // A file that is named is read, although its size is reported as 0.
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
fn sockets_and_devices() {
    let dir = two();
    dir.run(["a", "/dev/null", "b"]).is(BOTH);
    // The path of a socket cannot be long, and only root can make devices.
    let socket = UnixListener::bind(dir.path().join("socket")).is_ok();
    let device = dir.shell("mknod device c 1 5").code == Some(0);
    let number = usize::from(socket) + usize::from(device);
    let out = dir.run(["--stats", "."]);
    assert_eq!((out.code, out.text().as_str()), (Some(0), BOTH));
    let line = format!("{number} passed over");
    assert!(number == 0 || out.errors.contains(&line), "{}", out.errors);
    if socket {
        dir.run(["a", "socket", "b"])
            .ends(2, BOTH, "urlgrep: socket: No such device");
    }
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new("testdata/unpack").join(name)).unwrap()
}

#[test]
fn packed_files_that_are_cut_short() {
    let dir = two();
    for name in [
        "text.gz",
        "text.xz",
        "text.zst",
        "text.bz2",
        "text.Z",
        "gnu.tar",
        "streamed.zip",
    ] {
        let whole = fixture(name);
        let cuts = [whole.len() / 5, whole.len() / 2, whole.len() * 4 / 5];
        for (cut, threads) in cuts.into_iter().zip(["-j1", "-j2", "-j4"]) {
            dir.write("aa", &whole[..cut]);
            let out = dir.run([threads, "a", "aa", "b"]);
            let text = out.text();
            assert!(
                text.starts_with("http://a.example/\n") && text.ends_with("http://b.example/\n"),
                "{name} {cut}: {text}"
            );
            // A cut between two codes of LZW cannot be recognised.
            let told = out.code == Some(2)
                && out.errors.lines().count() == 1
                && out.errors.starts_with("urlgrep: aa");
            assert!(told || name == "text.Z", "{name} {cut}: {}", out.errors);
        }
    }
}

#[test]
fn packed_files_with_a_wrong_checksum() {
    let dir = two();
    let whole = fixture("text.gz");
    dir.write("aa", &whole);
    let right = dir.run(["a", "aa", "b"]);
    assert_eq!((right.code, right.errors.as_str()), (Some(0), ""));
    let mut wrong = whole;
    let at = wrong.len() - 8;
    wrong[at] ^= 1;
    dir.write("aa", &wrong);
    let out = dir.run(["a", "aa", "b"]);
    out.ends(2, &right.text(), "urlgrep: aa: ");
    assert!(out.errors.contains("checksum"), "{}", out.errors);
}

#[test]
fn a_folder_in_place_of_a_file() {
    let dir = two();
    let hint = ".: this is a folder; without --files-from its files are searched";
    dir.run(["--files-from", ".", "a"])
        .ends(2, "http://a.example/\n", hint);
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
    for options in ["--help", "--version", "--generate man"] {
        dir.shell(&format!("\"$U\" {options} >/dev/full"))
            .fails("urlgrep: <stdout>: No space left on device\n");
    }
    // Without output there is no error.
    dir.shell("\"$U\" -q a >/dev/full").is("");
}

#[test]
#[cfg(unix)]
fn an_output_that_is_open_for_reading() {
    let dir = two();
    for options in ["-j1 a", "-j4 .", "--check a", "--generate man"] {
        dir.shell(&format!("\"$U\" {options} 1<b")).ends(
            2,
            "",
            "urlgrep: <stdout>: Bad file descriptor\n",
        );
    }
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

/// Each way to print, with a path at its end.
fn all_modes() -> Vec<&'static str> {
    let mut modes = vec![
        "-j1 t",
        "-j4 t",
        "-n --heading t",
        "--json t",
        "--csv t",
        "--format {url} t",
        "-C0 t",
        "-C1 t",
        "-c t",
        "-l t",
        "-u t",
        "--tally t",
        "--tally=host t",
        "--sort date t",
        "--rejects --profile rfc1738 r",
        "--explain t",
        "--check t",
        "--generate man",
        "--generate complete-bash",
        "--help",
        "--version",
    ];
    if cfg!(feature = "report") {
        modes.extend(["--report - t", "--report=- -j4 t"]);
    }
    if cfg!(feature = "ledger") {
        modes.push("--ledger new.db t");
    }
    modes
}

/// The reader of a pipe has seen enough, in each mode, even before the first byte.
#[test]
fn a_pipe_without_a_reader_is_success() {
    for mode in all_modes() {
        let dir = Dir::with("t", "http://a.example/\n".repeat(5_000));
        dir.write("r", "<URL:http://h_st/>\n".repeat(500));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = dir.command();
        command
            .args(mode.split(' '))
            .stdout(writer)
            .stderr(Stdio::piped());
        let out = command.spawn().unwrap().wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&out.stderr);
        assert_eq!((out.status.code(), &*errors), (Some(0), ""), "{mode}");
    }
}

/// Standard output has this name in each mode.
#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_named_in_each_mode() {
    for mode in all_modes() {
        let dir = Dir::with("t", "http://a.example/\n".repeat(5_000));
        dir.write("r", "<URL:http://h_st/>\n".repeat(500));
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = dir.command();
        command
            .args(mode.split(' '))
            .stdout(full)
            .stderr(Stdio::piped());
        let out = command.spawn().unwrap().wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&out.stderr);
        let expected = "urlgrep: <stdout>: No space left on device\n";
        assert_eq!((out.status.code(), &*errors), (Some(2), expected), "{mode}");
    }
}

#[test]
fn an_interruption_leaves_whole_lines() {
    // The pipe is full long before the end, and nothing reads it.
    let dir = Dir::with("t", "see http://a.example/of/some/length\n".repeat(20_000));
    // A shell starts its background processes with the signal ignored, and
    // their children inherit that.
    if dir.shell("kill -INT $$; exit 0").code == Some(0) {
        eprintln!("left out: SIGINT is ignored here");
        return;
    }
    for args in [&["-j1"][..], &["-j3", "--segment-size", "5000"]] {
        let mut child = dir
            .command()
            .args(args)
            .arg("t")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdout.take().unwrap();
        // More than an atomic write.
        let mut text = vec![0; 5000];
        pipe.read_exact(&mut text).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert_eq!(
            dir.shell(&format!("kill -INT {}", child.id())).code,
            Some(0)
        );
        assert_eq!(child.wait().unwrap().code(), None, "ended by the signal");
        pipe.read_to_end(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.ends_with('\n'), "{:?}", text.lines().last());
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
    // Neither an endless line nor its hits are kept.
    let dir = Dir::new();
    for threads in &["-j2", "-j1"][..if slow() { 2 } else { 1 }] {
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

/// The output of every hostile text and mail is the same with a limit of 400 MB
/// and without a limit.
///
/// `ulimit -v` limits address space. The allocator of glibc reserves 64 MB of it
/// for the arena of each thread, whether the memory is used or not. With one
/// arena the limit is one of memory.
#[test]
fn hostile_files_in_little_memory() {
    let dir = Dir::new();
    for (i, (_, make)) in hostile::FAMILIES.iter().enumerate() {
        dir.write(format!("text/{i}"), make(20_000));
    }
    for family in hostile_mail::families() {
        dir.write(Path::new("mail").join(family.name), family.make(20_000));
    }
    for options in ["-j1 --notes", "-j3 --segment-size 5000", "-j16 --json"] {
        let free = dir.shell(&format!("\"$U\" {options} . "));
        assert!(free.text().lines().count() > 10_000);
        let bound = dir.shell(&format!(
            "ulimit -v 400000; MALLOC_ARENA_MAX=1 \"$U\" {options} ."
        ));
        assert!(free == bound, "{options}: {}", bound.errors);
    }
}

/// Long streams of mail, packed and unpacked, with a limit of 400 MB.
#[test]
fn long_streams_in_little_memory() {
    let dir = Dir::new();
    let head = "From a@b Thu Jan  1 00:00:00 1970\\nSubject: x\\n";
    let filler = "head -c 5000000 /dev/zero | tr '\\0' 'a'";
    let streams = [
        // One message of one line.
        format!("printf '{head}\\n'; {filler}"),
        // One header field.
        format!("printf '{head}X: '; {filler}; printf '\\n\\n'"),
        // Base64 without line ends.
        format!("printf '{head}Content-Transfer-Encoding: base64\\n\\n'; {filler}; printf '\\n'"),
        // An attribute and a comment without an end.
        format!("printf '{head}Content-Type: text/html\\n\\n<a href=\"'; {filler}; printf '\">'"),
        format!("printf '{head}Content-Type: text/html\\n\\n<!--'; {filler}; printf -- '-->'"),
        // Messages without a body.
        "yes 'From a@b Thu Jan  1 00:00:00 1970' | head -c 2000000".to_owned(),
    ];
    for stream in streams {
        let stream = format!("({stream}; echo ' http://a.example/')");
        let run = |line: &str| dir.shell(&format!("ulimit -v 400000; {stream} | {line}"));
        let out = run("\"$U\" -j3");
        assert!(
            matches!(out.code, Some(0 | 1)) && out.errors.is_empty(),
            "{stream}"
        );
        let zipped = run("gzip -1 | \"$U\" -j1");
        assert!(zipped == out, "{stream}: {}", zipped.errors);
    }
}
