//! Filters hits, prints them, and adds the marks that the writer needs.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::config::{Config, Mode, Verdicts};
use super::output::{Heading, Mark, Output};
use super::print::format::{put as put_value, rule_of};
use super::print::tally::{SHOWN, is_people, several};
use super::print::{Printer, Style};
use urlgrep::Hit;
use urlgrep::filter::Filter;
use urlgrep::mail::{Author, Container, ContainerNoteKind, MessageNoteKind};
use urlgrep::rows::{Field, NoteRecord, Record, Row, Value};
use urlgrep::search::{Context, Line, LineKind, Match, Message, Note, NoteKind, Visitor};
use urlgrep::url::validate;
use urlgrep_base::escape::{self, STDIN};
use urlgrep_base::magic;
use urlgrep_files::engine::{Kind, Outbox};
use urlgrep_search::go_on;

/// Receives the hits of a file, and sends the output whenever it is full.
pub struct HitVisitor<'t, 'o> {
    pub hits: &'t mut HitPrinter,
    pub path: Option<&'t [u8]>,
    pub out: &'t mut Outbox<'o, Output>,
}

/// Sends a full output. Returns false if nothing more is wanted.
pub fn send_if_full(out: &mut Outbox<'_, Output>) -> bool {
    !out.is_full() || out.send()
}

impl Visitor for HitVisitor<'_, '_> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        go_on(self.hits.hit(found, self.path, self.out) && send_if_full(self.out))
    }

    fn wants_lines(&mut self, _found: &Match<'_>) -> bool {
        std::mem::take(&mut self.hits.wants_lines)
    }

    fn line(&mut self, line: &Line<'_>) {
        self.hits.line(line, self.path, self.out);
        send_if_full(self.out);
    }

    fn message(&mut self, message: &Message<'_>) -> bool {
        self.hits.message(message, self.path, self.out)
    }

    fn note(&mut self, note: &Note<'_>) {
        self.hits.note(note, self.path, self.out);
        send_if_full(self.out);
    }
}

/// Filters hits, and prints the wanted ones.
///
/// It has many fields, because whether a hit is printed depends on the hits before it: those of
/// the file (`-m`), of the message (`--unique-per-message`), and those whose lines are still to
/// come (`-C`).
pub struct HitPrinter {
    pub config: Arc<Config>,
    filter: Filter,
    printer: Printer,
    pub kind: Kind,
    /// [`Config::is_marked`]. It is needed for each hit.
    is_marked: bool,
    /// The number of hits of this text that were printed, or whose lines will
    /// be printed.
    hits: u64,
    /// The number of hits at which the search of the text stops.
    limit: u64,
    /// True if the lines around the last hit are printed.
    wants_lines: bool,
    /// The keys of hits whose lines have not been printed yet.
    keys: VecDeque<u128>,
    /// The heading of the next hit.
    heading: Option<Heading>,
    /// The text by which the current hit is compared with others.
    compared: Vec<u8>,
    /// The rows of `--tally` for the current hit.
    tally: Vec<u8>,
    /// True if the output has a mark with the path of the current file.
    has_path: bool,
    /// The filter accepts the current message. True outside of messages.
    accepts_message: bool,
    /// The mark of the current message, until it has a hit.
    message: Option<Mark>,
    /// The URLs of the current message, if each is printed once per message.
    in_message: HashSet<u128>,
}

impl HitPrinter {
    /// A printer with the options of `config`.
    pub fn new(config: &Arc<Config>) -> HitPrinter {
        HitPrinter {
            filter: config.filter.clone(),
            printer: config.printer.clone(),
            kind: Kind::Text,
            is_marked: config.is_marked(),
            hits: 0,
            // The writer decides which hits are new, so the worker cannot count
            // them.
            limit: if config.args.mail.unique_message
                || config.args.filter.unique && !config.first_is_enough()
            {
                u64::MAX
            } else {
                config.most_of_file()
            },
            wants_lines: false,
            keys: VecDeque::new(),
            heading: None,
            compared: Vec::new(),
            tally: Vec::new(),
            has_path: false,
            accepts_message: true,
            message: None,
            in_message: HashSet::new(),
            config: Arc::clone(config),
        }
    }

