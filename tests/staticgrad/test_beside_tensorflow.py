"""Graphs beside TensorFlow 1: one source, run in both, gives the same values and gradients."""

from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError

from .beside import Programs, after, assert_same, derivatives, opened, outcome, plain_name

RNG = np.random.default_rng(0)
INPUTS = dict(
    x=RNG.normal(size=(3, 4)), v=RNG.normal(size=4), c=RNG.normal(size=(3, 1)),
    m=RNG.normal(size=(4, 2)), s=np.asarray(RNG.normal()), p=RNG.uniform(0.5, 2, size=(3, 4)),
    i=np.array([2, 0, 2]), b=RNG.random((3, 4)) > 0.5,
)  # fmt: skip

# Of a matrix x, a vector v, a column c, m that x can be multiplied with, a number s, a positive p,
# indices i and truth values b.
FORMULAS = """
    x + v ; x - c ; v * c ; x / p ; s * x + s ; 2.0 - x ; 1.0 / p ; -x ; p**2 ; p**x ; 2.0**x
    x @ m ; x[1] ; x[:, 1:3] ; x[::2, None, -1] ; x[..., ::-1]
    t.add(v, c) ; t.subtract(c, v) ; t.multiply(x, c) ; t.divide(v, p) ; t.negative(x)
    t.pow(p, v) ; t.maximum(x, v) ; t.minimum(c, v) ; t.mod(x, 0.7) ; t.floor_divide(x, 0.7)
    t.abs(x) ; t.square(x) ; t.sqrt(p) ; t.exp(x) ; t.expm1(x) ; t.log(p) ; t.log1p(p)
    t.sin(x) ; t.cos(x) ; t.tan(x) ; t.tanh(x) ; t.sigmoid(x) ; t.erf(x) ; t.reciprocal(p)
    t.asin(t.tanh(x)) ; t.acos(t.sin(x)) ; t.atan(x) ; t.sinh(x) ; t.cosh(x) ; t.asinh(x)
    t.acosh(p + 1) ; t.atanh(t.sin(x)) ; t.atan2(x, v) ; t.is_inf(x) ; t.logical_xor(b, x > 0)
    t.rint(x) ; t.div_no_nan(x, v) ; t.div_no_nan(x, 0 * v) ; t.truncatediv(5 - i, i - 3)
    t.sign(x) ; t.floor(x) ; t.ceil(x) ; t.isnan(x) ; t.isfinite(x)
    t.relu(x) ; t.softplus(x) ; t.silu(x) ; t.gelu(x)
    t.greater(x, v) ; t.greater_equal(x, c) ; t.less(v, c) ; t.less_equal(x, s) ; t.equal(i, 2)
    t.not_equal(i, 2) ; t.logical_and(b, x > 0) ; t.logical_or(b, x > 0) ; t.logical_not(b)
    t.reduce_sum(x) ; t.reduce_sum(x, axis=0) ; t.reduce_sum(x, axis=-1, keepdims=True)
    t.reduce_sum(x, axis=[0, 1]) ; t.reduce_sum(x, axis=[1, 0], keepdims=True)
    t.reduce_mean(x) ; t.reduce_mean(x, axis=0) ; t.reduce_mean(x, axis=-1, keepdims=True)
    t.reduce_max(x) ; t.reduce_max(x, axis=0) ; t.reduce_min(x, axis=1, keepdims=True)
    t.reduce_logsumexp(x) ; t.reduce_logsumexp(x, axis=1) ; t.reduce_logsumexp(9 * x, axis=0)
    t.reduce_any(b) ; t.reduce_any(b, axis=1) ; t.reduce_all(b, axis=0, keepdims=True)
    t.argmax(x, axis=1) ; t.argmin(x, axis=0)
    t.softmax(x) ; t.softmax(9 * x, axis=0) ; t.log_softmax(x) ; t.log_softmax(9 * x, axis=0)
    t.cross_entropy(x, i, reduction='none')
    t.binary_cross_entropy_with_logits(x, p / 2, reduction='none')
    t.gather(x, i, axis=0) ; t.gather(x, i, axis=1) ; t.gather(v, i) ; t.gather(x, [[1, 0]], axis=1)
    t.concat([x, c], 1) ; t.concat([x, p, x], axis=0) ; t.concat([v, v * s], -1)
    t.stack([x, p]) ; t.stack([v, v, s * v], axis=1) ; t.stack([s, s * s])
    t.where(b, x, p) ; t.where(x > v, x, c) ; t.where(b, t.zeros_like(x), v)
    t.where(x > 0, x * s, t.exp(x))
    t.clip_by_value(x, -0.5, 0.5) ; t.clip_by_value(x, v - 1, 1.0)
    t.reshape(x, [2, 6]) ; t.reshape(x, [-1]) ; t.reshape(x, (4, -1)) ; t.expand_dims(x, 1)
    t.expand_dims(v, axis=-1) ; t.squeeze(c, axis=1) ; t.squeeze(x[None], [0])
    t.transpose(x) ; t.transpose(x[None], [2, 0, 1]) ; t.broadcast_to(v, [2, 3, 4]) ; t.flip(x, 1)
    t.pad(x, [[1, 0], [0, 2]]) ; t.identity(x) ; t.zeros_like(x) ; t.ones_like(x) * s
    t.einsum('ij,jk->ki', x, m) ; t.einsum('ij,ij->i', x, p) ; t.einsum('i,j->', v, v)
    t.matmul(x, m) ; t.matmul(x[None], m) ; t.matmul(t.stack([x, p]), t.stack([m, m]))
    t.cast(b, 'float64') * x ; t.cast(x, 'int32') ; t.cast(t.cast(x, 'float32'), 'float64')
    t.stop_gradient(x) * x ; t.exp(t.stop_gradient(x * s)) * s
    t.one_hot(i, 4, dtype='float64') * x
    t.reduce_sum(input_tensor=x, axis=0, keep_dims=True) ; t.reduce_mean(x, reduction_indices=[1])
    t.transpose(a=x, perm=[1, 0]) ; t.matmul(m, x, transpose_a=True, transpose_b=True)
    t.matmul(a=x, b=p, transpose_b=True) ; t.subtract(x=x, y=v) ; t.expand_dims(x, dim=0)
    t.clip_by_value(x, clip_value_min=-0.5, clip_value_max=0.5) ; t.concat(axis=1, values=[x, c])
    t.argmax(x) ; t.argmin(x) ; t.argmax(x, dimension=1) ; t.argmax(x, 1, output_type='int32')
    t.gather(x, i) ; t.gather(params=x, indices=i, axis=1) ; t.gather(x, [1, 0])
    t.add_n([x, p, x]) ; t.rsqrt(p) ; t.squared_difference(x, v) ; t.log_sigmoid(9 * x)
    t.truediv(x, p) ; t.floordiv(x, 0.7) ; t.floormod(x, 0.7) ; t.round(3 * x) ; t.is_finite(x)
    t.tile(x, [2, 3]) ; t.tile(v, [3]) ; t.tile(x[:, None], [1, 2, 1])
    t.cumsum(x) ; t.cumsum(x, axis=1) ; t.cumsum(x, exclusive=True)
    t.cumsum(x, -1, exclusive=True, reverse=True) ; t.cumsum(x, 1, reverse=True)
    t.unstack(x, 3) ; t.unstack(x, num=4, axis=1)[2] ; t.unstack(x, axis=-1, num=4)
    t.split(x, [1, 2]) ; t.split(x, [1, 2, 1], axis=1) ; t.split(x, [1, -1], axis=1)
    t.split(value=x, num_or_size_splits=[3, 1], axis=1)
    t.slice(x, [1, 0], [2, 3]) ; t.slice(x, [0, 2], [-1, -1]) ; t.slice(v, [1], [2])
    t.reverse(x, [1]) ; t.reverse(x, axis=[0, -1]) ; t.boolean_mask(x, b)
    t.boolean_mask(x, b[:, 0])
    t.boolean_mask(x, b[0], axis=1) ; t.boolean_mask(x, [True, False, True])
    t.one_hot(i, depth=3, on_value=2.5, off_value=-1.0, axis=0, dtype='float64') * c[:, 0]
    t.one_hot(indices=i, depth=3) ; t.one_hot(i, 5, axis=0)
    t.tensordot(x, m, 1) ; t.tensordot(x, p, 2) ; t.tensordot(x, p, [[0], [0]])
    t.tensordot(x, m, axes=[1, 0]) ; t.tensordot(v, x, axes=[[0], [1]]) ; t.tensordot(v, c, 0)
    t.norm(x) ; t.norm(x, axis=1) ; t.norm(x, ord=1, axis=0, keepdims=True)
    t.norm(x, 'fro', [0, 1])
    t.norm(x, ord=np.inf, axis=1) ; t.norm(p, ord=3) ; t.norm(x, ord=2, axis=-1)
    t.cumprod(p) ; t.cumprod(p, axis=1, exclusive=True) ; t.cumprod(p, reverse=True)
    t.norm(x, 1, 1) ; t.count_nonzero(x) ; t.count_nonzero(b, axis=1, keepdims=True, dtype='int32')
    t.reduce_variance(x) ; t.reduce_variance(x, axis=0) ; t.reduce_std(x, [1], keepdims=True)
    t.zeros([2, 3]) + t.ones([3]) ; t.ones([3, 1], 'float64') * x ; t.fill([3, 4], 0.5)
    t.fill([3], s)
    t.range(5, dtype='int64') ; t.range(1.0, 3.0, 0.5) ; t.range(9, 2, delta=-3, dtype='int64')
    t.linspace(s, 2.0, 4) ; t.linspace(0.0, 1.0, 5) ; t.linspace(v[0], v[1], 1) ; t.eye(3)
    t.eye(3, 4, dtype='float64') * x ; t.eye(2, batch_shape=[3], dtype='float64')
    t.shape(x, out_type='int64') ; t.size(x, out_type='int64') ; t.shape(s, out_type='int64')
    t.reshape(x, [t.shape(x)[0], 1, -1]) ; t.reshape(p, t.shape(x)) ; t.zeros(t.shape(v)) ; v[::-1]
    t.reshape(x, t.concat([t.shape(x)[1:], [-1]], 0))
    t.broadcast_to(v, t.stack([2, t.shape(v)[0]]))
    t.reshape(x, [t.reduce_prod(t.shape(x))]) ; t.fill([2 * t.shape(v)[0] - 1], s)
    x[:t.shape(x)[0] // 2]
    t.range(t.shape(v)[0] + 1, dtype='int64') ; t.eye(t.shape(x)[0], dtype='float64') @ x
    t.one_hot(i, t.shape(x)[0], dtype='float64') @ x ; t.tile(c, [1, t.shape(v)[0]]) * x
    t.slice(x, [0, 1], [t.shape(x)[0], 2]) ; t.reduce_sum(x) / t.cast(t.shape(x)[0], 'float64')
    t.range(t.shape(x)[0], 2 * t.size(x), 2, dtype='int64')
    t.range(t.size(x), -1, -5, dtype='int64')
    t.ensure_shape(x, [3, None]) * v ; t.ensure_shape(x, [None, 4])
    t.nn.relu(x) ; t.nn.sigmoid(x) ; t.nn.tanh(x) ; t.nn.softmax(x, dim=0)
    t.nn.log_softmax(x, axis=0)
    t.nn.softplus(x) ; t.nn.silu(features=x) ; t.nn.elu(x) ; t.nn.selu(x) ; t.nn.relu6(9 * x)
    t.nn.leaky_relu(x, alpha=0.25) ; t.nn.l2_loss(x)
    t.nn.l2_normalize(x, 1) ; t.nn.l2_normalize(x, [0, 1])
    t.nn.bias_add(x, v) ; t.nn.softmax_cross_entropy_with_logits(labels=t.softmax(p), logits=x)
    t.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=x)
    t.nn.sigmoid_cross_entropy_with_logits(labels=p / 2, logits=x)
    t.nn.elu(0 * s) ; t.nn.selu(0 * s) ; t.nn.relu6(0 * s + 6) ; t.nn.leaky_relu(0 * s)
"""
# What the sizes decide, so that they have to be known while the graph is built.
SIZED = """
    t.split(x, 2, axis=1) ; t.split(x, 3) ; t.split(x, 2, axis=1)[1] ; t.split(v, 4)[::2]
    t.reduce_prod(x) ; t.reduce_prod(x, axis=1) ; t.reduce_prod(x, axis=0, keepdims=True)
    t.squeeze(c) ; t.squeeze(x[None]) ; t.unstack(x) ; t.unstack(x, axis=1)
"""


