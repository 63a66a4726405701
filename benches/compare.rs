//! One table in one run: this library and command, the limits of the machine,
//! and other programs on the same texts.
//!
//! ```text
//! URLGREP_CORPUS=folder cargo bench --bench compare -- [--mb N] [--runs N] [TEXT...]
//! ```
//!
//! A text consists of files of the corpus. They are concatenated, and repeated
//! until there are at least `--mb` million bytes (400). Without a corpus the
//! texts are generated. All contenders of a text run in turns, `--runs` times (5). A speed is the
//! median of its turns. A ratio is the median of the ratios within each turn,
//! so a disturbance of the machine affects both sides.

mod common;

use std::env;
use std::fs;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use fluent_uri::Uri;
use linkify::{LinkFinder, LinkKind};
use mail_parser::MessageParser;
use urlgrep::scan::Scanner;
use urlgrep::url::validate;
use urlgrep::{Extractor, ExtractorBuilder, Hit, Profile};

/// The pattern that regex engines search for, as a rough equivalent.
const PATTERN: &str = r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>]+";

struct Options {
    mb: usize,
    runs: usize,
    texts: Vec<String>,
}

fn main() -> io::Result<()> {
    let mut options = Options {
        mb: 400,
        runs: 5,
        texts: Vec::new(),
    };
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|n| n.parse().ok());
        match arg.as_str() {
            "--bench" => {}
            "--mb" => options.mb = number().unwrap_or(options.mb),
            "--runs" => options.runs = number().unwrap_or(options.runs).max(1),
            _ => options.texts.push(arg),
        }
    }
    let corpus = common::corpus();
    println!(
        "urlgrep {}, {} processors, texts of {} MB, medians of {} turns; ratio: speed of urlgrep's \
         extractor (or command) = 1",
        env!("CARGO_PKG_VERSION"),
        std::thread::available_parallelism().map_or(1, usize::from),
        options.mb,
        options.runs
    );
    if corpus.is_none() {
        println!("URLGREP_CORPUS is not a folder: texts are generated");
    }
    let texts: Vec<(&str, Vec<u8>)> = match &corpus {
        Some(corpus) => common::TEXTS
            .iter()
            .map(|(name, files)| (*name, common::load(corpus, files)))
            .collect(),
        None => common::generated(4 << 20)
            .into_iter()
            .map(|sample| (sample.name, sample.bytes))
            .collect(),
    };
    let tools = Tools::find();
    for (name, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        if options.wants(name) {
            compare(name, text, &options, &tools)?;
        }
    }
    let all = texts.last().map_or(&[][..], |(_, text)| text);
    if options.wants("validator") {
        verdicts(all, &options);
    }
    if options.wants("messages") {
        messages(all, &options);
    }
    if options.wants("gzip") {
        gzip(all, &options, &tools)?;
    }
    if options.wants("files")
        && let (Some(corpus), Some(ours)) = (&corpus, &tools.ours)
    {
        files(corpus, ours, &options);
    }
    if options.wants("spool") {
        spool(&options, &tools)?;
    }
    if options.wants("start") {
        start(&options, &tools)?;
    }
    Ok(())
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        self.texts.is_empty() || self.texts.iter().any(|text| text == name)
    }
}

/// A contender: its name, the number of bytes that it reads, and a function that
/// searches them and returns the number of hits.
struct Contender<'t> {
    name: String,
    bytes: usize,
    run: Box<dyn FnMut() -> usize + 't>,
}

