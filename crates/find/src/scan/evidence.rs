//! Weighs whether a bare URL continues on the next line.
//!
//! # How to think about this
//!
//! A bare URL has reached the end of its line, and we see at most [`LOOK_MAX`] bytes of
//! the next one. Nothing in the text marks a broken URL, so each answer is a bet, and it
//! can be lost in two ways: a wrong join prints a URL that nobody wrote, and a missed join
//! prints a truncated one. That is why there are three answers. [`Evidence::Plain`] joins
//! the lines and keeps the first line as an alternate, [`Evidence::Weak`] prints the first
//! line and keeps the join as an alternate, and [`Evidence::None`] takes the first line for
//! the whole URL.
//!
//! Most line ends are settled before anything is weighed. `bare` says no if a short line ends
//! in a letter or digit, and `is_end` and `ends_before` say no from the last byte of the URL
//! and the first word of the next line. For the rest [`Break::weigh`] asks two questions, in
//! this order:
//!
//! 1. Is there any reason to join? The last byte of the URL says most. No URL ends in `&` or
//!    `%`, so nearly any word may be its rest. After `-` a word of prose is weak evidence, and
//!    any other word plain evidence. Many URLs end in `/`, so there the word must be a file
//!    name, or a path that had no room on the line. After a letter or digit the URL may simply
//!    be complete, and then only the width of the line and the shape of the next word can
//!    speak for a join.
//! 2. Does the next line look like something else: another URL, a list item, a row of a
//!    table, prose with more prose after it? Or does this URL end in a file name, and no query
//!    or fragment follows? Each of these is a veto, however strong the evidence. Vetoes come
//!    last because most line ends have no evidence, so most never need them.
//!
//! A URL may be broken more than once, and each break is weighed. The first one decides how
//! the whole URL is printed. If its evidence is plain, that of a later break must be plain
//! too, or the URL ends there. If it is weak, that of a later break may be weak or plain.
//!
//! The trap: most conditions stand for a few places in real mail, and they interact. Of the
//! URLs with weak evidence only about half really go on (`docs/answers.md`, rule 1). That is
//! too few to print the join and too many to drop it. If you loosen a condition, it breaks
//! nearly as many URLs as it repairs. Before you change one, run
//! `cargo run --example truth_report`, and compare the output on a large archive with the
//! old one line by line. `docs/answers.md` has the rules and their measured accuracy.

use super::class::is_blank;
use super::comment;
use super::domain;
use super::qp;
use super::records;
use super::scheme;
use super::screen;
use super::typeset;
use super::words::{self, has_digit, is_number, is_path_of_prose, is_prose};
use crate::view::{END, NARROW};
use urlgrep_base::digits::hex_byte;
use urlgrep_base::names::{key, keys};
use urlgrep_url::gateways::{LINK_ENDS, LinkEnd, Marks};

/// The minimum length of a line that may have been broken because of its width.
pub(super) const LONG: usize = 60;
/// The number of bytes of the next line that are examined.
pub(super) const LOOK_MAX: usize = 160;
/// The widths at which mailers break lines.
const FULL: std::ops::RangeInclusive<usize> = 68..=80;

/// The marks of the link of a mail gateway. `url` begins before the body
/// of the URL, with the last byte of `://` if it has that.
pub(super) fn end_marks(url: &[u8]) -> Option<Marks> {
    let url = url.strip_prefix(b"/")?;
    let (host, path) = url.split_at(memchr::memchr(b'/', url)?);
    // Few other paths begin so.
    path.get(1).filter(|b| b"?v".contains(b))?;
    let fits = |end: &&LinkEnd| {
        host.ends_with(end.host.as_bytes()) && path.starts_with(end.path.as_bytes())
    };
    LINK_ENDS.iter().find(fits).map(|end| end.marks)
}

/// The strength of the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    /// The URL does not continue.
    None,
    /// The URL may continue. Only the first line is the URL, and the hit has
    /// `continues`.
    Weak,
    /// The URL clearly continues. The lines are joined.
    Plain,
    /// The line ends in half of a host, so it is no URL.
    Wrong,
}

