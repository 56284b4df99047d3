"""Nested structures: lists, tuples, dicts, named tuples and dataclasses of leaves."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Rebuild = Callable[[Iterable[Any]], Any]
DICTS = (dict, OrderedDict, defaultdict)


def children(node: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """The parts of a structure and a function that rebuilds it from other parts; None for a leaf.

    None has no parts. A dict's parts come in the order of its keys' insertion.
    """
    if node is None:
        return [], lambda parts: None
    if isinstance(node, tuple) and hasattr(node, "_fields"):
        return list(node), lambda parts: type(node)(*parts)
    if type(node) in (list, tuple):
        return list(node), type(node)
    if type(node) in DICTS:
        return list(node.values()), lambda parts: with_values(node.copy(), parts)
    if hasattr(type(node), "__dataclass_fields__") and not is_operand(node):
        import dataclasses  # as what has such nodes has done

        names = [f.name for f in dataclasses.fields(node)]
        parts = [getattr(node, name) for name in names]
        return parts, lambda new: dataclasses.replace(node, **dict(zip(names, new, strict=True)))
    return None


def with_values(made: dict[Any, Any], parts: Iterable[object]) -> dict[Any, Any]:
    """The dict with its values replaced, in the order of its keys."""
    made.update(zip(made, parts, strict=True))
    return made


def is_operand(x: object) -> bool:
    """True if `x` is an operand of ops, and so a leaf even if it is a dataclass."""
    return hasattr(x, "__gradop__") or hasattr(x, "gradop_level")


def flatten(tree: Any) -> tuple[list[Any], Rebuild]:
    """The leaves of a structure, and a function that rebuilds it from other leaves.

    >>> leaves, rebuild = flatten({"w": [1, 2], "b": (3,)})
    >>> leaves, rebuild([10, 20, 30])
    ([1, 2, 3], {'w': [10, 20], 'b': (30,)})
    """
    found = children(tree)
    if found is None:
        return [tree], only
    if type(tree) in (list, tuple) and not any(children(x) for x in tree):
        return list(tree), type(tree)
    leaves: list[Any] = []
    build = _plan(tree, leaves)
    return leaves, lambda new: build(iter(new))


def only(leaves: Iterable[object]) -> Any:
    """The only leaf."""
    (leaf,) = leaves
    return leaf


def _plan(tree: object, leaves: list[Any]) -> Callable[[Iterator[Any]], Any]:
    found = children(tree)
    if found is None:
        leaves.append(tree)
        return lambda new: next(new)
    parts, make = found
    plans = [_plan(part, leaves) for part in parts]
    return lambda new: make([plan(new) for plan in plans])


def leaves_of(tree: object) -> list[Any]:
    """The leaves of a structure, in order."""
    return flatten(tree)[0]


def structure(tree: Any) -> Any:
    """The form of a structure without its leaves, which can be compared and hashed.

    >>> structure({"w": [1, 2]}) == structure({"w": [3, 4]})
    True
    """
    found = children(tree)
    if found is None:
        return None
    names = tuple(tree) if type(tree) in DICTS else ()
    return type(tree), names, tuple(map(structure, found[0]))


def form_of(tree: Any) -> Any:
    """The form of lists, tuples and dicts, for `leaves_in`: None for a leaf.

    Raises TypeError for other structures.
    """
    if type(tree) in (list, tuple):
        parts, keys = tree, None
    elif type(tree) is dict:
        parts, keys = tree.values(), tuple(tree)
    elif children(tree) is None:
        return None
    else:
        raise TypeError(f"a {type(tree).__name__} is no list, tuple or dict")
    forms = tuple(map(form_of, parts))
    return type(tree), keys, len(forms), forms if any(forms) else None


def leaves_in(tree: Any, form: Any, leaves: list[Any]) -> bool:
    """Append the leaves of a structure of this form; False if the structure has another one.

    Members that the form has as leaves are taken for leaves.
    """
    cls, keys, count, forms = form
    if type(tree) is not cls or len(tree) != count:
        return False
    if keys is not None:
        if tuple(tree) != keys:
            return False
        tree = tree.values()
    if forms is None:
        leaves += tree
        return True
    for part, inner in zip(tree, forms, strict=True):
        if inner is None:
            leaves.append(part)
        elif not leaves_in(part, inner, leaves):
            return False
    return True


def tree_map(f: Callable[..., Any], tree: object, *others: object) -> Any:
    """A structure like `tree` with `f` applied to its leaves, and those of `others` beside them.

    >>> tree_map(lambda a, b: a + b, {"x": 1}, {"x": 2})
    {'x': 3}
    """
    leaves, rebuild = flatten(tree)
    rest = [leaves_of(other) for other in others]
    return rebuild([f(*each) for each in zip(leaves, *rest, strict=True)])
