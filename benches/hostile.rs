//! Texts and mail made to be slow or to use much memory, in four parts:
//!
//! | part | what is measured |
//! | --- | --- |
//! | `text` | time of the extractor at 1, 2, 4 and 8 MB, its growth, and its ratio to the time of prose |
//! | `mail` | the same for mail |
//! | `options` | the same for the processor time of the command with options that may be slow |
//! | `memory` | the peak memory of the command at 8 and 64 MB, for every family; fails if the peak exceeds its bound, or grows by more than a fifth, or if a signal ends a run |
//!
//! `cargo bench --bench hostile [-- [PART] [NAME...]]` prints the tables. A
//! NAME selects the families whose names contain it.

#[path = "common/hostile_command.rs"]
mod command;
#[path = "../tests/common/hostile_command.rs"]
mod command_families;
#[path = "../tests/common/hostile.rs"]
mod families;
#[path = "../tests/common/hostile_mail.rs"]
mod mail_families;
#[path = "../tests/common/peak.rs"]
mod peak;

use std::env;
use std::ops::ControlFlow;
use std::time::Instant;

use urlgrep::{Extractor, Hit, Stream};
use urlgrep_find::Drive;

/// Runs of each size. The fastest one counts, because other programs disturbed
/// it least.
const RUNS: usize = 7;

const MB: usize = 1 << 20;

/// A reader of a text. Returns the number of hits, and the number of examined
/// bytes if it is counted.
trait Reads {
    fn read(&mut self, text: &[u8]) -> (usize, Option<u64>);
}

impl Reads for Stream {
    fn read(&mut self, text: &[u8]) -> (usize, Option<u64>) {
        let mut hits = 0;
        let _ = self.search_here(text, |_: &Hit| {
            hits += 1;
            ControlFlow::Continue(())
        });
        (hits, Some(self.examined()))
    }
}

/// A table. `prose` is the time for prose, in seconds.
struct Table {
    prose: f64,
    growth: f64,
    times: f64,
    looks: f64,
}

impl Table {
    fn start(what: &str, prose: f64) -> Table {
        println!(
            "{what}: prose of 8 MB {:.0} MB/s\n\n{:<42} {:>8} {:>6} {:>6} {:>6} {:>9} {:>6} {:>8} {:>8}",
            8.4 / prose,
            "family",
            "MB/s",
            "1>2",
            "2>4",
            "4>8",
            "hits",
            "ns/hit",
            "to prose",
            "examined"
        );
        Table {
            prose,
            growth: 0.0,
            times: 0.0,
            looks: 0.0,
        }
    }

    fn row(&mut self, name: &str, reads: &mut impl Reads, make: impl Fn(usize) -> Vec<u8>) {
        self.print(
            name,
            [1, 2, 4, 8].map(|times| seconds(reads, &make(times * MB))),
        );
    }

    fn print(&mut self, name: &str, runs: [(f64, usize, Option<u64>); 4]) {
        let growth = [0, 1, 2].map(|i| runs[i + 1].0 / runs[i].0);
        let (time, hits, looks) = runs[3];
        let per_hit = match hits {
            0 => "-".into(),
            _ => format!("{:.0}", time * 1e9 / hits as f64),
        };
        let looks = looks.map(|looks| looks as f64 / (8 * MB) as f64);
        println!(
            "{name:<42} {:>8.0} {:>6.2} {:>6.2} {:>6.2} {hits:>9} {per_hit:>6} {:>8.1} {:>8}",
            8.4 / time,
            growth[0],
            growth[1],
            growth[2],
            time / self.prose,
            looks.map_or("-".into(), |looks| format!("{looks:.2}")),
        );
        self.growth = growth.into_iter().fold(self.growth, f64::max);
        self.times = f64::max(self.times, time / self.prose);
        self.looks = f64::max(self.looks, looks.unwrap_or_default());
    }

    fn end(self) {
        let Table { growth, times, .. } = self;
        print!(
            "\nworst: {growth:.2} times as long for twice the size, {times:.1} times the time of prose"
        );
        match self.looks {
            0.0 => println!("\n"),
            looks => println!(", each byte examined {looks:.2} times\n"),
        }
    }
}

fn seconds(reads: &mut impl Reads, text: &[u8]) -> (f64, usize, Option<u64>) {
    let (mut best, mut found) = (f64::MAX, (0, None));
    for _ in 0..RUNS {
        let start = Instant::now();
        found = reads.read(text);
        best = best.min(start.elapsed().as_secs_f64());
    }
    (best, found.0, found.1)
}

fn main() {
    if peak::launched() {
        return;
    }
    let mut names: Vec<String> = env::args().skip(1).filter(|a| a != "--bench").collect();
    let parts = ["text", "mail", "options", "memory"];
    let part = names
        .first()
        .and_then(|n| parts.into_iter().find(|p| p == n));
    if part.is_some() {
        names.remove(0);
    }
    let has = |name: &str| part.is_none_or(|part| part == name);
    let is_wanted =
        |name: &str| names.is_empty() || names.iter().any(|n| name.contains(n.as_str()));

    if has("text") {
        let mut extractor = Extractor::builder().rejects(true).build().stream();
        let prose = seconds(&mut extractor, &families::prose(8 * MB)).0;
        let mut table = Table::start("text", prose);
        for (name, make) in families::FAMILIES.iter().chain(families::VIEWED) {
            if is_wanted(name) {
                table.row(name, &mut extractor, make);
            }
        }
        table.end();
    }
    if has("mail") {
        mail::table(is_wanted);
    }
    if has("options") {
        command::options(is_wanted);
    }
    if has("memory") && !command::memory(is_wanted) {
        std::process::exit(1);
    }
}

mod mail {
    use std::ops::ControlFlow;

    use urlgrep::mail::{Container, ReadAs, sniff};
    use urlgrep::search::{Match, Searcher, Visitor};

    use super::{MB, Reads, Table, families, mail_families, seconds};

    struct Count(usize);

    impl Visitor for Count {
        fn hit(&mut self, _found: &Match<'_>) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
    }

    impl Reads for Searcher {
        fn read(&mut self, mail: &[u8]) -> (usize, Option<u64>) {
            let hint = match sniff(mail, false, ReadAs::Auto) {
                Container::Text => ReadAs::Message,
                _ => ReadAs::Auto,
            };
            let mut count = Count(0);
            let _ = self
                .visit_reader(mail, hint, &mut count)
                .expect("a slice has no errors");
            (count.0, None)
        }
    }

    pub fn table(is_wanted: impl Fn(&str) -> bool) {
        let mut searcher = Searcher::default();
        let mut prose = b"From: a@b\nSubject: prose\n\n".to_vec();
        prose.extend(families::prose(8 * MB));
        let mut table = Table::start("mail", seconds(&mut searcher, &prose).0);
        for family in mail_families::families() {
            if is_wanted(family.name) {
                table.row(family.name, &mut searcher, |n| family.make(n));
            }
        }
        table.end();
    }
}
