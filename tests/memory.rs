//! The memory of the command is bounded on input made to use much memory. The
//! bench `hostile` measures every family at 8 and 64 MB. This test measures the
//! worst families at 8 MB, and a table: each kind of output, for the families that have
//! made one of them keep much, at two sizes. Without `URLGREP_SLOW` it measures some of them, at
//! half the size.
//!
//! The bounds of the table are beyond what the command needs for one short message (see [`own`]):
//! 11 MiB if it is optimised, and twice as much in a debug build, whose code is that much longer.
//!
//! It has no test harness, because the program launches itself (see [`peak`]).

#[path = "common/hostile_command.rs"]
mod command_families;
#[path = "common/hostile_mail.rs"]
mod mail_families;
#[path = "common/peak.rs"]
mod peak;

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use peak::Usage;
use tempfile::{NamedTempFile, TempDir};

/// The worst families of `cargo bench --bench hostile -- memory`, and families
/// that were among them before.
const WORST: [&str; 31] = [
    "a calendar of folds",
    "a calendar without end",
    "a calendar without line ends",
    "an XML section without end",
    "XML entities that expand",
    "XML declarations of names",
    "attached archives",
    "archives in messages in archives",
    "an unknown part of header fields",
    "unknown parts",
    "a field of one line, URLs",
    "HTML links",
    "HTML links of a byte",
    "HTML links and text",
    "HTML links and short words",
    "HTML links and other URLs",
    "HTML links after many entities",
    "HTML link without end",
    "html: links full of references",
    "html: links of a few references",
    "html: bases",
    "html: absolute links",
    "html: links and images",
    "html: a wrapper before many links",
    "mail: a long subject",
    "mail: many groups",
    "mime: long boundaries",
    "mime: a footer of URLs",
    "text: one line of URLs",
    "xz: streams of two bytes, windows of 128 MiB",
    "zip: members of unknown length",
];

/// Families that are run without `URLGREP_SLOW`, one or two of each kind of input. All would
/// take minutes of processor time.
const FEW: [&str; 6] = [
    "archives in messages in archives",
    "a field of one line, URLs",
    "HTML links and text",
    "mime: long boundaries",
    "text: one line of URLs",
    "zip: members of unknown length",
];

/// Families that are also run with `--json`. They have few hits with long rows,
/// or many hits in one header block.
const JSON: [&str; 3] = [
    "a field of one line, URLs",
    "html: links full of references",
    "mime: long boundaries",
];

/// Options with two threads, and their bounds in MiB: 16, and 4 or 8 a thread.
const MODES: [(&[&str], u64); 2] = [(&["-j2"], 24), (&["-j2", "--json"], 32)];

/// The bound of the table in MiB: with the 11 of the optimised command it stays below 24.
const BOUND: u64 = 12;
/// `--sort date` keeps 64 MiB of rows beside what the others need. A ledger, with the 11 of the
/// command, has the 110 MB of `docs/speed.md`.
const SORTED: u64 = BOUND + 64;
const LEDGER: u64 = 94;

/// The kinds of output: what each needs on the command line, and its bound. The name of a
/// file is added to `--ledger`. A command that is built without the last two leaves them out.
const OUTPUTS: &[(&[&str], u64)] = &[
    (&[], BOUND),
    (&["--json"], BOUND),
    (&["-n", "-b"], BOUND),
    (&["-u"], BOUND),
    (&["-C0"], BOUND),
    (&["-C1"], BOUND),
    (&["-B2", "--column"], BOUND),
    (&["--heading"], BOUND),
    (&["--tally"], BOUND),
    (&["--sort", "date"], SORTED),
    (&["--report", "-"], BOUND),
    (&["--ledger"], LEDGER),
];

/// The families of the table. Their URLs are the same, or a few that are repeated, so that `-u`
/// keeps few.
const SHAPES: [&str; 17] = [
    "a calendar of folds",
    "a calendar without end",
    "attached archives",
    "HTML links",
    "HTML links and text",
    "html: absolute links",
    "html: bases",
    "html: conditional comments",
    "html: images without text",
    "html: links full of words",
    "html: links of a few references",
    "html: many attributes",
    "mime: a footer of URLs",
    "text: one line of URLs",
    "xml: a value without end",
    "xml: attributes",
    "xml: relationships",
];

/// The part of the table that is run without `URLGREP_TABLE`. The whole table takes twenty
/// minutes in a debug build. `URLGREP_COMMAND` names another build of the command, which is
/// measured in its place.
const FEW_OUTPUTS: &[(&[&str], u64)] =
    &[(&["--json"], BOUND), (&["-C0"], BOUND), (&["-C1"], BOUND)];
const FEW_SHAPES: [&str; 3] = [
    "html: bases",
    "html: images without text",
    "xml: attributes",
];

