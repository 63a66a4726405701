//! `--tally`: how often each URL was found.
//!
//! A line for each: the count, a tab, the URL by [`escape::tabbed`]; the count
//! goes down, and where it is the same the URL goes up, byte by byte.

use std::collections::HashMap;

use super::text::put_number;
use crate::escape;

/// Counts URLs. Memory is one entry for each that differs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: HashMap<Vec<u8>, u64>,
}

impl Tally {
    /// An empty one.
    #[must_use]
    pub fn new() -> Tally {
        Tally::default()
    }

    /// Counts `url` once more.
    pub fn add(&mut self, url: &[u8]) {
        self.add_times(url, 1);
    }

    /// Adds what another worker counted.
    pub fn merge(&mut self, other: Tally) {
        if self.counts.is_empty() {
            *self = other;
            return;
        }
        for (url, count) in other.counts {
            self.add_times(&url, count);
        }
    }

    /// How many URLs that differ were counted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// True if none was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    fn add_times(&mut self, url: &[u8], count: u64) {
        match self.counts.get_mut(url) {
            Some(so_far) => *so_far += count,
            None => {
                self.counts.insert(url.to_vec(), count);
            }
        }
    }

    /// The URLs with their counts, in the order in which they are printed.
    /// Sorts.
    #[must_use]
    pub fn rows(&self) -> Vec<(u64, &[u8])> {
        let mut rows: Vec<_> = self
            .counts
            .iter()
            .map(|(url, &count)| (count, &url[..]))
            .collect();
        rows.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        rows
    }

    /// Appends all lines.
    pub fn print(&self, out: &mut Vec<u8>) {
        for (count, url) in self.rows() {
            put_number(count, out);
            out.push(b'\t');
            escape::tabbed(url, out);
            out.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_down_and_urls_up() {
        let mut one = Tally::new();
        let mut two = Tally::new();
        for url in ["http://b/", "http://a/", "http://c/", "http://c/"] {
            one.add(url.as_bytes());
        }
        for url in ["http://b/", "http://c/", "http://ÿx"] {
            two.add(url.as_bytes());
        }
        let mut both = Tally::new();
        assert!(both.is_empty());
        both.merge(one);
        both.merge(two);
        let mut out = Vec::new();
        both.print(&mut out);
        assert_eq!(both.len(), 4);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "3\thttp://c/\n2\thttp://b/\n1\thttp://a/\n1\thttp://\\xC3\\xBFx\n"
        );
    }
}
