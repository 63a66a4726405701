//! Header fields that name people, and subjects.

use std::borrow::Cow;

use regex::bytes::{Regex, RegexBuilder};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::given::{FilterError, Given};
use super::patterns::{Syntax, check_glob};

/// The patterns of a header field and those of its twin `exclude_…`.
///
/// Case and the form of accents mean nothing: `garrigues` finds `Garrigues`, and `mu\u{308}ller`
/// finds `Müller`. Mail programs search so, because nobody knows how a sender spells a name.
#[derive(Clone, Debug, Default)]
pub struct Field {
    wanted: Vec<Regex>,
    excluded: Vec<Regex>,
    has_addresses: bool,
}

impl Field {
    /// The patterns of the options `name` and `exclude_name`. If `has_addresses`, ` at ` is
    /// `@`, as list archives write it, and a whole address finds only itself.
    pub fn new(
        given: &Given<'_>,
        name: &str,
        syntax: Syntax,
        has_addresses: bool,
    ) -> Result<Field, FilterError> {
        let compile = |option: &str| -> Result<Vec<Regex>, FilterError> {
            let of = |typed: &String| pattern(typed, option, syntax, has_addresses);
            given.all(option).iter().map(of).collect()
        };
        Ok(Field {
            wanted: compile(name)?,
            excluded: compile(&format!("exclude_{name}"))?,
            has_addresses,
        })
    }

    /// True if an option says which values are wanted.
    pub fn is_given(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// True if an option says which values are not wanted.
    pub fn excludes(&self) -> bool {
        !self.excluded.is_empty()
    }

    /// True if the value is wanted.
    #[inline]
    pub fn accept(&self, value: &[u8]) -> bool {
        let has_patterns = self.is_given() || self.excludes();
        !has_patterns || self.matches(value)
    }

    /// True if a wanted pattern matches, and none that excludes.
    fn matches(&self, value: &[u8]) -> bool {
        let value = composed(value);
        let with_at = if self.has_addresses {
            with_at(&value)
        } else {
            None
        };
        let has = |patterns: &[Regex]| {
            patterns.iter().any(|pattern| {
                let of_address = with_at.as_ref().is_some_and(|text| pattern.is_match(text));
                of_address || pattern.is_match(&value)
            })
        };
        (self.wanted.is_empty() || has(&self.wanted)) && !has(&self.excluded)
    }
}

/// The regular expression of a typed value.
fn pattern(
    typed: &str,
    option: &str,
    syntax: Syntax,
    has_addresses: bool,
) -> Result<Regex, FilterError> {
    let name = option.replace('_', "-");
    if let Some(rest) = typed.strip_prefix('!')
        && !syntax.fixed
        && !name.starts_with("exclude")
    {
        return Err(FilterError::new(format!(
            "--{name} {typed}: use --exclude-{name} {rest}"
        )));
    }
    if typed.trim().is_empty() {
        return Err(FilterError::new(format!(
            "--{name}: PATTERN is empty, so it would match every message"
        )));
    }
    if name == "to" && is_date(typed) {
        return Err(FilterError::new(format!(
            "--to {typed}: this is a recipient; the end of a time is --until {typed}"
        )));
    }
    check_glob(&format!("--{name}"), typed, syntax)?;
    let typed: String = typed.nfc().collect();
    let address = if has_addresses { address(&typed) } else { None };
    let text = match address {
        // `joann@a.example` and `ann@a.example.org` are others.
        Some(address) => format!(
            r"(?:^|[^\w.+-]){}(?:$|[^\w.-]|[.-](?:$|\W))",
            regex::escape(&address)
        ),
        None if has_addresses && typed.contains(" at ") => format!(
            "(?:{})|(?:{})",
            syntax.regex(&typed),
            syntax.regex(&typed.replace(" at ", "@"))
        ),
        None => syntax.regex(&typed),
    };
    RegexBuilder::new(&text)
        .case_insensitive(true)
        .build()
        .map_err(|e| FilterError::new(format!("--{name}: {e}")))
}

/// True for a year, a month or a day in digits.
fn is_date(typed: &str) -> bool {
    let mut parts = typed.split('-');
    let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let is_year = parts.next().is_some_and(|year| year.len() == 4);
    is_year && parts.count() <= 2 && typed.split('-').all(is_number)
}

/// The address of a value that is one: `ann@a.example`, `ann at a.example`, or
/// `Ann <ann@a.example>`. Other messages of Ann have another name, or the form
/// `ann@a.example (Ann)`.
fn address(typed: &str) -> Option<String> {
    let inner = typed
        .strip_suffix('>')
        .and_then(|text| text.rsplit_once('<'));
    let text = inner.map_or(typed, |(_, address)| address).trim();
    let text = text.replacen(" at ", "@", 1);
    let (local, domain) = text.split_once('@')?;
    // RFC 5322 section 3.4.1, without the marks of regular expressions that occur in no address
    // that somebody types.
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"._%+-=~&'/".contains(&b) || b >= 0x80;
    let is_domain = |b: u8| b.is_ascii_alphanumeric() || b".-".contains(&b) || b >= 0x80;
    let is_address = !local.is_empty()
        && local.bytes().all(is_local)
        && domain.bytes().all(is_domain)
        && domain.trim_matches('.').contains('.');
    is_address.then_some(text)
}

/// The text in the composed form of Unicode (NFC), in which `ü` is one character.
fn composed(text: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(text) {
        Ok(text) if !is_nfc(text) => Cow::Owned(text.nfc().collect::<String>().into_bytes()),
        _ => Cow::Borrowed(text),
    }
}

/// The text with an `@` for each ` at ` before a word with a dot, which is a domain and no
/// `Ann at Home`. `None` if there is none.
fn with_at(text: &[u8]) -> Option<Vec<u8>> {
    const AT: &[u8] = b" at ";
    let is_end = |b: &u8| b.is_ascii_whitespace() || b"<>(),;".contains(b);
    let mut out = Vec::new();
    let mut is_changed = false;
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, AT) {
        let after = &rest[at + AT.len()..];
        let end = after.iter().position(is_end).unwrap_or(after.len());
        let is_domain = after[..end].trim_ascii().contains(&b'.');
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(if is_domain { b"@" } else { AT });
        is_changed |= is_domain;
        rest = after;
    }
    out.extend_from_slice(rest);
    is_changed.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::patterns::Edges;