def formulas(table):
    return [f.strip() for line in table.splitlines() for f in line.split(" ; ") if f.strip()]


def check_formula(tensorflow, formula, known):
    code = compile(formula, formula, "eval")
    program = lambda t, **scope: eval(code, {"t": t, "np": np, **scope})
    found = [derivatives(t, program, INPUTS, 2, known) for t in (sg, tensorflow)]
    # As far as powers are conditioned; TensorFlow's gelu has a float32 in it.
    assert_same(*found, tolerance=1e-7 if "gelu" in formula else 1e-9)


@pytest.mark.peers
@pytest.mark.parametrize("formula", formulas(FORMULAS) + formulas(SIZED))
def test_a_formula_has_the_same_values_and_first_and_second_derivatives(tensorflow, formula):
    check_formula(tensorflow, formula, known=True)


@pytest.mark.peers
@pytest.mark.parametrize("formula", formulas(FORMULAS))
def test_so_it_has_where_sizes_are_unknown_while_the_graph_is_built(tensorflow, formula):
    check_formula(tensorflow, formula, known=False)


models = Programs()
X, W, Y = RNG.normal(size=(5, 3)), RNG.normal(size=(3, 4)), RNG.integers(4, size=5)


@models.given(x=X, w=W, b=RNG.normal(size=4), y=Y)
def a_classifier(t, x, w, b, y):
    scores = t.log_softmax(t.tanh(x @ w + b))
    return -t.reduce_mean(t.reduce_sum(t.one_hot(y, 4, dtype="float64") * scores, axis=1))


