"""Small independent ops that do the same are computed as one."""

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.passes import BatchOps

N = 6


def turned(x, i):
    """A rotation of a vector by an angle."""
    c, s = sg.cos(x[i, 0]), sg.sin(x[i, 0])
    turn = sg.stack([sg.stack([c, -s]), sg.stack([s, c])])
    return sg.matmul(turn, x[i, 1:][:, None])[:, 0]


def chain(x):
    """Products of matrices, three after each other in each of several chains."""
    total = 0.0
    for start in range(0, 12, 3):
        place = sg.tanh(x[start])
        for k in range(start + 1, start + 3):
            place = place @ sg.tanh(x[k])
            total = total + sg.reduce_sum(place * place)
    return total


def points_on_chains(x):
    """What each link of several chains does to a matrix of its own."""
    loss = 0.0
    for start in range(0, 12, 3):
        place = x[start]
        for k in range(start, start + 3):
            place = place @ sg.tanh(x[k])
            loss = loss + sg.reduce_sum(sg.square(place @ x[k] - x[k]))
    return loss


PROGRAMS = {
    "rows": ([N, 3], lambda x: sg.stack([sg.exp(x[i]) * x[i] for i in range(N)])),
    "rows from the last": ([N, 3], lambda x: sg.stack([sg.exp(x[i]) for i in range(N)][::-1])),
    "every second row": ([2 * N, 3], lambda x: sg.stack([sg.sin(x[2 * i]) for i in range(N)])),
    "rows in disorder": ([N, 3], lambda x: sg.stack(
        [sg.sin(sg.exp(x[i])) + sg.cos(x[i]) for i in (3, 0, 5, 1, 4)]
    )),
    "shared operands": ([N, 3], lambda x: sg.stack([sg.exp(x[i]) * x for i in range(N)])),
    "different constants": ([N, 3], lambda x: sg.stack(
        [sg.sin(x[i] * float(i)) * 2.0 + np.arange(3.0) * i for i in range(N)]
    )),
    "rotations": ([N, 3], lambda x: sg.stack([turned(x, i) for i in range(N)])),
    "chains": ([12, 3, 3], chain),
    "points on chains": ([12, 3, 3], points_on_chains),
    "two kinds of what is shared": ([2 * N, 3], lambda x: sum(
        sg.reduce_sum(sg.exp(x[i]) * x[i + N] + sg.exp(x[i + N]) * x[i]) for i in range(N)
    )),
    "neighbours": ([N, 3], lambda x: sg.stack(
        [sg.exp(x[i]) - sg.sin(sg.exp(x[i + 1])) for i in range(N - 1)]
    )),
    "reductions": ([N, 3, 2], lambda x: sg.stack(
        [sg.reduce_max(x[i], 0) / sg.reduce_sum(x[i] * x[i]) for i in range(N)]
    )),
    "rows and columns": ([N, 4], lambda x: sum(sg.exp(x[i, 1]) * x[i, 3] for i in range(N))),
    "some members more often": ([N, 3], lambda x: sg.stack(
        [sg.exp(x[i]) + sg.exp(x[0]) for i in range(N)]
    )),
    "no rows, but zeros of them": ([N, 0], lambda x: sg.stack([sg.exp(x[i]) for i in range(N)])),
}  # fmt: skip


def graph_of(name, dtype, with_gradient=True):
    shape, program = PROGRAMS[name]
    with sg.Graph().as_default():
        x = sg.placeholder(dtype, shape, name="x")
        y = program(x)
        grads = sg.gradients(sg.reduce_sum(sg.abs(y * y)), x) if with_gradient else []
        return sg.freeze([y, *grads], [x])


def count(graph):
    return sum(e.op is not None for e in graph.order)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_batches_have_the_values_of_their_members(name, dtype):
    if dtype == "complex128" and name == "reductions":
        return  # complex numbers have no maximum
    graph = graph_of(name, dtype)
    done = BatchOps()(graph)
    sg.verify(done)
    x = np.random.default_rng(0).standard_normal(PROGRAMS[name][0]).astype(dtype)
    tolerance = 1e-4 if dtype == "float32" else 1e-12
    for got, want in zip(sg.interpret(done, [x]), sg.interpret(graph, [x]), strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["rotations", "chains", "reductions"])
