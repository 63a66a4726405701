//! The library as a program in C sees it. The programs in this folder are compiled with
//! `cc`, and linked with the library that Cargo has built for these tests.
//!
//! With `URLGREP_SANITIZE=1` the programs have AddressSanitizer. With
//! `URLGREP_VALGRIND=1` they run in valgrind. `URLGREP_MUTATIONS` is the number of
//! changed messages.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde::Deserialize;
use urlgrep::rows::{Field, Record, Row, Type, Value};
use urlgrep::search::{Match, Searcher};
use urlgrep::{Extractor, ExtractorBuilder, Form, Hyphen, Profile, Seam, Span};

#[allow(dead_code)]
#[path = "../../tests/common/rows.rs"]
mod rows;

/// A path of this crate.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

/// Compiles a program and links it with the library. Returns its path.
fn compile(source: &Path, is_static: bool) -> PathBuf {
    let name = source.file_stem().expect("a name").to_string_lossy();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c-{name}-{is_static}"));
    let library = std::env::current_exe().expect("the path of this program");
    let library = library.parent().expect("its folder");
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args([
        "-std=c99",
        "-pedantic",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-g",
        "-o",
    ]);
    cc.arg(&program).arg(source).arg("-I").arg(path("include"));
    cc.arg(format!(
        "-DEXPECTED_VERSION=\"{}\"",
        env!("CARGO_PKG_VERSION")
    ));
    if is_set("URLGREP_SANITIZE") {
        cc.arg("-fsanitize=address,undefined");
    }
    if is_static {
        cc.arg(library.join("liburlgrep_c.a"));
        cc.args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"]);
    } else {
        // The programs look for the library by its name of the binary interface.
        let name = library.join(format!("liburlgrep.so.{}", urlgrep_c::URLGREP_ABI));
        let made = std::os::unix::fs::symlink("liburlgrep_c.so", name);
        // OK: another test was earlier.
        made.or_else(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(error),
        })
        .expect("a link");
        cc.arg("-L").arg(library).arg("-lurlgrep_c");
        cc.arg(format!("-Wl,-rpath,{}", library.display()));
    }
    let status = cc.status().expect("a C compiler");
    assert!(status.success(), "{} does not compile", source.display());
    program
}

/// Runs a program. Returns its output.
fn run(program: &Path, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new(program);
    if is_set("URLGREP_VALGRIND") {
        command = Command::new("valgrind");
        command.args(["-q", "--error-exitcode=99", "--leak-check=full"]);
        command.args([
            "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite",
        ]);
        command.arg(program);
    }
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("a program");
    let mut stdin = child.stdin.take().expect("its input");
    let input = input.to_vec();
    // A program may print before it has read everything.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("its output");
    let written = writer.join().expect("the writer");
    assert!(
        output.status.success(),
        "{}: {}",
        program.display(),
        output.status
    );
    written.expect("all input is read");
    output.stdout
}

/// A row of `testdata/extract` or `testdata/mime`.
#[derive(Deserialize)]
struct Case {
    name: String,
    text: String,
    #[serde(default)]
    hit: Vec<Hit>,
    profile: Option<String>,
    hyphen: Option<String>,
    #[serde(default)]
    no_join: bool,
    #[serde(default)]
    no_doubtful: bool,
    #[serde(default)]
    no_rejects: bool,
    forms: Option<Vec<String>>,
    max_url: Option<usize>,
    #[serde(default)]
    refang: bool,
    /// The text is read as rows of a terminal, for which C has no option.
    #[serde(default)]
    terminal: bool,
}

#[derive(Deserialize)]
struct Hit {
    url: String,
}

/// The rows of a folder of testdata.
fn cases(folder: &str) -> Vec<Case> {
    #[derive(Deserialize)]
    struct File {
        #[serde(default)]
        row: Vec<Case>,
    }
    let folder = path("../testdata").join(folder);
    let entries = fs::read_dir(folder).expect("a folder");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files.retain(|file| file.extension().is_some_and(|e| e == "toml"));
    files
        .iter()
        .flat_map(|file| rows::read::<File>(file).row)
        .filter(|case| !case.terminal)
        .collect()
}

impl Case {
    fn text(&self) -> Vec<u8> {
        rows::unescape(&self.text.replace(['⟦', '⟧'], ""))
    }

    /// `both` is an option of the command. In the library the second URL is an alternate.
    fn drops_hyphens(&self) -> bool {
        self.hyphen.as_deref() == Some("drop")
    }

