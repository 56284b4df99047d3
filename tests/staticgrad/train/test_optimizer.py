"""Optimizers: which variables learn, what a step reads, what is kept, and what is refused."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import CheckError, DTypeError, GradError, GraphError, MixedOperandsError, ShapeError
from gradops.nn import optimizer_updates

OPTIMIZERS = {
    "descent": lambda **o: sg.train.GradientDescentOptimizer(0.1, **o),
    "momentum": lambda **o: sg.train.MomentumOptimizer(0.1, 0.9, **o),
    "adam": lambda **o: sg.train.AdamOptimizer(0.1, **o),
    "adamw": lambda **o: sg.train.AdamWOptimizer(0.1, **o),
    "adagrad": lambda **o: sg.train.AdagradOptimizer(0.1, **o),
    "rmsprop": lambda **o: sg.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True, **o),
}
every_optimizer = pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
descent = OPTIMIZERS["descent"]


@every_optimizer
def test_the_loss_gets_smaller(make):
    w, b = sg.Variable([1.0, 2.0], name="w"), sg.Variable(0.5, name="b")
    loss = sg.reduce_sum(sg.square(w * b + b - 1.0))
    train, session = make().minimize(loss), sg.Session()
    before = session.run(loss)
    for _ in range(20):
        session.run(train)
    assert session.run(loss) < before


@every_optimizer
def test_a_step_reads_what_was_there_before_it(make):
    u, w = sg.Variable(2.0), sg.Variable(3.0)
    train = make().minimize(u * w)
    session = sg.Session()
    session.run(train)
    alone = []
    for x, g in ((2.0, 3.0), (3.0, 2.0)):
        with sg.Graph().as_default():
            v = sg.Variable(x)
            only = make().minimize(v * g)
            other = sg.Session()
            other.run(only)
            alone.append(other.run(v))
    assert session.run([u, w]) == alone


@every_optimizer
def test_all_trainable_floats_of_the_graph_learn_and_nothing_else(make):
    w = sg.Variable(1.0)
    others = [
        sg.Variable(2.0, trainable=False), sg.Variable(3, trainable=False), sg.Variable(4.0),
    ]  # fmt: skip
    train = make().minimize(w * w * sg.cast(others[1], "float32") + others[0])
    session = sg.Session()
    session.run(train)
    assert session.run(w) != 1
    assert session.run(others) == [2.0, 3, 4.0]


@every_optimizer
def test_a_step_that_fails_changes_nothing(make):
    x = sg.placeholder("float32", [])
    w, optimizer = sg.Variable(1.0), make()
    step = sg.train.get_or_create_global_step()
    with sg.control_dependencies([sg.Assert(x > 0, [x], "x is positive")]):
        train = optimizer.minimize(w * x, global_step=step)
    session, everything = sg.Session(), [w, step, *optimizer.variables()]
    session.run(train, {x: 1.0})
    before = session.run(everything)
    with pytest.raises(CheckError, match="x is positive"):
        session.run(train, {x: -1.0})
    assert session.run(everything) == before


@every_optimizer
def test_what_is_kept_is_not_trained_and_belongs_to_the_graph(make):
    w = sg.Variable([1.0, 2.0], name="w")
    optimizer = make(name="mine")
    optimizer.minimize(sg.reduce_sum(w * w))
    assert sg.trainable_variables() == [w]
    assert sg.global_variables() == [w, *sorted(optimizer.variables(), key=lambda v: v.number)]
    assert all(v.name.split("/")[0] in ("w", "mine") for v in optimizer.variables())
    for name in optimizer.get_slot_names():
        kept = optimizer.get_slot(w, name)
        assert kept.name == f"w/mine/{name}"
        assert kept.type == w.type
    assert optimizer.get_slot(w, "nothing") is None


@every_optimizer
def test_the_initializer_begins_the_training_again(make):
    w = sg.Variable([1.0, 2.0])
    train = make().minimize(sg.reduce_sum(w * w))
    begin, session = sg.global_variables_initializer(), sg.Session()

    def steps():
        return [session.run([train, w])[1].tolist() for _ in range(3)]

    first = steps()
    session.run(begin)
    assert steps() == first


@every_optimizer
def test_a_rate_may_be_fed(make):
    rate = sg.placeholder("float32", [])
    w = sg.Variable(1.0)
    optimizer = make()
    optimizer.learning_rate = rate
    train, session = optimizer.minimize(w * w), sg.Session()
    session.run(train, {rate: 0.0})
    assert session.run(w) == 1.0
    session.run(train, {rate: 0.1})
    assert session.run(w) < 1.0


def test_a_rate_may_be_a_variable_and_of_any_float():
    for dtype in ("float16", "float32", "float64"):
        rate = sg.Variable(0.25, dtype=dtype, trainable=False)
        w = sg.Variable([1.0], dtype="float32")
        train = sg.train.MomentumOptimizer(rate, 0.0).minimize(sg.reduce_sum(w * w), var_list=w)
        session = sg.Session()
        session.run(train)
        session.run(rate.assign(0.5))
        session.run(train)
        assert session.run(w).tolist() == [0.0]


def test_numbers_of_numpy_count_as_numbers():
    w = sg.Variable([1.0])
    optimizer = sg.train.AdamOptimizer(np.float64(0.1), np.float64(0.9), epsilon=np.float32(1e-8))
    session = sg.Session()
    session.run(optimizer.minimize(sg.reduce_sum(w)))
    assert session.run(w).dtype == "float32"


def test_two_optimizers_share_a_graph():
    u, w = sg.Variable(1.0, name="u"), sg.Variable(2.0, name="w")
    loss = u * u * w
    one = sg.train.AdamOptimizer(0.5).minimize(loss, var_list=[u])
    two = sg.train.AdamOptimizer(0.5).minimize(loss, var_list=[w])
    session = sg.Session()
    session.run(one)
    assert session.run(u) != 1
    assert session.run(w) == 2
    before = session.run(u)
    session.run(two)
    assert session.run(u) == before
    assert session.run(w) != 2
    assert one.name == "Adam"
    assert two.name == "Adam_1"


def test_two_steps_in_one_run_follow_one_another():
    w = sg.Variable(1.0)
    loss = w * w
    first, second = descent().minimize(loss), descent().minimize(loss)
    session = sg.Session()
    session.run([first, second])
    assert session.run(w) == np.float32(1) - np.float32(0.2) - np.float32(0.2)


def test_the_loss_beside_a_step_is_the_one_before_it():
    w = sg.Variable(1.0)
    loss = w * w
    train = descent().minimize(loss)
    assert sg.Session().run([train, loss]) == [None, 1.0]


def test_a_step_may_be_made_in_a_loop():
    w = sg.Variable(1.0)

    def body(i):
        descent().minimize(w * w)
        return i + 1

    done = sg.while_loop(lambda i: i < 3, body, [0])
    session = sg.Session()
    session.run(done)
    np.testing.assert_allclose(session.run(w), 0.8**3, rtol=1e-6)


def test_gradients_may_be_changed_before_they_are_applied():
    u, w = sg.Variable([3.0]), sg.Variable([4.0])
    optimizer = sg.train.GradientDescentOptimizer(1.0)
    grads, variables = zip(*optimizer.compute_gradients(sg.reduce_sum(u * u + w * w) / 2.0))
    clipped, norm = sg.clip_by_global_norm(grads, 1.0)
    train, session = optimizer.apply_gradients(zip(clipped, variables)), sg.Session()
    assert session.run([norm, train]) == [5.0, None]
    np.testing.assert_allclose(session.run([u, w]), [[2.4], [3.2]], rtol=1e-6)


def test_a_loss_of_many_numbers_is_weighed():
    w = sg.Variable([1.0, 1.0])
    train = descent().minimize(w * w, grad_loss=sg.constant([1.0, 0.0]))
    session = sg.Session()
    session.run(train)
    np.testing.assert_allclose(session.run(w), [0.8, 1.0])


def test_a_variable_without_gradient_is_left_out():
    u, w = sg.Variable(1.0), sg.Variable(2.0)
    optimizer = OPTIMIZERS["adam"]()
    assert optimizer.compute_gradients(u * u, [u, w])[1] == (None, w)
    train = optimizer.minimize(u * u, var_list=[u, w])
    assert optimizer.get_slot(w, "m") is None
    session = sg.Session()
    session.run(train)
    assert session.run(w) == 2.0


def test_any_rule_of_gradops_makes_an_optimizer():
    w = sg.Variable([1.0, 2.0])
    optimizer = sg.train.Optimizer(optimizer_updates.adam, 0.1, amsgrad=True)
    optimizer.minimize(sg.reduce_sum(w))
    assert optimizer.get_slot_names() == ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"]
    assert optimizer.name == "adam"


def test_a_training_is_made_in_the_graph_of_its_loss():
    with sg.Graph().as_default() as other:
        w = sg.Variable(1.0)
        loss = w * w
    with other.as_default():
        session = sg.Session()
    train = OPTIMIZERS["adam"]().minimize(loss)
    assert len(sg.get_default_graph()) == 0
    session.run(train)
    assert session.run(w) < 1


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_a_loss_is_one_number_of_any_shape(shape):
    w = sg.Variable([1.0, 2.0], name="w")
    session = sg.Session()
    train = descent().minimize(sg.reshape(sg.reduce_sum(w * w), shape))
    session.run([sg.global_variables_initializer()])
    session.run(train)
    assert np.all(session.run(w) < [1, 2])


def test_what_cannot_be_trained_is_refused():
    w, n = sg.Variable([1.0, 2.0], name="w"), sg.Variable(1, name="n")
    loss = sg.reduce_sum(w)
    with pytest.raises(ShapeError, match=r"w: float32\[2\].*single number(.|\n)*reduce_mean"):
        descent().minimize(w)
    with pytest.raises(GraphError, match=r"1\.0 is not an expression"):
        descent().minimize(1.0)
    with pytest.raises(DTypeError, match="only floats can be trained, not int64"):
        descent().minimize(loss, var_list=[w, n])
    with pytest.raises(DTypeError, match="only floats can be"):
        descent().minimize(n)
    with pytest.raises(GraphError, match=r"sum.* is not a variable"):
        descent().minimize(loss, var_list=[loss])
    with pytest.raises(GraphError, match="given twice"):
        descent().minimize(loss, var_list=[w, w])
    with sg.Graph().as_default() as graph:
        other = sg.Variable(1.0, name="other")
    with pytest.raises(MixedOperandsError, match="different graphs"):
        descent().minimize(loss, var_list=[w, other])
    with pytest.raises(MixedOperandsError, match="different graphs"):
        descent().apply_gradients([(sg.constant(1.0), other)])
    assert len(graph) == 1


def test_gradients_that_fit_no_variable_are_refused():
    w = sg.Variable([1.0, 2.0], name="w")
    with pytest.raises(ShapeError, match="shaped as its variable"):
        descent().apply_gradients([(sg.constant(1.0), w)])
    with pytest.raises(GradError, match="no gradient for any variable"):
        descent().apply_gradients([(None, w)])


def test_a_loss_that_no_variable_reaches_says_why():
    w, v = sg.Variable([1.0, 2.0], name="w"), sg.Variable(1.0, name="v")
    loss = sg.cast(sg.argmax(w), "float32")
    with pytest.raises(GradError) as caught:
        descent().minimize(loss)
    message = str(caught.value)
    assert message.startswith("minimize(astype: float32[]): no gradient reaches a variable\n")
    assert "  w: float32[2]: astype is computed from w, but no derivative passes\n" in message
    assert "argmax: int64[], made at" in message
    assert f"  v: float32[]: {sg.why_none(loss, v)}" in message


def test_a_graph_without_variables_says_so():
    with pytest.raises(GradError, match="no trainable variables"):
        descent().minimize(sg.constant(1.0))


def test_an_integer_that_was_meant_to_learn_is_named():
    w = sg.Variable([0, 0], name="w")
    loss = sg.reduce_sum(sg.cast(w, "float32") + sg.Variable(0.0))
    with pytest.raises(DTypeError, match=r"w: int64\[2\].*\n.*begin with floats"):
        sg.train.GradientDescentOptimizer(0.1).minimize(loss)


@pytest.mark.parametrize("rate", [[0.1, 0.2], np.ones(2), "0.1", None])
def test_a_learning_rate_is_a_single_number(rate):
    with pytest.raises(GradError, match=r"number"):
        sg.train.AdamOptimizer(rate)


def test_steps_are_counted_in_a_variable_that_is_not_trained():
    w = sg.Variable(1.0, name="w")
    optimizer = sg.train.GradientDescentOptimizer(0.1)
    with sg.Graph().as_default():
        elsewhere = sg.Variable(0, name="elsewhere")
    for step in (3, w + 1, w, elsewhere):
        with pytest.raises(GradError, match=r"global_step is|different graphs|cannot be trained"):
            optimizer.minimize(w * w, global_step=step)
