"""Scalars in machine code: values of a register, on which operators write instructions."""

import ast
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from .text import FunctionText, is_computable, register_type

BOOL = np.dtype(bool)
WRAPPING = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
INSTRUCTIONS: dict[str, dict[type[ast.operator], str]] = {
    "f": {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"},
    "i": WRAPPING, "u": WRAPPING, "b": {ast.Add: "or", ast.Mult: "and"},
}  # fmt: skip
TESTS = {
    ast.Eq: ("oeq", "eq"), ast.NotEq: ("une", "ne"), ast.Lt: ("olt", "slt"),
    ast.LtE: ("ole", "sle"), ast.Gt: ("ogt", "sgt"), ast.GtE: ("oge", "sge"),
}  # fmt: skip
INTRINSICS = frozenset({"sqrt", "fabs", "copysign", "fma", "floor", "ceil", "trunc", "rint",
                        "maximum", "minimum"})  # fmt: skip
OWN = frozenset({
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "expm1", "hypot", "log", "log10", "log1p", "log2", "pow", "sigmoid",
    "sin", "sincos", "sinh", "softplus", "tan", "tanh",
})  # fmt: skip
"""The functions that `functions.py` defines."""
NOTING = frozenset({"sin", "cos", "sincos", "tan"})  # those that give up at some arguments


class NotNative(Exception):
    """Nothing lowers an expression to machine code."""


class Scalar:
    """A value of a register: its name or literal, and its dtype."""

    __slots__ = ("dtype", "f", "name")

    def __init__(self, f: FunctionText, name: str, dtype: np.dtype) -> None:
        self.f, self.name, self.dtype = f, name, dtype

    @property
    def typed(self) -> str:
        """The value after its type, as instructions take it."""
        return f"{self.f.vector(register_type(self.dtype))} {self.name}"

    @property
    def value(self) -> float | None:
        """The number that a float is known to be."""
        at = self.name.find("0x")
        if self.dtype.kind != "f" or at < 0:
            return None
        found: float = struct.unpack(">d", bytes.fromhex(self.name[at + 2 : at + 18]))[0]
        return found

    def match(self, x: Any) -> "Scalar":
        """A scalar as it is, a number as one of this dtype."""
        return x if isinstance(x, Scalar) else constant(self.f, x, self.dtype)

    def then(self, instruction: str, dtype: np.dtype | None = None) -> "Scalar":
        """The value of an instruction, by default of the same dtype."""
        return Scalar(self.f, self.f.emit(instruction), dtype or self.dtype)

    def convert(self, how: str, dtype: np.dtype) -> "Scalar":
        """The value in another type, by an instruction such as `bitcast`."""
        return self.then(f"{how} {self.typed} to {self.f.vector(register_type(dtype))}", dtype)

    def with_number(self, how: str, x: Any) -> "Scalar":
        """An instruction of this value and a number, such as a shift."""
        return self.then(f"{how} {self.typed}, {constant(self.f, x, self.dtype).name}")

    def arithmetic(self, kind: type[ast.operator], y: Any) -> "Scalar":
        """An operation on this value and another."""
        y = self.match(y)
        name = INSTRUCTIONS[self.dtype.kind].get(kind)
        if name is None or self.dtype != y.dtype:
            raise NotNative(f"{kind.__name__} of {self.dtype} and {y.dtype}")
        return self.then(f"{name} {self.typed}, {y.name}")

    def compare(self, kind: type[ast.cmpop], y: Any) -> "Scalar":
        """A truth value."""
        y = self.match(y)
        of_floats, of_ints = TESTS[kind]
        if self.dtype != y.dtype:
            raise NotNative(f"{self.dtype} beside {y.dtype}")
        test = f"fcmp {of_floats}" if self.dtype.kind == "f" else f"icmp {of_ints}"
        if self.dtype.kind in "bu":
            test = test.replace(" s", " u")
        return self.then(f"{test} {self.typed}, {y.name}", BOOL)

    def __add__(self, y: Any) -> "Scalar":
        return self.arithmetic(ast.Add, y)

    def __radd__(self, y: Any) -> "Scalar":
        return self.match(y).arithmetic(ast.Add, self)

    def __sub__(self, y: Any) -> "Scalar":
        return self.arithmetic(ast.Sub, y)

    def __rsub__(self, y: Any) -> "Scalar":
        return self.match(y).arithmetic(ast.Sub, self)

    def __mul__(self, y: Any) -> "Scalar":
        return self.arithmetic(ast.Mult, y)

    def __rmul__(self, y: Any) -> "Scalar":
        return self.match(y).arithmetic(ast.Mult, self)

    def __truediv__(self, y: Any) -> "Scalar":
        return self.arithmetic(ast.Div, y)

    def __rtruediv__(self, y: Any) -> "Scalar":
        return self.match(y).arithmetic(ast.Div, self)

    def __lt__(self, y: Any) -> "Scalar":
        return self.compare(ast.Lt, y)

    def __le__(self, y: Any) -> "Scalar":
        return self.compare(ast.LtE, y)

    def __gt__(self, y: Any) -> "Scalar":
        return self.compare(ast.Gt, y)

    def __ge__(self, y: Any) -> "Scalar":
        return self.compare(ast.GtE, y)

    def __neg__(self) -> "Scalar":
        if self.dtype.kind == "f":
            return self.then(f"fneg {self.typed}")
        return constant(self.f, 0, self.dtype).arithmetic(ast.Sub, self)

    def __abs__(self) -> "Scalar":
        if self.dtype.kind == "f":
            return call_math("fabs", [self])
        return choose(self < 0, -self, self)


def constant(f: FunctionText, value: Any, dtype: np.dtype) -> Scalar:
    """A number as a literal; of a dtype without arithmetic, its bits."""
    name = literal(value if dtype.kind in "iu" else dtype.type(value), dtype)
    return Scalar(f, f"splat ({register_type(dtype)} {name})" if f.lanes else name, dtype)


def literal(value: Any, dtype: np.dtype) -> str:
    """A number in LLVM's language; of a dtype without arithmetic, its bits."""
    if dtype.kind in "iu":  # which wraps around
        most = 2 ** (8 * dtype.itemsize - 1)
        return str((int(value) + most) % (2 * most) - most)
    if not is_computable(dtype):
        return str(int.from_bytes(value.tobytes(), "little"))
    if dtype.kind == "f":
        return f"0x{struct.pack('>d', float(value)).hex().upper()}"
    return str(int(value))


def choose(test: Scalar, yes: Scalar, no: Any) -> Scalar:
    """Select one of two values by a truth value."""
    no = yes.match(no)
    if yes.dtype != no.dtype:
        raise NotNative(f"one of {yes.dtype} and {no.dtype}")
    return yes.then(f"select {test.typed}, {yes.typed}, {no.typed}")


def flipped(x: Scalar) -> Scalar:
    """The other truth value, or the other bits."""
    return x.with_number("xor", True if x.dtype == BOOL else -1)


def equal_to(x: Scalar, y: Any) -> Scalar:
    """True where two values are equal."""
    y = x.match(y)
    return x.then(f"{'fcmp oeq' if x.dtype.kind == 'f' else 'icmp eq'} {x.typed}, {y.name}", BOOL)


def cast(x: Scalar, dtype: np.dtype) -> Scalar:
    """A value in another dtype."""
    if x.dtype == dtype:
        return x
    if not (is_computable(x.dtype) and is_computable(dtype)):
        raise NotNative(f"{x.dtype} as {dtype}")
    before = x.dtype
    if dtype.kind == "f" and x.value is not None:
        return constant(x.f, x.value, dtype)
    if dtype == BOOL:
        return x.compare(ast.NotEq, 0)
    if before.kind == "f" and dtype.kind == "f":
        how = "fptrunc" if before.itemsize > dtype.itemsize else "fpext"
    elif dtype.kind == "f":
        how = "uitofp" if before.kind in "bu" else "sitofp"
    elif before.kind == "f":
        return whole(x, dtype)
    elif dtype.itemsize == before.itemsize and before != BOOL:
        return Scalar(x.f, x.name, dtype)
    elif dtype.itemsize < before.itemsize:
        how = "trunc"
    else:
        how = "zext" if before.kind in "bu" else "sext"
    return x.convert(how, dtype)


def whole(x: Scalar, dtype: np.dtype) -> Scalar:
    """A float as an integer, rounded towards zero; what does not fit is noted."""
    limits = np.iinfo(dtype)
    fits = x > float(limits.min - 1)
    fits = fits.then(f"and {fits.typed}, {(x < float(limits.max + 1)).name}")
    x.f.note(fits.with_number("xor", True).name)
    how = "fptosi" if dtype.kind == "i" else "fptoui"
    y = choose(fits, x, 0)
    return y.convert(how, dtype)


def call_math(name: str, args: Sequence[Scalar]) -> Scalar:
    """A function of floats: one of the machine's, or one of ours."""
    x = args[0]
    if x.dtype.kind != "f" or any(a.dtype != x.dtype for a in args):
        raise NotNative(f"{name} of {x.dtype}")
    return called(name, args, x.f.vector(register_type(x.dtype)))


def call_pair(name: str, x: Scalar) -> tuple[Scalar, Scalar]:
    """Two functions of a float, computed at once by one of ours."""
    type = pair_of(x.f.vector(register_type(x.dtype)))
    both = called(name, [x], type)
    first, second = (x.then(f"extractvalue {type} {both.name}, {i}") for i in range(2))
    return first, second


def pair_of(type: str) -> str:
    """The type of two values."""
    return f"{{ {type}, {type} }}"


def called(name: str, args: Sequence[Scalar], type: str) -> Scalar:
    """The call of a function that gives a value of some type."""
    x = args[0]
    f, given = x.f, ", ".join(a.typed for a in args)
    function = function_of(name, x.dtype, f.lanes)
    key, is_own = f"{type} {function}/{len(args)}", name in OWN
    f.used[key] = f.used.get(key, 0) + f.straight
    how = " alwaysinline" if is_own and not f.straight else ""
    if name in NOTING:
        given, f.notes = f"{given}, ptr %noted", True
    return x.then(f"call {type} @{function}({given}){how}")


def function_of(name: str, dtype: np.dtype, lanes: int = 0) -> str:
    """The name of a function in LLVM's language: one of its own, or one of ours."""
    suffix = f"v{lanes}" * bool(lanes) + f"f{8 * dtype.itemsize}"
    if name in INTRINSICS:
        return f"llvm.{name}.{suffix}"
    if name not in OWN:
        raise NotNative(f"math.{name}")
    return f"own.{name}.{suffix}"
