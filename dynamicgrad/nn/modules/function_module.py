"""Modules that are a function with options and have no weights."""

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from .module import Module


class Applied(Module):
    """A function of its inputs, and of options that the module keeps as attributes.

    A subclass states as keywords `function`, and the options with their defaults, in their order;
    `REQUIRED` marks one without default.
    """

    function: ClassVar[Callable[..., Any]]
    options: ClassVar[tuple[str, ...]]
    signature: ClassVar[inspect.Signature]

    def __init_subclass__(cls, **options: Any) -> None:
        if "function" not in options:
            return  # it has those of its base
        cls.function = staticmethod(options.pop("function"))
        cls.options, kind = tuple(options), inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(k, kind, default=v) for k, v in options.items()]
        cls.signature = cls.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()
        given = self.signature.bind(*args, **options)
        given.apply_defaults()
        for name, value in given.arguments.items():
            setattr(self, name, value)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """The function of the inputs."""
        options = {name: getattr(self, name) for name in self.options}
        return type(self).function(*inputs, **named, **options)

    def extra_repr(self) -> str:
        """The options; writing to the input is one only where it happens."""
        shown = {k: getattr(self, k) for k in self.options}
        return ", ".join(f"{k}={v!r}" for k, v in shown.items() if k != "inplace" or v)


REQUIRED = inspect.Parameter.empty
