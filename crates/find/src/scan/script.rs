//! Decides whether a bare URL continues over a character beyond ASCII.
//!
//! In scripts without spaces, prose begins directly after a URL. So the bytes
//! before the script decide. `docs/profiles.md`, "Scripts without spaces", has
//! the evidence.

mod pairs;

use super::domain;
use super::leader::skip_quotes;
use super::rejoin::after_break;
use super::scheme;
use super::typeset::{self, HYPHEN_LEN};
use super::window::Window;
use crate::text::class::{CLASS, Class, DASH_LEN, High, high, is_break, is_right_to_left, is_stop};
use crate::text::extension::is_extension;
use pairs::bracketed;
pub(super) use pairs::parenthesis;

/// The beginning of a mangled character from U+2000 to U+203F. Its UTF-8 was
/// read as windows-1252 and written as UTF-8 again.
const MANGLED: &[u8] = "â€".as_bytes();
/// U+203E, mangled in the same way.
const MANGLED_OVERLINE: &[u8] = "â€¾".as_bytes();
/// U+FF5E.
const TILDE: &[u8] = "～".as_bytes();
/// The maximum number of characters of a script that are skipped in the search
/// for a URL after them.
const RUN_MAX: usize = 24;

/// The state of the search for the end of a URL with characters beyond ASCII.
#[derive(Clone, Copy)]
pub(super) struct Scripts {
    /// Index after the scheme and its slashes. For the rest of a URL, the index
    /// of its first byte.
    body: usize,
    /// Index up to which the end of the host was searched for.
    searched: usize,
    in_host: bool,
    /// No slashes follow the scheme, as in `mailto:`.
    is_address: bool,
    /// Index after the last letter, digit or mark beyond ASCII.
    letter_end: usize,
    /// Index after the last character of a script without spaces.
    script_end: usize,
    /// Index after the last brackets that were taken as a whole.
    bracket_end: usize,
    /// Index of the quotation mark that closes a title.
    quote_end: usize,
    /// True if the path or query contains a script without spaces.
    taken: bool,
    /// True if the URL is the target of a link of Markdown: `[x](http://a.example/b)`.
    is_target: bool,
    /// Index of what shows that the letters before it are part of the URL.
    sure_to: usize,
    /// The place at which another reading differs.
    pub(super) choice: Option<Choice>,
    /// A hyphen of a typesetter or an invisible character was taken.
    pub(super) is_typeset: bool,
}

/// A place where a script without spaces begins and a reader may hesitate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The chosen reading continues over the script. The other reading ends at
    /// this index.
    EndsAt(usize),
    /// The chosen reading ends before the script. The other reading continues.
    GoesOn,
    /// The chosen reading ends before an invisible character of this many bytes. The other
    /// reading continues after it.
    Over(usize),
}

impl Scripts {
    /// For a URL that starts at `start`. `body` is the index after its scheme
    /// and slashes. For the rest of a URL on another line the two are the same.
    pub(super) fn new(w: &Window<'_>, start: usize, body: usize) -> Scripts {
        Scripts {
            body,
            searched: body,
            in_host: body > start && w.bytes()[start..body].ends_with(b"//"),
            is_address: body > start && w.bytes()[start..body].ends_with(b":"),
            letter_end: 0,
            script_end: 0,
            bracket_end: 0,
            quote_end: 0,
            taken: false,
            is_target: body > start && w.bytes()[..start].ends_with(b"]("),
            sure_to: 0,
            choice: None,
            is_typeset: false,
        }
    }

    /// For the other reading of a URL that ends before a script. The script
    /// counts as already accepted.
    pub(super) fn going_on(body: usize) -> Scripts {
        Scripts {
            body,
            searched: body,
            in_host: false,
            is_address: false,
            letter_end: 0,
            script_end: 0,
            bracket_end: 0,
            quote_end: 0,
            taken: true,
            is_target: false,
            sure_to: 0,
            choice: None,
            is_typeset: false,
        }
    }

