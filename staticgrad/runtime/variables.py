"""The values that the variables of a session have: arrays, or parts of blocks."""

from collections.abc import Iterator, MutableMapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..ir.expr import Expr, Kind
from ..ir.graph import FrozenGraph
from ..ir.reachability import reachable
from .blocks import Block

Array = np.ndarray[Any, Any]


class VariableValues(MutableMapping[Expr, Array]):
    """The values of variables that are not the initial ones. See Note [Variable blocks].

    Values are replaced and never written to, so views of a block stay what they are.
    """

    def __init__(self) -> None:
        self.arrays: dict[Expr, Array] = {}
        self.flats: dict[Block, Array] = {}
        self.blocks: dict[Expr, Block] = {}  # of the variables whose values are in one
        self.known: dict[tuple[Expr, ...], Block] = {}

    def __getitem__(self, v: Expr) -> Array:
        block = self.blocks.get(v)
        return self.arrays[v] if block is None else block.part(self.flats[block], v)

    def __setitem__(self, v: Expr, value: Array) -> None:
        self.dissolve(v)
        self.arrays[v] = value

    def __delitem__(self, v: Expr) -> None:
        self.dissolve(v)
        del self.arrays[v]

    def clear(self) -> None:
        """Forget all values; item by item, each would look through all that are left."""
        for values in (self.arrays, self.flats, self.blocks):
            values.clear()

    def __iter__(self) -> Iterator[Expr]:
        return iter([*self.arrays, *self.blocks])

    def __len__(self) -> int:
        return len(self.arrays) + len(self.blocks)

    def current(self, v: Expr | Block) -> Array:
        """The value of a variable, by default its initial one, or of a block."""
        if isinstance(v, Block):
            return self.flat(v)
        block = self.blocks.get(v)
        if block is not None:
            return block.part(self.flats[block], v)
        result = self.arrays.get(v)
        return v.value if result is None else result

    def block(self, variables: tuple[Expr, ...]) -> Block:
        """The block of some variables."""
        return self.known.setdefault(variables, Block(variables))

    def can_join(self, block: Block) -> bool:
        """True if the variables of a block are in C order, as they are in the block."""
        return block in self.flats or all(
            self.current(v).flags.c_contiguous for v in block.variables
        )

    def flat(self, block: Block) -> Array:
        """The value of a block, which then has those of its variables."""
        result = self.flats.get(block)
        if result is None:
            result = np.concatenate([self.current(v) for v in block.variables], axis=None)
            self.put_flat(block, result)
        return result

    def put(self, v: Expr | Block, value: Array) -> None:
        """Set the value of a variable or a block."""
        if isinstance(v, Block):
            self.put_flat(v, value)
        else:
            self[v] = value

    def put_flat(self, block: Block, value: Array) -> None:
        """Set the value of a block."""
        if block not in self.flats:
            for v in block.variables:
                self.dissolve(v)
                self.arrays.pop(v, None)
                self.blocks[v] = block
        self.flats[block] = value

    def dissolve(self, v: Expr) -> None:
        """Give the variables of the block that `v` is in values of their own, if it is in one."""
        block = self.blocks.get(v)
        if block is not None:
            flat = self.flats.pop(block)
            for each in block.variables:
                del self.blocks[each]
                self.arrays[each] = block.part(flat, each)


def without_constants(graph: FrozenGraph) -> tuple[FrozenGraph, dict[Expr, Array]]:
    """The graph without the updates whose new values are constants, and those: none is copied."""
    known = {v: new.value for v, new in graph.updates if new.kind is Kind.CONSTANT}
    if not known:
        return graph, known
    changes = tuple([(v, new) for v, new in graph.updates if v not in known])
    used = reachable((*graph.outputs, *[new for _, new in changes], *graph.measured))
    inputs = tuple([e for e in graph.inputs if e in used or e not in known])
    return replace(graph, inputs=inputs, updates=changes, derived={}), known
