//! The words that mail programs write above a quotation, and people below a letter, by language.
//!
//! They are the rows of `languages.txt` and `footers.txt`. Nothing else knows a word: `build.rs`
//! makes tables and a prefilter of the rows, so a language is added by adding rows.
//!
//! # Letters that an archive lost
//!
//! Archives write `?` for a letter that they cannot show (`Urspr?ngliche`), programs read UTF-8
//! as Latin-1 (`UrsprÃ¼ngliche`), and people leave accents out. So a word with enough ASCII
//! letters is also known by its *outline*, in which each run of other letters is one mark.

use std::ops::{Deref, Range};

#[cfg(any(test, target_arch = "wasm32"))]
use super::letters;
pub(super) use super::letters::{Group, Use};
use super::letters::{
    LOST, NUMBERS, Text, first_letters, has_lost, hash, lower, outline, stem, three,
};

/// The uses of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uses(u32);

impl Uses {
    pub(super) fn has(self, kind: Use) -> bool {
        self.0 & kind.bit() != 0
    }
}

/// The maximum length of a word or a phrase in bytes.
const WORD: usize = 96;
/// The room for a word in lower case. No letter grows by more than a half.
const ROOM: usize = 2 * WORD;

/// A text of at most [`WORD`] bytes, in lower case. It is on the stack, because words are looked
/// up in most messages, and a small message costs no allocation.
struct Short {
    bytes: [u8; ROOM],
    len: usize,
}

impl Deref for Short {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Text for Short {
    fn with_room(_: usize) -> Short {
        Short {
            bytes: [0; ROOM],
            len: 0,
        }
    }

    fn push(&mut self, b: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = b;
            self.len += 1;
        }
    }

    fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    fn push_lower(&mut self, text: &[u8]) {
        let room = &mut self.bytes[self.len..];
        let len = text.len().min(room.len());
        room[..len].copy_from_slice(&text[..len]);
        // The bytes after the text are zeros. Whole blocks take fewer instructions.
        let blocks = room.as_chunks_mut::<16>().0;
        for block in &mut blocks[..len.div_ceil(16)] {
            block.make_ascii_lowercase();
        }
        self.len += len;
    }
}

/// Texts by a number, and the uses of each.
struct Table {
    /// The row at which the texts of each number begin.
    heads: &'static [u16; NUMBERS + 1],
    /// The place of each text in `text`, and its uses. The last row is the end.
    rows: &'static [(u32, u32)],
    text: &'static [u8],
}

impl Table {
    /// True if no text has this number.
    #[inline]
    fn is_empty(&self, number: usize) -> bool {
        self.heads[number] == self.heads[number + 1]
    }

    /// The text of a row, and its uses.
    fn row(&self, row: usize) -> (&'static [u8], u32) {
        let (at, uses) = self.rows[row];
        let end = self.rows[row + 1].0;
        (&self.text[at as usize..end as usize], uses)
    }

    /// The rows of the texts that have this number.
    fn rows(&self, number: usize) -> Range<usize> {
        usize::from(self.heads[number])..usize::from(self.heads[number + 1])
    }

    /// The rows of the texts that have this number and begin with `first`. They are in order.
    fn rows_with(&self, number: usize, first: &[u8]) -> Range<usize> {
        let Range { start, mut end } = self.rows(number);
        let all = end;
        let mut from = start;
        while from < end {
            let middle = from.midpoint(end);
            if self.row(middle).0 < first {
                from = middle + 1;
            } else {
                end = middle;
            }
        }
        let with = (from..all).take_while(|&row| self.row(row).0.starts_with(first));
        from..from + with.count()
    }

    /// The texts that have this number, and their uses.
    fn get(&self, number: usize) -> impl Iterator<Item = (&'static [u8], u32)> {
        self.rows(number).map(|row| self.row(row))
    }
}

