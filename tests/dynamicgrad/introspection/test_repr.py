"""Tensors print as PyTorch's do: texts that were observed there, and the two side by side."""

from textwrap import dedent

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from dynamicgrad.introspection.repr import tensor_text

ENTRIES = [
    # One entry.
    (6.0, "6."),
    (3.14159, "3.1416"),
    (-0.0, "-0."),
    (1e-5, "1.0000e-05"),
    (np.nan, "nan"),
    (7, "7"),
    (True, "True"),
    (1 - 2j, "1.-2.j"),
    # The notation, and the width of a column.
    ([2.0, 3.0], "[2., 3.]"),
    ([-100.5, 2.25], "[-100.5000,    2.2500]"),
    ([1.0, 1000.0], "[   1., 1000.]"),
    ([1.0, 1001.0], "[1.0000e+00, 1.0010e+03]"),
    ([99999999.0, 1.5e6], "[99999999.,  1500000.]"),
    ([1e8, 1e8], "[100000000., 100000000.]"),
    ([2e8, 2e8], "[2.0000e+08, 2.0000e+08]"),
    ([0.0002, 0.001], "[0.0002, 0.0010]"),
    ([0.00009, 0.001], "[9.0000e-05, 1.0000e-03]"),
    # Zeros, infinities and NaN have no say in either.
    ([0.0, 1.5, np.nan, -np.inf], "[0.0000, 1.5000,    nan,   -inf]"),
    ([0.0, np.nan, -1.0], "[ 0., nan, -1.]"),
    ([0.0, np.nan, np.inf], "[0., nan, inf]"),
    # Other kinds.
    ([[-1, 10], [100, 5]], "[[ -1,  10],\n        [100,   5]]"),
    ([True, False], "[ True, False]"),
    ([1 + 2j, -0.5 - 3j], "[ 1.0000+2.j, -0.5000-3.j]"),
    ([1 + 1e-6j, complex(np.nan, -2)], "[1.+1.0000e-06j, nan-2.0000e+00j]"),
]

