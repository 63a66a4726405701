//! The writer. It receives the output of workers in the order of the input. If options depend
//! on that order, a [`Choice`] drops the hits that are not wanted (`-u`, `-m`), and a [`Sink`]
//! makes the output of the mode from the others (`-c`, `-l`, `--tally`, `--sort date`).

mod choice;
mod nothing;
mod sinks;

use std::cell::Cell;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use urlgrep::rows::{EndRecord, Field};
use urlgrep_files::engine::{Delivery, Fault, FaultKind, UnpackFaultKind};

use super::config::{Config, Mode, OneLabel, Verdicts};
use super::inputs::{os_string, shell_word};
use super::output::{Counts, Mark, Output, plural};
#[cfg(feature = "report")]
use super::page::Page;
use super::print::Style;
use super::progress::Progress;
use super::status::Status;
use choice::Choice;
use sinks::Sink;

/// The number of bytes that are collected before a write, unless the reader
/// waits for them.
const BUFFER: usize = 64 << 10;

/// The maximum size of an atomic write to a pipe. POSIX guarantees at least 512
/// bytes (`PIPE_BUF`), Linux 4096.
const ATOMIC: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Writes the output of workers, and reports faults. It is one thing because both go through the same
/// order: a fault is told after the output of the files before it.
pub struct Writer<W> {
    config: Arc<Config>,
    out: W,
    /// Output that was not written yet. It consists of whole lines, so that an
    /// interruption leaves no partial line.
    buffer: Vec<u8>,
    choice: Choice,
    sink: Box<dyn Sink>,
    request: Request,
    counts: Counts,
    status: Status,
    /// The reader has closed the output.
    gone: bool,
    /// The progress line on standard error.
    progress: Option<Progress>,
    /// Output could not be written although its reader may want it.
    lost: bool,
    /// The programs of `--pre` that were said to be missing.
    missing: Vec<String>,
    /// Something was said.
    has_said: Cell<bool>,
    /// The page of `--report`.
    #[cfg(feature = "report")]
    page: Page,
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
            choice: Choice::new(config),
            sink: sinks::sink(config),
            request: Request::default(),
            counts: Counts::default(),
            status: Status {
                quiet: config.mode == Mode::Quiet,
                ..Status::default()
            },
            gone: false,
            progress: None,
            lost: false,
            missing: Vec::new(),
            has_said: Cell::new(false),
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
    pub fn skipped(&mut self, summary: &urlgrep_ledger::Summary) {
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
            if self.config.args.output.no_messages {
                continue;
            }
            if let Some(program) = self.missing_program(fault) {
                // Each file that it is for has this fault.
                if !self.missing.contains(&program) {
                    self.say(format_args!("--pre: no program `{program}`"));
                    self.missing.push(program);
                }
                continue;
            }
            let hint = self.hint(fault);
            self.say(format_args!("{fault}{hint}"));
        }
    }

    /// The program of `--pre` that is not there, if that is the fault.
    fn missing_program(&self, fault: &Fault) -> Option<String> {
        let is_not_found = fault.kind == FaultKind::Io(io::ErrorKind::NotFound);
        let program = self.config.missing_program(&fault.text);
        program.filter(|_| is_not_found).map(str::to_owned)
    }

    /// A hint for a fault that an option can avoid. Empty if there is none.
    fn hint(&self, fault: &Fault) -> &'static str {
        let path = fault.path.as_deref().unwrap_or_default();
        let is_pre = !self.config.args.input.pre.is_empty();
        match fault.kind {
            FaultKind::Io(io::ErrorKind::NotFound) => self.hint_of_missing(path),
            FaultKind::Io(io::ErrorKind::Other) if self.config.has_shell_in_pre(&fault.text) => {
                " (--pre has no shell, so `|` and `>` are arguments; put the commands into a script)"
            }
            FaultKind::Io(io::ErrorKind::TimedOut) if is_pre => " (--pre-timeout)",
            FaultKind::Io(io::ErrorKind::FileTooLarge) if is_pre => " (--max-decompressed)",
            FaultKind::Unpack(UnpackFaultKind::Encrypted) => {
                " (`7z x -so FILE | urlgrep` asks for the password)"
            }
            FaultKind::Unpack(UnpackFaultKind::Window) => " (--max-window)",
            FaultKind::Unpack(UnpackFaultKind::Decompressed) => " (--max-decompressed)",
            FaultKind::Unpack(UnpackFaultKind::Attachment) => {
                " (save the attachment, and search that file)"
            }
            _ => "",
        }
    }

    /// What somebody may have meant who named a path that does not exist.
    fn hint_of_missing(&self, path: &[u8]) -> &'static str {
        if PathBuf::from(os_string(path.to_vec())).is_symlink() {
            return " (a symbolic link to a missing file)";
        }
        if let Some(hint) = hint_of_parts(path) {
            return hint;
        }
        if self.config.mode == Mode::Check {
            " (--check reads URLs from files and standard input: echo URL | urlgrep --check)"
        } else if path == b"help" {
            " (--help prints help)"
        } else if path == b"version" {
            " (--version prints the version)"
        } else if path.starts_with(b"~") {
            " (a shell replaces `~` only outside of quotation marks)"
        } else if is_of_jq(path) {
            " (jq reads the output: urlgrep --json PATH | jq -r .url)"
        } else if is_glob_of_paths(path) {
            " (a shell replaces `*` only outside of quotation marks; -g GLOB chooses files of a folder)"
        } else if self.config.args.output.only_matching {
            " (-o has no effect and takes no file; redirect the output, as in >FILE)"
        } else if self.config.may_be_pattern(path) {
            " (a pattern goes after -e, a host after --host)"
        } else {
            ""
        }
    }

    /// Writes a line to standard error.
    fn say(&self, text: fmt::Arguments<'_>) {
        self.has_said.set(true);
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

    /// Gives the pieces of an output to the sink. Returns true if the rest of the last
    /// file is not wanted.
    fn marks(&mut self, output: &mut Output) -> bool {
        let mut from = 0;
        let mut enough = false;
        for mark in output.marks.drain(..) {
            // The text that the mark ends.
            let end = mark.end().unwrap_or(from);
            let text = &output.text[from..end];
            from = end;
            match mark {
                Mark::Heading(heading) => self.sink.heading(*heading),
                Mark::Also { key } => self.choice.also(key),
                Mark::Before { .. } => self.sink.before(text),
                Mark::After { .. } => self.sink.after(text, &mut self.buffer),
                Mark::Hit { key, .. } => enough |= self.hit(text, key),
                // Notes after the last wanted hit are dropped, because their
                // number depends on the amount that was read.
                Mark::Note { .. } if self.choice.is_open() => {
                    let held = self.sink.note(text, &mut self.buffer);
                    self.check_held(held);
                }
                Mark::Told(note) if self.choice.is_open() => self.notes(&[note]),
                Mark::Note { .. } | Mark::Told(_) => {}
                Mark::Message { id, date } => self.choice.message(id, date),
                Mark::File { path } => self.sink.file(&path),
                Mark::End { path } => {
                    let hits = self.choice.end_file();
                    self.status.found |=
                        self.sink.end_file(path.as_deref(), hits, &mut self.buffer);
                    enough = false;
                }
            }
        }
        enough
    }

    /// Gives a hit to the sink if it is wanted. Returns true if the rest of its file is not
    /// wanted.
    fn hit(&mut self, text: &[u8], key: u128) -> bool {
        let is_new = self.sink.is_new(text, key, &mut self.choice);
        let Some((new, chosen)) = self.choice.choose(text, key, is_new) else {
            self.sink.pass();
            return false;
        };
        let held = self.sink.hit(&chosen, &mut self.buffer);
        self.check_held(held);
        if !self.sink.holds() {
            self.counts.hits += new;
            self.status.found |= self.config.mode != Mode::Files { with: false };
        }
        !self.choice.is_open()
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

    /// Ends the output after an error of the sort. The rows in the sort are
    /// lost. Its temporary files have no names, so the message names their
    /// folder.
    fn check_held(&mut self, held: io::Result<()>) {
        if let Err(error) = held
            && !self.gone
        {
            self.gone = true;
            self.lost = true;
            let text = format!("temporary file: {error}");
            let fault = Fault::new(&std::env::temp_dir(), &io::Error::other(text));
            self.faults(&[fault]);
        }
    }

    /// Writes what the sink held until the end.
    fn write_held(&mut self) {
        let mut sink = std::mem::replace(&mut self.sink, Box::new(sinks::Rows));
        let done = sink.finish(&mut |text, is_hit| {
            self.counts.hits += u64::from(is_hit);
            self.status.found |= is_hit;
            self.buffer.extend_from_slice(text);
            if self.buffer.len() >= BUFFER {
                self.flush();
            }
            !self.gone
        });
        self.check_held(done);
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

    /// Writes what the user should know at the end of a search.
    fn warn(&mut self) {
        self.has_said.set(false);
        let args = &self.config.args;
        // If the run stopped early, what is missing may be in text that was not searched.
        let stops = args.filter.max_count.is_some() || self.config.first_is_enough() || self.gone;
        self.warn_of_filters();
        self.warn_of_empty_pattern();
        self.warn_of_output();
        self.warn_of_clean();
        if !stops {
            self.warn_of_unsearched();
            self.hint_at_defanged();
        }
        self.warn_of_nothing();
        if !stops || !(self.status.found || self.gone) {
            self.warn_of_names();
        }
        self.warn_of_left();
    }

    /// Explains why the filters left no hits, if the input shows the reason.
    fn warn_of_filters(&self) {
        let config = &self.config;
        if let Some(why) = config.why_none(&self.counts, self.status.found)
            && !config.args.output.no_messages
            && !config.of_ledger()
            && !self.gone
        {
            self.say(format_args!("warning: {why}"));
        }
    }

    /// Says that a pattern matches every URL, as the blank line at the end of a file of patterns does.
    fn warn_of_empty_pattern(&self) {
        if let Some(place) = &self.config.matches_all
            && !self.config.args.output.no_messages
            && !self.gone
        {
            self.say(format_args!("warning: {place} matches every URL"));
        }
    }

    /// Says that a path was searched that was probably meant as the file of the output.
    fn warn_of_output(&self) {
        if let Some((option, path)) = self.config.path_of_output()
            && !self.config.args.output.no_messages
            && !self.gone
        {
            let path = path.display().to_string();
            let word = shell_word(&path);
            self.say(format_args!(
                "warning: {path} was searched, too; {option} takes no file: redirect the output, as \
                 in >{word}"
            ));
        }
    }

    /// Says that the rows of `--clean` have the URLs as they were found.
    fn warn_of_clean(&self) {
        let config = &self.config;
        if config.args.reading.clean
            && config.mode.asks_for(Field::Url)
            && !config.mode.asks_for(Field::Clean)
            && self.status.found
            && !config.args.output.no_messages
            && !self.gone
        {
            self.say(format_args!(
                "warning: the field `url` is the URL as it was found; `clean` is the clean one"
            ));
        }
    }

    /// Names the files and parts that were not searched, and what reads them.
    fn warn_of_unsearched(&self) {
        let config = &self.config;
        // cron mails every line, and a ledger is updated every night.
        let is_mailed = config.of_ledger() && !io::stderr().is_terminal();
        let is_told = config.args.mode.stats || config.args.mail.notes;
        let unsearched = &self.counts.unsearched;
        let is_silent = is_told || is_mailed || config.args.output.no_messages;
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
    }

    /// Names the typed schemes and hosts that look misspelt, if nothing has them.
    fn warn_of_names(&mut self) {
        let config = Arc::clone(&self.config);
        for name in config.misspelt.iter().filter(|name| !name.is_found()) {
            self.status.failed |= !self.status.found;
            if !config.args.output.no_messages {
                self.say(format_args!("{name}"));
            }
        }
        if let Some(OneLabel { option, name, what }) = config.one_label()
            && !config.args.output.no_messages
            && !self.status.found
        {
            self.say(format_args!(
                "warning: `{option} {name}` {what}; `{option} '*{name}*'` are all {}s that contain \
                 it",
                option.trim_start_matches('-')
            ));
        }
    }

    /// Says what reads defanged URLs, if they are all that was found.
    fn hint_at_defanged(&self) {
        let config = &self.config;
        let counts = &self.counts;
        let is_silent = config.args.output.no_messages
            || config.mode == Mode::Quiet
            || config.of_ledger()
            || config.args.other.batch.is_some()
            || config.verdicts != Verdicts::Accepted;
        if is_silent || self.gone || counts.defanged == 0 || counts.others > 0 {
            return;
        }
        let hint = "--refang reads defanged URLs such as hxxp://a[.]example";
        self.say(format_args!("{hint}"));
    }

    /// Says how many texts were refused, if they are not printed, and what reads Latin-1.
    fn warn_of_refused(&self) {
        let refused = self.counts.refused.unwrap_or(0);
        let is_told = self.config.verdicts != Verdicts::Accepted || self.config.args.mode.stats;
        if refused == 0 || is_told {
            return;
        }
        let texts = plural(refused, "text");
        let is_latin = self.counts.latin == refused;
        let text = match (refused, is_latin) {
            (1, false) => "like a URL was refused; --rejects prints it, with the reason",
            (1, true) => "like a URL in Latin-1 was refused",
            (_, false) => "like URLs were refused; --rejects prints them, with the reasons",
            (_, true) => "like URLs in Latin-1 were refused",
        };
        let remedy = if is_latin {
            "; `iconv -f latin1 -t utf-8 FILE | urlgrep` converts the file"
        } else {
            ""
        };
        self.say(format_args!("{texts} {text}{remedy}"));
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
        self.warn_of_refused();
        let args = &config.args;
        let has_paths = !args.paths.is_empty()
            || !args.input.files_from.is_empty()
            || !args.input.files0_from.is_empty();
        if let Some((option, file)) = config.path_as_value()
            && !has_paths
        {
            let (read_as, value) = if option.is_empty() {
                ("a pattern".to_owned(), "pattern")
            } else {
                (format!("the value of {option}"), "value")
            };
            self.say(format_args!(
                "warning: `{file}` was read as {read_as}, and no path was named; paths follow the \
                 {value}"
            ));
        }
        if let Some(file) = args.filter.pattern_file.first()
            && !has_paths
            && self.counts.bytes == 0
        {
            let file = file.display();
            self.say(format_args!(
                "warning: `{file}` was read as patterns, no path was named, and standard input is \
                 empty; paths follow the file of -f"
            ));
        }
        if let Some(why) = nothing::why(config, &self.counts)
            && !self.status.failed
        {
            self.say(format_args!("warning: {why}"));
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

    /// Says on a terminal which filters left nothing, if nothing else explains it. A script that
    /// searches for what is often not there wants no line for it.
    fn warn_of_left(&self) {
        let config = &self.config;
        let is_silent = config.args.output.no_messages
            || config.mode == Mode::Quiet
            || config.of_ledger()
            || config.args.other.batch.is_some()
            || !io::stderr().is_terminal();
        if self.status.found || self.status.failed || self.gone || is_silent || self.has_said.get()
        {
            return;
        }
        if let Some(why) = nothing::left(config, &self.counts) {
            self.say(format_args!("{why}"));
        }
    }

    /// Writes the remaining output, and returns the outcome.
    pub fn finish(&mut self) -> Status {
        self.progress = None;
        if !self.gone {
            self.write_held();
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

/// A hint for a missing path that begins with the name of a file, or has several names.
fn hint_of_parts(path: &[u8]) -> Option<&'static str> {
    let path = std::str::from_utf8(path).ok()?;
    let is_there = |name: &str| Path::new(name).symlink_metadata().is_ok();
    let are_there = |separator: char| {
        let names = path.split(separator).filter(|name| !name.is_empty());
        path.contains(separator) && names.clone().count() > 0 && names.into_iter().all(is_there)
    };
    if are_there(',') {
        return Some(" (blanks separate paths, not commas)");
    }
    if are_there(' ') {
        return Some(" (in quotation marks, blanks are a part of the path)");
    }
    if path
        .split_once('!')
        .is_some_and(|(archive, _)| is_there(archive))
    {
        return Some(" (an archive is searched as a whole; -H prints its members)");
    }
    let line = path.split_once(':').filter(|(file, _)| is_there(file));
    if line.is_some_and(|(_, line)| line.starts_with(|c: char| c.is_ascii_digit())) {
        return Some(" (a path has no line; the whole file is searched, and -n prints lines)");
    }
    None
}

/// True for a filter of jq, such as `.url`.
fn is_of_jq(path: &[u8]) -> bool {
    let name = path
        .strip_prefix(b".")
        .and_then(|name| std::str::from_utf8(name).ok());
    name.is_some_and(|name| name == "[]" || Field::from_name(name).is_some())
}

/// True for a path such as `Mail/*.mbox` or `*.eml`: a glob that a shell did not replace.
fn is_glob_of_paths(path: &[u8]) -> bool {
    let is_of_regex = |b: &u8| b"\\()|^$+".contains(b);
    let has_folder = path.contains(&b'/') && !path.windows(3).any(|w| w == b"://");
    path.contains(&b'*') && !path.iter().any(is_of_regex) && (has_folder || path.starts_with(b"*."))
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
}
