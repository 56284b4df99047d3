"""The second derivative of a loop is that of the formula, in every way."""

import importlib.util
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

PATH = Path(__file__).parents[2] / "examples" / "loop_twice.py"
spec = importlib.util.spec_from_file_location("loop_twice", PATH)
loop_twice = importlib.util.module_from_spec(spec)
spec.loader.exec_module(loop_twice)


@pytest.mark.parametrize("at", [0.3, 2.0])
def test_every_way_agrees_with_the_formula(at):
    for n, ways in loop_twice.run(at, counts=(1, 7, 300)).items():
        expected = ways.pop("closed form")
        for way, found in ways.items():
            # each of the n steps rounds a few times
            assert_allclose(found, expected, rtol=1e-15 * (10 + n), err_msg=f"{way}, n = {n}")


def test_the_loop_may_have_no_steps():
    value, slope, *curvature = loop_twice.by_graph()(0.3, 0)
    assert (value, slope, *curvature) == (0.3, 1.0, 0.0, 0.0)


def test_the_table_is_printed(capsys):
    loop_twice.main()
    lines = capsys.readouterr().out.splitlines()
    assert sum("closed form" in line for line in lines) == len(loop_twice.COUNTS)
    assert len({len(line) for line in lines if "e-" in line}) == 1  # aligned
