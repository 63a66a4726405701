//! The common functions of the tests of the command.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A new folder, which is removed at the end of the test.
pub struct Dir(PathBuf);

impl Dir {
    pub fn new() -> Dir {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("cli-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    /// A folder with one file.
    pub fn with(name: &str, bytes: impl AsRef<[u8]>) -> Dir {
        let dir = Dir::new();
        dir.write(name, bytes);
        dir
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file and creates its folders.
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// The command in this folder, with empty standard input.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_urlgrep"));
        command.current_dir(&self.0).stdin(Stdio::null());
        command.env_remove("NO_COLOR");
        command.env_remove("URLGREP_CONFIG_PATH");
        command
    }

    /// Runs a shell line in which `$U` is the command.
    pub fn shell(&self, line: &str) -> Out {
        let mut command = Command::new("sh");
        command
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .args(["-c", line]);
        command.env("U", env!("CARGO_BIN_EXE_urlgrep"));
        run(&mut command, None)
    }

    pub fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Out {
        run(self.command().args(args), None)
    }

    /// Runs the command with these bytes on standard input.
    pub fn pipe<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>, input: &[u8]) -> Out {
        run(self.command().args(args), Some(input))
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    pub code: Option<i32>,
    pub bytes: Vec<u8>,
    pub errors: String,
}

impl Out {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Checks that exactly this was printed, with an empty standard error and
    /// status 0.
    #[track_caller]
    pub fn is(&self, expected: &str) {
        self.ends(0, expected, "");
    }

    /// Checks that nothing was printed, not even an error, with status 1.
    #[track_caller]
    pub fn is_none(&self) {
        self.ends(1, "", "");
    }

    /// Checks the status, the output, and that standard error contains this text.
    /// If the text is empty, standard error must be empty.
    #[track_caller]
    pub fn ends(&self, code: i32, expected: &str, error: &str) {
        let right = self.code == Some(code)
            && self.text() == expected
            && self.errors.contains(error)
            && (!error.is_empty() || self.errors.is_empty());
        assert!(
            right,
            "expected status {code}, error {error:?}, output\n{expected}\ngot {:?}\n{}\n{}",
            self.code,
            self.text(),
            self.errors
        );
    }

    /// Checks that nothing was printed, that standard error contains this text, and
    /// that the status is 2. If the text is empty, standard error must be empty.
    #[track_caller]
    pub fn fails(&self, error: &str) {
        self.ends(2, "", error);
    }
}

pub fn run(command: &mut Command, input: Option<&[u8]>) -> Out {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let feed = input.map(|input| {
        let mut pipe = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A thread writes the input, so that neither side blocks the other. The
        // command may exit before it has read everything.
        std::thread::spawn(move || {
            let _ = pipe.write_all(&input);
        })
    });
    let out = child.wait_with_output().unwrap();
    if let Some(feed) = feed {
        feed.join().unwrap();
    }
    Out {
        code: out.status.code(),
        bytes: out.stdout,
        errors: String::from_utf8_lossy(&out.stderr).into_owned(),
    }
}

/// A text of three lines with four URLs.
pub const TEXT: &str = "see http://a.example/1 and\n<URL:ftp://b.example/2>, or\n  mailto:joe@c.example http://a.example/1\n";

/// Bytes that control a terminal, or that separate lines and fields.
#[cfg(unix)]
pub const HOSTILE: &[u8] =
    b"\x1b[31m\x1b]8;;http://evil.example/\x07\r\x08\t\x7f\x0b\x0c\xff\xc2\x9b\
    \xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\xef\xbb\xbf\xe2\x80\xa8\\x0A:1:";

/// A file with these bytes in its name, header fields and URLs. The name has no
/// `/`, and the fields have no CR. The name also contains a line feed and a line
/// that looks like a hit in another file.
#[cfg(unix)]
pub fn hostile() -> Dir {
    use std::os::unix::ffi::OsStrExt;

    let dir = Dir::new();
    let mut text =
        b"From: joe\x1b[1m <a@b.example>\nMessage-ID: <1\x1b[2m@b.example>\nSubject: a ".to_vec();
    text.extend(HOSTILE.iter().filter(|&&b| b != b'\r'));
    text.extend_from_slice(b"\nX-Link: http://a.example/x");
    text.extend(HOSTILE.iter().filter(|&&b| b != b'\r'));
    text.extend_from_slice(b"\n\nhttp://a.example/1 <URL:http://b");
    text.extend_from_slice(HOSTILE);
    text.extend_from_slice(b"/2> \"http://c");
    text.extend_from_slice(HOSTILE);
    text.extend_from_slice(b"\" http://d.example/3\n");
    let name = [b"a\nb:7:http://forged.example/\n", HOSTILE].concat();
    let name: Vec<u8> = name.into_iter().filter(|&b| b != b'/').collect();
    dir.write(OsStr::from_bytes(&name), &text);
    dir
}
