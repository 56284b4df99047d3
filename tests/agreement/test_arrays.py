"""A plain NumPy function sees of `dg.Array` the bits that it sees of an array."""

import copy
import operator
import pickle
import warnings

import numpy as np
import pytest

import dynamicgrad as dg

from .numpy_calls import CALLS

A = np.array([[0.5, -1.5, 2.25], [3.0, 0.25, -0.75]])
SQUARE = np.array([[2.0, 0.5], [0.5, 3.0]])
DTYPES = ["float32", "float64", "int64", "int32", "uint8", "bool", "complex128"]

# NumPy picks a BLAS or LAPACK call by how operands lie in memory.
BY_LAYOUT = {"convolve", "correlate", "cov", "corrcoef", "einsum", "linalg.cond"}
# NumPy casts the overflowing differences of what is no number in integers.
UNDEFINED = {"nanquantile", "nanpercentile", "nanmedian"}

pytestmark = pytest.mark.filterwarnings("ignore:numpy.* is deprecated:DeprecationWarning")


def parts(result):
    """The arrays in a result."""
    if isinstance(result, tuple | list):
        return [p for r in result for p in parts(r)]
    return [np.asarray(result.value if isinstance(result, dg.Array) else result)]


def outcome(f, x):
    """The result of `f` for `x`, or the error that it raises."""
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        try:
            return parts(f(x)), None
        except Exception as error:
            return None, error


def same(found, expected, within=0.0):
    """Whether arrays have the same shapes, dtypes and bits, up to so many eps."""
    assert [(x.shape, x.dtype) for x in found] == [(x.shape, x.dtype) for x in expected]
    for x, y in zip(found, expected, strict=True):
        if within and y.dtype.kind in "fc":
            np.testing.assert_allclose(x, y, rtol=within * np.finfo(y.dtype).eps, atol=0)
        else:
            np.testing.assert_array_equal(x, y)
            if y.dtype.kind == "f":
                known = ~np.isnan(y)
                np.testing.assert_array_equal(np.signbit(x)[known], np.signbit(y)[known])


def agree(f, a, within=0.0):
    """`f` gives for an `Array` what it gives for an array; where NumPy raises, nothing is said."""
    expected, refused = outcome(f, a.copy())
    found, error = outcome(f, dg.array(a))
    if refused is None and not isinstance(error, dg_errors()):
        assert error is None, error
        same(found, expected, within)


def dg_errors():
    """The errors by which the library refuses what it cannot do."""
    import gradops

    return gradops.GradError


FUNCTIONS = [
    pytest.param(name, np.asarray(a), f, id=f"{name}-{i}")
    for name, calls in CALLS.items()
    for i, (a, f) in enumerate(calls)
]


@pytest.mark.parametrize(("name", "a", "f"), FUNCTIONS)
def test_a_function_of_numpy_has_its_value_and_dtype_for_every_dtype(name, a, f):
    agree(f, a, 4 if name in BY_LAYOUT else 0)
    for dtype in DTYPES if a.dtype.kind in "fiub" else ():
        if not (np.isnan(a).any() and np.dtype(dtype).kind in "iub"):
            agree(f, a.astype(dtype), 4 if name in BY_LAYOUT else 0)


