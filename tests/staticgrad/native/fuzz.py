"""Random graphs in machine code, beside the NumPy tier and the interpreter.

`python -m tests.staticgrad.native.fuzz 100 50` runs 50 graphs from seed 100 on. Each is announced
before it is run, so that `failures` knows which one ended the process, or took too long.
"""

import faulthandler
import json
import subprocess
import sys
import warnings

import numpy as np

import staticgrad as sg
from gradops import OptionError
from staticgrad.runtime.verification import Code, require_results

from ..passes.random_graphs import SHAPES, random_graph

BOUND = 1024.0  # rounding errors: a few of each function, and sums in another order
PATIENCE = 120  # seconds for one graph


def made_graph(seed):
    """The random graph of a seed, of which all sizes are known."""
    return random_graph(seed, named=SHAPES)


def failure_of(seed):
    """What differs, as text; None if nothing does, and False if the graph has no machine code."""
    made = made_graph(seed)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            native = sg.compile(made.graph, backend="native")
            require_alike(made, native, sg.compile(made.graph))
        except OptionError:
            return False
        except Exception as error:
            return f"{error!r}\n{made}"
    return None


def require_alike(made, native, tier):
    """Assert that machine code gives what the NumPy tier does, or raises what that does."""
    before = [x.copy() for x in made.feeds]
    want, got, again = (outcome(f, made.feeds) for f in (tier, native, native))
    if isinstance(want, Exception):
        assert (type(got), str(got)) == (type(want), str(want)), (want, got)
        return
    if isinstance(got, Exception):
        raise got
    bits = [np.asarray(y).tobytes() for y in got]
    assert bits == [np.asarray(y).tobytes() for y in again], "a second run gives other bits"
    assert all(map(np.array_equal, before, made.feeds, [True] * len(before))), "feeds changed"
    assert not any(np.shares_memory(x, y) for x in made.feeds for y in map(np.asarray, got))
    if not isinstance(outcome(sg.interpret, made.graph, made.feeds), Exception):
        require_results(Code(BOUND), made.graph, lambda _: want, made.feeds)
        require_results(Code(BOUND), made.graph, lambda _: got, made.feeds)


def outcome(f, *args):
    """The results of a call, or its error."""
    try:
        return f(*args) if f is sg.interpret else f(*args[0])
    except Exception as error:
        return error


def failures(first, count):
    """The failures of some seeds, and the number of graphs that have machine code.

    They are run in a process of their own. Where that ends before its time, a new one goes on.
    """
    found, ran, seed, last = [], 0, first, first + count
    while seed < last:
        messages, process = run_in_process(seed, last - seed)
        for seed, failure in messages:  # noqa: B007 - the last one is read below
            ran += failure is not False
            found += [failure] if failure else []
        if process.returncode == 0:
            return found, ran
        seed = int(process.seed)
        found.append(f"{process.reason}\n{made_graph(seed)}")
        seed += 1
    return found, ran


def main(first, count):
    """Run graphs; print a line before, and one after each."""
    for seed in range(first, first + count):
        print(json.dumps([seed]), flush=True)
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        print(json.dumps([seed, failure_of(seed)]), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
