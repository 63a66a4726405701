//! The columns of a scan and their types, made from the field table.

use std::sync::Arc;

use arrow_schema::{DataType, Field as Column, Fields, Schema, SchemaRef, TimeUnit};
use urlgrep::rows::{Field, Type};

/// The columns of a scan. Spark supports neither unsigned numbers, dictionaries
/// nor timestamps in seconds, so no column has such a type.
#[derive(Debug)]
pub struct Columns {
    pub fields: Vec<(Field, Part)>,
    pub schema: SchemaRef,
}

/// The part of a field that a column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Value,
    /// The bytes of a text that is not UTF-8.
    Bytes,
}

/// Fields whose values are equal in many hits. Their values are computed once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The values are equal in all hits of a file.
    File,
    /// The values depend only on the text of the URL and on its profile, unless a
    /// link and its text are two URLs.
    Url,
    /// The values are equal in all hits of a message.
    Message,
    /// The values are equal in hits of the same form at places of the same kind, if
    /// nothing was repaired and nothing is doubtful.
    Place,
    /// The values are computed for each hit.
    Hit,
}

impl Group {
    pub const ALL: [Group; 5] = [
        Group::File,
        Group::Url,
        Group::Message,
        Group::Place,
        Group::Hit,
    ];

    /// The group of a field.
    pub fn of(field: Field) -> Group {
        match field {
            Field::Version
            | Field::Type
            | Field::Path
            | Field::Folder
            | Field::ReadAs
            | Field::Rule
            | Field::RuleAt
            | Field::RuleFound
            | Field::Note
            | Field::Reason
            | Field::Request
            | Field::Count => Group::File,
            Field::Url
            | Field::Canonical
            | Field::Surt
            | Field::Uri
            | Field::Readable
            | Field::Unwrapped
            | Field::Clean
            | Field::Scheme
            | Field::Host
            | Field::Domain
            | Field::HostMeaning
            | Field::Port
            | Field::Profile
            | Field::Cautions
            | Field::Components
            | Field::User
            | Field::Password
            | Field::UrlPath
            | Field::Query
            | Field::Fragment => Group::Url,
            Field::MessageNumber
            | Field::MessageStart
            | Field::MessageEnd
            | Field::MessageId
            | Field::Date
            | Field::From
            | Field::Subject
            | Field::Newsgroups
            | Field::ListId
            | Field::RecordUrl
            | Field::Year
            | Field::Month
            | Field::Day
            | Field::Timestamp
            | Field::To
            | Field::Cc
            | Field::FromAddress
            | Field::FromName
            | Field::Group
            | Field::Mid => Group::Message,
            Field::Form
            | Field::Seams
            | Field::Decoded
            | Field::Alternates
            | Field::Hops
            | Field::Corroborated
            | Field::Doubt
            | Field::Continues
            | Field::Glued
            | Field::Role
            | Field::Depth
            | Field::LinkTarget
            | Field::LinkText
            | Field::Part
            | Field::ContentType
            | Field::FileName
            | Field::Header => Group::Place,
            _ => Group::Hit,
        }
    }
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
