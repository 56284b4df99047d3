"""Ops: the class, the table, and the dispatch of calls.

Note [Dispatch]. The operand of the highest level handles a call, by its type's `__gradop__`. With
only arrays and numbers as operands, the call computes. A `Dual` or `Batched` has the level of the
`jvp` or `vmap` that created it, so the innermost transformation runs first; an `Expr` has level 0;
a `Tensor` is half a level above its value, and treats tensors of lower levels as constants. Each
operand type applies the op to the value inside, which dispatches again one level down.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np

from ..typing import Attrs, Rule
from . import errors
from .attributes import CONVERTED, REQUIRED, SETTLED, attributes, canonical, takes_out
from .flops import Formula, default, nothing
from .foreign import FOREIGN
from .rules import Pullback, Pushforward, Rules, missing, pullback, pushforward
from .traits import Trait
from .types import ArrayType, operand_types

Samples = Callable[[Any], Iterable[tuple[Sequence[Any], Mapping[str, Any]]]]

OPS: dict[str, "Op"] = {}
"""Every op there is, by name. Declaring an op adds it; nothing removes one."""

PLAIN = frozenset(
    {np.ndarray, bool, int, float, complex} | {np.dtype(code).type for code in np.typecodes["All"]}
)
"""Types without a level: with only these as operands, an op computes."""

SEQUENCES = frozenset({list, tuple})
UNFORESEEN = {
    TypeError: errors.DTypeError, OverflowError: errors.DTypeError,
    IndexError: errors.IndexingError, ValueError: errors.ShapeError,
}  # fmt: skip
"""The errors raised for NumPy's own, if type inference finds no reason."""


class ErrorSample:
    """Operands that an op must refuse, the class of the error, and a part of its text."""

    __slots__ = ("attrs", "error", "operands", "says")

    def __init__(
        self, operands: Sequence[Any], attrs: Mapping[str, Any], error: type[Exception], says: str
    ) -> None:
        self.operands, self.attrs, self.error, self.says = operands, attrs, error, says


