//! The first question to a line end: is there any reason to join?
//!
//! The last byte of the URL decides which reasons count. Each function takes one kind of URL or of
//! last byte, and answers for that alone.

use super::rest::{
    begins_as_no_prose, ends_in_blank, ends_parameter, has_dot, is_path, is_signature,
    names_message,
};
use super::{Break, Evidence, FULL, LONG};
use crate::scan::doi::{ends_doi_prefix, has_doi_prefix, names_doi};
use crate::scan::domain;
use crate::text::extension::{ends_file, is_extension, is_suffix, stem};
use crate::text::records;
use crate::text::schemes;
use crate::text::words::{has_digit, is_number, is_prose};

impl Break<'_> {
    /// True if the next line begins as no prose does. A host has no escape, a `&` goes on with
    /// a query, and a full stop before the line end may be that of a sentence.
    pub(super) fn goes_on_as_no_prose(&self, last: u8, first: u8) -> bool {
        begins_as_no_prose(self.word)
            && (last.is_ascii_alphanumeric() || b"/=-_+~%&".contains(&last))
            && match first {
                b'&' => self.query,
                b'%' => self.query || !self.in_host,
                _ => true,
            }
            && !self.is_deeper
    }

    pub(super) fn by_last_byte(&self, last: u8, first: u8) -> Evidence {
        use Evidence::{None, Plain, Weak};
        let word = self.word;
        if self.is_deeper && (self.in_host || !self.is_alone() || !ends_file(word)) {
            return None;
        }
        if completes_hash(self.url, word) || self.is_in_target() {
            return Plain;
        }
        if let Some(evidence) = self.by_host(last, first) {
            return evidence;
        }
        if first == b'#' {
            return self.before_fragment(last);
        }
        let prose = || is_prose(word);
        let path = || is_path(word);
        let when = |sure, evidence| if sure { Plain } else { evidence };
        if self.in_host && last == b'-' {
            return when(is_rest_of_host(word), None);
        }
        if let Some(evidence) = self.by_doi(last) {
            return evidence;
        }
        if ends_in_blank(self.url) && first.is_ascii_alphanumeric() {
            return Weak;
        }
        if self.closes && !matches!(last, b'.' | b';') {
            return self.before_bracket(last);
        }
        // The next line has only an extension: `…/elopetestimplementation` and
        // `.zip`.
        if first == b'.' && last.is_ascii_alphanumeric() && is_extension(&word[1..]) {
            return when(self.width >= LONG, None);
        }
        match last {
            // A URL does not end in these bytes: `...&url=http%3A%2F%`,
            // `...?a=1&`. A `;` here ends `&amp;`, because other URLs that end
            // in `;` are complete.
            b';' => when(first.is_ascii_alphanumeric(), None),
            b'%' | b'&' => when(first.is_ascii_alphanumeric() || first == b'%', None),
            b'\'' | b'*' | b'|' => None,
            b'?' => when(word.contains(&b'=') && path(), None),
            // Without a query this is a soft break of quoted-printable.
            b'=' if !self.query && first.is_ascii_alphanumeric() && !prose() => Weak,
            b'=' if !self.query || first == b'.' => None,
            b'=' => when(!prose() || self.is_alone() && self.width >= LONG, None),
            b'-' if !first.is_ascii_alphanumeric() || self.url.ends_with(b"--") => None,
            b'-' => when(!prose() || self.is_title(last), Weak),
            b'.' => when(
                self.width + 10 >= LONG
                    && (is_extension(stem(word))
                        || (ends_file(word) || has_dot(word) && path()) && !self.names_file()),
                None,
            ),
            b'/' => self.after_slash(first),
            b'_' if prose() => None,
            b'_' => when(path() || self.is_alone(), Weak),
            b'~' | b'+' => when(path() || !prose() && self.is_full(), Weak),
            _ => self.in_a_word(first),
        }
    }

    /// Weighs a break after a slash, which many URLs end in.
    fn after_slash(&self, first: u8) -> Evidence {
        use Evidence::{None, Plain, Weak};
        let word = self.word;
        // A `&` goes on with a query, and there is none.
        if first == b'/' || first == b'&' && !self.query {
            return None;
        }
        // No prose begins with a question mark: `…/bugs/` and `?66512`.
        if ends_file(word) || !self.query && is_question(word) {
            return Plain;
        }
        if is_pair(word) && !self.is_alone() {
            return None;
        }
        if (self.width >= LONG || self.is_too_wide()) && is_path(word) {
            return Plain;
        }
        let is_file = || self.is_alone() && is_numbered(word);
        if self.is_full() || self.is_rewrapped || is_file() {
            Weak
        } else {
            None
        }
    }

    /// True if a sentence begins with the name of a file: `setup.py has to be changed`. In the name
    /// of an archive each part is an extension (`tar.gz`).
    fn names_file(&self) -> bool {
        let first = self.word.split(|&b| b == b'.').next();
        self.prose_follows() && !self.word.contains(&b'/') && !first.is_some_and(is_extension)
    }

    /// True if the URL is the target of a reference of reStructuredText, and the next line is indented
    /// more. Then it belongs to the target ("Hyperlink Targets"): `.. _name: http://a.example/b/`.
    fn is_in_target(&self) -> bool {
        let text = self.before.trim_ascii_start();
        let indent = self.before.len() - text.len();
        text.starts_with(b".. _")
            && text.trim_ascii_end().ends_with(b":")
            && self.indent.len() > indent
            && self.is_alone()
    }

    /// The evidence of a word before the bracket that closes around the URL.
    fn before_bracket(&self, last: u8) -> Evidence {
        let is_prose = is_prose(self.word);
        // The name of a file is whole: `…/picture.jpg` and `left)`.
        let is_whole_file = ends_file(self.url) && stem(self.url).len() == self.url.len();
        if is_whole_file && is_prose {
            return Evidence::None;
        }
        // A number is a whole segment: `…/job/24989126404` and `atlas)`.
        let segment = self.url.rsplit(|&b| b == b'/').next();
        let whole = || segment.is_some_and(is_number);
        let cut = !last.is_ascii_alphanumeric() || self.width >= LONG && !whole();
        if cut || !is_prose {
            Evidence::Plain
        } else {
            Evidence::Weak
        }
    }

    /// The evidence of a next line that begins with `#`. Of 22 such lines none went on with a URL,
    /// but for the place of a message in public-inbox and for URLs of several lines.
    fn before_fragment(&self, last: u8) -> Evidence {
        let alone = self.is_alone();
        if last == b'/' && names_message(self.word) || self.chained && alone {
            return Evidence::Plain;
        }
        let may_end = last.is_ascii_alphanumeric() || last == b'/';
        if may_end && alone && self.width >= LONG {
            Evidence::Weak
        } else {
            Evidence::None
        }
    }

    /// The evidence of a host that a line end may have cut. `None` if the host does not
    /// decide.
    fn by_host(&self, last: u8, first: u8) -> Option<Evidence> {
        if !self.in_host {
            return None;
        }
        let body = schemes::slashes(self.url).map_or(0, |at| at + 3);
        let host = domain::host(&self.url[body..]);
        let name = host.strip_suffix(b".").unwrap_or(host);
        let rest = domain::host(self.word);
        let is_whole = domain::is_whole(name);
        if last == b'.' {
            let after = self.word.get(rest.len());
            let is_top = is_common_top(rest)
                || !is_whole && domain::is_top(rest) && matches!(after, Some(b'/' | b':'));
            let goes_on = !name.is_empty() && (is_top || !is_whole && domain::is_whole(rest));
            return goes_on.then_some(Evidence::Plain);
        }
        let is_label = !name.contains(&b'.') && !name.eq_ignore_ascii_case(b"localhost");
        if first == b'.' && is_label && domain::is_whole(&rest[1..]) || self.completes_www() {
            return Some(Evidence::Plain);
        }
        // An address of IPv4 is whole too.
        let is_address = name
            .split(|&b| b == b'.')
            .filter(|part| is_number(part))
            .count()
            == 4;
        let is_whole = is_whole || is_address && !name.iter().any(u8::is_ascii_alphabetic);
        // A letter would make it another host.
        let is_longer = last.is_ascii_alphanumeric() && first.is_ascii_alphanumeric();
        (is_whole && is_longer && name.len() == host.len()).then_some(Evidence::None)
    }

    /// True if the URL ends with the beginning of `www`, and the next line has the rest of a host:
    /// `http://ww` and `w.a.example/b`.
    pub(super) fn completes_www(&self) -> bool {
        let body = schemes::slashes(self.url).map_or(0, |at| at + 3);
        let (name, rest) = (&self.url[body..], domain::host(self.word));
        let split = 4usize.checked_sub(name.len()).filter(|_| self.in_host);
        let start = split.filter(|&at| (2..4).contains(&at) && rest.len() > at);
        start.is_some_and(|at| {
            let www = [name, &rest[..at]].concat();
            www.eq_ignore_ascii_case(b"www.") && domain::is_whole(&rest[at..])
        })
    }

    /// The evidence of a DOI that ends after its prefix, or in a full stop. A DOI has a suffix
    /// (ISO 26324, "DOI name"). `None` for other URLs.
    fn by_doi(&self, last: u8) -> Option<Evidence> {
        let word = self.word;
        let has_sign = word.iter().any(|b| b"._()-".contains(b)) && !is_prose(word);
        match last {
            b'/' if names_doi(self.url) && word.starts_with(b"10.") && word.contains(&b'/') => {
                Some(Evidence::Plain)
            }
            b'/' if ends_doi_prefix(self.url) => {
                let is_suffix = has_digit(word) || has_sign;
                Some(if is_suffix {
                    Evidence::Plain
                } else {
                    Evidence::Weak
                })
            }
            b'.' if has_doi_prefix(self.url) => Some(if self.goes_on_with_doi() {
                Evidence::Plain
            } else if has_digit(word) && self.is_alone() {
                Evidence::Weak
            } else {
                Evidence::None
            }),
            _ => None,
        }
    }

    /// True if the next line goes on with a DOI that ends in a full stop: its word has more digits
    /// than the volume of a journal or the number of an edition (`2nd`, `12(3)`, `3.5`).
    pub(super) fn goes_on_with_doi(&self) -> bool {
        let word = self.word;
        let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
        if self.is_number_of_article() {
            return true;
        }
        let is_suffix = !is_number(word) && !word.iter().any(|b| b";(,".contains(b));
        is_suffix && (digits > 3 || has_dot(word) && self.is_alone())
    }

    /// True if the DOI ends in the volume of a journal and a full stop, and the next line is the number
    /// of an article, which journals without pages have: `JPSJ.87.` and `014701`.
    fn is_number_of_article(&self) -> bool {
        const DIGITS: usize = 6;
        let volume = self.url.strip_suffix(b".").unwrap_or_default();
        let digits = volume.iter().rev().take_while(|b| b.is_ascii_digit());
        let name = &volume[..volume.len() - digits.count()];
        name.len() < volume.len()
            && name.ends_with(b".")
            && self.word.len() == DIGITS
            && is_number(self.word)
            && self.is_alone()
    }

    /// Weighs a break after a letter or a digit.
    fn in_a_word(&self, first: u8) -> Evidence {
        use Evidence::{None, Plain, Weak};
        let word = self.word;
        let broken = self.is_full() && self.is_alone();
        let prose = is_prose(word);
        let in_query = self.chained && self.query && word.iter().any(|b| b"&=".contains(b));
        // A quotation that was wrapped twice has a short line between two long
        // lines: `…/main/java`, `/f`, `iji/plugin/trackmate/`.
        let slashes = word.iter().filter(|&&b| b == b'/').count();
        let rewrapped = self.chained && self.is_alone() && slashes > 1;
        if self.width < LONG && !in_query && !rewrapped {
            return None;
        }
        // Prose does not begin with these bytes.
        let path = is_path(word);
        if matches!(first, b'/' | b'?' | b'&' | b'=' | b'%') {
            let sure = match first {
                b'?' | b'&' => {
                    let parameter = first == b'&' && word.contains(&b'=');
                    self.is_alone() || parameter && self.query && self.width >= *FULL.start()
                }
                b'/' => {
                    path && !is_signature(self.token)
                        && (self.is_alone() || self.is_full() && ends_file(word))
                }
                b'=' if ends_parameter(self.url) => self.is_alone(),
                _ => self.is_alone() && self.width <= *FULL.end(),
            };
            return if sure { Plain } else { Weak };
        }
        if path || is_suffix(self.url, word) {
            let is_sentence = records::begins_in_root(word) && self.prose_follows();
            let sure = self.is_alone() || ends_file(word) || slashes > 1 || self.chained;
            let sure = sure && !is_sentence && !self.is_above_folder();
            return if sure { Plain } else { Weak };
        }
        if broken && !prose {
            let number = |b: Option<&u8>| b.is_some_and(u8::is_ascii_digit);
            let numbers = number(self.url.last()) && number(word.first());
            let sure = self.chained || !numbers && (self.query || has_digit(word));
            return if sure { Plain } else { Weak };
        }
        // This is the end of a long query.
        if broken && self.chained && self.query {
            return Plain;
        }
        None
    }

    /// True if the URL ends in a segment that is a number, and a word begins the path below it:
    /// `…/issues/3518` and `src/rules.py`. Both may be whole.
    fn is_above_folder(&self) -> bool {
        const LETTERS_MIN: usize = 3;
        let segment = self.url.rsplit(|&b| b == b'/').next();
        let folder = self.word.split(|&b| b == b'/').next().unwrap_or_default();
        segment.is_some_and(is_number)
            && folder.len() >= LETTERS_MIN
            && folder.iter().all(u8::is_ascii_alphabetic)
    }

    /// True if the word is the rest of a title with hyphens, alone on its line.
    pub(super) fn is_title(&self, last: u8) -> bool {
        last == b'-' && self.is_alone() && self.word.contains(&b'-')
    }
}

