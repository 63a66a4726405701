//! Counts by keys, in bounded memory.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use super::days::{SECONDS, day_of};
use super::entry::Example;
use urlgrep_mail::mime::Date;

/// The maximum number of different keys in a table.
const KEYS: usize = 1 << 16;
/// The maximum number of rows in a list.
pub(super) const ROWS: usize = 20;
/// The maximum number of different names of an author.
const NAMES: u16 = 16;
/// The memory of a row besides its text, in bytes, if the collections of its table are
/// between half full and full.
const ROW: usize = 80;
/// The owner of a name whose author was dropped. A table has fewer rows.
const NO_OWNER: u32 = u32::MAX;
/// The memory of the count of a year in bytes.
const YEAR: usize = 32;

static HASHES: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The count of one key, and the days of the first and the last of its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub count: u64,
    pub first: Option<Date>,
    pub last: Option<Date>,
}

/// Counts by keys that come from the input.
#[derive(Clone, Debug, Default)]
pub(super) struct Top {
    keys: Table,
    /// The names of the keys that are authors.
    names: Table,
    /// How often the keys that are counted by year were seen in each year, by their rows.
    years: HashMap<(u32, i32), u64>,
    /// Keys were dropped, so counts may be too low.
    pub is_partial: bool,
}

/// Texts with their counts. The texts are in one buffer: small allocations that stay would
/// divide the memory of the buffers that a search frees and allocates all the time, so that it
/// could not be used again.
#[derive(Clone, Debug, Default)]
struct Table {
    texts: String,
    rows: Vec<Counter>,
    /// The numbers of the rows, by a hash of their texts and owners.
    index: HashMap<u64, u32>,
}

/// The count of a text.
#[derive(Clone, Copy, Debug)]
struct Counter {
    count: u64,
    /// Where the text is.
    at: u32,
    len: u16,
    /// The number of names of an author.
    names: u16,
    /// The row of the author that has this name.
    owner: u32,
    /// Days since 1970. The first is after the last if no message had a date.
    first: i32,
    last: i32,
}

impl Counter {
    fn see(&mut self, date: Option<Date>) {
        self.count += 1;
        if let Some(day) = date.and_then(day_of) {
            self.first = self.first.min(day);
            self.last = self.last.max(day);
        }
    }

    fn tally(&self) -> Tally {
        let has_date = self.first <= self.last;
        let date = |day| has_date.then(|| Date::from_unix_seconds(SECONDS * i64::from(day)));
        Tally {
            count: self.count,
            first: date(self.first),
            last: date(self.last),
        }
    }
}

impl Table {
    fn text(&self, row: &Counter) -> &str {
        let at = row.at as usize;
        &self.texts[at..at + usize::from(row.len)]
    }

    /// The row with this text and owner. Texts with the same hash count as one. The hash has a
    /// random key, so the author of a mail cannot choose such texts, and 64 bits make them
    /// unlikely by chance.
    fn find(&self, owner: u32, text: &str) -> Option<u32> {
        self.index.get(&HASHES.hash_one((owner, text))).copied()
    }

    /// Adds a row without a count. Returns its number. A text has at most
    /// [`TEXT`](super::entry::TEXT) characters, and a report has a few megabytes of them.
    fn insert(&mut self, owner: u32, text: &str) -> u32 {
        let number = self.rows.len() as u32;
        self.rows.push(Counter {
            count: 0,
            at: self.texts.len() as u32,
            len: text.len() as u16,
            names: 0,
            owner,
            first: i32::MAX,
            last: i32::MIN,
        });
        self.texts += text;
        self.index.insert(HASHES.hash_one((owner, text)), number);
        number
    }

