//! zip: PKWARE's APPNOTE 6.3.10. Section numbers below refer to it.
//!
//! A file is read by its central directory, because only the directory says
//! which members exist. A stream is read by the local headers before the
//! members (4.3.7). So is a file without a readable directory. A local header
//! does not always state the length of its member.
//!
//! So a damaged zip can have other members in a file than in a pipe. In a file
//! they are those in the directory. In a pipe they are those with an intact
//! local header. A member can be missing from either set. A stream cannot be
//! read from its end.

mod records;

use std::io::{self, BufRead, Read};

use flate2::Crc;

use super::fault::UnpackFaultKind;
use super::filter::Decompressor;
use super::layer::{Advance, Layer, Supply, member_path};
use records::{Directory, Header, u16_at, u32_at, u64_at, widen};
use urlgrep_base::magic::{DESCRIPTOR, END, LOCAL, SPLIT};

const ENTRY: [u8; 4] = *b"PK\x01\x02";
const END64: [u8; 4] = *b"PK\x06\x06";
const LOCATOR64: [u8; 4] = *b"PK\x06\x07";

const LOCAL_LEN: usize = 30;
const ENTRY_LEN: usize = 46;
const END_LEN: usize = 22;
const END64_LEN: usize = 56;
const LOCATOR64_LEN: usize = 20;
/// 4.3.16: the comment of the end record has at most 2^16 - 1 bytes.
const END_REACH: usize = END_LEN + 0xFFFF;

/// The fault if the end of a member cannot be found.
const LOST: &str =
    "states the length of a member only after its data; the rest of the archive is lost";

/// Reads the members of a zip.
pub(super) struct Zip {
    /// The archive. While a member is decompressed, the filter owns this input.
    /// The path of the input is the name of the current member, if there is
    /// one.
    input: Supply,
    filter: Option<Decompressor>,
    /// The name of the archive.
    path: Option<Vec<u8>>,
    /// The full name of the current member.
    name: Vec<u8>,
    member: Option<Member>,
    route: Route,
    /// A data descriptor follows the member, although its header states the
    /// sizes.
    descriptor_follows: bool,
}

/// The way to the next member.
enum Route {
    /// Not known yet.
    Unknown,
    /// By the central directory.
    Directory(Directory),
    /// By the local headers, in the order of the stream.
    Stream,
    /// All members were read. The directory comes next.
    Tail,
    Over,
}

