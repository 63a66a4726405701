//! Connects the splitter, the walker and the extractor. The events of the
//! splitter go to the walker. Plain text, articles of A-news and bodies without
//! a header do not go through the walker. They are searched without decoding.

use std::mem::take;
use std::sync::LazyLock;

use memchr::memmem;

use super::around::Deliver;
use super::attachment::Coded;
use super::decode::{Decode, Parts};
use super::memo::may_have_url;
use super::place::{Current, Held};
use super::waiting::HeldNote;
use super::{NoteKind, Visitor};
use urlgrep_base::span::{SeamKind, Span};
use urlgrep_containers::{Coding, ContainerNoteKind, ContainerSink, MARK, Outside, Shape, Start};
use urlgrep_find::scan;
use urlgrep_mail::mime::{
    self, Encoding, MailSink, MessageMeta, PartEnd, PartInfo, PartKind, Walker,
};

/// With `message_ends`, hits are held until the end of their message is known.
/// In a message with more bytes than this they are released before its end.
const HOLD: u64 = 64 * 1024;

/// Finds what may begin a uuencoded or yEnc file.
static BEGIN: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"begin "));

/// Passes the events of the splitter to the walker, and the events of the
/// walker to the extractor.
pub(super) struct Join<'j> {
    pub(super) walker: &'j mut Walker,
    pub(super) message: &'j mut Current,
    pub(super) parts: &'j mut Parts,
    pub(super) visitor: &'j mut dyn Visitor,
    pub(super) message_ends: bool,
}

impl ContainerSink for Join<'_> {
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
        self.message.is_new = start.shape == Shape::Message && self.parts.looks_ahead();
        match start.shape {
            // The walker follows in `wake`.
            Shape::Message if self.message.is_new => {}
            Shape::Message | Shape::Header => {
                self.walker.message(MessageMeta { line: start.line });
            }
            Shape::Http => {
                let record = start.record.unwrap_or_default();
                self.parts.talk.start(None);
                let meta = MessageMeta { line: start.line };
                self.walker.response(meta, &record);
            }
            Shape::Record => {
                let record = start.record.unwrap_or_default();
                self.parts.talk.start(None);
                let meta = MessageMeta { line: start.line };
                let (walker, mut decode) = self.decode();
                walker.record(meta, &record, start.head_span.end, &mut decode);
            }
            // There is no MIME header, so the text is not decoded.
            shape => {
                if let Some(content_type) = shape.document() {
                    self.parts.talk.start(Some(shape));
                    let line = start.line;
                    let (walker, mut decode) = self.decode();
                    let at = start.head_span.end;
                    walker.document(MessageMeta { line }, content_type, at, &mut decode);
                    return;
                }
                self.parts.info = mime::MessageInfo::default();
                if matches!(shape, Shape::ANews | Shape::Body) {
                    // Nothing is known of it, but it is a message: a filter of messages
                    // must not take it for the one before.
                    let info = mime::MessageInfo::default();
                    self.decode().1.headers(&info);
                }
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
        if self.hold(bytes, offset) {
            return;
        }
        if self.message.shape.is_some_and(is_walked) {
            let (walker, mut decode) = self.decode();
            walker.feed(bytes, offset, &mut decode);
        } else if self.message.wanted {
            self.decode().1.plain(bytes, offset);
        }
    }

    fn seam(&mut self, kind: SeamKind, span: Span) {
        if self.message.stopped {
            return;
        }
        self.wake();
        if self.message.shape.is_some_and(is_walked) {
            let (walker, mut decode) = self.decode();
            walker.feed_seam(kind, span, &mut decode);
        } else if self.message.wanted {
            self.parts.text.plain_seam(kind, span);
        }
    }

    fn message_end(&mut self, end: u64) {
        if self.message.stopped {
            return;
        }
        let is_searched = self.search_held();
        let shape = self.message.shape.take();
        if !is_searched {
            if shape.is_some_and(is_walked) {
                let (walker, mut decode) = self.decode();
                walker.finish(&mut decode);
            } else if self.message.wanted {
                self.decode().1.plain_end();
            }
        }
        self.decode().1.give_notes();
        if self.message.holding {
            self.message.end = Some(end);
            self.message.holding = false;
            self.release();
        }
    }

    fn outside(&mut self, bytes: &[u8], offset: u64, _what: Outside) {
        if offset == 0 && bytes == MARK {
            self.parts.around.begin_with_mark();
        }
    }

    fn note(&mut self, note: urlgrep_containers::ContainerNote) {
        self.parts.waiting.note(HeldNote {
            kind: NoteKind::Container(note.kind),
            at: Some(note.at),
            message: match note.kind {
                ContainerNoteKind::PassedRecord => None,
                _ => self.message.number(),
            },
            part: None,
            member: Vec::new(),
        });
        if self.message.shape.is_none() {
            self.decode().1.give_notes();
        }
    }
}

