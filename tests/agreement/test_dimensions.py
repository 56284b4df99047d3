"""Every function and method that takes a `dim`, at numbers, empty axes and missing dimensions.

Which ones there are is found by calling torch: whatever both libraries have under one name and
torch takes a `dim` for, in one of the ways of `CALLS`, is called with every dimension on every
shape. What comes out, or the kind of error, is torch's.
"""

import warnings
from functools import cache

import numpy as np
import pytest

import dynamicgrad as dg

TOLERANCE = 1e-9  # other algorithms, in float64
SHAPES = [(), (1,), (0,), (3,), (2, 3), (0, 3), (2, 0), (2, 1, 3)]
DIMS = [0, -1, 1, -2, 2]
USUAL = np.array([[1.5, -2.0, 0.25], [0.5, 3.0, -1.0]])
CALLS = {
    "f(x, dim)": lambda t, f, x, d: f(x, dim=d),
    "f(x, dim, keepdim)": lambda t, f, x, d: f(x, dim=d, keepdim=True),
    "f(x, 1, dim)": lambda t, f, x, d: f(x, 1, dim=d),
    "f(x, 0, dim)": lambda t, f, x, d: f(x, d, 0),
    "f(x, x, dim)": lambda t, f, x, d: f(x, x, dim=d),
    "f([x, x], dim)": lambda t, f, x, d: f([x, x], dim=d),
    "f(x, dim, indices)": lambda t, f, x, d: f(x, d, t.tensor([0, 0])),
    "f(x, dim, no indices)": lambda t, f, x, d: f(x, d, t.tensor([], dtype=t.int64)),
    "f(x, dim, places)": lambda t, f, x, d: f(x, d, x.long() * 0),
    "f(x, places, dim)": lambda t, f, x, d: f(x, x.long() * 0, dim=d),
    "f(x, dim, places, x)": lambda t, f, x, d: f(x, d, x.long() * 0, x + 1),
    "f(x, dim, places, 2)": lambda t, f, x, d: f(x, d, x.long() * 0, 2.0),
    "f(x, dim, all, x)": lambda t, f, x, d: f(x, d, t.arange(length(x, d)), x + 1),
    "f(x, dim, all, 2)": lambda t, f, x, d: f(x, d, t.arange(length(x, d)), 2.0),
    "f(x, dim, dim)": lambda t, f, x, d: f(x, d, d),
    "f(x, dim, 0, 1)": lambda t, f, x, d: f(x, d, 0, 1),
    "f(x, dim, 1, 1)": lambda t, f, x, d: f(x, d, 1, 1),
    "f(x, (dim,))": lambda t, f, x, d: f(x, (d,)),
    "f(x, 1, (dim,))": lambda t, f, x, d: f(x, 1, (d,)),
    "f(x, dim, (1, -1))": lambda t, f, x, d: f(x, d, (1, -1)),
}
BY_NAME = {"f(x, dim)", "f(x, dim, keepdim)", "f(x, 1, dim)", "f(x, x, dim)", "f(x, (dim,))"}
NO_DIMENSION = {"hardtanh": "bounds", "uniform_": "bounds"}
LEFT_OUT = NO_DIMENSION | {
    "dropout": "draws", "feature_dropout": "draws", "gumbel_softmax": "draws",
    "empty": "shows memory as it is", "empty_like": "shows memory as it is",
    "new_empty": "shows memory as it is", "mode": "torch chooses any of equal entries",
}  # fmt: skip


TORCHS_OWN = {
    "topk": "torch gives the one entry of a number though none was asked for",
    "linalg.vecdot": "torch takes any dim for vectors",
    "cummax cummin roll": "torch takes any dim where there are no entries",
    "repeat_interleave": "torch checks no counts that are negative but for entries",
}
QUIRKS = {
    name: {"topk": ((),), "linalg.vecdot": ((1,), (0,), (3,))}.get(names, ((0,), (0, 3), (2, 0)))
    for names in TORCHS_OWN
    for name in names.split()
}


def length(x, d):
    """The size of a dimension, or 1 if there is none."""
    return x.shape[d] if -len(x.shape) <= d < len(x.shape) else 1


def both(torch):
    """The functions and methods that both libraries have, by their names."""
    for prefix, theirs, ours in (
        ("", torch, dg), ("nn.functional.", torch.nn.functional, dg.nn.functional),
        ("linalg.", torch.linalg, dg.linalg), ("Tensor.", torch.Tensor, dg.Tensor),
    ):  # fmt: skip
        for name in sorted(dir(theirs)):
            f, g = getattr(theirs, name), getattr(ours, name, None)
            if name[0] != "_" and name not in LEFT_OUT and callable(f) and callable(g):
                yield prefix + name, f, g


def called(lib, call, f, values, d):
    """The results of a call on a fresh tensor, as arrays, or the error."""
    x = lib.tensor(values)
    try:
        with np.errstate(all="ignore"):
            found = call(lib, f, x, d)
    except Exception as error:
        return error
    found = list(found) if isinstance(found, tuple | list) else [found]
    return [np.asarray(y) if hasattr(y, "shape") else y for y in [*found, x]]


@cache
def cases(torch):
    """Each function and way to call it that torch takes, on a matrix."""
    found = []
    for name, f, g in both(torch):
        named = not isinstance(called(torch, CALLS["f(x, dim)"], f, USUAL, 0), Exception)
        for how, call in CALLS.items():
            if named and how not in BY_NAME:
                continue  # what comes second or third is something else
            if not isinstance(called(torch, call, f, USUAL, 0), Exception):
                if not isinstance(called(torch, call, f, USUAL, 5), Exception):
                    continue  # what it takes is no dimension
                found.append((name, how, f, g))
    return found


def unlike(want, got):
    """How two outcomes differ, in words; None if they do not."""
    if isinstance(want, Exception) or isinstance(got, Exception):
        kind = RuntimeError if isinstance(want, NotImplementedError) else type(want)
        return None if isinstance(got, kind) else f"torch: {want!r}\nours: {got!r}"
    if len(want) != len(got):
        return f"torch: {want}\nours: {got}"
    for a, b in zip(want, got, strict=True):
        alike = np.shape(a) == np.shape(b) and np.asarray(a).dtype == np.asarray(b).dtype
        if not alike or not np.allclose(a, b, TOLERANCE, TOLERANCE, equal_nan=True):
            return f"torch: {a!r}\nours: {b!r}"
    return None


@pytest.mark.peers
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_dimensions_are_torchs(shape):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    values = np.resize(USUAL, shape) if 0 not in shape else np.zeros(shape)
    differences = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, how, f, g in cases(torch):
            if shape in QUIRKS.get(name.removeprefix("Tensor."), ()):
                continue
            for d in DIMS:
                pair = called(torch, CALLS[how], f, values, d), called(dg, CALLS[how], g, values, d)
                if found := unlike(*pair):
                    differences.append(f"{name}, {how}, dim={d}, {shape}:\n{found}")
    assert not differences, f"{len(differences)}\n" + "\n".join(differences)
