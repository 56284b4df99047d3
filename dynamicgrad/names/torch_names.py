"""PyTorch's names and rules: a row for each op, and for each function that is written by hand.

A key is the name of an op of gradops, or of a function of PyTorch's. Whatever needs to know what
PyTorch calls something, and which arguments, dtypes and dimensions it takes, reads its row. An op
without names here is not offered under `dg.`, nor as a method; it is reached as `gradops.name`.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """PyTorch's names and requirements for an op or a function."""

    # Functions and methods that apply just the op, or other names of a function; `*` is the key.
    # A name that ends in `_` is a method that writes in place.
    names: str = ""
    # In-place methods that write what the method without the `_` gives.
    written: str = ""
    # Functions written by hand that apply the op, among others.
    used_by: str = ""
    # PyTorch's names for arguments, and ours, as in `other=dim`.
    keywords: str = ""
    # The names of the operands, if they are not `input` and `other`.
    operands: str = ""
    # The names of saved operands, after `_saved_`, if they are not `self` and `other`.
    saved: str = ""
    # `dtype=` converts the operand before the op is applied.
    takes_dtype: bool = False
    # `row`: a number counts as a row of one; `all`: so it does, and `dim=()` is all dimensions.
    dims: str = ""
    # The kinds of dtypes that the op computes, if not all.
    kinds: str = ""
    # How the op brings its operands to a dtype, if not as its family does: see `op_dtypes`.
    promotion: str = ""
    # The kinds that the common dtype of a function's operands may have, if not all.
    accepts: str = ""
    # The kinds that the dtype of each operand of a function may have, if not all.
    each_accepts: str = ""
    # `same`: a function's operands have one dtype; `common`: the first two are converted to it.
    dtypes: str = ""
    # A function computes half precision in single precision, as sums of squares would overflow.
    single: bool = False
    # The argument of a function that holds indices, and the dtypes that it may have.
    indices: str = ""
    # The names of its nodes, if not made of the key; `node_names` chooses among several.
    grad_fn: str = ""


def of_ranks(name: str) -> str:
    """The functions of layers for one, two and three dimensions."""
    return " ".join(f"nn.functional.{name}{n}d" for n in (1, 2, 3))


def each(keys: str, row: Row) -> dict[str, Row]:
    """A row for each of several keys, which differ in the names that have `*` for the key."""
    if "*" not in row.names + row.written:
        return dict.fromkeys(keys.split(), row)
    return {
        k: row._replace(names=row.names.replace("*", k), written=row.written.replace("*", k))
        for k in keys.split()
    }


