"""The functions of `__gradop_kind__`: how a tracer captures handles, and records on their tape.

See `Kind` in `gradops.core.tracer_protocol`.
"""

from collections.abc import Sequence
from typing import Any

from gradops import GraphError, TapeError, stop_gradient
from gradops.typing import AnyArray

from ..engine import storage
from ..engine.array import Array
from ..engine.backward import carry, initial_cotangents
from ..engine.grad_mode import INFERENCE, RECORDING, is_grad_enabled
from ..engine.handle import Handle, detach, hold, make_leaf
from ..engine.node import Leaf, Vertex, clock
from ..engine.plain_arrays import is_plain, protected_copy
from ..engine.saved_tensors import tensors
from ..engine.storage import MADE_IN_INFERENCE, storage_of
from ..engine.views import replay
from ..ops.inplace import require_writable
from . import compiled
from .compiled import Handles

is_recording, freed_by = is_grad_enabled, compiled.freed_by
record_call, record_freed = compiled.record_call, compiled.record_freed
memory = storage_of  # the identity of the memory of a tensor, until it is given another
saved = protected_copy  # a value that a call saves for backward: see Note [Plain arrays]


def look(t: Handle) -> object:
    """The properties of a tensor, beside its type, that a program may depend on."""
    node = t.node
    if node is None:
        return None
    if type(node) is not Leaf:
        return "result"
    hooks = [node.watch.hooks] if node.watch is not None else []
    if (own := node.hooks) is not None:
        hooks += [own.before, own.accumulated, own.after]
    return node.grad is None, *(tuple(map(id, each.values())) for each in hooks)


def base(t: Handle) -> Handle | None:
    """The tensor of which `t` is a view; None if there is none, or it has other memory now."""
    if t.alias is None or t.storage is not t.alias.base.storage:
        return None
    if t.alias.steps is None:
        raise GraphError(
            f"a {t.type} is a view that a custom function gave, and cannot be captured"
            "\n  hint: pass it as an argument, or capture its clone()"
        )
    return t.alias.base


def state(t: Handle) -> tuple[Any, ...]:
    """The fields of a tensor, and of the leaf and the storage that it has."""
    leaf, shared = t.node, t.storage or getattr(t.node, "storage", None)
    written = () if shared is None else (shared.changed, shared.version, shared.place)
    grad = leaf.grad if type(leaf) is Leaf else getattr(t, "kept_grad", None)
    return t.value, leaf, grad, shared, written, t.alias, t.cut


def restore(t: Handle, state: tuple[Any, ...]) -> bool:
    """Restore the fields of a tensor; return whether it had been written to."""
    value, changed = t.value, t.storage.changed if t.storage is not None else 0
    t.value, t.node, grad, t.storage, written, t.alias, t.cut = state
    if type(t.node) is Leaf:
        t.node.grad = grad
    elif t.node is None and (grad is not None or hasattr(t, "kept_grad")):
        t.kept_grad = grad
    if t.node is not None:
        t.node.storage = t.storage  # or writes of the trace would count
    if t.storage is not None:
        t.storage.changed, t.storage.version, t.storage.place = written
    return value is not t.value or changed > (written[0] if written else 0)


def signature(t: Handle) -> tuple[object, ...]:
    """The properties of an argument, beside its entries, that a program may depend on."""
    keeps_grad = t.node is None and getattr(t, "kept_grad", None) is not None
    return t.value.shape, t.value.dtype, *looks((t,)), keeps_grad


def gradient(t: Handle) -> Handle | None:
    """The gradient that a leaf, or a tensor that requires none, has."""
    found: Handle | None = getattr(t, "kept_grad", None)
    if t.node is None:
        return found
    return t.node.grad if type(t.node) is Leaf else None


def set_gradient(t: Handle, value: Handle | None) -> None:
    """Set or remove the gradient of a leaf, or of a handle that requires none."""
    if type(t.node) is Leaf:
        t.node.grad = value
    else:
        t.kept_grad = value


def stand_in(t: Handle, value: AnyArray, grad: Handle | None) -> Handle:
    """A tensor like `t` that holds `value`, a leaf with the same hooks if it has a history."""
    found = hold(type(t), value)
    if getattr(t, "is_parameter", False):
        found.is_parameter = True
    if t.node is not None:
        make_leaf(found)
    set_gradient(found, grad)
    if type(t.node) is Leaf:
        found.node.watch, found.node.hooks = t.node.watch, t.node.hooks
    return found


