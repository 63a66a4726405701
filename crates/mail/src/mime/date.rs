//! Dates of mail and news. Parses the forms of RFC 5322 section 3.3 and its
//! obsolete forms. Also parses other forms in use: `02-Jan-96`, asctime, and a
//! zone as a name or as `GMT+0100`, and ISO 8601 in UTC.

use std::fmt;

use urlgrep_base::digits::decimal;
use urlgrep_base::names::key;

/// A point in time with a resolution of one second. Its `Display` is ISO 8601
/// in UTC.
///
/// ```
/// use urlgrep_mail::Date;
///
/// let date = Date::parse(b"Fri, 5 Jan 96 10:20 EST (before noon)").unwrap();
/// assert_eq!(date.to_string(), "1996-01-05T15:20:00Z");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    seconds: i64,
}

/// A day of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// 0 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

/// The maximum number of words of a date. Further words are ignored.
const MAX_WORDS: usize = 16;
/// The maximum length of a date in bytes. Further bytes are ignored.
const MAX_BYTES: usize = 128;

#[derive(Default)]
struct Fields {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    time: Option<i64>,
    zone: Option<i64>,
    /// The zone has summer time by the rules of the United States.
    has_summer: bool,
}

impl Date {
    /// Parses the value of a Date field. A date without a zone is taken as UTC.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Date> {
        let text = &text[..text.len().min(MAX_BYTES)];
        let fields = || Fields::usual(text).unwrap_or_else(|| Fields::words(text));
        Date::of_text(text).or_else(|| fields().date())
    }

    /// The date `seconds` after 1970-01-01T00:00:00Z.
    #[doc(hidden)]
    pub fn from_unix_seconds(seconds: i64) -> Date {
        Date { seconds }
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn unix_seconds(self) -> i64 {
        self.seconds
    }
}

/// True for a byte between words.
fn is_gap(&b: &u8) -> bool {
    b.is_ascii_whitespace() || b == b','
}

impl Fields {
    /// Reads what most programs write: `Fri, 5 Jan 1996 10:20:30 -0500`, with a comment or without
    /// one. `None` for any other text. Words need seven times as long.
    fn usual(text: &[u8]) -> Option<Fields> {
        let [a, b, c, b',', b' ', rest @ ..] = text else {
            return None;
        };
        let (day, rest) = match rest {
            [ones, b' ', rest @ ..] => (two(b'0', *ones)?, rest),
            [tens, ones, b' ', rest @ ..] => (two(*tens, *ones)?, rest),
            _ => return None,
        };
        let (moment, comment) = rest.split_first_chunk::<23>()?;
        let is_day = is_name(&[*a, *b, *c]) && month(&[*a, *b, *c]).is_none();
        let marks = [3, 8, 11, 14, 17].map(|at| moment[at]);
        if !is_day || marks != *b"  :: " || !matches!(comment, [] | [b' ', b'(', ..]) {
            return None;
        }
        let at = |at: usize| two(moment[at], moment[at + 1]);
        let year = at(4)? * 100 + at(6)?;
        let (hour, minute, second) = (at(9)?, at(12)?, at(15)?);
        let zone = at(19)? * 3600 + at(21)? * 60;
        let zone = match moment[18] {
            b'+' => zone,
            b'-' => -zone,
            _ => return None,
        };
        let is_time = year >= 1000 && hour <= 23 && minute <= 59 && second <= 60;
        is_time.then_some(Fields {
            year: Some(year),
            month: Some(month(&moment[..3])?),
            day: Some(day),
            time: Some(hour * 3600 + minute * 60 + second),
            zone: Some(zone),
            has_summer: false,
        })
    }

    fn words(text: &[u8]) -> Fields {
        let mut fields = Fields::default();
        let words = text.split(is_gap).filter(|w| !w.is_empty());
        for word in words.take(MAX_WORDS) {
            if word[0] == b'(' {
                // > A comment is normally used … to provide some human-
                // > readable informational text. (RFC 5322 section 3.2.2)
                break;
            }
            fields.word(word);
        }
        fields
    }

