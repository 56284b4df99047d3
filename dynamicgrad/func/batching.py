"""Batching as a transform of functions: `vmap`."""

import functools
from collections.abc import Sequence
from typing import Any

import gradops as ops
from gradops import Batched, TransformError
from gradops.core.levels import levels
from gradops.core.tree import children, flatten
from gradops.transforms.batching import batch, unbatch
from gradops.typing import Function

from ..engine.grad_mode import RANDOMNESS
from ..engine.handle import Handle, hold, on_face
from ..tracing.captured_writes import run_at
from .levels import as_part, release
from .structure import as_handle, for_caller, output, speaks_numpy

Axes = Sequence[int | None]
Dims = Any  # an int or None, or a tree of them that begins as the tree it is about
RANDOM = ("error", "same", "different")


def vmap(
    func: Function, in_dims: Dims = 0, out_dims: Dims = 0, randomness: str = "error", *,
    chunk_size: int | None = None,
) -> Function:  # fmt: skip
    """A function that applies `func` to each example of a batch, all at once.

    `in_dims` says which axis of each argument counts the examples, None for what they share: one
    for all, or a tuple with one each, or for a tree a tree of them. `out_dims` says where
    the results have that axis, None where it is to be left out. Inside, `func` sees one example.
    Random numbers are refused, or with `randomness="same"` shared by the examples. `chunk_size`
    limits how many examples are computed at a time. Raises TransformError.

    >>> dot = dg.vmap(lambda a, b: (a * b).sum(), in_dims=(0, None))
    >>> dot(dg.ones(3, 2), dg.tensor([1.0, 2.0]))
    tensor([3., 3., 3.])
    """
    name = getattr(func, "__name__", repr(func))
    require_options(randomness, chunk_size)

    @functools.wraps(func)
    def over_examples(*args: object, **kwargs: object) -> Any:
        call = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
        leaves, rebuild = flatten(args)
        dims = dims_of_inputs(in_dims, args, leaves, call)
        inputs = [x if d is None else as_handle(x) for x, d in zip(leaves, dims, strict=True)]

        def run(leaves: Sequence[object]) -> Any:
            return func(*rebuild(leaves), **kwargs)

        size = examples(inputs, dims)
        step = chunk_size or max(size, 1)
        results = []
        for start in range(0, max(size, 1), step):
            count = min(step, size - start)
            part = inputs if count == size else chunk(inputs, dims, start, count)
            results.append(batched_call(run, part, dims, out_dims, count, name, randomness))
        return for_caller(concatenate_chunks(results, out_dims, name), args, kwargs)

    return over_examples


def require_options(randomness: str, chunk_size: int | None) -> None:
    """Raise TransformError for invalid options."""
    if chunk_size is not None and chunk_size <= 0:
        raise TransformError(
            f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})"
        )
    if randomness not in RANDOM:
        raise TransformError(f"vmap: randomness is one of {RANDOM}, not {randomness!r}")


def batched_call(
    func: Function, inputs: Sequence[Any], dims: Axes, out_dims: Dims, size: int, name: str,
    randomness: str,
) -> Any:  # fmt: skip
    """The results of `func` for all examples, stacked."""
    level = next(levels)
    shells = [
        x if d is None else hold(type(x), batch(as_part(x), d % len(x.shape), level))
        for x, d in zip(inputs, dims, strict=True)
    ]
    token = RANDOMNESS.set((*RANDOMNESS.get(), (randomness, level, size)))
    try:
        returned = run_at(level, func, [shells])
    finally:
        RANDOMNESS.reset(token)
    leaves, rebuild = flatten(returned)
    where = dims_of_outputs(out_dims, returned, name)
    if not leaves:
        raise TransformError(f"{expected_of(name)}, got type {type(returned)}.")
    numbers = speaks_numpy(shells)
    outputs = [output(y, expected_of(name), numbers) for y in leaves]
    return rebuild([stack(y, d, size, level, name) for y, d in zip(outputs, where, strict=True)])


