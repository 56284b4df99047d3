"""Executables of the native tier: feeds of all kinds, errors, threads, memory."""

import gc
import signal
import sys
import threading
import weakref

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, OptionError

pytest.importorskip("llvmlite")


@pytest.fixture
def affine():
    """tanh(x @ w + 1), its sum and its gradient."""
    x, w = sg.placeholder("float64", [40, 30], name="x"), sg.placeholder("float64", [30, 50])
    y = sg.tanh(x @ w + 1.0)
    fetches = [y, sg.reduce_sum(y), *sg.gradients(sg.reduce_sum(y), [w])]
    return tuple(sg.compile(fetches, [x, w], backend=b) for b in ("native", "numpy"))


def feeds(seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(40, 30)), rng.normal(size=(30, 50))]


def check(pair, *args):
    """Compare a native executable with one of NumPy."""
    native, numpy = pair
    for got, want in zip(native(*args), numpy(*args), strict=True):
        assert type(got) is type(want)
        np.testing.assert_allclose(got, want, 1e-12, 1e-12)


def misaligned(x):
    """A copy at an odd address."""
    memory = np.empty(x.nbytes + 1, np.uint8)
    result = np.frombuffer(memory[1:].data, x.dtype).reshape(x.shape)
    np.copyto(result, x)
    return result


@pytest.mark.parametrize("change", [
    lambda x: x, np.asfortranarray, lambda x: x[::-1], np.ndarray.tolist, misaligned,
    lambda x: np.repeat(x, 2, axis=1)[:, ::2], lambda x: x.astype(">f8"),
    lambda x: np.broadcast_to(x[:1], x.shape), lambda x: x.view(np.memmap),
])  # fmt: skip
def test_feeds_of_all_kinds(affine, change):
    x, w = feeds()
    x = change(x)
    if isinstance(x, np.ndarray):
        x.flags.writeable = False
    check(affine, x, w)


def test_what_is_no_feed_is_refused_as_by_numpy(affine):
    x, w = feeds()
    for args in [(x[:3], w), (x[0], w), ("a", w), (None, w), (x * 1j, w)]:
        messages = []
        for executable in affine:
            with pytest.raises(FeedError) as caught:
                executable(*args)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]
    with pytest.raises(FeedError):
        affine[0](x)
    check(affine, x, w)


def test_results_are_fresh_and_keep_nothing_alive(affine):
    native, _ = affine
    x, w = feeds()
    first = native(x, w)
    kept = [np.array(y) for y in first]
    native(x + 1, w)
    for y, k in zip(first, kept, strict=True):
        np.testing.assert_array_equal(y, k)
    counts = [sys.getrefcount(z) for z in (x, w, np.dtype("f8"), NotImplemented)]
    for _ in range(100):
        native(x, w)
    assert [sys.getrefcount(z) for z in (x, w, np.dtype("f8"), NotImplemented)] == counts
    count = sys.getrefcount(first[0])
    assert count == 2


def test_it_may_be_called_from_many_threads(affine):
    native, numpy = affine
    wrong = []

    def work(seed):
        x, w = feeds(seed)
        want = numpy(x, w)
        for _ in range(30):
            wrong.extend(
                seed for got, y in zip(native(x, w), want, strict=True)
                if not np.allclose(got, y, 1e-12, 1e-12)
            )  # fmt: skip

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_executables_are_freed():
    x = sg.placeholder("float64", [100_000])
    for _ in range(3):
        executable = sg.compile(sg.exp(x) @ sg.exp(-x), [x], backend="native")
        executable(np.ones(100_000))
        del executable
        gc.collect()


def test_matrices_that_are_singular_raise_numpys_error():
    a = sg.placeholder("float64", [3, 3], name="a")
    native, numpy = (sg.compile(sg.linalg.cholesky(a), [a], backend=b) for b in ("native", "numpy"))
    np.testing.assert_allclose(native(np.eye(3) * 4), np.eye(3) * 2)
    for executable in (native, numpy):
        with pytest.raises(Exception, match=r"positive definite") as caught:
            executable(-np.eye(3))
        assert any("test_executables.py" in note for note in caught.value.__notes__)


def test_an_index_that_is_too_large_raises_numpys_error():
    x, i = sg.placeholder("float64", [3]), sg.placeholder("int64", [2])
    native = sg.compile(sg.gather(x, i), [x, i], backend="native")
    values = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(native(values, np.array([2, 0])), [3.0, 1.0])
    with pytest.raises(IndexError, match="3"):
        native(values, np.array([0, 3]))


