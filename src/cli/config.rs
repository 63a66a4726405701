//! The configuration of a run. It interprets the options, given the paths and
//! the terminal. Conflicts between options are already excluded.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use urlgrep::filter::Filter;
use urlgrep::rows::Field;
use urlgrep::search::Context;
use urlgrep::{Extractor, ExtractorBuilder, Form};
use urlgrep_files::engine::{Engine, EngineBuilder, Fault, Limits};
use urlgrep_files::pre::Programs;

use super::args::{Args, MailArgs, ModeArgs, OutputArgs};
use super::error::ConfigError;
use super::globs::Globs;
use super::inputs::{self, Inputs, TypedInputs};
use super::keys::Keys;
use super::names::Misspelt;
use super::output::Counts;
use super::page;
use super::print::format::{self, Table, Template};
use super::print::tally::Order;
use super::print::{Printer, Style, TallyPrinter, TallyStyle, TextConfig};
use super::values::{BatchArg, ColorArg, CsvArg, HyphenArg, RejectsArg, Sort};

/// The kind of output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each hit.
    Hits(Style),
    /// The number of hits of each file.
    Count,
    /// The paths of files with hits, or of files without hits.
    Files { with: bool },
    /// Each URL with its number of occurrences.
    Tally,
    /// An HTML page in this file.
    Report(PathBuf),
    /// No output.
    Quiet,
    /// A verdict on each line of the input.
    Check,
    /// Checks JSON records against their files.
    Verify,
}

impl Mode {
    fn new(args: &Args, terminal: bool) -> Result<Mode, ConfigError> {
        let (mode, output, other) = (&args.mode, &args.output, &args.other);
        let batch = other.batch.is_some();
        let url = if args.reading.clean { "clean" } else { "url" };
        let fields = |default: &[&str]| {
            let typed = mode.fields.iter().map(|name| name.trim());
            let typed: Vec<&str> = typed.filter(|name| !name.is_empty()).collect();
            let names = if typed.is_empty() { default } else { &typed };
            let fields = names.iter().map(|name| format::field("--fields", name));
            fields.collect::<Result<Vec<Field>, _>>()
        };
        let table = |separator| {
            let table = Table::new(mode, separator, terminal, batch);
            let columns = ["date", "from", "subject", "role", "path", "line", url];
            let reasons = [&columns[..], &["rule", "rule_at", "reason"]].concat();
            let cautions = [&columns[..], &["cautions", "host_meaning", "text"]].concat();
            let columns = if mode.rejects.is_some() {
                &reasons[..]
            } else if !mode.cautions.is_empty() {
                &cautions[..]
            } else {
                &columns
            };
            fields(columns).map(|fields| Mode::format(Template::table(fields, table)))
        };
        Ok(if mode.quiet {
            Mode::Quiet
        } else if mode.tally.is_some() {
            Mode::Tally
        } else if mode.csv.is_some() {
            table(b',')?
        } else if mode.tsv {
            table(b'\t')?
        } else if mode.explain {
            Mode::Hits(Style::Explain)
        } else if mode.json {
            Mode::Hits(Style::Json(fields(&[])?))
        } else if mode.count {
            Mode::Count
        } else if mode.files_with_matches {
            Mode::Files { with: true }
        } else if mode.files_without_match {
            Mode::Files { with: false }
        } else if let Some(page) = &mode.report {
            Mode::Report(page.clone())
        } else if other.check {
            Mode::Check
        } else if other.verify {
            Mode::Verify
        } else if let Some(template) = &mode.format {
            Mode::format(typed_template(template, batch)?)
        } else if !mode.fields.is_empty() {
            table(b'\t')?
        } else if !mode.cautions.is_empty() {
            Mode::format(cautions(output, url)?)
        } else {
            Mode::Hits(Style::Text)
        })
    }

    fn format(template: Template) -> Mode {
        Mode::Hits(Style::Format(template))
    }

