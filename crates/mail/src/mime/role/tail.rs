//! The search for signatures and footers, in the last lines of a text.
//!
//! Only the end of the text shows whether a line `--` begins a signature, and a rule a footer.
//! Both are short, so this search reads only the last rows, and it remembers nothing from one
//! part to the next. A signature may also have a long quotation below it. Then the search ends
//! in that quotation.

use std::ops::Range;

use super::super::Enclosing;
use super::boxes;
use super::footer::names_list;
use super::lines::{Line, LineKind, Lines, Row};
use super::shapes;
use super::signature::{DRAWN_LINES, LONG_LINES, PROSE, Signs, is_heading};
use super::{FOOTER_BYTES, FOOTER_LINES, Facts, Page, Role};

/// A line that may begin a footer.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleLine {
    /// Text offset and number of the line.
    pub(super) at: u64,
    pub(super) line: usize,
    pub(super) kind: RuleKind,
}

/// The text that must follow a line for it to begin a footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleKind {
    /// Words of a mailing list.
    List,
    /// Nothing: the footer is known already, and ends the text above it.
    Known,
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

/// What came before the first row of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    /// The author's words.
    has_words: bool,
    /// Quoted words after them, and a blank line after them.
    is_quoted: bool,
    is_blank: bool,
}

impl Before {
    /// What comes before the row after these.
    pub(super) fn after(self, rows: &[Row]) -> Before {
        let own = rows.iter().rposition(|row| row.is_own());
        let after = &rows[own.map_or(0, |i| i + 1)..];
        let is_first = own.is_none();
        Before {
            has_words: self.has_words || own.is_some(),
            is_quoted: after.iter().any(|row| row.is_quoted_words()) || is_first && self.is_quoted,
            is_blank: after.iter().any(|row| row.is_blank() && !row.is_quoted())
                || is_first && self.is_blank,
        }
    }
}

/// A text, and what is known of it.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) page: &'t Page,
    pub(super) facts: &'t Facts,
    pub(super) lines: &'t Lines,
}

