"""Sizes that are known only when a graph runs: names, and arithmetic on them."""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import lru_cache, wraps
from numbers import Integral
from typing import Any, Union

from .errors import ShapeError

Size = Union[int, "Dim"]
Shape = tuple[Size, ...]
Atom = str | tuple[Any, ...]
"""A name, or ("//", size, size), ("nonnegative", size), ("broadcast", size, size, ...)."""
MOST_PARTS = 10_000  # of a size: products of sums grow fast
LARGEST = 2**63  # no array has more entries
WAYS_OUT = (
    "give the axis of the placeholder a number, or compute with the size as a value: x.shape[i] in"
    " shapes, sg.size and sg.shape in formulas"
)
COUNTED: ContextVar[Callable[[int], None] | None] = ContextVar("COUNTED", default=None)
"""A callback that gets the number of parts of each computed size, to bound the work."""
ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "floor_divide": operator.floordiv, "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
"""What sizes know, by the names of NumPy's functions."""


def _of_sizes(method: Callable[["Dim", Any], Any]) -> Callable[["Dim", Any], Any]:
    """Arithmetic with sizes alone; expressions and arrays are asked about others."""

    @wraps(method)
    def call(self: "Dim", other: Any) -> Any:
        return method(self, other) if isinstance(other, SIZES) else NotImplemented

    return call


def _is_value(x: object) -> bool:
    """True for expressions, and for other operands that ops know but sizes do not."""
    return hasattr(x, "gradop_level") and type(x) is not Dim


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

    __slots__ = ("_hash", "_terms", "parts")
    _terms: tuple[tuple[tuple[Atom, ...], int], ...]
    parts: int  # numbers and names in it, as it is printed

    gradop_level = -0.5  # an operand, but only beside an expression, which makes a number of it

    def __init__(self, name: str) -> None:
        self._terms, self.parts = (((name,), 1),), 2
        self._hash = hash(self._terms)

    @_of_sizes
    def __add__(self, other: Size) -> Size:
        _require_few(self.parts + _parts(other))
        return _collect(_terms(self) + _terms(other))

    @_of_sizes
    def __mul__(self, other: Size) -> Size:
        _require_few(len(_terms(self)) * _parts(other) + len(_terms(other)) * self.parts)
        pairs = [(a, b) for a in _terms(self) for b in _terms(other)]
        return _collect(((*m, *n), c * d) for (m, c), (n, d) in pairs)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Size:
        return self * -1

    @_of_sizes
    def __sub__(self, other: Size) -> Size:
        return self + -1 * other

    @_of_sizes
    def __rsub__(self, other: Size) -> Size:
        return -self + other

    @_of_sizes
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

    @_of_sizes
    def __rfloordiv__(self, other: Size) -> Size:
        return _atom("//", other, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._terms == other._terms

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> Any:
        return _dim, (self._terms,)

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """The size, given the sizes of the names in it."""
        return int(eval_terms(self, lambda name: sizes[name]))

    def computed(
        self, read: Callable[[str], Any], functions: Mapping[str, Callable[..., Any]]
    ) -> Any:
        """The size in another arithmetic, with `read(name)` for each name.

        `functions` are "//", "nonnegative" (the size, or 0 where it is negative) and "broadcast"
        (the size that sizes broadcast to).
        """
        return eval_terms(self, read, functions)

    def substitute(self, sizes: Mapping[str, Size]) -> Size:
        """The size with other sizes, known or not, in the place of names; other names stay.

        >>> (Dim("n") * 2 + 1).substitute({"n": Dim("m") + 3}), Dim("n").substitute({"n": 4})
        (2*m + 7, 4)
        """
        return sum_of(
            product([coefficient, *[_substitute_atom(atom, sizes) for atom in monomial]])
            for monomial, coefficient in self._terms
        )

    @property
    def least(self) -> int:
        """A lower bound that holds for all sizes of the names."""
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
        (m, c), *rest = self._terms
        signed = [(" - ", m, -c) if c < 0 else (" + ", m, c) for m, c in rest]
        later = "".join([sign + _render_term(m, c, name) for sign, m, c in signed])
        return _render_term(m, c, name) + later

    def __repr__(self) -> str:
        return self.render()

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __bool__(self) -> bool:
        return True

    def __index__(self) -> int:
        raise self.unknown("the value")

    __int__ = __float__ = __complex__ = __index__

    def __truediv__(self, other: object) -> Any:
        if _is_value(other):
            return NotImplemented  # which makes a value of this
        raise self.unknown("a quotient")

    def __lt__(self, other: object) -> Any:
        if _is_value(other):
            return NotImplemented
        raise self.unknown("the order")

    __rtruediv__ = __truediv__
    __gt__ = __le__ = __ge__ = __lt__

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **options: Any) -> Any:
        sizes = [x.item() if getattr(x, "shape", None) == () else x for x in operands]
        if all(isinstance(x, SIZES) for x in sizes) and ufunc.__name__ in ARITHMETIC:
            return ARITHMETIC[ufunc.__name__](*sizes)
        if any(map(_is_value, operands)):
            return NotImplemented
        raise self.unknown(ufunc.__name__)

    def unknown(self, asked: str) -> TypeError:
        """The error for Python code that needs the number."""
        said = f"{asked} of the size {self} is known only when the graph runs"
        return TypeError(f"{said}\n  hint: {WAYS_OUT}")


