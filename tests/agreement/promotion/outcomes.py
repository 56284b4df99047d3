"""The outcome of a call: its value, and in words the dtype and shape or the kind of error."""

import warnings

import numpy as np

from .operands import FIRST, SECOND, operand


def outcome(lib, code, specs):
    """The value of a call, compiled, or the error that it raises."""
    scope = {"lib": lib, "np": np}
    for name, spec, of in zip("ab", specs, (FIRST, SECOND), strict=False):
        scope[name] = operand(lib, spec, of)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return eval(code, scope)
        except Exception as error:
            return error


def described(y):
    """An outcome in words: `float32[3]`, or the kind of number, or the name of an error."""
    if isinstance(y, Exception):
        return kind_of_error(y)
    if isinstance(y, tuple | list):
        return ",".join(map(described, y))
    if not hasattr(y, "dtype"):
        return type(y).__name__
    dtype = str(y.dtype).removeprefix("torch.").replace("complex32", "complex64")
    return f"{dtype}{list(y.shape)}".replace(" ", "")


def kind_of_error(error):
    """The name of a kind of error, of those that programs tell apart."""
    kinds = (NotImplementedError, IndexError, TypeError, RuntimeError, ValueError, OverflowError)
    return next((kind.__name__ for kind in kinds if isinstance(error, kind)), "Exception")


def agrees(ours, word):
    """Whether an outcome is what a word says; errors are of that kind, among others."""
    if not isinstance(ours, Exception):
        return described(ours) == word
    return word in {kind.__name__ for kind in type(ours).__mro__}


def arrays(y):
    """The arrays that a value consists of."""
    if isinstance(y, tuple | list):
        return [array for part in y for array in arrays(part)]
    if hasattr(y, "resolve_conj"):
        y = y.resolve_conj().resolve_neg()
        y = (y.to(dtype=__import__("torch").complex64) if "complex32" in str(y.dtype) else y).numpy(
            force=True
        )
    return [np.asarray(getattr(y, "value", y))]
