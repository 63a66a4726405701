use std::io::Cursor;

use serde_json::{Value, json};

use super::*;
use urlgrep_find::scan::Form;
use urlgrep_find::{Extractor, Hyphen};
use urlgrep_mail::mime::{self, MessageInfo};
use urlgrep_rows::record::{Field, NoteRecord, Record, json};
use urlgrep_search::{Match, Message, Note, NoteKind};
use urlgrep_url::Profile;

fn claim(json: &[u8]) -> Result<Claim, VerifyError> {
    Claim::read(json).map(|claim| claim.expect("no note"))
}

fn check(source: &[u8], json: &[u8]) -> Result<Checked, VerifyError> {
    Replay::new(Cursor::new(source)).check(&claim(json)?)
}

/// The records of all hits of a text, with a message around them.
fn found(text: &[u8]) -> Vec<Vec<u8>> {
    let info = MessageInfo::default();
    let message = Message {
        separator: 0,
        line: None,
        number: Some(1),
        start: 0,
        end: Some(text.len() as u64),
        info: &info,
    };
    let mut all = Vec::new();
    for hyphen in [Hyphen::Keep, Hyphen::Drop] {
        let builder = Extractor::builder()
            .forms(Form::ALL.iter().copied())
            .hyphen(hyphen)
            .rejects(true);
        for profile in [Profile::Current, Profile::Rfc1738] {
            for hit in builder.profile(profile).build().find_iter(text) {
                let mut record = Record::plain(Some(b"a"), &hit);
                record.found.message = Some(message);
                let start = hit.span().start as usize;
                let line_start = text[..start].iter().rposition(|&b| b == b'\n');
                record.column = Some((start - line_start.map_or(0, |i| i + 1)) as u64 + 1);
                let mut json = Vec::new();
                json::Writer::new().write(&record, &mut json);
                all.push(json);
            }
        }
    }
    all
}

/// Texts with every kind of seam that the scanner makes.
const TEXTS: &[&str] = &[
    "see http://a.example/b1?c=2#d3 and http://h_st/\n",
    "From: A [mailto:ann at x.example] and mailto: bob@x.example\n",
    "one\ntwo <URL:ftp://user:pw@a.example:2121/pub/x;\r\n   type=d> three\n",
    "> see <URL:http://a.example/b-\n> c/d> and\n> more <URL:http://a.example/ b.html> end\n",
    "# <http://a.example/one/\n# two/three>\n\"http://a.example/x\ny\"\n",
    "<URL:http://a.example/one\n\nA. Author          Informational          [Page 1]\n\x0C\nRFC 1  Title  May 1990\n\n\n   /two> x\n",
    "http://a.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=\nbbb=3Dccc done\n",
    "mailto:a@b.example?subject=c news:comp.lang.c gopher://g.example:70/00/x%09y wais://w.example/db?q\n",
    "www.a.example/b, ftp.a.example:/c and <URL:gopher.a.example/\nd>\n",
    "nntp://n.example/a.b/12 telnet://u@t.example:23/ urn:isbn:0451450523 tel:+1-201-555-0123\n",
];

/// A record as the mail layer would make it. Each piece of the source has the
/// kind of its seam and its bytes in the URL. A piece that is copied has no
/// such kind.
fn made(pieces: &[(&str, &str, &str)]) -> (Vec<u8>, Vec<u8>) {
    let mut source = b"x\ny ".to_vec();
    let offset = source.len();
    let (mut url, mut segments, mut seams) = (String::new(), vec![], vec![]);
    for (kind, bytes, text) in pieces {
        let start = source.len();
        source.extend_from_slice(bytes.as_bytes());
        if kind.is_empty() {
            segments.push(json!({"start": start, "end": source.len()}));
            url.push_str(bytes);
        } else {
            seams.push(json!({"kind": kind, "start": start, "end": source.len(), "at": url.len(), "len": text.len()}));
            url.push_str(text);
        }
    }
    let end = source.len();
    source.extend_from_slice(b" z");
    let path = url.strip_prefix("http://a.example").expect("this host");
    let mut record = json!({
        "v": 2, "type": "hit", "path": "a", "line": 2, "column": 3, "offset": offset, "end": end,
        "url": url, "scheme": "http", "host": "a.example", "profile": "current", "form": "bare",
        "segments": segments, "seams": seams, "alternates": [], "doubt": [], "continues": false,
        "glued": false, "cautions": [], "components": [
            {"name": "scheme", "value": "http"},
            {"name": "host", "value": "a.example"},
            {"name": "path", "value": path},
        ],
    });
    // Only a part of a message has the folds and escapes of a calendar.
    let is_of_calendar = |&(kind, bytes, _): &(&str, &str, &str)| {
        kind == "escape" || kind == "fold" && bytes.ends_with('\t')
    };
    if pieces.iter().any(is_of_calendar) {
        record["part"] = json!("1");
    }
    let map = record.as_object_mut().expect("an object");
    for field in Field::KEYS {
        for key in [Some(field.name()), field.bytes_name()]
            .into_iter()
            .flatten()
        {
            map.entry(key).or_insert(Value::Null);
        }
    }
    (source, record.to_string().into_bytes())
}

