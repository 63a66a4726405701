//! Decides what a colon belongs to: a scheme, the `URL:` before a URL, or
//! nothing. Also decides whether a dot belongs to a host without a scheme.

mod bare;
mod unclean;

use super::boundary::Opener;
use super::candidate::{Candidate, Form};
use super::delimited::Draft;
use super::mark;
use super::masked::Masked;
use super::prefix::{is_prefix_word, prefix_before, space_before};
use super::scheme;
use super::shape::{ShapeText, has_shape};
use super::state::{Outcome, State};
use super::suffix;
use super::window::Window;
use crate::text::class::{is_break, is_scheme_byte};
use crate::text::schemes::{self, SCHEME_MAX, SchemeShape};
use crate::view;
use unclean::{is_broken_by_row, is_coloured, is_escaped};

/// A scheme in the window.
#[derive(Clone, Copy)]
struct UrlStart {
    start: usize,
    /// Index after the scheme with its colon and slashes.
    body: usize,
    shape: Option<SchemeShape>,
    glued: bool,
    /// Index of another scheme that ends at the same colon.
    other: Option<usize>,
}

impl UrlStart {
    /// A scheme without a shape of its own: with slashes, an experimental one, or any after
    /// `URL:`. Also a host without a scheme.
    fn new(start: usize, body: usize) -> UrlStart {
        UrlStart {
            start,
            body,
            shape: None,
            glued: false,
            other: None,
        }
    }

    /// True for a scheme of one letter before `://`. It is a drive (`C://x`)
    /// unless `<` or `URL:` precedes it. The caller checks for these marks.
    fn is_drive(&self) -> bool {
        self.shape.is_none() && self.body - self.start == 4
    }
}

/// The shape of a scheme whose name `//` follows.
fn slashed(name: &[u8]) -> Option<SchemeShape> {
    if !schemes::is_slashed(name) {
        return None;
    }
    if name.eq_ignore_ascii_case(b"file") {
        return Some(SchemeShape::Path);
    }
    Some(SchemeShape::Slashed)
}

impl State {
    /// Examines the byte at `colon`: a colon, or the dot after the first label
    /// of a host without a scheme.
    pub(super) fn examine(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let bytes = w.bytes();
        let floor = self.floor.saturating_sub(self.base) as usize;
        if bytes[colon] == b'.' {
            return self.examine_suffix(w, floor, colon, out);
        }

        let slashes = w.at(colon + 1) == Some(b'/') && w.at(colon + 2) == Some(b'/');
        // Nearly all URLs are these, so they need no search of the run.
        if slashes && let Some(start) = scheme::web(&bytes[floor..colon]) {
            let url = UrlStart::new(floor + start, colon + 3);
            return self.candidate(w, floor, url, out, draft);
        }
        let run_start = {
            let low = floor.max(colon.saturating_sub(SCHEME_MAX));
            low + bytes[low..colon]
                .iter()
                .rposition(|&b| !is_scheme_byte(b))
                .map_or(0, |i| i + 1)
        };
        let run = &bytes[run_start..colon];
        if is_escaped(w, floor, run_start, colon)
            || is_coloured(w, floor, run_start, colon)
            || self.config.sight.has_rows && is_broken_by_row(w, floor, run, colon)
        {
            w.disturb(colon);
        }
        // Such a colon matters in the rows of a terminal only.
        if scheme::ends_row(bytes, colon) && !scheme::is_spaced(&bytes[..colon]) {
            return self.slashes_below(w, floor, colon, out);
        }
        // The run may continue to the left, beyond the maximum length of a
        // scheme.
        let cut = colon - run_start == SCHEME_MAX
            && run_start > floor
            && is_scheme_byte(bytes[run_start - 1]);
        if is_prefix_word(run) || run.is_empty() {
            return self.examine_prefix(w, floor, colon, out, draft);
        }
        if slashes {
            let Some(scheme) = scheme::before_slashes(run, cut) else {
                return Outcome::Nothing;
            };
            let url = UrlStart {
                glued: scheme.glued,
                other: scheme.other.map(|at| run_start + at),
                ..UrlStart::new(run_start + scheme.start, colon + 3)
            };
            return self.candidate(w, floor, url, out, draft);
        }
        let word = run.iter().position(u8::is_ascii_alphabetic).unwrap_or(0);
        // Marks before the word (`--mailto:`) are not part of a scheme.
        let name = &run[word..];
        let Some(shape) = schemes::shape(name)
            .or_else(|| slashed(name))
            .filter(|_| !cut && !run[..word].iter().any(u8::is_ascii_digit))
        else {
            return self.examine_experimental(w, floor, colon, out, draft);
        };
        let url = UrlStart {
            shape: Some(shape),
            ..UrlStart::new(run_start + word, colon + 1)
        };
        self.candidate(w, floor, url, out, draft)
    }

