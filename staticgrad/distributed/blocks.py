"""Data as blocks of rows: in memory, in files, or what an engine has yet to compute.

Note [Block cuts]. Where a block ends depends on the data alone, never on the workers: Dask arrays
are cut where their chunks end, lists of blocks are what they are, and one array or file is cut
after as many rows as `CUT` bytes have, or `block_rows`.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isnan, prod
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gradops import ShapeError, type_of
from gradops.core.errors import OptionError
from gradops.core.op import refuse_masked

from .programs import Block, spread

CUT = 32 << 20  # bytes


class Rows(NamedTuple):
    """Some rows of an array, or of an `.npy` file that each process opens by itself."""

    source: Any
    start: int | None = None
    stop: int | None = None

    def load(self) -> np.ndarray:
        """The rows; those of a file are mapped to memory."""
        rows = opened(self.source)[self.start : self.stop]
        return np.asarray(refuse_masked(rows, "distributed"))


def load(piece: Any) -> Any:
    """A block of a column as an array, or a tuple of arrays."""
    if isinstance(piece, Rows):
        return piece.load()
    if has(piece, "__dask_graph__"):
        return piece.compute(scheduler="synchronous")
    return piece.result() if is_future(piece) else piece


def opened(source: Any) -> Any:
    """What has rows: an array, or a file mapped to memory."""
    if isinstance(source, Path):
        return np.load(source, mmap_mode="r", allow_pickle=False)
    return source


@dataclass(frozen=True)
class Blocks:
    """The blocks of some columns: `pieces[i]` has a piece of each column.

    `columns` are held because a cluster keeps what is persisted only as long as they are.
    """

    pieces: tuple[tuple[Any, ...], ...]
    columns: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.pieces)

    def load(self, i: int) -> Block:
        """The columns of block `i`."""
        return spread([load(piece) for piece in self.pieces[i]])

    @cached_property
    def are_lazy(self) -> bool:
        """True if an engine has yet to compute some of them."""
        return any(is_lazy(piece) for pieces in self.pieces for piece in pieces)


def is_lazy(piece: Any) -> bool:
    """True for what Dask has yet to compute, or keeps on its workers."""
    return has(piece, "__dask_graph__") or is_future(piece)


def has(x: object, name: str) -> bool:
    """True if the class of `x` has an attribute, as objects such as Dask's delayed have any."""
    return hasattr(type(x), name)


def is_future(piece: Any) -> bool:
    """True for a future of Dask."""
    return has(piece, "result") and has(piece, "cancelled")


def blocks_of(data: Any, block_rows: int | None = None) -> Blocks:
    """The blocks of `data`: a column, or a tuple of columns.

    Raises ShapeError where columns are cut at different rows, OptionError for what is no data.
    """
    columns = [unwrapped(column) for column in (data if isinstance(data, tuple) else (data,))]
    if not columns:
        raise OptionError("distributed", [], "there are no columns")
    cuts = cuts_for(columns, block_rows)
    cut = [pieces_of(column, cuts) for column in columns]
    if len({len(pieces) for pieces in cut}) > 1:
        counts = " and ".join(str(len(pieces)) for pieces in cut)
        raise ShapeError("distributed", [], f"the columns have {counts} blocks",
                         hint="cut all of them at the same rows")  # fmt: skip
    if not cut[0]:
        raise ShapeError("distributed", [], "the data has no blocks")
    return Blocks(tuple(zip(*cut, strict=True)), tuple(columns))


def unwrapped(column: Any) -> Any:
    """A column without what labels it: the array inside of an array of xarray; a path as such."""
    if isinstance(column, str | PathLike):
        return Path(fspath(column))
    if has(column, "__dask_graph__") and has(column, "dims"):
        return column.data
    if has(column, "__dask_graph__") and has(column, "to_dask_array"):
        return column.to_dask_array()
    return column


def is_in_blocks(column: Any) -> bool:
    """True for a column that comes in blocks, whose rows may be unknown."""
    return isinstance(column, list) or has(column, "to_delayed")


