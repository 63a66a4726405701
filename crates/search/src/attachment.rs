//! The attachment that is being received. `attached` searches it.

use std::fmt;
use std::io::{ErrorKind, Seek, Write};
use std::sync::Arc;

use super::{Searcher, SearcherBuilder};
use urlgrep_base::{escape, magic};
use urlgrep_containers::{Coding, SNIFF};
use urlgrep_mail::mime::{Content, MessageNoteKind, PartInfo, PartKind};
use urlgrep_unpack::{
    self, Costs, FirstBytes, Limits, NESTED_DECOMPRESSED, Sniff, Source, Spool, UnpackFault,
    UnpackFaultKind,
};

/// The maximum number of messages and files that are inside of each other.
const DEPTH: u32 = 4;
/// An attachment is decompressed to at most this many bytes, and [`RATIO`] times its size.
/// Text and the XML of documents grow ten to fifty times. Deflate can reach 1,032 times and
/// other formats much more, but only with data that repeats itself and is no text to read.
const UNPACKED: u64 = 1 << 20;
const RATIO: u64 = 256;
/// The attachments that are inside of another, and are open at once, have at most this many
/// bytes together. So a message of 30 MB cannot fill a disk with 33 GB of temporary files.
const HELD_INSIDE: u64 = 1 << 30;

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

/// What an attachment may cost, and all that is attached inside of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    /// The number of messages and files around it, without the file that is searched.
    depth: u32,
    /// How many of its bytes may be in memory.
    memory: usize,
    /// How many of its bytes may be held in all.
    held: u64,
    /// The limits on unpacking it, and what counts towards them.
    pub(super) limits: Limits,
    pub(super) costs: Arc<Costs>,
}

impl Budget {
    /// What is left for the files inside of an attachment with `len` bytes, `in_memory` of
    /// which are in memory. The first attachment sets the limit for all that is inside.
    fn nested(&self, len: u64, in_memory: usize) -> Budget {
        let mut nested = Budget {
            depth: self.depth + 1,
            memory: self.memory.saturating_sub(in_memory),
            held: self.held.saturating_sub(len),
            ..self.clone()
        };
        if self.depth == 0 {
            let limit = self.limits.max_decompressed;
            let most = limit.unwrap_or(UNPACKED + RATIO * len);
            nested.held = most.min(HELD_INSIDE);
            nested.limits.max_decompressed = Some(most);
            nested.costs = Arc::default();
        }
        nested
    }

    /// The kind of fault if more bytes must be held than may. Inside of another attachment the
    /// limit follows `--max-decompressed`, unless that allows more than is ever held.
    fn kind_of_held(&self) -> UnpackFaultKind {
        let most = self.limits.max_decompressed.unwrap_or(u64::MAX);
        if self.depth > 0 && most < HELD_INSIDE {
            UnpackFaultKind::Decompressed
        } else {
            UnpackFaultKind::Attachment
        }
    }
}

/// An attachment that has ended.
pub(super) struct File {
    /// Its bytes, or what a program made of them.
    pub(super) source: Source,
    /// Its name, and the path of what is searched.
    pub(super) name: Vec<u8>,
    pub(super) path: Vec<u8>,
    /// Set if it is a body of HTTP with a coding.
    pub(super) coded: Option<Coded>,
    /// For what is inside.
    pub(super) budget: Budget,
    /// Searches what is inside.
    pub(super) searcher: Box<Searcher>,
}

/// The body of HTTP that is being received, before its coding is removed.
#[derive(Clone, Debug, Default)]
pub(super) struct Coded {
    pub(super) coding: Coding,
    /// Its type, with its charset.
    pub(super) content_type: Vec<u8>,
    /// See [`PartInfo::base`].
    pub(super) base: &'static [u8],
}

impl Coded {
    fn of(part: &PartInfo<'_>) -> Coded {
        let charset = if part.charset.is_empty() {
            Vec::new()
        } else {
            [b"; charset=\"", part.charset, b"\""].concat()
        };
        Coded {
            coding: part.coding,
            content_type: [part.content_type.as_bytes(), &charset].concat(),
            base: part.base,
        }
    }
}

/// Whether bytes that begin with `head` have this coding. Archives have bodies without the coding
/// that their header announces.
fn has_coding(coding: Coding, head: &[u8]) -> bool {
    let is_text = || {
        let valid = match std::str::from_utf8(head) {
            Ok(_) => head.len(),
            Err(error) if error.error_len().is_none() => head.len(),
            Err(error) => error.valid_up_to(),
        };
        let is_control = |b: &u8| *b < b' ' && !b.is_ascii_whitespace();
        valid == head.len() && !head.iter().any(is_control)
    };
    match coding {
        Coding::Gzip => magic::Compression::of(head) == Some(magic::Compression::Gzip),
        Coding::Zstd => magic::Compression::of(head) == Some(magic::Compression::Zstd),
        Coding::Identity => false,
        // Deflate without a header and brotli have no magic number.
        _ => !is_text(),
    }
}

