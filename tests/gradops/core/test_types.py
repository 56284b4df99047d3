"""Sizes that are not known until a graph runs, and how shapes broadcast."""

import copy
import operator
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradops as ops
import staticgrad as sg
from gradops.core.dims import Dim, eval_terms
from gradops.core.errors import ShapeError
from gradops.core.types import ArrayType, broadcast_shapes, normalize_axes, operand_types, type_of

n, m = Dim("n"), Dim("m")
SIZES = {"n": 6, "m": 5}
PAIRS = [
    (n + m, m + n),
    (2 * n + n, 3 * n),
    ((n + 1) * (n - 1), n * n - 1),
    (n - n, 0),
    (n * 0 + 4, 4),
    ((6 * n) // 3, 2 * n),
    ((n * m) // n, m),
    (2 - n, -n + 2),
    ((n + 1) // (n + 1), 1),
]


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=str)
def test_equal_for_every_size_is_equal(a, b):
    assert a == b
    assert hash(a) == hash(b)


@pytest.mark.parametrize("dim", [n + m, n * m - 3, (n + 1) // 4, 7 // n, -n + 40], ids=str)
def test_a_dim_evaluates_as_it_is_written(dim):
    assert dim.evaluate(SIZES) == eval(str(dim), {}, SIZES)


@given(st.integers(-9, 9).filter(bool), st.integers(-9, 9), st.integers(1, 9), st.integers(1, 9))
def test_arithmetic_and_evaluation_commute(a, b, divisor, size):
    def value(dim):
        return eval_terms(dim, {"n": size}.get)

    dim, quotient = (a * n + b) // divisor, (a * size + b) // divisor
    assert value(dim) == quotient
    assert value(dim * n - dim + n) == quotient * size - quotient + size


def test_a_dim_knows_its_names():
    assert (n * m + (n + Dim("k")) // 2).names() == {"n", "m", "k"}


SUBSTITUTED = [
    n, 2 * n + 3, n * m - n, (n + 1) // m, 7 // n, (n * n) // (2 * m), (n // 3) * m + m // 4,
    broadcast_shapes("add", [ArrayType((n + 1,), "i4"), ArrayType((m * n,), "i4")])[0],
]  # fmt: skip


@pytest.mark.parametrize("dim", SUBSTITUTED, ids=str)
@given(st.integers(1, 9), st.integers(1, 9))
def test_substituting_numbers_is_evaluating(dim, a, b):
    assert dim.substitute({"n": a, "m": b}) == dim.evaluate({"n": a, "m": b})


@pytest.mark.parametrize("dim", SUBSTITUTED, ids=str)
@given(st.integers(1, 9), st.integers(1, 9))
def test_substitution_and_evaluation_commute(dim, a, b):
    sizes = {"n": 2 * m + 1, "m": n + Dim("k")}
    known = {"n": a, "m": b, "k": 3}
    new = {name: size.evaluate(known) for name, size in sizes.items()}
    assert eval_terms(dim.substitute(sizes), known.get) == dim.evaluate(new)


def test_a_substitution_is_made_at_once_and_keeps_other_names():
    assert (n + 2 * m).substitute({"n": m, "m": n}) == m + 2 * n
    assert (n + m).substitute({"n": 0}) == m
    assert (n // 2).substitute({"n": 4 * m}) == 2 * m


NO_NUMBERS = {
    "range": range, "float": float, "complex": complex, "int": int, "less": lambda n: n < 3,
    "less or equal": lambda n: n <= 3, "half": lambda n: n / 2, "inverse": lambda n: 1.0 / n,
    "root": np.sqrt, "array": lambda n: np.ones(3) * n, "zeros": lambda n: np.zeros((n, 2)),
    "of an array": lambda n: n * np.ones(3), "number": lambda n: np.float64(2) * n,
}  # fmt: skip


@pytest.mark.parametrize("use", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_a_dim_is_no_number(use):
    with pytest.raises(TypeError, match=r"of the size n is known only when the graph runs\n  hint"):
        use(n)


def test_sizes_are_computed_with_integers_of_numpy():
    two = np.int64(2)
    assert (two * n, n * two, two + n, n - two) == (2 * n, 2 * n, n + 2, n - 2)
    assert (two - n, n // two, two // n) == (2 - n, n // 2, 2 // n)
    assert (n == two, two == n, n != two, two != n) == (False, False, True, True)


@pytest.mark.parametrize("of", ["add", "sub", "mul", "truediv", "floordiv", "lt", "ge"])
def test_a_size_beside_an_expression_is_an_operand(of):
    x = sg.placeholder("float64", ["n", 3], name="x")
    f, size, feed = getattr(operator, of), x.shape[0], np.arange(1.0, 7).reshape(2, 3)
    got = sg.compile([f(size, x), f(x, size)], [x])(feed)
    assert [y.tolist() for y in got] == [f(2, feed).tolist(), f(feed, 2).tolist()]


def test_a_type_prints_as_dtype_and_shape():
    assert str(ArrayType((Dim("batch"), 4), np.float32)) == "float32[batch, 4]"


@pytest.mark.parametrize(
    ("shapes", "result"),
    [
        ([(3, 1), (4,)], (3, 4)),
        ([(n, 1), (1, 4)], (n, 4)),
        ([(n,), (n,)], (n,)),
        ([(n,), (5,)], (5,)),
        ([(), (2, n)], (2, n)),
    ],
    ids=str,
)
def test_shapes_broadcast(shapes, result):
    assert broadcast_shapes("f", [ArrayType(s, float) for s in shapes]) == result


def test_two_unknown_sizes_broadcast_to_the_one_that_is_not_1():
    (size,) = broadcast_shapes("f", [ArrayType((n,), float), ArrayType((m,), float)])
    assert [size.evaluate({"n": a, "m": b}) for a, b in [(1, 5), (5, 1), (5, 5)]] == [5, 5, 5]


def test_shapes_that_do_not_broadcast_are_named():
    types = [ArrayType((2, 3), np.float32), ArrayType((4,), np.int64)]
    with pytest.raises(ShapeError, match=r"f\(float32\[2, 3\], int64\[4\]\): .* 3 against 4"):
        broadcast_shapes("f", types)


def test_axes_are_counted_from_the_front():
    x = ArrayType((2, 3, 4), float)
    assert normalize_axes("f", x, None) == (0, 1, 2)
    assert normalize_axes("f", x, (-1, 0)) == (2, 0)
    with pytest.raises(ShapeError, match="an axis is named twice"):
        normalize_axes("f", x, (0, -3))
    with pytest.raises(ShapeError, match="axis 3 is out of range for 3 dimensions"):
        normalize_axes("f", x, 3)
    a = np.ones((2, 3, 4))
    for op, operands in ((ops.expand_dims, a), (ops.stack, [a])):
        with pytest.raises(ShapeError, match=r"\(float64\[2, 3, 4\]\): axis 5 is out"):
            op(operands, axis=5)


@pytest.mark.parametrize("x", [np.ones((2, 3), np.float32), np.int8(1), True, 1.5, 2])
def test_python_scalars_take_the_dtype_of_the_others(x):
    beside = np.ones(3, np.float32)
    assert operand_types([beside, x])[1].dtype == (
        np.result_type(beside, x) if type(x) in (bool, int, float) else type_of(x).dtype
    )


def test_a_size_that_another_process_wrote_is_found_by_its_hash():
    code = (
        "import pickle, sys; from gradops import Dim; n = Dim('n');"
        "sys.stdout.buffer.write(pickle.dumps((n * 2 + Dim('m') // 3) // 5))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    size = (Dim("n") * 2 + Dim("m") // 3) // 5
    assert {size: "here"}[pickle.loads(found)] == "here"
    assert copy.deepcopy(size) == size


def test_a_size_is_printed_as_one_writes_it():
    n, m = Dim("n"), Dim("m")
    sizes = (n - 1, 2 * n - m, 3 - n, n * m - 2 * m + 1, (n - 1) // 2, -n)
    for size in sizes:
        assert eval(str(size), {"n": n, "m": m}) == size
    assert (str(n - 1), str(2 * n - 3)) == ("n - 1", "2*n - 3")


def test_a_size_knows_how_many_parts_it_has():
    n, m = Dim("n"), Dim("m")
    for size, parts in ((n, 2), (n + 1, 3), (n * m, 3), (2 * n * m + m, 5), (n // m + 3, 7)):
        assert size.parts == parts