impl<'t> Contender<'t> {
    fn new(name: &str, bytes: usize, run: impl FnMut() -> usize + 't) -> Contender<'t> {
        Contender {
            name: name.into(),
            bytes,
            run: Box::new(run),
        }
    }
}

/// The result of a contender: seconds of each turn, bytes, hits.
struct Row {
    name: String,
    seconds: Vec<f64>,
    bytes: usize,
    hits: usize,
}

/// Runs all contenders in turns.
fn race(contenders: Vec<Contender<'_>>, runs: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut runners = Vec::new();
    for Contender { name, bytes, run } in contenders {
        rows.push(Row {
            name,
            seconds: Vec::new(),
            bytes,
            hits: 0,
        });
        runners.push(run);
    }
    for _ in 0..runs {
        for (row, run) in rows.iter_mut().zip(&mut runners) {
            let start = Instant::now();
            row.hits = run();
            row.seconds.push(start.elapsed().as_secs_f64());
        }
    }
    rows
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

impl Row {
    /// Bytes (or items) a second.
    fn speed(&self) -> f64 {
        self.bytes as f64 / median(self.seconds.clone())
    }

    /// The speed of this row divided by the speed of `other`.
    fn against(&self, other: &Row) -> f64 {
        let turns = self.seconds.iter().zip(&other.seconds);
        let scale = self.bytes as f64 / other.bytes as f64;
        median(turns.map(|(mine, its)| its / mine * scale).collect())
    }
}

fn print(rows: &[Row], base: &str) {
    let base = rows.iter().find(|row| row.name == base);
    for row in rows {
        let ratio = base.map_or("-".into(), |base| format!("{:.2}", row.against(base)));
        println!(
            "  {:<44} {:>9.1} {ratio:>8} {:>10}",
            row.name,
            row.speed() / 1e6,
            row.hits
        );
    }
}

/// Prints the gain of the second thread of the decoding command. Also prints the
/// gain of a second process, which shares nothing but the machine.
fn two_to_one(what: &str, rows: &[Row]) {
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    if let (Some(one), Some(pair)) = (find(DECODING), find(DECODING_PAIR)) {
        println!("  {what}, two processes to one: {:.2}", pair.against(one));
    }
    let what = format!("{what}, two threads to one");
    target(&what, rows, DECODING_ON_TWO, DECODING, 1.8);
}

/// Prints whether a target of the project is met.
fn target(what: &str, rows: &[Row], ours: &str, other: &str, at_least: f64) {
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    if let (Some(ours), Some(other)) = (find(ours), find(other)) {
        let ratio = ours.against(other);
        let verdict = if ratio >= at_least { "met" } else { "missed" };
        println!("  target: {what}: {ratio:.2}, at least {at_least:.2}: {verdict}");
    }
}

const COLONS: &str = "memchr: visit each `:`";
const EXTRACTOR: &str = "urlgrep: extractor, lines";
const COLONS_ON_TWO: &str = "memchr: visit each `:`, two threads";
const LINKIFY: &str = "linkify: URLs";
const PARSER: &str = "mail-parser: parse";

fn compare(name: &str, text: &[u8], options: &Options, tools: &Tools) -> io::Result<()> {
    let messages = split(text);
    let text = common::rotate(text, options.mb * 1_000_000);
    let bytes = text.len();
    let lossy = String::from_utf8_lossy(&text);
    let regex = regex::bytes::Regex::new(PATTERN).expect("the pattern is well-formed");
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let mut contenders = vec![
        Contender::new("memchr: count `:`", bytes, || {
            memchr::memchr_iter(b':', &text).count()
        }),
        Contender::new(COLONS, bytes, || colons(&text)),
        Contender::new(COLONS_ON_TWO, bytes, || {
            let (one, two) = text.split_at(bytes / 2);
            std::thread::scope(|scope| {
                let one = scope.spawn(|| colons(one));
                colons(two) + one.join().unwrap_or_default()
            })
        }),
        Contender::new("memchr: count line feeds", bytes, || {
            memchr::memchr_iter(b'\n', &text).count()
        }),
        Contender::new("memmem: `://`", bytes, || {
            memchr::memmem::find_iter(&text, b"://").count()
        }),
        Contender::new("regex", bytes, || regex.find_iter(&text).count()),
        Contender::new(LINKIFY, lossy.len(), || finder.links(&lossy).count()),
        Contender::new("urlgrep: scanner, lines", bytes, || scan(true, &text)),
        Contender::new("urlgrep: scanner", bytes, || scan(false, &text)),
        Contender::new(EXTRACTOR, bytes, || {
            extract(Extractor::builder().rejects(true), &text)
        }),
        Contender::new("urlgrep: extractor", bytes, || {
            extract(
                Extractor::builder().rejects(true).line_numbers(false),
                &text,
            )
        }),
        Contender::new("urlgrep: extractor, lines, fed by 64 KiB", bytes, || {
            feed(&text)
        }),
        Contender::new("urlgrep: find_iter().count(), lines", bytes, || {
            Extractor::builder()
                .rejects(true)
                .build()
                .find_iter(&text)
                .count()
        }),
    ];
    if messages.len() > 1 {
        let mail: usize = messages.iter().map(|message| message.len()).sum();
        let parser = MessageParser::default();
        contenders.push(Contender::new(PARSER, mail, move || {
            let parsed = messages
                .iter()
                .filter(|message| black_box(parser.parse(**message)).is_some());
            parsed.count()
        }));
    }
    println!("\n{name}, {:.0} MB", bytes as f64 / 1e6);
    println!(
        "  {:<44} {:>9} {:>8} {:>10}",
        "in process", "MB/s", "ratio", "hits"
    );
    let mut rows = race(contenders, options.runs);
    print(&rows, EXTRACTOR);
    let sparse = matches!(name, "sparse" | "rfc" | "prose");
    let least = if sparse { 0.75 } else { 0.5 };
    target("to the colon loop", &rows, EXTRACTOR, COLONS, least);
    target("to linkify", &rows, EXTRACTOR, LINKIFY, 1.0);

    let file = env::temp_dir().join(format!("urlgrep-compare-{}", std::process::id()));
    fs::write(&file, &text)?;
    let part = file.with_extension("part");
    fs::write(&part, &text[..bytes.min(2_000_000)])?;
    let processes = tools.race(&file, &part, options.runs);
    fs::remove_file(&file)?;
    fs::remove_file(&part)?;
    println!(
        "  {:<44} {:>9} {:>8} {:>10}",
        "processes", "MB/s", "ratio", "lines"
    );
    print(&processes, OURS);
    rows.extend(processes);
    let least = if name == "mixed" { 1.0 } else { 1.0 / 1.6 };
    target("command to rg", &rows, OURS, RG, least);
    target("decoding to mail-parser", &rows, DECODING, PARSER, 2.0);
    target("decoding to rg", &rows, DECODING, RG, 1.0 / 3.0);
    // One thread reads a message, so only mailboxes gain from a second thread.
    if common::MAILBOXES.contains(&name) {
        two_to_one("decoding", &rows);
    }
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    if let (Some(one), Some(two)) = (find(COLONS), find(COLONS_ON_TWO)) {
        let least = 0.95 * two.against(one);
        target(
            "no decoding, two threads to one",
            &rows,
            OURS_ON_TWO,
            OURS,
            least,
        );
    }
    Ok(())
}

fn colons(text: &[u8]) -> usize {
    let mut sum = 0;
    for at in memchr::memchr_iter(b':', text) {
        sum += black_box(at) & 1 | 1;
    }
    sum
}

fn scan(lines: bool, text: &[u8]) -> usize {
    let (mut scanner, mut hits) = (Scanner::new().count_lines(lines), 0);
    scanner.scan(text, |candidate| {
        black_box(candidate);
        hits += 1;
        true
    });
    hits
}

fn extract(builder: ExtractorBuilder, text: &[u8]) -> usize {
    let (mut extractor, mut hits) = (builder.build(), 0);
    extractor.search_slice(text, &mut |hit: &Hit| {
        black_box(hit);
        hits += 1;
        true
    });
    hits
}

fn feed(text: &[u8]) -> usize {
    let (mut extractor, mut hits) = (Extractor::builder().rejects(true).build(), 0);
    let mut sink = |hit: &Hit| {
        black_box(hit);
        hits += 1;
        true
    };
    for chunk in text.chunks(64 << 10) {
        extractor.feed(chunk, &mut sink);
    }
    extractor.finish(&mut sink);
    hits
}

/// The messages of an mbox, cut before each line that starts with `From `. The
/// whole text if it does not start with such a line.
fn split(text: &[u8]) -> Vec<&[u8]> {
    if !text.starts_with(b"From ") {
        return vec![text];
    }
    let mut cuts = vec![0];
    cuts.extend(memchr::memmem::find_iter(text, b"\nFrom ").map(|at| at + 1));
    cuts.push(text.len());
    let pieces = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]);
    // A separator line is not part of the header.
    let body = |piece: &'_ [u8]| memchr::memchr(b'\n', piece).map_or(0, |at| at + 1);
    pieces.map(|piece| &piece[body(piece)..]).collect()
}

