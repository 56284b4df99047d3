"""Scalars as Python floats: the bits of NumPy's where that is promised, and its values always."""

import itertools

import numpy as np
import pytest

import gradops as ops
import staticgrad as sg
from gradops.core.traits import Trait

SPECIAL = [0.0, -0.0, 1.5, -2.0, 800.0, np.inf, -np.inf, np.nan]


def compiled(f, *types, optimize=2):
    with sg.Graph().as_default():
        xs = [sg.placeholder(t, []) for t in types]
        return sg.compile(f(*xs), xs, optimize=optimize)


def polynomial(x, y):
    return (x * y - x) / (y + 2.0) - y * (-x)


@pytest.mark.parametrize("optimize", [1, 2])
def test_operators_on_float64_have_the_bits_of_numpy(optimize):
    f, plain = (compiled(polynomial, "float64", "float64", optimize=n) for n in (optimize, 0))
    assert ".item()" in f.source
    assert ".item()" not in plain.source
    with np.errstate(all="ignore"):
        for x, y in itertools.product([*SPECIAL, 0.1, 1 / 3], repeat=2):
            got, want = f(x, y), plain(x, y)
            assert type(got) is type(want) is np.float64
            np.testing.assert_array_equal(got, want)
            assert np.isnan(got) or np.signbit(got) == np.signbit(want)


def test_float32_is_computed_on_floats_at_level_2_alone():
    one, two = (compiled(polynomial, "float32", "float32", optimize=n) for n in (1, 2))
    assert ".item()" not in one.source
    assert ".item()" in two.source
    assert type(two(0.1, 0.7)) is np.float32
    np.testing.assert_allclose(two(0.1, 0.7), one(0.1, 0.7), rtol=1e-6)


SCALAR_OPS = sorted(
    (op for op in ops.OPS.values() if op.scalar and op.family != "discrete"), key=str
)


@pytest.mark.parametrize("op", SCALAR_OPS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_each_op_has_numpys_values_and_type(op, dtype):
    types = ["bool" if op.name in ("where", "masked") and i == 0 else dtype
             for i in range(op.arity)]  # fmt: skip
    f, plain = (compiled(lambda *xs: op(*xs) * 1.25 - 0.5, *types, optimize=n) for n in (2, 1))
    choices = [[False, True] if t == "bool" else SPECIAL for t in types]
    with np.errstate(all="ignore"):
        for xs in itertools.product(*choices):
            got, want = f(*xs), plain(*xs)
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got, want, rtol=1e-5 if dtype == "float32" else 1e-14)


def test_where_a_float_would_raise_the_result_is_numpys():
    f = compiled(lambda x: sg.log(x) / x + sg.exp(x), "float64")
    with np.errstate(all="ignore"):
        assert f(0.0) == -np.inf
        assert f(1000.0) == np.inf
        assert np.isnan(f(-1.0))
    assert f(1.0) == np.e


def test_an_error_of_the_graph_itself_is_not_tried_again():
    with sg.Graph().as_default():
        x, n = sg.placeholder("float64", [], name="x"), sg.placeholder("int64", [1], name="n")
        y = sg.gather(sg.stack([sg.exp(x) * 2, x]), n)
        f = sg.compile(y, [x, n])
    with pytest.raises(ops.IndexingError):
        f(1.0, [7])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("other", ["int8", "int64", "float32", "float64"])
def test_an_array_beside_a_float_keeps_its_type(dtype, other):
    with sg.Graph().as_default():
        x, a = sg.placeholder(dtype, [], name="x"), sg.placeholder(other, [2], name="a")
        y = sg.tanh(sg.exp(x) * 2)
        f = sg.compile(y * a, [x, a])
    found = f(np.array(0.5, dtype), np.ones(2, other))
    assert found.dtype == f.graph.outputs[0].dtype
    np.testing.assert_allclose(found, np.tanh(np.exp(0.5) * 2), rtol=1e-6)


