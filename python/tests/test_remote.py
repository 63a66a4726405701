"""Files on object storage."""

import gzip
from functools import partial
from typing import Any

import pytest
import urlgrep
from test_scan import MBOX
from urlgrep._files import Files, RemoteFile, parts

pa = pytest.importorskip("pyarrow")
fs = pytest.importorskip("pyarrow.fs")


@pytest.fixture
def bucket(s3: str) -> str:
    """Files in a bucket, and the options of a URL in it."""
    options = f"?endpoint_override={s3}&scheme=http&region=us-east-1&allow_bucket_creation=true"
    files, root = fs.FileSystem.from_uri(f"s3://archive{options}")
    files.create_dir(root)
    for name, data in [("a.mbox", MBOX * 3), ("b/c.gz", gzip.compress(MBOX)), ("b/d.txt", b"")]:
        with files.open_output_stream(f"{root}/lists/{name}") as stream:
            stream.write(data)
    return options


def rows(found: list[Any]) -> list[dict[str, Any]]:
    files = Files()
    inputs = [(RemoteFile(partial(files.open, p)), a or 0, b, files.name(p)) for p, a, b, _ in found]
    table: list[dict[str, Any]] = pa.table(urlgrep.scan(inputs, columns=["path", "url"])).to_pylist()
    return table


def test_a_folder_url_with_options(bucket: str) -> None:
    found = parts(Files(), [f"s3://archive/lists{bucket}"], 10_000, None)
    assert {part.path for part in found} == {
        f"s3://archive/lists/{name}{bucket}" for name in ["a.mbox", "b/c.gz", "b/d.txt"]
    }
    assert sum(part.path.startswith("s3://archive/lists/a.mbox?") for part in found) > 3
    got = rows(found)
    assert [row["path"] for row in got].count("s3://archive/lists/a.mbox") == 600
    assert [row["path"] for row in got].count("s3://archive/lists/b/c.gz") == 200
    assert len(got) == 800


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
