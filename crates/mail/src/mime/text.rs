//! The text that the decoding stages pass to each other: bytes, and the place of
//! each in the source.
//!
//! Nearly all text is a copy of the source, so a text is its bytes, the source
//! offset of the first of them, and a list of the exceptions: bytes that were
//! decoded, and places where source bytes were removed. Each stage reads a
//! [`Text`] from the front. A stage that changes text writes another one into a
//! [`TextBuffer`]. What it leaves for the next text is kept by `carry`.

use super::mapped::{MappedBytes, Origin, join_removals, line_feeds};
use urlgrep_base::span::{SeamKind, Span};

/// The maximum length of a token that must be complete before it is read.
pub(super) const MAX_TOKEN: usize = 64 * 1024;

/// Bytes of a text that are not a copy of the source bytes that follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The position of the bytes in the text.
    at: u32,
    /// The number of bytes. 0 for a removal.
    len: u32,
    /// Where they come from. A copy has no bytes here: it only says that the text
    /// continues at another place of the source.
    origin: Origin,
}

impl Entry {
    /// The entry of a text of this one piece.
    pub(super) fn of(piece: &MappedBytes<'_>) -> Entry {
        Entry {
            at: 0,
            len: piece.bytes.len() as u32,
            origin: piece.origin,
        }
    }
}

/// A text that is read from the front.
#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    /// All bytes. Those before `at` were read.
    bytes: &'a [u8],
    at: usize,
    /// The source offset of the next byte minus `at`. It wraps if it is negative.
    base: u64,
    /// The entries that were not read, in order.
    entries: &'a [Entry],
    /// The position of the first entry, or of its rest. `usize::MAX` if there is
    /// no entry.
    limit: usize,
    /// A part of the first entry was read.
    is_cut: bool,
    /// The number of source line feeds that were passed and are not among the
    /// bytes.
    lines: i64,
}

/// A seam, as [`Text::next_seam`] reads it.
pub(super) struct TextSeam {
    pub(super) kind: SeamKind,
    pub(super) source: Span,
    /// The number of bytes of text.
    pub(super) len: u32,
    /// The number of line feeds of the source, minus the number in the text.
    pub(super) lines: i64,
}

impl<'a> Text<'a> {
    /// Bytes of the source from `source` on.
    pub(super) fn copy(bytes: &'a [u8], source: u64) -> Text<'a> {
        Text {
            bytes,
            at: 0,
            base: source,
            entries: &[],
            limit: usize::MAX,
            is_cut: false,
            lines: 0,
        }
    }

    /// A text of one piece, whose entry is `entry`.
    pub(super) fn one(bytes: &'a [u8], entry: &'a Entry) -> Text<'a> {
        let source = match entry.origin {
            Origin::Copy(source) | Origin::Seam(_, Span { start: source, .. }, _) => source,
            Origin::Opaque(_) => 0,
        };
        Text::with(bytes, source, std::slice::from_ref(entry))
    }

