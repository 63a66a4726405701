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
}
