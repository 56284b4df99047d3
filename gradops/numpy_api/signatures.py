"""Maps NumPy's functions and their arguments to ours."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from ..core.op import Op
from .missing import is_absent, reason_for
from .refusals import UNSET, refusal, write_result

NEUTRAL: Mapping[str, Callable[[Any], bool]] = {
    "order": lambda v: v in ("C", "K", "A", None),
    "casting": lambda v: v in ("same_kind", "unsafe"),
    "where": lambda v: v is True,
    "dtype": lambda v: v is None,
    "kind": lambda v: True,  # ours are stable
    "stable": lambda v: True,
    "device": lambda v: v in (None, "cpu"),
    "mode": lambda v: v == "raise",
    **dict.fromkeys(("subok", "overwrite_input", "optimize", "copy", "like"), lambda v: True),
}
"""Keywords that our functions may lack, with a predicate for values that change nothing."""

OF_NUMPY = {"kind", "stable"}  # keywords whose default of None leaves the choice to us

INSTEAD = {
    "where": "choose with np.where(mask, x, identity) beforehand",
    "order": "all results are in C order; reshape the transpose instead",
    "mode": "bring the indices into range beforehand",
    "dtype": "cast with .astype(dtype) before or after",
}
OF_TORCH = {
    "dim": ("axis", "axes", "axis1"), "keepdim": ("keepdims",), "dims": ("axes", "axis", "shift"),
    "dim0": ("axis1",), "dim1": ("axis2",), "correction": ("ddof",), "unbiased": ("ddof",),
    "input": ("a", "x"), "other": ("b", "x2"), "repeats": ("reps", "repeats"),
    "min": ("a_min",), "max": ("a_max",), "n": ("n", "k"), "offset": ("k", "offset"),
}  # fmt: skip
"""PyTorch's names for arguments, and those that NumPy's functions may have for them."""
CALLED = {"amax": "max", "amin": "min", "around": "round", "permute_dims": "transpose"}
"""The names of our functions that differ from NumPy's."""


@cache
def function_for(func: object) -> Callable[..., Any]:
    """Our counterpart of a NumPy function, with NumPy's signature.

    Raises NumPyCallError if there is none.
    """
    space, name = place_of(func)
    absent = is_absent(space, name)  # one that writes into its argument may have a namesake here
    ours = None if absent else numpy_style_function(space, name) or function_of_name(name, space)
    if ours is None:
        raise refusal(title(space, name), *reason_for(space, name))
    return Bound(title(space, name), func, ours)


def place_of(func: Any) -> tuple[str, str]:
    """The namespace of NumPy's that a function is in, "" for the outermost, and its name."""
    return func.__module__.removeprefix("numpy").lstrip("."), func.__name__


def title(space: str, name: str) -> str:
    """The full name of a function: `numpy.linalg.norm`."""
    return ".".join(filter(None, ("numpy", space, name)))


def numpy_style_function(space: str, name: str) -> Callable[..., Any] | None:
    """Our function with NumPy's signature for one of NumPy's, if there is one."""
    found = (getattr(m, name) for m in modules().get(space, ()) if name in m.__all__)
    return next(found, None)


@cache
def modules() -> dict[str, tuple[ModuleType, ...]]:
    """The modules with functions for each namespace of NumPy's, imported when NumPy calls us."""
    from .functions import (
        algebra,
        creation,
        differences,
        joining,
        metadata,
        polynomials,
        products,
        reducing,
        selecting,
        shaping,
        statistics,
    )

    general = (
        metadata, products, differences, joining, creation, polynomials, reducing, selecting,
        shaping, statistics,
    )  # fmt: skip
    return {"": general, "linalg": (algebra,)}


def function_of_name(name: str, space: str = "") -> Callable[..., Any] | None:
    """The function of `gradops`, or of one of its namespaces, with a given name of NumPy's."""
    import gradops

    if space:
        owner = getattr(gradops, space, None)
        return getattr(owner, name) if name in getattr(owner, "__all__", ()) else None
    name = CALLED.get(name, name)
    listed = name in gradops.library.__all__ or name in gradops.numpy_api.aliases.__all__
    return getattr(gradops, name) if listed else None