METHODS = {
    "all": [lambda x: x.all(), lambda x: x.all(axis=0)],
    "any": [lambda x: x.any(), lambda x: x.any(1, keepdims=True)],
    "argmax": [lambda x: x.argmax(), lambda x: x.argmax(0)],
    "argmin": [lambda x: x.argmin(), lambda x: x.argmin(axis=1, keepdims=True)],
    "argpartition": [lambda x: x[0][x[0].argpartition(1)][1]],
    "argsort": [lambda x: x.argsort(), lambda x: x.argsort(axis=0), lambda x: x.argsort(None)],
    "astype": [lambda x: x.astype(np.float32), lambda x: x.astype("int64", copy=False)],
    "choose": [lambda x: (x > 1).astype(int).choose([x, 2 * x])],
    "clip": [lambda x: x.clip(0, 1), lambda x: x.clip(max=2), lambda x: x.clip(-0.5, 1.5)],
    "compress": [lambda x: x.compress([True, False], axis=0), lambda x: x.compress([0, 1, 1])],
    "conj": [lambda x: x.conj()], "conjugate": [lambda x: x.conjugate()],
    "copy": [lambda x: x.copy(), lambda x: x.copy(order="F")],
    "cumprod": [lambda x: x.cumprod(), lambda x: x.cumprod(axis=0)],
    "cumsum": [lambda x: x.cumsum(), lambda x: x.cumsum(1), lambda x: x.cumsum(dtype=np.float32)],
    "diagonal": [lambda x: x.diagonal(), lambda x: x.diagonal(1)],
    "dot": [lambda x: x.dot(x.T), lambda x: x.dot(x[0]), lambda x: x.dot(2.0)],
    "fill": [lambda x: (x.fill(3), x)[1]],
    "flatten": [lambda x: x.flatten(), lambda x: x.flatten("F")],
    "item": [lambda x: x.item(1), lambda x: x.item(1, 2), lambda x: x.item((0, 0))],
    "max": [lambda x: x.max(), lambda x: x.max(0), lambda x: x.max(axis=1, keepdims=True),
            lambda x: x.max(initial=2), lambda x: x.max(where=x < 1, initial=0)],
    "mean": [lambda x: x.mean(), lambda x: x.mean(0), lambda x: x.mean(dtype=np.float32)],
    "min": [lambda x: x.min(), lambda x: x.min(1), lambda x: x.min(axis=0, keepdims=True)],
    "nonzero": [lambda x: x.nonzero()],
    "partition": [lambda x: (x.partition(1), x[:, 1])[1]],
    "prod": [lambda x: x.prod(), lambda x: x.prod(axis=0), lambda x: x.prod(dtype=np.float64)],
    "put": [lambda x: (x.put([0, -1], [7, 8]), x)[1], lambda x: (x.put([1, 2, 3], 9), x)[1]],
    "ravel": [lambda x: x.ravel(), lambda x: x.ravel(order="F")],
    "repeat": [lambda x: x.repeat(2), lambda x: x.repeat(2, axis=0), lambda x: x.repeat([1, 2], 0)],
    "reshape": [lambda x: x.reshape(3, 2), lambda x: x.reshape((-1,)), lambda x: x.reshape(-1),
                lambda x: x.reshape(-1, order="F"), lambda x: x.reshape((3, 2), order="F")],
    "round": [lambda x: x.round(), lambda x: x.round(1), lambda x: x.round(decimals=-1)],
    "searchsorted": [lambda x: x[0].searchsorted(1), lambda x: x.T[0].searchsorted([1, 2])],
    "sort": [lambda x: (x.sort(), x)[1], lambda x: (x.sort(axis=0), x)[1]],
    "squeeze": [lambda x: x[None].squeeze(), lambda x: x[None].squeeze(axis=0)],
    "std": [lambda x: x.std(), lambda x: x.std(0), lambda x: x.std(ddof=1),
            lambda x: x.std(axis=1, keepdims=True)],
    "sum": [lambda x: x.sum(), lambda x: x.sum(0), lambda x: x.sum(axis=(0, 1)),
            lambda x: x.sum(dtype=np.float32), lambda x: x.sum(initial=2, where=x > 0)],
    "swapaxes": [lambda x: x.swapaxes(0, 1)],
    "take": [lambda x: x.take([0, 5]), lambda x: x.take([2, 0], axis=1), lambda x: x.take(1)],
    "to_device": [lambda x: x.to_device("cpu")],
    "tolist": [lambda x: x.tolist()],
    "trace": [lambda x: x.trace(), lambda x: x.trace(1)],
    "transpose": [lambda x: x.transpose(), lambda x: x.transpose(1, 0), lambda x: x[None].transpose(
        (0, 2, 1)), lambda x: x.transpose(None)],
    "var": [lambda x: x.var(), lambda x: x.var(0), lambda x: x.var(ddof=1)],
    "view": [lambda x: x.view()],
    "T": [lambda x: x.T], "mT": [lambda x: x.mT], "real": [lambda x: x.real],
    "imag": [lambda x: x.imag], "size": [lambda x: x.size], "ndim": [lambda x: x.ndim],
    "shape": [lambda x: x.shape], "dtype": [lambda x: x.dtype.num], "nbytes": [lambda x: x.nbytes],
    "itemsize": [lambda x: x.itemsize], "strides": [lambda x: x.T.strides],
    "flags": [lambda x: x.T.flags.f_contiguous], "device": [lambda x: x.device == "cpu"],
    "flat": [lambda x: list(x.flat), lambda x: x.flat[3], lambda x: x.flat[1:4],
             lambda x: len(x.flat),
             lambda x: (operator.setitem(x.flat, slice(0, 2), 5), x)[1],
             lambda x: (setattr(x, "flat", [1, 2]), x)[1]],
}  # fmt: skip
OF_MEMORY = {
    "base", "byteswap", "ctypes", "data", "dump", "dumps", "getfield", "itemset", "newbyteorder",
    "resize", "setfield", "setflags", "tobytes", "tofile", "tostring",
}  # fmt: skip
"""What NumPy's arrays have that is about their memory, and not about numbers."""


