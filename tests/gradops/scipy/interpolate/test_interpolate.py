"""SciPy's interpolation: its values, derivatives of two orders in all operands, both packages."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.errors import DTypeError, OptionError, ShapeError, TransformError
from gradops.scipy import interpolate
from gradops.testing.finite_differences import derivative

theirs = pytest.importorskip("scipy.interpolate")

rng = np.random.default_rng(1)
X = np.array([0.0, 0.7, 1.1, 2.4, 3.0, 3.9])
Y = np.array([0.3, 1.0, 0.2, 1.4, 2.9, 2.2])
P = np.array([0.2, 0.95, 1.9, 2.6, 2.65, 3.2, 3.7])
Z = rng.normal(size=(2, 6))
C = rng.normal(size=(3, 5, 2))
PERIODIC = np.append(Y[:-1], Y[0])


def spline(**options):
    """The values of a cubic spline at points."""
    return lambda m, x, y, p: m.CubicSpline(x, y, **options)(p)


def ends(m, x, y, first, last, p):
    """A cubic spline with values at its ends that are differentiated too."""
    return m.CubicSpline(x, y, bc_type=((1, first), (2, last)))(p)


CASES = {
    "not-a-knot": (spline(), (X, Y, P)),
    "clamped": (spline(bc_type="clamped"), (X, Y, P)),
    "natural": (spline(bc_type=("natural", "not-a-knot")), (X, Y, P)),
    "periodic": (
        lambda m, x, y, p: m.CubicSpline(x, np.append(y, y[:1]), bc_type="periodic")(p + 4.0),
        (X, Y[:-1], P),
    ),
    "ends": (ends, (X, Y, np.array(0.3), np.array(-1.0), P)),
    "rows": (spline(axis=1, bc_type="natural"), (X, Z, P)),
    "line": (spline(), (X[:2], Y[:2], P)),
    "parabola": (spline(), (X[:3], Y[:3], P)),
    "triangle": (
        lambda m, x, y, p: m.CubicSpline(x, np.append(y, y[:1]), bc_type="periodic")(p),
        (X[:3], Y[:2], P),
    ),
    "slope": (lambda m, x, y, p: m.CubicSpline(x, y)(p, 1), (X, Y, P)),
    "derivative": (lambda m, x, y, p: m.CubicSpline(x, y).derivative(2)(p), (X, Y, P)),
    "antiderivative": (lambda m, x, y, p: m.CubicSpline(x, y).antiderivative(2)(p), (X, Y, P)),
    "hermite": (lambda m, x, y, s, p: m.CubicHermiteSpline(x, y, s)(p), (X, Y, Y[::-1], P)),
    "pchip": (lambda m, x, y, p: m.PchipInterpolator(x, y)(p), (X, Y, P)),
    "pchip rows": (lambda m, x, y, p: m.PchipInterpolator(x, y, 1)(p), (X, Z, P)),
    "akima": (lambda m, x, y, p: m.Akima1DInterpolator(x, y)(p), (X, Y, P)),
    "makima": (lambda m, x, y, p: m.Akima1DInterpolator(x, y, method="makima")(p), (X, Y, P)),
    "pieces": (lambda m, c, x, p: m.PPoly(c, x)(p), (C, X, P)),
    "falling": (lambda m, c, x, p: m.PPoly(c, x)(p), (C, X[::-1].copy(), P)),
    "other axis": (lambda m, c, x, p: m.PPoly(c, x, axis=1)(p), (np.moveaxis(C, 2, 0), X, P)),
    "outside": (lambda m, c, x, p: m.PPoly(c, x, False)(p * 1.2), (C, X, P)),
}  # fmt: skip
G = np.array([0.0, 0.5, 1.3, 2.0]), np.array([0.0, 1.0, 1.8, 2.3, 3.1])
V = rng.normal(size=(4, 5, 2))
W = rng.uniform(0.1, 1.9, size=(3, 2))
KNOTS = np.array([-0.3, -0.2, 0.0, 0.1, 0.7, 1.5, 1.6, 2.4, 3.5, 3.9, 4.0, 4.2])


def kind(name):
    """The values of `interp1d` at points."""
    return lambda m, x, y, p: m.interp1d(x, y, name)(p), (X, Z, P)


def fitted(k, **options):
    """The values of an interpolating spline at points."""
    return lambda m, x, y, p: m.make_interp_spline(x, y, k, **options)(p), (X, Y, P)


def grid(method, **options):
    """The values of interpolation on a grid."""
    return (
        lambda m, v, a, b, p: m.RegularGridInterpolator((a, b), v, method, **options)(p),
        (V, *G, W),
    )


SCATTERED = rng.uniform(0, 2, size=(5, 2))


INSIDE = SCATTERED[pytest.importorskip("scipy.spatial").Delaunay(SCATTERED).simplices].mean(1)


def radial(kernel):
    """A sum of radial functions."""
    return (
        lambda m, y, d, p: m.RBFInterpolator(y, d, kernel=kernel, epsilon=1.5)(p),
        (SCATTERED, V[0], W),
    )


def filled(m, x, y, v, p):
    """`interp1d` beyond the ends, with a value that is differentiated."""
    return m.interp1d(x, y, bounds_error=False, fill_value=v)(p * 1.3 - 0.5)


TIGHT = {"solver_args": {"rtol": 1e-14}}  # SciPy's solver stops early
MORE = {
    **{name: kind(name) for name in ("linear", "nearest", "previous", "next", "quadratic", 3)},
    "filled": (filled, (X, Z, np.array([2.0]), P)),
    "extrapolated": (
        lambda m, x, y, p: m.interp1d(x, y, fill_value="extrapolate")(p * 2 - 1), (X, Y, P)
    ),
    **{f"fitted {k}": fitted(k) for k in (1, 2, 4, 5)},
    "fitted natural": fitted(3, bc_type="natural"),
    "fitted period": (
        lambda m, x, y, p: m.make_interp_spline(x, np.append(y, y[:1]), 4, bc_type="periodic")(p),
        (X, Y[:-1], P),
    ),
    "sum": (lambda m, t, c, p: m.BSpline(t, c, 3)(p), (KNOTS, rng.normal(size=(8, 2)), P)),
    "sum's slope": (lambda m, t, c, p: m.BSpline(t, c, 3)(p, 2), (KNOTS, rng.normal(size=8), P)),
    "sum's derivative": (
        lambda m, t, c, p: m.BSpline(t, c, 3).derivative()(p), (KNOTS, rng.normal(size=8), P)
    ),
    **{f"grid {m}": grid(m) for m in ("linear", "nearest", "slinear", "pchip")},
    "grid cubic": grid("cubic", **TIGHT),
    "grid slope": (
        lambda m, v, a, b, p: m.RegularGridInterpolator((a, b), v, "slinear")(p, nu=(0, 1)),
        (V, *G, W),
    ),
    "splrep": (lambda m, x, y, p: m.splev(p, m.splrep(x, y), ext=1), (X, Y, P)),
    "splder": (lambda m, x, y, p: m.splev(p, m.splder(m.splrep(x, y, k=4))), (X, Y, P)),
    "end values": (lambda m, x, y, p: m.splev(p * 2 - 1, m.splrep(x, y), ext=3), (X, Y, P)),
    "spline": (
        lambda m, x, y, p: m.InterpolatedUnivariateSpline(x, y, k=2).antiderivative()(p), (X, Y, P)
    ),
    "surface": (
        lambda m, x, y, z, p: m.RectBivariateSpline(x, y, z, kx=2)(p[:, 0], p[:, 1] / 2, 1),
        (*G, V[..., 0], np.sort(W, axis=0)),
    ),
    "surface at pairs": (
        lambda m, x, y, z, p: m.RectBivariateSpline(x, y, z).ev(p[:, 0], p[:, 1]),
        (*G, V[..., 0], W),
    ),
    **{f"radial {k}": radial(k) for k in ("thin_plate_spline", "cubic", "linear", "gaussian")},
    "smoothed": (
        lambda m, y, d, s, p: m.RBFInterpolator(y, d, None, s, "multiquadric", 1.2)(p),
        (SCATTERED, V[0, :, 0], np.linspace(0.1, 1, 5), W),
    ),
    "triangles": (
        lambda m, y, d, p: m.LinearNDInterpolator(y, d)(p),
        (SCATTERED, V[0], INSIDE),
    ),
    "neighbours": (lambda m, d: m.NearestNDInterpolator(SCATTERED, d)(W), (V[0],)),
    "scattered": (lambda m, x, y, p: m.griddata(x, y, p, "cubic"), (X, Y, P)),
    "least squares": (
        lambda m, x, y, t, w, p: m.make_lsq_spline(x, y, t, 2, w)(p),
        (np.linspace(0.2, 3.3, 9), rng.normal(size=9), KNOTS[[1, 2, 3, 5, 7, 8, 9, 10]],
         rng.uniform(1, 2, 9), P[:5]),
    ),
    "polynomial": (lambda m, x, y, p: m.BarycentricInterpolator(x, y, axis=1)(p), (X, Z, P)),
    "polynomial's slope": (
        lambda m, x, y, p: m.BarycentricInterpolator(x, y).derivative(p), (X, Y, P)
    ),
}  # fmt: skip
INTEGRALS = {
    "integral": (
        lambda m, x, y, a, b: m.CubicSpline(x, y).integrate(a, b),
        (X, Y, np.array(3.1), np.array(0.4)),
    ),
    "sum's integral": (
        lambda m, t, c, a, b: m.BSpline(t, c, 3).integrate(a, b),
        (KNOTS, rng.normal(size=8), np.array(3.1), np.array(0.4)),
    ),
    "periods": (
        lambda m, x, y, a, b: m.PPoly(y, x, "periodic").integrate(a, b),
        (X, C, np.array(-3.1), np.array(9.4)),
    ),
}
EVERY = CASES | MORE | INTEGRALS
each = pytest.mark.parametrize("name", EVERY)
KNOWN = {
    "line",
    "triangles",
    "least squares",
    "parabola",
    "triangle",
    "polynomial",
    "polynomial's slope",
    "fitted period",
}
"""Cases that need to know the number of knots, or take fewer than a general one."""


def weighted(name):
    """A number of which the gradient reads every entry of the result, and operands."""
    f, xs = EVERY[name]
    y = f(interpolate, *xs)
    weights = np.cos(np.arange(np.size(y))).reshape(np.shape(y))
    return lambda *ys: gradops.sum(gradops.nan_to_num(f(interpolate, *ys)) * weights), xs


def gradients(f, xs, **options):
    leaves = [dg.tensor(x, requires_grad=True) for x in xs]
    return dg.autograd.grad(f(*map(dg.array, leaves)), leaves, **options), leaves


@each
def test_values_are_those_of_scipy(name):
    f, xs = EVERY[name]
    got, want = f(interpolate, *xs), f(theirs, *xs)
    assert np.shape(got) == np.shape(want)
    assert_allclose(got, want, rtol=1e-11, atol=1e-12)


@each
def test_derivatives_of_two_orders(name):
    f, xs = weighted(name)
    ts = [np.sin(1 + np.arange(x.size)).reshape(x.shape) for x in xs]
    along = lambda h: [x + h.real * t for x, t in zip(xs, ts, strict=True)]
    grads, leaves = gradients(f, xs, create_graph=True, allow_unused=True)
    slope = sum((g * t).sum() for g, t in zip(grads, ts, strict=True) if g is not None)
    want, _ = derivative(lambda h: f(*along(h)))
    value = slope.detach().numpy()
    # Differences have the rounding error of the function over the step of 1e-3.
    assert_allclose(value, want, rtol=1e-8, atol=1e-8)
    assert_allclose(gradops.jvp(f, xs, ts)[1], value, rtol=1e-9, atol=1e-11)
    if not slope.requires_grad:
        return
    seconds = dg.autograd.grad(slope, leaves, allow_unused=True)
    for i, second in enumerate(seconds):
        want, _ = derivative(lambda h, i=i: gradients(f, along(h))[0][i].numpy())
        found = np.zeros(xs[i].shape) if second is None else second.numpy()
        assert_allclose(found, want, rtol=1e-7, atol=1e-7 * max(1, np.max(np.abs(want))))


@each
@pytest.mark.parametrize("known", [True, False])
def test_graph_and_tape_have_the_same_bits(name, known):
    if name == "triangles" or (not known and name in KNOWN):
        pytest.skip("points, or the number of knots, have to be known")
    f, xs = weighted(name)
    with sg.Graph().as_default():
        shapes = [x.shape if known or x.ndim != 1 else (f"n{x.size}",) for x in xs]
        ps = [sg.placeholder(x.dtype, s) for x, s in zip(xs, shapes, strict=True)]
        y = f(*ps)
        found = sg.gradients(y, ps)
        graph = sg.compile([y, *(g for g in found if g is not None)], ps, optimize=0)(*xs)
    grads, _ = gradients(f, xs, allow_unused=True)
    want = [g.numpy() for g, e in zip(grads, found, strict=True) if e is not None]
    for a, b in zip(graph, [f(*xs), *want], strict=True):
        assert_allclose(a, b, rtol=1e-13, atol=1e-13)
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_repeated_knots_and_points_at_ends_are_as_in_scipy():
    t, c = np.repeat(KNOTS[3:9], [4, 1, 2, 3, 1, 4]), rng.normal(size=11)
    points = np.append(KNOTS[2:10], KNOTS[3:9] + 0.01)
    for nu in range(5):
        got, want = (m.BSpline(t, c, 3)(points, nu) for m in (interpolate, theirs))
        assert_allclose(got, want, atol=1e-9 * np.max(np.abs(want)))
    whole = [m.BSpline(t, c, 3).antiderivative(2)(points) for m in (interpolate, theirs)]
    assert_allclose(*whole, atol=1e-12)


@pytest.mark.parametrize("name", ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator"])
def test_few_and_stacked_values_are_as_in_scipy(name):
    for n in (2, 3, 4, 5):
        y = rng.normal(size=(2, n, 3))
        for nu in range(4):
            got, want = (getattr(m, name)(X[:n], y, axis=1)(P, nu) for m in (interpolate, theirs))
            assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def test_complex_values_and_single_precision_are_as_in_scipy():
    y = Y + 1j * Y[::-1]
    for f in (lambda m: m.CubicSpline(X, y)(P), lambda m: m.make_interp_spline(X, y)(P),
              lambda m: m.interp1d(X, y)(P)):  # fmt: skip
        assert_allclose(f(interpolate), f(theirs), rtol=1e-12)
    assert interpolate.CubicSpline(X.astype("f"), Y.astype("f"))(P).dtype == np.float64


def test_intervals_are_added_at_both_ends():
    for x, more in ((X, X + 5), (X, X - 5), (-X, -X - 5), (-X, -X + 5)):
        pieces = [m.PPoly(C, x) for m in (interpolate, theirs)]
        for p in pieces:
            p.extend(2 * C[:, :, :], more[:-1] if more[0] * (x[1] - x[0]) > 0 else more[1:])
        points = np.concatenate([x, more]) + 0.1
        assert_allclose(pieces[0](points), pieces[1](points), atol=1e-9)


def test_roots_are_those_of_scipy_on_plain_arrays_and_else_refused():
    s = interpolate.CubicSpline(X, Y - 1)
    assert_allclose(s.roots(), theirs.CubicSpline(X, Y - 1).roots())
    with pytest.raises(TransformError, match="number of roots"):
        dg.grad(lambda y: interpolate.CubicSpline(X, y).roots().sum())(Y)


def test_a_polynomial_is_smooth_at_its_nodes():
    p = lambda x: interpolate.BarycentricInterpolator([0.0, 1.0, 3.0], [0.0, 1.0, 27.0])(x)
    expected = theirs.KroghInterpolator([0.0, 1.0, 3.0], [0.0, 1.0, 27.0]).derivative(1.0)
    assert_allclose(dg.grad(p)(1.0), expected)


def test_values_are_added_to_a_polynomial():
    pair = [m.BarycentricInterpolator(X[:3], Y[:3]) for m in (interpolate, theirs)]
    for p in pair:
        p.add_xi(X[3:], Y[3:])
    assert_allclose(pair[0](P), pair[1](P))


def test_points_of_a_graph_have_no_triangles():
    with sg.Graph().as_default(), pytest.raises(OptionError, match="not known in a graph"):
        interpolate.LinearNDInterpolator(sg.placeholder("float64", [5, 2]), V[0])


@pytest.mark.parametrize("order", ["knots", "few"])
def test_knots_of_a_graph_that_do_not_fit_give_nan(order):
    """The entries are known when it runs, and a spline through them would be a wrong number."""
    with sg.Graph().as_default():
        x, y = sg.placeholder("float64", ["n"]), sg.placeholder("float64", ["n"])
        f = sg.compile(interpolate.CubicSpline(x, y)(P), [x, y])
        s = sg.placeholder("float64", [12])
        g = sg.compile(interpolate.BSpline(s, np.ones(8), 3)(P), [s])
        h = sg.compile(interpolate.CubicSpline(X, y, bc_type="periodic")(P), [y])
    for call, good, bad in ((g, KNOTS, KNOTS[::-1].copy()), (h, PERIODIC, Y)):
        assert np.isfinite(call(good)).all()
        assert np.isnan(call(bad)).all()
    n = 3 if order == "few" else 6
    assert np.isfinite(f(X, Y)).all()
    assert np.isnan(f(X[:n] if order == "few" else X[::-1].copy(), Y[:n])).all()


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: interpolate.CubicSpline(X[::-1], Y), OptionError, "increase strictly"),
        (lambda: interpolate.CubicSpline(X, Y[:4]), ShapeError, "6 knots, and 4 values"),
        (lambda: interpolate.CubicSpline(X, Y, bc_type="odd"), OptionError, "condition 'odd'"),
        (lambda: interpolate.CubicSpline(X, Y, bc_type="periodic"), OptionError, "not the same"),
        (lambda: interpolate.CubicSpline(X, Y, bc_type=((3, 0.0), "natural")), OptionError, "1 or"),
        (lambda: interpolate.CubicSpline(X, np.full(6, np.nan)), OptionError, "finite"),
        (lambda: interpolate.CubicSpline(1.0, Y), ShapeError, "takes a vector"),
        (lambda: interpolate.CubicSpline(X + 0j, Y), DTypeError, "knots are real"),
        (lambda: interpolate.PchipInterpolator(X, Y + 0j), DTypeError, "values are real"),
        (lambda: interpolate.Akima1DInterpolator(X, Y, method="odd"), OptionError, "not 'odd'"),
        (lambda: interpolate.PPoly(C, X[:4]), ShapeError, "4 knots have 3 intervals, not 5"),
        (
            lambda: interpolate.PPoly(C, [0, 2, 1, 3, 4, 5]),
            OptionError,
            "do not increase or decrease",
        ),
        (lambda: interpolate.interp1d(X, Y)(9.0), OptionError, "point 9.0 is above"),
        (lambda: interpolate.interp1d(X, Y, "odd"), OptionError, "no kind 'odd'"),
        (lambda: interpolate.interp1d(X, Y[:2]), ShapeError, "6 points"),
        (lambda: interpolate.make_interp_spline(X, Y, bc_type="odd"), OptionError, "'odd'"),
        (lambda: interpolate.make_interp_spline(X, Y, 3, X), ShapeError, "8 entries"),
        (lambda: interpolate.make_interp_spline(X, Y, 3, KNOTS), OptionError, "8 coefficients"),
        (lambda: interpolate.BSpline(KNOTS[::-1], KNOTS, 3), OptionError, "do not increase"),
        (lambda: interpolate.BSpline(KNOTS, Y, 3), ShapeError, "take 8 coefficients, not 6"),
        (lambda: interpolate.interpn(G, V, [[9.0, 0.0]]), OptionError, "bounds along axis 0"),
        (lambda: interpolate.interpn(G, V, W, "odd"), OptionError, "no method 'odd'"),
        (lambda: interpolate.interpn(G[:1], V[:2], W), ShapeError, "4 points on axis 0"),
        (lambda: interpolate.interpn(G, V, [[1.0, 1, 1]]), ShapeError, "2 coordinates"),
        (lambda: interpolate.interpn(G, V, W, "quintic"), ShapeError, "takes 6 points"),
        (lambda: interpolate.BarycentricInterpolator([1, 1], [1, 2]), OptionError, "distinct"),
        (lambda: interpolate.splrep(X, Y, s=1.0), OptionError, "s is not here"),
        (lambda: interpolate.splev(9.0, interpolate.splrep(X, Y), ext=2), OptionError, "beyond"),
        (lambda: interpolate.splev(9.0, interpolate.splrep(X, Y), ext=9), OptionError, "not 9"),
        (lambda: interpolate.RectBivariateSpline(*G, V), ShapeError, "two axes"),
        (lambda: interpolate.RectBivariateSpline(*G, V[..., 0], s=1), OptionError, "not here"),
        (lambda: interpolate.RBFInterpolator(X, Y), ShapeError, "rows"),
        (lambda: interpolate.RBFInterpolator(W, V[0], kernel="odd"), OptionError, "not 'odd'"),
        (lambda: interpolate.RBFInterpolator(W, V[0], kernel="gaussian"), OptionError, "epsilon"),
        (lambda: interpolate.griddata(W, V[0, :3], W, "cubic"), OptionError, "not 'cubic'"),
        (lambda: interpolate.LinearNDInterpolator(X, Y), ShapeError, "rows"),
        (lambda: interpolate.make_lsq_spline(X, Y, KNOTS + 3), OptionError, "beyond the knots"),
        (lambda: interpolate.BarycentricInterpolator(X)(P), OptionError, "no values"),
    ],
)
def test_errors_say_what_is_wrong(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize("name", ["not-a-knot", "pchip", "linear", "fitted 4", "sum", "polynomial"])
def test_examples_of_a_batch_are_interpolated_one_by_one(name):
    f, xs = EVERY[name]
    stacks = [np.stack([x, x * 1.01, x * 1.02]) for x in xs]
    batched = gradops.vmap(lambda *ys: f(interpolate, *ys))(*stacks)
    assert_allclose(batched, [f(interpolate, *row) for row in zip(*stacks, strict=True)])