def enter(t: Handle, value: AnyArray, grad: Handle | None) -> None:
    """Make a tensor a leaf that holds `value`; its hooks stay."""
    t.value, t.storage, t.alias, t.cut = value, None, None, None
    if t.node is not None and type(t.node) is not Leaf:
        make_leaf(t)
    set_gradient(t, grad)


def enter_view(t: Handle, grad: Handle | None) -> None:
    """Compute a view again from the present value of its base."""
    alias = t.alias
    assert alias is not None
    t.value, t.storage, t.cut = alias.view_of(alias.base.value), storage_of(alias.base), None
    t.storage.viewed = True
    storage.enter(t, alias)
    if type(t.node) is Leaf:
        t.node.grad = grad
    elif t.node is not None:
        t.node = replay(alias.base, alias.steps or ())


def shallow_copy(t: Handle) -> Handle:
    """Another handle on the value and the node."""
    return hold(type(t), t.value, t.node)


def view_of_base(t: Handle, base: Handle) -> Handle:
    """The view of another base by the steps of `t`, cut off where `t` is."""
    assert t.alias is not None
    mode, found, refusal = RECORDING.get(), base, t.alias.refusal
    if refusal:
        mode = INFERENCE if refusal == MADE_IN_INFERENCE else False
    before = RECORDING.set(mode)
    try:
        for op, attrs in t.alias.steps or ():
            found = detach(found) if op is stop_gradient else op(found, **attrs)
    finally:
        RECORDING.reset(before)
    return make_leaf(found) if type(t.node) is Leaf else found


def are_sharing(written: Handles, others: Handles) -> bool:
    """True if tensors of `written`, which can be written to, share memory with others."""
    for t in written:
        require_writable(t)
    shared = {id(t.storage): t for t in written if t.storage is not None and t.storage.viewed}
    return bool(shared) and any(
        id(t.storage) in shared and shared[id(t.storage)] is not t for t in (*written, *others)
    )


def holder(value: AnyArray) -> Handle:
    """A handle that holds a value and requires no gradient."""
    return hold(Array, value)


def takes_scalars_for_numbers(t: Handle) -> bool:
    """True if a scalar of NumPy's counts as a number of Python's beside `t`, as for PyTorch."""
    return type(t) is not Array


def with_history(value: AnyArray, origin: Handle) -> Handle:
    """A handle on a value, with the history and storage of `origin`."""
    found = hold(Array, value, origin.node)
    found.storage = origin.storage
    return found


def read(x: Any, call: str) -> object:
    """A saved value; raises TapeError if it is a plain array that was written to since."""
    if not is_plain(x):
        return x
    if x.storage.differs(x.value):
        raise TapeError(
            f"the plain array {x.type} that the compiled function {call} was given has other"
            " entries now: its gradient would be wrong\n  hint: write to a copy, or make a new"
            " array in each round of a loop"
        )
    return x.value


def leaf(value: AnyArray) -> Handle:
    """A leaf that holds a value."""
    return make_leaf(hold(Array, value))


def time() -> int:
    """The next number of the clock of nodes and writes."""
    return next(clock)


def values(ts: Handles) -> list[AnyArray]:
    """The values of tensors."""
    return [t.value for t in ts]


def looks(ts: Handles) -> list[object]:
    """The facts of `look` for each tensor; a shorter one for leaves without hooks."""
    return [
        None if (node := t.node) is None
        else node.grad is None if type(node) is Leaf and not (node.watch or node.hooks)
        else look(t)
        for t in ts
    ]  # fmt: skip


def argument_looks(ts: Handles) -> list[object]:
    """The facts of `looks`, and of tensors that require no gradient, whether they have one."""
    found = looks(ts)
    for i, t in enumerate(ts):
        if t.node is None and getattr(t, "kept_grad", None) is not None:
            found[i] = "has a gradient"
    return found


def vertex(t: Handle) -> Vertex | None:
    """The node of a tensor, None if it requires no gradient."""
    return t.node


def pull(outputs: Handles, ends: Sequence[Vertex], seeds: Handles) -> list[AnyArray | None]:
    """The gradients at vertices, recorded; hooks of leaves run later, at accumulation."""
    watches = [v.watch for v in ends]
    mode = RECORDING.set(True)
    try:
        for v in ends:
            v.watch = None
        found = carry(initial_cotangents(outputs, seeds), ends, True, tensors)
    finally:
        RECORDING.reset(mode)
        for v, watch in zip(ends, watches, strict=True):
            v.watch = watch
    return [found.get(v) for v in ends]
