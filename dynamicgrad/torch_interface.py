"""PyTorch's functions, methods and operators: rows of the table, and functions written by hand."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS, Op
from gradops.core.traits import Trait

from . import devices, special
from .dispatch import promotion
from .dispatch.division import DIVISIONS, refusing_zero
from .dispatch.fast_path import binary
from .dispatch.keywords import as_function, as_method, function_of, ops_named
from .dispatch.zero_dim import numbers_as_rows
from .engine import leaf
from .engine.array import Array, power
from .engine.backward import backward
from .engine.handle import Handle, detached
from .engine.tensor import Tensor
from .hooks import tensor_hooks
from .introspection import repr as _repr  # noqa: F401  which gives handles their texts
from .names.torch_names import TABLE
from .ops import (
    array_methods,
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
from .tracing import tracer_protocol

Functions = dict[str, Callable[..., Any]]


def listed(*functions: Callable[..., Any]) -> Functions:
    """Functions by their names."""
    return {f.__name__: f for f in functions}


def backward_method(
    t: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of this tensor to the `.grad` of the leaves; see `autograd.backward`."""
    backward(t, gradient, retain_graph, create_graph, inputs)


SHARED: Functions = {
    **pointwise.SHARED, **reductions.SHARED, **matrices.SHARED, **sorting.SHARED,
    "logit": special.logit, "mvlgamma": special.multigammaln, "detach": detached,
    **listed(shapes.take_along_dim, shapes.broadcast_to),
}  # fmt: skip
"""Functions that are methods too."""

CONVERTING: Functions = {
    **pointwise.CONVERTING, **rearrange.CONVERTING, **reductions.CONVERTING, **scatter.CONVERTING,
    **memory_layout.CONVERTING,
    "moveaxis": numbers_as_rows(ops.moveaxis), "swapaxes": numbers_as_rows(ops.swapaxes),
    **listed(
        conversion.clone, shapes.chunk, shapes.flatten, shapes.flip, shapes.gather,
        shapes.index_select, shapes.narrow, shapes.permute, shapes.ravel, shapes.reshape,
        shapes.select, shapes.split, shapes.squeeze, shapes.t, shapes.unbind,
    ),
}  # fmt: skip
"""Methods that are functions too, of anything that becomes a tensor."""

ONLY_FUNCTIONS: Functions = {
    **distributions.FUNCTIONS, **rearrange.FUNCTIONS, **sorting.FUNCTIONS, **matrices.FUNCTIONS,
    "polygamma": special.polygamma,
    **listed(
        scatter.where, shapes.cat, shapes.stack, memory_layout.is_tensor, pointwise.cdist,
        pointwise.polar, promotion.result_type, promotion.promote_types, promotion.can_cast,
    ),
}  # fmt: skip
ONLY_METHODS: Functions = {
    **distributions.METHODS, **memory_layout.METHODS, **rearrange.METHODS, **conversion.CASTS,
    **tracer_protocol.METHODS,
    **listed(
        shapes.view, shapes.view_as, shapes.reshape_as, shapes.expand, shapes.expand_as,
        shapes.contiguous, conversion.numpy, conversion.item, conversion.tolist, conversion.to,
        conversion.data_ptr, creation.new_zeros, creation.new_ones, creation.new_full,
        creation.new_tensor, leaf.retain_grad, leaf.requires_grad_, inplace.detach_,
        tensor_hooks.register_hook, tensor_hooks.register_post_accumulate_grad_hook,
        inplace.zero_, inplace.fill_, inplace.copy_, inplace.clamp_, inplace.masked_fill_,
    ),
    "type_as": conversion.to, "cpu": lambda self: self, "clip_": inplace.clamp_,
    "cuda": lambda self, device=None: conversion.to(self, "cuda"),
    "polygamma": lambda self, n: ops.polygamma(n, self), "backward": backward_method,
    "__dlpack__": conversion.dlpack, "__dlpack_device__": conversion.dlpack_device,
    "__array__": conversion.array, "__array_namespace__": conversion.array_namespace,
    "__contains__": lambda self, value: bool((self == value).any()),
    "__getitem__": indexing.get_item, "__setitem__": inplace.set_item,
}  # fmt: skip
PROPERTIES = {
    **matrices.PROPERTIES,
    "grad": property(leaf.read_grad, leaf.write_grad, leaf.delete_grad),
    "device": property(lambda self: devices.CPU),
    "requires_grad": property(leaf.read_requires_grad, leaf.write_requires_grad),
    "real": property(pointwise.real), "imag": property(function_of(ops.imag)),
    "size": property(shapes.size),
}  # fmt: skip
OPERATORS = {
    "add": ops.add, "sub": ops.sub, "mul": ops.mul, "truediv": ops.div, "pow": ops.power,
    "matmul": ops.matmul,
}  # fmt: skip
DIVIDING = {"floordiv": ops.floor_divide, "mod": ops.remainder}
AUGMENTED = {
    **{f"i{name}": op for name, op in (OPERATORS | DIVIDING).items() if op is not ops.matmul},
    "iand": ops.bitwise_and, "ior": ops.bitwise_or, "ixor": ops.bitwise_xor,
    "ilshift": ops.bitwise_left_shift, "irshift": ops.bitwise_right_shift,
}  # fmt: skip


