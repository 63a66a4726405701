//! The configuration of a run. It interprets the options, given the paths and
//! the terminal. Conflicts between options are already excluded.

mod filter;
mod mode;
mod screen;
mod tally;

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use urlgrep::filter::Filter;
use urlgrep::mail::HeaderPolicy;
use urlgrep::rows::Field;
use urlgrep::search::Context;
use urlgrep::{Extractor, ExtractorBuilder, Form};
use urlgrep_files::engine::{Engine, EngineBuilder, Limits};
use urlgrep_files::pre::Programs;

pub use self::mode::Mode;
pub use self::screen::Screen;
use self::screen::{context, text_config};
pub use self::tally::{TALLIED, TallyConfig};
use self::tally::{check_tally, check_unique, tally_fields};
use super::args::{Args, MailArgs, ModeArgs};
use super::error::ConfigError;
use super::globs::Globs;
use super::inputs::{self, Inputs, TypedInputs};
use super::keys::Keys;
use super::names::Misspelt;
use super::output::Counts;
use super::page;
use super::print::tally::Order;
use super::print::{Printer, Style};
use super::values::{RejectsArg, Sort};

/// The verdicts whose candidates are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdicts {
    /// URLs.
    Accepted,
    /// Refused text.
    Rejected,
    /// URLs and refused text.
    Both,
}

/// The configuration of a run. All threads share it, and it never changes.
#[derive(Debug)]
pub struct Config {
    /// The options as typed. The other fields interpret them.
    pub args: Args,
    sources: Sources,
    pub tally: TallyConfig,
    pub extractor: ExtractorBuilder,
    pub filter: Filter,
    /// An operator in a pattern that is a pasted URL.
    pub pasted: Option<char>,
    /// The files of -f have no pattern, and there is no other.
    pub has_no_pattern: bool,
    /// The place of an empty pattern, which matches every URL.
    pub matches_all: Option<String>,
    pub verdicts: Verdicts,
    pub mode: Mode,
    /// The typed schemes that are probably misspelt.
    pub misspelt: Vec<Misspelt>,
    pub printer: Printer,
    pub needs: Needs,
    /// The number of lines to print around hits. `None` if hits are not printed
    /// as whole lines.
    pub context: Option<Context>,
    /// Whether hits are grouped by message.
    pub heading: bool,
    pub screen: Screen,
    /// Hashes URLs for `--unique`.
    pub keys: Keys,
}

/// What is read.
#[derive(Debug)]
struct Sources {
    named: TypedInputs,
    globs: Globs,
    programs: Programs,
    /// The output file, if any. This file is not searched, because it grows with
    /// each hit.
    output_file: Option<Metadata>,
}

/// What the search must find out about hits, because it is printed or filters them.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Line numbers.
    pub line: bool,
    /// Columns.
    pub column: bool,
    /// Roles and messages.
    pub details: bool,
    /// Places in decoded text.
    pub places: bool,
}

/// A name of an option without a dot and without wildcards.
pub struct OneLabel<'c> {
    pub option: &'static str,
    pub name: &'c str,
    /// What the name stands for there.
    pub what: &'static str,
}

