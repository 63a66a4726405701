//! bzip2.

use bzip2::{Decompress, Status};

use super::filter::{Halt, Step, trailer};
use super::layer::Input;
use super::limits::Ctx;

/// Decodes bzip2. Streams that follow one another, as parallel compressors
/// make them, are one.
#[derive(Default)]
pub(super) struct Bunzip2 {
    state: State,
}

#[derive(Default)]
enum State {
    /// Before the first stream.
    #[default]
    First,
    Stream(Decompress),
    Between,
    /// After the last; what is there may have been told of.
    Rest(bool),
}

impl Bunzip2 {
    pub fn step(&mut self, input: &mut Input, out: &mut [u8], ctx: &mut Ctx) -> Step {
        let z = match &mut self.state {
            State::First => {
                self.state = State::Stream(Decompress::new(false));
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
        let result = z.decompress(bytes, out);
        let read = (z.total_in() - read) as usize;
        let n = (z.total_out() - written) as usize;
        input.consume(read);
        let halt = match result {
            Ok(Status::StreamEnd) => {
                self.state = State::Between;
                None
            }
            Ok(Status::MemNeeded) => Some(Halt::Fault("not enough memory".into())),
            Ok(_) if n > 0 || read > 0 => None,
            Ok(_) if at_end => Some(Halt::Truncated),
            Ok(_) => Some(Halt::Fault("it leads nowhere".into())),
            // A wrong checksum is among them: it cannot be told apart.
            Err(_) => Some(Halt::Fault("it is corrupt".into())),
        };
        Step { n, halt }
    }
}
