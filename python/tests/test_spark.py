"""The rows of scan in Apache Spark. The first tests do not need Java."""

import gzip
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import urlgrep
from rows import TESTDATA
from test_scan import COMMAND, CORPUS, MBOX, without_places

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.fs")
pytest.importorskip("pyspark")

from pyspark.sql import DataFrame, SparkSession, datasource  # noqa: E402
from pyspark.sql.types import StructType  # noqa: E402
from urlgrep import spark as source  # noqa: E402
from urlgrep._files import Files  # noqa: E402


def table(rows: list[tuple[Any, ...]], names: list[str]) -> Any:
    return pa.RecordBatch.from_pylist([dict(zip(names, row, strict=True)) for row in rows])


def scanned(rows: list[Any], **options: Any) -> list[dict[str, Any]]:
    batches = [table(rows, ["path", "start", "end"])]
    found = source.scanner(**options)(batches)
    return [row for batch in found for row in batch.to_pylist()]


def test_content() -> None:
    batch = table([(MBOX, "a"), (None, None)], ["content", "name"])
    found = list(source.scanner(columns=["path"])([batch]))
    assert [row for batch in found for row in batch.to_pylist()] == [{"path": "a"}] * 200
    batch = table([("b", MBOX)], ["path", "content"])
    assert sum(map(len, source.scanner()([batch]))) == 200


def reader(paths: list[str], columns: list[str], **options: str) -> Any:
    given = {"paths": json.dumps(paths), "split": "16k", **options}
    return source.UrlgrepDataSource(given).reader(source.schema(columns))


def test_small_files_share_a_task(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number}.txt").write_bytes(b"http://a.example/\n" * 100)
    tasks = reader([str(tmp_path)], ["url"], split="1m").partitions()
    assert len(tasks) == 7
    assert sum(len(task.parts) for task in tasks) == 100
    few = reader([str(tmp_path)], ["url"], split="1m", maxFilesPerTask="9").partitions()
    assert [len(task.parts) for task in few] == [9] * 11 + [1]
    found = (batch for task in tasks for batch in reader(["x"], ["url"]).read(task))
    assert sum(map(len, found)) == 10_000


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Spark 4.0 has no filters for sources in Python.
HAS_FILTERS = hasattr(datasource, "EqualTo")
needs_filters = pytest.mark.skipif(not HAS_FILTERS, reason="Spark 4.0 has no filters")
PUSHED: list[tuple[Any, int]] = []
if HAS_FILTERS:
    PUSHED = [
        (datasource.EqualTo(("host",), "b.example"), 1000),
        (datasource.Not(datasource.EqualTo(("host",), "b.example")), 1000),
        (datasource.In(("host",), ("b.example", "x")), 1000),
        (datasource.Not(datasource.In(("rule",), ("x",))), 0),
        (datasource.EqualTo(("rule",), "x"), 0),
        (datasource.IsNull(("rule",)), 2000),
        (datasource.Not(datasource.IsNull(("rule",))), 0),
        (datasource.IsNotNull(("rule",)), 0),
        (datasource.StringStartsWith(("host",), "b."), 1000),
        (datasource.StringEndsWith(("host",), ".org"), 1000),
        (datasource.StringContains(("host",), "example"), 2000),
        (datasource.EqualTo(("message_start",), MBOX.index(b"Subject")), 2),
        (datasource.LessThan(("message_start",), MBOX.index(b"Subject") + 1), 2),
        (datasource.Not(datasource.GreaterThanOrEqual(("message_start",), 1000)), 10),
        (datasource.GreaterThan(("host",), "c"), 1000),
        (datasource.LessThanOrEqual(("host",), "b.example"), 1000),
        (datasource.GreaterThan(("date",), EPOCH + timedelta(seconds=58)), 20),
        (datasource.GreaterThan(("date",), EPOCH + timedelta(seconds=58.5)), 20),
        (datasource.GreaterThanOrEqual(("date",), EPOCH + timedelta(seconds=58)), 40),
        (datasource.LessThan(("date",), EPOCH + timedelta(seconds=1)), 40),
        (datasource.LessThanOrEqual(("date",), EPOCH + timedelta(seconds=1)), 80),
        (datasource.EqualTo(("scheme",), "http"), 2000),
        (datasource.In(("scheme",), ("ftp", "mailto")), 0),
        (datasource.In(("role",), ("quoted", "x")), 1000),
        (datasource.EqualTo(("role",), "quoted"), 1000),
        (datasource.EqualTo(("path",), "none"), 0),
    ]


