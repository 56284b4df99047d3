"""One NumPy function gives the same values in three ways, and the same bits in two."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy.optimize")
PATH = Path(__file__).parents[2] / "examples" / "plain_numpy.py"
spec = importlib.util.spec_from_file_location("plain_numpy", PATH)
plain_numpy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plain_numpy)


def test_the_three_ways_agree():
    found = plain_numpy.run(n=8, calls=1)
    tape, graph, plain = found["tape"], found["graph"], found["NumPy"]
    assert tape["value"] == graph["value"] == plain["value"]
    np.testing.assert_allclose(tape["gradient"], plain["gradient"], rtol=1e-4)
    assert tape["gradient"].tobytes() == graph["gradient"].tobytes()
    np.testing.assert_allclose(tape["hessian"], graph["hessian"], rtol=1e-12)  # other sums
    np.testing.assert_allclose(tape["at"], graph["at"], rtol=1e-6)
    assert tape["minimum"] == pytest.approx(plain["minimum"], rel=1e-6)


def test_the_table_is_printed(capsys):
    plain_numpy.main()
    printed = capsys.readouterr().out
    assert printed.startswith("gradient of likelihood: largest relative error")
    assert printed.endswith("tape and graph give the same gradient to the bit: yes\n")
