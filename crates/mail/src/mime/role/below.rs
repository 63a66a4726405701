//! What stands below the author's name, or below a line that closes a letter: a signature, or
//! more of the letter.
//!
//! A signature has short lines: a title, a company, an address, a telephone number, a page.
//! People also go on after their name (`P.S. …`, `Here is the link: …`), and their name stands in
//! lists of people. Text of their own that is called a signature is lost to whoever asks for what
//! they wrote. So the lines are examined if one of them may have a URL.

use std::ops::Range;

use memchr::{memchr, memmem};
use urlgrep_base::words::words;

use super::boxes;
use super::lines::Line;
use super::people;
use super::sections;
use super::shapes;
use super::signature::{SIGNATURE_LINES, Signs};
use super::tail::Source;

/// A sentence that begins nowhere else has this many words.
const SENTENCE: u32 = 5;
/// A line of so many words, most of them in small letters, is a sentence without its end.
const LONG: u32 = 8;
/// The words before a colon and a URL: `Here is the link that I promised: `. A label has fewer:
/// `PGP key available at: `.
const INTRODUCTION: u32 = 6;
/// The labels of a long signature without an address.
const CONTACTS: usize = 2;
/// The words of a sentence that begins as an afterthought does.
const AFTERTHOUGHT: u32 = 3;
/// The letters of scripts without spaces in a sentence.
const WIDE: u32 = 8;
/// The words of a short sentence that begins a paragraph and has a verb.
const SHORT: u32 = 3;
/// The room for the lines of a paragraph: few have more.
const PARAGRAPH: usize = 8;
/// The lines above a name that may begin a list of names.
const ABOVE: usize = 12;

/// Verbs, and what stands before the address of a page in a signature.
const VERBS: [&str; 177] = words(include_str!("verbs.txt"));
const LABELS: [&str; 73] = words(include_str!("labels.txt"));

/// The outlines of these words: a prefilter that few other words pass.
static VERB_OUTLINES: Outlines = outlines(&VERBS);
static LABEL_OUTLINES: Outlines = outlines(&LABELS);
type Outlines = [bool; 4096];
/// The first byte of the letters of Korean, whose verbs are known by their ends.
const FIRST_OF_KOREAN: u8 = 0xEA;

/// A number for the length of a word of two bytes or more and its first two bytes and its last one, in
/// small letters.
const fn outline(word: &[u8]) -> usize {
    let first = word[0].to_ascii_lowercase();
    let second = word[1].to_ascii_lowercase();
    let last = word[word.len() - 1].to_ascii_lowercase();
    (first as usize * 31 + second as usize * 7 + last as usize * 131 + word.len() * 1021) & 0xFFF
}

const fn outlines<const N: usize>(words: &[&str; N]) -> Outlines {
    let mut outlines = [false; 4096];
    let mut i = 0;
    while i < N {
        let word = words[i].as_bytes();
        if word.len() > 1 {
            outlines[outline(word)] = true;
        }
        i += 1;
    }
    outlines
}

/// What the bytes of a word are, as a set: one look at each byte of a line shows its words, and what
/// they may be.
#[derive(Clone, Copy, Default)]
struct Bytes(u8);

impl Bytes {
    const BLANK: Bytes = Bytes(1);
    /// Any byte beyond ASCII is one.
    const LETTER: Bytes = Bytes(2);
    const COLON: Bytes = Bytes(4);
    const AT: Bytes = Bytes(8);
    const BAR: Bytes = Bytes(16);

    const fn of(b: u8) -> Bytes {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | 0x80.. => Bytes::LETTER,
            b':' => Bytes::COLON,
            b'@' => Bytes::AT,
            b'|' => Bytes::BAR,
            _ if b.is_ascii_whitespace() => Bytes::BLANK,
            _ => Bytes(0),
        }
    }

    fn has(self, other: Bytes) -> bool {
        self.0 & other.0 != 0
    }
}

