"""Calls whose dtypes are compared with torch's: Python source on operands `a` and `b`."""

from .operands import NUMBERS, PYTHON, TENSORS, of_one, of_two, pairs


def each(template, names):
    """A template filled with each of the names in a string."""
    return [template.format(name) for name in names.split()]


OPERATORS = each("a {} b", "+ - * / // % ** & | ^ << >> < <= > >= == !=")
BESIDE_NUMBERS = [
    *each(
        "lib.{}(a, b)",
        "add sub mul div floor_divide remainder fmod pow float_power copysign xlogy eq lt"
        " bitwise_and bitwise_left_shift",
    ),
    "lib.div(a, b, rounding_mode='floor')", "lib.div(a, b, rounding_mode='trunc')",
    "lib.add(a, b, alpha=2)", "lib.sub(a, b, alpha=2)", "lib.add(a, b, alpha=0.5)",
    "lib.result_type(a, b) == (a + b).dtype", "a.add(b)", "a.div(b)", "a.pow(b)",
    "lib.where(lib.tensor([True, False, True]), a, b)",
    "lib.where(lib.tensor([True, False, True]), b, a)",
]  # fmt: skip
IN_PLACE = [
    *each(
        "a.{}_(b)",
        "add sub mul div floor_divide remainder fmod pow bitwise_and bitwise_or bitwise_xor"
        " bitwise_left_shift bitwise_right_shift copysign",
    ),
    *each(
        "a.__{}__(b)", "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift"
    ),
]
OF_TWO = [
    *each(
        "lib.{}(a, b)",
        "maximum minimum fmax fmin atan2 hypot logaddexp logaddexp2 nextafter heaviside logical_and"
        " logical_or logical_xor igamma igammac complex polar isclose",
    ),
    "lib.cat([a.reshape(-1), b.reshape(-1)])",
    "a.atan2_(b)",
    "a.copy_(b)",
    "lib.clamp(a, min=b)",
]
OF_TWO_ROWS = [
    *each("lib.{}(a, b)", "dot matmul inner vdot outer cross ldexp isin"),
    *each("lib.nn.functional.{}(a, b)", "mse_loss l1_loss smooth_l1_loss"),
    "a @ b", "lib.mm(a[None], b[:, None])", "lib.mv(a[None], b)", "lib.stack([a, b])",
    "lib.hstack([a, b])", "lib.vstack([a, b])", "lib.linalg.vecdot(a, b)",
    "lib.tensordot(a, b, 1)", "lib.bmm(a[None, None], b[None, :, None])",
    "lib.einsum('i,i->', a, b)", "lib.addmm(a, a[:, None], b[None])", "lib.lerp(a, b, 0.5)",
    "lib.lerp(a, b, b)", "lib.addcmul(a, b, b)", "lib.addcdiv(a, b, b)",
    "lib.nn.functional.linear(a, b[None])", "lib.nn.functional.linear(a, a[None], b[:1])",
    "lib.nn.functional.conv1d(a[None, None], b[None, None])",
    "lib.nn.functional.prelu(a, b[:1])", "lib.nn.functional.kl_div(a, b, reduction='sum')",
    "lib.nn.functional.scaled_dot_product_attention(a[None], b[None], b[None])",
    "lib.linalg.solve(lib.eye(3).to(a.dtype), b)", "lib.linalg.multi_dot([a[None], b])",
    "a.scatter_add(0, lib.tensor([0, 1, 2]), b)", "a.index_add(0, lib.tensor([0, 1, 2]), b)",
    "a.index_put((lib.tensor([0]),), b[:1])", "a.masked_fill(lib.tensor([True]), 2)",
    "a.index_select(0, b - b)", "a.type_as(b)", "lib.promote_types(a.dtype, b.dtype) == a.dtype",
    "lib.can_cast(a.dtype, b.dtype)", "a.lerp_(b, 0.5)", "a.addcmul_(b, b)",
]  # fmt: skip
UNARY = [
    *each(
        "lib.{}(a)",
        "abs neg sign sgn square sqrt rsqrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos"
        " tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc erfinv sigmoid digamma"
        " lgamma i0 sinc deg2rad rad2deg floor ceil trunc round frac isnan isinf isfinite"
        " isposinf isneginf signbit logical_not bitwise_not conj angle relu positive clone"
        " nan_to_num logit",
    ),
    "-a", "+a", "~a", "abs(a)", "lib.clamp(a, 0, 1)", "lib.clamp(a, min=0.5)", "a.float()",
    "a.long()", "a.bool()", "a / 2", "a * 2.5", "2 - a", "1 / a", "a ** 2", "a + 300", "a == -1",
    "a.masked_fill(a == a, True)", "lib.full_like(a, 1)", "lib.zeros_like(a)", "a.new_ones(2)",
    "a[0] * lib.ones(2, dtype=lib.float64)", "a.new_tensor([1.5])", "a.item()", "a.tolist()",
    *each(
        "a.{}_()",
        "abs neg square sqrt rsqrt reciprocal exp log sin tanh sigmoid floor ceil trunc round relu"
        " erf digamma",
    ),
]  # fmt: skip
OF_A_ROW = [
    *each("lib.linalg.{}(a)", "norm vector_norm"), *each("lib.fft.{}(a)", "fft ifft rfft"),
    *each("lib.linalg.{}(a[:1, None])", "inv det cholesky eigvalsh svdvals matrix_rank pinv"),
    *each(
        "lib.nn.functional.{}(a)",
        "relu elu selu celu leaky_relu gelu mish softplus hardsigmoid hardswish hardshrink"
        " softshrink tanhshrink softsign logsigmoid",
    ),
    "lib.nn.functional.layer_norm(a, (3,))", "lib.nn.functional.normalize(a.real, dim=0)",
    "lib.nn.functional.nll_loss(a[None], lib.tensor([1]))",
    "lib.nn.functional.cross_entropy(a, lib.tensor(1))", "lib.triu(a[None])", "lib.trace(a[None])",
    "lib.cov(a)", "lib.quantile(a, 0.5)", "lib.unique(a)",
    "lib.nn.Linear(3, 2)(a)[:0]", "lib.nn.Linear(3, 2, dtype=lib.float64)(a)[:0]",
]  # fmt: skip
REDUCTIONS = [
    *each(
        "lib.{}(a)",
        "sum prod mean amax amin max min argmax argmin all any std var median nansum nanmean norm"
        " aminmax count_nonzero var_mean std_mean",
    ),
    *each(
        "lib.{}(a, 0)",
        "sum prod mean std var cumsum cumprod logsumexp softmax log_softmax argsort max min median",
    ),
    *[
        template.format(dtype)
        for template in (
            "lib.sum(a, dtype=lib.{})", "lib.prod(a, dtype=lib.{})", "lib.mean(a, dtype=lib.{})",
            "lib.cumsum(a, 0, dtype=lib.{})", "lib.softmax(a, 0, dtype=lib.{})",
        )
        for dtype in ("uint8", "int64", "float16", "float32", "float64", "complex64")
    ],
]  # fmt: skip
MADE = [
    *each("lib.tensor({})", "2 2.0 True 2j [1,2.0] [True,2] [] [1,2j] np.float32(2) np.float64(2)"),
    *each("lib.as_tensor({})", "2 2.0 np.float64(2) np.int32([2])"),
    *each("lib.full((2,),{})", "1 1.0 True 1j np.float64(2)"),
    *each("lib.arange({})", "3 3.0 0,3,0.5 0,3,2 np.float64(3) lib.tensor(3) 3,dtype=lib.float32"),
    *each(
        "lib.where(lib.tensor([True]),{})",
        "1,2 1.0,2 1j,2 True,2 True,False 1,lib.ones(1,dtype=lib.float64)",
    ),
    *each("lib.{}", "linspace(0,1,3) eye(2) zeros(2) ones(2) empty(0)"),
]

CALLS = {
    **dict.fromkeys(OPERATORS, pairs()),
    **dict.fromkeys(BESIDE_NUMBERS, of_two(TENSORS, [*TENSORS, *PYTHON, "np.float64", "np.int64"])),
    **dict.fromkeys(IN_PLACE, of_two(TENSORS, [*TENSORS, *NUMBERS])),
    **dict.fromkeys(OF_TWO, of_two()),
    **dict.fromkeys(OF_TWO_ROWS, of_two(TENSORS, TENSORS)),
    **dict.fromkeys(UNARY, of_one()),
    **dict.fromkeys(REDUCTIONS, of_one()),
    **dict.fromkeys(OF_A_ROW, of_one(TENSORS)),
    **{call: [()] for call in MADE},
}
"""The operands, in words, that each call is made with."""
