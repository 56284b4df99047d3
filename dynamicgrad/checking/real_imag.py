"""Functions of complex numbers as functions of their real and imaginary parts."""

from collections.abc import Callable, Sequence
from typing import Any

from gradops import complex, imag, real
from gradops.core.types import is_complex

from ..engine.handle import Handle, make_leaf
from ..engine.tensor import Tensor, handle

Function = Callable[..., object]


def in_parts(func: Function, inputs: Sequence[object]) -> tuple[Function, tuple[object, ...]]:
    """`func` as a function of real numbers, two for each complex one, and its inputs as such."""
    split = [isinstance(x, Handle) and x.node is not None and is_complex(x.dtype) for x in inputs]

    def of_parts(*args: object) -> tuple[object, ...]:
        rest = iter(args)
        result = func(*[complex(next(rest), next(rest)) if s else next(rest) for s in split])
        outputs = result if isinstance(result, tuple | list) else (result,)
        return tuple(part for y in outputs for part in parts(y))

    leaves = [leaves_of(x) if s else (x,) for x, s in zip(inputs, split)]
    return of_parts, tuple(leaf for both in leaves for leaf in both)


def leaves_of(x: Any) -> tuple[Tensor, ...]:
    """New leaves with the real and the imaginary part of a tensor."""
    return tuple(make_leaf(handle(part)) for part in (real(x.value), imag(x.value)))


def parts(y: object) -> tuple[object, ...]:
    """The real and imaginary part of a complex output; another as it is."""
    return (real(y), imag(y)) if isinstance(y, Handle) and is_complex(y.dtype) else (y,)
