"""Writes inside transforms: to what the function made, and to what it took from outside."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import TransformError

X = dg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
TRANSFORMS = {
    "vmap": lambda f: dg.func.vmap(f)(X),
    "jvp": lambda f: dg.func.jvp(f, (X[0],), (dg.ones(3),)),
    "vmap of vmap": lambda f: dg.func.vmap(dg.func.vmap(lambda y: f(y.expand(3))))(X),
    "vmap of jvp": lambda f: dg.func.vmap(lambda y: dg.func.jvp(f, (y,), (y,)))(X),
}
every_transform = pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
WRITES = {
    "add_": lambda x, y: x.add_(y), "copy_": lambda x, y: x.copy_(y),
    "entry": lambda x, y: x.__setitem__(0, y[0]), "of a view": lambda x, y: x[0].mul_(y[0]),
}  # fmt: skip


@every_transform
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_captured_tensor_is_not_changed(transform, write):
    x = dg.ones(3)
    with pytest.raises(TransformError, match=r"captured Tensor|shares its memory"):
        transform(lambda y: (write(x, y), y * 1)[1])
    assert type(x.value) is np.ndarray
    assert x.tolist() == [1, 1, 1]


def test_the_error_names_the_line_of_the_write():
    x = dg.ones(3)

    def f(y):
        x.add_(y)
        return y

    with pytest.raises(TransformError, match=r"test_captures.py:\d+, f: x.add_\(y\)"):
        dg.func.vmap(f)(X)


@pytest.mark.parametrize("write", [w for name, w in WRITES.items() if name != "of a view"])
def test_what_the_function_made_may_be_written_to(write):
    def f(y):
        out = dg.ones(3)
        write(out, y)
        return out

    expected = np.stack([f(row).numpy() for row in X])
    np.testing.assert_array_equal(dg.func.vmap(f)(X).numpy(), expected)
    dg.func.jvp(f, (X[0],), (dg.ones(3),))


def test_a_function_in_a_reference_cycle_is_no_capture():
    def f(y):
        out = dg.zeros(3)

        def recursive(n):
            return recursive(n - 1) if n else out.add_(y)

        recursive(2)
        return out * 1

    np.testing.assert_array_equal(dg.func.vmap(f)(X).numpy(), X.numpy())


def test_a_function_that_fails_leaves_captures_as_they_were():
    x = dg.ones(3)

    def f(y):
        x.add_(y)
        raise KeyError("no")

    with pytest.raises(KeyError):
        dg.func.vmap(f)(X)
    assert x.tolist() == [1, 1, 1]
