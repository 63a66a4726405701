//! Shapes of single lines that begin a quotation, a signature or a footer.

use memchr::{memchr_iter, memchr2_iter, memmem};

use super::HEAD;
use super::blocks;
use super::boxes;
use super::language::{self, Group, Use};
use super::quote_marks::{WIDE, begins_angles, has_initials};

/// The lines around a signature of PGP (RFC 4880 section 6.2).
pub(super) const ARMOR: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
pub(super) const ARMOR_END: &[u8] = b"-----END PGP SIGNATURE-----";

/// A prefilter. If it returns false, no signature, footer or box begins on the line.
/// `first` is the first byte after the indent.
#[inline]
pub(super) fn may_have_shape(line: &[u8], first: u8) -> bool {
    if first == b'>' {
        // A quoted line has no other shape.
        return false;
    }
    // Asked first, because marks before a word are searched for to their end.
    let may_be_rule = line.len() >= RULE && line[0] == first && line[..2] == line[2..4];
    if may_be_rule {
        return true;
    }
    let may_begin = match first {
        b'|' | b':' | b'-' | b'_' | b'+' | b'=' | b'~' | b'.' | b'*' => begins_shape(line, first),
        // Nearly all lines that go on with a sentence begin with a small letter, and are longer
        // than a line that closes a letter.
        b'a'..=b'z' => begins_shape(line, first) || begins_end(line),
        b'A'..=b'Z' => begins_shape(line, first) || begins_end(line),
        b'?' | 0x80.. => begins_end(line),
        _ => false,
    };
    may_begin
        || !first.is_ascii_alphanumeric()
            && (begins_rule(line) || boxes::is_edge(line) || boxes::is_short_rule(line))
        || may_name_message(line)
}

/// As [`may_have_shape`], for the shapes that quote text or are a footer wherever they stand: a
/// title, a pasted header, a mark, and the notice about an attachment. `line` has at least one
/// byte.
#[inline]
pub(super) fn may_quote(line: &[u8], first: u8) -> bool {
    match first {
        b'|' | b':' => true,
        b'-' | b'_' => {
            let text = line.trim_ascii_start();
            matches!(text, [_, b'-' | b'_' | b' ' | b'~', ..]) || begins_line(line)
        }
        b'a'..=b'z' => line.len() < CLOSING_LINE && begins_line(line),
        b'A'..=b'Z' => {
            begins_line(line) || is_scrubbed(line.trim_ascii_start()) || has_initials(line)
        }
        b'*' => begins_line(line) || is_origin(line),
        b'<' => begins_line(line) || begins_angles(line),
        b'?' => begins_line(line),
        b'[' => is_note(line),
        b'#' => line.trim_ascii_start().starts_with(b"##-"),
        0x80.. => {
            begins_line(line)
                || has_initials(line)
                || line.trim_ascii_start().starts_with(WIDE)
                || has_page_of_outlook(line)
        }
        _ => false,
    }
}

/// As [`may_quote`], for the shapes that are known by the end of the line.
#[inline]
pub(super) fn may_end_quotation(line: &[u8]) -> bool {
    may_name_message(line) || may_have_page_of_outlook(line)
}

/// The last bytes of lines that an attribution, or one of [`may_end_quotation`], may have before
/// the line feed.
static ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        ends[b] =
            matches!(byte, b':' | b'*' | b'_' | b'.' | b'>' | 0x80..) || byte.is_ascii_whitespace();
        b += 1;
    }
    ends
};

/// A prefilter: false if the end of the line shows nothing. Nearly all lines end otherwise.
#[inline]
pub(super) fn may_end(line: &[u8]) -> bool {
    match line {
        [.., last, b'\n'] if line.len() <= HEAD => ENDS[usize::from(*last)],
        _ => true,
    }
}

/// True if [`names_message`] may be true. Any word may begin that line, so its end is tested
/// first, with LF or CR LF.
#[inline]
fn may_name_message(line: &[u8]) -> bool {
    let may_name = line.len() > 3 && line[line.len() - 3] == b'.';
    may_name && names_message(line.trim_ascii_end())
}

/// True if the line has the page from which Outlook for phones is loaded, or Mail for Windows: its
/// words need not be known. `Get Outlook for iOS<https://aka.ms/o0ukef>`. Other pages of the same
/// server end the line.
pub(super) fn has_page_of_outlook(line: &[u8]) -> bool {
    memchr::memchr_iter(b'<', line).any(|at| is_page_of_outlook(&line[at..]))
}

