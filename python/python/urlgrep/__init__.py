"""Finds every URL in mail and Usenet text: unwraps, rejoins, validates, and
locates it."""

from ._files import Split, splits
from ._ledger import Ledger, ledger
from ._scan import Scan, read, scan
from ._types import (
    Alternate,
    Form,
    InvalidUrl,
    Merged,
    Profile,
    Progress,
    ReadAs,
    ReadError,
    ReadErrorWarning,
    Role,
    Seam,
)
from ._urlgrep import (
    Batch,
    Hit,
    Url,
    __version__,
    canonical,
    columns,
    find,
    is_divisible,
    message,
    resolve,
    validate,
)

__all__ = [
    "Alternate",
    "Batch",
    "Form",
    "Hit",
    "InvalidUrl",
    "Ledger",
    "Merged",
    "Profile",
    "Progress",
    "ReadAs",
    "ReadError",
    "ReadErrorWarning",
    "Role",
    "Scan",
    "Seam",
    "Split",
    "Url",
    "__version__",
    "canonical",
    "columns",
    "find",
    "is_divisible",
    "ledger",
    "message",
    "read",
    "resolve",
    "scan",
    "splits",
    "validate",
]

for _one in (Ledger, Scan, Split, ledger, read, scan, splits):
    _one.__module__ = "urlgrep"
