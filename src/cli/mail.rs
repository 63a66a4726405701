//! The options of mail and news: which messages and which of their parts are
//! wanted.

use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{Regex, RegexBuilder};

use super::args::MailArgs;
use super::error::ConfigError;
use urlgrep::mail::As;
use urlgrep::mail::mime::{Date, HeaderPolicy, MessageInfo, Role};

/// What is to be done with mail.
#[derive(Clone, Debug)]
pub struct MailConfig {
    pub read_as: As,
    pub decode: bool,
    pub decompress: bool,
    pub max_window: u64,
    pub max_decompressed: Option<u64>,
    pub headers: HeaderPolicy,
    /// The names of the roles that are wanted; empty if all are.
    roles: Vec<String>,
    new_only: bool,
    since: Option<i64>,
    until: Option<i64>,
    from: Option<Regex>,
    subject: Option<Regex>,
    group: Option<GlobMatcher>,
    pub unique_per_message: bool,
    pub notes: bool,
}

impl MailConfig {
    /// The meaning of `args`; patterns are plain strings if they are `fixed`.
    ///
    /// # Errors
    ///
    /// A date, pattern or glob that is not well formed.
    pub fn new(args: MailArgs, fixed: bool, ignore_case: bool) -> Result<MailConfig, ConfigError> {
        let pattern = |option: &str, text: Option<String>| {
            let compile = |text: String| {
                let text = if fixed { regex::escape(&text) } else { text };
                RegexBuilder::new(&text)
                    .case_insensitive(ignore_case)
                    .build()
            };
            text.map(compile)
                .transpose()
                .map_err(|e| ConfigError::new(format!("{option}: {e}")))
        };
        let group = |text: String| {
            GlobBuilder::new(&text.to_lowercase())
                .build()
                .map(|glob| glob.compile_matcher())
                .map_err(|e| ConfigError::new(format!("--group: {e}")))
        };
        Ok(MailConfig {
            read_as: args.read_as,
            decode: !args.no_decode,
            decompress: !args.no_decompress,
            max_window: args.max_window,
            max_decompressed: args.max_decompressed,
            headers: args.headers.policy(),
            roles: args.role,
            new_only: args.new_only,
            since: args.since.map(|text| day("--since", &text)).transpose()?,
            until: args.until.map(|text| day("--until", &text)).transpose()?,
            from: pattern("--from", args.from)?,
            subject: pattern("--subject", args.subject)?,
            group: args.group.map(group).transpose()?,
            unique_per_message: args.unique_per_message,
            notes: args.notes,
        })
    }

    /// Refuses questions that only a message can answer where files are read as
    /// they are.
    ///
    /// # Errors
    ///
    /// Says which option reads them so.
    pub fn check(&self, has_context: bool) -> Result<(), ConfigError> {
        if !self.needs_messages() {
            return Ok(());
        }
        let why = if has_context {
            "with lines of context (-A, -B, -C)"
        } else if !self.decode {
            "with --no-decode"
        } else if self.read_as == As::Text {
            "with --as text"
        } else {
            return Ok(());
        };
        Err(ConfigError::new(format!(
            "{why} files are read as they stand, and --since, --until, --from, --subject, \
             --group, --role, --new-only and --unique-per-message ask for messages"
        )))
    }

    /// True if hits of plain text can be wanted: nothing is asked of a message.
    #[must_use]
    pub fn wants_text(&self) -> bool {
        !self.asks_message() && self.wants_role(Some(Role::Body))
    }

    fn asks_message(&self) -> bool {
        self.since.is_some()
            || self.until.is_some()
            || self.from.is_some()
            || self.subject.is_some()
            || self.group.is_some()
    }

    /// True if something is asked that only a message can answer, whose parts
    /// and header have to be read as such.
    #[must_use]
    pub fn needs_messages(&self) -> bool {
        self.asks_message() || !self.roles.is_empty() || self.new_only || self.unique_per_message
    }

    /// True if the hits of this message are wanted. One whose date cannot be
    /// read is neither of a day and later nor before it.
    #[must_use]
    pub fn wants_message(&self, message: &MessageInfo) -> bool {
        let matches =
            |pattern: &Option<Regex>, text| pattern.as_ref().is_none_or(|p| p.is_match(text));
        self.wants_date(message)
            && matches(&self.from, message.from())
            && matches(&self.subject, message.subject())
            && self
                .group
                .as_ref()
                .is_none_or(|group| is_of(group, message))
    }

    fn wants_date(&self, message: &MessageInfo) -> bool {
        // To read a date takes as long as to search a short message.
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        message.date().map(Date::unix_seconds).is_some_and(|date| {
            self.since.is_none_or(|since| date >= since)
                && self.until.is_none_or(|until| date < until)
        })
    }

    /// True if hits that play this role are wanted.
    #[must_use]
    pub fn wants_role(&self, role: Option<Role>) -> bool {
        let Some(role) = role else {
            return self.roles.is_empty();
        };
        let new = !matches!(role, Role::Quoted(_) | Role::Signature | Role::Footer);
        (new || !self.new_only)
            && (self.roles.is_empty() || self.roles.iter().any(|r| r == role.name()))
    }
}

fn is_of(group: &GlobMatcher, message: &MessageInfo) -> bool {
    let groups = message.newsgroups().split(|&b| b == b',');
    groups.chain([message.list_id()]).any(|name| {
        let name = String::from_utf8_lossy(name.trim_ascii()).to_lowercase();
        !name.is_empty() && group.is_match(name)
    })
}

/// Seconds since the epoch of `YYYY-MM-DD`, `YYYY-MM-DDTHH:MM:SSZ`, or a date
/// as mail writes it. Without a zone it is UTC.
fn day(option: &str, text: &str) -> Result<i64, ConfigError> {
    iso(text)
        .or_else(|| Date::parse(text.as_bytes()).map(Date::unix_seconds))
        .ok_or_else(|| {
            ConfigError::new(format!("{option}: `{text}` is no date such as 1996-01-31"))
        })
}

fn iso(text: &str) -> Option<i64> {
    let (day, time) = match text.split_once(['T', ' ']) {
        Some((day, time)) => (day, time.strip_suffix('Z').unwrap_or(time)),
        None => (text, "00:00:00"),
    };
    let mut numbers = day.splitn(3, '-');
    let (year, month, date) = (numbers.next()?, numbers.next()?, numbers.next()?);
    if year.len() != 4 || !day.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return None;
    }
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    Date::parse(format!("{date} {month} {year} {time} +0000").as_bytes()).map(Date::unix_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read() {
        assert_eq!(iso("1970-01-02"), Some(86_400));
        assert_eq!(iso("1996-01-05T15:20:00Z"), Some(820_855_200));
        assert_eq!(iso("1996-01-05 15:20:00"), Some(820_855_200));
        for no in ["96-01-05", "1996-13-01", "yesterday", "1996-01"] {
            assert_eq!(iso(no), None, "{no}");
        }
    }
}
