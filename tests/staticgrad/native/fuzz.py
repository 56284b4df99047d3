"""Random graphs in machine code, beside the NumPy tier and the interpreter.

`python -m tests.staticgrad.native.fuzz 100 50` runs 50 graphs, from seed 100 on, and prints the
outcome of each. `outcomes` does so in processes of their own, which may crash or hang.
"""

import faulthandler
import json
import os
import subprocess
import sys
import warnings
from copy import deepcopy

import numpy as np

import staticgrad as sg
from gradops import OptionError
from staticgrad.runtime.checking.verification import Code, require_results
from staticgrad.runtime.feeds import as_feed

from .random_programs import random_program
from .thresholds import LOW, low_thresholds

BOUND = 1024.0  # rounding errors: some of each function, and sums in another order
SIGN = "outcome: "
PATIENCE = 100  # seconds for one graph
COMMAND = (sys.executable, "-m", "tests.staticgrad.native.fuzz")


def outcomes(seeds, command=COMMAND):
    """For each seed of a range None, or what fails, as text, or False if it has no machine code."""
    found = []
    while seeds:
        done, reason = run_apart(seeds, command)
        found += done
        seeds = seeds[len(done) :]
        if reason:
            low = f"low thresholds: {thresholds_of(seeds[0])}"
            found.append(f"{reason}\n{low}\n{random_program(seeds[0])}")
            seeds = seeds[1:]
    return found


def run_apart(seeds, command):
    """The outcomes before a process ended, and why it did; nothing if all have been run."""
    process = subprocess.run(
        [*command, str(seeds[0]), str(len(seeds))], capture_output=True, text=True, check=False,
        env=os.environ | {"STATICGRAD_CACHE": "off"},
    )  # fmt: skip
    lines = process.stdout.splitlines()  # LAPACK prints, too
    done = [json.loads(line[len(SIGN) :]) for line in lines if line.startswith(SIGN)]
    if process.returncode == 0 and len(done) == len(seeds):
        return done, ""
    return done, f"the process ended with {process.returncode}\n{process.stderr[-4000:]}"


def tell(outcome):
    """Print an outcome, for the process that waits for it."""
    print(f"{SIGN}{json.dumps(outcome)}", flush=True)


def main(first, count):
    """Run graphs, and print the outcome of each."""
    faulthandler.enable()
    for seed in range(first, first + count):
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        tell(outcome_of(seed))


def outcome_of(seed, laid_out=None):
    """What fails of a graph, as text; None if nothing does, and False if it has no machine code.

    `laid_out` makes an array of each feed.
    """
    made, low = random_program(seed), thresholds_of(seed)
    if laid_out is not None:
        made.feeds = [laid_out(np.asarray(x)) for x in made.feeds]
    with np.errstate(all="ignore"), warnings.catch_warnings(), low_thresholds(low):
        warnings.simplefilter("ignore")
        try:
            native = sg.compile(made.graph, backend="native")
            require_alike(made, native, sg.compile(made.graph))
        except OptionError:
            return False
        except Exception as error:
            return f"{error!r}\nlow thresholds: {low}\n{made}"
    return None


def thresholds_of(seed):
    """The names of thresholds that are low for a graph; for one in three none is."""
    rng = np.random.default_rng([seed, 2])
    share = rng.choice([0.0, 0.3, 0.6])
    return [name for name in LOW if rng.random() < share]


def require_alike(made, native, tier):
    """Assert that machine code gives what the NumPy tier does, or raises what that does."""
    feeds, before = made.feeds, deepcopy(made.feeds)
    sg.set_num_threads(1)
    plain = attempt(in_order, made.graph, feeds)  # which NumPy's code needs for its passes
    want = attempt(tier, *(feeds if isinstance(plain, Exception) else plain))
    got = attempt(native, *feeds)
    if isinstance(want, Exception) or isinstance(got, Exception):
        others = attempt(tier, *feeds)  # in these layouts another wrong index may come first
        assert said(got) in (said(want), said(others)), f"{got!r}, not {want!r}"
        return
    bits = bits_of(got)
    sg.set_num_threads(2)
    assert bits == bits_of(native(*feeds)), "two threads give other bits, or a second run does"
    assert bits == bits_of(got), "results were written to by a second run"
    assert bits_of(feeds) == bits_of(before), "feeds were written to"
    require_own_memory([*got], [x for x in feeds if isinstance(x, np.ndarray)])
    if isinstance(attempt(sg.interpret, made.graph, plain), Exception):
        return
    require_results(Code(BOUND), made.graph, lambda _: got, plain)


def said(outcome):
    """What an error says; of results their type."""
    return type(outcome), str(outcome) if isinstance(outcome, Exception) else ""


def require_own_memory(results, feeds):
    """Assert that no result shares memory with a feed, or with another result."""
    for i, y in enumerate(results):
        shared = [x for x in [*feeds, *results[:i]] if x is not y and np.shares_memory(x, y)]
        assert not shared, "results lie in the memory of others"


def in_order(graph, feeds):
    """Feeds as arrays in the order of C; raises FeedError."""
    return [np.array(as_feed(e, x), order="C") for e, x in zip(graph.inputs, feeds, strict=True)]


def attempt(f, *args):
    """The results of a call, or its error."""
    try:
        return f(*args)
    except Exception as error:
        return error


def bits_of(arrays):
    """The bytes of arrays."""
    return [np.asarray(x).tobytes() for x in arrays]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
