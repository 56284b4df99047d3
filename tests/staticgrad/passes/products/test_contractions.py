"""Sums of products along one axis become products of a matrix and a vector."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from staticgrad.passes import ContractSums

RNG = np.random.default_rng(0)
FORMS = {
    "rows": (lambda m, v: ops.sum(m * v, axis=1), (4,)),
    "rows, kept": (lambda m, v: ops.sum(v * m, axis=-1, keepdims=True), (1, 4)),
    "columns": (lambda m, v: ops.sum(m * v, axis=0), (3, 1)),
    "columns, kept": (lambda m, v: ops.sum(v * m, axis=(-2,), keepdims=True), (3, 1)),
    "to a row": (lambda m, v: ops.sum_to(m * v, shape=(4,)), (3, 1)),
    "to a column": (lambda m, v: ops.sum_to(m * v, shape=(3, 1)), (4,)),
}
OTHERS = {
    "across the vector": (lambda m, v: ops.sum(m * v, axis=0), (4,), "float64"),
    "of a vector that is repeated": (lambda m, v: ops.sum(m * v, axis=1), (3, 1), "float64"),
    "of all": (lambda m, v: ops.sum_to(m * v, shape=(1, 1)), (4,), "float64"),
    "of two matrices": (lambda m, v: ops.sum(m * v, axis=1), (3, 4), "float64"),
    "of a number": (lambda m, v: ops.sum(m * v, axis=1), (), "float64"),
    "of integers": (lambda m, v: ops.sum(m * v, axis=1), (4,), "int64"),
    "of complex numbers": (lambda m, v: ops.sum(m * v, axis=1), (4,), "complex128"),
    "of stacks": (lambda m, v: ops.sum((m * v)[None], axis=2), (4,), "float64"),
}


PRODUCTS = {
    "a column as a vector": (lambda m, v: ops.reshape(m @ v[:, None], shape=(3,)), (4,)),
    "a row as a vector": (lambda m, v: ops.reshape(v[None] @ m, shape=(-1,)), (3,)),
    "of a column": (lambda m, v: ops.reshape(m @ v, shape=(3,)), (4, 1)),
    "of a row": (lambda m, v: ops.reshape(v @ m, shape=(4,)), (1, 3)),
}
OTHER_PRODUCTS = {
    "of many entries": (lambda m, v: ops.reshape(m @ v, shape=(6,)), (4, 2)),
    "to a matrix": (lambda m, v: ops.reshape(m @ v, shape=(1, 3)), (4, 1)),
    "of a vector": (lambda m, v: ops.reshape(m @ v, shape=(3,)), (4,)),
}


def frozen(form, shape, dtype="float64", matrix=(3, 4)):
    with sg.Graph().as_default():
        m, v = sg.placeholder(dtype, matrix, name="m"), sg.placeholder(dtype, shape, name="v")
        return sg.freeze([form(m, v)], [m, v])


def names(graph):
    return [e.op.name for e in graph.order if e.op is not None]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("form", FORMS)
def test_a_sum_along_the_vector_is_a_product(form, dtype):
    graph = frozen(*FORMS[form], dtype)
    done = ContractSums()(graph)
    sg.verify(done)
    assert names(done).count("matmul") == 1
    assert not {"mul", "sum", "sum_to"} & set(names(done))
    feeds = [RNG.standard_normal(e.shape).astype(dtype) for e in graph.inputs]
    (got,), (want,) = sg.interpret(done, feeds), sg.interpret(graph, feeds)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    np.testing.assert_allclose(got, want, rtol=1e-5 if dtype == "float32" else 1e-13, atol=1e-6)


@pytest.mark.parametrize("form", OTHERS)
def test_other_sums_stay(form):
    graph = frozen(*OTHERS[form])
    assert ContractSums()(graph) is graph


@pytest.mark.parametrize(("rows", "few"), [("n", 4), (3, "k"), (3, 10_000), (3, 1)])
def test_long_vectors_and_those_of_unknown_length_stay(rows, few):
    graph = frozen(lambda m, v: ops.sum(m * v, axis=1), (few,), matrix=(rows, few))
    assert (ContractSums()(graph) is graph) == (few != 4)


def test_a_matrix_without_rows_has_an_empty_sum():
    graph = frozen(lambda m, v: ops.sum(m * v, axis=1), (4,), matrix=("n", 4))
    (got,) = sg.interpret(ContractSums()(graph), [np.ones((0, 4)), np.ones(4)])
    assert got.shape == (0,)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_spread_as_in_the_sum(value):
    graph = frozen(lambda m, v: ops.sum(m * v, axis=1), (4,))
    m, v = np.ones((3, 4)), np.ones(4)
    m[1, 2] = value
    (got,), (want,) = (sg.interpret(g, [m, v]) for g in (ContractSums()(graph), graph))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("form", PRODUCTS)
def test_a_product_with_one_column_is_one_with_a_vector(form):
    graph = frozen(*PRODUCTS[form])
    done = ContractSums()(graph)
    (product,) = [e for e in done if e.what == "matmul"]
    assert sorted(len(x.shape) for x in product.inputs) == [1, 2]
    assert done.outputs[0].type == graph.outputs[0].type
    feeds = [RNG.standard_normal(e.shape) for e in graph.inputs]
    got, want = sg.interpret(done, feeds), sg.interpret(graph, feeds)
    np.testing.assert_allclose(got, want, rtol=1e-13)


@pytest.mark.parametrize("form", OTHER_PRODUCTS)
def test_other_products_stay(form):
    graph = frozen(*OTHER_PRODUCTS[form])
    assert ContractSums()(graph) is graph


def test_a_product_of_named_sizes_keeps_its_type():
    form = lambda m, v: ops.reshape(m @ v, shape=(3,))
    graph = frozen(form, (4, 1), matrix=("n", 4))
    assert ContractSums()(graph).outputs[0].type == graph.outputs[0].type


def test_a_sum_to_a_named_size_stays_as_it_may_sum_nothing():
    with sg.Graph().as_default():
        x, w = sg.placeholder("float64", [2, "n"], name="x"), sg.placeholder("float64", [2])
        graph = sg.freeze(sg.gradients(ops.sum(ops.exp(x * w)), [x]), [x, w])
    done = ContractSums()(graph)
    for n in (1, 2):
        feeds = [RNG.standard_normal((2, n)), RNG.standard_normal(2)]
        (got,), (want,) = sg.interpret(done, feeds), sg.interpret(graph, feeds)
        np.testing.assert_allclose(got, want, rtol=1e-13)
