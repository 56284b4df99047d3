"""The file of a model: read, with its versions, functions, inputs and outputs checked."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gradops import GraphFormatError

from ..errors import UnsupportedOperator
from ..library import library, parsed
from . import registry

DOMAINS = frozenset({"", "ai.onnx"})
GRAPH, GRAPHS = 5, 10  # types of attributes
DEEPEST = 24  # graphs within graphs; protobuf itself allows 33
SEQUENCES = frozenset({"sequence_type", "optional_type", "map_type", "sparse_tensor_type"})


@dataclass(frozen=True, eq=False)
class Source:
    """A model as it was read, and the folder of its external data."""

    model: Any
    name: str
    folder: Path | None

    @cached_property
    def opsets(self) -> dict[str, int]:
        """The version of each domain that the model uses."""
        return {entry.domain: entry.version for entry in self.model.opset_import}

    @cached_property
    def opset(self) -> int:
        """The version of ai.onnx."""
        return max(self.opsets.get("", 0), self.opsets.get("ai.onnx", 0)) or 1

    @cached_property
    def functions(self) -> dict[tuple[str, str], Any]:
        """The functions that the model defines, by domain and name."""
        return {(f.domain, f.name): f for f in self.model.functions}

    @cached_property
    def initializers(self) -> dict[str, Any]:
        """The tensors that the model brings, by name."""
        return {t.name: t for t in self.model.graph.initializer}

    @cached_property
    def inputs(self) -> dict[str, Any]:
        """The inputs without a value of their own, by name."""
        return {v.name: v for v in self.model.graph.input if v.name not in self.initializers}

    @cached_property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return [v.name for v in self.model.graph.output]

    @cached_property
    def unranked(self) -> tuple[str, ...]:
        """The names of the inputs of any number of axes."""
        return tuple(n for n, v in self.inputs.items() if not v.type.tensor_type.HasField("shape"))

    def require_supported(self) -> None:
        """Raise UnsupportedOperator with all operators and types that are not supported."""
        missing = dict.fromkeys([*self.odd_types(), *self.unknown_operators()])
        if missing:
            raise UnsupportedOperator(missing)

    def odd_types(self) -> Iterator[tuple[str, str]]:
        """The inputs and outputs that are not arrays."""
        graph = self.model.graph
        for t in graph.sparse_initializer:
            yield "sparse tensors", f"of which {t.values.name!r} is one"
        for v in [*self.inputs.values(), *graph.output]:
            kind = v.type.WhichOneof("value")
            if kind in SEQUENCES:
                yield (
                    kind.removesuffix("_type").replace("_", " ") + "s",
                    f"of which {v.name!r} is one",
                )

    def unknown_operators(self) -> Iterator[tuple[str, str]]:
        """The unknown operators of all nodes, those of graphs within and of functions too."""
        pending = [(self.model.graph.node, "", 0)]
        pending += [(f.node, f" of the function {f.name!r}", 0) for f in self.model.functions]
        known: dict[tuple[Any, Any], bool] = {}
        while pending:
            nodes, where, depth = pending.pop()
            if depth > DEEPEST:
                raise GraphFormatError(f"graphs within graphs, more than {DEEPEST} deep")
            for i, node in enumerate(nodes):
                key = node.domain, node.op_type
                if not all(isinstance(name, str) for name in key):
                    raise GraphFormatError(f"node {i}{where} is of an operator without a name")
                if key not in known:
                    known[key] = self.is_known(*key)
                if not known[key]:
                    yield self.operator_name(node), f"node {i} {node.name!r}{where}"
                for a in node.attribute:
                    if a.type in (GRAPH, GRAPHS):
                        inside = f" in {node.name or node.op_type!r}"
                        graphs = [a.g] if a.type == GRAPH else a.graphs
                        pending += [(g.node, inside, depth + 1) for g in graphs]

    def is_known(self, domain: str, operator: str) -> bool:
        """Whether there is a way to build the nodes of an operator."""
        if (domain, operator) in self.functions:
            return True
        if domain not in DOMAINS:
            return False
        return registry.find(operator, self.opset) is not None or self.is_made_of_others(operator)

    def is_made_of_others(self, operator: str) -> bool:
        """Whether ONNX defines an operator by simpler ones."""
        defs = library().defs
        try:
            schema: Any = defs.get_schema(operator, self.opset, "")
        except defs.SchemaError:
            return False
        return bool(schema.has_function or schema.has_context_dependent_function)

    def operator_name(self, node: Any) -> str:
        """An operator with its domain and version, for a message."""
        version = self.opsets.get(node.domain, self.opset if node.domain in DOMAINS else 0)
        return f"{node.domain or 'ai.onnx'}.{node.op_type} of opset {version}"


def read_source(model: Any, folder: Any = None) -> Source:
    """The model in a file, in bytes, or given as onnx's ModelProto."""
    proto, name = library().ModelProto, "model"
    folder = None if folder is None else Path(folder)
    if isinstance(model, str | os.PathLike):
        name, model = str(model), Path(model).read_bytes()
    if isinstance(model, bytes):
        try:
            model = parsed(proto(), model)
        except ValueError as error:
            raise GraphFormatError(f"{name} is not an ONNX model: {error}") from error
    if not isinstance(model, proto):
        raise TypeError(f"load takes a path, bytes or a ModelProto, not {type(model).__name__}")
    source = Source(model, name, folder)
    require_versions(source)
    return source


def require_versions(source: Source) -> None:
    """Refuse what is no model, and opsets that are newer than the package onnx."""
    model, newest = source.model, library().defs.onnx_opset_version()
    if not model.HasField("graph") or not model.ir_version:
        raise GraphFormatError(f"{source.name} is not an ONNX model: it has no graph or no version")
    if not model.opset_import and model.ir_version >= 3:
        raise GraphFormatError(f"{source.name} does not say which opset it uses")
    if source.opset > newest:
        raise GraphFormatError(
            f"{source.name} uses opset {source.opset}; the package onnx knows opsets up to {newest}"
        )
    for kind, names in (
        ("inputs", [v.name for v in model.graph.input]),
        ("outputs", source.outputs),
    ):
        if len(set(names)) < len(names) or not all(names):
            raise GraphFormatError(f"{source.name} has {kind} without names or of one name")
