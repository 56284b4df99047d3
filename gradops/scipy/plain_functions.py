"""Functions of SciPy's that take numbers without derivatives, such as sizes, under their names.

They are here for programs that import a module of this tree in place of SciPy's.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..core.errors import BY_HAND, MissingExtraError, MissingRuleError
from ..core.tree import leaves_of

__all__: list[str] = []


def of_scipy(space: str, name: str) -> Callable[..., Any]:
    """The function `name` of a module of SciPy's, which is imported when it is called.

    Raises MissingRuleError for arguments that are traced.
    """

    def call(*args: Any, **options: Any) -> Any:
        if any(hasattr(x, "gradop_level") for x in leaves_of([args, options])):
            raise MissingRuleError(name, "derivative", BY_HAND)
        try:
            module = import_module(space)
        except ImportError as error:
            raise MissingExtraError(name, "SciPy", "scipy") from error
        return getattr(module, name)(*args, **options)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`{space}.{name}`, of numbers; it has no derivatives."
    call.takes_numbers = True  # type: ignore[attr-defined]
    return call
