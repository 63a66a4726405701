//! Recognises compressed data, archives and UTF-16 by their first bytes.
//!
//! `unpack` reads these formats. `ranges` refuses to read them.

/// The size of a block of a tar.
pub const TAR_BLOCK: usize = 512;
/// The signature of a member of a zip.
pub const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// The end of the central directory of a zip.
pub const END: [u8; 4] = *b"PK\x05\x06";
/// The signature of a data descriptor. It also marks a split archive.
pub const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
/// The mark of an archive that could have been split but has one part (8.5.4).
pub const SPLIT: &[u8] = b"PK00";

/// True if `head` begins with the byte order mark of UTF-16.
pub fn is_utf16(head: &[u8]) -> bool {
    matches!(head, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
}

/// The first bytes of files that are read as text, although most of their text is
/// encoded, and what these files are.
const UNREADABLE: [(&[u8], &str); 21] = [
    (b"%PDF-", "PDF"),
    (
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "OLE file, such as .msg and .doc",
    ),
    (b"!BDN", "Outlook folder (.pst)"),
    (b"\xCF\xAD\x12\xFE", "Outlook Express folder (.dbx)"),
    (b"\x78\x9F\x3E\x22", "TNEF (winmail.dat)"),
    (b"{\\rtf", "RTF"),
    (b"SQLite format 3\0", "SQLite database"),
    // A public-inbox archive, or any other repository, consists of these two.
    (b"PACK\0\0\0", "git pack"),
    (b"x\x01", "git object, or other zlib data"),
    (b"PAR1", "Parquet table"),
    (b"-----BEGIN PGP M", "PGP message"),
    (b"7z\xBC\xAF\x27\x1C", "7z archive"),
    (b"Rar!\x1A\x07", "RAR archive"),
    (b"MSCF\0\0\0\0", "cabinet"),
    (b"\x04\x22\x4D\x18", "lz4 data"),
    (b"LZIP\x01", "lzip data"),
    // INN: `storage/cnfs/cnfs-private.h` and `storage/timecaf/caf.h`.
    (b"Cycbuff\0", CNFS),
    (b"CBuf1\0", CNFS),
    (b"CBuf3\0", CNFS),
    (b"CBuf4\0", CNFS),
    (CAF, "timecaf file"),
];
const CNFS: &str = "CNFS buffer";
/// Numbers follow these letters, so a NUL is near.
const CAF: &[u8] = b"CRMT";

/// The number of bytes that [`unreadable`] needs, unless the file is shorter.
pub const UNREADABLE_HEAD: usize = 16;

/// True for a database, in which no text is whole: an SQLite database, or a Mork index
/// (`.msf`) of Thunderbird, which only repeats the header fields of a mailbox.
pub fn is_database(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0") || head.starts_with(b"// <!-- <mdb:mork:z ")
}

/// The number of bytes in which a database is told from others of its format, and a file has no
/// text yet.
pub const DATABASE_HEAD: usize = 72;

/// The database of `--ledger`, as [`unreadable`] names it.
pub const LEDGER: &str = "ledger of urlgrep";

/// True for the database of `--ledger`, by its `application_id` (the header of an SQLite
/// database, offset 68).
fn is_ledger(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0") && head.get(68..72) == Some(b"URLg")
}

/// The kind of a text in UTF-16 that begins with ASCII and has no byte order mark: each second
/// byte is a NUL.
fn unmarked_utf16(near: &[u8]) -> Option<&'static str> {
    let has_nul = |byte: usize| {
        let is_text = |b: u8| matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~');
        let mut units = near.chunks_exact(2);
        near.len() >= 8 && units.all(|unit| unit[byte] == 0 && is_text(unit[1 - byte]))
    };
    if has_nul(1) {
        Some("UTF-16LE without a byte order mark")
    } else if has_nul(0) {
        Some("UTF-16BE without a byte order mark")
    } else {
        None
    }
}

/// The kind of a file whose text is encoded in a format that is not decoded.
pub fn unreadable(head: &[u8]) -> Option<&'static str> {
    if is_ledger(head) {
        return Some(LEDGER);
    }
    let near = &head[..head.len().min(UNREADABLE_HEAD)];
    // Nearly all files are decided by their first byte.
    let is = |start: &[u8]| {
        let first = near.first() == start.first();
        first && near.starts_with(start) && (start != CAF || near.contains(&0))
    };
    let kind = UNREADABLE.iter().find(|&&(start, _)| is(start));
    kind.map(|&(_, what)| what).or_else(|| unmarked_utf16(near))
}

/// What a file is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// None of the others.
    Plain,
    /// A compressed stream.
    Compressed(Compression),
    /// A tar archive.
    Tar,
    /// A zip archive.
    Zip,
}

impl Format {
    /// `None` if more bytes are needed.
    pub fn of(head: &[u8], eof: bool) -> Option<Format> {
        // The magic numbers at the start of a stream begin with one of these
        // bytes. The longest has 8 bytes. `(`, `B` and `P` to `_` can also begin
        // a text, so a line feed ends the wait.
        let is_likely = matches!(head, [] | [0x1F | 0x28 | 0x50..=0x5F | 0xFD | b'B', ..]);
        if is_likely && head.len() < 8 && !eof && !head.contains(&b'\n') {
            return None;
        }
        if let Some(compression) = Compression::of(head) {
            return Some(Format::Compressed(compression));
        }
        if is_zip(head) {
            return Some(Format::Zip);
        }
        is_tar(head, eof).map(|is_tar| if is_tar { Format::Tar } else { Format::Plain })
    }
}

