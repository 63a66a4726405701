//! The pass down a text: quotations, and the row that is kept of each line.
//!
//! A quotation is known when its line is read, or a few lines later: a header as Outlook
//! writes it, and marks such as `| `, change the roles of the lines above. Signatures and
//! footers depend on the end of the text, so [`Tail`](super::tail::Tail) reads the last rows
//! again.

use std::mem::take;

use memchr::memchr;

use super::super::Enclosing;
use super::super::header::line_feed;
use super::blocks::Letter;
use super::quotation::{self, AHEAD};
use super::quote_marks::{self, Initials, Mark};
use super::shapes;
use super::titles;
use super::{FOOTER_BYTES, HEAD, LONG, Page, Role};
use super::{attribution, blocks, footer};

/// A role in one number, which is compared for each line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Code(u16);

impl Code {
    pub(super) const BODY: Code = Code(0);
    pub(super) const SIGNATURE: Code = Code(1);
    pub(super) const FOOTER: Code = Code(2);

    #[inline]
    pub(super) fn quoted(depth: u8) -> Code {
        Code(3 + u16::from(depth))
    }

    #[inline]
    pub(super) fn is_quoted(self) -> bool {
        self.0 >= 3
    }

    /// The depth of a quotation, else 0.
    #[inline]
    fn depth(self) -> u8 {
        self.0.saturating_sub(3) as u8
    }

    pub(super) fn of(role: Role) -> Code {
        match role {
            Role::Quoted(depth) => Code::quoted(depth),
            Role::Signature => Code::SIGNATURE,
            Role::Footer => Code::FOOTER,
            _ => Code::BODY,
        }
    }

    pub(super) fn role(self) -> Role {
        match self {
            Code::BODY => Role::Body,
            Code::SIGNATURE => Role::Signature,
            Code::FOOTER => Role::Footer,
            quoted => Role::Quoted(quoted.depth()),
        }
    }
}

/// What a line is for the search from the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A shape may begin on it.
    Free = 0,
    /// It has a quote mark, so no shape begins on it.
    Marked = 1,
    /// It is a part of a list's notice.
    Notice = 2,
    /// It is too long, or its elements say who wrote it.
    Given = 3,
}

/// What is kept of a line: its offset in the page, which has far less than 2^26 bytes, and a few
/// bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row(u32);

impl Row {
    const BLANK: u32 = 4;
    const QUOTED: u32 = 8;
    const DEEP: u32 = 16;
    const BASE: u32 = 32;
    const BITS: u32 = 6;

    #[inline]
    fn new(at: usize, bits: u32) -> Row {
        debug_assert!(at < 1 << (u32::BITS - Row::BITS));
        Row((at as u32) << Row::BITS | bits)
    }

    /// The offset of the line in the page.
    #[inline]
    pub(super) fn at(self) -> usize {
        (self.0 >> Row::BITS) as usize
    }

    /// The row after the first `cut` bytes of the page were dropped.
    fn moved(self, cut: usize) -> Row {
        let bits = self.0 & ((1 << Row::BITS) - 1);
        Row::new(self.at().saturating_sub(cut), bits)
    }

    #[inline]
    fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    pub(super) fn kind(self) -> LineKind {
        match self.0 & 3 {
            0 => LineKind::Free,
            1 => LineKind::Marked,
            2 => LineKind::Notice,
            _ => LineKind::Given,
        }
    }

    /// The row of a line that turned out to be quoted.
    pub(super) fn quoted(self) -> Row {
        Row(self.0 | Row::QUOTED | Row::DEEP)
    }

    /// The row of a line that turned out to have no words.
    fn blank(self) -> Row {
        Row(self.0 | Row::BLANK)
    }

    /// True for a line without words.
    pub(super) fn is_blank(self) -> bool {
        self.has(Row::BLANK)
    }

    pub(super) fn is_quoted(self) -> bool {
        self.has(Row::QUOTED)
    }

