//! Tests of the parent module.

use super::*;

fn show(profile: Profile, base: &str, partial: &str) -> String {
    match resolve(profile, base.as_bytes(), partial.as_bytes()) {
        Ok(url) => url,
        Err(error) => format!("{}@{}", error.reject().rule, error.reject().at),
    }
}

#[test]
fn an_error_says_which_string_was_refused() {
    let error = |base: &[u8], partial: &[u8]| {
        let error = resolve(Profile::WwwUri00, base, partial).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        error(b"x", b"g"),
        "base: www-uri-00 scheme, byte 1: the end"
    );
    assert_eq!(
        error(b"magic://a/b", b"///g"),
        "partial form: www-uri-00 partial form, byte 0: `/`"
    );
    assert_eq!(
        error(b"magic://a/b", b"<"),
        "result magic://a/<: www-uri-00 segment, byte 10: `<`"
    );
}

/// draft-www-uri-00, "Partial (relative) form", Examples.
#[test]
fn magic() {
    for base in ["magic://a/b/c//d/e/f", "magic://a/b/c//d/e/"] {
        for (partial, expected) in [
            ("g", "magic://a/b/c//d/e/g"),
            ("/g", "magic://a/g"),
            ("//g", "magic://g"),
            ("../g", "magic://a/b/c//d/g"),
            ("g:a", "g:a"),
        ] {
            assert_eq!(
                show(Profile::WwwUri00, base, partial),
                expected,
                "{base} {partial}"
            );
        }
    }
}

#[test]
fn www_uri_00() {
    for (base, partial, expected) in [
        ("magic://a/b/c//d/e/f", "", "magic://a/b/c//d/e/f"),
        ("magic://a/b/c//d/e/f#x", "#y", "magic://a/b/c//d/e/f#y"),
        ("magic://a/b/c//d/e/f", "g#s", "magic://a/b/c//d/e/g#s"),
        ("magic://a/b/c//d/e/f", "///g", "partial form@0"),
        ("magic://a/b/c//d/e/f", "./g", "magic://a/b/c//d/e/g"),
        ("magic://a/b/c//d/e/f", "g/.", "magic://a/b/c//d/e/g"),
        // In "xxx/../" a slash must follow the dots, and xxx may be empty.
        ("magic://a/b/c//d/e/f", "..", "magic://a/b/c//d/e/.."),
        ("magic://a/b/c//d/e/f", "../../../g", "magic://a/b/c/g"),
        ("magic://a/b", "../../g", "magic://a/../../g"),
        ("magic://a/b?q", "c", "magic://a/c"),
        ("magic://a/b", "c?d", "magic://a/c?d"),
        ("magic://a", "g", "magic://a/g"),
        ("news:a.b", "c@d", "news:c@d"),
        ("x", "g", "scheme@1"),
        ("magic://a/b", "<", "segment@10"),
    ] {
        assert_eq!(
            show(Profile::WwwUri00, base, partial),
            expected,
            "{base} {partial}"
        );
    }
}

/// The rules of "Partial form", one by one.
#[test]
fn url_00_and_url_03() {
    for profile in [Profile::Url00, Profile::Url03] {
        for (base, partial, expected) in [
            ("http://a/b/c?d#e", "x:y", "x:y"),
            ("http://a/b/c?d#e", "//g/h", "http://g/h"),
            ("http://a:1/b/c?d#e", "/g?h", "http://a:1/g?h"),
            ("http://a/b/c?d#e", "g", "http://a/b/g"),
            ("http://a/b/c/", "g", "http://a/b/c/g"),
            ("http://a/b/c", "../g", "http://a/g"),
            ("http://a/b/c", "./g", "http://a/b/g"),
            ("http://a/b/c", "g/..", "http://a/b"),
            ("http://a/b/c", "g/.", "http://a/b/g"),
            ("http://a/b/c", "../../g", "http://a/../g"),
            ("http://a/b/c", "g?../x", "search@15"),
            ("http://a/b/c", "/../g", "http://a/../g"),
            ("http://a?b", "g", "http://a/g"),
            ("http://a/b/c?d#e", "", "http://a/b/c?d"),
            ("http://a/b/c?d#e", "#s", "http://a/b/c?d#s"),
            ("news:a.b", "c@d", "news:c@d"),
            ("http://a/b", "<", "path@9"),
        ] {
            assert_eq!(show(profile, base, partial), expected, "{base} {partial}");
        }
    }
}

#[test]
fn url_06_has_no_partial_form() {
    assert_eq!(show(Profile::Url06, "http://a/b", "c"), "partial form@0");
    assert_eq!(show(Profile::Url06, "http:", "c"), "httpurl@5");
}

/// RFC 1808 sections 5.1 and 5.2.
#[test]
fn rfc_1808() {
    let base = "http://a/b/c/d;p?q#f";
    for (partial, expected) in [
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/d;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        ("", "http://a/b/c/d;p?q#f"),
        ("../../../g", "http://a/../g"),
        ("../../../../g", "http://a/../../g"),
        ("/./g", "http://a/./g"),
        ("/../g", "http://a/../g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("http:g", "http:g"),
        ("http:", "http:"),
        ("<", "hsegment@13"),
    ] {
        assert_eq!(show(Profile::Rfc1738, base, partial), expected, "{partial}");
    }
}

/// RFC 3986 sections 5.4.1 and 5.4.2.
#[test]
fn rfc_3986() {
    let base = "http://a/b/c/d;p?q";
    for (partial, expected) in [
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("http:g", "http:g"),
        ("g[", "segment@14"),
    ] {
        assert_eq!(show(Profile::Current, base, partial), expected, "{partial}");
    }
    for (base, partial, expected) in [
        // 5.2.3: an authority and an empty path.
        ("http://a", "g", "http://a/g"),
        ("http://a?x#y", "#z", "http://a?x#z"),
        ("http://a/b?x", "?", "http://a/b?"),
        ("mid:a@b/c@d", "e@f", "mid:a@b/e@f"),
        ("foo:a", "b", "foo:b"),
        // 5.2.4, its second example.
        ("foo:mid/content=5/../x", "6", "foo:mid/6"),
        ("http:", "g", "http-URI@5"),
    ] {
        assert_eq!(
            show(Profile::Current, base, partial),
            expected,
            "{base} {partial}"
        );
    }
}
