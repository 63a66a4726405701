//! How far the scanner looks. Each rule of it is bounded by one of these numbers, so time is linear and
//! memory bounded, and a decision depends on the bytes and never on the chunks.

/// The maximum length of a leader, and of the white space around `URL` and its
/// colon.
pub const LEADER_MAX: usize = 64;
/// The number of bytes before a candidate in which the start of its line is
/// searched for.
pub const LINE_START_MAX: usize = 1024;
/// The maximum length of a delimited form in bytes, with its opening byte.
pub const DELIMITED_MAX: usize = 8192;
/// The number of bytes of a following line that are examined.
pub const NEXT_LINE_MAX: usize = 1024;
/// The maximum number of lines of page furniture.
pub(super) const PAGE_LINES: usize = 12;
/// The default maximum length of a URL in bytes. RFC 9110 4.1 recommends
/// "support at a minimum 8000 octets".
pub const URL_MAX: usize = 8192;
/// The maximum number of readings besides the first.
pub const ALTERNATES_MAX: usize = 4;

/// The maximum number of lines of a joined bare URL.
pub(super) const JOINED_LINES: usize = 32;
/// The number of bytes that are searched for colons before their lines are
/// counted. They must fit into a second-level cache, so that the second pass
/// does not read from memory. Within this limit a larger block is faster,
/// because the first pass over each block begins with a wait for memory.
pub(super) const BLOCK: usize = 64 * 1024;
/// The maximum lookahead from a colon. It reaches to the limit of a delimited
/// form, then over page furniture and a line.
pub(super) const AHEAD: usize = DELIMITED_MAX + (PAGE_LINES + 3) * NEXT_LINE_MAX;
/// The maximum number of bytes that may be re-examined early, at line ends. It
/// allows a few URLs of usual length.
pub(super) const CREDIT: u64 = 4096;
/// The number of bytes before a URL, or before its line, in which a sign of its paragraph, the line
/// above, or a bar is searched for.
pub(super) const ABOVE_MAX: usize = 512;
/// The maximum lookbehind from a colon. It reaches over `<URL` with white
/// space, to the start of its line, and to the break before the line.
pub(super) const BEHIND: usize = LINE_START_MAX + 1 + 2 * LEADER_MAX + 4;

/// The number of bytes of a new chunk that are copied after the kept bytes.
/// After these bytes the scan can continue in the chunk itself. It is twice the
/// lookbehind.
pub(super) const NEAR: usize = 2 * BEHIND;
