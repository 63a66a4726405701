//! The truth set, `testdata/truth.toml`: its rows, the answers of a tool to
//! them, and the score of these answers. Used by the test, and by the report
//! that docs/answers.md quotes.
//!
//! Each place has a mark. It asks one question: which printed URL covers the
//! mark? The answer is right if it is the URL that the two readers wrote. If the
//! grammar refuses the URL of a place (`illegal`, `refused`), the question is
//! whether the tool refuses it too. Such a place counts for precision only if
//! the tool prints a text that the readers did not write. It never counts for
//! recall.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep::{Extractor, Hit, Profile};

use super::rows;

/// One place, and the answer of the two readers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub n: usize,
    pub stratum: String,
    pub source: String,
    /// The mark: offset of the colon of the scheme in the unescaped context.
    pub at: usize,
    context: String,
    /// The URL that the readers wrote; absent if there is no URL at the mark.
    pub url: Option<String>,
    /// The part on its first line, if the URL is bare and broken.
    pub first: Option<String>,
    #[serde(default)]
    decode: Decode,
    #[serde(default)]
    pub settled: bool,
    /// True if the readers say that no grammar accepts the URL.
    #[serde(default)]
    pub illegal: bool,
    /// The doubt with which the URL is printed. The readers did not agree about it, or no
    /// document allows it.
    pub doubt: Option<String>,
    /// `rule@offset` of the reject, if the readers saw a URL that the grammar
    /// refuses.
    pub refused: Option<String>,
    /// Why the answer of urlgrep is known to be wrong.
    pub miss: Option<String>,
    /// The only mode in which this answer is wrong; absent if it is wrong in
    /// both modes or in none.
    pub miss_in: Option<Mode>,
}

/// The encoding and the type that the message headers declared for the bytes.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
pub enum Decode {
    #[default]
    #[serde(rename = "none")]
    None,
    #[serde(rename = "quoted-printable")]
    QuotedPrintable,
    #[serde(rename = "html")]
    Html,
    #[serde(rename = "quoted-printable html")]
    Both,
}

/// How the extractor is configured.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    Default,
    NoJoin,
}

/// The answer of a tool at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The URL that it prints.
    pub printed: Option<String>,
    /// True if the tool says that the URL continues on the next line.
    pub continues: bool,
    /// The refused text, and the reason as `rule@offset`.
    pub refused: Option<(String, String)>,
}

impl Row {
    pub fn context(&self) -> Vec<u8> {
        rows::unescape(&self.context)
    }

    /// True if the headers declare an encoding or HTML.
    pub fn is_encoded(&self) -> bool {
        self.decode != Decode::None
    }

    /// True if the answer is known to be wrong.
    pub fn is_miss(&self, mode: Mode) -> bool {
        self.miss.is_some() && self.miss_in.is_none_or(|its| its == mode)
    }

    /// True if a URL should be printed.
    pub fn wants_url(&self) -> bool {
        self.url.is_some() && !self.is_refused()
    }

    fn is_refused(&self) -> bool {
        self.illegal || self.refused.is_some() || self.doubt.is_some()
    }

    /// True if the answer of a tool agrees with the readers' answer.
    pub fn is_right(&self, answer: &Answer, mode: Mode) -> bool {
        if let Some(reason) = &self.refused {
            let expected = self.url.as_ref().map(|url| (url, reason));
            let refused = answer.refused.as_ref().map(|(url, reason)| (url, reason));
            return answer.printed.is_none() && refused == expected;
        }
        if self.doubt.is_some() && answer.printed == self.url {
            return true;
        }
        if self.illegal || self.doubt.is_some() {
            return answer.printed.is_none();
        }
        answer.printed == self.url || self.is_first_part(answer, mode)
    }

    /// True if the answer is the first line of a URL that is not joined, with
    /// `continues`.
    pub fn is_first_part(&self, answer: &Answer, mode: Mode) -> bool {
        mode == Mode::NoJoin
            && answer.continues
            && self.first.is_some()
            && answer.printed == self.first
    }
}

/// The rows. Panics if they break the assumptions of the test.
pub fn rows() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/truth.toml");
    let rows = rows::read_rows::<Row>(&path);
    for (i, row) in rows.iter().enumerate() {
        let n = row.n;
        assert_eq!(n, i, "rows are numbered from 0");
        assert_eq!(row.context().get(row.at), Some(&b':'), "{n}: the mark");
        assert!(!row.source.is_empty(), "{n}: a source");
        assert!(
            row.url.is_some() || !row.is_refused(),
            "{n}: the refused text"
        );
        assert!(
            row.miss_in.is_none() || row.miss.is_some(),
            "{n}: why missed"
        );
    }
    rows
}

