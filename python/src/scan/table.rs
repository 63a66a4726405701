//! Rows in the buffers of Arrow columns.
//!
//! Rows are appended to vectors. A finished vector becomes the buffer of an array
//! without a copy, and the next vector begins with the capacity that was needed.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, ListArray, PrimitiveArray, RecordBatch,
    RecordBatchOptions, StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use urlgrep::record::{Field, Row, Type, Value};
use urlgrep::span::{Seam, Span};

use super::column::{Columns, Part};

/// The approximate size of a value without its text or its items, in bytes.
const VALUE: usize = 8;
/// The approximate size of an item of a list, in bytes.
const ITEM: usize = 48;

/// The vectors of a table with more bytes are not reused.
const KEPT: usize = 2 << 20;

/// A number of the library as a signed one. The library has no larger number.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A length as an offset. A table is far smaller than 2 GiB.
fn offset(len: usize) -> i32 {
    i32::try_from(len).unwrap_or(i32::MAX)
}

/// Takes the items of a vector. The next vector has room for as many, and an eighth
/// more.
fn take<T>(items: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(items.len() + items.len() / 8);
    std::mem::replace(items, next)
}

/// The ends of texts or lists. The first one is 0.
struct Ends(Vec<i32>);

impl Ends {
    fn new() -> Ends {
        Ends(vec![0])
    }

    /// The parts with these numbers, as a range of bytes or items.
    fn of(&self, parts: &Range<usize>) -> Range<usize> {
        self.0[parts.start] as usize..self.0[parts.end] as usize
    }

    /// Appends some parts of `from`. They begin at `start` there, and at `at` here.
    fn extend(&mut self, from: &Ends, parts: &Range<usize>, start: usize, at: usize) {
        let (start, at) = (offset(start), offset(at));
        let ends = &from.0[parts.start + 1..=parts.end];
        self.0.extend(ends.iter().map(|end| end - start + at));
    }

    fn finish(&mut self) -> OffsetBuffer<i32> {
        let ends = take(&mut self.0);
        self.0.push(0);
        OffsetBuffer::new(ScalarBuffer::from(ends))
    }
}

/// Texts, one after another.
struct Texts {
    bytes: Vec<u8>,
    ends: Ends,
}

impl Texts {
    fn new() -> Texts {
        Texts {
            bytes: Vec::new(),
            ends: Ends::new(),
        }
    }

    fn raw(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.0.push(offset(self.bytes.len()));
    }

    /// Appends a text. Bytes that are not UTF-8 become U+FFFD. Returns whether the
    /// text is UTF-8.
    #[inline]
    fn push(&mut self, text: &[u8]) -> bool {
        let is_utf8 = text.is_ascii() || std::str::from_utf8(text).is_ok();
        if is_utf8 {
            self.raw(text);
        } else {
            self.raw(String::from_utf8_lossy(text).as_bytes());
        }
        is_utf8
    }

    fn extend(&mut self, from: &Texts, parts: &Range<usize>) {
        let bytes = from.ends.of(parts);
        let at = self.bytes.len();
        self.ends.extend(&from.ends, parts, bytes.start, at);
        self.bytes.extend_from_slice(&from.bytes[bytes]);
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.0.truncate(1);
    }

    fn finish(&mut self) -> (OffsetBuffer<i32>, Buffer) {
        (self.ends.finish(), Buffer::from_vec(take(&mut self.bytes)))
    }
}

/// Lists of texts, or of structs of texts and numbers.
struct Lists {
    ends: Ends,
    texts: Vec<Texts>,
    numbers: Vec<Vec<i64>>,
    /// The number of items.
    len: usize,
}

impl Lists {
    fn new(texts: usize, numbers: usize) -> Lists {
        Lists {
            ends: Ends::new(),
            texts: (0..texts).map(|_| Texts::new()).collect(),
            numbers: vec![Vec::new(); numbers],
            len: 0,
        }
    }

    fn item<const T: usize, const N: usize>(&mut self, texts: [&[u8]; T], numbers: [u64; N]) {
        for (all, text) in self.texts.iter_mut().zip(texts) {
            all.push(text);
        }
        for (all, number) in self.numbers.iter_mut().zip(numbers) {
            all.push(signed(number));
        }
        self.len += 1;
    }