impl Config {
    /// Interprets `args` in this environment.
    ///
    /// # Errors
    ///
    /// A malformed pattern, glob or template, or a file of patterns that cannot
    /// be read.
    pub fn new(args: Args) -> Result<Config, ConfigError> {
        check_typed(&args)?;
        let (reading, output, typed) = (&args.reading, &args.output, &args.filter);
        let of_ledger = of_ledger(&args.mode);
        let (output_file, is_pipe) = screen::output();
        let sources = Sources::new(&args, output_file)?;
        let screen = Screen::new(output, is_pipe);
        let (fields, depth) = tally_fields(args.mode.tally.as_deref().unwrap_or_default())?;
        check_unique(&args, &fields)?;
        let mode = Mode::new(&args, screen.terminal)?;
        if let Some(field) = mode.field_of_ledger().filter(|_| !of_ledger) {
            let name = field.name();
            return Err(ConfigError::new(format!(
                "the field {name} needs --ledger; without one, --tally counts each URL, and \
                 --sort date -u prints its first occurrence"
            )));
        }
        let given = filter::filter(&args)?;
        let needs = Needs::new(&args, &mode, &fields, &given.filter);
        let text = text_config(&args, &mode, sources.named.has_many(), screen.terminal);
        let style = match &mode {
            Mode::Hits(style) => style.clone(),
            _ => Style::default(),
        };
        // A ledger contains hits of all forms.
        let all_forms = if of_ledger { &[] } else { &typed.form[..] };
        Ok(Config {
            sources,
            tally: TallyConfig::new(&args.mode, fields, depth, text),
            extractor: Extractor::builder()
                .profile(reading.profile)
                .forms(Form::wanted(all_forms, reading.www))
                .hyphen(reading.hyphen.first())
                .join(!reading.no_join)
                .doubtful(!reading.no_doubtful)
                .unwrap_links(reading.unwrap)
                .refang(reading.refang)
                // Refused text is counted even if it is not printed.
                .rejects(true)
                .line_numbers(needs.line),
            filter: given.filter,
            pasted: given.pasted,
            has_no_pattern: given.has_no_pattern,
            matches_all: given.matches_all,
            verdicts: match args.mode.rejects {
                Some(RejectsArg::Both) => Verdicts::Both,
                Some(RejectsArg::Only) => Verdicts::Rejected,
                None if args.mode.report.is_some() => Verdicts::Both,
                None => Verdicts::Accepted,
            },
            misspelt: Misspelt::of("--scheme", &typed.scheme)
                .chain(Misspelt::of("--exclude-scheme", &typed.exclude_scheme))
                .collect(),
            printer: Printer::new(style, text),
            needs,
            context: context(output).filter(|_| mode == Mode::Hits(Style::Text)),
            mode,
            heading: text.heading,
            screen,
            keys: Keys::default(),
            args,
        })
    }

    /// The engine with the settings of this run.
    pub fn engine(&self) -> EngineBuilder {
        let (input, mail, output) = (&self.args.input, &self.args.mail, &self.args.output);
        let limits = Limits::default()
            .max_window(mail.max_window)
            .max_decompressed(mail.max_decompressed);
        let threads = match input.threads {
            0 => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            n => n,
        };
        let mut engine = Engine::builder()
            .threads(threads)
            .start(input.start_at.unwrap_or(0))
            .end(input.end_at)
            .read_as(mail.read_as)
            .decode(!mail.no_decode)
            .decompress(!mail.no_decompress)
            .limits(limits)
            .lines(self.needs.line)
            .numbers(self.needs.details || self.mode.asks_for(Field::MessageNumber))
            .whole_files(self.context.is_some())
            .interactive(output.line_buffered || self.screen.terminal)
            .long_output(matches!(&self.mode, Mode::Hits(style) if *style != Style::Text))
            .follow(input.follow)
            .max_depth(input.max_depth)
            .sort(input.sort != Sort::None)
            .output(self.sources.output_file.as_ref())
            .convert(self.sources.programs.clone());
        if let Some(segment) = input.segment_size {
            engine = engine.segment(segment);
        }
        if !self.sources.globs.is_empty() {
            let globs = self.sources.globs.clone();
            engine =
                engine.filter(move |entry| globs.accept(entry.name, entry.path, entry.is_folder));
        }
        engine
    }

    /// The inputs of the run.
    pub fn inputs(&self) -> Inputs {
        self.sources.named.inputs()
    }

    /// The files and folders to search, and whether links are followed. `None`
    /// if other input, such as a list or standard input, is also read.
    pub fn all_paths(&self) -> Option<(Vec<PathBuf>, bool)> {
        let is_all = self.sources.globs.is_empty() && self.args.input.max_depth.is_none();
        let paths = is_all.then(|| self.sources.named.all_paths())??;
        Some((paths, self.args.input.follow))
    }

