"""Every function of `nn.functional` beside PyTorch's: values, first and second gradients."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops.core.types import is_inexact

TOLERANCE = 1e-9  # other algorithms, in float64
ROUNDED = {"hardsigmoid": 1e-7}  # torch takes a sixth in float32


def reals(*shape, seed=0):
    """Reals of both signs, none near zero."""
    rng = np.random.default_rng([seed, *shape])
    return rng.uniform(0.2, 2.0, shape) * rng.choice([-1.0, 1.0], shape)


def distinct(*shape):
    """Reals no two of which are equal."""
    n = int(np.prod(shape))
    return (np.random.default_rng(1).permutation(n).reshape(shape) - n / 2 + 0.25) / 4


def shares(*shape):
    """Rows of probabilities."""
    p = np.random.default_rng(2).uniform(0.1, 1.0, shape)
    return p / p.sum(-1, keepdims=True)


def positive(*shape):
    return np.random.default_rng(3).uniform(0.3, 2.0, shape)


IMAGE, LINE, VOLUME = (2, 4, 7, 6), (2, 4, 9), (1, 2, 4, 5, 4)
ZEROS, KINKS = (
    np.zeros((2, 3)),
    np.array([-3.5, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 5.0, 6.0, 7.0]),
)
LABELS = np.array([2, 0, 1])
SIGNS = np.array([1.0, -1.0, 1.0])
FEW, CLASSES, WEIGHTS = reals(3, 4), reals(3, 4, 2), positive(4)
NOWHERE = np.array([[True, False, True], [False, False, False]])
ADDED = np.where(NOWHERE, 0.5, -np.inf)

# Names, with what they are called with: arrays come first, and require gradients if they are floats
# and no keyword.
CONVOLUTIONS = [
    ("conv1d", [reals(*LINE), reals(6, 4, 3), reals(6)], {"stride": 2, "padding": 1}),
    ("conv1d", [reals(4, 9), reals(6, 2, 3)], {"groups": 2, "dilation": 2, "padding": "same"}),
    ("conv2d", [reals(*IMAGE), reals(3, 4, 3, 2), reals(3)], {"padding": (1, 0)}),
    ("conv2d", [reals(*IMAGE), reals(3, 4, 2, 2)], {"padding": "same"}),
    ("conv2d", [reals(*IMAGE), reals(4, 1, 3, 3)], {"groups": 4, "stride": (2, 1)}),
    ("conv2d", [reals(*IMAGE), reals(3, 4, 1, 1)], {}),
    ("conv2d", [reals(0, 4, 5, 5), reals(3, 4, 3, 3)], {}),
    ("conv3d", [reals(*VOLUME), reals(3, 2, 2, 3, 1), reals(3)], {"stride": (1, 2, 2)}),
    ("conv_transpose1d", [reals(*LINE), reals(4, 3, 3), reals(3)], {"stride": 3, "padding": 1,
                                                                    "output_padding": 2}),
    ("conv_transpose1d", [reals(4, 9), reals(4, 3, 2)], {"dilation": 3, "output_padding": 2}),
    ("conv_transpose2d", [reals(*IMAGE), reals(4, 2, 3, 2)], {"groups": 2, "padding": (1, 0)}),
    ("conv_transpose2d", [reals(*IMAGE), reals(4, 2, 2, 3)], {"stride": 2, "dilation": (1, 2)}),
    ("conv_transpose3d", [reals(*VOLUME), reals(2, 3, 2, 2, 2), reals(3)], {"stride": 2}),
]  # fmt: skip
POOLS = [
    ("max_pool1d", [distinct(*LINE)], {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("max_pool2d", [distinct(*IMAGE)], {"kernel_size": 2}),
    ("max_pool2d", [distinct(*IMAGE)], {"kernel_size": 2, "ceil_mode": True}),
    ("max_pool2d", [distinct(*IMAGE)], {"kernel_size": (3, 2), "stride": (1, 2), "dilation": 2}),
    ("max_pool2d", [np.ones(IMAGE)], {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("max_pool2d_with_indices", [distinct(*IMAGE)], {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("max_pool3d_with_indices", [distinct(*VOLUME)], {"kernel_size": 2, "ceil_mode": True}),
    ("avg_pool1d", [reals(4, 9)], {"kernel_size": 2}),
    ("avg_pool1d", [reals(*LINE)], {"kernel_size": 2, "stride": 3, "ceil_mode": True}),
    ("avg_pool2d", [reals(*IMAGE)], {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("avg_pool2d", [reals(*IMAGE)], {"kernel_size": 3, "stride": 2, "padding": 1,
                                     "count_include_pad": False}),
    ("avg_pool2d", [reals(*IMAGE)], {"kernel_size": 3, "stride": 2, "padding": 1,
                                     "ceil_mode": True}),
    ("avg_pool2d", [reals(*IMAGE)], {"kernel_size": (2, 3), "divisor_override": 5}),
    ("avg_pool3d", [reals(*VOLUME)], {"kernel_size": 2, "ceil_mode": True}),
    ("lp_pool1d", [positive(*LINE)], {"norm_type": 3, "kernel_size": 2}),
    ("lp_pool2d", [positive(*IMAGE)], {"norm_type": 2, "kernel_size": 2, "stride": 1}),
    ("adaptive_avg_pool1d", [reals(*LINE)], {"output_size": 4}),
    ("adaptive_avg_pool2d", [reals(*IMAGE)], {"output_size": (None, 3)}),
    ("adaptive_avg_pool2d", [reals(*IMAGE)], {"output_size": 1}),
    ("adaptive_avg_pool3d", [reals(*VOLUME)], {"output_size": (2, 3, 2)}),
    ("adaptive_max_pool1d", [distinct(*LINE)], {"output_size": 4, "return_indices": True}),
    ("adaptive_max_pool2d", [distinct(*IMAGE)], {"output_size": (3, 2), "return_indices": True}),
    ("adaptive_max_pool3d", [distinct(*VOLUME)], {"output_size": 3}),
]  # fmt: skip
NORMS = [
    ("batch_norm", [reals(*IMAGE), np.zeros(4), np.ones(4), reals(4), reals(4)], {}),
    ("batch_norm", [reals(5, 4)], {"running_mean": None, "running_var": None, "training": True}),
    ("layer_norm", [reals(2, 3, 4), reals(3, 4), reals(3, 4)], {"normalized_shape": (3, 4)}),
    ("layer_norm", [reals(2, 3, 4)], {"normalized_shape": (4,), "eps": 0.1}),
    ("rms_norm", [reals(2, 3, 4), reals(4)], {"normalized_shape": (4,)}),
    ("group_norm", [reals(*IMAGE)], {"num_groups": 2}),
    ("instance_norm", [reals(*IMAGE)], {}),
    ("local_response_norm", [reals(*IMAGE)], {"size": 3, "alpha": 0.5, "beta": 0.6, "k": 2.0}),
    ("local_response_norm", [reals(*LINE)], {"size": 2}),
    ("normalize", [reals(3, 4)], {}), ("normalize", [reals(3, 4)], {"p": 3, "dim": 0}),
    ("normalize", [ZEROS], {}),
]  # fmt: skip
ACTIVATIONS = [
    *((name, [x], {}) for x in (KINKS, reals(3, 4)) for name in (
        "relu", "relu6", "elu", "selu", "celu", "leaky_relu", "hardtanh", "hardsigmoid",
        "hardswish", "hardshrink", "softshrink", "softsign", "tanhshrink", "logsigmoid", "mish",
        "silu", "gelu", "softplus", "tanh", "sigmoid",
    )),
    ("elu", [reals(3, 4)], {"alpha": 0.5}), ("celu", [reals(3, 4)], {"alpha": 2.0}),
    ("threshold", [KINKS], {"threshold": 0.5, "value": 3.0}),
    ("hardtanh", [KINKS], {"min_val": -3.0, "max_val": 0.5}),
    ("prelu", [reals(2, 3, 4), reals(3)], {}), ("prelu", [reals(3, 4), reals(1)], {}),
    ("glu", [reals(3, 4)], {}), ("glu", [reals(4, 3)], {"dim": 0}),
    ("softmax", [reals(3, 4)], {"dim": 1}), ("softmin", [reals(3, 4)], {"dim": 0}),
    ("log_softmax", [reals(3, 4)], {"dim": -1}),
]  # fmt: skip
LOSSES = [
    ("mse_loss", [FEW, FEW[::-1]], {}), ("l1_loss", [FEW, FEW[::-1]], {"reduction": "sum"}),
    ("smooth_l1_loss", [FEW, FEW[::-1]], {"beta": 0.5}),
    ("smooth_l1_loss", [FEW, FEW[::-1]], {"beta": 0.0}),
    ("huber_loss", [FEW, FEW[::-1]], {"delta": 0.7, "reduction": "none"}),
    ("cross_entropy", [FEW, LABELS], {"label_smoothing": 0.1, "weight": WEIGHTS}),
    ("cross_entropy", [CLASSES, LABELS[:, None] + [[0, 1]]], {"ignore_index": 1}),
    ("cross_entropy", [FEW, shares(3, 4)], {"label_smoothing": 0.2}),
    ("nll_loss", [CLASSES, LABELS[:, None] + [[0, 1]]], {"weight": WEIGHTS}),
    ("kl_div", [FEW, shares(3, 4)], {"reduction": "batchmean"}),
    ("kl_div", [FEW, FEW[::-1]], {"log_target": True}),
    ("binary_cross_entropy", [shares(3, 4), shares(3, 4)], {"weight": WEIGHTS}),
    ("binary_cross_entropy_with_logits", [FEW, shares(3, 4)], {"pos_weight": WEIGHTS}),
    ("cosine_similarity", [FEW, FEW[::-1]], {}),
    ("cosine_embedding_loss", [FEW, reals(3, 4, seed=5)], {"target": SIGNS, "margin": 0.1}),
    ("hinge_embedding_loss", [FEW], {"target": np.sign(FEW)[::-1]}),
    ("margin_ranking_loss", [FEW[:, 0], FEW[:, 1]], {"target": SIGNS, "margin": 0.3}),
    ("multi_margin_loss", [FEW, LABELS], {"weight": WEIGHTS, "margin": 0.9}),
    ("multi_margin_loss", [FEW, LABELS], {"p": 2, "reduction": "sum"}),
    ("multilabel_soft_margin_loss", [FEW], {"target": (FEW > 0) * 1.0, "weight": WEIGHTS}),
    ("soft_margin_loss", [FEW], {"target": np.sign(FEW)[::-1]}),
    ("triplet_margin_loss", [FEW, reals(3, 4, seed=5), reals(3, 4, seed=6)], {"swap": True}),
    ("triplet_margin_with_distance_loss", [FEW, reals(3, 4, seed=5), reals(3, 4, seed=6)], {}),
    ("poisson_nll_loss", [FEW], {"target": positive(3, 4), "full": True}),
    ("poisson_nll_loss", [positive(3, 4)], {"target": FEW, "log_input": False}),
    ("gaussian_nll_loss", [FEW, FEW[::-1], positive(3, 4)], {"full": True}),
    ("gaussian_nll_loss", [FEW, FEW[::-1], positive(3)], {}),
    ("pairwise_distance", [FEW, reals(3, 4, seed=5)], {"p": 3, "keepdim": True}),
]  # fmt: skip
OTHERS = [
    ("linear", [reals(2, 3), reals(4, 3), reals(4)], {}),
    ("embedding", [np.array([[0, 2], [2, 1]]), reals(4, 3)], {"padding_idx": 2}),
    *(("embedding_bag", [np.array([[0, 2], [2, 1]]), reals(4, 3)], {"mode": mode, "padding_idx": 1})
      for mode in ("sum", "mean", "max")),
    ("embedding_bag", [np.array([[0, 2], [2, 1]]), reals(4, 3)], {}),
    ("channel_shuffle", [reals(2, 4, 3)], {"groups": 2}),
    ("scaled_dot_product_attention", [reals(2, 4, 3), reals(2, 5, 3), reals(2, 5, 2)], {}),
    ("scaled_dot_product_attention", [reals(4, 3), reals(4, 3), reals(4, 2)],
     {"is_causal": True, "scale": 0.3}),
    ("scaled_dot_product_attention", [reals(2, 3), reals(3, 3), reals(3, 2)],
     {"attn_mask": NOWHERE}),
    ("scaled_dot_product_attention", [reals(1, 2, 3), reals(1, 3, 3), reals(1, 3, 2)],
     {"attn_mask": ADDED}),
    ("scaled_dot_product_attention", [reals(1, 4, 2, 3), reals(1, 2, 3, 3), reals(1, 2, 3, 2)],
     {"enable_gqa": True}),
    *(("interpolate", [reals(*LINE)], {"size": 5, "mode": m}) for m in (
        "nearest", "nearest-exact", "linear", "area")),
    ("interpolate", [reals(*IMAGE)], {"scale_factor": 2}),
    ("interpolate", [reals(*IMAGE)], {"size": (10, 4), "mode": "bilinear"}),
    ("interpolate", [reals(*IMAGE)], {"size": (10, 1), "mode": "bilinear", "align_corners": True}),
    ("interpolate", [reals(*IMAGE)], {"scale_factor": (1.7, 0.6), "mode": "bilinear"}),
    ("interpolate", [reals(*IMAGE)], {"size": (10, 4), "mode": "bicubic"}),
    ("interpolate", [reals(*IMAGE)], {"size": (9, 7), "mode": "bicubic", "align_corners": True}),
    ("interpolate", [reals(*VOLUME)], {"size": (3, 9, 2), "mode": "trilinear"}),
    ("interpolate", [reals(*IMAGE)], {"size": (7, 6), "mode": "bicubic"}),
    ("pixel_shuffle", [reals(1, 8, 2, 3)], {"upscale_factor": 2}),
    ("pixel_unshuffle", [reals(1, 2, 4, 6)], {"downscale_factor": 2}),
    ("unfold", [reals(*IMAGE)], {"kernel_size": (3, 2), "stride": 2, "padding": 1}),
    ("fold", [reals(2, 12, 8)], {"output_size": (5, 7), "kernel_size": 2, "stride": 2,
                                  "padding": (0, 1), "dilation": (2, 1)}),
]  # fmt: skip
ROWS = [*CONVOLUTIONS, *POOLS, *NORMS, *ACTIVATIONS, *LOSSES, *OTHERS]
CASES = [
    pytest.param(*row, id=f"{row[0]}-{[r[0] for r in ROWS[:i]].count(row[0])}")
    for i, row in enumerate(ROWS)
]
ONCE = {"hardsigmoid", "multi_margin_loss"}  # what torch does not differentiate again


def results(lib, name, arrays, options):
    """Values, gradients of a weighted sum, and the gradients of the sum of their squares."""
    tensors = [lib.tensor(np.array(a), requires_grad=is_inexact(a.dtype)) for a in arrays]
    options = {
        k: lib.tensor(np.array(v)) if isinstance(v, np.ndarray) else v for k, v in options.items()
    }
    named = placed(lib, name, tensors, options)
    wanted = [t for t in tensors if t.requires_grad]
    outputs = named if isinstance(named, tuple) else (named,)
    y = outputs[0]
    g = np.random.default_rng(7).uniform(0.5, 1.5, tuple(y.shape))
    first = lib.autograd.grad(y, wanted, lib.tensor(g), allow_unused=True, create_graph=True)
    parts = [(p * p).sum() for p in first if p is not None and p.requires_grad]
    if not parts or name in ONCE or any(a is k for a in arrays for k in (KINKS, ZEROS)):
        second = [None] * len(wanted)
    else:
        second = lib.autograd.grad(sum(parts), wanted, allow_unused=True)
    shapes = [None for _ in outputs] + 2 * [tuple(t.shape) for t in wanted]
    found = zip([*outputs, *first, *second], shapes, strict=True)
    return [np.zeros(s) if t is None else t.numpy(force=True) for t, s in found]


def placed(lib, name, tensors, options):
    """The call, with what torch wants in between by its name."""
    f = getattr(lib.nn.functional, name)
    if name in ("layer_norm", "rms_norm"):
        names = ("weight", "bias")
        return f(tensors[0], **dict(zip(names, tensors[1:], strict=False)), **options)
    if name == "batch_norm" and len(tensors) > 1:
        x, mean, var, *rest = tensors
        return f(x, mean.detach(), var.detach(), *rest, **options)
    return f(*tensors, **options)


@pytest.mark.peers
@pytest.mark.parametrize(("name", "arrays", "options"), CASES)
@pytest.mark.filterwarnings("ignore")
def test_values_and_gradients_are_torchs(name, arrays, options):
    torch = pytest.importorskip("torch")
    want = results(torch, name, arrays, options)
    found = results(dg, name, arrays, options)
    tolerance = ROUNDED.get(name, TOLERANCE)
    for got, expected in zip(found, want, strict=True):
        scale = np.abs(expected).max(initial=1)
        np.testing.assert_allclose(got, expected, tolerance, tolerance * scale)


def test_every_function_of_ours_has_a_row():
    without = {"alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "one_hot", "pad",
               "feature_alpha_dropout", "gumbel_softmax", "lp_pool3d"}  # fmt: skip
    rows = {name for name, *_ in ROWS} | {f"{name}_with_indices" for name, *_ in POOLS}
    rows |= {name.removesuffix("_with_indices") for name in rows}
    assert set(dg.nn.functional.__all__) - without <= rows
