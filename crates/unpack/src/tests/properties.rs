//! Properties of unpacking that must hold for every input, as plain functions;
//! see `properties`.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use urlgrep_unpack::{Event, Limits, Source, UnpackFault, UnpackFaultKind, Unpacker};

/// A file that returns a limited number of bytes at a time, and optionally an
/// error at its end.
pub struct Slow {
    pub file: Cursor<Vec<u8>>,
    pub step: usize,
    pub fails: bool,
    /// The number of bytes that were read.
    pub count: Arc<AtomicU64>,
}

impl Slow {
    pub fn new(bytes: &[u8], step: usize) -> Slow {
        Slow {
            file: Cursor::new(bytes.to_vec()),
            step,
            fails: false,
            count: Arc::default(),
        }
    }
}

impl Read for Slow {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.step.min(buf.len());
        let got = self.file.read(&mut buf[..n]);
        if let Ok(n) = got {
            self.count.fetch_add(n as u64, Ordering::Relaxed);
        }
        match got {
            Ok(0) if self.fails => Err(io::Error::other("the disk is gone")),
            got => got,
        }
    }
}

impl Seek for Slow {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A way of reading.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// True for a file, false for a pipe.
    pub seek: bool,
    /// The maximum number of bytes of one read from the source.
    pub step: usize,
    /// The number of bytes of one read from the leaf.
    pub ask: usize,
    /// The number of bytes that the caller has read before.
    pub head: usize,
    pub limits: Limits,
}

pub const FILE: How = How {
    seek: true,
    step: usize::MAX,
    ask: 1 << 16,
    head: 0,
    limits: Limits::DEFAULT,
};
pub const PIPE: How = How {
    seek: false,
    ..FILE
};

/// The result: leaves with their names, and faults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Got {
    pub leaves: Vec<(String, Vec<u8>)>,
    pub faults: Vec<String>,
    /// True if the limit of decompressed bytes ended it.
    pub stopped: bool,
}

impl Got {
    fn fault(&mut self, fault: &UnpackFault) {
        let path = escape(fault.path.as_deref().unwrap());
        let offset = fault.offset.map_or(String::new(), |n| format!("{n}: "));
        self.faults.push(format!("{path}: {offset}{}", fault.text));
        self.stopped |= fault.kind == UnpackFaultKind::Decompressed;
    }

    /// The bytes of a member, `ask` at a time. One error at its end is allowed.
    pub fn read(&mut self, unpacker: &mut Unpacker, ask: usize) -> Vec<u8> {
        let (mut bytes, mut buf) = (Vec::new(), vec![0; ask]);
        loop {
            match unpacker.read(&mut buf) {
                Ok(0) => break,
                Ok(n) => bytes.extend_from_slice(&buf[..n]),
                Err(error) => {
                    self.fault(UnpackFault::of(&error).expect("a fault"));
                    break;
                }
            }
        }
        assert_eq!(unpacker.read(&mut buf).unwrap(), 0, "after the end");
        bytes
    }

    pub fn names(&self) -> Vec<&str> {
        self.leaves.iter().map(|leaf| leaf.0.as_str()).collect()
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.leaves
            .iter()
            .flat_map(|leaf| leaf.1.iter().copied())
            .collect()
    }

    /// Checks that one fault contains all these texts.
    #[track_caller]
    pub fn says(&self, parts: &[&str]) {
        let found = self
            .faults
            .iter()
            .any(|fault| parts.iter().all(|part| fault.contains(part)));
        assert!(found, "{parts:?} in {:?}", self.faults);
    }

    /// The members. Panics if there is a fault.
    #[track_caller]
    pub fn whole(self) -> Vec<(String, Vec<u8>)> {
        assert_eq!(self.faults, Vec::<String>::new());
        self.leaves
    }

    /// Removes numbers from faults, because bit readers differ by some bytes in the
    /// offset of the end.
    fn placeless(self) -> Got {
        let text = |fault: &String| fault.replace(|c: char| c.is_ascii_digit(), "");
        Got {
            faults: self.faults.iter().map(text).collect(),
            ..self
        }
    }
}

