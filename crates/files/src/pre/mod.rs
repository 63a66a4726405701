//! Runs programs that convert files and attachments, such as `pdftotext - -`. See
//! [`EngineBuilder::convert`](crate::engine::EngineBuilder::convert).
//!
//! A program reads the file on its standard input, and its standard output is
//! searched. No shell is involved, and nothing of the input becomes an argument,
//! so neither a file nor its name can run anything.

mod group;

use std::env;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobMatcher};
use tempfile::NamedTempFile;

use crate::engine::{Control, Convert, Converted};

use group::{Program, Running};

/// The longest pause between two looks at a running program.
const PAUSE: Duration = Duration::from_millis(10);

/// The first bytes of standard error, in which the message of a program is looked for.
const MESSAGE: u64 = 4096;

/// Programs, and the files and attachments that each of them converts.
#[derive(Clone, Debug)]
pub struct Programs {
    rules: Vec<Rule>,
    time: Duration,
    most: u64,
    running: Running,
}

#[derive(Clone, Debug)]
struct Rule {
    /// `None` is every file.
    glob: Option<GlobMatcher>,
    program: String,
    args: Vec<String>,
}

impl Default for Programs {
    /// No programs. Each run may take 60 seconds and write 1 GiB.
    fn default() -> Programs {
        Programs {
            rules: Vec::new(),
            time: Duration::from_secs(60),
            most: 1 << 30,
            running: Running::default(),
        }
    }
}

impl Programs {
    /// Adds a program: `GLOB=COMMAND`, or `COMMAND` for all files. Blanks separate the
    /// arguments of a command, and nothing can quote them. A glob matches the end of a
    /// path, so `*.pdf` matches names. For an attachment it may match the type instead,
    /// such as `application/pdf`. A command for all files converts no attachment.
    ///
    /// If several programs are for a file, the first one converts it.
    ///
    /// # Errors
    ///
    /// If the command is empty or a glob is malformed.
    pub fn add(&mut self, rule: &str) -> io::Result<()> {
        let own = rule.split_once('=');
        let own = own.filter(|(glob, _)| !glob.is_empty() && !glob.contains(char::is_whitespace));
        let no_command = || io::Error::other("a command is missing, as in '*.pdf=pdftotext - -'");
        let (glob, command) = match own {
            Some((glob, command)) => (Some(matcher(glob)?), command),
            None if rule.starts_with('*') => return Err(no_command()),
            None => (None, rule),
        };
        let mut words = command.split_whitespace().map(str::to_owned);
        self.rules.push(Rule {
            glob,
            program: words.next().ok_or_else(no_command)?,
            args: words.collect(),
        });
        Ok(())
    }

    /// The programs that cannot be started, because no file has their name: the name is a path, or
    /// is looked for in `PATH`. Empty elsewhere than on Unix, where names have other rules.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        let is_missing = |program: &&str| {
            let folders = env::var_os("PATH").filter(|_| cfg!(unix));
            folders.is_some_and(|folders| {
                // A path stays as it is, because `join` of an absolute path is that path.
                let mut files = env::split_paths(&folders).map(|folder| folder.join(program));
                if program.contains('/') {
                    !Path::new(program).exists()
                } else {
                    !files.any(|file| file.is_file())
                }
            })
        };
        let programs = self.rules.iter().map(|rule| rule.program.as_str());
        programs.filter(is_missing)
    }

    /// The time after which a program is ended.
    #[must_use]
    pub fn time(mut self, most: Duration) -> Programs {
        self.time = most;
        self
    }

    /// The number of bytes after which a program is ended. On Linux no other file that it
    /// writes can be larger than that.
    #[must_use]
    pub fn output(mut self, most: u64) -> Programs {
        self.most = most;
        self
    }

    /// Ends the programs that run, these and those of clones, when a signal ends the process:
    /// SIGHUP, SIGINT, SIGQUIT and SIGTERM. The process then dies of the signal, as without this
    /// call. It is for commands, because it changes what the signals do to the whole process. A
    /// signal that the process ignores stays ignored.
    ///
    /// Without it, the programs run to their end or their limit. They are in process groups of
    /// their own, so a Ctrl-C of the terminal does not reach them. Elsewhere than on Unix, this
    /// does nothing.
    ///
    /// # Errors
    ///
    /// If the handlers cannot be installed.
    pub fn end_on_signals(&self) -> io::Result<()> {
        self.running.end_on_signals()
    }

    fn rule(&self, path: &Path, content_type: Option<&str>) -> Option<&Rule> {
        let is_meant = |rule: &&Rule| match &rule.glob {
            None => content_type.is_none(),
            Some(glob) => glob.is_match(path) || content_type.is_some_and(|one| glob.is_match(one)),
        };
        self.rules.iter().find(is_meant)
    }
}

