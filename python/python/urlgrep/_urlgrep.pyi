import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Protocol, final

from ._types import Alternate, Buffer, Form, Profile, Progress, ReadAs, Role, Seam

__all__ = [
    "Batch",
    "FILTERS",
    "Hit",
    "Reader",
    "Url",
    "__version__",
    "_restore_hit",
    "canonical",
    "columns",
    "find",
    "is_divisible",
    "merge_ledgers",
    "message",
    "resolve",
    "validate",
]

FILTERS: list[str]
__version__: str

class _AsBytes(Protocol):
    def as_bytes(self) -> bytes: ...

@final
class Hit:
    """A URL in a text or a message.

    Offsets start at 0. They count characters in a str and bytes in bytes. Equal
    hits have the same URL at the same place.
    """

    @property
    def url(self) -> str:
        """The URL, rejoined."""

    @property
    def profile(self) -> Profile:
        """The profile that accepted it."""

    @property
    def span(self) -> tuple[int, int]:
        """The offset of its first character (or byte), and the offset after its
        last."""

    @property
    def decoded(self) -> bool:
        """True if the message does not contain the characters of the URL (base64,
        another charset). Then the offsets count bytes of the decoded text of the
        part, or of one link of HTML."""

    @property
    def line(self) -> int | None:
        """The line of its first character, from 1. In a decoded part of a message,
        the line on which the part begins."""

    @property
    def form(self) -> Form:
        """How it was delimited."""

    @property
    def segments(self) -> tuple[tuple[int, int], ...]:
        """The spans that were copied into the URL, in order."""

    @property
    def seams(self) -> tuple[Seam, ...]:
        """The repairs between the segments, in order."""

    @property
    def alternates(self) -> tuple[Alternate, ...]:
        """Other valid readings, the most likely one first."""

    @property
    def doubt(self) -> tuple[str, ...]:
        """Why the reading may be wrong although it is valid."""

    @property
    def continues(self) -> bool:
        """True if it is bare and plainly continues on the next line."""

    @property
    def glued(self) -> bool:
        """True if a letter, digit, `+`, `-` or `.` comes directly before the scheme."""

    @property
    def components(self) -> dict[str, str]:
        """The parts of the URL as written, by name, in its order."""

    @property
    def canonical(self) -> str:
        """The canonical form, in which URLs are compared."""

    @property
    def host(self) -> str | None:
        """The host in lower case, an IPv6 address with its brackets; None if the URL has
        none."""

    @property
    def role(self) -> Role | None:
        """The role of the place in the message; None in a text."""

    @property
    def depth(self) -> int | None:
        """The quoting depth of the place; None unless the role is quoted."""

    @property
    def part(self) -> str | None:
        """The number of the MIME part; None in a header field and in a text."""

    @property
    def content_type(self) -> str | None:
        """The type of the MIME part; None in a header field and in a text."""

    @property
    def file_name(self) -> str | None:
        """The name of the file that the MIME part is; None if it has none."""

    @property
    def header(self) -> str | None:
        """The name of the header field."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Url:
    """A valid URL. Two URLs are equal if their text and profile are equal."""

    @property
    def url(self) -> str:
        """The URL."""

    @property
    def profile(self) -> Profile:
        """The profile in which it is valid."""

    @property
    def scheme(self) -> str:
        """The scheme in lower case."""

    @property
    def host(self) -> str | None:
        """The host in lower case, an IPv6 address with its brackets."""

    @property
    def port(self) -> int | None:
        """The port; None if there is none or it is over 65535."""

    @property
    def user(self) -> str | None:
        """The user name, as written."""

    @property
    def password(self) -> str | None:
        """The password, as written."""

    @property
    def path(self) -> str:
        """The path, with its leading slash."""

    @property
    def query(self) -> str | None:
        """The text after the question mark."""

    @property
    def fragment(self) -> str | None:
        """The text after the number sign."""

    @property
    def components(self) -> dict[str, str]:
        """The parts of the URL as written, by name, in its order."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Properties that call for care: password, encoded-lf and others."""

    @property
    def canonical(self) -> str:
        """The canonical form, in which URLs are compared."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Reader:
    """A scan that runs: a stream of batches of rows, which is read once."""

    def __new__(
        cls,
        inputs: Iterable[Any],
        options: Sequence[tuple[str, list[str]]],
        tick: Callable[[Progress, bool], None] | None = None,
    ) -> Reader: ...
    def progress(self) -> Progress: ...
    def cancel(self) -> None: ...
    def take_failure(self) -> Exception | None: ...
    def close(self) -> None: ...
    def __iter__(self) -> Reader: ...
    def __next__(self) -> Batch: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Batch:
    """Rows of a scan. pyarrow.record_batch(batch) reads them."""

    def rows(self) -> list[dict[str, Any]]:
        """The rows, each a dict with the columns in their order."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

def _restore_hit(state: dict[str, Any]) -> Hit: ...
def find(
    text: str | Buffer,
    *,
    profile: Profile | None = None,
    www: bool = False,
) -> list[Hit]:
    """The URLs of a text, in order.

    Offsets count characters in a str and bytes in bytes. With www,
    hosts without a scheme that begin with www., ftp. or gopher. are found too
    (RFC 3986 section 4.5). Their URL has the scheme.
    """

def merge_ledgers(
    path: str | os.PathLike[str], other: str | os.PathLike[str]
) -> tuple[int, int, int]:
    """Adds the ledger other to the ledger path, which is made if it is missing. Returns the numbers
    of files that were added, of files that path has in the same version or a later one, and of
    hits that were added."""

def message(
    message: Buffer | _AsBytes, *, profile: Profile | None = None
) -> list[Hit]:
    """The URLs of one message: of the fields of its header that people write, and of its
    decoded parts. Those that programs write, such as List-Archive, are left out.

    Takes bytes, or an object with a method as_bytes(), such as
    email.message.EmailMessage. Offsets count bytes of the message.
    """

def validate(url: str | Buffer, profile: Profile | None = None) -> Url:
    """Validates url by the document of profile. Nothing is repaired.

    Raises InvalidUrl, with the rule that failed and the offset.
    """

def canonical(url: str | Buffer, profile: Profile | None = None) -> str:
    """The canonical form of url. URLs that are the same by their document have
    the same canonical form."""

def resolve(
    base: str | Buffer,
    partial: str | Buffer,
    profile: Profile | None = None,
) -> str:
    """The URL that the partial form partial means in a document with the URL base.

    Raises InvalidUrl. Its message names the string that was refused, and its
    offset is in that string.
    """

def columns() -> list[tuple[str, str, bool]]:
    """The columns of a scan: name, meaning in Markdown, and whether a scan has the
    column unless its argument columns leaves it out."""

def is_divisible(
    head: Buffer,
    *,
    as_: ReadAs | None = None,
) -> bool:
    """True if a file that begins with head can be searched in parts; see scan.

    head is the first 8,192 bytes of the file, or the whole file if it is shorter.
    Plain text and mbox files are divisible. Single messages, batches, UTF-16 and
    compressed files are not.
    """