fn main() {
    if peak::launched() {
        return;
    }
    // `cargo test NAME` selects other tests.
    let mut names = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    if names.next().is_some_and(|name| !"memory".contains(&name)) {
        return;
    }
    let mail = mail_families::families().into_iter().map(|f| (f, true));
    let command = command_families::families().into_iter().map(|f| (f, false));
    let mut families: Vec<_> = mail.chain(command).collect();
    let slow = std::env::var_os("URLGREP_SLOW").is_some();
    let (wanted, size) = if slow { (&WORST[..], 8) } else { (&FEW[..], 4) };
    families.retain(|(family, _)| wanted.contains(&family.name));
    assert_eq!(families.len(), wanted.len());

    let families = Mutex::new(families);
    let over = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for worker in 0..2 {
            let (families, over) = (&families, &over);
            scope.spawn(move || {
                let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
                let file = folder.join(format!("memory-{}-{worker}", std::process::id()));
                loop {
                    let Some((family, is_mail)) = families.lock().expect("no panic").pop() else {
                        break;
                    };
                    let found = measure(&family, is_mail, size << 20, &file);
                    over.lock().expect("no panic").extend(found);
                }
                fs::remove_file(file).expect("a temporary file");
            });
        }
    });
    let mut over = over.into_inner().expect("no panic");
    let is_whole = std::env::var_os("URLGREP_TABLE").is_some();
    over.extend(table(slow, is_whole));
    over.extend(missing_files());
    if is_whole && exists(&["--report", "-"]) {
        over.extend(different_rows());
    }
    over.extend(slow.then(large_part).flatten());
    assert!(over.is_empty(), "{over:#?}");
    println!("memory: {} families of {size} MB: ok", wanted.len());
}

/// The cells of the table that exceed the bound, or take a fifth more memory for the larger
/// of two inputs. An output that keeps rows has only its bound. If it is neither slow nor whole,
/// each family has one kind of output.
fn table(slow: bool, is_whole: bool) -> Vec<String> {
    let (outputs, shapes) = if is_whole {
        (OUTPUTS, &SHAPES[..])
    } else {
        (FEW_OUTPUTS, &FEW_SHAPES[..])
    };
    let outputs = outputs.iter().filter(|(output, _)| exists(output));
    let outputs: Vec<_> = outputs.copied().collect();
    // Below 2 MB not all buffers are full.
    let sizes = if is_whole { [4, 16] } else { [2, 4] };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("table-{}", std::process::id()));
    let mail = mail_families::families().into_iter().map(|f| (f, true));
    let command = command_families::families().into_iter().map(|f| (f, false));
    let mut families: Vec<_> = mail.chain(command).collect();
    families.retain(|(family, _)| shapes.contains(&family.name));
    assert_eq!(families.len(), shapes.len());
    let own: Vec<_> = outputs.iter().map(|(output, _)| own(output)).collect();
    let mut over = Vec::new();
    for (n, (family, is_mail)) in families.into_iter().enumerate() {
        let mut peaks = Vec::new();
        let (outputs, own) = if slow || is_whole {
            (&outputs[..], &own[..])
        } else {
            (&outputs[n..=n], &own[n..=n])
        };
        for size in sizes {
            let bytes = family.make(size << 20);
            let read_as = if is_mail { peak::as_mail(&bytes) } else { &[] };
            fs::write(&file, bytes).expect("a temporary file");
            for (output, _) in outputs {
                let Usage { code, peak, .. } = run(&[*output, read_as].concat(), &file);
                let name = family.name;
                assert!(matches!(code, 0 | 1), "{name} {output:?}: status {code}");
                peaks.push(peak);
            }
        }
        let (small, large) = peaks.split_at(outputs.len());
        for (i, &(output, bound)) in outputs.iter().enumerate() {
            let grows = bound == BOUND && large[i] > small[i] + small[i] / 5;
            if grows || large[i] > own[i] + (bound << 20) {
                let (own, small, large) = (own[i] >> 10, small[i] >> 10, large[i] >> 10);
                let name = family.name;
                over.push(format!(
                    "{name} {output:?}: {small} and {large} KiB, {own} for itself"
                ));
            }
        }
    }
    fs::remove_file(file).expect("a temporary file");
    over
}

/// True if the command has this output. Two are features; this program may have been built without
/// those of the command that `URLGREP_COMMAND` names.
fn exists(output: &[&str]) -> bool {
    let is_built = match output[..] {
        ["--report", ..] => cfg!(feature = "report"),
        ["--ledger"] => cfg!(feature = "ledger"),
        _ => true,
    };
    is_built || run(output, Path::new("/dev/null")).code < 2
}

/// The peak of the command with `options` for one short message: its code, and what every run needs.
fn own(options: &[&str]) -> u64 {
    let file = NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), "From: a@b.example\n\nhttp://a.example/\n").expect("a temporary file");
    let Usage { code, peak, .. } = run(options, file.path());
    assert_eq!(code, 0, "{options:?}");
    peak
}

/// Runs the command with one thread. A ledger is a new one, in a folder of its own.
fn run(options: &[&str], file: &Path) -> Usage {
    let folder = TempDir::new().expect("a temporary folder");
    let ledger = folder.path().join("links.db");
    let mut args = vec!["-j1"];
    for option in options {
        args.push(option);
        args.extend(ledger.to_str().filter(|_| *option == "--ledger"));
    }
    args.extend(file.to_str());
    peak::measure(&args).expect("the launcher")
}