impl Convert for Programs {
    fn wants(&self, path: &Path, content_type: Option<&str>) -> bool {
        self.rule(path, content_type).is_some()
    }

    /// Output and messages go to unnamed files, so a program never waits for urlgrep. When the
    /// program has ended, its output is read up to the length that it has then, and the
    /// processes that it leaves behind are ended.
    fn convert(
        &self,
        path: &Path,
        content_type: Option<&str>,
        input: File,
        control: &Control,
    ) -> io::Result<Converted> {
        let rule = self.rule(path, content_type);
        let rule = rule.ok_or(io::ErrorKind::InvalidInput)?;
        let failed = |kind: io::ErrorKind, what: &dyn fmt::Display| {
            io::Error::new(kind, format!("{}: {what}", rule.program))
        };
        let (output, to_output) = unnamed_file()?;
        let (messages, to_messages) = unnamed_file()?;
        let mut command = Command::new(&rule.program);
        command
            .args(&rule.args)
            .env("URLGREP_PATH", path)
            .stdin(input)
            .stdout(to_output)
            .stderr(to_messages);
        let mut program = Program::start(&mut command, self.most, &self.running)
            .map_err(|e| failed(e.kind(), &e))?;
        let written = || Ok(output.metadata()?.len() + messages.metadata()?.len());
        let ending = self.watch(&mut program, written, control)?;
        let len = output.metadata()?.len().min(self.most);
        let status = program.end()?;
        let fault = match ending {
            Ending::Cancelled => Some(io::ErrorKind::Interrupted.into()),
            Ending::Time => {
                let seconds = self.time.as_secs_f32();
                let unit = if seconds == 1.0 { "second" } else { "seconds" };
                let text = format!("ended after {seconds} {unit}");
                Some(failed(io::ErrorKind::TimedOut, &text))
            }
            Ending::Output => {
                let text = format!("ended after {} bytes of output", self.most);
                Some(failed(io::ErrorKind::FileTooLarge, &text))
            }
            Ending::Own if status.success() => None,
            Ending::Own if group::is_too_large(status) => {
                let text = format!("ended, because it wrote a file of {} bytes", self.most);
                Some(failed(io::ErrorKind::FileTooLarge, &text))
            }
            Ending::Own => Some(match message(&messages) {
                Some(line) => failed(io::ErrorKind::Other, &line),
                None => failed(io::ErrorKind::Other, &status),
            }),
        };
        Ok(Converted { output, len, fault })
    }
}

/// The reason why a program is not waited for any longer.
enum Ending {
    /// It has ended by itself.
    Own,
    /// It has written too much.
    Output,
    /// It has run for too long.
    Time,
    /// The run is cancelled.
    Cancelled,
}

impl Programs {
    /// Waits until the program has ended, or must be ended.
    fn watch(
        &self,
        program: &mut Program<'_>,
        written: impl Fn() -> io::Result<u64>,
        control: &Control,
    ) -> io::Result<Ending> {
        let start = Instant::now();
        let mut pause = PAUSE / 64;
        loop {
            // First, so that what it writes at its end is counted.
            let has_ended = program.has_ended()?;
            if written()? > self.most {
                return Ok(Ending::Output);
            }
            if has_ended {
                return Ok(Ending::Own);
            }
            if start.elapsed() >= self.time {
                return Ok(Ending::Time);
            }
            if control.is_cancelled() {
                return Ok(Ending::Cancelled);
            }
            thread::sleep(pause);
            pause = (2 * pause).min(PAUSE);
        }
    }
}

/// A temporary file without a name, to read and to write. It is opened twice, because two
/// handles of one opening share their position: a process that still writes would move the
/// position of the reader, and be moved by it.
fn unnamed_file() -> io::Result<(File, File)> {
    let (writer, name) = NamedTempFile::new()?.into_parts();
    let reader = File::open(&name)?;
    name.close()?;
    Ok((reader, writer))
}

/// The matcher of a glob for the end of a path.
fn matcher(glob: &str) -> io::Result<GlobMatcher> {
    let anywhere = format!("**/{}", glob.trim_start_matches('/'));
    let mut builder = GlobBuilder::new(&anywhere);
    let glob = builder.literal_separator(true).build();
    Ok(glob.map_err(io::Error::other)?.compile_matcher())
}

/// The first line of the messages of a program that is not empty.
fn message(messages: &File) -> Option<String> {
    let lines = BufReader::new(messages.take(MESSAGE)).split(b'\n');
    let mut lines = lines.map_while(Result::ok);
    let line = lines.find(|line| !line.trim_ascii().is_empty())?;
    Some(String::from_utf8_lossy(line.trim_ascii()).into_owned())
}
