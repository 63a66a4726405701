//! The engine: the same outputs in the same order for any number of threads,
//! and no invented hit at a read error.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use urlgrep::Extractor;
use urlgrep::mail::ReadAs;
use urlgrep::ranges::ReadAt;
use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep_files::engine::{
    Control, Delivery, Engine, EngineBuilder, Fault, FaultKind, Input, Outbox, Piece, Source,
    Worker,
};
use urlgrep_unpack as unpack;

use crate::common::make::{gzip, tar};

/// Searches, and records the path, URL, place, part and header field of each hit.
struct Search {
    searcher: Searcher,
    /// Panics over a text that contains this.
    poison: &'static [u8],
}

#[derive(Debug, Default)]
struct Urls {
    hits: Vec<String>,
    files: Vec<String>,
}

struct Take<'t>(&'t mut Vec<String>, &'t str);

impl Visitor for Take<'_> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let place = found.source().map(|pieces| pieces.span());
        self.0.push(format!(
            "{} {} {place:?} {:?} {:?}",
            self.1,
            found.hit.text().escape_ascii(),
            found.part(),
            found
                .header()
                .map(|header| header.escape_ascii().to_string()),
        ));
        ControlFlow::Continue(())
    }
}

impl Search {
    fn new() -> Search {
        Search {
            searcher: Searcher::builder()
                .extractor(Extractor::builder().rejects(false))
                .build(),
            poison: b"\0poison",
        }
    }
}

impl Worker for Search {
    type Output = Urls;

    fn piece(&mut self, piece: &Piece<'_>, found: &mut Outbox<'_, Urls>) -> bool {
        let path = String::from_utf8_lossy(piece.path.unwrap_or(b"-"));
        assert!(
            memchr::memmem::find(piece.bytes, self.poison).is_none(),
            "poisoned"
        );
        piece.search(&mut self.searcher, &mut Take(&mut found.hits, &path));
        if piece.end.is_file() {
            found.files.push(format!("{path} {:?}", piece.end));
        }
        found.hits.len() <= 50 || found.send()
    }

    fn repair(_: &mut Urls) {}
}

/// The outputs and faults of a run.
#[derive(Debug, Default)]
struct Outcome {
    found: Urls,
    faults: Vec<Fault>,
}

fn run(engine: &Engine, inputs: Vec<Input>) -> Outcome {
    let mut outcome = Outcome::default();
    let consume = |delivery: &mut Delivery<'_, Urls>| {
        outcome.found.hits.append(&mut delivery.output.hits);
        outcome.found.files.append(&mut delivery.output.files);
        outcome.faults.append(delivery.faults);
        true
    };
    engine.run(inputs, Search::new, consume).unwrap();
    outcome
}

/// When a read fails.
#[derive(Clone, Copy, Debug)]
enum Fails {
    Never,
    /// At the read with this number, and at every later read.
    Read(u64),
    /// If a read touches the page of this offset.
    Page(u64),
    /// If a read touches one of two pages.
    Pages(u64, u64),
    /// The source ends here, although its size is larger.
    Shrunk(u64),
}

struct Faulty {
    bytes: Arc<[u8]>,
    fails: Fails,
    reads: AtomicU64,
}

impl ReadAt for Faulty {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let fail = || Err(io::Error::other("unreadable"));
        let number = self.reads.fetch_add(1, Ordering::Relaxed);
        let most = self.bytes.len() as u64;
        let touches = |at: u64| {
            let page = at - at % 4096;
            offset < page + 4096 && page < most.min(offset + buffer.len() as u64)
        };
        let bytes = match self.fails {
            Fails::Read(from) if number >= from => return fail(),
            Fails::Page(at) if touches(at) => return fail(),
            Fails::Pages(one, two) if touches(one) || touches(two) => return fail(),
            Fails::Shrunk(at) => &self.bytes[..at.min(most) as usize],
            _ => &self.bytes[..],
        };
        bytes.read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        self.bytes.size()
    }
}

