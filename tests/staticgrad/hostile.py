"""Expressions under names of any kind, as texts and files of others may have them."""

from typing import Any

import staticgrad as sg


def called(e: Any, name: str) -> Any:
    """The expression `e` under a name, made unique, that functions that build would refuse."""
    e.name = e.names.unique(name)
    return e


def placeholder(dtype: str, shape: Any, name: str) -> Any:
    """A placeholder under any name."""
    return called(sg.placeholder(dtype, shape), name)
