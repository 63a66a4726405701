//! Joins reader, workers and writer.
//!
//! With one thread they take turns. With more, the reader is a thread of its
//! own, the workers are a pool, and the writer is the calling thread:
//!
//! ```text
//! reader --job--> pool --output--> writer
//!    ^                               |
//!    +-----------permit--------------+
//! ```
//!
//! The reader takes a permit before it looks for work, and the writer gives it
//! back when the output of that work, and of all work before it, is written. So
//! at most `WINDOW` pieces of work a thread are about, and nothing in the pool
//! ever waits: a pool thread that waited for another could wait for itself.
//!
//! Of a regular file the reader only says where its ranges end (see
//! [`plan`](super::input::plan)); a stream it has to read itself.
//!
//! Segments, or ranges, of one stretch go through a `Strand`, which hands them
//! to one worker at a time, in order.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::config::{Config, ConfigError};
use super::input::feed::{Feeder, FileRef, Job, Work};
use super::search::{Output, Progress, Search};
use super::status::Status;
use super::write::Writer;

/// Pieces of work a thread: one to do, one to have ready.
const WINDOW: usize = 2;

/// Searches what `config` says, and prints it on standard output.
///
/// # Errors
///
/// Threads that cannot be had. What goes wrong with paths or output is told on
/// standard error and in the status.
pub fn run(config: &Arc<Config>) -> Result<Status, ConfigError> {
    run_to(config, io::stdout().lock())
}

/// As [`run`], with another output.
///
/// # Errors
///
/// As there.
pub fn run_to<W: Write>(config: &Arc<Config>, out: W) -> Result<Status, ConfigError> {
    let mut writer = Writer::new(config, out);
    if config.max_count == Some(0) {
        return Ok(writer.finish());
    }
    let mut feeder = Feeder::new(config);
    if config.threads == 1 {
        alone(config, feeder, &mut writer, None);
        return Ok(writer.finish());
    }
    // One piece of work is no work for many: threads cost more than they win.
    let first = feeder.next(Vec::new());
    let second = match &first {
        Some(job) if !job.urgent => feeder.next(Vec::new()),
        _ => None,
    };
    match (first, second) {
        (Some(first), None) if first.urgent => alone(config, feeder, &mut writer, Some(first)),
        (first, None) => alone_with(config, first, &mut writer),
        (first, second) => {
            let jobs = first.into_iter().chain(second);
            together(config, feeder, jobs.collect(), &mut writer)?;
        }
    }
    Ok(writer.finish())
}

/// Does all work in this thread.
fn alone<W: Write>(
    config: &Arc<Config>,
    mut feeder: Feeder,
    writer: &mut Writer<W>,
    first: Option<Job>,
) {
    let mut search = Search::new(config);
    let mut output = Output::default();
    let mut buffer = Vec::new();
    let mut first = first;
    while let Some(mut job) = first
        .take()
        .or_else(|| feeder.next(std::mem::take(&mut buffer)))
    {
        if !one(&mut search, &mut job, &mut output, writer) {
            return;
        }
        buffer = job.work.into_buffer();
    }
}

/// Does one job in this thread.
fn alone_with<W: Write>(config: &Arc<Config>, job: Option<Job>, writer: &mut Writer<W>) {
    if let Some(mut job) = job {
        one(
            &mut Search::new(config),
            &mut job,
            &mut Output::default(),
            writer,
        );
    }
}

/// Does a job. Returns whether to go on.
fn one<W: Write>(
    search: &mut Search,
    job: &mut Job,
    output: &mut Output,
    writer: &mut Writer<W>,
) -> bool {
    writer.special(job.special);
    writer.faults(&job.faults);
    loop {
        let progress = search.run(&mut job.work, output);
        if !writer.take(output, job.work.file()) {
            return false;
        }
        if progress == Progress::Done {
            return true;
        }
    }
}

/// What comes to the writer.
enum Message {
    /// A piece of work, as far as it is done.
    Work(Box<Done>),
    /// There were so many pieces of work.
    End(usize),
}

