"""For every function of the standard, the calls that are compared with the oracle."""

import itertools

import numpy as np

from gradops.array_api.elementwise import OF_ONE, OF_TWO

from .standard import COMPLEX, DTYPES, FLOATS, INTEGERS, strict
from .values import Call, Dtype, ordinary, special

NUMERIC = INTEGERS + FLOATS + COMPLEX
REAL = INTEGERS + FLOATS
INEXACT = FLOATS + COMPLEX
SCALARS = [True, 2, 2.5, 2.5j]
AXES = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}]
SEVERAL = [*AXES, {"axis": (0, 2)}, {"axis": (), "keepdims": True}, {"keepdims": True}]
SHIFTS = {"bitwise_left_shift", "bitwise_right_shift"}


def call(*args, **options):
    return Call(args, options)


def every(dtypes, shape, options, *more):
    """A call for each dtype and each set of options."""
    return [Call((ordinary(shape, d), *more), o) for d in dtypes for o in options]


def of_one(name):
    """Calls of a function of one array: every dtype, special values, shapes."""
    shapes = [call(ordinary(shape, "float64")) for shape in [(), (0,), (2, 0, 3), (1, 2)]]
    values = [special(d) for d in DTYPES]
    if name == "sign":  # of infinite complex numbers the standard says nothing
        values = [x if x.dtype.kind != "c" else x[~np.isinf(x)] for x in values]
    return [*map(call, values), *shapes, call(ordinary((2, 1), "bool"))]


def in_pairs(name, d):
    """All pairs of special values of a dtype, as two arrays that broadcast."""
    x = special(d)
    y = x[(x >= 0) & (x < 8)] if name in SHIFTS else x
    if name in {"floor_divide", "remainder"} and d in INTEGERS:
        y = y[y != 0]
    if name == "pow" and d in INTEGERS:
        x, y = x[np.abs(x.astype(float)) < 8], y[(y >= 0) & (y < 4)]
    return call(x[:, None], y)


def of_two(name):
    """Calls of a function of two arrays: pairs of dtypes, of special values, numbers, shapes."""
    same = [in_pairs(name, d) for d in (INTEGERS if name in SHIFTS else DTYPES)]
    mixed = [call(np.ones(3, a), np.ones((2, 1), b)) for a, b in itertools.product(DTYPES, DTYPES)]
    beside = [(np.ones(3, d), s) for d in DTYPES for s in SCALARS]
    numbers = [call(*pair) for x, s in beside for pair in ((x, s), (s, x))]
    shapes = [
        call(np.ones(a, d), np.ones(b, d))
        for a, b in [((), (2,)), ((0, 1), (3,)), ((2, 1, 3), (4, 1))]
        for d in ("float32", "bool", "uint8")
    ]
    return [*same, *mixed, *numbers, *shapes]


def many(name, dtypes, options):
    numbers = [call(ordinary((), d), axis=()) for d in dtypes if options is not AXES]
    return {name: every(dtypes, (2, 3, 4), options) + numbers}


X = ordinary((2, 3, 4), "float32")
ROW = ordinary((5,), "float64")
CUBE = np.arange(24.0).reshape(2, 3, 4)
DTYPED = [{"dtype": Dtype(d)} for d in ("float32", "float64", "int64", "complex128")]
DIM0 = ordinary((), "float64")
ORDERED = [np.arange(12)[::-1].reshape(3, 4).astype(d) % 5 for d in REAL]
WITH_TIES = [
    Call((x,), o)
    for x in ORDERED
    for o in [{}, {"axis": 0}, {"descending": True}, {"axis": 0, "descending": True}]
]  # fmt: skip
CHOSEN = np.array([2, 0, -1, 2])

