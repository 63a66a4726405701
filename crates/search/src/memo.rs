//! Header fields that may have a URL, and those that repeat. Mailing lists put the same
//! fields into each message, and most URLs of such mail stand there. The hits of a field
//! are the same again, only their places are not.

use super::{Match, Place};
use urlgrep_base::cache::{self, Recent};
use urlgrep_base::escape;
use urlgrep_find::Hit;
use urlgrep_find::scan;
use urlgrep_mail::mime::{PartInfo, PartKind};

/// True if the value `raw` of a header field may have a URL. A URL has a colon that
/// matters to the scanner, not one as in `Re: `, and after a name that may be a scheme. Without such a colon, only an
/// encoded-word (`=?`) or an extended parameter (`*=`) can contain a URL.
/// Unfolding removes only a line break before white space. So the byte next
/// to a colon stays the same, or is white space before and after unfolding.
pub(super) fn may_have_url(raw: &[u8]) -> bool {
    // Fast path: most values have at most the colon of `Re: `.
    let rest = raw.strip_prefix(b"Re: ").unwrap_or(raw);
    let is_special = |b| (b == b':') | (b == b'?') | (b == b'*');
    let mut colons = memchr::memchr3_iter(b':', b'?', b'*', raw);
    escape::has(rest, is_special)
        && colons.any(|at| match raw[at] {
            b':' => scan::matters(raw, at) && scan::follows_scheme(raw, at),
            b'?' => raw[..at].ends_with(b"="),
            _ => true,
        })
}

/// The maximum length of a field that is kept, and the maximum size of its hits in bytes.
const FIELD_BYTES: usize = 1024;
const HIT_BYTES: usize = 4096;

/// The fields with their hits.
#[derive(Debug, Default)]
pub(super) struct Memo {
    fields: Recent<Key, Field, 64>,
    /// The hash of the field whose hits are being found.
    open: Option<u64>,
}

/// What determines the hits of a field, and their places in it.
#[derive(Debug, Default)]
struct Key {
    name: Vec<u8>,
    /// The value with its folds.
    raw: Vec<u8>,
    column: Option<u64>,
    counts_lines: bool,
}

#[derive(Debug, Default)]
struct Field {
    /// The place of the value when the field was last read.
    source: u64,
    line: u64,
    hits: Vec<(Hit, Place)>,
    weight: usize,
}

impl Memo {
    /// Returns the hits of an equal field, at the places that they have in `part`, whose first
    /// byte is at `column` in the file. If there is none, the hits of this field are kept from now on.
    pub(super) fn recall(
        &mut self,
        part: &PartInfo<'_>,
        raw: &[u8],
        column: Option<u64>,
        counts_lines: bool,
    ) -> Option<&[(Hit, Place)]> {
        let PartKind::Header { name } = part.kind else {
            return None;
        };
        let source = part.source?;
        let last = raw.last_chunk()?;
        // The hits that are kept are in no attached message with a name.
        if raw.len() > FIELD_BYTES || !part.within_file.is_empty() {
            return None;
        }
        let hash = cache::hash(raw.len() << 8 ^ name.len(), [last]);
        let (key, field) = self.fields.at(hash);
        let is_same = key.raw == raw
            && key.name == name
            && key.column == column
            && key.counts_lines == counts_lines;
        let from = (field.source, field.line);
        field.source = source;
        field.line = part.line;
        if is_same {
            for (_, place) in &mut field.hits {
                place.shift(source.wrapping_sub(from.0), part.line.wrapping_sub(from.1));
            }
            return Some(&field.hits);
        }
        name.clone_into(&mut key.name);
        raw.clone_into(&mut key.raw);
        key.column = column;
        key.counts_lines = counts_lines;
        field.hits.clear();
        field.weight = 0;
        self.open = Some(hash);
        None
    }

    /// Keeps a hit of the current field, if that is kept.
    #[inline]
    pub(super) fn add(&mut self, found: &Match<'_>) {
        if let Some(hash) = self.open {
            let (_, field) = self.fields.at(hash);
            field.weight += found.weight();
            field.hits.push((found.hit.clone(), found.place.clone()));
            if field.weight > HIT_BYTES {
                self.forget();
            }
        }
    }

    /// Ends the current field, all hits of which were found.
    pub(super) fn end(&mut self) {
        self.open = None;
    }

    /// Drops the current field, because some of its hits are not known.
    pub(super) fn forget(&mut self) {
        if let Some(hash) = self.open.take() {
            *self.fields.at(hash) = Default::default();
        }
    }
}
