//! The role of a place in a message: body, quotation, signature, or list
//! footer. Only the message itself decides it.

mod footer;
mod page;
mod quotation;
mod shapes;
mod signature;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::mem::take;

use memchr::{memchr, memmem};

use self::quotation::HeaderBlock;
use self::shapes::Mark;
use self::signature::{PROSE, Signs};
use super::{Enclosing, MessageInfo, PartInfo, PartKind, Sibling};

/// The role of a place in a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// Text by the author of the message.
    #[default]
    Body,
    /// Text that was quoted from another message, at this depth.
    Quoted(u8),
    /// Text after a line `-- ` (RFC 3676 section 4.3). Near the end of a part,
    /// also after `--`, `---` or a line that closes a letter (`Yours,`).
    Signature,
    /// Text that a mailing list or a provider added.
    Footer,
    /// A place in a header field.
    Header,
    /// An attached file.
    Attachment,
}

impl Role {
    /// The depth of a quotation.
    #[must_use]
    pub fn depth(self) -> Option<u32> {
        match self {
            Role::Quoted(depth) => Some(u32::from(depth)),
            _ => None,
        }
    }

    /// One role of each name.
    pub const ALL: [Role; 6] = [
        Role::Body,
        Role::Quoted(1),
        Role::Signature,
        Role::Footer,
        Role::Header,
        Role::Attachment,
    ];

    /// The role with this name. `depth` is that of a quotation.
    pub fn from_name(name: &str, depth: u8) -> Option<Role> {
        let role = Role::ALL.into_iter().find(|role| role.name() == name)?;
        Some(match role {
            Role::Quoted(_) => Role::Quoted(depth),
            role => role,
        })
    }

    /// The name of the role: `body`, `quoted`, `signature`, `footer`, `header`,
    /// `attachment`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.kind().name()
    }

    /// The role without the depth of a quotation.
    #[must_use]
    pub fn kind(self) -> RoleKind {
        match self {
            Role::Body => RoleKind::Body,
            Role::Quoted(_) => RoleKind::Quoted,
            Role::Signature => RoleKind::Signature,
            Role::Footer => RoleKind::Footer,
            Role::Header => RoleKind::Header,
            Role::Attachment => RoleKind::Attachment,
        }
    }
}

urlgrep_base::named! {
    /// The roles without the depth of a quotation.
    pub enum RoleKind {
        /// [`Role::Body`]
        Body => "body",
        /// [`Role::Quoted`]
        Quoted => "quoted",
        /// [`Role::Signature`]
        Signature => "signature",
        /// [`Role::Footer`]
        Footer => "footer",
        /// [`Role::Header`]
        Header => "header",
        /// [`Role::Attachment`]
        Attachment => "attachment",
    }
}

impl fmt::Display for Role {
    /// Writes the name, without the depth of a quotation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The maximum length of a footer in bytes.
pub const FOOTER_BYTES: u64 = 4 * 1024;
/// The maximum length of a footer in lines.
pub const FOOTER_LINES: u64 = 40;

/// The maximum length of a line that can begin a quotation, a signature or a
/// footer.
const LONG: u64 = 1024;
/// The number of bytes at the start of a line that decide about its role.
const HEAD: usize = 160;
/// The maximum number of bytes of text that are kept before they are examined.
const WAITING: usize = 16 * 1024;
/// The maximum distance in bytes to a place whose role is still known. Earlier
/// places have the role of the oldest known place.
const REACH: u64 = 64 * 1024;

/// A line that may begin a footer.
#[derive(Clone, Copy, Debug)]
struct RuleLine {
    /// Text offset and number of the line.
    at: u64,
    line: u64,
    kind: RuleKind,
}

/// The text that must follow a line for it to begin a footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleKind {
    /// Words of a mailing list.
    List,
    /// Words of a virus scanner, after `---`.
    Scanner,
    /// The page of a list, on one of the first lines after `-- `.
    Dashes,
    /// Words of this list, in HTML, where advertising has such lines, too.
    Drawn,
    /// Nothing: the line is the page of a list.
    Page,
    /// The line belongs to a provider. True if it contains a URL.
    Stamp(bool),
}

