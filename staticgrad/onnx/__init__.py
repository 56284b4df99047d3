"""ONNX, both ways: models come in as graphs, and graphs leave as models, gradients included.

>>> import staticgrad as sg
>>> fn = sg.onnx.load("model.onnx")  # doctest: +SKIP
>>> gradient = sg.gradients(fn.outputs[0], fn.inputs[0])  # doctest: +SKIP

It needs the extra `onnx`: `pip install 'staticgrad[onnx]'`.
"""

from .errors import UnsupportedOperator
from .reading.loading import load
from .reading.model import ImportedModel
from .writing.saving import save

__all__ = ["ImportedModel", "UnsupportedOperator", "load", "save"]
