//! Roles in HTML: what the elements around a text say about it, and the roles of links,
//! which come before the text after them.

use std::mem::replace;

use super::super::{Enclosing, PartInfo, PartKind};
use super::{HEAD, LONG, Role, RoleTracker, RuleKind, RuleLine, shapes};

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
        match self.marks.back_mut() {
            Some((last, old)) if *last == at => {
                let rule = old.rule || by.rule;
                *old = Enclosing { rule, ..by };
            }
            _ => self.marks.push_back((at, by)),
        }
    }

    /// The role that the elements around the next text give to it. `None` if they say
    /// nothing.
    #[must_use]
    pub fn markup_role(&self) -> Option<Role> {
        let by = self.marks.back().map_or(self.within, |mark| mark.1);
        Some(by.role).filter(|&role| role != Role::Body)
    }

    /// Ends everything that is open, so that the roles of the text so far are known.
    pub fn decide(&mut self) {
        self.catch_up();
        self.end_shapes();
        self.dashes.clear();
        self.rules.clear();
        self.kept.clear();
        self.decided = Some(self.end);
    }

    /// Reads what the elements around the text up to `to` say.
    pub(super) fn enter(&mut self, to: u64) {
        while let Some(&(at, by)) = self.marks.front().filter(|mark| mark.0 <= to) {
            self.marks.pop_front();
            self.within = by;
            if by.rule && by.role == Role::Body {
                if self.rules.is_empty() {
                    self.kept_from = self.line_start;
                }
                self.rules.push_back(RuleLine {
                    at,
                    line: self.line,
                    kind: RuleKind::Drawn,
                });
            }
            if at > self.line_start {
                self.push_run(at, self.role(0));
            }
        }
    }

    /// The role of the place `at` on the current line. `None` if the rest of the line may
    /// change it.
    pub(super) fn role_in_line(&mut self, at: u64, is_decided: bool) -> Option<Role> {
        let is_long = self.end - self.line_start > LONG;
        let is_open = self.attribution
            || self.scrubbed
            || self.indented
            || self.mark.is_some()
            || self.head.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'>')
            || self.head.len() < HEAD && !shapes::has_all_quote_marks(&self.head);
        if is_open && !is_long && !is_decided {
            return None;
        }
        if is_long {
            self.end_shapes();
        }
        let marks = self.marks.iter().take_while(|mark| mark.0 <= at);
        let (from, by) = marks.last().copied().unwrap_or((0, self.within));
        let before = replace(&mut self.within, by);
        // The quote marks are at the start of the line.
        let role = if from > self.line_start {
            self.role(0)
        } else {
            self.role(shapes::quote_marks(&self.head))
        };
        self.within = before;
        Some(role)
    }
}
