//! The schema of `docs/json.md`, which is generated from the table of fields,
//! and a validator for the keywords of JSON Schema that it uses.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use urlgrep::rows::{Field, Type};

/// The schema in the documentation.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let docs = docs();
    let (_, rest) = docs.split_once("```json schema\n").expect("a schema");
    let (schema, _) = rest.split_once("```").expect("its end");
    serde_json::from_str(schema).expect("JSON")
});

fn docs() -> String {
    std::fs::read_to_string(path()).expect("docs/json.md")
}

fn path() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.md")
}

/// Panics unless `row` follows the schema of the documentation.
#[track_caller]
pub fn check(row: &Value) {
    if let Err(what) = follows(row, &SCHEMA) {
        panic!("{what}: {row}");
    }
}

/// The part of `value` that violates `schema`. An unknown keyword is an error.
fn follows(value: &Value, schema: &Value) -> Result<(), String> {
    let at = |name: &str, inner: Result<(), String>| inner.map_err(|e| format!("{name}: {e}"));
    for (keyword, rule) in schema.as_object().ok_or("no schema")? {
        let is_right = match &**keyword {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let name = rule.as_str().and_then(|r| r.strip_prefix("#/$defs/"));
                let inner = &SCHEMA["$defs"][name.ok_or("a reference")?];
                follows(value, inner)?;
                true
            }
            "type" => match rule {
                Value::Array(types) => types.iter().any(|ty| is_of(value, ty)),
                ty => is_of(value, ty),
            },
            "const" => value == rule,
            "enum" => rule.as_array().is_some_and(|all| all.contains(value)),
            "minimum" => value.as_u64().is_none_or(|n| Some(n) >= rule.as_u64()),
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    at("item", follows(item, rule))?;
                }
                true
            }
            "properties" => {
                for (key, inner) in rule.as_object().ok_or("properties")? {
                    if let Some(item) = value.get(key) {
                        at(key, follows(item, inner))?;
                    }
                }
                true
            }
            "required" => {
                let mut keys = rule.as_array().into_iter().flatten();
                value.is_null() || keys.all(|k| value.get(k.as_str().unwrap_or_default()).is_some())
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object().ok_or("properties")?;
                let map = value.as_object();
                map.is_none_or(|map| map.keys().all(|key| known.contains_key(key)))
            }
            other => return Err(format!("the keyword {other}")),
        };
        if !is_right {
            return Err(format!("{keyword} {rule} of {value}"));
        }
    }
    Ok(())
}

