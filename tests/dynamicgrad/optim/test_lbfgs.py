"""L-BFGS: PyTorch's iterates, and a step that fails leaves everything as it was."""

import numpy as np
import pytest

import dynamicgrad as dg

OPTIONS = [
    {"lr": 0.01, "max_iter": 3},
    {"lr": 0.01, "history_size": 2, "tolerance_change": 1e-3},
    {"line_search_fn": "strong_wolfe", "max_iter": 4},
    {"line_search_fn": "strong_wolfe", "max_eval": 4, "history_size": 2},
    {"line_search_fn": "strong_wolfe", "tolerance_grad": 1e-2},
]


def loss_of(params):
    """Rosenbrock's valley, and a quartic."""
    x, y = params[0][0], params[0][1]
    quartic = (params[1] ** 4 * 3 - params[1]).sum()
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2 + quartic


def start(lib):
    values = (np.array([-1.2, 1.0]), np.full((2, 2), 0.3))
    return [lib.tensor(v, requires_grad=True) for v in values]


def closure_of(optimizer, params):
    def closure():
        optimizer.zero_grad()
        loss = loss_of(params)
        loss.backward()
        return loss

    return closure


@pytest.mark.peers
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_steps_give_pytorchs_iterates(options):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    ours, theirs = start(dg), start(torch)
    a, b = dg.optim.LBFGS(ours, **options), torch.optim.LBFGS(theirs, **options)
    for _ in range(6):
        x, y = a.step(closure_of(a, ours)), b.step(closure_of(b, theirs))
        np.testing.assert_allclose(x.item(), y.item(), rtol=1e-6, atol=1e-12)
        for p, q in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-6)
        for count in ("func_evals", "n_iter"):
            assert a.state[ours[0]][count] == b.state[theirs[0]][count]


def test_a_search_finds_the_minimum():
    params = start(dg)
    optimizer = dg.optim.LBFGS(params, max_iter=100, line_search_fn="strong_wolfe")
    optimizer.step(closure_of(optimizer, params))
    np.testing.assert_allclose(params[0].tolist(), [1, 1], atol=1e-5)


def test_a_closure_that_fails_leaves_parameters_and_state():
    params = start(dg)
    optimizer = dg.optim.LBFGS(params, lr=0.01, max_iter=3)
    closure = closure_of(optimizer, params)
    optimizer.step(closure)
    before = [p.detach().clone() for p in params]
    state = optimizer.state_dict()
    calls = []

    def failing():
        calls.append(1)
        if len(calls) == 3:
            raise KeyError("data")
        return closure()

    with pytest.raises(KeyError):
        optimizer.step(failing)
    assert all(dg.equal(p, q) for p, q in zip(params, before, strict=True))
    after = optimizer.state_dict()
    assert after["state"][0]["n_iter"] == state["state"][0]["n_iter"]
    assert dg.equal(after["state"][0]["d"], state["state"][0]["d"])


def test_a_saved_state_goes_on_as_if_nothing_had_happened():
    params, others = start(dg), start(dg)
    a, b = (dg.optim.LBFGS(p, lr=0.01, max_iter=3) for p in (params, others))
    a.step(closure_of(a, params))
    for p, q in zip(params, others, strict=True):
        q.data = p.detach().clone()
    b.load_state_dict(a.state_dict())
    a.step(closure_of(a, params))
    b.step(closure_of(b, others))
    assert all(dg.equal(p, q) for p, q in zip(params, others, strict=True))


def test_what_it_cannot_do_is_refused():
    w, v = start(dg)
    with pytest.raises(ValueError, match="only 'strong_wolfe' is supported"):
        dg.optim.LBFGS([w], line_search_fn="armijo")
    with pytest.raises(ValueError, match="parameter groups"):
        dg.optim.LBFGS([{"params": [w]}, {"params": [v]}])
    with pytest.raises(TypeError, match="needs a closure"):
        dg.optim.LBFGS([w]).step()
