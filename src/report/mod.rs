//! Hits as one HTML page: tables and a plot that open anywhere.
//!
//! A [`Report`] is fed rows, counts in bounded memory, and renders a page
//! without scripts, links, fonts or anything else that a browser would fetch.
//!
//! ```
//! use urlgrep::record::Record;
//! use urlgrep::report::Report;
//!
//! let mut report = Report::new();
//! for hit in urlgrep::Extractor::new(urlgrep::Profile::Iri).find_iter(b"see http://a.example/") {
//!     report.add(&Record::plain(Some(b"notes.txt"), &hit));
//! }
//! let mut page = Vec::new();
//! report.render(&mut page)?;
//! assert!(String::from_utf8(page).is_ok_and(|page| page.contains("http://a.example/")));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Memory
//!
//! * Hosts, domains, authors, groups and gateways: each table is exact up to
//!   [`KEYS`] distinct keys. When a table is full, the rarer half is dropped,
//!   and the page says so. A key has at most [`TEXT`] characters.
//! * Distinct URLs: 12 bytes for each, up to [`URLS`]; the page says if there
//!   were more.
//! * Every list of examples has at most [`ROWS`] rows.
//!
//! # Safety
//!
//! Every text of the input is escaped twice: hidden characters by
//! [`escape::terminal`](crate::escape::terminal), then HTML by the templates. No
//! URL of the input becomes a link. A content security policy in the page
//! forbids every request.

#[cfg(test)]
mod contrast;
mod count;
mod entry;
mod page;
mod plot;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};

use crate::record::Record;
use crate::span::SeamKind;

pub use count::{KEYS, ROWS};
use count::{Kinds, Top};
pub use entry::{Entry, TEXT};
use entry::{Example, shown};

/// How many distinct URLs are told apart.
pub const URLS: usize = 1 << 20;
/// How many years have a row of their own; a date outside of them is counted
/// as undated.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=2100;
/// How many rows of one message are compared, so that a URL counts once.
const IN_MESSAGE: usize = 1 << 16;

/// The schemes with a line of their own in the plot; all others are `other`.
const SCHEMES: [&str; 6] = ["gopher", "wais", "ftp", "http", "https", "other"];

/// An occurrence without repairs was seen: the bit after those of the seams.
const UNBROKEN: u32 = 1 << 31;

/// What was read and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The rows are those of a ledger. It keeps only files and messages with
    /// links, and no rejects.
    pub of_ledger: bool,
    /// Files and members of archives that were searched.
    pub files: u64,
    /// Bytes that were searched; 0 if not known.
    pub bytes: u64,
    /// Messages that were searched.
    pub messages: u64,
    /// How many files were read in each way.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Devices, links and the like that were passed over.
    pub passed_over: u64,
    /// Faults inside of messages that were tolerated.
    pub notes: u64,
    /// Parts of messages that were not searched, by the reason.
    pub unsearched: BTreeMap<&'static str, u64>,
}

/// Counts of hits, and the first rows of each count. See the module.
#[derive(Clone, Debug, Default)]
pub struct Report {
    arguments: Box<str>,
    reading: Reading,
    faults: u64,
    fault_rows: Vec<Box<str>>,
    links: u64,
    rejected: u64,
    undated: u64,
    years: BTreeMap<i32, [u64; SCHEMES.len()]>,
    hosts: Top,
    domains: Top,
    authors: Top,
    groups: Top,
    gateways: Top,
    forms: Kinds,
    seams: Kinds,
    roles: Kinds,
    rules: Kinds,
    cautions: Kinds,
    doubts: Kinds,
    rewritten: Vec<Example>,
    repaired: Vec<(u64, Example)>,
    /// The repairs of each URL, by a hash of its canonical form.
    urls: HashMap<u64, u32>,
    urls_full: bool,
    keys: RandomState,
    in_message: HashSet<u64>,
    message: Option<(Box<str>, u64)>,
}

impl Report {
    /// An empty one.
    #[must_use]
    pub fn new() -> Report {
        Report::default()
    }

    /// The arguments of the command that searched, for the commands that the
    /// page shows. Default: `PATH...`.
    pub fn set_arguments(&mut self, arguments: &str) {
        self.arguments = shown(arguments.as_bytes(), 2 * TEXT);
    }

    /// Adds what was read.
    pub fn read(&mut self, reading: &Reading) {
        let all = &mut self.reading;
        all.of_ledger |= reading.of_ledger;
        all.files += reading.files;
        all.bytes += reading.bytes;
        all.messages += reading.messages;
        all.passed_over += reading.passed_over;
        all.notes += reading.notes;
        for (kind, number) in &reading.kinds {
            *all.kinds.entry(kind).or_default() += number;
        }
        for (what, number) in &reading.unsearched {
            *all.unsearched.entry(what).or_default() += number;
        }
    }

    /// Counts an input that could not be read, in words.
    pub fn fault(&mut self, text: &str) {
        self.faults += 1;
        if self.fault_rows.len() < ROWS {
            self.fault_rows.push(shown(text.as_bytes(), TEXT));
        }
    }