static BYTES: [Bytes; 256] = {
    let mut all = [Bytes(0); 256];
    let mut b = 0;
    while b < 256 {
        all[b] = Bytes::of(b as u8);
        b += 1;
    }
    all
};

/// What the words of a line are, found in one pass. The rules for text below a closing ask for a
/// few of these each. What few of them ask is no part of the pass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look<'t> {
    /// The line without the blanks around it.
    text: &'t [u8],
    /// The number of words, without URLs and addresses, and of those in small letters.
    words: u32,
    small: u32,
    /// The number of words before the last colon that ends the line, or is before a URL.
    introduces: u32,
    /// The number of letters of scripts without spaces.
    wide: u32,
    /// The number of words of scripts that have no capitals, but spaces.
    plain: u32,
    has_url: bool,
    has_address: bool,
    /// Its first word is a URL.
    begins_page: bool,
    begins_small: bool,
    /// It ends in a full stop or the like.
    is_stopped: bool,
    /// It has a mark that ends or divides a sentence of a script without spaces.
    is_divided: bool,
    has_columns: bool,
    /// It has a verb, or a word with which signatures name a page.
    has_verb: bool,
    has_label: bool,
}

impl<'t> Look<'t> {
    pub(super) fn of(line: &'t [u8]) -> Look<'t> {
        let text = line.trim_ascii();
        let mut look = Look {
            text,
            ..Look::default()
        };
        let mut rest = text;
        while !rest.is_empty() {
            let mut bytes = Bytes::default();
            let end = rest.iter().position(|b| {
                let byte = BYTES[usize::from(*b)];
                bytes.0 |= byte.0;
                byte.has(Bytes::BLANK)
            });
            let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
            look.add(token, bytes, rest.len() == text.len());
            rest = after.trim_ascii_start();
            let blanks = &after[..after.len() - rest.len()];
            look.has_columns |= bytes.has(Bytes::BAR) || blanks != b" " && is_gap(blanks);
        }
        look
    }

    /// Reads a word, which has these bytes.
    fn add(&mut self, token: &[u8], bytes: Bytes, is_first: bool) {
        let is_url = bytes.has(Bytes::COLON)
            && (shapes::holds_url(token) || token.starts_with(b"mailto:"))
            || token.starts_with(b"www.");
        if is_url || bytes.has(Bytes::AT) {
            self.has_url |= is_url;
            self.has_address |= !is_url;
            self.begins_page |= is_first && is_url;
            return;
        }
        if !bytes.has(Bytes::LETTER) {
            return;
        }
        let letter = token
            .iter()
            .find(|b| b.is_ascii_alphabetic() || !b.is_ascii());
        let is_small = match letter {
            Some(letter) if letter.is_ascii() => letter.is_ascii_lowercase(),
            _ => self.add_wide(token),
        };
        self.words += 1;
        let word = without_marks(token);
        self.has_verb = self.has_verb || is_verb(word);
        self.has_label = self.has_label || is_label(word);
        self.small += u32::from(is_small);
        self.begins_small |= is_first && is_small;
        self.is_stopped = ends_in(token, b".!?", ["。", "！", "？", "…"]);
        let is_intro = ends_in(token, b":", ["："]);
        self.introduces = if is_intro { self.words } else { 0 };
    }

    /// Reads a word that begins with a letter beyond ASCII. Returns whether it is a small one.
    fn add_wide(&mut self, token: &[u8]) -> bool {
        let shown = String::from_utf8_lossy(token);
        let is_wide = |c: &char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
        self.wide += shown.chars().filter(is_wide).count() as u32;
        self.is_divided |= shown.contains(['。', '，', '！', '？']);
        let Some(letter) = shown.chars().find(|c| c.is_alphabetic()) else {
            return false;
        };
        let is_plain = !letter.is_lowercase() && !letter.is_uppercase() && !is_wide(&letter);
        self.plain += u32::from(is_plain);
        letter.is_lowercase()
    }

    fn is_listed(self) -> bool {
        matches!(self.text, [b'-' | b'*' | b'+', b' ', ..])
    }

    /// True if it begins an addition to the letter: `P.S. …`, `[1] …`.
    fn is_addition(self) -> bool {
        shapes::is_postscript(self.text)
    }

    /// True if it begins as an afterthought does: `Oh, and …`.
    fn is_afterthought(self) -> bool {
        let is_sentence = self.words >= AFTERTHOUGHT || self.wide > 0;
        is_sentence && shapes::is_afterthought(self.text)
    }

    /// True if it begins as a comment of a configuration or a heading of Markdown does, or is the line
    /// above a patch (`-- 8< --`).
    fn is_comment(self) -> bool {
        let cuts: [&[u8]; 3] = [b"-- 8<", b"--8<", b"8<"];
        self.text.starts_with(b"#") && is_heading(self.text)
            || cuts.iter().any(|mark| self.text.starts_with(mark))
    }

    /// True for a link of Markdown: `[text](https://…)`.
    fn has_link(self) -> bool {
        memmem::find(self.text, b"](http").is_some()
    }

    /// True for a few words and a colon, which may stand above a list of enclosures.
    fn is_label(self) -> bool {
        matches!(self.words, 1..=SHORT)
            && ends_in(self.text, b":", ["："])
            && !self.has_label
            && !self.has_address
            && !follows(self.text)
    }

    /// True if it has a call of a function, as in a program: `attach(p5)`.
    fn is_code(self) -> bool {
        is_call(self.text)
    }

    /// True if it begins with a quotation mark.
    fn is_motto(self) -> bool {
        match self.text.first() {
            Some(b'"' | b'\'') => true,
            Some(0x80..) => QUOTES
                .iter()
                .any(|mark| self.text.starts_with(mark.as_bytes())),
            _ => false,
        }
    }

    /// True if the line may be one of a paragraph of prose, with at least `words` words.
    pub(super) fn is_prose(self, words: u32) -> bool {
        let is_text = self.words >= words && self.is_small() || self.wide >= WIDE;
        is_text && !self.is_motto() && !self.has_columns
    }

    /// True for a line with a verb among many small words.
    fn is_sentence(self) -> bool {
        self.is_prose(SENTENCE) && self.has_verb && self.small >= SENTENCE - 1
    }

    /// True if it ends in a full stop or the like.
    pub(super) fn is_stopped(self) -> bool {
        self.is_stopped
    }

    /// True if capitals begin less than half of the words.
    fn is_small(self) -> bool {
        (self.small + self.plain) * 2 >= self.words
    }

    /// True if the line is a sentence with a URL in it, or with one on the next line. A motto
    /// has none. `is_first` is whether the line begins a paragraph below that of the name.
    fn names_page(self, next: Option<Look<'_>>, is_first: bool) -> bool {
        let is_followed = next.is_some_and(|next| {
            let goes_on = next.begins_page && next.is_small() && self.introduces == 0;
            next.is_page() || goes_on
        });
        let is_intro = self.introduces >= INTRODUCTION && self.is_small();
        if is_intro
            && !self.is_motto()
            && next.is_some_and(|next| next.has_url && !next.begins_page)
        {
            return true;
        }
        if self.is_motto() || !self.has_url && !is_followed {
            return false;
        }
        if self.introduces >= INTRODUCTION && self.is_small() {
            return true;
        }
        let is_text = self.is_small() && !self.has_columns;
        let may_begin = is_first || !self.begins_small;
        if self.is_afterthought() && may_begin && (is_text || self.wide > 0) {
            return true;
        }
        // The slogan of a company has its page on the next line, or a colon before it.
        // Without capitals nothing else tells an address of a house from a sentence.
        let is_alone = is_first && self.has_url && self.introduces == 0 && self.plain < SENTENCE;
        let is_sentence = is_text && self.words >= SENTENCE && (self.is_stopped || is_alone)
            || is_text && self.words >= LONG
            || self.wide >= WIDE && self.is_divided;
        let goes_on = self.has_url && next.is_some_and(|next| self.is_wrapped(next));
        is_sentence || goes_on
    }

    /// True for `The recording is on https://…`, and not for `My home page is https://…`.
    fn is_short_sentence(self, next: Option<Look<'_>>) -> bool {
        let names_page = self.has_url || next.is_some_and(Look::is_page);
        let is_text = self.words + self.wide >= SHORT && !self.has_columns && !self.is_motto();
        names_page && is_text && self.has_verb && !self.has_label && !self.begins_small
    }

    /// True if a sentence goes on from this line to the next one.
    fn is_wrapped(self, next: Look<'_>) -> bool {
        let is_text = |look: Look<'_>| look.words >= SENTENCE - 1 && look.is_small();
        is_text(self) && is_text(next) && next.begins_small && !self.has_columns
    }

    fn is_page(self) -> bool {
        self.has_url && self.words == 0
    }

    /// True for a name with a page beside it. A label (`Home page: …`) is no name.
    fn is_entry(self) -> bool {
        self.has_url && self.words > 0 && self.introduces == 0
    }
}

/// True if the blanks between two words divide two columns.
fn is_gap(blanks: &[u8]) -> bool {
    blanks.contains(&b'\t') || blanks.windows(3).any(|three| three == b"   ")
}

/// True for a heading of Markdown, or a comment of a configuration.
fn is_heading(text: &[u8]) -> bool {
    let marks = text.iter().take_while(|b| **b == b'#').count();
    text[marks..].starts_with(b" ")
}

/// True for a line of a program that calls a function: `options(x=1)`, `if (open(name)) {`. Titles
/// and numbers have a blank before a bracket.
fn is_call(text: &[u8]) -> bool {
    let ends = matches!(text.last(), Some(b')' | b';' | b'{' | b','));
    ends && !text.starts_with(b"http")
        && memchr(b'(', text).is_some_and(|at| at > 1 && text[at - 1].is_ascii_alphanumeric())
}

/// True if one of the words is in the list of labels.
pub(super) fn has_label(text: &[u8]) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace);
    words.any(|word| is_label(without_marks(word)))
}

