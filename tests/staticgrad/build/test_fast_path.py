"""The fast path: specialised functions build what the general way builds."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops import OPS, Batched, type_of
from gradops.core.levels import levels
from staticgrad.build.fast_path import infer_array
from staticgrad.ir.expr import Expr

SIMPLE = [op for op in OPS.values() if op.arity in (1, 2) and len(op.defaults) == len(op.params)]


def samples_of(op):
    """The operands of the samples with default attributes."""
    for operands, attrs in op.samples(np.random.default_rng(0)):
        if not attrs or op.bind_attrs(attrs) == op.defaults:
            yield [np.asarray(x) for x in operands]


def facts(e):
    sizes = [
        n for n in e.shape if isinstance(n, int)
    ]  # the names of others differ from call to call
    return e.op, e.dtype, e.ndim, sizes, e.inputs, e.attrs, e.names, e.origin, e.control_inputs


@pytest.mark.parametrize("op", SIMPLE, ids=str)
def test_the_fast_path_builds_what_the_general_way_builds(op):
    for operands in samples_of(op):
        xs = [sg.placeholder(x.dtype, x.shape) for x in operands]
        quick, general = [f(*xs) for f in (Expr.specialised[op], lambda *xs: op.dispatch(xs, {}))]
        if quick is not NotImplemented:
            assert facts(quick) == facts(general)
            assert quick.name != general.name


def refusal(f, *xs):
    """The class and the text of the error that a call raises, None if it raises none."""
    try:
        f(*xs)
    except Exception as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize("op", SIMPLE, ids=str)
def test_the_fast_path_raises_what_the_general_way_raises(op):
    """Values that an op refuses, such as singular matrices, are refused when the graph runs."""
    for sample in op.error_samples:
        if sample.attrs or not all(isinstance(x, np.ndarray) for x in sample.operands):
            continue
        xs = [sg.placeholder(x.dtype, x.shape) for x in sample.operands]
        assert refusal(op, *xs) == refusal(lambda *xs: op.dispatch(xs, {}), *xs)


def test_expressions_of_two_graphs_are_refused_by_name():
    x = sg.placeholder("float32", [2], name="x")
    with sg.Graph("other").as_default():
        y = sg.placeholder("float32", [2], name="y")
    with pytest.raises(gradops.MixedOperandsError, match="other"):
        x * y


def test_sizes_that_an_op_introduces_get_names_of_their_own():
    x = sg.placeholder("float32", ["n"], name="x")
    mask = sg.placeholder("bool", ["n"], name="mask")
    a, b = sg.boolean_mask(x, mask), sg.boolean_mask(x, mask)
    assert a.shape != b.shape
    assert infer_array(OPS["add"], (2,), np.dtype("f4"), (2,), np.dtype("f8")).dtype == np.float64


@pytest.mark.parametrize("other", ["stack", "shared", "number", "wide"])
@pytest.mark.parametrize("op", [OPS["mul"], OPS["sub"], OPS["maximum"]], ids=str)
def test_the_fast_path_of_stacks_gives_what_the_general_way_gives(op, other):
    level = next(levels)
    x = Batched(np.arange(6.0).reshape(3, 2), level)
    shared = {"shared": np.array([1.0, 5.0]), "number": 2.0, "wide": np.ones((4, 2))}
    y = Batched(np.ones((3, 2)), level) if other == "stack" else shared[other]
    for operands in ([x, y], [y, x]):
        found, expected = op(*operands), op.dispatch(operands, {})
        assert type_of(found) == type_of(expected)
        np.testing.assert_array_equal(found.stack, expected.stack)