INVERSES = [f"a{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")]
ELEMENTWISE = {
    **{name: Row(f"{name} {name}_ arc{name[1:]} arc{name[1:]}_") for name in INVERSES},
    **each("conj cos cosh deg2rad exp log log10 log2 rad2deg sin sinh sqrt tan tanh", Row("* *_")),
    **each("angle imag isfinite isinf isnan signbit", Row("*")),
    **each("entr erf erfc erfcx erfinv expm1 i0 i0e i1 i1e", Row("* *_ special.*")),
    **each("exp2 log_ndtr ndtr ndtri", Row("* *_ special.*")),
    **each("xlog1py zeta", Row("* special.*")),
    **each("logical_and logical_not logical_or logical_xor nan_to_num", Row("*", written="*_")),
    **each("add bitwise_and bitwise_or bitwise_xor copysign logit", Row("* *_")),
    **each("bitwise_left_shift bitwise_right_shift", Row("* *_", kinds="iu")),
    **each("floor ceil remainder fmod floor_divide relu", Row("* *_", kinds="iuf")),
    **each("maximum minimum fmax fmin", Row("*", kinds="biuf")),
    **each("gelu logaddexp logaddexp2", Row("*", kinds="f")),
    **each("hypot nextafter silu softplus", Row("* *_", kinds="f")),
    **each("isposinf isneginf", Row(accepts="biuf")),
    **each("isclose allclose", Row(dtypes="same")),
    **each("addcdiv clamp_max clamp_min ldexp mvlgamma polygamma rsqrt", Row(written="*_")),
    "abs": Row("abs abs_ absolute absolute_", kinds="iufc"),
    "addcmul": Row(written="addcmul_", accepts="iufc"),
    "atan2": Row("atan2 atan2_ arctan2 arctan2_"),
    "betainc": Row(kinds="f"),
    "clamp": Row("clamp clip", kinds="iuf", saved="self min max", grad_fn="ClampBackward1"),
    "complex": Row("dg.complex", accepts="f", dtypes="same"),
    "digamma": Row("digamma digamma_ special.digamma special.psi"),
    "div": Row("div div_ divide divide_ true_divide true_divide_"),
    "equal": Row("eq", written="eq_"),
    "float_power": Row("float_power", operands="input exponent"),
    "frac": Row(written="frac_", accepts="f"),
    "gammainc": Row("igamma special.gammainc", written="igamma_", kinds="f"),
    "gammaincc": Row("igammac special.gammaincc", written="igammac_", kinds="f"),
    "gammaln": Row("lgamma gammaln_ special.gammaln", written="lgamma_"),
    "greater": Row("gt greater", written="gt_ greater_", kinds="biuf"),
    "greater_equal": Row("ge greater_equal", written="ge_ greater_equal_", kinds="biuf"),
    "heaviside": Row(written="heaviside_", operands="input values", promotion="same"),
    "invert": Row("bitwise_not", written="bitwise_not_"),
    "lerp": Row(written="lerp_", accepts="fc", dtypes="same"),
    "less": Row("lt less", written="lt_ less_", kinds="biuf"),
    "less_equal": Row("le less_equal", written="le_ less_equal_", kinds="biuf"),
    "log1p": Row("log1p log1p_ special.log1p", grad_fn="Log1PBackward0"),
    "mul": Row("mul mul_ multiply multiply_"),
    "neg": Row("neg neg_ negative negative_"),
    "not_equal": Row("ne not_equal", written="ne_ not_equal_"),
    "polar": Row(accepts="f", dtypes="same"),
    "positive": Row(accepts="iufc"),
    "power": Row("pow pow_", operands="input exponent", kinds="iufc", promotion="power",
                 grad_fn="PowBackward1 PowBackward0 PowBackward2"),
    "reciprocal": Row("reciprocal reciprocal_", promotion="floats"),
    "round": Row("round round_ special.round", kinds="iuf"),
    "sigmoid": Row("sigmoid sigmoid_ special.expit"),
    "sign": Row(written="sign_", accepts="biuf"),
    "sinc": Row("sinc sinc_ special.sinc", promotion="floats"),
    "square": Row("square square_", promotion="bools to int64", grad_fn="PowBackward0"),
    "sub": Row("sub sub_ subtract subtract_", promotion="no bools",
               grad_fn="SubBackward0 RsubBackward1"),
    "trunc": Row("trunc trunc_ fix fix_", kinds="iuf"),
    "where": Row(used_by="masked_fill", keywords="input=a other=b", promotion="condition first",
                 saved="condition self other"),
    "xlogy": Row("xlogy special.xlogy", written="xlogy_"),
}  # fmt: skip

REDUCTIONS = {
    **each("all any", Row(dims="row")),
    **each("argmax argmin", Row("*", dims="row", kinds="biuf", accepts="iuf")),
    **each("softmax log_softmax", Row("* special.*", takes_dtype=True, dims="row", kinds="f")),
    **each("var std vector_norm", Row(kinds="fc", single=True)),
    "logcumsumexp": Row(kinds="fc"),
    **each("cummax cummin sort argsort argmode searchsorted", Row(kinds="biuf")),
    **each("cumsum cumprod", Row(written="*_", promotion="to int64")),
    **each("cov corrcoef trace", Row(accepts="iufc")),
    **each("aminmax unique mode nansum bucketize", Row(accepts="biuf")),
    **each("median nanmedian kthvalue", Row(accepts="iuf")),
    **each("quantile nanquantile nanmean histc", Row(accepts="f")),
    "argtopk": Row(kinds="iuf"),
    "isin": Row(each_accepts="iuf"),
    "logsumexp": Row("logsumexp special.logsumexp", dims="row", promotion="floats",
                     grad_fn="LogsumexpBackward0"),
    "max": Row("amax", keywords="other=dim", dims="all", kinds="biuf",
               grad_fn="MaxBackward1 AmaxBackward0"),
    "mean": Row("mean", takes_dtype=True, dims="all", kinds="fc",
                grad_fn="MeanBackward0 MeanBackward1"),
    "min": Row("amin", keywords="other=dim", dims="all", kinds="biuf",
               grad_fn="MinBackward1 AminBackward0"),
    "norm": Row(accepts="fc", single=True),
    "matrix_norm": Row(single=True),
    "dist": Row(single=True, dtypes="common"),
    "order_statistics": Row(used_by="median quantile"),
    "prod": Row("prod", takes_dtype=True, dims="row", promotion="to int64",
                grad_fn="ProdBackward0 ProdBackward1"),
    "sum": Row("sum", takes_dtype=True, dims="all", promotion="to int64",
               grad_fn="SumBackward0 SumBackward1"),
    "trapezoid": Row("trapz", keywords="y=input", accepts="iufc"),
}  # fmt: skip