fn is_of(value: &Value, ty: &Value) -> bool {
    match ty.as_str() {
        Some("null") => value.is_null(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

/// The documentation lists the fields of the table and contains their schema.
/// `URLGREP_WRITE_DOCS` rewrites the documentation.
pub fn docs_are_the_table() {
    let schema = lines(&schema());
    let made = [
        ("<!-- keys -->\n", "<!-- end -->", keys()),
        ("<!-- computed -->\n", "<!-- end -->", computed()),
        ("```sql columns\n", "```", view()),
        ("```json schema\n", "```", schema),
    ];
    let was = docs();
    let mut docs = was.clone();
    for (start, end, text) in made {
        let from = docs.find(start).unwrap_or_else(|| panic!("{start}")) + start.len();
        let to = from + docs[from..].find(end).unwrap_or_else(|| panic!("{end}"));
        docs.replace_range(from..to, &text);
    }
    if std::env::var_os("URLGREP_WRITE_DOCS").is_some() {
        std::fs::write(path(), &docs).unwrap();
    } else {
        assert_eq!(was, docs, "run this test with URLGREP_WRITE_DOCS=1");
    }
    let examples = [json!({"v": 2}), json!([]), json!({"v": 1, "type": "hit"})];
    assert!(examples.iter().all(|row| follows(row, &SCHEMA).is_err()));
}

/// A JSON object with one line for each member, down to the second level.
fn lines(schema: &Value) -> String {
    let member = |(key, value): (&String, &Value)| {
        let inner = match (&**key, value) {
            ("properties" | "$defs", Value::Object(map)) => {
                let inner: Vec<_> = map
                    .iter()
                    .map(|(k, v)| format!("    \"{k}\": {v}"))
                    .collect();
                format!("{{\n{}\n  }}", inner.join(",\n"))
            }
            _ => value.to_string(),
        };
        format!("  \"{key}\": {inner}")
    };
    let members: Vec<_> = schema
        .as_object()
        .into_iter()
        .flatten()
        .map(member)
        .collect();
    format!("{{\n{}\n}}\n", members.join(",\n"))
}

fn keys() -> String {
    let mut out = "\n| key | type | meaning |\n| --- | --- | --- |\n".to_owned();
    for field in Field::KEYS {
        let (name, ty) = (field.name(), type_name(field.ty()));
        writeln!(out, "| `{name}` | {ty} | {} |", field.meaning()).unwrap();
        if let Some(bytes) = field.bytes_name() {
            writeln!(out, "| `{bytes}` | string | the bytes of `{name}` in base 64, where they are not UTF-8 |").unwrap();
        }
    }
    out + "\n"
}

fn computed() -> String {
    let mut out = "\n| field | meaning |\n| --- | --- |\n".to_owned();
    for field in Field::ALL
        .iter()
        .filter(|field| !Field::KEYS.contains(field))
    {
        writeln!(out, "| `{}` | {} |", field.name(), field.meaning()).unwrap();
    }
    out + "\n"
}

/// A view of the rows in DuckDB.
fn view() -> String {
    let mut columns = vec![];
    for field in Field::KEYS {
        columns.push(format!(
            "    \"{}\": '{}'",
            field.name(),
            sql_type(field.ty())
        ));
        columns.extend(
            field
                .bytes_name()
                .map(|name| format!("    \"{name}\": 'VARCHAR'")),
        );
    }
    format!(
        "CREATE VIEW hits AS\nSELECT * FROM read_json('hits.jsonl', format = 'newline_delimited', columns = {{\n{}\n}});\n",
        columns.join(",\n")
    )
}

fn sql_type(ty: Type) -> &'static str {
    match ty {
        Type::Name | Type::Text => "VARCHAR",
        Type::Number => "BIGINT",
        Type::Flag => "BOOLEAN",
        Type::Time => "TIMESTAMPTZ",
        Type::Names => "VARCHAR[]",
        Type::Spans => "STRUCT(\"start\" BIGINT, \"end\" BIGINT)[]",
        Type::Seams => {
            "STRUCT(kind VARCHAR, \"start\" BIGINT, \"end\" BIGINT, \"at\" BIGINT, len BIGINT)[]"
        }
        Type::Alternates => "STRUCT(kind VARCHAR, url VARCHAR)[]",
        Type::Components => "STRUCT(name VARCHAR, value VARCHAR)[]",
        Type::Decoded => {
            "STRUCT(\"start\" BIGINT, \"end\" BIGINT, segments STRUCT(\"start\" BIGINT, \"end\" BIGINT)[], \
             seams STRUCT(kind VARCHAR, \"start\" BIGINT, \"end\" BIGINT, \"at\" BIGINT, len BIGINT)[])"
        }
        other => panic!("{other:?}"),
    }
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Name | Type::Text | Type::Time => "string",
        Type::Number => "integer",
        Type::Flag => "boolean",
        Type::Names => "list of strings",
        Type::Spans => "list of spans",
        Type::Seams => "list of seams",
        Type::Decoded => "place",
        Type::Alternates => "list of readings",
        Type::Components => "list of components",
        other => panic!("{other:?}"),
    }
}

/// The schema of a row, generated from the table.
fn schema() -> Value {
    let mut properties = Map::new();
    for field in Field::KEYS {
        properties.insert(field.name().to_owned(), property(*field));
        if let Some(bytes) = field.bytes_name() {
            properties.insert(bytes.to_owned(), json!({"type": ["string", "null"]}));
        }
    }
    let object = |properties: Value| {
        let required: Vec<_> = properties
            .as_object()
            .into_iter()
            .flatten()
            .map(|p| p.0.clone())
            .collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    };
    let integer = json!({"type": "integer", "minimum": 0});
    let string = json!({"type": "string"});
    let mut row = object(Value::Object(properties));
    row["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    row["title"] = json!("A row of urlgrep, version 2");
    row["$defs"] = json!({
        "span": object(json!({"start": integer, "end": integer})),
        "seam": object(json!({"kind": string, "start": integer, "end": integer, "at": integer, "len": integer})),
        "alternate": object(json!({"kind": string, "url": string})),
        "component": object(json!({"name": string, "value": string})),
    });
    row
}

fn property(field: Field) -> Value {
    let list = |item: &str| json!({"type": ["array", "null"], "items": {"$ref": format!("#/$defs/{item}")}});
    match (field, field.ty()) {
        (Field::Version, _) => json!({"const": 2}),
        (Field::Type, _) => json!({"enum": ["hit", "reject", "note", "error", "end"]}),
        (Field::Path, _) => json!({"type": "string"}),
        (_, Type::Name | Type::Text | Type::Time) => json!({"type": ["string", "null"]}),
        (_, Type::Number) => json!({"type": ["integer", "null"], "minimum": 0}),
        (_, Type::Flag) => json!({"type": ["boolean", "null"]}),
        (_, Type::Names) => json!({"type": ["array", "null"], "items": {"type": "string"}}),
        (_, Type::Spans) => list("span"),
        (_, Type::Seams) => list("seam"),
        (_, Type::Alternates) => list("alternate"),
        (_, Type::Components) => list("component"),
        (_, Type::Decoded) => json!({
            "type": ["object", "null"],
            "properties": {
                "start": {"type": "integer", "minimum": 0},
                "end": {"type": "integer", "minimum": 0},
                "segments": {"type": "array", "items": {"$ref": "#/$defs/span"}},
                "seams": {"type": "array", "items": {"$ref": "#/$defs/seam"}},
            },
            "required": ["start", "end", "segments", "seams"],
            "additionalProperties": false,
        }),
        (_, other) => panic!("{other:?}"),
    }
}
