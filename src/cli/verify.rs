//! `--verify`: checks the records of `--json` against the files that they name.
//!
//! Prints a line for each wrong record: `wrong`, tab, path, tab, URL, tab, the
//! difference. At the end it prints the number of records of each kind. Records
//! of compressed files, and of decoded text outside of attachments, are only counted. The exit
//! status is 1 if any record was wrong, and 2 if a file could not be read.

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
use urlgrep_verify::{self, Checked, Claim, Replay};

/// The maximum length of a record in bytes. A record has a URL and four other
/// URLs of at most 8 KiB each. One byte becomes at most six bytes of JSON.
const LINE: usize = 1 << 20;

/// The file of the last record. `None` if its data is packed.
type Source = (Vec<u8>, io::Result<Option<Replay<BufReader<File>>>>);

#[derive(Default)]
struct Counts {
    replayed: u64,
    decoded: u64,
    packed: u64,
    wrong: u64,
    failed: u64,
}

/// Checks every record of the input. `found` of the status is true if no record
/// was wrong.
#[expect(
    clippy::too_many_lines,
    reason = "one loop over the records, with the counts that the end prints"
)]
pub fn run(config: &Arc<Config>) -> Status {
    let mut source: Option<Source> = None;
    let mut counts = Counts::default();
    let mut unread = false;
    let mut fault = |path: &[u8], error: &io::Error| {
        unread = true;
        if !config.args.output.no_messages {
            let fault = Fault::broken(Some(path), 0, None, error);
            // OK to ignore: standard error is the last place for messages.
            let _ = writeln!(io::stderr().lock(), "urlgrep: {fault}");
        }
    };
    let each = |line: &lines::InputLine<'_>, out: &mut Vec<u8>| {
        if line.len == 0 {
            return;
        }
        if line.len > line.bytes.len() {
            counts.wrong += 1;
            wrong(
                line.path.unwrap_or(STDIN),
                b"",
                &"the record is too long",
                out,
            );
            return;
        }
        let claim = match Claim::read(line.bytes) {
            Ok(Some(claim)) => claim,
            Ok(None) => return,
            Err(difference) => {
                counts.wrong += 1;
                let what = format!("line {}: {difference}", line.number);
                wrong(line.path.unwrap_or(STDIN), b"", &what, out);
                return;
            }
        };
        if source.as_ref().is_none_or(|(path, _)| path != claim.path()) {
            let opened = open(claim.path());
            if let Err(error) = &opened {
                fault(claim.path(), error);
            }
            source = Some((claim.path().to_vec(), opened));
        }
        let replay = match &mut source {
            Some((_, Ok(Some(replay)))) => replay,
            Some((_, Ok(None))) => {
                counts.packed += 1;
                return;
            }
            _ => {
                counts.failed += 1;
                return;
            }
        };
        match replay.check(&claim) {
            Ok(Checked::Replayed) => counts.replayed += 1,
            Ok(Checked::Decoded) => counts.decoded += 1,
            Err(urlgrep_verify::VerifyError::Io(error)) => {
                counts.failed += 1;
                fault(claim.path(), &error);
            }
            Err(difference) => {
                counts.wrong += 1;
                wrong(claim.path(), claim.url(), &difference, out);
            }
        }
    };
    let mut status = lines::run(config, LINE, each);
    status.failed |= unread;
    let _ = writeln!(
        io::stderr().lock(),
        "{} replayed, {} in decoded text, {} in compressed files, {} wrong, {} not read",
        counts.replayed,
        counts.decoded,
        counts.packed,
        counts.wrong,
        counts.failed
    );
    status.found |= counts.wrong == 0;
    status
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

/// Prints the error of a record.
fn wrong(path: &[u8], url: &[u8], what: &dyn std::fmt::Display, out: &mut Vec<u8>) {
    out.extend_from_slice(b"wrong\t");
    escape::field(path, out);
    out.push(b'\t');
    escape::field(url, out);
    out.push(b'\t');
    escape::field(what.to_string().as_bytes(), out);
    out.push(b'\n');
}
