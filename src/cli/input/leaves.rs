//! The leaves of a packed file, one after the other, each with the way it is
//! to be read.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Fault;
use super::feed::Kind;
use crate::cli::config::Config;
use crate::mail::{Container, SNIFF};
use crate::unpack::{Event, Limits, Sniff, Source, Unpacker, sniff, utf16};

/// A packed file that is being unpacked.
pub struct Leaves {
    unpacker: Arc<Mutex<Unpacker>>,
}

/// What came next.
pub enum Next {
    Leaf(Leaf),
    Fault(Fault),
}

/// A stream that is not packed any more.
pub struct Leaf {
    /// The name of the file, and of the members that lead to it.
    pub path: Option<Vec<u8>>,
    pub kind: Kind,
    /// Its bytes, in UTF-8 if they were UTF-16.
    pub rdr: Box<dyn Read + Send>,
}

impl Leaves {
    /// True if a file that begins with `head` is to be unpacked: it is packed,
    /// or it is a news batch whose articles are.
    pub fn is_packed(head: &[u8], eof: bool, config: &Config) -> bool {
        config.mail.decompress
            && (sniff(head, eof) == Sniff::Packed
                || matches!(
                    Kind::of(head, eof, config),
                    Kind::Mail(Container::Packed(_))
                ))
    }

    /// Unpacks `source`, of which `head` was read already.
    pub fn new(source: Source, head: Vec<u8>, path: Option<&[u8]>, config: &Config) -> Leaves {
        let limits = Limits {
            max_window: config.mail.max_window,
            max_decompressed: config.mail.max_decompressed,
            ..Limits::default()
        };
        let unpacker = Unpacker::new(source, head, path, limits);
        Leaves {
            unpacker: Arc::new(Mutex::new(unpacker)),
        }
    }

    /// The next leaf, or fault; `None` at the end.
    pub fn next(&mut self, config: &Config) -> Option<Next> {
        let mut unpacker = lock(&self.unpacker);
        if let Event::Fault(fault) = unpacker.next()? {
            return Some(Next::Fault(fault.into()));
        }
        let mut kind = kind_of(unpacker.peek(SNIFF), config);
        if let Kind::Mail(Container::Packed(_)) = kind {
            let line = memchr::memchr(b'\n', unpacker.peek(SNIFF)).map_or(0, |at| at + 1);
            unpacker.enter(line);
            kind = kind_of(unpacker.peek(SNIFF), config);
        }
        let path = unpacker.path().map(<[u8]>::to_vec);
        let is_utf16 = utf16::is_marked(unpacker.peek(SNIFF));
        let rdr = LeafReader(Arc::clone(&self.unpacker));
        let rdr: Box<dyn Read + Send> = match is_utf16 {
            true => Box::new(utf16::reader(rdr)),
            false => Box::new(rdr),
        };
        Some(Next::Leaf(Leaf { path, kind, rdr }))
    }
}

fn kind_of(head: &[u8], config: &Config) -> Kind {
    Kind::of(head, head.len() < SNIFF, config)
}

/// Reads the leaf that the unpacker is at. Both belong to one thread at a time:
/// the lock is never waited for.
struct LeafReader(Arc<Mutex<Unpacker>>);

impl Read for LeafReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        lock(&self.0).read(buffer)
    }
}

fn lock(unpacker: &Mutex<Unpacker>) -> MutexGuard<'_, Unpacker> {
    unpacker.lock().unwrap_or_else(PoisonError::into_inner)
}
