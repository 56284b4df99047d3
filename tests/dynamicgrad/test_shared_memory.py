"""Whatever shares memory with an operand is a view that is followed, or the operand itself."""

import contextlib

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops.core import tree

from .calls import CALLS, results
from .calls import operands as scope_of

EVERY = [call for calls in CALLS.values() for call in calls]
NAMED = {
    **{name: f for name in dg.__all__ if callable(f := getattr(dg, name)) and name[0].islower()},
    **{
        f"Tensor.{name}": f
        for name in dir(dg.Tensor)
        if callable(f := getattr(dg.Tensor, name, None))
    },
}
ARGUMENTS = [(), (0,), (1,), (0, 1), (2, 0), (0, 0, 1), (0, 2, 2), (0, 1, 1), ((2, 2, 1),), ((0,),)]


def shares(y, x):
    arrays = isinstance(y.value, np.ndarray) and isinstance(x.value, np.ndarray)
    return arrays and np.shares_memory(y.value, x.value)


def tracked(y, x):
    """Whether `y` is `x`, or notes writes with it and, if it has a history, follows its own."""
    if y is x:
        return True
    follows = y._base is not None and (y._base is x or y._base is x._base)
    return (follows or is_constant(y, x)) and y.storage is x.storage


def is_constant(y, x):
    """Whether no gradient passes from `y` to `x`."""
    if not (y.requires_grad and x.requires_grad):
        return True
    (g,) = dg.autograd.grad(y, x, dg.ones_like(y), retain_graph=True, allow_unused=True)
    return g is None


def untracked(found, xs):
    """The results that share memory with an operand, but do not follow writes to it."""
    ys = [y for y in tree.flatten(found)[0] if isinstance(y, dg.Tensor)]
    return [y for y in ys for x in xs if shares(y, x) and not tracked(y, x)]


def tensor_on(array):
    """A tensor on an array, one that requires gradients if it can."""
    x = dg.from_numpy(np.asarray(array))
    return x.requires_grad_() if x.dtype.kind in "fc" else x


LAYOUTS = {
    "in order": np.array, "transposed": lambda x: np.array(np.transpose(x)).T,
    "strided": lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if np.ndim(x) else np.array(x),
    "reversed": lambda x: np.flip(np.flip(x).copy()),
}  # fmt: skip


@pytest.mark.parametrize("op", gradops.OPS.values(), ids=str)
def test_an_op_gives_a_tracked_view_or_memory_of_its_own(op):
    for layout, laid_out in LAYOUTS.items():
        for operands, attrs in op.samples(np.random.default_rng(0)):
            xs = [tensor_on(laid_out(x)) for x in operands]
            with contextlib.suppress(gradops.DTypeError):  # which NumPy computes and PyTorch not
                assert not untracked(op(*xs, **attrs), xs), layout


@pytest.mark.parametrize("call", EVERY)
def test_a_call_gives_a_tracked_view_or_memory_of_its_own(call):
    scope = scope_of(dg)
    scope |= {name: scope[name] * 1 for name in "xv"}
    assert not untracked(results(call, scope), [scope["x"], scope["v"], scope["i"]])


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.filterwarnings("ignore")
def test_a_function_gives_a_tracked_view_or_memory_of_its_own(name):
    for shape in ((2, 2, 1), (4,), ()):
        for args in ARGUMENTS:
            x = dg.ones(shape, requires_grad=True) * 1
            try:
                found = NAMED[name](x, *args)
            except Exception:  # not to be called like this
                continue
            assert not untracked(found, [x]), args


VIEWS = [call for call in EVERY if ".detach" not in call and "assert" not in call]


@pytest.mark.parametrize("call", VIEWS)
def test_a_view_follows_a_write_to_its_operand(call):
    scope = scope_of(dg, np.float64)
    leaf = scope["x"]
    scope["x"] = x = leaf * 1
    views = [y for y in results(call, scope) if shares(y, x) and y is not x]
    before = [dg.autograd.grad(y.sum(), leaf, retain_graph=True)[0] for y in views]
    values = [y.tolist() for y in views]
    if views:
        x.mul_(3)
    for y, g, value in zip(views, before, values, strict=True):
        assert y.tolist() == np.multiply(3, value).tolist()
        after = dg.autograd.grad(y.sum(), leaf, retain_graph=True)[0]
        assert after.tolist() == (3 * g).tolist()


@pytest.mark.parametrize("call", VIEWS)
def test_what_is_made_in_inference_mode_says_so_unless_it_lies_in_other_memory(call):
    scope = scope_of(dg)
    xs = [scope[name] for name in "xvi"]
    with dg.inference_mode():
        found = [y for y in results(call, scope) if isinstance(y, dg.Tensor)]
    for y in found:
        assert y.is_inference() == (y._base is None and not any(y is x for x in xs))
