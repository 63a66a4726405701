//! JSON Lines: writes and reads rows as one object per line.
//!
//! Every object has all keys in [`Field::KEYS`], or those that
//! [`Writer::with_fields`] selects. See `docs/json.md`.
//!
//! ```
//! use urlgrep::rows::{OwnedRecord, Record, json};
//! use urlgrep::{Extractor, Profile};
//!
//! let text = b"see <URL:ftp://info.cern.ch/pub/www/doc;\n   type=d> but";
//! let hit = Extractor::new(Profile::Rfc1738).find_iter(text).next().unwrap();
//! let mut json = Vec::new();
//! json::Writer::new().write(&Record::plain(None, &hit), &mut json);
//!
//! let rows: Vec<OwnedRecord> = json::Reader::new(&json[..]).collect::<Result<_, _>>()?;
//! assert_eq!(rows[0].url.as_deref(), Some("ftp://info.cern.ch/pub/www/doc;type=d"));
//! assert_eq!(rows[0].offset, Some(9));
//! # Ok::<(), json::ReadError>(())
//! ```

use std::fmt;
use std::io::{self, BufRead, Read, Write as _};

use super::field::{Field, Group, OwnedRecord, VERSION, each_key};
use super::row::{PlaceInPart, Row};
use super::strings;
use super::value::Value;
use urlgrep_base::cache::{self, Recent};
use urlgrep_base::digits::put_base64;
use urlgrep_mail::mime::{MessageInfo, Role};
use urlgrep_search::Message;
use urlgrep_url::{Profile, Url};

/// The maximum length of a line. A row has a URL and header texts of at most 8
/// KiB each. One byte becomes at most six bytes of JSON.
const LINE_MAX: usize = 1 << 20;

/// The initial capacity for a row without long texts.
const ROW: usize = 2048;

/// Writes rows. The keys of a file and of a message are formatted once. The keys
/// of up to 256 URLs are kept, because mail repeats URLs. They need at most 2
/// MiB.
///
/// We tried a writer without these caches. It had 120 lines fewer, and needed
/// 10 % more instructions for all of `--json` on a newsgroup and 3 % more on a
/// mailing list, so they stay.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    message: KeptMessage,
    urls: Urls,
    file: KeptFile,
    /// The keys that are null in all hits.
    nulls: Vec<u8>,
    /// The keys that are null outside of header fields and attached archives.
    inside: Vec<u8>,
    /// The keys that are empty in hits without a doubt.
    sure: Vec<u8>,
    part: KeptPart,
    scratch: Vec<u8>,
    /// The keys of a hit or a reject. Empty for all.
    fields: Vec<Field>,
}

impl Writer {
    /// A new writer.
    #[must_use]
    pub fn new() -> Writer {
        Writer::default()
    }

    /// A writer of these fields of hits and rejects only, in this order. The
    /// companion `…_bytes` is written if the text is not UTF-8. Other rows have
    /// all keys.
    ///
    /// ```
    /// use urlgrep::rows::{Field, Record, json};
    ///
    /// let extractor = urlgrep::Extractor::new(urlgrep::Profile::Iri);
    /// let hit = extractor.find_iter(b"http://a.example/").next().unwrap();
    /// let mut json = Vec::new();
    /// let mut writer = json::Writer::with_fields(vec![Field::Host, Field::Line]);
    /// writer.write(&Record::plain(None, &hit), &mut json);
    /// assert_eq!(json, b"{\"host\":\"a.example\",\"line\":1}\n");
    /// ```
    #[must_use]
    pub fn with_fields(fields: Vec<Field>) -> Writer {
        Writer {
            fields,
            ..Writer::default()
        }
    }

