"""Products of vectors have the same bits wherever entries lie: eager, as written, and optimized."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as ops
import staticgrad as sg

VIEWS = {
    "apart": ([74], lambda x: x[::2]),
    "backwards": ([37], lambda x: x[::-1]),
    "a column": ([37, 3], lambda x: x[:, 1]),
    "a diagonal": ([37, 37], ops.diagonal),
    "repeated": ([1], lambda x: ops.broadcast_to(x, shape=(37,))),
}
PRODUCTS = {
    "a product of vectors": lambda v, w: v @ w,
    "with the view second": lambda v, w: w @ v,
    "with itself": lambda v, w: v @ v,
    "a sum of products": lambda v, w: ops.sum(v * w),
    "a product with a matrix": lambda v, w: ops.stack([w, w]) @ v,
    "a norm": lambda v, w: ops.linalg.norm(v),
}


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("view", VIEWS)
def test_a_product_does_not_depend_on_where_entries_lie(view, product):
    shape, of = VIEWS[view]
    # the maximum of a value and itself is that value, at another place until a pass drops it
    kinds = (lambda v: v, lambda v: ops.maximum(v, v))
    rng, found = np.random.default_rng(0), []
    for _ in range(8):
        x, w = rng.normal(size=shape), rng.normal(size=37)
        call = lambda x, w, kind: PRODUCTS[product](kind(of(x)), w)
        for kind in kinds:
            with sg.Graph().as_default():
                a, b = sg.placeholder("float64", shape), sg.placeholder("float64", [37])
                graph = sg.freeze([call(a, b, kind)], [a, b])
            found.append(np.float64(call(dg.tensor(x), dg.tensor(w), kind).numpy().sum()))
            found += [np.float64(sg.compile(graph, optimize=k)(x, w)[0].sum()) for k in (0, 1)]
        assert len({f.tobytes() for f in found}) == 1
        found.clear()


def test_a_vector_that_is_fed_may_lie_apart():
    rng = np.random.default_rng(0)
    with sg.Graph().as_default():
        a, b = sg.placeholder("float64", [37]), sg.placeholder("float64", [37])
        graph = sg.freeze([ops.maximum(a, a) @ b], [a, b])
    for _ in range(8):
        feeds = [rng.normal(size=74)[::2], rng.normal(size=37)]
        (wanted,) = sg.interpret(graph, feeds)
        for level in (0, 1):
            assert sg.compile(graph, optimize=level)(*feeds)[0].tobytes() == wanted.tobytes()
