//! Searches one mbox in several threads, each with a range of the file:
//!
//!     cargo run --no-default-features --features mail --example ranges -- MBOX

use std::fs::File;
use std::io;
use std::thread;

use urlgrep::ranges::{ReadAt, describe, search};
use urlgrep::search::{Match, Searcher, Visitor};

struct Urls(Vec<(u64, String)>);

impl Visitor for Urls {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        let start = found.source().map_or(0, |pieces| pieces.span().start);
        let url = String::from_utf8_lossy(found.hit.url()).into_owned();
        self.0.push((start, url));
        true
    }
}

/// The URLs of a source, each with its offset, found by `number` threads.
pub fn urls(src: &(impl ReadAt + Sync), number: u64) -> io::Result<Vec<(u64, String)>> {
    let description = describe(src)?;
    let part = description.size.unwrap_or(0) / number;
    let cut = |i| if i < number { i * part } else { u64::MAX };
    let find = |i| {
        let (mut searcher, mut urls) = (Searcher::default(), Urls(vec![]));
        let range = cut(i)..cut(i + 1);
        search(src, &description, range, &mut searcher, &mut urls).map(|()| urls.0)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..number).map(|i| scope.spawn(move || find(i))).collect();
        let results = threads.into_iter().map(|thread| thread.join());
        let results = results.map(|found| found.map_err(|_| io::Error::other("a panic"))?);
        Ok(results.collect::<io::Result<Vec<_>>>()?.concat())
    })
}

#[allow(dead_code, reason = "the tests call `urls`")]
fn main() -> io::Result<()> {
    let path = std::env::args().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    for (offset, url) in urls(&File::open(path)?, 4)? {
        println!("{offset}: {url}");
    }
    Ok(())
}
