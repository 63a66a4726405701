//! Time on texts made to be slow, at 1, 2, 4 and 8 MB: how it grows by the
//! doubling, and against prose of the same size.
//!
//! `cargo bench --bench hostile [-- NAME...]` prints the table; names are parts of
//! those of the families.

#[path = "../tests/common/hostile.rs"]
mod families;

use std::convert::Infallible;
use std::env;
use std::time::Instant;

use urlgrep::{Extractor, Hit, Profile};

/// Runs of each size; the best of them counts, which on a busy machine is the
/// one that was disturbed least.
const RUNS: usize = 7;

fn seconds(extractor: &mut Extractor, text: &[u8]) -> (f64, usize) {
    let (mut best, mut hits) = (f64::MAX, 0);
    for _ in 0..RUNS {
        hits = 0;
        let start = Instant::now();
        let Ok(()) = extractor.search_slice(text, &mut |_: &Hit| {
            hits += 1;
            Ok::<_, Infallible>(true)
        });
        best = best.min(start.elapsed().as_secs_f64());
    }
    (best, hits)
}

fn main() {
    let wanted: Vec<String> = env::args().skip(1).filter(|a| a != "--bench").collect();
    let mut extractor = Extractor::new(Profile::Current);
    const MB: usize = 1 << 20;
    let prose = seconds(&mut extractor, &families::prose(8 * MB)).0;
    println!(
        "prose of 8 MB: {:.0} MB/s\n\n{:<42} {:>8} {:>6} {:>6} {:>6} {:>9} {:>6} {:>8} {:>7}",
        8.4 / prose,
        "family",
        "MB/s",
        "1>2",
        "2>4",
        "4>8",
        "hits",
        "ns/hit",
        "to prose",
        "looks"
    );
    let mut worst = (0.0, 0.0, 0.0);
    for (name, make) in families::FAMILIES {
        if !wanted.is_empty() && !wanted.iter().any(|w| name.contains(w.as_str())) {
            continue;
        }
        let text = make(8 * MB);
        let runs: Vec<(f64, usize)> = [1, 2, 4, 8]
            .iter()
            .map(|times| seconds(&mut extractor, &text[..times * MB]))
            .collect();
        let looks = extractor.examined() as f64 / text.len() as f64;
        let growth: Vec<f64> = runs.windows(2).map(|w| w[1].0 / w[0].0).collect();
        let (time, hits) = runs[3];
        let per_hit = if hits == 0 {
            "-".into()
        } else {
            format!("{:.0}", time * 1e9 / hits as f64)
        };
        println!(
            "{name:<42} {:>8.0} {:>6.2} {:>6.2} {:>6.2} {hits:>9} {per_hit:>6} {:>8.1} {looks:>7.2}",
            8.4 / time,
            growth[0],
            growth[1],
            growth[2],
            time / prose
        );
        worst.0 = growth.iter().copied().fold(worst.0, f64::max);
        worst.1 = f64::max(worst.1, time / prose);
        worst.2 = f64::max(worst.2, looks);
    }
    println!(
        "\nworst: {:.2} a doubling, {:.1} times prose, {:.2} looks a byte",
        worst.0, worst.1, worst.2
    );
}