@models.given(x=X, w=W)
def a_norm_by_hand(t, x, w):
    h = x @ w
    mean = t.reduce_mean(h, axis=0, keepdims=True)
    return (h - mean) / t.sqrt(t.reduce_mean(t.square(h - mean), axis=0, keepdims=True) + 0.1)


@models.given(x=X, y=X + 1, order=1)  # TensorFlow's has no second derivative by the labels
def cross_entropies_of_probabilities(t, x, y):
    loss = t.nn.softmax_cross_entropy_with_logits_v2
    return [
        loss(labels=t.softmax(y), logits=x),
        loss(labels=t.softmax(y, axis=0), logits=x, axis=0),
    ]


@models.given(x=X, order=1)  # of TensorFlow's variance, the second derivative leaves the mean out
def moments(t, x):
    return [*t.nn.moments(x, [0]), *t.nn.moments(x, axes=[0, 1], keep_dims=True)]


@models.given(q=X, k=RNG.normal(size=(4, 3)), v=RNG.normal(size=(4, 2)))
def attention(t, q, k, v):
    return t.softmax(q @ t.transpose(k)) @ v


@models.given(table=RNG.normal(size=(6, 2)), i=[[0, 5, 0], [3, 3, 3]])
def embeddings_that_recur(t, table, i):
    return t.reduce_prod(t.gather(table, i, axis=0), axis=1)


@models.given(x=X)
def a_value_that_is_used_many_times(t, x):
    for _ in range(4):
        x = t.sin(x) * x + t.concat([x[:, 1:], x[:, :1]], axis=1)
    return x


@models.given(x=X)
def several_outputs_one_of_them_of_integers(t, x):
    return [t.exp(x), t.argmax(x, axis=1), x > 0, t.reduce_sum(x)]


@models.given(x=[4.0, -1.0, 2.0])
def a_gradient_within_the_program(t, x):
    (g,) = t.gradients(t.reduce_sum(x**3), x)
    return x - 0.1 * g


test_a_model_has_the_same_values_and_first_and_second_derivatives = models.derivatives_test()

sessions = Programs()
Pair = namedtuple("Pair", "first second")


def matrix(t, name="x"):
    return t.placeholder("float64", [None, 2], name=name)


def variable(t, value=(1.0, 2.0), name="w"):
    return t.Variable(value, name=name, dtype="float64")


@sessions
def fetches_have_the_structure_they_were_asked_in(t):
    x = matrix(t)
    y = t.multiply(x, 2.0, name="y")
    asked = {"a": [x, (y, y)], "b": Pair(y, {"c": t.reduce_sum(y)}), "d": [], "e": ()}
    return opened(t).run(asked, {x: [[1, 2]]})


@sessions
def fetches_may_be_in_dicts_of_any_kind(t):
    x = matrix(t)
    asked = OrderedDict(b=x, a=defaultdict(list, c=[x * 2.0]))
    return opened(t).run(asked, {x: [[1, 2]]})


@sessions
def a_single_fetch_is_its_value(t):
    return opened(t).run(t.constant([1.0, 2.0], dtype="float64") * 2.0)


@sessions
def fetches_and_feeds_by_name(t):
    x = matrix(t)
    t.multiply(x, 2.0, name="y")
    return opened(t).run(["y:0", {"x": "x:0"}], {"x:0": [[1.0, 2.0], [3.0, 4.0]]})


