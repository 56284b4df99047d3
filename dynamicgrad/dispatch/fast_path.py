"""The fast path: specialised functions for ops without attributes on handles of arrays.

`Op.dispatch` is general and takes twice the time. Any operand that is not a plain array of the
expected dtype falls back to it. `binary` is longer than we allow: it is the path of every
operation, and each call of a helper costs 5 % of its time.
"""

import operator
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from gradops import Op
from gradops.core.op import PLAIN, explain
from gradops.core.traits import Trait
from gradops.core.types import PYTHON_SCALARS, shape_of
from gradops.library.shape.movement import compute_in

from ..engine.array import Array
from ..engine.grad_mode import INFERENCE, is_recording, saves_values
from ..engine.handle import ARRAYS, DOUBLE, REAL_NUMBERS, SINGLE, Handle, finish_unusual
from ..engine.node import NOTHING, new
from ..engine.plain_arrays import keep_plain
from ..engine.record import PLANS, node_of, only_type
from ..engine.tensor import Tensor, as_tensor
from ..hooks.saved_tensor_hooks import apply_mode
from ..names.torch_names import row_of
from .attributed import Attributed, normal_form, on_one, on_several
from .casting import tensor_of_number
from .op_dtypes import to_compute_dtypes
from .wrapping import Function
from .zero_dim import as_numbers, as_row

NUMBERS = frozenset({float, int, bool})
CONSTANTS = ARRAYS | NUMBERS
OF_NUMBERS = (0, -1, (0,), (-1,))  # the dimensions of a 0-d tensor in PyTorch
Tensor.promoted = staticmethod(to_compute_dtypes)
GENERAL = frozenset({Trait.VIEW, Trait.CONTROL, Trait.EFFECT})  # traits of dispatched ops
INFIX: dict[str, Function] = {
    "{0} + {1}": operator.add, "{0} - {1}": operator.sub, "{0} * {1}": operator.mul,
    "{0} / {1}": operator.truediv, "-{0}": operator.neg,
}  # fmt: skip


def keeps_floats(op: Op, count: int) -> bool:
    """True if an op is a ufunc whose result has the float dtype of its operands."""
    loops = {f"{code * count}->{code}" for code in "fd"}
    return isinstance(op.kernel, np.ufunc) and loops <= set(op.kernel.types)


def fill_plan(plan: list[Any], op: Op, active: int, count: int = 1) -> list[Any]:
    """`plan` filled at first use, maybe by several threads: calling the rules takes a while."""
    plan[:] = PLANS[op, active, count]
    return plan


def unary(op: Op, face: type[Handle] = Tensor) -> Function:
    """`op` as a function of one handle."""
    kernel: Function = INFIX.get(op.infix, op.kernel)
    plan: list[Any] = []
    promotes, single, double, array = face.promoted is not None, SINGLE, DOUBLE, np.ndarray
    keeps = promotes and keeps_floats(op, 1)

    def call(x: Any) -> Any:
        if type(x) is not face or ((kind := type(x.value)) is not array and kind not in ARRAYS):
            return op.dispatch((operand(x),), NOTHING)
        value = x.value
        if promotes and (of := value.dtype) is not single and of is not double:
            return op.dispatch((x,), NOTHING)
        try:
            y = kernel(value)
        except Exception as error:
            explain(op, (x,), NOTHING, error)
            raise
        t = new(face)
        t.value, t.node, t.cut = y, None, x.cut
        t.storage = t.alias = None
        mode, dtype, x_node = is_recording(), of if keeps else y.dtype, x.node
        if x_node is None or not mode or (not keeps and dtype.kind != "f"):
            return t if mode is not INFERENCE and x_node is None else finish_unusual(t, op, (x,))
        save_y, (save_x,), wanted = plan or fill_plan(plan, op, 1)
        operands = inputs = (x_node,)
        if save_x:
            own = x.storage is x_node.storage and (mode is True or saves_values(mode))
            operands = (value if own else x,)
        output = y if save_y else None
        t.node = node_of(op, inputs, operands, NOTHING, output, wanted, y.shape, dtype)
        if mode is not True:
            apply_mode(t, mode)
        return t

    return name_after(with_parameters(call, "input"), op)


