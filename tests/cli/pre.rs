//! `--pre`: programs that convert files.
#![cfg(unix)]

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::kit::Dir;

/// A folder with a script, which is run as `./s`.
fn script(text: &str) -> Dir {
    let dir = Dir::with("s", format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(dir.path().join("s"), fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

#[test]
fn the_output_is_a_member() {
    let dir = Dir::with("in/a.rot", "uggc://n.rknzcyr/\n");
    dir.write("in/b.txt", "http://b.example/\n");
    dir.write("in/sub/c.rot", "uggc://p.rknzcyr/\n");
    let rot = "*.rot=tr a-z n-za-m";
    let expected = "in/a.rot!pre:http://a.example/\nin/b.txt:http://b.example/\n\
                    in/sub/c.rot!pre:http://c.example/\n";
    for threads in ["-j1", "-j2", "-j7"] {
        dir.run([threads, "--sort=path", "-H", "--pre", rot, "in"])
            .is(expected);
        let either = "--pre=*.{tor,rot}=tr a-z n-za-m";
        dir.run([threads, "--sort=path", "-H", either, "in"])
            .is(expected);
    }
    // The first program for a file converts it. A glob with a slash is for paths.
    dir.run([
        "-I",
        "--pre=sub/*=cat",
        "--pre",
        rot,
        "in/a.rot",
        "in/sub/c.rot",
    ])
    .is("http://a.example/\nuggc://p.rknzcyr/\n");
    // Without a glob, it is for all files.
    dir.run(["-c", "--pre=cat", "-H", "in/b.txt"])
        .is("in/b.txt!pre:1\n");
    // Members of archives and standard input are not files.
    dir.pipe(["--pre=false"], b"http://a.example/\n")
        .is("http://a.example/\n");
}

#[test]
fn the_output_is_recognised() {
    let mail = "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\nContent-Transfer-Encoding: base64\n\n\
                aHR0cDovL2EuZXhhbXBsZS8K\n";
    let dir = Dir::with("a.msg", mail.replace("base64", "64base"));
    let sed = "--pre=sed s/64base/base64/";
    dir.run([sed, "--format={path} {read_as} {role} {url}", "a.msg"])
        .is("a.msg!pre mbox body http://a.example/\n");
    if dir.shell("gzip </dev/null").code == Some(0) {
        dir.write("m", mail);
        dir.run(["-H", "--pre=gzip -c", "m"])
            .is("m!pre:http://a.example/\n");
    }
    // A long output is read piece by piece.
    dir.write("long", "http://a.example/ and words\n".repeat(20_000));
    dir.run(["-c", "-j2", "--pre=cat", "long"]).is("20000\n");
}

#[test]
fn a_program_that_fails_is_a_fault_of_its_file() {
    let dir = script("cat\necho >&2; echo '  no luck: \x1b[31m ' >&2\necho more >&2\nexit 3");
    dir.write("a", "http://a.example/\n");
    dir.write("b", "http://b.example/\n");
    let error = |path: &str| format!("urlgrep: {path}: ./s: no luck: \\x1B[31m\n");
    for threads in ["-j1", "-j2"] {
        dir.run([threads, "--pre=a=./s", "a", "b"]).ends(
            2,
            "http://a.example/\nhttp://b.example/\n",
            &error("a"),
        );
    }
    dir.run(["--no-messages", "--pre=./s", "b"])
        .ends(2, "http://b.example/\n", "");
    dir.run(["--pre=false", "b"])
        .ends(2, "", "urlgrep: b: false: exit status: 1\n");
    // Said once, not for each file. The other files are searched.
    let none = "urlgrep: --pre: no program `./none`\n";
    let out = dir.run(["--pre=[bs]=./none", "a", "b", "s"]);
    assert_eq!(out.errors, none);
    out.ends(2, "http://a.example/\n", none);
    dir.write("none", "no program");
    let out = dir.run(["--pre=./none", "b"]);
    assert_eq!((out.code, out.text().as_str()), (Some(2), ""));
    assert!(
        out.errors.starts_with("urlgrep: b: ./none: "),
        "{}",
        out.errors
    );
    // Messages of a program that succeeds are its own affair.
    dir.run(["--pre=./t", "b"]);
    script("cat; echo so so >&2")
        .run(["--pre=./s", "s"])
        .is_none();
}

#[test]
fn time_and_output_are_bounded() {
    let dir = script("echo http://a.example/; exec sleep 60");
    dir.write("t", "");
    let start = Instant::now();
    let error = "urlgrep: t: ./s: ended after 1 second (--pre-timeout)\n";
    dir.run(["--pre-timeout=1", "--pre=./s", "t"])
        .ends(2, "http://a.example/\n", error);
    // A process that is left behind keeps nothing waiting.
    let dir = script("sleep 60 & echo http://a.example/");
    dir.write("t", "");
    dir.run(["--pre=./s", "t"]).is("http://a.example/\n");
    assert!(start.elapsed() < Duration::from_secs(50));

    let error = "urlgrep: t: yes: ended after 36 bytes of output (--max-decompressed)\n";
    dir.run(["--max-decompressed=36", "--pre=yes http://a.example/", "t"])
        .ends(2, "http://a.example/\nhttp://a.example/\n", error);
}

/// The rows are those that were written when the program ended, all of them and whole.
#[test]
fn a_process_that_is_left_behind_does_not_change_the_output() {
    let late = "i=0; while test $i -lt 20000; do echo http://late.example/$i; i=$((i + 1)); done";
    let expected: Vec<String> = (0..100_000)
        .map(|number| format!("http://first.example/{number}"))
        .collect();
    // The second one leaves the group, as a daemon does, where there is a program for that.
    for start in ["sh", "$(command -v setsid) sh"] {
        let dir = script(&format!(
            "seq -f http://first.example/%.0f 0 99999; {start} -c '{late}' & exit 0"
        ));
        dir.write("t", "");
        dir.write("tmp/x", "");
        let mut command = dir.command();
        command.env("TMPDIR", dir.path().join("tmp"));
        let out = command.args(["--pre=t=./s", "t"]).output().unwrap();
        assert_eq!(out.status.code(), Some(0));
        let out = String::from_utf8(out.stdout).unwrap();
        let (first, rest): (Vec<&str>, Vec<&str>) = out
            .lines()
            .partition(|row| row.starts_with("http://first.example/"));
        assert_eq!(first.len(), expected.len());
        assert!(first.iter().eq(&expected));
        assert!(
            rest.iter()
                .all(|row| row.starts_with("http://late.example/"))
        );
        // Temporary files have no names.
        assert_eq!(fs::read_dir(dir.path().join("tmp")).unwrap().count(), 1);
    }
}

/// Runs `--pre` on an attachment or a file, with a script that has a named pipe open. All
/// processes that it starts inherit it, so a reader finds the end when all have ended.
fn with_processes(text: &str) -> Dir {
    let dir = script(&format!("exec 3>pipe; {text}"));
    dir.shell("mkfifo pipe").ends(0, "", "");
    dir.write("t", "");
    dir
}

/// Waits until all processes of the script have ended.
fn wait_for_end(dir: &Dir, start: Instant) {
    let mut pipe = fs::File::open(dir.path().join("pipe")).unwrap();
    io::copy(&mut pipe, &mut io::sink()).unwrap();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
}

fn start(dir: &Dir, args: &[&str]) -> Child {
    let mut command = dir.command();
    command.args(args).args(["--pre=t=./s", "t"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn limits_end_all_processes_of_a_program() {
    let rows = [
        (
            "--pre-timeout=1",
            "sleep 90 & (sleep 90) & sleep 90",
            "ended after 1 second",
        ),
        (
            "--max-decompressed=1M",
            "yes http://a.example/ & sleep 90",
            "ended after 1048576 bytes",
        ),
        // The one that is waited for ends first.
        (
            "--count",
            "sleep 90 & yes http://a.example/ & exit 3",
            "exit status: 3",
        ),
    ];
    for (option, text, error) in rows {
        let dir = with_processes(text);
        let begun = Instant::now();
        let child = start(&dir, &[option, "--count"]);
        wait_for_end(&dir, begun);
        let out = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(errors.contains(error), "{option}: {errors}");
        assert_eq!(out.status.code(), Some(2));
    }
}

#[test]
fn signals_end_all_processes_of_a_program() {
    for (name, number) in [("HUP", 1), ("INT", 2), ("QUIT", 3), ("TERM", 15)] {
        // Elsewhere nothing tells whether `nohup` made it be ignored.
        let is_unknown = name == "HUP" && !cfg!(target_os = "linux");
        // A shell starts its background processes with some signals ignored.
        let dir = Dir::new();
        let is_ignored = dir
            .shell(&format!("ulimit -c 0; kill -{name} $$; exit 0"))
            .code
            == Some(0);
        if is_unknown || is_ignored {
            continue;
        }
        let dir = with_processes("touch ready; sleep 90 & trap '' TERM HUP INT; sleep 90");
        let begun = Instant::now();
        let mut child = start(&dir, &["--count"]);
        // Also opens the pipe, which the script waits for.
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| wait_for_end(&dir, begun));
            while !dir.path().join("ready").exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            dir.shell(&format!("ulimit -c 0; kill -{name} {}", child.id()));
            child.wait().unwrap()
        });
        assert_eq!(ended.signal(), Some(number), "{name}: {ended:?}");
    }
}

/// `nohup` makes a process ignore SIGHUP, which must stay so.
#[test]
fn an_ignored_signal_stays_ignored() {
    let dir = script("touch ready; until test -e go; do sleep 0.05; done; echo http://a.example/");
    dir.write("t", "");
    let out = dir.shell(
        "trap '' HUP; $U --pre=./s t & until test -e ready; do sleep 0.05; done
        kill -HUP $!; sleep 0.2; touch go; wait $!",
    );
    out.is("http://a.example/\n");
}

/// A daemon is in no group that is ended, but its output is bounded.
#[test]
#[cfg(target_os = "linux")]
fn the_output_of_a_daemon_is_bounded() {
    let dir = with_processes("sleep 0.2; setsid yes http://a.example/ & sleep 90");
    if dir.shell("command -v setsid").code != Some(0) {
        return;
    }
    let begun = Instant::now();
    let child = start(&dir, &["--max-decompressed=1M", "--count"]);
    wait_for_end(&dir, begun);
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    // No file that it makes is much larger: it is bounded as soon as the program runs.
    let dir = script("sleep 0.5; exec yes >large");
    dir.write("t", "");
    let error = "t: ./s: ended, because it wrote a file of 1048576 bytes (--max-decompressed)";
    dir.run(["--max-decompressed=1M", "--pre=./s", "t"])
        .fails(error);
    assert!(dir.read("large").len() < 64 << 20);
}

#[test]
fn at_most_one_program_a_thread_runs() {
    let dir = script("mkdir run.$$; ls -d run.* | wc -l >>most; sleep 0.1; rmdir run.$$");
    for i in 0..8 {
        dir.write(format!("in/{i}"), "");
    }
    dir.run(["-j2", "--pre=./s", "in"]).is_none();
    let most = String::from_utf8(dir.read("most")).unwrap();
    let most: Vec<u32> = most.lines().map(|n| n.trim().parse().unwrap()).collect();
    assert!(
        most.len() == 8 && most.contains(&2) && most.iter().all(|&n| n <= 2),
        "{most:?}"
    );
}

/// Standard input is a file, and the name of the file is no argument.
#[test]
fn nothing_of_the_input_is_code() {
    let dir = script("test -f /dev/stdin && echo \"http://$#.example/ $URLGREP_PATH\"");
    let name = "-x; touch y $(touch z)";
    dir.write(name, "");
    dir.run(["-C0", "--pre=./s", "--", name])
        .is(&format!("http://0.example/ {name}\n"));
    dir.run(["--pre=./s ; $(touch y)", "-C0", "--", name])
        .is(&format!("http://3.example/ {name}\n"));
    assert!(!dir.path().join("y").exists() && !dir.path().join("z").exists());
}

#[test]
fn only_the_command_line_names_programs() {
    let dir = script("touch y");
    for (number, config) in [(1, "--pre=./s"), (3, "--host=*\n-n\n--pre\n./s")] {
        dir.write("config", config);
        let mut command = dir.command();
        command.env("URLGREP_CONFIG_PATH", "config").arg("s");
        let out = command.output().unwrap();
        let error = format!(
            "urlgrep: config:{number}: --pre runs programs, so it is an option of the command \
             line only (URLGREP_CONFIG_PATH)\n"
        );
        assert_eq!(String::from_utf8_lossy(&out.stderr), error);
        assert_eq!(out.status.code(), Some(2));
    }
    assert!(!dir.path().join("y").exists());
    for (rule, why) in [
        ("", "a command is missing, as in '*.pdf=pdftotext - -'"),
        ("*.x", "a command is missing"),
        ("*.x=", "a command is missing"),
        ("[=cat", "error parsing glob"),
    ] {
        let out = dir.run(["--pre", rule, "s"]);
        assert!(
            out.code == Some(2) && out.errors.contains(why),
            "{}",
            out.errors
        );
    }
}

/// A message from `ann` with a text, a page of HTML and an attachment, whose decoded text
/// is `uggc://n.rknzcyr/`.
fn with_attachment(typed: &str, name: &str) -> String {
    format!(
        "From ann@a.example Thu Jan  1 00:00:00 1970\nFrom: ann@a.example\n\
         Content-Type: multipart/mixed; boundary=q\n\n--q\n\nhttp://body.example/\n\
         --q\nContent-Type: text/html\n\n<a href=http://html.example/>x</a>\n\
         --q\nContent-Type: {typed}\nContent-Transfer-Encoding: base64\n\
         Content-Disposition: attachment; filename=\"{name}\"\n\ndWdnYzovL24ucmtuemN5ci8K\n--q--\n\n"
    )
}

#[test]
fn an_attachment_is_converted() {
    let dir = Dir::with("m", with_attachment("Application/X-Rot", "Ä.rot"));
    let format = "--format={part}|{member}|{role}|{line}|{url}";
    let expected = "1||body|7|http://body.example/\n2||body|11|http://html.example/\n\
                    3|Ä.rot!pre|attachment|17|http://a.example/\n";
    for glob in ["application/x-rot", "application/*", "*.rot", "Ä.rot", "*"] {
        let rule = format!("--pre={glob}=tr a-z n-za-m");
        dir.pipe([format, &rule], &dir.read("m")).is(expected);
    }
    // A program for all files is for no attachment, and texts are no attachments.
    for rule in [
        "--pre=false",
        "--pre=application/rot=false",
        "--pre=text/*=false",
        "--pre=*.ro=false",
    ] {
        dir.pipe(["-c", "--scheme=uggc", rule], &dir.read("m"))
            .is("1\n");
    }
    // It is not run for a message that is not wanted.
    for option in ["--from=bob", "--no-attachments"] {
        let out = dir.run([option, "--pre=*.rot=false", "m"]);
        assert_ne!(out.code, Some(2), "{option}");
    }
    dir.write(
        "rows",
        dir.run(["--json", "--pre=*.rot=tr a-z n-za-m", "m"]).bytes,
    );
    let counts = "2 replayed, 1 in decoded text, 0 in compressed files, 0 wrong, 0 not read\n";
    dir.run(["--verify", "rows"]).ends(0, "", counts);
}

/// The type decides, not what the bytes look like, and the output is recognised.
#[test]
fn the_output_for_an_attachment_is_recognised() {
    let dir = script(
        "test -f /dev/stdin && echo '<html>' http://$#.example/ $URLGREP_PATH/; cat <<'E'\n\
         <a href=http://a.example/?a=1&amp;b=2>x</a>\nE",
    );
    dir.write("m", with_attachment("text/csv", "../x;/$(touch y)-.rot"));
    dir.run(["--pre=text/csv=./s --", "-C0", "--host=1.example", "m"])
        .is("http://1.example/ $(touch y)-.rot/\n");
    dir.run([
        "--pre=text/csv=./s",
        "--format={role} {member} {url}",
        "--host=a.example",
        "m",
    ])
    .is("attachment ../x;/$(touch y)-.rot!pre http://a.example/?a=1&b=2\n");
    assert!(!dir.path().join("y").exists());
    // An attached message can have attachments too.
    let inner = with_attachment("x/y", "b").replace("From ann", "X: ann");
    let outer = with_attachment("message/rfc822", "in.eml");
    let outer = outer.replace("Content-Transfer-Encoding: base64\n", "");
    dir.write("m", outer.replace("dWdnYzovL24ucmtuemN5ci8K", &inner));
    dir.run([
        "--pre=x/y=tr a-z n-za-m",
        "--format={part} {url}",
        "--host=a.example",
        "m",
    ])
    .is("3.3 http://a.example/\n");
}

#[test]
fn an_attachment_that_is_not_converted_is_a_fault_of_its_file() {
    let dir = script("tr a-z n-za-m; echo 'no luck: \x1b[31m' >&2; exit 3");
    dir.write("m", with_attachment("a/b", "b\u{7}.rot").repeat(2));
    let found = "http://body.example/\nhttp://html.example/\nhttp://a.example/\n".repeat(2);
    let text = dir.read("m");
    let offsets = memchr::memmem::find_iter(&text, "dWdn");
    let errors: String = offsets
        .map(|at| format!("urlgrep: m: byte {at}: part 3, b\\x07.rot: ./s: no luck: \\x1B[31m\n"))
        .collect();
    for threads in ["-j1", "-j2"] {
        let out = dir.run([threads, "--pre=*.rot=./s", "m"]);
        assert_eq!(out.errors, errors);
        out.ends(2, &found, "no luck");
    }
    dir.write("m", with_attachment("a/b", "").repeat(2));
    let out = dir.run(["-c", "--max-decompressed=5", "--pre=a/b=./s", "m"]);
    assert!(
        out.errors
            .contains(": part 3, a/b: ./s: ended after 5 bytes of output (--max-decompressed)\n"),
        "{}",
        out.errors
    );
    out.ends(2, "4\n", "ended");
    let out = dir.run(["-c", "--pre=a/b=./none", "m"]);
    let none = "urlgrep: --pre: no program `./none`\n";
    assert_eq!(out.errors, none);
    out.ends(2, "4\n", none);
}
