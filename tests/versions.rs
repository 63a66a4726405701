//! Version 2 of the JSON schema has the information of version 1. Rows of
//! version 2 are converted to version 1, and compared key by key with the rows
//! of the last program that wrote version 1.
//!
//! `URLGREP_V1` and `URLGREP_V2` may name two files with rows for the same
//! input, which are then compared too.

use std::process::Command;

use serde_json::{Map, Value, json};

/// The row of version 1 with the same information.
fn v1(row: &Value) -> Value {
    let text = |key: &str| match &row[format!("{key}_bytes")] {
        Value::Null => row[key].clone(),
        bytes => json!({"bytes": bytes}),
    };
    if row["type"] == "note" {
        return json!({
            "v": 1, "type": "note", "path": text("path"), "offset": row["offset"],
            "message": row["message_number"], "part": row["part"], "kind": row["note"],
        });
    }
    let mut old = json!({
        "v": 1, "path": text("path"), "url": text("url"),
        "segments": pairs(&row["segments"]), "doubt": row["doubt"][0],
        "components": components(&row["components"]),
    });
    for key in [
        "type",
        "line",
        "offset",
        "end",
        "scheme",
        "profile",
        "form",
        "seams",
        "alternates",
        "continues",
        "glued",
        "cautions",
    ] {
        old[key] = row[key].clone();
    }
    let mut decoded = row["decoded"].clone();
    if !decoded.is_null() {
        decoded["segments"] = pairs(&decoded["segments"]);
    }
    // Version 1 had `\xNN` for a byte that is not graphic, not 0xNN.
    let words = row["reason"]
        .as_str()
        .map(|text| match text.split_once(": 0x") {
            Some((place, byte)) => format!("{place}: `\\x{byte}`"),
            None => text.to_owned(),
        });
    let reason = json!({
        "rule": row["rule"], "at": row["rule_at"], "found": row["rule_found"],
        "text": words,
    });
    let message = json!({
        "number": row["message_number"], "start": row["message_start"], "end": row["message_end"],
        "id": text("message_id"), "date": row["date"], "from": text("from"),
        "subject": text("subject"), "newsgroups": text("newsgroups"), "list": text("list_id"),
    });
    let optional = [
        // Version 1 had no columns in messages.
        (
            "column",
            if row["message_number"].is_null() {
                row["column"].clone()
            } else {
                Value::Null
            },
        ),
        ("decoded", decoded),
        (
            "reason",
            if row["rule"].is_null() {
                Value::Null
            } else {
                reason
            },
        ),
        (
            "message",
            if row["message_number"].is_null() {
                Value::Null
            } else {
                message
            },
        ),
        ("part", row["part"].clone()),
        ("header", text("header")),
        ("role", row["role"].clone()),
        ("depth", row["depth"].clone()),
    ];
    for (key, value) in optional.into_iter().filter(|(_, value)| !value.is_null()) {
        old[key] = value;
    }
    // In version 1, the target of a link had a role of its own.
    if row["form"] == "link" {
        old["form"] = json!("quoted");
        old["role"] = json!("html-link");
    }
    old
}

/// Spans as pairs of numbers.
fn pairs(spans: &Value) -> Value {
    let Some(spans) = spans.as_array() else {
        return Value::Null;
    };
    spans
        .iter()
        .map(|span| json!([span["start"], span["end"]]))
        .collect()
}

/// Components as an object.
fn components(list: &Value) -> Value {
    let list = list.as_array().into_iter().flatten();
    let pair = |part: &Value| {
        (
            part["name"].as_str().unwrap().to_owned(),
            part["value"].clone(),
        )
    };
    Value::Object(list.map(pair).collect::<Map<_, _>>())
}

/// Compares rows of both versions. Returns their number.
fn compare(old: &str, new: &str) -> usize {
    let row = |line: &str| -> Value { serde_json::from_str(line).expect("JSON") };
    let mut wrong = 0;
    for (old, new) in old.lines().zip(new.lines()) {
        let (mut old, new) = (row(old), v1(&row(new)));
        if old["type"] == "note" {
            // The text is for people, and its wording has changed.
            old.as_object_mut().expect("an object").remove("text");
        }
        if old != new {
            wrong += 1;
            if wrong < 10 {
                eprintln!("{old}\n{new}\n");
            }
        }
    }
    assert_eq!(wrong, 0, "rows differ");
    assert_eq!(old.lines().count(), new.lines().count());
    new.lines().count()
}

fn rows_of_the_sample() -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_urlgrep"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "--profile",
            "current",
            "--json",
            "--rejects=both",
            "--notes",
        ])
        .args(["testdata/json/sample.mbox", "testdata/json/sample.txt"])
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn version_2_has_the_information_of_version_1() {
    let new = rows_of_the_sample();
    assert_eq!(compare(include_str!("../testdata/json/v1.jsonl"), &new), 23);
    if let (Ok(old), Ok(new)) = (std::env::var("URLGREP_V1"), std::env::var("URLGREP_V2")) {
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        eprintln!("{} rows", compare(&read(&old), &read(&new)));
    }
}

/// An example program that reads rows.
#[path = "../examples/hosts.rs"]
mod hosts;

#[test]
fn the_example_counts_hosts() {
    let rows = rows_of_the_sample();
    let mut out = Vec::new();
    let rows = format!("{{\"v\":1}}\n{rows}");
    hosts::hosts(rows.as_bytes(), &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.starts_with("3\t\n1\ta.example\n"), "{out}");
    assert_eq!(out.lines().count(), 18, "{out}");
}
