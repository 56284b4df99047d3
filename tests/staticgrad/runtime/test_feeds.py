"""What may be fed, and the sizes that feeds tell."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import Dim, FeedError, GradError, GraphError
from staticgrad.runtime.feeds import as_feed, sizes_of_feeds


def leaf(dtype, *shape):
    return sg.placeholder(dtype, shape, name="x")


@pytest.mark.parametrize(("dtype", "value"), [
    ("float32", [1, 2]), ("float32", [1.5, 2]), ("float32", [True, False]), ("float64", [1, 2]),
    ("int8", [127, -128]), ("uint8", [0, 255]), ("int64", [True, False]), ("bool", [True, False]),
    ("complex128", [1, 2.5]), ("uint64", [2**64 - 1, 2**63]),
])  # fmt: skip
def test_numbers_are_converted_if_nothing_is_lost(dtype, value):
    found = as_feed(leaf(dtype, 2), value)
    assert found.dtype == dtype
    assert found.tolist() == value


@pytest.mark.parametrize(("dtype", "value"), [
    ("int64", [1.0, 2.0]), ("int8", [128, 0]), ("uint8", [-1, 0]), ("bool", [1, 0]),
    ("float32", [1j, 0]), ("int64", [2**64, 0]), ("float32", ["1", "2"]), ("float32", [None, 1]),
])  # fmt: skip
def test_numbers_that_do_not_fit_are_refused(dtype, value):
    with pytest.raises(FeedError, match=r"x: .*\[2\] was fed (?s:.*)x was made at test_feeds\.py"):
        as_feed(leaf(dtype, 2), value)


def test_arrays_must_have_the_dtype_but_not_the_byte_order():
    x = leaf("float32", 2)
    assert as_feed(x, np.array([1, 2], ">f4")).dtype.isnative
    with pytest.raises(FeedError, match=r"hint: feed value.astype\('float32'\)"):
        as_feed(x, np.array([1.0, 2.0]))
    with pytest.raises(FeedError):
        as_feed(leaf("float32"), np.float64(1))


def test_nothing_to_convert_has_any_dtype():
    assert as_feed(leaf("int64", 0), []).dtype == np.int64
    assert as_feed(leaf("bool", 2, 0), [[], []]).dtype == np.bool_


def test_a_tensor_is_fed_its_value_unless_it_would_be_cut_off():
    x = leaf("float32", 2)
    assert as_feed(x, dg.ones(2)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match=r"sg\.function\(f\)"):
        as_feed(x, dg.ones(2, requires_grad=True))


def sizes(*pairs):
    inputs = [sg.placeholder("float32", shape) for shape, _ in pairs]
    return sizes_of_feeds(inputs, [np.zeros(n, np.float32) for _, n in pairs])


N, M = Dim("n"), Dim("m")


@pytest.mark.parametrize(("pairs", "expected"), [
    ([(["n", 3], (2, 3))], {"n": 2}),
    ([(["n", "n"], (2, 2))], {"n": 2}),
    ([([2 * N + 1], (7,))], {"n": 3}),
    ([([5 - N], (2,))], {"n": 3}),
    ([([N + 1], (4,)), (["n"], (3,))], {"n": 3}),
    ([([N * M], (6,)), (["n", "m"], (2, 3))], {"n": 2, "m": 3}),
    ([([N // 2], (3,)), (["n"], (7,))], {"n": 7}),
    ([([N * M], (6,))], {}),
    ([([2, 3], (2, 3))], {}),
])  # fmt: skip
def test_names_are_told_by_what_is_fed(pairs, expected):
    assert sizes(*pairs) == expected


@pytest.mark.parametrize(("pairs", "says"), [
    ([(["n", "n"], (2, 3))], "n is 2 in"),
    ([(["n"], (2,)), (["n"], (3,))], "n is 2 in placeholder: float32[n], but 3 in placeholder_1"),
    ([([N + 1], (5,)), (["n"], (3,))], "n + 1 is 4 in placeholder_1: float32[n], but 5 in"),
    ([([2 * N], (5,))], "2*n cannot be 5 in placeholder"),
    ([([N + 3], (2,))], "n + 3 cannot be 2 in placeholder"),
])  # fmt: skip
def test_sizes_that_do_not_agree_are_refused_with_all_lines(pairs, says):
    with pytest.raises(FeedError) as caught:
        sizes(*pairs)
    assert says in str(caught.value)
    assert str(caught.value).count("was made at test_feeds.py") == 1 + (" is " in says)


def test_generated_code_refuses_them_too():
    a, b = sg.placeholder("float32", [N + 1], name="a"), sg.placeholder("float32", ["n"], name="b")
    f = sg.compile(sg.reduce_sum(a) + sg.reduce_sum(b), [a, b])
    assert f([1, 1], [1]) == 3
    with pytest.raises(FeedError, match=r"n \+ 1 is 2 in b: .*, but 3 in a: "):
        f([1, 1, 1], [1])


@pytest.mark.parametrize(("value", "says"), [
    (np.ma.masked_array(np.eye(2), np.eye(2)), r"a masked array, whose mask(?s:.*)filled"),
    (np.eye(2).view(np.matrix), r"a matrix, which is more than an array(?s:.*)asarray"),
])  # fmt: skip
def test_what_is_more_than_an_array_is_refused_everywhere(value, says):
    x = leaf("float64", 2, 2)
    with pytest.raises(FeedError, match=f"x: .* was fed {says}"):
        sg.compile(x, [x])(value)
    with pytest.raises(GraphError, match=says):
        sg.constant(value)
    with pytest.raises(GradError, match=says):
        sg.matmul(x, value)


def test_an_array_in_a_file_is_an_array(tmp_path):
    kept = np.memmap(tmp_path / "x", np.float32, "w+", shape=(2,))
    x = leaf("float32", 2)
    assert sg.compile(x + 1, [x])(kept).tolist() == [1, 1]


@pytest.mark.parametrize("dtype", [
    np.dtype(np.longlong), np.dtype("int64", metadata={"unit": "m"}), np.dtype("i8", copy=True),
])  # fmt: skip
def test_equal_dtypes_are_one_dtype(dtype):
    x, y = leaf("int64", 2), leaf(dtype, 2)
    for f in (sg.compile(x + y, [x, y]), sg.compile(x + y, [x, y], optimize=0)):
        assert f(np.ones(2, dtype), np.ones(2, np.int64)).tolist() == [2, 2]


def test_equal_sizes_agree_also_if_nothing_tells_their_names():
    n, m = Dim("n"), Dim("m")
    x, y = leaf("float32", n * m, 2), sg.placeholder("float32", [3, m * n], name="y")
    frozen = sg.freeze([x, y], [x, y])
    for run in (sg.compile(frozen), lambda *feeds: sg.interpret(frozen, feeds)):
        run(np.ones((6, 2), np.float32), np.ones((3, 6), np.float32))
        with pytest.raises(FeedError, match=r"n is 6 in x: .*, but 5 in y: "):
            run(np.ones((6, 2), np.float32), np.ones((3, 5), np.float32))


def test_complex_numbers_are_fed_to_either_precision():
    for dtype in ("complex64", "complex128"):
        z = sg.placeholder(dtype, [], name="z")
        assert sg.Session().run(z * 2, {z: 1j}) == 2j
