"""Random PyTorch programs agree with torch, but for a list of departures. See `fuzz`."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from .fuzz.departures import DEPARTURES
from .fuzz.programs import disagreement_of
from .fuzz.running import Run, Statement

PROGRAMS, EACH = 500, 25  # tests/soak runs the seeds that follow
PAGE = Path(__file__).resolve().parents[2] / "docs/explanation/coming-from-pytorch.md"
every_departure = pytest.mark.parametrize("departure", DEPARTURES, ids=lambda d: d.name)


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is the oracle")


@pytest.mark.peers
@pytest.mark.parametrize("first", range(0, PROGRAMS, EACH))
def test_random_programs_agree_with_torch(first, torch):
    found = [disagreement_of(torch, seed) for seed in range(first, first + EACH)]
    assert not any(found), "\n".join(filter(None, found))


@pytest.mark.peers
@every_departure
def test_a_departure_is_seen_in_its_example(departure, torch):
    run = Run(torch)
    for text in dedent(departure.example).strip().split("\n"):
        run.step(Statement(text))
    assert run.departure is departure, run.disagreement


def rows():
    """The rows of the table of departures on the page, without its head."""
    table = PAGE.read_text(encoding="utf-8").split("<!-- departures -->")[1]
    return [line for line in table.split("\n") if line.startswith("|")][2:]


def test_the_page_shows_every_departure():
    wanted = [f"| {d.name} | {d.torch} | {d.here} | {d.reason} |" for d in DEPARTURES]
    assert rows() == wanted


def test_a_departure_has_every_part():
    for d in DEPARTURES:
        assert all((d.torch, d.here, d.reason, re.search(r"v\d", d.example))), d.name