    fn end(&mut self) {
        self.ends.0.push(offset(self.len));
    }

    fn spans(&mut self, spans: &[Span]) {
        for span in spans {
            self.item([], [span.start, span.end]);
        }
    }

    fn seams(&mut self, seams: &[Seam]) {
        for seam in seams {
            let (Span { start, end, .. }, len) = (seam.span, u64::from(seam.len));
            self.item([seam.kind.name().as_bytes()], [start, end, seam.at, len]);
        }
    }

    /// Appends the items of `value`, and returns whether it is a list.
    fn push(&mut self, value: Value<'_>) -> bool {
        match value {
            Value::Names(names) => {
                for name in names.iter() {
                    self.item([name.as_bytes()], []);
                }
            }
            Value::Spans(spans) => self.spans(spans),
            Value::Seams(seams) => self.seams(seams),
            Value::Alternates(hit) => {
                for other in hit.alternates() {
                    self.item([other.kind.name().as_bytes(), other.url.as_bytes()], []);
                }
            }
            Value::Components(url) => {
                for (name, value) in url.iter().flat_map(|url| url.components()) {
                    self.item([name.as_bytes(), value.as_bytes()], []);
                }
            }
            _ => return false,
        }
        true
    }

    fn extend(&mut self, from: &Lists, parts: &Range<usize>) {
        let items = from.ends.of(parts);
        self.ends.extend(&from.ends, parts, items.start, self.len);
        for (all, more) in self.texts.iter_mut().zip(&from.texts) {
            all.extend(more, &items);
        }
        for (all, more) in self.numbers.iter_mut().zip(&from.numbers) {
            all.extend_from_slice(&more[items.clone()]);
        }
        self.len += items.len();
    }

    fn clear(&mut self) {
        self.ends.0.truncate(1);
        self.texts.iter_mut().for_each(Texts::clear);
        self.numbers.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }

    fn finish(&mut self, ty: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let DataType::List(item) = ty else {
            return Err(ArrowError::SchemaError("not a list".to_owned()));
        };
        self.len = 0;
        let mut arrays = Vec::new();
        for texts in &mut self.texts {
            let (ends, bytes) = texts.finish();
            arrays.push(Arc::new(StringArray::try_new(ends, bytes, None)?) as ArrayRef);
        }
        for all in &mut self.numbers {
            arrays.push(numbers(all, None));
        }
        let items = match (item.data_type(), arrays.pop()) {
            (DataType::Struct(fields), last) => {
                arrays.extend(last);
                Arc::new(StructArray::try_new(fields.clone(), arrays, None)?)
            }
            (_, Some(array)) => array,
            (_, None) => return Err(ArrowError::SchemaError("a list without items".to_owned())),
        };
        let ends = self.ends.finish();
        let lists = ListArray::try_new(Arc::clone(item), ends, items, nulls)?;
        Ok(Arc::new(lists))
    }
}

fn numbers(numbers: &mut Vec<i64>, nulls: Option<NullBuffer>) -> ArrayRef {
    let values = ScalarBuffer::from(take(numbers));
    Arc::new(PrimitiveArray::<Int64Type>::new(values, nulls))
}

/// Places in decoded text.
struct Places {
    starts: Vec<i64>,
    ends: Vec<i64>,
    segments: Lists,
    seams: Lists,
}

impl Places {
    fn push(&mut self, value: Value<'_>) -> bool {
        let mut span = None;
        if let Value::Decoded(pieces) = value {
            span = Some(pieces.span());
            self.segments.spans(pieces.segments);
            self.seams.seams(pieces.seams);
        }
        self.starts.push(span.map_or(0, |span| signed(span.start)));
        self.ends.push(span.map_or(0, |span| signed(span.end)));
        self.segments.end();
        self.seams.end();
        span.is_some()
    }

    fn extend(&mut self, from: &Places, rows: &Range<usize>) {
        self.starts.extend_from_slice(&from.starts[rows.clone()]);
        self.ends.extend_from_slice(&from.ends[rows.clone()]);
        self.segments.extend(&from.segments, rows);
        self.seams.extend(&from.seams, rows);
    }

    fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
        self.segments.clear();
        self.seams.clear();
    }

    fn finish(&mut self, ty: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let DataType::Struct(fields) = ty else {
            return Err(ArrowError::SchemaError("not a struct".to_owned()));
        };
        let mut arrays = vec![
            numbers(&mut self.starts, None),
            numbers(&mut self.ends, None),
        ];
        for (lists, field) in [&mut self.segments, &mut self.seams]
            .into_iter()
            .zip(fields.iter().skip(2))
        {
            arrays.push(lists.finish(field.data_type(), None)?);
        }
        Ok(Arc::new(StructArray::try_new(
            fields.clone(),
            arrays,
            nulls,
        )?))
    }
}

/// The values of a column. A null has an empty or zero value.
enum Values {
    Text(Texts),
    Bytes(Texts),
    Number(Vec<i64>),
    Time(Vec<i64>),
    Flag(Vec<bool>),
    Lists(Lists),
    Places(Box<Places>),
}

struct Column {
    values: Values,
    valid: Vec<bool>,
}

impl Column {
    fn new(field: Field, part: Part) -> Column {
        let values = match (part, field.ty()) {
            (Part::Bytes, _) => Values::Bytes(Texts::new()),
            (_, Type::Number) => Values::Number(Vec::new()),
            (_, Type::Flag) => Values::Flag(Vec::new()),
            (_, Type::Time) => Values::Time(Vec::new()),
            (_, Type::Names) => Values::Lists(Lists::new(1, 0)),
            (_, Type::Spans) => Values::Lists(Lists::new(0, 2)),
            (_, Type::Seams) => Values::Lists(Lists::new(1, 4)),
            (_, Type::Alternates | Type::Components) => Values::Lists(Lists::new(2, 0)),
            (_, Type::Decoded) => Values::Places(Box::new(Places {
                starts: Vec::new(),
                ends: Vec::new(),
                segments: Lists::new(0, 2),
                seams: Lists::new(1, 4),
            })),
            _ => Values::Text(Texts::new()),
        };
        Column {
            values,
            valid: Vec::new(),
        }
    }

    /// Appends `value`, or null if it has another type. Adds its approximate size
    /// to `size`. Returns true if it is now known that the value has no bytes other
    /// than UTF-8.
    #[inline]
    fn push(&mut self, value: Value<'_>, size: &mut usize) -> bool {
        let mut is_utf8 = true;
        *size += VALUE;
        let is_valid = match &mut self.values {
            Values::Text(texts) => {
                let text = match value {
                    Value::Text(text) => Some(text),
                    Value::Name(name) => Some(name.as_bytes()),
                    _ => None,
                };
                let bytes = text.unwrap_or_default();
                *size += bytes.len();
                is_utf8 = texts.push(bytes);
                text.is_some()
            }
            Values::Bytes(texts) => {
                let text = match value {
                    Value::Text(text) if std::str::from_utf8(text).is_err() => Some(text),
                    _ => None,
                };
                let bytes = text.unwrap_or_default();
                *size += bytes.len();
                is_utf8 = false;
                texts.raw(bytes);
                text.is_some()
            }
            Values::Number(numbers) => {
                let number = match value {
                    Value::Number(number) => Some(signed(number)),
                    _ => None,
                };
                numbers.push(number.unwrap_or(0));
                number.is_some()
            }
            Values::Time(times) => {
                let seconds = match value {
                    Value::Time(date) => Some(date.unix_seconds()),
                    _ => None,
                };
                times.push(seconds.unwrap_or(0).saturating_mul(1_000_000));
                seconds.is_some()
            }
            Values::Flag(flags) => {
                flags.push(matches!(value, Value::Flag(true)));
                matches!(value, Value::Flag(_))
            }
            Values::Lists(lists) => {
                let before = lists.len;
                let is_valid = lists.push(value);
                lists.end();
                *size += ITEM * (lists.len - before);
                is_valid
            }
            Values::Places(places) => places.push(value),
        };
        self.valid.push(is_valid);
        is_utf8
    }

