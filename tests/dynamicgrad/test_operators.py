"""Python's operators and conversions on tensors, with whatever stands on the other side."""

import math
import operator

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad.engine.tensor import Tensor

A, B = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[2.0, 1.0], [0.5, 3.0]])
I, J = np.array([6, 5, 3]), np.array([2, 4, 7])
REAL = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.floordiv,
    operator.mod, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
]  # fmt: skip
BITS = [operator.and_, operator.or_, operator.xor]
IN_PLACE = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ipow,
    operator.ifloordiv, operator.imod,
]  # fmt: skip
BITS_IN_PLACE = [operator.iand, operator.ior, operator.ixor]
SMOOTH = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod]
name_of = dict(ids=lambda f: getattr(f, "__name__", None))
KINDS = {
    "tensor": dg.tensor, "array": lambda b: b, "float": lambda b: 2.0, "int": lambda b: 2,
    "float64": lambda b: np.float64(2),
}  # fmt: skip


@pytest.mark.parametrize("f", REAL, **name_of)
@pytest.mark.parametrize("kind", KINDS)
def test_an_operator_takes_any_number_on_either_side(f, kind):
    other = KINDS[kind](B)
    plain = other.value if isinstance(other, Tensor) else other
    for got, want in ((f(dg.tensor(A), other), f(A, plain)), (f(other, dg.tensor(A)), f(plain, A))):
        assert isinstance(got, Tensor)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("f", BITS, **name_of)
@pytest.mark.parametrize("other", [dg.tensor(J), J, 3], ids=["tensor", "array", "int"])
def test_bits_are_combined_on_either_side(f, other):
    plain = other.value if isinstance(other, Tensor) else other
    np.testing.assert_array_equal(f(dg.tensor(I), other).numpy(), f(I, plain))
    np.testing.assert_array_equal(f(other, dg.tensor(I)).numpy(), f(plain, I))


@pytest.mark.parametrize("left", [dg.tensor, lambda a: a], ids=["tensor", "array"])
@pytest.mark.parametrize("right", [dg.tensor, lambda a: a], ids=["tensor", "array"])
def test_matrices_are_multiplied_whatever_holds_them(left, right):
    if not (isinstance(left(A), Tensor) or isinstance(right(B), Tensor)):
        pytest.skip("that is NumPy alone")
    found = left(A) @ right(B)
    assert isinstance(found, Tensor)
    np.testing.assert_array_equal(found.numpy(), A @ B)


@pytest.mark.parametrize("f", [*SMOOTH, operator.matmul], **name_of)
@pytest.mark.parametrize("array_first", [False, True])
def test_a_gradient_flows_past_an_array_on_either_side(f, array_first):
    x, y = dg.tensor(A, requires_grad=True), dg.tensor(A, requires_grad=True)
    given = f(B, x) if array_first else f(x, B)
    known = f(dg.tensor(B), y) if array_first else f(y, dg.tensor(B))
    given.sum().backward()
    known.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), y.grad.numpy())


@pytest.mark.parametrize(("f", "a", "b"), [
    *[(f, A, B) for f in IN_PLACE], *[(f, A, 2.0) for f in IN_PLACE],
    *[(f, I, J) for f in BITS_IN_PLACE], *[(f, I, 3) for f in BITS_IN_PLACE],
])  # fmt: skip
def test_an_augmented_assignment_writes_into_the_same_memory(f, a, b):
    x = dg.tensor(a)
    alias, before = x.detach(), x.data_ptr()
    want = f(a.copy(), b)
    same = f(x, dg.tensor(b) if isinstance(b, np.ndarray) else b)
    assert same is x
    assert x.data_ptr() == before
    assert x._version == 1
    np.testing.assert_array_equal(alias.numpy(), want)


@pytest.mark.parametrize("f", IN_PLACE, **name_of)
def test_an_augmented_assignment_to_a_leaf_is_refused(f):
    w = dg.tensor(A, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        f(w, 2.0)
    assert w.tolist() == A.tolist()


def test_unary_operators():
    x = dg.tensor([-1.5, 2.0])
    assert [(-x).tolist(), (+x).tolist(), abs(x).tolist()] == [[1.5, -2], [-1.5, 2], [1.5, 2]]
    assert (~dg.tensor([True, False])).tolist() == [False, True]
    assert (~dg.tensor([1])).tolist() == [-2]


@pytest.mark.parametrize("other", [None, "a", {}, object()])
def test_what_is_no_operand_is_refused_by_python_or_by_name(other):
    for f in (operator.add, operator.mul, operator.matmul, operator.iadd):
        with pytest.raises(TypeError):
            f(dg.ones(2), other)
    with pytest.raises(TypeError):
        other - dg.ones(2)


@pytest.mark.parametrize("other", [None, "a", {}])
def test_what_is_no_operand_is_unequal(other):
    assert (dg.ones(2) == other) is False
    assert (dg.ones(2) != other) is True


def test_shapes_that_do_not_fit_are_told_in_types():
    with pytest.raises(ValueError, match=r"add\(float32\[2\], float32\[3\]\): the shapes do not"):
        dg.ones(2) + dg.ones(3)
    with pytest.raises(ValueError, match=r"inner dimensions 3 and 2 differ(?s:.*)transpose"):
        dg.ones(2, 3) @ dg.ones(2, 3)
    with pytest.raises(ValueError, match="has no axes"):
        dg.ones(2) @ 2.0


def test_one_entry_of_any_shape_becomes_a_number():
    for t in (dg.tensor(2.5), dg.tensor([2.5]), dg.tensor([[2.5]])):
        assert (float(t), int(t), bool(t), complex(t), t.item()) == (2.5, 2, True, 2.5, 2.5)
    assert not dg.tensor([[0]])
    assert f"{dg.tensor(2.25):.1f} {dg.tensor(2)}" == "2.2 tensor(2)"
    assert math.sqrt(dg.tensor(2.25)) == 1.5


@pytest.mark.parametrize(("ask", "error", "says"), [
    (lambda x: float(x), ValueError, "only one element tensors can be converted"),
    (lambda x: int(x), ValueError, r"only one element tensors.*float32\[2\]"),
    (lambda x: bool(x), RuntimeError, "Boolean value of Tensor with more than one value is ambig"),
    (lambda x: x.item(), RuntimeError, "a Tensor with 2 elements cannot be converted to Scalar"),
    (lambda x: [0][x], TypeError, "only integer tensors of a single element"),
    (lambda x: [0][dg.tensor(0.0)], TypeError, "only integer tensors of a single element"),
    (lambda x: len(x[0]), TypeError, r"len\(\) of a 0-d tensor"),
    (lambda x: list(x[0]), TypeError, "iteration over a 0-d tensor"),
])  # fmt: skip
def test_what_is_no_single_number_says_so(ask, error, says):
    with pytest.raises(error, match=says):
        ask(dg.ones(2))


def test_tensors_are_indices_lengths_and_rows():
    x = dg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    assert "abc"[dg.tensor([1])] == "b"
    assert len(x) == 3
    assert [row.tolist() for row in x] == x.tolist()
    a, b, c = x
    (a * b * c).sum().backward()
    assert x.grad.tolist() == [[15, 24], [5, 12], [3, 8]]


def test_tensors_are_equal_to_each_other_entry_by_entry_but_are_keys_by_identity():
    x, y = dg.ones(2), dg.ones(2)
    assert (x == y).tolist() == [True, True]
    assert len({x, y, x}) == 2
