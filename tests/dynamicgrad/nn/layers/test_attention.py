"""Attention and transformers: PyTorch's values, gradients and weights, with every kind of mask."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn
from gradops import ShapeError

from ..beside_torch import agree_with_torch

RNG = np.random.default_rng(0)
Q, K = RNG.normal(size=(3, 2, 8)), RNG.normal(size=(5, 2, 8))
LATER = np.triu(np.ones((3, 3), bool), 1)
PADDED = np.array([[False, False, True], [False, True, True]])
SCORES = RNG.normal(size=(4, 3, 5))
SIZES = {"embed_dim": 8, "num_heads": 2}


@pytest.mark.peers
@pytest.mark.parametrize("options", [{}, {"batch_first": True}, {"bias": False}], ids=str)
@pytest.mark.parametrize("call", [{}, {"average_attn_weights": False}, {"need_weights": False}])
def test_attention_is_pytorchs(options, call):
    run = lambda lib, net, q, k, v: net(q, k, v, **call)
    axes = (1, 0, 2) if options.get("batch_first") else (0, 1, 2)
    arrays = [x.transpose(axes) for x in (Q, K, K * 2)]
    agree_with_torch("MultiheadAttention", {**SIZES, **options}, arrays, run)


@pytest.mark.peers
def test_attention_takes_keys_and_values_of_other_sizes_and_no_batch():
    options = {**SIZES, "kdim": 3, "vdim": 5}
    agree_with_torch("MultiheadAttention", options, [Q, K[..., :3], K[..., :5]])
    agree_with_torch("MultiheadAttention", SIZES, [x[:, 0] for x in (Q, K, K * 2)])


@pytest.mark.peers
@pytest.mark.parametrize(
    ("keys", "masks"),
    [
        (Q, {"attn_mask": LATER}),
        (Q, {"key_padding_mask": PADDED}),
        (Q, {"attn_mask": LATER, "key_padding_mask": PADDED}),
        (K, {"attn_mask": SCORES}),
        (K, {"attn_mask": SCORES[0]}),
        (Q, {"attn_mask": np.where(LATER, -np.inf, 0.0), "is_causal": True}),
    ],
)
def test_masks_are_pytorchs(keys, masks):
    def run(lib, net, q, k):
        given = {k: lib.tensor(m) if isinstance(m, np.ndarray) else m for k, m in masks.items()}
        return net(q, k, k * 2, **given)

    agree_with_torch("MultiheadAttention", SIZES, [Q, keys], run)


LAYERS = [{}, {"norm_first": True}, {"activation": "gelu", "bias": False}, {"batch_first": True}]
BLOCK = {"d_model": 8, "nhead": 2, "dim_feedforward": 12, "dropout": 0.0}


@pytest.mark.peers
@pytest.mark.parametrize("options", LAYERS, ids=str)
def test_layers_are_pytorchs(options):
    agree_with_torch("TransformerEncoderLayer", {**BLOCK, **options}, [Q], tolerance=1e-7)
    other = Q if options.get("batch_first") else K
    agree_with_torch(
        "TransformerDecoderLayer", {**BLOCK, **options}, [Q, other * 2], tolerance=1e-7
    )


@pytest.mark.peers
def test_masks_of_a_layer_are_pytorchs():
    run = lambda lib, net, x: net(x, lib.tensor(LATER), lib.tensor(PADDED))
    agree_with_torch("TransformerEncoderLayer", BLOCK, [Q], run)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:enable_nested_tensor:UserWarning")
def test_a_transformer_is_pytorchs():
    options = {**BLOCK, "num_encoder_layers": 2, "num_decoder_layers": 2}
    agree_with_torch("Transformer", options, [K, Q])


def test_copies_of_a_layer_have_weights_of_their_own():
    layer = nn.TransformerEncoderLayer(**BLOCK)
    stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm(8))
    first, second = (stack.layers[i].linear1.weight for i in range(2))
    assert dg.equal(first, second)
    assert first is not second
    assert "layers.1.self_attn.in_proj_weight" in stack.state_dict()


def test_what_comes_later_has_no_influence_under_a_causal_mask():
    layer = nn.TransformerEncoderLayer(**BLOCK, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    x = dg.tensor(RNG.normal(size=(1, 3, 8)), dtype="float32")
    y = x.clone()
    y[0, 2] = 7.0
    assert dg.equal(layer(x, mask)[:, :2], layer(y, mask)[:, :2])


def test_dropout_of_weights_is_that_of_training():
    x = dg.ones(3, 2, 8)
    net = nn.MultiheadAttention(8, 2, dropout=0.5)
    assert not dg.equal(net(x, x, x)[1], net(x, x, x)[1])
    net.eval()
    assert dg.equal(net(x, x, x)[1], net(x, x, x)[1])


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: nn.MultiheadAttention(8, 3), ValueError, "divisible"),
        (lambda: nn.MultiheadAttention(8, 2)(*[dg.ones(3)] * 3), ShapeError, "two dimensions"),
        (lambda: nn.MultiheadAttention(8, 2)(*[dg.ones(3, 4)] * 3), ShapeError, "features"),
        (
            lambda: nn.MultiheadAttention(8, 2)(*[dg.ones(3, 8)] * 3, is_causal=True),
            ValueError,
            "need attn_mask",
        ),
        (lambda: nn.TransformerEncoderLayer(8, 2, activation="sin"), RuntimeError, "relu/gelu"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize(
    "masks",
    [
        {"key_padding_mask": np.array([[True] * 3, [False, False, True]])},
        {"attn_mask": np.array([[False] * 3, [True] * 3, [False] * 3])},
        {"attn_mask": np.where(np.eye(3) < [[1], [1], [0]], -np.inf, 0) - [[0], [np.inf], [0]]},
        {"attn_mask": LATER, "key_padding_mask": np.array([[True, False, False], [False] * 3])},
    ],
)
def test_a_query_that_may_look_nowhere_gathers_nothing_and_no_nan_leaks(masks):
    net, q = nn.MultiheadAttention(**SIZES), dg.tensor(Q, requires_grad=True)
    net.double()
    y, weights = net(q, q, q, **{name: dg.tensor(m) for name, m in masks.items()})
    lost = weights.sum(2) == 0
    assert lost.any()
    assert ((weights.sum(2) - 1).abs() < 1e-6)[~lost].all()
    assert dg.equal(y.swapaxes(0, 1)[lost], net.out_proj.bias.expand(lost.sum().item(), 8))
    (y**2).sum().backward()
    assert all(p.grad.isfinite().all() for p in [q, *net.parameters()])