/// The words of all languages, and the words of footers. `build.rs` makes them.
pub(super) struct Words {
    /// Words in lower case or as outlines, by their [`hash`].
    words: Table,
    /// The beginnings of lines, by the [`stem`] of each.
    beginnings: Table,
    /// Phrases that may stand anywhere in a line, by the first [`three`] bytes.
    phrases: Table,
    /// By the first [`three`] bytes, the uses of all phrases that begin with them.
    phrase_uses: &'static [u32; NUMBERS],
    /// By [`first_letters`], the groups of the words that begin with them.
    begins: &'static [u8; NUMBERS],
}

#[cfg(not(target_arch = "wasm32"))]
static WORDS: Words = include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// A module of WebAssembly is fetched, so it has the rows, and makes the tables when the first one
/// is asked for. Compressed they have twice the size of the rows.
#[cfg(target_arch = "wasm32")]
static WORDS: std::sync::LazyLock<Words> = std::sync::LazyLock::new(|| {
    made::words_of(include_str!(concat!(env!("OUT_DIR"), "/rows.txt")))
});

/// The words of `languages.txt` and `footers.txt`.
#[inline]
pub(super) fn known() -> &'static Words {
    &WORDS
}

impl Words {
    /// The uses of a word or phrase.
    pub(super) fn uses(&self, word: &[u8]) -> Uses {
        if word.len() > WORD {
            return Uses(0);
        }
        Uses(self.uses_of_form(&lower::<Short>(word)))
    }

    /// The uses of a word of ASCII, and of the shorter words to which `shorter` cuts it: it gives
    /// the length of the next one.
    pub(super) fn uses_without(
        &self,
        word: &[u8],
        shorter: impl Fn(&[u8]) -> Option<usize>,
    ) -> Uses {
        if word.len() > WORD {
            return Uses(0);
        }
        let lower: Short = lower(word);
        let mut text = &lower[..];
        let mut uses = self.uses_of_form(text);
        while let Some(len) = shorter(text) {
            text = &text[..len];
            uses |= self.uses_of_form(text);
        }
        Uses(uses)
    }

    /// The uses of a word in lower case, or of its outline.
    fn uses_of_form(&self, lower: &[u8]) -> u32 {
        match self.uses_of(lower) {
            0 if has_lost(lower) => self.uses_of(&outline::<Short>(lower)),
            uses => uses,
        }
    }

    /// The uses of a word in lower case, or of an outline.
    fn uses_of(&self, word: &[u8]) -> u32 {
        let mut same = self.words.get(hash(word)).filter(|row| row.0 == word);
        same.next().map_or(0, |row| row.1)
    }

    /// True if the text has a phrase of one of these uses at a place that is asked for.
    fn any(&self, text: &[u8], kinds: &[Use], mut is: impl FnMut(Range<usize>) -> bool) -> bool {
        let kinds = kinds.iter().fold(0, |kinds, kind| kinds | kind.bit());
        for (at, first) in text.windows(3).enumerate() {
            let number = three([first[0], first[1], first[2]]);
            if self.phrase_uses[number] & kinds == 0 {
                continue;
            }
            for (phrase, uses) in self.phrases.get(number) {
                let is_here = uses & kinds != 0 && text[at..].starts_with(phrase);
                if is_here && is(at..at + phrase.len()) {
                    return true;
                }
            }
        }
        false
    }

    /// True if the text, in lower case, has a phrase of one of these uses.
    pub(super) fn has(&self, text: &[u8], kinds: &[Use]) -> bool {
        self.any(text, kinds, |_| true)
    }

    /// The number of different phrases of this use in the text, which is in lower case.
    pub(super) fn count(&self, text: &[u8], kind: Use) -> usize {
        let mut found: Vec<&[u8]> = Vec::new();
        self.any(text, &[kind], |phrase| {
            let phrase = &text[phrase];
            if !found.contains(&phrase) {
                found.push(phrase);
            }
            false
        });
        found.len()
    }

