"""The op table says how an op becomes machine code; the code that is written agrees."""

from itertools import product

import pytest

import gradops
import staticgrad as sg
from gradops import OPS
from gradops.core.traits import Trait
from gradops.native import costs
from gradops.native.ir.scalars import NotNative
from gradops.testing.cases import cases
from gradops.testing.op_properties import NOT_OF_ARRAYS
from staticgrad.native import lowering
from staticgrad.native.coverage import lowering_of
from staticgrad.native.output import module_text
from staticgrad.native.planning.formulas import written_out
from staticgrad.native.planning.kinds import require_types
from staticgrad.native.templates.calls import write_call

KINDS = {"f": "float64"}, {"f": "float32", "i": "uint8"}
ARRAYS = [op for op in OPS.values() if not op.traits & NOT_OF_ARRAYS]


def calls_of(case, kinds, monkeypatch):
    """The names of the ops whose kernels the code of a case calls, for some kinds of numbers."""
    names = []

    def write(w, e):
        names.append(e.op.name)
        write_call(w, e)

    monkeypatch.setattr(lowering, "write_call", write)
    dtypes = [kinds.get(x.dtype.kind, x.dtype) for x in case.operands]
    xs = [sg.placeholder(t, x.shape) for t, x in zip(dtypes, case.operands, strict=True)]
    graph = sg.freeze(case(*xs), xs)
    require_types(graph)
    module_text.module_of(written_out(graph), costs.CostTable())
    return names


@pytest.mark.parametrize("op", ARRAYS, ids=str)
def test_kernels_are_called_of_the_ops_that_the_table_says(op, monkeypatch):
    found = []
    for case, kinds in product(cases(op), KINDS):
        try:
            found.append(calls_of(case, kinds, monkeypatch))
        except (NotNative, gradops.GradError):  # sizes that depend on values
            found.append([op.name])
    assert (lowering_of(op) == "NumPy") == all(found)


def test_what_is_applied_for_its_effect_is_no_view():
    """Tokens are views of tokens; an op that only looked at memory would be dropped."""
    effects = {name: lowering_of(op) for name, op in OPS.items() if Trait.EFFECT in op.traits}
    assert effects
    assert set(effects.values()) <= {"template", "NumPy"}