    /// The program of `--pre` that is not there, if `text` says that it could not be started.
    pub fn missing_program(&self, text: &str) -> Option<&str> {
        self.sources.programs.missing().find(|program| {
            // A fault in an attachment names the attachment first.
            text.starts_with(&format!("{program}: ")) || text.contains(&format!(": {program}: "))
        })
    }

    /// True if `text` is the fault of a command of `--pre` that has what only a shell reads, such
    /// as `|`.
    pub fn has_shell_in_pre(&self, text: &str) -> bool {
        const SHELL: [&str; 9] = ["|", "||", "&&", ";", "<", ">", ">>", "2>&1", "2>/dev/null"];
        let mut rules = self.args.input.pre.iter();
        rules.any(|rule| {
            let mut words = rule.split_whitespace();
            let program = words.next().unwrap_or_default().rsplit('=').next();
            let said = format!("{}: ", program.unwrap_or_default());
            let is_its = text.starts_with(&said) || text.contains(&format!(": {said}"));
            is_its && words.any(|word| SHELL.contains(&word))
        })
    }

    /// True if the output is a file, which is not searched.
    pub fn has_output_file(&self) -> bool {
        self.sources.output_file.is_some()
    }

    /// The named path, or the current folder, in which a folder has this name.
    pub fn has_folder(&self, name: &str) -> bool {
        let paths = self.sources.named.all_paths().unwrap_or_default();
        paths.iter().any(|path| path.join(name).is_dir())
    }

    /// True if this path was typed, and not found in a folder or a list.
    pub fn is_typed(&self, path: &[u8]) -> bool {
        self.sources.named.is_typed(path)
    }

    /// True if a missing `path` may be meant as a pattern. It looks like one, or
    /// it is the first typed path and has no slash.
    pub fn may_be_pattern(&self, path: &[u8]) -> bool {
        self.sources.named.may_be_pattern(path)
    }

    /// True if hits are printed in the order of their dates.
    pub fn by_date(&self) -> bool {
        self.args.input.sort == Sort::Date
    }

    /// The order of the rows of `--tally`.
    pub fn tally_order(&self) -> Order {
        let is_time = |field: &&Field| matches!(field, Field::Year | Field::Month | Field::Day);
        match self.args.input.sort {
            Sort::Count => Order::Count,
            Sort::Value => Order::Value,
            _ => Order::Leading(self.tally.fields.iter().take_while(is_time).count()),
        }
    }

    /// Explains an empty result. `None` if every message could have been wanted. `found` is true if
    /// a message was wanted.
    pub fn why_none(&self, counts: &Counts, found: bool) -> Option<String> {
        let mail = &self.args.mail;
        let (messages, grouped) = (counts.messages, counts.grouped);
        let of_group = !mail.group.is_empty();
        let is_dated = mail.since.is_some() || mail.until.is_some();
        let named = [&mail.from, &mail.to, &mail.subject, &mail.message_id];
        let of_message = of_group || is_dated || named.iter().any(|typed| !typed.is_empty());
        if of_message && messages == 0 {
            let filters = "--since, --until, --from, --to, --subject, --message-id and --group";
            Some(format!("no messages were found; {filters} need messages"))
        } else if of_group && grouped * 2 <= messages && !found {
            let others = messages - grouped;
            Some(format!(
                "{others} of {messages} messages name no newsgroup or list, but --group needs one"
            ))
        } else if found {
            None
        } else {
            self.one_of_several()
                .or_else(|| self.group_as_recipient().filter(|_| grouped > 0))
                .or_else(|| {
                    let is_unknown = !mail.to.is_empty() && counts.addressed == 0;
                    is_unknown
                        .then(|| "no message has To, Cc or Bcc, but --to needs one".to_owned())
                })
        }
    }