/// True if the walker reads messages of this shape.
fn is_walked(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Message | Shape::Header | Shape::Http | Shape::Record
    ) || shape.document().is_some()
}

impl Join<'_> {
    /// Begins the body of a response of HTTP without its coding.
    pub(super) fn start_decoded(&mut self, coded: &Coded) {
        self.message.shape = Some(Shape::Record);
        self.message.wanted = true;
        self.parts.count_lines(false);
        self.parts.talk.start(None);
        let (walker, mut decode) = self.decode();
        walker.decoded(&coded.content_type, coded.base, &mut decode);
    }

    /// The walker, and the receiver of its events.
    fn decode(&mut self) -> (&mut Walker, Decode<'_>) {
        let decode = Decode {
            message: self.message,
            parts: self.parts,
            visitor: self.visitor,
        };
        (self.walker, decode)
    }

    /// Keeps the first bytes of a message whose header needs no decoding. Returns false
    /// if it is no such message, or if these are not its first bytes.
    ///
    /// Nearly all messages come in one slice. [`search_held`](Join::search_held) then
    /// sees the whole message, and need not decode it.
    fn hold(&mut self, bytes: &[u8], offset: u64) -> bool {
        if self.message.is_new
            && bytes.len() as u64 <= HOLD
            && let Some((body, declares_none)) =
                mime::plain_header(bytes, self.parts.headers, may_have_url)
        {
            let held = &mut self.parts.held;
            bytes.clone_into(held);
            self.message.is_new = false;
            self.message.held = Some(Held {
                body,
                declares_none,
                offset,
            });
            return true;
        }
        self.wake();
        false
    }

    /// Begins the message in the walker if that was put off, and passes on the bytes of
    /// [`hold`](Join::hold).
    fn wake(&mut self) {
        let is_new = take(&mut self.message.is_new);
        if is_new || self.message.held.is_some() {
            let line = self.message.line;
            self.walker.message(MessageMeta { line });
        }
        if let Some(Held { offset, .. }) = self.message.held.take() {
            let held = take(&mut self.parts.held);
            let (walker, mut decode) = self.decode();
            walker.feed(&held, offset, &mut decode);
            self.parts.held = held;
        }
    }

    /// Searches the bytes of [`hold`](Join::hold), if they are the whole message. Returns
    /// false if the walker must end it.
    fn search_held(&mut self) -> bool {
        let Some(known) = self.message.held else {
            self.wake();
            return false;
        };
        let body = known.body;
        let colon = scan::first_colon(&self.parts.held[body..]);
        if colon.is_some() && self.parts.has_details
            || BEGIN.find(&self.parts.held[body..]).is_some()
        {
            self.wake();
            return false;
        }
        self.message.held = None;
        self.parts.decoded = 0;
        let held = take(&mut self.parts.held);
        let mut map = take(&mut self.parts.held_map);
        let (text, source) = (&held[body..], known.offset + body as u64);
        let first_line = self.message.line;
        let mut decode = self.decode().1;
        decode.headers(&mime::MessageInfo::default());
        if let Some(colon) = colon {
            let line = match first_line {
                0 => 1,
                line => line + scan::line_feeds(&held[..body]),
            };
            decode.part_start(&PartInfo {
                path: "1",
                kind: PartKind::Body,
                content_type: "text/plain",
                charset: b"",
                encoding: Encoding::Identity,
                declares_none: known.declares_none,
                attachment: false,
                file_name: b"",
                within_file: b"",
                after: None,
                source: Some(source),
                line,
                column: Some(1),
                coding: Coding::Identity,
                base: b"",
                is_forwarded: false,
            });
            map.reset(line);
            map.copy(source, text.len() as u64);
            decode.whole_text(text, colon, &map);
            decode.part_end(PartEnd { last: true });
        }
        self.parts.held = held;
        self.parts.held_map = map;
        true
    }

    /// Searches the text that has been decoded so far.
    pub(super) fn flush(&mut self) {
        self.wake();
        if !self.message.stopped && self.message.shape.is_some_and(is_walked) {
            let (walker, mut decode) = self.decode();
            walker.flush(&mut decode);
        }
    }

    /// Ends the message because the next bytes cannot be read.
    pub(super) fn break_off(&mut self) {
        self.message.holding = false;
        self.wake();
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
            let message = self.message.at_hand(&self.parts.info);
            let (visitor, around) = (&mut *self.visitor, &mut self.parts.around);
            let mut deliver = Deliver { visitor, around };
            self.message.stopped = !self.parts.waiting.release(message, &mut deliver);
            self.decode().1.give_talk();
        }
    }
}
