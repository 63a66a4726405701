//! The header of another message, as mail programs write it above a quotation: lines
//! `Word: value` in a row.
//!
//! # How to think about it
//!
//! People write such lines, too: journeys, heads of letters, advertisements. Text of their own
//! that is called quoted is lost to whoever asks for what they wrote, so a block needs one of
//! these:
//!
//! * words that `languages.txt` has: a sender with an address and one more field; or a sender
//!   first, a date with a time and a subject, printed by a program; or, below the title of a
//!   quotation, a sender and one more;
//! * words that it has not: three lines, of which the first has a name and an address in
//!   brackets, and another one a date with a time, printed by a program.
//!
//! Minutes, memos and announcements of talks have such lines, too. So a block without an address,
//! or without known words, also has what people do not write, but programs do: a word that says
//! when a message was `Sent:`, a time with seconds or a zone, the author of the message as a
//! recipient, or the subject that the message answers.
//!
//! A block in which nobody has an address is the author's own text if it has a word of journeys
//! and advertisements (`Nach:`, `Price:`) above one of its fields. In a message that answers and
//! forwards nothing, any other unknown word there makes it own text too, and so does a sender who
//! is the author of the message, or who is no name. Announcements of talks have such words, too,
//! and the speaker has an address.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memchr2, memchr2_iter};

use urlgrep_base::escape::has;

use super::language::{Group, Use, Words};
use super::signature::Author;

/// The maximum length of a block.
const LINES: usize = 24;
const BYTES: usize = 4096;
/// The maximum length of a word before the colon, in bytes.
const NAME: usize = 48;
/// The bytes of a line that are examined.
const HEAD: usize = 400;
/// The lines of recipients among which the author is looked for.
const RECIPIENTS: usize = 4;

/// What stands above a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Above {
    /// A line of the same paragraph.
    Words,
    /// An empty line, or nothing.
    Nothing,
    /// A rule.
    Rule,
    /// The title of a quotation.
    Title,
}

/// What the header of a message says about the blocks in its text.
#[derive(Debug, Default)]
pub(super) struct Letter {
    subject: Vec<u8>,
    /// The From field.
    pub(super) from: Vec<u8>,
    /// What [`Letter::is_new`] returns. It is kept, because any line may ask.
    is_first: bool,
}

impl Letter {
    pub(super) fn set(&mut self, subject: &[u8], from: &[u8]) {
        self.is_first = is_new(subject);
        subject.clone_into(&mut self.subject);
        from.clone_into(&mut self.from);
    }

    /// True if the message has a subject, and answers and forwards nothing.
    pub(super) fn is_new(&self) -> bool {
        self.is_first
    }

    /// True if the author answers on this line inside a quotation, below his name or its first
    /// letters, as Outlook marks it: `[Jo Doe] I do`, `[JD] I do`.
    pub(super) fn begins_answer(&self, line: &[u8]) -> bool {
        let Some(rest) = line.strip_prefix(b"[") else {
            return false;
        };
        let Some(end) = memchr(b']', &rest[..rest.len().min(NAME)]) else {
            return false;
        };
        let mut author = Author::default();
        author.set(&self.from);
        author.signs(&rest[..end])
    }

    /// True if the author of the message is the sender.
    fn is_by(&self, sender: &[u8]) -> bool {
        let mut author = Author::default();
        author.set(&self.from);
        author.is_in(sender) || author.is_full_name(sender)
    }

    /// True if the message answers or forwards one with this subject.
    fn answers(&self, subject: &[u8]) -> bool {
        let Some(at) = self.subject.trim_ascii().len().checked_sub(subject.len()) else {
            return false;
        };
        let (before, end) = self.subject.trim_ascii().split_at(at);
        let is_whole = before.last().is_none_or(|b| !b.is_ascii_alphanumeric());
        is_whole && !subject.is_empty() && end.eq_ignore_ascii_case(subject) && !self.is_new()
    }
}

/// U+FF1A, the colon of Chinese and Japanese.
static WIDE_COLON: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("："));

/// The maximum length of what programs write before the subject of an answer, in any language.
const PREFIX: usize = 16;