    /// Counts a hit or a reject.
    ///
    /// # Complexity
    ///
    /// Linear in the row; amortised, as full tables are halved.
    pub fn add(&mut self, record: &Record<'_>) {
        self.take(Entry::new(record));
    }

    /// Counts a hit or a reject that was taken from its row earlier. The rows of
    /// a message come one after the other.
    pub fn take(&mut self, entry: Entry) {
        if let Some((rule, reason)) = &entry.rule {
            self.rejected += 1;
            self.rules.add(rule, || entry.example(reason));
            return;
        }
        self.links += 1;
        self.begin_message(&entry);
        self.count_tables(&entry);
        self.forms.add(entry.form, || entry.example(""));
        for name in &entry.doubts {
            self.doubts.add(name, || entry.example(""));
        }
        for name in &entry.cautions {
            self.cautions.add(name, || entry.example(""));
        }
        if let Some((gateway, inner)) = &entry.rewritten {
            self.gateways.add(gateway, entry.date);
            if self.rewritten.len() < ROWS {
                self.rewritten.push(entry.example(inner));
            }
        }
        self.count_seams(&entry);
    }

    fn begin_message(&mut self, entry: &Entry) {
        let is_same = match (&self.message, entry.message) {
            (Some((path, start)), Some(message)) => *path == entry.path && *start == message,
            _ => false,
        };
        if !is_same || self.in_message.len() >= IN_MESSAGE {
            self.in_message.clear();
            self.message = entry.message.map(|start| (entry.path.clone(), start));
        }
    }

    /// True if this row of this table does not have the URL in this message: a
    /// URL counts once a message in each row, as in `--tally=FIELDS`.
    fn is_new(&mut self, table: u8, row: &str, entry: &Entry) -> bool {
        entry.message.is_none() || {
            let key = self.keys.hash_one((table, row, &entry.canonical));
            self.in_message.insert(key)
        }
    }

    fn count_tables(&mut self, entry: &Entry) {
        if self.is_new(0, "", entry) {
            let year = entry.year.filter(|year| YEARS.contains(year));
            match year {
                Some(year) => {
                    let known = SCHEMES.iter().position(|name| *name == &*entry.scheme);
                    let at = known.unwrap_or(SCHEMES.len() - 1);
                    self.years.entry(year).or_default()[at] += 1;
                }
                None => self.undated += 1,
            }
            if !entry.host.is_empty() {
                self.hosts.add(&entry.host, entry.date);
            }
            if !entry.domain.is_empty() {
                self.domains.add(&entry.domain, entry.date);
            }
            if !entry.author.is_empty() {
                self.authors.add(&entry.author, entry.date);
            }
            for group in &entry.groups {
                self.groups.add(group, entry.date);
            }
        }
        if let Some(role) = entry.role
            && self.is_new(1, role, entry)
        {
            self.roles.add(role, || entry.example(""));
        }
    }

    fn count_seams(&mut self, entry: &Entry) {
        let key = self.keys.hash_one(&entry.canonical);
        let bits = if entry.seams == 0 {
            UNBROKEN
        } else {
            entry.seams
        };
        let is_full = self.urls.len() >= URLS;
        match self.urls.get_mut(&key) {
            Some(seen) => *seen |= bits,
            None if is_full => self.urls_full = true,
            None => {
                self.urls.insert(key, bits);
            }
        }
        if entry.seams == 0 {
            return;
        }
        let mut names = String::new();
        for (at, kind) in SeamKind::ALL.iter().enumerate() {
            if entry.seams >> at & 1 == 1 {
                self.seams.add(kind.name(), || entry.example(""));
                names += if names.is_empty() { "" } else { ", " };
                names += kind.name();
            }
        }
        // More than are shown: some may be found unbroken later.
        if self.repaired.len() < 10 * ROWS && self.urls.get(&key).is_some_and(|b| b & UNBROKEN == 0)
        {
            self.repaired.push((key, entry.example(&names)));
        }
    }

    /// Writes the page.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    ///
    /// # Complexity
    ///
    /// Sorts the tables. The size of the page is bounded, as lists and texts are:
    /// that of 70,000 links has 190 KB.
    pub fn render(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(page::render(self).into_string().as_bytes())
    }

    fn arguments(&self) -> &str {
        match &*self.arguments {
            "" => "PATH...",
            arguments => arguments,
        }
    }

    /// How many distinct URLs there are, and how many of them were never seen
    /// unbroken: in all, and by the kind of the repair.
    fn only_repaired(&self) -> (usize, usize, Vec<u64>) {
        let mut kinds = vec![0; SeamKind::ALL.len()];
        let mut all = 0;
        for bits in self.urls.values().filter(|bits| *bits & UNBROKEN == 0) {
            all += 1;
            for (at, number) in kinds.iter_mut().enumerate() {
                *number += u64::from(bits >> at & 1);
            }
        }
        (self.urls.len(), all, kinds)
    }
}
