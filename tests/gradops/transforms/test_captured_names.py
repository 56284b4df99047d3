"""Tensors that functions read by name, as arguments."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
from gradops import TransformError
from gradops.scipy import integrate
from gradops.transforms.captured_names import with_captures

pytest.importorskip("scipy")

K = 1.3
FAR = dg.tensor(K, dtype=dg.float64, requires_grad=True)
UNREAD = dg.tensor(1.0, requires_grad=True)


def tensor():
    return dg.tensor(K, dtype=dg.float64, requires_grad=True)


def test_variables_around_a_function_are_arguments():
    near, plain = tensor(), 2.0

    def f(x, *, scale=3.0):
        inner = lambda: x * near * FAR
        return (
            inner() * plain * scale + x.UNREAD if hasattr(x, "UNREAD") else inner() * plain * scale
        )

    (g,), args = with_captures([f], [5.0])
    assert {id(a) for a in args[1:]} == {id(near), id(FAR)}
    assert g(1.0, 10.0, 100.0) == 6000.0
    assert f(1.0).item() == pytest.approx(6 * K * K)  # as it was


def test_functions_share_what_they_read_and_others_take_it_in_vain():
    k = tensor()
    (f, g, h), args = with_captures([lambda x: x * k, lambda x: x + k, np.sin], [1.0])
    assert len(args) == 2
    assert (f(1.0, 5.0), g(1.0, 5.0), h(0.0, 5.0)) == (5.0, 6.0, 0.0)


def derivatives(y, k):
    found = []
    for _ in range(3):
        (y,) = dg.autograd.grad(y, k, create_graph=True)
        found.append(y.item())
    return found


@pytest.mark.parametrize("method", ["RK45", "Tsit5", "Radau", "RK4"])
def test_solutions_have_derivatives_of_three_orders_by_what_is_captured(method):
    more = {"step": 0.05} if method == "RK4" else {"rtol": 1e-7, "atol": 1e-9}
    near = tensor()
    for k, f in ((near, lambda t, y: -near * near * y), (FAR, lambda t, y: -FAR * FAR * y)):
        y = integrate.solve_ivp(f, (0, 1), [1.0], method, [1.0], **more).y[0, 0]
        want = np.exp(-K * K) * np.array([-2 * K, 4 * K * K - 2, 12 * K - 8 * K**3])
        assert_allclose(derivatives(y, k), want, rtol=1e-4)


def test_what_is_captured_in_an_object_has_one_derivative_and_no_wrong_second_one():
    class Model:
        k = tensor()

        def __call__(self, t, y):
            return -self.k * self.k * y

    model = Model()
    y = integrate.solve_ivp(model, (0, 1), [1.0], t_eval=[1.0], rtol=1e-9, atol=1e-11).y[0, 0]
    (first,) = dg.autograd.grad(y, model.k, create_graph=True)
    assert_allclose(first.item(), -2 * K * np.exp(-K * K), rtol=1e-7)
    with pytest.raises(TransformError, match="give the tensor to the function as an argument"):
        dg.autograd.grad(first, model.k)


def test_the_time_of_an_event_has_two_derivatives_by_what_is_captured():
    g = dg.tensor(9.8, dtype=dg.float64, requires_grad=True)
    lands = lambda t, y: y[0]
    lands.terminal = True
    sol = integrate.solve_ivp(
        lambda t, y: [y[1], -g], (0, 9), [10.0, 0.0], events=lands, rtol=1e-10
    )
    time = sol.t_events[0][0]
    (first,) = dg.autograd.grad(time, g, create_graph=True)
    (second,) = dg.autograd.grad(first, g)
    t = np.sqrt(20 / 9.8)
    found = [x.item() for x in (time, first, second)]
    assert_allclose(found, [t, -t / 2 / 9.8, 0.75 * t / 9.8**2], rtol=1e-6)
