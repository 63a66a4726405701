//! Values in the buffers of Arrow columns.
//!
//! Values are appended to vectors. A finished vector becomes the buffer of an array
//! without a copy, and the next vector begins with the capacity that was needed.

use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, ListArray, PrimitiveArray, StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use urlgrep::rows::{Field, Type, Value};
use urlgrep::search::Composition;
use urlgrep::{Seam, Span};

use crate::column::Part;

/// The approximate size of an item of a list without its text, in bytes.
const ITEM: usize = 48;

/// A number of the library as a signed one. The library has no larger number.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A length as an offset. A table is far smaller than 2 GiB.
fn offset(len: usize) -> i32 {
    i32::try_from(len).unwrap_or(i32::MAX)
}

/// Appends the items of `from` that have these numbers.
fn gather<T: Copy>(items: &mut Vec<T>, from: &[T], numbers: &[u32]) {
    items.extend(numbers.iter().map(|&number| from[number as usize]));
}

/// A vector that becomes a buffer.
#[derive(Clone)]
struct Items<T> {
    items: Vec<T>,
    /// The number of items that were taken last, and an eighth more.
    needed: usize,
}

impl<T> Items<T> {
    fn new() -> Items<T> {
        Items {
            items: Vec::new(),
            needed: 0,
        }
    }

    fn take(&mut self) -> Vec<T> {
        self.needed = self.len() + self.len() / 8;
        std::mem::take(&mut self.items)
    }

    /// Allocates the capacity that was needed last. At this time the consumer has
    /// usually freed an earlier batch, so its memory is used again. The first use
    /// of new memory takes longer than the copy of the items.
    fn prepare(&mut self) {
        self.items.reserve(self.needed);
    }
}

impl<T> Deref for Items<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.items
    }
}

impl<T> DerefMut for Items<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.items
    }
}

/// The ends of texts or lists. The first one is 0.
struct Ends(Items<i32>);

impl Ends {
    fn new() -> Ends {
        let mut ends = Items::new();
        ends.push(0);
        Ends(ends)
    }

    /// The parts with these numbers, as a range of bytes or items.
    fn of(&self, parts: Range<usize>) -> Range<usize> {
        self.0[parts.start] as usize..self.0[parts.end] as usize
    }

    /// Appends some parts of `from`. They begin at `start` there, and at `at` here.
    fn extend(&mut self, from: &Ends, parts: &Range<usize>, start: usize, at: usize) {
        let (start, at) = (offset(start), offset(at));
        let ends = &from.0[parts.start + 1..=parts.end];
        self.0.extend(ends.iter().map(|end| end - start + at));
    }

    /// Appends empty parts, until there are `len` parts.
    fn pad(&mut self, len: usize) {
        let end = self.0.last().copied().unwrap_or(0);
        self.0.resize(len + 1, end);
    }

    fn finish(&mut self) -> OffsetBuffer<i32> {
        let ends = self.0.take();
        self.0.push(0);
        OffsetBuffer::new(ScalarBuffer::from(ends))
    }
}

/// Texts, one after another.
pub struct Texts {
    bytes: Items<u8>,
    ends: Ends,
}

impl Texts {
    pub fn new() -> Texts {
        Texts {
            bytes: Items::new(),
            ends: Ends::new(),
        }
    }

    /// Appends a text as it is.
    pub fn raw(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.0.push(offset(self.bytes.len()));
    }

    pub fn get(&self, number: usize) -> &[u8] {
        &self.bytes[self.ends.of(number..number + 1)]
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
        let bytes = from.ends.of(parts.clone());
        let at = self.bytes.len();
        self.ends.extend(&from.ends, parts, bytes.start, at);
        self.bytes.extend_from_slice(&from.bytes[bytes]);
    }

    fn gather(&mut self, from: &Texts, numbers: &[u32]) {
        for &number in numbers {
            self.raw(from.get(number as usize));
        }
    }

    fn prepare(&mut self) {
        self.bytes.prepare();
        self.ends.0.prepare();
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.0.truncate(1);
    }

    fn finish(&mut self) -> (OffsetBuffer<i32>, Buffer) {
        (self.ends.finish(), Buffer::from_vec(self.bytes.take()))
    }
}

/// Lists of texts, or of structs of texts and numbers.
struct Lists {
    ends: Ends,
    texts: Vec<Texts>,
    numbers: Vec<Items<i64>>,
    /// The number of items.
    len: usize,
}