/// The current attachment that is a file.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// The settings of the searcher of its members. `None` if attachments are left out.
    config: Option<SearcherBuilder>,
    budget: Budget,
    /// The last part that is no text.
    pub(super) part: FilePart,
    /// Its bytes, and their number. `None` if they could not be held.
    bytes: Option<Spool>,
    len: u64,
    /// The searcher of its members, for reuse.
    searcher: Option<Box<Searcher>>,
    converter: Option<Arc<dyn ConvertPart>>,
    is_converted: bool,
    /// The part is a body of HTTP with a coding.
    coded: Coded,
    /// Its bytes have that coding.
    is_coded: bool,
    /// Why the attachment was not searched to its end, or one inside. Not damage, which is a
    /// note: a limit was reached, or its bytes could not be held.
    pub(super) fault: Option<UnpackFault>,
    /// The first of these faults, as one of the file, if no converter gets them.
    pub(super) reported: Option<UnpackFault>,
}

impl Attached {
    pub(super) fn new(config: SearcherBuilder) -> Attached {
        let mut attached = Attached {
            config: config.attachments.map(|_| config),
            ..Attached::default()
        };
        attached.budget.memory = config.attachments.unwrap_or_default();
        attached.budget.held = NESTED_DECOMPRESSED;
        attached
    }

    /// Has attachments converted before they are searched, and unpacked up to `limits`.
    pub(super) fn convert(&mut self, by: Arc<dyn ConvertPart>, limits: Limits) {
        self.converter = Some(by);
        self.budget.limits = limits;
    }

    /// The attachment that has ended, if there is one. The error is a note: its bytes could
    /// not be held.
    pub(super) fn take_file(&mut self) -> Result<Option<File>, MessageNoteKind> {
        let (len, held) = (self.len, self.bytes.take());
        let is_converted = self.is_converted;
        let coded = self.is_coded.then(|| self.coded.clone());
        self.clear();
        let Some(config) = self.config.filter(|_| len > 0) else {
            return Ok(None);
        };
        let held = held.and_then(|mut held| held.rewind().is_ok().then_some(held));
        let Some(held) = held else {
            self.report();
            return Err(MessageNoteKind::LargePart);
        };
        let in_memory = if held.is_rolled() { 0 } else { len as usize };
        let name = self.part.name.clone();
        let mut path = name.clone();
        let (source, len) = if let (true, Some(converter)) = (is_converted, &self.converter) {
            let Some(made) = converter.convert(&self.part, held) else {
                return Ok(None);
            };
            path.extend_from_slice(b"!pre");
            let len = made.end();
            (Source::Seek(Box::new(made)), len)
        } else {
            (Source::Seek(Box::new(held)), len)
        };
        let budget = self.budget.nested(len, in_memory);
        let kept = self.searcher.take();
        let mut searcher =
            kept.unwrap_or_else(|| Box::new(config.message_ends(false).columns(false).build()));
        let inside = &mut searcher.parts.attached;
        inside.converter.clone_from(&self.converter);
        inside.budget.clone_from(&budget);
        Ok(Some(File {
            source,
            name,
            path,
            coded,
            budget,
            searcher,
        }))
    }

    /// After the search of a file: reports its faults, and keeps its searcher.
    pub(super) fn end_file(&mut self, searcher: Box<Searcher>) {
        self.report();
        self.searcher = Some(searcher);
    }

    /// True if no byte of a file was received.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Drops an unfinished attachment.
    pub(super) fn clear(&mut self) {
        self.bytes = None;
        self.len = 0;
        self.is_converted = false;
        self.is_coded = false;
    }

    /// Drops an unfinished message.
    pub(super) fn forget(&mut self) {
        self.clear();
        self.fault = None;
        self.reported = None;
    }

    /// True if files in this message are opened.
    fn opens(&self) -> bool {
        let most = self.config.and_then(|config| config.attachments);
        most.is_some_and(|most| most > 0) && self.budget.depth < DEPTH
    }

    /// True if the part that begins is converted.
    pub(super) fn wants(&mut self, part: &PartInfo<'_>) -> bool {
        if part.coding != Coding::Identity {
            self.coded = Coded::of(part);
            self.is_coded = true;
            self.is_converted = false;
            return true;
        }
        self.is_coded = false;
        let is_wanted = |c: &Arc<dyn ConvertPart>| c.wants(part.content_type, part.file_name);
        self.is_converted = self.opens() && self.converter.as_ref().is_some_and(is_wanted);
        self.is_converted
    }

    pub(super) fn start_part(&mut self, part: &PartInfo<'_>) {
        if part.kind == PartKind::Binary {
            part.path.clone_into(&mut self.part.number);
            part.content_type.clone_into(&mut self.part.content_type);
            part.file_name.clone_into(&mut self.part.name);
            self.part.at = part.source.filter(|_| self.budget.depth == 0);
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
        if self.is_coded {
            if head.len() < SNIFF && !eof {
                return None;
            }
            if has_coding(self.coded.coding, head) {
                let opens = self.opens() && self.coded.coding != Coding::Other;
                self.is_coded = opens;
                return Some(if opens { Content::File } else { Content::Data });
            }
            self.is_coded = false;
        }
        let content = Content::of(head, eof)?;
        if content != Content::Messages && urlgrep_unpack::sniff(head, eof) != Sniff::Packed {
            return Some(content);
        }
        if self.opens() {
            return Some(Content::File);
        }
        if self.budget.depth == DEPTH {
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
    fn report(&mut self) {
        if self.budget.depth == 0
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
            self.bytes = Some(Spool::new(self.budget.memory));
        }
        self.len += bytes.len() as u64;
        let written = match &mut self.bytes {
            Some(_) if self.len > self.budget.held => {
                self.bytes = None;
                let text = format!("larger than {} bytes; not opened", self.budget.held);
                self.keep(UnpackFault::new(self.budget.kind_of_held(), text));
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
