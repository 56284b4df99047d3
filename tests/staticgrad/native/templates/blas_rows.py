"""What this machine's BLAS does with rows: tests of bits ask it first."""

import numpy as np


def rows_are_alone(dtype, whole, part, inner, columns):
    """Whether BLAS gives the rows of a block the bits that they have in the product of all rows.

    OpenBLAS's kernels for Haswell and Zen do not in float32, those for AVX-512 do.
    """
    rng = np.random.default_rng(0)
    x = rng.normal(size=(whole, inner)).astype(dtype)
    w = rng.normal(size=(inner, columns)).astype(dtype)
    return all(
        np.array_equal((x @ w)[i : i + part], x[i : i + part] @ w) for i in range(0, whole, part)
    )
