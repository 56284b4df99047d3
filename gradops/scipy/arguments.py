"""One vector for SciPy's solvers, and the arguments that they are called with.

Note [One vector]. SciPy's solvers work on one vector of float64. `Packing` converts between the
vector and the structure that the user's function takes: arrays in lists, tuples, dicts and the
like, with tensors where `x0` has tensors. Derivatives are with respect to the vector.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.errors import DTypeError, OptionError
from ..core.op import PLAIN
from ..core.tracer_protocol import held
from ..core.tree import flatten, leaves_of, tree_map
from ..core.types import shape_of, type_of
from ..library.index.indexing import index
from ..library.shape.movement import reshape


class Packing:
    """A structure of arrays as one vector of float64. See Note [One vector]."""

    def __init__(self, x0: Any) -> None:
        if callable(x0):
            raise OptionError("scipy", [], "the function comes first, and then where to start")
        if isinstance(x0, list | tuple) and all(type(x) in PLAIN for x in leaves_of(x0)):
            x0 = np.asarray(x0) if not any(np.ndim(x) for x in leaves_of(x0)) else x0
        leaves, self.rebuild = flatten(x0)
        self.alike = [getattr(x, "__gradop_like__", as_it_is) for x in leaves]
        arrays = [np.asarray(held(x)) for x in leaves]
        for a in arrays:
            if a.dtype.kind not in "biuf":
                parts = "real and imaginary parts as two arrays"
                hint = parts if a.dtype.kind == "c" else "arrays, or lists, tuples, dicts of them"
                raise DTypeError("scipy", [type_of(a)], "SciPy's solvers move real numbers",
                                 hint=f"give {hint}")  # fmt: skip
        self.shapes = [a.shape for a in arrays]
        ends = np.cumsum([a.size for a in arrays])
        self.parts = [slice(int(n - a.size), int(n)) for n, a in zip(ends, arrays, strict=True)]
        flat = [np.ravel(a).astype(np.float64) for a in arrays]
        self.vector = np.concatenate(flat) if flat else np.empty(0)

    def unpack(self, x: Any) -> Any:
        """The vector `x` unpacked into the structure of the start point."""
        if self.shapes == [shape_of(x)]:
            return self.rebuild([self.alike[0](x)])
        pieces = zip(self.parts, self.shapes, self.alike, strict=True)
        return self.rebuild(
            [alike(reshape(index(x, part), shape=shape)) for part, shape, alike in pieces]
        )


def as_it_is(x: object) -> Any:
    """`x` itself: the pieces of a user's array stay arrays."""
    return x


class Arguments(dict[str, Any]):
    """Keyword arguments for one of SciPy's functions: `minimize(**arguments)`."""

    def __init__(
        self, packing: Packing, given: dict[str, Any], hessian: Callable[..., Any] | None = None
    ) -> None:
        super().__init__(given)
        self.packing, self._hessian = packing, hessian

    def hessian(self, x: object) -> Any:
        """The exact Hessian of the objective at a vector; of least squares, of half their sum."""
        if self._hessian is None:
            raise OptionError("hessian", [], "these arguments are not those of a minimum")
        return self._hessian(x, *self.get("args", ()))

    def unflatten(self, x: object) -> Any:
        """The structure, like `x0`, of the arrays in a vector such as `result.x`."""
        return tree_map(lambda a: a[()], self.packing.unpack(np.array(x, np.float64)))
