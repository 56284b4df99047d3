"""Layouts that are said to be certain are those that values have."""

import itertools

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.core.traits import Trait
from gradops.testing.cases import cases
from staticgrad.ir.graph import has_graphs, inner_graphs
from staticgrad.ir.layouts.inner import given_inside, layouts
from staticgrad.ir.layouts.values import Layout

PLACED = {
    Trait.CHANNELS_LAST,
    Trait.C_CONTIGUOUS,
    Trait.C_ORDER,
    Trait.LIKE_OPERAND,
    Trait.KEEPS_C_ORDER,
}
PLACED |= {Trait.ELEMENTWISE, Trait.REDUCTION}
CASES = [
    pytest.param(case, id=str(case))
    for op in gradops.OPS.values()
    if not op.traits.isdisjoint(PLACED) and op.traits.isdisjoint({Trait.VIEW, Trait.CONTROL})
    for case in cases(op)
]
SHAPE = (2, 3, 4, 5)


def lies_as(value, layout):
    """True if an array has a layout: strides fall along its axes, without gaps if it is dense."""
    value = np.asarray(value)
    strides = [abs(value.strides[i]) for i in layout.axes]
    rest = [i for i in range(value.ndim) if i not in layout.axes]
    if layout.dense and not value.transpose([*rest, *layout.axes]).flags.c_contiguous:
        return False
    sizes = [value.shape[i] for i in layout.axes]
    seen = [s for s, n in zip(strides, sizes, strict=True) if n > 1]
    return not value.size or seen == sorted(seen, reverse=True)


def require_layouts(graph, feeds):
    """Fail if a value of a run does not have the layout that is certain."""
    said, wrong = layouts(graph), []

    def watch(e, value):
        entries = value if isinstance(value, list) else [value]
        if e in said and not all(lies_as(x, said[e]) for x in entries):
            wrong.append((e, said[e], np.asarray(value).strides))

    sg.interpret(graph, feeds, watch=watch)
    assert not wrong


def in_memory_order(x, order):
    """A graph's operand with its axes in another order in memory: a transpose of a feed."""
    back = tuple(np.argsort(order).tolist())
    return np.ascontiguousarray(x.transpose(order)), lambda e: sg.transpose(e, back)


@pytest.mark.parametrize("case", CASES)
def test_results_lie_as_traits_say(case):
    arrays = [np.asarray(x) for x in case.operands]
    most = max((x.ndim for x in arrays), default=0)
    for order in itertools.permutations(range(most)):
        turned = [
            in_memory_order(x, order) if x.ndim == most > 1 else (x, lambda e: e) for x in arrays
        ]
        feeds = [sg.placeholder(x.dtype, x.shape) for x, _ in turned]
        operands = [back(e) for e, (_, back) in zip(feeds, turned, strict=True)]
        result = case.op(*operands, **case.attrs)
        first = result[0] if isinstance(result, tuple) else result
        require_layouts(sg.freeze([first], feeds), [x for x, _ in turned])


def random_view(rng, x):
    """A view of an expression."""
    match rng.integers(0, 8):
        case 0 | 1:
            return sg.transpose(x, rng.permutation(len(x.shape)).tolist())
        case 2:
            return sg.reshape(x, [-1, *x.shape[-1:]])
        case 3:
            return sg.expand_dims(x, int(rng.integers(0, len(x.shape) + 1)))
        case 4:
            return x[1:] if rng.integers(0, 2) else x[..., ::2]
        case 5:
            return x[:, :1]
        case 6:
            return sg.broadcast_to(x, (2, *x.shape))
        case _:
            return sg.reshape(x, [*x.shape[:1], -1])


def random_value(rng, x):
    """A new array of the shape of an expression, or nearly."""
    match rng.integers(0, 6):
        case 0:
            return sg.exp(x)
        case 1:
            return x + sg.reduce_sum(x, axis=0)
        case 2:
            return x * x[:1]
        case 3:
            return sg.nn.softmax(x) if len(x.shape) > 1 else sg.sin(x)
        case 4:
            return x - sg.reduce_max(x, axis=-1, keepdims=True)
        case _:
            return x + sg.transpose(sg.transpose(x) * 2)