@pytest.mark.parametrize(("filter", "number"), PUSHED)
def test_filters(archive: Path, filter: Any, number: int) -> None:
    columns = ["host", "rule", "message_start", "path", "date", "scheme", "role"]
    pushing = reader([str(archive / "a.mbox")], columns, pushdown="true")
    assert list(pushing.pushFilters([filter])) == []
    assert sum(len(b) for task in pushing.partitions() for b in pushing.read(task)) == number


@needs_filters
def test_filters_that_scan_has(archive: Path) -> None:
    def narrowed(*filters: Any, **options: str) -> dict[str, Any]:
        pushing = reader([str(archive)], ["host", "date"], pushdown="true", **options)
        list(pushing.pushFilters(list(filters)))
        del pushing.options.scan["errors"]
        found: dict[str, Any] = pushing.options.scan
        return found

    host = datasource.EqualTo(("host",), "a.example")
    assert narrowed(host) == {"host": ["a.example"]}
    # The option is not replaced, and a name that scan would read as a pattern is not used.
    assert narrowed(host, host, host="b.example") == {"host": "b.example"}
    assert narrowed(datasource.EqualTo(("host",), "*")) == {}
    assert narrowed(datasource.Not(host), datasource.In(("host",), ())) == {}
    late = datasource.GreaterThan(("date",), EPOCH + timedelta(seconds=0.5))
    assert narrowed(late) == {"since": EPOCH}


@needs_filters
def test_filters_that_are_left_to_spark() -> None:
    pushing = reader(["x"], ["host", "date", "offset"], pushdown="true")
    left = [
        datasource.EqualTo(("a", "b"), "x"),
        datasource.GreaterThan(("date",), datetime(1970, 1, 1)),
        datasource.EqualTo(("date",), 1.5),
        datasource.In(("date",), (None,)),
    ]
    assert list(pushing.pushFilters(left)) == left
    assert not hasattr(reader(["x"], ["host"]), "only")


@needs_filters
def test_a_filter_of_paths_skips_files(archive: Path) -> None:
    for path, number in [("b/c.txt", 6), ("b/d.gz!x", 1), ("none", 0)]:
        filter: Any = datasource.In(("path",), (str(archive / path),))
        pushing = reader([str(archive)], ["path"], pushdown="true")
        list(pushing.pushFilters([filter]))
        assert sum(len(task.parts) for task in pushing.partitions()) == number


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nosuch": "1"}, "no such option: nosuch"),
        ({"pushdown": "maybe"}, "neither true nor false"),
        ({"split": "x"}, "not a number of bytes"),
        ({"filesystem": "x"}, "arrow or fsspec"),
        ({"profile": "x"}, "no such profile"),
        ({"since": "soon"}, "since: `soon` is not a date"),
        ({"columns": "url,x"}, "no such column: x"),
        ({"threads": "2"}, "no such option: threads"),
        ({"errors": "raise"}, "errors is rows or fail"),
    ],
)
def test_wrong_options(options: dict[str, str], message: str) -> None:
    given = {"paths": '["x"]', **options}
    with pytest.raises(ValueError, match=message):
        source.UrlgrepDataSource(given).reader(source.schema(given.get("columns")))


def test_wrong_columns() -> None:
    given = source.UrlgrepDataSource({"path": "x"})
    with pytest.raises(ValueError, match="no such column: x"):
        given.reader(StructType().add("x", "string"))
    with pytest.raises(ValueError, match="the type of offset is bigint, not int"):
        given.reader(StructType().add("offset", "integer"))
    with pytest.raises(ValueError, match="no path"):
        source.UrlgrepDataSource({}).reader(source.schema())


def test_an_unsupported_url_is_an_error_row() -> None:
    [row] = scanned([("nosuch://x/y", None, None)])
    assert row["type"] == "error" and row["path"] == "nosuch://x/y" and "nosuch" in row["reason"]
    assert Files().is_divisible("nosuch://x/y", None) is False


# The following tests need Java.


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    if not shutil.which("java"):
        pytest.skip("Java is not installed")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    # A task that fails is tried once more.
    session = builder.master("local[2, 2]").getOrCreate()
    source.register(session)
    yield session
    session.stop()


def load(spark: SparkSession, paths: list[str], columns: list[str] | None, **options: Any) -> Any:
    reader = spark.read.format("urlgrep").options(**options)
    if columns:
        reader = reader.schema(source.schema(columns))
    return reader.load(paths)