    /// Drops the rows that do not stay. Returns the new number of each row that does.
    ///
    /// Everything is moved within its buffer. A copy of what stays, made before the rest was
    /// freed, took half of the memory of all tables again, and was the peak of a report.
    fn retain(&mut self, stays: impl Fn(usize, &Counter) -> bool) -> Vec<Option<u32>> {
        let mut texts = std::mem::take(&mut self.texts).into_bytes();
        let mut numbers = Vec::with_capacity(self.rows.len());
        let (mut rows, mut end) = (0, 0);
        self.index.clear();
        for number in 0..self.rows.len() {
            let mut row = self.rows[number];
            if !stays(number, &row) {
                numbers.push(None);
                continue;
            }
            let (at, len) = (row.at as usize, usize::from(row.len));
            texts.copy_within(at..at + len, end);
            row.at = end as u32;
            self.rows[rows] = row;
            numbers.push(Some(rows as u32));
            rows += 1;
            end += len;
        }
        self.rows.truncate(rows);
        texts.truncate(end);
        self.texts = String::from_utf8(texts).expect("whole texts were moved");
        for (number, row) in self.rows.iter().enumerate() {
            let hash = HASHES.hash_one((row.owner, self.text(row)));
            self.index.insert(hash, number as u32);
        }
        numbers
    }

    fn bytes(&self) -> usize {
        ROW * self.rows.len() + self.texts.len()
    }

    /// The numbers of the `most` most frequent rows, unsorted. Of rows with the same count,
    /// those whose texts sort first.
    fn select(&self, most: usize) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..self.rows.len() as u32).collect();
        if most < rows.len() {
            rows.select_nth_unstable_by(most, |&a, &b| self.compare(a, b));
            rows.truncate(most);
        }
        rows
    }

    fn compare(&self, a: u32, b: u32) -> Ordering {
        let [a, b] = [a, b].map(|number| &self.rows[number as usize]);
        let texts = || self.text(a).cmp(self.text(b));
        b.count.cmp(&a.count).then_with(texts)
    }
}

impl Top {
    /// Counts a key, unless it is empty.
    pub fn add(&mut self, key: &str, date: Option<Date>) {
        self.count(key, date);
    }

    /// Counts a key. Returns the number of its row.
    fn count(&mut self, key: &str, date: Option<Date>) -> Option<u32> {
        if key.is_empty() {
            return None;
        }
        let number = self.keys.find(0, key).unwrap_or_else(|| {
            if self.keys.rows.len() >= KEYS {
                self.halve();
            }
            self.keys.insert(0, key)
        });
        self.keys.rows[number as usize].see(date);
        Some(number)
    }

    /// Counts an author under a key. The most frequent of the names is shown. Names after the
    /// first [`NAMES`] are not counted.
    pub fn add_named(&mut self, key: &str, name: &str, date: Option<Date>) {
        let Some(owner) = self.count(key, date) else {
            return;
        };
        let author = &mut self.keys.rows[owner as usize];
        let number = match self.names.find(owner, name) {
            Some(number) => number,
            None if author.names < NAMES => {
                author.names += 1;
                self.names.insert(owner, name)
            }
            None => return,
        };
        self.names.rows[number as usize].count += 1;
    }

    /// Counts a key, also in its year. `year` is that of `date`.
    pub fn add_in_year(&mut self, key: &str, date: Option<Date>, year: Option<i32>) {
        if let Some(owner) = self.count(key, date)
            && let Some(year) = year
        {
            *self.years.entry((owner, year)).or_default() += 1;
        }
    }

    /// The keys that were counted in a year, with their years and the counts in these. The
    /// years of a key are next to each other.
    pub fn years(&self) -> Vec<(&str, i32, u64)> {
        let mut years: Vec<_> = self.years.iter().collect();
        years.sort_unstable();
        let years = years.into_iter().map(|(&(owner, year), &count)| {
            let key = self.keys.text(&self.keys.rows[owner as usize]);
            (key, year, count)
        });
        years.collect()
    }

    /// The count of a key in a year.
    pub fn in_year(&self, key: &str, year: i32) -> u64 {
        let owner = self.keys.find(0, key);
        let count = owner.and_then(|owner| self.years.get(&(owner, year)));
        count.copied().unwrap_or_default()
    }

    /// The most frequent name of a key. Of several, the first by its bytes. An address without a
    /// name, which is the key itself, is shown only if there is no name.
    fn shown(&self, key: &Counter) -> &str {
        let text = self.keys.text(key);
        let Some(owner) = self.keys.find(0, text) else {
            return text;
        };
        let names = self.names.rows.iter().filter(|name| name.owner == owner);
        let names = names.map(|name| (name.count, self.names.text(name)));
        let most = names.max_by_key(|&(count, name)| (name != text, count, Reverse(name)));
        most.map_or(text, |(_, name)| name)
    }

