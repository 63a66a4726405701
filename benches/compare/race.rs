//! Contenders that take turns, and the table of their speeds.

use std::time::Instant;

/// A contender: its name, the number of bytes that it reads, and a function that
/// searches them and returns the number of hits.
pub struct Contender<'t> {
    name: String,
    bytes: usize,
    run: Box<dyn FnMut() -> usize + 't>,
}

impl<'t> Contender<'t> {
    pub fn new(name: &str, bytes: usize, run: impl FnMut() -> usize + 't) -> Contender<'t> {
        Contender {
            name: name.into(),
            bytes,
            run: Box::new(run),
        }
    }
}

/// The result of a contender: seconds of each turn, bytes, hits.
pub struct Row {
    pub name: String,
    pub seconds: Vec<f64>,
    bytes: usize,
    pub hits: usize,
}

/// Runs all contenders in turns.
pub fn race(contenders: Vec<Contender<'_>>, runs: usize) -> Vec<Row> {
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

pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

impl Row {
    /// Bytes (or items) a second.
    pub fn speed(&self) -> f64 {
        self.bytes as f64 / median(self.seconds.clone())
    }

    /// The speed of this row divided by the speed of `other`.
    fn against(&self, other: &Row) -> f64 {
        let turns = self.seconds.iter().zip(&other.seconds);
        let scale = self.bytes as f64 / other.bytes as f64;
        median(turns.map(|(mine, its)| its / mine * scale).collect())
    }
}

/// Prints rows, and their ratios to the row `base`.
pub fn print(rows: &[Row], base: &str) {
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

/// The speed of a row divided by the speed of another, if both exist.
pub fn ratio(rows: &[Row], one: &str, other: &str) -> Option<f64> {
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    Some(find(one)?.against(find(other)?))
}

/// Prints the ratio of two rows that has no target.
pub fn report(what: &str, rows: &[Row], one: &str, other: &str) {
    if let Some(ratio) = ratio(rows, one, other) {
        println!("  {what}: {ratio:.2}");
    }
}

pub fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

/// Prints whether a target of the project is met.
pub fn target(what: &str, rows: &[Row], ours: &str, other: &str, at_least: f64) {
    if let Some(ratio) = ratio(rows, ours, other) {
        let verdict = verdict(ratio >= at_least);
        println!("  target: {what}: {ratio:.2}, at least {at_least:.2}: {verdict}");
    }
}
