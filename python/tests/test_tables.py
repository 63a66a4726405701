"""Recipes of the README: rows in other libraries."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import urlgrep
from test_scan import COMMAND, MBOX

pa = pytest.importorskip("pyarrow")
HOSTS = {"www.example.org": 100, "b.example": 100}


def scan() -> urlgrep.Scan:
    return urlgrep.scan(MBOX, columns=["host", "date", "url", "segments"])


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    reader = pa.RecordBatchReader.from_stream(scan())
    with parquet.ParquetWriter(tmp_path / "urls.parquet", reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    assert parquet.read_table(tmp_path / "urls.parquet").equals(pa.table(scan()))


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    urls = scan()  # noqa: F841
    found = duckdb.sql("SELECT host, count(*) FROM urls GROUP BY host").fetchall()
    assert dict(found) == HOSTS


def test_duckdb_over_json(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    if not COMMAND.exists():
        pytest.skip("the command is not built")
    (tmp_path / "a.mbox").write_bytes(MBOX)
    lines = subprocess.run(
        [COMMAND, "--json", tmp_path / "a.mbox"], capture_output=True, check=True
    ).stdout
    (tmp_path / "urls.jsonl").write_bytes(lines)
    found = duckdb.sql(
        f"SELECT host, count(*) FROM read_json('{tmp_path}/urls.jsonl') GROUP BY host"
    ).fetchall()
    assert dict(found) == HOSTS


def test_polars() -> None:
    polars = pytest.importorskip("polars")
    found = polars.DataFrame(scan()).group_by("host").len()
    assert dict(found.iter_rows()) == HOSTS


def test_pandas() -> None:
    pytest.importorskip("pandas")
    found = pa.table(scan()).to_pandas().groupby("host").size()
    assert found.to_dict() == HOSTS


def test_sqlite() -> None:
    sqlite_utils = pytest.importorskip("sqlite_utils")
    database = sqlite_utils.Database(memory=True)
    rows = (row for batch in scan() for row in pa.record_batch(batch).to_pylist())
    database["urls"].insert_all(rows)
    found = database.execute("SELECT host, count(*) FROM urls GROUP BY host").fetchall()
    assert dict(found) == HOSTS


def test_hosts_by_year(tmp_path: Path) -> None:
    example = Path(__file__).parents[1] / "examples" / "hosts_by_year.py"
    names: dict[str, Any] = {}
    exec(example.read_text(encoding="utf-8"), names)
    assert names["hosts_by_year"]([MBOX]) == {1970: [("b.example", 100), ("www.example.org", 100)]}
    pytest.importorskip("matplotlib")
    file = tmp_path / "plot.png"
    names["plot"](names["hosts_by_year"]([MBOX]), str(file))
    assert file.read_bytes().startswith(b"\x89PNG")