/// Tracks the text of one part, and returns the role of each place in it.
///
/// Some roles are unknown (`None`) at first. Only the end of the part shows
/// whether text after a rule is a footer, and whether text after `--` is a
/// signature. The role of this text is unknown until then, or until the text is
/// longer than [`FOOTER_BYTES`] or [`FOOTER_LINES`]. The role of a line with a
/// mark such as `| ` is unknown until the next line. The role of `From:` in a
/// header in the text is unknown until that header ends.
///
/// HTML is read in the same way, line by line. Its elements may also say who wrote a text
/// ([`RoleTracker::enclosed`]). A link is at the offset of the text after it, so its role
/// is unknown until that text comes.
///
/// Text is examined only when a role is requested. Up to 16 KiB of text are
/// kept until then. Most messages end before the first request.
///
/// Memory is bounded by that text, by [`FOOTER_BYTES`], and by a few bytes for
/// each line of the last 64 KiB. Time is linear.
///
/// ```
/// use urlgrep_mail::mime::{Role, RoleTracker};
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
    /// The role of the whole part, if it does not depend on the text.
    fixed: Option<Role>,
    /// The part is HTML.
    is_page: bool,
    /// Text that was fed last. The first bytes of it were examined.
    waiting: Vec<u8>,
    examined: usize,
    /// Set when the part has ended, and cleared when this was processed. True
    /// if the part is the last of its multipart.
    ended: Option<bool>,
    /// The previous part in its `multipart/mixed`. After such a part, this
    /// whole part may be a footer.
    after: Option<Sibling>,
    /// Words that identify the list, in lower case, each with a line feed after
    /// it.
    names: Vec<u8>,
    /// The message is in an archive of Mailman, which keeps it without the footer.
    is_archived: bool,
    /// The name of the author, a set of the first letters of its words, and one of their
    /// lengths with these letters.
    author: Vec<u8>,
    initials: u32,
    outlines: u64,
    /// The text offsets at which roles begin, in order. Empty before the first
    /// line.
    runs: VecDeque<(u64, Role)>,
    /// What the elements of HTML say about the text from an offset on, for text that was
    /// not examined yet.
    marks: VecDeque<(u64, Enclosing)>,
    /// What they say about the text that was examined last.
    within: Enclosing,
    /// The roles up to this text offset are known, whatever follows.
    decided: Option<u64>,
    is_ended: bool,
    /// True after a `-- ` line.
    signature: bool,
    /// The minimum depth of quotation in the rest of the part. It is 1 after
    /// `-----Original Message-----`, for example.
    base: u8,
    /// The previous line may be the first line of an attribution.
    begins_attribution: bool,
    /// After an attribution. The next line with words shows whether all
    /// following text is quoted.
    attribution: bool,
    header: Option<HeaderBlock>,
    /// The mark of the previous line. The offset is the start of that line. It
    /// is `None` if it is known whether the mark quotes text.
    mark: Option<(Mark, Option<u64>)>,
    /// After an attribution, the quotation is indented by blanks.
    indented: bool,
    /// The place and number of a line `--` or `-- ` after which no words came yet.
    after_dashes: Option<(u64, u64)>,
    /// A list says here that it removed an attachment.
    scrubbed: bool,
    /// Lines after which a signature may begin.
    dashes: VecDeque<Signs>,
    /// The number of lines with words so far, without the quoted lines at the end, and
    /// the number of these.
    worded: u64,
    quoted: u64,
    /// The number of lines with words before the last blank line.
    blank_after: u64,
    /// Text offset of the current line, and its number from 0.
    line_start: u64,
    line: u64,
    /// The first bytes of the current line, from an earlier chunk.
    head: Vec<u8>,
    /// Text offset of the end of the text so far.
    end: u64,
    /// Rules that may begin a footer.
    rules: VecDeque<RuleLine>,
    /// Text in lower case, in which a footer is searched for. It has at least
    /// the text after the line of the first rule. If the whole part may be a
    /// footer, it has all text of the part.
    kept: Vec<u8>,
    /// Text offset of the first byte of `kept`.
    kept_from: u64,
}

