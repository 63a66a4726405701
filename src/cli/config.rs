//! What the options mean, once paths, the terminal and conflicts are known.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use super::args::{Args, ColorArg, HyphenArg, Sort};
use super::filter::{Filter, Syntax};
use super::input::Fault;
use super::input::walk::{Globs, WalkOptions};
use super::mail::MailConfig;
use super::print::{Printer, PrinterConfig, Style, TemplateError, TextConfig};
use super::report::Keys;
use crate::extract::{Extractor, ExtractorBuilder, Forms};
use crate::mail::As;
use crate::url::Profile;

/// How many bytes of a large file are one piece of work. Small enough that a
/// piece is still in the cache of a processor when it is searched after it was
/// read, large enough that handing it over costs nothing beside that.
const SEGMENT: usize = 256 << 10;

/// A command line that cannot be carried out.
#[derive(Debug)]
pub struct ConfigError(String);

impl ConfigError {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> ConfigError {
        ConfigError(text.into())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

/// What is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A line a hit.
    Text,
    /// An object a hit.
    Json,
    /// A template a hit.
    Format(String),
    /// A paragraph a hit.
    Explain,
    /// The number of hits of each file.
    Count,
    /// The paths of files that have hits, or that have none.
    Files { with: bool },
    /// Each URL with how often it occurs.
    Tally,
    /// Nothing.
    Quiet,
    /// A verdict on each line of input.
    Check,
    /// Replays JSON records against their files.
    Verify,
}

/// Which verdicts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdicts {
    /// URLs.
    Accepted,
    /// What was refused.
    Rejected,
    /// Either.
    Both,
}

/// Where further paths are listed.
#[derive(Clone, Debug)]
pub struct PathList {
    /// The file, or `-`.
    pub file: OsString,
    /// What ends each path.
    pub end: u8,
}

/// Everything a run needs to know. Shared by all threads, never changed.
#[derive(Debug)]
pub struct Config {
    /// Paths to search; empty if all come from lists.
    pub paths: Vec<PathBuf>,
    /// Lists of further paths.
    pub lists: Vec<PathList>,
    /// True if the current folder is searched because nothing was named: its
    /// paths are then printed without `./`.
    pub implied: bool,
    pub walk: Arc<WalkOptions>,
    /// At least 1.
    pub threads: usize,
    /// How many bytes of a large file are one piece of work.
    pub segment: usize,
    pub profile: Profile,
    pub extractor: ExtractorBuilder,
    pub filter: Filter,
    pub hyphen: HyphenArg,
    pub verdicts: Verdicts,
    pub mode: Mode,
    pub mail: MailConfig,
    pub printer: Printer,
    /// Line numbers are printed.
    pub line: bool,
    /// What is printed or asked for may be more of a hit than its URL and where
    /// it stands: its role, its message.
    pub details: bool,
    /// Columns are printed.
    pub column: bool,
    /// Lines before and after each hit.
    pub context: (usize, usize),
    /// Standard output is a terminal.
    pub terminal: bool,
    pub line_buffered: bool,
    pub max_count: Option<u64>,
    pub unique: bool,
    pub messages: bool,
    pub stats: bool,
    /// Device and inode of standard output, if it is a file: what is searched
    /// must not grow by what is found in it.
    pub output_id: Option<(u64, u64)>,
    /// Standard output is a pipe.
    pub output_is_pipe: bool,
    /// What tells URLs apart for `--unique`.
    pub keys: Keys,
}