def test_a_job_continues_after_faulty_inputs(spark: SparkSession, tmp_path: Path) -> None:
    if not Path("/proc/self/mem").exists():
        pytest.skip("no file that fails with EIO")
    for number in range(195):
        (tmp_path / f"{number}.txt").write_bytes(b"http://a.example/%d\n" % number)
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(os.urandom(1000) + b"\n\nhttp://b.example/\n")[:-50])
    faulty = [str(tmp_path / "none"), "/proc/self/mem", str(broken), "lie:none", "lie:more"]
    paths = [str(tmp_path / f"{number}.txt") for number in range(195)] + faulty
    assert len(paths) == 200

    # A class that is defined here is sent to the workers by value.
    def lie(path: str) -> object:
        class Lying:
            def read(self, size: int) -> object:
                return None if path == "lie:none" else b"http://c.example/ " * size

        return Lying() if path.startswith("lie:") else open(path, "rb")

    columns = ["type", "path", "reason"]
    parts = [(path, None, None) for path in paths]
    table = spark.createDataFrame(parts, "path string, start long, end long")
    found = table.mapInArrow(source.scanner(columns=columns, open=lie), source.schema(columns))
    by_function = {(row.type, row.path): row.reason for row in found.collect()}
    by_source = {
        (row.type, row.path): row.reason for row in load(spark, paths, columns).collect()
    }
    for rows in [by_function, by_source]:
        assert [path for kind, path in rows if kind == "hit"] == paths[:195]
        assert {path for kind, path in rows if kind == "error"} == set(faulty)
        assert "No such file" in rows["error", faulty[0]]
        assert "Input/output error" in rows["error", faulty[1]]
    assert "too many bytes" in by_function["error", "lie:more"]
    with pytest.raises(Exception, match="ReadError: .*broken.gz: gzip data: .*ends too early"):
        load(spark, [str(broken)], columns, errors="fail").collect()


def an_archive(folder: Path) -> list[str]:
    """Files. One of them is divided at 1 MiB and at 8 MiB."""
    random.seed(19)
    noise = b"\n".join(b"%x" % random.getrandbits(280) for _ in range(1000)) + b"\n\n"
    mbox = b""
    while len(mbox) < 9 << 20:
        mbox += MBOX + noise * random.randrange(1, 9)
    (folder / "a.mbox").write_bytes(mbox)
    text = (b"http://c.example/%d and\n\n" % i + noise for i in range(20))
    (folder / "c.txt").write_bytes(b"".join(text))
    (folder / "d.mbox.gz").write_bytes(gzip.compress(MBOX))
    (folder / "capture.warc").write_bytes(a_capture())
    paths = [str(folder), *(str(TESTDATA / name) for name in ["mail", "unpack", "strings"])]
    if CORPUS:
        paths += sorted(map(str, Path(CORPUS).rglob("*.txt")))[:3]
    return paths


def a_capture() -> bytes:
    """A web archive of 2 MiB: pages, and a page that is compressed."""
    records = b""
    for number in range(200):
        page = b"<p>http://text.example/%d <a href='http://link.example/%d'>x</a>" % (number, number)
        page += b"<!-- %s -->" % (b"x" * 10_000)
        coding = b""
        if number % 50 == 0:
            page, coding = gzip.compress(page), b"Content-Encoding: gzip\r\n"
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n%s" % (coding, page)
        records += (
            b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://site.example/%d\r\n"
            b"WARC-Date: 2024-01-02T03:04:05Z\r\nContent-Type: application/http; msgtype=response\r\n"
            b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (number, len(http), http)
        )
    return records


def test_equal_to_the_command(spark: SparkSession, tmp_path: Path) -> None:
    if not COMMAND.exists():
        pytest.skip("the command is not built")
    folder = tmp_path / "archive"
    folder.mkdir()
    paths = an_archive(folder)
    lines = tmp_path / "urls.jsonl"
    with lines.open("wb") as file:
        subprocess.run([COMMAND, "--json", *paths], stdout=file, stderr=subprocess.DEVNULL)
    # A part of a file does not have these values.
    unknown = "line", "column", "message_number"
    columns = [name for name in source.schema().names if name not in unknown]
    command = spark.read.schema(source.schema()).json(str(lines)).select(columns).cache()
    sizes = ["1m", "8m", "64m"]
    wanted = spark.createDataFrame([(size,) for size in sizes], "split string").crossJoin(command)
    found: DataFrame | None = None
    for size in sizes:
        rows = load(spark, paths, columns, split=size).where("type = 'hit'")
        rows = rows.selectExpr(f"'{size}' AS split", "*")
        found = rows if found is None else found.unionAll(rows)
    assert found is not None
    found = found.cache()
    assert command.count() > 5000
    assert wanted.exceptAll(found).take(3) == [] == found.exceptAll(wanted).take(3)


