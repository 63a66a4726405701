"""Compares scan with the command, and find with other packages.

    pip install urlextract linkify-it-py
    python compare.py COMMAND FILE...

COMMAND must be a release build of urlgrep, and so must the package. The programs
run in turns. A figure is the median of the turns: seconds of processor time for the
command and scan, MB a second of processor time for find and other packages. A ratio
is the median of the ratios within each turn, so other users of the machine change it
little. Memory is the peak minus that of an interpreter with pyarrow, the maximum of
the turns. The time of find on 40 characters is the minimum, in elapsed time.
"""

import os
import re
import resource
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

ROUNDS = 5
SCAN = """
import os, sys, resource, pyarrow, urlgrep
def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
columns, threads, files = eval(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
before, start, rows = peak(), cpu(), 0
for batch in pyarrow.RecordBatchReader.from_stream(
    urlgrep.scan(files, columns=columns, threads=threads)
):
    rows += batch.num_rows
print(cpu() - start, peak() - before, rows)
"""


def scan(columns: list[str] | None, threads: int, files: list[str]) -> tuple[float, float, int]:
    """Seconds, MiB and rows."""
    command = [sys.executable, "-c", SCAN, repr(columns), str(threads), *files]
    seconds, kib, rows = subprocess.check_output(command).split()
    return float(seconds), int(kib) / 1024, int(rows)


def command(arguments: list[str]) -> float:
    """The processor time of a command, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def beside_the_command(program: str, files: list[str]) -> None:
    size = sum(map(os.path.getsize, files)) / 1e6
    print(f"{size:.0f} MB; seconds of the command, of scan, ratio, MiB of memory")
    for name, columns, option in [
        ("all columns, --json", None, ["--json"]),
        ("url, plain", ["url"], []),
    ]:
        for threads in [1, 2]:
            turns = []
            for _ in range(ROUNDS):
                theirs = command([program, f"-j{threads}", *option, "--", *files])
                turns.append((theirs, *scan(columns, threads, files)))
            theirs, ours = (statistics.median(turn[i] for turn in turns) for i in (0, 1))
            ratio = statistics.median(turn[1] / turn[0] for turn in turns)
            memory = max(turn[2] for turn in turns)
            print(
                f"{name}, {threads} threads: {theirs:.2f} {ours:.2f} {ratio:.2f} {memory:.0f}"
                f" ({turns[0][3]} rows)",
                flush=True,
            )


def timed(search: Callable[[str], int], text: str) -> tuple[float, int]:
    start = time.process_time()
    found = search(text)
    return time.process_time() - start, found


def beside_others(file: str) -> None:
    """One text of 1 MB as a str, for each package."""
    import linkify_it
    import urlextract
    import urlgrep

    with open(file, encoding="utf-8", errors="replace") as opened:
        text = opened.read(1_000_000)
    expression = re.compile(r"https?://[^\s<>\"]+")
    linkify, extractor = linkify_it.LinkifyIt(), urlextract.URLExtract()
    others: dict[str, Callable[[str], int]] = {
        "urlgrep.find": lambda text: len(urlgrep.find(text)),
        "re": lambda text: len(expression.findall(text)),
        "linkify-it-py": lambda text: len(linkify.match(text) or []),
        "urlextract": lambda text: len(extractor.find_urls(text)),
    }
    print(f"{len(text) / 1e6:.1f} MB of text: MB/s, URLs")
    for name, search in others.items():
        turns: list[Any] = [timed(search, text) for _ in range(ROUNDS)]
        seconds = statistics.median(turn[0] for turn in turns)
        print(f"{name}: {len(text) / 1e6 / seconds:.3g} {turns[0][1]}", flush=True)
    short = "see http://www.example.org/a/b/c.html ok"
    assert len(short) == 40
    turns = timeit.repeat(lambda: urlgrep.find(short), number=100_000, repeat=ROUNDS)
    print(f"find of 40 characters: {min(turns) * 10:.2f} us")


if __name__ == "__main__":
    program, *paths = sys.argv[1:]
    beside_the_command(program, paths)
    for path in paths:
        beside_others(path)
