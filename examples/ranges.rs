//! Searches one mbox in several threads, each with a range of the file:
//!
//!     cargo run --no-default-features --features files --example ranges -- MBOX

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::thread;

use urlgrep::mail::ReadAs;
use urlgrep::ranges::{ReadAt, describe, search};
use urlgrep::search::Searcher;

/// The URLs of a source, each with its offset, found by `number` threads.
pub fn urls(src: &(impl ReadAt + Sync), number: u64) -> io::Result<Vec<(u64, String)>> {
    let description = describe(src, ReadAs::Auto)?;
    let part = description.size.unwrap_or(0) / number;
    let cut = |i| if i < number { i * part } else { u64::MAX };
    let find = |i| {
        let (mut searcher, mut urls) = (Searcher::default(), vec![]);
        search(src, &description, cut(i)..cut(i + 1), &mut searcher, |m| {
            let start = m.source().map_or(0, |place| place.span().start);
            urls.push((start, m.hit.to_string()));
            ControlFlow::Continue(())
        })?;
        Ok(urls)
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