def binary(op: Op, face: type[Handle] = Tensor, kernel: Function | None = None) -> Function:
    """`op` as a function of two operands: handles, or one handle and a plain operand.

    A `kernel` replaces the op's own. Where the face has promotion rules, only floats of one dtype
    and Python numbers take the fast path: all rules agree on them.
    """
    kernel = kernel or INFIX.get(op.infix, op.kernel)
    plans: tuple[list[Any], ...] = ([], [], [], [])  # by the bits of the active operands
    promotes, single, double, array = face.promoted is not None, SINGLE, DOUBLE, np.ndarray
    keeps = promotes and keeps_floats(op, 2)
    weak = isinstance(kernel, np.ufunc) or op.infix  # a Python number takes the dtype of the array
    constants = (REAL_NUMBERS if weak else frozenset()) if promotes else CONSTANTS

    def call(a: Any, b: Any) -> Any:
        of: Any = None
        if type(a) is face:
            u, a_node = a.value, a.node
            if (kind := type(u)) is not array and kind not in ARRAYS:
                return nested(op, face, a, b)
            if promotes:
                of = u.dtype
        elif type(a) in constants:
            u, a_node = a, None
        else:
            return other(op, a, b)
        if type(b) is face:
            v, b_node = b.value, b.node
            if (kind := type(v)) is not array and kind not in ARRAYS:
                return nested(op, face, a, b)
            if promotes:
                if of is None:
                    of = v.dtype
                elif v.dtype is not of:
                    return op.dispatch((a, b), NOTHING)
        elif type(b) in constants:
            v, b_node = b, None
        else:
            return other(op, a, b)
        if promotes and of is not single and of is not double:
            return op.dispatch((a, b), NOTHING)
        try:
            y = kernel(u, v)
        except Exception as error:
            explain(op, (a, b), NOTHING, error)
            raise
        t = new(face)
        t.value = y
        t.node = t.storage = t.cut = t.alias = None
        mode = is_recording()
        if a_node is None and b_node is None and mode is not INFERENCE:
            t.cut = (a.cut if u is not a else None) or (b.cut if v is not b else None)
            return t
        dtype = of if keeps else y.dtype
        if not mode or (not keeps and dtype.kind != "f"):
            return finish_unusual(t, op, (a, b))
        active = (a_node is not None) + 2 * (b_node is not None)
        save_y, (save_a, save_b), wanted = plans[active] or fill_plan(plans[active], op, active, 2)
        operands = inputs = (a_node, b_node)
        if active != 3 or save_a or save_b:
            own = mode is True or saves_values(mode)
            operands = (
                (u if a_node and own and a.storage is a_node.storage else a)
                if save_a else a_node or only_type(a),
                (v if b_node and own and b.storage is b_node.storage else b)
                if save_b else b_node or only_type(b),
            )  # fmt: skip
        output = y if save_y else None
        t.node = node_of(op, inputs, operands, NOTHING, output, wanted, y.shape, dtype)
        if active != 3 and not promotes and (u is a or v is b):
            keep_plain(t.node)
        if mode is not True:
            apply_mode(t, mode)
        return t

    second = (row_of(op.name).operands or "input other").split()[1]
    return name_after(with_parameters(call, "input", second), op)


def nested(op: Op, face: type[Handle], a: Any, b: Any) -> Any:
    """`op` on two operands, of which a handle has no array as its value: in nested transforms."""
    for x in (a, b):
        if type(x) is not face and type(x) not in CONSTANTS:
            return op.dispatch((a, b), NOTHING)
    return Handle.__gradop__(op, (a, b), op.defaults)