def test_entries_of_an_array_are_read_as_floats_and_joined_again():
    with sg.Graph().as_default():
        theta = sg.placeholder("float64", [3], name="theta")
        a, b, c = sg.unstack(theta)
        row = sg.stack([a * b, b / c, sg.exp(c)])
        f = sg.compile([row, *sg.gradients(row, theta)], [theta], verify=True)
    assert "theta.item(0)" in f.source
    assert "np.array((" in f.source
    row, gradient = f(np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(row, [2, 2 / 3, np.exp(3)], rtol=1e-15)
    np.testing.assert_allclose(gradient, [2, 1 + 1 / 3, -2 / 9 + np.exp(3)], rtol=1e-15)


@pytest.mark.parametrize("optimize", [1, 2])
def test_loops_carry_floats(optimize):
    def run(level):
        with sg.Graph().as_default():
            x = sg.placeholder("float64", [2], name="x")
            a, b = sg.unstack(x)
            step = lambda s, e: (s[0] * a + sg.sin(s[1]) * e, s[1] / b)
            us, vs = sg.scan(
                step, sg.constant([1.0, 0.5, 2.0], "float64"), (a, sg.constant(1.0, "float64"))
            )
            loss = sg.reduce_sum(us * us) + sg.cond(a > b, lambda: a * vs[-1], lambda: b)
            return sg.compile([loss, us, *sg.gradients(loss, x)], [x], optimize=level)

    got, want = run(optimize)([0.3, 0.7]), run(0)([0.3, 0.7])
    for x, y in zip(got, want, strict=True):
        assert type(x) is type(y)
        if optimize == 1:
            assert x.tobytes() == y.tobytes()
        np.testing.assert_allclose(x, y, rtol=1e-13)


def results_of_flags(a, b):
    """What each elementwise op makes of flags, compared with a flag, and as a number."""
    p, q = a > 0, b > 0
    for op in ops.OPS.values():
        if Trait.ELEMENTWISE not in op.traits:
            continue
        for flags in ((p, q), (p,)):
            try:
                y = op(*flags)
            except (ops.GradError, TypeError, ValueError):
                continue
            if isinstance(y, sg.Expr) and y.dtype == bool and not y.shape:
                yield op.name, [y, sg.equal(y, p), sg.cast(y, "float64") * a]


@pytest.mark.parametrize("optimize", [1, 2])
def test_flags_stay_flags_in_every_op(optimize):
    with sg.Graph().as_default():
        a, b = (sg.placeholder("float64", [], name=n) for n in "ab")
        found = dict(results_of_flags(a, b))
        compiled = {name: [sg.compile(ys, [a, b], optimize=k) for k in (optimize, 0)]
                    for name, ys in found.items()}  # fmt: skip
    assert {"add", "mul", "logical_and", "maximum", "strong_product"} <= compiled.keys()
    for name, (fast, slow) in compiled.items():
        for x in (1.0, -1.0):
            for y in (1.0, -1.0):
                assert fast(x, y) == slow(x, y), name


def results_of_numbers_and_flags(x, *flags):
    """What each elementwise op makes of a number and a flag, or of a flag and a number."""
    for op in ops.OPS.values():
        for flag in flags if Trait.ELEMENTWISE in op.traits else ():
            for operands in ((x, flag), (flag, x), (flag, x, x)):
                try:
                    y = op(*operands)
                except (ops.GradError, TypeError, ValueError):
                    continue
                if isinstance(y, sg.Expr) and not y.shape and y.dtype.kind != "c":
                    yield op.name, y


def uses_of_numbers(ys, x):
    """Expressions of each value: with a number, and with another that is no flag, either."""
    for y, before in zip(ys, [None, *ys], strict=False):
        both = [] if before is None or "b" in {y.dtype.kind, before.dtype.kind} else [before + y]
        yield [sg.cast(y, x.dtype) * x - 1.0, *both, *([] if y.dtype.kind == "b" else [-y])]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("optimize", [1, 2])
def test_flags_are_combined_with_numbers_in_every_op(dtype, optimize):
    with sg.Graph().as_default():
        x, fed = sg.placeholder(dtype, [], name="x"), sg.placeholder("bool", [], name="flag")
        number = x * 2.0
        found = [*results_of_numbers_and_flags(number, fed, number > 1)]
        compiled = [
            [sg.compile(uses, [x, fed], optimize=k) for k in (optimize, 0)]
            for uses in uses_of_numbers([y for _, y in found], x)
        ]
    assert {"mul", "div", "strong_product", "masked", "where"} <= {name for name, _ in found}
    for (name, _), (fast, slow) in zip(found, compiled, strict=True):
        for value, flag in itertools.product((0.0, 0.5, 0.75, -1.5), (True, False)):
            with np.errstate(all="ignore"):
                pairs = zip(fast(value, flag), slow(value, flag), strict=True)
            for a, b in pairs:
                assert a.dtype == b.dtype, name
                np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=f"{name} of {value}, {flag}")


