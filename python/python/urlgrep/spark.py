"""URLs as rows in Apache Spark: a data source, and a function for mapInArrow.

    import urlgrep.spark
    urlgrep.spark.register(spark)
    urls = spark.read.format("urlgrep").load("/archive")

Large files are divided into byte ranges, and small files share a task. A task
uses one core and returns the rows of urlgrep.scan. An input that cannot be read
has a row of the type error, and the job continues.

A path is a local path, a URL or a pattern, as in urlgrep.scan. Only byte ranges are
read. No file is downloaded as a whole.

This module needs pyspark 4 and pyarrow, on the driver and on each executor.
"""

import inspect
import json
import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from . import Split, scan, splits
from ._files import Files, Part, RemoteFile, number_of_bytes, packed, parts

__all__ = ["Split", "UrlgrepDataSource", "register", "scanner", "schema", "splits"]

_OPEN_COST = 64 << 10
"""The approximate cost of opening a file, in searched bytes."""


_LEFT_OUT = "inputs", "progress", "threads", "filesystem", "errors", "columns"
_SCAN = [name for name in inspect.signature(scan).parameters if name not in _LEFT_OUT]
"""The options of scan that are options here too."""


def schema(columns: str | Sequence[str] | None = None) -> StructType:
    """The schema of these columns of urlgrep.scan, or of all of them."""
    return _of_arrow(pa.schema(scan([], columns=columns)))


# pyspark converts schemas by functions that are private to it: their parameters are others in
# 4.0, 4.1 and 4.3.
_TYPES: list[tuple[pa.DataType, type[DataType]]] = [
    (pa.string(), StringType),
    (pa.binary(), BinaryType),
    (pa.bool_(), BooleanType),
    (pa.int64(), LongType),
    (pa.timestamp("us", "UTC"), TimestampType),
]
"""The types of columns, for Arrow and for Spark. Lists and structs have these inside."""


def _of_arrow(fields: Iterable[pa.Field]) -> StructType:
    """The Spark schema for fields of Arrow."""
    return StructType([StructField(it.name, _spark_type(it.type), it.nullable) for it in fields])


def _spark_type(type: pa.DataType) -> DataType:
    if pa.types.is_list(type):
        return ArrayType(_spark_type(type.value_type), type.value_field.nullable)
    if pa.types.is_struct(type):
        return _of_arrow(type)
    return next(spark() for arrow, spark in _TYPES if arrow == type)


def _to_arrow(schema: StructType) -> list[pa.Field]:
    """The fields of Arrow for a Spark schema, as Spark wants them."""
    return [pa.field(it.name, _arrow_type(it.dataType), it.nullable) for it in schema.fields]


def _arrow_type(type: DataType) -> pa.DataType:
    if isinstance(type, ArrayType):
        return pa.list_(pa.field("element", _arrow_type(type.elementType), type.containsNull))
    if isinstance(type, StructType):
        return pa.struct(_to_arrow(type))
    return next(arrow for arrow, spark in _TYPES if isinstance(type, spark))


