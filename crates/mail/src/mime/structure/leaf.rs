//! Parts that have no parts of their own: their kind, and the decoders of their
//! text.

use memchr::memrchr;

use super::super::content::TextFormat;
use super::super::mapped::line_feeds;
use super::super::note::MessageNoteKind;
use super::super::params::split_type;
use super::super::part::{Encoding, Part, PartEnd, PartInfo, PartKind, Sibling};
use super::super::sink::MailSink;
use super::super::text::Text;
use super::{Around, Leaf, Walker};
use urlgrep_containers::{Coding, is_table};

/// What the header of a part says about its content.
#[derive(Debug)]
struct Plan {
    kind: PartKind<'static>,
    reading: Reading,
    /// Why it is not searched, if it is not text.
    unsearched: Option<MessageNoteKind>,
    /// The part of `unsearched` that is known before its first byte.
    note: Option<MessageNoteKind>,
    /// It may have the name of a file.
    is_file: bool,
    /// What the next part of its multipart comes after.
    sibling: Sibling,
}

/// How a part is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// As text of this format.
    Text(TextFormat),
    /// As what its first bytes show.
    Sniffed,
    /// Not at all.
    Skipped,
}

impl Plan {
    /// `plain` is the format of `text/plain`.
    fn of(part: &Part, plain: TextFormat) -> Plan {
        let (major, minor) = match &*part.content_type {
            "text/plain" => ("text", "plain"),
            other => split_type(other).unwrap_or_default(),
        };
        let unsearched = unsearched(major, minor, &part.file_name);
        let reading = if is_json(minor, &part.file_name) {
            // What is called JSON may be text, such as the page of an error.
            Reading::Sniffed
        } else if let Some(format) = format(major, minor, part.encoding, plain) {
            Reading::Text(format)
        } else if may_be_text(major, part.encoding, unsearched) {
            Reading::Sniffed
        } else {
            Reading::Skipped
        };
        let is_attachment = part.attachment || !matches!(major, "text" | "multipart");
        let kind = match reading {
            Reading::Text(TextFormat::Html | TextFormat::Xml) => PartKind::HtmlText,
            Reading::Text(_) if is_attachment => PartKind::Attachment,
            Reading::Text(_) => PartKind::Body,
            Reading::Sniffed | Reading::Skipped => PartKind::Binary,
        };
        // The old type application/pgp may also be signed text, which is searched.
        let is_encrypted = unsearched == Some(MessageNoteKind::EncryptedPart) && minor != "pgp";
        let is_read = match reading {
            Reading::Text(_) => true,
            Reading::Sniffed => part.encoding != Encoding::Base64,
            Reading::Skipped => false,
        };
        Plan {
            kind,
            reading,
            unsearched,
            note: unsearched.filter(|_| is_encrypted || reading == Reading::Skipped),
            is_file: is_attachment || !part.file_name.is_empty(),
            sibling: if is_read {
                Sibling::Text
            } else {
                Sibling::Other
            },
        }
    }

    /// The plan for a document, whose type is known from its bytes or from its reader.
    fn document(self) -> Plan {
        let format = match self.reading {
            Reading::Sniffed => TextFormat::Json,
            Reading::Text(TextFormat::Csv) => TextFormat::Csv,
            _ => return self,
        };
        Plan {
            kind: PartKind::Attachment,
            reading: Reading::Text(format),
            unsearched: None,
            note: None,
            ..self
        }
    }

    /// The plan for the body of HTTP whose header says that it is compressed. Its bytes show
    /// whether it is: an archive may have it without its coding.
    fn coded(self) -> Plan {
        Plan {
            reading: Reading::Sniffed,
            unsearched: Some(MessageNoteKind::CompressedPart),
            note: None,
            ..self
        }
    }

    /// The plan for a part that a program converts. Its bytes are held until it ends.
    fn converted(self) -> Plan {
        Plan {
            reading: Reading::Sniffed,
            unsearched: None,
            note: None,
            ..self
        }
    }
}

