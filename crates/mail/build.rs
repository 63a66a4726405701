//! Makes the tables of words of the rows of `languages.txt` and `footers.txt`, so that no program
//! that has the crate needs to read them when it starts.

#[path = "src/mime/role/letters.rs"]
#[allow(dead_code, reason = "the crate has the rest")]
mod letters;
#[path = "build/tables.rs"]
mod tables;

use std::path::Path;
use std::{env, fs};

use tables::{Table, Tables};

fn main() {
    let folder = Path::new("src/mime/role");
    let mut rows = String::new();
    for name in ["languages.txt", "footers.txt"] {
        let path = folder.join(name);
        println!("cargo::rerun-if-changed={}", path.display());
        rows += &fs::read_to_string(&path).expect("the rows are text");
    }
    for path in ["build.rs", "build/tables.rs", "src/mime/role/letters.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let out = env::var_os("OUT_DIR").expect("Cargo names the folder");
    let source = source(&Tables::of(&rows));
    let write = |name: &str, text: &str| {
        fs::write(Path::new(&out).join(name), text).expect("the folder can be written");
    };
    write("words.rs", &source);
    // For a module of WebAssembly, without the comments and the names of the programs.
    write("rows.txt", &short(&rows));
}

/// The rows without comments, and without the columns of which nothing is made.
fn short(rows: &str) -> String {
    let mut short = String::new();
    for row in rows.lines().filter(|row| !row.starts_with('#')) {
        let columns: Vec<&str> = row.splitn(4, ' ').collect();
        if let [kind, _, _, phrases] = columns[..] {
            short += &format!("{kind} - - {phrases}\n");
        }
    }
    short
}

/// The tables in Rust.
fn source(tables: &Tables) -> String {
    format!(
        "Words {{ words: {}, beginnings: {}, phrases: {}, phrase_uses: &{:?}, \
         begins: &{:?} }}",
        table_source(&tables.words),
        table_source(&tables.beginnings),
        table_source(&tables.phrases),
        tables.phrases.uses(),
        tables.begins
    )
}

fn table_source(table: &Table) -> String {
    format!(
        "Table {{ heads: &{:?}, rows: &{:?}, text: b\"{}\" }}",
        table.heads(),
        table.rows(),
        table.text().escape_ascii()
    )
}
