//! What a place in a message is to the reader: body, quotation, signature,
//! list footer. Decided from the message alone.

use std::collections::VecDeque;

use aho_corasick::AhoCorasick;
use memchr::{memchr, memmem};

use super::{MessageInfo, PartInfo, PartKind, Sibling};

/// What a place in a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// The writer's own text.
    Body,
    /// Quoted from another message, with so many `>`.
    Quoted(u8),
    /// After a line `-- ` (RFC 3676 section 4.3).
    Signature,
    /// Added by a mailing list.
    Footer,
    /// In a header field.
    Header,
    /// In an attribute of HTML.
    HtmlLink,
    /// In the visible text of HTML.
    HtmlText,
    /// In a file that the message carries.
    Attachment,
}

impl Role {
    /// How deeply it is quoted, where it is a quotation.
    #[must_use]
    pub fn depth(self) -> Option<u32> {
        match self {
            Role::Quoted(depth) => Some(u32::from(depth)),
            _ => None,
        }
    }

    /// The role's name: `body`, `quoted`, `signature`, `footer`, `header`,
    /// `html-link`, `html-text`, `attachment`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Body => "body",
            Role::Quoted(_) => "quoted",
            Role::Signature => "signature",
            Role::Footer => "footer",
            Role::Header => "header",
            Role::HtmlLink => "html-link",
            Role::HtmlText => "html-text",
            Role::Attachment => "attachment",
        }
    }
}

/// A footer is at most this many bytes long.
pub const FOOTER_BYTES: u64 = 4 * 1024;
/// A footer is at most this many lines long.
pub const FOOTER_LINES: u64 = 40;

/// > … a rule of 20 or more `_`, `-` or `=`
const RULE: usize = 20;
/// Behind so many bytes of a line nothing of it matters.
const HEAD: usize = 160;
/// Text kept until it is looked at.
const WAITING: usize = 16 * 1024;
/// Places further behind than this have the role of the first one kept.
const REACH: u64 = 64 * 1024;

/// Words that only the footer of a list says.
const PHRASES: &[&str] = &[
    "mailing list",
    "mailman/listinfo",
    "listinfo/",
    "unsubscribe",
    "to leave this list",
    "list archive",
    "majordomo",
    "yahoo! groups",
    "yahoogroups",
    "google groups",
    "this list is",
    "list info",
    "list-help",
];

/// Finds any of [`PHRASES`] in one pass.
#[derive(Debug)]
struct Phrases(AhoCorasick);

impl Default for Phrases {
    fn default() -> Phrases {
        // OK because a dozen short words are far below its limits.
        Phrases(AhoCorasick::new(PHRASES).expect("a dozen words make an automaton"))
    }
}

/// Follows the text of one part and says what each place in it is.
///
/// Whether text behind a rule is a footer shows only at the end of the part;
/// until then, or until the text behind the rule is longer than
/// [`FOOTER_BYTES`] or [`FOOTER_LINES`], the answer for it is `None`.
///
/// Nothing is looked at before it is asked for: text is kept, up to 16 KiB of
/// it, and most messages end without a question.
///
/// Memory is bounded by that, [`FOOTER_BYTES`], and a few bytes for each line
/// of the last 64 KiB; time is linear.
///
/// ```
/// use urlgrep::mail::mime::{Role, RoleTracker};
///
/// let mut roles = RoleTracker::default();
/// roles.feed(b"> old\nnew\n-- \nme\n");
/// roles.finish(true);
/// assert_eq!(roles.role_at(2), Some(Role::Quoted(1)));
/// assert_eq!(roles.role_at(6), Some(Role::Body));
/// assert_eq!(roles.role_at(15), Some(Role::Signature));
/// ```
#[derive(Debug, Default)]
pub struct RoleTracker {
    /// The role of the whole part, where it has one.
    fixed: Option<Role>,
    /// Text that was fed and not looked at.
    waiting: Vec<u8>,
    /// The part has ended; true if as the last of its multipart. Cleared when
    /// that was looked at.
    ended: Option<bool>,
    /// The part comes after these in its `multipart/mixed`: it may be a
    /// footer as a whole.
    after: Option<Sibling>,
    /// Words that name the list, in lower case, each with a line feed.
    names: Vec<u8>,
    phrases: Phrases,
    /// Where a role begins; ordered. Empty before the first line.
    runs: VecDeque<(u64, Role)>,
    /// Behind a `-- ` line.
    signature: bool,
    /// Text offset of the line that is being read, and its number from 0.
    line_start: u64,
    line: u64,
    /// Its first bytes, as far as they came in an earlier chunk.
    head: Vec<u8>,
    /// Text offset behind all that was fed.
    end: u64,
    /// Rules that a footer may begin with: offset and line number.
    rules: VecDeque<(u64, u64)>,
    /// The text from behind the first of them on, in lower case; all of it if
    /// the part may be a footer as a whole.
    kept: Vec<u8>,
    /// Text offset of the first byte kept.
    kept_from: u64,
}

