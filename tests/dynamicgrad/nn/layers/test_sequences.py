"""Recurrent layers as one operation have the bits of a loop whose steps are recorded."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad.nn.layers.sequences import loop, step_by_step
from gradops import TapeError
from gradops.kernels.native_kernels import native_kernels
from gradops.nn import CELLS, Weights, recurrent

USES = {
    "outputs": lambda y, last: (y * y).sum(),
    "last states": lambda y, last: sum((s * s * s).sum() for s in last),
    "all": lambda y, last: (y * y).mean() + sum(s.sum() for s in last),
}
every_cell = pytest.mark.parametrize("mode", ["LSTM", "GRU"])
every_use = pytest.mark.parametrize("use", USES)


def operands(mode, dtype=np.float32, rows=3, bias=True):
    """Inputs, weights and first states."""
    rng, n = np.random.default_rng(0), CELLS[mode].gates * 4
    shapes = [(9, rows, 6), (n, 6), (n, 4), *[(n,)] * (2 * bias)]
    shapes += [(1, rows, 4)] * CELLS[mode].states
    return [dg.tensor(rng.normal(size=s).astype(dtype), requires_grad=True) for s in shapes]


def run(mode, use, xs, by):
    """A loss of a layer that goes backward."""
    count = CELLS[mode].states
    y, last = recurrent(CELLS[mode], xs[0], [[Weights(*xs[1:-count])] * 1], by, tuple(xs[-count:]))
    return USES[use](y, last)


def gradients(mode, use, xs, by):
    value = run(mode, use, xs, by)
    found = dg.autograd.grad(value, xs, allow_unused=True)
    return [value.detach().numpy(), *[None if g is None else g.numpy() for g in found]]


@every_cell
@every_use
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("bias", [True, False])
def test_one_operation_has_the_bits_of_recorded_steps(mode, use, dtype, rows, bias):
    xs = operands(mode, dtype, rows, bias)
    for native in (True, False):
        with native_kernels(native):
            found, wanted = (gradients(mode, use, xs, by) for by in (loop, step_by_step))
        for a, b in zip(found, wanted, strict=True):
            assert (a is None) == (b is None)
            assert a is None or a.tobytes() == b.tobytes()


@every_cell
@every_use
def test_second_derivatives_are_those_of_recorded_steps(mode, use):
    found = []
    for by in (loop, step_by_step):
        xs = operands(mode, np.float64)
        gs = dg.autograd.grad(run(mode, use, xs, by), xs, create_graph=True, allow_unused=True)
        total = sum((g * g).sum() for g in gs if g is not None)
        found.append(dg.autograd.grad(total, xs, allow_unused=True))
    for a, b in zip(*found, strict=True):
        assert (a is None) == (b is None)
        assert a is None or np.allclose(a.numpy(), b.numpy(), rtol=1e-12, atol=1e-14)


@every_cell
def test_it_is_one_node_of_the_tape(mode):
    xs = operands(mode)
    assert "SequenceBackward" in type(recurrent(
        CELLS[mode], xs[0], [[Weights(*xs[1:5])]], loop)[0].grad_fn).__name__  # fmt: skip


@every_cell
def test_a_write_to_the_outputs_is_noticed(mode):
    xs = operands(mode)
    y, _ = recurrent(CELLS[mode], xs[0], [[Weights(*xs[1:5])]], loop)
    loss = (y * 2.0).sum()
    with dg.no_grad():
        y.mul_(2.0)
    with pytest.raises(TapeError, match="modified"):
        loss.backward()


@every_cell
def test_tangents_go_through_recorded_steps(mode):
    xs = operands(mode, np.float64)
    f = lambda x: run(mode, "all", [x, *[t.detach() for t in xs[1:]]], loop)
    t = dg.tensor(np.random.default_rng(1).normal(size=xs[0].shape))
    _, tangent = dg.func.jvp(f, (xs[0].detach(),), (t,))
    (g,) = dg.autograd.grad(run(mode, "all", xs, loop), xs[:1])
    assert np.allclose(float(tangent), float((g * t).sum()))