    fn with(bytes: &'a [u8], source: u64, entries: &'a [Entry]) -> Text<'a> {
        let mut text = Text::copy(bytes, source);
        text.entries = entries;
        text.find_limit();
        text
    }

    /// The bytes that were not read.
    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// All bytes, including those that were read.
    #[inline]
    pub(super) fn all(&self) -> &'a [u8] {
        self.bytes
    }

    /// The number of bytes that were read.
    #[inline]
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The number of source line feeds that were passed and are not among the bytes.
    #[inline]
    pub(super) fn lines(&self) -> i64 {
        self.lines
    }

    /// True if all was read, including removals after the last byte.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.at == self.bytes.len() && self.entries.is_empty()
    }

    /// The source offset of the next byte, if it has one.
    pub(super) fn source(&self) -> Option<u64> {
        self.clone().next_piece(1)?.start()
    }

    /// The source offset after the next byte, if that is a copy.
    pub(super) fn after_next(&self) -> Option<u64> {
        match self.clone().next_piece(1)?.origin {
            Origin::Copy(source) => Some(source + 1),
            _ => None,
        }
    }

    /// Reads one piece of at most `n` bytes: bytes up to the next entry, or that
    /// entry. `None` at the end of the text.
    #[inline]
    pub(super) fn next_piece(&mut self, n: usize) -> Option<MappedBytes<'a>> {
        if self.limit == self.at {
            return self.next_entry(n);
        }
        let n = n.min(self.limit.min(self.bytes.len()) - self.at);
        let piece = MappedBytes::copy(&self.bytes()[..n], self.base.wrapping_add(self.at as u64));
        self.at += n;
        (n > 0).then_some(piece)
    }

    /// Reads at most `n` bytes of the first entry. Half of an encoded character has
    /// no place in the source.
    fn next_entry(&mut self, n: usize) -> Option<MappedBytes<'a>> {
        let entry = &self.entries[0];
        let end = (entry.at + entry.len) as usize;
        let n = n.min(end - self.at).min(self.bytes.len() - self.at);
        if n == 0 && end > self.at {
            return None;
        }
        let bytes = &self.bytes()[..n];
        self.at += n;
        let was_cut = std::mem::replace(&mut self.is_cut, self.at < end);
        if self.is_cut {
            self.limit = self.at;
        } else {
            self.entries = &self.entries[1..];
            self.find_limit();
            match entry.origin {
                Origin::Copy(next) | Origin::Seam(_, Span { end: next, .. }, _) => {
                    self.base = next.wrapping_sub(end as u64);
                }
                Origin::Opaque(_) => {}
            }
        }
        let origin = if was_cut {
            Origin::Opaque(0)
        } else {
            match entry.origin {
                Origin::Seam(_, _, lines) if self.is_cut => Origin::Opaque(lines),
                origin => origin,
            }
        };
        if let Origin::Seam(_, _, lines) | Origin::Opaque(lines) = origin {
            self.lines += lines;
        }
        Some(MappedBytes { bytes, origin })
    }

    /// Reads the first entry, if it is next, is a seam, and has bytes or is followed by
    /// one. All must be before `end`.
    #[inline(always)] // It runs for each escape in the text of a page.
    pub(super) fn next_seam(&mut self, end: usize) -> Option<TextSeam> {
        let (entry, later) = self.entries.split_first()?;
        let Origin::Seam(kind, source, lines) = entry.origin else {
            return None;
        };
        let entry_end = (entry.at + entry.len) as usize;
        let limit = later.first().map_or(usize::MAX, |next| next.at as usize);
        let is_lone = entry.len > 0 || entry_end < limit && entry_end < end;
        if self.limit != self.at || self.is_cut || entry_end > end || !is_lone {
            return None;
        }
        self.at = entry_end;
        self.limit = limit;
        self.entries = later;
        self.base = source.end.wrapping_sub(entry_end as u64);
        self.lines += lines;
        Some(TextSeam {
            kind,
            source,
            len: entry.len,
            lines,
        })
    }

    /// True if bytes were removed before the next byte.
    #[inline]
    pub(super) fn is_at_removal(&self) -> bool {
        self.limit == self.at && !self.is_cut && self.entries[0].len == 0
    }

    fn find_limit(&mut self) {
        self.limit = match self.entries.first() {
            Some(entry) => entry.at as usize,
            None => usize::MAX,
        };
    }

    /// Reads the next `n` bytes, and removals before them. Returns the place of
    /// their source, if all have one, and the number of line feeds of the source
    /// that are not among the bytes.
    #[inline]
    pub(super) fn pass(&mut self, n: usize) -> (Option<Span>, i64) {
        let end = self.at + n;
        if self.limit < end {
            return self.pass_entries(end);
        }
        let start = self.base.wrapping_add(self.at as u64);
        self.at = end;
        (Some(Span::new(start, start + n as u64)), 0)
    }

    /// As [`Text::pass`], up to `end`, which is after the start of an entry.
    fn pass_entries(&mut self, end: usize) -> (Option<Span>, i64) {
        let mut start = self.base.wrapping_add(self.at as u64);
        let mut is_known = true;
        let before = self.lines;
        while let [entry, later @ ..] = self.entries
            && (entry.at as usize) < end
        {
            let entry_end = (entry.at + entry.len) as usize;
            let was_cut = std::mem::replace(&mut self.is_cut, entry_end > end);
            match entry.origin {
                Origin::Copy(next) => {
                    if entry_end == self.at {
                        start = next;
                    }
                    self.base = next.wrapping_sub(entry_end as u64);
                }
                Origin::Seam(_, source, lines) => {
                    self.lines += if was_cut { 0 } else { lines };
                    self.base = source.end.wrapping_sub(entry_end as u64);
                }
                Origin::Opaque(lines) => {
                    self.lines += if was_cut { 0 } else { lines };
                    is_known &= entry.len == 0;
                }
            }
            is_known &= !was_cut;
            if self.is_cut {
                self.at = end;
                self.limit = end;
                return (None, self.lines - before);
            }
            self.entries = later;
        }
        self.at = end;
        self.find_limit();
        let source = Span::new(start, self.base.wrapping_add(end as u64));
        (is_known.then_some(source), self.lines - before)
    }

    /// Reads the removals before the next byte.
    pub(super) fn pass_removals(&mut self) {
        while self.is_at_removal() {
            self.next_piece(0);
        }
    }

    /// Reads the next `n` bytes, if they are a copy. Returns them and their source
    /// offset.
    #[inline]
    pub(super) fn pass_copy(&mut self, n: usize) -> Option<(&'a [u8], u64)> {
        let end = self.at + n;
        (end <= self.limit).then(|| {
            let copy = (
                &self.bytes[self.at..end],
                self.base.wrapping_add(self.at as u64),
            );
            self.at = end;
            copy
        })
    }

    /// The places at or after the next byte where bytes were removed.
    pub(super) fn removals(&self) -> Removals<'a> {
        let mut removals = Removals {
            entries: self.entries,
            at: 0,
        };
        removals.next();
        removals
    }

    /// Reads the next `n` bytes, and removals before them, as a text of their own.
    /// At the end of the text, removals after them are included.
    pub(super) fn take(&mut self, n: usize) -> Text<'a> {
        let mut taken = self.clone();
        self.pass(n);
        while self.at == self.bytes.len() && self.next_piece(0).is_some() {}
        taken.bytes = &self.bytes[..self.at];
        let read = taken.entries.len() - self.entries.len() + usize::from(self.is_cut);
        taken.entries = &taken.entries[..read];
        if read == 0 {
            taken.limit = usize::MAX;
        }
        taken
    }
}