/// True if one of these lines is a sentence that names a page, or two of them are wrapped around one.
pub(super) fn has_sentence_with_page(lines: &[&[u8]]) -> bool {
    let may_have_page = |i: usize| {
        let line = lines.get(i);
        line.is_some_and(|line| shapes::holds_url(line) || shapes::holds_mailto(line))
    };
    let is_sentence = |i: usize| {
        if !may_have_page(i) && !may_have_page(i + 1) {
            return false;
        }
        let (look, next) = (
            Look::of(lines[i]),
            lines.get(i + 1).map(|line| Look::of(line)),
        );
        let has_end = look.has_verb || look.is_stopped || look.introduces > 0;
        look.names_page(next, i == 0) && has_end || look.is_short_sentence(next)
    };
    (0..lines.len()).any(is_sentence)
}

/// True for the words above a company's own pages: `Follow us:`.
fn follows(text: &[u8]) -> bool {
    const WORDS: [&str; 7] = ["follow", "find", "visit", "us", "me", "our", "my"];
    let mut words = text.split(u8::is_ascii_whitespace).map(without_marks);
    words.any(|word| {
        WORDS
            .iter()
            .any(|w| word.eq_ignore_ascii_case(w.as_bytes()))
    })
}

/// The token without the marks around it.
#[inline]
fn without_marks(token: &[u8]) -> &[u8] {
    let is_mark = |b: &u8| b.is_ascii_punctuation();
    let start = token.iter().take_while(|b| is_mark(b)).count();
    let token = &token[start..];
    let end = token.iter().rev().take_while(|b| is_mark(b)).count();
    let token = &token[..token.len() - end];
    token.strip_suffix("：".as_bytes()).unwrap_or(token)
}

