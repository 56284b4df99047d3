"""An executable on the blocks of a Dask array, such as a trained model on what it predicts for.

Note [Rows alone]. A graph may mix rows, as a normalization by the rows at hand does; its result
then depends on where blocks end. So a worker computes some rows in the middle of each block alone,
too, and raises an error if these differ.
"""

from typing import Any

import numpy as np

from gradops import OptionError, ShapeError
from gradops.core.dims import Dim
from gradops.core.types import is_float

from ..ir.graph import FrozenGraph
from ..runtime.executable import Executable
from .additivity import ROUNDING
from .blocks import has, require_whole_rows, unwrapped
from .programs import Program, executable_of, graph_bytes

ALONE = 3  # rows of a block that are computed alone


def map_blocks(executable: Executable | FrozenGraph, array: Any, *, backend: str = "numpy") -> Any:
    """The results of an executable for the rows of a Dask array, as a Dask array.

    The executable has one input, whose first size is unknown, and one output with as many rows. A
    frozen graph will do. The blocks of the array have whole rows. An array of xarray with one of
    Dask inside gives one, if the result has its shape. Raises ShapeError and OptionError where that
    is not so; workers raise OptionError if a result depends on where blocks end.

    >>> import dask.array
    >>> x = sg.placeholder("float64", [None, 2], name="x")
    >>> predict = sg.compile([sg.reduce_sum(x * x, axis=1)], [x])
    >>> sg.map_blocks(predict, dask.array.ones((5, 2), chunks=(2, 2))).compute()
    array([2., 2., 2., 2., 2.])
    """
    graph = executable if isinstance(executable, FrozenGraph) else executable.written
    inner = unwrapped(array)
    if not has(inner, "map_blocks"):
        raise OptionError("map_blocks", [type(array).__name__], "is not a Dask array",
                          hint="call the executable with an array")  # fmt: skip
    sizes = row_sizes(graph, inner)
    require_whole_rows(inner)
    result = inner.map_blocks(
        run_rows, Program(graph_bytes(graph), backend=backend), dtype=graph.outputs[0].dtype,
        chunks=(inner.chunks[0], *[(n,) for n in sizes]), drop_axis=list(range(1, inner.ndim)),
        new_axis=list(range(1, 1 + len(sizes))),
        meta=np.empty((0,) * (1 + len(sizes)), graph.outputs[0].dtype),
    )  # fmt: skip
    keeps = inner is not array and result.shape == inner.shape
    return array.copy(data=result) if keeps else result


def row_sizes(graph: FrozenGraph, array: Any) -> list[int]:
    """The sizes of a row of the output; raises ShapeError if rows do not give rows."""
    if len(graph.inputs) != 1 or len(graph.outputs) != 1:
        counts = f"{len(graph.inputs)} inputs and {len(graph.outputs)} outputs"
        raise OptionError("map_blocks", [], f"the graph has {counts}, not one of each",
                          hint="freeze(y, x, values=...) makes parameters constants")  # fmt: skip
    (x,), (y,) = graph.inputs, graph.outputs
    if not x.shape or not y.shape or not isinstance(x.shape[0], Dim) or y.shape[0] != x.shape[0]:
        reason = "the output has not as many rows as the input, for any number"
        raise ShapeError("map_blocks", [x.type, y.type], reason)
    if len(x.shape) != array.ndim:
        raise ShapeError("map_blocks", [x.type, f"array of shape {array.shape}"],
                         f"the input has {len(x.shape)} axes")  # fmt: skip
    known = {n: m for n, m in zip(x.shape, array.shape, strict=True) if isinstance(n, Dim)}
    found = [known.get(n) if isinstance(n, Dim) else n for n in y.shape[1:]]
    if any(n is None for n in found):
        raise ShapeError("map_blocks", [y.type], "the size of a row of the output is unknown")
    return [int(n) for n in found if n is not None]


def run_rows(block: Any, program: Program) -> np.ndarray:
    """The results for the rows of a block. See Note [Rows alone]."""
    run = executable_of(Program(*program))
    rows = np.asarray(block)
    (result,) = run(rows)
    start = max(0, (len(rows) - ALONE) // 2)
    several = rows[start : start + ALONE] if len(rows) > 1 else np.repeat(rows, 2, axis=0)
    (alone,) = run(several.copy()) if len(rows) else (result,)
    if not alike(result[start : start + ALONE], alone[: len(rows)]):
        raise OptionError("map_blocks", [], "the result for a row depends on the other rows",
                          hint="use constants in place of means of a batch")  # fmt: skip
    return np.asarray(result)


def alike(a: np.ndarray, b: np.ndarray) -> bool:
    """True for equal arrays, up to the rounding of floats; products may round by their sizes."""
    if not is_float(a.dtype):
        return np.array_equal(a, b)
    largest = max(np.max(np.abs(a), initial=0.0), 1.0)
    bound = ROUNDING * float(np.finfo(a.dtype).eps) * largest
    return bool(np.allclose(a, b, rtol=0.0, atol=bound, equal_nan=True))