def test_a_batch_is_a_fraction_of_the_ops(name):
    shape, program = PROGRAMS[name]
    with sg.Graph().as_default():
        x = sg.placeholder("float64", shape, name="x")
        y = sg.reduce_sum(program(x))
        fetches = [y, *sg.gradients(y, x)]
        batched = sg.compile(fetches, [x], verify=True)
        single = sg.compile(fetches, [x], without=BatchOps)
    assert count(batched.graph) * 2 < count(single.graph)


def test_links_of_chains_have_in_common_what_does_not_go_on():
    graph = BatchOps()(graph_of("points on chains", "float64", with_gradient=False))
    shapes = [e.shape for e in graph.order if e.op is not None and e.op.name == "matmul"]
    assert shapes.count((4, 3, 3)) == 3  # one for each link
    assert shapes.count((12, 3, 3)) == 1


def test_members_have_the_order_of_their_operands():
    """A derivative goes through its program backwards, and nothing is turned round for it."""
    graph = BatchOps()(graph_of("rotations", "float64"))
    keys = [e.attrs["index"] for e in graph.order if e.op is not None and e.op.name == "slice"]
    assert not [key for key in keys if type(key[0]) is tuple and (key[0][3] or 1) < 0]
    assert not [e for e in graph.order if e.op is not None and e.op.name == "getitem"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_that_are_not_finite_stay_in_their_rows(name):
    graph = graph_of(name, "float64", with_gradient=False)
    shape = PROGRAMS[name][0]
    for value in (np.nan, np.inf, -np.inf, -0.0, 1e300):
        x = np.random.default_rng(1).standard_normal(shape)
        if x.size:
            x[1, ..., 1] = value
        with np.errstate(all="ignore"):
            [got], [want] = sg.interpret(BatchOps()(graph), [x]), sg.interpret(graph, [x])
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_what_depends_on_each_other_stays():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [N, 3], name="x")
        y = x[0]
        for i in range(N):
            y = sg.sin(y * x[i])
        graph = sg.freeze([y], [x])
    assert BatchOps()(graph) is graph


def test_packs_that_need_each_other_are_not_made():
    """From below, the sines are alike; from above, the cosines: each waits for the other."""
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [4, 3], name="x")
        z = sg.placeholder("float64", [3], name="z")
        sines = [sg.sin(sg.exp(x[i])) for i in range(4)]
        first = [sg.cos(sines[0]), sg.cos(sines[1])]
        second = [sg.cos(z * 2.0), sg.cos(z - 1.0)]
        more = [sg.sin(sg.exp(v)) for v in second]
        y = sg.stack([*first, *second])
        graph = sg.freeze([y, *sines[2:], *more], [x, z])
    feeds = [np.arange(12.0).reshape(4, 3) / 10, np.ones(3)]
    done = BatchOps()(graph)
    sg.verify(done)
    for got, want in zip(sg.interpret(done, feeds), sg.interpret(graph, feeds), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("shape", [[N, "n"], [N, 5000]])
def test_unknown_sizes_and_large_members_stay(shape):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", shape, name="x")
        graph = sg.freeze([sg.stack([sg.exp(x[i]) for i in range(N)])], [x])
    assert BatchOps()(graph) is graph


def test_a_row_out_of_range_stays_an_error():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [None, 3], name="x")
        run = sg.compile(sg.stack([sg.exp(x[i]) for i in range(N)]), [x])
    assert run(np.zeros((N + 1, 3))).shape == (N, 3)
    with pytest.raises(IndexError, match="out of range"):
        run(np.zeros((N - 1, 3)))


def test_printing_stays_in_its_order(capfd):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [N, 3], name="x")
        rows = [sg.Print(sg.exp(x[i]), [x[i, 0]], f"row {i}") for i in range(N)]
        run = sg.compile(sg.stack(rows), [x])
    run(np.zeros((N, 3)))
    printed = [line for line in capfd.readouterr().err.splitlines() if "row" in line]
    assert [f"row {i}" in line for i, line in enumerate(printed)] == [True] * N


def test_random_numbers_of_rows_stay_the_same():
    found = []
    for optimize in (0, 2):
        with sg.Graph().as_default():
            sg.set_random_seed(0)
            x = sg.placeholder("float64", [N, 3], name="x")
            rows = [sg.exp(x[i]) * sg.random_uniform([3], seed=i, dtype="float64")
                    for i in range(N)]  # fmt: skip
            found.append(sg.Session(optimize=optimize).run(sg.stack(rows), {x: np.ones((N, 3))}))
    np.testing.assert_allclose(*found, rtol=1e-12)
