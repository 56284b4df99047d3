"""Second derivatives at ties, kinks and other special points, wherever functions are smooth there.

A function is followed along a line. From the values on each side of a point arithmetic tells its
first and second derivative; where both sides agree it is smooth, and what the rules give, in each
order of forward and reverse mode and in both packages, has to be what arithmetic finds.
"""

import inspect
import itertools

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from gradops.core.traits import Trait
from gradops.core.types import is_float
from gradops.testing.cases import cases, with_derivative
from gradops.testing.op_properties import NOT_OF_ARRAYS

STEP = 4e-3  # the error of the differences is of its third power, that of rounding 1e-10
SAME_SIDES = 3e-3  # up to which the two sides of a smooth function differ
CLOSE = 5e-3  # far below what a forgotten or doubled term makes
POINTS = (0.0, 1.0, -1.0, 0.5, 2.0)
FILLS = [(0.0,), (1.0,), (0.0, 1.0, 1.0, 0.0, 2.0, -1.0)]
DIRECTIONS = {1: [(1,)], 2: [(1, 0), (0, 1), (1, 1), (1, -1)], 3: [(1, 1, 1), (1, -1, 1)]}
WITHOUT = {
    "cofactors": "of low rank: the third derivative of det is NaN there",
    "second_of_det": "of low rank: the third derivative of det is NaN there",
    "qr": "of low rank: vectors that nothing determines have no derivative",
    **dict.fromkeys(
        ["elliprd", "elliprf", "elliprc", "ellipkinc", "ellipeinc"],
        "where operands are equal, or the angle is 0: see Note [Elliptic integrals]",
    ),
    **dict.fromkeys(
        ["ber", "bei", "berp", "beip"], "at 0: the derivative there divides by the operand"
    ),
    "voigt_profile": "without a width: it is defined for positive ones",
    "powm1": "at the base 0, as its logarithm",
    "beta_tail": "its last operand is between 0 and 1/2 wherever other ops use it",
    "gamma_tail": "its second operand is positive wherever other ops use it",
}
"""Ops that give NaN at the points here, and why that is right."""
pytestmark = pytest.mark.filterwarnings("ignore")


def one_sided(values, side):
    """The first and second derivative that the values on one side of a point tell, at 0."""
    f = [values[side * k] for k in range(5)]
    first = side * (-25 * f[0] + 48 * f[1] - 36 * f[2] + 16 * f[3] - 3 * f[4]) / (12 * STEP)
    second = (35 * f[0] - 104 * f[1] + 114 * f[2] - 56 * f[3] + 11 * f[4]) / (12 * STEP**2)
    return first, second


def value(f, h):
    """f(h), NaN where it has no value."""
    try:
        return np.asarray(f(h), np.float64)
    except (gradops.LinAlgError, gradops.OptionError, FloatingPointError):
        return np.nan


def bend(f):
    """The second derivative of f(h) at h = 0, its scale, and where the function is smooth there."""
    values = {k: value(f, k * STEP) for k in range(-4, 5)}
    (left, bent_left), (right, bent_right) = one_sided(values, -1), one_sided(values, 1)
    scale = 1 + np.max([np.abs(v) for v in values.values()], axis=0)
    smooth = np.abs(left - right) <= 1e-4 * (scale + np.abs(left))
    smooth &= np.abs(bent_left - bent_right) <= SAME_SIDES * (scale + np.abs(bent_left))
    inner = -values[2] + 16 * values[1] - 30 * values[0] + 16 * values[-1] - values[-2]
    return inner / (12 * STEP**2), scale, smooth


def in_forward(f):
    """The derivative of `f`, which works entry by entry, by forward mode."""
    return lambda h: dg.func.jvp(f, (h,), (dg.ones_like(h),))[1]


def in_reverse(f):
    """The derivative of `f`, which works entry by entry, by reverse mode."""
    return dg.func.grad(lambda h: f(h).sum())


ORDERS = {
    "reverse over reverse": lambda f: in_reverse(in_reverse(f)),
    "forward over reverse": lambda f: in_forward(in_reverse(f)),
    "reverse over forward": lambda f: in_reverse(in_forward(f)),
}


