"""Define-then-run automatic differentiation on NumPy, with TensorFlow 1's names.

A program builds a graph with placeholders; its gradient is another part of the graph; the whole is
compiled and then run by feeding values.

>>> import staticgrad as sg
>>> x = sg.placeholder("float32", [None], name="x")
>>> y = sg.reduce_sum(x * x)
>>> (g,) = sg.gradients(y, x)
>>> sg.Session().run(g, {x: [1.0, 2.0]})
array([2., 4.], dtype=float32)
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from gradops import ArrayType, Dim, GrowthWarning, UnreachedWarning, UnverifiedWarning
from gradops.core.lazy_import import lazily as _lazily
from gradops.kernels.threads import get_num_threads, set_num_threads

from . import linalg, nn, random, signal
from .build import effects as _effects
from .build import graph as _graph
from .build import inputs as _inputs
from .build.effects import *
from .build.graph import *
from .build.inputs import *
from .control import function_methods as _function_methods
from .control.custom_gradient import custom_gradient, grad_clip, grad_scale
from .export import methods as _export_methods
from .ir.expr import Expr
from .ir.graph import FrozenGraph
from .missing_names import missing as _missing
from .ops import random as _random
from .ops.random import *
from .ops.spelling import FUNCTIONS as _FUNCTIONS
from .ops.tensorflow_names import DTYPES as _DTYPES
from .sparse import function_methods as _sparse_methods

globals().update(_FUNCTIONS | _DTYPES)  # one table says which ops TensorFlow's names mean

if _TYPE_CHECKING:
    from . import array_api, distributed, initializers, layers, onnx, passes, summary, train
    from .build.tracing import trace
    from .codegen.standalone.to_python import to_python
    from .comparison.compare import compare
    from .control.branches import case, cond, switch, switch_case
    from .control.loops import foldl, fori, map, map_accumulate, map_fn, scan, while_loop
    from .distributed.mapping import map_blocks
    from .export.explaining import explain
    from .export.formats import (
        from_json,
        to_dot,
        to_gexf,
        to_graphml,
        to_json,
        to_mermaid,
        to_networkx,
        to_svg,
        to_text,
    )
    from .export.pages import inspect
    from .export.saving import load, save
    from .freezing.freezer import freeze
    from .functions.traced_function import Function, function
    from .ir.graph import replay
    from .ir.verify import verify
    from .native import clear_cache
    from .ops.distributions import multinomial, random_crop, random_gamma, random_poisson
    from .passes.rewrite import Rule
    from .runtime.backends.choice import set_default_backend
    from .runtime.backends.interpreter import interpret
    from .runtime.checking.gradient import check
    from .runtime.compilation import compile
    from .runtime.executable import Executable
    from .runtime.session import Session
    from .scipy_solvers import scipy
    from .sparse.derivatives import sparsity
    from .sparse.functions import sparse_hessian, sparse_jacobian
    from .text.parser import parse
    from .train.clipping import clip_by_global_norm, clip_by_norm, global_norm
    from .transform.forward import hvp, jvp, vjp
    from .transform.importing import import_graph
    from .transform.jacobian import hessian, jacobian
    from .transform.reverse import gradients
    from .transform.surgery import extract, replace, wrap
    from .transform.unconnected import why_none

_INITIALIZERS = [
    f"{name}_initializer"
    for name in (
        "constant", "glorot_normal", "glorot_uniform", "ones", "random_normal", "random_uniform",
        "truncated_normal", "variance_scaling", "zeros",
    )
]  # fmt: skip
__getattr__, __dir__ = _lazily(
    __name__,
    {
        "array_api": "array_api", "distributed": "distributed", "layers": "layers", "onnx": "onnx",
        "passes": "passes", "summary": "summary",
        "train": "train", "build.tracing": "trace", "comparison.compare": "compare",
        "control.branches": "case cond switch switch_case",
        "control.loops": "foldl fori map map_accumulate map_fn scan while_loop",
        "distributed.mapping": "map_blocks", "export.explaining": "explain",
        "export.formats": "from_json to_dot to_gexf to_graphml to_json to_mermaid to_networkx"
        " to_svg to_text",
        "export.pages": "inspect",
        "codegen.standalone.to_python": "to_python",
        "export.saving": "load save", "freezing.freezer": "freeze",
        "functions.traced_function": "Function function",
        "native": "clear_cache",
        "initializers": " ".join(["initializers", *_INITIALIZERS]), "ir.graph": "replay",
        "ir.verify": "verify",
        "ops.distributions": "multinomial random_crop random_gamma random_poisson",
        "passes.rewrite": "Rule", "runtime.checking.gradient": "check",
        "runtime.compilation": "compile", "runtime.executable": "Executable",
        "runtime.backends.choice": "set_default_backend",
        "runtime.backends.interpreter": "interpret", "runtime.session": "Session",
        "sparse.derivatives": "sparsity", "sparse.functions": "sparse_hessian sparse_jacobian",
        "scipy_solvers": "scipy", "text.parser": "parse",
        "train.clipping": "clip_by_global_norm clip_by_norm global_norm",
        "transform.forward": "hvp jvp vjp", "transform.importing": "import_graph",
        "transform.jacobian": "hessian jacobian", "transform.reverse": "gradients",
        "transform.surgery": "extract replace wrap", "transform.unconnected": "why_none",
    },
    lambda name: _missing(name, places=_places),
)  # fmt: skip


def _places() -> dict[str, list[str]]:
    """The names in the modules where a name may be that is not here."""
    from . import layers, summary, train

    modules = {
        "nn": nn, "layers": layers, "train": train, "linalg": linalg, "random": random,
        "signal": signal, "summary": summary,
    }  # fmt: skip
    return {place: module.__all__ for place, module in modules.items()}


# Methods of expressions and graphs that need what is built on top of their classes.


def _array_namespace(self: Expr, *, api_version: str | None = None) -> object:
    from gradops.array_api import require_version

    from . import array_api

    require_version(api_version)
    return array_api


def _text(self: FrozenGraph) -> str:
    from .text.printer import to_text

    return to_text(self)


def _python(self: FrozenGraph, path: object) -> None:
    """Write the graph as a Python module with a function `run`, which needs only NumPy."""
    from .codegen.standalone.to_python import to_python

    to_python(self, path)  # type: ignore[arg-type]


def _difference(self: FrozenGraph, other: FrozenGraph) -> object:
    """The nodes that were added, removed and changed from this graph to another.

    Nodes are aligned by structure, whatever their names are. Printing the result shows the changes,
    `save` writes a page in HTML; it is false if there are none.

    >>> x = sg.placeholder("float32", [3], name="x")
    >>> a, b = (sg.freeze([sg.exp(f(x)) * 2], [x]) for f in (sg.sin, sg.cos))
    >>> print(a.diff(b))
    --- before
    +++ after
    - sin: float32[3] = sin(x) ...
    + cos: float32[3] = cos(x) ...
    ~   the op was sin and is cos
    1 changed; 4 nodes are the same
    """
    from .difference.diff import diff

    return diff(self, other)


def _inspect(
    self: FrozenGraph, path: object, *, title: str = "graph", beside: object = None
) -> None:
    """Write the graph as one HTML page, which needs no network. See `sg.inspect`."""
    from .export.pages import inspect

    inspect(self, path, title=title, beside=beside)  # type: ignore[arg-type]


def _inspect_built(
    self: _graph.Graph, path: object, *, title: str = "", beside: object = None
) -> None:
    """Write all that was built so far as one HTML page. See `sg.inspect`."""
    from .export.pages import inspect_built

    inspect_built(self, path, title=title, beside=beside)  # type: ignore[arg-type]


def _view(self: FrozenGraph) -> object:
    from .export.view import graph_view

    return graph_view(self)


def _reduced(self: FrozenGraph) -> tuple[object, ...]:
    from .text.parser import parse
    from .text.printer import to_text

    return parse, (to_text(self, arrays=True), None, float("inf"))


for _class, _name, _method in (
    (Expr, "__array_namespace__", _array_namespace),
    (FrozenGraph, "__str__", _text),
    (FrozenGraph, "diff", _difference),
    (FrozenGraph, "to_python", _python),
    (FrozenGraph, "__reduce__", _reduced),
    (FrozenGraph, "inspect", _inspect),
    (FrozenGraph, "__graph_view__", _view),
    (_graph.Graph, "inspect", _inspect_built),
):
    _method.__name__, _method.__qualname__ = _name, f"{_class.__name__}.{_name}"
    setattr(_class, _name, _method)

for _kind in (FrozenGraph, _graph.Graph):
    _export_methods.add_formats(_kind)
    _export_methods.add_display(_kind, "mimebundle")

newaxis = None
spectral = signal  # as it was called before

__all__ = [
    "ArrayType", "Dim", "Executable", "Expr", "FrozenGraph", "Function", "GrowthWarning", "Rule",
    "Session", "UnreachedWarning", "UnverifiedWarning", "array_api", "case", "check", "clear_cache",
    "clip_by_global_norm", "clip_by_norm", "compare", "compile", "cond", "custom_gradient",
    "distributed", "explain", "extract", "foldl", "fori", "freeze", "from_json", "function",
    "get_num_threads", "global_norm", "grad_clip", "grad_scale", "gradients", "hessian", "hvp",
    "import_graph", "initializers", "inspect", "interpret", "jacobian", "jvp", "layers", "linalg",
    "load", "map", "map_accumulate", "map_blocks", "map_fn", "multinomial", "newaxis", "nn",
    "parse", "passes", "random", "random_crop", "random_gamma", "random_poisson", "replace",
    "replay", "save", "scan", "scipy", "set_default_backend", "set_num_threads", "signal",
    "sparse_hessian", "sparse_jacobian", "sparsity", "summary",
    "switch", "switch_case", "to_dot", "to_gexf", "to_graphml", "to_json", "to_mermaid",
    "to_networkx", "to_python", "to_svg", "to_text", "trace", "train", "verify", "vjp",
    "while_loop", "why_none", "wrap",
]  # fmt: skip
__all__ += [*_effects.__all__, *_graph.__all__, *_inputs.__all__, *_random.__all__]
__all__ = sorted([*__all__, *_FUNCTIONS, *_DTYPES, *_INITIALIZERS])
