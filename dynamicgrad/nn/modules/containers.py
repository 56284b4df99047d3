"""Modules and parameters in lists and dicts, and modules one after the other."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar, Self

from ...engine.tensor import Tensor
from .module import Module
from .parameter import Parameter
from .text import format_module, format_parameters

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]

Modules = Mapping[str, Module] | Iterable[tuple[str, Module]]
Parameters = Mapping[str, Tensor] | Iterable[tuple[str, Tensor]]


class Members(Module):
    """A module made of the members of one registry."""

    _kind: ClassVar[str] = "_modules"

    def __len__(self) -> int:
        return len(vars(self)[self._kind])


class Numbered(Members):
    """Members under the names 0, 1, 2, ...; base of lists."""

    def __iter__(self) -> Iterator[Any]:
        return iter(vars(self)[self._kind].values())

    def __getitem__(self, i: int | slice) -> Any:
        members = list(vars(self)[self._kind].items())
        if isinstance(i, slice):
            return self._part(members[i])
        return members[position(i, len(members))][1]

    def _part(self, members: list[tuple[str, Any]]) -> Any:
        """A module of the same kind with some of the members."""
        return type(self)([m for _, m in members])  # type: ignore[call-arg]


class Sequence(Numbered):
    """Modules under the names 0, 1, 2, ...; base of `Sequential` and `ModuleList`."""

    def __setitem__(self, i: int, module: Module) -> None:
        self._modules[list(self._modules)[position(i, len(self))]] = module

    def __delitem__(self, i: int | slice) -> None:
        kept = list(self._modules.values())
        del kept[i if isinstance(i, slice) else position(i, len(kept))]
        self.renumber(kept)

    def renumber(self, modules: Iterable[Module | None]) -> None:
        """Replace the members."""
        self._modules.clear()
        self.extend(modules)

    def append(self, module: Module | None) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module | None]) -> Self:
        """Add modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module | None) -> Self:
        """Add a module before that at `index`."""
        members = list(self._modules.values())
        members.insert(index, module)
        self.renumber(members)
        return self

    def pop(self, index: int = -1) -> Any:
        """Remove a module and return it."""
        found = self[index]
        del self[index]
        return found


class Sequential(Sequence):
    """Modules called one after the other; given as arguments, or as a dict of names.

    >>> dg.nn.Sequential(dg.nn.Linear(2, 3), dg.nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def _part(self, members: list[tuple[str, Any]]) -> "Sequential":
        """The selected modules, under their names."""
        return type(self)(dict(members))

    def forward(self, input: Any) -> Any:
        """The output of the last module."""
        for module in self:
            input = module(input)
        return input


class ModuleList(Sequence):
    """A list whose modules are registered.

    >>> len(dg.nn.ModuleList([dg.nn.ReLU(), dg.nn.ReLU()]))
    2
    """

    def __init__(self, modules: Iterable[Module | None] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def __add__(self, other: Iterable[Module]) -> "ModuleList":
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        parts = []
        for text, run in groupby(enumerate(map(repr, self)), itemgetter(1)):
            numbers = [i for i, _ in run]
            i, n = numbers[0], len(numbers)
            parts.append(f"({i}): {text}" if n == 1 else f"({i}-{i + n - 1}): {n} x {text}")
        return format_module(type(self).__name__, "", parts)


class Named(Members):
    """Modules or parameters under names; base of `ModuleDict` and `ParameterDict`."""

    def __getitem__(self, key: str) -> Any:
        return vars(self)[self._kind][key]

    def __delitem__(self, key: str) -> None:
        del vars(self)[self._kind][key]

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self)[self._kind])

    def __contains__(self, key: object) -> bool:
        return key in vars(self)[self._kind]

    def keys(self) -> Iterable[str]:
        """The names."""
        return vars(self)[self._kind].keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The pairs of names and members."""
        return vars(self)[self._kind].items()

    def values(self) -> Iterable[Any]:
        """The modules or parameters."""
        return vars(self)[self._kind].values()


class ModuleDict(Named):
    """A dict whose modules are registered.

    >>> layers = dg.nn.ModuleDict({"relu": dg.nn.ReLU()})
    >>> layers["relu"]
    ReLU()
    """

    def __init__(self, modules: Modules | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        return self._modules.pop(key)

    def update(self, modules: Modules) -> None:
        """Add the modules of a dict, or of pairs of a name and a module."""
        for key, module in dict(modules).items():
            self[key] = module


class ParameterList(Numbered):
    """A list whose parameters are registered; tensors in it become parameters.

    >>> [p.shape for p in dg.nn.ParameterList([dg.ones(2), dg.ones(3)])]
    [(2,), (3,)]
    """

    _kind = "_parameters"

    def __init__(self, values: Iterable[Tensor | None] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    def __setitem__(self, i: int, value: Tensor) -> None:
        setattr(self, str(position(i, len(self))), as_parameter(value))

    def append(self, value: Tensor | None) -> "ParameterList":
        """Add a parameter at the end."""
        self.register_parameter(str(len(self)), as_parameter(value))
        return self

    def extend(self, values: Iterable[Tensor | None]) -> "ParameterList":
        """Add parameters at the end."""
        for value in values:
            self.append(value)
        return self

    def __repr__(self) -> str:
        return format_module(type(self).__name__, "", format_parameters(self._parameters))


class ParameterDict(Named):
    """A dict whose parameters are registered; tensors in it become parameters.

    >>> weights = dg.nn.ParameterDict({"w": dg.ones(2)})
    >>> weights["w"].requires_grad
    True
    """

    _kind = "_parameters"

    def __init__(self, parameters: Parameters | None = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def __setitem__(self, key: str, value: Tensor | None) -> None:
        self.register_parameter(key, as_parameter(value))

    def update(self, parameters: Parameters) -> None:
        """Add the parameters of a dict, or of pairs of a name and a parameter."""
        for key, value in dict(parameters).items():
            self[key] = value

    def __repr__(self) -> str:
        return format_module(type(self).__name__, "", format_parameters(self._parameters))


def position(i: int, length: int) -> int:
    """A nonnegative index; raises IndexError if it is out of range."""
    i = i.__index__()
    if not -length <= i < length:
        raise IndexError(f"index {i} is out of range: there are {length}")
    return i % length


def as_parameter(value: Tensor | None) -> Tensor | None:
    """A tensor as a parameter; a parameter, or None, as it is."""
    return value if value is None or isinstance(value, Parameter) else Parameter(value)
