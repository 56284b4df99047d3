"""Blocks of parameters for update rules: small ones concatenated, large ones in tiles.

Note [Blocks]. A rule is a dozen NumPy calls. Beside small arrays the calls themselves cost most, so
small parameters are put one after the other into one array, for which the rule runs once. With
large arrays memory costs most, so they are cut into tiles that stay in the cache from the first
call to the last. A step computes the first tile of every block before it writes anything: whatever
makes a rule fail, a gradient or an option, makes it fail there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from gradops import DTypeError, ShapeError, TapeError, type_of
from gradops.core.source_location import Place
from gradops.nn.flat_updates import call_in_place

from ..engine.storage import memory, storage_of
from ..engine.tensor import Tensor, handle

SMALL = 2048  # entries below which a parameter is put together with others
TILE = 32768  # entries of a tile; a few such arrays fit into the second cache

State = dict[str, Any]
States = Mapping[Tensor, State]
Updated = tuple[Any, dict[str, Any]]
Rule = Callable[..., Updated]
value_of = attrgetter("value")


class Block:
    """Parameters that a rule updates in one go, as one array without axes, and their state."""

    def __init__(self, params: list[Tensor], places: list[int], states: States) -> None:
        self.places, self.params = places, [params[i] for i in places]
        self.states = [states[p] for p in self.params]
        self.memories = [memory(p) for p in self.params]
        self.own, self.held = [*map(id, self.memories)], [*map(id, self.states)]
        first = self.memories[0]
        self.alone = len(places) == 1 and first.flags.c_contiguous
        size = sum(m.size for m in self.memories)
        self.room = np.empty(0 if self.alone else 2 * size, first.dtype)
        self.flat = first.reshape(-1) if self.alone else self.room[:size]
        self.grad = self.room[size:]  # of a parameter alone, while a step lasts, its gradient
        self.parts = parts(self.flat, self.memories)
        self.arrays: dict[str, np.ndarray] = {}
        self.begun: dict[str, Any] = {}  # of the step that runs, whose later tiles see none of it
        self.counts: dict[str, Tensor] = {}
        for name in self.states[0]:
            self.adopt(name, [state[name] for state in self.states])
        self.remember()
        self.spans = [slice(i, i + TILE) for i in range(0, max(size, 1), TILE)]

    def adopt(self, name: str, tensors: Sequence[Tensor]) -> None:
        """Move an entry of the states into one array; the step count into one number."""
        if name == "step":
            count = self.counts[name] = handle(np.array(tensors[0].value, np.float32))
            found = [count] * len(self.states)
        else:
            for t, m in zip(tensors, self.memories):
                require_shape(name, t, m)
            array = self.arrays[name] = np.empty(self.flat.size, self.flat.dtype)
            np.concatenate([t.value for t in tensors], axis=None, out=array)
            found = [handle(view) for view in parts(array, self.memories)]
        for state, t in zip(self.states, found):
            state[name] = t

    def remember(self) -> None:
        """Remember the values of the states, to detect replacements."""
        self.alive = [t.value for t in self.entries()]  # else their ids could be given away
        self.kept = [*map(id, self.alive)]

    def entries(self) -> Iterator[Tensor]:
        """The tensors of all states."""
        return chain.from_iterable(map(dict.values, self.states))

    def is_current(self, states: States) -> bool:
        """True if neither the parameters nor their states were replaced."""
        return (
            [*map(id, map(value_of, self.params))] == self.own
            and [*map(id, map(states.get, self.params))] == self.held
            and [*map(id, map(value_of, self.entries()))] == self.kept
        )

    def gather(self, grads: list[np.ndarray]) -> None:
        """Copy the gradients and parameters into the block; a parameter alone is used in place."""
        if self.alone:
            self.grad = grads[self.places[0]].reshape(-1)
        else:
            found = [grads[i] for i in self.places]
            np.concatenate(self.memories + found, axis=None, out=self.room)

    def kernel_call(self, rule: Rule, options: dict[str, Any]) -> Callable[[], Any] | None:
        """The rule as a call that updates parameters and state in place; None if there is none."""
        state: State = {**self.arrays}
        if self.counts:
            state["step"] = int(self.counts["step"].value)
        return call_in_place(rule, self.flat, self.grad, state, options)

    def update(self, rule: Rule, options: dict[str, Any], first: Updated | None) -> int | None:
        """Write what the rule gives, of which the first tile may be known; returns the step."""
        first = first or self.compute(rule, options, self.spans[0])
        self.write(self.spans[0], first)
        for span in self.spans[1:]:
            self.write(span, self.compute(rule, options, span))
        step: int | None = first[1].get("step")
        return step

    def next_step(self) -> int | None:
        """The number of steps after this one, if they are counted."""
        return int(self.counts["step"].value) + 1 if self.counts else None

    def compute(self, rule: Rule, options: dict[str, Any], span: slice) -> Updated:
        """Apply the rule to a tile."""
        state: State = {}
        for name, array in self.arrays.items():
            state[name] = array[span]
        for name, count in self.counts.items():
            state[name] = int(count.value)
        if len(self.spans) == 1:
            return rule(self.flat, self.grad, state, **options)
        return rule(self.flat[span], self.grad[span], state, **options)

    def write(self, span: slice, updated: Updated) -> None:
        """Write the results of the rule for a tile."""
        param, state = updated
        self.flat[span] = param
        for name, value in state.items():
            if name == "step":
                continue
            array = self.arrays.get(name)
            if array is None:
                array = self.begun.get(name)
            if array is None:
                array = self.begun[name] = np.empty_like(self.flat)
            array[span] = value

    def begin(self) -> None:
        """Adopt the entries of the state that this step created."""
        for name, array in self.begun.items():
            self.arrays[name] = array
            for state, view in zip(self.states, parts(array, self.memories)):
                state[name] = handle(view)
        self.begun = {}
        self.remember()

    def finish(self, step: int | None, place: Place | None) -> None:
        """Set the number of steps, and write the results to the parameters, at the step's place."""
        if step is not None:
            self.count(step)
        if self.begun:
            self.begin()
        if self.alone:
            self.grad = self.room  # the gradient's memory is given back with the gradient
        else:
            for m, part in zip(self.memories, self.parts):
                m[...] = part
        for p in self.params:
            (p.storage or storage_of(p)).write(place)

    def count(self, step: int) -> None:
        """Set the number of steps."""
        if not self.counts:
            count = self.counts["step"] = handle(np.zeros((), np.float32))
            for state in self.states:
                rest = dict(state)
                state.clear()  # PyTorch has the count first
                state.update({"step": count, **rest})
            self.remember()
        self.counts["step"].value[...] = step


