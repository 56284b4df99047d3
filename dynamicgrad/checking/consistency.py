"""Checks of gradients without differences: runs repeated, batched, and with missing cotangents."""

from collections.abc import Sequence

import numpy as np

from gradops import GradcheckError
from gradops.transforms.several_outputs import Parts

from ..autograd.batched_grad import grad
from ..custom_function.function import FunctionNode
from ..engine.backward import carry
from ..engine.node import Node, Part
from ..engine.tensor import Tensor, handle
from ..func.batching import vmap
from ..func.forward import jvp
from .comparisons import Check, gradients_of, random_like

MUST_HANDLE = "Expected backward function to handle undefined output grads: {name} raised {error!r}"
MUST_BE_ZERO = (
    "Expected all input grads to be undefined or zero when all output grads are undefined or zero:"
    " that of input {k} is not, of {name}"
)


def check_undefined(check: Check) -> None:
    """Raise if a custom function's backward gives gradients where its outputs have none.

    It gets None for them, if its context says `set_materialize_grads(False)`.
    """
    leaves, ys = check.graph()
    owners = {owner_of(y): None for y in ys if y.node is not None}
    for owner in [v for v in owners if isinstance(v, FunctionNode)]:
        parts = [y.node.index for y in ys if owner_of(y) is owner and type(y.node) is Part]
        for missing in [None, *parts] if len(parts) > 1 else [None]:
            given = {i for i in parts if i != missing} if missing is not None else set()
            refuse_gradients(check, owner, leaves, given)


def owner_of(y: Tensor) -> Node | None:
    """The node that computes an output."""
    return y.node.owner if type(y.node) is Part else y.node


def refuse_gradients(check: Check, owner: FunctionNode, xs: list[Tensor], given: set[int]) -> None:
    """Raise if a node gives gradients, though its outputs have zeros, if given, or none."""
    types = owner.operands.types
    zeros = {i: np.zeros(types[i].shape, types[i].dtype) for i in given}
    try:
        gradients = carry({owner: Parts(zeros)}, [x.node for x in xs], True, None)
    except RuntimeError as error:
        raise GradcheckError(MUST_HANDLE.format(name=owner.name(), error=error)) from error
    for k, x in zip(check.checked, xs, strict=True):
        if np.any(np.asarray(gradients.get(x.node, 0))):
            raise GradcheckError(MUST_BE_ZERO.format(k=k, name=owner.name()))


def check_reentrant(check: Check, tolerance: float) -> None:
    """Raise if backward gives something else when it runs again."""
    leaves, ys = check.graph()
    for y in ys:
        weight = handle(np.ones(y.shape, y.dtype))
        once, again = (gradients_of(y, leaves, weight) for _ in range(2))
        if any(np.any(np.abs(a - b) > tolerance) for a, b in zip(once, again, strict=True)):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and"
                " grad_output multiple times gives different values, although analytical"
                " gradient matches numerical gradient. The tolerance for nondeterminism was"
                f" {tolerance}."
            )


def check_batched(check: Check) -> None:
    """Raise if backward of several cotangents at once differs from one by one."""
    leaves, ys = check.graph()
    rng = np.random.default_rng(0)
    for j, y in enumerate(y for y in ys if y.node is not None):
        weights = random_like(y, rng, 2)
        options = dict(materialize_grads=True, is_grads_batched=True)
        together = grad(y, leaves, handle(weights), retain_graph=True, **options)
        apart = [gradients_of(y, leaves, handle(w)) for w in weights]
        for i, got, *want in zip(check.checked, together, *apart, strict=True):
            require_same(check, f"batched gradients, for output {j} and input {i}", got, want)


def check_batched_forward(check: Check) -> None:
    """Raise if forward mode of several tangents at once differs from one by one."""
    rng = np.random.default_rng(0)
    directions = [random_like(p, rng, 2) for p in check.points]
    points = tuple(handle(p) for p in check.points)

    def push(*tangents: Tensor) -> tuple[Tensor, ...]:
        return jvp(lambda *xs: tuple(check.outputs_of(xs)), points, tangents)[1]

    together = vmap(push)(*map(handle, directions))
    apart = [check.tangents([d[i] for d in directions]) for i in range(2)]
    for j, (got, *want) in enumerate(zip(together, *apart, strict=True)):
        require_same(check, f"batched forward-mode gradients, for output {j}", got, want)


def require_same(check: Check, title: str, got: Tensor | None, want: Sequence[np.ndarray]) -> None:
    """Raise unless a batched derivative is the stack of those computed one by one."""
    if got is None or not check.tolerance.admits(got.value, np.stack(want)):
        raise GradcheckError(
            f"While testing {title}: vmap gives\n{got}\nand one by one they are\n{np.stack(want)}"
        )
