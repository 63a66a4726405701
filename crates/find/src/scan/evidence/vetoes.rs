//! The second question to a line end: does the next line look like something else?
//!
//! Each veto excludes a join, however strong the evidence is.

use super::Break;
use super::rest::{ends_parameter, has_dot, is_signature, names_message};
use crate::scan::doi::{ends_doi_prefix, has_doi_prefix};
use crate::scan::qp;
use crate::text::extension::{ends_file, is_suffix};
use crate::text::schemes;
use crate::text::words::is_prose;
use crate::text::{commands, comment, own_url, records};
use crate::view::END;

impl Break<'_> {
    /// True if the next line begins a record or a directive of its own.
    #[inline(never)]
    pub(super) fn is_record(&self) -> bool {
        let token = self.token;
        let first = self.first_word();
        records::is_of_program(token, &self.text[token.len()..])
            || self.is_before_value(token)
            || !self.query && assigns_url(token)
            || own_url::has_own_url(self.url, token) && !self.completes_www()
            || own_url::are_entries(self.before, self.text)
            || records::are_settings(self.before, self.url, token)
            || self.is_below_comment(token)
            || records::are_properties(self.before, self.indent, token)
            // Bytes of a program after the text of one of its strings.
            || token.iter().any(|&b| b < b' ' && b != END)
            || records::is_uuencoded(self.text)
            || records::is_number_of_mail(token)
            || records::is_prompt(token)
            || records::is_date_or_time(token)
            || records::begin_alike(first, token)
            || self.is_alone()
                && !ends_in_octet(self.url)
                && records::is_next_number(first, token)
            || !self.in_host && records::is_in_same_folder(first, token)
            || records::is_progress(token)
            || !records::is_open(self.url) && self.is_no_rest(token)
            || self.url.last().is_some_and(u8::is_ascii_alphanumeric) && records::is_value(token)
            || !self.chained && never_continues(token)
    }

    /// True for a word that ends nearly all URLs before it: a fraction alone on its line, a path of the
    /// reader's folder, or one that a command has printed.
    fn is_no_rest(&self, token: &[u8]) -> bool {
        self.is_alone() && records::is_fraction(token) && !ends_doi_prefix(self.url)
            || records::is_own_path(token)
            || self.names_program(token)
    }

    /// True if the line of the URL is one of a shell, and a path of the computer begins the next one: what
    /// the command has printed, or another command.
    fn names_program(&self, token: &[u8]) -> bool {
        token.starts_with(b"/")
            && records::begins_in_root(token)
            && commands::begins_command(self.before)
    }

    /// True if a line with the name of a value, as files of settings and lists of packages have
    /// them, follows a URL without parameters: `timeout=30`, `flake8==5.0.4`.
    fn is_before_value(&self, token: &[u8]) -> bool {
        let may_end = match self.url.last() {
            // Only a path goes on with more than one value, and its names have no dots.
            Some(b'/') => {
                !token.iter().any(|b| b"&;?".contains(b))
                    && (!token.contains(&b'/') || records::names_setting(token))
            }
            last => last.is_some_and(u8::is_ascii_alphanumeric),
        };
        !self.query
            && !self.in_host
            && may_end
            && !self.url.contains(&b';')
            && records::names_value(token)
    }

    /// True if a line with the name of a value follows the comment in which the URL is, as in files
    /// of settings. After `?` and `&` a parameter of the URL may follow, because mailers break
    /// comments too.
    fn is_below_comment(&self, token: &[u8]) -> bool {
        let may_end = match self.url.last() {
            Some(b'?' | b'&') => false,
            Some(b'=') => true,
            _ => !self.query,
        };
        may_end
            && !self.in_host
            && !token.contains(&b'&')
            && records::names_value(token)
            && comment::is_left(self.before, self.indent)
    }

    /// True if the URL is the text of an item of a list, and the next line begins the next item: both
    /// have the same bullet at the same column, and a blank after it. In a comment of a program, whose
    /// lines have an asterisk too, it is not the first byte.
    pub(super) fn is_next_item(&self) -> bool {
        let after_quote = |line: &'_ [u8]| {
            let quote = memchr::memrchr(b'>', line).map_or(0, |at| at + 1);
            let blank = quote > 0 && line.get(quote) == Some(&b' ');
            quote + usize::from(blank)
        };
        let item = &self.before[after_quote(self.before)..];
        let next = &self.indent[after_quote(self.indent)..];
        let bullet = item.trim_ascii_end();
        let is_bullet = matches!(bullet.first(), Some(b'*' | b'+' | b'-'))
            && bullet.iter().all(|b| *b == bullet[0]);
        is_bullet && bullet.len() < item.len() && item == next
    }

    /// Vetoes: excludes a continuation regardless of other evidence.
    pub(super) fn is_vetoed(&self, last: u8, first: u8) -> bool {
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
    pub(super) fn is_before_prose(&self, last: u8) -> bool {
        !self.closes
            && (self.lacks_leader && !self.is_title(last) || self.prose_follows())
            && is_prose(self.word)
            && !is_suffix(self.url, self.word)
    }

    /// True if the next line begins with something that is written below URLs and is no
    /// part of them.
    fn is_apart(&self, last: u8, first: u8) -> bool {
        let (url, token) = (self.url, self.token);
        let is_name = |b: &u8| b.is_ascii_uppercase() || *b == b'_';
        let closing = token.iter().position(|b| b",!/".contains(b));
        let closing = match closing {
            Some(at) if at + 1 == token.len() || is_signature(&token[at..]) => &token[..at],
            _ => token,
        };
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

    /// True if the URL ends after a part of its host, and the next line begins with the
    /// rest of the host in a link of Safe Links: `https://stat/` and
    /// `.ethz.ch%2Fmailman`, or `https://s/.` and `tat.ethz.ch%2Fmailman`. A mail
    /// program decoded the link up to the break.
    pub(super) fn is_decoded_link(&self) -> bool {
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

/// True if `url` ends with an octet in percent-encoding, more of which may follow.
fn ends_in_octet(url: &[u8]) -> bool {
    let before = url.len().checked_sub(3);
    before.is_some_and(|at| url[at] == b'%')
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

/// True for another URL, an address or a host.
pub(super) fn is_another(url: &[u8], word: &[u8]) -> bool {
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
    schemes::starts_url(word)
        || is_mangled(word)
        || schemes::slashes(word).is_some_and(|at| !word[..at].contains(&b'='))
        || word.len() >= 4 && word[..4].eq_ignore_ascii_case(b"www.")
        || (memchr::memchr(b'@', word).is_some() && memchr::memchr(b'/', word).is_none())
        || (!broken_host
            && [&b".com"[..], b".org", b".net", b".edu", b".gov"]
                .iter()
                .any(|top| ends_in(top)))
        || word
            .iter()
            .position(|&b| b == b':')
            .is_some_and(|i| schemes::shape(&word[..i]).is_some())
}

/// True for the scheme of another URL with a mark too few or a wrong one: `http:/a.example`,
/// `http//a.example`, `http.//a.example`.
fn is_mangled(word: &[u8]) -> bool {
    let name = [&b"https"[..], b"http", b"ftp"]
        .into_iter()
        .find(|name| word.len() > name.len() && word[..name.len()].eq_ignore_ascii_case(name));
    name.is_some_and(|name| {
        let rest = &word[name.len()..];
        [&b"://"[..], b":/", b"//", b".//", b";//", b":\\"]
            .iter()
            .any(|mark| rest.starts_with(mark))
    })
}

/// True for a name of capitals and underscores before a colon.
fn names_field(token: &[u8]) -> bool {
    let name = memchr::memchr(b':', token).map_or(&b""[..], |at| &token[..at]);
    let is_of_name = |b: &u8| b.is_ascii_uppercase() || *b == b'_';
    name.iter().all(is_of_name) && name.contains(&b'_')
}

/// True for a name with a URL as its value: `href=http://a.example/`.
fn assigns_url(token: &[u8]) -> bool {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let len = token.iter().take_while(is_name).count();
    let value = token[len..].strip_prefix(b"=").unwrap_or_default();
    let quote = usize::from(matches!(value.first(), Some(b'"' | b'\'')));
    len > 0 && schemes::starts_url(&value[quote..])
}

/// True for a rule, a comment mark, or an octet of quoted-printable (`=20`).
/// After the name of a parameter, an octet with more text after it is the value
/// of the parameter (`&data` and `=04%7C`).
pub(super) fn is_decoration(url: &[u8], token: &[u8]) -> bool {
    let mark = |b: &u8| !b.is_ascii_alphanumeric();
    token.iter().take(3).filter(|b| mark(b)).count() == token.len().min(3)
        || matches!(token, [b'=', a, b, rest @ ..]
        if qp::byte(*a, *b).is_some_and(|byte| {
            rest.is_empty() && !byte.is_ascii_alphanumeric() || !ends_parameter(url)
        }))
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

/// The words that a letter ends with, which stand alone on their line or before a name:
/// `Cheers/Ann`.
const CLOSINGS: [&[u8]; 10] = [
    b"best",
    b"cheers",
    b"ciao",
    b"greetings",
    b"hth",
    b"mfg",
    b"regards",
    b"sincerely",
    b"thanks",
    b"thx",
];
