"""PyTorch's functions and methods: the ops with names in the table, and those written by hand."""

from collections.abc import Callable, Iterable
from typing import Any

import gradops as ops
from gradops import OPS

from .. import devices, special
from ..dispatch import promotion
from ..dispatch.division import DIVISIONS, refuse_zero
from ..dispatch.keywords import as_function, as_method, function_of, ops_named
from ..dispatch.operand_dtypes import check_all
from ..dispatch.wrapping import Functions, by_name
from ..dispatch.zero_dim import numbers_as_rows
from ..engine import leaf
from ..engine.backward import backward
from ..engine.handle import detach
from ..engine.tensor import Tensor
from ..hooks import tensor_hooks
from ..names.torch_names import TABLE, row_of
from ..ops import (
    assignment,
    conversion,
    creation,
    distributions,
    indexing,
    inplace,
    matrices,
    memory_layout,
    pointwise,
    rearrange,
    reductions,
    scatter,
    shapes,
    sorting,
)
from ..tracing import tracer_protocol


def backward_method(
    t: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    inputs: Any = None,
) -> None:  # fmt: skip
    """Add the gradients of this tensor to the `.grad` of the leaves; see `autograd.backward`."""
    backward(t, gradient, retain_graph, create_graph, inputs)


SHARED: Functions = {
    **pointwise.SHARED, **reductions.SHARED, **matrices.SHARED, **sorting.SHARED,
    "logit": special.logit, "mvlgamma": special.multigammaln, "detach": detach,
    **by_name(shapes.take_along_dim, shapes.broadcast_to),
}  # fmt: skip
"""Functions that are methods too."""

CONVERTING: Functions = {
    **pointwise.CONVERTING, **rearrange.CONVERTING, **reductions.CONVERTING, **scatter.CONVERTING,
    **memory_layout.CONVERTING,
    "moveaxis": numbers_as_rows(ops.moveaxis), "swapaxes": numbers_as_rows(ops.swapaxes),
    **by_name(
        conversion.clone, shapes.chunk, shapes.flatten, shapes.flip, shapes.gather,
        shapes.index_select, shapes.narrow, shapes.permute, shapes.ravel, shapes.reshape,
        shapes.select, shapes.split, shapes.squeeze, shapes.t, shapes.unbind,
    ),
}  # fmt: skip
"""Methods that are functions too, of anything that becomes a tensor."""

ONLY_FUNCTIONS: Functions = {
    **distributions.FUNCTIONS, **rearrange.FUNCTIONS, **sorting.FUNCTIONS, **matrices.FUNCTIONS,
    "polygamma": special.polygamma, "complex": function_of(ops.complex),
    **by_name(
        scatter.where, shapes.cat, shapes.stack, memory_layout.is_tensor, pointwise.cdist,
        pointwise.polar, promotion.result_type, promotion.promote_types, promotion.can_cast,
    ),
}  # fmt: skip
ONLY_METHODS: Functions = {
    **distributions.METHODS, **memory_layout.METHODS, **rearrange.METHODS, **conversion.CASTS,
    **tracer_protocol.METHODS,
    **by_name(
        shapes.view, shapes.view_as, shapes.reshape_as, shapes.expand, shapes.expand_as,
        shapes.contiguous, conversion.numpy, conversion.item, conversion.tolist, conversion.to,
        conversion.data_ptr, creation.new_zeros, creation.new_ones, creation.new_full,
        creation.new_tensor, leaf.retain_grad, leaf.requires_grad_, assignment.detach_,
        tensor_hooks.register_hook, tensor_hooks.register_post_accumulate_grad_hook,
        assignment.zero_, assignment.fill_, assignment.copy_, assignment.masked_fill_,
        inplace.clamp_,
    ),
    "type_as": conversion.to, "cpu": lambda self: self, "clip_": inplace.clamp_,
    "cuda": lambda self, device=None: conversion.to(self, "cuda"),
    "polygamma": lambda self, n: ops.polygamma(n, self), "backward": backward_method,
    "__dlpack__": conversion.dlpack, "__dlpack_device__": conversion.dlpack_device,
    "__array__": conversion.array, "__array_namespace__": conversion.array_namespace,
    "__contains__": lambda self, value: bool((self == value).any()),
    "__getitem__": indexing.get_item, "__setitem__": assignment.set_item,
}  # fmt: skip
PROPERTIES = {
    **matrices.PROPERTIES,
    "grad": property(leaf.read_grad, leaf.write_grad, leaf.delete_grad),
    "device": property(lambda self: devices.CPU),
    "requires_grad": property(leaf.read_requires_grad, leaf.write_requires_grad),
    "real": property(pointwise.real), "imag": property(function_of(ops.imag)),
    "size": property(shapes.size),
}  # fmt: skip


def with_aliases(functions: Functions) -> Functions:
    """Functions written by hand, with the other names that their rows give them."""
    names = ((key, row_of(key).names.split()) for key in functions)
    return functions | {
        name: functions[key]
        for key, others in names
        if key not in OPS or key in others
        for name in others
        if not name.endswith("_") and "." not in name
    }


def of_ops() -> Functions:
    """The ops that have names in the table, as functions of tensors by these names."""
    return {
        name: refuse_zero(function_of(op)) if op.name in DIVISIONS else function_of(op)
        for name, op in ops_named().items()
        if not name.endswith("_")
    }


OF_OPS = check_all(of_ops())
SHARED, CONVERTING = check_all(with_aliases(SHARED)), check_all(with_aliases(CONVERTING))
ONLY_FUNCTIONS = check_all(with_aliases(ONLY_FUNCTIONS))
REDUCTIONS = check_all(with_aliases(reductions.FUNCTIONS))
FUNCTIONS: Functions = {
    **OF_OPS,
    **{name: as_function(name, f) for name, f in (SHARED | ONLY_FUNCTIONS).items()},
    **{name: as_function(name, f, converts=True) for name, f in (CONVERTING | REDUCTIONS).items()},
}
METHODS: Functions = {
    **OF_OPS,
    **{name: as_method(name, f) for name, f in (SHARED | CONVERTING | ONLY_METHODS).items()},
    "where": lambda self, condition, other: scatter.where(condition, self, other),
}


def written_methods() -> Iterable[tuple[str, Callable[..., Any]]]:
    """The methods that write in place, by their names."""
    for name, op in ops_named().items():
        if name.endswith("_"):
            yield name, (inplace.in_place if op.arity == 2 else inplace.in_place_unary)(op)
    for row in TABLE.values():
        for name in row.written.split():
            yield name, assignment.writing_method(METHODS[name[:-1]])
