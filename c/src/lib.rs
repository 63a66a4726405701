//! liburlgrep: urlgrep for C, and for all languages that can call C.
//!
//! `include/urlgrep.h` is made from the comments of this crate, so they address
//! programmers of C. The crate only translates: what a URL is, and all values of a
//! hit, come from the Rust library.
//!
//! # How to think about this
//!
//! * C gives pointers and lengths. Each `unsafe` block relies on one sentence of the
//!   header, which its `SAFETY` comment quotes. Nothing that C may do against the
//!   *order* of calls is undefined: a searcher that is in use has a lock that is
//!   already held, and the call returns `URLGREP_BUSY`.
//! * No panic may cross the border. Every function runs in [`guard`], and the
//!   iterator of a stream has a guard of its own.
//! * Values have the names of `urlgrep --json`, as strings, so that a new field does
//!   not change the binary interface. A name that does not exist cannot be found by
//!   the compiler. So it ends the search with an error.

#![expect(non_camel_case_types, reason = "the names are those of the header")]
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

mod hit;
#[cfg(feature = "scan")]
mod scan;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, TryLockError};

use urlgrep::Stream;
use urlgrep::filter::Filter;
use urlgrep::search::{Match, Message, Searcher, Visitor};

use urlgrep_arrow::Options;

pub use hit::*;
#[cfg(feature = "scan")]
pub use scan::urlgrep_scan;

#[cfg(panic = "abort")]
compile_error!("liburlgrep needs `panic = \"unwind\"`, because it catches panics");

/// The version of the binary interface. It is also the number in the name of the
/// shared library, and it changes if a program must be compiled again.
pub const URLGREP_ABI: u32 = 1;

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum urlgrep_status {
    /// Everything was searched.
    URLGREP_OK = 0,
    /// The callback ended the search.
    URLGREP_STOPPED = 1,
    /// An option, a value, a field or a pointer is wrong. urlgrep_error() says which.
    URLGREP_INVALID = 2,
    /// The searcher is in use, by its own callback or by another thread. Nothing was
    /// done.
    URLGREP_BUSY = 3,
    /// A fault of urlgrep. The searcher can be used again.
    URLGREP_FAILED = 4,
}

use urlgrep_status::{URLGREP_BUSY, URLGREP_FAILED, URLGREP_INVALID, URLGREP_OK, URLGREP_STOPPED};

/// A text. It is not ended by a NUL, and may contain any byte. `data` is NULL if there
/// is no text, and not NULL if the text is empty.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct urlgrep_text {
    /// The first byte.
    pub data: *const c_char,
    /// The number of bytes.
    pub len: usize,
}

impl urlgrep_text {
    const NONE: urlgrep_text = urlgrep_text {
        data: std::ptr::null(),
        len: 0,
    };

    fn new(text: &[u8]) -> urlgrep_text {
        urlgrep_text {
            data: text.as_ptr().cast(),
            len: text.len(),
        }
    }
}

/// Searches texts, messages and files. It keeps its memory for the next search, so use
/// one for many. Several threads need a searcher each.
pub struct urlgrep_searcher(Mutex<State>);

struct State {
    options: Options,
    extractor: Stream,
    searcher: Searcher,
    filter: Filter,
    error: CString,
}

impl State {
    fn new(options: Options, filter: Filter) -> State {
        let searcher = Searcher::builder()
            .extractor(options.extractor)
            .headers(options.headers);
        State {
            extractor: options.extractor.build().stream(),
            searcher: searcher.build(),
            filter,
            options,
            error: CString::default(),
        }
    }

    /// Takes other options for the searches that follow.
    fn begin(&mut self, options: Options) -> Result<urlgrep_status, String> {
        let filter = options.filter().map_err(|text| without_dashes(&text))?;
        *self = State::new(options, filter);
        Ok(URLGREP_OK)
    }
}

