//! Runs that are killed, have no disk space, or run at the same time. The next
//! run ends with the rows of an undisturbed run.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use urlgrep_ledger::rusqlite::Connection;

use super::random::Random;
use super::spool::{Spool, mbox};
use crate::cli::kit::Dir;

/// A spool with a file of each kind. A run over it has several transactions.
fn fill(spool: &Spool) {
    spool.write("box", mbox(0..700));
    spool.write("faq", text(0..300));
    spool.write("packed.gz", super::grow::gzip(mbox(700..900).as_bytes(), 6));
    for n in 900..940 {
        spool.write(&format!("cur/{n}"), mbox(n..n + 1));
    }
    spool.write("zz", mbox(940..1200));
}

fn text(numbers: std::ops::Range<usize>) -> String {
    let paragraph = |n: usize| format!("words and http://text.example/{n}\n\n");
    numbers.map(paragraph).collect()
}

/// Changes the files of [`fill`]: appends to some, replaces, removes and adds
/// others.
fn change(spool: &Spool) {
    spool.append("box", mbox(1200..1500));
    spool.append("faq", text(300..500));
    spool.write(
        "packed.gz",
        super::grow::gzip(mbox(750..1000).as_bytes(), 1),
    );
    spool.write("zz", mbox(1100..1400));
    for n in 900..910 {
        fs::remove_file(spool.path(&format!("cur/{n}"))).unwrap();
    }
    for n in 940..950 {
        spool.write(&format!("cur/{n}"), mbox(n..n + 1));
    }
}

fn update(spool: &Spool) -> Command {
    let mut command = spool.dir.command();
    command.args([
        "--ledger",
        "links.db",
        "--ledger-transaction",
        "100",
        "-j2",
        "-q",
        "spool",
    ]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn run(spool: &Spool) {
    let code = update(spool).status().unwrap().code();
    assert!(code == Some(0) || code == Some(1), "{code:?}");
}

fn remove(spool: &Spool) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(spool.dir.path().join(format!("links.db{suffix}")));
    }
}

fn copy(spool: &Spool, from: &str, to: &str) {
    let path = spool.dir.path();
    fs::copy(path.join(from), path.join(to)).unwrap();
}

