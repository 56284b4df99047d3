"""Fusion groups compute what their expressions do, in blocks of any size."""

import re
import threading

import numpy as np
import pytest

import gradops.kernels.blocks
import staticgrad as sg
from staticgrad.ir.graph import graphs_in
from staticgrad.passes import LEVELS, FuseElementwise, Pipeline

EVERY = FuseElementwise(threshold=0)
N, D = 37, 5


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(gradops.kernels.blocks, "BLOCK", 256)


def groups(graph):
    """The fusion groups of a graph: the names of the ops in each."""
    return [
        sorted(x.op.name for x in next(graphs_in(e)).order if x.op is not None)
        for e in graph.order
        if e.op is not None and e.op.name == "fused"
    ]


def check(fetches, feeds, values, **options):
    """Compile with fusion and compare with the graph as written; returns the executable."""
    run = sg.compile(fetches, feeds, passes=[*LEVELS[1], EVERY], **options)
    plain = sg.compile(fetches, feeds, optimize=0)
    for _ in range(2):  # the second call has the buffers of the first
        for got, want in zip(run(*values), plain(*values), strict=True):
            assert got.dtype == want.dtype
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    return run


def example(seed=0):
    """Operands of all forms: rows, one entry a row, one row, a number."""
    rng = np.random.default_rng(seed)
    shapes = [(N, D), (N, D), (N, 1), (1, D), (D,), ()]
    feeds = [sg.placeholder("float64", shape, name=f"x{i}") for i, shape in enumerate(shapes)]
    return feeds, [rng.normal(size=shape) for shape in shapes]


def test_values_and_gradients_of_an_expression_are_one_group():
    x, y = (sg.placeholder("float64", [N]) for _ in range(2))
    loss = sg.reduce_sum(sg.tanh(x * y) + sg.exp(-x * x))
    rng = np.random.default_rng(0)
    run = check([loss, *sg.gradients(loss, [x, y])], [x, y], [rng.normal(size=N) for _ in "xy"])
    [group] = groups(run.graph)
    assert "sum" in group
    assert group.count("exp") == group.count("tanh") == 1
    assert "in_blocks(block, 19, " in run.source
    assert "out=gradients_mul_add_rows)" in run.source  # a result, in which the block lies


def test_arrays_of_one_shape_are_a_row_of_entries():
    x, y = (sg.placeholder("float64", [3, 4, 5]) for _ in range(2))
    rng = np.random.default_rng(0)
    fetches = [sg.tanh(x * y + 1.0), sg.reduce_sum(x * y)]
    run = check(fetches, [x, y], [rng.normal(size=(3, 4, 5)) for _ in "xy"])
    assert len(groups(run.graph)) == 1
    assert "in_blocks(block, 30, " in run.source


def test_rows_are_reduced_and_repeated_inside_of_a_group():
    feeds, values = example()
    x, y, column, row, bias, number = feeds
    z = sg.relu(x * row + bias) * number
    shifted = z - sg.reduce_max(z, axis=1, keepdims=True)
    p = sg.exp(shifted) / sg.reduce_sum(sg.exp(shifted), axis=-1, keepdims=True)
    run = check([p * column - y, sg.reduce_sum(p, axis=0), sg.reduce_sum(p * y)], feeds, values)
    assert len(groups(run.graph)) == 1


def test_what_is_computed_from_sums_of_a_group_is_not_in_it():
    x = sg.placeholder("float64", [N])
    total = sg.reduce_sum(sg.exp(x) * sg.tanh(x))
    run = check([sg.reduce_sum(sg.exp(x * total) * sg.tanh(x - total))], [x], [np.arange(N) / N])
    assert len(groups(run.graph)) == 2


def test_groups_do_not_wait_for_each_other():
    x, w = sg.placeholder("float64", [N, 4]), sg.placeholder("float64", [4, 4])
    h = x
    for _ in range(3):
        h = sg.matmul(sg.tanh(h * 2.0) + h * x, w)
    loss = sg.reduce_sum(h * h)
    values = [np.random.default_rng(0).normal(size=x.shape) for x in (x, w)]
    check([loss, *sg.gradients(loss, [x, w])], [x, w], values)


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_are_grouped_without_a_cycle(seed):
    rng = np.random.default_rng(seed)
    feeds, values = example(seed)
    pool = list(feeds)
    for _ in range(25):
        a, b = (pool[i] for i in rng.integers(len(pool), size=2))
        match rng.integers(8):
            case 0 | 1 | 2:
                pool.append((a + b, a * b, sg.maximum(a, b))[rng.integers(3)])
            case 3 | 4:
                pool.append(sg.tanh(a))
            case 5 if len(a.shape) == 2:
                pool.append(sg.reduce_sum(a, axis=int(rng.integers(2)), keepdims=True))
            case 6 if a.shape == (N, D):
                pool.append(sg.matmul(a, np.ones((D, D)) / D))
            case 7:
                pool.append(sg.reduce_max(a))
    some = [e for e in pool[6:] if e.shape in ((N, D), (), (N, 1), (D,), (1, D))]
    picked = [some[i] for i in rng.permutation(len(some))[:4]]
    check([*picked, some[-1]], feeds, values)


def test_values_that_end_in_the_run_lie_in_its_arena():
    x, w = sg.placeholder("float64", [500, 8]), sg.placeholder("float64", [8, 3])
    h = sg.tanh(x * 2.0 + 1.0)
    rng = np.random.default_rng(0)
    run = check([sg.matmul(h, w)], [x, w], [rng.normal(size=e.shape) for e in (x, w)])
    assert ", (b0,))" in run.source


