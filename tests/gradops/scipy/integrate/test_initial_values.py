"""Initial value problems: SciPy's values, and derivatives by all that they depend on."""

import functools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import ConvergenceWarning, DTypeError, OptionError, ShapeError
from gradops.kernels.odes.tableaus import EXPLICIT, FIXED, SCIPY, tableau
from gradops.scipy import integrate
from gradops.testing.finite_differences import derivative

of_scipy = pytest.importorskip("scipy.integrate")

STIFF = ["Radau", "BDF", "LSODA"]
ADAPTIVE = [*SCIPY, "Tsit5", *STIFF]
TOLERANCE = {
    "RK23": 1e-5,
    "Radau": 1e-5,
    "BDF": 1e-5,
    "LSODA": 1e-5,
}  # of derivatives; others are nearer


def fun(t, y, a, b):
    """Two species, with a term that depends on the time."""
    return gradops.stack(
        [a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - 0.8 * y[1] + gradops.sin(t)]
    )


def plain(t, y, a, b):
    return [a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - 0.8 * y[1] + np.sin(t)]


def jacobian(t, y, a, b):
    return [[a - b * y[1], -b * y[0]], [b * y[1], b * y[0] - 0.8]]


V = np.array([1.0, 2.0, 1.1, 0.4, 0.1, 2.0, 0.5, 1.2])  # start, parameters, span, times
D = np.array([0.3, -0.2, 0.5, 0.7, 0.2, 0.1, -0.3, 0.4])
EXACT = {"rtol": 1e-10, "atol": 1e-11}


def options(method):
    loose = {"rtol": 1e-7, "atol": 1e-8}  # for many small steps take long
    return {"step": 0.05} if method in FIXED else loose if method in ("RK23", "Radau") else EXACT


def loss(method, **more):
    """A number of all states, as a function of all that they depend on."""

    def f(v):
        given = options(method) | more
        sol = integrate.solve_ivp(
            fun, (v[4], v[5]), v[:2], method, v[6:], args=(v[2], v[3]), **given
        )
        return gradops.sum(sol.y**2 * np.arange(1.0, 5.0).reshape(2, 2))

    return f


def gradient(f, v):
    t = dg.tensor(v, requires_grad=True)
    return dg.autograd.grad(f(t), t)[0].numpy()


@pytest.mark.parametrize("method", ADAPTIVE)
@pytest.mark.parametrize("span", [(0.0, 3.0), (3.0, 0.0)])
def test_values_are_those_of_scipy(method, span):
    times = np.linspace(*span, 7)
    args, y0 = (1.1, 0.4), dg.tensor([1.0, 2.0], dtype=dg.float64, requires_grad=True)
    sol = integrate.solve_ivp(plain, span, y0, method, times, args=args, rtol=1e-6, atol=1e-8)
    if method in (*SCIPY, *STIFF):
        given = (plain, span, [1.0, 2.0], method, times)
        want, tolerance = of_scipy.solve_ivp(*given, args=args, rtol=1e-6, atol=1e-8).y, 1e-9
    else:
        given = (plain, span, [1.0, 2.0], "DOP853", times)
        want, tolerance = of_scipy.solve_ivp(*given, args=args, rtol=1e-11, atol=1e-12).y, 1e-5
    assert_allclose(sol.y.detach().numpy(), want, rtol=1e-5 if method in STIFF else tolerance)
    assert sol.success
    assert sol.status == 0


def quotients(f):
    """The gradient by difference quotients."""
    return [derivative(lambda h, e=e: float(f(V + h.real * e)))[0] for e in np.eye(len(V))]


@functools.cache
def exact_gradient():
    """That of the solution itself: the same for all methods that choose their steps."""
    return quotients(loss("DOP853", rtol=1e-12, atol=1e-13))