def several(op: Op, names: dict[str, str] = NOTHING) -> Function:
    """`op` with attributes, as a function of tensors; `names` maps keywords to attributes.

    `dim=()` means all dimensions for the reductions that PyTorch defines so, and a 0-d tensor has
    a dimension 0, as a vector of one entry.
    """
    arity = op.arity if len(op.defaults) == len(op.params) else -1
    row = row_of(op.name)
    takes_dtype, has_dims, all_dims = row.takes_dtype, row.dims != "", row.dims == "all"
    count, normal = op.arity, normal_form(op, names)
    quick = on_one(op, Tensor) if count == 1 else on_several(op, Tensor)

    def call(*args: Any, **attrs: Any) -> Any:
        if count and len(args) >= count and type(args[0]) is Tensor:
            found = normal(args[count:], attrs)
            usual = not has_dims or (args[0].value.shape and found and found["axis"] != ())
            if found is not None and usual:
                y = quick(args[0] if count == 1 else args[:count], found)
                if y is not NotImplemented:
                    return y
        if attrs or len(args) != arity:
            attrs = {names.get(k, k): v for k, v in attrs.items()}
            if "input" in attrs:
                args = (attrs.pop("input"), *args)
            if takes_dtype and "dtype" in attrs:
                dtype, rest = attrs.pop("dtype"), args[1:]
                return compute_in(dtype, lambda x: call(x, *rest, **attrs), operand(args[0]))
            args, attrs = op.bind(args, attrs)
            if all_dims and attrs["axis"] == ():
                attrs["axis"] = None
            if has_dims and attrs["axis"] in OF_NUMBERS and not shape_of(args[0]):
                row = as_row(operand(args[0]))
                return as_numbers(op(row, *args[1:], **{**attrs, "axis": 0}))
        else:
            attrs = op.defaults
        handles = False
        for a in args:
            if isinstance(a, Handle):
                handles = True
            elif type(a) not in PLAIN:
                return op(*map(operand, args), **attrs)
        if not handles:
            args = tuple(map(as_tensor, args))
        return Handle.__gradop__(op, args, attrs)

    return name_after(call, op)


class Specialised(dict[Op, Function | None]):
    """The specialised functions of a face by op, created on demand; None for other ops."""

    def __init__(self, face: type[Handle]) -> None:
        self.face = face

    def __missing__(self, op: Op) -> Function | None:
        fits = not op.params and op.arity in (1, 2) and op.traits.isdisjoint(GENERAL)
        make = unary if op.arity == 1 else binary
        self[op] = made = make(op, self.face) if fits else None
        return made


for _face in (Tensor, Array):
    _face.specialised, _face.attributed = Specialised(_face), Attributed(_face)


def other(op: Op, a: Any, b: Any) -> Any:
    """`op` on two operands, one of which is neither a handle of the face nor a number."""
    if type(b) is np.float64 and type(a) is Tensor:
        return Tensor.specialised[op](a, float(b))  # counts as a Python number
    if not any(hasattr(x, "gradop_level") for x in (a, b)):
        a, b = operand(a), operand(b)
    return op.dispatch((a, b), NOTHING)


def operand(x: Any) -> Any:
    """`x` as an operand: arrays and numbers become tensors, handles and tracers stay."""
    if isinstance(x, Handle) or hasattr(x, "gradop_level"):
        return x
    if type(x) in PYTHON_SCALARS:
        return tensor_of_number(x)
    return as_tensor(x)


def with_parameters(call: Any, *names: str) -> Any:
    """`call` with PyTorch's names for its parameters, at no cost to a call."""
    call.__code__ = code_with(names, call.__code__)
    return call


@cache
def code_with(names: tuple[str, ...], code: CodeType) -> CodeType:
    """`code` with these names for its first variables."""
    return code.replace(co_varnames=(*names, *code.co_varnames[len(names) :]))


def name_after(call: Function, op: Op) -> Any:
    """`call` with the name and the docstring of `op`."""
    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    call.spells = op  # type: ignore[attr-defined]
    return call
