"""The hosts with the most URLs, counted by several processes.

    python hosts_in_parallel.py s3://bucket/archive/ other.mbox

Any executor with map can take the place of the pool: Dask, Ray, mpi4py.
"""

import sys
from collections import Counter
from concurrent.futures import Executor, ProcessPoolExecutor

import pyarrow as pa
import urlgrep


def hosts(job: list[urlgrep.Split]) -> Counter[str]:
    rows = pa.table(urlgrep.read(job, columns=["host"]))
    return Counter(host for host in rows["host"].to_pylist() if host)


def count(paths: list[str], pool: Executor, split: str = "64m") -> Counter[str]:
    return sum(pool.map(hosts, urlgrep.splits(paths, split=split)), Counter[str]())


if __name__ == "__main__":
    with ProcessPoolExecutor() as processes:
        for host, number in count(sys.argv[1:], processes).most_common(20):
            print(number, host)
