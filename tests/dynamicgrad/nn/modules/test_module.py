"""Modules: what is registered under which name, modes, dtypes, copies and how they print."""

import copy
import gc
import io
import pickle
import weakref

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.Dropout(0.5), nn.Linear(4, 2, bias=False))
        self.scale = nn.Parameter(dg.ones(2))
        self.register_buffer("seen", dg.zeros(1))
        self.register_buffer("cache", dg.zeros(1), persistent=False)
        self.plain = dg.ones(3)

    def forward(self, x):
        return self.rest(self.first(x)) * self.scale


NAMES = ["scale", "first.weight", "first.bias", "rest.2.weight"]


def test_what_is_assigned_is_registered_in_order():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == NAMES
    assert [name for name, _ in net.named_buffers()] == ["seen", "cache"]
    assert [name for name, _ in net.named_children()] == ["first", "rest"]
    assert [name for name, _ in net.named_modules()] == [
        "", "first", "rest", "rest.0", "rest.1", "rest.2",
    ]  # fmt: skip
    assert list(net.children()) == [net.first, net.rest]
    assert [n for n, _ in net.named_parameters(prefix="net", recurse=False)] == ["net.scale"]


def test_what_is_shared_comes_once_unless_asked():
    a = nn.Linear(2, 2)
    net = nn.Sequential(a, a)
    assert len(list(net.parameters())) == 2
    assert len(list(net.modules())) == 2
    assert len(list(net.named_parameters(remove_duplicate=False))) == 4
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_an_attribute_moves_to_the_kind_of_what_it_is_assigned():
    net = nn.Module()
    net.x = 3
    net.x = nn.Parameter(dg.ones(1))
    assert [name for name, _ in net.named_parameters()] == ["x"]
    net.x = nn.ReLU()
    assert not list(net.parameters())
    assert list(net.children()) == [net.x]
    net.x = None
    assert net.x is None
    del net.x
    assert not hasattr(net, "x")


def test_a_parameter_cannot_be_replaced_by_something_else():
    layer = nn.Linear(2, 2)
    with pytest.raises(TypeError, match="cannot assign a Tensor as parameter 'weight'"):
        layer.weight = dg.ones(2, 2)
    layer.bias = None
    assert layer(dg.ones(2)).shape == (2,)


def test_a_buffer_can_be_replaced_by_a_tensor():
    net = Net()
    net.seen = net.seen + 1
    assert net.state_dict()["seen"].item() == 1


@pytest.mark.parametrize(
    ("register", "error", "match"),
    [
        (lambda m: m.register_parameter("a.b", None), KeyError, "contain"),
        (lambda m: m.register_buffer("", None), KeyError, "empty"),
        (lambda m: m.register_buffer("forward", None), KeyError, "already exists"),
        (lambda m: m.register_parameter("x", dg.ones(1)), TypeError, "nn.Parameter or None"),
        (lambda m: m.register_buffer("x", 3), TypeError, "as buffer"),
        (lambda m: m.add_module("x", 3), TypeError, "is not a Module subclass"),
        (lambda m: m.add_module(3, None), TypeError, "a name is a string"),
    ],
)
def test_names_and_values_that_make_no_sense_are_refused(register, error, match):
    with pytest.raises(error, match=match):
        register(nn.Module())


def test_an_assignment_before_init_says_what_is_missing():
    class Forgetful(nn.Module):
        def __init__(self):
            self.layer = nn.ReLU()

    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) first"):
        Forgetful()


def test_a_missing_attribute_and_a_missing_forward_are_named():
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'wait'"):
        _ = nn.Linear(1, 1).wait
    with pytest.raises(NotImplementedError, match='missing the required "forward"'):
        nn.Module()(3)


def test_parts_are_found_by_path():
    net = Net()
    assert net.get_submodule("rest.2") is net.rest[2]
    assert net.get_parameter("rest.2.weight") is net.rest[2].weight
    assert net.get_submodule("") is net
    with pytest.raises(AttributeError, match="has no module"):
        net.get_submodule("rest.7")
    with pytest.raises(AttributeError, match=r"not an nn\.Parameter"):
        net.get_parameter("rest.2.bias")


