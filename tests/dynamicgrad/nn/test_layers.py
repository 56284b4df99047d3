"""Layers, activations and losses: PyTorch's values and gradients, every option."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn
from dynamicgrad.nn import functional as F
from gradops import IndexingError, OptionError, ShapeError

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(size=(4, 6)) * 3, [[0.0, -0.0, 30.0, -30.0, 1.0, -1.0]]])
ACTIVATIONS = {
    "ReLU": [{}], "LeakyReLU": [{}, {"negative_slope": 0.3}], "ELU": [{}, {"alpha": 2.0}],
    "GELU": [{}, {"approximate": "tanh"}], "SiLU": [{}], "Sigmoid": [{}], "Tanh": [{}],
    "Softplus": [{}, {"beta": 2.0, "threshold": 3.0}],
    "Softmax": [{"dim": 0}, {"dim": -1}], "LogSoftmax": [{"dim": 1}],
    "Identity": [{}], "Flatten": [{}, {"start_dim": 0}],
}  # fmt: skip
CALLS = [(name, options) for name, several in ACTIVATIONS.items() for options in several]


def beside_torch(torch, run, arrays, tolerance=1e-9):
    """Assert that a function of floats gives the values and gradients that it gives in PyTorch."""
    found = []
    for lib in (dg, torch):
        xs = [lib.tensor(x, requires_grad=True) for x in arrays]
        y = run(lib, *xs)
        weights = np.random.default_rng(1).uniform(0.5, 1.5, tuple(y.shape))
        (y * lib.tensor(weights)).sum().backward()
        grads = [np.zeros(x.shape) if x.grad is None else x.grad.numpy() for x in xs]
        found.append([y.detach().numpy(), *grads])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.peers
@pytest.mark.parametrize(("name", "options"), CALLS, ids=str)
def test_activations_are_pytorchs(name, options):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    tolerance = 1e-7 if name == "GELU" else 3e-9  # erf, and softplus beyond PyTorch's threshold
    beside_torch(torch, lambda lib, x: getattr(lib.nn, name)(**options)(x), [X], tolerance)


@pytest.mark.parametrize("name", ["ReLU", "LeakyReLU", "ELU", "SiLU"])
def test_in_place_is_the_same_into_the_input(name):
    kind = getattr(nn, name)
    x = dg.tensor(X, requires_grad=True)
    y = x * 1
    z = kind(inplace=True)(y)
    assert z is y
    z.sum().backward()
    other = dg.tensor(X, requires_grad=True)
    want = kind()(other)
    want.sum().backward()
    assert dg.equal(z, want)
    assert dg.equal(x.grad, other.grad)


def test_a_dimension_that_is_left_out_is_warned_of():
    with pytest.warns(UserWarning, match="write dim=1"):
        nn.Softmax()(dg.ones(2, 2))
    with pytest.warns(UserWarning, match="write dim=0"):
        F.log_softmax(dg.ones(2, 2, 2))


@pytest.mark.peers
@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 5, 3)])
def test_a_linear_layer_is_pytorchs(shape):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    arrays = [RNG.normal(size=s) for s in (shape, (2, 3), (2,))]
    beside_torch(torch, lambda lib, *xs: lib.nn.functional.linear(*xs), arrays)


def test_a_linear_layer_begins_with_small_uniform_numbers():
    dg.manual_seed(0)
    layer = nn.Linear(100, 50, dtype="float64")
    for p in layer.parameters():
        assert p.dtype == "float64"
        assert abs(p.detach().numpy()).max() <= 0.1
    assert abs(layer.weight.detach().numpy()).mean() == pytest.approx(0.05, rel=0.05)
    assert nn.Linear(3, 2, bias=False).bias is None


class TestDropout:
    def test_entries_are_dropped_with_their_probability_and_the_others_scaled(self):
        y = nn.Dropout(0.25, generator=np.random.default_rng(0))(dg.ones(100_000))
        assert set(y.tolist()) == {0.0, float(np.float32(1 / 0.75))}
        assert (y == 0).double().mean().item() == pytest.approx(0.25, abs=0.01)

    def test_seeds_make_it_repeatable(self):
        layer, x = nn.Dropout(), dg.ones(50)
        found = []
        for _ in range(2):
            dg.manual_seed(3)
            found.append(layer(x))
        assert dg.equal(*found)
        assert not dg.equal(layer(x), found[0])

    def test_gradients_flow_where_entries_were_kept(self):
        x = dg.ones(50, requires_grad=True)
        y = nn.Dropout(generator=np.random.default_rng(0))(x)
        y.sum().backward()
        assert dg.equal(x.grad, y)

    def test_evaluation_gives_the_input(self):
        x = dg.ones(5)
        assert nn.Dropout().eval()(x) is x
        assert F.dropout(x, p=0.0) is x
        assert F.dropout(x, p=1.0).tolist() == [0] * 5

    def test_in_place_it_writes_into_its_input(self):
        x = dg.ones(50)
        assert nn.Dropout(inplace=True)(x) is x
        assert set(x.tolist()) == {0, 2}

    def test_what_is_no_probability_is_refused(self):
        with pytest.raises(ValueError, match=r"has to be between 0 and 1, but got 1\.5"):
            nn.Dropout(1.5)


LABELS = np.array([0, 2, 1, 2, 0])
FLAGGED = np.array([0, 2, -100, 1, 0])
DEEP = np.array([[0, 2, 1], [1, 1, 0], [2, 0, 2], [1, 0, 0], [2, 2, 1]])
SCORES, DEEP_SCORES = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3, 3))
WEIGHTS = np.array([0.5, 1.0, 2.0])
CHANCES = RNG.dirichlet(np.ones(3), size=5)
BITS = (RNG.random((5, 3)) > 0.5).astype(float)
PROBABILITIES = 1 / (1 + np.exp(-SCORES))
FAR, NEAR = RNG.normal(size=(2, 5, 3)) * 2
LOSSES = [
    *(("MSELoss", {}, FAR, NEAR), ("L1Loss", {}, FAR, NEAR)),
    *(("SmoothL1Loss", {"beta": b}, FAR, NEAR) for b in (0.0, 0.5, 1.0)),
    *(("HuberLoss", {"delta": d}, FAR, NEAR) for d in (0.5, 2.0)),
    ("CrossEntropyLoss", {}, SCORES, LABELS),
    ("CrossEntropyLoss", {}, SCORES[0], LABELS[0]),
    ("CrossEntropyLoss", {}, SCORES, FLAGGED),
    ("CrossEntropyLoss", {"ignore_index": 0}, SCORES, LABELS),
    ("CrossEntropyLoss", {"weight": WEIGHTS}, SCORES, FLAGGED),
    ("CrossEntropyLoss", {"label_smoothing": 0.2}, SCORES, FLAGGED),
    ("CrossEntropyLoss", {"label_smoothing": 0.2, "weight": WEIGHTS}, SCORES, FLAGGED),
    ("CrossEntropyLoss", {}, DEEP_SCORES, DEEP),
    ("CrossEntropyLoss", {"weight": WEIGHTS, "ignore_index": 2}, DEEP_SCORES, DEEP),
    ("CrossEntropyLoss", {}, SCORES, CHANCES),
    ("CrossEntropyLoss", {"label_smoothing": 0.2, "weight": WEIGHTS}, SCORES, CHANCES),
    ("NLLLoss", {}, SCORES, LABELS),
    ("NLLLoss", {"weight": WEIGHTS}, SCORES, FLAGGED),
    ("NLLLoss", {"weight": WEIGHTS}, DEEP_SCORES, DEEP),
    ("BCELoss", {}, PROBABILITIES, BITS),
    ("BCELoss", {"weight": WEIGHTS}, PROBABILITIES, CHANCES),
    ("BCEWithLogitsLoss", {}, SCORES, BITS),
    ("BCEWithLogitsLoss", {"weight": WEIGHTS}, SCORES, CHANCES),
    ("BCEWithLogitsLoss", {"pos_weight": WEIGHTS}, SCORES, CHANCES),
    ("KLDivLoss", {}, np.log(CHANCES[::-1]), CHANCES),
    ("KLDivLoss", {}, np.log(CHANCES[::-1]), BITS),
    ("KLDivLoss", {"log_target": True}, np.log(CHANCES[::-1]), np.log(CHANCES)),
]
REDUCED = [
    (*loss, reduction)
    for loss in LOSSES
    for reduction in ("mean", "sum", "none", *["batchmean"] * (loss[0] == "KLDivLoss"))
]


@pytest.mark.peers
@pytest.mark.parametrize(("name", "options", "x", "target", "reduction"), REDUCED)
@pytest.mark.filterwarnings("ignore:reduction:UserWarning")
def test_losses_are_pytorchs(name, options, x, target, reduction):
    torch = pytest.importorskip("torch", reason="torch is the oracle")

    def run(lib, x):
        given = {k: lib.tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
        loss = getattr(lib.nn, name)(**given, reduction=reduction)
        return loss(x, lib.tensor(np.array(target)))

    beside_torch(torch, run, [x])


def test_a_probability_of_zero_has_a_finite_loss_and_a_gradient_that_leads_away():
    p = dg.tensor([0.0, 1.0, 0.0], requires_grad=True)
    loss = F.binary_cross_entropy(p, dg.tensor([1.0, 0.0, 0.0]), reduction="sum")
    loss.backward()
    assert loss.item() == 200
    assert p.grad.tolist() == pytest.approx([-1e12, 1e12, 0])


def test_weights_of_losses_are_buffers():
    assert list(nn.CrossEntropyLoss(weight=dg.ones(3)).state_dict()) == ["weight"]
    assert list(nn.BCEWithLogitsLoss(pos_weight=dg.ones(3)).state_dict()) == ["pos_weight"]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: F.cross_entropy(dg.ones(2, 3), dg.tensor([0, 3])), IndexError, "label 3 is none"),
        (
            lambda: F.cross_entropy(dg.ones(2, 3), dg.tensor([0, -1]), ignore_index=0),
            IndexError,
            "label -1 is none",
        ),
        (lambda: F.nll_loss(dg.ones(2, 3), dg.tensor([0])), ValueError, "one label for each row"),
        (lambda: F.nll_loss(dg.ones(1, 3), dg.ones(1)), TypeError, "int64 or uint8"),
        (lambda: F.mse_loss(dg.ones(2, 1), dg.ones(2)), ValueError, "shapes must be equal"),
        (lambda: F.huber_loss(dg.ones(2), dg.ones(2), delta=0), ValueError, "delta is greater"),
        (lambda: F.smooth_l1_loss(dg.ones(2), dg.ones(2), beta=-1), ValueError, "beta is at least"),
        (lambda: nn.MSELoss("all")(dg.ones(2), dg.ones(2)), ValueError, "not 'all'"),
        (
            lambda: F.binary_cross_entropy(dg.tensor([1.5]), dg.ones(1)),
            ValueError,
            "between 0 and 1",
        ),
        (
            lambda: F.cross_entropy(dg.ones(1, 2), dg.tensor([0]), label_smoothing=2),
            ValueError,
            "label_smoothing",
        ),
    ],
)
def test_operands_that_make_no_sense_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize(("call", "says"), [
    (lambda: nn.Linear(64, 10)(dg.ones(2, 4, 6, 6)), r"flatten\(x, 1\).*rows of 144 entries"),
    (lambda: nn.Linear(6, 2)(dg.ones(2, 2, 3)), r"flatten\(x, 1\).*rows of 6 entries"),
    (lambda: nn.Linear(4, 2)(dg.ones(2, 3)), "has 3 entries, and the weight takes 4"),
    (lambda: nn.CrossEntropyLoss()(dg.ones(2, 3), dg.tensor([[0], [1]])), r"squeeze\(1\)"),
    (lambda: nn.Embedding(5, 3)(dg.tensor([1, -1])), "-1 names no row"),
    (lambda: nn.functional.conv2d(dg.ones(1, 1, 3, 3), dg.ones(1, 1, 3, 3), None, 2, "same"),
     "kernel_size // 2"),
])  # fmt: skip
def test_common_mistakes_are_told_the_way_out(call, says):
    with pytest.raises((ShapeError, OptionError, IndexingError), match=f"(?s){says}"):
        call()


def test_an_optimizer_wants_the_parameters_of_a_module():
    with pytest.raises(TypeError, match=r"give module\.parameters\(\)"):
        dg.optim.SGD(nn.Linear(2, 2))


def test_a_subclass_of_a_layer_without_weights_keeps_its_options():
    class SumOfSquares(dg.nn.MSELoss):
        def __init__(self):
            super().__init__(reduction="sum")

    class Leaky(dg.nn.LeakyReLU):
        pass

    assert SumOfSquares()(dg.ones(2), dg.zeros(2)) == 2
    assert str(Leaky(0.5)) == "Leaky(negative_slope=0.5)"


def test_layers_without_weights_take_their_inputs_by_name():
    assert dg.nn.MSELoss()(input=dg.ones(2), target=dg.zeros(2)) == 1
    assert dg.nn.ReLU()(input=-dg.ones(1)) == 0