/// The answer of the extractor at the mark of `row`.
pub fn ours(row: &Row, mode: Mode) -> Answer {
    let (content_type, encoding) = match row.decode {
        Decode::None => return plain(row, mode),
        Decode::QuotedPrintable => ("text/plain", "quoted-printable"),
        Decode::Html => ("text/html", "7bit"),
        Decode::Both => ("text/html", "quoted-printable"),
    };
    let mut message = format!(
        "MIME-Version: 1.0\nContent-Type: {content_type}\nContent-Transfer-Encoding: {encoding}\n\n"
    )
    .into_bytes();
    let mut at = At {
        at: (message.len() + row.at) as u64,
        answer: Answer::default(),
    };
    message.extend(row.context());
    let _ = Searcher::builder()
        .extractor(builder(mode))
        .build()
        .visit_message(&message, &mut at);
    at.answer
}

fn builder(mode: Mode) -> urlgrep::ExtractorBuilder {
    Extractor::builder()
        .profile(Profile::Current)
        .join(mode == Mode::Default)
        .rejects(true)
}

fn plain(row: &Row, mode: Mode) -> Answer {
    let mut answer = Answer::default();
    for hit in builder(mode).build().find_iter(&row.context()) {
        let span = hit.span();
        if (span.start..span.end).contains(&(row.at as u64)) {
            take(&mut answer, &hit);
        }
    }
    answer
}

/// Searches for the hit whose place in the source covers an offset.
struct At {
    at: u64,
    answer: Answer,
}

impl Visitor for At {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        if let Some(place) = found.source() {
            let span = place.span();
            if (span.start..span.end).contains(&self.at) {
                take(&mut self.answer, found.hit);
            }
        }
        ControlFlow::Continue(())
    }
}

fn take(answer: &mut Answer, hit: &Hit) {
    let url = String::from_utf8_lossy(hit.text()).into_owned();
    match hit.url() {
        Ok(_) => {
            assert!(
                answer.printed.as_ref().is_none_or(|other| *other == url),
                "two URLs cover one place: {answer:?} and {url}"
            );
            answer.printed = Some(url);
            answer.continues = hit.continues();
        }
        Err(reject) => {
            answer.refused = Some((url, format!("{}@{}", reject.rule.name(), reject.at)));
        }
    }
}

/// The number of answers, and of right answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    pub places: usize,
    /// Places where a URL should be printed.
    pub wanted: usize,
    /// Places where a URL is printed.
    pub printed: usize,
    /// Places where the right URL is printed.
    pub right: usize,
    /// Right answers that are only the first part of a broken URL.
    pub first_parts: usize,
}

impl Score {
    pub fn add(&mut self, row: &Row, answer: &Answer, mode: Mode) {
        let printed = answer.printed.is_some();
        let right = printed && row.wants_url() && row.is_right(answer, mode);
        // A tool without a validator need not refuse an invalid URL of the
        // readers.
        let neutral = row.is_refused() && answer.printed == row.url;
        self.places += 1;
        self.wanted += usize::from(row.wants_url());
        self.printed += usize::from(printed && !neutral);
        self.right += usize::from(right);
        self.first_parts += usize::from(right && answer.printed != row.url);
    }

    /// Precision, in per cent: the share of the printed URLs that are right.
    pub fn precision(&self) -> f64 {
        percent(self.right, self.printed)
    }

    /// Recall, in per cent: the share of the wanted URLs that are printed and
    /// right.
    pub fn recall(&self) -> f64 {
        percent(self.right, self.wanted)
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Scores by name of the stratum, and `all`.
pub fn scores<'r>(
    rows: impl IntoIterator<Item = &'r Row>,
    mode: Mode,
    mut answer: impl FnMut(&Row) -> Answer,
) -> BTreeMap<String, Score> {
    let mut scores = BTreeMap::<String, Score>::new();
    for row in rows {
        let answer = answer(row);
        for name in [row.stratum.as_str(), "all"] {
            let score = scores.entry(name.to_owned()).or_default();
            score.add(row, &answer, mode);
        }
    }
    scores
}
