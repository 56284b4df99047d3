"""Pairs: the second value is computed with the first, and has the same bits."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OPS
from gradops.testing.cases import cases

rng = np.random.default_rng(0)
LOSSES = {
    "gelu": lambda x: sg.nn.gelu(x),
    "pooling": lambda x: OPS["max_pool"](x, window=(2,)),
    "cross entropy": lambda x: sg.cross_entropy(x, sg.constant(np.arange(6) % 4)),
}
KERNELS = {
    "gelu": "gelu_and_gelu_slope", "pooling": "max_pool_and_places_of_max",
    "cross entropy": "sparse_cross_entropy_and_class_error",
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("size", [6, "batch"])
def test_value_and_gradient_share_a_kernel_and_keep_their_bits(name, size):
    if name == "cross entropy" and size == "batch":
        size = 6
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [size, 4], name="x")
        y = LOSSES[name](x)
        fetches = [y, *sg.gradients(sg.reduce_sum(y * y), x)]
        plain, apart, paired = (
            sg.compile(fetches, [x], **options)
            for options in ({"optimize": 0}, {"without": "compute_pairs"}, {"verify": True})
        )
        forward = sg.compile(y, [x])
    assert KERNELS[name] in paired.source
    assert KERNELS[name] not in plain.source + apart.source + forward.source
    feed = rng.normal(size=(6, 4)).astype(np.float32)
    for other in (apart, paired):
        for a, b in zip(plain(feed), other(feed), strict=True):
            assert a.tobytes() == b.tobytes()


def test_pairs_are_found_inside_loops_and_of_equal_attributes_only():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [8], name="x")
        y = sg.fori(0, 3, lambda i, s: sg.nn.gelu(s), x)
        source = sg.compile(sg.gradients(sg.reduce_sum(y), x), [x]).source
        other = OPS["gelu"](x, approximate="tanh") + OPS["gelu_slope"](x, approximate="none")
        assert "gelu_and" not in sg.compile(other, [x]).source
    assert source.count("gelu") > 0


PAIRS = [pytest.param(op, name, id=f"{op}-{name}") for op in OPS.values() for name in op.pairs]


@pytest.mark.parametrize(("op", "name"), PAIRS)
def test_every_pair_is_used_by_generated_code(op, name):
    for case in cases(op):
        feeds = [x.astype(np.float32) if x.dtype == float else x for x in case.operands]
        with sg.Graph().as_default():
            xs = [sg.placeholder(x.dtype, x.shape) for x in feeds]
            attrs = {k: v for k, v in case.attrs.items() if k in OPS[name].params}
            fetches = [op(*xs, **case.attrs), OPS[name](*xs, **attrs)]
            paired, plain = (sg.compile(fetches, xs, optimize=n) for n in (1, 0))
        assert f"{op}_and_{name}(" in paired.source
        for a, b in zip(paired(*feeds), plain(*feeds), strict=True):
            assert a.tobytes() == b.tobytes()


def test_a_budget_computes_them_apart():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [64, 64], name="x")
        y = sg.nn.gelu(sg.nn.gelu(x))
        f = sg.compile(sg.gradients(sg.reduce_sum(y), x), [x], memory_budget=1 << 30)
    assert "_and_" not in f.source
