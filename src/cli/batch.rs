//! `--batch`: answers each request on standard input before it reads the next
//! request.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use urlgrep_base::escape::STDIN;
use urlgrep_files::engine::{Fault, Input, Outbox, Piece, Worker};

use super::config::Config;
use super::inputs::os_string;
use super::output::Output;
use super::search::Search;
use super::status::Status;
use super::stdout::stdout;
use super::values::BatchArg;
use super::write::Writer;

/// The maximum length in bytes of a line with a file name, with its line feed.
/// Operating systems have lower limits.
const NAME_MAX: usize = 64 << 10;
/// The maximum number of digits in the length of a netstring.
const DIGITS_MAX: usize = 19;

/// Answers the requests on standard input.
pub fn run(config: &Arc<Config>, framing: BatchArg) -> Status {
    let mut writer = Writer::new(config, stdout());
    let mut search = Search::new(config);
    let engine = config.engine().threads(1).build();
    loop {
        let request = match framing {
            BatchArg::Lines => name(),
            BatchArg::Netstring => netstring(),
        };
        let (path, input, rest) = match request {
            Ok(Some(request)) => request,
            Ok(None) => break,
            Err(error) => {
                writer.faults(&[Fault::new(Path::new("<stdin>"), &error)]);
                break;
            }
        };
        writer.begin_request();
        engine.run_here([input], Lent(&mut search), |delivery| writer.take(delivery));
        let end = rest.map_or(Ok(()), |rest| comma(&rest));
        if !writer.end_request(&path) {
            break;
        }
        if let Err(error) = end {
            writer.faults(&[Fault::new(Path::new("<stdin>"), &error)]);
            break;
        }
    }
    writer.finish()
}

/// The path of a request, the input to search, and the number of bytes still to
/// read from standard input.
type Request = (Vec<u8>, Input, Option<Arc<AtomicU64>>);

/// Reads a line with the name of a file.
fn name() -> io::Result<Option<Request>> {
    let mut name = Vec::new();
    let mut limited = io::stdin().lock().take(NAME_MAX as u64);
    if limited.read_until(b'\n', &mut name)? == 0 {
        return Ok(None);
    }
    if name.pop_if(|b| *b == b'\n').is_none() && name.len() == NAME_MAX {
        return Err(io::Error::other(
            "--batch: a line is too long to be a file name",
        ));
    }
    let path = PathBuf::from(os_string(name.clone()));
    Ok(Some((name, Input::Path(path), None)))
}

/// Reads the length of a netstring and its colon.
fn netstring() -> io::Result<Option<Request>> {
    let mut digits = Vec::new();
    let mut limited = io::stdin().lock().take(DIGITS_MAX as u64 + 1);
    limited.read_until(b':', &mut digits)?;
    if digits.is_empty() {
        return Ok(None);
    }
    let len = digits.strip_suffix(b":").and_then(|digits| {
        let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    });
    let left = Arc::new(AtomicU64::new(len.ok_or_else(not_framed)?));
    let message = Box::new(Message(Arc::clone(&left)));
    let input = Input::Reader(STDIN.to_vec(), message);
    Ok(Some((STDIN.to_vec(), input, Some(left))))
}

/// Skips the rest of a message, and reads the comma after it.
fn comma(left: &AtomicU64) -> io::Result<()> {
    let mut stdin = io::stdin().lock();
    let left = left.load(Ordering::Relaxed);
    let skipped = io::copy(&mut (&mut stdin).take(left), &mut io::sink())?;
    let mut comma = [0];
    if skipped < left || stdin.read(&mut comma)? == 0 {
        let error = "--batch: standard input ends within a netstring";
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, error));
    }
    if comma != *b"," {
        Err(not_framed())
    } else {
        Ok(())
    }
}

fn not_framed() -> io::Error {
    io::Error::other("--batch: not a netstring: a length, a colon, that number of bytes, a comma")
}

/// Reads the current message from standard input.
struct Message(Arc<AtomicU64>);

impl Read for Message {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.0.load(Ordering::Relaxed);
        let n = io::stdin().lock().take(left).read(buffer)?;
        self.0.store(left - n as u64, Ordering::Relaxed);
        if n == 0 && left > 0 && !buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(n)
    }
}

/// Gives the worker to one request at a time, so that its memory is reused.
struct Lent<'s>(&'s mut Search);

impl Worker for Lent<'_> {
    type Output = Output;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Output>) -> bool {
        self.0.piece(piece, out)
    }

    fn repair(out: &mut Output) {
        Search::repair(out);
    }
}