@sessions
def a_name_is_looked_up_in_the_graph(t):
    t.multiply(matrix(t), 2.0, name="y")
    y = t.get_default_graph().get_tensor_by_name("y:0")
    return plain_name(y), opened(t).run(y + 1.0, {y: [[1.0, 2.0]]})


@sessions
def what_is_fed_is_not_computed(t):
    x = matrix(t)
    y = t.log(x)
    z = t.reduce_sum(y * y)
    return opened(t).run([y, z], {y: [[1.0, 2.0]]})


@sessions
def a_constant_can_be_fed(t):
    c = t.constant([1.0, 2.0], dtype="float64")
    return opened(t).run([c * 3.0], {c: [5.0, 6.0]}), opened(t).run([c * 3.0])


@sessions
def the_data_may_have_another_length_in_each_run(t):
    x = matrix(t)
    y = x / t.reduce_sum(x)
    (g,) = t.gradients(t.reduce_mean(x * x), x)
    session = opened(t)
    return [session.run([y, g], {x: np.ones((n, 2))}) for n in (1, 5, 2)]


@sessions
def a_callable_takes_its_feeds_in_order(t):
    x, s = matrix(t), t.placeholder("float64", [], name="s")
    call = opened(t).make_callable({"y": x * s, "z": [s]}, [s, x])
    return call(2.0, [[1.0, 2.0]]), call(np.float64(3.0), np.ones((2, 2)))


@sessions
def an_assignment_gives_the_new_value_and_lasts(t):
    w = variable(t)
    double = w.assign(w * 2.0)
    session = opened(t)
    return session.run(w), session.run(double), session.run(double), session.run(w)


@sessions
def variables_are_added_to_and_subtracted_from(t):
    w = variable(t)
    more, less = w.assign_add([1.0, 1.0]), w.assign_sub(w * 0.5)
    session = opened(t)
    return [session.run(step) for step in (more, less, more, w)]


@sessions
def an_assignment_that_is_not_fetched_does_not_happen(t):
    w = variable(t)
    w.assign([7.0, 7.0])
    return opened(t).run(w * 1.0)


@sessions
def an_assignment_happens_where_something_needs_its_value(t):
    w = variable(t)
    y = w.assign([7.0, 7.0]) * 2.0
    session = opened(t)
    return session.run(y), session.run(w)


@sessions
def each_session_has_values_of_its_own(t):
    w = variable(t)
    more = w.assign_add([1.0, 1.0])
    one, other = opened(t), opened(t)
    return one.run(more), one.run(more), other.run(more), one.run(w), other.run(w)


@sessions
def what_is_built_after_an_assignment_reads_the_new_value(t):
    w = variable(t)
    before = w * 1.0
    with after(t, before):
        step = w.assign_add([1.0, 1.0])
    with after(t, step):
        between = [w * 1.0, t.identity(step)]
    with after(t, *between):
        last = w.assign(w * 10.0)
    with after(t, last):
        at_the_end = w * 1.0
    session = opened(t)
    fetches = [before, between, last, at_the_end]
    return session.run(fetches), session.run(fetches), session.run(w)


@sessions
def a_step_of_descent_uses_the_gradient_at_the_old_value(t):
    x, w = matrix(t), variable(t)
    loss = t.reduce_sum(t.square(t.tanh(x @ t.expand_dims(w, 1))))
    (g,) = t.gradients(loss, w)
    with after(t, loss, g):
        train = w.assign_sub(0.1 * g)
    session = opened(t)
    return [session.run([loss, g, train], {x: [[1.0, -2.0], [0.5, 1.0]]}) for _ in range(4)]


@sessions
def variables_are_assigned_by_functions(t):
    w = variable(t)
    session, steps = opened(t), []
    for step in (t.assign, t.assign_add, t.assign_sub):
        steps.append(session.run(step(w, [2.0, 5.0])))
    return steps, session.run([t.assign(ref=w, value=[7.0, 7.0]), w.initial_value])


@sessions
def a_variable_is_loaded_and_expressions_are_evaluated(t):
    w, x = variable(t), matrix(t)
    with opened(t) as session:
        w.load([5.0, 6.0])
        w.load([7.0, 6.0], session)
        return (
            w.eval(),
            (x * w).eval({x: [[1.0, 2.0]]}),
            x.eval(session=session, feed_dict={x: [[0, 0]]}),
        )


