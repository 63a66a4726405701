"""validate, canonical and resolve."""

import pickle
from typing import Any, get_args

import pytest
import urlgrep
from rows import rows, unescape
from urlgrep import InvalidUrl, canonical, resolve, validate

GRAMMAR = [row for row in rows("grammar/*.toml") if "verdict" in row]
CANONICAL = rows("grammar/canonical.toml")
RESOLVE = rows("grammar/resolve.toml")


def test_verdicts() -> None:
    for row in GRAMMAR:
        url = unescape(row["url"])
        for profile, verdict in row["verdict"].items():
            try:
                answer = "ok" if validate(url, profile).profile == profile else ""
            except InvalidUrl as error:
                answer = f"{error.rule}@{error.offset}"
                assert error.profile == profile
                assert str(error).startswith(f"{profile} {error.rule}, byte {error.offset}: ")
            assert answer == verdict, (url, profile)
        for profile, parts in row.get("parts", {}).items():
            components = validate(url, profile).components
            for name, value in parts.items():
                want = None if value == "-absent-" else unescape(value).decode()
                assert components.get(name) == want, (url, profile)
        for profile, cautions in row.get("cautions", {}).items():
            assert sorted(validate(url, profile).cautions) == sorted(cautions), url


def test_canonical_forms() -> None:
    for row in CANONICAL:
        want = unescape(row["canonical"]).decode()
        assert canonical(unescape(row["url"]), row["profile"]) == want
        assert validate(unescape(row["url"]), row["profile"]).canonical == want


def test_profiles_are_those_of_the_library() -> None:
    assert {profile for row in GRAMMAR for profile in row["verdict"]} | {"iri", "whatwg"} == set(
        get_args(urlgrep.Profile)
    )


def test_the_parts_of_a_url() -> None:
    url = validate("HTTP://user:pass@WWW.Example.org:8080/a/b?q=1#top", "current")
    assert (url.scheme, url.host, url.port) == ("http", "www.example.org", 8080)
    assert (url.user, url.password) == ("user", "pass")
    assert (url.path, url.query, url.fragment) == ("/a/b", "q=1", "top")
    assert url.cautions == ("password",)
    assert str(url) == url.url
    assert repr(url) == f"Url('{url}', profile='current')"
    mail = validate("mailto:ann@example.org")
    assert (mail.host, mail.port, mail.user, mail.query) == (None,) * 4


def test_urls_are_values() -> None:
    url = validate("http://a.example/")
    assert url == validate(b"http://a.example/") and url != validate("http://b.example/")
    assert url != validate("http://a.example/", "rfc1738") and url != "http://a.example/"
    assert len({url, validate("http://a.example/")}) == 1
    assert pickle.loads(pickle.dumps(url)) == url


def test_offsets_of_errors_count_characters() -> None:
    text = "http://a.example/ü b"
    cases: list[tuple[str | bytes, int]] = [(text, 18), (text.encode(), 19)]
    for url, offset in cases:
        with pytest.raises(InvalidUrl) as caught:
            validate(url, "iri")
        assert caught.value.offset == offset
    with pytest.raises(ValueError):
        validate("http://a.example/\udc80")


def test_errors_are_pickled() -> None:
    with pytest.raises(InvalidUrl) as caught:
        canonical("no url")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.rule, copy.offset) == (
        str(caught.value),
        caught.value.rule,
        caught.value.offset,
    )


@pytest.mark.parametrize("row", RESOLVE, ids=lambda row: row["base"] + " " + row["partial"])
def test_partial_forms(row: dict[str, Any]) -> None:
    base, partial, profile = unescape(row["base"]), unescape(row["partial"]), row["profile"]
    want = row.get("result", row.get("url"))
    if want is None:
        with pytest.raises(InvalidUrl):
            resolve(base, partial, profile)
    else:
        assert resolve(base, partial, profile) == unescape(want).decode()
