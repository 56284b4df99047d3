"""Making tensors: what they hold, their dtype, and what data is refused."""

import math

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import DTypeError, GradError

MADE = {
    "dg.tensor(1)": "tensor(1)",
    "dg.tensor(1.0)": "tensor(1.)",
    "dg.tensor(True)": "tensor(True)",
    "dg.tensor(1j)": "tensor(0.+1.j)",
    "dg.tensor([1, 2.5])": "tensor([1.0000, 2.5000])",
    "dg.tensor(range(3))": "tensor([0, 1, 2])",
    "dg.tensor([])": "tensor([])",
    "dg.tensor([dg.tensor(1.0), dg.tensor(2.0)])": "tensor([1., 2.])",
    "dg.tensor([1, 0], dtype=dg.bool)": "tensor([ True, False])",
    "dg.tensor([1.5, 2.5], dtype=dg.int64)": "tensor([1, 2])",
    "dg.zeros(2)": "tensor([0., 0.])",
    "dg.zeros((2,))": "tensor([0., 0.])",
    "dg.zeros([1, 2], dtype=dg.int64)": "tensor([[0, 0]])",
    "dg.zeros(())": "tensor(0.)",
    "dg.ones(2, requires_grad=True)": "tensor([1., 1.], requires_grad=True)",
    "dg.full((2,), 7)": "tensor([7, 7])",
    "dg.full((2,), 7.0)": "tensor([7., 7.])",
    "dg.full((), True)": "tensor(True)",
    "dg.arange(3)": "tensor([0, 1, 2])",
    "dg.arange(end=3)": "tensor([0, 1, 2])",
    "dg.arange(3.0)": "tensor([0., 1., 2.])",
    "dg.arange(5, 0, -2)": "tensor([5, 3, 1])",
    "dg.arange(0, 1, 0.5)": "tensor([0.0000, 0.5000])",
    "dg.arange(2, dtype=dg.float32)": "tensor([0., 1.])",
    "dg.linspace(0, 1, steps=3)": "tensor([0.0000, 0.5000, 1.0000])",
    "dg.eye(1, 2)": "tensor([[1., 0.]])",
    "dg.zeros_like(dg.ones(1, dtype=dg.int64))": "tensor([0])",
    "dg.ones_like(dg.arange(1), dtype=dg.float32)": "tensor([1.])",
    "dg.full_like(dg.ones(2), 3)": "tensor([3., 3.])",
    "dg.arange(2).new_tensor([1.5])": "tensor([1])",
    "dg.ones(1).new_zeros(2, 1)": "tensor([[0.],\n        [0.]])",
    "dg.arange(2).new_ones((2,))": "tensor([1, 1])",
    "dg.ones(1).new_full((2,), 3)": "tensor([3., 3.])",
}


def shown(library, source):
    """The text of what a line of code makes, where `dg` is the library."""
    return repr(eval(source, {"dg": library}))


@pytest.mark.parametrize(("source", "text"), MADE.items(), ids=MADE)
def test_a_new_tensor_prints_as_in_pytorch(source, text):
    assert shown(dg, source) == text


@pytest.mark.peers
def test_these_are_pytorchs_texts():
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    assert {source: shown(torch, source) for source in MADE} == MADE


@pytest.mark.parametrize(("data", "dtype"), [
    (1.0, "float32"), ([1.0], "float32"), (np.float64(1), "float64"), (np.ones(1), "float64"),
    ([np.ones(1)], "float64"), ([np.float64(1)], "float64"), ([np.float32(1)], "float32"),
    (np.int32(1), "int32"), (True, "bool"), (1j, "complex64"), ([[1], [2.0]], "float32"),
])  # fmt: skip
def test_arrays_keep_their_dtype_and_python_floats_get_the_default(data, dtype):
    assert dg.tensor(data).dtype == dtype


