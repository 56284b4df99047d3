"""Branches, loops, order and optimizers beside TensorFlow 1: one source, run in both."""

import numpy as np
import pytest

import staticgrad as sg

from ..beside import Programs, assert_same, derivatives, opened

pytestmark = pytest.mark.filterwarnings("ignore::gradops.core.errors.UnreachedWarning")

RNG = np.random.default_rng(0)
X, S, W = RNG.normal(size=(2, 3)), RNG.normal(), RNG.normal(size=(3, 3)) / 2
SERIES = RNG.normal(size=(4, 3))


def integer(t, value=0):
    return t.constant(value, dtype="int32")


def zeros(t, shape):
    return t.constant(np.zeros(shape))


def repeated(t, count, step, *values):
    """`values` after `count` times `step(i, *values)`; a single value alone."""
    body = lambda i, *values: [i + 1, *step(i, *values)]
    return t.while_loop(lambda i, *values: i < count, body, [integer(t), *values])[1:]


branches = Programs()


@branches.given(x=X, p=True)
@branches.given(x=X, p=False)
def one_of_two(t, x, p):
    return t.cond(p, lambda: t.sin(x) * x, lambda: t.exp(x))


@branches.given(x=X, s=S)
@branches.given(x=-X, s=S)
def the_data_choose(t, x, s):
    return t.cond(t.reduce_sum(x) > 0, lambda: x * s, lambda: x - s)


@branches.given(x=X, s=S, p=True)
@branches.given(x=X, s=S, p=False)
def branches_of_several_values(t, x, s, p):
    a, b = t.cond(p, lambda: [x * x, s], lambda: [x + s, s * s])
    return a * b


@branches.given(x=X, s=S, p=True)
@branches.given(x=X, s=S, p=False)
def branches_of_different_inputs(t, x, s, p):
    return t.cond(p, lambda: s**3, lambda: t.reduce_sum(t.exp(x)))


@branches.given(x=X, p=True)
@branches.given(x=X, p=False)
def a_branch_that_is_constant(t, x, p):
    return t.cond(p, lambda: zeros(t, (2, 3)), lambda: x**2)


@branches.given(x=X, p=True)
@branches.given(x=X, p=False)
def a_branch_that_is_a_value_from_outside(t, x, p):
    y = t.tanh(x)
    return t.cond(p, lambda: y, lambda: y * x) * y


@branches.given(x=X, p=False)
def a_value_of_integers_beside_one_of_floats(t, x, p):
    return t.cond(p, lambda: [t.argmax(x, axis=1), x], lambda: [t.argmin(x, axis=1), -x * x])


@branches.given(s=-0.5)
@branches.given(s=0.5)
def a_branch_that_is_singular_where_it_is_not_taken(t, s):
    return t.cond(s > 0, lambda: t.log(s), lambda: s * s)


@branches.given(x=X, s=S, p=True, q=False)
@branches.given(x=X, s=S, p=True, q=True)
@branches.given(x=X, s=S, p=False, q=True)
def branches_in_a_branch(t, x, s, p, q):
    inner = lambda: t.cond(q, lambda: t.sin(x * s), lambda: x**3)
    return t.cond(p, inner, lambda: t.cond(q, lambda: x * s, lambda: x))


@branches.given(x=X, p=True)
@branches.given(x=X, p=False)
def a_branch_upon_a_branch(t, x, p):
    y = t.cond(p, lambda: t.sin(x), lambda: x * x)
    return t.cond(t.reduce_sum(y) > 0.5, lambda: y * x, lambda: t.exp(y))


@branches.given(x=X, s=-2.0)
@branches.given(x=X, s=0.5)
@branches.given(x=X, s=5.0)
def the_first_case_that_holds(t, x, s):
    cases = [(s < -1, lambda: x * s), (s < 1, lambda: t.sin(x)), (s < 2, lambda: x)]
    return t.case(cases, default=lambda: x**2 * s)


@branches.given(x=X)
def a_default_that_is_computed(t, x):
    return t.placeholder_with_default(x * 2.0, [2, 3]) ** 2 * x


@branches.given(x=X)
def what_is_printed_is_passed_on(t, x):
    return t.Print(x * x, [x], "x is ") * x


test_a_branch_has_the_same_values_and_first_and_second_derivatives = branches.derivatives_test()

loops = Programs()


@loops.given(x=X, n=np.int32(0))
@loops.given(x=X, n=np.int32(1))
@loops.given(x=X, n=np.int32(5))
def a_power(t, x, n):
    (y,) = repeated(t, n, lambda i, y: [y * x], x)
    return y


