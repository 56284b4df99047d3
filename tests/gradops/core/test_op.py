"""Calling and declaring ops, and what goes wrong when that is done amiss."""

import pickle

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as G
import staticgrad as sg
from gradops.core.attributes import canonical
from gradops.core.op import OPS
from gradops.core.traits import Trait
from gradops.testing.op_properties import PropertyError, check


@pytest.fixture
def declare():
    """Declare an op for the time of a test."""
    declared = []

    def of(make, name, *args, **facets):
        facets.setdefault("samples", G.reals((3, 4)))
        facets.setdefault("doc", "An op of a test.")
        op = make(name, *args, **facets)
        declared.append(name)
        return op

    yield of
    for name in declared:
        del OPS[name]


def test_an_op_is_declared_once():
    with pytest.raises(ValueError, match="an op named 'tanh' exists"):
        G.elementwise("tanh", np.tanh, d=[1], samples=G.reals(()), doc="Another tanh.")
    assert OPS["tanh"] is G.tanh


def test_traits_are_members_of_one_enumeration(declare):
    op = declare(G.elementwise, "test_traits", np.exp, d=[1], traits=["nonnegative"])
    assert op.traits == {Trait.ELEMENTWISE, Trait.NONNEGATIVE}


def test_a_misspelt_trait_is_refused():
    facets = {"d": [1], "samples": G.reals(()), "doc": "An op of a test."}
    with pytest.raises(ValueError, match="no trait 'nonnegativ'; the traits are broadcasting, "):
        G.elementwise("test_misspelt", np.exp, traits=["nonnegativ"], **facets)
    assert "test_misspelt" not in OPS


def test_an_unknown_attribute_is_named_with_the_signature():
    with pytest.raises(TypeError, match=r"sum\(x, axis=.*\) has no attribute dim"):
        G.sum([1.0, 2.0], dim=0)


def test_a_missing_attribute_is_named():
    with pytest.raises(TypeError, match=r"broadcast_to\(x, shape\) needs shape"):
        G.broadcast_to([1.0])


def test_a_missing_operand_is_counted():
    with pytest.raises(TypeError, match=r"add\(x, y\) was given 1 arguments"):
        G.add([1.0])


def test_attributes_may_follow_operands_by_position():
    assert G.sum.bind([np.ones(2), 0], {})[1] == {"axis": 0, "keepdims": False}


@pytest.mark.parametrize(
    ("name", "value", "want"),
    [
        ("shape", 3, (3,)),
        ("shape", [2, "n"], (2, G.Dim("n"))),
        ("dtype", "float32", np.dtype("float32")),
        ("axis", [0, 1], (0, 1)),
        ("axis", np.int64(1), 1),
    ],
)
def test_an_attribute_has_one_hashable_form(name, value, want):
    found = canonical(name, value)
    assert found == want
    assert type(found) is type(want)


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda: G.var(np.ones((2, 3)), axis=np.int64(0)), (3,)),
        (lambda: G.sum(np.ones((2, 3)), axis=[0, 1]), ()),
        (lambda: G.reshape(np.ones((2, 3)), shape=-1), (6,)),
        (lambda: G.broadcast_to(np.ones(1), shape=3), (3,)),
        (lambda: G.broadcast_to(np.ones(1), shape=np.array(3)), (3,)),
        (lambda: G.transpose(np.ones((2, 3)), axes=np.array([1, 0])), (3, 2)),
        (lambda: G.sum(np.ones((2, 3)), axis=np.array(0)), (3,)),
        (lambda: G.sum(np.ones((2, 3)), axis=dg.tensor(0)), (3,)),
    ],
)
def test_arrays_take_attributes_in_any_form_that_tensors_take(call, shape):
    assert call().shape == shape


def test_an_attribute_of_a_graph_is_known_when_it_is_built():
    axis = sg.placeholder("int64", [], name="axis")
    with pytest.raises(G.ValueUnknownError, match="the value of axis: int64"):
        G.sum(sg.placeholder("float64", [2]), axis=axis)


@pytest.mark.parametrize("x", [np.ones((2, 3)), dg.ones(2, 3)], ids=["array", "tensor"])
def test_a_truth_value_is_no_axis(x):
    with pytest.raises(G.OptionError, match="an axis is an integer, not True"):
        G.sum(x, axis=True)


