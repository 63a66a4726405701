//! `--tally`: the number of occurrences of each URL, or of the values of some fields.
//!
//! A row is the values of its columns, each escaped by [`escape::field`], with tabs between
//! them. In a URL, hidden characters were escaped by [`escape::url`] before. So a row is
//! printed by `--tally` alone as it is, except that a missing value is an empty text in a
//! row, and is printed as `-`. `--csv`, `--tsv` and `--json` undo the escapes, and print
//! values as they do in the rows of hits.
//!
//! Without fields URLs are counted by their canonical form, and the first spelling is printed.
//! Authors and recipients are counted by their address
//! ([`Author::key`](urlgrep::mail::Author::key)), and the most frequent of their names is
//! printed, if they have one.
//!
//! Lines are ordered by descending count, then by the bytes of the row, unless another
//! [`Order`] is asked for. Rows with missing values come last.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::format::Table;
use super::text::{TextConfig, put_number};
use urlgrep::mail::{Author, MessageInfo};
use urlgrep::rows::{Field, Row, Value, json};
use urlgrep_base::escape;

/// The number of shards.
const SHARDS: usize = 64;

/// The byte before what is printed in place of a value, after the row: the name of a person, or
/// the spelling of a URL. No escaped value has it.
pub const SHOWN: u8 = b'\r';

/// The order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The most frequent first.
    Count,
    /// By the values of the row.
    Value,
    /// By this number of leading columns, then the most frequent first.
    Leading(usize),
}

/// How rows are printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TallyStyle {
    /// `--tally` alone: the count and the values, with tabs between them.
    #[default]
    Text,
    /// `--csv` or `--tsv`, with a header row.
    Table(Table),
    /// `--json`: an object for each row.
    Json,
}

/// True if the values of a column are people.
pub fn is_people(field: Field) -> bool {
    matches!(field, Field::From | Field::To | Field::Cc)
}

/// One of the groups or recipients of a message.
#[derive(Debug, Default)]
pub struct Several {
    /// The text by which it is counted.
    pub key: Vec<u8>,
    /// The name and the address of a recipient.
    pub shown: Vec<u8>,
}

/// The groups or recipients of a message for a column that counts each of them. At least one,
/// which is empty if there is none. Only one of `fields` is such a column.
pub fn several(row: &Row<'_>, info: Option<&MessageInfo>, fields: &[Field]) -> Vec<Several> {
    let mut scratch = Vec::new();
    let mut found = Vec::new();
    if fields.contains(&Field::Group)
        && let Value::Text(groups) = row.value(Field::Group, &mut scratch)
    {
        let names = groups.split(|&b| b == b',').map(<[u8]>::trim_ascii);
        let names = names.filter(|name| !name.is_empty());
        found.extend(names.map(|name| Several {
            key: name.to_vec(),
            shown: Vec::new(),
        }));
    }
    let recipients = info.map_or(&b""[..], |info| {
        if fields.contains(&Field::To) {
            info.to()
        } else if fields.contains(&Field::Cc) {
            info.cc()
        } else {
            b""
        }
    });
    found.extend(Author::each_of(recipients).map(|who| Several {
        key: who.key().to_vec(),
        shown: who.shown().to_vec(),
    }));
    // Who is in To and in Cc counts once.
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found.dedup_by(|a, b| a.key == b.key);
    if found.is_empty() {
        found.push(Several::default());
    }
    found
}

/// A row: its count and its text.
type Tallied = (u64, Box<[u8]>);

/// The count of a row.
#[derive(Debug)]
struct Entry {
    count: u64,
    /// The index of the spelling that is printed, if it is not the row itself.
    spelling: Option<u32>,
}

/// How often each name was seen.
type NameCounts = HashMap<Box<[u8]>, u64>;

/// Counts URLs. There is one entry for each different URL. It takes at most 115
/// bytes and the URL. If people are counted, there is another for each name of one.
/// A spelling that is not the canonical form takes 32 bytes more, and itself.
///
/// An entry takes 33 bytes in a hash table, and an allocation for the URL. The
/// hash table is between 7/16 and 7/8 full. The shards grow one at a time. So
/// there are never two tables of all entries. [`Tally::into_rows`] moves the
/// entries from the shards to rows of 24 bytes.
#[derive(Debug, Default)]
pub struct Tally {
    shards: Vec<HashMap<Box<[u8]>, Entry>>,
    keys: RandomState,
    /// The first spelling of each URL that was not in canonical form there.
    spellings: Vec<Box<[u8]>>,
    /// How often each person has each name.
    names: HashMap<Box<[u8]>, NameCounts>,
}

