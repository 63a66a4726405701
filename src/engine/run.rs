//! Connects the reader, the workers and the consumer.
//!
//! With one thread they take turns. With several, the reader has its own
//! thread, the workers run in a thread pool, and the consumer runs on the
//! calling thread:
//!
//! ```text
//! reader --job--> pool --output--> consumer
//!    ^                                |
//!    +------------permit--------------+
//! ```
//!
//! The reader takes a permit before it looks for work. The consumer returns the
//! permit when it has the output of that job and of all earlier jobs. So at
//! most [`WINDOW`] jobs per thread are in flight. No task in the pool ever
//! waits for another task, which would risk a deadlock.
//!
//! For a regular file the reader only plans the ranges (see `plan`). The reader
//! reads streams itself.
//!
//! The segments or ranges of one text go through a [`Strand`]. It gives them to
//! one worker at a time, in order.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::feed::{Feeder, FileRef, Job, Work};
use super::work::{Hand, Parcel, Step};
use super::worker::Worker;
use super::{Delivery, Fault, Shared};

/// Jobs per thread: one that is processed, and one that is ready.
const WINDOW: usize = 2;

/// Creates the worker of a thread.
type Make<W> = Arc<dyn Fn() -> W + Send + Sync>;

/// Passes outputs to the consumer, in order.
struct Deliver<C> {
    consumer: C,
    shared: Arc<Shared>,
}

