//! The words that mail programs write above a quotation, and people below a letter, by language.
//!
//! They are the rows of `languages.txt`. Nothing else knows a word: the prefilter is made of the
//! same rows, so a language is added by adding rows. The beginnings of lines in `footers.txt` are
//! in the same table.
//!
//! # Letters that an archive lost
//!
//! Archives write `?` for a letter that they cannot show (`Urspr?ngliche`), programs read UTF-8
//! as Latin-1 (`UrsprÃ¼ngliche`), and people leave accents out. So a word with enough ASCII
//! letters is also known by its *outline*, in which each run of other letters is one mark.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Deref;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;

/// The use of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    From,
    Sent,
    To,
    Subject,
    Other,
    Title,
    Begin,
    By,
    End,
    Closing,
    Device,
    Own,
    Never,
    Dashes,
    Paragraph,
    Line,
    Program,
}

/// The uses for which there is one prefilter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Field,
    /// The beginnings of lines.
    Line,
    Closing,
    Other,
}

impl Use {
    fn group(self) -> Group {
        match self {
            Use::From | Use::Sent | Use::To | Use::Subject | Use::Other => Group::Field,
            Use::Device | Use::Dashes | Use::Paragraph | Use::Line => Group::Line,
            Use::Closing => Group::Closing,
            _ => Group::Other,
        }
    }

    /// The set of this use alone.
    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The uses of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uses(u32);

impl Uses {
    pub(super) fn has(self, kind: Use) -> bool {
        self.0 & kind.bit() != 0
    }
}

/// The mark for a run of letters that are not ASCII, in an outline.
const LOST: u8 = 0x1A;
/// The maximum length of a word or a phrase in bytes.
const WORD: usize = 96;
/// The room for a word in lower case. No letter grows by more than a half.
const ROOM: usize = 2 * WORD;

/// A text to which bytes are added.
trait Text: Deref<Target = [u8]> {
    /// An empty text, which will have about `len` bytes.
    fn with_room(len: usize) -> Self;
    fn push(&mut self, b: u8);
    fn pop(&mut self);
}

impl Text for Vec<u8> {
    fn with_room(len: usize) -> Vec<u8> {
        Vec::with_capacity(len)
    }

    fn push(&mut self, b: u8) {
        self.push(b);
    }

    fn pop(&mut self) {
        self.pop();
    }
}

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
}

/// The hash function of Fowler, Noll and Vo. The keys are in the program, so nobody can choose
/// ones that collide, and a table is built for each start of the program.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xCBF2_9CE4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(0x100_0000_01B3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// The words of all languages.
pub(super) struct Words {
    /// The uses of a word, in lower case or as an outline.
    uses: Map<Vec<u8>, u32>,
    /// The verbs of attributions, in the same forms.
    verbs: AhoCorasick,
    /// The beginnings of lines, by the [`stem`] of each.
    beginnings: Vec<Vec<(Use, Vec<u8>)>>,
    /// What a line of a program has, in lower case.
    programs: Vec<Vec<u8>>,
    /// Bits for the first letters of the words of each group: see [`first_letters`].
    begins: [[u64; BEGINS / 64]; 4],
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let tables = [include_str!("languages.txt"), include_str!("footers.txt")];
    Words::of(&tables.concat())
});

/// The phrases of the rows of this kind in a table.
pub(super) fn phrases(table: &'static str, kind: &str) -> Vec<&'static str> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    let mut phrases = Vec::new();
    for row in rows {
        let mut columns = row.splitn(4, ' ');
        if columns.next() == Some(kind) {
            let words = columns.nth(2).unwrap_or_default();
            phrases.extend(words.split('|').filter(|phrase| !phrase.is_empty()));
        }
    }
    phrases
}

/// The words of `languages.txt`, and the beginnings of lines in `footers.txt`.
pub(super) fn known() -> &'static Words {
    &WORDS
}

