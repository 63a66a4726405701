//! Names, headers and URLs cannot forge output.

#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use urlgrep_base::escape::is_hidden;

use super::kit::{Dir, HOSTILE, Out, hostile};

/// Sets of options, and the number of lines that each prints.
const OPTIONS: &[(&[&str], usize)] = &[
    (&["-Hnb", "--column"], 7),
    (&["-H", "--headers", "all"], 7),
    (&["--rejects", "-H"], 1),
    (&["-l"], 1),
    (&["-c"], 1),
    (&["-Hc"], 1),
    (&["--tally"], 5),
    (&["--json"], 7),
    (&["--json", "--rejects=both", "--notes"], 8),
    (
        &["--format", "{path}:{subject} {from} {message_id} {url}"],
        7,
    ),
    (&["--format", "{path}\\t{subject}\\t{url}"], 7),
    (&["--heading", "-H"], 10),
];

/// Checks that the output cannot control a terminal. `also` is allowed.
#[track_caller]
fn harmless(out: &Out, also: &str, what: &[&str]) {
    let text = std::str::from_utf8(&out.bytes);
    let text = text.unwrap_or_else(|_| panic!("no UTF-8: {what:?}"));
    let bad = |c: char| is_hidden(c) && c != '\n' && !also.contains(c);
    assert!(!text.chars().any(bad), "{what:?}: {}", text.escape_debug());
    assert!(
        !out.errors.chars().any(|c| is_hidden(c) && c != '\n'),
        "{what:?}: {}",
        out.errors.escape_debug()
    );
}

#[test]
fn a_pipe_gets_whole_lines_and_fields() {
    let dir = hostile();
    for &(options, lines) in OPTIONS {
        let out = dir.run(options.iter().chain(&["."]));
        assert_eq!(out.code, Some(0), "{options:?} {}", out.errors);
        let count = out.bytes.iter().filter(|&&b| b == b'\n').count();
        assert_eq!(count, lines, "{options:?}: {}", out.bytes.escape_ascii());
        harmless(&out, "\t", options);
        let tabs = match options {
            ["--rejects", ..] | ["--tally"] => 1,
            ["--format", template] => template.matches("\\t").count(),
            _ => 0,
        };
        for line in out.bytes.split_inclusive(|&b| b == b'\n') {
            let found = line.iter().filter(|&&b| b == b'\t').count();
            assert_eq!(found, tabs, "{options:?}: {}", line.escape_ascii());
        }
        if options[0] == "--json" {
            harmless(&out, "", options);
            for line in out.text().lines() {
                let _: serde_json::Value = serde_json::from_str(line).expect("JSON");
            }
        }
    }
}

/// Characters that end a line for some readers, that change the order of the
/// text, or that cannot be seen.
const HIDDEN: &str =
    "\u{ad}\u{200b}\u{200d}\u{2028}\u{2029}\u{2060}\u{2066}\u{2067}\u{2068}\u{2069}\u{feff}";

