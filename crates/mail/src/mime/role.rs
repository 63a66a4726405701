//! The role of a place in a message: body, quotation, signature, or list
//! footer. Only the message itself decides it.

mod attribution;
mod below;
mod blocks;
mod boxes;
mod footer;
mod language;
pub(super) mod letters;
mod lines;
mod page;
mod people;
mod quotation;
mod quote_marks;
mod sections;
mod shapes;
mod signature;
mod spelling;
mod tail;
#[cfg(test)]
mod tests;
mod titles;

use std::fmt;

use self::lines::{Code, Lines};
use self::signature::Author;
use self::tail::{Before, Source, Tail};
use super::info::MessageInfo;
use super::part::{PartInfo, PartKind, Sibling};

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
    #[doc(hidden)]
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
/// The size of a page in bytes. The text of a part is read when it ends, or when there is so
/// much of it.
const PAGE: usize = 64 * 1024;
/// The room for the first page: most texts are shorter.
const FIRST_PAGE: usize = 4 * 1024;
/// The text below a place decides about its role up to this distance in bytes: a signature, a
/// footer and a header of a quotation have at most [`FOOTER_BYTES`], and begin with a line.
const OPEN: usize = 2 * FOOTER_BYTES as usize;
/// The roles of this many bytes before a page are remembered: those of the page before it,
/// which become known all at once, and those of hits that are found later.
const REACH: u64 = 2 * PAGE as u64;

/// What the message and the part say, and the text does not.
#[derive(Debug, Default)]
struct Facts {
    /// The part is HTML.
    is_page: bool,
    /// The previous part in its `multipart/mixed`. After such a part, this
    /// whole part may be a footer.
    after: Option<Sibling>,
    /// Words that identify the list, in lower case, each with a line feed after
    /// it.
    names: Vec<u8>,
    /// The name in the From field, once a signature is searched for.
    author: Author,
    knows_author: bool,
}

impl Facts {
    fn read_author(&mut self, from: &[u8]) {
        if !self.knows_author {
            self.author.set(from);
            self.knows_author = true;
        }
    }
}

/// The last text of a part.
#[derive(Debug, Default)]
struct Page {
    text: Vec<u8>,
    /// The offset of its first byte in the text of the part.
    from: u64,
    /// What the elements of HTML say about the text from an offset on, in order.
    marks: Vec<(u64, Enclosing)>,
    /// The offsets in the part at which the text of a link of HTML begins, in order.
    links: Vec<u64>,
}

impl Page {
    /// The offset in the part of a place in the page.
    #[inline]
    fn at(&self, at: usize) -> u64 {
        self.from + at as u64
    }

    /// True if the text of a link begins between these places of the page.
    fn has_link(&self, start: usize, end: usize) -> bool {
        let next = self.links.partition_point(|&at| at < self.at(start));
        self.links.get(next).is_some_and(|&at| at < self.at(end))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.marks.clear();
        self.links.clear();
        self.from = 0;
    }
}

/// What the elements around a text of HTML say about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enclosing {
    /// The role: `Body`, `Quoted`, `Signature` or `Footer`.
    pub role: Role,
    /// The text may be the header of a quoted message.
    pub header: bool,
    /// The text comes after the mark of a quoted message.
    pub rest: bool,
    /// A line is drawn above the text.
    pub rule: bool,
}

/// Knows the roles of the text of one part.
///
/// The text is kept, and read when the part has ended and a role is requested: a part without
/// a URL is never read. The caller must request the roles before it searches the text, and then no
/// hit waits for one. A text longer than 64 KiB comes as pages ([`RoleTracker::fill`], [`RoleTracker::turn`]).
/// What lies further back than 8 KiB in a page is known then, because a signature and a footer are
/// short, and no result depends on where a page ends.
///
/// A page is read in two passes. The first goes down all lines, and knows the quotations. It
/// leaves a row for each line, in one number. The second reads the last rows again, and finds
/// the signature and the footer.
///
/// HTML is read in the same way, line by line. Its elements may also say who wrote a text
/// ([`RoleTracker::enclosed`]). A link is at the offset of the text after it.
///
/// Memory is bounded by the page, and by a few bytes for each of its lines. Time is linear.
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
    page: Page,
    reader: Reader,
}

