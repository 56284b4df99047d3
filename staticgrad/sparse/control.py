"""Loops, branches, calls and lists: step by step where the number of steps is known."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ..ir.expr import Expr
from .propagation import Propagation, Uniform, Value

STEPS = 1000  # of loops that are followed one by one; of longer ones, all steps are alike


def unknown(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """The value of which only the operands are known."""
    return p.filled(e.type, p.total(given))


def part(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """One of several results."""
    (values,) = given
    return values[e.attrs["index"]] if isinstance(values, list) else unknown(p, e, given)


def call(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """A function of a graph, applied."""
    return p.outputs(e.attrs["function"], given)


def case(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """One of several branches: what any of them depends on."""
    first, *more = (p.outputs(branch, given[1:]) for branch in e.attrs["branches"])
    for each in more:
        first = p.union(first, each)
    return first


def loop(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """A loop over lists, step by step; another one until nothing changes any more."""
    carries, lists, reverse = (e.attrs[k] for k in ("carries", "lists", "reverse"))
    state, steps = list(given[:carries]), given[carries : carries + lists]
    shared, body = given[carries + lists :], e.attrs["body"]
    found = [entries(x, v) for x, v in zip(e.inputs[carries:], steps, strict=False)]
    columns = [c for c in found if c is not None and len(c) <= STEPS]
    if not columns or len(columns) < len(found):
        return until_steady(p, e, state, steps, shared)
    kept: list[list[Value]] = []
    order = range(len(columns[0]))
    for k in reversed(order) if reverse else order:
        results = p.outputs(body, [*state, *[c[k] for c in columns], *shared])
        state = results[:carries]
        kept.append(results[carries:])
    kept = kept[::-1] if reverse else kept
    return [*state, *(list(values) for values in zip(*kept, strict=True))]


def entries(x: Expr, value: Value) -> list[Value] | None:
    """The entries of a list or of an array along its first axis; None if these are not known."""
    if isinstance(value, np.ndarray):
        return list(value.reshape(int(x.shape[0]), -1))
    return value if isinstance(value, list) else None


def until_steady(
    p: Propagation, e: Expr, state: list[Value], steps: Sequence[Value], shared: Sequence[Value]
) -> Value:
    """The result of a loop whose steps are all alike: the state holds what any step may add."""
    body, carries = e.attrs["body"], len(state)
    every = [
        p.filled(x.type, p.total([v])) for x, v in zip(body.inputs[carries:], steps, strict=False)
    ]
    before: list[Any] | None = None
    while before is None or signature(p, state) != before:
        before = signature(p, state)
        results = p.outputs(body, [*state, *every, *shared])
        state = [p.union(a, b) for a, b in zip(state, results, strict=False)]
    others = [p.total([v]) for v in results[carries:]]
    types = e.type.parts[carries:]  # type: ignore[attr-defined]
    return [*state, *(p.filled(t, id) for t, id in zip(types, others, strict=True))]


def signature(p: Propagation, state: Sequence[Value]) -> list[Any]:
    """The numbers of entries that the sets of a state have: they grow until nothing is added."""
    sizes = []
    for v in state:
        ids = np.atleast_1d(v.id) if isinstance(v, Uniform) else np.ravel(np.asarray(v))
        sizes.append(np.diff(p.sets.rows(ids.astype(np.int64)).indptr).tolist())
    return sizes


def pack(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """Several values as one."""
    return list(given)


def unpack(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """One of several values."""
    return list_entry(p, e, given)


def stacked(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """A list as an array."""
    (values,) = given
    plain = isinstance(values, list) and all(isinstance(v, np.ndarray) for v in values)
    if not plain:
        return unknown(p, e, given)
    return np.concatenate([np.ravel(v) for v in values]) if values else np.zeros(0, np.int64)


def unstacked(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """An array as a list."""
    found = entries(e.inputs[0], given[0])
    return unknown(p, e, given) if found is None else found


def list_entry(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """The entry of a list at a place."""
    values = given[0]
    return values[e.attrs["index"]] if isinstance(values, list) else unknown(p, e, given)


def list_slice(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """Some of the entries of a list."""
    values, (start, stop, step) = given[0], (e.attrs[k] for k in ("start", "stop", "step"))
    if isinstance(values, list):
        return values[start:stop:step]
    return unknown(p, e, given)


def retyped(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """The value itself."""
    return given[0]


def summed(p: Propagation, e: Expr, given: Sequence[Value]) -> Value:
    """The sums of two lists, entry by entry."""
    return p.union(*given)


RULES: Mapping[str, Callable[[Propagation, Expr, Sequence[Value]], Value]] = MappingProxyType({
    "part": part, "call": call, "case": case, "loop": loop, "stacked": stacked,
    "unstacked": unstacked, "list_entry": list_entry, "list_slice": list_slice,
    "retyped": retyped, "summed": summed, "pack": pack, "unpack": unpack,
})  # fmt: skip
"""The rules of ops that have graphs or lists, by their names."""
