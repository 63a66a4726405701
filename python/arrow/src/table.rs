//! Rows as a worker collects them.
//!
//! Values that are equal in many hits are kept once. A row has the number of an
//! *entry* in each group of columns, and the entry has the values.

use std::sync::Arc;

use urlgrep::mail::MessageInfo;
use urlgrep::rows::{FaultRecord, Field, NoteRecord, Record, Row, Value};
use urlgrep::search::Message;

use crate::column::{Columns, Group, Part};
use crate::values::{Column, Texts};

/// The approximate size of a value without its text or its items, in bytes.
const VALUE: usize = 8;
/// The vectors of a table with more bytes are not reused.
const LARGE: usize = 2 << 20;
/// The number of entries of a group that are found again by their keys, and the
/// approximate maximum of their bytes after the rows are removed.
const KEPT: usize = 1024;
const KEPT_BYTES: usize = 512 << 10;

/// Rows.
pub struct Table {
    columns: Arc<Columns>,
    pub groups: Vec<Entries>,
    keys: Keys,
    scratch: Vec<u8>,
    /// True if a panic left a row incomplete.
    is_broken: bool,
    /// The number of complete rows.
    pub rows: usize,
    /// Their approximate size in a batch, in bytes.
    pub bytes: usize,
}

impl Table {
    pub fn new(columns: &Arc<Columns>) -> Table {
        Table {
            groups: Group::ALL
                .map(|group| Entries::new(group, columns))
                .into_iter()
                .filter(|entries| !entries.columns.is_empty())
                .collect(),
            columns: Arc::clone(columns),
            keys: Keys::default(),
            scratch: Vec::new(),
            is_broken: false,
            rows: 0,
            bytes: 0,
        }
    }

    /// Appends a row.
    pub fn hit(&mut self, record: &Record<'_>) {
        self.push(&Row::from(record), Some(record));
    }

    /// Appends a row.
    pub fn note(&mut self, record: &NoteRecord<'_>) {
        self.push(&Row::from(record), None);
    }

    /// Appends a row.
    pub fn fault(&mut self, record: &FaultRecord<'_>) {
        self.push(&Row::from(record), None);
    }

    #[inline(never)]
    fn push(&mut self, row: &Row<'_>, hit: Option<&Record<'_>>) {
        self.is_broken = true;
        for entries in &mut self.groups {
            self.keys.set(entries.group, hit);
            self.bytes += entries.push(row, &self.keys.key, &mut self.scratch);
        }
        self.bytes += VALUE * self.columns.fields.len();
        self.rows += 1;
        self.is_broken = false;
    }

    /// Removes all rows. Keeps the capacity and entries, unless they are large.
    pub fn clear(&mut self) {
        if self.bytes > LARGE || self.is_broken {
            *self = Table::new(&Arc::clone(&self.columns));
        }
        self.groups.iter_mut().for_each(Entries::clear);
        self.rows = 0;
        self.bytes = 0;
    }
}

/// The values of a group of columns.
pub struct Entries {
    group: Group,
    /// The columns with their numbers in the batch.
    pub columns: Vec<(usize, Column)>,
    fields: Vec<(Field, Part)>,
    /// The entry of each row.
    pub of_rows: Vec<u32>,
    /// The key of each entry. Entries with the same key have the same values. The
    /// key is empty if the values are not known to occur again.
    keys: Texts,
    /// The approximate size of each entry in bytes.
    sizes: Vec<usize>,
    /// The sum of the sizes.
    bytes: usize,
    /// By the hashes of keys, the last entries that had them. Empty if only
    /// adjacent rows share entries.
    slots: Vec<u32>,
}

impl Entries {
    fn new(group: Group, columns: &Columns) -> Entries {
        let all = columns.fields.iter().copied().enumerate();
        let mine = all.filter(|&(_, (field, _))| Group::of(field) == group);
        let slots = match group {
            Group::Url | Group::Place => KEPT,
            _ => 0,
        };
        Entries {
            group,
            columns: mine
                .clone()
                .map(|(number, (field, part))| (number, Column::new(field, part)))
                .collect(),
            fields: mine.map(|(_, field)| field).collect(),
            of_rows: Vec::new(),
            keys: Texts::new(),
            sizes: Vec::new(),
            bytes: 0,
            slots: vec![0; slots],
        }
    }

    /// Appends a row with this key. Returns its size.
    fn push(&mut self, row: &Row<'_>, key: &[u8], scratch: &mut Vec<u8>) -> usize {
        let last = self.of_rows.last().copied();
        let entry = match last.filter(|&last| self.has_key(last, key)) {
            Some(last) => last,
            None => self.find_or_add(row, key, scratch),
        };
        self.of_rows.push(entry);
        self.sizes[entry as usize]
    }

