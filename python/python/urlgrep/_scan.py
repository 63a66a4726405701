"""Scans: where the bytes come from, and what becomes of the rows."""

import difflib
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from ._files import THREADS, Files, RemoteFile, Split, local_matches
from ._types import Form, Input, Profile, Progress, Range, ReadAs, Role
from ._urlgrep import Batch, Reader, columns

if TYPE_CHECKING:
    import pandas
    import polars


class Scan:
    """The rows of files.

    It is an iterable of rows, each a dict. It has the Arrow PyCapsule interface, so
    pyarrow.table(scan) and polars.DataFrame(scan) read all rows much faster; batches gives
    the same data piece by piece. The files are searched when the first row is requested,
    and anew for each reader. A scan of file objects can be read once. If the search fails, the stream ends with an
    exception, so an incomplete result is never taken for a complete one.
    """

    def __init__(self, inputs: list[Any], files: Files, options: dict[str, Any], show: bool) -> None:
        if any(_is_text(_source(item)) for item in inputs):
            raise TypeError("a file in text mode has no bytes; open it in binary mode")
        self._inputs, self._files, self._options, self._show = inputs, files, options, show
        self._is_once = any(hasattr(_source(item), "read") for item in inputs)
        self._is_closed = False
        self._lock = Lock()
        # The reader that was made last. One is made now, so that missing paths and
        # wrong options are exceptions at once.
        self._reader = self._make(options)
        self._is_read = False

    def _make(self, options: dict[str, Any]) -> Reader:
        pool = ThreadPoolExecutor(THREADS, "urlgrep")
        found = [one for item in self._inputs for one in self._found(item, pool)]
        inputs = [item for item, _ in found]
        remote = [item[0] for item in inputs if isinstance(_source(item), RemoteFile)]
        for file, after in zip(remote, remote[1:], strict=False):
            file.after = after
        bar = _Bar(self._files, found) if self._show else None
        try:
            return Reader(inputs, _options(options), bar)
        except ValueError as error:
            raise ValueError(_in_python(str(error)) + _suggestion(str(error))) from None

    def _found(self, item: Any, pool: ThreadPoolExecutor) -> list[tuple[Any, int | None]]:
        """The files of an input, with the sizes that are known."""
        path = _source(item)
        path = os.fspath(path) if isinstance(path, os.PathLike) else path
        if isinstance(item, tuple) and item[1:2] == (None,):
            item = path, 0, *item[2:]
        if not isinstance(path, str):
            return [(item, len(path) if isinstance(path, bytes | bytearray) else None)]
        if self._files.local(path) == path:
            return [(one, None) for one in self._local(item, path)]
        if isinstance(item, tuple):
            source, start, end, name = self._files.input(Split(path, *item[1:3]))
            return [((source, start, end, *(item[3:] or [name])), None)]
        try:
            found = list(self._files.list(path))
        except Exception:
            if self._options["errors"] != "rows":
                raise
            found = [(path, None)]
        return [(self._files.input(Split(name, None, None), pool), size) for name, size in found]

    def _local(self, item: Any, path: str) -> list[Any]:
        """The path, or the paths that match it."""
        try:
            os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            names = [] if isinstance(item, tuple) else local_matches(path)
            if names:
                return names
            if self._options["errors"] != "rows":
                raise
        except OSError:
            # The scan reports it at its place.
            pass
        return [item]

    def _start(self) -> Reader:
        with self._lock:
            if self._is_closed:
                raise ValueError("the scan is closed")
            if self._is_read and self._is_once:
                raise ValueError("a scan of file objects can be read only once")
            if self._is_read:
                self._reader = self._make(self._options)
            self._is_read = True
            return self._reader

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.rows()

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows, each a dict with the columns in their order. Needs no other package."""
        reader = self._start()
        return (row for batch in reader for row in batch.rows())

    def batches(self) -> Iterator[Batch]:
        """The rows in batches, which pyarrow.record_batch and others take without a copy."""
        return self._start()

    def __repr__(self) -> str:
        given = {name: value for name, value in self._options.items() if value is not None}
        inputs = ", ".join(_shown(_source(item)) for item in self._inputs[:3])
        more = ", …" if len(self._inputs) > 3 else ""
        options = "".join(f", {name}={value!r}" for name, value in given.items())
        return f"<urlgrep.Scan of {inputs or 'nothing'}{more}{options}>"

    def __arrow_c_schema__(self) -> object:
        return self._reader.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._start().__arrow_c_stream__(requested_schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            self._is_closed = True
            self._reader.close()

    def progress(self) -> Progress:
        """The progress of the reader that started last. Any thread may call this."""
        return self._reader.progress()

    def cancel(self) -> None:
        """Cancels the reader that started last: its next batch is an error. Any thread
        may call this."""
        self._reader.cancel()

    def to_pandas(self) -> "pandas.DataFrame":
        """All rows as a table of pandas. Needs pyarrow."""
        import pyarrow

        reader = self._start()
        # Not through Arrow's C interface, which loses the type of an exception.
        batches = [pyarrow.record_batch(batch) for batch in reader]
        return pyarrow.Table.from_batches(batches, pyarrow.schema(reader)).to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """All rows as a table of Polars."""
        import polars

        reader = self._start()
        try:
            return polars.DataFrame(reader)
        except Exception:
            # Polars has an exception of its own for all that a stream reports.
            if error := reader.take_failure():
                raise error from None
            raise

    def to_parquet(
        self, path: str | os.PathLike[str], *, partition_by: str | Sequence[str] = ()
    ) -> None:
        """Writes all rows as Parquet, compressed by zstd. Needs pyarrow.

        path is a local path or a URL of pyarrow.fs or fsspec. With partition_by it is
        a folder, which must be empty, with a folder for each value of these columns:
        year=1998/part-0.parquet. A column that the scan does not have is added. The
        memory does not depend on the number of rows. If the scan fails, a file is
        removed, and the folder is incomplete.
        """
        import pyarrow
        from pyarrow import dataset, fs, parquet

        names = [partition_by] if isinstance(partition_by, str) else list(partition_by)
        reader = self._start()
        columns = pyarrow.schema(reader).names
        if set(columns) <= set(names):
            raise ValueError("partition_by has every column, and no column is left")
        if missing := [name for name in names if name not in columns]:
            reader = self._make({**self._options, "columns": [*columns, *missing]})
            self._reader = reader
        schema = pyarrow.schema(reader)
        batches = (pyarrow.record_batch(batch) for batch in reader)
        filesystem, inner = self._files.of_pyarrow(os.fspath(path))
        if names:
            kind = dataset.ParquetFileFormat()
            fields = pyarrow.schema([schema.field(name) for name in names])
            dataset.write_dataset(
                batches,
                inner,
                schema=schema,
                format=kind,
                file_options=kind.make_write_options(compression="zstd"),
                filesystem=filesystem,
                partitioning=dataset.partitioning(fields, flavor="hive"),
                max_partitions=1 << 20,
            )
            return
        try:
            with parquet.ParquetWriter(
                inner, schema, filesystem=filesystem, compression="zstd"
            ) as writer:
                for batch in batches:
                    writer.write_batch(batch)
        except BaseException:
            filesystem.delete_file(inner)
            raise


def _source(item: Any) -> Any:
    return item[0] if isinstance(item, tuple) and item else item


def _shown(source: Any) -> str:
    """An input in a few characters."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return f"<{type(source).__name__}>"


