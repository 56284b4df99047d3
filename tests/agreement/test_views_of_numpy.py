"""What NumPy gives as a view of its argument is one of an array that is differentiated, too."""

import numpy as np
import pytest

import dynamicgrad as dg

X = np.arange(1.0, 10.0).reshape(3, 3)
VIEWS = {
    "einsum ij->ji": lambda y: np.einsum("ij->ji", y),
    "einsum ij->ij": lambda y: np.einsum("ij->ij", y),
    "einsum ii->i": lambda y: np.einsum("ii->i", y),
    "einsum iij->ji": lambda y: np.einsum("iij->ji", y[None] if y.ndim < 2 else y[:, :, None]),
    "broadcast_to": lambda y: np.broadcast_to(y, (2, 3, 3)),
    "broadcast_arrays": lambda y: np.broadcast_arrays(y, np.ones((2, 3, 3)))[0],
    "meshgrid": lambda y: np.meshgrid(y[0], y[1], copy=False)[0],
    "sparse meshgrid": lambda y: np.meshgrid(y[0], y[1], copy=False, sparse=True)[1],
    "transpose": lambda y: np.transpose(y), "moveaxis": lambda y: np.moveaxis(y, 0, 1),
    "swapaxes": lambda y: np.swapaxes(y, 0, 1), "diagonal": lambda y: np.diagonal(y),
    "reshape": lambda y: np.reshape(y, (9,)), "ravel": lambda y: np.ravel(y),
    "expand_dims": lambda y: np.expand_dims(y, 0), "squeeze": lambda y: np.squeeze(y[:1]),
    "flip": lambda y: np.flip(y, 0), "rot90": lambda y: np.rot90(y),
    "atleast_3d": lambda y: np.atleast_3d(y), "split": lambda y: np.split(y, 3)[1],
    "hsplit": lambda y: np.hsplit(y, 3)[1], "array_split": lambda y: np.array_split(y, 2)[0],
    "broadcast of a row": lambda y: np.broadcast_to(y[0], (4, 3)),
}  # fmt: skip
COPIES = {
    "meshgrid": lambda y: np.meshgrid(y[0], y[1])[0], "copy": lambda y: np.copy(y),
    "meshgrid of one": lambda y: np.meshgrid(y[0], indexing="ij")[0],
    "einsum with a sum": lambda y: np.einsum("ij->i", y), "tile": lambda y: np.tile(y, 1),
    "flatten": lambda y: y.flatten(), "concatenate": lambda y: np.concatenate([y]),
    "take": lambda y: np.take(y, [0, 1], 0), "repeat": lambda y: np.repeat(y, 1, 0),
    "roll": lambda y: np.roll(y, 0), "pad": lambda y: np.pad(y, 0),
}  # fmt: skip


@pytest.mark.parametrize("view", [*VIEWS.values(), *COPIES.values()], ids=[*VIEWS, *COPIES])
def test_a_write_to_the_argument_is_seen_where_numpy_shows_it(view):
    def f(x):
        y = x * 1
        v = view(y)
        y[0, 1] = 20.0
        y[1] *= 3.0
        return np.sum(v * v)

    assert dg.value_and_grad(f)(X)[0] == f(X)


def is_written(view):
    """Whether NumPy lets the view be written to, and does not say that it may not soon."""
    try:
        v = view(X.copy())
        v[...] = v[...] * 2.0
    except (ValueError, DeprecationWarning):
        return False
    return True


WRITTEN = {name: view for name, view in VIEWS.items() if is_written(view)}


@pytest.mark.parametrize("view", WRITTEN.values(), ids=WRITTEN)
def test_a_write_to_the_view_reaches_the_argument(view):
    def f(x):
        y = x * 1
        v = view(y)
        v[...] = v[...] * 2.0
        return np.sum(y * y)

    assert dg.value_and_grad(f)(X)[0] == f(X)
