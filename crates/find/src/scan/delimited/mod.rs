//! URLs between delimiters: `<URL:...>`, `<scheme:...>`, `"scheme:..."`.
//!
//! A [`Draft`] is what stands between two delimiters. It is made here, and `readings` says which URLs
//! it may be.

mod readings;

use super::boundary;
use super::candidate::Form;
use super::limits::{DELIMITED_MAX, NEXT_LINE_MAX};
use super::lines::LineHead;
use super::mark::{self, Mark};
use super::rejoin::{self, Gap, GapKind};
use super::window::Window;
use crate::text::class::{CLASS, Class, is_break, is_scheme_byte, is_space};
use crate::text::schemes;
use crate::view::END;
pub(super) use readings::value;

/// The parts of a delimited URL, as indexes into the window. Texts and gaps
/// alternate: text, gap, text … text. The memory is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The texts. A finished draft has at least one. No text is empty.
    texts: Vec<(usize, usize)>,
    /// The gaps between the texts.
    gaps: Vec<Gap>,
    /// Index of the first byte of the URL's first line, if known.
    line: Option<usize>,
    /// No line break has been read yet.
    line_of_open: bool,
    /// The URL is the value of an attribute: `="..."`.
    is_attribute: bool,
}

impl Draft {
    /// Reads the text after the delimiter at `open`, up to the closing byte.
    /// `content` is the index of the first byte of the text. Returns the index
    /// after the closing byte. `None` if the closing byte is missing within the
    /// limit, or if the form does not allow the text. Then the bytes may still
    /// belong to another form.
    ///
    /// Linear in the bytes up to the closing delimiter, or up to the byte that
    /// rules it out. At most [`DELIMITED_MAX`].
    ///
    /// `line` finds the line of the delimiter. It is called only if there is a
    /// gap, because most delimited URLs are on one line.
    #[expect(
        clippy::too_many_lines,
        reason = "one loop over the bytes up to the closing one, with the text and the gap that are open"
    )]
    pub(super) fn read<'h>(
        &mut self,
        w: &Window<'h>,
        form: Form,
        open: usize,
        content: usize,
        mut line: impl FnMut() -> LineHead<'h>,
    ) -> Option<usize> {
        self.texts.clear();
        self.gaps.clear();
        self.line = None;
        self.line_of_open = true;
        self.is_attribute = false;
        let mut leader = None;
        let opener = if form == Form::Quoted { b'"' } else { b'<' };
        let mut gap = |draft: &mut Draft, i, limit| {
            let leader = leader.get_or_insert_with(|| {
                let line = line();
                draft.line = line.start;
                line.leader
            });
            // No line break precedes this gap in the wrapper.
            let near = draft.line_of_open && i - open < NEXT_LINE_MAX && w.at(i - 1) != Some(b':');
            let gap = rejoin::gap(w, i, leader, opener, limit, near && form == Form::Wrapped);
            draft.line_of_open &= gap.is_some_and(|gap| gap.kind == GapKind::Space);
            gap
        };
        // The limit for the last byte of the form.
        let limit = open + DELIMITED_MAX - 1;
        let mut i = content;
        if form != Form::Quoted && w.at(i).is_some_and(is_space) {
            let before = gap(self, i, limit)?;
            self.begins_after(&before);
            i = before.end;
        }
        if form == Form::Wrapped {
            while w.has_word(i, b"url:") && i < limit {
                i += 4;
                if w.at(i).is_some_and(is_space) {
                    let before = gap(self, i, limit)?;
                    self.begins_after(&before);
                    i = before.end;
                }
            }
            i = skip_slashes(w, i);
        }
        if form == Form::Wrapped && !w.at(i).is_some_and(starts_reference) {
            return None;
        }
        let mut text = i;
        let mut has_blank = false;
        let close = if form == Form::Quoted { b'"' } else { b'>' };
        let end = loop {
            let rest = w.slice(i, (limit + 1).saturating_sub(i));
            let len = rest.iter().position(|&b| CLASS[b as usize] == Class::Stop);
            let len = len.unwrap_or(rest.len());
            w.count(len + 1);
            i += len;
            if i > limit {
                return None;
            }
            let b = w.at(i)?;
            if b == END && w.is_view {
                return None;
            }
            if b == close {
                break i;
            }
            if is_space(b) {
                if form == Form::Bracketed
                    && self.gaps.is_empty()
                    && let Some(bar) = memchr::memchr(b'|', &w.bytes()[text..i])
                    && let Some(resume) = label_end(w, i, limit)
                {
                    self.texts.push((text, text + bar));
                    return self.finish(resume);
                }
                let gap = gap(self, i, limit)?;
                if w.at(gap.end) == Some(close) {
                    // White space before the closing bracket is not part of the
                    // URL. A quotation mark after a space on the same line
                    // belongs to another pair.
                    if form == Form::Quoted && gap.kind != GapKind::Break {
                        return None;
                    }
                    self.texts.push((text, i));
                    return self.finish(gap.end + 1);
                }
                // After a blank line, the wrapper must close on the next line.
                if has_blank && gap.kind != GapKind::Space {
                    return None;
                }
                if !self.allows(w, form, text, &gap) {
                    return None;
                }
                has_blank |= gap.kind == GapKind::Blank;
                self.texts.push((text, i));
                self.gaps.push(gap);
                i = gap.end;
                text = i;
            } else if b == b'<' && !(form == Form::Quoted && self.gaps.is_empty()) {
                // A second `<` means that the first bracket was not closed.
                // Between quotation marks on one line, a `<` belongs to a
                // template (`"http://<host>/"`).
                return None;
            } else if b == b'>' && !self.gaps.is_empty() {
                return None;
            } else {
                i += 1;
            }
        };
        self.texts.push((text, end));
        self.finish(end + 1)
    }

    /// Records that the URL begins after this gap, which may put it on another
    /// line than the delimiter.
    fn begins_after(&mut self, gap: &Gap) {
        match gap.kind {
            GapKind::Space => {}
            GapKind::Break => self.line = Some(gap.line),
            GapKind::Page | GapKind::Blank => self.line = None,
        }
    }

    fn finish(&self, resume: usize) -> Option<usize> {
        let empty = self.texts.iter().all(|&(start, end)| start == end);
        (!empty).then_some(resume)
    }

    /// True if the form allows `gap`.
    fn allows(&self, w: &Window<'_>, form: Form, text: usize, gap: &Gap) -> bool {
        let joint = |b: Option<u8>| b.is_some_and(|b| b"/?&=;#%_+".contains(&b));
        match (gap.kind, form) {
            (GapKind::Break | GapKind::Page, _) => true,
            (GapKind::Blank, form) => form == Form::Wrapped,
            (GapKind::Space, Form::Wrapped) => true,
            (GapKind::Space, Form::Bracketed)
                if self.gaps.is_empty() && ends_scheme(&w.bytes()[text..gap.start]) =>
            {
                true
            }
            // In real text a URL rarely has a space within a line. A space is
            // usually a word boundary, except next to a separator of the URL.
            (GapKind::Space, Form::Bracketed) => {
                joint(gap.start.checked_sub(1).and_then(|i| w.at(i))) || joint(w.at(gap.end))
            }
            (GapKind::Space, _) => false,
        }
    }

    /// The first byte of the URL, if there is one.
    pub(super) fn first(&self) -> Option<usize> {
        self.texts.first().map(|t| t.0)
    }

    /// True if the URL is in one piece.
    pub(super) fn is_single(&self) -> bool {
        self.gaps.is_empty()
    }

    /// The bytes of the URL up to its first gap.
    pub(super) fn first_text<'h>(&self, w: &Window<'h>) -> &'h [u8] {
        self.texts
            .first()
            .map_or(&[], |&(start, end)| &w.bytes()[start..end])
    }

    /// True if any part of the URL contains `byte`.
    pub(super) fn holds(&self, w: &Window<'_>, byte: u8) -> bool {
        self.texts
            .iter()
            .any(|&(start, end)| memchr::memchr(byte, &w.bytes()[start..end]).is_some())
    }

    /// Removes bytes before the closing quotation mark that do not belong to
    /// the URL. One case is the backslash of a string inside a string
    /// (`\"http://a/\"`). The other is the punctuation of a sentence
    /// (`"http://a/b."`), but not in an attribute value (`="..."`), nor if the line shows
    /// that the dot is the URL's (`"b."  =  "http://a/b."`). No sentence ends in two full stops,
    /// so they are a dot segment (`"http://a/b/.."`). Three are a mark of the author, whose
    /// meaning is the result. `before` is the byte before the opening mark, and `body` the index
    /// after the scheme.
    pub(super) fn trim_quoted(
        &mut self,
        w: &Window<'_>,
        before: Option<u8>,
        body: usize,
    ) -> Option<Mark> {
        self.trim_last(w, b"\\");
        self.is_attribute = before == Some(b'=');
        let &(start, end) = self.texts.last()?;
        let text = &w.bytes()[start..end];
        // A program made the text a link with the mark after it: `href="http://a/b),"`.
        let glued = text.ends_with(b"),") && !text.contains(&b'(');
        let is_named = || text.ends_with(b".") && mark::is_named(w, start, start, end);
        let dots = text.iter().rev().take_while(|&&b| b == b'.').count();
        let is_cut = dots > 2 && self.is_single() && body + dots < end;
        let is_value = self.is_attribute && !is_cut;
        if !glued && (dots == 2 || is_value || is_named()) {
            return None;
        }
        if is_cut {
            let url_end = end - dots;
            self.texts[0].1 = url_end;
            return mark::place(w.bytes(), start, body, url_end);
        }
        // The value of a parameter may be a question mark: `?callback=?`.
        if !text.ends_with(b"=?") {
            self.trim_last(w, b",.;!?");
        }
        if glued {
            self.trim_last(w, b")");
        }
        None
    }

    /// Removes the last byte if it is one of `marks` and not the only byte.
    fn trim_last(&mut self, w: &Window<'_>, marks: &[u8]) {
        if let Some((start, end)) = self.texts.last_mut()
            && *end > *start + 1
            && marks.contains(&w.bytes()[*end - 1])
        {
            *end -= 1;
        }
    }

    /// True if the draft has more than one URL. Then a later line starts with a
    /// URL, or another URL directly follows a `[`, `|` or `<`.
    pub(super) fn is_several(&self, w: &Window<'_>) -> bool {
        let text = |&(start, end): &(usize, usize)| &w.bytes()[start..end];
        let lines = self.texts.iter().skip(1).zip(&self.gaps);
        self.texts.iter().map(text).any(boundary::holds_another)
            || lines
                .filter(|(_, gap)| gap.kind != GapKind::Space)
                .any(|(line, _)| schemes::starts_url(text(line)))
    }
}

