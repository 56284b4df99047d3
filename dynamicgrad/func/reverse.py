"""Reverse mode as transforms of functions: `grad`, `value_and_grad` and `vjp`."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import gradops as ops
from gradops import NotDifferentiableError, TransformError
from gradops.core.tree import flatten
from gradops.typing import Function

from ..engine.grad_mode import is_recording
from ..engine.handle import Handle
from . import structure
from .levels import Handles, has_history
from .recording import Recording, gradients
from .structure import ArgNums, Selection, for_caller, handles_like, outputs_of, scalar, split_aux


def grad_and_value(func: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """A function that computes the gradient of `func` and its value.

    As `grad`, but the result is the pair (gradient, value); with `has_aux`, (gradient, (value,
    aux)).

    >>> dg.func.grad_and_value(lambda x: (x * x).sum())(dg.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """
    call = "grad_and_value(f)(*args)"
    return gradient_transform(func, argnums, has_aux, call, lambda gradient, y: (gradient, y))


def gradient_transform(
    func: Function, argnums: ArgNums, has_aux: bool, call: str, arrange: Callable[[Any, Any], Any]
) -> Function:
    """A function that arranges the gradient of `func` and its value; errors name the user's call.

    With `has_aux`, the value is the pair (value, aux).
    """
    if not callable(func):
        raise TransformError(
            f"grad takes a function and makes another of it, got {type(func)}"
            "\n  hint: grad(f)(x); autograd.grad(outputs, inputs) goes from tensors to tensors"
        )

    @functools.wraps(func)
    def transformed(*args: object, **kwargs: object) -> Any:
        selection = Selection(args, argnums)
        leaves, rebuild = flatten(selection.values)
        try:
            record = Recording(leaves)
        except NotDifferentiableError:
            raise selection.integer_error(func, call) from None
        with record.running():
            result = func(*selection.replace(rebuild(record.vertices)), **kwargs)
            value, aux = split_aux(result, has_aux, call)
            y = scalar(value, call, record.vertices)
            leads_out = record.leads_out([y])
            create = leads_out or record.holds_history([y])
            found = gradients([y], record.vertices, None, create, create, linear=not leads_out)
        settled = selection.like_argnums(rebuild(record.settle(found, create)))
        (value,) = record.settle([y], leads_out)
        values = (value, record.settle_tree(aux)) if has_aux else value
        return arrange(*for_caller((settled, values), args, kwargs))

    return transformed


def value_and_grad(func: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """A function that computes the value of `func` and its gradient, in this order.

    As `grad`, but the result is the pair (value, gradient); with `has_aux`, ((value, aux),
    gradient). So of a function of arrays it is what SciPy calls an objective with `jac=True`.

    >>> dg.value_and_grad(lambda x: (x * x).sum())(np.array([1.0, 2.0]))
    (np.float64(5.0), array([2., 4.]))
    """
    call = "value_and_grad(f)(*args)"
    return gradient_transform(func, argnums, has_aux, call, lambda gradient, y: (y, gradient))


def grad(func: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """A function that computes the gradient of `func`, which returns one number.

    `argnums` says by which arguments, each a tensor or array of floats, or a tree of such; a tuple
    of numbers gives a tuple of gradients. With `has_aux`, `func` returns (output, aux) and the
    result is (gradient, aux). Given arrays and no tensors, it returns arrays. Raises TransformError
    for an output that is not a number, NotDifferentiableError for integers.

    >>> dg.grad(lambda x: np.sum(np.sin(x)))(np.zeros(2))
    array([1., 1.])
    >>> dg.func.grad(dg.func.grad(lambda x: x**3))(dg.tensor(2.0))
    tensor(12.)
    """
    arrange = lambda gradient, y: (gradient, y[1]) if has_aux else gradient
    return gradient_transform(func, argnums, has_aux, "grad(f)(*args)", arrange)


def vjp(func: Function, *primals: object, has_aux: bool = False) -> tuple[Any, ...]:
    """The value of `func` at `primals`, and a function that carries cotangents back through it.

    That function takes a cotangent for each output, in the structure of the output, and returns a
    tuple with one for each primal; it may be called again and again. With `has_aux`, `func` returns
    (output, aux), and aux comes as a third result.

    >>> y, back = dg.func.vjp(dg.sin, dg.tensor([0.0, 1.0]))
    >>> back(dg.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    run = ForwardRun(func, primals, has_aux, lifted=False)
    as_handles = structure.has_handles(primals)

    def back(
        cotangents: object, retain_graph: bool = True, create_graph: bool | None = None
    ) -> tuple[Any, ...]:
        weights = matching_cotangents(cotangents, run.value, run.outputs)
        found = run.pull_back(weights, retain_graph, create_graph)
        primals = run.rebuild_primals(found)
        return primals if as_handles else for_caller(primals, cotangents)

    value, aux = run.results() if as_handles else for_caller(run.results())
    return (value, back, aux) if has_aux else (value, back)


class ForwardRun:
    """A function that has run on vertices, ready to pull cotangents of its outputs back."""

    def __init__(self, func: Function, primals: object, has_aux: bool, lifted: bool) -> None:
        call = "vjp(f, *primals)"
        leaves, self.rebuild_primals = flatten(primals)
        leaves = [x.copy(order="K") if type(x) is np.ndarray else x for x in leaves]  # for later
        self.record = Recording(leaves, lifted)
        with self.record.running():
            result = func(*self.rebuild_primals(self.record.vertices))
            self.value, self.aux = split_aux(result, has_aux, call)
            self.outputs, self.rebuild = outputs_of(self.value, call, self.record.vertices)
        self.leads_out = self.record.leads_out(self.outputs)
        self.records = self.leads_out or self.record.holds_history(self.outputs)

    def results(self) -> tuple[Any, Any]:
        """The output and the auxiliary result, without the run's own history."""
        settled = self.record.settle(self.outputs, self.leads_out)
        return self.rebuild(settled), self.record.settle_tree(self.aux)

    def pull_back(self, weights: Handles, retain: bool, create: bool | None) -> list[Handle]:
        """The cotangents of the primals for those of the outputs."""
        if create is None:
            create = bool(is_recording()) and (self.records or any(map(has_history, weights)))
        linear = not self.leads_out
        found = gradients(self.outputs, self.record.vertices, weights, retain, create, linear)
        return self.record.settle(found)


def matching_cotangents(cotangents: object, value: object, outputs: Handles) -> list[Handle]:
    """The cotangents of the outputs, of their structure, shapes and dtypes."""
    weights = handles_like(
        cotangents, value,
        "Expected pytree structure of cotangents to be the same as pytree structure of outputs"
        " to the function. cotangents: {}, primal output: {}",
    )  # fmt: skip
    for i, (g, y) in enumerate(zip(weights, outputs, strict=True)):
        if g.shape != y.shape:
            raise TransformError(
                f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has"
                f" a shape of {y.shape}."
            )
    return [ops.astype(g, dtype=y.dtype) if g.dtype != y.dtype else g
            for g, y in zip(weights, outputs, strict=True)]  # fmt: skip
