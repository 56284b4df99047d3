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
        assert sol.status == want.status
        assert want.nfev <= sol.nfev <= 7 / 6 * want.nfev  # a step evaluates its first stage anew


def test_an_event_that_does_not_happen_has_no_times():
    _, sol = falling(events=lambda t, y, g: y[0] + 1e9)
    assert len(sol.t_events[0]) == 0
    assert len(sol.y_events[0]) == 0
    assert sol.status == 0


def test_an_event_at_the_start():
    v, sol = falling(events=lambda t, y, g: y[0] - H)
    (grad,) = dg.autograd.grad(sol.t_events[0][-1], v)
    assert_allclose(grad.numpy(), [1 / U, 2 / G, -2 * U / G**2], rtol=1e-6)


@pytest.mark.parametrize("method", ["RK45", "Tsit5", "RK4", "Radau"])
def test_events_of_graphs(tmp_path, method):
    step = {"step": 0.05} if method == "RK4" else {"rtol": 1e-9, "atol": 1e-11}
    with sg.Graph().as_default():
        v = sg.placeholder(np.float64, (3,), name="v")
        sol = integrate.solve_ivp(fall, (0, 100.0), v[:2], method, [0.1, 50.0], events=lands,
                                  args=(v[2],), **step)  # fmt: skip
        (time,), ((_, speed),) = sol.t_events[0], sol.y_events[0]
        (by_v,) = sg.gradients(time, [v])
        (second,) = sg.gradients(by_v[0], [v])
        (of_speed,) = sg.gradients(speed, [v])
        graph = sg.freeze([time, by_v, second, of_speed, sol.y], [v])
    sg.save(graph, tmp_path / "fall.sg")
    for each in graph, sg.load(tmp_path / "fall.sg"):
        time, by_v, second, of_speed, y = sg.compile(each)(np.array([H, U, G]))
        assert_allclose(time, (U + ROOT) / G, rtol=1e-8)
        assert_allclose(by_v, BY_ALL, rtol=1e-6)
        assert_allclose(second, np.array([-G, -U, -H]) / ROOT**3, rtol=1e-5)
        assert_allclose(of_speed, -np.array([G, U, H]) / ROOT, rtol=1e-6)
        assert_allclose(y[:, 0], [H + 0.1 * U - G * 0.005, U - 0.1 * G])
        assert np.isnan(y[:, 1]).all()


def oscillate(t, y, w):
    return [y[1], -w * w * y[0]]


def crosses(t, y, w):
    return y[0]


def test_what_does_not_happen_in_a_graph_is_nan_and_moves_nothing():
    never = lambda t, y, w: y[0] - 5
    crosses.terminal, never.terminal = 4, 1

    @sg.function
    def times(y0, w, end):
        sol = integrate.solve_ivp(oscillate, (0, end), y0, "DOP853", [1.0], events=[crosses, never],
                                  args=(w,), rtol=1e-10, atol=1e-12)  # fmt: skip
        return sol.t_events[0], sol.t_events[1], np.sum(sol.t_events[0][:3])

    y0, w, want = np.array([1.0, 0.0]), 2.0, np.pi * np.array([0.25, 0.75, 1.25, 1.75])
    assert_allclose(times(y0, w, 9.0)[0], want, rtol=1e-9)
    found, nothing, _ = times(y0, w, 4.0)
    assert_allclose(found, [*want[:3], np.nan], rtol=1e-9)
    assert np.isnan(nothing).all()
    (by_w,) = (dg.grad(lambda w: times(y0, w, 4.0)[2])(w),)
    assert_allclose(by_w, -want[:3].sum() / w, rtol=1e-8)


def test_an_event_that_may_happen_any_number_of_times_is_refused_in_graphs():
    with sg.Graph().as_default():
        y0 = sg.placeholder(np.float64, (2,))
    with pytest.raises(OptionError, match="how often event 0"):
        integrate.solve_ivp(fall, (0, 1.0), y0, t_eval=[1.0], events=turns, args=(1.0,))
    with pytest.raises(OptionError, match="give t_eval"):
        integrate.solve_ivp(fall, (0, 1.0), y0, events=lands, args=(1.0,))


@pytest.mark.parametrize("method", ["Tsit5", "RK4", "Heun"])
def test_events_of_our_schemes(method):
    step = {"step": 0.01} if method != "Tsit5" else {"rtol": 1e-10, "atol": 1e-12}
    v = dg.tensor([1.0, 0.0, 2.0], dtype=dg.float64, requires_grad=True)
    crosses.terminal = 2
    sol = integrate.solve_ivp(
        oscillate, (0, 9.0), v[:2], method, args=(v[2],), events=crosses, **step
    )
    close = {"rtol": 1e-3 if method == "Heun" else 1e-7}
    assert_allclose(sol.t_events[0].detach(), np.pi * np.array([0.25, 0.75]), **close)
    assert sol.t[-1].item() == sol.t_events[0][-1].item()
    (by_v,) = dg.autograd.grad(sol.t_events[0][1], v)
    assert_allclose(by_v, [0, 0.25, -np.pi * 0.375], atol=1e-3 if method == "Heun" else 1e-7)


@pytest.mark.parametrize("method", ["RK45", "Tsit5", "Radau", "LSODA"])
def test_a_span_that_is_no_number_has_no_events(method):
    end = sg.placeholder("float64", ())
    half = lambda t, y: y[0] - 0.5
    half.terminal = 2
    sol = integrate.solve_ivp(
        lambda t, y: -y, (0.0, end), [1.0], method, np.array([0.1]), events=half
    )
    results = sg.compile([sol.y, sol.t_events[0], sol.y_events[0]], [end])(np.nan)
    assert all(np.isnan(x).all() for x in results)