    /// Begins a text.
    pub fn begin(&mut self, kind: Kind) {
        self.has_path = false;
        self.accepts_message = true;
        self.message = None;
        self.kind = kind;
        self.hits = 0;
        self.keys.clear();
        self.heading = None;
    }

    /// Prints a note on standard error, if notes are wanted.
    fn tell(&self, text: String, offset: Option<u64>, path: Option<&[u8]>, out: &mut Output) {
        if !self.config.args.mail.notes {
            return;
        }
        let mut shown = Vec::new();
        escape::terminal(path.unwrap_or(STDIN), &mut shown);
        let path = String::from_utf8_lossy(&shown);
        let at = offset.map_or_else(String::new, |offset| format!("byte {offset}: "));
        let told = format!("{path}: {at}{text}");
        if self.is_marked {
            out.marks.push(Mark::Told(told));
        } else {
            out.notes.push(told);
        }
    }

    /// True if the rest of the text is not wanted.
    pub fn is_satisfied(&self) -> bool {
        self.hits >= self.limit
    }

    /// Begins a message. Returns whether its URLs are wanted.
    pub fn message(
        &mut self,
        message: &Message<'_>,
        path: Option<&[u8]>,
        out: &mut Output,
    ) -> bool {
        let has_group = !message.info.newsgroups().is_empty() || !message.info.list_id().is_empty();
        // The library reads a page or a calendar as the body of a message without fields. Text
        // outside of the messages of JSON has no fields either.
        let is_document = match self.kind {
            Kind::Mail(Container::Html | Container::Xml | Container::Calendar | Container::Csv) => {
                true
            }
            Kind::Mail(Container::Json) => message.info.date().is_none(),
            _ => false,
        };
        out.counts.messages += u64::from(!is_document);
        out.counts.grouped += u64::from(has_group);
        out.counts.addressed += u64::from(!message.info.to().is_empty());
        self.in_message.clear();
        if self.config.by_date() || self.config.args.mail.unique_message {
            let id = message.info.message_id();
            self.message = Some(Mark::Message {
                id: (!id.is_empty()).then(|| self.config.keys.hash(id)),
                date: message.info.date().map(|date| date.unix_seconds()),
            });
        }
        if self.config.heading {
            self.set_heading(Some(message), path);
        }
        self.accepts_message = self.filter.accepts_message(message.info);
        out.counts.accepted += u64::from(self.accepts_message);
        self.accepts_message
    }

    /// Counts a note, and prints it if notes are wanted.
    fn note(&mut self, note: &Note<'_>, path: Option<&[u8]>, out: &mut Output) {
        // A ledger beside the mailboxes repeats their links, and nobody misses it.
        let is_ledger = note.kind == NoteKind::File(magic::LEDGER);
        if is_ledger && path.is_some_and(|path| !self.config.is_typed(path)) {
            return;
        }
        out.counts.notes += 1;
        out.counts.records +=
            u64::from(note.kind == NoteKind::Container(ContainerNoteKind::PassedRecord));
        let is_of_message = matches!(note.kind, NoteKind::Message(_));
        // Nobody misses the parts that an option left out. Totals have them.
        let is_left_out = is_of_message
            && self.config.args.mail.no_attachments
            && !self.config.args.mode.stats
            && note.kind != NoteKind::Message(MessageNoteKind::EncryptedPart);
        if (self.accepts_message || !is_of_message) && !is_left_out {
            out.counts.unsearched.note(note.kind);
            out.counts.unread.note(path.unwrap_or(STDIN), note.kind);
        }
        if matches!(self.config.mode, Mode::Hits(Style::Json(_))) && self.config.args.mail.notes {
            let record = NoteRecord { path, note: *note };
            self.printer.note(&record, &mut out.text);
            if self.is_marked {
                let end = out.text.len();
                out.marks.push(Mark::Note { end });
            }
        }
        let member = |member: &[u8]| [path.unwrap_or(STDIN), b"!", member].concat();
        let member = note.member.map(member);
        let path = member.as_deref().or(path);
        self.tell(note.kind.to_string(), note.at, path, out);
    }

