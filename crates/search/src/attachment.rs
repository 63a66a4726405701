//! The attachment that is being received. `attached` searches it.

use std::fmt;
use std::io::{ErrorKind, Write};
use std::sync::Arc;

use super::{Searcher, SearcherBuilder};
use urlgrep_base::escape;
use urlgrep_mail::mime::{Content, MessageNoteKind, PartInfo, PartKind};
use urlgrep_unpack::{
    self, Costs, FirstBytes, Limits, NESTED_DECOMPRESSED, Sniff, Spool, UnpackFault,
    UnpackFaultKind,
};

/// The maximum number of messages and files that are inside of each other.
const DEPTH: u32 = 4;

/// Converts attachments before they are searched, such as PDF to text, and gets the faults of
/// those that were not searched to their end. The engine does it, and has programs that convert.
pub trait ConvertPart: fmt::Debug + Send + Sync {
    /// True if an attachment of this type, in lower case, and name is converted.
    fn wants(&self, content_type: &str, name: &[u8]) -> bool;

    /// The result of the conversion, from its beginning. `None` if there is none.
    fn convert(&self, part: &FilePart, input: Spool) -> Option<FirstBytes>;

    /// Keeps a fault of the file in which the attachment is.
    fn fail(&self, fault: UnpackFault);
}

/// A part that is a file.
#[derive(Debug, Default)]
pub struct FilePart {
    pub(crate) number: String,
    /// Its Content-Type, in lower case.
    pub content_type: String,
    /// Its file name. Empty if it has none.
    pub name: Vec<u8>,
    /// The offset at which it begins in the file, if known.
    pub(crate) at: Option<u64>,
}

impl FilePart {
    /// `fault` as one of the file in which this part is.
    pub fn locate(&self, mut fault: UnpackFault) -> UnpackFault {
        let path = fault.path.take().unwrap_or_else(|| self.name.clone());
        let shown = match String::from_utf8_lossy(&path) {
            path if path.is_empty() => self.content_type[..].into(),
            path => path,
        };
        fault.text = format!("part {}, {shown}: {}", self.number, fault.text);
        fault.offset = self.at;
        fault
    }
}

/// The current attachment that is a file.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// The settings of the searcher of its members. `None` if attachments are left out.
    pub(super) config: Option<SearcherBuilder>,
    most: usize,
    /// How many of its bytes may be in memory: `most` without those of the files around it.
    pub(super) room: usize,
    /// How many of its bytes may be held in all.
    pub(super) space: u64,
    pub(super) depth: u32,
    /// The last part that is no text.
    pub(super) part: FilePart,
    /// Its bytes, and their number. `None` if they could not be held.
    pub(super) bytes: Option<Spool>,
    pub(super) len: u64,
    pub(super) searcher: Option<Box<Searcher>>,
    pub(super) converter: Option<Arc<dyn ConvertPart>>,
    pub(super) is_converted: bool,
    /// The limits for a file and all that is inside, and what counts towards them.
    pub(super) limits: Limits,
    pub(super) costs: Arc<Costs>,
    /// Why the attachment was not searched to its end, or one inside. Not damage, which is a
    /// note: a limit was reached, or its bytes could not be held.
    pub(super) fault: Option<UnpackFault>,
    /// The first of these faults, as one of the file, if no converter gets them.
    pub(super) reported: Option<UnpackFault>,
}

impl Attached {
    pub(super) fn new(config: SearcherBuilder) -> Attached {
        let most = config.attachments.unwrap_or_default();
        Attached {
            most,
            room: most,
            space: NESTED_DECOMPRESSED,
            config: config.attachments.map(|_| config),
            ..Attached::default()
        }
    }

    /// Drops an unfinished attachment.
    pub(super) fn clear(&mut self) {
        self.bytes = None;
        self.len = 0;
        self.is_converted = false;
    }

    /// Drops an unfinished message.
    pub(super) fn forget(&mut self) {
        self.clear();
        self.fault = None;
        self.reported = None;
    }

    /// True if files in this message are opened.
    fn opens(&self) -> bool {
        self.config.is_some() && self.most > 0 && self.depth < DEPTH
    }

    /// True if the part that begins is converted.
    pub(super) fn wants(&mut self, part: &PartInfo<'_>) -> bool {
        let is_wanted = |c: &Arc<dyn ConvertPart>| c.wants(part.content_type, part.file_name);
        self.is_converted = self.opens() && self.converter.as_ref().is_some_and(is_wanted);
        self.is_converted
    }

    pub(super) fn start_part(&mut self, part: &PartInfo<'_>) {
        if part.kind == PartKind::Binary {
            part.path.clone_into(&mut self.part.number);
            part.content_type.clone_into(&mut self.part.content_type);
            part.file_name.clone_into(&mut self.part.name);
            self.part.at = part.source.filter(|_| self.depth == 0);
        }
    }

    /// What a part is that begins with `head`.
    pub(super) fn content(&mut self, head: &[u8], eof: bool) -> Option<Content> {
        if self.config.is_none() {
            return Some(Content::Data);
        }
        if self.is_converted {
            return Some(Content::File);
        }
        let content = Content::of(head, eof)?;
        if content != Content::Messages && urlgrep_unpack::sniff(head, eof) != Sniff::Packed {
            return Some(content);
        }
        if self.opens() {
            return Some(Content::File);
        }
        if self.depth == DEPTH {
            let text =
                format!("attached more than {DEPTH} deep; what is packed in it is not opened");
            self.keep(UnpackFault::new(UnpackFaultKind::Attachment, text));
        }
        let is_text = content == Content::Messages;
        Some(if is_text { Content::Text } else { content })
    }

    /// Keeps the first fault that is no damage. One is enough for all that is packed inside, of
    /// which there may be any number. Returns the note about the attachment.
    pub(super) fn keep(&mut self, fault: UnpackFault) -> MessageNoteKind {
        use UnpackFaultKind::{Attachment, Decompressed, Depth, Io, Window};
        let note = match fault.kind {
            Window | Decompressed | Depth | Attachment => MessageNoteKind::PartLimit,
            // The temporary file.
            Io(_) => MessageNoteKind::LargePart,
            _ => return MessageNoteKind::DamagedPart,
        };
        self.fault.get_or_insert(fault);
        note
    }

    /// Gives the fault of a part of the file to the engine. It is kept if there is none, or if
    /// the part is inside of another.
    pub(super) fn report(&mut self) {
        if self.depth == 0
            && let Some(fault) = self.fault.take()
        {
            let fault = self.part.locate(fault);
            match &self.converter {
                Some(converter) => converter.fail(fault),
                None => _ = self.reported.get_or_insert(fault),
            }
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.len == 0 {
            self.bytes = Some(Spool::new(self.room));
        }
        self.len += bytes.len() as u64;
        let written = match &mut self.bytes {
            Some(_) if self.len > self.space => {
                self.bytes = None;
                let text = format!("larger than {} bytes; not opened", self.space);
                self.keep(UnpackFault::new(UnpackFaultKind::Attachment, text));
                return;
            }
            Some(held) => held.write_all(bytes),
            None => Ok(()),
        };
        if let Err(error) = written {
            self.bytes = None;
            let text = format!("temporary file: {}", escape::system_error(&error));
            self.keep(UnpackFault::new(
                UnpackFaultKind::Io(ErrorKind::Other),
                text,
            ));
        }
    }
}
