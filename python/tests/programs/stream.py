"""Searches an open file, and reports what could not be read."""

import io
from datetime import UTC, datetime

import urlgrep
from urlgrep import Progress, Scan

scan: Scan = urlgrep.scan(
    io.BytesIO(b"see http://a.example/"), columns="url", since=datetime(2020, 1, 1, tzinfo=UTC)
)
for _row in scan:
    pass
progress: Progress = scan.progress()
assert progress.errors == 0
