//! `--ledger`: records the hits of the paths and prints the new ones. Without a
//! path, it prints the content of the ledger.

use std::io;
use std::sync::Arc;

use super::config::{Config, LedgerConfig};
use super::error::ConfigError;
use super::output::Output;
use super::report::{Report, Take};
use super::status::Status;
use super::stdout::stdout;
use super::write::Writer;
use urlgrep::ledger::{Error, Found, Ledger, Order, Query, Update};
use urlgrep::search::Visitor;

/// Updates the ledger if paths were named, and prints hits.
///
/// # Errors
///
/// The ledger cannot be used, or the database fails.
pub fn run(config: &Arc<Config>) -> Result<Status, ConfigError> {
    let Some(ledger) = &config.ledger else {
        return Ok(Status::TROUBLE);
    };
    print_ledger(config, ledger).map_err(|error| ConfigError::new(error.to_string()))
}

fn print_ledger(config: &Arc<Config>, settings: &LedgerConfig) -> Result<Status, Error> {
    let mut writer = Writer::new(config, stdout());
    let mut query = Query::new();
    query.schemes = config.filter.plain_schemes();
    query.hosts = config.filter.plain_hosts();
    (query.since, query.until) = config.mail.period();
    query.corroborate = settings.corroborate;
    // Counting the hits of a file requires that they are adjacent.
    if settings.by_first_seen && !config.names_files() {
        query.order = Order::FirstSeen;
    }
    if !settings.is_update {
        let ledger = Ledger::open_existing(&settings.path)?;
        print(config, &ledger, &query, &mut writer)?;
        return Ok(writer.finish());
    }
    let mut ledger = Ledger::open(&settings.path)?;
    let mut update = Update::new(config.engine());
    update.extractor = config.extractor;
    update.headers = config.mail.headers;
    update.profile = config.profile;
    update.transaction = settings.transaction;
    update.settings.clone_from(&settings.settings);
    let summary = ledger.update(config.inputs(), update, |fault| {
        writer.faults(std::slice::from_ref(fault));
    })?;
    writer.skipped(summary.passed_over);
    query.news = true;
    query.new_urls = config.unique;
    print(config, &ledger, &query, &mut writer)?;
    let status = writer.finish();
    if !writer.has_lost() {
        ledger.finish()?;
    }
    Ok(status)
}

/// Prints the hits that `query` selects and the filters accept.
fn print<W: io::Write>(
    config: &Arc<Config>,
    ledger: &Ledger,
    query: &Query,
    writer: &mut Writer<W>,
) -> Result<(), Error> {
    let mut rows = Rows {
        report: Report::new(config),
        out: Output::default(),
        file: None,
        message: None,
        wanted: true,
    };
    ledger.records(query, |found| {
        rows.put(found);
        if config.first_ends_run() && rows.report.is_satisfied() {
            return false;
        }
        if !rows.out.is_full() {
            return true;
        }
        writer.output(&mut rows.out);
        writer.goes_on()
    })?;
    rows.end_file();
    writer.output(&mut rows.out);
    writer.goes_on();
    Ok(())
}

/// Filters and prints the rows of a ledger, as a search does with its hits.
struct Rows {
    report: Report,
    out: Output,
    /// The file of the last row: its id, its path, and its kind.
    file: Option<(i64, Vec<u8>, urlgrep::engine::Kind)>,
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
            self.report.begin(found.kind);
            self.message = None;
        }
        if self.report.is_satisfied() {
            return;
        }
        let mut take = Take {
            report: &mut self.report,
            path: found.record.path,
            out: &mut self.out,
        };
        if let Some(message) = &found.record.found.message {
            if self.message != found.message {
                self.message = found.message;
                self.wanted = take.message(message);
            }
            if !self.wanted {
                return;
            }
        }
        take.hit(&found.record.found);
    }

    fn end_file(&mut self) {
        if let Some((_, path, kind)) = self.file.take() {
            self.report.end(kind, Some(&path), &mut self.out);
        }
    }
}