PARTS = "indices=indices_or_sections sections=indices_or_sections"
SHAPES = {
    **each("tensor_split hsplit vsplit dsplit", Row(keywords=PARTS)),
    "astype": Row(used_by="Tensor.to Tensor.type_as", grad_fn="ToCopyBackward0"),
    "broadcast_to": Row(keywords="size=shape", grad_fn="ExpandBackward0"),
    "cat": Row("concat concatenate"),
    "concatenate": Row(used_by="cat concat", grad_fn="CatBackward0"),
    "copy": Row(used_by="clone", grad_fn="CloneBackward0"),
    "expand_dims": Row("unsqueeze", grad_fn="UnsqueezeBackward0"),
    "expand_to": Row(used_by="Tensor.expand", grad_fn="ExpandBackward0"),
    "extend": Row(used_by="nn.functional.pad"),
    "moveaxis": Row("movedim"),
    "pad": Row(grad_fn="ConstantPadNdBackward0"),
    "repeat": Row(used_by="repeat_interleave"),
    "reshape": Row(grad_fn="ViewBackward0"),
    "slice": Row(used_by="Tensor.__getitem__ narrow select",
                 grad_fn="SliceBackward0 SelectBackward0 UnsqueezeBackward0"),
    "squeeze": Row(grad_fn="SqueezeBackward0 SqueezeBackward1 SqueezeBackward2"),
    "stop_gradient": Row(used_by="detach"),
    "swapaxes": Row("transpose swapdims", keywords="dim0=axis1 dim1=axis2 axis0=axis1 axis1=axis2"),
    **each("tril triu", Row(written="*_")),
    "transpose": Row(used_by="moveaxis permute swapaxes t transpose",
                     grad_fn="TBackward0 PermuteBackward0"),
    "vstack": Row("row_stack"),
    "windows": Row(used_by="Tensor.unfold"),
}  # fmt: skip

INDEX = "index int32 int64"
INDEXING = {
    **each("gather index_select", Row(indices=INDEX)),
    **each("index_add index_copy index_fill", Row(written="*_", indices=INDEX)),
    **each("scatter_add scatter_reduce", Row(written="*_", indices=INDEX)),
    **each("index_put index_reduce masked_scatter put", Row(written="*_")),
    **each("maximum_at minimum_at product_at", Row(used_by="index_reduce scatter_reduce")),
    "add_along_axis": Row(used_by="scatter_add"),
    "add_at": Row(used_by="index_add index_put"),
    "copy_slices": Row(grad_fn="CopySlices"),
    "embedding": Row(indices="input int32 int64"),
    "getitem": Row(used_by="Tensor.__getitem__ index_select gather", grad_fn="IndexBackward0"),
    "one_hot": Row(indices="labels int64"),
    "scatter": Row(written="scatter_", indices=INDEX, grad_fn="IndexPutBackward0"),
    "set_at": Row(used_by="index_copy index_fill index_put scatter"),
    "take_along_axis": Row(grad_fn="GatherBackward0"),
    "take_along_dim": Row(indices="indices int64"),
}

