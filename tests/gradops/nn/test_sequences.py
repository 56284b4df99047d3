"""Sequences in machine code have the bits of their steps, on any number of threads."""

import numpy as np
import pytest

from gradops.kernels.native_kernels import is_installed, native_kernels
from gradops.kernels.threads import get_num_threads, set_num_threads
from gradops.nn import sequences

needs_native = pytest.mark.skipif(not is_installed(), reason="llvmlite is not installed")
SIZES = [(5, 33, 20), (3, 1, 14), (4, 64, 128), (2, 300, 6), (1, 2, 1)]
every_size = pytest.mark.parametrize("size", SIZES, ids=str)
every_direction = pytest.mark.parametrize("reverse", [False, True])
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def arrays(gates, size, dtype):
    """Contributions of inputs, a matrix as layers have it, and a state, a bias and cotangents."""
    rng, (steps, rows, n) = np.random.default_rng(0), size
    shapes = (steps, rows, gates * n), (gates * n, n), (rows, n), (gates * n,), (steps, rows, n)
    xs, w, h, b, g = (rng.normal(size=s).astype(dtype) for s in shapes)
    return xs, w.T / 4, h, b, g


def lstm(gates, size, dtype, reverse):
    xs, u, h, _, g = arrays(gates, size, dtype)
    run = sequences.lstm_run(xs, h, h + 1, u, reverse)
    return [*run[:3], *sequences.lstm_pull_back(run, reverse, g, None, h)]


def gru(gates, size, dtype, reverse):
    xs, u, h, b, g = arrays(gates, size, dtype)
    run = sequences.gru_run(xs, h, u, b, reverse)
    return [*run[:3], *sequences.gru_pull_back(run, reverse, g, h)]


LAYERS = [(lstm, 4), (gru, 3)]
every_layer = pytest.mark.parametrize(("layer", "gates"), LAYERS, ids=["LSTM", "GRU"])


def same(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes()


@needs_native
@every_layer
@every_size
@every_dtype
@every_direction
def test_one_call_has_the_bits_of_its_steps(layer, gates, size, dtype, reverse, monkeypatch):
    found = layer(gates, size, dtype, reverse)
    for name in ("lstm_states", "lstm_cotangents", "gru_states", "gru_cotangents",
                 "sum_of_products"):  # fmt: skip
        monkeypatch.setattr(sequences, name, getattr(sequences, name).by_numpy)
    same(found, layer(gates, size, dtype, reverse))


@every_layer
@every_size
@every_dtype
@every_direction
def test_machine_code_is_near_numpy(layer, gates, size, dtype, reverse):
    found = layer(gates, size, dtype, reverse)
    with native_kernels(False):
        wanted = layer(gates, size, dtype, reverse)
    for a, b in zip(found, wanted, strict=True):
        scale = max(1.0, np.abs(b).max())
        assert np.allclose(a, b, rtol=0, atol=60 * scale * np.finfo(dtype).eps)


@every_layer
def test_the_number_of_threads_changes_no_bits(layer, gates):
    found, usual = [], get_num_threads()
    try:
        for n in (1, 2):
            set_num_threads(n)
            found.append(layer(gates, SIZES[2], np.float32, False))
    finally:
        set_num_threads(usual)
    same(*found)


@every_layer
def test_operands_in_other_orders_give_the_bits_of_those_in_order(layer, gates, monkeypatch):
    wanted = layer(gates, SIZES[0], np.float32, False)
    plain = arrays

    def turned(*args):
        return [np.asfortranarray(x) for x in plain(*args)]

    monkeypatch.setitem(globals(), "arrays", turned)
    same(layer(gates, SIZES[0], np.float32, False), wanted)
