"""A loss is found to be a sum or a mean over rows, or refused."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(40, 3)), np.sign(rng.normal(size=40))
W = np.zeros(3)


def residuals(w, x, y):
    return x @ w - y


SUMS = {
    "squares": lambda w, x, y: np.sum(residuals(w, x, y) ** 2),
    "logistic": lambda w, x, y: np.sum(np.log(1 + np.exp(-y * (x @ w)))),
    "weighted": lambda w, x, y: np.sum(x[:, 0] ** 2 * residuals(w, x, y) ** 2),
    "negative": lambda w, x, y: -np.sum(np.cos(x @ w) * y),
}
MEANS = {
    "squares": lambda w, x, y: np.mean(residuals(w, x, y) ** 2),
    "penalized": lambda w, x, y: np.mean(residuals(w, x, y) ** 2) + 0.1 * np.sum(w**2),
    "divided": lambda w, x, y: np.sum(residuals(w, x, y) ** 2) / x.shape[0],
    "shifted": lambda w, x, y: np.mean(residuals(w, x, y)) + 1.0,
}
NEITHER = {
    "a sum with a penalty that is zero at the start": lambda w, x, y: (
        np.sum(residuals(w, x, y) ** 2) + np.sum(w**2)
    ),
    "a sum with a weak penalty": lambda w, x, y: (
        np.sum(residuals(w, x, y) ** 2) + 1e-8 * np.sum(w**2)
    ),
    "a sum with a constant": lambda w, x, y: np.sum(residuals(w, x, y) ** 2) + 1.0,
    "a batch normalization": lambda w, x, y: np.mean(residuals(w, x - np.mean(x, 0), y) ** 2),
    "a largest error": lambda w, x, y: np.max(residuals(w, x, y) ** 2),
    "a root of a mean": lambda w, x, y: np.sqrt(np.mean(residuals(w, x, y) ** 2)),
    "differences of neighbours": lambda w, x, y: np.sum((x[1:] @ w - x[:-1] @ w) ** 2),
    "weights that are normalized in a block": lambda w, x, y: (
        np.sum(y**2 * residuals(w, x, y) ** 2) / np.sum(y**2)
    ),
    "differences of rows that are far apart": lambda w, x, y: np.sum(
        (x[10:] @ w - x[:-10] @ w) ** 2
    ),
    "a sum of all rows but some": lambda w, x, y: np.sum(residuals(w, x, y)[:12] ** 2),
    "a square of a sum": lambda w, x, y: np.sum(residuals(w, x, y)) ** 2,
}  # of these only the whole data gives the value


def both(loss, **options):
    return sg.distributed.value_and_grad(loss, W, (X, Y), block_rows=9, engine=1, **options)


def whole(loss, w):
    x = sg.placeholder("float64", [3], name="w")
    y = loss(x, sg.constant(X), sg.constant(Y))
    return sg.compile([y, *sg.gradients(y, x)], [x])(w)


@pytest.mark.parametrize("loss", [*SUMS.values(), *MEANS.values()], ids=[*SUMS, *MEANS])
def test_the_value_and_the_gradient_are_those_of_all_rows(loss):
    w = rng.normal(size=3)
    for got, want in zip(both(loss)(w), whole(loss, w), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)  # another order of sums


@pytest.mark.parametrize("loss", NEITHER.values(), ids=NEITHER)
@pytest.mark.parametrize("reduction", [None, "sum", "mean"])
def test_a_loss_that_blocks_do_not_determine_is_refused(loss, reduction):
    with pytest.raises(OptionError, match="over rows"):
        both(loss, reduction=reduction)(W)


def test_a_reduction_that_is_given_is_verified():
    assert both(SUMS["squares"], reduction="sum")(W)[0] == 40
    with pytest.raises(OptionError, match="is no mean over rows"):
        both(SUMS["squares"], reduction="mean")(W)


def test_values_that_do_not_tell_ask_for_the_reduction():
    nothing = lambda w, x, y: np.sum(0 * residuals(w, x, y))
    with pytest.raises(OptionError, match="reduction="):
        both(nothing)(W)
    assert both(nothing, reduction="mean")(W)[0] == 0


def test_a_single_row_is_enough_to_tell():
    loss = lambda w, x: np.mean((x * w - 1) ** 2)
    value, _ = sg.distributed.value_and_grad(loss, 0.0, [np.ones(1), np.full(2, 3.0)])(1.0)
    assert value == pytest.approx(8 / 3)
