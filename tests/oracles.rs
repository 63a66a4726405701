//! The grammar against other implementations. The early profiles are compared
//! with regular expressions made from the BNF of the documents. `current` is
//! compared with such expressions and with two parsers of RFC 3986.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::common::generate::{self, DOCUMENTS};
use proptest::prelude::*;
use regex::bytes::{Regex, RegexBuilder};
use urlgrep::Profile;
use urlgrep::url::validate;

/// One document as regular expressions.
struct Oracle {
    /// By scheme. `None` gives no verdict, because the production is not exact.
    /// `Some(None)` refuses every URL of the scheme.
    named: HashMap<&'static str, Option<Option<Regex>>>,
    generic: Regex,
    fragment: Regex,
}

impl Oracle {
    fn new(profile: Profile) -> Oracle {
        let grammar = generate::grammar(profile);
        let regex = |rule: &str| {
            let pattern = format!(r"\A(?:{})\z", grammar.regex(rule));
            let mut builder = RegexBuilder::new(&pattern);
            builder.unicode(false).size_limit(1 << 26);
            builder.build().unwrap_or_else(|e| panic!("{rule}: {e}"))
        };
        let named = grammar.schemes.iter().map(|&(scheme, rule, exact)| {
            let judge = exact.then(|| rule.map(regex));
            (scheme, judge)
        });
        Oracle {
            named: named.collect(),
            generic: regex(grammar.generic),
            fragment: regex(grammar.fragment),
        }
    }

    /// The verdict, or `None` if the oracle has none.
    fn accepts(&self, url: &[u8]) -> Option<bool> {
        // Ruling 3: split at the first `#`.
        let (url, fragment) = match url.iter().position(|&b| b == b'#') {
            Some(at) => (&url[..at], Some(&url[at + 1..])),
            None => (url, None),
        };
        // Ruling 1: the scheme ends at the first colon, and its case is ignored.
        let scheme = url.split(|&b| b == b':').next().unwrap_or_default();
        let scheme = scheme.escape_ascii().to_string().to_ascii_lowercase();
        let fragment = fragment.is_none_or(|fragment| self.fragment.is_match(fragment));
        // Ruling 2: only the scheme's own production decides.
        match self.named.get(&scheme[..]) {
            Some(judge) => judge
                .as_ref()
                .map(|judge| fragment && judge.as_ref().is_some_and(|regex| regex.is_match(url))),
            None => Some(fragment && self.generic.is_match(url)),
        }
    }
}

static ORACLES: LazyLock<HashMap<Profile, Oracle>> = LazyLock::new(|| {
    let all = DOCUMENTS.iter();
    all.map(|&profile| (profile, Oracle::new(profile)))
        .collect()
});

/// True if `profile` must agree with the regular expressions about `url`. The
/// expressions for `current` do not limit the lengths of labels and names. They
/// lack some schemes for which only RFC 3986 and the host rule apply.
fn is_comparable(profile: Profile, url: &[u8]) -> bool {
    let scheme = url.split(|&b| b == b':').next().unwrap_or_default();
    let host_rule = [&b"imap"[..], b"ssh", b"svn", b"rsync", b"nfs"];
    let ws = [&b"ws"[..], b"wss"]
        .iter()
        .any(|name| scheme.eq_ignore_ascii_case(name));
    profile < Profile::Current
        || url.len() <= 63
            && !host_rule.iter().any(|name| scheme.eq_ignore_ascii_case(name))
            // RFC 6455 3: "Fragment identifiers … MUST NOT be used".
            && !(ws && url.contains(&b'#'))
}

fn agrees_with_bnf(profile: Profile, url: &[u8]) -> Result<(), TestCaseError> {
    let verdict = validate(profile, url);
    if let Some(expected) = ORACLES[&profile].accepts(url)
        && is_comparable(profile, url)
    {
        prop_assert_eq!(
            verdict.is_ok(),
            expected,
            "{}: {} is {:?}",
            profile,
            url.escape_ascii(),
            verdict.err().map(|reject| reject.to_string())
        );
    }
    Ok(())
}