    /// Filters and prints a hit. Returns whether the search continues.
    pub fn hit(&mut self, found: &Match<'_>, path: Option<&[u8]>, out: &mut Output) -> bool {
        let hit = found.hit;
        let in_message = found.message.is_some();
        let is_of_form = self.has_wanted_form(hit);
        if is_of_form {
            self.look_for_misspelt(hit);
        }
        let is_valid = hit.url().is_ok();
        if !is_of_form || !self.filter.accepts(found) {
            out.counts.filtered += u64::from(is_of_form && is_valid);
            return true;
        }
        if !is_valid {
            *out.counts.refused.get_or_insert(0) += 1;
            out.counts.defanged += u64::from(is_defanged(hit.text()));
            out.counts.latin += u64::from(is_latin(hit.text()));
        }
        if !self.has_wanted_verdict(is_valid) || self.hits >= self.limit {
            return true;
        }
        if is_valid && has_defanged_scheme(hit.text()) {
            out.counts.defanged += 1;
        } else {
            out.counts.others += 1;
        }
        if in_message && self.config.args.mail.unique_per_message {
            let key = self.key(hit);
            if !self.in_message.insert(key) {
                return true;
            }
        }
        if !self.config.tally.fields.is_empty() {
            self.fill_tally(found, path);
            // A URL counts once per message in each row.
            let url = self.key(hit);
            let key = self.config.keys.hash_in(url, &self.tally);
            if in_message && !self.in_message.insert(key) {
                return true;
            }
        }
        self.hits += 1;
        if self.config.heading && !in_message && self.heading.is_none() {
            self.set_heading(None, path);
        }
        if self.config.context.is_some() {
            out.counts.hits += 1;
            self.wants_lines = true;
            if self.is_marked {
                let key = self.key_if_unique(hit);
                self.keys.push_back(key);
            }
            return true;
        }
        if let Some(message) = self.message.take() {
            out.marks.push(message);
        }
        self.give_heading(out);
        self.print(found, path, out);
        self.mark(hit, path, out);
        self.hits < self.limit
    }

    /// True if valid URLs, or others, are printed.
    fn has_wanted_verdict(&self, is_valid: bool) -> bool {
        match self.config.verdicts {
            Verdicts::Both => true,
            Verdicts::Accepted => is_valid,
            Verdicts::Rejected => !is_valid,
        }
    }

    /// True if the form of the hit is wanted. A search finds only the typed forms, but a
    /// ledger contains all.
    fn has_wanted_form(&self, hit: &Hit) -> bool {
        let forms = &self.config.args.filter.form;
        !self.config.of_ledger() || forms.is_empty() || forms.contains(&hit.form())
    }

    /// Remembers that a scheme that looked misspelt occurs, so that no warning is printed.
    fn look_for_misspelt(&self, hit: &Hit) {
        for name in &self.config.misspelt {
            let mut parts = hit.text().split(|&b| b == b':');
            name.find(parts.next().unwrap_or_default());
        }
    }

    fn print(&mut self, found: &Match<'_>, path: Option<&[u8]>, out: &mut Output) {
        let hit = found.hit;
        out.counts.hits += 1;
        match self.config.mode {
            Mode::Count | Mode::Files { .. } | Mode::Quiet => return,
            Mode::Tally if !self.config.tally.fields.is_empty() => {
                return out.text.extend_from_slice(&self.tally);
            }
            Mode::Tally => {
                let rule = rule_of(Field::Url, hit.url().is_ok());
                let mut canonical = Vec::new();
                self.put_compared(hit, &mut canonical);
                rule(&canonical, &mut out.text);
                out.text.push(SHOWN);
                let clean = self.clean(hit);
                let shown = clean.as_ref().map_or(hit.text(), |clean| clean.as_bytes());
                return rule(shown, &mut out.text);
            }
            Mode::Report(_) => {}
            _ => {
                if self.printer.print_url(hit, &mut out.text) {
                    return;
                }
            }
        }
        let record = Record {
            read_as: Some(self.kind.name()),
            ..Record::new(path, *found)
        };
        #[cfg(feature = "report")]
        if let Mode::Report(_) = self.config.mode {
            let same_text = self.hits > 1;
            let clean = self.config.args.reading.clean;
            let link = urlgrep_report::Link::new(&record, &out.entries, same_text, clean);
            out.entry_bytes += link.weight();
            return out.entries.push(link);
        }
        self.printer.print(&record, &mut out.text);
    }