    /// The phrases of this use.
    pub(super) fn phrases(&self, kind: Use) -> impl Iterator<Item = &'static [u8]> {
        let text = self.phrases.text;
        let rows = self.phrases.rows.windows(2);
        rows.filter(move |row| row[0].1 & kind.bit() != 0)
            .map(move |row| &text[row[0].0 as usize..row[1].0 as usize])
    }

    /// True if the word has this use.
    pub(super) fn is(&self, word: &[u8], kind: Use) -> bool {
        self.uses(word).has(kind)
    }

    /// The field that is written so, above a quotation.
    pub(super) fn field(&self, name: &[u8]) -> Option<Use> {
        let mut uses = self.uses(name);
        if uses.0 == 0 {
            // A blank before the colon may have been lost, too: `Objet? :`.
            let is_lost = |b: &u8| *b == b'?' || *b >= 0x80 || b.is_ascii_whitespace();
            let lost = name.iter().rev().take_while(|b| is_lost(b)).count();
            if lost > 0 {
                uses = self.uses(&name[..name.len() - lost]);
            }
        }
        let fields = [
            Use::From,
            Use::Sent,
            Use::Date,
            Use::Subject,
            Use::To,
            Use::Other,
        ];
        fields.into_iter().find(|field| uses.has(*field))
    }

    /// True if the line has the verb of an attribution as a word of its own.
    pub(super) fn has_verb(&self, line: &[u8]) -> bool {
        let lower: Vec<u8> = lower(line);
        let has = |text: &[u8]| {
            let is_letter = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
            self.any(text, &[Use::Wrote], |verb| {
                let before = verb.start.checked_sub(1).and_then(|i| text.get(i));
                let is_word = text[verb.start].is_ascii_alphanumeric() && is_letter(before);
                let ends = text[verb.end - 1].is_ascii_alphanumeric();
                !(is_word || ends && is_letter(text.get(verb.end)))
            })
        };
        has(&lower) || has_lost(&lower) && has(&outline::<Vec<u8>>(&lower))
    }

    /// True if the text is the last word of a verb of several words: `message` of `wrote in
    /// message`. Few lines ask for it.
    pub(super) fn ends_verb(&self, text: &[u8]) -> bool {
        let word: Short = lower(&text[..text.len().min(WORD)]);
        let before = |phrase: &'static [u8]| phrase.strip_suffix(&word[..]);
        let mut verbs = self.phrases(Use::Wrote).filter_map(before);
        !word.is_empty() && verbs.any(|rest| rest.ends_with(b" "))
    }

    /// The uses of the phrases that the text begins with: `Sent from my phone`.
    pub(super) fn begins(&self, text: &[u8]) -> Uses {
        let rows = match text {
            // No phrase begins with a blank.
            [0xC2, 0xA0, ..] | [0xE3, 0x80, 0x80, ..] => return Uses(0),
            [b'?' | LOST | 0x80.., ..] => self.rows_with_letter(text),
            _ => match self.beginnings.rows(stem(text)) {
                rows if rows.is_empty() => return Uses(0),
                rows => [rows, 0..0],
            },
        };
        let (mut uses, mut forms) = (0, None);
        for rows in rows {
            for row in rows {
                let (beginning, kinds) = self.beginnings.row(row);
                let begins = begins_plainly(text, beginning).unwrap_or_else(|| {
                    let (text, outline) = forms.get_or_insert_with(|| forms_of(text));
                    let rest = text.strip_prefix(beginning);
                    let rest = rest.or_else(|| outline.strip_prefix(beginning));
                    rest.is_some_and(|rest| ends_word(beginning, rest))
                });
                if begins {
                    uses |= kinds;
                }
            }
        }
        Uses(uses)
    }

    /// The rows of the beginnings with which the text may begin, if its first letter is not ASCII
    /// or was lost: those with this letter, and those with a lost one. All these letters have the
    /// same [`stem`], so the rows are searched.
    fn rows_with_letter(&self, text: &[u8]) -> [Range<usize>; 2] {
        let number = stem(text);
        let Some((letter, next)) = first_letter(text) else {
            return [self.beginnings.rows(number), 0..0];
        };
        [
            self.beginnings.rows_with(number, &letter),
            self.beginnings.rows_with(number, &[LOST, next]),
        ]
    }

    /// True if the text begins with a phrase of this use.
    pub(super) fn begins_with(&self, text: &[u8], kind: Use) -> bool {
        self.begins(text).has(kind)
    }

    /// True if the line of a phone or a program has the name or the page of a program: `Get
    /// Outlook for iOS`.
    pub(super) fn names_program(&self, line: &[u8]) -> bool {
        self.has(&lower::<Vec<u8>>(line), &[Use::Program])
    }

    /// A prefilter: false if no word of the group begins here.
    #[inline]
    pub(super) fn may_begin(&self, text: &[u8], group: Group) -> bool {
        self.groups(text) & group.bit() != 0
    }

    /// The set of the groups of which a word may begin here.
    #[inline]
    pub(super) fn groups(&self, text: &[u8]) -> u8 {
        self.begins[first_letters(text)]
    }

    /// A prefilter for [`begins`](Words::begins), if a beginning of a line may begin here.
    #[inline]
    pub(super) fn may_begin_line(&self, text: &[u8]) -> bool {
        !self.beginnings.is_empty(stem(text))
    }
}

