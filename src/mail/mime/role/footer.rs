//! The footer of a part: the words that mark it, and the search for its start.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem::{self, Finder};

use super::super::Sibling;
use super::{FOOTER_BYTES, FOOTER_LINES, RoleTracker, RuleKind, RuleLine, shapes};

/// Words that occur only in the footer of a list or a provider.
const PHRASES: &str = "\
    mailing list|mailman/listinfo|listinfo/|unsubscribe|to leave this list|list archive|\
    majordomo|yahoo! groups|yahoogroups|google groups|this list is|list info|list-help|\
    sf.net email is sponsored|do you yahoo!?|day with yahoo!|service with msn hotmail|\
    try msn messenger:|download of msn explorer|join.msn.com|msn photos is|\
    msn messenger! download|mcafee.com virusscan|get your private, free e|\
    free e-mail for life|mobile.msn.com|mail.lycos.com|click.egroups.com";

/// Words that occur only in the text of a virus scanner.
const SCANNERS: &str = "\
    virus free|virus-free|antivirus|anti-virus system|mailscanner|scanned for viruses|\
    checked for viruses";
/// The maximum length of the text of a virus scanner.
const SCANNER_BYTES: usize = 512;

/// The page of a list stands in this many bytes from `-- ` on. Further down, the text before
/// it is a signature.
const PAGE_BYTES: usize = 160;

/// Finds any of [`PHRASES`] in one pass.
static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    // The expect cannot fail: a few dozen short words are far below the limits.
    AhoCorasick::new(PHRASES.split('|'))
        .expect("a few dozen words are below the limits of the automaton")
});

/// Each of [`SCANNERS`] has one of these words. Nearly no other text has.
static HINTS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["virus", "mailscanner"].map(Finder::new));

/// True if `text`, in lower case, is the text of a virus scanner.
fn names_scanner(text: &[u8]) -> bool {
    let has = |word: &str| memmem::find(text, word.as_bytes()).is_some();
    let has_hint = || HINTS.iter().any(|hint| hint.find(text).is_some());
    text.len() <= SCANNER_BYTES && has_hint() && SCANNERS.split('|').any(has)
}

/// True if `text`, in lower case, has the address of a page of Mailman.
fn names_page(text: &[u8]) -> bool {
    memmem::find(text, b"/listinfo/").is_some()
}

impl RoleTracker {
    /// Keeps the text after a rule, and drops rules that are too far back.
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        if bytes.len() as u64 > FOOTER_BYTES {
            self.rules.clear();
            self.after = None;
            self.kept.clear();
            return;
        }
        let old = self.kept.len();
        self.kept.extend_from_slice(bytes);
        self.kept[old..].make_ascii_lowercase();
        let end = self.kept_from + self.kept.len() as u64;
        while let Some(&RuleLine { at, line, .. }) = self.rules.front() {
            if end - at <= FOOTER_BYTES && self.line - line <= FOOTER_LINES {
                break;
            }
            self.rules.pop_front();
            self.after = None;
        }
        match self.rules.front() {
            None => self.kept.clear(),
            Some(&RuleLine { at, .. }) => {
                let drop = at.saturating_sub(self.kept_from) as usize;
                // This is rare, so all moves together take linear time.
                if drop as u64 > FOOTER_BYTES {
                    self.kept.drain(..drop);
                    self.kept_from = at;
                }
            }
        }
    }

    /// The text offset at which the footer starts, if there is one. The footer
    /// is the last text between two rules that names the list. Adjacent texts
    /// before it that also name the list are part of it. A footer may also be
    /// the line of a provider.
    pub(super) fn footer(&self, last: bool) -> Option<u64> {
        // A part that was added after a multipart, and is the last part, is a
        // footer as a whole.
        if self.after == Some(Sibling::Multipart) && last {
            return Some(0);
        }
        let (mut from, mut named) = (None, false);
        let mut end = self.kept.len();
        for &RuleLine { at, kind, .. } in self.rules.iter().rev() {
            if at == 0 && self.after.is_some() && !last {
                break;
            }
            let start = (at.saturating_sub(self.kept_from) as usize).min(end);
            let text = &self.kept[start..end];
            let is_footer = match kind {
                RuleKind::List => self.names_list(text) || names_scanner(text),
                RuleKind::Scanner => names_scanner(text),
                RuleKind::Dashes => {
                    let page = &text[..text.len().min(PAGE_BYTES)];
                    names_scanner(text) || text.len() <= SCANNER_BYTES && names_page(page)
                }
                RuleKind::Drawn => {
                    self.names_this_list(text) || names_page(text) || names_scanner(text)
                }
                RuleKind::Page => {
                    let text = text.trim_ascii();
                    text.is_empty() || shapes::is_list_page(text) && !text.contains(&b'\n')
                }
                RuleKind::Stamp(has_url) => has_url || shapes::holds_url(&self.kept[start..]),
            };
            let names_list = is_footer && self.names_this_list(text);
            // A list adds its footer once: one more came with the quotation above it.
            if names_list && named || is_footer && self.is_quoted_footer(text) {
                break;
            }
            named |= names_list;
            if is_footer {
                from = Some(at);
            } else if from.is_some() {
                break;
            } else if matches!(kind, RuleKind::Scanner | RuleKind::Dashes | RuleKind::Page) {
                // The line of a signature or a patch does not end a footer.
                continue;
            }
            end = start;
        }
        from
    }

    /// True if `text` is the footer of a list below a quotation in an archive, where the
    /// message itself has none.
    fn is_quoted_footer(&self, text: &[u8]) -> bool {
        self.is_archived && self.base > 0 && names_page(text)
    }

    fn names_list(&self, text: &[u8]) -> bool {
        FINDER.is_match(text) || !self.names.is_empty() && self.names_this_list(text)
    }

    /// True if `text` has a name of this list, or `talk mailing list` for `talk@a.example`.
    fn names_this_list(&self, text: &[u8]) -> bool {
        let title = memmem::find(text, b" mailing list").map(|at| &text[..at]);
        let mut names = self.names.split(|&b| b == b'\n').filter(|n| !n.is_empty());
        names.any(|name| {
            let local = name.split(|b| matches!(b, b'@' | b'.')).next();
            let before = title.zip(local.filter(|l| !l.is_empty()));
            let before = before.and_then(|(t, local)| t.strip_suffix(local));
            let titled = before.is_some_and(|t| !t.last().is_some_and(u8::is_ascii_alphanumeric));
            titled || memmem::find(text, name).is_some()
        })
    }
}
