"""Saving a graph as a model."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gradops.core.traits import Trait

from ...export.freezable import frozen_graph
from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ..errors import Unsupported, UnsupportedOperator
from ..library import library
from .graphs import where, write_graph
from .model_writer import ModelWriter, type_of_value

OPSET = 20
IR_VERSION = 9  # of opset 20


def save(graph: Any, file: Any, *, opset: int = OPSET) -> None:
    """Write a graph as an ONNX model.

    `graph` is a frozen graph, an executable, a graph under construction or expressions, whose
    gradients and updates are ordinary nodes of the model. Inputs and outputs have the names of
    their expressions; variables are inputs after those that are fed, and their new values, named
    `.../updated`, are outputs after those that are fetched. Named sizes become `dim_param`. `file`
    is a path or a file open for writing bytes. The model is checked by ONNX's checker, with the
    inference of shapes.

    Raises UnsupportedOperator with the expressions, and their lines, that ONNX has no operators
    for; MissingExtraError without the package onnx.
    """
    content = model_of(graph, opset).SerializeToString()
    if isinstance(file, str | os.PathLike):
        Path(file).write_bytes(content)
    else:
        file.write(content)


def model_of(graph: Any, opset: int = OPSET) -> Any:
    """The model of a graph, as onnx's ModelProto, checked."""
    onnx, frozen = library(), frozen_graph("staticgrad.onnx.save", graph)
    refuse_effects(frozen)
    w = ModelWriter(opset)
    inputs = {e: w.unique(e.name) for e in frozen.inputs}
    typed = [typed_value(name, e) for e, name in inputs.items()]
    names = write_graph(w, frozen, inputs, frozen.results)
    outputs = named_outputs(w, frozen, names)
    proto = w.graph(w.blocks[0], "graph", typed, outputs)
    version = {"ir_version": IR_VERSION} if opset <= OPSET else {}
    opsets = [onnx.helper.make_opsetid("", opset)]
    model = onnx.helper.make_model(
        proto, producer_name="staticgrad", opset_imports=opsets, **version
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def refuse_effects(graph: FrozenGraph) -> None:
    """Raise UnsupportedOperator for checks and prints, which a model would leave out."""
    effects = [e for e in graph.order if e.op is not None and Trait.EFFECT in e.op.traits]
    if effects:
        needs = [(f"the effect {e.op}", where(e)) for e in effects]
        raise UnsupportedOperator(needs, "the graph needs")


def named_outputs(w: ModelWriter, graph: FrozenGraph, names: Sequence[str]) -> list[Any]:
    """The outputs with types; each is the result of a node, under a name of its own.

    The label of an output, "d loss / d w", is its description.
    """
    made = {name for node in w.blocks[0].nodes for name in node.output}
    result, taken = [], set[str]()
    for i, (e, name) in enumerate(zip(graph.results, names, strict=True)):
        k = i - len(graph.outputs)
        if k >= 0:
            name = w.add("Identity", name, name=f"{graph.updates[k][0].name}/updated")
        elif name not in made or name in taken:
            name = w.add("Identity", name, name=f"{e.name}_output")
        taken.add(name)
        result.append(typed_value(name, e))
        if k < 0 and graph.labels:
            result[-1].doc_string = graph.labels[i]
    return result


def typed_value(name: str, e: Expr) -> Any:
    """An input or output of the model."""
    try:
        return type_of_value(name, e.dtype, e.shape)
    except Unsupported as error:
        raise UnsupportedOperator([(str(error), where(e))], "the graph needs") from error
