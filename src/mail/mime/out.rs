//! The last step: joins pieces into chunks. All chunks of a text share one map.

use crate::span::{SeamKind, SourceMap, Span};

use super::decoded::DecodedBytes;
use super::mapped::{MappedBytes, Origin, join_removals};
use super::{MailSink, MessageNote, MessageNoteKind, Part};

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

/// The number of bytes of text before the current chunk that the map still
/// covers.
pub const MAP_REACH: u64 = 32 * 1024;

/// The minimum length of a chunk that is passed on without a copy.
const DIRECT: usize = 256;
/// The approximate length up to which shorter pieces are joined.
const GATHER: usize = 4 * 1024;

/// Collects the text of one part.
#[derive(Debug)]
pub(super) struct Out {
    map: SourceMap,
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

    /// As [`Out::put_copy`], after the removal of `markup`: its place, and the
    /// number of its line feeds.
    #[inline]
    pub(super) fn put_words<S: MailSink>(
        &mut self,
        markup: Option<(Span, i64)>,
        bytes: &[u8],
        source: u64,
        sink: &mut S,
    ) {
        self.settle_with(markup);
        self.put_copy(bytes, source, sink);
    }

    /// Appends a few bytes for the source bytes of a seam, after the removal of
    /// `markup`.
    #[inline]
    pub(super) fn put_seam<S: MailSink>(
        &mut self,
        markup: Option<(Span, i64)>,
        (kind, span, lines): (SeamKind, Span, i64),
        text: &[u8],
        sink: &mut S,
    ) {
        self.settle_with(markup);
        self.settle();
        if let Some(&last) = text.last() {
            self.last = last;
        }
        self.map.seam(kind, span, text.len() as u32, lines);
        match text {
            // A call to `memcpy` costs more.
            [byte] => self.buf.push(*byte),
            _ => self.buf.extend_from_slice(text),
        }
        if self.buf.len() >= self.gather {
            self.flush(sink);
        }
    }

    /// Records that `markup` was removed: its place, and the number of its line
    /// feeds.
    #[inline]
    pub(super) fn remove_markup(&mut self, markup: Option<(Span, i64)>) {
        if let Some((span, lines)) = markup {
            self.remove(Origin::Seam(SeamKind::Markup, span, lines));
        }
    }

    /// Adds the removal of `markup` to the map, because text follows.
    #[inline]
    fn settle_with(&mut self, markup: Option<(Span, i64)>) {
        let Some((span, lines)) = markup else {
            return;
        };
        if self.removals[0].is_some() {
            self.remove(Origin::Seam(SeamKind::Markup, span, lines));
        } else {
            self.map.seam(SeamKind::Markup, span, 0, lines);
        }
    }

    /// As [`Out::put`], for a removal or a few bytes. They are always collected.
    #[inline]
    pub(super) fn put_short<S: MailSink>(&mut self, piece: &MappedBytes<'_>, sink: &mut S) {
        self.record(piece);
        self.collect(piece.bytes, sink);
    }

    /// As [`Out::put`], for bytes of several origins.
    pub(super) fn put_bytes<S: MailSink>(&mut self, mut rest: DecodedBytes<'_>, sink: &mut S) {
        let bytes = rest.bytes();
        let is_direct = self.make_room(bytes, sink);
        while let Some(piece) = rest.next_piece() {
            self.record(&piece);
        }
        self.give(bytes, is_direct, sink);
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
    #[inline]
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
        match &mut self.removals {
            [None, _] => self.removals[0] = Some(origin),
            [Some(a), None] => {
                if same_kind(*a, origin) {
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
        let [first, second] = &mut self.removals;
        let Some(first) = first.take() else {
            return;
        };
        for removal in [Some(first), second.take()].into_iter().flatten() {
            match removal {
                Origin::Seam(kind, span, lines) => self.map.seam(kind, span, 0, lines),
                Origin::Opaque(lines) => self.map.opaque(0, lines),
                Origin::Copy(_) => {}
            }
        }
    }
}

fn same_kind(a: Origin, b: Origin) -> bool {
    match (a, b) {
        (Origin::Seam(k, s, _), Origin::Seam(l, t, _)) => k == l && s.end == t.start,
        (Origin::Opaque(_), Origin::Opaque(_)) => true,
        _ => false,
    }
}
