"""Plans of graphs: what is stored, and how long that takes to decide."""

import sys

import staticgrad as sg
from staticgrad.native.planning.plan import Plan


def calls_of(f, *args):
    """The number of calls of Python functions in a call."""
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        f(*args)
    finally:
        sys.setprofile(None)
    return count


def unrolled_gradient(steps):
    """The gradient of a loop that Python unrolls, by what all steps share: a sum of many terms."""
    w = sg.placeholder("float64", [], name="w")
    q = w
    for _ in range(steps):
        q = sg.sin(q) + w * 1e-3
    return sg.compile(sg.gradients(q, [w]), [w], backend="interpreter").graph


def test_plans_take_linear_time_for_sums_of_many_terms():
    few, many = (calls_of(Plan, unrolled_gradient(n)) for n in (100, 400))
    assert many < 5 * few
