//! zip: PKWARE's APPNOTE 6.3.10. The sections named below are its.
//!
//! A file is read by its central directory: it alone says which members there
//! are. In a stream, and where the directory is lost, the headers in front of
//! the members have to do (4.3.7), which do not always say how long the member
//! is.

use flate2::Crc;

use super::fault::FaultKind;
use super::filter::{Compression, Decoder};
use super::layer::Input;
use super::limits::{Broken, Ctx, member_path};
use super::tar::Next;

const LOCAL: [u8; 4] = *b"PK\x03\x04";
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
const END64: [u8; 4] = *b"PK\x06\x06";
const LOCATOR64: [u8; 4] = *b"PK\x06\x07";
/// Also the mark of an archive that was to be split.
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
/// The same of one that then was not (8.5.4).
const SPLIT: &[u8] = b"PK00";

const LOCAL_LEN: usize = 30;
const ENTRY_LEN: usize = 46;
const END_LEN: usize = 22;
const END64_LEN: usize = 56;
const LOCATOR64_LEN: usize = 20;
/// 4.3.16: the end record may have a comment as long as 16 bits can say.
const END_REACH: usize = END_LEN + 0xFFFF;
/// How much of the directory is read at once; an entry may be longer.
const DIRECTORY: usize = 32 << 10;

/// True if a zip begins with these 8 bytes: with a member, or the end of an
/// empty archive, or the mark of an archive that was to be split (8.5.4).
pub(super) fn is_zip(head: &[u8]) -> bool {
    let rest = head
        .strip_prefix(&DESCRIPTOR)
        .or(head.strip_prefix(SPLIT))
        .unwrap_or(head);
    rest.starts_with(&LOCAL) || head.starts_with(&END)
}

/// The members of a zip.
pub(super) struct Zip {
    pub input: Input,
    pub path: Option<Vec<u8>>,
    /// The member, by its full name.
    pub name: Vec<u8>,
    member: Option<Member>,
    order: Order,
    /// What the member came to is said after it too, though it was said before.
    again: bool,
}

/// Which member is the next.
enum Order {
    /// Not known yet.
    Unknown,
    /// As the directory says.
    Directory(Directory),
    /// As they come.
    Stream,
    /// The members are over; the directory comes.
    Tail,
    Over,
}

/// A directory that is being read.
struct Directory {
    /// Where the next entry is, and where the last one ends.
    at: u64,
    end: u64,
    /// What was read from `at` on.
    buf: Vec<u8>,
    pos: usize,
    /// How many bytes the members may still have in all: no more than the
    /// file. Members that overlap could have more, and then a small file could
    /// be unpacked to its square.
    room: u64,
}

/// The member that is being read.
struct Member {
    /// `None` if it is stored.
    decoder: Option<Decoder>,
    crc: Crc,
    /// How many bytes it came to.
    len: u64,
    /// What it must come to; `None` if that is said after it.
    stated: Option<Stated>,
    /// Where its data begins.
    start: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
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
    pub fn new(input: Input, path: Option<Vec<u8>>) -> Zip {
        Zip {
            input,
            path,
            name: Vec::new(),
            member: None,
            order: Order::Unknown,
            again: false,
        }
    }

    /// How many layers decompress, up to this member.
    pub fn level(&self) -> u32 {
        let packed = self
            .member
            .as_ref()
            .is_some_and(|member| member.decoder.is_some());
        self.input.level + u32::from(packed)
    }

    /// The next bytes of the member.
    pub fn read(&mut self, out: &mut [u8], ctx: &mut Ctx) -> Result<usize, Broken> {
        let level = self.level();
        let Some(member) = &mut self.member else {
            return Ok(0);
        };
        match member.state {
            State::Open => {}
            State::Ended => return Ok(0),
            State::Broken => return Err(Broken),
        }
        let got = match &mut member.decoder {
            Some(decoder) => decoder.read(&mut self.input, out, level, Some(&self.name), ctx),
            None => self.input.read(out, ctx),
        };
        let n = got.inspect_err(|_| member.state = State::Broken)?;
        member.crc.update(&out[..n]);
        member.len += n as u64;
        if n > 0 || out.is_empty() {
            return Ok(n);
        }
        member.state = State::Ended;
        if member.decoder.is_none() && self.input.left() > 0 {
            member.state = State::Broken;
            ctx.fault(
                FaultKind::Truncated,
                Some(&self.name),
                Some(self.input.offset()),
                "the archive ends within this member",
            );
            return Err(Broken);
        }
        if member.stated.is_none() {
            self.descriptor(ctx);
        }
        self.verify(ctx);
        Ok(0)
    }