impl Tally {
    /// Counts a row.
    pub fn add(&mut self, row: &[u8]) {
        self.add_url(row, row);
    }

    /// Counts an occurrence of the URL with this canonical form. Of several spellings the first one
    /// is printed.
    pub fn add_url(&mut self, canonical: &[u8], spelling: &[u8]) {
        if self.shards.is_empty() {
            self.shards.resize_with(SHARDS, HashMap::new);
        }
        let shard = self.keys.hash_one(canonical) as usize % SHARDS;
        if let Some(entry) = self.shards[shard].get_mut(canonical) {
            entry.count += 1;
            return;
        }
        let mut entry = Entry {
            count: 1,
            spelling: None,
        };
        if spelling != canonical {
            entry.spelling = self.spellings.len().try_into().ok();
            self.spellings.push(spelling.into());
        }
        self.shards[shard].insert(canonical.into(), entry);
    }

    /// Counts a name of the person that `row` has in this column.
    pub fn add_name(&mut self, row: &[u8], column: usize, name: &[u8]) {
        let author = values(row).nth(column).unwrap_or_default();
        if !self.names.contains_key(author) {
            self.names.insert(author.into(), HashMap::new());
        }
        let Some(names) = self.names.get_mut(author) else {
            return;
        };
        match names.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                names.insert(name.into(), 1);
            }
        }
    }

    /// The row with the most frequent names of its people. Of several, the first by its bytes. An
    /// address without a name is shown only if no message has a name for it.
    fn named(&self, row: &[u8], people: &[usize]) -> Box<[u8]> {
        let mut named = Vec::new();
        for (at, value) in values(row).enumerate() {
            if at > 0 {
                named.push(b'\t');
            }
            let names = self.names.get(value).filter(|_| people.contains(&at));
            let names = names.into_iter().flatten();
            let most = names.max_by_key(|&(name, count)| (**name != *value, *count, Reverse(name)));
            named.extend_from_slice(most.map_or(value, |(name, _)| name));
        }
        named.into()
    }

    /// Sorts the rows and their counts for the output. `people` are the columns with people.
    #[must_use]
    pub fn into_rows(mut self, order: Order, people: &[usize]) -> Vec<Tallied> {
        let mut rows = Vec::with_capacity(self.shards.iter().map(HashMap::len).sum());
        for shard in std::mem::take(&mut self.shards) {
            for (row, entry) in shard {
                let spelling = entry
                    .spelling
                    .map(|index| &mut self.spellings[index as usize]);
                let shown = match spelling {
                    Some(spelling) => std::mem::take(spelling),
                    None if people.is_empty() => row,
                    None => self.named(&row, people),
                };
                rows.push((entry.count, shown));
            }
        }
        rows.sort_unstable_by(|a, b| compare(a, b, order));
        rows
    }
}

/// Compares two rows.
fn compare(a: &Tallied, b: &Tallied, order: Order) -> Ordering {
    let leading = match order {
        Order::Count => 0,
        Order::Value => usize::MAX,
        Order::Leading(columns) => columns,
    };
    let by_leading = values(&a.1)
        .zip(values(&b.1))
        .take(leading)
        .map(|(a, b)| compare_values(a, b))
        .find(|order| order.is_ne());
    by_leading.unwrap_or_else(|| {
        let missing = |row: &Tallied| {
            let others = values(&row.1).skip(leading);
            others.filter(|value| value.is_empty()).count()
        };
        missing(a)
            .cmp(&missing(b))
            .then_with(|| b.0.cmp(&a.0))
            .then_with(|| a.1.cmp(&b.1))
    })
}

/// Compares two values of a column. A missing one is the last.
fn compare_values(a: &[u8], b: &[u8]) -> Ordering {
    let is_missing = a.is_empty().cmp(&b.is_empty());
    is_missing.then_with(|| a.cmp(b))
}

/// The values of a row.
fn values(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    row.split(|&b| b == b'\t')
}

