"""Distances between results in units in the last place."""

import numpy as np
import pytest

from staticgrad.comparison.bits import is_same_to_the_bit, text_of_distance, ulps

one = np.float64(1)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_a_distance_counts_the_numbers_between(dtype, steps):
    x = y = np.full(3, 1.5, dtype)
    for _ in range(steps):
        y = np.nextafter(y, np.array(2, dtype))
    assert ulps([x], [y]) == steps
    assert ulps([y * 1j], [x * 1j]) == steps * (dtype == "f8") or dtype != "f8"


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (one, one, "equal"), (np.nan, np.nan, "equal"), (np.inf, np.inf, "equal"),
        (0.0, -0.0, "signs of zeros"), (np.nan, -np.nan, "bits of NaN"),
        (one, np.inf, "differs"), (one, np.nan, "differs"),
        (one, np.float32(1), "differs"), (one, np.ones(1), "differs"), (1, 2, "differs"),
        (np.array([1.0, 1e-17]), np.array([1.0, 2e-17]), "1e-17 of max"),
        (one, 1 + 2**-52, "1 ULP"), (np.zeros(0), np.zeros(0), "equal"),
    ],
)  # fmt: skip
def test_a_distance_has_a_text(a, b, text):
    assert text_of_distance([np.asarray(a)], [np.asarray(b)]) == text
    assert is_same_to_the_bit([np.asarray(a)], [np.asarray(b)]) == (text == "equal")


def test_lists_of_other_lengths_differ():
    assert ulps([one], []) == np.inf
    assert text_of_distance([one], [one, one]) == "differs"
