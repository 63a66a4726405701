//! What a reader of an encoding found: quoted-printable (`qp`), HTML that is shown as text (`entity`),
//! and what programs of typesetting write (`typeset`). A candidate copies the text without it.

use urlgrep_base::span::SeamKind;

/// A byte of a URL that is written in an encoding: `=3D`, `&amp;`. Or bytes that do not belong
/// to it.
#[derive(Clone, Copy)]
pub(super) struct Encoded {
    /// Index of its first byte in the text.
    pub(super) at: usize,
    /// Its length in the text.
    pub(super) len: usize,
    /// The byte. `None` if there is none.
    pub(super) byte: Option<u8>,
    pub(super) kind: SeamKind,
}