    /// Explains a pattern of a header field that has a comma, which people type between two
    /// names. A comma may be a part of a name, so this is said only if nothing was found.
    fn one_of_several(&self) -> Option<String> {
        let mail = &self.args.mail;
        let options = [
            ("--from", &mail.from),
            ("--to", &mail.to),
            ("--subject", &mail.subject),
        ];
        let is_list = |typed: &&String| typed.contains(',') && !typed.contains('{');
        options.into_iter().find_map(|(option, typed)| {
            let typed = typed.iter().find(is_list)?;
            if let Some((last, first)) = typed.split_once(", ")
                && option != "--subject"
                && [first, last].iter().all(|part| is_name(part))
            {
                return Some(format!(
                    "{option} '{typed}' is one pattern; most programs write the name as '{first} {last}'"
                ));
            }
            Some(format!(
                "{option} '{typed}' is one pattern; for either of two, give {option} twice"
            ))
        })
    }

    /// Explains `--to comp.lang.lisp`.
    fn group_as_recipient(&self) -> Option<String> {
        let is_group = |typed: &&String| {
            let is_of_name = |b: u8| b.is_ascii_alphanumeric() || b".+-_".contains(&b);
            typed.contains('.') && typed.bytes().all(is_of_name)
        };
        let typed = self.args.mail.to.iter().find(is_group)?;
        Some(format!(
            "--to is for To, Cc and Bcc; for newsgroups and lists, use --group {typed}"
        ))
    }

    /// A name of `--host` or `--group` that is rarely a whole host, and rarely the start of a group.
    pub fn one_label(&self) -> Option<OneLabel<'_>> {
        let options = [
            (
                "--host",
                &self.args.filter.host,
                "is that host and its subdomains",
            ),
            (
                "--group",
                &self.args.mail.group,
                "are names that begin with it",
            ),
        ];
        options.into_iter().find_map(|(option, typed, what)| {
            let names = typed.iter().flat_map(|names| names.split(','));
            let mut names = names.map(str::trim);
            let is_label =
                |name: &&str| !name.contains(['.', ':', '*', '?', '{', '}', '[', ']', '@', '/']);
            names
                .find(is_label)
                .map(|name| OneLabel { option, name, what })
        })
    }

    /// The file of a pattern or another value of a filter, if no path was named: people forget the
    /// value before the path.
    pub fn path_as_value(&self) -> Option<(&'static str, &str)> {
        let (filter, mail) = (&self.args.filter, &self.args.mail);
        let options = [
            ("", &filter.regexp),
            ("--from", &mail.from),
            ("--to", &mail.to),
            ("--subject", &mail.subject),
            ("--exclude-to", &mail.exclude_to),
            ("--exclude-subject", &mail.exclude_subject),
            ("--message-id", &mail.message_id),
            ("--group", &mail.group),
            ("--host", &filter.host),
            ("--exclude-host", &filter.exclude_host),
            ("--scheme", &filter.scheme),
        ];
        let is_file = |typed: &&String| Path::new(typed.as_str()).is_file();
        options.into_iter().find_map(|(option, typed)| {
            let file = typed.iter().find(is_file)?;
            Some((option, file.as_str()))
        })
    }

    /// A path that was probably meant as the file of the output, because it has the ending of the
    /// form of output and another path follows: `--csv links.csv mail`.
    pub fn path_of_output(&self) -> Option<(&'static str, &Path)> {
        path_of_output(&self.args)
    }

    /// True if hits come from a ledger.
    pub fn of_ledger(&self) -> bool {
        of_ledger(&self.args.mode)
    }

    /// True if one hit decides the result for a file, so that its search can
    /// stop there.
    #[must_use]
    pub fn first_is_enough(&self) -> bool {
        matches!(self.mode, Mode::Files { .. }) || self.first_ends_run()
    }

    /// The number of hits after which the rest of a file is not wanted.
    pub fn most_of_file(&self) -> u64 {
        if self.first_is_enough() {
            1
        } else {
            self.args.filter.max_count.unwrap_or(u64::MAX)
        }
    }

    /// True if one hit decides the result of the run. The totals of `--stats`
    /// need the whole run.
    #[must_use]
    pub fn first_ends_run(&self) -> bool {
        self.mode == Mode::Quiet && !self.args.mode.stats
    }

    /// True if the output of a file depends on the output before it.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        let Args { filter, mail, .. } = &self.args;
        filter.unique
            || self.by_date()
            || mail.unique_message
            || self.heading
            || self.separates()
            || filter.max_count.is_some()
            || self.first_is_enough()
            || matches!(self.mode, Mode::Count | Mode::Tally)
    }

    /// True if `--` separates groups of lines. With headings a blank line does.
    pub fn separates(&self) -> bool {
        let has_around = |context| context != Context::default();
        self.context.is_some_and(has_around) && !self.heading
    }

    /// True if the output for a hit includes the end of its message.
    #[must_use]
    pub fn has_records(&self) -> bool {
        self.mode.asks_for(Field::MessageEnd)
    }

    /// True if files are printed, not hits.
    #[must_use]
    pub fn names_files(&self) -> bool {
        matches!(self.mode, Mode::Count | Mode::Files { .. })
    }
}

