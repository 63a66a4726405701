//! `--check`: each line of the input is judged.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::sync::Arc;

use super::config::Config;
use super::input::Fault;
use super::input::feed::{Batch, Feeder, Piece, Work};
use super::input::utf16::{self, Transcoder};
use super::search::Output;
use super::status::Status;
use super::write::Writer;
use crate::output::{check_line, safe};
use crate::scan::URL_MAX;
use crate::url::{Profile, Reject};

/// How much of a line is kept. What is longer than [`URL_MAX`] is refused
/// unread, and printed up to here.
const LINE: usize = 64 << 10;

/// Judges every line that `config` names.
pub fn run(config: &Arc<Config>) -> Status {
    let mut writer = Writer::new(config, io::stdout().lock());
    let mut lines = Lines {
        profile: config.profile,
        line: Vec::new(),
        len: 0,
        refused: false,
    };
    let mut feeder = Feeder::new(config);
    let mut output = Output::default();
    let mut buffer = Vec::new();
    while let Some(job) = feeder.next(std::mem::take(&mut buffer)) {
        writer.faults(&job.faults);
        let go_on = match job.work {
            Work::Piece(Piece {
                file,
                buffer: bytes,
                segment,
            }) => {
                lines.feed(&bytes[segment.range.clone()], &mut output.text);
                if segment.eof {
                    lines.end(&mut output.text);
                }
                if let Some(error) = &segment.error {
                    let offset = segment.offset + segment.range.len() as u64;
                    output
                        .faults
                        .push(Fault::at(file.path.as_deref(), offset, error));
                }
                buffer = bytes;
                writer.take(&mut output, None)
            }
            Work::Batch(batch) => {
                self::batch(batch, config.segment, &mut lines, &mut output, &mut writer)
            }
            Work::Nothing => true,
        };
        if !go_on {
            break;
        }
    }
    let mut status = writer.finish();
    status.found |= !lines.refused;
    status
}

fn batch<W: io::Write>(
    batch: Batch,
    size: usize,
    lines: &mut Lines,
    output: &mut Output,
    writer: &mut Writer<W>,
) -> bool {
    let Batch {
        files, mut buffer, ..
    } = batch;
    buffer.resize(buffer.len().max(size), 0);
    for file in files {
        let path = file.path.as_os_str().as_encoded_bytes();
        let mut offset = 0;
        let read = File::open(&file.path).and_then(|mut rdr| {
            let len = read(&mut rdr, &mut buffer)?;
            let head = buffer[..len].to_vec();
            let mut rdr: Box<dyn Read> = match utf16::encoding(&head) {
                Some(encoding) => Box::new(Transcoder::new(rdr, &head, encoding)),
                None => Box::new(io::Cursor::new(head).chain(rdr)),
            };
            loop {
                let len = read(&mut rdr, &mut buffer)?;
                if len == 0 {
                    return Ok(true);
                }
                offset += len as u64;
                lines.feed(&buffer[..len], &mut output.text);
                if !writer.take(output, None) {
                    return Ok(false);
                }
            }
        });
        lines.end(&mut output.text);
        if let Err(error) = &read {
            output.faults.push(Fault::at(Some(path), offset, error));
        }
        if matches!(read, Ok(false)) || !writer.take(output, None) {
            return false;
        }
    }
    true
}

/// Puts lines together that come in chunks.
struct Lines {
    profile: Profile,
    /// The line so far; at most [`LINE`] bytes of it.
    line: Vec<u8>,
    /// How long it is.
    len: usize,
    refused: bool,
}

impl Lines {
    fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while let Some(at) = memchr::memchr(b'\n', bytes) {
            self.keep(&bytes[..at]);
            self.judge(out);
            bytes = &bytes[at + 1..];
        }
        self.keep(bytes);
    }

    /// The end of a file ends a line, too.
    fn end(&mut self, out: &mut Vec<u8>) {
        if self.len > 0 {
            self.judge(out);
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE - self.line.len();
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.len = self.len.saturating_add(bytes.len());
    }

    fn judge(&mut self, out: &mut Vec<u8>) {
        let line = self.line.strip_suffix(b"\r").unwrap_or(&self.line);
        let valid = if line.len() > URL_MAX {
            out.extend_from_slice(b"invalid\t");
            safe::tabbed(line, out);
            // OK to ignore: a vector takes everything, and there is nothing to
            // escape in a reason.
            let _ = writeln!(out, "\t{}", Reject::too_long(self.profile, self.len));
            false
        } else {
            check_line(self.profile, line, out)
        };
        self.refused |= !valid;
        self.line.clear();
        self.len = 0;
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
