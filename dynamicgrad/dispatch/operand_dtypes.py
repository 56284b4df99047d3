"""The dtypes that PyTorch's functions take where they differ from those of the ops they consist of.

Some have kernels for floats only, some take operands of one dtype only or bring them to one first,
and those that take indices take them in int32 and int64. The tables name them.
"""

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import DTypeError
from gradops.core.types import operand_types

from ..engine.handle import DOUBLE, SINGLE, Handle
from .op_dtypes import in_one_dtype, require_alike, require_kind
from .promotion import common_dtype


def names_in(table: dict[str, str]) -> dict[str, str]:
    """The key of a table's row by each of the names in the row."""
    return {name: said for said, names in table.items() for name in names.split()}


KINDS = names_in({
    "f": "quantile nanquantile nanmean complex polar frac elu selu celu leaky_relu mish hardsigmoid"
    " hardswish hardshrink softshrink logsigmoid glu layer_norm group_norm instance_norm batch_norm"
    " avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d"
    " huber_loss smooth_l1_loss mse_loss histc prelu nll_loss gumbel_softmax"
    " rand_like randn_like scaled_dot_product_attention gaussian_nll_loss",
    "fc": "norm lerp cosine_similarity normalize vecdot rms_norm",
    "biuf": "isposinf isneginf sign aminmax unique mode nansum bucketize",
    "iuf": "argmax argmin median nanmedian kthvalue threshold hardtanh relu6",
    "iufc": "positive cov corrcoef trace addcmul trapezoid trapz",
})  # fmt: skip
"""The kinds of the common dtype that functions compute."""

EACH = names_in({
    "f": "cdist kl_div binary_cross_entropy", "iuf": "isin",
    "iufc": "cross",
})  # fmt: skip
"""The kinds of dtypes that each operand has to have."""

ALIKE = frozenset(
    {"lerp", "isclose", "allclose", "complex", "polar", "vdot", "inner", "tensordot", "cross"}
    | {"prelu", "vecdot", "scaled_dot_product_attention", "binary_cross_entropy"}
    | {"layer_norm", "group_norm", "batch_norm", "instance_norm"}
)
TOGETHER = frozenset({"mse_loss", "smooth_l1_loss", "cosine_similarity"})
"""Functions whose operands have one dtype, and those that bring them to one."""

SIGNED = ("int32", "int64")
INDICES = {
    "gather": ("index", SIGNED), "index_select": ("index", SIGNED), "scatter": ("index", SIGNED),
    "scatter_add": ("index", SIGNED), "scatter_reduce": ("index", SIGNED),
    "index_add": ("index", SIGNED), "index_copy": ("index", SIGNED),
    "index_fill": ("index", SIGNED), "embedding": ("input", SIGNED),
    "take_along_dim": ("indices", ("int64",)), "one_hot": ("labels", ("int64",)),
    "nll_loss": ("target", ("int64", "uint8")),
}  # fmt: skip
"""The argument of a function that holds indices, and the dtypes that it may have."""

INT64 = np.dtype("int64")
PLAIN = frozenset({bool, int, float, str, tuple, list, type(None)})
"""Types of arguments that are no operands."""

APART = frozenset({"index", "indices", "mask", "attn_mask", "condition"})


def with_dtypes_of_torch(functions: dict[str, Any]) -> dict[str, Any]:
    """Functions by names, those in the tables with what they say."""
    return {name: checked(name.rstrip("_"), function) for name, function in functions.items()}


def checked(name: str, function: Any) -> Any:
    """A function that first sees to the dtypes of its operands, if its name is in a table."""
    tables: Sequence[Any] = (KINDS, EACH, ALIKE, TOGETHER, INDICES)
    if not any(name in table for table in tables):
        return function
    names = [*inspect.signature(function).parameters]
    indices = INDICES[name][0] if name in INDICES else None
    at, apart = names.index(indices) if indices else None, APART | {indices}

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        if not options and are_usual(args, at):
            return function(*args)
        given = dict(zip(names, args, strict=False)) | options
        require_indices(name, given)
        operands = [a for key, a in given.items() if isinstance(a, Handle) and key not in apart]
        require_dtypes(name, operands)
        if name in TOGETHER and operands:
            args = (*in_one_dtype(args[:2]), *args[2:])
        return function(*args, **options)

    return call


def are_usual(args: tuple[Any, ...], at: int | None) -> bool:
    """Whether arguments are floats of one dtype, but for indices in int64, which all take."""
    of: Any = None
    for i, a in enumerate(args):
        if isinstance(a, Handle):
            dtype = a.value.dtype
            if i == at:
                if dtype is not INT64:
                    return False
            elif of is None:
                of = dtype
            elif dtype is not of:
                return False
        elif type(a) not in PLAIN or i == at:
            return False
    return of is SINGLE or of is DOUBLE


def require_dtypes(name: str, operands: Sequence[Any]) -> None:
    """Refuse operands of other dtypes than a function takes."""
    if not operands:
        return
    if name in KINDS:
        require_kind(name, operands, common_dtype(operands), KINDS[name])
    for a in operands if name in EACH else ():
        require_kind(name, operands, a.dtype, EACH[name])
    if name in ALIKE:
        require_alike(name, operands)


def require_indices(name: str, given: dict[str, Any]) -> None:
    """Refuse indices of another dtype than a function takes."""
    if name not in INDICES:
        return
    key, dtypes = INDICES[name]
    index = given.get(key)
    if isinstance(index, Handle) and index.dtype not in dtypes:
        raise DTypeError(
            name, operand_types([index]), f"indices have the dtype {' or '.join(dtypes)}",
            hint=f"x.long() makes the {key} int64; of an array, x.astype(np.int64)",
            known_as="Expected dtype int32/int64 for index",
        )  # fmt: skip
