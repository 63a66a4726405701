//! The options for mail and news. They select messages and parts of messages.

use globset::{GlobBuilder, GlobMatcher};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use regex::bytes::Regex;

use super::args::MailArgs;
use super::error::ConfigError;
use super::filter::Syntax;
use super::names::list;
use urlgrep::mail::mime::{Date, MessageInfo, Role};

/// The roles that `--new-only` leaves out. Header fields are among them,
/// because nearly all their URLs come from list software and mail programs. A
/// reply also repeats the subject.
const OLD: [&str; 4] = ["header", "quoted", "signature", "footer"];

/// The options for mail, interpreted.
#[derive(Clone, Debug)]
pub struct MailConfig {
    /// The names of the wanted roles. Empty for all.
    roles: Vec<String>,
    new_only: bool,
    /// Whether hits or messages are compared within or between messages.
    is_unique: bool,
    since: Option<i64>,
    until: Option<i64>,
    from: Vec<Regex>,
    subject: Vec<Regex>,
    groups: Vec<Group>,
}

impl MailConfig {
    /// Interprets `args`. `syntax` has the syntax options of their patterns.
    ///
    /// # Errors
    ///
    /// A date, pattern or glob is malformed.
    pub fn new(args: &MailArgs, syntax: Syntax) -> Result<MailConfig, ConfigError> {
        let patterns = |option: &str, texts: &[String]| {
            let regexes = texts.iter().map(|text| syntax.compile(text));
            let regexes: Result<Vec<_>, _> = regexes.collect();
            regexes.map_err(|e| ConfigError::new(format!("{option}: {e}")))
        };
        let day = |option: &str, text: &Option<String>| {
            let text = text.as_ref();
            text.map(|text| day(option, text)).transpose()
        };
        let (since, until) = (day("--since", &args.since)?, day("--until", &args.until)?);
        if since
            .zip(until)
            .is_some_and(|(since, until)| since >= until)
        {
            return Err(ConfigError::new(
                "--since must be earlier than --until; the year 1998 is \
                 `--since 1998 --until 1999`",
            ));
        }
        if args.new_only && !args.role.is_empty() && args.role.iter().all(|r| OLD.contains(&&**r)) {
            return Err(ConfigError::new(format!(
                "--new-only leaves out every role of --role {}",
                args.role.join(",")
            )));
        }
        Ok(MailConfig {
            roles: args.role.clone(),
            new_only: args.new_only,
            is_unique: args.unique_per_message || args.unique_message,
            since,
            until,
            from: patterns("--from", &args.from)?,
            subject: patterns("--subject", &args.subject)?,
            groups: {
                let groups = args.group.iter().flat_map(|typed| list(typed));
                groups.map(Group::new).collect::<Result<_, _>>()?
            },
        })
    }

    /// The wanted period of messages, in seconds since the epoch.
    #[cfg(feature = "ledger")]
    pub fn period(&self) -> (Option<i64>, Option<i64>) {
        (self.since, self.until)
    }

    /// True if hits in plain text can be wanted: no option filters messages,
    /// and the role `body` is wanted.
    #[must_use]
    pub fn wants_text(&self) -> bool {
        !self.asks_message() && self.wants_role(Some(Role::Body))
    }

    fn asks_message(&self) -> bool {
        self.since.is_some()
            || self.until.is_some()
            || !self.from.is_empty()
            || !self.subject.is_empty()
            || !self.groups.is_empty()
    }

    /// True if an option needs decoded messages, with their parts and header
    /// fields.
    #[must_use]
    pub fn needs_messages(&self) -> bool {
        self.asks_message() || !self.roles.is_empty() || self.new_only || self.is_unique
    }

    /// Explains an empty result. `messages` is the number of messages, and
    /// `grouped` the number of those with a group or a list. `None` if some
    /// message could have been wanted.
    #[must_use]
    pub fn why_none(&self, messages: u64, grouped: u64) -> Option<&'static str> {
        if self.asks_message() && messages == 0 {
            Some(
                "no messages were found; --since, --until, --from, --subject and --group need messages",
            )
        } else if !self.groups.is_empty() && grouped == 0 {
            Some("no message names a newsgroup or a list, but --group needs one")
        } else {
            None
        }
    }

    /// True if hits of this message are wanted. A message without a readable
    /// date passes neither `--since` nor `--until`.
    #[must_use]
    pub fn wants_message(&self, message: &MessageInfo) -> bool {
        self.wants_date(message)
            && (matches(&self.from, message.from())
                || message
                    .from_with_at()
                    .is_some_and(|from| matches(&self.from, &from)))
            && matches(&self.subject, message.subject())
            && (self.groups.is_empty() || self.groups.iter().any(|group| group.is_of(message)))
    }

    fn wants_date(&self, message: &MessageInfo) -> bool {
        // Parsing a date takes as long as the search of a short message.
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        message.date().map(Date::unix_seconds).is_some_and(|date| {
            self.since.is_none_or(|since| date >= since)
                && self.until.is_none_or(|until| date < until)
        })
    }

    /// True if hits of this role are wanted.
    #[must_use]
    pub fn wants_role(&self, role: Option<Role>) -> bool {
        let Some(role) = role else {
            return self.roles.is_empty();
        };
        !(self.new_only && OLD.contains(&role.name()))
            && (self.roles.is_empty() || self.roles.iter().any(|r| r == role.name()))
    }
}

/// True if one of the patterns matches, or if there are none.
fn matches(patterns: &[Regex], text: &[u8]) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.is_match(text))
}

/// An element of `--group`.
#[derive(Clone, Debug)]
enum Group {
    /// The first labels of a name, in lower case.
    Name(String),
    Glob(GlobMatcher),
}

impl Group {
    fn new(text: &str) -> Result<Group, ConfigError> {
        if text.is_empty() {
            return Err(ConfigError::new("--group: the name of a group is missing"));
        }
        let text = text.to_lowercase();
        if !text.contains(['*', '?', '{', '[']) {
            return Ok(Group::Name(text));
        }
        GlobBuilder::new(&text)
            .build()
            .map(|glob| Group::Glob(glob.compile_matcher()))
            .map_err(|e| ConfigError::new(format!("--group: {e}")))
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
fn day(option: &str, text: &str) -> Result<i64, ConfigError> {
    absolute(text)
        .or_else(|| Date::parse(text.as_bytes()).map(Date::unix_seconds))
        .or_else(|| ago(text, Timestamp::now()))
        .ok_or_else(|| {
            ConfigError::new(format!(
                "{option}: `{text}` is not a date such as 1996, 1996-01, 1996-01-31 or `2 weeks`"
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
        assert!(day("--since", "soon").is_err());
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