/// Prints the rows of a tally.
#[derive(Clone, Debug, Default)]
pub struct TallyPrinter {
    style: TallyStyle,
    columns: Vec<Field>,
    text: TextConfig,
}

impl TallyPrinter {
    /// A printer of rows with these columns. `text` has the colours of [`TallyStyle::Text`].
    #[must_use]
    pub fn new(style: TallyStyle, columns: Vec<Field>, text: TextConfig) -> TallyPrinter {
        TallyPrinter {
            style,
            columns,
            text,
        }
    }

    /// Appends the header row of a table.
    pub fn header(&self, out: &mut Vec<u8>) {
        let TallyStyle::Table(table) = self.style else {
            return;
        };
        table.begin(out);
        out.extend_from_slice(Field::Count.name().as_bytes());
        for column in &self.columns {
            out.push(table.separator);
            out.extend_from_slice(column.name().as_bytes());
        }
        out.push(b'\n');
    }

    /// Appends a row.
    pub fn row(&self, count: u64, row: &[u8], out: &mut Vec<u8>) {
        match self.style {
            TallyStyle::Text => {
                let is_url = |column: &Field| *column == Field::Url;
                let values = values(row).zip(self.columns.iter().map(is_url));
                self.text.tallied(count, values, out);
            }
            TallyStyle::Table(table) => {
                put_number(count, out);
                for value in values(row) {
                    out.push(table.separator);
                    table.cell(&undone(value), out);
                }
                out.push(b'\n');
            }
            TallyStyle::Json => {
                let raw: Vec<Vec<u8>> = values(row).map(undone).collect();
                let cells = self.columns.iter().zip(&raw);
                let cells = cells.map(|(&column, text)| (column, text_or_null(text)));
                let count = (Field::Count, Value::Number(count));
                json::write_values(std::iter::once(count).chain(cells), out);
            }
        }
    }
}

fn text_or_null(text: &[u8]) -> Value<'_> {
    if text.is_empty() {
        Value::Null
    } else {
        Value::Text(text)
    }
}

/// The value before it was escaped.
fn undone(value: &[u8]) -> Vec<u8> {
    let mut raw = Vec::new();
    escape::undo_field(value, &mut raw);
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(tally: Tally, order: Order, style: TallyStyle, columns: &[Field]) -> String {
        let printer = TallyPrinter::new(style, columns.to_vec(), TextConfig::default());
        let mut out = Vec::new();
        printer.header(&mut out);
        for (count, row) in tally.into_rows(order, &[]) {
            printer.row(count, &row, &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn counts_go_down_and_urls_up() {
        let mut tally = Tally::default();
        for url in ["http://b/", "http://a/", "http://c/", "http://c/"] {
            tally.add(url.as_bytes());
        }
        for url in ["http://b/", "http://c/", "http://ÿx"] {
            tally.add(url.as_bytes());
        }
        assert_eq!(
            printed(tally, Order::Count, TallyStyle::Text, &[Field::Url]),
            "3\thttp://c/\n2\thttp://b/\n1\thttp://a/\n1\thttp://ÿx\n"
        );
        assert!(Tally::default().into_rows(Order::Value, &[]).is_empty());
    }

    /// In each order, a row with a missing value comes after the others of its leading
    /// columns.
    #[test]
    fn missing_values_come_last() {
        let rows = [
            "1998\tb", "1998\t", "1998\t", "\ta", "\ta", "\ta", "1997\tc",
        ];
        for (order, expected) in [
            (
                Order::Count,
                "1\t1997\tc\n1\t1998\tb\n3\t-\ta\n2\t1998\t-\n",
            ),
            (
                Order::Leading(1),
                "1\t1997\tc\n1\t1998\tb\n2\t1998\t-\n3\t-\ta\n",
            ),
            (
                Order::Value,
                "1\t1997\tc\n1\t1998\tb\n2\t1998\t-\n3\t-\ta\n",
            ),
        ] {
            let mut tally = Tally::default();
            for row in rows {
                tally.add(row.as_bytes());
            }
            let columns = [Field::Year, Field::Host];
            let text = printed(tally, order, TallyStyle::Text, &columns);
            assert_eq!(text, expected, "{order:?}");
        }
    }
}
