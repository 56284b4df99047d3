"""Data types: what there are, how they combine, and what a namespace says of itself."""

import itertools

import array_api_strict as strict
import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import array_api as eager
from gradops import DTypeError, OptionError
from gradops.array_api import arrays
from staticgrad import array_api as symbolic

from .standard import DTYPES

SPACES = [eager, symbolic, arrays]
every_space = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.__name__)
KINDS = [
    "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
    "numeric", ("integral", "bool"), (),
]  # fmt: skip


def promoted(a, b):
    """What the standard makes of two dtypes, by name; None if it says nothing."""
    try:
        return strict.result_type(getattr(strict, a), getattr(strict, b))._np_dtype.name
    except TypeError:
        return None


PAIRS = [(a, b, p) for a, b in itertools.product(DTYPES, DTYPES) if (p := promoted(a, b))]


@every_space
def test_dtypes_are_promoted_as_the_standard_says(space):
    for a, b, wanted in PAIRS:
        assert space.result_type(getattr(space, a), getattr(space, b)).name == wanted, (a, b)


@every_space
def test_operands_are_promoted_as_dtypes_are(space):
    with sg.Graph().as_default():
        for a, b, wanted in PAIRS:
            x, y = (space.ones((2,), dtype=getattr(space, d)) for d in (a, b))
            assert space.equal(x, y).dtype == space.bool
            assert space.result_type(x, y).name == wanted
            if "bool" not in (a, b):
                assert (x * y).dtype.name == wanted, (a, b)
            assert space.concat([x, y]).dtype.name == wanted, (a, b)


@pytest.mark.parametrize(("dtype", "number", "wanted"), [
    ("int8", 3, "int8"), ("float32", 3, "float32"), ("float32", 2.5, "float32"),
    ("float32", 1j, "complex64"), ("float64", 1j, "complex128"), ("bool", True, "bool"),
    ("complex64", 2.5, "complex64"),
])  # fmt: skip
@every_space
def test_numbers_of_python_are_weak(space, dtype, number, wanted):
    assert space.result_type(getattr(space, dtype), number).name == wanted
    with sg.Graph().as_default():
        x = space.ones((2,), dtype=getattr(space, dtype))
        assert space.result_type(x, number).name == wanted


def test_numbers_alone_have_no_dtype():
    with pytest.raises(OptionError, match="needs an array or a dtype"):
        eager.result_type(1, 2.0)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_kinds_of_dtypes(kind):
    info = eager.__array_namespace_info__()
    of_kind = strict.__array_namespace_info__().dtypes(kind=kind)
    assert info.dtypes(kind=kind) == {name: np.dtype(name) for name in of_kind}
    for name in DTYPES:
        assert eager.isdtype(getattr(eager, name), kind) is (name in of_kind)


def test_a_dtype_is_itself_and_no_other():
    assert eager.isdtype(eager.int8, eager.int8)
    assert not eager.isdtype(eager.int8, eager.int16)
    assert eager.isdtype(eager.int8, (eager.bool, eager.int8))
    with pytest.raises(OptionError, match="no kind"):
        eager.isdtype(eager.int8, "rational")


@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_limits_of_floats_are_those_of_the_standard(name):
    found, wanted = eager.finfo(getattr(eager, name)), strict.finfo(getattr(strict, name))
    for part in ("bits", "eps", "max", "min", "smallest_normal"):
        assert getattr(found, part) == getattr(wanted, part)
        assert type(getattr(found, part)) is type(getattr(wanted, part))
    assert found.dtype.name == wanted.dtype._np_dtype.name
    assert eager.finfo(eager.ones((1,), dtype=getattr(eager, name))) == found


@pytest.mark.parametrize("name", [n for n in DTYPES if "int" in n])
def test_limits_of_integers_are_those_of_the_standard(name):
    found, wanted = eager.iinfo(getattr(eager, name)), strict.iinfo(getattr(strict, name))
    for part in ("bits", "max", "min"):
        assert getattr(found, part) == getattr(wanted, part)
        assert type(getattr(found, part)) is int
    assert eager.iinfo(eager.ones((1,), dtype=getattr(eager, name))) == found


def test_what_can_be_cast():
    for a, b in itertools.product(DTYPES, DTYPES):
        wanted = promoted(a, b) == b
        if promoted(a, b):
            assert eager.can_cast(getattr(eager, a), getattr(eager, b)) is wanted
    assert not eager.can_cast(eager.ones((2,), dtype=eager.float64), eager.float32)


@every_space
def test_a_namespace_tells_of_itself(space):
    info = space.__array_namespace_info__()
    assert info.devices() == (info.default_device(),)
    assert info.default_dtypes(device=info.default_device())["integral"] == np.int64
    assert set(info.dtypes()) == set(DTYPES)
    assert info.capabilities()["max dimensions"] == 64
    assert info.capabilities()["data-dependent shapes"]


def test_the_default_dtype_is_that_of_the_package():
    assert eager.ones((2,)).dtype == eager.asarray([0.5]).dtype == eager.float32
    dg.set_default_dtype("float64")
    try:
        assert eager.zeros((2,)).dtype == eager.linspace(0, 1, 3).dtype == eager.float64
        assert eager.full((2,), 1j).dtype == eager.complex128
        assert eager.__array_namespace_info__().default_dtypes()["real floating"] == eager.float64
    finally:
        dg.set_default_dtype("float32")


@pytest.mark.parametrize("a", DTYPES)
def test_values_are_cast_as_the_oracle_casts_them(a):
    x = np.asarray([0, 1, 3], a)
    for b in DTYPES:
        if a.startswith("complex") and not b.startswith("complex"):
            continue
        found = eager.astype(eager.asarray(x), getattr(eager, b))
        wanted = strict.astype(strict.asarray(x), getattr(strict, b))
        assert found.dtype.name == b
        assert found.tolist() == wanted._array.tolist()


@every_space
def test_a_complex_number_is_not_cast_to_a_real_one(space):
    with sg.Graph().as_default():
        z = space.ones((2,), dtype=space.complex64)
        with pytest.raises(DTypeError, match="real"):
            space.astype(z, space.float32)


def test_a_cast_is_a_copy_unless_told_otherwise():
    x = eager.ones((2,))
    assert eager.astype(x, x.dtype, copy=False) is x
    y = eager.astype(x, x.dtype)
    y += 1
    assert x.tolist() == [1, 1]
