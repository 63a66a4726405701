//! The last step: joins pieces into chunks. All chunks of a text share one map.

use urlgrep_base::span::{SeamKind, SourceMap, Span};

use super::mapped::{MappedBytes, Origin, join_removals, line_feeds};
use super::note::{MessageNote, MessageNoteKind};
use super::part::Part;
use super::sink::MailSink;
use super::text::{Text, is_one_removal};

/// The context that every stage needs besides its own state.
pub(super) struct Cx<'a, S> {
    pub(super) sink: &'a mut S,
    /// The current part.
    pub(super) part: &'a Part,
    /// A bit set of the kinds of notes that were already reported for this
    /// part.
    pub(super) noted: &'a mut u32,
}

impl<S: MailSink> Cx<'_, S> {
    /// Reports a tolerated fault. Each kind is reported once per part, because
    /// a hostile part could have a fault in every byte.
    pub(super) fn note(&mut self, kind: MessageNoteKind, at: Option<u64>) {
        let bit = 1 << kind as u32;
        if *self.noted & bit == 0 {
            *self.noted |= bit;
            let part = &self.part.path;
            self.sink.note(MessageNote { kind, part, at });
        }
    }
}

/// What a text has in place of bytes of its source.
#[derive(Clone, Copy)]
pub(super) struct Replacement<'b> {
    pub(super) kind: SeamKind,
    pub(super) bytes: &'b [u8],
    /// The number of line feeds of the source, minus the number in `bytes`.
    pub(super) lines: i64,
}

/// The number of bytes of text before the current chunk that the map still
/// covers.
pub const MAP_REACH: u64 = 32 * 1024;

/// The minimum length of a chunk that is passed on without a copy.
const DIRECT: usize = 256;
/// The approximate length up to which shorter pieces are joined.
const GATHER: usize = 4 * 1024;

/// The room for the first text, so that the memory of short ones does not grow step by step.
const FIRST_BYTES: usize = 1024;
const FIRST_ENTRIES: usize = 64;

/// Collects the text of one part.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) map: SourceMap,
    /// Line feeds of removed bytes are counted.
    pub(super) counts_lines: bool,
    direct: usize,
    gather: usize,
    /// Text that is in the map, and that the sink has not received yet. It ends
    /// at the end of the map.
    buf: Vec<u8>,
    /// Removals since the last byte of text. They are not in the map yet. There
    /// are at most two, so a map has at most three pieces per byte of text.
    removals: [Option<Origin>; 2],
    /// The last byte of text. Some stages use it to avoid a second line break.
    last: u8,
}

impl Default for Out {
    fn default() -> Out {
        Out {
            map: SourceMap::new(1),
            counts_lines: true,
            direct: DIRECT,
            gather: GATHER,
            buf: Vec::new(),
            removals: [None; 2],
            last: b'\n',
        }
    }
}

impl Out {
    /// For texts that must reach the sink in one chunk. The caller must keep
    /// them short.
    pub(super) fn whole() -> Out {
        Out {
            direct: usize::MAX,
            gather: usize::MAX,
            ..Out::default()
        }
    }

    /// Starts a text that begins on line `line` of the source.
    pub(super) fn start(&mut self, line: u64) {
        self.map.reset(line);
        if self.buf.capacity() == 0 {
            self.buf.reserve(FIRST_BYTES);
            self.map.reserve(FIRST_ENTRIES);
        }
        self.buf.clear();
        self.removals = [None; 2];
        self.last = b'\n';
    }

    /// Text offset of the end of the text so far.
    pub(super) fn end(&self) -> u64 {
        self.map.text_end()
    }

    /// The last byte of the text so far. Before the first byte it is a line
    /// feed.
    pub(super) fn last(&self) -> u8 {
        self.last
    }

    /// Appends a piece.
    pub(super) fn put<S: MailSink>(&mut self, piece: MappedBytes<'_>, sink: &mut S) {
        let is_direct = self.make_room(piece.bytes, sink);
        self.record(&piece);
        self.give(piece.bytes, is_direct, sink);
    }

