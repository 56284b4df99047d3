"""The arguments and results of transforms: arguments by number, trees of tensors and arrays.

Note [Arrays in, arrays out]. A transform hands handles to the function it transforms: tensors for
tensors, and an `Array` for an array or a number, so that a NumPy function sees NumPy. Where its
caller gave no handle at all, the results are taken out of their handles again. One that still has a
history, since the function used a tensor that requires gradients, remains: nothing is detached in
silence.
"""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradops import NotDifferentiableError, TransformError
from gradops.core.tree import Rebuild, flatten, structure, tree_map
from gradops.core.types import is_inexact
from gradops.typing import Function

from ..engine.array import Array
from ..engine.handle import Handle, hold
from ..engine.leaf import GIVE_FLOATS, NEED_FLOATS
from ..engine.tensor import Tensor

ArgNums = int | tuple[int, ...]
REFUSED = list, tuple, dict, float, int, type(None)
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


def for_caller(tree: object, *inputs: object) -> Any:
    """Results for the caller who gave these inputs. See Note [Arrays in, arrays out]."""
    return tree if any(map(has_handles, inputs)) else tree_map(bare, tree)


def bare(x: object) -> object:
    """The value of a tensor without history; anything else as it is."""
    return x.value if isinstance(x, Handle) and x.node is None else x


def speaks_numpy(handed: Iterable[object]) -> bool:
    """True if a function gets no tensor; then it may return numbers, as NumPy's do."""
    return not any(isinstance(x, Tensor) for x in handed)


def outputs_of(tree: object, call: str, inputs: Iterable[object]) -> tuple[list[Handle], Rebuild]:
    """The tensors that a function returned for `inputs`; raises for none, or for other leaves.

    Given no tensor, Python's numbers are constants too.
    """
    leaves, rebuild = flatten(tree)
    if not leaves:
        raise TransformError(
            f"{call}: Expected f to be a function that has non-empty output (got output = {tree})"
            "\n  hint: does it end without a `return`?"
        )
    expected = f"{call}: expected f(*primals) to return only tensors"
    numbers = speaks_numpy(inputs)
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


def scalar(value: object, call: str, inputs: Iterable[object]) -> Handle:
    """The scalar that a function returned; given no tensor, a number or an array of one entry."""
    numbers = speaks_numpy(inputs)
    if type(value) in REFUSED and not (numbers and type(value) in NUMBERS):
        raise TransformError(
            f"{call}: Expected f(*args) to return a Tensor, got {type(value)}\n  hint: return what"
            " operations on the arguments give (float(), item(), functions of math and entries of"
            " NumPy's arrays are cut off from them); has_aux=True lets it return (output, aux)"
        )
    y = output(value, f"{call}: Expected f(*args) to return a Tensor", numbers)
    if y.shape and not (numbers and all(n == 1 for n in y.shape)):
        raise TransformError(
            f"{call}: Expected f(*args) to return a scalar Tensor, got tensor with"
            f" {len(y.shape)} dims, {y.type}.\n  hint: reduce it, as by .sum(); or maybe you wanted"
            " to use the vjp or jacrev APIs instead?"
        )
    return y


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


class Selection:
    """The arguments of a call by which a transform differentiates: `values`, at `numbers`."""

    def __init__(self, args: Sequence[object], argnums: ArgNums) -> None:
        self.args, self.argnums = args, argnums
        self.numbers = argnums if isinstance(argnums, tuple) else (argnums,)
        if not self.numbers:
            raise TransformError("argnums must be non-empty")
        for n in self.numbers:
            if not isinstance(n, int):
                raise TransformError(
                    f"argnums must be int or Tuple[int, ...], got: {type(argnums)}"
                    "\n  hint: the arguments of the function come in a second call, as grad(f)(x)"
                )
            if not -len(args) <= n < len(args):
                raise TransformError(f"Got argnum={n}, but only {len(args)} positional inputs")
        if len({n % len(args) for n in self.numbers}) < len(self.numbers):
            raise TransformError(f"argnums elements must be unique, got {argnums}")
        self.values = tuple(args[n] for n in self.numbers)

    def replace(self, new: Sequence[object]) -> list[Any]:
        """All arguments, with new values of those selected."""
        found = list(self.args)
        for n, x in zip(self.numbers, new, strict=True):
            found[n] = x
        return found

    def integer_error(self, func: Function, call: str) -> NotDifferentiableError:
        """The error that names the argument to differentiate by that is not of floats."""
        for n, value in zip(self.numbers, self.values):
            for x in map(as_handle, flatten(value)[0]):
                if not is_inexact(x.dtype):
                    where = argument_text(func, n % len(self.args))
                    return NotDifferentiableError(
                        f"{call}: {NEED_FLOATS} {x.dtype}, {where}\n  hint: {GIVE_FLOATS}"
                    )
        raise AssertionError("all arguments are of floats")

    def like_argnums(self, results: tuple[Any, ...]) -> Any:
        """One result for one number, a tuple for a tuple of numbers."""
        return results if isinstance(self.argnums, tuple) else results[0]


def argument_text(func: Function, n: int) -> str:
    """Which argument one by number is, by its name where the function has names."""
    try:
        names = [*inspect.signature(func).parameters]
    except (TypeError, ValueError):  # of a function in C
        names = []
    return f"argument {n} of the function" + (f", {names[n]}" if n < len(names) else "")


def handles_like(tree: object, like: object, error: str) -> list[Handle]:
    """The leaves of a tree as handles; raises `error` with both trees if `like` is another."""
    if structure(tree) != structure(like):
        raise TransformError(error.format(*(tree_map(lambda _: Star(), t) for t in (tree, like))))
    return [as_handle(x) for x in flatten(tree)[0]]


class Star:
    """Placeholder of a leaf in the text of a structure."""

    def __repr__(self) -> str:
        return "*"
