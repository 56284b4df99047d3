"""What the Python array API 2025.12 asks for: its names, signatures and dtypes.

`array_api_strict` is the oracle. Where it lags behind the standard, it is said here by hand.
"""

import inspect

import array_api_strict as strict
import numpy as np

strict.set_array_api_strict_flags(api_version="2025.12")

OF_STRICT_ALONE = {
    "ArrayAPIStrictFlags", "Device", "__array_api_version__", "__version__",
    "get_array_api_strict_flags", "reset_array_api_strict_flags", "set_array_api_strict_flags",
}  # fmt: skip
LATER = {"linalg.eig": "(x, /)", "linalg.eigvals": "(x, /)"}  # what the oracle does not have yet

BOOL = ["bool"]
SIGNED, UNSIGNED = ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS, COMPLEX = ["float32", "float64"], ["complex64", "complex128"]
DTYPES = BOOL + INTEGERS + FLOATS + COMPLEX
CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
ARRAY = """
T device dtype mT ndim shape size to_device
__abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __eq__
__float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__
__lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__
__sub__ __truediv__ __xor__
__radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__ __rmatmul__ __rand__ __ror__
__rxor__ __rlshift__ __rrshift__
__iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __imatmul__ __iand__ __ior__
__ixor__ __ilshift__ __irshift__
""".split()  # noqa: SIM905


def functions_of(module, prefix=""):
    """The functions of a module of the oracle, by the names they have here."""
    names = set(module.__all__) - OF_STRICT_ALONE
    return {
        prefix + name: getattr(module, name)
        for name in sorted(names)
        if inspect.isroutine(getattr(module, name)) or name == "__array_namespace_info__"
    }


ORACLE = {
    **functions_of(strict),
    **functions_of(strict.linalg, "linalg."),
    **functions_of(strict.fft, "fft."),
}
SIGNATURES = {name: inspect.signature(f) for name, f in ORACLE.items()}
FUNCTIONS = sorted([*ORACLE, *LATER])
ITEMS = [*FUNCTIONS, *(f"array.{name}" for name in ARRAY), *DTYPES, *CONSTANTS]
"""Everything that is counted as a part of the standard."""


def found_in(namespace, name):
    """The function of a namespace that has a dotted name; None if there is none."""
    for part in name.split("."):
        namespace = getattr(namespace, part, None)
    return namespace


def parameters(signature):
    """Names and kinds of parameters, and whether they have the same default, in comparable form."""
    found = signature.parameters.values()
    return [(p.name, p.kind, comparable(p.default)) for p in found]


def comparable(default):
    """A default value; what the oracle writes for an absent device is None here."""
    return None if type(default).__name__ == "Undef" else default


def expected_parameters(name):
    """What the standard says of the parameters of a function."""
    if name in LATER:
        return [("x", inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.empty)]
    return parameters(SIGNATURES[name])


def as_array(x):
    """A result as a NumPy array."""
    if isinstance(x, strict._array_object.Array):
        return x._array
    return x.detach().numpy() if hasattr(x, "detach") else np.asarray(x)
