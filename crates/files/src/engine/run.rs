//! Connects the reader, the workers and the consumer.
//!
//! # How to think about this
//!
//! Workers finish their jobs in any order, but their outputs must be delivered in
//! the order of the input. So the reader gives each job a place in a queue, the
//! `line`. A worker takes the next job, and puts its outputs on the place of this
//! job. The consumer takes everything from the first place until that job is
//! finished, and then goes on to the next place.
//!
//! ```text
//! reader --job--> workers --outputs--> places in line --oldest--> consumer
//!    |                                       ^
//!    +------------ a place per job ----------+    at most WINDOW * threads places
//! ```
//!
//! A job is a batch of small files or members, a range of a large file, or a
//! segment of a stream. Workers open and read small files, unpack small archives,
//! and read the ranges of large files, which the reader only plans (see `plan`).
//! The reader itself reads streams, unpacks archives that are larger than a segment,
//! and reads large files that cannot be planned, such as UTF-16 (see `feed`).
//!
//! A place is a channel with room for two outputs. If a worker has a third
//! output, it waits until the consumer comes to its place. So two limits bound the
//! memory: the length of the line, which stops the reader, and the room at a
//! place, which stops a worker. The channels to the workers have no limit; only at
//! the line does the reader wait for the consumer. A worker whose output grows
//! must send it in parts.
//!
//! With one thread, or only one job, there is no line: the thread of the caller
//! runs the worker, which calls the consumer directly (`alone`). That is also so
//! if the first job is urgent, which means a pipe that may block. Its hits must
//! reach the consumer at once, so the whole run, with the files after the pipe,
//! stays on the caller's thread. A pipe after other files has a place like any
//! job.
//!
//! **The invariant: the oldest unfinished job can always be delivered.** Two rules
//! keep it: the place of a job goes into the line before the job goes to the
//! workers, and every worker takes the oldest job that is left. The oldest
//! unfinished job is then in one of three states. A worker has it; this worker
//! never waits for long, because its place is the one that the consumer empties.
//! Or no worker has taken it yet; then all older jobs are finished, so a worker is
//! free. Or the reader has not made it yet; then the line is empty, so the
//! reader has room. The invariant would break if jobs were taken out of order, or
//! if a worker had to wait for another worker.
//!
//! **The trap: jobs that continue a text.** The segments of one text must all go
//! to the worker that has the first one. So the job of the first segment brings a
//! channel for the others, and its worker stays with the text until the reader
//! closes that channel. This worker holds up no other job, because the reader
//! begins nothing else before it has closed the text. A stream of many messages is
//! many texts, which different workers may take. A range of a file is usually a
//! text of its own. Only where `plan` finds no place for a cut, as in one long
//! message or page, does a range continue the text of the range before it.
//!
//! **Stopping.** If the consumer returns false, the line is dropped. The next send
//! of the reader or of a worker then fails, and the jobs that are left are skipped.
//! A panic in a job becomes a fault of its file, and ends the file, as a read error
//! does: later jobs of the same text do nothing, and the output of other later jobs
//! of the file is dropped (`Deliver::parcel`). Their places stay in the line. No
//! thread of the pool is joined. The reader is joined only if the consumer went to
//! the end of the line: after an early stop, it may be in a read that never
//! returns.
//!
//! **What we had before.** Jobs were tasks of a thread pool, and a task of a
//! pool must not wait. So the workers of the command and of the Python package had
//! to be able to stop at a full output and to continue later. A message cannot be
//! left in the middle of its search, so its output went to a temporary file
//! instead. All that was 800 lines longer, and half as fast with small jobs. The
//! pool has remained, but only to start the threads.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use rayon::ThreadPoolBuilder;

use super::feed::{Feeder, FileRef, Job, Work};
use super::work::Hand;
use super::worker::{Outbox, Parcel, Worker};
use super::{Delivery, Fault, Shared};
use urlgrep_unpack::lock;

/// Jobs per thread: one that is processed, and three that are ready or finished.
/// Some ranges take several times as long as others of the same length, and a
/// line that is full of finished jobs stops all workers but one. With two jobs
/// per thread and one output at a place, `--json -j2` was 1.35 to 1.55 times as
/// fast as `-j1`, and is 1.8 times with these.
const WINDOW: usize = 4;
/// Outputs that a place has room for.
const ROOM: usize = 2;

/// Creates the worker of a thread.
type Make<W> = Arc<dyn Fn() -> W + Send + Sync>;

/// Passes outputs to the consumer, in order.
struct Deliver<C> {
    consumer: C,
    shared: Arc<Shared>,
}