fn faulty(name: &str, bytes: &Arc<[u8]>, fails: Fails) -> (Input, Arc<Faulty>) {
    let source = Arc::new(Faulty {
        bytes: Arc::clone(bytes),
        fails,
        reads: AtomicU64::new(0),
    });
    let input: Arc<dyn Source> = Arc::clone(&source) as _;
    (Input::Source(name.as_bytes().to_vec(), input), source)
}

/// Ways to read a file.
fn engines(threads: usize) -> Vec<EngineBuilder> {
    let engine = || Engine::builder().threads(threads).segment(700);
    vec![
        engine(),
        engine().lines(true),
        engine().numbers(true),
        engine().decode(false),
        engine().read_as(ReadAs::Text).whole_files(true),
    ]
}

/// Checks runs in which reads of `bytes` fail:
///
/// * A run has no hit that a run without a failure does not have.
/// * The next file is searched.
/// * If the place of the failure does not depend on the threads, the run has a
///   fault, and the result does not depend on the threads.
fn check(name: &str, bytes: &[u8], fails: impl Iterator<Item = Fails> + Clone) {
    let bytes: Arc<[u8]> = bytes.into();
    let after: Arc<[u8]> = b"http://after.example/\n"[..].into();
    for mode in 0..engines(1).len() {
        let mut whole: HashMap<String, usize> = HashMap::new();
        for hit in run_with(1, mode, &bytes, &after, Fails::Never).found.hits {
            *whole.entry(hit).or_default() += 1;
        }
        for fails in fails.clone() {
            let mut expected = None;
            for threads in [1, 2, 4] {
                let outcome = run_with(threads, mode, &bytes, &after, fails);
                let what = format!("{name} mode {mode} -j{threads} {fails:?}");
                let mut left = whole.clone();
                for hit in &outcome.found.hits {
                    let number = left.entry(hit.clone()).or_default();
                    assert!(*number > 0, "{what}: {hit}");
                    *number -= 1;
                }
                let last = outcome.found.hits.last();
                assert!(
                    last.is_some_and(|hit| hit.starts_with("after ")),
                    "{what}: {last:?}"
                );
                if let Fails::Read(_) = fails {
                    continue;
                }
                let faults = outcome.faults.len();
                let most = 1 + usize::from(matches!(fails, Fails::Pages(..)));
                assert!((1..=most).contains(&faults), "{what}: {:?}", outcome.faults);
                let result = (outcome.found.hits, outcome.faults);
                let expected = expected.get_or_insert_with(|| result.clone());
                assert!(*expected == result, "{what}: {result:#?}\n{expected:#?}");
            }
        }
    }
}

fn run_with(
    threads: usize,
    mode: usize,
    bytes: &Arc<[u8]>,
    after: &Arc<[u8]>,
    fails: Fails,
) -> Outcome {
    let engine = engines(threads).swap_remove(mode).build();
    let (input, _) = faulty("file", bytes, fails);
    let (after, _) = faulty("after", after, Fails::Never);
    run(&engine, vec![input, after])
}

fn mbox(messages: usize) -> Vec<u8> {
    let mut mbox = Vec::new();
    for i in 0..messages {
        mbox.extend_from_slice(
            format!(
                "From a@b.example Thu Jan  1 00:00:00 1970\nSubject: http://s{i}.example/\n\n\
                 > http://a{i}.example/one\nand <URL:http://b{i}.exa\nmple/two> text\n\n\
                 http://c{i}.example/three\n\n"
            )
            .as_bytes(),
        );
    }
    mbox
}

fn text(lines: usize) -> Vec<u8> {
    let line = |i: usize| {
        let blank = if i.is_multiple_of(5) { "\n" } else { "" };
        format!("line http://x{i}.example/some/path and\n<URL:http://y{i}.exam\nple/> on\n{blank}")
    };
    (0..lines).flat_map(|i| line(i).into_bytes()).collect()
}