impl Sources {
    fn new(args: &Args, output_file: Option<Metadata>) -> Result<Sources, ConfigError> {
        let named = TypedInputs::new(args)?;
        if args.input.start_at.is_some() && named.has_many() {
            return Err(ConfigError::new("--start-at needs exactly one file"));
        }
        if args.input.end_at.is_some() && named.has_many() {
            return Err(ConfigError::new("--end-at needs exactly one file"));
        }
        // Do not search the page of an earlier run.
        let page = args.mode.report.as_deref().and_then(page::earlier);
        Ok(Sources {
            named,
            globs: Globs::new(&args.input.glob)?,
            programs: programs(args)?,
            output_file: page.or(output_file),
        })
    }
}

impl Needs {
    fn new(args: &Args, mode: &Mode, tally: &[Field], filter: &Filter) -> Needs {
        let (output, mail) = (&args.output, &args.mail);
        let is_report = matches!(mode, Mode::Report(_));
        let line = output.line_number || output.vimgrep || is_report || mode.asks_for(Field::Line);
        let prints_places = match mode {
            Mode::Hits(Style::Text) => output.byte_offset,
            Mode::Hits(_) | Mode::Report(_) => true,
            _ => !tally.is_empty(),
        };
        let is_wanted = |field: &Field| mode.asks_for(*field) || tally.contains(field);
        Needs {
            line,
            column: output.column || output.vimgrep || mode.asks_for(Field::Column),
            details: is_report
                || output.heading && *mode == Mode::Hits(Style::Text)
                || args.input.sort == Sort::Date
                || Field::DETAILS.iter().any(is_wanted)
                || mail.unique_per_message
                || mail.unique_message
                // A note is about recipients.
                || mail.notes
                || args.mode.stats
                || filter.needs_messages(),
            places: prints_places || line || of_ledger(&args.mode) || mail.notes,
        }
    }
}

/// True if hits come from a ledger.
fn of_ledger(mode: &ModeArgs) -> bool {
    mode.ledger.is_some()
}

/// True for words that begin with a capital letter, as the parts of a name do.
fn is_name(part: &str) -> bool {
    let is_word = |word: &str| word.starts_with(char::is_uppercase) && !word.contains(',');
    !part.is_empty() && part.split(' ').all(is_word)
}

