"""Optimizers that apply an update rule: PyTorch's values, whatever the sizes; nothing half done."""

import copy
import pickle
import weakref

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import optim
from dynamicgrad.optim.blocks import SMALL, TILE

SHAPES = [(4, 3), (3,), (), (0,), (SMALL, 2), (TILE + 5, 3), (2,)]
CASES = {
    f"{name}{i}": (name, options)
    for name, several in {
        "SGD": [
            {"lr": 0.1},
            {"momentum": 0.9},
            {"momentum": 0.9, "dampening": 0.5},
            {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True},
        ],
        "Adam": [
            {},
            {"lr": 0.1, "betas": (0.5, 0.6), "eps": 1e-3},
            {"weight_decay": 0.1},
            {"amsgrad": True},
            {"maximize": True, "decoupled_weight_decay": True, "weight_decay": 0.1},
        ],
        "AdamW": [{}, {"weight_decay": 0.5, "amsgrad": True}],
        "RMSprop": [
            {},
            {"alpha": 0.5, "eps": 1e-3, "weight_decay": 0.1},
            {"momentum": 0.9},
            {"centered": True, "maximize": True},
            {"centered": True, "momentum": 0.5},
        ],
        "Adagrad": [
            {},
            {"lr_decay": 0.1, "weight_decay": 0.1, "maximize": True},
            {"initial_accumulator_value": 0.3, "eps": 1e-3},
        ],
    }.items()
    for i, options in enumerate(several)
}
every_case = pytest.mark.parametrize(("name", "options"), CASES.values(), ids=CASES)
every_optimizer = pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])


def arrays(seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in SHAPES]


def train(lib, module, name, options, steps=20):
    """The parameters and the state after some steps, each with gradients for some parameters."""
    params = [lib.tensor(p, requires_grad=True) for p in arrays(0)]
    optimizer = getattr(module, name)([{"params": params[:3]}, {"params": params[3:]}], **options)
    for i in range(steps):
        for j, (p, g) in enumerate(zip(params, arrays(i + 1), strict=True)):
            p.grad = None if (i * j) % 5 == 4 else lib.tensor(g)
        optimizer.step()
    return params, optimizer


@pytest.mark.peers
@every_case
def test_twenty_steps_give_pytorchs_parameters_and_state(name, options):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    params, optimizer = train(dg, optim, name, options)
    theirs, other = train(torch, torch.optim, name, options)
    for p, q in zip(params, theirs, strict=True):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-6, atol=1e-9)
    state, want = optimizer.state_dict(), other.state_dict()
    assert state["state"].keys() == want["state"].keys()
    for i, held in want["state"].items():
        assert set(state["state"][i]) == {k for k, v in held.items() if v is not None}
        for k, v in state["state"][i].items():
            np.testing.assert_allclose(v.numpy(), held[k].numpy(), rtol=1e-6, atol=1e-9)
    for group, theirs in zip(state["param_groups"], want["param_groups"], strict=True):
        ways_to_compute = {"capturable", "differentiable", "fused"}
        assert group == {k: v for k, v in theirs.items() if k not in ways_to_compute}


@pytest.mark.peers
@every_optimizer
def test_the_defaults_are_pytorchs(name):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    ours = getattr(optim, name)([dg.ones(1, requires_grad=True)]).defaults
    theirs = getattr(torch.optim, name)([torch.ones(1, requires_grad=True)]).defaults
    assert ours == {k: theirs[k] for k in ours}


@every_case
def test_parameters_together_and_one_by_one_have_the_same_bits(name, options):
    together, first = train(dg, optim, name, options | {"foreach": True})
    alone, second = train(dg, optim, name, options | {"foreach": False})
    for p, q in zip(together, alone, strict=True):
        assert p.detach().numpy().tobytes() == q.detach().numpy().tobytes()
    before, after = first.state_dict()["state"], second.state_dict()["state"]
    for i, state in before.items():
        assert all(v.tolist() == after[i][k].tolist() for k, v in state.items())


