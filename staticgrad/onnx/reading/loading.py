"""Loading a model."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gradops import GraphError

from ...build.suggest import nearest
from .graph_builder import Built, Choices, build
from .model import ImportedModel
from .source import read_source


def load(
    model: Any, *, values: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Sequence[Any]] | None = None, trainable: bool | Iterable[str] = False,
    external_data: Any = None, **options: Any,
) -> ImportedModel:  # fmt: skip
    """An ONNX model as a graph that can be differentiated, trained, compiled and inspected.

    `model` is a path, bytes, or onnx's ModelProto. The result has a `graph`, `inputs` and `outputs`
    in the model's order, and is callable. Named sizes (`dim_param`) are named sizes of the graph.
    `values` are those of inputs on which shapes depend, `shapes` those of inputs whose shapes the
    model leaves open. The model's tensors are constants; with `trainable` those of floats, or those
    that it names, are variables. Tensors in other files are read from the directory `external_data`
    and nowhere else. `options` are those of `compile`, for calls.

    Raises GraphFormatError for what is not a valid model, UnsupportedOperator with all that a model
    needs and we lack, MissingExtraError without the package onnx. Source: https://onnx.ai/onnx.
    """
    source = read_source(model, external_data)
    source.require_supported()
    names = trainable if isinstance(trainable, bool) else frozenset(trainable)
    for name in names if isinstance(names, frozenset) else ():
        if name not in source.initializers:
            raise GraphError(
                f"the model has no tensor {name!r}{nearest(name, source.initializers)}"
            )
    choices = Choices(trainable=names).refined(source, values or {}, shapes or {})
    result = ImportedModel(source, choices, options)
    if not set(source.unranked) - choices.shapes.keys():
        found = build(source, choices)
        if isinstance(found, Built):
            result.__dict__["built"] = found
        else:
            result.deciding.update(dict.fromkeys(found))
    return result
