//! Says where to cut a regular file that the workers read themselves.
//!
//! What one processor has read another must fetch from its cache, which costs
//! more than to read it: so of a file that can be read from anywhere a worker
//! is only told which bytes are its own, many at a time. They are not all
//! looked at here either, unless lines or messages are counted: a look at the
//! end of each range finds a ground state, or the beginning of a message of an
//! mbox.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use super::cut::{Cut, Cutter, LOOK, Segment, ground};
use crate::cli::config::{Config, Mode};
use crate::mail::{self, Container, Dialect};

/// How many segments a range has at most: so many that handing it over costs
/// nothing beside searching it, even where a thread must be woken for it.
const SEGMENTS: u64 = 16;
/// The same where as much may be printed of a range as it has bytes: once an
/// output is full, its worker waits until all that comes before is written.
const LONG_SEGMENTS: u64 = 2;
/// How many of a range's last bytes are looked at first; four times as many
/// each time that they hold no place to cut. Enough to see base64.
const REACH: u64 = 32 << 10;
/// How many bytes after a place must be at hand to tell whether the file can
/// be cut there: a `From ` line and the header line that must follow.
const AHEAD: u64 = 4 * LOOK as u64;

/// Where a file is cut into ranges.
pub struct Plan {
    file: Arc<File>,
    container: Option<Container>,
    segment: usize,
    /// How many bytes a range has at most.
    range: u64,
    /// Ranges are cut where lines must be known.
    lines: bool,
    how: How,
    buffer: Vec<u8>,
}

enum How {
    /// By reading all of it.
    Read(Box<Cutter>),
    /// By looks at the ends of ranges.
    Look(Look),
}

/// What begins at the places that are looked for.
#[derive(Clone, Copy)]
enum Place {
    Ground,
    Message(Dialect),
    /// There are none.
    Nowhere,
}

struct Look {
    place: Place,
    range: u64,
    /// Offset of the next range.
    offset: u64,
    /// The next range begins a stretch.
    fresh: bool,
    /// The last range was handed out.
    done: bool,
}

impl Plan {
    /// True if this system can read a file from anywhere without moving the
    /// place where others go on.
    pub const CAN: bool = cfg!(any(unix, windows));

    /// A plan for `file`, of which messages of `container` are searched, if
    /// there is one, or text.
    pub fn new(file: File, container: Option<Container>, config: &Config) -> Plan {
        let Config {
            segment,
            threads,
            line: lines,
            details,
            ..
        } = *config;
        let file = Arc::new(file);
        // A short file has something for each thread as well.
        let len = file.metadata().map_or(0, |meta| meta.len());
        let least = segment as u64;
        let most = match config.mode {
            Mode::Json | Mode::Format(_) | Mode::Explain => LONG_SEGMENTS,
            _ => SEGMENTS,
        };
        let range = (len / (2 * threads as u64)).clamp(least, most * least);
        let place = match container {
            Some(container) if !container.has_many() => Some(Place::Nowhere),
            _ if lines => None,
            None => Some(Place::Ground),
            Some(Container::Mbox(dialect)) if !details => Some(Place::Message(dialect)),
            Some(_) => None,
        };
        let how = if let Some(place) = place {
            How::Look(Look {
                place,
                range,
                offset: 0,
                fresh: true,
                done: false,
            })
        } else {
            let rdr = Box::new(Reading(Arc::clone(&file), 0));
            let cutter = Cutter::new(rdr, segment, segment, Cut::Ground, lines);
            How::Read(Box::new(match container {
                Some(container) => cutter.messages(container),
                None => cutter,
            }))
        };
        Plan {
            file,
            container,
            segment,
            range,
            lines: lines && container.is_none(),
            how,
            buffer: Vec::new(),
        }
    }

    /// What has nothing to read, for a file that need not be read to its end.
    pub fn abandon(&mut self) -> Option<Cutter> {
        let range = match &mut self.how {
            How::Read(cutter) => cutter.abandon(),
            How::Look(look) => {
                let done = std::mem::replace(&mut look.done, true);
                (!done).then(|| look.range(look.offset, true, true))
            }
        };
        Some(self.cutter(range?))
    }

    fn cutter(&self, range: Segment) -> Cutter {
        let rdr = Reading(Arc::clone(&self.file), range.offset).take(range.range.len() as u64);
        // Messages are found by whoever searches them. A ground state cannot
        // be told from bytes of the range alone, unless nothing that is near
        // its ends matters, either.
        let cut = if self.container.is_none() && range.first && range.last {
            Cut::Ground
        } else {
            Cut::Nowhere
        };
        Cutter::new(Box::new(rdr), self.segment, REACH as usize, cut, self.lines).part(range)
    }