    /// Appends `row` as a line.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes of the row.
    pub fn write<'r>(&mut self, row: impl Into<Row<'r>>, out: &mut Vec<u8>) {
        let row = row.into();
        if self.fields.is_empty() || !row.is_candidate() {
            self.write_row(&row, out);
            return;
        }
        let start = out.len();
        for &field in &self.fields {
            put_selected(field, row.value(field, &mut self.scratch), out);
        }
        close(start, out);
    }

    #[inline(never)]
    fn write_row(&mut self, row: &Row<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        out.reserve(ROW);
        let message = row.message();
        let message_is_known = message.is_some_and(|message| self.message.is_of(&message));
        let url = row.url();
        let is_hit = url.is_some();
        let file_is_known = is_hit && self.file.is_of(row);
        let (is_inside, is_sure) = (row.is_inside(), row.is_sure());
        let in_part = row.place_in_part();
        let part_is_known = in_part.is_some_and(|place| self.part.is_of(place));
        let url = url.filter(|url| url.as_bytes().len() <= KEPT_URL && row.cautions_are_of_url());
        let mut kept = url.map(|url| self.urls.at(&url));
        let both = url.zip(kept.as_ref());
        let url_is_known = both.is_some_and(|(url, kept)| kept.is_of(&url));
        // The start of the current group.
        let mut first = start;
        each_key(
            #[inline(always)]
            |field| {
                let place = field.group();
                let group = place.group;
                let known = match (group, &kept) {
                    (Group::Url, Some(kept)) if url_is_known => Some(&kept.keys[0][..]),
                    (Group::Parts, Some(kept)) if url_is_known => Some(&kept.keys[1][..]),
                    (Group::File, _) if file_is_known => Some(&self.file.keys[..]),
                    (Group::NoHit, _) if is_hit && !self.nulls.is_empty() => Some(&self.nulls[..]),
                    (Group::Sure, _) if is_sure && !self.sure.is_empty() => Some(&self.sure[..]),
                    (Group::Part, _) if part_is_known => Some(&self.part.keys[..]),
                    (Group::Inside, _) if !is_inside && !self.inside.is_empty() => {
                        Some(&self.inside[..])
                    }
                    (Group::Message, _) if message_is_known => Some(&self.message.keys[..]),
                    _ => None,
                };
                if place.is_first {
                    first = out.len();
                    out.extend_from_slice(known.unwrap_or_default());
                }
                if known.is_some() {
                    return;
                }
                put(field, row.value(field, &mut self.scratch), out);
                if !place.is_last {
                    return;
                }
                let text = &out[first..];
                match (group, message, url, &mut kept) {
                    (Group::Message, Some(message), ..) => self.message.keep(&message, text),
                    (Group::Url, _, Some(url), Some(kept)) => kept.keep(&url, 0, text),
                    (Group::Parts, _, Some(url), Some(kept)) => kept.keep(&url, 1, text),
                    (Group::File, ..) if is_hit => self.file.keep(row, text),
                    (Group::NoHit, ..) if is_hit => self.nulls.extend_from_slice(text),
                    (Group::Sure, ..) if is_sure => self.sure.extend_from_slice(text),
                    (Group::Part, ..) => self.part.keep(in_part, text),
                    (Group::Inside, ..) if !is_inside => self.inside.extend_from_slice(text),
                    _ => {}
                }
            },
        );
        close(start, out);
    }
}

/// The header of the last message, its number, start and end, and their keys as JSON.
#[derive(Clone, Debug, Default)]
struct KeptMessage {
    info: MessageInfo,
    place: MessagePlace,
    keys: Vec<u8>,
}

impl KeptMessage {
    fn is_of(&self, message: &Message<'_>) -> bool {
        let is_known = !self.keys.is_empty() && self.place == MessagePlace::of(message);
        is_known && self.info == *message.info
    }

    fn keep(&mut self, message: &Message<'_>, keys: &[u8]) {
        self.info.clone_from(message.info);
        self.place = MessagePlace::of(message);
        keys.clone_into(&mut self.keys);
    }
}

/// The number of a message, and where it is in its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct MessagePlace {
    number: Option<u64>,
    start: u64,
    end: Option<u64>,
}

impl MessagePlace {
    fn of(message: &Message<'_>) -> MessagePlace {
        MessagePlace {
            number: message.number,
            start: message.start,
            end: message.end,
        }
    }
}

/// The file of the last hit, and its keys as JSON.
#[derive(Clone, Debug, Default)]
struct KeptFile {
    path: Vec<u8>,
    read_as: Option<String>,
    keys: Vec<u8>,
}

impl KeptFile {
    fn is_of(&self, row: &Row<'_>) -> bool {
        let is_known = !self.keys.is_empty() && self.path == row.path();
        is_known && self.read_as.as_deref() == row.read_as()
    }