/// The places in a text where bytes were removed, in order.
pub(super) struct Removals<'a> {
    entries: &'a [Entry],
    at: usize,
}

impl Removals<'_> {
    /// The position of the next place. `usize::MAX` if there is none.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn next(&mut self) {
        let is_removal = |entry: &Entry| entry.len == 0;
        self.at = usize::MAX;
        if let Some(i) = self.entries.iter().position(is_removal) {
            self.at = self.entries[i].at as usize;
            self.entries = &self.entries[i + 1..];
        } else {
            self.entries = &[];
        }
    }
}

/// Counts the source lines before places of a text, in the order of the places.
pub(super) struct Lines {
    /// Lines are counted.
    pub(super) is_on: bool,
    /// The last place, and the lines passed there.
    at: usize,
    passed: i64,
    count: i64,
}

impl Lines {
    /// Counts from the next byte of `text` on.
    pub(super) fn of(text: &Text<'_>) -> Lines {
        Lines {
            is_on: true,
            at: text.at,
            passed: text.lines,
            count: 0,
        }
    }

    /// The number of line feeds before the next byte of `text`.
    pub(super) fn up_to(&mut self, text: &Text<'_>) -> i64 {
        if self.is_on {
            self.count += line_feeds(&text.bytes[self.at..text.at]) + text.lines - self.passed;
            self.at = text.at;
            self.passed = text.lines;
        }
        self.count
    }
}

/// A text that is being written.
#[derive(Debug)]
pub(super) struct TextBuffer {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// The source offset of the first byte.
    source: u64,
    /// The source offset after the last byte. `u64::MAX` if it is unknown.
    next: u64,
    /// The places of bytes are kept. If not, all text is a copy from anywhere.
    pub(super) is_mapped: bool,
}

impl Default for TextBuffer {
    fn default() -> TextBuffer {
        TextBuffer {
            bytes: Vec::new(),
            entries: Vec::new(),
            source: 0,
            next: u64::MAX,
            is_mapped: true,
        }
    }
}

impl TextBuffer {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.next = u64::MAX;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// Makes room for this many bytes and entries if there is none.
    pub(super) fn make_room(&mut self, bytes: usize, entries: usize) {
        if self.bytes.capacity() == 0 {
            self.bytes.reserve(bytes);
            self.entries
                .reserve(if self.is_mapped { entries } else { 0 });
        }
    }

