//! What the objects of JSON say about the messages in them: exports of chats, posts, transcripts.
//!
//! No document says how a program writes a message in JSON. The names below are those of Slack,
//! Discord, Telegram, Mastodon, GitHub, coding agents and loggers. A *message* is an object that has a
//! date and, in itself or in an object inside it, an author or a text. What is neither, such as
//! the `time` of an HTTP archive or the `author` of a package, says nothing.

use std::sync::Arc;

use super::super::date::Date;
use urlgrep_base::digits::decimal;

/// What happens in JSON. See [`MailSink::json`](crate::mime::MailSink::json).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonEvent {
    /// A string begins. Its first byte is the next byte of the text.
    String,
    /// The string goes on. The sink has received all of its text so far.
    More,
    /// The string ends. The sink has received all of its text.
    StringEnd,
    /// The innermost object ends.
    ObjectEnd,
}

/// The members that are read, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Member {
    #[default]
    Other,
    /// With its place in the list of dates.
    Date(u8),
    /// An author, or an object that has the name of one.
    Author(AuthorKey),
    /// A text.
    Text,
    Role,
    /// `name` and `real_name`, which name an author within an object that is one.
    Name,
    RealName,
    /// `username`, which is an author in any object.
    UserName,
    Nickname,
    /// `user_profile`, which has the name of an author.
    UserProfile,
}

/// A member that is an author, as a string or as an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthorKey {
    Author,
    From,
    Sender,
    User,
}

impl Member {
    pub(super) fn of(name: &[u8]) -> Member {
        match name {
            b"ts" => Member::Date(0),
            b"timestamp" => Member::Date(1),
            b"date_unixtime" => Member::Date(2),
            b"date" => Member::Date(3),
            b"created" => Member::Date(4),
            b"created_at" => Member::Date(5),
            b"create_time" => Member::Date(6),
            b"sent_at" => Member::Date(7),
            b"time" => Member::Date(8),
            b"author" => Member::Author(AuthorKey::Author),
            b"from" => Member::Author(AuthorKey::From),
            b"sender" => Member::Author(AuthorKey::Sender),
            b"user" => Member::Author(AuthorKey::User),
            // `msg`: logs of slog, zap, pino and bunyan.
            b"text" | b"content" | b"body" | b"message" | b"msg" => Member::Text,
            b"role" => Member::Role,
            b"name" => Member::Name,
            b"real_name" => Member::RealName,
            b"username" => Member::UserName,
            b"nickname" => Member::Nickname,
            b"user_profile" => Member::UserProfile,
            _ => Member::Other,
        }
    }

    /// True if the value of this member is of use as a string.
    pub(super) fn is_read(self) -> bool {
        !matches!(self, Member::Other | Member::Text | Member::UserProfile)
    }
}

/// What an object has said so far.
#[derive(Clone, Debug, Default)]
pub struct JsonObject {
    /// The member of the object around it whose value it is.
    within: Member,
    /// The date, and its place in the list.
    date: Option<(u8, Date)>,
    /// The author that counts in any object, and its place in the list.
    author: Option<(u8, Arc<[u8]>)>,
    /// The author that counts only beside a text.
    plain_author: Option<(u8, Arc<[u8]>)>,
    role: Option<Arc<[u8]>>,
    has_text: bool,
}

impl JsonObject {
    /// The date.
    #[must_use]
    pub fn date(&self) -> Option<Date> {
        self.date.map(|(_, date)| date)
    }

    /// The author. `from`, `sender` and `user` as plain words count only beside a text: a journey
    /// has a `from`, too.
    #[must_use]
    pub fn author(&self) -> Option<&Arc<[u8]>> {
        let plain = self.plain_author.as_ref().filter(|_| self.has_text);
        let both = self.author.iter().chain(plain);
        both.min_by_key(|(place, _)| *place).map(|(_, name)| name)
    }

    /// `user` or `assistant`, as transcripts of coding agents say it. It is the author where
    /// there is no other.
    #[must_use]
    pub fn role(&self) -> Option<&Arc<[u8]>> {
        self.role.as_ref()
    }

    /// True if an object with a date around this one is a message.
    #[must_use]
    pub fn is_said(&self) -> bool {
        self.has_text || self.role.is_some() || self.author().is_some()
    }

