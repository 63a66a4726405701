//! Messages by date, sender, subject and group.

use super::given::{FilterError, Given};
use super::hosts::{list, missing};
use super::patterns::Syntax;
use super::people::FieldFilter;
use globset::{GlobBuilder, GlobMatcher};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use urlgrep_mail::mime::{Date, MessageInfo};

/// The length of a day in seconds.
const DAY: i64 = 24 * 60 * 60;

/// The wanted messages.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// The time from which messages are wanted, and the time before which they are
    /// wanted, in seconds since the epoch.
    pub period: (Option<i64>, Option<i64>),
    /// A date after this time is a mistake of the sender's clock. It counts as none, as in a
    /// ledger.
    latest: i64,
    from: FieldFilter,
    to: FieldFilter,
    subject: FieldFilter,
    /// The wanted Message-IDs, without their angle brackets.
    ids: Vec<String>,
    groups: Vec<Group>,
    pub skip_deleted: bool,
}

impl Messages {
    pub fn new(given: &Given<'_>, syntax: Syntax) -> Result<Messages, FilterError> {
        let day = |name: &str| given.one(name)?.map(|text| day(name, text)).transpose();
        let mut period = (day("since")?, day("until")?);
        // The same day twice is that day: nobody asks for the time between a moment and itself.
        if let (Some(since), Some(until)) = (given.one("since")?, given.one("until")?)
            && since.trim().eq_ignore_ascii_case(until.trim())
        {
            period.1 = period
                .0
                .and_then(|start| end_of(since.trim(), start))
                .or(period.1);
        }
        if matches!(period, (Some(since), Some(until)) if since >= until) {
            return Err(FilterError::new(
                "--since must be earlier than --until; the year 1998 is \
                 `--since 1998 --until 1999`",
            ));
        }
        let groups = given.all("group").iter().flat_map(|typed| list(typed));
        Ok(Messages {
            period,
            latest: Timestamp::now().as_second() + DAY,
            from: FieldFilter::new(given, "from", syntax, true)?,
            to: FieldFilter::new(given, "to", syntax, true)?,
            subject: FieldFilter::new(given, "subject", syntax, false)?,
            ids: given
                .all("message_id")
                .iter()
                .map(|id| bare_id(id))
                .collect::<Result<_, _>>()?,
            groups: groups.map(Group::new).collect::<Result<_, _>>()?,
            skip_deleted: given.flag("skip_deleted")?,
        })
    }

    /// True if an option selects messages. Then text outside messages is not wanted.
    pub fn is_given(&self) -> bool {
        self.period != (None, None)
            || self.from.is_given()
            || self.to.is_given()
            || self.subject.is_given()
            || !self.ids.is_empty()
            || !self.groups.is_empty()
    }

    /// True if an option leaves out messages. Text outside messages is none of them.
    pub fn excludes(&self) -> bool {
        self.skip_deleted || self.from.excludes() || self.to.excludes() || self.subject.excludes()
    }

    pub fn accept(&self, message: &MessageInfo) -> bool {
        self.accept_date(message)
            && !(self.skip_deleted && message.is_deleted())
            && self.from.accept(message.from())
            && self.to.accept(message.to())
            && self.subject.accept(message.subject())
            && self.accept_id(message.message_id())
            && (self.groups.is_empty() || self.groups.iter().any(|group| group.is_of(message)))
    }

    fn accept_id(&self, id: &[u8]) -> bool {
        let id = id.strip_prefix(b"<").unwrap_or(id);
        let id = id.strip_suffix(b">").unwrap_or(id);
        self.ids.is_empty() || self.ids.iter().any(|wanted| wanted.as_bytes() == id)
    }

    fn accept_date(&self, message: &MessageInfo) -> bool {
        let (since, until) = self.period;
        // Parsing a date takes as long as the search of a short message.
        if since.is_none() && until.is_none() {
            return true;
        }
        let date = message.date().map(Date::unix_seconds);
        let date = date.filter(|&date| date <= self.latest);
        date.is_some_and(|date| {
            since.is_none_or(|since| date >= since) && until.is_none_or(|until| date < until)
        })
    }
}

