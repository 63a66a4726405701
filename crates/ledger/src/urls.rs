//! Finds the row of a URL by its host and a hash of its canonical form. An index
//! of the canonical forms themselves would be as large as the table `url`. With the
//! host, the same index answers questions about a host, and the URLs of a mailbox,
//! which have few hosts, are in few of its pages.

use std::hash::Hasher;
// It is deprecated in favour of `DefaultHasher`, whose algorithm may change. A
// ledger stores hashes, and this one is specified as SipHash 2-4.
#[allow(deprecated)]
use std::hash::SipHasher;

use rusqlite::{Connection, params};

use super::known;
use urlgrep_url::Url;

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
pub(super) fn column(hash: u128) -> i64 {
    (hash as u64 as i64) >> 16
}

/// The host of a URL, in lower case, because case does not matter in a host.
pub(super) fn host<E>(url: Result<Url<'_>, E>) -> Option<String> {
    url.ok()?.host().map(|host| host.as_str().to_lowercase())
}

/// The id and the number of unbroken hits of a URL.
pub(super) fn find(
    conn: &Connection,
    hash: u128,
    host: Option<&[u8]>,
    canonical: &[u8],
) -> rusqlite::Result<Option<(i64, i64)>> {
    // Two URLs may have the same key.
    let sql = "SELECT id, unbroken FROM url WHERE host IS ?1 AND key = ?2 AND canonical = ?3";
    let values = params![host.map(known::text), column(hash), known::text(canonical)];
    known::first(conn, sql, values, |row| Ok((row.get(0)?, row.get(1)?)))
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
}
