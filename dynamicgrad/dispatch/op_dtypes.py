"""PyTorch's type promotion for each op, and the dtypes that it refuses.

Most of it follows from the op: an elementwise op takes operands in their common dtype, or in the
default dtype if its kernel turns integers into floats. The rows of `torch_names` have the rest.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradops import OPS, DTypeError, NoKernelError, Op
from gradops.core.traits import Trait
from gradops.core.types import operand_types, result_dtype

from ..engine.handle import DOUBLE, REAL_NUMBERS, SINGLE, Handle
from ..names.torch_names import row_of
from .default_dtype import get_default_dtype
from .promotion import NUMBERS, category, common_dtype, dtype_of_number, python_number

Operands = Sequence[Any]
Promotion = Callable[[Op, Operands], Operands]
ANY = "biufc"
INT64 = np.dtype("int64")


def to_compute_dtypes(op: Op, args: Operands) -> Operands:
    """The operands of an op converted to the dtypes that PyTorch computes in."""
    bring, besides = RULES[op]
    if len(args) > 2 and not isinstance(args[0], Handle):
        besides = frozenset()
    return args if bring is None or are_floats(args, besides) else bring(op, args)


def are_floats(args: Operands, besides: frozenset[type] = frozenset()) -> bool:
    """True if all tensors are float32, or all are float64: the common case.

    Operands of the types `besides` do not count.
    """
    of: Any = None
    for a in args:
        if isinstance(a, Handle):
            if of is None:
                of = a.value.dtype
            elif a.value.dtype is not of:
                return False
        elif type(a) not in besides:
            return False
    return of is SINGLE or of is DOUBLE


def promote(op: Op, args: Operands) -> Operands:
    """Operands in their common dtype; integers in the default dtype for an op that gives floats."""
    args = [python_number(a) for a in args]
    common = common_dtype(args)
    require_kind(op, args, common)
    if common.kind in "biu" and makes_floats(op, common, len(args)):
        common = get_default_dtype()
    weak = gives_numbers_a_dtype(op, len(args))
    return [in_common(a, common, weak) for a in args]


def refuse_bools(op: Op, args: Operands) -> Operands:
    """Operands in their common dtype; raises DTypeError for booleans."""
    if any(type(a) is bool or getattr(a, "dtype", None) == np.bool_ for a in args):
        raise DTypeError(
            op, operand_types(args), "booleans cannot be subtracted",
            hint="use ~x, x ^ y or logical_not(x)",
            known_as="Subtraction, the `-` operator, with a bool tensor is not supported.",
        )  # fmt: skip
    return promote(op, args)


def promote_power(op: Op, args: Operands) -> Operands:
    """Operands of a power in their common dtype; refuses integers to negative powers."""
    if type(python_number(args[1])) is int and args[1] < 0 and common_dtype(args).kind in "iu":
        raise DTypeError(
            op, operand_types(args), f"the powers by {args[1]} are not integers",
            hint="convert the base to floats: x.float()",
            known_as="Integers to negative integer powers are not allowed.",
        )  # fmt: skip
    return promote(op, args)


def promote_choices(op: Op, args: Operands) -> Operands:
    """Operands in their common dtype, except for the first, which is a condition."""
    condition, *chosen = args
    return args if are_floats(chosen, REAL_NUMBERS) else [condition, *in_one_dtype(chosen)]


def in_one_dtype(args: Operands) -> list[Any]:
    """Operands converted to their common dtype."""
    if are_floats(args):
        return list(args)
    args = [python_number(a) for a in args]
    common = common_dtype(args)
    return [in_common(a, common) for a in args]


def require_same(op: Op, args: Operands) -> Operands:
    """Operands unchanged; raises DTypeError unless they have one dtype."""
    require_alike(op, require_first(op, args))
    return args


def converting(kinds: str, dtype: Callable[[], np.dtype]) -> Promotion:
    """The promotion of an operand to `dtype()`, if its own dtype is one of `kinds`."""
    return lambda op, args: [in_common(a, dtype()) if a.dtype.kind in kinds else a for a in args]


def require_first(op: Op, args: Operands) -> Operands:
    """Operands unchanged; the first must have a dtype that the op computes."""
    require_kind(op, args, args[0].dtype)
    return args


def require_each(op: Op, args: Operands) -> Operands:
    """Operands unchanged; each must have a dtype that the op computes."""
    for a in args:
        require_kind(op, args, dtype_of_number(a) if isinstance(a, NUMBERS) else a.dtype)
    return args


PROMOTIONS: dict[str, Promotion] = {
    "no bools": refuse_bools, "power": promote_power, "condition first": promote_choices,
    "to int64": converting("biu", lambda: INT64), "bools to int64": converting("b", lambda: INT64),
    "floats": converting("biu", get_default_dtype), "each": require_each, "same": require_same,
}  # fmt: skip
"""How ops bring their operands to a dtype, by the words of the table."""


def rule_of(op: Op) -> Promotion | None:
    """The promotion rule of an op; None if it takes its operands unchanged."""
    row = row_of(op.name)
    if row.promotion:
        return PROMOTIONS[row.promotion]
    if op.family == "joining":
        return lambda op, args: in_one_dtype(args)
    if Trait.ELEMENTWISE in op.traits and not op.params and Trait.VIEW not in op.traits:
        return promote
    return require_first if row.kinds else None


class Rules(dict[Op, tuple[Promotion | None, frozenset[type]]]):
    """The promotion rule of each op, and the types of numbers that floats may be combined with.

    They are found on first use.
    """

    def __missing__(self, op: Op) -> tuple[Promotion | None, frozenset[type]]:
        bring = rule_of(op)
        weak = bring is promote and gives_numbers_a_dtype(op, op.arity or 0)
        self[op] = rule = bring, REAL_NUMBERS if weak else frozenset()
        return rule


RULES = Rules()


@lru_cache(maxsize=1024)
def makes_floats(op: Op, dtype: np.dtype, count: int) -> bool:
    """True if an op gives floats for operands of an integer dtype."""
    try:
        return result_dtype(op.kernel, (dtype,) * count).kind == "f"
    except TypeError:
        return False


@lru_cache(maxsize=1024)
def gives_numbers_a_dtype(op: Op, count: int) -> bool:
    """True if the kernel treats Python numbers as having the dtype of the other operands.

    The first of three or more operands is not tried: it is a condition, or the one that is bounded.
    """
    if isinstance(op.kernel, np.ufunc) or count == 1:
        return True
    x, tried = np.ones(1, np.float32), range(count > 2, count)
    mixed = [[1.0 if j == i else x for j in range(count)] for i in tried]
    try:
        want = op.kernel(*[x] * count).dtype
        return all(op.kernel(*args).dtype == want for args in mixed)
    except Exception:  # the call itself will report what the kernel refuses
        return True


def in_common(a: Any, dtype: np.dtype, weak: bool = False) -> Any:
    """An operand converted to a dtype; a number stays one if the kernel converts it."""
    if not isinstance(a, NUMBERS):
        return a if a.dtype == dtype else OPS["astype"](a, dtype=dtype)
    if weak and dtype.kind in "fc" and category(dtype_of_number(a)) <= category(dtype):
        return a
    return np.array(a).astype(dtype)[()]  # which wraps integers around, as in PyTorch


def promote_with_factor(op: Op, name: str, x: Any, other: Any, alpha: Any) -> tuple[Any, Any]:
    """The operands of an op in their common dtype, the second times a factor, as in PyTorch."""
    x, other = to_compute_dtypes(op, (x, other))
    return x, other * factor_in(name, alpha, x.dtype)


def factor_in(op: object, factor: Any, dtype: np.dtype) -> Any:
    """A factor for tensors of a dtype; raises DTypeError if it would change the dtype."""
    if not isinstance(factor, NUMBERS) or factor is True:
        return factor
    if category(dtype_of_number(factor)) > max(category(dtype), 1):
        raise DTypeError(
            op, [factor, dtype], f"the factor {factor} would change the dtype {dtype}",
            known_as="For integral input tensors, argument alpha must not be a floating point"
            " number.",
        )  # fmt: skip
    return bool(factor) if dtype == np.bool_ else factor


def require_kind(op: object, args: Operands, dtype: np.dtype, kinds: str = "") -> None:
    """Raise NoKernelError for a dtype of a kind that an op does not compute."""
    kinds = kinds or row_of(str(op)).kinds or ANY
    if dtype.kind not in kinds:
        raise NoKernelError(
            op, operand_types(args), f"it is not computed for {dtype}",
            hint=floats_hint(op, args, kinds) if "f" in kinds and dtype.kind != "c" else None,
            known_as=f"not implemented for '{dtype}'",
        )  # fmt: skip


def require_alike(op: object, args: Operands) -> None:
    """Raise DTypeError for tensors of different dtypes, where PyTorch does not promote."""
    dtypes = [a.dtype for a in args if not isinstance(a, NUMBERS)]
    for other in dtypes[1:]:
        if other != dtypes[0]:
            raise DTypeError(
                op, operand_types(args), f"the dtypes {dtypes[0]} and {other} differ",
                hint=alike_hint(op, args),
                known_as=f"expected both to have the same dtype, but got {dtypes[0]} and {other}",
            )  # fmt: skip


ORDINALS = ("first operand", "second operand", "third operand", "fourth operand")
CASTS = {
    "float16": "half", "float32": "float", "float64": "double", "int32": "int", "int64": "long",
}  # fmt: skip
"""The methods of tensors that give a dtype."""


def name_of_operand(op: object, i: int, count: int) -> str:
    """The name of an operand in a message."""
    if names := row_of(str(op)).operands.split():
        return f"the {names[i]}"
    return "x" if count == 1 else f"the {(*ORDINALS, *['operand'] * count)[i]}"


def cast_hint(what: str, dtype: np.dtype) -> str:
    """How to convert a tensor or an array to a dtype."""
    method = f"{CASTS[dtype.name]}()" if dtype.name in CASTS else f"to(dg.{dtype})"
    return f"x.{method} makes {what} {dtype}; of an array, x.astype(np.{dtype})"


def floats_hint(op: object, args: Operands, kinds: str) -> str:
    """How to convert the operand whose dtype is refused to floats like the others."""
    given = [np.dtype(dtype_of_number(a) if isinstance(a, NUMBERS) else a.dtype) for a in args]
    dtype = next((t for t in given if t.kind == "f"), get_default_dtype())
    wrong = next((i for i, t in enumerate(given) if t.kind not in kinds), 0)
    return cast_hint(name_of_operand(op, wrong, len(args)), dtype)


def alike_hint(op: object, args: Operands) -> str:
    """Which operands differ in dtype, and how to convert the one of the lower category."""
    first, *rest = [(i, a.dtype) for i, a in enumerate(args) if not isinstance(a, NUMBERS)]
    other = next((i, dtype) for i, dtype in rest if dtype != first[1])
    names = {i: name_of_operand(op, i, len(args)) for i, _ in (first, other)}
    facts = f"{names[first[0]]} is {first[1]}, {names[other[0]]} {other[1]}"
    if category(other[1]) < category(first[1]):
        first, other = other, first
    return f"{facts}: {cast_hint(names[first[0]], other[1])}"
