//! The choice of hits by what came before them: `-u`, `-m` and `--unique-message`.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use super::super::config::Config;

/// Chooses hits, in the order of the input.
pub struct Choice {
    /// Each URL is wanted once.
    unique: bool,
    /// Each message is wanted once.
    unique_message: bool,
    /// The number of hits that are wanted of each file.
    limit: u64,
    /// The keys of the hits until now.
    seen: Seen,
    /// The Message-IDs of messages with hits.
    ids: Seen,
    /// An earlier message has the Message-ID of the current one.
    is_repeated: bool,
    /// The date of the current message.
    date: Option<i64>,
    /// The number of wanted hits in the current file.
    in_file: u64,
    /// The number of wanted hits that share the text of the next hit.
    more: u64,
}

/// A wanted hit.
pub struct Chosen<'t> {
    pub text: &'t [u8],
    pub key: u128,
    /// The date of its message.
    pub date: Option<i64>,
    /// No hit of this file was wanted before.
    pub is_first: bool,
}

impl Choice {
    pub fn new(config: &Config) -> Choice {
        Choice {
            // If rows are sorted by date, the first of them is known at the end.
            unique: config.args.filter.unique && !config.by_date(),
            unique_message: config.args.mail.unique_message,
            limit: config.most_of_file(),
            seen: Seen::default(),
            ids: Seen::default(),
            is_repeated: false,
            date: None,
            in_file: 0,
            more: 0,
        }
    }

    /// True if more hits of this file are wanted.
    pub fn is_open(&self) -> bool {
        self.in_file < self.limit
    }

    /// True if hits with this key were not seen before or may be repeated,
    /// and no earlier message has the Message-ID of their message.
    pub fn is_new(&mut self, key: u128) -> bool {
        let is_first = !self.unique || self.seen.insert(key);
        is_first && !self.is_repeated
    }

    /// A hit that has the text of the next one.
    pub fn also(&mut self, key: u128) {
        self.more += u64::from(self.is_new(key));
    }

    /// Counts the hit with this text, and those that share its text. `is_new` is true if it
    /// was not seen before. Returns the number of those that are wanted, and the hit if it
    /// is to be printed.
    pub fn choose<'t>(
        &mut self,
        text: &'t [u8],
        key: u128,
        is_new: bool,
    ) -> Option<(u64, Chosen<'t>)> {
        let new = std::mem::take(&mut self.more) + u64::from(is_new);
        if new == 0 || !self.is_open() {
            return None;
        }
        let is_first = self.in_file == 0;
        self.in_file += new;
        let chosen = Chosen {
            text,
            key,
            date: self.date,
            is_first,
        };
        Some((new, chosen))
    }

    /// A message begins. `id` is a hash of its Message-ID.
    pub fn message(&mut self, id: Option<u128>, date: Option<i64>) {
        self.date = date;
        self.is_repeated = match id {
            Some(id) => self.unique_message && !self.ids.insert(id),
            None => false,
        };
    }

    /// A file ends. Returns the number of its wanted hits.
    pub fn end_file(&mut self) -> u64 {
        self.date = None;
        self.is_repeated = false;
        std::mem::take(&mut self.in_file)
    }
}

/// The number of shards. It is a power of 2.
const SHARDS: usize = 256;

/// The keys of the URLs that were written. The shards grow one at a time, so
/// the memory is never doubled for all of them. A key takes at most 40 bytes.
#[derive(Default)]
pub struct Seen {
    shards: Vec<HashSet<u128, BuildHasherDefault<Ready>>>,
}

impl Seen {
    /// Returns true if the key is new.
    pub fn insert(&mut self, key: u128) -> bool {
        if self.shards.is_empty() {
            self.shards.resize_with(SHARDS, HashSet::default);
        }
        // Use the half of the key that the shards do not hash.
        let shard = (key >> 64) as usize % SHARDS;
        self.shards[shard].insert(key)
    }
}

/// A hasher for keys that are already hashes.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = self.0 << 8 | u64::from(b);
        }
    }

    fn write_u128(&mut self, key: u128) {
        self.0 = key as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_new_once() {
        let mut seen = Seen::default();
        for i in 0..10_000u128 {
            let key = i.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
            assert!(seen.insert(key));
            assert!(!seen.insert(key));
        }
        assert_eq!(seen.shards.iter().map(HashSet::len).sum::<usize>(), 10_000);
        let room: usize = seen.shards.iter().map(HashSet::capacity).sum();
        assert!(room <= 20_000, "{room}");
    }
}