    /// The length of the character of `bytes` at `i`. `None` if the URL ends
    /// before it.
    pub(super) fn take(&mut self, w: &Window<'_>, i: usize, bytes: &[u8]) -> Option<usize> {
        if self.in_host {
            self.leave_host(w, i);
        }
        if bytes.starts_with(&MANGLED[..2]) && w.has_word(i, MANGLED) {
            let len = MANGLED_OVERLINE.len();
            let overline = w.has_word(i, MANGLED_OVERLINE) && self.overline(w, i, len);
            return overline.then_some(len);
        }
        match high(bytes) {
            High::Ends if self.in_host => None,
            High::Ends => self.take_mark(w, i, bytes),
            High::Part(_) if self.is_glued(w, i, bytes) => {
                self.choice = Some(Choice::GoesOn);
                None
            }
            High::Part(len) => {
                self.letter_end = i + len;
                Some(len)
            }
            High::Script(len) => self.goes_on(w, i).then(|| {
                self.letter_end = i + len;
                self.script_end = i + len;
                self.taken |= !self.in_host;
                len
            }),
            High::Inside(len) | High::Arrow(len) if self.in_host => {
                (!self.is_host_whole(w, i) && host_goes_on(w, i + len)).then_some(len)
            }
            High::Arrow(_) => None,
            High::Inside(len) => goes_on_after(w, i + len).then_some(len),
            High::Hyphen => {
                let is_part = self.typeset_hyphen(w, i);
                self.is_typeset |= is_part;
                is_part.then_some(HYPHEN_LEN)
            }
            High::Invisible(len) => self.invisible(w, i, len).then_some(len),
            High::East(len) | High::EastStop(len)
                if self.script_end == i && letter_at(w, i + len) =>
            {
                let goes_on = self.in_host || matches!(high(bytes), High::East(_));
                self.script_end += if goes_on { len } else { 0 };
                goes_on.then_some(len)
            }
            High::East(len) if self.is_mark_of_host(w, i, len) => {
                self.letter_end = i + len;
                Some(len)
            }
            High::East(len) if !self.in_host && is_wide_tilde(w, i, bytes) => Some(len),
            High::EastStop(len) if self.is_dot_of_host(w, i, bytes) => {
                self.letter_end = i + len;
                Some(len)
            }
            High::East(_) | High::EastStop(_) => None,
            High::Dash => self.dash(w, i).then_some(DASH_LEN),
            High::Overline => self.overline(w, i, DASH_LEN).then_some(DASH_LEN),
        }
    }

    /// True if an overline of `len` bytes at `i` comes before a letter. Then it
    /// is a mangled `~`.
    fn overline(&self, w: &Window<'_>, i: usize, len: usize) -> bool {
        let letter = |b: u8| b.is_ascii_alphabetic() || b >= 0x80 && letter_at(w, i + len);
        !self.host_ends(w, i) && w.at(i + len).is_some_and(letter)
    }

    /// True if prose begins at `i` directly after an ASCII letter or digit
    /// (`https://goo.gl/GXzbkNرات`) that does not end an escape. The place `i`
    /// must be after the host. The letter at `i` must be the first beyond ASCII
    /// in the URL. Its script must be written from right to left. No word mixes
    /// such a script with ASCII.
    fn is_glued(&self, w: &Window<'_>, i: usize, bytes: &[u8]) -> bool {
        let before = &w.bytes()[self.body..i];
        let escape = before.len() > 2 && before[before.len() - 3] == b'%';
        !self.in_host
            && !self.taken
            && self.letter_end == 0
            && before.last().is_some_and(u8::is_ascii_alphanumeric)
            && !escape
            && is_right_to_left(bytes)
    }

    /// True if the full stop of Chinese or Japanese at `i` is a dot of the host: `http://a．example/`.
    ///
    /// > Whenever dots are used as label separators, the following characters MUST be recognized as
    /// > dots: U+002E (full stop), U+3002 (ideographic full stop), U+FF0E (fullwidth full stop),
    /// > U+FF61 (halfwidth ideographic full stop). (RFC 3490 section 3.1)
    ///
    /// In prose it ends a sentence, so the host before it must not be whole, and the rest of one must
    /// follow.
    fn is_dot_of_host(&self, w: &Window<'_>, i: usize, bytes: &[u8]) -> bool {
        let dots = ["\u{3002}", "\u{FF0E}", "\u{FF61}"];
        self.in_host
            && dots.iter().any(|dot| bytes.starts_with(dot.as_bytes()))
            && self.after_letter(w, i)
            && !domain::is_whole(domain::host(&w.bytes()[self.body..i]))
            && rest_of_host_follows(w, i + dots[0].len())
    }

