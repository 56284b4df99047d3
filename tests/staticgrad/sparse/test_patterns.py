"""Patterns of derivatives: never too small, for every op; exact where that is promised."""

import numpy as np
import pytest

import gradops
import staticgrad as sg
from gradops.core.errors import ShapeError
from gradops.testing.cases import cases

pytest.importorskip("scipy.sparse")


def dense(op, case, i):
    """The Jacobian of an op by one operand, from its JVP rule."""
    x = case.operands[i]
    columns = []
    for k in range(x.size):
        unit = np.zeros(x.size, x.dtype)
        unit[k] = 1

        def along(v):
            operands = [v if j == i else y for j, y in enumerate(case.operands)]
            return op(*operands, **case.attrs)

        columns.append(np.ravel(gradops.jvp(along, [x], [unit.reshape(x.shape)])[1]))
    return np.stack(columns, axis=1) if columns else None


def pattern(op, case, i, fed):
    """The pattern of an op by one operand; the others are fed, or constants."""
    with sg.Graph().as_default():
        given = [
            sg.placeholder(x.dtype, x.shape) if j == i or fed else x
            for j, x in enumerate(case.operands)
        ]
        return sg.sparsity(op(*given, **case.attrs), given[i]).toarray()


@pytest.mark.parametrize("op", gradops.OPS.values(), ids=str)
def test_no_pattern_is_too_small(op):
    for case in [*cases(op)][:4]:
        types = [x.dtype.kind for x in case.operands]
        y = np.asarray(op(*case.operands, **case.attrs))
        if y.dtype.kind != "f" or y.size > 60:
            continue
        for i, kind in enumerate(types):
            if kind != "f" or case.operands[i].size > 40 or len(op.jvp) <= i or op.jvp[i] is None:
                continue
            want = dense(op, case, i)
            for fed in (False, True):
                found = pattern(op, case, i, fed and "i" not in types and "u" not in types)
                assert found.shape == (y.size, case.operands[i].size)
                if want is not None:
                    assert not (want[~found] != 0).any()


A = np.diag([1.0, 2.0, 3.0]) + np.diag([1.0, 1.0], 1)
EXACT = {
    "elementwise": (lambda x: np.sin(x) * x + 1, 4),
    "broadcasting": (lambda x: x[:, None] * x[None, :], 3),
    "slices": (lambda x: x[1:] * x[:-1], 5),
    "strides": (lambda x: x[::2] * x[::-2], 5),
    "index arrays": (lambda x: x[np.array([3, 0, 0])], 4),
    "constants of zero": (lambda x: x * np.array([0.0, 1.0, 2.0]), 3),
    "masks": (lambda x: np.where(np.arange(4) > 1, x, x[::-1]), 4),
    "matrix times": (lambda x: A @ x, 3),
    "times matrix": (lambda x: x @ A, (2, 3)),
    "matrices": (lambda x: A @ x, (3, 2)),
    "products of rows": (lambda x: x @ x.T, (2, 3)),
    "einsum": (lambda x: np.einsum("ij,kj->ki", x, x), (2, 3)),
    "sums": (lambda x: np.sum(x, axis=1), (2, 3)),
    "means": (lambda x: np.mean(x, axis=0), (2, 3)),
    "maxima": (lambda x: np.max(x, axis=0), (2, 3)),
    "joined": (lambda x: np.concatenate([x[2:], 2 * x[:1]]), 4),
    "stacked": (lambda x: np.stack([x[1:], x[:-1]], axis=1), 4),
    "padded": (lambda x: np.pad(x, 2), 3),
    "rolled": (lambda x: np.roll(x, 1) * x, 4),
    "repeated": (lambda x: np.repeat(x, 2) + np.tile(x, 2), 3),
    "transposed": (lambda x: x.T.reshape(-1)[1:], (2, 3)),
    "triangles": (lambda x: np.tril(x), (3, 3)),
    "convolved": (lambda x: np.convolve(x, [1.0, -2.0, 1.0], "valid"), 6),
    "differences": (lambda x: np.diff(x, n=2), 6),
    "cumulative sums": (lambda x: np.cumsum(x, axis=0), (3, 2)),
    "softmax": (lambda x: sg.nn.softmax(x), (2, 3)),
    "scan": (lambda x: sg.scan(lambda c, s: 0.5 * c + s * s, x, x[0]), 5),
    "scan backwards": (lambda x: sg.scan(lambda c, s: c * s, x, x[0], reverse=True), 5),
    "map": (lambda x: sg.map_fn(lambda s: s * s[::-1], x), (3, 2)),
    "branches": (lambda x: sg.cond(x[0] > 0, lambda: x * 2, lambda: x + 1), 4),
    "nothing": (lambda x: sg.stop_gradient(x) * 2, 3),
}
"""Functions, and shapes of their arguments, whose patterns are those of their Jacobians."""


@pytest.mark.parametrize("name", EXACT)
def test_patterns_are_exact(name):
    f, shape = EXACT[name]
    with sg.Graph().as_default():
        x = sg.placeholder(np.float64, shape if isinstance(shape, tuple) else (shape,))
        y = f(x)
        found = sg.sparsity(y, x)
        whole = sg.compile(sg.jacobian(y, x), [x])
    rng = np.random.default_rng(0)
    want = sum(np.abs(whole(rng.normal(size=x.shape))) for _ in range(20)).reshape(found.shape) > 0
    if name == "maxima":  # each entry may be the largest
        want = np.kron(np.ones((1, 2)), np.eye(3)) > 0
    assert np.array_equal(found.toarray(), want)
    assert found.notes == ()


def test_loops_of_unknown_length_go_on_until_nothing_changes():
    with sg.Graph().as_default():
        x = sg.placeholder(np.float64, (6,))
        turn = lambda i, v: (i + 1, np.concatenate([v[1:2] * v[:1], v[:1], v[2:]]))
        y = sg.while_loop(lambda i, v: i < 9, turn, [0, x])[1]
        found = sg.sparsity(y, x).toarray()
    assert found[:2, :2].all()
    assert np.array_equal(found[2:, 2:], np.eye(4, dtype=bool))


def test_what_is_not_known_is_noted_with_its_line():
    with sg.Graph().as_default():
        x, i = sg.placeholder(np.float64, (4,)), sg.placeholder(np.int64, (2,))
        found = sg.sparsity(sg.gather(x, i), x)
    assert found.toarray().all()
    (note,) = found.notes
    assert "test_patterns.py" in note


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_nothing_at_all(shape):
    with sg.Graph().as_default():
        x = sg.placeholder(np.float64, shape)
        assert sg.sparsity(x * 2, x).shape == (0, 0)


def test_a_million_entries():
    with sg.Graph().as_default():
        x = sg.placeholder(np.float64, (1_000_000,))
        found = sg.sparsity((x[1:] - x[:-1]) ** 2 + sg.reduce_sum(sg.stop_gradient(x)), x)
    assert found.nnz == 2 * 999_999


def test_errors_say_what_is_missing():
    with sg.Graph().as_default():
        x = sg.placeholder(np.float64, (None,))
        with pytest.raises(ShapeError, match="needs the sizes"):
            sg.sparsity(x * 2, x)
        z = sg.placeholder(np.int64, (3,))
        with pytest.raises(gradops.DTypeError):
            sg.sparsity(z * 2, z)
