"""Einstein summation."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from operator import add
from typing import Any

import numpy as np

from ...core import flops
from ...core.dims import Size
from ...core.errors import ShapeError
from ...core.op import Op
from ...core.rules import JointJVP, JointVJP
from ...core.samples import cases, complexes, reals
from ...core.types import ArrayType, broadcast_shapes, shape_of, type_of
from ...typing import AnyArray, Arrays, Attrs, Flags, Operand, OperandLike
from ..elementwise.comparison import equal, masked
from ..families import invalid
from ..index.index_keys import with_strong_dtypes
from ..index.indexing import along
from ..shape.broadcasting import broadcast_to
from ..shape.movement import expand_dims
from .einsum_products import by_products as by_matrices

__all__ = ["einsum"]

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
LARGE = 2**14  # products from which it pays to look for matrix products among them


def letters_of(subscripts: str) -> tuple[list[str], str]:
    """The letters of each operand, and those of the output."""
    left, right = subscripts.split("->")
    return left.split(","), right


@lru_cache(maxsize=4096)
def explicit_subscripts(subscripts: str, ndims: tuple[int, ...]) -> str:
    """`subscripts` with ellipses replaced by letters and with an explicit output."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    if wrong := set((left + right).replace("...", "")) - {*LETTERS, ","}:
        reason = f"{min(wrong)!r} is not an index"
        raise ShapeError("einsum", [subscripts], reason, hint="use letters")
    terms = left.split(",")
    if len(terms) != len(ndims):
        raise ShapeError("einsum", [subscripts], f"it names {len(terms)} operands of {len(ndims)}")
    spare = [c for c in LETTERS if c not in subscripts]
    hidden = [n - len(t.replace("...", "")) for t, n in zip(terms, ndims, strict=True)]
    most = max((h for t, h in zip(terms, hidden, strict=True) if "..." in t), default=0)
    dots = "".join(spare[:most])
    terms = [
        t.replace("...", dots[most - h :] if h > 0 else "")
        for t, h in zip(terms, hidden, strict=True)
    ]
    if not arrow:
        letters = "".join(terms)
        right = dots + "".join(sorted(c for c in set(letters) - set(dots) if letters.count(c) == 1))
    return f"{','.join(terms)}->{right.replace('...', dots)}"


def einsum_infer(*types: ArrayType, subscripts: str) -> ArrayType:
    terms, output = letters_of(subscripts)
    sizes: dict[str, Size] = {}
    for term, t in zip(terms, types, strict=True):
        if len(term) != t.ndim or not (term.isalpha() or not term):
            raise ShapeError(
                "einsum", types, f"{term!r} in {subscripts!r} does not name {t.ndim} axes"
            )
        for letter, n in zip(term, t.shape, strict=True):
            known = sizes.setdefault(letter, n)
            if known == 1:
                sizes[letter] = n
            elif n not in (known, 1) and isinstance(n, int) and isinstance(known, int):
                raise ShapeError("einsum", types, f"{letter!r} has the sizes {known} and {n}")
    for letter in output:
        if letter not in sizes:
            raise ShapeError("einsum", types, f"no operand has the index {letter!r} of the output")
        if output.count(letter) > 1:
            raise ShapeError("einsum", types, f"the output has the index {letter!r} twice")
    dtype = np.result_type(*(t.dtype for t in types))
    return ArrayType(tuple(sizes[c] for c in output), dtype)


def einsum_kernel(*xs: np.ndarray, subscripts: str) -> np.ndarray:
    """`np.einsum`, through matrix products where they are faster; never a view of its operand.

    The order of summation depends on the layout of the operands, which may differ from run to run
    of a program, so all of them get the same layout.
    """
    xs = tuple([np.asarray(x, order="C") for x in xs])
    shapes = tuple([x.shape for x in xs])
    large = by_products(subscripts) and multiplications(subscripts, shapes) > LARGE
    y = np.einsum(subscripts, *xs, optimize=large)
    return y if len(xs) > 1 or y.base is None else y.copy()


@lru_cache(maxsize=4096)
def by_products(subscripts: str) -> bool:
    """True if matrix products can do it: no index is shared by two operands and the output."""
    terms, output = letters_of(subscripts)
    return len(terms) > 2 or (len(terms) == 2 and not set(terms[0]) & set(terms[1]) & set(output))


