"""Divides files among workers."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import urlgrep
from urlgrep import Split


def count(parts: list[Split]) -> int:
    return sum(1 for _ in urlgrep.read(parts, columns=["url"]))


with tempfile.TemporaryDirectory() as name:
    for i in range(3):
        (Path(name) / f"{i}.txt").write_text("http://a.example/\n")
    with ThreadPoolExecutor() as pool:
        assert sum(pool.map(count, urlgrep.splits(name, split="1m"))) == 3
