"""A matrix that is written as rows of entries is one stack."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OPS
from staticgrad.passes import FlattenStacks

FORMS = {
    "rows of numbers": ([6], lambda x: sg.stack([sg.stack([x[0], x[1]]), sg.stack([x[2], x[3]])])),
    "a constant row": ([6], lambda x: sg.stack(
        [sg.stack([x[0], x[1]]), sg.stack([x[2], x[3]]), sg.constant([0.0, 1.0], "float64")]
    )),
    "rows of vectors": ([6, 3], lambda x: sg.stack(
        [sg.stack([x[0], x[1]]), sg.stack([x[2], x[3]])]
    )),
    "matrices of vectors": ([6, 3], lambda x: sg.stack(
        [sg.stack([x[0], x[1]], 1), sg.stack([x[2], x[3]], 1)], 1
    )),
    "from the last axis": ([6, 3], lambda x: sg.stack(
        [sg.stack([x[0], x[1]], -1), sg.stack([x[2], x[3]], -1)], -2
    )),
    "three deep": ([8], lambda x: sg.stack([sg.stack(
        [sg.stack([x[i], x[i + 1]]), sg.stack([x[i + 2], x[i + 3]])]) for i in (0, 4)
    ])),
    "three deep with a constant": ([8], lambda x: sg.stack([*[sg.stack(
        [sg.stack([x[i], x[i + 1]]), sg.stack([x[i + 2], x[i + 3]])]) for i in (0, 4)
    ], np.arange(4.0).reshape(2, 2)])),
    "unknown sizes": (["n", 6], lambda x: sg.stack(
        [sg.stack([x[:, 0], x[:, 1]], 1), sg.stack([x[:, 2], x[:, 3]], 1)], 1
    )),
}  # fmt: skip
OTHERS = {
    "along another axis": ([6, 3], lambda x: sg.stack(
        [sg.stack([x[0], x[1]], 1), sg.stack([x[2], x[3]], 1)], 0
    )),
    "one is no stack": ([6, 2], lambda x: sg.stack([sg.stack([x[0, 0], x[0, 1]]), x[1]])),
    "one is read again": ([6], lambda x: sg.stack([(y := sg.stack([x[0], x[1]])), y * 2.0, y])),
}  # fmt: skip


def run(shape, form):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", shape, name="x")
        graph = sg.freeze([form(x)], [x])
    done = FlattenStacks()(graph)
    sg.verify(done)
    data = np.random.default_rng(0).standard_normal([4 if n == "n" else n for n in shape])
    [got], [want] = sg.interpret(done, [data]), sg.interpret(graph, [data])
    assert got.shape == want.shape
    assert got.tobytes() == want.tobytes()
    return graph, done


@pytest.mark.parametrize("name", FORMS)
def test_stacks_of_stacks_are_one(name):
    _, done = run(*FORMS[name])
    names = [e.op.name for e in done.order if e.op is not None]
    assert names.count("stack") == (3 if "three deep" in name else 1)


@pytest.mark.parametrize("name", OTHERS)
def test_other_stacks_stay(name):
    graph, done = run(*OTHERS[name])
    assert done is graph


def test_stacks_of_different_dtypes_stay():
    """The dtype of three operands at once is another one than that of two and then the third."""
    with sg.Graph().as_default():
        feeds = [sg.placeholder(t, [], name=t) for t in ("int16", "uint16", "float32")]
        a, b, c = feeds
        graph = sg.freeze([OPS["stack"](OPS["stack"](a, b), OPS["stack"](c, c))], feeds)
    assert FlattenStacks()(graph) is graph


def test_a_matrix_of_columns_is_one_call():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [4, 5], name="x")
        y = sg.stack([sg.stack([x[0], x[1]], 1), sg.stack([x[2], x[3]], 1)], 1)
        compiled = sg.compile([y], [x], verify=True)
    assert compiled.source.count("np.array(") == 1
    data = np.arange(20.0).reshape(4, 5)
    np.testing.assert_array_equal(compiled(data)[0], data.T.reshape(5, 2, 2))
