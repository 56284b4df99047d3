"""Logical and bitwise ops, shifts, and tests of single entries."""

import numpy as np

from ...core.errors import DTypeError
from ...core.op import ErrorSample, Op
from ...core.samples import beside, booleans, cases, complexes, exactly, integers, unary
from ...core.types import ArrayType
from ...typing import DTypeLike
from ..families import discrete

__all__ = [
    "bitcast", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "invert", "isfinite", "isinf", "isnan", "logical_and", "logical_not",
    "logical_or", "logical_xor", "signbit",
]

bits = cases(booleans((3, 4), (4,)), integers((3,), (3,)))
shifts = beside(integers((3, 4)), exactly([0, 1, 2, 3]))
tested = cases(unary, complexes((3,)), exactly([0.0, np.inf, -np.inf, np.nan]))

logical_and = discrete(
    "logical_and", np.logical_and, samples=booleans((3, 4), (4,)),
    onnx="And", doc="Whether both entries are true.",
)
logical_or = discrete(
    "logical_or", np.logical_or, samples=booleans((3, 4), (4,)),
    onnx="Or", doc="Whether at least one entry is true.",
)
logical_xor = discrete(
    "logical_xor", np.logical_xor, samples=booleans((3, 4), (4,)),
    onnx="Xor", doc="Whether just one entry is true.",
)
logical_not = discrete(
    "logical_not", np.logical_not, arity=1, samples=booleans((3, 4)),
    onnx="Not", doc="Whether the entry is false.",
)
bitwise_and = discrete(
    "bitwise_and", np.bitwise_and, samples=bits,
    onnx="BitwiseAnd", doc="Bitwise and; for truth values, logical and.",
)
bitwise_or = discrete(
    "bitwise_or", np.bitwise_or, samples=bits,
    onnx="BitwiseOr", doc="Bitwise or; for truth values, logical or.",
)
bitwise_xor = discrete(
    "bitwise_xor", np.bitwise_xor, samples=bits,
    onnx="BitwiseXor", doc="Bitwise exclusive or; for truth values, whether they differ.",
)
bitwise_left_shift = discrete(
    "bitwise_left_shift", np.left_shift, samples=shifts,
    doc="The first entry with its bits shifted left by the second.",
)
bitwise_right_shift = discrete(
    "bitwise_right_shift", np.right_shift, samples=shifts,
    doc="The first entry with its bits shifted right by the second.",
)
invert = discrete(
    "invert", np.invert, arity=1, samples=cases(booleans((3, 4)), integers((3,))),
    onnx="BitwiseNot", doc="Bitwise not; for truth values, logical not.",
)
isnan = discrete(
    "isnan", np.isnan, arity=1, samples=tested, onnx="IsNaN", doc="Whether an entry is NaN.",
)
isinf = discrete(
    "isinf", np.isinf, arity=1, samples=tested, doc="Whether an entry is infinite, of either sign.",
)
isfinite = discrete(
    "isfinite", np.isfinite, arity=1, samples=tested,
    doc="Whether an entry is neither infinite nor NaN.",
)
signbit = discrete(
    "signbit", np.signbit, arity=1, samples=cases(unary, exactly([0.0, -0.0, -np.inf])),
    doc="Whether an entry has its sign bit set; a zero may have it, too.",
)


def bitcast_infer(x: ArrayType, dtype: DTypeLike) -> ArrayType:
    """The type with another dtype, whose items have as many bytes."""
    wanted = np.dtype(dtype)
    if wanted.itemsize != x.dtype.itemsize or wanted.kind not in "biufc":
        raise DTypeError(
            "bitcast", [x], f"{wanted} has items of {wanted.itemsize} bytes, {x.dtype} of"
            f" {x.dtype.itemsize}", hint="astype converts the numbers",
        )  # fmt: skip
    return ArrayType(x.shape, wanted)


def bitcast_kernel(x: np.ndarray, dtype: DTypeLike) -> np.ndarray:
    x = np.asarray(x)
    bitcast_infer(ArrayType(x.shape, x.dtype), dtype)  # NumPy would divide items into smaller ones
    return x.view(np.dtype(dtype)).copy()


bitcast = Op(
    "bitcast", bitcast_kernel, bitcast_infer, vjp=[None], jvp=[None],
    batch=lambda op, xs, batched, attrs: op(xs[0], **attrs), family="discrete",
    samples=cases(
        exactly(np.array([1 << 29, 1 << 30], np.int32), dtype="float32"),
        exactly([[3, -1]], dtype="uint64"), exactly(np.zeros((2, 0), np.int64), dtype="float64"),
    ),
    error_samples=[ErrorSample([np.ones(2)], {"dtype": "int32"}, DTypeError, "items of 4 bytes")],
    doc="The same bits read as another dtype, whose items have as many bytes.",
)
