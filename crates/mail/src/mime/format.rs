//! The last decoding stage: plain text, format=flowed, HTML, or another format of text.

use super::calendar::Calendar;
use super::carry::Carry;
use super::content::TextFormat;
use super::csv::Csv;
use super::flowed::Flowed;
use super::html::Html;
use super::json::Json;
use super::out::{Cx, Out};
use super::part::Context;
use super::sink::MailSink;
use super::text::Text;

#[derive(Debug, Default)]
pub(super) struct Format {
    format: TextFormat,
    /// A token that is not complete.
    carry: Carry,
    flowed: Flowed,
    pub(super) html: Html,
    calendar: Calendar,
    json: Json,
    csv: Csv,
    pub(super) out: Out,
    pub(super) context: Context,
}

impl Format {
    /// Starts a text that begins on line `line` of the source.
    pub(super) fn start(&mut self, format: TextFormat, line: u64) {
        self.format = format;
        self.carry.clear();
        match format {
            TextFormat::Plain => {}
            TextFormat::Flowed { delete_space } => self.flowed.start(delete_space),
            TextFormat::Html | TextFormat::Xml => {
                self.html
                    .start(line, format == TextFormat::Xml, self.context);
            }
            TextFormat::Calendar => self.calendar.start(),
            TextFormat::Json => self.json.start(),
            TextFormat::Csv => self.csv.start(),
        }
        self.out.start(line);
    }

    #[inline]
    pub(super) fn put<S: MailSink>(&mut self, text: Text<'_>, cx: &mut Cx<'_, S>) {
        match self.format {
            TextFormat::Plain => self.out.put_text(text, cx.sink),
            _ => self.read(text, false, cx),
        }
    }

    fn read<S: MailSink>(&mut self, text: Text<'_>, end: bool, cx: &mut Cx<'_, S>) {
        let out = &mut self.out;
        self.carry.feed(text, end, |text, end| match self.format {
            TextFormat::Plain => {}
            TextFormat::Flowed { .. } => self.flowed.read(text, end, out, cx.sink),
            TextFormat::Html | TextFormat::Xml => self.html.read(text, end, out, cx),
            TextFormat::Calendar => self.calendar.read(text, end, out, cx.sink),
            TextFormat::Json => self.json.read(text, end, out, cx),
            TextFormat::Csv => self.csv.read(text, end, out, cx.sink),
        });
    }

    /// Passes on the text so far.
    pub(super) fn flush<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        self.out.flush(cx.sink);
    }

    pub(super) fn finish<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        self.read(Text::copy(b"", 0), true, cx);
        if matches!(self.format, TextFormat::Html | TextFormat::Xml) {
            self.html.finish(&mut self.out, cx);
        }
        self.out.flush(cx.sink);
    }
}
