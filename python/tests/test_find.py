"""find, and the hits that it returns."""

import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, get_args

import pytest
import urlgrep
from rows import rows, unescape, unmark
from urlgrep import Form, Hit, find, message

# Options that find does not have.
OPTIONS = {"hyphen", "join_bare", "no_join", "no_doubtful", "max_url", "terminal", "refang"}
EXTRACT = [
    row
    for row in rows("extract/*.toml")
    if not OPTIONS & row.keys() and "suffix" in row.get("forms", ["suffix"])
]


def ids(row: dict[str, Any]) -> str:
    return str(row["name"])


@pytest.mark.parametrize("row", EXTRACT, ids=ids)
def test_rows(row: dict[str, Any]) -> None:
    text, spans = unmark(row["text"])
    expected = row.get("hit", [])
    accepted = [hit.get("verdict", "ok") == "ok" for hit in expected]
    expected = [hit for hit, ok in zip(expected, accepted, strict=True) if ok]
    spans = [span for span, ok in zip(spans, accepted, strict=True) if ok]
    forms = row.get("forms", get_args(Form))

    def search(text: str | bytes) -> list[Hit]:
        hits = find(text, profile=row.get("profile"), www="forms" in row)
        return [hit for hit in hits if hit.form in forms]

    hits = search(text)
    assert [hit.url for hit in hits] == [unescape(hit["url"]).decode() for hit in expected]
    assert [hit.form for hit in hits] == [hit["form"] for hit in expected]
    assert [hit.span for hit in hits] == spans
    for hit, want in zip(hits, expected, strict=True):
        assert hit.doubt == tuple(want["doubt"].split(",") if "doubt" in want else ())
        assert hit.continues == want.get("continues", False)
        if "alternates" in want:
            alternates = [unescape(other).decode() for other in want["alternates"]]
            assert [":".join(other) for other in hit.alternates] == alternates

    # A str has the same hits. It has surrogates for bytes that are not UTF-8, as
    # in a text of the email package.
    string = text.decode("utf-8", "surrogateescape")
    in_string = search(string)
    assert [hit.url for hit in in_string] == [hit.url for hit in hits]

    def as_bytes(span: tuple[int, int]) -> tuple[int, int]:
        start, end = (len(string[:at].encode("utf-8", "surrogateescape")) for at in span)
        return start, end

    for ours, theirs in zip(in_string, hits, strict=True):
        assert as_bytes(ours.span) == theirs.span
        assert tuple(map(as_bytes, ours.segments)) == theirs.segments
        assert [seam[3:] for seam in ours.seams] == [seam[3:] for seam in theirs.seams]
        assert [as_bytes((seam.start, seam.end)) for seam in ours.seams] == [
            (seam.start, seam.end) for seam in theirs.seams
        ]


def test_characters_and_bytes() -> None:
    text = "Grüße: http://a.example/ und “http://b.example/”"
    assert [text[slice(*hit.span)] for hit in find(text)] == [
        "http://a.example/",
        "http://b.example/",
    ]
    data = text.encode()
    assert [data[slice(*hit.span)] for hit in find(data)] == [
        b"http://a.example/",
        b"http://b.example/",
    ]


def test_offsets_in_a_long_text() -> None:
    line = "ü€𝄞 http://a.example/x "
    text = line * 1000
    hits = find(text)
    assert [hit.span[0] for hit in hits] == [4 + len(line) * i for i in range(1000)]
    assert {text[slice(*hit.span)] for hit in hits} == {"http://a.example/x"}


def test_positions_in_an_iri_count_characters() -> None:
    text = "<URL:http://a.example/äö/\n b/ü\n c>"
    [hit] = find(text, profile="iri")
    assert hit.url == "http://a.example/äö/b/üc"
    joined = "".join(text[slice(*segment)] for segment in hit.segments)
    assert joined == hit.url
    assert [hit.url[seam.at :] for seam in hit.seams] == ["b/üc", "c"]
    assert [seam.len for seam in hit.seams] == [0, 0]


