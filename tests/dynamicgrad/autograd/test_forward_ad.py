"""Tensors that carry tangents inside of a level."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import NotDifferentiableError, TapeError, TransformError

fw = dg.autograd.forward_ad


@pytest.fixture
def x():
    return dg.tensor([1.0, 2.0, 3.0])


def test_tangents_go_along(x):
    with fw.dual_level():
        y = fw.unpack_dual(fw.make_dual(x, dg.ones(3)) ** 2)
    assert (y.primal.tolist(), y.tangent.tolist()) == ([1, 4, 9], [2, 4, 6])


def test_what_carries_no_tangent_has_none(x):
    with fw.dual_level():
        assert fw.unpack_dual(x) == (x, None)
        d = fw.make_dual(x, x)
        assert fw.unpack_dual(d.detach()).tangent is None
        assert fw.unpack_dual(d.int()).tangent is None
    assert fw.unpack_dual(x).tangent is None


def test_a_dual_tensor_prints_its_tangent(x):
    with fw.dual_level():
        d = fw.make_dual(x, 2 * x)
        assert repr(d) == "tensor([1., 2., 3.], tangent=tensor([2., 4., 6.]))"
        assert repr(d[0]) == "tensor(1., tangent=2.0)"


def test_writes_carry_tangents_in(x):
    with fw.dual_level():
        d, y = fw.make_dual(x, x), dg.ones(3)
        y.mul_(d)
        y[0] = d[2]
        assert fw.unpack_dual(y).tangent.tolist() == [3, 2, 3]


def test_a_tangent_can_be_differentiated_backwards():
    p = dg.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        y = fw.unpack_dual((fw.make_dual(p, dg.ones(2)) ** 3).sum())
    (g,) = dg.autograd.grad(y.tangent, p)
    assert g.tolist() == [6, 12]


def test_a_gradient_carries_a_tangent():
    p = dg.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        d = fw.make_dual(p, dg.ones(2))
        y = (d**3).sum()
        assert y.requires_grad
        for by in (p, d):
            (g,) = dg.autograd.grad(y, by, retain_graph=True)
            assert fw.unpack_dual(g).tangent.tolist() == [6, 12]


def test_levels_nest(x):
    one = dg.tensor(1.0)
    with fw.dual_level() as outer:
        a = fw.make_dual(dg.tensor(3.0), one)
        with fw.dual_level():
            inner = fw.unpack_dual(fw.make_dual(a, one) ** 3).tangent
        second = fw.unpack_dual(inner, level=outer)
    assert (second.primal.item(), second.tangent.item()) == (27, 18)


def test_after_the_level_a_tensor_has_no_tangent(x):
    with fw.dual_level():
        d = fw.make_dual(x, x)
    primal, tangent = fw.unpack_dual(d)
    assert (primal.numpy().tolist(), tangent) == ([1, 2, 3], None)


def test_an_error_ends_the_level(x):
    with pytest.raises(ZeroDivisionError), fw.dual_level():
        1 / 0  # noqa: B018
    with pytest.raises(TapeError):
        fw.make_dual(x, x)


def test_levels_by_hand(x):
    level = fw.enter_dual_level()
    with pytest.raises(TransformError, match="not the last one"):
        fw.exit_dual_level(level=level - 1)
    fw.exit_dual_level(level=level)
    with pytest.raises(TransformError, match="positive number"):
        fw.exit_dual_level()


def test_misuse_is_refused_in_words(x):
    with pytest.raises(TapeError, match=r"no level exists, make sure to enter_dual_level\(\)"):
        fw.make_dual(x, x)
    with fw.dual_level():
        with pytest.raises(TransformError, match="different size"):
            fw.make_dual(x, dg.ones(2))
        with pytest.raises(NotDifferentiableError, match="primal to be floating point"):
            fw.make_dual(dg.tensor([1]), dg.ones(1))
        with pytest.raises(NotDifferentiableError, match="tangent to be floating point"):
            fw.make_dual(dg.ones(1), dg.tensor([1]))
        with pytest.raises(TransformError, match="already has a forward gradient"):
            fw.make_dual(fw.make_dual(x, x), x)
        with pytest.raises(TypeError, match="takes tensors"):
            fw.make_dual(3.0, x)
        with pytest.raises(TransformError, match="tangent would be lost"):
            fw.make_dual(x, x).numpy()
    assert np.asarray(x).tolist() == [1, 2, 3]
