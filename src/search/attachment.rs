//! The attachment that is being received. `attached` searches it.

use std::fmt;
use std::fs::File;
use std::sync::Arc;

use super::{Searcher, SearcherBuilder};
use crate::mail::mime::{Content, PartInfo, PartKind};
use crate::unpack::{self, Sniff};

/// The maximum number of messages and files that are inside of each other.
const DEPTH: u32 = 4;

/// Converts attachments before they are searched, such as PDF to text. The engine has
/// one that runs programs.
pub(crate) trait ConvertPart: fmt::Debug + Send + Sync {
    /// True if an attachment of this type, in lower case, and name is converted.
    fn wants(&self, content_type: &str, name: &[u8]) -> bool;

    /// The result of the conversion, from its beginning. `None` if there is none.
    fn convert(&self, part: &ToConvert, name: &[u8], bytes: &[u8]) -> Option<File>;
}

/// An attachment that is converted when it ends.
#[derive(Debug)]
pub(crate) struct ToConvert {
    pub(crate) content_type: String,
    /// The offset at which it begins in the file, if known.
    pub(crate) at: Option<u64>,
}

/// The current attachment that is a file.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// The settings of the searcher of its members. `None` if attachments are left out.
    pub(super) config: Option<SearcherBuilder>,
    pub(super) most: usize,
    pub(super) depth: u32,
    /// The name of the last part.
    pub(super) name: Vec<u8>,
    pub(super) bytes: Vec<u8>,
    /// The number of its bytes. Those over the limit are not held.
    pub(super) len: u64,
    pub(super) searcher: Option<Box<Searcher>>,
    pub(super) converter: Option<Arc<dyn ConvertPart>>,
    pub(super) to_convert: Option<ToConvert>,
}

impl Attached {
    pub(super) fn new(config: SearcherBuilder) -> Attached {
        Attached {
            most: config.attachments.unwrap_or_default(),
            config: config.attachments.map(|_| config),
            ..Attached::default()
        }
    }

    /// Drops an unfinished attachment.
    pub(super) fn clear(&mut self) {
        self.bytes = Vec::new();
        self.len = 0;
        self.to_convert = None;
    }

    /// True if files in this message are opened.
    fn opens(&self) -> bool {
        self.config.is_some() && self.most > 0 && self.depth < DEPTH
    }

    /// True if the part that begins is converted.
    pub(super) fn wants(&mut self, part: &PartInfo<'_>) -> bool {
        let is_wanted = |c: &Arc<dyn ConvertPart>| c.wants(part.content_type, part.file_name);
        let is_converted = self.opens() && self.converter.as_ref().is_some_and(is_wanted);
        self.to_convert = is_converted.then(|| ToConvert {
            content_type: part.content_type.to_owned(),
            at: part.source.filter(|_| self.depth == 0),
        });
        is_converted
    }

    pub(super) fn start_part(&mut self, part: &PartInfo<'_>) {
        if part.kind == PartKind::Binary {
            self.name.clear();
            self.name.extend_from_slice(part.file_name);
        }
    }

    /// What a part is that begins with `head`.
    pub(super) fn content(&self, head: &[u8], eof: bool) -> Option<Content> {
        let opens = self.opens();
        match Content::of(head, eof) {
            _ if self.config.is_none() => Some(Content::Data),
            _ if self.to_convert.is_some() => Some(Content::File),
            Some(Content::Messages) if !opens => Some(Content::Text),
            Some(_) if opens && unpack::sniff(head, eof) == Sniff::Packed => Some(Content::File),
            Some(Content::Messages) => Some(Content::File),
            content => content,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        if self.len > self.most as u64 {
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }
}
