//! Folders: every file below one, in order, with what is passed over and why.
//!
//! A folder is read to its end before its first file is handed out, so that
//! one folder at a time is open, whatever the depth. Memory is the names of
//! the folders between the root and the place the walk is at.

use std::ffi::OsString;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{Candidate, Glob, GlobBuilder, GlobMatcher};

use super::super::config::ConfigError;
use super::Fault;

/// How folders are walked.
#[derive(Debug, Default)]
pub struct WalkOptions {
    /// Symbolic links are followed.
    pub follow: bool,
    /// How deep to go; 1 is the files of the folder itself.
    pub max_depth: Option<usize>,
    /// In byte order of names.
    pub sort: bool,
    pub globs: Globs,
}

/// The patterns of `--glob`: the last one that matches decides.
#[derive(Debug, Default)]
pub struct Globs {
    rules: Vec<GlobRule>,
    /// Some pattern says what to search, so that what none matches is not.
    has_wanted: bool,
}

#[derive(Debug)]
struct GlobRule {
    wanted: bool,
    /// Matched against the path below the root, not against the name.
    whole: bool,
    matcher: GlobMatcher,
}

impl Globs {
    /// Compiles the patterns.
    ///
    /// # Errors
    ///
    /// A pattern that is not well formed.
    pub fn new(typed: &[String]) -> Result<Globs, ConfigError> {
        let mut globs = Globs::default();
        for text in typed {
            let (pattern, wanted) = match text.strip_prefix('!') {
                Some(rest) => (rest, false),
                None => (text.as_str(), true),
            };
            // `mail/` means the folder, as in the ignore files this syntax
            // comes from; nothing else can hold the paths below it.
            let pattern = pattern.trim_end_matches('/');
            let whole = pattern.contains('/');
            let glob: Glob = GlobBuilder::new(pattern.trim_start_matches('/'))
                .literal_separator(true)
                .build()
                .map_err(|e| ConfigError::new(format!("--glob {text:?}: {e}")))?;
            globs.has_wanted |= wanted;
            globs.rules.push(GlobRule {
                wanted,
                whole,
                matcher: glob.compile_matcher(),
            });
        }
        Ok(globs)
    }

    /// True if the file with this name, at this path below the root, is to be
    /// searched; for a folder, if it is to be entered.
    fn accept(&self, name: &[u8], below: &[u8], is_folder: bool) -> bool {
        let (name, below) = (Candidate::from_bytes(name), Candidate::from_bytes(below));
        for rule in self.rules.iter().rev() {
            let candidate = if rule.whole { &below } else { &name };
            if rule.matcher.is_match_candidate(candidate) {
                return rule.wanted;
            }
        }
        is_folder || !self.has_wanted
    }
}

/// What a walk comes upon.
#[derive(Debug)]
pub enum Found {
    /// A regular file of this many bytes.
    File(PathBuf, u64),
    /// Something that is passed over: a device, a FIFO, a socket, a link that
    /// is not followed, a file that the system makes up, the output itself.
    Special,
    /// What could not be read.
    Fault(Fault),
}

/// The files below a folder. An iterator.
#[derive(Debug)]
pub struct Walk {
    options: Arc<WalkOptions>,
    /// What is not to be read: the file that the output goes to.
    output: Option<(u64, u64)>,
    /// The folders that are being walked, outermost first.
    stack: Vec<Folder>,
    /// How many bytes of a path are the root and its slash.
    root: usize,
    /// Devices that are known not to be made up by the system.
    device: Option<u64>,
    /// What was found before the first entry.
    first: Option<Found>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    id: Option<(u64, u64)>,
    entries: std::vec::IntoIter<Entry>,
}

#[derive(Debug)]
struct Entry {
    name: OsString,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    File,
    Folder,
    Link,
    Special,
    Fault(String),
}

impl Entry {
    fn new(entry: &fs::DirEntry, follow: bool) -> Entry {
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => Kind::Folder,
            Ok(kind) if kind.is_symlink() && follow => Kind::Link,
            Ok(kind) if kind.is_file() => Kind::File,
            Ok(_) => Kind::Special,
            Err(error) => Kind::Fault(super::plain(&error)),
        };
        Entry {
            name: entry.file_name(),
            kind,
        }
    }
}

impl Walk {
    /// A walk of the folder `root`, whose metadata is `meta`. With `implied`
    /// the paths are those below it.
    pub fn new(
        options: Arc<WalkOptions>,
        output: Option<(u64, u64)>,
        root: &Path,
        meta: &Metadata,
        implied: bool,
    ) -> Walk {
        let mut walk = Walk {
            options,
            output,
            stack: Vec::new(),
            root: 0,
            device: None,
            first: None,
        };
        let path = if implied {
            PathBuf::new()
        } else {
            root.to_path_buf()
        };
        let bytes = path.as_os_str().as_encoded_bytes();
        walk.root = bytes.len() + usize::from(!bytes.is_empty() && !bytes.ends_with(b"/"));
        walk.first = walk.enter(path, meta);
        walk
    }

