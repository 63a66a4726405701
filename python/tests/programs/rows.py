"""Iterates over the rows of files, without another package."""

import tempfile
from pathlib import Path
from typing import Any

import urlgrep

with tempfile.TemporaryDirectory() as name:
    path = Path(name) / "a.txt"
    path.write_text("http://a.example/\n")
    rows: list[dict[str, Any]] = list(urlgrep.scan(path, columns=["url", "line"]))
    assert rows == [{"url": "http://a.example/", "line": 1}]
