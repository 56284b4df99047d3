"""Checkpoints: intermediate values are computed again in backward, so memory need not hold them.

The function runs and is recorded as any other. Then each value that its nodes saved, and that was
made inside, is replaced by a `Later`: an operand that has a type, and that finds its value when a
rule first uses it, by running the function once more, until the last of these values is there. What
is recorded then is thrown away but for the values, which are identified by the order of the nodes.
"""

import functools
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import numpy as np

from gradops import Op, Operators, TapeError, TransformError
from gradops.core.source_location import Place, describe, here
from gradops.core.tree import flatten, tree_map
from gradops.core.types import ArrayType, type_of
from gradops.typing import Function

from ..engine.grad_mode import RECORDING, Counting, Enough, is_recording
from ..engine.handle import ARRAYS, Handle
from ..engine.node import REPEATED, Node, clock
from ..engine.tensor import Tensor, handle
from ..func.recording import vertex
from ..ops.creation import GENERATOR, state_of_thread

CHECKS = ("default", "none")
DIFFERENT_NUMBER = (
    "checkpoint: A different number of tensors was saved during the original forward and"
    " recomputation.\nNumber of tensors saved during forward: {}\nNumber of tensors saved during"
    " recomputation: {}\n  hint: the function checkpointed at {} must do the same each time; random"
    " choices of its own, and variables that change, are outside of what can be repeated"
)
DIFFERENT_TYPE = (
    "checkpoint: Recomputed values for the following tensors have different metadata than during"
    " the forward pass: {} of {}, was {} and is {}\n  hint: the function checkpointed at {} must do"
    " the same each time; determinism_check='none' turns this check off"
)