/// Receives a hit. It returns 0 to continue, and any other number to end the search.
/// It must return: no longjmp() and no C++ exception may leave it.
pub type urlgrep_callback =
    Option<unsafe extern "C" fn(hit: *const urlgrep_hit<'_>, user: *mut c_void) -> c_int>;

/// Returns URLGREP_ABI as it was when the library was compiled. A program that loads
/// the library at run time compares it with its own URLGREP_ABI.
#[unsafe(no_mangle)]
pub extern "C" fn urlgrep_abi() -> u32 {
    URLGREP_ABI
}

/// Returns the version of urlgrep, such as "0.2.0".
#[unsafe(no_mangle)]
pub extern "C" fn urlgrep_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns a new searcher with the default options, to be freed by urlgrep_free(). It is
/// NULL only after a fault of urlgrep.
#[unsafe(no_mangle)]
pub extern "C" fn urlgrep_new() -> *mut urlgrep_searcher {
    let new = || {
        Box::into_raw(Box::new(urlgrep_searcher(Mutex::new(State::new(
            Options::default(),
            Filter::default(),
        )))))
    };
    catch_unwind(new).unwrap_or(std::ptr::null_mut())
}

/// Frees a searcher. Does nothing if it is NULL. A searcher must not be used after this
/// call. A searcher that is freed by its own callback is never freed.
///
/// # Safety
///
/// `searcher` is NULL or from urlgrep_new(), and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_free(searcher: *mut urlgrep_searcher) {
    // SAFETY: "from urlgrep_new".
    let known = unsafe { searcher.as_ref() };
    if known.is_some_and(|known| known.0.try_lock().is_ok()) {
        // SAFETY: "from urlgrep_new, and not used again". The lock was free, so no call
        // borrows the searcher.
        let searcher = unsafe { Box::from_raw(searcher) };
        // OK to ignore: a panic while memory is freed leaves nothing to report it to.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(searcher)));
    }
}

/// Sets an option for the searches that follow. README.md lists the options. An unknown
/// option or a wrong value changes nothing.
///
/// # Safety
///
/// `searcher` is from urlgrep_new(). `option` and `value` are ended by a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_set(
    searcher: *mut urlgrep_searcher,
    option: *const c_char,
    value: *const c_char,
) -> urlgrep_status {
    // SAFETY: "from urlgrep_new".
    let searcher = unsafe { searcher.as_ref() };
    guard(searcher, |state| {
        // SAFETY: "ended by a NUL".
        let (option, value) = unsafe { (string(option)?, string(value)?) };
        let mut options = state.options.clone();
        options.set(option, &[value.to_owned()])?;
        state.begin(options)
    })
}

/// Gives an option its default value again, for the searches that follow. A filter that
/// is not set accepts every hit.
///
/// # Safety
///
/// `searcher` is from urlgrep_new(). `option` is ended by a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_unset(
    searcher: *mut urlgrep_searcher,
    option: *const c_char,
) -> urlgrep_status {
    // SAFETY: "from urlgrep_new".
    let searcher = unsafe { searcher.as_ref() };
    guard(searcher, |state| {
        // SAFETY: "ended by a NUL".
        let option = unsafe { string(option)? };
        let mut options = state.options.clone();
        options.unset(option)?;
        state.begin(options)
    })
}

/// Describes the last call of this searcher that returned URLGREP_INVALID or
/// URLGREP_FAILED, ended by a NUL. The text is valid until the next call.
///
/// # Safety
///
/// `searcher` is from urlgrep_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_error(searcher: *const urlgrep_searcher) -> *const c_char {
    // SAFETY: "from urlgrep_new".
    match unsafe { searcher.as_ref() }.map(|searcher| searcher.0.try_lock()) {
        Some(Ok(state)) => state.error.as_ptr(),
        Some(Err(_)) => c"the searcher is in use".as_ptr(),
        None => c"the searcher is NULL".as_ptr(),
    }
}

