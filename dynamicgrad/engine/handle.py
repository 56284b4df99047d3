"""The handle: a value and the node of the operation that computed it.

Note [Two faces]. PyTorch and NumPy give the same names different meanings. So there are two
subclasses of handles on one tape: `Tensor` follows PyTorch and `Array` follows NumPy, each with its
own promotion, indexing and methods. No flag says which program is running: the class of the operand
says it, which is called its face. A result has the face of its operands, and is a `Tensor` where
they differ. Derivative rules are written with NumPy's semantics, so they get arrays.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np

import gradops
from gradops import ArrayType, DTypeError, Op, Operators, TapeError, stop_gradient, type_of
from gradops.core.op import PLAIN, compute
from gradops.core.source_location import here
from gradops.core.traits import Trait
from gradops.numpy_api.detach_checks import leaving, warn_detached
from gradops.typing import Attrs, Operand

from .grad_mode import INFERENCE, is_recording, saves_values
from .node import NOTHING, Cut, InferenceStorage, Leaf, Node, Part, Storage, Vertex, new
from .record import record
from .storage import Alias, DetachedAlias, alias, alias_of, enter, memory, storage_of

SINGLE, DOUBLE = np.dtype("float32"), np.dtype("float64")
ARRAYS = PLAIN - {bool, int, float, complex}
OF_TYPE, VIEW = Trait.OF_TYPE, Trait.VIEW
REAL_NUMBERS = frozenset({float, int})


class Handle(Operators):
    """A value that may take part in differentiation, and its node."""

    __slots__ = (
        "__weakref__", "alias", "cut", "is_parameter", "kept_grad", "node", "storage", "value"
    )  # fmt: skip
    value: Any
    alias: Alias | None
    cut: Cut | None
    node: Any  # a `Node`, `Part` or `Leaf`, or None
    storage: Storage | None
    kept_grad: Any
    is_parameter: bool  # only set on those that `nn.Parameter` created
    specialised: ClassVar[Any]  # functions by op without attributes, set by `fast_path`
    attributed: ClassVar[Any]  # functions by op with attributes, set by `fast_path`
    ufuncs: ClassVar[dict[np.ufunc, Any]]  # specialised functions by ufunc, set by `installation`
    rank: ClassVar[int]  # of operands with several faces, the highest decides
    cut_by_number: ClassVar[str]  # the warning at a conversion to a number
    promoted: ClassVar[Any]  # promotes operands; None if kernels do; set by `fast_path`
    _settle: ClassVar[Any]  # finishes a new node, set by `saved_tensor_hooks`

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: Attrs) -> Any:
        face, values, inputs, active, plain, floats = operand_facts(args)
        if not floats and face.promoted is not None and (by := face.promoted(op, args)) is not args:
            args = by
            face, values, inputs, active, plain, floats = operand_facts(args)
        if not plain and (lifted := lift(args)) is not args:
            args = lifted
            face, values, inputs, active, plain, floats = operand_facts(args)
        y = compute(op, values, attrs) if plain else op(*values, **attrs)
        found = hold(face, y)
        mode = is_recording()
        if active and OF_TYPE in op.traits:
            active = 0  # it depends on the operand's type only
        if active and mode and y.dtype.kind in "fc":
            by_value = plain and saves_values(mode)
            found.node = record(op, args, inputs, active, attrs, y, by_value)
            if not floats or mode is not True:
                Handle._settle(found, mode)
        elif active or mode is INFERENCE:
            cut_off(found, op, bool(active))
        else:
            found.cut = next((a.cut for a in args if isinstance(a, Handle) and a.cut), None)
        if VIEW in op.traits and isinstance(args[0], Handle):
            found.share(args[0], op, attrs)
        return found

    def share(self, base: Handle, op: Op, attrs: Attrs) -> None:
        """Record that this new result of a view op shares the memory of `base`."""
        alias(base, self, op, attrs)

    def can_store(self, dtype: np.dtype) -> bool:
        """True if a result of `dtype` may be written to it in place, by the rules of its face."""
        raise NotImplementedError

    @property
    def gradop_level(self) -> float:
        """Half a level above that of its value. See Note [Dispatch]."""
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
    def dtype(self) -> np.dtype:
        """The NumPy dtype of the entries."""
        dtype: np.dtype = self.value.dtype
        return dtype

    @property
    def is_leaf(self) -> bool:
        """True if the user created it, or it requires no gradient."""
        return self.node is None or type(self.node) is Leaf

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that computed it; None for a leaf."""
        node = self.node.owner if type(self.node) is Part else self.node
        return None if type(node) is Leaf else node

    def is_inference(self) -> bool:
        """True if it was computed in inference mode."""
        return isinstance(self.storage, InferenceStorage)

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise TapeError("Inference tensors do not track version counter.")
        return self.storage.version if self.storage else 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and method == "__call__" and (quick := self.ufuncs[ufunc]) is not None:
            return quick(*args)
        return gradops.numpy_api.apply_ufunc(ufunc, method, args, kwargs)

    def __bool__(self) -> bool:
        if self.value.size != 1:
            many = "more than one value" if self.value.size else "no values"
            raise TapeError(
                f"Boolean value of {type(self).__name__} with {many} is ambiguous\n  hint: use"
                " .all() or .any()"
            )
        return bool(self.value)

    def __float__(self) -> float:
        return float(real_number_of(self))

    def __int__(self) -> int:
        return int(real_number_of(self))

    def __complex__(self) -> complex:
        return complex(number_of(self))

    def __format__(self, spec: str) -> str:
        value = self.value if type(self.value) not in ARRAYS else self.value[()]
        return format(value if spec and not self.shape else str(self), spec)

    def becomes_number(self) -> None:
        """Warn that a conversion to a Python number cuts the gradient off."""
        warn_detached(self.cut_by_number)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"len() of a 0-d {type(self).__name__.lower()}")
        return int(self.shape[0])

    if TYPE_CHECKING:  # the entries; set by `installation`

        def __iter__(self: Face) -> Iterator[Face]: ...

    def __index__(self) -> int:
        if self.dtype.kind not in "iub" or self.value.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.value.item())