impl Words {
    /// Reads a table. A row that is none is left out.
    pub(super) fn of(table: &str) -> Words {
        let mut words = Words {
            uses: Map::default(),
            verbs: AhoCorasick::new([""; 0]).expect("an empty automaton is small"),
            beginnings: vec![Vec::new(); BEGINS],
            programs: Vec::new(),
            begins: [[0; BEGINS / 64]; 4],
        };
        let mut verbs = Vec::new();
        for row in table.lines().filter(|row| !row.starts_with('#')) {
            let mut columns = row.splitn(4, ' ');
            let kind = columns.next().unwrap_or_default();
            let phrases = columns.nth(2).unwrap_or_default();
            for phrase in phrases.split('|').filter(|phrase| !phrase.is_empty()) {
                match use_of(kind) {
                    Some(kind) => words.add(phrase, kind),
                    None if kind == "wrote" => verbs.extend(forms(phrase)),
                    None => {}
                }
            }
        }
        // This kind is built fast, and few lines are searched.
        // The expect cannot fail: some hundred short words are far below the limits.
        words.verbs = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::NoncontiguousNFA))
            .build(verbs)
            .expect("some hundred words are below the limits");
        words
    }

    fn add(&mut self, phrase: &str, kind: Use) {
        if kind == Use::Program {
            self.programs.push(lower(phrase.as_bytes()));
            return;
        }
        for form in forms(phrase) {
            self.mark(kind.group(), first_letters(&form));
            if form.len() < 3 {
                // The blank after a short word may be one that is not ASCII.
                self.mark(kind.group(), first_letters(&[&form[..], &[LOST]].concat()));
            }
            match kind {
                Use::Device | Use::By | Use::Dashes | Use::Paragraph | Use::Line => {
                    self.beginnings[stem(&form)].push((kind, form));
                }
                _ => *self.uses.entry(form).or_default() |= kind.bit(),
            }
        }
    }

    /// Adds the bit of [`first_letters`] to those of a group.
    fn mark(&mut self, group: Group, bit: usize) {
        self.begins[group as usize][bit / 64] |= 1 << (bit % 64);
    }

    /// The uses of a word or phrase.
    pub(super) fn uses(&self, word: &[u8]) -> Uses {
        if word.len() > WORD {
            return Uses(0);
        }
        let lower: Short = lower(word);
        if let Some(&uses) = self.uses.get(&lower[..]) {
            return Uses(uses);
        }
        if !has_lost(&lower) {
            return Uses(0);
        }
        let uses = self.uses.get(&outline::<Short>(&lower)[..]);
        Uses(uses.copied().unwrap_or(0))
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
        let fields = [Use::From, Use::Sent, Use::Subject, Use::To, Use::Other];
        fields.into_iter().find(|field| uses.has(*field))
    }

    /// True if the line has the verb of an attribution as a word of its own.
    pub(super) fn has_verb(&self, line: &[u8]) -> bool {
        let lower: Vec<u8> = lower(line);
        let has = |text: &[u8]| {
            let is_letter = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
            self.verbs.find_overlapping_iter(text).any(|verb| {
                let before = verb.start().checked_sub(1).and_then(|i| text.get(i));
                let is_word = text[verb.start()].is_ascii_alphanumeric() && is_letter(before);
                let ends = text[verb.end() - 1].is_ascii_alphanumeric();
                !(is_word || ends && is_letter(text.get(verb.end())))
            })
        };
        has(&lower) || has_lost(&lower) && has(&outline::<Vec<u8>>(&lower))
    }

    /// The uses of the phrases that the text begins with: `Sent from my phone`.
    pub(super) fn begins(&self, text: &[u8]) -> Uses {
        let rows = &self.beginnings[stem(text)];
        if !rows.iter().any(|row| may_begin_with(text, &row.1)) {
            return Uses(0);
        }
        let text: Short = lower(&text[..text.len().min(WORD)]);
        let outline = if has_lost(&text) {
            outline(&text)
        } else {
            Short::with_room(0)
        };
        let mut uses = 0;
        for (kind, beginning) in rows {
            let rest = text.strip_prefix(&beginning[..]);
            let rest = rest.or_else(|| outline.strip_prefix(&beginning[..]));
            let is_letter = beginning.last().is_some_and(u8::is_ascii_alphanumeric);
            let goes_on = |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_alphanumeric);
            if rest.is_some_and(|rest| !is_letter || !goes_on(rest)) {
                uses |= kind.bit();
            }
        }
        Uses(uses)
    }

    /// True if the text begins with a phrase of this use.
    pub(super) fn begins_with(&self, text: &[u8], kind: Use) -> bool {
        self.begins(text).has(kind)
    }

    /// True if the line of a phone or a program has the name or the page of a program: `Get
    /// Outlook for iOS`.
    pub(super) fn names_program(&self, line: &[u8]) -> bool {
        let line: Vec<u8> = lower(line);
        let has = |program: &Vec<u8>| memmem::find(&line, program).is_some();
        self.programs.iter().any(has)
    }

    /// A prefilter: false if no word of the group begins here.
    #[inline]
    pub(super) fn may_begin(&self, text: &[u8], group: Group) -> bool {
        let bit = first_letters(text);
        self.begins[group as usize][bit / 64] & 1 << (bit % 64) != 0
    }

    /// A prefilter for [`begins`](Words::begins).
    #[inline]
    pub(super) fn may_begin_line(&self, text: &[u8]) -> bool {
        self.may_begin(text, Group::Line) && !self.beginnings[stem(text)].is_empty()
    }
}