    /// Makes the rows of `--tally` for a hit. There is one row for each group or recipient,
    /// with line feeds between them. The names of the people in its columns follow a row, each
    /// after [`SHOWN`].
    fn fill_tally(&mut self, found: &Match<'_>, path: Option<&[u8]>) {
        let mut rows = std::mem::take(&mut self.tally);
        rows.clear();
        let record = Record::new(path, *found);
        let row = Row::from(&record);
        let is_hit = found.hit.url().is_ok();
        let fields = &self.config.tally.fields;
        let info = found.message.map(|message| message.info);
        let author = match info.filter(|_| fields.contains(&Field::From)) {
            Some(info) => Author::of(info.from()),
            None => Author::default(),
        };
        let mut scratch = Vec::new();
        for (i, several) in several(&row, info, fields).iter().enumerate() {
            if i > 0 {
                rows.push(b'\n');
            }
            for (i, &field) in fields.iter().enumerate() {
                if i > 0 {
                    rows.push(b'\t');
                }
                match field {
                    Field::Group | Field::To | Field::Cc => {
                        escape::field(&several.key, &mut rows);
                    }
                    Field::Url if is_hit => {
                        let mut url = Vec::new();
                        self.put_compared(found.hit, &mut url);
                        rule_of(Field::Url, true)(&url, &mut rows);
                    }
                    Field::From => escape::field(author.key(), &mut rows),
                    field => self.put_tallied(&row, field, is_hit, &mut scratch, &mut rows),
                }
            }
            for field in fields.iter().filter(|field| is_people(**field)) {
                let person = match field {
                    Field::From => author.shown(),
                    _ => &several.shown,
                };
                rows.push(SHOWN);
                escape::field(person, &mut rows);
            }
        }
        self.tally = rows;
    }

    /// Appends the value of a column of `--tally`.
    fn put_tallied(
        &self,
        row: &Row<'_>,
        field: Field,
        is_hit: bool,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) {
        let rule = rule_of(field, is_hit);
        match (field, row.value(field, scratch)) {
            (Field::Folder, Value::Text(folder)) => {
                let outer = match self.config.tally.depth {
                    Some(depth) => outer_folders(folder, depth, &self.config.args.paths),
                    None => folder,
                };
                rule(outer, out);
            }
            (_, value) => put_value(value, rule, out),
        }
    }

    fn mark(&mut self, hit: &Hit, path: Option<&[u8]>, out: &mut Output) {
        if !self.is_marked {
            return;
        }
        if self.config.by_date() && (!self.has_path || out.marks.is_empty()) {
            let path = path.unwrap_or(STDIN).into();
            out.marks.push(Mark::File { path });
            self.has_path = true;
        }
        let (end, key) = (out.text.len(), self.key_if_unique(hit));
        out.marks.push(Mark::Hit { end, key });
    }

    /// The hash of the URL, if `-u` compares it.
    fn key_if_unique(&mut self, hit: &Hit) -> u128 {
        if self.config.args.filter.unique {
            self.key(hit)
        } else {
            0
        }
    }

    /// A keyed hash of the text by which the URL is compared.
    fn key(&mut self, hit: &Hit) -> u128 {
        self.set_compared(hit);
        self.config.keys.hash(&self.compared)
    }

    fn set_compared(&mut self, hit: &Hit) {
        let mut compared = std::mem::take(&mut self.compared);
        compared.clear();
        self.put_compared(hit, &mut compared);
        self.compared = compared;
    }

    /// Appends the text by which a URL is compared: its canonical form, with `--clean` that
    /// of the clean URL. A reject has none, and is compared by its text.
    fn put_compared(&self, hit: &Hit, out: &mut Vec<u8>) {
        let clean = self.clean(hit);
        let clean = clean
            .as_ref()
            .map(|clean| validate(hit.profile(), clean.as_bytes()));
        match clean.unwrap_or_else(|| hit.url()) {
            Ok(url) => url.canonical_into(out),
            Err(_) => out.extend_from_slice(hit.text()),
        }
    }

    /// The clean URL of a hit, if `--clean` asks for it and it differs.
    fn clean(&self, hit: &Hit) -> Option<String> {
        if self.config.args.reading.clean {
            hit.url().ok()?.clean()
        } else {
            None
        }
    }

