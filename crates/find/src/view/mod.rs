//! What a reader sees of a text, where its bytes are something else.
//!
//! # How to think about it
//!
//! The scanner knows URLs in clean text. Some texts are not clean: a program escaped them, coloured
//! them, or broke them at the width of a terminal. Such rules are no cases of the scanner. Each is
//! a *layer*: a function that reads a [`Page`] and lists the [`Edit`]s that make it clean. A
//! [`View`] is the page after all layers, with the way back to the bytes of the page.
//!
//! A view is made only around a candidate whose bytes call for it ([`scan`](crate::scan) says
//! which), so clean text costs nothing. A page has a bounded size. A layer that would need the bytes
//! after it cuts the page before the place that it cannot decide. The scanner then asks for more,
//! and the page grows. So the result depends on the text alone, not on its chunks.
//!
//! Each layer is a file, and the table [`LAYERS`] has their order. A layer can be left out of the
//! table, and the others still work.

mod controls;
mod doubled;
mod escapes;
mod literals;
mod page;
mod refang;
mod rows;
mod width;

use std::borrow::Cow;
use std::cell::OnceCell;

use page::{Edit, Edits};
use urlgrep_base::span::{Seam, SeamKind, SourceMap, Span};

pub(crate) use controls::{Codes, colour_len};
pub(crate) use literals::may_follow as literal_may_follow;
pub(crate) use page::{BLANK_LINE, END, Page, Sight, Wanted, after_blank_line, end_of_blank_line};
pub(crate) use refang::{Seen as Refanged, may_matter, read as read_defanged};
pub(crate) use rows::{has_bar_above, is_bar_of_terminal, may_go_on, wanted as wanted_by_rows};
pub(crate) use width::NARROW;

/// A rule that takes bytes out.
type Layer = fn(&Page<'_>) -> Edits;

/// The layers in their order. Control codes come first, because they may stand inside what the
/// other layers read, and an escape may stand before a mark that defangs.
const LAYERS: [Layer; 6] = [
    controls::edits,
    doubled::edits,
    literals::edits,
    rows::edits,
    escapes::edits,
    refang::edits,
];

/// A page as a reader sees it.
#[derive(Debug)]
pub(crate) struct View<'p> {
    pub(crate) bytes: Cow<'p, [u8]>,
    /// Index of the colon of the candidate's scheme.
    pub(crate) colon: usize,
    /// As that of a [`Page`].
    paragraph: Option<usize>,
    /// No byte follows the view.
    pub(crate) is_end: bool,
    /// What a page must have so that all layers can decide.
    pub(crate) wanted: Wanted,
    /// No line end before the colon was taken out.
    pub(crate) has_lines: bool,
    /// What each layer did that did anything.
    steps: Vec<Step>,
}

