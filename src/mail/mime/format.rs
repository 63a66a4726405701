//! The last decoding stage: plain text, format=flowed, or HTML.

use super::MailSink;
use super::decoded::DecodedBytes;
use super::flowed::Flowed;
use super::html::Html;
use super::mapped::MappedBytes;
use super::out::{Cx, Out};

/// The format of the decoded text of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TextFormat {
    #[default]
    Plain,
    Flowed {
        /// `DelSp=yes`.
        delete_space: bool,
    },
    Html,
}

#[derive(Debug, Default)]
pub(super) struct Format {
    format: TextFormat,
    flowed: Flowed,
    html: Html,
    pub(super) out: Out,
}

impl Format {
    /// Starts a text that begins on line `line` of the source.
    pub(super) fn start(&mut self, format: TextFormat, line: u64) {
        self.format = format;
        match format {
            TextFormat::Plain => {}
            TextFormat::Flowed { delete_space } => self.flowed.start(delete_space),
            TextFormat::Html => self.html.start(line),
        }
        self.out.start(line);
    }

    pub(super) fn put<S: MailSink>(&mut self, piece: MappedBytes<'_>, cx: &mut Cx<'_, S>) {
        match self.format {
            TextFormat::Plain => self.out.put(piece, cx.sink),
            TextFormat::Flowed { .. } => self.flowed.put(piece, &mut self.out, cx.sink),
            TextFormat::Html => self.html.put_piece(piece, &mut self.out, cx),
        }
    }

    /// As [`Format::put`], for bytes of several origins.
    pub(super) fn put_bytes<S: MailSink>(
        &mut self,
        mut bytes: DecodedBytes<'_>,
        cx: &mut Cx<'_, S>,
    ) {
        match self.format {
            TextFormat::Plain => self.out.put_bytes(bytes, cx.sink),
            TextFormat::Html => self.html.put(bytes, &mut self.out, cx),
            TextFormat::Flowed { .. } => {
                while let Some(piece) = bytes.next_piece() {
                    self.flowed.put(piece, &mut self.out, cx.sink);
                }
            }
        }
    }

    /// Passes on the text so far.
    pub(super) fn flush<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        self.out.flush(cx.sink);
    }

    pub(super) fn finish<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        match self.format {
            TextFormat::Plain => {}
            TextFormat::Flowed { .. } => self.flowed.finish(&mut self.out, cx.sink),
            TextFormat::Html => self.html.finish(&mut self.out, cx),
        }
        self.out.flush(cx.sink);
    }
}
