"""Definitions of Python objects as source text, with all that they need.

Note [Definitions]. A kernel is a NumPy function, called by its name, or a function of ours.
That is defined by its own source, without annotations. So is every function, class and table that
it refers to, each once, before what needs it. An op among them is its kernel. A function made by
another function is defined with the values that it closes over in place of their names.
"""

import ast
import builtins
import contextvars
import decimal
import functools
import keyword
import sys
import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from gradops import OPS, Op
from gradops.core import dims, errors, float_errors
from gradops.core.traits import Trait

from . import function_source as sources
from .origins import home, is_copied, is_copied_function, numpy_name, require_available
from .renaming import Renaming, local_imports, names_of_defaults

SMALL = 32  # entries up to which an array is written out
PLAIN = (bool, int, str, bytes, types.NoneType, types.EllipsisType)
SAME = {  # objects for which a module has others
    id(dims.product): "math.prod",
    id(float_errors.HANDLING): "None",  # so np.errstate, by which NumPy's own object was found
}
ERROR = '''class {name}({base}):
    """{doc}"""

    def __init__(self, *parts, **more):
        super().__init__(": ".join(str(p) for p in (*parts, *more.values()) if p))
'''


class Definitions:
    """The definitions of a module, in order, and names for the objects that they define."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken | {*dir(builtins), *keyword.kwlist, "np", "math"}
        self.texts: list[str] = []
        self.imports: dict[str, None] = {"import numpy as np": None}
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.names: dict[int, str] = {}
        self.kept: list[Any] = []  # so that no id is used twice

    def reference(self, value: Any, wanted: str = "table") -> str:
        """An expression for an object, which is defined if it has to be.

        Raises OptionError for one that has no source, or that needs more than NumPy.
        """
        value = getattr(value, "by_numpy", value)  # of a native kernel, that by NumPy
        if id(value) in SAME:
            self.imports["import math"] = None
            return SAME[id(value)]
        if id(value) in self.names:
            return self.names[id(value)]
        if type(value) in PLAIN:
            return repr(value)
        for kind, write in WRITERS:
            if isinstance(value, kind):
                return write(self, value, wanted)
        return self.instance(value, wanted)

    def name(self, value: Any, wanted: str) -> str:
        """A name for an object that is defined."""
        first = name = wanted.lstrip("_") or "value"
        count = 1
        while name in self.taken:
            count += 1
            name = f"{first}_{count}" if count > 2 else f"{first}_"
        self.taken.add(name)
        self.kept.append(value)
        self.names[id(value)] = name
        return name

    def number(self, value: Any, wanted: str) -> str:
        """A Python or NumPy number."""
        if not isinstance(value, np.generic):
            if isinstance(value, complex):  # there may be a kernel called so
                return f"np.complex128({str(value)!r}).item()"
            return repr(value) if np.isfinite(value) else f"float({str(value)!r})"
        return f"np.{value.dtype.type.__name__}({self.number(value.item(), wanted)})"

    def decimal(self, value: Any, wanted: str) -> str:
        """A number of many digits."""
        self.imports["import decimal"] = None
        return f"decimal.{value!r}"

    def array(self, value: Any, wanted: str) -> str:
        """An array: a small one written out, another from the file of arrays."""
        name = self.name(value, wanted)
        kind = value.dtype.kind  # the parts of complex numbers lose the signs of zeros
        is_finite = kind != "c" and (kind != "f" or bool(np.isfinite(value).all()))
        if 0 < value.size <= SMALL and is_finite and value.flags.c_contiguous:
            text = f"np.array({value.tolist()!r}, {value.dtype.name!r})"
        elif 0 < value.size <= SMALL and is_finite and value.flags.f_contiguous:
            text = f"np.array({value.T.tolist()!r}, {value.dtype.name!r}).T"
        else:
            self.arrays[name] = value
            text = f"ARRAYS[{name!r}]"
        self.texts.append(f"{name} = {text}\n")
        return name

    def collection(self, value: Any, wanted: str) -> str:
        """A table: a list, dict or set is an object of its own, a tuple is written in place."""
        if hasattr(value, "_fields"):
            return self.instance(value, wanted)
        if value is OPS:
            return self.views(wanted)
        if isinstance(value, dict):
            pairs = [
                (self.reference(k, wanted), self.reference(v, wanted)) for k, v in value.items()
            ]
            text = "{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}"
        else:
            idle = [v for v in value if isinstance(v, np.random.Generator)]  # a pool: made anew
            parts = [self.reference(v, wanted) for v in value if v not in idle]
            if isinstance(value, tuple):
                return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
            text = f"[{', '.join(parts)}]"
            if isinstance(value, set | frozenset):
                text = f"{type(value).__name__}({text})"
        name = self.name(value, wanted)
        self.texts.append(f"{name} = {text}\n")
        return name

    def views(self, wanted: str) -> str:
        """The table of ops, of which a kernel may look up views."""
        kernels = {
            op.name: op.kernel for op in OPS.values()
            if Trait.VIEW in op.traits and Trait.CONTROL not in op.traits
        }  # fmt: skip
        self.kept.append(kernels)
        self.names[id(OPS)] = result = self.collection(kernels, "views")
        return result

    def dtype(self, value: Any, wanted: str) -> str:
        """A dtype."""
        return f"np.dtype({value.name!r})"

    def module(self, value: Any, wanted: str) -> str:
        """A module of NumPy or of Python's library."""
        if value is np:
            return "np"
        name = value.__name__
        require_available(name)
        self.imports[f"import {name}"] = None
        return str(name)

    def callable_of_library(self, value: Any, wanted: str) -> str:
        """A function, ufunc or method of NumPy or of Python's library."""
        name = value.__name__
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            return f"{self.reference(owner, wanted)}.{name}"
        return numpy_name(value, name) or self.imported(value, home(value, name), name)

    def imported(self, value: Any, module: str, name: str) -> str:
        """A reference to what a module of NumPy or of Python's library has."""
        if module == "builtins":
            return name
        require_available(module)
        self.imports[f"import {module}"] = None
        return f"{module}.{name}"

    def cached(self, value: Any, wanted: str) -> str:
        """A function whose results are cached."""
        if isinstance(value.__wrapped__, types.FunctionType) and not is_copied_function(
            value.__wrapped__
        ):
            return self.callable_of_library(value, wanted)
        name = self.name(value, getattr(value.__wrapped__, "__name__", wanted))
        inner = self.reference(value.__wrapped__, name)
        self.imports["import functools"] = None
        size = value.cache_parameters()["maxsize"]
        self.texts.append(f"{name} = functools.lru_cache({size})({inner})\n")
        return name

    def partial(self, value: Any, wanted: str) -> str:
        """A function with some of its arguments."""
        self.imports["import functools"] = None
        parts = [self.reference(value.func, wanted)]
        parts += [self.reference(a, wanted) for a in value.args]
        parts += [f"{k}={self.reference(v, k)}" for k, v in value.keywords.items()]
        return f"functools.partial({', '.join(parts)})"

    def function(self, value: Any, wanted: str) -> str:
        """A function of ours, by its source; another by its name."""
        if not is_copied_function(value):
            return self.callable_of_library(value, wanted)
        own = value.__name__
        name = self.name(value, wanted if own == "<lambda>" or own.startswith("_") else own)
        scope = value.__globals__ | sources.closure_of(value)
        used = sources.global_names(value.__code__) | {*value.__code__.co_freevars}
        node = self.resolved(sources.function_node(value), scope, used, scope["__name__"])
        node.name = name
        self.texts.append(sources.text_of(node) + "\n")
        return name

    def resolved(self, node: Any, scope: dict[str, Any], used: set[str], module: str) -> Any:
        """The source of a function or class, in which names are those of this module."""
        replaced: dict[str, str] = {}
        owners: dict[str, Any] = {}
        node = sources.without_annotations(node)
        used = used | names_of_defaults(node)
        for name, value in local_imports(node, module).items():
            replaced[name] = self.reference(value, name)
        for each in ast.walk(node):
            if not isinstance(each, ast.Name) or each.id not in used & scope.keys():
                continue
            value = scope[each.id]
            if has_parts(value):
                owners[each.id] = value
            elif each.id not in replaced:
                replaced[each.id] = self.reference(value, each.id)
        return Renaming(self.reference, replaced, owners).visit(node)

    def union(self, value: Any, wanted: str) -> str:
        """Several classes."""
        return " | ".join(self.reference(t, wanted) for t in value.__args__)

    def type(self, value: Any, wanted: str) -> str:
        """A class: of NumPy, of Python's library, or by its source."""
        name: str = value.__name__
        if not is_copied(value.__module__):
            if getattr(np, name, None) is value:
                return f"np.{name}"
            return self.imported(value, value.__module__, value.__qualname__)
        name = self.name(value, name)
        if value is dims.Dim:
            self.texts.append(f'class {name}:\n    """An unknown size; here, there is none."""\n')
        elif issubclass(value, Exception):
            if issubclass(value, errors.MissingExtraError):
                raise errors.OptionError("to_python", [], "it needs SciPy, not NumPy alone")
            base = next(c for c in value.__mro__ if c.__module__ == "builtins")
            doc = (value.__doc__ or "An error.").partition("\n")[0]
            self.texts.append(ERROR.format(name=name, base=base.__name__, doc=doc))
        else:
            scope = vars(sys.modules[value.__module__])
            node = sources.class_node(value)
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            names -= {value.__name__}
            node = self.resolved(node, scope, names, value.__module__)
            self.texts.append(sources.text_of(node) + "\n")
        return name

    def operation(self, value: Any, wanted: str) -> str:
        """An op is its kernel."""
        return self.reference(value.kernel, value.name)

    def variable(self, value: Any, wanted: str) -> str:
        """A context variable."""
        name = self.name(value, wanted)
        self.imports["import contextvars"] = None
        self.texts.append(f"{name} = contextvars.ContextVar({value.name!r}, default=None)\n")
        return name

    def instance(self, value: Any, wanted: str) -> str:
        """An instance of a class of ours that has nothing but fields."""
        if isinstance(value, dims.Dim):
            return f"{self.reference(dims.Dim)}()"
        if is_dataclass(value):
            parts = {f.name: getattr(value, f.name) for f in fields(value)}
        elif hasattr(value, "_asdict"):
            parts = value._asdict()
        else:
            raise errors.OptionError("to_python", [], f"{value!r} has no source")
        kind = self.reference(type(value))
        shown = ", ".join(f"{k}={self.reference(v, k)}" for k, v in parts.items())
        name = self.name(value, wanted)
        self.texts.append(f"{name} = {kind}({shown})\n")
        return name


def has_parts(value: Any) -> bool:
    """True for what is written where its parts are used: an op, all ops, a module of ours."""
    if isinstance(value, types.ModuleType):
        return is_copied(value.__name__)
    return isinstance(value, Op) or value is OPS


Writer = Callable[[Definitions, Any, str], str]
DISPATCHER = type(np.where)
WRITERS: tuple[tuple[Any, Writer], ...] = (
    (Op, Definitions.operation),
    (float | complex | np.generic, Definitions.number),
    (np.ndarray, Definitions.array),
    (decimal.Decimal, Definitions.decimal),
    (np.dtype, Definitions.dtype),
    (types.ModuleType, Definitions.module),
    (dict | list | tuple | set | frozenset, Definitions.collection),
    (functools.partial, Definitions.partial),
    (type(functools.lru_cache(len)), Definitions.cached),
    (types.FunctionType, Definitions.function),
    (np.ufunc | types.BuiltinFunctionType | DISPATCHER, Definitions.callable_of_library),
    (types.UnionType, Definitions.union),
    (type, Definitions.type),
    (contextvars.ContextVar, Definitions.variable),
)
