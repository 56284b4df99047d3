"""The type of an array: its shape, which may have named unknown dimensions, and its dtype."""

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Union

import numpy as np

from .errors import AxisError, DTypeError, OptionError, ShapeError

Size = Union[int, "Dim"]
Shape = tuple[Size, ...]
Atom = str | tuple[Any, ...]  # a name, or ("//", size, size), or ("broadcast", size, size, ...)
MOST_TERMS = 1000  # of a size: products of sums grow fast

PYTHON_SCALARS = (bool, int, float, complex)  # and `Dim`, which stands for an int


class Dim:
    """A size that is known only when a graph runs: a name, or arithmetic on names.

    Equal names are equal sizes. Sums and products are kept in one normal form, so two dimensions
    that are equal for every size compare equal.

    >>> b = Dim("batch")
    >>> 2 * b + b, (b * 6) // 3, b * 0
    (3*batch, 2*batch, 0)
    >>> (b + 1).evaluate({"batch": 4})
    5
    """

    __slots__ = ("_terms",)
    _terms: tuple[tuple[tuple[Atom, ...], int], ...]

    gradop_level = -0.5  # an operand, but only beside an expression, which makes a number of it

    def __init__(self, name: str) -> None:
        self._terms = (((name,), 1),)

    def __add__(self, other: Size) -> Size:
        return _collect(_terms(self) + _terms(other))

    def __mul__(self, other: Size) -> Size:
        if len(_terms(self)) * len(_terms(other)) > MOST_TERMS:
            raise ShapeError("size", [], f"a product of sizes has more than {MOST_TERMS} terms")
        pairs = [(a, b) for a in _terms(self) for b in _terms(other)]
        return _collect(((*m, *n), c * d) for (m, c), (n, d) in pairs)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        return self + -1 * other

    def __rsub__(self, other: Size) -> Size:
        return -self + other

    def __floordiv__(self, other: Size) -> Size:
        exact = _divide(self, other)
        if exact is not None:
            return exact
        match self._terms:
            case [((("//", inner, int(divisor)),), 1)] if (
                isinstance(other, int) and other > 0 < divisor
            ):
                return inner // (divisor * other)  # floors of floors
        return _atom("//", self, other)

    def __rfloordiv__(self, other: Size) -> Size:
        return _atom("//", other, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._terms == other._terms

    def __hash__(self) -> int:
        return hash(self._terms)

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The size, given the sizes of the names in it."""
        return int(eval_terms(self, lambda name: sizes[name]))

    def substitute(self, sizes: Mapping[str, Size]) -> Size:
        """The size with other sizes, known or not, in the place of names; other names stay.

        >>> (Dim("n") * 2 + 1).substitute({"n": Dim("m") + 3}), Dim("n").substitute({"n": 4})
        (2*m + 7, 4)
        """
        total: Size = 0
        for monomial, coefficient in self._terms:
            factors = [_substitute_atom(atom, sizes) for atom in monomial]
            total = total + product([coefficient, *factors])
        return total

    @property
    def least(self) -> int:
        """A size it surely has at least, whatever the names stand for."""
        if any(c < 0 for m, c in self._terms if m):
            return 0
        return max(0, sum(c for m, c in self._terms if not m))

    def names(self) -> frozenset[str]:
        """The names this dimension depends on."""
        return _names_in(self)

    @property
    def linear(self) -> tuple[str, int, int] | None:
        """(name, a, b) if the dimension is a * name + b with one name, else None."""
        factors = {m: c for m, c in self._terms if m}
        match list(factors.items()):
            case [((str(name),), a)]:
                return name, a, sum(c for m, c in self._terms if not m)
        return None

    def render(self, name: Callable[[str], str] = str) -> str:
        """The dimension as Python source, each atom spelled by `name`."""
        return " + ".join(_render_term(m, c, name) for m, c in self._terms)

    def __repr__(self) -> str:
        return self.render()

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __bool__(self) -> bool:
        return True

    def __index__(self) -> int:
        raise TypeError(f"the size {self} is known only when the graph runs")


@lru_cache(maxsize=4096)
def _names_in(dim: Dim) -> frozenset[str]:
    found: set[str] = set()

    def note(name: str) -> int:
        found.add(name)
        return 1

    eval_terms(dim, note)
    return frozenset(found)


UNKNOWN = Dim("?")
"""A size that has no name yet; what has it gives it one."""


def eval_terms(dim: Size, read: Callable[[str], Any]) -> int:
    """The value of `dim` with `read(name)` for each name."""
    total = 0
    for monomial, coefficient in _terms(dim):
        for atom in monomial:
            coefficient *= _eval_atom(atom, read)
        total += coefficient
    return total


def _eval_atom(atom: Atom, read: Callable[[str], Any]) -> int:
    if isinstance(atom, str):
        return int(read(atom))
    kind, *sizes = atom[0], *(eval_terms(size, read) for size in atom[1:])
    if kind == "//":
        return sizes[0] // sizes[1]
    return broadcast_size(*sizes)


def broadcast_size(*sizes: int) -> int:
    """The size that sizes broadcast to: the one that is not 1, if there is one."""
    return next((n for n in sizes if n != 1), 1)


def _substitute_atom(atom: Atom, sizes: Mapping[str, Size]) -> Size:
    if isinstance(atom, str):
        return sizes[atom] if atom in sizes else Dim(atom)
    parts = [s.substitute(sizes) if isinstance(s, Dim) else s for s in atom[1:]]
    return parts[0] // parts[1] if atom[0] == "//" else common_size(parts)


def _render_term(monomial: tuple[Atom, ...], coefficient: int, name: Callable[[str], str]) -> str:
    factors = [_render_atom(a, name) for a in monomial]
    if coefficient != 1 or not factors:
        factors.insert(0, str(coefficient))
    return "*".join(factors)


def _render_atom(atom: Atom, name: Callable[[str], str]) -> str:
    if isinstance(atom, str):
        return name(atom)
    parts = [d.render(name) if isinstance(d, Dim) else str(d) for d in atom[1:]]
    if atom[0] == "//":
        return f"(({parts[0]}) // ({parts[1]}))"
    return f"broadcast({', '.join(parts)})"


def _terms(size: Size) -> tuple[tuple[tuple[Atom, ...], int], ...]:
    if isinstance(size, Dim):
        return size._terms
    return (((), int(size)),) if size else ()


def _collect(terms: Iterable[tuple[tuple[Atom, ...], int]]) -> Size:
    total: dict[tuple[Atom, ...], int] = {}
    for monomial, coefficient in terms:
        key = tuple(sorted(monomial, key=str))
        total[key] = total.get(key, 0) + coefficient
    return _dim(tuple(sorted(((m, c) for m, c in total.items() if c), key=str)))


def _dim(terms: tuple[tuple[tuple[Atom, ...], int], ...]) -> Size:
    if not terms or (len(terms) == 1 and not terms[0][0]):
        return terms[0][1] if terms else 0
    made = object.__new__(Dim)
    made._terms = terms
    return made


def _atom(kind: str, *sizes: Size) -> Size:
    return _dim(((((kind, *sizes),), 1),))


def _divide(a: Size, b: Size) -> Size | None:
    """a / b where `b` is a single term that divides every term of `a`, else None."""
    if len(_terms(b)) != 1:
        return 1 if a == b else None
    ((divisor, d),) = _terms(b)
    quotient = []
    for monomial, c in _terms(a):
        rest = list(monomial)
        if c % d or any(rest.count(x) < divisor.count(x) for x in divisor):
            return None
        for x in divisor:
            rest.remove(x)
        quotient.append((tuple(rest), c // d))
    return _collect(quotient)


def as_size(size: Any) -> Size:
    """A size from what users write: an int, a name, a `Dim`, or an expression of sizes.

    Raises DTypeError for anything else.
    """
    if type(size) is int or isinstance(size, Dim):
        return size
    if isinstance(size, str) and size:
        return Dim(size)
    if hasattr(size, "known_sizes"):
        return as_size(size.known_sizes())
    try:
        return int(operator.index(size))
    except TypeError as error:
        raise DTypeError(
            "shape", [repr(size)], "a size is an integer, or the name of one that is not known"
        ) from error


def as_shape(shape: Any) -> Shape:
    """A shape from sizes, a single one, or an expression of them."""
    if hasattr(shape, "known_sizes"):
        shape = shape.known_sizes()
    several = isinstance(shape, Iterable) and not isinstance(shape, str)
    several = several and getattr(shape, "ndim", 1) != 0
    return tuple(map(as_size, shape)) if several else (as_size(shape),)


class ArrayType:
    """Shape and dtype of an array, known without the array; prints as `float32[batch, 4]`."""

    __slots__ = ("dtype", "shape")
    shape: Shape
    dtype: np.dtype[Any]

    def __init__(self, shape: Shape, dtype: Any) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self.shape)

    @property
    def size(self) -> Size:
        """How many elements there are."""
        return product(self.shape)

    @property
    def type(self) -> "ArrayType":
        """Itself, so that a type can stand for an array of which only the type is known."""
        return self

    @property
    def example(self) -> "ArrayType":
        """The type of one example of a stack of this type."""
        return ArrayType(self.shape[1:], self.dtype)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ArrayType) and self.shape == other.shape and self.dtype == other.dtype
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


def type_of(x: Any) -> ArrayType:
    """The type of an array, a scalar, a tensor, an expression, or of a type itself."""
    if isinstance(x, np.ndarray | np.generic):
        return ArrayType(x.shape, x.dtype)
    found = getattr(x, "type", None)
    if isinstance(found, ArrayType):
        return found
    x = np.asarray(x)
    return ArrayType(x.shape, x.dtype)


def shape_of(x: Any) -> Shape:
    """The shape of anything an op takes."""
    return x.shape if hasattr(x, "shape") else np.shape(x)


def operand_types(args: Iterable[Any]) -> list[ArrayType]:
    """The types of operands, Python scalars taking the dtype the others give them (NEP 50)."""
    args = [1 if isinstance(a, Dim) else a for a in args]
    strong = [type_of(a) for a in args if type(a) not in PYTHON_SCALARS]
    dtypes = tuple([t.dtype for t in strong])
    found = iter(strong)
    return [weak_type(a, dtypes) if type(a) in PYTHON_SCALARS else next(found) for a in args]


def weak_type(number: Any, dtypes: tuple[np.dtype[Any], ...]) -> ArrayType:
    """The type of a Python scalar beside operands of these dtypes, if there are any."""
    if not dtypes:
        return ArrayType((), np.result_type(number))
    return weak_type_of(type(number), dtypes)  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def weak_type_of(kind: Callable[[int], Any], dtypes: tuple[np.dtype[Any], ...]) -> ArrayType:
    """The same for any number of a kind: where there is a dtype, its value does not count."""
    return ArrayType((), np.result_type(*dtypes, kind(1)))


def product(sizes: Iterable[Size]) -> Size:
    """The product of sizes, known or not."""
    total: Size = 1
    for size in sizes:
        total = total * size
    return total


def native(dtype: Any) -> np.dtype[Any]:
    """A numeric dtype in this machine's byte order, and as NumPy's one object for it.

    Generated code compares dtypes by identity, which `newbyteorder` does not keep. Raises
    DTypeError for what names no dtype.
    """
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise DTypeError("dtype", [repr(dtype)[:60]], "NumPy has no such dtype") from error
    return _native(found)


@lru_cache(maxsize=256)
def _native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(dtype.type) if dtype.kind in "biufc" else dtype


def is_float(dtype: Any) -> bool:
    """Whether values of this dtype are real floats."""
    return bool(np.dtype(dtype).kind == "f")


def is_complex(dtype: Any) -> bool:
    """Whether values of this dtype are complex."""
    return bool(np.dtype(dtype).kind == "c")


def is_inexact(dtype: Any) -> bool:
    """Whether values of this dtype can be differentiated."""
    return np.dtype(dtype).kind in "fc"


def broadcast_shapes(op: object, types: Iterable[ArrayType]) -> Shape:
    """The common shape of operands, or a ShapeError that shows them."""
    types = list(types)
    if len({t.shape for t in types}) == 1:
        return types[0].shape
    ndim = max((t.ndim for t in types), default=0)
    padded = [(1,) * (ndim - t.ndim) + t.shape for t in types]
    by_axis = enumerate(zip(*padded, strict=True))
    return tuple(_broadcast_sizes(op, types, axis, sizes) for axis, sizes in by_axis)


def _broadcast_sizes(
    op: object, types: list[ArrayType], axis: int, sizes: tuple[Size, ...]
) -> Size:
    distinct = [s for s in dict.fromkeys(sizes) if s != 1]
    known = [s for s in distinct if isinstance(s, int)]
    if len(known) > 1:
        raise ShapeError(
            op,
            types,
            f"the shapes do not broadcast: {known[0]} against {known[1]}",
            hint="axes are matched from the last; each pair must be equal, or one of them 1",
            known_as=f"The size of tensor a ({known[0]}) must match the size of tensor b"
            f" ({known[1]}) at non-singleton dimension {axis}",
        )
    return common_size(distinct)


def common_size(sizes: Iterable[Size]) -> Size:
    """The size that sizes broadcast to: of those known, the first that is not 1."""
    distinct = [s for s in dict.fromkeys(sizes) if s != 1]
    known = [s for s in distinct if isinstance(s, int)]
    if known or len(distinct) < 2:
        return known[0] if known else (distinct[0] if distinct else 1)
    parts = dict.fromkeys(part for size in distinct for part in broadcast_parts(size))
    return _atom("broadcast", *parts)


def broadcast_parts(size: Size) -> tuple[Size, ...]:
    """The sizes of which `size` is what they broadcast to; they do not nest."""
    match _terms(size):
        case [((("broadcast", *parts),), 1)]:
            return tuple(parts)
    return (size,)


def conflict(a: Iterable[Size], b: Iterable[Size]) -> bool:
    """Whether two shapes of one rank are known to differ; an unknown size may equal any."""
    return any(m != n and isinstance(m, int) and isinstance(n, int) for m, n in zip(a, b))


def normalize_axis(op: object, x: ArrayType, axis: int) -> int:
    """`axis` counted from the front, or an AxisError."""
    if not isinstance(axis, int | np.integer) or isinstance(axis, bool):
        raise OptionError(op, [x], f"an axis is an integer, not {axis!r}")
    if not -x.ndim <= axis < x.ndim:
        raise AxisError(
            op, [x], f"axis {axis} is out of range for {x.ndim} dimensions",
            known_as=out_of_range(axis, x.ndim),
        )  # fmt: skip
    return axis % x.ndim


def out_of_range(axis: int, rank: int) -> str:
    """How PyTorch refuses a dimension."""
    low, high = min(-rank, -1), max(rank - 1, 0)
    return f"Dimension out of range (expected to be in range of [{low}, {high}], but got {axis})"


def normalize_axes(op: object, x: ArrayType, axis: int | Iterable[int] | None) -> tuple[int, ...]:
    """The axes that `axis` names, counted from the front; None names all."""
    if axis is None:
        return tuple(range(x.ndim))
    several = isinstance(axis, Iterable) and not isinstance(axis, str)
    axes: tuple[Any, ...] = tuple(axis) if several else (axis,)  # type: ignore[arg-type]
    found = tuple(normalize_axis(op, x, a) for a in axes)
    if len(set(found)) < len(found):
        twice = next(a for i, a in enumerate(found) if a in found[:i])
        raise ShapeError(
            op, [x], f"an axis is named twice in {axes}",
            known_as=f"dim {twice} appears multiple times in the list of dims",
        )  # fmt: skip
    return found


@lru_cache(maxsize=4096)
def result_dtype(kernel: Callable[..., Any], dtypes: tuple[np.dtype[Any], ...]) -> np.dtype[Any]:
    """The dtype `kernel` gives for operands of these dtypes, found by asking it."""
    with np.errstate(all="ignore"):
        return np.asarray(kernel(*(np.ones(1, d) for d in dtypes))).dtype
