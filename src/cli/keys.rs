//! Hashes that identify URLs.

use std::hash::{BuildHasher, RandomState};

/// Hashes URLs to 128 bits, with a random key for each run. So an attacker
/// cannot prepare two URLs with the same hash.
#[derive(Debug, Default)]
pub struct Keys(RandomState, RandomState);

impl Keys {
    /// The hash of a URL.
    pub fn hash(&self, bytes: &[u8]) -> u128 {
        u128::from(self.0.hash_one(bytes)) << 64 | u128::from(self.1.hash_one(bytes))
    }

    /// The hash of a URL, which has the hash `url`, in this row of a tally. The pair is
    /// hashed, so the same two texts the other way round, and a URL alone, have other hashes.
    pub fn hash_in(&self, url: u128, row: &[u8]) -> u128 {
        let pair = (url, row);
        u128::from(self.0.hash_one(pair)) << 64 | u128::from(self.1.hash_one(pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_and_its_row_are_told_apart() {
        let keys = Keys::default();
        let in_row = |url: &[u8], row: &[u8]| keys.hash_in(keys.hash(url), row);
        let all = [
            in_row(b"a", b"b"),
            in_row(b"b", b"a"),
            in_row(b"a", b"a"),
            in_row(b"b", b"b"),
            in_row(b"ab", b""),
            in_row(b"", b"ab"),
            in_row(b"", b""),
            keys.hash(b"ab"),
            keys.hash(b"a"),
            keys.hash(b""),
        ];
        let different: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        assert_eq!(in_row(b"a", b"b"), in_row(b"a", b"b"));
    }
}
