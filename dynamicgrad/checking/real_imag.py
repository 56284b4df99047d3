"""Functions of complex numbers as functions of their real and imaginary parts."""

from collections.abc import Callable, Iterator, Sequence

from gradops import complex, imag, real
from gradops.core.types import is_complex

from ..engine.handle import Handle, make_leaf
from ..engine.tensor import handle


def in_parts(
    func: Callable[..., object], inputs: Sequence[object]
) -> tuple[Callable[..., object], tuple[object, ...]]:
    """`func` as a function of real numbers, two for each complex one, and its inputs as such."""
    split = [isinstance(x, Handle) and x.node is not None and is_complex(x.dtype) for x in inputs]

    def of_parts(*args: object) -> tuple[object, ...]:
        remaining = iter(args)
        joined = [
            complex(next(remaining), next(remaining)) if s else next(remaining) for s in split
        ]
        result = func(*joined)
        outputs = result if isinstance(result, tuple | list) else (result,)
        return tuple(part for y in outputs for part in parts(y))

    return of_parts, tuple(leaf for x in inputs for leaf in halves(x))


def halves(x: object) -> Iterator[object]:
    """The real and imaginary part of a complex input to differentiate by; another as it is."""
    if isinstance(x, Handle) and x.node is not None and is_complex(x.dtype):
        yield make_leaf(handle(real(x.value)))
        yield make_leaf(handle(imag(x.value)))
    else:
        yield x


def parts(y: object) -> Iterator[object]:
    """The real and imaginary part of a complex output; another as it is."""
    if isinstance(y, Handle) and is_complex(y.dtype):
        yield real(y)
        yield imag(y)
    else:
        yield y
