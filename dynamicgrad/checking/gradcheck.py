"""Derivatives checked against differences: `gradcheck` and `gradgradcheck`."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import GradcheckError, TransformError

from ..engine.grad_mode import enable_grad, no_grad
from ..engine.handle import make_leaf
from ..engine.tensor import Tensor, handle
from ..func.batched_grad import grad
from ..func.recording import vertex
from .comparisons import Check, Function, Tolerance, float_outputs
from .real_imag import in_parts
from .consistency import batched_forward, undefined


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Whether the gradients of `func` at `inputs` agree with differences of its values.

    `func` takes the inputs, a tensor or several, and returns a tensor or several; the gradients are
    those in inputs of floats that require gradients, best in float64. An input entry is moved by
    `eps`. `check_forward_ad` checks tangents too, `check_batched_grad` gradients under `vmap` and
    `check_batched_forward_grad` tangents under it; `check_undefined_grad`, that the backward of a
    custom function gives nothing where its outputs have no gradients. `fast_mode` checks one random
    direction instead of each entry. Two runs of backward may differ by `nondet_tol`. Raises
    GradcheckError, or returns False without `raise_exception`; it names the first operation whose
    own derivative is wrong, and its line.

    >>> x = dg.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    >>> dg.autograd.gradcheck(lambda x: dg.sin(x) * x, x)
    True
    """
    if not (check_backward_ad or check_forward_ad):
        raise TransformError("Expected at least one of check_forward_ad or check_backward_ad")
    if check_batched_forward_grad and not check_forward_ad:
        raise TransformError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
        )
    check = Check(*in_parts(func, as_inputs(inputs)), Tolerance(eps, atol, rtol))
    try:
        if check_forward_ad:
            (check.fast_forward if fast_mode else check.forward)()
        if check_backward_ad:
            (check.fast_backward if fast_mode else check.backward)()
            check.reentrant(nondet_tol)
            if check_undefined_grad:
                undefined(check)
        if check_batched_grad:
            check.batched()
        if check_batched_forward_grad:
            batched_forward(check)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def as_inputs(inputs: Any) -> tuple[Any, ...]:
    """The inputs as a tuple, of which some must be fit to be checked."""
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    checked = [i for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise TransformError(
            "gradcheck expects at least one input tensor to require gradient, but none of them"
            " have requires_grad=True."
        )
    for i in checked:
        if given[i].dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or"
                " complex. This check will likely fail if all the inputs are not of double"
                " precision floating point or complex.",
                UserWarning,
                stacklevel=3,
            )
        strides = np.asarray(given[i].value).strides
        if any(s == 0 and n > 1 for s, n in zip(strides, given[i].shape, strict=True)):
            raise TransformError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs"
                " that are non-overlapping to be able to compute the numerical gradients correctly."
                " You should call .contiguous on the input before passing it to gradcheck."
            )
    return given


def gradgradcheck(
    func: Function,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Whether the second derivatives of `func` agree with differences of its gradients.

    The gradients for `grad_outputs`, by default random ones, are checked as `gradcheck` checks a
    function, in the inputs and in `grad_outputs`. `check_fwd_over_rev` checks their tangents too.

    >>> x = dg.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    >>> dg.autograd.gradgradcheck(lambda x: dg.sin(x) * x, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise TransformError("Expected at least one of check_fwd_over_rev or check_rev_over_rev")
    func, given = in_parts(func, as_inputs(inputs))
    weights = tuple(random_weights(func, given)) if grad_outputs is None else as_given(grad_outputs)
    return gradcheck(
        gradients_of(func, given), (*given, *weights), eps=eps, atol=atol, rtol=rtol,
        raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )  # fmt: skip


def gradients_of(func: Function, inputs: Sequence[Any]) -> Function:
    """The gradients of `func` as a function of its inputs and of cotangents of its outputs."""
    checked = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*args: Any) -> Any:
        fresh, weights = list(args[: len(inputs)]), args[len(inputs) :]
        with enable_grad():
            for i in checked:
                fresh[i] = vertex(fresh[i], True)
            ys = float_outputs(func(*fresh))
            pairs = [(y, g) for y, g in zip(ys, weights, strict=True) if y.node is not None]
            return grad(
                [y for y, _ in pairs],
                [fresh[i] for i in checked],
                [g for _, g in pairs],
                create_graph=True,
                materialize_grads=True,
            )

    return gradients


def as_given(grad_outputs: Any) -> tuple[Tensor, ...]:
    """One or several cotangents as a tuple."""
    return tuple(grad_outputs) if isinstance(grad_outputs, tuple | list) else (grad_outputs,)


def random_weights(func: Function, inputs: Sequence[Any]) -> list[Tensor]:
    """A cotangent for each output, which requires gradients."""
    rng = np.random.default_rng(0)
    with no_grad():
        ys = float_outputs(func(*inputs))
    return [make_leaf(handle(np.asarray(rng.uniform(-1, 1, y.shape), y.dtype))) for y in ys]