def test_forms_of_results():
    x = sg.placeholder("float32", [], name="x")
    assert sg.compile({"a": x * 2, "b": [x + 1]}, [x], backend="native")(3.0) == {"a": 6, "b": [4]}
    y = sg.compile(sg.sin(x), [x], backend="native")(np.float32(0.5))
    assert type(y) is np.float32
    assert y == pytest.approx(np.sin(0.5))


def test_what_cannot_be_compiled_is_named():
    x = sg.placeholder("float64", [3], name="x")
    grows = sg.while_loop(lambda v: sg.reduce_sum(v) < 9.0, lambda v: (v * 2.0,), [x])
    gradient = sg.gradients(sg.reduce_sum(grows), [x])
    with pytest.raises(OptionError, match="list"):
        sg.compile(gradient, [x], backend="native")
    auto = sg.compile(gradient, [x], backend="auto")
    np.testing.assert_array_equal(auto(np.ones(3))[0], np.full(3, 4.0))
    with pytest.raises(OptionError, match="backend is one of"):
        sg.compile(sg.exp(x), [x], backend="fast")


def test_a_function_taken_from_its_executable_keeps_the_code():
    x = sg.placeholder("float64", [300], name="x")
    run = sg.compile(sg.sort(sg.exp(x)), [x], backend="native").run
    gc.collect()
    values = np.linspace(-1.0, 1.0, 300)
    np.testing.assert_allclose(run(values)[()], np.exp(values), 1e-15)


def test_code_is_shown(affine):
    assert "define i32 @run" in affine[0].ir
    assert "body" in affine[0].assembly


def test_code_is_verified():
    x = sg.placeholder("float64", [20, 30], name="x")
    loss = sg.reduce_sum(sg.square(sg.nn.softmax(x @ sg.transpose(x) * 0.1)))
    for level in (0, 1, 2):
        fetches = [loss, *sg.gradients(loss, [x])]
        sg.compile(fetches, [x], level, verify=True, backend="native")


def test_loops_keep_their_lists_and_state():
    x, w = sg.placeholder("float64", [50, 8]), sg.placeholder("float64", [8, 8])
    states = sg.scan(lambda h, row: sg.tanh(h @ w + row), x, sg.constant(np.zeros(8)))
    loss = sg.reduce_sum(states * states) + sg.reduce_sum(states[-1])
    fetches = [loss, states, *sg.gradients(loss, [x, w])]
    pair = tuple(sg.compile(fetches, [x, w], backend=b) for b in ("native", "numpy"))
    rng = np.random.default_rng(0)
    check(pair, rng.normal(size=(50, 8)), rng.normal(size=(8, 8)) / 3)


def test_unrolled_loops_are_rolled():
    x = sg.placeholder("float64", [3])
    y = x
    for i in range(60):
        y = sg.sin(y * 1.5 + x) + float(i % 2)
    fetches = [y, *sg.gradients(sg.reduce_sum(y), [x])]
    pair = tuple(sg.compile(fetches, [x], backend=b) for b in ("native", "numpy"))
    check(pair, np.array([0.1, 0.2, 0.3]))


def test_arrays_that_are_copied_for_a_view_are_copied_before_the_loops_that_read_it():
    x = sg.placeholder("float64", [3, 4, 5], name="x")
    moved = sg.reshape(sg.transpose(sg.exp(x), [2, 0, 1]), [15, 4])
    native = sg.compile(sg.reduce_sum(moved * 2.0, 0), [x], backend="native")
    values = np.arange(60.0).reshape(3, 4, 5) / 60
    np.testing.assert_allclose(native(values), 2 * np.exp(values).sum(axis=(0, 2)), 1e-14)
    depth = most = 0
    for line in native.ir.splitlines():  # loops within loops
        depth += line.startswith("head") - (line.startswith("end") and depth > 0)
        most = max(most, depth)
    assert most <= 3


def test_ops_without_machine_code_are_calls_of_kernels():
    x = sg.placeholder("float64", [4, 5], name="x")
    y = sg.sort(sg.exp(x), axis=1)
    q, r = sg.linalg.qr(sg.transpose(x) * 2.0)
    fetches = [y * 2.0, q @ r, sg.cumsum(y, 0), *sg.gradients(sg.reduce_sum(y * y), [x])]
    pair = tuple(sg.compile(fetches, [x], backend=b) for b in ("native", "numpy"))
    assert "PyObject_CallFunctionObjArgs(ptr @kept" in pair[0].ir
    check(pair, np.random.default_rng(0).normal(size=(4, 5)))


def test_dtypes_without_arithmetic_are_moved():
    x = sg.placeholder("float16", [4, 6], name="x")
    z = sg.placeholder("complex128", [3], name="z")
    fetches = [sg.transpose(x)[::2], x * x, sg.stack([z, z * 2.0]), sg.cast(x, "uint8")]
    pair = tuple(sg.compile(fetches, [x, z], backend=b) for b in ("native", "numpy"))
    rng = np.random.default_rng(0)
    check(pair, rng.uniform(0, 9, (4, 6)).astype("f2"), rng.normal(size=3) + 1j)


