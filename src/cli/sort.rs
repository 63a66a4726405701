//! `--sort date`: sorts rows by the dates of their messages.
//!
//! Rows are sorted in memory up to [`LIMIT`] bytes. Beyond this they are
//! written to temporary files as sorted runs. The runs are merged at the end.
//! The files have no names, so the operating system removes them however the
//! process ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

/// The maximum size of the rows in memory, including keys, in bytes.
pub const LIMIT: usize = 64 << 20;

/// The number of runs of the same size that are merged into one run. It bounds
/// the number of open files per size. Each row is written once per size.
const RUNS: usize = 16;

/// The number of bytes of each run that are read at a time.
const BUFFER: usize = 64 << 10;

/// A row. Rows are sorted by date and path, undated rows last. Rows of the same
/// date and path keep their order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SortedRow {
    /// Seconds since 1970. The maximum if there is no date.
    date: i64,
    path: Vec<u8>,
    /// The index of its run. In a merge, it orders rows of the same date and path.
    run: usize,
    /// The hash of the URL. 0 without `--unique`.
    url: u128,
    text: Vec<u8>,
}

/// A row in memory. `path` is an index of the paths. `start` and `end` are
/// offsets in the text of all rows.
struct Held {
    date: i64,
    path: usize,
    url: u128,
    start: usize,
    end: usize,
}

/// Sorts rows. Memory is at most [`LIMIT`], plus [`BUFFER`] for each run in a
/// merge.
#[derive(Default)]
pub struct Sorter {
    held: Vec<Held>,
    text: Vec<u8>,
    paths: Vec<Vec<u8>>,
    /// The total size of the paths in bytes.
    path_bytes: usize,
    /// The runs, and how often the rows of each were merged. The first run has
    /// the oldest rows.
    runs: Vec<(u32, File)>,
    /// Replaces [`LIMIT`] in tests.
    limit: Option<usize>,
}

impl Sorter {
    /// The next rows belong to this file.
    pub fn file(&mut self, path: &[u8]) {
        if self.paths.last().is_none_or(|last| last != path) {
            self.path_bytes += path.len() + size_of::<Vec<u8>>();
            self.paths.push(path.to_vec());
        }
    }

    /// Adds a row of the last file.
    ///
    /// # Errors
    ///
    /// I/O errors of a temporary file.
    pub fn push(&mut self, date: Option<i64>, url: u128, text: &[u8]) -> io::Result<()> {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        self.held.push(Held {
            date: date.unwrap_or(i64::MAX),
            path: self.paths.len().saturating_sub(1),
            url,
            start,
            end: self.text.len(),
        });
        let bytes = self.text.len() + self.path_bytes + self.held.len() * size_of::<Held>();
        if bytes < self.limit.unwrap_or(LIMIT) {
            return Ok(());
        }
        self.spill()
    }

    fn sort(&mut self) {
        let paths = &self.paths;
        let path = |held: &Held| paths.get(held.path);
        self.held
            .sort_by(|a, b| a.date.cmp(&b.date).then_with(|| path(a).cmp(&path(b))));
    }

    /// Writes the rows in memory as a run.
    fn spill(&mut self) -> io::Result<()> {
        self.sort();
        let mut run = BufWriter::new(tempfile::tempfile()?);
        for held in &self.held {
            let path = self.paths.get(held.path).map_or(&[][..], Vec::as_slice);
            write_row(
                &mut run,
                held.date,
                path,
                held.url,
                &self.text[held.start..held.end],
            )?;
        }
        self.runs.push((0, finish(run)?));
        self.held.clear();
        self.text.clear();
        self.paths.drain(..self.paths.len().saturating_sub(1));
        self.path_bytes = 0;
        while let Some(first) = self.runs.len().checked_sub(RUNS)
            && self.runs[first].0 == self.runs[self.runs.len() - 1].0
        {
            let level = self.runs[first].0;
            let files = self.runs.split_off(first);
            let mut run = BufWriter::new(tempfile::tempfile()?);
            for row in Merge::new(files.into_iter().map(|run| run.1))? {
                let row = row?;
                write_row(&mut run, row.date, &row.path, row.url, &row.text)?;
            }
            self.runs.push((level + 1, finish(run)?));
        }
        Ok(())
    }

