"""Kernels in machine code compute what NumPy's kernels compute."""

import inspect
import itertools
import threading

import numpy as np
import pytest

import gradops
from gradops import OPS
from gradops.core.traits import Trait
from gradops.kernels.native_kernels import native_kernels
from gradops.kernels.threads import get_num_threads, set_num_threads
from gradops.native.kernels.library import GROUPS, callable_kernel, kernels

pytest.importorskip("llvmlite")

ULPS = 8  # between two sums of exponentials, each of which has an error of some ULP
SIZES = [(1, 1), (3, 5), (7,), (2, 3, 33), (5, 64), (4, 513), (2, 100_003), (600, 129), (0, 3)]
LABELS = "labels"
EXTREMES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -1e30, 1e-30]


def rows(op, **attrs):
    """Cases of an op of rows."""
    return [(op, (shape,), attrs) for shape in SIZES]


def same(op, count, **attrs):
    """Cases of an op of operands of one shape."""
    return [(op, (shape,) * count, attrs) for shape in SIZES]


def gates(op, count, of_state):
    """Cases of gates, of which a state has one for `count`."""
    sizes = [(1,), (3, 2), (2, 3, 5), (40, 65), (600, 33), (0, 2)]
    joined = [(*s[:-1], count * s[-1]) for s in sizes]
    return [(op, (j, s if of_state else j), {}) for j, s in zip(joined, sizes, strict=True)]


def norms(op, count):
    """Cases of norms: of rows, of several last axes, of channels, and others, by NumPy."""
    axes = [((3, 5), -1), ((7,), -1), ((2, 3, 33), (-1,)), ((4, 1000), -1), ((600, 129), -1),
            ((3, 4, 5), (-2, -1)), ((2, 3, 4, 5), (0, 2, 3)), ((5, 16, 20, 21), (0, 2, 3)),
            ((4, 6, 2, 8, 9), (2, 3, 4)), ((30, 8), (0,)), ((3, 4, 5), 1), ((0, 3), -1),
            ((2, 3, 40), (0, 2)), ((4, 5), (0, 1))]  # fmt: skip
    return [
        (op, (shape,) * count, {"axis": axis, "epsilon": e}) for shape, axis in axes
        for e in (1e-5,)
    ]  # fmt: skip


def along(op):
    """Cases of a reduction along the last and the first axis."""
    # fmt: off
    shapes = [((3, 5), -1), ((7,), 0), ((7,), None), ((2, 3, 33), 2), ((5, 64), 0), ((600, 129), 0),
              ((4, 1000), 0), ((3, 4, 5), 1), ((0, 3), -1), ((130, 2000), 0), ((8, 8), 0)]
    # fmt: on
    return [(op, (s,), {"axis": a, "keepdims": k}) for s, a in shapes for k in (False, True)]


def has_result(op):
    """Whether the kernel of an op of one array runs in machine code, and takes a result."""
    library = getattr(op.kernel, "library", None)
    takes_result = op.arity == 1 and "out" in inspect.signature(op.kernel).parameters
    return library and takes_result and Trait.REDUCTION not in op.traits


SPREAD = [((3, 5), (3, 1)), ((3, 5), (5,)), ((3, 5), (1, 5)), ((3, 5), (3, 5)), ((3, 1), (1, 5)),
          ((2, 3, 40), (2, 3, 1)), ((600, 129), (600, 1)), ((600, 129), (129,)), ((5,), (1,)),
          ((4, 2), (4, 1)), ((), (3,)), ((2, 3, 4), (3, 4))]  # fmt: skip


def labelled(op, **attrs):
    """Cases of an op of rows with a label each."""
    return [(op, (shape, (LABELS, *shape[:-1])), attrs) for shape in SIZES]


