"""Keys of every kind, in pairs and triples, select and are written to as in torch."""

import itertools
import warnings

import numpy as np
import pytest

import dynamicgrad as dg

from .promotion.outcomes import arrays

ENTRIES = [
    "0", "-1", "slice(None)", "slice(1, 3)", "slice(None, None, 2)", "...", "None", "[1, 3]",
    "(0, 1)", "range(2)", "lib.tensor([1, 3])", "lib.tensor([[0], [2]])", "lib.tensor(2)",
    "lib.tensor([-1, 0], dtype=lib.int32)", "lib.tensor([], dtype=lib.int64)", "np.int64(1)",
    "np.array([0, 2])", "True", "False", "lib.tensor(True)", "[True, False, True, True]",
    "lib.tensor([True, False, True, True])", "lib.tensor([True, False, True, False, True])",
    "lib.tensor([1, 0, 1, 1], dtype=lib.uint8)", "lib.tensor(1, dtype=lib.uint8)",
    "lib.tensor([1.0, 2.0])", "lib.tensor(1, dtype=lib.int16)",
]  # fmt: skip
LISTS = [  # which count as tuples if there is more in them than numbers
    "[[0, 1], [1, 2]]", "[[0, 2]]", "[None, 0]", "[slice(1, 3), 1]", "[..., 0]", "[range(2)]",
    "[lib.tensor([0, 1]), lib.tensor([1, 2])]", "[1, lib.tensor(2)]", "[0, [1, 2]]", "[[[0, 1]]]",
    "[np.array([0, 2])]", "[[True, False, True, True]]", "[[0]] * 31", "[[0]] * 32", "[(0, 1), 2]",
]  # fmt: skip
RNG = np.random.default_rng(0)
TRIPLES = [tuple(RNG.choice(ENTRIES, 3)) for _ in range(400)]
KEYS = [
    key
    for key in (*((e,) for e in ENTRIES + LISTS), *itertools.product(ENTRIES, repeat=2), *TRIPLES)
    if key.count("...") < 2  # torch takes several
]
X = np.arange(120, dtype=np.float32).reshape(4, 5, 6)


def selected(lib, key):
    """What a key selects, or the error."""
    return outcome(lambda: lib.tensor(X)[evaluated(lib, key)])


def written(lib, key):
    """A tensor with other entries at a key, or the error."""

    def write():
        x = lib.tensor(X)
        shape = x[evaluated(lib, key)].shape
        x[evaluated(lib, key)] = -lib.ones(tuple(shape)).cumsum(0) if shape else lib.tensor(-1.0)
        return x

    return outcome(write)


def evaluated(lib, key):
    """A key for a library."""
    found = tuple(eval(entry, {"lib": lib, "np": np}) for entry in key)
    return found if len(found) > 1 else found[0]


def outcome(f):
    """What `f` gives, or the error that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, of masks of bytes
        try:
            return f()
        except Exception as error:
            return error


def agree(ours, theirs):
    """Whether two outcomes are the same entries, or errors of one kind."""
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        return isinstance(ours, type(theirs))
    (a,), (b,) = arrays(ours), arrays(theirs)
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b)


@pytest.mark.peers
@pytest.mark.parametrize("call", [selected, written])
def test_keys_are_torchs(call):
    torch = pytest.importorskip("torch")
    wrong = [key for key in KEYS if not agree(call(dg, key), call(torch, key))]
    assert not wrong, f"{len(wrong)} of {len(KEYS)}: {wrong[:5]}"


def test_bytes_are_a_mask():
    x, mask = dg.tensor([1, 2, 3]), dg.tensor([0, 1, 1], dtype=dg.uint8)
    assert x[mask].tolist() == [2, 3]
    x[mask] = dg.tensor([5, 6])
    assert x.tolist() == [1, 5, 6]


def test_truth_values_and_sequences_beside_integers_are_arrays():
    x = dg.tensor(X)
    assert x[dg.tensor([-1, 0]), True, 1].tolist() == X[[-1, 0], 1][:, :].tolist()
    assert x[-1, ..., range(2)].tolist() == X[-1][:, :2].tolist()