    /// Compares what the member came to with what is stated.
    fn verify(&mut self, ctx: &mut Ctx) {
        let Some(member) = &self.member else { return };
        let Some(stated) = member.stated else { return };
        let text = if member.len != stated.len {
            format!("it has {} bytes, not {} as stated", member.len, stated.len)
        } else if member.crc.sum() != stated.crc {
            "its checksum is wrong".to_owned()
        } else {
            return;
        };
        ctx.fault(
            FaultKind::Checksum,
            Some(&self.name),
            Some(self.input.offset()),
            text,
        );
    }

    /// 4.3.9: reads what is said after a member of unknown length. 4.3.9.3:
    /// the signature may be missing; and whether lengths have 4 or 8 bytes is
    /// not written there either. But they are known.
    fn descriptor(&mut self, ctx: &mut Ctx) {
        let Some(member) = &mut self.member else {
            return;
        };
        let packed = self.input.offset() - member.start;
        let bytes = self.input.fill(24, ctx);
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
        member.state = State::Broken;
        if !self.input.is_broken() {
            ctx.fault(
                FaultKind::Corrupt,
                Some(&self.name),
                Some(self.input.offset()),
                "the data descriptor after it is missing",
            );
        }
    }

    /// Goes on to the next member.
    pub fn next(&mut self, ctx: &mut Ctx) -> Next {
        if !self.leave(ctx) {
            self.order = Order::Over;
        }
        match &self.order {
            Order::Unknown => {
                self.order = if self.input.can_seek() {
                    self.find_directory(ctx)
                } else {
                    Order::Stream
                };
                Next::Other
            }
            Order::Directory(_) => self.next_entry(ctx),
            Order::Stream => self.next_local(ctx),
            Order::Tail => {
                self.tail(ctx);
                Next::Other
            }
            Order::Over => {
                if !self.input.can_seek() {
                    self.input.drain(ctx);
                }
                Next::End
            }
        }
    }

    /// Leaves the member. Returns false if what follows it cannot be found.
    fn leave(&mut self, ctx: &mut Ctx) -> bool {
        let Some(member) = &self.member else {
            return true;
        };
        let mut found = true;
        if matches!(self.order, Order::Stream) {
            if self.input.left() != u64::MAX {
                let left = self.input.left();
                let missing = self.input.skip(left, ctx);
                // A member that was read has told this itself.
                if missing > 0 && member.state != State::Broken && !self.input.is_broken() {
                    self.fault(FaultKind::Truncated, "ends within a member", ctx);
                }
                found = missing == 0;
            } else {
                // Its length is known only by decoding it.
                let mut scrap = [0; 4096];
                while self.read(&mut scrap, ctx).is_ok_and(|n| n > 0) {}
                found = self
                    .member
                    .as_ref()
                    .is_none_or(|member| member.state != State::Broken);
                if !found && !self.input.fill(1, ctx).is_empty() && !self.input.is_broken() {
                    self.fault(
                        FaultKind::Corrupt,
                        "says only at the end of a member how long it is: what follows is lost",
                        ctx,
                    );
                }
            }
        }
        self.input.no_limit();
        self.member = None;
        found
    }

    /// Tells that the archive does this.
    fn fault(&self, kind: FaultKind, text: &str, ctx: &mut Ctx) {
        ctx.fault(
            kind,
            self.path.as_deref(),
            Some(self.input.offset()),
            format!("the archive {text}"),
        );
    }