@pytest.mark.parametrize("method", [*ADAPTIVE, "RK4"])
def test_derivatives_of_two_orders(method):
    f, near = loss(method), TOLERANCE.get(method, 1e-7)
    t = dg.tensor(V, requires_grad=True)
    (grad,) = dg.autograd.grad(f(t), t, create_graph=True)
    want = quotients(f) if method == "RK4" else exact_gradient()
    scale = np.abs(want).max()
    part = slice(None, 4) if method == "RK4" else slice(None)  # the span moves its steps
    assert_allclose(grad.detach().numpy()[part], want[part], rtol=near, atol=near * scale)
    assert_allclose(gradops.jvp(f, [V], [D])[1], grad.detach().numpy() @ D, rtol=near)
    (second,) = dg.autograd.grad((grad * D).sum(), t)
    more, _ = derivative(lambda h: gradient(f, V + h.real * D))
    scale = np.abs(more).max()
    assert_allclose(second.numpy(), more, rtol=10 * near, atol=10 * near * scale)
    twice = gradops.jvp(lambda v: gradops.jvp(f, [v], [D])[1], [V], [D])[1]
    assert_allclose(twice, second.numpy() @ D, rtol=100 * near)


@pytest.mark.parametrize("method", [*ADAPTIVE, "RK4"])
def test_graph_and_tape_agree(method):
    f = loss(method)
    t = dg.tensor(V, requires_grad=True)
    (grad,) = dg.autograd.grad(f(t), t, create_graph=True)
    (second,) = dg.autograd.grad((grad * D).sum(), t)
    with sg.Graph().as_default():
        p = sg.placeholder(np.float64, V.shape)
        (g,) = sg.gradients(f(p), p)
        (forward,) = sg.jvp([g], [p], [sg.constant(D)])
        run = sg.compile([f(p), g, *sg.gradients(sg.reduce_sum(g * D), p), forward], [p])
    y, g, h, forth = run(V)
    assert_allclose(y, f(V), rtol=1e-9)
    assert_allclose(g, grad.detach().numpy(), rtol=1e-6, atol=1e-8)
    assert_allclose(h, second.numpy(), rtol=1e-5, atol=1e-6)
    near = 1e3 * TOLERANCE.get(method, 1e-7)  # of other equations, whose steps are others
    assert_allclose(forth, h, rtol=near, atol=near * np.abs(h).max())


@pytest.mark.parametrize("method", EXPLICIT)
def test_the_discrete_adjoint_is_that_of_the_steps(method):
    """Both modes differentiate the steps that were taken, so they agree whatever the tolerance."""
    given = {"rtol": 1e-2, "atol": 1e-2} if method not in FIXED else {}
    f = lambda v: loss(method, **given)(gradops.concatenate([v, V[4:]]))
    slope = gradops.jvp(f, [V[:4]], [D[:4]])[1]
    assert_allclose(gradient(f, V[:4]) @ D[:4], slope, rtol=1e-12)


@pytest.mark.parametrize("method", FIXED)
def test_derivatives_of_fixed_steps_are_exact(method):
    f = lambda v: loss(method)(gradops.concatenate([v, V[4:]]))
    want, _ = derivative(lambda h: float(f(V[:4] + h.real * D[:4])))
    assert_allclose(gradient(f, V[:4]) @ D[:4], want, rtol=1e-10)


@pytest.mark.parametrize("method", EXPLICIT)
def test_tableaus_satisfy_the_conditions_of_their_order(method):
    order = {"RK23": 3, "RK45": 5, "Tsit5": 5, "DOP853": 8, "Euler": 1, "Midpoint": 2, "Heun": 2,
             "RK4": 4}[method]  # fmt: skip
    scheme = tableau(method)
    nodes = np.array([0.0, *scheme.nodes])[: len(scheme.result)]
    for k in range(order):
        assert_allclose(scheme.result @ nodes**k, 1 / (k + 1), rtol=1e-12)
    for row, node in zip(scheme.rows, scheme.nodes, strict=True):
        assert_allclose(sum(row), node, atol=1e-12)
    ends = scheme.weights_at(np.array([0.0, 1.0]))
    assert_allclose(ends[0], 0, atol=1e-12)
    assert_allclose(ends[1][: len(scheme.result)], scheme.result, atol=1e-12)


