"""One function in every way of running it: tape, interpreter, generated code."""

from contextlib import suppress

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg


def weights(y, rng_seed=7):
    """A fixed cotangent for a value."""
    rng, type = np.random.default_rng(rng_seed), gradops.type_of(y)
    return np.asarray(rng.uniform(0.5, 1.5, type.shape), type.dtype)


def second_order(grads):
    """A scalar that depends on every gradient, to be differentiated again."""
    total = None
    for g in grads:
        if g is not None:
            part = gradops.sum(g * g)
            total = part if total is None else total + part
    return total


def eager(f, xs, order, face=dg.array):
    """Value and gradients on the tape, on arrays or tensors; integers stay constants."""
    tensors = [dg.tensor(x, requires_grad=gradops.core.types.is_float(x.dtype)) for x in xs]
    y = f(*map(face, tensors))
    wanted = [t for t in tensors if t.requires_grad]
    if not gradops.core.types.is_float(y.dtype) or not wanted:
        return [y.value]
    if y.node is None:
        return [y.value, *[None] * len(wanted)]
    grads = dg.autograd.grad(
        y, wanted, dg.tensor(weights(y.value)), allow_unused=True, create_graph=order > 1
    )
    found = [y.value, *(None if g is None else g.value for g in grads)]
    total = second_order(grads) if order > 1 else None
    if total is None:
        return found
    again = [None] * len(wanted)
    if total.node is not None:
        again = dg.autograd.grad(total, wanted, allow_unused=True)
    return found + [None if g is None else g.value for g in again]


def graph(f, xs, order, sizes=None):
    """Value and gradients as a graph and its feeds, as `eager` orders them.

    `sizes` are the shapes of the placeholders, if they are not those of the operands.
    """
    with sg.Graph().as_default():
        shapes = [x.shape for x in xs] if sizes is None else sizes
        feeds = [sg.placeholder(x.dtype, s) for x, s in zip(xs, shapes, strict=True)]
        y = f(*feeds)
        wanted = [e for e in feeds if gradops.core.types.is_float(e.dtype)]
        found, values = [y], list(xs)
        if gradops.core.types.is_float(y.dtype) and wanted:
            feeds = [*feeds, sg.placeholder(y.dtype, y.shape)]
            values.append(weights(f(*xs)))
            grads = sg.gradients(y, wanted, feeds[-1])
            found += grads
            total = second_order(grads) if order > 1 else None
            if total is not None:
                found += sg.gradients(total, wanted)
        present = [e for e in found if e is not None]
        return sg.freeze(present, feeds), values, [e is not None for e in found]


def traced(f, xs, order):
    """The results of the tape when its tensors hold expressions."""
    with sg.Graph().as_default():
        feeds = [sg.placeholder(x.dtype, x.shape) for x in xs]
        found = eager(f, feeds, order)
        present = [e for e in found if e is not None]
        run = sg.compile(sg.freeze([as_expression(e) for e in present], feeds), optimize=0)
    return expand(run(*xs), [e is not None for e in found])


def as_expression(x):
    """A result that may be a constant, as an expression."""
    return x if isinstance(x, sg.Expr) else sg.constant(x)


def expand(values, present):
    """Values with None where a gradient is disconnected."""
    rest = iter(values)
    return [next(rest) if p else None for p in present]


def bits(x):
    """What two arrays have in common if they are equal to the bit; all NaNs count as one."""
    if x is None:
        return None
    x = np.asarray(x)
    known = np.where(np.isnan(x), np.asarray(np.nan, x.dtype), x) if x.dtype.kind == "f" else x
    return x.shape, x.dtype, known.tobytes()


@pytest.fixture
def same_bits():
    """Compare lists of arrays to the bit, None standing for a disconnected gradient."""

    def compare(a, b, what):
        assert len(a) == len(b), what
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if (x is None) != (y is None):  # zeros in PyTorch's words, None in TensorFlow's
                assert not np.any(y if x is None else x), f"{what}, result {i}:\n{x}\n{y}"
                continue
            assert bits(x) == bits(y), f"{what}, result {i}:\n{x}\n{y}"

    return compare


def buffered(frozen, feeds, monkeypatch):
    """The results of code in short parts that keeps all in buffers, when they hold old values."""
    with monkeypatch.context() as patch:
        patch.setattr("staticgrad.codegen.memory.buffers.WORTHWHILE", 0)
        patch.setattr("staticgrad.codegen.memory.buffers.BIG", 0)
        patch.setattr("staticgrad.codegen.writer.LONG", 4)
        patch.setattr("staticgrad.codegen.parts.PART", 2)
        patch.setattr("staticgrad.codegen.load.PART", 2)
        call = sg.compile(frozen, optimize=0)
        first = call(*feeds)
        kept = [bits(x) for x in first]
        with suppress(gradops.LinAlgError):  # zeros are singular; the error has a line of the text
            call(*[np.zeros_like(x) for x in feeds])
    again = call(*feeds)
    assert [bits(x) for x in first] == kept, "a result lies in a buffer"
    return again


@pytest.fixture
def ways(monkeypatch):
    """All ways of running a function, by name."""

    def run(f, xs, order=1, sizes=None, tensors=False):
        with np.errstate(all="ignore"):
            frozen, feeds, present = graph(f, xs, order, sizes)
            found = {
                "traced tape": traced(f, xs, order),
                "tape": eager(f, xs, order),
                "interpreter": expand(sg.interpret(frozen, feeds), present),
                "generated": expand(sg.compile(frozen, optimize=0)(*feeds), present),
                "buffered": expand(buffered(frozen, feeds, monkeypatch), present),
                "optimised": expand(sg.compile(frozen, optimize=1)(*feeds), present),
            }
            if tensors:
                found["tensors"] = eager(f, xs, order, dg.as_tensor)
            return found

    return run
