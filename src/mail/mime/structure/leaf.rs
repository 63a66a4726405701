//! Parts that have no parts of their own: their kind, and the decoders of their
//! text.

use memchr::memrchr;

use super::super::format::TextFormat;
use super::super::mapped::line_feeds;
use super::super::params::split_type;
use super::super::text::Text;
use super::super::{Encoding, MailSink, MessageNoteKind, PartEnd, PartInfo, PartKind, Sibling};
use super::{Around, Leaf, Walker};

impl Walker {
    /// Starts a part that has no parts of its own.
    pub(super) fn start_leaf<S: MailSink>(&mut self, sink: &mut S) {
        let (major, minor) = match &self.part.content_type[..] {
            "text/plain" => ("text", "plain"),
            other => split_type(other).unwrap_or_default(),
        };
        let typed = match (major, minor) {
            ("text", "html") | ("application", "xhtml+xml") => Some(TextFormat::Html),
            ("text", "plain") if self.head.param_is(b"format", b"flowed") => {
                Some(TextFormat::Flowed {
                    delete_space: self.head.param_is(b"delsp", b"yes"),
                })
            }
            // RFC 7303 section 4.2
            _ if minor == "xml" || minor.ends_with("+xml") => Some(TextFormat::Xml),
            _ if is_calendar(minor) => Some(TextFormat::Calendar),
            // No such type is registered, but it says what the part is.
            _ if major == "html" || minor == "html" || minor == "x-html" => Some(TextFormat::Html),
            ("message", "rfc822" | "news" | "global")
                if self.part.encoding != Encoding::Identity =>
            {
                None
            }
            ("text" | "message" | "multipart", _) => Some(TextFormat::Plain),
            _ => None,
        };
        let part = &self.part;
        let unsearched = unsearched(major, minor, &part.file_name);
        let is_text = typed.is_some();
        let is_unknown = !is_text
            && match unsearched {
                _ if major == "message" => true,
                // Only base64 can hold bytes that are no text, whatever the type says.
                _ if part.encoding != Encoding::Base64 => true,
                None | Some(MessageNoteKind::EncryptedPart | MessageNoteKind::PdfPart) => false,
                Some(_) => true,
            };
        let is_file = part.attachment || !matches!(major, "text" | "multipart");
        let is_markup = matches!(typed, Some(TextFormat::Html | TextFormat::Xml));
        let kind = match typed {
            None => PartKind::Binary,
            Some(_) if is_markup => PartKind::HtmlText,
            Some(_) if is_file => PartKind::Attachment,
            Some(_) => PartKind::Body,
        };
        let at = self.at;
        let has_name = is_file || !part.file_name.is_empty();
        let is_wanted = has_name && sink.wants_file(&part.info(kind, Some(at), self.line));
        let unsearched = unsearched.filter(|_| !is_wanted);
        let note = unsearched.filter(|&note| {
            // The old type application/pgp may also be signed text, which is searched.
            !is_text && !is_unknown || note == MessageNoteKind::EncryptedPart && minor != "pgp"
        });
        self.stages.next.next.context = self.part.context;
        self.set_last(match self.part.encoding {
            Encoding::Base64 if !is_text => Sibling::Other,
            _ if !is_text && !is_unknown => Sibling::Other,
            _ => Sibling::Text,
        });
        if let Some(note) = note {
            self.note(note, at, sink);
        }
        if is_unknown || is_wanted {
            self.leaf = Leaf::Text;
            self.stages.start(self.part.encoding);
            self.stages.next.start_unknown(at, self.line, unsearched);
            self.watch = self.part.encoding == Encoding::Identity && !is_wanted;
            return;
        }
        sink.part_start(&PartInfo {
            column: Some(1),
            ..self.part.info(kind, Some(at), self.line)
        });
        if let Some(format) = typed {
            self.start_text(format, at, sink);
            self.watch = self.part.encoding == Encoding::Identity && !is_markup;
        } else {
            self.leaf = Leaf::Binary;
        }
    }

    pub(super) fn start_text<S: MailSink>(&mut self, format: TextFormat, at: u64, sink: &mut S) {
        self.leaf = Leaf::Text;
        self.stages.start(self.part.encoding);
        let known = self.stages.next.start(&self.part.charset);
        self.stages.next.next.start(format, self.line);
        if !known {
            self.note(MessageNoteKind::UnknownCharset, at, sink);
        }
    }

