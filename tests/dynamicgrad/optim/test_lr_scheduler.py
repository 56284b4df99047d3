"""Schedules of learning rates: PyTorch's rates for 50 epochs, and states that can be saved."""

import pickle

import numpy as np
import pytest

import dynamicgrad as dg

SCHEDULES = {
    "lambda": lambda s, o: s.LambdaLR(o, lambda epoch: 0.95**epoch),
    "lambdas": lambda s, o: s.LambdaLR(o, [lambda epoch: 0.95**epoch, lambda epoch: 1 + epoch]),
    "step": lambda s, o: s.StepLR(o, 7, 0.3),
    "multi step": lambda s, o: s.MultiStepLR(o, [3, 3, 10], 0.5),
    "constant": lambda s, o: s.ConstantLR(o, 0.25, 6),
    "linear": lambda s, o: s.LinearLR(o, 0.2, 0.9, 13),
    "exponential": lambda s, o: s.ExponentialLR(o, 0.9),
    "polynomial": lambda s, o: s.PolynomialLR(o, 20, 2.0),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 12, 0.01),
    "restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.001),
    "one cycle": lambda s, o: s.OneCycleLR(o, 1.0, 60),
    "three phases": lambda s, o: s.OneCycleLR(
        o, [1.0, 0.5], epochs=6, steps_per_epoch=10, anneal_strategy="linear", three_phase=True
    ),
    "rate alone": lambda s, o: s.OneCycleLR(o, 1.0, 60, cycle_momentum=False),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 0.9 + epoch / 500),
    "chained": lambda s, o: s.ChainedScheduler([s.LinearLR(o, 0.1, 1.0, 5), s.StepLR(o, 3, 0.5)]),
    "cyclic": lambda s, o: s.CyclicLR(o, [0.01, 0.02], 0.3, step_size_up=4),
    "lower cycles": lambda s, o: s.CyclicLR(o, 0.01, 0.3, 4, 7, mode="triangular2"),
    "exponential cycles": lambda s, o: s.CyclicLR(o, 0.01, 0.3, 4, mode="exp_range", gamma=0.99),
    "cycles of a function": lambda s, o: s.CyclicLR(
        o, 0.01, 0.3, 5, scale_fn=lambda x: 0.8**x, scale_mode="iterations", cycle_momentum=False
    ),
    "sequence": lambda s, o: s.SequentialLR(
        o,
        [
            s.LinearLR(o, 0.1, 1.0, 5), s.CosineAnnealingLR(o, 10),
            s.CosineAnnealingWarmRestarts(o, 4), s.StepLR(o, 3, 0.5),
        ],
        [5, 15, 30],
    ),
}  # fmt: skip
every_schedule = pytest.mark.parametrize("make", SCHEDULES.values(), ids=SCHEDULES)
OPTIMIZERS = {
    "SGD": lambda optim, groups: optim.SGD(groups, lr=0.1, momentum=0.9),
    "Adam": lambda optim, groups: optim.Adam(groups, lr=0.1),
}
every_optimizer = pytest.mark.parametrize("build", OPTIMIZERS.values(), ids=OPTIMIZERS)


def optimizer_of(lib, build):
    a, b = (lib.ones(1, requires_grad=True) for _ in "ab")
    return build(lib.optim, [{"params": [a], "lr": 0.3}, {"params": [b]}])


def seen(optimizer, schedule):
    """All numbers that a schedule sets."""
    found = list(schedule.get_last_lr())
    for group in optimizer.param_groups:
        found += [group["lr"], *group.get("betas", (group.get("momentum"),))]
    return found


@pytest.mark.peers
@every_optimizer
@every_schedule
@pytest.mark.filterwarnings("ignore:.*lr_scheduler:UserWarning")
def test_fifty_epochs_have_pytorchs_rates(make, build):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    ours, theirs = optimizer_of(dg, build), optimizer_of(torch, build)
    a, b = make(dg.optim.lr_scheduler, ours), make(torch.optim.lr_scheduler, theirs)
    for _ in range(50):
        np.testing.assert_allclose(seen(ours, a), seen(theirs, b), rtol=1e-9, atol=1e-15)
        for x in (ours, theirs, a, b):
            x.step()