/// True if `text` is a scheme with its colon, and with slashes if it has any.
fn ends_scheme(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"//").unwrap_or(text);
    text.strip_suffix(b":")
        .is_some_and(|name| !name.is_empty() && name.iter().all(|&b| is_scheme_byte(b)))
}

/// The index after the bracket that closes the label at `i`, which is on one line.
fn label_end(w: &Window<'_>, i: usize, limit: usize) -> Option<usize> {
    let is_end = |b| matches!(b, b'<' | b'>') || is_break(b);
    let label = w.until(i, (limit + 1).saturating_sub(i), is_end);
    (label.end == Some(b'>')).then_some(i + label.text.len() + 1)
}

/// Index after the slashes of `<URL://http://`. They have no meaning.
fn skip_slashes(w: &Window<'_>, i: usize) -> usize {
    if !w.has_word(i, b"//") {
        return i;
    }
    let name = w.slice(i + 2, schemes::SCHEME_MAX + 1);
    let len = name.iter().take_while(|&&b| is_scheme_byte(b)).count();
    if len > 0 && w.has_word(i + 2 + len, b"://") {
        i + 2
    } else {
        i
    }
}

/// True for a byte that can start a URL or a partial form. Program code often
/// has other wrappers: `"<URL:", $url, ">"`.
fn starts_reference(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"/.#?".contains(&b)
}
