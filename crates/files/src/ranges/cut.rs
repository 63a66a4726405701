//! The places where a file can be cut.
//!
//! `Cutter` is the only code that decides where a file can be cut. It does
//! not read. It gets the bytes around a place from one of two callers:
//!
//! * `CutReader` reads a source from any offset. It takes the *first* cut at
//!   or after an offset, so that all readers of a source choose the same cut.
//! * The engine reads a stream a segment at a time. It takes the *last* cut of a
//!   segment, so that it keeps few bytes for the next one.

use std::io::{self, Read};
use std::ops::Range;

use super::read;
use super::read::{RangeReader, ReadAt};
use urlgrep_containers::{Container, Dialect, MessageFinder, MessageStart};
use urlgrep_find::scan::{NEXT_LINE_MAX, is_ground};

/// The number of bytes before and after a place that decide whether a file can
/// be cut there. See [`is_ground`].
pub const LOOK: usize = NEXT_LINE_MAX + 16;
/// The number of bytes before a place that show whether the place is in base64,
/// and a line more. See [`is_ground`].
const BEHIND: usize = 24 << 10;
/// The size of a read in bytes.
const BLOCK: usize = 32 << 10;
/// The size of the first read in bytes after the offset from which a cut is
/// searched. It is smaller, because the cut is likely to be near.
const FIRST: usize = 8 << 10;
/// In base64 a file is cut only at the first line start at or after a multiple
/// of this. Examining each short line would take too long.
const GRID: u64 = 32 << 10;
/// The length of a line of base64 with its line break.
const BASE64_LINE: u64 = 78;
/// The distance to the next examined place after a place near a form feed,
/// which is not a ground state. Each examination costs `2 * LOOK` bytes. The
/// distance keeps the search for the last place linear.
const STRIDE: usize = LOOK / 2;
/// The number of bytes of plain text that are searched for the last place to
/// cut it. It contains a place of the grid.
const REACH: u64 = 64 << 10;

/// Where a file can be cut if only a part of it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutRule {
    /// At ground states of text.
    Ground,
    /// Before messages of an mbox.
    Message(Dialect),
    /// Nowhere.
    Nowhere,
}

impl CutRule {
    pub(crate) fn of(container: Container) -> CutRule {
        match container {
            Container::Text => CutRule::Ground,
            Container::Mbox(dialect) => CutRule::Message(dialect),
            _ => CutRule::Nowhere,
        }
    }

    /// The first place in `from..limit` where `src` can be cut. See
    /// [`CutReader::first`].
    pub(crate) fn first(
        self,
        src: &(impl ReadAt + ?Sized),
        from: u64,
        limit: u64,
    ) -> io::Result<Option<u64>> {
        CutReader::new(src, self, from, None).first(from, limit, |_| true)
    }

    /// The first place after the unreadable bytes at `hole` where `src` can be
    /// cut. The [`LOOK`] bytes before the place must be readable. The place
    /// depends on the bytes around it, and on which bytes are readable. `None`
    /// if there is no such place, or if more than 1 MiB cannot be read.
    fn after_hole(self, src: &(impl ReadAt + ?Sized), mut hole: u64) -> Option<u64> {
        if self == CutRule::Nowhere {
            return None;
        }
        loop {
            let start = read::after_hole(src, hole)?;
            let mut rdr = CutReader::above(src, self, start, None);
            match rdr.first(start + LOOK as u64, u64::MAX, |_| true) {
                Ok(place) => return place,
                Err(_) => hole = rdr.end(),
            }
        }
    }

    /// Moves `rdr` past the unreadable bytes of a read error to the next place
    /// that can be cut. Returns that place. See [`CutRule::after_hole`].
    pub(crate) fn resume<S: ReadAt>(self, rdr: &mut RangeReader<S>) -> Option<u64> {
        let at = self.after_hole(&rdr.src, rdr.at)?;
        rdr.skip_to(at);
        Some(at)
    }

    /// A cutter for the part of a file from the offset `at` on. The first
    /// [`LOOK`] bytes of the part may have cuts that it does not find.
    fn cutter(self, at: u64) -> Cutter {
        match self {
            CutRule::Ground => Cutter::Ground,
            CutRule::Message(dialect) if at == 0 => Cutter::messages(Container::Mbox(dialect)),
            CutRule::Message(dialect) => Cutter::inside(dialect, at),
            CutRule::Nowhere => Cutter::Nowhere,
        }
    }
}