SIZES = (Dim, int, Integral)  # int beside what it is, too: that is found without a search


@lru_cache(maxsize=4096)
def _names_in(dim: Dim) -> frozenset[str]:
    found: set[str] = set()

    def note(name: str) -> int:
        found.add(name)
        return 1

    eval_terms(dim, note)
    return frozenset(found)


UNKNOWN = Dim("?")
"""A size that has no name yet; the op that creates it gives it one."""


Functions = Mapping[str, Callable[..., Any]]


def eval_terms(dim: Size, read: Callable[[str], Any], functions: Functions | None = None) -> Any:
    """The value of `dim` with `read(name)` for each name."""
    total: Any = 0
    for monomial, coefficient in _terms(dim):
        term: Any = coefficient
        for atom in monomial:
            term = term * _eval_atom(atom, read, functions or FUNCTIONS)
        total = total + term
    return total


def _eval_atom(atom: Atom, read: Callable[[str], Any], functions: Functions) -> Any:
    if isinstance(atom, str):
        return read(atom)
    return functions[atom[0]](*(eval_terms(size, read, functions) for size in atom[1:]))


def broadcast_size(*sizes: int) -> int:
    """The size that sizes broadcast to: one that is not 1, else 1."""
    return next((n for n in sizes if n != 1), 1)


def nonnegative(size: int) -> int:
    """The size, or 0 where it is negative."""
    return max(size, 0)


FUNCTIONS: Functions = {
    "//": lambda n, m: n // m, "nonnegative": nonnegative, "broadcast": broadcast_size,
}  # fmt: skip


def _substitute_atom(atom: Atom, sizes: Mapping[str, Size]) -> Size:
    if isinstance(atom, str):
        return sizes[atom] if atom in sizes else Dim(atom)
    parts = [s.substitute(sizes) if isinstance(s, Dim) else s for s in atom[1:]]
    if atom[0] == "nonnegative":
        return at_least_zero(parts[0])
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
    return f"{atom[0]}({', '.join(parts)})"


def _terms(size: Size) -> tuple[tuple[tuple[Atom, ...], int], ...]:
    if isinstance(size, Dim):
        return size._terms
    return (((), int(size)),) if size else ()


def _parts(size: Size) -> int:
    return size.parts if isinstance(size, Dim) else 1


def _require_few(parts: int) -> None:
    """Refuse a size of too many parts, and report their number to `COUNTED`."""
    if parts > MOST_PARTS:
        raise ShapeError("size", [], f"a size has more than {MOST_PARTS} parts")
    if (count := COUNTED.get()) is not None:
        count(parts)