@pytest.mark.parametrize("seed", range(60))
def test_random_views_and_values_lie_as_said(seed):
    rng = np.random.default_rng(seed)
    start = sg.placeholder("float64", SHAPE)
    values = [start]
    for _ in range(15):
        x = values[-1 if rng.integers(0, 4) else rng.integers(0, len(values))]
        if not 2 <= len(x.shape) < 6 or 0 in x.shape:
            x = start
        made = random_view(rng, x) if rng.integers(0, 2) else random_value(rng, x)
        if all(isinstance(n, int) for n in made.shape):
            values.append(made)
    require_layouts(sg.freeze(values, [start]), [rng.standard_normal(SHAPE)])


def test_channels_of_a_convolution_are_last_in_memory_through_a_network():
    x = sg.placeholder("float32", ["n", 8, 8, 3])
    w = [sg.placeholder("float32", s) for s in ((3, 3, 3, 4), (4,))]
    y = sg.nn.max_pool(sg.nn.relu(sg.nn.conv2d(x, w[0], 1, "SAME") + w[1]), 2, 2, "VALID")
    graph = sg.freeze(sg.gradients(y * y, [x, *w]), [x, *w])
    said = layouts(graph)
    images = [e for e in graph.order if len(e.shape) == 4]
    assert sum(e in said for e in images) > 0.8 * len(images)
    rng = np.random.default_rng(0)
    require_layouts(
        graph,
        [
            rng.random((2, *e.shape[1:]), np.float32) if i == 0 else rng.random(e.shape, np.float32)
            for i, e in enumerate(graph.inputs)
        ],
    )


def layouts_inside(graph, given=None):
    """The graphs of loops, branches and calls in a graph, with the layouts of their operands."""
    known = layouts(graph, given)
    return [pair for e in graph.order if has_graphs(e) for pair in given_inside(e, known)]


def test_the_state_of_a_loop_lies_as_each_step_leaves_it():
    x = sg.placeholder("float64", [5, 3, 4])
    keeps = sg.scan(lambda h, v: sg.tanh(h + v), x, sg.zeros((3, 4), sg.float64))
    turns = sg.scan(
        lambda h, v: sg.transpose(h) + sg.tanh(h), x[:, 0], sg.zeros((4, 4), sg.float64)
    )
    graph = sg.freeze([keeps, turns], [x])
    (_, kept), (_, turned) = layouts_inside(graph)
    assert kept[0] == kept[1] == Layout((0, 1))
    assert turned[0] is None
    require_layouts(graph, [np.ones((5, 3, 4))])


def test_values_inside_loops_lie_as_said():
    x = sg.placeholder("float64", [6, 3, 4])
    w = sg.placeholder("float64", [4, 4])
    h = sg.scan(lambda h, v: sg.tanh(h @ w + v), sg.reverse(x, [0]), sg.zeros((3, 4), sg.float64))
    y = sg.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a @ w + h[-1]), [0, h[0]])[1]
    z = sg.cond(sg.reduce_sum(y) > 0, lambda: sg.transpose(y) * 2, lambda: sg.exp(sg.transpose(y)))
    graph = sg.freeze([z, *sg.gradients(z, [x, w])], [x, w])
    known = {}
    stack = [(graph, None)]
    while stack:
        each, given = stack.pop()
        known |= layouts(each, given)
        stack += layouts_inside(each, given)
    wrong = []

    def watch(e, value):
        if e in known and isinstance(value, np.ndarray) and not lies_as(value, known[e]):
            wrong.append(e)

    rng = np.random.default_rng(0)
    sg.interpret(graph, [rng.standard_normal(e.shape) for e in graph.inputs], watch=watch)
    assert not wrong
    assert len(known) > 0.6 * sum(1 for g in (graph, *inner_graphs(graph)) for e in g.order)