#[test]
fn read_errors_give_no_invented_hits() {
    let one = [&b"From: a@b.example\nSubject: x\n\n"[..], &text(140)].concat();
    let rnews: Vec<u8> = mbox(70)
        .split_inclusive(|&b| b == b'\n')
        .collect::<Vec<_>>()
        .chunks(9)
        .flat_map(|article| {
            let article = article[1..].concat();
            [
                format!("#! rnews {}\n", article.len()).into_bytes(),
                article,
            ]
            .concat()
        })
        .collect();
    for (name, bytes) in [
        ("text", text(140)),
        ("mbox", mbox(70)),
        ("message", one),
        ("rnews", rnews),
    ] {
        assert!(bytes.len() > 8192, "{name} {}", bytes.len());
        let len = bytes.len() as u64;
        // All places if the environment variable `URLGREP_FAULTS` is set.
        let few = std::env::var_os("URLGREP_FAULTS").is_none();
        let step = |all, few_of_them| if few { few_of_them } else { all };
        let reads = (0..24).step_by(step(1, 9)).map(Fails::Read);
        let pages = (0..len).step_by(step(4096, 8192)).map(Fails::Page);
        let pairs = (0..len)
            .step_by(step(4096, 20_000))
            .flat_map(|one| [5000, 8192, 12_288].map(|by| Fails::Pages(one, one + by)));
        let shrunk = (5..len).step_by(step(977, 6000)).map(Fails::Shrunk);
        check(name, &bytes, reads.chain(pages).chain(pairs).chain(shrunk));
    }
}

/// Text and mbox continue after an unreadable page. Other files end there.
#[test]
fn a_file_continues_after_a_hole() {
    for (bytes, ends, goes_on) in [
        (text(2000), "File", true),
        (mbox(800), "File", true),
        (
            [&b"From: a@b.example\nSubject: x\n\n"[..], &text(2000)].concat(),
            "Broken",
            false,
        ),
    ] {
        let bytes: Arc<[u8]> = bytes.into();
        for at in [8192, 50_000, 90_000] {
            for threads in 1..=3 {
                let engine = Engine::builder().threads(threads).segment(3000).build();
                let all = run(&engine, vec![faulty("a", &bytes, Fails::Never).0]).found;
                let outcome = run(&engine, vec![faulty("a", &bytes, Fails::Page(at)).0]);
                let found = outcome.found;
                assert_eq!(found.files, [format!("a {ends}")]);
                let missing = all.hits.len() - found.hits.len();
                assert_eq!(missing < 200, goes_on, "-j{threads} {at}: {missing}");
                assert_eq!(all.hits.last() == found.hits.last(), goes_on);
                let fault = &outcome.faults[0];
                let page = at - at % 4096;
                assert_eq!(fault.offset, Some(page));
                let end = fault.end.unwrap();
                let size = bytes.len() as u64;
                assert_eq!((page + 4096..page + 8192).contains(&end), goes_on);
                assert_eq!(end == size, !goes_on);
            }
        }
    }
}

#[test]
fn cut_compressed_files_end_broken() {
    let mut whole = Vec::new();
    let folder = Path::new("testdata/unpack");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // An LZW stream has no end mark.
        if ["gz", "xz", "zst", "bz2", "tar"]
            .iter()
            .any(|e| name.ends_with(e))
        {
            whole.push((name, fs::read(&path).unwrap()));
        }
    }
    assert!(whole.len() > 8);
    let mut faults = 0;
    for (name, bytes) in whole {
        let engine = Engine::builder().threads(1).build();
        let search = |bytes: &[u8]| {
            let (input, _) = faulty("file", &bytes.into(), Fails::Never);
            run(&engine, vec![input])
        };
        let all = search(&bytes).found.hits;
        for cut in (0..bytes.len()).step_by(1 + bytes.len() / 60) {
            let outcome = search(&bytes[..cut]);
            let trailing = FaultKind::Unpack(unpack::UnpackFaultKind::Trailing);
            if outcome.faults.iter().all(|fault| fault.kind == trailing) {
                // Between two streams the cut does not show, or only a few
                // bytes follow that may be garbage.
                continue;
            }
            faults += 1;
            for hit in outcome.found.hits {
                assert!(all.contains(&hit), "{name} cut at {cut}: {hit}");
            }
        }
    }
    assert!(faults > 300, "{faults}");
}

