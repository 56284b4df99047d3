"""The objects a function may read from outside: tensors, arrays, containers, and their names.

Note [Surroundings]. The search begins with the function and those of its arguments that are not
values, and follows what Python code can follow: closures, defaults, the globals that code names,
bound objects, the attributes of objects, containers, and the functions found in them. It does not
enter NumPy, the standard library and this library, whose code keeps nothing between calls.
"""

import builtins
import functools
import gc
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from gradops import GraphError
from gradops.core.source_location import OURS
from gradops.core.tracer_protocol import is_holder

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from .graph import Graph

MANY = 1_000_000  # objects after which a search gives up
DATA: tuple[type, ...] = (bool, int, float, complex, str, bytes, type(None), np.generic)
SKIPPED = (*DATA, CodeType, Expr, Graph, FrozenGraph)
HEAP_TYPE = 1 << 9  # of the flags of a type: it was made while the program ran
ENTERED = frozenset({"dynamicgrad", "types", "collections"})  # whose objects hold the user's
SHORTENED = ("._parameters", "._buffers", "._modules", ".__dict__")

Named = tuple[str, Any]
"""An object with the name under which it was found."""

Container = dict[Any, Any] | list[Any] | deque[Any]


@functools.cache
def generators() -> tuple[type, ...]:
    """The types of random number generators, whose modules are slow to import."""
    import random

    return np.random.Generator, np.random.RandomState, random.Random


class Surroundings:
    """The result of a search: holders and arrays by their ids, and objects to guard."""

    def __init__(self, roots: Iterable[Named]) -> None:
        self.holders: dict[int, tuple[str, Any]] = {}
        self.bases: dict[int, Any] = {}
        self.arrays: dict[int, tuple[str, np.ndarray]] = {}
        self.kept: list[
            tuple[str, dict[object, object]]
        ] = []  # dicts that a program must not change
        self.containers: list[tuple[str, Container, bool]] = []  # True for attributes of an object
        self.sets: list[set[object]] = []
        self.generators: list[tuple[str, Any]] = []
        self.classes: list[tuple[type, dict[str, object]]] = []
        self.cells: list[tuple[str, CellType]] = []
        self.globals: list[tuple[dict[str, object], str]] = []
        self.attributes: set[str] = {"training"}
        self.seen: dict[int, object] = {}
        stack = [(name, x) for name, x in roots]
        while stack:
            name, x = stack.pop()
            if isinstance(x, SKIPPED) or id(x) in self.seen:
                continue
            self.seen[id(x)] = x
            if len(self.seen) > MANY:
                raise GraphError(
                    f"a traced function can reach more than {MANY:,} objects, so that it cannot be"
                    " told what it reads\n  hint: pass it what it needs as arguments"
                )
            stack += self.visit(name, x)
        if "random" in self.attributes:
            import random

            self.generators += [("numpy.random", np.random), ("random", random)]

    def visit(self, name: str, x: Any) -> Iterable[Named]:
        """Note `x`, and return the objects it refers to."""
        if isinstance(x, type):
            return self.members_of(x)
        if is_holder(x):
            return self.holder(name, x)
        if isinstance(x, np.ndarray):
            self.arrays[id(x)] = name, x
            return ()
        if hasattr(x, "__gradop_stateful__"):
            self.kept += [(f"{name}.{n}", each) for n, each in x.__gradop_kept__()]
            return ((f"{name}.{n}", t) for n, t in x.__gradop_stateful__())
        if isinstance(x, FunctionType):
            return self.function(x)
        if isinstance(x, MethodType):
            return [(name, x.__func__), (first_parameter(x.__func__, name), x.__self__)]
        if isinstance(x, functools.partial):
            return [(name, x.func), *numbered(name, x.args), *x.keywords.items()]
        if isinstance(x, ModuleType):
            return ()
        return self.plain_object(name, x)

    def members_of(self, cls: type) -> Iterator[Named]:
        """The members of a user's class and of its bases."""
        for each in cls.__mro__:
            if not is_foreign(each):
                self.classes.append((each, dict(vars(each))))
                for name, x in vars(each).items():
                    if not name.startswith("__") or isinstance(x, FunctionType):
                        yield f"{each.__name__}.{name}", getattr(x, "__func__", x)

    def holder(self, name: str, x: Any) -> Iterable[Named]:
        """Note a holder, after its base if it is a view."""
        base = x.__gradop_kind__.base(x)
        if base is not None and id(base) not in self.seen:
            self.seen[id(base)] = base
            self.holders[id(base)] = f"{short_name(name)} (base)", base
        self.bases[id(x)] = base
        self.holders[id(x)] = short_name(name), x
        return ()

    def function(self, fn: FunctionType) -> Iterable[Named]:
        """Its closure and defaults; for a user's function, also the globals it names."""
        ours = OURS[fn.__code__.co_filename]
        if ours and hasattr(fn, "spells"):
            return ()  # the function of an op, which keeps nothing but caches
        result: list[Named] = []
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
            self.cells.append((name, cell))
            result += [(name, x) for x in cell_values(cell)]
        result += numbered(f"{fn.__name__}.default", fn.__defaults__ or ())
        result += (fn.__kwdefaults__ or {}).items()
        result += vars(fn).items()
        if ours:
            return result
        names = names_in(fn.__code__)
        self.attributes |= names
        for name in sorted(names & fn.__globals__.keys()):
            x = fn.__globals__[name]
            if isinstance(x, ModuleType):
                result += module_attributes(name, x, names)
            else:
                self.globals.append((fn.__globals__, name))
                result.append((name, x))
        return result

    def plain_object(self, name: str, x: object) -> Iterable[Named]:
        """Note a container or the attributes of an object, and return their values."""
        if isinstance(x, dict):
            self.containers.append((name, x, False))
            return entries(name, x)
        if isinstance(x, list | deque):
            self.containers.append((name, x, False))
            return numbered(name, x)
        if isinstance(x, tuple | frozenset | set):
            self.sets += [x] if isinstance(x, set) else []
            return numbered(name, x)
        if isinstance(x, generators()):
            self.generators.append((name, x))
            return ()
        if isinstance(x, Iterator):
            self.generators.append((name, x))
            return slots_of(name, x, None)
        return self.attributes_of(name, x)

    def attributes_of(self, name: str, x: object) -> Iterable[Named]:
        """Note the attributes of an object of a user's class or of this library's modules."""
        cls, own = type(x), getattr(x, "__dict__", None)
        foreign = is_foreign(cls)
        result: list[Named] = [] if foreign else [(name, cls)]
        if hasattr(x, "__wrapped__"):
            result.append((name, x.__wrapped__))
        if foreign and root(cls.__module__) not in ENTERED:
            return result
        if isinstance(own, dict) and id(own) not in self.seen:
            self.seen[id(own)] = own
            self.containers.append((name, own, not has_foreign_base(cls)))
            result += entries(name, own)
        return result if foreign else [*result, *slots_of(name, x, own)]


