"""PyTorch's spelling of the ops: names of functions, methods and operators, in one table each."""

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops.core import types
from gradops.core.traits import Trait
from gradops.core.types import is_float, shape_of

from .. import devices, special
from ..dispatch import promotion
from ..dispatch.casting import as_entry, as_mask, require_range
from ..dispatch.division import DIVISIONS, refusing_zero
from ..dispatch.fast_path import binary, operand, several, unary
from ..dispatch.keywords import NAMES, all_by_pytorchs_names, by_pytorchs_names
from ..dispatch.op_dtypes import multiplied
from ..dispatch.operand_dtypes import with_dtypes_of_torch
from ..dispatch.zero_dim import numbers_as_rows
from ..engine import leaf
from ..engine.array import Array, power
from ..engine.backward import backward
from ..engine.handle import REAL_NUMBERS, Handle, detached
from ..engine.tensor import Tensor, as_tensor
from ..hooks import tensor_hooks
from ..introspection import node_names, repr  # noqa: F401
from ..ops import (
    conversion,
    creation,
    distributions,
    entrywise,
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
from . import array_methods


def spelled(function: Callable[..., Any], **names: str) -> Callable[..., Any]:
    """`function` with PyTorch's names for its arguments, as in `dim="axis"`."""
    if isinstance(function, ops.Op):
        return several(function, names)

    @functools.wraps(function, updated=())
    def call(x: Any, /, *args: Any, **kwargs: Any) -> Any:
        x = x if isinstance(x, Handle) else operand(x)
        return function(x, *args, **{names.get(k, k): v for k, v in kwargs.items()})

    call.spells = function  # type: ignore[attr-defined]
    return call


TRUTH = np.dtype(bool)
chosen = several(ops.where)


def where(condition: Any, a: Any = None, b: Any = None) -> Any:
    """Entries of `a` where the condition holds, else of `b`; alone, the indices where it holds.

    A gradient of zero stays zero through the branch that was not taken, also where that branch is
    infinite or NaN.

    >>> dg.where(dg.tensor([True, False]), dg.ones(2), 0.0)
    tensor([1., 0.])
    """
    if a is None and b is None:
        return sorting.nonzero(condition, as_tuple=True)
    condition = as_tensor(condition)
    if condition.value.dtype is not TRUTH:
        condition = truth_of(condition)
    if not isinstance(a, Handle):
        require_range("where", b.dtype if isinstance(b, Handle) else bool, a)
    elif not isinstance(b, Handle):
        require_range("where", a.dtype, b)
    return chosen(condition, a, b)


def truth_of(condition: Any) -> Any:
    """A condition of bytes as one of truth values."""
    if condition.dtype not in (np.bool_, np.uint8):
        raise ops.DTypeError(
            "where", [condition.type], "the condition is of truth values",
            known_as="where expected condition to be a boolean tensor, but got a tensor with dtype"
            f" {condition.dtype}", hint="use condition != 0",
        )  # fmt: skip
    return condition if condition.dtype == np.bool_ else condition != 0


def with_bytes(reduce: Any) -> Callable[..., Any]:
    """`all` or `any`, which gives bytes for bytes."""

    @functools.wraps(reduce)
    def call(x: Any, *args: Any, **options: Any) -> Any:
        found = reduce(x, *args, **options)
        is_bytes = getattr(x, "dtype", None) == np.uint8
        return ops.astype(found, dtype=np.uint8) if is_bytes else found

    return call


def masked_fill(x: Any, mask: Any, value: Any) -> Any:
    """The tensor with a number where the mask holds.

    >>> dg.masked_fill(dg.ones(2), dg.tensor([True, False]), 0.0)
    tensor([0., 1.])
    """
    if x.dtype.kind == "f" and type(value) in REAL_NUMBERS:
        require_range("masked_fill", x.dtype, value)
    else:
        value = as_entry("masked_fill", x, value)
    return chosen(as_mask("masked_fill", mask), value, x)


def einsum(equation: str, *operands: Any) -> Any:
    """Products summed over indices, in Einstein's notation; operands may come as one list.

    >>> dg.einsum("ij,j->i", dg.ones(2, 3), dg.ones(3))
    tensor([3., 3.])
    """
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    return ops.einsum(equation, *map(as_tensor, operands))


def scaled(op: Any, name: str, doc: str) -> Callable[..., Any]:
    """`op` with PyTorch's factor `alpha` for its second operand."""

    def call(x: Any, other: Any, *, alpha: Any = 1) -> Any:
        if alpha == 1:
            return op(x, other)
        return op(*multiplied(op.spells, name, operand(x), other, alpha))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


def product(name: str, left: int, right: int) -> Callable[[Any, Any], Any]:
    """The matrix product of operands that have so many dimensions."""

    def call(x: Any, other: Any) -> Any:
        if (len(shape_of(x)), len(shape_of(other))) != (left, right):
            raise ops.ShapeError(
                name, [ops.type_of(x), ops.type_of(other)],
                f"{name} takes operands with {left} and {right} dimensions",
                hint="matmul, or x @ y, takes operands with any number of them",
            )  # fmt: skip
        return BINARY["matmul"](x, other)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The matrix product of operands with {left} and {right} dimensions."
    return call


def equal(x: Any, other: Any) -> bool:
    """Whether two tensors have the same shape and the same entries.

    >>> dg.equal(dg.ones(2), dg.ones(2)), dg.equal(dg.ones(2), dg.ones(3))
    (True, False)
    """
    return np.array_equal(as_tensor(x).value, as_tensor(other).value)


def allclose(
    x: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether all entries differ by no more than `atol + rtol * abs(other)`.

    >>> dg.allclose(dg.ones(2), dg.ones(2) + 1e-6)
    True
    """
    a, b = operand(x).detach(), operand(other).detach()
    return bool(ops.all(pointwise.isclose(a, b, rtol, atol, equal_nan)))


def is_complex(x: Any) -> bool:
    """Whether a tensor has complex entries.

    >>> dg.is_complex(dg.ones(2)), dg.is_complex(dg.ones(2) * 1j)
    (False, True)
    """
    return types.is_complex(x.dtype)


def is_floating_point(x: Any) -> bool:
    """Whether the dtype is a floating-point one.

    >>> dg.is_floating_point(dg.ones(2)), dg.is_floating_point(dg.arange(2))
    (True, False)
    """
    return is_float(x.dtype)


def numel(x: Any) -> int:
    """How many entries there are.

    >>> dg.numel(dg.ones(2, 3))
    6
    """
    return math.prod(x.shape)


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor.

    >>> dg.is_tensor(dg.ones(2)), dg.is_tensor(1.0)
    (True, False)
    """
    return isinstance(x, Tensor)


def backward_method(
    t: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of this tensor to the `.grad` of the leaves; see `autograd.backward`."""
    backward(t, gradient, retain_graph, create_graph, inputs)


DIM = {"dim": "axis", "keepdim": "keepdims"}
CALLED = {
    "power": "pow", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge", "invert": "bitwise_not", "gammaln": "lgamma",
    "gammainc": "igamma", "gammaincc": "igammac",
}  # fmt: skip
ELSEWHERE = {"binary_cross_entropy", "complex", "stop_gradient", "strong_product"}


def elementwise(arity: int) -> dict[str, ops.Op]:
    """The ops on so many operands, entry by entry and without attributes, by PyTorch's names."""
    offered = set(ops.__all__) - ELSEWHERE
    found = [op for name, op in ops.OPS.items() if name in offered and not op.params]
    return {
        CALLED.get(op.name, op.name): op
        for op in found
        if op.arity == arity and Trait.ELEMENTWISE in op.traits and Trait.VIEW not in op.traits
    }


UNARY = {name: unary(op) for name, op in elementwise(1).items()}
BINARY = {name: binary(op) for name, op in (elementwise(2) | {"matmul": ops.matmul}).items()}
BINARY |= {name: refusing_zero(BINARY[name]) for name in DIVISIONS}
WITH_DIM: dict[str, Callable[..., Any]] = {
    "sum": spelled(ops.sum, **DIM), "mean": spelled(ops.mean, **DIM),
    "amax": spelled(ops.max, **DIM), "amin": spelled(ops.min, **DIM),
    "prod": spelled(ops.prod, **DIM), "logsumexp": spelled(ops.logsumexp, **DIM),
    "argmax": spelled(ops.argmax, **DIM), "argmin": spelled(ops.argmin, **DIM),
    "all": with_bytes(spelled(ops.all, **DIM)), "any": with_bytes(spelled(ops.any, **DIM)),
    "softmax": spelled(ops.softmax, **DIM), "log_softmax": spelled(ops.log_softmax, **DIM),
    "logit": special.logit, "mvlgamma": special.multigammaln,
    "nan_to_num": spelled(ops.nan_to_num),
    "unsqueeze": spelled(ops.expand_dims, **DIM),
    "transpose": numbers_as_rows(spelled(ops.swapaxes, dim0="axis1", dim1="axis2")),
    "moveaxis": numbers_as_rows(spelled(ops.moveaxis)), "gelu": spelled(ops.gelu),
    "take_along_dim": shapes.take_along_dim,
}  # fmt: skip
OF_TENSORS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        shapes.chunk, shapes.flatten, shapes.flip, shapes.gather, shapes.index_select,
        shapes.narrow, shapes.permute, shapes.ravel, shapes.reshape, shapes.select, shapes.split,
        shapes.squeeze, shapes.t, shapes.unbind, conversion.clone, is_complex, is_floating_point,
        masked_fill, numel,
    )
} | rearrange.BOTH | pointwise.BOTH | scatter.BOTH | reductions.BOTH  # fmt: skip
SHARED: dict[str, Callable[..., Any]] = {
    **UNARY, **BINARY, **WITH_DIM,
    "add": scaled(BINARY["add"], "add", "`x + alpha * other`."),
    "sub": scaled(BINARY["sub"], "sub", "`x - alpha * other`."),
    "max": reductions.extreme(ops.max, ops.argmax, ops.maximum, "max"),
    "min": reductions.extreme(ops.min, ops.argmin, ops.minimum, "min"),
    "mm": product("mm", 2, 2), "bmm": product("bmm", 3, 3), "mv": product("mv", 2, 1),
    "dot": product("dot", 1, 1), "equal": equal, "allclose": allclose, "detach": detached,
    "broadcast_to": shapes.broadcast_to, "div": pointwise.div, "heaviside": pointwise.heaviside,
    "imag": spelled(ops.imag), **entrywise.BOTH,
}  # fmt: skip
ALIASES = {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "clip": "clamp",
    "negative": "neg",
    "absolute": "abs",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "movedim": "moveaxis",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "arctan2": "atan2",
    "fix": "trunc",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "not_equal": "ne",
}
for alias, name in ALIASES.items():
    SHARED[alias] = SHARED[name]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **SHARED, **{name: spelled(function) for name, function in OF_TENSORS.items()},
    **{name: spelled(function) for name, function in memory_layout.BOTH.items()},
    **distributions.FUNCTIONS, "polygamma": special.polygamma,
    **rearrange.FUNCTIONS, **sorting.FUNCTIONS, **matrices.FUNCTIONS,
    **{name: spelled(function) for name, function in reductions.FUNCTIONS.items()},
    "complex": binary(ops.complex), "where": where, "einsum": einsum, "cat": shapes.cat,
    "concat": shapes.cat, "concatenate": shapes.cat, "stack": shapes.stack, "is_tensor": is_tensor,
    "cdist": pointwise.cdist, "polar": pointwise.polar, "result_type": promotion.result_type,
    "promote_types": promotion.promote_types, "can_cast": promotion.can_cast,
}  # fmt: skip
FUNCTIONS = all_by_pytorchs_names(FUNCTIONS)
METHODS: dict[str, Any] = {
    **distributions.METHODS, **memory_layout.METHODS, **SHARED, **OF_TENSORS, **rearrange.METHODS,
    **sorting.METHODS, **matrices.METHODS, **scatter.METHODS, **pointwise.METHODS,
    **conversion.CASTS, **tracer_protocol.METHODS,
    "view": shapes.view, "view_as": shapes.view_as, "reshape_as": shapes.reshape_as,
    "expand": shapes.expand, "expand_as": shapes.expand_as, "contiguous": shapes.contiguous,
    "dim": lambda self: len(self.shape), "nelement": numel,
    "where": lambda self, condition, other: where(condition, self, other),
    "numpy": conversion.numpy, "item": conversion.item, "tolist": conversion.tolist,
    "to": conversion.to, "type_as": conversion.to, "cpu": lambda self: self,
    "cuda": lambda self, device=None: conversion.to(self, "cuda"),
    "data_ptr": conversion.data_ptr, "polygamma": lambda self, n: ops.polygamma(n, self),
    "__dlpack__": conversion.dlpack, "__dlpack_device__": conversion.dlpack_device,
    "__array__": conversion.array, "__array_namespace__": conversion.array_namespace,
    "new_zeros": creation.new_zeros, "new_ones": creation.new_ones,
    "new_full": creation.new_full, "new_tensor": creation.new_tensor,
    "backward": backward_method, "retain_grad": leaf.retain_grad,
    "requires_grad_": leaf.requires_grad_, "detach_": inplace.detach_,
    "register_hook": tensor_hooks.register_hook,
    "register_post_accumulate_grad_hook": tensor_hooks.register_post_accumulate_grad_hook,
    "zero_": inplace.zero_, "fill_": inplace.fill_, "copy_": inplace.copy_,
    "clamp_": inplace.clamp_, "clip_": inplace.clamp_, "masked_fill_": inplace.masked_fill_,
    "__contains__": lambda self, value: bool((self == value).any()),
    "__getitem__": indexing.get_item, "__setitem__": inplace.set_item,
}  # fmt: skip
FUNCTIONS, METHODS = map(with_dtypes_of_torch, (FUNCTIONS, METHODS))
PROPERTIES = {
    **matrices.PROPERTIES,
    "grad": property(leaf.read_grad, leaf.write_grad, leaf.delete_grad),
    "device": property(lambda self: devices.CPU),
    "requires_grad": property(leaf.read_requires_grad, leaf.write_requires_grad),
    "real": property(SHARED["real"]),
    "imag": property(SHARED["imag"]),
    "size": property(shapes.size),
}
OPERATORS = {
    "add": BINARY["add"], "sub": BINARY["sub"], "mul": BINARY["mul"], "truediv": BINARY["div"],
    "pow": BINARY["pow"], "matmul": BINARY["matmul"],
}  # fmt: skip
IN_PLACE = {
    "add": ops.add, "sub": ops.sub, "mul": ops.mul, "div": ops.div, "pow": ops.power,
    "floor_divide": ops.floor_divide, "remainder": ops.remainder,
    "bitwise_and": ops.bitwise_and, "bitwise_or": ops.bitwise_or, "bitwise_xor": ops.bitwise_xor,
    "bitwise_left_shift": ops.bitwise_left_shift, "bitwise_right_shift": ops.bitwise_right_shift,
    "atan2": ops.atan2, "copysign": ops.copysign, "fmod": ops.fmod, "hypot": ops.hypot,
    "nextafter": ops.nextafter,
}  # fmt: skip
IN_PLACE_ALONE = [
    op for name, op in elementwise(1).items() if op.vjp[0] and name not in ("angle", "sign")
]
WRITTEN = (
    "addbmm addmm addmv addr baddbmm bitwise_not clamp_max clamp_min cumprod cumsum eq"
    " ge gt heaviside igamma igammac le lgamma logical_and logical_not logical_or logical_xor lt"
    " mvlgamma nan_to_num ne polygamma sign xlogy"
)
"""The functions whose methods with an underscore write what they give."""

