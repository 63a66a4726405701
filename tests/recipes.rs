//! Runs the recipes of `docs/recipes.md` if their programs are installed.
//!
//! Each block of the page is run in a copy of `testdata/jobs`, which is also the
//! home folder. It must print something or write a file, and print no error. A
//! block with `needs=PROGRAM,…` is skipped if the program is not installed.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PAGE: &str = include_str!("../docs/recipes.md");

/// A page with a URL and a link. Their slashes are escaped, so urlgrep alone does not
/// find them.
const PAPER: &str = r"%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 200]/Contents 4 0 R/Annots[6 0 R]/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 64>>stream
BT /F 12 Tf 20 100 Td (see http:\057\057paper.example\057one) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
6 0 obj<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(http:\057\057paper.example\057two)>>>>endobj
trailer<</Root 1 0 R>>
";

/// Makes a letter with the page, and, if their programs are installed, a message of Outlook
/// and an archive of 7-Zip.
const PAPERS: &str = r#"
    mkdir letters && exec 3>letters/1.eml
    printf 'From: a@b.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: application/pdf; name=paper.pdf\nContent-Transfer-Encoding: base64\n\n' >&3
    base64 papers/rfc.pdf >&3
    mkdir backup saved && printf 'http://seven.example/\n' >seven.txt
    ! command -v 7z || 7z a -bd backup/a.7z seven.txt
    ! command -v msgconvert || perl -e '
        use OLE::Storage_Lite;
        my %data = ("__properties_version1.0" => "\0" x 32, "__substg1.0_1000001E" => "http://msg.example/\n",
            "__substg1.0_007D001E" => "From: a\@b.example\nDate: Thu, 1 Jan 1998 00:00:00 +0000\n\n");
        my @files = map { OLE::Storage_Lite::PPS::File->new(s/(.)/$1\0/gr, $data{$_}) } keys %data;
        OLE::Storage_Lite::PPS::Root->new(undef, undef, \@files)->save("saved/a.msg");'
"#;

/// The code blocks of a language. Each block has the text after the language on
/// its first line, and its body.
fn blocks(language: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let body = lines.by_ref().take_while(|line| *line != "```");
        let body: String = body.flat_map(|line| [line, "\n"]).collect();
        let (found, rest) = info.split_once(' ').unwrap_or((info, ""));
        if found == language {
            blocks.push((rest, body));
        }
    }
    blocks
}