const COPY: &str = "";

/// Pieces that the mail layer makes. Some are encoded twice.
const PIECES: &[&[(&str, &str, &str)]] = &[
    &[
        (COPY, "http://a.example/a", ""),
        ("soft-break", "=\r\n", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("soft-break", "= \t\n=\n", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("qp-byte", "=3d", "="),
        (COPY, "b", ""),
    ],
    &[
        ("qp-byte", "=68", "h"),
        (COPY, "ttp://a.example/", ""),
        ("qp-byte", "=3D", "="),
    ],
    &[
        (COPY, "http://a.example/", ""),
        ("flowed-break", " \r\n>> ", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/", ""),
        ("flowed-break", "=20\n", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/", ""),
        ("line-break", "\n", ""),
        ("space-stuff", " ", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("entity", "&amp;", "&"),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("entity", "&#x3d;", "="),
        ("entity", "&#61", "="),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("entity", "&am=\np;", "&"),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("fold", "\r\n \r\n\t", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("escape", "\\,", ","),
        ("escape", "\\\r\n ;", ";"),
        ("entity", "&am\n p;", "&"),
        ("entity", "&amp\\;", "&"),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("css-escape", "\\29 ", ")"),
        ("css-escape", "\\\n", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("blank", " ", "%20"),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("line-break", "</p>", ""),
        ("markup", "\n ", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("markup", "<wbr>", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("markup", "<b =\nid=3D1>", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("markup", "=\n.", ""),
        (COPY, ".b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("line-break", "\r\n", ""),
        ("dot-stuff", ".", ""),
        (COPY, ".b", ""),
    ],
    &[
        (COPY, "http://a.example/a", ""),
        ("line-break", "\n", ""),
        ("from-quote", ">", ""),
        ("leader", ">", ""),
        (COPY, "From", ""),
    ],
    &[
        (COPY, "http://a.example/", ""),
        ("fold", "\r\n", ""),
        ("space", " ", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/b", ""),
        ("typeset", "\u{2010}", "-"),
        ("typeset", "\u{FB03}", "ffi"),
        ("typeset", "\u{2DC}", "~"),
        ("refanged", " [dot] ", "."),
        (COPY, "c/", ""),
        ("invisible", "\u{200B}", ""),
        (COPY, "d", ""),
    ],
    &[
        (COPY, "http://a.example/b", ""),
        ("control", "\u{3}06", ""),
        (COPY, "c/", ""),
        ("row", " │\n│ ", ""),
        (COPY, "d", ""),
    ],
    &[
        (COPY, "http://a.example/b", ""),
        ("control", "c\u{8}", ""),
        (COPY, "c", ""),
        ("control", "\u{8}_", ""),
        (COPY, "/", ""),
        ("chunk", "\r\n1a;x=y\r\n", ""),
        (COPY, "d", ""),
    ],
    // Line breaks that are encoded twice.
    &[
        (COPY, "http://a.example/", ""),
        ("line-break", "=20\r\n ", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/", ""),
        ("line-break", "<br>\n", ""),
        (COPY, "b", ""),
    ],
    &[
        (COPY, "http://a.example/", ""),
        ("line-break", "=0A", ""),
        (COPY, "b", ""),
    ],
];

fn all() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut all: Vec<_> = TEXTS
        .iter()
        .flat_map(|text| {
            let source = text.as_bytes().to_vec();
            found(text.as_bytes())
                .into_iter()
                .map(move |json| (source.clone(), json))
        })
        .collect();
    assert!(all.len() > 50, "{}", all.len());
    all.extend(PIECES.iter().map(|pieces| made(pieces)));
    all
}

#[test]
fn right_records_are_confirmed() {
    for (source, json) in all() {
        let checked = check(&source, &json);
        assert!(
            matches!(checked, Ok(Checked::Replayed)),
            "{checked:?}\n{}",
            String::from_utf8_lossy(&json)
        );
    }
}

#[test]
fn the_samples_show_every_kind_of_seam() {
    let all: Vec<String> = all()
        .into_iter()
        .map(|(_, json)| String::from_utf8(json).unwrap())
        .collect();
    for kind in urlgrep_base::span::SeamKind::ALL {
        let kind = format!("\"kind\":\"{}\"", kind.name());
        assert!(all.iter().any(|json| json.contains(&kind)), "{kind}");
    }
}

/// Keys that are not checked. See the module documentation.
const STATED: &[&str] = &[
    "path",
    "canonical",
    "clean",
    "domain",
    "surt",
    "uri",
    "alternates",
    "message_id",
    "from",
    "reason",
    "continues",
    "glued",
];

/// Every value that differs from `value` in one digit, in one character, or by
/// being missing.
fn mutants(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => {
            let digits = number.to_string();
            for (i, digit) in digits.bytes().enumerate() {
                let mut other = digits.clone().into_bytes();
                other[i] = b'0' + (digit - b'0' + 1) % 10;
                let other: u64 = String::from_utf8(other).unwrap().parse().unwrap();
                out.push(json!(other));
            }
            out.push(Value::Null);
        }
        Value::String(text) => {
            for (i, c) in text.char_indices() {
                let mut other = text.clone();
                let c = if c == 'x' { "y" } else { "x" };
                other.replace_range(i..i + 1, c);
                out.push(json!(other));
            }
            out.push(json!(format!("{text}x")));
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let mut inner = Vec::new();
                mutants(item, &mut inner);
                for other in inner {
                    let mut items = items.clone();
                    items[i] = other;
                    out.push(Value::Array(items));
                }
                // Without a component such as the path `/`, its bytes count
                // as separators between components. A doubt is not checked.
                let value = item["value"].as_str().unwrap_or("a");
                let is_doubt = item == "inner-space" || item == "unmasked";
                if value.contains(char::is_alphanumeric) && !is_doubt {
                    let mut items = items.clone();
                    items.remove(i);
                    out.push(Value::Array(items));
                }
            }
        }
        Value::Object(map) => {
            for (key, item) in map.iter().filter(|(key, _)| !STATED.contains(&&***key)) {
                let mut inner = Vec::new();
                mutants(item, &mut inner);
                for other in inner {
                    let mut map = map.clone();
                    map.insert(key.clone(), other);
                    out.push(Value::Object(map));
                }
                let mut other = map.clone();
                let item = other.remove(key).unwrap();
                other.insert(format!("{key}x"), item);
                out.push(Value::Object(other));
            }
        }
    }
}

#[test]
fn mutated_records_are_refused() {
    let mut count = 0;
    for (source, json) in all() {
        let record: Value = serde_json::from_slice(&json).unwrap();
        let mut all = Vec::new();
        mutants(&record, &mut all);
        for mutant in all {
            // Without a line or column there is less to confirm. The source
            // does not show the number of a message.
            let missing = ["line", "column", "scheme", "role", "message_number"]
                .iter()
                .any(|key| record[key] != mutant[key] && mutant[key].is_null());
            // The source does not show the end of a message either.
            let number = ["message_number", "message_end"]
                .iter()
                .any(|key| record[key] != mutant[key] && mutant[key].is_u64());
            // Nor does it show the number of a part.
            let part = record["part"] != mutant["part"] && mutant["part"].is_string();
            if missing && mutant.as_object().unwrap().len() <= record.as_object().unwrap().len()
                || number
                || part
            {
                continue;
            }
            count += 1;
            let text = mutant.to_string();
            assert!(check(&source, text.as_bytes()).is_err(), "{record}\n{text}");
            assert_ne!(record, mutant);
        }
    }
    assert!(count > 10_000, "{count}");
}

#[test]
fn another_kind_is_refused() {
    // If two kinds remove the same bytes, either is accepted.
    let same = |a: &str, b: &str| {
        let pair = [a, b];
        a == "markup"
            || (b == "markup" && ["line-break", "soft-break", "flowed-break"].contains(&a))
            // A calendar and a style sheet have the same escapes of punctuation.
            || pair == ["escape", "css-escape"]
            || pair == ["css-escape", "escape"]
            || (b == "row" && ["line-break", "flowed-break", "fold", "page", "css-escape"].contains(&a))
            || pair == ["line-break", "fold"]
            || pair == ["line-break", "flowed-break"]
            || pair == ["flowed-break", "line-break"]
            || pair == ["fold", "line-break"]
            || pair == ["soft-break", "qp-guess"]
            || pair == ["qp-guess", "soft-break"]
            || pair == ["space", "space-stuff"]
            || pair == ["space-stuff", "space"]
            || pair == ["from-quote", "leader"]
            || pair == ["leader", "from-quote"]
            || pair == ["page", "line-break"]
            || pair == ["soft-break", "line-break"]
            // Defanged text has ` at ` for `@`, blanks in its scheme, and backslashes.
            || (b == "refanged" && ["mask", "space", "space-stuff", "escape"].contains(&a))
            || (a == "refanged" && ["mask", "space", "space-stuff", "escape"].contains(&b))
            // White space next to a tag.
            || pair == ["line-break", "markup"]
            || pair == ["markup", "line-break"]
    };
    for (source, json) in all() {
        let record: Value = serde_json::from_slice(&json).unwrap();
        for i in 0..record["seams"].as_array().unwrap().len() {
            for kind in urlgrep_base::span::SeamKind::ALL {
                let mut other = record.clone();
                let was = record["seams"][i]["kind"].as_str().unwrap();
                if was == kind.name() || same(was, kind.name()) {
                    continue;
                }
                other["seams"][i]["kind"] = json!(kind.name());
                assert!(
                    check(&source, other.to_string().as_bytes()).is_err(),
                    "{was}: {other}"
                );
            }
        }
    }
}

#[test]
fn another_source_is_refused() {
    for (source, json) in all() {
        let record: Value = serde_json::from_slice(&json).unwrap();
        let offset = record["offset"].as_u64().unwrap() as usize;
        let end = record["end"].as_u64().unwrap() as usize;
        let free = |at: usize| {
            // A page or a tag may contain any bytes.
            record["seams"].as_array().unwrap().iter().any(|seam| {
                let within = seam["start"].as_u64().unwrap() as usize <= at
                    && at < seam["end"].as_u64().unwrap() as usize;
                let tag = source[seam["start"].as_u64().unwrap() as usize] == b'<';
                within && (seam["kind"] == "page" || tag)
            })
        };
        for at in (offset..end).filter(|&at| !free(at)) {
            let mut other = source.clone();
            other[at] = 1;
            assert!(check(&other, &json).is_err(), "{at} {record}");
        }
        for cut in offset..end {
            assert!(check(&source[..cut], &json).is_err(), "{cut} {record}");
        }
        let mut longer = source.clone();
        longer.insert(0, b'\n');
        assert!(check(&longer, &json).is_err(), "{record}");
    }
}

#[test]
fn faults_say_what_differs() {
    let text = b"see\n<URL:http://a.example/\nb> x";
    let json = String::from_utf8(found(text).remove(0)).unwrap();
    let fault = |from: &str, to: &str| {
        assert!(json.contains(from), "{json}");
        check(text, json.replace(from, to).as_bytes())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        fault(
            "\"url\":\"http://a.example/b\"",
            "\"url\":\"http://a.exbmple/b\""
        ),
        "the components do not make up the URL"
    );
    assert_eq!(
        fault("\"line\":2", "\"line\":3"),
        "byte 9: the line is 2, not 3"
    );
    assert_eq!(
        fault("\"line-break\"", "\"space\""),
        "byte 26: space over `\\x0A`: should be white space within a line"
    );
    assert_eq!(
        fault("{\"start\":9,\"end\":26}", "{\"start\":9,\"end\":25}"),
        "byte 25: the piece 26 to 27 does not follow"
    );
    assert_eq!(
        check(b"see\n<URL:http://a.exbmple/\nb> x", json.as_bytes())
            .unwrap_err()
            .to_string(),
        "byte 20: the source has `bmple/`, the URL `ample/`"
    );
    assert_eq!(
        check(b"see\n<URL:http", json.as_bytes())
            .unwrap_err()
            .to_string(),
        "byte 13: the source ends here"
    );
    let shown = check(b"see\n<URL:\x1b]8;;", json.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        shown.bytes().all(|b| b.is_ascii_graphic() || b == b' '),
        "{shown:?}"
    );
}

#[test]
fn decoded_places_are_confirmed_against_the_text() {
    let text = b"see\n<URL:http://a.example/\nb> x";
    let hit = Extractor::new(Profile::Current)
        .find_iter(text)
        .next()
        .unwrap();
    let mut json = Vec::new();
    let record = Record::new(None, Match::transcoded(&hit));
    json::Writer::new().write(&record, &mut json);
    let claim = claim(&json).unwrap();
    assert!(claim.is_decoded());
    assert_eq!(claim.path(), b"<stdin>");
    assert_eq!(claim.url(), b"http://a.example/b");
    assert!(matches!(
        Replay::new(Cursor::new(b"base64")).check(&claim),
        Ok(Checked::Decoded)
    ));
    assert!(claim.check_decoded(text).is_ok());
    assert!(claim.check_decoded(&text[1..]).is_err());
}

#[test]
fn lines_that_are_not_records_are_refused() {
    let (_, json) = made(PIECES[0]);
    assert!(claim(&json).is_ok());
    for wrong in [
        &b""[..],
        b"{}",
        b"null",
        b"{\"v\":2,\"type\":\"hit\"}",
        b"{\"v\":1,\"type\":\"note\"}",
        b"\xFF",
    ] {
        assert!(Claim::read(wrong).is_err(), "{wrong:?}");
    }
    let twice = String::from_utf8(json)
        .unwrap()
        .replacen('{', "{\"line\":1,", 1);
    assert!(Claim::read(twice.as_bytes()).is_err());
}

/// In a header field, blanks with a fold among them are one `space`. In a part,
/// blanks with a flowed break or a fold of a calendar among them are one `space`.
/// In a file that is read as text, none of these is allowed.
#[test]
fn blanks_around_a_removed_break_are_accepted() {
    for (blanks, key) in [(" \t\r\n ", "header"), ("  \n>  ", "part")] {
        let (source, json) = made(&[
            (COPY, "http://a.example/", ""),
            ("space", blanks, ""),
            (COPY, "b", ""),
        ]);
        assert!(check(&source, &json).is_err());
        let mut record: Value = serde_json::from_slice(&json).unwrap();
        for place in ["header", "part"] {
            record[place] = Value::Null;
            if place == key {
                record[place] = json!("1");
            }
        }
        assert!(check(&source, record.to_string().as_bytes()).is_ok());
        let header = record["header"].take();
        record["header"] = record["part"].take();
        record["part"] = header;
        let is_confirmed = check(&source, record.to_string().as_bytes()).is_ok();
        assert_eq!(is_confirmed, key == "header");
    }
}

/// Records that are slow to check: a line of a megabyte, and a seam of a
/// megabyte.
#[test]
fn hostile_records_are_verified_in_linear_time() {
    let long = "/".repeat(500_000);
    let (source, json) = made(&[(COPY, &format!("http://a.example{long}"), "")]);
    assert!(check(&source, &json).is_err());
    let (_, json) = made(PIECES[0]);
    let json = String::from_utf8(json).unwrap();
    let many = "{\"name\":\"path\",\"value\":\"\"},".repeat(60_000);
    let json = json.replace("\"components\":[", &format!("\"components\":[{many}"));
    assert!(check(&source, json.as_bytes()).is_err());
    let open = "<".repeat(1_000_000);
    let (source, json) = made(&[
        (COPY, "http://a.example/", ""),
        ("markup", &open, ""),
        (COPY, "b", ""),
    ]);
    assert!(check(&source, &json).is_err());
}

#[test]
fn version_1_is_named() {
    let old = br#"{"v":1,"type":"hit","path":"a","line":1,"offset":0}"#;
    let what = Claim::read(old).unwrap_err().to_string();
    assert_eq!(what, "version 1 of the schema is not supported, only 2");
}

/// The `…_bytes` key must agree with its text.
#[test]
fn base64_of_bytes_must_match_their_text() {
    let (source, json) = made(PIECES[0]);
    let mut record: Value = serde_json::from_slice(&json).unwrap();
    let good = [
        ("path", "a\u{FFFD}", "Yf8="),
        ("subject", "\u{FFFD}", "/w=="),
    ];
    for (key, text, base64) in good {
        let beside = format!("{key}_bytes");
        record[key] = json!(text);
        record[&beside] = json!(base64);
        assert!(check(&source, record.to_string().as_bytes()).is_ok());
        for wrong in ["YQ==", "Yf8", "Yf7/"] {
            record[&beside] = json!(wrong);
            assert!(
                check(&source, record.to_string().as_bytes()).is_err(),
                "{key} {wrong}"
            );
        }
        record[key] = json!("a");
        record[&beside] = Value::Null;
    }
}

#[test]
fn notes_are_not_verified() {
    let note = Note {
        kind: NoteKind::Message(mime::MessageNoteKind::BadBase64),
        at: Some(7),
        message: None,
        part: Some("1.2"),
        member: None,
    };
    let mut json = Vec::new();
    json::Writer::new().write(&NoteRecord { path: None, note }, &mut json);
    assert!(Claim::read(&json).unwrap().is_none());
}
