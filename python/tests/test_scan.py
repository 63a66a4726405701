"""scan, and the rows that it returns."""

import base64
import codecs
import gzip
import inspect
import io
import json
import mmap
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import urlgrep
from rows import TESTDATA
from urlgrep import _scan, _urlgrep

pa = pytest.importorskip("pyarrow")

ROOT = TESTDATA.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
COMMAND = Path(os.environ.get("URLGREP", TARGET / "debug" / "urlgrep"))
CORPUS = os.environ.get("URLGREP_CORPUS")

MBOX = b"".join(
    b"From a@b Thu Jan  1 00:00:%02d 1970\nSubject: =?iso-8859-1?q?n=FCmber_%d?=\n"
    b"Date: Thu, 1 Jan 1970 00:00:%02d +0000\nMessage-ID: <%d@x>\n\n"
    b"> see <URL:http://www.example.org/\n> %d>\n\nFrom here on\nhttp://b.example/%d%s\n\n"
    % (i % 60, i, i % 60, i, i, i, b"x" * (i % 37))
    for i in range(100)
)


def table(*arguments: Any, **options: Any) -> Any:
    return pa.table(urlgrep.scan(*arguments, **options))


def rows(*arguments: Any, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table(*arguments, **options).to_pylist()
    return found


def urls(*arguments: Any, **options: Any) -> list[str]:
    return [row["url"] for row in rows(*arguments, columns=["url"], **options)]


def of_json(value: Any) -> Any:
    """A value of a row, in its JSON form."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


def of_command(*arguments: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [COMMAND, "--json", "--rejects=both", "--sort", "path", *arguments],
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 2), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def mixed(path: Path) -> None:
    """Writes messages whose URLs, places and header texts occur again in other rows."""
    draw = random.Random(19)
    pick = draw.choice
    with path.open("wb") as mbox:
        for i in range(2000):
            url = b"http://%s.example/%d" % (pick([b"a", b"B", b"c.d"]), draw.randrange(3000))
            again = pick([url, b"http://user@b.example:21/%0d", b"ftp://e.example/"])
            to = pick([b"http://f.example/", again])
            texts = [
                b"%s and <%s>\n" % (url, again),
                b"%s%s %s\n" % (pick([b"> ", b">> ", b""]), url, again),
                b"<URL:http://www.example.org/\n  %d> %s\n" % (i % 9, again),
                b"x%s http://h_st/ %s/\n%d\n" % (url, again, i),
                b"-- \n%s\n" % again,
            ]
            html = b'<a href="%s">%s</a> <a href="%s">x</a>\n' % (to, url, again)
            kind, text = pick([(b"plain", b"".join(draw.sample(texts, 3))), (b"html", html)])
            subject = pick([b"n\xfc", b"m", url])
            mbox.write(b"From a@b Thu Jan  1 00:00:00 1970\nSubject: %s\n" % subject)
            mbox.write(pick([b"", b"Message-ID: <%d@x>\n" % draw.randrange(9)]))
            mbox.write(b"%s: <%s>\n" % (pick([b"List-Help", b"X-Url"]), again))
            mbox.write(b"Content-Type: text/%s\n\n%s\n" % (kind, text))


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
@pytest.mark.parametrize("threads", [1, 3])
def test_rows_equal_those_of_the_command(threads: int, tmp_path: Path) -> None:
    mixed(tmp_path / "mixed.mbox")
    folders = ["mail", "extract", "unpack", "strings"]
    paths = [*(str(TESTDATA / name) for name in folders), str(tmp_path)]
    if CORPUS:
        paths += sorted(map(str, Path(CORPUS).rglob("*.txt")))[:3]
    key = lambda row: (row["path"], row["message_start"] or 0, row["offset"] or 0, row["url"])  # noqa: E731
    want = sorted(of_command(*paths), key=key)
    got = [
        {name: of_json(value) for name, value in row.items()}
        for row in rows(paths, rejects=True, threads=threads)
        if row["type"] != "error"
    ]
    got.sort(key=key)
    assert len(got) > 500
    for ours, theirs in zip(got, want, strict=True):
        assert ours == theirs


JULY = datetime(1996, 7, 1, 2, 0, tzinfo=timezone(timedelta(hours=2)))
FILTERS: list[tuple[dict[str, Any], list[str]]] = [
    ({"since": "1996", "until": date(1996, 7, 1)}, ["--since=1996", "--until=1996-07-01"]),
    ({"since": JULY}, ["--since=1996-07-01T00:00:00Z"]),
    ({"since": JULY.replace(tzinfo=None)}, ["--since=1996-07-01T02:00:00Z"]),
    ({"until": "30 years"}, ["--until=30 years"]),
    ({"host": "f.example"}, ["--host=f.example"]),
    ({"host": ["*.D", "B.example"]}, ["--host=*.D,B.example"]),
    ({"host": "*.d, b.example"}, ["--host=*.d", "--host=b.example"]),
    ({"exclude_host": "example.org"}, ["--exclude-host=example.org"]),
    ({"scheme": "ftp,MAILTO:"}, ["--scheme=ftp,mailto"]),
    ({"exclude_scheme": ["http"]}, ["--exclude-scheme=http"]),
    ({"role": "quoted"}, ["--role=quoted"]),
    ({"role": ["header", "body"]}, ["--role=header,body"]),
    ({"authored": True}, ["--authored"]),
    ({"skip_deleted": True}, ["--skip-deleted"]),
    ({"authored": False, "host": None}, []),
    ({"group": "lists.d"}, ["--group=lists.d"]),
    ({"group": ["*.even.{a,b}", "none"]}, ["--group=*.even.{a,b}"]),
    ({"sender": "^1[0-9]@"}, ["--from=^1[0-9]@"]),
    ({"sender": ["1@", "2@"], "subject": "M"}, ["--from=1@", "--from=2@", "--subject=M"]),
    ({"to": "b", "exclude_from": ["1@", "2@"]}, ["--to=b", "--exclude-from=1@", "--exclude-from=2@"]),
    ({"exclude_to": "b", "exclude_subject": "M"}, ["--exclude-to=b", "--exclude-subject=M"]),
    ({"message_id": "1@x"}, ["--message-id=1@x"]),
    ({"regexp": ["d/1", "e/2"]}, ["-e", "d/1", "-e", "e/2"]),
    ({"regexp": "F.EXAMPLE/", "smart_case": True, "invert_match": True}, ["-e", "F.EXAMPLE/", "-S", "-v"]),
    ({"regexp": ".", "fixed_strings": True, "scheme": "http"}, ["-F", "-e", ".", "--scheme=http"]),
    ({"regexp": "example/1", "word_regexp": True}, ["-w", "-e", "example/1"]),
    ({"regexp": "http://f.example/", "line_regexp": True}, ["-x", "-e", "http://f.example/"]),
    ({"forms": ["wrapped", "bracketed"]}, ["--form=wrapped,bracketed"]),
    ({"forms": ["namespace", "link"]}, ["--form=namespace,link"]),
    ({"headers": "all"}, ["--headers=all"]),
    ({"headers": "none", "hyphen": "drop"}, ["--headers=none", "--hyphen=drop"]),
    ({"join": False, "doubtful": False}, ["--no-join", "--no-doubtful"]),
    ({"www": True}, ["--www"]),
    ({"unwrap": True}, ["--unwrap"]),
    ({"profile": "rfc1738", "as_": "text"}, ["--profile=rfc1738", "--as=text"]),
]


def dated(path: Path) -> None:
    """Writes messages with dates, senders and groups, and a text."""
    with (path / "dated.mbox").open("wb") as mbox:
        for i in range(30):
            date = b"Date: %d Jul 1996 00:00:00 +0200\n" % i if i else b""
            group = b"List-Id: <lists.%s.%s>\n" % (b"even" if i % 2 else b"d", b"ab"[i % 3 : i % 3 + 1])
            mbox.write(b"From a@b Thu Jan  1 00:00:00 1970\nFrom: %d@x.example\n%s%s" % (i, date, group))
            mbox.write(b"To: %s@y.example\n" % b"abc"[i % 3 : i % 3 + 1])
            mbox.write(b"Subject: %s\n\nhttp://f.example/ www.example.org\n" % b"mM"[i % 2 : i % 2 + 1])
            link = b"https://www.google.com/url?q=http%%3A%%2F%%2Fg.example%%2F%d" % i
            mbox.write(b"> <http://f.example/%d> x.D ftp://c.D/1-\n2 %s\n\n" % (i, link))
    (path / "a.txt").write_bytes(b"<URL:mailto:a@b.example> http://B.example/ http://www.example.org/")
    # The name of a vocabulary is found on request only.
    (path / "a.svg").write_bytes(b'<svg xmlns="http://v.example/1"><a href="http://f.example/2">x</a></svg>')


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
def test_options_mean_the_same_as_in_the_command(tmp_path: Path) -> None:
    mixed(tmp_path / "mixed.mbox")
    dated(tmp_path)
    names = "type", "path", "url", "offset", "role", "form"
    counts = set()
    for options, arguments in FILTERS:
        want = [tuple(row[name] for name in names) for row in of_command(*arguments, str(tmp_path))]
        for scan in [urlgrep.scan(tmp_path, rejects=True, threads=2, columns=names, **options)]:
            assert [tuple(row.values()) for row in pa.table(scan).to_pylist()] == want, options
        # Parts of files have filters too.
        jobs = urlgrep.splits(str(tmp_path), split="50k", as_=options.get("as_"))
        parts = [part for job in jobs for part in job]
        found = pa.table(urlgrep.read(parts, rejects=True, columns=names, **options)).to_pylist()
        assert sorted(map(str, found)) == sorted(str(dict(zip(names, row))) for row in want), options
        counts.add(len(want))
    # No option selects everything or nothing.
    assert len(counts) > 20 and 0 not in counts


def test_all_filters_are_options() -> None:
    options = set(inspect.signature(urlgrep.scan).parameters)
    assert {"sender" if name == "from" else name for name in _urlgrep.FILTERS} <= options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"since": "soon"}, "since: `soon` is not a date"),
        ({"since": 1999, "until": 1998}, "since must be earlier than until"),
        ({"sender": "("}, "sender: "),
        ({"host": []}, "host: the list is empty"),
        ({"host": "http://a/b"}, "host http://a/b: a host has no `/`; use host a"),
        ({"exclude_scheme": "1"}, "exclude_scheme 1: this is not a valid scheme"),
        ({"role": "bodies"}, "role bodies: there is no such role"),
        ({"authored": "yes"}, "authored: true or false"),
        ({"authored": True, "role": "quoted"}, "authored leaves out every role of role quoted"),
        ({"threads": -1}, "threads: -1: invalid digit"),
        ({"batch_size": 0}, "batch_size: must be at least 1"),
        ({"as_": "x"}, "no such format: x; there are auto"),
        ({"profile": "x"}, "no such profile"),
        ({"columns": "url,x"}, "no such column: x"),
        ({"forms": ["x"]}, "forms: no form x"),
        ({"errors": "no"}, "errors: no: rows or raise"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        urlgrep.scan(MBOX, **options)
    assert message in str(caught.value)


def test_columns() -> None:
    found = table(MBOX, columns=["url", "from", "date"])
    assert found.column_names == ["url", "from", "date"]
    assert table(MBOX, columns=[]).num_rows == 200
    names = table(MBOX).column_names
    assert names[:3] == ["v", "type", "path"] and "subject_bytes" in names
    some = MBOX[:2000]
    whole = table(some)
    for name in names:
        assert table(some, columns=[name]).column(0) == whole.column(name)
    with pytest.raises(ValueError, match="no such column: x"):
        urlgrep.scan([], columns=["x"])


def test_file_names() -> None:
    names = ["a.txt", "b c.txt", "", "a.txt"]
    mbox = "".join(
        f"From a@b.example Thu Jan  1 00:00:00 1970\nContent-Type: text/plain; name=\"{name}\"\n\n"
        "http://a.example/ http://b.example/\n\n"
        for name in names
    )
    found = table(mbox.encode(), columns=["file_name"]).column(0).to_pylist()
    assert found == [name or None for name in names for _ in range(2)]


def test_types() -> None:
    schema = pa.schema(urlgrep.scan([]))
    assert schema == table(MBOX).schema
    types = {str(field.type) for field in schema}
    assert not any("uint" in ty or "dictionary" in ty or "large" in ty for ty in types)
    assert schema.field("date").type == pa.timestamp("us", "UTC")
    decoded = table(MBOX).column("decoded").chunk(0)
    assert decoded.null_count == 200
    # The fields of the struct are not nullable, so Spark refuses nulls in them.
    assert not any(decoded.field(i).null_count for i in range(4))
    assert schema.field("offset").type == pa.int64()


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.txt")).write_bytes(b"http://a.example/\n")
    [row] = rows(tmp_path)
    assert row["path"].endswith("/\ufffd.txt")
    assert row["path_bytes"] == os.fsencode(tmp_path) + b"/\xff.txt"


def test_batches() -> None:
    want = table(MBOX)
    for size in [1, 7, 200, 201]:
        batches = [pa.record_batch(batch) for batch in urlgrep.scan(MBOX, batch_size=size).batches()]
        assert [batch.num_rows for batch in batches[:-1]] == [size] * (len(batches) - 1)
        assert pa.Table.from_batches(batches) == want
    assert [len(batch) for batch in urlgrep.scan(MBOX, batch_size=150).batches()] == [150, 50]


def test_batches_end_at_8_mib() -> None:
    path = "x" * 4000
    text = "".join(f"http://h{i}.example/{path}\n\n" for i in range(5000)).encode()
    for columns in (None, ["url"], ["components"]):
        batches = urlgrep.scan(text, columns=columns).batches()
        sizes = [pa.record_batch(batch).nbytes for batch in batches]
        assert len(sizes) > 2
        assert all(7.5 * 2**20 <= size <= 9 * 2**20 for size in sizes[:-1]), (columns, sizes)


def test_inputs(tmp_path: Path) -> None:
    text = b"http://a.example/ \xc3\xbc\n"
    path = tmp_path / "a.txt"
    path.write_bytes(text)
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"http://b.example/\n"))
    a, b = "http://a.example/", "http://b.example/"
    assert urls(str(path)) == urls(path) == urls([path]) == urls(text) == urls([text]) == [a]
    assert urls(io.BytesIO(text)) == [a]
    assert urls(tmp_path) == [a, b]
    assert urls([tmp_path, text, io.BytesIO(gzip.compress(text)), path]) == [a, b, a, a, a]
    assert urls(iter([path, path])) == [a, a]
    [row] = rows((text, 0, None, "name"))
    assert (row["path"], row["line"], row["column"], row["offset"]) == ("name", 1, 1, 0)
    with path.open("rb") as file:
        assert rows(file)[0]["path"] == str(path)
    assert urls([]) == []
    for wrong in [1, [1], [(text,)], [(text, 0)], [(text, -1, None)]]:
        with pytest.raises((TypeError, OverflowError)):
            urlgrep.scan(wrong)  # type: ignore[arg-type]


def without_places(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without the values that a part of a file does not have."""
    unknown = {"line": None, "column": None, "message_number": None}
    return [{**row, **unknown} for row in found]


@pytest.mark.parametrize("kind", [bytes, io.BytesIO, Path])
def test_ranges_give_all_rows(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.mbox"
    path.write_bytes(MBOX)
    sources: dict[Any, Callable[[], Any]]
    sources = {bytes: lambda: MBOX, io.BytesIO: lambda: io.BytesIO(MBOX), Path: lambda: path}
    source = sources[kind]
    want = without_places(rows((source(), 0, None, "x")))
    random.seed(7)
    for _ in range(8):
        cuts = sorted({0, *(random.randrange(len(MBOX)) for _ in range(random.randrange(1, 9)))})
        ranges = [(source(), a, b, "x") for a, b in zip(cuts, [*cuts[1:], None], strict=True)]
        if len(ranges) > 1:
            assert without_places(rows(ranges)) == want


class Chunks:
    """A file object that returns the given chunks."""

    def __init__(self, *answers: Any) -> None:
        self.answers = iter(answers)

    def read(self, size: int = -1) -> Any:
        answer = next(self.answers, b"")
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (RuntimeError("gone"), "RuntimeError: gone"),
        (OSError(5, "Input/output error"), "OSError: [Errno 5] Input/output error"),
        (None, "TypeError: read returned NoneType, not bytes"),
        (b"x" * (4 << 20), "more than"),
    ],
)
def test_file_objects_that_fail_are_error_rows(answer: Any, reason: str) -> None:
    good = io.BytesIO(b"http://d.example/\n")
    first = b"http://a.example/ and\n\n", *([b"no URL\n\n" * 100] * 30)
    found = rows([Chunks(*first, answer), good])
    assert [row["type"] for row in found] == ["hit", "error", "hit"]
    assert found[0]["url"] == "http://a.example/" and found[2]["url"] == "http://d.example/"
    assert reason in found[1]["reason"] and found[1]["path"] == "<file>"
    assert [row["type"] for row in rows(Chunks(answer))] == ["error"]


