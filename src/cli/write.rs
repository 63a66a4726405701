//! The writer. It receives the output of workers in the order of the input, and
//! applies the options that depend on that order (`-u`, `-m`, `-c`, `-l`,
//! `--tally`).

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use urlgrep::engine::{Delivery, Fault, FaultKind, UnpackFaultKind};
use urlgrep::record::{EndRecord, Field};

use super::config::{Config, Mode, Verdicts};
use super::inputs::os_string;
use super::output::{Counts, Heading, Mark, Output, plural};
#[cfg(feature = "report")]
use super::page::Page;
use super::print::tally::AUTHOR;
use super::print::{Style, Tally};
use super::progress::Progress;
use super::sort::Sorter;
use super::status::Status;

/// The number of bytes that are collected before a write, unless the reader
/// waits for them.
const BUFFER: usize = 64 << 10;

/// The maximum size of an atomic write to a pipe. POSIX guarantees at least 512
/// bytes (`PIPE_BUF`), Linux 4096.
const ATOMIC: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// The key of a row that is a note. A URL is unlikely to have this hash.
const NOTE: u128 = u128::MAX;

/// Writes the output of workers, and reports faults.
pub struct Writer<W> {
    config: Arc<Config>,
    out: W,
    /// Output that was not written yet. It consists of whole lines, so that an
    /// interruption leaves no partial line.
    buffer: Vec<u8>,
    seen: Seen,
    tally: Tally,
    request: Request,
    /// The rows of `--sort date`.
    sorter: Sorter,
    /// The Message-IDs of messages with hits.
    ids: Seen,
    /// The message of the next hits.
    message: InMessage,
    /// The number of hits in the current file.
    in_file: u64,
    counts: Counts,
    status: Status,
    /// The reader has closed the output.
    gone: bool,
    /// The progress line on standard error.
    progress: Option<Progress>,
    /// Output could not be written although its reader may want it.
    lost: bool,
    /// Lines before the next hit.
    before: Vec<u8>,
    /// The last hit was printed, so the lines after it must be printed too.
    printed: bool,
    /// The heading of the next hit.
    heading: Option<Heading>,
    /// The last heading that was printed in this file.
    headed: Option<u64>,
    /// A heading was printed.
    any_heading: bool,
    /// Lines around a hit were printed.
    any_lines: bool,
    /// The page of `--report`.
    #[cfg(feature = "report")]
    page: Page,
}

/// The message of a hit.
#[derive(Default)]
struct InMessage {
    date: Option<i64>,
    /// An earlier message has the same Message-ID.
    is_repeated: bool,
}

/// The current request of `--batch`.
#[derive(Default)]
struct Request {
    /// The number of the request, from 1.
    number: u64,
    /// The number of hits before the request.
    before: u64,
    /// The last fault, if any.
    fault: Option<String>,
}

impl<W: Write> Writer<W> {
    /// A writer to `out`.
    pub fn new(config: &Arc<Config>, out: W) -> Writer<W> {
        let mut buffer = Vec::new();
        match &config.mode {
            Mode::Hits(Style::Format(template)) => template.header(&mut buffer),
            Mode::Tally => config.tally.printer.header(&mut buffer),
            _ => {}
        }
        Writer {
            config: Arc::clone(config),
            out,
            buffer,
            seen: Seen::default(),
            tally: Tally::default(),
            request: Request::default(),
            sorter: Sorter::default(),
            ids: Seen::default(),
            message: InMessage::default(),
            in_file: 0,
            counts: Counts::default(),
            status: Status {
                quiet: config.mode == Mode::Quiet,
                ..Status::default()
            },
            gone: false,
            progress: None,
            lost: false,
            before: Vec::new(),
            printed: false,
            heading: None,
            headed: None,
            any_heading: false,
            any_lines: false,
            #[cfg(feature = "report")]
            page: Page::new(&config.args),
        }
    }

    /// Processes the output for the next pieces of input. Returns whether the
    /// run continues.
    pub fn take(&mut self, delivery: &mut Delivery<'_, Output>) -> bool {
        self.counts.special += delivery.passed_over;
        self.faults(delivery.faults);
        let enough = self.output(delivery.output);
        if enough {
            delivery.skip_file();
        }
        self.goes_on()
    }