/// A piece of work, as far as it is done.
struct Done {
    ticket: Ticket,
    /// Who goes on with it, if it is not done.
    rest: Option<Arc<Strand>>,
}

/// Room for a piece of work, and memory for it to use.
#[derive(Default)]
struct Permit {
    buffer: Vec<u8>,
    output: Output,
}

/// What the threads share.
struct Shared {
    config: Arc<Config>,
    pool: ThreadPool,
    /// Workers that nobody uses.
    idle: Mutex<Vec<Box<Search>>>,
    /// Nothing more is wanted.
    stop: AtomicBool,
}

impl Shared {
    fn worker(&self) -> Box<Search> {
        lock(&self.idle)
            .pop()
            .unwrap_or_else(|| Box::new(Search::new(&self.config)))
    }
}

/// A worker that panicked ends the process, so no lock is ever poisoned.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Work that is done in order by one worker at a time.
struct Strand {
    shared: Arc<Shared>,
    done: Sender<Message>,
    state: Mutex<StrandState>,
}

#[derive(Default)]
struct StrandState {
    /// Between two segments, what is known of the text so far.
    search: Option<Box<Search>>,
    queue: VecDeque<Ticket>,
    /// It is in the pool, or waits for its output to be written.
    busy: bool,
}

struct Ticket {
    number: usize,
    job: Job,
    output: Output,
}

impl Strand {
    fn push(self: &Arc<Strand>, ticket: Ticket) {
        let mut state = lock(&self.state);
        state.queue.push_back(ticket);
        if !state.busy {
            state.busy = true;
            self.spawn();
        }
    }

    fn spawn(self: &Arc<Strand>) {
        let strand = Arc::clone(self);
        self.shared.pool.spawn(move || strand.work());
    }

    /// Goes on with the first ticket, whose output was written up to here.
    fn resume(self: &Arc<Strand>, ticket: Ticket) {
        lock(&self.state).queue.push_front(ticket);
        self.spawn();
    }

    /// Works until nothing is left, or an output is full.
    fn work(self: &Arc<Strand>) {
        loop {
            let (mut ticket, search) = {
                let mut state = lock(&self.state);
                let Some(ticket) = state.queue.pop_front() else {
                    state.busy = false;
                    return;
                };
                (ticket, state.search.take())
            };
            let mut search = search.unwrap_or_else(|| self.shared.worker());
            let stop = self.shared.stop.load(Ordering::Relaxed);
            let progress = if stop {
                Progress::Done
            } else {
                search.run(&mut ticket.job.work, &mut ticket.output)
            };
            let full = progress == Progress::Full;
            if !full && ticket.job.work.is_last() {
                lock(&self.shared.idle).push(search);
            } else {
                lock(&self.state).search = Some(search);
            }
            let rest = full.then(|| Arc::clone(self));
            // OK to ignore: the writer has gone when nothing more is wanted.
            let _ = self
                .done
                .send(Message::Work(Box::new(Done { ticket, rest })));
            if full {
                return;
            }
        }
    }
}

/// Does the work with a pool of threads.
fn together<W: Write>(
    config: &Arc<Config>,
    feeder: Feeder,
    jobs: Vec<Job>,
    writer: &mut Writer<W>,
) -> Result<(), ConfigError> {
    let no_threads =
        |e: &dyn std::error::Error| ConfigError::new(format!("cannot start threads: {e}"));
    let pool = ThreadPoolBuilder::new()
        .num_threads(config.threads)
        .build()
        .map_err(|e| no_threads(&e))?;
    let shared = Arc::new(Shared {
        config: Arc::clone(config),
        pool,
        idle: Mutex::default(),
        stop: AtomicBool::new(false),
    });
    let (done, messages) = channel();
    let (give, permits) = channel();
    for _ in 0..WINDOW * config.threads {
        let _ = give.send(Permit::default());
    }
    let reader = Reader {
        shared: Arc::clone(&shared),
        done,
        strand: None,
    };
    // Not joined: it may be waiting for a pipe that nobody writes to when all
    // that was wanted is found.
    thread::Builder::new()
        .name("reader".into())
        .spawn(move || reader.read(jobs, feeder, &permits))
        .map_err(|e| no_threads(&e))?;
    write_in_order(&messages, &give, writer);
    shared.stop.store(true, Ordering::Relaxed);
    Ok(())
}

