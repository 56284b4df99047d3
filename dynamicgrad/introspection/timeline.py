"""The memory of an eager step: forward and backward, node by node.

Note [Eager memory]. A value is alive from the operation that computes it to the last that reads it,
and if an operation saves it, to the backward of that. Views have no memory of their own. Saved data
count if they are new: what was there before the run is not its memory. Cotangents are seen as the
backward passes them on, so one array that several nodes get counts once. What this leaves out is
what the program itself holds on to, and what rules allocate inside; so the run is measured, too.
"""

import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradops.core.traits import Trait
from gradops.inspection.timeline.memory import Allocation, Keeps, MemoryTimeline, Step
from gradops.inspection.traced_memory import traced

from ..engine.handle import Handle
from ..engine.node import Leaf, Part
from .measured_run import MeasuredRun, bytes_of
from .sampling import backward, forward, run_arguments, steps_of_run
from .view import owner, saved_operands, saves_output, vertices_of

Key = Any


def timeline(f: Callable[..., Any], *args: Any) -> MemoryTimeline:
    """The memory of a call of `f` and of the backward from its result, node by node.

    `f` returns the loss, alone or as the first of its results. Arrays and tensors of floats among
    `args` are differentiated by, and so are parameters that `f` reads; no `.grad` changes. `f` is
    called three times. Raises OptionError if the loss depends on nothing that requires a gradient.

    >>> t = dg.timeline(lambda x: (x.tanh() * x).sum(), dg.ones(1000))
    >>> t.peak, [step.op for step in t.steps if not step.backward]
    (16004, ['tanh', 'mul', 'sum'])
    """
    return TimelineBuilder(f, args).result()


class Memory:
    """Memory on the way: since when it is alive, until when as far as is known, and why.

    Of a cotangent, `holders` is the number of vertices that get it, `address` that of the array.
    """

    __slots__ = ("address", "birth", "holders", "keeps", "last", "line", "name", "nbytes")

    def __init__(self, name: str, nbytes: int, birth: int, keeps: Keeps, line: str) -> None:
        self.name, self.nbytes, self.birth, self.last = name, nbytes, birth, birth
        self.keeps, self.line = keeps, line
        self.holders, self.address = 0, 0