def _suggestion(error: str) -> str:
    """The column that was probably meant, for the end of an error message."""
    wrong = re.fullmatch("no such column: (.*)", error)
    if wrong is None:
        return ""
    near = difflib.get_close_matches(wrong[1], [name for name, _, _ in columns()], 1)
    return f"; did you mean {near[0]}?" if near else "; urlgrep.columns() lists them"


def _is_text(source: Any) -> bool:
    """True for a file object whose read returns str."""
    if not hasattr(source, "read"):
        return False
    # Wrappers such as NamedTemporaryFile and codecs.open have the attribute of their file.
    # The objects of codecs.EncodedFile read bytes, and have this value.
    encoding = getattr(source, "encoding", None)
    has_encoding = isinstance(encoding, str) and encoding != "unknown"
    return isinstance(source, io.TextIOBase) or has_encoding


class _Bar:
    """Shows the progress on standard error, with tqdm if it is installed.

    The sizes of all local files are added up first, in a thread. So the total is
    known long before the end.
    """

    def __init__(self, files: Files, found: list[tuple[Any, int | None]]) -> None:
        self._files, self._found = files, found
        self._total: int | None = None
        self._bar: Any = None
        self._is_begun = False

    def __call__(self, now: Progress, ended: bool) -> None:
        if not self._is_begun:
            self._is_begun = True
            Thread(target=self._measure, daemon=True).start()
            try:
                from tqdm.auto import tqdm
            except ImportError:
                pass
            else:
                self._bar = tqdm(unit="B", unit_scale=True, unit_divisor=1024)
        total = now.bytes if ended else max(self._total or 0, now.known)
        if self._bar is not None:
            self._bar.total = total if ended or self._total is not None else None
            self._bar.n = now.bytes
            self._bar.set_postfix(files=now.files, URLs=now.hits)
            if ended:
                self._bar.close()
            return
        share = f" of {total >> 20} MiB, {100 * now.bytes // total} %" if self._total else ""
        text = f"{now.bytes >> 20}{share or ' MiB'}, {now.files} files, {now.hits} URLs"
        print(f"\r{text:<70}", end="\n" if ended else "", file=sys.stderr, flush=True)

    def _measure(self) -> None:
        total = 0
        for item, size in self._found:
            path = _source(item)
            if size is not None:
                total += size
            elif isinstance(path, str | os.PathLike):
                try:
                    total += sum(size or 0 for _, size in self._files.list(os.fspath(path)))
                except OSError:
                    # The scan reports it.
                    pass
        self._total = total