/// The format of a part with this type, if the type says that it is text.
fn format(major: &str, minor: &str, encoding: Encoding, plain: TextFormat) -> Option<TextFormat> {
    match (major, minor) {
        ("text", "plain") => return Some(plain),
        ("text", "html") | ("application", "xhtml+xml") => return Some(TextFormat::Html),
        _ => {}
    }
    // RFC 7303 section 4.2
    if minor == "xml" || minor.ends_with("+xml") {
        return Some(TextFormat::Xml);
    }
    if is_calendar(minor) {
        return Some(TextFormat::Calendar);
    }
    // RFC 7111; the second type is that of IANA for TSV.
    if matches!(minor, "csv" | "tab-separated-values") {
        return Some(TextFormat::Csv);
    }
    // No such type is registered, but it says what the part is.
    if major == "html" || minor == "html" || minor == "x-html" {
        return Some(TextFormat::Html);
    }
    let is_encoded_message = major == "message"
        && matches!(minor, "rfc822" | "news" | "global")
        && encoding != Encoding::Identity;
    let is_text = matches!(major, "text" | "message" | "multipart") && !is_encoded_message;
    is_text.then_some(TextFormat::Plain)
}

/// True if a part whose type is not text may be text in spite of that. Only base64 can hold
/// bytes that are no text, whatever the type says.
fn may_be_text(major: &str, encoding: Encoding, unsearched: Option<MessageNoteKind>) -> bool {
    use MessageNoteKind::{EncryptedPart, PdfPart};
    let has_no_text = matches!(unsearched, None | Some(EncryptedPart | PdfPart));
    major == "message" || encoding != Encoding::Base64 || !has_no_text
}

impl Walker {
    /// Starts a part that has no parts of its own. A document is no part of a message.
    pub(super) fn start_leaf<S: MailSink>(&mut self, is_document: bool, sink: &mut S) {
        let (part, head) = (&self.part, &mut self.head);
        let plain = if part.content_type == "text/plain" && head.param_is(b"format", b"flowed") {
            TextFormat::Flowed {
                delete_space: head.param_is(b"delsp", b"yes"),
            }
        } else {
            TextFormat::Plain
        };
        let at = self.at;
        let mut plan = Plan::of(part, plain);
        if is_document {
            plan = plan.document();
        }
        let is_coded = part.coding != Coding::Identity;
        let is_wanted = (plan.is_file || is_coded)
            && sink.wants_file(&part.info(plan.kind, Some(at), self.line));
        let plan = if is_coded {
            plan.coded()
        } else if is_wanted {
            plan.converted()
        } else {
            plan
        };
        self.stages.next.next.context = part.context;
        self.set_last(plan.sibling);
        if let Some(note) = plan.note {
            self.note(note, at, sink);
        }
        let is_identity = self.part.encoding == Encoding::Identity;
        let info = PartInfo {
            column: Some(1),
            ..self.part.info(plan.kind, Some(at), self.line)
        };
        match plan.reading {
            Reading::Text(format) => {
                let is_csv = format == TextFormat::Plain && is_table(&self.part.file_name);
                let format = if is_csv { TextFormat::Csv } else { format };
                sink.part_start(&info);
                self.start_text(format, at, sink);
                let has_strings = matches!(format, TextFormat::Json | TextFormat::Csv);
                self.watch = is_identity && plan.kind != PartKind::HtmlText && !has_strings;
            }
            Reading::Sniffed => {
                self.leaf = Leaf::Text;
                self.stages.start(self.part.encoding);
                let stage = &mut self.stages.next;
                stage.start_unknown(at, self.line, plan.unsearched);
                self.watch = is_identity && !is_wanted;
            }
            Reading::Skipped => {
                sink.part_start(&info);
                self.leaf = Leaf::Binary;
            }
        }
    }

