"""Runs a program in torch and in dynamicgrad, statement by statement, up to the first disagreement.

After each statement that agrees, the memory of our tensors gets torch's entries, so that each
statement starts from the same bits: tolerances hold for a statement, whatever came before it.
"""

import re
import warnings
from dataclasses import dataclass, field
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

import dynamicgrad as dg

from .comparing import GROWTH, Disagreement, array, close
from .departures import departure_of

FLAGS = ("requires_grad", "is_leaf")


class Side:
    """One library, and the names a program has in it."""

    def __init__(self, lib):
        self.names = {"lib": lib, "np": np, "seen": []}

    def run(self, code):
        """Run a statement; the error it raised, if it did."""
        try:
            with np.errstate(all="ignore"):
                exec(code, self.names)
        except Exception as error:
            return error
        return None

    @property
    def values(self):
        """The values of the program's names, with gradients and what hooks saw."""
        found = {k: v for k, v in self.names.items() if k[0] == "v" and k[1:].isdigit()}
        tensors = {k: t for k, t in found.items() if is_tensor(t)}
        for k, t in tensors.items():
            if read(t, "is_leaf") is True or read(t, "retains_grad") is True:
                found[f"{k}.grad"] = t.grad
        for i, (k, g) in enumerate(self.names["seen"]):
            found[f"seen[{i}], by {k}"] = g
        return found


def read(t, flag):
    """A flag of a tensor; an error where the tensor is a view that may not be used any more."""
    try:
        return getattr(t, flag)
    except RuntimeError:
        return RuntimeError


def is_tensor(x):
    """Whether a value is a tensor of either library."""
    return hasattr(x, "requires_grad")


@cache
def compiled(statement: str) -> CodeType:
    """The code of a statement."""
    return compile(statement, "<program>", "exec")


class Statement(NamedTuple):
    """A statement, and whether its values are compared in units in the last place."""

    text: str
    strict: bool = True


@dataclass
class Run:
    """A program as far as both libraries ran it, and how they came to differ, if they did."""

    torch: Any
    statements: list[Statement] = field(default_factory=list)
    disagreement: Disagreement | None = None
    departure: Any = None

    def __post_init__(self):
        self.theirs, self.ours = Side(self.torch), Side(dg)

    @property
    def ended(self):
        """Whether the libraries hold different things by now."""
        return self.disagreement is not None

    def step(self, statement):
        """Run one more statement in both."""
        self.statements.append(statement)
        text = statement.text
        operands, before = self.operands(text), self.versions()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            errors = self.theirs.run(compiled(text)), self.ours.run(compiled(text))
            found = error_of(text, *errors) or self.difference(statement)
            found = found or self.written(text, before)
        if found:
            found.operands, found.program = operands, [s.text for s in self.statements]
            found.transposed = self.transposed()
            found.raised = None not in errors
            found.shared, found.overlaps = self.shares(text), self.overlaps(text)
            self.disagreement, self.departure = found, departure_of(found)
        else:
            self.synchronize()

    def operands(self, statement):
        """The tensors of torch that a statement names, in words."""
        named = set(re.findall(r"\bv\d+\b", statement))
        names = [k for k in self.theirs.names if k in named]
        return tuple((k, described(self.theirs.names[k])) for k in names)

    def tensors(self, statement):
        """The tensors of torch that a statement names."""
        named = set(re.findall(r"\bv\d+\b", statement))
        return [t for k, t in self.theirs.names.items() if k in named and is_tensor(t)]

    def transposed(self):
        """Whether a result of torch, which is no view, does not lie row by row."""
        tensors = [t for t in self.theirs.names.values() if is_tensor(t)]
        bases = [t if t._base is None else t._base for t in tensors]
        return any(not t.is_contiguous() for t in bases)

    def overlaps(self, statement):
        """Whether entries of a tensor that a statement names are one in memory."""
        return any(overlapping(t.shape, t.stride()) for t in self.tensors(statement))

    def shares(self, statement):
        """Whether tensors that a statement names lie in one memory."""
        tensors = self.tensors(statement)
        return len({memory_of(t) for t in tensors}) < len(tensors)

    def difference(self, statement):
        """The first difference between what the names are bound to."""
        theirs, ours = self.theirs.values, self.ours.values
        for name, want in theirs.items():
            if name not in ours:
                return Disagreement("missing", statement.text, name, described(want), None)
            if found := difference(want, ours[name], name, statement):
                return found
        extra = sorted(set(ours) - set(theirs))
        return Disagreement("extra", statement.text, str(extra), None, extra) if extra else None

    def versions(self):
        """The names of tensors with their versions, in both libraries."""
        theirs, ours = self.theirs.names, self.ours.names
        names = [k for k, t in theirs.items() if is_tensor(t) and is_tensor(ours[k])]
        return {k: (theirs[k]._version, ours[k]._version) for k in names}

    def written(self, statement, before):
        """The first tensor whose version says in one library only that it was written."""
        if "backward" in statement or "autograd" in statement:
            return None  # how gradients are added up is the engine's own affair
        now = self.versions()
        for name, (theirs, ours) in before.items():
            theirs, ours = now[name][0] > theirs, now[name][1] > ours
            if theirs != ours:
                return Disagreement("version", statement, name, theirs, ours)
        return None

    def synchronize(self):
        """Give our tensors the bits of torch's."""
        ours = self.ours.values
        for name, want in self.theirs.values.items():
            if is_tensor(want) and want.dtype.is_floating_point | want.dtype.is_complex:
                put(ours[name], array(want))


