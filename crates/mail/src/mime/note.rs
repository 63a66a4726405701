//! Faults in a message that are tolerated.

#[cfg(doc)]
use super::{MAX_DEPTH, MAX_HEADER, MAX_LINK, PartInfo, Walker};
use urlgrep_base::named;

/// A tolerated fault in a message. Each kind is reported at most once per part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageNote<'a> {
    /// The kind of fault.
    pub kind: MessageNoteKind,
    /// The number of the part that has the fault in its text or its header. See
    /// [`PartInfo::path`].
    pub part: &'a str,
    /// The source offset, if known.
    pub at: Option<u64>,
}

named! {
    /// The kinds of faults that a [`Walker`] tolerates.
    pub enum MessageNoteKind {
        /// A header block over [`MAX_HEADER`]. The rest is read as the body.
        HeaderTooLong => "header-too-long": "header block too long, cut",
        /// Recipients over 64 KiB. The others are left out.
        RecipientsCut => "recipients-cut": "recipients over 64 KiB, the rest left out",
        /// The empty line between header and body is missing.
        MissingSeparator => "missing-separator": "no empty line between header and body",
        /// A multipart without a boundary parameter. It is read as text.
        MissingBoundary => "missing-boundary": "multipart without a boundary, read as text",
        /// A multipart whose last boundary is missing.
        MissingEnd => "missing-end": "multipart without an end",
        /// Parts that are nested more than [`MAX_DEPTH`] deep. They are read as
        /// text.
        TooDeep => "too-deep": "parts nested too deep, read as text",
        /// An unknown transfer encoding. The part is read without decoding.
        UnknownEncoding => "unknown-encoding": "unknown transfer encoding, read without decoding",
        /// An unknown charset. The part is read without decoding.
        UnknownCharset => "unknown-charset": "unknown charset, read without decoding",
        /// Text that is not valid in its charset.
        BadCharset => "bad-charset": "text that is invalid in its charset",
        /// An `=` in quoted-printable that encodes nothing. It is kept.
        BadQuotedPrintable => "bad-quoted-printable": "malformed quoted-printable, kept",
        /// A single last digit of base64, which is dropped, or a byte in a line of base64 that
        /// is not of its alphabet, which is ignored.
        BadBase64 => "bad-base64": "malformed base64",
        /// Lines in a base64 part that are not base64. The part is text from there
        /// on.
        TextInBase64 => "text-in-base64": "text after base64",
        /// A uuencoded or yEnc file in the text. It is not searched.
        EncodedFile => "encoded-file": "uuencoded or yEnc file, not searched",
        /// A link longer than [`MAX_LINK`]. It is cut.
        LinkTooLong => "link-too-long": "link too long, cut",
        /// A compressed file or an archive. It is not searched.
        CompressedPart => "compressed-part": "compressed file or archive, not searched",
        /// A file of a word processor, a spreadsheet or slides. It is not searched.
        OfficePart => "office-part": "office document, not searched",
        /// A PDF. It is not searched.
        PdfPart => "pdf-part": "PDF, not searched",
        /// An encrypted part. It is not searched.
        EncryptedPart => "encrypted-part": "encrypted part, not searched",
        /// Data for a program that is not known here. It is not searched.
        UnknownPart => "unknown-part": "data in an unknown format, not searched",
        /// An archive, a compressed file or a message that is too large to be held. It is not
        /// searched.
        LargePart => "large-part": "attachment too large to be held, not searched",
        /// An archive or a compressed file that is damaged or encrypted. It is not searched to
        /// its end.
        DamagedPart => "damaged-part": "damaged or encrypted archive, not searched to its end",
        /// An archive or a compressed file that is nested too deep, or too large when it is
        /// unpacked. It is searched up to the limit.
        PartLimit => "part-limit": "archive over a limit, not searched to its end",
        /// JSON that is damaged or too short, or nested more than 512 deep. The rest is read as
        /// text.
        DamagedJson => "damaged-json": "JSON that is damaged or nested too deep, the rest read as text",
    }
}

impl MessageNoteKind {
    /// A short description of data that was not searched. `None` for a fault
    /// that hid no text.
    pub fn unsearched(self) -> Option<&'static str> {
        Some(match self {
            MessageNoteKind::EncodedFile => "uuencoded or yEnc file",
            MessageNoteKind::CompressedPart => "compressed file or archive",
            MessageNoteKind::OfficePart => "office document",
            MessageNoteKind::PdfPart => "PDF",
            MessageNoteKind::EncryptedPart => "encrypted part",
            MessageNoteKind::UnknownPart => "data in an unknown format",
            MessageNoteKind::LargePart => "attachment too large to be held",
            MessageNoteKind::DamagedPart => "damaged or encrypted archive",
            MessageNoteKind::PartLimit => "archive over a limit",
            MessageNoteKind::HeaderTooLong
            | MessageNoteKind::RecipientsCut
            | MessageNoteKind::MissingSeparator
            | MessageNoteKind::MissingBoundary
            | MessageNoteKind::MissingEnd
            | MessageNoteKind::TooDeep
            | MessageNoteKind::UnknownEncoding
            | MessageNoteKind::UnknownCharset
            | MessageNoteKind::BadCharset
            | MessageNoteKind::BadQuotedPrintable
            | MessageNoteKind::BadBase64
            | MessageNoteKind::TextInBase64
            | MessageNoteKind::LinkTooLong
            | MessageNoteKind::DamagedJson => return None,
        })
    }
}