/// A text in lower case, and its outline if that differs.
fn forms_of(text: &[u8]) -> (Short, Short) {
    let text: Short = lower(&text[..text.len().min(WORD)]);
    let outline = if has_lost(&text) {
        outline(&text)
    } else {
        Short::with_room(0)
    };
    (text, outline)
}

/// The first letter of a text that is not ASCII, in lower case, and what follows the mark for it in
/// the [`outline`]. `None` if one of the first letters becomes ASCII or nothing in lower case.
fn first_letter(text: &[u8]) -> Option<(Short, u8)> {
    let mut first = None;
    for chunk in text[..text.len().min(WORD)].utf8_chunks() {
        for letter in chunk.valid().chars() {
            if letter.is_ascii() && !matches!(letter, '?' | '\u{1A}') {
                let next = letter.to_ascii_lowercase() as u8;
                let next = if next.is_ascii_whitespace() {
                    b' '
                } else {
                    next
                };
                return first.map(|first| (first, next));
            }
            if letter.is_whitespace() || matches!(letter, '\u{307}' | 'İ' | '’') {
                return None;
            }
            let mut bytes = [0; 4];
            first.get_or_insert_with(|| lower(letter.encode_utf8(&mut bytes).as_bytes()));
        }
        if let [b, ..] = chunk.invalid() {
            first.get_or_insert_with(|| lower(&[*b]));
        }
    }
    first.map(|first| (first, 0))
}

