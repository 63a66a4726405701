//! Folders: every file below one, in order, and what was skipped.
//!
//! A folder is read to its end before its first file is handed out, so one
//! folder at a time is open at any depth. Memory is the names of the folders
//! between the root and the current place.

use std::ffi::OsString;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fault::Fault;
use super::maildir::{self, Moved};
use crate::mail::{Container, Position};

/// How folders are walked.
#[derive(Clone, Default)]
pub(super) struct Options {
    /// Symbolic links are followed.
    pub follow: bool,
    /// The maximum depth; 1 is the files of the folder itself.
    pub max_depth: Option<usize>,
    /// In byte order of names.
    pub sort: bool,
    pub filter: Option<Filter>,
    pub choose: Option<Choose>,
    /// A file that is not to be read.
    pub output: Option<FileId>,
}

/// Decides about a regular file.
type Choose = Arc<dyn Fn(&Path, &Metadata) -> Choice + Send + Sync>;

/// The decision about a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// It is read.
    Read,
    /// It is not opened.
    Skip,
    /// It is this container, and is read from this position on: the start of a
    /// message, or a place in plain text that no URL can span. It is not
    /// unpacked.
    From(Container, Position),
}

impl Options {
    /// The decision about the regular file `path`.
    pub fn choose(&self, path: &Path, meta: &Metadata) -> Choice {
        self.choose.as_ref().map_or(Choice::Read, |f| f(path, meta))
    }
}

/// Accepts files and folders.
type Filter = Arc<dyn Fn(&Entry<'_>) -> bool + Send + Sync>;

/// A file or folder of a walk.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry<'e> {
    /// Its name.
    pub name: &'e [u8],
    /// Its path below the root.
    pub path: &'e [u8],
    /// True for a folder.
    pub is_folder: bool,
}

/// Device and inode, which identify a file whatever its path.
pub type FileId = (u64, u64);

/// An event of a walk.
#[derive(Debug)]
pub(super) enum Walked {
    /// A regular file of this size, and the decision about it.
    File(PathBuf, u64, Choice),
    /// Something that is skipped: a device, a FIFO, a socket, a link that is
    /// not followed, a file that the system makes up, the output file.
    Special,
    /// What could not be read.
    Fault(Fault),
}

/// The files below a folder. An iterator.
pub(super) struct Walk {
    options: Arc<Options>,
    moved: Arc<Moved>,
    /// The folders that are being walked, outermost first.
    stack: Vec<Folder>,
    /// The length of the root with its slash in a path.
    root: usize,
    /// Devices with real files.
    device: Option<u64>,
    /// Events before the first entry.
    first: Option<Walked>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    id: Option<FileId>,
    entries: std::vec::IntoIter<Listed>,
    /// It has the folders of a maildir.
    maildir: bool,
    /// The one of them that was listed with the other and comes later.
    listed: Option<(&'static str, Vec<Listed>)>,
}

#[derive(Debug)]
struct Listed {
    name: OsString,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    File,
    Folder,
    Link,
    Special,
    Fault(io::Error),
}

impl Listed {
    fn new(entry: &fs::DirEntry, follow: bool) -> Listed {
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => Kind::Folder,
            Ok(kind) if kind.is_symlink() && follow => Kind::Link,
            Ok(kind) if kind.is_file() => Kind::File,
            Ok(_) => Kind::Special,
            Err(error) => Kind::Fault(error),
        };
        Listed {
            name: entry.file_name(),
            kind,
        }
    }
}

impl Walk {
    /// A walk of the folder `root`, whose metadata is `meta`. With `implied`
    /// the paths are those below it.
    pub(super) fn new(
        options: Arc<Options>,
        moved: Arc<Moved>,
        root: &Path,
        meta: &Metadata,
        implied: bool,
    ) -> Walk {
        let mut walk = Walk {
            options,
            moved,
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
        walk.first = walk.enter(path, meta, None);
        walk
    }

    /// Reads a folder, unless it was `listed` before, and pushes it on the
    /// stack. Returns the fault that prevents it.
    fn enter(
        &mut self,
        path: PathBuf,
        meta: &Metadata,
        listed: Option<Vec<Listed>>,
    ) -> Option<Walked> {
        let id = file_id(meta);
        if self
            .options
            .max_depth
            .is_some_and(|max| self.stack.len() >= max)
        {
            return None;
        }
        if id.is_some() && self.stack.iter().any(|folder| folder.id == id) {
            let error = io::Error::other("symbolic link loop");
            return Some(Walked::Fault(Fault::new(&path, &error)));
        }
        let device = id.map(|id| id.0);
        if device != self.device {
            if device.is_some_and(is_made_up) {
                return Some(Walked::Special);
            }
            self.device = device;
        }
        let here = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &path
        };
        let (mut entries, result) = match listed {
            Some(entries) => (entries, Ok(())),
            None => {
                let mut entries = Vec::new();
                let result = read(here, self.options.follow, &mut entries);
                (entries, result)
            }
        };
        let maildir = skip_drafts(&mut entries);
        if self.options.sort {
            entries
                .sort_unstable_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
        }
        let fault = result
            .err()
            .map(|error| Walked::Fault(Fault::new(here, &error)));
        self.stack.push(Folder {
            path,
            id,
            entries: entries.into_iter(),
            maildir,
            listed: None,
        });
        fault
    }