class Later(Operators):
    """A saved value that is computed when it is used."""

    __slots__ = ("__weakref__", "kind", "region", "value")
    gradop_level = 0.0  # as low as can be: a tensor that holds one is like any other

    def __init__(self, region: "Region", kind: ArrayType) -> None:
        self.region, self.kind, self.value = region, kind, None

    @property
    def type(self) -> ArrayType:
        """The type of the value in the first run."""
        return self.kind

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        return op(*[a.compute() if isinstance(a, Later) else a for a in args], **attrs)

    def compute(self) -> Any:
        """The value, for which the function runs again if it has not yet."""
        if self.value is None:
            self.region.recompute()
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.compute(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"Later({self.kind})"


class Region:
    """A checkpointed call, and how to run it again."""

    def __init__(self, call: Function, args: Any, keep_random: bool, check: bool, at: Any) -> None:
        self.call, self.args, self.check = call, args, check
        self.place: Place | None = at
        self.random = state_of_thread().bit_generator.state if keep_random else None
        self.slots: list[Slot] = []
        self.began = next(clock)
        self.first_began = REPEATED.get() or self.began  # a region in one that is repeated

    def forget(self, nodes: Sequence[Any]) -> None:
        """Replace the values that nodes saved by placeholders that recompute them."""
        kept = {id(x.value) for x in flatten(self.args)[0] if isinstance(x, Handle)}
        for number, node in enumerate(nodes):
            for place, value in saved_by(node, self.began):
                if id(value) not in kept:
                    self.slots.append(self.replace(number, node, place, value))

    def replace(self, number: int, node: Node, place: int | None, value: Any) -> "Slot":
        """Replace a saved value by a placeholder."""
        later = Later(self, type_of(value))
        if place is None:
            node.output = later
        else:
            before = node.operands[place]
            new = (*node.operands[:place], handle(later, before.node))
            node.operands = (*new, *node.operands[place + 1 :])
        return Slot(number, place, str(node.op), weakref.ref(later))

    def recompute(self) -> None:
        """Run the function again, as far as needed, and fill the placeholders."""
        counting = Counting(last=max(slot.number for slot in self.slots) + 1)
        try:
            with self.repeat(counting):
                args, kwargs = tree_map(fresh_argument, self.args)
                self.call(*args, **kwargs)
        except Enough as enough:
            enough.__traceback__ = None  # its frames hold the values, and some of them hold it
        nodes = counting.nodes
        if len(nodes) != counting.last:
            place = describe(self.place)
            raise TapeError(DIFFERENT_NUMBER.format(counting.last, len(nodes), place))
        for slot in self.slots:
            later, node = slot.later(), nodes[slot.number]
            if later is not None:
                later.value = self.checked_value(slot, later, node)

    def checked_value(self, slot: "Slot", later: Later, node: Node) -> Any:
        """The value that a node of the second run saved, if it is of the kind it was."""
        value = value_at(node, slot.place)
        if self.check and (str(node.op) != slot.op or type_of(value) != later.kind):
            now = "nothing" if value is None else type_of(value)
            types = f"{slot.op}: {later.kind}", f"{node.op}: {now}"
            place = describe(self.place)
            raise TapeError(DIFFERENT_TYPE.format("a saved value", slot.op, *types, place))
        return value.compute() if isinstance(value, Later) else value

    @contextmanager
    def repeat(self, counting: Counting) -> Iterator[None]:
        """Recording on until enough is there, and the random numbers those of the first time."""
        with ExitStack() as undo, np.errstate(all="ignore"):
            undo.callback(RECORDING.reset, RECORDING.set(counting))
            # transforms that ended since the first time still go on
            undo.callback(REPEATED.reset, REPEATED.set(self.first_began))
            if self.random is not None:
                fresh = np.random.default_rng()
                fresh.bit_generator.state = self.random
                undo.callback(GENERATOR.reset, GENERATOR.set(fresh))
            yield


def fresh_argument(x: Any) -> Any:
    """An argument for the second run: without history, but recorded where it was."""
    return vertex(x, False) if isinstance(x, Handle) and x.node is not None else x


class Slot(NamedTuple):
    """A saved value to recompute: the node, the operand or None for the output, the placeholder."""

    number: int
    place: int | None
    op: str
    later: Callable[[], Later | None]


def saved_by(node: Any, began: int) -> list[tuple[int | None, Any]]:
    """The values that a node saved, each with its operand's index, or None for the output.

    What is a leaf, or was there before, is not of the region's making; what has been written to
    since stays where it is, for backward to notice.
    """
    if type(node) is not Node or type(node.operands) is not tuple:
        return []
    found: list[tuple[int | None, Any]] = [
        (i, x.value)
        for i, x in enumerate(node.operands)
        if type(x) is Tensor and is_newer(x.node, began) and replaceable(x.value, x, node)
    ]
    if node.output is not None and replaceable(node.output, node, node):
        found.append((None, node.output))
    return found


def value_at(node: Any, place: int | None) -> Any:
    """The value that a node saved as its output or as an operand; None if it saved none."""
    operands = getattr(node, "operands", ())
    if place is None:
        return getattr(node, "output", None)
    x = operands[place] if type(operands) is tuple and place < len(operands) else None
    return getattr(x, "value", None)


def replaceable(value: Any, holder: Tensor | Node, node: Node) -> bool:
    """True for an array, or a placeholder of one, that was not written to since it was saved."""
    if holder.storage is not None and holder.storage.changed > node.number:
        return False
    return type(value) in ARRAYS or type(value) is Later


def is_newer(node: Any, began: int) -> bool:
    """True if a saved tensor is a result of the region, or a constant."""
    return node is None or (type(node) is Node and node.number >= began)


def checkpoint(
    function: Function, *args: Any, use_reentrant: bool = False, preserve_rng_state: bool = True,
    determinism_check: str = "default", **kwargs: Any,
) -> Any:  # fmt: skip
    """`function(*args, **kwargs)`, whose intermediate values backward will compute again.

    So a long program needs memory for its checkpoints and for the inside of one of them, at the
    cost of a second forward. Gradients flow to the arguments and to what the function captures, at
    any order. Random numbers are the same the second time, with `preserve_rng_state`; that values
    have the types they had is checked, unless `determinism_check="none"`. Backward raises TapeError
    if the function saves something else the second time.

    >>> x = dg.ones(2, requires_grad=True)
    >>> dg.autograd.checkpoint(lambda x: dg.exp(dg.sin(x)), x).sum().backward()
    >>> x.grad
    tensor([1.2534, 1.2534])
    """
    if use_reentrant:
        raise TransformError("checkpoint: there is no reentrant variant; use_reentrant is False")
    if determinism_check not in CHECKS:
        raise TransformError(f"checkpoint: determinism_check is one of {CHECKS}")
    leaves = flatten((args, kwargs))[0]
    plain = all(type(x.value) in ARRAYS for x in leaves if isinstance(x, Handle))
    if not is_recording() or not plain:  # under a transform, or while tracing, nothing is to save
        return function(*args, **kwargs)
    check = determinism_check == "default"
    region = Region(function, (args, kwargs), preserve_rng_state, check, here())
    counting = Counting()
    mode = RECORDING.set(counting)
    try:
        result = function(*args, **kwargs)
    finally:
        RECORDING.reset(mode)
    region.forget(counting.nodes)
    return result


def checkpoint_sequential(
    functions: Iterable[Function], segments: int, input: Any, **options: Any
) -> Any:
    """The functions one after the other, in that many checkpoints; the last part is none.

    `options` are those of `checkpoint`. Raises TransformError for a number of segments below 1.

    >>> x = dg.ones(2, requires_grad=True)
    >>> dg.autograd.checkpoint_sequential([dg.sin, dg.exp, dg.tanh], 2, x).sum().backward()
    """
    parts = list(functions)
    if not 1 <= segments <= max(1, len(parts)):
        raise TransformError(
            f"checkpoint_sequential: {segments} segments of {len(parts)} functions"
        )
    size = len(parts) // segments
    for k in range(segments - 1):
        input = checkpoint(in_turn(parts[k * size : (k + 1) * size]), input, **options)
    return in_turn(parts[(segments - 1) * size :])(input)


def in_turn(functions: Sequence[Function]) -> Function:
    """The functions one after the other, as one."""
    return lambda x: functools.reduce(lambda y, f: f(y), functions, x)
