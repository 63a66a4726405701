//! Chooses between the readings of a candidate.

use std::ops::ControlFlow;

use super::known::Known;
use super::{ExtractorBuilder, Hit, Hyphen};
use crate::scan::{Candidate, Doubt, Reading, ReadingKind};
use urlgrep_base::names::Set;
use urlgrep_url::{Meta, Profile, Reject, Rule, measure};
#[cfg(feature = "whatwg")]
use urlgrep_url::{keeps, mailed, opened};

/// Turns candidates into hits.
#[derive(Clone, Debug)]
pub(super) struct Judge {
    pub(super) config: ExtractorBuilder,
    pub(super) hit: Hit,
    pub(super) known: Known,
    /// The candidate is the value of an attribute of HTML.
    pub(super) in_link: bool,
}

impl Judge {
    /// Gives the hit of a candidate to `each`, if there is one. Returns whether
    /// the search continues.
    pub(super) fn pass(
        &mut self,
        candidate: &Candidate,
        each: &mut impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> bool {
        !self.judge(candidate) || each(&self.hit).is_continue()
    }

    /// Fills the hit from a candidate. Returns false if the caller does not
    /// want the candidate.
    pub(super) fn judge(&mut self, candidate: &Candidate) -> bool {
        let config = &self.config;
        if !config.forms.has(candidate.signs.form) {
            return false;
        }
        if !config.doubtful && !candidate.signs.doubts.is_empty() {
            return self.judge_first_line(candidate);
        }
        if candidate.readings.count() == 1
            || candidate.input_ended
            || candidate.cut
            || candidate.host_is_cut
        {
            return self.judge_single(candidate);
        }
        let order = self.order(candidate);
        // Readings are tried in the order in which a reader would try them, so
        // there is always a first.
        let first = order.clone().next().unwrap_or_default();
        let extent = candidate.readings.reading(first).same_extent;
        // Validity decides only between readings of the same extent.
        let mut verdict = self.verdict(candidate, &candidate.readings.reading(first));
        let mut chosen = first;
        if verdict.is_err() {
            let others = order.clone().skip(1);
            for i in others.filter(|&i| candidate.readings.reading(i).same_extent == extent) {
                if let Ok(meta) = self.verdict(candidate, &candidate.readings.reading(i)) {
                    chosen = i;
                    verdict = Ok(meta);
                    break;
                }
            }
        }
        let reading = candidate.readings.reading(chosen);
        if self.is_refused(candidate, &reading, &verdict) {
            return false;
        }
        self.fill(candidate, &reading, verdict);
        if self.hit.verdict.is_err() && !self.config.rejects {
            return false;
        }
        self.add_alternates(candidate, order, chosen);
        if self.config.unwrap {
            self.unwrap();
        }
        true
    }

    /// As [`Judge::judge`], for a candidate with a doubt if no doubt is wanted. A URL whose only
    /// doubt is that it was joined over lines has its first line, as if it had not been joined.
    fn judge_first_line(&mut self, candidate: &Candidate) -> bool {
        if candidate.signs.doubts != Set::NONE.with(Doubt::Joined)
            || candidate.input_ended
            || candidate.cut
            || candidate.host_is_cut
        {
            return false;
        }
        let is_first_line = |&i: &usize| {
            let reading = candidate.readings.reading(i);
            reading.kind == ReadingKind::Plain && !reading.same_extent
        };
        let Some(chosen) = (0..candidate.readings.count()).find(is_first_line) else {
            return false;
        };
        let reading = candidate.readings.reading(chosen);
        let verdict = self.verdict(candidate, &reading);
        if verdict.is_err() {
            return false;
        }
        self.fill(candidate, &reading, verdict);
        self.hit.signs.doubts = Set::NONE;
        self.hit.signs.continues = true;
        let order = self.order(candidate);
        self.add_alternates(candidate, order, chosen);
        if self.config.unwrap {
            self.unwrap();
        }
        true
    }

    /// As [`Judge::judge`], for a candidate with one reading. This is the fast
    /// path for nearly all candidates.
    fn judge_single(&mut self, candidate: &Candidate) -> bool {
        let reading = candidate.readings.reading(0);
        let verdict = self.verdict(candidate, &reading);
        if self.is_refused(candidate, &reading, &verdict) {
            return false;
        }
        self.fill(candidate, &reading, verdict);
        if self.hit.verdict.is_err() && !self.config.rejects {
            return false;
        }
        if self.config.unwrap {
            self.unwrap();
        }
        true
    }

    /// True if the caller asked for no rejects, and no rule of browsers can save this one.
    fn is_refused(
        &self,
        candidate: &Candidate,
        reading: &Reading<'_>,
        verdict: &Result<Meta, Reject>,
    ) -> bool {
        !self.config.rejects
            && !self.in_link
            && verdict
                .as_ref()
                .is_err_and(|reject| !is_news(reading.text) && !may_be_kept(candidate, reject))
    }

    /// The indexes of the candidate's readings, in the configured order.
    fn order<'c>(&self, candidate: &'c Candidate) -> impl Iterator<Item = usize> + Clone + use<'c> {
        let drop = self.config.hyphen == Hyphen::Drop;
        let is_first = move |&i: &usize| {
            let reading = candidate.readings.reading(i);
            drop && reading.kind == ReadingKind::Hyphen && reading.same_extent
        };
        // Both parts keep the order of the scanner.
        let all = 0..candidate.readings.count();
        let first = all.clone().filter(is_first);
        first.chain(all.filter(move |i| !is_first(i)))
    }

    fn verdict(&mut self, candidate: &Candidate, reading: &Reading<'_>) -> Result<Meta, Reject> {
        let is_too_long = candidate.too_long || reading.text.len() > self.config.url_max;
        let rule = if is_too_long {
            Rule::TooLong
        } else if candidate.input_ended {
            Rule::InputEnded
        } else if candidate.unclosed {
            Rule::Unclosed
        } else if candidate.cut {
            Rule::Abbreviated
        } else if candidate.host_is_cut {
            Rule::CutHost
        } else {
            let verdict = self.known.measure(self.config.profile, reading.text);
            let has_cut_host = |meta: Meta| !meta.with(reading.text).has_known_host();
            let profile = self.config.profile;
            if candidate.is_template && profile == Profile::Iri && verdict.is_ok() {
                return Err(Reject::unended(
                    Rule::Placeholder,
                    profile,
                    reading.text.len(),
                ));
            }
            if !candidate.host_may_be_cut || !verdict.is_ok_and(has_cut_host) {
                return verdict;
            }
            Rule::Abbreviated
        };
        let (profile, len) = (self.config.profile, reading.text.len());
        Err(Reject::unended(rule, profile, len))
    }

    /// Fills the hit with a reading, without alternates.
    fn fill(
        &mut self,
        candidate: &Candidate,
        reading: &Reading<'_>,
        verdict: Result<Meta, Reject>,
    ) {
        let hit = &mut self.hit;
        hit.signs = candidate.signs;
        hit.profile = self.config.profile;
        hit.verdict = verdict;
        hit.readings.clear();
        hit.readings.push(reading);
        #[cfg(feature = "whatwg")]
        if verdict.is_err()
            || hit.profile == Profile::Whatwg
            || self.in_link && is_escaped_mail(hit.text())
        {
            let is_kept = verdict.is_err_and(|reject| may_be_kept(candidate, &reject));
            self.ask_the_browser(is_kept);
        }
    }

    /// Asks the URL Standard, which serialises a URL of `whatwg`. It says what a
    /// link of HTML means, so it also decides about a link that `iri` refuses, and about an
    /// address that `iri` accepts but mail programs mend.
    /// In text its answer is only an alternate of the reject, except for the ids of news
    /// with a `%` or `#`, which programs have written for decades, and for the few marks that browsers
    /// keep in a query or a fragment (`is_kept`), whose URL is printed as written.
    #[cfg(feature = "whatwg")]
    fn ask_the_browser(&mut self, is_kept: bool) {
        let hit = &mut self.hit;
        if is_kept
            && hit.profile == Profile::Iri
            && self.config.doubtful
            && !self.in_link
            && keeps(hit.text())
        {
            hit.profile = Profile::Whatwg;
            hit.signs.doubts.add(Doubt::Browser, true);
            hit.verdict = measure(hit.profile, hit.text());
            return;
        }
        let href = match hit.url() {
            Ok(url) if hit.profile == Profile::Whatwg => url.canonical(),
            Ok(url) if hit.profile == Profile::Iri && self.config.doubtful && self.in_link => {
                let Some(href) = mended(url.as_str()) else {
                    return;
                };
                hit.profile = Profile::Whatwg;
                hit.signs.doubts.add(Doubt::Browser, true);
                href
            }
            Err(reject) if hit.profile == Profile::Iri && reject.is_of_grammar() => {
                let Some(href) = opened(hit.text(), self.in_link) else {
                    return;
                };
                let is_link = self.in_link && !is_template(hit.text());
                let decides = is_link || is_news(href.as_bytes());
                if !decides || !self.config.doubtful {
                    let href = href.as_bytes();
                    return hit.readings.push_text(ReadingKind::Browser, href);
                }
                hit.profile = Profile::Whatwg;
                hit.signs.doubts.add(Doubt::Browser, true);
                href
            }
            _ => return,
        };
        if href.as_bytes() != hit.text() {
            let found = hit.readings.clone();
            hit.readings.push(&Reading {
                kind: ReadingKind::Written,
                ..found.reading(0)
            });
            hit.readings.replace_first(href.as_bytes());
        }
        hit.verdict = measure(hit.profile, href.as_bytes());
    }

    /// Unwraps the URL.
    fn unwrap(&mut self) {
        let hit = &mut self.hit;
        let hops: Vec<_> = hit.url().into_iter().flat_map(|url| url.hops()).collect();
        if let Some((last, between)) = hops.split_last() {
            // Only the outermost link is in the haystack.
            let found = hit.readings.clone();
            hit.readings.push(&Reading {
                kind: ReadingKind::Outer,
                ..found.reading(0)
            });
            for link in between {
                hit.readings.push_text(ReadingKind::Outer, link.as_bytes());
            }
            hit.readings.replace_first(last.as_bytes());
            hit.verdict = measure(hit.profile, last.as_bytes());
        }
        if let Some(guess) = hit.url().ok().and_then(|url| url.inner()) {
            hit.readings.push_text(ReadingKind::Inner, guess.as_bytes());
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
            let reading = candidate.readings.reading(i);
            let is_too_long = reading.text.len() > self.config.url_max;
            // What stands there before its escapes are read is never a URL.
            let is_written = reading.kind == ReadingKind::Raw
                && (candidate.signs.doubts.has(Doubt::Escape)
                    || candidate.signs.doubts.has(Doubt::Refanged))
                && std::str::from_utf8(reading.text).is_ok();
            let is_url = || measure(self.config.profile, reading.text).is_ok();
            if !is_too_long && (is_written || is_url()) {
                // If a plain reading has the same extent as the chosen reading,
                // the two differ in one repair. The kind of the chosen reading
                // names that repair, so the alternate gets this kind. With
                // another extent it stays plain.
                let taken = candidate.readings.reading(chosen);
                let kind = match reading.kind {
                    ReadingKind::Plain if taken.same_extent == reading.same_extent => taken.kind,
                    kind => kind,
                };
                hit.readings.push(&Reading { kind, ..reading });
            }
        }
        // If no alternate joins the lines, the URL ends with the first line.
        let is_longer = |kind| matches!(kind, ReadingKind::Joined | ReadingKind::Hyphen);
        let has_longer = hit.readings.from(1).any(|other| is_longer(other.kind));
        let is_cut = hit.signs.doubts.has(Doubt::Abbreviated) || candidate.is_refused_below;
        hit.signs.continues &= has_longer || is_cut;
    }
}

