"""Text of tensors, in the layout of PyTorch."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradops import Batched, Dual
from gradops.typing import DTypeLike

OPENING = "tensor("
LINE_WIDTH = 80
THRESHOLD = 1000  # an array with more entries is abridged
EDGE = 3  # entries visible at either end of an abridged axis

Column = tuple[list[str], int]  # aligned texts, and the width by which PyTorch breaks lines


def tensor_text(
    value: np.ndarray, suffixes: Sequence[str] = (), default_dtype: DTypeLike = np.float32
) -> str:
    """The text of a tensor: its entries, the facts they do not show, and `suffixes`."""
    text = OPENING + (entries_text(value) if value.size else "[]")
    return with_suffixes(text, [*unstated_facts(value, np.dtype(default_dtype)), *suffixes]) + ")"


def unstated_facts(value: np.ndarray, default_dtype: np.dtype) -> list[str]:
    """The shape and the dtype of `value`, if its entries do not show them."""
    implied: list[DTypeLike] = [default_dtype]
    if value.size:
        implied += [np.result_type(default_dtype, np.complex64), np.int64, np.bool_]
    size = [] if value.size or value.ndim == 1 else [f"size={value.shape}"]
    return size if value.dtype in implied else [*size, f"dtype={value.dtype}"]


def with_suffixes(text: str, suffixes: Iterable[str]) -> str:
    """`text` followed by `suffixes`, each on a new line if the last line is full."""
    used = len(text) - text.rfind("\n") + 1  # with room for the end of the line
    for suffix in suffixes:
        fits = used + len(", ") + len(suffix) <= LINE_WIDTH
        text += (", " if fits else ",\n" + " " * len(OPENING)) + suffix
        used = (used + len(", ") if fits else len(OPENING)) + len(suffix)
    return text


def entries_text(value: np.ndarray) -> str:
    """The entries in nested brackets; a large array shows only the ends of its long axes."""
    cut = [value.size > THRESHOLD and n > 2 * EDGE for n in value.shape]
    visible = np.asarray(value[np.ix_(*map(visible_indices, value.shape, cut))])
    texts, width = column(visible)
    nested = np.array(texts, object).reshape(visible.shape).tolist()
    return in_brackets(nested, cut, width, len(OPENING))


def visible_indices(length: int, cut: bool) -> Sequence[int]:
    """The indices of an axis that are printed."""
    return [*range(EDGE), *range(length - EDGE, length)] if cut else range(length)


def in_brackets(nested: Any, cut: Sequence[bool], width: int, indent: int) -> str:
    """Nested lists of texts in brackets, with an ellipsis for omitted entries."""
    if not cut:
        return nested
    inner = cut[1:]
    parts = [in_brackets(part, inner, width, indent + 1) for part in nested]
    parts[EDGE:EDGE] = ["..." if inner else " ..."] * cut[0]
    if not inner:
        length = max(1, (LINE_WIDTH - indent) // (width + len(", ")))  # entries on a line
        parts = [", ".join(parts[i : i + length]) for i in range(0, len(parts), length)]
    separator = "," + "\n" * max(1, len(inner)) + " " * (indent + 1)
    return "[" + separator.join(parts) + "]"


def column(values: np.ndarray) -> Column:
    """The entries of an array in one format, aligned."""
    entries = values.ravel()
    if values.dtype.kind == "c":
        return complex_column(entries)
    if values.dtype.kind == "f":
        return float_column(entries.astype(np.float64).tolist())
    texts = [str(entry) for entry in entries.tolist()]
    return align(texts, max(map(len, texts)))


def complex_column(values: np.ndarray) -> Column:
    """Real and imaginary parts, each in a format of its own."""
    (reals, width), (imags, imag_width) = column(values.real), column(values.imag)
    signed = [imag if imag.startswith("-") else "+" + imag for imag in map(str.lstrip, imags)]
    texts = [f"{real}{imag}j" for real, imag in zip(reals, signed)]
    return texts, width + imag_width + len("j")


def float_column(values: Sequence[float]) -> Column:
    """Floats in a format and width that suit those that are finite and not zero."""
    typical = [v for v in values if v and math.isfinite(v)]
    style = notation([abs(v) for v in typical])
    width = max((len(format_value(v, style)) for v in typical), default=1)
    return align([format_value(v, style) for v in values], width)


def align(texts: Iterable[str], width: int) -> Column:
    """The texts aligned to the right."""
    return [text.rjust(width) for text in texts], width


def notation(magnitudes: Sequence[float]) -> str:
    """The format for values of these magnitudes: whole, scientific or fixed."""
    low, high = min(magnitudes, default=1.0), max(magnitudes, default=1.0)
    whole = all(m.is_integer() for m in magnitudes)
    if high / low > 1000 or high > 1e8 or (low < 1e-4 and not whole):
        return ".4e"
    return ".0f" if whole else ".4f"


def format_value(value: float, style: str) -> str:
    """A value in that format; a whole one ends in a point, which marks a float."""
    point = "." if style == ".0f" and math.isfinite(value) else ""
    return f"{value:{style}}" + point


def tensor_repr(self: Any) -> str:
    """A tensor as PyTorch prints it: its entries, and its role in differentiation."""
    heading = "Parameter containing:\n" if getattr(self, "is_parameter", False) else ""
    if isinstance(self.value, Dual):
        tangent = self.value.tangent if self.shape else self.value.tangent.item()
        return f"{repr_of_part(self.value.primal)[:-1]}, tangent={repr_of_part(tangent)})"
    if isinstance(self.value, Batched):
        return f"BatchedTensor(value={repr_of_part(self.value.stack)})"
    if not isinstance(self.value, np.ndarray | np.generic):
        return f"{heading}tensor({self.value!r})"
    if self.grad_fn is not None:
        suffix = [f"grad_fn=<{self.grad_fn.name()}>"]
    else:
        suffix = ["requires_grad=True"] if self.requires_grad else []
    return heading + tensor_text(np.asarray(self.value), suffix)


def array_repr(self: Any) -> str:
    """An array as NumPy prints it, and the operation that computed it if it is traced."""
    if not isinstance(self.value, np.ndarray | np.generic):
        return f"array({self.value!r})"
    text = repr(np.asarray(self.value))
    return text if self.grad_fn is None else f"{text[:-1]}, grad_fn=<{self.grad_fn.name()}>)"


def repr_of_part(value: object) -> str:
    """The value of a tensor under a transform, as a tensor; a number unchanged."""
    return tensor_text(np.asarray(value)) if isinstance(value, np.ndarray) else repr(value)