def test_foreach_can_be_changed_at_any_time():
    params = [dg.ones(2, requires_grad=True), dg.ones(3, requires_grad=True)]
    optimizer = optim.Adam(params, foreach=False)
    for p in params:
        p.grad = dg.ones_like(p)
    for foreach, count in ((False, 2), (None, 1), (False, 2), (True, 1)):
        optimizer.param_groups[0]["foreach"] = foreach
        optimizer.step()
        assert len(optimizer.blocks[0][1]) == count
    assert [optimizer.state[p]["step"].item() for p in params] == [4, 4]


@every_case
def test_a_saved_state_goes_on_as_if_nothing_had_happened(name, options):
    params, optimizer = train(dg, optim, name, options, steps=3)
    saved = pickle.loads(pickle.dumps(optimizer.state_dict()))
    others = [dg.tensor(p.detach().numpy(), requires_grad=True) for p in params]
    resumed = getattr(optim, name)([{"params": others[:3]}, {"params": others[3:]}], lr=99)
    resumed.load_state_dict(saved)
    for own, o in ((params, optimizer), (others, resumed)):
        for p, g in zip(own, arrays(9), strict=True):
            p.grad = dg.tensor(g)
        o.step()
    assert all(dg.equal(p, q) for p, q in zip(params, others, strict=True))


@every_optimizer
def test_a_copy_of_a_model_and_its_optimizer_trains_by_itself(name):
    w = dg.ones(3, requires_grad=True)
    optimizer = getattr(optim, name)([w], lr=0.1)
    w.grad = dg.ones(3)
    optimizer.step()
    twin, other = copy.deepcopy((w, optimizer))
    before = w.detach().clone()
    other.step()
    assert dg.equal(w, before)
    optimizer.step()
    assert dg.equal(w, twin)


@every_optimizer
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_parameters_keep_their_dtype_and_memory(name, dtype):
    w = dg.ones(3, dtype=dtype, requires_grad=True)
    address, version = w.data_ptr(), w._version
    optimizer = getattr(optim, name)([w], lr=np.float64(0.125))
    w.grad = dg.ones(3, dtype=dtype)
    optimizer.step()
    assert w.dtype == dtype
    assert w.data_ptr() == address
    assert w._version > version
    assert w.is_leaf
    assert w.requires_grad