/// As [`has_page_of_outlook`], for a line that ends in its page, or in a letter of a language whose
/// letters are not ASCII. Most lines end otherwise.
#[inline]
fn may_have_page_of_outlook(line: &[u8]) -> bool {
    // Before LF or CR LF, or blanks.
    let is_end = |b: u8| (b == b'>') | !b.is_ascii();
    let [.., a, b, c] = *line else {
        return false;
    };
    (is_end(a) | is_end(b) | is_end(c)) && has_page_of_outlook(line)
}

/// True if the text begins with such a page in brackets.
#[inline]
fn is_page_of_outlook(text: &[u8]) -> bool {
    const WINDOWS: &[u8] = b"<https://go.microsoft.com/fwlink/?LinkId=550986>";
    const PHONES: [&[u8]; 5] = [b"o0ukef", b"ghei36", b"AAb9ysg", b"qtex0l", b"weboutlook"];
    let Some(rest) = text.strip_prefix(b"<https://") else {
        return false;
    };
    let Some(page) = rest.strip_prefix(b"aka.ms/") else {
        return text.starts_with(WINDOWS);
    };
    let is_known = |name: &&[u8]| {
        page.strip_prefix(*name)
            .is_some_and(|r| r.starts_with(b">"))
    };
    page.trim_ascii_end().ends_with(b">") || PHONES.iter().any(is_known)
}

/// True if a line of a program or of a footer, or the field of a header, may begin on the line.
#[inline]
fn begins_line(line: &[u8]) -> bool {
    let (words, text) = (language::known(), without_marks(line));
    let groups = words.groups(text);
    // Nearly all lines begin with other letters.
    groups & (Group::Line.bit() | Group::Field.bit()) != 0
        && (groups & Group::Line.bit() != 0 && words.may_begin_line(text)
            || groups & Group::Field.bit() != 0 && blocks::has_colon(line))
}

/// True if the line may close a letter, or be that of a program.
#[inline]
fn begins_end(line: &[u8]) -> bool {
    let (words, text) = (language::known(), without_marks(line));
    let groups = words.groups(text);
    groups & (Group::Line.bit() | Group::Closing.bit()) != 0
        && (groups & Group::Closing.bit() != 0 && line.len() < CLOSING_LINE
            || groups & Group::Line.bit() != 0 && words.may_begin_line(text))
}

/// The line without its indent, and the marks of bold text and of lists before its first word.
#[inline]
fn without_marks(line: &[u8]) -> &[u8] {
    match line.first() {
        Some(b) if b.is_ascii_alphanumeric() => line,
        _ => trim_marks(line),
    }
}

fn trim_marks(line: &[u8]) -> &[u8] {
    let is_mark = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'*' | b'_' | b'-');
    let marks = line.iter().take_while(|b| is_mark(b)).count();
    let line = &line[marks..];
    if line.first().is_none_or(u8::is_ascii) {
        return line;
    }
    for mark in ["•", "·", "\u{a0}", "\u{3000}"] {
        if let Some(line) = line.strip_prefix(mark.as_bytes()) {
            return line.trim_ascii_start();
        }
    }
    line
}

/// The line without its line feed. A program that signs a message puts `- ` before a dash (RFC
/// 4880 section 7.1).
#[inline]
pub(super) fn bare(line: &[u8]) -> &[u8] {
    let bare = line.strip_suffix(b"\n").unwrap_or(line);
    let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
    match bare {
        // `=20` is a blank in quoted-printable, which no header declared.
        b"- -- " | b"--=20" => b"-- ",
        b"- --" => b"--",
        bare => bare,
    }
}

/// True if `text` begins with `word`, in upper or lower case.
pub(super) fn begins(text: &[u8], word: &[u8]) -> bool {
    let start = text.get(..word.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(word))
}

#[inline]
fn begins_shape(line: &[u8], first: u8) -> bool {
    let text = || line.trim_ascii_start();
    let begins_one = match first {
        b'|' | b':' => true,
        b'-' | b'_' => {
            matches!(text(), [_, b'-' | b'_' | b' ' | b'~', ..])
                || is_stamp(line)
                || begins_end(line)
        }
        b'+' => line.starts_with(b"+++ ") || is_stamp(line),
        b'=' | b'~' | b'.' => is_stamp(line),
        b'*' => begins_end(line) || is_stamp(line),
        b'A' => is_scrubbed(text()),
        b'B' | b'b' => begins(text(), b"begin "),
        b'h' => is_list_page(line),
        b'P' | b'p' => begins(text(), b"posted "),
        b'S' | b's' => begins(text(), b"sent "),
        _ => false,
    };
    begins_one || first.is_ascii_uppercase() && has_initials(line)
}