    /// Examines a colon that may belong to an experimental scheme in brackets.
    fn examine_experimental(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        if !self.config.experimental || !scheme::is_experimental(&w.bytes()[floor..], colon - floor)
        {
            return Outcome::Nothing;
        }
        let open = memchr::memrchr(b'<', &w.bytes()[..colon]).unwrap_or(floor);
        let url = UrlStart::new(open + 1, colon + 1);
        match self.delimited(w, floor, open, &url, out, draft) {
            Some(resume) => Outcome::Candidate { resume },
            None => Outcome::Nothing,
        }
    }

    /// Examines a colon that may belong to `<URL:`.
    fn examine_prefix(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let Some(prefix) = prefix_before(w, floor, colon + 1) else {
            return Outcome::Nothing;
        };
        let Some(open) = prefix.bracket else {
            return self.examine_marked(w, colon, out);
        };
        let line = || self.line(w, open);
        let Some(resume) = draft.read(w, Form::Wrapped, open, colon + 1, line) else {
            return Outcome::Nothing;
        };
        if draft.is_several(w) {
            return Outcome::Nothing;
        }
        out.clear(Form::Wrapped);
        if w.suffixes
            && let Some(first) = draft.first()
            && let Some(scheme) = suffix::starts(w.slice(first, SCHEME_MAX))
            && suffix::has_host(draft.first_text(w))
        {
            out.clear(Form::Suffix);
            out.scheme = Some(scheme);
        }
        let resume = draft.readings(w, self.base, out, resume);
        out.limit(self.config.url_max);
        Outcome::Candidate { resume }
    }

    /// Examines the text directly after `URL:`, if it begins with a scheme that the search for
    /// colons does not know: after the mark every scheme is one (RFC 1738, Appendix).
    fn examine_marked(&mut self, w: &Window<'_>, colon: usize, out: &mut Candidate) -> Outcome {
        let start = colon + 1;
        // In programs `url:` is a name: `{url:a.b}`. In a longer word it is one too: `SITE_URL:a:b`.
        let before = w.bytes()[..colon].strip_suffix(b"URL");
        let is_mark = before.is_some_and(|before| {
            let last = before.last();
            !last.is_some_and(|b| b.is_ascii_alphanumeric() || b"_-.$@/".contains(b))
        });
        let text = w.slice(start, SCHEME_MAX + 1);
        let len = text.iter().take_while(|b| is_scheme_byte(**b)).count();
        w.count(len);
        let name = &text[..len];
        let body = start + len + 1;
        let is_name = name.len() > 1 && name[0].is_ascii_alphabetic();
        let is_known = schemes::is_slashed(name) || schemes::shape(name).is_some();
        let begins = |b: u8| b.is_ascii_alphanumeric() || b"/*?+@".contains(&b);
        if !is_mark
            || w.at(start + len) != Some(b':')
            || !is_name
            || is_known
            || w.has_word(body, b"//")
            || !w.at(body).is_some_and(begins)
        {
            return Outcome::Nothing;
        }
        out.clear(Form::Prefixed);
        let url = UrlStart::new(start, body);
        self.bare(w, url, Opener::default(), self.config.url_max, None, out)
    }

    /// Examines a dot that may end the first label of a host without a scheme.
    fn examine_suffix(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        dot: usize,
        out: &mut Candidate,
    ) -> Outcome {
        let Some(label) = suffix::label(w.bytes(), floor, dot) else {
            return Outcome::Nothing;
        };
        let (start, body) = (label.start, dot + 1);
        let before = (start > floor).then(|| w.bytes()[start - 1]);
        let opener = Opener(before);
        let max = self.config.url_max - label.scheme.len();
        out.clear(Form::Suffix);
        out.scheme = Some((label.scheme, body - start));
        self.bare(w, UrlStart::new(start, body), opener, max, None, out)
    }

    /// The URL at `url`, if an archive masked it or a blank follows its scheme. In a
    /// wrapper white space is removed anyway.
    fn masked(&self, w: &Window<'_>, url: &UrlStart, opener: Option<u8>) -> Option<Masked> {
        let blank = w.at(url.body) == Some(b' ');
        let delimited = matches!(opener, Some(b'<' | b'"'));
        if url.glued || blank && delimited || !blank && url.shape.is_none() {
            return None;
        }
        let opener = Opener(opener);
        Masked::read(w, url.start, url.body, opener, self.config.url_max)
    }

    fn has_shape(&mut self, w: &Window<'_>, shape: SchemeShape, body: usize) -> bool {
        if self.config.plain {
            (self.at_sign, self.comma) = Default::default();
        }
        let text = ShapeText::Bare {
            base: self.base,
            at_sign: &mut self.at_sign,
            comma: &mut self.comma,
        };
        has_shape(w, shape, body, text)
    }

