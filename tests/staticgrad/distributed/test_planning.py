"""Predictions of what steps cost on many workers."""

import math
from dataclasses import replace

import pytest

from staticgrad.commands.command_line import main
from staticgrad.distributed.planning.costs import REFERENCE
from staticgrad.distributed.planning.model import ENGINES, Work, breaking_point

WORK = Work(rows=1e8, block_rows=1e5, row_seconds=1e-5, gradient_bytes=8e5)
ROUNDED = 1 - 1e-12
every_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)


@every_engine
@pytest.mark.parametrize("workers", [1, 2, 7, 64, 1000])
def test_a_step_takes_no_less_than_its_arithmetic(engine, workers):
    p = engine(REFERENCE, WORK, workers)
    assert p.seconds >= p.computing >= p.ideal * ROUNDED
    assert 0 < p.efficiency * ROUNDED <= 1


@every_engine
def test_one_worker_spends_a_long_step_on_arithmetic(engine):
    assert engine(replace(REFERENCE, contention=1.0), WORK, 1).efficiency > 0.99


@every_engine
@pytest.mark.parametrize("cost", ["round_trip", "task", "add_byte", "contention"])
def test_higher_costs_never_make_a_step_shorter(engine, cost):
    higher = replace(REFERENCE, **{cost: 100 * getattr(REFERENCE, cost)})
    assert engine(higher, WORK, 50).seconds >= engine(REFERENCE, WORK, 50).seconds


@every_engine
def test_the_breaking_point_is_the_first_power_of_two_below_a_half(engine):
    short = replace(WORK, row_seconds=1e-7)
    workers = breaking_point(engine, REFERENCE, short)
    if workers is not None:
        assert math.log2(workers).is_integer()
        assert engine(REFERENCE, short, workers).efficiency < 0.5
        assert workers == 1 or engine(REFERENCE, short, workers // 2).efficiency >= 0.5


def test_the_command_prints_the_costs_and_a_line_for_each_engine(capsys):
    assert main(["plan", "--workers", "1000", "--rows", "1e9"]) == 0
    text = capsys.readouterr().out
    assert "1e+09 rows in 10,000 blocks" in text
    assert all(name in text for name in ENGINES)


@pytest.mark.parametrize("option", ["--workers=0", "--rows=-1", "--block-rows=nan"])
def test_numbers_are_positive(option, capsys):
    assert main(["plan", "--workers", "10", "--rows", "1e6", option]) == 2
    assert "is positive" in capsys.readouterr().err
