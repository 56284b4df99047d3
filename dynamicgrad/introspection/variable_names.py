"""Names of tensors: the paths of parameters in their modules, and the user's variables.

Note [Names of tensors]. A tensor has no name of its own and does not know its module, which costs
nothing until somebody looks. Then the modules that are alive are searched, and the variables of the
user's frame.
"""

import gc
from collections.abc import Iterable, Mapping
from typing import Any

from gradops.core.source_location import frames_to_user

from ..engine.handle import Handle

Modules = Mapping[Any, tuple[Any, str]]
"""The parent of each module that has one, and its name there."""


def names_of_tensors(given: Mapping[str, Any] | None = None) -> dict[int, str]:
    """The names of tensors, and of their nodes and values, by id.

    Those in `given` come first, then paths in modules, then variables of the user's frame.
    """
    own, modules = variables(), live_modules()
    result: dict[int, str] = {}
    for name, x in [*(given or {}).items(), *parameters(modules, own), *own.items()]:
        if isinstance(x, Handle):
            for part in (x, x.node, x.value):
                if part is not None:
                    result.setdefault(id(part), name)
        elif hasattr(x, "dtype"):
            result.setdefault(id(x), name)
    return result


def variables() -> dict[str, Any]:
    """The variables of the user's innermost frame; local ones hide global ones."""
    frames = frames_to_user()
    if not frames:
        return {}
    found = {**frames[0].f_globals, **frames[0].f_locals}
    return {name: x for name, x in found.items() if not name.startswith("_")}


def live_modules() -> list[Any]:
    """All modules there are, older ones first."""
    classes: dict[type, bool] = {}
    result = []
    for x in gc.get_objects():
        kind = type(x)
        known = classes.get(kind)
        if known is None:
            known = classes[kind] = is_module_class(kind)
        if known and "_modules" in vars(x):
            result.append(x)
    return result


def is_module_class(kind: type) -> bool:
    """True for a class of modules; they are built on this layer."""
    return any(
        c.__name__ == "Module" and c.__module__.startswith("dynamicgrad.") for c in kind.__mro__
    )


def parameters(modules: Iterable[Any], own: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The parameters and buffers of modules with their paths.

    Where there are several models, a path begins with the name of the variable that has the model.
    """
    inner = {id(m) for outer in modules for m in vars(outer)["_modules"].values()}
    roots = [m for m in modules if id(m) not in inner]
    variable_of = {id(x): name for name, x in own.items()}
    result = []
    for root in roots:
        prefix = variable_of.get(id(root), "") if len(roots) > 1 else ""
        for members in (root.named_parameters, root.named_buffers):
            result += list(members(prefix=prefix))
    return result
