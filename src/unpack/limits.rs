//! What unpacking may cost, what it has cost, and what went wrong.

use std::collections::VecDeque;

use super::fault::{Fault, FaultKind};

/// How much decompressed data is let through by default where compressed data
/// stands in compressed data.
pub const NESTED_DECOMPRESSED: u64 = 16 << 30;

/// How much unpacking may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest window a decoder may be asked for, in bytes.
    pub max_window: u64,
    /// How many decompressed bytes are let through, in all layers of one file
    /// together. `None` is no limit for data that is compressed once (however
    /// many members an archive has, they grow in proportion to the file), and
    /// [`NESTED_DECOMPRESSED`] for data that is compressed again inside.
    pub max_decompressed: Option<u64>,
    /// How many layers are taken off: a `.tgz` has two.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_window: 128 << 20,
            max_decompressed: None,
            depth: 4,
        }
    }
}

/// Data that ended before its end, for a reason that has been told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Broken;

/// What all layers of one file share.
#[derive(Debug)]
pub(super) struct Ctx {
    pub limits: Limits,
    pub faults: VecDeque<Fault>,
    /// Decompressed bytes that count against the limit.
    spent: u64,
    /// The limit was reached: nothing more is unpacked.
    pub exhausted: bool,
    /// Buffers of layers that were taken off, to be used again.
    spare: Vec<Vec<u8>>,
}

impl Ctx {
    pub fn new(limits: Limits) -> Ctx {
        Ctx {
            limits,
            faults: VecDeque::new(),
            spent: 0,
            exhausted: false,
            spare: Vec::new(),
        }
    }

    /// Tells of a fault at `offset` of the packed data called `path`.
    pub fn fault(
        &mut self,
        kind: FaultKind,
        path: Option<&[u8]>,
        offset: Option<u64>,
        text: impl Into<String>,
    ) {
        let fault = Fault {
            kind,
            path: path.map(<[u8]>::to_vec),
            offset,
            text: text.into(),
        };
        self.faults.push_back(fault);
    }

    /// How many more bytes the `level`th decompressor on the way may yield.
    pub fn room(&self, level: u32) -> u64 {
        let limit = match self.limits.max_decompressed {
            Some(limit) => limit,
            None if level > 1 => NESTED_DECOMPRESSED,
            None => return u64::MAX,
        };
        limit.saturating_sub(self.spent)
    }

    /// The `level`th decompressor yielded `n` bytes.
    pub fn spend(&mut self, level: u32, n: usize) {
        if level > 1 || self.limits.max_decompressed.is_some() {
            self.spent += n as u64;
        }
    }

    /// The limit in words.
    pub fn too_much(&self) -> String {
        let limit = self.limits.max_decompressed.unwrap_or(NESTED_DECOMPRESSED);
        format!("stopped after {limit} bytes of decompressed data")
    }

    /// A buffer, empty, but with room if there is one to be used again.
    pub fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes a buffer back.
    pub fn give_back(&mut self, buffer: Vec<u8>) {
        // More than the deepest nesting needs is of no use.
        if self.spare.len() < 8 {
            self.spare.push(buffer);
        }
    }
}

/// What a source without a name is called in the names of its members.
const UNNAMED: &[u8] = b"<stdin>";

/// `archive!member`, the name of a member.
pub(super) fn member_path(archive: Option<&[u8]>, member: &[u8]) -> Vec<u8> {
    let archive = archive.unwrap_or(UNNAMED);
    let mut path = Vec::with_capacity(archive.len() + 1 + member.len());
    path.extend_from_slice(archive);
    path.push(b'!');
    path.extend_from_slice(member);
    path
}

/// A number of bytes for people.
pub(super) fn mebibytes(n: u64) -> String {
    match n {
        0..0x10_0000 => format!("{n} bytes"),
        _ => format!("{} MiB", n.div_ceil(1 << 20)),
    }
}
