//! A test of every pair of options. Either both change the output, or the pair
//! is refused, or it is in the reviewed list [`HARMLESS`].

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgAction, CommandFactory};

use super::args::Args;
use super::config::{Config, Mode};
use super::conflicts;
use super::help;
use super::search::Search;
use super::write::Writer;

/// Values for the options that need one.
const VALUES: [(&str, &str); 40] = [
    ("after_context", "1"),
    ("before_context", "1"),
    ("context", "1"),
    ("glob", "*.txt"),
    ("max_depth", "1"),
    ("files_from", "list"),
    ("files0_from", "list0"),
    ("batch", "lines"),
    ("start_at", "9"),
    ("end_at", "90"),
    ("sort", "date"),
    ("threads", "1"),
    ("segment_size", "64"),
    ("profile", "rfc1738"),
    ("hyphen", "drop"),
    ("regexp", "b"),
    ("pattern_file", "patterns"),
    ("scheme", "http"),
    ("exclude_scheme", "ftp"),
    ("host", "b.example"),
    ("exclude_host", "a.example"),
    ("form", "bare"),
    ("max_count", "2"),
    ("read_as", "text"),
    ("headers", "all"),
    ("role", "body,quoted"),
    ("since", "2002-06-04"),
    ("until", "2002-06-04"),
    ("from", "Joe"),
    ("to", "bob"),
    ("exclude_from", "Joe"),
    ("exclude_to", "bob"),
    ("exclude_subject", "one"),
    ("message_id", "1@a.example"),
    ("subject", "one"),
    ("group", "list"),
    ("format", "{url}\t{line}"),
    ("fields", "url"),
    ("color", "always"),
    ("hyperlink", "always"),
];

/// Options that change neither the hits nor standard output, and options that
/// read other input.
const SILENT: [&str; 24] = [
    "pre",
    "pre_timeout",
    "corroborate",
    "ledger",
    "ledger_transaction",
    "merge",
    "report",
    "title",
    "threads",
    "segment_size",
    "max_window",
    "max_decompressed",
    "max_attachment",
    "notes",
    "stats",
    "line_buffered",
    "no_progress",
    "no_messages",
    "only_matching",
    "recursive",
    "no_config",
    "follow",
    "generate",
    "batch",
];

const MBOX: &str = "From x@y.example Wed Jun  5 10:12:41 2002\nFrom: Joe <joe@a.example>\nTo: Bob <bob@b.example>\n\
    Subject: one http://s.example/\nList-Id: <list.a.example>\nX-Trace: http://trace.example/\n\
    Message-ID: <1@a.example>\nDate: Wed, 5 Jun 2002 10:12:41 +0200\n\n\
    a\nsee http://a.example/1 and http://b.example/2 and http://h_st/\n> http://q.example/\nb\n\
    http://a.example/1 again\n-- \nhttp://sig.example/b\n\n\
    From x@y.example Mon Jun  3 10:12:41 2002\nFrom: Ann <ann@b.example>\nSubject: two\n\
    Date: Mon, 3 Jun 2002 10:12:41 +0200\nContent-Transfer-Encoding: quoted-printable\n\n\
    caf=C3=A9 http://b.exa=\nmple/3\nc http://a.example/1\n\n\
    From x@y.example Wed Jun  5 10:12:41 2002\nFrom: Joe <joe@a.example>\nSubject: one\n\
    Message-ID: <1@a.example>\nDate: Wed, 5 Jun 2002 10:12:41 +0200\n\nhttp://twice.example/b\n\n\
    From x@y.example Wed Jun  5 10:12:41 2002\nFrom: Joe <joe@a.example>\nSubject: one\n\
    List-Id: <list.a.example>\nX-Mozilla-Status: 0009\nDate: Wed, 5 Jun 2002 10:12:41 +0200\n\n\
    http://gone.example/b http://a.example/gone http://h_st/gone\n";
const TEXT: &str = "x\n<URL:http://a.exa-\nmple/x> ftp://f.example/B http://b.example/2\ny\nz\n\
    http://long.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/\nbbbb/c.html\n\
    http://B.example/\u{e9}b_b http://a.example/1 http://h_st/ <http://i.exam ple/b>\n\
    <URL:http://rej.example/^b> <URL:hyp://rej.example/^b>\nwww.s.example/b http://a-example/b http://a.example/1b\n\
    https://eur01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fu.example%2Fb&data=02\n\
    http://clean.example/b?utm_source=b\nhxxp://fang[.]example/b\n";