/// Verdicts a second on http URLs of 40 to 60 bytes from the text.
fn verdicts(text: &[u8], options: &Options) {
    let mut extractor = Extractor::builder().rejects(true).build();
    let urls: Vec<String> = extractor
        .find_iter(text)
        .filter(|hit| hit.verdict().is_ok())
        .map(|hit| String::from_utf8_lossy(hit.url()).into_owned())
        .filter(|url| url.starts_with("http://") && (40..=60).contains(&url.len()))
        .take(100_000)
        .collect();
    if urls.is_empty() {
        println!("\nvalidator: no http URLs of 40 to 60 bytes in the text");
        return;
    }
    // The list of URLs is larger than the nearest caches. Ten rounds take long
    // enough for a measurement.
    const ROUNDS: usize = 10;
    let count = |valid: &dyn Fn(&str) -> bool| {
        let round = || urls.iter().filter(|url| valid(url)).count();
        (0..ROUNDS).map(|_| round()).sum::<usize>() / ROUNDS
    };
    let items = urls.len() * ROUNDS;
    let rows = race(
        vec![
            Contender::new("urlgrep: validate, current", items, || {
                count(&|url| validate(Profile::Current, url.as_bytes()).is_ok())
            }),
            Contender::new("urlgrep: validate, rfc1738", items, || {
                count(&|url| validate(Profile::Rfc1738, url.as_bytes()).is_ok())
            }),
            Contender::new("fluent-uri: parse", items, || {
                count(&|url| Uri::parse(url).is_ok())
            }),
        ],
        options.runs.max(9),
    );
    println!("\nvalidator, {} http URLs of 40 to 60 bytes", urls.len());
    println!("  {:<44} {:>9} {:>8} {:>10}", "", "M/s", "ratio", "valid");
    print(&rows, "urlgrep: validate, current");
    println!(
        "  target: million verdicts a second: {:.1}, at least 20",
        rows[0].speed() / 1e6
    );
    target(
        "to fluent-uri",
        &rows,
        "urlgrep: validate, current",
        "fluent-uri: parse",
        1.0,
    );
}