Names: TypeAlias = str | Sequence[str]
"""One or several names or patterns. A name has no comma."""

_NAMES = {"as_": "as", "batch_size": "batch_rows", "columns": "fields", "sender": "from"}
"""The options that have another name here, mostly because as and from are keywords."""


def _values(value: Any) -> list[str]:
    """The values of an option, as the extension module knows them."""
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, str | int):
        return [str(value)]
    if isinstance(value, datetime):
        # A time without a zone is in UTC, as in the command.
        zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
        return [zoned.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")]
    if isinstance(value, date):
        return [value.isoformat()]
    return [str(item) for item in value]


def _options(given: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [(_NAMES.get(k, k), _values(v)) for k, v in given.items() if v is not None]


def _in_python(text: str) -> str:
    """An error message with the names of options as they are here."""
    names = {theirs: ours for ours, theirs in _NAMES.items()}
    name = lambda match: names.get(match[1], match[1]).replace("-", "_")  # noqa: E731
    return re.sub("--([a-z-]+)", name, re.sub("^([a-z_]+)(?=:)", name, text))


def scan(
    inputs: Input | Range | Iterable[Input | Range],
    *,
    columns: Names | None = None,
    since: str | date | None = None,
    until: str | date | None = None,
    sender: Names | None = None,
    to: Names | None = None,
    subject: Names | None = None,
    exclude_from: Names | None = None,
    exclude_to: Names | None = None,
    exclude_subject: Names | None = None,
    message_id: Names | None = None,
    group: Names | None = None,
    role: Role | Sequence[Role] | None = None,
    authored: bool | None = None,
    skip_deleted: bool | None = None,
    cautions: bool | Names | None = None,
    scheme: Names | None = None,
    exclude_scheme: Names | None = None,
    host: Names | None = None,
    exclude_host: Names | None = None,
    regexp: Names | None = None,
    fixed_strings: bool | None = None,
    ignore_case: bool | None = None,
    smart_case: bool | None = None,
    word_regexp: bool | None = None,
    line_regexp: bool | None = None,
    invert_match: bool | None = None,
    forms: Form | Sequence[Form] | None = None,
    headers: Literal["none", "written", "list", "all"] | None = None,
    hyphen: Literal["keep", "drop"] | None = None,
    join: bool | None = None,
    doubtful: bool | None = None,
    www: bool | None = None,
    refang: bool | None = None,
    unwrap: bool | None = None,
    profile: Profile | None = None,
    as_: ReadAs | None = None,
    rejects: bool | None = None,
    notes: bool | None = None,
    errors: Literal["rows", "raise"] | None = None,
    progress: bool = False,
    threads: int | None = None,
    batch_size: int | None = None,
    filesystem: Literal["arrow", "fsspec"] | None = None,
) -> Scan:
    """Searches files, and returns a row of Arrow data for each URL, in the order of
    the inputs.

    >>> import pyarrow, urlgrep
    >>> mail = b"Subject: x\\nFrom: ann@example.org\\n\\n> http://a.example/\\n"
    >>> scan = urlgrep.scan(mail, as_="message", columns=["url", "role", "from"])
    >>> pyarrow.table(scan).to_pylist()
    [{'url': 'http://a.example/', 'role': 'quoted', 'from': 'ann@example.org'}]

    An input is a path or URL of a file or folder, bytes, a binary file object, or a
    tuple (input, start, end[, name]). All files in a folder are searched. The tuple is
    a part of an input: its messages or lines that begin at or after byte start and
    before byte end. Files and file objects are decompressed, but parts are not.
    File objects are read on the thread that requests batches. A file object of a
    part needs seek.

    pyarrow.fs opens the URLs that it supports (s3, gs, abfs, hdfs), and fsspec opens
    all other URLs. filesystem names one of them, which then opens all paths. A path
    that does not exist may be a pattern, such as s3://bucket/{1998,1999}-*.mbox.

    The columns are keys of JSON, and the other fields of the command's --format.
    columns selects some of them, and only these are computed. A batch ends at
    batch_size rows (65,536) or 8 MiB. In a part that does not begin at 0, line and
    message_number are null. In every part of a text, column is null.

    since to invert_match are the filters of the command, with the same names and
    meanings; sender is its --from. forms is its --form, join=False its --no-join,
    and doubtful=False its --no-doubtful. Several names may be a list, or a str with
    commas. A pattern (sender, to, subject, regexp) has no commas.

    A path that does not exist is a FileNotFoundError at once. An input that cannot be
    read to its end has a row of the type error, and the scan ends with a
    ReadErrorWarning. With errors="rows" a path that does not exist has such a row too,
    and there is no warning. With errors="raise" the first error is a ReadError, after
    the rows before it.

    progress=True shows the progress on standard error, with tqdm if it is installed.
    """
    options = dict(locals())
    given, show = options.pop("inputs"), options.pop("progress")
    files = Files(options.pop("filesystem"))
    is_one = (
        isinstance(given, str | bytes | bytearray | memoryview | os.PathLike)
        or hasattr(given, "read")
        or isinstance(given, tuple) and len(given) > 1 and isinstance(given[1], int | None)
    )
    return Scan([given] if is_one else list(given), files, options, show)


def read(splits: Split | Iterable[Split], **options: Any) -> Scan:
    """Searches parts of files, in one thread: the work of a process or a machine.

    The options are those of scan. A file that does not exist any more has a row of
    the type error.
    """
    return scan(splits, **{"threads": 1, "errors": "rows", **options})
