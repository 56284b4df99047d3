"""NumPy's own functions and operators on tensors and expressions: what they give on arrays."""

import math
import operator

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

A = np.array([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]])
B = np.array([2.0, 3.0, 1.5])


def on_arrays(f, *arrays):
    found = f(*[dg.array(a) for a in arrays])
    assert isinstance(found, dg.Array)
    return found.value


def on_expressions(f, *arrays):
    with sg.Graph().as_default():
        feeds = [sg.placeholder(a.dtype, a.shape) for a in arrays]
        found = f(*feeds)
        assert isinstance(found, sg.Expr)
        return sg.compile(found, feeds, optimize=0)(*arrays)


either = pytest.mark.parametrize("run", [on_arrays, on_expressions], ids=["tape", "graph"])


def same(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)


ARITHMETIC = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
]  # fmt: skip
OTHERS = [B, np.float64(2.5), np.float32(2.5), 3, 1.5, True, B.astype(np.float32), np.int64(2)]


@either
@pytest.mark.parametrize("f", ARITHMETIC, ids=lambda f: f.__name__)
@pytest.mark.parametrize("other", OTHERS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_operators_take_arrays_and_numbers_on_either_side(run, f, other, dtype):
    a = A.astype(dtype)
    same(run(lambda x: f(x, other), a), f(a, other))
    same(run(lambda x: f(other, x), a), f(other, a))


@either
def test_powers_products_and_unary_operators(run):
    same(run(lambda x: x**2, A), A**2)
    same(run(lambda x: B**x, A), B**A)
    same(run(lambda x: x @ B, A), A @ B)
    same(run(lambda x: B @ x, A.T.copy()), B @ A.T)
    for f in (operator.neg, operator.pos, abs):
        same(run(f, A), f(A))
    same(run(lambda x: round(x, 1), A), A.round(1))
    for f, of_arrays in ((math.floor, np.floor), (math.ceil, np.ceil), (math.trunc, np.trunc)):
        same(run(f, A), of_arrays(A))


@either
@pytest.mark.parametrize("f", [operator.and_, operator.or_, operator.xor], ids=lambda f: f.__name__)
def test_logic_on_either_side(run, f):
    m, other = A > 0, np.array([True, False, True])
    same(run(lambda x: f(x, other), m), f(m, other))
    same(run(lambda x: f(other, x), m), f(other, m))
    same(run(operator.invert, m), ~m)


@either
def test_sequences_are_arrays(run):
    same(run(lambda x: x - [1.0, 2.0, 3.0], A), A - [1.0, 2.0, 3.0])
    same(run(lambda x: [[1.0], [2.0]] * x, A), [[1.0], [2.0]] * A)


UFUNCS = {op.kernel for op in gradops.OPS.values() if isinstance(op.kernel, np.ufunc)}


@either
@pytest.mark.parametrize("ufunc", sorted(UFUNCS, key=str), ids=lambda u: u.__name__)
def test_a_ufunc_that_is_an_op_may_be_called_by_its_numpy_name(run, ufunc):
    operands = [np.abs(A) + 0.5, B][: ufunc.nin]
    if "bitwise" in ufunc.__name__ or ufunc is np.invert:
        operands = [a > 1 for a in operands]
    if "shift" in ufunc.__name__:
        operands = [a.astype(int) for a in operands]
    with np.errstate(all="ignore"):
        same(run(ufunc, *operands), ufunc(*operands))
    if ufunc.nin == 2:
        same(run(lambda x: ufunc(operands[0], x), operands[1]), ufunc(*operands))
        same(run(lambda x: ufunc(x, operands[1]), operands[0]), ufunc(*operands))


@either
@pytest.mark.parametrize("f", [
    np.sum, np.mean, np.max, lambda x: np.sum(x, axis=0), lambda x: np.mean(x, axis=1),
    lambda x: np.reshape(x, (3, 2)), np.transpose, lambda x: np.transpose(x, (1, 0)),
    lambda x: np.concatenate([x, A]), lambda x: np.concatenate([A, x], axis=1),
    lambda x: np.stack([x, x]), lambda x: np.where(x > 0, x, 0.0), lambda x: np.clip(x, -1, 1),
    lambda x: np.expand_dims(x, 0), lambda x: np.einsum("ij,j->i", x, B), np.zeros_like,
    lambda x: np.broadcast_to(x, (2, 2, 3)), lambda x: np.argmax(x, axis=1), np.copy,
    lambda x: np.take(x, [1, 0], axis=0), lambda x: np.squeeze(x[:1]), lambda x: x.T @ x,
], ids=range(22))  # fmt: skip
def test_numpys_functions_build_and_record(run, f):
    same(run(f, A), f(A))


@either
@pytest.mark.parametrize("other", ["a", None, {}], ids=repr)
def test_what_is_no_operand_is_refused(run, other):
    with pytest.raises(TypeError):
        run(lambda x: x + other, A)
    with pytest.raises(TypeError):
        run(lambda x: other + x, A)


def test_a_plain_numpy_function_has_the_same_gradient_in_both_modes():
    def f(x):
        return np.sum(np.tanh(x) * np.exp(-np.square(x) / 2)) + np.mean(B @ x.T)

    t = dg.tensor(A, requires_grad=True)
    f(t).backward()
    with sg.Graph().as_default():
        x = sg.placeholder("float64", A.shape)
        y = f(x)
        value, gradient = sg.compile([y, *sg.gradients(y, x)], [x], optimize=0)(A)
    assert value == f(A)
    assert gradient.tobytes() == t.grad.value.tobytes()


@pytest.mark.parametrize("call", [
    np.rint, np.fabs, lambda x: np.add(x, np.float64(1.5), dtype=np.float32, casting="unsafe"),
    lambda x: np.add(x, 1.5, dtype=np.float32, casting="unsafe"),
])  # fmt: skip
def test_a_ufunc_computes_in_the_dtype_that_numpys_does(call):
    a = np.array([1, -2, 3])
    found = call(dg.array(a))
    assert found.dtype == call(a).dtype
    assert found.tolist() == call(a).tolist()


@pytest.mark.parametrize("call", [
    np.std, np.nanstd, lambda x: np.std(x, where=np.array([True, True, False])),
])  # fmt: skip
def test_where_all_are_equal_a_deviation_has_no_slope(call):
    a = np.full(3, 2.0)
    assert dg.grad(call)(a).tolist() == sg.scipy(call, a)["fun"](a)[1].tolist() == [0, 0, 0]
