"""The cost table: figures with units, which are measured once and kept in a file."""

import json
import os
import stat
from dataclasses import replace

import pytest

from gradops.kernels.threads import get_num_threads, set_num_threads
from gradops.native import costs
from gradops.native.costs import DEFAULT, CostTable, measurement
from gradops.native.costs import file as cost_file


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache directory of a test, and no table of another one."""
    monkeypatch.setenv("STATICGRAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("STATICGRAD_COSTS", raising=False)
    cost_file.machine_table.cache_clear()
    yield tmp_path / "cache"
    cost_file.machine_table.cache_clear()


@pytest.fixture
def measurements(monkeypatch):
    """Tables in place of measured ones: each costs more than the last."""
    pytest.importorskip("llvmlite")
    made = []

    def measured():
        made.append(replace(DEFAULT, blas_call=100.0 + len(made)))
        return made[-1]

    monkeypatch.setattr("gradops.native.costs.measurement.measured", measured)
    return made


def test_every_figure_has_a_unit_and_is_shown():
    text = str(DEFAULT)
    assert text.startswith("defaults, not measured")
    for name, value, unit in DEFAULT.rows():
        assert unit.startswith("ns ")
        assert value > 0
        assert name in text


def test_a_table_is_the_same_after_it_was_written_and_read():
    text = json.dumps(DEFAULT.to_dict())
    again = CostTable.from_dict(json.loads(text))
    assert again == DEFAULT
    assert again.is_measured
    assert again.key == DEFAULT.key


@pytest.mark.parametrize("change", [
    {"byte": 0.0}, {"byte": float("nan")}, {"byte": float("inf")}, {"byte": "fast"}, {"f4": None},
    {"new": 1.0},
])  # fmt: skip
def test_what_is_not_a_table_is_refused(change):
    with pytest.raises(ValueError, match="cost table"):
        CostTable.from_dict({**DEFAULT.to_dict(), **change})


def test_a_table_may_be_set_for_a_block():
    other = replace(DEFAULT, blas_call=1.0)
    before = costs.table()
    with costs.using(other):
        assert costs.table() is other
    assert costs.table() is before


def test_it_is_measured_once_and_kept(folder, measurements):
    first = cost_file.machine_table()
    assert first == measurements[0]
    cost_file.machine_table.cache_clear()
    assert cost_file.machine_table() == first
    assert cost_file.machine_table().is_measured
    assert len(measurements) == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_it_is_measured_again_after_it_was_cleared(folder, measurements):
    cost_file.machine_table()
    cost_file.clear()
    assert cost_file.machine_table() == measurements[1]


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff\xfe", None])
def test_a_damaged_file_is_measured_again(folder, measurements, content):
    cost_file.machine_table()
    (file,) = folder.iterdir()
    kept = file.read_bytes()
    file.write_bytes(kept.replace(b"100.0", b"900.0") if content is None else content)
    cost_file.machine_table.cache_clear()
    assert cost_file.machine_table() == measurements[1]


def test_the_first_process_decides(folder):
    other = replace(DEFAULT, blas_call=55.0)
    assert cost_file.keep(other) == other
    assert cost_file.keep(DEFAULT) == other


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_where_nothing_can_be_kept_nothing_is_measured(folder, measurements):
    folder.parent.chmod(0o500)
    try:
        assert cost_file.machine_table() == DEFAULT
    finally:
        folder.parent.chmod(0o700)
    assert not measurements


def test_a_directory_that_others_may_write_to_is_not_used(folder, measurements):
    folder.mkdir()
    folder.chmod(0o777)
    assert cost_file.machine_table() == DEFAULT
    assert not measurements


def test_the_defaults_can_be_asked_for(folder, measurements, monkeypatch):
    monkeypatch.setenv("STATICGRAD_COSTS", "default")
    assert cost_file.machine_table() is DEFAULT
    assert not measurements


def test_without_a_compiler_the_defaults_hold(folder, monkeypatch):
    def fails():
        raise ImportError("no llvmlite")

    pytest.importorskip("llvmlite")
    monkeypatch.setattr("gradops.native.costs.measurement.measured", fails)
    assert cost_file.machine_table() is DEFAULT


def test_a_machine_is_measured():
    pytest.importorskip("llvmlite")
    from gradops.native.costs.measurement import measured

    assert all(value > 0 for value in measured().key)


@pytest.mark.parametrize("cores", [1, 2, 7])
def test_sharing_is_measured_on_all_cores_whatever_the_limit_of_the_process(monkeypatch, cores):
    seen, usual = [], get_num_threads()
    monkeypatch.setattr(measurement, "machine_cores", lambda: cores)
    monkeypatch.setattr(
        measurement, "native", lambda *_: lambda: seen.append(int(measurement.LIMIT[0]))
    )
    set_num_threads(1)
    try:
        found = measurement.dispatch(None)
        assert get_num_threads() == 1
    finally:
        set_num_threads(usual)
    assert set(seen) == ({cores} if cores > 1 else set())
    assert cores > 1 or found == DEFAULT.dispatch
