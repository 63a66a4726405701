"""Measures the processor time of Spark and of the search.

    python spark_cost.py SPLIT FILE...

Compares three ways to get all columns of the same parts:

1. The data source urlgrep writes to Spark's sink noop, in local[2].
2. A source that reads the same batches from an Arrow file writes to the same sink.
3. scan runs in this process, without Spark.

A figure is the median of three turns, in seconds of processor time. It counts this
process and all its descendants. For the third way it counts this process only.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import urlgrep
import urlgrep.spark as source
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema

TICK = os.sysconf("SC_CLK_TCK")


def seconds() -> float:
    """The processor time of this process and all its descendants."""
    parents, times = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        pid = int(stat.parent.name)
        parents[pid] = int(fields[1])
        times[pid] = sum(map(int, fields[11:15])) / TICK
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(times[pid] for pid in below)


def noop_source(folder: str) -> type[DataSource]:
    """A source with a task for each Arrow file in a folder."""

    class Reader(DataSourceReader):
        def __init__(self, schema: Any) -> None:
            self.wanted = to_arrow_schema(schema, timezone="UTC")

        def partitions(self) -> list[InputPartition]:
            return [InputPartition(f"{folder}/{name}") for name in sorted(os.listdir(folder))]

        def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
            with pa.memory_map(partition.value) as file:
                for batch in pa.ipc.open_stream(file):
                    yield batch.cast(self.wanted)

    class Given(DataSource):
        @classmethod
        def name(cls) -> str:
            return "given"

        def schema(self) -> Any:
            return source.schema()

        def reader(self, schema: Any) -> DataSourceReader:
            return Reader(schema)

    return Given


def alone(parts: list[source.Split], folder: str | None = None) -> int:
    """Searches each part. Returns the number of rows.

    With a folder, writes the batches of each part to a file in it, and returns 0.
    """
    rows = 0
    for number, part in enumerate(parts):
        scan = urlgrep.scan([(part.path, part.start or 0, part.end)], threads=1)
        reader = pa.RecordBatchReader.from_stream(scan)
        if folder:
            with pa.ipc.new_stream(f"{folder}/{number:04}", reader.schema) as writer:
                for batch in reader:
                    writer.write(batch)
        else:
            rows += sum(batch.num_rows for batch in reader)
    return rows


if __name__ == "__main__":
    split, *files = sys.argv[1:]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder
    spark = builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    parts = [part for job in source.splits(files, split=split) for part in job]
    with tempfile.TemporaryDirectory() as folder:
        alone(parts, folder)
        source.register(spark)
        spark.dataSource.register(noop_source(folder))
        jobs = {
            "urlgrep": spark.read.format("urlgrep").option("split", split).load(files),
            "given batches": spark.read.format("given").load(),
        }
        turns: dict[str, list[float]] = {"urlgrep": [], "given batches": [], "scan alone": []}
        for _ in range(4):
            for name, job in jobs.items():
                before = seconds()
                job.write.format("noop").mode("overwrite").save()
                turns[name].append(seconds() - before)
            before, start = seconds(), time.process_time()
            rows = alone(parts)
            turns["scan alone"].append(time.process_time() - start)
    size = sum(map(os.path.getsize, files))
    print(f"{size / 1e6:.0f} MB, {len(parts)} parts, {rows} rows")
    for name, taken in turns.items():
        # The first turn warms up the Java virtual machine.
        print(f"{name}: {statistics.median(taken[1:]):.2f} s")
    spark.stop()
