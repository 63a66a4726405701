//! Runs programs that convert files and attachments, such as `pdftotext - -`. See
//! [`EngineBuilder::convert`](crate::engine::EngineBuilder::convert).
//!
//! A program reads the file on its standard input, and its standard output is
//! searched. No shell is involved, and nothing of the input becomes an argument,
//! so neither a file nor its name can run anything.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::engine::{Control, Convert, Converted};

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
}

#[derive(Clone, Debug)]
struct Rule {
    /// `None` is every file.
    globs: Option<GlobSet>,
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
        }
    }
}

impl Programs {
    /// Adds a program: `GLOB=COMMAND`, or `COMMAND` for the files that match one of
    /// `globs`, or for all files if there are none. Blanks separate the arguments of
    /// a command, and nothing can quote them. A glob matches the end of a path, so
    /// `*.pdf` matches names. For an attachment it may match the type instead, such as
    /// `application/pdf`. A command for all files converts no attachment.
    ///
    /// If several programs are for a file, the first one converts it.
    ///
    /// # Errors
    ///
    /// If the command is empty or a glob is malformed.
    pub fn add(&mut self, rule: &str, globs: &[String]) -> io::Result<()> {
        let own = rule.split_once('=');
        let own = own.filter(|(glob, _)| !glob.is_empty() && !glob.contains(char::is_whitespace));
        let no_command = || io::Error::other("a command is missing, as in '*.pdf=pdftotext - -'");
        let (globs, command) = match own {
            Some((glob, command)) => (&[glob.to_owned()][..], command),
            None if rule.starts_with('*') => return Err(no_command()),
            None => (globs, rule),
        };
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let anywhere = format!("**/{}", glob.trim_start_matches('/'));
            let glob = GlobBuilder::new(&anywhere).literal_separator(true).build();
            set.add(glob.map_err(io::Error::other)?);
        }
        let set = set.build().map_err(io::Error::other)?;
        let mut words = command.split_whitespace().map(str::to_owned);
        self.rules.push(Rule {
            globs: (!globs.is_empty()).then_some(set),
            program: words.next().ok_or_else(no_command)?,
            args: words.collect(),
        });
        Ok(())
    }

    /// The time after which a program is ended.
    #[must_use]
    pub fn time(mut self, most: Duration) -> Programs {
        self.time = most;
        self
    }

    /// The number of bytes after which a program is ended.
    #[must_use]
    pub fn output(mut self, most: u64) -> Programs {
        self.most = most;
        self
    }

    fn rule(&self, path: &Path, content_type: Option<&str>) -> Option<&Rule> {
        let is_meant = |rule: &&Rule| match &rule.globs {
            None => content_type.is_none(),
            Some(set) => set.is_match(path) || content_type.is_some_and(|one| set.is_match(one)),
        };
        self.rules.iter().find(is_meant)
    }
}

impl Convert for Programs {
    fn wants(&self, path: &Path, content_type: Option<&str>) -> bool {
        self.rule(path, content_type).is_some()
    }

    /// Output and messages go to unnamed files, so a program never waits for
    /// urlgrep, and a process that it leaves behind keeps nothing waiting.
    fn convert(
        &self,
        path: &Path,
        content_type: Option<&str>,
        input: File,
        control: &Control,
    ) -> io::Result<Converted> {
        let rule = self.rule(path, content_type);
        let rule = rule.ok_or(io::ErrorKind::InvalidInput)?;
        let failed = |kind: io::ErrorKind, what: &dyn std::fmt::Display| {
            io::Error::new(kind, format!("{}: {what}", rule.program))
        };
        let (mut output, mut messages) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut child = Command::new(&rule.program)
            .args(&rule.args)
            .env("URLGREP_PATH", path)
            .stdin(input)
            .stdout(output.try_clone()?)
            .stderr(messages.try_clone()?)
            .spawn()
            .map_err(|e| failed(e.kind(), &e))?;
        let (start, mut pause) = (Instant::now(), PAUSE / 64);
        let fault = loop {
            let status = child.try_wait()?;
            let written = output.metadata()?.len() + messages.metadata()?.len();
            let ended = if written > self.most {
                let text = format!("ended after {} bytes of output", self.most);
                Some(failed(io::ErrorKind::FileTooLarge, &text))
            } else if let Some(status) = status {
                let failure = (!status.success()).then(|| match message(&mut messages) {
                    Some(line) => failed(io::ErrorKind::Other, &line),
                    None => failed(io::ErrorKind::Other, &status),
                });
                break failure;
            } else if start.elapsed() >= self.time {
                let text = format!("ended after {} seconds", self.time.as_secs_f32());
                Some(failed(io::ErrorKind::TimedOut, &text))
            } else {
                control
                    .is_cancelled()
                    .then(|| io::ErrorKind::Interrupted.into())
            };
            if ended.is_some() {
                // OK to ignore: the program may have ended just now.
                let _ = child.kill();
                child.wait()?;
                break ended;
            }
            thread::sleep(pause);
            pause = (2 * pause).min(PAUSE);
        };
        output.set_len(output.metadata()?.len().min(self.most))?;
        output.rewind()?;
        Ok(Converted { output, fault })
    }
}

/// The first line of the messages of a program that is not empty.
fn message(messages: &mut File) -> Option<String> {
    messages.rewind().ok()?;
    let lines = BufReader::new(messages.take(MESSAGE)).split(b'\n');
    let mut lines = lines.map_while(Result::ok);
    let line = lines.find(|line| !line.trim_ascii().is_empty())?;
    Some(String::from_utf8_lossy(line.trim_ascii()).into_owned())
}