    /// As [`Out::put`], for bytes that were copied from `source`.
    #[inline]
    pub(super) fn put_copy<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) {
        match bytes.last() {
            Some(&last) if bytes.len() < self.direct => {
                self.settle();
                self.last = last;
                self.map.copy(source, bytes.len() as u64);
                self.collect(bytes, sink);
            }
            _ => self.put(MappedBytes::copy(bytes, source), sink),
        }
    }

    /// Appends a text.
    #[inline]
    pub(super) fn put_text<S: MailSink>(&mut self, mut text: Text<'_>, sink: &mut S) {
        let n = text.bytes().len();
        self.copy(&mut text, n, sink);
        self.pass_removals(&mut text);
    }

    /// Appends the next `n` bytes of `text`, and removals before them.
    #[inline]
    pub(super) fn copy<S: MailSink>(&mut self, text: &mut Text<'_>, n: usize, sink: &mut S) {
        match text.pass_copy(n) {
            Some((bytes, source)) => self.put_copy(bytes, source, sink),
            None => self.put_pieces(text, n, sink),
        }
    }

    fn put_pieces<S: MailSink>(&mut self, text: &mut Text<'_>, n: usize, sink: &mut S) {
        let bytes = &text.bytes()[..n];
        let is_direct = self.make_room(bytes, sink);
        let end = text.position() + n;
        while text.position() < end {
            if self.removals[0].is_none()
                && let Some(seam) = text.next_seam(end)
            {
                // Nearly all entries are such seams.
                self.map.seam(seam.kind, seam.source, seam.len, seam.lines);
            } else if let Some(piece) = text.next_piece(end - text.position()) {
                self.record(&piece);
            } else {
                break;
            }
        }
        self.last = bytes.last().copied().unwrap_or(self.last);
        self.give(bytes, is_direct, sink);
    }

    /// Appends a replacement of the next `n` bytes of `text`.
    #[inline]
    pub(super) fn seam<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        n: usize,
        replacement: Replacement<'_>,
        sink: &mut S,
    ) {
        let Replacement { kind, bytes, lines } = replacement;
        self.pass_removals(text);
        let (source, more) = text.pass(n);
        let lines = lines + more;
        self.settle();
        if let Some(&last) = bytes.last() {
            self.last = last;
        }
        match source {
            Some(source) => self.map.seam(kind, source, bytes.len() as u32, lines),
            None => self.map.opaque(bytes.len() as u64, lines),
        }
        // A call to `memcpy` costs more.
        for &b in bytes {
            self.buf.push(b);
        }
        if self.buf.len() >= self.gather {
            self.flush(sink);
        }
    }

    /// Removes the next `n` bytes of `text`, and what was removed before them.
    #[inline]
    pub(super) fn cut(&mut self, text: &mut Text<'_>, n: usize, kind: SeamKind) {
        match text.pass_copy(n) {
            Some((bytes, source)) => {
                let source = Span::new(source, source + n as u64);
                self.remove(Origin::Seam(kind, source, self.line_feeds(bytes)));
            }
            None => self.cut_pieces(text, n, kind),
        }
    }

    fn cut_pieces(&mut self, text: &mut Text<'_>, n: usize, kind: SeamKind) {
        let mut pieces = text.clone();
        let bytes = &text.bytes()[..n];
        if let (Some(source), lines) = text.pass(n) {
            let lines = self.line_feeds(bytes) + lines;
            self.remove(Origin::Seam(kind, source, lines));
            return;
        }
        // Some bytes have no place. The result must be the same if the bytes come
        // in several calls.
        while pieces.position() < text.position()
            && let before = pieces.lines()
            && let Some(piece) = pieces.next_piece(text.position() - pieces.position())
        {
            let lines = self.line_feeds(piece.bytes) + pieces.lines() - before;
            self.remove(match piece.source() {
                Some(source) => Origin::Seam(kind, source, lines),
                None => Origin::Opaque(lines),
            });
        }
    }

    #[inline]
    fn line_feeds(&self, bytes: &[u8]) -> i64 {
        if self.counts_lines {
            line_feeds(bytes)
        } else {
            0
        }
    }

    /// Records the removals before the next byte of `text`.
    pub(super) fn pass_removals(&mut self, text: &mut Text<'_>) {
        while text.is_at_removal()
            && let Some(piece) = text.next_piece(0)
        {
            self.record(&piece);
        }
    }

    /// Called before `bytes` are recorded. Returns true if they go to the sink
    /// without a copy. The collected text must then be passed on first.
    #[inline]
    fn make_room<S: MailSink>(&mut self, bytes: &[u8], sink: &mut S) -> bool {
        let is_direct = bytes.len() >= self.direct;
        if is_direct {
            self.flush(sink);
        }
        is_direct
    }

    /// Adds a piece to the map.
    #[inline(always)] // One of its callers is a loop that runs for each escape.
    fn record(&mut self, piece: &MappedBytes<'_>) {
        let Some(&last) = piece.bytes.last() else {
            if !piece.is_nothing() {
                self.remove(piece.origin);
            }
            return;
        };
        self.last = last;
        self.settle();
        let len = piece.bytes.len() as u64;
        match piece.origin {
            Origin::Copy(source) => self.map.copy(source, len),
            Origin::Seam(kind, span, lines) => self.map.seam(kind, span, len as u32, lines),
            Origin::Opaque(lines) => self.map.opaque(len, lines),
        }
    }

    /// Passes on or collects bytes that are in the map.
    #[inline]
    fn give<S: MailSink>(&mut self, bytes: &[u8], is_direct: bool, sink: &mut S) {
        if is_direct {
            self.hand(bytes, sink);
        } else {
            self.collect(bytes, sink);
        }
    }

    /// Collects bytes that are in the map.
    #[inline]
    fn collect<S: MailSink>(&mut self, bytes: &[u8], sink: &mut S) {
        self.buf.extend_from_slice(bytes);
        if self.buf.len() >= self.gather {
            self.flush(sink);
        }
    }

    /// Passes the collected text to the sink.
    #[inline(never)] // Its callers are short and frequent.
    pub(super) fn flush<S: MailSink>(&mut self, sink: &mut S) {
        if self.buf.is_empty() {
            return;
        }
        let buf = std::mem::take(&mut self.buf);
        self.hand(&buf, sink);
        self.buf = buf;
        self.buf.clear();
    }

    fn hand<S: MailSink>(&mut self, bytes: &[u8], sink: &mut S) {
        let reach = MAP_REACH + bytes.len() as u64;
        self.map.forget(self.map.text_end().saturating_sub(reach));
        sink.text(bytes, &self.map);
        // A removal directly before the first needed byte may be needed too.
        self.map.forget(sink.settled().saturating_sub(1));
    }

    /// Records that source bytes were removed.
    #[inline]
    pub(super) fn remove(&mut self, origin: Origin) {
        if self.map.is_off() {
            return;
        }
        match &mut self.removals {
            [None, _] => self.removals[0] = Some(origin),
            [Some(a), None] => {
                if is_one_removal(*a, origin) {
                    *a = join_removals(*a, origin);
                } else {
                    self.removals[1] = Some(origin);
                }
            }
            [_, Some(b)] => *b = join_removals(*b, origin),
        }
    }

    /// Adds the removals to the map.
    #[inline]
    fn settle(&mut self) {
        if self.removals[0].is_some() {
            self.settle_removals();
        }
    }

    fn settle_removals(&mut self) {
        for i in 0..2 {
            match self.removals[i].take() {
                Some(Origin::Seam(kind, span, lines)) => self.map.seam(kind, span, 0, lines),
                Some(Origin::Opaque(lines)) => self.map.opaque(0, lines),
                Some(Origin::Copy(_)) | None => return,
            }
        }
    }
}
