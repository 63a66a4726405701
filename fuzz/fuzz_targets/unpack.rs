//! Unpacking. The first byte selects a file, a pipe or a news batch. It also says
//! whether checksums are corrected, and sets the limit of decompressed bytes. The
//! second and third byte are the sizes of reads.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../crates/unpack/src/tests/properties.rs"]
mod unpack;

use libfuzzer_sys::fuzz_target;

use unpack::{How, PIPE};
use urlgrep_unpack::Limits;

fuzz_target!(|data: &[u8]| {
    let [options, step, ask, bytes @ ..] = data else {
        return;
    };
    // Windows of 128 MiB would take all the time.
    let limits = Limits::default()
        .max_window(4 << 20)
        .max_decompressed(Some(if options & 0x80 == 0 { 1 << 20 } else { 1000 }));
    let (step, ask) = (1 + *step as usize, 1 + *ask as usize);
    let mended;
    let bytes = if options & 8 == 0 {
        bytes
    } else {
        mended = unpack::with_checksums(bytes);
        &mended
    };
    if options & 7 < 3 {
        unpack::a_batch_is_independent_of_steps(bytes, limits, &[(step, ask)]);
        return;
    }
    let seek = options & 1 == 0;
    let how = How {
        seek,
        limits,
        ..PIPE
    };
    unpack::unpacking_is_independent_of_steps(bytes, how, &[(step, ask, 0), (ask, 4096, step)]);
});
