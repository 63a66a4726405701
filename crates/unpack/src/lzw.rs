//! compress(1): LZW with codes of 9 to 16 bits, `.Z`.
//!
//! There is no specification. The format is that of compress 4.0 of 1985, as
//! ncompress and gzip read it. Codes are stored with the low bit first, in
//! groups of eight. When the width of a code changes or the table is cleared,
//! the rest of the group is filler. The format has no length and no checksum.
//! So truncation is detected only inside a code.

use std::io::{self, BufRead};

use super::codec::{Codec, corrupt};
use super::layer::Supply;

const CLEAR: usize = 256;
const FIRST_BITS: u32 = 9;

/// Decodes `.Z`.
///
/// Its fields are the table of codes, and the place in the bits of the stream. Each code moves
/// the place and adds to the table.
#[derive(Default)]
pub(super) struct Uncompress {
    /// The maximum width of a code.
    max_bits: u32,
    /// The code [`CLEAR`] empties the table. It is not the code of a string.
    clears: bool,
    /// The string of a code above 255 is the string of `prefix[code]`, then the
    /// byte `suffix[code]`. Both tables have the maximum length.
    prefix: Vec<u16>,
    suffix: Vec<u8>,
    /// The number of codes in the table.
    count: usize,
    /// The current width of a code in bits.
    bits: u32,
    /// The previous code, and the first byte of its string. `None` if the next
    /// code makes no table entry.
    before: Option<usize>,
    first: u8,
    /// Bits that were read and not used, and their number.
    acc: u64,
    held: u32,
    /// The number of codes read from the current group.
    in_group: u32,
    /// Bits of filler to skip.
    filler: u32,
    /// The rest of the string to return, last byte first.
    stack: Vec<u8>,
    /// Set when no more codes can be read: the end, or the error to return.
    stop: Option<io::Result<()>>,
}

impl Uncompress {
    /// The first code that is free after the table was cleared.
    fn empty(&self) -> usize {
        if self.clears { CLEAR + 1 } else { CLEAR }
    }

    /// The next code. `None` at the end. If `eager`, also `None` when a code
    /// needs a read of the layer below.
    fn code(&mut self, input: &mut Supply, eager: bool) -> Option<usize> {
        while self.filler > 0 || self.held < self.bits {
            if self.filler > 0 && self.held > 0 {
                let n = self.filler.min(self.held);
                self.acc >>= n;
                self.held -= n;
                self.filler -= n;
                continue;
            }
            if eager && input.buffered().is_empty() && !input.is_at_end() {
                return None;
            }
            let bytes = input.fill(1);
            let n = bytes.len().min(4);
            if n == 0 {
                // Fewer bits than a code may remain. At a proper end they are
                // zeros.
                let is_end = self.acc == 0 && !input.is_broken();
                self.stop = Some(if is_end {
                    Ok(())
                } else {
                    Err(input.truncated())
                });
                return None;
            }
            for &b in &bytes[..n] {
                self.acc |= u64::from(b) << self.held;
                self.held += 8;
            }
            input.consume(n);
        }
        let code = self.acc & ((1 << self.bits) - 1);
        self.acc >>= self.bits;
        self.held -= self.bits;
        self.in_group = (self.in_group + 1) % 8;
        Some(code as usize)
    }

    /// Processes `code`: pushes its string and adds a table entry, or clears
    /// the table. `None` if the code is not defined.
    fn take(&mut self, code: usize) -> Option<()> {
        if self.clears && code == CLEAR {
            self.end_group(FIRST_BITS);
            self.count = self.empty();
            self.before = None;
            return Some(());
        }
        let Some(before) = self.before else {
            let byte = u8::try_from(code).ok()?;
            self.stack.push(byte);
            self.first = byte;
            self.before = Some(code);
            return Some(());
        };
        let mut at = code;
        if code >= self.count {
            // The code may be the one that is defined now. Its string is the
            // previous string and the first byte of that string.
            if code > self.count || self.count == self.suffix.len() {
                return None;
            }
            self.stack.push(self.first);
            at = before;
        }
        // A prefix is always an older code, so this loop ends.
        while at > 255 {
            self.stack.push(self.suffix[at]);
            at = usize::from(self.prefix[at]);
        }
        self.first = at as u8;
        self.stack.push(self.first);
        if self.count < self.suffix.len() {
            self.prefix[self.count] = before as u16;
            self.suffix[self.count] = self.first;
            self.count += 1;
            if self.count == 1 << self.bits && self.bits < self.max_bits {
                self.end_group(self.bits + 1);
            }
        }
        self.before = Some(code);
        Some(())
    }

    /// Ends the group. The codes of the next group have `bits` bits.
    fn end_group(&mut self, bits: u32) {
        if self.in_group > 0 {
            self.filler = (8 - self.in_group) * self.bits;
        }
        self.in_group = 0;
        self.bits = bits;
    }
}

impl Codec for Uncompress {
    fn begin(&mut self, input: &mut Supply) -> io::Result<()> {
        let [_, _, flags] = input.array()?;
        self.max_bits = u32::from(flags & 0x1F).clamp(FIRST_BITS, 16);
        self.clears = flags & 0x80 != 0;
        self.prefix = vec![0; 1 << self.max_bits];
        self.suffix = vec![0; 1 << self.max_bits];
        self.count = self.empty();
        self.bits = FIRST_BITS;
        Ok(())
    }

    fn read(&mut self, input: &mut Supply, out: &mut [u8]) -> io::Result<usize> {
        let mut n = 0;
        loop {
            let m = self.stack.len().min(out.len() - n);
            let rest = self.stack.len() - m;
            for (to, from) in out[n..n + m]
                .iter_mut()
                .zip(self.stack[rest..].iter().rev())
            {
                *to = *from;
            }
            self.stack.truncate(rest);
            n += m;
            if n == out.len() {
                return Ok(n);
            }
            if self.stop.is_none() {
                match self.code(input, n > 0) {
                    Some(code) if self.take(code).is_none() => {
                        self.stop = Some(Err(corrupt("corrupt")));
                    }
                    Some(_) => continue,
                    None => {}
                }
            }
            if n > 0 {
                return Ok(n);
            }
            match self.stop.replace(Ok(())) {
                Some(Err(error)) => return Err(error),
                _ => return Ok(0),
            }
        }
    }
}