    fn range(&mut self) -> Option<Segment> {
        if let How::Look(look) = &mut self.how {
            match look.next(&self.file, &mut self.buffer) {
                Ok(range) => return range,
                // What can be read before the error is searched: whoever reads
                // all of it comes to it.
                Err(_) => {
                    let rdr = Box::new(Reading(Arc::clone(&self.file), look.offset));
                    let rest = look.range(look.offset, true, true);
                    let cutter = Cutter::new(rdr, self.segment, 0, Cut::Nowhere, false);
                    self.how = How::Read(Box::new(cutter.part(rest)));
                }
            }
        }
        let How::Read(cutter) = &mut self.how else {
            return None;
        };
        let mut range = cutter.next(&mut self.buffer)?;
        range.range = 0..range.range.len();
        // Until it is full, and on to the end of a stretch if that is near.
        let (full, most) = (self.range - self.segment as u64, 2 * self.range);
        let more = |len: usize, last: bool| len as u64 <= if last { full } else { most };
        while !range.eof && more(range.range.len(), range.last) {
            let Some(next) = cutter.next(&mut self.buffer) else {
                break;
            };
            range.range.end += next.range.len();
            (range.last, range.eof, range.error) = (next.last, next.eof, next.error);
        }
        Some(range)
    }
}

impl Iterator for Plan {
    type Item = Cutter;

    /// What reads the next range, and cuts it into segments.
    fn next(&mut self) -> Option<Cutter> {
        let range = self.range()?;
        Some(self.cutter(range))
    }
}

impl Look {
    fn next(&mut self, file: &File, buffer: &mut Vec<u8>) -> io::Result<Option<Segment>> {
        if self.done {
            return Ok(None);
        }
        let most = self.offset + self.range;
        let mut reach = REACH;
        loop {
            // A place to cut is looked for after this one.
            let from = self.offset.max(most.saturating_sub(reach));
            let base = from.saturating_sub(LOOK as u64);
            let wanted = (most + AHEAD - base) as usize;
            if buffer.len() < wanted {
                buffer.resize(wanted, 0);
            }
            let hay = &mut buffer[..wanted];
            let len = fill(file, hay, base)?;
            let end = base + len as u64;
            let eof = len < wanted;
            if eof && end <= most {
                self.done = true;
                // Perhaps it is shorter by now than what was handed out.
                return Ok(Some(self.range(end.max(self.offset), true, true)));
            }
            let cut = self.cut(&buffer[..len], base, from, most, eof);
            if cut.is_some() || from == self.offset || matches!(self.place, Place::Nowhere) {
                return Ok(Some(self.range(cut.unwrap_or(most), cut.is_some(), false)));
            }
            reach *= 4;
        }
    }

    /// The last place in `from + 1..=to` where the file can be cut. `hay`, the
    /// bytes from `base` on, is at hand.
    fn cut(&self, hay: &[u8], base: u64, from: u64, to: u64, eof: bool) -> Option<u64> {
        match self.place {
            Place::Nowhere => None,
            Place::Ground => {
                let index = |offset: u64| (offset - base) as usize;
                ground(hay, index(from), index(to)).map(|at| base + at as u64)
            }
            Place::Message(dialect) => {
                let mut cuts = Vec::new();
                let mut cutter = mail::Cutter::inside(dialect, base);
                cutter.feed(hay, &mut cuts);
                if eof {
                    cutter.finish(&mut cuts);
                }
                let mut offsets = cuts.iter().rev().map(|cut| cut.offset);
                offsets.find(|&at| at <= to).filter(|&at| at > from)
            }
        }
    }

    /// The range that ends at `end`.
    fn range(&mut self, end: u64, last: bool, eof: bool) -> Segment {
        let range = Segment {
            range: 0..(end - self.offset) as usize,
            offset: self.offset,
            line: 1,
            number: 1,
            first: self.fresh,
            last,
            eof,
            error: None,
        };
        self.offset = end;
        self.fresh = last;
        range
    }
}

/// Reads a file that others read, too, from an offset on.
struct Reading(Arc<File>, u64);

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = read_at(&self.0, buffer, self.1)?;
        self.1 += n as u64;
        Ok(n)
    }
}

