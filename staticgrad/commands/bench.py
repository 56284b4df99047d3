"""`bench`: the time of a call on each backend."""

import argparse
import json
import time
from functools import partial
from typing import Any, NamedTuple

from gradops import OptionError

from ..comparison.measure import bytes_text, seconds_per_call, time_text
from ..comparison.result import aligned
from ..ir.graph import FrozenGraph
from ..runtime.compilation import compile
from .command_line import FINE, add_model, add_output, progress, write_text
from .graphs import read_feeds, read_graph

BACKENDS = {
    "interpreter": dict(backend="interpreter", optimize=0),
    "numpy, optimize=0": dict(backend="numpy", optimize=0),
    "numpy, optimize=1": dict(backend="numpy", optimize=1),
    "numpy, optimize=2": dict(backend="numpy", optimize=2),
    "native": dict(backend="native", optimize=2),
}
EXAMPLES = ("model.sg", "model.sg x=x.npy", "model.sg x=float32[64,128] --json -o times.json",
            "model.sg --timeline memory.svg --flame time.svg")  # fmt: skip


class Timing(NamedTuple):
    """The seconds of a call, and of compiling; or the reason why there are none."""

    backend: str
    seconds: float | None
    compiling: float | None
    peak: int | None
    reason: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument("feeds", metavar="FEED", nargs="*", help="as of run; others are random")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long to measure; default 2")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--timeline", metavar="FILE.svg", help="draw the memory of a run over time")
    parser.add_argument("--flame", metavar="FILE.svg", help="draw the time by scope and operation")
    add_output(parser, "the times")


def command(options: argparse.Namespace) -> int:
    """Measure the time of a call on each backend, in turns.

    Inputs without a value are random, and unknown sizes are small.
    """
    graph = read_graph(options.model)
    feeds = read_feeds(graph, options.feeds, fill=True)
    with progress(f"measuring for {options.seconds:g} s"):
        found = timings(graph, feeds, options.seconds)
    as_json = json.dumps([t._asdict() for t in found], indent=1)
    if options.timeline:
        compile(graph).timeline(feeds).save(options.timeline)
    if options.flame:
        compile(graph, backend="numpy").profile(feeds).flame(options.flame)
    write_text(as_json if options.json else table(found), options.output)
    return FINE


def timings(graph: FrozenGraph, feeds: list[Any], seconds: float) -> list[Timing]:
    """The times of all backends."""
    compiled, found = {}, {}
    for name, options in BACKENDS.items():
        begin = time.perf_counter()
        try:
            run = compile(graph, **options)  # type: ignore[arg-type]
        except OptionError as error:
            found[name] = Timing(name, None, None, None, str(error).splitlines()[0])
            continue
        run(*feeds)
        compiled[name] = partial(run, *feeds)
        peak = run.report.measure(*feeds).measured_peak if name.startswith("numpy") else None
        found[name] = Timing(name, None, time.perf_counter() - begin, peak)
    times = seconds_per_call(list(compiled.values()), seconds)
    for name, each in zip(compiled, times, strict=True):
        found[name] = found[name]._replace(seconds=each)
    return list(found.values())


def table(found: list[Timing]) -> str:
    """The times as text."""
    rows = [("", "per call", "first result", "peak")]
    rows += [(t.backend, time_text(t.seconds) or "not run", time_text(t.compiling),
              bytes_text(t.peak)) for t in found]  # fmt: skip
    reasons = [f"  {t.backend}: {t.reason}" for t in found if t.reason]
    return "\n".join([*aligned(rows), *reasons])
