"""`grad` for one cotangent of the outputs, or for a batch of them."""

from typing import Any

from gradops import TransformError

from ..engine.backward import grad as pull
from ..engine.backward import sequence
from ..engine.tensor import Tensor, as_tensor


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
    create_graph: bool = False, only_inputs: bool = True, allow_unused: bool | None = None,
    is_grads_batched: bool = False, materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:  # fmt: skip
    """The gradients of the sum of `outputs` with respect to each of `inputs`; no `.grad` changes.

    `grad_outputs` weigh the outputs, as in `backward`. With `create_graph` the results can be
    differentiated in turn. An input that the outputs do not depend on is an error, unless
    `allow_unused` (it gives None) or `materialize_grads` (it gives zeros). With `is_grads_batched`,
    the first axis of each of `grad_outputs` counts several cotangents, and that of the results
    their gradients. `only_inputs` is always so, as in PyTorch. Raises TapeError.

    >>> x = dg.tensor(3.0, requires_grad=True)
    >>> (g,) = dg.autograd.grad(x * x * x, x, create_graph=True)
    >>> dg.autograd.grad(g, x)
    (tensor(18.),)
    """
    options = (retain_graph, create_graph, allow_unused, materialize_grads)
    if not is_grads_batched:
        return pull(outputs, inputs, grad_outputs, *options)
    from ..func.batching import vmap

    weights = [as_tensor(g) for g in sequence(grad_outputs)]
    check_batch(sequence(outputs), weights)
    found: Any = vmap(lambda one: pull(outputs, inputs, one, *options))(weights)
    return tuple(found)


def check_batch(outputs: list[Any], weights: list[Tensor]) -> None:
    """Refuse cotangents that are not one for each output, with one axis more."""
    if len(weights) != len(outputs):
        raise TransformError(
            f"is_grads_batched=True needs a batch of cotangents for each of the {len(outputs)}"
            f" outputs, got {len(weights)}\n  hint: give grad_outputs, batched along axis 0"
        )
    for i, (g, y) in enumerate(zip(weights, outputs, strict=True)):
        if not g.shape or g.shape[1:] != y.shape:
            raise TransformError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output"
                " as the batch dimension. The sizes of the remaining dimensions are expected to"
                f" match the shape of corresponding output, but a mismatch was detected:"
                f" grad_output[{i}] has a shape of {g.shape[1:]} and output[{i}] has a shape of"
                f" {y.shape}."
            )
