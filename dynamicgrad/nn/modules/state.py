"""The state of a module, its parameters and persistent buffers by path: save, load and cast it."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradops import StateError

from ...engine.grad_mode import no_grad
from ...engine.tensor import Tensor, as_tensor
from .parameter import Parameter

if TYPE_CHECKING:
    from .module import Module

Entry = tuple["Module", str, Tensor]
"""A tensor of a module's state, after the module that holds it and its name there."""


class IncompatibleKeys(NamedTuple):
    """Keys of a module that a state does not have, and keys that only the state has."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not any(self):
            return "<All keys matched successfully>"
        missing, unexpected = self
        return f"IncompatibleKeys(missing_keys={missing}, unexpected_keys={unexpected})"


def entries(module: "Module", prefix: str = "") -> Iterator[tuple[str, "Module", str, Tensor]]:
    """Key, module, name and tensor of all that belongs to the state."""
    for path, m in module.named_modules(remove_duplicate=False):
        kept = {k: b for k, b in m._buffers.items() if k not in m._transient}
        for name, t in (*m._parameters.items(), *kept.items()):
            if t is not None:
                yield prefix + (f"{path}.{name}" if path else name), m, name, t


def load_state_dict(
    module: "Module", state: Mapping[str, object], strict: bool, assign: bool
) -> IncompatibleKeys:
    """Load a state into a module, if all of it fits."""
    if not hasattr(state, "items"):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state).__name__}.")
    own = {key: (m, name, t) for key, m, name, t in entries(module)}
    keys = IncompatibleKeys(
        [key for key in own if key not in state], [key for key in state if key not in own]
    )
    found = {key: as_tensor(state[key]) for key in own if key in state}
    wrong = describe_shapes(found, own) + (describe_keys(keys) if strict else [])
    if wrong:
        heading = f"Error(s) in loading state_dict for {type(module).__name__}:"
        raise StateError("\n\t".join([heading, *wrong]))
    for key, value in found.items():
        put(*own[key], value, assign)
    return keys


def describe_shapes(found: dict[str, Tensor], own: dict[str, Entry]) -> list[str]:
    """The error texts for tensors whose shapes differ from the module's."""
    return [
        f"size mismatch for {key}: copying a param with shape {t.shape} from checkpoint, the shape"
        f" in current model is {own[key][2].shape}."
        for key, t in found.items()
        if t.shape != own[key][2].shape
    ]


def describe_keys(keys: IncompatibleKeys) -> list[str]:
    """The error texts for missing and unexpected keys."""
    return [
        f"{word} key(s) in state_dict: " + ", ".join(f'"{key}"' for key in names) + "."
        for word, names in (("Missing", keys.missing_keys), ("Unexpected", keys.unexpected_keys))
        if names
    ]


def put(module: "Module", name: str, own: Tensor, value: Tensor, assign: bool) -> None:
    """Copy a value into a tensor of a module, or with `assign` replace the tensor."""
    if not assign:
        with no_grad():
            own.copy_(value)
    elif isinstance(own, Parameter) and not isinstance(value, Parameter):
        setattr(module, name, Parameter(value.detach(), own.requires_grad))
    else:
        setattr(module, name, value)


def cast(module: "Module", dtype: np.dtype) -> None:
    """Cast floating-point parameters, buffers and gradients to another dtype."""
    if dtype.kind != "f":
        raise TypeError(f"nn.Module.to only accepts floating point dtypes, but got {dtype}")
    groups = [own for m in module.modules() for own in (m._parameters, m._buffers)]
    tensors = {id(t): t for own in groups for t in own.values() if t is not None}
    for t in tensors.values():
        cast_tensor(t, dtype)


def cast_tensor(t: Any, dtype: np.dtype) -> None:
    """Cast a floating-point leaf and its gradient to another dtype."""
    if t.dtype.kind != "f" or t.dtype == dtype:
        return
    grad, required = t.grad, t.requires_grad
    t.grad = None
    t.requires_grad_(False)  # what requires gradients has a dtype that does not change
    t.data = t.data.to(dtype)
    t.requires_grad_(required)
    if grad is not None:
        t.grad = grad.detach().to(dtype)
