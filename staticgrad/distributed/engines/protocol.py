"""The protocol of engines, and what they raise."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..blocks import Blocks
from ..programs import Block, Program
from ..tree import Partial

TIMEOUT = 600.0  # seconds without a result

Parameters = Sequence[np.ndarray]


class Engine(Protocol):
    """Workers that have a program, and a way to send them parameters and to add what they find."""

    def reduce(
        self, program: Program, parameters: Parameters, blocks: Blocks, places: Sequence[int]
    ) -> Partial:
        """The sum over the blocks at `places`, by the tree of Note [The tree].

        The program and the parameters go to all workers; each runs it on some of the blocks. Raises
        EngineError if workers are lost and cannot be replaced, or do not answer.
        """

    def first_block(self, blocks: Blocks) -> Block:
        """Some rows of a block that has any: the first one, if all have."""

    @property
    def leads(self) -> bool:
        """True in the process that writes files and shows progress, which is one of all."""

    def from_leader(self, content: bytes) -> bytes:
        """The `content` that the process that leads has, in all."""

    def close(self) -> None:
        """Release what it started."""


class OneProcess:
    """What is so for engines whose callers are one process, and whose workers run programs only."""

    @property
    def leads(self) -> bool:
        """True: there is no other process that writes files."""
        return True

    def from_leader(self, content: bytes) -> bytes:
        """The `content` itself, as this is the only process that has any."""
        return content
