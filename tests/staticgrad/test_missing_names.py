"""Names of TensorFlow that are not here say what is."""

import pytest

import staticgrad as sg
from gradops import GraphError
from staticgrad.missing_names import ATTRIBUTES, IN_MODULES, INSTEAD


@pytest.mark.parametrize("name", INSTEAD)
def test_a_name_that_is_not_here_says_what_to_use(name):
    with pytest.raises(AttributeError, match="hint: use "):
        getattr(sg, name)


@pytest.mark.parametrize("module", IN_MODULES)
def test_so_do_names_of_modules(module):
    for name in IN_MODULES[module]:
        with pytest.raises(AttributeError, match=f"staticgrad.{module}(?s:.*)hint: use "):
            getattr(getattr(sg, module), name)
    assert not hasattr(getattr(sg, module), "no_such_thing")


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_so_do_attributes_of_expressions(name):
    x = sg.placeholder("float32", [3])
    with pytest.raises(AttributeError, match=f"'Expr' object has no attribute '{name}'\n  hint: "):
        getattr(x, name)
    assert not hasattr(x, "no_such_thing")


def test_other_names_are_missing_as_usual():
    assert not hasattr(sg, "no_such_thing")
    with pytest.raises(ImportError):
        from staticgrad import nothing  # noqa: F401


def test_the_trace_of_a_matrix_has_another_name():
    with pytest.raises(GraphError, match=r"hint: linalg\.trace"):
        sg.trace(sg.eye(2))
