//! Walks folders: yields every file in them, and an event for each special file
//! that is skipped. The entries of a folder come sorted, or in the order of the
//! operating system.
//!
//! A folder is listed completely before its first file is handed out. So only
//! one folder is open at a time, at any depth. Memory is bounded by the entries
//! of the folders on the current path.
//!
//! We tried the crate walkdir. Our draft had 259 lines of code in place of 301, with
//! two more crates. `new` and `cur` of a maildir must be listed together, so their
//! entries still needed a walk of their own, in which neither the maximum depth nor
//! the path below the root was right yet. Virtual file systems must not be entered,
//! and a file is only queried when its turn comes, so most of this file stayed.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fault::Fault;
use super::maildir::{self, Moved};
use super::open::{FileId, file_id};
use urlgrep_base::words::words;
use urlgrep_containers::{Container, Position};

/// Options of a walk.
#[derive(Clone, Default)]
pub(super) struct WalkOptions {
    /// Follow symbolic links.
    pub follow: bool,
    /// The maximum depth. 1 means only the files in the folder itself.
    pub max_depth: Option<usize>,
    /// Sort entries by the bytes of their names.
    pub sort: bool,
    pub filter: Option<Filter>,
    pub choose: Option<Choose>,
    /// A file that must not be read.
    pub output: Option<FileId>,
}

impl fmt::Debug for WalkOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WalkOptions { .. }")
    }
}

/// Decides about a regular file.
type Choose = Arc<dyn Fn(&Path, &Metadata) -> Choice + Send + Sync>;

/// The decision about a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The file is read.
    Read,
    /// The file is not opened.
    Skip,
    /// The file is this container, and is read from this position on. The
    /// position is the start of a message, or a place in plain text that no URL
    /// can span. The file is not unpacked.
    From(Container, Position),
}

impl WalkOptions {
    /// The decision about the regular file `path`.
    pub fn choose(&self, path: &Path, meta: &Metadata) -> Choice {
        self.choose.as_ref().map_or(Choice::Read, |f| f(path, meta))
    }
}

/// Accepts files and folders.
type Filter = Arc<dyn Fn(&Entry<'_>) -> bool + Send + Sync>;

/// A file or folder in a walk.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry<'e> {
    /// The name of the entry.
    pub name: &'e [u8],
    /// The path of the entry below the root.
    pub path: &'e [u8],
    /// True for a folder, and for a symbolic link to one if links are followed.
    pub is_folder: bool,
}

/// An event of a walk.
#[derive(Debug)]
pub(super) enum Walked {
    /// A regular file: its path, its size, and the decision about it.
    File(PathBuf, u64, Choice),
    /// A file that is skipped. It is a device, a FIFO, a socket, a link that is
    /// not followed, or the output file. Also a folder of a virtual file
    /// system, which is not entered.
    Special,
    /// A file or folder that could not be read.
    Fault(Fault),
}

/// Iterates over the files below a folder.
pub(super) struct Walk {
    options: Arc<WalkOptions>,
    moved: Arc<Moved>,
    /// The folders on the current path, the outermost first.
    stack: Vec<Folder>,
    /// The length of the root in a path, including its slash.
    root: usize,
    /// The device of the last folder that was entered. The device has no
    /// virtual file system.
    device: Option<u64>,
    /// The event before the first entry.
    first: Option<Walked>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    id: Option<FileId>,
    entries: std::vec::IntoIter<Listed>,
    /// The folder is a maildir.
    maildir: bool,
    /// The entries of `new` or `cur`, whichever comes later. Both folders are
    /// listed together.
    listed: Option<(&'static str, Vec<Listed>)>,
}

#[derive(Debug)]
struct Listed {
    name: OsString,
    kind: EntryKind,
}

#[derive(Debug)]
enum EntryKind {
    File,
    Folder,
    Link,
    Special,
    Fault(io::Error),
}

impl Listed {
    fn new(entry: &fs::DirEntry, follow: bool) -> Listed {
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => EntryKind::Folder,
            Ok(kind) if kind.is_symlink() && follow => EntryKind::Link,
            Ok(kind) if kind.is_file() => EntryKind::File,
            Ok(_) => EntryKind::Special,
            Err(error) => EntryKind::Fault(error),
        };
        Listed {
            name: entry.file_name(),
            kind,
        }
    }
}

