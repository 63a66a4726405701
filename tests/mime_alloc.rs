//! The walker allocates nothing for a small message after it has read a similar
//! one. The memory of a searcher does not grow with the length of a message.

use crate::common::hostile_mail;
use crate::common::slow;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep_base::span::SourceMap;
use urlgrep_mail::mime::{
    MailSink, MessageInfo, MessageMeta, PartEnd, PartInfo, RoleTracker, Walker,
};

struct Counting;

// One for each thread, so that a test does not count the allocations of another.
thread_local! {
    /// The number of allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
    /// The number of bytes that are allocated, and their peak.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The number of threads that measure. Every allocation of all tests comes here, and without
/// optimisation a thread-local value costs more than the allocation.
static MEASURING: AtomicUsize = AtomicUsize::new(0);

/// Counts as long as it lives.
struct Measuring;

impl Measuring {
    fn start() -> Measuring {
        MEASURING.fetch_add(1, Ordering::Relaxed);
        Measuring
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        MEASURING.fetch_sub(1, Ordering::Relaxed);
    }
}

fn count(allocations: u64, bytes: isize) {
    if MEASURING.load(Ordering::Relaxed) == 0 {
        return;
    }
    COUNT.set(COUNT.get() + allocations);
    LIVE.set(LIVE.get() + bytes);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Default)]
struct Sink {
    roles: RoleTracker,
    info: MessageInfo,
    bytes: u64,
}

impl MailSink for Sink {
    fn headers(&mut self, message: &MessageInfo) {
        self.info.clone_from(message);
    }

    fn part_start(&mut self, part: &PartInfo<'_>) {
        self.roles.start(&self.info, part);
    }

    fn text(&mut self, bytes: &[u8], map: &SourceMap) {
        self.bytes += bytes.len() as u64;
        assert!(map.text_end() > 0);
        self.roles.feed(bytes);
    }

    fn part_end(&mut self, end: PartEnd) {
        self.roles.finish(end.last);
        assert!(self.roles.role_at(0).is_some());
    }
}

/// Counts hits.
#[derive(Default)]
struct Urls(u64);

impl Visitor for Urls {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.0 += u64::from(found.hit.url().is_ok());
        ControlFlow::Continue(())
    }
}

/// A message with fields, parts, encodings, charsets, flowed text and HTML.
fn message() -> Vec<u8> {
    let mut m = b"From: =?utf-8?q?J=C3=B6rg?= <j@a.example>\n\
        Message-ID: <1@a.example>\n\
        Date: Fri, 5 Jan 96 10:20 EST\n\
        Subject: =?iso-8859-1?b?aHR0cDovL2EuZXhhbXBsZS8=?= and\n more\n\
        List-Id: <list.a.example>\n\
        List-Unsubscribe: <http://a.example/u>\n\
        Content-Type: multipart/mixed; boundary*0=x; boundary*1=y\n\n"
        .to_vec();
    let parts: [&[u8]; 6] = [
        b"Content-Type: text/plain; format=flowed; delsp=yes\n\nhttp://a.example/ \nb\n> c \n> d\n",
        b"Content-Transfer-Encoding: quoted-printable\n\na=3D=\nb\n",
        b"Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\naHR0cOk=\n",
        b"Content-Type: text/plain; charset=big5\n\n\xA4\x40 http://a.example/\n",
        b"Content-Type: text/html\n\n<p>a<a href=\"http://a.example/?a&amp;b\">x</a><br>y\n",
        b"\nend\n____________________\na mailing list\n",
    ];
    for part in parts {
        m.extend_from_slice(b"--xy\n");
        m.extend_from_slice(part);
    }
    m.extend_from_slice(b"--xy--\n");
    m
}

#[test]
fn small_messages_cost_no_allocation() {
    let _measuring = Measuring::start();
    let message = message();
    assert!(message.len() < 2048);
    let mut walker = Walker::default();
    let mut sink = Sink::default();
    let mut once = || {
        let before = COUNT.get();
        walker.message(MessageMeta::default());
        walker.feed(&message, 0, &mut sink);
        walker.finish(&mut sink);
        COUNT.get() - before
    };
    let first = once();
    once();
    assert!(first > 0, "the counter works");
    assert_eq!(once(), 0);
    assert!(sink.bytes > 0);
}

/// The whole search, from the bytes of a message to its URLs.
#[test]
fn searching_a_small_message_costs_no_allocation() {
    let _measuring = Measuring::start();
    let message = b"Subject: see http://a.example/s\nX-Homepage: <http://a.example/l>\n\
        Content-Type: multipart/mixed; boundary=x\n\n--x\n\
        Content-Transfer-Encoding: quoted-printable\n\n> <URL:http://a.exam=\nple/a=3D\n> b> and http://b.example/.\n\
        --x\nContent-Transfer-Encoding: base64\n\naHR0cDovL2MuZXhhbXBsZS8K\n--x--\n";
    let mut searcher = Searcher::default();
    let mut urls = Urls::default();
    let mut once = || {
        let before = COUNT.get();
        let _ = searcher.visit_message(message, &mut urls);
        COUNT.get() - before
    };
    once();
    assert_eq!(once(), 0);
    assert_eq!(urls.0, 2 * 5);
}

/// The peak memory of a search of `mail`, without `mail` itself.
fn peak(mail: &[u8]) -> isize {
    let _measuring = Measuring::start();
    let before = LIVE.get();
    PEAK.set(before);
    let mut searcher = Searcher::builder().message_ends(true).build();
    let _ = searcher.visit_message(mail, &mut Urls(0));
    PEAK.get() - before
}

/// The text of links, their hits and their places are kept until the role is
/// known, up to a bound. The largest of these is the source map of the text. It
/// covers 36 KiB of text, with three pieces of 48 bytes for each byte, in a buffer
/// that doubles.
#[test]
fn memory_does_not_grow_with_a_message() {
    let families = hostile_mail::families();
    let links = families.iter().filter(|f| f.name.contains("HTML links"));
    let links = links.step_by(if slow() { 1 } else { 3 });
    let peaks = links.map(|f| (f.name, peak(&f.make(2 << 20))));
    let large: Vec<_> = peaks.filter(|(_, peak)| *peak > 7 << 20).collect();
    assert!(large.is_empty(), "{large:?}");
}
