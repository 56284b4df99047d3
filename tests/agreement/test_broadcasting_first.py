"""Functions that compare two operands: what broadcasts is broadcast first, before anything else."""

import inspect
import itertools

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops.library.nn import classification, loss, regression_losses

COMPARED = {"target", "x2", "input2", "other", "y"}  # names of the second of two operands
SHAPES = [(2, 3), (3,), (1, 3), (2, 1), (1,), (), (4, 1, 3)]
FUNCTIONS = {
    f"{space.__name__}.{name}": f
    for space in (regression_losses, loss, classification, dg.nn.functional)
    for name in space.__all__
    if callable(f := getattr(space, name))
    and not isinstance(f, gradops.Op)
    and COMPARED & set(list(inspect.signature(f).parameters)[1:2])
}
EPS = 1e-12  # the same numbers, added up in another order


def result(f, a, b):
    """The result of a function of two arrays, or None if it refuses them."""
    with np.errstate(all="ignore"):
        try:
            return f(dg.tensor(a), dg.tensor(b)).numpy()
        except (gradops.GradError, TypeError):
            return None


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_pair_that_broadcasts_has_the_result_of_the_broadcast_pair(f):
    rng = np.random.default_rng(0)
    for a, b in itertools.product(SHAPES, SHAPES):
        x, y = rng.uniform(0.2, 0.8, a), rng.uniform(0.2, 0.8, b)
        if (got := result(f, x, y)) is not None:
            want = result(f, *(v.copy() for v in np.broadcast_arrays(x, y)))
            np.testing.assert_allclose(got, want, rtol=EPS, err_msg=f"{a} beside {b}")


def test_there_are_functions():
    assert len(FUNCTIONS) > 20


PAIRS = [((2, 3), (2, 1)), ((3,), (2, 3)), ((4, 1, 3), (2, 3)), ((2, 3), (2, 3)), ((3,), (3,))]


def cosines(lib, x, y, dim):
    """The cosines of vectors, and their gradients."""
    x, y = (lib.tensor(v, requires_grad=True) for v in (x, y))
    found = lib.nn.functional.cosine_similarity(x, y, dim=dim)
    (found * found).sum().backward()
    return [t.detach().numpy() for t in (found, x.grad, y.grad)]


@pytest.mark.peers
@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("shapes", PAIRS)
@pytest.mark.parametrize("scale", [1.0, 0.0, 1e-9], ids=["long", "zero", "below epsilon"])
def test_cosine_similarity_is_torchs(shapes, dim, scale):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=shapes[0]) * scale, rng.normal(size=shapes[1])
    if dim < max(map(len, shapes)):
        want, got = cosines(torch, x, y, dim), cosines(dg, x, y, dim)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(b).max(initial=1))


@pytest.mark.peers
@pytest.mark.parametrize("target", [1.0, -1.0, 0.0, 0.5])
def test_hinge_embedding_loss_is_torchs_for_every_target(target):
    torch = pytest.importorskip("torch")
    x = np.array([-1.0, 0.0, 0.5, 2.0])
    got, want = (
        lib.nn.functional.hinge_embedding_loss(
            lib.tensor(x), lib.tensor(np.full(4, target)), reduction="none"
        )
        for lib in (dg, torch)
    )
    np.testing.assert_array_equal(got.numpy(), want.numpy())
