"""The special cases that the standard spells out, on tensors; `special_cases` has the rows."""

import itertools

import numpy as np
import pytest

from dynamicgrad import array_api as xp

from . import special_cases
from .comparing import same_values
from .left_out import SPECIAL_CASES
from .standard import COMPLEX
from .values import PARTS, SPECIAL, special

PI = np.pi
NUMBERS = {
    "+0": 0.0, "-0": -0.0, "+inf": np.inf, "-inf": -np.inf, "nan": np.nan,
    "pi": PI, "-pi": -PI, "pi/2": PI / 2, "-pi/2": -PI / 2, "pi/4": PI / 4, "-pi/4": -PI / 4,
    "3pi/4": 3 * PI / 4, "-3pi/4": -3 * PI / 4, "True": True, "False": False,
}  # fmt: skip
KINDS = {
    "any": lambda x: True, "nonan": lambda x: x == x, "fin": np.isfinite, "0": lambda x: x == 0,
    "nan": np.isnan, "inf": np.isinf, "nonzero": lambda x: np.isfinite(x) and x != 0,
    ">0": lambda x: np.isfinite(x) and x > 0, "<0": lambda x: np.isfinite(x) and x < 0,
    ">1": lambda x: x > 1, "<1": lambda x: x < 1, "<-1": lambda x: x < -1,
    "abs>1": lambda x: abs(x) > 1, "abs<1": lambda x: abs(x) < 1, "nonone": lambda x: x != 1,
    "int": lambda x: np.isfinite(x) and x == int(x),
    "noint": lambda x: np.isfinite(x) and x % 1 != 0,
    "odd>0": lambda x: x > 0 and x % 2 == 1, "odd<0": lambda x: x < 0 and x % 2 == 1,
    "noodd>0": lambda x: np.isfinite(x) and x > 0 and x % 2 != 1,
    "noodd<0": lambda x: np.isfinite(x) and x < 0 and x % 2 != 1,
}  # fmt: skip
OF_OPERANDS = {
    "x": lambda x, y=None: x, "-x": lambda x, y=None: -x, "y": lambda x, y: y,
    "|x|": lambda x, y: abs(x), "|y|": lambda x, y: abs(y),
}  # fmt: skip


def is_a(word, x, first):
    """Whether a value is what a word of a row says."""
    if word in ("x", "-x"):
        return x == (first if word == "x" else -first)
    if word in KINDS:
        return bool(KINDS[word](x))
    number = NUMBERS[word] if word in NUMBERS else float(word)
    return x == number and np.signbit(x) == np.signbit(number)


def comes_out(word, result, operands):
    """Whether a result is what a word says of it."""
    if word.startswith("?"):
        word, result = word[1:].replace("0", "+0").replace("inf", "+inf"), abs(result)
    if word in OF_OPERANDS:
        wanted = OF_OPERANDS[word](*operands)
    else:
        wanted = NUMBERS[word] if word in NUMBERS else float(word)
    if wanted != wanted:
        return result != result
    near = np.isclose(result, wanted, rtol=1e-6, atol=0)
    return bool(near) and (wanted != 0 or np.signbit(result) == np.signbit(wanted))


def rows(text):
    """Names with their rows, each a pair of lists of words."""
    found, name = {}, None
    for line in text.strip().splitlines():
        if not line.startswith(" "):
            name, _, line = line.partition(" ")
        cells = [cell for cell in line.split(" | ") if cell.strip()]
        found.setdefault(name, []).extend(
            tuple(side.split() for side in cell.split(":")) for cell in cells
        )
    return found


def wrong_of_real(name, given, out, dtype):
    """Operands for which a function of real numbers does not give what a row says."""
    values = [x for x in SPECIAL if abs(x) < 1e20 or not np.isfinite(x)]
    for xs in itertools.product(values, repeat=len(given)):
        if all(is_a(w, x, xs[0]) for w, x in zip(given, xs, strict=True)):
            with np.errstate(all="ignore"):
                y = getattr(xp, name)(*(xp.asarray(np.asarray(x, dtype)) for x in xs)).value
            if not comes_out(out[0], y, xs):
                yield xs, y


def wrong_of_complex(name, given, out, dtype):
    """The same for complex numbers, and for their conjugates."""
    for a, b in itertools.product(PARTS, PARTS):
        if is_a(given[0], a, a) and is_a(given[1], b, a):
            for sign in (1, -1):
                z = np.empty((), dtype)
                z.real, z.imag = a, sign * b
                with np.errstate(all="ignore"):
                    y = getattr(xp, name)(xp.asarray(z)).value
                parts = y.real, sign * y.imag
                if not all(comes_out(w, p, ()) for w, p in zip(out, parts, strict=True)):
                    yield z, y


def cases():
    """Every row, by a name like `log 0`."""
    for text, check, dtypes in [
        (special_cases.REAL_ONE, wrong_of_real, ("float32", "float64")),
        (special_cases.REAL_TWO, wrong_of_real, ("float32", "float64")),
        (special_cases.COMPLEX, wrong_of_complex, ("complex64", "complex128")),
    ]:
        for name, found in rows(text).items():
            for given, out in found:
                kind = "complex " if check is wrong_of_complex else ""
                yield f"{kind}{name} {' '.join(given)}", (check, name, given, out, dtypes)


CASES = dict(cases())


def wrong(check, name, given, out, dtypes):
    """All operands, of each dtype, for which a row does not hold."""
    return [found for dtype in dtypes for found in check(name, given, out, dtype)]


@pytest.mark.parametrize("row", [row for row in CASES if row not in SPECIAL_CASES])
def test_a_special_case_of_the_standard(row):
    assert not wrong(*CASES[row])


@pytest.mark.parametrize("row", SPECIAL_CASES)
def test_a_special_case_that_is_left_out(row):
    assert wrong(*CASES[row]), "it holds: take it off the list"


TURNED = {"sin": "sinh", "tan": "tanh", "asin": "asinh", "atan": "atanh"}


def turned(z, sign):
    """The product of complex numbers with i or -i, without a multiplication."""
    found = np.empty_like(z)
    found.real, found.imag = -sign * z.imag, sign * z.real
    return found


@pytest.mark.parametrize("name", TURNED)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_of_a_complex_number_the_hyperbolic_function_says_it(name, dtype):
    z = special(dtype)
    with np.errstate(all="ignore"):
        found = getattr(xp, name)(xp.asarray(z)).value
        wanted = turned(getattr(xp, TURNED[name])(xp.asarray(turned(z, 1))).value, -1)
    assert same_values(unsigned(found), unsigned(wanted), signs=False)


def unsigned(z):
    """Complex numbers without the signs of infinite parts, which are open beside NaN."""
    parts = (np.where(np.isinf(part), abs(part), part) for part in (z.real, z.imag))
    return np.stack(list(parts))