@sessions
def a_shape_is_refined_before_use(t):
    x = t.placeholder("float64", [None, None], name="x")
    x.set_shape([None, 3])
    y = t.boolean_mask(x, x[:, 0] > 0)
    y.set_shape([2, None])
    y.set_shape(None)
    (g,) = t.gradients(y**3, x)
    return opened(t).run([y, g], {x: [[1.0, 2.0, 3.0], [-1.0, 0.0, 0.0], [4.0, 5.0, 6.0]]})


@sessions
def an_expression_knows_its_graph(t):
    return matrix(t).graph is t.get_default_graph()


@sessions
def ys_are_weighted(t):
    x = t.placeholder("float64", [1, 2])
    ys = [x * x, t.reduce_sum(x), t.exp(x)]
    weights = [[[1.0, 2.0]], 3.0, x]
    weights = [w if w is x else t.constant(w, dtype="float64") for w in weights]
    return opened(t).run(t.gradients(ys, x, grad_ys=weights), {x: [[0.5, -1.0]]})


@sessions
def a_weight_may_have_an_unknown_size(t):
    x, v = matrix(t), matrix(t, "v")
    found = t.gradients(x * x, [x], grad_ys=[v])
    return opened(t).run(found, {x: [[0.5, -1.0]], v: [[2.0, 3.0]]})


@sessions
def a_weight_that_is_none_is_ones(t):
    x = matrix(t)
    weights = [None, t.constant(2.0, dtype="float64")]
    return opened(t).run(t.gradients([x * x, t.reduce_sum(x)], x, weights), {x: [[0.5, -1.0]]})


@sessions
def a_y_given_twice_counts_twice(t):
    x = matrix(t)
    y = x * x
    return opened(t).run(t.gradients([y, y], x), {x: [[0.5, -1.0]]})


@sessions
def an_x_given_twice_has_its_gradient_twice(t):
    x = matrix(t)
    return opened(t).run(t.gradients(x * x, [x, x]), {x: [[0.5, -1.0]]})


@sessions
def the_gradient_of_an_expression_by_itself_is_one(t):
    x = matrix(t)
    y = t.exp(x)
    return opened(t).run(t.gradients(y, [y, x]), {x: [[0.5, -1.0]]})


@sessions
def what_is_stopped_counts_as_constant(t):
    x = matrix(t)
    a = t.sin(x)
    b = a * x
    options = [(), [a], [b], [a, b], [x]]
    found = [t.gradients(a * b * x, x, stop_gradients=stop) for stop in options]
    return opened(t).run(found, {x: [[0.5, -1.0]]})


@sessions
def what_is_stopped_and_an_x_gets_its_partial_derivative(t):
    x = matrix(t)
    a = t.sin(x)
    return opened(t).run(t.gradients(a * x, [x, a], stop_gradients=[a]), {x: [[0.5, -1.0]]})


@sessions
def what_nothing_depends_on_has_no_gradient(t):
    x, z = matrix(t), matrix(t, "z")
    y = x * x
    later = x * 5.0
    found = t.gradients(y, [x, z, later]) + t.gradients(t.stop_gradient(x) * 2.0, x)
    return [g is None for g in found]


@sessions
def or_zeros_of_its_shape_where_they_are_asked_for(t):
    x, z = matrix(t), matrix(t, "z")
    found = t.gradients(x * x, [x, z], unconnected="zero")
    return opened(t).run(found, {x: [[1.0, 2.0]], z: np.ones((3, 2))})


@sessions
def a_gradient_by_an_intermediate_takes_the_later_way_only(t):
    x = matrix(t)
    h = t.sin(x)
    y = h * h + x * h
    return opened(t).run(t.gradients(y, [h, x]), {x: [[0.5, -1.0]]})


@sessions
def the_gradient_at_a_fed_intermediate_is_that_at_the_fed_value(t):
    x = matrix(t)
    h = t.sin(x)
    found = [*t.gradients(h**3, h), *t.gradients(h**3, x)]
    return opened(t).run(found, {x: [[0.5, -1.0]], h: [[2.0, 3.0]]})


@sessions
def a_gradient_can_be_fed(t):
    x = matrix(t)
    (g,) = t.gradients(x**3, x)
    (again,) = t.gradients(g, x)
    session = opened(t)
    data = [[0.5, -1.0]]
    return session.run([g * 2.0, again], {x: data, g: data}), session.run([g, again], {x: data})


