//! The members of a packed file.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};

use super::Settings;
use super::fault::Fault;
use super::open::{Bytes, Head, text_reader};
use super::worker::Kind;
use urlgrep_containers::SNIFF;
use urlgrep_unpack::{Event, Office, Source, Unpacker, lock};

/// A packed file that is being unpacked.
pub(super) struct Members {
    unpacker: Arc<Mutex<Unpacker>>,
    office: Office,
}

/// The next event.
pub(super) enum NextMember {
    Member(Member),
    Whole(Whole),
    Fault(Fault),
}

/// A member that is in memory.
#[derive(Debug)]
pub(super) struct Whole {
    pub path: Option<Vec<u8>>,
    pub kind: Kind,
    pub bytes: Vec<u8>,
}

impl Whole {
    pub fn text(path: Option<Vec<u8>>, bytes: &[u8]) -> Whole {
        Whole {
            path,
            kind: Kind::Text,
            bytes: bytes.to_vec(),
        }
    }
}

/// A stream that is not packed any more.
pub(super) struct Member {
    /// The name of the packed file, then the name in each archive, each after a
    /// `!`. The last name is that of this member. `None` if the packed file has
    /// no name.
    pub path: Option<Vec<u8>>,
    pub kind: Kind,
    /// The bytes of the member. UTF-16 is converted to UTF-8.
    pub rdr: Bytes,
}

impl Members {
    /// Unpacks `source`. `head` was already read from it.
    pub(super) fn new(
        source: Source,
        head: Vec<u8>,
        path: Option<&[u8]>,
        settings: &Settings,
    ) -> Members {
        let unpacker = Unpacker::new(source, head, path, settings.limits);
        Members {
            unpacker: Arc::new(Mutex::new(unpacker)),
            office: Office::default(),
        }
    }

    /// The next member or fault. `None` at the end. A member of fewer than `held`
    /// bytes is read into memory. If `held` is 0, only the first bytes of any
    /// member are read.
    pub(super) fn next(&mut self, settings: &Settings, held: usize) -> Option<NextMember> {
        let mut unpacker = lock(&self.unpacker);
        loop {
            if let Event::Fault(fault) = unpacker.next()? {
                return Some(NextMember::Fault(fault.into()));
            }
            let path = unpacker.path().unwrap_or_default().to_vec();
            let is_hidden = self.office.hides(&path, unpacker.peek(SNIFF));
            if !is_hidden || settings.reads_all() {
                break;
            }
        }
        let head = unpacker.peek(SNIFF);
        if settings.is_batch(head) {
            let line = memchr::memchr(b'\n', head).map_or(0, |at| at + 1);
            unpacker.enter(line);
        }
        let path = unpacker.path().map(<[u8]>::to_vec);
        drop(unpacker);
        let mut rdr = MemberReader(Arc::clone(&self.unpacker));
        let mut head = Head::read(&mut rdr, settings, |_| false);
        head.go_on(&mut rdr, held);
        if let Some(fault) = head.fault(path.as_deref(), settings) {
            return Some(NextMember::Fault(fault));
        }
        if let Some(bytes) = settings.of_database(&head.bytes) {
            return Some(NextMember::Whole(Whole::text(path, bytes)));
        }
        let kind = settings.kind_of(path.as_deref(), &head.bytes, head.eof);
        if held > 0 && head.eof && kind != Kind::Utf16 {
            let mut bytes = head.bytes;
            bytes.shrink_to_fit();
            return Some(NextMember::Whole(Whole { path, kind, bytes }));
        }
        let rest: Box<dyn Read + Send> = match head.error {
            Some(error) => Box::new(Failing(Some(error))),
            None => Box::new(rdr),
        };
        let rdr = Bytes::Stream(text_reader(head.bytes, rest, kind));
        Some(NextMember::Member(Member { path, kind, rdr }))
    }
}

/// Returns its error once, then the end.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Reads the current member of the unpacker. Only one thread at a time uses the
/// reader and its [`Members`], so the lock never blocks.
struct MemberReader(Arc<Mutex<Unpacker>>);

impl Read for MemberReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        lock(&self.0).read(buffer)
    }
}
