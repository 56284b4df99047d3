"""Ops that rearrange or retype an array: reshape, transpose, flip, astype."""

from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from typing import Any

import numpy as np

from ...core.dims import Dim, Shape, product
from ...core.errors import DTypeError, ShapeError
from ...core.op import OPS, Op
from ...core.samples import cases, exactly, reals
from ...core.traits import Trait
from ...core.types import ArrayType, is_complex, normalize_axes, normalize_axis, shape_of, type_of
from ...typing import AnyArray, Arrays, Attrs, Axis, DTypeLike, Flags, Operand, OperandLike
from ..families import batch_along_axis, invalid, linear

__all__ = [
    "astype", "copy", "expand_dims", "flip", "moveaxis", "reshape", "squeeze", "swapaxes",
    "transpose",
]

VIEW = frozenset({Trait.VIEW})
RETYPING = VIEW | {Trait.RETYPING}  # where the type stays the same, so does the value


def resolve_shape(x: ArrayType, shape: Shape) -> Shape:
    """`shape` with -1 replaced by the size that remains."""
    if shape.count(-1) > 1:
        raise ShapeError("reshape", [x, shape], "only one size can be -1")
    if any(isinstance(n, int) and n < -1 for n in shape):
        raise ShapeError("reshape", [x, shape], "a size is negative")
    if -1 not in shape:
        return shape
    known = product(n for n in shape if n != -1)
    if known == 0:
        raise ShapeError(
            "reshape", [x],
            f"any size could stand for -1 in {shape_text(shape)}, which has no entries",
        )
    left = x.size // known
    return tuple(left if n == -1 else n for n in shape)


def reshape_infer(x: ArrayType, shape: Shape) -> ArrayType:
    full = resolve_shape(x, shape)
    known = all(isinstance(n, int) for n in (*full, *x.shape))
    if known and product(full) != x.size:
        raise ShapeError(
            "reshape", [x], f"{x.size} entries do not fill the shape {shape_text(shape)}",
            hint=None if -1 in shape else "write -1 for one size to have it worked out",
        )
    return ArrayType(full, x.dtype)


def shape_text(shape: Shape) -> str:
    """A shape in the notation of users."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def reshape_kernel(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`np.reshape`, refusing negative sizes other than -1, which NumPy takes for -1."""
    if shape and min(shape) < -1:
        raise ShapeError("reshape", [type_of(x), shape], "a size is negative")
    return np.asarray(x).reshape(shape)


def reshape_batch(infer: Callable[..., ArrayType]) -> Callable[..., Any]:
    """The batch rule of an op that only changes shapes: each example gets the inferred shape."""

    def batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> Any:
        stack = type_of(xs[0])
        return reshape(xs[0], shape=(stack.shape[0], *infer(stack.example, **attrs).shape))

    return batch


reshape = linear(
    "reshape", reshape_kernel, infer=reshape_infer,
    transpose=lambda g, y, x, shape: reshape(g, shape=shape_of(x)),
    batch=reshape_batch(reshape_infer),
    source=lambda x, shape: "{0}.reshape({shape})" if x.ndim else "np.reshape({0}, {shape})",
    traits=RETYPING | {Trait.PROPAGATING},
    samples=cases(
        reals((3, 4), shape=(2, 6)), reals((3, 4), shape=(-1,)), reals((), shape=(1, 1)),
        reals((2, 0), shape=(0, 3)),
    ),
    error_samples=[invalid((2, 3), shape=(4, 2), says="6 entries"),
                   invalid((2, 3), shape=(-5, 3), says="negative")],
    doc="The entries in another shape; -1 stands for the size that remains.",
)


def permutation(x: ArrayType, axes: tuple[int, ...] | None) -> tuple[int, ...]:
    """The new order of the axes of `x`; None reverses them."""
    if axes is None:
        return tuple(reversed(range(x.ndim)))
    found = normalize_axes("transpose", x, axes)
    if len(found) != x.ndim:
        raise ShapeError("transpose", [x], f"axes {found} do not name each of {x.ndim} dimensions")
    return found


def inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes `order`."""
    return tuple(sorted(range(len(order)), key=order.__getitem__))


@lru_cache(maxsize=4096)
def undone(axes: tuple[int, ...]) -> tuple[int, ...]:
    """The order of axes that undoes a transpose; axes may be counted from the end."""
    return inverse(tuple([i % len(axes) for i in axes]))


def transpose_kernel(x: Any, axes: tuple[int, ...] | None = None) -> Any:
    """`np.transpose`, by the method of an array."""
    if axes is None:
        return x.T
    return x.transpose(axes) if type(x) is np.ndarray else np.transpose(x, axes)


transpose = linear(
    "transpose", transpose_kernel,
    infer=lambda x, axes: ArrayType(tuple(x.shape[i] for i in permutation(x, axes)), x.dtype),
    transpose=lambda g, y, x, axes: transpose(g, axes=axes and undone(axes)),
    batch=lambda op, xs, batched, attrs: transpose(
        xs[0], axes=(0, *(a + 1 for a in permutation(type_of(xs[0]).example, attrs["axes"])))
    ),
    source=lambda x, axes: "{0}.T" if axes is None else "{0}.transpose({axes})",
    traits=VIEW | {Trait.PROPAGATING},
    samples=cases(
        reals((3, 4)), reals((2, 3, 4), axes=(2, 0, 1)), reals((2, 3, 4), axes=(0, -1, 1)),
        reals(()), reals((2, 0)),
    ),
    error_samples=[
        invalid((2, 3), axes=(0,), says="each of 2 dimensions"),
        invalid((2, 3), axes=(0, 2), says="axis 2 is out of range"),
    ],
    doc="The axes in another order; reversed if none is given.",
)


def expand_dims_infer(x: ArrayType, axis: int) -> ArrayType:
    axes = tuple(axis) if isinstance(axis, Iterable) else (axis,)
    new, rest = normalize_axes("expand_dims", x, axes, added=len(axes)), iter(x.shape)
    rank = x.ndim + len(axes)
    return ArrayType(tuple(1 if i in new else next(rest) for i in range(rank)), x.dtype)


def expand_dims_kernel(x: np.ndarray, axis: int) -> np.ndarray:
    """`np.expand_dims`, cheaper for one axis at the front or back."""
    if axis == 0 or axis == -1:
        shape = np.shape(x)
        return np.asarray(x).reshape((1, *shape) if axis == 0 else (*shape, 1))
    return np.expand_dims(x, axis)


def expand_dims_source(x: ArrayType, axis: Any) -> str:
    """Indexing with None, at a fraction of the cost of NumPy's function."""
    y = expand_dims_infer(x, axis)
    if not x.ndim:
        return "np.expand_dims({0}, {axis})"
    axes = axis if isinstance(axis, tuple) else (axis,)
    new = {a % y.ndim for a in axes}
    keys = ["None" if i in new else ":" for i in range(y.ndim)]
    return f"{{0}}[{', '.join(keys)}]"


expand_dims = linear(
    "expand_dims", expand_dims_kernel, infer=expand_dims_infer,
    transpose=lambda g, y, x, axis: reshape(g, shape=shape_of(x)),
    batch=reshape_batch(expand_dims_infer), source=expand_dims_source,
    traits=RETYPING | {Trait.PROPAGATING},
    samples=cases(
        reals((3, 4), axis=0), reals((3, 4), axis=-1), reals((3,), axis=(0, 2)),
        reals((), axis=0), reals((2, 0), axis=1),
    ),
    error_samples=[invalid((3,), axis=3, says="axis 3 is out of range")],
    doc="The operand with new axes of size 1, at positions `axis` of the result.",
)


