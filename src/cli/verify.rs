//! `--verify`: checks the records of `--json` against the files that they name.
//!
//! Prints a line for each wrong record: `wrong`, tab, path, tab, URL, tab, the
//! difference. At the end it prints the number of records of each kind. Records
//! of compressed files, and of decoded text outside of attachments, are only counted. The exit
//! status is 1 if any record was wrong, and 2 if a file could not be read.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::PathBuf;
use std::sync::Arc;

use super::config::Config;
use super::inputs::os_string;
use super::lines;
use super::status::Status;
use urlgrep::mail::{Container, ReadAs, SNIFF, sniff};
use urlgrep_base::escape::{self, STDIN};
use urlgrep_files::engine::{Fault, is_packed};
use urlgrep_verify::{Checked, Claim, Replay, VerifyError};

/// The maximum length of a record in bytes. A record has a URL and four other
/// URLs of at most 8 KiB each. One byte becomes at most six bytes of JSON.
const LINE: usize = 1 << 20;

/// Checks every record of the input. `found` of the status is true if no record
/// was wrong.
pub fn run(config: &Arc<Config>) -> Status {
    let mut check = Check {
        no_messages: config.args.output.no_messages,
        ..Check::default()
    };
    let mut status = lines::run(config, LINE, |line, out| check.line(line, out));
    status.failed |= check.is_unread;
    let Counts {
        replayed,
        decoded,
        packed,
        wrong,
        failed,
    } = check.counts;
    // OK to ignore: standard error is the last place for messages.
    let _ = writeln!(
        io::stderr().lock(),
        "{replayed} replayed, {decoded} in decoded text, {packed} in compressed files, \
         {wrong} wrong, {failed} not read"
    );
    status.found |= wrong == 0;
    status
}

/// The number of records of each kind.
#[derive(Default)]
struct Counts {
    replayed: u64,
    decoded: u64,
    packed: u64,
    wrong: u64,
    failed: u64,
}

/// The state of a run.
#[derive(Default)]
struct Check {
    no_messages: bool,
    counts: Counts,
    /// The file of the last record.
    source: Option<Source>,
    /// A file could not be read.
    is_unread: bool,
    /// No line of the input was a record until now. One line says so.
    is_foreign: bool,
}

/// A file that records name.
struct Source {
    path: Vec<u8>,
    /// Checks its records. `None` if the data of the file is packed, or if it could not be opened.
    replay: Option<Replay<BufReader<File>>>,
    /// The file could not be opened.
    is_missing: bool,
}

impl Check {
    /// Checks a line of the input.
    fn line(&mut self, line: &lines::InputLine<'_>, out: &mut Vec<u8>) {
        if line.len == 0 {
            return;
        }
        let is_object = line.bytes.trim_ascii_start().starts_with(b"{");
        self.is_foreign = !is_object && (line.number == 1 || self.is_foreign);
        if self.is_foreign {
            if line.number == 1 {
                let what = "line 1: not a record; --verify reads the output of --json";
                self.wrong(line.path.unwrap_or(STDIN), b"", &what, out);
            }
            return;
        }
        if line.len > line.bytes.len() {
            let path = line.path.unwrap_or(STDIN);
            self.wrong(path, b"", &"the record is too long", out);
            return;
        }
        match Claim::read(line.bytes) {
            Ok(Some(claim)) => self.claim(&claim, out),
            // A note or an error has nothing to check.
            Ok(None) => {}
            Err(difference) => {
                let what = format!("line {}: {difference}", line.number);
                self.wrong(line.path.unwrap_or(STDIN), b"", &what, out);
            }
        }
    }

    /// Checks a record against its file.
    fn claim(&mut self, claim: &Claim, out: &mut Vec<u8>) {
        let source = match self.source.take() {
            Some(source) if source.path == claim.path() => source,
            _ => self.open(claim.path()),
        };
        let source = self.source.insert(source);
        let Some(replay) = &mut source.replay else {
            if source.is_missing {
                self.counts.failed += 1;
            } else {
                self.counts.packed += 1;
            }
            return;
        };
        match replay.check(claim) {
            Ok(Checked::Replayed) => self.counts.replayed += 1,
            Ok(Checked::Decoded) => self.counts.decoded += 1,
            Err(VerifyError::Io(error)) => {
                self.counts.failed += 1;
                self.fault(claim.path(), &error);
            }
            Err(difference) => self.wrong(claim.path(), claim.url(), &difference, out),
        }
    }

    fn open(&mut self, path: &[u8]) -> Source {
        let opened = open(path);
        if let Err(error) = &opened {
            self.fault(path, error);
        }
        Source {
            path: path.to_vec(),
            is_missing: opened.is_err(),
            replay: opened.ok().flatten(),
        }
    }

    /// Reports a file that could not be read.
    fn fault(&mut self, path: &[u8], error: &io::Error) {
        self.is_unread = true;
        if !self.no_messages {
            let fault = Fault::broken(Some(path), 0, None, error);
            // OK to ignore: standard error is the last place for messages.
            let _ = writeln!(io::stderr().lock(), "urlgrep: {fault}");
        }
    }

    /// Prints the difference of a wrong record.
    fn wrong(&mut self, path: &[u8], url: &[u8], what: &dyn Display, out: &mut Vec<u8>) {
        self.counts.wrong += 1;
        out.extend_from_slice(b"wrong\t");
        escape::field(path, out);
        out.push(b'\t');
        escape::field(url, out);
        out.push(b'\t');
        escape::field(what.to_string().as_bytes(), out);
        out.push(b'\n');
    }
}

/// Opens the file that a record names. `None` if the record is from a
/// compressed or packed file, a compressed news batch, or a member of an
/// archive. Its offsets are then not offsets in the file.
fn open(path: &[u8]) -> io::Result<Option<Replay<BufReader<File>>>> {
    let path_of = |bytes: &[u8]| PathBuf::from(os_string(bytes.to_vec()));
    let mut file = match File::open(path_of(path)) {
        Ok(file) => file,
        Err(error) => {
            let mut archives = memchr::memchr_iter(b'!', path).map(|at| path_of(&path[..at]));
            return if archives.any(|archive| archive.is_file()) {
                Ok(None)
            } else {
                Err(error)
            };
        }
    };
    let mut head = Vec::new();
    Read::by_ref(&mut file)
        .take(SNIFF as u64)
        .read_to_end(&mut head)?;
    let is_batch = matches!(sniff(&head, true, ReadAs::Auto), Container::Packed(_));
    if is_batch || is_packed(&head) {
        return Ok(None);
    }
    file.rewind()?;
    Ok(Some(Replay::new(BufReader::new(file))))
}