    /// Writes the buffer if it is full, or if the reader waits for it. Returns
    /// whether more is wanted.
    pub fn goes_on(&mut self) -> bool {
        if self.status.found && self.config.first_ends_run() {
            return false;
        }
        if self.buffer.len() >= BUFFER
            || self.config.screen.terminal
            || self.config.args.output.line_buffered
        {
            self.flush();
        }
        !self.gone
    }

    /// Processes and empties an output. Returns true if the rest of its file is
    /// not wanted.
    pub fn output(&mut self, output: &mut Output) -> bool {
        self.notes(&output.notes);
        let mut enough = false;
        if self.config.is_marked() {
            output.counts.hits = 0;
            enough = self.marks(output);
        } else {
            self.status.found |= output.counts.hits > 0;
            if self.buffer.is_empty() {
                // Avoids a copy.
                std::mem::swap(&mut self.buffer, &mut output.text);
            } else {
                self.buffer.extend_from_slice(&output.text);
            }
        }
        self.counts.add(&output.counts);
        #[cfg(feature = "report")]
        self.page.take(&mut output.entries);
        if let Some(progress) = &self.progress {
            progress.set_hits(self.counts.hits);
        }
        output.clear();
        enough
    }

    /// Counts what an update of a ledger did not search.
    #[cfg(feature = "ledger")]
    pub fn skipped(&mut self, summary: &urlgrep::ledger::Summary) {
        self.counts.special += summary.passed_over;
        self.counts.unsearched.add(&summary.unsearched);
        for setting in &summary.changed {
            if !self.config.args.output.no_messages {
                self.say(format_args!("note: {setting}"));
            }
        }
    }

    /// Reports faults of the input.
    pub fn faults(&mut self, faults: &[Fault]) {
        for fault in faults {
            self.status.failed = true;
            self.counts.faults += 1;
            #[cfg(feature = "report")]
            self.page.fault(fault);
            if self.config.args.other.batch.is_some() {
                self.request.fault = Some(fault.to_string());
            }
            if !self.config.args.output.no_messages {
                let hint = self.hint(fault);
                self.say(format_args!("{fault}{hint}"));
            }
        }
    }