def test_a_hit() -> None:
    text = "see <URL:http://Example.org:80/iso-\n  paper.html>"
    [hit] = find(text)
    assert repr(hit) == (
        "Hit(url='http://Example.org:80/iso-paper.html', span=(9, 48), form='wrapped')"
    )
    assert hit.canonical == "http://example.org/iso-paper.html"
    assert hit.components == {
        "scheme": "http",
        "host": "Example.org",
        "port": "80",
        "path": "/iso-paper.html",
    }
    assert list(hit.components) == ["scheme", "host", "port", "path"]
    assert hit.alternates == (
        urlgrep.Alternate("hyphen", "http://Example.org:80/isopaper.html"),
    )
    assert hit.segments == ((9, 35), (38, 48))
    assert hit.seams == (("line-break", 35, 38, 26, 0),)
    assert (hit.line, hit.role, hit.part, hit.header, hit.depth) == (1, None, None, None, None)
    assert not hit.decoded


def test_hits_are_values() -> None:
    text = "<URL:http://a.example/\n b> http://b.example/"
    first, second = find(text)
    assert find(text) == [first, second]
    assert first != second
    assert find("x" + text)[0] != first
    assert first != first.url
    assert len({first, second, *find(text)}) == 2
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(first, protocol))
        assert copy == first and hash(copy) == hash(first)
        assert (copy.seams, copy.components) == (first.seams, first.components)
    with pytest.raises(AttributeError):
        first.url = "x"  # type: ignore[misc]


def test_a_pickle_cannot_make_an_invalid_hit() -> None:
    restore, (state,) = find("http://a.example/")[0].__reduce__()
    with pytest.raises(urlgrep.InvalidUrl):
        restore({**state, "url": "http://h st/"})


def test_profiles() -> None:
    assert find("http://a_b.example/", profile="rfc1738") == []
    assert find("http://a_b.example/", profile="current")[0].profile == "current"
    with pytest.raises(ValueError, match="no such profile"):
        find("", profile="rfc9999")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, 1, ["http://a.example/"]])
def test_wrong_types_of_text(text: Any) -> None:
    with pytest.raises(TypeError):
        find(text)


def test_empty_and_surrogates() -> None:
    assert find("") == find(b"") == find(bytearray()) == []
    assert [hit.span for hit in find("\udc80 http://a.example/ \ud800")] == [(2, 19)]


def test_other_threads_run() -> None:
    text = b"no URL: " * 8_000_000
    searching = threading.Event()
    ended = threading.Event()
    seen = 0

    def watch() -> None:
        nonlocal seen
        searching.wait()
        while not ended.is_set():
            seen += 1
            time.sleep(0.001)

    watcher = threading.Thread(target=watch)
    watcher.start()
    # If the interpreter lock were held, the watcher would wait for the search.
    sys.setswitchinterval(1000)
    searching.set()
    found = find(text)
    during = seen
    sys.setswitchinterval(0.005)
    ended.set()
    watcher.join()
    assert found == [] and during > 0


# The text has many URLs, none, or one after another in a message.
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer")
@pytest.mark.parametrize("text", ["http://a.example/ ", "no URL here, but : and / ", "<a href=x:y>"])
@pytest.mark.parametrize(("search", "kind"), [(find, str), (find, bytes), (message, bytes)])
def test_ctrl_c_ends_a_search(text: str, search: Callable[[Any], Any], kind: type) -> None:
    long: Any = text * (40_000_000 // len(text))
    long = long.encode() if kind is bytes else long

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    begun = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        search(long)
    except KeyboardInterrupt:
        # A build for tests on a busy machine takes longer than the 0.05 s between two looks for
        # signals. The whole search would take minutes there.
        assert time.monotonic() - begun < 10
    else:
        # A machine that is as fast as that needs no interrupt.
        assert time.monotonic() - begun < 0.3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
