"""The rows of testdata, which the Rust tests read too."""

import re
import tomllib
from pathlib import Path
from typing import Any

TESTDATA = Path(__file__).parents[2] / "testdata"
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "f": b"\f", "\\": b"\\"}


def rows(files: str) -> list[dict[str, Any]]:
    """The rows of the files whose path matches a pattern."""
    found = [
        row
        for file in sorted(TESTDATA.glob(files))
        for row in tomllib.loads(file.read_text(encoding="utf-8"))["row"]
    ]
    assert found, files
    return found


def unescape(text: str) -> bytes:
    """Decodes the escapes of a row."""
    out = b""
    for plain, escape in re.findall(r"([^\\]+)|\\(x..|.)", text, re.DOTALL):
        if escape.startswith("x"):
            out += bytes.fromhex(escape[1:])
        else:
            out += ESCAPES.get(escape, b"") + plain.encode()
    return out


def unmark(text: str) -> tuple[bytes, list[tuple[int, int]]]:
    """The text of a row without its marks, and the spans between the marks."""
    out, spans, start = b"", [], 0
    for piece in re.split("([⟦⟧])", text):
        if piece == "⟦":
            start = len(out)
        elif piece == "⟧":
            spans.append((start, len(out)))
        else:
            out += unescape(piece)
    return out, spans