def test_a_write_between_forward_and_backward_is_noticed():
    w = dg.ones(3, requires_grad=True)
    loss = (w * w).sum()
    w.grad = dg.ones(3)
    optim.SGD([w], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_parameter_that_does_not_lie_in_rows_is_updated_in_place():
    base = dg.ones(3, 4)
    w = base.t().requires_grad_()
    w.grad = dg.tensor(np.arange(12.0, dtype=np.float32).reshape(4, 3))
    optim.SGD([w], lr=1.0).step()
    np.testing.assert_array_equal(base.numpy(), 1 - np.arange(12.0).reshape(4, 3).T)


def test_parameters_without_gradient_stay_as_they_are():
    frozen, w = dg.ones(2).requires_grad_(), dg.ones(2, requires_grad=True)
    w.grad = dg.ones(2)
    optimizer = optim.Adam([frozen, w], lr=0.5)
    optimizer.step()
    assert frozen.tolist() == [1, 1]
    assert list(optimizer.state_dict()["state"]) == [1]


def test_a_state_that_is_replaced_is_the_one_that_counts():
    w = dg.ones(2, requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0, momentum=0.5)
    for _ in range(2):
        w.grad = dg.zeros(2)
        optimizer.step()
    optimizer.state[w]["momentum_buffer"] = dg.ones(2)
    optimizer.step()
    assert w.tolist() == [0.5, 0.5]
    optimizer.state[w]["momentum_buffer"].fill_(2)
    optimizer.step()
    assert w.tolist() == [-0.5, -0.5]
    optimizer.state.clear()
    optimizer.step()
    assert w.tolist() == [-0.5, -0.5]


def test_data_that_is_replaced_is_the_one_that_is_updated():
    w = dg.ones(2, requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0)
    w.grad = dg.ones(2)
    optimizer.step()
    w.data = dg.full((2,), 5.0)
    optimizer.step()
    assert w.tolist() == [4, 4]


def test_a_gradient_that_is_forgotten_is_freed():
    w = dg.ones(SMALL, requires_grad=True)
    optimizer = optim.Adam([w])
    w.grad = dg.ones(SMALL)
    gone = weakref.ref(w.grad.numpy())
    optimizer.step()
    optimizer.zero_grad()
    assert gone() is None


def test_an_overflow_is_no_error_and_no_warning():
    w = dg.full((2,), 1e38, requires_grad=True)
    w.grad = dg.full((2,), -1e38)
    optim.SGD([w], lr=10.0).step()
    assert w.tolist() == [float("inf")] * 2


class TestAStepThatFails:
    @pytest.fixture
    def model(self):
        params = [dg.tensor(p, requires_grad=True) for p in arrays(0)]
        for p, g in zip(params, arrays(1), strict=True):
            p.grad = dg.tensor(g)
        return params

    def refuses(self, model, optimizer, error, match):
        """Assert that a step fails with an error, and changes neither parameters nor state."""
        before = [p.detach().clone() for p in model]
        state = copy.deepcopy(optimizer.state_dict())
        with pytest.raises(error, match=match):
            optimizer.step()
        assert all(dg.equal(p, q) for p, q in zip(model, before, strict=True))
        after = optimizer.state_dict()
        assert after["state"].keys() == state["state"].keys()
        for i, held in state["state"].items():
            assert all(dg.equal(after["state"][i][k], v) for k, v in held.items())

    @every_optimizer
    def test_for_a_gradient_of_another_shape(self, name, model):
        optimizer = getattr(optim, name)(model)
        optimizer.step()
        last = model[-1].requires_grad_(False)
        last.data = dg.ones(7, dtype="float64")
        self.refuses([*model[:-1], last], optimizer, ValueError, "its gradient has the shape")

    @every_optimizer
    def test_for_a_gradient_of_another_dtype(self, name, model):
        optimizer = getattr(optim, name)(model)
        last = model[-1].requires_grad_(False)
        last.data = dg.ones(2)
        self.refuses([*model[:-1], last], optimizer, TypeError, "its gradient has the dtype")

    @every_optimizer
    def test_for_memory_that_cannot_be_written(self, name, model):
        optimizer = getattr(optim, name)(model)
        optimizer.step()
        model[-1].value.flags.writeable = False
        self.refuses(model, optimizer, RuntimeError, "cannot be written to")

    @every_optimizer
    def test_for_an_option_of_the_last_group(self, name, model):
        optimizer = getattr(optim, name)([{"params": model[:-1]}, {"params": model[-1:]}])
        optimizer.step()
        optimizer.param_groups[1]["lr"] = None
        self.refuses(model, optimizer, TypeError, "NoneType")

    def test_for_a_closure_that_fails(self, model):
        def closure():
            raise KeyError("data")

        before = [p.detach().clone() for p in model]
        with pytest.raises(KeyError, match="data"):
            optim.SGD(model).step(closure)
        assert all(dg.equal(p, q) for p, q in zip(model, before, strict=True))

    def test_for_a_state_of_other_parameters(self, model):
        other = dg.ones(5, requires_grad=True)
        other.grad = dg.ones(5)
        source = optim.Adam([other])
        source.step()
        optimizer = optim.Adam([model[0]])
        optimizer.load_state_dict(source.state_dict())
        self.refuses([model[0]], optimizer, ValueError, r"its state 'exp_avg' has the shape \(5,\)")


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda w: optim.SGD(w, lr=-1), "Invalid lr value: -1"),
        (lambda w: optim.SGD(w, nesterov=True), "Nesterov momentum requires a momentum"),
        (lambda w: optim.Adam(w, betas=(1.0, 0.9)), "Invalid beta parameter at index 0"),
        (lambda w: optim.AdamW(w, eps=-1), "Invalid eps"),
        (lambda w: optim.RMSprop(w, alpha=-1), "Invalid alpha"),
        (lambda w: optim.Adagrad(w, lr_decay=-1), "Invalid lr_decay"),
    ],
)
def test_options_that_make_no_sense_are_refused(make, match):
    with pytest.raises(ValueError, match=match):
        make([dg.ones(1, requires_grad=True)])