/// A part of a file that is in memory.
pub(crate) struct View<'a> {
    pub bytes: &'a [u8],
    /// The offset of the first byte.
    pub base: u64,
    /// The file ends after these bytes.
    pub eof: bool,
}

impl<'a> View<'a> {
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// The index of the byte at an offset. Offsets outside of the part become
    /// its start or its end.
    fn index(&self, offset: u64) -> usize {
        let index = offset.saturating_sub(self.base);
        index.min(self.bytes.len() as u64) as usize
    }

    /// The bytes of the part between two offsets.
    fn between(&self, from: u64, to: u64) -> &'a [u8] {
        self.bytes
            .get(self.index(from)..self.index(to))
            .unwrap_or_default()
    }

    /// The line starts in `range` that may be ground states: those after a
    /// blank line, and those on the grid.
    fn places(&self, range: Range<u64>) -> impl DoubleEndedIterator<Item = usize> + use<'a> {
        let (bytes, base) = (self.bytes, self.base);
        // The line feed before a place must be in the part.
        let from = self.index(range.start).max(1);
        let ends = bytes.get(from - 1..self.index(range.end).saturating_sub(1));
        memchr::memchr_iter(b'\n', ends.unwrap_or_default())
            .map(move |at| from + at)
            .filter(move |&at| follows_blank_line(bytes, at) || is_on_grid(bytes, base, at))
    }
}

/// Decides where a file can be cut. Its caller gives it the bytes in order, each
/// time as a [`View`] that has the last [`LOOK`] bytes of the previous one.
pub(crate) enum Cutter {
    /// At ground states.
    Ground,
    /// Before messages.
    Message(Box<Messages>),
    /// Nowhere.
    Nowhere,
}

/// The beginnings of messages.
pub(crate) struct Messages {
    finder: MessageFinder,
    /// Offset after the last byte that was fed to the finder.
    fed: u64,
    /// The messages that were found and not passed.
    starts: Vec<MessageStart>,
    /// The number of the last message that was passed. 0 if messages have no
    /// numbers.
    number: u64,
    /// Whether the finder has received the end of the file.
    finished: bool,
}

impl Cutter {
    /// Cuts between the messages of a whole stream. They are numbered.
    pub(crate) fn messages(container: Container) -> Cutter {
        Cutter::new(MessageFinder::new(container), 0, 1)
    }

    /// Cuts between the messages of an mbox from the offset `at` on. They have
    /// no numbers.
    pub(crate) fn inside(dialect: Dialect, at: u64) -> Cutter {
        Cutter::new(MessageFinder::inside(dialect, at), at, 0)
    }

    fn new(finder: MessageFinder, fed: u64, number: u64) -> Cutter {
        Cutter::Message(Box::new(Messages {
            finder,
            fed,
            starts: Vec::new(),
            number,
            finished: false,
        }))
    }

    /// Examines the new bytes of `view`. Returns the offset up to which all cuts
    /// are known.
    pub(crate) fn feed(&mut self, view: &View<'_>) -> u64 {
        match self {
            Cutter::Ground if !view.eof => view.end().saturating_sub(LOOK as u64),
            Cutter::Ground | Cutter::Nowhere => view.end(),
            Cutter::Message(messages) => messages.feed(view),
        }
    }

    /// The first cut in `from..known` of `view`. `known` is the result of
    /// [`Cutter::feed`].
    fn first(&self, view: &View<'_>, from: u64, known: u64) -> Option<u64> {
        match self {
            Cutter::Ground => view
                .places(from..known)
                .find(|&at| is_ground(view.bytes, at))
                .map(|at| view.base + at as u64),
            Cutter::Message(messages) => {
                let mut starts = messages.starts.iter().map(|start| start.offset);
                starts.find(|&start| start >= from)
            }
            Cutter::Nowhere => None,
        }
    }

    /// The last cut of `view` after `from` and at or before `to`. In plain text
    /// only the last [`REACH`] bytes are searched.
    pub(crate) fn last(&self, view: &View<'_>, from: u64, to: u64) -> Option<u64> {
        match self {
            Cutter::Ground => {
                let from = from.max(to.saturating_sub(REACH));
                let mut next = usize::MAX;
                for at in view.places(from + 1..to + 1).rev() {
                    if at <= next && is_ground(view.bytes, at) {
                        return Some(view.base + at as u64);
                    }
                    next = next.min(at.saturating_sub(STRIDE));
                }
                None
            }
            Cutter::Message(messages) => {
                let starts = messages.starts.iter().map(|start| start.offset);
                starts
                    .rev()
                    .find(|&start| start <= to)
                    .filter(|&start| start > from)
            }
            Cutter::Nowhere => None,
        }
    }

