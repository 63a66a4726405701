//! The part of a page that is in memory: how far it was read, how far it was passed
//! on, and where its text goes.

use super::super::out::{Cx, Out, Replacement};
use super::super::sink::MailSink;
use super::super::text::{Lines, Removals, Text};
use urlgrep_base::span::SeamKind;

/// The part of a page that is in memory.
///
/// Two places move forward in it. The tokeniser reads at `at`. Everything before
/// the start of `text` was written as visible text, or as the removal of markup.
/// What lies between the two is markup that will be removed, or white space about
/// which the next tag decides. So adjacent tags become one removal.
pub(super) struct Page<'p, 'a, 'c, S> {
    pub(super) text: &'p mut Text<'a>,
    /// The page ends with this text.
    pub(super) end: bool,
    pub(super) at: usize,
    /// Places at or after `at` where an earlier stage removed something.
    pub(super) removals: Removals<'a>,
    /// The bytes between the two places are white space that becomes text, unless
    /// the tag of a block element follows.
    pub(super) holds_space: bool,
    /// Counts the source lines from the start of the text.
    pub(super) lines: Lines,
    pub(super) out: &'p mut Out,
    pub(super) cx: &'p mut Cx<'c, S>,
}

impl<'p, 'a, 'c, S: MailSink> Page<'p, 'a, 'c, S> {
    pub(super) fn new(
        text: &'p mut Text<'a>,
        end: bool,
        out: &'p mut Out,
        cx: &'p mut Cx<'c, S>,
    ) -> Page<'p, 'a, 'c, S> {
        let mut lines = Lines::of(text);
        lines.is_on = out.counts_lines;
        Page {
            end,
            at: text.position(),
            removals: text.removals(),
            holds_space: false,
            lines,
            text,
            out,
            cx,
        }
    }

    /// All bytes, including those that were read.
    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.all()
    }

    /// Writes the bytes before `to` as a removal of markup.
    #[inline]
    pub(super) fn remove_to(&mut self, to: usize) {
        let n = to - self.text.position();
        if n > 0 {
            self.out.cut(self.text, n, SeamKind::Markup);
        }
    }

    /// Writes the bytes before `to` as text.
    #[inline]
    pub(super) fn copy_to(&mut self, to: usize) {
        let n = to - self.text.position();
        self.out.copy(self.text, n, self.cx.sink);
    }

    /// Writes what was read.
    #[inline]
    pub(super) fn settle(&mut self) {
        if std::mem::take(&mut self.holds_space) {
            self.copy_to(self.at);
        } else {
            self.remove_to(self.at);
        }
    }

    /// Writes `bytes` in place of what was read. `lines` is the number of line feeds
    /// in that, minus the number in `bytes`.
    #[inline]
    pub(super) fn replace(&mut self, kind: SeamKind, bytes: &[u8], lines: i64) {
        let n = self.at - self.text.position();
        let replacement = Replacement { kind, bytes, lines };
        self.out.seam(self.text, n, replacement, self.cx.sink);
    }

    /// Writes the removals of earlier stages before the next byte. Those inside
    /// markup and white space become a part of its removal.
    #[inline]
    pub(super) fn pass_removals(&mut self) {
        while self.removals.at() <= self.at {
            if self.removals.at() == self.at && !self.holds_space {
                self.remove_to(self.at);
                self.out.pass_removals(self.text);
            }
            self.removals.next();
        }
    }

    /// The text from `at` on.
    pub(super) fn text_at(&self, at: usize) -> Text<'a> {
        let mut text = self.text.clone();
        text.pass(at - text.position());
        text
    }
}
