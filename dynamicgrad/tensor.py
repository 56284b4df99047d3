"""The tensor: a handle on a value, and on the node that made it."""

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gradops import ArrayType, DetachWarning, Op, Operators, TapeError, stop_gradient, type_of
from gradops.op import PLAIN, as_operand, compute
from gradops.places import here, warn
from gradops.protocols import apply_ufunc

from .modes import INFERENCE, is_recording
from .sharing import Alias, Apart, alias, enter, memory, storage_of
from .tape import NOTHING, Cut, InferenceStorage, Leaf, Node, Part, Storage, new, record

UFUNCS: dict[np.ufunc, Any] = {}
"""Quick functions for ufuncs of NumPy; `spelling` fills it."""

ARRAYS = PLAIN - {bool, int, float, complex}


class Tensor(Operators):
    """An array that can take part in differentiation.

    `Tensor(3, 5)` is an uninitialised float32 tensor of that shape and `Tensor([3, 5])` one with
    those entries, as in PyTorch; `dg.tensor(data)` is the usual way to make one.

    >>> dg.Tensor(3, 5).shape, dg.Tensor([3, 5])
    ((3, 5), tensor([3., 5.]))
    """

    __slots__ = (
        "__weakref__", "alias", "cut", "is_parameter", "kept_grad", "node", "storage", "value"
    )  # fmt: skip
    value: Any
    alias: Alias | None
    cut: Cut | None
    node: Any
    storage: Storage | None
    kept_grad: "Tensor | None"
    specialised: ClassVar[Any]  # set by `fast`
    is_parameter: bool  # set for those that `nn.Parameter` made, and for no others

    if TYPE_CHECKING:  # `spelling` gives tensors their methods, from one table

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *data: Any) -> None:
        if len(data) == 1 and not isinstance(data[0], int):
            self.value = np.array(data[0], np.float32)
        else:
            self.value = np.empty(data, np.float32) if data else np.empty(0, np.float32)
        self.node = self.storage = self.cut = self.alias = None

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> "Tensor":
        values, inputs, active, plain = [], [], 0, True
        for i, a in enumerate(args):
            value, node = (a.value, a.node) if isinstance(a, Tensor) else (a, None)
            values.append(value)
            inputs.append(node)
            if node is not None:
                active |= 1 << i
            if type(value) not in PLAIN:
                plain = False
        if not plain:
            args = lifted(args)
            values = [a.value if isinstance(a, Tensor) else a for a in args]
            inputs = [a.node if isinstance(a, Tensor) else None for a in args]
            active = sum(1 << i for i, node in enumerate(inputs) if node is not None)
        y = compute(op, values, attrs) if plain else op(*values, **attrs)
        found = handle(y)
        mode = is_recording()
        if active and "of_type" in op.traits:
            active = 0  # the values of the operand have no part in it
        if active and mode and y.dtype.kind in "fc":
            record_as(found, op, args, inputs, active, attrs)
        elif active or mode is INFERENCE:
            cut_off(found, op, bool(active))
        else:
            found.cut = next((a.cut for a in args if isinstance(a, Tensor) and a.cut), None)
        if "view" in op.traits and isinstance(args[0], Tensor):
            alias(args[0], found, op, attrs)
        return found

    @property
    def gradop_level(self) -> float:
        """Half a level above what the tensor holds. See Note [Dispatch]."""
        return float(getattr(self.value, "gradop_level", 0.0)) + 0.5

    @property
    def type(self) -> ArrayType:
        """The type of the value."""
        return type_of(self.value)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The size of each axis."""
        return tuple(self.value.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype of the entries."""
        found: np.dtype[Any] = self.value.dtype
        return found

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor was made by the user, or requires no gradient."""
        return self.node is None or type(self.node) is Leaf

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made this tensor; None for a leaf."""
        node = self.node.owner if type(self.node) is Part else self.node
        return None if type(node) is Leaf else node

    @property
    def output_nr(self) -> int:
        """Which output of its node this tensor is."""
        return self.node.index if type(self.node) is Part else 0

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on this tensor, which is not a leaf."""
        return not self.is_leaf and self.node.watch is not None and self.node.watch.retains

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return isinstance(self.storage, InferenceStorage)

    @property
    def data(self) -> "Tensor":
        """The same memory without history; writes to it count as writes to this tensor."""
        return detached(self)

    @data.setter
    def data(self, source: "Tensor") -> None:
        replace_data(self, source)

    @property
    def _base(self) -> "Tensor | None":
        """The tensor this one is a view of, itself no view; None if it is not a view."""
        return self.alias.base if self.alias else None

    def _is_view(self) -> bool:
        """Whether the tensor is a view of another, whose history follows its own."""
        return self.alias is not None

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise TapeError("Inference tensors do not track version counter.")
        return self.storage.version if self.storage else 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and method == "__call__" and (quick := UFUNCS.get(ufunc)) is not None:
            return quick(*args)
        return apply_ufunc(ufunc, method, args, kwargs)

    def __bool__(self) -> bool:
        if self.value.size != 1:
            many = "more than one value" if self.value.size else "no values"
            raise TapeError(
                f"Boolean value of Tensor with {many} is ambiguous\n  hint: use .all() or .any()"
            )
        return bool(self.value)

    def __float__(self) -> float:
        return float(number_of(self))

    def __int__(self) -> int:
        return int(number_of(self))

    def __complex__(self) -> complex:
        return complex(number_of(self))

    def __format__(self, spec: str) -> str:
        value = self.value if type(self.value) not in ARRAYS else self.value[()]
        return format(value if spec and not self.shape else str(self), spec)

    def __reduce__(self) -> Any:
        kind = getattr(self, "is_parameter", False)
        return restored, (np.asarray(self.value), self.node is not None, kind)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tensor":
        if not self.is_leaf:
            raise TapeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy"
                " protocol\n  hint: copy x.detach()"
            )
        kind = getattr(self, "is_parameter", False)
        found = memo[id(self)] = restored(np.array(self.value), self.node is not None, kind)
        if (grad := getattr(self, "grad", None)) is not None:
            found.grad = handle(np.array(grad.value))  # type: ignore[attr-defined]
        return found

    def __index__(self) -> int:
        if self.dtype.kind not in "iub" or self.value.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.value.item())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        from .printing import tensor_repr

        return tensor_repr(self)


def known(t: Tensor) -> Any:
    """The value of `t` if it is known now; if not, the operand that stands for it says so."""
    return t.value if hasattr(t.value, "item") else np.asarray(t.value)


def number_of(t: Tensor) -> Any:
    """The one entry of `t`, for Python to make a number of; a gradient would not follow it."""
    if t.value.size != 1:
        raise ValueError(
            f"only one element tensors can be converted to Python scalars; this one is {t.type}"
        )
    if t.node is not None and is_recording():
        warn(
            "Converting a tensor with requires_grad=True to a scalar cuts it off from the graph;"
            " use .item() or .detach() to say so, or functions of NumPy or dynamicgrad, not of math"
            " and random",
            DetachWarning,
        )
    return t.value.item() if type(t.value) in ARRAYS else t.value


def lifted(args: Sequence[Any]) -> list[Any]:
    """Operands among which all tensors have one level: held by another, if theirs is lower.

    What a tensor of a lower level is computed from is recorded there, and is a constant here.
    """
    args = [unwrapped(a) if isinstance(a, Tensor) else a for a in args]
    level = max(a.gradop_level for a in args if isinstance(a, Tensor))
    return [handle(a) if isinstance(a, Tensor) and a.gradop_level < level else a for a in args]


def unwrapped(t: Tensor) -> Tensor:
    """What `t` stands for where it is a constant that was held for an operation of before."""
    while t.node is None and isinstance(t.value, Tensor):
        t = t.value
    return t


def restored(value: Any, requires_grad: bool, is_parameter: bool = False) -> Tensor:
    """A leaf with a value, as it comes back from a pickle or a copy."""
    t = handle(value)
    if is_parameter:
        t.is_parameter = True
    return make_leaf(t) if requires_grad else t


def handle(value: Any, node: Any = None) -> Tensor:
    """A tensor on a value and the node that made it."""
    t: Tensor = new(Tensor)
    t.value, t.node, t.storage, t.cut, t.alias = value, node, None, None, None
    return t


def unusual(t: Tensor, op: Op, args: Sequence[Any]) -> Tensor:
    """A new result of the common path that is not to be recorded after all, or is complex."""
    inputs = [a.node if isinstance(a, Tensor) else None for a in args]
    active = sum(1 << i for i, node in enumerate(inputs) if node is not None)
    mode = is_recording()
    if not active or not mode or t.value.dtype.kind != "c":
        return cut_off(t, op, bool(active))
    record_as(t, op, args, inputs, active, NOTHING)
    return t


def record_as(
    t: Tensor, op: Op, args: Sequence[Any], inputs: list[Any], active: int, attrs: Any
) -> None:
    """Record how the new result `t` came about; a mode may ask for more. See Note [Modes]."""
    t.node = record(op, args, inputs, active, attrs, t.value)
    if (mode := is_recording()) is not True:
        from .packing import noted

        noted(t, mode)


def cut_off(t: Tensor, op: Op | None, tracked: bool, reason: str = "") -> Tensor:
    """Note on a new tensor why it has no history, and in inference mode that it never will."""
    mode = is_recording()
    if mode is INFERENCE:
        t.storage = InferenceStorage()
    if tracked:
        unrecorded = "under inference_mode()" if mode is INFERENCE else "under no_grad()"
        why = reason or (f"by its dtype, {t.dtype}, which has no gradient" if mode else unrecorded)
        t.cut = Cut(why, op, here())
    return t


def as_tensor(x: Any) -> Tensor:
    """`x` itself if it is a tensor, else a tensor that holds it; sequences become arrays."""
    return x if isinstance(x, Tensor) else handle(as_operand(x))


def make_leaf(t: Tensor) -> Tensor:
    """Let `t` require gradients as a leaf."""
    t.node = Leaf(t.value.shape, t.value.dtype)
    t.node.handle = weakref.ref(t)
    t.node.grad = getattr(t, "kept_grad", None)
    return t


def detached(t: Tensor) -> Tensor:
    """A leaf on the same memory as `t`, and without the tangent that it may carry."""
    if type(t.value) not in ARRAYS:
        found = handle(stop_gradient(t.value))
        found.storage = storage_of(t)
        step = stop_gradient, NOTHING
        enter(found, t.alias.onward(step, "", Apart) if t.alias else Apart(t, (step,), ""))
        return found
    found = handle(memory(t))
    found.storage = storage_of(t)
    found.storage.viewed = True
    found.cut = t.cut if t.node is None else Cut("by detach()", None, here())
    return found


def replace_data(t: Tensor, source: Any) -> None:
    """Let `t`, which is a leaf, hold the memory of `source`; whoever saved `t` will notice."""
    if not isinstance(source, Tensor):
        raise TypeError(f"data is set to a tensor, not to a {type(source).__name__}")
    if source.value is t.value:
        return  # `t.data -= step` has written already
    if t.node is not None and (not t.is_leaf or source.type != t.type):
        raise TapeError(
            f"the data of a leaf that requires grad can be set to a {t.type}, not {source.type};"
            " that of a result cannot be\n  hint: make a new leaf, or use copy_() under no_grad()"
        )
    before, t.value, t.alias = storage_of(t), memory(source), None
    t.storage = storage_of(source)
    t.storage.viewed = True
    for storage in (before, t.storage):
        storage.write()
