"""Profiles of machine code: NumPy's, beside the time of what runs."""

import json

import numpy as np
import pytest

import staticgrad as sg

pytest.importorskip("llvmlite")


@pytest.mark.parametrize("shape", [[30, 30], ["n", "n"]])
def test_the_profile_is_of_numpys_code_and_says_so(shape):
    x = sg.placeholder("float64", shape, name="x")
    f = sg.compile(sg.reduce_sum(sg.tanh(x @ x)), [x], backend="native")
    profile = f.profile([np.ones((30, 30)).tolist()], repeat=3)
    assert {row.op for row in profile.rows} >= {"matmul", "tanh", "sum"}
    assert profile.native_seconds > 0
    assert "this is NumPy's code; machine code, which runs instead, takes " in str(profile)
    assert json.loads(profile.to_json())["native_seconds"] == profile.native_seconds


def test_the_profile_of_numpys_code_says_nothing_of_machine_code():
    x = sg.placeholder("float64", [3], name="x")
    profile = sg.compile(sg.exp(x), [x]).profile([np.ones(3)], repeat=1)
    assert profile.native_seconds is None
    assert "machine code" not in str(profile)
