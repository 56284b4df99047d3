"""NumPy's ufuncs and their methods on tensors, expressions and their like."""

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..core.op import OPS, Op
from ..core.types import result_dtype, shape_of, type_of
from ..typing import AnyArray, Attrs, DTypeLike, Operand, OperandLike
from .missing import reason_for
from .refusals import UNSET, cast, refusal, write_result
from .signatures import function_for, function_of_name

REDUCTIONS: Mapping[np.ufunc, Any] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
    np.logical_and: np.all, np.logical_or: np.any,
}  # fmt: skip
ACCUMULATIONS: Mapping[np.ufunc, Any] = {np.add: np.cumsum, np.multiply: np.cumprod}


def apply_ufunc(ufunc: np.ufunc, method: str, args: tuple[object, ...], kwargs: Attrs) -> Any:
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
    return write_result(call, target, METHODS[method](ufunc, call, *args, **kwargs), where)


def title(ufunc: np.ufunc) -> str:
    """The full name of a ufunc of NumPy or SciPy; the bare name of any other."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc or "<" in name:
        return f"numpy.{name}"
    special = sys.modules.get("scipy.special")
    return f"scipy.special.{name}" if hasattr(special, name) else name


def call_ufunc(ufunc: np.ufunc, call: str, *args: Any, **kwargs: Any) -> Any:
    """`ufunc(*args)`, computed in `dtype` if one is given."""
    op = op_for(ufunc)
    dtype, casting = kwargs.pop("dtype", None), kwargs.pop("casting", "same_kind")
    kwargs.pop("order", None), kwargs.pop("subok", None)
    if dtype is not None:
        args = cast_to_loop(ufunc, call, args, np.dtype(dtype), casting)
    if kwargs and isinstance(op, Op) and kwargs.keys() > op.params.keys():
        name = next(iter(kwargs))
        reason = f"tensors and expressions do not take {name}="
        raise refusal(f"{call}(..., {name}=...)", reason, f"leave {name}= away")
    return op(*args, **kwargs)


def cast_to_loop(
    ufunc: np.ufunc, call: str, args: Sequence[object], dtype: np.dtype, casting: Any
) -> tuple[object, ...]:
    """Operands cast to the dtypes of the ufunc's loop with results of `dtype`."""
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


def reduce_ufunc(
    ufunc: np.ufunc, call: str, x: AnyArray, axis: int | None = 0, dtype: DTypeLike = None,
    keepdims: bool = False, initial: OperandLike = UNSET, where: OperandLike = True,
) -> Any:  # fmt: skip
    """`ufunc.reduce`, by default along the first axis."""
    given = {"dtype": dtype, "initial": initial, "where": where}
    if same := REDUCTIONS.get(ufunc):
        given = {k: v for k, v in given.items() if not (v is None or v is UNSET or v is True)}
        return function_for(same)(x, axis=axis, keepdims=keepdims, **given)
    if initial is not UNSET or where is not True or not isinstance(axis, int) or dtype is not None:
        raise refusal(call, "it takes one axis and no other keyword", "reshape or cast first")
    total = functools.reduce(op_for(ufunc), entries(call, x, axis))
    return OPS["expand_dims"](total, axis=axis) if keepdims else total


def accumulate_ufunc(
    ufunc: np.ufunc, call: str, x: AnyArray, axis: int = 0, dtype: DTypeLike = None
) -> AnyArray:  # fmt: skip
    """`ufunc.accumulate`, by default along the first axis."""
    if same := ACCUMULATIONS.get(ufunc):
        return function_for(same)(x, axis=axis, dtype=dtype)
    x = x if dtype is None else OPS["astype"](x, dtype=dtype)
    op = op_for(ufunc)
    found: list[Any] = []
    for entry in entries(call, x, axis):
        found.append(op(found[-1], entry) if found else entry)
    return OPS["stack"](*found, axis=axis)


def entries(call: str, x: AnyArray, axis: int) -> list[object]:
    """The slices of `x` along an axis; refuses an axis of unknown or zero size."""
    rank, size = len(shape_of(x)), shape_of(x)[axis]
    if not isinstance(size, int) or not size:
        raise refusal(call, f"the size {size} of axis {axis} is not known or zero", "give a size")
    whole = (slice(None),) * (axis % rank)
    from ..library.index.indexing import index

    return [index(x, (*whole, i)) for i in range(size)]


def outer(ufunc: np.ufunc, call: str, a: Operand, b: Operand, dtype: DTypeLike = None) -> AnyArray:
    """`ufunc.outer`: every entry of `a` with every entry of `b`."""
    column = (*shape_of(a), *(1 for _ in shape_of(b)))
    return call_ufunc(ufunc, call, OPS["reshape"](a, shape=column), b, dtype=dtype)


METHODS: dict[str, Callable[..., Any]] = {
    "__call__": call_ufunc, "reduce": reduce_ufunc, "accumulate": accumulate_ufunc, "outer": outer,
}  # fmt: skip


def op_for(ufunc: np.ufunc) -> Callable[..., Any]:
    """The op or function equivalent to a ufunc. Raises NumPyCallError if there is none."""
    found = ops_by_ufunc(len(OPS)).get(ufunc) or namesake(ufunc)
    if found is None:
        raise refusal(title(ufunc), *reason_for("", ufunc.__name__))
    return found


@cache
def ops_by_ufunc(count: int) -> dict[np.ufunc, Any]:
    """Our op or function for each ufunc; `count`, the number of ops, keys the cache."""
    found: dict[np.ufunc, Any] = {
        op.kernel: op
        for op in reversed(OPS.values())  # so that no op of a user takes the place of ours
        if isinstance(op.kernel, np.ufunc)
    }
    return found | {
        np.matmul: OPS["matmul"], np.divmod: quotient_and_remainder, np.modf: parts,
        np.rint: in_dtype_of(np.rint, OPS["round"]), np.fabs: in_dtype_of(np.fabs, OPS["abs"]),
        np.positive: in_dtype_of(np.positive, OPS["copy"]),
    }  # fmt: skip


@cache
def namesake(ufunc: np.ufunc) -> Any:
    """Our function with a ufunc's name: in `gradops`, or in `gradops.special` for SciPy's."""
    from .. import special

    name = ufunc.__name__
    if getattr(np, name, None) is ufunc:
        return function_of_name(name)
    return getattr(special, name) if name in special.__all__ else None


def quotient_and_remainder(a: object, b: object) -> tuple[AnyArray, AnyArray]:
    """The quotient rounded down, and the remainder."""
    return OPS["floor_divide"](a, b), OPS["remainder"](a, b)


def parts(x: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The fractional and the integral part, as `np.modf` gives them."""
    whole = OPS["trunc"](x)
    return x - whole, whole


def in_dtype_of(ufunc: np.ufunc, op: Op) -> Callable[[Any], Any]:
    """An op with the operand and result dtypes of `ufunc`."""

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
