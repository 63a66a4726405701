//! Quotations without `> `: below the header that Outlook writes, or with another mark before
//! each line.

use super::shapes::{self, Mark, PastedField};
use super::{Role, RoleTracker};

/// The maximum number of lines of the header that Outlook writes above a
/// quotation.
const BLOCK_LINES: u64 = 12;
/// An open header as Outlook writes it above a quotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeaderBlock {
    pub(super) at: u64,
    line: u64,
    has_sent: bool,
}

impl RoleTracker {
    /// Reads a header that may precede a quotation. It has `From:`, `Sent:` or
    /// `Date:`, `Subject:`, and possibly other fields. No mark precedes them.
    pub(super) fn header(&mut self, line: &[u8], text: &[u8]) {
        let begins = matches!(text.first(), Some(b'F' | b'f' | b'*'));
        if self.base > 0 || self.header.is_none() && !begins {
            return;
        }
        match (shapes::field(text), &mut self.header) {
            (Some(PastedField::From), _) => {
                let (at, line, has_sent) = (self.line_start, self.line, false);
                self.header = Some(HeaderBlock { at, line, has_sent });
            }
            (_, None) => {}
            (Some(PastedField::Subject), Some(header)) if header.has_sent => {
                let at = header.at;
                self.header = None;
                self.quote_rest(at);
                self.rewrite(at, Role::Quoted(1));
            }
            (Some(field), Some(header)) => header.has_sent |= field == PastedField::Sent,
            // A long field continues on this line.
            (None, Some(_)) if matches!(line.first(), Some(b' ' | b'\t')) && !text.is_empty() => {}
            (None, Some(header)) => {
                // A field may continue on lines without a leading blank.
                if text.is_empty() || self.line - header.line > BLOCK_LINES || header.has_sent {
                    self.header = None;
                }
            }
        }
    }

    /// The text from `from` on is quoted. A line above its header begins no footer, although
    /// the header may name the list.
    pub(super) fn quote_rest(&mut self, from: u64) {
        if self.base == 0 {
            self.base = 1;
            self.rules.retain(|rule| rule.at >= from);
        }
    }

    /// True if this line and the previous line have the same mark. Then both
    /// are quoted. The next line decides about a line with a new mark.
    pub(super) fn marked(&mut self, mark: Option<Mark>) -> bool {
        let before = self.mark.take();
        let Some(mark) = mark else {
            return false;
        };
        match before {
            Some((same, at)) if same == mark => {
                if let Some(at) = at {
                    let depth = self.base.saturating_add(1);
                    self.rewrite(at, Role::Quoted(depth));
                }
                self.mark = Some((mark, None));
                true
            }
            _ => {
                self.mark = Some((mark, Some(self.line_start)));
                false
            }
        }
    }
}