class Bound:
    """A function of ours with the signature of a function of NumPy's."""

    __slots__ = ("arity", "call", "defaults", "names", "ours", "places")

    def __init__(self, call: str, func: object, ours: Callable[..., Any]) -> None:
        self.call, self.ours = call, ours
        self.names, is_open = parameters(func)
        theirs = self.names or {}
        self.places, self.arity = places_of(theirs, ours)
        if is_open or self.names is None:
            self.places |= {n: n for n in defaults_of(ours) if n not in self.places.values()}
        default = defaults_of(ours)
        self.defaults = {
            self.places[n]: v
            for n, v in theirs.items()
            if n in self.places and n not in OF_NUMPY and v not in (UNSET, inspect.Parameter.empty)
            and not same(v, default.get(self.places[n], UNSET))
        }  # fmt: skip

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.names is None:
            return self.ours(*args, **self.accepted(kwargs))
        given = dict(zip(self.names, args))
        given.update(kwargs)
        out, attrs, places = given.pop("out", None), self.defaults.copy(), self.places
        for name, value in given.items():
            if (place := places.get(name)) is not None:
                if value is not UNSET:
                    attrs[place] = value
            elif not self.is_neutral(name, value):
                raise self.keyword_error(name)
        found = self.ours(*[attrs.pop(i) for i in range(self.arity)], **attrs)
        return found if out is None else write_result(self.call, out, found)

    def accepted(self, kwargs: Mapping[str, object]) -> dict[str, object]:
        """The keywords that ours takes, for a function of any number of operands.

        Others are dropped if they are neutral, and refused otherwise.
        """
        ours = self.places.values()
        given = {n: v for n, v in kwargs.items() if n in ours or not self.is_neutral(n, v)}
        unknown = given.keys() - ours
        if unknown and not takes_any(self.ours):
            raise self.keyword_error(min(unknown))
        return given

    def is_neutral(self, name: str, value: object) -> bool:
        """True if a keyword that ours lacks has a value that changes nothing."""
        if value is UNSET or (name == "out" and value is None):
            return True
        if name in NEUTRAL:
            return NEUTRAL[name](value)
        return self.names is not None and same(value, self.names.get(name, UNSET))

    def keyword_error(self, name: str) -> Exception:
        """The error for a keyword that ours does not take."""
        return refusal(
            f"{self.call}(..., {name}=...)", f"tensors and expressions do not take {name}=",
            self.way_out(name),
        )  # fmt: skip

    def way_out(self, name: str) -> str:
        """A hint for an unknown keyword: NumPy's name for it, where the given one is PyTorch's."""
        theirs = [n for n in OF_TORCH.get(name, ()) if n in self.places]
        return f"write {theirs[0]}=" if theirs else INSTEAD.get(name, f"leave {name}= away")


def parameters(func: Any) -> tuple[dict[str, Any] | None, bool]:
    """The parameters of a NumPy function with their defaults, and True if it takes `**kwargs`.

    The parameters are None for a function of any number of operands.
    """
    try:
        found = inspect.signature(func).parameters.values()
    except (TypeError, ValueError):  # an early NumPy does not say for what is written in C
        return None, True
    is_open = any(p.kind is p.VAR_KEYWORD for p in found)
    if any(p.kind is p.VAR_POSITIONAL for p in found):
        return None, is_open
    return {p.name: p.default for p in found if p.kind is not p.VAR_KEYWORD}, is_open


def places_of(theirs: Mapping[str, object], ours: object) -> tuple[dict[str, Any], int]:
    """Our operand index or keyword for each parameter of NumPy's, and the number of operands."""
    if isinstance(ours, Op):
        arity = ours.arity or 0
        attrs = ours.params
        operands = dict(zip([n for n in theirs if n not in attrs], range(arity)))
        return operands | {n: n for n in theirs if n in attrs}, arity
    names = defaults_of(ours)
    required = [n for n, v in names.items() if v is inspect.Parameter.empty and n not in theirs]
    others = [n for n in theirs if n not in names]
    return {n: n for n in theirs if n in names} | dict(zip(others, required)), 0


def defaults_of(ours: Any) -> dict[str, object]:
    """The parameters of a function of ours that can be given by name, and their defaults."""
    if isinstance(ours, Op):
        return ours.params
    found = inspect.signature(ours).parameters.values()
    return {p.name: p.default for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def takes_any(ours: Any) -> bool:
    """True if a function of ours takes `**kwargs`."""
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(ours).parameters.values())


def same(a: object, b: object) -> bool:
    """True if two defaults are equal."""
    return a is b or (type(a) is type(b) and bool(np.all(a == b)))