def test_steps_of_the_solver_are_the_times_of_the_result():
    y0 = dg.tensor([1.0, 2.0], dtype=dg.float64, requires_grad=True)
    for method in ("RK45", "Radau"):
        sol = integrate.solve_ivp(plain, (0, 2), y0, method, args=(1.1, 0.4))
        jac = {} if method == "RK45" else {"jac": jacobian}
        want = of_scipy.solve_ivp(plain, (0, 2), [1.0, 2.0], method, args=(1.1, 0.4), **jac)
        assert_allclose(sol.t, want.t, rtol=1e-6)
        assert_allclose(sol.y.detach().numpy(), want.y, rtol=1e-6)
    sol = integrate.solve_ivp(plain, (0, 2), y0, "Tsit5", args=(1.1, 0.4))
    assert sol.t[-1] == 2
    assert sol.y.shape == (2, len(sol.t))


def test_the_last_time_moves_with_the_end_of_the_span():
    end = dg.tensor(1.0, dtype=dg.float64, requires_grad=True)
    sol = integrate.solve_ivp(lambda t, y: -y, (0, end), [1.0], rtol=1e-9, atol=1e-11)
    (slope,) = dg.autograd.grad(sol.y[0, -1], end)
    assert_allclose(slope.numpy(), -np.exp(-1), rtol=1e-6)


def test_dense_output_is_a_function_with_derivatives():
    k = dg.tensor(2.0, dtype=dg.float64, requires_grad=True)
    sol = integrate.solve_ivp(lambda t, y: -k * y, (0, 1), [1.0], dense_output=True, **EXACT).sol
    t = dg.tensor([0.9, 0.3], dtype=dg.float64, requires_grad=True)
    y = sol(t)
    assert_allclose(y.detach().numpy()[0], np.exp([-1.8, -0.6]), rtol=1e-8)
    by_k, by_t = dg.autograd.grad(y.sum(), [k, t])
    assert_allclose(by_k.numpy(), -0.9 * np.exp(-1.8) - 0.3 * np.exp(-0.6), rtol=1e-7)
    assert_allclose(by_t.numpy(), -2 * np.exp([-1.8, -0.6]), rtol=1e-7)
    assert sol(0.5).shape == (1,)
    assert np.isnan(sol(2.0).item())


@pytest.mark.parametrize("memory", [1, 200, None])
def test_less_memory_gives_the_same_gradient(memory):
    f = loss("RK45", memory_budget=memory)
    assert_allclose(gradient(f, V), gradient(loss("RK45"), V), rtol=1e-13)


def test_odeint_has_scipys_values_and_derivatives():
    times = np.linspace(0, 2, 5)
    swapped = lambda y, t, a, b: plain(t, y, a, b)
    args = (dg.tensor(1.1, dtype=dg.float64, requires_grad=True), 0.4)
    y = integrate.odeint(swapped, [1.0, 2.0], times, args)
    want = of_scipy.odeint(swapped, [1.0, 2.0], times, (1.1, 0.4))
    assert_allclose(y.detach().numpy(), want, rtol=1e-6)
    (grad,) = dg.autograd.grad((y**2).sum(), args[0])
    exact = lambda a: (
        of_scipy.odeint(swapped, [1.0, 2.0], times, (a, 0.4), rtol=1e-12, atol=1e-12) ** 2
    ).sum()
    assert_allclose(grad.numpy(), (exact(1.1 + 1e-5) - exact(1.1 - 1e-5)) / 2e-5, rtol=1e-5)
    first = integrate.odeint(lambda t, y: -y, 1.0, times, tfirst=True)
    assert_allclose(first[:, 0], np.exp(-times), rtol=1e-6)


