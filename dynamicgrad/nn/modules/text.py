"""The text of modules and parameters, as PyTorch prints them."""

from collections.abc import Mapping

from ...engine.tensor import Tensor


def format_module(name: str, extra: str, parts: list[str]) -> str:
    """A module as PyTorch prints it: on one line if it holds no others."""
    if not parts:
        return (
            f"{name}({extra})" if "\n" not in extra else format_module(name, "", extra.split("\n"))
        )
    lines = [*extra.split("\n")] if extra else []
    lines += ["\n  ".join(part.split("\n")) for part in parts]
    return "\n  ".join([f"{name}(", *lines]) + "\n)"


def format_attributes(module: object, *names: str) -> str:
    """Attributes of a module with their names."""
    return ", ".join(f"{name}={getattr(module, name)}" for name in names)


def format_parameters(parameters: Mapping[str, Tensor | None]) -> list[str]:
    """Parameters as lists and dicts of them print them."""
    return [
        f"({name}): {p if p is None else f'Parameter containing: [{p.dtype} of size {p.shape}]'}"
        for name, p in parameters.items()
    ]