impl<'t> Source<'t> {
    pub(super) fn line(&self, i: usize) -> Line<'t> {
        let at = self.lines.rows[i].at();
        let next = self.lines.rows.get(i + 1);
        let end = next.map_or(self.lines.next, |next| next.at());
        Line {
            at,
            bytes: &self.page.text[at..end],
        }
    }

    /// The text offset at which a row begins. After the last row there is no end: a link may be
    /// at the end of the text.
    pub(super) fn end_of(&self, row: usize) -> u64 {
        let row = self.lines.rows.get(row);
        row.map_or(u64::MAX, |row| self.page.at(row.at()))
    }

    /// The first row of those in which a signature or a footer may begin at the end of the text.
    pub(super) fn first_of_tail(&self) -> usize {
        let (rows, end) = (&self.lines.rows, self.lines.next);
        let (mut words, mut has_own, mut is_footer) = (0, false, true);
        let mut first = rows.len();
        while first > 0 {
            let row = rows[first - 1];
            has_own |= row.is_own();
            words += u64::from(has_own && !row.is_blank());
            let lines = (rows.len() - first) as u64;
            is_footer &= !row.is_deep() && lines <= FOOTER_LINES;
            let is_near = (end - row.at()) as u64 <= FOOTER_BYTES;
            if !is_near || !is_footer && words > LONG_LINES + DRAWN_LINES + 1 {
                break;
            }
            first -= 1;
        }
        first
    }

    /// The text offset up to which no footer begins, because a footer quotes nothing: the end of
    /// the last line with quoted words.
    pub(super) fn end_of_quotations(&self) -> u64 {
        let last = self.lines.rows.iter().rposition(|row| row.ends_footers());
        last.map_or(0, |i| self.end_of(i + 1))
    }

    /// The first row of a signature that may be above a quotation, if nothing but a footer may
    /// be below it. `first` if there is none.
    pub(super) fn first_above_quotation(&self, first: usize) -> usize {
        let (rows, end) = (&self.lines.rows, self.lines.next);
        let far = end.saturating_sub(FOOTER_BYTES as usize);
        let Some(own) = rows.iter().rposition(|row| row.is_own()) else {
            return first;
        };
        // A footer begins with a rule, or is the line of a phone.
        let below = rows[..own].iter().rev().take_while(|row| !row.is_deep());
        let below = below.take(FOOTER_LINES as usize).count();
        let mut footer = own - below..=own;
        let may_be_footer = footer.any(|i| shapes::may_be_rule(&self.page.text[rows[i].at()..]))
            || shapes::names_device(self.line(own).head());
        if !may_be_footer {
            return first;
        }
        let quoted = rows[..=own].iter().rposition(|row| row.is_quoted_words());
        let Some(above) = quoted.and_then(|i| rows[..i].iter().rposition(|row| row.is_own()))
        else {
            return first;
        };
        let (mut start, mut words) = (above, 0);
        let mut has_shape = false;
        for i in (0..=above).rev() {
            let row = rows[i];
            words += u64::from(row.is_own());
            if row.at() < far || row.is_quoted_words() || words > LONG_LINES + DRAWN_LINES + 1 {
                break;
            }
            has_shape = has_shape || row.is_own() && self.has_shape(self.line(i).head());
            start = i;
        }
        if has_shape { first.min(start) } else { first }
    }

    /// True if no other words of the author are below the row.
    fn is_last(&self, i: usize) -> bool {
        self.lines.rows[i + 1..].iter().all(|row| row.is_blank())
    }

    /// True if the line above ends in a colon: `Download it from:` above a line of dashes goes on
    /// below it. So does the old line of a `diff`.
    fn is_introduced(&self, i: usize) -> bool {
        let Some(above) = i.checked_sub(1) else {
            return false;
        };
        let above = shapes::bare(self.line(above).head());
        above.trim_ascii_end().ends_with(b":") || above.starts_with(b"< ")
    }

    /// The number of marks before a row.
    fn passed_before(&self, row: Row) -> usize {
        let at = self.page.at(row.at());
        self.page.marks.partition_point(|mark| mark.0 < at)
    }

    /// The first of these rows on which a signature or a footer may begin. Most texts have a
    /// few lines that may be a signature, and many others above them.
    fn first_shape(&self, rows: Range<usize>) -> usize {
        let Some(row) = self.lines.rows.get(rows.start) else {
            return rows.start;
        };
        // A line that is drawn is no line of the text.
        let mut marks = self.page.marks[self.passed_before(*row)..].iter();
        if marks.any(|mark| draws(mark.1)) {
            return rows.start;
        }
        let mut rest = rows.clone();
        let first = rest.find(|&i| {
            let row = self.lines.rows[i];
            row.kind() == LineKind::Free && !row.is_blank() && self.has_shape(self.line(i).head())
        });
        first.unwrap_or(rows.end)
    }

    /// True if a signature or a footer may begin on the line.
    #[inline]
    fn has_shape(&self, head: &[u8]) -> bool {
        let first = first_byte(head);
        first.is_some_and(|b| shapes::may_have_shape(head, b) || self.names_author(head, b))
    }

    /// True if the name of the author begins the line. `first` is the first byte after its
    /// indent.
    #[inline]
    fn names_author(&self, head: &[u8], first: u8) -> bool {
        let author = &self.facts.author;
        let is_page = self.facts.is_page;
        // `A. Jo Doe`, of whom the header says `Jo Doe`.
        let (head, first) = match head {
            [b'A'..=b'Z', b'.', b' ', rest @ ..] => (rest, *rest.first().unwrap_or(&first)),
            _ => (head, first),
        };
        // Advertisements have the name in many lines.
        author.may_begin(first)
            && (!is_page && author.is_named(head, first) || is_page && author.is_full_name(head))
    }
}

/// The first byte of a line after its indent.
#[inline]
fn first_byte(head: &[u8]) -> Option<u8> {
    match head {
        // Most lines have no indent.
        [b, ..] if !b.is_ascii_whitespace() => Some(*b),
        _ => head.iter().copied().find(|b| !b.is_ascii_whitespace()),
    }
}

/// True for two or three dashes, which may begin a signature or a footer.
fn is_dashes(line: &[u8]) -> bool {
    matches!(line, b"-- " | b"--") || line.trim_ascii_end() == b"---"
}

/// True if a line is drawn above the text, which may begin a footer.
fn draws(by: Enclosing) -> bool {
    by.rule && by.role == Role::Body
}