/// A Message-ID as people copy it: with or without its angle brackets, or as a URL `mid:`.
///
/// # Errors
///
/// It is the URL of a page of an archive. The error names the part of it that may be the ID.
fn bare_id(typed: &str) -> Result<String, FilterError> {
    let id = typed.trim();
    let id = id.strip_prefix("mid:").unwrap_or(id);
    let id = id.strip_prefix('<').unwrap_or(id);
    let id = id.strip_suffix('>').unwrap_or(id);
    if id.is_empty() {
        return Err(FilterError::new("--message-id: ID is empty"));
    }
    let Some((_, url)) = id.split_once("://") else {
        return Ok(id.to_owned());
    };
    let mut parts = url.split(['/', '?', '#']).skip(1);
    Err(FilterError::new(
        match parts.find(|part| part.contains('@')) {
            Some(part) => format!("--message-id {id}: this is a URL; use --message-id {part}"),
            None => {
                format!("--message-id {id}: this is a URL, and an ID is such as ann.1@b.example")
            }
        },
    ))
}

/// An element of the option `group`.
#[derive(Clone, Debug)]
enum Group {
    /// The first labels of a name, in lower case.
    Name(String),
    Glob(GlobMatcher),
}

impl Group {
    fn new(text: &str) -> Result<Group, FilterError> {
        if text.is_empty() {
            return Err(missing("--group", "group"));
        }
        if text.starts_with('!') {
            return Err(FilterError::new(format!(
                "--group {text}: no option leaves out groups; with --fields group,url each row \
                 names its group, and grep -v leaves out rows"
            )));
        }
        // People know a list by its address.
        let text = text.to_lowercase().replace('@', ".");
        if !text.contains(['*', '?', '{', '[']) {
            return Ok(Group::Name(text));
        }
        GlobBuilder::new(&text)
            .build()
            .map(|glob| Group::Glob(glob.compile_matcher()))
            .map_err(|e| FilterError::new(format!("--group: {e}")))
    }

    fn is_of(&self, message: &MessageInfo) -> bool {
        let groups = message.newsgroups().split(|&b| b == b',');
        groups.chain([message.list_id()]).any(|name| {
            let name = String::from_utf8_lossy(name.trim_ascii()).to_lowercase();
            // `<alsa-devel@alsa-project.org>` of old list software.
            let name = name.replace('@', ".");
            !name.is_empty() && self.has(&name)
        })
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Group::Name(first) => name
                .strip_prefix(&**first)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
            Group::Glob(glob) => glob.is_match(name),
        }
    }
}

/// Converts `YYYY`, `YYYY-MM`, `YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SSZ`, a mail
/// date, a month with its name, a day before today (`yesterday`), or an age (`2 weeks`) to
/// seconds since the epoch. Without a zone it is UTC.
fn day(name: &str, text: &str) -> Result<i64, FilterError> {
    let (text, now) = (text.trim(), Timestamp::now());
    if let Some(number) = bare_m(text) {
        return Err(FilterError::new(format!(
            "--{name}: `{text}` may be months or minutes; write `{number} months` or \
             `{number} minutes`"
        )));
    }
    absolute(text)
        .or_else(|| Date::parse(text.as_bytes()).map(Date::unix_seconds))
        .or_else(|| with_short_numbers(text))
        .or_else(|| with_month_name(text))
        .or_else(|| named(text, now))
        .or_else(|| ago(text, now))
        .ok_or_else(|| {
            let hint = meant_date(name, text).map_or_else(String::new, |hint| format!("; {hint}"));
            FilterError::new(format!(
                "--{name}: `{text}` is not a date such as 1996, 1996-01, 1996-01-31, yesterday or `2 weeks`{hint}"
            ))
        })
}

/// What may be meant by a text that is no date: `31/12/2025`, `1700000000`, `Monday`, `this week`.
fn meant_date(name: &str, text: &str) -> Option<String> {
    const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let lower = text.to_lowercase();
    if let Some((since, until)) = text.split_once("..") {
        return Some(format!(
            "use --since {since} --until {until}, which is not included"
        ));
    }
    let seconds = text.strip_prefix('@').unwrap_or(text);
    if seconds.len() >= 9 && seconds.bytes().all(|b| b.is_ascii_digit()) {
        let stamp = Timestamp::from_second(seconds.parse().ok()?).ok()?;
        let date = stamp.to_zoned(TimeZone::UTC).date();
        return Some(format!("as seconds since 1970 this is --{name} {date}"));
    }
    let word = lower.rsplit([' ', '-']).next().unwrap_or_default();
    if lower.starts_with("this") {
        return Some(format!(
            "use an age, such as `1 {word}`, or a day, a month or a year"
        ));
    }
    if DAYS.iter().any(|day| word.starts_with(day)) {
        return Some("use the date of the day, or an age such as `3 days`".to_owned());
    }
    if with_month_name(&format!("{text} 2020")).is_some() {
        return Some(format!("the year is missing, as in `{text} 2020`"));
    }
    let numbers: Vec<i64> = text
        .split(['/', '.', '-'])
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    match numbers[..] {
        [year, 1..=12, 29..=31] if year > 31 => Some("this month has no such day".to_owned()),
        [day @ 13..=31, month @ 1..=12, year] | [month @ 1..=12, day @ 13..=31, year]
            if year > 999 =>
        {
            Some(format!("use --{name} {year}-{month:02}-{day:02}"))
        }
        [_, _, year] if year > 999 => Some(format!("the year is first, as in {year}-01-31")),
        _ => None,
    }
}

