//! Decides what a colon belongs to: a scheme, the `URL:` before a URL, or
//! nothing. Also decides whether a dot belongs to a host without a scheme.

use super::bare::{self, BareUrl};
use super::boundary::{self, Bare, Depth, Extent, Opener};
use super::candidate::{Candidate, Doubt, Form, ReadingKind};
use super::delimited::Draft;
use super::domain;
use super::leader::{self, skip_blanks};
use super::mark::{self, Mark};
use super::marks;
use super::masked::Masked;
use super::prefix::{is_prefix_word, prefix_before, space_before};
use super::rejoin::{after_break, skip_indent};
use super::scheme;
use super::shape::{ShapeText, has_shape};
use super::state::{Outcome, State};
use super::suffix;
use super::template;
use super::window::Window;
use crate::text::class::{is_break, is_scheme_byte, is_space};
use crate::text::schemes::{self, SCHEME_MAX, SchemeShape};
use crate::text::words::is_www;
use crate::view;
use urlgrep_base::span::{SeamKind, Span};

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

    /// Reads a bare URL of at most `max` bytes. `out` has its form. `wrapper` is
    /// the index of an opening bracket with `URL:` before it.
    fn bare(
        &mut self,
        w: &Window<'_>,
        url: UrlStart,
        opener: Opener,
        max: usize,
        wrapper: Option<usize>,
        out: &mut Candidate,
    ) -> Outcome {
        let url = after_doubled(w, url, out);
        let (start, body) = (url.start, url.body);
        let Bare::Found(mut extent) = boundary::bare(w, start, body, opener, max) else {
            let resume = start + max;
            return Outcome::TooLong { start, resume };
        };
        mend_end(w, &url, out.signs.form, &mut extent);
        if let Some(end) = template::over_blanks(w, start, body, extent.raw, opener, max) {
            return self.placeholder(w, start, end, out);
        }
        let text = w.slice(start, extent.end - start);
        if self.config.sight.has_rows && rows_may_go_on(w, start, extent.raw)
            || is_commented(w, start, extent.raw)
        {
            w.disturb(extent.raw);
        }
        if text.len() <= body - start {
            return self.host_below(w, url, opener, extent, out);
        }
        if out.signs.form == Form::Suffix && !suffix::has_host(text) {
            return Outcome::Nothing;
        }
        if w.at(extent.raw) == Some(b'<') && has_twin(w, start, extent.raw) {
            return Outcome::Nothing;
        }
        let mark = mark::after(w, start, body, &extent);
        if let Some((mark, after)) = mark {
            if mark::is_repeated(w, w.slice(start, extent.end - start), after) {
                return Outcome::Nothing;
            }
            if let Mark::Cut(end) | Mark::Dots(end) = mark {
                extent.end = end;
                extent.raw = extent.raw.max(end);
            }
            out.mark(mark);
        }
        let line = if mark.is_none() && bare::may_go_on(w, body, extent.raw) {
            self.line_start(w, start)
        } else {
            None
        };
        out.ends_word = marks::ends_word(w, extent.raw);
        let found = BareUrl {
            start,
            body,
            extent,
            opener,
            line,
            max,
            join: self.config.join,
            other: url.other,
            wrapper,
            may_go_on: self.base + start as u64 >= self.joined_to,
        };
        let Some(resume) = found.readings(w, self.base, out) else {
            return Outcome::Nothing;
        };
        self.finish_bare(w, &found, resume, out);
        Outcome::Candidate { resume }
    }

    /// The text from `start` to `end`, which has a placeholder with blanks in it, so it names no page.
    #[cold]
    fn placeholder(
        &self,
        w: &Window<'_>,
        start: usize,
        end: usize,
        out: &mut Candidate,
    ) -> Outcome {
        let span = Span::new(self.base + start as u64, self.base + end as u64);
        out.copy(w.slice(start, end - start), span);
        out.finish(ReadingKind::Plain, true);
        out.is_template = true;
        out.limit(self.config.url_max);
        Outcome::Candidate { resume: end }
    }

    /// Completes the bare URL `found` in `out`, after which the scan continues at `resume`.
    fn finish_bare(&self, w: &Window<'_>, found: &BareUrl, resume: usize, out: &mut Candidate) {
        let BareUrl {
            start,
            body,
            extent,
            ..
        } = found;
        let is_first = out.readings.first_text().len() == extent.end - start;
        out.host_is_cut = extent.end == body + 3 && found.is_www_of(out.readings.first_text())
            || is_first && found.line.is_some() && found.has_cut_host(w)
            || is_first && is_cut_at_column(w, *body, extent.end);
        // The lines of a joined URL may be longer than the limit together.
        out.limit(self.config.url_max);
        if out.signs.doubts.has(Doubt::Joined)
            && let Some(mark) = mark::after_line(w, *start, *body, extent, resume)
        {
            out.mark(mark);
        }
        let is_sure = out.is_sure();
        out.signs.continues |= is_sure && (may_go_on(w, resume) || bare::is_cut(w, *body, resume));
    }

    /// The URL at `url`, whose slashes end its line. If the next line does not begin with its
    /// host, it is a candidate without a host, which says that it was cut.
    #[cold]
    fn host_below(
        &mut self,
        w: &Window<'_>,
        url: UrlStart,
        opener: Opener,
        extent: Extent,
        out: &mut Candidate,
    ) -> Outcome {
        let (start, body) = (url.start, url.body);
        let is_web = url.shape.is_none() && schemes::is_slashed(&w.bytes()[start..body - 3]);
        if !is_web || extent.raw != body || !bare::text_follows(w, body) {
            return Outcome::Nothing;
        }
        let found = BareUrl {
            start,
            body,
            extent,
            opener,
            line: self.line_start(w, start),
            max: self.config.url_max,
            join: self.config.join,
            other: None,
            wrapper: None,
            may_go_on: self.base + start as u64 >= self.joined_to,
        };
        let Some(line) = found.line else {
            return Outcome::Nothing;
        };
        let joined = if self.config.join && found.may_go_on {
            found.host_below(w, self.base, line, out)
        } else {
            None
        };
        let resume = joined.unwrap_or_else(|| {
            found.stump(w, self.base, out);
            body
        });
        out.limit(self.config.url_max);
        Outcome::Candidate { resume }
    }

    /// The URL whose line ends with its scheme and the colon at `colon`. The next line must begin with
    /// its slashes and a whole host, because comments of programs begin with slashes too.
    #[cold]
    fn slashes_below(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        colon: usize,
        out: &mut Candidate,
    ) -> Outcome {
        let Some(start) = scheme::web(&w.bytes()[floor..colon]) else {
            return Outcome::Nothing;
        };
        let start = floor + start;
        let marks = skip_indent(w, after_break(w, colon + 1));
        let next = leader::skip_quotes(w, marks);
        let may_go_on = self.base + start as u64 >= self.joined_to;
        if !w.has_word(next, b"//") || !self.config.join || !may_go_on {
            return Outcome::Nothing;
        }
        let body = next + 2;
        let none = (Opener::default(), Depth::default());
        let Bare::Found(extent) = boundary::more(w, body, none.0, none.1, self.config.url_max)
        else {
            return Outcome::Nothing;
        };
        if !domain::is_whole(domain::host(w.slice(body, extent.end - body))) {
            return Outcome::Nothing;
        }
        out.clear(Form::Bare);
        out.signs.doubts.add(Doubt::Joined, true);
        let span =
            |from: usize, to: usize| Span::new(self.base + from as u64, self.base + to as u64);
        out.copy(&w.bytes()[start..=colon], span(start, colon + 1));
        out.seam(SeamKind::LineBreak, span(colon + 1, marks), b"");
        out.seam(SeamKind::Leader, span(marks, next), b"");
        out.copy(&w.bytes()[next..extent.end], span(next, extent.end));
        out.finish(ReadingKind::Joined, true);
        out.limit(self.config.url_max);
        let resume = extent.end;
        Outcome::Candidate { resume }
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

    /// As [`bare`](State::bare), for a URL after a `delimiter` that is not one of its form.
    fn bare_after(
        &mut self,
        w: &Window<'_>,
        url: UrlStart,
        opener: Opener,
        delimiter: Option<u8>,
        wrapper: Option<usize>,
        out: &mut Candidate,
    ) -> Outcome {
        let outcome = self.bare(w, url, opener, self.config.url_max, wrapper, out);
        let close = match (delimiter, opener.0) {
            (Some(b'<'), _) => b'>',
            (Some(_), _) => b'"',
            (None, Some(b'[')) => b']',
            _ => return outcome,
        };
        if matches!(outcome, Outcome::Candidate { .. }) {
            self.over_blanks(w, close, out);
        }
        outcome
    }

    /// Adds the reading of a URL whose brackets or quotation marks have blanks in them, if what
    /// follows the blanks is the rest of a path: `<http://a.example/My Docs/b.html>`, or of the
    /// target of a link: `[[http://a.example/My Docs][text]]`.
    fn over_blanks(&self, w: &Window<'_>, close: u8, out: &mut Candidate) {
        let first = out.readings.reading(0);
        let ([segment], []) = (first.segments, first.seams) else {
            return;
        };
        let span =
            |from: usize, to: usize| Span::new(self.base + from as u64, self.base + to as u64);
        let start = (segment.start - self.base) as usize;
        let from = (segment.end - self.base) as usize;
        if w.at(from) != Some(b' ') {
            return;
        }
        let end = match close {
            b']' => marks::end_of_target(w, start, from),
            _ => marks::end_of_path(w, start, from, close),
        };
        let Some(end) = end else {
            return;
        };
        let text = w.slice(start, end - start);
        let mut at = 0;
        for blank in memchr::memchr_iter(b' ', text) {
            out.copy(&text[at..blank], span(start + at, start + blank));
            out.seam(
                SeamKind::Blank,
                span(start + blank, start + blank + 1),
                b"%20",
            );
            at = blank + 1;
        }
        out.copy(&text[at..], span(start + at, end));
        out.finish(ReadingKind::Space, false);
        out.signs.doubts.add(Doubt::InnerSpace, true);
    }
}