def cuts_for(columns: Sequence[Any], block_rows: int | None) -> list[int]:
    """Where the blocks of whole columns begin, and the end; empty if nothing says it."""
    wholes = [column for column in columns if not is_in_blocks(column)]
    if len(wholes) == len(columns):
        return regular_cuts(wholes, block_rows)
    several = (sizes_of(column) for column in columns if wholes and is_in_blocks(column))
    sizes = next((sizes for sizes in several if sizes is not None), [])
    return [0, *np.cumsum(sizes).tolist()] if sizes else []


def sizes_of(column: Any) -> list[int] | None:
    """The rows of each block of a column that comes in blocks; None if Dask has yet to find out."""
    if has(column, "to_delayed"):
        return None if any(map(isnan, column.chunks[0])) else list(column.chunks[0])
    blocks = [opened(unwrapped(block)) for block in column]
    return [len(block) for block in blocks] if all(map(is_array, blocks)) else None


def is_array(x: Any) -> bool:
    """True for something with rows that can be cut out, and a dtype."""
    return has(x, "shape") and has(x, "dtype") and not is_lazy(x)


def regular_cuts(columns: Sequence[Any], block_rows: int | None) -> list[int]:
    """Where the blocks of whole columns begin, and the end. See Note [Block cuts]."""
    arrays = [whole(column) for column in columns]
    rows = len(arrays[0])
    size = sum(prod(a.shape[1:]) * a.dtype.itemsize for a in arrays)
    step = max(1, CUT // max(1, size)) if block_rows is None else block_rows
    if step < 1:
        raise OptionError("distributed", [], f"a block has at least one row, not {block_rows}")
    return [*range(0, rows, step), rows]


def whole(column: Any) -> Any:
    """A column that is one array or file, opened; raises OptionError for anything else."""
    array = opened(column)
    if not is_array(array) or not array.shape:
        raise OptionError(
            "distributed", [type_of(array) if is_array(array) else type(column).__name__],
            "is neither an array with rows nor blocks of one",
            hint="give an array, a path of an .npy file, a Dask array, or a list of blocks",
        )  # fmt: skip
    return array


def pieces_of(column: Any, cuts: Sequence[int]) -> list[Any]:
    """The blocks of a column."""
    if has(column, "to_delayed"):
        return chunks_of(column)
    if isinstance(column, list):
        return [block_of(block) for block in column]
    require_rows(column, cuts)
    return [Rows(column, a, b) for a, b in pairwise(cuts)]


def require_rows(column: Any, cuts: Sequence[int]) -> None:
    """Raise ShapeError unless a whole column has as many rows as the others."""
    array = whole(column)
    if not cuts:
        raise ShapeError("distributed", [type_of(array)],
                         "the other columns come in blocks of unknown sizes",
                         hint="give a list of blocks for this one too")  # fmt: skip
    if len(array) != cuts[-1]:
        raise ShapeError("distributed", [type_of(array)], f"another column has {cuts[-1]} rows")


def block_of(block: Any) -> Any:
    """A member of a list of blocks, with a path as the rows of its file."""
    block = unwrapped(block)
    return Rows(block) if isinstance(block, Path) else block


def chunks_of(array: Any) -> list[Any]:
    """The chunks of a Dask array, each with all of its rows' entries."""
    require_whole_rows(array)
    delayed = list(array.to_delayed().ravel())
    futures = futures_in(array)
    return [futures.get(piece.key, piece) for piece in delayed]


def futures_in(array: Any) -> dict[Any, Any]:
    """The futures of the chunks that a cluster computes or keeps, by their keys."""
    if (client := sys.modules.get("distributed.client")) is None:
        return {}
    return {future.key: future for future in client.futures_of(array)}


def require_whole_rows(array: Any) -> None:
    """Raise ShapeError if a row of a Dask array is in several chunks."""
    if any(len(sizes) > 1 for sizes in array.chunks[1:]):
        whole_rows = "{" + ", ".join(f"{axis}: -1" for axis in range(1, array.ndim)) + "}"
        raise ShapeError("distributed", [f"dask array of chunks {array.chunksize}"],
                         "a row of it is in several chunks",
                         hint=f"array.rechunk({whole_rows}) keeps rows whole")  # fmt: skip