def test_branches_and_loops_with_a_condition():
    x = sg.placeholder("float64", [3], name="x")
    y = sg.cond(sg.reduce_sum(x) > 0.0, lambda: sg.sin(x), lambda: x * x)
    z = sg.switch_case(sg.cast(x[0] * 3.0, "int64"), [lambda: x, lambda: x + 1.0, lambda: -x])
    count, last = sg.while_loop(
        lambda i, v: sg.reduce_sum(v) < 100.0, lambda i, v: (i + 1, v * 1.5 + 0.1),
        [sg.constant(0), sg.exp(x)],
    )  # fmt: skip
    fetches = [y, z, count, last, *sg.gradients(sg.reduce_sum(y), [x])]
    pair = tuple(sg.compile(fetches, [x], backend=b) for b in ("native", "numpy"))
    for first in (-1.0, 0.1, 0.4, 0.8, 5.0):
        check(pair, np.array([first, 0.2, 0.3]))


def test_a_loop_without_end_can_be_stopped():
    x = sg.placeholder("float64", [3], name="x")
    loop = sg.while_loop(lambda v: sg.reduce_sum(v) < 100.0, lambda v: (sg.sin(v),), [x])
    native = sg.compile(loop, [x], backend="native")
    ran = threading.Event()
    threading.Timer(0.05, ran.set).start()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            native(np.ones(3))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert ran.is_set()  # other threads run meanwhile


def test_sessions_train_in_machine_code():
    rng = np.random.default_rng(0)
    start = [rng.normal(size=(8, 16)), rng.normal(size=(16, 1))]
    x, y = sg.placeholder("float64", [32, 8], name="x"), sg.placeholder("float64", [32, 1])
    w, v = (sg.Variable(value) for value in start)
    loss = sg.reduce_mean(sg.square(sg.tanh(x @ w) @ v - y))
    train = sg.train.AdamOptimizer(0.01).minimize(loss)
    data = {x: rng.normal(size=(32, 8)), y: rng.normal(size=(32, 1))}
    losses = []
    for backend in ("numpy", "native"):
        with sg.Session(backend=backend) as session:
            session.run(sg.global_variables_initializer())
            losses.append([session.run([loss, train], data)[0] for _ in range(30)])
    np.testing.assert_allclose(losses[1], losses[0], 1e-9)
    with pytest.raises(OptionError, match="Session"):
        sg.Session(backend="fast")


def test_large_constants_are_not_part_of_the_text():
    table = np.random.default_rng(0).normal(size=(300, 200))
    x = sg.placeholder("float64", [200], name="x")
    native = sg.compile(sg.constant(table) @ x, [x], backend="native")
    assert len(native.ir) < 20_000
    np.testing.assert_allclose(native(np.ones(200)), table.sum(1), 1e-10)


@pytest.mark.parametrize(("missing", "says"), [
    ("is_installed", r"llvmlite, and a BLAS\n  hint: pip install"), ("is_known_here", "CPython"),
])  # fmt: skip
def test_where_it_cannot_run_numpy_does(monkeypatch, missing, says):
    monkeypatch.setattr(f"staticgrad.runtime.backends.choice.{missing}", lambda: False)
    x = sg.placeholder("float64", [3], name="x")
    with pytest.raises(OptionError, match=says):
        sg.compile(sg.exp(x), [x], backend="native")
    auto = sg.compile(sg.exp(x), [x], backend="auto")
    assert not hasattr(auto, "ir")
    np.testing.assert_array_equal(auto(np.zeros(3)), np.ones(3))


def test_feeds_by_name_are_those_by_place(affine):
    x, w = feeds()
    names = [e.name for e in affine[0].written.inputs]
    by_place = affine[0](x, w)
    for given in ({names[0]: x, names[1]: w}, {names[1]: w, names[0]: x.tolist()}):
        for got, want in zip(affine[0](**given), by_place, strict=True):
            np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(affine[0](x, **{names[1]: w})[0], by_place[0])
    for given in ({names[0]: x}, {names[0]: x, "q": w}):
        messages = []
        for executable in affine:
            with pytest.raises(FeedError) as caught:
                executable(**given)
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


def test_reference_counts_alone_free_an_executable():
    x = sg.placeholder("float32", [3])
    f = sg.compile(x * 2, [x], backend="native")
    f(np.ones(3, "float32"))
    gone = weakref.ref(f), weakref.ref(f.native.code)
    gc.disable()
    try:
        del f
        assert [r() for r in gone] == [None, None]
    finally:
        gc.enable()
