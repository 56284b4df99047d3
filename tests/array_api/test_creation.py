"""Making arrays: what is shared and what is copied; sizes that are not known."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg
from dynamicgrad import array_api as eager
from gradops import OptionError, TapeError
from gradops.array_api import arrays
from staticgrad import array_api as symbolic


def test_asarray_shares_memory_unless_a_copy_is_asked_for():
    a = np.zeros(2)
    shared, own = eager.asarray(a), eager.asarray(a, copy=True)
    a[0] = 5
    assert shared.tolist() == [5, 0]
    assert own.tolist() == [0, 0]
    assert eager.asarray(shared) is shared
    assert eager.asarray(shared, copy=True) is not shared


def test_asarray_never_copies_if_told_so():
    x = eager.asarray(np.zeros(2), copy=False)
    with pytest.raises(ValueError, match="copy"):
        eager.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="takes a copy"):
        eager.asarray(x, dtype=eager.float32, copy=False)


def test_asarray_keeps_the_graph_of_a_tensor():
    x = dg.ones(2, requires_grad=True)
    eager.sum(eager.asarray(x, dtype=eager.float64, copy=True) * 3).backward()
    assert x.grad.tolist() == [3, 3]


def test_reshape_copies_only_if_it_may():
    x = eager.asarray(np.arange(6.0).reshape(2, 3))
    flat, own = eager.reshape(x, (6,), copy=False), eager.reshape(x, (6,), copy=True)
    x[0, 0] = 9.0
    assert (flat[0].item(), own[0].item()) == (9, 0)
    with pytest.raises(ValueError, match="takes a copy"):
        eager.reshape(x.T, (6,), copy=False)


def test_empty_arrays_have_a_shape_and_a_dtype():
    assert eager.empty((2, 3), dtype=eager.int8).shape == (2, 3)
    assert eager.empty_like(eager.ones((4,), dtype=eager.bool)).dtype == eager.bool


def test_arrays_like_one_that_requires_gradients_require_none():
    x = dg.ones(2, requires_grad=True)
    for f in (eager.zeros_like, eager.ones_like, eager.empty_like):
        assert not f(x).requires_grad


def test_sizes_that_are_not_known_are_sizes():
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["n", 3])
        n = x.shape[0]
        found = [
            symbolic.zeros((n, 2)), symbolic.arange(n), symbolic.eye(n, k=1),
            symbolic.full_like(x, 7), symbolic.broadcast_to(symbolic.asarray(1.0), (n,)),
        ]  # fmt: skip
        assert symbolic.broadcast_shapes((n, 1), (3,)) == (n, 3)
        got = sg.compile(found, [x])(np.ones((2, 3), np.float32))
    wanted = [np.zeros((2, 2)), np.arange(2), np.eye(2, k=1), np.full((2, 3), 7), np.ones(2)]
    for y, z in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(y, z)


def test_memory_goes_to_other_libraries_and_comes_back():
    x = eager.arange(3)
    array = np.from_dlpack(x)
    array[0] = 9
    assert x.tolist() == [9, 1, 2]
    y = eager.from_dlpack(array)
    y[1] = 8
    assert array.tolist() == [9, 8, 2]
    z = eager.from_dlpack(array, copy=True)
    z[2] = 7
    assert array.tolist() == [9, 8, 2]
    assert np.from_dlpack(x, device="cpu", copy=True).tolist() == [9, 8, 2]


def test_memory_of_another_library_can_be_part_of_a_graph():
    with sg.Graph().as_default():
        assert sg.compile([symbolic.from_dlpack(np.arange(3))], [])()[0].tolist() == [0, 1, 2]


def test_memory_may_be_asked_for_as_a_copy_on_a_device_in_a_version():
    x = eager.arange(3)
    capsule = x.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=True)
    assert "dltensor_versioned" in repr(capsule)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(OptionError, match="no device"):
        eager.from_dlpack(np.ones(2), device="gpu")


def test_memory_that_must_not_be_written_to_is_taken_as_such():
    array = np.zeros(2)
    array.flags.writeable = False
    x = eager.from_dlpack(array)
    with pytest.raises(TapeError):
        x[0] = 1.0
    assert np.from_dlpack(x).flags.writeable is False
    with pytest.raises(BufferError):
        x.__dlpack__()  # a version that could not say so


def test_a_tensor_that_requires_gradients_is_not_exported():
    x = dg.ones(2, requires_grad=True)
    with pytest.raises(TapeError, match="detach"):
        np.from_dlpack(x)
    assert np.from_dlpack(x.detach()).tolist() == [1, 1]


def test_what_stands_for_an_array_stays_what_it_is():
    tangent = gradops.jvp(lambda x: arrays.asarray(x) * 2, [np.ones(2)], [np.ones(2)])[1]
    assert tangent.tolist() == [2, 2]
    rows = gradops.vmap(lambda x: arrays.asarray(x, dtype=arrays.float64))(np.ones((2, 3)))
    assert rows.shape == (2, 3)