/// In every output for people, a URL has these characters percent-encoded. Rows
/// for programs have the URL as it was found.
#[test]
fn no_url_is_printed_with_hidden_characters() {
    let dir = Dir::new();
    let escaped =
        |c: char| -> String { c.to_string().bytes().map(|b| format!("%{b:02X}")).collect() };
    let mut text = String::from(
        "From: a@b.example\nSubject: s\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n",
    );
    for c in HIDDEN.chars() {
        text += &format!(
            "<p>&lt;http://a.example/{c}?{c}#{c}&gt; <a href=\"http://t.example/{c}\">http://u.example/{c}</a>\n"
        );
        let inner: String = format!("http://i.example/{c}")
            .bytes()
            .map(|b| format!("%{b:02X}"))
            .collect();
        text += &format!(
            "<p>https://eur01.safelinks.protection.outlook.com/?url={inner}&amp;data=02 </p>\n"
        );
    }
    dir.write("m", &text);
    let fields = "{url} {canonical} {uri} {surt} {unwrapped} {alternates} {components} {target} {text} {readable} {url_path} {query} {fragment}";
    for options in [
        &[][..],
        &["-Hnb", "--column"],
        &["--vimgrep"],
        &["--heading"],
        &["--unwrap"],
        &["--unwrap", "--format", fields],
        &["--hyphen=both"],
        &["-u"],
        &["--sort=date"],
        &["--color=always"],
        &["--hyperlink=always"],
        &["--format", fields],
        &["--explain"],
        &["--tally"],
        &["--tally=url,host"],
        &["--batch"],
        #[cfg(feature = "report")]
        &["--report=-"],
        #[cfg(feature = "report")]
        &["--unwrap", "--report=-"],
    ] {
        let out = match options {
            ["--batch"] => dir.pipe(options, b"m\n"),
            _ => dir.run(options.iter().chain(&["m"])),
        };
        assert_eq!(out.code, Some(0), "{options:?}: {}", out.errors);
        let shown = out.text();
        for c in HIDDEN.chars() {
            let place = shown
                .find(c)
                .map(|at| shown[at.saturating_sub(40)..at].escape_debug().to_string());
            assert_eq!(place, None, "{options:?}: {c:?}");
            // The lists of a report are short.
            if !options.contains(&"--report=-") {
                assert!(shown.contains(&escaped(c)), "{options:?}: {c:?}\n{shown}");
            }
            if options.contains(&"--format") {
                assert!(!shown.contains("\\u{"), "{options:?}\n{shown}");
            }
        }
    }
    let json = dir.run(["--json", "m"]).text();
    let csv = dir.run(["--csv", "--fields=url", "m"]).text();
    assert!(!json.chars().any(|c| is_hidden(c) && c != '\n'));
    let urls: Vec<String> = json
        .lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
            row["url"].as_str().expect("a URL").to_owned()
        })
        .collect();
    for c in HIDDEN.chars() {
        // These are taken out of text that a page shows, but not of the address of a link.
        let is_taken_out = "\u{AD}\u{200B}\u{2060}\u{FEFF}".contains(c);
        let url = if is_taken_out {
            format!("http://t.example/{c}")
        } else {
            format!("http://a.example/{c}?{c}#{c}")
        };
        assert!(
            urls.contains(&url) && csv.lines().any(|line| line == url),
            "{c:?}"
        );
    }
}

