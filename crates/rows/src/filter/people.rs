//! Header fields that name people, and subjects.

use std::borrow::Cow;

use regex::bytes::{Regex, RegexBuilder};
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::given::{FilterError, Given};
use super::patterns::{Edges, Syntax, check_glob};
use urlgrep_mail::Author;

/// The patterns of a header field and those of its twin `exclude_…`.
///
/// Case and the composition of accents are ignored, as in the search of mail programs:
/// `garrigues` finds `Garrigues`, and `mu\u{308}ller` finds `Müller`.
#[derive(Clone, Debug, Default)]
pub struct FieldFilter {
    wanted: Vec<Pattern>,
    excluded: Vec<Pattern>,
    has_addresses: bool,
}

/// A typed value.
#[derive(Clone, Debug)]
enum Pattern {
    /// An address. It is compared with addresses only, because anybody can write the address of
    /// somebody else as a name: `"ann@a.example" <eve@b.example>`.
    Address(Regex),
    /// A part of a name or an address, or a regular expression.
    Text(Regex),
}

impl FieldFilter {
    /// The patterns of the options `name` and `exclude_name`. If `has_addresses`, ` at ` is
    /// `@`, as list archives write it, a whole address finds only itself, and patterns see each
    /// name and each address as well as the field.
    pub fn new(
        given: &Given<'_>,
        name: &str,
        syntax: Syntax,
        has_addresses: bool,
    ) -> Result<FieldFilter, FilterError> {
        let compile = |option: &str| -> Result<Vec<Pattern>, FilterError> {
            let of = |typed: &String| pattern(typed, option, syntax, has_addresses);
            given.all(option).iter().map(of).collect()
        };
        Ok(FieldFilter {
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
        let texts = if self.has_addresses {
            Texts::of_people(&value)
        } else {
            Texts::of_subject(&value)
        };
        let has = |patterns: &[Pattern]| patterns.iter().any(|pattern| texts.has(pattern));
        (self.wanted.is_empty() || has(&self.wanted)) && !has(&self.excluded)
    }
}

/// The texts of a field that are compared with patterns.
#[derive(Debug, Default)]
struct Texts<'v> {
    /// The field, its copy with `@` for ` at `, and each name and address in it. So `^` and `$`
    /// are the ends of any of these.
    all: Vec<Cow<'v, [u8]>>,
    /// The addresses. A mailbox without one that can be read has the text in its place.
    addresses: Vec<Vec<u8>>,
}

impl<'v> Texts<'v> {
    fn of_subject(value: &'v [u8]) -> Texts<'v> {
        Texts {
            all: vec![Cow::Borrowed(value)],
            addresses: Vec::new(),
        }
    }

    /// The texts of a list of mailboxes. Linear.
    fn of_people(value: &'v [u8]) -> Texts<'v> {
        let mut texts = Texts::of_subject(value);
        texts.all.extend(with_at(value).map(Cow::Owned));
        // `Author::of` reads the whole field as one mailbox, for names with a comma or a colon.
        for who in Author::each_of(value).chain([Author::of(value)]) {
            for part in [who.name(), who.address()] {
                let is_new =
                    !part.is_empty() && texts.all.last().is_none_or(|last| **last != *part);
                texts.all.extend(is_new.then(|| Cow::Owned(part.to_vec())));
            }
            let address = match who.address() {
                [] => in_angles(who.shown()),
                address => address,
            };
            let address = with_at(address).unwrap_or_else(|| address.to_vec());
            texts.addresses.push(address);
        }
        texts
    }

    fn has(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Address(pattern) => self.addresses.iter().any(|text| pattern.is_match(text)),
            Pattern::Text(pattern) => self.all.iter().any(|text| pattern.is_match(text)),
        }
    }
}

/// The text of a mailbox from its last angle bracket on, such as a route to an address. The whole
/// text if it has none.
fn in_angles(mailbox: &[u8]) -> &[u8] {
    match memchr::memrchr(b'<', mailbox) {
        Some(open) => &mailbox[open + 1..],
        None => mailbox,
    }
}

/// The pattern of a typed value.
fn pattern(
    typed: &str,
    option: &str,
    syntax: Syntax,
    has_addresses: bool,
) -> Result<Pattern, FilterError> {
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
    let typed = one_blank(&typed);
    let typed = if syntax.fixed {
        typed
    } else {
        pluses(&tags(&typed))
    };
    let address = if has_addresses { address(&typed) } else { None };
    let text = match &address {
        // `ann@a.example` does not find `joann@a.example` or `ann@a.example.org`.
        Some(address) => format!(
            r"(?:^|[^\w.+-]){}(?:$|[^\w.-]|[.-](?:$|\W))",
            regex::escape(address)
        ),
        None if has_addresses && typed.contains(" at ") => format!(
            "(?:{})|(?:{})",
            regex_of(&typed, syntax),
            regex_of(&typed.replace(" at ", "@"), syntax)
        ),
        None => regex_of(&typed, syntax),
    };
    let regex = RegexBuilder::new(&text)
        .case_insensitive(true)
        .build()
        .map_err(|e| match e {
            regex::Error::Syntax(_) => FilterError::of_regex(format!("--{name}: {e}")),
            _ => FilterError::new(format!("--{name}: {e}")),
        })?;
    Ok(match address {
        Some(_) => Pattern::Address(regex),
        None => Pattern::Text(regex),
    })
}

/// The regular expression of a text. With `-w` a match neither begins nor ends inside of a word.
/// Unlike in URLs, where `-w` is that of ripgrep, a match that begins with `@` or `[` may follow a
/// letter: `@a.example` is a part of each address of a host.
fn regex_of(text: &str, syntax: Syntax) -> String {
    if syntax.edges != Edges::Word {
        return syntax.regex(text);
    }
    let inner = Syntax {
        edges: Edges::Anything,
        ..syntax
    };
    let inner = inner.regex(text);
    format!(r"(?:\b{{start-half}}|\b)(?:{inner})(?:\b{{end-half}}|\b)")
}

/// The pattern with one blank for each run of white space, as the values of fields have it. Before
/// a quantifier a run stays as it is: `a  *b`. Linear.
fn one_blank(typed: &str) -> String {
    let mut out = String::with_capacity(typed.len());
    let mut rest = typed;
    while let Some(c) = rest.chars().next() {
        let after = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        if after.len() == rest.len() {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else if after.starts_with(['*', '+', '?', '{']) {
            out.push_str(&rest[..rest.len() - after.len()]);
            rest = after;
        } else {
            out.push(' ');
            rest = after;
        }
    }
    out
}

/// The regular expression with its tags as plain text. A tag is a word or several in brackets that
/// stand alone, as list software and patches write them before a subject: `[PATCH] fix`,
/// `Re: [R] Calling`. As a class of letters it would match nearly every subject, or not the one
/// that was copied. `[a-z]`, `[^R]`, `[[:alpha:]]`, `[?]` and `[Rr]e` are classes. Beside signs of a
/// regular expression, as in `^[ANN].*`, a tag is a word of capitals. Linear.
fn tags(typed: &str) -> String {
    let mut out = String::with_capacity(typed.len());
    let mut rest = typed;
    let mut after_tag = false;
    // A pattern with flags, such as `(?x)`, is written by somebody who knows them.
    while let Some(open) = rest.find('[').filter(|_| !typed.contains("(?")) {
        let inner = &rest[open + 1..];
        let close = inner.find(']').unwrap_or(inner.len());
        let after = inner.get(close + 1..);
        let inner = &inner[..close];
        let is_title = is_title(inner);
        let stands_alone = match rest[..open].chars().next_back() {
            None => after_tag || out.is_empty(),
            Some(' ') => true,
            Some('^' | '|' | ')' | '?') => is_title,
            // GitHub's name of each program: `dependabot[bot]`.
            Some(before) => inner == "bot" && before.is_alphanumeric(),
        };
        let ends = after.is_some_and(|after| {
            after.is_empty()
                || after.starts_with([' ', ':', '['])
                || is_title && after.starts_with(['.', '|', ')', '$'])
        });
        out.push_str(&rest[..open]);
        after_tag = stands_alone && ends && is_tag(inner);
        if after_tag {
            out.push_str(&regex::escape(&rest[open..open + close + 2]));
            rest = after.unwrap_or_default();
        } else {
            // A class may contain a `[`, and ends at the next `]`.
            let end = (open + close + 2).min(rest.len());
            out.push_str(&rest[open..end]);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}

/// The regular expression with the `++` of `C++` as plain text: in one, the second plus has no effect,
/// and `C++` is every `c`. Linear.
fn pluses(typed: &str) -> String {
    let mut out = String::with_capacity(typed.len());
    let mut rest = typed;
    while let Some(at) = rest.find("++") {
        let (start, pluses) = rest.split_at(at);
        out.push_str(start);
        let follows_letter = start.ends_with(|c: char| c.is_ascii_alphabetic());
        let is_escape = start
            .rsplit('\\')
            .next()
            .is_some_and(|last| last.len() == 1)
            && at > 1;
        out.push_str(if follows_letter && !is_escape {
            r"\+\+"
        } else {
            "++"
        });
        rest = &pluses[2..];
    }
    out.push_str(rest);
    out
}

/// True if the text in the brackets is a word or several, and no class that somebody means.
fn is_tag(inner: &str) -> bool {
    let is_kind = |a: u8, b: u8| {
        a.is_ascii_digit() && b.is_ascii_digit()
            || a.is_ascii_lowercase() && b.is_ascii_lowercase()
            || a.is_ascii_uppercase() && b.is_ascii_uppercase()
    };
    let mut rest = inner;
    // `a-zA-Z` in `[a-zA-Z_]`. No letter follows the ranges of a class: `e-mail` is a word.
    while let [first, b'-', last, ..] = *rest.as_bytes()
        && is_kind(first, last)
        && first < last
    {
        rest = &rest[3..];
    }
    rest.contains(char::is_alphanumeric) && !inner.starts_with('^') && !inner.contains(['[', '\\'])
}

/// True for a word of capitals such as `ANN`. Those of a class are mostly in the order of the alphabet,
/// each once, and nobody needs capitals where case does not count.
fn is_title(inner: &str) -> bool {
    let letters = || inner.chars().filter(|c| c.is_alphabetic());
    let is_sorted = letters().zip(letters().skip(1)).all(|(a, b)| a < b);
    letters().count() >= 3 && letters().all(char::is_uppercase) && !is_sorted
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

    fn accepts(option: &str, typed: &str, value: &str) -> bool {
        accepts_at(Edges::Anything, option, typed, value)
    }

    fn accepts_at(edges: Edges, option: &str, typed: &str, value: &str) -> bool {
        let syntax = Syntax {
            fixed: false,
            ignore_case: false,
            smart_case: false,
            edges,
        };
        let values = [typed.to_owned()];
        let given = Given(vec![(option, &values[..])]);
        let field = FieldFilter::new(&given, "from", syntax, true).unwrap();
        field.accept(value.as_bytes())
    }

    #[test]
    fn blanks_of_a_pattern_are_one() {
        for (typed, pattern) in [
            ("a b", "a b"),
            ("a  b\tc \n d", "a b c d"),
            ("a  *b", "a  *b"),
            ("é  é", "é é"),
            ("a\\  b", "a\\ b"),
            ("", ""),
        ] {
            assert_eq!(one_blank(typed), pattern, "{typed:?}");
        }
    }

    #[test]
    fn two_pluses_are_text() {
        for (typed, pattern) in [
            ("C++", r"C\+\+"),
            ("^(Re: )?c++, g++$", r"^(Re: )?c\+\+, g\+\+$"),
            ("C++++", r"C\+\+++"),
            (r"\d++", r"\d++"),
            (r"C\+\+", r"C\+\+"),
            (")++", ")++"),
            ("++", "++"),
            ("a+", "a+"),
        ] {
            assert_eq!(pluses(typed), pattern, "{typed:?}");
        }
        assert!(accepts("from", "C++", "The C++ list <a@b.example>"));
        assert!(!accepts("from", "C++", "Carl <c@b.example>"));
    }

    #[test]
    fn tags_are_text() {
        for (typed, pattern) in [
            ("[PATCH]", r"\[PATCH\]"),
            ("[R] Calling", r"\[R\] Calling"),
            ("[External] .*x", r"\[External\] .*x"),
            ("Re: [PATCH v2 1/3] fix", r"Re: \[PATCH v2 1/3\] fix"),
            ("[alsa-devel] [PATCH]: x", r"\[alsa\-devel\] \[PATCH\]: x"),
            ("[PATCH][v2] x", r"\[PATCH\]\[v2\] x"),
            ("[e-mail] x", r"\[e\-mail\] x"),
            ("[Übung]", r"\[Übung\]"),
            ("^[ANN]", r"^\[ANN\]"),
            ("^[ANN].*released$", r"^\[ANN\].*released$"),
            ("^(Fwd: )?[PATCH]$", r"^(Fwd: )?\[PATCH\]$"),
            ("[ANN]|news", r"\[ANN\]|news"),
            ("dependabot[bot]", r"dependabot\[bot\]"),
            // Classes.
            ("[a-z]", "[a-z]"),
            ("[A-Za-z0-9_.] x", "[A-Za-z0-9_.] x"),
            ("[^R] x", "[^R] x"),
            ("[?]", "[?]"),
            ("[Rr]e: x", "[Rr]e: x"),
            ("[abc]+", "[abc]+"),
            ("[^a][cd] y", "[^a][cd] y"),
            ("x[ab] y", "x[ab] y"),
            ("^[ab] y", "^[ab] y"),
            ("^[aeiou]", "^[aeiou]"),
            ("^[PpRr]", "^[PpRr]"),
            ("^[qwertz]|[cba]", "^[qwertz]|[cba]"),
            ("^[aeiou].*x", "^[aeiou].*x"),
            ("([PATCH])", "([PATCH])"),
            ("gr[bot]", r"gr\[bot\]"),
            ("gr[bt]", "gr[bt]"),
            ("([ab] y|z)", "([ab] y|z)"),
            ("(?x) [ab] y", "(?x) [ab] y"),
            ("[[:alpha:]] x", "[[:alpha:]] x"),
            (r"\[ab] [\w] x", r"\[ab] [\w] x"),
            ("[]a] x", "[]a] x"),
            ("[ab", "[ab"),
            ("a [", "a ["),
            ("a[b]", "a[b]"),
            ("", ""),
        ] {
            assert_eq!(tags(typed), pattern, "{typed:?}");
        }
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
    /// An address is compared with addresses, whatever somebody has written as the name.
    #[test]
    fn an_address_is_no_name() {
        for (typed, value, is_there) in [
            ("ann@a.example", "\"ann@a.example\" <eve@b.example>", false),
            ("ann@a.example", "ann@a.example <eve@b.example>", false),
            (
                "ann@a.example",
                "ann at a.example <eve at b.example>",
                false,
            ),
            ("ann@a.example", "eve@b.example (ann@a.example)", false),
            ("ann at a.example", "'ann@a.example' <eve@b.example>", false),
            (
                "Ann <ann@a.example>",
                "\"Ann <ann@a.example>\" <eve@b.example>",
                false,
            ),
            ("ann@a.example", "\"ann@a.example\" <nobody>", false),
            ("eve@b.example", "\"ann@a.example\" <eve@b.example>", true),
            ("ann@a.example", "\"ann@a.example\" <ann@a.example>", true),
            ("ann@a.example", "'ann@a.example'", true),
            ("ann@a.example", "Ann <mailto:ann@a.example>", true),
            ("ann@a.example", "Ann <@relay.example:ann@a.example>", true),
            ("ann@a.example", "Ann: Reed <ann@a.example>", true),
            ("ann@a.example", "Ann Reed ann@a.example", true),
            ("ann@a.example", "ann at a.example (Ann))", true),
            ("ann@a.example", "\"Ann <ann@a.example>", true),
            ("ann@a.example", "ann@a.example,", true),
            ("ann@a.example", "Eve, ann@a.example, <bob@b.example>", true),
            (
                "bob@b.example",
                "Team: ann@a.example, Bob <bob@b.example>;",
                true,
            ),
            // A pattern is looked for in names too.
            ("ann@a", "\"ann@a.example\" <eve@b.example>", true),
            (r"ann@a\.example", "\"ann@a.example\" <eve@b.example>", true),
        ] {
            assert_eq!(accepts("from", typed, value), is_there, "{typed}: {value}");
            assert_ne!(
                accepts("exclude_from", typed, value),
                is_there,
                "not {typed}: {value}"
            );
        }
    }

    #[test]
    fn anchors_are_the_ends_of_a_field_a_name_or_an_address() {
        let value = "\"Reed, Ann\" <ann@a.example>, bob at b.example (Bob)";
        for (typed, is_there) in [
            ("@a.example$", true),
            ("@b.example$", true),
            (r"@b\.example$", true),
            ("^ann@", true),
            ("^bob@b", true),
            ("^bob$", true),
            ("^reed, ann$", true),
            ("ann$", true),
            ("^\"reed", true),
            (r"\(bob\)$", true),
            ("@a$", false),
            ("^nn@", false),
            ("^reed$", false),
            ("^a.example", false),
            ("^ann@a.example, bob", false),
        ] {
            assert_eq!(accepts("from", typed, value), is_there, "{typed}");
        }
    }

    /// With `-w` no match begins or ends inside of a word.
    #[test]
    fn words_of_people() {
        for (typed, value, is_there) in [
            ("ann", "Ann <x@a.example>", true),
            ("ann", "Ann-Marie <x@a.example>", true),
            ("ann", "Joann <x@annex.example>", false),
            ("@a.example", "Bob <bob@a.example>", true),
            ("@a.example", "bob at a.example", true),
            ("@a.example", "Bob <bob@a.examples>", false),
            ("@a", "Bob <bob@a.example>", true),
            ("@a", "Bob <bob@ab.example>", false),
            ("bob@", "Bob <bob@a.example>", true),
            ("bob@", "Jacob <jacob@a.example>", false),
            (".example", "bob@a.example", true),
            ("[R]", "The [R] list <x@a.example>", true),
            ("[R]", "The[R]list <x@a.example>", true),
            ("é", "É <x@a.example>", true),
            ("é", "Éa <x@a.example>", false),
        ] {
            let found = accepts_at(Edges::Word, "from", typed, value);
            assert_eq!(found, is_there, "{typed}: {value}");
        }
    }
}
