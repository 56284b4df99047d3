"""`plan`: what a step of training costs on many workers."""

import argparse
from collections.abc import Iterator

from ..distributed.planning.costs import REFERENCE, Costs
from ..distributed.planning.model import ENGINES, Work, breaking_point
from .command_line import FINE, CommandError, progress

EXAMPLES = (
    "--workers 1000 --rows 1e9", "--workers 64 --rows 1e8 --parameters 1e6 --block-rows 1e5",
    "--workers 2 --rows 1e6 --row-time 1e-6 --measure",
)  # fmt: skip
ITEM = 8  # bytes of a float64
FLOPS = 6  # of a parameter for each row: forward, and the gradients by rows and by parameters


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--workers", type=float, required=True, help="processes that compute")
    parser.add_argument("--rows", type=float, required=True, help="rows of a step")
    parser.add_argument("--parameters", type=float, default=1e5, help="floats; default 1e5")
    parser.add_argument("--block-rows", type=float, default=1e5, help="default 1e5")
    parser.add_argument(
        "--row-time", type=float, help="seconds of a row; default 6 operations per parameter"
    )
    parser.add_argument("--measure", action="store_true", help="measure this machine: seconds")


def command(options: argparse.Namespace) -> int:
    """Print what a step costs with each engine on many workers, by an alpha-beta model.

    A step sends parameters to all workers, computes the gradient of all rows and adds it up. The
    costs of tasks, messages and sums are those of a reference machine, or measured here.
    """
    for name in ("workers", "rows", "parameters", "block_rows", "row_time"):
        value = getattr(options, name)
        if value is not None and not 0 < value < float("inf"):
            raise CommandError(f"--{name.replace('_', '-')} is positive, not {value}")
    costs = measured_here() if options.measure else REFERENCE
    row = options.row_time or FLOPS * options.parameters / costs.flops
    work = Work(options.rows, options.block_rows, row, ITEM * options.parameters)
    print("\n".join([*costs_table(costs), "", *step_table(costs, work, int(options.workers))]))
    return FINE


def measured_here() -> Costs:
    """The costs of this machine."""
    from ..distributed.planning.measuring import measured

    with progress("measuring"):
        return measured()


def costs_table(costs: Costs) -> Iterator[str]:
    """The lines of the costs."""
    yield f"costs, of {costs.source}:"
    yield f"  arithmetic              {costs.flops / 1e9:10.1f} billion operations a second"
    yield f"  adding gradients        {1e-9 / costs.add_byte:10.1f} GB/s"
    yield f"  Dask, round trip        {1e3 * costs.round_trip:10.3f} ms"
    yield f"  Dask, task              {1e3 * costs.task:10.3f} ms of the scheduler"
    yield f"  Dask, a block           {costs.contention:10.2f} times as long as in a process alone"
    for name in ("dask", "resident", "mpi"):
        link = getattr(costs, name)
        label = {"dask": "Dask", "resident": "Dask, resident", "mpi": "MPI"}[name]
        rate = f"{1e-9 / link.per_byte:.1f} GB/s" if link.per_byte else "any rate"
        yield f"  {label + ', message':24}{1e3 * link.latency:10.3f} ms, {rate}"


def step_table(costs: Costs, work: Work, workers: int) -> Iterator[str]:
    """The lines of the predictions."""
    yield (
        f"a step of {work.rows:.3g} rows in {work.blocks:,} blocks, {work.row_seconds:.2g} s a row,"
        f" gradients of {work.gradient_bytes / 1e6:.3g} MB, on {workers:,} workers:"
    )
    yield "  engine               seconds  efficiency  speed-up  most is     below 50 % at"
    for name, engine in ENGINES.items():
        p = engine(costs, work, workers)
        limit = breaking_point(engine, costs, work)
        at = f"{limit:,} workers" if limit else "more than blocks"
        yield (
            f"  {name:18}{p.seconds:10.4g}{100 * p.efficiency:10.1f} %"
            f"{workers * p.efficiency:10.4g}  {p.bound:10}  {at}"
        )
