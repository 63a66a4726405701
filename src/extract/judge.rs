//! Chooses between the readings of a candidate.

use super::{ExtractorBuilder, Hit, Hyphen, Sink};
use crate::scan::{Candidate, Reading, ReadingKind};
use crate::url::{Meta, Reject, measure};

/// Turns candidates into hits.
#[derive(Clone, Debug)]
pub(super) struct Judge {
    pub(super) config: ExtractorBuilder,
    pub(super) hit: Hit,
}

impl Judge {
    /// Gives the hit of a candidate to `sink`, if there is one. Returns whether
    /// the search continues.
    pub(super) fn pass<S: Sink>(&mut self, candidate: &Candidate, sink: &mut S) -> bool {
        !self.judge(candidate) || sink.hit(&self.hit)
    }

    /// Fills the hit from a candidate. Returns false if the caller does not
    /// want the candidate.
    pub(super) fn judge(&mut self, candidate: &Candidate) -> bool {
        let config = &self.config;
        if !config.forms.has(candidate.form())
            || (!config.doubtful && !candidate.doubts().is_empty())
        {
            return false;
        }
        if candidate.count() == 1 || candidate.input_ended() {
            return self.judge_single(candidate);
        }
        let order = self.order(candidate);
        // There is a first reading, because each reading has a place in the order.
        let first = order.clone().next().unwrap_or_default();
        let extent = candidate.reading(first).same_extent;
        // Validity decides only between readings of the same extent.
        let mut verdict = self.verdict(candidate, &candidate.reading(first));
        let mut chosen = first;
        if verdict.is_err() {
            let others = order.clone().skip(1);
            for i in others.filter(|&i| candidate.reading(i).same_extent == extent) {
                if let Ok(meta) = self.verdict(candidate, &candidate.reading(i)) {
                    (chosen, verdict) = (i, Ok(meta));
                    break;
                }
            }
        }
        if verdict.is_err() && !self.config.rejects {
            return false;
        }
        self.fill(candidate, &candidate.reading(chosen), verdict);
        self.add_alternates(candidate, order, chosen);
        if self.config.unwrap {
            self.unwrap();
        }
        true
    }

    /// As [`Judge::judge`], for a candidate with one reading. This is the fast
    /// path for nearly all candidates.
    fn judge_single(&mut self, candidate: &Candidate) -> bool {
        let reading = candidate.reading(0);
        let verdict = self.verdict(candidate, &reading);
        if verdict.is_err() && !self.config.rejects {
            return false;
        }
        self.fill(candidate, &reading, verdict);
        if self.config.unwrap {
            self.unwrap();
        }
        true
    }

    /// The indexes of the candidate's readings, in the configured order.
    fn order<'c>(&self, candidate: &'c Candidate) -> impl Iterator<Item = usize> + Clone + use<'c> {
        let drop = self.config.hyphen == Hyphen::Drop;
        let is_first = move |&i: &usize| {
            let reading = candidate.reading(i);
            drop && reading.kind == ReadingKind::Hyphen && reading.same_extent
        };
        // Both parts keep the order of the scanner.
        let all = 0..candidate.count();
        let first = all.clone().filter(is_first);
        first.chain(all.filter(move |i| !is_first(i)))
    }

    fn verdict(&self, candidate: &Candidate, reading: &Reading<'_>) -> Result<Meta, Reject> {
        if candidate.too_long() {
            return Err(Reject::too_long(self.config.profile, reading.text.len()));
        }
        if candidate.input_ended() {
            return Err(Reject::input_ended(self.config.profile, reading.text.len()));
        }
        if candidate.unclosed() {
            return Err(Reject::unclosed(self.config.profile, reading.text.len()));
        }
        measure(self.config.profile, reading.text)
    }

    /// Fills the hit with a reading, without alternates.
    fn fill(
        &mut self,
        candidate: &Candidate,
        reading: &Reading<'_>,
        verdict: Result<Meta, Reject>,
    ) {
        let hit = &mut self.hit;
        hit.form = candidate.form();
        hit.line = candidate.line();
        hit.doubts = candidate.doubts();
        hit.glued = candidate.glued();
        hit.continues = candidate.continues();
        hit.profile = self.config.profile;
        hit.verdict = verdict;
        hit.text.clear();
        hit.text.extend_from_slice(reading.text);
        hit.segments.clear();
        hit.segments.extend_from_slice(reading.segments);
        hit.seams.clear();
        hit.seams.extend_from_slice(reading.seams);
        hit.others.clear();
    }

    /// Unwraps the URL.
    fn unwrap(&mut self) {
        let hit = &mut self.hit;
        let Ok(outer) = hit.verdict() else {
            return;
        };
        // Only the outermost link is in the haystack.
        let (mut segments, mut seams) = (&hit.segments[..], &hit.seams[..]);
        for inner in outer.hops() {
            hit.others
                .push(ReadingKind::Outer, &hit.text, segments, seams);
            (segments, seams) = (&[], &[]);
            hit.text.clear();
            hit.text.extend_from_slice(inner.as_str().as_bytes());
            hit.verdict = Ok(inner.as_url().meta());
        }
        if let Ok(Some(inner)) = hit.verdict().map(|url| url.inner()) {
            hit.others
                .push(ReadingKind::Inner, inner.as_str().as_bytes(), &[], &[]);
        }
    }

    /// Adds the valid readings that were not `chosen`.
    fn add_alternates(
        &mut self,
        candidate: &Candidate,
        order: impl Iterator<Item = usize>,
        chosen: usize,
    ) {
        let hit = &mut self.hit;
        for i in order.filter(|&i| i != chosen) {
            let reading = candidate.reading(i);
            if measure(self.config.profile, reading.text).is_ok() {
                // If a plain reading has the same extent as the chosen reading,
                // the two differ in one repair. The kind of the chosen reading
                // names that repair, so the alternate gets this kind. With
                // another extent it stays plain.
                let taken = candidate.reading(chosen);
                let kind = match reading.kind {
                    ReadingKind::Plain if taken.same_extent == reading.same_extent => taken.kind,
                    kind => kind,
                };
                hit.others
                    .push(kind, reading.text, reading.segments, reading.seams);
            }
        }
        // If no alternate joins the lines, the URL ends with the first line.
        hit.continues &= hit
            .others
            .kinds()
            .any(|kind| matches!(kind, ReadingKind::Joined | ReadingKind::Hyphen));
    }
}