/// True if the subject has words, and no prefix as that of an answer: `Re: `, `AW: `, `[list] Fwd: `.
/// A short word before a colon counts as a prefix, whatever its language.
fn is_new(subject: &[u8]) -> bool {
    let mut text = subject.trim_ascii();
    while let [b'[', rest @ ..] = text
        && let Some(end) = memchr(b']', rest)
    {
        text = rest[end + 1..].trim_ascii_start();
    }
    let head = &text[..text.len().min(PREFIX)];
    let has_colon = || has(head, |b| b == b':');
    let has_wide = || !head.is_ascii() && WIDE_COLON.find(head).is_some();
    !text.is_empty() && !has_colon() && !has_wide()
}

/// The length of the block that `text` begins with. None if it begins with none.
pub(super) fn length(text: &[u8], above: Above, letter: &Letter, words: &Words) -> Option<usize> {
    let text = &text[..text.len().min(BYTES)];
    let line = text.split(|&b| b == b'\n').next()?;
    let first = field(line)?;
    if words.may_begin(first.name, Group::Field) && words.field(first.name).is_some() {
        let known = Known::read(text, words)?;
        return known.is_block(above, letter).then_some(known.end);
    }
    let is_unknown = above != Above::Words && has_named_address(first.value);
    if !is_unknown || words.is(first.name, Use::Never) {
        return None;
    }
    unknown(text, letter, words)
}

/// True if the line has a colon where a field has it.
#[inline]
pub(super) fn has_colon(line: &[u8]) -> bool {
    has(&line[..line.len().min(NAME)], |b| (b == b':') | (b == 0x9A))
}

/// A prefilter: false if no header begins on the line.
#[inline]
pub(super) fn may_begin(line: &[u8], words: &Words) -> bool {
    has_colon(line)
        && field(line).is_some_and(|first| {
            words.may_begin(first.name, Group::Field) || has_named_address(first.value)
        })
}

/// A prefilter: false if the line is no field with an address in brackets, with which a header
/// of unknown words begins.
#[inline]
pub(super) fn may_begin_unknown(line: &[u8]) -> bool {
    has_colon(line) && memchr2(b'<', b'[', line).is_some()
}

/// A line `Word: value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field<'t> {
    name: &'t [u8],
    value: &'t [u8],
}

/// The field on the line, without the marks of bold text and of lists.
fn field(line: &[u8]) -> Option<Field<'_>> {
    let line = trim(&line[..line.len().min(HEAD)]);
    let head = &line[..line.len().min(NAME)];
    // U+FF1A is the colon of Chinese and Japanese. Its last byte is in other letters, too.
    let wide = "：".as_bytes();
    let mut colons = memchr2_iter(b':', 0x9A, head);
    let (at, len) = colons.find_map(|at| match head[at] {
        b':' => Some((at, 1)),
        _ => head[..=at]
            .ends_with(wide)
            .then(|| (at + 1 - wide.len(), wide.len())),
    })?;
    let (name, value) = (trim(&line[..at]), &line[at + len..]);
    let is_url = len == 1 && value.starts_with(b"//");
    let is_name = !name.is_empty() && !name.iter().any(is_no_name);
    (is_name && !is_url).then(|| Field {
        name,
        value: trim(value),
    })
}

/// True for a byte that the name of no field has.
fn is_no_name(b: &u8) -> bool {
    matches!(
        b,
        b'<' | b'>' | b'@' | b'"' | b'=' | b';' | b',' | b'{' | b'}' | b'[' | b']' | b'/' | b'\\'
    )
}

/// The text without blanks, marks of bold text, and bullets around it.
fn trim(mut text: &[u8]) -> &[u8] {
    const MARKS: [&[u8]; 5] = [
        b"\xC2\xA0",
        "\u{3000}".as_bytes(),
        "•".as_bytes(),
        "·".as_bytes(),
        "\u{feff}".as_bytes(),
    ];
    let is_mark = |b: u8| b.is_ascii_whitespace() || matches!(b, b'*' | b'_' | 0xA0);
    loop {
        match text {
            [b, rest @ ..] | [rest @ .., b] if is_mark(*b) && !is_inside(text, *b) => text = rest,
            [b'-', b' ', rest @ ..] => text = rest,
            // Nearly all names and values.
            [] | [0..=0x7F] | [0..=0x7F, .., 0..=0x7F] => return text,
            _ => match MARKS.iter().find_map(|mark| {
                text.strip_prefix(*mark)
                    .or_else(|| text.strip_suffix(*mark))
            }) {
                Some(rest) => text = rest,
                None => return text,
            },
        }
    }
}