    /// The options by the names of C.
    fn options(&self) -> Vec<(&'static str, String)> {
        let mut options = vec![("rejects", (!self.no_rejects).to_string())];
        options.extend(self.profile.clone().map(|name| ("profile", name)));
        options.extend(self.drops_hyphens().then(|| ("hyphen", "drop".to_owned())));
        options.extend(self.forms.as_ref().map(|forms| ("forms", forms.join(","))));
        options.extend(self.max_url.map(|max| ("max-url", max.to_string())));
        options.extend(self.refang.then(|| ("refang", "true".to_owned())));
        options.extend(self.no_join.then(|| ("join", "false".to_owned())));
        options.extend(self.no_doubtful.then(|| ("doubtful", "false".to_owned())));
        options
    }

    /// The same options in Rust.
    fn builder(&self) -> ExtractorBuilder {
        let mut builder = Extractor::builder()
            .rejects(!self.no_rejects)
            .join(!self.no_join)
            .refang(self.refang)
            .doubtful(!self.no_doubtful);
        if let Some(profile) = &self.profile {
            builder = builder.profile(Profile::from_name(profile).expect("a profile"));
        }
        if self.drops_hyphens() {
            builder = builder.hyphen(Hyphen::Drop);
        }
        if let Some(forms) = &self.forms {
            let is_named = |form: &&Form| forms.iter().any(|name| name == form.name());
            builder = builder.forms(Form::ALL.iter().filter(is_named).copied());
        }
        if let Some(max) = self.max_url {
            builder = builder.url_max(max);
        }
        builder
    }
}

/// All fields, as the arguments of `hits.c`.
fn fields() -> Vec<String> {
    let mut fields = Vec::new();
    for field in Field::ALL {
        let name = field.name();
        match field.ty() {
            Type::Name | Type::Text => fields.push(format!("text:{name}")),
            Type::Number | Type::Flag => fields.push(format!("number:{name}")),
            Type::Time => fields.extend([format!("text:{name}"), format!("number:{name}")]),
            Type::Decoded => {
                fields.extend(["", ".segments", ".seams"].map(|part| format!("list:{name}{part}")))
            }
            _ => fields.push(format!("list:{name}")),
        }
    }
    fields
}

/// What `hits.c` prints for a hit.
fn print(found: &Match<'_>, out: &mut Vec<u8>) {
    let record = Record::new(None, *found);
    let row = Row::from(&record);
    out.extend_from_slice(b"hit\n");
    for &field in Field::ALL {
        let name = field.name();
        let mut scratch = Vec::new();
        match row.value(field, &mut scratch) {
            _ if field == Field::Path => {}
            Value::Null => {}
            Value::Name(text) => line(out, name, &[text.as_bytes()], &[]),
            Value::Text(text) => line(out, name, &[text], &[]),
            Value::Time(date) => {
                line(out, name, &[date.to_string().as_bytes()], &[]);
                writeln!(out, "{name} {}", date.unix_seconds()).expect("memory");
            }
            Value::Number(number) => line(out, name, &[], &[number]),
            Value::Flag(flag) => line(out, name, &[], &[flag.into()]),
            Value::Names(names) => {
                for item in names.iter() {
                    list(out, name, Some(item), None, [0; 4]);
                }
            }
            Value::Spans(spans) => print_spans(out, name, spans),
            Value::Seams(seams) => print_seams(out, name, seams),
            Value::Decoded(pieces) => {
                print_spans(out, name, &[pieces.span()]);
                print_spans(out, &format!("{name}.segments"), pieces.segments);
                print_seams(out, &format!("{name}.seams"), pieces.seams);
            }
            Value::Alternates(hit) => {
                for other in hit.alternates() {
                    list(out, name, Some(other.kind.name()), Some(other.url), [0; 4]);
                }
            }
            Value::Components(url) => {
                for (part, value) in url.iter().flat_map(|url| url.components()) {
                    list(out, name, Some(part), Some(value), [0; 4]);
                }
            }
            other => panic!("a new kind of value: {other:?}"),
        }
    }
}

fn print_spans(out: &mut Vec<u8>, name: &str, spans: &[Span]) {
    for span in spans {
        list(out, name, None, None, [span.start, span.end, 0, 0]);
    }
}

fn print_seams(out: &mut Vec<u8>, name: &str, seams: &[Seam]) {
    for seam in seams {
        let numbers = [seam.span.start, seam.span.end, seam.at, seam.len.into()];
        list(out, name, Some(seam.kind.name()), None, numbers);
    }
}