    fn word(&mut self, word: &[u8]) {
        let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
        if matches!(word[0], b'+' | b'-') && self.time.is_some() {
            self.zone = self.zone.or(offset(word));
        } else if digits == word.len() {
            self.number(word);
        } else if digits > 0 && word[digits] == b':' {
            // The word is a time. A zone may follow it, as in `10:20:30+0100`.
            let zone = word.iter().position(|&b| b == b'+' || b == b'-');
            let (time, zone) = word.split_at(zone.unwrap_or(word.len()));
            self.time = self.time.or(clock(time));
            if self.zone.is_none() && !zone.is_empty() {
                self.zone = offset(zone);
            }
        } else if digits > 0 && word[digits] == b'-' {
            for part in word.split(|&b| b == b'-').filter(|p| !p.is_empty()) {
                if part.iter().all(u8::is_ascii_digit) {
                    self.number(part);
                } else {
                    self.name(part);
                }
            }
        } else {
            self.name(word);
        }
    }

    fn number(&mut self, word: &[u8]) {
        let Some(n) = number(word) else { return };
        if self.day.is_none() && word.len() <= 2 {
            self.day = Some(n);
        } else if self.year.is_none() {
            // > … a two digit year … between 00 and 49 … adding 2000 …
            // > between 50 and 99, or any three digit year … adding 1900
            // > (RFC 5322 section 4.3)
            // Some programs wrote the year 2002 as `0102`.
            self.year = Some(match (word.len(), n) {
                (..=2, ..=49) => n + 2000,
                (_, ..=999) => n + 1900,
                _ => n,
            });
        }
    }

    fn name(&mut self, word: &[u8]) {
        if self.month.is_none()
            && let Some(month) = word.get(..3).and_then(month)
        {
            self.month = Some(month);
        } else if let Some(time) = self.time.as_mut().filter(|_| self.zone.is_none()) {
            let noon = 12 * 3600;
            match word {
                // `06:50:21 PM -0400`, as some programs write it.
                b"PM" | b"pm" if *time < noon => *time += noon,
                b"AM" | b"am" if *time >= noon => *time -= noon,
                _ => {
                    self.zone = named_zone(word);
                    self.has_summer = self.zone.is_some() && names_summer(word);
                }
            }
        }
    }