/// True if the last byte is the rest of a letter of UTF-8, and no blank of Latin-1.
fn is_inside(text: &[u8], b: u8) -> bool {
    b == 0xA0 && std::str::from_utf8(text).is_ok()
}

/// True if the line is a field with a known word.
fn is_known(line: &[u8], words: &Words) -> bool {
    field(line).is_some_and(|field| words.field(field.name).is_some())
}

/// What is known of a block whose words are known. Its lines are read once, and the rule of the
/// whole block asks for all of this at its end.
#[derive(Debug, Default)]
struct Known<'t> {
    /// The end of its last line.
    end: usize,
    from: bool,
    sent: bool,
    to: bool,
    subject: bool,
    /// A known field has an address.
    addressed: bool,
    /// The sender has an address, or letters; the date has a time.
    address: bool,
    name: bool,
    time: bool,
    /// The sender is the first field.
    is_first: bool,
    /// Empty lines are between its fields.
    is_spaced: bool,
    /// The first line of the sender as it is written, the first lines of the recipients and the last
    /// one, and the last line of the subject.
    sender: &'t [u8],
    recipients: [&'t [u8]; RECIPIENTS],
    about: &'t [u8],
    /// The date is one that a program printed.
    printed: bool,
    /// Words of no header: those above its last field, and all so far.
    other_words: OtherWords,
    other_words_so_far: OtherWords,
}

/// Words with a colon that are no fields.
#[derive(Clone, Copy, Debug, Default)]
struct OtherWords {
    any: bool,
    /// One of them belongs to journeys and advertisements.
    journey: bool,
}

impl OtherWords {
    fn add(&mut self, name: &[u8], words: &Words) {
        self.any = true;
        self.journey |= words.is(name, Use::Journey);
    }
}