    fn set_author(&mut self, place: u8, name: &[u8], is_plain: bool) {
        let kept = if is_plain {
            &mut self.plain_author
        } else {
            &mut self.author
        };
        if kept.as_ref().is_none_or(|(known, _)| place < *known) {
            *kept = Some((place, name.into()));
        }
    }
}

/// The open objects, and the array or member in which the next value is.
#[derive(Debug, Default)]
pub struct JsonObjects {
    /// The outermost first.
    open: Vec<JsonObject>,
    /// The member whose value comes next.
    pub(super) member: Member,
    /// The next value is the first of a list that is a text if it begins with a string or an
    /// object.
    begins_text: bool,
}

impl JsonObjects {
    pub(super) fn start(&mut self) {
        self.open.clear();
        self.member = Member::Other;
        self.begins_text = false;
    }

    /// The open objects, the outermost first.
    #[must_use]
    pub fn open(&self) -> &[JsonObject] {
        &self.open
    }

    /// An array begins.
    pub(super) fn open_array(&mut self) {
        self.begins_text = std::mem::take(&mut self.member) == Member::Text;
    }

    /// Any other value begins that is no object.
    pub(super) fn scalar(&mut self, value: &[u8]) {
        self.begins_text = false;
        if let Member::Date(place) = std::mem::take(&mut self.member) {
            self.date(place, value);
        }
    }

    /// An object begins.
    pub(super) fn open_object(&mut self) {
        self.text_begins();
        let within = std::mem::take(&mut self.member);
        self.open.push(JsonObject {
            within,
            ..JsonObject::default()
        });
    }

    /// The innermost object ends.
    pub(super) fn close_object(&mut self) {
        self.open.pop();
        self.member = Member::Other;
    }

    /// Anything ends that is no object.
    pub(super) fn close_array(&mut self) {
        self.begins_text = false;
        self.member = Member::Other;
    }

    /// A string begins that is a value.
    pub(super) fn begin_string(&mut self) {
        self.text_begins();
        if self.member == Member::Text
            && let Some(object) = self.open.last_mut()
        {
            object.has_text = true;
        }
    }

    /// The first string or object of a list shows that the list is a text.
    fn text_begins(&mut self) {
        if std::mem::take(&mut self.begins_text)
            && let Some(object) = self.open.last_mut()
        {
            object.has_text = true;
        }
    }

    /// The string of the current member has ended. `value` has its decoded bytes.
    pub(super) fn end_string(&mut self, value: &[u8]) {
        let member = std::mem::take(&mut self.member);
        let value = value.trim_ascii();
        let [outer @ .., object] = &mut self.open[..] else {
            return;
        };
        if value.is_empty() {
            return;
        }
        match member {
            Member::Date(place) => self.date(place, value),
            Member::Author(AuthorKey::Author) => object.set_author(6, value, false),
            Member::Author(AuthorKey::From) => object.set_author(7, value, true),
            Member::Author(AuthorKey::Sender) => object.set_author(8, value, true),
            Member::Author(AuthorKey::User) => object.set_author(10, value, true),
            Member::Nickname => object.set_author(11, value, false),
            Member::Role if matches!(value, b"user" | b"assistant") => {
                object.role = Some(value.into());
            }
            Member::Name | Member::RealName | Member::UserName => {
                let place = match (object.within, member) {
                    (Member::UserProfile, Member::RealName) => Some(0),
                    (Member::Author(AuthorKey::Author), Member::Name) => Some(1),
                    (Member::Author(AuthorKey::Author), Member::UserName) => Some(2),
                    (Member::Author(AuthorKey::User), Member::Name) => Some(3),
                    (Member::Author(AuthorKey::Sender), Member::Name) => Some(4),
                    (Member::Author(AuthorKey::From), Member::Name) => Some(5),
                    _ => None,
                };
                if member == Member::UserName {
                    object.set_author(9, value, false);
                }
                if let (Some(place), Some(around)) = (place, outer.last_mut()) {
                    around.set_author(place, value, false);
                }
            }
            Member::Role | Member::Other | Member::Text | Member::UserProfile => {}
        }
    }