    /// A hint for a fault that an option can avoid. Empty if there is none.
    fn hint(&self, fault: &Fault) -> &'static str {
        let path = fault.path.as_deref().unwrap_or_default();
        let is_pre = !self.config.args.input.pre.is_empty();
        match fault.kind {
            FaultKind::Io(io::ErrorKind::NotFound) if self.config.mode == Mode::Check => {
                " (--check reads URLs from files and standard input, one a line)"
            }
            FaultKind::Io(io::ErrorKind::TimedOut) if is_pre => " (--pre-timeout)",
            FaultKind::Io(io::ErrorKind::FileTooLarge) if is_pre => " (--max-decompressed)",
            FaultKind::Unpack(UnpackFaultKind::Window) => " (--max-window)",
            FaultKind::Unpack(UnpackFaultKind::Decompressed) => " (--max-decompressed)",
            FaultKind::Io(io::ErrorKind::NotFound) if path == b"help" => " (--help prints help)",
            FaultKind::Io(io::ErrorKind::NotFound) if path.starts_with(b"~") => {
                " (a shell replaces `~` only outside of quotation marks)"
            }
            FaultKind::Io(io::ErrorKind::NotFound) if path == b"version" => {
                " (--version prints the version)"
            }
            FaultKind::Io(io::ErrorKind::NotFound) if self.config.may_be_pattern(path) => {
                " (a pattern goes after -e, a host after --host)"
            }
            _ => "",
        }
    }

    /// Writes a line to standard error.
    fn say(&self, text: fmt::Arguments<'_>) {
        // OK to ignore: standard error is the last place for messages.
        let write = || drop(writeln!(io::stderr().lock(), "urlgrep: {text}"));
        match &self.progress {
            Some(progress) => progress.pause(write),
            None => write(),
        }
    }

    /// Prints notes of messages. They do not change the status.
    fn notes(&self, notes: &[String]) {
        if !self.config.args.output.no_messages {
            for note in notes {
                self.say(format_args!("note: {note}"));
            }
        }
    }

    /// Applies the marks of an output. Returns true if the rest of the last
    /// file is not wanted.
    fn marks(&mut self, output: &mut Output) -> bool {
        let limit = self.config.most_of_file();
        let (mut from, mut enough, mut more) = (0, false, 0);
        for mark in output.marks.drain(..) {
            match mark {
                Mark::Heading(heading) => self.heading = Some(*heading),
                Mark::Also { key } => more += u64::from(self.is_new(key)),
                Mark::Before { end } => {
                    self.before.extend_from_slice(&output.text[from..end]);
                    self.printed = false;
                    from = end;
                }
                Mark::After { end } => {
                    if self.printed {
                        self.buffer.extend_from_slice(&output.text[from..end]);
                    }
                    from = end;
                }
                Mark::Hit { end, key } => {
                    let text = &output.text[from..end];
                    from = end;
                    let is_new = if self.config.tally.fields.is_empty() {
                        self.is_new(key)
                    } else {
                        self.in_file < limit && self.add_rows(text, key)
                    };
                    let new = std::mem::take(&mut more) + u64::from(is_new);
                    self.printed = self.in_file < limit && new > 0;
                    if !self.printed {
                        self.before.clear();
                        continue;
                    }
                    if self.in_file == 0 && self.config.separates() {
                        let separator: &[u8] = if self.any_lines { b"--\n" } else { b"" };
                        self.buffer.extend_from_slice(separator);
                        self.any_lines = true;
                    }
                    self.in_file += new;
                    if self.config.by_date() {
                        self.hold(self.message.date, key, text);
                        enough |= self.in_file >= limit;
                        continue;
                    }
                    self.counts.hits += new;
                    self.put_heading();
                    self.buffer.append(&mut self.before);
                    match self.config.mode {
                        Mode::Tally if self.config.tally.fields.is_empty() => self.tally.add(text),
                        Mode::Tally => {}
                        _ => self.buffer.extend_from_slice(text),
                    }
                    self.status.found |= self.config.mode != Mode::Files { with: false };
                    enough |= self.in_file >= limit;
                }
                // Notes after the last wanted hit are dropped, because their
                // number depends on the amount that was read.
                Mark::Note { end } => {
                    let text = &output.text[from..end];
                    if self.in_file < limit && self.config.by_date() {
                        self.hold(None, NOTE, text);
                    } else if self.in_file < limit {
                        self.buffer.extend_from_slice(text);
                    }
                    from = end;
                }
                Mark::Message { id, date } => {
                    let is_new = !self.config.args.mail.unique_message
                        || id.is_none_or(|id| self.ids.insert(id));
                    self.message = InMessage {
                        date,
                        is_repeated: !is_new,
                    };
                }
                Mark::File { path } => self.sorter.file(&path),
                Mark::Told(note) => {
                    if self.in_file < limit {
                        self.notes(&[note]);
                    }
                }
                Mark::End { path } => {
                    let path = path.as_deref();
                    let hits = std::mem::take(&mut self.in_file);
                    self.headed = None;
                    self.message = InMessage::default();
                    self.before.clear();
                    enough = false;
                    match self.config.mode {
                        Mode::Count if hits > 0 => {
                            self.config.printer.text.count(path, hits, &mut self.buffer);
                        }
                        Mode::Files { with } if with == (hits > 0) => {
                            self.status.found = true;
                            self.config.printer.text.path_line(path, &mut self.buffer);
                        }
                        _ => {}
                    }
                }
            }
        }
        enough
    }

    /// Begins a request of `--batch`.
    pub fn begin_request(&mut self) {
        self.request = Request {
            number: self.request.number + 1,
            before: self.counts.hits,
            fault: None,
        };
    }

    /// Ends the answer to a request for `path`. Returns true if the reader has
    /// not closed the output.
    pub fn end_request(&mut self, path: &[u8]) -> bool {
        let end = EndRecord {
            path: Some(path),
            number: self.request.number,
            count: self.counts.hits - self.request.before,
            fault: self.request.fault.as_deref(),
        };
        self.config.printer.end(&end, &mut self.buffer);
        self.flush();
        !self.gone
    }

    /// True if hits with this key were not printed before or may be repeated,
    /// and no earlier message has the Message-ID of their message.
    fn is_new(&mut self, key: u128) -> bool {
        let is_first =
            !self.config.args.filter.unique || self.config.by_date() || self.seen.insert(key);
        is_first && !self.message.is_repeated
    }

    /// Counts the rows of a tally for a hit. With `-u` a URL counts once in each row.
    /// Returns whether one was counted.
    fn add_rows(&mut self, text: &[u8], url: u128) -> bool {
        let mut any = false;
        let mut pieces = text.split(|&b| b == AUTHOR);
        let rows = pieces.next().unwrap_or_default();
        let author = pieces.next();
        for row in rows.split(|&b| b == b'\n') {
            if self.is_new(url ^ self.config.keys.hash(row)) {
                self.tally.add(row);
                if let (Some(shown), Some(column)) = (author, self.author_column()) {
                    self.tally.add_name(row, column, shown);
                }
                any = true;
            }
        }
        any
    }

    /// The column of a tally that has authors.
    fn author_column(&self) -> Option<usize> {
        let mut columns = self.config.tally.fields.iter();
        columns.position(|column| *column == Field::From)
    }

    /// Prints the heading of the next hit, unless the last heading is the same.
    fn put_heading(&mut self) {
        let Some(heading) = self.heading.take() else {
            return;
        };
        if self.headed == Some(heading.id) {
            return;
        }
        if self.any_heading {
            self.buffer.push(b'\n');
        }
        if self.headed.is_none() {
            self.buffer.extend_from_slice(&heading.path);
            if !heading.path.is_empty() && !heading.message.is_empty() {
                self.buffer.push(b'\n');
            }
        }
        self.buffer.extend_from_slice(&heading.message);
        self.headed = Some(heading.id);
        self.any_heading = true;
    }

    /// Adds a row of `--sort date`.
    fn hold(&mut self, date: Option<i64>, key: u128, text: &[u8]) {
        if !self.gone
            && let Err(error) = self.sorter.push(date, key, text)
        {
            self.unsorted(&error);
        }
    }

    /// Ends the output after an error of the sort. The rows in the sort are
    /// lost. Its temporary files have no names, so the message names their
    /// folder.
    fn unsorted(&mut self, error: &io::Error) {
        self.gone = true;
        self.lost = true;
        let text = format!("temporary file: {error}");
        let fault = Fault::new(&std::env::temp_dir(), &io::Error::other(text));
        self.faults(&[fault]);
    }

    /// Writes the rows of `--sort date`.
    fn sorted(&mut self) {
        let sorter = std::mem::take(&mut self.sorter);
        let done = sorter.finish(|key, text| {
            let is_hit = key != NOTE;
            if !self.config.args.filter.unique || !is_hit || self.seen.insert(key) {
                self.counts.hits += u64::from(is_hit);
                self.status.found |= is_hit;
                self.buffer.extend_from_slice(text);
                if self.buffer.len() >= BUFFER {
                    self.flush();
                }
            }
            !self.gone
        });
        if let Err(error) = done {
            self.unsorted(&error);
        }
    }

    fn flush(&mut self) {
        if self.buffer.is_empty() || self.gone {
            return;
        }
        let (out, buffer) = (&mut self.out, &self.buffer);
        let mut write = || {
            if self.config.screen.is_pipe {
                lines(buffer).try_for_each(|lines| out.write_all(lines))?;
            } else {
                out.write_all(buffer)?;
            }
            out.flush()
        };
        let written = match &self.progress {
            Some(progress) if self.config.screen.terminal => progress.pause(write),
            _ => write(),
        };
        if let Err(error) = written {
            self.gone = true;
            if error.kind() != io::ErrorKind::BrokenPipe {
                self.lost = true;
                self.faults(&[Fault::new(Path::new("<stdout>"), &error)]);
            }
        }
        self.buffer.clear();
    }

    /// Sets the progress line.
    pub fn set_progress(&mut self, progress: Progress) {
        self.progress = Some(progress);
    }

    /// True if output could not be written although its reader may want it.
    #[cfg(feature = "ledger")]
    pub fn has_lost(&self) -> bool {
        self.lost
    }

    /// Writes the page of `--report`.
    #[cfg(feature = "report")]
    fn write_page(&mut self) {
        if let Mode::Report(path) = &self.config.mode {
            let path = path.clone();
            let page = std::mem::take(&mut self.page);
            let Err(error) = page.write(&self.counts, &path) else {
                return;
            };
            // As for rows: the reader of a pipe has seen enough.
            if error.kind() == io::ErrorKind::BrokenPipe {
                self.gone = true;
                return;
            }
            self.lost = true;
            let is_stdout = path == Path::new("-");
            let name = if is_stdout {
                Path::new("<stdout>")
            } else {
                &path
            };
            self.faults(&[Fault::new(name, &error)]);
        }
    }

    /// Writes the rows of `--tally`.
    fn write_tally(&mut self) {
        let tally = std::mem::take(&mut self.tally);
        let rows = tally.into_rows(self.config.tally_order(), self.author_column());
        for (count, row) in rows {
            self.config.tally.printer.row(count, &row, &mut self.buffer);
            if self.buffer.len() >= BUFFER {
                self.flush();
            }
        }
    }

    /// Explains why the filters left no hits, if the input shows the reason.
    fn warn(&mut self) {
        let config = Arc::clone(&self.config);
        let (messages, grouped) = (self.counts.messages, self.counts.grouped);
        if let Some(why) = config.why_none(messages, grouped, self.status.found)
            && !config.args.output.no_messages
            && !config.of_ledger()
            && !self.gone
        {
            self.say(format_args!("warning: {why}"));
        }
        // If the run stopped early, the scheme may be in text that was not
        // searched.
        let stops = config.args.filter.max_count.is_some() || config.first_is_enough() || self.gone;
        // cron mails every line, and a ledger is updated every night.
        let is_mailed = config.of_ledger() && !io::stderr().is_terminal();
        let is_told = config.args.mode.stats || config.args.mail.notes;
        let unsearched = &self.counts.unsearched;
        let is_silent = stops || is_told || is_mailed || config.args.output.no_messages;
        if !unsearched.is_empty() && !is_silent {
            let is_git = unsearched.files.keys().any(|what| what.starts_with("git"));
            let git = "; \"public-inbox in git\" in docs/recipes.md searches a git repository";
            let git = if is_git { git } else { "" };
            match self.counts.unread.lines(unsearched) {
                Some(lines) => lines
                    .iter()
                    .for_each(|line| self.say(format_args!("{line}"))),
                None => self.say(format_args!("{unsearched} (--notes names them{git})")),
            }
        }
        self.warn_of_nothing();
        if stops && (self.status.found || self.gone) {
            return;
        }
        for name in config.misspelt.iter().filter(|name| !name.is_found()) {
            self.status.failed |= !self.status.found;
            if !config.args.output.no_messages {
                self.say(format_args!("{name}"));
            }
        }
        if let Some(host) = config.one_label()
            && !config.args.output.no_messages
            && !self.status.found
        {
            self.say(format_args!(
                "warning: `--host {host}` is that host and its subdomains; \
                 `--host '*{host}*'` are all hosts that contain it"
            ));
        }
    }

    /// Explains an empty result by what was refused, or by a list of files that was
    /// searched as text.
    fn warn_of_nothing(&self) {
        let config = &self.config;
        let is_silent = config.args.output.no_messages
            || config.mode == Mode::Quiet
            || config.of_ledger()
            || config.args.other.batch.is_some();
        if self.status.found || self.gone || is_silent {
            return;
        }
        let refused = self.counts.refused.unwrap_or(0);
        if refused > 0 && config.verdicts == Verdicts::Accepted && !config.args.mode.stats {
            let texts = plural(refused, "text");
            let text = "like a URL was refused; --rejects prints it, with the reason";
            let texts_are = "like URLs were refused; --rejects prints them, with the reasons";
            let text = if refused == 1 { text } else { texts_are };
            self.say(format_args!("{texts} {text}"));
        }
        let args = &config.args;
        let has_paths = !args.paths.is_empty()
            || !args.input.files_from.is_empty()
            || !args.input.files0_from.is_empty();
        let is_file = |pattern: &&String| Path::new(pattern.as_str()).is_file();
        if let Some(file) = args.filter.regexp.iter().find(is_file)
            && !has_paths
        {
            self.say(format_args!(
                "warning: `{file}` was read as a pattern, and no path was named; \
                 paths follow the pattern"
            ));
        }
        let names = self.counts.stdin.clone().filter(|name| !name.is_empty());
        let names = names.map(|name| PathBuf::from(os_string(name)));
        if names.is_some_and(|name| name.symlink_metadata().is_ok()) {
            self.say(format_args!(
                "warning: names of files were searched, not the files; `--files-from -` reads \
                 the files that standard input names, `--files0-from -` after `find -print0`"
            ));
        }
    }

    /// Writes the remaining output, and returns the outcome.
    pub fn finish(&mut self) -> Status {
        self.progress = None;
        if self.config.by_date() && !self.gone {
            self.sorted();
        }
        if self.config.mode == Mode::Tally {
            self.write_tally();
        }
        self.flush();
        #[cfg(feature = "report")]
        self.write_page();
        self.warn();
        if self.config.args.mode.stats {
            // OK to ignore: standard error is the last place for messages.
            let _ = io::stderr()
                .lock()
                .write_all(self.counts.to_string().as_bytes());
        }
        if self.gone && !self.status.failed {
            // The reader closed the pipe because it had enough output.
            self.status.found = true;
        }
        self.status
    }
}