    fn keep(&mut self, row: &Row<'_>, keys: &[u8]) {
        row.path().clone_into(&mut self.path);
        self.read_as = row.read_as().map(str::to_owned);
        keys.clone_into(&mut self.keys);
    }
}

/// The place of the last row in its part, and its keys as JSON. Without keys, it is of none.
#[derive(Clone, Debug, Default)]
struct KeptPart {
    role: Option<Role>,
    part: Option<String>,
    content_type: Option<String>,
    file_name: Option<String>,
    keys: Vec<u8>,
}

impl KeptPart {
    fn is_of(&self, place: PlaceInPart<'_>) -> bool {
        !self.keys.is_empty()
            && self.role == place.role
            && self.part.as_deref() == place.part
            && self.content_type.as_deref() == place.content_type
            && self.file_name.as_deref() == place.file_name
    }

    fn keep(&mut self, place: Option<PlaceInPart<'_>>, keys: &[u8]) {
        self.keys.clear();
        if let Some(place) = place {
            self.role = place.role;
            self.part = place.part.map(str::to_owned);
            self.content_type = place.content_type.map(str::to_owned);
            self.file_name = place.file_name.map(str::to_owned);
            self.keys.extend_from_slice(keys);
        }
    }
}

/// The formatted keys of URLs in earlier rows.
#[derive(Clone, Debug, Default)]
struct Urls(Recent<KeptUrl, [Vec<u8>; 2], 256>);

/// The maximum length of a URL whose keys are kept, and of the keys of each
/// group.
const KEPT_URL: usize = 512;
const KEPT_KEYS: usize = 2048;

/// A URL whose keys are kept. They depend only on its text and its profile.
#[derive(Clone, Debug, Default)]
struct KeptUrl {
    /// `None` if there is none.
    profile: Option<Profile>,
    text: Vec<u8>,
}

/// The place for a URL in [`Urls`], and its keys as JSON: those of [`Group::Url`], and those of
/// [`Group::Parts`]. They may be of another URL.
struct Kept<'k> {
    url: &'k mut KeptUrl,
    keys: &'k mut [Vec<u8>; 2],
}

impl Urls {
    fn at(&mut self, url: &Url<'_>) -> Kept<'_> {
        let text = url.as_bytes();
        let words = text.as_chunks().0.iter().chain(text.last_chunk());
        let (url, keys) = self.0.at(cache::hash(text.len(), words));
        Kept { url, keys }
    }
}

impl Kept<'_> {
    fn is_of(&self, url: &Url<'_>) -> bool {
        self.url.profile == Some(url.profile()) && self.url.text == url.as_bytes()
    }

    /// Replaces the entry by the keys of `url`.
    fn keep(&mut self, url: &Url<'_>, group: usize, keys: &[u8]) {
        let is_short = keys.len() <= KEPT_KEYS && (group == 0 || self.url.profile.is_some());
        self.url.profile = is_short.then(|| url.profile());
        if is_short {
            url.as_bytes().clone_into(&mut self.url.text);
            keys.clone_into(&mut self.keys[group]);
        }
    }
}

/// Ends the object that begins at `start` with a comma.
fn close(start: usize, out: &mut Vec<u8>) {
    // The brace replaces the first comma.
    if let Some(first) = out.get_mut(start) {
        *first = b'{';
    }
    out.extend_from_slice(b"}\n");
}

/// Appends an object with these values as a line. The companion `…_bytes` is written if a
/// text is not UTF-8, as [`Writer::with_fields`] does.
///
/// ```
/// use urlgrep::rows::{Field, Value, json};
///
/// let mut json = Vec::new();
/// let host = (Field::Host, Value::Text(b"a.example"));
/// json::write_values([(Field::Count, Value::Number(2)), host], &mut json);
/// assert_eq!(json, b"{\"count\":2,\"host\":\"a.example\"}\n");
/// ```
///
/// # Complexity
///
/// Linear in the values.
#[doc(hidden)] // For `--tally`.
pub fn write_values<'v>(values: impl IntoIterator<Item = (Field, Value<'v>)>, out: &mut Vec<u8>) {
    let start = out.len();
    for (field, value) in values {
        put_selected(field, value, out);
    }
    close(start, out);
}