    /// 4.3.16: finds the end record, and by it the directory.
    fn find_directory(&mut self, ctx: &mut Ctx) -> Order {
        let Some(len) = self.input.len(ctx) else {
            return Order::Over;
        };
        let reach = len.min(END_REACH as u64);
        let mut tail = Vec::new();
        if !self.input.seek(len - reach, ctx) {
            return Order::Over;
        }
        append(&mut self.input, reach as usize, &mut tail, ctx);
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
            self.directory(&end, at, len, ctx)
        });
        if let Some(directory) = directory {
            return Order::Directory(directory);
        }
        if !self.input.seek(0, ctx) {
            return Order::Over;
        }
        // The end of the members will not be an end either, and tell.
        Order::Stream
    }

    /// The directory that the end record at `at` speaks of.
    fn directory(
        &mut self,
        end: &[u8; END_LEN],
        at: u64,
        len: u64,
        ctx: &mut Ctx,
    ) -> Option<Directory> {
        let mut count = u64::from(u16_at(end, 10));
        let mut size = u64::from(u32_at(end, 12));
        let mut start = u64::from(u32_at(end, 16));
        if count == 0xFFFF || size == 0xFFFF_FFFF || start == 0xFFFF_FFFF {
            // 4.3.15 and 4.3.14.
            let locator: [u8; LOCATOR64_LEN] =
                self.chunk(at.checked_sub(LOCATOR64_LEN as u64)?, ctx)?;
            if locator.starts_with(&LOCATOR64) {
                let end64: [u8; END64_LEN] = self.chunk(u64_at(&locator, 8), ctx)?;
                if !end64.starts_with(&END64) {
                    return None;
                }
                (count, size, start) = (u64_at(&end64, 32), u64_at(&end64, 40), u64_at(&end64, 48));
            }
        }
        let dir_end = start.checked_add(size).filter(|&end| end <= at)?;
        // The count is only a check: the size says the same, in 32 bits.
        let is_there = match self.chunk::<4>(start, ctx) {
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

    /// The bytes at `at`, if they are there.
    fn chunk<const N: usize>(&mut self, at: u64, ctx: &mut Ctx) -> Option<[u8; N]> {
        if !self.input.seek(at, ctx) {
            return None;
        }
        self.input.fill(N, ctx).first_chunk().copied()
    }

    /// 4.3.12: the next member that the directory has.
    fn next_entry(&mut self, ctx: &mut Ctx) -> Next {
        let Order::Directory(directory) = &mut self.order else {
            return Next::End;
        };
        if directory.at >= directory.end {
            self.order = Order::Over;
            return Next::Other;
        }
        let Some(entry) = directory.entry(&mut self.input, ctx) else {
            self.order = Order::Over;
            if !self.input.is_broken() {
                self.fault(
                    FaultKind::Corrupt,
                    "has a damaged directory; the rest of its members are lost",
                    ctx,
                );
            }
            return Next::Other;
        };
        let name = &entry[ENTRY_LEN..][..usize::from(u16_at(&entry, 28))];
        let extra = &entry[ENTRY_LEN + name.len()..][..usize::from(u16_at(&entry, 30))];
        let mut numbers =
            [u32_at(&entry, 24), u32_at(&entry, 20), u32_at(&entry, 42)].map(u64::from);
        widen(&mut numbers, extra);
        let [len, packed, at] = numbers;
        // 4.4.2.2, 4.4.15: made on Unix, the high half is the mode of a file.
        let is_link = entry[5] == 3 && u32_at(&entry, 38) >> 28 == 0o12;
        if (name.ends_with(b"/") && len == 0) || is_link {
            return Next::Other;
        }
        let cost = packed.saturating_add((LOCAL_LEN + name.len()) as u64);
        let Some(room) = directory.room.checked_sub(cost) else {
            self.order = Order::Over;
            self.fault(
                FaultKind::Corrupt,
                "has members that overlap; the rest of them are left out",
                ctx,
            );
            return Next::Other;
        };
        directory.room = room;
        self.name = member_path(self.path.as_deref(), name);
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
            .chunk::<LOCAL_LEN>(at, ctx)
            .filter(|local| local.starts_with(&LOCAL));
        let Some(local) = local else {
            ctx.fault(
                FaultKind::Corrupt,
                Some(&self.name),
                Some(at),
                "it is not where the directory says",
            );
            return Next::Other;
        };
        let data = at
            + (LOCAL_LEN + usize::from(u16_at(&local, 26)) + usize::from(u16_at(&local, 28)))
                as u64;
        if !self.input.seek(data, ctx) {
            return Next::Other;
        }
        self.begin(&header, ctx)
    }

    /// 4.3.9: passes over what is said again after a member of known length,
    /// which has one of four lengths: that after which something follows.
    fn pass_descriptor(&mut self, ctx: &mut Ctx) {
        let bytes = self.input.fill(28, ctx);
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

    /// 4.3.7: the member that begins here.
    fn next_local(&mut self, ctx: &mut Ctx) -> Next {
        if std::mem::take(&mut self.again) {
            self.pass_descriptor(ctx);
        }
        let is_first = self.input.offset() == 0;
        let head = self.input.fill(LOCAL_LEN, ctx);
        if is_first && (head.starts_with(&DESCRIPTOR) || head.starts_with(SPLIT)) {
            self.input.consume(4);
            return Next::Other;
        }
        if let Some((signature, _)) = head.split_first_chunk::<4>()
            && *signature != LOCAL
        {
            self.order = Order::Tail;
            return Next::Other;
        }
        let Some(&local) = head.first_chunk::<LOCAL_LEN>() else {
            return self.cut_short(ctx);
        };
        self.input.consume(LOCAL_LEN);
        let (name_len, extra_len) = (
            usize::from(u16_at(&local, 26)),
            usize::from(u16_at(&local, 28)),
        );
        let (mut name, mut extra) = (Vec::new(), Vec::new());
        append(&mut self.input, name_len, &mut name, ctx);
        append(&mut self.input, extra_len, &mut extra, ctx);
        if name.len() < name_len || extra.len() < extra_len {
            return self.cut_short(ctx);
        }
        self.name = member_path(self.path.as_deref(), &name);
        let mut numbers = [u32_at(&local, 22), u32_at(&local, 18), 0].map(u64::from);
        widen(&mut numbers, &extra);
        let [len, packed, _] = numbers;
        let flags = u16_at(&local, 6);
        let method = u16_at(&local, 8);
        // 4.4.4, bit 3: "the fields crc-32, compressed size and uncompressed
        // size are set to zero in the local header. The correct values are put
        // in the data descriptor". Some put them in both places.
        let late = flags & 8 != 0 && packed == 0;
        self.again = flags & 8 != 0 && !late;
        let stated = Stated {
            crc: u32_at(&local, 14),
            packed,
            len,
        };
        if late && method == 0 {
            return self.late_and_stored(ctx);
        }
        if name.ends_with(b"/") && packed == 0 && !late {
            return Next::Other;
        }
        let header = Header {
            flags,
            method,
            stated: (!late).then_some(stated),
        };
        let next = self.begin(&header, ctx);
        if next == Next::Other && late {
            self.order = Order::Over;
            self.fault(
                FaultKind::Corrupt,
                "says only at the end of a member how long it is: what follows is lost",
                ctx,
            );
        } else if next == Next::Other && self.input.skip(packed, ctx) > 0 {
            return self.cut_short(ctx);
        }
        next
    }

    /// A member that is stored, and how long it is, is said after it: where
    /// that is cannot be known, unless it is empty.
    fn late_and_stored(&mut self, ctx: &mut Ctx) -> Next {
        // No more than is asked for: how much more is there is chance.
        let bytes = self.input.fill(26, ctx);
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
            return Next::Other;
        }
        ctx.fault(
            FaultKind::Unsupported,
            Some(&self.name),
            Some(self.input.offset()),
            "it is stored, and only after it is said how long it is; it and what follows cannot be read from a stream",
        );
        self.order = Order::Over;
        Next::Other
    }

    /// Makes ready to read a member, whose data is next. [`Next::Other`] if
    /// that cannot be, which has been told.
    fn begin(&mut self, header: &Header, ctx: &mut Ctx) -> Next {
        let decoder = match header.decoder() {
            Ok(decoder) => decoder,
            Err(text) => {
                ctx.fault(
                    FaultKind::Unsupported,
                    Some(&self.name),
                    Some(self.input.offset()),
                    text,
                );
                return Next::Other;
            }
        };
        match header.stated {
            Some(stated) => self.input.limit(stated.packed),
            None => self.input.no_limit(),
        }
        self.member = Some(Member {
            decoder,
            crc: Crc::new(),
            len: 0,
            stated: header.stated,
            start: self.input.offset(),
            state: State::Open,
        });
        Next::Member
    }

    /// There is no more.
    fn cut_short(&mut self, ctx: &mut Ctx) -> Next {
        self.order = Order::Over;
        if !self.input.is_broken() {
            self.fault(FaultKind::Truncated, "ends without its directory", ctx);
        }
        Next::Other
    }

    /// Goes over one record of a directory that there is no use for, to see
    /// that it is all there.
    fn tail(&mut self, ctx: &mut Ctx) {
        let head = self.input.fill(END64_LEN, ctx);
        let u16_at = |at: usize| head.get(at..at + 2).map(|b| u64::from(u16_at(b, 0)));
        let len = match head {
            // Encrypted directories have other records in front (4.3.11); they
            // begin with a 32-bit length.
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
                self.order = Order::Over;
                u16_at(20).map(|n| END_LEN as u64 + n)
            }
            [_, _, _, _, ..] => {
                self.order = Order::Over;
                self.fault(
                    FaultKind::Corrupt,
                    "has something else where a member or its directory should be",
                    ctx,
                );
                return;
            }
            _ => None,
        };
        match len {
            Some(len) if self.input.skip(len, ctx) == 0 => {}
            _ => {
                self.cut_short(ctx);
            }
        }
    }
}

