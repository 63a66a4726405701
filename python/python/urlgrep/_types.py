"""What the extension module makes of names and numbers."""

from typing import Literal, NamedTuple, TypeAlias

Profile: TypeAlias = Literal[
    "url-00", "url-03", "www-uri-00", "url-06", "rfc1738", "current", "iri"
]
"""The document that judges. The default is iri, as in the command."""

Form: TypeAlias = Literal["wrapped", "bracketed", "quoted", "prefixed", "bare", "suffix"]
"""How a URL was delimited."""

Role: TypeAlias = Literal[
    "body",
    "quoted",
    "signature",
    "footer",
    "header",
    "html-link",
    "html-text",
    "attachment",
]
"""What a place in a message is to its reader."""


class Seam(NamedTuple):
    """What was removed or decoded inside a URL."""

    kind: str
    """What it was: line-break, leader and others."""
    start: int
    """Where it begins in the text."""
    end: int
    """Where it ends."""
    at: int
    """Where it is in the URL, in characters."""
    len: int
    """How many characters of the URL it stands for."""


class Alternate(NamedTuple):
    """Another way to read the text of a hit."""

    kind: str
    """What sets it apart: plain, hyphen, space, joined and others."""
    url: str
    """The URL by this reading; it is valid."""


class Progress(NamedTuple):
    """How far a scan has come. The numbers only grow."""

    bytes: int
    """Bytes that were worked on, as they are on disk."""
    known: int
    """Bytes of all files that were found so far."""
    files: int
    """Files, and members of archives, that are done."""
    hits: int
    """Rows of hits and rejects."""


class InvalidUrl(ValueError):
    """The text is no URL by the profile."""

    def __init__(self, message: str, profile: str, rule: str, offset: int) -> None:
        super().__init__(message, profile, rule, offset)
        self.profile = profile
        """The profile that was asked."""
        self.rule = rule
        """The production of its document that could not go on."""
        self.offset = offset
        """The first character, or byte of bytes, that it could not take."""

    def __str__(self) -> str:
        return str(self.args[0])


for _class in (Alternate, InvalidUrl, Progress, Seam):
    _class.__module__ = "urlgrep"
