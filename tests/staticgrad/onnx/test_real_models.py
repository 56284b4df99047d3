"""Models that scikit-learn and torch export: imported, run, differentiated."""

import warnings

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.onnx import load

from .models import require_close, require_slopes, run_runtime

onnx = pytest.importorskip("onnx")


def estimators():
    """Estimators that have no more than ai.onnx, by name."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel
    from sklearn.neural_network import MLPRegressor

    return {
        "MLPRegressor": MLPRegressor(hidden_layer_sizes=(8, 8), activation="tanh", max_iter=30),
        "GaussianProcessRegressor": GaussianProcessRegressor(RBF() + WhiteKernel()),
        "PCA": PCA(2),
        "KMeans": KMeans(3, n_init=1, random_state=0),
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["MLPRegressor", "GaussianProcessRegressor", "PCA", "KMeans"])
def test_a_model_of_scikit_learn_is_run_and_differentiated(name):
    skl2onnx = pytest.importorskip("skl2onnx")
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 4)).astype(np.float32)
    fitted = estimators()[name].fit(x, np.sin(x[:, 0]) + x[:, 1])
    proto = skl2onnx.to_onnx(fitted, x[:1], target_opset=18)
    fn = load(proto)
    found = fn(x)
    expected = run_runtime(proto, {"X": x})
    if expected is not None:
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)
    output = next(i for i, e in enumerate(fn.outputs) if e.dtype.kind == "f")
    require_slopes(fn, [x], output, step=2.0**-7, rel=0.05)


def torch_models(torch):
    """Networks of torch, by name, with an input."""
    nn = torch.nn
    torch.manual_seed(0)

    class LSTM(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.LSTM(4, 8, 2, batch_first=True, bidirectional=True)
            self.out = nn.Linear(16, 2)

        def forward(self, x):
            return self.out(self.layers(x)[0])

    return {
        "MLP": (nn.Sequential(nn.Linear(4, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 3)),
                torch.randn(5, 4)),
        "CNN": (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.SiLU(),
                              nn.AvgPool2d(2), nn.Conv2d(8, 8, 3, stride=2), nn.Tanh(),
                              nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5)),
                torch.randn(2, 3, 16, 16)),
        "transformer block": (nn.TransformerEncoderLayer(16, 4, 32, 0.0, "gelu", batch_first=True),
                              torch.randn(2, 7, 16)),
        "LSTM": (LSTM(), torch.randn(2, 6, 4)),
    }  # fmt: skip


@pytest.mark.peers
@pytest.mark.parametrize("batch", [None, "batch"])
@pytest.mark.parametrize("name", ["MLP", "CNN", "transformer block", "LSTM"])
def test_a_model_of_torch_is_run_and_differentiated(name, batch):
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    network, x = torch_models(torch)[name]
    network = network.eval()
    shapes = ({0: torch.export.Dim(batch)},) if batch else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            network, (x,), dynamo=True, dynamic_shapes=shapes, verbose=False
        )
    fn = load(onnx.load_from_string(program.model_proto.SerializeToString()))
    feed = torch.cat([x, x[:1]]) if batch else x
    feed.requires_grad_()
    y = network(feed)
    require_close(fn(feed.detach().numpy()), [y.detach().numpy()], name)
    weights = torch.randn(y.shape)
    (y * weights).sum().backward()
    gradients = sg.gradients(sg.reduce_sum(fn.outputs[0] * weights.numpy()), fn.inputs[0])
    found = sg.compile(gradients, fn.inputs)(feed.detach().numpy())
    np.testing.assert_allclose(found[0], feed.grad.numpy(), rtol=1e-3, atol=1e-4)