impl Config {
    /// Works out what `args` mean here and now.
    ///
    /// # Errors
    ///
    /// A pattern, glob or template that is not well formed, or a file of
    /// patterns that cannot be read.
    pub fn new(args: Args) -> Result<Config, ConfigError> {
        let Args {
            paths,
            input,
            reading,
            filter,
            mail,
            mode,
            output,
            ..
        } = args;
        if let Some(text) = mode.foreign.refusal() {
            return Err(ConfigError::new(text));
        }
        check_first_path(&paths)?;
        let terminal = io::stdout().is_terminal();
        let (output_id, output_is_pipe) = self::output();
        let lists: Vec<PathList> = input
            .files_from
            .into_iter()
            .map(|file| PathList { file, end: b'\n' })
            .chain(
                input
                    .files0_from
                    .into_iter()
                    .map(|file| PathList { file, end: 0 }),
            )
            .collect();
        let is_stdin = |name: &OsString| name == OsStr::new("-");
        let stdin_readers = filter.pattern_file.iter().filter(|f| is_stdin(f)).count()
            + lists.iter().filter(|l| is_stdin(&l.file)).count()
            + usize::from(paths.iter().any(is_stdin));
        if stdin_readers > 1 {
            return Err(ConfigError::new(
                "standard input (`-`) can be read once only",
            ));
        }
        let patterns = read_patterns(&filter.pattern_file)?;
        let mut forms = if filter.form.is_empty() {
            Forms::ALL
        } else {
            Forms::NONE
        };
        for &form in &filter.form {
            forms = forms.with(form);
        }
        let verdicts = match (mode.rejects, mode.with_rejects) {
            (_, true) => Verdicts::Both,
            (true, _) => Verdicts::Rejected,
            _ => Verdicts::Accepted,
        };
        let is_format = mode.format.is_some();
        let template_has = |field: &str| mode.format.as_ref().is_some_and(|t| t.contains(field));
        let (wants_line, wants_column) = (template_has("{line}"), template_has("{column}"));
        let both = output.context.unwrap_or(0);
        let what = match mode {
            _ if mode.quiet => Mode::Quiet,
            _ if mode.json || mode.with_rejects => {
                if mode.explain {
                    Mode::Explain
                } else {
                    Mode::Json
                }
            }
            _ if mode.explain => Mode::Explain,
            _ if mode.count => Mode::Count,
            _ if mode.files_with_matches => Mode::Files { with: true },
            _ if mode.files_without_match => Mode::Files { with: false },
            _ if mode.tally => Mode::Tally,
            _ if mode.check => Mode::Check,
            _ if mode.verify => Mode::Verify,
            _ => mode.format.map_or(Mode::Text, Mode::Format),
        };
        let structured = matches!(what, Mode::Json | Mode::Explain);
        let context = if matches!(what, Mode::Text) && !is_format {
            (
                output.before_context.unwrap_or(both),
                output.after_context.unwrap_or(both),
            )
        } else {
            (0, 0)
        };
        let line = output.line_number || structured || wants_line || context != (0, 0);
        let implied = paths.is_empty()
            && lists.is_empty()
            && (stdin_readers > 0 || io::stdin().is_terminal());
        let paths = match paths {
            paths if !paths.is_empty() || !lists.is_empty() => {
                paths.into_iter().map(PathBuf::from).collect()
            }
            _ if implied => vec![PathBuf::from(".")],
            _ => vec![PathBuf::from("-")],
        };
        let many = !lists.is_empty() || paths.len() > 1 || paths.iter().any(|path| path.is_dir());
        // A number of hits or a place says nothing where one cannot see of what.
        let of_one =
            what == Mode::Count || output.line_number || output.column || output.byte_offset;
        let text = TextConfig {
            path: !output.no_filename && (output.with_filename || (of_one && many)),
            line: output.line_number,
            column: output.column,
            offset: output.byte_offset,
            null: output.null,
            color: use_color(output.color, terminal),
            terminal,
            both: reading.hyphen == HyphenArg::Both,
        };
        let style = match &what {
            Mode::Json => Style::Json,
            Mode::Explain => Style::Explain,
            Mode::Format(template) => Style::Format(
                template
                    .parse()
                    .map_err(|e: TemplateError| ConfigError::new(format!("--format: {e}")))?,
            ),
            _ => Style::Text,
        };
        let threads = match input.threads {
            0 => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            n => n,
        };
        let mail = MailConfig::new(mail, Syntax::of_text(&filter))?;
        let details = structured || is_format || mail.needs_messages();
        if mail.needs_messages() {
            let why = if context != (0, 0) {
                Some("with lines of context (-A, -B, -C)")
            } else if !mail.decode {
                Some("with --no-decode")
            } else if mail.read_as == As::Text {
                Some("with --as text")
            } else {
                None
            };
            if let Some(why) = why {
                return Err(ConfigError::new(format!(
                    "{why} files are read as they stand, and --since, --until, --from, --subject, \
                     --group, --role, --new-only and --unique-per-message ask for messages"
                )));
            }
        }
        Ok(Config {
            paths,
            lists,
            implied,
            walk: Arc::new(WalkOptions {
                follow: input.follow,
                max_depth: input.max_depth,
                sort: input.sort == Sort::Path,
                globs: Globs::new(&input.glob)?,
            }),
            threads,
            segment: input.segment_size.unwrap_or(SEGMENT).max(1),
            profile: reading.profile,
            extractor: Extractor::builder()
                .profile(reading.profile)
                .forms(forms)
                .hyphen(reading.hyphen.first())
                .join_bare(reading.join_bare)
                .doubtful(!reading.no_doubtful)
                .rejects(verdicts != Verdicts::Accepted)
                .line_numbers(line),
            filter: Filter::new(&filter, patterns)?,
            hyphen: reading.hyphen,
            verdicts,
            mode: what,
            mail,
            printer: Printer::new(PrinterConfig { style, text }),
            line,
            details,
            column: output.column || structured || wants_column,
            context,
            terminal,
            line_buffered: output.line_buffered,
            max_count: filter.max_count,
            unique: filter.unique,
            messages: !output.no_messages,
            stats: mode.stats,
            output_id,
            output_is_pipe,
            keys: Keys::default(),
        })
    }