/// True if the word is in the list of verbs, or ends as one that begins with `-` there.
fn is_verb(word: &[u8]) -> bool {
    let may_be = word.len() > 1 && (VERB_OUTLINES[outline(word)] || word[0] >= FIRST_OF_KOREAN);
    may_be
        && VERBS.iter().any(|verb| match verb.strip_prefix('-') {
            Some(end) => word.ends_with(end.as_bytes()),
            None => word == verb.as_bytes(),
        })
}

/// True if the word is in the list of labels, in letters of either case.
fn is_label(word: &[u8]) -> bool {
    let is_word = |label: &&str| word.eq_ignore_ascii_case(label.as_bytes());
    word.len() > 1 && LABEL_OUTLINES[outline(word)] && LABELS.iter().any(is_word)
}

/// Marks before a motto.
const QUOTES: [&str; 4] = ["“", "„", "«", "「"];

/// True if the word ends in one of these marks.
fn ends_in<const N: usize>(word: &[u8], marks: &[u8], wide: [&str; N]) -> bool {
    word.last().is_some_and(|last| {
        marks.contains(last)
            || !last.is_ascii() && wide.iter().any(|mark| word.ends_with(mark.as_bytes()))
    })
}

/// The rows of a paragraph, and what their lines look like.
struct Paragraph<'t> {
    first: usize,
    looks: Vec<Look<'t>>,
}