impl<'t> Known<'t> {
    /// Reads the fields that `text` begins with.
    fn read(text: &'t [u8], words: &Words) -> Option<Known<'t>> {
        let mut known = Known::default();
        let mut last = None;
        let mut at = 0;
        // The lines since the last field, and whether one of them is empty.
        let (mut others, mut is_blank) = (0, false);
        let mut is_open = false;
        for line in text.split_inclusive(|&b| b == b'\n').take(LINES) {
            at += line.len();
            let line = &line[..line.len().min(HEAD)];
            let bare = trim(line);
            if bare.is_empty() {
                if is_blank {
                    break;
                }
                is_blank = true;
                continue;
            }
            let field = field(line).filter(|_| !is_blank || is_known(line, words));
            if let Some(Field { name, value }) = field {
                // An unknown word between known ones is a field, too.
                let kind = words.field(name).unwrap_or(Use::Other);
                if known.has(kind) && is_single(kind) {
                    break;
                }
                if is_blank && last.is_some() {
                    if known.is_complete() && !known.is_spaced {
                        break;
                    }
                    known.is_spaced = true;
                }
                known.add_field(kind, Field { name, value }, words);
                known.end = at;
                is_open = value.is_empty();
                last = Some(kind);
                others = 0;
                is_blank = false;
                continue;
            }
            if is_blank && !is_open {
                break;
            }
            let is_indented = matches!(line, [b' ' | b'\t', ..]);
            let is_list = matches!(last, Some(Use::From | Use::To | Use::Other))
                && (bare.contains(&b'@') || bare.ends_with(b";"));
            let goes_on = matches!(bare, [b'[' | b'<' | b'(', ..]) || is_list || is_indented;
            if is_open || goes_on && !is_blank {
                if let Some(kind) = last {
                    known.add(kind, bare);
                }
                known.end = at;
                is_open = false;
                is_blank = false;
                continue;
            }
            // A long field may go on without a mark: `On Behalf Of` and a name.
            others += 1;
            let may_go_on = matches!(last, Some(Use::From | Use::To | Use::Other));
            if !may_go_on || others > 2 {
                break;
            }
        }
        (known.end > 0).then_some(known)
    }

    fn has(&self, kind: Use) -> bool {
        match kind {
            Use::From => self.from,
            Use::Sent | Use::Date => self.sent,
            Use::To => self.to,
            Use::Subject => self.subject,
            _ => false,
        }
    }

    fn add_field(&mut self, kind: Use, field: Field<'t>, words: &Words) {
        if kind == Use::Other && words.field(field.name).is_none() {
            self.other_words_so_far.add(field.name, words);
        } else {
            self.other_words = self.other_words_so_far;
            self.addressed |= has_address(field.value);
        }
        self.add(kind, field.value);
    }

    fn add(&mut self, kind: Use, value: &'t [u8]) {
        match kind {
            Use::From => {
                self.is_first |= !(self.sent || self.to || self.subject);
                self.from = true;
                if self.sender.is_empty() {
                    self.sender = value;
                }
                self.address |= has_address(value);
                self.name |= value
                    .iter()
                    .any(|b| b.is_ascii_alphabetic() || !b.is_ascii());
            }
            Use::Sent | Use::Date => {
                self.sent = true;
                self.time |= has_time(value);
                self.printed |= kind == Use::Sent || is_stamp(value);
            }
            Use::To => {
                self.to = true;
                let free = self.recipients.iter().position(|line| line.is_empty());
                self.recipients[free.unwrap_or(RECIPIENTS - 1)] = value;
            }
            Use::Subject => {
                self.subject = true;
                self.about = value;
            }
            _ => {}
        }
    }

    /// A sender, a date and a subject.
    fn is_complete(&self) -> bool {
        self.from && self.sent && self.subject
    }

    /// Programs that leave out the address write the name first, and a date with a time. Letters,
    /// journeys and minutes of meetings have a day, and logs have numbers.
    fn is_dated_name(&self) -> bool {
        self.is_first && self.name && self.time
    }

    /// True if a program wrote the block: people write minutes and memos that begin so. An address
    /// for questions (`Contact:`) shows nothing.
    fn is_printed(&self, letter: &Letter) -> bool {
        let is_recipient = || self.recipients.iter().any(|line| letter.is_by(line));
        self.printed || is_recipient() || letter.answers(self.about) || self.addressed
    }

    /// True if the author wrote the block, as a journey, an advertisement or a memo, or writes about
    /// the fields of a header.
    fn is_own(&self, letter: &Letter) -> bool {
        let has_other_words = || {
            self.other_words.any
                || self.other_words_so_far.journey
                || !is_name(self.sender)
                || letter.is_by(self.sender)
        };
        let may_be_own = self.other_words.journey || letter.is_new() && has_other_words();
        may_be_own && !self.addressed || is_sentence(self.sender)
    }

    fn is_block(&self, above: Above, letter: &Letter) -> bool {
        if self.is_own(letter) {
            return false;
        }
        if self.is_spaced {
            return self.is_complete() && self.address && above != Above::Words;
        }
        let others = [self.sent, self.to, self.subject];
        let others = others.iter().filter(|has| **has).count();
        let is_dated_name = || self.is_dated_name() && self.is_printed(letter);
        match above {
            Above::Words => self.is_complete() && (self.address || is_dated_name()),
            Above::Nothing => {
                self.from && self.address && others >= 1 || self.is_complete() && is_dated_name()
            }
            Above::Rule => self.from && others >= 1 && self.is_printed(letter),
            Above::Title => self.from && others >= 1,
        }
    }
}

/// True for the fields of which a header has one.
fn is_single(kind: Use) -> bool {
    matches!(kind, Use::From | Use::Sent | Use::Date | Use::Subject)
}

/// The length of the fields that `text` begins with, if they are those of Lotus Notes below the
/// sender and the date, which are no fields: `To:` and `Subject:`.
pub(super) fn recipients(text: &[u8], words: &Words) -> Option<usize> {
    let known = Known::read(&text[..text.len().min(BYTES)], words)?;
    let is_rest = known.to && known.subject && !known.from && !known.sent && !known.is_spaced;
    is_rest.then_some(known.end)
}

/// True for what no sender is: `an address such as jo@a.example`.
fn is_sentence(sender: &[u8]) -> bool {
    // An archive writes ` at ` in an address.
    const WORDS: usize = 4;
    let is_word = |word: &&[u8]| !word.is_empty() && !word.contains(&b'@');
    let words = sender.split(u8::is_ascii_whitespace).filter(is_word);
    memchr2(b'<', b'[', sender).is_none() && !is_name(sender) && words.count() >= WORDS
}

/// True if the sender may be a name: `Jo`, and no `student`.
fn is_name(sender: &[u8]) -> bool {
    let sender = String::from_utf8_lossy(sender);
    let is_cased = sender.chars().any(char::is_lowercase);
    !is_cased || sender.chars().any(char::is_uppercase)
}

/// The text below the header of a patch in which a line of a patch is searched for.
const PATCH: usize = 8 * 1024;

/// True if the header `block`, at the start of a letter, is the one that `git` writes above a
/// patch, and the patch is below: it names who wrote the patch, and quotes nothing.
pub(super) fn is_of_patch(block: &[u8], below: &[u8]) -> bool {
    let is_field = |line: &[u8]| {
        let fields: [&[u8]; 3] = [b"From:", b"Subject:", b"Date:"];
        let is_folded = matches!(line, [b' ' | b'\t', ..]);
        is_folded || fields.iter().any(|field| line.starts_with(field))
    };
    let is_patch =
        |line: &[u8]| line.starts_with(b"diff --git ") || line.starts_with(b"Signed-off-by: ");
    let mut lines = block.split(|&b| b == b'\n');
    let mut below = below[..below.len().min(PATCH)].split(|&b| b == b'\n');
    block.starts_with(b"From:")
        && lines.all(|line| line.trim_ascii().is_empty() || is_field(line))
        && below.any(is_patch)
}

/// The length of a block whose words are unknown.
fn unknown(text: &[u8], letter: &Letter, words: &Words) -> Option<usize> {
    let (mut at, mut end, mut lines) = (0, 0, 0);
    let (mut has_date, mut is_printed) = (false, false);
    for line in text.split_inclusive(|&b| b == b'\n').take(LINES) {
        at += line.len();
        if trim(line).is_empty() {
            break;
        }
        let Some(Field { name, value }) = field(line) else {
            if matches!(line, [b' ' | b'\t', ..]) && lines > 0 {
                end = at;
                continue;
            }
            return None;
        };
        let is_own = words.is(name, Use::Never) || words.is(name, Use::Journey);
        if is_own || name.ends_with(b"-by") || name.ends_with(b"-By") {
            return None;
        }
        if lines == 0 && !has_named_address(value) {
            return None;
        }
        let is_date = lines > 0 && has_time(value) && has_date_or_year(value);
        has_date |= is_date;
        is_printed = is_printed
            || is_date && is_stamp(value)
            || name.windows(2).any(|two| two == b"??")
            || lines > 0
                && (has_address(value) && !super::shapes::holds_url(value) || letter.is_by(value))
            || letter.answers(value);
        lines += 1;
        end = at;
    }
    (lines >= 3 && has_date && is_printed).then_some(end)
}

/// True if the text has a time with seconds (`10:11:12`) or a zone (`10:11 +0100`), as programs
/// print it.
fn is_stamp(text: &[u8]) -> bool {
    let is_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    text.windows(6).any(|part| match *part {
        [b':', a, b, b':', c, d] => is_digits(&[a, b, c, d]),
        [b' ', b'+' | b'-', a, b, c, d] => is_digits(&[a, b, c, d]),
        _ => false,
    })
}

/// Stands for `@` in archives.
pub(super) static AT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" at "));