    /// Reads a folder and puts it on the stack; returns what stood in the way.
    fn enter(&mut self, path: PathBuf, meta: &Metadata) -> Option<Found> {
        let id = file_id(meta);
        if self
            .options
            .max_depth
            .is_some_and(|max| self.stack.len() >= max)
        {
            return None;
        }
        if id.is_some() && self.stack.iter().any(|folder| folder.id == id) {
            let error = io::Error::other("this link leads back to a folder that it is in");
            return Some(Found::Fault(Fault::new(&path, &error)));
        }
        let device = id.map(|id| id.0);
        if device != self.device {
            if device.is_some_and(is_made_up) {
                return Some(Found::Special);
            }
            self.device = device;
        }
        let here = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &path
        };
        let mut entries = Vec::new();
        let listed = fs::read_dir(here).and_then(|folder| {
            for entry in folder {
                entries.push(Entry::new(&entry?, self.options.follow));
            }
            Ok(())
        });
        skip_drafts(&mut entries);
        if self.options.sort {
            entries
                .sort_unstable_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
        }
        let fault = listed
            .err()
            .map(|error| Found::Fault(Fault::new(here, &error)));
        self.stack.push(Folder {
            path,
            id,
            entries: entries.into_iter(),
        });
        fault
    }

    fn is_output(&self, meta: &Metadata) -> bool {
        self.output.is_some() && file_id(meta) == self.output
    }

    /// Takes an entry, whose path is `path`.
    fn visit(&mut self, path: PathBuf, kind: Kind) -> Option<Found> {
        match kind {
            Kind::Special => Some(Found::Special),
            Kind::Fault(text) => Some(Found::Fault(Fault {
                path: super::path_bytes(&path),
                offset: None,
                text,
            })),
            // A file's size decides who reads it. It is asked for only here: in a
            // folder of thousands the first of them are being read by then.
            Kind::File => {
                let meta = fs::symlink_metadata(&path);
                Some(self.file(path, meta))
            }
            Kind::Folder | Kind::Link => match fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => self.enter(path, &meta),
                meta => Some(self.file(path, meta)),
            },
        }
    }

    fn file(&self, path: PathBuf, meta: io::Result<Metadata>) -> Found {
        match meta {
            Ok(meta) if meta.is_file() && !self.is_output(&meta) => Found::File(path, meta.len()),
            Ok(_) => Found::Special,
            Err(error) => Found::Fault(Fault::new(&path, &error)),
        }
    }
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        if let Some(found) = self.first.take() {
            return Some(found);
        }
        loop {
            let folder = self.stack.last_mut()?;
            let Some(entry) = folder.entries.next() else {
                self.stack.pop();
                continue;
            };
            let path = folder.path.join(&entry.name);
            let globs = &self.options.globs;
            if !globs.rules.is_empty() {
                let below = &path.as_os_str().as_encoded_bytes()[self.root..];
                let is_folder = matches!(entry.kind, Kind::Folder);
                if !globs.accept(entry.name.as_encoded_bytes(), below, is_folder) {
                    continue;
                }
            }
            if let Some(found) = self.visit(path, entry.kind) {
                return Some(found);
            }
        }
    }
}

/// Device and inode, which name a file whatever its path.
pub fn file_id(meta: &Metadata) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((meta.dev(), meta.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        None
    }
}

/// True for what is neither a regular file nor a folder.
pub fn is_special(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir()
}

/// File systems whose files are made up when they are read: some never end,
/// some wait, some act.
const MADE_UP: [&str; 14] = [
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "debugfs",
    "tracefs",
    "securityfs",
    "configfs",
    "devpts",
    "mqueue",
    "bpf",
    "pstore",
    "efivarfs",
    "binfmt_misc",
];

/// True if the device holds such a file system. Linux only.
fn is_made_up(device: u64) -> bool {
    // The layout of a device number in the C library: 12 bits of the major
    // number from bit 8, its rest from bit 44, the minor number around them.
    let major = (device & 0xF_FF00) >> 8 | (device & 0xFFFF_F000_0000_0000) >> 32;
    let minor = (device & 0xFF) | (device & 0x0FFF_FFF0_0000) >> 12;
    if major != 0 {
        return false;
    }
    let Ok(mounts) = fs::read_to_string("/proc/self/mountinfo") else {
        return false;
    };
    let number = format!("{major}:{minor}");
    // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw
    mounts.lines().any(|line| {
        line.split(' ').nth(2) == Some(&number)
            && line
                .split_once(" - ")
                .is_some_and(|(_, rest)| MADE_UP.contains(&rest.split(' ').next().unwrap_or("")))
    })
}

/// Leaves out `tmp` of a maildir, the folder with `cur` and `new` beside it:
/// what is in there has not been delivered yet, or never was.
fn skip_drafts(entries: &mut Vec<Entry>) {
    let has = |name: &str| {
        entries
            .iter()
            .any(|e| e.name == name && matches!(e.kind, Kind::Folder))
    };
    if has("cur") && has("new") {
        entries.retain(|e| !(e.name == "tmp" && matches!(e.kind, Kind::Folder)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(typed: &[&str]) -> Globs {
        Globs::new(&typed.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_last_glob_that_matches_decides() {
        let g = globs(&["*.mbox", "!old*"]);
        assert!(g.accept(b"a.mbox", b"x/a.mbox", false));
        assert!(!g.accept(b"a.txt", b"x/a.txt", false));
        assert!(!g.accept(b"old.mbox", b"old.mbox", false));
        assert!(g.accept(b"sub", b"sub", true) && !g.accept(b"older", b"older", true));
    }

    #[test]
    fn a_glob_with_a_slash_matches_the_path() {
        let g = globs(&["/cur/*", "**/new/*"]);
        assert!(g.accept(b"1", b"cur/1", false) && g.accept(b"1", b"a/new/1", false));
        assert!(!g.accept(b"1", b"a/cur/1", false));
        assert!(!globs(&["!tmp/"]).accept(b"tmp", b"a/tmp", true));
    }
}
