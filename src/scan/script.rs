//! Characters beyond ASCII after a bare URL: whether it goes on.
//!
//! In scripts without spaces the prose begins right after a URL, so the bytes
//! before decide. `docs/profiles.md`, "Scripts without spaces", has the
//! evidence.

use super::boundary::could_start_url;
use super::class::{DASH_LEN, High, high, is_right_to_left};
use super::scheme;
use super::window::Window;

/// The start of `â€`: U+2000 to U+203F in UTF-8 that was read as windows-1252
/// and written as UTF-8 again.
const MANGLED: &[u8] = "â€".as_bytes();
/// U+203E after the same damage.
const MANGLED_OVERLINE: &[u8] = "â€¾".as_bytes();
/// The number of characters of a script that are searched for a URL after
/// them.
const RUN_MAX: usize = 24;

/// The state of the characters beyond ASCII in a URL that is being read.
#[derive(Clone, Copy)]
pub(super) struct Scripts {
    /// Index after the scheme and its slashes; in the rest of a URL, of its
    /// first byte.
    body: usize,
    /// Index up to which the end of the host was searched for.
    searched: usize,
    in_host: bool,
    /// Index after the last letter, digit or mark beyond ASCII.
    letter_end: usize,
    /// Index after the last one of a script without spaces.
    script_end: usize,
    /// True if the path or query holds such a script.
    taken: bool,
    /// The place of another reading.
    pub(super) choice: Option<Choice>,
}

/// A place where a script without spaces begins and a reader may hesitate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The URL goes on over it. It may end here.
    EndsAt(usize),
    /// The URL ends before it. It may go on.
    GoesOn,
}

impl Scripts {
    /// For a URL that starts at `start` and whose scheme and slashes end at
    /// `body`. In the rest of a URL on another line both are the same.
    pub(super) fn new(w: &Window<'_>, start: usize, body: usize) -> Scripts {
        Scripts {
            body,
            searched: body,
            in_host: body > start && w.bytes()[start..body].ends_with(b"//"),
            letter_end: 0,
            script_end: 0,
            taken: false,
            choice: None,
        }
    }

    /// For the other reading of a URL that ends before a script: as if its
    /// first character had been taken.
    pub(super) fn going_on(body: usize) -> Scripts {
        Scripts {
            body,
            searched: body,
            in_host: false,
            letter_end: 0,
            script_end: 0,
            taken: true,
            choice: None,
        }
    }

    /// The length of the character of `bytes` at `i`, if the URL goes on over
    /// it.
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
            High::Ends => None,
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
            High::Dash => self.dash(w, i).then_some(DASH_LEN),
            High::Overline => self.overline(w, i, DASH_LEN).then_some(DASH_LEN),
        }
    }

    /// An overline of `len` bytes before a letter is a mangled `~`.
    fn overline(&self, w: &Window<'_>, i: usize, len: usize) -> bool {
        let letter = |b: u8| b.is_ascii_alphabetic() || b >= 0x80 && letter_at(w, i + len);
        !self.host_ends(w, i) && w.at(i + len).is_some_and(letter)
    }

    /// True for the first letter beyond ASCII of a path or query, if it is one of a
    /// script that is written from right to left, right after a letter or digit of
    /// ASCII: a word of prose (`https://goo.gl/GXzbkNرات`). No word has both.
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

    /// Between letters or digits, and not before another URL.
    fn dash(&self, w: &Window<'_>, i: usize) -> bool {
        let next = i + DASH_LEN;
        let after = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 && letter_at(w, next);
        if !self.after_letter(w, i) || !w.at(next).is_some_and(after) {
            return false;
        }
        let bytes = w.slice(next, super::SCHEME_MAX + 3);
        if bytes.len() < super::SCHEME_MAX + 3 && could_start_url(bytes) {
            let _ = w.at(next + bytes.len());
        }
        !scheme::starts_url(bytes) && !self.host_ends(w, i)
    }

    /// Whether a script without spaces at `i` is part of the URL.
    fn goes_on(&mut self, w: &Window<'_>, i: usize) -> bool {
        if self.script_end == i {
            return true;
        }
        if self.in_host {
            return !(self.host_ends(w, i) || i == self.body && url_after_run(w, i));
        }
        if self.after_letter(w, i) {
            return false;
        }
        if self.taken {
            return true;
        }
        let before = &w.bytes()[self.body..i];
        match before.last() {
            Some(b'=' | b'#' | b'_' | b'?' | b'&' | b'+') => {}
            // The pages of a wiki have names; other paths end in a slash.
            Some(b'/') if before.ends_with(b"/wiki/") => {}
            Some(b'/') => {
                self.choice = Some(Choice::GoesOn);
                return false;
            }
            _ => return false,
        }
        self.choice = Some(Choice::EndsAt(i));
        true
    }

    /// Searches for the end of the host up to `i`. Each byte is examined once.
    fn leave_host(&mut self, w: &Window<'_>, i: usize) {
        let new = &w.bytes()[self.searched..i];
        self.in_host = !new.iter().any(|b| matches!(b, b'/' | b'?' | b'#'));
        self.searched = i;
    }

    /// True if `i` is in the host, right after a name with a dot whose last
    /// label is letters, and perhaps a port.
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

    /// True if a letter or digit of a script with spaces ends at `i`.
    fn after_letter(&self, w: &Window<'_>, i: usize) -> bool {
        self.letter_end == i || i > self.body && w.bytes()[i - 1].is_ascii_alphanumeric()
    }
}

/// True if a URL comes right after the letters of scripts without spaces at
/// `i`: then they are prose between two URLs (`http://またはhttps://`).
fn url_after_run(w: &Window<'_>, mut i: usize) -> bool {
    for _ in 0..RUN_MAX {
        match w.at(i) {
            Some(0x80..) => match high(super::boundary::character(w, i)) {
                High::Script(len) => i += len,
                _ => return false,
            },
            Some(_) => return super::boundary::url_follows(w, i),
            None => return false,
        }
    }
    false
}

/// True if there is a letter, digit or mark beyond ASCII at `i`.
fn letter_at(w: &Window<'_>, i: usize) -> bool {
    matches!(
        high(super::boundary::character(w, i)),
        High::Part(_) | High::Script(_)
    )
}