/// The search. Its buffers are kept from text to text.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// Lines after which a signature may begin.
    pub(super) dashes: Vec<Signs>,
    /// Those that a line below a rule ended, and the place of that line. If it is a part of a
    /// footer, it ends no signature.
    pub(super) ended: Vec<(Signs, u64)>,
    /// The place of the last line of a phone or a program, which answers nothing.
    device: Option<u64>,
    /// Rules that may begin a footer.
    pub(super) rules: Vec<RuleLine>,
    /// The signatures above a quotation: the author's text from the first place up to the
    /// second one.
    pub(super) signed: Vec<(u64, u64)>,
    /// The text after the first rule, in lower case.
    pub(super) lower: Vec<u8>,
    /// The whole text may be a footer, because of the part before it.
    pub(super) is_after: bool,
    /// The place and number of a line `--` or `-- ` after which no words came yet.
    after_dashes: Option<(u64, usize)>,
    /// The number of lines with words so far, without the quoted lines at the end, and
    /// the number of these.
    pub(super) worded: u64,
    pub(super) quoted: u64,
    /// The number of lines with words before the last blank line.
    pub(super) blank_after: u64,
}

impl Tail {
    /// Searches the last lines of the text, from the row `first` on.
    pub(super) fn search_end(&mut self, source: Source<'_>, before: Before, first: usize) {
        self.search(source, before, first..source.lines.rows.len());
        let end = source.lines.rows.len();
        self.sign_above_quotation(source, source.page.at(source.lines.next), end);
        self.rules
            .retain(|rule| rule.at >= source.lines.quoted_from);
    }

    /// Searches the lines above each long quotation: the author may have signed there.
    pub(super) fn search_above_quotations(&mut self, source: Source<'_>, before: Before) {
        self.signed.clear();
        let rows = &source.lines.rows;
        let mut first = None;
        for (i, row) in rows.iter().enumerate() {
            if row.is_quoted_words() {
                first.get_or_insert(i);
            } else if row.is_own()
                && let Some(first) = first.take()
            {
                self.search_above(source, before, first..i);
            }
        }
        if let Some(first) = first {
            self.search_above(source, before, first..rows.len());
        }
    }

    /// Searches the lines above one quotation, which has these rows. The line below it may be
    /// so long that the lines above are too far back from its end.
    fn search_above(&mut self, source: Source<'_>, before: Before, quotation: Range<usize>) {
        let rows = &source.lines.rows;
        let start = rows[quotation.start].at();
        let last = rows.len().min(quotation.end + 1);
        let end = rows.get(last).map_or(source.lines.next, |row| row.at());
        let (mut first, mut words) = (quotation.start, 0);
        while first > 0
            && words <= LONG_LINES + DRAWN_LINES
            && (start - rows[first - 1].at()) as u64 <= FOOTER_BYTES
        {
            first -= 1;
            words += u64::from(!rows[first].is_blank());
        }
        if (end - rows[first].at()) as u64 > FOOTER_BYTES {
            self.search(source, before, first..last);
        }
    }

    /// Reads these rows.
    fn search(&mut self, source: Source<'_>, before: Before, rows: Range<usize>) {
        let is_whole = source.page.from == 0 && rows.start == 0;
        self.is_after = is_whole && source.facts.after.is_some();
        let rows = if self.is_after {
            rows
        } else {
            source.first_shape(rows.clone())..rows.end
        };
        let before = before.after(&source.lines.rows[..rows.start]);
        self.dashes.clear();
        self.ended.clear();
        self.rules.clear();
        self.device = None;
        self.after_dashes = None;
        self.worded = u64::from(before.has_words);
        self.quoted = u64::from(before.is_quoted);
        self.blank_after = u64::from(before.has_words && before.is_blank);
        if self.is_after {
            self.push_rule(RuleKind::List, 0, 0);
        }
        let page = source.page;
        let mut passed = match source.lines.rows.get(rows.start) {
            Some(row) => source.passed_before(*row),
            None => page.marks.len(),
        };
        for i in rows {
            let (row, line) = (source.lines.rows[i], source.line(i));
            let (at, end) = (page.at(line.at), page.at(line.end()));
            self.pass_marks(page, &mut passed, at, i);
            let had_rules = !self.rules.is_empty();
            if self.dashes.first().is_some_and(|signs| signs.is_far(end)) {
                self.sign_above_quotation(source, end, i);
            }
            match row.kind() {
                LineKind::Given => self.after_dashes = None,
                LineKind::Notice => {
                    if shapes::is_rule(shapes::bare(line.head()).trim_ascii()) {
                        self.push_rule(RuleKind::Known, at, i);
                    }
                }
                // A blank line begins nothing and ends nothing.
                _ if row.is_blank() => {}
                LineKind::Marked if self.after_dashes.is_none() => {}
                LineKind::Free | LineKind::Marked => {
                    self.shape(source, row.kind(), line.head(), i);
                }
            }
            let is_answer = row.kind() != LineKind::Notice && !source.lines.is_wrapped(i);
            if is_answer && row.is_own() && self.quoted > 0 {
                self.end_above_answer(source, i);
            }
            self.count(source, !is_answer, i);
            self.pass_marks(page, &mut passed, end - 1, i);
            if !self.rules.is_empty() {
                self.drop_far_rules(had_rules, &line, i, end);
            }
        }
        let end = page.at(source.lines.next);
        if !source.lines.rows.is_empty() {
            self.pass_marks(page, &mut passed, end, source.lines.rows.len());
        }
    }