    /// True if mail is read as mail. Lines around a hit are lines of the file,
    /// so with them a file is read as it stands.
    #[must_use]
    pub fn decodes(&self) -> bool {
        self.mail.decode && !self.has_context()
    }

    /// True if each hit costs nothing but whether there is one: a file need
    /// not be searched further.
    #[must_use]
    pub fn first_is_enough(&self) -> bool {
        matches!(self.mode, Mode::Quiet | Mode::Files { .. })
    }

    /// True if what is written of a file depends on what was written before.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.unique
            || self.max_count.is_some()
            || self.first_is_enough()
            || matches!(self.mode, Mode::Count | Mode::Tally)
    }

    /// True if what is printed of a hit tells where its message ends.
    #[must_use]
    pub fn has_records(&self) -> bool {
        matches!(self.mode, Mode::Json | Mode::Explain)
    }

    /// True if URLs are looked for, and not lines or records read.
    #[must_use]
    pub fn searches(&self) -> bool {
        !matches!(self.mode, Mode::Check | Mode::Verify)
    }

    /// True if files are printed, not hits.
    #[must_use]
    pub fn names_files(&self) -> bool {
        matches!(self.mode, Mode::Count | Mode::Files { .. })
    }

    /// True if lines around hits are printed.
    #[must_use]
    pub fn has_context(&self) -> bool {
        self.context != (0, 0)
    }
}

/// Refuses a pattern in the place of a path: a word that names no file, with
/// other paths after it.
fn check_first_path(paths: &[OsString]) -> Result<(), ConfigError> {
    let [first, _, ..] = paths else {
        return Ok(());
    };
    let bytes = first.as_encoded_bytes();
    let is_word = !bytes.is_empty()
        && first != "-"
        && !bytes
            .iter()
            .any(|b| b"/.".contains(b) || b.is_ascii_digit());
    if is_word && fs::symlink_metadata(first).is_err() {
        let word = first.display();
        return Err(ConfigError::new(format!(
            "{word}: no such file; a pattern is `-e {word}`, a host `--host {word}`"
        )));
    }
    Ok(())
}

/// The lines of the files of `-f`.
fn read_patterns(files: &[OsString]) -> Result<Vec<String>, ConfigError> {
    let mut patterns = Vec::new();
    for file in files {
        let fail = |e: io::Error| ConfigError::new(Fault::new(file.as_ref(), &e).to_string());
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

/// <https://no-color.org>: colour is off "when present and not an empty
/// string".
fn use_color(typed: ColorArg, terminal: bool) -> bool {
    match typed {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => {
            let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            terminal && !dumb && !refused
        }
    }
}

/// What standard output is: which file, if it is a regular one, and whether it
/// is a pipe.
fn output() -> (Option<(u64, u64)>, bool) {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        use std::os::unix::fs::FileTypeExt;

        use super::input::walk::file_id;

        let file = io::stdout()
            .as_fd()
            .try_clone_to_owned()
            .map(fs::File::from);
        if let Ok(meta) = file.and_then(|file| file.metadata()) {
            let id = if meta.is_file() { file_id(&meta) } else { None };
            return (id, meta.file_type().is_fifo());
        }
    }
    (None, false)
}
