//! The verdicts of URLs that repeat. In mailing lists three hits in four have such a URL:
//! each message has the same footer, and replies repeat what they quote.

use urlgrep_url::{Meta, Profile, Reject};

/// The number of URLs that are kept. A URL replaces another one with the same hash.
const URLS: usize = 128;
/// The lengths of these URLs. Longer ones rarely repeat.
const LENGTHS: std::ops::RangeInclusive<usize> = 16..=128;

/// The last URLs that the grammar accepted.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Vec<(Vec<u8>, Option<Meta>)>);

impl Known {
    /// As [`url::measure`]. Always called with the same profile.
    pub(super) fn measure(&mut self, profile: Profile, text: &[u8]) -> Result<Meta, Reject> {
        let (Some(&last), Some(&middle), true) = (
            text.last_chunk(),
            text[text.len() / 2..].first_chunk(),
            LENGTHS.contains(&text.len()),
        ) else {
            return urlgrep_url::measure(profile, text);
        };
        let mixed = u64::from_le_bytes(last) ^ u64::from_le_bytes(middle).rotate_left(20);
        let hash = (mixed ^ text.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0.resize_with(URLS, Default::default);
        let (known, verdict) = &mut self.0[(hash >> (64 - URLS.ilog2())) as usize];
        match verdict {
            Some(meta) if known == text => return Ok(*meta),
            _ => {}
        }
        let found = urlgrep_url::measure(profile, text)?;
        text.clone_into(known);
        *verdict = Some(found);
        Ok(found)
    }
}
