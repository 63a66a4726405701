//! Decides whether a line end may have cut a bare URL, by the last bytes of the URL and a few bytes
//! of the next line. So `examine` knows which URLs need more than their own line, and which are
//! printed with a sign that they may go on.

use super::BareUrl;
use super::next_line::{beginning, line_end};
use crate::scan::doi::ends_doi_prefix;
use crate::scan::evidence;
use crate::scan::leader::skip_blanks;
use crate::scan::limits::{LEADER_MAX, NEXT_LINE_MAX};
use crate::scan::rejoin::{after_break, skip_indent};
use crate::scan::window::Window;
use crate::scan::{domain, gateway, leader, scheme};
use crate::text::class::{is_blank, is_break};

impl BareUrl {
    /// True if the URL is only a scheme with `//` and one label of a host, such as `www`, which a
    /// line end may have cut.
    #[inline]
    fn is_label(&self, w: &Window<'_>) -> bool {
        let host = &w.bytes()[self.body..self.extent.end];
        // Nearly all hosts have a full stop after a few bytes.
        !host.iter().any(|b| matches!(b, b'.' | b'/')) && self.has_label_only(w, host)
    }

    #[inline(never)]
    fn has_label_only(&self, w: &Window<'_>, host: &[u8]) -> bool {
        w.bytes()[..self.body].ends_with(b"//")
            && host.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
            && !host.eq_ignore_ascii_case(b"localhost")
    }

    /// True if the URL [is a label](BareUrl::is_label), and no other URL begins the next line.
    pub(super) fn is_label_before_text(&self, w: &Window<'_>) -> bool {
        self.is_label(w) && !scheme::starts_at(w, after_break(w, self.extent.raw))
    }

    /// True if a line end cuts the host of the URL after its first label: a full stop ends the line,
    /// or the next line begins with the rest of a host and a path.
    #[inline]
    pub(in crate::scan) fn has_cut_host(&self, w: &Window<'_>) -> bool {
        self.is_label(w) && self.is_cut_label(w)
    }

    #[inline(never)]
    fn is_cut_label(&self, w: &Window<'_>) -> bool {
        let (end, raw) = (self.extent.end, self.extent.raw);
        if !text_follows(w, raw) {
            return false;
        }
        let Some(line_end) = line_end(w, raw) else {
            return false;
        };
        if w.bytes()[end..raw] == *b"." {
            return true;
        }
        let next = leader::skip_quotes(w, after_break(w, line_end));
        if end < raw || scheme::starts_at(w, next) {
            return false;
        }
        let text = beginning(w, next);
        let host = domain::host(text);
        domain::is_whole(host)
            && host
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || b"-.".contains(b))
            && text.get(host.len()) == Some(&b'/')
    }

    /// True if `text`, a reading of this URL, is only a scheme and `www`: the beginning of a host
    /// that a line end has cut.
    pub(in crate::scan) fn is_www_of(&self, text: &[u8]) -> bool {
        let body = self.body - self.start;
        text.len() == body + 3 && text[body..].eq_ignore_ascii_case(b"www")
    }
}

/// True if the line ends at `raw`, and the next line is not blank.
pub(in crate::scan) fn text_follows(w: &Window<'_>, raw: usize) -> bool {
    let end = skip_blanks(w, raw);
    if !w.at(end).is_some_and(is_break)
        || w.ends_paragraph(end + usize::from(w.slice(end, 2) == b"\r\n"))
    {
        return false;
    }
    let next = skip_indent(w, after_break(w, end));
    w.at(next).is_some_and(|b| !is_break(b))
}

/// True if a line ends with the URL at `raw`, whose last byte says that it is not whole: it is a
/// hyphen before a word, or that of the prefix of a DOI.
#[inline]
pub(in crate::scan) fn is_cut(w: &Window<'_>, body: usize, raw: usize) -> bool {
    // Nearly all URLs end in another byte, or after a letter and a slash.
    match w.bytes()[..raw] {
        [.., b'-'] => is_cut_at(w, body, raw),
        [.., digit, b'/'] if digit.is_ascii_digit() => is_cut_at(w, body, raw),
        _ => false,
    }
}

#[inline(never)]
fn is_cut_at(w: &Window<'_>, body: usize, raw: usize) -> bool {
    const LINES: usize = 3;
    let mut at = skip_blanks(w, raw);
    if !w.at(at).is_some_and(is_break) {
        return false;
    }
    if w.bytes()[raw - 1] == b'-' {
        let next = skip_indent(w, after_break(w, at));
        let has_path = memchr::memchr(b'/', &w.bytes()[body..raw]).is_some();
        let is_letter = |at| w.at(at).is_some_and(|b| b.is_ascii_alphabetic());
        let is_word = || is_letter(next) && is_letter(next + 1);
        return has_path && is_word() && !scheme::url_follows(w, next);
    }
    let scheme = body.saturating_sub(LEADER_MAX);
    if !ends_doi_prefix(&w.bytes()[scheme..raw]) {
        return false;
    }
    for _ in 0..LINES {
        if !w.at(at).is_some_and(is_break) {
            break;
        }
        at = skip_indent(w, after_break(w, at));
    }
    w.at(at).is_some_and(|b| !is_break(b))
}

/// True if the URL that ends at `raw` ends its line, and the next line may have
/// its rest. A blank line has none. Decides by the bytes of the window, because
/// a short line is no reason to wait for the next one.
#[inline]
pub(in crate::scan) fn may_go_on(w: &Window<'_>, body: usize, raw: usize) -> bool {
    let url = &w.bytes()[body - 1..raw];
    let goes_on = |_: &_| !evidence::is_end(url) || gateway::end_marks(url).is_some();
    let Some(end) = line_end(w, raw).filter(goes_on) else {
        return false;
    };
    let bytes = &w.bytes()[end..];
    let next = 1 + usize::from(bytes.starts_with(b"\r\n"));
    let mut text = bytes[next..].iter().take(NEXT_LINE_MAX);
    !text.find(|&&b| !is_blank(b)).is_some_and(|&b| is_break(b))
}