impl Walk {
    /// Walks the folder `root`, whose metadata is `meta`. If `implied`, the
    /// paths do not begin with the root.
    pub(super) fn new(
        options: Arc<WalkOptions>,
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

    /// Pushes a folder on the stack. Its entries are `listed`, or are read
    /// here. Returns a fault if this fails, and [`Walked::Special`] for a folder
    /// of a virtual file system. A folder below the maximum depth is not
    /// entered.
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

    /// The entries of a folder of a maildir. `new` and `cur` are listed
    /// together. `None` for other folders.
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
        // If a folder cannot be read, this is reported when the folder is
        // entered.
        let [new, cur] = maildir::list(&folder.path, list, |entry| &entry.name).ok()?;
        let (entries, later) = if name == "new" {
            (new, ("cur", cur))
        } else {
            (cur, ("new", new))
        };
        folder.listed = Some(later);
        Some(entries)
    }

    fn is_output(&self, meta: &Metadata) -> bool {
        self.options.output.is_some() && file_id(meta) == self.options.output
    }

    /// Handles an entry: enters a folder, or returns an event.
    fn visit(&mut self, path: PathBuf, kind: EntryKind) -> Option<Walked> {
        match kind {
            EntryKind::Special => Some(Walked::Special),
            EntryKind::Fault(error) => Some(Walked::Fault(Fault::new(&path, &error))),
            // The size of a file decides whether it goes into a batch of small
            // files. It is queried only now. So workers read the first files of
            // a large folder while the sizes of later files are queried.
            EntryKind::File => {
                let mut path = path;
                let meta = self
                    .moved
                    .follow(&mut path, |path| fs::symlink_metadata(path));
                Some(self.file(path, meta))
            }
            EntryKind::Folder | EntryKind::Link => match fs::metadata(&path) {
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
                    is_folder: match entry.kind {
                        EntryKind::Folder => true,
                        EntryKind::Link => path.is_dir(),
                        _ => false,
                    },
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

/// True for files that are neither regular files nor folders.
pub(super) fn is_special(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir()
}

/// Virtual file systems. They generate their files when these are read. Some of
/// these files are endless, some block, and some have side effects.
const MADE_UP: [&str; 14] = words(
    "proc sysfs cgroup cgroup2 debugfs tracefs securityfs configfs devpts mqueue bpf pstore \
     efivarfs binfmt_misc",
);

/// True if the device has a virtual file system. Linux only.
fn is_made_up(device: u64) -> bool {
    // The layout of a device number in the C library. The low 12 bits of the
    // major number begin at bit 8. Its other bits begin at bit 44. The minor
    // number has bits 0 to 7 and bits 20 to 43.
    let major = (device & 0xF_FF00) >> 8 | (device & 0xFFFF_F000_0000_0000) >> 32;
    let minor = (device & 0xFF) | (device & 0x0FFF_FFF0_0000) >> 12;
    if major != 0 {
        return false;
    }
    let Ok(mounts) = fs::read_to_string("/proc/self/mountinfo") else {
        return false;
    };
    let number = format!("{major}:{minor}");
    // An example of a line:
    //
    // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw
    mounts.lines().any(|line| {
        line.split(' ').nth(2) == Some(&number)
            && line
                .split_once(" - ")
                .is_some_and(|(_, rest)| MADE_UP.contains(&rest.split(' ').next().unwrap_or("")))
    })
}

/// Appends the entries of a folder.
fn read(folder: &Path, follow: bool, entries: &mut Vec<Listed>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        entries.push(Listed::new(&entry?, follow));
    }
    Ok(())
}

/// Removes the entry `tmp` if the folder is a maildir, which also has `cur` and
/// `new`. The messages in `tmp` are not delivered. Returns whether the folder
/// is a maildir.
fn skip_drafts(entries: &mut Vec<Listed>) -> bool {
    let has = |name: &str| {
        entries
            .iter()
            .any(|e| e.name == name && matches!(e.kind, EntryKind::Folder))
    };
    let maildir = has("cur") && has("new");
    if maildir {
        entries.retain(|e| !(e.name == "tmp" && matches!(e.kind, EntryKind::Folder)));
    }
    maildir
}
