//! Small measurements: verdicts, calls, gzip, small files, the start.

use std::fs;
use std::hint::black_box;
use std::io;
use std::ops::ControlFlow;
use std::time::Instant;

use fluent_uri::Uri;
use mail_parser::MessageParser;
use urlgrep::url::validate;
use urlgrep::{Extractor, Hit, Profile};
use urlgrep_find::Drive;

use crate::programs::{self, ALL_DECODING, COMMAND, DECODING, FAST, OURS, RG, quiet};
use crate::race::{Contender, median, print, race, target};
use crate::text::{PARSER, parses};
use crate::texts::messages;
use crate::{Options, common};

/// Verdicts a second on http URLs of 40 to 60 bytes from the text.
pub fn verdicts(text: &[u8], options: &Options) {
    let extractor = Extractor::builder().rejects(true).build();
    let urls: Vec<String> = extractor
        .find_iter(text)
        .filter(|hit| hit.url().is_ok())
        .map(|hit| String::from_utf8_lossy(hit.text()).into_owned())
        .filter(|url| url.starts_with("http://") && (40..=60).contains(&url.len()))
        .take(100_000)
        .collect();
    if urls.is_empty() {
        println!("\nvalidator: no http URLs of 40 to 60 bytes in the text");
        return;
    }
    // The list of URLs is larger than the nearest caches. Ten rounds take long
    // enough for a measurement.
    const ROUNDS: usize = 10;
    let count = |valid: &dyn Fn(&str) -> bool| {
        let round = || urls.iter().filter(|url| valid(url)).count();
        (0..ROUNDS).map(|_| round()).sum::<usize>() / ROUNDS
    };
    let items = urls.len() * ROUNDS;
    let rows = race(
        vec![
            Contender::new("urlgrep: validate, current", items, || {
                count(&|url| validate(Profile::Current, url.as_bytes()).is_ok())
            }),
            Contender::new("urlgrep: validate, rfc1738", items, || {
                count(&|url| validate(Profile::Rfc1738, url.as_bytes()).is_ok())
            }),
            Contender::new("fluent-uri: parse", items, || {
                count(&|url| Uri::parse(url).is_ok())
            }),
        ],
        options.runs.max(9),
    );
    println!("\nvalidator, {} http URLs of 40 to 60 bytes", urls.len());
    println!("  {:<44} {:>9} {:>8} {:>10}", "", "M/s", "ratio", "valid");
    print(&rows, "urlgrep: validate, current");
    println!(
        "  target: million verdicts a second: {:.1}, at least 20",
        rows[0].speed() / 1e6
    );
    target(
        "to fluent-uri",
        &rows,
        "urlgrep: validate, current",
        "fluent-uri: parse",
        1.0,
    );
}

/// The cost of a call: messages of 2 KB in one call each, minus the same bytes
/// in one call. Also the cost of building an extractor.
pub fn calls(text: &[u8], options: &Options) {
    const SIZE: usize = 2048;
    let text = &text[..text.len().min(16_000_000)];
    let mut extractor = Extractor::builder().rejects(true).build().stream();
    let mut hits = 0;
    let mut sink = |hit: &Hit| {
        black_box(hit);
        hits += 1;
        ControlFlow::Continue(())
    };
    let (mut each, mut whole, mut build) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.runs.max(9) {
        let start = Instant::now();
        for message in text.chunks(SIZE) {
            let _ = extractor.search_here(message, &mut sink);
        }
        each.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let _ = extractor.search_here(text, &mut sink);
        whole.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        for _ in 0..1000 {
            black_box(Extractor::new(black_box(Profile::Current)));
        }
        build.push(start.elapsed().as_secs_f64() / 1000.0);
    }
    let calls = text.len().div_ceil(SIZE) as f64;
    let over = each.iter().zip(&whole).map(|(e, w)| (e - w) / calls);
    println!(
        "\nmessages of {SIZE} bytes, one a call, over the cost of the bytes: {:.0} ns a call, at most 1000",
        median(over.collect()) * 1e9
    );
    println!(
        "building an extractor: {:.0} ns, at most 50000",
        median(build) * 1e9
    );
}

