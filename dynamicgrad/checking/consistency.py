"""Checks of what `gradcheck` looks at beside the derivatives: missing cotangents, many tangents."""

from typing import Any

import numpy as np

from gradops import GradcheckError

from ..custom_function.function import FunctionNode
from ..engine.backward import carry
from ..engine.node import Part, Parts
from ..engine.tensor import Tensor, handle
from ..func.batching import vmap
from ..func.forward import jvp
from .comparisons import Check

MUST_HANDLE = "Expected backward function to handle undefined output grads: {name} raised {error!r}"
MUST_BE_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero:"
    " that of input {k} is not, of {name}"
)


def undefined(check: Check) -> None:
    """The backward of a custom function gives nothing where its outputs have no gradients.

    It gets None for them, if its context says `set_materialize_grads(False)`.
    """
    leaves, ys = check.recorded()
    owners = {owner_of(y): None for y in ys if y.node is not None}
    for owner in [v for v in owners if isinstance(v, FunctionNode)]:
        parts = [y.node.index for y in ys if owner_of(y) is owner and type(y.node) is Part]
        for missing in [None, *parts] if len(parts) > 1 else [None]:
            given = {i for i in parts if i != missing} if missing is not None else set()
            refuse_gradients(check, owner, leaves, given)


def owner_of(y: Tensor) -> Any:
    """The node that made an output."""
    return y.node.owner if type(y.node) is Part else y.node


def refuse_gradients(check: Check, owner: Any, leaves: list[Tensor], given: set[int]) -> None:
    """Raise if a node gives gradients, though its outputs have zeros, if given, or none."""
    types = owner.operands.types
    zeros = {i: np.zeros(types[i].shape, types[i].dtype) for i in given}
    try:
        found = carry({owner: Parts(zeros)}, [x.node for x in leaves], True, False)
    except RuntimeError as error:
        text = MUST_HANDLE.format(name=owner.name(), error=error)
        raise GradcheckError(text) from error
    for k, x in zip(check.checked, leaves, strict=True):
        if np.any(np.asarray(found.get(x.node, 0))):
            raise GradcheckError(MUST_BE_ZERO.format(k=k, name=owner.name()))


def batched_forward(check: Check) -> None:
    """Forward mode of several tangents at once gives what it gives one by one."""
    rng = np.random.default_rng(0)
    directions = [np.asarray(rng.uniform(-1, 1, (2, *p.shape)), p.dtype) for p in check.points]
    points = tuple(handle(p) for p in check.points)

    def pushed(*tangents: Tensor) -> Any:
        return jvp(lambda *xs: tuple(check.outputs_of(xs)), points, tangents)[1]

    together = vmap(pushed)(*map(handle, directions))
    apart = [check.pushed([d[i] for d in directions]) for i in range(2)]
    for j, (got, *want) in enumerate(zip(together, *apart, strict=True)):
        if not check.tolerance.admits(got.value, np.stack(want)):
            raise GradcheckError(
                f"While testing batched forward-mode gradients, for output {j}: vmap gives\n{got}\n"
                f"and one by one they are\n{np.stack(want)}"
            )