impl RoleTracker {
    /// Starts another part of a message. Keeps the memory.
    pub fn start(&mut self, message: &MessageInfo, part: &PartInfo<'_>) {
        self.clear();
        self.names.extend_from_slice(&message.list_names);
        self.set_author(message.from());
        self.is_archived = message.sender_with_at().is_some();
        self.fixed = match part.kind {
            PartKind::Header { .. } => Some(Role::Header),
            PartKind::Attachment | PartKind::Binary => Some(Role::Attachment),
            PartKind::HtmlText if !part.is_page() => Some(Role::Attachment),
            _ => None,
        };
        self.is_page = part.is_page();
        if part.kind == PartKind::Body && part.content_type == "text/plain" {
            self.after = part.after.filter(|&s| s != Sibling::Other);
        }
        if self.after.is_some() {
            self.push_rule(RuleKind::List);
        }
    }

    /// Starts a message without a header: all of it is its author's text.
    pub fn start_plain(&mut self) {
        self.clear();
        self.fixed = Some(Role::Body);
    }

    /// Forgets everything but the memory of the buffers. A field that is added
    /// later is forgotten, too.
    fn clear(&mut self) {
        macro_rules! keep_memory {
            ($tracker:ident, $($buffer:ident)*) => {
                $($tracker.$buffer.clear();)*
                *$tracker = RoleTracker {
                    $($buffer: take(&mut $tracker.$buffer),)*
                    ..RoleTracker::default()
                };
            };
        }
        keep_memory!(self, waiting names author runs marks dashes head rules kept);
    }

    /// True if the whole part has one role, regardless of its text.
    pub fn is_fixed(&self) -> bool {
        self.fixed.is_some()
    }