@pytest.mark.peers
@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
@pytest.mark.parametrize("options", [{}, {"patience": 1}, {"cooldown": 3, "min_lr": [0.01, 0.02]}])
def test_plateaus_are_pytorchs(mode, threshold_mode, options):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    options = {"patience": 3, "factor": 0.5, "mode": mode, **options}
    pairs = []
    for lib in (dg, torch):
        optimizer = optimizer_of(lib, OPTIMIZERS["SGD"])
        kind = lib.optim.lr_scheduler.ReduceLROnPlateau
        pairs.append((optimizer, kind(optimizer, threshold_mode=threshold_mode, **options)))
    metrics = np.random.default_rng(0).normal(size=50).cumsum()
    for metric in metrics:
        for _, schedule in pairs:
            schedule.step(metric)
        np.testing.assert_allclose(seen(*pairs[0]), seen(*pairs[1]), rtol=1e-12)


@pytest.mark.peers
@pytest.mark.parametrize("mult", [1, 2, 3])
def test_restarts_at_a_fraction_of_an_epoch_are_pytorchs(mult):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    pairs = []
    for lib in (dg, torch):
        optimizer = optimizer_of(lib, OPTIMIZERS["SGD"])
        kind = lib.optim.lr_scheduler.CosineAnnealingWarmRestarts
        pairs.append((optimizer, kind(optimizer, 3, mult)))
    for epoch in np.arange(0, 30, 0.7).tolist():
        for _, schedule in pairs:
            schedule.step(epoch)
        np.testing.assert_allclose(seen(*pairs[0]), seen(*pairs[1]), rtol=1e-9)


@every_schedule
def test_a_saved_state_goes_on_as_if_nothing_had_happened(make):
    first, second = (optimizer_of(dg, OPTIMIZERS["SGD"]) for _ in "ab")
    a = make(dg.optim.lr_scheduler, first)
    for _ in range(11):
        first.step()
        a.step()
    b = make(dg.optim.lr_scheduler, second)
    second.load_state_dict(first.state_dict())
    b.load_state_dict(pickle.loads(pickle.dumps(a.state_dict())))
    for _ in range(30):
        for x in (first, second, a, b):
            x.step()
        assert seen(first, a) == seen(second, b)


def test_schedules_can_be_combined_because_they_multiply():
    optimizer = optimizer_of(dg, OPTIMIZERS["SGD"])
    parts = [
        dg.optim.lr_scheduler.ExponentialLR(optimizer, 0.5),
        dg.optim.lr_scheduler.StepLR(optimizer, 1, 0.5),
    ]
    optimizer.step()
    for schedule in parts:
        schedule.step()
    assert [group["lr"] for group in optimizer.param_groups] == [0.075, 0.025]


def test_a_schedule_before_the_first_step_of_its_optimizer_is_warned_of():
    schedule = dg.optim.lr_scheduler.StepLR(optimizer_of(dg, OPTIMIZERS["SGD"]), 1)
    with pytest.warns(UserWarning, match=r"before `optimizer.step\(\)`"):
        schedule.step()


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda s, o: s.StepLR(3, 1), TypeError, "int is not an Optimizer"),
        (lambda s, o: s.StepLR(o, 1, last_epoch=3), KeyError, "initial_lr"),
        (lambda s, o: s.LambdaLR(o, [abs]), ValueError, "Expected 2 lr_lambdas, but got 1"),
        (lambda s, o: s.LinearLR(o, start_factor=0), ValueError, "start_factor"),
        (lambda s, o: s.ConstantLR(o, factor=2), ValueError, "factor"),
        (lambda s, o: s.OneCycleLR(o, 1.0), ValueError, "total_steps OR"),
        (lambda s, o: s.OneCycleLR(o, [1.0], 5), ValueError, "Expected 2 values for max_lr"),
        (lambda s, o: s.CosineAnnealingWarmRestarts(o, 0), ValueError, "positive integer T_0"),
        (lambda s, o: s.ReduceLROnPlateau(o, factor=1.0), ValueError, "Factor should be < 1.0"),
        (lambda s, o: s.ReduceLROnPlateau(o, "least"), ValueError, "'least' is unknown"),
        (lambda s, o: s.CyclicLR(o, 0.1, 1.0, mode="square"), ValueError, "triangular.*'square'"),
        (lambda s, o: s.ChainedScheduler([]), ValueError, "at least one scheduler"),
        (lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [3]), ValueError, "one scheduler more"),
    ],
)
def test_schedules_that_make_no_sense_are_refused(make, error, match):
    with pytest.raises(error, match=match):
        make(dg.optim.lr_scheduler, optimizer_of(dg, OPTIMIZERS["SGD"]))