/// Files of the corpus, if the environment variable `URLGREP_CORPUS` is set.
#[test]
fn read_errors_in_real_mail_give_no_invented_hits() {
    let Some(corpus) = std::env::var_os("URLGREP_CORPUS") else {
        return;
    };
    fn files(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, out);
            } else {
                out.push(path);
            }
        }
    }
    // `URLGREP_FAULTS` is the number of files. Each is read with five failures.
    let number = std::env::var("URLGREP_FAULTS").map_or(2, |n| n.parse().unwrap());
    let mut paths = Vec::new();
    files(Path::new(&corpus), &mut paths);
    paths.sort();
    let step = paths.len() / number;
    let mut checked = 0;
    for (i, path) in paths.iter().step_by(step.max(1)).enumerate() {
        let mut bytes = fs::read(path).unwrap();
        bytes.truncate(100_000);
        if bytes.len() < 9000 {
            continue;
        }
        let at = |n: u64| (i as u64 * 7919 + n * 104_729) % bytes.len() as u64;
        let fails = [
            Fails::Read(3 + at(0) % 20),
            Fails::Page(at(1)),
            Fails::Pages(at(1), at(2)),
            Fails::Shrunk(at(2)),
            Fails::Shrunk(at(3)),
        ];
        check(&path.display().to_string(), &bytes, fails.into_iter());
        checked += 1;
    }
    assert!(checked > 0, "no file that was drawn has 9,000 bytes");
}