/// True if the text has an address, which an archive may have masked (`jo at a.example`).
pub(super) fn has_address(text: &[u8]) -> bool {
    let is_at = |at: usize, len: usize| {
        let before = at.checked_sub(1).map(|i| text[i]);
        let after = text.get(at + len);
        let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
        before.is_some_and(is_word) && after.is_some_and(|b| is_word(*b) && *b != b'.')
    };
    if memchr(b'@', text).is_some_and(|at| is_at(at, 1)) {
        return true;
    }
    // ` at ` is a word of English, too, so a host must follow it.
    AT.find_iter(text).any(|at| {
        let host = &text[at + 4..];
        let end = host
            .iter()
            .position(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'.' | b'-'));
        let host = &host[..end.unwrap_or(host.len())];
        is_at(at, 4) && memchr(b'.', host.strip_suffix(b".").unwrap_or(host)).is_some()
    })
}

/// True if the text has a name, and an address in `<…>` or `[…]` after it.
fn has_named_address(text: &[u8]) -> bool {
    let Some(at) = memchr2(b'<', b'[', text) else {
        return false;
    };
    let name = trim(&text[..at]);
    let closing = if text[at] == b'<' { b'>' } else { b']' };
    let Some(len) = memchr(closing, &text[at..]) else {
        return false;
    };
    let inside = text[at + 1..at + len].trim_ascii();
    let inside = inside.strip_prefix(b"mailto:").unwrap_or(inside);
    !name.is_empty() && has_address(inside)
}

