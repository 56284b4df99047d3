"""Complex numbers from their parts, and their parts. See Note [Complex] in `reverse.py`."""

from typing import Any

import numpy as np

from ...core.errors import DTypeError
from ...core.op import ErrorSample
from ...core.samples import cases, complexes, reals, unary
from ...core.traits import Trait
from ...core.types import ArrayType, broadcast_shapes, is_complex, type_of
from ...typing import AnyArray, Operand
from ..families import elementwise, zeros_like
from ..shape.movement import VIEW
from .arithmetic import abs, square, strong_product

__all__ = ["angle", "complex", "conj", "imag", "real"]

parts = cases(unary, complexes((3, 4)), complexes(()))


def part_infer(x: ArrayType) -> ArrayType:
    return ArrayType(x.shape, np.empty(0, x.dtype).real.dtype)


def imaginary_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> Operand:
    return g * 1j if is_complex(type_of(x).dtype) else zeros_like(g)


def imag_kernel(x: np.ndarray) -> np.ndarray:
    """The imaginary part as a view; of real numbers writable zeros (NumPy's are read-only)."""
    return np.imag(x) if is_complex(type_of(x).dtype) else np.zeros_like(x)[()]


real = elementwise(
    "real", np.real, d=[None], infer=part_infer, source="np.real({0})", traits=VIEW,
    vjp=[lambda g, y, x: g], jvp=[lambda t, y, x: real(t)], samples=parts, doc="The real part.",
)
imag = elementwise(
    "imag", imag_kernel, d=[None], infer=part_infer, traits=VIEW,
    vjp=[imaginary_cotangent], jvp=[lambda t, y, x: imag(t)], samples=parts,
    doc="The imaginary part, 0 for real numbers.",
)
conj = elementwise(
    "conj", np.conjugate, d=[None], vjp=[lambda g, y, x: conj(g)], jvp=[lambda t, y, x: conj(t)],
    traits=[Trait.PROPAGATING],
    samples=parts, doc="The complex conjugate.",
)


def angle_infer(x: ArrayType) -> ArrayType:
    return ArrayType(x.shape, np.angle(np.ones(1, x.dtype)).dtype)


def angle_cotangent(g: AnyArray, y: AnyArray, x: AnyArray) -> Operand:
    if not is_complex(type_of(x).dtype):
        return zeros_like(g)
    return strong_product(g, 1j * x / square(abs(x)))


def angle_tangent(t: AnyArray, y: AnyArray, x: AnyArray) -> Operand:
    return zeros_like(y) if not is_complex(type_of(x).dtype) else imag(conj(x) * t) / square(abs(x))


angle = elementwise(
    "angle", lambda x: np.angle(x), d=[None], infer=angle_infer,
    vjp=[angle_cotangent], jvp=[angle_tangent], samples=parts,
    doc="The angle of a complex number with the positive reals, in radians from -pi to pi.",
)


def complex_kernel(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    found = np.empty(np.broadcast_shapes(np.shape(x), np.shape(y)), complex_dtype(x, y))
    found.real, found.imag = x, y
    return found[()]


def complex_dtype(x: Any, y: Any) -> np.dtype:
    return np.result_type(x, y, np.complex64)


def complex_infer(x: ArrayType, y: ArrayType) -> ArrayType:
    if is_complex(x.dtype) or is_complex(y.dtype):
        raise DTypeError("complex", [x, y], "the parts of a complex number are real")
    return ArrayType(broadcast_shapes("complex", [x, y]), complex_dtype(x.dtype, y.dtype))


complex = elementwise(
    "complex", complex_kernel, traits=[Trait.C_CONTIGUOUS], d=[None, None], infer=complex_infer,
    vjp=[lambda g, z, x, y: real(g), lambda g, z, x, y: -imag(g)],
    jvp=[
        lambda t, z, x, y: complex(t, zeros_like(t)),
        lambda t, z, x, y: complex(zeros_like(t), t),
    ],
    samples=reals((3, 4), (4,)),
    error_samples=[ErrorSample([np.ones(2), np.ones(2) * 1j], {}, DTypeError, "parts")],
    doc="The complex number of a real and an imaginary part.",
)
