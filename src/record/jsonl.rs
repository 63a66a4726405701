//! JSON Lines: one object for each row, written and read.
//!
//! The keys of an object are [`Field::KEYS`], all of them in every row; see
//! `docs/json.md`.
//!
//! ```
//! use urlgrep::record::{OwnedRecord, Record, jsonl};
//! use urlgrep::{Extractor, Profile};
//!
//! let text = b"see <URL:ftp://info.cern.ch/pub/www/doc;\n   type=d> but";
//! let hit = Extractor::new(Profile::Rfc1738).find_iter(text).next().unwrap();
//! let mut json = Vec::new();
//! jsonl::Writer::new().write(&Record::plain(None, &hit), &mut json);
//!
//! let rows: Vec<OwnedRecord> = jsonl::Reader::new(&json[..]).collect::<Result<_, _>>()?;
//! assert_eq!(rows[0].url.as_deref(), Some("ftp://info.cern.ch/pub/www/doc;type=d"));
//! assert_eq!(rows[0].offset, Some(9));
//! # Ok::<(), jsonl::ReadError>(())
//! ```

use std::fmt;
use std::io::{self, BufRead, Read};

use super::field::{Field, OwnedRecord, VERSION, Value, each_key};
use super::json;
use super::row::Row;
use crate::mail::mime::MessageInfo;

/// The maximum length of a line. A row has a URL and header texts of at most 8
/// KiB each, and one byte takes at most six bytes of JSON.
pub const LINE_MAX: usize = 1 << 20;

/// The initial capacity for a row without long texts.
const ROW: usize = 2048;

/// Writes rows. The keys of the header are made once for each message.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// The header of the last message, and its keys as JSON.
    info: MessageInfo,
    header: Vec<u8>,
    scratch: Vec<u8>,
}

impl Writer {
    /// A writer.
    #[must_use]
    pub fn new() -> Writer {
        Writer::default()
    }

    /// Appends `row` as a line.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes of the row.
    pub fn write<'r>(&mut self, row: impl Into<Row<'r>>, out: &mut Vec<u8>) {
        self.write_row(&row.into(), out);
    }

    #[inline(never)]
    fn write_row(&mut self, row: &Row<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        out.reserve(ROW);
        let info = row.message().map(|message| message.info);
        let is_known = info.is_some_and(|info| self.knows(info));
        let mut header = start;
        each_key(
            #[inline(always)]
            |field| {
                if field == Field::MessageId {
                    header = out.len();
                    if is_known {
                        out.extend_from_slice(&self.header);
                    }
                }
                if !(is_known && field.is_of_header()) {
                    put(field, row.value(field, &mut self.scratch), out);
                }
                if field == Field::LAST_OF_HEADER
                    && let Some(info) = info.filter(|_| !is_known)
                {
                    self.info.clone_from(info);
                    self.header.clear();
                    self.header.extend_from_slice(&out[header..]);
                }
            },
        );
        // It replaces the first comma.
        if let Some(first) = out.get_mut(start) {
            *first = b'{';
        }
        out.extend_from_slice(b"}\n");
    }

    /// True if the last row had the same header.
    fn knows(&self, info: &MessageInfo) -> bool {
        !self.header.is_empty() && self.info == *info
    }
}

/// Appends the keys of `field`, after a comma.
#[inline(always)]
fn put(field: Field, value: Value<'_>, out: &mut Vec<u8>) {
    if let Value::Null = value {
        out.extend_from_slice(field.json_null().as_bytes());
        return;
    }
    out.extend_from_slice(field.json_key().as_bytes());
    let is_utf8 = json::put(value, out);
    let Some(key) = field.json_bytes_key() else {
        return;
    };
    out.extend_from_slice(key.as_bytes());
    match value {
        Value::Text(text) if !is_utf8 => {
            out.push(b'"');
            json::base64(text, out);
            out.push(b'"');
        }
        _ => out.extend_from_slice(b"null"),
    }
}

/// Reads rows, one from each line that is not empty. After an error the next
/// line can be read, unless the source failed.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    line: Vec<u8>,
    /// The number of lines read.
    number: u64,
    failed: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads the rows of `source`.
    pub fn new(source: R) -> Reader<R> {
        Reader {
            source,
            line: Vec::new(),
            number: 0,
            failed: false,
        }
    }

    /// The next line, without its bytes after [`LINE_MAX`]. Returns the number
    /// of bytes; 0 at the end.
    fn next_line(&mut self) -> io::Result<usize> {
        self.line.clear();
        let mut limited = Read::by_ref(&mut self.source).take(LINE_MAX as u64 + 1);
        let mut len = limited.read_until(b'\n', &mut self.line)?;
        if len > LINE_MAX && !self.line.ends_with(b"\n") {
            len += self.source.skip_until(b'\n')?;
        }
        Ok(len)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<OwnedRecord, ReadError>;

    fn next(&mut self) -> Option<Result<OwnedRecord, ReadError>> {
        while !self.failed {
            let read = self.next_line();
            self.number += 1;
            let error = |kind| ReadError {
                line: self.number,
                kind,
            };
            match read {
                Ok(0) => return None,
                Ok(len) if len > LINE_MAX + 1 => return Some(Err(error(ReadErrorKind::TooLong))),
                Ok(_) if self.line.trim_ascii().is_empty() => {}
                Ok(_) => return Some(read_row(&self.line).map_err(error)),
                Err(source) => {
                    self.failed = true;
                    return Some(Err(error(ReadErrorKind::Io(source))));
                }
            }
        }
        None
    }
}

fn read_row(line: &[u8]) -> Result<OwnedRecord, ReadErrorKind> {
    #[derive(serde::Deserialize)]
    struct Version {
        v: u64,
    }
    let row = serde_json::from_slice::<OwnedRecord>(line);
    match (row, serde_json::from_slice::<Version>(line)) {
        (_, Ok(Version { v })) if v != VERSION => Err(ReadErrorKind::Version(v)),
        (Ok(_), Err(error)) | (Err(error), _) => Err(ReadErrorKind::Json(error)),
        (Ok(row), Ok(_)) => Ok(row),
    }
}

/// A line that is not a row.
#[derive(Debug)]
pub struct ReadError {
    /// The number of the line, from 1.
    pub line: u64,
    /// The fault of the line.
    pub kind: ReadErrorKind,
}

/// A fault of a line.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The source could not be read. No more lines follow.
    Io(io::Error),
    /// The line has over [`LINE_MAX`] bytes.
    TooLong,
    /// It is a row of another version of the schema.
    Version(u64),
    /// It is not a row.
    Json(serde_json::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.kind {
            ReadErrorKind::Io(error) => error.fmt(f),
            ReadErrorKind::TooLong => f.write_str("too long"),
            ReadErrorKind::Version(v) => {
                write!(
                    f,
                    "version {v} of the schema is not supported, only {VERSION}"
                )
            }
            ReadErrorKind::Json(error) => write!(f, "not a row: {error}"),
        }
    }
}

impl std::error::Error for ReadError {}
