//! Replies as mail programs write them in many languages, and text that only looks like them.
//!
//! The files of `testdata/mime/replies` have one message after another. A line of `=` names the
//! message and the program. The host of each URL and address says the role of its place:
//! `own.example` is body, and `quoted.example`, `signature.example` and `footer.example` have
//! their own names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use urlgrep_base::span::SourceMap;
use urlgrep_mail::mime::{
    Enclosing, HeaderPolicy, MailSink, MessageInfo, MessageMeta, MessageNote, PartEnd, PartInfo,
    PartKind, Role, RoleTracker, Walker,
};

const HOSTS: [(&str, &str); 4] = [
    ("own.example", "body"),
    ("quoted.example", "quoted"),
    ("signature.example", "signature"),
    ("footer.example", "footer"),
];

/// A text of a message, with its roles.
#[derive(Default)]
struct Text {
    is_link: bool,
    bytes: Vec<u8>,
    roles: RoleTracker,
}

/// Collects what is wrong in a message. Each text is fed in pieces of `size` bytes.
struct Check {
    size: usize,
    info: MessageInfo,
    open: Vec<Text>,
    places: usize,
    wrong: Vec<String>,
}

impl MailSink for Check {
    fn headers(&mut self, message: &MessageInfo) {
        self.info = message.clone();
    }

    fn part_start(&mut self, part: &PartInfo<'_>) {
        let mut text = Text {
            is_link: matches!(part.kind, PartKind::HtmlLink { .. }),
            ..Text::default()
        };
        text.roles.start(&self.info, part);
        self.open.push(text);
    }

    fn text(&mut self, bytes: &[u8], _: &SourceMap) {
        let text = self.open.last_mut().expect("a part is open");
        if !text.is_link {
            for piece in bytes.chunks(self.size) {
                text.roles.feed(piece);
            }
        }
        text.bytes.extend_from_slice(bytes);
    }

    fn part_end(&mut self, end: PartEnd) {
        let mut text = self.open.pop().expect("a part is open");
        if text.is_link || text.roles.is_fixed() {
            return;
        }
        text.roles.finish(end.last);
        let shown = String::from_utf8_lossy(&text.bytes).into_owned();
        let places = HOSTS.iter().flat_map(|(host, role)| {
            let places = shown.match_indices(host);
            places.map(move |(at, _)| (at, *role))
        });
        let mut places: Vec<(usize, &str)> = places.collect();
        places.sort_unstable();
        // Nor does a role depend on the place that was asked for before.
        if self.size % 2 == 1 {
            places.reverse();
        }
        for (at, role) in places {
            let got = text.roles.role_at(at as u64).map(Role::name);
            self.places += 1;
            if got != Some(role) {
                let line = shown[..at].rfind('\n').map_or(0, |i| i + 1);
                let line = shown[line..].lines().next().unwrap_or_default();
                let wrong = format!("{} is {got:?}, not {role}", line.trim());
                self.wrong.push(wrong);
            }
        }
    }

    fn enclosed(&mut self, by: Enclosing, at: u64) {
        if let Some(text) = self.open.last_mut() {
            text.roles.enclosed(by, at);
        }
    }

    fn anchor(&mut self, link: Option<u32>, at: u64) {
        if let Some(text) = self.open.last_mut().filter(|_| link.is_some()) {
            text.roles.linked(at);
        }
    }

    fn note(&mut self, _: MessageNote<'_>) {}
}

/// What is wrong in a message, and the number of its places.
fn check(message: &str, size: usize) -> (Vec<String>, usize) {
    let mut check = Check {
        size,
        info: MessageInfo::default(),
        open: Vec::new(),
        places: 0,
        wrong: Vec::new(),
    };
    let mut walker = Walker::builder()
        .headers(HeaderPolicy::None)
        .info(true)
        .build();
    walker.message(MessageMeta::default());
    walker.feed(message.as_bytes(), 0, &mut check);
    walker.finish(&mut check);
    (check.wrong, check.places)
}

/// The messages of a file, with their names.
fn messages(path: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(path).expect("the file is text");
    let mut messages: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("======== ") {
            messages.push((name.to_string(), String::new()));
        } else if let Some((_, message)) = messages.last_mut() {
            message.push_str(line);
            message.push('\n');
        }
    }
    messages
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/mime/replies");
    let files = fs::read_dir(folder).expect("the folder of the repository");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(
        files.len() >= 17,
        "a file for each language, and one without replies"
    );
    files
}

#[test]
fn replies_in_many_languages() {
    let mut table = BTreeMap::new();
    let mut report = String::new();
    for path in files() {
        let language = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let messages = messages(&path);
        assert!(messages.len() >= 12, "{language} has {}", messages.len());
        for (name, message) in messages {
            let (wrong, places) = check(&message, usize::MAX);
            assert!(places > 0, "{language}: {name} has no place");
            let row: &mut (usize, usize) = table.entry(language.clone()).or_default();
            row.0 += places;
            row.1 += wrong.len();
            for line in wrong {
                report.push_str(&format!("{language}: {name}: {line}\n"));
            }
        }
    }
    assert!(report.is_empty(), "{report}{table:#?}");
}

/// A role never depends on where a piece of the text ended.
#[test]
fn replies_in_pieces() {
    for path in files() {
        for (name, message) in messages(&path) {
            let whole = check(&message, usize::MAX);
            for size in [1, 7, 64] {
                assert_eq!(check(&message, size), whole, "{name} in pieces of {size}");
            }
        }
    }
}