@loops.given(x=X)
def a_count_that_is_known(t, x):
    (y,) = repeated(t, 3, lambda i, y: [t.sin(y) * y], x)
    return y


@loops.given(x=X, s=S)
@loops.given(x=9 * X, s=S)
def the_data_end_it(t, x, s):
    return t.while_loop(lambda y: t.reduce_sum(y * y) < 50.0, lambda y: y * 1.5 + x * s, [x])


@loops.given(a=1.5)
def a_root_by_newton(t, a):
    (y,) = repeated(t, 6, lambda i, y: [(y + a / y) / 2.0], a)
    return y


@loops.given(h=X, w=W, x=SERIES)
def a_recurrent_network(t, h, w, x):
    (h,) = repeated(t, 4, lambda i, h: [t.tanh(h @ w + t.gather(x, i, axis=0))], h)
    return h


@loops.given(a=X, b=-2 * X, n=np.int32(5))
def values_that_change_places(t, a, b, n):
    return repeated(t, n, lambda i, a, b: [b, t.sin(a) + b], a, b)


@loops.given(x=X, s=S, n=np.int32(3))
def a_value_that_stays_and_one_that_is_not_used(t, x, s, n):
    y, same, _ = repeated(t, n, lambda i, y, same, z: [y * same, same, z * 2.0], x, s, x)
    return y * same


@loops.given(x=X, n=np.int32(4))
def the_counter_is_a_value(t, x, n):
    body = lambda i, y: [i + 2, y * t.cast(i + 1, "float64")]
    return t.while_loop(lambda i, y: i < n, body, [integer(t), x])


@loops.given(x=X, n=np.int32(4))
def a_sum_of_powers(t, x, n):
    step = lambda i, power, total: [power * x, total + power / t.cast(i + 1, "float64")]
    return repeated(t, n, step, x, zeros(t, (2, 3)))[1]


@loops.given(x=X, n=np.int32(3))
def a_loop_in_a_loop(t, x, n):
    inner = lambda i, y: repeated(t, i + 1, lambda j, z: [t.sin(z * x) + y], y)
    (y,) = repeated(t, n, lambda i, y: list(inner(i, y)), x)
    return y


@loops.given(x=X, n=np.int32(3))
def a_loop_after_a_loop(t, x, n):
    (y,) = repeated(t, n, lambda i, y: [t.sin(y) + x], x)
    (z,) = repeated(t, n + 1, lambda i, z: [z * y], x)
    return z


@loops.given(x=X, n=np.int32(4))
def a_branch_in_a_loop(t, x, n):
    even = lambda i: t.equal(t.mod(i, 2), 0)
    step = lambda i, y: [t.cond(even(i), lambda: y * x, lambda: t.sin(y))]
    return repeated(t, n, step, x)[0]


@loops.given(x=X, n=np.int32(4), p=True)
@loops.given(x=X, n=np.int32(4), p=False)
def a_loop_in_a_branch(t, x, n, p):
    return t.cond(p, lambda: repeated(t, n, lambda i, y: [y * x], x)[0], lambda: t.exp(x))


@loops.given(w=W, x=X, rate=0.1)
def training_in_a_loop(t, w, x, rate):
    def step(i, w):
        loss = t.reduce_sum(t.square(t.tanh(x @ w) - 0.5))
        return [w - rate * t.gradients(loss, w)[0]]

    return repeated(t, 3, step, w)[0]


test_a_loop_has_the_same_values_and_first_and_second_derivatives = loops.derivatives_test()

sequences = Programs()


@sequences.given(x=SERIES, s=S)
def a_scan(t, x, s):
    return t.scan(lambda a, x: t.sin(a * s) + x, x, x[0])


@sequences.given(x=[1.5, -0.5, 2.0, 0.7], s=S)
def a_scan_of_numbers(t, x, s):
    return t.scan(lambda a, x: a * x, x, s)


@sequences.given(x=SERIES, w=W, h=X[:1])
def a_recurrent_network_by_a_scan(t, x, w, h):
    return t.scan(lambda h, x: t.tanh(h @ w + x), x, h)


@sequences.given(x=SERIES, y=-SERIES / 2, s=S)
def a_scan_of_two_sequences(t, x, y, s):
    return t.scan(lambda a, e: t.tanh(a * e[0] + e[1] * s), (x, y), x[1])


