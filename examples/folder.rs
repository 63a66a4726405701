//! Counts the URLs of all files in folders, and shows the progress:
//!
//!     cargo run --no-default-features --features engine --example folder -- PATH...

use std::io;

use urlgrep::engine::{Control, Delivery, Engine, Flow, Input, Piece, Worker};
use urlgrep::search::{Match, Searcher, Visitor};

struct Count<'c>(&'c mut u64);
impl Visitor for Count<'_> {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        *self.0 += u64::from(found.hit.verdict().is_ok());
        true
    }
}

struct Search(Searcher);
impl Worker for Search {
    type Output = u64;

    fn piece(&mut self, piece: &Piece<'_>, hits: &mut u64) -> Flow {
        piece.search(&mut self.0, &mut Count(hits));
        Flow::Done
    }
}

/// The number of URLs below `paths`.
pub fn count(paths: Vec<String>, control: &Control) -> io::Result<u64> {
    let engine = Engine::builder().control(control.clone()).build();
    let inputs = paths.into_iter().map(|path| Input::Path(path.into()));
    let worker = || Search(Searcher::default());
    engine.run(inputs, worker, |delivery: &mut Delivery<'_, u64>| {
        control.add_hits(std::mem::take(delivery.output));
        for fault in delivery.faults.drain(..) {
            eprintln!("{fault}");
        }
        eprint!("\r{:?}", control.progress());
        true
    })?;
    Ok(control.progress().hits)
}

#[allow(dead_code, reason = "the tests call `count`")]
fn main() -> io::Result<()> {
    let hits = count(std::env::args().skip(1).collect(), &Control::new())?;
    println!("\n{hits} URLs");
    Ok(())
}
