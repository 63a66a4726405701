//! The consumers of the output: one for each kind of output that depends on its order.

use std::io;
use std::sync::Arc;

use urlgrep::rows::Field;

use super::super::config::{Config, Mode};
use super::super::output::Heading;
use super::super::print::Tally;
use super::super::print::tally::{SHOWN, is_people};
use super::super::sort::Sorter;
use super::choice::{Choice, Chosen, Seen};

/// Consumes the hits of the workers in the order of the input. Text for the output is added
/// to `out`.
pub trait Sink {
    /// The next rows belong to this file.
    fn file(&mut self, _path: &[u8]) {}

    /// The heading of the next hits.
    fn heading(&mut self, _heading: Heading) {}

    /// The lines before the next hit.
    fn before(&mut self, _text: &[u8]) {}

    /// The lines after the last hit.
    fn after(&mut self, _text: &[u8], _out: &mut Vec<u8>) {}

    /// Whether the hit was not seen before.
    fn is_new(&mut self, _text: &[u8], key: u128, choice: &mut Choice) -> bool {
        choice.is_new(key)
    }

    /// A hit that is not wanted.
    fn pass(&mut self) {}

    /// A hit that is wanted.
    ///
    /// # Errors
    ///
    /// If it cannot be held.
    fn hit(&mut self, hit: &Chosen<'_>, out: &mut Vec<u8>) -> io::Result<()>;

    /// A row that is a note.
    ///
    /// # Errors
    ///
    /// If it cannot be held.
    fn note(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(text);
        Ok(())
    }

    /// A file ends, with this number of wanted hits. Returns true if this is a result of the
    /// search.
    fn end_file(&mut self, _path: Option<&[u8]>, _hits: u64, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// True if the hits are held until the end, which counts them.
    fn holds(&self) -> bool {
        false
    }

    /// The end of the run. Gives each text that was held to `put`, and whether it is a hit.
    /// `put` returns whether more is wanted.
    ///
    /// # Errors
    ///
    /// If what was held cannot be read.
    fn finish(&mut self, _put: &mut dyn FnMut(&[u8], bool) -> bool) -> io::Result<()> {
        Ok(())
    }
}

/// The sink for the mode of this run.
pub fn sink(config: &Arc<Config>) -> Box<dyn Sink> {
    match config.mode {
        Mode::Tally => Box::new(Counted {
            people: people(&config.tally.fields),
            config: Arc::clone(config),
            tally: Tally::default(),
        }),
        Mode::Count => Box::new(Numbers(Arc::clone(config))),
        Mode::Files { with } => Box::new(Paths {
            config: Arc::clone(config),
            with,
        }),
        _ => {
            if config.by_date() {
                Box::new(ByDate {
                    unique: config.args.filter.unique,
                    sorter: Sorter::default(),
                    seen: Seen::default(),
                })
            } else if config.heading || config.context.is_some() {
                Box::new(Lines::new(config))
            } else {
                Box::new(Rows)
            }
        }
    }
}

/// The key of a row of `--sort date` that is a note. A URL is unlikely to have this hash.
const NOTE: u128 = u128::MAX;

/// Rows without anything between them.
pub struct Rows;

impl Sink for Rows {
    fn hit(&mut self, hit: &Chosen<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(hit.text);
        Ok(())
    }
}

/// `-c`: the number of hits of each file.
struct Numbers(Arc<Config>);

impl Sink for Numbers {
    fn hit(&mut self, _hit: &Chosen<'_>, _out: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }

    fn end_file(&mut self, path: Option<&[u8]>, hits: u64, out: &mut Vec<u8>) -> bool {
        if hits > 0 {
            self.0.printer.text.count(path, hits, out);
        }
        hits > 0
    }
}

/// `-l` and `-L`: the paths of files with hits, or of those without.
struct Paths {
    config: Arc<Config>,
    with: bool,
}

impl Sink for Paths {
    fn hit(&mut self, _hit: &Chosen<'_>, _out: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }

    fn end_file(&mut self, path: Option<&[u8]>, hits: u64, out: &mut Vec<u8>) -> bool {
        let is_wanted = self.with == (hits > 0);
        if is_wanted {
            self.config.printer.text.path_line(path, out);
        }
        is_wanted
    }
}

/// `-A`, `-B`, `-C` and `--heading`: lines around hits, and lines above those of a message.
struct Lines {
    /// `--` is between groups of lines.
    separates: bool,
    /// Lines before the next hit.
    before: Vec<u8>,
    /// The last hit was printed, so the lines after it must be printed too.
    is_printed: bool,
    /// Lines around a hit were printed.
    any_lines: bool,
    /// The heading of the next hit.
    heading: Option<Heading>,
    /// The last heading that was printed in this file.
    headed: Option<u64>,
    /// A heading was printed.
    any_heading: bool,
}

impl Lines {
    fn new(config: &Config) -> Lines {
        Lines {
            separates: config.separates(),
            before: Vec::new(),
            is_printed: false,
            any_lines: false,
            heading: None,
            headed: None,
            any_heading: false,
        }
    }

    /// Prints the heading of the next hit, unless the last heading is the same.
    fn put_heading(&mut self, out: &mut Vec<u8>) {
        let Some(heading) = self.heading.take() else {
            return;
        };
        if self.headed == Some(heading.id) {
            return;
        }
        if self.any_heading {
            out.push(b'\n');
        }
        if self.headed.is_none() {
            out.extend_from_slice(&heading.path);
            if !heading.path.is_empty() && !heading.message.is_empty() {
                out.push(b'\n');
            }
        }
        out.extend_from_slice(&heading.message);
        self.headed = Some(heading.id);
        self.any_heading = true;
    }
}

impl Sink for Lines {
    fn heading(&mut self, heading: Heading) {
        self.heading = Some(heading);
    }

    fn before(&mut self, text: &[u8]) {
        self.before.extend_from_slice(text);
        self.is_printed = false;
    }

    fn after(&mut self, text: &[u8], out: &mut Vec<u8>) {
        if self.is_printed {
            out.extend_from_slice(text);
        }
    }

    fn pass(&mut self) {
        self.is_printed = false;
        self.before.clear();
    }

    fn hit(&mut self, hit: &Chosen<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        self.is_printed = true;
        if hit.is_first && self.separates {
            if self.any_lines {
                out.extend_from_slice(b"--\n");
            }
            self.any_lines = true;
        }
        self.put_heading(out);
        out.append(&mut self.before);
        out.extend_from_slice(hit.text);
        Ok(())
    }

    fn end_file(&mut self, _path: Option<&[u8]>, _hits: u64, _out: &mut Vec<u8>) -> bool {
        self.headed = None;
        self.before.clear();
        false
    }
}

/// `--sort date`.
struct ByDate {
    /// `-u`: each URL is printed once.
    unique: bool,
    sorter: Sorter,
    /// The URLs that were printed.
    seen: Seen,
}

impl Sink for ByDate {
    fn file(&mut self, path: &[u8]) {
        self.sorter.file(path);
    }

    fn hit(&mut self, hit: &Chosen<'_>, _out: &mut Vec<u8>) -> io::Result<()> {
        self.sorter.push(hit.date, hit.key, hit.text)
    }

    fn note(&mut self, text: &[u8], _out: &mut Vec<u8>) -> io::Result<()> {
        self.sorter.push(None, NOTE, text)
    }

    fn holds(&self) -> bool {
        true
    }

    fn finish(&mut self, put: &mut dyn FnMut(&[u8], bool) -> bool) -> io::Result<()> {
        std::mem::take(&mut self.sorter).finish(|key, text| {
            let is_hit = key != NOTE;
            let is_repeated = is_hit && self.unique && !self.seen.insert(key);
            is_repeated || put(text, is_hit)
        })
    }
}

/// `--tally`: the number of hits by URL or by fields.
struct Counted {
    config: Arc<Config>,
    tally: Tally,
    /// The columns that have people.
    people: Vec<usize>,
}

/// The columns that have people.
fn people(fields: &[Field]) -> Vec<usize> {
    let columns = fields.iter().enumerate();
    let people = columns.filter(|(_, field)| is_people(**field));
    people.map(|(column, _)| column).collect()
}

impl Counted {
    fn is_of_urls(&self) -> bool {
        self.config.tally.fields.is_empty()
    }
}

impl Sink for Counted {
    /// Counts the rows of a hit. With `-u` a URL counts once in each row. It is new if a row
    /// was counted.
    fn is_new(&mut self, text: &[u8], key: u128, choice: &mut Choice) -> bool {
        if self.is_of_urls() {
            return choice.is_new(key);
        }
        if !choice.is_open() {
            return false;
        }
        let mut any = false;
        for row in text.split(|&b| b == b'\n') {
            let mut pieces = row.split(|&b| b == SHOWN);
            let row = pieces.next().unwrap_or_default();
            if choice.is_new(self.config.keys.hash_in(key, row)) {
                self.tally.add(row);
                for (&column, shown) in self.people.iter().zip(pieces) {
                    self.tally.add_name(row, column, shown);
                }
                any = true;
            }
        }
        any
    }

    fn hit(&mut self, hit: &Chosen<'_>, _out: &mut Vec<u8>) -> io::Result<()> {
        if self.is_of_urls() {
            let mut texts = hit.text.split(|&b| b == SHOWN);
            let canonical = texts.next().unwrap_or_default();
            self.tally
                .add_url(canonical, texts.next().unwrap_or(canonical));
        }
        Ok(())
    }

    fn finish(&mut self, put: &mut dyn FnMut(&[u8], bool) -> bool) -> io::Result<()> {
        let tally = std::mem::take(&mut self.tally);
        let rows = tally.into_rows(self.config.tally_order(), &self.people);
        let mut text = Vec::new();
        for (count, row) in rows {
            text.clear();
            self.config.tally.printer.row(count, &row, &mut text);
            if !put(&text, false) {
                break;
            }
        }
        Ok(())
    }
}