def squeeze_infer(x: ArrayType, axis: int) -> ArrayType:
    axes = normalize_axes("squeeze", x, axis)
    if axis is None and any(isinstance(n, Dim) for n in x.shape):
        raise ShapeError("squeeze", [x], "which sizes are 1 is not known", hint="name the axes")
    if axis is None:
        axes = tuple(i for i in axes if x.shape[i] == 1)
    if wrong := [i for i in axes if isinstance(x.shape[i], int) and x.shape[i] != 1]:
        raise ShapeError("squeeze", [x], f"axis {wrong[0]} has size {x.shape[wrong[0]]}, not 1")
    return ArrayType(tuple(n for i, n in enumerate(x.shape) if i not in axes), x.dtype)


def squeeze_kernel(x: np.ndarray, axis: Axis = None) -> np.ndarray:
    """`np.squeeze`, refusing axes of a number, where NumPy allows 0 and -1."""
    if axis is not None and axis != () and not np.ndim(x):
        raise ValueError("a number has no axes")  # type inference has the words for the user
    return np.squeeze(x, axis)


squeeze = linear(
    "squeeze", squeeze_kernel, infer=squeeze_infer,
    transpose=lambda g, y, x, axis: reshape(g, shape=shape_of(x)),
    batch=reshape_batch(squeeze_infer), source="np.squeeze({0}, {axis})",
    traits=RETYPING | {Trait.PROPAGATING},
    samples=cases(
        reals((3, 1, 4, 1)), reals((3, 1, 4), axis=1), reals((1, 3, 1), axis=(0, -1)),
        reals(()), reals((0, 1), axis=1),
    ),
    error_samples=[
        invalid((2, 1), axis=0, says="size 2, not 1"),
        invalid((), axis=0, says="axis 0 is out of range"),
    ],
    doc="The operand without its axes of size 1, or without those that `axis` names.",
)


def flip_infer(x: ArrayType, axis: int) -> ArrayType:
    normalize_axes("flip", x, axis)
    return x


flip = linear(
    "flip", lambda x, axis=None: np.flip(x, axis), infer=flip_infer,
    transpose=lambda g, y, x, axis: flip(g, axis=axis), batch=batch_along_axis,
    source="np.flip({0}, {axis})", traits=VIEW | {Trait.PROPAGATING},
    samples=cases(
        reals((3, 4)), reals((3, 4), axis=1), reals((2, 3, 4), axis=(0, -1)), reals(()),
        reals((2, 0), axis=1),
    ),
    error_samples=[invalid((2,), axis=1, says="axis 1 is out of range")],
    doc="The entries in reverse order along the given axes, or along all.",
)


def cast(x: AnyArray, dtype: DTypeLike) -> AnyArray:
    """`x` in another dtype; complex numbers lose their imaginary part if it is real."""
    if is_complex(type_of(x).dtype) and not is_complex(dtype):
        x = OPS["real"](x)
    return x if type_of(x).dtype == dtype else astype(x, dtype=dtype)


def in_dtype(x: Operand, dtype: DTypeLike) -> Any:
    """`x` cast to a dtype, if one is given."""
    return x if dtype is None else astype(x, dtype=dtype)


def compute_in(dtype: DTypeLike, f: Callable[..., Any], x: AnyArray, **attrs: object) -> AnyArray:
    """f(x) computed in a dtype, if one is given, with a result of that dtype.

    `f` may widen integers; then the result wraps around.
    """
    if dtype is None:
        return f(x, **attrs)
    y = f(astype(x, dtype=dtype), **attrs)
    return y if type_of(y).dtype == dtype else astype(y, dtype=dtype)


HALF, SINGLE = np.dtype("float16"), np.dtype("float32")


