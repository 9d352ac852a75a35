"""What it costs to keep bytes in an object store instead of a folder, by how many there are at once.

    python benchmarks/bench_objects.py [--runs 5] [--dry-run]

States' worth of random bytes are written and read back whole, in a folder with its fsync and in S3 as moto's server on
this machine speaks it, in turns. That server is Python and holds all in memory: what is measured is what the client,
its requests and the copies cost, and no network. Wall time, medians with the quartiles around them.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time

from hippo.checkpoints import open_checkpoints
from hippo.testing.s3_server import s3_client, s3_server
from report import markdown_table, write_report

SIZES = {"10 KB": 10_000, "1 MB": 1_000_000, "25 MB": 25_000_000, "100 MB": 100_000_000}
BUCKET = "bench"


def write_and_read(store, key, data):
    """Return how many ms each takes; ends if what is read is something else."""
    began = time.perf_counter()
    written = store.write(key, lambda file: file.write(data))
    between = time.perf_counter()
    read = store.read(key, sha256=written.sha256, size_bytes=written.size_bytes)
    ended = time.perf_counter()
    assert read == data, f"{key} is read as something else"
    store.delete(key)
    return (between - began) * 1e3, (ended - between) * 1e3


def measured(stores, runs):
    """Return a row for each size and store, the stores in turns, after one turn that does not count."""
    rows = []
    for size, num_bytes in SIZES.items():
        data = random.Random(0).randbytes(num_bytes)
        came = {name: [] for name in stores}
        for run in range(runs + 1):
            for name, store in stores.items():
                times = write_and_read(store, f"u/p1/{num_bytes}-{run}", data)
                if run:
                    came[name].append(times)
        rows += [row_of(size, name, came[name]) for name in stores]
    return rows


def row_of(size, name, times):
    row = {"size": size, "store": name}
    for what, each in zip(("write", "read"), zip(*times, strict=True), strict=True):
        low, median, high = statistics.quantiles(each, n=4, method="inclusive") if len(each) > 1 else each * 3
        row |= {f"{what}_ms": round(median, 2), f"{what}_quartiles_ms": f"{low:.2f} to {high:.2f}"}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dry-run", action="store_true", help="print, and keep nothing")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, s3_server() as variables:
        os.environ.update(variables)
        s3_client(variables).create_bucket(Bucket=BUCKET)
        stores = {"folder": open_checkpoints(folder), "S3": open_checkpoints(f"s3://{BUCKET}/states")}
        rows = measured(stores, arguments.runs)
    if arguments.dry_run:
        print(markdown_table(list(rows[0]), [list(row.values()) for row in rows]))
        return
    how = f"Wall-ms of writing and reading, in turns, median of {arguments.runs}"
    write_report("objects", rows, how, seeds="0")


if __name__ == "__main__":
    main()
