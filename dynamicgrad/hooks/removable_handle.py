"""Handles on what was registered, by which it is removed again."""

import itertools
import weakref
from collections import OrderedDict
from typing import Any

counter = itertools.count()


class RemovableHandle:
    """Removes a hook; as a context manager, at the end of the block.

    >>> layer = dg.nn.Identity()
    >>> with layer.register_forward_hook(lambda module, args, output: output + 1):
    ...     layer(dg.ones(1))
    tensor([2.])
    >>> layer(dg.ones(1))
    tensor([1.])
    """

    __slots__ = ("__weakref__", "hooks", "id")

    def __init__(self, hooks: OrderedDict[int, Any]) -> None:
        self.hooks = weakref.ref(hooks)  # a handle that is kept keeps nothing else alive
        self.id = next(counter)

    def remove(self) -> None:
        """Remove the hook; a second time does nothing."""
        hooks = self.hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def registered(hooks: OrderedDict[int, Any], hook: Any, first: bool = False) -> RemovableHandle:
    """Add a hook after the others, or before them, and return the handle that removes it."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle
