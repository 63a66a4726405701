//! Arrow columns of rows, made from the field table.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, Int64Builder, ListBuilder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field as Column, Fields, Schema, SchemaRef, TimeUnit};
use urlgrep::record::{Field, Row, Type, Value};
use urlgrep::span::{Seam, Span};

/// The columns of a scan. Spark supports neither unsigned numbers, dictionaries
/// nor timestamps in seconds, so no column has such a type.
#[derive(Debug)]
pub struct Columns {
    fields: Vec<(Field, Part)>,
    pub schema: SchemaRef,
}

/// The part of a field that a column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Value,
    /// The bytes of a text that is not UTF-8.
    Bytes,
}

impl Columns {
    /// All keys of JSON, or the named ones. The error is an unknown name.
    pub fn new(names: Option<Vec<String>>) -> Result<Columns, String> {
        let fields: Vec<_> = match names {
            None => Field::KEYS.iter().copied().flat_map(columns).collect(),
            Some(names) => names.into_iter().map(column).collect::<Result<_, _>>()?,
        };
        let schema: Vec<Column> = fields
            .iter()
            .map(|&(field, part)| {
                let nullable = !matches!(field, Field::Version | Field::Type | Field::Path);
                match part {
                    Part::Value => Column::new(field.name(), data_type(field.ty()), nullable),
                    Part::Bytes => Column::new(
                        field.bytes_name().unwrap_or_default(),
                        DataType::Binary,
                        true,
                    ),
                }
            })
            .collect();
        Ok(Columns {
            fields,
            schema: Arc::new(Schema::new(schema)),
        })
    }

    /// True if one of these fields is a column.
    pub fn has(&self, fields: &[Field]) -> bool {
        self.fields.iter().any(|(field, _)| fields.contains(field))
    }
}

/// The columns of a field.
fn columns(field: Field) -> impl Iterator<Item = (Field, Part)> {
    let bytes = field.bytes_name().map(|_| (field, Part::Bytes));
    std::iter::once((field, Part::Value)).chain(bytes)
}

fn column(name: String) -> Result<(Field, Part), String> {
    let all = Field::ALL.iter().copied().flat_map(columns);
    let mut named = all.filter(|&(field, part)| match part {
        Part::Value => field.name() == name,
        Part::Bytes => field.bytes_name() == Some(&*name),
    });
    named.next().ok_or(name)
}

fn data_type(ty: Type) -> DataType {
    let list = |items: Fields| DataType::List(item(DataType::Struct(items)));
    match ty {
        Type::Number => DataType::Int64,
        Type::Flag => DataType::Boolean,
        Type::Time => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        Type::Names => DataType::List(item(DataType::Utf8)),
        Type::Spans => list(items(&[], SPAN)),
        Type::Seams => list(items(&["kind"], SEAM)),
        Type::Decoded => DataType::Struct(decoded()),
        Type::Alternates => list(items(&["kind", "url"], &[])),
        Type::Components => list(items(&["name", "value"], &[])),
        _ => DataType::Utf8,
    }
}

const SPAN: &[&str] = &["start", "end"];
const SEAM: &[&str] = &["start", "end", "at", "len"];

fn item(ty: DataType) -> Arc<Column> {
    Arc::new(Column::new("element", ty, false))
}

/// Fields of a struct: texts, then numbers.
fn items(texts: &[&str], numbers: &[&str]) -> Fields {
    let texts = texts
        .iter()
        .map(|name| Column::new(*name, DataType::Utf8, false));
    let numbers = numbers
        .iter()
        .map(|name| Column::new(*name, DataType::Int64, false));
    texts.chain(numbers).collect()
}

fn decoded() -> Fields {
    let mut fields: Vec<Column> = SPAN
        .iter()
        .map(|name| Column::new(*name, DataType::Int64, false))
        .collect();
    fields.push(Column::new("segments", data_type(Type::Spans), false));
    fields.push(Column::new("seams", data_type(Type::Seams), false));
    fields.into()
}