/// The cost of a call: messages of 2 KB in one call each, minus the same bytes
/// in one call. Also the cost of building an extractor.
fn messages(text: &[u8], options: &Options) {
    const SIZE: usize = 2048;
    let text = &text[..text.len().min(16_000_000)];
    let mut extractor = Extractor::builder().rejects(true).build();
    let mut hits = 0;
    let mut sink = |hit: &Hit| {
        black_box(hit);
        hits += 1;
        true
    };
    let (mut each, mut whole, mut build) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.runs.max(9) {
        let start = Instant::now();
        for message in text.chunks(SIZE) {
            extractor.search_slice(message, &mut sink);
        }
        each.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        extractor.search_slice(text, &mut sink);
        whole.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        for _ in 0..1000 {
            black_box(Extractor::new(black_box(Profile::Current)));
        }
        build.push(start.elapsed().as_secs_f64() / 1000.0);
    }
    let calls = text.len().div_ceil(SIZE) as f64;
    let over = each.iter().zip(&whole).map(|(e, w)| (e - w) / calls);
    println!(
        "\nmessages of {SIZE} bytes, one a call, over the cost of the bytes: {:.0} ns a call, at most 1000",
        median(over.collect()) * 1e9
    );
    println!(
        "building an extractor: {:.0} ns, at most 50000",
        median(build) * 1e9
    );
}

const OURS: &str = "urlgrep -j1 --no-decode";
const OURS_ON_TWO: &str = "urlgrep -j2 --no-decode";
const DECODING: &str = "urlgrep -j1";
const DECODING_PAIR: &str = "urlgrep -j1, twice at once";
const DECODING_ON_TWO: &str = "urlgrep -j2";
const RG: &str = "rg --no-mmap -j1 -a -o -N";

/// The command on a gzip file, compared with a loop that only inflates it with
/// the same crate.
#[cfg(feature = "cli")]
fn gzip(text: &[u8], options: &Options, tools: &Tools) -> io::Result<()> {
    use std::io::{Read, Write};

    const INFLATE: &str = "flate2: inflate alone";
    const OURS_PACKED: &str = "urlgrep -j1 --no-decode, gzip";
    let Some(ours) = &tools.ours else {
        return Ok(());
    };
    let text = common::rotate(text, options.mb * 1_000_000 / 4);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    packed.write_all(&text)?;
    let packed = packed.finish()?;
    let file = env::temp_dir().join(format!("urlgrep-compare-{}.gz", std::process::id()));
    fs::write(&file, &packed)?;
    let inflate = || {
        let mut rdr = flate2::read::MultiGzDecoder::new(fs::File::open(&file).ok()?);
        let (mut buffer, mut sum) = (vec![0; 64 << 10], 0);
        loop {
            match rdr.read(&mut buffer).ok()? {
                0 => return Some(sum),
                n => sum += n,
            }
        }
    };
    let mut command = quiet(ours, &["-j1", "--no-decode"], &[&file]);
    let rows = race(
        vec![
            Contender::new(INFLATE, text.len(), || inflate().unwrap_or_default()),
            Contender::new(OURS_PACKED, text.len(), || {
                usize::from(command.status().is_ok())
            }),
        ],
        options.runs,
    );
    fs::remove_file(&file)?;
    println!("\ngzip, {:.0} MB unpacked", text.len() as f64 / 1e6);
    print(&rows, OURS_PACKED);
    target("gzip to inflating", &rows, OURS_PACKED, INFLATE, 1.0 / 1.25);
    Ok(())
}