impl<C> Deliver<C> {
    /// Delivers the faults before a job. Returns whether to continue.
    fn before<O: Default>(&mut self, job: &mut Job) -> bool
    where
        C: FnMut(&mut Delivery<'_, O>) -> bool,
    {
        let passed_over = std::mem::take(&mut job.passed_over);
        let mut faults = std::mem::take(&mut job.faults);
        if faults.is_empty() && passed_over == 0 {
            return true;
        }
        let mut none = O::default();
        (self.consumer)(&mut Delivery {
            output: &mut none,
            faults: &mut faults,
            passed_over,
            file: None,
        })
    }

    /// Delivers the result of a job. Returns whether to continue.
    fn parcel<O: Default>(&mut self, parcel: &mut Parcel<O>, file: Option<&FileRef>) -> bool
    where
        C: FnMut(&mut Delivery<'_, O>) -> bool,
    {
        let broken = std::mem::take(&mut parcel.broken);
        if file.is_some_and(FileRef::has_ended) {
            // An earlier job ended this file, because of unreadable bytes or a
            // panic. Drop the output of this job.
            *parcel = Parcel::default();
            return !self.shared.control.is_cancelled();
        }
        if broken && let Some(file) = file {
            file.end();
        }
        let go_on = (self.consumer)(&mut Delivery {
            output: &mut parcel.output,
            faults: &mut parcel.faults,
            passed_over: 0,
            file,
        });
        parcel.faults.clear();
        go_on && !self.shared.control.is_cancelled()
    }
}

/// Processes all jobs on this thread.
pub(super) fn alone<W, C>(
    mut hand: Hand<W>,
    make: Option<&dyn Fn() -> W>,
    mut feeder: Feeder,
    first: Option<Job>,
    consumer: C,
) where
    W: Worker,
    C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
{
    let shared = feeder.shared();
    let mut deliver = Deliver { consumer, shared };
    let mut parcel = Parcel::default();
    let mut buffer = Vec::new();
    let mut first = first;
    while let Some(mut job) = first
        .take()
        .or_else(|| feeder.next(std::mem::take(&mut buffer)))
    {
        if !deliver.before::<W::Output>(&mut job) {
            return;
        }
        loop {
            let step = hand.run(&mut job.work, &mut parcel, make);
            if !deliver.parcel(&mut parcel, job.work.file()) {
                return;
            }
            if step == Step::Done {
                break;
            }
        }
        buffer = job.work.into_buffer();
    }
}

/// Processes all jobs with the threads of the settings, or on this thread if
/// there is only one job.
pub(super) fn threads<W, C>(
    make: Make<W>,
    shared: &Arc<Shared>,
    mut feeder: Feeder,
    consumer: C,
) -> io::Result<()>
where
    W: Worker + Send + 'static,
    C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
{
    let hand = |make: &Make<W>| Hand::new(make(), shared);
    if shared.settings.threads == 1 {
        alone(hand(&make), Some(&*make), feeder, None, consumer);
        return Ok(());
    }
    // A single job is not worth a thread pool.
    let first = feeder.next(Vec::new());
    let second = match &first {
        Some(job) if !job.urgent => feeder.next(Vec::new()),
        _ => None,
    };
    let Some(second) = second else {
        alone(hand(&make), Some(&*make), feeder, first, consumer);
        return Ok(());
    };
    let jobs = first.into_iter().chain([second]).collect();
    together(make, shared, jobs, feeder, consumer)
}

/// A message to the consumer.
enum Message<W: Worker> {
    /// A job that is finished, or whose output is full.
    Work(Box<Done<W>>),
    /// No more jobs come. This is the number of all jobs.
    End(usize),
}

/// A job that is finished, or whose output is full.
struct Done<W: Worker> {
    ticket: Ticket<W::Output>,
    /// The strand of the job, if the job is not finished.
    rest: Option<Arc<Strand<W>>>,
}

/// A permit for a job, and buffers to reuse.
struct Permit<O> {
    buffer: Vec<u8>,
    parcel: Parcel<O>,
}

/// The state that the threads share.
struct Crew<W> {
    make: Make<W>,
    shared: Arc<Shared>,
    pool: ThreadPool,
    /// Workers that have no job.
    idle: Mutex<Vec<Box<Hand<W>>>>,
    /// Set when the consumer wants nothing more.
    stop: AtomicBool,
}

impl<W: Worker> Crew<W> {
    fn hand(&self) -> Box<Hand<W>> {
        let idle = lock(&self.idle).pop();
        idle.unwrap_or_else(|| Box::new(Hand::new((self.make)(), &self.shared)))
    }
}

/// Ignores poisoning: no code that can panic runs under a lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The jobs of one text. One worker at a time processes them, in order.
struct Strand<W: Worker> {
    crew: Arc<Crew<W>>,
    done: Sender<Message<W>>,
    state: Mutex<StrandState<W>>,
}

struct StrandState<W: Worker> {
    /// The worker, with the state of the text between two segments.
    hand: Option<Box<Hand<W>>>,
    queue: VecDeque<Ticket<W::Output>>,
    /// The strand is in the pool, or waits until the consumer has its output.
    busy: bool,
    /// An earlier job ended the file, because of unreadable bytes or a panic.
    /// The remaining jobs are dropped.
    broken: bool,
}

struct Ticket<O> {
    number: usize,
    job: Job,
    parcel: Parcel<O>,
}

impl<W: Worker + Send + 'static> Strand<W> {
    fn push(self: &Arc<Strand<W>>, ticket: Ticket<W::Output>) {
        let mut state = lock(&self.state);
        state.queue.push_back(ticket);
        if !state.busy {
            state.busy = true;
            self.spawn();
        }
    }

    fn spawn(self: &Arc<Strand<W>>) {
        let strand = Arc::clone(self);
        self.crew.pool.spawn(move || strand.work());
    }

    /// Continues with `ticket` after the consumer has emptied its output.
    fn resume(self: &Arc<Strand<W>>, ticket: Ticket<W::Output>) {
        lock(&self.state).queue.push_front(ticket);
        self.spawn();
    }

    /// Works until the queue is empty or an output is full.
    fn work(self: &Arc<Strand<W>>) {
        loop {
            let (mut ticket, hand, broken) = {
                let mut state = lock(&self.state);
                let Some(ticket) = state.queue.pop_front() else {
                    state.busy = false;
                    return;
                };
                (ticket, state.hand.take(), state.broken)
            };
            let mut hand = hand.unwrap_or_else(|| self.crew.hand());
            let stop = broken || self.crew.stop.load(Ordering::Relaxed);
            let step = if stop {
                Step::Done
            } else {
                let make = || (self.crew.make)();
                hand.run(&mut ticket.job.work, &mut ticket.parcel, Some(&make))
            };
            let full = step == Step::Full;
            let last = !full && ticket.job.work.is_last();
            if last {
                hand.reset();
                lock(&self.crew.idle).push(hand);
            } else {
                let mut state = lock(&self.state);
                state.hand = Some(hand);
                state.broken |= ticket.parcel.broken;
            }
            let rest = full.then(|| Arc::clone(self));
            // OK to ignore: sending fails only after the consumer has stopped.
            let _ = self
                .done
                .send(Message::Work(Box::new(Done { ticket, rest })));
            if full {
                return;
            }
        }
    }
}

/// Processes the jobs with a pool of threads.
fn together<W, C>(
    make: Make<W>,
    shared: &Arc<Shared>,
    jobs: Vec<Job>,
    feeder: Feeder,
    consumer: C,
) -> io::Result<()>
where
    W: Worker + Send + 'static,
    C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
{
    let threads = shared.settings.threads;
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(io::Error::other)?;
    let crew = Arc::new(Crew {
        make,
        shared: Arc::clone(shared),
        pool,
        idle: Mutex::default(),
        stop: AtomicBool::new(false),
    });
    let (done, messages) = channel();
    let (give, permits) = channel();
    for _ in 0..WINDOW * threads {
        let _ = give.send(Permit {
            buffer: Vec::new(),
            parcel: Parcel::default(),
        });
    }
    let reader = Reader {
        crew: Arc::clone(&crew),
        done,
        strand: None,
    };
    // The thread is not joined. It may block forever on an idle pipe after the
    // consumer has stopped.
    thread::Builder::new()
        .name("reader".into())
        .spawn(move || reader.read(jobs, feeder, &permits))?;
    let shared = Arc::clone(shared);
    let mut deliver = Deliver { consumer, shared };
    deliver_in_order(&messages, &give, &mut deliver);
    crew.stop.store(true, Ordering::Relaxed);
    Ok(())
}

/// Finds the work and hands it out.
struct Reader<W: Worker> {
    crew: Arc<Crew<W>>,
    done: Sender<Message<W>>,
    /// The strand of the text that the next job continues.
    strand: Option<Arc<Strand<W>>>,
}

impl<W: Worker + Send + 'static> Reader<W> {
    fn read(mut self, jobs: Vec<Job>, mut feeder: Feeder, permits: &Receiver<Permit<W::Output>>) {
        let mut jobs = jobs.into_iter();
        let mut number = 0;
        while let Ok(Permit { buffer, parcel }) = permits.recv() {
            if self.crew.stop.load(Ordering::Relaxed) {
                break;
            }
            let Some(job) = jobs.next().or_else(|| feeder.next(buffer)) else {
                break;
            };
            self.hand_out(Ticket {
                number,
                job,
                parcel,
            });
            number += 1;
        }
        let _ = self.done.send(Message::End(number));
    }

