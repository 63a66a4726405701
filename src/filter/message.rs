//! Messages by date, sender, subject and group.

use globset::{GlobBuilder, GlobMatcher};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use regex::bytes::Regex;

use super::given::{FilterError, Given};
use super::hosts::{list, missing};
use super::patterns::Syntax;
use crate::mail::mime::{Date, MessageInfo};

/// The wanted messages.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// The time from which messages are wanted, and the time before which they are
    /// wanted, in seconds since the epoch.
    pub period: (Option<i64>, Option<i64>),
    from: Vec<Regex>,
    subject: Vec<Regex>,
    groups: Vec<Group>,
    pub skip_deleted: bool,
}

impl Messages {
    pub fn new(given: &Given<'_>, syntax: Syntax) -> Result<Messages, FilterError> {
        let patterns = |name: &str| {
            let texts = given.all(name).iter().map(|text| match address(text) {
                Some(address) if name == "from" => address.to_owned(),
                _ => text.clone(),
            });
            let regexes = texts.map(|text| syntax.compile(&text));
            let regexes: Result<Vec<_>, _> = regexes.collect();
            regexes.map_err(|e| FilterError::new(format!("--{name}: {e}")))
        };
        let day = |name: &str| given.one(name)?.map(|text| day(name, text)).transpose();
        let period = (day("since")?, day("until")?);
        if matches!(period, (Some(since), Some(until)) if since >= until) {
            return Err(FilterError::new(
                "--since must be earlier than --until; the year 1998 is \
                 `--since 1998 --until 1999`",
            ));
        }
        let groups = given.all("group").iter().flat_map(|typed| list(typed));
        Ok(Messages {
            period,
            from: patterns("from")?,
            subject: patterns("subject")?,
            groups: groups.map(Group::new).collect::<Result<_, _>>()?,
            skip_deleted: given.flag("skip_deleted")?,
        })
    }

    /// True if an option selects messages. Then text outside messages is not wanted.
    pub fn is_given(&self) -> bool {
        self.period != (None, None)
            || !self.from.is_empty()
            || !self.subject.is_empty()
            || !self.groups.is_empty()
    }

    pub fn accept(&self, message: &MessageInfo) -> bool {
        self.accept_date(message)
            && !(self.skip_deleted && message.is_deleted())
            && (matches(&self.from, message.from())
                || message
                    .sender_with_at()
                    .is_some_and(|from| matches(&self.from, &from)))
            && matches(&self.subject, message.subject())
            && (self.groups.is_empty() || self.groups.iter().any(|group| group.is_of(message)))
    }

    fn accept_date(&self, message: &MessageInfo) -> bool {
        let (since, until) = self.period;
        // Parsing a date takes as long as the search of a short message.
        if since.is_none() && until.is_none() {
            return true;
        }
        message.date().map(Date::unix_seconds).is_some_and(|date| {
            since.is_none_or(|since| date >= since) && until.is_none_or(|until| date < until)
        })
    }
}

/// The address in `Ann <ann@a.example>`. Other messages of Ann have another name, or the
/// form `ann@a.example (Ann)`.
fn address(text: &str) -> Option<&str> {
    let (_, address) = text.strip_suffix('>')?.rsplit_once('<')?;
    address.contains('@').then_some(address)
}

/// True if one of the patterns matches, or if there are none.
fn matches(patterns: &[Regex], text: &[u8]) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.is_match(text))
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
        let text = text.to_lowercase();
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
/// date, or an age (`2 weeks`) to seconds since the epoch. Without a zone it is
/// UTC.
fn day(name: &str, text: &str) -> Result<i64, FilterError> {
    absolute(text)
        .or_else(|| Date::parse(text.as_bytes()).map(Date::unix_seconds))
        .or_else(|| ago(text, Timestamp::now()))
        .ok_or_else(|| {
            FilterError::new(format!(
                "--{name}: `{text}` is not a date such as 1996, 1996-01, 1996-01-31 or `2 weeks`"
            ))
        })
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
        assert!(day("since", "soon").is_err());
    }

    #[test]
    fn plain_groups_are_first_labels() {
        let group = |text: &str| Group::new(text).unwrap();
        let alsa = group("Alsa-Devel");
        assert!(alsa.has("alsa-devel.alsa-project.org") && alsa.has("alsa-devel"));
        assert!(!alsa.has("alsa-develop") && !alsa.has("x.alsa-devel"));
        assert!(group("*lisp*").has("comp.lang.lisp"));
    }
}
