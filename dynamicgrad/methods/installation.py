"""Sets the methods and operators of tensors and arrays."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

import gradops as ops
from gradops import OPS, Op
from gradops.core.op import as_operand
from gradops.core.traits import Trait

from ..dispatch.fast_path import binary
from ..engine.array import Array, power, require_owner
from ..engine.handle import Handle
from ..engine.node import Node
from ..engine.tensor import Tensor
from ..hooks import saved_attributes
from ..introspection.node_names import node_name
from ..introspection.repr import array_repr, tensor_repr
from ..ops.assignment import plain, replace
from ..ops.conversion import nested_lists
from ..ops.inplace import write
from ..ops.unbind import iterate
from ..tracing import tracer_protocol
from .torch_functions import METHODS, PROPERTIES, written_methods

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


def swap_operands(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`function` with its operands exchanged."""
    return lambda self, other: function(other, self)


OF_UFUNCS: dict[np.ufunc, Op] = {
    op.kernel: op
    for op in OPS.values()
    if isinstance(op.kernel, np.ufunc) and Trait.ELEMENTWISE in op.traits and not op.params
} | {np.matmul: ops.matmul}
"""The ops without attributes whose kernels are ufuncs of NumPy's."""


class Ufuncs(dict[np.ufunc, Callable[..., Any] | None]):
    """The specialised code of a face for NumPy's ufuncs; created on first use."""

    def __init__(self, face: type[Handle]) -> None:
        self.face = face

    def __missing__(self, ufunc: np.ufunc) -> Callable[..., Any] | None:
        op = OF_UFUNCS.get(ufunc)
        self[ufunc] = function = None if op is None else self.face.specialised[op]
        return function


def graph_view(self: Handle) -> Any:
    """The picture's model of the tape, for pages that show it beside a graph."""
    from ..introspection.view import tape_view

    return tape_view(self)


def set_entries(self: Array, key: Any, value: Any) -> None:
    """Write `value` to the entries at `key`."""
    require_owner(self, "x[index] = value")
    replace(self, plain(key), value, "setitem")


def in_place(op: Op, compute: Callable[..., Any]) -> Callable[[Array, Any], Any]:
    """An operator such as `+=`: it writes to memory, and gives a number another value."""

    def method(self: Array, other: Any) -> Any:
        if not self.shape and type(self.value) is not np.ndarray:
            return compute(self, other)
        require_owner(self, "a write in place, such as x += value,")
        return write(self, op, (as_operand(other),))

    return method


def tolist(self: Array) -> Any:
    """The entries as nested lists of Python's numbers; warns if they are traced."""
    return nested_lists(self)


def array_namespace(self: Array, *, api_version: str | None = None) -> ModuleType:
    """The functions of the Python array API on arrays."""

    from gradops.array_api import require_version

    from .. import array_namespace as namespace

    require_version(api_version)
    return namespace


def display(self: Handle, include: object = None, exclude: object = None) -> dict[str, str]:
    """The forms that a notebook shows."""
    from ..introspection.notebook import tensor_mimebundle

    return tensor_mimebundle(self)


def install_operators(face: type[Handle], functions: dict[str, Callable[..., Any]]) -> None:
    """Set the operators of a face, by names such as `add`, and those with operands exchanged."""
    for name, function in functions.items():
        setattr(face, f"__{name}__", function)
        setattr(face, f"__r{name}__", swap_operands(function))
    face.ufuncs = Ufuncs(face)


def install_on_arrays() -> None:
    """Set the operators and methods of `Array`."""
    install_operators(Array, {name: Array.specialised[op] for name, op in OPERATORS.items()})
    Array.__pow__ = binary(ops.power, Array, power)
    Array.__neg__ = Array.specialised[ops.neg]  # type: ignore[method-assign]
    for name, op in AUGMENTED.items():
        compute = getattr(Array, f"__{name[1:]}__")
        setattr(Array, f"__{name}__", in_place(op, compute))
    Array.__setitem__ = set_entries  # type: ignore[method-assign]
    Array.tolist = tolist  # type: ignore[method-assign]
    Array.__array_namespace__ = array_namespace  # type: ignore[assignment]
    Array.__repr__ = array_repr  # type: ignore[method-assign]
    Array._repr_mimebundle_ = display  # type: ignore[attr-defined]
    Handle.__graph_view__ = graph_view  # type: ignore[attr-defined]
    for name in ("__dlpack__", "__dlpack_device__", *tracer_protocol.METHODS):
        setattr(Array, name, METHODS[name])


def install() -> None:
    """Set the methods and operators of `Tensor`."""
    for name, method in (dict(written_methods()) | METHODS | PROPERTIES).items():
        setattr(Tensor, name, method)
    quick = {name: Tensor.specialised[op] for name, op in OPERATORS.items()}
    quick |= {name: METHODS[op.name] for name, op in DIVIDING.items()}
    install_operators(Tensor, quick)
    Tensor.__repr__ = tensor_repr  # type: ignore[method-assign]
    Tensor._repr_mimebundle_ = display  # type: ignore[attr-defined]
    Tensor.__neg__ = Tensor.specialised[ops.neg]  # type: ignore[method-assign]
    Tensor.__pos__ = METHODS["positive"]  # type: ignore[method-assign]
    for name, op in AUGMENTED.items():
        written = "pow" if op is ops.power else op.name
        setattr(Tensor, f"__{name}__", getattr(Tensor, f"{written}_"))


Handle.__iter__ = iterate  # type: ignore[method-assign]
Node.name = node_name  # type: ignore[method-assign]
saved_attributes.install()
install()
install_on_arrays()
