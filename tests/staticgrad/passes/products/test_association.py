"""Products of products are computed in the order that takes the least work."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import AssociateProducts

RNG = np.random.default_rng(0)
SIZES = {"a": (8, 8), "b": (8, 400), "c": (400, 8), "d": (400, 4)}
STACKS = {name: (5, *shape) for name, shape in SIZES.items()}
CHANGED = {
    "one product": lambda a, b, c, d: (a @ b) @ c,
    "two products": lambda a, b, c, d: [(p := a @ b) @ c, p @ d],
    "a sum of columns": lambda a, b, c, d: [(p := a @ b) @ c, sums(p)],
    "a solve": lambda a, b, c, d: ops.linalg.solve_triangular(a, b, lower=True) @ c,
    "a solve with any matrix": lambda a, b, c, d: ops.linalg.solve(a, b) @ c,
    "a factor that depends on it": lambda a, b, c, d: (p := a @ b) @ (c * ops.mean(sums(p))),
}
KEPT = {
    "cheaper as it is": lambda a, b, c, d: (b @ c) @ b,
    "read by others": lambda a, b, c, d: [(p := a @ b) @ c, ops.exp(p)],
    "a result": lambda a, b, c, d: [(p := a @ b) @ c, p],
    "the second factor": lambda a, b, c, d: c @ (a @ b),
    "both factors": lambda a, b, c, d: (p := a @ a) @ p,
    "few entries": lambda a, b, c, d: (a[..., :2, :2] @ b[..., :2, :8]) @ c[..., :8, :2],
    "a sum of rows": lambda a, b, c, d: ops.sum(a @ b, axis=-2),
}


def sums(x):
    return ops.sum_to(x, shape=(*x.shape[:-1], 1))


def frozen(form, sizes=SIZES, dtype="float64"):
    with sg.Graph().as_default():
        xs = [sg.placeholder(dtype, shape, name=name) for name, shape in sizes.items()]
        made = form(*xs)
        return sg.freeze(made if isinstance(made, list) else [made], xs)


def feeds_of(graph):
    feeds = [RNG.normal(size=e.shape).astype(e.dtype) for e in graph.inputs]
    feeds[0] += 4 * np.eye(8, dtype=feeds[0].dtype)
    return feeds


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [SIZES, STACKS], ids=["matrices", "stacks"])
@pytest.mark.parametrize("form", CHANGED)
def test_the_wide_matrices_are_multiplied_first(form, sizes, dtype):
    graph = frozen(CHANGED[form], sizes, dtype)
    changed = AssociateProducts()(graph)
    sg.verify(changed)
    assert not [e for e in changed if e.what in ("matmul", "solve") and 400 in e.shape[-1:]]
    feeds = feeds_of(graph)
    rtol = 1e-4 if dtype == "float32" else 1e-11
    for a, b in zip(sg.interpret(changed, feeds), sg.interpret(graph, feeds), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max())


@pytest.mark.parametrize("form", KEPT)
def test_what_takes_no_less_work_stays(form):
    graph = frozen(KEPT[form])
    assert AssociateProducts()(graph) is graph


OTHERS = {
    "a size with a name": {"b": (8, "n"), "c": ("n", 8)},
    "one matrix for a stack": {"b": (5, 8, 400)},
    "a stack for one matrix": {"a": (5, 8, 8)},
    "another stack": {"c": (5, 400, 8)},
    "a vector": {"c": (400,)},
}


@pytest.mark.parametrize("others", OTHERS)
def test_products_of_other_shapes_stay(others):
    graph = frozen(CHANGED["one product"], SIZES | OTHERS[others])
    assert AssociateProducts()(graph) is graph


def test_products_of_integers_stay():
    graph = frozen(CHANGED["one product"], dtype="int64")
    assert AssociateProducts()(graph) is graph


def test_a_singular_matrix_is_an_error_as_before():
    graph = frozen(CHANGED["a solve with any matrix"])
    changed = AssociateProducts()(graph)
    feeds = [np.zeros(e.shape) for e in graph.inputs]
    for each in (graph, changed):
        with pytest.raises(np.linalg.LinAlgError):
            sg.interpret(each, feeds)