def in_single(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with half precision computed in single precision, as sums of squares would overflow.

    The result is rounded once, unless another operand or the given `dtype` is wider.
    """

    @wraps(f)
    def call(*args: Any, **options: Any) -> Any:
        operands = [a for a in (*args, *options.values()) if hasattr(a, "dtype")]
        asked = options.get("dtype")
        if all(of != HALF for of in ([a.dtype for a in operands] if asked is None else [asked])):
            return f(*args, **options)
        options |= {} if asked is None else {"dtype": SINGLE}
        y = f(*map(widen, args), **{k: widen(a) for k, a in options.items()})
        wider = asked is None and any(a.dtype != HALF and a.dtype.kind in "fc" for a in operands)
        return y if wider else astype(y, dtype=HALF)

    return call


def widen(a: Any) -> Any:
    """An argument, half precision converted to single precision."""
    return astype(a, dtype=SINGLE) if getattr(a, "dtype", None) == HALF else a


def type_with_dtype(op: str, x: ArrayType, dtype: DTypeLike) -> ArrayType:
    """The type of `x` with another numeric dtype."""
    if np.dtype(dtype).kind not in "biufc":
        raise DTypeError(op, [x], f"{dtype} is not a numeric dtype")
    return ArrayType(x.shape, dtype)


astype = linear(
    "astype", lambda x, dtype: np.asarray(x).astype(dtype, copy=False),
    infer=lambda x, dtype: type_with_dtype("astype", x, dtype),
    transpose=lambda g, y, x, dtype: cast(g, type_of(x).dtype),
    batch=lambda op, xs, batched, attrs: astype(xs[0], **attrs),
    source="{0}.astype({dtype}, copy=False)", traits=RETYPING | {Trait.PROPAGATING},
    samples=cases(
        reals((3, 4), dtype="float64"), exactly([1, 2, 3], dtype="float64"),
        exactly(2, dtype="float64"), reals((2, 0), dtype="float64"),
    ),
    doc="The operand in another dtype.",
)


def copy_kernel(x: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    if out is not None:
        np.copyto(out, x)
        return out
    x = np.asarray(x)
    if not x.ndim:
        return x[()]
    return x.copy(order="C" if 0 in x.strides else "K")  # what is repeated gets rows, as in PyTorch


copy = linear(
    "copy", copy_kernel, infer=lambda x: x, transpose=lambda g, y, x: g,
    traits=[Trait.LIKE_OPERAND, Trait.MOVING, Trait.PROPAGATING],
    batch=lambda op, xs, batched, attrs: copy(xs[0]),
    samples=cases(reals((3, 4)), exactly([True, False]), reals(()), reals((2, 0))),
    doc="A copy of the operand.",
)


def moveaxis(x: OperandLike, source: Any, destination: Any) -> Any:
    """`x` with axis `source` moved to position `destination`; the other axes keep their order.

    Both may be sequences. Raises ShapeError if their lengths differ or axes repeat.

    >>> moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    starts = normalize_axes("moveaxis", type_of(x), source)
    ends = normalize_axes("moveaxis", type_of(x), destination)
    if len(starts) != len(ends):
        reason = f"{len(starts)} axes to {len(ends)} places cannot be moved"
        raise ShapeError("moveaxis", [type_of(x)], reason)
    order = [i for i in range(len(shape_of(x))) if i not in starts]
    for end, start in sorted(zip(ends, starts, strict=True)):
        order.insert(end, start)
    return transpose(x, axes=tuple(order))


def flatten_without_axis(x: Any, axis: int | None) -> tuple[Any, int]:
    """`x` and the axis; without an axis, the flattened array and axis 0."""
    return (reshape(x, shape=(-1,)), 0) if axis is None else (x, axis)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """`x` with two axes exchanged.

    >>> swapaxes(np.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    n = len(shape_of(x))
    if not (type(axis1) is type(axis2) is int and -n <= axis1 < n and -n <= axis2 < n):
        axis1, axis2 = (normalize_axis("swapaxes", type_of(x), i) for i in (axis1, axis2))
    return transpose(x, axes=exchanged(n, axis1, axis2))


@lru_cache(maxsize=4096)
def exchanged(n: int, axis1: int, axis2: int) -> tuple[int, ...]:
    """The numbers of `n` axes, two of them exchanged."""
    order = list(range(n))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return tuple(order)
