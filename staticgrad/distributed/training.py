"""Synchronous training: gradients over blocks, one update, and parameters to all workers again."""

import hashlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from gradops import FeedError, OptionError
from gradops.inspection.progress import Progress

from ..ir.expr import Expr
from ..runtime.session import Session
from .additivity import is_mean
from .blocks import Blocks, blocks_of
from .checkpoints import Checkpoint, from_bytes, require_same, to_bytes, write
from .engines.choice import EngineLike, engine_for
from .engines.protocol import TIMEOUT, Engine
from .programs import Program, executable_of, finish, graph_bytes
from .steps import Step, step_of


@dataclass(frozen=True)
class Training:
    """The result of training: the values of variables by name, and the loss before each step."""

    variables: Mapping[str, np.ndarray]
    losses: np.ndarray

    @property
    def steps(self) -> int:
        """The number of steps taken."""
        return len(self.losses)


@dataclass(frozen=True)
class Schedule:
    """The blocks of each step: all of an epoch in order or, with a seed, in an order of its own."""

    blocks: int
    epochs: int
    blocks_per_step: int
    seed: int | None

    def steps(self) -> Iterator[np.ndarray]:
        """The places of the blocks of each step."""
        for epoch in range(self.epochs):
            order = np.arange(self.blocks)
            if self.seed is not None:
                order = np.random.default_rng([self.seed, epoch]).permutation(self.blocks)
            for start in range(0, self.blocks, self.blocks_per_step):
                yield order[start : start + self.blocks_per_step]

    @property
    def steps_per_epoch(self) -> int:
        """The number of steps of an epoch."""
        return -(-self.blocks // self.blocks_per_step)


def train(
    step: Any, data: Mapping[Any, Any], *, epochs: int = 1, blocks_per_step: int | None = None,
    seed: int | None = None, checkpoint: str | PathLike[str] | None = None,
    every: int | None = None, session: Session | None = None, reduction: str | None = None,
    engine: EngineLike = None, resident: bool = False, backend: str = "numpy",
    block_rows: int | None = None, timeout: float = TIMEOUT, progress: bool = True,
) -> Training:  # fmt: skip
    """Train variables on data that may fit no machine: gradients of all workers, one update.

    `step` is the loss and what trains it, `[loss, optimizer.minimize(loss)]`; the gradients may be
    clipped in between. `data` has the columns by placeholder. A step takes `blocks_per_step`
    blocks, by default all; with a `seed` each epoch has them in another order. The loss, data and
    engines are as for `value_and_grad`, and so are the bits.

    With a `checkpoint`, a path, the variables are written there after `every` steps, by default an
    epoch, and training goes on from what is there: with the same bits as without the interruption.
    Where that cannot be written, as a disk is full, a warning says so and the last one stays. A
    `session` gives initial values and gets the results. Progress is shown as lines, or a bar.

    Raises FetchError and FeedError for what is not a step, or reads data other than by gradients;
    StateError for a checkpoint of another training.

    >>> x = sg.placeholder("float64", [None], name="x")
    >>> w = sg.Variable(0.0, name="w", dtype="float64")
    >>> loss = sg.reduce_mean(sg.square(w * x - 2 * x))
    >>> step = [loss, sg.train.GradientDescentOptimizer(0.1).minimize(loss)]
    >>> data = {x: [np.ones(3), np.ones(1)]}
    >>> result = sg.distributed.train(step, data, epochs=3, progress=False)
    >>> result.variables["w"], result.losses
    (array(0.976), array([4.    , 2.56  , 1.6384]))
    """
    if not isinstance(data, Mapping) or not all(isinstance(e, Expr) for e in data):
        raise FeedError("distributed.train: data has the columns by placeholder, {x: columns}")
    blocks = blocks_of(tuple(data.values()), block_rows)
    at_once = len(blocks) if blocks_per_step is None else blocks_per_step
    for name, value in (("epochs", epochs), ("blocks_per_step", at_once), ("every", every)):
        if value is not None and value < 1:
            raise OptionError("distributed.train", [], f"{name} is at least 1, not {value!r}")
    trainer = Trainer(
        step_of(step, list(data)), blocks, engine_for(engine, blocks, resident, timeout),
        Schedule(len(blocks), epochs, at_once, seed), backend, reduction,
        None if checkpoint is None else Path(checkpoint), every,
    )  # fmt: skip
    return trainer.run(session, progress)


@dataclass
class Trainer:
    """A training: its step, its blocks and their order, and what computes it."""

    step: Step
    blocks: Blocks
    engine: Engine
    schedule: Schedule
    backend: str
    reduction: str | None
    path: Path | None
    every: int | None

    def run(self, session: Session | None, progress: bool) -> Training:
        """Take all steps, from the last checkpoint on."""
        here = self.start(session)
        program = self.program(here)
        total = self.schedule.epochs * self.schedule.steps_per_epoch
        if not progress or not self.engine.leads:
            self.take_steps(here, program, None)
        else:
            with Progress(total, "training") as shown:
                shown.update(min(here.steps, total))
                self.take_steps(here, program, shown)
        if session is not None:
            session.restore(here.variables)
        return Training(here.variables, np.array(here.losses))

    def take_steps(self, here: Checkpoint, program: Program, shown: Progress | None) -> None:
        """Take the steps that remain, and write checkpoints."""
        every, begun = self.every or self.schedule.steps_per_epoch, here.steps
        unwritten = False
        for number, places in enumerate(self.schedule.steps()):
            if number < begun:
                continue
            self.take(here, program, places)
            if shown is not None:
                shown.update(loss=here.losses[-1])
            unwritten = True
            if here.steps % every == 0:
                unwritten = not self.write(here)
        if unwritten:
            self.write(here)

    def take(self, here: Checkpoint, program: Program, places: np.ndarray) -> None:
        """Take a step: gradients over blocks, and the update."""
        parameters = [here.variables[name] for name in self.step.read]
        partial = self.engine.reduce(program, parameters, self.blocks, places.tolist())
        loss, *gradients = map(np.asarray, finish(program, partial))
        here.variables = self.step.updated(here.variables, [loss, *gradients])
        here.losses.append(float(loss))

    def start(self, session: Session | None) -> Checkpoint:
        """Where the training begins: at a checkpoint, or with the initial values of variables."""
        known = {} if session is None else session.snapshot().values
        values = {name: np.array(known.get(name, v)) for name, v in self.step.initial.items()}
        start = Checkpoint(self.key(), values)
        if not self.engine.leads:
            return from_bytes(self.engine.from_leader(b""))
        if self.path is not None and self.path.exists():
            found = from_bytes(self.path.read_bytes())
            require_same(found, start, self.path)
            start = found
        return from_bytes(self.engine.from_leader(to_bytes(start)))

    def key(self) -> str:
        """A text that is the same for trainings that take the same steps."""
        s = self.schedule
        digests = self.step.gradient.digest, self.step.update.digest
        names = [v.name for v, _ in self.step.update.updates]
        words = (*digests, names, s.blocks, s.blocks_per_step, s.seed, self.backend)
        return hashlib.sha256(repr(words).encode()).hexdigest()

    def program(self, here: Checkpoint) -> Program:
        """The program of loss and gradients, once it is known if it is a sum or a mean."""
        program = Program(graph_bytes(self.step.gradient), False, self.backend)
        run = executable_of(program)

        def compute(point: Sequence[np.ndarray], block: Sequence[np.ndarray]) -> Any:
            return list(map(np.asarray, run(*point, *block)))

        first = self.engine.first_block(self.blocks)
        parameters = [here.variables[name] for name in self.step.read]
        return program._replace(mean=is_mean(compute, parameters, first, self.reduction))

    def write(self, here: Checkpoint) -> bool:
        """Write a checkpoint, if there is a path; false if that is not possible."""
        if self.path is None or not self.engine.leads:
            return True
        try:
            write(self.path, to_bytes(here))
        except OSError as error:
            warnings.warn(
                f"distributed.train: the checkpoint of step {here.steps} cannot be written, and the"
                f" one before stays: {error}", stacklevel=2,
            )  # fmt: skip
            return False
        return True