/// Bytes that [`Compression::of`] needs at most.
pub const COMPRESSION_HEAD: usize = 6;

/// The compression of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// RFC 1951: a member of a zip, without a header.
    Deflate,
    /// RFC 1950.
    Zlib,
    /// RFC 1952.
    Gzip,
    /// bzip2(1).
    Bzip2,
    /// The .xz file format, version 1.2.
    Xz,
    /// RFC 8878.
    Zstd,
    /// compress(1), `.Z`.
    Lzw,
}

impl Compression {
    /// The name of the compression in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Compression::Deflate => "deflate",
            Compression::Zlib => "zlib",
            Compression::Gzip => "gzip",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
            Compression::Zstd => "zstd",
            Compression::Lzw => "compress",
        }
    }

    /// Recognises the magic bytes. Needs 6 bytes, or fewer at the end of the
    /// input.
    pub fn of(head: &[u8]) -> Option<Compression> {
        Some(match head {
            // RFC 1952, 2.3.1: "CM = 8 denotes the "deflate" compression
            // method". No other method is defined.
            [0x1F, 0x8B, 8, ..] => Compression::Gzip,
            // `flags` has the maximum width of a code, two reserved bits, and
            // the flag for the clear code.
            [0x1F, 0x9D, flags, ..] if flags & 0x60 == 0 && (9..=16).contains(&(flags & 0x1F)) => {
                Compression::Lzw
            }
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            // RFC 8878, 3.1.2: a skippable frame. pzstd output begins with
            // one.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Compression::Zstd,
            // `BZh` and the block size. Then come the first digits of pi, or of
            // its square root in a stream without blocks.
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if !rest.is_empty() => {
                let n = rest.len().min(2);
                let block =
                    [0x31, 0x41].starts_with(&rest[..n]) || [0x17, 0x72].starts_with(&rest[..n]);
                return block.then_some(Compression::Bzip2);
            }
            _ => return None,
        })
    }
}

/// True if a zip begins with these 8 bytes. They are a local header, the end
/// record of an empty archive, or the mark of an archive that could have been
/// split (8.5.4).
fn is_zip(head: &[u8]) -> bool {
    let rest = head
        .strip_prefix(&DESCRIPTOR)
        .or(head.strip_prefix(SPLIT))
        .unwrap_or(head);
    rest.starts_with(&LOCAL) || head.starts_with(&END)
}

/// True if `head` begins with a tar header with a correct checksum. `None` if
/// more bytes are needed.
fn is_tar(head: &[u8], eof: bool) -> Option<bool> {
    // A header begins with a name, then NULs. A line feed in a name is very
    // improbable. So a line feed proves that this is text, and the caller need
    // not wait for 512 bytes from a pipe.
    let name = &head[..head.len().min(100)];
    let end = memchr::memchr2(0, b'\n', name);
    if end.is_some_and(|end| end == 0 || name[end] == b'\n') {
        return Some(false);
    }
    match head.first_chunk::<TAR_BLOCK>() {
        Some(block) => Some(is_tar_header(block)),
        None => eof.then_some(false),
    }
}

/// True if a block is a tar header with a correct checksum.
pub fn is_tar_header(block: &[u8; TAR_BLOCK]) -> bool {
    // "the sum of all octets in the header … when calculating, the chksum
    // field is treated as if it were all <space> characters". Some old tars
    // summed signed bytes.
    let (mut unsigned, mut signed) = (8 * 32, 8 * 32);
    for (i, &b) in block.iter().enumerate() {
        if !(148..156).contains(&i) {
            unsigned += i64::from(b);
            signed += i64::from(b.cast_signed());
        }
    }
    let stated = octal(&block[148..156]).and_then(|stated| i64::try_from(stated).ok());
    stated.is_some_and(|stated| stated == unsigned || stated == signed)
}

/// A number in octal digits. Spaces may come before them, and spaces and NULs
/// after them. GNU writes large numbers in binary, with the first bit set.
pub fn octal(field: &[u8]) -> Option<u64> {
    if field[0] == 0x80 {
        let (high, low) = field[1..].split_at_checked(field.len().checked_sub(9)?)?;
        let is_small = high.iter().all(|&b| b == 0);
        return low
            .first_chunk()
            .filter(|_| is_small)
            .map(|&low| u64::from_be_bytes(low));
    }
    let field = field.trim_ascii_start();
    let len = field
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(field.len());
    let (digits, rest) = field.split_at(len);
    if digits.is_empty() || !rest.iter().all(|&b| b == 0 || b == b' ') {
        return None;
    }
    digits.iter().try_fold(0u64, |n, &b| {
        let digit = b.checked_sub(b'0').filter(|&d| d < 8)?;
        n.checked_mul(8)?.checked_add(u64::from(digit))
    })
}
