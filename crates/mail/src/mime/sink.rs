//! What a message is reported to.

use super::content::Content;
use super::info::MessageInfo;
use super::json::objects::{JsonEvent, JsonObjects};
use super::note::MessageNote;
use super::part::{PartEnd, PartInfo};
use super::role::Enclosing;
#[cfg(doc)]
use super::{MAP_REACH, Walker};
use urlgrep_base::span::SourceMap;

/// Receives the events of a [`Walker`], in the order of the message.
///
/// The calls nest: `part_start`, any number of `text`, `part_end`. The links of an HTML
/// part come as parts inside it, between two calls of `text`. Each link is complete.
pub trait MailSink {
    /// A part begins.
    fn part_start(&mut self, part: &PartInfo<'_>);

    /// The next bytes of the part's decoded text. Text offsets count from its first byte.
    /// `bytes` end at [`SourceMap::text_end`]. `map` covers them and at least the
    /// [`MAP_REACH`] bytes before them that are not before [`MailSink::settled`].
    fn text(&mut self, bytes: &[u8], map: &SourceMap);

    /// The text offset before which this sink needs the map no more. It is asked after
    /// each `text`, and the map then drops the entries before this offset. Default: 0.
    fn settled(&self) -> u64 {
        0
    }

    /// The innermost open part ends.
    fn part_end(&mut self, _end: PartEnd) {}

    /// The header block of the message is complete. This comes before any part.
    fn headers(&mut self, _message: &MessageInfo) {}

    /// Whether the header field `name` is wanted as a part. `raw` is its value
    /// with folds, encoded-words and parameters. A sink that sees that the
    /// value has no URL can return false to save the decoding. `part` is the part that
    /// the field would be. `None` if its bytes are not contiguous in the source.
    fn wants_field<'p>(
        &mut self,
        _name: &[u8],
        _raw: &[u8],
        _part: impl FnOnce() -> Option<PartInfo<'p>>,
    ) -> bool {
        true
    }

    /// In HTML text, the text from the offset `at` on belongs to the link number `link` of
    /// its part, or to no link. `at` is at or after the end of the `text` so far.
    fn anchor(&mut self, _link: Option<u32>, _at: u64) {}

    /// In HTML text, what the elements around the text from the offset `at` on say about
    /// it. `at` is at or after the end of the `text` so far.
    fn enclosed(&mut self, _by: Enclosing, _at: u64) {}

    /// In HTML text, a paragraph ends before the offset `at`, and the text before it ends in
    /// a line feed. `at` is at or after the end of the `text` so far.
    fn paragraph(&mut self, _at: u64) {}

    /// In JSON, a string begins, goes on or ends, or an object ends. `around` are the objects that
    /// are open, with what they have said so far. No URL goes on from one string to another.
    fn json(&mut self, _event: JsonEvent, _around: &JsonObjects) {}

    /// A field of a table ends. The sink has received all of its text. No URL goes on in the next
    /// field.
    fn field_end(&mut self) {}

    /// Whether a string of JSON or a field of a table is wanted as text. `raw` has its escapes. A sink
    /// that sees that it has no URL can return false to save the decoding. It is not asked about
    /// strings that are longer than 1 KiB.
    fn wants_string(&mut self, _raw: &[u8]) -> bool {
        true
    }

    /// In HTML, the next attribute of the tag that is being read, and its value as the page has
    /// it. If `is_whole` is false, the value is cut, and may come again. So may all attributes
    /// of a tag that has not ended.
    fn attribute(&mut self, _name: &[u8], _value: &[u8], _is_whole: bool) {}

    /// In HTML, a tag ends. `name` has at most 16 bytes of its name.
    fn tag(&mut self, _name: &[u8], _closing: bool) {}

    /// Whether a part that has a name, is no text, or has a coding, is read as one of unknown type.
    fn wants_file(&mut self, _part: &PartInfo<'_>) -> bool {
        false
    }

    /// What a part is whose type does not say it. `head` has its first decoded bytes, or
    /// all if `eof`. `None` if more are needed. Default: messages are text, and nothing is
    /// a file.
    fn content(&mut self, head: &[u8], eof: bool) -> Option<Content> {
        Some(match Content::of(head, eof)? {
            Content::Messages => Content::Text,
            content => content,
        })
    }

    /// The next decoded bytes of a part that [`content`](MailSink::content) called a file.
    fn file(&mut self, _bytes: &[u8]) {}

    /// A fault that was tolerated.
    fn note(&mut self, _note: MessageNote<'_>) {}
}