    /// True for the author's words.
    #[inline]
    pub(super) fn is_own(self) -> bool {
        self.0 & (Row::BLANK | Row::QUOTED) == 0
    }

    /// True for quoted words.
    #[inline]
    pub(super) fn is_quoted_words(self) -> bool {
        self.0 & (Row::BLANK | Row::QUOTED) == Row::QUOTED
    }

    /// The line is quoted more deeply than the text around it.
    pub(super) fn is_deep(self) -> bool {
        self.has(Row::DEEP)
    }

    /// The line has quoted words, so that no footer begins above it.
    pub(super) fn ends_footers(self) -> bool {
        self.is_deep() && !self.is_blank() && self.kind() != LineKind::Notice
    }

    /// All text around the line is quoted.
    pub(super) fn is_in_quotation(self) -> bool {
        self.has(Row::BASE)
    }
}

/// What the lines before say about the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Open {
    #[default]
    Nothing,
    /// After an attribution. The next line with words shows whether all that follows is
    /// quoted.
    Attributed,
    /// A list says here that it removed an attachment. True if an attribution is above it.
    Removed(bool),
    /// The same, for another notice of a program or a company.
    Notice(bool),
}

/// One line of a page: its offset there, and its bytes.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) at: usize,
    pub(super) bytes: &'t [u8],
}

impl<'t> Line<'t> {
    pub(super) fn end(&self) -> usize {
        self.at + self.bytes.len()
    }

    /// The bytes that decide about its role.
    #[inline]
    pub(super) fn head(&self) -> &'t [u8] {
        &self.bytes[..self.bytes.len().min(HEAD)]
    }

    pub(super) fn is_long(&self) -> bool {
        self.bytes.len() as u64 > LONG
    }
}

/// A line whose end has not come, and which is too long to examine.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongLine {
    pub(super) at: u64,
    pub(super) marks: u8,
}

/// Reads the lines of a text from the first to the last.
///
/// It is one state: each line may change what the next ones mean in several ways (a quotation, a
/// signature, a block, a footer), and a page is left and entered with all of it.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The text offsets at which roles begin, in order.
    pub(super) runs: Vec<(u64, Code)>,
    /// The lines of the page that were read.
    pub(super) rows: Vec<Row>,
    /// The role of the last line.
    last: Option<Code>,
    /// The role of a line without a mark, and its bits.
    plain: Code,
    plain_bits: u32,
    /// The place in the page after the last line.
    pub(super) next: usize,
    pub(super) long: Option<LongLine>,
    /// What the elements of HTML say about the text that was read last, and the number of
    /// marks of the page that were passed.
    pub(super) within: Enclosing,
    pub(super) passed: usize,
    /// After a `-- ` line, and before a quotation below it: people answer below that.
    pub(super) signed: bool,
    /// The minimum depth of quotation in the rest of the part. It is 1 after
    /// `-----Original Message-----`, for example.
    pub(super) base: u8,
    /// The quotation is one of KMail, which ends it with a rule.
    pub(super) of_kmail: bool,
    /// The number of messages that begin in this quotation, as parts of it.
    pub(super) inner: u32,
    /// The place where the text last began to be a quotation in this way.
    pub(super) quoted_from: u64,
    pub(super) open: Open,
    /// The lines up to this text offset have this role: the header of a quotation, or a notice.
    given_until: u64,
    given: Code,
    /// The last rule between sections before the page.
    pub(super) rule_above: Option<u64>,
    /// What the header of the message says.
    pub(super) letter: Letter,
    /// The place of the line that is read.
    pub(super) reading: usize,
    /// After an attribution, the quotation is indented by blanks.
    pub(super) indented: bool,
    /// After an attribution, each line of the quotation has this mark: `->`.
    pub(super) other_mark: Vec<u8>,
    /// The mark of the previous line. The offset is the start of that line. It is `None` if it
    /// is known whether the mark quotes text.
    pub(super) mark: Option<(Mark, Option<u64>)>,
    /// The initials that were a mark of quotation last, or zeros. One line with them is enough
    /// then.
    pub(super) initials: Initials,
}

