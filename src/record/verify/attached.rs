//! URLs in attached files. The source has no bytes of them, so we search their message again.
//! The same part and member must then have the same URL at the same place of their text.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom};

use super::{Checked, Claim, VerifyError, differs};
use crate::extract::Extractor;
use crate::mail::{HeaderPolicy, ReadAs};
use crate::scan::Form;
use crate::search::{MAX_ATTACHMENT, Match, Searcher};

/// The maximum number of URLs that are remembered of a message.
const MOST: usize = 1 << 18;

/// The URLs in decoded text of the last message, as hashes.
#[derive(Debug, Default)]
pub(super) struct Attached {
    message: Option<(u64, u64)>,
    urls: HashSet<u64>,
    keys: RandomState,
}

impl Attached {
    /// Confirms a record if its URL is in an attachment of `source`. In other decoded text,
    /// and in a message that could not be searched as a whole, it only may be right.
    pub(super) fn check(
        &mut self,
        claim: &Claim,
        mut source: impl Read + Seek,
    ) -> Result<Checked, VerifyError> {
        let row = &claim.row;
        let message = row.message_start.zip(row.message_end);
        let message =
            message.filter(|(start, end)| end.saturating_sub(*start) <= MAX_ATTACHMENT as u64);
        let (Some(message), Some(place), Some("attachment")) =
            (message, &row.decoded, row.role.as_deref())
        else {
            return Ok(Checked::Decoded);
        };
        let member = claim.member()?;
        // The programs of `--pre` do not run here.
        if member.split(|&b| b == b'!').any(|name| name == b"pre") {
            return Ok(Checked::Decoded);
        }
        if self.message != Some(message) {
            self.message = None;
            source.seek(SeekFrom::Start(message.0))?;
            self.search(source.take(message.1.saturating_sub(message.0)))?;
            self.message = Some(message);
        }
        let place = (row.part.as_deref(), member, place.start);
        let key = self.keys.hash_one((place, claim.source_url()));
        match self.urls.contains(&key) {
            true => Ok(Checked::Replayed),
            false if self.urls.len() >= MOST => Ok(Checked::Decoded),
            false => Err(differs("a search of its message finds no such URL")),
        }
    }

    fn search(&mut self, message: impl Read) -> io::Result<()> {
        let Attached { urls, keys, .. } = self;
        urls.clear();
        let extractor = Extractor::builder().forms(Form::ALL.iter().copied());
        let mut searcher = Searcher::builder()
            .extractor(extractor.rejects(true))
            .headers(HeaderPolicy::All)
            .message_ends(false)
            .build();
        let mut visit = |found: &Match<'_>| {
            if let Some(place) = found.decoded() {
                let member = found.member().unwrap_or_default().to_vec();
                let place = (found.part(), member, place.span().start);
                urls.insert(keys.hash_one((&place, found.hit.text())));
                let others = found.hit.alternates().map(|other| other.url.as_bytes());
                urls.extend(others.map(|url| keys.hash_one((&place, url))));
            }
            urls.len() < MOST
        };
        searcher
            .search_reader(message, ReadAs::Message, &mut visit)
            .map(drop)
    }
}
