"""What a function may read from outside: tensors, arrays, numbers and containers, and their names.

Note [Surroundings]. The search begins with the function and what it is given that is no value, and
goes where Python code can go: closures, defaults, the globals that code names, bound objects, the
attributes of objects, containers, and the functions that these lead to. It does not enter NumPy,
the standard library and this library, whose code keeps nothing between calls.
"""

import functools
import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from operator import attrgetter, call, is_, itemgetter
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from gradops import GraphError
from gradops.holding import is_holder
from gradops.places import OURS

from ..ir.expr import Expr
from ..ir.graph import FrozenGraph
from .graph import Graph

MANY = 1_000_000  # objects after which a search gives up
DATA = (bool, int, float, complex, str, bytes, type(None), np.generic)
SKIPPED = (*DATA, type, CodeType, Expr, Graph, FrozenGraph)
FOREIGN = frozenset({"numpy", "gradops", "staticgrad", "dynamicgrad", *sys.stdlib_module_names}
                    - {"__main__"})  # fmt: skip
SHORTENED = ("._parameters", "._buffers", "._modules", ".__dict__")
contents = attrgetter("cell_contents")


class Surroundings:
    """What a search found: holders and arrays by their ids, and what to look at again."""

    def __init__(self, roots: Iterable[tuple[str, Any]]) -> None:
        self.holders: dict[int, tuple[str, Any]] = {}
        self.bases: dict[int, Any] = {}
        self.arrays: dict[int, tuple[str, np.ndarray[Any, Any]]] = {}
        self.stateful: dict[int, tuple[str, Any]] = {}
        self.containers: list[tuple[str, Any, bool]] = []  # and whether they are attributes
        self.cells: list[tuple[str, Any]] = []
        self.globals: list[tuple[dict[str, Any], str]] = []
        self.attributes: set[str] = set()
        self.seen: dict[int, Any] = {}
        stack = [(name, x) for name, x in roots]
        while stack:
            name, x = stack.pop()
            if isinstance(x, SKIPPED) or id(x) in self.seen:
                if isinstance(x, type):
                    stack += self.once(x, methods_of(x))
                continue
            self.seen[id(x)] = x
            if len(self.seen) > MANY:
                raise GraphError(
                    f"a traced function can reach more than {MANY:,} objects, so that it cannot be"
                    " told what it reads\n  hint: pass it what it needs as arguments"
                )
            stack += self.visit(name, x)

    def once(self, x: Any, found: Iterator[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """What `found` gives, the first time that `x` is met."""
        if id(x) in self.seen:
            return []
        self.seen[id(x)] = x
        return list(found)

    def visit(self, name: str, x: Any) -> Iterable[tuple[str, Any]]:
        """Note `x`, and give what it leads to."""
        if is_holder(x):
            return self.holder(name, x)
        if isinstance(x, np.ndarray):
            self.arrays[id(x)] = name, x
            return ()
        if hasattr(x, "__gradop_stateful__"):
            self.stateful[id(x)] = name, x
            return ((f"{name}.{n}", t) for n, t in x.__gradop_stateful__())
        if isinstance(x, FunctionType):
            return self.function(x)
        if isinstance(x, MethodType):
            return [(name, x.__func__), (first_parameter(x.__func__, name), x.__self__)]
        if isinstance(x, functools.partial):
            return [(name, x.func), *labelled(name, x.args), *x.keywords.items()]
        if isinstance(x, ModuleType):
            return ()
        return self.plain_object(name, x)

    def holder(self, name: str, x: Any) -> Iterable[tuple[str, Any]]:
        """Note a holder, after the one whose memory it shares."""
        base = x.__gradop_kind__.base(x)
        if base is not None and id(base) not in self.seen:
            self.seen[id(base)] = base
            self.holders[id(base)] = f"{shortened(name)} (base)", base
        self.bases[id(x)] = base
        self.holders[id(x)] = shortened(name), x
        return ()

    def function(self, fn: FunctionType) -> Iterable[tuple[str, Any]]:
        """Its closure and defaults; and, of code that is not the library's, the globals it names."""
        found: list[tuple[str, Any]] = []
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
            self.cells.append((name, cell))
            found += [(name, x) for x in cell_values(cell)]
        found += labelled(f"{fn.__name__}.default", fn.__defaults__ or ())
        found += (fn.__kwdefaults__ or {}).items()
        found += vars(fn).items()
        if is_foreign(fn.__module__) or OURS[fn.__code__.co_filename]:
            return found
        names = names_in(fn.__code__)
        self.attributes |= names
        for name in sorted(names & fn.__globals__.keys()):
            x = fn.__globals__[name]
            if isinstance(x, ModuleType):
                found += of_module(name, x, names)
            else:
                self.globals.append((fn.__globals__, name))
                found.append((name, x))
        return found

    def plain_object(self, name: str, x: Any) -> Iterable[tuple[str, Any]]:
        """Note a container or the attributes of an object, and give what is in them."""
        if isinstance(x, dict):
            self.containers.append((name, x, False))
            return ((f"{name}.{k}" if isinstance(k, str) else f"{name}[{k!r}]", v)
                    for k, v in x.items())  # fmt: skip
        if isinstance(x, list | tuple):
            if not isinstance(x, tuple):
                self.containers.append((name, x, False))
            return labelled(name, x)
        found: list[tuple[str, Any]] = [(name, type(x))]
        own = getattr(x, "__dict__", None)
        if isinstance(own, dict) and id(own) not in self.seen:
            self.seen[id(own)] = own
            self.containers.append((name, own, not is_foreign(type(x).__module__)))
            found += [(f"{name}.{k}", v) for k, v in own.items()]
        return found + [(name, y) for y in gc.get_referents(x) if y is not own]


def cell_values(cell: Any) -> list[Any]:
    """What a cell of a closure holds, if it holds something yet."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def first_parameter(fn: Any, name: str) -> str:
    """The name of `self` in a method."""
    code = getattr(fn, "__code__", None)
    return code.co_varnames[0] if code is not None and code.co_argcount else name


def labelled(name: str, values: Iterable[Any]) -> list[tuple[str, Any]]:
    """Entries of a sequence with their numbers."""
    return [(f"{name}[{i}]", x) for i, x in enumerate(values)]


def shortened(name: str) -> str:
    """The name under which a user knows a parameter: that of attributes, not of dicts in them."""
    for part in SHORTENED:
        name = name.replace(part, "")
    return name


def is_foreign(module: Any) -> bool:
    """Whether code of a module keeps nothing that a user could change."""
    return str(module).partition(".")[0] in FOREIGN


@functools.lru_cache(maxsize=1024)
def names_in(code: CodeType) -> frozenset[str]:
    """The names of globals and attributes in code, that of functions inside of it included."""
    found = set(code.co_names)
    for x in code.co_consts:
        if isinstance(x, CodeType):
            found |= names_in(x)
    return frozenset(found)


def of_module(name: str, module: ModuleType, names: Iterable[str]) -> list[tuple[str, Any]]:
    """What code may read from a module of the user: its attributes that the code names."""
    if is_foreign(module.__name__):
        return []
    own = vars(module)
    return [(f"{name}.{n}", own[n]) for n in names
            if n in own and not isinstance(own[n], ModuleType)]  # fmt: skip


def methods_of(cls: type) -> Iterator[tuple[str, Any]]:
    """What is in the class of a user, and in those it is derived from."""
    for each in cls.__mro__:
        if not is_foreign(each.__module__):
            for name, x in vars(each).items():
                if not name.startswith("__") or isinstance(x, FunctionType):
                    yield f"{cls.__name__}.{name}", getattr(x, "__func__", x)


class Guard:
    """What has to be as it was for a trace to hold: what names and attributes stand for."""

    def __init__(self, found: Surroundings) -> None:
        self.cells = [cell for _, cell in found.cells if any(map(is_guarded, cell_values(cell)))]
        places: list[tuple[Any, Any]] = [
            (own, [name]) for own, name in found.globals if is_guarded(own[name])
        ]
        places += [(x, guarded_keys(x, found.attributes if attributes else None))
                   for _, x, attributes in found.containers]  # fmt: skip
        places = [(x, keys) for x, keys in places if keys]
        self.owners = [x for x, _ in places]
        self.getters = [several(keys) for _, keys in places]
        self.sized = [x for _, x, attributes in found.containers if x and not attributes]
        self.empty = [x for _, x, _ in found.containers if not x]
        self.lengths = list(map(len, self.sized))
        self.values = self.now()
        self.is_trivial = not (self.cells or self.owners or self.empty)

    def now(self) -> list[Any]:
        """What there is at the moment."""
        found = list(map(contents, self.cells))
        found += chain.from_iterable(map(call, self.getters, self.owners))
        return found

    def holds(self) -> bool:
        """Whether all is as it was."""
        if self.is_trivial:
            return True
        try:
            now = self.now()
        except (KeyError, IndexError, ValueError):
            return False
        if any(self.empty) or list(map(len, self.sized)) != self.lengths:
            return False
        return all(map(is_, now, self.values)) or all(map(is_alike, now, self.values))


def is_guarded(x: Any) -> bool:
    """Whether a name may come to stand for something else: not one of a function or module."""
    return not isinstance(x, ModuleType | FunctionType | type)


def guarded_keys(x: Any, attributes: set[str] | None) -> list[Any]:
    """The keys of a container whose values a program may have read."""
    if isinstance(x, list):
        return list(range(len(x)))
    return [k for k, v in x.items() if not isinstance(v, dict | FunctionType | type)
            and (attributes is None or k in attributes)]  # fmt: skip


def several(keys: list[Any]) -> Any:
    """What gives the values under keys, as a tuple."""
    if len(keys) == 1:
        key = keys[0]
        return lambda x: (x[key],)
    return itemgetter(*keys)


def is_alike(a: Any, b: Any) -> bool:
    """Whether two values give the same program: they are one object, or equal numbers or texts."""
    if a is b:
        return True
    if type(a) is not type(b) or not isinstance(a, (*DATA, tuple)):
        return False
    return repr(a) == repr(b)


def is_same(x: Any, before: Any) -> bool:
    """Whether a list or dict has the objects that it had."""
    if len(x) != len(before):
        return False
    if isinstance(x, Mapping):
        return all(map(is_, x, before)) and all(map(is_, x.values(), before.values()))
    return all(map(is_, x, before))
