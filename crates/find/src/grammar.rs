//! What the scanner may ask the grammar: whether what it joined is a URL.

use urlgrep_url::{Profile, measure};

/// The grammar of a profile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grammar(pub(crate) Profile);

impl Grammar {
    /// Index of the first byte of `text` that does not fit. `None` for a URL, and for a text that a
    /// browser opens as it is written, if the word ends with it.
    pub(crate) fn refused_at(self, text: &[u8], ends_word: bool) -> Option<usize> {
        let reject = measure(self.0, text).err()?;
        let is_kept = self.0 == Profile::Iri && ends_word && is_kept(text);
        (!is_kept).then_some(reject.at as usize)
    }
}

#[cfg(feature = "whatwg")]
fn is_kept(text: &[u8]) -> bool {
    urlgrep_url::keeps(text)
}

#[cfg(not(feature = "whatwg"))]
fn is_kept(_: &[u8]) -> bool {
    false
}