    fn find_or_add(&mut self, row: &Row<'_>, key: &[u8], scratch: &mut Vec<u8>) -> u32 {
        let slot = match self.slots.len() {
            0 => 0,
            slots => hash(key) % slots,
        };
        if let Some(&known) = self.slots.get(slot)
            && self.has_key(known, key)
        {
            return known;
        }
        let entry = self.sizes.len() as u32;
        self.add(row, scratch);
        self.keys.raw(key);
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = entry;
        }
        entry
    }

    /// True if the values of an entry are those of every row with this key.
    fn has_key(&self, entry: u32, key: &[u8]) -> bool {
        let entry = entry as usize;
        !key.is_empty() && entry < self.sizes.len() && self.keys.get(entry) == key
    }

    /// Appends the values of a row as an entry.
    fn add(&mut self, row: &Row<'_>, scratch: &mut Vec<u8>) {
        let (entry, mut size) = (self.sizes.len(), 0);
        // The field of the column before, if its text is UTF-8.
        let mut plain = None;
        for ((_, column), &(field, part)) in self.columns.iter_mut().zip(&self.fields) {
            let value = match part {
                Part::Bytes if plain == Some(field) => Value::Null,
                _ => row.value(field, scratch),
            };
            plain = column.push(entry, value, &mut size).then_some(field);
        }
        self.sizes.push(size);
        self.bytes += size;
    }

    /// Completes the columns that have values.
    pub fn pad(&mut self) {
        let len = self.sizes.len();
        self.columns.iter_mut().for_each(|(_, c)| c.pad(len));
    }

    fn clear(&mut self) {
        self.of_rows.clear();
        if self.slots.is_empty() || self.sizes.len() > KEPT || self.bytes > KEPT_BYTES {
            self.columns.iter_mut().for_each(|(_, c)| c.clear());
            self.keys.clear();
            self.sizes.clear();
            self.bytes = 0;
        }
    }
}

/// A hash of a key.
fn hash(key: &[u8]) -> usize {
    let mix = |hash: u64, word: &[u8; 8]| {
        let hash = hash.rotate_left(5) ^ u64::from_le_bytes(*word);
        hash.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    let words = key.as_chunks().0.iter().chain(key.last_chunk());
    (words.fold(key.len() as u64, mix) >> 32) as usize
}

/// Makes the keys of entries.
#[derive(Default)]
struct Keys {
    /// The key that was made last.
    key: Vec<u8>,
    /// The last message: its number, start and end, its header, and a number that
    /// no earlier message had.
    place: Option<(Option<u64>, u64, Option<u64>)>,
    info: MessageInfo,
    count: u64,
}

impl Keys {
    /// Makes the key of the values that a group has in this row. It is empty if the
    /// row is not a hit, and if its values rarely occur again.
    fn set(&mut self, group: Group, hit: Option<&Record<'_>>) {
        self.key.clear();
        let Some(record) = hit.filter(|record| record.hit.url().is_ok()) else {
            return;
        };
        let (found, hit) = (&record.found, record.hit);
        let is_link = found.link_target().is_some() || found.link_text().is_some();
        match group {
            Group::File => {
                self.text(record.read_as.unwrap_or_default().as_bytes());
                self.text(record.path_or_stdin());
            }
            Group::Url if !is_link => {
                self.text(hit.profile().name().as_bytes());
                self.text(hit.text());
            }
            Group::Message => {
                if let Some(message) = &found.message {
                    self.message(message);
                }
                self.key.extend_from_slice(&self.count.to_le_bytes());
                self.key.push(u8::from(found.message.is_some()));
            }
            Group::Place if !is_link => {
                let is_plain = found.source().is_some_and(|place| place.seams.is_empty())
                    && hit.doubts().is_empty()
                    && hit.alternates().next().is_none()
                    && found.in_ledger().corroborated.is_none();
                if is_plain {
                    self.place(record);
                }
            }
            _ => {}
        }
    }

    fn message(&mut self, message: &Message<'_>) {
        let place = Some((message.number, message.start, message.end));
        if self.place != place || self.info != *message.info {
            self.place = place;
            self.info.clone_from(message.info);
            self.count += 1;
        }
    }

    fn place(&mut self, record: &Record<'_>) {
        let (found, hit) = (&record.found, record.hit);
        let role = found.role();
        let depth = role.and_then(|role| role.depth()).unwrap_or(u32::MAX);
        self.text(hit.form().name().as_bytes());
        self.key.push(u8::from(hit.continues()));
        self.key.push(u8::from(hit.glued()));
        self.text(role.map_or("", |role| role.name()).as_bytes());
        self.key.extend_from_slice(&depth.to_le_bytes());
        self.key.push(u8::from(found.part().is_some()));
        self.text(found.part().unwrap_or_default().as_bytes());
        self.text(found.content_type().unwrap_or_default().as_bytes());
        self.text(found.file_name().unwrap_or_default().as_bytes());
        self.text(found.member().unwrap_or_default());
        self.key.push(u8::from(found.header().is_some()));
        self.text(found.header().unwrap_or_default());
    }

    /// Appends a text and its length, so that different texts have different keys.
    fn text(&mut self, text: &[u8]) {
        self.key
            .extend_from_slice(&(text.len() as u32).to_le_bytes());
        self.key.extend_from_slice(text);
    }
}