CASES = [
    *rows("softmax"), *rows("log_softmax"), *same("softmax_slope", 2),
    *same("log_softmax_slope", 2), *labelled("class_error"),
    *labelled("sparse_cross_entropy", reduction="none"),
    *labelled("sparse_cross_entropy", reduction="sum"), *same("sigmoid", 1),
    *same("silu", 1), *same("gelu", 1), *same("gelu", 1, approximate="tanh"),
    *same("gelu_slope", 1), *same("gelu_slope", 1, approximate="tanh"),
    *gates("lstm_gates", 4, False), *gates("gru_gates", 3, False), *gates("lstm_memory", 4, True),
    *gates("lstm_hidden", 4, True), *gates("gru_state", 3, True), *norms("standardize", 1),
    *along("logsumexp"), *[("exp_difference", shapes, {}) for shapes in SPREAD],
    *norms("inverse_spread", 1), *norms("standardize_slope", 2),
    *norms("divide_by_rms", 1), *norms("divide_by_rms_slope", 2),
    *same("binary_cross_entropy_with_logits", 2, reduction="none"),
    *same("binary_cross_entropy_with_logits", 2, reduction="sum"), *same("strong_product", 2),
]  # fmt: skip
every_case = pytest.mark.parametrize(
    ("op", "shapes", "attrs"), CASES, ids=[f"{c[0]}-{c[1]}-{c[2]}" for c in CASES]
)
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def operands_of(shapes, dtype, seed=0):
    """Random operands; labels are given as such."""
    rng = np.random.default_rng(seed)
    return [
        np.asarray(rng.integers(shapes[0][-1], size=shape[1:])) if shape[:1] == (LABELS,)
        else np.asarray(rng.normal(size=shape), dtype)
        for shape in shapes
    ]  # fmt: skip


def by_numpy(op, xs, attrs):
    """The results of NumPy's kernel."""
    with native_kernels(False), np.errstate(all="ignore"):
        return OPS[op].kernel(*xs, **attrs)


def parts(y):
    return y if isinstance(y, tuple) else (y,)


def assert_close(found, wanted, ulps=ULPS):
    """Compare, in units of the largest entry's last place."""
    for y, z in zip(parts(found), parts(wanted), strict=True):
        assert np.shape(y) == np.shape(z)
        assert y.dtype == z.dtype
        finite = np.abs(z[np.isfinite(z)]).max(initial=0)
        np.testing.assert_allclose(
            y, z, rtol=ulps * np.finfo(z.dtype).eps, atol=ulps * np.finfo(z.dtype).eps * finite
        )


@every_case
@every_dtype
def test_machine_code_computes_what_numpy_computes(op, shapes, attrs, dtype):
    xs = operands_of(shapes, dtype)
    assert_close(OPS[op].kernel(*xs, **attrs), by_numpy(op, xs, attrs))


@every_case
def test_machine_code_propagates_special_values_as_numpy_does(op, shapes, attrs):
    for seed, extreme in enumerate(EXTREMES):
        xs = operands_of(shapes, np.float32, seed)
        for x in xs:
            if x.size and x.dtype.kind == "f":
                x.flat[np.random.default_rng(seed).integers(x.size, size=2)] = extreme
        with np.errstate(all="ignore"):
            assert_close(OPS[op].kernel(*xs, **attrs), by_numpy(op, xs, attrs))


@every_case
def test_arrays_in_another_order_give_the_same_numbers(op, shapes, attrs):
    xs = [x.copy(order="F") for x in operands_of(shapes, np.float32)]
    assert_close(OPS[op].kernel(*xs, **attrs), by_numpy(op, xs, attrs))


@pytest.mark.parametrize("op", ["sigmoid", "silu", "gelu", "gelu_slope"])
@every_dtype
def test_entries_have_the_same_bits_in_any_layout_and_as_numbers(op, dtype):
    (x,) = operands_of([(6, 7)], dtype)
    wanted, out = OPS[op].kernel(x), np.empty((7, 6), dtype).T
    for y in (OPS[op].kernel(x.copy(order="F")), OPS[op].kernel(x.T).T, OPS[op].kernel(x, out=out)):
        assert y.tobytes() == wanted.tobytes()
    assert OPS[op].kernel(x[:, ::2]).tobytes() == wanted[:, ::2].tobytes()
    for i in range(6):
        assert OPS[op].kernel(x[i, 3]) == wanted[i, 3] == OPS[op].kernel(np.array(x[i, 3]))


