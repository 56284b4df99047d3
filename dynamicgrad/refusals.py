"""The dtypes that PyTorch's functions refuse although they are made of ops that compute them.

Some have kernels for floats only, some take operands of one dtype only, and those that take
indices take them in int32 and int64. The tables name them; `refusing` adds the checks.
"""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradops import DTypeError
from gradops.types import operand_types

from .dtype_rules import require_alike, require_kind
from .handle import Handle
from .promotion import common_dtype

KINDS = {
    "f": "quantile nanquantile complex polar cdist frac elu selu celu leaky_relu mish hardsigmoid"
    " hardswish hardshrink softshrink logsigmoid glu layer_norm group_norm instance_norm batch_norm"
    " avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d"
    " kl_div binary_cross_entropy binary_cross_entropy_with_logits huber_loss smooth_l1_loss"
    " mse_loss histc prelu cross_entropy nll_loss gumbel_softmax rand_like randn_like"
    " scaled_dot_product_attention",
    "fc": "nanmean norm lerp cosine_similarity normalize vecdot rms_norm",
    "biuf": "isposinf isneginf sign aminmax unique mode nansum bucketize",
    "iuf": "argmax argmin median nanmedian kthvalue threshold isin hardtanh relu6",
    "iufc": "positive cov corrcoef trace cross addcmul trapezoid trapz",
    "iu": "bincount",
}
KINDS_OF = {name: kinds for kinds, names in KINDS.items() for name in names.split()}
ALIKE = frozenset(
    "lerp isclose allclose complex polar scatter scatter_add index_add index_put masked_scatter"
    " vdot inner tensordot cross prelu scaled_dot_product_attention vecdot".split()
)
APART = frozenset({"index", "indices", "mask", "condition", "target_of_labels"})
"""Arguments that are not among the operands of one dtype."""

OF_LABELS = frozenset({"cross_entropy", "nll_loss"})
INDEX_DTYPES = {"index": ("int32", "int64"), "indices": ("int64",)}
WITH_INDEX = frozenset(
    "gather index_select scatter scatter_add scatter_reduce index_add index_copy index_fill"
    " take_along_dim".split()
)


def refusing(functions: dict[str, Any]) -> dict[str, Any]:
    """Functions by names, those with a check that refuse dtypes as PyTorch's do."""
    return {name: checked(name.rstrip("_"), function) for name, function in functions.items()}


def checked(name: str, function: Any) -> Any:
    """A function that first checks the dtypes of its operands, if any are refused under its name."""
    kinds, same, indexed = KINDS_OF.get(name, ""), name in ALIKE, name in WITH_INDEX
    if not (kinds or same or indexed):
        return function
    names = [*inspect.signature(function).parameters]

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        given = [*zip(names, args, strict=False), *options.items()]
        if indexed:
            require_index(name, given)
        operands = [a for key, a in given if isinstance(a, Handle) and key not in APART]
        if name in OF_LABELS:
            operands = operands[:1]
        if same:
            require_alike(name, operands)
        if kinds and operands:
            require_kind(name, operands, common_dtype(operands), kinds)
        return function(*args, **options)

    return call


def require_index(name: str, given: Iterable[tuple[str, Any]]) -> None:
    """Refuse indices in another dtype than those that PyTorch takes."""
    for key, a in given:
        if key in INDEX_DTYPES and isinstance(a, Handle) and a.dtype not in INDEX_DTYPES[key]:
            raise DTypeError(
                name, operand_types([a]), f"indices are {' or '.join(INDEX_DTYPES[key])}",
                hint="x.long() makes int64", known_as="Expected dtype int32/int64 for index",
            )  # fmt: skip