def dims_of_inputs(in_dims: Dims, args: Sequence[Any], leaves: Sequence[Any], call: str) -> Axes:
    """The axis of each leaf of the arguments."""
    if not args:
        raise TransformError(
            f"{call}: got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over"
            " a function with no inputs. The latter is unsupported."
        )
    if not isinstance(in_dims, int | tuple):
        raise TransformError(
            f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the"
            f" structure of inputs, got: {type(in_dims)}."
        )
    dims = broadcast_dims(in_dims, args)
    if dims is None:
        raise TransformError(
            f"{call}: in_dims is not compatible with the structure of `inputs`:"
            f" {len(args)} arguments.\n  hint: give a tuple with an entry for each argument; for an"
            " argument that is a tree, one entry or a tree of them"
        )
    for x, d in zip(leaves, dims, strict=True):
        if d is not None:
            require_axis(x, d, call)
    if all(d is None for d in dims):
        raise TransformError("vmap: Expected at least one Tensor to vmap over")
    return dims


def require_axis(x: Any, d: Any, call: str) -> None:
    """Raise TransformError unless `x` has the axis `d`."""
    if not isinstance(d, int):
        raise TransformError(f"{call}: Got in_dim={d!r} for an input, which is not an int or None")
    if not hasattr(x, "shape"):
        raise TransformError(
            f"{call}: Got in_dim={d} for an input but the input is of type {type(x)}. We cannot"
            " vmap over non-Tensor arguments, please use None as the respective in_dim"
        )
    n = len(x.shape)
    if not -n <= d < n:
        raise TransformError(
            f"{call}: Got in_dim={d} for some input, but that input is a Tensor of dimensionality"
            f" {n} so expected in_dim to satisfy -{n} <= in_dim < {n}."
        )


def broadcast_dims(dims: Dims, tree: object) -> list[int | None] | None:
    """An axis for each leaf of `tree`, from a tree that begins as it does; None if it does not."""
    axes: list[int | None] = []
    stack = [(dims, tree)]
    while stack:
        d, part = stack.pop()
        if d is None or isinstance(d, int):
            axes += [d] * len(flatten(part)[0])
            continue
        given, parts = children(d), children(part)
        if given is None or parts is None or type(d) is not type(part):
            return None
        if len(given[0]) != len(parts[0]) or (
            isinstance(d, dict) and isinstance(part, dict) and list(d) != list(part)
        ):
            return None
        stack += reversed(list(zip(given[0], parts[0], strict=True)))
    return axes


def examples(inputs: Sequence[Any], dims: Axes) -> int:
    """The number of examples; raises if the inputs disagree."""
    sizes = [int(x.shape[d]) for x, d in zip(inputs, dims, strict=True) if d is not None]
    if any(n != sizes[0] for n in sizes):
        raise TransformError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes"
            f" {sizes} for the mapped dimension"
        )
    return sizes[0]


def dims_of_outputs(out_dims: Dims, returned: object, name: str) -> list[int | None]:
    """The output axis of each leaf of the result."""
    where = broadcast_dims(out_dims, returned)
    if where is None:
        raise TransformError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the"
            " structure of `outputs`: it must be an int, None or a python collection of ints"
            " representing where in the outputs the vmapped dimension should appear."
        )
    return where


def expected_of(name: str) -> str:
    """The beginning of the error for a function that does not return tensors."""
    return f"vmap({name}, ...): `{name}` must only return Tensors"


def stack(y: Handle, d: int | None, size: int, level: float, name: str) -> Handle:
    """A result with its examples along axis `d`; an unbatched one is repeated."""
    mine = isinstance(y.value, Batched) and y.value.gradop_level == level
    if d is None:
        if mine:
            raise TransformError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return release(y)
    if not -len(y.shape) - 1 <= d <= len(y.shape):
        raise TransformError(
            f"vmap({name}, ..., out_dims={d}): Dimension out of range (expected to be in range of"
            f" [-{len(y.shape) + 1}, {len(y.shape)}], but got {d})"
        )
    found = unbatch(y.value if mine else as_part(y), d % (len(y.shape) + 1), size, level)
    return release(on_face(type(y), found))


def chunk(inputs: Sequence[Any], dims: Axes, start: int, count: int) -> list[Any]:
    """Some of the examples."""
    part = slice(start, start + count)
    axes = [None if d is None else d % len(x.shape) for x, d in zip(inputs, dims)]
    return [x if d is None else x[(*[slice(None)] * d, part)] for x, d in zip(inputs, axes)]


def concatenate_chunks(results: Sequence[object], out_dims: Dims, name: str) -> Any:
    """The results of several chunks as one."""
    if len(results) == 1:
        return results[0]
    where = dims_of_outputs(out_dims, results[0], name)
    columns = zip(*(flatten(r)[0] for r in results), strict=True)
    parts = [p[0] if d is None else ops.concatenate(p, axis=d) for p, d in zip(columns, where)]
    return flatten(results[0])[1](parts)
