//! What a stage leaves of a text, for the next text.
//!
//! A chunk of the input can end inside a token, such as the escape `=3D` or a tag.
//! No stage has a second way of reading for that. It reads whole tokens, and
//! leaves a token whose end it cannot see. [`Carry`] keeps such a rest, and shows
//! it to the stage again when more bytes follow.

use super::text::{Text, TextBuffer};

/// The bytes that a stage has left, because a token among them is not complete.
#[derive(Debug, Default)]
pub(super) struct Carry {
    rest: TextBuffer,
    /// Unused memory.
    spare: TextBuffer,
    /// The length of `rest` at which the stage reads it again.
    again: usize,
}

/// The length up to which a rest is read again whenever bytes come in. A longer
/// rest is read again when it has doubled. So the time is linear in its length.
const SHORT: usize = 64;

impl Carry {
    pub(super) fn clear(&mut self) {
        self.rest.clear();
    }

    /// Lets `stage` read the rest and `text`. It must read everything if its second
    /// argument is true: then the input ends after this text.
    pub(super) fn feed(
        &mut self,
        mut text: Text<'_>,
        end: bool,
        mut stage: impl FnMut(&mut Text<'_>, bool),
    ) {
        while !self.rest.is_empty() {
            // Tokens are short. Only as much is copied as may complete this one.
            let had = self.len();
            let mut after = text.clone();
            let more = text.bytes().len().min(had.max(SHORT));
            self.rest.copy_all(after.take(more));
            let is_last = end && after.is_empty();
            if self.len() < self.again && !is_last {
                if after.is_empty() {
                    return;
                }
                text = after;
                continue;
            }
            let mut joined = self.rest.text();
            stage(&mut joined, is_last);
            let read = joined.position();
            if read > had || read == had && !joined.is_at_removal() {
                // What was not read is the rest of `text`. The stage has read removals
                // before it, if it saw them.
                let saw_removals = read < self.len() || after.is_empty();
                let is_at_removal = joined.is_at_removal();
                text.pass(read - had);
                if saw_removals && !is_at_removal {
                    text.pass_removals();
                }
                self.rest.clear();
            } else {
                self.spare.clear();
                self.spare.copy_all(joined);
                std::mem::swap(&mut self.rest, &mut self.spare);
                self.set_again();
                if after.is_empty() {
                    return;
                }
                text = after;
            }
        }
        stage(&mut text, end);
        self.rest.copy_all(text);
        self.set_again();
    }

    /// The number of bytes that are left.
    fn len(&self) -> usize {
        self.rest.text().bytes().len()
    }

    fn set_again(&mut self) {
        let len = self.len();
        self.again = match len {
            0..SHORT => 0,
            _ => 2 * len,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::mapped::MappedBytes;
    use super::*;
    use urlgrep_base::span::{SeamKind, Span};

    /// Feeds `text` in pieces of `size` bytes to a stage whose tokens end with `;`. Returns
    /// the tokens, their text, and the number of bytes that the stage has seen.
    fn tokens(mut text: Text<'_>, size: usize) -> (Vec<Vec<u8>>, TextBuffer, usize) {
        let (mut tokens, mut out, mut seen) = (vec![], TextBuffer::default(), 0);
        let mut carry = Carry::default();
        while !text.is_empty() {
            let piece = text.take(size.min(text.bytes().len()));
            carry.feed(piece, text.is_empty(), |text, end| {
                seen += text.bytes().len();
                let len = |text: &Text<'_>| {
                    let semicolon = text.bytes().iter().position(|&b| b == b';');
                    let rest = Some(text.bytes().len()).filter(|&n| end && n > 0);
                    semicolon.map(|i| i + 1).or(rest)
                };
                while let Some(n) = len(text) {
                    tokens.push(text.bytes()[..n].to_vec());
                    out.copy(text, n);
                }
                if end {
                    out.copy_all(text.take(0));
                }
            });
        }
        (tokens, out, seen)
    }

    #[test]
    fn a_token_that_is_cut_is_carried() {
        let mut source = TextBuffer::default();
        for piece in [
            MappedBytes::copy(b"ab;c", 10),
            MappedBytes::seam(SeamKind::QpByte, Span::new(14, 17), b"=", 0),
            MappedBytes::copy(b"d;;e", 17),
            MappedBytes::seam(SeamKind::Markup, Span::new(21, 30), b"", 1),
            MappedBytes::seam(SeamKind::SoftBreak, Span::new(30, 32), b"", 1),
            MappedBytes::copy(b"f;", 32),
            MappedBytes::seam(SeamKind::Markup, Span::new(34, 40), b"", 0),
            MappedBytes::copy(b"gh;", 40),
            MappedBytes::opaque(b"x", 7),
            MappedBytes::copy(b"y", 50),
            MappedBytes::seam(SeamKind::SoftBreak, Span::new(51, 53), b"", 1),
        ] {
            source.put(&piece);
        }
        let pieces = |text: &TextBuffer| {
            let mut text = text.text();
            let next = || {
                text.next_piece(usize::MAX)
                    .map(|p| (p.bytes.to_vec(), p.origin))
            };
            std::iter::from_fn(next).collect::<Vec<_>>()
        };
        for size in 1..20 {
            let (tokens, out, _) = tokens(source.text(), size);
            let tokens: Vec<_> = tokens.iter().map(|t| str::from_utf8(t).unwrap()).collect();
            assert_eq!(tokens, ["ab;", "c=d;", ";", "ef;", "gh;", "xy"], "{size}");
            assert_eq!(pieces(&out), pieces(&source), "{size}");
        }
    }

    #[test]
    fn a_long_token_takes_linear_time() {
        let bytes = [b'x'; 100_000];
        for size in [1, 63, 1000] {
            let (tokens, _, seen) = tokens(Text::copy(&bytes, 0), size);
            assert!(tokens == [bytes], "{size}");
            assert!(seen < 4 * bytes.len(), "{seen} bytes in pieces of {size}");
        }
    }
}
