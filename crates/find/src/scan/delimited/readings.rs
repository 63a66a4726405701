//! The readings of a delimited URL: where it ends, which hyphens at line ends are its own, and what of
//! it is encoded.

use super::{Draft, ends_scheme};
use crate::scan::candidate::{Candidate, Doubt, Form, ReadingKind};
use crate::scan::entity;
use crate::scan::marks;
use crate::scan::qp;
use crate::scan::rejoin::{Gap, GapKind};
use crate::scan::typeset;
use crate::scan::window::Window;
use crate::text::bars::SIDES;
use crate::text::class::{is_break, is_space};
use crate::text::schemes;
use crate::view;
use urlgrep_base::span::{SeamKind, Span};

/// How a reading treats the parts of a draft.
#[derive(Clone, Copy)]
struct Take {
    kind: ReadingKind,
    /// The number of texts in the reading.
    texts: usize,
    /// Which hyphens before line breaks are removed.
    hyphens: Hyphens,
    /// Whether a `=` before a line break is a soft break, and `=XX` an encoded
    /// byte.
    qp: bool,
    /// Whether `&amp;` is an encoded `&`.
    entities: bool,
    /// How invisible characters are found that are removed, if they are.
    invisible: Option<typeset::FindNext>,
}

#[derive(Clone, Copy)]
enum Hyphens {
    Keep,
    DropAll,
    /// Only the hyphen before the gap with this index is removed.
    DropAt(usize),
}

/// The number of hyphens at line ends that are left out one at a time.
const HYPHENS_MAX: usize = 8;

impl Draft {
    /// True if any part of the URL contains an `&amp;`.
    fn has_entity(&self, w: &Window<'_>) -> bool {
        let mut texts = self.texts.iter();
        texts.any(|&(start, end)| entity::find(&w.bytes()[start..end]).is_some())
    }

    /// How the invisible characters of the URL are found, if it has any that only let a line break.
    /// Those of the text of a page all do.
    #[cold]
    fn invisible(&self, w: &Window<'_>) -> Option<typeset::FindNext> {
        let find: typeset::FindNext = if w.is_page {
            typeset::find_invisible
        } else {
            typeset::find_break
        };
        let has_some = |&(start, end): &(usize, usize)| find(&w.bytes()[start..end]).is_some();
        self.texts.iter().any(has_some).then_some(find)
    }

    /// The first byte of the URL that may not be text.
    fn disturbance(&self, w: &Window<'_>) -> Option<usize> {
        let is_strange = |&b: &u8| b < b' ' || b == b'\\' || b >= 0x80;
        self.texts.iter().find_map(|&(start, end)| {
            let text = &w.bytes()[start..end];
            let is_pane = |at: &usize| view::has_bar_above(w.bytes(), start + at);
            let strange = text.iter().position(is_strange);
            let bar = || memchr::memchr(b'|', text).filter(is_pane);
            Some(start + strange.or_else(bar)?)
        })
    }

    /// Fills `out` with the readings of the draft, in the order in which they
    /// are tried. Returns the index at which the scan continues. `resume` is
    /// the index after the closing delimiter.
    pub(in crate::scan) fn readings(
        &self,
        w: &Window<'_>,
        base: u64,
        out: &mut Candidate,
        resume: usize,
    ) -> usize {
        let mut invisible = None;
        if let Some(at) = self.disturbance(w) {
            w.disturb(at);
            invisible = self.invisible(w);
        }
        let entities = self.is_attribute && self.has_entity(w);
        if let [(start, end)] = self.texts[..]
            && !entities
            && invisible.is_none()
        {
            // Fast path: most delimited URLs are on one line and have one reading.
            one_line(&w.bytes()[start..end], base + start as u64, out);
            return resume;
        }
        let after_scheme = usize::from(self.follows_scheme(w));
        let is_space = |gap: &Gap| gap.kind == GapKind::Space;
        let space = self.gaps[after_scheme..].iter().position(is_space);
        let space = space.map(|i| i + after_scheme);
        // The number of texts of the first reading.
        let mut first = self.texts.len();
        let mut resume = resume;
        if let Some(gap) = space.and_then(|gap| self.ends_at(w, out.signs.form, gap)) {
            first = gap + 1;
            resume = self.texts[gap].1;
        }
        let plain = Take {
            kind: ReadingKind::Plain,
            texts: first,
            hyphens: Hyphens::Keep,
            qp: false,
            entities,
            invisible,
        };
        self.rejoined(w, base, out, plain, space);
        self.note_doubts(w, out, first, space.is_some());
        resume
    }

