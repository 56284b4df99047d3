"""Whether what a program reads from outside, beside tensors and arrays, is as it was.

Note [Guards]. Numbers, texts and flags that a traced program reads are part of it: a trace holds as
long as they are equal, and names stand for the objects that they stood for. What the program itself
would change of that, it would change while it is traced and never again; so that is refused.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from operator import is_, itemgetter, length_hint
from types import FunctionType, GeneratorType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from gradops import leaves_of

from .surroundings import DATA, Surroundings, cell_values


class Guard:
    """The condition of a trace: names and attributes stand for the objects they stood for."""

    def __init__(self, found: Surroundings) -> None:
        self.cells = [cell for _, cell in found.cells if any(map(is_guarded, cell_values(cell)))]
        places: list[tuple[Any, Any]] = [
            (own, [name]) for own, name in found.globals if is_guarded(own[name])
        ]
        places += [(x, guarded_keys(x, found.attributes if attributes else None))
                   for _, x, attributes in found.containers]  # fmt: skip
        places += [(vars(cls), guarded_keys(own, found.attributes)) for cls, own in found.classes]
        places = [(x, keys) for x, keys in places if keys]
        self.sets = [(x, frozenset(x)) for x in found.sets]
        self.places = [(several(keys), x) for x, keys in places]
        self.sized = [x for _, x, _ in found.containers if x]
        self.empty = [x for _, x, _ in found.containers if not x]
        self.lengths = list(map(len, self.sized))
        self.values = self.now()
        self.is_trivial = not (self.cells or self.places or self.empty or self.sets)

    def now(self) -> list[Any]:
        """The guarded values at the moment."""
        found = [cell.cell_contents for cell in self.cells]
        for get, owner in self.places:
            found += get(owner)
        return found

    def holds(self) -> bool:
        """Whether all is as it was."""
        if self.is_trivial:
            return True
        try:
            now = self.now()
        except (KeyError, IndexError, ValueError):
            return False
        if self.sized and list(map(len, self.sized)) != self.lengths:
            return False
        if (self.empty and any(self.empty)) or (self.sets and self.sets_differ()):
            return False
        return all(map(is_, now, self.values)) or all(map(is_alike, now, self.values))

    def sets_differ(self) -> bool:
        """Whether sets have other members."""
        return any(x != before for x, before in self.sets)


def is_guarded(x: Any) -> bool:
    """Whether a name may come to stand for something else: not one of a module or class."""
    return not isinstance(x, ModuleType | type)


UNGUARDED = (dict, type, property, staticmethod, classmethod, MemberDescriptorType)
"""Values of attributes that nobody exchanges, or that are guarded by what is in them."""


def guarded_keys(x: Any, attributes: set[str] | None) -> list[Any]:
    """The keys of a container whose values a program may have read."""
    if isinstance(x, list | deque):
        return list(range(len(x)))
    return [k for k, v in x.items() if not isinstance(v, UNGUARDED)
            and (attributes is None or k in attributes)]  # fmt: skip


def several(keys: list[Any]) -> Any:
    """A function that gives the values under keys, as a tuple."""
    if len(keys) == 1:
        key = keys[0]
        return lambda x: (x[key],)
    return itemgetter(*keys)


def is_alike(a: Any, b: Any) -> bool:
    """Whether two values give the same program: one object, equal numbers or texts, one code."""
    if a is b:
        return True
    if type(a) is not type(b) or not isinstance(a, (*DATA, tuple, FunctionType)):
        return False
    return is_same_code(a, b) if isinstance(a, FunctionType) else repr(a) == repr(b)


def is_same_code(f: FunctionType, g: FunctionType) -> bool:
    """Whether two functions were made by one definition, with the same defaults and closure."""
    return f.__code__ is g.__code__ and all(
        len(a) == len(b) and all(map(is_, a, b))
        for a, b in (
            (f.__closure__ or (), g.__closure__ or ()),
            (f.__defaults__ or (), g.__defaults__ or ()),
            ((f.__kwdefaults__ or {}).values(), (g.__kwdefaults__ or {}).values()),
        )
    )


def state_of(generator: Any) -> Any:
    """The state of a generator of random numbers, or of an iterator."""
    if isinstance(generator, Iterator):
        return position(generator)
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    get = getattr(generator, "getstate", None) or generator.get_state
    return get()


def position(iterator: Iterator[Any]) -> Any:
    """Where an iterator is, as far as it tells."""
    if isinstance(iterator, GeneratorType):
        frame = iterator.gi_frame
        return (
            None if frame is None else (frame.f_lasti, repr(list(map(id, frame.f_locals.values()))))
        )
    left = length_hint(iterator, -1)
    return left if left >= 0 else repr(iterator)  # of itertools.count it shows the number


def set_state(generator: Any, state: Any) -> None:
    """Let a generator draw again what it has drawn; an iterator does not go back."""
    if isinstance(generator, Iterator):
        return
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    else:
        (getattr(generator, "setstate", None) or generator.set_state)(state)


def is_same_state(a: Any, b: Any) -> bool:
    """Whether two states of a generator are equal."""
    return [*map(plain, leaves_of(a))] == [*map(plain, leaves_of(b))]


def plain(x: Any) -> Any:
    """A part of a state as something that can be compared."""
    return x.tobytes() if isinstance(x, np.ndarray) else x


def is_same(x: Any, before: Any) -> bool:
    """Whether a list or dict has the objects that it had."""
    if len(x) != len(before):
        return False
    if isinstance(x, Mapping):
        return all(map(is_, x, before)) and all(map(is_, x.values(), before.values()))
    return all(map(is_, x, before))
