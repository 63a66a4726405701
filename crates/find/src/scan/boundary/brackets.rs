//! What is open around a bare URL and inside of it: the byte before it, and its brackets. Decides for
//! `run` whether a byte closes one of them.

use crate::scan::window::Window;
use crate::text::class::is_stop;

/// The byte directly before a URL. It determines the byte that closes the URL.
#[derive(Clone, Copy, Default)]
pub(in crate::scan) struct Opener(pub(in crate::scan) Option<u8>);

/// The number of bytes after an apostrophe that are searched for the one that closes.
const QUOTE_MAX: usize = 256;

impl Opener {
    /// True if the byte `b` at `i` closes the opener: `'url'`, `|url|`, `[url|text]`. An
    /// apostrophe inside a word (`'http://a.example/o'neil'`) closes nothing if the word has
    /// another one.
    pub(super) fn is_closed(self, w: &Window<'_>, i: usize, b: u8) -> bool {
        match b {
            b'\'' => self.0 == Some(b'\'') && !is_apostrophe(w, i),
            b'|' => matches!(self.0, Some(b'|' | b'[')),
            _ => false,
        }
    }
}

/// True if a letter follows the apostrophe at `i`, and another apostrophe in the same word.
#[cold]
fn is_apostrophe(w: &Window<'_>, i: usize) -> bool {
    if !w.at(i + 1).is_some_and(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let rest = w.until(i + 1, QUOTE_MAX, |b| b == b'\'' || is_stop(b));
    rest.end == Some(b'\'')
}

/// The number of unclosed brackets of each kind, and the kinds of the last 32, with two
/// bits each. Brackets that cross (`([)]`) end the URL (UTS #58, "Close").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::scan) struct Depth {
    pub(super) round: u32,
    square: u32,
    curly: u32,
    last: u64,
}

impl Depth {
    /// The number of open round brackets.
    pub(in crate::scan) fn round(self) -> u32 {
        self.round
    }

    /// Adds an opening bracket.
    pub(super) fn open(&mut self, b: u8) {
        *self.of(b) += 1;
        self.last = self.last << 2 | Depth::kind(b);
    }

    /// Removes the bracket that `b` closes. False if it is not the last one.
    pub(super) fn close(&mut self, b: u8) -> bool {
        let is_last = *self.of(b) > 0 && [0, Depth::kind(b)].contains(&(self.last & 3));
        if is_last {
            *self.of(b) -= 1;
            self.last >>= 2;
        }
        is_last
    }

    fn kind(b: u8) -> u64 {
        match b {
            b'(' | b')' => 1,
            b'[' | b']' => 2,
            _ => 3,
        }
    }

    fn of(&mut self, b: u8) -> &mut u32 {
        match b {
            b'(' | b')' => &mut self.round,
            b'[' | b']' => &mut self.square,
            _ => &mut self.curly,
        }
    }
}
