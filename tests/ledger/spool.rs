//! A folder of mail, and a ledger of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use urlgrep_ledger::rusqlite::types::ValueRef;
use urlgrep_ledger::rusqlite::{Connection, OpenFlags};

use crate::cli::kit::{Dir, Out};

/// Queries for the rows of the files that exist. They leave out ids and other
/// values that differ between runs. Of the stat of a file only the size is
/// compared. A hit that is gone counts in `url`, so the counts are computed.
const DUMP: &[&str] = &[
    r#"SELECT 'file', f.path, a.path, f.size, f.container, f.read_up_to, f.next_line,
        f.next_message, f.head, f.tail, f.state
        FROM file AS f LEFT JOIN file AS a ON a.id = f.archive WHERE f.state <> 'vanished'"#,
    r#"SELECT 'message', f.path, m.number, m.start, m."end", m.message_id, m.date, m."from",
        m.subject, m."group", m.list_id, m."to", m.cc, m.record_url
        FROM message AS m JOIN file AS f ON f.id = m.file WHERE m.gone = 0"#,
    "SELECT 'url', canonical, key IS NULL, scheme, host, domain, surt, min(m.date), max(m.date), count(*),
        sum(h.seams IS NULL AND h.doubt IS NULL)
        FROM url AS u JOIN hit AS h ON h.url = u.id JOIN file AS f ON f.id = h.file
        LEFT JOIN message AS m ON m.id = h.message
        WHERE h.copy = 0 AND NOT ifnull(m.gone, f.state = 'vanished') GROUP BY u.id",
    r#"SELECT 'hit', f.path, u.canonical, m.start, h."offset", h."end", h.line, h."column", h.role, h.depth,
        h.form, h.spelling, h.doubt, h.seams, h.marks, h.part, h.header,
        h.link_target, h.link_text, h.content_type, h.file_name
        FROM hit AS h JOIN url AS u ON u.id = h.url JOIN file AS f ON f.id = h.file
        LEFT JOIN message AS m ON m.id = h.message
        WHERE NOT ifnull(m.gone, f.state = 'vanished')"#,
    r#"SELECT 'alternate', f.path, h.line, h."offset", a.number, a.kind, a.spelling, a.canonical
        FROM alternate AS a JOIN hit AS h ON h.id = a.hit JOIN file AS f ON f.id = h.file
        LEFT JOIN message AS m ON m.id = h.message
        WHERE NOT ifnull(m.gone, f.state = 'vanished')"#,
];

/// Numbers of rows that contradict others. In a ledger they are 0.
pub const WRONG: &[&str] = &[
    "SELECT count(*) FROM url AS u WHERE (count, unbroken, first_seen, last_seen) IS NOT
        (SELECT count(*), total(h.seams IS NULL AND h.doubt IS NULL), min(m.date), max(m.date)
        FROM hit AS h LEFT JOIN message AS m ON m.id = h.message WHERE h.url = u.id AND h.copy = 0)",
    "SELECT count(*) FROM url WHERE NOT EXISTS (SELECT 1 FROM hit WHERE hit.url = url.id)",
    "SELECT count(*) FROM hit WHERE url NOT IN (SELECT id FROM url)
        OR file NOT IN (SELECT id FROM file)
        OR (message IS NOT NULL AND message NOT IN (SELECT id FROM message))",
    "SELECT count(*) FROM message AS m WHERE id > ifnull((SELECT min(id) FROM hit WHERE message = m.id), 0)
        OR gone = 0 AND id NOT IN (SELECT id FROM hit)",
    "SELECT count(*) FROM message WHERE message_id IS NOT NULL AND
        place NOT IN (SELECT min(o.place) FROM message AS o WHERE o.message_id = message.message_id)",
    // The hits of a URL and a Message-ID count in one message.
    "SELECT count(*) FROM (SELECT count(DISTINCT message) AS n FROM hit
        WHERE place IS NOT NULL AND copy = 0 GROUP BY place, url) WHERE n > 1",
    "SELECT count(*) FROM (SELECT sum(copy = 0) AS n FROM hit
        WHERE place IS NOT NULL GROUP BY place, url) WHERE n = 0",
    "SELECT count(*) FROM alternate WHERE hit NOT IN (SELECT id FROM hit)",
    // A hit is not gone if a message that has its Message-ID and its URL is not.
    "SELECT count(*) FROM hit AS h JOIN message AS m ON m.id = h.message JOIN hit AS o USING (place, url)
        JOIN message AS n ON n.id = o.message WHERE m.gone <> n.gone",
];

pub struct Spool {
    pub dir: Dir,
}