impl<C> Deliver<C> {
    /// Delivers the faults before a job. Returns whether to continue.
    fn before<O: Default>(&mut self, mut faults: Vec<Fault>, passed_over: u64) -> bool
    where
        C: FnMut(&mut Delivery<'_, O>) -> bool,
    {
        if faults.is_empty() && passed_over == 0 {
            return true;
        }
        (self.consumer)(&mut Delivery {
            output: &mut O::default(),
            faults: &mut faults,
            passed_over,
            file: None,
        })
    }

    /// Delivers an output of a job. Returns whether to continue.
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
    mut hand: Hand<'_, W>,
    mut feeder: Feeder,
    mut first: Option<Job>,
    consumer: C,
) where
    W: Worker,
    C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
{
    let shared = feeder.shared();
    let mut deliver = Deliver { consumer, shared };
    let mut parcel = Parcel::default();
    while let Some(job) = first.take().or_else(|| feeder.next()) {
        let mut work = job.work;
        if !deliver.before::<W::Output>(job.faults, job.passed_over) {
            return;
        }
        let file = work.file().cloned();
        // The worker calls the consumer. A panic of the consumer is none of the
        // worker's, so it is carried around the worker.
        let mut panic = None;
        let mut give = |parcel: &mut Parcel<W::Output>| {
            let call = AssertUnwindSafe(|| deliver.parcel(parcel, file.as_deref()));
            catch_unwind(call).unwrap_or_else(|payload| {
                panic = Some(payload);
                false
            })
        };
        let mut out = Outbox::new(parcel, &mut give);
        hand.run(&mut work, &mut out);
        let go_on = out.send();
        parcel = out.parcel;
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
        if !go_on {
            return;
        }
        if let Work::Segment(loaded) = work {
            feeder.buffer = loaded.buffer;
        }
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
    let hand = || Hand::new(make(), Some(&*make), shared);
    if shared.settings.threads == 1 {
        alone(hand(), feeder, None, consumer);
        return Ok(());
    }
    // A single job is not worth other threads.
    let first = feeder.next();
    let second = match &first {
        Some(job) if !job.urgent => feeder.next(),
        _ => None,
    };
    let Some(second) = second else {
        alone(hand(), feeder, first, consumer);
        return Ok(());
    };
    let jobs = first.into_iter().chain([second]).collect();
    together(make, shared, jobs, feeder, consumer)
}

/// A job for a worker.
struct Ticket<O> {
    work: Work,
    /// The place of the job in the line.
    place: SyncSender<Parcel<O>>,
    /// The jobs that continue its text.
    rest: Option<Receiver<Ticket<O>>>,
}

/// The place of a job in the line, and what is delivered before its outputs.
struct JobPlace<O> {
    faults: Vec<Fault>,
    passed_over: u64,
    file: Option<Arc<FileRef>>,
    outputs: Receiver<Parcel<O>>,
}

/// The state that the threads share.
struct Crew<W: Worker> {
    make: Make<W>,
    shared: Arc<Shared>,
    jobs: Mutex<Receiver<Ticket<W::Output>>>,
    /// Outputs and buffers to reuse.
    parcels: Mutex<Vec<Parcel<W::Output>>>,
    buffers: Mutex<Vec<Vec<u8>>>,
    /// Set when the consumer wants nothing more.
    stop: AtomicBool,
}

impl<W: Worker> Crew<W> {
    /// Finds the jobs, and hands them out, until there are none or the consumer
    /// wants nothing more.
    fn read(
        &self,
        jobs: Vec<Job>,
        mut feeder: Feeder,
        line: &SyncSender<JobPlace<W::Output>>,
        workers: &Sender<Ticket<W::Output>>,
    ) {
        // The worker that has the text that the next job continues.
        let mut same: Option<Sender<Ticket<W::Output>>> = None;
        let mut jobs = jobs.into_iter();
        while let Some(job) = jobs.next().or_else(|| feeder.next()) {
            let (place, outputs) = sync_channel(ROOM);
            let is_last = job.work.is_last();
            let sent = line.send(JobPlace {
                faults: job.faults,
                passed_over: job.passed_over,
                file: job.work.file().cloned(),
                outputs,
            });
            if sent.is_err() {
                return;
            }
            let mut ticket = Ticket {
                work: job.work,
                place,
                rest: None,
            };
            // OK to ignore: sending fails only if a worker has ended, and then
            // the consumer has stopped.
            let _ = match &same {
                Some(worker) => worker.send(ticket),
                None if is_last => workers.send(ticket),
                None => {
                    let (worker, rest) = channel();
                    same = Some(worker);
                    ticket.rest = Some(rest);
                    workers.send(ticket)
                }
            };
            if is_last {
                same = None;
            }
            if feeder.buffer.capacity() == 0 {
                feeder.buffer = lock(&self.buffers).pop().unwrap_or_default();
            }
        }
    }

    /// Takes jobs, until there are none or the consumer wants nothing more.
    fn work(&self) {
        let make = || (self.make)();
        let mut hand = None;
        loop {
            // Another worker may hold the lock while it waits for the next job.
            let job = lock(&self.jobs).recv();
            let Ok(mut ticket) = job else {
                return;
            };
            let hand = hand.get_or_insert_with(|| Hand::new(make(), Some(&make), &self.shared));
            let rest = ticket.rest.take();
            let mut ended = self.process(hand, ticket);
            for mut ticket in rest.into_iter().flatten() {
                if ended {
                    ticket.work = Work::Nothing;
                }
                ended |= self.process(hand, ticket);
            }
        }
    }

    /// Processes a job, and delivers its outputs to its place. Returns true if
    /// the rest of its text is dropped, because of unreadable bytes or a panic.
    fn process(&self, hand: &mut Hand<'_, W>, ticket: Ticket<W::Output>) -> bool {
        let Ticket {
            mut work, place, ..
        } = ticket;
        let spare = || lock(&self.parcels).pop().unwrap_or_default();
        let mut give = |parcel: &mut Parcel<W::Output>| {
            // Fails only after the consumer has stopped.
            place.send(std::mem::replace(parcel, spare())).is_ok()
        };
        let mut out = Outbox::new(spare(), &mut give);
        if !self.stop.load(Ordering::Relaxed) {
            hand.run(&mut work, &mut out);
        }
        let ended = out.parcel.broken;
        out.send();
        lock(&self.parcels).push(out.parcel);
        if let Work::Segment(loaded) = work {
            lock(&self.buffers).push(loaded.buffer);
        }
        ended
    }
}

/// Processes the jobs with a pool of threads. `jobs` come before those of
/// `feeder`.
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
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let (give, jobs_of_workers) = channel();
    let crew = Arc::new(Crew {
        make,
        shared: Arc::clone(shared),
        jobs: Mutex::new(jobs_of_workers),
        parcels: Mutex::default(),
        buffers: Mutex::default(),
        stop: AtomicBool::new(false),
    });
    let workers = Arc::clone(&crew);
    pool.map_err(io::Error::other)?
        .spawn_broadcast(move |_| workers.work());
    // Two more jobs are in flight: the consumer has taken one from the line, and
    // the reader has one for which there is no room yet.
    let (line, places) = sync_channel(WINDOW * threads - 2);
    let reader = Arc::clone(&crew);
    // The thread is not joined if the consumer stops. It may block forever on an
    // idle pipe.
    let reader = thread::Builder::new()
        .name("reader".into())
        .spawn(move || reader.read(jobs, feeder, &line, &give))?;
    let shared = Arc::clone(shared);
    let mut deliver = Deliver { consumer, shared };
    if deliver_in_order(&places, &crew, &mut deliver) && reader.join().is_err() {
        let fault = Fault::panic(None, &"the reader has died");
        deliver.before::<W::Output>(vec![fault], 0);
    }
    crew.stop.store(true, Ordering::Relaxed);
    Ok(())
}

/// Delivers the outputs of all places. Returns false if the consumer stops.
fn deliver_in_order<W, C>(
    places: &Receiver<JobPlace<W::Output>>,
    crew: &Crew<W>,
    deliver: &mut Deliver<C>,
) -> bool
where
    W: Worker,
    C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
{
    places.iter().all(|place| {
        deliver.before::<W::Output>(place.faults, place.passed_over)
            && place.outputs.iter().all(|mut parcel| {
                let go_on = deliver.parcel(&mut parcel, place.file.as_deref());
                lock(&crew.parcels).push(parcel);
                go_on
            })
    })
}

impl Work {
    /// True if this work ends its text.
    fn is_last(&self) -> bool {
        match self {
            Work::Segment(loaded) => loaded.segment.last,
            Work::Range(_, rdr) => rdr.is_last(),
            Work::Batch(_) | Work::Nothing => true,
        }
    }

    /// The file that this work is a part of. `None` for whole files.
    fn file(&self) -> Option<&Arc<FileRef>> {
        match self {
            Work::Segment(loaded) => Some(&loaded.file),
            Work::Range(file, _) => Some(file),
            Work::Batch(_) | Work::Nothing => None,
        }
    }
}
