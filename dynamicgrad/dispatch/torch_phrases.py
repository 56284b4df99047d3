"""PyTorch's error texts, which users search for, by the reasons in errors of gradops.

`OperandError` asks the package that the user called for `__gradop_words__`.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from gradops.core.dims import Size, product
from gradops.core.errors import OperandError

Match = re.Match[str]
Phrase = str | Callable[[OperandError, Match], str]


def sizes_in(text: str) -> list[str]:
    """The sizes of a shape that is printed as a tuple."""
    return re.findall(r"[^\s,()]+", text)


def format_shape(sizes: Sequence[object]) -> str:
    """A shape as PyTorch prints it."""
    return f"[{', '.join(map(str, sizes))}]"


def shapes_of(error: OperandError) -> list[Sequence[Size]]:
    """The shapes of the operands that an error shows."""
    return [x.shape for x in error.operands]


def out_of_range(axis: int, rank: int) -> str:
    """A dimension that a tensor does not have."""
    low, high = min(-rank, -1), max(rank - 1, 0)
    return f"Dimension out of range (expected to be in range of [{low}, {high}], but got {axis})"


def named_twice(error: OperandError, match: Match) -> str:
    """The text for a dimension given twice."""
    (shape,) = shapes_of(error)
    axes = [int(axis) % len(shape) for axis in sizes_in(match[1])]
    twice = next(a for i, a in enumerate(axes) if a in axes[:i])
    return f"dim {twice} appears multiple times in the list of dims"


def broadcast(error: OperandError, match: Match) -> str:
    """The text for shapes that do not broadcast."""
    shapes = shapes_of(error)
    ndim = max(map(len, shapes))
    sizes = zip(*[(1,) * (ndim - len(s)) + tuple(s) for s in shapes])
    known = [{n for n in s if n != 1 and isinstance(n, int)} for s in sizes]
    at = next(i for i, distinct in enumerate(known) if len(distinct) > 1)
    return (
        f"The size of tensor a ({match[1]}) must match the size of tensor b ({match[2]}) at"
        f" non-singleton dimension {at}"
    )


def expand_text(error: OperandError, match: Match) -> str:
    """The text for a tensor that does not expand to a shape."""
    (own,), sizes = shapes_of(error), sizes_in(match[1])
    padded = ["1"] * (len(sizes) - len(own)) + [str(n) for n in own]
    pairs = enumerate(zip(padded, sizes, strict=True))
    at = next(i for i, (m, n) in pairs if (m, n) == (match[2], match[3]))
    return (
        f"The expanded size of the tensor ({match[3]}) must match the existing size ({match[2]}) at"
        f" non-singleton dimension {at}.  Target sizes: {format_shape(sizes)}.  Tensor sizes:"
        f" {format_shape(own)}"
    )


def unstackable(error: OperandError, match: Match) -> str:
    """The text for operands of `stack` with different shapes."""
    first, *others = shapes_of(error)
    i, shape = next((i, s) for i, s in enumerate(others, 1) if s != first)
    return (
        f"stack expects each tensor to be equal size, but got {format_shape(first)} at entry 0 and"
        f" {format_shape(shape)} at entry {i}"
    )


def permutation_text(error: OperandError, match: Match) -> str:
    """The text for a permutation of too few dimensions."""
    return (
        "number of dimensions in the tensor input does not match the length of the desired ordering"
        f" of dimensions i.e. input.dim() = {match[2]} is not equal to len(dims) ="
        f" {len(sizes_in(match[1]))}"
    )


def of_product(error: OperandError, match: Match) -> str:
    """The text for a matrix product, or for a linear layer, whose weight is transposed."""
    a, b, *bias = shapes_of(error)
    b = b[::-1] if bias else b
    if len(a) == len(b) == 1:
        return (
            f"inconsistent tensor size, expected tensor {format_shape(a)} and src {format_shape(b)}"
            f" to have the same number of elements, but got {a[0]} and {b[0]} elements respectively"
        )
    if len(a) > 2 and len(b) > 2:
        want, got = [b[0], a[-1]], [b[0], b[-2]]
        return (
            "Expected size for first two dimensions of batch2 tensor to be:"
            f" {format_shape(want)} but got: {format_shape(got)}"
        )
    if len(b) == 1:
        return f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[-1]}), vec ({b[0]})"
    rows = a[0] if len(a) == 2 else product(a[:-1]) or 1
    return f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a[-1]} and {b[-2]}x{b[-1]})"


def of_solve(error: OperandError, match: Match) -> str:
    """The text for a right side that does not fit its matrix."""
    m, n, k = match[1], match[2], error.operands[1].shape[-1]
    if error.op == "lstsq":
        return "input.size(-2) should match other.size(-2)"
    return f"Incompatible shapes of A and B for the equation AX = B ({m}x{m} and {n}x{k})"


def of_mask(error: OperandError, match: Match) -> str:
    """The text for a mask that does not fit the indexed tensor."""
    x, *arrays = error.operands
    size, axis = int(match[1]), int(match[2])
    mask = next(m.shape for m in arrays if m.dtype.kind == "b" and size in m.shape)
    return (
        f"The shape of the mask {format_shape(mask)} at index {mask.index(size)} does not match the"
        f" shape of the indexed tensor {format_shape(x.shape)} at index {axis}"
    )


def of_labels(error: OperandError, match: Match) -> str:
    """The text for a number of labels that differs from the rows of scores."""
    scores, labels = shapes_of(error)
    return (
        f"Expected input batch_size ({product(scores[:-1])}) to match target batch_size"
        f" ({product(labels)})"
    )


def of_channels(error: OperandError, match: Match) -> str:
    """The text for channels that do not match the filters."""
    channels = int(match[2]) * int(match[3] or 1)
    return f"expected input to have {channels} channels, but got {match[1]} channels instead"


def of_losses(error: OperandError, match: Match) -> str:
    """The text for a target whose shape differs from the prediction's."""
    x, target = map(format_shape, shapes_of(error))
    return f"Using a target size ({target}) that is different to the input size ({x})"