impl Lines {
    /// Forgets everything but the memory of the buffers, and what the message says.
    pub(super) fn clear(&mut self) {
        let (mut runs, mut rows) = (take(&mut self.runs), take(&mut self.rows));
        runs.clear();
        rows.clear();
        *self = Lines {
            runs,
            rows,
            letter: take(&mut self.letter),
            ..Lines::default()
        };
    }

    /// Reads the lines of the page that were not read, without one whose end has not come
    /// (`is_last` means that it has). A line that is too long is read as soon as that is known.
    /// If `waits`, a line is not read before the text that may decide about it has come.
    pub(super) fn read(&mut self, page: &Page, is_last: bool, waits: bool) {
        self.read_to(page, page.text.len(), is_last, waits);
    }

    /// As [`read`](Lines::read), up to the end of the line at the place `to` in the page.
    pub(super) fn read_to(&mut self, page: &Page, to: usize, is_last: bool, waits: bool) {
        self.set_plain();
        if let Some(long) = self.long {
            let rest = &page.text[self.next..];
            let end = memchr(b'\n', rest).map(|i| self.next + i + 1);
            self.next = end.unwrap_or(page.text.len());
            self.pass_marks(page, page.at(self.next).saturating_sub(1), long.at);
            if end.is_none() && !is_last {
                return;
            }
            self.long = None;
        }
        let mut until = self.is_plain_until(page);
        let to = to.min(page.text.len().saturating_sub(1));
        while self.next <= to && !page.text.is_empty() {
            let rest = &page.text[self.next..];
            let end = line_feed(rest, 0).map(|i| i + 1);
            let line = Line {
                at: self.next,
                bytes: &rest[..end.unwrap_or(rest.len())],
            };
            if end.is_none() && !is_last {
                if !line.is_long() {
                    return;
                }
                self.long = Some(LongLine {
                    at: page.at(line.at),
                    marks: quote_marks::quote_marks(line.head()),
                });
            }
            let waits = waits && !is_last && page.text.len() - line.at <= AHEAD;
            let looks_ahead = || self.open == Open::Attributed || quotation::looks_ahead(&line);
            if waits && !line.is_long() && looks_ahead() {
                return;
            }
            self.next = line.end();
            if page.at(self.next) <= until && !line.is_long() && self.pass(page, &line) {
                continue;
            }
            self.line(page, &line);
            until = self.is_plain_until(page);
        }
    }

    /// Reads a line about which no earlier line decides. Returns false if a shape may begin on
    /// it. Nearly all lines pass.
    #[inline(always)]
    fn pass(&mut self, page: &Page, line: &Line<'_>) -> bool {
        let head = line.head();
        if self.within.role != Role::Body {
            let code = self.given(head);
            self.put_line(page, line, code, LineKind::Given);
            return true;
        }
        let first = match head[0] {
            b if b.is_ascii_whitespace() => head.iter().copied().find(|b| !b.is_ascii_whitespace()),
            b => Some(b),
        };
        let Some(first) = first else {
            self.put(page, line.at, self.plain, self.plain_bits | Row::BLANK);
            return true;
        };
        if first == b'>' || first == 0xE2 {
            let marks = quote_marks::first_marks(head);
            if marks > 2 && attribution::is_of_group_wise(head)
                || marks > 0 && (self.signed || self.may_be_typed(page, head))
            {
                return false;
            }
            if marks > 0 {
                let code = Code::quoted(self.base.saturating_add(marks));
                let bits = self.plain_bits & Row::BASE | LineKind::Marked as u32;
                self.put(page, line.at, code, bits | Row::QUOTED | Row::DEEP);
                return true;
            }
        }
        // A header in a language that is not known begins a paragraph.
        let may_begin = shapes::may_quote(head, first) && !self.is_mere_rule(head)
            || shapes::may_end(line.bytes)
                && (shapes::may_end_quotation(head) || self.may_introduce(page, line))
            || first == b'[' && self.base > 0
            || self.is_after_blank()
                && (blocks::may_begin_unknown(head)
                    || self.signed && shapes::begins_addition(head));
        if may_begin {
            return false;
        }
        self.put(page, line.at, self.plain, self.plain_bits);
        true
    }

