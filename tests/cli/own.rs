//! `--generate`, and the file of arguments that `URLGREP_CONFIG_PATH` names.

use std::process::{Command, Stdio};

use super::kit::{Dir, Out, TEXT, run};

/// True if this program is installed.
fn has(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .stdout(Stdio::null())
        .status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        eprintln!("left out: {program} is not installed");
    }
    found
}

#[test]
fn bash_completes() {
    let dir = Dir::new();
    assert_eq!(
        dir.shell("\"$U\" --generate complete-bash >c").code,
        Some(0)
    );
    if !has("bash") {
        return;
    }
    let complete = |words: &str| {
        // The input of bash when the tab key is pressed after the words. After `=` the
        // last word is empty.
        let script = format!(
            "source ./c && declare -F _urlgrep >/dev/null && complete -p urlgrep >/dev/null
            COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            word=${{COMP_WORDS[COMP_CWORD]}}
            _urlgrep urlgrep \"${{word#=}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
            printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut command = Command::new("bash");
        command
            .args(["--norc", "-c", &script])
            .current_dir(dir.path());
        let out = run(&mut command, None);
        assert_eq!((out.code, out.errors.as_str()), (Some(0), ""), "{words}");
        out.text()
    };
    assert_eq!(complete("urlgrep --unique-p"), "--unique-per-message\n");
    assert_eq!(complete("urlgrep --color a"), "auto\nalways\n");
    assert!(complete("urlgrep --gen").contains("--generate"));
    for (line, end) in LISTS {
        let (option, value) = line.split_once(['=', ' ']).unwrap();
        let line = format!("urlgrep {option} = {value}");
        assert_eq!(complete(&line), format!("{end}\n"), "{line}");
    }
    assert_eq!(complete("urlgrep --role body,qu"), "body,quoted\n");
    assert!(complete("urlgrep --tally =").starts_with("url\nhost\n"));
    // Paths, which bash knows: for a mode without a value, after it, and at the beginning.
    for line in ["urlgrep --tally fol", "urlgrep --tally ''", "urlgrep ''"] {
        assert_eq!(complete(line), "\n", "{line}");
    }
}

/// What is typed, and the last word after the tab key.
const LISTS: &[(&str, &str)] = &[
    ("--fields sur", "surt"),
    ("--fields=url,sur", "url,surt"),
    ("--fields url,sur", "url,surt"),
    ("--scheme gop", "gopher"),
    ("--scheme ftp,gop", "ftp,gopher"),
    ("--exclude-scheme=ftp,gop", "ftp,gopher"),
    ("--role body,qu", "body,quoted"),
    ("--form bare,wr", "bare,wrapped"),
    ("--tally=fol", "folder"),
    ("--tally=year,fol", "year,folder"),
    ("--csv=ex", "excel"),
];

#[test]
fn zsh_completes() {
    let dir = Dir::new();
    assert_eq!(dir.shell("\"$U\" --generate complete-zsh >c").code, Some(0));
    if !has("zsh") {
        return;
    }
    // A shell in a terminal, in which each line is typed, then tab, then a key that prints
    // the line.
    let mut script = String::from(
        "zmodload zsh/zpty || exit 3; zpty shell zsh -f -i
        zpty -w shell 'autoload -U compinit && compinit -D -u && source ./c; unsetopt beep
          show() { print -r -- \"<<$LBUFFER>>\"; LBUFFER= }; zle -N show; bindkey ^X show
          print READY$((1 + 1))'
        zpty -r shell out '*READY2*'\n",
    );
    // The last one is no list, because its value follows `=` only.
    let lines = LISTS.iter().copied().chain([("--tally dom", "dom")]);
    for (line, _) in lines.clone() {
        script += &format!("zpty -w -n shell $'urlgrep {line}\\t\\x18'\n");
        script += "zpty -r shell out '*<<*>>*'; out=${out##*<<}; print -r -- ${out%%>>*}\n";
    }
    dir.write("s", script + "zpty -d shell");
    let out = dir.shell("HOME=. TERM=dumb timeout 60 zsh -f s");
    assert_eq!((out.code, out.errors.as_str()), (Some(0), ""));
    let text = out.text();
    assert_eq!(text.lines().count(), lines.clone().count());
    for ((line, end), found) in lines.zip(text.lines()) {
        let option = &line[..=line.find(['=', ' ']).unwrap()];
        // A comma after an element vanishes if a blank is typed.
        let found = found.trim_end_matches([' ', ',']);
        assert_eq!(found, format!("urlgrep {option}{end}"));
    }
}

#[test]
fn fish_completes() {
    let dir = Dir::new();
    assert_eq!(
        dir.shell("\"$U\" --generate complete-fish >c").code,
        Some(0)
    );
    if !has("fish") {
        return;
    }
    dir.write("folder", "");
    let complete = |line: &str| {
        let test =
            format!("HOME=. fish --no-config -c 'source ./c; complete -C \"urlgrep {line}\"'");
        let out = dir.shell(&test);
        assert_eq!((out.code, out.errors.as_str()), (Some(0), ""), "{line}");
        out.text()
    };
    assert!(complete("--unique-p").starts_with("--unique-per-message"));
    for (line, end) in LISTS {
        let text = complete(line);
        let word = text.split(['\t', '\n']).next().unwrap();
        let option = line
            .split_once('=')
            .map_or(String::new(), |(o, _)| format!("{o}="));
        assert_eq!(word, format!("{option}{end}"), "{line}");
    }
    assert_eq!(complete("--tally fol"), "folder\n");
}

#[test]
fn powershell_loads_its_completions() {
    let dir = Dir::new();
    let kind = "\"$U\" --generate complete-powershell >c.ps1 && test -s c.ps1";
    assert_eq!(dir.shell(kind).code, Some(0));
    if has("pwsh") {
        let out = dir.shell("HOME=. pwsh -NoProfile -Command '. ./c.ps1'");
        assert_eq!((out.code, out.errors.as_str()), (Some(0), ""));
    }
}

#[test]
fn the_manual_page_renders() {
    let dir = Dir::new();
    assert_eq!(dir.shell("\"$U\" --generate man >urlgrep.1").code, Some(0));
    for (tool, render) in [
        ("mandoc", "mandoc -T utf8 -W error urlgrep.1 | col -b"),
        (
            "man",
            "MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l urlgrep.1 | col -b",
        ),
    ] {
        if !has(tool) || !has("col") {
            continue;
        }
        let out = dir.shell(render);
        assert_eq!((out.code, out.errors.as_str()), (Some(0), ""), "{tool}");
        let text = out.text().replace(['\u{2010}', '\u{2212}'], "-");
        for part in [
            "EXAMPLES",
            "FIELDS",
            "EXIT STATUS",
            "ENVIRONMENT",
            "URLGREP_CONFIG_PATH",
            "--files0-from -",
            "message_id",
        ] {
            assert!(text.contains(part), "{tool}: {part}\n{text}");
        }
    }
}

/// Runs the command with a file of arguments.
fn with_config(dir: &Dir, config: &str, args: &[&str]) -> Out {
    dir.write("rc", config);
    run(
        dir.command().env("URLGREP_CONFIG_PATH", "rc").args(args),
        None,
    )
}

#[test]
fn a_file_of_arguments() {
    let dir = Dir::with("a", TEXT);
    let config = "\u{FEFF}# ours\n\n  --scheme\r\n ftp,mailto\n--line-number\n";
    with_config(&dir, config, &["a"]).is("2:ftp://b.example/2\n3:mailto:joe@c.example\n");
    // Arguments of the command line come later.
    with_config(
        &dir,
        "--color=always\n-u",
        &["--color=never", "--host=a.example", "a"],
    )
    .is("http://a.example/1\n");
    with_config(&dir, "-n", &["--no-config", "--host=b.example", "a"]).is("ftp://b.example/2\n");
    with_config(&dir, "", &["--host=b.example", "a"]).is("ftp://b.example/2\n");
    for args in [["--version"], ["--generate=man"]] {
        assert_eq!(with_config(&dir, "--bad", &args).code, Some(0), "{args:?}");
    }
    // A default in the file needs no other option.
    with_config(&dir, "--fields=line,url\n-w", &["--host=b.example", "a"])
        .is("ftp://b.example/2\n");
    with_config(
        &dir,
        "--fields=line,url",
        &["--tsv", "--host=b.example", "a"],
    )
    .is("line\turl\n2\tftp://b.example/2\n");
    with_config(&dir, "--csv", &["--fields=line", "--host=b.example", "a"]).is("line\n2\n");
    let mut unset = dir.command();
    unset
        .env("URLGREP_CONFIG_PATH", "")
        .args(["--host=b.example", "a"]);
    run(&mut unset, None).is("ftp://b.example/2\n");
}

#[test]
fn a_wrong_file_of_arguments_is_named_with_its_line() {
    let dir = Dir::with("a", TEXT);
    for (config, error) in [
        (
            "-u\n\n--nosuch\n-n",
            "rc:3: --nosuch: no such option; --help lists all options (URLGREP_CONFIG_PATH)",
        ),
        (
            "-u\n[urlgrep]",
            "rc:2: `[urlgrep]` is no option and no file (URLGREP_CONFIG_PATH)",
        ),
        (
            "host=a.example",
            "rc:1: `host=a.example` is no option and no file; an option begins with hyphens: --host",
        ),
        (
            "-u # once",
            "rc:1: a line is one argument; a comment needs a line of its own",
        ),
        (
            "# x\n--color=blue",
            "rc:2: invalid value 'blue' for '--color <WHEN>'",
        ),
        (
            "-u\n--host",
            "rc:2: a value is required for '--host <GLOB>'",
        ),
        (
            "-u\n--headers list",
            "rc:2: a line is one argument: `--headers=list`, or `list` on the next line \
             (URLGREP_CONFIG_PATH)",
        ),
        (
            "--json\n--csv\n",
            "rc:2: the argument '--json' cannot be used with '--csv[=<READER>]'",
        ),
        (
            "--host\na.example\n--host\nb.example\n--color\nblue\n--host\nc.example",
            "rc:5: invalid value 'blue'",
        ),
        (
            &format!("--bad{}", "\n-ex".repeat(20_000)),
            "rc:1: --bad: no such option",
        ),
        (
            "--no-join",
            "rc (URLGREP_CONFIG_PATH) and the command line together: \
             the argument '--no-join' cannot be used with '--check'; --no-config ignores the file",
        ),
    ] {
        with_config(&dir, config, &["--check", "a"]).fails(error);
    }
    let mut missing = dir.command();
    missing.env("URLGREP_CONFIG_PATH", "none").arg("a");
    run(&mut missing, None)
        .fails("urlgrep: none: No such file or directory (URLGREP_CONFIG_PATH)\n");
}