def require_shape(name: str, t: Tensor, own: np.ndarray) -> None:
    """Raise ShapeError for an entry of the state whose shape is not the parameter's."""
    if t.shape != own.shape:
        raise ShapeError(
            "step", [type_of(own)], f"its state {name!r} has the shape {t.shape}",
            hint="was the state loaded from an optimizer of other parameters?",
        )  # fmt: skip


def parts(flat: np.ndarray, memories: list[np.ndarray]) -> list[np.ndarray]:
    """The parts of an array that belong to each parameter, in the parameter's shape."""
    ends = np.cumsum([m.size for m in memories]).tolist()
    return [flat[end - m.size : end].reshape(m.shape) for m, end in zip(memories, ends)]


def blocks_of(params: list[Tensor], states: States, join: bool = True) -> list[Block]:
    """The parameters grouped into blocks by size, dtype and state, or each in its own."""
    together: dict[Any, list[int]] = {}
    for i, p in enumerate(params):
        state = states[p]
        kind = i if memory(p).size >= SMALL or not join else None
        step = int(state["step"].value) if "step" in state else 0
        together.setdefault((kind, p.dtype, step, tuple(state)), []).append(i)
    return [Block(params, places, states) for places in together.values()]


def checked_gradient(p: Tensor, g: Tensor) -> np.ndarray:
    """The gradient of a parameter as an array; raises if it does not fit the parameter."""
    value, own = g.value, p.value
    arrays = type(value) is np.ndarray and type(own) is np.ndarray
    if arrays and own.flags.writeable and value.shape == own.shape and value.dtype is own.dtype:
        return value
    return explain(p, np.asarray(value) if isinstance(value, np.generic) else value)


def explain(p: Tensor, value: Any) -> Any:
    """The gradient; raises with the reason if the parameter cannot be updated with it."""
    own = memory(p)
    if not isinstance(own, np.ndarray) or not isinstance(value, np.ndarray):
        raise TapeError(f"an optimizer updates arrays; the parameter, a {p.type}, holds none")
    if not own.flags.writeable:
        raise TapeError(
            f"the memory of the parameter, a {p.type}, cannot be written to\n"
            "  hint: give it memory of its own, as in p.data = p.data.clone()"
        )
    require_like(p, value)
    return value


def require_like(p: Tensor, g: Any) -> None:
    """Raise for a gradient with another shape or dtype than the parameter."""
    if g.shape != p.shape:
        raise ShapeError("step", [p.type], f"its gradient has the shape {g.shape}")
    if g.dtype != p.dtype:
        raise DTypeError("step", [p.type], f"its gradient has the dtype {g.dtype}")
