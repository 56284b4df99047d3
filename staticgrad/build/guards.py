"""Guards: conditions on Python state outside a traced program under which its trace is valid.

Note [Guards]. Numbers, strings and flags that a traced program reads become part of its graph. A
trace is valid while they are equal and names refer to the objects they referred to. Tensors and
arrays are not guarded here. A program that changes such state itself is refused: it would do so
while it is traced and never again.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from operator import is_, itemgetter, length_hint
from types import FunctionType, GeneratorType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from gradops import leaves_of

from .surroundings import DATA, Container, Surroundings, cell_values


class Guard:
    """The condition of a trace: names and attributes refer to the objects they referred to."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.cells = [
            cell for _, cell in surroundings.cells if any(map(is_guarded, cell_values(cell)))
        ]
        places: list[tuple[Any, list[object]]] = [
            (own, [name]) for own, name in surroundings.globals if is_guarded(own[name])
        ]
        places += [(x, guarded_keys(x, surroundings.attributes if attributes else None))
                   for _, x, attributes in surroundings.containers]  # fmt: skip
        places += [
            (vars(cls), guarded_keys(own, surroundings.attributes))
            for cls, own in surroundings.classes
        ]
        places = [(x, keys) for x, keys in places if keys]
        self.sets = [(x, frozenset(x)) for x in surroundings.sets]
        self.places = [(getter(keys), x) for x, keys in places]
        self.sized = [x for _, x, _ in surroundings.containers if x]
        self.empty = [x for _, x, _ in surroundings.containers if not x]
        self.lengths = list(map(len, self.sized))
        self.values = self.now()
        self.is_trivial = not (self.cells or self.places or self.empty or self.sets)

    def now(self) -> list[object]:
        """The current guarded values."""
        values = [cell.cell_contents for cell in self.cells]
        for get, owner in self.places:
            values += get(owner)
        return values

    def holds(self) -> bool:
        """True while the trace is valid."""
        if self.is_trivial:
            return True
        try:
            now = self.now()
        except (KeyError, IndexError, ValueError):
            return False
        if self.sized and list(map(len, self.sized)) != self.lengths:
            return False
        if (self.empty and any(self.empty)) or (
            self.sets and any(x != before for x, before in self.sets)
        ):
            return False
        return all(map(is_, now, self.values)) or all(map(is_alike, now, self.values))


def is_guarded(x: object) -> bool:
    """True for values that a name is guarded to keep: all but modules and classes."""
    return not isinstance(x, ModuleType | type)


UNGUARDED = (dict, type, property, staticmethod, classmethod, MemberDescriptorType)
"""Types of attributes that are not reassigned, or that are guarded by their contents."""


def guarded_keys(x: Container, attributes: set[str] | None) -> list[object]:
    """The keys of a container whose values a program may have read."""
    if isinstance(x, list | deque):
        return list(range(len(x)))
    return [k for k, v in x.items() if not isinstance(v, UNGUARDED)
            and (attributes is None or k in attributes)]  # fmt: skip


def getter(keys: list[Any]) -> Callable[[Container], tuple[object, ...]]:
    """A function that returns the values at keys, as a tuple."""
    if len(keys) == 1:
        key = keys[0]
        return lambda x: (x[key],)
    return itemgetter(*keys)


def is_alike(a: object, b: object) -> bool:
    """True if programs that read one value or the other are equal."""
    if a is b:
        return True
    if type(a) is not type(b) or not isinstance(a, (*DATA, tuple, FunctionType)):
        return False
    if isinstance(a, FunctionType) and isinstance(b, FunctionType):
        return is_same_code(a, b)
    return repr(a) == repr(b)


def is_same_code(f: FunctionType, g: FunctionType) -> bool:
    """True if two functions have one definition, and the same defaults and closure."""
    return f.__code__ is g.__code__ and all(
        len(a) == len(b) and all(map(is_, a, b))
        for a, b in (
            (f.__closure__ or (), g.__closure__ or ()),
            (f.__defaults__ or (), g.__defaults__ or ()),
            ((f.__kwdefaults__ or {}).values(), (g.__kwdefaults__ or {}).values()),
        )
    )


def state_of(generator: Any) -> object:
    """The state of a random number generator, or of an iterator."""
    if isinstance(generator, Iterator):
        return position(generator)
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    get = getattr(generator, "getstate", None) or generator.get_state
    return get()


def position(iterator: Iterator[object]) -> object:
    """The position of an iterator, as far as it can be read."""
    if isinstance(iterator, GeneratorType):
        frame = iterator.gi_frame
        return (
            None if frame is None else (frame.f_lasti, repr(list(map(id, frame.f_locals.values()))))
        )
    remaining = length_hint(iterator, -1)
    return remaining if remaining >= 0 else repr(iterator)  # of itertools.count it shows the number


def set_state(generator: Any, state: Any) -> None:
    """Reset a random number generator to a state; iterators cannot be reset."""
    if isinstance(generator, Iterator):
        return
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        (getattr(generator, "setstate", None) or generator.set_state)(state)


def is_same_state(a: object, b: object) -> bool:
    """True if two states of a generator are equal."""
    return [*map(comparable, leaves_of(a))] == [*map(comparable, leaves_of(b))]


def comparable(x: object) -> object:
    """A part of a state in a form that `==` compares."""
    return x.tobytes() if isinstance(x, np.ndarray) else x


def is_same(x: Container, before: Container) -> bool:
    """True if a list or dict has the same objects as `before`."""
    if len(x) != len(before):
        return False
    if isinstance(x, Mapping) and isinstance(before, Mapping):
        return all(map(is_, x, before)) and all(map(is_, x.values(), before.values()))
    return all(map(is_, x, before))