/// Cuts `text` at line ends into pieces for atomic writes to a pipe. So a
/// signal that ends the process while the pipe is full leaves no partial line.
/// A longer line is a piece of its own.
fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let head = &text[..text.len().min(ATOMIC)];
        let end = if text.len() <= ATOMIC {
            text.len()
        } else {
            let last = memchr::memrchr(b'\n', head).or_else(|| memchr::memchr(b'\n', text));
            last.map_or(text.len(), |at| at + 1)
        };
        let (piece, rest) = text.split_at(end);
        text = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The number of shards. It is a power of 2.
const SHARDS: usize = 256;

/// The keys of the URLs that were written. The shards grow one at a time, so
/// the memory is never doubled for all of them. A key takes at most 40 bytes.
#[derive(Default)]
struct Seen {
    shards: Vec<HashSet<u128, BuildHasherDefault<Ready>>>,
}

impl Seen {
    /// Returns true if the key is new.
    fn insert(&mut self, key: u128) -> bool {
        if self.shards.is_empty() {
            self.shards.resize_with(SHARDS, HashSet::default);
        }
        // Use the half of the key that the shards do not hash.
        let shard = (key >> 64) as usize % SHARDS;
        self.shards[shard].insert(key)
    }
}

/// A hasher for keys that are already hashes.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = self.0 << 8 | u64::from(b);
        }
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_at_line_ends() {
        let long = "x".repeat(3 * ATOMIC);
        for text in ["", "a\n", "a", &long, &format!("{long}\n{long}\nb\nc")] {
            let pieces: Vec<_> = lines(text.as_bytes()).collect();
            assert_eq!(pieces.concat(), text.as_bytes());
        }
        let text = "http://a.example/\n".repeat(ATOMIC);
        assert!(lines(text.as_bytes()).all(|p| p.len() <= ATOMIC && p.ends_with(b"\n")));
    }

    #[test]
    fn a_key_is_new_once() {
        let mut seen = Seen::default();
        for i in 0..10_000u128 {
            let key = i.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
            assert!(seen.insert(key));
            assert!(!seen.insert(key));
        }
        assert_eq!(seen.shards.iter().map(HashSet::len).sum::<usize>(), 10_000);
        let room: usize = seen.shards.iter().map(HashSet::capacity).sum();
        assert!(room <= 20_000, "{room}");
    }
}