    /// Fills `out` with the readings of a draft over gaps, or with bytes that are encoded. `plain` is
    /// the first one without soft breaks, and `space` is the first gap of white space only.
    fn rejoined(
        &self,
        w: &Window<'_>,
        base: u64,
        out: &mut Candidate,
        plain: Take,
        space: Option<usize>,
    ) {
        let first = plain.texts;
        let is_soft = |likely| (0..first - 1).any(|i| self.soft(w, i) == Some(likely));
        let hyphens = || (0..first - 1).filter(|&i| self.is_hyphen(w, i));
        let qp = is_soft(true);
        let is_encoded = qp || plain.entities || plain.invisible.is_some();
        let plain = Take {
            qp,
            entities: plain.entities && !qp,
            ..plain
        };
        let raw = Take {
            kind: ReadingKind::Raw,
            qp: false,
            entities: false,
            invisible: None,
            ..plain
        };
        let soft_breaks = Take {
            kind: ReadingKind::Qp,
            qp: true,
            ..plain
        };
        let no_hyphens = Take {
            kind: ReadingKind::Hyphen,
            hyphens: Hyphens::DropAll,
            ..plain
        };
        // The other end: before the white space, or after all texts.
        let ends_later = space.is_some_and(|gap| first <= gap + 1);
        let at_space = Take {
            kind: ReadingKind::Space,
            texts: match space {
                Some(gap) if !ends_later => gap + 1,
                _ => self.texts.len(),
            },
            ..plain
        };
        // Whether there is such a reading, and whether it has the extent of the candidate. If
        // the grammar refuses what the white space separates, the URL ends before it. If the
        // URL ends there, the rest is scanned separately.
        let rows = [
            (true, plain, true),
            (is_encoded, raw, true),
            (!is_encoded && is_soft(false), soft_breaks, true),
            (hyphens().next().is_some(), no_hyphens, true),
            (space.is_some(), at_space, !ends_later),
        ];
        for (is_there, take, same_extent) in rows {
            if is_there {
                self.add(w, base, out, take, same_extent);
            }
        }
        if hyphens().nth(1).is_some() {
            // Readings that are equal count once, so that `is_full` alone would let each of the
            // hyphens of a rule over many lines copy the whole URL.
            for gap in hyphens().take(HYPHENS_MAX) {
                let one_hyphen = Take {
                    hyphens: Hyphens::DropAt(gap),
                    ..no_hyphens
                };
                self.add(w, base, out, one_hyphen, true);
            }
        }
    }

    /// Adds a reading, if there is room for it.
    fn add(&self, w: &Window<'_>, base: u64, out: &mut Candidate, take: Take, same_extent: bool) {
        if !out.is_full() {
            self.reading(w, base, out, take);
            out.finish(take.kind, same_extent);
        }
    }

    /// Notes why the first reading, which has the `first` texts, may be wrong.
    fn note_doubts(&self, w: &Window<'_>, out: &mut Candidate, first: usize, has_space: bool) {
        if has_space {
            out.signs.doubts.add(Doubt::InnerSpace, true);
        }
        if (0..first - 1).any(|i| self.is_typeset(w, i)) {
            out.signs.doubts.add(Doubt::Typeset, true);
        }
        if self.gaps.iter().any(|gap| gap.kind == GapKind::Blank) {
            out.signs.doubts.add(Doubt::BlankLine, true);
        }
    }

