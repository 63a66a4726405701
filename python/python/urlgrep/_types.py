"""The types of names and tuples that the extension module returns."""

from datetime import UTC, datetime
from mmap import mmap
from os import PathLike
from typing import Literal, NamedTuple, Protocol, TypeAlias

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""The time from which the extension module counts."""

ReadAs: TypeAlias = Literal["auto", "text", "mbox", "message", "rnews", "html", "json", "csv"]
"""The format in which files are read. The default is auto: it is recognised."""

Profile: TypeAlias = Literal[
    "url-00", "url-03", "www-uri-00", "url-06", "rfc1738", "current", "iri", "whatwg"
]
"""The document that defines URLs. The default is iri, as in the command."""

Form: TypeAlias = Literal["wrapped", "bracketed", "quoted", "prefixed", "bare", "link", "suffix", "namespace"]
"""How a URL was delimited."""

Role: TypeAlias = Literal[
    "body",
    "quoted",
    "signature",
    "footer",
    "header",
    "attachment",
]
"""The role of a place in a message."""


class Readable(Protocol):
    """A binary file object."""

    def read(self, size: int, /) -> bytes: ...


Buffer: TypeAlias = bytes | bytearray | memoryview | mmap
"""Bytes in memory. Other objects with a buffer are accepted too."""

Input: TypeAlias = str | PathLike[str] | Buffer | Readable
"""A path or URL, bytes, or a binary file object."""

Range: TypeAlias = tuple[Input, int | None, int | None] | tuple[Input, int | None, int | None, str]
"""A part of an input, such as a Split: (input, start, end[, name])."""


class Seam(NamedTuple):
    """A repair: source text that was removed or decoded inside a URL."""

    kind: str
    """Its kind: line-break, leader and others."""
    start: int
    """The offset of its first character (or byte) in the text."""
    end: int
    """The offset after its last character (or byte)."""
    at: int
    """Its place in the URL, in characters."""
    len: int
    """The number of characters of the URL that replace it."""


class Alternate(NamedTuple):
    """Another valid reading of the text of a hit."""

    kind: str
    """The kind of the reading: plain, hyphen, space, joined and others."""
    url: str
    """The URL of this reading."""


class Progress(NamedTuple):
    """The progress of a scan. The numbers never decrease."""

    bytes: int
    """Bytes of files that were processed, before decompression."""
    known: int
    """Bytes of all files that were found so far."""
    files: int
    """Finished files and members of archives."""
    hits: int
    """Rows of hits and rejects."""
    errors: int
    """Inputs, and members of archives, that could not be read to their end."""


class Merged(NamedTuple):
    """What a merge of two ledgers did."""

    files: int
    """Files and members of archives that were added, or replaced by a later version."""
    older: int
    """Those that were left out, because the ledger has the same version or a later one."""
    hits: int
    """Hits that were added."""


class InvalidUrl(ValueError):
    """The text is not a URL in the profile."""

    def __init__(self, message: str, profile: str, rule: str, offset: int) -> None:
        super().__init__(message, profile, rule, offset)
        self.profile = profile
        """The profile that refused it."""
        self.rule = rule
        """The production of its document that failed."""
        self.offset = offset
        """The offset of the first character (or byte) that does not match."""

    def __str__(self) -> str:
        return str(self.args[0])


class ReadError(OSError):
    """An input cannot be read to its end, and errors="raise" was given."""

    def __init__(self, path: str, offset: int | None, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        """The input, as in the column path."""
        self.offset = offset
        """The number of bytes before the fault, if it is known."""
        self.reason = reason
        """What is wrong."""

    def __reduce__(self) -> tuple[type["ReadError"], tuple[str, int | None, str]]:
        return ReadError, (self.path, self.offset, self.reason)

    def __str__(self) -> str:
        at = "" if self.offset is None else f" at byte {self.offset}"
        return f"{self.path}: {self.reason}{at}"


class ReadErrorWarning(UserWarning):
    """An input could not be read to its end, so a scan is incomplete, and errors= does not
    say what to do."""


for _class in (Alternate, InvalidUrl, Progress, ReadError, ReadErrorWarning, Seam):
    _class.__module__ = "urlgrep"