impl Spool {
    pub fn new() -> Spool {
        let dir = Dir::new();
        fs::create_dir(dir.path().join("spool")).unwrap();
        Spool { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("spool").join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.dir.write(Path::new("spool").join(name), bytes);
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn append(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let mut all = self.read(name);
        all.extend_from_slice(bytes.as_ref());
        self.write(name, all);
    }

    /// Writes other bytes, but keeps the size and the modification time.
    pub fn write_unseen(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let meta = fs::metadata(self.path(name)).unwrap();
        assert_eq!(meta.len(), bytes.as_ref().len() as u64);
        self.write(name, bytes);
        let file = fs::File::options()
            .write(true)
            .open(self.path(name))
            .unwrap();
        file.set_modified(meta.modified().unwrap()).unwrap();
    }

    /// Makes sure that the change of a file is noticed, for any resolution of the
    /// clock of the file system.
    pub fn touch(&self, name: &str) {
        let file = fs::File::options()
            .write(true)
            .open(self.path(name))
            .unwrap();
        let time = file.metadata().unwrap().modified().unwrap();
        file.set_modified(time + Duration::from_secs(1)).unwrap();
    }

    pub fn run(&self, args: &[&str]) -> Out {
        self.dir.run(["--ledger", "links.db"].iter().chain(args))
    }

    /// Updates the ledger, and returns the sorted output.
    #[track_caller]
    pub fn news(&self) -> Vec<String> {
        let out = self.run(&["spool"]);
        assert_eq!(out.errors, "");
        let mut lines: Vec<_> = out.text().lines().map(str::to_owned).collect();
        lines.sort();
        assert_eq!(out.code, Some(i32::from(lines.is_empty())));
        lines
    }

    /// The rows of the ledger `name`, sorted.
    pub fn dump(&self, name: &str) -> Vec<String> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let conn = Connection::open_with_flags(self.dir.path().join(name), flags).unwrap();
        let mut lines = Vec::new();
        for sql in DUMP {
            let mut statement = conn.prepare(sql).unwrap();
            let columns = statement.column_count();
            let mut rows = statement.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let values = (0..columns).map(|i| match row.get_ref(i).unwrap() {
                    ValueRef::Null => "-".to_owned(),
                    ValueRef::Integer(number) => number.to_string(),
                    ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    other => format!("{other:?}"),
                });
                lines.push(values.collect::<Vec<_>>().join("|"));
            }
        }
        lines.sort();
        lines
    }

    /// Checks that the ledger has the same rows as a new one, and beside them only
    /// rows of messages and files that are gone.
    #[track_caller]
    pub fn is_as_new(&self) {
        let fresh = self.dir.path().join("fresh.db");
        let _ = fs::remove_file(&fresh);
        let out = self.dir.run(["--ledger", "fresh.db", "-q", "spool"]);
        assert_eq!(out.errors, "");
        for sql in WRONG {
            assert_eq!(self.ask(sql), 0, "{sql}");
        }
        let (had, has) = (self.dump("links.db"), self.dump("fresh.db"));
        let only = |a: &[String], b: &[String]| -> Vec<String> {
            a.iter().filter(|line| !b.contains(line)).cloned().collect()
        };
        assert!(
            had == has,
            "only in the ledger {:#?}\nonly in a new one {:#?}",
            only(&had, &has),
            only(&has, &had)
        );
    }

    /// Changes the ledger, as another program might.
    pub fn change(&self, sql: &str) {
        let conn = Connection::open(self.dir.path().join("links.db")).unwrap();
        let sql = format!("PRAGMA foreign_keys = OFF; {sql}");
        conn.execute_batch(&sql).unwrap();
    }

    /// The steps in which SQLite would answer a query of the ledger.
    pub fn plan(&self, sql: &str) -> Vec<String> {
        let conn = Connection::open(self.dir.path().join("links.db")).unwrap();
        let mut plan = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = plan.query_map([], |row| row.get("detail")).unwrap();
        steps.map(Result::unwrap).collect()
    }

    /// The number that a query of the ledger returns.
    pub fn ask(&self, sql: &str) -> i64 {
        let conn = Connection::open(self.dir.path().join("links.db")).unwrap();
        conn.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

/// A message of an mbox with a URL, of about 400 bytes.
pub fn message(number: usize) -> String {
    let day = 1 + number % 28;
    let (host, words) = (number % 7, "some words of a letter\n".repeat(10));
    format!(
        "From a@b.example Thu Jan  1 00:00:00 1998\nMessage-ID: <{number}@b.example>\n\
         Date: {day} Jan 1998 10:00:00 +0000\nFrom: A <a@b.example>\nSubject: letter {number}\n\n\
         see http://h{host}.example/{number} and\nhttp://every.example/\n{words}\n"
    )
}

/// Messages of an mbox.
pub fn mbox(numbers: std::ops::Range<usize>) -> String {
    numbers.map(message).collect()
}
