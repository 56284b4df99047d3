"""Resident workers of Dask: an actor on each keeps blocks and programs, and is sent parameters.

Note [Resident workers]. A step is one message to each worker and one back, without the scheduler.
If a worker dies, actors are started on those that are left, its blocks are computed again there,
and the step is repeated with its parameters, which are here. Each worker adds up what it can of the
tree, and the rest is added here, so the bits are those of any other engine.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from gradops import EngineError

from ..blocks import Blocks, has
from ..blocks import load as load_piece
from ..programs import Block, Program, run_block, spread
from ..tree import Accumulator, Node, Partial, merge
from .dask_tasks import DaskTasks, silent_workers
from .protocol import OneProcess, Parameters

PAUSE, CHECK = 0.1, 1.0  # seconds between looks for workers, and for dead ones while waiting


class Keeper:
    """The actor: blocks by their places, which run programs."""

    def __init__(self, places: Sequence[int], pieces: Sequence[Sequence[Any]]) -> None:
        loaded = [spread([load_piece(piece) for piece in each]) for each in pieces]
        self.blocks: dict[int, Block] = dict(zip(places, loaded, strict=True))

    def step(
        self, program: Program, parameters: Parameters, leaves: dict[int, int], count: int
    ) -> dict[Node, Partial]:
        """The nodes of the tree of `count` leaves, from the blocks of each leaf by their places."""
        program, partials = Program(*program), dict[Node, Partial]()
        for leaf, place in leaves.items():
            partials[0, leaf] = run_block(program, parameters, *self.blocks[place])
        return merge(partials, count)


class Resident(OneProcess):
    """Actors on the workers of a cluster of Dask. See Note [Resident workers]."""

    def __init__(self, client: Any, timeout: float) -> None:
        self.client, self.timeout = client, timeout
        self.tasks = DaskTasks(client, timeout)
        self.keepers: dict[str, Any] = {}
        self.owners: dict[int, str] = {}
        self.lost: set[str] = set()

    def reduce(
        self, program: Program, parameters: Parameters, blocks: Blocks, places: Sequence[int]
    ) -> Partial:
        """The sum over blocks. See `Engine`."""
        end = time.monotonic() + self.timeout
        while True:
            if not self.keepers:
                self.start(blocks, end)
            answers = self.answers(program, parameters, places, end)
            if answers is not None:
                break
        result = Accumulator(len(places))
        for nodes in answers:
            result.add(nodes.items())
        return result.result()

    def start(self, blocks: Blocks, end: float) -> None:
        """Start an actor on each worker, with its share of the blocks."""
        workers = self.workers(end)
        shares = shared_out(len(blocks), workers)
        self.owners = {place: w for w, places in shares.items() for place in places}
        futures = {w: self.keeper(w, places, blocks) for w, places in shares.items()}
        if not self.have_started(futures, end):
            return
        try:
            for future in futures.values():
                future.result(CHECK)
            self.keepers = futures  # an actor is held by the default client, which may be another
        except Exception:
            if not self.forget_dead(futures):
                raise

    def have_started(self, futures: dict[str, Any], end: float) -> bool:
        """Wait for actors; false if a worker has died meanwhile, where one could wait forever."""
        from distributed import wait

        while True:
            with suppress(TimeoutError):
                wait(list(futures.values()), CHECK)
                return True
            if self.forget_dead(futures):
                return False
            if time.monotonic() > end:
                raise self.no_answer()

    def forget_dead(self, workers: Iterable[str]) -> bool:
        """True if some of the workers are dead, which are used no more."""
        gone = set(workers) - set(self.alive())
        self.lost |= gone
        return bool(gone)

    def workers(self, end: float) -> list[str]:
        """The addresses of the workers; waits for one, if a cluster has none."""
        while not (found := self.usable()):
            if time.monotonic() > end:
                raise EngineError(
                    f"distributed: the cluster has had no workers for {self.timeout:g} s"
                )
            time.sleep(PAUSE)
        return found

    def usable(self) -> list[str]:
        """The addresses of workers that are alive; another worker may come by one that was lost."""
        alive = self.alive()
        self.lost.intersection_update(alive)
        return [w for w in alive if w not in self.lost]

    def alive(self) -> list[str]:
        """The addresses of the workers that the scheduler has."""
        return sorted(self.client.scheduler_info(n_workers=-1)["workers"])

    def keeper(self, worker: str, places: Sequence[int], blocks: Blocks) -> Any:
        """The future of an actor on a worker."""
        pieces = [self.tasks.pieces(blocks, place) for place in places]
        lazy = [[self.computed(piece) for piece in each] for each in pieces]
        return self.client.submit(
            Keeper, list(places), lazy, actor=True, pure=False, workers=[worker]
        )

    def computed(self, piece: Any) -> Any:
        """A piece that Dask computes, as a future.

        It may be computed by any worker: its key is that of an earlier attempt, and a task that
        waits for a worker that died would stay one.
        """
        return self.client.compute(piece) if has(piece, "__dask_graph__") else piece

    def answers(
        self, program: Program, parameters: Parameters, places: Sequence[int], end: float
    ) -> list[dict[Node, Partial]] | None:
        """The nodes that each worker found; None if one has died, after which it is forgotten."""
        leaves: dict[str, dict[int, int]] = {}
        for leaf, place in enumerate(places):
            leaves.setdefault(self.owners[place], {})[leaf] = place
        arguments = {
            w: (tuple(program), list(parameters), mine, len(places)) for w, mine in leaves.items()
        }
        try:
            limit = max(end - time.monotonic(), PAUSE)
            found = self.client.sync(self.ask, arguments, limit)
        except TimeoutError as error:
            raise self.no_answer() from error
        if gone := {w for w, answer in found.items() if answer is None}:
            self.lost |= gone
            self.close()
            return None
        for answer in found.values():
            if isinstance(answer, Exception):
                raise answer
        return list(found.values())

    async def ask(self, arguments: dict[str, Any], limit: float) -> dict[str, Any]:
        """What each actor answers: nodes, its error, or None if it is lost."""
        async with asyncio.timeout(limit), asyncio.TaskGroup() as group:
            calls = {
                w: group.create_task(self.ask_while_alive(w, each)) for w, each in arguments.items()
            }
        return {w: call.result() for w, call in calls.items()}

    async def ask_while_alive(self, worker: str, arguments: Sequence[Any]) -> Any:
        """What one actor answers; None also if the scheduler says that its worker is dead."""
        call = asyncio.ensure_future(self.ask_one(worker, arguments))
        try:
            while not (await asyncio.wait([call], timeout=CHECK))[0]:
                if worker not in (await self.client.scheduler.identity())["workers"]:
                    return None
            return call.result()
        finally:
            call.cancel()

    async def ask_one(self, worker: str, arguments: Sequence[Any]) -> Any:
        """What one actor answers."""
        from distributed.protocol.serialize import to_serialize

        try:
            answer = await self.client.rpc(worker).actor_execute(
                function="step", actor=self.keepers[worker].key,
                args=[to_serialize(x) for x in arguments], kwargs={},
            )  # fmt: skip
        except (OSError, KeyError):  # the worker is gone, or was restarted without its actor
            return None
        return answer["result"] if answer["status"] == "OK" else answer["exception"]

    def no_answer(self) -> EngineError:
        """The error for workers that do not answer."""
        return EngineError(
            f"distributed: no answer within {self.timeout:g} s{silent_workers(self.client)}"
            "\n  hint: timeout= gives more time; end a worker that is stopped or cut off"
        )

    def first_block(self, blocks: Blocks) -> Block:
        """Some rows of the first block that has any."""
        return self.tasks.first_block(blocks)

    def close(self) -> None:
        """Release the actors, and with them their blocks."""
        with suppress(Exception):
            self.keepers.clear()


def shared_out(count: int, workers: Sequence[str]) -> dict[str, range]:
    """The places of blocks for each worker: neighbours, so that most sums are made there."""
    ends = [count * i // len(workers) for i in range(len(workers) + 1)]
    return {w: range(a, b) for w, a, b in zip(workers, ends, ends[1:]) if a < b}
