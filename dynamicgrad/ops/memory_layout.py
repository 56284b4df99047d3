"""Memory layout and other facts about tensors: strides, storage, dtype, number of entries."""

import math
from collections.abc import Iterable

from gradops.core.dims import product
from gradops.core.types import is_complex as has_complex_dtype
from gradops.core.types import is_float, shape_of
from gradops.typing import ShapeLike

from ..dispatch.wrapping import by_name
from ..engine.storage import memory
from ..engine.tensor import Tensor
from .shapes import axis_of, sizes, split


def stride(x: Tensor, dim: int | None = None) -> tuple[int, ...] | int:
    """The distance of neighbouring entries in memory, in entries, for each dimension or one.

    >>> dg.zeros(2, 3).t().stride()
    (1, 3)
    """
    value = memory(x)
    steps = tuple(s // value.itemsize for s in value.strides)
    return steps if dim is None else steps[axis_of(x, dim, len(steps))]


def is_contiguous(x: Tensor, memory_format: object = None) -> bool:
    """True if the entries lie in C order in memory.

    >>> dg.zeros(2, 3).is_contiguous(), dg.zeros(2, 3).t().is_contiguous()
    (True, False)
    """
    return bool(memory(x).flags.c_contiguous)


def storage_offset(x: Tensor) -> int:
    """The number of entries of the shared memory before the first one.

    >>> dg.arange(5)[2:].storage_offset()
    2
    """
    value = memory(x)
    whole = memory(x.alias.base) if x.alias is not None else value
    return int(value.ctypes.data - whole.ctypes.data) // value.itemsize


def element_size(x: Tensor) -> int:
    """The number of bytes of an entry.

    >>> dg.zeros(2).element_size()
    4
    """
    return int(x.dtype.itemsize)


def is_nonzero(x: Tensor) -> bool:
    """True if the only entry of a tensor is not zero.

    >>> dg.tensor([0.0]).is_nonzero()
    False
    """
    return bool(x)


def is_same_size(x: Tensor, other: Tensor) -> bool:
    """True if two tensors have the same shape.

    >>> dg.zeros(2).is_same_size(dg.ones(2))
    True
    """
    return bool(shape_of(x) == shape_of(other))


def is_signed(x: Tensor) -> bool:
    """True if the dtype has negative numbers.

    >>> dg.zeros(2).is_signed(), dg.zeros(2, dtype=dg.uint8).is_signed()
    (True, False)
    """
    return x.dtype.kind in "ifc"


def split_with_sizes(x: Tensor, split_sizes: Iterable[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of these sizes along a dimension.

    >>> [len(p) for p in dg.arange(5).split_with_sizes([2, 3])]
    [2, 3]
    """
    return split(x, list(split_sizes), dim)


def sum_to_size(x: Tensor, *size: ShapeLike) -> Tensor:
    """The tensor summed to a shape that can be broadcast to its own.

    >>> dg.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    wanted, shape = sizes(size), shape_of(x)
    extra = len(shape) - len(wanted)
    axes = [i for i, n in enumerate(shape) if i < extra or (wanted[i - extra] == 1 and n != 1)]
    return x.sum(tuple(axes)).reshape(wanted) if axes and product(shape) else x.reshape(wanted)


def itself(x: Tensor) -> Tensor:
    """The tensor itself: conjugation and negation are never deferred."""
    return x


def is_complex(x: Tensor) -> bool:
    """True if a tensor has complex entries.

    >>> dg.is_complex(dg.ones(2)), dg.is_complex(dg.ones(2) * 1j)
    (False, True)
    """
    return has_complex_dtype(x.dtype)


def is_floating_point(x: Tensor) -> bool:
    """True if the dtype is a floating-point one.

    >>> dg.is_floating_point(dg.ones(2)), dg.is_floating_point(dg.arange(2))
    (True, False)
    """
    return is_float(x.dtype)


def numel(x: Tensor) -> int:
    """The number of entries.

    >>> dg.numel(dg.ones(2, 3))
    6
    """
    return math.prod(x.shape)


def is_tensor(x: object) -> bool:
    """True if `x` is a tensor.

    >>> dg.is_tensor(dg.ones(2)), dg.is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, Tensor)


CONVERTING = by_name(
    is_complex, is_floating_point, is_nonzero, is_same_size, is_signed, numel, split_with_sizes,
) | {"resolve_conj": itself, "resolve_neg": itself}  # fmt: skip
METHODS = by_name(stride, is_contiguous, storage_offset, element_size, sum_to_size) | {
    "is_conj": lambda self: False, "is_neg": lambda self: False, "nelement": numel,
    "ndimension": lambda self: len(self.shape), "dim": lambda self: len(self.shape),
}  # fmt: skip