AUGMENTED = {
    "iadd": "add", "isub": "sub", "imul": "mul", "itruediv": "div", "ipow": "pow",
    "ifloordiv": "floor_divide", "imod": "remainder",
    "iand": "bitwise_and", "ior": "bitwise_or", "ixor": "bitwise_xor",
    "ilshift": "bitwise_left_shift", "irshift": "bitwise_right_shift",
}  # fmt: skip


def along_axis(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes `dim` and `keepdim`, with NumPy's names for them too."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = {RENAMED.get(k, k): v for k, v in kwargs.items()}
        return function(*args, **kwargs)

    return call


RENAMED = {"axis": "dim", "keepdims": "keepdim"}
"""NumPy's names for arguments, which PyTorch takes too."""


def named_axis(function: Any) -> Any:
    """A function that takes `dim` and not `axis`, with either."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    return along_axis(function) if "dim" in names and "axis" not in names else function


def reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`function` with its operands exchanged."""
    return lambda self, other: function(other, self)


def ufuncs(face: type[Handle]) -> dict[np.ufunc, Any]:
    """The specialised code for ufuncs of NumPy's that are the kernels of ops."""
    quick: set[Any] = {*UNARY.values(), *BINARY.values()}
    found = {f.spells.kernel: face.specialised[f.spells] for f in quick}
    return {kernel: f for kernel, f in found.items() if isinstance(kernel, np.ufunc)}


def install_on_arrays() -> None:
    """Give `Array` its operators, by the specialised code."""
    for name, function in OPERATORS.items():
        quick = Array.specialised[function.spells]  # type: ignore[attr-defined]
        setattr(Array, f"__{name}__", quick)
        setattr(Array, f"__r{name}__", reflected(quick))
    Array.__pow__ = binary(ops.power, Array, power)
    Array.__neg__ = Array.specialised[ops.neg]  # type: ignore[method-assign]
    for name, written in AUGMENTED.items():
        compute = getattr(Array, f"__{name[1:]}__")
        setattr(Array, f"__{name}__", array_methods.in_place(IN_PLACE[written], compute))
    Array.ufuncs = ufuncs(Array)
    for name in ("__dlpack__", "__dlpack_device__"):
        setattr(Array, name, METHODS[name])
    for name, method in tracer_protocol.METHODS.items():
        setattr(Array, name, method)


def install() -> None:
    """Give `Tensor` its methods and operators."""
    methods = {name: named_axis(function) for name, function in METHODS.items()}
    methods |= {name: by_pytorchs_names(name, methods[name]) for name in NAMES if name in methods}
    for name, function in (methods | PROPERTIES).items():
        setattr(Tensor, name, function)
    for name, function in OPERATORS.items():
        setattr(Tensor, f"__{name}__", function)
        setattr(Tensor, f"__r{name}__", reflected(function))
    for name, method in {"floordiv": "floor_divide", "mod": "remainder"}.items():
        setattr(Tensor, f"__{name}__", BINARY[method])
        setattr(Tensor, f"__r{name}__", reflected(BINARY[method]))
    Tensor.ufuncs = ufuncs(Tensor)
    Tensor.__neg__ = UNARY["neg"]  # type: ignore[method-assign]
    Tensor.__pos__ = METHODS["positive"]  # type: ignore[method-assign]
    for name, op in IN_PLACE.items():
        setattr(Tensor, f"{name}_", inplace.in_place(op))
    for op in IN_PLACE_ALONE:
        setattr(Tensor, f"{op.name}_", inplace.in_place_alone(op))
    for name in WRITTEN.split():
        setattr(Tensor, f"{name}_", inplace.updated_by(METHODS[name]))
    for alias, name in ALIASES.items():
        if hasattr(Tensor, f"{name}_"):
            setattr(Tensor, f"{alias}_", getattr(Tensor, f"{name}_"))
    for name, method in AUGMENTED.items():
        setattr(Tensor, f"__{name}__", getattr(Tensor, f"{method}_"))


install()
install_on_arrays()
