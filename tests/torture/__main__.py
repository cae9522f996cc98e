"""Torture: runs and sweeps that are killed, stormed with signals or short of room, each to end with the same bits.

`make torture` takes about 20 minutes; `make torture SIZE=0.1 SEED=3` a tenth of it, with other moments. At the end it
prints how many cases of each kind there were and how many were right; cases that were not keep their folders.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import cluster
import runs
import sweeps
from cases import Count, Place

PARTS = {
    "runs killed": (100, runs.killed),
    "runs stormed with signals": (20, runs.stormed),
    "disks that fill": (20, runs.short_of_room),
    "sweeps killed": (20, sweeps.killed),
    "two sweeps on one folder": (4, sweeps.doubled),
    "clusters that lose a node": (2, cluster.loses_a_node),
    "clusters whose head is restarted": (1, cluster.loses_its_head),
}
"""By name: how many cases, and the function that does one of them."""


def main() -> None:
    given = _arguments()
    root = Path(tempfile.mkdtemp(prefix="narlab-torture-"))
    until = time.monotonic() + 60 * given.minutes
    counts = []
    for name, (full, one) in PARTS.items():
        if not given.only or given.only in name:
            count = Count(name, max(1, round(full * given.size)))
            counts.append(count)
            for k in range(count.asked):
                if time.monotonic() > until:
                    break
                count.do(one, Place(root / name.replace(" ", "-"), k, random.Random(f"{given.seed} {name} {k}")))
    print("\n".join(["", *map(str, counts)]))
    if any(count.wrong for count in counts):
        sys.exit(f"look into {root}")
    shutil.rmtree(root)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=1.0, help="share of all cases; default 1")
    parser.add_argument("--seed", type=int, default=0, help="decides the moments")
    parser.add_argument("--minutes", type=float, default=20.0, help="after so many no case is begun")
    parser.add_argument("--only", help="only parts with this in their names, such as disks")
    return parser.parse_args()


if __name__ == "__main__":
    main()