def aliased(functions: Functions) -> Functions:
    """Functions written by hand, with the other names that their rows give them."""
    return functions | {
        name: functions[key]
        for key, row in TABLE.items()
        if key in functions and (key not in OPS or key in row.names.split())
        for name in row.names.split()
        if not name.endswith("_") and "." not in name
    }


def of_ops() -> Functions:
    """The ops that have names in the table, as functions of tensors by these names."""
    found = {name: op for name, op in ops_named().items() if not name.endswith("_")}
    return {
        name: refusing_zero(function_of(op)) if op.name in DIVISIONS else function_of(op)
        for name, op in found.items()
    }


SHARED, CONVERTING = of_ops() | aliased(SHARED), aliased(CONVERTING)
FUNCTIONS: Functions = {
    **{name: as_function(name, f) for name, f in SHARED.items()},
    **{name: as_function(name, f, converts=True) for name, f in CONVERTING.items()},
    **{name: as_function(name, f) for name, f in aliased(ONLY_FUNCTIONS).items()},
    **{name: as_function(name, f, True) for name, f in aliased(reductions.FUNCTIONS).items()},
    "complex": as_function("complex", function_of(ops.complex)),
}
METHODS: Functions = {
    name: as_method(name, f) for name, f in (SHARED | CONVERTING | ONLY_METHODS).items()
} | {"where": lambda self, condition, other: scatter.where(condition, self, other)}


def written_methods() -> Iterable[tuple[str, Callable[..., Any]]]:
    """The methods that write in place, by their names."""
    for name, op in ops_named().items():
        if name.endswith("_"):
            yield name, (inplace.in_place if op.arity == 2 else inplace.in_place_alone)(op)
    for row in TABLE.values():
        for name in row.written.split():
            yield name, inplace.updated_by(METHODS[name[:-1]])


def reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`function` with its operands exchanged."""
    return lambda self, other: function(other, self)


def by_ufunc() -> dict[np.ufunc, Op]:
    """The ops without attributes whose kernels are ufuncs of NumPy's."""
    return {
        op.kernel: op
        for op in OPS.values()
        if isinstance(op.kernel, np.ufunc) and Trait.ELEMENTWISE in op.traits and not op.params
    } | {np.matmul: ops.matmul}


OF_UFUNCS = by_ufunc()


class Ufuncs(dict[np.ufunc, Callable[..., Any] | None]):
    """The specialised code for a face by ufuncs of NumPy's; made on demand."""

    def __init__(self, face: type[Handle]) -> None:
        self.face = face

    def __missing__(self, ufunc: np.ufunc) -> Callable[..., Any] | None:
        op = OF_UFUNCS.get(ufunc)
        self[ufunc] = found = None if op is None else self.face.specialised[op]
        return found


def install_on_arrays() -> None:
    """Give `Array` its operators, by the specialised code."""
    for name, op in OPERATORS.items():
        quick = Array.specialised[op]
        setattr(Array, f"__{name}__", quick)
        setattr(Array, f"__r{name}__", reflected(quick))
    Array.__pow__ = binary(ops.power, Array, power)
    Array.__neg__ = Array.specialised[ops.neg]  # type: ignore[method-assign]
    for name, op in AUGMENTED.items():
        compute = getattr(Array, f"__{name[1:]}__")
        setattr(Array, f"__{name}__", array_methods.in_place(op, compute))
    Array.ufuncs = Ufuncs(Array)
    for name in ("__dlpack__", "__dlpack_device__", *tracer_protocol.METHODS):
        setattr(Array, name, METHODS[name])


def install() -> None:
    """Give `Tensor` its methods and operators."""
    for name, method in (dict(written_methods()) | METHODS | PROPERTIES).items():
        setattr(Tensor, name, method)
    quick = {name: Tensor.specialised[op] for name, op in OPERATORS.items()}
    quick |= {name: METHODS[op.name] for name, op in DIVIDING.items()}
    for name, function in quick.items():
        setattr(Tensor, f"__{name}__", function)
        setattr(Tensor, f"__r{name}__", reflected(function))
    Tensor.ufuncs = Ufuncs(Tensor)
    Tensor.__neg__ = Tensor.specialised[ops.neg]  # type: ignore[method-assign]
    Tensor.__pos__ = METHODS["positive"]  # type: ignore[method-assign]
    for name, op in AUGMENTED.items():
        written = "pow" if op is ops.power else op.name
        setattr(Tensor, f"__{name}__", getattr(Tensor, f"{written}_"))


install()
install_on_arrays()
