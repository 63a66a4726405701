//! The deliveries of the engine: their order, the number of outputs that exist
//! at once, and how a run ends early.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use urlgrep_files::engine::{Delivery, Engine, Input, Outbox, Piece, Worker};

/// Bytes of a piece. All that exist are counted.
struct Few(Vec<u8>);

static FEW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

impl Default for Few {
    fn default() -> Few {
        MOST.fetch_max(1 + FEW.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
        Few(Vec::new())
    }
}

impl Drop for Few {
    fn drop(&mut self) {
        FEW.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Sends a few bytes at a time. Its field counts the workers.
struct Sends(#[allow(dead_code, reason = "it is counted")] Arc<()>);

impl Worker for Sends {
    type Output = Few;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Few>) -> bool {
        piece.bytes.chunks(40).all(|few| {
            out.0.extend_from_slice(few);
            out.send()
        })
    }
}

/// Paragraphs. One of them has many segments.
fn text() -> Vec<u8> {
    let mut text = Vec::new();
    for i in 0..400 {
        text.extend_from_slice(format!("{i} some words\n\n").as_bytes());
        if i == 200 {
            text.extend_from_slice(&b"a line of a long paragraph\n".repeat(200));
        }
    }
    text
}

/// The same text as a file, which workers read, and as a stream.
fn inputs(text: &[u8]) -> Vec<Input> {
    let file: Arc<[u8]> = text.into();
    let stream = std::io::Cursor::new(text.to_vec());
    vec![
        Input::Source(b"file".to_vec(), Arc::new(file)),
        Input::Reader(b"stream".to_vec(), Box::new(stream)),
    ]
}

/// Runs [`Sends`], and waits until all its workers and outputs are gone.
fn run(
    threads: usize,
    inputs: impl IntoIterator<Item = Input, IntoIter: Send + 'static>,
    mut consume: impl FnMut(&[u8]) -> bool,
) {
    let workers = Arc::new(());
    let worker = Arc::clone(&workers);
    let engine = Engine::builder().threads(threads).segment(100).build();
    let consume = |delivery: &mut Delivery<'_, Few>| {
        let go_on = consume(&delivery.output.0);
        delivery.output.0.clear();
        go_on
    };
    engine
        .run(inputs, move || Sends(Arc::clone(&worker)), consume)
        .expect("threads");
    let begin = Instant::now();
    while Arc::strong_count(&workers) > 1 || FEW.load(Ordering::SeqCst) > 0 {
        assert!(begin.elapsed() < Duration::from_secs(60), "a worker waits");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// One test, because the outputs of all runs are counted together.
#[test]
fn outputs_are_in_order_and_few() {
    let text = text();
    for threads in [1, 2, 3, 8] {
        MOST.store(0, Ordering::SeqCst);
        let mut bytes = Vec::new();
        run(threads, inputs(&text), |few| {
            bytes.extend_from_slice(few);
            true
        });
        assert!(bytes == text.repeat(2), "-j{threads}");
        // A worker has one output, and each of the four jobs in flight for a thread has two.
        let most = MOST.load(Ordering::SeqCst);
        assert!(most <= 9 * threads + 2, "-j{threads}: {most} outputs");
    }
    // The consumer stops, while workers wait and the input never ends.
    for threads in [1, 2, 3, 8] {
        for stop in [1, 2, 50] {
            let mut outputs = 0;
            let text = text.clone();
            run(threads, (0..).flat_map(move |_| inputs(&text)), |_| {
                outputs += 1;
                outputs < stop
            });
            assert_eq!(outputs, stop, "-j{threads}");
        }
    }
    // The consumer panics.
    for threads in [1, 3] {
        let run = || {
            run(threads, inputs(&text), |_| {
                std::panic::panic_any("consumer")
            });
        };
        let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
        assert_eq!(payload.downcast_ref(), Some(&"consumer"));
    }
}
