//! Counts data that could hold URLs and was not searched.

use std::collections::BTreeMap;
use std::fmt;

use super::NoteKind;

/// The numbers of parts of messages and of files that could hold URLs and were not
/// searched, by kind. A visitor counts them by its [notes](super::Visitor::note).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsearched {
    /// Parts of messages.
    pub parts: BTreeMap<&'static str, u64>,
    /// Files, and members of archives.
    pub files: BTreeMap<&'static str, u64>,
}

impl Unsearched {
    /// Counts a note. A fault that hid no text does not count.
    pub fn note(&mut self, kind: NoteKind) {
        let (counts, what) = match kind {
            NoteKind::Container(_) | NoteKind::EncodedText => return,
            NoteKind::Message(kind) => match kind.unsearched() {
                Some(what) => (&mut self.parts, what),
                None => return,
            },
            NoteKind::File(what) => (&mut self.files, what),
        };
        *counts.entry(what).or_default() += 1;
    }

    /// Adds the numbers of another worker.
    pub fn add(&mut self, other: &Unsearched) {
        for (all, other) in [
            (&mut self.parts, &other.parts),
            (&mut self.files, &other.files),
        ] {
            for (what, number) in other {
                *all.entry(what).or_default() += number;
            }
        }
    }

    /// True if everything was searched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.files.is_empty()
    }
}

/// Writes `3 parts and 2 files have text that was not read`.
impl fmt::Display for Unsearched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = 0;
        let mut and = "";
        for (counts, noun) in [(&self.parts, "part"), (&self.files, "file")] {
            let number: u64 = counts.values().sum();
            if number > 0 {
                write!(
                    f,
                    "{and}{number} {noun}{}",
                    if number == 1 { "" } else { "s" }
                )?;
                all += number;
                and = " and ";
            }
        }
        f.write_str(match all {
            0 => "everything was searched",
            1 => " has text that was not read",
            _ => " have text that was not read",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Match, Note, Searcher, Visitor};
    use std::ops::ControlFlow;
    use urlgrep_containers::{Container, Position};

    impl Visitor for Unsearched {
        fn hit(&mut self, _: &Match<'_>) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }

        fn note(&mut self, note: &Note<'_>) {
            Unsearched::note(self, note.kind);
        }
    }

    #[test]
    fn a_file_is_counted_once_however_its_bytes_arrive() {
        let mut searcher = Searcher::default();
        for (text, files) in [
            (&b"SQLite format 3\0 and so on"[..], 1),
            (b"%PDF-", 1),
            (b"%PDF", 0),
            (b"SQLite format 3", 0),
            (b"Cycbuff\0NEWS", 1),
            (b"CBuf4\0\0\0NEWS", 1),
            (b"CBuf4 is a buffer", 0),
            (b"CRMT\0\0\0\0\x01", 1),
            (b"CRMT\x10\x27\0\0", 1),
            (b"CRMT, four letters\0", 0),
            (b"words, and words\n", 0),
        ] {
            for size in [1, 7, 100] {
                let mut found = Unsearched::default();
                searcher.begin(Container::Text, Position::START);
                for chunk in text.chunks(size) {
                    let _ = searcher.feed(chunk, &mut found);
                }
                let _ = searcher.finish(&mut found);
                assert_eq!(found.files.values().sum::<u64>(), files, "{size}");
            }
            let mut found = Unsearched::default();
            let _ = searcher.search(Container::Text, Position::START, text, &mut found);
            assert_eq!(found.files.len() as u64, files);
            // A later range of a file is not its beginning.
            let at = Position {
                offset: 5,
                ..Position::START
            };
            let mut found = Unsearched::default();
            let _ = searcher.search(Container::Text, at, text, &mut found);
            searcher.begin_transcoded(Position::START);
            let _ = searcher.search_here(text, &mut found);
            assert!(found.is_empty());
        }
    }

    /// The notes of a search.
    #[derive(Default)]
    struct Notes(Vec<(&'static str, Option<u64>)>);

    impl Visitor for Notes {
        fn hit(&mut self, _: &Match<'_>) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }

        fn note(&mut self, note: &Note<'_>) {
            self.0.push((note.kind.name(), note.at));
        }
    }

    #[test]
    fn a_text_that_may_be_a_message_is_noted() {
        let far = format!("{}\nContent-Transfer-Encoding: base64\n", "x".repeat(9000));
        let mut searcher = Searcher::default();
        for (text, at) in [
            ("A\n\nContent-Transfer-Encoding: base64\n", Some(3)),
            (
                "content-transfer-encoding: \"Quoted-Printable\"\n\nwords",
                Some(0),
            ),
            ("x\r\nCONTENT-Transfer-Encoding:x-base64\r\n", Some(3)),
            ("Content-Transfer-Encoding: base64", Some(0)),
            ("Content-Transfer-Encoding: 8bit\n", None),
            ("  Content-Transfer-Encoding: base64\n", None),
            ("The field Content-Transfer-Encoding: base64\n", None),
            ("X-Content-Transfer-Encoding: base64\n", None),
            ("encoding: base64\n", None),
            (&far, None),
        ] {
            let expected: Vec<_> = at
                .map(|at| ("encoded-text", Some(at)))
                .into_iter()
                .collect();
            for size in [1, 7, 100] {
                let mut notes = Notes::default();
                searcher.begin(Container::Text, Position::START);
                for chunk in text.as_bytes().chunks(size) {
                    let _ = searcher.feed(chunk, &mut notes);
                }
                let _ = searcher.finish(&mut notes);
                assert_eq!(notes.0, expected, "{text:.60} {size}");
            }
            let mut notes = Notes::default();
            let _ = searcher.search(
                Container::Text,
                Position::START,
                text.as_bytes(),
                &mut notes,
            );
            assert_eq!(notes.0, expected, "{text:.60}");
        }
    }

    /// A part of a file does not know what the parts before it found.
    #[test]
    fn the_notes_of_a_text_are_those_of_its_parts() {
        let line = "Content-Transfer-Encoding: base64\n\n";
        let text = format!("{line}{}\n\n{line}", "x".repeat(5000)).repeat(2);
        let mut searcher = Searcher::default();
        let mut notes = Notes::default();
        let _ = searcher.search(
            Container::Text,
            Position::START,
            text.as_bytes(),
            &mut notes,
        );
        let second = line.len() + 5002;
        let expected = [0, second, second + line.len()];
        assert_eq!(
            notes.0,
            expected.map(|at| ("encoded-text", Some(at as u64)))
        );
        let mut parts = Notes::default();
        for cut in [line.len(), second, second + line.len(), 9000] {
            parts.0.clear();
            let (before, after) = text.as_bytes().split_at(cut);
            let at = Position {
                offset: cut as u64,
                ..Position::START
            };
            let _ = searcher.search(Container::Text, Position::START, before, &mut parts);
            let _ = searcher.search(Container::Text, at, after, &mut parts);
            assert_eq!(parts.0, notes.0, "{cut}");
        }
    }

    #[test]
    fn the_sentence_counts() {
        let mut found = Unsearched::default();
        assert_eq!(found.to_string(), "everything was searched");
        found.note(NoteKind::File("PDF"));
        assert_eq!(found.to_string(), "1 file has text that was not read");
        found.add(&found.clone());
        found.parts.insert("PDF", 1);
        let expected = "1 part and 2 files have text that was not read";
        assert_eq!(found.to_string(), expected);
    }
}
