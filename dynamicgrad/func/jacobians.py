"""Whole matrices of derivatives: Jacobians and Hessians, and products with the latter."""

import functools
from typing import Any

import numpy as np

import gradops as ops
from gradops.core.tree import flatten, tree_map
from gradops.typing import Function

from ..engine.handle import Handle, hold
from .batching import vmap
from .forward import jvp
from .levels import Handles
from .reverse import ForwardRun, grad
from .structure import ArgNums, Selection, as_handle, for_caller, split_aux


def jacrev(
    func: Function, argnums: ArgNums = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Function:
    """A function that computes the Jacobian of `func` by reverse mode: a pass for each output.

    The result has the structure of the output, with that of the arguments `argnums` in place of
    each leaf, and the shapes of output and argument joined. With `has_aux`, `func` returns (output,
    aux) and the result is (Jacobian, aux). `chunk_size` limits how many passes run at a time.

    >>> dg.func.jacrev(lambda x: x * x)(dg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @functools.wraps(func)
    def transformed(*args: object, **kwargs: object) -> Any:
        selection = Selection(args, argnums)

        def of_selected(*new: object) -> Any:
            return func(*selection.replace(new), **kwargs)

        run = ForwardRun(of_selected, selection.values, has_aux, lifted=False)
        _, aux = run.results()
        pull_back = lambda weights: run.pull_back(weights, retain=True, create=None)
        outputs = run.outputs
        back = each_row(pull_back, outputs, chunk_size)
        rows = back(basis(outputs))  # per argument: all outputs' entries, one after the other
        if run.records:
            rows = run.record.settle(rows)
        blocks = zip(*(blocks_of(r, outputs, 0) for r in rows), strict=True)
        found = run.rebuild([selection.like_argnums(run.rebuild_primals(b)) for b in blocks])
        return for_caller((found, aux) if has_aux else found, args, kwargs)

    return transformed


def each_row(pull_back: Function, outputs: Handles, chunk_size: int | None) -> Function:
    """`pull_back` for each row of weights; a single one is no batch, which would cost a level."""
    batched = vmap(pull_back, chunk_size=chunk_size)
    if sum(int(np.prod(y.shape, dtype=int)) for y in outputs) != 1:
        return batched
    return lambda rows: [
        ops.reshape(g, shape=(1, *g.shape)) for g in pull_back([row[0] for row in rows])
    ]


def basis(tensors: Handles) -> list[Handle]:
    """For each tensor the unit vectors of all of them, one after the other along a new axis."""
    sizes = [int(np.prod(t.shape, dtype=int)) for t in tensors]
    found, start = [], 0
    for t, n in zip(tensors, sizes, strict=True):
        units = np.eye(sum(sizes), n, -start, t.dtype)
        found.append(hold(type(t), units.reshape(sum(sizes), *t.shape)))
        start += n
    return found


def blocks_of(whole: Any, tensors: Handles, axis: int) -> list[Any]:
    """The parts of an axis that belong to each tensor's entries, in the tensor's shape."""
    found, start, shape = [], 0, whole.shape
    for t in tensors:
        n = int(np.prod(t.shape, dtype=int))
        part = whole[(slice(None),) * axis + (slice(start, start + n),)]
        found.append(ops.reshape(part, shape=(*shape[:axis], *t.shape, *shape[axis + 1 :])))
        start += n
    return found


def jacfwd(
    func: Function, argnums: ArgNums = 0, has_aux: bool = False, *, randomness: str = "error",
    chunk_size: int | None = None,
) -> Function:  # fmt: skip
    """A function that computes the Jacobian of `func` by forward mode: a pass for each input.

    Arguments and results are those of `jacrev`.

    >>> dg.func.jacfwd(lambda x: x * x)(dg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @functools.wraps(func)
    def transformed(*args: object, **kwargs: object) -> Any:
        selection = Selection(args, argnums)
        leaves, rebuild = flatten(selection.values)
        inputs = [as_handle(x) for x in leaves]

        def push(directions: Any) -> Any:
            def flat(*xs: object) -> Any:
                result = func(*selection.replace(rebuild(xs)), **kwargs)
                return split_aux(result, has_aux, "jacfwd")

            y, t, aux = jvp(flat, tuple(inputs), tuple(directions), has_aux=True)
            rebuilds.append(flatten(y)[1])
            return flatten(t)[0], aux

        rebuilds: list[Any] = []
        mapped = vmap(push, out_dims=(-1, 0), randomness=randomness, chunk_size=chunk_size)
        columns, aux = mapped(basis(inputs))
        blocks = (blocks_of(c, inputs, len(c.shape) - 1) for c in columns)
        found = rebuilds[0]([selection.like_argnums(rebuild(b)) for b in blocks])
        if has_aux:
            found = found, tree_map(lambda x: x[0] if isinstance(x, Handle) else x, aux)
        return for_caller(found, args, kwargs)

    return transformed


def hessian(func: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """A function that computes the Hessian of `func`: forward mode over reverse mode.

    Its structure and shapes are those of the Jacobian of the Jacobian. With `has_aux`, `func`
    returns (output, aux) and the result is (Hessian, aux).

    >>> dg.hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums, has_aux=has_aux), argnums, has_aux)


def jacobian(func: Function, argnums: ArgNums = 0, has_aux: bool = False) -> Function:
    """A function that computes the Jacobian of `func`; `func.jacfwd` may be faster for few inputs.

    With `has_aux`, `func` returns (output, aux) and the result is (Jacobian, aux).

    >>> dg.jacobian(np.square)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    return jacrev(func, argnums, has_aux=has_aux)


def hvp(func: Function) -> Function:
    """A function of (x, v, *args) that computes the Hessian of `func` at x times v.

    `func` takes (x, *args) and returns one number; v has the structure and shapes of x. The Hessian
    is not formed: the cost is that of a few gradients. It is what SciPy calls `hessp`.

    >>> dg.hvp(lambda x: np.sum(x**3))(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """

    @functools.wraps(func)
    def transformed(x: Any, v: Any, *args: object) -> Any:
        return jvp(lambda x: grad(func)(x, *args), (x,), (v,))[1]

    return transformed
