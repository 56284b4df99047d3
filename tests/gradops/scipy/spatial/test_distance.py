"""SciPy's distances: values, derivatives of two orders, and kinks without NaN."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import OptionError, ShapeError
from gradops.scipy.spatial import distance
from gradops.testing.finite_differences import derivative

scipy_distance = pytest.importorskip("scipy.spatial.distance")

rng = np.random.default_rng(0)
A, B = rng.uniform(0.2, 1, (4, 3)), rng.uniform(1.2, 2, (5, 3))
B += np.array([0.0, 1.0, 2.0])  # no two differences are nearly the largest
VI = np.eye(3) + 0.1
METRICS = [
    *[(m, {}) for m in distance.METRICS], ("minkowski", {"p": 3}), ("minkowski", {"p": 1.5}),
    ("minkowski", {"p": 3, "w": np.array([1.0, 2.0, 3.0])}),
    ("seuclidean", {"V": np.array([1.0, 2.0, 3.0])}), ("mahalanobis", {"VI": VI}),
]  # fmt: skip
every_metric = pytest.mark.parametrize(("metric", "attrs"), METRICS, ids=lambda v: str(v)[:20])


def loss(metric, attrs):
    weights = np.cos(np.arange(20)).reshape(4, 5)
    return lambda a, b: gradops.sum(distance.cdist(a, b, metric, **attrs) * weights)


def gradient(f, a, b):
    leaves = [dg.tensor(x, requires_grad=True) for x in (a, b)]
    return [g.numpy() for g in dg.autograd.grad(f(*leaves), leaves)]


@every_metric
def test_values_are_those_of_scipy(metric, attrs):
    x = np.concatenate([A, B])
    for call, args in (("cdist", (A, B)), ("pdist", (x,))):
        got, want = (getattr(m, call)(*args, metric, **attrs) for m in (distance, scipy_distance))
        assert_allclose(got, want, rtol=1e-9)


@every_metric
def test_derivatives_of_two_orders(metric, attrs):
    f = loss(metric, attrs)
    t = np.sin(1 + np.arange(12.0)).reshape(4, 3)
    ga, gb = gradient(f, A, B)
    want, _ = derivative(lambda h: f(A + h.real * t, B))
    assert_allclose(np.sum(ga * t), want, rtol=1e-8, atol=1e-9)
    assert_allclose(gradops.jvp(lambda a: f(a, B), [A], [t])[1], np.sum(ga * t), rtol=1e-10)
    want, _ = derivative(lambda h: f(A, B + h.real * B))
    assert_allclose(np.sum(gb * B), want, rtol=1e-8, atol=1e-9)
    second = gradops.jvp(lambda a: traced(f, a), [A], [t])[1]
    want, _ = derivative(lambda h: gradient(f, A + h.real * t, B)[0])
    assert_allclose(second, want, rtol=1e-7, atol=1e-8)


def traced(f, a):
    """The gradient by a tape that holds what carries a tangent."""
    leaf = dg.tensor(a, requires_grad=True)
    return dg.autograd.grad(f(leaf, B), leaf)[0].__gradop_held__()


@every_metric
def test_graph_and_tape_agree(metric, attrs):
    f = loss(metric, attrs)
    with sg.Graph().as_default():
        ps = [sg.placeholder(x.dtype, x.shape) for x in (A, B)]
        graph = sg.compile(sg.gradients(f(*ps), ps), ps)(A, B)
    for a, b in zip(graph, gradient(f, A, B), strict=True):
        assert_allclose(a, b, rtol=1e-12, atol=1e-13)  # optimised graphs add in another order


@pytest.mark.parametrize("metric", [m for m, _ in METRICS[:12] if m != "correlation"])
def test_coinciding_vectors_have_no_nan(metric):
    x = np.concatenate([A, A[:1]])
    leaf = dg.tensor(x, requires_grad=True)
    (g,) = dg.autograd.grad(distance.pdist(leaf, metric).sum(), leaf)
    assert np.isfinite(g.numpy()).all()


@pytest.mark.parametrize(
    "name", [n for n in distance.METRICS if n not in ("seuclidean", "mahalanobis")]
)
def test_functions_of_two_vectors(name):
    got, want = (getattr(m, name)(A[0], B[0]) for m in (distance, scipy_distance))
    assert_allclose(got, want, rtol=1e-9)


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "cityblock", "minkowski"])
def test_weights(name):
    got, want = (getattr(m, name)(A[0], B[0], w=VI[0]) for m in (distance, scipy_distance))
    assert_allclose(got, want)


def test_a_base_of_the_logarithm():
    got, want = (m.jensenshannon(A[0], B[0], 2) for m in (distance, scipy_distance))
    assert_allclose(got, want)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_square_forms(n):
    x = np.arange(n * (n - 1) / 2) + 1
    matrix = distance.squareform(x)
    assert_array_equal(matrix, scipy_distance.squareform(x))
    assert_array_equal(distance.squareform(matrix), x)


@pytest.mark.parametrize("shape", [(0, 2), (1, 2), (2, 1)])
def test_few_vectors(shape):
    x = np.ones(shape)
    assert_array_equal(distance.pdist(x), scipy_distance.pdist(x))
    assert_array_equal(distance.cdist(x, x), scipy_distance.cdist(x, x))


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: distance.cdist(A, B, "hamming"), OptionError, "'hamming' with a derivative"),
        (lambda: distance.cdist(A, B[:, :2]), ShapeError, "different numbers"),
        (lambda: distance.pdist(A[0]), ShapeError, "2 axes"),
        (lambda: distance.squareform(np.ones(4)), ShapeError, "neither"),
        (lambda: distance.minkowski(A[0], B[0], -1), OptionError, "positive"),
        (lambda: distance.cosine(A[0], B[0], w=A[0]), OptionError, "weights"),
    ],
)
def test_errors_say_what_is_wrong(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean", "cityblock", "minkowski"])
def test_negative_weights_are_refused_as_by_scipy(name):
    u, v, w = np.zeros(2), np.ones(2), np.array([1.0, -1.0])
    with pytest.raises(ValueError, match="negative"):
        getattr(scipy_distance, name)(u, v, w=w)
    with pytest.raises(OptionError, match="a weight is negative"):
        getattr(distance, name)(u, v, w=w)