class MissingAttribute:
    """An attribute that a face lacks: reading it raises AttributeError with what to write instead.

    A `__getattr__` would slow down the access to every attribute of every handle.
    """

    def __init__(self, name: str, hint: str) -> None:
        self.name, self.hint = name, hint

    def __get__(self, instance: object, owner: type) -> NoReturn:
        said = f"{owner.__name__!r} object has no attribute {self.name!r}"
        # without `obj`, so that Python does not suggest another name, which may be missing too
        raise AttributeError(f"{said}\n  hint: {self.hint}", name=self.name)


Face = TypeVar("Face", bound=Handle)
Facts = tuple[Any, list[Any], list[Vertex | None], int, bool, bool]


def hold(face: type[Face], value: object, node: Vertex | None = None) -> Face:
    """A handle of a face, on a value and its node."""
    t: Face = new(face)
    t.value, t.node, t.storage, t.cut, t.alias = value, node, None, None, None
    return t


def operand_facts(args: Sequence[Operand]) -> Facts:
    """Facts about operands: face of the result, values, nodes, active bits, `plain`, `floats`.

    The bits of `active` mark operands with nodes. `plain`: all values are arrays or numbers.
    `floats`: all operands are handles of one face and one dtype, float32 or float64.
    """
    values: list[Any] = []
    inputs: list[Vertex | None] = []
    face: Any = None
    of: Any = None
    active, plain, alike = 0, True, True
    for a in args:
        if isinstance(a, Handle):
            value, node = a.value, a.node
            if face is None:
                face, of = type(a), value.dtype
            elif type(a) is not face:
                alike, face = False, face if face.rank > a.rank else type(a)
            elif value.dtype is not of:
                alike = False
            if node is not None:
                active |= 1 << len(inputs)
        else:
            value, node, alike = a, None, False
        if type(value) not in PLAIN:
            plain = False
        values.append(value)
        inputs.append(node)
    return face, values, inputs, active, plain, alike and (of is SINGLE or of is DOUBLE)


def face_of(args: Sequence[object]) -> Any:
    """The face of a result: that of highest rank among the operands'."""
    found: Any = None
    for a in args:
        if isinstance(a, Handle) and (found is None or type(a).rank > found.rank):
            found = type(a)
    return found


