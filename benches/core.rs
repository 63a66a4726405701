//! The parts of the library, one by one. Each bench checks its result.

mod common;
#[path = "../tests/common/hostile.rs"]
mod hostile;

use std::hint::black_box;
use std::ops::ControlFlow;

use common::Sample;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use urlgrep::url::validate;
use urlgrep::{Extractor, Hit, Profile, Stream};
use urlgrep_find::Drive;
use urlgrep_find::scan::Scanner;

/// Larger than the nearest caches, and searched in much less than a second.
const LEN: usize = 4 << 20;

/// The generated texts, and the texts of the corpus.
fn samples() -> Vec<Sample> {
    let mut samples = common::generated(LEN);
    if let Some(corpus) = common::corpus() {
        for (name, files) in common::TEXTS {
            let mut bytes = common::load(&corpus, files);
            bytes.truncate(4 * LEN);
            if !bytes.is_empty() {
                samples.push(Sample {
                    name,
                    bytes,
                    hits: None,
                });
            }
        }
    }
    samples
}

fn scan(scanner: &mut Scanner, text: &[u8]) -> usize {
    let mut hits = 0;
    scanner.reset(0, 1);
    scanner.scan(text, |candidate| {
        black_box(candidate);
        hits += 1;
        true
    });
    hits
}

fn extract(extractor: &mut Stream, text: &[u8]) -> usize {
    let mut hits = 0;
    let _ = extractor.search_here(text, |hit: &Hit| {
        black_box(hit);
        hits += 1;
        ControlFlow::Continue(())
    });
    hits
}

/// All hits of `text`, as input of other benches.
fn urls(text: &[u8]) -> Vec<Vec<u8>> {
    let mut extractor = Extractor::builder().rejects(true).build().stream();
    extractor
        .find_iter(text)
        .map(|hit| hit.text().to_vec())
        .collect()
}

/// The scanner alone: with and without line counting.
fn scanner(c: &mut Criterion) {
    let mut group = c.benchmark_group("scanner");
    for sample in samples() {
        group.throughput(Throughput::Bytes(sample.bytes.len() as u64));
        for (lines, label) in [(true, "lines"), (false, "no lines")] {
            let mut scanner = Scanner::new().count_lines(lines);
            let found = scan(&mut scanner, &sample.bytes);
            if let Some(hits) = sample.hits {
                assert_eq!(found, hits, "{}", sample.name);
            }
            group.bench_function(format!("{}/{label}", sample.name), |b| {
                b.iter(|| assert_eq!(scan(&mut scanner, &sample.bytes), found));
            });
        }
    }
}

/// The cost of a candidate, by the way its URL ends. Each text repeats one URL.
fn boundary(c: &mut Criterion) {
    let mut group = c.benchmark_group("boundary");
    let long = format!("http://example.org/{} ", "a".repeat(300));
    for (name, url) in [
        ("short", "http://a.b/c "),
        ("sentence", "(see http://www.example.org/a_(b).html). "),
        (
            "query",
            "http://www.example.org/cgi?a=1&b=2&c=%7E,d=3;e=%20x ",
        ),
        ("long", &long),
        ("letters", "http://www.example.org/K\u{e4}se/\u{f6}l "),
        ("wrapped", "<URL:http://www.example.org/index.html> "),
        ("quoted", "\"http://www.example.org/index.html\" "),
    ] {
        let times = (1 << 18) / url.len();
        let text = url.repeat(times);
        let mut scanner = Scanner::new();
        group.throughput(Throughput::Elements(times as u64));
        group.bench_function(name, |b| {
            b.iter(|| assert_eq!(scan(&mut scanner, text.as_bytes()), times));
        });
    }
}

/// Verdicts of the profiles `current` and `rfc1738`.
fn validator(c: &mut Criterion) {
    let mut group = c.benchmark_group("validator");
    for sample in samples() {
        let urls = urls(&sample.bytes);
        if urls.is_empty() {
            continue;
        }
        group.throughput(Throughput::Elements(urls.len() as u64));
        for profile in [Profile::Current, Profile::Rfc1738] {
            let judge = || {
                let valid = urls.iter().filter(|url| validate(profile, url).is_ok());
                valid.count()
            };
            let valid = judge();
            group.bench_function(format!("{}/{profile}", sample.name), |b| {
                b.iter(|| assert_eq!(judge(), valid));
            });
        }
    }
}

/// The whole extractor (scanner, grammar, hits), and the cost of a call.
fn extractor(c: &mut Criterion) {
    let mut group = c.benchmark_group("extractor");
    for sample in samples() {
        let mut extractor = Extractor::builder().rejects(true).build().stream();
        let found = extract(&mut extractor, &sample.bytes);
        if let Some(hits) = sample.hits {
            assert_eq!(found, hits, "{}", sample.name);
        }
        group.throughput(Throughput::Bytes(sample.bytes.len() as u64));
        group.bench_function(sample.name, |b| {
            b.iter(|| assert_eq!(extract(&mut extractor, &sample.bytes), found));
        });
    }
    let text = common::message().bytes;
    group.throughput(Throughput::Elements(1));
    group.bench_function("build", |b| b.iter(|| Extractor::new(Profile::Current)));
    group.bench_function("build and one message", |b| {
        b.iter(|| {
            extract(
                &mut Extractor::builder().rejects(true).build().stream(),
                &text,
            )
        });
    });
}

/// Some families of hostile texts. The bench `hostile` has all of them.
fn hostile(c: &mut Criterion) {
    let mut group = c.benchmark_group("hostile");
    for name in ["all :", "http://a", "mailto:", "punctuation tails"] {
        let Some((name, make)) = hostile::FAMILIES
            .iter()
            .chain(hostile::VIEWED)
            .find(|f| f.0 == name)
        else {
            panic!("no family {name}");
        };
        let text = make(1 << 20);
        let mut extractor = Extractor::builder().rejects(true).build().stream();
        let found = extract(&mut extractor, &text);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(*name, |b| {
            b.iter(|| assert_eq!(extract(&mut extractor, &text), found));
        });
    }
}

/// Messages of one kind each, from their bytes to their hits.
fn decoders(c: &mut Criterion) {
    use urlgrep::search::{Match, Searcher, Visitor};

    struct Count(usize);
    impl Visitor for Count {
        fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
            black_box(found);
            self.0 += 1;
            ControlFlow::Continue(())
        }
    }

    let mut group = c.benchmark_group("decoders");
    for (sample, hits) in common::messages(1 << 20) {
        let mut searcher = Searcher::default();
        let mut search = || {
            let mut count = Count(0);
            let _ = searcher.visit_message(&sample.bytes, &mut count);
            count.0
        };
        assert_eq!(search(), hits, "{}", sample.name);
        group.throughput(Throughput::Bytes(sample.bytes.len() as u64));
        group.bench_function(sample.name, |b| b.iter(|| assert_eq!(search(), hits)));
    }
}

criterion_group!(
    benches, scanner, boundary, validator, extractor, decoders, hostile
);
criterion_main!(benches);
