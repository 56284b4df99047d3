"""Containers: registered like attributes, used like lists and dicts."""

import pytest

import dynamicgrad as dg
from dynamicgrad import nn


def test_a_sequence_calls_its_modules_in_turn():
    net = nn.Sequential(nn.Flatten(), nn.Identity(), nn.Linear(6, 2))
    assert net(dg.ones(4, 2, 3)).shape == (4, 2)
    assert len(net) == 3
    assert net[-1] is net[2]
    assert list(net[1:].state_dict()) == ["2.weight", "2.bias"]
    with pytest.raises(IndexError, match="index 3 is out of range"):
        _ = net[3]


def test_a_sequence_can_have_names():
    net = nn.Sequential({"in": nn.Linear(2, 3), "act": nn.ReLU()})
    assert [name for name, _ in net.named_children()] == ["in", "act"]
    assert net[0] is net.get_submodule("in")


@pytest.mark.parametrize("make", [lambda ms: nn.Sequential(*ms), nn.ModuleList])
def test_members_can_be_replaced_removed_and_added(make):
    a, b, c, d = (nn.Linear(1, 1) for _ in "abcd")
    held = make([a, b])
    held[1] = c
    held.append(d)
    held.insert(1, b)
    assert list(held) == [a, b, c, d]
    del held[0]
    assert list(held) == [b, c, d]
    assert [name for name, _ in held.named_children()] == ["0", "1", "2"]
    assert held.pop(0) is b
    assert list(held.extend([a])) == [c, d, a]
    assert type(held[:2]) is type(held)


def test_a_list_of_modules_can_be_extended_by_another():
    both = nn.ModuleList([nn.ReLU()]) + nn.ModuleList([nn.Tanh()])
    assert [type(m).__name__ for m in both] == ["ReLU", "Tanh"]


def test_a_list_prints_runs_of_equal_modules_once():
    held = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
    assert repr(held) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"


def test_a_dict_of_modules():
    held = nn.ModuleDict({"a": nn.ReLU()})
    held["b"] = nn.Linear(1, 1)
    held.update([("c", nn.Tanh())])
    assert list(held) == list(held.keys()) == ["a", "b", "c"]
    assert "b" in held
    assert len(held.items()) == len(held.values()) == len(held) == 3
    assert len(list(held.parameters())) == 2
    assert isinstance(held.pop("a"), nn.ReLU)
    del held["b"]
    assert [*held] == ["c"]
    held.clear()
    assert not len(held)
    with pytest.raises(KeyError, match="already exists"):
        held["forward"] = nn.ReLU()


def test_a_list_of_parameters():
    held = nn.ParameterList([dg.ones(2), nn.Parameter(dg.zeros(3))])
    held.append(dg.ones(1))
    held[0] = dg.zeros(2)
    assert [name for name, _ in held.named_parameters()] == ["0", "1", "2"]
    assert [p.shape for p in held] == [(2,), (3,), (1,)]
    assert held[-1] is held[2]
    assert len(held[1:]) == 2
    assert "(0): Parameter containing: [float32 of size (2,)]" in repr(held)


def test_a_dict_of_parameters():
    held = nn.ParameterDict({"a": dg.ones(2)})
    held["b"] = dg.ones(3)
    assert list(held.state_dict()) == list(held) == ["a", "b"]
    assert isinstance(held["a"], nn.Parameter)
    del held["a"]
    assert "a" not in held
    assert len(held.keys()) == len(held.items()) == len(held.values()) == len(held) == 1
    assert "(b): Parameter containing" in repr(held)


@pytest.mark.peers
@pytest.mark.parametrize(
    "make",
    [
        lambda nn: nn.Sequential(nn.Linear(2, 3), nn.ReLU(inplace=True), nn.Flatten()),
        lambda nn: nn.ModuleList([nn.LeakyReLU(), nn.ELU(), nn.GELU(), nn.SiLU(), nn.SiLU()]),
        lambda nn: nn.ModuleDict({"a": nn.Softplus(), "b": nn.Softmax(dim=1), "c": nn.Tanh()}),
        lambda nn: nn.Sequential(nn.ModuleList([nn.Dropout(0.25)] * 3), nn.LogSoftmax(0)),
        lambda nn: nn.ModuleList([nn.MSELoss(), nn.CrossEntropyLoss(), nn.HuberLoss()]),
        lambda nn: nn.Sequential(),
    ],
)
def test_containers_print_as_in_pytorch(make):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    assert repr(make(nn)) == repr(make(torch.nn))