fn use_of(kind: &str) -> Option<Use> {
    Some(match kind {
        "from" => Use::From,
        "sent" => Use::Sent,
        "to" => Use::To,
        "subject" => Use::Subject,
        "other" => Use::Other,
        "title" => Use::Title,
        "begin" => Use::Begin,
        "by" => Use::By,
        "end" => Use::End,
        "closing" => Use::Closing,
        "device" => Use::Device,
        "self" => Use::Own,
        "never" => Use::Never,
        "dashes" => Use::Dashes,
        "paragraph" => Use::Paragraph,
        "line" => Use::Line,
        "program" => Use::Program,
        _ => return None,
    })
}

/// The forms in which a phrase is known.
fn forms(phrase: &str) -> Vec<Vec<u8>> {
    let lower: Vec<u8> = lower(phrase.as_bytes());
    let letters = lower.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let lost = lower.iter().filter(|&&b| b & 0xC0 == 0xC0).count();
    let mut forms = vec![lower];
    if lost > 0 && letters >= 3 && letters >= lost {
        forms.push(outline(&forms[0]));
        let lower = String::from_utf8_lossy(&forms[0]);
        let plain: String = lower.chars().map(without_accent).collect();
        if plain.is_ascii() {
            forms.push(plain.into_bytes());
        }
    }
    forms
}

/// The letter without its accent, if it is a letter of ASCII then.
fn without_accent(letter: char) -> char {
    match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' | 'ă' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ė' | 'ě' => 'e',
        'ğ' => 'g',
        'ì' | 'í' | 'î' | 'ï' | 'ı' => 'i',
        'ł' | 'ľ' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' => 's',
        'ť' | 'ț' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ů' | 'ű' | 'ų' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        '’' => '\'',
        letter => letter,
    }
}

/// A prefilter: false if the first word of `beginning`, in lower case, is not that of the text.
/// Nearly all lines are told apart here, before a copy is made. A letter that was lost, or that
/// is not ASCII, may be any.
fn may_begin_with(text: &[u8], beginning: &[u8]) -> bool {
    for (b, wanted) in text.iter().zip(beginning) {
        if !wanted.is_ascii_alphanumeric() || !b.is_ascii() || matches!(*b, b'?' | LOST) {
            return true;
        }
        if b.to_ascii_lowercase() != *wanted {
            return false;
        }
    }
    true
}