impl Directory {
    /// The next entry: fixed part, name, extra field.
    fn entry(&mut self, input: &mut Input, ctx: &mut Ctx) -> Option<Vec<u8>> {
        let fixed = self.bytes(ENTRY_LEN, input, ctx)?;
        if !fixed.starts_with(&ENTRY) {
            return None;
        }
        let len = ENTRY_LEN + usize::from(u16_at(fixed, 28)) + usize::from(u16_at(fixed, 30));
        let comment = usize::from(u16_at(fixed, 32));
        let entry = self.bytes(len, input, ctx)?.to_vec();
        self.at += (len + comment) as u64;
        self.pos = self.buf.len().min(self.pos + len + comment);
        Some(entry)
    }

    /// The next `n` bytes of the directory.
    fn bytes(&mut self, n: usize, input: &mut Input, ctx: &mut Ctx) -> Option<&[u8]> {
        if self.buf.len() - self.pos < n {
            let want = (self.end - self.at).min(n.max(DIRECTORY) as u64) as usize;
            self.buf.clear();
            self.pos = 0;
            if !input.seek(self.at, ctx) {
                return None;
            }
            append(input, want, &mut self.buf, ctx);
        }
        self.buf.get(self.pos..self.pos + n)
    }
}

/// What a header says of how a member is packed.
struct Header {
    flags: u16,
    method: u16,
    stated: Option<Stated>,
}