/// The number of an age in `m`: `70m`, `70 m ago`. For jiff it is minutes, and in mail nobody
/// means those.
fn bare_m(text: &str) -> Option<&str> {
    let text = text.strip_suffix("ago").unwrap_or(text).trim_end();
    let number = text.strip_suffix(['m', 'M'])?.trim_end();
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(number)
}

fn absolute(text: &str) -> Option<i64> {
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let text = match text.len() {
        4 if is_digits(text) => format!("{text}-01-01"),
        7 if is_digits(&text[..4]) => format!("{text}-01"),
        _ => text.to_owned(),
    };
    let stamp = text.parse::<Timestamp>().ok();
    let civil = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    stamp
        .or_else(|| civil().map(|zoned| zoned.timestamp()))
        .map(Timestamp::as_second)
}

/// A date with numbers of one digit: `2024-1-5`, `2024/1/5`, `2024-1`.
fn with_short_numbers(text: &str) -> Option<i64> {
    let mut parts = text.split(['-', '/']);
    let (year, month) = (parts.next()?, parts.next()?);
    let day = parts.next().unwrap_or("1");
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if parts.next().is_some() || year.len() != 4 || !is_number(year) {
        return None;
    }
    start_of(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

/// A date whose month has its English name: `Jan 2024`, `5 January 2024`, `Jan 5, 2024`.
fn with_month_name(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let mut year = None;
    let mut month = None;
    let mut day = None;
    let is_end = |c: char| c.is_whitespace() || c == ',' || c == '-';
    for word in text.split(is_end).filter(|word| !word.is_empty()) {
        let lower = word.trim_end_matches('.').to_lowercase();
        let is_month = |name: &&str| lower.len() >= 3 && name.starts_with(&lower);
        let slot = match MONTHS.iter().position(is_month) {
            Some(at) => (&mut month, at as i64 + 1),
            None if lower.len() == 4 => (&mut year, lower.parse().ok()?),
            None => {
                let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
                let is_plain = matches!(&lower[digits.len()..], "" | "st" | "nd" | "rd" | "th");
                (&mut day, digits.parse().ok().filter(|_| is_plain)?)
            }
        };
        if slot.0.replace(slot.1).is_some() {
            return None;
        }
    }
    start_of(year?, month?, day.unwrap_or(1))
}

/// The end of the day, the month or the year that `text` names and that begins at `start`. `None` for
/// a moment.
fn end_of(text: &str, start: i64) -> Option<i64> {
    let zoned = Timestamp::from_second(start).ok()?.to_zoned(TimeZone::UTC);
    if zoned.hour() > 0 || zoned.minute() > 0 || zoned.second() > 0 {
        return None;
    }
    let parts = text
        .split([' ', '-', '/', ','])
        .filter(|part| !part.is_empty());
    let is_year = |part: &str| part.len() == 4 && part.bytes().all(|b| b.is_ascii_digit());
    let is_named = ["today", "yesterday"]
        .iter()
        .any(|day| text.eq_ignore_ascii_case(day));
    let span = match parts.clone().count() {
        _ if is_named => Span::new().days(1),
        _ if text.contains(':') || !parts.clone().any(is_year) => return None,
        1 => Span::new().years(1),
        2 => Span::new().months(1),
        3 => Span::new().days(1),
        _ => return None,
    };
    Some(zoned.checked_add(span).ok()?.timestamp().as_second())
}

/// Midnight UTC at the beginning of a day.
fn start_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let year = i16::try_from(year).ok()?;
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    let date = jiff::civil::Date::new(year, month, day).ok()?;
    let zoned = date.to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_second())
}

