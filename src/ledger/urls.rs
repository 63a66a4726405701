//! Finds the row of a URL by a hash of its canonical form.
//!
//! An index of the canonical forms would be as large as the table `url`, and each
//! new URL would change a random page of it. The table `url_key` has 48 bits of a
//! hash for each URL instead. New URLs are first added to `url_key_new`, which is
//! so small that the page cache holds all of it. When it is large enough, its rows
//! are moved to `url_key`, in the order of their keys. So a page of `url_key` is
//! written once for many new URLs.

use std::collections::HashMap;
use std::hash::Hasher;
// It is deprecated in favour of `DefaultHasher`, whose algorithm may change. A
// ledger stores hashes, and this one is specified as SipHash 2-4.
#[allow(deprecated)]
use std::hash::SipHasher;

use rusqlite::{Connection, OptionalExtension, params};

use super::known;

/// The number of URLs in each half of the cache.
const CACHE: usize = 64 << 10;
/// The rows of `url_key_new` are moved when there are at least two transactions of
/// them, and at least one for each `NEW` URLs.
const NEW: i64 = 16;
/// The filter is filled when a run has looked up at least a transaction of URLs,
/// and at least one for each `LOOKED_UP` URLs of the ledger. Filling it then takes
/// about the time of the look-ups so far.
const LOOKED_UP: i64 = 64;
/// The number of words of the filter. They take 16 MiB.
const WORDS: usize = 2 << 20;

/// Hashes URLs to 128 bits, with a random key for each ledger. So no input can be
/// crafted to have two URLs with the same hash.
#[derive(Debug)]
#[allow(deprecated)]
pub(super) struct Keys([SipHasher; 2]);

#[allow(deprecated)]
impl Keys {
    pub fn of(ledger: &Connection) -> rusqlite::Result<Keys> {
        let sql = "SELECT value FROM setting WHERE name = 'hash_key'";
        let secret: [u8; 32] = ledger.query_row(sql, [], |row| row.get(0))?;
        let (words, _) = secret.as_chunks::<8>();
        let word = |i: usize| words.get(i).map_or(0, |word| u64::from_le_bytes(*word));
        let hasher = |i| SipHasher::new_with_keys(word(i), word(i + 1));
        Ok(Keys([hasher(0), hasher(2)]))
    }

    pub fn hash(&self, bytes: &[u8]) -> u128 {
        let [low, high] = self.0.each_ref().map(|hasher| {
            let mut hasher = hasher.clone();
            hasher.write(bytes);
            hasher.finish()
        });
        u128::from(high) << 64 | u128::from(low)
    }
}

/// The value of the column `key` for a URL with this hash. SQLite stores it in 6
/// bytes.
fn column(hash: u128) -> i64 {
    (hash as u64 as i64) >> 16
}

/// The id and the number of unbroken hits of a URL.
pub(super) fn find(
    conn: &Connection,
    hash: u128,
    canonical: &[u8],
) -> rusqlite::Result<Option<(i64, i64)>> {
    // Two URLs may have the same key.
    let sql = "SELECT u.id, u.unbroken FROM url_key_new AS k CROSS JOIN url AS u ON u.id = k.url
            WHERE k.key = ?1 AND u.canonical = ?2
        UNION ALL SELECT u.id, u.unbroken FROM url_key AS k CROSS JOIN url AS u ON u.id = k.url
            WHERE k.key = ?1 AND u.canonical = ?2";
    let values = params![column(hash), known::text(canonical)];
    let mut statement = conn.prepare_cached(sql)?;
    let found = statement.query_row(values, |row| Ok((row.get(0)?, row.get(1)?)));
    found.optional()
}

/// Removes the URLs without hits.
pub(super) fn remove_unused(conn: &Connection, keys: &Keys) -> rusqlite::Result<()> {
    let mut statement = conn.prepare("SELECT id, canonical FROM url WHERE count = 0")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        let key = column(keys.hash(&known::bytes(row.get_ref(1)?)));
        for sql in [
            "DELETE FROM url_key_new WHERE key = ?1 AND url = ?2",
            "DELETE FROM url_key WHERE key = ?1 AND url = ?2",
        ] {
            conn.prepare_cached(sql)?.execute([key, id])?;
        }
    }
    conn.execute("DELETE FROM url WHERE count = 0", [])?;
    Ok(())
}

/// A Bloom filter of the column `key`. A key sets 4 bits of one word, so a test
/// reads one cache line. With 10 million keys, 1 % of the tests of other keys are
/// wrong. With 40 million it is a quarter.
struct Filter(Vec<u64>);

impl Filter {
    fn of(conn: &Connection) -> rusqlite::Result<Filter> {
        let mut filter = Filter(vec![0; WORDS]);
        for sql in ["SELECT key FROM url_key", "SELECT key FROM url_key_new"] {
            let mut statement = conn.prepare(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                filter.add(row.get(0)?);
            }
        }
        Ok(filter)
    }

