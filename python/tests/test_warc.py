"""Web archives that warcio makes: the rows are those of what warcio reads."""

import gzip
import io
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import urlgrep

writer = pytest.importorskip("warcio.warcwriter")
headers = pytest.importorskip("warcio.statusandheaders").StatusAndHeaders
iterator = pytest.importorskip("warcio.archiveiterator").ArchiveIterator

PAGE = (
    '<!doctype html><title>t</title><p>http://text{0}.example/\xe9 '
    '<a href="http://link{0}.example/?a=1&amp;b=2">x</a><img src="http://image{0}.example/">\n'
)
ENDINGS = {"text/html": "html", "text/plain": "txt", "application/json": "json"}


def chunked(body: bytes, size: int) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


Coding = tuple[list[tuple[str, str]], Callable[[bytes], bytes]]
CODINGS: list[Coding] = [
    ([], lambda body: body),
    ([("Content-Encoding", "gzip")], gzip.compress),
    ([("Content-Encoding", "deflate")], zlib.compress),
    ([("Content-Encoding", "deflate")], deflate),
    ([("Transfer-Encoding", "chunked")], lambda body: chunked(body, 37)),
    (
        [("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")],
        lambda body: chunked(gzip.compress(body), 11),
    ),
]


def pages(to: Any) -> None:
    """Responses in every coding, with their requests and a revisit."""
    to.write_record(to.create_warcinfo_record("a.warc", {"isPartOf": "http://info.example/"}))
    for i in range(60):
        fields, code = CODINGS[i % len(CODINGS)]
        page = PAGE.format(i).encode("utf-8" if i % 2 else "iso-8859-1")
        charset = "utf-8" if i % 2 else "iso-8859-1"
        kind = ("Content-Type", f"text/html; charset={charset}")
        url = f"http://site.example/{i}"
        http = headers("200 OK", [kind, ("Location", "http://no.example/"), *fields], protocol="HTTP/1.1")
        to.write_record(
            to.create_warc_record(url, "response", payload=io.BytesIO(code(page)), http_headers=http)
        )
        http = headers("GET / HTTP/1.1", [("Referer", "http://no.example/")], is_http_request=True)
        to.write_record(to.create_warc_record(url, "request", http_headers=http))
    to.write_record(to.create_revisit_record(url, "sha1:A", url, "2024-01-02T03:04:05Z"))


def texts(to: Any) -> None:
    """The records of a WET file."""
    for i in range(40):
        text = f"T\xeftle\nsee http://text{i}.example/ and http://every.example/.\n"
        to.write_record(
            to.create_warc_record(
                f"http://site.example/{i}",
                "conversion",
                payload=io.BytesIO(text.encode()),
                warc_content_type="text/plain",
            )
        )


def metadata(to: Any) -> None:
    """The records of a WAT file."""
    for i in range(40):
        links = b'{"Envelope":{"Links":[{"url":"http:\\/\\/json%d.example\\/"},{"text":"x"}]}}' % i
        to.write_record(
            to.create_warc_record(
                f"http://site.example/{i}",
                "metadata",
                payload=io.BytesIO(links),
                warc_content_type="application/json",
            )
        )


@pytest.mark.parametrize("make", [pages, texts, metadata])
@pytest.mark.parametrize("is_packed", [False, True])
def test_the_rows_are_those_of_warcio(make: Any, is_packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("a.warc.gz" if is_packed else "a.warc")
    with path.open("wb") as file:
        make(writer.WARCWriter(file, gzip=is_packed))
    expected = []
    with path.open("rb") as file:
        for record in iterator(file):
            if record.rec_type not in ("response", "conversion", "metadata"):
                continue
            fields = record.http_headers or record.rec_headers
            kind = fields.get_header("Content-Type").split(";")
            body = record.content_stream().read()
            if "iso-8859-1" in kind[-1]:
                body = body.decode("iso-8859-1").encode()
            one = tmp_path / f"body.{ENDINGS[kind[0]]}"
            one.write_bytes(body)
            of = record.rec_headers.get_header
            expected += [
                (of("WARC-Target-URI"), of("WARC-Date"), row["url"])
                for row in urlgrep.scan(one, columns=["url"])
            ]
    assert len(expected) > 30
    for threads in (1, 3):
        scan = urlgrep.scan(path, columns=["record_url", "date", "url"], threads=threads)
        found = [
            (row["record_url"], f"{row['date']:%Y-%m-%dT%H:%M:%SZ}", row["url"]) for row in scan
        ]
        assert found == expected