    /// True if the dash is between letters or digits, and not before another
    /// URL.
    fn dash(&self, w: &Window<'_>, i: usize) -> bool {
        let next = i + DASH_LEN;
        let after = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 && letter_at(w, next);
        if !self.after_letter(w, i) || !w.at(next).is_some_and(after) {
            return false;
        }
        !scheme::starts_at(w, next) && !self.host_ends(w, i)
    }

    /// True if the hyphen of a typesetter at `i` is part of the URL: it is between letters or
    /// digits, or ends the line. A whole host ends before it, unless more of it follows.
    fn typeset_hyphen(&self, w: &Window<'_>, i: usize) -> bool {
        let next = i + HYPHEN_LEN;
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 && letter_at(w, next);
        let goes_on = w.at(next).is_some_and(|b| is_break(b) || is_letter(b));
        if !self.after_letter(w, i) || !goes_on || scheme::starts_at(w, next) {
            return false;
        }
        let is_whole = self.in_host && domain::is_whole(domain::host(&w.bytes()[self.body..i]));
        !is_whole || host_goes_on(w, next) || host_goes_on_below(w, next)
    }

    /// True if the invisible character of `len` bytes at `i` is taken out, because it stands
    /// between bytes of the URL and only lets a line break there. U+00AD, the soft hyphen, does
    /// so anywhere. The others do so after a separator, and anywhere in the text of HTML, but not
    /// after a whole host, where a word of the text may follow. If it is not taken out, the URL ends
    /// before it, and the other reading is that it goes on. Several in a row are as one.
    fn invisible(&mut self, w: &Window<'_>, i: usize, len: usize) -> bool {
        const ROW_MAX: usize = 4;
        let mut next = i + len;
        for _ in 0..ROW_MAX {
            let High::Invisible(len) = high(w.character(next)) else {
                break;
            };
            next += len;
        }
        let goes_on = |b: u8| b.is_ascii_alphanumeric() || b"/.-_?&=%~+#".contains(&b);
        if !w.at(next).is_some_and(goes_on) || scheme::starts_at(w, next) {
            return false;
        }
        let mut shown = &w.bytes()[..i];
        for _ in 0..ROW_MAX {
            let before = typeset::before_invisible(shown);
            shown = &shown[..before];
        }
        let is_soft_hyphen = &w.bytes()[i..i + len] == "\u{AD}".as_bytes();
        let is_letter = w.at(next).is_some_and(|b| b.is_ascii_alphanumeric());
        // In a page the host may be cut anywhere: `http://www.b.ex&#8203;ample.com`.
        let is_whole = if w.is_page {
            let host = domain::host(&shown[self.body.min(shown.len())..]);
            self.in_host && domain::is_whole(host) && !host_goes_on(w, next)
        } else {
            self.host_ends(w, shown.len())
        };
        let is_end = is_whole && is_letter;
        let is_after_mark = shown.last().is_some_and(|b| b"/.-_?&=".contains(b));
        if is_soft_hyphen || (is_after_mark || w.is_page) && !is_end {
            self.is_typeset = true;
            return true;
        }
        if self.choice.is_none() && is_letter && i > self.body {
            self.choice = Some(Choice::Over(next - i));
        }
        false
    }

    /// Whether a script without spaces at `i` is part of the URL.
    fn goes_on(&mut self, w: &Window<'_>, i: usize) -> bool {
        if self.script_end == i {
            return true;
        }
        if self.in_host {
            let ends = self.host_ends(w, i) && (self.is_host_whole(w, i) || !host_goes_on(w, i));
            return !(ends || i == self.body && url_after_run(w, i));
        }
        // What follows brackets directly is a word of the prose: `/wiki/BTS_(그룹)도`.
        if self.bracket_end == i && url_goes_on(w, i).is_none() {
            self.choice = self.choice.or(Some(Choice::GoesOn));
            return false;
        }
        let before = &w.bytes()[self.body..i];
        let after_letter = self.after_letter(w, i) && !ends_in_escape(before);
        if i < self.sure_to || self.taken && !after_letter {
            return true;
        }
        if self.taken && self.is_same_word(w, i) {
            return true;
        }
        if let Some(to) = self.more_follows(w, i) {
            self.choice = self.choice.or(Some(Choice::EndsAt(i)));
            self.taken = true;
            self.sure_to = to;
            return true;
        }
        if after_letter {
            self.note_end(before);
            return false;
        }
        match before.last() {
            Some(b'=' | b'#' | b'_' | b'?' | b'&' | b'+') => {}
            // Wiki pages have names in such scripts, and so may the path after such a
            // host. Other paths end at the slash.
            Some(b'/') if before.ends_with(b"/wiki/") || self.script_end > 0 => {}
            Some(b':') if is_wiki_name(before) => {}
            // An address, whose `@` follows, or its domain.
            None | Some(b'@') if self.is_address => return true,
            Some(b'.') if self.is_address && self.script_end + 1 == i => return true,
            Some(b'/') => {
                self.choice = Some(Choice::GoesOn);
                return false;
            }
            _ => {
                self.note_end(before);
                return false;
            }
        }
        self.choice = Some(Choice::EndsAt(i));
        true
    }

