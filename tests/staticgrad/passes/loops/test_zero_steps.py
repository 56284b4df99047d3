"""A loop that makes no step does not fail for sizes that do not fit in its body, at any level."""

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg

PAIRS = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "where": lambda a, b: sg.where(a > 0, a, b),
    "matmul": lambda a, b: a @ b,
    "transposed": lambda a, b: ops.transpose(a) @ b,
    "concat": lambda a, b: sg.concat([a, b], -1),
    "reshape": lambda a, b: ops.reshape(a, shape=b.shape),
    "broadcast": lambda a, b: ops.broadcast_to(a, shape=b.shape),
    "exp of a sum": lambda a, b: ops.exp(a + b),
    "row": lambda a, b: (a + b)[0],
}
STEPS = {
    "of entries": lambda pair, a, b: lambda s, x: s + ops.sum(pair(x, b)),
    "of what steps share": lambda pair, a, b: lambda s, x: s + ops.sum(pair(a, b)) * ops.sum(x),
    "of the state": lambda pair, a, b: lambda s, x: s + ops.sum(pair(s * x, b)),
    "of both": lambda pair, a, b: lambda s, x: s + ops.sum(pair(x * a, b)) * s,
}


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("pair", PAIRS)
def test_sizes_matter_only_where_a_step_is_made(pair, step, rank):
    with sg.Graph().as_default():
        xs = sg.placeholder("float64", [None] * (rank + 1), name="xs")
        a, b = (sg.placeholder("float64", [None] * rank, name=n) for n in "ab")
        y = sg.foldl(STEPS[step](PAIRS[pair], a, b), xs, 0.5)
        found = [g for g in sg.gradients(y, [a, b, xs]) if g is not None]
        graph = sg.freeze([y, *found], [xs, a, b])
    for n, sizes in [(0, (3, 3, 2)), (0, (3, 2, 3)), (0, (2, 2, 2)), (2, (2, 2, 2))]:
        feeds = [np.full(([n] if i == 0 else []) + [m] * rank, 0.5) for i, m in enumerate(sizes)]
        wanted = sg.interpret(graph, feeds)
        for level in (0, 1, 2):
            got = sg.compile(graph, optimize=level)(*feeds)
            for g, w in zip(got, wanted, strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-12)