@sessions
def third_derivatives(t):
    x = matrix(t)
    found = [t.exp(-x * x) * x]
    for _ in range(3):
        found += t.gradients(found[-1], x)
    return opened(t).run(found, {x: [[0.5, -1.0]]})


@sessions
def a_hessian_times_a_vector(t):
    x, v = t.placeholder("float64", [1, 2]), t.placeholder("float64", [1, 2])
    (g,) = t.gradients(t.reduce_prod(t.sin(x)), x)
    return opened(t).run(t.gradients(g, x, grad_ys=v), {x: [[0.5, -1.0]], v: [[2.0, 3.0]]})


@sessions
def kinks_have_the_same_slopes(t):
    z = t.placeholder("float64", [4])
    ys = [t.relu(z), t.abs(z), t.sign(z), t.sqrt(z), z**1, t.clip_by_value(z, 0.0, 2.0)]
    ys += [t.reduce_max(z), t.reduce_min(z), t.reduce_prod(z), t.reduce_prod(z[1:])]
    return opened(t).run([t.gradients(y, z) for y in ys], {z: [0.0, 0.0, 2.0, 2.0]})


@sessions
def names_are_made_unique(t):
    given = ["x", "x", "x_1", "x", "a/b", "a/b", "b", "x_1_1", "x_1"]
    return [plain_name(matrix(t, name)) for name in given]


@sessions
def scopes_go_before_names(t):
    names = []
    for _ in range(2):
        with t.name_scope("layer") as scope:
            names += [scope, plain_name(matrix(t)), plain_name(variable(t))]
            with t.name_scope("inner"):
                names.append(plain_name(t.identity(t.constant(1.0, name="c"), name="i")))
            for outermost in ("", None):
                with t.name_scope(outermost) as scope:
                    names += [scope, plain_name(matrix(t))]
            with t.name_scope(None, "dense", [names]) as scope, t.name_scope("a", "b"):
                names += [scope, plain_name(matrix(t))]
    return names


@sessions
def a_scope_is_opened_again_by_its_whole_name(t):
    with t.name_scope("layer") as scope:
        x = matrix(t)
    with t.name_scope("other"), t.name_scope(scope):
        y = matrix(t, "y")
    return plain_name(x), plain_name(y), plain_name(matrix(t, "layer"))


@sessions
def a_scope_and_a_name_do_not_meet(t):
    x = matrix(t, "a")
    with t.name_scope("a"):
        y = matrix(t)
    return plain_name(x), plain_name(y)


@sessions
def ops_are_named(t):
    x = matrix(t)
    named = [t.exp(x, name="e"), t.exp(x, name="e"), t.matmul(x, x[0][:, None], name="m")]
    named += [t.reduce_sum(x, axis=1, name="r"), t.add(x, 1.0, name="a"), t.sqrt(x, name="e")]
    return [plain_name(e) for e in named]


@sessions
def graphs_are_separate(t):
    x = matrix(t)
    with t.Graph().as_default() as other:
        y = matrix(t)
    return plain_name(x), plain_name(y), other is t.get_default_graph()


test_a_program_gives_what_it_gives_in_tensorflow = sessions.outcomes_test()

refused = Programs()


@refused
def a_placeholder_without_a_value(t):
    return opened(t).run(matrix(t) * 2.0)


@refused
def data_of_another_rank(t):
    x = matrix(t)
    return opened(t).run(x * 2.0, {x: [1.0, 2.0]})


@refused
def data_of_another_size(t):
    x = matrix(t)
    return opened(t).run(x * 2.0, {x: [[1.0, 2.0, 3.0]]})


@refused
def a_feed_that_is_no_number(t):
    x = matrix(t)
    return opened(t).run(x * 2.0, {x: [["a", "b"]]})


@refused
def a_feed_under_a_name_that_nothing_has(t):
    x = matrix(t)
    return opened(t).run(x * 2.0, {x: [[1.0, 2.0]], "y:0": 1.0})


@refused
def a_fetch_of_a_name_that_nothing_has(t):
    return opened(t).run("x:0")


@refused
def a_fetch_that_is_a_number(t):
    return opened(t).run([matrix(t), 3])


@refused
def operands_of_two_graphs(t):
    x = matrix(t)
    with t.Graph().as_default():
        return x + matrix(t)


@refused
def a_fetch_of_another_graph(t):
    x = t.constant(1.0)
    with t.Graph().as_default():
        return t.Session().run(x)