impl Paragraph<'_> {
    /// The index of the first line of a sentence that has a URL, or is wrapped around one. The
    /// lines before `first` are none: that of the name. `may_begin` is whether the first line of
    /// the paragraph may begin a short sentence. In HTML (`is_page`) any line may, because
    /// paragraphs are not apart there.
    /// `after` is the first line of the next paragraph: it may be a page that this one introduces.
    fn prose(
        &self,
        first: usize,
        may_begin: bool,
        is_page: bool,
        after: Option<Look<'_>>,
    ) -> Option<usize> {
        let looks = &self.looks;
        let names_page = |i: &usize| {
            let look = looks[*i];
            let after = after.filter(|_| look.introduces > 0);
            let next = looks.get(i + 1).copied().or(after);
            let is_first = *i == 0 && may_begin;
            look.names_page(next, is_first) || (is_first || is_page) && look.is_short_sentence(next)
        };
        let at = (first..looks.len()).find(names_page)?;
        // The sentence may have begun above.
        let begun = (first..at)
            .rev()
            .take_while(|&i| looks[i].is_wrapped(looks[i + 1]));
        Some(begun.last().unwrap_or(at))
    }

    /// True if each line is a word and a page, and a signature has none of these words: `Slides:
    /// https://…`, `Photos: https://…`.
    fn is_labelled(&self) -> bool {
        let is_label = |look: &Look<'_>| {
            let is_named = look.introduces > 0 && look.introduces == look.words;
            is_named && look.words < SHORT && look.has_url && !look.has_label && !look.has_address
        };
        self.looks.len() > 1 && self.looks.iter().all(is_label)
    }

    /// The index of a label, not before `first`, that stands above the pages of enclosures:
    /// `Enclosures:`. One page is enough if the label begins the paragraph, and nothing else is there.
    fn enclosures(&self, first: usize) -> Option<usize> {
        let is_named =
            |look: &Look<'_>| look.words < SENTENCE && !look.has_label && !look.has_address;
        let is_item = |look: &Look<'_>| look.has_url && is_named(look);
        (first..self.looks.len()).find(|&i| {
            let below = &self.looks[i + 1..];
            let pages = below.iter().take_while(|look| is_item(look)).count();
            let label = self.looks[i];
            let is_whole = first == 0 && i == 0 && pages == below.len();
            label.is_label() && !label.has_url && (pages > 1 || pages > 0 && is_whole)
        })
    }

    /// True if the paragraph begins with a sentence.
    fn is_prose(&self) -> bool {
        let ends = self.looks.last().is_some_and(|look| look.is_stopped);
        let has_verb = self.looks.iter().any(|look| look.has_verb);
        let first = self.looks[0];
        // German has many capitals.
        let is_text = first.is_prose(SENTENCE)
            || first.has_verb && first.words >= SENTENCE && first.small * 3 >= first.words;
        is_text && !first.begins_small && !first.is_motto() && (ends || has_verb)
    }

    /// True if the paragraph is a list of pages, with or without a heading.
    fn is_list(&self) -> bool {
        let items = self
            .looks
            .iter()
            .filter(|look| look.is_listed() && look.has_url);
        items.count() > 1
    }

    /// True if no signature has such a paragraph, whatever its words are.
    fn is_of_letter(&self) -> bool {
        self.is_list() || self.is_labelled() || self.is_program() || self.looks[0].is_comment()
    }

    /// True if the paragraph is a part of a program.
    fn is_program(&self) -> bool {
        self.looks.iter().filter(|look| look.is_code()).count() > 1
    }

    /// The number of lines of an entry that ends in a page. A signature has an address, too.
    fn entry(&self) -> Option<usize> {
        let (page, above) = self.looks.split_last()?;
        let is_name = |look: &Look<'_>| !look.has_url && !look.has_address && look.words < LONG;
        let is_entry = page.is_page() && !above.is_empty() && above.iter().all(is_name);
        is_entry.then_some(self.looks.len())
    }

    /// True if each name has a page below it, or beside it.
    fn is_directory(&self) -> bool {
        let pairs = self.looks.chunks(2);
        let is_pair = |two: &[Look<'_>]| matches!(two, [a, b] if !a.has_url && b.is_page());
        if self.looks.iter().any(|look| look.has_address) {
            return false;
        }
        self.looks.len() > 3 && pairs.clone().all(is_pair)
            || self.looks.len() > 1 && self.looks[..2].iter().all(|look| look.is_entry())
    }
}