/// A line end after a URL, and the line after it.
#[derive(Clone, Copy)]
pub(super) struct Break<'h> {
    /// The bytes of the URL on the line before the break, with trailing
    /// punctuation.
    pub(super) url: &'h [u8],
    /// The length of the line before the break.
    pub(super) width: usize,
    /// The URL already has a `?`.
    pub(super) query: bool,
    /// The URL ends inside its host.
    pub(super) in_host: bool,
    /// Other lines were joined before this break.
    pub(super) chained: bool,
    /// The line before was as wide.
    pub(super) as_wide: bool,
    /// The lines have different leaders.
    pub(super) releadered: bool,
    /// The next line is one level deeper in a quotation.
    pub(super) requoted: bool,
    /// A bracket that was opened before the URL is closed directly after
    /// `token`.
    pub(super) closes: bool,
    /// The text before the URL on its first line, and the leader in it.
    pub(super) before: &'h [u8],
    pub(super) leader: &'h [u8],
    /// The next line up to its first word.
    pub(super) indent: &'h [u8],
    /// The next line from its first word on, without the leader.
    pub(super) text: &'h [u8],
    /// The first word of the next line, up to white space.
    pub(super) token: &'h [u8],
    /// The part of `token` that would belong to the URL.
    pub(super) word: &'h [u8],
}

/// True if no URL continues after the last byte of `url`. This is decided
/// without the next line.
#[inline]
pub(super) fn is_end(url: &[u8]) -> bool {
    match url.last() {
        Some(b',' | b':' | b'!' | b'#') => true,
        Some(b';') => !url.ends_with(b"&amp;"),
        _ => false,
    }
}

/// True if `url` does not continue on the next line, judged by the first word of
/// that line. `word` returns the word if it has only letters. Most places are
/// decided here, so the rest of the line is not read. Only for the first line of a
/// URL.
#[inline]
pub(super) fn ends_before<'h>(url: &[u8], word: impl FnOnce() -> Option<&'h [u8]>) -> bool {
    match url.last() {
        Some(b'.') => word().is_some_and(|word| !is_extension(word)),
        Some(b) if b.is_ascii_alphanumeric() => word().is_some_and(|word| !is_suffix(url, word)),
        _ => false,
    }
}