impl Header {
    /// The decoder, `None` for what is stored; or why there is none.
    fn decoder(&self) -> Result<Option<Decoder>, String> {
        // 4.4.4: bit 0, and bit 13 for the directory.
        if self.flags & 1 != 0 {
            return Err("it is encrypted".to_owned());
        }
        // 4.4.5.
        let compression = match self.method {
            0 => return Ok(None),
            8 => Compression::Deflate,
            12 => Compression::Bzip2,
            20 | 93 => Compression::Zstd,
            95 => Compression::Xz,
            method => {
                return Err(format!(
                    "it is compressed by method {method}, which is not known"
                ));
            }
        };
        if self.stated.is_none() && compression != Compression::Deflate {
            return Err(
                "only after it is said how long it is; it cannot be read from a stream".to_owned(),
            );
        }
        Ok(Some(Decoder::new(compression)))
    }
}

/// 4.5.3: takes those of the numbers that did not fit (length, packed length,
/// offset, in this order) from the zip64 extra field.
fn widen(numbers: &mut [u64; 3], mut extra: &[u8]) {
    while let Some((head, rest)) = extra.split_first_chunk::<4>() {
        let Some((mut field, rest)) = rest.split_at_checked(usize::from(u16_at(head, 2))) else {
            return;
        };
        if u16_at(head, 0) == 1 {
            for number in numbers.iter_mut().filter(|number| **number == 0xFFFF_FFFF) {
                let Some((value, rest)) = field.split_first_chunk::<8>() else {
                    return;
                };
                *number = u64::from_le_bytes(*value);
                field = rest;
            }
        }
        extra = rest;
    }
}

/// Reads `n` bytes, or as many as there are.
fn append(input: &mut Input, n: usize, to: &mut Vec<u8>, ctx: &mut Ctx) {
    let start = to.len();
    while to.len() - start < n {
        let ready = input.fill(1, ctx);
        let m = ready.len().min(n - (to.len() - start));
        if m == 0 {
            return;
        }
        to.extend_from_slice(&ready[..m]);
        input.consume(m);
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