fn list(out: &mut Vec<u8>, name: &str, text: Option<&str>, value: Option<&str>, n: [u64; 4]) {
    out.extend_from_slice(name.as_bytes());
    for text in [text, value] {
        match text {
            Some(text) => write!(out, " {}:{text}", text.len()).expect("memory"),
            None => out.extend_from_slice(b" -"),
        }
    }
    line(out, "", &[], &n);
}

fn line(out: &mut Vec<u8>, name: &str, texts: &[&[u8]], numbers: &[u64]) {
    out.extend_from_slice(name.as_bytes());
    for text in texts {
        write!(out, " {}:", text.len()).expect("memory");
        out.extend_from_slice(text);
    }
    for number in numbers {
        write!(out, " {number}").expect("memory");
    }
    out.push(b'\n');
}

/// Two tests use this program.
static HITS: LazyLock<PathBuf> = LazyLock::new(|| compile(&path("tests/hits.c"), false));

/// Compares what C prints, case by case.
fn compare(names: &[String], script: &[u8], expected: &[Vec<u8>]) {
    let fields = fields();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let output = run(&HITS, &fields, script);
    let mut rest = &output[..];
    for (name, expected) in names.iter().zip(expected) {
        let (found, after) = rest.split_at(rest.len().min(expected.len()));
        let [found_text, expected_text] =
            [found, expected].map(|text| String::from_utf8_lossy(text));
        assert_eq!(found_text, expected_text, "{name}");
        assert_eq!(found, expected, "{name}");
        rest = after;
    }
    assert!(rest.is_empty(), "C prints more");
}

#[test]
fn every_text_of_testdata_is_equal_in_c() {
    let cases = cases("extract");
    let (mut script, mut expected, mut hits) = (Vec::new(), Vec::new(), 0);
    for case in &cases {
        let (text, mut lines) = (case.text(), Vec::new());
        writeln!(script, "new").expect("memory");
        for (option, value) in case.options() {
            writeln!(script, "set {option} {value}").expect("memory");
        }
        writeln!(script, "find {}", text.len()).expect("memory");
        script.extend_from_slice(&text);
        let extractor = case.builder().build();
        let mut urls = Vec::new();
        for hit in extractor.find_iter(&text) {
            print(&Match::plain(&hit), &mut lines);
            urls.push(String::from_utf8_lossy(hit.text()).into_owned());
        }
        let wanted = case.hit.iter().map(|hit| rows::unescape(&hit.url));
        let wanted: Vec<_> = wanted
            .map(|url| String::from_utf8_lossy(&url).into_owned())
            .collect();
        assert_eq!(urls, wanted, "{}", case.name);
        hits += urls.len();
        lines.extend_from_slice(b"end\n");
        expected.push(lines);
    }
    assert!(
        cases.len() > 1000 && hits > 1000,
        "{} texts, {hits} hits",
        cases.len()
    );
    let names: Vec<_> = cases.into_iter().map(|case| case.name).collect();
    compare(&names, &script, &expected);
}

/// The files of `testdata/strings`, JSON and tables, each attached to a message.
fn attached_strings() -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(path("../testdata/strings")).expect("a folder");
    let attach = |file: PathBuf| {
        let name = file.file_name().expect("a name").to_string_lossy();
        let message = format!(
            "From: a@b.example\nSubject: x\nMIME-Version: 1.0\n\
            Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://a.example/\n--b\n\
            Content-Type: application/json\n\
            Content-Disposition: attachment; filename=\"{name}\"\n\n"
        );
        let text = fs::read(&file).expect("a file");
        let all = [message.as_bytes(), &text, b"\n--b--\n"].concat();
        (file.display().to_string(), all)
    };
    let files = files.map(|entry| entry.expect("an entry").path());
    files.map(attach).collect()
}

/// The messages of testdata with their names.
fn messages() -> Vec<(String, Vec<u8>)> {
    let cases = cases("mime").into_iter().chain(cases("extract"));
    let mut messages: Vec<_> = cases.map(|case| (case.name.clone(), case.text())).collect();
    messages.extend(attached_strings());
    let mut folders = vec![path("../testdata/mail"), path("../testdata/jobs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    messages.push((path.display().to_string(), fs::read(&path).expect("a file")))
                }
            }
        }
    }
    messages
}