    /// Drops the rules that are too far above the end of line `i`, which is at `end`.
    fn drop_far_rules(&mut self, had_rules: bool, line: &Line<'_>, i: usize, end: u64) {
        if had_rules && line.bytes.len() as u64 > FOOTER_BYTES {
            self.rules.clear();
            self.is_after = false;
        }
        let lines = i + usize::from(line.bytes.ends_with(b"\n"));
        let is_far = |rule: &RuleLine| {
            end - rule.at > FOOTER_BYTES || lines.saturating_sub(rule.line) as u64 > FOOTER_LINES
        };
        while self.rules.first().is_some_and(is_far) {
            self.rules.remove(0);
            self.is_after = false;
        }
    }

    /// Reads the lines that are drawn above the text up to `to`.
    fn pass_marks(&mut self, page: &Page, passed: &mut usize, to: u64, line: usize) {
        while let Some(&(at, by)) = page.marks.get(*passed).filter(|mark| mark.0 <= to) {
            *passed += 1;
            if draws(by) {
                self.push_rule(RuleKind::Drawn, at, line);
            }
        }
    }

    /// True if the line at `at` is that of a phone or a program.
    pub(super) fn is_device(&self, at: u64) -> bool {
        self.device == Some(at)
    }

    fn push_rule(&mut self, kind: RuleKind, at: u64, line: usize) {
        self.rules.push(RuleLine { at, line, kind });
    }

    /// Reads a line with words.
    fn shape(&mut self, source: Source<'_>, kind: LineKind, head: &[u8], i: usize) {
        if let Some(signs) = self.dashes.last_mut().filter(|signs| signs.needs_name) {
            let is_own = source.lines.rows[i].is_own();
            let is_author = is_own && source.facts.author.is_in(head) && !is_heading(head);
            signs.by_page = is_own && !is_author && boxes::names_own_page(head);
            signs.needs_name = !is_author && !signs.by_page;
        }
        if let Some((at, number)) = self.after_dashes.take() {
            let text = head.trim_ascii();
            if shapes::begins_footer(text) {
                self.push_rule(RuleKind::Stamp(true), at, number);
            } else if let Some(signs) = self.dashes.last_mut().filter(|signs| signs.at == at)
                && shapes::bare(source.line(number).bytes).trim_ascii_end() != b"---"
            {
                signs.is_prose = String::from_utf8_lossy(text).chars().count() >= PROSE;
                if signs.is_armor && signs.is_prose && shapes::is_sentence(text) {
                    self.dashes.pop();
                }
            }
        }
        if kind != LineKind::Free {
            return;
        }
        let Some(first) = first_byte(head) else {
            return;
        };
        if shapes::may_have_shape(head, first) {
            self.begin(source, i, None);
        } else if source.names_author(head, first) {
            self.begin(source, i, Some(true));
        }
    }