impl Break<'_> {
    /// Weighs the evidence.
    pub(super) fn weigh(&self) -> Evidence {
        let (url, token, word) = (self.url, self.token, self.word);
        let (Some(&last), Some(&first), false) = (url.last(), token.first(), word.is_empty())
        else {
            return Evidence::None;
        };
        let last = if typeset::is_hyphen(url) { b'-' } else { last };
        if self.is_decoded_link() {
            return Evidence::Wrong;
        }
        // Most line ends have no evidence. So the vetoes come last.
        let evidence = if self.goes_on_as_no_prose(last, first) {
            Evidence::Plain
        } else {
            self.by_last_byte(last, first)
        };
        // A short line was not broken because of its width.
        let must_say = self.must_say(last, first);
        let is_row = self.is_below_full_row();
        let evidence = match evidence {
            // The first joint decides whether the rows are printed as one URL.
            Evidence::None | Evidence::Weak if is_row && self.chained => Evidence::Plain,
            Evidence::None if is_row => Evidence::Weak,
            evidence => evidence,
        };
        let short = evidence == Evidence::Weak && self.width < LONG && !must_say && !is_row;
        if evidence == Evidence::None
            || short
            // Of the vetoes this one excludes the most.
            || !must_say && self.is_before_prose(last)
            || is_another(url, &word[..word.len().min(token.len())]) && !self.completes_www()
            || is_decoration(url, token)
            || self.is_record()
            || self.is_vetoed(last, first)
        {
            return Evidence::None;
        }
        if screen::is_state_line(self.text) {
            return Evidence::None;
        }
        if comment::ends_before(self.before, self.indent, self.text) {
            return if must_say {
                Evidence::Weak
            } else {
                Evidence::None
            };
        }
        evidence
    }

    /// True if the URL cannot be printed without a sign that it may go on: it ends in a hyphen,
    /// or is a DOI without its suffix. A prose word may follow it.
    fn must_say(&self, last: u8, first: u8) -> bool {
        first.is_ascii_alphanumeric()
            && (last == b'-' && !self.in_host || last == b'/' && ends_doi_prefix(self.url))
    }

    /// True if the next line looks like a row of a screen below one that the URL filled: the URL
    /// has its line for itself, the next line has one word of what a URL has, and both are as
    /// wide, or those before were. A login link that was pasted from a terminal looks so.
    fn is_below_full_row(&self) -> bool {
        let len = self.indent.len() + self.token.len();
        let is_full = len == self.width || self.as_wide && len < self.width;
        let has = |is: fn(&u8) -> bool| self.token.iter().any(is);
        is_full
            && self.width >= NARROW
            && (self.chained || self.first_word().is_empty())
            && self.is_alone()
            && self.token.iter().all(u8::is_ascii_graphic)
            && !has(|b| *b == b'@')
            && (has(|b| b"=&%?/".contains(b))
                || has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic))
    }

    /// The first word of the line of the URL, after its leader. Empty if it is the URL.
    fn first_word(&self) -> &[u8] {
        const WORD_MAX: usize = 64;
        let start = self.before.iter().take_while(|b| is_blank(**b)).count();
        let text = &self.before[start..];
        let text = text.strip_prefix(self.leader).unwrap_or(text);
        let text = text.trim_ascii_start();
        words::first(&text[..text.len().min(WORD_MAX)])
    }

    /// True if the next line begins a record or a directive of its own.
    #[inline(never)]
    fn is_record(&self) -> bool {
        let token = self.token;
        let first = self.first_word();
        records::is_of_program(token, &self.text[token.len()..])
            || self.is_before_value(token)
            || records::are_settings(self.before, self.url, token)
            // Bytes of a program after the text of one of its strings.
            || token.iter().any(|&b| b < b' ' && b != END)
            || records::is_uuencoded(self.text)
            || records::is_number_of_mail(token)
            || records::is_prompt(token)
            || records::is_date_or_time(token)
            || records::begin_alike(first, token)
            || !self.in_host && records::is_in_same_folder(first, token)
            || records::is_progress(token)
            || !self.chained && never_continues(token)
    }

    /// True if a line with the name of a value, as files of settings and lists of packages have
    /// them, follows a URL without parameters: `timeout=30`, `flake8==5.0.4`.
    fn is_before_value(&self, token: &[u8]) -> bool {
        !self.query
            && !self.in_host
            && self.url.last().is_some_and(u8::is_ascii_alphanumeric)
            && !self.url.contains(&b';')
            && records::names_value(token)
    }

    /// Vetoes: excludes a continuation regardless of other evidence.
    fn is_vetoed(&self, last: u8, first: u8) -> bool {
        matches!(first, b'(' | b'[' | b'{')
            || self.token.ends_with(b":")
            || self.is_list_item() && !self.is_in_doi(last)
            || self.is_row()
            || self.is_apart(last, first)
            // After a file name, a URL continues only with a query or a
            // fragment, or with the rest of a fragment.
            || !self.query
                && (last.is_ascii_alphanumeric() || !self.url.contains(&b'#'))
                && ends_file(self.url)
                && !matches!(first, b'?' | b'#' | b'&' | b'=' | b'%' | b'.' | b'_')
    }

    /// True if what reads as the number of an item goes on with a DOI.
    fn is_in_doi(&self, last: u8) -> bool {
        match last {
            b'/' => ends_doi_prefix(self.url) && has_dot(self.word),
            b'.' => has_doi_prefix(self.url) && self.goes_on_with_doi(),
            _ => false,
        }
    }

    /// True if the next line begins with prose. Prose with another leader is the reply to a
    /// quotation.
    fn is_before_prose(&self, last: u8) -> bool {
        !self.closes
            && (self.releadered && !self.is_title(last) || self.prose_follows())
            && is_prose(self.word)
            && !is_suffix(self.url, self.word)
    }

    /// True if the next line begins with something that is written below URLs and is no
    /// part of them.
    fn is_apart(&self, last: u8, first: u8) -> bool {
        let (url, token) = (self.url, self.token);
        let is_name = |b: &u8| b.is_ascii_uppercase() || *b == b'_';
        let closing = token.strip_suffix(b",").or(token.strip_suffix(b"!"));
        let closing = closing.unwrap_or(token);
        // The name of the file or the value of the parameter again, as the text of its link.
        let is_again = |name: &[u8]| {
            let before = url.strip_suffix(name);
            name.len() > 2 && before.is_some_and(|url| url.ends_with(b"/") || url.ends_with(b"="))
        };
        is_again(token)
            || is_again(self.word)
            || last == b'/' && ends_host(url, token)
            // An underlined label, `_FI:_`.
            || first == b'_' && token.ends_with(b":_")
            // The next line of an address: `GERMANY`, `A1200 BlizzIv 2+8MB`.
            || last == b'/' && is_in_capitals(self.word) && !ends_doi_prefix(self.url)
            // The next field of a record, `THE_TITLE:The page`.
            || names_field(token)
            // A branch or a tag of the repository.
            || url.ends_with(b".git") && first.is_ascii_alphanumeric()
            // `2.` in a list whose numbers are alone on their lines.
            || last == b'=' && matches!(token, [b'0'..=b'9', .., b'.' | b')']) && token.len() <= 3
            // An option of a program, `--sout=file/x`.
            || matches!(token, [b'-', b'-', b'a'..=b'z', ..])
            // A signature, `/John`.
            || is_signature(token) && self.is_alone() && !self.is_full()
            // `-Dname=value`, `HTTP_PROXY=…`.
            || last == b'/'
                && (token.starts_with(b"--")
                    || memchr::memchr(b'=', token)
                        .is_some_and(|at| at > 1 && (first == b'-' || token[..at].iter().all(is_name))))
            || CLOSINGS.iter().any(|word| closing.eq_ignore_ascii_case(word))
    }

    /// True if the next line begins as no prose does. A host has no escape, a `&` goes on with
    /// a query, and a full stop before the line end may be that of a sentence.
    fn goes_on_as_no_prose(&self, last: u8, first: u8) -> bool {
        begins_as_no_prose(self.word)
            && (last.is_ascii_alphanumeric() || b"/=-_+~%&".contains(&last))
            && match first {
                b'&' => self.query,
                b'%' => self.query || !self.in_host,
                _ => true,
            }
            && !self.requoted
    }

    fn by_last_byte(&self, last: u8, first: u8) -> Evidence {
        use Evidence::{None, Plain, Weak};
        let word = self.word;
        if self.requoted && (self.in_host || !self.is_alone() || !ends_file(word)) {
            return None;
        }
        if completes_hash(self.url, word) {
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
                    && (is_extension(stem(word)) || ends_file(word) || has_dot(word) && path()),
                None,
            ),
            // A `&` goes on with a query, and there is none.
            b'/' if first == b'/' || first == b'&' && !self.query => None,
            b'/' if ends_file(word) => Plain,
            b'/' if is_pair(word) && !self.is_alone() => None,
            b'/' => when(
                (self.width >= LONG || self.is_too_wide()) && path(),
                if self.is_full() { Weak } else { None },
            ),
            b'_' if prose() => None,
            b'_' => when(path() || self.is_alone(), Weak),
            b'~' | b'+' => when(path() || !prose() && self.is_full(), Weak),
            _ => self.in_a_word(first),
        }
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
        let body = scheme::slashes(self.url).map_or(0, |at| at + 3);
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
    fn completes_www(&self) -> bool {
        let body = scheme::slashes(self.url).map_or(0, |at| at + 3);
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
    fn goes_on_with_doi(&self) -> bool {
        let word = self.word;
        let digits = word.iter().filter(|b| b.is_ascii_digit()).count();
        let is_suffix = !is_number(word) && !word.iter().any(|b| b";(,".contains(b));
        is_suffix && (digits > 3 || has_dot(word) && self.is_alone())
    }

    /// True if the URL ends after a part of its host, and the next line begins with the
    /// rest of the host in a link of Safe Links: `https://stat/` and
    /// `.ethz.ch%2Fmailman`, or `https://s/.` and `tat.ethz.ch%2Fmailman`. A mail
    /// program decoded the link up to the break.
    fn is_decoded_link(&self) -> bool {
        let url = self.url.strip_suffix(b".").unwrap_or(self.url);
        let Some(slash) = memchr::memrchr(b'/', url.strip_suffix(b"/").unwrap_or_default()) else {
            return false;
        };
        let (scheme, host) = (&url[..slash], &url[slash + 1..]);
        let is_part = || !host.iter().any(|b| b".:@".contains(b));
        // The rest of the host, up to its encoded `/`.
        let rest = memchr::memmem::find(self.token, b"%2F").map(|end| &self.token[..end]);
        scheme.ends_with(b":/")
            && rest.is_some_and(|rest| match rest {
                [b'.' | b'-', b, ..] => b.is_ascii_alphabetic(),
                [b, ..] => b.is_ascii_alphabetic() && rest.contains(&b'.') && is_part(),
                [] => false,
            })
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
            let sure = sure && !is_sentence;
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

    /// True if the word is the rest of a title with hyphens, alone on its line.
    fn is_title(&self, last: u8) -> bool {
        last == b'-' && self.is_alone() && self.word.contains(&b'-')
    }

    /// True if the word is alone on the next line.
    fn is_alone(&self) -> bool {
        let rest = &self.text[self.token.len()..];
        self.token.len() < LOOK_MAX && rest.iter().all(|&b| is_blank(b))
    }

    /// True if the line before the break has a width at which mailers break
    /// lines.
    fn is_full(&self) -> bool {
        self.as_wide || FULL.contains(&self.width)
    }

    /// True if the line before the break would be too wide with the next word. A
    /// line of under half the width was broken for another reason.
    fn is_too_wide(&self) -> bool {
        2 * self.width >= *FULL.end() && self.width + self.token.len() >= *FULL.start()
    }

    /// True if a word of letters follows the first word.
    fn prose_follows(&self) -> bool {
        let rest = self.text[self.token.len()..].trim_ascii_start();
        rest.first().is_some_and(u8::is_ascii_alphabetic)
    }

    /// True for a list item: `2. `, `4.1 Title`, `b) `, `A. Title`,
    /// `IV. Title`.
    fn is_list_item(&self) -> bool {
        let number = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b')');
        let letter = match self.token {
            [name @ .., b'.' | b')'] => {
                matches!(name, [b] if b.is_ascii_alphabetic())
                    || !name.is_empty() && name.iter().all(|b| b"IVX".contains(b))
            }
            _ => false,
        };
        (letter || self.token.iter().all(number)) && !self.is_alone()
    }

    /// True for a row of a diffstat or of a table:
    /// `sound/pci/hda.c |  12 +++---`.
    fn is_row(&self) -> bool {
        let rest = &self.text[self.token.len()..];
        let text = rest.trim_ascii();
        let columns = rest.starts_with(b"\t") || rest.starts_with(b"  ");
        // Justified prose has wide blanks as well, and no cell ends in a comma.
        let ends_cell = !self.token.ends_with(b".") && !self.token.ends_with(b",");
        text.first() == Some(&b'|') || columns && !text.is_empty() && ends_cell
    }
}