/// The bytes before [`urlgrep_base::escape::path`] escaped them.
fn unescaped(shown: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = shown;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        rest = if let Some(hex) = escape.strip_prefix('x') {
            bytes.push(u8::from_str_radix(&hex[..2], 16).unwrap());
            &hex[2..]
        } else if let Some(hex) = escape.strip_prefix("u{") {
            let (hex, after) = hex.split_once('}').unwrap();
            let c = char::from_u32(u32::from_str_radix(hex, 16).unwrap()).unwrap();
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            after
        } else {
            bytes.push(b'\\');
            escape.strip_prefix('\\').expect("an escape")
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[test]
fn escaped_names_can_be_decoded() {
    let dir = Dir::new();
    let mut names: Vec<Vec<u8>> = [
        &b"a\nb"[..],
        b"a\\x0Ab",
        b"a\\\nb",
        b"a\\\\x0Ab",
        b"\xff",
        b"\\xFF",
        b"\xc2\x9b31m",
        b"\\u{9b}31m",
        b"\xe2\x80\xaeb",
        b"\\u{202e}b",
        "ü€".as_bytes(),
        b"\\",
        HOSTILE,
    ]
    .into_iter()
    .map(|name| name.iter().copied().filter(|&b| b != b'/').collect())
    .collect();
    names.sort();
    for name in &names {
        dir.write(OsStr::from_bytes(name), "http://a.example/\n");
    }
    for (options, end) in [(&["-l"][..], "\n"), (&["-H"], ":http://a.example/\n")] {
        let out = dir.run(options.iter().chain(&["."])).text();
        let lines = out.split_terminator(end);
        let shown: Vec<_> = lines.map(|line| unescaped(&line[2..])).collect();
        assert_eq!(shown, names, "{options:?}");
    }
    let out = dir.run(["-l0", "."]).bytes;
    let raw: Vec<_> = out.split(|&b| b == 0).filter(|n| !n.is_empty()).collect();
    assert!(
        raw.iter()
            .map(|n| &n[2..])
            .eq(names.iter().map(Vec::as_slice))
    );
}

#[test]
fn a_terminal_gets_nothing_hidden() {
    let dir = hostile();
    // `script` makes a pseudo-terminal, so that the test needs no terminal.
    let script = |line: &str| dir.shell(&format!("script -qec '{line}' /dev/null"));
    if cfg!(not(target_os = "linux")) || script("echo x").text() != "x\r\n" {
        return;
    }
    for &(options, lines) in OPTIONS {
        let quoted: Vec<_> = options.iter().map(|o| format!("\"{o}\"")).collect();
        let out = script(&format!("\"$U\" --color never {} .", quoted.join(" ")));
        let ends = out.text().matches("\r\n").count();
        assert_eq!(ends, lines, "{options:?}: {}", out.text().escape_debug());
        assert_eq!(out.text().matches('\r').count(), lines, "{options:?}");
        harmless(&out, "\r\t", options);
    }
    // Lines around hits are untrusted input too.
    let out = script("\"$U\" --color never -C3 -n --as text .");
    harmless(&out, "\r", &["-C3"]);
    // Our own hyperlinks are the only ones.
    let out = script("\"$U\" -n .").text();
    let links: Vec<_> = out.split("\x1b]8;;").skip(1).collect();
    assert!(
        links.len() > 2 && links.len() % 2 == 0,
        "{}",
        out.escape_debug()
    );
    for pair in links.chunks(2) {
        let (target, shown) = pair[0].split_once("\x1b\\").unwrap();
        assert!(shown.contains(target), "{pair:?}");
        assert!(pair[1].starts_with("\x1b\\"), "{pair:?}");
    }
    // An editor would show the bytes of an escape, unless it asks for them.
    for (environment, options, has_escapes) in [
        ("TERM=xterm", "-n", true),
        ("TERM=xterm", "--vimgrep", false),
        ("TERM=xterm", "--vimgrep --color always", true),
        ("TERM=xterm", "--vimgrep --hyperlink always", true),
        ("TERM=emacs-grep", "-n", false),
        ("TERM=eterm-color", "-n", false),
        ("TERM=xterm INSIDE_EMACS=28.2,comint", "-n", false),
        ("TERM=dumb", "-n", false),
        ("TERM=emacs-grep", "-n --color always", true),
    ] {
        let out = script(&format!("env {environment} \"$U\" {options} .")).text();
        assert!(out.contains("http://"), "{environment} {options}");
        assert_eq!(out.contains('\x1b'), has_escapes, "{environment} {options}");
    }
    // Our own colours are the only other escapes.
    let out = script("\"$U\" -n --hyperlink never .").text();
    let plain = out.replace("\x1b[0m", "").replace("\x1b[1m", "");
    let plain = plain.replace("\x1b[31m", "").replace("\x1b[32m", "");
    let plain = plain.replace("\x1b[35m", "").replace("\r\n", "\n");
    assert!(
        out != plain && !plain.contains('\x1b'),
        "{}",
        out.escape_debug()
    );
}

#[test]
fn messages_are_harmless() {
    let dir = hostile();
    dir.write("ok", "http://a.example/\n");
    let gone = b"gone\x1b[31m\nb\xff\xe2\x80\xae";
    let out = dir.run([OsStr::new("ok"), OsStr::from_bytes(gone)]);
    out.ends(
        2,
        "http://a.example/\n",
        "gone\\x1B[31m\\x0Ab\\xFF\\u{202e}: No such file",
    );
    assert_eq!(out.errors.lines().count(), 1);
    // A file name that the shell inserts for `*` may look like an option.
    for arg in [
        &b"--\x1b[31m\n\xff\xe2\x80\xae"[..],
        b"--profile=\x1b[31m\n",
        b"--segment-size=\x1b[31m\n",
        b"-j\x1b[31m",
        b"-e(\x1b[31m\xe2\x80\xae",
        b"--from=(\x1b[31m",
        b"--glob={\x1b[31m",
        b"--host={\x1b[31m",
        b"--since=\x1b[31m",
        b"--format={\x1b[31m",
        b"--files-from=\x1b[31m\n",
        b"-f\x1b[31m\n",
    ] {
        let out = dir.run([OsStr::from_bytes(arg), OsStr::new("ok")]);
        assert_eq!(out.code, Some(2), "{}", arg.escape_ascii());
        assert!(out.errors.contains("\\x1B[31m") || arg.starts_with(b"--format"));
        harmless(&out, "", &[&arg.escape_ascii().to_string()]);
    }
    // A pattern of two lines is shown on two lines.
    let out = dir.run(["-e", "(\n", "ok"]);
    assert!(out.code == Some(2) && out.errors.lines().count() > 1);
    for options in [&["--stats"][..], &["--notes"], &["--check"], &["--verify"]] {
        harmless(&dir.run(options.iter().chain(&["."])), "\t", options);
    }
}