/// A message with a gzip file attached.
const ATTACHED: &str = "From: a@b.example\nSubject: file\nMIME-Version: 1.0\n\
    Content-Type: application/gzip\nContent-Transfer-Encoding: base64\n\n\
    H4sIAAAAAAACA8soKSmw0tdPLCnRS61IzC3ISdVP4gIAB43DXRUAAAA=\n";

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tmp/pairs");
    let folder = folder.join(std::process::id().to_string());
    fs::create_dir_all(folder.join("in/sub")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("in/m.mbox", MBOX);
    write("in/t.txt", TEXT);
    write("in/a.eml", ATTACHED);
    write("in/sub/u.txt", "none\n");
    write("in/sub/v.txt", "http://deep.example/b\n");
    let more = folder.join("more");
    fs::write(&more, "http://more.example/b\n").unwrap();
    write("list", &format!("{}\n", more.display()));
    write("list0", &format!("{}\0", more.display()));
    write("patterns", "a\nB\n");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut gzip, "http://gzip.example/b\n".repeat(9).as_bytes()).unwrap();
    fs::write(folder.join("in/z.gz"), gzip.finish().unwrap()).unwrap();
    folder
}

/// The output with these options. `None` if they are refused.
fn print(folder: &Path, options: &[&[OsString]]) -> Option<Vec<u8>> {
    let mut args = vec![OsString::from("urlgrep")];
    args.extend(options.concat());
    args.push(folder.join("in").into());
    let (args, matches) = help::parse(&args).ok()?;
    conflicts::check(&matches, &matches).ok()?;
    let config = Arc::new(Config::new(args).ok()?);
    if matches!(config.mode, Mode::Check | Mode::Verify) || config.args.other.batch.is_some() {
        return Some(b"another run".to_vec());
    }
    let mut out = Vec::new();
    let mut writer = Writer::new(&config, &mut out);
    let engine = config.engine().threads(1).build();
    engine.run_here(config.inputs(), Search::new(&config), |delivery| {
        writer.take(delivery)
    });
    writer.finish();
    Some(out)
}

/// The arguments for each option that has an effect.
fn options(folder: &Path) -> BTreeMap<String, Vec<OsString>> {
    let mut options = BTreeMap::new();
    for arg in Args::command().get_arguments() {
        let id = arg.get_id().as_str();
        let is_foreign = arg.is_hide_set() && arg.get_short().is_some();
        if arg.is_positional() || SILENT.contains(&id) || is_foreign {
            continue;
        }
        let long = arg.get_long().unwrap_or_else(|| panic!("{id} has no name"));
        if matches!(long, "help" | "version") {
            continue;
        }
        let mut typed = OsString::from(format!("--{long}"));
        // `--tally` can have a value, but does not need one.
        let needs_value = arg
            .get_num_args()
            .is_none_or(|number| number.min_values() > 0);
        let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        if takes_value && needs_value {
            let value = VALUES.iter().find(|(name, _)| *name == id);
            let value = value
                .unwrap_or_else(|| panic!("{id} needs a value in this test"))
                .1;
            typed.push("=");
            if matches!(id, "files_from" | "files0_from" | "pattern_file") {
                typed.push(folder.join(value));
            } else {
                typed.push(value);
            }
        }
        let mut all = partner(id);
        all.push(typed);
        options.insert(id.to_owned(), all);
    }
    options
}

#[test]
fn every_pair_is_different_or_refused_or_reviewed() {
    let folder = folder();
    let options = options(&folder);
    let none = print(&folder, &[]).unwrap();
    let alone: BTreeMap<_, _> = options
        .iter()
        .map(|(id, option)| (id, print(&folder, &[option])))
        .collect();
    let without: Vec<&str> = alone
        .iter()
        .filter(|(id, out)| **out == print(&folder, &[&partner(id)]))
        .map(|(id, _)| id.as_str())
        .collect();
    let reviewed: Vec<&str> = HARMLESS_ALONE.iter().map(|(id, _)| *id).collect();
    assert_eq!(without, reviewed, "without an effect");
    let mut found = BTreeSet::new();
    for (one, first) in &options {
        for (other, second) in options.range::<String, _>(one.clone()..).skip(1) {
            let Some(both) = print(&folder, &[first, second]) else {
                continue;
            };
            // One option has no effect together with the other.
            let is_lost = |lost: &String, kept: &String| {
                let has_effect = alone[lost].as_ref().is_some_and(|out| *out != none);
                has_effect && partner(kept) != options[lost] && alone[kept].as_ref() == Some(&both)
            };
            if is_lost(one, other) {
                found.insert((one.clone(), other.clone()));
            }
            if is_lost(other, one) {
                found.insert((other.clone(), one.clone()));
            }
        }
    }
    // OK to ignore: the folder holds scratch files.
    let _ = fs::remove_dir_all(&folder);
    let new: Vec<_> = found
        .iter()
        .filter(|(lost, kept)| !is_harmless(lost, kept))
        .map(|(lost, kept)| format!("{lost} is lost beside {kept}"))
        .collect();
    assert!(new.is_empty(), "{} pairs\n{}", new.len(), new.join("\n"));
}