PHRASES: dict[str, Phrase] = {
    r"the shapes do not broadcast: (\d+) against (\d+)": broadcast,
    r"the inner dimensions .* differ": of_product,
    r"the last axis has .* entries, and the weight takes": of_product,
    r"axis (-?\d+) is out of range for (\d+) dimensions":
        lambda error, match: out_of_range(int(match[1]), int(match[2])),
    r"an axis is named twice in (.*)": named_twice,
    r"index (-?\d+) is out of range for axis (\d+) with size (\d+)":
        r"index \1 is out of bounds for dimension \2 with size \3",
    r"too many indices: \d+ for (\d+) axes": r"too many indices for tensor of dimension \1",
    r"the mask has size (\d+) where axis (\d+) has size": of_mask,
    r"only one size can be -1": "only one dimension can be inferred",
    r"(.*) entries do not fill the shape (.*)": lambda error, match:
        f"shape '{format_shape(sizes_in(match[2]))}' is invalid for input of size {match[1]}",
    r"axes (.*) do not name each of (\d+) dimensions": permutation_text,
    r"(.*) has fewer dimensions": lambda error, match:
        f"the number of sizes provided ({len(sizes_in(match[1]))}) must be greater or equal to the"
        f" number of dimensions in the tensor ({len(error.operands[0].shape)})",
    r"it does not broadcast to (.*): (\d+) against (\d+)": expand_text,
    r"it needs operands with at least one axis": "expected a non-empty list of Tensors",
    r"only axis (\d+) may differ in size": r"Sizes of tensors must match except in dimension \1",
    r"the shapes differ": unstackable,
    r"k=.* is not from": "selected index k out of range",
    r"the matrix has (.*) rows, the right side (.*)": of_solve,
    r"a matrix has two axes or more": "The input tensor A must have at least 2 dimensions.",
    r"the matrix is not square": "A must be batches of square matrices",
    r"there must be one label for each row of scores": of_labels,
    r"the label (-?\d+) is none of the classes": r"Target \1 is out of bounds.",
    r"the two shapes must be equal": of_losses,
    r"window .* and stride .* are at least 1": "stride should not be zero",
    r"padding .* is more than half of the window":
        "pad should be at most half of effective kernel size",
    r"a window over .* does not fit": "Output size is too small",
    r"columns .* have .* windows": "to match the calculated number of sliding blocks",
    r"strides are at least 1": "non-positive stride is not supported",
    r"the operand has (.*) channels, the filters (\d+)(?: for each of (\d+) groups)?": of_channels,
    r"filters that extend over": "Kernel size can't be greater than actual input size",
    r"padding is at least 0": "negative padding is not supported",
    r"output_padding .* is at least 0":
        "output padding must be smaller than either stride or dilation",
    r"\d+ groups cannot share its channels":
        "Expected number of channels in input to be divisible by num_groups",
}  # fmt: skip
"""Patterns of the reasons of errors, and PyTorch's words: a template, or a function."""


def __gradop_words__(error: OperandError) -> str | None:
    """PyTorch's text for an error of gradops; None if there is none."""
    for pattern, phrase in PHRASES.items():
        if match := re.match(pattern, error.reason):
            with suppress(Exception):  # an error of ours with such a reason, and other operands
                return match.expand(phrase) if isinstance(phrase, str) else phrase(error, match)
    return None