#[test]
fn a_panic_of_a_worker_ends_its_file() {
    let poison = b"see http://a.example/\n\n\0poison\n\nhttp://b.example/\n";
    let poisoned: Arc<[u8]> = [&text(200)[..], poison, &text(200)].concat().into();
    let good: Arc<[u8]> = text(200).into();
    let folder = std::env::temp_dir().join(format!("urlgrep-panic-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("1"), "http://one.example/").unwrap();
    fs::write(folder.join("2"), poison).unwrap();
    fs::write(folder.join("3"), "http://three.example/").unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let outcomes: Vec<Outcome> = (1..=4)
        .map(|threads| {
            let engine = Engine::builder().threads(threads).segment(1000).sort(true);
            let inputs = vec![
                faulty("a", &good, Fails::Never).0,
                faulty("b", &poisoned, Fails::Never).0,
                Input::Path(folder.clone()),
                faulty("c", &good, Fails::Never).0,
            ];
            run(&engine.build(), inputs)
        })
        .collect();
    std::panic::set_hook(hook);
    fs::remove_dir_all(&folder).unwrap();
    for outcome in outcomes {
        let of = |name: &str| {
            let of = |hit: &&String| hit.starts_with(name);
            outcome.found.hits.iter().filter(of).count()
        };
        assert_eq!((of("a "), of("c ")), (400, 400));
        // The outputs before the panic; their number depends on the pieces.
        assert!((0..=401).contains(&of("b ")), "{}", of("b "));
        let folder = folder.display().to_string();
        let small: Vec<_> = (1..=3).map(|n| of(&format!("{folder}/{n} "))).collect();
        assert_eq!(small, [1, 0, 1]);
        let panics: Vec<_> = outcome.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(panics, [FaultKind::Panic; 2]);
        assert_eq!(outcome.faults[0].path.as_deref(), Some(&b"b"[..]));
        assert!(outcome.faults[0].to_string().contains("poisoned"));
    }
}

/// Small members of a large archive are processed together. A fault between two
/// of them comes after the hits before it.
#[test]
fn small_members_are_in_order() {
    let cut = &gzip(b"http://cut.example/")[..12];
    let members: [(&str, &[u8]); 5] = [
        ("1", b"http://a.example/"),
        ("2", b"http://b.example/\0poison"),
        ("3", b"http://c.example/"),
        ("4", cut),
        ("5", b"http://d.example/"),
    ];
    let tar: Arc<[u8]> = tar(&members).into();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let deliveries = [1, 2, 3].map(|threads| {
        let engine = Engine::builder().threads(threads).segment(100).build();
        let mut deliveries = Vec::new();
        let consume = |delivery: &mut Delivery<'_, Urls>| {
            let faults = delivery.faults.drain(..).map(|fault| fault.kind);
            deliveries.push((delivery.output.hits.len(), faults.collect::<Vec<_>>()));
            delivery.output.hits.clear();
            true
        };
        let inputs = vec![faulty("tar", &tar, Fails::Never).0];
        engine.run(inputs, Search::new, consume).expect("threads");
        deliveries
    });
    std::panic::set_hook(hook);
    let truncated = FaultKind::Unpack(unpack::UnpackFaultKind::Truncated);
    for deliveries in deliveries {
        let expected = [(2, vec![FaultKind::Panic]), (1, vec![truncated])];
        assert_eq!(deliveries, expected);
    }
}

/// Members of some KiB are handed over together, and longer ones alone.
#[test]
fn members_are_handed_over_together() {
    let text = [b"http://a.example/\n", &[b'x'; 9_000][..]].concat();
    let long = [&text[..], &[b'x'; 70_000]].concat();
    let names: Vec<String> = (0..1000).map(|i| format!("m{i}")).collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &text[..])).collect();
    let members = [&members[..], &[("long", &long)], &members[..]].concat();
    let tar: Arc<[u8]> = tar(&members).into();
    let expected: Vec<String> = members.iter().map(|m| format!("t!{} File", m.0)).collect();
    for threads in 1..=3 {
        let engine = Engine::builder().threads(threads).build();
        let (mut deliveries, mut files) = (0, Vec::new());
        let consume = |delivery: &mut Delivery<'_, Urls>| {
            deliveries += 1;
            files.append(&mut delivery.output.files);
            delivery.output.hits.clear();
            true
        };
        let inputs = vec![faulty("t", &tar, Fails::Never).0];
        engine.run(inputs, Search::new, consume).expect("threads");
        assert_eq!(files, expected);
        // 18 MB, in batches of at most 256 KiB.
        assert!(deliveries < 100, "{deliveries} deliveries");
    }
}

#[test]
fn progress_and_cancellation() {
    let bytes: Arc<[u8]> = text(3000).into();
    for threads in 1..=3 {
        let control = Control::new();
        let builder = Engine::builder().threads(threads).segment(1000);
        let engine = builder.clone().control(control.clone()).build();
        let outcome = run(&engine, vec![faulty("a", &bytes, Fails::Never).0]);
        let progress = control.progress();
        let len = bytes.len() as u64;
        assert_eq!(
            (progress.bytes, progress.known, progress.files),
            (len, len, 1)
        );
        assert_eq!(outcome.found.files, ["a File"]);

        let control = Control::new();
        let engine = builder.control(control.clone()).build();
        let endless = Arc::clone(&bytes);
        let inputs = (0..).map(move |_| faulty("a", &endless, Fails::Never).0);
        let mut outputs = 0;
        let consume = |delivery: &mut Delivery<'_, Urls>| {
            delivery.output.hits.clear();
            outputs += 1;
            control.cancel();
            true
        };
        engine.run(inputs, Search::new, consume).unwrap();
        assert_eq!(outputs, 1);
    }
}