    /// True if the line is a rule of dashes or underscores, and nothing begins with it. An
    /// advertisement follows an empty line, and the footer of a list in a quotation has no other
    /// mark than this rule.
    #[inline]
    fn is_mere_rule(&self, head: &[u8]) -> bool {
        let rule = head.trim_ascii();
        let [mark @ (b'-' | b'_'), _, _, ..] = rule else {
            return false;
        };
        if self.of_kmail {
            return false;
        }
        let is_short = rule.len() < footer::LONG_RULE;
        let is_alone = match mark {
            b'-' => !self.is_after_blank(),
            _ => self.base == 0,
        };
        (is_short || is_alone) && rule.iter().all(|b| b == mark)
    }

    /// True if the line ends in a colon, and may name the author of a quotation or be its title.
    #[inline]
    fn may_introduce(&self, page: &Page, line: &Line<'_>) -> bool {
        attribution::ends_attribution(line.bytes)
            && (self.base == 0 && self.has_name(page, line)
                || titles::title(shapes::bare(line.head())).is_some())
    }

    pub(super) fn is_after_blank(&self) -> bool {
        self.rows.last().is_none_or(|row| row.is_blank())
    }

    /// The text offset up to which no element decides about a line. 0 if an earlier line or an
    /// element decides about the next one.
    fn is_plain_until(&self, page: &Page) -> u64 {
        let is_open = self.open != Open::Nothing
            || page.at(self.next) < self.given_until
            || self.indented
            || self.mark.is_some()
            || !self.other_mark.is_empty()
            || self.within.header
            || self.within.rest;
        if is_open {
            return 0;
        }
        page.marks.get(self.passed).map_or(u64::MAX, |mark| mark.0)
    }

    /// Ends all open shapes, at a line that is too long to examine.
    pub(super) fn close(&mut self) {
        self.open = Open::Nothing;
        self.indented = false;
        self.mark = None;
    }

    /// Reads a line that may begin something, or about which an earlier one decides.
    pub(super) fn line(&mut self, page: &Page, line: &Line<'_>) {
        let (at, end, head) = (page.at(line.at), page.at(line.end()), line.head());
        self.reading = line.at;
        self.pass_marks(page, at, at);
        let Enclosing { header, rest, .. } = self.within;
        if rest || header && !line.is_long() && shapes::names_field(head) {
            self.quote_rest(at);
            self.end_notice();
        }
        let (code, kind) = if line.is_long() || self.within.role != Role::Body {
            self.close();
            (self.given(head), LineKind::Given)
        } else {
            self.shaped(page, line)
        };
        self.put_line(page, line, code, kind);
        self.pass_marks(page, end - 1, at);
        self.set_plain();
    }

    /// The role of a line about which its elements decide. The line of a phone is a footer in the
    /// element of a signature, too.
    fn given(&self, head: &[u8]) -> Code {
        if self.within.role == Role::Signature && footer::names_program(head) {
            return Code::FOOTER;
        }
        self.role(quote_marks::quote_marks(head))
    }

    /// Adds the row of a line with this role.
    fn put_line(&mut self, page: &Page, line: &Line<'_>, code: Code, kind: LineKind) {
        let mut bits = kind as u32;
        if line.head().iter().all(u8::is_ascii_whitespace) {
            bits |= Row::BLANK;
        }
        if self.base > 0 {
            bits |= Row::BASE;
        }
        if code.is_quoted() {
            bits |= Row::QUOTED;
            if code.depth() > self.base.max(self.within.rest.into()) {
                bits |= Row::DEEP;
            }
        }
        self.put(page, line.at, code, bits);
    }

