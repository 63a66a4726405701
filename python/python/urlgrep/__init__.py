"""Finds every URL in mail and Usenet text: unwraps, rejoins, validates, and
says where each one stood."""

from ._types import Alternate, Form, InvalidUrl, Profile, Role, Seam
from ._urlgrep import Hit, Url, canonical, find, message, resolve, validate

__all__ = [
    "Alternate",
    "Form",
    "Hit",
    "InvalidUrl",
    "Profile",
    "Role",
    "Seam",
    "Url",
    "canonical",
    "find",
    "message",
    "resolve",
    "validate",
]
