"""Shapes as values, and what is known of them."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import DTypeError, FeedError, GraphError, ShapeError, ValueUnknownError


@pytest.fixture
def x():
    return sg.placeholder("float64", ["n", 3, None], name="x")


N, K = sg.Dim("n"), sg.Dim("x.2")


@pytest.mark.parametrize(("formula", "sizes"), [
    ("sg.shape(x)", [N, 3, K]), ("sg.shape(x)[0]", N), ("sg.shape(x)[-1]", K),
    ("sg.shape(x)[:2]", [N, 3]), ("sg.shape(x)[1]", 3), ("sg.size(x)", 3 * N * K),
    ("sg.rank(x)", 3), ("2 * sg.shape(x)[0] + 1", 2 * N + 1), ("-sg.shape(x)", [-N, -3, -K]),
    ("sg.size(x) // sg.shape(x)[0]", 3 * K), ("sg.gather(sg.shape(x), [2, 0])", [K, N]),
    ("sg.concat([sg.shape(x)[:1], [-1]], 0)", [N, -1]), ("sg.reduce_prod(sg.shape(x))", 3 * N * K),
    ("sg.stack([sg.shape(x)[0] - 1, 5])", [N - 1, 5]), ("sg.cast(sg.shape(x), 'int32')", [N, 3, K]),
    ("sg.reduce_sum(sg.shape(x)[::2])", N + K), ("sg.constant([2, 3])", [2, 3]),
    ("sg.expand_dims(sg.shape(x)[0], 0)", [N]), ("sg.identity(sg.squeeze(sg.shape(x)[:1]))", N),
])  # fmt: skip
def test_sizes_and_arithmetic_on_them_are_known_while_building(x, formula, sizes):
    e = eval(formula)
    assert e.known_sizes() == sizes
    feeds = {x: np.zeros((2, 3, 4))}
    found = sg.Session().run(e, feeds)
    evaluated = [n.evaluate({"n": 2, "x.2": 4}) if isinstance(n, sg.Dim) else n
                 for n in (sizes if isinstance(sizes, list) else [sizes])]  # fmt: skip
    np.testing.assert_array_equal(np.atleast_1d(found), evaluated)


@pytest.mark.parametrize("formula", [
    "sg.reduce_sum(x)", "sg.cast(x[0, 0, 0], 'int64')", "sg.constant(1.5)", "sg.shape(x) / 2",
    "sg.placeholder('int64', [2])", "sg.shape(x)[0] + sg.argmax(x[0, 0])",
])  # fmt: skip
def test_what_only_data_tell_is_no_size(x, formula):
    with pytest.raises(ValueUnknownError, match=r"known only when the graph runs(?s:.*)of shape\("):
        sg.zeros(eval(formula))


@pytest.mark.parametrize(("call", "shape"), [
    (lambda x, n: sg.reshape(x, [n, -1]), (N, 3 * K)), (lambda x, n: sg.zeros([n, 2]), (N, 2)),
    (lambda x, n: sg.ones(n), (N,)), (lambda x, n: sg.fill([2 * n], 1.0), (2 * N,)),
    (lambda x, n: sg.broadcast_to(sg.constant([1.0]), [n]), (N,)),
    (lambda x, n: sg.random_normal([n, 2]), (N, 2)), (lambda x, n: x[0, 0, : n - 1], (N - 1,)),
    (lambda x, n: sg.tile(sg.constant([1.0, 2.0]), [n]), (2 * N,)),
    (lambda x, n: sg.range(n + 1), (N + 1,)), (lambda x, n: sg.eye(n, 2, [3]), (3, N, 2)),
    (lambda x, n: sg.placeholder_with_default(sg.zeros([n]), [n]), (N,)),
])  # fmt: skip
def test_ops_take_an_expression_of_a_size_for_a_size(x, call, shape):
    assert call(x, sg.shape(x)[0]).shape == shape
    assert call(x, x.shape[0]).shape == shape


def test_shapes_are_sizes_inside_loops_and_after_dependencies(x):
    w = sg.Variable(1.0)
    with sg.control_dependencies([w.assign(2.0)]):
        assert sg.zeros(sg.shape(x)[:1]).shape == (N,)

    def body(i, a):
        return i + 1, a + sg.ones([sg.shape(a)[0], 1], "float64") * sg.cast(sg.size(a), "float64")

    start = [0, x[:, :, 0]]
    y = sg.while_loop(lambda i, a: i < 2, body, start)[1]
    found = sg.compile([y, sg.gradients(y, x)[0]], [x])(np.zeros((2, 3, 4)))
    assert found[0].tolist() == np.full((2, 3), 12.0).tolist()
    assert found[1].sum() == 6


def test_no_op_is_left_of_a_shape_that_becomes_part_of_another(x):
    graph = sg.freeze(sg.reshape(x, [sg.shape(x)[0], -1]), x)
    assert [e.what for e in graph] == ["placeholder", "reshape"]


def test_a_known_shape_is_a_constant_and_of_an_array_an_array():
    assert sg.shape(sg.ones([2, 3])).kind.value == "constant"
    assert sg.shape(np.ones((2, 3))).tolist() == [2, 3]
    assert sg.size(np.ones((2, 3)), "int32").dtype == "int32"


def test_the_shape_of_a_placeholder_is_refined_in_place_and_checked_when_fed(x):
    x.set_shape([5, None, 2])
    assert x.shape == x.get_shape() == (5, 3, 2)
    assert repr(x) == "<placeholder x: float64[5, 3, 2]>"
    with pytest.raises(FeedError, match="shape"):
        sg.Session().run(x + 1, {x: np.ones((4, 3, 2))})


def test_the_shape_of_another_expression_is_refined_in_place_and_checked_when_run(graph, x):
    with sg.name_scope("layer"):
        y = sg.boolean_mask(x, [True] * 2, name="y")
        y.set_shape(["n", 3, 4])
    assert (y.name, graph.get_tensor_by_name("layer/y")) == ("layer/y", y)
    z = sg.reduce_sum(y, axis=2)
    assert (y.shape, z.shape) == ((N, 3, 4), (N, 3))
    (g,) = sg.gradients(z * z, x)
    f = sg.compile([z, g], [x])
    assert f(np.ones((2, 3, 4)))[1].tolist() == np.full((2, 3, 4), 8.0).tolist()
    with pytest.raises(ShapeError, match=r"does not have the shape \(2, 3, 4\)") as error:
        f(np.ones((2, 3, 5)))
    assert "in layer/y: float64" in "".join(error.value.__notes__)


def test_nothing_is_built_where_nothing_new_is_known(graph, x):
    y = x * 2
    before = len(graph)
    for shape in (None, [None, 3, None], [N, 3, None]):
        y.set_shape(shape)
    assert len(graph) == before
    assert y.op.name == "mul"


@pytest.mark.parametrize("shape", [[None, 3], [None, 4, None], [None, 3, -1], 3])
def test_a_shape_that_it_cannot_have_is_refused_with_the_line(x, shape):
    y = x * 2
    with pytest.raises(ShapeError, match=r"set_shape\(mul: .*cannot have the shape") as error:
        y.set_shape(shape)
    assert "made at" in "".join(error.value.__notes__)


def test_what_is_used_keeps_its_shape(x):
    y = x * 2
    with pytest.raises(GraphError, match=r"of x: .* refined: mul: (?s:.*)ensure_shape"):
        x.set_shape([2, 3, 4])
    y.set_shape([2, None, None])
    assert sg.ensure_shape(x, [2, None, None]).shape == (2, 3, K)


def test_a_refined_expression_can_be_fed_and_saved(x):
    y = x * 2
    y.set_shape([2, 3, 1])
    graph = sg.freeze(y, x)
    sg.verify(graph)
    assert sg.parse(str(graph)) == graph
    at = np.ones((2, 3, 1))
    assert sg.Session().run(y + 1, {y: at}).tolist() == (at + 1).tolist()


@pytest.mark.parametrize("size", [2.5, object(), "", {}])
def test_what_is_no_size_is_refused(size):
    x = sg.placeholder("float32", [None], name="x")
    calls = (
        lambda n: sg.placeholder("float32", [n]), lambda n: sg.zeros([n]), x.set_shape,
        lambda n: sg.reshape(x, [n]), lambda n: sg.random_normal([n]),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(DTypeError, match="a size is an integer, or the name of one"):
            call([size] if call == x.set_shape else size)


def test_sizes_are_not_negative():
    x = sg.placeholder("float32", ["n"], name="x")
    for call in (lambda: sg.zeros([-1]), lambda: sg.reshape(x, [-2])):
        with pytest.raises(ShapeError, match="negative"):
            call()
    with pytest.raises(ShapeError, match="negative"):
        sg.compile(sg.zeros([x.shape[0] - 3]), x)([1.0])


def test_a_shape_may_be_an_array_and_a_dtype_has_to_be_given():
    assert sg.placeholder("float32", np.array([2, 3])).shape == (2, 3)
    assert str(sg.placeholder("float32", [True]).type) == "float32[1]"
    with pytest.raises(DTypeError, match="needs a dtype"):
        sg.placeholder(None, [2])


@pytest.mark.parametrize("optimize", [0, 1])
def test_a_slice_of_too_few_entries_is_empty_and_has_the_size_zero(graph, optimize):
    x = sg.placeholder("float64", [None], name="nonnegative")
    left, inner = x[3:], x[1:][1:-1]
    fetches = [
        sg.shape(left)[0], sg.size(inner), sg.shape(sg.concat([left, x, inner], 0))[0],
        sg.reduce_sum(sg.ones_like(left)), *sg.gradients(sg.reduce_sum(x[1:] * x[:-1]), x),
    ]  # fmt: skip
    frozen = sg.freeze(fetches, [x])
    for run in (sg.compile(frozen, optimize=optimize), sg.parse(sg.to_text(frozen))):
        for n in range(6):
            a, b = max(n - 3, 0), max(n - 1, 0)
            b = max(b - 2, 0)
            *sizes, slope = run(np.ones(n))
            assert [int(size) for size in sizes] == [a, b, a + n + b, a]
            ends = np.r_[1.0, [2.0] * (n - 2), 1.0] if n > 1 else np.zeros(n)
            np.testing.assert_array_equal(slope, ends)


PARTS = {
    "split": (lambda x: sg.split(x, [2, 3]), lambda n: n == 5),
    "split with a rest": (lambda x: sg.split(x, [2, -1, 1]), lambda n: n >= 3),
    "slice": (lambda x: sg.slice(x, [1], [3]), lambda n: n >= 4),
}


def test_the_shape_of_what_was_fetched_or_fed_is_final():
    x = sg.placeholder("float32", [None], name="x")
    y = sg.tanh(x)
    z = sg.placeholder("float32", [None], name="z")
    session = sg.Session()
    session.run([y, z], {x: [1.0], z: [1.0]})
    for e in (y, z):
        with pytest.raises(GraphError, match="it has been fetched or fed"):
            e.set_shape([3])
    z.set_shape([None])


@pytest.mark.parametrize("part", PARTS)
def test_parts_of_an_unknown_size_have_the_sizes_that_were_asked_for(graph, part):
    function, fits = PARTS[part]
    x = sg.placeholder("float64", [None])
    run = sg.compile(function(x), [x])
    for n in range(8):
        if fits(n):
            want = function(np.arange(1.0 * n))
            assert repr(run(np.arange(1.0 * n))) == repr(want)
            continue
        with pytest.raises(ShapeError):
            run(np.arange(1.0 * n))
