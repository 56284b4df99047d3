"""NIST's certified values are found, from either mode."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg

pytest.importorskip("scipy.optimize")
PATH = Path(__file__).parents[2] / "examples" / "scipy_fit.py"
spec = importlib.util.spec_from_file_location("scipy_fit", PATH)
scipy_fit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scipy_fit)


@pytest.mark.parametrize("name", scipy_fit.DATASETS)
def test_both_modes_find_what_is_certified(name):
    dataset = scipy_fit.DATASETS[name]
    tape, graph = (scipy_fit.fit(mode, dataset) for mode in (dg, sg))
    np.testing.assert_allclose(tape.parameters, dataset.certified, rtol=1e-8)
    np.testing.assert_allclose(tape.errors, dataset.certified_errors, rtol=1e-8)
    np.testing.assert_allclose(graph.parameters, tape.parameters, rtol=1e-9)
    np.testing.assert_allclose(graph.errors, dataset.certified_errors, rtol=1e-8)
    np.testing.assert_allclose(graph.hessian_errors, tape.hessian_errors, rtol=1e-8)


def test_the_table_is_printed(capsys):
    scipy_fit.main()
    printed = capsys.readouterr().out
    assert printed.count("the two are apart by ") == 2
    assert "2.3894212918e+02   2.3894212918e+02" in printed
