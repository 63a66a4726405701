"""Files by path, pattern and URL: their parts, and object storage."""

import gzip
import io
import random
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import urlgrep
from test_scan import MBOX, rows, urls, without_places
from urlgrep import Split
from urlgrep._files import LARGEST, Files, RemoteFile

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.dataset")
fs = pytest.importorskip("pyarrow.fs")


def read(parts: Any, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pa.table(urlgrep.read(parts, **options)).to_pylist()
    return found


def of(jobs: list[list[urlgrep.Split]]) -> list[urlgrep.Split]:
    """The parts of all jobs."""
    return [part for job in jobs for part in job]


def test_small_files_share_a_job(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number:03}.txt").write_bytes(b"see http://a.example/%d\n" % number + b"x" * 1000)
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    jobs = urlgrep.splits(tmp_path, split="10k")
    # As many as the bytes ask for, and one more for what is left of each.
    assert size // 10240 <= len(jobs) <= size // 9000 + 1
    assert len(of(jobs)) == 100
    urls = [row["url"] for job in jobs for row in urlgrep.read(job, columns=["url"])]
    assert urls == [f"http://a.example/{number}" for number in range(100)]
    assert len(urlgrep.splits(tmp_path)) == 1


def test_splits(archive: Path) -> None:
    (archive / "link").symlink_to(archive / "a.mbox")
    jobs = urlgrep.splits(archive, split="16k")
    found = [part for job in jobs for part in job]
    names = [split.path[len(str(archive)) + 1 :] for split in found]
    number = -(-len(MBOX * 10) // (16 << 10))
    assert names.count("a.mbox") == number and names.count("b/c.txt") == 6
    # A file that is not divisible is one part. A link in a folder is not followed.
    assert names.count("b/d.gz") == names.count("b/e.eml") == 1 and "link" not in names
    parts = [split for split in found if split.path.endswith("a.mbox")]
    assert parts[0].start == 0 and parts[-1].end is None
    assert [part.end for part in parts[:-1]] == [part.start for part in parts[1:]]
    pattern = str(archive / "b" / "*.gz")
    # Nobody knows how long the second is.
    assert urlgrep.splits([pattern, "none"]) == [
        [(str(archive / "b" / "d.gz"), None, None)],
        [("none", None, None)],
    ]
    for wrong in ["", "x", "0", "-1", "1t"]:
        with pytest.raises(ValueError, match="not a number of bytes"):
            urlgrep.splits(str(archive), split=wrong)
    with pytest.raises(ValueError, match="arrow or fsspec"):
        urlgrep.splits(str(archive), filesystem="x")


@pytest.mark.parametrize("size", ["16k", "50000", "1m"])
@pytest.mark.parametrize("filesystem", [None, "arrow", "fsspec"])
def test_parts_give_all_rows(archive: Path, size: str, filesystem: Any) -> None:
    if filesystem == "fsspec":
        pytest.importorskip("fsspec")
    want = without_places(rows(archive))
    parts = of(urlgrep.splits(str(archive), split=size, filesystem=filesystem))
    key = lambda row: (row["path"], row["offset"])  # noqa: E731
    want.sort(key=key)
    random.Random(3).shuffle(parts)
    assert sorted(without_places(read(parts, filesystem=filesystem)), key=key) == want
    each = [row for part in parts for row in read(part, filesystem=filesystem, columns=["url"])]
    assert sorted(row["url"] for row in each) == sorted(row["url"] for row in want)
    if filesystem:
        whole = without_places(rows(str(archive), filesystem=filesystem))
        assert sorted(whole, key=key) == want


@pytest.mark.parametrize("scheme", ["file", "local"])
def test_urls(archive: Path, scheme: str) -> None:
    # pyarrow.fs does not support the scheme local. fsspec does.
    if scheme == "local":
        pytest.importorskip("fsspec")
    url = f"{scheme}://{archive}"
    parts = of(urlgrep.splits(url, split="100k"))
    assert len(parts) == 6 and parts[0].path == f"{url}/a.mbox"
    found = read(parts, columns=["path", "type"])
    assert len(found) == 200 * 10 * 2 + 3000 + 1
    assert {row["path"] for row in found} == {part.path for part in parts}
    assert rows(url, columns=["path", "type"]) == found
    assert rows([f"{url}/b/d.gz", f"{url}/b/e.eml"], columns=["path", "type"]) == found[-2001:]


PATTERNS = [
    ("b/*.gz", ["b/d.gz"]),
    ("*/[!d]*", ["b/c.txt", "b/e.eml"]),
    ("{a,x}.mbox", ["a.mbox"]),
    ("b/{d,c}.{gz,txt}", ["b/c.txt", "b/d.gz"]),
    ("**/*.eml", ["b/e.eml"]),
    ("[b]", ["b/c.txt", "b/d.gz", "b/e.eml"]),
]


@pytest.mark.parametrize(("pattern", "names"), PATTERNS)
@pytest.mark.parametrize("scheme", ["", "file://", "local://", "s3"])
def test_patterns(archive: Path, scheme: str, pattern: str, names: list[str], request: Any) -> None:
    if scheme == "local://":
        pytest.importorskip("fsspec")
    folder, options = f"{scheme}{archive}", ""
    if scheme == "s3":
        options = request.getfixturevalue("bucket")
        folder = "s3://archive/lists"
    want = [f"{folder}/{name}{options}" for name in names]
    assert [split.path for split in of(urlgrep.splits(f"{folder}/{pattern}{options}"))] == want
    found = {row["path"] for row in rows(f"{folder}/{pattern}{options}", columns=["path"])}
    assert found == {f"{folder}/{name}" for name in names}
    nothing = f"{folder}/none*{options}"
    assert urlgrep.splits(nothing) == [[(nothing, None, None)]]
    for missing in [nothing, f"{folder}/none{options}"]:
        with pytest.raises(FileNotFoundError):
            urlgrep.scan(missing)
        [row] = rows(missing, errors="rows")
        assert row["type"] == "error" and row["path"] == missing.removesuffix(options)


def test_a_name_that_looks_like_a_pattern(tmp_path: Path) -> None:
    for name in ["[a].txt", "a.txt"]:
        (tmp_path / name).write_bytes(b"http://a.example/")
    for kind in [None, "arrow"]:
        assert len(rows(str(tmp_path / "[a].txt"), filesystem=kind)) == 1


def test_the_example(archive: Path) -> None:
    names: dict[str, Any] = {"__name__": "example"}
    exec((Path(__file__).parents[1] / "examples" / "hosts_in_parallel.py").read_text(), names)
    with ThreadPoolExecutor() as pool:
        found = names["count"]([str(archive)], pool, "100k")
    assert found == {
        "www.example.org": 2000,
        "b.example": 2000,
        "c.example": 3000,
        "e.example": 1,
    }


class Counting(io.BytesIO):
    """Counts the bytes that are read."""

    reads: list[int]

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.reads.append(len(data))
        return data


def test_a_part_is_read_alone() -> None:
    message = b"From a@b Thu Jan  1 00:00:00 1970\n\nhttp://a.example/\n" + b"text\n" * 2000
    data = message * 3000
    reads: list[int] = []

    def open() -> Any:
        file = Counting(data)
        file.reads = reads
        return file

    step = 8 << 20
    for start in range(0, 3 * step, step):
        reads.clear()
        found = urls((RemoteFile(open), start, start + step))
        assert 800 < len(found) < 900
        assert step < sum(reads) < step + LARGEST + (1 << 20)
        assert len(reads) < 30


def test_a_remote_file_is_opened_by_the_first_read() -> None:
    opened = []

    def open() -> Any:
        opened.append(io.BytesIO(b"0123456789"))
        return opened[-1]

    file = RemoteFile(open)
    file.seek(4)
    assert not opened
    assert file.read(3) == b"456" and file.read(100) == b"789"
    assert file.read(1) == b"" == file.read(1) and opened[0].closed
    file.seek(1)
    assert file.read(2) == b"12" and len(opened) == 2


def test_remote_files_are_read_in_advance(monkeypatch: pytest.MonkeyPatch, archive: Path) -> None:
    # Each file waits until the one after it has been opened.
    names = [f"mem://{number:02}" for number in range(40)]
    opened = {name: threading.Event() for name in names}

    def open(self: Files, path: str, is_whole: bool) -> Any:
        opened[path].set()
        later = names[names.index(path) + 1 :][:1]
        assert all(opened[name].wait(60) for name in later)
        return io.BytesIO(MBOX * 200)

    monkeypatch.setattr(Files, "open", open)
    monkeypatch.setattr(Files, "list", lambda self, path: iter([(path, None)]))
    assert len(urls(names)) == 40 * 200 * 200


@pytest.fixture
def bucket(s3: str, archive: Path) -> str:
    """The archive in a bucket. Returns the options of a URL in it."""
    options = f"?endpoint_override={s3}&scheme=http&region=us-east-1&allow_bucket_creation=true"
    files, root = fs.FileSystem.from_uri(f"s3://archive{options}")
    files.create_dir(root)
    fs.copy_files(str(archive), f"{root}/lists", destination_filesystem=files)
    return options


def test_object_storage(bucket: str, archive: Path) -> None:
    url = f"s3://archive/lists{bucket}"
    want = [{**row, "path": "s3://archive/lists" + row["path"][len(str(archive)) :]} for row in rows(archive)]
    assert rows(url) == want
    parts = of(urlgrep.splits(url, split="100k"))
    assert len(parts) == 6 and parts[0].path == f"s3://archive/lists/a.mbox{bucket}"
    assert without_places(read(parts)) == without_places(want)
    whole = Split(f"s3://archive/lists/a.mbox{bucket}", None, None)
    assert len(rows(whole)) == len(rows([tuple(whole)])) == 2000
    [row] = rows((f"s3://archive/lists/b/c.txt{bucket}", 0, 10, "name"))
    assert row["path"] == "name" and row["url"] == "http://c.example/"
    with pytest.raises(OSError, match="none"):
        urlgrep.scan(f"s3://none/x{bucket}")


def test_object_storage_with_fsspec(bucket: str, s3: str, archive: Path, monkeypatch: Any) -> None:
    pytest.importorskip("s3fs")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{s3}")
    found = urls("s3://archive/lists/b/*.gz", filesystem="fsspec")
    assert found == urls(archive / "b" / "d.gz")


def test_the_job_of_the_documentation(bucket: str, archive: Path, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "scale.md"
    [code] = re.findall("```python\n(import urlgrep\n.*?)```", page.read_text(), re.DOTALL)
    code = code.replace('"s3://archive/lists"', f'"s3://archive/lists{bucket}"')
    code = code.replace(".parquet\"", f".parquet{bucket}\"").replace("256m", "100k")
    # Functions of a module that has no file cannot be sent to processes.
    code = code.replace("ProcessPool", "ThreadPool").replace("__main__", "job")
    output = io.StringIO()
    with redirect_stdout(output):
        exec(code, {"__name__": "job"})
    assert output.getvalue() == "7001 links\n"
    files, root = fs.FileSystem.from_uri(f"s3://archive{bucket}")
    table = pa.dataset.dataset(f"{root}/links", filesystem=files).to_table()
    assert table.num_rows == 7001 and len(set(table["path"].to_pylist())) == 4
    assert "s3://archive/lists/b/c.txt" in table["path"].to_pylist()


class Ranges(SimpleHTTPRequestHandler):
    """A web server that ignores ranges."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def web(archive: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Ranges, directory=str(archive))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_web(web: str, archive: Path) -> None:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    found = rows(f"{web}/a.mbox", columns=["path", "url"])
    assert found == [{"path": f"{web}/a.mbox", "url": url} for url in urls(archive / "a.mbox")]
    assert urls(f"{web}/b/d.gz") == urls(archive / "b" / "d.gz")
    with pytest.raises(FileNotFoundError):
        urlgrep.scan(f"{web}/none")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("s3://a:b%2F@bucket/x?region=c", "s3://bucket/x"),
        ("s3://bucket?region=c", "s3://bucket"),
        ("https://ann:b@host/x?id=1", "https://host/x?id=1"),
        ("sftp://ann@host/x@y:z", "sftp://ann@host/x@y:z"),
        ("/a:b@c?d", "/a:b@c?d"),
    ],
)
def test_names_have_neither_passwords_nor_options(url: str, name: str) -> None:
    assert Files().name(url) == name