def test_operands_and_results_of_a_group_never_share_memory():
    x, w = sg.placeholder("float64", [600, 4]), sg.placeholder("float64", [4, 4])
    h = sg.matmul(x, w)  # ends in the group
    y = sg.tanh(h) * 2.0 + x
    z = sg.matmul(y * h, w)
    rng = np.random.default_rng(0)
    check([sg.matmul(y, w) + z], [x, w], [rng.normal(size=e.shape) for e in (x, w)])


def test_arrays_of_unknown_sizes_other_layouts_and_few_bytes_stay():
    pipeline = Pipeline([EVERY])
    x = sg.placeholder("float64", ["n", 4])
    assert not groups(pipeline(sg.freeze([sg.tanh(x) * x + 1.0], [x])))
    y = sg.placeholder("float64", [8, 4])
    turned = sg.transpose(y)
    assert not groups(pipeline(sg.freeze([sg.tanh(turned) * turned + 1.0], [y])))
    graph = sg.freeze([sg.tanh(y) * y + 1.0], [y])
    assert groups(pipeline(graph))
    assert not groups(Pipeline([FuseElementwise()])(graph))


def test_large_arrays_are_fused_by_default():
    x = sg.placeholder("float32", [1 << 20])
    run = sg.compile([sg.tanh(x * x) + x], [x])
    assert len(groups(run.graph)) == 1
    assert not groups(sg.compile([sg.tanh(x * x) + x], [x], optimize=1).graph)


def test_groups_in_the_body_of_a_loop():
    x, xs = sg.placeholder("float64", [N]), sg.placeholder("float64", [3, N])
    last = sg.foldl(lambda s, e: sg.tanh(s * e) + s * 2.0, xs, x)
    rng = np.random.default_rng(0)
    run = check(
        [last, *sg.gradients(last, [x])], [x, xs], [rng.normal(size=e.shape) for e in (x, xs)]
    )
    assert "in_blocks" in run.source


def test_errors_in_a_block_name_the_line_and_the_next_call_is_right(monkeypatch):
    x = sg.placeholder("float64", [N])
    y = sg.exp(x * 2.0) + x
    run = sg.compile([y], [x], passes=[EVERY])
    with np.errstate(over="raise"), pytest.raises(FloatingPointError) as raised:
        run(np.full(N, 1e3))
    assert any("test_elementwise.py" in note for note in raised.value.__notes__)
    assert run(np.zeros(N))[0].tolist() == [1.0] * N


def test_calls_in_threads_have_memory_of_their_own():
    x = sg.placeholder("float64", [N])
    run = sg.compile([sg.tanh(x * 3.0) * x + 1.0], [x], passes=[EVERY])
    values = np.random.default_rng(0).normal(size=(8, N))
    wrong = []

    def call(v):
        for _ in range(50):
            if not np.allclose(run(v)[0], np.tanh(v * 3) * v + 1):
                wrong.append(v)

    threads = [threading.Thread(target=call, args=(v,)) for v in values]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_reports_profiles_and_checks_see_groups():
    x = sg.placeholder("float64", [N], name="x")
    y = sg.sqrt(x * 3.0) * x + 1.0
    value = np.linspace(0.0, 1.0, N)
    run = check([y], [x], [value])
    assert "fused" in str(run.profile([value], repeat=2))
    assert "fused" in str(run.report)
    checking = sg.compile([y], [x], passes=[EVERY], check_numerics=True)
    np.testing.assert_allclose(checking(value)[0], run(value)[0])
    with np.errstate(invalid="ignore"), pytest.raises(Exception, match="sqrt"):
        checking(-value - 1)


def test_a_group_is_verified():
    x = sg.placeholder("float64", [N])
    value = np.linspace(0.0, 1.0, N)
    sg.compile([sg.tanh(x) * x + 1.0, sg.reduce_sum(x * x)], [x], passes=[EVERY], verify=[value])


def test_the_text_of_a_group_parses_back():
    x = sg.placeholder("float64", [N])
    graph = Pipeline([EVERY])(sg.freeze([sg.tanh(x) * x + 1.0, sg.reduce_sum(x * x)], [x]))
    again = sg.parse(str(graph))
    assert again == graph
    value = np.linspace(0.0, 1.0, N)
    for got, want in zip(sg.interpret(again, [value]), sg.interpret(graph, [value]), strict=True):
        assert got.tobytes() == want.tobytes()


def test_sums_of_rows_with_one_entry_are_not_sums_of_all_rows():
    x = sg.placeholder("float64", [N, 1])
    y = sg.tanh(sg.reduce_sum(sg.exp(x), axis=1, keepdims=True)) * x
    check([y, *sg.gradients(sg.reduce_sum(y * y), [x])], [x], [np.linspace(-1, 1, N)[:, None]])


def test_beside_large_products_blocks_have_one_thread():
    def f(y):
        return sg.tanh(y) * sg.exp(-y) + sg.sin(y) * 2.0

    x, w = sg.placeholder("float32", [1024, 1024]), sg.placeholder("float32", [1024, 1024])
    beside, alone = sg.compile(f(x @ w), [x, w]), sg.compile(f(x * w), [x, w])
    assert re.search(r"in_blocks\(.*, 1\)", beside.source)
    assert re.search(r"in_blocks\(.*[^1]\)  #", alone.source)
    a = np.random.default_rng(0).normal(size=(2, 1024, 1024)).astype("f4") / 32
    np.testing.assert_allclose(beside(*a), sg.compile(f(x @ w), [x, w], optimize=0)(*a), 1e-5)