    /// The URL in brackets or quotation marks, the first of which is at `open`. Returns the
    /// index at which the scan continues. `None` if there is not one URL between them.
    fn delimited(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        open: usize,
        url: &UrlStart,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Option<usize> {
        let is_quoted = w.bytes()[open] == b'"';
        let form = if is_quoted {
            Form::Quoted
        } else {
            Form::Bracketed
        };
        let line = || self.line(w, open);
        let resume = draft.read(w, form, open, url.start, line)?;
        if !is_quoted && is_leader_of_diff(w, open, resume) {
            return None;
        }
        // The mark of a row that the screen cuts closes no bracket.
        if self.config.sight.has_rows
            && !is_quoted
            && draft.is_single()
            && matches!(w.at(resume), Some(b'\r' | b'\n'))
            && view::may_go_on(w.bytes(), resume - 1, w.is_end())
        {
            w.disturb(resume - 1);
        }
        let has_its_shape = match url.shape {
            Some(shape) if is_quoted => has_shape(w, shape, url.body, ShapeText::Quoted(draft)),
            _ => true,
        };
        if !has_its_shape || is_quoted && url.is_drive() {
            return None;
        }
        if draft.is_several(w) || draft.first() != Some(url.start) {
            return None;
        }
        // What somebody abbreviated is read as without delimiters.
        if !is_quoted && mark::trails(draft.first_text(w)) {
            return None;
        }
        out.clear(form);
        if is_quoted {
            let before = (open > floor).then(|| w.bytes()[open - 1]);
            if let Some(mark) = draft.trim_quoted(w, before, url.body) {
                out.mark(mark);
            }
        }
        let scheme = url.body - url.start;
        if draft.first_text(w).len() <= scheme && draft.is_single() {
            return None;
        }
        let resume = draft.readings(w, self.base, out, resume);
        out.limit(self.config.url_max);
        Some(resume)
    }

    /// Tries the forms that the text around the scheme at `url.start` allows.
    fn candidate(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        url: UrlStart,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let bytes = w.bytes();
        let before = space_before(bytes, floor, url.start);
        let opener = (before > floor).then(|| bytes[before - 1]);
        if (matches!(url.shape, None | Some(SchemeShape::At)) || w.at(url.body) == Some(b'<'))
            && let Some(masked) = self.masked(w, &url, opener)
        {
            let closed = opener == Some(b'<') && w.at(masked.end) == Some(b'>');
            out.clear(if closed { Form::Bracketed } else { Form::Bare });
            masked.reading(w, self.base, url.start, out);
            out.limit(self.config.url_max);
            let resume = masked.end;
            return Outcome::Candidate { resume };
        }
        let is_delimited = match opener {
            Some(b'<') => true,
            Some(b'"') => before == url.start,
            _ => false,
        };
        if is_delimited
            && !url.glued
            && let Some(resume) = self.delimited(w, floor, before - 1, &url, out, draft)
        {
            return Outcome::Candidate { resume };
        }
        let prefix = if is_delimited {
            None
        } else {
            prefix_before(w, floor, before)
        };
        // The colon of the scheme is the only one in `<URL=http://a/>`.
        if prefix.is_some_and(|p| p.bracket.is_some()) && bytes[before - 1] == b'=' {
            let outcome = self.examine_prefix(w, floor, before - 1, out, draft);
            if !matches!(outcome, Outcome::Nothing) {
                return outcome;
            }
        }
        // After an explicit mark any scheme is allowed. The grammar decides
        // later.
        if prefix.is_none()
            && (url.is_drive()
                || url
                    .shape
                    .is_some_and(|shape| !self.has_shape(w, shape, url.body)))
        {
            return Outcome::Nothing;
        }
        // An unclosed `<URL:` is read as a bare URL.
        let form = if prefix.is_some_and(|p| p.bracket.is_none()) {
            Form::Prefixed
        } else {
            Form::Bare
        };
        let opener = Opener(if before == url.start { opener } else { None });
        let wrapper = prefix.and_then(|p| p.bracket);
        out.clear(form);
        out.signs.glued = url.glued;
        let delimiter = is_delimited.then(|| bytes[before - 1]);
        self.bare_after(w, url, opener, delimiter, wrapper, out)
    }
}

/// True if the bracket at `open` is the mark of an old line of a `diff`, and the one before `close` that
/// of a new line: both are the first bytes of their lines, before a blank.
fn is_leader_of_diff(w: &Window<'_>, open: usize, close: usize) -> bool {
    let bytes = w.bytes();
    let begins_line = |at: usize| at == 0 || is_break(bytes[at - 1]);
    bytes[open + 1] == b' '
        && begins_line(open)
        && begins_line(close - 1)
        && w.at(close) == Some(b' ')
}