pub fn escape(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// All leaves and faults, read `ask` bytes at a time.
pub fn run(mut unpacker: Unpacker, ask: usize) -> Got {
    let mut got = Got::default();
    while let Some(event) = unpacker.next() {
        match event {
            Event::Fault(fault) => got.fault(&fault),
            Event::Member => {
                let name = escape(unpacker.path().unwrap());
                let bytes = got.read(&mut unpacker, ask);
                got.leaves.push((name, bytes));
            }
        }
    }
    got
}

/// Opens `bytes` in the way `how`. Returns the source and the bytes that the
/// caller has read.
pub fn source(bytes: &[u8], how: How) -> (Source, Vec<u8>) {
    let head = bytes[..how.head.min(bytes.len())].to_vec();
    let mut slow = Slow::new(bytes, how.step);
    slow.file.set_position(head.len() as u64);
    (of(slow, how.seek), head)
}

fn of(slow: Slow, seek: bool) -> Source {
    if seek {
        Source::Seek(Box::new(slow))
    } else {
        Source::Reader(Box::new(slow))
    }
}

pub fn unpack(bytes: &[u8], how: How) -> Got {
    let (source, head) = source(bytes, how);
    run(Unpacker::new(source, head, Some(b"f"), how.limits), how.ask)
}

/// The result does not depend on the sizes of reads (`others`: `step`, `ask`,
/// `head`). The size of the output is within its limit. The number of bytes that
/// are read is proportional to the file. Unpacking ends, whether leaves are read
/// or not.
pub fn unpacking_is_independent_of_steps(bytes: &[u8], how: How, others: &[(usize, usize, usize)]) {
    let whole = unpack_within_bounds(bytes, how);
    for &(step, ask, head) in others {
        let how = How {
            step: step.max(1),
            ask: ask.max(1),
            head,
            ..how
        };
        compare(&whole, unpack_within_bounds(bytes, how), how, bytes);
    }
    let (source, head) = source(bytes, how);
    let mut unpacker = Unpacker::new(source, head, Some(b"f"), how.limits);
    let events = std::iter::from_fn(|| unpacker.next()).count();
    assert!(events <= most_events(bytes, how), "{events} events");
}

/// The same for a news batch whose first line was removed.
pub fn a_batch_is_independent_of_steps(bytes: &[u8], limits: Limits, others: &[(usize, usize)]) {
    let unpack = |how: How| {
        let rdr = Box::new(Slow::new(bytes, how.step));
        let mut unpacker = Unpacker::batch(rdr, Some(b"f"), how.limits);
        let mut got = Got::default();
        let leaf = got.read(&mut unpacker, how.ask);
        got.leaves.push(("f".into(), leaf));
        let rest = run(unpacker, how.ask);
        assert!(rest.leaves.is_empty(), "a batch is one leaf");
        got.faults.extend(rest.faults);
        got.placeless()
    };
    let how = How { limits, ..PIPE };
    let whole = unpack(how);
    for &(step, ask) in others {
        let how = How {
            step: step.max(1),
            ask: ask.max(1),
            ..how
        };
        compare(&whole, unpack(how), how, bytes);
    }
}

fn unpack_within_bounds(bytes: &[u8], how: How) -> Got {
    let (slow, head) = {
        let head = bytes[..how.head.min(bytes.len())].to_vec();
        let mut slow = Slow::new(bytes, how.step);
        slow.file.set_position(head.len() as u64);
        (slow, head)
    };
    let count = Arc::clone(&slow.count);
    let unpacker = Unpacker::new(of(slow, how.seek), head, Some(b"f"), how.limits);
    let got = run(unpacker, how.ask);
    let events = got.leaves.len() + got.faults.len();
    assert!(events <= most_events(bytes, how), "{events} events");
    // A member of a zip is found by a seek, and 4 KiB are read there. A
    // directory has at most one entry for every 46 bytes.
    let (read, len) = (count.load(Ordering::Relaxed), bytes.len() as u64);
    assert!(
        read <= 128 * len + (1 << 20),
        "{read} bytes read, size {len}"
    );
    if let Some(max) = how.limits.max_decompressed {
        let n = got
            .leaves
            .iter()
            .map(|leaf| leaf.1.len() as u64)
            .sum::<u64>();
        assert!(n <= len + max, "{n} bytes, size {len}");
    }
    got.placeless()
}

/// The maximum number of leaves and faults. Each takes at least 8 bytes, which are
/// decompressed or bytes of the file. The bytes of the file count at every depth.
/// A few more are allowed.
fn most_events(bytes: &[u8], how: How) -> usize {
    let stored = bytes.len() * (1 + how.limits.depth as usize);
    let max = how
        .limits
        .max_decompressed
        .map_or(usize::MAX, |n| n as usize);
    (stored / 8).saturating_add(max / 8).saturating_add(64)
}

fn compare(whole: &Got, other: Got, how: How, bytes: &[u8]) {
    // Layers of data that is compressed twice take turns. The limit counts all
    // layers together, so it may be reached in the turn of a layer that has read
    // ahead. The output before it is the same.
    let mut whole = whole.clone();
    let mut other = other;
    if whole.stopped || other.stopped {
        let n = whole.leaves.len().min(other.leaves.len());
        for got in [&mut whole, &mut other] {
            got.leaves.truncate(n);
            got.faults.clear();
            got.stopped = true;
        }
        if let (Some((_, one)), Some((_, two))) = (whole.leaves.last_mut(), other.leaves.last_mut())
        {
            let n = one.len().min(two.len());
            one.truncate(n);
            two.truncate(n);
        }
    }
    let lens = |got: &Got| {
        got.leaves
            .iter()
            .map(|leaf| leaf.1.len())
            .collect::<Vec<_>>()
    };
    assert!(
        whole == other,
        "{how:?}: {}\nwhole  {:?} {:?} {:?}\nsteps  {:?} {:?} {:?}",
        bytes.escape_ascii(),
        whole.names(),
        lens(&whole),
        whole.faults,
        other.names(),
        lens(&other),
        other.faults,
    );
}

/// Corrects the checksums of data that looks like headers of a tar, or like the
/// stream and the first block of an xz. Random data would never have right
/// checksums.
pub fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let (blocks, _) = out.as_chunks_mut::<512>();
    for header in blocks
        .iter_mut()
        .filter(|header| &header[257..262] == b"ustar")
    {
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    if out.starts_with(b"\xFD7zXZ\0") && out.len() > 12 {
        let crc = crc32(&out[6..8]);
        out[8..12].copy_from_slice(&crc);
        let len = (usize::from(out[12]) + 1) * 4;
        if let Some(header) = out.get_mut(12..12 + len) {
            let crc = crc32(&header[..len - 4]);
            header[len - 4..].copy_from_slice(&crc);
        }
    }
    out
}

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let mut crc = !0u32;
    for &b in bytes {
        crc ^= u32::from(b);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    (!crc).to_le_bytes()
}