/// The bytes of the files count, and not what a program makes of them, because only the former
/// are known before the end.
#[test]
#[cfg(all(unix, feature = "cli"))]
fn progress_of_converted_files_is_that_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    for (name, len) in [("a.x", 10), ("b.x", 300_000), ("c.y", 50)] {
        fs::write(folder.path().join(name), vec![b'\n'; len]).unwrap();
    }
    // The output is longer than the file, or has nothing in it.
    for program in ["*.x=cat -n", "*.x=true"] {
        let mut programs = urlgrep_files::pre::Programs::default();
        programs.add(program).unwrap();
        let control = Control::new();
        let builder = Engine::builder().threads(2).convert(programs);
        let engine = builder.control(control.clone()).build();
        let outcome = run(&engine, vec![Input::Path(folder.path().to_path_buf())]);
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        let progress = control.progress();
        assert_eq!(
            (progress.bytes, progress.known),
            (300_060, 300_060),
            "{program}"
        );
    }
}

#[test]
fn a_worker_of_this_thread() {
    /// Not `Send`.
    struct Count(#[allow(dead_code, reason = "for its type")] std::rc::Rc<()>);
    impl Worker for Count {
        type Output = usize;

        fn piece(&mut self, piece: &Piece<'_>, bytes: &mut Outbox<'_, usize>) -> bool {
            **bytes += piece.bytes.len();
            true
        }
    }
    let mut bytes = 0;
    let input = Input::Reader(b"name".to_vec(), Box::new(io::repeat(b'x').take(1_000_000)));
    let consume = |delivery: &mut Delivery<'_, usize>| {
        bytes += std::mem::take(delivery.output);
        true
    };
    use std::io::Read as _;
    let engine = Engine::builder().build();
    engine.run_here([input], Count(std::rc::Rc::new(())), consume);
    assert_eq!(bytes, 1_000_000);
}

/// The offset, line and message number of each hit.
struct Places(Searcher);

impl Worker for Places {
    type Output = Vec<(u64, Option<u64>, Option<u64>)>;

    fn piece(&mut self, piece: &Piece<'_>, places: &mut Outbox<'_, Self::Output>) -> bool {
        piece.search(&mut self.0, &mut |found: &Match<'_>| {
            let at = found.source().map_or(0, |place| place.span().start);
            let number = found.message.and_then(|message| message.number);
            places.push((at, found.line(), number));
            ControlFlow::Continue(())
        })
    }

    fn repair(_: &mut Self::Output) {}
}

/// Nobody counted the lines and messages before the second text of a file. They are then
/// unknown, and not those of the beginning.
#[test]
fn lines_and_messages_that_are_not_counted_have_no_number() {
    let bytes = mbox(60);
    let name = Path::new(env!("CARGO_TARGET_TMPDIR")).join("uncounted.mbox");
    fs::write(&name, &bytes).unwrap();
    let (mut known, mut unknown) = (0, 0);
    for counted in [false, true] {
        for threads in [1, 2, 5] {
            let engine = Engine::builder()
                .lines(counted)
                .numbers(counted)
                .threads(threads)
                .segment(300)
                .build();
            let input = || {
                let file = fs::File::open(&name).unwrap();
                vec![
                    Input::from(name.clone()),
                    Input::Reader("-".into(), Box::new(file)),
                ]
            };
            let mut places = Vec::new();
            let take = |delivery: &mut Delivery<'_, Vec<_>>| {
                places.append(delivery.output);
                true
            };
            engine
                .run(input(), || Places(Searcher::default()), take)
                .unwrap();
            for (at, line, number) in places {
                let before = &bytes[..at as usize];
                let lines = memchr::memchr_iter(b'\n', before).count() as u64 + 1;
                let messages = memchr::memmem::find_iter(before, b"From a@b").count() as u64;
                assert_eq!(line.unwrap_or(lines), lines, "{counted} {threads} {at}");
                assert_eq!(
                    number.unwrap_or(messages),
                    messages,
                    "{counted} {threads} {at}"
                );
                assert!(!counted || line.is_some() && number.is_some());
                known += u64::from(line.is_some());
                unknown += u64::from(line.is_none());
            }
        }
    }
    assert!(known > 100 && unknown > 100, "{known} {unknown}");
}
