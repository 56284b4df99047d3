"""Cells become tables, charts, a file and a page."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from benchmarks.columns import LIBRARIES
from benchmarks.measure.cells import Cell, append, read
from benchmarks.report import plots as charts
from benchmarks.report.page import PAGE, filled, measured, plots, sections, write
from benchmarks.report.plots import chart, limits
from benchmarks.report.results import Results, load, reasons, save
from benchmarks.report.tables import (
    by_row,
    duration,
    first_cell,
    grid,
    label,
    memory_ratios,
    ratios,
    time_cell,
)
from benchmarks.rows import WORKLOADS

CELLS = [
    Cell("mlp", 1, "NumPy by hand", us=50.0, first=0.01, error=1e-7, peak=2.0, steady=1.0),
    Cell("mlp", 1, "staticgrad 2", us=60.0, first=0.02, error=1e-7, peak=3.0, steady=1.0),
    Cell("mlp", 1, "JAX jit", us=80.0, first=0.3, error=1e-7, peak=90.0, steady=9.0),
    Cell("mlp", 1, "PyTensor", reason="first call above 30 s"),
    Cell("adam", 2, "staticgrad 2", us=9_000.0, first=0.1, error=1e-6),
    Cell("adam", 1, "staticgrad 2", us=12_000.0, first=0.1, error=1e-6),
    Cell("adam", 1, "JAX jit", first=0.1, error=0.5, reason="wrong: relative error 5.0e-01"),
]
MARKS = ("about", "times", "ratios", "first", "memory", "memory ratios", "errors", "reasons")


def test_a_row_of_a_table_has_the_times_in_their_units_and_words_for_what_has_none():
    table = by_row(CELLS)
    lines = grid(table, measured(table), time_cell).splitlines()
    assert lines[0] == "| workload | NumPy by hand | staticgrad 2 | JAX jit | PyTensor |"
    assert lines[2].endswith("| 50.0 us | 60.0 us | 80.0 us | too long |")
    assert lines[3].endswith("|  | 12.0 ms | wrong |  |")
    assert lines[4].startswith("| MLP 784-1024-1024-10, batch 256, Adam step (2) |")


def test_ratios_above_the_target_are_bold():
    line = ratios(by_row(CELLS)).splitlines()[2]
    assert line.endswith("| **1.20** | 0.75 | JAX jit | 0.75 | - | - | - | - |")


def test_machine_code_is_compared_with_peers_with_numpy_and_with_code_by_hand():
    native = Cell("mlp", 1, "staticgrad native", us=66.0)
    line = ratios(by_row([*CELLS, native])).splitlines()[2]
    assert line.endswith("| JAX jit | 0.75 | 0.82 | **1.10** | **2.00** | - |")


def test_the_first_call_with_kept_code_is_shown_beside_the_first():
    assert first_cell(CELLS[0]) == "0.01"
    assert first_cell(replace(CELLS[0], warm=0.004)) == "0.01 / 0.004"


def test_memory_above_the_target_is_bold():
    torch = Cell("mlp", 1, "torch eager", peak=2.5)
    line = memory_ratios(by_row([*CELLS[:3], torch])).splitlines()[2]
    assert line.endswith("| **1.20** | torch eager | **1.20** | - |")


@pytest.mark.parametrize(
    ("us", "shown"), [(1.234, "1.23 us"), (12_345, "12.3 ms"), (2e6, "2.00 s")]
)
def test_durations_have_three_digits(us, shown):
    assert duration(us) == shown


def test_each_reason_is_told_once_for_a_library():
    again = Cell("bce", 1, "PyTensor", reason="first call above 30 s")
    assert "PyTensor, mlp, bce: first call above 30 s" in reasons([*CELLS, again])
    here, there = (replace(CELLS[0], reason=f"no code for <op at 0x7f{n}>") for n in (1, 2))
    assert reasons([here, there]) == [f"{here.library}, {here.row}: no code for <op>"]


def test_cells_are_read_as_they_were_written(tmp_path):
    append(tmp_path / "cells", CELLS[:3])
    append(tmp_path / "cells", CELLS[3:])
    assert read(tmp_path / "cells") == CELLS
    results = Results({"date": "today"}, CELLS)
    save(tmp_path / "results", results)
    assert load(tmp_path / "results") == results


def test_charts_have_a_mark_for_each_value():
    texts = plots(by_row(CELLS))
    root = ET.fromstring(texts["times"])
    titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    names = measured(by_row(CELLS))
    values = ["NumPy by hand: 0.833", "JAX jit: 1.33", *["staticgrad 2: 1"] * 3]
    assert sorted(titles) == sorted([*names, *values])
    assert all(ET.fromstring(text).tag.endswith("svg") for text in texts.values())


def test_labels_of_all_rows_have_room_and_series_have_looks_of_their_own():
    labels = [label((w.key, 2)) for w in WORKLOADS]
    assert max(map(len, labels)) * charts.LETTER <= charts.LEFT - 10
    assert len(set(charts.COLOURS)) == len(charts.COLOURS) >= len(LIBRARIES)


def test_a_chart_escapes_its_labels_and_may_be_empty():
    assert "a &lt; b" in chart("a < b", [], [])


def test_the_axis_goes_from_power_to_power_of_ten():
    assert limits([0.5, 20]) == (0.1, 100)
    assert limits([1, 1]) == (1, 10)


def test_writing_replaces_the_figures_and_keeps_the_text(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "".join(f"Before.\n<!-- begin: {m} -->\nold\n<!-- end: {m} -->\n" for m in MARKS)
    )
    for _ in range(2):
        write(Results({"date": "today"}, CELLS), page, tmp_path / "plots")
    text = page.read_text()
    assert text.count("Before.") == len(MARKS)
    assert "old" not in text
    assert "60.0 us" in text
    assert {p.name for p in (tmp_path / "plots").iterdir()} == {
        "results.json", "times.svg", "memory.svg", "first.svg",
    }  # fmt: skip


def test_a_page_without_a_mark_is_refused():
    with pytest.raises(ValueError, match="'times' 0 times"):
        filled("no marks", {"times": "figures\n"})


def test_the_page_in_the_documentation_has_all_marks():
    filled(PAGE.read_text(), sections(Results({"date": "2026-01-01"}, CELLS), by_row(CELLS)))
