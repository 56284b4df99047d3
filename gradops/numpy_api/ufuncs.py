"""NumPy's ufuncs and their methods on tensors, expressions and their like."""

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..core.op import OPS, Op
from ..core.types import result_dtype, shape_of, type_of
from ..typing import AnyArray, DTypeLike, OperandLike
from .missing import reason_for
from .refusals import refusal, written
from .signatures import UNSET, function_for, offered

REDUCTIONS: Mapping[np.ufunc, Any] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
    np.logical_and: np.all, np.logical_or: np.any,
}  # fmt: skip
ACCUMULATIONS: Mapping[np.ufunc, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def apply_ufunc(
    ufunc: np.ufunc, method: str, args: tuple[object, ...], kwargs: dict[str, Any]
) -> Any:
    """The value of `ufunc.method(*args, **kwargs)` for operands that are not plain arrays."""
    call = title(ufunc) + ("" if method == "__call__" else f".{method}")
    if method not in METHODS:
        hint = "index_add and scatter_add of gradops add at indices; reduceat is sums of slices"
        raise refusal(call, "this method of a ufunc is not here", hint)
    out = kwargs.pop("out", None)
    where = kwargs.pop("where", True) if method == "__call__" else True
    if out is None:
        if where is not True:
            hint = "choose with np.where(mask, value, other)"
            raise refusal(f"{call}(..., where=...)", "without out= it leaves entries unset", hint)
        return METHODS[method](ufunc, call, *args, **kwargs)
    (target,) = out if len(out) == 1 else (None,)
    return written(call, target, METHODS[method](ufunc, call, *args, **kwargs), where)


def title(ufunc: np.ufunc) -> str:
    """How the user knows a ufunc: by NumPy's name, SciPy's, or as one that was made by hand."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc or "<" in name:
        return f"numpy.{name}"
    special = sys.modules.get("scipy.special")
    return f"scipy.special.{name}" if hasattr(special, name) else name


def called(ufunc: np.ufunc, call: str, *args: Any, **kwargs: Any) -> Any:
    """`ufunc(*args)`, computed in another dtype if one is given."""
    op = op_for(ufunc)
    dtype, casting = kwargs.pop("dtype", None), kwargs.pop("casting", "same_kind")
    kwargs.pop("order", None), kwargs.pop("subok", None)
    if dtype is not None:
        args = in_loop(ufunc, call, args, np.dtype(dtype), casting)
    if kwargs and isinstance(op, Op) and kwargs.keys() > op.params.keys():
        name = next(iter(kwargs))
        reason = f"tensors and expressions do not take {name}="
        raise refusal(f"{call}(..., {name}=...)", reason, f"leave {name}= away")
    return op(*args, **kwargs)


def in_loop(
    ufunc: np.ufunc, call: str, args: Sequence[object], dtype: np.dtype, casting: Any
) -> tuple[object, ...]:
    """Operands in the dtypes of the loop of a ufunc that gives results of a dtype."""
    given = [type(x) if type(x) in (int, float, complex) else type_of(x).dtype for x in args]
    signature = (*(None for _ in args), *(dtype,) * ufunc.nout)
    try:
        loop = ufunc.resolve_dtypes(
            (*given, *(None,) * ufunc.nout), signature=signature, casting=casting
        )
    except TypeError as error:
        shown = ", ".join(np.dtype(t).name for t in given)
        reason = f"it gives no {dtype} of {shown} with {casting=}"
        raise refusal(f"{call}(..., dtype={dtype})", reason, "cast with .astype") from error
    return tuple([cast(call, x, t, casting) for x, t in zip(args, loop, strict=False)])


def cast(call: str, x: object, dtype: np.dtype, casting: Any) -> Any:
    """An operand in the dtype that a ufunc was told to compute in."""
    if type(x) in (bool, int, float, complex):  # NumPy's own numbers have a dtype
        return x
    if not np.can_cast(type_of(x).dtype, dtype, casting):
        reason = f"an operand of {type_of(x).dtype} is not cast to {dtype} with {casting=}"
        raise refusal(f"{call}(..., dtype={dtype})", reason, "cast it with .astype(dtype)")
    return OPS["astype"](x, dtype=dtype)


def reduced(
    ufunc: np.ufunc,
    call: str,
    x: AnyArray,
    axis: int | None = 0,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    initial: OperandLike = UNSET,
    where: OperandLike = True,
) -> Any:
    """`ufunc.reduce`, along the first axis unless told otherwise."""
    given = {"dtype": dtype, "initial": initial, "where": where}
    if same := REDUCTIONS.get(ufunc):
        given = {k: v for k, v in given.items() if not (v is None or v is UNSET or v is True)}
        return function_for(same)(x, axis=axis, keepdims=keepdims, **given)
    if initial is not UNSET or where is not True or not isinstance(axis, int) or dtype is not None:
        raise refusal(call, "it takes one axis and no other keyword", "reshape or cast first")
    total = functools.reduce(op_for(ufunc), entries(call, x, axis))
    return OPS["expand_dims"](total, axis=axis) if keepdims else total


def accumulated(
    ufunc: np.ufunc, call: str, x: AnyArray, axis: int = 0, dtype: DTypeLike | None = None
) -> AnyArray:  # fmt: skip
    """`ufunc.accumulate`, along the first axis unless told otherwise."""
    if same := ACCUMULATIONS.get(ufunc):
        return function_for(same)(x, axis=axis, dtype=dtype)
    x = x if dtype is None else OPS["astype"](x, dtype=dtype)
    op = op_for(ufunc)
    found: list[Any] = []
    for entry in entries(call, x, axis):
        found.append(op(found[-1], entry) if found else entry)
    return OPS["stack"](*found, axis=axis)


def entries(call: str, x: AnyArray, axis: int) -> list[object]:
    """The parts of `x` at each place along an axis, of which there must be some."""
    rank, size = len(shape_of(x)), shape_of(x)[axis]
    if not isinstance(size, int) or not size:
        raise refusal(call, f"the size {size} of axis {axis} is not known or zero", "give a size")
    whole = (slice(None),) * (axis % rank)
    from ..library.index.indexing import index

    return [index(x, (*whole, i)) for i in range(size)]


def outer(
    ufunc: np.ufunc, call: str, a: AnyArray, b: AnyArray, dtype: DTypeLike | None = None
) -> AnyArray:
    """`ufunc.outer`: every entry of `a` with every entry of `b`."""
    column = (*shape_of(a), *(1 for _ in shape_of(b)))
    return called(ufunc, call, OPS["reshape"](a, shape=column), b, dtype=dtype)


METHODS: dict[str, Callable[..., Any]] = {
    "__call__": called, "reduce": reduced, "accumulate": accumulated, "outer": outer,
}  # fmt: skip


def op_for(ufunc: np.ufunc) -> Callable[..., Any]:
    """The op or function that a ufunc is. Raises NumPyCallError."""
    found = known(len(OPS)).get(ufunc) or named(ufunc)
    if found is None:
        raise refusal(title(ufunc), *reason_for("", ufunc.__name__))
    return found


@cache
def known(count: int) -> dict[np.ufunc, Any]:
    """The op that each ufunc is the kernel of, when there are so many ops; and some by hand."""
    found: dict[np.ufunc, Any] = {
        op.kernel: op
        for op in reversed(OPS.values())  # so that no op of a user takes the place of ours
        if isinstance(op.kernel, np.ufunc)
    }
    return found | {
        np.matmul: OPS["matmul"], np.divmod: divided, np.modf: parts,
        np.rint: in_dtype_of(np.rint, OPS["round"]), np.fabs: in_dtype_of(np.fabs, OPS["abs"]),
        np.positive: in_dtype_of(np.positive, OPS["copy"]),
    }  # fmt: skip


@cache
def named(ufunc: np.ufunc) -> Any:
    """Our function of a ufunc's name: in `gradops`, or in `gradops.special` for SciPy's."""
    from .. import special

    name = ufunc.__name__
    if getattr(np, name, None) is ufunc:
        return offered(name)
    return getattr(special, name) if name in special.__all__ else None


def divided(a: object, b: object) -> tuple[AnyArray, AnyArray]:
    """The quotient rounded down, and what remains."""
    return OPS["floor_divide"](a, b), OPS["remainder"](a, b)


def parts(x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The fractional and the integral part, as `np.modf` gives them."""
    whole = OPS["trunc"](x)
    return x - whole, whole


def in_dtype_of(ufunc: np.ufunc, op: Op) -> Callable[[Any], Any]:
    """An op as a ufunc that is like it, but for the dtypes that it takes and gives."""

    def call(x: object) -> AnyArray:
        dtype = type_of(x).dtype
        try:
            found = result_dtype(ufunc, (dtype,))
        except TypeError as error:
            raise refusal(
                f"numpy.{ufunc.__name__}", f"it does not take {dtype}", "cast with .astype"
            ) from error
        return op(x if found == dtype else OPS["astype"](x, dtype=found))

    return call