@lru_cache(maxsize=4096)
def multiplications(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> int:
    """The number of multiplications without sharing."""
    sizes: dict[str, int] = {}
    for term, shape in zip(letters_of(subscripts)[0], shapes):
        for letter, n in zip(term, shape):
            sizes[letter] = max(n, sizes.get(letter, 1))
    return math.prod(sizes.values())


def einsum_transpose(i: int, g: AnyArray, y: AnyArray, *xs: AnyArray, subscripts: str) -> AnyArray:
    """The cotangent of operand i: `g` times the other operands, with the indices of operand i.

    An index of operand i alone was summed over, so the cotangent is constant along it. A repeated
    index counts as two, and entries off the diagonal are zero.
    """
    terms, output = letters_of(subscripts)
    target, pairs = single_letters(terms[i], subscripts)
    others = [(t, x) for j, (t, x) in enumerate(zip(terms, xs, strict=True)) if j != i]
    present = output + "".join(t for t, _ in others)
    found = "".join(c for c in target if c in present)
    names = ",".join([output, *(t for t, _ in others)])
    ct = einsum_op(g, *(x for _, x in others), subscripts=f"{names}->{found}")
    ct = broadcast_letters(ct, found, target, xs[i])
    for a, b in pairs:
        ct = masked(equal(along(xs[i], a), along(xs[i], b)), ct)
    return ct


def single_letters(term: str, subscripts: str) -> tuple[str, list[tuple[int, int]]]:
    """`term` with every letter once, and the pairs of axes of repeated letters."""
    spare = iter(c for c in LETTERS if c not in subscripts)
    first = [term.index(c) for c in term]
    letters = "".join(c if first[k] == k else next(spare) for k, c in enumerate(term))
    return letters, [(i, k) for k, i in enumerate(first) if i != k]


def broadcast_letters(ct: AnyArray, found: str, target: str, x: AnyArray) -> Operand:
    """`ct` with indices `found`, broadcast to the indices of `target`.

    Axes of size 1 that were broadcast in the products are broadcast here, too.
    """
    if missing := tuple(i for i, c in enumerate(target) if c not in found):
        ct = expand_dims(ct, axis=missing)
    shape = broadcast_shapes("einsum", [type_of(ct), type_of(x)])
    return ct if shape == shape_of(ct) else broadcast_to(ct, shape=shape)


def einsum_cotangents(wanted: Sequence[int], *args: Any, subscripts: str) -> list[AnyArray]:
    return [einsum_transpose(i, *args, subscripts=subscripts) for i in wanted]


def einsum_tangent(
    tangents: Mapping[int, Any], y: AnyArray, *xs: AnyArray, subscripts: str
) -> AnyArray:
    terms = [
        einsum_op(*xs[:i], t, *xs[i + 1 :], subscripts=subscripts) for i, t in tangents.items()
    ]
    return reduce(add, terms)


def einsum_batch(op: Op, xs: Arrays, batched: Flags, attrs: Attrs) -> AnyArray:
    terms, output = letters_of(attrs["subscripts"])
    letter = next(c for c in LETTERS if c not in attrs["subscripts"])
    terms = [letter + t if b else t for t, b in zip(terms, batched, strict=True)]
    return op(*xs, subscripts=f"{','.join(terms)}->{letter}{output}")


einsum_op = Op(
    "einsum", einsum_kernel, arity=None, infer=einsum_infer,
    flops=flops.einsum,
    vjp=JointVJP(einsum_cotangents), jvp=JointJVP(einsum_tangent), batch=einsum_batch,
    samples=cases(
        reals((2, 3), (3, 4), subscripts="ij,jk->ik"),
        reals((5, 2, 3), (5, 3), subscripts="bij,bj->bi"),
        reals((3, 3), subscripts="ii->"), reals((3, 3), subscripts="ii->i"),
        reals((2, 3), subscripts="ij->"), reals((2, 3), subscripts="ij->ji"),
        reals((3,), (4,), subscripts="i,j->ij"), reals((2, 3), (4,), subscripts="ij,k->i"),
        reals((2, 3), (3, 4), (4, 2), subscripts="ij,jk,kl->il"),
        reals((), (2,), subscripts=",i->i"),
        complexes((2, 3), (3, 2), subscripts="ij,jk->ik"),
        reals((0, 3), (3, 2), subscripts="ij,jk->ik"),
        reals((3, 1), (4,), subscripts="ij,j->i"), reals((3, 3, 2), (1,), subscripts="iij,i->j"),
    ),
    error_samples=[
        invalid((2, 3), (4, 2), subscripts="ij,jk->ik", says="'j' has the sizes 3 and 4"),
        invalid((2, 3), subscripts="i->i", says="does not name 2 axes"),
        invalid((2, 3), subscripts="ij->k", says="no operand has the index"),
    ],
    formula=lambda *xs, subscripts: by_matrices(xs, *letters_of(subscripts)),
    doc="Products summed over the indices that the output lacks.",
)


def einsum(subscripts: str, *xs: OperandLike) -> Any:
    """Products of the entries of `xs`, summed over indices, in the notation of `np.einsum`.

    Each letter is an index; those that the output lacks are summed over. Without `->` the output
    has the indices that occur once, in alphabetical order. An ellipsis stands for the remaining
    axes. Raises ShapeError where the subscripts do not fit the operands.

    >>> einsum("ij,j->i", np.ones((2, 3)), np.ones(3))
    array([3., 3.])
    """
    if not isinstance(subscripts, str):
        raise TypeError("einsum takes its subscripts first: einsum('ij,j->i', x, y)")
    full = explicit_subscripts(subscripts, tuple([len(shape_of(x)) for x in xs]))
    return einsum_op(*with_strong_dtypes(xs), subscripts=full)
