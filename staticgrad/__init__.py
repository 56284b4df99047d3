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

from gradops import ArrayType, Dim, GrowthWarning, UnreachedWarning
from gradops.core.lazy_import import lazily as _lazily

from . import linalg, nn, random, signal
from .build.effects import (
    Assert,
    Print,
    check_numerics,
    control_dependencies,
    global_variables_initializer,
    group,
    no_op,
    variables_initializer,
)
from .build.graph import (
    Graph,
    add_to_collection,
    get_collection,
    get_default_graph,
    global_variables,
    name_scope,
    reset_default_graph,
    trainable_variables,
)
from .build.inputs import (
    Variable,
    constant,
    placeholder,
    placeholder_with_default,
    set_default_dtype,
)
from .build.tracing import trace
from .control.branches import case, cond, switch
from .control.custom_gradient import custom_gradient, grad_clip, grad_scale
from .control.loops import foldl, fori, map, map_accumulate, scan, while_loop
from .freezing.freezer import freeze
from .functions.traced_function import Function, function
from .ir.expr import Expr
from .ir.graph import FrozenGraph
from .ir.verify import verify
from .missing_names import missing as _missing
from .ops.distributions import multinomial, random_crop, random_gamma, random_poisson
from .ops.random import (
    random_bernoulli,
    random_key,
    random_normal,
    random_shuffle,
    random_uniform,
    set_random_seed,
    truncated_normal,
)
from .ops.spelling import FUNCTIONS as _FUNCTIONS
from .ops.tensorflow_names import DTYPES as _DTYPES
from .passes.rewrite import Rule
from .runtime.executable import Executable, compile
from .runtime.interpreter import interpret
from .runtime.session import Session
from .text.printer import to_text
from .transform.reverse import gradients

globals().update(
    _FUNCTIONS | _DTYPES
)  # one table says which ops there are under TensorFlow's names

if _TYPE_CHECKING:
    from . import array_api, initializers, layers, train
    from .export.as_json import to_json
    from .export.dot import to_dot
    from .export.explaining import explain
    from .export.mermaid import to_mermaid
    from .export.networkx import to_networkx
    from .export.saving import load, save
    from .ir.graph import replay
    from .runtime.check import check
    from .scipy_solvers import scipy
    from .text.parser import parse
    from .train.clipping import clip_by_global_norm, clip_by_norm, global_norm
    from .transform.forward import hvp, jvp, vjp
    from .transform.importing import import_graph
    from .transform.jacobian import hessian, jacobian
    from .transform.surgery import extract, replace, wrap
    from .transform.unconnected import why_none

_INITIALIZERS = [
    f"{name}_initializer"
    for name in (
        "constant", "glorot_normal", "glorot_uniform", "ones", "random_normal", "random_uniform",
        "truncated_normal", "variance_scaling", "zeros",
    )
]  # fmt: skip
__getattr__ = _lazily(
    __name__,
    {
        "array_api": "array_api", "check": "runtime.check",
        "clip_by_global_norm": "train.clipping", "clip_by_norm": "train.clipping",
        "explain": "export.explaining", "extract": "transform.surgery",
        "global_norm": "train.clipping", "hessian": "transform.jacobian",
        "hvp": "transform.forward", "import_graph": "transform.importing",
        "initializers": "initializers", "jacobian": "transform.jacobian",
        "jvp": "transform.forward", "layers": "layers", "load": "export.saving",
        "parse": "text.parser", "replace": "transform.surgery", "replay": "ir.graph",
        "save": "export.saving", "scipy": "scipy_solvers", "to_dot": "export.dot",
        "to_json": "export.as_json", "to_mermaid": "export.mermaid",
        "to_networkx": "export.networkx", "train": "train", "vjp": "transform.forward",
        "why_none": "transform.unconnected", "wrap": "transform.surgery",
    }
    | dict.fromkeys(_INITIALIZERS, "initializers"),
    _missing,
)  # fmt: skip


# Methods of expressions and graphs that need what is built on top of their classes.


def _array_namespace(self: Expr, *, api_version: str | None = None) -> object:
    from gradops.array_api import require_version

    from . import array_api

    require_version(api_version)
    return array_api


def _text(self: FrozenGraph) -> str:
    return to_text(self)


def _reduced(self: FrozenGraph) -> tuple[object, ...]:
    from .text.parser import parse

    return parse, (to_text(self), None, float("inf"))


for _class, _name, _method in (
    (Expr, "__array_namespace__", _array_namespace),
    (FrozenGraph, "__str__", _text),
    (FrozenGraph, "__reduce__", _reduced),
):
    setattr(_class, _name, _method)

map_fn, switch_case, newaxis = map, switch, None  # as TensorFlow calls them
spectral = signal  # as it called it before

__all__ = [
    "ArrayType",
    "Assert",
    "Print",
    "add_to_collection",
    "array_api",
    "case",
    "check",
    "check_numerics",
    "clip_by_global_norm",
    "clip_by_norm",
    "cond",
    "control_dependencies",
    "custom_gradient",
    "foldl",
    "fori",
    "get_collection",
    "grad_clip",
    "grad_scale",
    "global_norm",
    "global_variables",
    "global_variables_initializer",
    "group",
    "map",
    "map_accumulate",
    "map_fn",
    "no_op",
    "scan",
    "signal",
    "scipy",
    "switch",
    "switch_case",
    "while_loop",
    "Dim",
    "Executable",
    "Expr",
    "FrozenGraph",
    "Function",
    "Graph",
    "GrowthWarning",
    "Rule",
    "Session",
    "Variable",
    "compile",
    "constant",
    "explain",
    "extract",
    "freeze",
    "function",
    "get_default_graph",
    "gradients",
    "hessian",
    "hvp",
    "import_graph",
    "initializers",
    "interpret",
    "jacobian",
    "jvp",
    "layers",
    "linalg",
    "load",
    "name_scope",
    "newaxis",
    "nn",
    "parse",
    "placeholder",
    "placeholder_with_default",
    "multinomial",
    "random",
    "random_crop",
    "random_gamma",
    "random_poisson",
    "random_bernoulli",
    "random_key",
    "random_normal",
    "random_shuffle",
    "random_uniform",
    "replace",
    "replay",
    "reset_default_graph",
    "save",
    "set_default_dtype",
    "set_random_seed",
    "to_dot",
    "to_json",
    "to_mermaid",
    "to_networkx",
    "to_text",
    "trace",
    "UnreachedWarning",
    "train",
    "trainable_variables",
    "truncated_normal",
    "variables_initializer",
    "verify",
    "vjp",
    "why_none",
    "wrap",
]
__all__ = sorted([*__all__, *_FUNCTIONS, *_DTYPES, *_INITIALIZERS])