@every_case
@every_dtype
def test_bits_are_the_same_on_any_number_of_threads(op, shapes, attrs, dtype):
    xs, usual, results = operands_of(shapes, dtype), get_num_threads(), []
    try:
        for n in (1, 2, 3):
            set_num_threads(n)
            results.append(parts(OPS[op].kernel(*xs, **attrs)))
    finally:
        set_num_threads(usual)
    for found in results[1:]:
        for y, z in zip(found, results[0], strict=True):
            assert y.tobytes() == z.tobytes()


def test_a_result_is_written_where_it_is_wanted():
    x = np.arange(12.0).reshape(3, 4)
    out = np.empty_like(x)
    assert OPS["softmax"].kernel(x, out=out) is out
    assert_close(out, by_numpy("softmax", [x], {}))
    assert OPS["softmax"].kernel(x, out=x) is x
    assert x.tobytes() == out.tobytes()


@pytest.mark.parametrize("op", [name for name, op in OPS.items() if has_result(op)])
@every_dtype
def test_a_result_may_overlap_an_operand(op, dtype):
    """Rows that come before, or after, or the same: as of an operand with memory of its own."""
    for n, other in itertools.product((4, 3_000), (slice(1, None), slice(0, -1), slice(0, None))):
        (x,) = operands_of([(n + 1, 7)], dtype)
        rows = slice(0, n) if other.start else slice(1, None) if other.stop else other
        wanted = OPS[op].kernel(x[rows].copy())
        y = OPS[op].kernel(x[rows], out=x[other])
        assert np.may_share_memory(x, y)
        assert_close(x[other], wanted)


@pytest.mark.parametrize("other", [(4, 3), (3, 5), (12,)])
def test_a_result_of_another_shape_is_refused_as_numpy_refuses_it(other):
    with pytest.raises(ValueError, match=r"shape|broadcast"):
        OPS["softmax"].kernel(np.zeros((3, 4)), out=np.empty(other))


def test_results_in_another_order_or_dtype_are_numpys():
    x = np.arange(12.0).reshape(3, 4)
    for out in (np.empty((4, 3)).T, np.empty((6, 4))[::2]):
        OPS["softmax"].kernel(x, out=out)
        assert_close(out, by_numpy("softmax", [x], {}))


def test_what_is_no_number_is_refused():
    found = callable_kernel("norms", "standardize")(np.ones((2, 3)), "much", None)
    assert found is NotImplemented


def test_numpys_kernels_run_in_a_context_that_asks_for_them():
    x = operands_of([(50, 40)], np.float32)[0]
    native = gradops.softmax(x)
    with native_kernels(False):
        without = gradops.softmax(x)
        with native_kernels(True):
            assert gradops.softmax(x).tobytes() == native.tobytes()
    assert without.tobytes() == OPS["softmax"].kernel.by_numpy(x).tobytes()


def test_many_threads_of_python_may_call_a_kernel_at_once():
    x = operands_of([(500, 300)], np.float32)[0]
    wanted, found = OPS["softmax"].kernel(x).tobytes(), []
    run = lambda: found.append(OPS["softmax"].kernel(x).tobytes())
    threads = [threading.Thread(target=run) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [wanted] * 8


def test_each_kernel_has_a_name_of_its_own_and_refuses_what_is_no_array():
    names = [(group, name) for group in GROUPS for name in kernels(group)]
    assert len({name for _, name in names}) == len(names)
    for group, name in names:
        kernel = kernels(group)[name]
        count = sum(map(len, (kernel.operands, kernel.counts, kernel.numbers, kernel.results)))
        assert callable_kernel(group, name)(*[0.0] * count) is NotImplemented
        assert callable_kernel(group, name)() is NotImplemented
