"""The holes of a statement are filled with names, dimensions, keys, shapes and numbers.

Whether a statement fits is told by the tensors that torch holds; one hole in twenty is filled
without looking, so that errors are compared, too.
"""

import itertools
import re
import string

import numpy as np

from . import values
from .values import one_of

CARELESS = 0.05
SCALARS = {
    "b": ["True", "False"], "i": ["2", "-3", "1", "0"], "u": ["2", "3", "1", "0"],
    "f": ["0.5", "-2.0", "3", "1.25"], "c": ["0.5", "(1+2j)", "3"],
}  # fmt: skip
MIXED = [
    "True", "2", "-3", "0", "0.5", "-1.5", "(1+2j)", "np.float64(0.5)", "np.float32(1.5)",
    "np.int64(3)", "np.bool_(True)", "np.float16(0.25)", "np.uint8(2)", "np.complex64(1j)",
    "1e4", "300",
]  # fmt: skip


class Scope:
    """The names a program has so far, and the tensors of torch they stand for."""

    def __init__(self, rng, names, dtypes, mixed):
        self.rng, self.names, self.dtypes, self.mixed = rng, names, dtypes, mixed
        self.count = itertools.count()

    def tensors(self):
        """The names of all tensors."""
        return {k: v for k, v in self.names.items() if hasattr(v, "requires_grad")}

    def chance(self, p):
        """True with a probability."""
        return bool(self.rng.random() < p)

    def careless(self):
        """Whether to fill a hole without looking."""
        return self.chance(CARELESS)

    def new(self):
        """A name that nothing has."""
        return f"v{next(self.count)}"

    def recent(self, names):
        """One of some names, those of late sooner."""
        names = list(names)
        return names[-1 - int(min(self.rng.geometric(0.3), len(names)) - 1)]