    /// True if gap `i` is a line break after a hyphen. The hyphen "may or may not
    /// actually be part of the URI" (RFC 3986 C), also if blanks are between the two.
    fn is_hyphen(&self, w: &Window<'_>, i: usize) -> bool {
        let gap = &self.gaps[i];
        gap.kind != GapKind::Space
            && self.texts[i].1 > self.texts[i].0
            && (w.bytes()[gap.start - 1] == b'-' || self.is_typeset(w, i))
    }

    /// True if the hyphen before gap `i` is U+2010. Typesetters write it for one that they added.
    fn is_typeset(&self, w: &Window<'_>, i: usize) -> bool {
        let (start, end) = self.texts[i];
        self.gaps[i].kind != GapKind::Space && typeset::is_hyphen(&w.bytes()[start..end])
    }

    /// Whether the `=` directly before gap `i` may be an undeclared soft break
    /// of quoted-printable. If so, returns whether an encoder would put it at
    /// this place.
    fn soft(&self, w: &Window<'_>, i: usize) -> Option<bool> {
        let gap = &self.gaps[i];
        if !w.encoded
            || gap.kind != GapKind::Break
            || gap.end != gap.line
            || !is_break(w.bytes()[gap.start])
            || !w.bytes()[self.texts[i].0..self.texts[i].1].ends_with(b"=")
        {
            return None;
        }
        let line = match i.checked_sub(1).map(|before| &self.gaps[before]) {
            None => self.line,
            Some(before) => (before.kind == GapKind::Break).then_some(before.line),
        };
        Some(line.is_some_and(|line| qp::is_soft_line(gap.start - line)))
    }

    /// The gap at which the URL ends, if not all texts belong to it. `space` is the first
    /// white space within a line.
    ///
    /// The Appendix of RFC 1738 ignores white space in a wrapper. We stop before a
    /// second URL, before a lone `or` or `and` (RFC 1855 has `horses.ps or horses.ascii`)
    /// or the right side of a box, and after mail and news, whose forms have no blank.
    ///
    /// In brackets without the mark, white space is next to a separator of the URL. Two
    /// words after it are prose, unless the break between them is at a hyphen or slash.
    fn ends_at(&self, w: &Window<'_>, form: Form, space: usize) -> Option<usize> {
        let text = |i: usize| &w.bytes()[self.texts[i].0..self.texts[i].1];
        let mut words = space + 1..self.texts.len();
        if words.clone().any(|i| schemes::starts_url(text(i))) {
            return Some(space);
        }
        if form == Form::Wrapped {
            let first = self.first_text(w);
            let is = |name: &[u8]| starts_with(first, name);
            if is(b"mailto:") || is(b"news:") {
                return Some(space);
            }
            let is_word = |word: &[u8]| {
                [&b"or"[..], b"and"]
                    .iter()
                    .any(|end| word.eq_ignore_ascii_case(end))
            };
            let is_end =
                |word: &[u8]| is_word(word) || SIDES.iter().any(|side| word == side.as_bytes());
            return words.find(|&i| is_end(text(i))).map(|i| i - 1);
        }
        let by_slash = text(space).ends_with(b"/") || text(space + 1).starts_with(b"/");
        let is_broken = |i: usize| {
            self.gaps[i].kind == GapKind::Break && matches!(text(i).last(), Some(b'-' | b'/'))
        };
        let go_on = by_slash && (space + 1..self.gaps.len()).all(is_broken);
        (words.len() > 1 && !go_on).then_some(space)
    }

    /// True if the first gap directly follows the scheme.
    fn follows_scheme(&self, w: &Window<'_>) -> bool {
        !self.gaps.is_empty() && ends_scheme(self.first_text(w))
    }

