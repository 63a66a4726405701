//! Counts by keys, in bounded memory.

use std::collections::{BTreeMap, HashMap};

use super::entry::Example;
use urlgrep_mail::mime::Date;

/// The maximum number of different keys in a table.
pub(super) const KEYS: usize = 1 << 16;
/// The maximum number of rows in a list.
pub(super) const ROWS: usize = 20;

/// The count of one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub count: u64,
    pub first: Option<Date>,
    pub last: Option<Date>,
}

/// The maximum number of different names of an author.
const NAMES: usize = 16;

/// The names of an author, with their counts.
type Names = Vec<(Box<str>, u64)>;

/// The counts of a key in the years that have any, not in order.
type Years = Vec<(i32, u64)>;

/// Counts by keys that come from the input.
#[derive(Clone, Debug, Default)]
pub(super) struct Top {
    rows: HashMap<Box<str>, Tally>,
    /// The years of the keys that are counted by year.
    years: HashMap<Box<str>, Years>,
    /// The names of the keys that are authors.
    names: HashMap<Box<str>, Names>,
    /// Keys were dropped, so counts may be too low.
    pub is_partial: bool,
}

impl Top {
    /// Counts a key, unless it is empty.
    pub fn add(&mut self, key: &str, date: Option<Date>) {
        if let Some(row) = self.rows.get_mut(key) {
            row.see(date);
            return;
        }
        if key.is_empty() {
            return;
        }
        if self.rows.len() >= KEYS {
            self.halve();
        }
        let mut row = Tally::default();
        row.see(date);
        self.rows.insert(key.into(), row);
    }

    /// Counts an author under a key. The most frequent of the names is shown. Names after the
    /// first [`NAMES`] are not counted.
    pub fn add_named(&mut self, key: &str, name: &str, date: Option<Date>) {
        self.add(key, date);
        let Some(names) = self.names.get_mut(key) else {
            if !key.is_empty() {
                self.names.insert(key.into(), vec![(name.into(), 1)]);
            }
            return;
        };
        if let Some((_, count)) = names.iter_mut().find(|(known, _)| **known == *name) {
            *count += 1;
        } else if names.len() < NAMES {
            names.push((name.into(), 1));
        }
    }

    /// Counts a key, also in its year. `year` is that of `date`.
    pub fn add_in_year(&mut self, key: &str, date: Option<Date>, year: Option<i32>) {
        self.add(key, date);
        let Some(year) = year.filter(|_| !key.is_empty()) else {
            return;
        };
        let Some(years) = self.years.get_mut(key) else {
            self.years.insert(key.into(), vec![(year, 1)]);
            return;
        };
        // Most messages follow one of the same year.
        match years.iter_mut().rev().find(|(known, _)| *known == year) {
            Some((_, count)) => *count += 1,
            None => years.push((year, 1)),
        }
    }

    /// The keys that were counted in a year, with their years.
    pub fn years(&self) -> impl Iterator<Item = (&str, &[(i32, u64)])> {
        let years = self.years.iter();
        years.map(|(key, years)| (&**key, &**years))
    }

    /// The count of a key in a year.
    pub fn in_year(&self, key: &str, year: i32) -> u64 {
        let mut years = self.years.get(key).into_iter().flatten();
        years.find(|(at, _)| *at == year).map_or(0, |(_, n)| *n)
    }

    /// The most frequent name of a key. Of several, the first by its bytes.
    fn shown<'t>(&'t self, key: &'t str) -> &'t str {
        let names = self.names.get(key).into_iter().flatten();
        let most = names.max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        most.map_or(key, |(name, _)| name)
    }

    /// Drops the rarer half of the keys. Among keys with the same count, those
    /// that sort last are dropped.
    fn halve(&mut self) {
        self.is_partial = true;
        let mut rows: Vec<_> = self.rows.drain().collect();
        rows.select_nth_unstable_by(KEYS / 2, order);
        rows.truncate(KEYS / 2);
        self.rows.extend(rows);
        let rows = &self.rows;
        self.names.retain(|key, _| rows.contains_key(key));
        self.years.retain(|key, _| rows.contains_key(key));
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The most frequent keys. There are at most [`ROWS`].
    pub fn first(&self) -> Vec<(&str, Tally)> {
        let mut rows: Vec<_> = self.rows.iter().map(|(key, row)| (&**key, *row)).collect();
        rows.sort_unstable_by(order);
        rows.truncate(ROWS);
        { rows.into_iter() }
            .map(|(key, row)| (self.shown(key), row))
            .collect()
    }
}

/// Descending by count, then ascending by key.
fn order<K: Ord>(a: &(K, Tally), b: &(K, Tally)) -> std::cmp::Ordering {
    b.1.count.cmp(&a.1.count).then_with(|| a.0.cmp(&b.0))
}

impl Tally {
    fn see(&mut self, date: Option<Date>) {
        self.count += 1;
        self.first = [self.first, date].into_iter().flatten().min();
        self.last = self.last.max(date);
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
        let (first, last) = (date("1 Jan 1994 10:00"), date("2 Feb 1999 10:00"));
        assert!(first.is_some() && last.is_some());
        for i in 0..3 * KEYS {
            top.add_in_year(&i.to_string(), None, Some(1994));
            let (date, year) = if i % 2 == 0 {
                (last, 1999)
            } else {
                (first, 1994)
            };
            top.add_in_year("frequent", date, Some(year));
            assert!(top.len() <= KEYS && top.years.len() <= KEYS);
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
}
