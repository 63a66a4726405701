//! How the time and the memory of the command grow with its input.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::Options;
use crate::peak::{Usage, measure};
use crate::programs::{COMMAND, Program};
use crate::race::{median, verdict};
use crate::texts::{pieces, sample};

/// The size of a copy of the text.
const COPY: usize = 10_000_000;

/// Sizes, in copies.
const SIZES: [usize; 4] = [1, 10, 100, 1000];

const MODES: [(&str, &[&str]); 5] = [
    ("decoding", &["-j1"]),
    ("--json", &["-j1", "--json"]),
    ("-u", &["-j1", "-u"]),
    ("--tally", &["-j1", "--tally"]),
    ("--sort date", &["-j1", "--sort=date"]),
];

/// Prints processor time and peak memory at 10, 100 and 1,000 MB, and with
/// `--mb 10000` at 10 GB.
///
/// The text is a sample of about 10 MB from all mail and news. Each copy begins
/// at another message, and has other hosts: a label is added after each `://`. So
/// the sizes have the same mixture of messages, and the number of different URLs
/// grows with the size. URLs in base64 stay the same.
///
/// The time of an empty run is subtracted. The medians of small sizes are of more
/// runs, and 10 GB run at least once.
pub fn growth(corpus: Option<&Path>, options: &Options) -> io::Result<()> {
    let text = sample(corpus, COPY);
    let messages = pieces(&text);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("text.mbox");
    let mut file = BufWriter::new(File::create(&path)?);
    let empty = folder.path().join("empty");
    File::create(&empty)?;
    let empty = median(times(&run_all(&empty, 10 * options.runs)?[0]));
    println!(
        "growth: processor time of one thread, {} messages, {:.1} MB, copied with other hosts; \
         empty run: {:.1} ms",
        messages.len(),
        text.len() as f64 / 1e6,
        empty * 1e3
    );
    let most = options.mb.unwrap_or(1000) * 1_000_000 / COPY;
    let (mut written, mut bytes, mut first) = (0, 0, [0.0; MODES.len()]);
    for size in SIZES.into_iter().filter(|size| *size <= most.max(1)) {
        for copy in written..size {
            bytes += write_copy(&mut file, &messages, copy)?;
        }
        written = size;
        file.flush()?;
        let runs = (options.runs * 100 / size).clamp(1, 10 * options.runs);
        let different = Program("-u", COMMAND, &["-u"]).lines(&path);
        println!(
            "\n{:.1} MB, {different} different URLs, {runs} runs",
            bytes as f64 / 1e6
        );
        println!(
            "  {:<14} {:>8} {:>8} {:>8}",
            "", "ns/byte", "ratio", "peak MB"
        );
        for (i, usages) in run_all(&path, runs)?.iter().enumerate() {
            let cost = (median(times(usages)) - empty) / bytes as f64 * 1e9;
            if size == SIZES[0] {
                first[i] = cost;
            }
            print_row(MODES[i].0, cost, cost / first[i], usages);
        }
    }
    Ok(())
}

/// Runs the modes in turns.
fn run_all(path: &Path, runs: usize) -> io::Result<[Vec<Usage>; MODES.len()]> {
    let mut usages = [const { Vec::new() }; MODES.len()];
    for _ in 0..runs {
        for (usages, (_, args)) in usages.iter_mut().zip(MODES) {
            let args = args.iter().copied().chain(path.to_str());
            usages.push(measure(&args.collect::<Vec<_>>())?);
        }
    }
    Ok(usages)
}

fn times(usages: &[Usage]) -> Vec<f64> {
    usages.iter().map(|usage| usage.seconds).collect()
}

fn print_row(name: &str, cost: f64, ratio: f64, usages: &[Usage]) {
    let peak = usages.iter().map(|usage| usage.peak).max().unwrap_or(0);
    let failed = usages.iter().any(|usage| usage.code != 0);
    println!(
        "  {name:<14} {cost:>8.2} {ratio:>8.2} {:>8.1}  target: at most 1.10: {}{}",
        peak as f64 / 1e6,
        verdict(ratio <= 1.1),
        if failed { ", the command failed" } else { "" }
    );
}

/// Writes all messages, beginning at another one in each copy. Returns the number
/// of bytes.
fn write_copy(out: &mut impl Write, messages: &[&[u8]], copy: usize) -> io::Result<usize> {
    const AFTER: &[u8] = b"://";
    let label = format!("c{copy:04}.");
    let (end, start) = messages.split_at(copy * 997 % messages.len());
    let mut bytes = 0;
    for message in start.iter().chain(end) {
        let mut from = 0;
        for at in memchr::memmem::find_iter(message, AFTER) {
            let to = at + AFTER.len();
            out.write_all(&message[from..to])?;
            out.write_all(label.as_bytes())?;
            bytes += label.len();
            from = to;
        }
        out.write_all(&message[from..])?;
        bytes += message.len();
    }
    Ok(bytes)
}