/// True if `url` ends with the prefix of a DOI and its slash: `https://doi.org/10.1000/`,
/// `doi:10.1000/`.
pub(super) fn ends_doi_prefix(url: &[u8]) -> bool {
    let before = url.strip_suffix(b"/").unwrap_or(url);
    let is_prefix = |b: &&u8| b.is_ascii_digit() || **b == b'.';
    let len = before.iter().rev().take_while(is_prefix).count();
    let (start, prefix) = before.split_at(before.len() - len);
    before.len() < url.len() && len > 6 && prefix.starts_with(b"10.") && names_doi(start)
}

/// True if `url` begins with the prefix of a DOI and has a part of its suffix.
fn has_doi_prefix(url: &[u8]) -> bool {
    let at = memchr::memmem::find(url, b"10.");
    at.is_some_and(|at| {
        let slash = memchr::memchr(b'/', &url[at..]);
        slash
            .is_some_and(|slash| at + slash + 1 < url.len() && ends_doi_prefix(&url[..=at + slash]))
    })
}

/// True if a DOI follows `start`.
fn names_doi(start: &[u8]) -> bool {
    let ends_with = |name: &[u8]| {
        let at = start.len().checked_sub(name.len());
        at.is_some_and(|at| start[at..].eq_ignore_ascii_case(name))
    };
    ends_with(b"doi.org/") || ends_with(b"doi:")
}