/// Builds a column.
enum Builder {
    Text(StringBuilder),
    Bytes(BinaryBuilder),
    Number(Int64Builder),
    Flag(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
    Names(ListBuilder<StringBuilder>),
    Items(Items),
    Decoded(Box<Decoded>),
}

/// Builds a column of lists of structs of texts and numbers.
struct Items {
    fields: Fields,
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
    texts: Vec<StringBuilder>,
    numbers: Vec<Int64Builder>,
    len: i32,
}

impl Items {
    fn new(texts: &[&str], numbers: &[&str]) -> Items {
        Items {
            fields: items(texts, numbers),
            ends: vec![0],
            nulls: NullBufferBuilder::new(0),
            texts: texts.iter().map(|_| StringBuilder::new()).collect(),
            numbers: numbers.iter().map(|_| Int64Builder::new()).collect(),
            len: 0,
        }
    }

    fn item(&mut self, texts: &[&[u8]], numbers: &[u64]) {
        for (builder, text) in self.texts.iter_mut().zip(texts) {
            builder.append_value(String::from_utf8_lossy(text));
        }
        for (builder, &number) in self.numbers.iter_mut().zip(numbers) {
            builder.append_value(signed(number));
        }
        self.len += 1;
    }

    fn end(&mut self, valid: bool) {
        self.ends.push(self.len);
        self.nulls.append(valid);
    }

    fn spans(&mut self, spans: &[Span]) {
        for span in spans {
            self.item(&[], &[span.start, span.end]);
        }
        self.end(true);
    }

    fn seams(&mut self, seams: &[Seam]) {
        for seam in seams {
            let (Span { start, end, .. }, len) = (seam.span, u64::from(seam.len));
            self.item(&[seam.kind.name().as_bytes()], &[start, end, seam.at, len]);
        }
        self.end(true);
    }

    fn finish(&mut self) -> ArrayRef {
        let texts = self
            .texts
            .iter_mut()
            .map(|b| Arc::new(b.finish()) as ArrayRef);
        let numbers = self
            .numbers
            .iter_mut()
            .map(|b| Arc::new(b.finish()) as ArrayRef);
        let structs = StructArray::new(self.fields.clone(), texts.chain(numbers).collect(), None);
        let ends = ScalarBuffer::from(std::mem::replace(&mut self.ends, vec![0]));
        self.len = 0;
        Arc::new(ListArray::new(
            item(DataType::Struct(self.fields.clone())),
            OffsetBuffer::new(ends),
            Arc::new(structs),
            self.nulls.finish(),
        ))
    }
}

/// Builds a column of places in decoded text.
struct Decoded {
    nulls: NullBufferBuilder,
    start: Int64Builder,
    end: Int64Builder,
    segments: Items,
    seams: Items,
}

impl Decoded {
    fn finish(&mut self) -> ArrayRef {
        Arc::new(StructArray::new(
            decoded(),
            vec![
                Arc::new(self.start.finish()),
                Arc::new(self.end.finish()),
                self.segments.finish(),
                self.seams.finish(),
            ],
            self.nulls.finish(),
        ))
    }
}

/// A number of the library as a signed one. The library has no larger number.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Builder {
    fn new(field: Field, part: Part) -> Builder {
        if part == Part::Bytes {
            return Builder::Bytes(BinaryBuilder::new());
        }
        match field.ty() {
            Type::Number => Builder::Number(Int64Builder::new()),
            Type::Flag => Builder::Flag(BooleanBuilder::new()),
            Type::Time => Builder::Time(TimestampMicrosecondBuilder::new().with_timezone("UTC")),
            Type::Names => {
                let names = ListBuilder::new(StringBuilder::new());
                Builder::Names(names.with_field(item(DataType::Utf8)))
            }
            Type::Spans => Builder::Items(Items::new(&[], SPAN)),
            Type::Seams => Builder::Items(Items::new(&["kind"], SEAM)),
            Type::Alternates => Builder::Items(Items::new(&["kind", "url"], &[])),
            Type::Components => Builder::Items(Items::new(&["name", "value"], &[])),
            Type::Decoded => Builder::Decoded(Box::new(Decoded {
                nulls: NullBufferBuilder::new(0),
                start: Int64Builder::new(),
                end: Int64Builder::new(),
                segments: Items::new(&[], SPAN),
                seams: Items::new(&["kind"], SEAM),
            })),
            _ => Builder::Text(StringBuilder::new()),
        }
    }

