//! URLs in attached files. The source has no bytes of them, so we search their message again.
//! The same part and member must then have the same URL at the same place of their text.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Seek, SeekFrom};

use super::{Checked, Claim, VerifyError, differs};
use urlgrep_containers::ReadAs;
use urlgrep_find::Extractor;
use urlgrep_find::scan::Form;
use urlgrep_mail::HeaderPolicy;
use urlgrep_search::{MAX_ATTACHMENT, Match, Searcher, go_on};

/// The maximum number of URLs that are remembered of a message.
const MOST: usize = 1 << 18;

/// Whether hosts without a scheme are searched for, and whether defanged URLs are read. Such a host
/// can take the place of another URL: `www.a.ps` that of `www.a.ps://b`. A record does not say how
/// its message was searched.
const OPTIONS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

/// The URLs in decoded text of the last message, as hashes.
#[derive(Debug, Default)]
pub(super) struct Attached {
    message: Option<(u64, u64)>,
    /// The number of the [`OPTIONS`] with which the message was searched.
    searches: usize,
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
            self.searches = 0;
            self.urls.clear();
            self.search(&mut source, message)?;
            self.message = Some(message);
        }
        let place = (row.part.as_deref(), member, place.start);
        let key = self.keys.hash_one((place, claim.source_url()));
        while !self.urls.contains(&key) && self.searches < OPTIONS.len() {
            self.search(&mut source, message)?;
        }
        if self.urls.contains(&key) {
            Ok(Checked::Replayed)
        } else if self.urls.len() >= MOST {
            Ok(Checked::Decoded)
        } else {
            Err(differs("a search of its message finds no such URL"))
        }
    }

    /// Adds the URLs of the message at `(start, end)`.
    fn search(&mut self, mut source: impl Read + Seek, (start, end): (u64, u64)) -> io::Result<()> {
        source.seek(SeekFrom::Start(start))?;
        let message = source.take(end.saturating_sub(start));
        let (has_suffixes, refangs) = OPTIONS[self.searches];
        self.searches += 1;
        let Attached { urls, keys, .. } = self;
        let forms = Form::ALL.iter().copied();
        let forms = forms.filter(|&form| form != Form::Suffix || has_suffixes);
        let extractor = Extractor::builder().forms(forms).refang(refangs);
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
            go_on(urls.len() < MOST)
        };
        searcher
            .search_reader(message, ReadAs::Message, &mut visit)
            .map(drop)
    }
}
