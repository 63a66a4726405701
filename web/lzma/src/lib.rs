//! Decodes LZMA in a browser, as a module of WebAssembly.
//!
//! Browsers decode gzip and no LZMA, in which the module of the page is a fifth smaller.
//! So the page has this module, packed with gzip, and the large one, packed with LZMA.
//! The crate `lzma-rust2`, which also reads our `.xz` files, does the work. Before, the page had 185
//! lines of our own JavaScript. They were 9 KB smaller, but one more decoder to look after.
//!
//! The host writes a file of the format LZMA (`.lzma`) at [`lzma_input`], calls [`lzma_decode`], and
//! reads what it returns the length of at [`lzma_output`].

use std::cell::RefCell;

use lzma_rust2::{LzmaReader, Read};

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for `len` bytes, and returns its address.
#[expect(unsafe_code, reason = "the name is exported")]
#[unsafe(no_mangle)]
pub extern "C" fn lzma_input(len: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(len, 0);
        input.as_mut_ptr()
    })
}

/// Decodes the input. Returns the length of the output, or 0 if the input is damaged.
#[expect(unsafe_code, reason = "the name is exported")]
#[unsafe(no_mangle)]
pub extern "C" fn lzma_decode() -> usize {
    let output = decode(&INPUT.take()).unwrap_or_default();
    let len = output.len();
    OUTPUT.set(output);
    len
}

/// The address of the output of the last [`lzma_decode`].
#[expect(unsafe_code, reason = "the name is exported")]
#[unsafe(no_mangle)]
pub extern "C" fn lzma_output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// The bytes of a file of the format LZMA.
///
/// # Errors
///
/// Those of `lzma-rust2`, for a file that is damaged or cut.
pub fn decode(file: &[u8]) -> Result<Vec<u8>, lzma_rust2::Error> {
    let mut reader = LzmaReader::new_mem_limit(file, u32::MAX, None)?;
    let mut output = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        match reader.read(&mut chunk)? {
            0 => return Ok(output),
            n => output.extend_from_slice(&chunk[..n]),
        }
    }
}