    /// Adds the next bytes of the part's text. The role of a place must be
    /// requested before more than 64 KiB of text follow it.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.fixed.is_some() {
            return;
        }
        if self.waiting.len() + bytes.len() <= WAITING {
            self.waiting.extend_from_slice(bytes);
        } else {
            self.catch_up();
            self.look_at(bytes);
            self.forget_open();
        }
    }

    /// Examines the text that was kept, up to the end of the line with the place `at`.
    fn look_up_to(&mut self, at: u64) {
        let start = self.examined + at.saturating_sub(self.end) as usize;
        let rest = self.waiting.get(start..).filter(|_| at >= self.end);
        if let Some(end) = rest.and_then(|rest| memchr(b'\n', rest)) {
            self.look_at_waiting(start + end + 1);
        }
    }

    fn look_at_waiting(&mut self, to: usize) {
        let waiting = take(&mut self.waiting);
        self.look_at(&waiting[self.examined..to]);
        self.waiting = waiting;
        self.examined = to;
    }

    /// Examines the text that was kept, and processes the end of the part if it
    /// has come.
    fn catch_up(&mut self) {
        self.look_at_waiting(self.waiting.len());
        self.waiting.clear();
        self.examined = 0;
        self.forget_open();
        if let Some(last) = self.ended.take() {
            self.end(last);
        }
    }

    fn look_at(&mut self, bytes: &[u8]) {
        self.end += bytes.len() as u64;
        let mut rest = bytes;
        while let Some((line, has_shape)) = self.pass(&mut rest) {
            let end = self.end - rest.len() as u64;
            self.enter(self.line_start);
            let had_rules = !self.rules.is_empty();
            if self.head.is_empty() {
                self.line(&line[..line.len().min(HEAD)], end, has_shape);
            } else {
                self.hold(line);
                self.take_head(end);
            }
            self.line += 1;
            self.line_start = end;
            if had_rules {
                self.keep(line);
            } else if !self.rules.is_empty() {
                self.kept_from = self.line_start;
            }
        }
        self.hold(rest);
        self.enter(self.line_start);
        if !self.rules.is_empty() {
            self.keep(rest);
        }
    }

    /// Reads lines while no earlier line or element decides about the next one, and none of
    /// them may begin a shape. Nearly all text is such lines. Returns the line after them,
    /// and true if a shape may begin on it. Leaves the text after that line in `rest`.
    fn pass<'t>(&mut self, rest: &mut &'t [u8]) -> Option<(&'t [u8], bool)> {
        let is_enclosed = self.within != Enclosing::default();
        let is_open = is_enclosed || !self.head.is_empty() || self.has_open_shape();
        let until = self.marks.front().map_or(u64::MAX, |mark| mark.0);
        let until = if is_open { 0 } else { until };
        let unmarked = self.role(0);
        let mut before = None;
        let mut far = self.far_sign();
        while let Some(i) = memchr(b'\n', rest) {
            let (line, after) = rest.split_at(i + 1);
            let end = self.line_start + line.len() as u64;
            let head = &line[..line.len().min(HEAD)];
            let first = head.iter().copied().find(|b| !b.is_ascii_whitespace());
            let is_apart = line.len() as u64 > LONG || end > until;
            if is_apart {
                *rest = after;
                return Some((line, false));
            }
            let role = match first {
                Some(b'>') => self.role(shapes::quote_marks(head)),
                Some(b) if self.may_have_shape(head, b) => {
                    *rest = after;
                    return Some((line, true));
                }
                Some(0xE2) => self.role(shapes::quote_marks(head)),
                _ => unmarked,
            };
            if end > far {
                self.sign_above_quotation(end);
                far = self.far_sign();
                before = None;
            }
            self.count(role, first.is_some());
            if before != Some(role) {
                self.push_run(self.line_start, role);
                before = Some(role);
            }
            self.line += 1;
            self.line_start = end;
            *rest = after;
            if !self.rules.is_empty() {
                self.keep(line);
            }
        }
        None
    }

    #[inline]
    fn may_have_shape(&self, line: &[u8], first: u8) -> bool {
        shapes::may_have_shape(line, first) || !self.is_page && self.names_author(line, first)
    }

    fn take_head(&mut self, end: u64) {
        let head = take(&mut self.head);
        self.line(&head, end, false);
        self.head = head;
        self.head.clear();
    }

    fn hold(&mut self, bytes: &[u8]) {
        let room = HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Processes the line from `line_start` to `end`. `line` is its beginning.
    /// It includes the line feed if that is within the beginning. `has_shape` is true if it
    /// is known that a shape may begin on it.
    fn line(&mut self, line: &[u8], end: u64, has_shape: bool) {
        let first = line.iter().copied().find(|b| !b.is_ascii_whitespace());
        let is_long = end - self.line_start > LONG;
        self.sign_above_quotation(end);
        if self
            .header
            .is_some_and(|header| end - header.at > FOOTER_BYTES)
        {
            self.header = None;
        }
        let Enclosing { header, rest, .. } = self.within;
        if rest || header && !is_long && shapes::names_field(line) {
            self.quote_rest(self.line_start);
        }
        let is_plain = is_long || self.within.role != Role::Body;
        if is_plain {
            self.end_shapes();
        }
        let may_begin = || has_shape || first.is_some_and(|b| self.may_have_shape(line, b));
        let role = if !is_plain && (self.has_open_shape() || may_begin()) {
            self.shaped(line)
        } else {
            self.role(shapes::quote_marks(line))
        };
        self.count(role, first.is_some());
        self.push_run(self.line_start, role);
        self.enter(end - 1);
    }

    /// Records that the text has this role from `at` on.
    fn push_run(&mut self, at: u64, role: Role) {
        if self.runs.back().is_none_or(|&(_, last)| last != role) {
            self.runs.push_back((at, role));
            let far = at.saturating_sub(REACH);
            while self.runs.get(1).is_some_and(|&(at, _)| at <= far) {
                self.runs.pop_front();
            }
        }
    }

    /// Changes the role of all text so far from `at` on.
    fn rewrite(&mut self, at: u64, role: Role) {
        let first = self.runs.partition_point(|&(start, _)| start < at);
        self.runs.truncate(first);
        self.push_run(at, role);
    }

    /// True if an earlier line decides about this line, regardless of its own
    /// shape.
    fn has_open_shape(&self) -> bool {
        self.header.is_some()
            || self.mark.is_some()
            || self.scrubbed
            || self.indented
            || self.after_dashes.is_some()
            || self.begins_attribution
            || self.attribution
    }

    /// Ends all open shapes, at a line that is too long to examine.
    fn end_shapes(&mut self) {
        self.header = None;
        self.mark = None;
        self.scrubbed = false;
        self.begins_attribution = false;
        self.attribution = false;
        self.indented = false;
        self.after_dashes = None;
    }

    /// The role of a line that is not too long. Updates the open shapes.
    #[expect(
        clippy::too_many_lines,
        reason = "the shapes of a line exclude each other, in this order"
    )]
    fn shaped(&mut self, line: &[u8]) -> Role {
        let text = line.trim_ascii();
        let marks = shapes::quote_marks(text);
        let quoted = marks > 0;
        if let Some(role) = self.shape_of_scrubbed(text) {
            return role;
        }
        let is_indented = line.starts_with(b"  ") || line.starts_with(b"\t");
        self.indented &= is_indented || text.is_empty();
        if let Some((at, number)) = self.after_dashes.take() {
            if text.is_empty() {
                self.after_dashes = Some((at, number));
            } else if shapes::begins_footer(text) {
                self.rules.push_back(RuleLine {
                    at,
                    line: number,
                    kind: RuleKind::Stamp(true),
                });
            } else if let Some(signs) = self.dashes.back_mut().filter(|signs| signs.at == at) {
                signs.is_prose = String::from_utf8_lossy(text).chars().count() >= PROSE;
            }
        }
        self.header(line, text);
        let mark = shapes::mark(line).filter(|_| !quoted);
        if take(&mut self.attribution) && self.base == 0 {
            if text.is_empty() {
                self.attribution = true;
            } else if !quoted && mark.is_none() {
                self.indented = is_indented;
                if !is_indented {
                    self.quote_rest(self.line_start);
                }
            }
        }
        let is_marked = self.marked(mark);
        if !quoted && !is_marked {
            let goes_on = self.begins_attribution;
            self.begins_attribution = shapes::begins_attribution(text);
            let is_attribution = shapes::is_attribution(text, goes_on);
            self.attribution |= is_attribution;
            let bare = line.strip_suffix(b"\n").unwrap_or(line);
            let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
            let role = self.role(0);
            // A program that signs a message puts `- ` before a dash (RFC 4880 section 7.1).
            let bare = if bare == b"- -- " { &bare[2..] } else { bare };
            if matches!(bare, b"-- " | b"--") {
                self.after_dashes = Some((self.line_start, self.line));
            }
            if bare == b"-- " {
                self.signature |= self.base == 0;
                self.dashes.clear();
                self.push_rule(RuleKind::Dashes);
            } else if matches!(bare, b"--" | b"-----END PGP SIGNATURE-----") {
                self.push_signs(false);
            } else if shapes::is_closing(bare)
                || shapes::names_device(bare.trim_ascii_start())
                || !self.is_page
                    && self.worded > 0
                    && text.first().is_some_and(|&b| self.names_author(text, b))
            {
                self.push_signs(true);
            } else if bare.trim_ascii_end() == b"---" {
                self.push_signs(false);
                self.push_rule(RuleKind::Scanner);
            } else if shapes::is_postscript(bare) {
                self.dashes.retain(|signs| !signs.closing);
            } else if bare.starts_with(b"+++ ") {
                // The text after `---` is a patch.
                self.dashes.clear();
            } else if shapes::is_rule(bare) {
                self.push_rule(if self.is_page {
                    RuleKind::Drawn
                } else {
                    RuleKind::List
                });
            } else if self.begins_paragraph() && self.is_own_page(bare) {
                self.push_rule(RuleKind::Page);
            } else if shapes::is_stamp(bare) {
                self.push_rule(RuleKind::Stamp(shapes::holds_url(bare)));
            } else if let Some(base) = shapes::original(bare, self.base) {
                // Both lines are a part of the quotation.
                self.quote_rest(self.line_start);
                let role = self.role(0);
                self.base = base;
                return role;
            }
            return match bare {
                b"-- " => self.role(0),
                _ if is_attribution || shapes::names_message(bare) => {
                    Role::Quoted(self.base.max(1))
                }
                _ => role,
            };
        }
        self.begins_attribution = false;
        match self.role(marks) {
            Role::Quoted(depth) if is_marked => Role::Quoted(depth.saturating_add(1)),
            role if !is_marked => role,
            _ => Role::Quoted(1),
        }
    }

    /// True if the line is the page of this list: `http://a.example/mailman/listinfo/talk`
    /// for `talk@a.example`.
    fn is_own_page(&self, line: &[u8]) -> bool {
        let name = line.trim_ascii().rsplit(|&b| b == b'/').next();
        let is_name = |name: &[u8]| memmem::find(&self.names, &name.to_ascii_lowercase()).is_some();
        shapes::is_list_page(line) && name.is_some_and(is_name)
    }

    /// True if the line before is blank, and no quotation is above it.
    fn begins_paragraph(&self) -> bool {
        self.worded > 0 && self.quoted == 0 && self.blank_after == self.worded
    }

    fn push_rule(&mut self, kind: RuleKind) {
        let (at, line) = (self.line_start, self.line);
        self.rules.push_back(RuleLine { at, line, kind });
    }

    /// The role of a line in a list's notice about a removed attachment.
    fn shape_of_scrubbed(&mut self, text: &[u8]) -> Option<Role> {
        self.scrubbed = !text.is_empty() && (self.scrubbed || shapes::is_scrubbed(text));
        self.scrubbed.then_some(Role::Footer)
    }

    /// The role of a line with this number of quote marks, by `base` and `signature`.
    #[inline]
    fn role(&self, marks: u8) -> Role {
        let mut depth = self.base.max(u8::from(self.within.rest || self.indented));
        if let Role::Quoted(around) = self.within.role {
            depth = depth.max(around);
        }
        match depth.saturating_add(marks) {
            0 if self.signature && self.within.role == Role::Body => Role::Signature,
            0 => self.within.role,
            depth => Role::Quoted(depth),
        }
    }

    /// Ends shapes that are too far back to decide about more text. Without
    /// this, the role of all later text could stay unknown.
    fn forget_open(&mut self) {
        let end = self.end;
        if let Some((_, Some(at))) = self.mark
            && end - at > 2 * LONG
        {
            self.mark = None;
        }
        self.sign_above_quotation(end);
    }

    /// Ends the part. `last` is true if it is the last part of its multipart.
    pub fn finish(&mut self, last: bool) {
        self.ended = Some(last);
    }

    fn end(&mut self, last: bool) {
        if !self.head.is_empty() {
            self.take_head(self.end);
            self.line_start = self.end;
        }
        // A link at the end of a page has no text after it.
        self.enter(self.end);
        self.push_run(self.end, self.role(0));
        self.is_ended = true;
        self.forget_open();
        let footer = self.footer(last);
        if let Some(&Signs { at, .. }) = self.dashes.front() {
            self.sign(at);
        }
        if let Some(from) = footer {
            self.rewrite(from, Role::Footer);
        }
        self.end_shapes();
        self.dashes.clear();
        self.rules.clear();
        self.kept.clear();
    }

    /// The role of the place `at`. `None` while it is unknown.
    #[must_use]
    pub fn role_at(&mut self, at: u64) -> Option<Role> {
        if self.fixed.is_some() {
            return self.fixed;
        }
        // Text below the last hit need not be examined if nothing open decides about it.
        self.look_up_to(at);
        self.known_role(at).or_else(|| {
            self.catch_up();
            self.known_role(at)
        })
    }

    /// The role of a place in the text that was examined.
    fn known_role(&mut self, at: u64) -> Option<Role> {
        let open = [
            self.rules.front().map(|rule| rule.at),
            self.dashes.front().map(|signs| signs.at),
            self.header.map(|header| header.at),
            self.mark.and_then(|(_, at)| at),
            self.after_dashes.map(|(at, _)| at),
        ];
        let is_decided = self.is_ended || self.decided.is_some_and(|end| at <= end);
        let is_open = open.into_iter().flatten().any(|from| from <= at);
        if !is_decided && (is_open || at >= self.end) {
            return None;
        }
        if at >= self.line_start && !self.is_ended {
            return self.role_in_line(at, is_decided);
        }
        let i = self.runs.partition_point(|&(start, _)| start <= at);
        let run = self.runs.get(i.saturating_sub(1));
        Some(run.map_or(Role::Body, |&(_, role)| role))
    }
}
