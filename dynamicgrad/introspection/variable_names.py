"""Names of tensors: the paths of parameters in their modules, and the user's variables.

Note [Names of tensors]. A tensor has no name of its own and does not know its module, which costs
nothing until somebody looks. Then the modules that are alive are searched, and the variables of the
user's frame.
"""

import gc
from collections.abc import Container, Iterable, Mapping
from typing import Any

from gradops.core.notebook_cells import defined_in_cells
from gradops.core.source_location import frames_to_user
from gradops.inspection.model import NOTHING

from ..engine.handle import Handle
from ..engine.node import Leaf


def names_of_tensors(order: Iterable[Any], given: Mapping[str, Any] = NOTHING) -> dict[int, str]:
    """The names of tensors, and of their nodes and values, by id, as far as a tape may have them.

    Those in `given` come first, then paths in modules, then variables of the user's frame.
    """
    own, leaves = variables(), {id(v) for v in order if type(v) is Leaf}
    result: dict[int, str] = {}
    for name, x in [*given.items(), *parameters(live_modules(), own, leaves), *own.items()]:
        if isinstance(x, Handle):
            for part in (x, x.node, x.value):
                if part is not None:
                    result.setdefault(id(part), name)
        elif hasattr(x, "dtype"):
            result.setdefault(id(x), name)
    return result


def variables() -> dict[str, Any]:
    """The variables of the user's innermost frame, which hide those of a notebook."""
    found, frames = defined_in_cells(), frames_to_user()
    if frames:
        found |= {**frames[0].f_globals, **frames[0].f_locals}
    return {name: x for name, x in found.items() if not name.startswith("_")}


def live_modules() -> list[Any]:
    """All modules there are, older ones first."""
    objects = gc.get_objects()
    classes = {kind for kind in set(map(type, objects)) if is_module_class(kind)}
    if not classes:
        return []
    return [x for x in objects if type(x) in classes and "_modules" in vars(x)]


def is_module_class(kind: type) -> bool:
    """True for a class of modules; they are built on this layer."""
    return any(
        c.__name__ == "Module" and c.__module__.startswith("dynamicgrad.") for c in kind.__mro__
    )


def parameters(
    modules: Iterable[Any], own: Mapping[str, Any], leaves: Container[int]
) -> list[tuple[str, Any]]:
    """The parameters and buffers of the models that have any of the leaves, with their paths."""
    modules = list(modules)
    inner = inner_modules(modules)
    used = [m for m in modules if id(m) not in inner and has_any(m, leaves)]
    result = []
    for prefix, root in models(used, own):
        for members in (root.named_parameters, root.named_buffers):
            result += list(members(prefix=prefix))
    return result


def has_any(model: Any, leaves: Container[int]) -> bool:
    """True if a parameter of a model is one of the leaves."""
    return any(id(p.node) in leaves for p in model.parameters())


def models(modules: Iterable[Any], own: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The modules that are in no other, each with the prefix of the paths in it.

    Where there are several, that is the name of the variable that has the model.
    """
    modules = list(modules)
    inner = inner_modules(modules)
    roots = [m for m in modules if id(m) not in inner]
    variable_of = {id(x): name for name, x in own.items()}
    return [(variable_of.get(id(m), "") if len(roots) > 1 else "", m) for m in roots]


def inner_modules(modules: Iterable[Any]) -> set[int]:
    """The addresses of the modules that are in others."""
    return {id(m) for outer in modules for m in vars(outer)["_modules"].values()}