/// The current member.
struct Member {
    crc: Crc,
    /// The number of bytes that were returned.
    len: u64,
    /// The member is compressed.
    packed: bool,
    /// The lengths and the checksum in the header. `None` if they come after
    /// the data.
    stated: Option<Stated>,
    /// Offset of the member's data.
    start: u64,
    state: MemberState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberState {
    Open,
    Ended,
    Broken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stated {
    crc: u32,
    packed: u64,
    len: u64,
}

impl Zip {
    pub fn new(input: Supply) -> Zip {
        Zip {
            path: input.path.clone(),
            input,
            filter: None,
            name: Vec::new(),
            member: None,
            route: Route::Unknown,
            descriptor_follows: false,
        }
    }

    /// Takes the input back from the filter.
    fn end_filter(&mut self) {
        if let Some(mut filter) = self.filter.take() {
            self.input = filter.input().detach();
        }
    }

    /// Ends the member. Returns 0.
    fn end_member(&mut self) -> io::Result<usize> {
        self.end_filter();
        let Some(member) = &mut self.member else {
            return Ok(0);
        };
        member.state = MemberState::Ended;
        if member.stated.is_none() {
            self.descriptor();
        } else if !member.packed && self.input.left() > 0 {
            member.state = MemberState::Broken;
            let text = "the archive ends within this member";
            return Err(self.input.fault(UnpackFaultKind::Truncated, text).into());
        }
        self.verify();
        Ok(0)
    }

    /// Compares length and checksum of the member with those stated.
    fn verify(&mut self) {
        let Some(member) = &self.member else { return };
        let Some(stated) = member.stated else { return };
        let text = if member.len != stated.len {
            format!("it has {} bytes, not {} as stated", member.len, stated.len)
        } else if member.crc.sum() != stated.crc {
            "its checksum is wrong".to_owned()
        } else {
            return;
        };
        self.input.report(UnpackFaultKind::Checksum, text);
    }

    /// Reads the data descriptor after a member of unknown length (4.3.9). Its
    /// signature may be missing (4.3.9.3). Its lengths have 4 or 8 bytes. The
    /// form that matches the known lengths is the right one.
    fn descriptor(&mut self) {
        let Some(member) = &mut self.member else {
            return;
        };
        let packed = self.input.offset() - member.start;
        let bytes = self.input.fill(24);
        for (signature, wide) in [(4, false), (4, true), (0, false), (0, true)] {
            if signature > 0 && !bytes.starts_with(&DESCRIPTOR) {
                continue;
            }
            let word = if wide { 8 } else { 4 };
            let Some(fields) = bytes.get(signature..signature + 4 + 2 * word) else {
                continue;
            };
            let length = |at: usize| {
                if wide {
                    u64_at(fields, at)
                } else {
                    u32_at(fields, at).into()
                }
            };
            let mask = if wide { u64::MAX } else { u32::MAX.into() };
            if length(4) == packed & mask && length(4 + word) == member.len & mask {
                member.stated = Some(Stated {
                    crc: u32_at(fields, 0),
                    packed,
                    len: member.len,
                });
                self.input.consume(signature + 4 + 2 * word);
                return;
            }
        }
        member.state = MemberState::Broken;
        self.input
            .cut_short("the data descriptor after it is missing");
    }

    /// Leaves the member. Returns false if the end of its data cannot be
    /// found.
    fn leave(&mut self) -> bool {
        let mut found = true;
        if self.member.is_some() && matches!(self.route, Route::Stream) {
            let is_known = self.input().left() != u64::MAX;
            if !is_known {
                // The length is unknown, so the member must be decoded to its
                // end.
                let mut scrap = [0; 4096];
                while self.read(&mut scrap).is_ok_and(|n| n > 0) {}
            }
            self.end_filter();
            let is_broken =
                matches!(&self.member, Some(member) if member.state == MemberState::Broken);
            self.input.path.clone_from(&self.path);
            if is_known {
                found = self.input.skip(self.input.left()) == 0;
                // If the member was read, the read returned this fault.
                if !found && !is_broken {
                    self.input.cut_short("the archive ends within a member");
                }
            } else if is_broken {
                found = false;
                if !self.input.fill(1).is_empty() {
                    self.lose(LOST);
                }
            }
        }
        self.end_filter();
        self.input.path.clone_from(&self.path);
        self.input.no_limit();
        self.member = None;
        found
    }

    /// Reports a fault of the archive, not of a member, after which none is read.
    fn lose(&mut self, text: &str) -> Advance {
        self.route = Route::Over;
        self.input.path.clone_from(&self.path);
        let text = format!("the archive {text}");
        self.input.report(UnpackFaultKind::Corrupt, text);
        Advance::Other
    }

    /// Finds the end record (4.3.16), which leads to the directory.
    fn find_directory(&mut self) -> Route {
        let Some(len) = self.input.len() else {
            return Route::Over;
        };
        let reach = len.min(END_REACH as u64);
        let mut tail = Vec::new();
        if !self.input.seek(len - reach) {
            return Route::Over;
        }
        self.input.append(reach as usize, &mut tail);
        let mut from = tail.len();
        let found = loop {
            let Some(at) = memchr::memmem::rfind(&tail[..from], &END) else {
                break None;
            };
            match tail[at..].first_chunk::<END_LEN>() {
                Some(end) if at + END_LEN + usize::from(u16_at(end, 20)) <= tail.len() => {
                    break Some((at, *end));
                }
                _ => from = at,
            }
        };
        let directory = found.and_then(|(at, end)| {
            let at = len - reach + at as u64;
            self.directory(&end, at, len)
        });
        if let Some(directory) = directory {
            return Route::Directory(directory);
        }
        if !self.input.seek(0) {
            return Route::Over;
        }
        // The archive is read as a stream instead. At its end, the missing
        // directory is reported.
        Route::Stream
    }

    /// The directory that the end record at offset `at` describes.
    fn directory(&mut self, end: &[u8; END_LEN], at: u64, len: u64) -> Option<Directory> {
        let mut count = u64::from(u16_at(end, 10));
        let mut size = u64::from(u32_at(end, 12));
        let mut start = u64::from(u32_at(end, 16));
        if count == 0xFFFF || size == 0xFFFF_FFFF || start == 0xFFFF_FFFF {
            // 4.3.15 and 4.3.14: the locator and the end record of zip64.
            let locator: [u8; LOCATOR64_LEN] = self.chunk(at.checked_sub(LOCATOR64_LEN as u64)?)?;
            if locator.starts_with(&LOCATOR64) {
                let end64: [u8; END64_LEN] = self.chunk(u64_at(&locator, 8))?;
                if !end64.starts_with(&END64) {
                    return None;
                }
                count = u64_at(&end64, 32);
                size = u64_at(&end64, 40);
                start = u64_at(&end64, 48);
            }
        }
        let dir_end = start.checked_add(size).filter(|&end| end <= at)?;
        // The count is only used as a check. The size is more reliable, because
        // it has 32 bits and the count has 16.
        let is_there = match self.chunk::<4>(start) {
            Some(ENTRY) => count > 0,
            _ => count == 0 && size == 0,
        };
        let directory = Directory {
            at: start,
            end: dir_end,
            buf: Vec::new(),
            pos: 0,
            room: len,
        };
        is_there.then_some(directory)
    }

    /// The `N` bytes at offset `at`, if they can be read.
    fn chunk<const N: usize>(&mut self, at: u64) -> Option<[u8; N]> {
        if !self.input.seek(at) {
            return None;
        }
        self.input.fill(N).first_chunk().copied()
    }

    /// Goes to the next member in the directory (4.3.12).
    fn next_entry(&mut self) -> Advance {
        let Route::Directory(directory) = &mut self.route else {
            return Advance::End;
        };
        if directory.at >= directory.end {
            self.route = Route::Over;
            return Advance::Other;
        }
        let Some(entry) = directory.entry(&mut self.input) else {
            self.route = Route::Over;
            if !self.input.is_broken() {
                self.lose("has a damaged directory; the rest of its members are lost");
            }
            return Advance::Other;
        };
        let name = &entry[ENTRY_LEN..][..usize::from(u16_at(&entry, 28))];
        let extra = &entry[ENTRY_LEN + name.len()..][..usize::from(u16_at(&entry, 30))];
        let mut numbers =
            [u32_at(&entry, 24), u32_at(&entry, 20), u32_at(&entry, 42)].map(u64::from);
        widen(&mut numbers, extra);
        let [len, packed, at] = numbers;
        // 4.4.2.2, 4.4.15: if the member was made on Unix, the high half of the
        // attributes is the mode of the file.
        let is_link = entry[5] == 3 && u32_at(&entry, 38) >> 28 == 0o12;
        if (name.ends_with(b"/") && len == 0) || is_link {
            return Advance::Other;
        }
        let cost = packed.saturating_add((LOCAL_LEN + name.len()) as u64);
        let Some(room) = directory.room.checked_sub(cost) else {
            return self.lose("has members that overlap; the rest of them are left out");
        };
        directory.room = room;
        self.begin_name(name);
        let header = Header {
            flags: u16_at(&entry, 8),
            method: u16_at(&entry, 10),
            stated: Some(Stated {
                crc: u32_at(&entry, 16),
                packed,
                len,
            }),
        };
        let local = self
            .chunk::<LOCAL_LEN>(at)
            .filter(|local| local.starts_with(&LOCAL));
        let Some(local) = local else {
            let text = "it is not where the directory says";
            let mut fault = self.input.fault(UnpackFaultKind::Corrupt, text);
            fault.offset = Some(at);
            self.input.ctx.report(fault);
            return Advance::Other;
        };
        let data = at
            + (LOCAL_LEN + usize::from(u16_at(&local, 26)) + usize::from(u16_at(&local, 28)))
                as u64;
        if !self.input.seek(data) {
            return Advance::Other;
        }
        self.begin(&header)
    }

    /// Skips the data descriptor after a member of known length (4.3.9). It may
    /// have four lengths. The length is right if a header follows.
    fn pass_descriptor(&mut self) {
        let bytes = self.input.fill(28);
        let lens = if bytes.starts_with(&DESCRIPTOR) {
            [16, 24]
        } else {
            [12, 20]
        };
        let follows = |len: &usize| {
            bytes
                .get(*len..)
                .is_some_and(|rest| rest.starts_with(b"PK"))
        };
        if let Some(&len) = lens.iter().find(|len| follows(len)) {
            self.input.consume(len);
        }
    }

    /// Reads the local header of the next member (4.3.7).
    fn next_local(&mut self) -> Advance {
        if std::mem::take(&mut self.descriptor_follows) {
            self.pass_descriptor();
        }
        let is_first = self.input.offset() == 0;
        let head = self.input.fill(LOCAL_LEN);
        if is_first && (head.starts_with(&DESCRIPTOR) || head.starts_with(SPLIT)) {
            self.input.consume(4);
            return Advance::Other;
        }
        if let Some((signature, _)) = head.split_first_chunk::<4>()
            && *signature != LOCAL
        {
            self.route = Route::Tail;
            return Advance::Other;
        }
        let Some(&local) = head.first_chunk::<LOCAL_LEN>() else {
            return self.cut_short();
        };
        self.input.consume(LOCAL_LEN);
        let (name_len, extra_len) = (
            usize::from(u16_at(&local, 26)),
            usize::from(u16_at(&local, 28)),
        );
        let (mut name, mut extra) = (Vec::new(), Vec::new());
        self.input.append(name_len, &mut name);
        self.input.append(extra_len, &mut extra);
        if name.len() < name_len || extra.len() < extra_len {
            return self.cut_short();
        }
        self.begin_name(&name);
        let mut numbers = [u32_at(&local, 22), u32_at(&local, 18), 0].map(u64::from);
        widen(&mut numbers, &extra);
        let [len, packed, _] = numbers;
        let flags = u16_at(&local, 6);
        let method = u16_at(&local, 8);
        // 4.4.4, bit 3: "the fields crc-32, compressed size and uncompressed
        // size are set to zero in the local header. The correct values are put
        // in the data descriptor". Some programs write them in both places.
        let late = flags & 8 != 0 && packed == 0;
        self.descriptor_follows = flags & 8 != 0 && !late;
        let stated = Stated {
            crc: u32_at(&local, 14),
            packed,
            len,
        };
        if late && method == 0 {
            return self.late_and_stored();
        }
        if name.ends_with(b"/") && packed == 0 && !late {
            return Advance::Other;
        }
        let header = Header {
            flags,
            method,
            stated: (!late).then_some(stated),
        };
        let next = self.begin(&header);
        if next == Advance::Other && late {
            self.lose(LOST);
        } else if next == Advance::Other && self.input.skip(packed) > 0 {
            return self.cut_short();
        }
        next
    }

    /// Handles a stored member whose length comes after its data. The end of
    /// the data cannot be found, unless the member is empty.
    fn late_and_stored(&mut self) -> Advance {
        // Check only the bytes asked for, because the number of buffered bytes
        // is not deterministic.
        let bytes = self.input.fill(26);
        let bytes = &bytes[..bytes.len().min(26)];
        let (descriptor, rest) = match bytes.strip_prefix(&DESCRIPTOR) {
            Some(rest) => (4, rest),
            None => (0, bytes),
        };
        let len = match rest.iter().take_while(|&&b| b == 0).count() {
            20.. => 20,
            12.. => 12,
            _ => 0,
        };
        let is_empty = len > 0 && (descriptor > 0 || rest[len..].starts_with(b"PK"));
        if is_empty {
            self.input.consume(descriptor + len);
            return Advance::Other;
        }
        self.input.report(UnpackFaultKind::Unsupported, "it is stored, and its length is stated only after its data; it and the rest of the archive cannot be read from a stream");
        self.route = Route::Over;
        Advance::Other
    }

    /// Sets the name of the new member.
    fn begin_name(&mut self, name: &[u8]) {
        self.name = member_path(self.path.as_deref(), name);
        self.input.path = Some(self.name.clone());
    }

    /// Prepares to read the member whose data comes next. Returns
    /// [`Advance::Other`] after it has reported that the member cannot be read.
    fn begin(&mut self, header: &Header) -> Advance {
        let compression = match header.compression() {
            Ok(compression) => compression,
            Err((kind, text)) => {
                self.input.report(kind, text);
                return Advance::Other;
            }
        };
        match header.stated {
            Some(stated) => self.input.limit(stated.packed),
            None => self.input.no_limit(),
        }
        self.input.noted = false;
        self.member = Some(Member {
            crc: Crc::new(),
            len: 0,
            packed: compression.is_some(),
            stated: header.stated,
            start: self.input.offset(),
            state: MemberState::Open,
        });
        self.filter =
            compression.map(|compression| Decompressor::new(compression, self.input.detach()));
        Advance::Member(self.name.clone())
    }

    /// Ends the archive, and reports that its directory is missing.
    fn cut_short(&mut self) -> Advance {
        self.route = Route::Over;
        self.input.path.clone_from(&self.path);
        self.input
            .cut_short("the archive ends without its directory");
        Advance::Other
    }

    /// Skips one record of the directory. This only checks that the directory is
    /// complete.
    fn tail(&mut self) {
        let head = self.input.fill(END64_LEN);
        let u16_at = |at: usize| head.get(at..at + 2).map(|b| u64::from(u16_at(b, 0)));
        let len = match head {
            // The directory may have the records of 4.3.11 before it. Their
            // length is a 32-bit number.
            [b'P', b'K', 6, 8, rest @ ..] if rest.len() >= 4 => {
                Some(8 + u64::from(u32_at(rest, 0)))
            }
            [b'P', b'K', 6, 6, rest @ ..] if rest.len() >= 8 => u64_at(rest, 0).checked_add(12),
            [b'P', b'K', 6, 7, ..] => Some(LOCATOR64_LEN as u64),
            [b'P', b'K', 5, 5, ..] => u16_at(4).map(|n| 6 + n),
            [b'P', b'K', 1, 2, ..] => u16_at(28)
                .zip(u16_at(30))
                .zip(u16_at(32))
                .map(|((n, m), k)| ENTRY_LEN as u64 + n + m + k),
            [b'P', b'K', 5, 6, ..] => {
                self.route = Route::Over;
                u16_at(20).map(|n| END_LEN as u64 + n)
            }
            [_, _, _, _, ..] => {
                self.lose("has other data in the place of a member or of the directory");
                return;
            }
            _ => None,
        };
        match len {
            Some(len) if self.input.skip(len) == 0 => {}
            _ => {
                self.cut_short();
            }
        }
    }
}

impl Layer for Zip {
    fn input(&mut self) -> &mut Supply {
        match &mut self.filter {
            Some(filter) => filter.input(),
            None => &mut self.input,
        }
    }

    fn is_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Goes to the next member.
    fn next(&mut self) -> Advance {
        if !self.leave() {
            self.route = Route::Over;
        }
        match &self.route {
            Route::Unknown => {
                self.route = if self.input.can_seek() {
                    self.find_directory()
                } else {
                    Route::Stream
                };
                Advance::Other
            }
            Route::Directory(_) => self.next_entry(),
            Route::Stream => self.next_local(),
            Route::Tail => {
                self.tail();
                Advance::Other
            }
            Route::Over => {
                if !self.input.can_seek() {
                    self.input.drain();
                }
                Advance::End
            }
        }
    }
}

impl Read for Zip {
    /// The next bytes of the member.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(member) = &mut self.member else {
            return Ok(0);
        };
        if member.state != MemberState::Open || out.is_empty() {
            return Ok(0);
        }
        let got = match &mut self.filter {
            Some(filter) => filter.read(out),
            None => self.input.read(out),
        };
        match got {
            Ok(0) => self.end_member(),
            Ok(n) => {
                member.crc.update(&out[..n]);
                member.len += n as u64;
                Ok(n)
            }
            Err(error) => {
                member.state = MemberState::Broken;
                self.end_filter();
                Err(error)
            }
        }
    }
}