    /// The first field that was asked for by its name although only the rows of a ledger
    /// have it.
    fn field_of_ledger(&self) -> Option<Field> {
        let names = |field: &Field| match self {
            Mode::Hits(Style::Format(template)) => template.has(*field),
            Mode::Hits(Style::Json(fields)) => fields.contains(field),
            _ => false,
        };
        [Field::Count, Field::FirstSeen, Field::LastSeen]
            .into_iter()
            .find(names)
    }

    /// True if rows have this field.
    fn asks_for(&self, field: Field) -> bool {
        match self {
            Mode::Hits(Style::Format(template)) => template.has(field),
            Mode::Hits(Style::Json(fields)) => fields.is_empty() || fields.contains(&field),
            Mode::Hits(Style::Explain) => true,
            _ => false,
        }
    }
}

/// The template of `--format`.
fn typed_template(typed: &str, batch: bool) -> Result<Template, ConfigError> {
    let template: Template = typed.parse()?;
    if batch && template.may_be_blank() {
        return Err(ConfigError::new(
            "--format: with --batch each line needs {url} or another text, \
             because a blank line ends an answer",
        ));
    }
    Ok(template)
}

/// The rows of `--cautions`, which begin with the field `url`, after the fields of `-H`, `-n`,
/// `--column` and `-b`.
fn cautions(output: &OutputArgs, url: &str) -> Result<Template, ConfigError> {
    let row = format!("{{{url}}}\\t{{cautions}}\\t{{host_meaning}}\\t{{text}}");
    let fields = [
        (output.with_filename, "{path}:"),
        (output.line_number, "{line}:"),
        (output.column, "{column}:"),
        (output.byte_offset, "{offset}:"),
        (true, &*row),
    ];
    let fields = fields.iter().filter(|field| field.0).map(|field| field.1);
    fields.collect::<String>().parse()
}

/// The fields by which `--tally` counts.
pub const TALLIED: [Field; 15] = {
    use Field::*;
    [
        Url, Host, Domain, Scheme, Year, Month, Day, From, To, Cc, Subject, Group, Role, Path,
        Folder,
    ]
};

impl Table {
    /// The table of `--csv`, `--tsv` or `--fields`.
    fn new(mode: &ModeArgs, separator: u8, terminal: bool, batch: bool) -> Table {
        Table {
            separator,
            terminal,
            batch,
            excel: mode.csv == Some(CsvArg::Excel),
        }
    }
}

/// How `--tally` prints its rows.
fn tally_style(mode: &ModeArgs, terminal: bool) -> TallyStyle {
    if mode.json {
        TallyStyle::Json
    } else if mode.csv.is_some() {
        TallyStyle::Table(Table::new(mode, b',', terminal, false))
    } else if mode.tsv {
        TallyStyle::Table(Table::new(mode, b'\t', terminal, false))
    } else {
        TallyStyle::Text
    }
}

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

/// What `--tally` counts.
#[derive(Debug)]
pub struct TallyConfig {
    /// The fields that it counts by. Empty for the URLs as written.
    pub fields: Vec<Field>,
    /// The number of folders of a path by which `--tally=folder` counts.
    pub depth: Option<usize>,
    /// Prints its rows.
    pub printer: TallyPrinter,
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

/// Where the output goes.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Whether standard output is a terminal.
    pub terminal: bool,
    /// Whether standard output is a pipe.
    pub is_pipe: bool,
    /// Whether progress is drawn on standard error.
    pub progress: bool,
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
        let (output_file, is_pipe) = self::output();
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
        let filter = self::filter(&args)?;
        let needs = Needs::new(&args, &mode, &fields, &filter);
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
            filter,
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

