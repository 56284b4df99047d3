"""Matrices in the layouts that kernels are given."""

import numpy as np


def regular(n, dtype, seed=0):
    """A matrix far from singular."""
    return (np.random.default_rng(seed).normal(size=(n, n)) + 2 * n * np.eye(n)).astype(dtype)


def layouts(x):
    """The same entries at other steps."""
    wide = np.zeros((2 * x.shape[0], 3 * x.shape[1]), x.dtype)
    wide[::2, ::3] = x
    return x, x.copy(order="F"), wide[::2, ::3], x[::-1].copy()[::-1], x[:, ::-1].copy()[:, ::-1]
