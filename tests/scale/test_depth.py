"""Depth is no limit: a million operations in a chain, with Python's recursion limit at 200."""

import subprocess
import sys
import textwrap

import pytest

EAGER = """
import gc, sys, weakref
import dynamicgrad as dg
gc.disable()
sys.setrecursionlimit(200)
x = dg.ones(3, dtype="float64", requires_grad=True)
y = x
for _ in range(500_000):
    y = y * 1.000001 + 0.5
middle = weakref.ref(y.grad_fn)
loss = y.sum()
loss.backward()
assert abs(x.grad[0].item() - 1.000001**500_000) < 1e-8
del loss, y
assert middle() is None, "the graph is not freed"
"""

STATIC = """
import gc, sys, weakref
import numpy as np
import staticgrad as sg
gc.disable()
sys.setrecursionlimit(200)
graph = sg.Graph()
with graph.as_default():
    x = sg.placeholder("float32", [3], name="x")
    y = x
    for _ in range(50_000):
        y = y * 1.00001 + 0.5
    loss = sg.reduce_sum(y)
    grads = sg.gradients(loss, [x])
    frozen = sg.freeze([loss, *grads], [x])
feed = np.ones(3, np.float32)
compiled = sg.compile(frozen, optimize=0)
generated, interpreted = compiled(feed), sg.interpret(frozen, [feed])
assert [a.tobytes() for a in generated] == [b.tobytes() for b in interpreted]
assert len(sg.parse(str(frozen))) == len(frozen)
assert frozen == sg.freeze([loss, *grads], [x])
try:
    compiled(np.ones(4, np.float32))
except ValueError as error:
    assert len(str(error)) < 1000
kept = [weakref.ref(e) for e in (y, frozen.outputs[0], compiled.graph)]
del loss, y, x, grads, frozen, compiled, graph
assert [ref() for ref in kept] == [None] * 3, "the graph is not freed"
"""

OTHER_WAYS = """
import copy, gc, pickle, sys, weakref
import numpy as np
import gradops, staticgrad as sg
gc.disable()
sys.setrecursionlimit(200)
graph = sg.Graph()
with graph.as_default():
    x = sg.placeholder("float32", ["n"], name="x")
    v = sg.Variable(0.5, name="v")
    y = x
    for _ in range(5_000):
        y = y * 1.00001 + v
    bad = y + np.ones(4, np.float32)
    (g,) = sg.gradients(y, v)
    step = v.assign_sub(g * 0.0)
session = sg.Session(graph)
feed = np.ones(3, np.float32)
value, gradient = session.run([y, g], {x: feed})
assert session.run(step, {x: feed}) == 0.5
assert abs(gradient / 3 - (1.00001**5_000 - 1) / 0.00001) < 10
frozen = sg.freeze([y, g], [x, v])
assert pickle.loads(pickle.dumps(frozen)) == frozen == copy.deepcopy(frozen)
for show in (repr, str, lambda e: repr(e.origin), lambda e: e.label):
    show(g)
try:
    session.run(bad, {x: feed})
except gradops.ShapeError as error:
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
else:
    raise SystemExit("no error")
tops = [weakref.ref(o) for o in (graph, y, g, frozen.outputs[1], session)]
del frozen, session, graph, y, bad, step, value, gradient, v, x, show
del g
assert [ref() for ref in tops] == [None] * 5, "the graph is not freed"
"""

PATHS = """
import dynamicgrad as dg, numpy as np, staticgrad as sg
x = dg.tensor(1.0, dtype="float64", requires_grad=True)
y = x
for _ in range(60):
    y = y + y
y.backward()
assert x.grad.item() == 2.0**60
x = sg.placeholder("float64", [], name="x")
y = x
for _ in range(60):
    y = y + y
assert sg.compile(sg.gradients(y, x), [x])(1.0)[0] == 2.0**60
"""


PROGRAMS = {
    "tape": EAGER, "graph": STATIC, "2**60 paths": PATHS,
    "session, text, pickle, errors": OTHER_WAYS,
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_deep_program_runs_and_is_freed(program):
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