    /// Drops the rarer half of the keys. Among keys with the same count, those
    /// that sort last are dropped.
    pub fn halve(&mut self) {
        if self.keys.rows.is_empty() {
            return;
        }
        self.is_partial = true;
        let mut stays = vec![false; self.keys.rows.len()];
        for number in self.keys.select(stays.len() / 2) {
            stays[number as usize] = true;
        }
        let owners = self.keys.retain(|number, _| stays[number]);
        let owner = |old: u32| owners[old as usize];
        for row in &mut self.names.rows {
            row.owner = owner(row.owner).unwrap_or(NO_OWNER);
        }
        self.names.retain(|_, row| row.owner != NO_OWNER);
        let years = std::mem::take(&mut self.years);
        let years = years
            .into_iter()
            .filter_map(|((old, year), count)| Some(((owner(old)?, year), count)));
        self.years = years.collect();
    }

    pub fn len(&self) -> usize {
        self.keys.rows.len()
    }

    /// The approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.keys.bytes() + self.names.bytes() + YEAR * self.years.len()
    }

    /// The most frequent keys. There are at most [`ROWS`].
    pub fn first(&self) -> Vec<(&str, Tally)> {
        let mut rows = self.keys.select(ROWS);
        rows.sort_by(|&a, &b| self.keys.compare(a, b));
        let rows = rows.iter().map(|&number| number as usize);
        rows.map(|number| &self.keys.rows[number])
            .map(|row| (self.shown(row), row.tally()))
            .collect()
    }
}

/// Counts by names that this library defines. Keeps the first [`ROWS`] examples
/// of each name.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds(BTreeMap<&'static str, (u64, Vec<Example>)>);

impl Kinds {
    pub fn add(&mut self, name: &'static str, example: impl FnOnce() -> Example) {
        let (count, rows) = self.0.entry(name).or_default();
        *count += 1;
        if rows.len() < ROWS {
            rows.push(example());
        }
    }

    /// The names with their counts and rows, the most frequent first.
    pub fn rows(&self) -> Vec<(&'static str, u64, &[Example])> {
        let kinds = self.0.iter();
        let mut rows: Vec<_> = kinds
            .map(|(&name, kind)| (name, kind.0, &*kind.1))
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.1));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_keeps_the_frequent_keys() {
        let mut top = Top::default();
        let date = |text: &str| Date::parse(text.as_bytes());
        let (first, last) = (date("1 Jan 1994 00:00"), date("2 Feb 1999 00:00"));
        assert!(first.is_some() && last.is_some());
        for i in 0..3 * KEYS {
            top.add_in_year(&i.to_string(), None, Some(1994));
            let (date, year) = if i % 2 == 0 {
                (last, 1999)
            } else {
                (first, 1994)
            };
            top.add_in_year("frequent", date, Some(year));
            assert!(top.len() <= KEYS && top.years.len() <= KEYS + 1);
        }
        let rows = top.first();
        assert_eq!((rows.len(), rows[0].0), (ROWS, "frequent"));
        let expected = Tally {
            count: 3 * KEYS as u64,
            first,
            last,
        };
        assert_eq!(rows[0].1, expected);
        let half = 3 * KEYS as u64 / 2;
        let years = [1994, 1999, 2000].map(|year| top.in_year("frequent", year));
        assert_eq!(years, [half, half, 0]);
        assert!(top.is_partial);
    }

    #[test]
    fn memory_is_that_of_the_keys_that_are_kept() {
        let mut top = Top::default();
        for i in 0..1000 {
            let key = format!("{i:04}");
            top.add_named(&key, &format!("A{i:03}"), None);
            // An address without a name is never shown in place of a name.
            top.add_named(&key, &key, None);
            top.add_named(&key, &key, None);
        }
        // The key and two names.
        let of_key = 3 * (ROW + 4);
        assert_eq!((top.len(), top.bytes()), (1000, 1000 * of_key));
        assert_eq!(top.first()[0].0, "A000");
        top.halve();
        assert_eq!((top.len(), top.bytes()), (500, 500 * of_key));
        assert_eq!(top.first()[0].0, "A000");
        for _ in 0..20 {
            top.halve();
        }
        assert_eq!((top.len(), top.bytes()), (0, 0));
    }
}
