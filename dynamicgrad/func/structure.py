"""The arguments and results of transforms: arguments by number, trees of tensors and arrays.

Note [Arrays in, arrays out]. A transform hands handles to the function it transforms: tensors for
tensors, and an `Array` for an array or a number, so that a NumPy function sees NumPy. Where its
caller gave no handle at all, the results are taken out of their handles again. One that still has a
history, since the function used a tensor that requires gradients, remains: nothing is detached in
silence.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gradops import TransformError
from gradops.core.tree import flatten, structure, tree_map

from ..engine.array import Array
from ..engine.handle import Handle, hold
from ..engine.tensor import Tensor

ArgNums = int | tuple[int, ...]
Function = Callable[..., Any]
NUMBERS = {float, int, bool, complex}


def has_handles(tree: object) -> bool:
    """True if a leaf is a handle."""
    if isinstance(tree, tuple) and any(isinstance(x, Handle) for x in tree):
        return True  # without looking into the others
    return any(isinstance(x, Handle) for x in flatten(tree)[0])


def as_handle(x: object) -> Handle:
    """An argument to be differentiated or batched: a tensor as it is, of an array an `Array`."""
    if isinstance(x, Handle):
        return x
    if type(x) in (float, int, bool):
        return hold(Array, np.asarray(x)[()])
    if isinstance(x, np.ndarray | np.generic) or hasattr(x, "gradop_level"):
        return hold(Array, x)
    raise TransformError(
        f"Thing passed to transform API must be Tensor, got {type(x)}"
        "\n  hint: arrays and numbers serve too; say with argnums or in_dims which arguments count"
    )


def for_caller(tree: object, as_handles: bool) -> Any:
    """Results for the caller. See Note [Arrays in, arrays out]."""
    return tree if as_handles else tree_map(bare, tree)


def bare(x: object) -> object:
    """The value of a tensor without history; anything else as it is."""
    return x.value if isinstance(x, Handle) and x.node is None else x


def speaks_numpy(handed: Iterable[object]) -> bool:
    """True if a function gets no tensor; then it may return numbers, as NumPy's do."""
    return not any(isinstance(x, Tensor) for x in handed)


def outputs_of(
    tree: object, call: str, numbers: bool
) -> tuple[list[Handle], Callable[[Iterable[Any]], Any]]:
    """The tensors that a function returned; raises for none, or for other leaves.

    With `numbers`, Python's are constants too.
    """
    leaves, rebuild = flatten(tree)
    if not leaves:
        raise TransformError(
            f"{call}: Expected f to be a function that has non-empty output (got output = {tree})"
            "\n  hint: does it end without a `return`?"
        )
    expected = f"{call}: expected f(*primals) to return only tensors"
    return [output(y, expected, numbers) for y in leaves], rebuild


def output(y: object, expected: str, numbers: bool) -> Handle:
    """A handle that a function returned; a plain array, which is a constant, becomes one."""
    if isinstance(y, Handle):
        return y
    if numbers and type(y) in NUMBERS:
        return hold(Array, np.asarray(y)[()])
    if isinstance(y, np.ndarray | np.generic) or hasattr(y, "gradop_level"):
        return hold(Array, y)
    raise TransformError(
        f"{expected}, got unsupported type {type(y)}\n  hint: return what operations on the"
        " arguments give, and not numbers or lists made of it"
    )


def split_aux(result: object, has_aux: bool, call: str) -> tuple[Any, Any]:
    """A function's output, and its auxiliary result if `has_aux`."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise TransformError(
            f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True,"
            f" got {type(result)}"
        )
    return result


def argument_text(func: Function, n: int) -> str:
    """Which argument one by number is, by its name where the function has names."""
    try:
        names = [*inspect.signature(func).parameters]
    except (TypeError, ValueError):  # of a function in C
        names = []
    return f"argument {n} of the function" + (f", {names[n]}" if n < len(names) else "")


def arguments_at(args: Sequence[object], argnums: ArgNums) -> tuple[Any, ...]:
    """The arguments that a transform is about."""
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    if not numbers:
        raise TransformError("argnums must be non-empty")
    for n in numbers:
        if not isinstance(n, int):
            raise TransformError(
                f"argnums must be int or Tuple[int, ...], got: {type(argnums)}"
                "\n  hint: the arguments of the function come in a second call, as grad(f)(x)"
            )
        if not -len(args) <= n < len(args):
            raise TransformError(f"Got argnum={n}, but only {len(args)} positional inputs")
    if len({n % len(args) for n in numbers}) < len(numbers):
        raise TransformError(f"argnums elements must be unique, got {argnums}")
    return tuple(args[n] for n in numbers)


def with_arguments_at(args: Sequence[object], argnums: ArgNums, new: Sequence[object]) -> list[Any]:
    """The arguments with others in place of those chosen."""
    found = list(args)
    for n, x in zip(argnums if isinstance(argnums, tuple) else (argnums,), new, strict=True):
        found[n] = x
    return found


def like_argnums(results: tuple[Any, ...], argnums: ArgNums) -> Any:
    """One result for one number, a tuple for a tuple of numbers."""
    return results if isinstance(argnums, tuple) else results[0]


def same_structure(a: object, b: object) -> bool:
    """True if two trees differ in their leaves at most."""
    return bool(structure(a) == structure(b))


def structure_text(tree: object) -> str:
    """The structure of a tree, with `*` for its leaves."""
    return repr(tree_map(lambda _: Star(), tree))


class Star:
    """Placeholder of a leaf in the text of a structure."""

    def __repr__(self) -> str:
        return "*"
