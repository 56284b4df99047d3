"""Gradients as graphs."""

import threading

import numpy as np
import pytest

import staticgrad as sg
from gradops import DTypeError, GraphError, MixedOperandsError, OptionError, ShapeError


@pytest.fixture
def x():
    return sg.placeholder("float64", [3], name="x")


def value(e, feeds):
    return sg.Session().run(e, feeds)


AT = np.array([1.0, 2.0, 3.0])


def test_gradients_of_any_order(x):
    y, expected = x**4, AT**4
    for factor in (4, 3, 2, 1):
        (y,) = sg.gradients(y, x)
        expected = factor * expected / AT
        np.testing.assert_allclose(value(y, {x: AT}), expected)


def test_a_y_that_is_no_scalar_counts_as_its_sum(x):
    np.testing.assert_allclose(value(sg.gradients(x * x, x)[0], {x: AT}), 2 * AT)


def test_grad_ys_weigh(x):
    g = sg.gradients([x * x, x], x, grad_ys=[[1.0, 0.0, 0.0], 10 * x])[0]
    np.testing.assert_allclose(value(g, {x: AT}), [2 + 10, 20, 30])


def test_a_weight_has_the_shape_of_its_y(x):
    for weight in ([[1.0]], [1.0]):
        with pytest.raises(ShapeError, match=r"a grad_y has the shape of its y(?s:.*)broadcast_to"):
            sg.gradients(x * x, x, grad_ys=[weight])
    with pytest.raises(GraphError, match="got 1 ys and 2 grad_ys"):
        sg.gradients(x, x, grad_ys=[x, x])