    /// The word of a key and its bits.
    fn place(key: i64) -> (usize, u64) {
        let bits = (0..4).fold(0, |bits, i| bits | 1 << (key >> (6 * i) & 63));
        ((key >> 24) as usize % WORDS, bits)
    }

    fn add(&mut self, key: i64) {
        let (word, bits) = Filter::place(key);
        self.0[word] |= bits;
    }

    /// False if the key was not added.
    fn may_have(&self, key: i64) -> bool {
        let (word, bits) = Filter::place(key);
        self.0[word] & bits == bits
    }
}

/// The ids of URLs, by their hashes. Recent URLs are in a bounded cache: when the
/// young half is full, it replaces the old half.
pub(super) struct Urls {
    young: HashMap<u128, i64>,
    old: HashMap<u128, i64>,
    filter: Option<Filter>,
    /// The number of hits in a transaction.
    transaction: i64,
    /// The number of look-ups in the tables in this run.
    looked_up: i64,
    /// The number of rows of `url_key_new`, if known.
    new: Option<i64>,
    /// The id of the last URL of the ledger.
    last: i64,
}

impl Urls {
    pub fn new(conn: &Connection, transaction: u64) -> rusqlite::Result<Urls> {
        let last = "SELECT ifnull(max(id), 0) FROM url";
        Ok(Urls {
            young: HashMap::new(),
            old: HashMap::new(),
            filter: None,
            transaction: transaction.min(1 << 32) as i64,
            looked_up: 0,
            new: None,
            last: conn.query_row(last, [], |row| row.get(0))?,
        })
    }

    pub fn get(&mut self, hash: u128) -> Option<i64> {
        if let Some(&id) = self.young.get(&hash) {
            return Some(id);
        }
        let id = *self.old.get(&hash)?;
        self.put(hash, id);
        Some(id)
    }

    pub fn put(&mut self, hash: u128, id: i64) {
        if self.young.len() >= CACHE {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, id);
    }

    /// The id of a URL that is not in the cache.
    pub fn find(
        &mut self,
        conn: &Connection,
        hash: u128,
        canonical: &[u8],
    ) -> rusqlite::Result<Option<i64>> {
        let is_absent = |filter: &Filter| !filter.may_have(column(hash));
        if self.filter.as_ref().is_some_and(is_absent) {
            return Ok(None);
        }
        self.looked_up += 1;
        if self.filter.is_none() && self.looked_up > self.transaction.max(self.last / LOOKED_UP) {
            self.filter = Some(Filter::of(conn)?);
        }
        Ok(find(conn, hash, canonical)?.map(|found| found.0))
    }

    /// Adds the key of a new URL.
    pub fn add(&mut self, conn: &Connection, hash: u128, id: i64) -> rusqlite::Result<()> {
        let new = match self.new {
            Some(new) => new,
            None => conn.query_row("SELECT count(*) FROM url_key_new", [], |row| row.get(0))?,
        };
        let sql = "INSERT INTO url_key_new VALUES (?1, ?2)";
        conn.prepare_cached(sql)?.execute([column(hash), id])?;
        if let Some(filter) = &mut self.filter {
            filter.add(column(hash));
        }
        (self.new, self.last) = (Some(new + 1), id);
        Ok(())
    }

    /// Moves the rows of `url_key_new` to `url_key`, if there are enough of them.
    pub fn merge(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let enough = (2 * self.transaction).max(self.last / NEW);
        if self.new.is_some_and(|new| new >= enough) {
            conn.execute_batch(
                "INSERT INTO url_key SELECT key, url FROM url_key_new ORDER BY key, url;
                DELETE FROM url_key_new;",
            )?;
            self.new = Some(0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the last of the test vectors of SipHash 2-4 by its authors
    /// (<https://github.com/veorq/SipHash>, `vectors.h`).
    #[test]
    fn hashes_are_the_same_in_every_version() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(
            "CREATE TABLE setting (name, value);
            INSERT INTO setting VALUES ('hash_key',
                x'000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f')",
        )
        .unwrap();
        let keys = Keys::of(&conn).unwrap();
        let bytes: Vec<u8> = (0..63).collect();
        for (bytes, hash) in [
            (&bytes[..0], 0x726f_db47_dd0e_0e31),
            (&bytes[..], 0x958a_324c_eb06_4572),
        ] {
            assert_eq!(keys.hash(bytes), hash << 64 | hash);
        }
    }

    #[test]
    fn the_filter_has_its_keys_and_few_others() {
        let key = |number: i64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) >> 16;
        let mut filter = Filter(vec![0; WORDS]);
        (0..1_000_000).for_each(|number| filter.add(key(number)));
        assert!((0..1_000_000).all(|number| filter.may_have(key(number))));
        let others = (1_000_000..2_000_000).filter(|&number| filter.may_have(key(number)));
        assert!(others.count() < 1_000);
    }
}