    /// The entries of `new` or `cur` of a maildir, which are listed together.
    fn delivered(&mut self, path: &Path) -> Option<Vec<Listed>> {
        let folder = self.stack.last_mut().filter(|folder| folder.maildir)?;
        let name = path.file_name()?;
        if let Some((_, entries)) = folder.listed.take_if(|(listed, _)| name == *listed) {
            return Some(entries);
        }
        if name != "new" && name != "cur" {
            return None;
        }
        let follow = self.options.follow;
        let list = |path: &Path| {
            let mut entries = Vec::new();
            read(path, follow, &mut entries).map(|()| entries)
        };
        // A folder that cannot be read is reported when it is entered.
        let [new, cur] = maildir::list(&folder.path, list, |entry| &entry.name).ok()?;
        let (entries, later) = match name == "new" {
            true => (new, ("cur", cur)),
            false => (cur, ("new", new)),
        };
        folder.listed = Some(later);
        Some(entries)
    }

    fn is_output(&self, meta: &Metadata) -> bool {
        self.options.output.is_some() && file_id(meta) == self.options.output
    }

    /// Takes an entry, whose path is `path`.
    fn visit(&mut self, path: PathBuf, kind: Kind) -> Option<Walked> {
        match kind {
            Kind::Special => Some(Walked::Special),
            Kind::Fault(error) => Some(Walked::Fault(Fault::new(&path, &error))),
            // The size of a file decides who reads it. It is queried only
            // here: in a folder of thousands the first files are being read by
            // then.
            Kind::File => {
                let mut path = path;
                let meta = self
                    .moved
                    .follow(&mut path, |path| fs::symlink_metadata(path));
                Some(self.file(path, meta))
            }
            Kind::Folder | Kind::Link => match fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => {
                    let listed = self.delivered(&path);
                    self.enter(path, &meta, listed)
                }
                meta => Some(self.file(path, meta)),
            },
        }
    }

    fn file(&self, path: PathBuf, meta: io::Result<Metadata>) -> Walked {
        match meta {
            Ok(meta) if meta.is_file() && !self.is_output(&meta) => {
                let choice = self.options.choose(&path, &meta);
                Walked::File(path, meta.len(), choice)
            }
            Ok(_) => Walked::Special,
            Err(error) => Walked::Fault(Fault::new(&path, &error)),
        }
    }
}

impl Iterator for Walk {
    type Item = Walked;

    fn next(&mut self) -> Option<Walked> {
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
            if let Some(accept) = &self.options.filter {
                let entry = Entry {
                    name: entry.name.as_encoded_bytes(),
                    path: &path.as_os_str().as_encoded_bytes()[self.root..],
                    is_folder: matches!(entry.kind, Kind::Folder),
                };
                if !accept(&entry) {
                    continue;
                }
            }
            if let Some(found) = self.visit(path, entry.kind) {
                return Some(found);
            }
        }
    }
}

/// The identity of the file with this metadata, if the system has one.
#[must_use]
pub fn file_id(meta: &Metadata) -> Option<FileId> {
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
pub(super) fn is_special(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir()
}

/// File systems whose files are made up when they are read. Some are endless,
/// some block, some have side effects.
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

/// Adds the entries of a folder.
fn read(folder: &Path, follow: bool, entries: &mut Vec<Listed>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        entries.push(Listed::new(&entry?, follow));
    }
    Ok(())
}

/// Leaves out `tmp` of a maildir, the folder beside `cur` and `new`. Its
/// messages are not delivered yet, or never were. Returns whether the folder
/// is a maildir.
fn skip_drafts(entries: &mut Vec<Listed>) -> bool {
    let has = |name: &str| {
        entries
            .iter()
            .any(|e| e.name == name && matches!(e.kind, Kind::Folder))
    };
    let maildir = has("cur") && has("new");
    if maildir {
        entries.retain(|e| !(e.name == "tmp" && matches!(e.kind, Kind::Folder)));
    }
    maildir
}
