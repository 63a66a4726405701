"""The hosts that a mailing list links to, by year.

    python hosts_by_year.py archive/ [plot.png]

A plot needs matplotlib: pip install './python[plot]'.
"""

import sys
from collections import Counter, defaultdict
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import urlgrep


def hosts_by_year(inputs: Any) -> dict[int, list[tuple[str, int]]]:
    """The ten hosts with the most URLs in a year, with the numbers of URLs."""
    years: dict[int, Counter[str]] = defaultdict(Counter)
    for batch in urlgrep.scan(inputs, columns=["host", "date", "path", "reason"]).batches():
        rows = pa.record_batch(batch)
        for fault in rows.filter(pc.is_valid(rows["reason"])).to_pylist():
            print(f"{fault['path']}: {fault['reason']}", file=sys.stderr)
        dates = pc.year(rows["date"])
        for (year, host), count in Counter(
            zip(dates.to_pylist(), rows["host"].to_pylist(), strict=True)
        ).items():
            if year and host:
                years[year][host] += count
    return {
        year: sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[:10]
        for year, hosts in sorted(years.items())
    }


def plot(years: dict[int, list[tuple[str, int]]], file: str) -> None:
    """Plots a line for each of the most frequent hosts."""
    import matplotlib

    # The plot is written to a file. No window is opened.
    matplotlib.use("agg")
    from matplotlib import pyplot

    total: Counter[str] = Counter()
    for hosts in years.values():
        total.update(dict(hosts))
    for host, _ in total.most_common(8):
        pyplot.plot(list(years), [dict(hosts).get(host, 0) for hosts in years.values()], label=host)
    pyplot.legend()
    pyplot.savefig(file)
    pyplot.close()


if __name__ == "__main__":
    found = hosts_by_year([sys.argv[1]])
    for year, hosts in found.items():
        print(year, *(f"{host}:{count}" for host, count in hosts))
    if len(sys.argv) > 2:
        plot(found, sys.argv[2])
