"""The same for the extensions `linalg` and `fft`, and for what of linear algebra is no extension.

Of factorisations, which are not unique, what they are made of is compared: see `REBUILT`.
"""

import numpy as np

from .cases import INEXACT, NUMERIC, call, every
from .standard import COMPLEX, DTYPES, FLOATS, strict
from .values import Dtype, ordinary, positive_definite

SQUARE = [ordinary((3, 3), d) + 3 * np.eye(3, dtype=d) for d in INEXACT]
STACKS = [ordinary((2, 3, 3), d) + 3 * np.eye(3, dtype=d) for d in INEXACT]
TALL = [ordinary((2, 4, 3), d) for d in INEXACT]
WIDE = [ordinary((3, 4), d) for d in INEXACT]
DEFINITE = [positive_definite((3, 3), d) for d in INEXACT]
EMPTY = np.zeros((0, 0))
NORMS = [1, 2, np.inf, -np.inf, -1, -2, "fro", "nuc"]

MATMUL = [
    call(ordinary((2, 3), a), ordinary((3, 4), b)) for a in NUMERIC for b in NUMERIC
] + [
    call(ordinary(a, "float64"), ordinary(b, "float64"))
    for a, b in [((3,), (3,)), ((3,), (2, 3, 4)), ((5, 2, 3), (3,)), ((5, 1, 2, 3), (2, 3, 4)),
                 ((2, 0), (0, 3))]
]  # fmt: skip
TENSORDOT = [
    *(call(ordinary((2, 3), d), ordinary((3, 2), d), axes=1) for d in NUMERIC),
    call(ordinary((2, 3, 4), "float64"), ordinary((3, 4, 2), "float64")),
    call(ordinary((2, 3), "float64"), ordinary((4,), "float64"), axes=0),
    call(ordinary((2, 3, 4), "float64"), ordinary((4, 2), "float64"), axes=((0, 2), (1, 0))),
    call(ordinary((2, 3, 4), "float64"), ordinary((4, 2), "float64"), axes=([-1], [0])),
]
VECDOT = [
    *(call(ordinary((2, 3), d), ordinary((3,), d, 1)) for d in NUMERIC),
    call(ordinary((3, 2), "complex64"), ordinary((3, 1), "complex128"), axis=-2),
]
PRODUCTS = {"matmul": MATMUL, "tensordot": TENSORDOT, "vecdot": VECDOT}
LINALG = {
    **PRODUCTS,
    "matrix_transpose": [call(ordinary((2, 3, 4), d)) for d in DTYPES],
    "cholesky": [call(x, **o) for x in DEFINITE for o in [{}, {"upper": True}]] + [call(EMPTY)],
    "cross": [call(ordinary((2, 3), d), ordinary((3,), d, 1)) for d in NUMERIC]
    + [call(ordinary((3, 2), "float64"), ordinary((3, 1), "float64"), axis=-2)],
    "det": [call(x) for x in SQUARE + STACKS],
    "diagonal": every(DTYPES, (2, 3, 4), [{}, {"offset": 1}, {"offset": -2}]),
    "eigh": [call(x) for x in DEFINITE], "eigvalsh": [call(x) for x in DEFINITE],
    "eig": [call(x) for x in SQUARE + STACKS], "eigvals": [call(x) for x in SQUARE + STACKS],
    "inv": [call(x) for x in SQUARE + STACKS],
    "matrix_norm": [call(x, ord=o) for x in TALL for o in NORMS]
    + [call(x, keepdims=True) for x in TALL]
    + [call(np.zeros((2, 0, 3)), ord=o) for o in (1, 2, np.inf, "fro", "nuc")],
    "matrix_power": [call(x, n) for x in SQUARE + STACKS for n in (3, 1, 0, -2)],
    "matrix_rank": [call(x) for x in [*SQUARE, *STACKS, *TALL, np.ones((3, 3))]]
    + [call(np.diag([1.0, 0.5, 1e-3]), rtol=1e-2)],
    "outer": [call(ordinary((2,), d), ordinary((3,), d)) for d in NUMERIC],
    "pinv": [call(x) for x in [*SQUARE, *TALL, *WIDE]]
    + [call(np.diag([1.0, 0.5, 1e-3]), rtol=1e-2)],
    "qr": [call(x, **o) for x in [*SQUARE, *TALL, *WIDE] for o in [{}, {"mode": "complete"}]],
    "slogdet": [call(x) for x in SQUARE + STACKS] + [call(np.zeros((2, 2)))],
    "solve": [call(x, ordinary((3, 2), str(x.dtype))) for x in SQUARE + STACKS]
    + [call(x, ordinary((3,), str(x.dtype))) for x in SQUARE + STACKS],
    "svd": [
        call(x, **o) for x in [*SQUARE, *TALL, *WIDE] for o in [{}, {"full_matrices": False}]
    ],
    "svdvals": [call(x) for x in [*SQUARE, *TALL, *WIDE]],
    "trace": [*every(NUMERIC, (2, 3, 4), [{}, {"offset": 1}, {"offset": -2}]),
        call(ordinary((3, 3), "float32"), dtype=Dtype("float64"))],
    "vector_norm": [
        call(ordinary((2, 3, 4), d), **o) for d in INEXACT for o in [
            {}, {"axis": 1}, {"axis": (0, -1), "keepdims": True}, {"keepdims": True},
            *({"axis": -1, "ord": n} for n in (0, 1, 3, -1, -2, 0.5, np.inf, -np.inf)),
        ]
    ],
}  # fmt: skip

