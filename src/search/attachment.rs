//! The attachment that is being received. `attached` searches it.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use super::{Searcher, SearcherBuilder};
use crate::escape;
use crate::mail::mime::{Content, PartInfo, PartKind};
use crate::unpack::{self, Costs, Limits, NESTED_DECOMPRESSED, Sniff, Spool};

/// The maximum number of messages and files that are inside of each other.
const DEPTH: u32 = 4;

/// Converts attachments before they are searched, such as PDF to text, and reports those that
/// could not be held. The engine does it, and has programs that convert.
pub(crate) trait ConvertPart: fmt::Debug + Send + Sync {
    /// True if an attachment of this type, in lower case, and name is converted.
    fn wants(&self, content_type: &str, name: &[u8]) -> bool;

    /// The result of the conversion, from its beginning. `None` if there is none.
    fn convert(&self, part: &FilePart, input: Spool) -> Option<File>;

    /// Reports that an attachment could not be held.
    fn fail(&self, part: &FilePart, error: &io::Error);
}

/// A part that is a file.
#[derive(Debug, Default)]
pub(crate) struct FilePart {
    pub(crate) content_type: String,
    pub(crate) name: Vec<u8>,
    /// The offset at which it begins in the file, if known.
    pub(crate) at: Option<u64>,
}

/// The current attachment that is a file.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// The settings of the searcher of its members. `None` if attachments are left out.
    pub(super) config: Option<SearcherBuilder>,
    most: usize,
    /// How many of its bytes may be in memory: `most` without those of the files around it.
    pub(super) room: usize,
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
}

impl Attached {
    pub(super) fn new(config: SearcherBuilder) -> Attached {
        let most = config.attachments.unwrap_or_default();
        Attached {
            most,
            room: most,
            config: config.attachments.map(|_| config),
            ..Attached::default()
        }
    }

    /// Drops an unfinished attachment.
    pub(super) fn clear(&mut self) {
        (self.bytes, self.len, self.is_converted) = (None, 0, false);
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
            part.content_type.clone_into(&mut self.part.content_type);
            part.file_name.clone_into(&mut self.part.name);
            self.part.at = part.source.filter(|_| self.depth == 0);
        }
    }

    /// What a part is that begins with `head`.
    pub(super) fn content(&self, head: &[u8], eof: bool) -> Option<Content> {
        let opens = self.opens();
        match Content::of(head, eof) {
            _ if self.config.is_none() => Some(Content::Data),
            _ if self.is_converted => Some(Content::File),
            Some(Content::Messages) if !opens => Some(Content::Text),
            Some(_) if opens && unpack::sniff(head, eof) == Sniff::Packed => Some(Content::File),
            Some(Content::Messages) => Some(Content::File),
            content => content,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.len == 0 {
            self.bytes = Some(Spool::new(self.room));
        }
        self.len += bytes.len() as u64;
        let written = match &mut self.bytes {
            Some(_) if self.len > NESTED_DECOMPRESSED => Err(io::ErrorKind::FileTooLarge.into()),
            Some(held) => held.write_all(bytes),
            None => Ok(()),
        };
        if let Err(error) = written {
            self.bytes = None;
            if let Some(converter) = &self.converter {
                let text = format!("temporary file: {}", escape::system_error(&error));
                converter.fail(&self.part, &io::Error::other(text));
            }
        }
    }
}
