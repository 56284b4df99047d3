"""A memory budget: less is held, the same is computed, and a budget that is too small says so."""

import numpy as np
import pytest

import staticgrad as sg
from gradops.core.errors import OptionError
from gradops.core.traits import Trait
from staticgrad.codegen.memory.schedule import predicted_peak

rng = np.random.default_rng(0)


def network(activation, layers=8, batch=64, width=64):
    x = sg.placeholder("float32", [batch, width], name="x")
    weights = [sg.placeholder("float32", [width, width], name=f"w{i}") for i in range(layers)]
    h = x
    for w in weights:
        h = activation(h @ w)
    loss = sg.reduce_mean(h * h)
    return [loss, *sg.gradients(loss, x)], [x, *weights]


def values(feeds, sizes=None):
    shapes = [[(sizes or {}).get(str(n), n) for n in e.shape] for e in feeds]
    return [rng.standard_normal(s).astype(np.float32) / 8 for s in shapes]


ACTIVATIONS = {
    "gelu": sg.nn.gelu,
    "tanh": sg.tanh,
    "softplus times sigmoid": lambda h: sg.nn.softplus(h) * sg.sigmoid(h),
    "normalized": lambda h: h / sg.sqrt(sg.reduce_mean(h * h, axis=1, keepdims=True) + 1e-3),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("optimize", [0, 1, 2])
def test_a_budget_lowers_the_peak_and_keeps_the_bits(name, optimize):
    with sg.Graph().as_default():
        fetches, feeds = network(ACTIVATIONS[name])
        plain = sg.compile(fetches, feeds, optimize=optimize)
        peak = predicted_peak(plain.graph)
        tight = sg.compile(fetches, feeds, optimize=optimize, memory_budget=int(0.8 * peak))
    assert predicted_peak(tight.graph) <= 0.8 * peak
    arrays = values(feeds)
    for a, b in zip(plain(*arrays), tight(*arrays), strict=True):
        assert a.tobytes() == b.tobytes()


def test_a_budget_that_suffices_changes_nothing():
    with sg.Graph().as_default():
        fetches, feeds = network(sg.tanh)
        plain, roomy = (sg.compile(fetches, feeds, memory_budget=n) for n in (None, 1 << 40))
    assert plain.graph == roomy.graph


def test_a_budget_that_is_not_reached_says_what_is():
    with sg.Graph().as_default():
        fetches, feeds = network(sg.tanh)
        with pytest.raises(OptionError, match=r"memory_budget=1000 is below \d+ bytes") as caught:
            sg.compile(fetches, feeds, memory_budget=1000)
        least = int(str(caught.value).split("below ")[1].split()[0])
        assert predicted_peak(sg.compile(fetches, feeds, memory_budget=least).graph) == least


def test_sizes_may_be_unknown():
    with sg.Graph().as_default():
        fetches, feeds = network(sg.nn.gelu, batch="batch")
        plain = sg.compile(fetches, feeds)
        tight = sg.compile(fetches, feeds, memory_budget=int(0.8 * predicted_peak(plain.graph)))
    for n in (1, 7):
        arrays = values(feeds, {"batch": n})
        for a, b in zip(plain(*arrays), tight(*arrays), strict=True):
            assert a.tobytes() == b.tobytes()


def test_random_numbers_and_effects_are_not_repeated():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [4096], name="x")
        h = sg.tanh(sg.Print(x, [x[0]], "once ") * 2)
        y = sg.reduce_sum(sg.nn.gelu(sg.nn.gelu(h) + sg.random_normal([4096])))
        graph = sg.freeze([y, *sg.gradients(y, x)], [x])
        pass_ = sg.passes.Rematerialize(predicted_peak(graph) - 1, predicted_peak, lambda e: 4096)
        changed = pass_(graph)
    assert "recompute" in [e.what for e in changed]
    for kept in (lambda e: Trait.EFFECT in e.op.traits, lambda e: "normal" in e.op.name):
        counts = [sum(kept(e) for e in g if e.op is not None) for g in (graph, changed)]
        assert counts[0] == counts[1] > 0


def test_a_forward_graph_cannot_be_helped():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [4096], name="x")
        with pytest.raises(OptionError, match="the least peak"):
            sg.compile(sg.sort(x), [x], memory_budget=10)