    pub(super) fn end_leaf<S: MailSink>(&mut self, last: bool, sink: &mut S) {
        self.end_file(sink);
        match self.leaf {
            Leaf::Skip | Leaf::Around(_) => {}
            Leaf::Binary => sink.part_end(PartEnd { last }),
            Leaf::Text => {
                let (stages, mut cx) = self.stages(sink);
                stages.finish(&mut cx);
                sink.part_end(PartEnd { last });
            }
        }
        self.leaf = Leaf::Skip;
        self.watch = false;
    }

    /// Processes bytes of the current part.
    pub(super) fn emit<S: MailSink>(&mut self, mut bytes: &[u8], mut source: u64, sink: &mut S) {
        if let Leaf::Around(around) = self.leaf {
            let space = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.line += line_feeds(&bytes[..space]) as u64;
            bytes = &bytes[space..];
            source += space as u64;
            if bytes.is_empty() {
                return;
            }
            self.start_around(around, source, sink);
        }
        if self.leaf == Leaf::Text {
            let (stages, mut cx) = self.stages(sink);
            stages.put(Text::copy(bytes, source), &mut cx);
            if stages.next.is_dropped() {
                self.leaf = Leaf::Binary;
            }
        }
        self.count(bytes);
    }

    pub(super) fn start_around<S: MailSink>(&mut self, around: Around, source: u64, sink: &mut S) {
        self.push_path(0);
        let part = &mut self.part;
        "text/plain".clone_into(&mut part.content_type);
        part.encoding = Encoding::Identity;
        part.attachment = false;
        part.charset.clear();
        part.file_name.clear();
        part.after = None;
        let kind = match around {
            Around::Preamble => PartKind::Preamble,
            Around::Epilogue => PartKind::Epilogue,
        };
        sink.part_start(&part.info(kind, Some(source), self.line));
        self.start_text(TextFormat::Plain, source, sink);
    }
}

/// The kind of note for a part that is not searched although it could hold text.
/// Pictures, sound and signatures hold none.
fn unsearched(major: &str, subtype: &str, name: &[u8]) -> Option<MessageNoteKind> {
    use MessageNoteKind::{CompressedPart, EncryptedPart, OfficePart, PdfPart, UnknownPart};
    /// Subtypes, without `x-`, and endings of names. `*` is any rest of a subtype, and a
    /// word with a dot is an ending only: `application/pgp` can be signed text.
    const KINDS: [(&str, Option<MessageNoteKind>); 5] = [
        ("pgp-encrypted pkcs7-mime .pgp .gpg", Some(EncryptedPart)),
        ("pdf", Some(PdfPart)),
        (
            "msword* vnd.ms-* vnd.openxmlformats* vnd.oasis.* doc docx xls xlsx ppt pptx odt \
             ods odp rtf",
            Some(OfficePart),
        ),
        (
            "gzip* compress* zip* bzip* 7z* vnd.rar* zstd* gz tgz bz2 xz zst z rar tar arj lha \
             lzh",
            Some(CompressedPart),
        ),
        (
            "gif jpg jpeg png bmp tif tiff webp heic ico mp3 mp4 m4a mov mpg avi wav ogg \
             pgp-signature pkcs7-signature pgp-keys p7s sig asc",
            None,
        ),
    ];
    match major {
        "text" | "multipart" | "image" | "audio" | "video" | "font" | "model" | "" => {
            return None;
        }
        _ => {}
    }
    let subtype = subtype.strip_prefix("x-").unwrap_or(subtype);
    let ending = memrchr(b'.', name).map_or(&b""[..], |dot| &name[dot + 1..]);
    let is_meant = |word: &str| {
        let (word, is_start) = match word.strip_suffix('*') {
            Some(start) => (start, subtype.starts_with(start)),
            None => (word, subtype == word),
        };
        let word = word.strip_prefix('.').unwrap_or(word);
        is_start || ending.eq_ignore_ascii_case(word.as_bytes())
    };
    let kind = KINDS
        .iter()
        .find(|(words, _)| words.split(' ').any(is_meant));
    kind.map_or(Some(UnknownPart), |&(_, note)| note)
}

/// True for calendars and vCards. `text/directory` (RFC 2425) is the old name of a vCard.
fn is_calendar(subtype: &str) -> bool {
    let subtype = subtype.strip_prefix("x-").unwrap_or(subtype);
    matches!(
        subtype,
        "calendar" | "vcalendar" | "ics" | "vcard" | "directory"
    )
}