def test_arrays_have_scipys_result():
    given = (plain, (0, 2), [1.0, 2.0])
    got, want = (
        m.solve_ivp(*given, args=(1.1, 0.4), dense_output=True) for m in (integrate, of_scipy)
    )
    assert np.array_equal(got.y, want.y)
    assert got.nfev == want.nfev
    assert np.array_equal(got.sol(1.0), want.sol(1.0))


def test_a_stiff_problem_has_its_gradient():
    """Robertson's kinetics, whose rates differ by nine orders of magnitude."""
    rates = np.array([0.04, 1e4, 3e7])

    def kinetics(t, y, k):
        slow, fast = k[0] * y[0], k[1] * y[1] * y[2]
        return gradops.stack([fast - slow, slow - fast - k[2] * y[1] ** 2, k[2] * y[1] ** 2])

    def f(k):
        sol = integrate.solve_ivp(kinetics, (0, 40.0), [1.0, 0.0, 0.0], "Radau", [4.0, 40.0],
                                  args=(k,), rtol=1e-8, atol=1e-12)  # fmt: skip
        return gradops.sum(sol.y[2])

    want = [derivative(lambda h, e=e: float(f(rates * (1 + h.real * e))))[0] for e in np.eye(3)]
    assert_allclose(gradient(f, rates) * rates, want, rtol=1e-5)


def test_a_solution_that_blows_up_says_so():
    y0 = dg.tensor([1.0], dtype=dg.float64, requires_grad=True)
    sol = integrate.solve_ivp(lambda t, y: y * y, (0, 2), y0, t_eval=[0.5, 1.5])
    assert not sol.success
    assert "step size" in sol.message
    assert sol.y.shape == (1, 1)
    with pytest.warns(ConvergenceWarning, match="ends early"):
        sol.y[0, 0].backward()
    assert_allclose(y0.grad.numpy(), 4.0, rtol=1e-2)


ENDS = pytest.mark.parametrize(
    ("method", "more"), [*((m, {}) for m in ADAPTIVE), ("RK4", {"step": 0.1})]
)


@ENDS
@pytest.mark.parametrize("t_eval", [None, [1.0]])
def test_no_number_in_the_derivative_is_named(method, more, t_eval):
    y0 = dg.tensor([1.0], dtype=dg.float64, requires_grad=True)
    sol = integrate.solve_ivp(lambda t, y: y * np.nan, (0, 2), y0, method, t_eval, **more)
    if method == "RK4":  # whose steps look at nothing
        assert np.isnan(sol.y[0, -1].item())
        return
    assert not sol.success
    assert "not finite" in sol.message or "no number" in sol.message
    with pytest.warns(ConvergenceWarning, match="ends early"):
        dg.autograd.grad(sol.y.sum(), y0)


@ENDS
@pytest.mark.parametrize("t_eval", [None, [0.2, 1.0]])
def test_a_solution_that_becomes_infinite_ends(method, more, t_eval):
    y0 = dg.tensor([1.0], dtype=dg.float64, requires_grad=True)
    if method == "RK4":
        return
    sol = integrate.solve_ivp(lambda t, y: 2 * y * y, (0, 1), y0, method, t_eval)
    assert not sol.success
    assert sol.message


@ENDS
def test_an_interrupt_ends_a_run_and_loses_nothing(method, more):
    y0 = dg.tensor([1.0], dtype=dg.float64, requires_grad=True)
    calls = []

    def decay(t, y):
        calls.append(t)
        if len(calls) == 9:
            raise KeyboardInterrupt
        return -y

    with pytest.raises(KeyboardInterrupt):
        integrate.solve_ivp(decay, (0, 2), y0, method, **more)
    sol = integrate.solve_ivp(decay, (0, 2), y0, method, **more)
    (grad,) = dg.autograd.grad(sol.y[0, -1], y0)
    assert_allclose(grad, np.exp(-2), rtol=2e-2)


