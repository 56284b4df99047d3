"""The fast path of ops with attributes, and of views, on handles of arrays of one dtype.

Each function computes and records what `Handle.__gradop__` does, or gives NotImplemented where an
operand or an attribute is unusual. Attributes are brought into their normal form once: later calls
with equal ones share a dict, which also spares the garbage collector one for each node.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from gradops import Op
from gradops.core.attributes import SETTLED
from gradops.core.op import explain
from gradops.core.traits import Trait
from gradops.typing import Attrs

from ..engine.grad_mode import INFERENCE, is_recording, saves_values
from ..engine.handle import ARRAYS, DOUBLE, SINGLE, Handle, finish_unusual
from ..engine.node import new
from ..engine.record import PLANS, node_of, record
from ..hooks.saved_tensor_hooks import apply_mode
from .wrapping import Function

GENERAL = frozenset({Trait.CONTROL, Trait.EFFECT, Trait.OF_TYPE})  # traits of dispatched ops
EXACT = frozenset({int, str, type(None)})  # types whose equal values are the same attribute
KEPT = 512  # normal forms of the attributes of an op


class Attributed(dict[Op, Function | None]):
    """Functions `call(args, attrs)` by op, created on demand; None for other ops."""

    def __init__(self, face: type[Handle]) -> None:
        self.face = face

    def __missing__(self, op: Op) -> Function | None:
        self[op] = found = function_on(op, self.face) if op.traits.isdisjoint(GENERAL) else None
        return found


def function_on(op: Op, face: type[Handle]) -> Function:
    """`op` as a function `call(args, attrs)` of handles of a face."""
    normal, count = normal_form(op), op.arity
    apply = on_one(op, face) if count == 1 else on_several(op, face)

    def call(args: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        operands = args if count is None else args[:count]
        if (found := normal(args[len(operands) :], attrs)) is None:
            return NotImplemented
        return apply(operands[0], found) if count == 1 else apply(operands, found)

    return call


def normal_form(op: Op, names: Mapping[str, str] | None = None) -> Function:
    """A function `normal(given, named)` that gives all attributes of `op`, None for unusual ones.

    `names` maps keywords to attributes. Python's equality does not tell 1 from 1.0 and True, nor
    does a cache of tuples with them; so these are unusual.
    """
    names, params, defaults = names or {}, tuple(op.params), op.defaults
    is_complete = len(defaults) == len(params)

    @lru_cache(maxsize=KEPT, typed=True)
    def bound(*given: Any, **named: Any) -> Attrs | None:
        renamed = {names.get(k, k): v for k, v in named.items()}
        if len(given) > len(params) or not op.params.keys() >= renamed.keys():
            return None
        attrs = op.bind_attrs({**dict(zip(params, given)), **renamed})
        return attrs if all(map(is_plain, attrs.values())) else None

    def normal(given: Sequence[Any], named: Mapping[str, Any]) -> Attrs | None:
        if not named and not given:
            return defaults if is_complete else None
        for v in named.values() if not given else (*given, *named.values()):
            if type(v) not in SETTLED and not is_plain(v):
                return None
        try:
            return bound(*given, **named)
        except Exception:  # the general way says what is wrong
            return None

    return normal


def is_plain(value: Any) -> bool:
    """True for a number, a string or None, or a tuple of them in which equality is identity."""
    if type(value) is not tuple:
        return type(value) in SETTLED
    return EXACT.issuperset(map(type, value)) or all(
        type(v) in EXACT or (type(v) is tuple and is_plain(v)) for v in value
    )


def on_one(op: Op, face: type[Handle]) -> Function:
    """`op` as a function of one handle and its attributes in normal form."""
    kernel, is_view, promotes = op.kernel, Trait.VIEW in op.traits, face.promoted is not None
    plan: list[Any] = []

    def call(x: Any, attrs: Attrs) -> Any:
        if type(x) is not face or type(value := x.value) not in ARRAYS:
            return NotImplemented
        if promotes and (of := value.dtype) is not SINGLE and of is not DOUBLE:
            return NotImplemented
        try:
            y = kernel(value, **attrs)
        except Exception as error:
            explain(op, (x,), attrs, error)
            raise
        t = new(face)
        t.value, t.node, t.cut, t.storage, t.alias = y, None, x.cut, None, None
        mode, node = is_recording(), x.node
        if node is None or not mode or y.dtype.kind != "f":
            if node is not None or mode is INFERENCE:
                finish_unusual(t, op, (x,), attrs)
        else:
            if not plan:
                plan[:] = PLANS[op, 1, 1]
            save_y, (save_x,), wanted = plan
            operands = inputs = (node,)
            if save_x:
                own = x.storage is node.storage and saves_values(mode)
                operands = (value if own else x,)
            output = y if save_y else None
            t.node = node_of(op, inputs, operands, attrs, output, wanted, y.shape, y.dtype)
            if mode is not True:
                apply_mode(t, mode)
        if is_view:
            t.share(x, op, attrs)
        return t

    return call


def on_several(op: Op, face: type[Handle]) -> Function:
    """`op` as a function of several handles and its attributes in normal form."""
    kernel, promotes = op.kernel, face.promoted is not None

    def call(args: Sequence[Any], attrs: Attrs) -> Any:
        of: Any = None
        values, nodes, active, bit = [], [], 0, 1
        for x in args:
            if type(x) is not face or type(value := x.value) not in ARRAYS:
                return NotImplemented
            if promotes and (dtype := value.dtype) is not of:
                if of is not None or (dtype is not SINGLE and dtype is not DOUBLE):
                    return NotImplemented
                of = dtype
            values.append(value)
            nodes.append(node := x.node)
            if node is not None:
                active |= bit
            bit <<= 1
        try:
            y = kernel(*values, **attrs)
        except Exception as error:
            explain(op, args, attrs, error)
            raise
        t = new(face)
        t.value, t.node, t.cut, t.storage, t.alias = y, None, None, None, None
        mode = is_recording()
        if not active and mode is not INFERENCE:
            t.cut = next((x.cut for x in args if x.cut), None)
        elif not active or not mode or y.dtype.kind != "f":
            finish_unusual(t, op, args, attrs)
        else:
            t.node = record(op, args, nodes, active, attrs, y, saves_values(mode))
            if mode is not True:
                apply_mode(t, mode)
        return t

    return call
