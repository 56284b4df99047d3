"""TensorFlow 1's names: a row for each function under `sg.`, `sg.nn`, `sg.linalg`, `sg.signal`.

An op of `gradops` that no row names is not offered under `sg.`; it is reached as `gradops.name`.
"""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import gradops as ops
from gradops import fft, linalg

from . import creation, images, matrices, nn, pointwise, rearrange, scatter, sorting, statistics

Function = Callable[..., Any]  # an op or a function, whatever it takes


class Row(NamedTuple):
    """TensorFlow's names of a function and of its parameters."""

    names: str
    """Its names, as in `relu nn.relu`; `linalg.det` is in `sg.linalg` only."""
    function: Function
    keywords: str = ""
    """TensorFlow's names of the parameters, in their order; the function's own if empty."""
    applies: str = ""
    """The op that a function applies among others, if it does not have the op's name."""


def rows(keywords: str, functions: Mapping[str, Function], applies: str = "") -> list[Row]:
    """Rows of functions whose parameters have the same names."""
    return [Row(names, f, keywords, applies) for names, f in functions.items()]


def named_alike(module: ModuleType, names: str, keywords: str = "", applies: str = "") -> list[Row]:
    """Rows of functions that have TensorFlow's name in their module already."""
    bare = {name: name.rpartition(".")[2] for name in names.split()}
    return rows(keywords, {name: getattr(module, bare[name]) for name in bare}, applies)


def in_nn_too(names: str, keywords: str) -> list[Row]:
    """Rows of ops that are in `sg.nn` as well."""
    return rows(keywords, {f"{name} nn.{name}": getattr(ops, name) for name in names.split()})