/// See [`Config::path_of_output`].
fn path_of_output(args: &Args) -> Option<(&'static str, &Path)> {
    let mode = &args.mode;
    let (option, endings): (_, &[&str]) = if mode.csv.is_some() {
        ("--csv", &["csv", "xlsx", "xls"])
    } else if mode.tsv {
        ("--tsv", &["tsv", "csv", "txt"])
    } else if mode.json {
        ("--json", &["json", "jsonl", "ndjson"])
    } else {
        return None;
    };
    let is_output = |path: &OsString| {
        let ending = Path::new(path).extension();
        ending.is_some_and(|ending| endings.iter().any(|one| ending == *one))
    };
    let (first, rest) = args.paths.split_first()?;
    let is_one = is_output(first) && !rest.is_empty() && !rest.iter().any(is_output);
    is_one.then_some((option, Path::new(first)))
}

/// Refuses options and paths that cannot be meant.
fn check_typed(args: &Args) -> Result<(), ConfigError> {
    if args.mode.tally.is_some() && args.filter.max_count.is_some() {
        return Err(ConfigError::new(
            "-m stops reading each file, so --tally would count only its first hits; for the \
             first rows, use head(1)",
        ));
    }
    let is_blank = |name: &String| name.trim().is_empty();
    if !args.mode.fields.is_empty() && args.mode.fields.iter().all(is_blank) {
        return Err(ConfigError::new(
            "--fields: the name of a field is missing; --help lists the fields",
        ));
    }
    if args.mode.rejects == Some(RejectsArg::Only) && !args.filter.host.is_empty() {
        return Err(ConfigError::new(
            "--rejects --host: a refused text has no host; use -e PATTERN",
        ));
    }
    let is_none = args.mail.headers.policy() == HeaderPolicy::None;
    if is_none && args.mail.role == ["header"] {
        return Err(ConfigError::new(
            "--headers none leaves out what --role header prints; leave out one of the two",
        ));
    }
    check_tally(args.mode.tally.as_deref(), &args.paths)?;
    if let Some((option, path)) = path_of_output(args)
        && fs::symlink_metadata(path).is_err()
    {
        let path = path.display().to_string();
        let word = inputs::shell_word(&path);
        return Err(ConfigError::new(format!(
            "{path}: no such file; {option} takes no file: redirect the output, as in >{word}"
        )));
    }
    if let (Some(_), Some(path)) = (args.other.batch, args.paths.first()) {
        return Err(ConfigError::new(format!(
            "{}: --batch reads no paths, but requests on standard input; the framing follows \
             `=`: --batch=netstring",
            path.display()
        )));
    }
    inputs::check(args)?;
    if cfg!(not(feature = "ledger")) && of_ledger(&args.mode) {
        return Err(ConfigError::new(
            "--ledger: not in this build; `cargo install --path . --features full` adds it",
        ));
    }
    match &args.mode.report {
        Some(path) => page::check(path),
        None => Ok(()),
    }
}

impl Config {
    /// Makes a signal that ends the command end the programs of `--pre`, too.
    ///
    /// # Errors
    ///
    /// If the signals cannot be handled.
    pub fn end_programs_on_signals(&self) -> Result<(), ConfigError> {
        if self.args.input.pre.is_empty() {
            return Ok(());
        }
        let handled = self.sources.programs.end_on_signals();
        handled.map_err(|e| ConfigError::new(format!("--pre: cannot handle signals: {e}")))
    }
}

/// The programs of `--pre`.
fn programs(args: &Args) -> Result<Programs, ConfigError> {
    let mut programs = Programs::default().time(Duration::from_secs(args.input.pre_timeout.into()));
    if let Some(most) = args.mail.max_decompressed {
        programs = programs.output(most);
    }
    for rule in &args.input.pre {
        let added = programs.add(rule);
        added.map_err(|e| ConfigError::new(format!("--pre {rule:?}: {e}")))?;
    }
    Ok(programs)
}

impl MailArgs {
    /// The maximum size of an attachment that is opened. `None` if none is searched.
    pub fn attachments(&self) -> Option<usize> {
        let most = usize::try_from(self.max_attachment).unwrap_or(usize::MAX);
        (!self.no_attachments).then_some(if self.no_decompress { 0 } else { most })
    }
}
