//! Domains by year: which were linked when, which were new, and which vanished.

use std::collections::BTreeMap;

use super::count::Top;
use super::days::DaySpan;

/// The maximum number of domains with a line of their own.
pub(super) const LINES: usize = 12;

/// The domains of a year.
#[derive(Default)]
pub(super) struct Year<'r> {
    /// The number of domains with a link in the year.
    pub domains: u64,
    /// Those without a link in an earlier year.
    pub new: Group<'r>,
    /// Those without a link in a later year.
    pub last: Group<'r>,
}

/// A number of domains.
#[derive(Default)]
pub(super) struct Group<'r> {
    pub number: u64,
    /// The one with the most links in all years, and their number.
    pub most: Option<(&'r str, u64)>,
}

impl<'r> Group<'r> {
    /// The name of the one with the most links. Empty if there is none.
    pub fn name(&self) -> &'r str {
        self.most.map_or("", |(name, _)| name)
    }

    fn add(&mut self, domain: &'r str, links: u64) {
        self.number += 1;
        // The first by name of those with the most links.
        let is_more = |&(name, most)| (most, domain) < (links, name);
        if self.most.as_ref().is_none_or(is_more) {
            self.most = Some((domain, links));
        }
    }
}

/// The domains of each year from the first to the last.
pub(super) fn by_year(domains: &Top, span: DaySpan) -> BTreeMap<i32, Year<'_>> {
    let (first, last) = span.years();
    let mut rows = BTreeMap::<i32, Year>::new();
    let all = domains.years();
    for years in all.chunk_by(|one, other| one.0 == other.0) {
        let (domain, ..) = years[0];
        let years = years
            .iter()
            .filter(|(_, at, _)| (first..=last).contains(at));
        let links = years.clone().map(|(.., links)| links).sum();
        for (_, at, _) in years.clone() {
            rows.entry(*at).or_default().domains += 1;
        }
        let years = years.map(|(_, at, _)| *at);
        let (Some(new), Some(end)) = (years.clone().min(), years.max()) else {
            continue;
        };
        rows.entry(new).or_default().new.add(domain, links);
        rows.entry(end).or_default().last.add(domain, links);
    }
    rows
}

/// The most frequent domains, each with its links in each year from the first to the last.
pub(super) fn lines(domains: &Top, span: DaySpan) -> Vec<(&str, Vec<(i32, u64)>)> {
    let (first, last) = span.years();
    let names = domains.first().into_iter().take(LINES);
    let points = |name| (first..=last).map(move |at| (at, domains.in_year(name, at)));
    names
        .map(|(name, _)| (name, points(name).collect()))
        .collect()
}
