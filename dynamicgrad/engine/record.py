"""Recording: creates the node of an operation, with the values that its rules will read."""

from __future__ import annotations

from collections.abc import Sequence
from sys import _getframe
from typing import Any

import numpy as np

from gradops import ArrayType, Op, reads
from gradops.core.dims import Shape
from gradops.core.source_location import LINE, ONE_LINE, OURS
from gradops.core.types import type_of
from gradops.transforms.reverse import VertexOp, conjugated
from gradops.transforms.saved_operands import OUTPUT
from gradops.transforms.several_outputs import SEVERAL
from gradops.typing import AnyArray, Attrs, Operand

from .node import NOTHING, Node, SavedOperands, TapeOp, Vertex, Vertices, clock, new


def saved_by(op: Op, active: Sequence[bool], real: bool) -> tuple[bool, tuple[bool, ...]]:
    """Which of the output and the operands the rules of the active operands read."""
    count = len(active)
    if count > MANY and not any(reads(op, i, 3, "vjp", real) for i in range(3)):
        return False, (False,) * count
    needed: set[int] = set()
    for i in range(count):
        if active[i]:
            needed |= reads(op, i, count, "vjp", real)
    return OUTPUT in needed, tuple(i in needed for i in range(count))


NUMBERS = frozenset({float, int, bool})
MANY = 8  # operands, beyond which an op is one that takes any number


Inputs = Sequence[Vertex | None]
Plan = tuple[bool, tuple[bool, ...], tuple[int, ...]]


class Plans(dict[tuple[Op, int, int], Plan]):
    """The values that nodes of each op save, by the active operands and the number of operands.

    A plan is whether the output is saved, whether each operand is, and which operands get
    cotangents. An op may save less where its output is `real`: the derivative of `sign` is zero
    except for complex numbers.
    """

    def __init__(self, real: bool) -> None:
        self.real = real

    def __missing__(self, key: tuple[Op, int, int]) -> Plan:
        op, bits, count = key
        active = [bool(bits >> i & 1) for i in range(count)]
        save_y, save = saved_by(op, active, self.real)
        plan = save_y, save, tuple([i for i in range(count) if active[i]])
        if count <= MANY:  # operations on many operands are too many to keep
            self[key] = plan
        return plan


PLANS, COMPLEX_PLANS = Plans(real=True), Plans(real=False)


def node_of(
    op: VertexOp, inputs: Vertices, operands: tuple[Any, ...] | SavedOperands, attrs: Attrs,
    output: AnyArray | None, wanted: Sequence[int], shape: Shape | str, dtype: np.dtype | str,
    kind: type[Node] = Node, depth: int = 2,
) -> Node:  # fmt: skip
    """A new node, with the line of the user's program that called the operation.

    All nodes are created here. The user's program is at least `depth` calls up.
    """
    node: Node = new(kind)
    node.op, node.inputs, node.operands = op, inputs, operands
    node.attrs, node.output, node.wanted = attrs, output, wanted
    node.shape, node.dtype = shape, dtype
    node.number, node.watch, node.storage = next(clock), None, None
    frame, line = _getframe(depth), None
    code = frame.f_code
    while OURS[code.co_filename] and frame.f_back:
        if code is ONE_LINE and line is None and (line := LINE.get()):
            node.code, node.offset = line
            return node
        frame = frame.f_back
        code = frame.f_code
    node.code, node.offset = code, frame.f_lasti
    if line is not None:
        line[:] = code, node.offset
    return node


def present(inputs: Sequence[object]) -> tuple[int, ...]:
    """The numbers of the inputs that get cotangents: those that are on the tape."""
    return tuple([i for i, x in enumerate(inputs) if x is not None])


def record(
    op: Op, args: Sequence[Any], inputs: Inputs, active: int, attrs: Attrs, y: AnyArray,
    by_value: bool = False,
) -> Node:  # fmt: skip
    """The node of an operation whose output is the value `y`.

    `inputs` are the nodes of the operands `args`, None for those that require no gradient; the
    bits of `active` say the same. With `by_value`, operands are saved by value where they may be:
    see Note [Saved values].
    """
    is_complex = y.dtype.kind == "c"
    save_y, save, wanted = (COMPLEX_PLANS if is_complex else PLANS)[op, active, len(args)]
    operands: tuple[Any, ...] = tuple(inputs)
    inputs = operands
    if True in save:
        operands = tuple(
            [
                (a.value if by_value and n is not None and a.storage is n.storage else a)
                if s
                else n or only_type(a)
                for a, n, s in zip(args, inputs, save, strict=True)
            ]
        )
    elif len(wanted) < len(inputs):
        operands = tuple([n or only_type(a) for a, n in zip(args, inputs)])
    return node_of(
        conjugated(op) if is_complex else op, inputs, operands, attrs,
        y if save_y else None, wanted, y.shape, y.dtype, depth=3,
    )  # fmt: skip


class CallNode(Node):
    """The node of a call of a custom function or of a compiled program."""

    __slots__ = ()

    def name(self) -> str:
        """The node's name, as PyTorch calls it."""
        return f"{self.op}Backward"


def pull_call(wanted: Sequence[int], g: Any, values: Sequence[Any], attrs: Attrs) -> list[Any]:
    """The cotangents of the wanted inputs of a call, by the function that its operands give."""
    cts = values[1](g)
    return [cts[i] for i in wanted]


def node_of_call(
    name: str, call: SavedOperands, inputs: Vertices, y: Any = None, kind: type[Node] = CallNode
) -> Node:
    """The node of a call with the output `y`, or with several outputs if `y` is None.

    `call.read` gives the node and a function, which gives the cotangents of all inputs, None where
    there is none, for the cotangent of the output.
    """
    op, wanted = TapeOp(name, pull_call), present(inputs)
    shape, dtype = (SEVERAL, SEVERAL) if y is None else (y.shape, y.dtype)
    return node_of(op, inputs, call, NOTHING, None, wanted, shape, dtype, kind)


def only_type(a: Operand) -> Operand | ArrayType:
    """A number itself, and the type of any other operand, as no rule reads its value."""
    if type(a) in NUMBERS:
        return a
    value = getattr(a, "value", a)
    if type(value) is not np.ndarray:
        return type_of(a)
    found = new(ArrayType)  # as `type_of` does it
    found.shape, found.dtype = value.shape, value.dtype
    return found
