"""The table of ops that have code of their own in the native tier."""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...ir.expr import Expr

if TYPE_CHECKING:
    from ..lowering import GraphWriter

Writer = Callable[["GraphWriter", Expr], None]
WRITERS: dict[str, Writer] = {}
"""By the name of an op, what writes the code of an application of it."""
LATER: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("conv", "conv_bias", "conv_operand", "conv_filters"), "convolutions")
    | dict.fromkeys(
        ("max_pool", "places_of_max", "sum_pool", "pick_from_windows", "put_into_windows",
         "sum_unpool"), "pooling",
    )
)  # fmt: skip
"""The modules that add the writers of some ops when a graph has one: importing them takes long."""


def is_written(name: str) -> bool:
    """True for an op that has code of its own."""
    return name in WRITERS or name in LATER


def writer_of(name: str) -> Writer | None:
    """The template that writes the code of an op; None for one that has none."""
    if name in LATER and name not in WRITERS:
        import_module(f".{LATER[name]}", __package__)
    return WRITERS.get(name)