LAYOUTS = [
    (
        np.zeros((2, 1, 2, 1)),
        """\
        tensor([[[[0.],
                  [0.]]],


                [[[0.],
                  [0.]]]])""",
    ),
    (
        np.arange(970, 1000),
        """\
        tensor([970, 971, 972, 973, 974, 975, 976, 977, 978, 979, 980, 981, 982, 983,
                984, 985, 986, 987, 988, 989, 990, 991, 992, 993, 994, 995, 996, 997,
                998, 999])""",
    ),
    (np.arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    (
        np.arange(3003.0).reshape(3, 1001),
        """\
        tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.9800e+02, 9.9900e+02,
                 1.0000e+03],
                [1.0010e+03, 1.0020e+03, 1.0030e+03,  ..., 1.9990e+03, 2.0000e+03,
                 2.0010e+03],
                [2.0020e+03, 2.0030e+03, 2.0040e+03,  ..., 3.0000e+03, 3.0010e+03,
                 3.0020e+03]])""",
    ),
    (
        np.arange(2800).reshape(2, 7, 200),
        """\
        tensor([[[   0,    1,    2,  ...,  197,  198,  199],
                 [ 200,  201,  202,  ...,  397,  398,  399],
                 [ 400,  401,  402,  ...,  597,  598,  599],
                 ...,
                 [ 800,  801,  802,  ...,  997,  998,  999],
                 [1000, 1001, 1002,  ..., 1197, 1198, 1199],
                 [1200, 1201, 1202,  ..., 1397, 1398, 1399]],

                [[1400, 1401, 1402,  ..., 1597, 1598, 1599],
                 [1600, 1601, 1602,  ..., 1797, 1798, 1799],
                 [1800, 1801, 1802,  ..., 1997, 1998, 1999],
                 ...,
                 [2200, 2201, 2202,  ..., 2397, 2398, 2399],
                 [2400, 2401, 2402,  ..., 2597, 2598, 2599],
                 [2600, 2601, 2602,  ..., 2797, 2798, 2799]]])""",
    ),
]

UNTOLD = [
    (np.ones(2, np.float16), "tensor([1., 1.], dtype=float16)"),
    (np.ones(2, np.uint8), "tensor([1, 1], dtype=uint8)"),
    (np.ones(1, np.complex128), "tensor([1.+0.j], dtype=complex128)"),
    (np.empty(0, np.float32), "tensor([])"),
    (np.empty(0, np.int64), "tensor([], dtype=int64)"),
    (np.empty(0, np.complex64), "tensor([], dtype=complex64)"),
    (np.empty((0, 3), np.float32), "tensor([], size=(0, 3))"),
    (np.empty((2, 0), np.bool_), "tensor([], size=(2, 0), dtype=bool)"),
]


@pytest.mark.parametrize(("entries", "text"), ENTRIES)
def test_notation_and_width_suit_the_entries(entries, text):
    assert tensor_text(np.array(entries), default_dtype=np.float64) == f"tensor({text})"


@pytest.mark.parametrize(("value", "text"), LAYOUTS)
def test_rows_are_aligned_wrapped_and_abridged(value, text):
    assert tensor_text(value, default_dtype=np.float64) == dedent(text)


@pytest.mark.parametrize(("value", "text"), UNTOLD)
def test_what_the_entries_do_not_tell_is_added(value, text):
    assert tensor_text(value) == text


def test_the_default_dtype_goes_without_saying():
    value = np.ones(1)
    assert tensor_text(value) == "tensor([1.], dtype=float64)"
    assert tensor_text(value, default_dtype=np.float64) == "tensor([1.])"


def test_suffixes_follow_the_dtype_and_begin_a_new_line_where_the_last_is_full():
    ones, name = np.ones(14, np.float32), "grad_fn=<AddBackward0>"
    assert tensor_text(ones[:2], [name]) == f"tensor([1., 1.], {name})"
    assert tensor_text(np.ones(2), [name]) == f"tensor([1., 1.], dtype=float64, {name})"
    assert tensor_text(ones, [name]) == f"{tensor_text(ones)[:-1]},\n       {name})"


SHAPES = [(), (1,), (9,), (40,), (1001,), (0,), (0, 3), (2, 3), (3, 30), (40, 40), (2, 501)]
SHAPES += [(2, 3, 4), (8, 1, 130), (2, 1, 2, 1), (7, 2, 8, 9)]
KINDS = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64"]
KINDS += ["complex64", "complex128"]


def reals(shape, rng):
    """Numbers of like and of unlike magnitudes, whole ones, and some with zeros and the rest."""
    for exponent in (-6, -4, -3, 0, 2, 3, 4, 8, 12):
        near = rng.normal(size=shape) * 10.0**exponent
        far = rng.normal(size=shape) * 10.0 ** (exponent * rng.random(shape))
        special = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan], shape)
        mixed = np.where(rng.random(shape) < 0.3, special, near)
        yield from map(np.asarray, (near, far, np.round(near), np.round(far), mixed))


def array_of(dtype, x, rng):
    """The numbers `x` as `dtype`; the imaginary parts are the real ones in another order."""
    with np.errstate(over="ignore", invalid="ignore"):  # out of the range of a narrow dtype
        shuffled = rng.permutation(x.ravel()).reshape(x.shape)
        return (x + 1j * shuffled if dtype.kind == "c" else x).astype(dtype)


@pytest.mark.peers
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.dtype(kind) for kind in KINDS], ids=str)
def test_prints_as_torch_does(dtype, shape):
    torch = pytest.importorskip("torch", reason="torch is the one to agree with")
    rng = np.random.default_rng(0)
    for x in reals(shape, rng):
        value = array_of(dtype, x, rng)
        peer = repr(torch.tensor(value))
        shown = f"dtype=torch.{dtype}"  # longer than ours, so it may need a line that ours does not
        assert tensor_text(value, [shown] * (shown in peer), default_dtype=dtype) == peer


@pytest.mark.parametrize("axis", [0, (0,), (0, 2), None])
def test_the_node_of_a_squeeze_has_a_name_for_each_form_of_its_axes(axis):
    y = gradops.squeeze(dg.ones(1, 2, 1, requires_grad=True), axis=axis)
    assert y.grad_fn.name().startswith("SqueezeBackward")
    assert "SqueezeBackward" in repr(y)
