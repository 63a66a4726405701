//! The files with text that was not read, and what would read it.

use std::fmt::Write as _;

use urlgrep::search::{NoteKind, Unsearched};
use urlgrep_base::escape;

/// What reads a kind of data: `file` or `part`, the kind, and the remedy.
const REMEDIES: &str = include_str!("unread.txt");

/// The number of files that are named. More names would hide the hits above them.
const NAMED: usize = 3;

/// The first files that had text that was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    files: Vec<UnreadFile>,
}

/// A file, and what was not read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct UnreadFile {
    path: Vec<u8>,
    data: Unsearched,
}

impl Unread {
    /// Records a note about `path`.
    pub fn note(&mut self, path: &[u8], kind: NoteKind) {
        let mut data = Unsearched::default();
        data.note(kind);
        if !data.is_empty() {
            self.push(path, &data);
        }
    }

    /// Adds the files of a later output.
    pub fn add(&mut self, later: &Unread) {
        for file in &later.files {
            self.push(&file.path, &file.data);
        }
    }

    fn push(&mut self, path: &[u8], data: &Unsearched) {
        // The outputs of a file follow each other.
        if let Some(last) = self.files.last_mut().filter(|last| last.path == path) {
            last.data.add(data);
        } else if self.files.len() < NAMED {
            self.files.push(UnreadFile {
                path: path.to_vec(),
                data: data.clone(),
            });
        }
    }

    /// A line for each file. `None` if `all` has data of files that are not named.
    pub fn lines(&self, all: &Unsearched) -> Option<Vec<String>> {
        let mut named = Unsearched::default();
        for file in &self.files {
            named.add(&file.data);
        }
        (named == *all).then(|| self.files.iter().map(UnreadFile::line).collect())
    }
}

impl UnreadFile {
    /// For example `a.pdf: its text was not read: PDF; --pre '*.pdf=pdftotext - -' reads it`.
    fn line(&self) -> String {
        let mut path = Vec::new();
        escape::terminal(&self.path, &mut path);
        let mut line = String::from_utf8_lossy(&path).into_owned();
        let parts: u64 = self.data.parts.values().sum();
        // OK to ignore: writing to a string does not fail.
        let _ = match parts {
            0 => write!(line, ": its text was not read: "),
            1 => write!(line, ": 1 part was not read: "),
            _ => write!(line, ": {parts} parts were not read: "),
        };
        let files = self.data.files.keys().map(|kind| ("file", *kind));
        let parts = self.data.parts.keys().map(|kind| ("part", *kind));
        let kinds: Vec<(&str, &str)> = files.chain(parts).collect();
        let names: Vec<&str> = kinds.iter().map(|(_, kind)| *kind).collect();
        line += &names.join(", ");
        match kinds[..] {
            [(place, kind)] => {
                if let Some(remedy) = remedy(place, kind) {
                    line += "; ";
                    line += remedy;
                }
            }
            _ => line += " (--notes names each)",
        }
        line
    }
}

fn remedy(place: &str, kind: &str) -> Option<&'static str> {
    let rows = REMEDIES.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| row.split('\t')).find_map(|mut row| {
        let is_its = row.next() == Some(place) && row.next() == Some(kind);
        row.next().filter(|_| is_its)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_three_columns() {
        let rows = REMEDIES.lines().filter(|row| !row.starts_with('#'));
        for row in rows {
            let columns: Vec<&str> = row.split('\t').collect();
            assert!(
                columns.len() == 3 && ["file", "part"].contains(&columns[0]),
                "{row}"
            );
        }
    }

    #[test]
    fn three_files_are_named() {
        let mut unread = Unread::default();
        let mut all = Unsearched::default();
        for name in ["a.pdf", "a.pdf", "b.pdf", "c.pdf"] {
            unread.note(name.as_bytes(), NoteKind::File("PDF"));
            all.note(NoteKind::File("PDF"));
        }
        let lines = unread.lines(&all).unwrap();
        assert_eq!(lines.len(), 3);
        assert_eq!(
            lines[0],
            "a.pdf: its text was not read: PDF; --pre '*.pdf=pdftotext - -' reads it"
        );
        unread.note(b"d", NoteKind::File("PDF"));
        all.note(NoteKind::File("PDF"));
        assert_eq!(unread.lines(&all), None);
    }
}