@pytest.mark.parametrize(("shape", "other"), [([None], [None]), (["n"], ["m"]), ([2], [None])])
def test_a_weight_of_unknown_size_is_checked_when_it_is_used(shape, other):
    y = sg.placeholder("float64", shape, name="y")
    v = sg.placeholder("float64", other, name="v")
    gradient, tangent = sg.gradients(y * y, y, v)[0], sg.jvp(y * y, y, v)[0]
    again = sg.gradients(gradient, v)[0]
    feeds = {y: [1.0, 2.0], v: [1.0, 10.0]}
    for found in value([gradient, tangent], feeds):
        assert found.tolist() == [2, 40]
    assert value(again, feeds).tolist() == [2, 4]
    for short in ([1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ShapeError, match=r"does not have the shape \(2,\)"):
            value(gradient, {y: [1.0, 2.0], v: short})


def test_stop_gradients_count_as_constant(x):
    a = x * 2
    y = a * x
    whole, stopped = sg.gradients(y, x)[0], sg.gradients(y, x, stop_gradients=[a])[0]
    np.testing.assert_allclose(value([whole, stopped], {x: AT}), [4 * AT, 2 * AT])
    assert sg.gradients(sg.stop_gradient(x) + 1, x) == [None]


def test_what_is_stopped_and_an_x_gets_its_partial_derivative(x):
    a = 2 * x
    found = sg.gradients(a + x, [x, a], stop_gradients=[a])
    np.testing.assert_array_equal(value(found, {x: AT}), np.ones((2, 3)))
    assert sg.gradients(a, [x, a], stop_gradients=[a])[0] is None
    b = a * x
    found = sg.gradients(b * a, [x, a, b], stop_gradients=[a, b])
    assert found[0] is None
    np.testing.assert_allclose(value(found[1:], {x: AT}), [2 * AT**2, 2 * AT])


def test_what_is_unreachable_is_none_or_zeros(x):
    other = sg.placeholder("float64", ["n", 2], name="other")
    assert sg.gradients(x, other) == [None]
    (zeros,) = sg.gradients(x + sg.reduce_sum(other) * 0, other, unconnected="zero")
    assert value(zeros, {other: np.ones((4, 2))}).tolist() == [[0, 0]] * 4
    (zeros,) = sg.gradients(x, other, unconnected="zero")
    assert value(sg.reduce_sum(zeros), {other: np.ones((4, 2))}) == 0


def test_a_derivative_that_is_zero_is_not_unreachable(x):
    assert value(sg.gradients(sg.floor(x), x)[0], {x: AT}).tolist() == [0, 0, 0]


def test_gradients_by_an_intermediate_and_at_a_fed_one(x):
    h = x * x
    (g,) = sg.gradients(h**2, h)
    np.testing.assert_allclose(value(g, {x: AT}), 2 * AT**2)
    np.testing.assert_allclose(value(g, {h: AT}), 2 * AT)


def test_the_same_x_twice_and_a_y_that_is_an_x(x):
    one, again = sg.gradients(x * 3, [x, x])
    assert one is again
    assert value(sg.gradients(x, x)[0], {x: AT}).tolist() == [1, 1, 1]


def test_integers_are_refused(x):
    k = sg.placeholder("int64", [3], name="k")
    for y, by in ((k * 2, x), (x, k)):
        with pytest.raises(DTypeError, match=r"gradients\(.*int64\[3\]\): only floats"):
            sg.gradients(y, by)


def test_gradients_pass_by_integers(x):
    k = sg.astype(x, dtype="int64")
    assert sg.gradients(sg.astype(k, dtype="float64") * 2, x) == [None]


def test_only_the_path_is_built(graph, x):
    y = x
    for _ in range(500):
        y = sg.sin(y)
    h = y * 2
    before = len(graph)
    sg.gradients(sg.reduce_sum(h * h), h)
    assert len(graph) - before < 12


def test_expressions_of_a_gradient_know_their_cause_and_line(graph, x):
    y = sg.tanh(x)
    (g,) = sg.gradients(y, x)
    assert g.origin is y
    assert g.place == y.place
    assert g.name.startswith("gradients/tanh/")


def test_broadcasting_is_undone_by_name_and_at_run_time():
    a = sg.placeholder("float64", ["n", 1], name="a")
    b = sg.placeholder("float64", [None], name="b")
    y = sg.reduce_sum(a * b)
    feeds = {a: np.ones((4, 1)), b: np.arange(3.0)}
    ga, gb = value(sg.gradients(y, [a, b]), feeds)
    assert (ga.tolist(), gb.tolist()) == ([[3.0]] * 4, [4.0] * 3)
    ga, gb = value(sg.gradients(y, [a, b]), {**feeds, b: np.ones(1)})
    assert (ga.shape, gb.shape) == ((4, 1), (1,))


def test_a_masked_singularity_does_not_leak(x):
    y = sg.where(x > 2, sg.sqrt(x - 2), 0.0)
    with np.errstate(invalid="ignore"):
        found = value(sg.gradients(y, x)[0], {x: AT})
    assert found.tolist() == [0, 0, 0.5]


def test_another_word_for_unconnected_is_refused(x):
    with pytest.raises(OptionError, match="unconnected is none or zero, not 'zeros'"):
        sg.gradients(x * x, x, unconnected="zeros")


def test_what_a_variable_is_assigned_passes_no_gradient_on(x):
    v = sg.Variable(np.zeros(3), name="v")
    new = v.assign(x * 2)
    assert sg.gradients(new * 3, [x, v]) == [None, None]


def test_expressions_of_another_graph_are_refused_with_both_lines(x):
    with sg.Graph("second").as_default():
        y = sg.placeholder("float64", [3], name="y")
    with pytest.raises(MixedOperandsError, match=r"'graph'(?s:.*)'second'"):
        sg.gradients(x * x, y)


@pytest.mark.parametrize(("a", "b"), [((2, None), (3, 4)), ((2, 3), (None, 4)), ((2, 3), (None,))])
def test_a_product_of_a_known_and_an_unknown_size_can_be_differentiated(a, b):
    a, b = sg.placeholder("float64", a, name="a"), sg.placeholder("float64", b, name="b")
    y = a @ b
    ga, gb = sg.gradients(y * y, [a, b])
    one, other = np.ones((2, 3)), np.ones((3, 4)[: b.ndim])
    found = value([ga, gb, sg.gradients(sg.reduce_sum(ga * ga), b)[0]], {a: one, b: other})
    assert [v.shape for v in found] == [one.shape, other.shape, other.shape]
    with pytest.raises(ShapeError, match="the inner dimensions"):
        value([ga, gb], {a: np.ones((2, 5) if a.shape[1] != 3 else (2, 3)),
                         b: np.ones((5, 4)[: b.ndim] if a.shape[1] == 3 else (3, 4))})  # fmt: skip


def test_gradients_can_be_taken_in_any_thread(x):
    y, found = sg.tanh(x), []
    thread = threading.Thread(target=lambda: found.extend(sg.gradients(y, x)))
    thread.start()
    thread.join()
    assert found[0].name.startswith("gradients/tanh/")


@pytest.mark.parametrize("shape", [["n"], ["n", 3], [4, 3]])
def test_nothing_is_built_for_operands_without_a_derivative(shape):
    a = sg.placeholder("float64", shape, name="a")
    mask = sg.placeholder("bool", shape[:1], name="mask")
    y = sg.scatter_add(a, mask, 1.5)  # the shape of a[mask] is read, which has no derivative
    (g,) = sg.gradients(sg.reduce_sum(y * y), a)
    built = g.names.graph().get_operations()
    assert "scatter" not in [e.origin.op.name for e in built if e.origin is not None]
    at, chosen = np.arange(12.0).reshape(4, 3), np.array([True, False, False, True])
    if len(shape) == 1:
        at = at[:, 0]
    expected = at.copy()
    expected[chosen] += 1.5
    assert value([y, g], {a: at, mask: chosen})[1].tolist() == (2 * expected).tolist()