#[cfg(not(feature = "cli"))]
fn gzip(_: &[u8], _: &Options, _: &Tools) -> io::Result<()> {
    Ok(())
}

/// Mail and news in separate files, as the corpus stores them.
fn files(corpus: &Path, ours: &Path, options: &Options) {
    let (mut folders, mut count, mut bytes) = (vec![corpus.to_owned()], 0, 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => (count, bytes) = (count + 1, bytes + meta.len() as usize),
                Err(_) => {}
            }
        }
    }
    let rows = race_processes(&decoding(ours), corpus, bytes, options.runs);
    println!("\nfiles, {count} of {:.0} MB in all", bytes as f64 / 1e6);
    println!("  {:<44} {:>9} {:>8} {:>10}", "", "MB/s", "ratio", "lines");
    print(&rows, DECODING);
    two_to_one("decoding", &rows);
}

/// Many small files: a hundred thousand articles in a hundred folders.
fn spool(options: &Options, tools: &Tools) -> io::Result<()> {
    const FILES: usize = 100_000;
    let (Some(ours), true) = (&tools.ours, tools.rg) else {
        return Ok(());
    };
    let root = env::temp_dir().join(format!("urlgrep-compare-{}.d", std::process::id()));
    let article = common::message().bytes;
    for i in 0..FILES {
        let folder = root.join(format!("group{}", i / 1000));
        if i % 1000 == 0 {
            fs::create_dir_all(&folder)?;
        }
        fs::write(folder.join(i.to_string()), &article)?;
    }
    let rows = against_rg(ours, &["-j1", "--no-decode"], &root, FILES, options.runs);
    let decoding = against_rg(ours, &["-j1"], &root, FILES, options.runs);
    fs::remove_dir_all(&root)?;
    println!("\nspool, {FILES} files of {} bytes", article.len());
    println!("  {:<44} {:>9} {:>8}", "", "M files/s", "ratio");
    print(&rows, OURS);
    target("spool to rg", &rows, OURS, RG, 1.0 / 1.3);
    target("spool to rg, decoding", &decoding, OURS, RG, 1.0 / 1.3);
    Ok(())
}

/// The time of the command for no work and for a small file.
fn start(options: &Options, tools: &Tools) -> io::Result<()> {
    let (Some(ours), true) = (&tools.ours, tools.rg) else {
        return Ok(());
    };
    let file = env::temp_dir().join(format!("urlgrep-compare-{}", std::process::id()));
    fs::write(&file, &common::message().bytes[..1024])?;
    let runs = 20 * options.runs;
    let rows = against_rg(ours, &["-j1", "--no-decode"], &file, 1, runs);
    let version = |name: &'static str, program: &Path| {
        let mut command = quiet(program, &["--version"], &[]);
        Contender::new(name, 1, move || usize::from(command.status().is_ok()))
    };
    let versions = race(
        vec![version(OURS, ours), version(RG, Path::new("rg"))],
        runs,
    );
    fs::remove_file(&file)?;
    println!("\nstart, milliseconds");
    for (what, rows) in [("--version", &versions), ("one file of 1 KB", &rows)] {
        for row in rows {
            let time = median(row.seconds.clone()) * 1e3;
            println!("  {:<44} {time:>9.2}", format!("{}: {what}", row.name));
        }
        target(&format!("to rg, {what}"), rows, OURS, RG, 1.0 / 1.5);
    }
    Ok(())
}

/// Races the command with `args` against rg over `path`. Speeds count `items`.
fn against_rg(ours: &Path, args: &[&str], path: &Path, items: usize, runs: usize) -> Vec<Row> {
    let mut ours = quiet(ours, args, &[path]);
    let rg = ["--no-mmap", "-j1", "-a", "-o", "-N", PATTERN];
    let mut rg = quiet(Path::new("rg"), &rg, &[path]);
    race(
        vec![
            Contender::new(OURS, items, || usize::from(ours.status().is_ok())),
            Contender::new(RG, items, || usize::from(rg.status().is_ok())),
        ],
        runs,
    )
}

