//! `--ledger`: records the hits of the paths and prints the new ones. Without a
//! path, it prints the content of the ledger.

use std::io;
use std::path::Path;
use std::sync::Arc;

use clap::Parser as _;

use super::args::{Args, MailArgs, ReadingArgs};
use super::config::Config;
use super::error::ConfigError;
use super::hits::HitPrinter;
use super::output::Output;
use super::status::Status;
use super::stdout::stdout;
use super::values::Sort;
use super::write::Writer;
use urlgrep_ledger::{Error, Found, Ledger, Order, Query, Update};

/// Updates the ledger if paths were named, and prints hits.
///
/// # Errors
///
/// The ledger cannot be used, or the database fails.
pub fn run(config: &Arc<Config>, path: &Path) -> Result<Status, ConfigError> {
    if path.is_dir() {
        let text = format!("--ledger {}: this is a folder", path.display());
        return Err(ConfigError::new(text));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let text = format!(
            "--ledger {}: there is no folder {}",
            path.display(),
            folder.display()
        );
        return Err(ConfigError::new(text));
    }
    if !names_input(&config.args) && config.args.mode.merge.is_empty() && !path.exists() {
        return Err(ConfigError::new(format!(
            "{}: no such ledger; a run with files or folders makes it, and a ledger records \
             nothing else, such as standard input",
            path.display()
        )));
    }
    merge(config, path).map_err(ConfigError::new)?;
    if !config.args.mode.merge.is_empty() && !names_input(&config.args) {
        return Ok(Status {
            found: true,
            ..Status::default()
        });
    }
    print_ledger(config, path).map_err(ConfigError::new)
}

/// Adds the ledgers of `--merge`.
fn merge(config: &Config, path: &Path) -> Result<(), Error> {
    for other in &config.args.mode.merge {
        let other = Ledger::open_existing(other)?;
        Ledger::open(path)?.merge(&other)?;
    }
    Ok(())
}

fn print_ledger(config: &Arc<Config>, path: &Path) -> Result<Status, Error> {
    let args = &config.args;
    let mut writer = Writer::new(config, stdout());
    let mut query = Query::default();
    query.filter = config.filter.clone();
    query.corroborate = args.mode.corroborate;
    // Counting the hits of a file requires that they are adjacent.
    if args.input.sort == Sort::FirstSeen && !config.names_files() {
        query.order = Order::FirstSeen;
    }
    if args.mode.ledger.is_some() && !names_input(args) {
        let ledger = Ledger::open_existing(path)?;
        ledger.check_settings(&typed_settings(args))?;
        let printed = print(config, &ledger, &query, &mut writer);
        let status = writer.finish();
        return printed.map(|()| status);
    }
    let mut ledger = Ledger::open(path)?;
    let mut update = Update::new(config.engine());
    update.extractor = config.extractor;
    update.headers = args.mail.headers.policy();
    update.attachments = args.mail.attachments();
    update.profile = args.reading.profile;
    update.transaction = args.mode.ledger_transaction;
    update.settings = settings(&args.reading, &args.mail);
    let summary = ledger.update(config.inputs(), update, |fault| {
        writer.faults(std::slice::from_ref(fault));
    })?;
    writer.skipped(&summary);
    query.news = true;
    query.new_urls = args.filter.unique;
    let printed = print(config, &ledger, &query, &mut writer);
    let status = writer.finish();
    printed?;
    if !writer.has_lost() {
        ledger.finish()?;
    }
    Ok(status)
}

/// True if paths or lists of paths were typed.
fn names_input(args: &Args) -> bool {
    let input = &args.input;
    let lists = [&input.files_from, &input.files0_from];
    !args.paths.is_empty() || lists.iter().any(|list| !list.is_empty())
}

/// The settings that were typed: those that differ from the default.
fn typed_settings(args: &Args) -> Vec<(String, String)> {
    let default = Args::parse_from(["urlgrep"]);
    let of = |args: &Args| {
        let mut settings = settings(&args.reading, &args.mail);
        let profile = args.reading.profile.name().to_owned();
        settings.push(("profile".to_owned(), profile));
        settings
    };
    let pairs = of(args).into_iter().zip(of(&default));
    let typed = pairs.filter(|(one, other)| one != other);
    typed.map(|(one, _)| one).collect()
}

/// The names and values of the options that change the hits.
fn settings(reading: &ReadingArgs, mail: &MailArgs) -> Vec<(String, String)> {
    let yes_or_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let settings = [
        ("as", format!("{:?}", mail.read_as).to_lowercase()),
        // The size decides only where an attachment is held, but with 0 none is opened.
        (
            "attachments",
            match mail.attachments() {
                None => "no".to_owned(),
                Some(0) => "0".to_owned(),
                Some(_) => "yes".to_owned(),
            },
        ),
        ("decode", yes_or_no(!mail.no_decode)),
        ("decompress", yes_or_no(!mail.no_decompress)),
        ("doubtful", yes_or_no(!reading.no_doubtful)),
        ("headers", format!("{:?}", mail.headers).to_lowercase()),
        ("hyphen", format!("{:?}", reading.hyphen).to_lowercase()),
        ("join", yes_or_no(!reading.no_join)),
        ("www", yes_or_no(reading.www)),
    ];
    settings
        .map(|(name, value)| (name.to_owned(), value))
        .into()
}

/// Prints the hits that `query` selects and the filters accept.
fn print<W: io::Write>(
    config: &Arc<Config>,
    ledger: &Ledger,
    query: &Query,
    writer: &mut Writer<W>,
) -> Result<(), Error> {
    let mut rows = Rows {
        hits: HitPrinter::new(config),
        out: Output::default(),
        file: None,
        message: None,
        wanted: true,
    };
    let read = ledger.records(query, |found| {
        rows.put(found);
        if config.first_ends_run() && rows.hits.is_satisfied() {
            return false;
        }
        if !rows.out.is_full() {
            return true;
        }
        writer.output(&mut rows.out);
        writer.goes_on()
    });
    rows.end_file();
    writer.output(&mut rows.out);
    writer.goes_on();
    read
}

/// Filters and prints the rows of a ledger, as a search does with its hits.
struct Rows {
    hits: HitPrinter,
    out: Output,
    /// The file of the last row: its id, its path, and its kind.
    file: Option<(i64, Vec<u8>, urlgrep_files::engine::Kind)>,
    message: Option<i64>,
    /// True if the message of the last row is wanted.
    wanted: bool,
}

impl Rows {
    fn put(&mut self, found: &Found<'_>) {
        if self.file.as_ref().map(|file| file.0) != Some(found.file) {
            self.end_file();
            let path = found.record.path.unwrap_or_default().to_vec();
            self.file = Some((found.file, path, found.kind));
            self.hits.begin(found.kind);
            self.message = None;
        }
        if self.hits.is_satisfied() {
            return;
        }
        let (found, id) = (&found.record, found.message);
        if let Some(message) = &found.found.message {
            if self.message != id {
                self.message = id;
                self.wanted = self.hits.message(message, found.path, &mut self.out);
            }
            if !self.wanted {
                return;
            }
        }
        self.hits.hit(&found.found, found.path, &mut self.out);
    }

    fn end_file(&mut self) {
        if let Some((_, path, kind)) = self.file.take() {
            self.hits.end(kind, Some(&path), &mut self.out);
        }
    }
}