    fn hand_out(&mut self, ticket: Ticket<W::Output>) {
        let last = ticket.job.work.is_last();
        let strand = self.strand.take().unwrap_or_else(|| {
            let state = StrandState {
                hand: None,
                queue: VecDeque::new(),
                busy: false,
                broken: false,
            };
            Arc::new(Strand {
                crew: Arc::clone(&self.crew),
                done: self.done.clone(),
                state: Mutex::new(state),
            })
        });
        strand.push(ticket);
        if !last {
            self.strand = Some(strand);
        }
    }
}

/// Delivers outputs in order, until all are delivered or the consumer stops.
fn deliver_in_order<W, C>(
    messages: &Receiver<Message<W>>,
    give: &Sender<Permit<W::Output>>,
    deliver: &mut Deliver<C>,
) where
    W: Worker + Send + 'static,
    C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
{
    // Outputs that came before their turn. The first slot is for the next job.
    let mut early: VecDeque<Option<Box<Done<W>>>> = VecDeque::new();
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
                // All senders are gone, so a thread died outside a worker.
                let mut parcel = Parcel::default();
                parcel.faults.push(Fault::panic(None, &"a thread has died"));
                deliver.parcel::<W::Output>(&mut parcel, None);
                return;
            }
        }
        while let Some(slot) = early.front_mut() {
            let Some(done) = slot.take() else {
                break;
            };
            let Done { mut ticket, rest } = *done;
            let Ticket { job, parcel, .. } = &mut ticket;
            if !deliver.before::<W::Output>(job) || !deliver.parcel(parcel, job.work.file()) {
                return;
            }
            if let Some(strand) = rest {
                strand.resume(ticket);
                break;
            }
            let _ = give.send(Permit {
                buffer: ticket.job.work.into_buffer(),
                parcel: ticket.parcel,
            });
            early.pop_front();
            next += 1;
        }
    }
}

impl Work {
    /// True if this work ends its text.
    fn is_last(&self) -> bool {
        match self {
            Work::Segment(loaded) => loaded.segment.last,
            Work::Range(range) => range.rdr.is_last(),
            Work::Batch(_) | Work::Nothing => true,
        }
    }

    /// The file that this work is a part of. `None` for whole files.
    fn file(&self) -> Option<&FileRef> {
        match self {
            Work::Segment(loaded) => Some(&loaded.file),
            Work::Range(range) => Some(&range.file),
            Work::Batch(_) | Work::Nothing => None,
        }
    }

    fn into_buffer(self) -> Vec<u8> {
        match self {
            Work::Segment(loaded) => loaded.buffer,
            Work::Batch(batch) => batch.buffer,
            Work::Range(_) | Work::Nothing => Vec::new(),
        }
    }
}
