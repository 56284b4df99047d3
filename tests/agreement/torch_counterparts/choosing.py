"""What picks, updates and orders entries."""

import math

import numpy as np


def key_of(index, arrays):
    """The key for subscripts that an encoded index of ours stands for."""
    arrays = iter(arrays)
    spelled = {"array": lambda: next(arrays), "...": lambda: ...}
    return tuple(
        slice(*e[1:]) if isinstance(e, tuple) else spelled[e]() if isinstance(e, str) else e
        for e in index
    )


def places_of(shape, index, arrays):
    """The places in an array in one row that an encoded index of ours stands for, as NumPy finds
    them: torch has no negative steps."""
    key = tuple(k.numpy() if hasattr(k, "numpy") else k for k in key_of(index, arrays))
    return np.array(np.arange(math.prod(shape)).reshape(tuple(shape))[key])


def subscripted(torch, x, *arrays, index):
    return x.reshape(-1)[torch.as_tensor(places_of(x.shape, index, arrays))]


def scattered(torch, x, *arrays, index, shape):
    places = places_of(shape, index, arrays)
    flat = torch.zeros(math.prod(shape), dtype=x.dtype)
    return flat.index_add(0, torch.as_tensor(places.ravel()), x.reshape(-1)).reshape(shape)


def updated(how):
    """An update of some entries."""

    def call(torch, x, v, *arrays, index):
        places = places_of(x.shape, index, arrays)
        flat, values = x.reshape(-1), v.expand(places.shape).reshape(-1)
        if how == "index_copy":  # torch writes in any order
            last = {p: i for i, p in enumerate(places.ravel().tolist())}
            values, places = values[list(last.values())], np.array(list(last), int)
        i = torch.as_tensor(places.ravel())
        if how.startswith("index"):
            return getattr(flat, how)(0, i, values).reshape(x.shape)
        return flat.scatter_reduce(0, i, values, how).reshape(x.shape)

    return call


def ordered(torch, x, axis, descending, stable):
    """The entries sorted, as NumPy orders them: torch does not sort complex numbers."""
    order = np.argsort(x.detach().numpy(), axis, stable=True)
    order = np.flip(order, axis) if descending else order
    return torch.gather(x, axis, torch.as_tensor(order.copy()))


COUNTERPARTS = {
    "add_at": updated("index_add"), "set_at": updated("index_copy"),
    "maximum_at": updated("amax"), "minimum_at": updated("amin"),
    "argkth": lambda torch, x, k, axis: torch.kthvalue(x, k, axis, True).indices,
    "argtopk": lambda torch, x, k, axis, largest: (
        torch.argsort(x, dim=axis, descending=largest, stable=True).narrow(axis, 0, k)
    ),
    "getitem": subscripted, "slice": subscripted, "scatter": scattered, "sort": ordered,
    "take_along_axis": lambda torch, x, i, axis: torch.take_along_dim(x, i % x.shape[axis], axis),
    "order_statistics": lambda torch, x, ranks, axis: (
        x.sort(axis).values.index_select(axis, torch.tensor(ranks))
    ),
}  # fmt: skip