    fn reading(&self, w: &Window<'_>, base: u64, out: &mut Candidate, take: Take) {
        let span = |start: usize, end: usize| Span::new(base + start as u64, base + end as u64);
        for (i, &(start, end)) in self.texts[..take.texts].iter().enumerate() {
            let gap = if i + 1 < take.texts {
                self.gaps.get(i)
            } else {
                None
            };
            let is_typeset = gap.is_some() && self.is_typeset(w, i);
            let is_other = match take.hyphens {
                Hyphens::Keep => false,
                Hyphens::DropAll => gap.is_some() && self.is_hyphen(w, i),
                Hyphens::DropAt(at) => gap.is_some() && at == i,
            };
            let drop = is_other != is_typeset;
            let soft = take.qp && gap.is_some() && self.soft(w, i).is_some();
            let cut = if is_typeset {
                end - typeset::HYPHEN_LEN
            } else {
                end - usize::from(drop || soft)
            };
            let (bytes, place) = (&w.bytes()[start..cut], span(start, cut));
            if take.qp {
                out.copy_decoded(bytes, place.start, qp::find);
            } else if take.entities {
                out.copy_decoded(bytes, place.start, entity::find);
            } else if let Some(find) = take.invisible {
                out.copy_decoded(bytes, place.start, find);
            } else {
                out.copy(bytes, place);
            }
            if let (true, Some(gap)) = (soft, gap) {
                out.seam(SeamKind::QpGuess, span(cut, gap.end), b"");
                continue;
            }
            if is_typeset && !drop {
                out.seam(SeamKind::Typeset, span(cut, end), b"-");
            } else {
                out.seam(SeamKind::Hyphen, span(cut, end), b"");
            }
            if let Some(gap) = gap {
                let kind = match gap.kind {
                    GapKind::Break => SeamKind::LineBreak,
                    GapKind::Space => SeamKind::Space,
                    GapKind::Page => SeamKind::Page,
                    GapKind::Blank => SeamKind::LineBreak,
                };
                out.seam(kind, span(gap.start, gap.leader), b"");
                out.seam(SeamKind::Leader, span(gap.leader, gap.end), b"");
            }
        }
    }
}

/// True if `text` begins with `name`, without regard to case.
fn starts_with(text: &[u8], name: &[u8]) -> bool {
    text.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// Fills `out` with the URL of an attribute value, which begins at offset
/// `start`. White space with a line break, and tabs, are removed.
pub(in crate::scan) fn value(text: &[u8], start: u64, out: &mut Candidate) {
    out.clear(Form::Link);
    let span = |a: usize, b: usize| Span::new(start + a as u64, start + b as u64);
    let mut from = 0;
    while let Some(at) = memchr::memchr3(b'\n', b'\r', b'\t', &text[from..]) {
        let is_text = |b: &u8| !is_space(*b);
        let end = text[..from + at]
            .iter()
            .rposition(is_text)
            .map_or(0, |i| i + 1)
            .max(from);
        let next = text[from + at..]
            .iter()
            .position(is_text)
            .map_or(text.len(), |i| from + at + i);
        out.copy(&text[from..end], span(from, end));
        let kind = if text[end..next].iter().any(|&b| is_break(b)) {
            SeamKind::LineBreak
        } else {
            SeamKind::Space
        };
        out.seam(kind, span(end, next), b"");
        from = next;
    }
    out.copy(&text[from..], span(from, text.len()));
    out.finish(ReadingKind::Plain, true);
}

/// The readings of a URL on one line: `text`, which begins at `start`. Slack writes
/// `<url|label>`, BibTeX `{<url}.>`, and AsciiDoc `<url[@name]>`. The mark is a part of the URL only
/// if the grammar allows it there.
fn one_line(text: &[u8], start: u64, out: &mut Candidate) {
    let form = out.signs.form;
    let mut add = |len: usize| {
        out.copy(&text[..len], Span::new(start, start + len as u64));
        out.finish(ReadingKind::Plain, true);
    };
    add(text.len());
    let before_brace = || {
        let url = text.strip_suffix(b".").unwrap_or(text).strip_suffix(b"}")?;
        (!url.contains(&b'{')).then_some(url.len())
    };
    let mark = match form {
        Form::Bracketed => memchr::memchr(b'|', text)
            .or_else(before_brace)
            .or_else(|| marks::before_name(text)),
        Form::Wrapped => before_brace(),
        _ => None,
    };
    if let Some(len) = mark {
        add(len);
    }
}
