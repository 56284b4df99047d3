"""Properties every op has, checked on the samples it declares."""

import pytest

import gradops
from gradops.testing.cases import cases
from gradops.testing.op_properties import FACTS, PROPERTIES, verify

CASES = [
    pytest.param(prop, case, id=f"{case}-{prop.__name__}")
    for op in gradops.OPS.values()
    for case in cases(op)
    for prop in PROPERTIES
]
DECLARED = [
    pytest.param(fact, op, id=f"{op.name}-{fact.__name__}")
    for op in gradops.OPS.values()
    for fact in FACTS
]


@pytest.mark.parametrize(("prop", "case"), CASES)
def test_property(prop, case):
    verify(prop, case, case.shown)


@pytest.mark.parametrize(("fact", "op"), DECLARED)
def test_fact(fact, op):
    verify(fact, op, op.signature)