    /// Notes that the URL, whose text after the scheme is `before`, may go on with the letters at
    /// its end: the name of a page or a word of a query may have them (`/2024年`). A host is whole,
    /// and punctuation at the end belongs to the prose.
    fn note_end(&mut self, before: &[u8]) {
        let has_path = before.iter().any(|b| b"/?#".contains(b));
        let is_prose = before.last().is_some_and(|b| b".,:;!?'*~|([{".contains(b));
        // A number before such letters is more often counted by them than the end of the URL.
        let is_number = before.last().is_some_and(u8::is_ascii_digit);
        if (self.choice.is_none() || is_number) && has_path && !is_prose {
            self.choice = Some(Choice::GoesOn);
        }
    }

    /// The index up to which the URL goes on in the same word at `i`, if more of an ASCII URL follows
    /// there, or the bracket that closes the target of a link.
    fn more_follows(&mut self, w: &Window<'_>, i: usize) -> Option<usize> {
        if self.is_target {
            // Without the bracket it is not searched for again.
            self.is_target = false;
            if let Some(close) = target_end(w, i) {
                return Some(close);
            }
        }
        url_goes_on(w, i)
    }

    /// True if letters of a script without spaces stand before `i` in the same name of the path or
    /// in the same value: `/wiki/平成30年`. After the name of a file prose begins.
    fn is_same_word(&self, w: &Window<'_>, i: usize) -> bool {
        if self.script_end <= self.body {
            return false;
        }
        let between = &w.bytes()[self.script_end..i];
        let dot = memchr::memrchr(b'.', between);
        let is_file = dot.is_some_and(|dot| is_extension(&between[dot + 1..]));
        !is_file && !between.iter().any(|b| b"/?&=#,;:!".contains(b))
    }

    /// Searches for the end of the host up to `i`. Each byte is examined once.
    fn leave_host(&mut self, w: &Window<'_>, i: usize) {
        let new = &w.bytes()[self.searched..i];
        self.in_host = !new.iter().any(|b| matches!(b, b'/' | b'?' | b'#'));
        self.searched = i;
    }

    /// True if `i` is in the host, directly after a name whose last label has
    /// only letters. The name must have a dot, and a port may follow it.
    fn host_ends(&self, w: &Window<'_>, i: usize) -> bool {
        const LABEL_MAX: usize = 63;
        const PORT_MAX: usize = 6;
        if !self.in_host {
            return false;
        }
        let host = &w.bytes()[self.body..i];
        let tail = |bytes: &[u8], of: fn(&u8) -> bool, max| {
            bytes.iter().rev().take(max).take_while(|b| of(b)).count()
        };
        let digits = tail(host, u8::is_ascii_digit, PORT_MAX);
        let name = match host[..host.len() - digits].strip_suffix(b":") {
            Some(name) => name,
            None => host,
        };
        let letters = tail(name, u8::is_ascii_alphabetic, LABEL_MAX);
        let before = name[..name.len() - letters].strip_suffix(b".");
        letters > 0
            && before.is_some_and(|labels| {
                let last = labels.last();
                last.is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'-' || b >= 0x80)
            })
    }

    /// True if a whole host ends at `i`, after which a symbol is of the text. A name whose last label is
    /// no top-level domain is not whole: `https://www.i❤rust.org/`.
    fn is_host_whole(&self, w: &Window<'_>, i: usize) -> bool {
        if !self.host_ends(w, i) {
            return false;
        }
        let host = &w.bytes()[self.body..i];
        let digits = host.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let name = &host[..host.len() - digits];
        let name = name.strip_suffix(b":").unwrap_or(host);
        let last = &name[memchr::memrchr(b'.', name).map_or(0, |at| at + 1)..];
        domain::is_top(last) || last == b"example"
    }

    /// True if the mark of Chinese or Japanese of `len` bytes at `i` is inside of a host:
    /// `https://www.a々b.jp`.
    fn is_mark_of_host(&self, w: &Window<'_>, i: usize, len: usize) -> bool {
        self.in_host
            && self.after_letter(w, i)
            && !self.is_host_whole(w, i)
            && host_goes_on(w, i + len)
    }

    /// True if a letter or digit ends at `i`, or a mark beyond ASCII.
    fn after_letter(&self, w: &Window<'_>, i: usize) -> bool {
        self.letter_end == i || i > self.body && w.bytes()[i - 1].is_ascii_alphanumeric()
    }
}

