"""Programs that write through views, under every transform: all that share memory see it."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import TransformError

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]) / 3
T = np.arange(1.0, 7.0).reshape(3, 2)


def through_a_row(v, x):
    row = v[0]
    row *= x[1]


def through_a_chain(v, x):
    turned = v.T
    turned[0] = x[0, 0]
    turned += 1
    turned[1:][:, :2] *= x[0, 1]


def two_views_in_turn(v, x):
    flat, turned = v.reshape(-1), v.T
    flat[0] = x[1, 1]
    turned *= np.arange(3.0)
    v *= x
    flat += turned[0, 2]


def through_the_base(v, x):
    rows = v[1:]
    v **= 2
    v += np.sum(rows)


def with_out(v, x):
    np.sum(x, axis=0, out=v[0])
    np.cumsum(x, axis=1, out=v)


def not_through_a_copy(v, x):
    copied = v.T.reshape(-1)
    copied *= 2.0
    v += copied[1]


PROGRAMS = [
    through_a_row, through_a_chain, two_views_in_turn, through_the_base, with_out,
    not_through_a_copy,
]  # fmt: skip
every_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)


def scalar(program):
    def f(x):
        v = x * 1.0
        program(v, x)
        return np.sum(v**2)

    return f


def gradient_of(f, x):
    steps = 1e-6 * np.eye(x.size).reshape(-1, *x.shape)
    return np.reshape([(f(x + h) - f(x - h)) / 2e-6 for h in steps], x.shape)


@every_program
def test_gradients_tangents_and_batches_see_writes_through_views(program):
    f = scalar(program)
    g = gradient_of(f, X)
    near = lambda found, wanted: np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
    near(dg.grad(f)(X), g)
    near(dg.func.jacfwd(f)(X), g)
    xs = dg.tensor(np.stack([X, X + 1]))
    near(dg.func.jvp(f, (xs[0],), (dg.tensor(T),))[1], np.sum(g * T))
    near(dg.vmap(f)(xs), [f(X), f(X + 1)])
    near(dg.vmap(dg.func.grad(f))(xs)[0], g)
    near(dg.func.grad(lambda xs: dg.vmap(f)(xs).sum())(xs)[0], g)
    along = (dg.grad(f)(X + 1e-6 * T) - dg.grad(f)(X - 1e-6 * T)) / 2e-6
    near(dg.hvp(f)(X, T), along)


@every_program
def test_a_traced_step_sees_writes_through_views(program):
    def step(x):
        v = x * 1.0
        program(v, x)
        return (v**2).sum()

    x = dg.tensor(X, requires_grad=True)
    assert sg.function(step)(x).item() == step(x).item()


def test_what_a_custom_function_gave_as_a_view_cannot_follow_a_write_of_a_transform():
    class Viewed(dg.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.view(-1)

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g.view(3, 2)

    def f(x):
        v = x * 1.0
        flat = Viewed.apply(v)
        v += 1
        return flat.sum()

    with pytest.raises(TransformError):
        dg.vmap(f)(dg.tensor(np.stack([X, X])))