/// True if no letter of a word that `beginning` ends in is left in the rest.
fn ends_word(beginning: &[u8], rest: &[u8]) -> bool {
    let is_letter = beginning.last().is_some_and(u8::is_ascii_alphanumeric);
    !is_letter || !rest.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// True if the text begins with `beginning`, in lower case. `None` if only a copy in lower case,
/// or its outline, can tell: a letter that was lost, or that is not ASCII, may be any. Nearly all
/// texts are told here, without a copy.
fn begins_plainly(text: &[u8], beginning: &[u8]) -> Option<bool> {
    let is_blank = |b: Option<&u8>| b.is_none_or(u8::is_ascii_whitespace);
    for (i, (b, wanted)) in text.iter().zip(beginning).enumerate() {
        if !b.is_ascii() || matches!(*b, b'?' | LOST) {
            return None;
        }
        // More blanks than one, and those at the end, are not kept in the copy.
        let is_other = b.is_ascii_whitespace() && (*b != b' ' || is_blank(text.get(i + 1)));
        if is_other {
            return None;
        }
        if b.to_ascii_lowercase() != *wanted {
            return Some(false);
        }
    }
    match text.get(beginning.len()) {
        // The text is longer than its copy, or the next letter may become ASCII in the copy.
        _ if beginning.len() >= WORD => None,
        Some(b) if !b.is_ascii() => None,
        _ if text.len() < beginning.len() => Some(false),
        _ => Some(ends_word(beginning, &text[beginning.len()..])),
    }
}

#[cfg(any(test, target_arch = "wasm32"))]
#[path = "../../../build/tables.rs"]
mod tables;

/// Makes the tables in the program itself, which else are made with it.
#[cfg(any(test, target_arch = "wasm32"))]
mod made {
    use super::tables::{self, Tables};
    use super::{Table, Words};

    fn leak<T, const N: usize>(rows: Vec<T>) -> &'static [T; N] {
        let rows = rows.try_into().ok();
        Box::leak(Box::new(rows.expect("a table has a row for each number")))
    }

    fn table_of(table: &tables::Table) -> Table {
        Table {
            heads: leak(table.heads()),
            rows: table.rows().leak(),
            text: table.text().leak(),
        }
    }

    /// The tables of these rows. They are never freed.
    pub(super) fn words_of(rows: &str) -> Words {
        let tables = Tables::of(rows);
        Words {
            words: table_of(&tables.words),
            beginnings: table_of(&tables.beginnings),
            phrases: table_of(&tables.phrases),
            phrase_uses: leak(tables.phrases.uses()),
            begins: leak(tables.begins),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::attribution::{Strength, strength};
    use super::super::blocks::{Above, Letter, length};
    use super::super::letters::STEM;
    use super::made::words_of;
    use super::tables::use_of;
    use super::*;

    #[test]
    fn the_module_makes_the_tables_of_the_command() {
        let made = words_of(include_str!(concat!(env!("OUT_DIR"), "/rows.txt")));
        let pairs = [
            (&made.words, &WORDS.words),
            (&made.beginnings, &WORDS.beginnings),
            (&made.phrases, &WORDS.phrases),
        ];
        for (one, other) in pairs {
            assert!(one.heads == other.heads && one.rows == other.rows);
            assert_eq!(one.text, other.text);
        }
        assert!(made.phrase_uses == WORDS.phrase_uses && made.begins == WORDS.begins);
    }

    /// A text is compared without a copy only if the copy would say the same.
    #[test]
    fn beginnings_are_compared_as_in_a_copy() {
        let pieces = [
            "a", "B", " ", "\t", "?", "é", "\u{a0}", "-", "\u{212A}", "\u{307}",
        ];
        let beginnings = ["a", "ab", "a b", "a ", "ab-", "aé", "a\u{1a}b", "k"];
        let mut told = 0;
        for number in 0..pieces.len().pow(4) {
            let mut rest = number;
            let mut text = String::new();
            for _ in 0..4 {
                text += pieces[rest % pieces.len()];
                rest /= pieces.len();
            }
            for beginning in beginnings.map(str::as_bytes) {
                let (lower, outline) = forms_of(text.as_bytes());
                let rest = lower.strip_prefix(beginning);
                let rest = rest.or_else(|| outline.strip_prefix(beginning));
                let begins = rest.is_some_and(|rest| ends_word(beginning, rest));
                if let Some(found) = begins_plainly(text.as_bytes(), beginning) {
                    assert_eq!(found, begins, "{text:?} {beginning:?}");
                    told += 1;
                }
            }
        }
        assert!(told > 20_000, "{told}");
    }

    /// A language that nobody speaks: a new one is new rows, and nothing else.
    const ROWS: &str = "\
        from x any Wëken\n\
        sent x any Zand\n\
        subject x any Orn\n\
        title x any Ursa wekt\n\
        wrote x any skrövte\n\
        closing x any Grön\n\
        device x any Zand va mi\n";

    #[test]
    fn a_language_is_added_by_rows() {
        let words = words_of(ROWS);
        let block = "Wëken: Jo\nZand: 3 5 2021 10:00\nOrn: x\n\ntext";
        let (lost, letter) = (block.replace('ë', "?"), Letter::default());
        for block in [block, &lost] {
            let length = |words| length(block.as_bytes(), Above::Nothing, &letter, words);
            assert_eq!(length(&words), block.find("\ntext"), "{block}");
            assert_eq!(length(known()), None);
        }
        let line = "3 5 2021 10:00 skrövte Jo:".as_bytes();
        assert_eq!(strength(line, &words), Strength::Strong);
        assert_eq!(strength(line, known()), Strength::None);
        assert!(words.is("ursa wekt".as_bytes(), Use::Title));
        assert!(words.is("GRÖN".as_bytes(), Use::Closing));
        assert!(words.begins_with("Zand va mi phone".as_bytes(), Use::Device));
        assert!(!words.begins_with("Zand va mid".as_bytes(), Use::Device));
        let begins = |line: &str, group| words.may_begin(line.as_bytes(), group);
        assert!(begins("Wëken: Jo", Group::Field) && begins("W?ken: Jo", Group::Field));
        assert!(begins("Grön", Group::Closing) && begins("gr?n", Group::Closing));
        assert!(begins("zand va mi phone", Group::Line));
        assert!(words.may_begin_line(b"zand va mi phone"));
        assert!(!words.may_begin_line(b"zand vi other"));
        assert!(!begins("Other words", Group::Field));
    }

    /// The rows of beginnings whose first letter is not ASCII are searched for.
    #[test]
    fn every_beginning_is_found() {
        let words = known();
        let number_of_rows = words.beginnings.rows.len() - 1;
        let mut letters = 0;
        for row in 0..number_of_rows {
            let (text, uses) = words.beginnings.row(row);
            letters += usize::from(!text[0].is_ascii_alphanumeric());
            let mut written = vec![text.to_vec()];
            match std::str::from_utf8(text) {
                Ok(shown) if !text.contains(&LOST) => {
                    // The lower case of a capital may be of two letters.
                    let upper = shown.to_uppercase();
                    written.extend((upper.to_lowercase() == shown).then(|| upper.into_bytes()));
                }
                _ => {
                    for lost in ["?", "??", "Ã¼", "\u{FFFD}"] {
                        let parts: Vec<&[u8]> = text.split(|&b| b == LOST).collect();
                        written.push(parts.join(lost.as_bytes()));
                    }
                }
            }
            for text in written {
                let found = words.begins(&text);
                assert_eq!(found.0 & uses, uses, "{}", text.escape_ascii());
            }
        }
        assert!(letters > 50, "{letters}");
        assert_eq!(
            words
                .begins("\u{a0}Von meinem iPhone gesendet".as_bytes())
                .0,
            0
        );
    }

    #[test]
    fn lost_letters() {
        let words = known();
        for title in [
            "Ursprüngliche Nachricht",
            "URSPRÜNGLICHE NACHRICHT",
            "Urspr?ngliche Nachricht",
            "Urspr??ngliche Nachricht",
            "UrsprÃ¼ngliche Nachricht",
            "Ursprungliche Nachricht",
        ] {
            assert!(words.is(title.as_bytes(), Use::Title), "{title}");
        }
        assert!(words.is(b"Urspr\xFCngliche Nachricht", Use::Title));
        assert!(!words.is(b"Urspr Nachricht", Use::Title));
        assert_eq!(words.field("Objet\u{a0}".as_bytes()), Some(Use::Subject));
        assert_eq!(words.field(b"Objet?"), Some(Use::Subject));
        assert_eq!(words.field(b"Note"), None);
        assert!(words.has_verb("Jo a écrit :".as_bytes()));
        assert!(words.has_verb(b"Jo a ?crit :"));
        assert!(!words.has_verb(b"Jo rewrote:"));
    }

    /// A row that has another form would be left out in silence.
    #[test]
    fn rows_of_the_tables() {
        for table in [include_str!("languages.txt"), include_str!("footers.txt")] {
            let rows = table
                .lines()
                .filter(|row| !row.is_empty() && !row.starts_with('#'));
            for row in rows {
                let columns: Vec<&str> = row.splitn(4, ' ').collect();
                assert!(use_of(columns[0]).is_some() && columns.len() == 4, "{row}");
                assert!(!columns[3].split('|').any(str::is_empty), "{row}");
                if matches!(
                    columns[0],
                    "device" | "via" | "dashes" | "paragraph" | "line" | "heading"
                ) {
                    let is_long = |word: &str| !word.is_ascii() || word.len() >= STEM;
                    assert!(columns[3].split('|').all(is_long), "{row}");
                }
            }
        }
    }
}
