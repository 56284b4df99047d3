"""What the standard asks of arrays themselves: operators, indexing, attributes, conversions."""

import operator

import numpy as np

from .cases import FUNCTIONS, call, of_two
from .linear import MATMUL
from .standard import DTYPES
from .values import ordinary

BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "pow",
    "floordiv": "floor_divide", "mod": "remainder", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
COMPARISONS = {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}  # fmt: skip
UNARY = {"abs": "abs", "neg": "negative", "pos": "positive", "invert": "bitwise_invert"}
MATRIX, CUBE = ordinary((3, 4), "float32"), ordinary((2, 3, 4), "float64")
KEYS = [
    0, -1, slice(None), slice(1, None), slice(None, None, -1), slice(2, 0, -1), ..., None,
    (0, 1), (slice(None), 0), (..., 0), (0, ...),
    (None, ..., 1), (slice(0, 2), slice(None, None, 2)),
    (..., None, slice(1, 3)), (slice(1, 1), ...),
]  # fmt: skip
ARRAY_KEYS = [
    np.array([[True, False, True, False]] * 3), np.zeros((3, 4), bool),
    (np.array([0, 2, -1]), np.array([1, 1, 0])), (np.array([[0], [1]]), np.array([2, 3])),
    (0, np.array([1, 2])),
]  # fmt: skip


def dtype_name(x):
    """The name of the dtype of an array of either library."""
    return str(x.dtype).rpartition(".")[2]


def set_item(x, key, value):
    x[key] = value
    return x


def to_its_device(x):
    return x.to_device(x.device)


def on_one_device(x, y):
    return x.device == y.device


def exported(x):
    """The entries as NumPy gets them by DLPack, in words."""
    found = np.from_dlpack(x)
    return f"{found.dtype} {found.tolist()}"


def export_device(x):
    return tuple(map(int, x.__dlpack_device__()))


def has_functions(x):
    return x.__array_namespace__(api_version="2025.12").sum(x)


def scalars_on(side, calls):
    """The calls that have a Python number on one side and an array on the other."""
    return [c for c in calls if not isinstance(c.args[side], np.ndarray)]


def in_place(calls):
    """The calls whose result has the type that the first operand has."""
    found = []
    for c in calls:
        x, y = c.args
        shapes = np.shape(x), np.shape(y)
        if isinstance(x, np.ndarray) and np.broadcast_shapes(*shapes) == x.shape:
            found.append(c)
    return found


ONE_ENTRY = [call(np.asarray(x, d)) for d in DTYPES for x in (0, 1)]
ORACLE = {
    "T": lambda x: x.T, "mT": lambda x: x.mT, "ndim": lambda x: x.ndim, "shape": lambda x: x.shape,
    "size": lambda x: x.size, "dtype": dtype_name,
    "device": on_one_device, "to_device": to_its_device,
    "__array_namespace__": has_functions, "__dlpack__": exported,
    "__dlpack_device__": export_device, "__bool__": bool, "__complex__": complex,
    "__float__": float, "__int__": int, "__index__": operator.index,
    "__getitem__": operator.getitem, "__setitem__": set_item,
    "__matmul__": operator.matmul, "__rmatmul__": operator.matmul, "__imatmul__": operator.imatmul,
}  # fmt: skip
CALLS = {
    "T": [call(ordinary((2, 3), d)) for d in DTYPES], "mT": [call(CUBE), call(MATRIX)],
    "ndim": [call(CUBE), call(CUBE[0, 0, 0])], "shape": [call(CUBE), call(CUBE[0, 0, 0])],
    "size": [call(CUBE), call(CUBE[0, 0, 0]), call(CUBE[:0])],
    "dtype": [call(ordinary((2,), d)) for d in DTYPES],
    "device": [call(CUBE, MATRIX)], "to_device": [call(CUBE)],
    "__array_namespace__": [call(CUBE)],
    "__dlpack__": [call(ordinary((2, 3), d)) for d in DTYPES],
    "__dlpack_device__": [call(CUBE)],
    "__bool__": ONE_ENTRY, "__complex__": ONE_ENTRY, "__float__": ONE_ENTRY,
    "__int__": ONE_ENTRY, "__index__": ONE_ENTRY,
    "__getitem__": [call(MATRIX, key) for key in KEYS + ARRAY_KEYS]
    + [call(ordinary((2, 3), d), 1) for d in DTYPES],
    "__setitem__": [call(MATRIX, key, 2.0) for key in KEYS if key is not None
                    and not (isinstance(key, tuple) and None in key)]
    + [call(MATRIX, 1, MATRIX[0]), call(MATRIX, ARRAY_KEYS[0], 1.0),
       call(ordinary((2, 3), "int8"), ..., np.array(5, "int8"))],
    "__matmul__": MATMUL, "__rmatmul__": MATMUL,
    "__imatmul__": [call(ordinary((2, 3), d), ordinary((3, 3), d)) for d in DTYPES],
}  # fmt: skip
for short, name in BINARY.items():
    ORACLE[f"__{short}__"] = ORACLE[f"__r{short}__"] = getattr(operator, f"__{short}__")
    ORACLE[f"__i{short}__"] = getattr(operator, f"__i{short}__")
    CALLS[f"__{short}__"] = of_two(name)
    CALLS[f"__r{short}__"] = scalars_on(0, of_two(name))
    CALLS[f"__i{short}__"] = in_place(of_two(name))
for short, name in COMPARISONS.items():
    ORACLE[f"__{short}__"] = getattr(operator, f"__{short}__")
    CALLS[f"__{short}__"] = of_two(name)
for short, name in UNARY.items():
    ORACLE[f"__{short}__"] = getattr(operator, f"__{short}__")
    CALLS[f"__{short}__"] = FUNCTIONS[name]

ORACLE = {f"array.{name}": f for name, f in ORACLE.items()}
CALLS = {f"array.{name}": calls for name, calls in CALLS.items()}
CONVERSIONS = {
    f"array.__{name}__"
    for name in "bool complex float int index setitem dlpack dlpack_device".split()  # noqa: SIM905
}
"""What an expression refuses: its value is not known yet."""