def memory_of(t):
    """The identity of the memory of a tensor of torch; those without any are alone."""
    try:
        return t.untyped_storage().data_ptr()
    except RuntimeError:
        return id(t)


def overlapping(sizes, strides):
    """Whether entries of a layout may lie in one place."""
    least = 1
    for step, n in sorted((s, n) for s, n in zip(strides, sizes, strict=True) if n > 1):
        if step < least:
            return True
        least += step * (n - 1)
    return False


def put(t, entries):
    """Let a tensor of ours hold entries, where it holds others and can be written."""
    if np.array_equal(t.value, entries, equal_nan=True):
        return
    if not isinstance(t.value, np.ndarray):
        t.value = entries[()]
    elif t.value.flags.writeable:
        t.value[...] = entries


def described(x):
    """A value in words."""
    if not is_tensor(x):
        return f"{type(x).__name__} {x!r}"[:100]
    flags = " leaf" if x.is_leaf else ""
    flags += " requires_grad" if x.requires_grad else ""
    entries = array(x).tolist() if x.numel() <= 16 else "..."
    return f"{dtype_of(x)}{tuple(x.shape)}{flags} {entries}"


def dtype_of(t):
    """The name of the dtype of a tensor of either library."""
    return str(t.dtype).removeprefix("torch.")


def error_of(statement, theirs, ours):
    """The difference between what was raised."""
    if theirs is None and ours is None:
        return None
    if isinstance(theirs, NameError) or isinstance(ours, NameError):
        return Disagreement("name", statement, "names", theirs, ours)
    if theirs is None:
        return Disagreement("refused", statement, "call", None, shown(ours))
    if ours is None:
        return Disagreement("accepted", statement, "call", shown(theirs), None)
    kind = RuntimeError if isinstance(theirs, NotImplementedError) else type(theirs)
    if isinstance(ours, kind):
        return None
    return Disagreement("error", statement, "call", shown(theirs), shown(ours))


def shown(error):
    """An error with its type."""
    return f"{type(error).__name__}: {error}"[:400]


def difference(want, got, name, statement):
    """How a value of ours differs from torch's."""
    if not is_tensor(want) or not is_tensor(got):
        if is_tensor(want) or is_tensor(got) or not same(want, got):
            kind = "gradient" if ".grad" in name else "type"
            return Disagreement(kind, statement.text, name, described(want), described(got))
        return None
    for kind, of in (
        ("dtype", dtype_of), ("shape", lambda t: tuple(t.shape)),
        *((flag, lambda t, flag=flag: read(t, flag)) for flag in FLAGS),
        ("grad_fn", lambda t: read(t, "grad_fn") is None),
    ):  # fmt: skip
        if of(want) != of(got):
            return Disagreement(kind, statement.text, name, of(want), of(got))
    strict, growth = tolerance(name, statement)
    if not close(array(want), array(got), strict, growth):
        kind = "value" if growth == 1 else "gradient"
        return Disagreement(kind, statement.text, name, described(want), described(got))
    return None


def tolerance(name, statement):
    """Whether a value is compared in units in the last place, and else by how many tolerances."""
    if "." in name or "[" in name or "autograd" in statement.text:
        return False, GROWTH
    return statement.strict, 1


def same(a, b):
    """Whether two Python values are equal, of one type, up to rounding."""
    if type(a) is not type(b):
        return type(a).__name__ == type(b).__name__ == "RemovableHandle"
    if isinstance(a, float | complex | list):
        return np.allclose(a, b, rtol=1e-5, equal_nan=True) and np.shape(a) == np.shape(b)
    return a == b or type(a).__name__ == "RemovableHandle" or callable(a)
