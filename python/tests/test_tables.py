"""Recipes of the README: rows in other libraries."""

import gzip
import io
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


def test_to_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "urls.parquet"
    scan().to_parquet(path)
    assert parquet.read_table(path).equals(pa.table(scan()))
    urlgrep.scan((io.BytesIO(MBOX), 0, None, "<bytes>")).to_parquet(f"file://{path}")
    assert parquet.read_table(path).equals(pa.table(urlgrep.scan(MBOX)))
    broken = urlgrep.scan([MBOX, gzip.compress(MBOX)[:-200]], errors="raise", batch_size=200)
    with pytest.raises(urlgrep.ReadError, match="ends too early"):
        broken.to_parquet(path)
    assert not path.exists()
    with pytest.raises(urlgrep.ReadError):
        broken.to_parquet(tmp_path / "folder", partition_by="host")
    with pytest.raises(urlgrep.ReadError):
        broken.to_pandas()


def test_to_polars_has_the_exception_of_its_siblings() -> None:
    pytest.importorskip("polars")
    broken = urlgrep.scan([MBOX, gzip.compress(MBOX)[:-200]], errors="raise", batch_size=200)
    with pytest.raises(urlgrep.ReadError, match="ends too early") as caught:
        broken.to_polars()
    assert caught.value.path == "<bytes>"
    # Other exceptions are those of Polars.
    scan = urlgrep.scan(MBOX)
    with scan, pytest.raises(ValueError, match="closed"):
        scan.__exit__()
        scan.to_polars()


def test_to_parquet_with_folders(tmp_path: Path) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    mail = b"Date: Mon, 5 Jan 1998 00:00:00 +0000\nSubject: x\n\nhttp://a.example/\n"
    for columns in [["url"], None, ["host", "url"]]:
        both = urlgrep.scan([MBOX, io.BytesIO(mail)], columns=columns)
        folder = tmp_path / str(columns)
        both.to_parquet(folder, partition_by=["year", "host"])
        [found] = folder.glob("year=1998/host=a.example/*.parquet")
        rows = dataset.dataset(folder, partitioning="hive").to_table()
        assert rows.num_rows == 201 and "year" in rows.column_names
        if columns == ["url"]:
            assert pa.parquet.read_table(found).to_pylist()[0]["url"] == "http://a.example/"
    with pytest.raises(pa.ArrowInvalid, match="not empty"):
        scan().to_parquet(folder, partition_by="host")
    with pytest.raises(ValueError, match="no column is left"):
        urlgrep.scan(MBOX, columns=["host"]).to_parquet(tmp_path, partition_by="host")
    with pytest.raises(ValueError, match="no such column: x"):
        scan().to_parquet(tmp_path / "x", partition_by="x")


def test_to_pandas_and_to_polars() -> None:
    pytest.importorskip("pandas")
    assert scan().to_pandas().groupby("host").size().to_dict() == HOSTS
    pytest.importorskip("polars")
    assert dict(scan().to_polars().group_by("host").len().iter_rows()) == HOSTS


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
    # Each use of a relation runs it again.
    relation = duckdb.sql("SELECT host, count(*) FROM urls GROUP BY host")
    assert "b.example" in str(relation)
    assert dict(relation.fetchall()) == dict(relation.fetchall()) == HOSTS


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
    rows = (row for batch in scan().batches() for row in pa.record_batch(batch).to_pylist())
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


def test_pandas_takes_the_rows_of_a_scan() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(urlgrep.scan(b"http://a.example/ http://b.example/", columns=["url", "host"]))
    assert frame.to_dict("list") == {
        "url": ["http://a.example/", "http://b.example/"],
        "host": ["a.example", "b.example"],
    }