    fn set_plain(&mut self) {
        self.plain = self.role(0);
        self.plain_bits = 0;
        if self.plain.is_quoted() {
            self.plain_bits |= Row::QUOTED;
        }
        if self.base > 0 {
            self.plain_bits |= Row::BASE;
        }
    }

    #[inline]
    fn put(&mut self, page: &Page, at: usize, code: Code, bits: u32) {
        self.rows.push(Row::new(at, bits));
        if self.last != Some(code) {
            self.last = Some(code);
            self.runs.push((page.at(at), code));
        }
    }

    /// Records that the text has this role from `at` on.
    pub(super) fn push_run(&mut self, at: u64, code: Code) {
        if self.last != Some(code) {
            self.last = Some(code);
            self.runs.push((at, code));
        }
    }

    /// The role of the place `at`.
    #[inline]
    pub(super) fn code_at(&self, at: u64) -> Code {
        let i = self.runs.partition_point(|&(start, _)| start <= at);
        let run = self.runs.get(i.saturating_sub(1));
        run.map_or(Code::BODY, |run| run.1)
    }

    /// Changes the role of all text so far from `at` on.
    pub(super) fn rewrite(&mut self, at: u64, code: Code) {
        let first = self.runs.partition_point(|&(start, _)| start < at);
        self.runs.truncate(first);
        self.last = self.runs.last().map(|run| run.1);
        self.push_run(at, code);
    }

    /// Reads what the elements around the text up to `to` say. `line` is the place of the
    /// line.
    pub(super) fn pass_marks(&mut self, page: &Page, to: u64, line: u64) {
        while let Some(&(at, by)) = page.marks.get(self.passed).filter(|mark| mark.0 <= to) {
            self.passed += 1;
            self.within = by;
            if at > line {
                self.push_run(at, self.role(0));
            }
        }
    }

    /// The role of a line with this number of quote marks.
    #[inline]
    pub(super) fn role(&self, marks: u8) -> Code {
        self.role_within(self.within, self.indented, marks)
    }

    /// As [`role`](Lines::role), if the elements around the line say this.
    pub(super) fn role_within(&self, within: Enclosing, is_indented: bool, marks: u8) -> Code {
        let mut depth = self.base.max(u8::from(within.rest || is_indented));
        if let Role::Quoted(around) = within.role {
            depth = depth.max(around);
        }
        match depth.saturating_add(marks) {
            0 if self.signed && within.role == Role::Body => Code::SIGNATURE,
            0 => Code::of(within.role),
            depth => Code::quoted(depth),
        }
    }

    /// The role of a line that is not too long. Updates what is open.
    fn shaped(&mut self, page: &Page, line: &Line<'_>) -> (Code, LineKind) {
        let (at, head) = (page.at(line.at), line.head());
        let text = head.trim_ascii();
        if at < self.given_until {
            let kind = if self.given == Code::FOOTER {
                LineKind::Notice
            } else {
                LineKind::Given
            };
            return (self.given, kind);
        }
        if self.is_notice(page, line) {
            return (Code::FOOTER, LineKind::Notice);
        }
        let marks = if self.is_typed(page, head) {
            0
        } else {
            quote_marks::quote_marks(text)
        };
        let is_indented = head.starts_with(b"  ") || head.starts_with(b"\t");
        self.indented &= is_indented || text.is_empty();
        if marks == 0
            && let Some(kind) = self.notice(page, line)
        {
            return (Code::FOOTER, kind);
        }
        if marks > 2 && self.base == 0 && attribution::is_of_group_wise(head) {
            self.open = Open::Attributed;
            return (Code::quoted(1), LineKind::Marked);
        }
        if marks == 0
            && let Some(len) = self.angles(page, line)
        {
            self.open = Open::Nothing;
            let code = Code::quoted(self.base.saturating_add(1));
            self.give(at + len as u64, code);
            return (code, LineKind::Given);
        }
        let mark = quote_marks::mark(head).filter(|mark| marks == 0 && self.may_quote(*mark));
        let is_quoted = marks > 0 || mark.is_some();
        self.learn_mark(mark);
        self.after_attribution(page, line, is_indented, is_quoted);
        let is_other = !self.other_mark.is_empty() && text.starts_with(&self.other_mark);
        let marks = marks.max(u8::from(is_other));
        let is_marked = self.marked(mark, at);
        if marks > 0 || is_marked {
            // A signature may have a motto with such a mark, but without an empty line above it.
            self.signed &= !self.is_after_blank();
            let code = match self.role(marks) {
                code if !is_marked => code,
                code if code.is_quoted() => Code::quoted(code.depth().saturating_add(1)),
                _ => Code::quoted(1),
            };
            return (code, LineKind::Marked);
        }
        self.unmarked(page, line)
    }

