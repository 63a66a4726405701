//! A cache of values that were computed for keys which repeat.

/// 2⁶⁴ divided by the golden ratio (Fibonacci hashing).
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// A hash of words of eight bytes, and of a number such as the length of the key. Keys with
/// the same hash replace each other in a [`Recent`], so chosen keys can only make it useless.
#[inline]
pub fn hash<'w>(number: usize, words: impl IntoIterator<Item = &'w [u8; 8]>) -> u64 {
    let mix = |hash: u64, word: &[u8; 8]| {
        let hash = hash.rotate_left(5) ^ u64::from_le_bytes(*word);
        hash.wrapping_mul(FACTOR)
    };
    words.into_iter().fold(number as u64, mix)
}

/// The values of recent keys. A key has one place among `N`, which must be a power of 2, and
/// replaces the key that was there. Memory is allocated for the first key.
#[derive(Clone, Debug)]
pub struct Recent<K, V, const N: usize>(Vec<(K, V)>);

impl<K, V, const N: usize> Default for Recent<K, V, N> {
    fn default() -> Recent<K, V, N> {
        Recent(Vec::new())
    }
}

impl<K: Default, V: Default, const N: usize> Recent<K, V, N> {
    /// The place for keys with this hash: another key and its value may be in it.
    #[inline]
    pub fn at(&mut self, hash: u64) -> &mut (K, V) {
        if self.0.is_empty() {
            self.0.resize_with(N, Default::default);
        }
        let bits = u64::BITS - N.ilog2();
        &mut self.0[(hash >> bits) as usize]
    }

    /// All places.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_place() {
        let mut recent = Recent::<u64, u64, 8>::default();
        for key in 0..64_u64 {
            let hash = hash(0, [&key.to_le_bytes()]);
            *recent.at(hash) = (key, 2 * key);
            assert_eq!(*recent.at(hash), (key, 2 * key));
        }
        let kept: Vec<_> = recent.0.iter().map(|(key, _)| *key).collect();
        assert!(
            kept.len() == 8 && kept.iter().all(|key| *key >= 32),
            "{kept:?}"
        );
    }
}
