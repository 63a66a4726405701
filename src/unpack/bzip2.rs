//! bzip2.

use bzip2::{Decompress, Status};

use super::fault::FaultKind;
use super::filter::{Halt, Step, trailer};
use super::layer::Input;
use super::limits::Ctx;

/// How much is decoded at once. The library does not say how much it had
/// decoded when it comes upon corrupt data, so this is little; and it is always
/// so much, so that it is always the same that is lost.
const PIECE: usize = 1 << 10;

/// A stream of nothing after its `BZh` and a digit: the mark of the end, and
/// the checksum of no blocks.
const NOTHING: [u8; 10] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];

/// Decodes bzip2. Streams that follow one another, as parallel compressors
/// make them, are one.
///
/// A stream costs up to 4 MB of memory that are cleared, however short it is;
/// one of nothing, which has only 14 bytes, costs none.
#[derive(Default)]
pub(super) struct Bunzip2 {
    state: State,
    /// `piece[pos..]` is decoded and has to go out.
    piece: Vec<u8>,
    pos: usize,
    /// Why the piece is the last.
    halt: Option<Halt>,
}

#[derive(Default)]
enum State {
    /// Before a stream.
    #[default]
    First,
    Stream(Decompress),
    Between,
    /// After the last; what is there may have been told of.
    Rest(bool),
}

impl Bunzip2 {
    pub fn step(&mut self, input: &mut Input, out: &mut [u8], ctx: &mut Ctx) -> Step {
        if self.pos == self.piece.len() {
            if let Some(halt) = self.halt.take() {
                return Step::halt(halt);
            }
            (self.pos, self.halt) = (0, None);
            self.piece.resize(PIECE, 0);
            let mut n = 0;
            while n < PIECE && self.halt.is_none() {
                let step = self.decode(n, input, ctx);
                n += step.n;
                self.halt = step.halt;
            }
            self.piece.truncate(n);
        }
        let n = out.len().min(self.piece.len() - self.pos);
        out[..n].copy_from_slice(&self.piece[self.pos..self.pos + n]);
        self.pos += n;
        Step::out(n)
    }

    /// Decodes into the piece, from `from` on.
    fn decode(&mut self, from: usize, input: &mut Input, ctx: &mut Ctx) -> Step {
        let z = match &mut self.state {
            State::First => {
                let head = input.fill(4 + NOTHING.len(), ctx);
                if let [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] = head
                    && rest.starts_with(&NOTHING)
                {
                    input.consume(4 + NOTHING.len());
                    self.state = State::Between;
                } else {
                    self.state = State::Stream(Decompress::new(false));
                }
                return Step::out(0);
            }
            State::Between => {
                let head = input.fill(4, ctx);
                let next = matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', ..]);
                self.state = if next {
                    State::First
                } else {
                    State::Rest(false)
                };
                return Step::out(0);
            }
            State::Rest(told) => return trailer(told, input, ctx),
            State::Stream(z) => z,
        };
        let (read, written) = (z.total_in(), z.total_out());
        let bytes = input.fill(1, ctx);
        let at_end = bytes.is_empty();
        let result = z.decompress(bytes, &mut self.piece[from..]);
        let read = (z.total_in() - read) as usize;
        let n = (z.total_out() - written) as usize;
        input.consume(read);
        let halt = match result {
            Ok(Status::StreamEnd) => {
                self.state = State::Between;
                None
            }
            Ok(Status::MemNeeded) => {
                Some(Halt::Fault(FaultKind::Corrupt, "not enough memory".into()))
            }
            Ok(_) if n > 0 || read > 0 => None,
            Ok(_) if at_end => Some(Halt::Truncated),
            Ok(_) => Some(Halt::Fault(FaultKind::Corrupt, "it leads nowhere".into())),
            // A wrong checksum is among them: it cannot be told apart.
            Err(_) => Some(Halt::Fault(FaultKind::Corrupt, "it is corrupt".into())),
        };
        Step { n, halt }
    }
}
