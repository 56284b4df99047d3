"""Updates by kernels in machine code have the bits of those by formulas."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops.kernels.native_kernels import native_kernels
from gradops.native.kernels.updates import NUMBERS
from gradops.nn.flat_updates import call_in_place
from gradops.nn.optimizer_updates import adam

SIZES = [(3,), (1, 1), (40, 60), (300, 200), (5, 7), (0,)]
OPTIMIZERS = {
    "sgd": (dg.optim.SGD, {"lr": 0.1}),
    "sgd, decayed": (dg.optim.SGD, {"lr": 0.1, "weight_decay": 0.3, "maximize": True}),
    "momentum": (dg.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
    "dampened": (dg.optim.SGD, {"lr": 0.1, "momentum": 0.9, "dampening": 0.2}),
    "nesterov": (dg.optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    "adam": (dg.optim.Adam, {"lr": 0.1}),
    "adam, decayed": (dg.optim.Adam, {"lr": 0.1, "weight_decay": 0.2, "betas": (0.8, 0.9)}),
    "amsgrad": (dg.optim.Adam, {"lr": 0.1, "amsgrad": True}),
    "adamw": (dg.optim.AdamW, {"lr": 0.1, "weight_decay": 0.2, "maximize": True}),
    "rmsprop": (dg.optim.RMSprop, {"lr": 0.1, "weight_decay": 0.1}),
    "rmsprop, centered": (dg.optim.RMSprop, {"lr": 0.1, "centered": True, "momentum": 0.5}),
    "adagrad": (dg.optim.Adagrad, {"lr": 0.1, "lr_decay": 0.1}),
}


def trained(make, options, dtype, foreach):
    """Parameters and states after some steps, of which gradients have extreme entries."""
    rng = np.random.default_rng(0)
    params = [dg.tensor(rng.normal(size=s).astype(dtype), requires_grad=True) for s in SIZES]
    optimizer = make(params, **options, foreach=foreach)
    for extreme in (0.0, -0.0, 1e30, np.inf, np.nan):
        for p in params:
            g = rng.normal(size=p.shape).astype(dtype)
            g[:1] = extreme
            p.grad = dg.tensor(g)
        optimizer.step()
    states = [t.numpy() for p in params for t in optimizer.state[p].values()]
    return [p.detach().numpy() for p in params] + states


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("foreach", [True, False])
def test_kernels_have_the_bits_of_formulas(name, dtype, foreach):
    make, options = OPTIMIZERS[name]
    found = trained(make, options, dtype, foreach)
    with native_kernels(False):
        wanted = trained(make, options, dtype, foreach)
    for a, b in zip(found, wanted, strict=True):
        assert np.array_equal(a, b, equal_nan=True)
        assert np.array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))


def test_every_kernel_is_reached():
    pytest.importorskip("llvmlite")
    state = {"step": 3, "exp_avg": np.ones(4), "exp_avg_sq": np.ones(4)}
    options = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.0,
               "amsgrad": False, "maximize": False, "decoupled_weight_decay": False}  # fmt: skip
    x = np.ones(4)
    with native_kernels(True):
        call = call_in_place(adam, x, np.ones(4), state, options)
    assert call is not None
    assert call() is not NotImplemented
    assert x[0] < 1
    assert {"sgd", "momentum", "nesterov", "adam", "rmsprop", "adagrad"} < NUMBERS.keys()
