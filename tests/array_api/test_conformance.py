"""Every function and method of the standard, against the oracle, on tensors and on expressions."""

import inspect

import numpy as np
import pytest

import dynamicgrad.array_api
import gradops.array_api.arrays
import staticgrad as sg
import staticgrad.array_api
from gradops import GradError

from . import arrays, cases, linear
from .comparing import problem, symbolic_problem
from .left_out import LEFT_OUT, NOT_SYMBOLIC
from .standard import (
    CONSTANTS,
    DTYPES,
    FUNCTIONS,
    ITEMS,
    SIGNATURES,
    expected_parameters,
    found_in,
    parameters,
    strict,
)

CALLS = {
    name: calls for name, calls in (cases.FUNCTIONS | linear.CALLS | arrays.CALLS).items() if calls
}
SPACES = [dynamicgrad.array_api, staticgrad.array_api, gradops.array_api.arrays]
every_space = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
SEVERAL = [
    "unique_all", "unique_counts", "unique_inverse", "linalg.eig", "linalg.eigh", "linalg.qr",
    "linalg.slogdet", "linalg.svd",
]  # fmt: skip
IN = [name for name in CALLS if name not in LEFT_OUT]


@every_space
def test_every_name_is_there(space):
    wanted = [n for n in (*FUNCTIONS, *DTYPES, *CONSTANTS) if n not in LEFT_OUT]
    missing = [n for n in wanted if n != "newaxis" and found_in(space, n) is None]
    assert not missing


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in LEFT_OUT])
@every_space
def test_signatures_are_those_of_the_standard(name, space):
    found = inspect.signature(found_in(space, name))
    assert parameters(found) == expected_parameters(name)


@pytest.mark.parametrize("name", IN)
def test_tensors_do_what_the_standard_says(name):
    assert not problem(name, CALLS[name])


@pytest.mark.parametrize("name", [n for n in IN if n not in NOT_SYMBOLIC])
def test_expressions_do_what_the_standard_says(name):
    assert not symbolic_problem(name, CALLS[name])


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
def test_results_of_several_parts_have_the_names_of_the_standard(name, space):
    x = np.eye(3)
    with sg.Graph().as_default():
        found = found_in(space, name)(space.asarray(x))
    wanted = found_in(strict, name)(strict.asarray(x)) if name in SIGNATURES else None
    assert found._fields == (wanted._fields if wanted else ("eigenvalues", "eigenvectors"))


def test_what_is_left_out_does_not_work():
    assert not [n for n in LEFT_OUT if not problem(n, CALLS[n])], "take them off the list"


def test_what_expressions_leave_out_does_not_work():
    assert not [n for n in NOT_SYMBOLIC if not symbolic_problem(n, CALLS[n])], "the same"


def test_every_function_is_tested():
    elsewhere = {"astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type", "from_dlpack"}
    assert {n for n in ITEMS if n not in CALLS} == {
        *elsewhere, "__array_namespace_info__", *DTYPES, *CONSTANTS,
    }  # fmt: skip


def test_nearly_all_of_the_standard_is_in():
    assert not set(LEFT_OUT) - set(ITEMS)
    assert not set(NOT_SYMBOLIC) - set(ITEMS)
    assert 1 - len(LEFT_OUT) / len(ITEMS) >= 0.97


@pytest.mark.parametrize("space", SPACES[:2], ids=lambda space: space.__name__)
def test_errors_are_those_of_the_library(space):
    with pytest.raises(GradError, match="no device"):
        space.zeros((2,), device="gpu")
    with pytest.raises(ValueError, match="no version"):
        space.ones((2,)).__array_namespace__(api_version="1999.12")