/// A line that closes a letter is shorter than this number of bytes.
pub(super) const CLOSING_LINE: usize = 64;

/// True if the line closes a letter: `Yours,`, `Best regards`. A signature may
/// follow it.
pub(super) fn is_closing(line: &[u8]) -> bool {
    closes(line, &[Use::Closing])
}

/// True if the line closes a letter with the name after it: `Thanks,`.
pub(super) fn is_farewell(line: &[u8]) -> bool {
    closes(line, &[Use::Closing, Use::Farewell])
}

fn closes(line: &[u8], uses: &[Use]) -> bool {
    const MARKS: [&[u8]; 7] = [
        b",",
        b".",
        b"!",
        b"*",
        b"_",
        "，".as_bytes(),
        "。".as_bytes(),
    ];
    if line.len() >= CLOSING_LINE {
        return false;
    }
    let mut word = without_marks(line).trim_ascii();
    if !language::known().may_begin(word, Group::Closing) {
        return false;
    }
    let without_mark = |text: &[u8]| {
        let mut marks = MARKS.iter();
        let rest = marks.find_map(|mark| text.strip_suffix(*mark));
        rest.map(|rest| rest.trim_ascii_end().len())
    };
    if word.is_ascii() {
        let found = language::known().uses_without(word, without_mark);
        return uses.iter().any(|&kind| found.has(kind));
    }
    loop {
        let found = language::known().uses(word);
        if uses.iter().any(|&kind| found.has(kind)) {
            return true;
        }
        match without_mark(word) {
            Some(len) => word = &word[..len],
            None => return false,
        }
    }
}

/// True if the line begins a note: `[1] http://…`, `[*] …`.
pub(super) fn is_note(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    matches!(text, [b'[', b'0'..=b'9' | b'*', b']', ..])
}

/// The first word of the line, with the mark after it. The colon and the comma of Chinese have no
/// blank after them.
fn first_word(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_start();
    let end = line.iter().position(u8::is_ascii_whitespace);
    let word = &line[..end.unwrap_or(line.len())];
    if word.first().is_none_or(u8::is_ascii) {
        return word;
    }
    let ends = ["：", "，"].map(|mark| {
        let at = memmem::find(word, mark.as_bytes());
        at.map_or(word.len(), |at| at + mark.len())
    });
    &word[..ends[0].min(ends[1])]
}

/// True if the line begins an addition after a letter: `PS: …`, or a note.
pub(super) fn is_postscript(line: &[u8]) -> bool {
    let word = first_word(line);
    let bare = word.strip_suffix("：".as_bytes()).unwrap_or(word);
    let marks = bare
        .iter()
        .rev()
        .take_while(|b| matches!(b, b':' | b'.' | b')'));
    let bare = &bare[..bare.len() - marks.count()];
    let words = language::known();
    if !words.may_begin(word, Group::Postscript) {
        return is_note(line);
    }
    let is_known = |word: &[u8]| words.is(word, Use::Postscript);
    is_note(line) || is_known(bare) || is_known(word)
}

/// As [`is_postscript`], with a mark after the word. A signature may have the word as a name.
pub(super) fn begins_addition(line: &[u8]) -> bool {
    let word = first_word(line);
    let has_mark =
        matches!(word.last(), Some(b':' | b'.' | b')')) || word.ends_with("：".as_bytes());
    is_note(line) || has_mark && is_postscript(line)
}

/// The maximum number of words of an afterthought's beginning: `One more thing`.
const AFTERTHOUGHT: usize = 4;

/// True if the line begins like a sentence that people add below their name: `Oh, and …`.
pub(super) fn is_afterthought(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    if !language::known().may_begin(line, Group::Rare) {
        return false;
    }
    let blanks = memchr::memchr_iter(b' ', line).take(AFTERTHOUGHT);
    let wide = ["，", "、"].map(|mark| memmem::find(line, mark.as_bytes()));
    let mut ends = blanks.chain(wide.into_iter().flatten());
    ends.any(|end| {
        let words = &line[..end];
        let marks = [",", ":", "،"].map(str::as_bytes);
        let shorter = marks.iter().find_map(|mark| words.strip_suffix(*mark));
        let words = shorter.unwrap_or(words);
        language::known().is(words, Use::Afterthought)
    })
}

/// True if the line stands above the name of who made something: `Photos by`.
pub(super) fn is_credit(line: &[u8]) -> bool {
    const WORDS: usize = 3;
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    if !language::known().may_begin(line, Group::Rare) {
        return false;
    }
    let is_known = |word: &[u8]| language::known().is(word, Use::Credit);
    words.next().is_some_and(is_known) && words.count() < WORDS && !holds_url(line)
}

