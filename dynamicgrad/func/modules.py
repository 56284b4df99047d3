"""Modules as functions of their parameters: `functional_call` and `stack_module_state`."""

from collections.abc import Mapping, Sequence
from typing import Any

import gradops as ops
from gradops import TransformError

from ..engine.leaf import requires_grad_

Tensors = Mapping[str, Any]
"""Tensors by name."""


def functional_call(
    module: Any, parameter_and_buffer_dicts: Tensors | Sequence[Tensors], args: Any = None,
    kwargs: Mapping[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call `module` with tensors in place of its parameters and buffers, which stay as they are.

    The tensors are named as in `state_dict()`, in one dict or several. `args` is a tuple of
    arguments, or the one argument. Parameters that are one tensor under several names are replaced
    together, unless `tie_weights` is off. With `strict`, all names must be given, and no others.
    Raises TransformError for a name the module does not have.
    """
    given = merge(parameter_and_buffer_dicts)
    own = slots(module)
    unknown, missing = given.keys() - own.keys(), own.keys() - given.keys()
    if unknown or (strict and missing):
        raise TransformError(
            f"functional_call: Unexpected key(s): {sorted(unknown)};"
            f" Missing key(s): {sorted(missing) if strict else []}"
            f"\n  hint: {type(module).__name__} has {', '.join(own)}"
        )
    before = {name: holder[key] for name, (holder, key) in own.items()}
    if tie_weights:
        by_tensor = {id(before[name]): x for name, x in given.items()}
        given = {name: by_tensor[id(t)] for name, t in before.items() if id(t) in by_tensor} | given
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        put(own, given)
        return module(*arguments, **(kwargs or {}))
    finally:
        put(own, {name: before[name] for name in given})


def merge(dicts: Tensors | Sequence[Tensors]) -> dict[str, Any]:
    """One dict of several, which must have no name in common."""
    if isinstance(dicts, Mapping):
        return dict(dicts)
    found: dict[str, Any] = {}
    for each in dicts:
        if twice := found.keys() & each.keys():
            raise TransformError(
                f"{sorted(twice)} appear(s) in several dictionaries; a name has one value"
            )
        found |= each
    return found


def slots(module: Any) -> dict[str, tuple[dict[str, Any], str]]:
    """The dict and key that hold each parameter and buffer of a module, by full name."""
    found = {}
    for prefix, part in module.named_modules(remove_duplicate=False):
        for holder in (part._parameters, part._buffers):
            for key, value in holder.items():
                if value is not None:
                    found[f"{prefix}.{key}" if prefix else key] = holder, key
    return found


def put(own: Mapping[str, Any], tensors: Tensors) -> None:
    """Set the tensors of these names."""
    for name, x in tensors.items():
        holder, key = own[name]
        holder[key] = x


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of several models of one kind, stacked along a new axis.

    Two dicts by name, as `functional_call` takes them under `vmap`; stacked parameters that require
    gradients are leaves. Raises TransformError for models of different kinds or modes.
    """
    if not models:
        raise TransformError("stack_module_state: Expected at least one model, got 0.")
    if len({type(m) for m in models}) > 1:
        raise TransformError("stack_module_state: Expected all models to be of the same class.")
    if len({m.training for m in models}) > 1:
        text = "Expected all models to have the same training/eval mode."
        raise TransformError(f"stack_module_state: {text}")
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return stack_each(parameters), stack_each(buffers)


def stack_each(dicts: Sequence[Tensors]) -> dict[str, Any]:
    """The tensors of each name as one, which is a leaf."""
    found = {}
    for name, first in dicts[0].items():
        whole = ops.stack([d[name].detach() for d in dicts], axis=0)
        found[name] = requires_grad_(whole) if first.requires_grad else whole
    return found
