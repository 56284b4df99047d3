"""How distributions take their parameters: in each call, or held once for all calls."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ...core.errors import OptionError


def assigned(
    call: str, names: tuple[str, ...], args: Any, kwargs: Any, **defaults: float
) -> dict[str, Any]:
    """The parameters of a call by their names; OptionError if they do not fit."""
    values = defaults | dict(zip(names, args, strict=False)) | kwargs
    twice = [n for n in names[: len(args)] if n in kwargs]
    if len(args) > len(names) or twice or set(values) != set(names):
        raise OptionError(
            call, [], f"the parameters do not fit: {', '.join(values)}",
            hint=f"the parameters are {', '.join(names)}",
        )  # fmt: skip
    return values


def with_options(count: int, args: Any, size: Any, random_state: Any) -> tuple[Any, Any, Any]:
    """At most `count` parameters, then size and random_state, which may stand after them."""
    return args[:count], *(*args[count:], size, random_state)[:2]


@dataclass(frozen=True)
class Frozen:
    """A distribution with its parameters held, as `stats.norm(mu, sigma)`."""

    dist: Any
    args: tuple[Any, ...]
    kwds: dict[str, Any]

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Random numbers, vectors or matrices: those of the distribution."""
        options = {"random_state": random_state} | ({} if size is None else {"size": size})
        return self.dist.rvs(*self.args, **self.kwds, **options)


def holding(family: type, names: Iterable[str]) -> Callable[[type], type]:
    """Give a class the methods of a family of distributions, for parameters that are held."""

    def method_of(name: str) -> Callable[..., Any]:
        def method(self: Frozen, x: Any) -> Any:
            return getattr(self.dist, name)(x, *self.args, **self.kwds)

        method.__name__, method.__doc__ = name, getattr(family, name).__doc__
        return method

    def decorate(cls: type) -> type:
        for name in names:
            setattr(cls, name, method_of(name))
        return cls

    return decorate