def test_the_default_dtype_is_used_until_it_is_changed():
    dg.set_default_dtype(dg.float64)
    try:
        made = [dg.tensor(1.0), dg.ones(1), dg.rand(1), dg.linspace(0, 1, 2), dg.arange(1.0)]
        assert {t.dtype for t in made} == {np.dtype("float64")}
        assert dg.tensor(1j).dtype == np.complex128
    finally:
        dg.set_default_dtype("float32")
    with pytest.raises(TypeError, match="only floating-point types"):
        dg.set_default_dtype(dg.int64)


def test_tensor_copies_and_from_numpy_shares():
    a = np.zeros(2)
    copied, shared, same = dg.tensor(a), dg.from_numpy(a), dg.as_tensor(a)
    a[0] = 5
    assert (copied.tolist(), shared.tolist(), same.tolist()) == ([0, 0], [5, 0], [5, 0])
    shared *= 2
    assert a.tolist() == [10, 0]
    with pytest.raises(TypeError, match=r"expected np\.ndarray"):
        dg.from_numpy([1.0])


def test_a_copy_of_a_tensor_that_is_differentiated_is_warned_of():
    w = dg.ones(2, requires_grad=True)
    for data in (w, w * 2, [w[0], w[1]], [[1.0, (w[0],)[0]]]):
        with pytest.warns(dg.DetachWarning, match=r"use stack\(\) or cat\(\)") as caught:
            assert not dg.tensor(data).requires_grad
        assert caught[0].filename == __file__
    with dg.no_grad():
        assert dg.tensor(w).tolist() == [1, 1]


def test_random_numbers_repeat_after_the_seed():
    def draw():
        dg.manual_seed(3)
        return [dg.rand(2), dg.randn(2), dg.randint(5, (2,)), dg.randperm(4)]

    assert [t.tolist() for t in draw()] == [t.tolist() for t in draw()]


def test_random_numbers_are_in_range_and_have_the_dtype_of_their_model():
    x = dg.ones(100, dtype=dg.float64)
    assert 0 <= dg.rand_like(x).value.min() <= dg.rand_like(x).value.max() < 1
    assert {dg.rand_like(x).dtype, dg.randn_like(x).dtype, dg.empty_like(x).dtype} == {x.dtype}
    assert set(dg.randint(2, 4, (100,)).tolist()) == {2, 3}
    assert dg.randint(2, (1,)).dtype == np.int64


@pytest.mark.parametrize("data", ["a", None, {}, [2**70], np.array(["a"])])
def test_data_that_are_no_numbers_are_refused(data):
    with pytest.raises(DTypeError, match="the entries of a tensor must be numbers"):
        dg.tensor(data)


def test_ragged_sequences_are_refused():
    with pytest.raises(ValueError, match="inhomogeneous"):
        dg.tensor([[1, 2], [3]])


def test_names_of_dtypes_and_numbers_are_pytorchs():
    assert (dg.float, dg.double, dg.half) == (np.float32, np.float64, np.float16)
    assert (dg.int, dg.long, dg.short, dg.bool) == (np.int32, np.int64, np.int16, np.bool_)
    assert (dg.pi, dg.e, dg.inf) == (math.pi, math.e, math.inf)
    assert math.isnan(dg.nan)
    assert dg.is_tensor(dg.ones(1))
    assert not dg.is_tensor(np.ones(1))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: dg.zeros(2, -1), r"shape\(\(2, -1\)\): the size -1 is negative"),
        (lambda: dg.full((-3,), 1.0), "the size -3 is negative"),
        (lambda: dg.eye(-1), "the size -1 is negative"),
        (lambda: dg.linspace(0, 1, -2), "the size -2 is negative"),
        (lambda: dg.randperm(-1), "the size -1 is negative"),
        (lambda: dg.rand(2.5), "a size is an integer"),
        (lambda: dg.zeros(2.5, 3), "a size is an integer"),
        (lambda: dg.arange(0, 1, 0), "the step is zero"),
        (lambda: dg.randint(5, 2, (3,)), "low=5 is not less than high=2"),
    ],
)
def test_what_cannot_be_made_is_refused_in_words(make, says):
    with pytest.raises(GradError, match=says):
        make()
