"""Ledgers: databases of the links of many runs, which the command makes."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ._scan import _values
from ._types import Merged
from ._urlgrep import merge_ledgers

if TYPE_CHECKING:
    import pyarrow

# The application_id of a ledger: URLg in ASCII.
_APPLICATION = int.from_bytes(b"URLg")
_TIMES = {"added", "date", "finished", "first_seen", "last_seen", "started"}


class Ledger:
    """A ledger, opened to read it. docs/ledger.md explains its tables and views.

    A ledger can be read while a run writes it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        # A missing file is an exception, and not a new database.
        uri = Path(self._path).absolute().as_uri() + "?mode=ro"
        try:
            self._connection = sqlite3.connect(uri, uri=True)
            (found,) = self._connection.execute("PRAGMA application_id").fetchone()
        except sqlite3.OperationalError as error:
            if not os.path.exists(self._path):
                raise FileNotFoundError(f"{self._path}: no such ledger") from None
            raise OSError(f"{self._path}: {error}") from None
        except sqlite3.DatabaseError:
            found = None
        if found != _APPLICATION:
            raise ValueError(f"{self._path}: not a ledger")
        # A text that is not UTF-8 is a BLOB, and one with another fault has U+FFFD.
        self._connection.text_factory = _text

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[dict[str, Any]]:
        """The rows of a query, each a dict. Needs no other package."""
        cursor = self._connection.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return (dict(zip(names, map(_text, row), strict=True)) for row in cursor)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> "pyarrow.Table":
        """The rows of a query as a table of Arrow. Needs pyarrow.

        Times are timestamps in UTC. A column has the type of its values, and no rows have no
        types.
        """
        import pyarrow

        cursor = self._connection.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        columns: list[list[Any]] = [[] for _ in names]
        while rows := cursor.fetchmany(1 << 16):
            for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                column.extend(map(_text, values))
        table = pyarrow.table([pyarrow.array(column) for column in columns], names=names)
        for i, name in enumerate(names):
            if name in _TIMES and table.schema.field(i).type in (pyarrow.string(), pyarrow.null()):
                times = table.column(i).cast(pyarrow.timestamp("us", "UTC"))
                table = table.set_column(i, name, times)
        return table

    def links(self, *, since: str | date | datetime | None = None) -> "pyarrow.Table":
        """The view links: a row for each link, with its message and its file.

        With since, only links that a run has added at this time or later.
        """
        if since is None:
            return self.query("SELECT * FROM links")
        [bound] = _values(since)
        return self.query("SELECT * FROM links WHERE added >= ?", [bound])

    def merge(self, other: "str | os.PathLike[str] | Ledger") -> Merged:
        """Adds the content of another ledger, as if this one had read its files."""
        path = other._path if isinstance(other, Ledger) else os.fspath(other)
        return Merged(*merge_ledgers(self._path, path))

    def close(self) -> None:
        """Closes the database."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<urlgrep.Ledger {self._path}>"


def ledger(path: str | os.PathLike[str]) -> Ledger:
    """Opens a ledger, which `urlgrep --ledger FILE` has made, to read it."""
    return Ledger(path)


def _text(value: Any) -> Any:
    """A value of a column. All texts are str."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
