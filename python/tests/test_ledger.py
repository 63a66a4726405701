"""Ledgers that the command has made."""

import os
import shutil
import subprocess
import time
from datetime import timedelta
from pathlib import Path

import pytest
import urlgrep
from test_scan import MBOX

pa = pytest.importorskip("pyarrow")
COMMAND = os.environ.get("URLGREP") or shutil.which("urlgrep")


def make(folder: Path, name: str, *files: str) -> Path:
    """A ledger of files. The test is skipped where no command makes one."""
    if COMMAND is None:
        pytest.skip("URLGREP does not name the command")
    done = subprocess.run(
        [COMMAND, "-q", "--ledger", name, *files], cwd=folder, capture_output=True, text=True, check=False
    )
    if "not in this build" in done.stderr:
        pytest.skip("the command has no ledger")
    assert done.returncode == 0, done.stderr
    return folder / name


def test_a_ledger_is_read_and_merged(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(MBOX)
    (tmp_path / "b.txt").write_bytes(b"see http://new.example/\n")
    make(tmp_path, "a.db", "a.mbox")
    make(tmp_path, "b.db", "b.txt")
    both = make(tmp_path, "both.db", "a.mbox", "b.txt")
    merged = urlgrep.ledger(tmp_path / "a.db").merge(tmp_path / "b.db")
    assert (merged.files, merged.older, merged.hits) == (1, 0, 1)
    with urlgrep.ledger(tmp_path / "a.db") as one, urlgrep.ledger(str(both)) as two:
        drop = ["added"]
        assert one.links().drop(drop).equals(two.links().drop(drop))
        table = one.query("SELECT url, date FROM links WHERE url LIKE ? ORDER BY url", ["http:%"])
        assert table.schema.field("date").type == pa.timestamp("us", "UTC")
        assert "http://new.example/" in table.column("url").to_pylist()
        assert one.links(since="2001-01-01").num_rows == one.links().num_rows
        assert one.links(since="2999-01-01").num_rows == 0
        assert next(one.rows("SELECT count(*) AS n FROM links")) == {"n": two.links().num_rows}
        assert repr(one).endswith("a.db>")
    again = urlgrep.ledger(tmp_path / "a.db").merge(urlgrep.ledger(tmp_path / "b.db"))
    assert (again.files, again.older, again.hits) == (0, 1, 0)


def test_what_is_new_since_a_run(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(MBOX)
    make(tmp_path, "a.db", "a.mbox")
    with urlgrep.ledger(tmp_path / "a.db") as one:
        first = max(one.links().column("added").to_pylist())
    # The ledger has the seconds of a time.
    time.sleep(1.1)
    (tmp_path / "b.txt").write_bytes(b"see http://new.example/\n")
    make(tmp_path, "a.db", "a.mbox", "b.txt")
    with urlgrep.ledger(tmp_path / "a.db") as one:
        new = one.links(since=first + timedelta(seconds=1))
        assert new.column("url").to_pylist() == ["http://new.example/"]
        assert one.links(since=first).num_rows == one.links().num_rows
        sql = "SELECT url FROM new_since WHERE added > ?"
        assert one.query(sql, [f"{first:%Y-%m-%dT%H:%M:%SZ}"]).column("url").to_pylist() == ["http://new.example/"]


def test_what_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such ledger"):
        urlgrep.ledger(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "text").write_text("words, and more words")
    with pytest.raises(ValueError, match="not a ledger"):
        urlgrep.ledger(tmp_path / "text")
