"""A model that was read: a graph, with inputs and outputs in the model's order; callable."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from gradops import FeedError, ValueUnknownError

from ...build.graph import Graph
from ...build.inputs import Variable
from ...build.suggest import nearest
from ...freezing.freezer import freeze
from ...ir.expr import Expr
from ...ir.graph import FrozenGraph
from ...runtime.compilation import compile
from ...runtime.session import Session
from .graph_builder import Built, Choices, build
from .source import Source

Key = tuple[Any, ...]


@dataclass(eq=False)
class ImportedModel:
    """An ONNX model as a graph.

    `graph` is a graph under construction, in which gradients can be built; `inputs` are its
    placeholders and `outputs` its expressions, in the model's order. A call takes arrays, in this
    order or by name, and returns the outputs as a tuple; it compiles the graph when it is first
    called, with the given `options` of `compile`.

    The shapes in a graph may depend on the values of inputs, as where a model reshapes to a fed
    vector: then there is a graph for each choice of these values, which calls build and keep, and
    `specialize` gives that of known values.
    """

    source: Source
    choices: Choices
    options: Mapping[str, Any]
    compiled: dict[Key, Callable[..., Any]] = field(default_factory=dict)
    lock: Any = field(default_factory=Lock)
    deciding: dict[str, None] = field(default_factory=dict)

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the inputs, in the model's order."""
        return tuple(name for name in self.source.inputs if name not in self.choices.values)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the outputs, in the model's order."""
        return tuple(self.source.outputs)

    @cached_property
    def built(self) -> Built:
        """The graph; raises ValueUnknownError where it depends on the values of inputs."""
        found = build(self.source, self.choices)
        if isinstance(found, Built):
            return found
        self.deciding.update(dict.fromkeys(found))
        names = ", ".join(found)
        raise ValueUnknownError(
            f"the shapes in the model depend on the values of {names}"
            f"\n  hint: give them, specialize({{{found[0]!r}: ...}}), or call the model"
        )

    @property
    def graph(self) -> Graph:
        """The graph under construction."""
        return self.built.graph

    @property
    def inputs(self) -> list[Expr]:
        """The placeholders, in the model's order."""
        return list(self.built.inputs.values())

    @property
    def outputs(self) -> list[Expr]:
        """The expressions of the outputs, in the model's order."""
        return list(self.built.outputs)

    @property
    def variables(self) -> list[Variable]:
        """The variables that initializers have become: those that `trainable` asked for."""
        return list(self.built.variables)

    def freeze(self) -> FrozenGraph:
        """The frozen graph from the inputs to the outputs, which have their descriptions."""
        labels = tuple(v.doc_string or v.name for v in self.source.model.graph.output)
        return replace(freeze(self.outputs, self.inputs), labels=labels)

    def specialize(
        self, values: Mapping[str, Any] | None = None,
        shapes: Mapping[str, Sequence[Any]] | None = None,
    ) -> "ImportedModel":  # fmt: skip
        """The model with the values of some inputs known, and shapes of others refined."""
        choices = self.choices.refined(self.source, values or {}, shapes or {})
        return ImportedModel(self.source, choices, self.options)

    def __call__(self, *args: Any, **named: Any) -> tuple[Any, ...]:
        feeds = self.feeds_of(args, named)
        while True:
            key = self.key_of(feeds)
            with self.lock:
                run = self.compiled.get(key)
                if run is None:
                    run = self.executable_for(feeds)
                    if run is None:
                        continue  # with more inputs that decide
                    self.compiled[key] = run
            return tuple(run(*[x for name, x in feeds.items() if name not in self.deciding]))

    def key_of(self, feeds: Mapping[str, Any]) -> Key:
        """What decides which graph runs: the values of some inputs, the ranks of others."""
        deciding = [np.asarray(feeds[name]) for name in self.deciding]
        values = [(x.dtype.str, x.shape, x.tobytes()) for x in deciding]
        return (*values, *(np.ndim(feeds[name]) for name in self.source.unranked))

    def executable_for(self, feeds: Mapping[str, Any]) -> Callable[..., Any] | None:
        """The compiled graph for feeds; None after it was found that more of them decide."""
        if not self.deciding and not self.source.unranked:
            try:
                built: Any = self.built
            except ValueUnknownError:
                return None
        else:
            values = {name: feeds[name] for name in self.deciding}
            shapes = {name: (None,) * np.ndim(feeds[name]) for name in self.source.unranked}
            built = build(self.source, self.choices.refined(self.source, values, shapes))
            if not isinstance(built, Built):
                self.deciding.update(dict.fromkeys(built))
                return None
        return self.run_of(built)

    def run_of(self, built: Built) -> Callable[..., Any]:
        """A function that runs a graph: compiled, or in a session where it has state."""
        outputs, inputs = list(built.outputs), list(built.inputs.values())
        if not built.graph.variables and built.graph.run_number is None:
            return compile(outputs, inputs, **self.options)
        session = Session(built.graph, **self.options)
        return lambda *feeds: session.run(outputs, dict(zip(inputs, feeds, strict=True)))

    def feeds_of(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the inputs by name, in the model's order."""
        names = self.input_names
        if not named and len(args) == 1 and isinstance(args[0], Mapping):
            return self.feeds_of([], args[0])
        feeds = dict(zip(names, args, strict=False))
        if len(args) > len(names) or feeds.keys() & named.keys():
            raise FeedError(f"the model takes {', '.join(names) or 'no inputs'}")
        if unknown := named.keys() - set(names):
            name = min(unknown)
            raise FeedError(f"the model has no input {name!r}{nearest(name, names)}")
        feeds |= named
        if missing := [name for name in names if name not in feeds]:
            raise FeedError(f"no value for the inputs {', '.join(missing)}")
        return {name: feeds[name] for name in names}

    def __repr__(self) -> str:
        return f"<ImportedModel {self.source.name}: {len(self.source.model.graph.node)} nodes>"