def on_face(face: type[Face], x: object) -> Face:
    """A handle of a face on the value, memory and node of `x`, or on a plain `x`."""
    if type(x) is face:
        return x
    if not isinstance(x, Handle):
        return hold(face, x)
    found = hold(face, x.value, x.node)
    found.cut, found.alias = x.cut, x.alias
    if x.node is not None or x.storage is not None:
        found.storage = storage_of(x)
    return found


def value_or_error(t: Handle) -> Any:
    """The value of `t`; raises the error of a tracer whose value is not known yet."""
    return t.value if hasattr(t.value, "item") else np.asarray(t.value)


def number_of(t: Handle) -> Any:
    """The single entry of `t`, for a conversion to a Python number, which cuts gradients off."""
    if t.value.size != 1:
        raise ValueError(
            f"only one element tensors can be converted to Python scalars; this one is {t.type}"
        )
    value = t.value
    if t.node is not None and is_recording():
        t.becomes_number()
        value = leaving(value)
    return value.item() if type(value) in ARRAYS else value


def real_number_of(t: Handle) -> Any:
    """The single entry of `t`; raises DTypeError if it is complex."""
    if t.dtype.kind == "c":
        raise DTypeError("float", [t.type], "a complex number is not real", hint="take x.real")
    return number_of(t)


def lift(args: Sequence[Operand]) -> Sequence[Operand]:
    """Operands with all handles at one level: those of lower levels are wrapped in a handle.

    The history of a tensor of a lower level is recorded there; it is a constant here.
    """
    levels: list[float] = []
    for a in args:
        if isinstance(a, Handle):
            if a.node is None and isinstance(a.value, Handle):
                return lift([unwrap(a) if isinstance(a, Handle) else a for a in args])
            levels.append(a.gradop_level)
    level = max(levels)
    if min(levels) == level:
        return args
    return [
        hold(type(a), a) if isinstance(a, Handle) and a.gradop_level < level else a for a in args
    ]


def unwrap(t: Handle) -> Handle:
    """The handle inside of `t`, if an earlier operation has wrapped it as a constant."""
    while t.node is None and isinstance(t.value, Handle):
        t = on_face(type(t), t.value)
    return t


def finish_unusual(t: Handle, op: Op, args: Sequence[Operand], attrs: Attrs = NOTHING) -> Handle:
    """A new result of the fast path that is not recorded after all, or is complex."""
    inputs = [a.node if isinstance(a, Handle) else None for a in args]
    active = sum(1 << i for i, node in enumerate(inputs) if node is not None)
    mode = is_recording()
    if not active or not mode or t.value.dtype.kind != "c":
        return cut_off(t, op, bool(active))
    t.node = record(op, args, inputs, active, attrs, t.value)
    Handle._settle(t, mode)
    return t


def cut_off(t: Face, op: Op | None, tracked: bool) -> Face:
    """Set the reason why a new tensor has no history, and mark it in inference mode."""
    mode = is_recording()
    if mode is INFERENCE:
        t.storage = InferenceStorage()
    if tracked:
        unrecorded = "under inference_mode()" if mode is INFERENCE else "under no_grad()"
        why = f"by its dtype, {t.dtype}, which has no gradient" if mode else unrecorded
        t.cut = Cut(why, op, here())
    return t


def make_leaf(t: Face) -> Face:
    """Make `t` a leaf that requires gradients."""
    t.node = Leaf(t.value.shape, t.value.dtype)
    t.node.handle, t.node.storage = weakref.ref(t), t.storage
    t.node.grad = getattr(t, "kept_grad", None)
    return t


def detach(t: Face) -> Face:
    """A leaf on the memory of `t`, without history and without a tangent."""
    if type(t.value) not in ARRAYS:
        found = hold(type(t), stop_gradient(t.value))
        found.storage = storage_of(t)
        enter(found, alias_of(t, stop_gradient, NOTHING, kind=DetachedAlias))
        return found
    leaf = hold(type(t), memory(t))
    leaf.storage = storage_of(t)
    leaf.storage.lend()
    leaf.cut = t.cut if t.node is None else Cut("by detach()", None, here())
    return leaf
