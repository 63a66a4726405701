//! Reads a URL without delimiters at a place where one begins: its end, the mark after it, and whether it
//! goes on. Its readings over the lines below are those of [`bare`].

use super::UrlStart;
use super::unclean::{is_commented, rows_may_go_on};
use crate::scan::bare::{self, BareUrl};
use crate::scan::boundary::{self, Bare, Depth, Extent, Opener};
use crate::scan::candidate::{Candidate, Doubt, Form, ReadingKind};
use crate::scan::leader::{self, skip_blanks};
use crate::scan::mark::{self, Mark};
use crate::scan::rejoin::{after_break, skip_indent};
use crate::scan::state::{Outcome, State};
use crate::scan::window::Window;
use crate::scan::{domain, marks, scheme, suffix, template};
use crate::text::class::{is_break, is_space};
use crate::text::schemes::{self, SchemeShape};
use crate::text::words::is_www;
use urlgrep_base::span::{SeamKind, Span};

impl State {
    /// Reads a bare URL of at most `max` bytes. `out` has its form. `wrapper` is
    /// the index of an opening bracket with `URL:` before it.
    pub(super) fn bare(
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
    pub(super) fn slashes_below(
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

    /// As [`bare`](State::bare), for a URL after a `delimiter` that is not one of its form.
    pub(super) fn bare_after(
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