/// What was read of a part, and what its page has still to say.
#[derive(Debug, Default)]
struct Reader {
    /// The role of the whole part, if it does not depend on the text.
    fixed: Option<Role>,
    /// See [`PartInfo::is_forwarded`].
    is_forwarded: bool,
    facts: Facts,
    lines: Lines,
    /// What came before the first row of the page.
    before: Before,
    tail: Tail,
    /// The roles before this text offset are known.
    known: u64,
    /// All that was open at this text offset was ended there.
    decided: Option<u64>,
    /// Set when the part has ended, and cleared when this was processed. True
    /// if the part is the last of its multipart.
    ended: Option<bool>,
    /// The part was read, and its tail is still to be searched: the first row of it, and
    /// whether the part is the last of its multipart.
    tail_from: Option<(usize, bool)>,
    /// The first place of the tail, which was searched.
    tail_at: Option<u64>,
    /// The quotations before this place are no footer, whatever the tail has.
    quoted_until: u64,
    /// A footer begins here or above, although the tail was not searched.
    footer_from: Option<u64>,
    /// A signature above the last quotation was not searched for, which few places ask for: the
    /// same as `tail_from`.
    above: Option<(usize, bool)>,
    /// A signature may begin here at the end of the part, which is examined when a place below
    /// is requested.
    unsigned: Option<u64>,
    /// The rest of the part cannot be read.
    is_cut: bool,
}

/// The roles of a page, whose text is borrowed at the same time.
#[derive(Debug)]
pub struct PageRoles<'t> {
    page: &'t Page,
    reader: &'t mut Reader,
}

impl PageRoles<'_> {
    /// As [`RoleTracker::role_at`].
    #[must_use]
    pub fn role_at(&mut self, at: u64) -> Option<Role> {
        self.reader.role_at(self.page, at)
    }
}

impl RoleTracker {
    /// Starts another part of a message. Keeps the memory.
    pub fn start(&mut self, message: &MessageInfo, part: &PartInfo<'_>) {
        self.clear();
        let fixed = match part.kind {
            PartKind::Header { .. } => Some(Role::Header),
            PartKind::Attachment | PartKind::Binary => Some(Role::Attachment),
            PartKind::HtmlText if !part.is_page() => Some(Role::Attachment),
            _ => None,
        };
        self.reader.fixed = fixed;
        if fixed.is_some() {
            return;
        }
        self.reader.is_forwarded = part.is_forwarded;
        self.reader
            .lines
            .letter
            .set(message.subject(), message.from());
        let facts = &mut self.reader.facts;
        message.list_names.clone_into(&mut facts.names);
        facts.knows_author = false;
        facts.is_page = part.is_page();
        facts.after = None;
        if part.kind == PartKind::Body && part.content_type == "text/plain" {
            facts.after = part.after.filter(|&s| s != Sibling::Other);
        }
    }

    /// Starts a message without a header: all of it is its author's text.
    pub fn start_plain(&mut self) {
        self.clear();
        self.reader.fixed = Some(Role::Body);
    }

    /// Forgets the text. Keeps the memory of the buffers.
    fn clear(&mut self) {
        self.page.clear();
        self.reader.clear();
    }

    /// True if the whole part has one role, regardless of its text.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.reader.fixed.is_some()
    }

    /// Adds the next bytes of the part's text. The role of a place must be
    /// requested before more than 64 KiB of text follow it.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.is_fixed() {
            return;
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = self.fill(rest);
            if self.is_full() {
                self.turn();
                self.drop_page();
            }
        }
    }

    /// Adds as many of the next bytes of the part's text as the page has room for. Returns
    /// the others. If the page is full then, call [`RoleTracker::turn`].
    pub fn fill<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        // After a page was read there is room: most of it was dropped.
        let room = PAGE.saturating_sub(self.page.text.len()).max(1);
        let (next, rest) = bytes.split_at(bytes.len().min(room));
        if self.page.text.capacity() == 0 {
            self.page.text.reserve(FIRST_PAGE);
        }
        self.page.text.extend_from_slice(next);
        rest
    }

    /// True if the page has no room.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.page.text.len() >= PAGE
    }

    /// Reads a full page. Returns the text offset before which all roles are known. The text
    /// before it goes with [`RoleTracker::drop_page`].
    pub fn turn(&mut self) -> u64 {
        let RoleTracker { page, reader } = self;
        reader.read(page, false, true);
        let cut = page.at(reader.cut(page).1);
        reader.known = reader.known.max(cut);
        cut
    }

    /// Drops the text about which the rest of the part does not decide.
    pub fn drop_page(&mut self) {
        self.reader.drop_page(&mut self.page);
    }

    /// Ends the part. `last` is true if it is the last part of its multipart.
    pub fn finish(&mut self, last: bool) {
        self.reader.ended = Some(last);
    }

    /// Reads the text so far, before bytes that cannot be read. The roles that they cannot
    /// change are known then.
    pub fn cut_off(&mut self) {
        if !self.is_fixed() {
            self.reader.cut_off(&self.page);
        }
    }

    /// The text of the page, and its roles. The offset of its first byte is
    /// [`RoleTracker::page_start`].
    pub fn page(&mut self) -> (&[u8], PageRoles<'_>) {
        let RoleTracker { page, reader } = self;
        (&page.text, PageRoles { page, reader })
    }

    /// The offset of the page in the text of the part.
    #[must_use]
    pub fn page_start(&self) -> u64 {
        self.page.from
    }

    /// The offset after the text so far.
    #[must_use]
    pub fn page_end(&self) -> u64 {
        self.page.at(self.page.text.len())
    }

    /// The role of the place `at`. `None` while it is unknown.
    #[must_use]
    pub fn role_at(&mut self, at: u64) -> Option<Role> {
        self.reader.role_at(&self.page, at)
    }
}