class TimelineBuilder:
    """Makes a timeline: of the tape after the forward, then of the backward as it runs."""

    def __init__(self, f: Callable[..., Any], args: Sequence[Any]) -> None:
        self.memories: list[Memory] = []
        self.by_key: dict[Key, Memory] = {}
        self.saved: dict[int, list[Memory]] = {}  # by the number of the node that saves it
        self.cotangents: dict[int, Memory] = {}  # by the number of the vertex that gets it
        self.summed: set[int] = set()  # the numbers of vertices with a sum of cotangents
        self.arrays: dict[int, Memory] = {}  # by the address of an array that is on the way
        self.steps: list[Step] = []
        self.described = steps_of_run(f, args)
        self.measured = MeasuredRun(f, args)
        with traced():  # which tells new arrays from those that were there
            loss = forward(None, f, run_arguments(args))
            order = vertices_of([loss])
            self.numbers = {v.number: i for i, v in enumerate(order)}
            self.add_forward(order, loss)
            del order
            backward(self.add_backward, loss)
        self.end()

    def add_forward(self, order: Sequence[Any], loss: Handle) -> None:
        """Add the steps of the forward, and the memory of results and saved values."""
        roots: dict[int, Key] = {}
        for v in order:
            if type(v) is Leaf:
                continue
            if type(v) is not Part:
                self.steps.append(self.described[self.numbers[v.number]])
            step = self.steps[-1]
            now = len(self.steps) - 1
            roots[v.number] = root = root_of(v, roots)
            for x in v.inputs:
                if x is not None and (memory := self.by_key.get(roots.get(x.number))):
                    memory.last = now
            if root == v.number and (nbytes := bytes_of(v)):
                self.by_key[root] = self.new(step.name, nbytes, now, Keeps.FORWARD, step.line)
            if type(v) is not Part:
                self.saved[v.number] = [*self.saves(v, roots, now, step)]
                if type(v.operands) is not tuple and (nbytes := self.measured.kept(now)):
                    kept = self.new(f"kept by {step.name}", nbytes, now, Keeps.SAVED, step.line)
                    self.saved[v.number].append(kept)
        if (memory := self.by_key.get(roots.get(loss.node.number))) is not None:
            memory.keeps = Keeps.RESULT

    def saves(self, v: Any, roots: dict[int, Key], now: int, step: Step) -> Iterator[Memory]:
        """The memory that a node keeps for its backward."""
        for i in saved_operands(v):
            x, value = v.inputs[i], value_of(v.operands[i])
            if x is not None:
                if (memory := self.by_key.get(roots.get(x.number))) is not None:
                    yield memory
            elif value is not None and is_new(base := base_of(value)):
                key = "data", id(base)
                if key not in self.by_key:
                    name = f"data of {step.name}"
                    self.by_key[key] = self.new(name, base.nbytes, now, Keeps.SAVED, step.line)
                yield self.by_key[key]
        if saves_output(v) and (memory := self.by_key.get(roots[v.number])) is not None:
            yield memory

    def new(self, name: str, nbytes: int, birth: int, keeps: Keeps, line: str) -> Memory:
        """New memory from a step on."""
        self.memories.append(Memory(name, nbytes, birth, keeps, line))
        return self.memories[-1]

    def add_backward(self, v: Any, wanted: Sequence[int], cotangents: Sequence[Any]) -> None:
        """Add the step of a node's backward, the cotangents that it gives, and what it frees."""
        if type(v) is not Part:
            i = self.numbers[v.number]
            about = self.described[i]
            name = f"gradients/{about.name}/{v.name()}"
            self.steps.append(Step(name, v.name(), about.scope, about.line, True))
        now, step = len(self.steps) - 1, self.steps[-1]
        for memory in self.saved.pop(v.number, ()):
            memory.last = now
            if memory.keeps is Keeps.FORWARD:
                memory.keeps = Keeps.SAVED
        own = self.cotangents.pop(v.number, None)
        for i, ct in zip(wanted, cotangents):
            if ct is not None:
                self.arrive(v.inputs[i], ct, now, step)
        if own is not None:
            self.let_go(own, now)

    def let_go(self, memory: Memory, now: int) -> None:
        """Note that a vertex holds a cotangent no longer."""
        memory.last = now
        memory.holders -= 1
        if not memory.holders and self.arrays.get(memory.address) is memory:
            del self.arrays[memory.address]

    def arrive(self, x: Any, ct: Any, now: int, step: Step) -> None:
        """A cotangent arrives at a vertex: the first one, or one that is added to others."""
        x = owner(x) if not hasattr(ct, "nbytes") else x
        before = self.cotangents.get(x.number)
        if before is not None:
            before.last = now
            if x.number in self.summed:
                return
            self.summed.add(x.number)
            self.let_go(before, now)
            if not before.holders:
                before.keeps = Keeps.BACKWARD
        array = base_of(ct) if isinstance(ct, np.ndarray) else ct
        fits = getattr(ct, "shape", x.shape) == x.shape
        known = self.arrays.get(id(array)) if fits and before is None else None
        if known is None:
            name = f"gradient of {self.described[self.numbers[x.number]].name}"
            nbytes = total(array) if fits and before is None else bytes_of(x)
            known = self.new(name, nbytes, now, Keeps.BACKWARD, step.line)
            if fits and before is None:
                known.address = id(array)
                self.arrays[known.address] = known
        known.holders += 1
        self.cotangents[x.number] = known
        if type(x) is Leaf:
            known.keeps = Keeps.RESULT

    def end(self) -> None:
        """Extend the memory of results to the end."""
        for memory in self.memories:
            if memory.keeps is Keeps.RESULT:
                memory.last = len(self.steps) - 1

    def result(self) -> MemoryTimeline:
        """The timeline."""
        found = [
            Allocation(m.name, m.nbytes, m.birth, m.last, m.keeps, m.line)
            for m in self.memories if m.nbytes
        ]  # fmt: skip
        peaks = tuple(self.measured.peaks)
        measured = peaks if len(peaks) == len(self.steps) else ()
        return MemoryTimeline("tape", tuple(self.steps), tuple(found), measured=measured)


def root_of(v: Any, roots: dict[int, Key]) -> Key:
    """The vertex in whose memory a value lies; None if it lies in that of a leaf or of data."""
    if Trait.VIEW not in v.op.traits or type(v) is Part:
        return v.number
    x = v.inputs[0]
    return None if x is None else roots.get(x.number)


def total(ct: Any) -> int:
    """The bytes of a cotangent: of an array, or of parts."""
    if hasattr(ct, "by_index"):
        return sum(total(g) for g in ct.by_index.values())
    return int(getattr(ct, "nbytes", 0))


def value_of(x: Any) -> np.ndarray[Any, Any] | None:
    """The array of a saved operand."""
    value = x.value if isinstance(x, Handle) else x
    return value if isinstance(value, np.ndarray) else None


def base_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that owns the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def is_new(array: np.ndarray[Any, Any]) -> bool:
    """True for an array that was created since `tracemalloc` began."""
    return tracemalloc.get_object_traceback(array) is not None
