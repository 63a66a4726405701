//! Roles in HTML: what the elements around a text say about it, and the roles of links,
//! which come before the text after them.

use memchr::memchr;

use super::super::{Enclosing, PartInfo, PartKind};
use super::lines::Open;
use super::{HEAD, LONG, Page, Reader, Role, RoleTracker, quote_marks};

impl PartInfo<'_> {
    /// True for HTML that is shown with the message.
    pub fn is_page(&self) -> bool {
        let is_html = matches!(self.content_type, "text/html" | "application/xhtml+xml");
        is_html && self.kind == PartKind::HtmlText && !self.attachment
    }
}

impl RoleTracker {
    /// Records what the elements of HTML say about the text from the offset `at` on, which
    /// was not fed yet.
    pub fn enclosed(&mut self, by: Enclosing, at: u64) {
        match self.page.marks.get_mut(self.reader.lines.passed..) {
            Some([.., (last, old)]) if *last == at => {
                let rule = old.rule || by.rule;
                *old = Enclosing { rule, ..by };
            }
            _ => self.page.marks.push((at, by)),
        }
    }

    /// Records that the text of a link of HTML begins at the offset `at`. A line with one may be a
    /// sentence of the letter below the name of its author.
    pub fn linked(&mut self, at: u64) {
        if !self.is_fixed() && self.page.links.last() != Some(&at) {
            self.page.links.push(at);
        }
    }

    /// The role that the elements around the next text give to it. `None` if they say
    /// nothing.
    #[must_use]
    pub fn markup_role(&self) -> Option<Role> {
        let mark = self.page.marks.last();
        let by = mark.map_or(self.reader.lines.within, |mark| mark.1);
        Some(by.role).filter(|&role| role != Role::Body)
    }

    /// Ends everything that is open, so that the roles of the text so far are known. The text
    /// goes with [`RoleTracker::drop_page`].
    pub fn decide(&mut self) {
        let RoleTracker { page, reader } = self;
        reader.read(page, false, false);
        reader.lines.close();
        let end = page.at(page.text.len());
        reader.decided = Some(end);
        reader.known = end;
    }
}

impl Reader {
    /// The role of the place `at` on the line whose end has not come. `None` if the rest of the
    /// line may change it.
    pub(super) fn role_in_line(&self, page: &Page, at: u64, is_decided: bool) -> Option<Role> {
        let lines = &self.lines;
        if !is_decided && at >= page.at(page.text.len()) {
            return None;
        }
        let head = &page.text[lines.next..];
        let end = memchr(b'\n', head).unwrap_or(head.len());
        if !is_decided && at > page.at(lines.next + end) {
            // The line waits for the text below it, and the place is in that text.
            return None;
        }
        let head = &head[..end];
        let is_long = lines.long.is_some() || head.len() as u64 > LONG;
        let head = &head[..head.len().min(HEAD)];
        let is_open = lines.open != Open::Nothing
            || lines.indented
            || lines.mark.is_some()
            || !lines.other_mark.is_empty()
            || head.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'>')
            || head.len() < HEAD && !quote_marks::has_all_quote_marks(head);
        if is_open && !is_long && !is_decided {
            return None;
        }
        let start = lines.long.map_or(page.at(lines.next), |long| long.at);
        let marks = page.marks.iter().take_while(|mark| mark.0 <= at).last();
        let (from, by) = marks.copied().unwrap_or((0, lines.within));
        // The quote marks are at the start of the line.
        let quote_marks = if from > start {
            0
        } else if let Some(long) = lines.long {
            long.marks
        } else {
            quote_marks::quote_marks(head)
        };
        let is_indented = lines.indented && !is_long;
        Some(lines.role_within(by, is_indented, quote_marks).role())
    }
}
