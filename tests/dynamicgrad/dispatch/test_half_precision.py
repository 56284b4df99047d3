"""Half precision: sums of squares may exceed its range, results within it are right."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as ops
from dynamicgrad.names.torch_names import TABLE

F = dg.nn.functional
LARGE = np.array([[300.0, 400.0, 300.0], [200.0, 310.0, -290.0]], np.float16)
OTHER = np.array([[-280.0, 100.0, 350.0], [330.0, -20.0, 250.0]], np.float16)
CALLS = {
    "var": lambda x, y: dg.var(x / 8),
    "std": lambda x, y: dg.std(x, dim=1),
    "norm": lambda x, y: dg.norm(x),
    "vector_norm": lambda x, y: dg.linalg.vector_norm(x, 3, dim=1),
    "matrix_norm": lambda x, y: dg.linalg.matrix_norm(x),
    "dist": lambda x, y: dg.dist(x, y),
    "cdist": lambda x, y: dg.cdist(x, y),
    "normalize": lambda x, y: F.normalize(x, dim=1),
    "rms_norm": lambda x, y: F.rms_norm(x, [3]),
    "cosine_similarity": lambda x, y: F.cosine_similarity(x, y),
    "cosine_embedding_loss": lambda x, y: F.cosine_embedding_loss(x, y, dg.tensor([1, -1])),
    "pairwise_distance": lambda x, y: F.pairwise_distance(x, y),
    "triplet_margin_loss": lambda x, y: F.triplet_margin_loss(x, y, -x),
    "avg_pool1d": lambda x, y: F.avg_pool1d(x * 100, 3),
    "avg_pool2d": lambda x, y: F.avg_pool2d(x[None] * 100, (2, 3)),
    "avg_pool3d": lambda x, y: F.avg_pool3d(x[None, None] * 100, (1, 2, 3)),
    "adaptive_avg_pool1d": lambda x, y: F.adaptive_avg_pool1d(x * 100, 1),
    "adaptive_avg_pool2d": lambda x, y: F.adaptive_avg_pool2d(x[None] * 100, 1),
    "adaptive_avg_pool3d": lambda x, y: F.adaptive_avg_pool3d(x[None, None] * 100, 1),
}
LAYERS = {
    "RMSNorm": lambda x, y: dg.nn.RMSNorm(3, dtype=x.dtype)(x),
    "CosineSimilarity": lambda x, y: dg.nn.CosineSimilarity()(x, y),
    "PairwiseDistance": lambda x, y: dg.nn.PairwiseDistance()(x, y),
    "AvgPool1d": lambda x, y: dg.nn.AvgPool1d(3)(x * 100),
    "TripletMarginLoss": lambda x, y: dg.nn.TripletMarginLoss()(x, y, -x),
    "gradops": lambda x, y: ops.normalize(x) + ops.rms_norm(y, (3,)),
}
BY_KERNEL = {
    "layer_norm": lambda x, y: F.layer_norm(x, [3]),
    "group_norm": lambda x, y: F.group_norm(x, 1),
    "instance_norm": lambda x, y: F.instance_norm(x[None]),
    "batch_norm": lambda x, y: F.batch_norm(x, None, None, training=True),
}

AS_IN_NUMPY = {"std", "vector_norm"}
"""Ops with the values of NumPy's functions, which overflow; those of `dg` do not."""
COARSE = {"sinc", "gelu_slope", "binary_cross_entropy_with_logits"}
"""Functions whose argument or factors are rounded, or overflow, before anything is summed."""


def test_there_is_a_call_for_every_function_that_computes_in_single_precision():
    assert {name for name, row in TABLE.items() if row.single} <= set(CALLS)


@pytest.mark.parametrize("name", CALLS | LAYERS | BY_KERNEL)
def test_a_function_of_half_precision_is_that_of_single_precision_rounded(name):
    call = (CALLS | LAYERS | BY_KERNEL)[name]
    x, y = (dg.tensor(v, requires_grad=True) for v in (LARGE, OTHER))
    a, b = (dg.tensor(v.astype(np.float32), requires_grad=True) for v in (LARGE, OTHER))
    half, single = call(x, y), call(a, b)
    assert half.dtype == np.float16
    np.testing.assert_allclose(half.detach().numpy(), single.detach().numpy(), rtol=2e-3)
    half.sum().backward()
    single.sum().backward()
    assert x.grad.dtype == np.float16
    np.testing.assert_allclose(x.grad.numpy(), a.grad.numpy(), rtol=2e-2, atol=5e-3)


@pytest.mark.parametrize("name", ["normalize", "pairwise_distance"])
def test_half_precision_beside_single_precision_gives_single_precision(name):
    x, y = dg.tensor(LARGE), dg.tensor(OTHER.astype(np.float32))
    result = F.pairwise_distance(x, y) if name == "pairwise_distance" else F.normalize(x) * y
    assert result.dtype == np.float32


def half_samples(op):
    """The samples of an op whose operands are floats, in half precision, also enlarged."""
    for xs, attrs in op.samples(np.random.default_rng(0)):
        arrays = [np.asarray(x) for x in xs]
        if arrays and all(x.dtype.kind == "f" for x in arrays):
            yield from (([(x * s).astype(np.float16) for x in arrays], attrs) for s in (1, 300))


@pytest.mark.parametrize("name", sorted(set(ops.OPS) - AS_IN_NUMPY - COARSE))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_op_of_half_precision_overflows_on_the_way(name):
    op = ops.OPS[name]
    for xs, attrs in half_samples(op):
        try:
            single = np.asarray(op(*(x.astype(np.float32) for x in xs), **attrs))
            half = np.asarray(op(*xs, **attrs))
        except (ops.OperandError, TypeError):  # not for half precision, or not for large numbers
            continue
        if half.dtype != np.float16 or half.shape != single.shape:
            continue
        fits = np.isfinite(single) & np.isfinite(single.astype(np.float16))
        np.testing.assert_allclose(half[fits], single[fits], rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("of", ["float16", "float32"])
@pytest.mark.parametrize("norm", [dg.norm, dg.linalg.vector_norm, dg.linalg.matrix_norm])
def test_a_norm_asked_for_in_half_precision_is_summed_in_single_precision(norm, of):
    y = norm(dg.tensor(LARGE.astype(of)), dtype=dg.float16)
    assert y.dtype == dg.float16
    assert y.item() == np.float16(np.linalg.norm(LARGE.astype(np.float64)))


@pytest.mark.parametrize("of", [dg.float16, dg.float32, dg.float64])
@pytest.mark.parametrize("name", ["dist", "pairwise_distance"])
def test_a_number_in_a_tensor_leaves_a_distance_in_half_precision(name, of):
    f = getattr(dg, name, None) or getattr(F, name)
    x, number = dg.tensor(LARGE), dg.tensor(1.5, dtype=of)
    assert f(x, number).dtype == f(number, x).dtype == dg.float16
    assert np.isfinite(f(x, number).numpy()).all()