/// True if the text of a URL that ends at `end` may go on there: with a letter, also after a control
/// code that no text has (`http://a\x01b/`), or in its line after a hyphen. At a line end the
/// evidence has decided.
#[inline]
fn may_go_on(w: &Window<'_>, end: usize) -> bool {
    let next = w.at(end).unwrap_or(b' ');
    let is_hyphen = w.bytes()[end - 1] == b'-';
    // Nearly all URLs end before a blank.
    let is_control = next < b' ' && !is_space(next);
    let is_likely = next >= 0x80 || is_control || next.is_ascii_alphanumeric();
    (is_likely || is_hyphen) && goes_on(w, end, is_hyphen)
}

#[cold]
fn goes_on(w: &Window<'_>, end: usize, is_hyphen: bool) -> bool {
    let at = if is_hyphen { skip_blanks(w, end) } else { end };
    match w.at(at) {
        // NUL ends a string of a program, and BEL the target of a link of a terminal.
        Some(b @ ..b' ') if !is_space(b) => {
            let is_letter = || w.at(at + 1).is_some_and(|b| b.is_ascii_alphanumeric());
            !matches!(b, 0 | 7) && is_letter() && !url_follows_code(w, at + 1)
        }
        None | Some(b'>' | b')' | b']' | b'}' | b'"') => false,
        // A smiley with eyes that are a digit.
        Some(b'8') if w.has_word(at, b"8-)") => false,
        Some(b) if b.is_ascii() => !is_break(b) && !scheme::url_follows(w, at),
        // A letter that was lost.
        Some(_) => w.character(at) == "\u{FFFD}".as_bytes(),
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

/// Moves the end of a URL that is known by its scheme: after the asterisk of `news:*`, and before the
/// size that follows an address in a record of DMARC.
fn mend_end(w: &Window<'_>, url: &UrlStart, form: Form, extent: &mut Extent) {
    extent.end += usize::from(is_of_all_groups(w, url.start, url.body, extent, form));
    if url.shape == Some(SchemeShape::At)
        && let Some(len) = marks::before_size(w.slice(url.start, extent.end - url.start))
    {
        extent.end = url.start + len;
        extent.raw = extent.end;
    }
}

/// True if a column or a line of the text cuts the host of the URL at its dot: `http://www.example.`
/// and two blanks, or a line with more text below. A host that begins with `www` has three labels.
#[inline]
fn is_cut_at_column(w: &Window<'_>, body: usize, end: usize) -> bool {
    // Few URLs end before a full stop.
    w.bytes().get(end) == Some(&b'.') && is_half_of_www(w, body, end)
}

#[cold]
fn is_half_of_www(w: &Window<'_>, body: usize, end: usize) -> bool {
    let host = &w.bytes()[body..end];
    let is_www = is_www(host);
    let is_label = |b: &u8| b.is_ascii_alphanumeric() || *b == b'-';
    let is_cut = || {
        w.has_word(end + 1, b"  ")
            || w.has_word(end + 1, b" |")
            || bare::text_follows(w, end + 1) && !domain::is_top(&host[4..])
    };
    is_www && host[4..].iter().all(is_label) && is_cut()
}

/// True if another URL begins after the numbers of a colour at `from`: `http://a\x0304http://b`.
fn url_follows_code(w: &Window<'_>, from: usize) -> bool {
    const COLOURS: usize = 6;
    let near = w.slice(from, COLOURS);
    let is_part = |b: &&u8| b.is_ascii_digit() || **b == b',';
    let colours = near.iter().take_while(is_part).count();
    scheme::url_follows(w, from + colours)
}

/// True if the asterisk of `news:*`, which names all newsgroups (RFC 1738 3.6), follows the scheme of
/// a URL after `URL:`. There it is no mark of the text.
#[inline]
fn is_of_all_groups(
    w: &Window<'_>,
    start: usize,
    body: usize,
    extent: &Extent,
    form: Form,
) -> bool {
    form == Form::Prefixed
        && extent.end == body
        && w.bytes()[start..body].eq_ignore_ascii_case(b"news:")
        && w.at(body) == Some(b'*')
        && !w.at(body + 1).is_some_and(|b| b.is_ascii_alphanumeric())
}

/// The second URL of `http://http://a.example/`, which is the one that opens.
#[inline]
fn after_doubled(w: &Window<'_>, url: UrlStart, out: &mut Candidate) -> UrlStart {
    // Few hosts have a slash there.
    let has_slash = |at| w.bytes().get(url.body + at) == Some(&b'/');
    if has_slash(5) || has_slash(6) {
        second_url(w, url, out)
    } else {
        url
    }
}

#[cold]
fn second_url(w: &Window<'_>, url: UrlStart, out: &mut Candidate) -> UrlStart {
    let Some(len) = marks::doubled(w.slice(url.body, marks::DOUBLED_MAX)) else {
        return url;
    };
    if url.shape.is_some() || !is_web(&w.bytes()[url.start..url.body]) {
        return url;
    }
    out.signs.doubts.add(Doubt::Doubled, true);
    UrlStart {
        other: Some(url.start),
        ..UrlStart::new(url.body, url.body + len)
    }
}

/// True for `http://` and other schemes of hosts that people type.
fn is_web(scheme: &[u8]) -> bool {
    [&b"http://"[..], b"https://", b"ftp://"]
        .iter()
        .any(|name| scheme.eq_ignore_ascii_case(name))
}

/// True if a backslash stands beside the scheme `run_start..colon`: `https\://`, `https:\/\/`,
/// `\nhttp://`. Or if the colon is printed over another character.
fn is_escaped(w: &Window<'_>, floor: usize, run_start: usize, colon: usize) -> bool {
    // A code of IRC, as around a bold `http`.
    let is_code =
        |at: usize| matches!(w.bytes()[at], 0x02..=0x04 | 0x0F | 0x11 | 0x16 | 0x1D..=0x1F);
    if run_start == colon && colon > floor && is_code(colon - 1) {
        return true;
    }
    let is_near = |i: usize| run_start >= floor + i && w.bytes()[run_start - i] == b'\\';
    let is_next = w.at(colon + 1) == Some(b'\\')
        && matches!(w.at(colon + 2), Some(b'/' | b'\\' | b'u' | b'x'));
    let is_twice = match &w.bytes()[floor..colon] {
        [.., b, b'_', scheme::BACKSPACE] => b.is_ascii_alphabetic(),
        [.., b] => b.is_ascii_alphabetic() && w.at(colon + 1) == Some(scheme::BACKSPACE),
        [] => false,
    };
    is_next || is_twice || (1..4).any(is_near)
}

/// True if codes of a terminal or of IRC stand inside of the scheme `run_start..colon` or beside its
/// colon, as where a program colours what it searched for: `\x1b[31mhttp\x1b[m\x1b[Ks://`.
#[inline]
fn is_coloured(w: &Window<'_>, floor: usize, run_start: usize, colon: usize) -> bool {
    let run = &w.bytes()[run_start..colon];
    let slashes = w.slice(colon + 1, 2).iter().take_while(|&&b| b == b'/');
    let after = colon + 1 + slashes.count();
    if after < colon + 3 && w.at(after) == Some(scheme::ESCAPE) {
        return true;
    }
    let is_rest = |name: &[u8]| name.is_empty() || is_rest_of_scheme(name);
    let before = &w.bytes()[floor..run_start];
    match before.last() {
        // The last letter of the code may seem to begin the scheme, as may its last number.
        Some(b'[' | b';' | b':') => {
            let numbers = before.iter().rev().take(CODE_NEAR);
            let len = numbers.take_while(|&&b| b.is_ascii_digit() || matches!(b, b';' | b':'));
            let code = &before[..before.len() - len.count()];
            let digits = run.iter().take_while(|b| b.is_ascii_digit()).count();
            code.ends_with(b"\x1B[")
                && matches!(&run[digits..], [b'm' | b'K', name @ ..] if is_rest(name))
        }
        // A set of characters: `\x1b(B`.
        Some(b'(') => {
            before.ends_with(b"\x1B(") && matches!(run, [b'B' | b'0', name @ ..] if is_rest(name))
        }
        Some(0x02 | 0x0F | 0x11 | 0x16 | 0x1D..=0x1F) => is_rest_of_scheme(run),
        _ => false,
    }
}

/// The most bytes of the numbers of a colour.
const CODE_NEAR: usize = 32;

/// True if `name` is the end of `http` or `https`, but not the whole.
fn is_rest_of_scheme(name: &[u8]) -> bool {
    [&b"ttps"[..], b"tps", b"ps", b"ttp", b"tp", b"p", b"s"].contains(&name)
}

/// True if `before`, the text before `://`, ends with a row that may end with a scheme.
#[cold]
fn scheme_is_above(before: &[u8]) -> bool {
    let blanks = before
        .iter()
        .rev()
        .take(ROW_START)
        .take_while(|&&b| b != b'\n');
    let above = &before[..before.len() - blanks.count()];
    let Some(above) = above.strip_suffix(b"\n") else {
        return false;
    };
    let end = above
        .iter()
        .rev()
        .take(ROW_END)
        .find(|b| b.is_ascii_alphabetic());
    end.is_some_and(|b| b"sptSPT".contains(b))
}

/// The most bytes before the text of a row, and after it.
const ROW_START: usize = 16;
const ROW_END: usize = 160;

/// True if the width of a terminal may have broken the scheme at the colon: before it, in its name
/// `run`, or after it.
fn is_broken_by_row(w: &Window<'_>, floor: usize, run: &[u8], colon: usize) -> bool {
    let at = colon + 1;
    let slashes = w.slice(at, 2).iter().take_while(|&&b| b == b'/').count();
    match slashes {
        2 if run.is_empty() => scheme_is_above(&w.bytes()[floor..colon]),
        2 => is_rest_of_scheme(run),
        _ => {
            let ends = |b| {
                matches!(
                    b,
                    b' ' | b'\r' | b'\n' | b'|' | b'*' | b'#' | b'\\' | 0x80..
                )
            };
            scheme::ends_web(run) && w.at(at + slashes).is_some_and(ends)
        }
    }
}

/// True if a URL that begins at `start` and ends at `end` may go on in the next row of a terminal. It
/// may also end before a bar which it seems to have.
fn rows_may_go_on(w: &Window<'_>, start: usize, end: usize) -> bool {
    let is_end = |b: u8| matches!(b, b' ' | b'\r' | b'\n' | b'>' | 0x80..);
    let bar = || {
        let word = w.slice(start, end + 1 - start);
        memchr::memchr(b'|', word).map(|at| start + at)
    };
    w.at(end).is_some_and(is_end) && view::may_go_on(w.bytes(), end, w.is_end())
        || bar().is_some_and(|bar| view::has_bar_above(w.bytes(), bar))
}

/// True if an empty comment of LaTeX takes out the line end after the URL: `\url{http://a/%`.
#[inline]
fn is_commented(w: &Window<'_>, start: usize, end: usize) -> bool {
    w.bytes()[end - 1] == b'%'
        && w.bytes()[..start].ends_with(b"{")
        && matches!(w.at(end), Some(b'\r' | b'\n'))
}

/// True if the URL has `**` and stands in the brackets at `end` without them. Gmail wrote
/// HTML as text so: `http://a/b_**c.git<http://a/b_c.git>`.
fn has_twin(w: &Window<'_>, start: usize, end: usize) -> bool {
    let text = w.slice(start, end - start);
    let mut rest = text;
    let mut at = end + 1;
    while let Some(mark) = memchr::memmem::find(rest, b"**") {
        if !w.has_here(at, &rest[..mark]) {
            return false;
        }
        at += mark;
        rest = &rest[mark + 2..];
    }
    rest.len() < text.len() && w.has_here(at, rest) && w.at(at + rest.len()) == Some(b'>')
}