impl Reader {
    /// Forgets the part. Keeps the memory of the buffers, and what the message says.
    fn clear(&mut self) {
        self.fixed = None;
        self.is_forwarded = false;
        self.lines.clear();
        self.before = Before::default();
        self.known = 0;
        self.decided = None;
        self.ended = None;
        self.tail_from = None;
        self.tail_at = None;
        self.quoted_until = 0;
        self.footer_from = None;
        self.above = None;
        self.unsigned = None;
        self.is_cut = false;
    }

    /// Reads the lines of the page, and decides about signatures above long quotations.
    fn read(&mut self, page: &Page, is_last: bool, waits: bool) {
        self.lines.read(page, is_last, waits);
        // The end of a shorter text decides about all of it.
        if (self.lines.next as u64) <= FOOTER_BYTES {
            return;
        }
        self.facts.read_author(&self.lines.letter.from);
        let source = Source {
            page,
            facts: &self.facts,
            lines: &self.lines,
        };
        self.tail.search_above_quotations(source, self.before);
        self.sign();
    }

    /// The first row about which the rest of the part may decide, and its place in the page.
    fn cut(&self, page: &Page) -> (usize, usize) {
        let lines = &self.lines;
        if self.decided == Some(page.at(page.text.len())) {
            return (lines.rows.len(), lines.next);
        }
        let far = lines.next.saturating_sub(OPEN);
        let first = lines.rows.partition_point(|row| row.at() < far);
        let cut = lines.rows.get(first).map_or(lines.next, |row| row.at());
        (first, cut)
    }

    fn drop_page(&mut self, page: &mut Page) {
        let (first, cut) = self.cut(page);
        self.before = self.before.after(&self.lines.rows[..first]);
        self.lines.remember_rule(page, first, cut);
        self.lines.drop_rows(first, cut);
        page.text.drain(..cut);
        page.from += cut as u64;
        self.known = self.known.max(page.from);
        let from = page.from;
        let dropped = page.links.partition_point(|&at| at < from);
        page.links.drain(..dropped);
        let dropped = page.marks[..self.lines.passed].partition_point(|mark| mark.0 < from);
        page.marks.drain(..dropped);
        self.lines.passed -= dropped;
        let runs = &mut self.lines.runs;
        let far = runs.partition_point(|&(at, _)| at <= from.saturating_sub(REACH));
        runs.drain(..far.saturating_sub(1));
    }

    /// Reads the end of the part.
    fn end(&mut self, page: &Page, last: bool) {
        self.read(page, true, false);
        let lines = &mut self.lines;
        let end = page.at(lines.next);
        // A link at the end of a page has no text after it.
        lines.pass_marks(page, end, end);
        lines.push_run(end, lines.role(0));
        let source = Source {
            page,
            facts: &self.facts,
            lines: &self.lines,
        };
        let first = source.first_of_tail();
        self.known = match source.lines.rows.get(first) {
            Some(row) => page.at(row.at()),
            None => end,
        };
        self.tail_at = Some(self.known);
        self.tail_from = Some((first, last));
        // Elements of HTML may draw a rule within a line.
        if !self.facts.is_page && self.decided.is_none() && !self.is_cut {
            self.quoted_until = source.end_of_quotations();
        }
        self.above = Some((first, last));
    }

    /// Searches the tail of a part that was read.
    fn end_tail(&mut self, page: &Page, first: usize, last: bool) {
        self.facts.read_author(&self.lines.letter.from);
        let source = Source {
            page,
            facts: &self.facts,
            lines: &self.lines,
        };
        self.tail.search_end(source, self.before, first);
        let footer = self.tail.footer(source, last);
        self.tail.open_above(source, footer);
        self.sign();
        self.unsigned = self.tail.first_signs();
        if let Some(from) = footer {
            self.lines.rewrite(from, Code::FOOTER);
        }
        self.known = u64::MAX;
    }

    /// Searches the tail again if a signature may be above the last quotation.
    fn end_above(&mut self, page: &Page, first: usize, last: bool) {
        self.facts.read_author(&self.lines.letter.from);
        let source = Source {
            page,
            facts: &self.facts,
            lines: &self.lines,
        };
        let above = source.first_above_quotation(first);
        if above < first {
            self.tail_from = None;
            self.end_tail(page, above, last);
        }
    }

