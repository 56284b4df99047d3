"""Derivatives compared with finite differences: `gradcheck` and `gradgradcheck`."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradops import GradcheckError, TransformError, complex, imag, real
from gradops.core.types import is_complex

from ..autograd.batched_grad import grad
from ..engine.grad_mode import enable_grad, no_grad
from ..engine.handle import Handle, make_leaf
from ..engine.tensor import Tensor, handle
from ..func.recording import vertex
from .blame import blame
from .comparisons import Check, Function, Tolerance, as_tuple, float_outputs, random_like
from .consistency import check_batched, check_batched_forward, check_reentrant, check_undefined


def gradcheck(
    func: Function, inputs: object, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False,
) -> bool:  # fmt: skip
    """Compare the gradients of `func` at `inputs` with finite differences; True if they agree.

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
    require_modes(check_forward_ad, check_backward_ad, check_batched_forward_grad)
    check = Check(*in_parts(func, as_inputs(inputs)), Tolerance(eps, atol, rtol))
    try:
        if check_forward_ad:
            require_agreement(check, "jvp", fast_mode)
        if check_backward_ad:
            require_agreement(check, "vjp", fast_mode)
            check_reentrant(check, nondet_tol)
            if check_undefined_grad:
                check_undefined(check)
        if check_batched_grad:
            check_batched(check)
        if check_batched_forward_grad:
            check_batched_forward(check)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def require_modes(forward: bool, backward: bool, batched: bool) -> None:
    """Raise for options that check nothing, or that need another option."""
    if not (backward or forward):
        raise TransformError("Expected at least one of check_forward_ad or check_backward_ad")
    if batched and not forward:
        raise TransformError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True"
        )


MISMATCH = {"vjp": "Jacobian mismatch", "jvp": "Jacobian computed with forward mode mismatch"}


def require_agreement(check: Check, kind: str, fast: bool) -> None:
    """Raise for the first Jacobian that differences contradict, naming the wrong operation."""
    for output, index, got, want in check.mismatches(kind, fast):
        text = blame(check.func, check.inputs, kind, check.tolerance)
        if any(p.dtype != np.float64 for p in check.points):
            text += "\n  hint: differences of inputs that are not float64 have few digits"
        raise GradcheckError(
            f"{MISMATCH[kind]} for output {output} with respect to input {index},\n"
            f"numerical:{want}\nanalytical:{got}\n{text}"
        )


NOT_DOUBLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This"
    " check will likely fail if all the inputs are not of double precision floating point or"
    " complex."
)


def as_inputs(inputs: object) -> tuple[object, ...]:
    """The inputs as a tuple; raises if none can be checked, warns of single precision."""
    given = as_tuple(inputs)
    checked = {i: x for i, x in enumerate(given) if isinstance(x, Tensor) and x.requires_grad}
    if not checked:
        raise TransformError(
            "gradcheck expects at least one input tensor to require gradient, but none of them"
            " have requires_grad=True."
        )
    for i, x in checked.items():
        if x.dtype not in (np.float64, np.complex128):
            warnings.warn(NOT_DOUBLE.format(i), UserWarning, stacklevel=3)
        strides = np.asarray(x.value).strides
        if any(s == 0 and n > 1 for s, n in zip(strides, x.shape, strict=True)):
            raise TransformError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs"
                " that are non-overlapping to be able to compute the numerical gradients correctly."
                " You should call .contiguous on the input before passing it to gradcheck."
            )
    return given


def gradgradcheck(
    func: Function, inputs: object, grad_outputs: object = None, *, eps: float = 1e-6,
    atol: float = 1e-5, rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0,
    check_undefined_grad: bool = True, check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True, fast_mode: bool = False,
) -> bool:  # fmt: skip
    """Compare the second derivatives of `func` with finite differences of its gradients.

    The gradients for `grad_outputs`, by default random ones, are checked as `gradcheck` checks a
    function, in the inputs and in `grad_outputs`. `check_fwd_over_rev` checks their tangents too.

    >>> x = dg.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    >>> dg.autograd.gradgradcheck(lambda x: dg.sin(x) * x, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise TransformError("Expected at least one of check_fwd_over_rev or check_rev_over_rev")
    func, given = in_parts(func, as_inputs(inputs))
    weights = random_weights(func, given) if grad_outputs is None else as_tuple(grad_outputs)
    return gradcheck(
        gradients_of(func, given), (*given, *weights), eps=eps, atol=atol, rtol=rtol,
        raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )  # fmt: skip


def gradients_of(func: Function, inputs: Sequence[object]) -> Function:
    """The gradients of `func` as a function of its inputs and of cotangents of its outputs."""
    checked = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]

    def gradients(*args: Tensor) -> tuple[Tensor | None, ...]:
        xs, weights = list(args[: len(inputs)]), args[len(inputs) :]
        with enable_grad():
            for i in checked:
                xs[i] = vertex(xs[i], True)
            ys = float_outputs(func(*xs))
            pairs = [(y, g) for y, g in zip(ys, weights, strict=True) if y.node is not None]
            outputs, seeds = [y for y, _ in pairs], [g for _, g in pairs]
            at = [xs[i] for i in checked]
            return grad(outputs, at, seeds, create_graph=True, materialize_grads=True)

    return gradients


def random_weights(func: Function, inputs: Sequence[object]) -> tuple[Tensor, ...]:
    """A random cotangent for each output, which requires gradients."""
    rng = np.random.default_rng(0)
    with no_grad():
        ys = float_outputs(func(*inputs))
    return tuple(make_leaf(handle(random_like(y, rng)[0])) for y in ys)


def in_parts(func: Function, inputs: Sequence[object]) -> tuple[Function, tuple[object, ...]]:
    """`func` as a function of real numbers, two for each complex one, and its inputs as such."""
    split = [isinstance(x, Handle) and x.node is not None and is_complex(x.dtype) for x in inputs]

    def of_parts(*args: object) -> tuple[object, ...]:
        rest = iter(args)
        result = func(*[complex(next(rest), next(rest)) if s else next(rest) for s in split])
        return tuple(part for y in as_tuple(result) for part in parts(y))

    leaves = [leaves_of(x) if s else (x,) for x, s in zip(inputs, split)]
    return of_parts, tuple(leaf for both in leaves for leaf in both)


def leaves_of(x: Any) -> tuple[Tensor, ...]:
    """New leaves with the real and the imaginary part of a tensor."""
    return tuple(make_leaf(handle(part)) for part in (real(x.value), imag(x.value)))


def parts(y: object) -> tuple[object, ...]:
    """The real and imaginary part of a complex output; another as it is."""
    return (real(y), imag(y)) if isinstance(y, Handle) and is_complex(y.dtype) else (y,)