impl Lists {
    fn new(texts: usize, numbers: usize) -> Lists {
        Lists {
            ends: Ends::new(),
            texts: (0..texts).map(|_| Texts::new()).collect(),
            numbers: vec![Items::new(); numbers],
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

    /// The approximate size in bytes.
    fn size(&self) -> usize {
        let texts = self.texts.iter().map(|texts| texts.bytes.len());
        ITEM * self.len + texts.sum::<usize>()
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

    /// Appends the items of `value`.
    fn push(&mut self, value: Value<'_>) {
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
            _ => {}
        }
    }

    fn extend(&mut self, from: &Lists, parts: &Range<usize>) {
        let items = from.ends.of(parts.clone());
        self.ends.extend(&from.ends, parts, items.start, self.len);
        for (all, more) in self.texts.iter_mut().zip(&from.texts) {
            all.extend(more, &items);
        }
        for (all, more) in self.numbers.iter_mut().zip(&from.numbers) {
            all.extend_from_slice(&more[items.clone()]);
        }
        self.len += items.len();
    }

    fn gather(&mut self, from: &Lists, numbers: &[u32]) {
        if from.len == 0 {
            return self.ends.pad(self.ends.0.len() - 1 + numbers.len());
        }
        for &number in numbers {
            let part = number as usize..number as usize + 1;
            if from.ends.of(part.clone()).is_empty() {
                self.end();
            } else {
                self.extend(from, &part);
            }
        }
    }

    fn prepare(&mut self) {
        self.ends.0.prepare();
        self.texts.iter_mut().for_each(Texts::prepare);
        self.numbers.iter_mut().for_each(Items::prepare);
    }

    fn clear(&mut self) {
        self.ends.0.truncate(1);
        self.texts.iter_mut().for_each(Texts::clear);
        self.numbers.iter_mut().for_each(|all| all.clear());
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

fn numbers(numbers: &mut Items<i64>, nulls: Option<NullBuffer>) -> ArrayRef {
    let values = ScalarBuffer::from(numbers.take());
    Arc::new(PrimitiveArray::<Int64Type>::new(values, nulls))
}

/// Places in decoded text.
struct Places {
    starts: Items<i64>,
    ends: Items<i64>,
    segments: Lists,
    seams: Lists,
}

impl Places {
    fn push(&mut self, pieces: Composition<'_>) {
        let span = pieces.span();
        self.starts.push(signed(span.start));
        self.ends.push(signed(span.end));
        self.segments.spans(pieces.segments);
        self.segments.end();
        self.seams.seams(pieces.seams);
        self.seams.end();
    }

    fn extend(&mut self, from: &Places, rows: &Range<usize>) {
        self.starts.extend_from_slice(&from.starts[rows.clone()]);
        self.ends.extend_from_slice(&from.ends[rows.clone()]);
        self.segments.extend(&from.segments, rows);
        self.seams.extend(&from.seams, rows);
    }

    fn gather(&mut self, from: &Places, numbers: &[u32]) {
        gather(&mut self.starts, &from.starts, numbers);
        gather(&mut self.ends, &from.ends, numbers);
        self.segments.gather(&from.segments, numbers);
        self.seams.gather(&from.seams, numbers);
    }

    fn pad(&mut self, len: usize) {
        self.starts.resize(len, 0);
        self.ends.resize(len, 0);
        self.segments.ends.pad(len);
        self.seams.ends.pad(len);
    }

    fn prepare(&mut self) {
        self.starts.prepare();
        self.ends.prepare();
        self.segments.prepare();
        self.seams.prepare();
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
    Number(Items<i64>),
    Time(Items<i64>),
    Flag(Items<bool>),
    Lists(Lists),
    Places(Box<Places>),
}

/// A column. Nulls after the last value that is not null may be missing, because
/// many columns have no other values.
pub struct Column {
    values: Values,
    valid: Items<bool>,
}

impl Column {
    pub fn new(field: Field, part: Part) -> Column {
        let values = match (part, field.ty()) {
            (Part::Bytes, _) => Values::Bytes(Texts::new()),
            (_, Type::Number) => Values::Number(Items::new()),
            (_, Type::Flag) => Values::Flag(Items::new()),
            (_, Type::Time) => Values::Time(Items::new()),
            (_, Type::Names) => Values::Lists(Lists::new(1, 0)),
            (_, Type::Spans) => Values::Lists(Lists::new(0, 2)),
            (_, Type::Seams) => Values::Lists(Lists::new(1, 4)),
            (_, Type::Alternates | Type::Components) => Values::Lists(Lists::new(2, 0)),
            (_, Type::Decoded) => Values::Places(Box::new(Places {
                starts: Items::new(),
                ends: Items::new(),
                segments: Lists::new(0, 2),
                seams: Lists::new(1, 4),
            })),
            _ => Values::Text(Texts::new()),
        };
        Column {
            values,
            valid: Items::new(),
        }
    }

    /// True if no value is known not to be null.
    pub fn is_null(&self) -> bool {
        self.valid.is_empty()
    }

    /// Appends nulls, until there are `len` values. Does nothing if all are null.
    pub fn pad(&mut self, len: usize) {
        if !self.is_null() {
            self.fill(len);
        }
    }

    /// Allocates memory for as many values as were taken last.
    fn prepare(&mut self) {
        self.valid.prepare();
        match &mut self.values {
            Values::Text(texts) | Values::Bytes(texts) => texts.prepare(),
            Values::Number(numbers) | Values::Time(numbers) => numbers.prepare(),
            Values::Flag(flags) => flags.prepare(),
            Values::Lists(lists) => lists.prepare(),
            Values::Places(places) => places.prepare(),
        }
    }

    /// Appends nulls, until there are `len` values.
    pub fn fill(&mut self, len: usize) {
        if self.is_null() {
            self.prepare();
        }
        if self.valid.len() == len {
            return;
        }
        self.valid.resize(len, false);
        match &mut self.values {
            Values::Text(texts) | Values::Bytes(texts) => texts.ends.pad(len),
            Values::Number(numbers) | Values::Time(numbers) => numbers.resize(len, 0),
            Values::Flag(flags) => flags.resize(len, false),
            Values::Lists(lists) => lists.ends.pad(len),
            Values::Places(places) => places.pad(len),
        }
    }

    /// Appends `value` after `len` values. Adds the approximate size of its text or
    /// items to `size`. Returns true if it is now known that the value has no bytes
    /// other than UTF-8.
    #[inline]
    pub fn push(&mut self, len: usize, value: Value<'_>, size: &mut usize) -> bool {
        if let Value::Null = value {
            return true;
        }
        if let (Values::Bytes(_), Value::Text(text)) = (&self.values, value)
            && std::str::from_utf8(text).is_ok()
        {
            return true;
        }
        self.fill(len);
        self.valid.push(true);
        match (&mut self.values, value) {
            (Values::Text(texts), Value::Text(text)) => {
                *size += text.len();
                return texts.push(text);
            }
            (Values::Text(texts), Value::Name(name)) => {
                *size += name.len();
                texts.raw(name.as_bytes());
            }
            (Values::Bytes(texts), Value::Text(text)) => {
                *size += text.len();
                texts.raw(text);
            }
            (Values::Number(numbers), Value::Number(number)) => numbers.push(signed(number)),
            (Values::Time(times), Value::Time(date)) => {
                times.push(date.unix_seconds().saturating_mul(1_000_000));
            }
            (Values::Flag(flags), Value::Flag(flag)) => flags.push(flag),
            (Values::Lists(lists), value) => {
                let before = lists.size();
                lists.push(value);
                lists.end();
                *size += lists.size() - before;
            }
            (Values::Places(places), Value::Decoded(pieces)) => places.push(pieces),
            // The field table gives each value the type of its column.
            _ => _ = self.valid.pop(),
        }
        true
    }

    /// Appends the values with these numbers after `len` values.
    pub fn gather(&mut self, len: usize, from: &Column, numbers: &[u32]) {
        self.fill(len);
        gather(&mut self.valid, &from.valid, numbers);
        match (&mut self.values, &from.values) {
            (Values::Text(to), Values::Text(from)) | (Values::Bytes(to), Values::Bytes(from)) => {
                to.gather(from, numbers);
            }
            (Values::Number(to), Values::Number(from)) | (Values::Time(to), Values::Time(from)) => {
                gather(to, from, numbers);
            }
            (Values::Flag(to), Values::Flag(from)) => gather(to, from, numbers),
            (Values::Lists(to), Values::Lists(from)) => to.gather(from, numbers),
            (Values::Places(to), Values::Places(from)) => to.gather(from, numbers),
            // Columns with the same number have the same type.
            _ => {}
        }
    }

    /// As `gather`, for adjacent values.
    pub fn extend(&mut self, len: usize, from: &Column, rows: &Range<usize>) {
        self.fill(len);
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
            // Columns with the same number have the same type.
            _ => {}
        }
    }

    pub fn clear(&mut self) {
        self.valid.clear();
        match &mut self.values {
            Values::Text(texts) | Values::Bytes(texts) => texts.clear(),
            Values::Number(numbers) | Values::Time(numbers) => numbers.clear(),
            Values::Flag(flags) => flags.clear(),
            Values::Lists(lists) => lists.clear(),
            Values::Places(places) => places.clear(),
        }
    }

    /// Takes the values as an array.
    pub fn finish(&mut self, ty: &DataType) -> Result<ArrayRef, ArrowError> {
        let valid = self.valid.take();
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
                let values = ScalarBuffer::from(times.take());
                let times = PrimitiveArray::<TimestampMicrosecondType>::try_new(values, nulls)?;
                Arc::new(times.with_data_type(ty.clone()))
            }
            Values::Flag(flags) => Arc::new(BooleanArray::new(bits(&flags.take()), nulls)),
            Values::Lists(lists) => lists.finish(ty, nulls)?,
            Values::Places(places) => places.finish(ty, nulls)?,
        })
    }
}

fn bits(flags: &[bool]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(flags.len(), |i| flags[i])
}