/// The option that `id` needs, or without which `id` has no effect.
fn partner(id: &str) -> Vec<OsString> {
    let partner = match id {
        "fields" => "--csv",
        "no_filename" => "--line-number",
        "null" => "--with-filename",
        "invert_match" => "--host=b.example",
        "word_regexp" => "--regexp=b",
        "line_regexp" => "--regexp=http://.*example/[b1]",
        "fixed_strings" => "--regexp=a.example/",
        "ignore_case" => "--regexp=/B",
        "smart_case" => "--regexp=/b",
        _ => return Vec::new(),
    };
    vec![partner.into()]
}

fn is_harmless(lost: &str, kept: &str) -> bool {
    let has = |list: &[&str], id: &str| list.contains(&id) || list == ["*"];
    HARMLESS
        .iter()
        .any(|(losing, keeping, _)| has(losing, lost) && has(keeping, kept))
}

/// Options that select the input, or that select or sort the hits. All of them
/// apply together. An option has no effect if another leaves no hit that it
/// would change.
const FINDS: &[&str] = &[
    "authored",
    "clean",
    "exclude_from",
    "exclude_host",
    "exclude_scheme",
    "exclude_subject",
    "exclude_to",
    "files0_from",
    "files_from",
    "fixed_strings",
    "form",
    "from",
    "glob",
    "group",
    "headers",
    "host",
    "hyphen",
    "ignore_case",
    "invert_match",
    "line_regexp",
    "message_id",
    "max_count",
    "max_depth",
    "no_attachments",
    "no_decode",
    "no_decompress",
    "no_doubtful",
    "no_join",
    "pattern_file",
    "profile",
    "read_as",
    "refang",
    "regexp",
    "rejects",
    "role",
    "scheme",
    "since",
    "skip_deleted",
    "smart_case",
    "sort",
    "subject",
    "to",
    "www",
    "unique",
    "unique_message",
    "unique_per_message",
    "until",
    "unwrap",
    "word_regexp",
];

/// Options that print lines of text.
const LINES: &[&str] = &["after_context", "before_context", "context"];

/// Options that have no effect alone, and the reason.
const HARMLESS_ALONE: &[(&str, &str)] = &[];

/// Pairs in which an option has no effect: the options without effect, the
/// other options, and the reason.
const HARMLESS: &[(&[&str], &[&str], &str)] = &[
    (&["*"], &["quiet"], "-q prints nothing"),
    (&["*"], &["cautions"], "no URL of the files has a caution"),
    (
        FINDS,
        FINDS,
        "the other option leaves no hit that it would change",
    ),
    (FINDS, LINES, "the line of the hit is the same"),
    (
        FINDS,
        &["count", "files_with_matches", "files_without_match"],
        "the file has as many hits, or any",
    ),
    (
        LINES,
        LINES,
        "-A, -B and -C print the line of the hit, and -C sets both",
    ),
    (
        &["with_filename"],
        &[
            "line_number",
            "byte_offset",
            "column",
            "heading",
            "count",
            "tally",
            "vimgrep",
        ],
        "of several files the path is printed anyway; a tally has none",
    ),
    (
        &["with_filename"],
        &["files_with_matches", "files_without_match"],
        "the path is printed anyway",
    ),
    (
        &["line_number", "byte_offset", "column", "no_filename"],
        &["count", "files_with_matches", "files_without_match"],
        "as in grep, a count and a path have no place",
    ),
    (
        &["count"],
        &["files_with_matches"],
        "as in ripgrep, the last one decides",
    ),
    (
        &[
            "with_filename",
            "line_number",
            "byte_offset",
            "column",
            "no_filename",
        ],
        &["json"],
        "the rows have these keys",
    ),
    (
        &["null"],
        &["tally"],
        "a tally has no paths before its rows",
    ),
    (
        &["line_number", "column"],
        &["vimgrep"],
        "--vimgrep prints both",
    ),
    (
        &["color", "hyperlink"],
        &["json", "format", "csv", "tsv", "fields", "explain"],
        "rows have no colours and no hyperlinks",
    ),
    (
        &["color"],
        &["tally"],
        "beside --csv, --tsv and --json a tally has no colours",
    ),
    (
        &["clean"],
        &["json", "format", "fields", "explain", "rejects"],
        "rows have both URLs",
    ),
    (
        &["hyperlink"],
        &["rejects"],
        "a reject is not a URL to open",
    ),
    (
        &[
            "profile",
            "color",
            "glob",
            "max_depth",
            "files_from",
            "files0_from",
            "sort",
        ],
        &["check", "verify"],
        "another run, which this test does not make",
    ),
];