SIZES = [{}, {"n": 3}, {"n": 8}, {"axis": 0}, {"norm": "ortho"}, {"norm": "forward", "n": 7}]
AXES = [{}, {"axes": (0,)}, {"s": (2, 5), "axes": (0, 2)}, {"norm": "ortho"}, {"axes": (-1, 0)}]
FFT = {
    **{name: every(COMPLEX, (2, 6), SIZES) for name in ("fft", "ifft", "irfft", "hfft")},
    **{name: every(FLOATS, (2, 6), SIZES) for name in ("rfft", "ihfft")},
    **{name: every(COMPLEX, (2, 3, 4), AXES) for name in ("fftn", "ifftn", "irfftn")},
    "rfftn": every(FLOATS, (2, 3, 4), AXES),
    "fftshift": every(INEXACT, (2, 5), [{}, {"axes": 1}, {"axes": (0, -1)}]),
    "ifftshift": every(INEXACT, (2, 5), [{}, {"axes": 1}, {"axes": (0, -1)}]),
    "fftfreq": [call(n, d=d, dtype=Dtype("float64")) for n in (1, 4, 5) for d in (1.0, 0.1)],
    "rfftfreq": [call(n, d=d, dtype=Dtype("float32")) for n in (1, 4, 5) for d in (1.0, 0.1)],
}
CALLS = {
    **PRODUCTS, "matrix_transpose": LINALG["matrix_transpose"],
    **{f"linalg.{name}": calls for name, calls in LINALG.items()},
    **{f"fft.{name}": calls for name, calls in FFT.items()},
}  # fmt: skip


def eigen(x, values, vectors):
    """What a matrix and its eigenvectors give: the eigenvectors times the eigenvalues."""
    return [values, x @ vectors - vectors * values[..., None, :], gram(vectors)]


def gram(q):
    """All products of columns of matrices."""
    return np.conj(np.swapaxes(q, -1, -2)) @ q


def from_svd(x, u, s, vh):
    """The matrix again, and that the vectors are orthonormal."""
    k = s.shape[-1]
    return [
        s,
        u[..., :k] * s[..., None, :] @ vh[..., :k, :],
        gram(u),
        gram(np.swapaxes(vh, -1, -2)),
    ]


def as_complex(*results):
    """The oracle's arrays of what NumPy gives, which is real where all eigenvalues are."""
    return tuple([strict.asarray(np.asarray(y, np.result_type(y, "c8"))) for y in results])


LATER = {
    "linalg.eig": lambda x: as_complex(*np.linalg.eig(x._array)),
    "linalg.eigvals": lambda x: as_complex(np.linalg.eigvals(x._array)),
}
"""What stands in for the oracle where it has no such function yet."""
REBUILT = {
    "linalg.eig": lambda x, values, vectors: [values, x @ vectors - vectors * values[..., None, :]],
    "linalg.eigh": eigen,
    "linalg.qr": lambda x, q, r: [q @ r, gram(q), np.tril(r, -1)],
    "linalg.svd": from_svd,
}
"""From the operand and the parts of a factorisation, what has one value only."""
