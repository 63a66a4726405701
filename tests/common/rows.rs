//! Rows of `testdata/`: lists the files, reads the rows, decodes their escapes.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The files with the extension `toml` in a folder of `testdata`, in order.
/// An empty folder is a failure, because a test without rows cannot fail.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata")
        .join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no rows in {}", dir.display());
    files
}

/// The rows of a file. There is nothing else in it.
pub fn read_rows<R: DeserializeOwned>(path: &Path) -> Vec<R> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File<R> {
        row: Vec<R>,
    }

    read::<File<R>>(path).row
}

/// A row of `testdata/mime`, without its answers.
#[derive(Deserialize)]
pub struct MessageRow {
    pub name: String,
    pub text: String,
}

/// The messages of `testdata/mime`, for tests that find the answers in another way.
pub fn messages() -> Vec<MessageRow> {
    #[derive(Deserialize)]
    struct File {
        /// One of the files has no `row` but a list of another kind.
        #[serde(default)]
        row: Vec<MessageRow>,
    }

    let rows = files("mime").into_iter();
    let rows = rows.flat_map(|path| read::<File>(&path).row);
    rows.filter(|row| wanted(&row.name)).collect()
}

/// A file of data.
pub fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Decodes the escapes `\xNN \n \r \t \f \\` of a row.
pub fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        if b != b'\\' {
            out.push(b);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(b'f') => out.push(0x0C),
            Some(b'\\') => out.push(b'\\'),
            Some(b'x') => {
                let hex =
                    [bytes.next(), bytes.next()].map(|d| d.expect("two digits after \\x") as char);
                let hex: String = hex.iter().collect();
                out.push(u8::from_str_radix(&hex, 16).expect("hexadecimal digits after \\x"));
            }
            other => panic!("unknown escape \\{:?} in {text:?}", other.map(char::from)),
        }
    }
    out
}

/// All failures, reported together at the end.
#[derive(Default)]
pub struct Failures(Vec<String>);

impl Failures {
    pub fn add(&mut self, what: String) {
        self.0.push(what);
    }

    pub fn check(self, rows: usize) {
        assert!(rows > 0, "no rows");
        assert!(
            self.0.is_empty(),
            "{} failures in {rows} rows:\n{}",
            self.0.len(),
            self.0.join("\n")
        );
    }
}

/// True if the row of this name is to be run. The environment variable
/// `URLGREP_ROWS` selects rows whose name contains its text.
pub fn wanted(name: &str) -> bool {
    std::env::var("URLGREP_ROWS").map_or(true, |part| name.contains(&part))
}