@refused
def an_expression_in_a_finished_graph(t):
    x = matrix(t)
    t.get_default_graph().finalize()
    return x * 2.0


@refused
def a_product_of_matrices_that_do_not_fit(t):
    return matrix(t) @ t.placeholder("float64", [3, 2])


@refused
def a_shape_that_contradicts_what_is_known(t):
    matrix(t).set_shape([None, 3])


@refused
def a_shape_of_another_rank(t):
    matrix(t).set_shape([None])


@refused
def a_value_without_a_session(t):
    return t.constant(1.0).eval()


@refused
def a_feed_of_a_size_that_was_ruled_out(t):
    x = matrix(t)
    x.set_shape([3, 2])
    return opened(t).run(x, {x: [[1.0, 2.0]]})


@refused
def a_size_that_was_ensured_and_is_not_there(t):
    return opened(t).run(t.ensure_shape(matrix(t, "x"), [3, 2]), {"x:0": [[1.0, 2.0]]})


@refused
def parts_that_do_not_add_up(t):
    return opened(t).run(t.split(t.constant([1.0, 2.0]), [1, 2]))


@refused
def a_sum_of_shapes_that_do_not_fit(t):
    return matrix(t) + t.placeholder("float64", [3])


@refused
def an_assignment_of_another_shape(t):
    return variable(t).assign([1.0, 2.0, 3.0])


@refused
def an_assignment_of_another_dtype(t):
    return variable(t).assign(t.constant([1.0, 2.0]))


@refused
def a_weight_of_another_shape(t):
    x = matrix(t)
    return t.gradients(x * x, x, grad_ys=t.constant([1.0, 2.0, 3.0], dtype="float64"))


@refused
def a_weight_of_another_size_in_the_run(t):
    x, v = matrix(t), matrix(t, "v")
    (g,) = t.gradients(x * x, x, grad_ys=v)
    return opened(t).run(g, {x: np.ones((3, 2)), v: np.ones((2, 2))})


@refused
def fewer_weights_than_ys(t):
    x = matrix(t)
    return t.gradients([x, x], x, grad_ys=[x])


@refused
def another_word_for_what_is_unconnected(t):
    x = matrix(t)
    return t.gradients(x, x, unconnected="nothing")


@refused
def the_truth_of_an_expression(t):
    return bool(matrix(t) > 0)


test_both_refuse = refused.refused_test()

# What was decided otherwise than in TensorFlow, of x = [0, 5]: ours, and theirs.
DECIDED = [
    ("t.gradients(t.maximum(x, 5.0), x)", [[0, 0.5]], [[0, 1]]),
    ("t.gradients(t.where(x > 0, t.log(x), x), x)", [[1, 0.2]], [[np.nan, 0.2]]),
    ("t.gradients(x**0, x)", [[0, 0]], [[np.nan, 0]]),
    ("t.reduce_mean(t.cast(x, 'int32'))", 2.5, 2),
    ("x + t.constant(1.0)", [1, 6], TypeError),
    ("t.Variable([1.0, 2.0]).assign(3.0)", [3, 3], ValueError),
]


@pytest.mark.peers
@pytest.mark.parametrize(("formula", "ours", "theirs"), DECIDED)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_was_decided_otherwise(tensorflow, formula, ours, theirs):
    def program(t):
        x = t.placeholder("float64", [2], name="x")
        found = eval(formula, {"t": t, "x": x})
        return opened(t).run(found, {x: [0.0, 5.0]})

    for t, wanted in ((sg, ours), (tensorflow, theirs)):
        if isinstance(wanted, type):
            assert isinstance(outcome(t, program), wanted)
        else:
            np.testing.assert_allclose(outcome(t, program), wanted)


@pytest.mark.peers
def test_our_integers_are_of_64_bits_and_those_of_tensorflow_of_32(tensorflow):
    for t, dtype in ((sg, "int64"), (tensorflow, "int32")):
        with t.Graph().as_default():
            x = matrix(t)
            made = [t.shape(x), t.size(x), t.rank(x), t.range(3), t.constant(1)]
            assert all(e.dtype == dtype for e in made)


@pytest.mark.peers
def test_tensorflow_converts_what_is_fed_and_we_refuse_another_dtype(tensorflow):
    def program(t):
        x = matrix(t)
        return opened(t).run(x * 2.0, {x: np.ones((1, 2), "float32")})

    assert outcome(tensorflow, program).dtype == "float64"
    with pytest.raises(FeedError, match="was fed float32"):
        program(sg)