    fn accepts(option: &str, typed: &str, value: &str) -> bool {
        let syntax = Syntax {
            fixed: false,
            ignore_case: false,
            smart_case: false,
            edges: Edges::Anything,
        };
        let values = [typed.to_owned()];
        let given = Given(vec![(option, &values[..])]);
        let field = Field::new(&given, "from", syntax, true).unwrap();
        field.accept(value.as_bytes())
    }

    #[test]
    fn names_addresses_and_patterns() {
        for (typed, yes, no) in [
            (
                "garrigues",
                "Chris Garrigues <cwg@a.example>",
                "Ann <a@a.example>",
            ),
            (
                "MÜLLER",
                "Ann Mu\u{308}ller <a@a.example>",
                "Ann Muller <a@a.example>",
            ),
            (
                "mu\u{308}ller",
                "Ann Müller <a@a.example>",
                "Ann Muller <a@a.example>",
            ),
            (
                "ann@a.example",
                "Ann <ANN@a.example>",
                "Joann <joann@a.example>",
            ),
            (
                "ann@a.example",
                "ann at a.example (Ann)",
                "ann@a.example.org",
            ),
            (
                "ann@a.example",
                "ann@a.example, bob@b.example",
                "ann@aXexample",
            ),
            ("ann@a.example", "ann@a.example.", "x.ann@a.example"),
            ("ann at a.example", "Ann <ann@a.example>", "ann@b.example"),
            (
                "Reed <ann@a.example>",
                "ann@a.example",
                "Reed <bob@a.example>",
            ),
            (
                "ann+list@a.example",
                "ann+list@a.example",
                "annnlist@a.example",
            ),
            ("@a.example", "bob at a.example", "bob@b.example"),
            ("ann at a", "ann@a.example", "ann@b.example"),
            ("^ann.*@a", "Ann <x@a.example>", "Joann <x@a.example>"),
        ] {
            assert!(accepts("from", typed, yes), "{typed}: {yes}");
            assert!(!accepts("from", typed, no), "{typed}: {no}");
            assert!(!accepts("exclude_from", typed, yes), "not {typed}: {yes}");
            assert!(accepts("exclude_from", typed, no), "not {typed}: {no}");
        }
        assert!(accepts("exclude_from", "ann", ""));
        assert!(accepts("from", "ann", "\u{e9} ann") && !accepts("from", "ann", ""));
    }
}
