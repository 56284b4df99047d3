"""Times of events: against closed forms, with two orders of derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import staticgrad as sg
from gradops.core.errors import OptionError
from gradops.scipy import integrate

of_scipy = pytest.importorskip("scipy.integrate")

H, U, G = 10.0, 3.0, 9.8
ROOT = np.sqrt(U * U + 2 * G * H)  # of the fall from the height H with the speed U upwards
BY_ALL = np.array([1 / ROOT, (1 + U / ROOT) / G, -(U + ROOT) / G**2 + H / ROOT / G])


def fall(t, y, g):
    return [y[1], -g]


def lands(t, y, g):
    return y[0]


lands.terminal, lands.direction = True, -1


def turns(t, y, g):
    return y[1]


def falling(**more):
    v = dg.tensor([H, U, G], dtype=dg.float64, requires_grad=True)
    given = {"events": [lands, turns], "rtol": 1e-9, "atol": 1e-11}
    return v, integrate.solve_ivp(fall, (0, 100.0), v[:2], args=(v[2],), **given | more)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
def test_the_time_of_an_event_has_derivatives_of_two_orders(method):
    v, sol = falling(method=method)
    (landed,), (turned,) = sol.t_events
    assert_allclose(landed.item(), (U + ROOT) / G, rtol=1e-8)
    (grad,) = dg.autograd.grad(landed, v, create_graph=True)
    assert_allclose(grad.detach().numpy(), BY_ALL, rtol=1e-6)
    (second,) = dg.autograd.grad(grad[0], v)
    assert_allclose(second.numpy(), np.array([-G, -U, -H]) / ROOT**3, rtol=1e-5)
    (grad,) = dg.autograd.grad(turned, v)
    assert_allclose(grad.numpy(), [0, 1 / G, -U / G**2], rtol=1e-6, atol=1e-9)


def test_the_state_at_an_event_and_the_end_move_with_it():
    v, sol = falling()
    assert (sol.status, sol.t[-1].item()) == (1, sol.t_events[0][0].item())
    for speed in (sol.y_events[0][0, 1], sol.y[1, -1]):
        (grad,) = dg.autograd.grad(speed, v, retain_graph=True)
        assert_allclose(grad.numpy(), -np.array([G, U, H]) / ROOT, rtol=1e-6)
    (grad,) = dg.autograd.grad(sol.t[-1], v)
    assert_allclose(grad.numpy(), BY_ALL, rtol=1e-6)


def test_values_are_those_of_scipy():
    times = np.linspace(0, 5, 50)
    for t_eval in (None, times):
        _, sol = falling(t_eval=t_eval)
        want = of_scipy.solve_ivp(fall, (0, 100.0), [H, U], args=(G,), t_eval=t_eval, rtol=1e-9,
                                  atol=1e-11, events=[lands, turns])  # fmt: skip
        assert_allclose(
            np.asarray(sol.t.detach().numpy() if t_eval is None else sol.t), want.t, rtol=1e-9
        )
        assert_allclose(sol.y.detach().numpy(), want.y, rtol=1e-9, atol=1e-9)
        assert (sol.status, sol.nfev) == (want.status, want.nfev)


def test_an_event_that_does_not_happen_has_no_times():
    _, sol = falling(events=lambda t, y, g: y[0] + 1e9)
    assert len(sol.t_events[0]) == 0
    assert len(sol.y_events[0]) == 0
    assert sol.status == 0


def test_an_event_at_the_start():
    v, sol = falling(events=lambda t, y, g: y[0] - H)
    (grad,) = dg.autograd.grad(sol.t_events[0][-1], v)
    assert_allclose(grad.numpy(), [1 / U, 2 / G, -2 * U / G**2], rtol=1e-6)


def test_graphs_have_no_events():
    with sg.Graph().as_default():
        y0 = sg.placeholder(np.float64, (2,))
    with pytest.raises(OptionError, match="or on the events"):
        integrate.solve_ivp(fall, (0, 1.0), y0, t_eval=[1.0], events=lands, args=(1.0,))
