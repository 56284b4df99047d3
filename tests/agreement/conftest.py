"""One function in every way of running it: tape, interpreter, generated code."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg


def weights(y, rng_seed=7):
    """A fixed cotangent for a value."""
    rng = np.random.default_rng(rng_seed)
    return rng.uniform(0.5, 1.5, np.shape(y)).astype(gradops.type_of(y).dtype)


def second_order(grads):
    """A scalar that depends on every gradient, to be differentiated again."""
    total = None
    for g in grads:
        if g is not None:
            part = gradops.sum(g * g)
            total = part if total is None else total + part
    return total


def eager(f, xs, order):
    """Value and gradients on tensors; integers stay constants."""
    tensors = [dg.tensor(x, requires_grad=gradops.types.is_float(x.dtype)) for x in xs]
    y = f(*tensors)
    wanted = [t for t in tensors if t.requires_grad]
    if not y.requires_grad or not wanted:
        return [y.value]
    grads = dg.autograd.grad(
        y, wanted, dg.tensor(weights(y.value)), allow_unused=True, create_graph=order > 1
    )
    found = [y.value, *(None if g is None else g.value for g in grads)]
    total = second_order(grads) if order > 1 else None
    if total is not None and total.requires_grad:
        again = dg.autograd.grad(total, wanted, allow_unused=True)
        found += [None if g is None else g.value for g in again]
    return found


def graph(f, xs, order, sizes=None):
    """Value and gradients as a graph, as `eager` orders them; `sizes` are the placeholders'."""
    with sg.Graph().as_default():
        shapes = [x.shape for x in xs] if sizes is None else sizes
        feeds = [sg.placeholder(x.dtype, s) for x, s in zip(xs, shapes, strict=True)]
        y = f(*feeds)
        wanted = [e for e in feeds if gradops.types.is_float(e.dtype)]
        found = [y]
        if gradops.types.is_float(y.dtype) and wanted:
            grads = sg.gradients(y, wanted, sg.constant(weights(f(*xs))))
            found += grads
            total = second_order(grads) if order > 1 else None
            if total is not None:
                found += sg.gradients(total, wanted)
        present = [e for e in found if e is not None]
        return sg.freeze(present, feeds), [e is not None for e in found]


def expand(values, present):
    """Values with None where a gradient is disconnected."""
    rest = iter(values)
    return [next(rest) if p else None for p in present]


@pytest.fixture
def same_bits():
    """Compare lists of arrays to the bit; a gradient that is None may be zeros elsewhere."""

    def compare(a, b, what):
        for x, y in zip(a, b, strict=False):
            if x is None or y is None:
                continue
            x, y = np.asarray(x), np.asarray(y)
            assert (x.shape, x.dtype) == (y.shape, y.dtype), what
            equal = np.array_equal(x, y, equal_nan=True)
            assert equal, f"{what}:\n{x}\n{y}"

    return compare


@pytest.fixture
def ways():
    """All ways of running a function, by name."""

    def run(f, xs, order=1, sizes=None):
        with np.errstate(all="ignore"):
            frozen, present = graph(f, xs, order, sizes)
            return {
                "tape": eager(f, xs, order),
                "interpreter": expand(sg.interpret(frozen, xs), present),
                "generated": expand(sg.compile(frozen, optimize=0)(*xs), present),
                "optimised": expand(sg.compile(frozen, optimize=1)(*xs), present),
            }

    return run