def test_a_worker_that_exits_changes_nothing(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    columns = ["path", "offset", "message_number", "url"]
    scan = source.scanner(columns=columns)
    marks = tmp_path / "marks"
    marks.mkdir()

    def exits_once(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        for batch in scan(batches):
            yield batch
            # Spark has some of the rows of this attempt.
            if context.attemptNumber() == 0:
                (marks / str(context.partitionId())).touch()
                os._exit(9)

    parts = [part for job in urlgrep.splits(archive, split="100k") for part in job]
    table = spark.createDataFrame(parts, "path string, start long, end long").repartition(3)
    wanted = table.mapInArrow(scan, source.schema(columns)).collect()
    found = table.mapInArrow(exits_once, source.schema(columns)).collect()
    assert len(list(marks.iterdir())) == 3
    assert len(found) > 5000 and sorted(map(repr, found)) == sorted(map(repr, wanted))


@needs_filters
def test_pushdown(spark: SparkSession, archive: Path) -> None:
    paths, columns = [str(archive)], ["host", "path", "date", "role"]
    off = load(spark, paths, columns).where("host = 'b.example'")
    assert off.count() == 2000
    on = load(spark, paths, columns, pushdown=True).where("host = 'b.example' AND path LIKE '%.gz'")
    with pytest.raises(Exception, match="DATA_SOURCE_PUSHDOWN_DISABLED"):
        on.count()
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        on = load(spark, paths, columns, pushdown=True).where(
            "host = 'b.example' AND path LIKE '%.gz'"
        )
        assert on.count() == 1000
        dated = load(spark, paths, columns, pushdown=True).where(
            "date > '1970-01-01 00:00:57' AND date <= timestamp'1970-01-01 00:00:58.5' AND role = 'body'"
        )
        assert dated.count() == 20
        plan = on._jdf.queryExecution().executedPlan().toString()
        assert "Filter" not in plan.replace("RuntimeFilters", "")
    finally:
        spark.conf.set("spark.sql.python.filterPushdown.enabled", "false")


def test_columns_and_filters_by_options(spark: SparkSession, archive: Path) -> None:
    path = str(archive / "{a,x}.mbox")
    options: dict[str, Any] = {"columns": "url,year", "host": "b.example", "role": "body", "unwrap": True}
    rows = spark.read.format("urlgrep").options(**options).load(path)
    assert rows.columns == ["url", "year"] and rows.count() == 1000
    spark.sql(f"CREATE TEMPORARY VIEW seen USING urlgrep OPTIONS (path '{path}', columns 'host')")
    assert spark.table("seen").columns == ["host"]
    assert spark.sql("SELECT DISTINCT host FROM seen").count() == 2


def test_the_job_of_the_documentation(spark: SparkSession, archive: Path, s3: str, tmp_path: Path) -> None:
    options = f"?endpoint_override={s3}&scheme=http&region=us-east-1&allow_bucket_creation=true"
    files, root = pa.fs.FileSystem.from_uri(f"s3://archive{options}")
    files.create_dir(root)
    pa.fs.copy_files(str(archive), f"{root}/spark", destination_filesystem=files)
    page = Path(__file__).parents[2] / "docs" / "scale.md"
    [code] = re.findall("```python\n(import urlgrep.spark\n.*?)```", page.read_text(), re.DOTALL)
    code = code.replace('"s3://archive/lists"', f'"s3://archive/spark{options}"')
    code = code.replace("256m", "100k").replace("s3a://archive/links", str(tmp_path / "out"))
    exec(code, {})
    found = spark.read.parquet(str(tmp_path / "out"))
    assert found.count() == 7001 and found.where("year = 1970").count() == 4000
    assert [row.path for row in found.where("path LIKE '%d.gz'").select("path").distinct().collect()] == [
        "s3://archive/spark/b/d.gz"
    ]


def test_schema_by_ddl(spark: SparkSession, archive: Path) -> None:
    reader = spark.read.format("urlgrep")
    ddl = "url string, segments array<struct<start: bigint, end: bigint>>, date timestamp"
    row = reader.schema(ddl).load(str(archive / "a.mbox")).first()
    assert row is not None and row.url == "http://www.example.org/0"
    assert [tuple(span) for span in row.segments] == [(138, 161), (164, 165)]


def test_the_example(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    example = Path(__file__).parents[1] / "examples" / "spark_links.py"
    names: dict[str, Any] = {}
    exec(example.read_text(encoding="utf-8"), names)
    out = tmp_path / "out"
    hosts = names["links"](spark, [str(archive / "a.mbox"), str(tmp_path / "none")], str(out))
    want = {(1970, "www.example.org", 1000), (1970, "b.example", 1000)}
    assert {tuple(row) for row in hosts.collect()} == want
    assert any((out / "urls" / "type=hit" / "year=1970").iterdir())
    assert spark.read.parquet(f"{out}/urls").where("type = 'error'").count() == 1
    first = {row.canonical: row for row in spark.read.parquet(f"{out}/first").collect()}
    assert len(first) == 200
    place = first["http://www.example.org/0"]
    assert place.number == 10 and place.offset == MBOX.index(b"http:") and place.date.year == 1970
