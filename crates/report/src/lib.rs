//! Shows hits as one HTML page with tables and plots.
//!
//! A [`Report`] receives rows, counts them in bounded memory, and renders a
//! page. The page has no scripts, links or fonts, and a browser fetches nothing
//! for it.
//!
//! ```
//! use urlgrep::rows::Record;
//! use urlgrep_report::Report;
//!
//! let mut report = Report::default();
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
//! * The tables of URLs, hosts, domains, authors, groups and gateways are exact up to 65,536
//!   different keys in each, and 4.5 MB in all. If a table has more keys, or is the largest
//!   when all have more bytes, its rarer half is dropped, and the page says so. A key has at
//!   most 200 characters. An author also has up to 16 names of that length, and a domain a
//!   number for each year.
//! * A hash table has an entry of 12 bytes for each different URL, up to 229,376 of them. It
//!   takes 3.4 MB. The page says if there are more URLs.
//! * Every list of examples has at most 20 rows. For the list of URLs that
//!   occur only with a repair, ten times as many rows are kept.
//!
//! # Safety
//!
//! Every text of the input is escaped twice. First
//! [`escape::terminal`](urlgrep_base::escape::terminal), or in a URL
//! [`escape::url`](urlgrep_base::escape::url), escapes hidden characters. Then the
//! templates escape HTML. No URL of the input becomes a link. The links to tables as CSV
//! have their data in base64. A
//! content security policy in the page forbids every request.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod count;
mod csv;
mod days;
mod entry;
mod page;
mod plot;
mod repairs;
mod years;

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

use urlgrep_base::span::SeamKind;
use urlgrep_rows::record::Record;
use urlgrep_search::Unsearched;

use count::{Kinds, ROWS, Top};
use days::Days;
pub use entry::Link;
use entry::{Example, LinkSource, Post, TEXT, shown};
use repairs::Repairs;

/// The maximum memory of all tables with keys of the input, in bytes.
const TABLES: usize = 4_500_000;
/// The maximum number of keys that are kept for one message. A key is a row of
/// a table and a URL. With these keys a URL counts once per message.
const IN_MESSAGE: usize = 1 << 16;

/// The schemes with their own line in the plot. All other schemes are `other`.
const SCHEMES: [&str; 7] = ["gopher", "mailto", "news", "ftp", "http", "https", "other"];

/// Counts of the input that was read, and of input that was not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The rows are those of a ledger. It keeps only files and messages with
    /// links, and no rejects.
    pub of_ledger: bool,
    /// Files and members of archives that were searched.
    pub files: u64,
    /// Bytes that were searched. 0 if unknown.
    pub bytes: u64,
    /// Messages that were searched.
    pub messages: u64,
    /// The number of files by the format in which they were read.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Special files that were skipped: devices, links and the like.
    pub passed_over: u64,
    /// Faults inside messages that were tolerated.
    pub notes: u64,
    /// Parts of messages and files that were not searched.
    pub unsearched: Unsearched,
}

/// Counts hits, and keeps the first rows for each count. See the [module](self).
///
/// It has a field for each table of the page, and one hit is counted in most of them.
#[derive(Clone, Debug, Default)]
pub struct Report {
    arguments: Box<str>,
    title: Box<str>,
    reading: Reading,
    faults: u64,
    fault_rows: Vec<Box<str>>,
    /// Links by `LinkSource`.
    sources: [u64; 3],
    days: Days,
    top_urls: Top,
    other_urls: Top,
    other_hosts: Top,
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
    repairs: Repairs,
    /// The rows of the tables that count a URL of the current message.
    in_message: HashSet<(u64, u8, &'static str)>,
    message: Option<Arc<Post>>,
}

impl Report {
    /// The arguments of the search. The page shows them in its example
    /// commands. Default: `PATH...`.
    pub fn set_arguments(&mut self, arguments: &str) {
        self.arguments = shown(arguments.as_bytes(), 2 * TEXT);
    }

    /// The name of what was searched. The page has it in its title, before the
    /// dates. Default: `Links`.
    pub fn set_title(&mut self, title: &str) {
        self.title = shown(title.as_bytes(), TEXT);
    }

    /// What was read to find the links. Default: nothing.
    pub fn set_reading(&mut self, reading: Reading) {
        self.reading = reading;
    }

