"""MPI as an engine: each process of a program started by `mpiexec` computes its share of blocks.

Note [Ranks]. All ranks run one program, with the same parameters and the same description of data.
A rank computes neighbouring blocks and adds what it can of the tree; the right one of two nodes
whose ranks differ is sent to the left one's rank, level by level, and the root to all. So each rank
goes on with equal bits. Messages are the memory of arrays; nothing is pickled.

Note [Failing together]. Before sums are exchanged the ranks agree that all have theirs. If one has
raised an error, all raise one. An error that no rank catches ends all of them, and one that is
killed is noticed by `mpiexec`, which ends the others. Data is described, not held, so a program
that is started again goes on from its checkpoint.
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Sequence
from functools import lru_cache
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from gradops import EngineError
from gradops.core.errors import MissingExtraError

from ..blocks import Blocks
from ..programs import Block, Program, run_block
from ..tree import Node, Partial, levels_of, merge, root
from .embedded import first_rows
from .protocol import TIMEOUT, Parameters

SPINS = 2000  # looks for a message without a pause, as most come at once
PAUSE = 1e-4  # seconds
FINE = 0

Layout = list[tuple[str, list[int]]]
"""The dtypes and shapes of the arrays of a result."""


class Transfer(NamedTuple):
    """A node of the tree that one rank sends to another."""

    node: Node
    sender: int
    receiver: int


def mpi(comm: Any = None, *, timeout: float = TIMEOUT) -> "MessagePassing":
    """The engine of a program that `mpiexec -n 4 python program.py` runs in several processes.

    `comm` is a communicator of mpi4py, by default all processes. All of them make the same calls
    with the same parameters and data, of which each loads its share, and all get the result. An
    error that a process does not catch ends all. Raises EngineError if a message does not come
    within `timeout` seconds, MissingExtraError without the extra `mpi`.
    """
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise MissingExtraError("sg.distributed.mpi", "mpi4py", "mpi") from error
    return MessagePassing(MPI.COMM_WORLD if comm is None else comm, timeout)


class MessagePassing:
    """The processes of a communicator of MPI. See Note [Ranks]."""

    def __init__(self, comm: Any, timeout: float) -> None:
        self.comm, self.timeout = comm, timeout
        self.layouts: dict[Any, Layout] = {}
        if comm.size > 1:
            end_all_on_errors(comm)

    def reduce(
        self, program: Program, parameters: Parameters, blocks: Blocks, places: Sequence[int]
    ) -> Partial:
        """The sum over blocks. See `Engine`."""
        count, rank = len(places), self.comm.rank
        nodes, error = self.share(program, parameters, blocks, places)
        self.agree(error, parameters)
        sends: list[Any] = []
        for t in transfers(count, self.comm.size):
            if t.sender == rank:
                sends += self.send(nodes[t.node], t.receiver)
            elif t.receiver == rank:
                nodes[t.node] = self.receive(next(iter(nodes.values())), t.sender)
                nodes = merge(nodes, count)
        key = program, tuple([(x.shape, x.dtype.str) for x in parameters])
        result = self.broadcast(key, nodes.get(root(count)), owner(0, count, self.comm.size))
        self.wait(sends)
        return result

    def share(
        self, program: Program, parameters: Parameters, blocks: Blocks, places: Sequence[int]
    ) -> tuple[dict[Node, Partial], Exception | None]:
        """The nodes of this rank's blocks; or the error that one of them raised."""
        nodes: dict[Node, Partial] = {}
        try:
            for leaf in leaves_of_rank(self.comm.rank, len(places), self.comm.size):
                partial = run_block(program, parameters, *blocks.load(places[leaf]))
                nodes = merge({**nodes, (0, leaf): partial}, len(places))
        except Exception as error:
            return {}, error
        return nodes, None

    def agree(self, error: Exception | None, parameters: Parameters) -> None:
        """Raise an error if there is one on some rank. See Note [Failing together].

        Raises EngineError, too, if the ranks were given different parameters.
        """
        check = checksum(parameters)
        mine = np.array([FINE if error is None else self.comm.rank + 1, check, -check])
        highest = np.empty_like(mine)
        self.wait([self.comm.Iallreduce(mine, highest, op=maximum())])
        if highest[0] != FINE:
            text = self.text(str(error), int(highest[0]) - 1)
            if error is not None:
                raise error
            raise EngineError(f"distributed: rank {highest[0] - 1} raised an error: {text}")
        if highest[1] != -highest[2]:
            raise EngineError(
                "distributed: ranks were given different parameters\n  hint: all ranks compute the"
                " same; seed what draws random numbers, or broadcast it"
            )

    def text(self, text: str, source: int) -> str:
        """A text that one rank sends to all."""
        return self.content(text.encode(), source).decode()

    def content(self, content: bytes, source: int) -> bytes:
        """The bytes that one rank sends to all."""
        letters = np.frombuffer(content, np.uint8).copy()
        size = np.array([letters.size])
        self.wait([self.comm.Ibcast(size, source)])
        letters = letters if self.comm.rank == source else np.empty(size[0], np.uint8)
        self.wait([self.comm.Ibcast(letters, source)])
        return letters.tobytes()

    def send(self, partial: Partial, to: int) -> list[Any]:
        """The requests that send a partial result."""
        return [self.comm.Isend(buffer, to) for buffer in buffers_of(partial)]

    def receive(self, like: Partial, sender: int) -> Partial:
        """A partial result with arrays like those of another one."""
        empty = Partial(0, tuple([np.empty(y.shape, y.dtype) for y in like.sums]))
        buffers = buffers_of(empty)
        self.wait([self.comm.Irecv(buffer, sender) for buffer in buffers])
        return Partial(int(buffers[0].view(np.int64)[0]), empty.sums)

    def broadcast(self, key: Any, partial: Partial | None, source: int) -> Partial:
        """The result of the rank that has it, on all."""
        if key not in self.layouts:
            mine = None if partial is None else [(y.dtype.str, y.shape) for y in partial.sums]
            self.layouts[key] = json.loads(self.text(json.dumps(mine), source))
        if partial is None:
            arrays = [np.empty(shape, dtype) for dtype, shape in self.layouts[key]]
            partial = Partial(0, tuple(arrays))
        partial = Partial(partial.rows, tuple(map(np.asarray, partial.sums)))
        buffers = buffers_of(partial)
        self.wait([self.comm.Ibcast(buffer, source) for buffer in buffers])
        return Partial(int(buffers[0].view(np.int64)[0]), partial.sums)

    def wait(self, requests: list[Any]) -> None:
        """Wait for messages; raises EngineError if they do not come in time."""
        waiting = [request for request in requests if not request.Test()]
        looks, end = 0, time.monotonic() + self.timeout
        while waiting:
            waiting = [request for request in waiting if not request.Test()]
            looks += 1
            if looks > SPINS:
                time.sleep(PAUSE)
                if time.monotonic() > end:
                    raise EngineError(
                        f"distributed: rank {self.comm.rank} has waited {self.timeout:g} s for a"
                        " message\n  hint: a process may be stopped, or its host cut off;"
                        " timeout= gives more time; start again from the checkpoint"
                    )

    def first_block(self, blocks: Blocks) -> Block:
        """Some rows of the first block that has any."""
        return first_rows(map(blocks.load, range(len(blocks))))

    @property
    def leads(self) -> bool:
        """True for the first rank."""
        return bool(self.comm.rank == 0)

    def from_leader(self, content: bytes) -> bytes:
        """The `content` of the first rank."""
        return self.content(content, 0)

    def close(self) -> None:
        """Nothing is to be released."""