/// True for a URL of the scheme `news`.
fn is_news(url: &[u8]) -> bool {
    url.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"news:"))
}

/// True if the URL may be one that a browser opens as it is written: the grammar refuses a mark
/// in its query or fragment, and its word ends with it.
#[cfg(feature = "whatwg")]
#[cold]
fn may_be_kept(candidate: &Candidate, reject: &Reject) -> bool {
    // The grammar refuses a `_` only after a `%`.
    let is_escape = |b: u8| b == b'_' && reject.rule == Rule::Fragment;
    matches!(reject.rule, Rule::Query | Rule::Fragment | Rule::Segment)
        && candidate.ends_word
        && reject
            .found
            .is_some_and(|b| b"|^[]#<>\"".contains(&b) || is_escape(b))
}

#[cfg(not(feature = "whatwg"))]
fn may_be_kept(_: &Candidate, _: &Reject) -> bool {
    false
}

/// The link that mail programs read in an address which `iri` accepts, if it is another one.
/// The grammar allows an escaped blank at the ends of an address, but nobody has one there.
#[cfg(feature = "whatwg")]
fn mended(url: &str) -> Option<String> {
    let has_blank = url.contains("%20");
    let address_len = |url: &str| url.split('?').next().map(str::len);
    let mended = has_blank.then(|| mailed(url))??;
    (address_len(&mended) != address_len(url)).then_some(mended)
}

/// True for a link that a program was to fill: `{{ id }}`, `${id}`, `{% url %}`, `{@id}`, `<%= id %>`,
/// `<?php … ?>`. A browser would open it, but it names no page.
#[cfg(feature = "whatwg")]
fn is_template(url: &[u8]) -> bool {
    let opens = |pair: &[u8]| matches!(pair, b"{{" | b"${" | b"{%" | b"{@" | b"{$" | b"<%" | b"<?");
    url.windows(2).any(opens)
}

#[cfg(feature = "whatwg")]
fn is_escaped_mail(url: &[u8]) -> bool {
    url.get(..7)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"mailto:"))
        && memchr::memchr(b'%', url).is_some()
}