/// The domains of which a line is expected to begin with the name, as the rest of a host.
fn is_common_top(label: &[u8]) -> bool {
    let common = ["com", "org", "net", "edu", "gov", "mil"];
    common
        .iter()
        .any(|top| label.eq_ignore_ascii_case(top.as_bytes()))
}

/// True for two words with a slash between them, as prose has them: `north/south`, `OS/2`. A longer
/// number is an id: `ticket/2085`.
fn is_pair(word: &[u8]) -> bool {
    const ID_MIN: usize = 3;
    let mut parts = word.split(|&b| b == b'/');
    let is_word = |part: &[u8]| {
        !part.is_empty()
            && part
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
    };
    let is_id = |part: &[u8]| part.len() >= ID_MIN && is_number(part);
    let both = (parts.next(), parts.next());
    matches!(both, (Some(one), Some(other)) if is_word(one) && is_word(other) && !is_id(other))
        && parts.next().is_none()
}

/// True for a query that is a number: `?66512`.
fn is_question(word: &[u8]) -> bool {
    const DIGITS_MIN: usize = 3;
    let Some(query) = word.strip_prefix(b"?") else {
        return false;
    };
    let number = query.split(|&b| b == b'&').next().unwrap_or_default();
    number.len() >= DIGITS_MIN && is_number(number)
}

/// True for the name of a file with a number for its extension: `fts-0001.016`.
fn is_numbered(word: &[u8]) -> bool {
    const DIGITS: usize = 3;
    let Some(dot) = memchr::memrchr(b'.', word) else {
        return false;
    };
    let (name, number) = (&word[..dot], &word[dot + 1..]);
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"-_".contains(b);
    number.len() == DIGITS
        && is_number(number)
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && name.iter().all(is_of_name)
        && has_digit(name)
}

/// True for the rest of a host that was broken at its hyphen:
/// `project.org/posting-guide.html`.
fn is_rest_of_host(word: &[u8]) -> bool {
    let end = word.iter().position(|b| matches!(b, b'/' | b':' | b'?'));
    let host = &word[..end.unwrap_or(word.len())];
    has_dot(host) && host[0].is_ascii_alphanumeric()
}

/// True if `word` completes a SHA-1 or SHA-256 in hexadecimal at the end of `url`.
fn completes_hash(url: &[u8], word: &[u8]) -> bool {
    let hex = |b: &&u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    let start = url.iter().rev().take_while(hex).count();
    let rest = word.len();
    start > 6 && rest > 1 && [40, 64].contains(&(start + rest)) && word.iter().all(|b| hex(&b))
}