def test_file_objects_are_read_on_the_calling_thread() -> None:
    threads = set()

    class File(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            threads.add(threading.get_ident())
            return super().read(min(size or 0, 1000))

    files = [File(MBOX) for _ in range(5)]
    assert sum(map(len, urlgrep.scan(files, threads=4).batches())) == 5 * 200
    assert threads == {threading.get_ident()}


def test_other_exceptions_are_passed_on() -> None:
    with pytest.raises(KeyboardInterrupt):
        list(urlgrep.scan(Chunks(b"http://a.example/\n", KeyboardInterrupt())))


TEXT_FILES: dict[str, Any] = {
    "open": lambda path: open(path, encoding="utf-8"),
    "StringIO": lambda path: io.StringIO("http://a.example/"),
    "codecs": lambda path: codecs.open(path, encoding="utf-8"),
    "tempfile": lambda path: tempfile.NamedTemporaryFile("w+"),
    "spooled": lambda path: tempfile.SpooledTemporaryFile(mode="w+"),
    "gzip": lambda path: gzip.open(path, "rt"),
}


@pytest.mark.parametrize("kind", TEXT_FILES)
def test_a_file_in_text_mode_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"http://a.example/")
    inputs: list[Any] = [TEXT_FILES[kind](path) for _ in range(3)]
    for given in inputs[0], [path, inputs[1]], (inputs[2], 0, None):
        with pytest.raises(TypeError, match="text mode .* binary mode"):
            urlgrep.scan(given)
    # Only reading tells what an unknown class is. It is no fault of the input.
    scan = urlgrep.scan([path, Chunks("http://c.example/")], errors="rows")
    with pytest.raises(TypeError, match="text mode"):
        list(scan)