/// The text in lower case, with one blank for blanks, and `'` for `’`. A byte that is no UTF-8
/// stays.
fn lower<T: Text>(text: &[u8]) -> T {
    let mut lower = T::with_room(text.len());
    if text.is_ascii() {
        for b in text {
            if !b.is_ascii_whitespace() {
                lower.push(b.to_ascii_lowercase());
            } else if lower.last() != Some(&b' ') {
                lower.push(b' ');
            }
        }
        if lower.last() == Some(&b' ') {
            lower.pop();
        }
        return lower;
    }
    for chunk in text.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                // The dot of the Turkish capital is no letter of its own.
                '\u{307}' => {}
                'İ' => lower.push(b'i'),
                '’' => lower.push(b'\''),
                _ if letter.is_whitespace() => {
                    if lower.last() != Some(&b' ') {
                        lower.push(b' ');
                    }
                }
                _ if letter.is_ascii() => lower.push(letter.to_ascii_lowercase() as u8),
                _ => {
                    for letter in letter.to_lowercase() {
                        let mut bytes = [0; 4];
                        for &b in letter.encode_utf8(&mut bytes).as_bytes() {
                            lower.push(b);
                        }
                    }
                }
            }
        }
        for &b in chunk.invalid() {
            lower.push(b);
        }
    }
    if lower.last() == Some(&b' ') {
        lower.pop();
    }
    lower
}

/// True if the outline of the text differs from it.
fn has_lost(text: &[u8]) -> bool {
    text.iter().any(|&b| b == b'?' || !b.is_ascii())
}

/// The outline of a text in lower case.
fn outline<T: Text>(lower: &[u8]) -> T {
    let mut outline = T::with_room(lower.len());
    for &b in lower {
        if b == b'?' || !b.is_ascii() {
            if outline.last() != Some(&LOST) {
                outline.push(LOST);
            }
        } else {
            outline.push(b);
        }
    }
    outline
}

/// The number of values of [`first_letters`].
const BEGINS: usize = 1 << 12;
/// What follows fewer than three letters: a letter that is not ASCII or was lost, or the end.
const LETTER: usize = 7;
const END: usize = 3;

/// A number for the first three letters of a text, up to one that is not ASCII.
#[inline]
fn first_letters(text: &[u8]) -> usize {
    let mut number = 0;
    for i in 0..3 {
        let letter = match text.get(i) {
            Some(&b) if b.is_ascii_alphanumeric() => usize::from(b | 0x20),
            Some(b'?' | &LOST | 0x80..) => return then(number, LETTER),
            _ => return then(number, END),
        };
        number = then(number, letter);
    }
    number
}

/// The number of bytes of a beginning in [`stem`]. No beginning is shorter.
const STEM: usize = 8;

/// A number for the first bytes of a text, in lower case, up to one that is not ASCII.
fn stem(text: &[u8]) -> usize {
    let mut number = 0;
    for i in 0..STEM {
        let letter = match text.get(i) {
            Some(b'?' | &LOST | 0x80..) => return then(number, LETTER),
            Some(b) if b.is_ascii_whitespace() => usize::from(b' '),
            Some(b) => usize::from(b.to_ascii_lowercase()),
            None => END,
        };
        number = then(number, letter);
    }
    number
}

#[inline]
fn then(number: usize, letter: usize) -> usize {
    (number * 131 + letter) & (BEGINS - 1)
}

#[cfg(test)]
mod tests {
    use super::super::attribution::{Strength, strength};
    use super::super::blocks::{Above, length};
    use super::*;

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
        let words = Words::of(ROWS);
        let block = "Wëken: Jo\nZand: 3 5 2021 10:00\nOrn: x\n\ntext";
        let lost = block.replace('ë', "?");
        for block in [block, &lost] {
            let found = length(block.as_bytes(), Above::Nothing, &words);
            assert_eq!(found, block.find("\ntext"), "{block}");
            assert_eq!(length(block.as_bytes(), Above::Nothing, known()), None);
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
        assert!(words.may_begin_line(b"zand va mi phone"));
        assert!(!words.may_begin_line(b"zand vi other"));
        assert!(!begins("Other words", Group::Field));
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
                let is_kind = use_of(columns[0]).is_some()
                    || matches!(columns[0], "wrote" | "rule" | "short" | "list" | "scanner");
                assert!(is_kind && columns.len() == 4, "{row}");
                assert!(!columns[3].split('|').any(str::is_empty), "{row}");
                if matches!(columns[0], "device" | "dashes" | "paragraph" | "line") {
                    let is_long = |word: &str| !word.is_ascii() || word.len() >= STEM;
                    assert!(columns[3].split('|').all(is_long), "{row}");
                }
            }
        }
    }
}
