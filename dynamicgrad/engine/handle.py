"""The handle: a value, and the node that made it; what `Tensor` and `Array` have in common.

Note [Two faces]. PyTorch's programs and NumPy's expect different things of the same words. So
there are two kinds of handles on the nodes of the one tape: `Tensor` speaks PyTorch and `Array`
speaks NumPy, each with promotion, indexing and methods of its own. No flag says which program is
running: the handle says it. A result has the face of its operands, and is a `Tensor` where they
differ. Derivative rules are written in NumPy's words, so they are handed arrays.
"""

import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from gradops import ArrayType, DTypeError, Op, Operators, TapeError, stop_gradient, type_of
from gradops.core.op import PLAIN, compute
from gradops.core.source_location import here
from gradops.core.traits import Trait
from gradops.numpy_api import apply_ufunc
from gradops.numpy_api.detach_checks import number_made

from .grad_mode import INFERENCE, is_recording
from .node import NOTHING, Cut, InferenceStorage, Leaf, Node, Part, Storage, new
from .record import record
from .storage import Alias, Apart, alias, enter, memory, storage_of

SINGLE, DOUBLE = np.dtype("float32"), np.dtype("float64")
ARRAYS = PLAIN - {bool, int, float, complex}
OF_TYPE, VIEW = Trait.OF_TYPE, Trait.VIEW
REAL_NUMBERS = frozenset({float, int})


class Handle(Operators):
    """A value that may take part in differentiation, and the node that made it."""

    __slots__ = (
        "__weakref__", "alias", "cut", "is_parameter", "kept_grad", "node", "storage", "value"
    )  # fmt: skip
    value: Any
    alias: Alias | None
    cut: Cut | None
    node: Any
    storage: Storage | None
    kept_grad: Any
    is_parameter: bool  # set for those that `nn.Parameter` made, and for no others
    specialised: ClassVar[Any]  # quick functions by ops, set by `fast_path`
    ufuncs: ClassVar[dict[np.ufunc, Any]]  # quick functions by ufuncs of NumPy's
    rank: ClassVar[int]  # where operands have several faces, the result has that of highest rank
    cut_by_number: ClassVar[str]  # what to say where a number is made of what is differentiated
    promoted: ClassVar[Any]  # brings operands to one dtype; None where the kernels do; set there
    _settle: ClassVar[Any]  # what else a new node needs, set by `saved_tensor_hooks`

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        face, values, inputs, active, plain, floats = gathered(args)
        if not floats and face.promoted is not None and (by := face.promoted(op, args)) is not args:
            args = by
            face, values, inputs, active, plain, floats = gathered(args)
        if not plain:
            args = lifted(args)
            face, values, inputs, active, plain, floats = gathered(args)
        y = compute(op, values, attrs) if plain else op(*values, **attrs)
        found = hold(face, y)
        mode = is_recording()
        if active and OF_TYPE in op.traits:
            active = 0  # the values of the operand have no part in it
        if active and mode and y.dtype.kind in "fc":
            found.node = record(op, args, inputs, active, attrs, y)
            if not floats or mode is not True:
                Handle._settle(found, mode)
        elif active or mode is INFERENCE:
            cut_off(found, op, bool(active))
        else:
            found.cut = next((a.cut for a in args if isinstance(a, Handle) and a.cut), None)
        if VIEW in op.traits and isinstance(args[0], Handle):
            found.share(args[0], op, attrs)
        return found

    def share(self, base: "Handle", op: Op, attrs: dict[str, Any]) -> None:
        """Let this new result of a view op know that it lies in the memory of `base`."""
        alias(base, self, op, attrs)

    def can_store(self, dtype: np.dtype[Any]) -> bool:
        """Whether results of a dtype may be written to it in place, by the rules of its face."""
        raise NotImplementedError

    @property
    def gradop_level(self) -> float:
        """Half a level above what the handle holds. See Note [Dispatch]."""
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
        """Whether it was made by the user, or requires no gradient."""
        return self.node is None or type(self.node) is Leaf

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made it; None for a leaf."""
        node = self.node.owner if type(self.node) is Part else self.node
        return None if type(node) is Leaf else node

    def is_inference(self) -> bool:
        """Whether it was made in inference mode."""
        return isinstance(self.storage, InferenceStorage)

    @property
    def _version(self) -> int:
        if self.is_inference():
            raise TapeError("Inference tensors do not track version counter.")
        return self.storage.version if self.storage else 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and method == "__call__" and (quick := self.ufuncs[ufunc]) is not None:
            return quick(*args)
        return apply_ufunc(ufunc, method, args, kwargs)

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
        """Warn that a number of Python's is made of what is being differentiated."""
        number_made(self.cut_by_number)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"len() of a 0-d {type(self).__name__.lower()}")
        return int(self.shape[0])

    if TYPE_CHECKING:  # the entries; set by `installation`

        def __iter__(self) -> Iterator[Any]: ...

    def __index__(self) -> int:
        if self.dtype.kind not in "iub" or self.value.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.value.item())