/// A command with empty standard input and discarded output.
fn quiet(program: &Path, args: &[&str], paths: &[&Path]) -> Command {
    let mut command = Command::new(program);
    command.args(args).args(paths).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The installed programs.
struct Tools {
    ours: Option<PathBuf>,
    rg: bool,
    /// Name and arguments of each slow tool. They get only a part of the text.
    slow: Vec<(&'static str, &'static [&'static str])>,
}

impl Tools {
    fn find() -> Tools {
        let runs = |command: &mut Command| {
            let output = command.stdin(Stdio::null()).output();
            output.is_ok_and(|o| o.status.success() && !o.stdout.is_empty())
        };
        let installed = |name: &str| {
            let path = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&path).any(|folder| folder.join(name).is_file())
        };
        let ours = option_env!("CARGO_BIN_EXE_urlgrep").map(PathBuf::from);
        let ours = ours.filter(|path| runs(Command::new(path).arg("--version")));
        if ours.is_none() {
            println!("the command is not built: its rows are skipped");
        }
        let slow: [(&str, &[&str]); 3] = [
            ("xurls", &[]),
            ("urlscan", &["--no-browser", "--dedupe"]),
            ("urifind", &[]),
        ];
        for (name, _) in slow {
            if !installed(name) {
                println!("{name} is not installed");
            }
        }
        Tools {
            ours,
            rg: runs(Command::new("rg").arg("--version")),
            slow: slow.into_iter().filter(|(n, _)| installed(n)).collect(),
        }
    }

    /// Runs the fast tools in turns over `file`, `runs` times each. Runs the
    /// slow tools once over `part`, which is the start of `file`.
    fn race(&self, file: &Path, part: &Path, runs: usize) -> Vec<Row> {
        let mut fast = Vec::new();
        if let Some(ours) = &self.ours {
            fast.push((OURS, ours.as_path(), &["-j1", "--no-decode"][..]));
            fast.push((OURS_ON_TWO, ours, &["-j2", "--no-decode"]));
            fast.extend(decoding(ours));
        }
        let rg = Path::new("rg");
        if self.rg {
            let map = "rg --mmap -j1 -a -o -N";
            fast.push((RG, rg, &["--no-mmap", "-j1", "-a", "-o", "-N", PATTERN]));
            fast.push((map, rg, &["--mmap", "-j1", "-a", "-o", "-N", PATTERN]));
        }
        fast.push(("cat", Path::new("cat"), &[]));
        let slow = self.slow.iter();
        let slow = slow.map(|&(name, args)| (name, Path::new(name), args));
        let bytes = |file: &Path| fs::metadata(file).map_or(0, |m| m.len() as usize);
        let mut rows = race_processes(&fast, file, bytes(file), runs);
        let slow: Vec<_> = slow.collect();
        rows.extend(race_processes(&slow, part, bytes(part), 1));
        rows
    }
}

/// The name of a row, a program, and its arguments.
type Program<'p> = (&'p str, &'p Path, &'p [&'p str]);

/// The command with all decoding: on one thread, as two processes, and on two
/// threads.
fn decoding(ours: &Path) -> [Program<'_>; 3] {
    [
        (DECODING, ours, &["-j1"]),
        (DECODING_PAIR, ours, &["-j1"]),
        (DECODING_ON_TWO, ours, &["-j2"]),
    ]
}

/// Runs programs in turns over `path`, a file or folder of `bytes` bytes. Their
/// output is discarded. One more run of each program counts its lines.
fn race_processes(programs: &[Program<'_>], path: &Path, bytes: usize, runs: usize) -> Vec<Row> {
    let contenders = programs.iter().map(|&(name, program, args)| {
        let copies = if name == DECODING_PAIR { 2 } else { 1 };
        let mut command = quiet(program, args, &[path]);
        Contender::new(name, bytes * copies, move || {
            let others: Vec<_> = (1..copies).map(|_| command.spawn()).collect();
            let status = command.status();
            let others = others.into_iter().map(|child| child?.wait());
            others.chain([status]).filter(Result::is_ok).count()
        })
    });
    let mut rows = race(contenders.collect(), runs);
    for (row, (_, program, args)) in rows.iter_mut().zip(programs) {
        let output = quiet(program, args, &[path])
            .stdout(Stdio::piped())
            .output();
        row.hits = output.map_or(0, |o| memchr::memchr_iter(b'\n', &o.stdout).count());
    }
    rows
}
