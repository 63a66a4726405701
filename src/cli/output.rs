//! What a worker hands to the writer.

use std::collections::BTreeMap;
use std::fmt;

use urlgrep::escape::{self, STDIN};

/// How much is printed before the work stops for it to be written: more than
/// most ranges of a file have, or their workers would wait for one another.
const FULL: usize = 1 << 20;
/// How many hits are marked before the work stops.
const MARKS: usize = 16 << 10;
/// How many rows of `--report` are made before the work stops.
#[cfg(feature = "report")]
const ENTRIES: usize = 1 << 10;

/// What a worker hands to the writer.
#[derive(Debug, Default)]
pub struct Output {
    /// Whole lines.
    pub text: Vec<u8>,
    /// Where the hits and the files in it end. Empty unless what is written
    /// depends on what was written before; see
    /// [`Config::is_marked`](super::config::Config::is_marked).
    pub marks: Vec<Mark>,
    /// What was wrong inside messages and was tolerated, to be told.
    pub notes: Vec<Told>,
    pub counts: Counts,
    /// The rows of `--report`.
    #[cfg(feature = "report")]
    pub entries: Vec<urlgrep::report::Entry>,
}

impl Output {
    /// True if it is to be written before more is printed.
    pub fn is_full(&self) -> bool {
        #[cfg(feature = "report")]
        if self.entries.len() >= ENTRIES {
            return true;
        }
        self.text.len() >= FULL || self.marks.len() >= MARKS
    }

    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.marks.clear();
        #[cfg(feature = "report")]
        self.entries.clear();
        self.notes.clear();
        self.counts = Counts::default();
    }
}

/// A place in the text of an [`Output`].
#[derive(Debug)]
pub enum Mark {
    /// A hit was printed up to here.
    Hit { end: usize, key: u128 },
    /// A hit that is printed by the next [`Mark::Hit`].
    Also { key: u128 },
    /// Lines before the next hit were printed up to here.
    Before { end: usize },
    /// Lines after the last hit were printed up to here.
    After { end: usize },
    /// What comes is of this message or file.
    Heading(Box<Heading>),
    /// Something that is no hit was printed up to here.
    Note { end: usize },
    /// A note is to be told.
    Told(Box<Told>),
    /// A message begins: a hash of its Message-ID, and its date in seconds since
    /// 1970. It is given for `--unique-message` and `--sort date` only.
    Message { id: Option<u128>, date: Option<i64> },
    /// The hits that follow are of this file. It is given for `--sort date` only.
    File { path: Box<[u8]> },
    /// A file ended. The path is left out unless it may have to be printed.
    End { path: Option<Box<[u8]>> },
}

/// What is printed before the hits of a message, or of a file.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// The line that names the file; empty if none does.
    pub path: Vec<u8>,
    /// The line of the message; empty outside messages.
    pub message: Vec<u8>,
    /// Differs for different messages of a file; 0 outside messages.
    pub id: u64,
    /// It was handed to the writer.
    pub is_given: bool,
}

/// Something that is said of a file on standard error.
#[derive(Debug)]
pub struct Told {
    /// `None` is standard input.
    pub path: Option<Vec<u8>>,
    pub offset: Option<u64>,
    pub text: String,
}

impl fmt::Display for Told {
    /// One line, whatever the path is made of.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = Vec::new();
        escape::terminal(self.path.as_deref().unwrap_or(STDIN), &mut shown);
        write!(f, "{}: ", String::from_utf8_lossy(&shown))?;
        if let Some(offset) = self.offset {
            write!(f, "byte {offset}: ")?;
        }
        f.write_str(&self.text)
    }
}

/// What was done. Sums up to `--stats`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub files: u64,
    pub bytes: u64,
    pub hits: u64,
    pub special: u64,
    pub faults: u64,
    pub messages: u64,
    /// Messages that name a group or a list.
    pub grouped: u64,
    pub notes: u64,
    /// In how many parts of messages something of each kind was not searched.
    pub unsearched: BTreeMap<&'static str, u64>,
    /// How many files of each kind were read as text that encode their text.
    pub encoded: BTreeMap<&'static str, u64>,
    /// How many files were read in each way.
    pub kinds: BTreeMap<&'static str, u64>,
}

impl fmt::Display for Counts {
    /// The lines of `--stats`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} hits\n{} files searched", self.hits, self.files)?;
        for (name, number) in &self.kinds {
            writeln!(f, "{number} read as {name}")?;
        }
        let Counts {
            messages,
            bytes,
            special,
            notes,
            faults,
            ..
        } = self;
        writeln!(f, "{messages} messages\n{bytes} bytes searched")?;
        writeln!(f, "{special} passed over\n{notes} notes\n{faults} errors")?;
        for (what, number) in &self.unsearched {
            let parts = if *number == 1 { "part" } else { "parts" };
            writeln!(f, "not searched: {what}, in {number} {parts}")?;
        }
        for (what, number) in &self.encoded {
            let files = if *number == 1 { "file" } else { "files" };
            writeln!(f, "not decoded: {what}, {number} {files}")?;
        }
        Ok(())
    }
}

impl Counts {
    /// Adds what was done elsewhere.
    pub fn add(&mut self, other: &Counts) {
        self.files += other.files;
        for (kind, number) in &other.kinds {
            *self.kinds.entry(kind).or_default() += number;
        }
        for (what, number) in &other.unsearched {
            *self.unsearched.entry(what).or_default() += number;
        }
        for (what, number) in &other.encoded {
            *self.encoded.entry(what).or_default() += number;
        }
        self.bytes += other.bytes;
        self.hits += other.hits;
        self.special += other.special;
        self.faults += other.faults;
        self.messages += other.messages;
        self.grouped += other.grouped;
        self.notes += other.notes;
    }
}