/// True for the wide tilde of Japanese at `i` before the name of a user: `http://a.example/～ida/`.
fn is_wide_tilde(w: &Window<'_>, i: usize, bytes: &[u8]) -> bool {
    let next = i + TILDE.len();
    bytes.starts_with(TILDE)
        && w.bytes()[..i].ends_with(b"/")
        && w.at(next).is_some_and(|b| b.is_ascii_alphabetic())
}

/// True if `before` ends with an escape (`%20`), whose digits are no letters of the text.
fn ends_in_escape(before: &[u8]) -> bool {
    matches!(before, [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// True if `before` ends with the namespace of a wiki page: `/wiki/Wikipedia:`.
fn is_wiki_name(before: &[u8]) -> bool {
    const SLASH: &[u8] = b"/wiki/";
    let start = memchr::memmem::rfind(before, SLASH).map(|at| at + SLASH.len());
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b":_-".contains(b);
    start.is_some_and(|start| before[start..].iter().all(is_name))
}

/// True if the rest of a host follows at `i`: a top-level domain, or a label before another dot or
/// a path.
fn rest_of_host_follows(w: &Window<'_>, i: usize) -> bool {
    const LABEL_MAX: usize = 63;
    let is_label = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    let mut end = i;
    while end - i < LABEL_MAX && w.at(end).is_some_and(is_label) {
        end += 1;
    }
    if end == i {
        return false;
    }
    match w.at(end) {
        Some(b'/') => true,
        Some(b'.') => w.at(end + 1).is_some_and(|b| b.is_ascii_alphanumeric()),
        _ => domain::is_top(w.slice(i, end - i)),
    }
}

/// True if more of a host follows at `i`: a label and a dot.
fn host_goes_on(w: &Window<'_>, i: usize) -> bool {
    const LABEL_MAX: usize = 63;
    let is_label = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || !b.is_ascii();
    let label = w.until(i, LABEL_MAX + 1, |b| !is_label(b));
    label.end == Some(b'.')
        && w.at(i + label.text.len() + 1)
            .is_some_and(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
}

/// True if the line ends at `i`, and the next one begins with more of a host.
fn host_goes_on_below(w: &Window<'_>, i: usize) -> bool {
    if !w.at(i).is_some_and(is_break) {
        return false;
    }
    let below = skip_quotes(w, after_break(w, i));
    w.at(below).is_some_and(|b| b.is_ascii_alphanumeric())
        && !scheme::url_follows(w, below)
        && host_goes_on(w, below)
}

/// The maximum number of bytes of a script and what follows it in a word.
const WORD_MAX: usize = 256;

/// The index after the letters of a script without spaces at `i`, if more of an ASCII URL follows in
/// the same word: a path (`/list`), the name of a file (`.pdf`), a parameter or an escape.
fn url_goes_on(w: &Window<'_>, i: usize) -> Option<usize> {
    let mut at = i;
    // A segment of a path that only has such letters is followed by one that may too. After a letter
    // they may be two words of prose: `/b产品/服务`.
    let begins_segment = i > 0 && w.bytes()[i - 1] == b'/';
    // The last dot with ASCII before and after it.
    let mut name = None;
    while at - i < WORD_MAX {
        let Some(b) = w.at(at) else {
            break;
        };
        if !b.is_ascii() {
            // Prose goes on after the name of a file.
            let file = name.filter(|&name| is_extension(w.slice(name, at - name)));
            if file.is_some() {
                w.count(at - i);
                return file;
            }
            match high(w.character(at)) {
                High::Script(len) | High::Part(len) | High::East(len) => at += len,
                High::Ends if at > i => match bracketed(w, at, w.character(at)) {
                    Some(len) => at += len,
                    None => break,
                },
                _ => break,
            }
            name = None;
            continue;
        }
        let next = |n: usize| w.at(at + n).is_some_and(|b| b.is_ascii_alphanumeric());
        match b {
            b':' if w.at(at + 1) == Some(b'/') => return None,
            b'/' if next(1) || begins_segment && letter_at(w, at + 1) => {
                return Some(at);
            }
            b'%' if w
                .at(at + 1)
                .zip(w.at(at + 2))
                .is_some_and(|(a, b)| a.is_ascii_hexdigit() && b.is_ascii_hexdigit()) =>
            {
                return Some(at);
            }
            b'?' | b'&' if is_parameter(w, at + 1) => return Some(at),
            b'.' => name = Some(at + 1),
            _ if !matches!(
                CLASS[b as usize],
                Class::Plain | Class::Mark | Class::Open | Class::Close
            ) =>
            {
                break;
            }
            _ => {}
        }
        at += 1;
    }
    w.count(at - i);
    let word = name.map_or(&[][..], |name| w.slice(name, at - name));
    let len = word
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    let is_end = word[len..].iter().all(|b| b".,;:!?)]}'".contains(b));
    name.filter(|_| is_end && is_extension(&word[..len]))
}

/// The index of the bracket that closes the target of a link, with the letters at `i` in it. A title
/// may follow the target.
fn target_end(w: &Window<'_>, i: usize) -> Option<usize> {
    let target = w.until(i, WORD_MAX, |b| is_stop(b) || b"()".contains(&b));
    let end = i + target.text.len();
    let is_end = match target.end {
        Some(b')') => true,
        Some(b' ') => w.at(end + 1) == Some(b'"'),
        _ => false,
    };
    is_end.then_some(end)
}

/// True if the name of a parameter and its equals sign begin at `at`.
fn is_parameter(w: &Window<'_>, at: usize) -> bool {
    let rest = w.slice(at, WORD_MAX / 4);
    let is_of_name = |b: &&u8| b.is_ascii_alphanumeric() || !b.is_ascii();
    let len = rest.iter().take_while(is_of_name).count();
    len > 0 && w.at(at + len) == Some(b'=')
}

/// True if a URL continues at `i`, after a symbol or a mark: a letter, a digit or a sign of
/// URLs follows, after at most [`RUN_MAX`] other marks (UTS #58: a soft character ends
/// the URL if no other follows it).
fn goes_on_after(w: &Window<'_>, mut i: usize) -> bool {
    if scheme::starts_at(w, i) {
        return false;
    }
    for _ in 0..RUN_MAX {
        match w.at(i) {
            Some(0x80..) => match high(w.character(i)) {
                High::Part(_) | High::Script(_) => return true,
                High::Inside(len) => i += len,
                _ => return false,
            },
            Some(b) if b.is_ascii_alphanumeric() || b"/&=%#+-_".contains(&b) => return true,
            Some(b'.' | b',' | b';' | b':' | b'!' | b'?') => i += 1,
            _ => return false,
        }
    }
    false
}

/// True if a URL directly follows the letters of scripts without spaces at `i`.
/// Then the letters are prose between two URLs (`http://またはhttps://`).
fn url_after_run(w: &Window<'_>, mut i: usize) -> bool {
    for _ in 0..RUN_MAX {
        match w.at(i) {
            Some(0x80..) => match high(w.character(i)) {
                High::Script(len) => i += len,
                _ => return false,
            },
            Some(_) => return scheme::url_follows(w, i),
            None => return false,
        }
    }
    false
}

/// True if there is a letter or mark beyond ASCII of a script with spaces at `i`.
pub(super) fn is_word_at(w: &Window<'_>, i: usize) -> bool {
    w.at(i).is_some_and(|b| !b.is_ascii()) && matches!(high(w.character(i)), High::Part(_))
}

/// True if there is a letter, digit or mark beyond ASCII at `i`.
pub(super) fn letter_at(w: &Window<'_>, i: usize) -> bool {
    matches!(high(w.character(i)), High::Part(_) | High::Script(_))
}