    /// Passes all rows to `put` in order, with the hash of the URL and the
    /// text. Stops if `put` returns false.
    ///
    /// # Errors
    ///
    /// I/O errors of a temporary file.
    pub fn finish(mut self, mut put: impl FnMut(u128, &[u8]) -> bool) -> io::Result<()> {
        if self.runs.is_empty() {
            self.sort();
            for held in &self.held {
                if !put(held.url, &self.text[held.start..held.end]) {
                    break;
                }
            }
            return Ok(());
        }
        self.spill()?;
        let files = std::mem::take(&mut self.runs);
        drop(self);
        for row in Merge::new(files.into_iter().map(|run| run.1))? {
            let row = row?;
            if !put(row.url, &row.text) {
                break;
            }
        }
        Ok(())
    }
}

/// Flushes the buffer, and seeks to the start.
fn finish(run: BufWriter<File>) -> io::Result<File> {
    let mut file = run.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
}

fn write_row(
    out: &mut impl Write,
    date: i64,
    path: &[u8],
    url: u128,
    text: &[u8],
) -> io::Result<()> {
    out.write_all(&date.to_le_bytes())?;
    out.write_all(&url.to_le_bytes())?;
    for bytes in [path, text] {
        out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        out.write_all(bytes)?;
    }
    Ok(())
}

/// Reads the next row of a run. `None` at the end of the run.
fn read_row(run: &mut BufReader<File>) -> io::Result<Option<SortedRow>> {
    let mut date = [0; 8];
    // The first byte distinguishes the end of the run from a truncated row.
    if run.read(&mut date[..1])? == 0 {
        return Ok(None);
    }
    run.read_exact(&mut date[1..])?;
    let mut url = [0; 16];
    run.read_exact(&mut url)?;
    let mut bytes = || {
        let mut len = [0; 8];
        run.read_exact(&mut len)?;
        let len = u64::from_le_bytes(len);
        let mut bytes = Vec::new();
        if Read::by_ref(run).take(len).read_to_end(&mut bytes)? as u64 == len {
            Ok(bytes)
        } else {
            Err(io::Error::from(io::ErrorKind::UnexpectedEof))
        }
    };
    let path = bytes()?;
    let text = bytes()?;
    Ok(Some(SortedRow {
        date: i64::from_le_bytes(date),
        path,
        run: 0,
        url: u128::from_le_bytes(url),
        text,
    }))
}

/// Merges sorted runs. If rows are equal, those of an earlier run come first.
struct Merge {
    runs: Vec<BufReader<File>>,
    next: BinaryHeap<Reverse<SortedRow>>,
}

impl Merge {
    fn new(files: impl Iterator<Item = File>) -> io::Result<Merge> {
        let mut merge = Merge {
            runs: files
                .map(|file| BufReader::with_capacity(BUFFER, file))
                .collect(),
            next: BinaryHeap::new(),
        };
        for i in 0..merge.runs.len() {
            merge.read(i)?;
        }
        Ok(merge)
    }

    fn read(&mut self, i: usize) -> io::Result<()> {
        if let Some(row) = read_row(&mut self.runs[i])? {
            self.next.push(Reverse(SortedRow { run: i, ..row }));
        }
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = io::Result<SortedRow>;

    fn next(&mut self) -> Option<io::Result<SortedRow>> {
        let Reverse(row) = self.next.pop()?;
        Some(self.read(row.run).map(|()| row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small runs that are merged several times have the same order as a sort
    /// in memory.
    #[test]
    fn runs_are_merged_in_order() {
        let mut state = 1u32;
        let mut draw = |n: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % n
        };
        let rows: Vec<_> = (0..3000u128)
            .map(|i| {
                let date = (draw(5) > 0).then(|| i64::from(draw(50)) - 10);
                (date, format!("{}", i / 100 % 7), i)
            })
            .collect();
        let sorted = |limit| {
            let mut sorter = Sorter {
                limit,
                ..Sorter::default()
            };
            for (date, path, i) in &rows {
                sorter.file(path.as_bytes());
                let text = format!("{i} {}", "x".repeat(*i as usize % 50));
                sorter.push(*date, *i, text.as_bytes()).unwrap();
            }
            assert_eq!(limit.is_some(), !sorter.runs.is_empty());
            assert!(sorter.runs.len() < 3 * RUNS);
            let mut out = vec![];
            sorter
                .finish(|url, text| {
                    assert!(text.starts_with(format!("{url} ").as_bytes()));
                    out.push(url);
                    true
                })
                .unwrap();
            out
        };
        let mut expected = rows.clone();
        expected.sort_by_key(|(date, path, _)| (date.unwrap_or(i64::MAX), path.clone()));
        let expected: Vec<_> = expected.into_iter().map(|row| row.2).collect();
        assert_eq!(sorted(None), expected);
        assert_eq!(sorted(Some(500)), expected);
    }
}
