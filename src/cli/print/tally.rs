//! `--tally`: the number of occurrences of each URL.
//!
//! Each line has the count, a tab and the URL. Its hidden characters are escaped
//! by [`escape::url`], and other bytes beyond ASCII by [`escape::tabbed`].
//! Lines are ordered by descending count, then by the bytes of the URL, unless
//! another [`Order`] is asked for.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::text::put_number;
use urlgrep::escape;

/// The number of shards.
const SHARDS: usize = 64;

/// The order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The most frequent first.
    Count,
    /// By the bytes of the row.
    Value,
    /// By this number of leading columns, then the most frequent first.
    Leading(usize),
}

/// A row: its count and its text.
type Tallied = (u64, Box<[u8]>);

/// Counts URLs. There is one entry for each different URL. It takes at most 100
/// bytes and the URL.
///
/// An entry takes 25 bytes in a hash table, and an allocation for the URL. The
/// hash table is between 7/16 and 7/8 full. The shards grow one at a time. So
/// there are never two tables of all entries. [`Tally::into_rows`] moves the
/// entries from the shards to rows of 24 bytes.
#[derive(Debug, Default)]
pub struct Tally {
    shards: Vec<HashMap<Box<[u8]>, u64>>,
    keys: RandomState,
}

impl Tally {
    /// Counts an occurrence of `url`.
    pub fn add(&mut self, url: &[u8]) {
        if self.shards.is_empty() {
            self.shards.resize_with(SHARDS, HashMap::new);
        }
        let shard = self.keys.hash_one(url) as usize % SHARDS;
        match self.shards[shard].get_mut(url) {
            Some(count) => *count += 1,
            None => {
                self.shards[shard].insert(url.into(), 1);
            }
        }
    }

    /// Sorts the rows and their counts for the output.
    #[must_use]
    pub fn into_rows(self, order: Order) -> Vec<Tallied> {
        let mut rows = Vec::with_capacity(self.shards.iter().map(HashMap::len).sum());
        for shard in self.shards {
            rows.extend(shard.into_iter().map(|(url, count)| (count, url)));
        }
        let by_count = |a: &Tallied, b: &Tallied| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1));
        match order {
            Order::Count | Order::Leading(0) => rows.sort_unstable_by(by_count),
            Order::Value => rows.sort_unstable_by(|a, b| a.1.cmp(&b.1)),
            Order::Leading(columns) => rows.sort_unstable_by(|a, b| {
                let leading = |row: &Tallied| {
                    // A missing value comes last.
                    let is_missing = row.1.starts_with(b"-\t") || *row.1 == *b"-";
                    let mut tabs = memchr::memchr_iter(b'\t', &row.1);
                    (is_missing, tabs.nth(columns - 1).unwrap_or(row.1.len()))
                };
                let (first, second) = (leading(a), leading(b));
                let values = || a.1[..first.1].cmp(&b.1[..second.1]);
                let order = first.0.cmp(&second.0).then_with(values);
                order.then_with(|| by_count(a, b))
            }),
        }
        rows
    }

    /// Appends a row: a count, a tab, and an URL, which is escaped here, or the other
    /// fields, which already are.
    pub fn print(count: u64, row: &[u8], is_url: bool, out: &mut Vec<u8>) {
        put_number(count, out);
        out.push(b'\t');
        match is_url {
            true => escape::tabbed(row, out),
            false => out.extend_from_slice(row),
        }
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_down_and_urls_up() {
        let mut tally = Tally::default();
        for url in ["http://b/", "http://a/", "http://c/", "http://c/"] {
            tally.add(url.as_bytes());
        }
        for url in ["http://b/", "http://c/", "http://ÿx"] {
            tally.add(url.as_bytes());
        }
        let mut out = Vec::new();
        for (count, url) in tally.into_rows(Order::Count) {
            Tally::print(count, &url, true, &mut out);
        }
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "3\thttp://c/\n2\thttp://b/\n1\thttp://a/\n1\thttp://\\xC3\\xBFx\n"
        );
        assert!(Tally::default().into_rows(Order::Value).is_empty());
    }
}