CREATION = {
    "arange": [
        call(5), call(2, 7), call(5, 2, -1), call(0, 1, 0.25, dtype=Dtype("float64")),
        call(3.0, dtype=Dtype("float32")), call(0), call(4, dtype=Dtype("uint8")),
    ],
    "asarray": [
        *(call(special(d)) for d in DTYPES), call([[1, 2], [3, 4]]), call(3), call(True),
        call([1, 0], dtype=Dtype("float64")), call([], dtype=Dtype("int8")),
        call(2.5, dtype=Dtype("float32")), call(ROW, copy=True), call([True, False]),
        call([1j], dtype=Dtype("complex64")), call(CHOSEN, dtype=Dtype("int64")),
    ],
    "empty": [call((0,), dtype=Dtype(d)) for d in DTYPES],
    "empty_like": [call(np.empty((2, 0), d)) for d in DTYPES],
    "eye": [
        call(n, m, k=k, dtype=Dtype(d))
        for n, m, k, d in [(3, None, 0, "float64"), (2, 4, 1, "int8"), (4, 2, -2, "bool"),
                           (0, 3, 0, "complex64")]
    ],
    "full": [
        *(call((2, 3), 1, dtype=Dtype(d)) for d in DTYPES), call(3, 2), call((), True),
        call((2,), 2.5, dtype=Dtype("float64")), call((2,), 1j, dtype=Dtype("complex128")),
    ],
    "full_like": [
        *(call(ordinary((2, 3), d), 1) for d in DTYPES),
        call(X, 3, dtype=Dtype("int16")), call(X, np.nan),
    ],
    "linspace": [
        call(0, 1, 5, dtype=Dtype("float64")), call(1.5, -2.0, 4, dtype=Dtype("float32")),
        call(0, 1, 4, endpoint=False, dtype=Dtype("float64")),
        call(0, 1, 0, dtype=Dtype("float64")), call(0, 1j, 3, dtype=Dtype("complex128")),
    ],
    "meshgrid": [
        call(), call(np.arange(3)), call(np.arange(3), np.arange(2)),
        call(np.arange(3), np.arange(2), np.arange(4), indexing="ij"),
        call(np.arange(3.0), np.arange(2.0), np.arange(4.0)), call(np.array(2), np.arange(3)),
    ],
    "ones": [call((2, 3), dtype=Dtype(d)) for d in DTYPES] + [call(2, dtype=Dtype("int8"))],
    "ones_like": [call(ordinary((2, 3), d)) for d in DTYPES] + [call(X, dtype=Dtype("bool"))],
    "zeros": [call((2, 3), dtype=Dtype(d)) for d in DTYPES] + [call(2, dtype=Dtype("int8"))],
    "zeros_like": [call(ordinary((2, 3), d)) for d in DTYPES] + [call(X, dtype=Dtype("bool"))],
    "tril": every(DTYPES, (2, 3, 4), [{}, {"k": 1}, {"k": -2}]),
    "triu": every(DTYPES, (2, 3, 4), [{}, {"k": 1}, {"k": -2}]),
}  # fmt: skip

SHAPING = {
    "broadcast_arrays": [call(np.ones((3, 1)), np.arange(2)), call(DIM0, ROW, ROW)],
    "broadcast_shapes": [
        call(), call((3,)), call((2, 1), (3,)), call((5, 1, 4), (1, 1), (3, 1)), call((0,), (1,)),
    ],
    "broadcast_to": [call(ordinary((3, 1), d), (2, 3, 4)) for d in DTYPES] + [call(DIM0, (2,))],
    "concat": [
        call([np.ones((2, 3), a), np.zeros((1, 3), b)]) for a in DTYPES for b in DTYPES
    ] + [
        call([X, X], axis=-1), call((X, ROW.astype("f4")), axis=None), call([ROW[:0], ROW]),
    ],
    "expand_dims": [call(X, 0), call(X, -1), call(X, 2), call(DIM0, 0)],
    "flip": [Call((ordinary((2, 3, 4), d),), o) for d in DTYPES for o in
             [{}, {"axis": 1}, {"axis": (0, -1)}]],
    "matrix_transpose": [call(ordinary((2, 3, 4), d)) for d in DTYPES],
    "moveaxis": [call(X, 0, -1), call(X, (0, 1), (-1, 0)), call(X, -1, 0)],
    "permute_dims": [call(X, (2, 0, 1)), call(X, (-1, 0, 1)), call(DIM0, ())],
    "repeat": [
        call(X, 2), call(X, 3, axis=1), call(X, 0, axis=0), call(ROW, np.array([1, 0, 2, 1, 3])),
        call(X, np.array([2, 1, 0]), axis=1), call(X, np.array([2]), axis=-1),
    ],
    "reshape": [call(X, (6, 4)), call(X, (-1,)), call(X, (3, -1), copy=True), call(DIM0, (1, 1)),
                call(np.ones((0, 3)), (3, 0))],
    "roll": [call(X, 1), call(X, -2, axis=1), call(X, (1, 2), axis=(0, 2)), call(ROW, 7),
             call(X, 1, axis=(0, 1)), call(ROW[:0], 2)],
    "squeeze": [call(np.ones((1, 3, 1)), 0), call(np.ones((1, 3, 1)), (0, -1)),
                call(np.ones((1, 3)), ())],
    "stack": [call([X, X]), call((X, X), axis=-1), call([DIM0, DIM0]),
              *(call([np.ones(2, a), np.ones(2, b)]) for a in DTYPES for b in DTYPES)],
    "take": [call(ordinary((3, 4), d), CHOSEN, axis=0) for d in DTYPES]
    + [call(X, CHOSEN, axis=-1), call(ROW, CHOSEN), call(X, CHOSEN[:0], axis=1)],
    "take_along_axis": [
        call(ordinary((3, 4), d), np.array([[1], [0], [2]])) for d in DTYPES
    ] + [call(X, np.array([[[1, 0, 1, 1]]] * 2), axis=0), call(ROW, CHOSEN, axis=0)],
    "tile": [call(X, (2,)), call(X, (2, 1, 3)), call(ROW, (2, 2)), call(DIM0, (3,)), call(ROW, ()),
             call(X, (0, 1, 1))],
    "unstack": [call(X), call(X, axis=-1), call(ROW), call(np.ones((0, 2)))],
    "where": [
        call(np.array([[True], [False]]), np.ones(3, a), np.zeros(3, b))
        for a in DTYPES for b in DTYPES
    ] + [call(np.array([True, False]), ROW[:2], 2.5), call(np.array([True, False]), 1, ROW[:2])],
}  # fmt: skip

