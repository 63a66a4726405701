//! The output of a worker for the writer.

use std::collections::BTreeMap;
use std::fmt;

use super::unread::Unread;
use urlgrep::search::Unsearched;

/// The number of printed bytes, or of bytes of rows of `--report`, at which a worker sends
/// them. Most ranges of a file print fewer, so that workers do not wait for each other.
const FULL: usize = 512 << 10;
/// The number of marks at which a worker sends its output.
const MARKS: usize = 16 << 10;
/// The number of rows of `--report` at which a worker sends them.
#[cfg(feature = "report")]
const ENTRIES: usize = 1 << 10;

/// The output of a worker for the writer.
#[derive(Debug, Default)]
pub struct Output {
    /// Printed text. It consists of whole lines.
    pub text: Vec<u8>,
    /// Offsets in `text` at which hits and files end. Empty unless the output
    /// depends on earlier output. See
    /// [`Config::is_marked`](super::config::Config::is_marked).
    pub marks: Vec<Mark>,
    /// Tolerated faults inside messages, for standard error.
    pub notes: Vec<String>,
    pub counts: Counts,
    /// The rows of `--report`.
    #[cfg(feature = "report")]
    pub entries: Vec<urlgrep_report::Link>,
    /// Their memory in bytes.
    #[cfg(feature = "report")]
    pub entry_bytes: usize,
}

impl Output {
    /// True if the output should be written before more is printed.
    pub fn is_full(&self) -> bool {
        #[cfg(feature = "report")]
        if self.entries.len() >= ENTRIES || self.entry_bytes >= FULL {
            return true;
        }
        self.text.len() >= FULL || self.marks.len() >= MARKS
    }

    /// Empties the output, and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.marks.clear();
        #[cfg(feature = "report")]
        {
            self.entries.clear();
            self.entry_bytes = 0;
        }
        self.notes.clear();
        self.counts = Counts::default();
    }
}

/// A place in the text of an [`Output`].
#[derive(Debug)]
pub enum Mark {
    /// The text of a hit ends here.
    Hit { end: usize, key: u128 },
    /// Another hit of the text that the next [`Mark::Hit`] ends.
    Also { key: u128 },
    /// The lines before the next hit end here.
    Before { end: usize },
    /// The lines after the last hit end here.
    After { end: usize },
    /// The next text belongs to this message or file.
    Heading(Box<Heading>),
    /// Text that is not a hit ends here.
    Note { end: usize },
    /// A note for standard error.
    Told(String),
    /// A message begins. `id` is a hash of its Message-ID, and `date` is in
    /// seconds since 1970. Only with `--unique-message` and `--sort date`.
    Message { id: Option<u128>, date: Option<i64> },
    /// The next hits belong to this file. Only with `--sort date`.
    File { path: Box<[u8]> },
    /// A file ends. `path` is `None` if no mode prints it.
    End { path: Option<Box<[u8]>> },
}

impl Mark {
    /// The offset at which the text of the mark ends. `None` if it has none.
    pub fn end(&self) -> Option<usize> {
        match self {
            Mark::Hit { end, .. }
            | Mark::Before { end }
            | Mark::After { end }
            | Mark::Note { end } => Some(*end),
            _ => None,
        }
    }
}

/// The lines that are printed before the hits of a message or a file.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// The line with the path of the file. Empty if there is none.
    pub path: Vec<u8>,
    /// The line with the fields of the message. Empty outside messages.
    pub message: Vec<u8>,
    /// A number that is unique for each message of a file. 0 outside messages.
    pub id: u64,
    /// True if the heading was passed to the writer.
    pub is_given: bool,
}

/// The number with its noun. The noun is singular after 1.
pub fn plural(number: u64, noun: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{end}")
}