/// The domains of which a line is expected to begin with the name, as the rest of a host.
fn is_common_top(label: &[u8]) -> bool {
    let common = ["com", "org", "net", "edu", "gov", "mil"];
    common
        .iter()
        .any(|top| label.eq_ignore_ascii_case(top.as_bytes()))
}

/// True if `rest` completes the URL `first`, which a line end cut, without a doubt: it has the
/// rest of a path with the name of a file, or of the extension of one.
pub(super) fn completes(first: &[u8], rest: &[u8]) -> bool {
    let slash = memchr::memrchr2(b'/', b'.', first);
    let extension = slash
        .filter(|&at| first[at] == b'.')
        .map(|at| &first[at + 1..]);
    let is_extension_part = extension.is_some_and(|start| {
        let letters = |part: &[u8]| part.iter().all(u8::is_ascii_lowercase);
        start.len() + rest.len() <= EXTENSION_MAX
            && letters(start)
            && letters(rest)
            && !rest.is_empty()
            || is_extension(rest)
    });
    is_extension_part || ends_file(rest) || rest.len() > 1 && is_path(rest)
}

/// True if `url` ends in letters and digits that may be base64, whose end is a `=`.
pub(super) fn ends_in_token(url: &[u8]) -> bool {
    const TOKEN_MIN: usize = 20;
    let is_base64 = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'+' || **b == b'_';
    let len = url.iter().rev().take_while(is_base64).count();
    let has_capital = url[url.len() - len..].iter().any(u8::is_ascii_uppercase);
    len >= TOKEN_MIN && has_capital
}