    /// Appends `value`, or null if it has another type. Returns its approximate
    /// size in bytes.
    fn push(&mut self, value: Value<'_>) -> usize {
        match (self, value) {
            (Builder::Text(b), Value::Text(text)) => {
                b.append_value(String::from_utf8_lossy(text));
                return text.len() + 4;
            }
            (Builder::Text(b), Value::Name(name)) => {
                b.append_value(name);
                return name.len() + 4;
            }
            (Builder::Text(b), _) => b.append_null(),
            (Builder::Bytes(b), Value::Text(text)) if std::str::from_utf8(text).is_err() => {
                b.append_value(text);
                return text.len() + 4;
            }
            (Builder::Bytes(b), _) => b.append_null(),
            (Builder::Number(b), Value::Number(number)) => b.append_value(signed(number)),
            (Builder::Number(b), _) => b.append_null(),
            (Builder::Flag(b), Value::Flag(flag)) => b.append_value(flag),
            (Builder::Flag(b), _) => b.append_null(),
            (Builder::Time(b), Value::Time(date)) => {
                b.append_value(date.unix_seconds().saturating_mul(1_000_000));
            }
            (Builder::Time(b), _) => b.append_null(),
            (Builder::Names(b), Value::Names(names)) => {
                for name in names.iter() {
                    b.values().append_value(name);
                }
                b.append(true);
            }
            (Builder::Names(b), _) => b.append(false),
            (Builder::Items(b), value) => {
                let before = b.len;
                push_items(b, value);
                return 48 * (b.len - before) as usize + 4;
            }
            (Builder::Decoded(b), value) => push_decoded(b, value),
        }
        8
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Text(b) => Arc::new(b.finish()),
            Builder::Bytes(b) => Arc::new(b.finish()),
            Builder::Number(b) => Arc::new(b.finish()),
            Builder::Flag(b) => Arc::new(b.finish()),
            Builder::Time(b) => Arc::new(b.finish()),
            Builder::Names(b) => Arc::new(b.finish()),
            Builder::Items(b) => b.finish(),
            Builder::Decoded(b) => b.finish(),
        }
    }
}

fn push_items(items: &mut Items, value: Value<'_>) {
    match value {
        Value::Spans(spans) => items.spans(spans),
        Value::Seams(seams) => items.seams(seams),
        Value::Alternates(hit) => {
            for other in hit.alternates() {
                items.item(&[other.kind.name().as_bytes(), other.url], &[]);
            }
            items.end(true);
        }
        Value::Components(url) => {
            for (name, value) in url.iter().flat_map(|url| url.components()) {
                items.item(&[name.as_bytes(), value], &[]);
            }
            items.end(true);
        }
        _ => items.end(false),
    }
}

fn push_decoded(decoded: &mut Decoded, value: Value<'_>) {
    let (segments, seams, span) = match value {
        Value::Decoded(pieces) => (pieces.segments, pieces.seams, Some(pieces.span())),
        _ => (&[][..], &[][..], None),
    };
    decoded.nulls.append(span.is_some());
    decoded
        .start
        .append_value(span.map_or(0, |span| signed(span.start)));
    decoded
        .end
        .append_value(span.map_or(0, |span| signed(span.end)));
    decoded.segments.spans(segments);
    decoded.seams.seams(seams);
}

/// The rows of the next batch.
pub struct Table {
    columns: Arc<Columns>,
    builders: Vec<Builder>,
    scratch: Vec<u8>,
    /// The number of complete rows.
    pub rows: usize,
    /// Their approximate size in bytes.
    pub bytes: usize,
}

impl Table {
    pub fn new(columns: &Arc<Columns>) -> Table {
        let builders = columns.fields.iter();
        Table {
            builders: builders
                .map(|&(field, part)| Builder::new(field, part))
                .collect(),
            columns: Arc::clone(columns),
            scratch: Vec::new(),
            rows: 0,
            bytes: 0,
        }
    }

    pub fn push(&mut self, row: &Row<'_>) {
        for (builder, &(field, _)) in self.builders.iter_mut().zip(&self.columns.fields) {
            self.bytes += builder.push(row.value(field, &mut self.scratch));
        }
        self.rows += 1;
    }

    /// The rows as a batch. A row that a panic left incomplete is left out.
    pub fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let rows = self.rows;
        let arrays = self.builders.iter_mut().map(|builder| {
            let array = builder.finish();
            if array.len() > rows {
                array.slice(0, rows)
            } else {
                array
            }
        });
        let arrays = arrays.collect();
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.columns.schema), arrays, &options)
    }
}
