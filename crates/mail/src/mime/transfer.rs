//! Transfer encodings: quoted-printable and base64 (RFC 2045 section 6).
//!
//! # How to think about it
//!
//! [`Transfer`] is the first of four stages: transfer encoding, [`Charset`], format, and
//! the output with its map. Each owns the next one and pushes text into it. A decoder with
//! nothing to change passes the text on without a copy, as with nearly all old mail and news.
//! Only the output copies short pieces (under 256 bytes), to join them into chunks.
//!
//! A decoder reads the complete tokens of a text. It leaves an incomplete one at the end,
//! such as an `=` without its two digits, and [`Carry`] gives it to the decoder again, in
//! front of the next bytes. At the end of the part, `finish` sends an empty text with `end`
//! set. The decoder then sees the rest alone, and must read all of it.
//!
//! The token of base64 is a line, because we look at a whole line before we call it base64.
//! At most `JUDGED` bytes wait for that. The rest of a longer line is decoded as it comes
//! in, up to the first byte that is no digit, no `=` and no white space.
//!
//! The two encodings differ in what we know about the place of a decoded byte. With
//! quoted-printable, it is exact. Most bytes are copies of the source. Where source and
//! result differ there is a seam: a span of the source, and the bytes that it became, one for
//! `=XX` and none for a soft line break. A byte of base64 has no place of its own. We know
//! only how many line feeds of the source a whole chunk used up. The line numbers of hits
//! therefore show where chunks end, so this must not depend on how the input was cut. A chunk
//! ends at the first line end after `CHUNK` decoded bytes, or, in a line longer than
//! `JUDGED`, after as many digits as make these bytes.
//!
//! The trap is text that is not what the header says. A `=` that encodes nothing is text. A
//! line that is not base64 ends the base64, for good, because lists append footers: that
//! line and the rest are passed on as text, below what was decoded, with a note. After the
//! final `=` a footer may look like base64, so a line there must be a multiple of 4 long, and
//! below a blank line it must look like nothing else. A line of digits with a stray byte is
//! still base64, see `is_damaged`.

mod base64;
mod quoted_printable;

use self::base64::Base64;
pub(super) use self::base64::base64;
use self::quoted_printable::QuotedPrintable;
use super::carry::Carry;
use super::charset::Charset;
use super::out::Cx;
use super::part::Encoding;
use super::sink::MailSink;
use super::text::Text;

/// The first decoding stage: decodes the transfer encoding.
#[derive(Debug, Default)]
pub(super) struct Transfer {
    encoding: Encoding,
    /// An escape or a line of base64 that is not complete.
    carry: Carry,
    qp: QuotedPrintable,
    base64: Base64,
    pub(super) next: Charset,
}

impl Transfer {
    /// Sets whether the places of text are kept, and whether the roles that HTML names are
    /// found.
    pub(super) fn find(&mut self, places: bool, roles: bool) {
        self.qp.out.is_mapped = places;
        self.next.next.out.map.turn_off(!places);
        self.next.next.html.reads_marks = roles;
    }

    /// Starts a part in `encoding`. The caller must start the later stages.
    pub(super) fn start(&mut self, encoding: Encoding) {
        self.encoding = encoding;
        self.carry.clear();
        self.qp.before.clear();
        self.base64.start();
    }

    pub(super) fn put<S: MailSink>(&mut self, text: Text<'_>, cx: &mut Cx<'_, S>) {
        match self.encoding {
            Encoding::Identity => self.next.put(text, cx),
            _ => self.decode(text, false, cx),
        }
    }

    fn decode<S: MailSink>(&mut self, text: Text<'_>, end: bool, cx: &mut Cx<'_, S>) {
        let next = &mut self.next;
        self.carry.feed(text, end, |text, end| match self.encoding {
            Encoding::Identity => {}
            Encoding::QuotedPrintable => self.qp.decode(text, end, next, cx),
            Encoding::Base64 => self.base64.decode(text, end, next, cx),
        });
    }

    /// Passes on the text decoded so far, unless it is base64. Line numbers of
    /// base64 are kept per decoded chunk, so a chunk must not be cut early.
    pub(super) fn flush<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        self.next.next.flush(cx);
    }

    pub(super) fn finish<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        if self.encoding != Encoding::Identity {
            self.decode(Text::copy(b"", 0), true, cx);
        }
        if self.encoding == Encoding::Base64 {
            self.base64.finish(&mut self.next, cx);
        }
        self.next.finish(cx);
    }
}