def in_graphs(f, h):
    """The second derivatives of `f`, entry by entry, by the same orders in graphs."""
    with sg.Graph().as_default():
        x = sg.placeholder("float64", np.shape(h))
        ones = np.ones(np.shape(h))
        y = gradops.sum(f(x))
        (first,) = sg.gradients(y, [x], unconnected="zero")
        (tangent,) = sg.jvp(f(x), [x], [ones])
        found = {
            "reverse over reverse": sg.gradients(first, [x], unconnected="zero")[0],
            "forward over reverse": sg.jvp(first, [x], [ones])[0],
            "reverse over forward": sg.gradients(tangent, [x], unconnected="zero")[0],
        }
        return dict(zip(found, sg.compile(list(found.values()), [x])(h), strict=True))


def on_tape(f, h):
    """The second derivatives of `f`, entry by entry, by each order of modes."""
    return {name: order(f)(dg.tensor(h)).detach().numpy() for name, order in ORDERS.items()}


def check(f, h, says, surely=None, modes=(on_tape, in_graphs)):
    """Raise unless the second derivatives of `f` are what arithmetic finds, where it is smooth.

    NaN is an answer, too, but where `surely()` says that the function is smooth all around.
    """
    with np.errstate(all="ignore"):
        want, scale, smooth = bend(lambda k: f(h + k))
        for mode in modes if np.any(smooth) else ():
            for name, got in mode(f, h).items():
                wrong = smooth & ~(np.abs(got - want) <= CLOSE * (scale + np.abs(want)))
                if np.any(wrong):
                    wrong &= surely() & np.isnan(got) | surely(continuous=True) & ~np.isnan(got)
                assert not np.any(wrong), (
                    f"{says}, {name} {mode.__name__}: {got[wrong]}, not {want[wrong]},"
                    f" at entries {np.flatnonzero(wrong)}"
                )


def differentiable(op):
    """The samples of an op, and which of their operands are floats that have a derivative."""
    for case in cases(op):
        found = [i for i in with_derivative(case) if is_float(case.operands[i].dtype)]
        if found:
            yield case, found


OF_ARRAYS = [
    op for op in gradops.OPS.values() if not op.traits & NOT_OF_ARRAYS and op.name not in WITHOUT
]
ENTRYWISE = [op for op in OF_ARRAYS if Trait.ELEMENTWISE in op.traits and any(differentiable(op))]
OTHERS = [op for op in OF_ARRAYS if op not in ENTRYWISE and any(differentiable(op))]


def real(y):
    """The real part of a result, or the result."""
    return gradops.real(y) if gradops.type_of(y).dtype.kind == "c" else y


@pytest.mark.parametrize("op", ENTRYWISE, ids=str)
def test_of_an_op_that_works_entry_by_entry(op):
    case, moved = next(differentiable(op))
    grid = [g.ravel() for g in np.meshgrid(*[POINTS] * len(moved))]
    xs = [np.asarray(x).ravel()[:1] for x in case.operands]
    points = dict(zip(moved, grid, strict=True))

    def line(directions):
        us = dict(zip(moved, directions, strict=True))
        starts = [points.get(i, x) for i, x in enumerate(xs)]
        return lambda h: real(
            case(*(x + us[i] * h if us.get(i) else x for i, x in enumerate(starts)))
        )

    def surely(continuous=False):
        ways = [] if continuous else np.eye(len(moved))
        return np.all([bend(line(way))[2] for way in ways], axis=0)

    for directions in DIRECTIONS[len(moved)]:
        check(line(directions), np.zeros(grid[0].size), f"{case.op} along {directions}", surely)


def filled(fill, like, hermitian=False):
    """Numbers of a fill, again and again, in the shape of an array."""
    found = np.resize(np.array(fill), like.shape) if like.size else like
    return found + found.swapaxes(-1, -2) if hermitian else found


def total(y):
    """A weighed sum of what a function gives, a tuple or one result, without what is no float."""
    found = 0.0
    for seed, part in enumerate(y if isinstance(y, tuple | list) else (y,)):
        if (type := gradops.type_of(part)).dtype.kind in "fc":
            weights = np.random.default_rng(seed).uniform(0.5, 1.5, type.shape)
            found = found + gradops.sum(real(part) * weights)
    return found