/// The rows of the lines from `first` on that are the author's own, by paragraphs, up to the row
/// `last`.
fn paragraphs(source: Source<'_>, first: usize, last: usize) -> Vec<Paragraph<'_>> {
    let mut all: Vec<Paragraph<'_>> = Vec::new();
    let mut is_open = false;
    for i in first..last {
        if !people::is_own(source, i) {
            is_open = false;
            continue;
        }
        let line = shapes::bare(source.line(i).head());
        if i > first && shapes::begins_rule(line) {
            // A rule is a mark of a signature.
            break;
        }
        let mut look = Look::of(line);
        look.has_url |= has_link(source, i);
        match all.last_mut().filter(|_| is_open) {
            Some(paragraph) => paragraph.looks.push(look),
            None => {
                let mut looks = Vec::with_capacity(PARAGRAPH);
                looks.push(look);
                all.push(Paragraph { first: i, looks });
            }
        }
        is_open = true;
    }
    all
}

/// True if the text of a link of HTML begins on the row.
fn has_link(source: Source<'_>, row: usize) -> bool {
    let line = source.line(row);
    source.page.has_link(line.at, line.end())
}

/// The row at which the signature ends that begins with this line. It is the row of the line if
/// none begins there.
pub(super) fn signature_end(source: Source<'_>, signs: Signs, last: usize) -> usize {
    if is_too_long(source, signs, last) {
        return signs.row;
    }
    if !signs.closing && !signs.is_armor {
        let is_own = sections::divides(source, signs, last)
            || signs.ruled && boxes::shows(source, signs, last);
        return if is_own { signs.row } else { last };
    }
    let rows = &source.lines.rows;
    let Some(end) = last_page(source, signs.row, last) else {
        return last;
    };
    // The line after the last URL may end its sentence.
    let all = paragraphs(source, signs.row, last.min(end + 2));
    let names_author = signs.by_name && names_in_text(source, signs.row, &all, end, last);
    if names_author || has_chapter(source, signs.row, last) {
        return signs.row;
    }
    let is_page = source.facts.is_page;
    for (i, paragraph) in all.iter().enumerate() {
        let looks = &paragraph.looks;
        let after = all.get(i + 1).map(|next| next.looks[0]);
        let addition = looks.iter().position(|look| look.is_addition());
        let first = usize::from(i == 0);
        let addition = addition.or_else(|| paragraph.enclosures(first));
        let own = addition.or_else(|| paragraph.prose(first, i > 0, is_page, after));
        let last_row = paragraph.first + looks.len() - 1;
        let is_notice = |own: usize| {
            // In HTML the paragraphs are not apart.
            let row = if is_page {
                paragraph.first + own
            } else {
                last_row
            };
            let at = source.page.at(rows[row].at());
            (i > 0 || is_page) && addition.is_none() && source.is_legal_notice(at)
        };
        if let Some(own) = own.filter(|own| !is_notice(*own)) {
            let is_whole = i > 0 && addition.is_none();
            return if is_whole {
                paragraph.first
            } else {
                paragraph.first + own
            };
        }
        if i > 0 && paragraph.is_of_letter() {
            return paragraph.first;
        }
    }
    last
}

/// True if a block has more lines than a signature, unless it has the address of the author or two
/// labels (`Phone: `), and no line of prose.
fn is_too_long(source: Source<'_>, signs: Signs, last: usize) -> bool {
    let may_be = signs.closing || signs.ruled;
    if !may_be || (last - signs.row) as u64 <= SIGNATURE_LINES + 1 {
        return false;
    }
    // Most blocks have fewer lines with words, whatever these are.
    let words = source.lines.rows[signs.row..last].iter();
    if words.filter(|row| row.is_own()).count() as u64 <= SIGNATURE_LINES + 1 {
        return false;
    }
    let is_words =
        |i: &usize| people::is_own(source, *i) && !boxes::is_line(source.line(*i).head());
    let rows: Vec<usize> = (signs.row..last).filter(is_words).collect();
    if rows.len() as u64 <= SIGNATURE_LINES + 1 {
        return false;
    }
    // Advertisements name the whole board of a company.
    if source.facts.is_page {
        return true;
    }
    let author = &source.facts.author;
    let text = |i: usize| shapes::bare(source.line(i).head());
    let has_address = |i: &usize| author.has_address(text(*i));
    let is_label = |i: &&usize| memchr(b':', text(**i)).is_some() && has_label(text(**i));
    let is_prose = |i: &usize| Look::of(text(*i)).is_prose(SENTENCE + 1);
    let is_signature =
        rows.iter().any(has_address) || rows.iter().filter(is_label).count() >= CONTACTS;
    !is_signature || rows.iter().any(is_prose)
}

/// The last row of the author's text from `first` on, up to `last`, that may have a URL.
fn last_page(source: Source<'_>, first: usize, last: usize) -> Option<usize> {
    let may_have_url = |line: Line<'_>| {
        memchr(b':', line.head()).is_some_and(|at| {
            shapes::holds_url(&line.head()[at..]) || shapes::holds_mailto(line.head())
        })
    };
    let is_own = |i: usize| source.lines.rows[i].is_own();
    let holds = |i: &usize| is_own(*i) && (may_have_url(source.line(*i)) || has_link(source, *i));
    (first..last).rev().find(holds)
}