/// Fills `buffer` with the bytes of `file` from `offset` on, as far as there
/// are any. Returns how many there were.
fn fill(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut len = 0;
    while len < buffer.len() {
        match read_at(file, &mut buffer[len..], offset + len as u64) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(len)
}

/// Reads once, and leaves alone where others go on to read.
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_at(file, buffer, offset)
    }
    #[cfg(windows)]
    {
        std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
    }
    #[cfg(not(any(unix, windows)))]
    {
        let _ = (file, buffer, offset);
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::path::{Path, PathBuf};

    use clap::Parser;

    use super::*;
    use crate::cli::args::Args;
    use crate::scan::is_ground;

    /// A file that goes when it is done with.
    struct Temp(PathBuf);

    impl Temp {
        fn new(name: &str, bytes: &[u8]) -> Temp {
            let path = std::env::temp_dir().join(format!("urlgrep-{}-{name}", std::process::id()));
            fs::write(&path, bytes).unwrap();
            Temp(path)
        }
    }

    impl Drop for Temp {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    fn plan(path: &Path, container: Option<Container>, options: &[&str]) -> Plan {
        let args = ["urlgrep", "-j2", "--segment-size", "100"];
        let args = args.iter().chain(options).chain(&["x"]).map(OsString::from);
        let config = Config::new(Args::try_parse_from(args).unwrap()).unwrap();
        Plan::new(File::open(path).unwrap(), container, &config)
    }

    /// Everything the ranges yield, and where stretches end.
    fn read(plan: &mut Plan) -> (Vec<u8>, Vec<usize>, Option<io::Error>) {
        let (mut bytes, mut ends, mut error) = (Vec::new(), Vec::new(), None);
        let (mut open, mut eof) = (false, false);
        let mut buffer = Vec::new();
        for mut cutter in plan {
            let last = cutter.is_last();
            let mut ended = None;
            while let Some(segment) = cutter.next(&mut buffer) {
                assert!(!eof, "segments after the last");
                assert_eq!(segment.offset, bytes.len() as u64);
                assert_eq!(segment.first, !open);
                bytes.extend_from_slice(&buffer[segment.range]);
                open = !segment.last;
                if segment.last {
                    ends.push(bytes.len());
                }
                eof = segment.eof;
                ended = Some(segment.last);
                error = error.or(segment.error);
            }
            assert_eq!(ended, Some(last));
        }
        assert!(eof && !open);
        (bytes, ends, error)
    }

    #[test]
    fn ranges_of_text_tile_the_file_and_end_at_ground_states() {
        let mut text = Vec::new();
        for i in 0..3000 {
            let end = ["\n", "\r\n", "\n\n", "\r\n\r\n"][i * i % 13 % 4];
            let feed = if i % 400 == 0 { "\x0C" } else { "" };
            text.extend_from_slice(format!("line {i}{feed}{end}").as_bytes());
        }
        text.extend_from_slice(&b"no ground state ".repeat(400));
        text.extend_from_slice(b"\n\nthe end\n");
        let file = Temp::new("plan-text", &text);
        for options in [&[][..], &["-n"]] {
            let (bytes, ends, error) = read(&mut plan(&file.0, None, options));
            assert!(error.is_none());
            assert_eq!(bytes, text);
            assert!(ends.len() > 30, "{}", ends.len());
            for &end in &ends[..ends.len() - 1] {
                assert!(is_ground(&text, end), "{options:?} {end}");
            }
        }
    }

    #[test]
    fn ranges_of_an_mbox_begin_with_messages() {
        let mut mbox = Vec::new();
        for i in 0..200 {
            let head = format!(
                "From a@b Thu Jan  1 00:00:{:02} 1970\nSubject: {i}\n\n",
                i % 60
            );
            mbox.extend_from_slice(head.as_bytes());
            mbox.extend_from_slice(&b"From here on\n\nFrom x y\n".repeat(i * i % 50));
        }
        let file = Temp::new("plan-mbox", &mbox);
        let container = Container::Mbox(Dialect::Dated);
        for options in [&[][..], &["-n"], &["--format", "{message}"]] {
            let (bytes, ends, error) = read(&mut plan(&file.0, Some(container), options));
            assert!(error.is_none());
            assert_eq!(bytes, mbox);
            assert!(ends.len() > 30, "{}", ends.len());
            for &end in &ends[..ends.len() - 1] {
                assert!(
                    mbox[end..].starts_with(b"From a@b Thu"),
                    "{options:?} {end}"
                );
            }
        }
        // One message is one stretch.
        for options in [&[][..], &["-n"]] {
            let (bytes, ends, _) = read(&mut plan(&file.0, Some(Container::Message), options));
            assert_eq!((bytes, ends), (mbox.clone(), vec![mbox.len()]));
        }
    }

    #[test]
    fn a_file_that_is_made_shorter_ends_there() {
        let text = b"some words\n\n".repeat(1000);
        let file = Temp::new("plan-shorter", &text);
        let mut plan = plan(&file.0, None, &[]);
        let mut first = plan.next().unwrap();
        File::options()
            .write(true)
            .open(&file.0)
            .unwrap()
            .set_len(130)
            .unwrap();
        let (mut buffer, mut bytes) = (Vec::new(), Vec::new());
        while let Some(segment) = first.next(&mut buffer) {
            assert!(!segment.eof);
            bytes.extend_from_slice(&buffer[segment.range]);
        }
        assert_eq!(bytes, text[..130]);
        let mut rest = plan.next().unwrap();
        let segment = rest.next(&mut buffer).unwrap();
        assert!(segment.range.is_empty() && segment.eof && segment.error.is_none());
        assert!(rest.next(&mut buffer).is_none() && plan.next().is_none());
    }

    #[test]
    #[cfg(unix)]
    fn what_cannot_be_read_is_told_once() {
        // A folder can be opened, and not read.
        let (bytes, ends, error) = read(&mut plan(&std::env::temp_dir(), None, &[]));
        assert_eq!((bytes.len(), ends), (0, vec![0]));
        assert!(error.is_some());
    }
}