    /// The role of a line without a quote mark.
    fn unmarked(&mut self, page: &Page, line: &Line<'_>) -> (Code, LineKind) {
        if let Some(code) = self.attributed(page, line) {
            self.open = Open::Attributed;
            self.signed = false;
            return (code, LineKind::Free);
        }
        let bare = shapes::bare(line.head());
        if bare == b"-- " {
            self.signed |= self.base == 0;
        } else if bare == shapes::ARMOR_END {
            // What is below is no part of the signed text, nor of the signature in it.
            self.signed = false;
            self.pass_armor(page, line.at);
        } else if self.signed && shapes::begins_addition(bare) && self.is_after_blank() {
            // A note or a postscript of the letter, below the signature.
            self.signed = false;
        } else if shapes::names_message(bare) {
            self.signed = false;
            return (Code::quoted(self.base.max(1)), LineKind::Free);
        } else if let Some(code) = self.opening(page, line) {
            self.signed = false;
            return (code, LineKind::Free);
        }
        if self.base > 0 && self.letter.begins_answer(line.head().trim_ascii()) {
            let len = footer::paragraph(&page.text[line.at..]);
            self.give(page.at(line.at) + len as u64, Code::BODY);
            return (Code::BODY, LineKind::Given);
        }
        (self.role(0), LineKind::Free)
    }

    /// A cheap test before [`is_typed`](Lines::is_typed), which is false wherever this is.
    #[inline]
    fn may_be_typed(&self, page: &Page, head: &[u8]) -> bool {
        match self.rows.last() {
            Some(row) if row.is_quoted() => false,
            Some(row) if row.is_own() => matches!(page.text[row.at()], b'-' | b'>'),
            _ => self.letter.is_new() && quote_marks::is_typed(head),
        }
    }

    /// True if the line has no quote mark, although it begins with `>`: the author shows what was
    /// typed at a prompt, in a message that answers nothing, or the new line of a `diff`.
    fn is_typed(&self, page: &Page, head: &[u8]) -> bool {
        const BLANK: usize = 4;
        if !head.starts_with(b">") || self.base > 0 || self.open != Open::Nothing {
            return false;
        }
        let line = |back: usize| {
            let i = self.rows.len().checked_sub(back)?;
            let end = self.rows.get(i + 1).map_or(self.reading, |row| row.at());
            Some(&page.text[self.rows[i].at()..end])
        };
        let mut above = self.rows.iter().rev().take(BLANK);
        let is_quoted = above
            .find(|row| !row.is_blank())
            .is_some_and(|row| row.is_quoted());
        if is_quoted {
            return false;
        }
        let begins =
            |back: usize, mark: &[u8]| line(back).is_some_and(|text| text.starts_with(mark));
        let is_rule = line(1).is_some_and(|text| shapes::bare(text) == b"---");
        let is_new_line = head.starts_with(b"> ") && is_rule && begins(2, b"< ");
        // The rest of such lines.
        let goes_on = begins(1, b"> ") && self.rows.last().is_some_and(|row| row.is_own());
        is_new_line || goes_on || self.letter.is_new() && quote_marks::is_typed(head)
    }

