"""Simulates how unequal the parts of an archive are.

    python skew.py FOLDER

Draws messages at random from the mbox files in the folder, about 64 GiB in all. Does
this twice. In the second archive, one message in a thousand, chosen at random, gets an
attachment of 1 to 25 MiB. Cuts each archive into equal parts. Each message belongs to
the part in which it begins.
"""

import re
import sys
from pathlib import Path

import numpy as np

sizes: list[int] = []
for path in Path(sys.argv[1]).rglob("*.mb*x"):
    starts = [match.start() for match in re.finditer(rb"^From .*\d\d:\d\d", path.read_bytes(), re.M)]
    sizes += np.diff(starts).tolist()
found = np.array(sizes)
print(f"{len(found)} messages: mean {found.mean():.0f}, largest {found.max()} bytes")
random = np.random.default_rng(19)
for attachments in [False, True]:
    mean = found.mean() + (13 << 20) / 1000 * attachments
    drawn = random.choice(found, int((64 << 30) / mean))
    if attachments:
        large = random.random(len(drawn)) < 0.001
        drawn[large] += random.integers(1 << 20, 25 << 20, large.sum())
    ends = np.cumsum(drawn)
    for split in [1 << 20, 8 << 20, 64 << 20]:
        parts = np.bincount((ends - drawn) // split, weights=drawn)[:-1]
        ratio = parts.max() / parts.mean()
        print(f"attachments {attachments}, {split >> 20} MiB: largest / mean {ratio:.2f}")
