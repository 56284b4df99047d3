"""Arrays with the same entries, in other places: what a caller may feed."""

import numpy as np

from ..passes.random_graphs import one_of


def laid_out_anyhow(rng, arrays):
    """Arrays, half of them with their entries in another order, alignment, or memory they share."""
    return [one_of(rng, LAYOUTS)(x) if rng.random() < 0.5 else x for x in overlapping(rng, arrays)]


def overlapping(rng, arrays):
    """Arrays; if two are vectors of a dtype, perhaps pieces of one memory that overlap."""
    found = list(arrays)
    for i, x in enumerate(found):
        for k, y in enumerate(found[:i]):
            alike = x.ndim == y.ndim == 1 and x.dtype == y.dtype and min(x.size, y.size) > 1
            if alike and rng.random() < 0.5:
                found[k] = y[: y.size]
                found[i] = np.concatenate([y, x])[y.size - 1 : y.size - 1 + x.size]
    return found


def misaligned(x):
    """A copy at an odd address."""
    memory = np.empty(x.nbytes + 1, np.uint8)
    result = np.frombuffer(memory[1:].data, x.dtype, x.size).reshape(x.shape)
    np.copyto(result, x)
    return result


def reversed_everywhere(x):
    """A copy whose entries lie backwards along each axis."""
    back = (slice(None, None, -1),) * x.ndim
    return x[back].copy()[back] if x.ndim else x


def transposed(x):
    """A copy whose axes lie in the opposite order."""
    return x.T.copy().T


def spread(x):
    """A copy with gaps between entries along the last axis."""
    return np.repeat(x, 3, axis=-1)[..., ::3] if x.ndim else x


def repeated(x):
    """The first entries of an axis, again and again, without memory of their own."""
    return np.broadcast_to(x[:1], x.shape) if x.ndim and x.shape[0] else x


def read_only(x):
    """A copy that must not be written to."""
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = (
    misaligned, reversed_everywhere, transposed, spread, repeated, read_only,
    lambda x: x.astype(x.dtype.newbyteorder()), lambda x: x.view(np.memmap), np.ndarray.tolist,
    lambda x: x[()], lambda x: misaligned(x.astype(x.dtype.newbyteorder())),
)  # fmt: skip
"""Functions of an array that keep its entries, or repeat some."""