/// The minimum length of a rule. A rule consists of one repeated byte, such as
/// `_`, or of two alternating marks, such as `-.-.-.`.
const RULE: usize = 20;

/// True if the line is a rule.
pub(super) fn is_rule(line: &[u8]) -> bool {
    // Fast path: nearly all lines have words.
    if line.len() < RULE || line[..2] != line[2..4] {
        return false;
    }
    let line = line.trim_ascii_end();
    let [first, second, ..] = *line else {
        return false;
    };
    let is_mark = |b: &u8| matches!(b, b'-' | b'_' | b'=' | b'.' | b'*' | b'~' | b'+');
    line.len() >= RULE
        && line[2..] == line[..line.len() - 2]
        && (first == second || [first, second].iter().all(is_mark))
}

/// True if the line is a rule without letters or digits.
pub(super) fn is_rule_of_marks(line: &[u8]) -> bool {
    is_rule(line) && !line[0].is_ascii_alphanumeric()
}

/// A prefilter: false if no footer begins on the line. The page of a list begins one only if it
/// begins a paragraph.
pub(super) fn may_begin_footer(line: &[u8], begins_paragraph: bool) -> bool {
    let first = line.iter().copied().find(|b| !b.is_ascii_whitespace());
    match first {
        Some(b'-' | b'_' | b'=' | b'*' | b'~' | b'+' | b'.' | b'|') => true,
        Some(b'P' | b'p' | b'S' | b's') => is_stamp(line) || is_rule(line),
        Some(b'h') => begins_paragraph && is_list_page(line) || is_rule(line),
        _ => is_rule(line) || begins_rule(line),
    }
}

/// A prefilter: false if no rule and no line `-- ` is at the start of the text.
#[inline]
pub(super) fn may_be_rule(text: &[u8]) -> bool {
    matches!(
        text,
        [
            b'-' | b'_' | b'=' | b'*' | b'~' | b'+' | b'.',
            b'-' | b'_' | b'=' | b'*' | b'~' | b'.',
            ..
        ]
    )
}

/// True if the line begins with a rule, which may have an indent: `-----| `, above a frame.
pub(super) fn begins_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let rule = &line[..line.len().min(RULE)];
    rule.len() == RULE && rule.iter().all(|b| *b == rule[0]) && rule[0].is_ascii_punctuation()
}

