//! Indexes the URLs of a maildir, and queries the index for the URLs of a host:
//!
//!     cargo run -- MAILDIR HOST
//!
//! One searcher serves all messages, and reuses its memory.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};
use std::ops::ControlFlow;

use tantivy::collector::TopDocs;
use tantivy::query::TermQuery;
use tantivy::schema::{IndexRecordOption, STORED, STRING, Schema, Value};
use tantivy::{Index, IndexWriter, TantivyDocument, Term, doc};
use urlgrep::search::{Match, Searcher, Visitor};

const HEAP: usize = 50_000_000;
const SHOWN: usize = 20;

/// The fields of a hit that are kept until its message has been searched.
struct Entry {
    url: String,
    host: String,
    canonical: String,
    role: &'static str,
}

#[derive(Default)]
struct Collect(Vec<Entry>);

impl Visitor for Collect {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        // A reject is not a URL, so it is not indexed.
        let Ok(url) = found.hit.url() else {
            return ControlFlow::Continue(());
        };
        let host = url.host().map(|host| host.as_str().to_ascii_lowercase());
        self.0.push(Entry {
            url: url.as_str().to_owned(),
            host: host.unwrap_or_default(),
            canonical: url.canonical(),
            role: found.role().map_or("", |role| role.name()),
        });
        ControlFlow::Continue(())
    }
}

/// The messages of a maildir: first the read ones, then the unread ones.
fn messages(maildir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for folder in ["cur", "new"] {
        if let Ok(entries) = fs::read_dir(maildir.join(folder)) {
            for entry in entries {
                paths.push(entry?.path());
            }
        }
    }
    paths.sort();
    Ok(paths)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args_os().skip(1);
    let (Some(maildir), Some(host)) = (args.next(), args.next()) else {
        return Err("usage: urlgrep-tantivy MAILDIR HOST".into());
    };

    let mut schema = Schema::builder();
    let url = schema.add_text_field("url", STRING | STORED);
    let host_field = schema.add_text_field("host", STRING);
    let canonical = schema.add_text_field("canonical", STRING);
    let role = schema.add_text_field("role", STRING | STORED);
    let file = schema.add_text_field("file", STRING | STORED);
    let index = Index::create_in_ram(schema.build());
    let mut writer: IndexWriter = index.writer(HEAP)?;

    let mut searcher = Searcher::default();
    let mut collect = Collect::default();
    for path in messages(Path::new(&maildir))? {
        let _ = searcher.visit_message(&fs::read(&path)?, &mut collect);
        for found in collect.0.drain(..) {
            writer.add_document(doc!(
                url => found.url,
                host_field => found.host,
                canonical => found.canonical,
                role => found.role,
                file => path.to_string_lossy().into_owned(),
            ))?;
        }
    }
    writer.commit()?;

    let term = Term::from_field_text(host_field, &host.to_string_lossy().to_lowercase());
    let query = TermQuery::new(term, IndexRecordOption::Basic);
    let reader = index.reader()?.searcher();
    for (_, address) in reader.search(&query, &TopDocs::with_limit(SHOWN))? {
        let found: TantivyDocument = reader.doc(address)?;
        let text = |field| found.get_first(field).and_then(|value| value.as_str());
        println!(
            "{}\t{}\t{}",
            text(url).unwrap_or_default(),
            text(role).unwrap_or_default(),
            text(file).unwrap_or_default()
        );
    }
    Ok(())
}