def check_along_a_line(f, xs, moved, says, hermitian=False):
    """Check along a line in a random direction; and where that fails, whether it may."""

    def line(seed, start=0.0):
        rng = np.random.default_rng(seed)
        us = {i: rng.choice([-1.0, 0.0, 1.0, 2.0], np.shape(xs[i])) for i in moved}
        us = {i: filled(u.ravel(), u, hermitian) for i, u in us.items()}
        vs = {i: filled(rng.normal(size=u.shape).ravel(), u, hermitian) for i, u in us.items()}
        starts = [x + start * vs[i] if i in us else x for i, x in enumerate(xs)]
        return lambda h: total(f(*(x + h * us[i] if i in us else x for i, x in enumerate(starts))))

    def surely(continuous=False):
        """The function is smooth along other lines, and a bit aside bends as much."""
        want, scale, _ = bend(line(1))
        aside = [bend(line(1, start)) for start in (-0.05, 0.05)]
        near = [smooth and abs(b - want) < 0.5 * (scale + abs(want)) for b, _, smooth in aside]
        return np.all(near) and all(bend(line(seed))[2] for seed in range(2, 5))

    check(line(1), np.zeros(()), says, surely, modes=[on_tape])


@pytest.mark.parametrize("op", OTHERS, ids=str)
def test_of_another_op(op):
    hermitian = Trait.HERMITIAN in op.traits
    for case, moved in itertools.islice(differentiable(op), 3):
        for fill in FILLS:
            xs = list(case.operands)
            xs = [filled(fill, x, hermitian) if i in moved else x for i, x in enumerate(xs)]
            check_along_a_line(case, xs, moved, f"{case} at {fill}", hermitian)


FIXED = {"target", "variance", "var"}  # operands that losses take for given
NOT_OF_VALUES = {"jet", "jvp", "pull_back", "vmap"}


def functions():
    """Functions of one to three arrays that are no ops, and what they take."""
    for space in (gradops, gradops.linalg, gradops.special, dg.nn.functional):
        for name in space.__all__:
            f = getattr(space, name)
            if (
                isinstance(f, type | gradops.Op)
                or name in NOT_OF_VALUES | WITHOUT.keys()
                or not callable(f)
            ):
                continue
            if (taken := shapes_taken(f)) is not None:
                yield pytest.param(f, *taken, id=f"{space.__name__}.{name}")


def shapes_taken(f):
    """How many arrays, of which shape, a function takes and differentiates; None if it does not."""
    for shape, n in itertools.product([(3,), (2, 3), (3, 3), ()], (1, 2, 3)):
        values = np.linspace(0.3, 0.9, 9)[: int(np.prod(shape))].reshape(shape)
        try:
            y = total(f(*(dg.tensor(values, requires_grad=True) for _ in range(n))))
            y.backward()
        except Exception:
            continue  # it takes other arguments
        return shape, n
    return None


@pytest.mark.parametrize(("f", "shape", "n"), list(functions()))
def test_of_a_function(f, shape, n):
    names = list(inspect.signature(f).parameters)
    moved = [i for i in range(n) if i >= len(names) or names[i] not in FIXED]
    for fill in FILLS:
        xs = [filled(fill, np.zeros(shape)) for _ in range(n)]
        check_along_a_line(lambda *xs: f(*map(dg.as_tensor, xs)), xs, moved, f"at {fill}")


BOUNDED = {"binary_cross_entropy"}  # its slopes at 0 and 1, not its logarithms, are PyTorch's
OF_SEVERAL = [op for op in ENTRYWISE if op.arity > 1 and op.name not in BOUNDED]