/// The runs of `--report` over rows that are all different, and exceed the bound, or take a
/// fifth more memory for the larger of two inputs. The smaller ones fill the tables of the page.
fn different_rows() -> Vec<String> {
    let messages = |i: usize| {
        format!(
            "From a@b Thu Jan  1 00:00:00 1998\nFrom: Ann {i} <a{i}@a{i}.example>\n\
            Newsgroups: a.b{i},c.d{i}\nSubject: x\n\nhttp://a{i}.example/\n\n"
        )
    };
    let names = |i: usize| {
        format!(
            "From a@b Thu Jan  1 00:00:00 1998\nFrom: {}{i} <a{}@a.example>\nSubject: x\n\n\
            http://a.example/\n\n",
            "x".repeat(190),
            i / 16
        )
    };
    let groups = |i: usize| {
        let group = format!("{i}{},", ".groups".repeat(27));
        format!(
            "From a@b Thu Jan  1 00:00:00 1998\nFrom: a@b.example\nNewsgroups: {}\n\
            Subject: x\n\nhttp://a.example/\n\n",
            group.repeat(64)
        )
    };
    let texts = |i: usize| format!("http://a{i}.x/\n");
    let shapes: [(&str, &dyn Fn(usize) -> String); 4] = [
        ("messages", &messages),
        ("names of authors", &names),
        ("long groups", &groups),
        ("URLs", &texts),
    ];
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("different-{}", std::process::id()));
    let own = own(&["--report", "-"]) >> 10;
    let mut over = Vec::new();
    for (name, make) in shapes {
        let [small, large] = [8, 16].map(|size: usize| {
            let mut bytes = String::new();
            let mut i = 0;
            while bytes.len() < size << 20 {
                bytes += &make(i);
                i += 1;
            }
            fs::write(&file, bytes).expect("a temporary file");
            let Usage { code, peak, .. } = run(&["--report", "-"], &file);
            assert_eq!(code, 0, "{name}");
            peak >> 10
        });
        if large > own + (BOUND << 10) || large > small + small / 5 {
            over.push(format!(
                "--report of different {name}: {small} and {large} KiB, {own} for itself"
            ));
        }
    }
    fs::remove_file(file).expect("a temporary file");
    over
}

/// The run over a list of 8 MB with names of missing files, if it exceeds its
/// bound.
fn missing_files() -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let list = folder.join(format!("list-{}", std::process::id()));
    fs::write(&list, "missing\n".repeat(1 << 20)).expect("a temporary file");
    let args = ["-j2", "--files-from", list.to_str()?];
    let Usage { code, peak, .. } = peak::measure(&args).expect("the launcher");
    fs::remove_file(list).expect("a temporary file");
    (code != 2 || peak > MODES[0].1 << 20)
        .then(|| format!("names of missing files: status {code}, {} KiB", peak >> 10))
}

/// The run over a message with an archive of 1 GiB that is not encoded, if it exceeds its
/// bound. The part is held in a temporary file, and its last member is found.
fn large_part() -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("large-{}", std::process::id()));
    let member = |len: u64| {
        let mut block = [0; 512];
        block[0] = b'a';
        block[124..136].copy_from_slice(format!("{len:011o} ").as_bytes());
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    };
    let make = || {
        let mut file = fs::File::create(&path)?;
        file.write_all(b"From: a\nSubject: b\nContent-Type: application/x-tar\n\n")?;
        file.write_all(&member(1 << 30))?;
        // The zeros need no room on the disk.
        file.seek(SeekFrom::Current(1 << 30))?;
        file.write_all(&member(512))?;
        file.write_all(&[b' '; 512 - 17])?;
        file.write_all(b"http://a.example/")
    };
    make().expect("a sparse file");
    let args = ["-j2", "--max-attachment", "4M", path.to_str()?];
    let Usage { code, peak, .. } = peak::measure(&args).expect("the launcher");
    fs::remove_file(path).expect("a temporary file");
    // A buffer that has doubled beyond the limit, and the one it is copied from.
    let bound = MODES[0].1 + 12;
    (code != 0 || peak > bound << 20)
        .then(|| format!("a part of 1 GiB: status {code}, {} KiB", peak >> 10))
}

/// The runs that exceed their bounds.
fn measure(family: &mail_families::Family, is_mail: bool, size: usize, file: &Path) -> Vec<String> {
    let bytes = family.make(size);
    let read_as = if is_mail { peak::as_mail(&bytes) } else { &[] };
    fs::write(file, bytes).expect("a temporary file");
    let mut over = Vec::new();
    let modes = if JSON.contains(&family.name) { 2 } else { 1 };
    for (args, bound) in MODES.into_iter().take(modes) {
        let args = [args, read_as].concat();
        let all: Vec<_> = args.iter().copied().chain(file.to_str()).collect();
        let Usage { code, peak, .. } = peak::measure(&all).expect("the launcher");
        if code < 0 || peak > bound << 20 {
            let name = family.name;
            over.push(format!(
                "{name} {args:?}: status {code}, {} KiB",
                peak >> 10
            ));
        }
    }
    over
}
