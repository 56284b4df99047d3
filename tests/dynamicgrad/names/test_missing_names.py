"""Names of PyTorch that are not here say what is."""

import pytest

import dynamicgrad as dg
from dynamicgrad.names.missing_names import INSTEAD
from gradops import OptionError


@pytest.mark.parametrize("name", [*INSTEAD, "conv2d", "Linear", "jacrev", "lstsq"])
def test_a_name_that_is_not_here_says_what_to_use(name):
    with pytest.raises(AttributeError, match="hint: use "):
        getattr(dg, name)


def test_other_names_are_missing_as_usual():
    assert not hasattr(dg, "no_such_thing")
    assert not hasattr(dg, "__wrapped__")


def test_programs_that_ask_for_cuda_run_on_the_cpu():
    x = dg.ones(2).to("cuda" if dg.cuda.is_available() else "cpu")
    with pytest.raises(OptionError, match="no device"):
        x.cuda()