@pytest.mark.parametrize("op", OF_SEVERAL, ids=str)
def test_mixed_derivatives_are_equal_also_at_kinks(op):
    case, moved = next(differentiable(op))
    grid = [g.ravel() for g in np.meshgrid(*[POINTS] * len(moved))]
    xs = [dg.tensor(np.broadcast_to(np.ravel(x)[:1], grid[0].shape)) for x in case.operands]
    for i, points in zip(moved, grid, strict=True):
        xs[i] = dg.tensor(points, requires_grad=True)
    of = [xs[i] for i in moved]
    first = dg.autograd.grad(real(case(*xs)).sum(), of, create_graph=True)
    rows = [
        dg.autograd.grad(g.sum(), of, create_graph=True, materialize_grads=True)
        if g.requires_grad
        else [dg.zeros_like(x) for x in of]
        for g in first
    ]
    for i, j in itertools.combinations(range(len(moved)), 2):
        a, b = rows[i][j].detach().numpy(), rows[j][i].detach().numpy()
        there = np.isfinite(a) & np.isfinite(b)
        np.testing.assert_allclose(a[there], b[there], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("x", [[0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, -np.inf], [3.0]])
@pytest.mark.parametrize("base", [np.e, 2.0])
def test_repeated_logaddexp_bends_like_logsumexp(x, base):
    ufunc = np.logaddexp if base == np.e else np.logaddexp2
    shares = np.power(base, x) / np.power(base, x).sum()
    want = (np.diag(shares) - np.outer(shares, shares)) * np.log(base)
    for f in (lambda x: ufunc.reduce(x), lambda x: ufunc.accumulate(x)[-1]):
        np.testing.assert_allclose(dg.hessian(f)(np.array(x)), want, rtol=1e-12, atol=1e-15)


FAR_OUT = {
    "log_ndtr far down": (gradops.special.log_ndtr, [-30.0, -1e2, -1e3], lambda x: -1 + x**-2),
    "log_ndtr far up": (gradops.special.log_ndtr, [40.0, 88.0, 1e300], lambda x: 0 * x),
    "sinc": (gradops.sinc, [1e-300, 1e-9, 1e-4], lambda x: -(np.pi**2) / 3 + 0 * x),
}
"""Functions at points where terms of their second derivatives cancel, and what these tend to."""


@pytest.mark.parametrize(("f", "points", "limit"), FAR_OUT.values(), ids=FAR_OUT)
def test_terms_that_cancel_do_not_blow_up_rounding(f, points, limit):
    x = np.array(points)
    with np.errstate(all="ignore"):
        for name, got in {**on_tape(f, x), **in_graphs(f, x)}.items():
            tiny = 1e-250  # what is left where log_ndtr is all but constant
            np.testing.assert_allclose(got, limit(x), rtol=1e-5, atol=tiny, err_msg=name)


BOUNDS = [-np.inf, -1.0, 0.0, 1.0, np.inf]
SELECTING = {
    "clamp": (gradops.clamp, 3), "maximum": (gradops.maximum, 2), "minimum": (gradops.minimum, 2),
    "fmax": (gradops.fmax, 2), "fmin": (gradops.fmin, 2),
    "max": (lambda *xs: gradops.max(gradops.stack(xs), axis=0), 3),
    "min": (lambda *xs: gradops.min(gradops.stack(xs), axis=0), 3),
    "median": (lambda *xs: gradops.median(gradops.stack(xs), axis=0), 3),
    "sort": (lambda *xs: gradops.sort(gradops.stack(xs), axis=0)[1], 3),
}  # fmt: skip


@pytest.mark.parametrize(("f", "n"), SELECTING.values(), ids=SELECTING)
def test_what_selects_an_entry_has_derivatives_that_add_up_to_one(f, n):
    """Also where entries are tied, as moving all operands alike moves the result."""
    xs = [dg.tensor(g.ravel(), requires_grad=True) for g in np.meshgrid(*[BOUNDS] * n)]
    found = dg.autograd.grad(f(*xs).sum(), xs, materialize_grads=True)
    np.testing.assert_array_equal(sum(g.numpy() for g in found), np.ones(len(BOUNDS) ** n))


@pytest.mark.parametrize("f", [gradops.maximum, gradops.minimum])
@pytest.mark.parametrize("pair", [(np.nan, 1.0), (1.0, np.nan), (np.nan, np.nan)])
def test_an_extreme_that_is_nan_passes_its_derivative_to_both_operands_as_in_torch(f, pair):
    xs = [dg.tensor(x, requires_grad=True) for x in pair]
    assert [g.item() for g in dg.autograd.grad(f(*xs), xs)] == [1, 1]
