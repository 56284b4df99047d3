"""TensorFlow 1's spelling of the ops, in one table: its names, those of its parameters, `name=`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.op import Op
from gradops.core.traits import Trait

from ..ir.expr import renamed
from . import (
    creation,
    images,
    matrices,
    nn,
    pointwise,
    pools,
    rearrange,
    scatter,
    sorting,
    statistics,
)

Source = Callable[..., Any]


def of_gradops(names: str) -> dict[str, Source]:
    """Functions that have the same name here and there."""
    return {name: getattr(ops, name) for name in names.split()}


def of(module: Any, names: str) -> dict[str, Source]:
    """Functions of a module whose parameters have TensorFlow's names."""
    return {name: getattr(module, name) for name in names.split()}


CALLED = {
    "neg": "negative",
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "power": "pow",
    "remainder": "mod",
    "gammaln": "lgamma",
    "i0": "bessel_i0",
    "i0e": "bessel_i0e",
    "i1": "bessel_i1",
    "i1e": "bessel_i1e",
}
OF_FEATURES = "relu silu softplus"
ELSEWHERE = {
    "binary_cross_entropy", "gammainc", "gammaincc", "stop_gradient", "strong_product", "zeta",
    *OF_FEATURES.split(),
}  # fmt: skip


def elementwise(arity: int) -> dict[str, Source]:
    """The ops on so many operands, entry by entry and without attributes."""
    return {
        CALLED.get(name, name): op
        for name, op in ops.OPS.items()
        if name in ops.__all__ and name not in ELSEWHERE
        if op.arity == arity and not op.params and Trait.ELEMENTWISE in op.traits
    }


