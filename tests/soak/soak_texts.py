"""Hostile texts of almost 16 MiB, each read in a process of its own. Run by `make soak`."""

import pytest

from staticgrad.text.budget import SAFE
from tests.staticgrad.ir.measuring import KINDS, costs


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_below_the_limit_takes_two_seconds_or_512_mb(kind):
    (cost,) = costs(SAFE - 1, kind)
    assert cost.seconds < 2, cost
    assert cost.megabytes < 512, cost


def test_no_attribute_of_an_op_takes_long():
    (cost,) = costs(200_000, "ops")
    assert cost.seconds < 0.5, cost
    assert cost.megabytes < 512, cost
