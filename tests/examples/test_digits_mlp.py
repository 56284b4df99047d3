"""The digits network reaches its quality, by each optimizer and with frozen layers."""

import importlib.util
from pathlib import Path

import pytest

import dynamicgrad as dg
from dynamicgrad import optim

pytest.importorskip("sklearn", reason="the digits are scikit-learn's, from the extra `examples`")

PATH = Path(__file__).parents[2] / "examples" / "digits_mlp.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("digits_mlp", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_fine_tuning_with_frozen_layers_reaches_its_quality(example):
    found = example.run(seed=0)
    assert found["seven digits"] > 0.97
    assert found["body unchanged"]
    assert found["ten digits, body frozen"] > 0.8
    assert found["ten digits, body thawed"] > 0.95


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"lr": 0.1, "momentum": 0.9}),
        ("Adam", {"lr": 1e-2}),
        ("AdamW", {"lr": 1e-2}),
        ("RMSprop", {"lr": 6e-3}),
        ("Adagrad", {"lr": 1e-1}),
    ],
)
def test_every_optimizer_reaches_its_quality(example, name, options):
    dg.manual_seed(0)
    data, test = example.digits()
    model = example.network(10)
    loss = example.train(model, data, getattr(optim, name)(model.parameters(), **options), 20)
    assert loss < 0.1
    assert example.accuracy(model, test) > 0.94