#[test]
fn every_message_of_testdata_is_equal_in_c() {
    let (mut script, mut expected, mut names) = (b"new\n".to_vec(), Vec::new(), Vec::new());
    let mut searcher = Searcher::default();
    for (name, message) in messages() {
        writeln!(script, "message {}", message.len()).expect("memory");
        script.extend_from_slice(&message);
        let mut lines = Vec::new();
        searcher.search_message(&message, |found| {
            print(found, &mut lines);
            ControlFlow::Continue(())
        });
        lines.extend_from_slice(b"end\n");
        expected.push(lines);
        names.push(name);
    }
    // The file has this URL with escaped slashes.
    let slack = names.iter().position(|name| name.ends_with("slack.json"));
    let lines = String::from_utf8_lossy(&expected[slack.expect("a message")]);
    assert!(lines.contains(":https://wiki.example/plan?"), "{lines}");
    compare(&names, &script, &expected);
}

#[test]
fn mutated_messages_break_nothing() {
    let mut input = Vec::new();
    for (_, message) in messages() {
        writeln!(input, "{}", message.len()).expect("memory");
        input.extend_from_slice(&message);
    }
    let count = std::env::var("URLGREP_MUTATIONS").unwrap_or_else(|_| "10000".to_owned());
    let program = compile(&path("tests/mutate.c"), false);
    let output = run(&program, &[&count], &input);
    println!("{}", String::from_utf8_lossy(&output));
}

#[test]
fn the_border_holds() {
    let program = compile(&path("tests/border.c"), false);
    let mail = path("../testdata/mail");
    run(&program, &[&mail.to_string_lossy()], b"");
}

/// The first block of code of this language in README.md.
fn readme(language: &str) -> String {
    let readme = fs::read_to_string(path("README.md")).expect("the README");
    let fence = format!("```{language}\n");
    let (_, code) = readme.split_once(&fence).expect("a block of code");
    let (code, _) = code.split_once("```").expect("its end");
    code.to_owned()
}

#[test]
fn the_example_of_the_readme_prints_what_it_says() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme.c");
    fs::write(&source, readme("c")).expect("a file");
    let program = compile(&source, true);
    let output = run(&program, &[], b"");
    assert_eq!(String::from_utf8_lossy(&output), readme("text"));
}

#[test]
fn the_header_is_made_from_the_comments() {
    let config = cbindgen::Config::from_file(path("cbindgen.toml")).expect("cbindgen.toml");
    let made = cbindgen::generate_with_config(path(""), config).expect("a header");
    let mut header = Vec::new();
    made.write(&mut header);
    let made = for_old_compilers(&String::from_utf8(header).expect("UTF-8"));
    let file = path("include/urlgrep.h");
    if is_set("URLGREP_WRITE_HEADER") {
        fs::write(&file, &made).expect("a file");
    }
    assert_eq!(
        made,
        fs::read_to_string(&file).expect("the header"),
        "see cbindgen.toml"
    );
}

/// C89 and C++98 have no comma at the end of an enumeration, and C89 no comments after `//`.
fn for_old_compilers(header: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in header.lines() {
        if line.starts_with("} ")
            && let Some(last) = lines.last_mut()
            && let Some(value) = last.strip_suffix(',')
        {
            *last = value.to_owned();
        }
        lines.push(match line.split_once(" //") {
            Some((code, comment)) => format!("{code} /*{comment} */"),
            None => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}

#[test]
fn old_compilers_accept_the_header() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("header.h");
    fs::write(&source, "#include \"urlgrep.h\"\n").expect("a file");
    for (language, standard) in [
        ("c", "c89"),
        ("c", "c2x"),
        ("c++", "c++98"),
        ("c++", "c++20"),
    ] {
        let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
        cc.args(["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
        cc.arg(format!("-std={standard}")).args(["-x", language]);
        cc.arg(&source).arg("-I").arg(path("include"));
        let output = cc.output().expect("a compiler");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{standard}: {message}");
    }
}

#[test]
fn the_number_of_the_interface_is_in_the_name_of_the_library() {
    let manifest = fs::read_to_string(path("Cargo.toml")).expect("a file");
    let version = format!("\nversion = \"{}.0.0\"\n", urlgrep_c::URLGREP_ABI);
    assert!(manifest.contains(&version));
    let script = fs::read_to_string(path("build.rs")).expect("a file");
    assert!(script.contains(&format!("liburlgrep.so.{}\"", urlgrep_c::URLGREP_ABI)));
}