/// `today` and `yesterday` begin at midnight. `last week` is a week ago.
fn named(text: &str, now: Timestamp) -> Option<i64> {
    let text = text.to_lowercase();
    let midnight = now.as_second() - now.as_second().rem_euclid(DAY);
    match &*text {
        "now" => Some(now.as_second()),
        "today" => Some(midnight),
        "yesterday" => Some(midnight - DAY),
        _ => {
            let unit = text.strip_prefix("last ")?.trim();
            ago(&format!("1 {unit}"), now)
        }
    }
}

fn ago(text: &str, now: Timestamp) -> Option<i64> {
    let span: Span = text.parse().ok()?;
    let then = now.to_zoned(TimeZone::UTC).checked_sub(span.abs()).ok()?;
    Some(then.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read() {
        assert_eq!(absolute("1970"), Some(0));
        assert_eq!(absolute("1970-02"), Some(31 * 86_400));
        assert_eq!(absolute("1970-01-02"), Some(86_400));
        assert_eq!(absolute("1996-01-05T15:20:00Z"), Some(820_855_200));
        assert_eq!(absolute("1996-01-05 15:20:00"), Some(820_855_200));
        for no in [
            "96-01-05",
            "1996-13-01",
            "yesterday",
            "1996-00",
            "199",
            "1996-é",
        ] {
            assert_eq!(absolute(no), None, "{no}");
        }
        let now = Timestamp::from_second(100 * 86_400).unwrap();
        for (text, days) in [
            ("2 weeks", 86),
            ("2 weeks ago", 86),
            ("3d", 97),
            ("1 month", 69),
        ] {
            assert_eq!(ago(text, now), Some(days * 86_400), "{text}");
        }
        assert_eq!(ago("two weeks", now), None);
        let noon = Timestamp::from_second(100 * DAY + DAY / 2).unwrap();
        for (text, day) in [("today", 100), ("Yesterday", 99)] {
            assert_eq!(named(text, noon), Some(day * DAY), "{text}");
        }
        assert_eq!(named("last week", noon), Some(93 * DAY + DAY / 2));
        assert_eq!(named("last lamp", noon), None);
        for text in [
            "2024-1-5",
            "2024/01/5",
            "5 Jan 2024",
            "Jan 5, 2024",
            "january 5th 2024",
        ] {
            assert_eq!(day("since", text).unwrap(), 1_704_412_800, "{text}");
        }
        for (text, days) in [
            ("1970", Some(365)),
            ("1970-01", Some(31)),
            ("Jan 1970", Some(31)),
            ("1970-01-01", Some(1)),
            ("1 January 1970", Some(1)),
            ("Yesterday", Some(1)),
            ("1970-01-01T00:00:00Z", None),
            ("3d", None),
        ] {
            assert_eq!(end_of(text, 0), days.map(|days| days * DAY), "{text}");
            assert_eq!(end_of(text, 1), None, "{text}");
        }
        for text in ["Jan 2024", "2024-1", "january 2024", "2024 Jan"] {
            assert_eq!(day("since", text).unwrap(), 1_704_067_200, "{text}");
        }
        for no in [
            "2024-1-32",
            "24-1-5",
            "Jan",
            "Ja 2024",
            "5 2024",
            "1-5-2024",
            "Jan Feb 2024",
        ] {
            assert!(day("since", no).is_err(), "{no}");
        }
        assert!(day("since", "soon").is_err());
        for text in ["70m", "70 m ago", "7M"] {
            let error = day("since", text).unwrap_err().to_string();
            assert!(error.contains("may be months or minutes"), "{text}");
        }
        for yes in ["70 minutes", "70min", "3 months", "2mo", "1h30m"] {
            assert!(day("since", yes).is_ok(), "{yes}");
        }
    }

    #[test]
    fn plain_groups_are_first_labels() {
        let group = |text: &str| Group::new(text).unwrap();
        let alsa = group("Alsa-Devel");
        assert!(alsa.has("alsa-devel.alsa-project.org") && alsa.has("alsa-devel"));
        assert!(!alsa.has("alsa-develop") && !alsa.has("x.alsa-devel"));
        assert!(group("*lisp*").has("comp.lang.lisp"));
        let list = group("Alsa-Devel@alsa-project.org");
        assert!(list.has("alsa-devel.alsa-project.org") && !list.has("alsa-devel"));
        assert!(group("*@alsa-project.org").has("alsa-devel.alsa-project.org"));
    }
}