def test_files_in_binary_mode_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"http://a.example/")
    with tempfile.TemporaryFile() as temporary, path.open("rb") as file:
        temporary.write(b"http://a.example/")
        temporary.seek(0)
        recoded = codecs.EncodedFile(path.open("rb"), "utf-8", "latin-1")
        raw = path.open("rb", buffering=0)
        found = rows([temporary, file, recoded, raw, io.BytesIO(b"http://a.example/")])
    assert [row["url"] for row in found] == ["http://a.example/"] * 5


def test_faults_are_a_warning(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(MBOX)[:-200])
    with pytest.warns(urlgrep.ReadErrorWarning, match="^an input .*broken.gz: .*too early") as one:
        scan = urlgrep.scan([broken, b"http://a.example/"], columns=["url"])
        assert sum(map(len, scan.batches())) > 50
    assert len(one) == 1 and scan.progress().errors == 1
    with pytest.warns(urlgrep.ReadErrorWarning, match="^2 inputs .*, the first: .*broken.gz: "):
        assert pa.table(urlgrep.scan([broken, b"", broken])).num_rows > 50
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rows([MBOX, tmp_path / "none"], errors="rows")
        scan = urlgrep.scan(MBOX)
        assert list(scan) and scan.progress().errors == 0
        with pytest.raises(urlgrep.ReadErrorWarning):
            list(urlgrep.scan(broken))
        with pytest.raises(urlgrep.ReadError):
            list(urlgrep.scan(broken, errors="raise"))
        list(urlgrep.read(urlgrep.Split(str(tmp_path / "none"), 0, 10)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_scan_is_not_continued_after_a_fork() -> None:
    program = """
import os, signal, sys, warnings
import urlgrep
warnings.simplefilter("ignore")
scan = urlgrep.scan([b"http://a.example/ " * 1000] * 50, batch_size=10).batches()
unread = urlgrep.scan(b"http://a.example/").batches()
next(scan)
child = os.fork()
if child == 0:
    signal.alarm(20)
    try:
        next(scan)
    except RuntimeError as error:
        assert "forked" in str(error), error
        os._exit(7)
    os._exit(1)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert sum(map(len, scan)) > 40000
assert status == 7, status
# A scan that has not begun, and a new one, are not affected. No scan runs while the process
# forks here: of a process with threads a child may only call what is safe in signal handlers,
# and the C library has locks, such as that of thread-local storage, which another thread may
# hold at that moment. With a scan that ran, one child in a hundred stood still.
child = os.fork()
if child == 0:
    signal.alarm(20)
    assert len(next(unread)) == len(next(urlgrep.scan(b"http://b.example/").batches())) == 1
    os._exit(7)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)
    assert done.returncode == 7, done


def test_errors_are_rows(tmp_path: Path) -> None:
    broken = gzip.compress(MBOX)[:-200]
    inputs = [tmp_path / "none", (tmp_path / "none", 5, 10), broken, b"http://a.example/"]
    found = rows(inputs, errors="rows")
    errors = [row for row in found if row["type"] == "error"]
    assert [row["path"] for row in errors] == [str(tmp_path / "none")] * 2 + ["<bytes>"]
    assert errors[0]["reason"] == "No such file or directory"
    assert found[-1]["url"] == "http://a.example/" and len(found) > 50


@pytest.mark.parametrize("errors", [None, "raise"])
def test_missing_paths_are_exceptions_at_once(errors: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"http://a.example/")
    none = tmp_path / "none"
    missing: list[Any]
    missing = [none, str(none), (none, 0, 9), [tmp_path / "a", none], "-", none / "x"]
    for inputs in missing:
        with pytest.raises(FileNotFoundError) as caught:
            urlgrep.scan(inputs, errors=errors)
        assert caught.value.filename and caught.value.errno
    with pytest.raises(NotADirectoryError):
        urlgrep.scan(tmp_path / "a" / "b", errors=errors)


def test_the_first_error_is_an_exception(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(MBOX)[:-200])
    inputs: list[Any] = [b"http://a.example/", path, tmp_path, b"http://b.example/"]
    [error, *_] = [row for row in rows(inputs) if row["type"] == "error"]
    scan = urlgrep.scan(inputs, errors="raise", batch_size=1)
    with pytest.raises(urlgrep.ReadError, match="ends too early at byte") as caught:
        for number, batch in enumerate(scan.batches()):
            assert pa.record_batch(batch)["type"].to_pylist() == ["hit"]
    assert number > 50
    assert isinstance(caught.value, OSError)
    for copy in [caught.value, pickle.loads(pickle.dumps(caught.value))]:
        found = copy.path, copy.offset, copy.reason
        assert found == (str(path), error["offset"], error["reason"])
    with pytest.raises(pa.ArrowInvalid, match="ReadError: .*a.gz"):
        table(inputs, errors="raise")


def test_rejects_and_notes() -> None:
    text = b"http://a.example/ <URL:http://h_st/>\n"
    assert {row["type"] for row in rows(text, rejects=True, profile="rfc1738")} == {"hit", "reject"}
    assert [row["type"] for row in rows(text, profile="rfc1738")] == ["hit"]
    mail = b"Subject: x\nContent-Type: text/plain\nContent-Transfer-Encoding: base64\n\n!!!!\n"
    assert [row["type"] for row in rows(mail, as_="message")] == []
    notes = rows(mail, as_="message", notes=True)
    assert {row["type"] for row in notes} == {"note"} and notes[0]["note"]


def test_a_scan_can_be_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(MBOX)
    several: list[Any]
    several = [MBOX, [tmp_path, (MBOX, 0, 99)], iter([tmp_path])]
    for inputs in several:
        scan = urlgrep.scan(inputs)
        want = pa.table(scan)
        assert want == pa.table(scan) and sum(map(len, scan.batches())) == sum(map(len, scan.batches())) == len(want)
    # Each iterator is a stream of its own.
    one, other = scan.batches(), scan.batches()
    assert [len(next(one)), len(next(other)), list(one)] == [200, 200, []]
    several = [io.BytesIO(MBOX), [tmp_path, (io.BytesIO(MBOX), 1, 2)]]
    for inputs in several:
        scan = urlgrep.scan(inputs)
        assert pa.schema(scan).names[0] == "v" and pa.table(scan).num_rows > 0
        with pytest.raises(ValueError, match="a scan of file objects can be read only once"):
            pa.table(scan)


def test_progress_and_cancel() -> None:
    scan = urlgrep.scan([MBOX] * 3, batch_size=100)
    assert scan.progress() == (0, 0, 0, 0, 0)
    assert sum(map(len, scan.batches())) == 600
    progress = scan.progress()
    assert progress.hits == 600 and progress.files == 3
    scan = urlgrep.scan([MBOX] * 3, batch_size=100)
    batches = scan.batches()
    next(batches)
    scan.cancel()
    with pytest.raises(RuntimeError, match="cancelled"):
        list(batches)
    with pytest.raises(RuntimeError, match="failed before"):
        list(batches)
    with urlgrep.scan([MBOX] * 3, batch_size=1) as scan:
        batches = scan.batches()
        assert len(next(batches)) == 1
    with pytest.raises(ValueError, match="closed"):
        next(batches)
    with pytest.raises(ValueError, match="closed"):
        list(scan)


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_progress_is_shown(has_tqdm: bool, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    if has_tqdm:
        pytest.importorskip("tqdm")
    else:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    (tmp_path / "a.mbox").write_bytes(MBOX * 3)

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            time.sleep(0.2)
            return super().read(min(size or 0, 10_000))

    totals = []
    show = _scan._Bar.__call__

    def shown(self: _scan._Bar, now: urlgrep.Progress, ended: bool) -> None:
        totals.append(self._total)
        show(self, now, ended)

    monkeypatch.setattr(_scan._Bar, "__call__", shown)
    inputs = [Slow(MBOX * 2), tmp_path, (MBOX, 0, None)]
    assert table(inputs, progress=True).num_rows == 1200
    # The sizes are known before the work is done. The size of a file object is not.
    assert totals[0] is None and set(totals[2:]) == {len(MBOX) * 4}
    text = capsys.readouterr().err
    assert "URLs" in text and "1200" in text and text.endswith("\n")
    assert ("100%" in text) if has_tqdm else ("100 %" in text)
    # An exception of the bar is not lost.
    monkeypatch.setattr(_scan._Bar, "__call__", lambda self, now, ended: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(urlgrep.scan(MBOX, progress=True))


def test_two_threads_and_one_scan() -> None:
    # Each thread gets a batch, or the error that the scan is in use.
    scan = urlgrep.scan([MBOX] * 4, batch_size=10).batches()
    rows = []

    def read() -> None:
        while True:
            try:
                rows.append(len(next(scan)))
            except ValueError:
                time.sleep(0.001)
            except StopIteration:
                return

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sum(rows) == 4 * 200


# An interrupt during an import would not test what this is about, so the first read says
# when the scan has begun.
ENDLESS = """
import pyarrow, signal, sys, urlgrep
# A shell lets what it runs in the background ignore interrupts, and so may these tests be run.
signal.signal(signal.SIGINT, signal.default_int_handler)
class Endless:
    has_begun = False
    def read(self, size):
        if not self.has_begun:
            self.has_begun = True
            print("begun", flush=True)
        return b"no URL\\n\\n" * (size // 8)
scan = urlgrep.scan(Endless())
for _ in range(3):
    try:
        %s
    except Exception as error:
        print("continues", repr(error), flush=True)
print("ends")
"""
READS = {
    "builtins": "list(scan)",
    "pyarrow": "pyarrow.table(scan)",
    # Reads on a thread that is not the main one. DuckDB does so now and then.
    "pyarrow.dataset": "pyarrow.dataset.Scanner.from_batches("
    "pyarrow.RecordBatchReader.from_stream(scan)).to_table()",
    "duckdb": "duckdb.sql('SELECT count(*) FROM scan').fetchall()",
    "polars": "polars.DataFrame(scan)",
}


@pytest.mark.parametrize("library", READS)
def test_ctrl_c(library: str) -> None:
    pytest.importorskip(library)
    read = f"import {library}; {READS[library]}"
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS % read],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    try:
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    if library == "duckdb" and re.match("continues .*(Query interrupted|KeyboardInterrupt)", output):
        # DuckDB looks for Ctrl-C too. If it is the first to see it, the query ends with an
        # error of its own, and Python never hears of the interrupt.
        return
    # An exception that a library drops is printed, and the program continues.
    assert process.returncode == -signal.SIGINT, (output, errors)
    assert errors.endswith("KeyboardInterrupt\n") and "ignored" not in errors
    assert "ends" not in output


def test_rows_need_no_other_package() -> None:
    scan = urlgrep.scan(MBOX, rejects=True, notes=True)
    want = pa.table(scan).to_pylist()
    assert list(urlgrep.scan(MBOX, rejects=True, notes=True).rows()) == want
    assert list(scan) == want
    code = "import sys, urlgrep; sys.modules['pyarrow'] = None; print(len(list(urlgrep.scan(sys.argv[1]))))"
    path = str(TESTDATA / "mail" / next(iter(sorted(os.listdir(TESTDATA / "mail")))))
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert int(done.stdout) == pa.table(urlgrep.scan(path)).num_rows


def test_rows_have_the_types_of_python() -> None:
    [row] = list(urlgrep.scan(b"Date: 1 Feb 1996 10:00 +0100\nFrom: a@b.example\n\nsee <URL:http://a.ex\n ample/>\n", as_="message"))
    assert row["date"] == datetime(1996, 2, 1, 9, tzinfo=UTC)
    assert row["seams"] == [{"kind": "line-break", "start": 68, "end": 70, "at": 11, "len": 0}]
    assert row["line"] == 4 and row["continues"] is False


@pytest.mark.parametrize("make", [bytearray, memoryview, lambda text: memoryview(bytearray(text))])
def test_buffers_are_bytes(make: Callable[[bytes], Any]) -> None:
    text = b"see http://a.example/ and http://b.example/\n"
    want = [hit.url for hit in urlgrep.find(text)]
    assert [hit.url for hit in urlgrep.find(make(text))] == want
    assert [row["url"] for row in urlgrep.scan(make(text))] == want
    assert urlgrep.is_divisible(make(text))


def test_an_mmap_is_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"see http://a.example/\n")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        mapped.read(10)
        assert [str(hit) for hit in urlgrep.find(mapped)] == ["http://a.example/"]
        assert [row["url"] for row in urlgrep.scan(mapped)] == ["http://a.example/"]


def test_words_that_help() -> None:
    [hit] = urlgrep.find("see http://A.example:80/x")
    assert (str(hit), hit.host) == ("http://A.example:80/x", "a.example")
    assert urlgrep.find("mailto:a@b.example")[0].host is None
    with pytest.raises(ValueError, match="no such column: ulr; did you mean url"):
        urlgrep.scan(b"", columns=["ulr"])
    with pytest.raises(TypeError, match="expected str, bytes or a buffer, not <class 'NoneType'>"):
        urlgrep.find(None)  # type: ignore[arg-type]
    scan = urlgrep.scan("/etc/hostname", columns=["url", "host"], authored=True)
    assert repr(scan) == "<urlgrep.Scan of /etc/hostname, columns=['url', 'host'], authored=True>"
    [batch] = urlgrep.scan(b"http://a.example/", columns=["url", "host"]).batches()
    assert repr(batch) == "<urlgrep.Batch of 1 rows: url, host>"
