//! Tests of plans and of [`Hand`] alone.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::feed::{Small, Work};
use super::plan::Plan;
use super::segments::Segment;
use super::work::Hand;
use super::worker::Parcel;
use super::*;
use urlgrep_containers::{Container, Dialect};
use urlgrep_find::scan::is_ground;

/// A file that is removed at the end of the test.
struct Temp(PathBuf);

impl Temp {
    fn new(name: &str, bytes: &[u8]) -> Temp {
        let name = format!("urlgrep-engine-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, bytes).unwrap();
        Temp(path)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Copies its pieces. Sends the copy at 50 bytes or more.
struct Copy;

impl Worker for Copy {
    type Output = Vec<u8>;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Vec<u8>>) -> bool {
        out.extend_from_slice(piece.bytes);
        out.len() < 50 || out.send()
    }
}

fn builder(segment: usize) -> EngineBuilder {
    Engine::builder().threads(2).segment(segment)
}

fn plan(bytes: &[u8], container: Container, builder: EngineBuilder) -> Plan {
    let src: Arc<dyn Source> = Arc::new(bytes.to_vec());
    let kind = match container {
        Container::Text => Kind::Text,
        container => Kind::Mail(container),
    };
    let size = Some(bytes.len() as u64);
    Plan::new(src, size, 0, kind, &builder.build().shared)
}

/// All bytes of the ranges, and the offsets at which texts end.
fn read(plan: Plan) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let (mut open, mut eof) = (false, false);
    let mut buffer = Vec::new();
    for mut rdr in plan {
        let last = rdr.is_last();
        let mut ended = None;
        while let Some(segment) = rdr.next(&mut buffer) {
            let segment: Segment = segment;
            assert!(!eof, "segments after the last");
            assert!(segment.error.is_none());
            assert_eq!(segment.offset, bytes.len() as u64);
            assert_eq!(segment.first, !open);
            bytes.extend_from_slice(&buffer[segment.range]);
            open = !segment.last;
            if segment.last {
                ends.push(bytes.len());
            }
            eof = segment.eof;
            ended = Some(segment.last);
        }
        assert_eq!(ended, Some(last));
    }
    assert!(eof && !open);
    (bytes, ends)
}

#[test]
fn ranges_of_text_tile_the_file_and_end_at_ground_states() {
    let mut text = Vec::new();
    for i in 0..3000 {
        let end = ["\n", "\r\n", "\n\n", "\r\n\r\n"][i * i % 13 % 4];
        let feed = if i % 400 == 0 { "\x0C" } else { "" };
        text.extend_from_slice(format!("line {i}{feed}{end}").as_bytes());
    }
    text.extend_from_slice(&b"no ground state ".repeat(400));
    text.extend_from_slice(b"\n\nthe end\n");
    for lines in [false, true] {
        let (bytes, ends) = read(plan(&text, Container::Text, builder(100).lines(lines)));
        assert_eq!(bytes, text);
        assert!(ends.len() > 15, "{}", ends.len());
        for &end in &ends[..ends.len() - 1] {
            assert!(is_ground(&text, end), "{lines} {end}");
        }
    }
}

#[test]
fn ranges_of_an_mbox_begin_with_messages() {
    let mut mbox = Vec::new();
    for i in 0..200 {
        let head = format!(
            "From a@b Thu Jan  1 00:00:{:02} 1970\nSubject: {i}\n\n",
            i % 60
        );
        mbox.extend_from_slice(head.as_bytes());
        mbox.extend_from_slice(&b"From here on\n\nFrom x y\n".repeat(i * i % 50));
    }
    let builders = || {
        [
            builder(100),
            builder(100).lines(true),
            builder(100).numbers(true),
        ]
    };
    for builder in builders() {
        let (bytes, ends) = read(plan(&mbox, Container::Mbox(Dialect::Dated), builder));
        assert_eq!(bytes, mbox);
        assert!(ends.len() > 15, "{}", ends.len());
        for &end in &ends[..ends.len() - 1] {
            assert!(mbox[end..].starts_with(b"From a@b Thu"), "{end}");
        }
    }
    // A single message is one text.
    for builder in builders() {
        let (bytes, ends) = read(plan(&mbox, Container::Message, builder));
        assert_eq!((bytes, ends), (mbox.clone(), vec![mbox.len()]));
    }
}

/// Copies a file that had `len` bytes when it was found. Returns the copy, the
/// number of its parts, and the faults.
fn copy(file: &Temp, len: u64, segment: usize) -> (Vec<u8>, usize, Vec<Fault>) {
    let path = file.0.clone();
    let mut work = Work::Batch(vec![Small::File { path, len }]);
    let mut hand = Hand::new(Copy, None, &builder(segment).build().shared);
    let (mut bytes, mut parts, mut faults) = (Vec::new(), 0, Vec::new());
    let mut deliver = |parcel: &mut Parcel<Vec<u8>>| {
        bytes.append(&mut parcel.output);
        faults.append(&mut parcel.faults);
        parts += 1;
        true
    };
    let mut out = Outbox::new(Parcel::default(), &mut deliver);
    hand.run(&mut work, &mut out);
    out.send();
    (bytes, parts, faults)
}

#[test]
fn a_file_that_grows_is_read_to_its_end() {
    let text = b"see http://a.example/ here\n".repeat(1000);
    let file = Temp::new("grows", &text);
    for len in [0, 10, 26_999, 27_000, 99_999] {
        for segment in [64, 1000, 26_000, 100_000] {
            let (bytes, _, faults) = copy(&file, len, segment);
            assert_eq!(bytes, text, "{len} {segment}");
            assert!(faults.is_empty());
        }
    }
    assert!(copy(&file, 0, 64).1 > 3);
}

#[test]
fn a_file_that_shrinks_or_goes_before_it_is_opened() {
    let file = Temp::new("shrinks", b"http://a.example/");
    assert_eq!(copy(&file, 1_000_000, 100).0, b"http://a.example/");
    fs::write(&file.0, "").unwrap();
    assert_eq!(copy(&file, 17, 100).0, b"");
    fs::remove_file(&file.0).unwrap();
    let (bytes, _, faults) = copy(&file, 17, 100);
    assert!(bytes.is_empty());
    assert_eq!(faults[0].kind, FaultKind::Io(io::ErrorKind::NotFound));
}