def test_a_failing_kernel_is_explained_in_terms_of_the_call():
    with pytest.raises(G.ShapeError) as raised:
        G.matmul(np.ones((3, 4)), np.ones((5, 6)))
    assert str(raised.value).splitlines() == [
        "matmul(float64[3, 4], float64[5, 6]): the inner dimensions 4 and 5 differ",
        "  hint: transpose an operand, or check the order of the arguments",
    ]
    assert isinstance(raised.value.__context__, ValueError)


def test_operands_without_numbers_are_refused():
    with pytest.raises(G.DTypeError, match=r"add\(.*is not a numeric dtype"):
        G.add(np.array(["a"]), np.array([1.0]))


def test_a_stranger_among_the_operands_is_named():
    with pytest.raises(G.MixedOperandsError, match="object is neither an array nor a number"):
        G.add(object(), 1.0)


def test_an_op_and_its_errors_survive_pickling():
    assert pickle.loads(pickle.dumps(G.tanh)) is G.tanh
    error = G.ShapeError("add", [1], "why", hint="how")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_numpy_functions_find_their_op():
    _, t = G.jvp(lambda x: np.sum(np.tanh(x) * np.float64(2.0)), [np.zeros(2)], [np.ones(2)])
    assert t == 4
    with pytest.raises(G.MissingRuleError, match=r"numpy\.spacing: it takes numbers apart"):
        G.jvp(lambda x: np.spacing(x), [np.zeros(2)], [np.ones(2)])


def test_an_op_that_is_right_passes_its_check(declare):
    cube = declare(
        G.elementwise,
        "cube",
        lambda x: x * x * x,
        d=[lambda y, x: 3 * x * x],
        source="{0} * {0} * {0}",
    )
    check(cube)
    check(cube, samples=G.positive((2,)), rng=np.random.default_rng(1))


WRONG = {
    "vjp_is_the_derivative": dict(d=[lambda y, x: 2 * x]),
    "jvp_is_the_transpose_of_vjp": dict(d=[lambda y, x: 3 * x * x], jvp=[lambda t, y, x: t]),
    "second_derivative": dict(d=[lambda y, x: 3 * G.stop_gradient(x) * x]),
    "inferred_type": dict(d=[lambda y, x: 3 * x * x], infer=lambda x: G.ArrayType((), x.dtype)),
    "float32_stays": dict(d=[lambda y, x: 3 * x * x * np.ones(())]),
    "source_computes": dict(d=[lambda y, x: 3 * x * x], source="{0} * {0}"),
    "doc_is_a_sentence": dict(d=[lambda y, x: 3 * x * x], doc="No full stop"),
    "there_are_samples": dict(d=[lambda y, x: 3 * x * x], samples=lambda rng: []),
    "bad_operands": dict(
        d=[lambda y, x: 3 * x * x],
        error_samples=[G.ErrorSample([np.ones(2)], {}, G.ShapeError, "two")],
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_an_op_that_is_wrong_is_told_what_is(fault, declare):
    facets = {"source": "{0} * {0} * {0}", **WRONG[fault]}
    cube = declare(G.elementwise, "cube", lambda x: x * x * x, **facets)
    with pytest.raises(PropertyError, match=rf"cube(-0)?: {fault}"):
        check(cube)


def test_a_singular_partial_that_is_not_called_one_is_found(declare):
    root = declare(
        G.elementwise,
        "root",
        lambda x: np.sqrt(x),
        d=[lambda y, x: 0.5 / y],
        source="np.sqrt({0})",
        samples=G.positive((2,)),
    )
    with pytest.raises(PropertyError, match="a_zero_cotangent_stays_zero"):
        check(root)


def test_a_batch_rule_that_mixes_examples_is_found(declare):
    total = declare(
        G.linear,
        "total",
        lambda x: np.sum(x),
        infer=lambda x: G.ArrayType((), x.dtype),
        transpose=lambda g, y, x: G.broadcast_to(g, shape=x.shape),
        source="np.sum({0})",
        batch=lambda op, xs, batched, attrs: G.sum(xs[0], axis=0),
    )
    with pytest.raises(PropertyError, match="vmap_is_a_loop"):
        check(total)