/// The totals of `--stats`. They are one value, because each worker counts all of them and the
/// writer adds the values up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub files: u64,
    pub bytes: u64,
    pub hits: u64,
    pub special: u64,
    pub faults: u64,
    pub messages: u64,
    /// Messages that name a newsgroup or a list.
    pub grouped: u64,
    /// Messages that name a recipient.
    pub addressed: u64,
    /// Messages that the filters of messages left.
    pub accepted: u64,
    /// Valid URLs that the filters of URLs and roles refused.
    pub filtered: u64,
    pub notes: u64,
    /// Records of web archives that were passed over.
    pub records: u64,
    /// Texts that the grammar refused. `None` if they are not known, as in a ledger.
    pub refused: Option<u64>,
    /// Refused texts that are written as defanged URLs are, and hits of a defanged scheme.
    pub defanged: u64,
    /// Refused texts with letters of Latin-1.
    pub latin: u64,
    /// Hits of other schemes.
    pub others: u64,
    /// The first line of standard input. A list of files may have been meant.
    pub stdin: Option<Vec<u8>>,
    pub unsearched: Unsearched,
    pub unread: Unread,
    /// The number of files by kind.
    pub kinds: BTreeMap<&'static str, u64>,
}

impl fmt::Display for Counts {
    /// The lines of `--stats`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hits, files) = (plural(self.hits, "hit"), plural(self.files, "file"));
        writeln!(f, "{hits}\n{files} searched")?;
        for (name, number) in &self.kinds {
            writeln!(f, "{} read as {}", plural(*number, "file"), described(name))?;
        }
        writeln!(f, "{}", plural(self.messages, "message"))?;
        writeln!(f, "{} searched", plural(self.bytes, "byte"))?;
        if let Some(refused) = self.refused {
            let refused = plural(refused, "refused text");
            writeln!(f, "{refused} (--rejects prints them)")?;
        }
        let special = self.special;
        writeln!(
            f,
            "{special} passed over (links, pipes and devices in folders)"
        )?;
        if self.records > 0 {
            let records = plural(self.records, "record");
            writeln!(
                f,
                "{records} of web archives passed over (requests, revisits)"
            )?;
        }
        let notes = plural(self.notes, "note");
        writeln!(
            f,
            "{notes} on faults and on data that was not read (--notes prints them)"
        )?;
        writeln!(f, "{}", plural(self.faults, "error"))?;
        for (what, number) in &self.unsearched.parts {
            writeln!(f, "not searched: {what}, in {}", plural(*number, "part"))?;
        }
        for (what, number) in &self.unsearched.files {
            writeln!(f, "not searched: {what}, {}", plural(*number, "file"))?;
        }
        Ok(())
    }
}

/// The name of a kind of file, with words for those that are no words.
fn described(name: &str) -> String {
    let meaning = match name {
        "mbox-any" => "mbox with separators of an unknown form",
        "mbox-cr" => "mbox whose lines end with CR alone",
        "mbox-dots" => "mbox with separators of dots",
        "mbox-number" => "mbox with numbers as separators, as in Usenet archives",
        "mbox-dash" => "mbox with separators of dashes",
        "wire" => "article as news servers send it",
        "nntp" => "recorded session of a news server",
        "cunbatch" | "gunbatch" | "zunbatch" => "compressed news batch",
        _ => return name.to_owned(),
    };
    format!("{name} ({meaning})")
}

impl Counts {
    /// Adds the counts of another worker.
    pub fn add(&mut self, other: &Counts) {
        self.files += other.files;
        for (kind, number) in &other.kinds {
            *self.kinds.entry(kind).or_default() += number;
        }
        self.unsearched.add(&other.unsearched);
        self.unread.add(&other.unread);
        if let Some(refused) = other.refused {
            *self.refused.get_or_insert(0) += refused;
        }
        if self.stdin.is_none() {
            self.stdin.clone_from(&other.stdin);
        }
        self.bytes += other.bytes;
        self.hits += other.hits;
        self.special += other.special;
        self.faults += other.faults;
        self.messages += other.messages;
        self.grouped += other.grouped;
        self.addressed += other.addressed;
        self.accepted += other.accepted;
        self.filtered += other.filtered;
        self.notes += other.notes;
        self.records += other.records;
        self.defanged += other.defanged;
        self.latin += other.latin;
        self.others += other.others;
    }
}