impl RoleTracker {
    /// Starts a part of a message. Keeps its memory.
    pub fn start(&mut self, message: &MessageInfo, part: &PartInfo<'_>) {
        self.clear();
        self.names.extend_from_slice(&message.list_names);
        self.fixed = match part.kind {
            PartKind::Header { .. } => Some(Role::Header),
            PartKind::HtmlText => Some(Role::HtmlText),
            PartKind::HtmlLink { .. } => Some(Role::HtmlLink),
            PartKind::Attachment | PartKind::Binary => Some(Role::Attachment),
            PartKind::Body | PartKind::Preamble | PartKind::Epilogue => None,
        };
        if part.kind == PartKind::Body && part.content_type == "text/plain" {
            self.after = part.after.filter(|&s| s != Sibling::Other);
        }
        if self.after.is_some() {
            self.rules.push_back((0, 0));
        }
    }

    fn clear(&mut self) {
        let RoleTracker {
            fixed,
            waiting,
            ended,
            after,
            names,
            phrases: _,
            runs,
            signature,
            line_start,
            line,
            head,
            end,
            rules,
            kept,
            kept_from,
        } = self;
        (*fixed, *ended, *after, *signature) = (None, None, None, false);
        (*line_start, *line, *end, *kept_from) = (0, 0, 0, 0);
        waiting.clear();
        names.clear();
        runs.clear();
        head.clear();
        rules.clear();
        kept.clear();
    }

    /// True if the whole part has one role, whatever its text is.
    pub(crate) fn is_fixed(&self) -> bool {
        self.fixed.is_some()
    }