def test_every_method_of_numpys_arrays_is_tested_or_is_about_memory():
    public = {name for name in dir(np.ndarray) if not name.startswith("_")}
    assert public - METHODS.keys() - OF_MEMORY == set()


ORDERS = [
    lambda x, order: x.ravel(order), lambda x, order: x.flatten(order),
    lambda x, order: np.ravel(x, order), lambda x, order: x.reshape(-1, order=order),
    lambda x, order: np.reshape(x, (2, -1), order),
]  # fmt: skip
LAID = [A, A.T, np.asfortranarray(A), A[::-1, ::-2], A[:, :1], A[0], A.reshape(2, -1, 1).T]


@pytest.mark.parametrize("call", ORDERS)
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_entries_are_read_in_numpys_order_or_it_is_refused(call, order):
    for x in LAID:
        try:
            expected = call(x, order)
        except ValueError:
            continue  # reshape takes no order K, and two rows need an even number of entries
        try:
            assert np.array_equal(call(dg.array(x), order), expected)
            assert np.array_equal(dg.vmap(lambda x: call(x, order))(x[None])[0], expected)
        except NotImplementedError:
            assert order in "AK"
            assert sum(n > 1 for n in x.shape) > 1


def in_place_after_use(name):
    """A method that changes an array that is a result."""
    return lambda x: (y := x * 1, getattr(y, name)(*[1] * (name == "partition")), y * x)[2].sum()


@pytest.mark.parametrize("name", ["sort", "partition"])
def test_sorting_in_place_has_the_gradient_of_sorting(name):
    function, x = getattr(np, name), np.array([3.0, 1.0, 2.0])
    expected = dg.grad(lambda x: (function(x, *[1] * (name == "partition")) * x).sum())(x)
    assert np.array_equal(dg.grad(in_place_after_use(name))(x), expected)


def test_parts_of_complex_numbers_are_assigned_to():
    def f(lib_x):
        y = lib_x * 1
        y.real = y.imag * 2
        y.imag[1:] = 5
        y.real[0] = 7
        return y, y.real, y.imag

    for i in range(3):
        agree(lambda x, i=i: f(x)[i], A * (1 + 2j))
    x = np.array([1 + 2j, 3 - 1j])

    def by_parts(x):
        y = x * 1
        y.real = x.imag**2
        return np.sum(y.real + 3 * y.imag)

    assert np.array_equal(dg.grad(by_parts)(x), [0 + 7j, 0 + 1j])
    with pytest.raises(TypeError, match="imaginary part"):
        dg.array([1.0]).imag = 2.0


def test_lists_with_indices_that_are_computed_select_and_are_written_to():
    def pivoted(a):
        a = a * 1
        p = np.argmax(np.abs(a[1:, 0])) + 1
        a[[0, p]] = a[[p, 0]]
        return a[[0, p], [0, 1]] + a[[0, p]][:, :2]

    x = np.array([[1.0, 2, 3], [4, 5, 6], [9, 8, 7]])
    agree(pivoted, x)
    expected = np.stack([pivoted(x), pivoted(x[[2, 1, 0]])])
    assert np.array_equal(dg.vmap(pivoted)(np.stack([x, x[[2, 1, 0]]])), expected)


METHOD_CASES = [
    pytest.param(f, id=f"{name}-{i}") for name, fs in METHODS.items() for i, f in enumerate(fs)
]