/// Finds the URLs of a text, without looking for messages in it. Calls `callback` for
/// each, in order.
///
/// # Safety
///
/// `searcher` is from urlgrep_new(). `text` has `len` bytes, which nobody changes during
/// the call. It may be NULL if `len` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_find(
    searcher: *mut urlgrep_searcher,
    text: *const c_char,
    len: usize,
    callback: urlgrep_callback,
    user: *mut c_void,
) -> urlgrep_status {
    // SAFETY: "from urlgrep_new".
    let searcher = unsafe { searcher.as_ref() };
    guard(searcher, |state| {
        // SAFETY: "has `len` bytes, which nobody changes".
        let text = unsafe { bytes(text, len)? };
        let mut report = Report::new(callback, user, &state.filter)?;
        let mut hits = state.extractor.find_iter(text);
        while let Some(hit) = hits.next()
            && report.hit(&Match::plain(&hit)).is_continue()
        {}
        report.end
    })
}

/// Finds the URLs of one message: of the header fields that people write, and of its
/// decoded parts. Calls `callback` for each.
///
/// # Safety
///
/// As for urlgrep_find().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_message(
    searcher: *mut urlgrep_searcher,
    message: *const c_char,
    len: usize,
    callback: urlgrep_callback,
    user: *mut c_void,
) -> urlgrep_status {
    // SAFETY: "from urlgrep_new".
    let searcher = unsafe { searcher.as_ref() };
    guard(searcher, |state| {
        // SAFETY: "has `len` bytes, which nobody changes".
        let message = unsafe { bytes(message, len)? };
        let mut report = Report::new(callback, user, &state.filter)?;
        let _ = state.searcher.visit_message(message, &mut report);
        report.end
    })
}

/// Calls the callback for each hit.
struct Report<'s> {
    filter: &'s Filter,
    callback: unsafe extern "C" fn(*const urlgrep_hit<'_>, *mut c_void) -> c_int,
    user: *mut c_void,
    end: Result<urlgrep_status, String>,
}

impl Report<'_> {
    fn new(
        callback: urlgrep_callback,
        user: *mut c_void,
        filter: &Filter,
    ) -> Result<Report<'_>, String> {
        Ok(Report {
            filter,
            callback: callback.ok_or("the callback is NULL")?,
            user,
            end: Ok(URLGREP_OK),
        })
    }
}

impl Visitor for Report<'_> {
    fn message(&mut self, message: &Message<'_>) -> bool {
        self.filter.accepts_message(message.info)
    }

    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        if !self.filter.accepts(found) {
            return ControlFlow::Continue(());
        }
        let hit = urlgrep_hit::new(found);
        // SAFETY: the caller of `urlgrep_find` gave a function of this type. The hit lives
        // until it returns.
        let wants_more = unsafe { (self.callback)(&raw const hit, self.user) } == 0;
        self.end = match hit.misuse() {
            Some(text) => Err(text),
            None if wants_more => return ControlFlow::Continue(()),
            None => Ok(URLGREP_STOPPED),
        };
        ControlFlow::Break(())
    }
}

/// Calls `work` with the state of a searcher. Keeps its error, and catches its panic.
fn guard(
    searcher: Option<&urlgrep_searcher>,
    work: impl FnOnce(&mut State) -> Result<urlgrep_status, String>,
) -> urlgrep_status {
    let Some(searcher) = searcher else {
        return URLGREP_INVALID;
    };
    let mut state = match searcher.0.try_lock() {
        Ok(state) => state,
        // OK: a panic is caught before the lock is released.
        Err(TryLockError::Poisoned(error)) => error.into_inner(),
        Err(TryLockError::WouldBlock) => return URLGREP_BUSY,
    };
    let (status, text) = match catch_unwind(AssertUnwindSafe(|| work(&mut state))) {
        Ok(Ok(status)) => return status,
        Ok(Err(text)) => (URLGREP_INVALID, text),
        Err(_) => {
            // What the panic left behind is not used again.
            *state = State::new(state.options.clone(), state.filter.clone());
            (URLGREP_FAILED, "urlgrep panicked".to_owned())
        }
    };
    state.error = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
    status
}