/// The command on a gzip file, compared with a loop that only inflates it with
/// the same crate.
pub fn gzip(text: &[u8], options: &Options) -> io::Result<()> {
    use std::io::{Read, Write};

    const INFLATE: &str = "flate2: inflate alone";
    const OURS_PACKED: &str = "urlgrep -j1 --no-decode, gzip";
    let text = common::rotate(text, options.bytes() / 4);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    packed.write_all(&text)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("text.gz");
    fs::write(&file, packed.finish()?)?;
    let inflate = || {
        let mut rdr = flate2::read::MultiGzDecoder::new(fs::File::open(&file).ok()?);
        let (mut buffer, mut sum) = (vec![0; 64 << 10], 0);
        loop {
            match rdr.read(&mut buffer).ok()? {
                0 => return Some(sum),
                n => sum += n,
            }
        }
    };
    let mut command = quiet(COMMAND, &["-j1", "--no-decode"], &[&file]);
    let rows = race(
        vec![
            Contender::new(INFLATE, text.len(), || inflate().unwrap_or_default()),
            Contender::new(OURS_PACKED, text.len(), || {
                usize::from(command.status().is_ok())
            }),
        ],
        options.runs,
    );
    println!("\ngzip, {:.0} MB unpacked", text.len() as f64 / 1e6);
    print(&rows, OURS_PACKED);
    target("gzip to inflating", &rows, OURS_PACKED, INFLATE, 1.0 / 1.25);
    Ok(())
}

/// Small files: 20,000 messages of the text, a thousand in each folder.
pub fn spool(text: &[u8], options: &Options) -> io::Result<()> {
    const FILES: usize = 20_000;
    let mails = messages(text);
    let step = (mails.len() / FILES).max(1);
    let root = tempfile::tempdir()?;
    let (mut files, mut bytes) = (Vec::new(), 0);
    for (i, mail) in mails.iter().step_by(step).cycle().take(FILES).enumerate() {
        let folder = root.path().join(format!("group{}", i / 1000));
        if i % 1000 == 0 {
            fs::create_dir(&folder)?;
        }
        let file = folder.join(i.to_string());
        fs::write(&file, mail)?;
        bytes += mail.len();
        files.push(file);
    }
    let parser = MessageParser::default();
    let parse = Contender::new(PARSER, bytes, || {
        let parsed = |file: &&_| fs::read(file).is_ok_and(|mail| parses(&parser, &mail));
        files.iter().filter(parsed).count()
    });
    let all = FAST
        .iter()
        .filter(|program| program.0 != "cat")
        .chain(&ALL_DECODING);
    let rows = programs::race_with(vec![parse], all, root.path(), bytes, options.runs);
    println!(
        "\nspool, {} files of {:.0} MB",
        files.len(),
        bytes as f64 / 1e6
    );
    println!("  {:<44} {:>9} {:>8} {:>10}", "", "MB/s", "ratio", "lines");
    print(&rows, DECODING);
    target("spool to rg", &rows, OURS, RG, 1.0 / 1.3);
    target("spool to rg, decoding", &rows, DECODING, RG, 0.4);
    target("decoding to mail-parser", &rows, DECODING, PARSER, 2.0);
    programs::print_decoding(&rows);
    Ok(())
}

/// The time of the command for no work and for a small file.
pub fn start(options: &Options) -> io::Result<()> {
    if !programs::is_installed("rg") {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("text");
    fs::write(&file, &common::message().bytes[..1024])?;
    let runs = 20 * options.runs;
    let fast = FAST
        .iter()
        .filter(|program| [OURS, RG].contains(&program.0));
    let rows = programs::race_with(Vec::new(), fast, &file, 1, runs);
    let version = |name: &'static str, program: &str| {
        let mut command = quiet(program, &["--version"], &[]);
        Contender::new(name, 1, move || usize::from(command.status().is_ok()))
    };
    let versions = race(vec![version(OURS, COMMAND), version(RG, "rg")], runs);
    println!("\nstart, milliseconds");
    for (what, rows) in [("--version", &versions), ("one file of 1 KB", &rows)] {
        for row in rows {
            let time = median(row.seconds.clone()) * 1e3;
            println!("  {:<44} {time:>9.2}", format!("{}: {what}", row.name));
        }
        target(&format!("to rg, {what}"), rows, OURS, RG, 1.0 / 1.5);
    }
    Ok(())
}
