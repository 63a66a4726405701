//! Counts of links by day, and the steps of time in which a page shows them.

use std::collections::BTreeMap;

use super::{LinkSource, SCHEMES};
use urlgrep_mail::mime::{Civil, Date};

/// The days from 1970 to 2100, from 1970-01-01. A date outside of them counts
/// as no date.
const DAYS: std::ops::Range<i64> = 0..47_847;
/// The seconds of a day.
pub(super) const SECONDS: i64 = 24 * 60 * 60;
/// A first or last day is wrong if no other is within this time of it, and if
/// the days up to the gap have at most one link in [`RARE`].
const GAP: u32 = 3 * 365;
const RARE: u64 = 1000;

/// The number of links of each scheme, and of boilerplate.
pub(super) type DayCounts = [u64; SCHEMES.len() + 1];

/// Links by the day of their message, and the number of those without a day.
#[derive(Clone, Debug, Default)]
pub(super) struct Days {
    days: BTreeMap<i32, DayCounts>,
    pub undated: u64,
}

impl Days {
    pub fn add(&mut self, date: Option<Date>, scheme: &str, source: LinkSource) {
        let Some(day) = date.and_then(day_of) else {
            self.undated += 1;
            return;
        };
        let known = SCHEMES.iter().position(|name| *name == scheme);
        let at = match source {
            LinkSource::Author => known.unwrap_or(SCHEMES.len() - 1),
            _ => SCHEMES.len(),
        };
        self.days.entry(day).or_default()[at] += 1;
    }

    /// The first and the last day, without days that are probably wrong: one
    /// message from 2038 would make a plot of a single year unreadable.
    pub fn span(&self) -> Option<DaySpan> {
        let all: u64 = self.days.values().flatten().sum();
        let end = |days: &mut dyn Iterator<Item = (&i32, &DayCounts)>| {
            let mut best = None;
            let mut before = None;
            let mut seen = 0;
            for (&day, counts) in days {
                let is_far = before.is_none_or(|other: i32| other.abs_diff(day) > GAP);
                if is_far && seen <= all / RARE {
                    best = Some(day);
                }
                before = Some(day);
                seen += counts.iter().sum::<u64>();
            }
            best
        };
        let first = end(&mut self.days.iter())?;
        let last = end(&mut self.days.iter().rev())?.max(first);
        let step = match last - first {
            0..=92 => Step::Day,
            93..=1826 => Step::Month,
            _ => Step::Year,
        };
        Some(DaySpan { first, last, step })
    }

    /// The counts of each step.
    pub fn by(&self, step: Step) -> BTreeMap<i32, DayCounts> {
        let mut rows = BTreeMap::<i32, DayCounts>::new();
        for (&day, counts) in &self.days {
            let row = rows.entry(step.of(day)).or_default();
            row.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        }
        rows
    }
}

/// The time that a page shows, in days.
#[derive(Clone, Copy, Debug)]
pub(super) struct DaySpan {
    first: i32,
    last: i32,
    pub step: Step,
}

impl DaySpan {
    /// The first and the last step.
    pub fn steps(&self) -> (i32, i32) {
        self.steps_of(self.step)
    }

    /// The first and the last step of this length.
    pub fn steps_of(&self, step: Step) -> (i32, i32) {
        (step.of(self.first), step.of(self.last))
    }

    /// As text, such as `1994 to 2003`.
    pub fn text(&self) -> String {
        let (first, last) = self.steps();
        let (first, last) = (self.step.label(first), self.step.label(last));
        if first == last {
            first
        } else {
            format!("{first} to {last}")
        }
    }

    /// The first and the last year.
    pub fn years(&self) -> (i32, i32) {
        self.steps_of(Step::Year)
    }

    /// The last day, such as `2003-06-14`, if the last step goes on after it: its counts
    /// are those of a part of the step.
    pub fn is_cut_on(&self, step: Step) -> Option<String> {
        let goes_on = step.of(self.last) == step.of(self.last + 1);
        goes_on.then(|| Step::Day.label(self.last))
    }

    /// The place of a date, in per cent of the time.
    pub fn percent(&self, date: Date) -> i32 {
        let days = self.last - self.first;
        let day = day_of(date).unwrap_or(0).clamp(self.first, self.last);
        100 * (day - self.first) / days.max(1)
    }
}

/// A step of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Day,
    Month,
    Year,
}

impl Step {
    pub fn name(self) -> &'static str {
        ["day", "month", "year"][self as usize]
    }

    /// The number of the step with this day. Numbers of adjacent steps are
    /// adjacent.
    fn of(self, day: i32) -> i32 {
        let civil = Date::from_unix_seconds(i64::from(day) * SECONDS).civil();
        let year = i32::from(civil.year);
        match self {
            Step::Day => day,
            Step::Month => 12 * year + i32::from(civil.month) - 1,
            Step::Year => year,
        }
    }

    /// Its text, such as `1994-06`.
    pub fn label(self, at: i32) -> String {
        match self {
            Step::Day => self.day(Some(Date::from_unix_seconds(i64::from(at) * SECONDS))),
            Step::Month => format!("{}-{:02}", at.div_euclid(12), at.rem_euclid(12) + 1),
            Step::Year => at.to_string(),
        }
    }

    /// The text of the step with this date.
    pub fn day(self, date: Option<Date>) -> String {
        let Some(date) = date else {
            return String::new();
        };
        let Civil { year, month, day } = date.civil();
        match self {
            Step::Day => format!("{year:04}-{month:02}-{day:02}"),
            Step::Month => format!("{year:04}-{month:02}"),
            Step::Year => format!("{year:04}"),
        }
    }
}

/// The year of a date, unless it counts as none.
pub(super) fn year_of(date: Date) -> Option<i32> {
    day_of(date).map(|day| Step::Year.of(day))
}

pub(super) fn day_of(date: Date) -> Option<i32> {
    let day = date.unix_seconds().div_euclid(SECONDS);
    i32::try_from(day).ok().filter(|_| DAYS.contains(&day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_follows_from_the_dates_without_wrong_ones() {
        for (last, wrong, text) in [
            ("1 Mar 1996", "", "1996-02-01 to 1996-03-01"),
            ("1 Mar 1996", "1 Jan 1970", "1996-02-01 to 1996-03-01"),
            ("1 Mar 1996", "19 Jan 2038", "1996-02-01 to 1996-03-01"),
            ("1 Mar 1996", "1 Jan 1994", "1994-01 to 1996-03"),
            ("31 Dec 1997", "31 Dec 1969", "1996-02 to 1997-12"),
            ("1 Mar 2026", "1 Jan 2101", "1996 to 2026"),
            ("1 Feb 1996", "", "1996-02-01"),
        ] {
            let mut days = Days::default();
            let date = |day: &str| Date::parse(format!("{day} 10:00 GMT").as_bytes());
            for _ in 0..600 {
                days.add(date("1 Feb 1996"), "http", LinkSource::Author);
                days.add(date(last), "http", LinkSource::Author);
            }
            days.add(date(wrong), "http", LinkSource::Boilerplate);
            let span = days.span().expect("dates");
            assert_eq!(span.text(), text);
            assert_eq!(span.percent(date(last).unwrap()) % 100, 0);
            // Only 31 December is the last day of a year.
            let cut = span.is_cut_on(Step::Year);
            assert_eq!(cut.is_none(), last.starts_with("31 Dec"), "{cut:?}");
            assert_eq!(span.is_cut_on(Step::Day), None);
            let sum: u64 = days.by(span.step).values().flatten().sum();
            assert_eq!(sum + days.undated, 1201);
        }
    }
}