/// True if the line begins as a sentence does, and has no columns.
pub(super) fn is_sentence(line: &[u8]) -> bool {
    let begins = line
        .first()
        .is_some_and(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
    begins && memmem::find(line, b"   ").is_none() && !line.contains(&b'\t')
}

/// True if the line is the address of a page of Mailman, and nothing else.
pub(super) fn is_list_page(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_page = line.starts_with(b"http") && memmem::find(line, b"/listinfo/").is_some();
    is_page && !line.contains(&b' ')
}

/// True if the line names the provider that sent the message: `-----== Posted
/// via Deja News ==-----`, `Sent via Deja.com http://www.deja.com/`.
pub(super) fn is_stamp(line: &[u8]) -> bool {
    const VERBS: [&[u8]; 2] = [b"posted ", b"sent "];
    const WORDS: [&[u8]; 4] = [b"via ", b"from ", b"using ", b"through "];
    /// The marks before the line.
    static MARKS: [bool; 256] = {
        let mut marks = [false; 256];
        let mut b = 0;
        while b < 128 {
            marks[b] = matches!(
                b as u8,
                b'-' | b'=' | b'*' | b'+' | b'~' | b'_' | b'|' | b'.' | b' ' | b'\t'
            );
            b += 1;
        }
        marks
    };
    let is_text = |b: &u8| !MARKS[usize::from(*b)];
    let text = &line[line.iter().position(is_text).unwrap_or(line.len())..];
    // Nearly all lines that come here begin with another letter: list items, and patches.
    if !matches!(text.first(), Some(b'P' | b'p' | b'S' | b's')) {
        return false;
    }
    let verb = VERBS.iter().find(|verb| begins(text, verb));
    let rest = verb.map(|verb| &text[verb.len()..]);
    rest.is_some_and(|rest| WORDS.iter().any(|word| begins(rest, word)))
        && !begins_device(text)
        && !introduces_page(text)
}

/// True if a program signed with the name of a device: `Sent from my phone`.
pub(super) fn names_device(line: &[u8]) -> bool {
    begins_device(line) && !introduces_page(line)
}

fn begins_device(line: &[u8]) -> bool {
    language::known().begins_with(line, Use::Device)
}

/// True for a sentence that names a page after a colon: `Sent from my sister in Oslo: https://…`. A
/// phone and a provider have their page in brackets, or without a colon.
fn introduces_page(line: &[u8]) -> bool {
    memmem::find(line, b": http").is_some()
}

/// True if the text may contain a URL.
pub(super) fn holds_url(text: &[u8]) -> bool {
    memchr2_iter(b':', b'.', text).any(|at| match text[at] {
        b':' => text[at + 1..].starts_with(b"//"),
        _ => text[..at].ends_with(b"www"),
    })
}

/// True if the text may contain the URL of an address.
pub(super) fn holds_mailto(text: &[u8]) -> bool {
    memchr_iter(b':', text).any(|at| text[..at].ends_with(b"mailto"))
}

/// True if the text is the beginning of the footer of a list after a line `--`. Most such
/// lines begin a signature, which may have the words of a footer, too.
pub(super) fn begins_footer(line: &[u8]) -> bool {
    language::known().begins_with(line, Use::Dashes)
}

/// True if the line is an attribution by Outlook Express or Google, or the end of one:
/// `"Jo" <jo@a.example> wrote in message news:1@a.example...`, also on two lines, of which the
/// second may begin with `message`.
pub(super) fn names_message(line: &[u8]) -> bool {
    if !line.ends_with(b"...") {
        return false;
    }
    memmem::rfind(line, b"news:").is_some_and(|at| {
        let (before, id) = line.split_at(at);
        let before = before.trim_ascii_start();
        let words = language::known();
        let is_named = before.is_empty() || words.has_verb(before) || words.ends_verb(before);
        is_named && id.contains(&b'@') && !id.iter().any(u8::is_ascii_whitespace)
    })
}

/// True if the line begins with a word and a colon, such as `Von: ` or `DeÂ : `.
pub(super) fn names_field(line: &[u8]) -> bool {
    const NAME: usize = 24;
    let line = line.trim_ascii();
    let colon = line.iter().take(NAME).position(|&b| b == b':');
    colon.is_some_and(|colon| colon > 0 && !line[colon + 1..].starts_with(b"//"))
}

/// True for the line that programs of Fidonet write below a message: ` * Origin: Harbour BBS
/// (2:240/5)`.
pub(super) fn is_origin(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"* Origin: ") && line.ends_with(b")")
}

/// True for the first line of the box in which Lotus Notes 5 and 6 name the sender of the text
/// below: `|---------+---------->`.
pub(super) fn begins_box(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"|---") && line.ends_with(b"-->") && line.contains(&b'+')
}

/// True for the line that ends such a box, and its first part: `>--------------|`.
pub(super) fn ends_box(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b">---") && line.ends_with(b"--|")
}

/// True if the line says that an attachment was removed.
pub(super) fn is_scrubbed(line: &[u8]) -> bool {
    line.starts_with(b"A") && line.trim_ascii_end().ends_with(b" was scrubbed...")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The lines for which `test` is true.
    pub(in crate::mime::role) fn those<'l>(
        test: impl Fn(&[u8]) -> bool,
        lines: &[&'l str],
    ) -> Vec<&'l str> {
        let holds = |line: &&&str| test(line.as_bytes());
        lines.iter().filter(holds).copied().collect()
    }

    #[test]
    fn shapes_of_lines() {
        let rules = [
            "____________________",
            "-.-.-.-.-.-.-.-.-.-.-.-\r\n",
            "=-=-=-=-=-=-=-=-=-=-",
        ];
        assert_eq!(those(is_rule, &rules), rules);
        let none = [
            "___________________",
            "abababababababababab",
            "--------------------.-",
            "-",
        ];
        assert_eq!(those(is_rule, &none), [""; 0]);

        let stamps = [
            "-----------== Posted via Deja News, The Discussion Network ==----------",
            "Sent via Deja.com http://www.deja.com/",
            "  -**** Posted from remarQ, Discussions Start Here(tm) ****-",
            "-= Posted using GrabIt =-",
        ];
        assert_eq!(those(is_stamp, &stamps), stamps);
        let none = [
            "I posted via Deja",
            "> Sent via Deja.com",
            "Sent by me",
            "posted",
        ];
        assert_eq!(those(is_stamp, &none), [""; 0]);

        assert!(is_scrubbed(b"A non-text attachment was scrubbed..."));
        assert!(!is_scrubbed(b"It was scrubbed"));
    }
}
