"""Checked runs: generated code that notices what is not finite, and the node by node run after."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import NotFiniteError
from staticgrad.runtime.checking.debugging import run_watched

BIG = np.float32(3e38)


def hidden_in_a_product():
    x = sg.placeholder("float32", [2, 2], name="x")
    return sg.tanh(sg.matmul(x, x)), [x], [np.full((2, 2), BIG)]


def hidden_in_a_sum():
    x = sg.placeholder("float32", [4], name="x")
    return 1 / sg.reduce_sum(x), [x], [np.full(4, BIG)]


def hidden_in_a_feed():
    x = sg.placeholder("float32", [3], name="x")
    return sg.maximum(x, 0.0), [x], [np.array([1.0, -np.inf, 2.0], np.float32)]


def hidden_in_a_number():
    x = sg.placeholder("float64", [], name="x")
    return 1 / (x * x), [x], [np.array(1e200)]


def raised_by_a_function_of_math():
    x = sg.placeholder("float64", [], name="x")
    return sg.exp(-sg.exp(x) * x), [x], [np.array(1e4)]


def hidden_by_a_mask():
    x = sg.placeholder("float32", [3], name="x")
    return sg.where(x > 0, sg.log(x), x), [x], [np.array([1.0, 0.0, 2.0], np.float32)]


def inside_a_loop():
    x = sg.placeholder("float32", [2], name="x")
    step = lambda i, s: sg.cond(i > 2, lambda: sg.tanh(s * s * 1e30), lambda: s * 1e10)
    return sg.fori(0, 4, step, x), [x], [np.ones(2, np.float32)]


def inside_a_loop_of_numbers():
    x = sg.placeholder("float64", [], name="x")
    return sg.tanh(sg.fori(0, 5, lambda i, s: s * s * 10.0, x)), [x], [np.array(1e30)]


def of_complex_numbers():
    x = sg.placeholder("complex64", [2], name="x")
    return sg.real(sg.exp(x)) * 0.0, [x], [np.array([1.0, 1e4], np.complex64)]


def of_half_precision():
    x = sg.placeholder("float16", [2, 2], name="x")
    return sg.tanh(sg.matmul(x, x)), [x], [np.full((2, 2), 300, np.float16)]


def of_a_constant():
    x = sg.placeholder("float32", [2], name="x")
    return sg.maximum(x, np.array([-np.inf, 0.0], np.float32)), [x], [np.ones(2, np.float32)]


def of_a_kernel_with_several_steps():
    x = sg.placeholder("float64", [2], name="x")
    return sg.tanh(sg.lgamma(x)), [x], [np.array([1.0, -1.0])]


def in_a_pair():
    x = sg.placeholder("float64", [2, 3], name="x")
    loss = sg.cross_entropy(x, np.array([0, 2]))
    values = np.array([[0.0, 0.0, 0.0], [1.5e308, 0.0, -1.5e308]])
    return sg.tanh(loss) + sg.tanh(sg.gradients(loss, [x])[0]), [x], [values]


def of_a_product_of_matrices():
    x, w = (sg.placeholder("float32", [2, 2], name=n) for n in "xw")
    return sg.tanh(sg.matmul(x, w) @ w), [x, w], [np.full((2, 2), 1e25, np.float32)] * 2


def in_blocks_of_large_arrays():
    x = sg.placeholder("float32", [1 << 20], name="x")
    values = np.ones(1 << 20, np.float32)
    values[-1] = -1.0
    return sg.reduce_sum(sg.tanh(sg.log(x) * 2.0 + x)), [x], [values]


def in_a_loop_that_is_used_twice():
    x = sg.placeholder("float64", [4, 3], name="x")
    step = lambda s, e: sg.tanh(sg.lgamma(s + e))
    first = sg.foldl(step, sg.reverse(x, [0]), sg.zeros_like(x[0]))
    return sg.foldl(step, x, first), [x], [np.r_[np.ones((3, 3)), np.full((1, 3), np.inf)]]


PROGRAMS = [
    hidden_in_a_product, hidden_in_a_sum, hidden_in_a_feed, hidden_in_a_number,
    raised_by_a_function_of_math, hidden_by_a_mask, inside_a_loop, inside_a_loop_of_numbers,
    of_complex_numbers, of_half_precision, in_a_pair, of_a_product_of_matrices,
    in_blocks_of_large_arrays, in_a_loop_that_is_used_twice,
    of_a_constant, of_a_kernel_with_several_steps,
]  # fmt: skip


@pytest.mark.parametrize("optimize", [0, 1, 2])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_error_is_that_of_the_node_by_node_run(program, optimize):
    y, inputs, values = program()
    with np.errstate(all="ignore"):
        executable = sg.compile(y, inputs, optimize, check_numerics=True)
    with pytest.raises(NotFiniteError) as wanted:
        run_watched(executable.written, values, check_numerics=True)
    for _ in range(2):
        with pytest.raises(NotFiniteError) as caught:
            executable(*values)
        assert str(caught.value) == str(wanted.value)


@pytest.mark.parametrize("program", PROGRAMS[:-2], ids=lambda f: f.__name__)
def test_a_run_that_is_finite_has_the_bits_of_one_without_checks(program):
    y, inputs, values = program()
    fine = [np.full_like(v, 1e-30) for v in values]
    checked = sg.compile(y, inputs, check_numerics=True)
    np.testing.assert_array_equal(checked(*fine), sg.compile(y, inputs)(*fine))
    assert checked.run.noisy == frozenset()
    assert checked.run.version.run is not None


def test_infinite_constants_of_derivative_rules_are_no_error():
    x = sg.placeholder("float64", [5, 3], name="x")
    step = lambda s, e: sg.reduce_logsumexp(sg.expand_dims(s, 1) + e, axis=0)
    y = sg.reduce_logsumexp(sg.foldl(step, x, sg.zeros_like(x[0])))
    checked = sg.compile([y, *sg.gradients(y, x)], [x], check_numerics=True)
    plain = sg.compile([y, *sg.gradients(y, x)], [x])
    for a, b in zip(checked(np.ones((5, 3))), plain(np.ones((5, 3))), strict=True):
        np.testing.assert_array_equal(a, b)
    assert checked.run.version.run is not None
    with pytest.raises(NotFiniteError, match="x: "):
        checked(np.full((5, 3), np.inf))


def test_huge_squares_are_no_reason_to_stop_twice():
    x = sg.placeholder("float32", [3], name="x")
    f = sg.compile(sg.tanh(sg.matmul(x[None], np.eye(3, dtype="f4"))), [x], check_numerics=True)
    huge = np.full(3, 1e30, np.float32)
    for _ in range(2):
        np.testing.assert_array_equal(f(huge), np.ones((1, 3), np.float32))
    assert len(f.run.noisy) > 0
    with pytest.raises(NotFiniteError, match="x: "):
        f(np.full(3, np.inf, np.float32))


def test_flags_without_consequence_are_ignored_from_the_second_run_on(monkeypatch):
    x = sg.placeholder("float64", [2], name="x")
    y = sg.compile(sg.sqrt(sg.nn.softplus(x)) + sg.logaddexp(x, x), [x], check_numerics=True)
    calls = []
    slow = type(y.run).node_by_node
    monkeypatch.setattr(type(y.run), "node_by_node", lambda *a: calls.append(a) or slow(*a))
    value = np.array([800.0, 1.0])
    results = [y(value) for _ in range(5)]
    counted = len(calls)
    results += [y(value) for _ in range(3)]
    assert len(calls) == counted
    for result in results:
        np.testing.assert_array_equal(result, results[0])


def test_effects_happen_once(capsys):
    x = sg.placeholder("float32", [2], name="x")
    y = sg.log(sg.Print(x, [x], "x is "))
    with pytest.raises(NotFiniteError):
        sg.Session().run(y, {x: [1.0, 0.0]}, check_numerics=True)
    assert capsys.readouterr().err.count("x is ") == 1


def test_random_numbers_are_those_of_a_run_without_checks():
    with sg.Graph().as_default():
        sg.set_random_seed(3)
        y = sg.log(sg.random_uniform([4]) - 2.0 * sg.placeholder("float32", [], name="a"))
        sessions = [sg.Session(), sg.Session()]
        for _ in range(3):
            with pytest.raises(NotFiniteError) as caught:
                sessions[0].run(y, {"a": 1.0}, check_numerics=True)
            assert "log" in str(caught.value)
            fine = sessions[0].run(y, {"a": -1.0}, check_numerics=True)
            np.testing.assert_array_equal(fine, sessions[1].run(y, {"a": -1.0}))


def test_feeds_in_any_layout_are_checked():
    x = sg.placeholder("float32", [2, 3], name="x")
    f = sg.compile(sg.tanh(x), [x], check_numerics=True)
    strided = np.asfortranarray(np.full((2, 3), np.inf, np.float32))
    with pytest.raises(NotFiniteError):
        f(strided)
    with pytest.raises(NotFiniteError):
        f([[1.0, 2.0, 3.0], [4.0, np.inf, 6.0]])
    np.testing.assert_array_equal(f(np.ones((3, 2), np.float32).T), np.tanh(np.ones((2, 3), "f4")))


def test_an_empty_array_has_nothing_that_is_not_finite():
    x = sg.placeholder("float32", ["n", 2], name="x")
    w = sg.placeholder("float32", [2, 3], name="w")
    f = sg.compile(sg.reduce_sum(sg.tanh(x @ w)), [x, w], check_numerics=True)
    assert f(np.ones((0, 2), np.float32), np.ones((2, 3), np.float32)) == 0
    with pytest.raises(NotFiniteError):  # though no product is computed of it
        f(np.ones((0, 2), np.float32), np.full((2, 3), np.nan, np.float32))


def test_other_errors_keep_their_notes():
    x = sg.placeholder("int64", ["n"], name="x")
    f = sg.compile(sg.gather(np.ones(3), x), [x], check_numerics=True)
    with pytest.raises(IndexError) as caught:
        f(np.array([7]))
    assert any("test_numerics.py" in note for note in caught.value.__notes__)


def test_numpys_handling_of_errors_is_restored():
    x = sg.placeholder("float32", [2], name="x")
    f = sg.compile(sg.log(x), [x], check_numerics=True)
    before = np.geterr()
    f(np.ones(2, np.float32))
    with pytest.raises(NotFiniteError):
        f(np.zeros(2, np.float32))
    assert np.geterr() == before