/// A copy of the archive.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Home {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("recipes-{name}"));
        let _ = fs::remove_dir_all(&home);
        let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/jobs");
        copy(&archive, &home);
        Home(home)
    }

    fn run(&self, program: &str, args: &[&str], input: &str) -> Output {
        let here = Path::new(env!("CARGO_BIN_EXE_urlgrep")).parent().unwrap();
        let old = env::var_os("PATH").unwrap_or_default();
        let path = [here.to_path_buf()]
            .into_iter()
            .chain(env::split_paths(&old));
        let mut child = Command::new(program)
            .args(args)
            .current_dir(&self.0)
            .env("PATH", env::join_paths(path).unwrap())
            .env("HOME", &self.0)
            .env("NOTMUCH_CONFIG", self.0.join("notmuch-config"))
            .env_remove("URLGREP_CONFIG_PATH")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap()
    }

    fn has(&self, program: &str) -> bool {
        let found = self.run("sh", &["-c", &format!("command -v {program}")], "");
        found.status.success()
    }

    /// Adds messages to `inbox`, a public-inbox archive, if git is installed. They
    /// have the numbers below `end`.
    fn inbox(&self, end: u32) -> bool {
        const ADD: &str = r#"
            export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
            export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
            export GIT_DIR=inbox/git/$1.git
            test -e $GIT_DIR || git init --quiet --bare $GIT_DIR
            add() {
                tree=$(printf '100644 blob %s\t%s\n' "$blob" $1 | git mktree)
                last=$(git rev-parse --quiet --verify HEAD || true)
                git update-ref HEAD $(echo x | git commit-tree $tree ${last:+-p $last})
            }
            blob=$(printf 'From: a@b.example\nDate: Thu, 1 Jan 1998 00:00:00 +0000\nMessage-ID: <%s@b.example>\n\nhttp://a.example/%s\n' $2 $2 | git hash-object -w --stdin)
            add m
            add d
            git gc --quiet"#;
        self.has("git")
            && (0..end).all(|number| {
                let epoch = (number % 2).to_string();
                let args = ["-e", "-c", ADD, "sh", &epoch, &number.to_string()];
                self.run("sh", &args, "").status.success()
            })
    }

    /// Every file with its size.
    fn files(&self) -> Vec<String> {
        let list = self.run("sh", &["-c", "find . -type f -exec wc -c {} +"], "");
        let text = String::from_utf8(list.stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The output of a block. It must have a result, and print no error.
#[track_caller]
fn works(home: &Home, block: &str, program: &str, args: &[&str], input: &str) -> String {
    let before = home.files();
    let out = home.run(program, args, input);
    let (text, errors) = (
        out.stdout,
        String::from_utf8_lossy(&out.stderr).into_owned(),
    );
    assert!(
        out.status.success() && errors.is_empty(),
        "{block}\n{:?}\n{errors}",
        out.status
    );
    assert!(
        !text.is_empty() || before != home.files(),
        "{block}\ndoes nothing"
    );
    String::from_utf8(text).unwrap()
}

/// Makes what the blocks read: an index of notmuch, and files of other formats, each if its
/// program is installed.
fn prepare(home: &Home) {
    if home.has("notmuch") {
        let path = home.0.display();
        let config = format!("[database]\npath={path}/Mail\n[user]\nname=a\nprimary_email=a@b\n");
        let tags = "[new]\ntags=new\n";
        fs::write(home.0.join("notmuch-config"), config + tags).unwrap();
        let indexed = home.run("notmuch", &["new", "--quiet"], "");
        assert!(indexed.status.success(), "{indexed:?}");
    }
    home.inbox(2);
    fs::create_dir(home.0.join("papers")).unwrap();
    fs::write(home.0.join("papers/rfc.pdf"), PAPER).unwrap();
    let made = home.run("sh", &["-e", "-c", PAPERS], "");
    assert!(made.status.success(), "{made:?}");
}

/// Runs all blocks whose programs are installed.
fn run_blocks(home: &Home) {
    let (mut tried, mut left_out) = (0, Vec::new());
    for (info, block) in blocks("sh") {
        match info.strip_prefix("needs=") {
            Some(programs) if !programs.split(',').all(|one| home.has(one)) => {
                left_out.push(programs);
            }
            _ => {
                works(home, &block, "sh", &["-e", "-c", &block], "");
                tried += 1;
            }
        }
    }
    eprintln!("{tried} recipes tried; left out: {left_out:?}");
    assert!(tried >= 7);
}

#[test]
fn commands() {
    let home = Home::new("sh");
    prepare(&home);
    run_blocks(&home);
}

/// Values that a stranger can write into any field, and that a shell, SQL, a query of notmuch, a
/// spreadsheet or a program with options would obey. None of them may make the file `pwned`.
const HOSTILE: &[&str] = &[
    "$(touch pwned)",
    "`touch pwned`",
    "';touch pwned;'",
    "\";touch pwned;\"",
    "x;touch pwned;x",
    "x|touch pwned|x",
    "x&touch pwned&x",
    "x>pwned",
    "-x --output=pwned",
    "--exec=touch pwned",
    "$(touch$IFS'pwned')",
    "x'); DROP TABLE hits; --",
    "x\"); DROP TABLE hits; --",
    "'; ATTACH DATABASE 'pwned' AS p; CREATE TABLE p.t (x); --",
    "=cmd|'/c touch pwned'!A1",
    "\\(env)",
    "\\\") | halt",
    "%s%n {url} {subject}",
    "*) (delete-file pwned",
    "x or tag:new",
    "x or *",
    "*",
    "x) or (tag:new",
    "\"x\" or tag:new",
    "x\" or \"tag:new",
    "x tag:new",
    "x or id:1@honest.example",
    "..",
    "not",
    "",
];

/// The links of a message with such a field. A URL has no blanks and no double quotes, but all
/// else that a shell reads.
const HOSTILE_LINKS: &str = "http://bank.example/ <http://bank.example/$(touch$IFS'pwned')>
<http://bank.example/;touch$IFS'pwned';> <http://bank.example/&touch$IFS'pwned'&>
<http://bank.example/'$(touch$IFS'pwned')'> <http://bank.example/*?a=*&b=!1>
<javascript:alert('pwned')> <file:///etc/passwd>
";

/// Adds messages with hostile values to each place that the blocks read. Returns the ids of
/// those whose id is a word.
fn poison(home: &Home) -> Vec<&'static str> {
    let mut mailbox = String::new();
    for (number, value) in HOSTILE.iter().enumerate() {
        // The last one has no Message-ID.
        let id = if value.is_empty() {
            String::new()
        } else {
            format!("Message-ID: <{value}>\n")
        };
        let message = format!(
            "From: {value} <{value}@evil.example>\nDate: Thu, 1 Jan 1998 00:00:00 +0000\n\
             Subject: {value}\nList-Id: {value} <x.{value}.example>\nNewsgroups: {value}\n{id}\
             MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=q\n\n--q\n\n{HOSTILE_LINKS}\n\
             --q\nContent-Type: text/html\n\n\
             <a href=\"http://evil.example/{number}\">http://bank.example/</a>\n\
             --q\nContent-Type: text/csv; name*=utf-8''{}.csv\n\nnothing\n--q--\n",
            value.replace(['%', ' ', '"', '\\'], "%20"),
        );
        fs::write(home.0.join(format!("Mail/cur/{number}.evil")), &message).unwrap();
        mailbox += &format!("From a@b.example Thu Jan  1 00:00:00 1998\n{message}\n");
    }
    fs::write(home.0.join("lists/evil.mbox"), &mailbox).unwrap();
    fs::write(home.0.join("pipermail/evil.txt"), &mailbox).unwrap();
    let is_word = |value: &&&str| {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || ".!#$%&+/=?^_{|}~@-".contains(c);
        !value.is_empty() && value.chars().all(is_safe)
    };
    HOSTILE.iter().filter(is_word).copied().collect()
}

/// No value of a field is read as anything else than a value.
#[test]
fn a_hostile_field_is_no_code() {
    let home = Home::new("hostile");
    let words = poison(&home);
    prepare(&home);
    let files = home.files().len();
    run_blocks(&home);
    assert!(home.files().len() > files);
    let find = ["-c", "find . -name 'pwned*' -o -name '*pwned'"];
    assert_eq!(
        String::from_utf8_lossy(&home.run("sh", &find, "").stdout),
        ""
    );

    if home.has("notmuch") {
        let ask = |args: &[&str]| {
            let out = home.run("notmuch", args, "").stdout;
            let mut lines: Vec<_> = String::from_utf8(out)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect();
            lines.sort();
            lines
        };
        let tagged = ask(&["search", "--output=messages", "--exclude=false", "tag:bank"]);
        let evil: Vec<_> = tagged
            .iter()
            .filter(|id| HOSTILE.contains(&&id[3..]))
            .collect();
        let mut expected: Vec<_> = words.iter().map(|id| format!("id:{id}")).collect();
        expected.sort();
        assert!(evil.iter().copied().eq(&expected), "{evil:?}");
        // Each of the others has a link to the host.
        let linking = home.run(
            "urlgrep",
            &["--host=bank.example", "--format={mid}", "Mail"],
            "",
        );
        let linking = String::from_utf8(linking.stdout).unwrap();
        for id in tagged {
            assert!(linking.lines().any(|mid| mid == &id[3..]), "{id}");
        }
    }
    if home.has("sqlite3") {
        let ask = |sql: &str| {
            let out = home.run("sqlite3", &["hits.db", sql], "");
            String::from_utf8(out.stdout).unwrap()
        };
        let rows = home.run("urlgrep", &["-c", "--no-filename", "lists"], "");
        let rows = String::from_utf8(rows.stdout).unwrap();
        let rows: u64 = rows.lines().map(|row| row.parse::<u64>().unwrap()).sum();
        assert_eq!(ask("SELECT count(*) FROM hits"), format!("{rows}\n"));
        assert_eq!(ask("SELECT count(*) FROM sqlite_master"), "1\n");
        for value in HOSTILE.iter().filter(|value| !value.is_empty()) {
            let value = value.replace('\'', "''");
            let sql = format!("SELECT count(*) > 0 FROM hits WHERE subject = '{value}'");
            assert_eq!(ask(&sql), "1\n", "{value}");
        }
    }
}

/// mutt's shell gets no value of a message. The links are arguments of `xdg-open`.
#[test]
fn a_hostile_link_is_one_argument() {
    let home = Home::new("links");
    poison(&home);
    let tools = home.0.join("tools");
    fs::create_dir(&tools).unwrap();
    for (name, text) in [
        ("fzf", "#!/bin/sh\ncat\n"),
        (
            "xdg-open",
            "#!/bin/sh\nprintf '%s %s\\n' $# \"$1\" >>opened\n",
        ),
    ] {
        fs::write(tools.join(name), text).unwrap();
        let made = home.run("chmod", &["+x", &format!("tools/{name}")], "");
        assert!(made.status.success());
    }
    let message = "Mail/cur/0.evil";
    let links = home.run("urlgrep", &["-u", message], "").stdout;
    let links = String::from_utf8(links).unwrap();
    let expected: String = links.lines().map(|link| format!("1 {link}\n")).collect();
    assert!(expected.lines().count() > 6);

    let (_, block) = &blocks("muttrc")[0];
    let between = |from: &str| {
        let start = block.find(from).unwrap() + from.len();
        let end = block[start..].find("<enter>").unwrap();
        block[start..start + end].replace(r"\\", r"\")
    };
    let pipe = between("<pipe-message>");
    let escape = between("<shell-escape>");
    let line = format!("PATH=$PWD/tools:$PATH; ({pipe}) <{message} && {escape}");
    let out = home.run("sh", &["-e", "-c", &line], "");
    assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
    assert_eq!(fs::read_to_string(home.0.join("opened")).unwrap(), expected);

    // The line that opens a link by its number.
    let all = blocks("sh");
    let (_, block) = all
        .iter()
        .find(|(_, block)| block.contains("echo xdg-open"))
        .unwrap();
    for (at, link) in links.lines().enumerate() {
        let line = block
            .replace("Mail/cur/990000001.M1.host", message)
            .replace("sed -n 3p", &format!("sed -n {}p", at + 1));
        let out = home.run("sh", &["-e", "-c", &line], "");
        let out = String::from_utf8(out.stdout).unwrap();
        assert_eq!(out, format!("xdg-open {link}\n"));
    }
    let find = home.run("find", &[".", "-name", "*pwned*"], "");
    assert!(find.stdout.is_empty(), "{find:?}");
}

/// The page says that the seeds are sorted.
#[test]
fn the_seeds_are_in_the_order_of_an_index() {
    let home = Home::new("seeds");
    let block = blocks("sh")
        .into_iter()
        .find(|(_, block)| block.contains("seeds.txt"));
    works(&home, "seeds", "sh", &["-e", "-c", &block.unwrap().1], "");
    let seeds = fs::read_to_string(home.0.join("seeds.txt")).unwrap();
    let hosts: Vec<&str> = seeds
        .lines()
        .filter_map(|url| url.split('/').nth(2))
        .collect();
    assert!(hosts.len() > 5 && seeds.lines().all(|url| url.starts_with("http")));
    let keys = |host: &&str| {
        host.to_lowercase()
            .split('.')
            .rev()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(hosts.iter().map(keys).is_sorted(), "{seeds}");
}

/// Each file has the link whose text is another URL. The id of STIX is that of
/// Python's `uuid5` for `{"value":"http://phish.example.net/login?b=1&c=2"}`.
#[test]
fn indicators_of_reported_mail() {
    let home = Home::new("indicators");
    if !home.has("jq") || !home.has("python3") {
        eprintln!("skipped: jq or python3 is not installed");
        return;
    }
    let phish = "http://phish.example.net/login?b=1&c=2";
    for name in ["bundle.json", "event.json"] {
        let all = blocks("sh");
        let (_, block) = all.iter().find(|(_, block)| block.contains(name)).unwrap();
        works(&home, block, "sh", &["-e", "-c", block], "");
        let text = fs::read_to_string(home.0.join(name)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let list = match name {
            "bundle.json" => &value["objects"],
            _ => &value["Event"]["Attribute"],
        };
        let row = list
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["value"] == phish);
        match name {
            "bundle.json" => assert_eq!(
                row.unwrap()["id"],
                "url--911441da-3c71-521d-92fd-e14faa4c2d6a"
            ),
            _ => assert_eq!(row.unwrap()["to_ids"], true),
        }
    }
}

#[test]
fn a_night_after_another() {
    let home = Home::new("nights");
    let blocks = blocks("sh");
    for part in ["-newer stamp", "--start-at"] {
        let (_, block) = blocks
            .iter()
            .find(|(_, block)| block.contains(part))
            .unwrap();
        works(&home, block, "sh", &["-e", "-c", block], "");
        let first = fs::read_to_string(home.0.join("links.jsonl")).unwrap();
        assert!(first.lines().count() > 3);
        // The second night finds nothing, so the status is 1.
        let out = home.run("sh", &["-c", block], "");
        assert!(out.stderr.is_empty());
        assert_eq!(
            fs::read_to_string(home.0.join("links.jsonl")).unwrap(),
            first
        );
        fs::remove_file(home.0.join("links.jsonl")).unwrap();
    }
}

#[test]
fn each_commit_of_an_inbox_is_read_once() {
    let home = Home::new("inbox");
    if !home.inbox(2) {
        eprintln!("skipped: git is not installed");
        return;
    }
    let blocks: Vec<_> = blocks("sh")
        .into_iter()
        .filter(|(_, block)| block.contains("inbox/git"))
        .collect();
    let all = works(&home, "all", "sh", &["-e", "-c", &blocks[0].1], "");
    let row = |n| format!("1998-01-01T00:00:00Z\t<{n}@b.example>\thttp://a.example/{n}\n");
    assert_eq!(all, row(0) + &row(1));
    let links = || fs::read_to_string(home.0.join("links.jsonl")).unwrap();
    works(&home, "night", "sh", &["-e", "-c", &blocks[1].1], "");
    assert_eq!(links().lines().count(), 2);
    // The second night reads the new message only, although the old ones are added again. The
    // third finds nothing.
    home.inbox(3);
    for _ in 0..2 {
        let out = home.run("sh", &["-c", &blocks[1].1], "");
        assert!(out.stderr.is_empty(), "{out:?}");
        let urls = links().matches("\"url\":\"http://a.example/").count();
        assert_eq!((links().lines().count(), urls), (3, 3));
    }
    // The repository as a path is told.
    let out = home.run("urlgrep", &["inbox/git/0.git/objects"], "");
    let errors = String::from_utf8(out.stderr).unwrap();
    let error = ": its text was not read: git pack; \"public-inbox in git\" in docs/recipes.md \
        searches a git repository\n";
    assert!(errors.ends_with(error), "{errors}");
    assert!(PAGE.contains("\n## public-inbox in git\n"));
}

/// The mail programs that the block of Emacs is for, as far as it needs them, and then its keys.
const EMACS: &str = r#"
    (defvar notmuch-show-mode-map (make-sparse-keymap))
    (defun notmuch-show-pipe-message (_all command) (shell-command (concat "cat letter | " command)))
    (provide 'notmuch-show)
    (defvar mu4e-view-mode-map (make-sparse-keymap))
    (defun mu4e-message-field-at-point (_field) "letter")
    (provide 'mu4e-view)
    (load (expand-file-name "block.el") nil t)
    (dolist (map (list notmuch-show-mode-map mu4e-view-mode-map))
      (funcall (lookup-key map "u"))
      (with-current-buffer "*Shell Command Output*" (princ (buffer-string))))
"#;

#[test]
fn a_key_of_emacs_shows_the_links_of_a_message() {
    let home = Home::new("emacs");
    if !home.has("emacs") {
        eprintln!("skipped: Emacs is not installed");
        return;
    }
    let letter = "From: a@b.example\nSubject: x\n\n<http://a.example/\n b> http://c.example/\n";
    fs::write(home.0.join("letter"), letter).unwrap();
    fs::write(home.0.join("keys.el"), EMACS).unwrap();
    for (_, block) in blocks("elisp") {
        fs::write(home.0.join("block.el"), &block).unwrap();
        let out = home.run("emacs", &["-Q", "--batch", "-l", "./keys.el"], "");
        let links = "http://a.example/b\nhttp://c.example/\n";
        assert_eq!(
            String::from_utf8_lossy(&out.stdout),
            links.repeat(2),
            "{out:?}"
        );
    }
}

/// A window of 30 columns, in which the link needs two lines. Nobody is there to press the key, so
/// its command is run.
const PANE: &str = r#"
    export TMUX_TMPDIR=$PWD
    trap 'tmux kill-server' EXIT
    tmux -f tmux.conf new-session -d -x 30 -y 10 'cat pane; echo done; sleep 60'
    for try in $(seq 100); do
        ! tmux capture-pane -p | grep -q done || break
        sleep 0.1
    done
    tmux run-shell "$(sed -n 's/^bind-key u run-shell "\(.*\)"$/\1/p' tmux.conf)"
    tmux show-buffer
"#;

#[test]
fn a_key_of_tmux_copies_the_last_link() {
    let home = Home::new("tmux");
    if !home.has("tmux") {
        eprintln!("skipped: tmux is not installed");
        return;
    }
    let link = "http://a.example/a/path/of/sixty/characters/that/is/wrapped";
    fs::write(home.0.join("pane"), format!("http://b.example/ {link}\n")).unwrap();
    for (_, block) in blocks("tmux") {
        fs::write(home.0.join("tmux.conf"), &block).unwrap();
        let text = works(&home, &block, "sh", &["-e", "-c", PANE], "");
        assert_eq!(text, format!("{link}\n"));
    }
}

/// A screen of 40 columns with two links, one of them in three rows.
const SCREEN: &str = "see http://b.example/ and\nhttps://a.example/authorize?client=9d1c2\n\
    50ae61b44d988ed5944d1962f5e&type=code&st\nate=JRuz6oRjYyHrF2\ndone\n";
const LINKS: &str = "http://b.example/\nhttps://a.example/authorize?client=9d1c2\
    50ae61b44d988ed5944d1962f5e&type=code&state=JRuz6oRjYyHrF2\n";

/// Programs in the place of those that need a window. Who chooses among the links takes all.
const FAKES: &str = r#"
    PATH=$PWD/fakes:$PATH
    mkdir fakes
    printf '#!/bin/sh\nexec cat\n' >fakes/fzf
    printf '#!/bin/sh\necho "$1" >>opened\n' >fakes/xdg-open
    printf '#!/bin/sh\ntest "$*" = "cli get-text --start-line -200" && cat screen\n' >fakes/wezterm
    chmod +x fakes/*
"#;

/// kitty divides the line into words as a shell does.
const KITTY: &str = r#"
    eval "set -- $(sed -n 's/^map [^ ]* launch //p' kitty.conf)"
    test "$*" = "--type=overlay --stdin-source=@screen_scrollback sh -c $5"
    sh -c "$5" <screen
    cat opened
"#;

#[test]
fn kitty_and_wezterm_find_the_links_on_the_screen() {
    let home = Home::new("screens");
    fs::write(home.0.join("screen"), SCREEN).unwrap();
    let kitty = blocks("conf")
        .into_iter()
        .map(|(_, block)| (block, KITTY.to_owned()));
    let wezterm = blocks("sh")
        .into_iter()
        .filter(|(needs, _)| *needs == "needs=wezterm");
    let wezterm = wezterm.map(|(_, block)| (block.clone(), block));
    let all: Vec<_> = kitty.chain(wezterm).collect();
    assert_eq!(all.len(), 2);
    for (block, run) in all {
        fs::write(home.0.join("kitty.conf"), &block).unwrap();
        let script = format!("rm -rf fakes\n{FAKES}{run}");
        let text = works(&home, &block, "sh", &["-e", "-c", &script], "");
        assert_eq!(text, LINKS, "{block}");
    }
}

#[test]
fn mutt_reads_its_line() {
    let home = Home::new("mutt");
    if !home.has("mutt") {
        eprintln!("skipped: mutt is not installed");
        return;
    }
    for (_, block) in blocks("muttrc") {
        fs::write(home.0.join("muttrc"), &block).unwrap();
        works(&home, &block, "mutt", &["-nF", "muttrc", "-D"], "");
    }
}

#[test]
fn python_asks_a_process() {
    let home = Home::new("python");
    if !home.has("python3") {
        eprintln!("left out: python3 is not installed");
        return;
    }
    for (_, block) in blocks("python") {
        let text = works(&home, &block, "python3", &["-c", &block], "");
        assert_eq!(text, "1 http://a.example/\n2 http://a.example/\n");
    }
}