@sequences.given(x=SERIES)
def a_scan_with_two_results(t, x):
    step = lambda a, x: (a[0] + a[1] * x, t.sin(a[1] + x))
    return t.scan(step, x, (x[0], x[1]))


@sequences.given(x=SERIES)
def a_branch_in_a_scan(t, x):
    step = lambda a, x: t.cond(t.reduce_sum(x) > 0, lambda: a * x, lambda: t.sin(a) + x)
    return t.scan(step, x, x[0])


@sequences.given(x=SERIES)
def a_scan_of_a_scan(t, x):
    return t.scan(lambda a, x: t.sin(a + x), t.scan(lambda a, x: a * x, x, x[0]), x[1])


@sequences.given(x=SERIES)
def a_scan_in_a_scan(t, x):
    return t.scan(lambda a, row: t.scan(lambda b, e: t.sin(b * e), row, a[0]) + a, x, x[0])


@sequences.given(x=SERIES, s=S)
def a_fold(t, x, s):
    return t.foldl(lambda a, x: a * x + s, x, x[0])


@sequences.given(x=SERIES, w=W)
def a_function_of_each_row(t, x, w):
    return t.map_fn(lambda row: t.softmax(row) * t.reduce_sum(t.expand_dims(row, 0) @ w), x)


@sequences.given(x=SERIES)
def a_fold_of_each_row(t, x):
    return t.map_fn(lambda row: t.foldl(lambda a, e: t.sin(a * e), row, row[1]), x)


@sequences.given(x=SERIES, n=np.int32(3))
def a_loop_for_each_row(t, x, n):
    return t.map_fn(lambda row: repeated(t, n, lambda i, y: [t.sin(y * row)], row)[0], x)


@sequences.given(x=SERIES)
def a_function_of_each_row_of_each_scan(t, x):
    return t.map_fn(lambda row: t.scan(lambda a, e: a * e, row, row[0]), t.exp(x))


test_a_sequence_has_the_same_values_and_derivatives = sequences.derivatives_test()
test_a_sequence_of_unknown_length_has_them_too = sequences.derivatives_test(known=False)


@pytest.fixture
def loops_of_tensorflow_1(tensorflow):
    """TensorFlow with the branches and loops that version 1 had."""
    tensorflow.disable_control_flow_v2()
    yield tensorflow
    tensorflow.enable_control_flow_v2()


@pytest.mark.peers
@loops.cases()
def test_first_derivatives_are_those_of_version_1_too(loops_of_tensorflow_1, program, data, order):
    found = [derivatives(t, program, data, 1, True) for t in (sg, loops_of_tensorflow_1)]
    assert_same(*found)


@pytest.mark.peers
@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_second_derivatives_which_version_1_refuses_are_the_closed_form(loops_of_tensorflow_1, n):
    def program(t):
        with t.Graph().as_default():
            x, count = t.placeholder("float64", [3]), t.placeholder("int32", [])
            (y,) = repeated(t, count, lambda i, y: [y * x], zeros(t, 3) + 1.0)
            found = [y]
            for _ in range(3):
                found += t.gradients(found[-1], x, unconnected="zero")
            return opened(t).run(found, {x: at, count: n})

    at = np.array([0.5, -1.0, 2.0])
    with pytest.raises(TypeError, match="Second-order gradient for while loops not supported"):
        program(loops_of_tensorflow_1)
    falling = [1.0, n, n * (n - 1), n * (n - 1) * (n - 2)]
    wanted = [f * at ** max(n - k, 0) for k, f in enumerate(falling)]
    assert_same(program(sg), wanted)


sessions = Programs()


def variable(t, value=(1.0, 2.0), **options):
    return t.Variable(value, dtype="float64", **options)


@sessions
def a_default_is_taken_unless_it_is_fed(t):
    x = t.placeholder_with_default(np.array([1.0, 2.0]), [2], name="x")
    y = x * 2.0
    session = opened(t)
    return session.run(y), session.run(y, {x: [5.0, 6.0]}), session.run(y, {"x:0": [7.0, 8.0]})


@sessions
def a_default_may_be_of_unknown_length(t):
    x = t.placeholder_with_default(np.array([1.0, 2.0]), [None])
    (g,) = t.gradients(x**2, x)
    session = opened(t)
    return session.run(g), session.run(g, {x: [1.0, 2.0, 3.0]})


@sessions
def what_is_depended_on_happens(t):
    w = variable(t)
    with t.control_dependencies([w.assign_add([1.0, 1.0])]):
        y = t.constant([7.0]) * 1.0
    session = opened(t)
    return session.run(y), session.run(w), session.run([y]), session.run(w)