    /// Counts an input that could not be read. `text` says why.
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
    /// Linear in the row. The cost of halving full tables is amortised.
    pub fn add(&mut self, record: &Record<'_>) {
        self.take(Link::new(record, &[], false, false));
    }

    /// Counts a hit or a reject whose data was taken earlier. The rows of a
    /// message must be adjacent.
    pub fn take(&mut self, entry: Link) {
        let (url, date) = (&entry.url, entry.post.date);
        if let Some((rule, reason)) = &url.rule {
            self.rules.add(rule, || entry.example(reason));
            return;
        }
        self.begin_message(&entry);
        self.count_tables(&entry);
        self.forms.add(entry.form, || entry.example(""));
        for doubt in entry.doubts.iter() {
            self.doubts.add(doubt.name(), || entry.example(""));
        }
        for caution in url.cautions.iter() {
            self.cautions.add(caution.name(), || entry.example(""));
        }
        if let Some((gateway, inner)) = &url.rewritten {
            self.gateways.add(gateway, date);
            if self.rewritten.len() < ROWS {
                self.rewritten.push(entry.example(inner));
            }
        }
        self.bound_tables();
        self.count_seams(&entry);
    }

    /// Halves the largest table as long as all of them are too large.
    fn bound_tables(&mut self) {
        loop {
            let mut tables = [
                &mut self.top_urls,
                &mut self.other_urls,
                &mut self.other_hosts,
                &mut self.hosts,
                &mut self.domains,
                &mut self.authors,
                &mut self.groups,
                &mut self.gateways,
            ];
            let bytes: usize = tables.iter().map(|table| table.bytes()).sum();
            if bytes <= TABLES {
                return;
            }
            if let Some(largest) = tables.iter_mut().max_by_key(|table| table.bytes()) {
                largest.halve();
            }
        }
    }

    fn begin_message(&mut self, entry: &Link) {
        let post = &entry.post;
        let is_same = self.message.as_ref().is_some_and(|last| {
            Arc::ptr_eq(last, post)
                || last.start == post.start && last.sender == post.sender && last.path == post.path
        });
        if !is_same || self.in_message.len() >= IN_MESSAGE {
            self.in_message.clear();
            self.message = post.start.map(|_| Arc::clone(post));
        }
    }

    /// True if this row of this table does not yet count the URL in this
    /// message. A URL counts once per message in each row, as with
    /// `--tally=FIELDS`.
    fn is_new(&mut self, table: u8, row: &'static str, entry: &Link) -> bool {
        let key = (entry.url.hash, table, row);
        entry.post.start.is_none() || self.in_message.insert(key)
    }

    fn count_tables(&mut self, entry: &Link) {
        let (source, url, post) = (entry.source, &*entry.url, &*entry.post);
        if self.is_new(source as u8, "", entry) {
            self.sources[source as usize] += 1;
            if source != LinkSource::Quotation {
                self.days.add(post.date, &url.scheme, source);
            }
            match source {
                LinkSource::Author => {
                    self.top_urls.add(&url.key, post.date);
                    self.hosts.add(&url.host, post.date);
                    self.domains.add_in_year(&url.domain, post.date, post.year);
                    self.authors
                        .add_named(&post.author, &post.author_shown, post.date);
                    for group in &post.groups {
                        self.groups.add(group, post.date);
                    }
                }
                LinkSource::Boilerplate => {
                    self.other_urls.add(&url.key, post.date);
                    self.other_hosts.add(&url.host, post.date);
                }
                LinkSource::Quotation => {}
            }
        }
        if let Some(role) = entry.role
            && self.is_new(u8::MAX, role, entry)
        {
            self.roles.add(role, || entry.example(""));
        }
    }

    fn count_seams(&mut self, entry: &Link) {
        let url = entry.url.hash;
        self.repairs.add(url, entry.seams);
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
        // Keep more than are shown, because some may occur unbroken later.
        if self.repaired.len() < 10 * ROWS && self.repairs.is_only_repaired(url) {
            self.repaired.push((url, entry.example(&names)));
        }
    }

    /// Writes the page.
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    ///
    /// # Complexity
    ///
    /// Sorts the tables. The size of the page is bounded, because lists and
    /// texts are bounded. The page for 116,584 links has 221 KB.
    pub fn render(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(page::render(self).into_string().as_bytes())
    }

    fn arguments(&self) -> &str {
        match &*self.arguments {
            "" => "PATH...",
            arguments => arguments,
        }
    }
}

/// A number with commas between thousands.
fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