    /// Reads a line on which a signature or a footer may begin. `is_named` is whether it has the
    /// name of the author, if that is known.
    pub(super) fn begin(&mut self, source: Source<'_>, i: usize, is_named: Option<bool>) {
        let (facts, row, line) = (source.facts, source.lines.rows[i], source.line(i));
        let (head, at) = (line.head(), source.page.at(line.at));
        let first = first_byte(head);
        let bare = shapes::bare(head);
        if is_dashes(bare) {
            self.after_dashes = Some((at, i));
        }
        let is_introduced = first == Some(b'-') && source.is_introduced(i);
        let is_signed = !row.is_in_quotation() && !is_introduced;
        let is_rule = shapes::is_rule(bare)
            || shapes::begins_rule(bare) && shapes::is_rule(bare.trim_ascii_start());
        // A rule of marks has no words.
        let has_words = !is_rule || first.is_some_and(|b| b.is_ascii_alphanumeric());
        if bare == b"-- " {
            let ended = self.dashes.drain(..).map(|signs| (signs, at));
            self.ended.extend(ended);
            self.push_rule(RuleKind::Dashes, at, i);
        } else if bare == b"--" || boxes::is_edge_below_dashes(bare) {
            self.push_signs(is_signed, at, i, false);
        } else if bare == shapes::ARMOR_END {
            self.push_signs(is_signed, at, i, false);
            if let Some(signs) = self.dashes.last_mut().filter(|signs| signs.at == at) {
                signs.is_armor = true;
                self.after_dashes = Some((at, i));
            }
        } else if has_words && (shapes::is_closing(bare) || facts.author.is_closed_by(bare)) {
            self.push_signs(is_signed, at, i, true);
        } else if has_words && shapes::names_device(bare.trim_ascii_start()) {
            self.push_signs(is_signed, at, i, true);
            self.device = Some(at);
        } else if has_words
            && (self.worded > 0 || self.begins_with_signature(source, head, i))
            && is_named.unwrap_or_else(|| first.is_some_and(|b| source.names_author(head, b)))
        {
            self.push_signs(is_signed, at, i, true);
            if let Some(signs) = self.dashes.last_mut().filter(|signs| signs.at == at) {
                signs.by_name = true;
            }
        } else if bare.trim_ascii_end() == b"---" {
            self.push_signs(is_signed, at, i, false);
            self.push_rule(RuleKind::Scanner, at, i);
        } else if bare.starts_with(b"+++ ") {
            // The text after `---` is a patch.
            self.dashes.clear();
        } else if is_rule || shapes::begins_rule(bare) {
            if is_rule && facts.is_page {
                self.push_rule(RuleKind::Drawn, at, i);
            } else if is_rule || names_list(bare) {
                self.push_rule(RuleKind::List, at, i);
            }
            self.push_ruled(source, is_signed && !facts.is_page, at, i);
        } else if facts.is_own_page(bare)
            && (self.begins_paragraph() || source.is_last(i) && !source.is_introduced(i))
        {
            self.push_rule(RuleKind::Page, at, i);
        } else if shapes::is_stamp(bare) {
            self.push_rule(RuleKind::Stamp(shapes::holds_url(bare)), at, i);
        } else if first.is_some_and(|b| b.is_ascii_punctuation()) && boxes::begin(source, i, bare) {
            self.push_ruled(source, is_signed && !facts.is_page, at, i);
        }
    }

    /// Adds a rule, which begins a signature if the author is named below it.
    fn push_ruled(&mut self, source: Source<'_>, is_own: bool, at: u64, row: usize) {
        self.push_signs(is_own, at, row, false);
        if let Some(signs) = self.dashes.last_mut().filter(|signs| signs.at == at) {
            // The name may be in the edge of a box.
            let line = source.line(row).head();
            signs.needs_name = boxes::is_line(line) || !source.facts.author.is_in(line);
            signs.ruled = true;
        }
    }

    /// True if the text begins with the name and the address of the author, above a quotation.
    fn begins_with_signature(&self, source: Source<'_>, head: &[u8], i: usize) -> bool {
        let is_quotation = |row: &Row| row.is_quoted_words();
        !source.facts.is_page
            && source.facts.author.has_address(head)
            && source.lines.rows[i..].iter().any(is_quotation)
    }

    /// True if the line before is blank or quoted.
    fn begins_paragraph(&self) -> bool {
        self.worded > 0 && (self.quoted > 0 || self.blank_after == self.worded)
    }

    /// The first place that the text below it decides about.
    pub(super) fn first_open(&self) -> Option<u64> {
        let open = [
            self.rules.first().map(|rule| rule.at),
            self.dashes.first().map(|signs| signs.at),
            self.ended.iter().map(|(signs, _)| signs.at).min(),
            self.after_dashes.map(|(at, _)| at),
        ];
        open.into_iter().flatten().min()
    }
}