@sessions
def dependencies_add_up_and_none_forgets_them(t):
    u, w = variable(t), variable(t)
    with t.control_dependencies([u.assign_add([1.0, 1.0])]):
        with t.control_dependencies([w.assign_add([1.0, 1.0])]):
            both = t.constant(1.0) * 1.0
        with t.control_dependencies(None):
            neither = t.constant(2.0) * 1.0
        first = t.constant(3.0) * 1.0
    session = opened(t)
    return [[session.run(e), session.run(u), session.run(w)] for e in (both, neither, first)]


@sessions
def a_value_is_read_after_what_it_depends_on(t):
    w = variable(t)
    before = w * 1.0
    with t.control_dependencies([before]):
        step = w.assign(w * 3.0)
    with t.control_dependencies([step]):
        after = w * 1.0
    session = opened(t)
    return session.run([before, after]), session.run([before, after])


@sessions
def a_group_does_all_and_gives_nothing(t):
    u, w = variable(t), variable(t)
    both = t.group(u.assign_add([1.0, 1.0]), w.assign([5.0, 5.0]))
    session = opened(t)
    return session.run(both), session.run([both, w]), session.run([u, w])


@sessions
def a_group_can_be_depended_on(t):
    u, w = variable(t), variable(t)
    both = t.group(u.assign_add([1.0, 1.0]), w.assign([5.0, 5.0]))
    with t.control_dependencies([both]):
        y = u * 1.0 + w
    return opened(t).run(y)


@sessions
def nothing_is_done_and_given(t):
    session = opened(t)
    return session.run(t.no_op()), session.run([t.no_op(), t.constant(1.0), t.group()])


@sessions
def variables_begin_again(t):
    w = variable(t)
    step, begin = w.assign_add([1.0, 1.0]), t.global_variables_initializer()
    session = opened(t)
    found = [session.run(step), session.run(step), session.run(begin), session.run(w)]
    return [*found, session.run(step)]


@sessions
def an_assertion_that_holds_changes_nothing(t):
    x = t.placeholder("float64", [2])
    with t.control_dependencies([t.Assert(t.reduce_all(x > 0), [x])]):
        y = t.log(x)
    return opened(t).run([y, *t.gradients(y, x)], {x: [1.0, 2.0]})


@sessions
def an_assertion_that_nothing_depends_on_is_not_checked(t):
    x = t.placeholder("float64", [2])
    t.Assert(t.reduce_all(x > 0), [x])
    return opened(t).run(x * 2.0, {x: [-1.0, 2.0]})


@sessions
def branches_and_loops_can_be_fed_and_fetched_by_name(t):
    p = t.placeholder("bool", [], name="p")
    y = t.cond(p, lambda: t.constant(1.0) * 2.0, lambda: t.constant(3.0) * 1.0)
    t.identity(y, name="y")
    session = opened(t)
    return [session.run("y:0", {"p:0": fed}) for fed in (True, False)]


@sessions
def variables_are_read_in_branches_and_loops(t):
    w, p = variable(t), t.placeholder("bool", [])
    (y,) = repeated(t, 3, lambda i, y: [y * w], w * 1.0)
    z = t.cond(p, lambda: w * y, lambda: w * 1.0)
    fetches = [y, z, *t.gradients(z, w)]
    step = w.assign_add([1.0, 1.0])
    session = opened(t)
    return [[session.run(fetches, {p: fed}), session.run(step)] for fed in (True, False, True)]


@sessions
def only_the_branch_that_is_taken_is_computed(t):
    x = t.placeholder("float64", [])

    def refuse():
        with t.control_dependencies([t.Assert(x > 0, [x])]):
            return t.log(x)

    y = t.cond(x > 0, refuse, lambda: x * 1.0)
    session = opened(t)
    return session.run(y, {x: -2.0}), session.run(y, {x: 2.0})


test_a_program_gives_what_it_gives_in_tensorflow = sessions.outcomes_test()

refused = Programs()


@refused
def an_assertion_that_does_not_hold(t):
    x = t.placeholder("float64", [2])
    with t.control_dependencies([t.Assert(t.reduce_all(x > 0), [x])]):
        y = x * 2.0
    return opened(t).run(y, {x: [-1.0, 2.0]})


@refused
def branches_of_different_dtypes(t):
    p = t.placeholder("bool", [])
    return t.cond(p, lambda: t.constant(1.0), lambda: integer(t))


