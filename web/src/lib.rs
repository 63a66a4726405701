//! urlgrep as a module of WebAssembly, for the page in `page/` and the package in `npm/`.
//!
//! # How to think about this
//!
//! The module has two buffers, and its host (a browser, or Node) reads and writes both. To search,
//! it asks for a buffer of the right length ([`urlgrep_input`]), writes options and a text into it, calls
//! [`urlgrep_search`], and reads the answer at [`urlgrep_output`]. The options are lines of `name=value`, with the
//! names of the command. The answer is that of `urlgrep --json`: a row a line, so whatever the
//! command knows of a URL, the page can show.
//!
//! We chose these five functions over wasm-bindgen. It would add a program to the build, and code
//! that turns values into objects of JavaScript one by one. JSON does it at once, and the browser
//! parses it faster.
//!
//! Both buffers belong to Rust, which only says where they are. So there is no `unsafe` code here:
//! the attribute of each function is `unsafe` because a function of the same name may be linked in.
//! A test that was linked with our first name of [`urlgrep_free`], `free`, crashed.

#![deny(unsafe_code)]

mod options;

use std::cell::RefCell;
use std::ops::ControlFlow;

use urlgrep_rows::record::{NoteRecord, Record, json};
use urlgrep_search::{Match, Note, Visitor};

pub use options::Options;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for `len` bytes, and returns its address. The host writes them before it calls
/// [`urlgrep_search`]. The next call of any function may move the room.
#[expect(unsafe_code, reason = "the name is exported")]
#[unsafe(no_mangle)]
pub extern "C" fn urlgrep_input(len: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(len, 0);
        input.as_mut_ptr()
    })
}

/// Searches the first `len` bytes of the input. Of these the first `options` bytes are options, and
/// the others are the text. Returns 0, or 1 if an option is wrong. The output is then a sentence.
#[expect(unsafe_code, reason = "the name is exported")]
#[unsafe(no_mangle)]
pub extern "C" fn urlgrep_search(options: usize, len: usize) -> u32 {
    let mut input = INPUT.take();
    input.truncate(len);
    let mut output = OUTPUT.take();
    output.clear();
    let (options, text) = input.split_at(options.min(input.len()));
    let done = find(options, text, &mut output);
    if let Err(message) = &done {
        output.clear();
        output.extend_from_slice(message.as_bytes());
    }
    OUTPUT.set(output);
    u32::from(done.is_err())
}

/// The address of the output of the last [`urlgrep_search`].
#[expect(unsafe_code, reason = "the name is exported")]
#[unsafe(no_mangle)]
pub extern "C" fn urlgrep_output() -> *const u8 {
    OUTPUT.with_borrow(Vec::as_ptr)
}

/// The length of the output of the last [`urlgrep_search`].
#[expect(unsafe_code, reason = "the name is exported")]
#[unsafe(no_mangle)]
pub extern "C" fn urlgrep_output_len() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

/// Frees both buffers, for example after a large mailbox.
#[expect(unsafe_code, reason = "the name is exported")]
#[unsafe(no_mangle)]
pub extern "C" fn urlgrep_free() {
    INPUT.take();
    OUTPUT.take();
}

/// Searches `text` and appends a row of JSON for each hit.
///
/// # Errors
///
/// A sentence, if an option is wrong.
pub fn find(options: &[u8], text: &[u8], rows: &mut Vec<u8>) -> Result<(), String> {
    let options = Options::parse(options)?;
    let mut searcher = options.searcher();
    let mut writer = Writer {
        rows,
        json: options.writer(),
        read_as: options.read_as_name(text),
        notes: options.notes,
    };
    options.search(&mut searcher, text, &mut writer);
    Ok(())
}

/// Writes rows.
struct Writer<'r> {
    rows: &'r mut Vec<u8>,
    json: json::Writer,
    read_as: &'static str,
    notes: bool,
}

impl Visitor for Writer<'_> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let mut record = Record::new(None, *found);
        record.read_as = Some(self.read_as);
        self.json.write(&record, self.rows);
        ControlFlow::Continue(())
    }

    fn note(&mut self, note: &Note<'_>) {
        if self.notes {
            let record = NoteRecord {
                path: None,
                note: *note,
            };
            self.json.write(&record, self.rows);
        }
    }
}