@pytest.mark.parametrize("f", METHOD_CASES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_method_is_numpys(f, dtype):
    agree(f, A.astype(dtype))


def binary_operators():
    names = [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "lt",
        "le",
        "gt",
        "ge",
        "eq",
        "ne",
        "and_",
        "or_",
        "xor",
        "lshift",
        "rshift",
        "iadd",
        "isub",
        "imul",
        "itruediv",
        "ifloordiv",
        "imod",
        "ipow",
        "iand",
        "ior",
        "ixor",
    ]
    return [getattr(operator, name) for name in names]


OTHERS = [
    2, 1.5, True, 1j, 300, np.float32(1.5), np.float64(1.5), np.int8(3), np.uint8(200), np.bool_(1),
    np.complex64(1j), np.array(2.0), np.array(2, np.int16), np.float16(2),
    *(np.array([1, 2, 3], d) for d in DTYPES),
]  # fmt: skip


@pytest.mark.parametrize("op", binary_operators(), ids=lambda op: op.__name__)
@pytest.mark.parametrize("dtype", [*DTYPES, "int8", "float16"])
def test_an_operator_promotes_as_numpys_on_either_side(op, dtype):
    a = np.array([1, 2, 1], dtype)
    for other in OTHERS:
        agree(lambda x, other=other: op(x, other), a)
        agree(lambda x, other=other: op(x[0], other), a)
        agree(lambda x, other=other: op(x, other), np.array(a[1]))
        if not op.__name__.startswith("i"):
            agree(lambda x, other=other: op(other, x), a)
            agree(lambda x, other=other: op(other, x[0]), a)


KEYS = [
    0, -1, (1, 2), slice(1, None), (..., 0), None, (None, 1), np.array([1, 0]), [0, 1, 0],
    (0, slice(1, None), [0, 2]), (slice(None), 0, [1, 0]), ([0, 1], slice(None), [0, 1]),
    (0, [1, 1], slice(None)), np.array([[True, False, True], [False, True, True]]), (0, True),
    ([[0], [1]], [0, 1]), (..., [0, 1], 0), True, (np.int64(1), 0), np.array(1), (1, 1, 1),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indexing_reads_and_writes_as_numpys(key):
    def write(x):
        x[key] = 7.5
        return x

    def add(x):
        x[key] += 2
        return x

    for a in (A, np.arange(24.0).reshape(2, 3, 4), np.arange(24).reshape(2, 3, 4)):
        for f in (lambda x: x[key], write, add):
            agree(f, a)


def scalars_are_values(x):
    y = x.copy()
    s = y[0, 0]
    s += 1
    return s, y


def numbers_alone(x):
    total = x.sum()
    before = total
    total *= 2
    return before, total


def views_share(x):
    y = x.copy()
    row, column = y[0], y[:, 1]
    row += 1
    column[:] = 9
    y.T[2] *= 2
    return y, row, column


def filled_like(x):
    y = np.zeros_like(x)
    for i in range(3):
        y[:, i] = x[:, i] * i
    return y


def reshaped_views(x):
    y = np.ones_like(x)
    y.reshape(-1)[::2] = x.ravel()[::2]
    y.ravel()[1] = 5
    return y


def out_and_where(x):
    y = np.zeros_like(x)
    np.add(x, 1, out=y)
    np.multiply(y, 2, out=y, where=x > 0)
    return y


PROGRAMS = [
    scalars_are_values,
    numbers_alone,
    views_share,
    filled_like,
    reshaped_views,
    out_and_where,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_a_program_that_writes_does_what_it_does_on_arrays(f, dtype):
    agree(f, A.astype(dtype))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_value_under_a_transform_is_that_of_the_function(f):
    def total(x):
        found = f(x)
        return sum(map(np.sum, found)) if isinstance(found, tuple) else np.sum(found)

    value, gradient = dg.value_and_grad(total)(A)
    assert value == total(A)
    step = 1e-6 * np.ones_like(A)
    rate = (total(A + step) - total(A - step)) / 2e-6
    np.testing.assert_allclose(np.sum(gradient), rate, rtol=1e-6, atol=1e-7)  # of differences


def test_copies_stay_connected_and_a_traced_array_is_not_pickled():
    for copied in (
        copy.copy,
        copy.deepcopy,
        lambda x: x.copy(),
        np.copy,
        lambda x: copy.copy([x])[0],
    ):
        gradient = dg.grad(lambda x, copied=copied: np.sum(copied(x) ** 2))(A)
        np.testing.assert_array_equal(gradient, 2 * A)
    with pytest.raises(ValueError, match="cannot be pickled"):
        dg.grad(lambda x: np.sum(pickle.loads(pickle.dumps(x))))(A)
    assert isinstance(pickle.loads(pickle.dumps(dg.array(A))), dg.Array)


def test_a_tensor_beside_an_array_gives_a_tensor():
    x, t = dg.array([1.0, 2.0]), dg.tensor([1.0, 2.0], dtype="float64")
    for found in (x + t, t + x, np.add(x, t), dg.cat([x, t]), np.where(t > 0, x, t), x @ t):
        assert isinstance(found, dg.Tensor)
    for found in (x + x, np.exp(x), dg.exp(x), dg.sum(x, dim=0), dg.std(x), dg.cat([x, x])):
        assert isinstance(found, dg.Array)


TRANSFORMS = {
    "grad": lambda f, x: dg.grad(f)(x), "value_and_grad": lambda f, x: dg.value_and_grad(f)(x),
    "jacobian": lambda f, x: dg.jacobian(f)(x), "hessian": lambda f, x: dg.hessian(f)(x),
    "hvp": lambda f, x: dg.hvp(f)(x, x), "vmap": lambda f, x: dg.vmap(f)(np.stack([x, x])),
    "vjp": lambda f, x: dg.func.vjp(f, x), "jvp": lambda f, x: dg.func.jvp(f, (x,), (x,)),
    "jacfwd": lambda f, x: dg.func.jacfwd(f)(x), "jacrev": lambda f, x: dg.func.jacrev(f)(x),
    "linearize": lambda f, x: dg.func.linearize(f, x),
    "scipy": lambda f, x: dg.scipy(f, x)["fun"](x.ravel()),
}  # fmt: skip


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_transform_hands_arrays_to_a_function_given_arrays_and_tensors_to_one_given_tensors(
    transform,
):
    seen = []

    def f(x):
        seen.append(type(x))
        return (x * x).sum()

    transform(f, np.array([1.0, 2.0]))
    assert set(seen) == {dg.Array}
    if transform is not TRANSFORMS["vmap"] and transform is not TRANSFORMS["scipy"]:
        seen.clear()
        transform(f, dg.tensor([1.0, 2.0]))
        assert set(seen) == {dg.Tensor}


def test_numbers_lists_and_trees_of_arrays_count_as_arrays():
    kinds = []

    def f(p):
        kinds.extend([type(p["a"]), type(p["b"][0]), type(p["b"][1])])
        return np.sum(p["a"]) * p["b"][0] * p["b"][1]

    gradient = dg.grad(f)({"a": np.ones(2), "b": [2.0, 3.0]})
    assert set(kinds) == {dg.Array}
    np.testing.assert_array_equal(gradient["a"], [6.0, 6.0])
    assert gradient["b"] == [6.0, 4.0]


@pytest.mark.parametrize(("name", "a", "f"), [p for p in FUNCTIONS if p.values[1].dtype == float])
def test_a_function_under_vmap_has_its_values_to_the_last_bits(name, a, f):
    stack = np.stack([a, a * 1.25])
    _, refused = outcome(lambda xs: [f(x) for x in xs], stack)
    found, error = outcome(dg.vmap(f), stack)
    if refused is None and not isinstance(error, dg_errors()):
        assert error is None, error
        rows = [np.stack(pair) for pair in zip(*(parts(f(x)) for x in stack), strict=True)]
        for x, y in zip(found, rows, strict=True):
            assert (x.shape, x.dtype) == (y.shape, y.dtype)
            np.testing.assert_allclose(x, y, rtol=4 * np.finfo(np.float64).eps, atol=1e-15)


LACKING = [
    (dg.array([1.0]), "detach", r"an Array speaks NumPy; detach is dg.Tensor's"),
    (dg.tensor([1.0]), "astype", r"'astype'\n  hint: x.to\(dtype\)"),
    (dg.array([1.0]), "nothing", "no attribute 'nothing'$"),
]


@pytest.mark.parametrize(("x", "name", "says"), LACKING, ids=[name for _, name, _ in LACKING])
def test_a_name_of_the_other_face_says_whose_it_is(x, name, says):
    with pytest.raises(AttributeError, match=says):
        getattr(x, name)
