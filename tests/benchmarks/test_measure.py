"""Results are checked before they are timed, and a failure is a reason in its cell."""

import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.columns import LIBRARIES
from benchmarks.libraries.interface import Library, Refusal
from benchmarks.measure import processes
from benchmarks.measure.cells import Cell, append, turn_file
from benchmarks.measure.check import error, in_float64
from benchmarks.measure.limits import TooLong, limited, reason
from benchmarks.measure.processes import Session, merged
from benchmarks.measure.timing import medians, repetitions
from benchmarks.measure.worker import measure
from benchmarks.rows import BY_KEY

QUICK = (range(2, 3), 0.0)


@pytest.fixture
def pretend(monkeypatch):
    """Creates a library of this test from the function that builds its runs."""

    def library(build):
        adapter = SimpleNamespace(build=build, arrays=list)
        monkeypatch.setitem(sys.modules, "benchmarks.libraries.pretended", adapter)
        return Library("pretended", "numpy", "pretended")

    return library


@pytest.fixture
def workload():
    """A small one."""
    return replace(BY_KEY["bce"], sizes=BY_KEY["bce"].small)


def test_our_libraries_are_measured(workload):
    ours = [lib for lib in LIBRARIES if lib.package in ("numpy", "dynamicgrad", "staticgrad")]
    cells = measure(workload, ours, 1, 60.0, QUICK)
    assert [c.library for c in cells] == [lib.name for lib in ours]
    assert all(c.us > 0 and c.first > 0 and c.error < 1e-5 and not c.reason for c in cells)


def test_a_wrong_result_is_a_reason_and_not_timed(workload, pretend):
    wrong = pretend(lambda workload, params, data: lambda: [np.float32(0), *params])
    (cell,) = measure(workload, [wrong], 1, 60.0, QUICK)
    assert cell.us is None
    assert cell.error > 0.1
    assert cell.reason.startswith("wrong: relative error")


def test_an_error_is_a_reason(workload, pretend):
    def build(workload, params, data):
        raise ValueError("no such thing\nmore")

    (cell,) = measure(workload, [pretend(build)], 1, 60.0, QUICK)
    assert cell.us is None
    assert cell.reason == "ValueError: no such thing more"


def test_a_first_call_has_a_limit():
    with pytest.raises(TooLong, match="first call above 0 s"), limited(0.05):
        time.sleep(5)
    with limited(0.05):
        pass
    time.sleep(0.06)  # the limit ended with the block


def test_reasons_are_one_line():
    assert reason(Refusal("not written")) == "not written"
    assert reason(ValueError("\n one\ntwo\nthree")) == "ValueError: one two"


def test_errors_are_relative_and_infinite_for_what_does_not_fit():
    assert error([np.ones(3)], [np.ones(3)]) == 0
    assert error([np.ones(3)], [np.ones(2)]) == float("inf")
    assert error([np.array([1.0, np.nan])], [np.ones(2)]) == float("inf")
    assert error([np.full(4, 1.1)], [np.ones(4)]) == pytest.approx(0.1)


def test_references_are_computed_in_float64(workload):
    by_hand = next(lib for lib in LIBRARIES if lib.name == "NumPy by hand")
    assert all(a.dtype == np.float64 for a in in_float64(workload, by_hand))


def test_medians_are_of_all_runs():
    calls = {"a": [], "b": []}
    runs = {
        name: lambda made=made: made.append(time.perf_counter()) for name, made in calls.items()
    }
    found = medians(runs, range(2, 4), 0.0)
    assert set(found) == {"a", "b"}
    assert all(t > 0 for t in found.values())


def test_a_long_run_is_repeated_once():
    assert repetitions(lambda: time.sleep(0.01)) == 1


def test_times_and_memory_of_a_cell_come_from_two_processes():
    timed, probed = Cell("bce", 1, "x", us=3.0, first=0.1), Cell("bce", 1, "x", first=0.5, peak=7.0)
    cell = merged(timed, probed)
    assert (cell.us, cell.first, cell.peak) == (3.0, 0.5, 7.0)
    assert merged(None, probed) is probed
    assert merged(timed, None) is timed


def test_the_processes_of_a_session_measure_a_row(tmp_path):
    session = Session(["bce"], ["NumPy by hand"], [1], True, 60.0, tmp_path)
    (cell,) = session.measure(["memory", "times"])
    assert cell.us > 0
    assert cell.peak >= cell.steady
    assert not cell.reason


def test_a_process_that_does_not_return_is_ended(tmp_path, monkeypatch):
    waits = tmp_path / "python"
    waits.write_text("#!/bin/sh\nexec sleep 60\n")
    waits.chmod(0o700)
    monkeypatch.setattr(processes.sys, "executable", str(waits))
    monkeypatch.setattr(processes, "LONGEST_TURN", 0.1)
    session = Session(["bce"], ["NumPy by hand"], [1], True, 60.0, tmp_path)
    turn_file(tmp_path / "times-1.jsonl").write_text("bce\nNumPy by hand")
    assert session.watched(1, {"out": str(tmp_path / "times-1.jsonl")}) == processes.STUCK


def test_a_library_that_does_not_return_is_left_out_of_its_row(tmp_path, monkeypatch):
    session = Session(["bce", "mlp"], ["NumPy by hand", "other"], [1], True, 60.0, tmp_path)
    skipped = []

    def watched(threads, orders):
        skipped.append(orders["skipped"])
        if len(skipped) == 1:
            turn_file(orders["out"]).write_text("bce\nother")
            return processes.STUCK
        append(
            Path(orders["out"]), [Cell(row, 1, "NumPy by hand", us=1.0) for row in orders["rows"]]
        )
        return processes.ENDED.format(0)

    monkeypatch.setattr(session, "watched", watched)
    cells = session.measure(["times"])
    assert skipped == [[], [("bce", "other")]]
    assert {c.key: c.reason for c in cells if c.library == "other"} == {
        ("bce", 1, "other"): processes.STUCK
    }
