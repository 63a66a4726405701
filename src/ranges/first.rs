//! The first place at or after an offset where a file can be cut.

use std::io;

#[cfg(feature = "engine")]
use super::read;
use super::read::{ReadAt, fill};
use crate::mail::{Container, Dialect, MessageFinder};
use crate::scan::{NEXT_LINE_MAX, is_ground};

/// The number of bytes before and after a place that decide whether a file can
/// be cut there.
pub(crate) const LOOK: usize = NEXT_LINE_MAX;
/// The number of bytes before a place that show whether the place is in base64.
/// See [`is_ground`].
const BEHIND: u64 = 24 << 10;
/// The size of a read in bytes.
const BLOCK: usize = 32 << 10;
/// The size of the first read in bytes. It is smaller, because the place is
/// likely to be near.
const FIRST: usize = 8 << 10;
/// In base64 a file is cut only at the first line start at or after a multiple
/// of this. Examining each short line would take too long.
const GRID: u64 = 32 << 10;
/// The length of a line of base64 with its line break.
const BASE64_LINE: u64 = 78;

/// The distance to the next examined place after a place near a form feed,
/// which is not a ground state. Each examination costs `2 * LOOK` bytes. The
/// distance keeps the search linear in the segment.
#[cfg(feature = "engine")]
const STRIDE: usize = LOOK / 2;
/// The number of bytes at the end of a plain text that are searched for a
/// place to cut it.
#[cfg(feature = "ledger")]
const REACH: u64 = 64 << 10;

/// Where a file can be cut.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CutRule {
    /// At ground states of text.
    Ground,
    /// Before messages of an mbox.
    Message(Dialect),
    /// Nowhere.
    Nowhere,
}

impl CutRule {
    /// Where a file of this container can be cut if only a part of it is read.
    pub(crate) fn of(container: Container) -> CutRule {
        match container {
            Container::Text => CutRule::Ground,
            Container::Mbox(dialect) => CutRule::Message(dialect),
            _ => CutRule::Nowhere,
        }
    }

    /// The first place in `from..limit` where `src` can be cut. The place
    /// depends only on the bytes around it. So every caller with the same
    /// `from` gets the same place.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes from `from` to the place. 25 KiB before `from` are
    /// read as well.
    pub(crate) fn first(
        self,
        src: &(impl ReadAt + ?Sized),
        from: u64,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> io::Result<Option<u64>> {
        if from == 0 {
            return Ok((limit > 0).then_some(0));
        }
        self.first_above(src, 0, from, limit, buffer)
            .map_err(|unread| unread.error)
    }

    /// As [`CutRule::first`], but never reads bytes before `floor`.
    fn first_above(
        self,
        src: &(impl ReadAt + ?Sized),
        floor: u64,
        from: u64,
        limit: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<u64>, Unread> {
        match self {
            CutRule::Ground => ground(src, floor, from, limit, buffer),
            CutRule::Message(dialect) => message(src, dialect, from, limit, buffer),
            CutRule::Nowhere => Ok(None),
        }
    }

    /// The first place after the unreadable bytes at `hole` where `src` can be
    /// cut. The [`LOOK`] bytes before the place must be readable. The place
    /// depends on the bytes around it, and on which bytes are readable. `None`
    /// if there is no such place, or if more than 1 MiB cannot be read.
    #[cfg(feature = "engine")]
    pub(crate) fn after_hole(self, src: &(impl ReadAt + ?Sized), mut hole: u64) -> Option<u64> {
        if let CutRule::Nowhere = self {
            return None;
        }
        let mut buffer = Vec::new();
        loop {
            let start = read::after_hole(src, hole)?;
            match self.first_above(src, start, start + LOOK as u64, u64::MAX, &mut buffer) {
                Ok(place) => return place,
                Err(unread) => hole = unread.at,
            }
        }
    }
}

/// A read that failed, and its offset.
struct Unread {
    #[cfg_attr(
        not(feature = "engine"),
        expect(dead_code, reason = "only the engine continues after unreadable bytes")
    )]
    at: u64,
    error: io::Error,
}

/// Reads `want` bytes at the offset `at`. Returns them, and whether the source
/// ends with them.
fn read<'b>(
    src: &(impl ReadAt + ?Sized),
    at: u64,
    want: usize,
    buffer: &'b mut Vec<u8>,
) -> Result<(&'b [u8], bool), Unread> {
    if buffer.len() < want {
        buffer.resize(want, 0);
    }
    match fill(src, &mut buffer[..want], at) {
        (len, Ok(())) => Ok((&buffer[..len], len < want)),
        (len, Err(error)) => Err(Unread {
            at: at + len as u64,
            error,
        }),
    }
}