    /// Prints a line with hits, or a line near one.
    fn line(&mut self, line: &Line<'_>, path: Option<&[u8]>, out: &mut Output) {
        let mut line = *line;
        let is_alone = self.config.context == Some(Context::default());
        line.gap &= !self.give_heading(out) && !is_alone;
        self.printer.line(path, &line, &mut out.text);
        if !self.is_marked {
            return;
        }
        let end = out.text.len();
        let hits = line.hits().min(self.keys.len());
        let mut keys = self.keys.drain(..hits);
        let mark = match (line.kind, keys.next()) {
            (_, Some(key)) => {
                // The line has more hits.
                out.marks.extend(keys.map(|key| Mark::Also { key }));
                Mark::Hit { end, key }
            }
            (LineKind::Before, None) => Mark::Before { end },
            (LineKind::Hit | LineKind::After, None) => Mark::After { end },
        };
        out.marks.push(mark);
    }

    /// Sets the heading of the next hits: that of a message, or of text outside messages.
    fn set_heading(&mut self, message: Option<&Message<'_>>, path: Option<&[u8]>) {
        let mut heading = Heading::default();
        self.printer.text.heading_path(path, &mut heading.path);
        if let Some(message) = message {
            heading.id = message.start + 1;
            let text = &self.printer.text;
            text.heading_message(message, &mut heading.message);
        }
        self.heading = Some(heading);
    }

    /// Passes the heading to the writer. Returns false if there is none, or if
    /// it was passed earlier.
    #[inline]
    fn give_heading(&mut self, out: &mut Output) -> bool {
        match &mut self.heading {
            Some(heading) if !heading.is_given => {
                heading.is_given = true;
                out.marks.push(Mark::Heading(Box::new(heading.clone())));
                true
            }
            _ => false,
        }
    }

    /// Ends a file that was read as this kind.
    pub fn end(&mut self, kind: Kind, path: Option<&[u8]>, out: &mut Output) {
        out.counts.files += 1;
        *out.counts.kinds.entry(kind.name()).or_default() += 1;
        if self.is_marked {
            let path = path.filter(|_| self.config.names_files());
            out.marks.push(Mark::End {
                path: path.map(Into::into),
            });
        }
    }
}

/// True if refused text is written as people write a URL that nobody should open. `--refang` has
/// the whole rule.
fn is_defanged(text: &[u8]) -> bool {
    const MARKS: [&[u8]; 8] = [
        b"[.]", b"(.)", b"{.}", b"[dot]", b"(dot)", b"[at]", b"[:]", b"[/]",
    ];
    let lower = text.to_ascii_lowercase();
    let mut marks = MARKS.iter();
    has_defanged_scheme(text) || marks.any(|mark| memchr::memmem::find(&lower, mark).is_some())
}

/// True if a refused text is in Latin-1, and has letters that ASCII has not.
fn is_latin(text: &[u8]) -> bool {
    let is_latin = |b: &u8| matches!(b, b' '..=b'~' | 0xC0..=0xFF);
    std::str::from_utf8(text).is_err() && text.iter().all(is_latin)
}

/// True for `hxxp` and `hxxps`, which are schemes that browsers do not know.
fn has_defanged_scheme(text: &[u8]) -> bool {
    matches!(
        text,
        [b'h' | b'H', b'x' | b'X', b'x' | b'X', b'p' | b'P', ..]
    )
}

/// True if `path` is `folder` or stands in it. A folder is not inside of another whose name its own
/// name only begins with.
fn is_inside(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| matches!(rest, [] | [b'/' | b'!', ..]))
}

/// The first `depth` folders of a path. The first one is the last folder of the `named`
/// path that contains it. `./` at its start is not counted.
fn outer_folders<'p>(path: &'p [u8], depth: usize, named: &[OsString]) -> &'p [u8] {
    let named = named.iter().map(|name| name.as_encoded_bytes());
    let named = named.map(|name| name.strip_suffix(b"/").unwrap_or(name));
    let outer = named.filter(|name| is_inside(path, name));
    let begins = outer.filter_map(|name| memchr::memrchr(b'/', name).map(|slash| slash + 1));
    let start = if path.starts_with(b"./") { 2 } else { 1 };
    let start = begins.max().unwrap_or(0).max(start);
    let mut ends = (start..path.len()).filter(|&at| b"/!".contains(&path[at]));
    match ends.nth(depth - 1) {
        Some(end) => &path[..end],
        None => path,
    }
}
