"""Finds every URL in mail and Usenet text: unwraps, rejoins, validates, and
locates it."""

from ._types import Alternate, Form, InvalidUrl, Profile, Progress, ReadError, Role, Seam
from ._urlgrep import (
    Batch,
    Hit,
    Scan,
    Url,
    canonical,
    find,
    is_divisible,
    message,
    resolve,
    scan,
    validate,
)

__all__ = [
    "Alternate",
    "Batch",
    "Form",
    "Hit",
    "InvalidUrl",
    "Profile",
    "Progress",
    "ReadError",
    "Role",
    "Scan",
    "Seam",
    "Url",
    "canonical",
    "find",
    "is_divisible",
    "message",
    "resolve",
    "scan",
    "validate",
]