def scanner(
    *,
    columns: str | Sequence[str] | None = None,
    open: Callable[[str], Any] | None = None,
    filesystem: str | None = None,
    **options: Any,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for DataFrame.mapInArrow; schema(columns) is its schema.

    The table has the columns path, start and end of the parts of splits, or the columns content
    and name. The columns content and path of Spark's binaryFile are accepted too.
    open opens a path as a binary file object with read and, for parts, seek. The
    options are those of urlgrep.scan.
    """
    options = {"threads": 1, "columns": columns, "errors": "rows", **options}
    files = Files(filesystem)

    def search(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            inputs = [_of_row(row, files, open) for row in batch.to_pylist()]
            yield from pa.RecordBatchReader.from_stream(scan(inputs, **options))

    return search


def _of_row(
    row: dict[str, Any], files: Files, open: Callable[[str], Any] | None
) -> tuple[Any, ...]:
    if "content" in row:
        name = row.get("name") or row.get("path") or "<bytes>"
        return row["content"] or b"", 0, None, name
    split = Split(row["path"], row.get("start"), row.get("end"))
    if not open:
        return files.input(split)
    return RemoteFile(partial(open, split.path)), split.start or 0, split.end, split.path


class _Task(InputPartition):
    """Parts that one task searches."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts


class UrlgrepDataSource(DataSource):
    """The data source urlgrep.

    Its columns are those of schema(). Only the columns that the option columns or
    DataFrameReader.schema names are computed. Its options:

    columns: a list, such as url,host,date.
    split: a divisible file of more bytes is divided. The default is 64m.
    maxFilesPerTask: the number of small files that one task searches. Without it a
        task of 64m has about 1,000, because opening a file counts as 64 KiB.
    errors: rows or fail. With fail, an input that cannot be read fails the job.
    filesystem: arrow or fsspec. It opens all paths, also local ones.
    as, and all others of urlgrep.scan: since, host, role, profile, rejects and more.
        Lists have commas.
    pushdown: true filters rows before they are sent to Spark, and before they are
        made where scan has a filter: host, scheme, role, date. It needs
        spark.sql.python.filterPushdown.enabled. Otherwise Spark refuses the source.
    """

    @classmethod
    def name(cls) -> str:
        return "urlgrep"

    def schema(self) -> StructType:
        return schema(self.options.get("columns"))

    def reader(self, schema: StructType) -> DataSourceReader:
        options = _Options(self.options)
        return (_PushdownReader if options.pushdown else _Reader)(options, schema)


class _Options:
    """The options of the data source."""

    def __init__(self, given: Mapping[str, str]) -> None:
        left = {name.lower(): value for name, value in given.items()}
        paths = json.loads(left.pop("paths", "[]"))
        self.paths: list[str] = [left.pop("path")] if "path" in left else paths
        self.split = number_of_bytes(left.pop("split", "64m"))
        self.filesystem = left.pop("filesystem", None)
        self.pushdown = _flag(left.pop("pushdown", "false"))
        errors = left.pop("errors", "rows")
        if errors not in ("rows", "fail"):
            raise ValueError(f"errors is rows or fail: {errors}")
        self.scan: dict[str, Any] = {"errors": "raise" if errors == "fail" else "rows"}
        self.max_files = int(left.pop("maxfilespertask", sys.maxsize))
        left.pop("columns", None)
        for name in _SCAN:
            if (value := left.pop(name.rstrip("_"), None)) is not None:
                self.scan[name] = value
        if left:
            raise ValueError(f"no such option: {', '.join(sorted(left))}")
        if not self.paths:
            raise ValueError("no path was given")
        # Wrong values are errors of the driver.
        Files(self.filesystem)
        scan([], **self.scan)


def _flag(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"neither true nor false: {text}")
    return text.lower() == "true"


class _Reader(DataSourceReader):
    """Searches the parts of files."""

    def __init__(self, options: _Options, wanted: StructType) -> None:
        known = schema(wanted.names)
        for ours, theirs in zip(known, wanted, strict=True):
            expected, found = ours.dataType.simpleString(), theirs.dataType.simpleString()
            if expected != found:
                raise ValueError(f"the type of {ours.name} is {expected}, not {found}")
        self.options = options
        self.wanted = wanted

    def partitions(self) -> Sequence[InputPartition]:
        options = self.options
        files = Files(options.filesystem)
        found = parts(files, options.paths, options.split, options.scan.get("as_"))
        wanted = (part for part in found if self.has_rows(files.name(part.split.path)))
        return [_Task(group) for group in packed(wanted, options.split, _OPEN_COST, options.max_files)]

    def has_rows(self, name: str) -> bool:
        """False if the filters exclude every row of the file."""
        return True

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Task)
        files = Files(self.options.filesystem)
        inputs = [files.input(part.split) for part in partition.parts]
        rows = scan(inputs, columns=self.wanted.names, threads=1, **self.options.scan)
        wanted = pa.schema(_to_arrow(self.wanted))
        for batch in pa.RecordBatchReader.from_stream(rows):
            yield self.keep(batch).cast(wanted)

    def keep(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that the filters select."""
        return batch


class _PushdownReader(_Reader):
    """A reader with filters. Spark calls pushFilters on any reader that has it."""

    def __init__(self, options: _Options, wanted: StructType) -> None:
        super().__init__(options, wanted)
        self.filters: list[pc.Expression] = []
        # For each list, the path of a row must be in the list.
        self.paths: list[Sequence[str]] = []

    def pushFilters(self, filters: list[Any]) -> Iterator[Any]:
        for filter in filters:
            expression = _expression(filter)
            if expression is None:
                yield filter
                continue
            self.filters.append(expression)
            self.options.scan.update(_narrower(filter, self.options.scan))
            if getattr(filter, "attribute", None) == ("path",):
                if type(filter).__name__ == "EqualTo":
                    self.paths.append([filter.value])
                elif type(filter).__name__ == "In":
                    self.paths.append(filter.value)

    def has_rows(self, name: str) -> bool:
        # The path as in the column path.
        path = name.encode(errors="surrogateescape").decode(errors="replace")
        # A member of an archive, and a file in a folder that was not listed.
        inside = f"{path}!", f"{path.rstrip('/')}/"
        return all(
            any(value == path or value.startswith(inside) for value in values)
            for values in self.paths
        )

    def keep(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        for expression in self.filters:
            batch = batch.filter(expression)
        return batch


_ROLES = "body|quoted|signature|footer|header|attachment"
_PLAIN = {"host": "([a-z0-9-]+[.])*[a-z0-9-]+", "scheme": "[a-z][a-z0-9]*", "role": _ROLES}
"""Columns with a filter in scan that accepts at least their rows, for values like these."""


def _narrower(filter: Any, given: dict[str, Any]) -> dict[str, Any]:
    """An option of scan with which it makes fewer of the rows that the filter excludes."""
    kind, column = type(filter).__name__, getattr(filter, "attribute", (None,))[0]
    if kind in ("EqualTo", "In") and column in _PLAIN and column not in given:
        values = [filter.value] if kind == "EqualTo" else list(filter.value)
        if values and all(re.fullmatch(_PLAIN[column], str(value)) for value in values):
            return {column: values}
    # Dates are whole seconds. Rows without a date pass neither the filter nor since.
    if kind in ("GreaterThan", "GreaterThanOrEqual") and column == "date":
        return {} if "since" in given else {"since": filter.value.replace(microsecond=0)}
    if kind in ("LessThan", "LessThanOrEqual") and column == "date":
        return {} if "until" in given else {"until": filter.value + timedelta(seconds=1)}
    return {}


_COMPARED = {
    "GreaterThan": operator.gt,
    "GreaterThanOrEqual": operator.ge,
    "LessThan": operator.lt,
    "LessThanOrEqual": operator.le,
}


def _expression(filter: Any) -> pc.Expression | None:
    """A Spark filter as an Arrow expression; None if Spark must apply it."""
    # Compares names, because Spark 4.0 does not have these classes.
    name = type(filter).__name__
    if name == "Not":
        positive = _expression(filter.child)
        if positive is None or type(filter.child).__name__ in ("IsNull", "IsNotNull"):
            return None if positive is None else ~positive
        # In SQL a comparison with null is never true.
        return ~positive & pc.field(filter.child.attribute[0]).is_valid()
    if len(filter.attribute) != 1:
        return None
    column = pc.field(filter.attribute[0])
    if name == "IsNull":
        return column.is_null()
    if name == "IsNotNull":
        return column.is_valid()
    value = filter.value
    if name == "In":
        plain = all(isinstance(item, str | int) for item in value)
        return column.isin(list(value)) if plain else None
    if isinstance(value, datetime) and value.tzinfo and name in _COMPARED:
        return _COMPARED[name](column, pa.scalar(value, pa.timestamp("us", "UTC")))
    if not isinstance(value, str | int):
        return None
    if name in _COMPARED:
        return _COMPARED[name](column, value)
    match name:
        case "EqualTo":
            return column == value
        case "StringStartsWith":
            return pc.starts_with(column, value)
        case "StringEndsWith":
            return pc.ends_with(column, value)
        case "StringContains":
            return pc.match_substring(column, value)
        case _:
            return None


def register(spark: SparkSession) -> None:
    """Registers the format urlgrep in a session."""
    spark.dataSource.register(UrlgrepDataSource)