@pytest.mark.parametrize("method", [*EXPLICIT, *STIFF])
@pytest.mark.parametrize("t_span", [
    (0.0, 1.0), (1.0, 0.0), (0.5, 0.5), (0.0, np.nan), (np.nan, 1.0), (np.nan, np.nan),
])  # fmt: skip
def test_states_outside_of_the_span_are_nan(method, t_span):
    start, begin, end = [sg.placeholder("float64", ()) for _ in range(3)]
    times = sg.placeholder("float64", (7,))
    y = integrate.solve_ivp(
        lambda t, y: -y, (begin, end), [start], method, times, **options(method)
    ).y[0]
    reached = ~gradops.isnan(y)
    (g,) = sg.gradients(gradops.sum(gradops.where(reached, y, 0.0)), [start])
    at = np.array([0.5, -0.5, 1.5, 0.0, np.nan, 1.0, 0.2])
    found, slope = sg.compile([y, g], [start, begin, end, times])(2.0, *t_span, at)
    inside = (at == t_span[0]) | ((at >= np.min(t_span)) & (at <= np.max(t_span)))
    want = np.where(inside, np.exp(t_span[0] - at), np.nan)
    wide = {"Euler": 0.2}.get(method, 1e-3)
    assert_allclose(found, 2 * want, rtol=wide)
    assert_allclose(slope, np.nansum(want), rtol=wide)


@pytest.mark.parametrize("method", ["RK45", "Tsit5", *STIFF])
def test_dense_output_is_nan_outside_of_the_span(method):
    start = dg.tensor([1.0], dtype=dg.float64, requires_grad=True)
    sol = integrate.solve_ivp(
        lambda t, y: -y, (0, 1), start, method, dense_output=True, **options(method)
    ).sol
    y = sol(np.array([0.5, 2.0, -1.0]))[0]
    assert_allclose(y.detach().numpy(), [np.exp(-0.5), np.nan, np.nan], rtol=1e-5)


def test_nothing_to_solve():
    y0 = dg.tensor([1.0, 2.0], dtype=dg.float64, requires_grad=True)
    for method in ("RK45", "Radau"):
        sol = integrate.solve_ivp(plain, (1.0, 1.0), y0, method, [1.0], args=(1.0, 1.0))
        assert_allclose(sol.y.detach().numpy()[:, 0], [1, 2])
        (grad,) = dg.autograd.grad(sol.y.sum(), y0)
        assert_allclose(grad.numpy(), 1)


def solve(**changes):
    given = {"fun": lambda t, y: -y, "t_span": (0, 1), "y0": dg.tensor([1.0], requires_grad=True)}
    return integrate.solve_ivp(**given | changes)


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"method": "RK46"}, OptionError, "no method 'RK46'"),
        ({"tolerance": 1}, OptionError, "no option tolerance"),
        ({"rtol": -1.0}, OptionError, "not negative"),
        ({"atol": [1.0, 2.0]}, OptionError, "has not 1 entries"),
        ({"method": "RK4"}, OptionError, "needs the size `step`"),
        ({"step": 0.1}, OptionError, "finds the sizes"),
        ({"max_step": 0.0}, OptionError, "max_step"),
        ({"y0": dg.tensor([1j], requires_grad=True)}, DTypeError, "vector of real numbers"),
        ({"t_eval": [0.5, 2.0]}, OptionError, "in the span"),
        ({"t_eval": [0.5, 0.2]}, OptionError, "in order"),
        ({"fun": lambda t, y: [y[0], y[0]]}, ShapeError, "has 1 entries, and its derivative"),
        ({"fun": lambda t, y: None}, ShapeError, "returned None"),
        ({"t_span": (0, np.nan)}, OptionError, "the span is from 0.0 to nan"),
    ],
)
def test_errors_say_what_is_wrong(changes, error, says):
    with pytest.raises(error, match=says):
        solve(**changes)


def test_a_graph_asks_for_times():
    with sg.Graph().as_default():
        with pytest.raises(OptionError, match="give t_eval"):
            solve(y0=sg.placeholder(np.float64, (1,)))
        with pytest.raises(ShapeError, match="of the state is not known"):
            solve(y0=sg.placeholder(np.float64, (None,)), t_eval=[1.0])
