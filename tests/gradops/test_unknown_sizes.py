"""Rules work on operands whose first size is not known, and give what known sizes would."""

import warnings

import numpy as np
import pytest

import gradops
from gradops.core.dims import Dim, eval_terms
from gradops.core.types import ArrayType, type_of
from gradops.testing.cases import cases, with_derivative
from gradops.transforms.saved_operands import Probe

N = Dim("n")
CASES = [
    pytest.param(case, i, id=f"{case}-operand{i}")
    for op in gradops.OPS.values()
    for case in cases(op)
    for i in with_derivative(case)
    if case.operands[0].ndim and case.operands[0].shape[0] > 1
]


def unknown(case):
    """The types of the operands with `n` for the size of the first axis, wherever it occurs."""
    n = case.operands[0].shape[0]
    return [
        ArrayType(tuple(N if size == n else size for size in x.shape), x.dtype)
        for x in case.operands
    ]


def of_size(t, n):
    """A type with the unknown size filled in."""
    return ArrayType(tuple(eval_terms(size, {"n": n}.get) for size in t.shape), t.dtype)


def probe(t):
    return Probe(t, set())


def symbolic(case, kind, i, v, y, types):
    """The type of what a rule gives for operands of which only the types are known."""
    rule = getattr(case.op, kind)[i]
    try:
        return type_of(rule(probe(v), probe(y), *map(probe, types), **case.attrs))
    except gradops.ShapeError as error:
        if "its derivative needs to know" not in str(error):
            raise
        pytest.skip(str(error))


def is_told(size):
    """Whether a size of a result is known once `n` is."""
    return not isinstance(size, Dim) or size.names() == {"n"}


@pytest.mark.parametrize("op", gradops.OPS.values(), ids=str)
def test_the_shape_of_a_result_holds_for_every_size_that_the_op_takes(op):
    for case in cases(op):
        for size in {size for x in case.operands for size in x.shape if size > 1}:
            types = [ArrayType(tuple(N if m == size else m for m in x.shape), x.dtype)
                     for x in case.operands]  # fmt: skip
            try:
                y = op.infer(*types, **case.attrs)
            except gradops.GradError:
                continue  # it has to know the size
            for n in (0, 1, 2, 3, 7) if all(map(is_told, y.shape)) else ():
                try:
                    with np.errstate(all="ignore"), warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # of means of nothing
                        found = case(*(np.zeros(of_size(t, n).shape, t.dtype) for t in types))
                except (ValueError, IndexError, ArithmeticError, RuntimeError):
                    continue  # it takes no such size
                assert of_size(y, n).shape == type_of(found).shape, (case, types, n)


@pytest.mark.parametrize(("case", "i"), CASES)
def test_rules_work_on_unknown_sizes(case, i):
    types, n = unknown(case), case.operands[0].shape[0]
    try:
        y, computed = case.op.infer(*types, **case.attrs), case(*case.operands)
    except gradops.ShapeError as error:
        if "is not known" not in str(error):
            raise
        pytest.skip(str(error))
    if any(isinstance(size, Dim) and size.names() != {"n"} for size in y.shape):
        pytest.skip(f"the op gives {y}, a size that n does not tell")
    assert of_size(y, n) == type_of(computed)
    for kind, v in (("vjp", y), ("jvp", types[i])):
        known = np.ones(of_size(v, n).shape, v.dtype)
        concrete = getattr(case.op, kind)[i](known, computed, *case.operands, **case.attrs)
        assert of_size(symbolic(case, kind, i, v, y, types), n) == type_of(concrete)