/// True for the place of a message in a page of public-inbox: `#m8a7b6c5d4`.
fn names_message(word: &[u8]) -> bool {
    word.strip_prefix(b"#m").is_some_and(|hash| {
        hash.len() > 7
            && has_digit(hash)
            && hash.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// True for a line that begins with a directive of a playlist (`#EXTINF:`, `#KODIPROP:`), of a
/// programming language (`#include`) or with a hashtag. In 99 playlists 2,306 hits were said
/// to go on there.
fn never_continues(token: &[u8]) -> bool {
    let [b'#', name @ ..] = token else {
        return false;
    };
    let is_tag = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii();
    let len = name.iter().take_while(|b| is_tag(b)).count();
    let (tag, rest) = name.split_at(len);
    let is_directive = tag.len() > 2 && tag.iter().all(u8::is_ascii_uppercase);
    let is_end = rest.iter().all(|b| b",.;:!?#)".contains(b));
    (is_end || is_directive || rest[0] == b'!') && !names_message(token)
}

/// True for the name with which an author signs: `/John`.
fn is_signature(token: &[u8]) -> bool {
    match token {
        [b'/', first, rest @ ..] => {
            first.is_ascii_uppercase()
                && (1..15).contains(&rest.len())
                && rest.iter().all(u8::is_ascii_lowercase)
        }
        _ => false,
    }
}

/// True for a word that looks like the rest of a path or query.
fn is_path(word: &[u8]) -> bool {
    let sign = |b: &u8| b"/=&%#_~".contains(b);
    let inner = &word[..word.len() - 1];
    (inner.iter().any(sign) || word.iter().any(sign) && has_dot(word) || ends_file(word))
        && !is_path_of_prose(word)
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

/// True for the rest of a host that was broken at its hyphen:
/// `project.org/posting-guide.html`.
fn is_rest_of_host(word: &[u8]) -> bool {
    let end = word.iter().position(|b| matches!(b, b'/' | b':' | b'?'));
    let host = &word[..end.unwrap_or(word.len())];
    has_dot(host) && host[0].is_ascii_alphanumeric()
}

/// True for another URL, an address or a host.
fn is_another(url: &[u8], word: &[u8]) -> bool {
    let host = &word[..word.iter().position(|&b| b == b'/').unwrap_or(word.len())];
    // What begins with `?` or `&`, or has an escape, is the rest of a query.
    let host = if host.iter().any(|b| b"?&=%".contains(b)) {
        &[]
    } else {
        host
    };
    let ends_in = |top: &[u8]| {
        host.len() > top.len() && host[host.len() - top.len()..].eq_ignore_ascii_case(top)
    };
    // The host of this URL may be broken itself: `ftp://ftp.` and `uu.net/x`.
    let broken_host = matches!(url.last(), Some(b'.' | b'-'));
    scheme::starts_url(word)
        || scheme::slashes(word).is_some_and(|at| !word[..at].contains(&b'='))
        || word.len() >= 4 && word[..4].eq_ignore_ascii_case(b"www.")
        || (memchr::memchr(b'@', word).is_some() && memchr::memchr(b'/', word).is_none())
        || (!broken_host
            && [&b".com"[..], b".org", b".net", b".edu", b".gov"]
                .iter()
                .any(|top| ends_in(top)))
        || word
            .iter()
            .position(|&b| b == b':')
            .is_some_and(|i| scheme::shape(&word[..i]).is_some())
}

/// True for a name of capitals and underscores before a colon.
fn names_field(token: &[u8]) -> bool {
    let name = memchr::memchr(b':', token).map_or(&b""[..], |at| &token[..at]);
    let is_of_name = |b: &u8| b.is_ascii_uppercase() || *b == b'_';
    name.iter().all(is_of_name) && name.contains(&b'_')
}

/// True for a rule, a comment mark, or an octet of quoted-printable (`=20`).
/// After the name of a parameter, an octet with more text after it is the value
/// of the parameter (`&data` and `=04%7C`).
fn is_decoration(url: &[u8], token: &[u8]) -> bool {
    let mark = |b: &u8| !b.is_ascii_alphanumeric();
    token.iter().take(3).filter(|b| mark(b)).count() == token.len().min(3)
        || matches!(token, [b'=', a, b, rest @ ..]
            if qp::byte(*a, *b).is_some()
                && (rest.is_empty() || !ends_parameter(url)))
}

/// Files of archives whose names are capitals.
const FILES: [&[u8]; 12] = [
    b"CHANGES",
    b"CONTENTS",
    b"COPYING",
    b"CRC",
    b"FAQ",
    b"INDEX",
    b"INSTALL",
    b"LICENSE",
    b"MANIFEST",
    b"NEWS",
    b"README",
    b"TODO",
];

/// True if `url` is a scheme, a host and a slash, and the host is `word` or ends with its labels:
/// `http://www.co.example/` above `co.example`.
fn ends_host(url: &[u8], word: &[u8]) -> bool {
    let host = url.strip_suffix(b"/").unwrap_or(url);
    let before = host.strip_suffix(word).unwrap_or_default();
    word.contains(&b'.')
        && (before.ends_with(b"://") || before.ends_with(b".") && !before.ends_with(b"/."))
}

/// True for a word of two capitals or more, perhaps with digits after them, that is no name of a
/// file.
fn is_in_capitals(word: &[u8]) -> bool {
    let capitals = word.iter().take_while(|b| b.is_ascii_uppercase()).count();
    capitals > 0
        && word.len() > 1
        && word[capitals..].iter().all(u8::is_ascii_digit)
        && !FILES.contains(&word)
}

/// The words that a letter ends with, which stand alone on their line.
const CLOSINGS: [&[u8]; 7] = [
    b"best",
    b"cheers",
    b"greetings",
    b"hth",
    b"regards",
    b"sincerely",
    b"thanks",
];

/// True if `word` completes a SHA-1 or SHA-256 in hexadecimal at the end of `url`.
fn completes_hash(url: &[u8], word: &[u8]) -> bool {
    let hex = |b: &&u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    let start = url.iter().rev().take_while(hex).count();
    let rest = word.len();
    start > 6 && rest > 1 && [40, 64].contains(&(start + rest)) && word.iter().all(|b| hex(&b))
}

/// True if `url` ends in the name of a parameter without its value.
fn ends_parameter(url: &[u8]) -> bool {
    let name = url.iter().rev().take_while(|b| b.is_ascii_alphabetic());
    let name = name.count();
    name > 0 && matches!(url[..url.len() - name].last(), Some(b'?' | b'&' | b';'))
}

/// True if a dot has a letter or digit on both sides.
fn has_dot(word: &[u8]) -> bool {
    word.windows(3)
        .any(|w| w[1] == b'.' && w[0].is_ascii_alphanumeric() && w[2].is_ascii_alphanumeric())
}

const EXTENSIONS: [&[u8]; 39] = [
    b"html", b"htm", b"shtml", b"txt", b"text", b"gz", b"tgz", b"zip", b"ps", b"pdf", b"tar", b"Z",
    b"gif", b"jpg", b"jpeg", b"png", b"asp", b"aspx", b"cgi", b"php", b"jsp", b"pl", b"py", b"rb",
    b"js", b"css", b"xml", b"bz2", b"xz", b"patch", b"diff", b"doc", b"exe", b"rpm", b"deb",
    b"lisp", b"el", b"asc", b"sig",
];

/// The maximum length of an extension.
const EXTENSION_MAX: usize = 5;

static EXTENSION_KEYS: [u64; EXTENSIONS.len()] = keys(&EXTENSIONS);

pub(crate) fn is_extension(word: &[u8]) -> bool {
    word.len() <= EXTENSION_MAX && EXTENSION_KEYS.contains(&key(word))
}

/// The word without its query and fragment.
fn stem(word: &[u8]) -> &[u8] {
    let end = word.iter().position(|&b| b == b'#' || b == b'?');
    &word[..end.unwrap_or(word.len())]
}

/// True for a word with the extension of a web file: `ar.gz`, `index.html`.
fn ends_file(word: &[u8]) -> bool {
    let word = stem(word);
    word.iter()
        .rposition(|&b| b == b'.')
        .is_some_and(|dot| dot > 0 && is_extension(&word[dot + 1..]))
}

/// As [`ends_file`], for the other parts of the scanner.
pub(super) fn is_file(word: &[u8]) -> bool {
    ends_file(word)
}

/// The maximum length of the name of a parameter at the beginning of a line.
const NAME_MAX: usize = 64;

/// True if no prose begins with `word`: an escape of a URL (`%20c66`), or a parameter
/// with its name (`&name=`, `?name=`).
pub(super) fn begins_as_no_prose(word: &[u8]) -> bool {
    match word {
        [b'%', ..] => begins_with_escape(word),
        [b'&' | b'?', first, rest @ ..] if first.is_ascii_alphabetic() || *first == b'_' => {
            let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"_-.[]%".contains(b);
            let name = rest
                .iter()
                .take(NAME_MAX)
                .take_while(|b| is_of_name(b))
                .count();
            rest.get(name) == Some(&b'=')
        }
        _ => false,
    }
}

/// True for an escape with a digit, or for two escapes. `%be` may begin a comment of LaTeX
/// (`%begin`), and `%3d` alone is a format of `printf`.
fn begins_with_escape(word: &[u8]) -> bool {
    let escape = |bytes: &[u8]| match bytes {
        [b'%', high, low, ..] => hex_byte(*high, *low),
        _ => None,
    };
    let Some(byte) = escape(word) else {
        return false;
    };
    let is_text = byte >= b' ' && byte != 0x7F || b"\t\n\r".contains(&byte);
    let has_digit = word[1..3].iter().any(u8::is_ascii_digit);
    let is_format = word.len() == 3 && word[2].is_ascii_lowercase();
    is_text && !is_format && (has_digit || escape(&word[3..]).is_some())
}

/// True if `word` completes an extension at the end of `url`: `.ht` and `ml`.
fn is_suffix(url: &[u8], word: &[u8]) -> bool {
    let Some(dot) = url.iter().rposition(|&b| b == b'.' || b == b'/') else {
        return false;
    };
    let start = &url[dot + 1..];
    url[dot] == b'.'
        && !start.is_empty()
        && start.len() + word.len() <= EXTENSION_MAX
        && !is_extension(start)
        && EXTENSIONS.iter().any(|e| {
            e.len() == start.len() + word.len() && e.starts_with(start) && e.ends_with(word)
        })
}