/// True if the text has a time of day: `10:00`, `10.00`, `10h00`, `10時00分`.
pub(super) fn has_time(text: &[u8]) -> bool {
    let digit = |i: usize| text.get(i).is_some_and(u8::is_ascii_digit);
    (1..text.len()).any(|i| {
        if !digit(i - 1) {
            return false;
        }
        let rest = &text[i..];
        let len = match rest {
            [b':' | b'.' | b'h' | b'H', ..] => 1,
            _ if rest.starts_with("時".as_bytes()) || rest.starts_with("时".as_bytes()) => 3,
            _ if rest.starts_with("：".as_bytes()) => 3,
            _ if rest.starts_with("시 ".as_bytes()) => 4,
            _ => return false,
        };
        // A date with dots has three numbers: `03.05.2021`.
        let is_dot = rest[0] == b'.';
        let is_date = digit(i + len + 2) || is_dot && matches!(text.get(i + len + 2), Some(b'.'));
        let goes_on = |i: usize| digit(i) || is_dot && text.get(i) == Some(&b'.');
        let hour = i < 2 || !goes_on(i - 2) || digit(i - 2) && (i < 3 || !goes_on(i - 3));
        hour && digit(i + len) && digit(i + len + 1) && !is_date
    })
}

/// True if the text has a year of four digits, or three numbers with the same mark between them.
pub(super) fn has_date_or_year(text: &[u8]) -> bool {
    // A number is its place and its length.
    let is_year =
        |(at, len): (usize, usize)| len == 4 && matches!(&text[at..at + 2], b"19" | b"20");
    let mark = |(at, len): (usize, usize)| text.get(at + len).copied().unwrap_or(0);
    let is_date = |three: [(usize, usize); 3]| {
        let marks = [mark(three[0]), mark(three[1])];
        // Czech programs write `03. 05. 21`.
        let near = |a: (usize, usize), b: (usize, usize)| {
            let between = &text[a.0 + a.1..b.0];
            between.len() == 1 || between == b". "
        };
        marks[0] == marks[1]
            && matches!(marks[0], b'.' | b'/' | b'-')
            && near(three[0], three[1])
            && near(three[1], three[2])
            && three.iter().all(|number| number.1 <= 2)
    };
    let mut last = [None, None];
    let mut from = 0;
    while let Some(blanks) = text[from..].iter().position(u8::is_ascii_digit) {
        let at = from + blanks;
        let digits = text[at..].iter().take_while(|b| b.is_ascii_digit());
        let number = (at, digits.count());
        let ends_date = matches!(last, [Some(a), Some(b)] if is_date([a, b, number]));
        if is_year(number) || ends_date {
            return true;
        }
        last = [last[1], Some(number)];
        from = at + number.1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_new;

    #[test]
    fn subjects_of_answers() {
        for subject in [
            "trip",
            "[list] trip",
            "Поездка в Киев",
            "A much longer subject: x",
        ] {
            assert!(is_new(subject.as_bytes()), "{subject}");
        }
        for subject in [
            "",
            "Re: trip",
            "[list] AW: trip",
            "Re[2]: trip",
            "答复：trip",
            "Xyz: trip",
        ] {
            assert!(!is_new(subject.as_bytes()), "{subject}");
        }
    }
}