fn kill(mut child: Child) {
    // SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The number of runs that are killed: `URLGREP_KILLS`, or 20.
fn kills() -> usize {
    let number = std::env::var("URLGREP_KILLS").ok();
    number.and_then(|number| number.parse().ok()).unwrap_or(20)
}

#[test]
fn killed_runs_leave_no_wrong_rows() {
    let spool = Spool::new();
    fill(&spool);
    run(&spool);
    let filled = spool.dump("links.db");
    copy(&spool, "links.db", "filled.db");
    change(&spool);
    let began = Instant::now();
    run(&spool);
    let took = began.elapsed().as_micros() as usize;
    let changed = spool.dump("links.db");
    assert_ne!(filled, changed);

    let mut random = Random(7);
    let (mut cut, mut rows) = (0, 0);
    for i in 0..kills() {
        remove(&spool);
        if i % 4 > 0 {
            copy(&spool, "filled.db", "links.db");
        }
        for _ in 0..1 + i % 3 {
            let child = update(&spool).spawn().unwrap();
            thread::sleep(Duration::from_micros(random.below(took) as u64));
            kill(child);
            let conn = Connection::open(spool.dir.path().join("links.db")).unwrap();
            let unfinished = "SELECT count(*) FROM run WHERE finished IS NULL";
            let unfinished = conn.query_row(unfinished, [], |row| row.get::<_, i64>(0));
            cut += usize::from(unfinished.is_ok_and(|number| number > 0));
            let partly = "SELECT count(*) FROM file WHERE state = 'partly'";
            let partly = conn.query_row(partly, [], |row| row.get::<_, i64>(0));
            rows += usize::from(partly.is_ok_and(|number| number > 0));
        }
        run(&spool);
        let mut has = spool.dump("links.db");
        // A new ledger does not know the files that vanished.
        let known = |line: &String| i % 4 > 0 || !line.contains("vanished");
        let is_of_gone = |line: &String| (900..910).any(|n| line.contains(&format!("cur/{n}")));
        has.retain(|line| !line.starts_with("url|") && known(line));
        let mut expected = changed.clone();
        expected.retain(|line| !line.starts_with("url|"));
        if i % 4 == 0 {
            expected.retain(|line| !is_of_gone(line));
        }
        assert_eq!(has, expected, "run {i}");
        if i % 4 > 0 {
            assert_eq!(spool.dump("links.db"), changed, "run {i}");
        }
    }
    // Some runs were killed between the first and the last transaction.
    assert!(cut > kills() / 4 && rows > 0, "{cut} {rows}");
}

/// Runs the command with a limit of `blocks` blocks of 512 bytes for each file. A
/// longer file is an error, as on a full disk.
fn limited(spool: &Spool, blocks: usize) -> crate::cli::kit::Out {
    spool.dir.shell(&format!(
        "trap '' XFSZ; ulimit -f {blocks}; \
         exec \"$U\" --ledger links.db --ledger-transaction 100 -q spool"
    ))
}

#[test]
fn a_run_without_space_is_continued() {
    let spool = Spool::new();
    fill(&spool);
    run(&spool);
    let filled = spool.dump("links.db");
    remove(&spool);
    let (mut blocks, mut failed) = (0, 0);
    loop {
        let out = limited(&spool, blocks);
        if out.code == Some(0) {
            break;
        }
        assert_eq!(out.code, Some(2), "{}", out.errors);
        assert!(out.errors.contains("links.db"), "{}", out.errors);
        failed += 1;
        blocks += 37;
    }
    assert!(failed > 5, "{failed}");
    assert_eq!(spool.dump("links.db"), filled);
}

/// A small file system. Dropping it unmounts it.
struct Small(std::path::PathBuf);

impl Small {
    fn mount(path: &Path, kib: usize) -> Option<Small> {
        fs::create_dir_all(path).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"]);
        let status = mount.arg(path).stderr(Stdio::null()).status().ok()?;
        status.success().then(|| Small(path.to_path_buf()))
    }

    fn grow(&self, kib: usize) {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,size={kib}k")]);
        assert!(mount.arg(&self.0).status().unwrap().success());
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_reported() {
    let spool = Spool::new();
    let path = spool.dir.path().join("small");
    let Some(small) = Small::mount(&path, 400) else {
        eprintln!("skipped: a file system cannot be mounted");
        return;
    };
    fill(&spool);
    run(&spool);
    let args = [
        "--ledger",
        "small/links.db",
        "--ledger-transaction",
        "100",
        "-q",
        "spool",
    ];
    let out = spool.dir.run(args);
    assert_eq!(out.code, Some(2));
    assert!(out.errors.contains("the disk is full"), "{}", out.errors);
    small.grow(20_000);
    assert_eq!(spool.dir.run(args).code, Some(0));
    assert_eq!(spool.dump("small/links.db"), spool.dump("links.db"));
}

#[test]
fn two_runs_at_once_leave_the_rows_of_one() {
    let spool = Spool::new();
    fill(&spool);
    run(&spool);
    let filled = spool.dump("links.db");
    remove(&spool);
    let children: Vec<_> = (0..2).map(|_| update(&spool).spawn().unwrap()).collect();
    let codes: Vec<_> = children
        .into_iter()
        .map(|mut child| child.wait().unwrap().code())
        .collect();
    // One run found everything. The other one waited and found nothing more, or
    // exited with an error.
    assert!(codes.contains(&Some(0)), "{codes:?}");
    assert!(codes.iter().all(|code| code.is_some()), "{codes:?}");
    run(&spool);
    assert_eq!(spool.dump("links.db"), filled);
}

/// Two runs at once that find one ledger by two names: each link is new in one of them.
#[test]
#[cfg(unix)]
fn two_names_have_one_lock() {
    let spool = Spool::new();
    spool.write("box", mbox(0..250));
    let expected = spool.news();
    let rows = spool.dump("links.db");
    let root = spool.dir.path();
    // The link leads to a file that does not exist before the first run of each round.
    std::os::unix::fs::symlink("links.db", root.join("linked.db")).unwrap();
    std::os::unix::fs::symlink(".", root.join("folder")).unwrap();
    let names = ["links.db", "linked.db", "folder/links.db"];
    for (at, one) in names.iter().enumerate() {
        for other in &names[at + 1..] {
            for round in 0..20 {
                remove(&spool);
                let started = [one, other].map(|name| {
                    let mut command = spool.dir.command();
                    command.args(["--ledger", name, "--ledger-transaction=100", "-j1", "spool"]);
                    command.stdout(Stdio::piped()).stderr(Stdio::piped());
                    // The second run meets the first one at another place in each round.
                    thread::sleep(Duration::from_millis(round));
                    command.spawn().unwrap()
                });
                let mut found = Vec::new();
                for (child, name) in started.into_iter().zip([one, other]) {
                    let out = child.wait_with_output().unwrap();
                    let errors = String::from_utf8(out.stderr).unwrap();
                    // It may have waited for too long.
                    let is_refused = errors.contains("the ledger") && out.status.code() == Some(2);
                    assert!(
                        errors.is_empty() || is_refused,
                        "{one}, {other}: {name}: {errors}"
                    );
                    let text = String::from_utf8(out.stdout).unwrap();
                    found.extend(text.lines().map(str::to_owned));
                }
                found.sort();
                assert!(found == expected, "{one}, {other}: {} links", found.len());
                assert_eq!(spool.dump("links.db"), rows, "{one}, {other}");
            }
        }
    }
    // A run that searches the folder of the ledger through a link does not read it.
    let conn = Connection::open(root.join("links.db")).unwrap();
    conn.execute_batch("PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM run;")
        .unwrap();
    assert!(root.join("links.db-wal").exists());
    let out = spool.dir.run(["--ledger", "linked.db", "folder"]);
    assert!(out.errors.is_empty(), "{}", out.errors);
    let files = spool.dir.run(["--ledger", "links.db", "-l"]);
    assert!(!files.text().contains(".db"), "{}", files.text());
}

/// SQLite would have a log for each of them.
#[test]
#[cfg(unix)]
fn a_file_with_two_names_is_refused() {
    let spool = Spool::new();
    spool.write("box", mbox(0..3));
    spool.news();
    let root = spool.dir.path();
    let known = spool.dir.read("links.db");
    fs::hard_link(root.join("links.db"), root.join("second.db")).unwrap();
    std::os::unix::fs::symlink("second.db", root.join("linked.db")).unwrap();
    spool.append("box", mbox(3..6));
    for name in ["links.db", "second.db", "linked.db"] {
        for paths in [&["spool"][..], &[]] {
            let out = spool.dir.run(["--ledger", name].iter().chain(paths));
            out.fails(&format!(
                "urlgrep: {name}: the file has 2 names (hard links)"
            ));
        }
        assert!(spool.dir.read(name) == known);
    }
    fs::remove_file(root.join("second.db")).unwrap();
    assert_eq!(spool.news().len(), 6);
}

/// A run that waits for the lock of a file must not write to another one.
#[test]
#[cfg(unix)]
fn a_file_that_is_replaced_while_a_run_waits_is_refused() {
    let spool = Spool::new();
    spool.write("box", mbox(0..3));
    spool.news();
    let conn = Connection::open(spool.dir.path().join("links.db-lock")).unwrap();
    conn.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let mut command = spool.dir.command();
    command.args(["--ledger", "links.db", "spool"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    thread::sleep(Duration::from_millis(700));
    copy(&spool, "links.db", "other.db");
    let root = spool.dir.path();
    fs::rename(root.join("other.db"), root.join("links.db")).unwrap();
    drop(conn);
    let out = child.wait_with_output().unwrap();
    let errors = String::from_utf8(out.stderr).unwrap();
    // On a slow machine the run begins after the change, or has waited for too long.
    let is_slow = errors.is_empty() || errors.contains("has been updating");
    assert!(
        is_slow || errors.contains("links.db: the file was replaced or renamed"),
        "{errors}"
    );
}

#[test]
fn the_second_run_names_the_first() {
    let spool = Spool::new();
    spool.write("box", mbox(0..3));
    spool.news();
    let conn = Connection::open(spool.dir.path().join("links.db-lock")).unwrap();
    conn.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let out = spool.run(&["spool"]);
    let process = spool.ask("SELECT process FROM run");
    let error = format!("links.db: process {process} has been updating the ledger since 2");
    out.fails(&error);
    // A query does not wait.
    assert_eq!(spool.run(&[]).text().lines().count(), 6);
    drop(conn);
    assert!(spool.news().is_empty());
}

/// The command refuses the ledger, and does not change it.
#[track_caller]
fn refused(spool: &Spool, bytes: &[u8], why: &str) {
    spool.dir.write("links.db", bytes);
    for args in [&["spool"][..], &[]] {
        let out = spool.run(args);
        assert_eq!(out.code, Some(2), "{why}: {}", out.errors);
        assert!(out.errors.contains(why), "{why}: {}", out.errors);
        assert!(spool.dir.read("links.db") == bytes, "{why}");
    }
}

#[test]
fn other_files_are_not_changed() {
    let spool = Spool::new();
    spool.write("box", mbox(0..100));
    refused(&spool, b"some words", "not a ledger");
    refused(
        &spool,
        b"SQLite format 3\0 and nothing more",
        "not a ledger",
    );
    fs::remove_file(spool.dir.path().join("links.db")).unwrap();
    let conn = Connection::open(spool.dir.path().join("links.db")).unwrap();
    conn.execute_batch("CREATE TABLE mine (x)").unwrap();
    drop(conn);
    refused(&spool, &spool.dir.read("links.db"), "not a ledger");

    fs::remove_file(spool.dir.path().join("links.db")).unwrap();
    spool.news();
    let good = spool.dir.read("links.db");
    for (from, to) in [
        (100, 200),
        (4096, 4200),
        (good.len() / 2, good.len() / 2 + 5000),
    ] {
        let mut bad = good.clone();
        bad[from..to].fill(0xAA);
        refused(&spool, &bad, "damaged");
    }
    refused(&spool, &good[..good.len() / 2], "damaged");

    for version in [1, 3, 10] {
        spool.dir.write("links.db", &good);
        spool.change(&format!("PRAGMA user_version = {version}"));
        let error = format!("has version {version}, and this program has version 9; name another");
        refused(&spool, &spool.dir.read("links.db"), &error);
    }

    spool.dir.write("links.db", &good);
    assert!(spool.news().is_empty());
}

/// A ledger of version 4 had no recipients, one of version 5 only all together, and one of
/// version 6 no URLs of records, one of version 7 no types of parts, and one of version 8 no file
/// names. Those of new messages are recorded.
#[test]
fn a_ledger_of_an_earlier_version_goes_on() {
    let later = [
        "message.to",
        "message.cc",
        "message.record_url",
        "hit.content_type",
        "hit.file_name",
    ];
    for version in 4..9 {
        let spool = Spool::new();
        spool.write("box", mbox(0..3));
        let all = spool.news();
        for column in &later[version - 4..] {
            let (table, column) = column.split_once('.').unwrap();
            spool.change(&format!("ALTER TABLE {table} DROP COLUMN \"{column}\""));
        }
        spool.change(&format!("PRAGMA user_version = {version}"));
        assert!(spool.news().is_empty());
        let stored = spool.run(&[]);
        assert_eq!(stored.text().lines().count(), all.len());
        let new = "From: a@a.example\nTo: bob@b.example\nCc: cleo@b.example\n\
            Subject: x\nContent-Type: text/plain; name=a.txt\n\nhttp://new.example/\n";
        spool.write("new.eml", new);
        spool
            .run(&["--to", "cleo", "spool"])
            .is("http://new.example/\n");
        spool
            .run(&["--to", "bob", "--format", "{to} {cc}"])
            .is("bob@b.example, cleo@b.example cleo@b.example\n");
        spool
            .run(&["--to", "bob", "--format", "{content_type} {file_name}"])
            .is("text/plain a.txt\n");
    }
}

#[test]
fn a_ledger_has_one_setting() {
    let spool = Spool::new();
    spool.write("box", mbox(0..3));
    spool.news();
    spool
        .run(&["--profile", "rfc1738", "spool"])
        .fails("made with profile iri, not rfc1738");
    spool
        .run(&["--no-join", "spool"])
        .fails("made with join yes, not no");
    for (options, has) in [("--no-attachments", "no"), ("--max-attachment=0", "0")] {
        let refused = format!("made with attachments yes, not {has}");
        spool.run(&[options, "spool"]).fails(&refused);
    }
    spool.run(&["--max-attachment=1k", "spool"]).is_none();
    spool
        .run(&["--headers=all", "spool"])
        .fails("made with headers written, not all");
    // A question has no settings of its own, so those that are typed must be the ledger's.
    spool.run(&["--www"]).fails("made with www no, not yes");
    spool
        .run(&["--profile", "rfc1738"])
        .fails("made with profile iri, not rfc1738");
    spool.run(&["--profile", "iri", "-q"]).is("");
    // A ledger from the time when the default was `auto`.
    for (options, has) in [(&[][..], "written"), (&["--headers=list"], "list")] {
        spool.change("UPDATE setting SET value = 'auto' WHERE name = 'headers'");
        let args = [options, &["spool"]].concat();
        let note = format!("made with headers auto, and has headers {has} from now on");
        spool.run(&args).ends(1, "", &note);
        spool.run(&args).is_none();
    }
    spool.change("UPDATE setting SET value = 'written' WHERE name = 'headers'");
    spool
        .run(&["--form", "bare", "--since", "1999", "spool"])
        .is_none();
    spool
        .dir
        .run(["--ledger", "none.db"])
        .fails("none.db: no such ledger");
    assert!(!spool.dir.path().join("none.db").exists());
    spool
        .run(&["-"])
        .fails("a ledger records only files and folders");
}

/// A ledger in the searched folder is no database that nobody read. One that is named is.
#[test]
fn a_ledger_beside_its_mailboxes() {
    let dir = Dir::with("in/a", "http://a.example/1\n");
    dir.run(["--ledger", "in/l.db", "in"])
        .is("http://a.example/1\n");
    dir.run(["--ledger", "in/l.db", "in"]).is_none();
    dir.run(["in"]).is("http://a.example/1\n");
    dir.run(["-e", "nothing", "in"]).is_none();
    let why = "its text was not read: ledger of urlgrep; use --ledger FILE to print its links\n";
    dir.run(["in/l.db"]).ends(1, "", why);
}