    /// Gives the author's text the role that a search found for it.
    fn sign(&mut self) {
        for (from, to) in self.tail.signed.drain(..) {
            self.lines.sign(from, to);
        }
    }

    /// Reads the text so far, before bytes that cannot be read.
    fn cut_off(&mut self, page: &Page) {
        self.read(page, false, true);
        self.facts.read_author(&self.lines.letter.from);
        let source = Source {
            page,
            facts: &self.facts,
            lines: &self.lines,
        };
        self.tail
            .search_end(source, self.before, source.first_of_tail());
        let open = [
            self.tail.first_open(),
            self.lines.mark.and_then(|(_, at)| at),
        ];
        let next = page.at(self.lines.next);
        let first = open.into_iter().flatten().fold(next, u64::min);
        self.sign();
        self.known = self.known.max(first);
        self.is_cut = true;
    }

    fn role_at(&mut self, page: &Page, at: u64) -> Option<Role> {
        let role = self.fixed.or_else(|| self.role_by_text(page, at))?;
        Some(match role {
            // What somebody else wrote, the forwarder quotes.
            Role::Body if self.is_forwarded => Role::Quoted(1),
            Role::Quoted(depth) if self.is_forwarded => Role::Quoted(depth.saturating_add(1)),
            role => role,
        })
    }

    /// The role of a place in the letter that the part is.
    fn role_by_text(&mut self, page: &Page, at: u64) -> Option<Role> {
        if let Some(last) = self.ended {
            if let Some(role) = self.role_in_quotation(page, at) {
                return Some(role);
            }
            self.ended = None;
            self.end(page, last);
        }
        if self.tail_from.is_some()
            && let Some(role) = self.role_without_tail(page, at)
        {
            return Some(role);
        }
        if at >= self.known
            && let Some((first, last)) = self.tail_from.take()
        {
            self.end_tail(page, first, last);
        }
        if let Some((first, last)) = self.above
            && self.lines.code_at(at) == Code::BODY
        {
            self.above = None;
            self.end_above(page, first, last);
        }
        let is_decided = self.decided.is_some_and(|end| at <= end);
        let lines = &self.lines;
        let line = lines.long.map_or(page.at(lines.next), |long| long.at);
        if (is_decided || self.is_cut) && self.known < u64::MAX && at >= line {
            return self.role_in_line(page, at, is_decided);
        }
        if at >= self.known && !is_decided {
            return None;
        }
        let mut code = self.lines.code_at(at);
        if code == Code::BODY && self.unsigned.is_some_and(|from| at >= from) {
            self.sign_end(page);
            code = self.lines.code_at(at);
        }
        if code == Code::SIGNATURE && self.tail_at.is_some_and(|from| at >= from) {
            let source = Source {
                page,
                facts: &self.facts,
                lines: &self.lines,
            };
            if source.is_legal_notice(at) {
                code = Code::FOOTER;
            }
        }
        Some(code.role())
    }

    /// The role of a place in quoted words of a part that has ended. No text below it changes this
    /// role, because a footer quotes nothing: so only the lines above are read.
    fn role_in_quotation(&mut self, page: &Page, at: u64) -> Option<Role> {
        // Elements of HTML may draw a rule within a line.
        if self.facts.is_page || !page.marks.is_empty() || self.decided.is_some() || self.is_cut {
            return None;
        }
        let place = at.checked_sub(page.from)? as usize;
        // A link at the end of the text has a role of its own.
        page.text.get(place)?;
        self.lines.read_to(page, place, true, false);
        let rows = &self.lines.rows;
        let row = rows[..rows.partition_point(|row| row.at() <= place)].last()?;
        row.ends_footers().then(|| self.lines.code_at(at).role())
    }

    /// The role of a place, if no search of the tail can change it.
    fn role_without_tail(&mut self, page: &Page, at: u64) -> Option<Role> {
        // Signatures are the author's text.
        if at < self.quoted_until {
            let code = self.lines.code_at(at);
            return code.is_quoted().then(|| code.role());
        }
        if at < self.known || self.decided.is_some() || self.is_cut {
            return None;
        }
        if self.footer_from.is_none() {
            let source = Source {
                page,
                facts: &self.facts,
                lines: &self.lines,
            };
            self.footer_from = source.footer_around(at, &mut self.tail.lower);
        }
        let is_footer = self.footer_from.is_some_and(|from| at >= from);
        is_footer.then_some(Role::Footer)
    }

    /// Finds the signature at the end of the part, which few places ask for.
    fn sign_end(&mut self, page: &Page) {
        self.unsigned = None;
        let source = Source {
            page,
            facts: &self.facts,
            lines: &self.lines,
        };
        self.tail.sign_end(source);
        self.sign();
    }
}