@refused
def branches_of_different_numbers_of_values(t):
    p = t.placeholder("bool", [])
    return t.cond(p, lambda: [t.constant(1.0), t.constant(1.0)], lambda: [t.constant(1.0)])


@refused
def a_body_that_returns_too_few_values(t):
    return t.while_loop(lambda a, b: a < b, lambda a, b: [a + 1], [integer(t), integer(t, 3)])


@refused
def a_body_that_changes_a_dtype(t):
    return t.while_loop(lambda a: a < 3, lambda a: t.cast(a, "float64"), [integer(t)])


@refused
def a_body_that_changes_a_shape(t):
    return t.while_loop(
        lambda a: t.reduce_sum(a) < 3.0, lambda a: t.concat([a, a], 0), [t.constant([1.0])]
    )


@refused
def a_condition_that_is_no_truth_value(t):
    return opened(t).run(t.while_loop(lambda a: a + 1, lambda a: a + 1, [integer(t)]))


@refused
def a_condition_that_is_several(t):
    return opened(t).run(t.while_loop(lambda a: a < 3, lambda a: a + 1, [integer(t, [1, 2])]))


@refused
def what_a_loop_made_used_outside(t):
    made = []

    def body(i):
        made.append(i * 2)
        return i + 1

    t.while_loop(lambda i: i < 3, body, [integer(t)])
    return opened(t).run(made[0] + 1)


@refused
def a_default_of_another_shape(t):
    return t.placeholder_with_default(np.array([1.0, 2.0]), [3])


test_both_refuse = refused.refused_test()


@pytest.mark.peers
def test_what_is_printed_has_its_message_and_its_numbers(tensorflow, capfd):
    for t in (sg, tensorflow):
        with t.Graph().as_default():
            x = t.placeholder("float64", [2])
            y = t.Print(x * 2.0, [x], "x is ")
            found = opened(t).run(y, {x: [1.5, 2.5]})
        assert found.tolist() == [3.0, 5.0]
        shown = "".join(capfd.readouterr())
        assert "x is " in shown
        assert "1.5" in shown
        assert "2.5" in shown


# TensorFlow rounds Python's numbers to float32, also for variables of float64; NumPy's it leaves.
OPTIMIZERS = [
    ("GradientDescentOptimizer", [0.1], {}),
    ("MomentumOptimizer", [0.1, 0.9], {}),
    ("MomentumOptimizer", [0.1, 0.9], {"use_nesterov": True}),
    ("AdamOptimizer", [0.1, 0.9, 0.999, 1e-8], {}),
    ("AdagradOptimizer", [0.1], {}),
    ("AdagradOptimizer", [0.1, 0.7], {}),
    ("RMSPropOptimizer", [0.1, 0.9], {}),
    ("RMSPropOptimizer", [0.1, 0.8, 0.5, 1e-3], {}),
    ("RMSPropOptimizer", [0.1, 0.9], {"momentum": 0.5, "centered": True}),
    ("AdamOptimizer", [0.1], {"beta1": 0.8, "beta2": 0.95, "epsilon": 1e-3}),
]


@pytest.mark.peers
@pytest.mark.parametrize(("name", "args", "options"), OPTIMIZERS, ids=str)
def test_an_optimizer_takes_the_same_steps(tensorflow, name, args, options):
    def program(t):
        x = t.placeholder("float64", [2, 3])
        w, b = variable(t, W), variable(t, 0.5)
        kept, unused = variable(t, trainable=False), variable(t)
        loss = t.reduce_mean(t.square(t.tanh(x @ w + b) - kept[0] * 0.3))
        exact = {k: v if isinstance(v, bool) else np.float64(v) for k, v in options.items()}
        train = getattr(t.train, name)(*map(np.float64, args), **exact).minimize(loss)
        session = opened(t)
        steps = []
        for k in range(8):
            session.run(train, {x: X + k / 8})
            steps.append(session.run([w, b, kept, unused, loss], {x: X}))
        return steps

    found = []
    for t in (sg, tensorflow):
        with t.Graph().as_default():
            found.append(program(t))
    assert_same(*found)


@pytest.mark.peers
def test_an_optimizer_changes_the_variables_it_is_told_to(tensorflow):
    found = []
    for t in (sg, tensorflow):
        with t.Graph().as_default():
            u, w = variable(t), variable(t)
            train = t.train.GradientDescentOptimizer(np.float64(0.1)).minimize(
                t.reduce_sum(u * w * w), var_list=[w]
            )
            session = opened(t)
            assert session.run(train) is None
            found.append(session.run([u, w]))
    assert_same(*found)
