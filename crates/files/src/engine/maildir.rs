//! Maildirs that change while they are read. Other programs move messages from
//! `new` to `cur`, and change flags, which are part of the name. The name
//! before the colon never changes: <https://cr.yp.to/proto/maildir.html>.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::open::file_id;
use urlgrep_unpack::lock;

/// The folders of a maildir that have messages.
const FOLDERS: [&str; 2] = ["new", "cur"];
/// The maximum number of listings of both folders, if the folders change
/// meanwhile.
const ROUNDS: usize = 4;
/// The resolution of modification times in file systems. Two changes within
/// this time may get the same modification time.
const TICK: Duration = Duration::from_millis(20);
/// The maximum number of lookups for one message, if it is renamed repeatedly.
const TRIES: usize = 16;

/// The name of a message without its flags.
fn base(name: &OsStr) -> &[u8] {
    let name = name.as_encoded_bytes();
    &name[..memchr::memchr(b':', name).unwrap_or(name.len())]
}

/// Lists `new` and `cur` of a maildir. `read` lists a folder, and `name`
/// returns the name of an entry. A message that is moved or renamed meanwhile
/// is in exactly one of the two lists.
///
/// # Errors
///
/// The errors of `read`.
pub(super) fn list<E>(
    maildir: &Path,
    mut read: impl FnMut(&Path) -> io::Result<Vec<E>>,
    name: impl Fn(&E) -> &OsStr,
) -> io::Result<[Vec<E>; 2]> {
    let paths = FOLDERS.map(|folder| maildir.join(folder));
    let mut lists = [Vec::new(), Vec::new()];
    let mut changed = false;
    for round in 0..ROUNDS {
        let stamp = Stamp::of(maildir);
        // The order alternates, because messages move in either direction.
        for folder in [round % 2, 1 - round % 2] {
            let entries = read(&paths[folder])?;
            add_new(&mut lists[folder], entries, &name);
        }
        if stamp.is_current(maildir) {
            break;
        }
        changed = true;
    }
    if changed {
        remove_copies(&paths, &mut lists, &name);
    }
    Ok(lists)
}

/// The modification times of both folders of a maildir.
#[derive(Debug)]
struct Stamp {
    times: [Option<SystemTime>; 2],
    /// True if the times are so old that any later change gets another time.
    settled: bool,
}

impl Stamp {
    fn of(maildir: &Path) -> Stamp {
        let times = FOLDERS.map(|folder| {
            let meta = fs::metadata(maildir.join(folder));
            meta.and_then(|meta| meta.modified()).ok()
        });
        let is_old = |time: &SystemTime| time.elapsed().is_ok_and(|ago| ago > TICK);
        Stamp {
            times,
            settled: times.iter().all(|time| time.as_ref().is_some_and(is_old)),
        }
    }

    /// True if neither folder has changed since the stamp was made.
    fn is_current(&self, maildir: &Path) -> bool {
        self.settled && self.times == Stamp::of(maildir).times
    }
}

/// Adds the entries whose names are not yet in `list`.
fn add_new<E>(list: &mut Vec<E>, entries: Vec<E>, name: impl Fn(&E) -> &OsStr) {
    if list.is_empty() {
        *list = entries;
        return;
    }
    let known: HashSet<OsString> = list.iter().map(|e| name(e).into()).collect();
    list.extend(entries.into_iter().filter(|e| !known.contains(name(e))));
}

/// Keeps one of several entries that are the same message under different
/// names. A rename keeps the inode. So two files with the same base name and
/// different inodes are two messages.
fn remove_copies<E>(paths: &[PathBuf; 2], lists: &mut [Vec<E>; 2], name: impl Fn(&E) -> &OsStr) {
    let mut groups: HashMap<Vec<u8>, Vec<(usize, usize)>> = HashMap::new();
    for (folder, list) in lists.iter().enumerate() {
        for (at, entry) in list.iter().enumerate() {
            let group = groups.entry(base(name(entry)).to_vec()).or_default();
            group.push((folder, at));
        }
    }
    let mut extra = [Vec::new(), Vec::new()];
    for group in groups.values().filter(|group| group.len() > 1) {
        let mut ids = Vec::new();
        for (i, &(folder, at)) in group.iter().enumerate().rev() {
            let path = paths[folder].join(name(&lists[folder][at]));
            let id = fs::symlink_metadata(path).ok().map(|meta| file_id(&meta));
            // If all files have vanished, keep the first entry. Its current
            // name is looked up when it is opened.
            let keep = match id {
                None => i == 0 && ids.is_empty(),
                Some(None) => true,
                Some(id) => !ids.contains(&id),
            };
            if keep {
                ids.extend(id);
            } else {
                extra[folder].push(at);
            }
        }
    }
    for (list, mut extra) in lists.iter_mut().zip(extra) {
        extra.sort_unstable();
        let mut at = 0..;
        list.retain(|_| at.next().is_none_or(|at| extra.binary_search(&at).is_err()));
    }
}

/// Finds messages that were renamed after the maildir was listed.
#[derive(Debug, Default)]
pub(super) struct Moved(Mutex<Option<Listing>>);

/// The paths of the messages of a maildir, by their names without flags.
#[derive(Debug)]
struct Listing {
    maildir: PathBuf,
    /// Made before the maildir was listed.
    stamp: Stamp,
    paths: HashMap<Vec<u8>, PathBuf>,
}

impl Moved {
    /// Opens a file. If it is a message of a maildir and is missing, it is
    /// looked up under its current name. Then `path` becomes that name.
    ///
    /// # Errors
    ///
    /// If the message is not found: the error of the first attempt. Otherwise
    /// the error of opening the file, under its old or its current name.
    pub(super) fn open(&self, path: &mut PathBuf) -> io::Result<File> {
        self.follow(path, |path| File::open(path))
    }

