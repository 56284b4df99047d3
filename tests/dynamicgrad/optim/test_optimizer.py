"""Groups, hooks, closures and states of optimizers."""

import gc
import pickle
import weakref

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import optim
from gradops import StateFormatError


@pytest.fixture
def w():
    leaf = dg.ones(2, requires_grad=True)
    leaf.grad = dg.ones(2)
    return leaf


def test_groups_have_options_of_their_own(w):
    v = dg.ones(2, requires_grad=True)
    v.grad = dg.ones(2)
    optim.SGD([{"params": [w]}, {"params": v, "lr": 0.5}], lr=0.25).step()
    assert w.tolist() == [0.75, 0.75]
    assert v.tolist() == [0.5, 0.5]


def test_a_group_can_be_added_as_for_what_was_frozen(w):
    optimizer = optim.SGD([w], lr=0.5)
    v = dg.ones(2, requires_grad=True)
    optimizer.add_param_group({"params": [v], "lr": 1.0})
    v.grad = dg.ones(2)
    optimizer.step()
    assert v.tolist() == [0, 0]
    assert optimizer.param_groups[1]["momentum"] == 0


def test_named_parameters_leave_their_names_in_the_group():
    model = dg.nn.Linear(2, 1)
    optimizer = optim.SGD(model.named_parameters())
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert list(optimizer.parameters()) == list(model.parameters())


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        (lambda w: [], ValueError, "empty parameter list"),
        (lambda w: w, TypeError, "iterable of Tensors or dicts"),
        (lambda w: [w * 2], ValueError, "can't optimize a non-leaf Tensor"),
        (lambda w: [3], TypeError, "can only optimize Tensors"),
        (lambda w: [{"params": {w}}], TypeError, "ordered collections"),
        (lambda w: [{"params": w}, {"params": w}], ValueError, "more than one parameter group"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(w, params, error, match):
    with pytest.raises(error, match=match):
        optim.SGD(params(w))


def test_a_parameter_that_comes_twice_in_a_group_is_warned_of(w):
    with pytest.warns(UserWarning, match="duplicate parameters"):
        optim.SGD([w, w])


def test_zero_grad_forgets_gradients_or_sets_them_to_zero(w):
    optimizer = optim.SGD([w])
    kept = w.grad
    optimizer.zero_grad(set_to_none=False)
    assert w.grad.tolist() == [0, 0]
    assert kept.tolist() == [0, 0]
    optimizer.zero_grad()
    assert w.grad is None


def test_zero_grad_cuts_a_gradient_off_from_its_history(w):
    w.grad = w * 2
    optim.SGD([w]).zero_grad(set_to_none=False)
    assert w.grad.grad_fn is None


def test_a_closure_is_recorded_and_its_loss_returned(w):
    optimizer = optim.SGD([w], lr=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with dg.no_grad():
        assert optimizer.step(closure).item() == 2
    assert w.tolist() == [0, 0]


def test_hooks_are_called_around_a_step_until_they_are_removed(w):
    optimizer, calls = optim.SGD([w], lr=0.0), []
    before = optimizer.register_step_pre_hook(lambda o, args, kwargs: calls.append("before"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: calls.append(o))
    optimizer.step()
    before.remove()
    optimizer.step()
    assert calls == ["before", optimizer, optimizer]


def test_a_hook_may_give_the_step_other_arguments(w):
    optimizer = optim.SGD([w])
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((), {"closure": lambda: 3}))
    assert optimizer.step() == 3
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 1)
    with pytest.raises(RuntimeError, match="must return None or a tuple"):
        optimizer.step()


def test_an_optimizer_of_ones_own_has_hooks_and_can_be_scheduled(w):
    class Sign(optim.Optimizer):
        def __init__(self, params, lr=0.5):
            super().__init__(params, {"lr": lr})

        @dg.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p -= group["lr"] * p.grad.sign()

    optimizer, calls = Sign([w]), []
    optimizer.register_step_post_hook(lambda *given: calls.append(given))
    schedule = optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    schedule.step()
    optimizer.step()
    assert w.tolist() == [0.25, 0.25]
    assert len(calls) == 2


def test_a_state_has_pytorchs_layout(w):
    optimizer = optim.Adam([{"params": [w], "lr": 0.5}])
    optimizer.step()
    saved = optimizer.state_dict()
    assert list(saved) == ["state", "param_groups"]
    assert list(saved["state"][0]) == ["step", "exp_avg", "exp_avg_sq"]
    assert saved["state"][0]["step"].item() == 1
    assert saved["param_groups"][0]["params"] == [0]
    assert saved["param_groups"][0]["lr"] == 0.5


def test_a_state_of_other_groups_is_refused_and_changes_nothing(w):
    optimizer = optim.Adam([w], lr=0.5)
    one = optim.Adam([dg.ones(1, requires_grad=True)] * 1).state_dict()
    two = optim.Adam([dg.ones(1, requires_grad=True) for _ in "ab"]).state_dict()
    both = {"state": {}, "param_groups": one["param_groups"] * 2}
    for saved, match in ((two, "doesn't match the size"), (both, "different number")):
        with pytest.raises(ValueError, match=match):
            optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["lr"] == 0.5


def test_a_loaded_state_takes_the_dtype_of_the_parameters_and_is_a_copy(w):
    optimizer = optim.SGD([w], momentum=0.5)
    optimizer.step()
    v = dg.ones(2, dtype="float64", requires_grad=True)
    other = optim.SGD([v])
    saved = optimizer.state_dict()
    other.load_state_dict(saved)
    assert other.state[v]["momentum_buffer"].dtype == "float64"
    assert other.param_groups[0]["momentum"] == 0.5
    saved["param_groups"][0]["lr"] = 7
    assert other.param_groups[0]["lr"] == 1e-3


def test_an_optimizer_can_be_pickled_along_with_its_parameters(w):
    optimizer = optim.Adam([w], lr=0.5)
    optimizer.step()
    v, other = pickle.loads(pickle.dumps((w, optimizer)))
    assert other.param_groups[0]["params"][0] is v
    w.grad = v.grad = dg.ones(2)
    optimizer.step()
    other.step()
    assert dg.equal(w, v)


def test_an_optimizer_prints_its_groups(w):
    text = repr(optim.SGD([w], lr=0.5))
    lines = ["SGD (", "Parameter Group 0", "    dampening: 0", "    foreach: None", "    lr: 0.5"]
    assert text.splitlines()[:5] == lines


def test_an_optimizer_is_freed_by_reference_counting(w):
    gc.disable()
    try:
        optimizer = optim.Adam([w])
        schedule = optim.lr_scheduler.StepLR(optimizer, 3)
        optimizer.step()
        schedule.step()
        gone = weakref.ref(optimizer)
        del optimizer, schedule
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("step", ["a", [1.0, 2.0], -1, np.nan, np.inf])
def test_a_state_whose_step_is_no_number_of_steps_is_refused_and_changes_nothing(w, step):
    optimizer = optim.Adam([w])
    w.grad = dg.ones(2)
    optimizer.step()
    saved = optimizer.state_dict()
    saved["state"][0]["step"] = dg.tensor(step) if isinstance(step, list) else step
    other = optim.Adam([w], lr=0.5)
    with pytest.raises(StateFormatError, match="no number of steps"):
        other.load_state_dict(saved)
    assert other.param_groups[0]["lr"] == 0.5
    assert not other.state
