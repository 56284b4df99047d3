"""Composites of neural networks: tape, interpreter and generated code agree to the bit."""

import numpy as np
import pytest

import gradops as ops

rng = np.random.default_rng(0)
IMAGES, SEQUENCES = rng.standard_normal((2, 4, 6, 6)), rng.standard_normal((2, 4, 9))
FILTERS, BIAS = rng.standard_normal((4, 2, 3, 3)) / 4, rng.standard_normal(4)
QUERIES, KEYS = rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 5, 4))
MASK = np.array([[True, False, True, True, False], [False] * 5, [True] * 5])
LABELS = np.array([0, 2])


def network(x, w, b):
    """What follows a convolution finds its channels last in memory."""
    h = ops.convolution(x, w, b, padding="same", groups=2)
    h = ops.relu(ops.batch_norm(h, weight=b, bias=b))
    h = ops.max_pooling(h, 2)
    return ops.avg_pool(ops.convolution(h, w, b, padding=1, groups=2), 3, 2, 1, count_padding=False)


CASES = {
    "a network": (network, [IMAGES, FILTERS, BIAS]),
    "transposed convolution": (
        lambda x, w, b: ops.conv_transposed(x, w, stride=2, groups=2, output_padding=1),
        [IMAGES, FILTERS, BIAS],
    ),
    "adaptive pooling": (
        lambda x: ops.adaptive_avg_pool(x, (4, 2)) + ops.adaptive_max_pool(x, (4, 2)), [IMAGES],
    ),
    "pooling by norm": (lambda x: ops.lp_pool(ops.exp(x), 3, 2, axes=1), [SEQUENCES]),
    "group norm": (lambda x, b: ops.group_norm(x, 2, b, b), [SEQUENCES, BIAS]),
    "instance norm": (lambda x, b: ops.instance_norm(x, b, b), [SEQUENCES, BIAS]),
    "layer and rms norm": (
        lambda x: ops.rms_norm(ops.layer_norm(x, (4, 9)), (9,)), [SEQUENCES]
    ),
    "local response norm": (lambda x: ops.local_response_norm(x, 3), [SEQUENCES]),
    "unit vectors": (lambda x: ops.normalize(x, p=3), [SEQUENCES]),
    "attention": (lambda q, k: ops.attention(q, k, k), [QUERIES, KEYS]),
    "causal attention": (lambda q, k: ops.attention(q, k, k, causal=True), [QUERIES, KEYS]),
    "masked attention": (lambda q, k: ops.attention(q, k, k, MASK), [QUERIES, KEYS]),
    "columns": (lambda x: ops.unfold(x, 2, 2, 1), [IMAGES]),
    "nearest": (lambda x: ops.interpolate(x, scales=(2, 1.5)), [IMAGES]),
    "linear": (lambda x: ops.interpolate(x, sizes=(4, 9), method="linear"), [IMAGES]),
    "cubic": (lambda x: ops.interpolate(x, sizes=(4, 9), method="cubic"), [IMAGES]),
    "shuffled pixels": (lambda x: ops.pixel_unshuffle(ops.pixel_shuffle(x, 2), 3), [IMAGES]),
    "embedding": (lambda x: ops.embedding(LABELS, x, padding=2), [QUERIES[0]]),
    "margins": (
        lambda a, b: ops.triplet_margin_loss(a, b[:, :3], b[:, 1:4]) + ops.multi_margin_loss(
            a[:, 0], LABELS
        ), [QUERIES, KEYS],
    ),
    "cosines": (
        lambda a, b: ops.cosine_embedding_loss(a[0], b[0, :3], np.array([1, -1, 1])),
        [QUERIES, KEYS],
    ),
    "likelihoods": (
        lambda x: ops.gaussian_nll_loss(x, ops.exp(x), ops.softplus(x))
        + ops.poisson_nll_loss(x, ops.relu(x), full=True), [QUERIES],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("f", "xs"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_ways_agree(f, xs, dtype, ways, same_bits):
    found = ways(f, [x.astype(dtype) for x in xs], order=2, tensors=True)
    for name, values in found.items():
        same_bits(found["tape"], values, name)
    assert found["tape"][0].dtype == dtype


@pytest.mark.parametrize("name", ["a network", "group norm", "attention", "masked attention"])
def test_all_ways_agree_on_any_number_of_examples(name, ways, same_bits):
    f, xs = CASES[name]
    sizes = [("n", *x.shape[1:]) if x.ndim > 2 and len(x) == 2 else x.shape for x in xs]
    found = ways(f, xs, sizes=sizes)
    for which, values in found.items():
        same_bits(found["tape"], values, which)


def test_a_query_that_may_look_nowhere_gets_zeros_and_gives_no_gradient():
    import dynamicgrad as dg

    q, k = (dg.tensor(x, requires_grad=True) for x in (QUERIES, KEYS))
    y = ops.attention(q, k, k, MASK)
    assert not y.numpy(force=True)[:, 1].any()
    y.sum().backward()
    assert not q.grad.numpy()[:, 1].any()
    assert np.isfinite(k.grad.numpy()).all()