    pub(super) fn start_text<S: MailSink>(&mut self, format: TextFormat, at: u64, sink: &mut S) {
        self.leaf = Leaf::Text;
        self.stages.start(self.part.encoding);
        let known = self.stages.next.start(&self.part.charset);
        if self.part.encoding != Encoding::Identity {
            self.stages.next.look_for_mark();
        }
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
        self.look_around();
        let part = &mut self.part;
        "text/plain".clone_into(&mut part.content_type);
        part.encoding = Encoding::Identity;
        part.declares_none = false;
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

/// True for a part whose type or name says that it is JSON (RFC 8259 section 11, RFC 6839 section
/// 3.1, and names that have no document).
fn is_json(subtype: &str, name: &[u8]) -> bool {
    const NAMES: [&[u8]; 7] = [
        b"json",
        b"jsonl",
        b"ndjson",
        b"ipynb",
        b"geojson",
        b"har",
        b"webmanifest",
    ];
    let subtype = subtype.strip_prefix("x-").unwrap_or(subtype);
    let is_named = memrchr(b'.', name).is_some_and(|dot| {
        let ending = &name[dot + 1..];
        NAMES.iter().any(|name| name.eq_ignore_ascii_case(ending))
    });
    let is_typed = matches!(
        subtype,
        "json" | "ndjson" | "jsonl" | "jsonlines" | "json-seq"
    );
    is_typed || subtype.ends_with("+json") || is_named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_how_a_part_is_read() {
        use Encoding::{Base64, Identity, QuotedPrintable};
        #[rustfmt::skip]
        let rows = [
            ("text/plain", Identity, "", "body, text"),
            ("text/plain", Base64, "a.txt", "body, text"),
            ("text/html", Base64, "", "html, text"),
            ("application/xhtml+xml", Identity, "", "html, text"),
            ("html/text", Identity, "", "html, text"),
            ("image/svg+xml", Base64, "a.svg", "html, text"),
            ("text/x-vcard", Identity, "a.vcf", "body, text"),
            ("application/ics", Base64, "a.ics", "attachment, text"),
            ("text/anything", Base64, "", "body, text"),
            ("multipart/odd", Identity, "", "body, text"),
            ("message/delivery-status", Identity, "", "attachment, text"),
            ("message/rfc822", Identity, "", "attachment, text"),
            ("message/rfc822", Base64, "", "binary, sniffed (UnknownPart)"),
            ("application/octet-stream", Base64, "", "binary, sniffed (UnknownPart)"),
            ("application/octet-stream", QuotedPrintable, "a.gif", "binary, sniffed"),
            ("application/octet-stream", Base64, "a.gif", "binary, skipped"),
            ("application/octet-stream", Base64, "a.zip", "binary, sniffed (CompressedPart)"),
            ("application/msword", Base64, "", "binary, sniffed (OfficePart)"),
            ("application/pdf", Base64, "", "binary, skipped, noted (PdfPart)"),
            ("application/pdf", Identity, "", "binary, sniffed (PdfPart)"),
            ("application/octet-stream", Base64, "a.pgp", "binary, skipped, noted (EncryptedPart)"),
            ("application/pgp-encrypted", Identity, "", "binary, sniffed, noted (EncryptedPart)"),
            ("application/pgp", Identity, "a.pgp", "binary, sniffed (EncryptedPart)"),
            ("image/gif", Base64, "a.gif", "binary, skipped"),
            ("image/gif", Identity, "a.gif", "binary, sniffed"),
            ("text/csv", Base64, "", "body, text"),
            ("application/csv", Base64, "", "attachment, text"),
            ("text/json", Base64, "", "binary, sniffed"),
            ("text/x-json", Identity, "", "binary, sniffed"),
            ("application/json", Base64, "", "binary, sniffed (UnknownPart)"),
            ("application/activity+json", Identity, "", "binary, sniffed (UnknownPart)"),
            ("text/plain", QuotedPrintable, "a.JSONL", "binary, sniffed"),
            ("text/plain", Identity, "json", "body, text"),
        ];
        for (content_type, encoding, name, expected) in rows {
            let part = Part {
                content_type: content_type.to_owned(),
                encoding,
                file_name: name.into(),
                ..Part::default()
            };
            let plan = Plan::of(&part, TextFormat::Plain);
            let kind = match plan.kind {
                PartKind::HtmlText => "html",
                PartKind::Attachment => "attachment",
                PartKind::Body => "body",
                _ => "binary",
            };
            let reading = match plan.reading {
                Reading::Text(_) => "text",
                Reading::Sniffed => "sniffed",
                Reading::Skipped => "skipped",
            };
            let noted = plan.note.map_or("", |_| ", noted");
            let is_text = matches!(plan.reading, Reading::Text(_));
            let why = plan.unsearched.filter(|_| !is_text);
            let why = why.map(|note| format!(" ({note:?})"));
            let text = format!("{kind}, {reading}{noted}{}", why.unwrap_or_default());
            assert_eq!(text, expected, "{content_type} {encoding:?} {name}");
        }
    }
}
