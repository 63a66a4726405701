//! Verdicts and resolved references.

use super::rules;
use urlgrep::Profile;
use urlgrep::url::{Url, resolve, validate};

/// The promises of a verdict. Returns whether `url` is valid.
///
/// The components of a valid URL give the URL. Its printed form is valid. Its
/// canonical form is a URL with the same parts, and is its own canonical form.
///
/// A reject names a byte of `url` or its end, and a rule of the profile.
pub fn url_keeps_its_promises(profile: Profile, url: &[u8]) -> bool {
    let valid = match validate(profile, url) {
        Ok(valid) => valid,
        Err(reject) => {
            let at = reject.at as usize;
            let found = url.get(at).copied();
            assert_eq!(reject.found, found, "{profile} {reject}");
            assert!(at <= url.len(), "{profile} {reject}");
            assert!(
                rules(profile).any(|rule| rule == reject.rule),
                "{profile} {reject}: not a rule of the profile"
            );
            return false;
        }
    };
    let shown = url.escape_ascii();
    assert_eq!(valid.as_bytes(), url);
    assert_eq!(valid.profile(), profile);
    assert_eq!(
        reassembled(&valid).escape_ascii().to_string(),
        shown.to_string(),
        "{profile}: the components of {shown}"
    );
    let printed = url.to_vec();
    assert!(
        validate(profile, &printed).is_ok(),
        "{profile} {shown}: again"
    );

    let mut canonical = vec![];
    valid.canonical_into(&mut canonical);
    let again = validate(profile, &canonical).unwrap_or_else(|reject| {
        panic!(
            "{profile} {shown}: canonical form {} refused: {reject}",
            canonical.escape_ascii()
        )
    });
    let mut twice = vec![];
    again.canonical_into(&mut twice);
    assert_eq!(
        canonical.escape_ascii().to_string(),
        twice.escape_ascii().to_string(),
        "{profile} {shown}: canonical form of the canonical form"
    );
    let names = |url: &Url<'_>| -> Vec<_> { url.components().map(|(name, _)| name).collect() };
    let (mut expected, found) = (names(&valid), names(&again));
    // A default port is dropped, and so is the colon of an empty port.
    if valid.port().is_some() && again.port().is_none() {
        let default = valid.port_number().is_none() || valid.port_number() == valid.default_port();
        assert!(default, "{profile} {shown}: a port is dropped");
        expected.retain(|&name| name != "port");
    }
    // RFC 8141 3.1: these components are not compared.
    if valid.component("nid").is_some() {
        expected.retain(|&name| name != "query" && name != "fragment");
    }
    // "A void fragment-id … means that the URL refers to the whole object."
    if profile <= Profile::WwwUri00 && valid.fragment() == Some("") {
        expected.retain(|&name| name != "fragment");
    }
    assert_eq!(expected, found, "{profile} {shown}: canonical components");
    true
}

/// The URL built from its components, each after the delimiter that the
/// documents put before it.
fn reassembled(url: &Url<'_>) -> Vec<u8> {
    let mut out = vec![];
    let mut authority = false;
    for (name, part) in url.components() {
        let slashes = if authority { &b""[..] } else { b"//" };
        let has_host = url.host().is_some();
        let before: &[u8] = match name {
            "scheme" => b"",
            "user" => slashes,
            "host" if authority => b"@",
            "host" => slashes,
            "password" | "port" | "nss" => b":",
            "query" | "headers" => b"?",
            "typecode" => b";type=",
            "gtype" | "database" | "wtype" | "length" | "wpath" | "content-id" => b"/",
            // draft-ietf-uri-url-00: in prospero://path the host may be the whole path.
            "object" if url.path().is_empty() => b"",
            "object" => b"/",
            "group" | "article" if has_host => b"/",
            "number" if url.components().any(|(name, _)| name == "group") => b"/",
            "search" => match (url.scheme().eq_ignore_ascii_case("wais"), url.query()) {
                (false, None) => b"%09",
                _ => b"?",
            },
            "gopher-plus" => b"%09",
            "version" | "attributes" if url.profile() == Profile::Url00 => b"%23",
            "version" => b"%00",
            "fields" | "parameters" => b";",
            "fragment" => b"#",
            _ => b"",
        };
        authority |= matches!(name, "user" | "host");
        // The slash of a gopher URL without a type belongs to no component.
        if matches!(name, "search" | "fragment")
            && url.path() == "/"
            && url.scheme().eq_ignore_ascii_case("gopher")
            && url.component("gtype").is_none()
            && !out.ends_with(b"/")
        {
            out.push(b'/');
        }
        out.extend_from_slice(before);
        out.extend_from_slice(part.as_bytes());
        if name == "scheme" {
            out.push(b':');
        }
    }
    if url.path() == "/" && url.fragment().is_none() && out.len() + 1 == url.as_bytes().len() {
        out.push(b'/');
    }
    out
}

/// `resolve` does not panic for any two strings. A result is a URL of the
/// profile, by the production of its scheme or by the generic one.
pub fn resolve_answers(profile: Profile, base: &[u8], partial: &[u8]) {
    let Ok(result) = resolve(profile, base, partial) else {
        return;
    };
    assert!(validate(profile, base).is_ok());
    if validate(profile, result.as_bytes()).is_err() {
        // A URL of the same shape whose scheme has no production of its own.
        let other = format!("x{result}");
        let colon = result.find(':').expect("a scheme");
        assert!(
            validate(profile, other.as_bytes()).is_ok() || colon == 0,
            "{profile}: {} from {} and {}",
            result.escape_debug(),
            base.escape_ascii(),
            partial.escape_ascii()
        );
    }
}