    /// False for a name in the log of a talk: a message that answers nothing quotes nobody so.
    fn may_quote(&self, mark: Mark) -> bool {
        let is_known = self.open == Open::Attributed || mark == Mark::Initials(self.initials);
        !mark.is_name() || is_known || !self.letter.is_new()
    }

    /// The lines of an armor of PGP, which ends at `end`, are no words.
    fn pass_armor(&mut self, page: &Page, end: usize) {
        let (mut next, mut first) = (end, self.rows.len());
        for (i, row) in self.rows.iter().enumerate().rev() {
            if (end - row.at()) as u64 > FOOTER_BYTES {
                return;
            }
            if shapes::bare(&page.text[row.at()..next]) == shapes::ARMOR {
                first = i;
                break;
            }
            next = row.at();
        }
        for row in &mut self.rows[first..] {
            *row = row.blank();
        }
    }

    /// The lines up to the text offset `until` have this role.
    pub(super) fn give(&mut self, until: u64, code: Code) {
        self.given_until = until;
        self.given = code;
    }

    /// Ends the notice that is open, if one is.
    fn end_notice(&mut self) {
        if let Open::Removed(is_attributed) | Open::Notice(is_attributed) = self.open {
            self.open = if is_attributed {
                Open::Attributed
            } else {
                Open::Nothing
            };
        }
    }

    /// True if the line is a part of a notice. A blank line ends it, or what begins the quotation
    /// of another message. The notice about a removed message has the header of that message.
    fn is_notice(&mut self, page: &Page, line: &Line<'_>) -> bool {
        let text = line.head().trim_ascii();
        match self.open {
            Open::Removed(_) | Open::Notice(_) => {
                let is_removed = matches!(self.open, Open::Removed(_));
                let is_end = attribution::without_blanks(text).is_empty()
                    || !is_removed
                        && quotation::begins_quotation(&page.text[line.at..], line, &self.letter);
                if is_end {
                    self.end_notice();
                }
                !is_end
            }
            open => {
                let begins = shapes::is_scrubbed(text);
                if begins {
                    self.open = Open::Removed(open == Open::Attributed);
                }
                begins
            }
        }
    }

    /// After an attribution, a mark on one line is enough.
    fn learn_mark(&mut self, mark: Option<Mark>) {
        let Some(mark) = mark.filter(|_| self.open == Open::Attributed) else {
            return;
        };
        if let Mark::Initials(initials) = mark {
            self.initials = initials;
        } else {
            // As if the line above had it.
            self.mark = Some((mark, None));
        }
    }

    /// After an attribution, the first line with words shows what is quoted: the lines with a
    /// mark, the indented ones, or all text.
    fn after_attribution(
        &mut self,
        page: &Page,
        line: &Line<'_>,
        is_indented: bool,
        is_marked: bool,
    ) {
        let is_blank = line.head().trim_ascii().is_empty();
        if self.open != Open::Attributed || self.base == 0 && is_blank {
            return;
        }
        self.open = Open::Nothing;
        // Above marked lines a word such as `[snip]` is the author's.
        if self.base > 0 || is_marked || quotation::is_soon_marked(&page.text[line.at..]) {
            return;
        }
        if let Some(mark) = quotation::common_mark(&page.text[line.at..]) {
            mark.clone_into(&mut self.other_mark);
            return;
        }
        self.indented = is_indented;
        if !is_indented {
            self.quote_rest(page.at(line.at));
        }
    }

    /// Forgets the rows before `first`, and what comes before in the page.
    pub(super) fn drop_rows(&mut self, first: usize, cut: usize) {
        self.rows.drain(..first);
        for row in &mut self.rows {
            *row = row.moved(cut);
        }
        self.next -= cut;
    }
}