    /// As [`Moved::open`], for any operation on a path.
    ///
    /// # Complexity
    ///
    /// A maildir is listed again only if it has changed since the last listing.
    /// For one message it is listed at most [`TRIES`] times.
    pub(super) fn follow<T>(
        &self,
        path: &mut PathBuf,
        act: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<T> {
        let error = match act(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => error,
            result => return result,
        };
        let Some((maildir, base)) = parts(path) else {
            return Err(error);
        };
        let mut names = lock(&self.0);
        for _ in 0..TRIES {
            let known = names.as_ref().filter(|names| names.maildir == maildir);
            if let Some(moved) = known.and_then(|names| names.paths.get(base)) {
                match act(moved) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                    Ok(done) => {
                        *path = moved.clone();
                        return Ok(done);
                    }
                }
            }
            if known.is_some_and(|names| names.stamp.is_current(maildir)) {
                break;
            }
            *names = Some(Listing::list(maildir));
        }
        Err(error)
    }
}

/// The maildir of a message, and the name of the message without its flags.
pub fn parts(path: &Path) -> Option<(&Path, &[u8])> {
    let folder = path.parent()?;
    let name = folder.file_name()?;
    FOLDERS
        .iter()
        .any(|folder| name == *folder)
        .then_some((folder.parent()?, base(path.file_name()?)))
}

impl Listing {
    /// Lists a maildir. A folder that cannot be read counts as empty.
    fn list(maildir: &Path) -> Listing {
        let stamp = Stamp::of(maildir);
        let mut paths = HashMap::new();
        for folder in FOLDERS {
            let entries = fs::read_dir(maildir.join(folder));
            for entry in entries.into_iter().flatten().flatten() {
                paths.insert(base(&entry.file_name()).to_vec(), entry.path());
            }
        }
        Listing {
            maildir: maildir.to_path_buf(),
            stamp,
            paths,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A maildir that is removed at the end of the test.
    struct Maildir(PathBuf);

    impl Maildir {
        fn new(name: &str, messages: &[&str]) -> Maildir {
            let name = format!("urlgrep-maildir-{}-{name}", std::process::id());
            let maildir = Maildir(std::env::temp_dir().join(name));
            for folder in FOLDERS {
                fs::create_dir_all(maildir.0.join(folder)).unwrap();
            }
            for message in messages {
                fs::write(maildir.0.join(message), message).unwrap();
            }
            maildir
        }

        fn rename(&self, from: &str, to: &str) {
            fs::rename(self.0.join(from), self.0.join(to)).unwrap();
        }

        /// Lists the maildir. After each listing of a folder it calls
        /// `meanwhile` with the number of that listing, from 0.
        fn list(&self, meanwhile: impl Fn(usize)) -> [Vec<String>; 2] {
            let mut number = 0;
            let read = |path: &Path| {
                let entries = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name()));
                let entries: io::Result<Vec<OsString>> = entries.collect();
                meanwhile(number);
                number += 1;
                entries
            };
            let lists = list(&self.0, read, |name| name).unwrap();
            lists.map(|list| {
                let names = list.into_iter().map(|name| name.into_string().unwrap());
                let mut names: Vec<String> = names.collect();
                names.sort();
                names
            })
        }
    }

    impl Drop for Maildir {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_moves_between_two_listings_is_listed_once() {
        let dir = Maildir::new(
            "moves",
            &["new/a", "new/b", "cur/c:2,", "cur/d:2,S", "new/d"],
        );
        // One rename after each of four listings: `new`, `cur`, and both again.
        let lists = dir.list(|number| match number {
            0 => dir.rename("new/a", "cur/a:2,"),
            1 => dir.rename("new/b", "cur/b:2,S"),
            2 => dir.rename("cur/c:2,", "cur/c:2,F"),
            3 => dir.rename("cur/a:2,", "cur/a:2,R"),
            _ => {}
        });
        // Two files with the same base name and different flags are two
        // messages.
        assert_eq!(lists, [vec!["d"], vec!["a:2,R", "b:2,S", "c:2,F", "d:2,S"]]);
    }

    #[test]
    fn what_moves_back_is_listed_once() {
        let dir = Maildir::new("back", &["cur/a:2,"]);
        let lists = dir.list(|number| match number % 2 {
            0 => dir.rename("cur/a:2,", "new/a"),
            _ => dir.rename("new/a", "cur/a:2,"),
        });
        assert_eq!(lists, [vec![], vec!["a:2,".to_owned()]]);
    }

    #[test]
    fn a_message_is_found_by_its_base_name() {
        let dir = Maildir::new("found", &["cur/a:2,S", "new/b", "cur/c:2,"]);
        let moved = Moved::default();
        for (old, now) in [
            ("new/a", "cur/a:2,S"),
            ("cur/b:2,", "new/b"),
            ("cur/c:2,", "cur/c:2,"),
        ] {
            let mut path = dir.0.join(old);
            moved.open(&mut path).unwrap();
            assert_eq!(path, dir.0.join(now));
        }
        // Renamed since the maildir was listed.
        dir.rename("cur/a:2,S", "cur/a:2,RS");
        let mut path = dir.0.join("new/a");
        moved.open(&mut path).unwrap();
        assert_eq!(path, dir.0.join("cur/a:2,RS"));
        for gone in ["new/x", "cur/x:2,", "other/a"] {
            let mut path = dir.0.join(gone);
            let error = moved.open(&mut path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
            assert_eq!(path, dir.0.join(gone));
        }
    }
}