class Lacking:
    """A name that a face does not have: reading it raises, and says what to write instead.

    It is no `__getattr__`, which would make every attribute of every handle slower to read.
    """

    def __init__(self, name: str, hint: str) -> None:
        self.name, self.hint = name, hint

    def __get__(self, instance: Any, owner: type) -> Any:
        said = f"{owner.__name__!r} object has no attribute {self.name!r}"
        # with a name and no object, so that Python suggests no other name, which may lack too
        raise AttributeError(f"{said}\n  hint: {self.hint}", name=self.name)


Face = TypeVar("Face", bound=Handle)


def hold(face: type[Face], value: Any, node: Any = None) -> Face:
    """A handle with a face, on a value and the node that made it."""
    t: Face = new(face)
    t.value, t.node, t.storage, t.cut, t.alias = value, node, None, None, None
    return t


def gathered(args: Sequence[Any]) -> tuple[Any, list[Any], list[Any], int, bool, bool]:
    """The face of a result, the values and nodes of its operands, and what else is asked of them.

    These are the bits of those with nodes; whether all values are plain; and whether all operands
    are handles of single, or all of double precision.
    """
    values: list[Any] = []
    inputs: list[Any] = []
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


def face_of(args: Sequence[Any]) -> Any:
    """The face of a result: that of highest rank among the operands'."""
    found: Any = None
    for a in args:
        if isinstance(a, Handle) and (found is None or type(a).rank > found.rank):
            found = type(a)
    return found


def on_face(face: type[Face], x: Any) -> Face:
    """A handle with a face on the same value, memory and node as `x`, which may be plain."""
    if type(x) is face:
        return x
    if not isinstance(x, Handle):
        return hold(face, x)
    found = hold(face, x.value, x.node)
    found.cut, found.alias = x.cut, x.alias
    if x.node is not None or x.storage is not None:
        found.storage = storage_of(x)
    return found


def known(t: Handle) -> Any:
    """The value of `t`, or the error of its operand if the value is not known now."""
    return t.value if hasattr(t.value, "item") else np.asarray(t.value)


def number_of(t: Handle) -> Any:
    """The one entry of `t`, for Python to make a number of; a gradient would not follow it."""
    if t.value.size != 1:
        raise ValueError(
            f"only one element tensors can be converted to Python scalars; this one is {t.type}"
        )
    if t.node is not None and is_recording():
        t.becomes_number()
    return t.value.item() if type(t.value) in ARRAYS else t.value


def real_number_of(t: Handle) -> Any:
    """The one entry of `t`, which is not complex, for Python to make a number of."""
    if t.dtype.kind == "c":
        raise DTypeError("float", [t.type], "a complex number is not real", hint="take x.real")
    return number_of(t)


def lifted(args: Sequence[Any]) -> list[Any]:
    """Operands among which all tensors have one level: held by another, if theirs is lower.

    What a tensor of a lower level is computed from is recorded there, and is a constant here.
    """
    args = [unwrapped(a) if isinstance(a, Handle) else a for a in args]
    level = max(a.gradop_level for a in args if isinstance(a, Handle))
    return [
        hold(type(a), a) if isinstance(a, Handle) and a.gradop_level < level else a for a in args
    ]


def unwrapped(t: Handle) -> Handle:
    """The innermost handle of `t`, where it is a constant that an earlier operation has lifted."""
    while t.node is None and isinstance(t.value, Handle):
        t = on_face(type(t), t.value)
    return t


def unusual(t: Handle, op: Op, args: Sequence[Any]) -> Handle:
    """A new result of the common path that is not to be recorded after all, or is complex."""
    inputs = [a.node if isinstance(a, Handle) else None for a in args]
    active = sum(1 << i for i, node in enumerate(inputs) if node is not None)
    mode = is_recording()
    if not active or not mode or t.value.dtype.kind != "c":
        return cut_off(t, op, bool(active))
    t.node = record(op, args, inputs, active, NOTHING, t.value)
    Handle._settle(t, mode)
    return t


def cut_off(t: Face, op: Op | None, tracked: bool, reason: str = "") -> Face:
    """Note on a new tensor why it has no history, and in inference mode that it never will."""
    mode = is_recording()
    if mode is INFERENCE:
        t.storage = InferenceStorage()
    if tracked:
        unrecorded = "under inference_mode()" if mode is INFERENCE else "under no_grad()"
        why = reason or (f"by its dtype, {t.dtype}, which has no gradient" if mode else unrecorded)
        t.cut = Cut(why, op, here())
    return t


def make_leaf(t: Face) -> Face:
    """Let `t` require gradients as a leaf."""
    t.node = Leaf(t.value.shape, t.value.dtype)
    t.node.handle = weakref.ref(t)
    t.node.grad = getattr(t, "kept_grad", None)
    return t


def detached(t: Face) -> Face:
    """A leaf on the same memory as `t`, and without the tangent that it may carry."""
    if type(t.value) not in ARRAYS:
        found = hold(type(t), stop_gradient(t.value))
        found.storage = storage_of(t)
        step = stop_gradient, NOTHING
        enter(found, t.alias.onward(step, "", Apart) if t.alias else Apart(t, (step,), ""))
        return found
    found = hold(type(t), memory(t))
    found.storage = storage_of(t)
    found.storage.lend()
    found.cut = t.cut if t.node is None else Cut("by detach()", None, here())
    return found
