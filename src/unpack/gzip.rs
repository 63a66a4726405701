//! gzip, zlib and plain deflate.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::fault::FaultKind;
use super::filter::{Halt, Step, trailer};
use super::layer::Input;
use super::limits::Ctx;

/// Decodes deflate, or zlib.
pub(super) struct Inflate {
    z: Decompress,
}

impl Inflate {
    pub fn new(zlib: bool) -> Inflate {
        Inflate {
            z: Decompress::new(zlib),
        }
    }

    pub fn step(&mut self, input: &mut Input, out: &mut [u8], ctx: &mut Ctx) -> Step {
        let (read, written) = (self.z.total_in(), self.z.total_out());
        // At the end of the input there may still be output to come.
        let bytes = input.fill(1, ctx);
        let at_end = bytes.is_empty();
        let result = self.z.decompress(bytes, out, FlushDecompress::None);
        let read = (self.z.total_in() - read) as usize;
        let n = (self.z.total_out() - written) as usize;
        input.consume(read);
        let halt = match result {
            Ok(Status::StreamEnd) => Some(Halt::End),
            Ok(_) if n > 0 || read > 0 => None,
            Ok(_) if at_end => Some(Halt::Truncated),
            Ok(_) => Some(Halt::Fault(FaultKind::Corrupt, "it leads nowhere".into())),
            // Its own words depend on how much it was given.
            Err(_) => Some(Halt::Fault(FaultKind::Corrupt, "it is corrupt".into())),
        };
        Step { n, halt }
    }
}

/// Decodes gzip: RFC 1952. Members that follow one another are one stream.
pub(super) struct Gunzip {
    inflate: Inflate,
    state: State,
    /// Of the member.
    crc: Crc,
    is_first: bool,
}

enum State {
    Header,
    /// The length of the extra field.
    ExtraLen(u8),
    Extra(u8, u64),
    /// Up to the next NUL.
    Text(u8),
    HeaderCrc,
    Body,
    Trailer,
    /// After the last; what is there may have been told of.
    Rest(bool),
}

const FHCRC: u8 = 2;
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;
const RESERVED: u8 = 0xE0;

impl Default for Gunzip {
    fn default() -> Gunzip {
        Gunzip {
            inflate: Inflate::new(false),
            state: State::Header,
            crc: Crc::new(),
            is_first: true,
        }
    }
}

impl Gunzip {
    pub fn step(&mut self, input: &mut Input, out: &mut [u8], ctx: &mut Ctx) -> Step {
        match &mut self.state {
            State::Header => return self.header(input, ctx),
            State::ExtraLen(flags) => {
                let flags = *flags;
                let &[a, b, ..] = input.fill(2, ctx) else {
                    return Step::halt(Halt::Truncated);
                };
                input.consume(2);
                self.state = State::Extra(flags, u64::from(u16::from_le_bytes([a, b])));
            }
            State::Extra(flags, n) => {
                let (flags, n) = (*flags, *n);
                if input.skip(n, ctx) > 0 {
                    return Step::halt(Halt::Truncated);
                }
                self.state = after(flags & !FEXTRA);
            }
            State::Text(flags) => {
                let flags = *flags;
                let bytes = input.fill(1, ctx);
                if bytes.is_empty() {
                    return Step::halt(Halt::Truncated);
                }
                let end = memchr::memchr(0, bytes);
                let n = end.map_or(bytes.len(), |end| end + 1);
                if end.is_some() {
                    let done = if flags & FNAME != 0 { FNAME } else { FCOMMENT };
                    self.state = after(flags & !done);
                }
                input.consume(n);
            }
            State::HeaderCrc => {
                if input.skip(2, ctx) > 0 {
                    return Step::halt(Halt::Truncated);
                }
                self.state = State::Body;
            }
            State::Body => {
                let mut step = self.inflate.step(input, out, ctx);
                self.crc.update(&out[..step.n]);
                if matches!(step.halt, Some(Halt::End)) {
                    step.halt = None;
                    self.state = State::Trailer;
                }
                return step;
            }
            State::Trailer => {
                let Some((trailer, _)) = input.fill(8, ctx).split_first_chunk::<8>() else {
                    return Step::halt(Halt::Truncated);
                };
                let [c0, c1, c2, c3, l0, l1, l2, l3] = *trailer;
                let is_right = u32::from_le_bytes([c0, c1, c2, c3]) == self.crc.sum()
                    && u32::from_le_bytes([l0, l1, l2, l3]) == self.crc.amount();
                self.state = State::Header;
                self.is_first = false;
                self.inflate.z.reset(false);
                self.crc.reset();
                input.consume(8);
                if !is_right {
                    return Step::halt(Halt::Note(
                        FaultKind::Checksum,
                        "the checksum of what stands before is wrong".into(),
                    ));
                }
            }
            State::Rest(told) => return trailer(told, input, ctx),
        }
        Step::out(0)
    }

    fn header(&mut self, input: &mut Input, ctx: &mut Ctx) -> Step {
        if !self.is_first && !input.fill(2, ctx).starts_with(&[0x1F, 0x8B]) {
            self.state = State::Rest(false);
            return Step::out(0);
        }
        let Some((head, _)) = input.fill(10, ctx).split_first_chunk::<10>() else {
            return Step::halt(Halt::Truncated);
        };
        let (method, flags) = (head[2], head[3]);
        if method != 8 || flags & RESERVED != 0 {
            return Step::halt(Halt::Fault(
                FaultKind::Unsupported,
                "unsupported header flags".into(),
            ));
        }
        input.consume(10);
        self.state = after(flags);
        Step::out(0)
    }
}

/// What follows in a header of which these optional fields are left.
fn after(flags: u8) -> State {
    if flags & FEXTRA != 0 {
        State::ExtraLen(flags)
    } else if flags & (FNAME | FCOMMENT) != 0 {
        State::Text(flags)
    } else if flags & FHCRC != 0 {
        State::HeaderCrc
    } else {
        State::Body
    }
}