fn message(
    src: &(impl ReadAt + ?Sized),
    dialect: Dialect,
    from: u64,
    limit: u64,
    buffer: &mut Vec<u8>,
) -> Result<Option<u64>, Unread> {
    // The previous line matters, but not its start.
    let mut at = from.saturating_sub(LOOK as u64);
    let mut cutter = match at {
        0 => MessageFinder::new(Container::Mbox(dialect)),
        at => MessageFinder::inside(dialect, at),
    };
    let (mut cuts, mut size) = (Vec::new(), FIRST);
    loop {
        let (bytes, eof) = read(src, at, size, buffer)?;
        cutter.feed(bytes, &mut cuts);
        at += bytes.len() as u64;
        if eof {
            cutter.finish(&mut cuts);
        }
        if let Some(cut) = cuts.iter().find(|cut| cut.offset >= from) {
            return Ok((cut.offset < limit).then_some(cut.offset));
        }
        if eof || cutter.settled() >= limit {
            return Ok(None);
        }
        cuts.clear();
        size = BLOCK;
    }
}

fn ground(
    src: &(impl ReadAt + ?Sized),
    floor: u64,
    from: u64,
    limit: u64,
    buffer: &mut Vec<u8>,
) -> Result<Option<u64>, Unread> {
    let (mut at, mut size) = (from, FIRST);
    loop {
        let base = at.saturating_sub(BEHIND + LOOK as u64).max(floor);
        let start = (at - base) as usize;
        let (hay, eof) = read(src, base, start + size + LOOK, buffer)?;
        // `hay` holds all bytes that decide about places before `end`.
        let end = if eof { hay.len() } else { start + size };
        if let Some(place) = first_ground(hay, base, start, end) {
            let place = base + place as u64;
            return Ok((place < limit).then_some(place));
        }
        at += size as u64;
        if eof || at >= limit {
            return Ok(None);
        }
        size = BLOCK;
    }
}

/// The first place in `from..to` of `hay` that is a ground state after a blank
/// line or on the grid. `base` is the offset of the first byte of `hay`.
fn first_ground(hay: &[u8], base: u64, from: usize, to: usize) -> Option<usize> {
    let ends = hay.get(from.checked_sub(1)?..to.checked_sub(1)?)?;
    memchr::memchr_iter(b'\n', ends)
        .map(|at| from + at)
        .find(|&at| {
            (follows_blank_line(hay, at) || is_on_grid(hay, base, at)) && is_ground(hay, at)
        })
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

/// The last place in `from + 1..=to` where `hay` can be cut after a blank
/// line.
#[cfg(feature = "engine")]
pub(crate) fn blank_line(hay: &[u8], from: usize, mut to: usize) -> Option<usize> {
    while to > from {
        let at = from + memchr::memrchr(b'\n', &hay[from..to])? + 1;
        to = if !follows_blank_line(hay, at) {
            at - 1
        } else if is_ground(hay, at) {
            return Some(at);
        } else {
            at.saturating_sub(STRIDE)
        };
    }
    None
}

/// The last place at or before `limit` where plain text can be cut. Also
/// returns the number of line feeds between that place and `end`.
#[cfg(feature = "ledger")]
pub(crate) fn last_ground(
    src: &(impl ReadAt + ?Sized),
    limit: u64,
    end: u64,
) -> io::Result<Option<(u64, u64)>> {
    let from = limit.saturating_sub(REACH);
    let base = from.saturating_sub(BEHIND + LOOK as u64);
    let mut buffer = Vec::new();
    let (hay, _) =
        read(src, base, (end - base) as usize, &mut buffer).map_err(|unread| unread.error)?;
    let place = hay
        .get(..(limit - base) as usize)
        .and_then(|known| blank_line(hay, (from - base) as usize, known.len()));
    Ok(place.map(|at| {
        let breaks = memchr::memchr_iter(b'\n', &hay[at..]).count() as u64;
        (base + at as u64, breaks)
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
        let mut buffer = Vec::new();
        let len = text.len() as u64;
        let mut first = |from| {
            CutRule::Ground
                .first(&text, from, u64::MAX, &mut buffer)
                .unwrap()
        };
        let mut all: Vec<u64> = (0..len).step_by(97).filter_map(&mut first).collect();
        all.dedup();
        assert!(all.len() > 30, "{}", all.len());
        for (i, &place) in all.iter().enumerate() {
            assert!(i == 0 || place > all[i - 1] && is_ground(&text, place as usize));
            assert_eq!(first(place), Some(place));
        }
        assert!(all.iter().any(|&p| text[p as usize..].starts_with(b"Az09")));
        assert_eq!(
            CutRule::Ground.first(&text, 5, 5, &mut buffer).unwrap(),
            None
        );
    }

    #[test]
    fn messages_are_found_wherever_the_search_begins() {
        let one = b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nFrom here on\n\n";
        let mbox = one.repeat(50);
        let mut buffer = Vec::new();
        for from in 0..mbox.len() as u64 {
            let place = CutRule::Message(Dialect::Dated);
            let found = place.first(&mbox, from, u64::MAX, &mut buffer).unwrap();
            let len = one.len() as u64;
            let next = from.div_ceil(len) * len;
            assert_eq!(found, (next < mbox.len() as u64).then_some(next), "{from}");
            assert_eq!(place.first(&mbox, from, next, &mut buffer).unwrap(), None);
        }
    }
}
