"""Products of matrices in machine code: all shapes, views and stacks, on any number of threads."""

import numpy as np
import pytest

import staticgrad as sg

from .blas_rows import rows_are_alone

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

SIZES = [0, 1, 2, 3, 8, 9, 13, 24, 33, 40]
STACKS = [
    ((), ()),
    ((2,), ()),
    ((), (3,)),
    ((2, 3), ()),
    ((2, 1), (3,)),
    ((1,), (1, 1)),
    ((0,), ()),
]
VIEWS = {
    "as it is": lambda x: x,
    "turned": lambda x: sg.transpose(x, [*range(len(x.shape) - 2), -1, -2]),
    "backwards": lambda x: x[..., ::-1, :],
    "columns": lambda x: x[..., 1:],
    "turned columns": lambda x: sg.transpose(x, [*range(len(x.shape) - 2), -1, -2])[..., :-1],
}  # fmt: skip
KIND = pytest.mark.parametrize("dtype", ["float32", "float64"])


def given(view, stack, m, n):
    """The shape of a feed whose view is a stack of m by n matrices."""
    wide = n + ("columns" in view)
    return [*stack, *((wide, m) if "turned" in view else (m, wide))]


def close(got, want, k, dtype):
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(got, want, rtol=0, atol=8 * max(k, 1) * eps)


@KIND
@pytest.mark.parametrize("left", VIEWS)
@pytest.mark.parametrize("right", VIEWS)
def test_products_of_views_and_stacks(dtype, left, right):
    rng = np.random.default_rng([len(left), len(right)])
    for _ in range(3):
        (m, n, k), (before, behind) = rng.choice(SIZES, 3), STACKS[rng.integers(len(STACKS))]
        shapes = given(left, before, m, k), given(right, behind, k, n)
        x, y = (sg.placeholder(dtype, s) for s in shapes)
        product = VIEWS[left](x) @ VIEWS[right](y)
        f, g = (sg.compile([product, sg.tanh(product)], [x, y], backend=b)
                for b in ("native", "numpy"))  # fmt: skip
        feeds = [rng.uniform(-1, 1, s).astype(dtype) for s in shapes]
        for got, want in zip(f(*feeds), g(*feeds), strict=True):
            close(got, want, k, dtype)


@KIND
def test_a_stack_by_one_matrix_has_the_bits_of_products_one_by_one(dtype):
    if not rows_are_alone(dtype, 100, 20, 30, 50):
        pytest.skip("the bits of a row depend on the number of rows in this machine's BLAS")
    x, w = sg.placeholder(dtype, [5, 20, 30]), sg.placeholder(dtype, [30, 50])
    whole = sg.compile(x @ w, [x, w], backend="native")
    part = sg.compile(x[3] @ w, [x, w], backend="native")
    rng = np.random.default_rng(0)
    feeds = [rng.normal(size=e.shape).astype(dtype) for e in (x, w)]
    assert np.array_equal(whole(*feeds)[3], part(*feeds))


@KIND
def test_products_of_one_array_with_itself(dtype):
    x = sg.placeholder(dtype, [40, 40])
    f, g = (sg.compile([x @ x, sg.transpose(x) @ x], [x], backend=b) for b in ("native", "numpy"))
    feed = np.random.default_rng(0).uniform(-1, 1, (40, 40)).astype(dtype)
    for got, want in zip(f(feed), g(feed), strict=True):
        close(got, want, 40, dtype)


@KIND
@pytest.mark.parametrize(
    "turn", [lambda x, y: x @ y, lambda x, y: sg.transpose(y) @ sg.transpose(x)]
)
@pytest.mark.parametrize("view", VIEWS)
def test_products_by_vectors_of_all_views(dtype, turn, view):
    rng = np.random.default_rng(0)
    shapes = given(view, (), 200, 150), given(view, (), 150, 1)
    x, y = (sg.placeholder(dtype, s) for s in shapes)
    z = turn(VIEWS[view](x), VIEWS[view](y))
    f, g = (sg.compile(z, [x, y], backend=b) for b in ("native", "numpy"))
    feeds = [rng.uniform(-1, 1, s).astype(dtype) for s in shapes]
    close(f(*feeds), g(*feeds), 150, dtype)