/// Appends a comma, the key of `field`, and the companion key if it has a value.
fn put_selected(field: Field, value: Value<'_>, out: &mut Vec<u8>) {
    // OK to ignore: writing to a vector does not fail.
    let _ = write!(out, ",\"{}\":", field.name());
    if let Value::Null = value {
        out.extend_from_slice(b"null");
        return;
    }
    if strings::is_string(&value) {
        out.push(b'"');
    }
    let is_utf8 = strings::put(value, out);
    if let (Value::Text(text), false, Some(name)) = (value, is_utf8, field.bytes_name()) {
        let _ = write!(out, ",\"{name}\":\"");
        put_base64(text, out);
        out.push(b'"');
    }
}

/// Appends a comma and the keys of `field`.
#[inline(always)]
fn put(field: Field, value: Value<'_>, out: &mut Vec<u8>) {
    if let Value::Null = value {
        out.extend_from_slice(field.json_null().as_bytes());
        return;
    }
    let key = if strings::is_string(&value) {
        field.json_string_key()
    } else {
        field.json_key()
    };
    out.extend_from_slice(key.as_bytes());
    let is_utf8 = strings::put(value, out);
    let Some(key) = field.json_bytes_key() else {
        return;
    };
    out.extend_from_slice(key.as_bytes());
    match value {
        Value::Text(text) if !is_utf8 => {
            out.push(b'"');
            put_base64(text, out);
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
    /// A reader of the rows in `source`.
    pub fn new(source: R) -> Reader<R> {
        Reader {
            source,
            line: Vec::new(),
            number: 0,
            failed: false,
        }
    }

    /// Reads the next line. Bytes after [`LINE_MAX`] are dropped. Returns the
    /// number of bytes, or 0 at the end.
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

/// A line that is not a row, or that could not be read.
#[derive(Debug)]
pub struct ReadError {
    /// The number of the line, from 1.
    pub line: u64,
    /// The kind of error.
    pub kind: ReadErrorKind,
}

/// The kind of a [`ReadError`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The source could not be read. No more lines follow.
    Io(io::Error),
    /// The line has over 1 MiB.
    TooLong,
    /// The row has another version of the schema.
    Version(u64),
    /// The line is not a row.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use urlgrep_find::Extractor;

    /// A writer with kept keys writes the same rows as a new writer.
    #[test]
    fn kept_urls_change_no_row() {
        let mut text = String::new();
        for i in 0..3000u32 {
            // Some URLs repeat, some have the same entry, and some are too
            // long.
            let n = i.wrapping_mul(2_654_435_761) >> 16 & 511;
            let long = if n % 7 == 0 { n as usize * 8 } else { 0 };
            let name = if n % 5 == 0 { "Käse%22" } else { "A.html" };
            text += &format!(
                "<http://h{n}.Example.com/{}{name}?b=2&a=1>\n",
                "x/".repeat(long)
            );
            text += "<http://h h/> mailto:a@b.example <news:>\n";
        }
        let mut writer = Writer::new();
        let (mut rows, mut repeated) = (0, 0);
        for profile in [Profile::Iri, Profile::Current, Profile::Iri] {
            let extractor = Extractor::builder().profile(profile).rejects(true).build();
            for hit in extractor.find_iter(text.as_bytes()) {
                let record = Record::plain(None, &hit);
                let url = hit.url().ok();
                repeated += usize::from(url.is_some_and(|url| writer.urls.at(&url).is_of(&url)));
                let (mut row, mut plain) = (Vec::new(), Vec::new());
                writer.write(&record, &mut row);
                Writer::new().write(&record, &mut plain);
                assert_eq!(
                    row.escape_ascii().to_string(),
                    plain.escape_ascii().to_string()
                );
                rows += 1;
            }
        }
        assert!(rows > 18_000 && repeated > rows / 3, "{rows} {repeated}");
        let kept = writer.urls.0.iter();
        let kept = kept.flat_map(|(url, keys)| keys.iter().chain([&url.text]));
        let kept: usize = kept.map(Vec::capacity).sum();
        assert!(kept < 2 << 20, "{kept}");
    }
}
