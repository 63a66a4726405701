//! The tables of a ledger, and the numbers that identify its file.

/// `application_id` of a ledger: `URLg` in ASCII.
pub(super) const APPLICATION: i32 = i32::from_be_bytes(*b"URLg");

/// `user_version` of the tables below. Each change of the tables needs a new
/// version.
pub(super) const VERSION: i32 = 9;

/// The tables of version 9. `docs/ledger.md` has a diagram and explains them.
///
/// A text that is not UTF-8 is stored as a BLOB. SQLite does not enforce
/// references here. The writer removes rows in the right order. Checking
/// references would take longer than the removal.
pub(super) const TABLES: &str = include_str!("schema.sql");

/// What an earlier version lacks, with its number. Version 4 had no recipients, version 5 did not
/// say which of them are in Cc, version 6 had no URLs of records, version 7 no types of parts, and
/// version 8 no file names. For messages that such a version recorded, these values are unknown.
pub(super) const UPGRADES: [(i32, &str); 5] = [
    (4, r#"ALTER TABLE message ADD COLUMN "to" TEXT;"#),
    (5, "ALTER TABLE message ADD COLUMN cc TEXT;"),
    (6, "ALTER TABLE message ADD COLUMN record_url TEXT;"),
    (7, "ALTER TABLE hit ADD COLUMN content_type TEXT;"),
    (8, "ALTER TABLE hit ADD COLUMN file_name TEXT;"),
];

/// The indexes that a first run makes at its end, unless it needs them before. Then a row
/// costs a sixth less.
pub(super) const INDEXES: &str = include_str!("indexes.sql");

/// Temporary tables of one run: the first runs of hits that were removed in this
/// file, messages to be removed, the URLs of the hits of one of them, and those that were found
/// elsewhere.
pub(super) const TEMPORARY: &str = include_str!("temporary.sql");
