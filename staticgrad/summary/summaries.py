"""Summaries: named expressions by how TensorBoard shows them.

Note [Summaries]. In TensorFlow a summary is an expression for a string. Here there are no strings:
it is a structure of expressions, which a session fetches as it fetches any other; its value is the
same structure of arrays. Each expression has the name under which TensorFlow would know the
summary, so that one name is one curve.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from gradops import DTypeError, OptionError, ShapeError
from gradops.typing import OperandLike

from ..build.graph import add_to_collection, get_collection
from ..build.inputs import as_expression, constant
from ..ir.expr import Expr
from ..ops.spelling import FUNCTIONS

SUMMARIES = "summaries"
NOT_IN_TAGS = re.compile(r"[^-/\w.]")


@dataclass(frozen=True)
class Summary:
    """Expressions, or their values, by tag and by how TensorBoard shows them.

    Images are batches of pictures; a text is the bytes of its UTF-8.
    """

    scalars: dict[str, Any] = field(default_factory=dict)
    histograms: dict[str, Any] = field(default_factory=dict)
    images: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, Any] = field(default_factory=dict)

    @property
    def tags(self) -> list[str]:
        """The tags of all parts."""
        return [tag for part in fields(self) for tag in getattr(self, part.name)]

    def __repr__(self) -> str:
        return f"<summary of {', '.join(self.tags) or 'nothing'}>"


def scalar(
    name: str, tensor: OperandLike, collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Summary:  # fmt: skip
    """A summary of a number, which TensorBoard shows as a curve.

    Its tag is `name` within the name scope, with a number if it is taken. With a `family`
    TensorBoard shows it beside the others of the family. It is added to `collections`, by default
    to the one that `merge_all` merges. Raises ShapeError, and DTypeError for complex numbers.

    >>> with sg.name_scope("train"):
    ...     sg.summary.scalar("accuracy", sg.constant(0.5))
    <summary of train/accuracy>
    """
    value = real("scalar", tensor)
    if value.shape != ():
        reason = "it is not one number"
        raise ShapeError("summary.scalar", [value.label], reason, hint="take its mean, say")
    tag, e = named(name, value, family)
    return collected(Summary(scalars={tag: e}), collections)


def histogram(
    name: str, values: OperandLike, collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Summary:  # fmt: skip
    """A summary of how values are distributed; the arguments are those of `scalar`.

    >>> sg.summary.histogram("weights", sg.constant([0.5, 1.5]))
    <summary of weights>
    """
    tag, e = named(name, real("histogram", values), family)
    return collected(Summary(histograms={tag: e}), collections)


def image(
    name: str, tensor: OperandLike, max_outputs: int = 3, collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Summary:  # fmt: skip
    """A summary of the first pictures of a batch, by height, width and 1, 3 or 4 channels.

    Bytes are shown as they are. Floats are scaled, each picture by itself: the largest is white,
    and zero is black, or grey if there are negative numbers. Other arguments are those of
    `scalar`.

    >>> sg.summary.image("digits", sg.zeros([8, 28, 28, 1]))
    <summary of digits>
    """
    pixels = real("image", tensor)
    if len(pixels.shape) != 4 or pixels.shape[3] not in (1, 3, 4):
        raise ShapeError(
            "summary.image", [pixels.label], "it has no axes (batch, height, width, channels)",
            hint="there are 1, 3 or 4 channels",
        )  # fmt: skip
    if pixels.dtype != np.uint8 and pixels.dtype.kind != "f":
        raise DTypeError("summary.image", [pixels.label], "pixels are uint8 or floats")
    if not isinstance(max_outputs, int) or max_outputs < 1:
        raise OptionError(
            "summary.image", [pixels.label], f"max_outputs is {max_outputs}, not >= 1"
        )
    tag, e = named(name, pixels[:max_outputs], family)
    return collected(Summary(images={tag: e}), collections)


def text(name: str, tensor: str, collections: Sequence[str] | None = None) -> Summary:
    """A summary of a text, which TensorBoard shows as Markdown. It is a string of Python.

    >>> sg.summary.text("note", "a **small** network")
    <summary of note>
    """
    if not isinstance(tensor, str):
        kind = type(tensor).__name__
        raise DTypeError("summary.text", [kind], "a text is a string of Python")
    tag, e = named(name, constant(np.frombuffer(tensor.encode(), np.uint8)), None)
    return collected(Summary(texts={tag: e}), collections)


def merge(
    inputs: Iterable[Summary], collections: Sequence[str] | None = None, name: str | None = None
) -> Summary:
    """One summary of several. `name` has no effect; TensorFlow has it.

    Raises OptionError for what is not a summary, and for a tag that two of them have.

    >>> a, b = sg.summary.scalar("a", 1.0), sg.summary.scalar("b", 2.0)
    >>> sg.summary.merge([a, b])
    <summary of a, b>
    """
    summaries = list(inputs)
    for each in summaries:
        if not isinstance(each, Summary):
            raise OptionError("summary.merge", [repr(each)], "it is not a summary")
    tags = [tag for each in summaries for tag in each.tags]
    if twice := {tag for tag in tags if tags.count(tag) > 1}:
        raise OptionError("summary.merge", [], f"two summaries have the tag {min(twice)!r}")
    parts = [f.name for f in fields(Summary)]
    merged = {p: {t: e for s in summaries for t, e in getattr(s, p).items()} for p in parts}
    return collected(Summary(**merged), collections or ())


def merge_all(
    key: str = SUMMARIES, scope: str | None = None, name: str | None = None
) -> Summary | None:
    """One summary of all in a collection of the default graph; None if there are none.

    With `scope` only those are merged whose tags begin with what matches the regular expression.
    `name` has no effect; TensorFlow has it.

    >>> print(sg.summary.merge_all())
    None
    """
    summaries = get_collection(key)
    if scope is not None:
        summaries = [s for s in summaries if any(re.match(scope, e.name) for e in parts_of(s))]
    return merge(summaries) if summaries else None


def parts_of(summary: Summary) -> list[Expr]:
    """The expressions of a summary."""
    return [e for part in fields(summary) for e in getattr(summary, part.name).values()]


def real(function: str, x: OperandLike) -> Expr:
    """An expression for real numbers; raises DTypeError for complex ones."""
    e = as_expression(x)
    if e.dtype.kind == "c":
        hint = "take its absolute value, say"
        raise DTypeError(f"summary.{function}", [e.label], "it is complex", hint=hint)
    return e


def named(name: str, value: Expr, family: str | None) -> tuple[str, Expr]:
    """The tag of a summary, and the expression that has its name. See Note [Summaries]."""
    within = clean(name) if family is None else f"{clean(family)}/{clean(name)}"
    e = FUNCTIONS["identity"](value, name=within)
    return e.name if family is None else f"{clean(family)}/{e.name}", e


def clean(name: str) -> str:
    """A name with _ for each letter that a tag does not have, as in TensorFlow."""
    if not isinstance(name, str):
        raise OptionError("summary", [repr(name)], "the name of a summary is a string")
    return NOT_IN_TAGS.sub("_", name).lstrip("/")


def collected(summary: Summary, collections: Sequence[str] | None) -> Summary:
    """The summary, added to collections of the default graph."""
    for key in (SUMMARIES,) if collections is None else collections:
        add_to_collection(key, summary)
    return summary
