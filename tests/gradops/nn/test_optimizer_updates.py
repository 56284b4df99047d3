"""Update rules: the same bits on arrays, tensors and expressions, and nothing given is changed."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops.nn import optimizer_updates

CASES = {
    "sgd": (optimizer_updates.sgd, {"lr": 0.1}),
    "sgd, momentum": (optimizer_updates.sgd, {"lr": 0.1, "momentum": 0.9, "dampening": 0.3}),
    "sgd, nesterov": (
        optimizer_updates.sgd,
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1, "maximize": True},
    ),
    "adam": (optimizer_updates.adam, {}),
    "adam, amsgrad": (
        optimizer_updates.adam,
        {"amsgrad": True, "weight_decay": 0.1, "maximize": True},
    ),
    "adamw": (optimizer_updates.adamw, {"lr": 0.1}),
    "rmsprop": (optimizer_updates.rmsprop, {}),
    "rmsprop, all": (
        optimizer_updates.rmsprop,
        {"centered": True, "momentum": 0.9, "weight_decay": 0.1},
    ),
    "adam, eps_hat": (optimizer_updates.adam, {"eps": 1e-3, "eps_hat": True}),
    "rmsprop, graves": (optimizer_updates.rmsprop_graves, {}),
    "rmsprop, graves, all": (optimizer_updates.rmsprop_graves, {"centered": True, "momentum": 0.9}),
    "adagrad": (optimizer_updates.adagrad, {"lr_decay": 0.1, "weight_decay": 0.1}),
}
every_rule = pytest.mark.parametrize(("rule", "options"), CASES.values(), ids=CASES)


def steps(rule, options, param, grads):
    """The parameter and the state after each of several steps."""
    state, found = {}, []
    for g in grads:
        param, state = rule(param, g, state, **options)
        found.append([param, *state.values()])
    return found


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(3, 4)).astype(np.float32) for _ in range(4)]


def bits(values):
    return [np.asarray(v).tobytes() for v in values]


@every_rule
def test_tensors_and_arrays_give_the_same_bits(rule, options, numbers):
    param, *grads = numbers
    want = steps(rule, options, param, grads)
    got = steps(rule, options, dg.tensor(param), [dg.tensor(g) for g in grads])
    for a, b in zip(got, want, strict=True):
        assert bits(getattr(x, "value", x) for x in a) == bits(b)


@every_rule
def test_expressions_and_arrays_give_the_same_bits(rule, options, numbers):
    symbols = [sg.placeholder("float32", (3, 4)) for _ in numbers]
    built = steps(rule, options, symbols[0], symbols[1:])
    want = steps(rule, options, numbers[0], numbers[1:])
    for a, b in zip(built, want, strict=True):
        pairs = [(x, y) for x, y in zip(a, b, strict=True) if isinstance(x, sg.Expr)]
        run = sg.compile([x for x, _ in pairs], symbols, optimize=0)
        assert bits(run(*numbers)) == bits(y for _, y in pairs)


@every_rule
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_state_that_a_graph_holds_gives_the_bits_that_numbers_give(rule, options, numbers, dtype):
    param, g = (x.astype(dtype) for x in numbers[:2])
    state = {k: v + 6 if k == "step" else v for k, v in rule(param, g, {}, **options)[1].items()}
    held = {name: np.asarray(value, dtype) for name, value in state.items()}
    symbols = {name: sg.placeholder(dtype, v.shape) for name, v in held.items()}
    p = sg.placeholder(dtype, (3, 4))
    new, new_state = rule(p, p * 2, symbols, **options)
    run = sg.compile([new, *new_state.values()], [p, *symbols.values()], optimize=0)
    want, want_state = rule(param, param * 2, state, **options)
    for a, b in zip(run(param, *held.values()), [want, *want_state.values()], strict=True):
        assert a.dtype == dtype
        assert a.tobytes() == np.asarray(b, dtype).tobytes()


@every_rule
def test_nothing_given_is_changed(rule, options, numbers):
    param, g, *_ = numbers
    state = rule(param, g, {}, **options)[1]
    before = bits([param, g, *state.values()])
    rule(param, g, state, **options)
    assert bits([param, g, *state.values()]) == before


@every_rule
def test_a_rate_that_is_an_expression_gives_the_bits_that_a_number_gives(rule, options, numbers):
    param, g, *_ = numbers
    want, _ = rule(param, g, {}, **{**options, "lr": 0.3})
    p, lr = sg.placeholder("float32", (3, 4)), sg.placeholder("float64", ())
    got = sg.compile(rule(p, g, {}, **{**options, "lr": lr})[0], [p, lr], optimize=0)(param, 0.3)
    assert got.tobytes() == want.tobytes()


def test_rules_can_be_differentiated():
    lr = dg.tensor(0.1, requires_grad=True)
    new, _ = optimizer_updates.sgd(dg.tensor([1.0]), dg.tensor([0.5]), {}, lr=lr)
    new.sum().backward()
    assert lr.grad.item() == -0.5
