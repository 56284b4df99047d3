"""Names of TensorFlow that are not here say what is."""

import pytest

import staticgrad as sg
from staticgrad.absent import INSTEAD


@pytest.mark.parametrize("name", INSTEAD)
def test_a_name_that_is_not_here_says_what_to_use(name):
    with pytest.raises(AttributeError, match="hint: use "):
        getattr(sg, name)


def test_other_names_are_missing_as_usual():
    assert not hasattr(sg, "no_such_thing")
    with pytest.raises(ImportError):
        from staticgrad import nothing  # noqa: F401
