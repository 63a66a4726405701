//! The tables of words, made of the rows of `languages.txt` and `footers.txt`.

use std::collections::BTreeMap;

use super::letters::{Group, LOST, NUMBERS, Use, first_letters, hash, lower, outline, stem, three};

/// Texts by a number, and the set of the uses of each.
#[derive(Default)]
pub(super) struct Table(BTreeMap<(usize, Vec<u8>), u32>);

impl Table {
    fn add(&mut self, number: usize, text: Vec<u8>, kind: Use) {
        *self.0.entry((number, text)).or_default() |= kind.bit();
    }

    /// The row at which the texts of each number begin.
    pub(super) fn heads(&self) -> Vec<u16> {
        let mut heads = vec![0; NUMBERS + 1];
        for (number, _) in self.0.keys() {
            heads[number + 1] += 1;
        }
        for i in 0..NUMBERS {
            heads[i + 1] += heads[i];
        }
        heads
    }

    /// The place of each text in [`text`](Table::text), and its uses. The last row is the end.
    pub(super) fn rows(&self) -> Vec<(u32, u32)> {
        let mut at = 0;
        let mut rows = Vec::new();
        for ((_, text), uses) in &self.0 {
            rows.push((at, *uses));
            at += text.len() as u32;
        }
        rows.push((at, 0));
        rows
    }

    /// By number, the uses of all texts that have it.
    pub(super) fn uses(&self) -> Vec<u32> {
        let mut all = vec![0; NUMBERS];
        for ((number, _), uses) in &self.0 {
            all[*number] |= uses;
        }
        all
    }

    /// All texts.
    pub(super) fn text(&self) -> Vec<u8> {
        let texts = self.0.keys().flat_map(|(_, text)| text);
        texts.copied().collect()
    }
}

/// All tables.
pub(super) struct Tables {
    /// Words by the [`hash`] of each.
    pub(super) words: Table,
    /// Beginnings of lines by the [`stem`] of each.
    pub(super) beginnings: Table,
    /// Phrases that may stand anywhere in a line, by the first three bytes of each.
    pub(super) phrases: Table,
    /// By [`first_letters`], the groups of the words that begin with them.
    pub(super) begins: Vec<u8>,
}

impl Tables {
    /// Reads rows. One that is none is left out.
    pub(super) fn of(rows: &str) -> Tables {
        let mut tables = Tables {
            words: Table::default(),
            beginnings: Table::default(),
            phrases: Table::default(),
            begins: vec![0; NUMBERS],
        };
        for row in rows.lines().filter(|row| !row.starts_with('#')) {
            let mut columns = row.splitn(4, ' ');
            let kind = columns.next().and_then(use_of);
            let phrases = columns.nth(2).unwrap_or_default();
            if let Some(kind) = kind {
                for phrase in phrases.split('|').filter(|phrase| !phrase.is_empty()) {
                    tables.add(phrase, kind);
                }
            }
        }
        tables
    }

    fn add(&mut self, phrase: &str, kind: Use) {
        let forms = match kind {
            // These are searched for in text whose letters of ASCII are in lower case.
            Use::Rule | Use::Short | Use::List | Use::Scanner => vec![phrase.as_bytes().to_vec()],
            Use::Program => vec![lower(phrase.as_bytes())],
            _ => forms(phrase),
        };
        for form in forms {
            if is_phrase(kind) {
                let first = three([form[0], form[1], form[2]]);
                self.phrases.add(first, form, kind);
                continue;
            }
            let group = group_of(kind).bit();
            self.begins[first_letters(&form)] |= group;
            if form.len() < 3 {
                // The blank after a short word may be one that is not ASCII.
                let before_blank = first_letters(&[&form[..], &[LOST]].concat());
                self.begins[before_blank] |= group;
            }
            match kind {
                Use::Device
                | Use::Via
                | Use::By
                | Use::Dashes
                | Use::Paragraph
                | Use::Line
                | Use::Heading => {
                    self.beginnings.add(stem(&form), form, kind);
                }
                _ => self.words.add(hash(&form), form, kind),
            }
        }
    }
}

/// True for words that may stand anywhere in a line.
fn is_phrase(kind: Use) -> bool {
    let is_footer = matches!(kind, Use::Rule | Use::Short | Use::List | Use::Scanner);
    is_footer || kind == Use::Notice || matches!(kind, Use::Wrote | Use::Program)
}

/// The group of the words that have this use.
fn group_of(kind: Use) -> Group {
    match kind {
        Use::From | Use::Sent | Use::Date | Use::To | Use::Subject | Use::Other => Group::Field,
        Use::Device | Use::Via | Use::Dashes | Use::Paragraph | Use::Line | Use::Heading => {
            Group::Line
        }
        Use::Closing | Use::Farewell => Group::Closing,
        Use::Postscript => Group::Postscript,
        Use::Journey | Use::Afterthought | Use::Credit => Group::Rare,
        _ => Group::Other,
    }
}

pub(super) fn use_of(kind: &str) -> Option<Use> {
    Some(match kind {
        "from" => Use::From,
        "sent" => Use::Sent,
        "date" => Use::Date,
        "to" => Use::To,
        "subject" => Use::Subject,
        "other" => Use::Other,
        "title" => Use::Title,
        "begin" => Use::Begin,
        "above" => Use::Above,
        "by" => Use::By,
        "end" => Use::End,
        "closing" => Use::Closing,
        "farewell" => Use::Farewell,
        "device" => Use::Device,
        "via" => Use::Via,
        "self" => Use::Own,
        "postscript" => Use::Postscript,
        "never" => Use::Never,
        "journey" => Use::Journey,
        "afterthought" => Use::Afterthought,
        "credit" => Use::Credit,
        "dashes" => Use::Dashes,
        "paragraph" => Use::Paragraph,
        "line" => Use::Line,
        "heading" => Use::Heading,
        "program" => Use::Program,
        "wrote" => Use::Wrote,
        "rule" => Use::Rule,
        "short" => Use::Short,
        "list" => Use::List,
        "scanner" => Use::Scanner,
        "notice" => Use::Notice,
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