def cell_values(cell: CellType) -> list[object]:
    """The value in a cell of a closure, as a list that is empty while there is none."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def first_parameter(fn: object, name: str) -> str:
    """The name of `self` in a method."""
    code = getattr(fn, "__code__", None)
    return code.co_varnames[0] if code is not None and code.co_argcount else name


def numbered(name: str, values: Iterable[object]) -> list[Named]:
    """Entries of a sequence, named by their indices."""
    return [(f"{name}[{i}]", x) for i, x in enumerate(values)]


def short_name(name: str) -> str:
    """The name of a parameter as users write it, without the dicts of a module."""
    for part in SHORTENED:
        name = name.replace(part, "")
    return name


def entries(name: str, x: Mapping[Any, object]) -> list[Named]:
    """The values of a dict, named by their keys."""
    return [(f"{name}.{k}" if isinstance(k, str) else f"{name}[{k!r}]", v) for k, v in x.items()]


def slots_of(name: str, x: object, own: object) -> list[Named]:
    """The objects that `x` refers to, other than classes and `own`, the dict of its attributes.

    From Python 3.13 on an object refers to the values in that dict itself.
    """
    named = {id(own), *map(id, own.values())} if isinstance(own, dict) else {id(own)}
    return [
        (name, y) for y in gc.get_referents(x) if id(y) not in named and not isinstance(y, type)
    ]


def has_foreign_base(cls: type) -> bool:
    """True if code that is not searched may read attributes, as the methods of a layer do."""
    bases = [c for c in cls.__mro__ if is_foreign(c)]
    return any(c.__name__ not in ("object", "Module", "Generic", "Protocol") for c in bases)


def root(module: object) -> str:
    """The top-level package of a module."""
    return str(module).partition(".")[0]


def is_foreign(cls: type) -> bool:
    """True for a class defined in this library, NumPy or the standard library."""
    module = sys.modules.get(cls.__module__)
    if module is None or module is builtins:
        return not cls.__flags__ & HEAP_TYPE
    return cls.__module__ in sys.builtin_module_names or is_library_module(module)


def is_library_module(module: ModuleType) -> bool:
    """True for a module of this library, NumPy or the standard library."""
    filename = getattr(module, "__file__", None)
    return filename is not None and OURS[filename]


@functools.lru_cache(maxsize=1024)
def names_in(code: CodeType) -> frozenset[str]:
    """The names of globals and attributes in code and in the functions inside it."""
    result = set(code.co_names)
    for x in code.co_consts:
        if isinstance(x, CodeType):
            result |= names_in(x)
    return frozenset(result)


def module_attributes(name: str, module: ModuleType, names: Iterable[str]) -> list[Named]:
    """The attributes of a user's module that code names, and so may read."""
    if is_library_module(module):
        return []
    own = vars(module)
    return [(f"{name}.{n}", own[n]) for n in names
            if n in own and not isinstance(own[n], ModuleType)]  # fmt: skip