/// Hands out work.
struct Reader {
    shared: Arc<Shared>,
    done: Sender<Message>,
    /// Where the stretch goes on that was handed out last.
    strand: Option<Arc<Strand>>,
}

impl Reader {
    fn read(mut self, jobs: Vec<Job>, mut feeder: Feeder, permits: &Receiver<Permit>) {
        let mut jobs = jobs.into_iter();
        let mut number = 0;
        while let Ok(Permit { buffer, output }) = permits.recv() {
            if self.shared.stop.load(Ordering::Relaxed) {
                break;
            }
            let Some(job) = jobs.next().or_else(|| feeder.next(buffer)) else {
                break;
            };
            self.hand_out(Ticket {
                number,
                job,
                output,
            });
            number += 1;
        }
        let _ = self.done.send(Message::End(number));
    }

    fn hand_out(&mut self, ticket: Ticket) {
        let last = ticket.job.work.is_last();
        let strand = self.strand.take().unwrap_or_else(|| {
            Arc::new(Strand {
                shared: Arc::clone(&self.shared),
                done: self.done.clone(),
                state: Mutex::default(),
            })
        });
        strand.push(ticket);
        if !last {
            self.strand = Some(strand);
        }
    }
}

/// Writes what comes in, in order, until all is written or no more is wanted.
fn write_in_order<W: Write>(
    messages: &Receiver<Message>,
    give: &Sender<Permit>,
    writer: &mut Writer<W>,
) {
    // What came in too early, from the work that is next on.
    let mut early: VecDeque<Option<Box<Done>>> = VecDeque::new();
    let mut next = 0;
    let mut end = None;
    while end != Some(next) {
        match messages.recv() {
            Ok(Message::End(number)) => end = Some(number),
            Ok(Message::Work(done)) => {
                let at = done.ticket.number - next;
                if early.len() <= at {
                    early.resize_with(at + 1, || None);
                }
                early[at] = Some(done);
            }
            Err(_) => {
                // Whoever was to send the rest is no more.
                writer.cut_short();
                return;
            }
        }
        while let Some(slot) = early.front_mut() {
            let Some(done) = slot.take() else {
                break;
            };
            let Done { mut ticket, rest } = *done;
            let Ticket { job, output, .. } = &mut ticket;
            writer.special(std::mem::take(&mut job.special));
            writer.faults(&std::mem::take(&mut job.faults));
            if !writer.take(output, job.work.file()) {
                return;
            }
            if let Some(strand) = rest {
                strand.resume(ticket);
                break;
            }
            let _ = give.send(Permit {
                buffer: ticket.job.work.into_buffer(),
                output: ticket.output,
            });
            early.pop_front();
            next += 1;
        }
    }
}

impl Work {
    /// True if no other work continues this.
    fn is_last(&self) -> bool {
        match self {
            Work::Piece(piece) => piece.segment.last,
            Work::Range(range) => range.cutter.is_last(),
            Work::Batch(_) | Work::Nothing => true,
        }
    }

    /// The file of segments.
    fn file(&self) -> Option<&FileRef> {
        match self {
            Work::Piece(piece) => Some(&piece.file),
            Work::Range(range) => Some(&range.file),
            Work::Batch(_) | Work::Nothing => None,
        }
    }

    fn into_buffer(self) -> Vec<u8> {
        match self {
            Work::Piece(piece) => piece.buffer,
            Work::Batch(batch) => batch.buffer,
            Work::Range(_) | Work::Nothing => Vec::new(),
        }
    }
}