BATCHES = "mat1=a mat2=b mat=a vec=b batch1=a batch2=b"
MATRICES = {
    **each("inv cholesky eigh eigvalsh eig eigvals det slogdet", Row(kinds="fc")),
    **each("matrix_exp matrix_rank svd svdvals pinv qr", Row(kinds="fc")),
    **each("solve solve_triangular lstsq", Row(kinds="fc", promotion="same")),
    **each("fft rfft irfft", Row(promotion="floats")),
    **each("vdot inner tensordot", Row(dtypes="same")),
    **each("addmm addmv addbmm baddbmm", Row(written="*_", keywords=BATCHES)),
    **each("mm bmm", Row(keywords="mat2=other")),
    "addr": Row(written="addr_", keywords="vec1=a vec2=b"),
    "cdist": Row(each_accepts="f", single=True),
    "kl_div": Row(each_accepts="f"),
    "cosine_similarity": Row(accepts="fc", dtypes="common"),
    "pairwise_distance": Row(dtypes="common"),
    "cross": Row(each_accepts="iufc", dtypes="same"),
    "dot": Row(keywords="tensor=other"),
    "einsum": Row(kinds="iufc", promotion="same"),
    "matmul": Row("matmul", saved="self mat2", kinds="iufc", promotion="same",
                  grad_fn="BmmBackward0 MmBackward0 MvBackward0 SqueezeBackward4 DotBackward0"),
    "mv": Row(keywords="vec=other"),
    "vecdot": Row(accepts="fc", dtypes="same"),
}  # fmt: skip

LAYERS = {
    **each("elu selu celu leaky_relu mish hardsigmoid hardswish hardshrink", Row(accepts="f")),
    **each("softshrink logsigmoid glu gumbel_softmax", Row(accepts="f")),
    **each("huber_loss gaussian_nll_loss", Row(accepts="f")),
    **each("avg_pool1d avg_pool2d avg_pool3d", Row(accepts="f")),
    **each("adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d", Row(accepts="f")),
    **each("layer_norm group_norm instance_norm batch_norm", Row(accepts="f", dtypes="same")),
    **each("prelu scaled_dot_product_attention", Row(accepts="f", dtypes="same")),
    **each("smooth_l1_loss mse_loss", Row(accepts="f", dtypes="common")),
    **each("threshold hardtanh relu6", Row(accepts="iuf")),
    **each("normalize rms_norm", Row(accepts="fc")),
    "binary_cross_entropy": Row(each_accepts="f", dtypes="same", operands="input target"),
    "binary_cross_entropy_with_logits": Row(kinds="f", promotion="each", operands="input target"),
    "conv": Row(used_by=of_ranks("conv"), kinds="iufc", promotion="same", operands="input weight"),
    "conv_bias": Row(kinds="iufc", promotion="same", operands="input weight bias"),
    "conv_operand": Row(used_by=of_ranks("conv_transpose")),
    "linear": Row(kinds="iufc", promotion="same", operands="input weight bias"),
    "max_pool": Row(used_by=of_ranks("max_pool"), kinds="iuf"),
    "nll_loss": Row(accepts="f", indices="target int64 uint8", grad_fn="NllLossBackward0"),
    "sparse_cross_entropy": Row(used_by="nn.functional.cross_entropy", kinds="f",
                                grad_fn="NllLossBackward0"),
    "sum_pool": Row(used_by=of_ranks("avg_pool")),
}  # fmt: skip

RANDOM = {
    "random_bernoulli": Row(used_by="random.bernoulli"),
    "random_integers": Row(used_by="random.randint"),
    "random_permutation": Row(used_by="random.permutation"),
    "random_uniform": Row(used_by="random.uniform"),
}

TABLE: dict[str, Row] = {
    **ELEMENTWISE, **REDUCTIONS, **SHAPES, **INDEXING, **MATRICES, **LAYERS, **RANDOM
}  # fmt: skip
SPELLED = {key: row.used_by for key, row in TABLE.items() if row.used_by}
NO_ROW = Row()
BY_NAME = TABLE | {name: row for row in TABLE.values() for name in row.names.split()}


def row_of(name: str) -> Row:
    """The row of an op, or else an empty one."""
    return TABLE.get(name, NO_ROW)


def row_called(name: str) -> Row:
    """The row that a function or a method of PyTorch's has, or else an empty one."""
    return BY_NAME.get(name, NO_ROW)
