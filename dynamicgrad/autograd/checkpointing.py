"""Checkpoints: intermediate values are computed again in backward, so memory need not hold them.

The function runs and is recorded as any other. Then each value that its nodes saved, and that was
made inside, is replaced by a `Later`: an operand that has a type, and that finds its value when a
rule first uses it, by running the function once more. What is recorded then is thrown away but for
the values, which are told apart by the order of the nodes.
"""

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradops import Op, Operators, TapeError, TransformError
from gradops.places import Place, describe, here
from gradops.tree import flatten
from gradops.types import ArrayType, type_of

from ..creation import GENERATOR, generator
from ..func.recording import newer_than, vertex
from ..modes import RECORDING, is_recording
from ..tape import Node, clock
from ..tensor import ARRAYS, Tensor, handle

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
        """The type that the value had."""
        return self.kind

    @staticmethod
    def __gradop__(op: Op, args: Sequence[Any], attrs: dict[str, Any]) -> Any:
        return op(*[a.found() if isinstance(a, Later) else a for a in args], **attrs)

    def found(self) -> Any:
        """The value, for which the function runs again if it has not yet."""
        if self.value is None:
            self.region.recompute()
        return self.value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.found(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"Later({self.kind})"


class Region:
    """A checkpointed call, and how to run it again."""

    def __init__(
        self, call: Callable[..., Any], args: Any, keep_random: bool, check: bool, place: Any
    ) -> None:
        self.call, self.args, self.check = call, args, check
        self.place: Place | None = place
        self.random = generator().bit_generator.state if keep_random else None
        self.slots: list[tuple[str, Any]] = []  # weak references to what stands for each value

    def forget(self, outputs: Iterable[Tensor], began: int) -> None:
        """Replace the values that were saved since then by what finds them later."""
        kept = {id(x.value) for x in flatten(self.args)[0] if isinstance(x, Tensor)}
        for node, place, value in saved_since(began, outputs):
            if id(value) in kept:
                self.slots.append((str(node.op), None))
                continue
            later = Later(self, type_of(value))
            self.slots.append((str(node.op), weakref.ref(later)))
            if place is None:
                node.output = later
            else:
                before = node.operands[place]
                new = (*node.operands[:place], handle(later, before.node))
                node.operands = (*new, *node.operands[place + 1 :])

    def recompute(self) -> None:
        """Run the function again, and give the values to what stands for them."""
        with self.repeated():
            began = next(clock)
            leaves, rebuild = flatten(self.args)
            args, kwargs = rebuild([again(x) for x in leaves])
            outputs = [y for y in flatten(self.call(*args, **kwargs))[0] if isinstance(y, Tensor)]
            values = [(node, value) for node, _, value in saved_since(began, outputs)]
        if len(values) != len(self.slots):
            place = describe(self.place)
            raise TapeError(DIFFERENT_NUMBER.format(len(self.slots), len(values), place))
        for (name, slot), (node, value) in zip(self.slots, values, strict=True):
            later = None if slot is None else slot()
            if later is None:
                continue
            if self.check and (str(node.op) != name or type_of(value) != later.kind):
                was = f"{name}: {later.kind}", f"{node.op}: {type_of(value)}"
                place = describe(self.place)
                raise TapeError(DIFFERENT_TYPE.format("a saved value", name, *was, place))
            later.value = value.found() if isinstance(value, Later) else value

    @contextmanager
    def repeated(self) -> Iterator[None]:
        """Recording on, and the random numbers those of the first time."""
        mode, random = RECORDING.set(True), None
        if self.random is not None:
            fresh = np.random.default_rng()
            fresh.bit_generator.state = self.random
            random = GENERATOR.set(fresh)
        try:
            with np.errstate(all="ignore"):
                yield
        finally:
            RECORDING.reset(mode)
            if random is not None:
                GENERATOR.reset(random)


def again(x: Any) -> Any:
    """An argument for the second run: without history, but recorded where it was."""
    return vertex(x, False) if isinstance(x, Tensor) and x.node is not None else x


def saved_since(began: int, outputs: Iterable[Tensor]) -> list[tuple[Node, int | None, Any]]:
    """The values that nodes saved since then: the node, which operand or None, and the value.

    What is a leaf, or was there before, is not of the region's making; what has been written to
    since stays where it is, for backward to notice.
    """
    found: list[tuple[Node, int | None, Any]] = []
    new = newer_than(began, [y.node for y in outputs if y.node is not None])
    for node in sorted(new, key=lambda v: int(v.number)):
        if type(node) is not Node or node.number < began:
            continue
        for i, x in enumerate(node.operands):
            if type(x) is Tensor and made_since(x.node, began) and replaceable(x.value, x, node):
                found.append((node, i, x.value))
        if node.output is not None and replaceable(node.output, node, node):
            found.append((node, None, node.output))
    return found


def replaceable(value: Any, holder: Tensor | Node, node: Node) -> bool:
    """Whether a saved value is an array, or what stands for one, as it was when it was saved."""
    if holder.storage is not None and holder.storage.changed > node.number:
        return False
    return type(value) in ARRAYS or type(value) is Later


def made_since(node: Any, began: int) -> bool:
    """Whether what a saved tensor stands for is a result of the region; constants count as such."""
    return node is None or (type(node) is Node and node.number >= began)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool = False,
    preserve_rng_state: bool = True,
    determinism_check: str = "default",
    **kwargs: Any,
) -> Any:
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
    plain = all(type(x.value) in ARRAYS for x in leaves if isinstance(x, Tensor))
    if not is_recording() or not plain:  # under a transform, or while tracing, nothing is to save
        return function(*args, **kwargs)
    check = determinism_check == "default"
    region = Region(function, (args, kwargs), preserve_rng_state, check, here())
    began = next(clock)
    result = function(*args, **kwargs)
    region.forget([y for y in flatten(result)[0] if isinstance(y, Tensor)], began)
    return result


def checkpoint_sequential(
    functions: Iterable[Callable[..., Any]], segments: int, input: Any, **options: Any
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


def in_turn(functions: Sequence[Callable[..., Any]]) -> Callable[[Any], Any]:
    """The functions one after the other, as one."""

    def composed(x: Any) -> Any:
        for f in functions:
            x = f(x)
        return x

    return composed
