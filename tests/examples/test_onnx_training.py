"""A training step that was exported trains outside of the library."""

import importlib.util
from pathlib import Path

import pytest

for package in ("onnx", "skl2onnx"):
    pytest.importorskip(package)

PATH = Path(__file__).parents[2] / "examples" / "onnx_training.py"
spec = importlib.util.spec_from_file_location("onnx_training", PATH)
onnx_training = importlib.util.module_from_spec(spec)
spec.loader.exec_module(onnx_training)


@pytest.mark.filterwarnings("ignore")  # those of the exporter
def test_the_loss_falls():
    step, values = onnx_training.training_step(onnx_training.pretrained())
    assert len(values) > 4
    _, losses = onnx_training.train(step, values)
    assert losses[-1] < 0.6 * losses[0]
