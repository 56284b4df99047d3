"""Convolutions and correlations of images, with boundaries, by SciPy's names."""

from typing import Any

from ...core.errors import OptionError, ShapeError
from ...core.types import shape_of, type_of
from ...library.linalg.matrices import conjugate
from ...library.shape.movement import flip
from ...library.shape.padding import pad
from .convolutions import direct, middle, operands

__all__ = ["convolve2d", "correlate2d"]

BOUNDARIES = {
    "fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap",
    "symm": "symmetric", "symmetric": "symmetric",
}  # fmt: skip


def convolve2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    """The convolution of two images: "full", or its "valid" or central ("same") part.

    Beyond the first image there is `fillvalue` (`boundary="fill"`), the image again ("wrap") or its
    reflection ("symm"). Raises ShapeError for operands that are no images.

    >>> convolve2d([[1.0, 2.0]], [[1.0, 10.0]])
    array([[ 1., 12., 20.]])
    """
    a, b = operands("convolve2d", in1, in2, mode)
    return convolved("convolve2d", a, b, mode, boundary, fillvalue)


def convolved(call: str, a: Any, b: Any, mode: str, boundary: str, fill: Any) -> Any:
    """The part of the convolution that a mode keeps."""
    kinds = [type_of(a), type_of(b)]
    if kinds[0].ndim != 2:
        raise ShapeError(call, kinds, "the operands have two axes")
    if boundary not in BOUNDARIES:
        raise OptionError(call, kinds, f"boundary is 'fill', 'wrap' or 'symm', not {boundary!r}")
    m, n = shape_of(a), shape_of(b)
    way = BOUNDARIES[boundary]
    if mode == "valid" or (way == "constant" and isinstance(fill, int | float) and not fill):
        return middle(direct(a, b), m, n, mode)
    widths = tuple((k - 1, k - 1) for k in n)
    options = {"constant_values": fill} if way == "constant" else {}
    wide = pad(a, widths, mode=way, **options)
    return middle(middle(direct(wide, b), shape_of(wide), n, "valid"), m, n, mode)


def correlate2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0
) -> Any:
    """The cross-correlation of two images; see `convolve2d`.

    >>> correlate2d([[1.0, 2.0]], [[1.0, 10.0]])
    array([[10., 21.,  2.]])
    """
    a, b = operands("correlate2d", in1, in2, "full")
    a, b = operands("correlate2d", a, conjugate(flip(b)), mode)
    if mode != "same":
        return convolved("correlate2d", a, b, mode, boundary, fillvalue)
    y = convolved("correlate2d", a, b, "full", boundary, fillvalue)
    sizes = zip(shape_of(a), shape_of(b), strict=True)
    return y[tuple([slice(k // 2, k // 2 + m) for m, k in sizes])]
