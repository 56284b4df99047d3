"""All functions of SciPy with traced operands. Run by `make soak`."""

import pytest

from tests.agreement.test_scipy_refusals import faults_of_graph, faults_of_tape, functions


@pytest.mark.parametrize("find", [faults_of_tape, faults_of_graph])
def test_errors_below_all_of_scipy_name_the_users_line(find):
    assert not find(list(functions()))
