"""Runs random programs and shows what fails: `python -m tests.agreement.fuzz first count`."""

import sys
from collections import Counter

import torch

from .programs import grown, shown
from .shrinking import shrunk


def main(first, count, *flags):
    """Run programs with seeds from `first` on; print each failure, shrunk, and a summary."""
    kinds, departures = Counter(), Counter()
    for seed in range(first, first + count):
        run = grown(torch, seed, mixed="--one" not in flags)
        if run.departure:
            departures[run.departure.name] += 1
        elif run.disagreement:
            short = shrunk(run)
            kinds[run.disagreement.kind] += 1
            print(f"--- {seed}\n{shown(short.statements)}\n{short.disagreement}", flush=True)
    print(dict(kinds), sum(kinds.values()), "failures of", count, dict(departures))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