    fn date(&mut self, place: u8, value: &[u8]) {
        if let Some(object) = self.open.last_mut()
            && object.date.is_none_or(|(known, _)| place < known)
            && let Some(date) = date(value)
        {
            object.date = Some((place, date));
        }
    }
}

/// 1990-01-01 and 2100-01-01, in seconds since 1970.
const FIRST: u64 = 631_152_000;
const LAST: u64 = 4_102_444_800;

/// A date in ISO 8601, or the seconds, milliseconds or microseconds since 1970, if it is from
/// 1990 to 2099: another number is no date.
fn date(value: &[u8]) -> Option<Date> {
    let whole = value.split(|&b| b == b'.').next().unwrap_or_default();
    if let Some(number) = decimal(whole) {
        let fraction = value[whole.len()..].strip_prefix(b".").unwrap_or_default();
        if !fraction.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let units = [1, 1_000, 1_000_000];
        let mut seconds = units.iter().map(|unit| number / unit);
        let seconds = seconds.find(|seconds| (FIRST..LAST).contains(seconds))?;
        return Some(Date::from_unix_seconds(seconds as i64));
    }
    let date = iso(value)?;
    let is_near = |seconds: u64| (FIRST..LAST).contains(&seconds);
    u64::try_from(date.unix_seconds())
        .is_ok_and(is_near)
        .then_some(date)
}

/// A date in the extended format of ISO 8601, as RFC 3339 has it: a day, and perhaps a time, with
/// `T` or a blank between them, a fraction of a second and a zone. Without a zone it is UTC.
fn iso(value: &[u8]) -> Option<Date> {
    let (day, rest) = value.split_at_checked(10)?;
    let mut text = *b"0000-00-00T00:00:00Z";
    text[..10].copy_from_slice(day);
    if rest.is_empty() {
        return Date::of_text(&text);
    }
    let time = rest.strip_prefix(b"T").or(rest.strip_prefix(b" "))?;
    let is_time = |b: &&u8| b.is_ascii_digit() || **b == b':';
    let len = time.iter().take_while(is_time).count();
    if !matches!(len, 5 | 8) {
        return None;
    }
    text[11..11 + len].copy_from_slice(&time[..len]);
    let date = Date::of_text(&text)?;
    let mut zone = &time[len..];
    if let Some(fraction) = zone.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
        zone = &fraction[digits..];
    }
    let zone = zone.strip_prefix(b" ").unwrap_or(zone);
    let (sign, zone) = match zone {
        b"" | b"Z" | b"UTC" => return Some(date),
        [b'+', zone @ ..] => (1, zone),
        [b'-', zone @ ..] => (-1, zone),
        _ => return None,
    };
    let (hours, minutes) = match zone {
        [a, b, b':', c, d] | [a, b, c, d] => (decimal(&[*a, *b])?, decimal(&[*c, *d])?),
        [a, b] => (decimal(&[*a, *b])?, 0),
        _ => return None,
    };
    let offset = sign * (hours * 3600 + minutes * 60) as i64;
    Some(Date::from_unix_seconds(date.unix_seconds() - offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_numbers() {
        #[rustfmt::skip]
        let rows = [
            ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z"),
            ("2024-05-06T07:08:09.123456+02:00", "2024-05-06T05:08:09Z"),
            ("2024-05-06 07:08:09 -0130", "2024-05-06T08:38:09Z"),
            ("2024-05-06T07:08", "2024-05-06T07:08:00Z"),
            ("2024-05-06", "2024-05-06T00:00:00Z"),
            ("1714979289", "2024-05-06T07:08:09Z"),
            ("1714979289.000200", "2024-05-06T07:08:09Z"),
            ("1714979289123", "2024-05-06T07:08:09Z"),
            ("1714979289123456", "2024-05-06T07:08:09Z"),
            ("50.25", ""), ("0", ""), ("2024", ""), ("1.7e9", ""), ("-1714979289", ""),
            ("1850-01-01", ""), ("2024-13-01", ""), ("2024-05-06T7:08:09Z", ""),
            ("tomorrow", ""), ("2024-05-06x", ""), ("2024-05-06T07:08:09 CET", ""),
        ];
        for (text, expected) in rows {
            let shown = date(text.as_bytes()).map(|date| date.to_string());
            assert_eq!(shown.unwrap_or_default(), expected, "{text}");
        }
    }
}