def sum_of(sizes: Iterable[Size]) -> Size:
    """The sum of sizes, collected once."""
    sizes = list(sizes)
    _require_few(sum(map(_parts, sizes)))
    return _collect(term for size in sizes for term in _terms(size))


def _collect(terms: Iterable[tuple[tuple[Atom, ...], int]]) -> Size:
    total: dict[tuple[Atom, ...], int] = {}
    for monomial, coefficient in terms:
        key = tuple(sorted(monomial, key=str))
        total[key] = total.get(key, 0) + coefficient
    for c in total.values():
        if not -LARGEST <= c <= LARGEST:
            raise ShapeError("size", [], f"a size has a number in it above {LARGEST}")
    return _dim(tuple(sorted(((m, c) for m, c in total.items() if c), key=str)))


def _dim(terms: tuple[tuple[tuple[Atom, ...], int], ...]) -> Size:
    if not terms or (len(terms) == 1 and not terms[0][0]):
        return terms[0][1] if terms else 0
    made = object.__new__(Dim)
    made._terms, made._hash = terms, hash(terms)
    parts = len(terms)
    for monomial, _ in terms:
        for atom in monomial:
            parts += 1 if type(atom) is str else _parts_of_atom(atom)
    made.parts = parts
    return made


def _parts_of_atom(atom: Atom) -> int:
    return 1 + sum(map(_parts, atom[1:]))


def _atom(kind: str, *sizes: Size) -> Size:
    _require_few(sum(map(_parts, sizes)))
    return _dim(((((kind, *sizes),), 1),))


def _divide(a: Size, b: Size) -> Size | None:
    """a / b where `b` is a single term that divides every term of `a`, else None."""
    if len(_terms(b)) != 1:
        return 1 if a == b else None
    ((divisor, d),) = _terms(b)
    for _, c in _terms(a):
        if c % d:
            return None
    _require_few(len(_terms(a)) * (1 + len(divisor)))
    if not divisor:
        return _collect((monomial, c // d) for monomial, c in _terms(a))
    wanted = Counter(divisor)
    quotient = []
    for monomial, c in _terms(a):
        rest = Counter(monomial)
        if not wanted <= rest:
            return None
        rest.subtract(wanted)
        quotient.append((tuple(rest.elements()), c // d))
    return _collect(quotient)


def product(sizes: Iterable[Size]) -> Size:
    """The product of sizes, known or not."""
    total: Size = 1
    for size in sizes:
        total = total * size
    return total


def at_least_zero(size: Size) -> Size:
    """The size, or 0 if it is negative.

    >>> n = Dim("n")
    >>> left = at_least_zero(n - 2)
    >>> left, at_least_zero(left - 1), at_least_zero(n + 2), left.evaluate({"n": 1})
    (nonnegative(n - 2), nonnegative(n - 3), n + 2, 0)
    """
    if isinstance(size, int):
        return max(size, 0)
    match size._terms:
        case [((("nonnegative", inner),), 1), ((), int(less))] if less < 0:
            return at_least_zero(inner + less)
    return size if all(c > 0 for _, c in size._terms) else _atom("nonnegative", size)


def common_size(sizes: Iterable[Size]) -> Size:
    """The size that sizes broadcast to, preferably a known one."""
    distinct = [s for s in dict.fromkeys(sizes) if s != 1]
    known = [s for s in distinct if isinstance(s, int)]
    if known or len(distinct) < 2:
        return known[0] if known else (distinct[0] if distinct else 1)
    parts = dict.fromkeys(part for size in distinct for part in broadcast_parts(size))
    return _atom("broadcast", *parts)


def broadcast_parts(size: Size) -> tuple[Size, ...]:
    """The sizes that broadcast to `size`; they do not nest."""
    match _terms(size):
        case [((("broadcast", *parts),), 1)]:
            return tuple(parts)
    return (size,)