    /// A name of `--host` without a dot and without wildcards. It is rarely a whole
    /// host.
    pub fn one_label(&self) -> Option<&str> {
        let typed = &self.args.filter.host;
        let mut names = typed
            .iter()
            .flat_map(|hosts| hosts.split(','))
            .map(str::trim);
        names.find(|name| !name.contains(['.', ':', '*', '?', '{', '}', '[', ']']))
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

impl TallyConfig {
    fn new(
        mode: &ModeArgs,
        fields: Vec<Field>,
        depth: Option<usize>,
        text: TextConfig,
    ) -> TallyConfig {
        let columns = if fields.is_empty() {
            vec![Field::Url]
        } else {
            fields.clone()
        };
        TallyConfig {
            fields,
            depth,
            printer: TallyPrinter::new(tally_style(mode, text.terminal), columns, text),
        }
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
                || filter.needs_messages(),
            places: prints_places || line || of_ledger(&args.mode) || mail.notes,
        }
    }
}

impl Screen {
    fn new(output: &OutputArgs, is_pipe: bool) -> Screen {
        Screen {
            terminal: io::stdout().is_terminal(),
            is_pipe,
            // The reader of a pipe may be a pager or a menu, which has the terminal for itself.
            progress: !output.no_progress && io::stderr().is_terminal() && !is_dumb() && !is_pipe,
        }
    }
}

/// What is printed of each hit by text output. `has_many` is true if there may be several
/// files.
fn text_config(args: &Args, mode: &Mode, has_many: bool, terminal: bool) -> TextConfig {
    let output = &args.output;
    let heading = output.heading && *mode == Mode::Hits(Style::Text);
    let line = output.line_number || output.vimgrep;
    let column = output.column || output.vimgrep;
    // A count or a location needs the name of its file, if there are several files.
    let of_one = *mode == Mode::Count || line || column || output.byte_offset;
    let has_many = has_many || of_ledger(&args.mode) || args.other.batch == Some(BatchArg::Lines);
    let has_path = output.with_filename || output.vimgrep || (of_one || heading) && has_many;
    // An editor runs `--vimgrep`, perhaps on a pseudo-terminal, and shows the bytes as they are.
    let for_people = terminal && !output.vimgrep;
    TextConfig {
        path: !output.no_filename && has_path,
        heading,
        line,
        column,
        known: output.vimgrep,
        offset: output.byte_offset,
        null: output.null,
        color: use_color(output.color, for_people),
        hyperlink: use_hyperlinks(
            output.hyperlink,
            for_people && output.color != ColorArg::Never,
        ),
        terminal,
        both: args.reading.hyphen == HyphenArg::Both,
        clean: args.reading.clean,
    }
}

/// The lines to print around hits. `None` if no option asks for lines.
fn context(output: &OutputArgs) -> Option<Context> {
    let (before, after) = (output.before_context, output.after_context);
    before.or(after).or(output.context)?;
    Some(Context {
        before: before.or(output.context).unwrap_or(0),
        after: after.or(output.context).unwrap_or(0),
    })
}

/// True if hits come from a ledger.
fn of_ledger(mode: &ModeArgs) -> bool {
    mode.ledger.is_some()
}

/// Refuses options and paths that cannot be meant.
fn check_typed(args: &Args) -> Result<(), ConfigError> {
    if args.mode.tally.is_some() && args.filter.max_count.is_some() {
        return Err(ConfigError::new(
            "-m stops reading each file, so --tally would count only its first hits; for the \
             first rows, use head(1)",
        ));
    }
    check_tally(args.mode.tally.as_deref(), &args.paths)?;
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

/// Refuses what cannot be used with `-u`. `tally` has the fields of `--tally`.
fn check_unique(args: &Args, tally: &[Field]) -> Result<(), ConfigError> {
    if !args.filter.unique {
        return Ok(());
    }
    let is_of_urls = tally.is_empty() || tally.contains(&Field::Url);
    if args.mode.tally.is_some() && is_of_urls {
        return Err(ConfigError::new(
            "-u: a tally has one row for each URL anyway; `-u --tally=host` counts the URLs of each host",
        ));
    }
    if args.reading.clean && of_ledger(&args.mode) {
        return Err(ConfigError::new(
            "--clean cannot be used with -u of a ledger, which compares URLs as they were \
             found; `--tally --clean` counts clean URLs",
        ));
    }
    if args.input.sort == Sort::Date && args.filter.max_count.is_some() {
        return Err(ConfigError::new(
            "--sort date with -u cannot be used with -m, because the first occurrence of a URL \
             may come after the hit at which -m stops",
        ));
    }
    Ok(())
}

/// The field of `--tally` that is meant by another name.
fn tallied_in_place_of(name: &str) -> Option<&'static str> {
    // It counts senders by address, and prints their most frequent name.
    if name.starts_with("from_") {
        return Some(Field::From.name());
    }
    let names = format::meant(name)?;
    let mut words = names.split(|c: char| !c.is_ascii_lowercase() && c != '_');
    words.find_map(|word| {
        TALLIED
            .map(Field::name)
            .into_iter()
            .find(|field| *field == word)
    })
}

/// The fields of `--tally`, and the depth of the folder.
fn tally_fields(typed: &str) -> Result<(Vec<Field>, Option<usize>), ConfigError> {
    let mut fields = Vec::new();
    let mut depth = None;
    for name in typed
        .split(',')
        .map(str::trim)
        .filter(|_| !typed.is_empty())
    {
        let found = TALLIED.into_iter().find(|field| field.name() == name);
        match (found, name.parse::<usize>()) {
            (Some(field), _) => fields.push(field),
            (None, Ok(number)) if number > 0 && fields.last() == Some(&Field::Folder) => {
                depth = Some(number);
            }
            _ => {
                let names = TALLIED.map(Field::name).join(", ");
                let meant = tallied_in_place_of(&name.to_lowercase());
                let meant = meant.map_or_else(String::new, |meant| format!("use {meant}; "));
                return Err(ConfigError::new(format!(
                    "--tally={name}: no such field; {meant}the fields are {names}, and a number after folder"
                )));
            }
        }
    }
    // Each pair of the values of two would be a row.
    let has_several = |field: &&Field| matches!(field, Field::To | Field::Cc | Field::Group);
    if fields.iter().filter(has_several).count() > 1 {
        return Err(ConfigError::new(
            "--tally: a message has several values of each of to, cc and group; name one of them",
        ));
    }
    Ok((fields, depth))
}

/// Refuses `--tally host` if there is no file `host`. Its fields must follow
/// `=`, not a space.
fn check_tally(tally: Option<&str>, paths: &[OsString]) -> Result<(), ConfigError> {
    let is_fields = |path: &&OsString| {
        let text = path.to_str().filter(|text| !text.is_empty());
        text.is_some_and(|text| tally_fields(text).is_ok()) && fs::symlink_metadata(path).is_err()
    };
    match paths.iter().find(is_fields).filter(|_| tally == Some("")) {
        None => Ok(()),
        Some(path) => Err(ConfigError::new(format!(
            "{0}: no such file; the fields of a tally follow `=`: --tally={0}",
            path.display()
        ))),
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

/// The filter of the typed options.
fn filter(args: &Args) -> Result<Filter, ConfigError> {
    let (filter, mail) = (&args.filter, &args.mail);
    // grep's option of this name takes a file of patterns.
    let is_file = |typed: &&String| typed.contains(['.', '/']) && Path::new(typed).is_file();
    if let Some(file) = mail.exclude_from.iter().find(is_file) {
        return Err(ConfigError::new(format!(
            "--exclude-from {file}: this is a file, and PATTERN is a part of a sender; \
             \"Two archives\" in docs/recipes.md compares files"
        )));
    }
    let patterns = [&filter.regexp[..], &read_patterns(&filter.pattern_file)?].concat();
    let yes = ["true".to_owned()];
    let flag = |is_typed| if is_typed { &yes[..] } else { &[] };
    let options: [(&str, &[String]); 25] = [
        ("authored", flag(mail.authored)),
        ("cautions", &args.mode.cautions),
        ("exclude_from", &mail.exclude_from),
        ("exclude_host", &filter.exclude_host),
        ("exclude_scheme", &filter.exclude_scheme),
        ("exclude_subject", &mail.exclude_subject),
        ("exclude_to", &mail.exclude_to),
        ("fixed_strings", flag(filter.fixed_strings)),
        ("from", &mail.from),
        ("group", &mail.group),
        ("host", &filter.host),
        ("ignore_case", flag(filter.ignore_case)),
        ("invert_match", flag(filter.invert_match)),
        ("line_regexp", flag(filter.line_regexp)),
        ("message_id", &mail.message_id),
        ("regexp", &patterns),
        ("role", &mail.role),
        ("scheme", &filter.scheme),
        ("since", mail.since.as_slice()),
        ("skip_deleted", flag(mail.skip_deleted)),
        ("smart_case", flag(filter.smart_case)),
        ("subject", &mail.subject),
        ("to", &mail.to),
        ("until", mail.until.as_slice()),
        ("word_regexp", flag(filter.word_regexp)),
    ];
    debug_assert!(options.iter().map(|(name, _)| name).eq(Filter::OPTIONS));
    // An empty file of patterns matches nothing.
    let is_given = |name, values: &[String]| {
        !values.is_empty() || name == "regexp" && !filter.pattern_file.is_empty()
    };
    let given = options
        .into_iter()
        .filter(|(name, values)| is_given(*name, values));
    Filter::new(given).map_err(ConfigError::new)
}

/// The lines of all files of `-f`.
fn read_patterns(files: &[OsString]) -> Result<Vec<String>, ConfigError> {
    let mut patterns = Vec::new();
    for file in files {
        let fail = |e: io::Error| ConfigError::new(Fault::new(file.as_ref(), &e));
        let reader: Box<dyn Read> = if file == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(fs::File::open(file).map_err(fail)?)
        };
        for line in BufReader::new(reader).lines() {
            patterns.push(line.map_err(fail)?);
        }
    }
    Ok(patterns)
}

/// Whether colours are used. <https://no-color.org>: colour is off "when
/// present and not an empty string".
fn use_color(typed: ColorArg, terminal: bool) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    typed == ColorArg::Always || (use_hyperlinks(typed, terminal) && !refused)
}

/// True if the terminal does not support control sequences. The buffers of Emacs are terminals
/// too: `M-x grep` sets `TERM=emacs-grep`, `M-x term` has `TERM=eterm-color`, and all of them
/// have `INSIDE_EMACS` (the manual of Emacs, "Interactive Subshell"). They show a hyperlink as its
/// bytes.
fn is_dumb() -> bool {
    let shows_bytes = |term: &OsStr| {
        let term = term.as_encoded_bytes();
        term == b"dumb" || term.starts_with(b"emacs") || term.starts_with(b"eterm")
    };
    let is_in_emacs = std::env::var_os("INSIDE_EMACS").is_some_and(|value| !value.is_empty());
    is_in_emacs || std::env::var_os("TERM").is_none_or(|term| shows_bytes(&term))
}

/// Whether hyperlinks are used. Terminals without colours would show the bytes
/// of a hyperlink.
fn use_hyperlinks(typed: ColorArg, terminal: bool) -> bool {
    match typed {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => terminal && !is_dumb(),
    }
}

/// The identity of standard output if it is a regular file, and whether it is a
/// pipe.
fn output() -> (Option<Metadata>, bool) {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        use std::os::unix::fs::FileTypeExt;

        let file = io::stdout()
            .as_fd()
            .try_clone_to_owned()
            .map(fs::File::from);
        if let Ok(meta) = file.and_then(|file| file.metadata()) {
            let is_pipe = meta.file_type().is_fifo();
            return (Some(meta).filter(Metadata::is_file), is_pipe);
        }
    }
    (None, false)
}

impl MailArgs {
    /// The maximum size of an attachment that is opened. `None` if none is searched.
    pub fn attachments(&self) -> Option<usize> {
        let most = usize::try_from(self.max_attachment).unwrap_or(usize::MAX);
        (!self.no_attachments).then_some(if self.no_decompress { 0 } else { most })
    }
}