    /// The number of bytes and entries.
    #[inline]
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + self.entries.len()
    }

    /// The text so far.
    pub(super) fn text(&self) -> Text<'_> {
        Text::with(&self.bytes, self.source, &self.entries)
    }

    /// Appends the next `n` bytes of `text`, and removals before them.
    #[inline]
    pub(super) fn copy(&mut self, text: &mut Text<'_>, n: usize) {
        let (end, source) = (text.at + n, text.base.wrapping_add(text.at as u64));
        // Nearly all text is copied.
        if end <= text.limit && (source == self.next || !self.is_mapped) {
            self.bytes.extend_from_slice(&text.bytes[text.at..end]);
            self.next = source.wrapping_add(n as u64);
            text.at = end;
            return;
        }
        while text.at < end
            && let Some(piece) = text.next_piece(end - text.at)
        {
            self.put(&piece);
        }
    }

    /// Appends the rest of `text`.
    pub(super) fn copy_all(&mut self, mut text: Text<'_>) {
        while let Some(piece) = text.next_piece(usize::MAX) {
            self.put(&piece);
        }
    }

    /// Appends `plain` bytes of `text`, and `byte` in place of the next `n`: as
    /// [`TextBuffer::copy`] and [`TextBuffer::seam`], which take twice the time.
    #[inline(always)] // It runs for each escape.
    pub(super) fn escape(
        &mut self,
        text: &mut Text<'_>,
        plain: usize,
        n: usize,
        kind: SeamKind,
        byte: Option<u8>,
        lines: i64,
    ) {
        let (escape, end) = (text.at + plain, text.at + plain + n);
        let source = text.base.wrapping_add(escape as u64);
        let is_next = source.wrapping_sub(plain as u64) == self.next || !self.is_mapped;
        let is_copy = end <= text.limit && is_next;
        // Two adjacent removals may be one.
        if !is_copy || plain == 0 && byte.is_none() {
            self.copy(text, plain);
            self.seam(text, n, kind, byte.as_slice(), lines);
            return;
        }
        self.bytes.extend_from_slice(&text.bytes[text.at..escape]);
        let at = self.bytes.len() as u32;
        let len = u32::from(byte.is_some());
        self.next = source.wrapping_add(n as u64);
        text.at = end;
        if self.is_mapped {
            let origin = Origin::Seam(kind, Span::new(source, self.next), lines);
            self.entries.push(Entry { at, len, origin });
        }
        if let Some(byte) = byte {
            self.bytes.push(byte);
        }
    }

    /// Appends `bytes` in place of the next `n` bytes of `text`. `lines` is the
    /// number of line feeds among those bytes, minus the number in `bytes`.
    pub(super) fn seam(
        &mut self,
        text: &mut Text<'_>,
        n: usize,
        kind: SeamKind,
        bytes: &[u8],
        lines: i64,
    ) {
        while text.is_at_removal()
            && let Some(piece) = text.next_piece(0)
        {
            self.put(&piece);
        }
        let (source, more) = text.pass(n);
        self.put(&match source {
            Some(source) => MappedBytes::seam(kind, source, bytes, lines + more),
            None => MappedBytes::opaque(bytes, lines + more),
        });
    }

    /// Appends a piece.
    #[inline]
    pub(super) fn put(&mut self, piece: &MappedBytes<'_>) {
        match piece.origin {
            Origin::Copy(source) if source == self.next => self.next += piece.bytes.len() as u64,
            _ if piece.is_nothing() || !self.is_mapped => {}
            _ => self.put_entry(piece),
        }
        self.bytes.extend_from_slice(piece.bytes);
    }

    #[inline]
    fn put_entry(&mut self, piece: &MappedBytes<'_>) {
        let at = self.bytes.len() as u32;
        let mut len = piece.bytes.len() as u32;
        match piece.origin {
            Origin::Copy(source) => {
                self.next = source + u64::from(len);
                if self.is_empty() {
                    self.source = source;
                    return;
                }
                len = 0;
            }
            Origin::Seam(_, source, _) => {
                if self.is_empty() {
                    self.source = source.start;
                }
                self.next = source.end;
            }
            // A copy after it says where the text continues.
            Origin::Opaque(_) => self.next = u64::MAX,
        }
        let origin = piece.origin;
        // Removals without text between them must not accumulate. As in the map of
        // the text, there are at most two at a place.
        if len == 0
            && let [before @ .., last] = &mut self.entries[..]
            && (last.at, last.len) == (at, 0)
            && !matches!(
                (last.origin, origin),
                (Origin::Copy(_), _) | (_, Origin::Copy(_))
            )
            && (is_one_removal(last.origin, origin)
                || before.last().is_some_and(|e| (e.at, e.len) == (at, 0)))
        {
            last.origin = join_removals(last.origin, origin);
            return;
        }
        self.entries.push(Entry { at, len, origin });
    }
}

/// True if two adjacent removals have the same kind, and no gap between them.
pub(super) fn is_one_removal(a: Origin, b: Origin) -> bool {
    match (a, b) {
        (Origin::Seam(k, s, _), Origin::Seam(l, t, _)) => k == l && s.end == t.start,
        (Origin::Opaque(_), Origin::Opaque(_)) => true,
        _ => false,
    }
}