REDUCING = {
    **many("all", DTYPES, SEVERAL), **many("any", DTYPES, SEVERAL),
    **many("argmax", REAL, AXES), **many("argmin", REAL, AXES),
    **many("max", REAL, SEVERAL), **many("min", REAL, SEVERAL),
    **many("sum", NUMERIC, SEVERAL), **many("prod", NUMERIC, SEVERAL),
    **many("mean", INEXACT, SEVERAL),
    **many("var", FLOATS, [*SEVERAL, {"correction": 1}, {"axis": 1, "correction": 1.5}]),
    **many("std", FLOATS, [*SEVERAL, {"correction": 1}, {"axis": 1, "correction": 1.5}]),
    **many("count_nonzero", DTYPES, SEVERAL),
    "argsort": WITH_TIES, "sort": WITH_TIES + every(REAL, (2, 3, 4), [{}, {"axis": 1}]),
    "clip": [
        *(call(special(d)[:, None], *bounds) for d in REAL for bounds in
          [(), (1,), (None, 2), (1, 2)]),
        *(call(ordinary((2, 3), d), ordinary((3,), d) * 0, ordinary((3,), d) * 0 + 1)
          for d in REAL),
        call(ROW, np.nan, 1.0), call(ROW, -0.5, 0.5), call(ROW, min=0.0), call(ROW, max=0.0),
    ],
    "cumulative_prod": every(NUMERIC, (4,), [{}, {"include_initial": True}])
    + every(["float64"], (2, 3), [{"axis": 0}, {"axis": -1, "include_initial": True}]),
    "cumulative_sum": every(NUMERIC, (4,), [{}, {"include_initial": True}])
    + every(["float64"], (2, 3), [{"axis": 0}, {"axis": -1, "include_initial": True}]),
    "diff": [*every(NUMERIC, (2, 5), [{}, {"axis": 0}, {"n": 2}, {"n": 0}]),
        call(ROW, prepend=ROW[:1]), call(ROW, n=2, append=ROW[:2], prepend=ROW[3:])],
    "isin": [call(special(d), ordinary((3,), d)) for d in INTEGERS]
    + [call(CHOSEN, np.array([2, 5]), invert=True), call(CHOSEN, 2), call(CHOSEN[:0], CHOSEN)],
    "nonzero": [call(ordinary((3, 4), d)) for d in DTYPES],
    "searchsorted": [
        call(np.sort(ordinary((6,), d)), ordinary((2, 3), d, 1), side=side)
        for d in REAL for side in ("left", "right")
    ] + [call(ROW, ROW[:2], sorter=np.argsort(ROW)), call(np.sort(ROW), 0.5)],
    "unique_all": [call(np.array([[3, 1, 1], [2, 3, 3]]).astype(d)) for d in DTYPES],
    "unique_counts": [call(np.array([[3, 1, 1], [2, 3, 3]]).astype(d)) for d in DTYPES],
    "unique_inverse": [call(np.array([[3, 1, 1], [2, 3, 3]]).astype(d)) for d in DTYPES],
    "unique_values": [call(np.array([[3, 1, 1], [2, 3, 3]]).astype(d)) for d in DTYPES]
    + [call(np.array([np.nan, 1.0, np.nan]))],
}  # fmt: skip
for name in ("sum", "prod"):
    REDUCING[name] += [call(X, **o) for o in DTYPED] + [call(np.ones((0, 3), "int8"))]
for name in ("cumulative_sum", "cumulative_prod"):
    REDUCING[name] += [call(ROW.astype("float32"), **o) for o in DTYPED]
UNIQUE = [[0.0, -0.0, 1.0], [np.inf, 1.0, np.inf], []]
for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
    REDUCING[name] += [call(np.array(x)) for x in UNIQUE]
for name in ("mean", "var", "std"):
    REDUCING[name] += [call(np.ones((0, 3))), call(np.ones((2, 0)), axis=1)]
REDUCING["max"] += [call(np.array([1.0, np.nan, 2.0]))]
REDUCING["min"] += [call(np.array([1.0, np.nan, 2.0]))]
REDUCING["all"] += [call(np.ones((0, 3)))]
REDUCING["any"] += [call(np.ones((0, 3)))]

FUNCTIONS = {
    **{name: of_one(name) for name in OF_ONE},
    **{name: of_two(name) for name in OF_TWO},
    **CREATION, **SHAPING, **REDUCING,
}  # fmt: skip


def isin(x1, x2, invert=False):
    """The oracle's, which does not heed `invert`."""
    found = strict.isin(x1, x2)
    return strict.logical_not(found) if invert else found


def expm1(x):
    """The oracle's, which misses the special cases of complex numbers that are not finite."""
    finite = strict.isfinite(x) if "complex" in str(x.dtype) else strict.asarray(True)
    return strict.where(finite, strict.expm1(x), strict.exp(x) - 1.0)


MENDED = {"isin": isin, "expm1": expm1}
"""What stands in for the oracle where it is wrong."""
