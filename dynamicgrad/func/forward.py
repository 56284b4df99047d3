"""Forward mode as transforms of functions: `jvp` and `linearize`.

A tensor that holds a `Dual` carries a tangent along; what the dual is made of are arrays, or
tensors where these have a history, so a tangent can be differentiated backwards.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradops import Dual, NotDifferentiableError, TransformError, astype
from gradops.core.levels import levels
from gradops.core.tree import flatten, tree_map
from gradops.core.types import is_inexact
from gradops.typing import Function

from ..engine.grad_mode import is_recording
from ..engine.handle import Face, Handle, hold, on_face
from ..engine.leaf import GIVE_FLOATS
from ..tracing.captured_writes import run_at
from .levels import Handles, as_part, has_history, lift, release
from .recording import gradients
from .reverse import ForwardRun
from .structure import as_handle, for_caller, handles_like, outputs_of, split_aux


def jvp(
    func: Function, primals: tuple[Any, ...], tangents: tuple[Any, ...], *, strict: bool = False,
    has_aux: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """The value of `func` at `primals`, and its derivative there in the direction `tangents`.

    Both are tuples of the function's arguments, which are tensors or arrays of floats or trees of
    such, and agree in structure and shapes. An output that does not depend on the primals has a
    tangent of zeros, or is an error if `strict`. With `has_aux`, `func` returns (output, aux), and
    aux comes as a third result. Raises TransformError.

    >>> x = dg.tensor([0.0, 1.0])
    >>> dg.func.jvp(dg.sin, (x,), (dg.ones(2),))
    (tensor([0.0000, 0.8415]), tensor([1.0000, 0.5403]))
    """
    call = "jvp(f, primals, tangents)"
    leaves, directions = pair(primals, tangents, call)
    level = next(levels)
    rebuild_primals = flatten(primals)[1]
    shells = [dual(x, t, level) for x, t in zip(leaves, directions, strict=True)]
    value, aux = split_aux(quietly(level, func, rebuild_primals(shells)), has_aux, call)
    outputs, rebuild = outputs_of(value, call, shells)
    found = [parts(y, level) for y in outputs]
    if strict and any(t is None for _, t in found):
        raise TransformError(
            f"{call[:-1]}, strict=True): The output of f is independent of the inputs. This is not"
            " allowed with strict=True."
        )
    primal = rebuild([y for y, _ in found])
    results: tuple[Any, ...] = primal, rebuild([zeros(y) if t is None else t for y, t in found])
    if has_aux:
        primal_of = lambda x: parts(x, level)[0] if isinstance(x, Handle) else x
        results = *results, tree_map(primal_of, aux)
    return for_caller(results, primals, tangents)


def quietly(level: float, func: Function, args: Sequence[object]) -> Any:
    """The result of `func` for arguments with tangents, without NumPy's warnings."""
    with np.errstate(all="ignore"):
        return run_at(level, func, args)


def dual_parts(
    func: Function, primals: Handles, tangents: Handles
) -> tuple[Any, list[Handle | None]]:
    """The output of `func`, and the tangents of its tensors; None where it has none."""
    level = next(levels)
    shells = [dual(x, t, level) for x, t in zip(primals, tangents, strict=True)]
    leaves, rebuild = flatten(quietly(level, func, shells))
    found = [parts(y, level) if isinstance(y, Handle) else (y, None) for y in leaves]
    return rebuild([y for y, _ in found]), [t for _, t in found]


def pair(primals: object, tangents: object, call: str) -> tuple[list[Handle], list[Handle]]:
    """Primals and tangents as tensors that fit each other."""
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple):
            raise TransformError(
                f"{call}: Expected {name} to be a tuple. E.g. it should be valid to call"
                f" f(*{name}); got {type(given)}."
            )
    leaves = handles_like(
        primals, tangents,
        f"{call}: Expected primals and tangents to have the same python structure. For example, if"
        " primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {}"
        " and tangents with structure {}",
    )  # fmt: skip
    directions = [as_handle(t) for t in flatten(tangents)[0]]
    if not leaves:
        raise TransformError(f"{call}: Expected primals to contain at least one Tensor.")
    for x, t in zip(leaves, directions, strict=True):
        require_pair(x, t)
    return leaves, directions