impl<'p> View<'p> {
    /// The view of a page. `None` if a reader sees its bytes as they are.
    pub(crate) fn of(page: &Page<'p>) -> Option<View<'p>> {
        let mut view = View {
            bytes: Cow::Borrowed(page.bytes),
            colon: page.colon,
            paragraph: page.paragraph,
            is_end: page.is_end,
            wanted: Wanted::default(),
            has_lines: true,
            steps: Vec::new(),
        };
        for layer in LAYERS {
            let edits = layer(&Page {
                bytes: &view.bytes,
                from: page.from,
                colon: view.colon,
                paragraph: view.paragraph,
                is_end: view.is_end,
                sight: page.sight,
                behind: page.behind,
                codes: page.codes,
            });
            view.apply(edits, page.sight.is_sure);
        }
        (!view.steps.is_empty() || view.bytes.len() < page.bytes.len()).then_some(view)
    }

    /// True if a layer joined rows of a terminal.
    pub(crate) fn has_rows(&self) -> bool {
        let is_joint = |edit: &Edit| edit.kind == SeamKind::Row && edit.becomes.is_empty();
        let mut edits = self.steps.iter().flat_map(|step| &step.edits);
        edits.any(is_joint)
    }

    /// True if a row of a terminal ends the URL that ends at `at`, and nothing of the next row is its own.
    pub(crate) fn ends_row(&self, at: usize) -> bool {
        // A bar that ends a URL has more bytes than a line end.
        let is_line_end = |edit: &Edit| edit.end - edit.start == 1 && *edit.becomes == [END];
        let is_end = |edit: &Edit| edit.kind == SeamKind::Row && is_line_end(edit);
        let has_end = self.steps.iter().any(|step| step.edits.iter().any(is_end));
        has_end && {
            let rest = self.bytes.get(at..).unwrap_or_default();
            rest.iter()
                .find(|b| !b.is_ascii_punctuation() && **b != b'\r')
                == Some(&END)
        }
    }

    fn apply(&mut self, mut edits: Edits, is_sure: bool) {
        // After a layer that wants more, the others have nothing to read.
        if edits.wanted.lines > 0 {
            self.wanted = edits.wanted;
        }
        if is_sure {
            edits.list.retain(|edit| !edit.is_weak);
        }
        // The colon stays, so that the scanner asks for what is cut.
        if let Some(cut) = edits.cut.map(|cut| cut.max(self.colon + 1)) {
            edits.list.retain(|edit| edit.end <= cut);
            match &mut self.bytes {
                Cow::Borrowed(bytes) => *bytes = &bytes[..cut.min(bytes.len())],
                Cow::Owned(bytes) => bytes.truncate(cut),
            }
            self.is_end = false;
        }
        if edits.list.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut from = 0;
        for edit in &edits.list {
            if edit.start < self.colon {
                // Most edits take out a few bytes.
                let mut taken = self.bytes[edit.start..edit.end].iter();
                self.has_lines &= !taken.any(|b| matches!(b, b'\n' | b'\r'));
            }
            bytes.extend_from_slice(&self.bytes[from..edit.start]);
            bytes.extend_from_slice(&edit.becomes);
            from = edit.end;
        }
        bytes.extend_from_slice(&self.bytes[from..]);
        self.colon = after_edits(&edits.list, self.colon);
        self.paragraph = self.paragraph.map(|at| after_edits(&edits.list, at));
        self.steps.push(Step {
            edits: edits.list,
            len: self.bytes.len(),
            map: OnceCell::new(),
        });
        self.bytes = Cow::Owned(bytes);
    }

    /// The index in the view of the byte of the page at `at`. If that was taken out, the index of
    /// what follows.
    pub(crate) fn index(&self, at: usize) -> usize {
        let after = |at, step: &Step| after_edits(&step.edits, at);
        self.steps.iter().fold(at, after)
    }

    /// The index in the page after the byte of the view before `at`.
    pub(crate) fn index_in_page(&self, at: usize) -> usize {
        let mut end = at as u64;
        for step in self.steps.iter().rev() {
            let byte = Span::new(end.saturating_sub(1), end);
            end = step.map().extent(byte).map_or(end, |span| span.end);
        }
        end as usize
    }

    /// Maps the parts of a URL from the view to the page. `None` if a byte has no place there.
    pub(crate) fn place(&self, segments: &[Span], seams: &[Seam]) -> Option<Placed> {
        let mut placed = Placed {
            segments: segments.to_vec(),
            seams: seams.to_vec(),
            is_weak: false,
        };
        for step in self.steps.iter().rev() {
            let (mut segments, mut seams) = (Vec::new(), Vec::new());
            if !step
                .map()
                .compose(&placed.segments, &placed.seams, &mut segments, &mut seams)
            {
                return None;
            }
            let is_there = |edit: &Edit| {
                let place = Span::new(edit.start as u64, edit.end as u64);
                seams.iter().any(|seam| seam.span == place)
            };
            placed.is_weak |= step.edits.iter().any(|edit| edit.is_weak && is_there(edit));
            placed.segments = segments;
            placed.seams = seams;
        }
        Some(placed)
    }
}

/// What a layer did to what it read.
#[derive(Debug)]
struct Step {
    edits: Vec<Edit>,
    /// The length of what it read.
    len: usize,
    /// The way back. Most views show no URL, and need none.
    map: OnceCell<SourceMap>,
}

impl Step {
    fn map(&self) -> &SourceMap {
        self.map.get_or_init(|| {
            let mut map = SourceMap::new(1);
            map.reserve(2 * self.edits.len() + 1);
            let mut from = 0;
            for edit in &self.edits {
                map.copy(from as u64, (edit.start - from) as u64);
                let span = Span::new(edit.start as u64, edit.end as u64);
                map.seam(edit.kind, span, edit.becomes.len() as u32, 0);
                from = edit.end;
            }
            map.copy(from as u64, (self.len - from) as u64);
            map
        })
    }
}

/// The parts of a URL in a page.
pub(crate) struct Placed {
    pub(crate) segments: Vec<Span>,
    pub(crate) seams: Vec<Seam>,
    /// It depends on an edit that is only a guess.
    pub(crate) is_weak: bool,
}

/// The index after `edits` of the byte at `at`.
fn after_edits(edits: &[Edit], at: usize) -> usize {
    // A byte that becomes a longer text moves what follows it to the right.
    let (mut removed, mut added) = (0, 0);
    for edit in edits {
        if edit.end > at {
            let is_inside = edit.start <= at;
            return if is_inside { edit.start } else { at } + added - removed;
        }
        removed += edit.end - edit.start;
        added += edit.becomes.len();
    }
    at + added - removed
}

/// What a view shows of `text` around its first colon, for the tests of the layers.
#[cfg(test)]
fn seen(text: &str, sight: Sight, is_end: bool) -> String {
    let page = Page {
        bytes: text.as_bytes(),
        from: 0,
        colon: memchr::memchr(b':', text.as_bytes()).expect("a colon"),
        paragraph: Some(0),
        is_end,
        sight,
        behind: &std::cell::Cell::default(),
        codes: &std::cell::Cell::default(),
    };
    let view = View::of(&page).map_or(text.as_bytes().to_vec(), |view| view.bytes.into_owned());
    String::from_utf8(view).expect("UTF-8")
}
