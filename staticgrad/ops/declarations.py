"""Functions of one family, declared by their names and docstrings."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T", bound=Callable[..., Any])


def implemented_by(function: T) -> Callable[[Callable[[], None]], T]:
    """Decorate a declaration, which has a name and a docstring only, to give both to `function`."""

    def name(declaration: Callable[[], None]) -> T:
        function.__name__ = function.__qualname__ = declaration.__name__
        function.__doc__ = declaration.__doc__
        return function

    return name
