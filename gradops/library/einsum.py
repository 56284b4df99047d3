"""Products summed over indices, in Einstein's notation."""

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..op import ErrorSample, EveryOperand, Op
from ..samples import cases, real
from ..types import ArrayType, Size, shape_of, type_of
from .movement import broadcast_to, expand_dims

MANY = 3  # operands from which the order of the products is worth working out


def parts(subscripts: str) -> tuple[list[str], str]:
    """The letters of each operand, and those of the output."""
    left, right = subscripts.split("->")
    return left.split(","), right


def explicit(subscripts: str, ndims: Sequence[int]) -> str:
    """`subscripts` with ellipses spelled in letters and the output written out."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        raise ShapeError("einsum", [subscripts], f"it names {len(terms)} operands of {len(ndims)}")
    spare = [c for c in string.ascii_letters if c not in subscripts]
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
    terms, output = parts(subscripts)
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
                raise ShapeError("einsum", types, f"{letter!r} stands for {known} and for {n}")
    if unknown := [c for c in output if c not in sizes or output.count(c) > 1]:
        raise ShapeError("einsum", types, f"{unknown[0]!r} cannot be an index of the output")
    dtype = np.result_type(*(t.dtype for t in types))
    return ArrayType(tuple(sizes[c] for c in output), dtype)


def einsum_kernel(*xs: Any, subscripts: str) -> Any:
    """`np.einsum`, told to use matrix products where they pay."""
    return np.einsum(subscripts, *xs, optimize=len(xs) >= MANY or sum(map(np.size, xs)) > 4096)


def einsum_transpose(i: int, g: Any, y: Any, *xs: Any, subscripts: str) -> Any:
    """The cotangent of operand i: `g` times the other operands, in the indices of operand i.

    An index that stands twice in the operand gets a second letter and an identity matrix; one that
    no other operand and not the output has is summed over, so its cotangent is constant along it.
    """
    terms, output = parts(subscripts)
    target, identities = single(terms[i], subscripts)
    others = [(t, x) for j, (t, x) in enumerate(zip(terms, xs, strict=True)) if j != i]
    sizes = dict(zip(target, shape_of(xs[i]), strict=True))
    for pair in identities:
        others.append((pair, identity(sizes[pair[0]], xs)))
    present = output + "".join(t for t, _ in others)
    found = "".join(c for c in target if c in present)
    names = ",".join([output, *(t for t, _ in others)])
    ct = einsum_op(g, *(x for _, x in others), subscripts=f"{names}->{found}")
    return spread(ct, found, target, shape_of(xs[i]))


def identity(n: Size, xs: Sequence[Any]) -> Any:
    """The identity matrix of size n."""
    if not isinstance(n, int):
        types = list(map(type_of, xs))
        raise ShapeError("einsum", types, f"its derivative needs to know the repeated size {n}")
    return np.eye(n, dtype=type_of(xs[0]).dtype)


def single(term: str, subscripts: str) -> tuple[str, list[str]]:
    """`term` with every letter once, and the pairs of letters that stand for one index."""
    spare = iter(c for c in string.ascii_letters if c not in subscripts)
    letters, pairs = "", []
    for c in term:
        fresh = next(spare) if c in letters else c
        if fresh != c:
            pairs.append(c + fresh)
        letters += fresh
    return letters, pairs


def spread(ct: Any, found: str, target: str, shape: Sequence[Size]) -> Any:
    """`ct`, whose indices are `found`, with the missing indices of `target` as equal entries."""
    if found == target:
        return ct
    missing = tuple(i for i, c in enumerate(target) if c not in found)
    return broadcast_to(expand_dims(ct, axis=missing), shape=tuple(shape))


def einsum_tangent(i: int, t: Any, y: Any, *xs: Any, subscripts: str) -> Any:
    return einsum_op(*xs[:i], t, *xs[i + 1 :], subscripts=subscripts)


def einsum_batch(op: Op, xs: Any, batched: Sequence[bool], attrs: dict[str, Any]) -> Any:
    terms, output = parts(attrs["subscripts"])
    letter = next(c for c in string.ascii_letters if c not in attrs["subscripts"])
    terms = [letter + t if b else t for t, b in zip(terms, batched, strict=True)]
    return op(*xs, subscripts=f"{','.join(terms)}->{letter}{output}")


einsum_op = Op(
    "einsum", einsum_kernel, arity=None,
    infer=einsum_infer,
    vjp=EveryOperand(einsum_transpose),
    jvp=EveryOperand(einsum_tangent),
    batch=einsum_batch,
    source="einsum({operands}, subscripts={subscripts})",
    samples=cases(
        real((2, 3), (3, 4), subscripts="ij,jk->ik"),
        real((5, 2, 3), (5, 3), subscripts="bij,bj->bi"),
        real((3, 3), subscripts="ii->"), real((3, 3), subscripts="ii->i"),
        real((2, 3), subscripts="ij->"), real((2, 3), subscripts="ij->ji"),
        real((3,), (4,), subscripts="i,j->ij"), real((2, 3), (4,), subscripts="ij,k->i"),
        real((2, 3), (3, 4), (4, 2), subscripts="ij,jk,kl->il"), real((), (2,), subscripts=",i->i"),
    ),
    error_samples=[
        ErrorSample([np.ones((2, 3)), np.ones((4, 2))], {"subscripts": "ij,jk->ik"}, ShapeError,
                    "'j' stands for 3 and for 4"),
        ErrorSample([np.ones((2, 3))], {"subscripts": "i->i"}, ShapeError, "does not name 2 axes"),
        ErrorSample([np.ones((2, 3))], {"subscripts": "ij->k"}, ShapeError, "cannot be an index"),
    ],
    doc="Products of entries summed over the indices that the output does not have.",
)


def einsum(subscripts: str, *xs: Any) -> Any:
    """Products of the entries of `xs`, summed as `subscripts` say, in `np.einsum`'s notation.

    Ellipses stand for leading axes; without `->` the output has the indices that occur once.
    Raises ShapeError where the subscripts do not fit the operands.

    >>> einsum("ij,j->i", np.ones((2, 3)), np.ones(3))
    array([3., 3.])
    """
    full = explicit(subscripts, [len(shape_of(x)) for x in xs])
    return einsum_op(*xs, subscripts=full)
