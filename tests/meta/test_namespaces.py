"""The modules that hold functions of one subject list and document what they offer."""

import inspect

import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

NAMESPACES = {
    module.__name__: module
    for module in (
        gradops.fft, gradops.linalg, gradops.special, dg.fft, dg.linalg, dg.special, sg.linalg,
        sg.signal,
    )
}  # fmt: skip
every_namespace = pytest.mark.parametrize("module", NAMESPACES.values(), ids=NAMESPACES)


@every_namespace
def test_what_is_listed_is_there_sorted_and_documented(module):
    assert list(module.__all__) == sorted(set(module.__all__))
    for name in module.__all__:
        doc = inspect.getdoc(getattr(module, name))
        assert doc, f"{name} has no docstring"
        assert doc.splitlines()[0].endswith("."), f"the docstring of {name} starts with no sentence"