class Filling:
    """How the holes of one template are filled; those that come later know the earlier ones."""

    def __init__(self, scope, x):
        self.scope, self.rng, self.x_name = scope, scope.rng, x
        self.x = scope.names[x]
        self.dim_of_last, self.leaf_name = 0, ""

    def filled(self, template):
        """The template with its holes filled."""
        return string.Formatter().vformat(template, (), Holes(self))

    def x_(self):
        return self.x_name

    def y(self):
        """A tensor whose shape broadcasts with that of x."""
        return self.operand(lambda t: broadcasts(t.shape, self.x.shape))

    def z(self):
        """A tensor of the shape of x."""
        return self.operand(lambda t: t.shape == self.x.shape)

    def operand(self, fits):
        """The name of a tensor that fits, or a new one."""
        every = self.scope.tensors()
        if not self.scope.mixed:
            every = {k: t for k, t in every.items() if t.dtype == self.x.dtype}
        found = list(every) if self.scope.careless() else [k for k, t in every.items() if fits(t)]
        return self.scope.recent(found) if found else self.x_name

    def s(self):
        """A number that x may be combined with."""
        kind = values.kind_of(str(self.x.dtype).removeprefix("torch."))
        return one_of(self.rng, MIXED if self.scope.mixed else SCALARS[kind])

    def w(self):
        """Weights of the shape of x, so that the gradient of each entry is its own."""
        name = str(self.x.dtype).removeprefix("torch.")
        return values.tensor(self.rng, name, tuple(self.x.shape))

    def source(self):
        """A tensor or a number that may be written to x."""
        return self.y() if self.scope.chance(0.6) else self.s()

    def d(self):
        """A dimension of x."""
        rank = max(1, self.x.ndim)
        if self.scope.careless():
            self.dim_of_last = 0
            return str(int(self.rng.integers(-4, 4)))
        d = int(self.rng.integers(-rank, rank))
        self.dim_of_last = d % rank
        return str(d)

    def ds(self):
        """Several dimensions of x."""
        rank, count = self.x.ndim, int(self.rng.integers(0, 3))
        if self.scope.careless() or not rank:
            return str(one_of(self.rng, [(0,), (-1,), (0, 1), (1, 1), [0], ()]))
        count = min(count, rank)
        dims = tuple(int(d) for d in self.rng.permutation(rank)[:count])
        return str(dims if self.scope.chance(0.7) else list(dims))

    def perm(self):
        """An order of the dimensions of x."""
        if self.scope.careless():
            return "0, 1"
        return ", ".join(str(int(d)) for d in self.rng.permutation(self.x.ndim)) or "()"

    def size(self):
        """The size of the dimension that was last named."""
        return self.x.shape[self.dim_of_last] if self.x.ndim > self.dim_of_last else 1

    def i(self):
        """An index into the dimension that was last named."""
        n = self.size()
        return str(int(self.rng.integers(-n, n)) if n and not self.scope.careless() else 3)

    def n(self):
        """How many parts, or entries of one."""
        return str(int(self.rng.integers(1, 4)))

    def le(self):
        """A number of entries that the dimension has, at least one if it can be."""
        return str(int(self.rng.integers(min(1, self.size()), self.size() + 1)))

    def parts(self):
        """Sizes that add up to that of the dimension that was last named."""
        n = self.size()
        first = int(self.rng.integers(0, n + 1))
        return str([first, n - first + self.scope.careless()])

    def k(self):
        return str(self.scope.chance(0.4))

    def offset(self):
        return str(int(self.rng.integers(-1, 2)))

    def shape(self):
        """Another shape for the entries of x, or -1 for one of its sizes."""
        n = self.x.numel()
        if self.scope.careless():
            return "(2, -1)"
        options = [(n,), (1, n), (n, 1), tuple(self.x.shape)[::-1]]
        options += [(-1,), (-1, 1)] if n else []
        options += [(2, n // 2), (2, -1)] if n and n % 2 == 0 else []
        options += [()] if n == 1 else []
        return str(one_of(self.rng, options))

    def wider(self):
        """A shape that x expands to."""
        sizes = [int(self.rng.integers(0, 4)) if n == 1 else n for n in self.x.shape]
        sizes = [-1 if self.scope.chance(0.2) else n for n in sizes]
        if self.scope.chance(0.4) or not sizes:
            sizes = [2, *sizes]
        return str(tuple(sizes)) if not self.scope.careless() else "(2, 2)"

    def dtype(self):
        return "lib." + values.dtype(self.rng, self.scope.dtypes)

    def leaf(self):
        """A leaf that requires gradients."""
        every = self.scope.tensors()
        found = [k for k, t in every.items() if t.is_leaf and t.requires_grad]
        self.leaf_name = one_of(self.rng, found or list(every))
        return self.leaf_name

    def inner(self):
        """A tensor that requires gradients."""
        every, leaf = self.scope.tensors(), self.scope.names.get(self.leaf_name)
        found = [k for k, t in every.items() if t.requires_grad and t is not leaf]
        return one_of(self.rng, found) if found else f"{self.leaf_name or self.x_name} * 1"

    def other(self):
        """Another leaf, or what requires gradients."""
        return self.inner()

    def weighted(self):
        """A loss in which each entry of x has a weight."""
        return f"({self.x_name} * {self.w()}).sum().real"

    def square(self):
        """A loss with a gradient that depends on x."""
        return f"({self.x_name} * {self.x_name}).sum().real"

    def second(self):
        return "create_graph=True, allow_unused=True"

    def unused(self):
        return "retain_graph=True, allow_unused=True"

    def zeros(self):
        return "materialize_grads=True, retain_graph=True"

    def look(self):
        """A hook that notes the gradient."""
        return f"lambda g: seen.append(('{self.x_name}', g.detach().clone()))"

    def look_after(self):
        """A hook that notes the gradient a leaf has."""
        return f"lambda p: seen.append(('by {self.x_name}', p.grad.detach().clone()))"

    def new(self):
        return self.scope.new()

    def key(self):
        """An index of x: basic, with arrays, or both."""
        return key(self.rng, tuple(self.x.shape), self.scope.careless())

    def indices(self):
        """A row of indices into the dimension that was last named."""
        n = self.size()
        if not n:
            return "lib.tensor([], dtype=lib.int64)"
        return f"lib.tensor({[int(self.rng.integers(n)) for _ in range(3)]})"

    def places(self):
        """Indices along the dimension that was last named, of the shape of x."""
        sizes, n = tuple(self.x.shape), max(1, self.size())
        if 0 in sizes:
            return f"lib.zeros({sizes}, dtype=lib.int64)"
        entries = self.rng.integers(0, n, sizes).tolist()
        return f"lib.tensor({entries}, dtype=lib.int64)"

    def mask(self):
        """Where entries are to be taken or written: a condition on x, or given."""
        if self.x.is_complex() or self.scope.chance(0.5):
            sizes = tuple(self.x.shape)
            return f"lib.tensor({values.nested(self.rng, sizes, 'b')}, dtype=lib.bool)"
        return f"({self.x_name} > {one_of(self.rng, ['0', '0.25', '1'])})"


class Holes:
    """The holes of a template by their names; digits only tell holes of one kind apart."""

    def __init__(self, filling):
        self.filling, self.known = filling, {}

    def __getitem__(self, name):
        if name not in self.known:
            method = re.sub(r"\d", "", name)
            self.known[name] = getattr(self.filling, "x_" if method == "x" else method)()
        return self.known[name]


def broadcasts(a, b):
    """Whether two shapes broadcast."""
    return all(m == n or 1 in (m, n) for m, n in zip(a[::-1], b[::-1], strict=False))


def key(rng, sizes, careless=False):
    """An index for a shape, as source text."""
    if careless:
        return one_of(rng, ["5", "0, 0, 0, 0", "[7]", "1.5", "..., 0", "None, 0", "True"])
    entries, axes = [], list(sizes)
    if rng.random() < 0.1 and sizes:
        return f"lib.tensor({values.nested(rng, sizes, 'b')}, dtype=lib.bool)"
    for n in axes[: int(rng.integers(0, len(axes) + 1))]:
        entries.append(entry(rng, n))
    if rng.random() < 0.15:
        entries.insert(int(rng.integers(len(entries) + 1)), "None")
    if rng.random() < 0.2:
        entries.append("...")
    return ", ".join(entries) or "..."


def entry(rng, n):
    """An entry of an index, for a dimension of a size."""
    if not n:
        return one_of(rng, [":", "0:", ":0"])
    i = int(rng.integers(-n, n))
    many = [int(k) for k in rng.integers(-n, n, int(rng.integers(1, 3)))]
    start = int(rng.integers(0, n))
    return one_of(
        rng,
        [
            ":", ":", f"{start}:", f":{i}", "::2", str(i), str(i), str(many),
            f"lib.tensor({many})", f"lib.tensor({i})", f"np.array({many})",
            str(np.asarray(rng.random(n) < 0.5).tolist()), f"{start}:{start + 1}",
        ],
    )  # fmt: skip
