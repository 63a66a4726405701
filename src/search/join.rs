//! Connects the splitter, the walker and the extractor. The events of the
//! splitter go to the walker. Plain text, articles of A-news and bodies without
//! a header do not go through the walker. They are searched without decoding.

use super::around::Deliver;
use super::decode::{Decode, Parts};
use super::place::Current;
use super::waiting::HeldNote;
use super::{NoteKind, Visitor};
use crate::mail::mime::{self, MessageMeta, Walker};
use crate::mail::{self, ContainerSink, Outside, Shape, Start};
use crate::span::{SeamKind, Span};

/// With `message_ends`, hits are held until the end of their message is known.
/// In a message with more bytes than this they are released before its end.
const HOLD: u64 = 64 * 1024;

/// Passes the events of the splitter to the walker, and the events of the
/// walker to the extractor.
pub(super) struct Join<'j, V: Visitor> {
    pub(super) walker: &'j mut Walker,
    pub(super) message: &'j mut Current,
    pub(super) parts: &'j mut Parts,
    pub(super) visitor: &'j mut V,
    pub(super) message_ends: bool,
}

impl<V: Visitor> ContainerSink for Join<'_, V> {
    fn message_start(&mut self, start: &Start<'_>) {
        self.message.number = start.number;
        self.message.separator = start.head_span.start;
        self.message.start = start.head_span.end;
        self.message.line = start.line;
        self.message.end = None;
        self.message.holding = self.message_ends;
        self.message.shape = Some(start.shape);
        self.message.wanted = true;
        self.parts.count_lines(start.line > 0);
        match start.shape {
            Shape::Message | Shape::Header => {
                self.walker.message(MessageMeta {
                    line: start.line.max(1),
                });
            }
            // There is no MIME header, so the text is not decoded.
            shape => {
                if let Some(content_type) = shape.document() {
                    let line = start.line.max(1);
                    let (walker, mut decode) = self.decode();
                    let at = start.head_span.end;
                    walker.document(MessageMeta { line }, content_type, at, &mut decode);
                    return;
                }
                self.parts.info = mime::MessageInfo::default();
                self.parts
                    .start_plain(start.head_span.end, start.line.max(1));
            }
        }
    }

    fn data(&mut self, bytes: &[u8], offset: u64) {
        if self.message.stopped {
            return;
        }
        if self.message.holding && offset + bytes.len() as u64 - self.message.start > HOLD {
            self.message.holding = false;
            self.release();
        }
        match self.message.shape {
            Some(shape) if is_walked(shape) => {
                let (walker, mut decode) = self.decode();
                walker.feed(bytes, offset, &mut decode);
            }
            _ => self.decode().1.plain(bytes, offset),
        }
    }

    fn seam(&mut self, kind: SeamKind, span: Span) {
        if self.message.stopped {
            return;
        }
        match self.message.shape {
            Some(shape) if is_walked(shape) => {
                let (walker, mut decode) = self.decode();
                walker.feed_seam(kind, span, &mut decode);
            }
            _ => self.parts.text.plain_seam(kind, span),
        }
    }

    fn message_end(&mut self, end: u64) {
        if self.message.stopped {
            return;
        }
        match self.message.shape.take() {
            Some(shape) if is_walked(shape) => {
                let (walker, mut decode) = self.decode();
                walker.finish(&mut decode);
            }
            _ => self.decode().1.plain_end(),
        }
        self.decode().1.give_notes();
        if self.message.holding {
            self.message.end = Some(end);
            self.message.holding = false;
            self.release();
        }
    }

    fn outside(&mut self, _bytes: &[u8], _offset: u64, _what: Outside) {}

    fn note(&mut self, note: mail::ContainerNote) {
        self.parts.waiting.note(HeldNote {
            kind: NoteKind::Container(note.kind),
            at: Some(note.at),
            message: self.message.number(),
            part: None,
        });
        if self.message.shape.is_none() {
            self.decode().1.give_notes();
        }
    }
}

/// True if the walker reads messages of this shape.
fn is_walked(shape: Shape) -> bool {
    matches!(shape, Shape::Message | Shape::Header) || shape.document().is_some()
}

impl<V: Visitor> Join<'_, V> {
    /// The walker, and the receiver of its events.
    fn decode(&mut self) -> (&mut Walker, Decode<'_, V>) {
        let decode = Decode {
            message: self.message,
            parts: self.parts,
            visitor: self.visitor,
        };
        (self.walker, decode)
    }

    /// Searches the text that has been decoded so far.
    pub(super) fn flush(&mut self) {
        if !self.message.stopped && self.message.shape.is_some_and(is_walked) {
            let (walker, mut decode) = self.decode();
            walker.flush(&mut decode);
        }
    }

    /// Ends the message because the next bytes cannot be read.
    pub(super) fn break_off(&mut self) {
        self.message.holding = false;
        match self.message.shape.take() {
            Some(shape) if is_walked(shape) => self.decode().1.break_off(),
            Some(_) => self.decode().1.plain_break_off(),
            None => {}
        }
        self.release();
        self.decode().1.give_notes();
    }

    fn release(&mut self) {
        if !self.message.stopped {
            let visitor = &mut *self.visitor;
            let Parts {
                info,
                waiting,
                around,
                ..
            } = &mut *self.parts;
            let message = self.message.at_hand(info);
            self.message.stopped = !waiting.release(message, &mut Deliver { visitor, around });
        }
    }
}