/// Parsers of RFC 3986: a name, and whether it accepts.
fn others(url: &str) -> [(&'static str, bool); 2] {
    [
        ("fluent-uri", fluent_uri::Uri::parse(url).is_ok()),
        ("iri-string", iri_string::types::UriStr::new(url).is_ok()),
    ]
}

fn agrees_with_rfc_3986(url: &[u8]) -> Result<(), TestCaseError> {
    let ours = validate(Profile::Current, url);
    let Ok(text) = std::str::from_utf8(url) else {
        prop_assert!(ours.is_err());
        return Ok(());
    };
    let scheme = text
        .split(':')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    // A scheme that docs/profiles.md names has stricter rules than RFC 3986.
    let named = [
        "http", "https", "ws", "wss", "ftp", "file", "mailto", "news", "nntp", "gopher", "telnet",
        "wais", "prospero", "mid", "cid", "urn", "tel", "ldap", "imap", "irc", "git", "ssh", "svn",
        "rsync", "nfs", "xmpp",
    ];
    for (name, theirs) in others(text) {
        if named.contains(&&scheme[..]) {
            prop_assert!(ours.is_err() || theirs, "{name} refuses {text:?}");
        } else {
            prop_assert_eq!(
                ours.is_ok(),
                theirs,
                "{} about {:?}: {:?}",
                name,
                text,
                ours.err().map(|reject| reject.to_string())
            );
        }
    }
    Ok(())
}

/// `iri` against `current` and against iri-string. A URL that `current` accepts
/// has the same parts in both profiles. A string is an IRI if the grammar of RFC
/// 3987 2.2 accepts it and `current` accepts its URI (3.1).
fn agrees_with_rfc_3987(text: &str) -> Result<(), TestCaseError> {
    let verdict = validate(Profile::Iri, text.as_bytes());
    let current = validate(Profile::Current, text.as_bytes());
    if text.is_ascii() {
        // The same rule at the same byte, or the same parts.
        let parts =
            |url: urlgrep::url::Url<'_>| format!("{:?}", url.components().collect::<Vec<_>>());
        let fault = |reject: urlgrep::url::Reject| (reject.rule, reject.at);
        prop_assert_eq!(
            verdict.map(parts).map_err(fault),
            current.map(parts).map_err(fault)
        );
        return Ok(());
    }
    prop_assert!(current.is_err());
    // "IRIs MUST NOT contain bidirectional formatting characters" (4.1). The
    // grammar of 2.2 does not say this, and iri-string does not check it.
    let bidi = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
    let by_grammar = iri_string::types::IriStr::new(text).is_ok() && !text.contains(bidi);
    let mut uri = String::new();
    for byte in text.bytes() {
        match byte {
            0x80.. => uri += &format!("%{byte:02X}"),
            _ => uri.push(byte.into()),
        }
    }
    let by_scheme = validate(Profile::Current, uri.as_bytes());
    prop_assert_eq!(
        verdict.is_ok(),
        by_grammar && by_scheme.is_ok(),
        "{:?}: {:?}, iri-string {}, as a URI {:?}",
        text,
        verdict.map_err(|reject| reject.to_string()).err(),
        by_grammar,
        by_scheme.err().map(|reject| reject.to_string())
    );
    if let Ok(url) = validate(Profile::Iri, text.as_bytes()) {
        prop_assert_eq!(url.to_uri(), uri);
        let canonical = url.canonical();
        prop_assert!(validate(Profile::Current, canonical.as_bytes()).is_ok());
    }
    Ok(())
}

/// Characters at the edges of the sets of RFC 3987 2.2, and some others.
fn beyond() -> impl Strategy<Value = char> {
    let edges = "\u{80}\u{9f}\u{a0}\u{d7ff}\u{e000}\u{f8ff}\u{f900}\u{fdcf}\u{fdd0}\u{fdef}\u{fdf0}\u{ffef}\
                 \u{fff0}\u{fffd}\u{ffff}\u{10000}\u{1fffd}\u{1fffe}\u{dfffd}\u{e0000}\u{e0fff}\u{e1000}\u{efffd}\
                 \u{efffe}\u{f0000}\u{ffffd}\u{ffffe}\u{100000}\u{10fffd}\u{10ffff}\u{200e}\u{202a}\u{3000}\u{200b}äж日ก";
    prop_oneof![
        4 => prop::sample::select(edges.chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ]
}

/// A string of pieces of RFC 3986's grammar and of other characters; most are not
/// URLs.
fn generic() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "x", "foo", "http", "9", ":", ":", "/", "//", "//", "?", "#", "[", "]", "[::1]", "[v1.a:]",
        "@", "a.b", "::", "1:", "ffff:", "%41", "%", "%2", "1.2.3.4", "256", ":80", ".", "..", "-",
        "+", "~", "!", "|", "\\", "^", " ", "é",
    ];
    let start =
        prop::sample::select(&["x:", "foo://", "http://", "a+b-.9:/", "ldap://", "x://["][..]);
    let rest = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..9);
    (start, rest).prop_map(|(start, rest)| (start.to_string() + &rest.concat()).into_bytes())
}

/// An IPv6address, or a string that is nearly one.
fn ipv6() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "1",
        "ab12",
        "::",
        ":",
        ":",
        "12345",
        "1.2.3.4",
        "1.2.3.256",
        "g",
        "0",
    ];
    let inside = prop::collection::vec(prop::sample::select(pieces.to_vec()), 1..18);
    (inside, prop::sample::select(&["x", "http"][..]))
        .prop_map(|(inside, scheme)| format!("{scheme}://[{}]/", inside.concat()).into_bytes())
}

proptest! {
    #![proptest_config(generate::config(4000))]

    #[test]
    fn urls_agree_with_the_bnf((_, url) in generate::url()) {
        for &profile in DOCUMENTS {
            agrees_with_bnf(profile, &url)?;
        }
    }

    #[test]
    fn near_misses_agree_with_the_bnf((profile, url) in generate::near_miss()) {
        agrees_with_bnf(profile, &url)?;
        agrees_with_bnf(Profile::Rfc1738, &url)?;
    }

    #[test]
    fn generic_syntax_agrees_with_parsers_of_rfc_3986((_, url) in generate::any_url()) {
        agrees_with_rfc_3986(&url)?;
        // The same without a known scheme.
        let colon = url.iter().position(|&b| b == b':').unwrap_or_default();
        agrees_with_rfc_3986(&[b"x", &url[colon..]].concat())?;
    }

    #[test]
    fn iris_are_uris_with_characters_beyond_ascii(
        (_, url) in generate::any_url(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), beyond()), 0..4),
    ) {
        if let Ok(mut text) = String::from_utf8(url) {
            agrees_with_rfc_3987(&text)?;
            for (at, character) in changes {
                let at = at.index(text.len() + 1);
                if text.is_char_boundary(at) {
                    text.insert(at, character);
                }
            }
            agrees_with_rfc_3987(&text)?;
        }
    }

    #[test]
    fn pieces_agree_with_parsers_of_rfc_3986(url in prop_oneof![generic(), ipv6()]) {
        agrees_with_rfc_3986(&url)?;
        agrees_with_bnf(Profile::Current, &url)?;
    }
}
