"""Initial values: their distribution, and what they are drawn from."""

import math

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad.nn import init

SHAPE = (200, 300)
DRAWN = {
    "uniform": (lambda i, t: i.uniform_(t, -1.0, 3.0)),
    "normal": (lambda i, t: i.normal_(t, 2.0, 0.5)),
    "trunc_normal": (lambda i, t: i.trunc_normal_(t)),
    "trunc_normal, far": (lambda i, t: i.trunc_normal_(t, 1.0, 2.0, -0.5, 4.0)),
    "xavier_uniform": (lambda i, t: i.xavier_uniform_(t, gain=2.0)),
    "xavier_normal": (lambda i, t: i.xavier_normal_(t)),
    "kaiming_uniform": (lambda i, t: i.kaiming_uniform_(t, a=math.sqrt(5))),
    "kaiming_uniform, out": (lambda i, t: i.kaiming_uniform_(t, mode="fan_out")),
    "kaiming_normal": (lambda i, t: i.kaiming_normal_(t, nonlinearity="relu")),
    "orthogonal": (lambda i, t: i.orthogonal_(t, gain=1.5)),
    "ones": (lambda i, t: i.ones_(t)),
    "zeros": (lambda i, t: i.zeros_(t)),
    "constant": (lambda i, t: i.constant_(t, 0.25)),
}
every_fill = pytest.mark.parametrize("fill", DRAWN.values(), ids=DRAWN)


@pytest.mark.peers
@every_fill
def test_moments_and_bounds_are_pytorchs(fill):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    torch.manual_seed(0)
    dg.manual_seed(0)
    ours = fill(init, dg.empty(*SHAPE)).numpy()
    theirs = fill(torch.nn.init, torch.empty(*SHAPE)).numpy()
    spread = theirs.std() + 1e-9
    assert abs(ours.mean() - theirs.mean()) < 0.02 * spread + 1e-6  # 60,000 draws: 5 deviations
    assert abs(ours.std() - theirs.std()) < 0.02 * spread
    for end in (np.min, np.max):
        assert abs(end(ours) - end(theirs)) < 0.8 * spread  # the rarest of unbounded draws differ


@every_fill
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_leaf_is_filled_in_place_and_stays_one(fill, dtype):
    w = dg.empty(8, 6, dtype=dtype, requires_grad=True)
    address = w.data_ptr()
    assert fill(init, w) is w
    assert w.data_ptr() == address
    assert w.dtype == dtype
    assert w.is_leaf
    assert w.requires_grad


def test_a_generator_or_a_seed_makes_it_repeatable():
    one, two = (init.normal_(dg.empty(9), generator=np.random.default_rng(5)) for _ in "ab")
    assert dg.equal(one, two)
    dg.manual_seed(5)
    assert dg.equal(init.normal_(dg.empty(9)), one)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 2, 3)])
def test_orthogonal_rows_or_columns(shape):
    w = init.orthogonal_(dg.empty(*shape, dtype="float64")).reshape(shape[0], -1).numpy()
    product = w @ w.T if w.shape[0] <= w.shape[1] else w.T @ w
    np.testing.assert_allclose(product, np.eye(min(w.shape)), atol=1e-12)


@pytest.mark.peers
@pytest.mark.parametrize("name", [*init.GAINS, "leaky_relu"])
def test_gains_are_pytorchs(name):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    assert init.calculate_gain(name) == torch.nn.init.calculate_gain(name)
    assert init.calculate_gain(name, 0.3) == torch.nn.init.calculate_gain(name, 0.3)


def test_fans_of_kernels_count_their_fields():
    assert init.fans(dg.empty(8, 4, 3, 3)) == (36, 72)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: init.xavier_uniform_(dg.empty(3)), "fewer than 2 dimensions"),
        (lambda: init.orthogonal_(dg.empty(3)), "2 or more dimensions"),
        (lambda: init.kaiming_normal_(dg.empty(3, 3), mode="fan"), "'fan_in' or 'fan_out'"),
        (lambda: init.calculate_gain("step"), "Unsupported nonlinearity step"),
        (lambda: init.trunc_normal_(dg.empty(3), a=9.0, b=10.0), "hardly anything"),
    ],
)
def test_what_makes_no_sense_is_refused(call, match):
    with pytest.raises(ValueError, match=match):
        call()