/// True if the name of the author on this row closes no letter: it begins a sentence, or stands in a
/// list, a box or an advertisement, or the author signs below the last page, on the row `end`.
fn names_in_text(
    source: Source<'_>,
    row: usize,
    all: &[Paragraph<'_>],
    end: usize,
    last: usize,
) -> bool {
    let rows = &source.lines.rows;
    // Advertisements in HTML have the sender's name, too, but they answer nothing.
    let is_answer = || rows[row..].iter().any(|row| row.is_quoted_words());
    let line = shapes::bare(source.line(row).head());
    // Most names have fewer blanks than a sentence.
    let blanks = line.iter().filter(|b| b.is_ascii_whitespace()).count() as u32;
    blanks + 1 >= SENTENCE && Look::of(line).is_sentence()
        || boxes::shows_name(source, row, last)
        || source.facts.is_page && !is_answer()
        || is_in_list(source, row, all)
        || people::is_row(source, row)
        || people::is_signed_below(source, row, end, last)
}

/// True if paragraphs of prose on long lines are below the row: a chapter of a book, and no notice of
/// a company.
fn has_chapter(source: Source<'_>, row: usize, last: usize) -> bool {
    let is_long = |i: &usize| {
        let line = source.line(*i);
        line.bytes.len() > 2 * line.head().len()
            && people::is_own(source, *i)
            && Look::of(line.head()).is_prose(LONG)
            && !source.is_legal_notice(source.page.at(line.at))
    };
    // One may be what a company says about itself.
    (row + 1..last).filter(is_long).nth(1).is_some()
}

/// True if the author goes on with the letter below a rule of two or three dashes, on the row
/// `rule`: with a heading, a list of pages, links of Markdown, or a sentence that names a page. A
/// signature has none of these, and stands directly below its rule.
pub(super) fn is_letter(source: Source<'_>, rule: usize, last: usize) -> bool {
    let (rows, is_page) = (&source.lines.rows, source.facts.is_page);
    let is_apart = rows.get(rule + 1).is_some_and(|row| row.is_blank());
    let is_long = shapes::bare(source.line(rule).bytes).starts_with(b"---");
    let all = paragraphs(source, rule + 1, last);
    let begins_prose = all.first().is_some_and(Paragraph::is_prose);
    // Programs sign with a sentence directly below `--`, and people with a motto.
    let is_text = is_apart || begins_prose && (is_long || all.len() > 1);
    is_apart && begins_prose
        || all.iter().enumerate().any(|(i, paragraph)| {
            let is_first = i > 0 || is_apart;
            let may_be_sentence = is_text || is_long && i == 0;
            let is_sentence =
                || may_be_sentence && paragraph.prose(0, is_first, is_page, None).is_some();
            let last_row = paragraph.first + paragraph.looks.len() - 1;
            let is_notice = || source.is_legal_notice(source.page.at(rows[last_row].at()));
            paragraph.looks[0].is_comment()
                || paragraph.looks.iter().any(|look| look.has_link())
                || paragraph.is_list()
                || is_sentence() && !is_notice()
        })
}

/// True if the name on this row is one of a list of names.
fn is_in_list(source: Source<'_>, row: usize, all: &[Paragraph<'_>]) -> bool {
    let Some(own) = all.first() else {
        return false;
    };
    let (above, is_near) = above(source, row);
    let text = |i: usize| shapes::bare(source.line(i).head()).trim_ascii();
    let is_heading = |i: &usize| ends_in(text(*i), b":", ["："]);
    let has_heading = if is_near {
        above.clone().any(|i| is_heading(&i))
    } else {
        above.clone().last().as_ref().is_some_and(is_heading)
    };
    if has_heading || own.is_directory() {
        return true;
    }
    // A sentence with a page above the name is no entry.
    let is_name = |i: usize| {
        let look = Look::of(text(i));
        look.is_entry() && !look.begins_small
    };
    if is_near && own.looks[0].is_entry() && above.clone().last().is_some_and(is_name) {
        return true;
    }
    let Some(len) = own.entry() else {
        return false;
    };
    let is_next = all.get(1).is_some_and(|next| next.entry() == Some(len));
    let is_after = || {
        let looks = above.map(|i| Look::of(text(i))).collect();
        Paragraph { first: row, looks }.entry() == Some(len)
    };
    is_next || !is_near && is_after()
}

/// The rows of the author's paragraph above a line, and whether the line belongs to it.
fn above(source: Source<'_>, row: usize) -> (Range<usize>, bool) {
    let rows = &source.lines.rows;
    let first = row.saturating_sub(ABOVE);
    let is_own = |i: &usize| rows[*i].is_own();
    let gap = (first..row)
        .rev()
        .take_while(|i| rows[*i].is_blank())
        .count();
    let end = row - gap;
    let len = (first..end).rev().take_while(is_own).count();
    (end - len..end, gap == 0)
}
