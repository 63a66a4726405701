//! Counts the URLs of all files in folders, and shows the progress:
//!
//!     cargo run --no-default-features --features files --example folder -- PATH...

use std::io;
use std::ops::ControlFlow;

use urlgrep::engine::{Control, Engine, Outbox, Piece, Worker};
use urlgrep::search::{Match, Searcher};

struct Search(Searcher);
impl Worker for Search {
    type Output = u64;

    fn piece(&mut self, piece: &Piece<'_>, hits: &mut Outbox<'_, u64>) -> bool {
        piece.search(&mut self.0, &mut |_: &Match<'_>| {
            **hits += 1;
            ControlFlow::Continue(())
        })
    }
}

/// The number of URLs below `paths`.
pub fn count(paths: Vec<String>, control: &Control) -> io::Result<u64> {
    let engine = Engine::builder().control(control.clone()).build();
    let worker = || Search(Searcher::default());
    engine.run(paths, worker, |delivery| {
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
