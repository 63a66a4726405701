//! The verdicts of URLs that repeat. In mailing lists three hits in four have such a URL:
//! each message has the same footer, and replies repeat what they quote.

use urlgrep_base::cache::{self, Recent};
use urlgrep_url::{Meta, Profile, Reject};

/// The lengths of the URLs that are kept. Longer ones rarely repeat.
const LENGTHS: std::ops::RangeInclusive<usize> = 16..=128;

/// The last URLs that the grammar accepted.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Recent<Vec<u8>, Option<Meta>, 128>);

impl Known {
    /// As [`urlgrep_url::measure`]. Always called with the same profile.
    pub(super) fn measure(&mut self, profile: Profile, text: &[u8]) -> Result<Meta, Reject> {
        if !LENGTHS.contains(&text.len()) {
            return urlgrep_url::measure(profile, text);
        }
        let middle = text[text.len() / 2..].first_chunk();
        let hash = cache::hash(text.len(), text.last_chunk().into_iter().chain(middle));
        let (known, verdict) = self.0.at(hash);
        if let Some(meta) = verdict
            && known == text
        {
            return Ok(*meta);
        }
        let found = urlgrep_url::measure(profile, text)?;
        text.clone_into(known);
        *verdict = Some(found);
        Ok(found)
    }
}