    fn extend(&mut self, from: &Column, rows: &Range<usize>) {
        self.valid.extend_from_slice(&from.valid[rows.clone()]);
        match (&mut self.values, &from.values) {
            (Values::Text(to), Values::Text(from)) | (Values::Bytes(to), Values::Bytes(from)) => {
                to.extend(from, rows);
            }
            (Values::Number(to), Values::Number(from)) | (Values::Time(to), Values::Time(from)) => {
                to.extend_from_slice(&from[rows.clone()]);
            }
            (Values::Flag(to), Values::Flag(from)) => to.extend_from_slice(&from[rows.clone()]),
            (Values::Lists(to), Values::Lists(from)) => to.extend(from, rows),
            (Values::Places(to), Values::Places(from)) => to.extend(from, rows),
            // Tables of a scan have the same columns.
            _ => {}
        }
    }

    fn clear(&mut self) {
        self.valid.clear();
        match &mut self.values {
            Values::Text(texts) | Values::Bytes(texts) => texts.clear(),
            Values::Number(numbers) | Values::Time(numbers) => numbers.clear(),
            Values::Flag(flags) => flags.clear(),
            Values::Lists(lists) => lists.clear(),
            Values::Places(places) => places.clear(),
        }
    }

    fn finish(&mut self, ty: &DataType) -> Result<ArrayRef, ArrowError> {
        let valid = take(&mut self.valid);
        let nulls = valid
            .contains(&false)
            .then(|| NullBuffer::new(bits(&valid)));
        Ok(match &mut self.values {
            Values::Text(texts) => {
                let (ends, bytes) = texts.finish();
                Arc::new(StringArray::try_new(ends, bytes, nulls)?)
            }
            Values::Bytes(texts) => {
                let (ends, bytes) = texts.finish();
                Arc::new(BinaryArray::try_new(ends, bytes, nulls)?)
            }
            Values::Number(all) => numbers(all, nulls),
            Values::Time(times) => {
                let values = ScalarBuffer::from(take(times));
                let times = PrimitiveArray::<TimestampMicrosecondType>::try_new(values, nulls)?;
                Arc::new(times.with_data_type(ty.clone()))
            }
            Values::Flag(flags) => Arc::new(BooleanArray::new(bits(&take(flags)), nulls)),
            Values::Lists(lists) => lists.finish(ty, nulls)?,
            Values::Places(places) => places.finish(ty, nulls)?,
        })
    }
}

fn bits(flags: &[bool]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(flags.len(), |i| flags[i])
}

/// Rows.
pub struct Table {
    columns: Arc<Columns>,
    values: Vec<Column>,
    scratch: Vec<u8>,
    /// The number of complete rows.
    pub rows: usize,
    /// Their approximate size in bytes.
    pub bytes: usize,
}

impl Table {
    pub fn new(columns: &Arc<Columns>) -> Table {
        let values = columns.fields.iter();
        Table {
            values: values
                .map(|&(field, part)| Column::new(field, part))
                .collect(),
            columns: Arc::clone(columns),
            scratch: Vec::new(),
            rows: 0,
            bytes: 0,
        }
    }

    pub fn push(&mut self, row: &Row<'_>) {
        let mut size = 0;
        // The field of the column before, if its text is UTF-8.
        let mut plain = None;
        for (column, &(field, part)) in self.values.iter_mut().zip(&self.columns.fields) {
            let value = match part {
                Part::Bytes if plain == Some(field) => Value::Null,
                _ => row.value(field, &mut self.scratch),
            };
            plain = column.push(value, &mut size).then_some(field);
        }
        self.bytes += size;
        self.rows += 1;
    }

    /// Appends complete rows of `from`, which has the same columns.
    pub fn extend(&mut self, from: &Table, rows: Range<usize>) {
        for (column, more) in self.values.iter_mut().zip(&from.values) {
            column.extend(more, &rows);
        }
        self.rows += rows.len();
        self.bytes += from.bytes / from.rows.max(1) * rows.len();
    }

    /// Removes all rows. One that a panic left incomplete is removed too.
    /// Keeps the capacity, unless it is large.
    pub fn clear(&mut self) {
        if self.bytes > KEPT {
            *self = Table::new(&Arc::clone(&self.columns));
        }
        self.values.iter_mut().for_each(Column::clear);
        (self.rows, self.bytes) = (0, 0);
    }

    /// Takes the rows as a batch.
    pub fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        let schema = &self.columns.schema;
        let columns = self.values.iter_mut().zip(schema.fields());
        let arrays = columns
            .map(|(column, field)| column.finish(field.data_type()))
            .collect::<Result<_, _>>()?;
        RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
    }
}
