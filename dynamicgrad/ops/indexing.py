"""Indexing by PyTorch's rules, where they differ from NumPy's.

An integer beside an index array selects first. To NumPy it is an index array too, which puts the
indexed axes in front if they are separated.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gradops import index
from gradops.library.index.indexing import slice_

from ..dispatch.attributed import on_one
from ..engine.handle import ARRAYS, Handle
from ..engine.tensor import Tensor

ARRAY_LIKE = (bool, np.bool_, list, tuple, range, np.ndarray, Handle)

PARTS = (slice, list, tuple, range, np.ndarray, Handle)
BOUNDS = frozenset({int, type(None)})
LISTED = 32  # a list with as many entries is an array, whatever is in it

quick_slice = on_one(slice_, Tensor)


def get_item(t: Tensor, key: Any) -> Tensor:
    """`t[key]`."""
    form = (key,) if type(key) is int else basic_form(key)
    if form is not None:
        part = quick_slice(t, {"index": form})
        return index(t, key) if part is NotImplemented else part
    key = with_masks(as_tuple(key))
    if isinstance(key, tuple) and is_mixed(key):
        t, key = select_integers(t, key)
    return index(t, with_integers(key))


def basic_form(key: Any) -> tuple[Any, ...] | None:
    """The index of a key of integers, slices between integers, None and ...; None for others."""
    form: list[Any] = []
    for k in key if type(key) is tuple else (key,):
        if type(k) is slice:
            if not BOUNDS.issuperset((type(k.start), type(k.stop), type(k.step))):
                return None
            form.append(("slice", k.start, k.stop, k.step))
        elif type(k) is int or k is None:
            form.append(k)
        elif k is ...:
            form.append("...")
        else:
            return None
    return tuple(form)


def as_tuple(key: Any) -> Any:
    """A key; a short list with more in it than numbers becomes a tuple, as in PyTorch.

    `x[[[0, 1], [1, 2]]]` selects the entries `[0, 1]` and `[1, 2]`, as `x[[0, 1], [1, 2]]` does.
    """
    if type(key) is not list or len(key) >= LISTED:
        return key
    return tuple(key) if any(isinstance(k, PARTS) or k is None or k is ... for k in key) else key


def with_masks(key: Any) -> Any:
    """A key with boolean masks in place of uint8 tensors."""
    return map_entries(as_mask, key)


def as_mask(k: Any) -> Any:
    """A uint8 tensor as a boolean mask, as in PyTorch; anything else unchanged."""
    return k != 0 if isinstance(k, Handle) and k.dtype == np.uint8 else k


def with_integers(key: Any) -> Any:
    """A key with integers in place of tensors that hold one, so that it selects a view."""
    return map_entries(as_integer, key)


def map_entries(f: Callable[[Any], Any], key: Any) -> Any:
    """A key with `f` applied to its entries, if there is a tensor among them."""
    if isinstance(key, tuple):
        return tuple(map(f, key)) if any(isinstance(k, Handle) for k in key) else key
    return f(key) if isinstance(key, Handle) else key


def select_integers(t: Tensor, key: tuple[Any, ...]) -> tuple[Tensor, tuple[Any, ...]]:
    """The view of `t` at the integers of a key, and the rest of the key."""
    kept = (k for k in key if k is not None)
    first = [p for k in kept for p in ([k] if is_integer(k) else entries_for(k))]
    return index(t, tuple(map(as_integer, first))), tuple(k for k in key if not is_integer(k))


def is_mixed(key: tuple[Any, ...]) -> bool:
    """True if a key has both integers and arrays."""
    return any(map(is_integer, key)) and any(map(is_array, key))


def is_integer(k: Any) -> bool:
    """True if an entry of a key is an integer, or a tensor that holds one."""
    if isinstance(k, int | np.integer):
        return not isinstance(k, bool)
    return isinstance(k, Handle) and not k.shape and k.dtype.kind in "iu"


def as_integer(k: Any) -> Any:
    """The integer that a tensor holds; anything else unchanged."""
    if isinstance(k, Handle) and is_integer(k) and type(k.value) in ARRAYS:
        return k.value.item()
    return k


def is_array(k: Any) -> bool:
    """True if an entry of a key is an index array or a mask."""
    return isinstance(k, ARRAY_LIKE) and not is_integer(k)


def entries_for(k: Any) -> list[Any]:
    """The entries that stand for one entry of a key while the integers beside it select."""
    if k is ...:
        return [...]
    mask = is_array(k) and np.asarray(getattr(k, "value", k))
    return [slice(None)] * (mask.ndim if isinstance(mask, np.ndarray) and mask.dtype == bool else 1)