    /// Forgets the cuts at or before `to`.
    pub(crate) fn pass(&mut self, to: u64) {
        let Cutter::Message(messages) = self else {
            return;
        };
        let done = messages.starts.partition_point(|start| start.offset <= to);
        if let Some(start) = messages.starts.drain(..done).next_back()
            && messages.number > 0
        {
            messages.number = start.number;
        }
    }

    /// The number of the last message at or before the offset given to
    /// [`Cutter::pass`]. `None` if the cutter does not find messages.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Cutter::Message(messages) => Some(messages.number),
            Cutter::Ground | Cutter::Nowhere => None,
        }
    }
}

impl Messages {
    fn feed(&mut self, view: &View<'_>) -> u64 {
        let bytes = view.between(self.fed, u64::MAX);
        self.finder.feed(bytes, &mut self.starts);
        self.fed = self.fed.max(view.end());
        if !view.eof {
            return self.finder.settled();
        }
        if !std::mem::replace(&mut self.finished, true) {
            self.finder.finish(&mut self.starts);
        }
        view.end()
    }
}

/// Reads a source from an offset on, and finds cuts. It reads no byte twice.
pub(crate) struct CutReader<S> {
    rdr: RangeReader<S>,
    rule: CutRule,
    /// The last bytes that were read.
    buffer: Vec<u8>,
    /// The offset of the first byte in the buffer.
    base: u64,
    /// The offset of the first byte that was not passed on.
    at: u64,
    eof: bool,
}

impl<S: ReadAt> CutReader<S> {
    /// The bytes before a place that a reader keeps, or reads first.
    const KEEP: usize = BEHIND + LOOK;

    /// A reader that finds cuts at or after `from`. `size` was the size of the
    /// source when it was opened, if known.
    pub(crate) fn new(src: S, rule: CutRule, from: u64, size: Option<u64>) -> CutReader<S> {
        let behind = match rule {
            CutRule::Ground => CutReader::<S>::KEEP,
            CutRule::Message(_) => LOOK,
            CutRule::Nowhere => 0,
        };
        CutReader::above(src, rule, from.saturating_sub(behind as u64), size)
    }

    /// A reader that reads no bytes before `base`. It finds cuts from [`LOOK`]
    /// bytes after `base` on.
    fn above(src: S, rule: CutRule, base: u64, size: Option<u64>) -> CutReader<S> {
        CutReader {
            rdr: RangeReader::new(src, base, u64::MAX, size),
            rule,
            buffer: Vec::new(),
            base,
            at: base,
            eof: false,
        }
    }

    /// The offset after the last byte that was read.
    fn end(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }

    /// The first place in `from..limit` where the source can be cut. The place
    /// depends only on the bytes around it. So every caller with the same `from`
    /// gets the same place. `from` must not be before an earlier result.
    ///
    /// Gives the bytes before the place to `pass`, from the previous result on.
    /// They continue to the end of the source if there is no place. Stops if
    /// `pass` returns false.
    ///
    /// # Errors
    ///
    /// Read errors of the source. All bytes before `from` that can be read were
    /// given to `pass`, and those after it that no cut precedes.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes up to the place, or up to `limit`.
    pub(crate) fn first(
        &mut self,
        from: u64,
        limit: u64,
        mut pass: impl FnMut(&[u8]) -> bool,
    ) -> io::Result<Option<u64>> {
        if from == 0 {
            return Ok((limit > 0).then_some(0));
        }
        let mut cutter = self
            .rule
            .cutter(self.base.max(from.saturating_sub(LOOK as u64)));
        let mut step = FIRST / 2;
        loop {
            let view = View {
                bytes: &self.buffer,
                base: self.base,
                eof: self.eof,
            };
            let known = cutter.feed(&view);
            let cut = cutter.first(&view, from.max(self.at), known);
            let to = cut.unwrap_or(known.max(from)).min(view.end()).max(self.at);
            let goes_on = to == self.at || pass(view.between(self.at, to));
            self.at = to;
            if cut.is_some() || !goes_on || self.eof || known >= limit {
                return Ok(cut.filter(|&cut| cut < limit));
            }
            // Read little beyond `from` and beyond `limit`.
            let end = self.end();
            let size = match from.saturating_sub(end) {
                0 => {
                    step = BLOCK.min(2 * step);
                    step
                }
                left => BLOCK.min(usize::try_from(left).unwrap_or(BLOCK).saturating_add(FIRST)),
            };
            let left = limit.saturating_sub(end).saturating_add(FIRST as u64);
            self.read(usize::try_from(left).map_or(size, |left| size.min(left)))?;
        }
    }

    /// Reads at most `size` bytes.
    fn read(&mut self, size: usize) -> io::Result<()> {
        let drop = self.buffer.len().saturating_sub(Self::KEEP);
        let drop = drop.min((self.at - self.base) as usize);
        // Do not move the bytes that are kept at each short read.
        if drop >= BLOCK {
            self.buffer.drain(..drop);
            self.base += drop as u64;
        }
        let len = self.buffer.len();
        self.buffer.resize(len + size, 0);
        let result = self.rdr.read(&mut self.buffer[len..]);
        let n = *result.as_ref().unwrap_or(&0);
        self.buffer.truncate(len + n);
        self.eof = result? == 0;
        Ok(())
    }
}

/// True if the line before the line at `at` is empty. Only such places, and
/// places in base64, are examined for a ground state.
fn follows_blank_line(hay: &[u8], at: usize) -> bool {
    let before = hay.get(..at.saturating_sub(1)).unwrap_or_default();
    before
        .strip_suffix(b"\r")
        .unwrap_or(before)
        .ends_with(b"\n")
}

/// The last place at or before `limit` where plain text can be cut. Also
/// returns the number of line feeds between that place and `end`.
pub fn last_ground(
    src: &(impl ReadAt + ?Sized),
    limit: u64,
    end: u64,
) -> io::Result<Option<(u64, u64)>> {
    let base = limit.saturating_sub(REACH + (BEHIND + LOOK) as u64);
    let mut bytes = vec![0; (end - base) as usize];
    let (len, result) = read::fill(src, &mut bytes, base);
    result?;
    let view = View {
        bytes: &bytes[..len],
        base,
        eof: false,
    };
    Ok(Cutter::Ground.last(&view, base, limit).map(|place| {
        let breaks = memchr::memchr_iter(b'\n', view.between(place, end)).count();
        (place, breaks as u64)
    }))
}

/// True if the line that starts at `at` is the first at or after a multiple of
/// [`GRID`].
fn is_on_grid(hay: &[u8], base: u64, at: usize) -> bool {
    let past = (base + at as u64) % GRID;
    if past >= BASE64_LINE {
        return false;
    }
    let from = (at - 1).saturating_sub(past as usize);
    past == 0 || !hay[from..at - 1].contains(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cuts_do_not_depend_on_the_start_of_the_search() {
        let base64 = [&b"Az09+/".repeat(12)[..], b"AA==\n"].concat().repeat(900);
        let mut text = b"words\nmore\n\nhttp://a.example/\r\n\r\nx\n\x0C\n\nb\n".repeat(40);
        text.extend_from_slice(&base64);
        text.extend_from_slice(&b"end\n\nof it\n".repeat(300));
        let len = text.len() as u64;
        let mut first = |from| CutRule::Ground.first(&text, from, u64::MAX).unwrap();
        let mut all: Vec<u64> = (0..len).step_by(97).filter_map(&mut first).collect();
        all.dedup();
        assert!(all.len() > 30, "{}", all.len());
        for (i, &place) in all.iter().enumerate() {
            assert!(i == 0 || place > all[i - 1] && is_ground(&text, place as usize));
            assert_eq!(first(place), Some(place));
        }
        assert!(all.iter().any(|&p| text[p as usize..].starts_with(b"Az09")));
        assert_eq!(CutRule::Ground.first(&text, 5, 5).unwrap(), None);
    }

    #[test]
    fn messages_are_found_wherever_the_search_begins() {
        let one = b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nFrom here on\n\n";
        let mbox = one.repeat(50);
        for from in 0..mbox.len() as u64 {
            let place = CutRule::Message(Dialect::Dated);
            let found = place.first(&mbox, from, u64::MAX).unwrap();
            let len = one.len() as u64;
            let next = from.div_ceil(len) * len;
            assert_eq!(found, (next < mbox.len() as u64).then_some(next), "{from}");
            assert_eq!(place.first(&mbox, from, next).unwrap(), None);
        }
    }
}