IMAGES = (
    "conv1d conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose depth_to_space "
    "depthwise_conv2d separable_conv2d space_to_depth"
)
POOLS = (
    "avg_pool avg_pool1d avg_pool2d avg_pool3d batch_normalization embedding_lookup "
    "fused_batch_norm local_response_normalization max_pool max_pool1d max_pool2d max_pool3d"
)
# By TensorFlow's names of the parameters, in the order of ours; "" where they are called the same.
SPELLED: Mapping[str, Mapping[str, Source]] = {
    "x": {
        **elementwise(1), "is_finite": ops.isfinite, "is_inf": ops.isinf, "is_nan": ops.isnan,
        "rint": ops.round,
    },
    "x y": {
        **elementwise(2),
        "truediv": ops.div, "floormod": ops.remainder, "floordiv": ops.floor_divide,
        "truncatemod": ops.fmod,
    },
    "a x": {"igamma": ops.gammainc, "igammac": ops.gammaincc, "polygamma": ops.polygamma},
    "x q": of_gradops("zeta"),
    "a b x": of_gradops("betainc"),
    "input_tensor axis keepdims": {
        "reduce_sum": ops.sum, "reduce_mean": ops.mean, "reduce_max": ops.max,
        "reduce_min": ops.min, "reduce_prod": ops.prod, "reduce_logsumexp": ops.logsumexp,
        "reduce_any": ops.any, "reduce_all": ops.all,
    },
    "features": of_gradops(f"{OF_FEATURES} elu relu6 selu softsign"),
    "logits axis": of_gradops("softmax log_softmax"),
    "input": {**of_gradops("stop_gradient"), "identity": ops.copy},
    "input axis": of_gradops("expand_dims squeeze"),
    "input shape": of_gradops("broadcast_to"),
    "tensor axis": {"reverse": ops.flip},
    "tensor dtype": of_gradops("ones_like zeros_like"),
    "tensor shape": of_gradops("reshape"),
    "a perm": of_gradops("transpose"),
    "x dtype": {"cast": ops.astype},
    "t clip_value_min clip_value_max": {"clip_by_value": ops.clip},
    "a b axes": of_gradops("tensordot"),
    "values axis": {"concat": ops.concatenate, "stack": ops.stack},
    "": {
        **of_gradops(
            "astype binary_cross_entropy_with_logits cross_entropy einsum flip take"
        ),
        **of(creation, "ensure_shape eye fill linspace ones rank zeros"),
        "range": creation.arange, "shape": creation.shape_vector,
        "size": creation.number_of_entries,
        **of(
            rearrange,
            "boolean_mask diag diag_part matrix_band_part matrix_diag "
            "matrix_diag_part matrix_transpose meshgrid one_hot pad repeat roll sequence_mask "
            "split tile unstack",
        ),
        **of(
            scatter,
            "batch_gather gather gather_nd reverse_sequence scatter_nd unsorted_segment_mean",
        ),
        **scatter.UPDATES, **scatter.SEGMENTS,
        **of(
            sorting,
            "argsort count_nonzero in_top_k invert_permutation searchsorted setdiff1d sort top_k "
            "unique unique_with_counts where",
        ),
        **of_gradops(
            "array_split atleast_1d atleast_2d atleast_3d broadcast_arrays column_stack cummax "
            "cummin diag_embed diagflat diagonal diff dstack fliplr flipud hstack log_sigmoid "
            "logcumsumexp median moveaxis nanmedian nanquantile percentile quantile ravel "
            "rot90 rsqrt sliding_window_view swapaxes tril triu vstack"
        ),
        "slice": rearrange.slice_of, **matrices.TOP, **matrices.COMPLEX,
        **of(
            pointwise,
            "add_n argmax argmin assign assign_add assign_sub div_no_nan lbeta matmul scatter_add "
            "squared_difference truncatediv",
        ),
        **of(
            statistics,
            "cumprod cumsum cumulative_logsumexp norm reduce_euclidean_norm reduce_std "
            "reduce_variance",
        ),
        **of(
            nn,
            "bias_add dropout gelu l2_loss l2_normalize leaky_relu log_poisson_loss moments "
            "sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
            "softmax_cross_entropy_with_logits_v2 sparse_softmax_cross_entropy_with_logits "
            "weighted_cross_entropy_with_logits",
        ),
        **of(images, IMAGES), **of(pools, POOLS),
        "lrn": pools.local_response_normalization, "swish": ops.silu,
    },
}  # fmt: skip
# What parameters were called in earlier versions of TensorFlow, and are called now.
FORMERLY = {
    "dim": "axis", "dimension": "axis", "reduction_indices": "axis", "squeeze_dims": "axis",
    "keep_dims": "keepdims", "filters": "filter", "value": "input",
}  # fmt: skip
# What is in `nn`, and what is only there.
IN_NN = "gelu log_sigmoid log_softmax relu sigmoid silu softmax softplus tanh"
ONLY_IN_NN = (
    f"{IMAGES} {POOLS} lrn swish "
    "bias_add dropout elu l2_loss l2_normalize leaky_relu log_poisson_loss moments relu6 selu "
    "softsign weighted_cross_entropy_with_logits "
    "sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
    "softmax_cross_entropy_with_logits_v2 sparse_softmax_cross_entropy_with_logits "
    "in_top_k top_k"
)
DTYPES = {
    name: np.dtype(name)
    for name in (
        "bool", "complex64", "complex128", "float16", "float32", "float64", "int8", "int16",
        "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    )
}  # fmt: skip


def spelled(function: Source, name: str, words: str = "") -> Source:
    """An op under TensorFlow's name, with its names for parameters, whose result can be named."""
    own = parameters(function)
    names = dict(zip(words.split() or own, own))
    former = {old: names[new] for old, new in FORMERLY.items() if new in names and old not in names}
    spellings = {**former, **names}
    arity = function.arity or 0 if isinstance(function, Op) else 0

    def call(*args: Any, name: str | None = None, **attrs: Any) -> Any:
        if attrs:
            attrs = {spellings.get(k, k): v for k, v in attrs.items()}
            while len(args) < arity and own[len(args)] in attrs:
                args = (*args, attrs.pop(own[len(args)]))
        found = function(*args, **attrs)
        return found if name is None else named(found, name, args)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (function.__doc__ or "").split(">>>")[0].rstrip()
    call.spells = function  # type: ignore[attr-defined]
    return call


def named(found: Any, name: str, operands: Sequence[Any]) -> Any:
    """A result, or each of several, under a name; what is an operand itself, as a copy."""
    if isinstance(found, tuple | list):
        parts = [named(part, name, operands) for part in found]
        return found._make(parts) if hasattr(found, "_make") else type(found)(parts)
    if any(found is x for x in operands):
        found = ops.copy(found)
    return renamed(found, name)


def parameters(function: Source) -> list[str]:
    """The names of the parameters of a function; an op's operands have none, and get numbers."""
    if isinstance(function, Op):
        return [*(f"operand {i}" for i in range(function.arity or 0)), *function.params]
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])


ROWS = [(name, f, words) for words, row in SPELLED.items() for name, f in row.items()]
EVERY = {name: spelled(f, name, words) for name, f, words in ROWS}
FUNCTIONS = {name: f for name, f in EVERY.items() if name not in ONLY_IN_NN.split()}
LINALG = {name: spelled(f, name) for name, f in matrices.LINALG.items()} | {
    name: EVERY[there] for name, there in matrices.ELSEWHERE.items() if there in EVERY
}
SIGNAL = {name: spelled(f, name) for name, f in matrices.SIGNAL.items()}
NN = {name: EVERY[name] for name in sorted([*IN_NN.split(), *ONLY_IN_NN.split()])}
OPS_CALLED = {EVERY[name]: f for name, f, _ in ROWS if isinstance(f, Op)}
OPS_CALLED[EVERY["where"]] = ops.where
"""The op that one of these functions applies, if it applies just one."""
