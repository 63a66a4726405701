//! Modes that take their input line by line, in order: `--check`, `--verify`.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use super::config::Config;
use super::input::Fault;
use super::input::feed::{Batch, Feeder, Piece, Small, Work};
use super::search::Output;
use super::status::Status;
use super::write::Writer;
use crate::unpack::utf16;

/// A line of input, without its line feed.
#[derive(Debug)]
pub struct Line<'a> {
    /// At most as many bytes of it as are kept.
    pub bytes: &'a [u8],
    /// How many it has.
    pub len: usize,
    /// Where it stands; `None` is standard input.
    pub path: Option<&'a [u8]>,
    /// Counted from 1.
    pub number: u64,
}

/// Gives every line of what `config` names to `each`, which prints into the
/// buffer it is given. At most `most` bytes of a line are kept.
pub fn run(
    config: &Arc<Config>,
    most: usize,
    mut each: impl FnMut(&Line<'_>, &mut Vec<u8>),
) -> Status {
    let mut writer = Writer::new(config, io::stdout().lock());
    let mut lines = Lines {
        most,
        each: &mut each,
        line: Vec::new(),
        len: 0,
        number: 1,
    };
    let mut feeder = Feeder::new(config);
    let mut output = Output::default();
    let mut buffer = Vec::new();
    while let Some(job) = feeder.next(std::mem::take(&mut buffer)) {
        writer.special(job.special);
        writer.faults(&job.faults);
        let go_on = match job.work {
            Work::Piece(piece) => {
                let Piece {
                    file,
                    buffer: bytes,
                    segment,
                } = piece;
                let path = file.path.as_deref();
                lines.feed(&bytes[segment.range.clone()], path, &mut output.text);
                if let Some(error) = &segment.error {
                    let offset = segment.offset + segment.range.len() as u64;
                    output.faults.push(Fault::at(path, offset, error));
                }
                if segment.eof {
                    lines.end(path, &mut output);
                }
                buffer = bytes;
                writer.take(&mut output, None)
            }
            Work::Batch(batch) => {
                let Batch {
                    files,
                    buffer: mut bytes,
                    ..
                } = batch;
                bytes.resize(bytes.len().max(config.segment), 0);
                let go_on = small(&files, &mut bytes, &mut lines, &mut output, &mut writer);
                buffer = bytes;
                go_on
            }
            // Ranges are for those who search.
            Work::Range(_) | Work::Nothing => true,
        };
        if !go_on {
            break;
        }
    }
    writer.finish()
}

/// Reads small files. Returns whether to go on.
fn small<W: io::Write>(
    files: &[Small],
    buffer: &mut [u8],
    lines: &mut Lines<'_>,
    output: &mut Output,
    writer: &mut Writer<W>,
) -> bool {
    for file in files {
        let path = Some(file.path.as_os_str().as_encoded_bytes());
        let mut offset = 0;
        let read = File::open(&file.path).and_then(|mut rdr| {
            let len = read(&mut rdr, buffer)?;
            let head = buffer[..len].to_vec();
            let is_utf16 = utf16::is_marked(&head);
            let rdr = io::Cursor::new(head).chain(rdr);
            let mut rdr: Box<dyn Read> = match is_utf16 {
                true => Box::new(utf16::reader(rdr)),
                false => Box::new(rdr),
            };
            loop {
                let len = read(&mut rdr, buffer)?;
                if len == 0 {
                    return Ok(true);
                }
                offset += len as u64;
                lines.feed(&buffer[..len], path, &mut output.text);
                if !writer.take(output, None) {
                    return Ok(false);
                }
            }
        });
        if let Err(error) = &read {
            output.faults.push(Fault::at(path, offset, error));
        }
        lines.end(path, output);
        if matches!(read, Ok(false)) || !writer.take(output, None) {
            return false;
        }
    }
    true
}

/// Puts lines together that come in chunks.
struct Lines<'e> {
    most: usize,
    each: &'e mut dyn FnMut(&Line<'_>, &mut Vec<u8>),
    /// The line so far, at most `most` bytes of it.
    line: Vec<u8>,
    /// How long it is.
    len: usize,
    number: u64,
}

impl Lines<'_> {
    fn feed(&mut self, mut bytes: &[u8], path: Option<&[u8]>, out: &mut Vec<u8>) {
        while let Some(at) = memchr::memchr(b'\n', bytes) {
            self.keep(&bytes[..at]);
            self.give(path, out);
            bytes = &bytes[at + 1..];
        }
        self.keep(bytes);
    }

    /// The end of a file ends its last line, too.
    fn end(&mut self, path: Option<&[u8]>, out: &mut Output) {
        if self.len > 0 {
            self.give(path, &mut out.text);
        }
        self.number = 1;
        out.counts.files += 1;
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.most - self.line.len();
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.len = self.len.saturating_add(bytes.len());
    }

    fn give(&mut self, path: Option<&[u8]>, out: &mut Vec<u8>) {
        let line = Line {
            bytes: &self.line,
            len: self.len,
            path,
            number: self.number,
        };
        (self.each)(&line, out);
        self.line.clear();
        self.len = 0;
        self.number += 1;
    }
}

/// Reads once.
fn read(rdr: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match rdr.read(buffer) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