def test_modes_and_flags_reach_everything():
    net = Net()
    assert not any(m.training for m in net.eval().modules())
    assert all(m.training for m in net.train().modules())
    assert not any(p.requires_grad for p in net.requires_grad_(False).parameters())
    with pytest.raises(ValueError, match="expected to be boolean"):
        net.train("yes")


def test_apply_visits_parts_before_the_whole():
    seen = []
    net = nn.Sequential(nn.Sequential(nn.ReLU()), nn.Tanh())
    assert net.apply(lambda m: seen.append(type(m).__name__)) is net
    assert sorted(seen) == ["ReLU", "Sequential", "Sequential", "Tanh"]
    assert seen[-1] == "Sequential"
    assert seen.index("ReLU") < seen.index("Sequential")


def test_zero_grad_reaches_every_parameter():
    net = Net().eval()
    net(dg.ones(3)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert all(not p.grad.any() for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_another_dtype_leaves_parameters_the_same_objects():
    net = Net().eval()
    net(dg.ones(3)).sum().backward()
    before = list(net.parameters())
    assert net.double() is net
    assert list(net.parameters()) == before
    for p in before:
        assert p.dtype == p.grad.dtype == "float64"
        assert p.requires_grad
    assert net.seen.dtype == "float64"
    assert net(dg.ones(3, dtype="float64")).dtype == "float64"
    assert net.to("float32").first.weight.dtype == net.float().seen.dtype == "float32"
    with pytest.raises(TypeError, match="only accepts floating point dtypes"):
        net.to("int64")


def test_a_frozen_parameter_stays_frozen_in_another_dtype():
    layer = nn.Linear(2, 2).requires_grad_(False).half()
    assert layer.weight.dtype == "float16"
    assert not layer.weight.requires_grad


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_has_parameters_of_its_own_and_the_same_values(twin_of):
    net = Net().eval()
    net.first.bias.requires_grad_(False)
    twin = twin_of(net)
    assert [n for n, _ in twin.named_parameters()] == NAMES
    assert all(isinstance(p, nn.Parameter) for p in twin.parameters())
    assert not twin.first.bias.requires_grad
    assert not twin.training
    x = dg.ones(3)
    assert dg.equal(twin(x), net(x))
    twin.scale.data.zero_()
    assert net.scale.tolist() == [1, 1]


def test_what_is_shared_is_shared_in_a_copy():
    a = nn.Linear(2, 2)
    twin = copy.deepcopy(nn.Sequential(a, a))
    assert twin[0] is twin[1]


def test_a_model_is_freed_by_reference_counting():
    gc.disable()
    try:
        net = Net()
        net.register_forward_hook(lambda *given: None)
        net(dg.ones(3)).sum().backward()
        gone = [weakref.ref(net), *(weakref.ref(p) for p in net.parameters())]
        del net
        assert not any(ref() for ref in gone)
    finally:
        gc.enable()


def test_a_module_prints_as_in_pytorch():
    assert repr(Net()) == (
        "Net(\n"
        "  (first): Linear(in_features=3, out_features=4, bias=True)\n"
        "  (rest): Sequential(\n"
        "    (0): ReLU()\n"
        "    (1): Dropout(p=0.5, inplace=False)\n"
        "    (2): Linear(in_features=4, out_features=2, bias=False)\n"
        "  )\n"
        ")"
    )


def test_registered_names_are_among_the_attributes():
    assert {"first", "scale", "seen", "forward"} <= set(dir(Net()))


class TestParameter:
    def test_it_is_a_tensor_that_requires_gradients(self):
        p = nn.Parameter(dg.ones(2))
        assert isinstance(p, nn.Parameter)
        assert isinstance(p, dg.Tensor)
        assert p.requires_grad
        assert p.is_leaf
        assert not isinstance(p * 2, nn.Parameter)
        assert not isinstance(p.detach(), nn.Parameter)
        assert not isinstance(dg.ones(2), nn.Parameter)
        assert not nn.Parameter(dg.ones(2), requires_grad=False).requires_grad

    def test_it_shares_the_memory_it_is_made_of(self):
        data = dg.zeros(2)
        p = nn.Parameter(data)
        data.fill_(3)
        assert p.tolist() == [3, 3]

    def test_integers_are_refused(self):
        with pytest.raises(RuntimeError, match="floating point"):
            nn.Parameter(dg.arange(2))

    def test_it_prints_what_it_is(self):
        want = "Parameter containing:\ntensor([1.], requires_grad=True)"
        assert repr(nn.Parameter(dg.ones(1))) == want


class TestState:
    def test_it_is_on_the_same_memory_and_without_history(self):
        net = Net()
        state = net.state_dict()
        assert list(state) == ["scale", "seen", *NAMES[1:]]
        assert not any(t.requires_grad for t in state.values())
        state["scale"].fill_(7)
        assert net.scale.tolist() == [7, 7]
        assert net.state_dict(keep_vars=True)["scale"] is net.scale
        assert next(iter(net.state_dict(prefix="net."))) == "net.scale"

    def test_it_is_copied_in(self):
        a, b = Net().eval(), Net().eval()
        held = list(b.parameters())
        assert str(b.load_state_dict(a.state_dict())) == "<All keys matched successfully>"
        assert list(b.parameters()) == held
        assert dg.equal(a(dg.ones(3)), b(dg.ones(3)))
        a.scale.data.zero_()
        assert b.scale.tolist() == [1, 1]

    def test_arrays_are_taken_too(self):
        layer = nn.Linear(1, 1)
        layer.load_state_dict({"weight": np.ones((1, 1)), "bias": np.zeros(1)})
        assert layer.weight.tolist() == [[1]]
        assert layer.weight.dtype == "float32"

    def test_everything_that_does_not_fit_is_named_at_once_and_nothing_changes(self):
        net = Net()
        state = {k: v.clone().fill_(5) for k, v in net.state_dict().items()}
        state["other"] = state.pop("rest.2.weight")
        state["seen"] = dg.ones(4)
        before = {k: v.clone() for k, v in net.state_dict().items()}
        with pytest.raises(RuntimeError) as caught:
            net.load_state_dict(state)
        for text in (
            "Error(s) in loading state_dict for Net:",
            'Missing key(s) in state_dict: "rest.2.weight"',
            'Unexpected key(s) in state_dict: "other"',
            "size mismatch for seen: copying a param with shape (4,) from checkpoint, the shape in"
            " current model is (1,)",
        ):
            assert text in str(caught.value)
        assert all(dg.equal(v, before[k]) for k, v in net.state_dict().items())

    def test_keys_on_one_side_are_told_if_that_is_enough(self):
        layer = nn.Linear(2, 2)
        found = layer.load_state_dict({"weight": dg.ones(2, 2), "other": dg.ones(1)}, strict=False)
        assert found.missing_keys == ["bias"]
        assert found.unexpected_keys == ["other"]
        assert layer.weight.tolist() == [[1, 1], [1, 1]]
        with pytest.raises(RuntimeError, match="size mismatch for weight"):
            layer.load_state_dict({"weight": dg.ones(3)}, strict=False)

    def test_with_assign_the_tensors_take_the_places(self):
        layer, other = nn.Linear(2, 2), nn.Linear(2, 2).double()
        layer.load_state_dict(other.state_dict(), assign=True)
        assert layer.weight.dtype == "float64"
        assert isinstance(layer.weight, nn.Parameter)
        assert layer.weight.data_ptr() == other.weight.data_ptr()

    def test_what_is_no_dict_is_refused(self):
        with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got list"):
            nn.Linear(1, 1).load_state_dict([])


@pytest.mark.peers
def test_states_have_pytorchs_keys_and_go_from_one_to_the_other():
    torch = pytest.importorskip("torch", reason="torch is the oracle")

    def make(lib):
        layers = [lib.nn.Linear(3, 4), lib.nn.ReLU(), lib.nn.Linear(4, 2, bias=False)]
        return lib.nn.Sequential(*layers)

    ours, theirs = make(dg), make(torch)
    state = {k: v.numpy() for k, v in theirs.state_dict().items()}
    assert list(state) == list(ours.state_dict())
    ours.load_state_dict(state)
    x = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    want = theirs(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(ours(dg.tensor(x)).detach().numpy(), want, rtol=1e-5, atol=1e-6)
    assert repr(ours) == repr(theirs)


def test_a_model_fits_into_a_file():
    file = io.BytesIO()
    pickle.dump(Net().state_dict(), file)
    file.seek(0)
    assert str(Net().load_state_dict(pickle.load(file))) == "<All keys matched successfully>"
