//! How each URL of the input was put together, in bounded memory.

use std::collections::HashMap;

use urlgrep_base::span::SeamKind;

/// The maximum number of different URLs that are distinguished: 229,376. A hash table of the
/// standard library with 262,144 entries would double its memory when 7 of 8 of them are used.
pub(super) const URLS: usize = 7 << 15;
/// The bit for an occurrence without repairs. It is after the bits of the seams.
const UNBROKEN: u32 = 1 << 31;

/// The seams with which each URL was found, by a hash of its canonical form.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs {
    /// Beside a `u64` the bits of an entry would be padded, and the table a third larger.
    urls: HashMap<[u32; 2], u32>,
    /// There were more than [`URLS`], and the others are not counted.
    pub is_full: bool,
}

/// Of all URLs, those that were never found without a repair.
#[derive(Debug)]
pub(super) struct OnlyRepaired {
    /// The number of different URLs.
    pub urls: usize,
    /// Those that occur only with a repair.
    pub repaired: usize,
    /// The latter by kind of repair, in the order of `SeamKind::ALL`.
    pub by_kind: Vec<u64>,
}

impl Repairs {
    /// Counts an occurrence of the URL with this hash. There is one bit in `seams` for each kind,
    /// in the order of `SeamKind::ALL`.
    pub fn add(&mut self, url: u64, seams: u32) {
        let bits = if seams == 0 { UNBROKEN } else { seams };
        if self.urls.is_empty() {
            // A table that grows is there twice for a moment, which would be half as much again.
            self.urls.reserve(URLS);
        }
        let is_full = self.urls.len() >= URLS;
        match self.urls.get_mut(&halves(url)) {
            Some(seen) => *seen |= bits,
            None if is_full => self.is_full = true,
            None => {
                self.urls.insert(halves(url), bits);
            }
        }
    }

    /// True if the URL is counted, and was not found without a repair so far.
    pub fn is_only_repaired(&self, url: u64) -> bool {
        self.urls
            .get(&halves(url))
            .is_some_and(|bits| bits & UNBROKEN == 0)
    }

    /// The numbers of URLs that were never found without a repair.
    pub fn only_repaired(&self) -> OnlyRepaired {
        let mut by_kind = vec![0; SeamKind::ALL.len()];
        let mut repaired = 0;
        for bits in self.urls.values().filter(|bits| *bits & UNBROKEN == 0) {
            repaired += 1;
            for (at, number) in by_kind.iter_mut().enumerate() {
                *number += u64::from(bits >> at & 1);
            }
        }
        OnlyRepaired {
            urls: self.urls.len(),
            repaired,
            by_kind,
        }
    }
}

fn halves(hash: u64) -> [u32; 2] {
    [hash as u32, (hash >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unbroken_occurrence_ends_a_repair() {
        let mut repairs = Repairs::default();
        repairs.add(1, 0b10);
        repairs.add(2, 0b11);
        assert!(repairs.is_only_repaired(1) && !repairs.is_only_repaired(3));
        repairs.add(1, 0);
        assert!(!repairs.is_only_repaired(1));
        let only = repairs.only_repaired();
        assert_eq!((only.urls, only.repaired), (2, 1));
        assert_eq!(only.by_kind[..3], [1, 1, 0]);
    }

    #[test]
    fn the_table_does_not_grow() {
        let mut repairs = Repairs::default();
        for url in 0..2 * URLS as u64 {
            repairs.add(url << 20, 0);
            if url == 0 {
                let room = repairs.urls.capacity();
                assert_eq!(room, URLS);
            }
        }
        assert!(repairs.is_full);
        assert_eq!((repairs.urls.len(), repairs.urls.capacity()), (URLS, URLS));
    }
}
