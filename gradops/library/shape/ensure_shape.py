"""Ops that change what is known of sizes and leave entries unchanged."""


import numpy as np

from ...core.dims import UNKNOWN, Shape
from ...core.errors import ShapeError
from ...core.samples import cases, reals
from ...core.traits import Trait
from ...core.types import ArrayType, conflict, normalize_axes, shape_of, type_of
from ..families import invalid, linear
from .movement import RETYPING, VIEW, shape_text

__all__: list[str] = []


def forget_sizes_infer(x: ArrayType, axes: tuple[int, ...]) -> ArrayType:
    unknown = normalize_axes("forget_sizes", x, axes)
    sizes = (UNKNOWN if k in unknown else n for k, n in enumerate(x.shape))
    return ArrayType(tuple(sizes), x.dtype)


def forget_sizes_kernel(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    normalize_axes("forget_sizes", type_of(x), axes)
    return x


forget_sizes = linear(
    "forget_sizes", forget_sizes_kernel,
    infer=forget_sizes_infer,
    transpose=lambda g, y, x, axes: g,
    batch=lambda op, xs, batched, attrs: op(
        xs[0], axes=tuple(k % (len(shape_of(xs[0])) - 1) + 1 for k in attrs["axes"])
    ),
    source="{0}", traits=VIEW,
    samples=cases(  # in graphs, see test_leaves.py
        reals((3, 4), axes=()), reals((), axes=()), reals((0,), axes=()),
    ),
    error_samples=[invalid((3,), axes=(1,), says="axis 1 is out of range")],
    doc="The operand with the sizes of some axes unknown to type inference.",
)


def ensure_shape_infer(x: ArrayType, shape: Shape) -> ArrayType:
    if x.ndim != len(shape) or conflict(x.shape, shape):
        raise ShapeError("ensure_shape", [x], f"it does not have the shape {shape_text(shape)}")
    return ArrayType(shape, x.dtype)


def ensure_shape_kernel(x: np.ndarray, shape: Shape) -> np.ndarray:
    if np.shape(x) != shape:
        ensure_shape_infer(type_of(x), shape)
    return x


ensure_shape = linear(
    "ensure_shape", ensure_shape_kernel, infer=ensure_shape_infer,
    transpose=lambda g, y, x, shape: ensure_shape(g, shape=shape_of(x)),
    batch=lambda op, xs, batched, attrs: op(xs[0], shape=(shape_of(xs[0])[0], *attrs["shape"])),
    traits=RETYPING | {Trait.CHECKING},
    samples=cases(reals((3, 4), shape=(3, 4)), reals((), shape=()), reals((2, 0), shape=(2, 0))),
    error_samples=[
        invalid((3,), shape=(2,), says="does not have the shape (2,)"),
        invalid((3,), shape=(1, 3), says="not have the shape (1, 3)"),
    ],
    doc="The operand with the given sizes, which are checked when it is computed.",
)