class Op:
    """A primitive operation and all facts about it; immutable.

    A call computes with arrays, records with tensors, and builds a graph with expressions.
    Operands come first, attributes after them, by position or by name. Rules are written with ops:
    `vjp[i](g, y, *operands, **attrs)` is operand i's cotangent, `jvp[i](t, y, *operands, **attrs)`
    the output's tangent; None marks an operand without derivative. `infix` is Python's operator on
    numbers, where it gives the kernel's bits: "{0} + {1}". `scalar` computes the op on Python's
    floats: "math.sin({0})", within a few ULP; where no result is finite it may raise
    ArithmeticError or ValueError. `source` is by default a call of the kernel under the op's name.
    `flops` gives the number of floating-point operations, by default what its traits imply;
    `workspace` the bytes of arrays that the kernel allocates besides its result, where they matter.
    `pairs` has, by the name of another op on the same operands, a kernel that computes both.
    `formula` is a function of operands and attributes that is made of other ops: on floats it gives
    what the kernel does but for rounding. The native tier writes the op out by it. `onnx` is the
    operator of ai.onnx that does the same to the same operands, without attributes.
    """

    def __init__(
        self, name: str, kernel: Callable[..., Any], infer: Callable[..., ArrayType], vjp: Rules,
        jvp: Rules, doc: str, samples: Samples, source: str | Callable[..., str] = "",
        batch: Callable[..., Any] | None = None, arity: int | None = 1,
        traits: Iterable[Trait] = frozenset(), error_samples: Sequence[ErrorSample] = (),
        family: str = "of its own", infix: str = "", scalar: str = "",
        flops: Formula | None = None, workspace: Formula | None = None,
        pairs: Mapping[str, Callable[..., Any]] | None = None,
        formula: Callable[..., Any] | None = None, onnx: str = "",
    ) -> None:  # fmt: skip
        self.name, self.kernel, self.infer, self.vjp, self.jvp = name, kernel, infer, vjp, jvp
        self.source, self.doc, self.samples, self.batch = source, doc, samples, batch
        self.arity, self.traits = arity, frozenset(map(Trait, traits))
        self.error_samples, self.family, self.infix = error_samples, family, infix
        self.flops = flops or default(self.traits)
        self.workspace, self.pairs = workspace or nothing, pairs or {}
        self.scalar, self.formula, self.onnx = infix or scalar, formula, onnx
        self.params = attributes(kernel, arity)
        self.defaults = {k: v for k, v in self.params.items() if v is not REQUIRED}
        self.pull: Pullback = pullback(self)
        self.push: Pushforward = pushforward(self)
        self.__doc__, self.__name__ = doc, name
        if OPS.setdefault(name, self) is not self:
            raise ValueError(f"an op named {name!r} exists; choose another name")

    def __call__(self, *args: Any, **attrs: Any) -> Any:
        for a in args:
            if type(a) not in PLAIN:
                return self.call_by_type(a, args, attrs)
        try:
            return self.kernel(*args, **attrs)
        except Exception:  # with attributes in normal form it may succeed
            pass
        return compute(self, *self.bind(args, attrs))

    def call_by_type(self, a: Any, args: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """A call with an operand `a` that is not plain: by the specialised function of its type.

        A type may have `specialised`: a function for each op, None for an op without one; and
        `attributed`, of functions of operands and attributes. NotImplemented is for others.
        """
        if not attrs and (special := getattr(type(a), "specialised", None)) is not None:
            call = special[self]
            if call is not None and len(args) == self.arity:
                found = call(*args)
                if found is not NotImplemented:
                    return found
        quick = getattr(type(a), "attributed", None)
        if quick is not None and (call := quick[self]) is not None:
            found = call(args, attrs)
            if found is not NotImplemented:
                return found
        return self.dispatch(args, attrs)

    def dispatch(self, args: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """Apply the op by the operand of the highest level. See Note [Dispatch]."""
        operands, attrs = self.bind(args, attrs)
        owner: Any = None
        for a in operands:
            if (kind := type(a)) not in PLAIN and kind is not owner:
                if owner is not None or not hasattr(kind, "__gradop__"):
                    return self.dispatch_by_level(operands, attrs)
                owner = kind
        if owner is None:
            return compute(self, operands, attrs)
        return owner.__gradop__(self, operands, attrs)

    def dispatch_by_level(self, operands: Sequence[Any], attrs: dict[str, Any]) -> Any:
        """Apply the op to operands of several types."""
        if (own := FOREIGN.get(self.name)) is not None:
            found = own(operands)
            if found is not NotImplemented:
                return found
        owner, highest = None, -1.0
        operands = [number(a) if isinstance(a, int | float | complex) else a for a in operands]
        for a in operands:
            if type(a) not in PLAIN and (level := level_of(a, self, operands)) > highest:
                owner, highest = a, level
        if owner is None:
            return compute(self, operands, attrs)
        if not hasattr(owner, "__gradop__"):
            raise errors.MixedOperandsError(
                self, operands, f"{owner!r} is a size, which an op takes beside an expression",
                hint="shape(x) of staticgrad gives sizes as expressions",
            )  # fmt: skip
        return type(owner).__gradop__(self, operands, attrs)

    def bind(self, args: Sequence[Any], attrs: Mapping[str, Any]) -> tuple[tuple[Any, ...], Attrs]:
        """Split arguments into operands and attributes, which are complete and in normal form."""
        n = len(args) if self.arity is None else self.arity
        if len(args) < n or len(args) - n > len(self.params):
            raise TypeError(f"{self.signature} was given {len(args)} arguments")
        operands = tuple(args[:n])
        if not SEQUENCES.isdisjoint(map(type, operands)):
            operands = tuple([as_operand(a) if type(a) in SEQUENCES else a for a in operands])
        if not attrs and len(args) == n and len(self.defaults) == len(self.params):
            return operands, self.defaults
        return operands, self.bind_attrs(
            {**dict(zip(self.params, args[n:], strict=False)), **attrs}
        )

    def bind_attrs(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All attributes in normal form: those given, and defaults for the others."""
        full = dict(self.defaults)
        for name, value in given.items():
            if type(value) not in SETTLED or name in CONVERTED:
                value = canonical(name, value)
            full[name] = value
        if len(full) != len(self.params) or full.keys() != self.params.keys():
            wrong, missing = full.keys() - self.params.keys(), self.params.keys() - full.keys()
            names = ", ".join(sorted(wrong or missing))
            said = f"has no attribute {names}" if wrong else f"needs {names}"
            raise TypeError(f"{self.signature} {said}")
        return full

    def type_for(self, types: Sequence[ArrayType], attrs: Mapping[str, Any]) -> ArrayType:
        """The result of `infer` for these types, cached for default attributes."""
        if attrs and attrs is not self.defaults:
            return self.infer(*types, **attrs)
        return infer_type(self, *types)

    @cached_property
    def signature(self) -> str:
        """The call as text: `sum(x, axis=None, keepdims=False)`."""
        n = self.arity
        operands = ["*xs"] if n is None else list("xyzuvw"[:n]) if n < 7 else [f"*{n} operands"]
        attrs = [k if v is REQUIRED else f"{k}={v!r}" for k, v in self.params.items()]
        return f"{self.name}({', '.join([*operands, *attrs])})"

    def template(self, types: Sequence[ArrayType], attrs: Mapping[str, Any]) -> str:
        """The NumPy source for operands of these types, to be filled in by `str.format`.

        `{0}` and so on stand for operands, `{operands}` for all of them, `{axis}` and the like for
        attributes, `{out}` for `, out=buffer` where there is one, `{fresh}` for an unused name.
        """
        source = self.source or call_of(self)
        return source if isinstance(source, str) else source(*types, **attrs)

    def rule(self, kind: str, i: int) -> Rule | None:
        """The vjp or jvp rule of operand i, or a MissingRuleError."""
        rules: Rules = getattr(self, kind)
        if i >= len(rules):
            raise missing(self, kind)
        return rules[i]

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str | tuple[Any, ...]:
        return lookup, (self.name,)


@cache
def call_of(op: Op) -> str:
    """The template of a call of the op's kernel: `cumsum({0}, axis={axis}{out})`."""
    operands = ["{operands}"] if op.arity is None else [f"{{{i}}}" for i in range(op.arity)]
    attrs = [f"{name}={{{name}}}" for name in op.params]
    out = "{out}" if takes_out(op.kernel) else ""
    return f"{op.name}({', '.join([*operands, *attrs])}{out})"


def lookup(name: str) -> Op:
    """The op called `name`."""
    return OPS[name]


@lru_cache(maxsize=4096)
def infer_type(op: Op, *types: ArrayType) -> ArrayType:
    """The output type of an op with default attributes, for operands of these types."""
    return op.infer(*types, **op.defaults)


def compute(op: Op, args: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """Run the kernel; if it fails, raise the reason that type inference finds."""
    try:
        return op.kernel(*args, **attrs)
    except Exception as error:
        explain(op, args, attrs, error)
        raise


def explain(op: Op, args: Sequence[Any], attrs: Mapping[str, Any], error: Exception) -> None:
    """Raise the op's error for operands that the kernel refused, if inference finds the reason."""
    if isinstance(error, errors.GradError) or Trait.CONTROL in op.traits:
        return  # an error of a function among the attributes is the user's own
    operands, attrs = op.bind(args, attrs)
    types = operand_types(operands)
    for t in types:
        if t.dtype.kind not in "biufc":
            raise errors.DTypeError(op, types, f"{t.dtype} is not a numeric dtype") from error
    try:
        op.infer(*types, **attrs)
    except errors.GradError:
        raise
    except TypeError as reason:  # of NumPy: a ufunc without a loop for the dtype
        why = "NumPy does not compute it for these dtypes"
        raise errors.NoKernelError(op, types, why) from reason
    except (ValueError, IndexError, OverflowError) as reason:
        error = reason
    for kind, ours in UNFORESEEN.items():
        if isinstance(error, kind):
            raise ours(op, types, f"NumPy says: {error}") from error


def level_of(a: Any, op: Op, operands: Sequence[Any]) -> float:
    """The level of operand `a`; -1 for plain ones. See Note [Dispatch]."""
    if type(a) in PLAIN or isinstance(refuse_masked(a), np.ndarray):
        return -1.0
    level: float | None = getattr(a, "gradop_level", None)
    if level is None:
        names = [type(x).__name__ for x in operands]
        raise errors.MixedOperandsError(
            op, names, f"{type(a).__name__} is neither an array nor a number"
        )
    return level


def number(a: Any) -> Any:
    """An instance of a subclass of a Python number type as that type; NumPy scalars stay."""
    if type(a) in PLAIN:
        return a
    return complex(a) if isinstance(a, complex) else float(a) if isinstance(a, float) else int(a)


def as_operand(a: Any) -> Any:
    """An argument as an operand: sequences become arrays; masked arrays are refused."""
    if not isinstance(a, list | tuple):
        return a if type(a) in PLAIN else refuse_masked(a)
    for x in () if PLAIN.issuperset(map(type, a)) else a:
        if hasattr(refuse_masked(x), "gradop_level"):
            said = "a sequence of tensors or expressions is not an operand; use stack(...)"
            raise TypeError(said)
    return np.asarray(a)


def refuse_masked(a: Any, taker: str = "an op") -> Any:
    """`a`; raises MixedOperandsError for a masked array, whose mask would be lost."""
    if isinstance(a, np.ndarray) and hasattr(a, "filled"):
        raise errors.MixedOperandsError(
            taker, [type(a).__name__],
            "a masked array, whose mask would be lost, is not an operand",
            hint="fill it: a.filled(0), or use where(mask, 0, a)",
        )  # fmt: skip
    return a