KINDS = ["bool", "int8", "int64", "float16", "float32", "float64", "complex64"]


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("optimize", [1, 2])
def test_values_of_several_dtypes_are_stacked_in_the_dtype_of_the_graph(first, second, optimize):
    with sg.Graph().as_default():
        xs = [sg.placeholder(d, [3], name=f"x{i}") for i, d in enumerate((first, second))]
        a, b = (sg.reduce_sum(x) if x.dtype.kind in "fc" else x[1] for x in xs)
        a = a * 0.5 if a.dtype.kind in "fc" else a
        ys = [sg.stack([a, b]), sg.stack([a, b, a]), sg.stack([a])]
        fast, slow = (sg.compile(ys, xs, optimize=k) for k in (optimize, 0))
    feeds = [np.array([0, 1, 1], d) for d in (first, second)]
    for x, y in zip(fast(*feeds), slow(*feeds), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("op", [sg.logical_and, sg.logical_or, sg.equal, sg.less])
def test_flags_that_are_fed_are_combined_with_no_number(op):
    with sg.Graph().as_default():
        x, flag = sg.placeholder("float64", [], name="x"), sg.placeholder("bool", [], name="flag")
        y = op(flag, x * 2.0)
        fast, slow = (sg.compile([y, sg.logical_not(flag)], [x, flag], optimize=k) for k in (2, 0))
    assert fast(np.nan, True) == slow(np.nan, True)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_an_array_reach_a_loop_as_floats(dtype, reverse):
    with sg.Graph().as_default():
        x = sg.placeholder(dtype, [3], name="x")
        y = sg.scan(lambda s, e: s * e + 1 / e, x, sg.constant(1.0, dtype), reverse=reverse)
        f = sg.compile([y, *sg.gradients(y, x)], [x])
        want = sg.compile([y, *sg.gradients(y, x)], [x], optimize=0)
    fed = np.array([0.5, -2.0, 3.0], dtype)
    assert ".tolist(" in f.source
    for a, b in zip(f(fed), want(fed), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-6 if dtype == "float32" else 1e-14)
    with np.errstate(all="ignore"):  # what floats cannot, arrays compute
        zero = np.array([0.5, 0.0, 3.0], dtype)
        np.testing.assert_array_equal(f(zero)[0], want(zero)[0])


def test_a_loop_over_an_array_and_over_a_list_are_two_functions():
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [3], name="x")
        step = lambda s, e: s * e + e
        first = sg.scan(step, x, sg.constant(1.0, "float64"))
        loss = sg.reduce_sum(sg.scan(step, first * x, sg.constant(1.0, "float64")))
        fetches = [loss, *sg.gradients(loss, x)]
        got = sg.compile(fetches, [x])([1.0, 2.0, 3.0])
        want = sg.compile(fetches, [x], optimize=0)([1.0, 2.0, 3.0])
    np.testing.assert_allclose(got[0], want[0], rtol=1e-14)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-14)


def test_a_graph_with_effects_stays_on_arrays(capsys):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [], name="x")
        y = 1 / sg.Print(x * x, [x], "x is ")
        session = sg.Session()
        with np.errstate(all="ignore"):
            assert session.run(y + y * y, {x: 0.0}) == np.inf
    assert capsys.readouterr().err.count("x is") == 1


def halvings(optimize):
    """The smallest power of two that a float32 one keeps, by a loop until a sum is 1."""
    x = sg.placeholder("float32", [], name="x")
    e = sg.while_loop(lambda e: 1 + e > 1, lambda e: (e * 0.5,), [x])
    return sg.compile(e, [x], optimize=optimize)(np.float32(1))


def test_a_loop_of_float32_ends_at_its_own_epsilon_on_floats_too():
    with sg.Graph().as_default():
        assert halvings(2) == halvings(0) == np.finfo("float32").epsneg


def test_a_float32_equals_its_copy_in_an_array_on_floats_too():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [], name="x")
        y = sg.sin(x * 1.1) * 3
        row = sg.stack([y, x, sg.maximum(-y, -9.0)])
        f = sg.compile([row - y, sg.equal(row[0], y), row[2] + y], [x])
    assert "c_float" in f.source
    difference, same, zero = f(np.float32(0.7))
    assert difference[0] == zero == 0
    assert same


def test_chains_of_float32_are_rounded_at_their_end_alone():
    f = compiled(lambda x: sg.sin(x * 1.1) * 3 - x, "float32")
    assert "c_float" not in f.source


@pytest.mark.parametrize("optimize", [1, 2])
def test_roots_as_powers_have_numpys_values_at_infinity_and_zero(optimize):
    f = compiled(lambda x: (x * 2) ** 0.5 * 1.5, "float64", optimize=optimize)
    with np.errstate(invalid="ignore"):
        for x in (-np.inf, -0.0):
            want = np.power(np.array(x * 2), 0.5) * 1.5  # a root, but by an early NumPy
            np.testing.assert_equal(f(x), want)  # the sign of zero, too