/// Messages of the library name the options of the command. Here options have no dashes.
fn without_dashes(text: &str) -> String {
    let begins = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase());
    let words = text.split(' ').map(|word| match word.strip_prefix("--") {
        Some(name) if begins(name) => name,
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The bytes of C.
///
/// # Safety
///
/// `data` is NULL, or has `len` bytes that nobody changes in the lifetime `'a`.
unsafe fn bytes<'a>(data: *const c_char, len: usize) -> Result<&'a [u8], String> {
    if len == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err("the text is NULL".to_owned());
    }
    if isize::try_from(len).is_err() {
        return Err(format!("a text of {len} bytes is too long"));
    }
    // SAFETY: the caller promises the bytes. The length was checked.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), len) })
}

/// A string of C, which must be UTF-8.
///
/// # Safety
///
/// `string` is NULL, or ended by a NUL and not changed in the lifetime `'a`.
unsafe fn string<'a>(string: *const c_char) -> Result<&'a str, String> {
    if string.is_null() {
        return Err("a string is NULL".to_owned());
    }
    // SAFETY: the caller promises the NUL.
    let string = unsafe { CStr::from_ptr(string) };
    let text = string.to_str();
    text.map_err(|_| format!("{} is not UTF-8", string.to_string_lossy().escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_panic_crosses_the_border() {
        let searcher = urlgrep_searcher(Mutex::new(State::new(
            Options::default(),
            Filter::default(),
        )));
        let status = guard(Some(&searcher), |_| panic!("on purpose"));
        assert_eq!(status, URLGREP_FAILED);
        // SAFETY: the searcher lives.
        let text = unsafe { CStr::from_ptr(urlgrep_error(&raw const searcher)) };
        assert_eq!(text, c"urlgrep panicked");
        assert_eq!(guard(Some(&searcher), |_| Ok(URLGREP_OK)), URLGREP_OK);
    }
    /// Keeps the host of each hit. With this test Miri sees the border too.
    unsafe extern "C" fn keep(hit: *const urlgrep_hit<'_>, user: *mut c_void) -> c_int {
        // SAFETY: the caller gives a hit, and the vector.
        let (host, hosts) = unsafe {
            let host = urlgrep_hit_text(hit, c"host".as_ptr());
            (host, &mut *user.cast::<Vec<Vec<u8>>>())
        };
        let (mut number, mut item) = (0, std::mem::MaybeUninit::uninit());
        // SAFETY: as above, and both can be written to.
        unsafe {
            assert!(urlgrep_hit_number(hit, c"offset".as_ptr(), &raw mut number));
            assert!(urlgrep_hit_item(
                hit,
                c"segments".as_ptr(),
                0,
                item.as_mut_ptr()
            ));
            assert_eq!(item.assume_init().start, number.cast_unsigned());
            hosts.push(bytes(host.data, host.len).unwrap().to_vec());
        }
        0
    }

    #[test]
    fn a_program_calls_the_border() {
        let message = b"Subject: x\n\n<http://A.example/> http://b.example/";
        let mut hosts = Vec::<Vec<u8>>::new();
        let (text, user) = (message.as_ptr().cast(), (&raw mut hosts).cast());
        // SAFETY: the arguments are as the functions ask for.
        unsafe {
            let searcher = urlgrep_new();
            assert_eq!(
                urlgrep_set(searcher, c"rejects".as_ptr(), c"true".as_ptr()),
                URLGREP_OK
            );
            for door in [urlgrep_find, urlgrep_message] {
                assert_eq!(
                    door(searcher, text, message.len(), Some(keep), user),
                    URLGREP_OK
                );
            }
            urlgrep_free(searcher);
        }
        assert_eq!(
            hosts,
            [b"a.example", b"b.example", b"a.example", b"b.example"]
        );
    }
}