def require_pair(primal: Handle, tangent: Handle) -> None:
    """Refuse a primal without derivative, and a tangent of another shape."""
    for name, t in (("primal", primal), ("tangent", tangent)):
        if not is_inexact(t.dtype):
            raise NotDifferentiableError(
                f"Expected {name} to be floating point or complex, but got: {t.type}"
                f"\n  hint: {GIVE_FLOATS}"
            )
    if primal.shape != tangent.shape:
        raise TransformError(
            "Trying to set a forward gradient that has a different size than that of the original"
            f" Tensor, this is not supported. Tensor is of size {primal.shape} while the given"
            f" forward gradient is of size {tangent.shape}."
        )


def dual(x: Face, tangent: Handle, level: float) -> Face:
    """A dual tensor of the values of `x` and a tangent."""
    if tangent.dtype != x.dtype:
        tangent = astype(tangent, dtype=x.dtype)
    found = hold(type(x), Dual(as_part(x), as_part(tangent), level))
    found.storage = x.storage
    return found


def parts(y: Face, level: float) -> tuple[Face, Face | None]:
    """The primal of an output, and its tangent if it has one."""
    value = y.value
    if not isinstance(value, Dual) or value.gradop_level != level:
        return release(y), None
    face = type(y)
    return release(on_face(face, value.primal)), release(on_face(face, value.tangent))


def zeros(y: Handle) -> Handle:
    """Zeros like `y`: the tangent of a constant."""
    return hold(type(y), np.zeros(y.shape, y.dtype))


def linearize(func: Function, *primals: object) -> tuple[Any, Callable[..., Any]]:
    """The value of `func` at `primals`, and its derivative there as a function of tangents.

    `func` runs once, however often the derivative is used. Tangents have the structure and the
    shapes of the primals. `jvp` is less work for a single direction.

    >>> y, push = dg.func.linearize(dg.sin, dg.tensor([0.0, 1.0]))
    >>> push(dg.ones(2))
    tensor([1.0000, 0.5403])
    """
    run = ForwardRun(func, primals, has_aux=False, lifted=True)
    record = run.record
    outputs = [y for y in run.outputs if is_inexact(y.dtype)]
    ones = [hold(type(y), np.ones(y.shape, y.dtype)) for y in outputs]
    weights = [
        record.vertex(lift(t, record.level, record.run) if record.level else t) for t in ones
    ]
    with record.running():  # the way back is linear in them, and its own way back is the way on
        pulled = gradients(outputs, record.vertices, weights, True, True)

    def push(*tangents: object) -> Any:
        directions = directions_like(primals, tangents)
        create = bool(is_recording()) and (run.records or any(map(has_history, directions)))
        found = gradients(pulled, weights, directions, True, create, linear=not run.leads_out)
        given = iter(record.settle(found))
        filled = [next(given) if is_inexact(y.dtype) else zeros(y) for y in run.outputs]
        return for_caller(run.rebuild(filled), primals, tangents)

    return for_caller(run.results()[0], primals), push


def directions_like(primals: object, tangents: object) -> Handles:
    """The tangents as tensors, of the structure and shapes of the primals."""
    directions = handles_like(
        tangents, primals,
        "Expected the tangents {} to have the same argspec as the primals {}",
    )  # fmt: skip
    for i, (t, x) in enumerate(zip(directions, flatten(primals)[0], strict=True)):
        if t.shape != as_handle(x).shape:
            raise TransformError(
                f"tangent:{i} with shape {t.shape} in flattened pytree doesn't match the shape"
                f" {as_handle(x).shape} of the corresponding primal."
            )
    return directions
