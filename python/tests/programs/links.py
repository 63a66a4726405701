"""Reads a ledger."""

import os
from collections.abc import Iterator
from typing import Any

import urlgrep
from urlgrep import Ledger


def senders(ledger: Ledger) -> Iterator[dict[str, Any]]:
    return ledger.rows("SELECT sender, count(*) AS n FROM links GROUP BY 1 ORDER BY 2 DESC")


if path := os.environ.get("LEDGER"):
    with urlgrep.ledger(path) as links:
        print(next(senders(links), None))
