from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, final

from ._types import Alternate, Form, Profile, Progress, Role, Seam

__all__ = [
    "Batch",
    "Hit",
    "Scan",
    "Url",
    "_restore_hit",
    "canonical",
    "find",
    "is_divisible",
    "message",
    "resolve",
    "scan",
    "validate",
]

class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...

_Input: TypeAlias = str | PathLike[str] | bytes | _Readable
_Range: TypeAlias = tuple[_Input, int, int | None] | tuple[_Input, int, int | None, str]

class _AsBytes(Protocol):
    def as_bytes(self) -> bytes: ...

@final
class Hit:
    """A URL in a text or a message.

    Offsets count characters where the text was a str, bytes where it was bytes,
    from 0. Equal hits have the same URL at the same place.
    """

    @property
    def url(self) -> str:
        """The URL, rejoined."""

    @property
    def profile(self) -> Profile:
        """The profile that judged it."""

    @property
    def span(self) -> tuple[int, int]:
        """From its first character, or byte, to after its last."""

    @property
    def decoded(self) -> bool:
        """True if the message does not hold the characters of the URL (base64,
        another charset). Then the offsets count bytes of the text that was
        decoded: of the part, or of one link of HTML."""

    @property
    def line(self) -> int | None:
        """The line of its first character, from 1. In a message whose part is
        decoded, that on which the part begins."""

    @property
    def form(self) -> Form:
        """How it was delimited."""

    @property
    def segments(self) -> tuple[tuple[int, int], ...]:
        """The spans that were copied into the URL, in order."""

    @property
    def seams(self) -> tuple[Seam, ...]:
        """What lies between the segments, in order."""

    @property
    def alternates(self) -> tuple[Alternate, ...]:
        """Other readings that are valid, likeliest first."""

    @property
    def doubt(self) -> tuple[str, ...]:
        """Why the reading may be wrong although it is valid."""

    @property
    def continues(self) -> bool:
        """True if it is bare and plainly goes on in the next line."""

    @property
    def glued(self) -> bool:
        """True if letters stand right before the scheme."""

    @property
    def components(self) -> dict[str, str]:
        """The parts of the URL as they are written, by name, in its order."""

    @property
    def canonical(self) -> str:
        """The canonical form, in which URLs are compared."""

    @property
    def role(self) -> Role | None:
        """What the place is to the reader of the message; None in a text."""

    @property
    def depth(self) -> int | None:
        """How deeply the place is quoted; None unless the role is quoted."""

    @property
    def part(self) -> str | None:
        """The number of the MIME part; None in a header field and in a text."""

    @property
    def header(self) -> str | None:
        """The name of the header field."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Url:
    """A valid URL. Equal if text and profile are."""

    @property
    def url(self) -> str:
        """The URL."""

    @property
    def profile(self) -> Profile:
        """The profile by which it is valid."""

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
        """What stands after the question mark."""

    @property
    def fragment(self) -> str | None:
        """What stands after the number sign."""

    @property
    def components(self) -> dict[str, str]:
        """The parts of the URL as they are written, by name, in its order."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """What is valid and yet suspect: password, encoded-lf and others."""

    @property
    def canonical(self) -> str:
        """The canonical form, in which URLs are compared."""

    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Scan:
    """A scan of files: a stream of batches of rows, which is read once.

    It speaks the Arrow PyCapsule interface, so that pyarrow.table(scan) or
    polars.DataFrame(scan) has all rows, and it is an iterator of batches. It
    begins with the first batch that is asked for. An error ends it, so that
    what was read is never taken for the whole.
    """

    def progress(self) -> Progress:
        """How far it has come. Any thread may ask."""

    def cancel(self) -> None:
        """Ends it: the next batch is an error. Any thread may call it."""

    def __enter__(self) -> Scan: ...
    def __exit__(self, *_error: object) -> None: ...
    def __iter__(self) -> Scan: ...
    def __next__(self) -> Batch: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Batch:
    """Rows of a scan; pyarrow.record_batch(batch) has them."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

def _restore_hit(state: dict[str, Any]) -> Hit: ...
def find(text: str | bytes | bytearray, *, profile: Profile | None = None) -> list[Hit]:
    """The URLs of a text, in order.

    Offsets count characters in a str and bytes in bytes.
    """

def message(
    message: bytes | bytearray | _AsBytes, *, profile: Profile | None = None
) -> list[Hit]:
    """The URLs of one message: of its header, and of its parts, decoded.

    Takes bytes, or what has a method as_bytes(), such as
    email.message.EmailMessage. Offsets count in these bytes.
    """

def validate(url: str | bytes | bytearray, profile: Profile | None = None) -> Url:
    """Judges url by the document of profile. Nothing is repaired.

    Raises InvalidUrl, with the rule that failed and where.
    """

def canonical(url: str | bytes | bytearray, profile: Profile | None = None) -> str:
    """The canonical form of url: two URLs that name the same thing by their
    document have the same."""

def resolve(
    base: str | bytes | bytearray,
    partial: str | bytes | bytearray,
    profile: Profile | None = None,
) -> str:
    """The URL that partial stands for in a document whose URL is base.

    Raises InvalidUrl, whose message says which string was refused; the offset
    counts in that string.
    """

def is_divisible(
    head: bytes | bytearray,
    *,
    as_: Literal["auto", "text", "mbox", "message", "rnews"] | None = None,
) -> bool:
    """True if a file that begins with head can be searched in parts; see scan.

    Give the first 8,192 bytes of the file, or all of a shorter one. Plain text
    and mboxes are divisible. Single messages, batches, UTF-16 and everything
    compressed are searched whole.
    """

def scan(
    inputs: _Input | _Range | Iterable[_Input | _Range],
    *,
    batch_size: int = 65_536,
    columns: Sequence[str] | None = None,
    rejects: bool = False,
    notes: bool = False,
    threads: int | None = None,
    as_: Literal["auto", "text", "mbox", "message", "rnews"] | None = None,
    profile: Profile | None = None,
) -> Scan:
    """Searches files, and gives a row of Arrow for each URL, in the order of the
    inputs.

    An input is a path, a folder with all files in it, bytes, a binary file
    object, or a tuple (input, start, end[, name]): the part of an input whose
    messages, or lines, begin from byte start on and before byte end. Files and
    file objects are unpacked; a part is searched as it is. File objects are read
    on the thread that asks for batches, with seek for a part.

    Columns are the keys of JSON; all of them unless columns names some, and only
    these are computed. A batch ends at batch_size rows or 8 MiB. An input that
    cannot be read, or not to its end, is a row with the type error. In a part
    that does not begin at 0, line and message_number are null; column is null in
    every part of a text.
    """
