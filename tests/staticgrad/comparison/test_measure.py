"""Times, numbers of calls after which a way pays, and texts of quantities."""

import itertools
import math

import pytest

from staticgrad.comparison.measure import (
    break_even,
    bytes_text,
    calls_text,
    seconds_per_call,
    time_text,
)  # fmt: skip


def test_all_functions_are_called_in_turns():
    calls = []
    times = seconds_per_call([lambda: calls.append(0), lambda: calls.append(1)], 0.002)
    assert len(times) == 2
    assert set(calls) == {0, 1}
    assert sum(a != b for a, b in itertools.pairwise(calls)) >= 7
    assert seconds_per_call([], 1.0) == []


@pytest.mark.parametrize("first", [1.0, 2.0, 10.0])
@pytest.mark.parametrize("later", [0.1, 0.5])
def test_after_the_break_even_a_way_has_taken_less_time(first, later):
    n = break_even(first, later, 1.0, 1.0)
    spent = lambda first, later, calls: first + later * (calls - 1)
    assert spent(first, later, n + 0.01) <= spent(1.0, 1.0, n + 0.01)
    assert n == 1 or spent(first, later, n - 0.01) > spent(1.0, 1.0, n - 0.01)


def test_a_slower_way_never_pays():
    assert break_even(2.0, 2.0, 1.0, 1.0) == math.inf
    assert calls_text(math.inf) == "never"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (time_text(1.2345e-6), "1.23 us"), (time_text(0.99951e-3), "1.00 ms"),
        (time_text(123.4), "123 s"), (time_text(None), ""), (time_text(4e-8), "0.0400 us"),
        (bytes_text(999), "999 B"), (bytes_text(1234), "1.23 kB"), (bytes_text(999_600), "1 MB"),
        (bytes_text(5_000_000_000), "5 GB"), (bytes_text(None), ""),
        (calls_text(1234.4), "1,234 calls"), (calls_text(1.0), "always"), (calls_text(None), ""),
    ],
)  # fmt: skip
def test_quantities_have_three_digits_at_most(text, expected):
    assert text == expected