def maximum() -> Any:
    """MPI's operation for the largest number."""
    from mpi4py import MPI

    return MPI.MAX


def buffers_of(partial: Partial) -> list[np.ndarray]:
    """The memory of a partial result: its rows, as an array, and its arrays."""
    rows = np.array([partial.rows], np.int64)
    return [in_bytes(rows), *[in_bytes(np.asarray(y)) for y in partial.sums]]


def in_bytes(array: np.ndarray) -> np.ndarray:
    """The bytes of an array, in its memory if it is in C order."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def checksum(arrays: Parameters) -> int:
    """A number below 2**62 that tells different arrays from each other, nearly always."""
    found = 0
    for array in arrays:
        content = in_bytes(array)
        words = content[: content.size & ~7].view(np.uint64)
        weights = np.arange(1, 2 * words.size, 2, dtype=np.uint64)
        rest = int.from_bytes(content[words.nbytes :].tobytes(), "little")
        found = hash((found, int(np.dot(words, weights)), rest, array.shape))
    return found & (1 << 62) - 1


def leaves_of_rank(rank: int, count: int, size: int) -> range:
    """The leaves of one of `size` ranks: neighbours."""
    return range(count * rank // size, count * (rank + 1) // size)


def owner(leaf: int, count: int, size: int) -> int:
    """The rank that has a leaf."""
    return next(r for r in range(size) if leaf in leaves_of_rank(r, count, size))


@lru_cache(64)
def transfers(count: int, size: int) -> tuple[Transfer, ...]:
    """The nodes that ranks send to others, from the leaves up. See Note [Ranks]."""
    starts = [leaves_of_rank(r, count, size).start for r in range(size)]
    result = []
    for level, width in enumerate(levels_of(count)[:-1]):
        crossing = {(start >> level) | 1 for start in starts}  # the right nodes at a border
        crossing |= {((start - 1) >> level) | 1 for start in starts if start}
        for place in sorted(place for place in crossing if place < width):
            left, right = [owner(p << level, count, size) for p in (place - 1, place)]
            if left != right:
                result.append(Transfer((level, place), right, left))
    return tuple(result)


def end_all_on_errors(comm: Any) -> None:
    """End all ranks when this one ends by an error, as they would wait for it."""

    def end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        print(f"rank {comm.rank}:", file=sys.stderr)
        traceback.print_exception(kind, error, trace)
        sys.stderr.flush()
        comm.Abort(1)
        os._exit(1)

    sys.excepthook = end
