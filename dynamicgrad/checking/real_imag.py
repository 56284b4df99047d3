"""Functions of complex numbers as functions of their real and imaginary parts."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradops import complex, imag, real
from gradops.core.types import is_complex

from ..engine.handle import Handle, make_leaf
from ..engine.tensor import Tensor, handle


def in_parts(
    func: Callable[..., Any], inputs: Sequence[Any]
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """`func` with two real numbers in place of each complex one, and its inputs then."""
    split = [is_checked(x) and is_complex(x.dtype) for x in inputs]

    def parted(*args: Any) -> Any:
        remaining = iter(args)
        joined = [
            complex(next(remaining), next(remaining)) if s else next(remaining) for s in split
        ]
        found = func(*joined)
        outputs = found if isinstance(found, tuple | list) else (found,)
        return tuple(part for y in outputs for part in parts(y))

    given = [
        leaf for x, s in zip(inputs, split, strict=True) for leaf in (halves(x) if s else (x,))
    ]
    return parted, tuple(given)


def is_checked(x: Any) -> bool:
    """Whether an input is one to differentiate by."""
    return isinstance(x, Handle) and x.node is not None


def halves(x: Tensor) -> Iterator[Tensor]:
    """The parts of an input, as inputs."""
    for part in (real, imag):
        yield make_leaf(handle(part(x.value)))


def parts(y: Any) -> Iterator[Any]:
    """The parts of an output; of what is not complex, itself."""
    if isinstance(y, Handle) and is_complex(y.dtype):
        yield real(y)
        yield imag(y)
    else:
        yield y
