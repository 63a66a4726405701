"""An archive of files, and a local server of the S3 API."""

import gzip
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from test_scan import MBOX


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "a.mbox").write_bytes(MBOX * 10)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.txt").write_bytes(b"see http://c.example/ there\n\n" * 3000)
    (tmp_path / "b" / "d.gz").write_bytes(gzip.compress(MBOX * 10))
    (tmp_path / "b" / "e.eml").write_bytes(b"From: e@x\nSubject: x\n\nhttp://e.example/\n" + b"x\n" * 50_000)
    return tmp_path


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of a server, with the environment that its clients need."""
    pytest.importorskip("moto.server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urlopen(f"http://{address}/").close()
                break
            except OSError:
                time.sleep(0.1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ACCESS_KEY_ID", "key")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
            patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
            yield address
    finally:
        server.terminate()
        server.wait()