AT = {
    "tensor_scatter_nd_add": "add_at", "tensor_scatter_nd_max": "maximum_at",
    "tensor_scatter_nd_min": "minimum_at", "tensor_scatter_nd_sub": "",
    "tensor_scatter_nd_update": "set_at",
}  # fmt: skip
TABLE: list[Row] = [
    # entry by entry
    *named_alike(
        ops,
        "abs acos acosh angle asin asinh atan atanh cbrt ceil conj cos cosh deg2rad digamma entr "
        "erf erfc erfcx erfinv exp exp2 expm1 floor imag invert isfinite isinf isnan log log10 "
        "log1p log2 log_ndtr logical_not logit ndtr ndtri rad2deg real reciprocal round rsqrt sign "
        "signbit sin sinc sinh sqrt square tan trunc",
        "x",
    ),
    *in_nn_too("sigmoid tanh", "x"),
    *rows("x", {
        "bessel_i0": ops.i0, "bessel_i0e": ops.i0e, "bessel_i1": ops.i1, "bessel_i1e": ops.i1e,
        "is_finite": ops.isfinite, "is_inf": ops.isinf, "is_nan": ops.isnan,
        "lgamma": ops.gammaln, "negative": ops.neg, "rint": ops.round,
    }),
    *named_alike(
        ops,
        "atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor complex "
        "copysign equal float_power floor_divide fmax fmin fmod greater greater_equal heaviside "
        "hypot less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum "
        "minimum nextafter not_equal xlog1py xlogy",
        "x y",
    ),
    *rows("x y", {
        "add": ops.add, "subtract": ops.sub, "multiply": ops.mul, "divide": ops.div,
        "truediv": ops.div, "mod": ops.remainder, "floormod": ops.remainder, "pow": ops.power,
        "floordiv": ops.floor_divide, "truncatemod": ops.fmod,
    }),
    *rows("a x", {"igamma": ops.gammainc, "igammac": ops.gammaincc, "polygamma": ops.polygamma}),
    *named_alike(ops, "zeta", "x q"),
    *named_alike(ops, "betainc", "a b x"),
    Row("cast", ops.astype, "x dtype"),
    Row("bitcast", ops.bitcast, "input type"),
    Row("clip_by_value", ops.clip, "t clip_value_min clip_value_max", applies="clamp"),
    *in_nn_too("relu silu softplus", "features"),
    *named_alike(ops, "nn.elu nn.relu6 nn.selu nn.softsign", "features"),
    Row("nn.swish", ops.silu),
    Row("log_sigmoid nn.log_sigmoid", ops.log_sigmoid),
    *named_alike(
        pointwise, "add_n div_no_nan lbeta squared_difference truncatediv"
    ),
    # reductions and running results
    *rows("input_tensor axis keepdims", {
        "reduce_sum": ops.sum, "reduce_mean": ops.mean, "reduce_max": ops.max,
        "reduce_min": ops.min, "reduce_prod": ops.prod, "reduce_logsumexp": ops.logsumexp,
        "reduce_any": ops.any, "reduce_all": ops.all, "reduce_euclidean_norm": ops.vector_norm,
    }),
    Row("reduce_std", statistics.reduce_std, applies="std"),
    Row("reduce_variance", statistics.reduce_variance, applies="var"),
    Row("norm linalg.norm", statistics.norm, applies="vector_norm"),
    *named_alike(statistics, "cumprod cumsum cumulative_logsumexp"),
    *named_alike(ops, "cummax cummin logcumsumexp nanmedian nanquantile percentile"),
    *named_alike(ops, "median quantile", applies="order_statistics"),
    *named_alike(pointwise, "argmax argmin"),
    # shapes
    *named_alike(ops, "expand_dims squeeze", "input axis"),
    *named_alike(ops, "stop_gradient", "input"),
    Row("identity", ops.copy, "input"),
    *named_alike(ops, "broadcast_to", "input shape"),
    *named_alike(ops, "reshape", "tensor shape"),
    *named_alike(ops, "transpose", "a perm"),
    *rows("values axis", {"concat": ops.concatenate, "stack": ops.stack}),
    Row("reverse", ops.flip, "tensor axis"),
    Row("repeat", ops.repeat, "input repeats axis"),
    Row("roll", ops.roll, "input shift axis"),
    Row("slice", rearrange.slice_of),
    Row("pad", rearrange.pad, applies="extend"),
    Row("matrix_transpose linalg.transpose", ops.matrix_transpose, "a"),
    *named_alike(rearrange, "meshgrid one_hot sequence_mask split tile unstack"),
    *named_alike(
        ops,
        "array_split astype atleast_1d atleast_2d atleast_3d broadcast_arrays column_stack "
        "diagonal diff dstack flip fliplr flipud hstack moveaxis ravel rot90 swapaxes take tril "
        "triu vstack",
    ),
    *named_alike(ops, "diag_embed diagflat", applies="place_diagonal"),
    *named_alike(ops, "sliding_window_view", applies="windows"),
    # arrays that are made
    *named_alike(ops, "ones_like zeros_like", "tensor dtype", applies="full_like"),
    *named_alike(creation, "ensure_shape fill linspace ones rank zeros"),
    Row("eye linalg.eye", creation.eye),
    *rows("", {
        "range": creation.arange, "shape": creation.shape_vector,
        "size": creation.number_of_entries,
    }),
    # indices, sorting, sets
    *named_alike(scatter, "gather gather_nd", applies="getitem"),
    *named_alike(scatter, "batch_gather reverse_sequence unsorted_segment_mean"),
    Row("scatter_nd", scatter.scatter_nd, applies="add_at"),
    *(Row(name, f, applies=AT[name]) for name, f in scatter.UPDATES.items()),
    *rows("", scatter.SEGMENTS),
    *named_alike(rearrange, "boolean_mask"),
    *named_alike(
        sorting, "argsort count_nonzero nn.in_top_k searchsorted setdiff1d sort nn.top_k unique "
        "unique_with_counts",
    ),
    Row("invert_permutation", ops.inverse_permutation, "x"),
    Row("where", sorting.where, applies="argwhere"),
    # assignments
    *named_alike(pointwise, "assign assign_add assign_sub scatter_add"),
    # matrices
    Row("matmul linalg.matmul", pointwise.matmul),
    Row("tensordot linalg.tensordot", ops.tensordot, "a b axes"),
    Row("einsum linalg.einsum", ops.einsum),
    Row("diag linalg.tensor_diag", rearrange.diag),
    Row("diag_part linalg.tensor_diag_part", rearrange.diag_part),
    Row("matrix_band_part linalg.band_part", rearrange.matrix_band_part),
    Row("matrix_diag linalg.diag", ops.diag_embed, "diagonal", applies="place_diagonal"),
    Row("matrix_diag_part linalg.diag_part", rearrange.matrix_diag_part),
    Row("matrix_set_diag linalg.set_diag", matrices.matrix_set_diag),
    Row("cross linalg.cross", ops.cross, "a b"),
    Row("cholesky linalg.cholesky", linalg.cholesky, "input"),
    Row("cholesky_solve linalg.cholesky_solve", matrices.cholesky_solve),
    Row("matrix_determinant linalg.det", linalg.det, "input"),
    Row("matrix_inverse linalg.inv", matrices.matrix_inverse, applies="inv"),
    Row("matrix_solve linalg.solve", matrices.matrix_solve, applies="solve"),
    Row("matrix_solve_ls linalg.lstsq", matrices.matrix_solve_ls, applies="lstsq"),
    Row("matrix_triangular_solve linalg.triangular_solve", matrices.matrix_triangular_solve,
        applies="solve_triangular"),
    Row("self_adjoint_eig linalg.eigh", matrices.self_adjoint_eig, applies="eigh"),
    Row("self_adjoint_eigvals linalg.eigvalsh", linalg.eigvalsh, "tensor"),
    Row("qr linalg.qr", matrices.qr),
    Row("svd linalg.svd", matrices.svd),
    Row("linalg.adjoint", linalg.adjoint, "matrix"),
    Row("linalg.eig", matrices.eig),
    Row("linalg.eigvals", linalg.eigvals, "tensor"),
    Row("linalg.expm", linalg.matrix_exp, "input"),
    Row("linalg.logdet", linalg.logdet, "matrix"),
    Row("linalg.matrix_rank", linalg.matrix_rank, "a"),
    Row("linalg.matvec", ops.matvec, "a b"),
    Row("linalg.pinv", linalg.pinv, "a rcond"),
    Row("linalg.slogdet", linalg.slogdet, "input"),
    Row("linalg.trace", linalg.trace, "x"),
    # Fourier transforms
    *(Row(f"signal.{name}" if "r" in name else f"{name} signal.{name}", f)
      for name, f in matrices.FOURIER.items()),
    *named_alike(fft, "signal.fftshift signal.ifftshift"),
    # neural networks
    *in_nn_too("log_softmax softmax", "logits axis"),
    Row("gelu nn.gelu", nn.gelu),
    *named_alike(ops, "binary_cross_entropy_with_logits cross_entropy"),
    *named_alike(
        nn,
        "nn.bias_add nn.dropout nn.embedding_lookup nn.l2_loss "
        "nn.l2_normalize nn.leaky_relu nn.log_poisson_loss "
        "nn.moments nn.sigmoid_cross_entropy_with_logits nn.softmax_cross_entropy_with_logits "
        "nn.softmax_cross_entropy_with_logits_v2 nn.weighted_cross_entropy_with_logits",
    ),
    *named_alike(
        nn, "nn.sparse_softmax_cross_entropy_with_logits", applies="sparse_cross_entropy"
    ),
    Row("nn.conv1d", images.conv1d, "input filter stride", applies="conv"),
    *named_alike(images, "nn.conv2d nn.conv3d", applies="conv"),
    *named_alike(
        images, "nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose",
        applies="conv_operand",
    ),
    *named_alike(
        images, "nn.depth_to_space nn.depthwise_conv2d nn.separable_conv2d nn.space_to_depth"
    ),
    *named_alike(images, "nn.max_pool1d nn.max_pool2d nn.max_pool3d", applies="max_pool"),
    *named_alike(images, "nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d", applies="sum_pool"),
    Row("nn.batch_normalization", nn.batch_normalization,
        "x mean variance offset scale variance_epsilon"),
    *named_alike(images, "nn.avg_pool nn.fused_batch_norm nn.max_pool"),
    Row("nn.local_response_normalization", images.local_response_normalization),
    Row("nn.lrn", images.local_response_normalization),
]  # fmt: skip
APPLIED = {
    "getitem": "Expr.__getitem__",
    "say": "Print",
    "random_bernoulli": "random.bernoulli",
    "random_integers": "random.randint",
    "random_permutation": "random.permutation",
    "random_uniform": "random.uniform",
    "slice": "Expr.__getitem__ slice",
}
"""Functions that are not of this table, by the op that they apply."""
FORMERLY = {
    "dim": "axis", "dimension": "axis", "reduction_indices": "axis", "squeeze_dims": "axis",
    "keep_dims": "keepdims", "filters": "filter", "value": "input",
}  # fmt: skip
"""Present names of parameters, by those of earlier versions of TensorFlow."""
DTYPES = {
    name: np.dtype(name)
    for name in (
        "bool", "complex64", "complex128", "float16", "float32", "float64", "int8", "int16",
        "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    )
}  # fmt: skip