    fn date(self) -> Option<Date> {
        let (y, m, d) = (self.year?, self.month?, self.day?);
        let leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
        let last = match m {
            2 => 28 + i64::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if !(1..=last).contains(&d) || !(1..=9999).contains(&y) {
            return None;
        }
        let local = days(y, m, d) * 86_400 + self.time?;
        let summer = if self.has_summer && is_summer(y, local) {
            3600
        } else {
            0
        };
        Some(Date {
            seconds: local - self.zone.unwrap_or(0) - summer,
        })
    }
}

/// The days from 1970-01-01 to a date.
fn days(y: i64, m: i64, d: i64) -> i64 {
    // A year starts in March here, so the leap day is its last day.
    let (y, m) = if m > 2 { (y, m - 3) } else { (y - 1, m + 9) };
    y * 365 + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + d - 719_469
}

/// True for a zone of the United States with the name of its summer time, as the variable `TZ` of
/// POSIX has it: `EST5EDT`. The rule that may follow (`EST5EDT,M3.2.0,M11.1.0`) is not read.
fn names_summer(word: &[u8]) -> bool {
    const ZONES: [&[u8]; 5] = [b"AST4ADT", b"CST6CDT", b"EST5EDT", b"MST7MDT", b"PST8PDT"];
    let start = word.get(..7);
    start.is_some_and(|start| ZONES.iter().any(|zone| start.eq_ignore_ascii_case(zone)))
}

/// True if the United States have summer time in the year `y`, `local` seconds after 1970-01-01 by
/// the clock of winter: from 1967 from the last Sunday of April to the last of October, from 1987 from the
/// first of April, and from 2007 from the second of March to the first of November (15 U.S.C. 260a).
fn is_summer(y: i64, local: i64) -> bool {
    // 1970-01-01 was a Thursday.
    let sunday_from = |m, d| {
        let day = days(y, m, d);
        day + (3 - day).rem_euclid(7)
    };
    let (first, last) = match y {
        ..1967 => return false,
        1967..1987 => (sunday_from(4, 24), sunday_from(10, 25)),
        1987..2007 => (sunday_from(4, 1), sunday_from(10, 25)),
        2007.. => (sunday_from(3, 8), sunday_from(11, 1)),
    };
    const TWO: i64 = 2 * 3600;
    (first * 86_400 + TWO..last * 86_400 + TWO).contains(&local)
}

/// The number with these two digits.
fn two(tens: u8, ones: u8) -> Option<i64> {
    let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
    is_number.then(|| i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
}

/// True if the word is read as a name.
fn is_name(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_alphabetic)
}

/// The number of the month with this name of three letters, from 1.
fn month(name: &[u8]) -> Option<i64> {
    #[rustfmt::skip]
    const MONTHS: [u64; 12] = [
        key(b"jan"), key(b"feb"), key(b"mar"), key(b"apr"), key(b"may"), key(b"jun"),
        key(b"jul"), key(b"aug"), key(b"sep"), key(b"oct"), key(b"nov"), key(b"dec"),
    ];
    let name = key(name);
    let index = MONTHS.iter().position(|&month| month == name)?;
    Some(index as i64 + 1)
}

fn number(digits: &[u8]) -> Option<i64> {
    decimal(digits)?.try_into().ok()
}

/// `hh:mm` or `hh:mm:ss` in seconds. A fraction of a second is ignored. Seconds
/// that are not a number up to 60 count as 0.
fn clock(word: &[u8]) -> Option<i64> {
    let mut parts = word.split(|&b| b == b':' || b == b'.');
    let mut next = |most: i64| {
        let n = number(parts.next()?)?;
        (n <= most).then_some(n)
    };
    let (h, m) = (next(23)?, next(59)?);
    let s = next(60).unwrap_or(0);
    Some(h * 3600 + m * 60 + s)
}

/// `+hhmm`, `+hh:mm` or `+hh` in seconds.
fn offset(word: &[u8]) -> Option<i64> {
    let (sign, digits) = word.split_first()?;
    let mut n = 0;
    let mut count = 0;
    for &b in digits.iter().filter(|&&b| b != b':').take(4) {
        n = n * 10 + i64::from(char::from(b).to_digit(10)?);
        count += 1;
    }
    let (h, m) = match count {
        1 | 2 => (n, 0),
        3 | 4 => (n / 100, n % 100),
        _ => return None,
    };
    let seconds = h * 3600 + m * 60;
    Some(if *sign == b'-' { -seconds } else { seconds })
}

/// The offset of a named zone in seconds. An unknown name has no effect.
///
/// > Other multi-character (usually between 3 and 5) alphabetic time zones
/// > have been used … SHOULD be considered equivalent to "-0000".
/// > (RFC 5322 section 4.3)
fn named_zone(word: &[u8]) -> Option<i64> {
    let letters = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (name, rest) = word.split_at(letters);
    if let Some(b'+' | b'-') = rest.first() {
        return offset_of_zone(name, rest);
    }
    hours(name).map(|hours| hours * 3600)
}

/// The offset of a zone with a sign and a number after its name: `GMT+0100`, `UTC-5`, `EST-0500`.
/// A number of hours without zeros before it is one of the POSIX variable `TZ`, unless the name
/// says otherwise. There it has the other sign, and the name of summer time may follow
/// (`MET-1MEST`). Programs that print the variable as it is are few.
///
/// > If preceded by a '-', the timezone shall be east of the Prime Meridian; otherwise, it shall
/// > be west (which may be indicated by an optional preceding '+'). (POSIX.1-2024, section 8.3)
fn offset_of_zone(name: &[u8], rest: &[u8]) -> Option<i64> {
    let is_letter = |b: &u8| b.is_ascii_alphabetic();
    let end = rest.iter().position(is_letter).unwrap_or(rest.len());
    let written = offset(&rest[..end])?;
    let is_utc = matches!(
        &name.to_ascii_uppercase()[..],
        b"UT" | b"UTC" | b"GMT" | b"Z"
    );
    let is_short = matches!(&rest[1..end], [b'0'..=b'9'] | [b'1'..=b'9', b'0'..=b'9']);
    if end < rest.len() && !is_short {
        return None;
    }
    let is_named = || hours(name).is_some_and(|hours| hours * 3600 == written);
    let is_posix = is_short && !is_utc && !is_named();
    Some(if is_posix { -written } else { written })
}

/// The hours of a zone with this name.
fn hours(name: &[u8]) -> Option<i64> {
    #[rustfmt::skip]
    const ZONES: &[(u64, i64)] = &[
        (key(b"UT"), 0), (key(b"UTC"), 0), (key(b"GMT"), 0), (key(b"Z"), 0), (key(b"WET"), 0),
        (key(b"BST"), 1), (key(b"MET"), 1), (key(b"MEZ"), 1), (key(b"CET"), 1), (key(b"WEST"), 1),
        (key(b"CEST"), 2), (key(b"MEST"), 2), (key(b"MESZ"), 2), (key(b"EET"), 2), (key(b"EEST"), 3),
        (key(b"MSK"), 3), (key(b"JST"), 9), (key(b"KST"), 9), (key(b"EST"), -5), (key(b"EDT"), -4),
        (key(b"CST"), -6), (key(b"CDT"), -5), (key(b"MST"), -7), (key(b"MDT"), -6), (key(b"PST"), -8),
        (key(b"PDT"), -7), (key(b"AST"), -4), (key(b"ADT"), -3), (key(b"HST"), -10),
    ];
    if name.len() > 4 {
        return None;
    }
    let name = key(name);
    let found = ZONES.iter().find(|(zone, _)| *zone == name);
    found.map(|(_, hours)| *hours)
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl Date {
    /// The inverse of [`Date::text`].
    #[doc(hidden)]
    pub fn of_text(text: &[u8]) -> Option<Date> {
        let text: &[u8; 20] = text.try_into().ok()?;
        let zeros = 11 * i64::from(b'0');
        let two = |at: usize| 10 * i64::from(text[at]) + i64::from(text[at + 1]) - zeros;
        let fields = Fields {
            year: Some(two(0) * 100 + two(2)),
            month: Some(two(5)),
            day: Some(two(8)),
            time: Some(two(11) * 3600 + two(14) * 60 + two(17)),
            zone: None,
            has_summer: false,
        };
        // Any other text becomes another date, if one at all.
        fields.date().filter(|date| date.text() == *text)
    }

    /// The day in UTC.
    #[doc(hidden)]
    pub fn civil(self) -> Civil {
        let days = self.seconds.div_euclid(86_400) + 719_468;
        // The inverse of the computation above. It uses cycles of 400 years.
        let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let d = day - (153 * month + 2) / 5 + 1;
        let m = if month < 10 { month + 3 } else { month - 9 };
        let y = year + cycle * 400 + i64::from(m <= 2);
        Civil {
            // `parse` accepts the years 1 to 9999. The zone can still move the year
            // to 10000.
            year: y.clamp(0, 9999) as u16,
            month: m as u8,
            day: d as u8,
        }
    }

    /// The text of `Display`: `YYYY-MM-DDThh:mm:ssZ`.
    pub fn text(self) -> [u8; 20] {
        let Civil { year, month, day } = self.civil();
        let time = self.seconds.rem_euclid(86_400);
        let mut text = *b"0000-00-00T00:00:00Z";
        let parts = [
            (0, i64::from(year / 100)),
            (2, i64::from(year % 100)),
            (5, i64::from(month)),
            (8, i64::from(day)),
            (11, time / 3600),
            (14, time / 60 % 60),
            (17, time % 60),
        ];
        for (at, value) in parts {
            // Each value is less than 100. A division of eight bits is short.
            let value = value as u8;
            text[at] += value / 10;
            text[at + 1] += value % 10;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_dates_of_real_mail() {
        #[rustfmt::skip]
        let rows = [
            ("Fri, 21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06Z"),
            ("21 Nov 97 09:55:06 GMT", "1997-11-21T09:55:06Z"),
            ("Thu, 13 Feb 1969 23:32:54 -0330", "1969-02-14T03:02:54Z"),
            ("Thu,\r\n\t13\r\n Feb\r\n 1969 23:32\r\n -0330 (Newfoundland Time)", "1969-02-14T03:02:00Z"),
            ("Tue, 02-Jan-96 11:22:33 PST", "1996-01-02T19:22:33Z"),
            ("Fri Jan  5 10:00:00 1996", "1996-01-05T10:00:00Z"),
            ("Fri Jan  5 10:00:00 EST 1996", "1996-01-05T15:00:00Z"),
            ("Mon, 29 Feb 2016 23:59:60 +01:00", "2016-02-29T23:00:00Z"),
            ("Wed, 05 Sep 2001 12:13:14 GMT+0200", "2001-09-05T10:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 UTC-5", "2001-09-05T17:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 EST-5", "2001-09-05T17:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 EST-0500", "2001-09-05T17:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 EST5EDT", "2001-09-05T16:13:14Z"),
            ("Mon, 05 Feb 2001 12:13:14 EST5EDT", "2001-02-05T17:13:14Z"),
            ("Sun, 11 Mar 2007 01:59:59 PST8PDT", "2007-03-11T09:59:59Z"),
            ("Sun, 11 Mar 2007 03:00:00 PST8PDT", "2007-03-11T10:00:00Z"),
            ("Sun, 01 Apr 2001 03:00:00 MST7MDT,M4.1.0,M10.5.0", "2001-04-01T09:00:00Z"),
            ("Sun, 27 Oct 1985 03:00:00 CST6CDT", "1985-10-27T09:00:00Z"),
            ("Wed, 05 Sep 2001 12:13:14 EST5", "2001-09-05T17:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 SAST+02", "2001-09-05T10:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 SAST-2", "2001-09-05T10:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 CET-1", "2001-09-05T11:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 CET-1CEST", "2001-09-05T11:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 XYZ-10XYST", "2001-09-05T02:13:14Z"),
            ("Wed, 05 Sep 2001 12:13:14 GMT-0500x", "2001-09-05T12:13:14Z"),
            ("Sat, 31 Dec 99 24:00:00 GMT", ""),
            ("Sun, 29 Feb 1900 10:00:00 GMT", ""),
            ("Mon, 23 Sep 0102 02:41:39 -0900", "2002-09-23T11:41:39Z"),
            ("1 Jan 101 00:00:00 Z", "2001-01-01T00:00:00Z"),
            ("13-Dec-85 16:39:28 est", "1985-12-13T21:39:28Z"),
            ("Tue, 06 Aug 2002 06:50:21 PM -0400", "2002-08-06T22:50:21Z"),
            ("Tue, 06 Aug 2002 12:50:21 AM", "2002-08-06T00:50:21Z"),
            ("Tue, 06 Aug 2002 12:50:21 pm GMT", "2002-08-06T12:50:21Z"),
            ("Tue, 06 Aug 2002 18:50:21 PM", "2002-08-06T18:50:21Z"),
            ("1996-01-05T15:20:00Z", "1996-01-05T15:20:00Z"),
            ("1996-02-30T15:20:00Z", ""),
            ("yesterday", ""),
            ("", ""),
        ];
        for (text, iso) in rows {
            let got = Date::parse(text.as_bytes()).map(|d| d.to_string());
            assert_eq!(got.unwrap_or_default(), iso, "{text:?}");
        }
    }

    /// What is read at fixed places is what the words say.
    #[test]
    fn usual_dates_are_those_of_the_words() {
        let mut usual = 0;
        let text = b"Fri, 21 Nov 1997 09:55:06 -0600 (CST)";
        let short = b"Fri, 1 Nov 1997 09:55:06 -0600";
        for text in [&text[..], &text[..31], short] {
            for at in 0..text.len() {
                for other in 0..=127 {
                    let mut text = text.to_vec();
                    text[at] = other;
                    let Some(found) = Fields::usual(&text) else {
                        continue;
                    };
                    usual += 1;
                    let words = Fields::words(&text).date();
                    assert_eq!(found.date(), words, "{}", text.escape_ascii());
                }
            }
        }
        assert!(usual > 1000, "{usual}");
    }

    #[test]
    fn counts_days_both_ways() {
        for seconds in (-30_000_000_000_i64..40_000_000_000).step_by(86_400 * 13 + 7_777) {
            let date = Date { seconds };
            let iso = date.to_string();
            let months = [
                "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
            ];
            let m: usize = iso[5..7].parse().unwrap();
            let text = format!(
                "{} {} {} {}",
                &iso[8..10],
                months[m - 1],
                &iso[..4],
                &iso[11..19]
            );
            assert_eq!(Date::parse(text.as_bytes()), Some(date), "{iso}");
            assert_eq!(Date::of_text(iso.as_bytes()), Some(date), "{iso}");
        }
    }
}