    /// The next bytes of the part's text. Ask about a place before more than
    /// 64 KiB after it were fed.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.fixed.is_some() {
            return;
        }
        if self.waiting.len() + bytes.len() <= WAITING {
            self.waiting.extend_from_slice(bytes);
        } else {
            self.catch_up();
            self.look_at(bytes);
        }
    }

    /// Looks at the text that waits.
    fn catch_up(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        self.look_at(&waiting);
        self.waiting = waiting;
        self.waiting.clear();
        if let Some(last) = self.ended.take() {
            self.end(last);
        }
    }

    fn look_at(&mut self, bytes: &[u8]) {
        let start = self.end;
        self.end += bytes.len() as u64;
        let mut from = 0;
        while let Some(i) = memchr(b'\n', &bytes[from..]) {
            let line = &bytes[from..=from + i];
            let had_rules = !self.rules.is_empty();
            if self.head.is_empty() {
                self.line(&line[..line.len().min(HEAD)]);
            } else {
                self.hold(line);
                self.take_head();
            }
            from += i + 1;
            self.line += 1;
            self.line_start = start + from as u64;
            if had_rules {
                self.keep(line);
            } else if !self.rules.is_empty() {
                self.kept_from = self.line_start;
            }
        }
        self.hold(&bytes[from..]);
        if !self.rules.is_empty() {
            self.keep(&bytes[from..]);
        }
    }

    fn take_head(&mut self) {
        let head = std::mem::take(&mut self.head);
        self.line(&head);
        self.head = head;
        self.head.clear();
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Takes the line that starts at `line_start`, with its line feed if that
    /// is among its first bytes.
    fn line(&mut self, line: &[u8]) {
        // Most lines start with a letter.
        let role = match line[0] {
            b'>' | b' ' => self.role(line),
            b'-' | b'_' | b'=' => {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                if line == b"-- " {
                    self.signature = true;
                } else if is_rule(line) {
                    self.rules.push_back((self.line_start, self.line));
                }
                self.role(line)
            }
            _ if self.signature => Role::Signature,
            _ => Role::Body,
        };
        if self.runs.back().is_none_or(|&(_, last)| last != role) {
            self.runs.push_back((self.line_start, role));
            let far = self.line_start.saturating_sub(REACH);
            while self.runs.get(1).is_some_and(|&(at, _)| at <= far) {
                self.runs.pop_front();
            }
        }
    }

    /// The role of a line by its own first bytes.
    fn role(&self, line: &[u8]) -> Role {
        let line = line.strip_prefix(b" ").unwrap_or(line);
        let mut depth = 0u8;
        for &b in line {
            match b {
                b'>' => depth = depth.saturating_add(1),
                b' ' if depth > 0 => {}
                _ => break,
            }
        }
        match depth {
            0 if self.signature => Role::Signature,
            0 => Role::Body,
            _ => Role::Quoted(depth),
        }
    }

    /// Keeps what follows a rule, and forgets rules that are too far behind.
    fn keep(&mut self, bytes: &[u8]) {
        if bytes.len() as u64 > FOOTER_BYTES {
            self.rules.clear();
            self.after = None;
            self.kept.clear();
            return;
        }
        self.kept.extend(bytes.iter().map(u8::to_ascii_lowercase));
        let end = self.kept_from + self.kept.len() as u64;
        while let Some(&(at, line)) = self.rules.front() {
            if end - at <= FOOTER_BYTES && self.line - line <= FOOTER_LINES {
                break;
            }
            self.rules.pop_front();
            self.after = None;
        }
        match self.rules.front() {
            None => self.kept.clear(),
            Some(&(at, _)) => {
                let drop = at.saturating_sub(self.kept_from) as usize;
                // Seldom, so that the moves do not add up.
                if drop as u64 > FOOTER_BYTES {
                    self.kept.drain(..drop);
                    self.kept_from = at;
                }
            }
        }
    }

    /// The part ends; `last` if it is the last one of its multipart.
    pub fn finish(&mut self, last: bool) {
        self.ended = Some(last);
    }

    fn end(&mut self, last: bool) {
        if !self.head.is_empty() {
            self.take_head();
            self.line_start = self.end;
        }
        if let Some(from) = self.footer(last) {
            let at = self.runs.partition_point(|&(at, _)| at < from);
            self.runs.truncate(at);
            self.runs.push_back((from, Role::Footer));
        }
        self.rules.clear();
        self.kept.clear();
    }

    /// Where the footer begins, if there is one: the last stretch between two
    /// rules that names the list, and those right before it that do too.
    fn footer(&self, last: bool) -> Option<u64> {
        // > … or a last text/plain part added after a multipart
        if self.after == Some(Sibling::Multipart) && last {
            return Some(0);
        }
        let mut from = None;
        let mut end = self.kept.len();
        for &(at, _) in self.rules.iter().rev() {
            if at == 0 && self.after.is_some() && !last {
                break;
            }
            let start = (at.saturating_sub(self.kept_from) as usize).min(end);
            if self.names_list(&self.kept[start..end]) {
                from = Some(at);
            } else if from.is_some() {
                break;
            }
            end = start;
        }
        from
    }

    fn names_list(&self, text: &[u8]) -> bool {
        let mut names = self.names.split(|&b| b == b'\n').filter(|n| !n.is_empty());
        names.any(|name| memmem::find(text, name).is_some()) || self.phrases.0.is_match(text)
    }

    /// What the place `at` is; `None` while that is not known.
    #[must_use]
    pub fn role_at(&mut self, at: u64) -> Option<Role> {
        if self.fixed.is_some() {
            return self.fixed;
        }
        self.catch_up();
        if self.rules.front().is_some_and(|&(rule, _)| rule <= at) {
            return None;
        }
        if at >= self.line_start && !self.head.is_empty() {
            return Some(self.role(&self.head));
        }
        let i = self.runs.partition_point(|&(start, _)| start <= at);
        let run = self.runs.get(i.saturating_sub(1));
        Some(run.map_or(Role::Body, |&(_, role)| role))
    }
}

fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.len() >= RULE && line.iter().all(|&b| b == line[0])
}
