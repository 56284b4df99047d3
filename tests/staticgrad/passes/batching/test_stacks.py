"""A stack of stacks is one stack."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.passes import MergeStacks

N = 3


def stacks(*rows, axis=0):
    return sg.stack([sg.stack(row, axis) for row in rows], axis)


PROGRAMS = {
    "numbers": lambda x: stacks([x[0, 0], x[1, 1]], [x[0, 1], x[0, 2]]),
    "rows": lambda x: stacks([x[0], x[1]], [x[2], x[0]]),
    "columns": lambda x: stacks([x[0], x[1]], [x[2], x[0]], axis=1),
    "constants": lambda x: sg.stack([sg.stack([x[0], x[1]]), np.ones((2, 4)).astype(x.dtype)]),
    "constant columns": lambda x: sg.stack(
        [sg.stack([x[0], x[1]], 1), np.arange(8.0).reshape(4, 2).astype(x.dtype)], 1
    ),
    "no axis of entries": lambda x: stacks([x[0, :0], x[1, :0]], [x[2, :0], x[0, :0]], axis=1),
}
STAY = {
    "last axes": lambda x: stacks([x[0], x[1]], [x[2], x[0]], axis=-1),
    "different axes": lambda x: sg.stack([sg.stack([x[0], x[1]], 1), sg.stack([x[2], x[0]], 1)]),
    "others read them": lambda x: (lambda y: sg.stack([y, y * 2.0]))(sg.stack([x[0], x[1]])),
    "other operands": lambda x: sg.stack([sg.stack([x[0], x[1]]), x[1:]]),
    "many entries": lambda x: sg.stack([sg.stack([x[0]] * 40), sg.stack([x[1]] * 40)]),
}


def graph_of(program, dtype="float64"):
    with sg.Graph().as_default():
        x = sg.placeholder(dtype, [N, 4], name="x")
        return sg.freeze([program(x)], [x])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_stack_of_stacks_is_one_stack_of_the_same_bits(name, dtype):
    graph = graph_of(PROGRAMS[name], dtype)
    done = MergeStacks()(graph)
    sg.verify(done)
    assert sum(e.op is not None and e.op.name == "stack" for e in done.order) == 1
    x = np.arange(4 * N).reshape(N, 4).astype(dtype)
    [got], [want] = sg.interpret(done, [x]), sg.interpret(graph, [x])
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", STAY)
def test_other_stacks_stay(name):
    graph = graph_of(STAY[name])
    done = MergeStacks()(graph)
    assert [e.what for e in done.order] == [e.what for e in graph.order]


def test_operands_of_different_dtypes_stay():
    with sg.Graph().as_default():
        x, y = sg.placeholder("float32", [4], name="x"), sg.placeholder("float64", [4], name="y")
        graph = sg.freeze([stacks([x, x], [y, y])], [x, y])
    assert sum(e.op is not None and e.op.name == "stack" for e in MergeStacks()(graph).order) == 3


def test_stacks_of_unknown_size_stay():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [N, "n"], name="x")
        graph = sg.freeze([stacks([x[0], x[1]], [x[2], x[0]])], [x])
    assert sum(e.op is not None and e.op.name == "stack" for e in MergeStacks()(graph).order) == 3


def test_a_matrix_of_numbers_is_one_call():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [4], name="x")
        run = sg.compile([stacks([x[0], x[1]], [x[2], x[3]])], [x], verify=True)
    assert run.source.count("np.array(") == 1
    np.testing.assert_array_equal(run(np.arange(4.0))[0], np.arange(4.0).reshape(2, 2))
