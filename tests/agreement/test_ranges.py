"""Numbers between others: NumPy's and PyTorch's functions, with ends that may be differentiated."""

import itertools

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg

ENDS = {
    "a number": 2.0, "float32": np.float32(2), "a row": np.array([1.0, 2.0]),
    "a column": np.array([[1.0], [2.0]], "f4"), "small integers": np.array([1, 2], "i1"),
    "negative": -2.0, "complex": np.array([1 + 1j, 2.0]),
}  # fmt: skip
FUNCTIONS = [np.linspace, np.logspace, np.geomspace]
every_function = pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
every_count = pytest.mark.parametrize("num", [0, 1, 2, 5])
pytestmark = pytest.mark.filterwarnings("ignore")


def options(f):
    """Keywords of one of the functions."""
    yield from ({}, {"axis": -1}, {"endpoint": False}, {"dtype": "f4"}, {"dtype": "i8"})
    if f is np.linspace:
        yield from ({"retstep": True}, {"retstep": True, "endpoint": False})
    if f is np.logspace:
        yield {"base": 2.0}


def outcome(call):
    """The results of a call, as arrays, or None for an error."""
    with np.errstate(all="ignore"):
        try:
            found = call()
        except Exception:
            return None
    parts = found if isinstance(found, tuple) else (found,)
    return [np.asarray(x.numpy() if hasattr(x, "numpy") else x) for x in parts]


def in_our_hands(a, b):
    """The ends with one or both of them ours; a number of Python's stays, as its dtype is weak."""
    held = [x if type(x) is float else dg.array(x) for x in (a, b)]
    return [(held[0], b), (a, held[1]), tuple(held)]


@every_function
@every_count
def test_every_entry_is_numpys_to_the_bit(f, num):
    for (a, b), kw in itertools.product(itertools.permutations(ENDS.values(), 2), options(f)):
        want = outcome(lambda a=a, b=b, kw=kw: f(a, b, num, **kw))
        for ours in in_our_hands(a, b):
            got = outcome(lambda ours=ours, kw=kw: f(*ours, num, **kw))
            assert (got is None) == (want is None), (ours, kw)
            for x, y in zip(got or (), want or (), strict=True):
                assert x.dtype == y.dtype, (ours, kw)
                np.testing.assert_array_equal(x, y, f"{ours} {kw}")


@every_function
@every_count
@pytest.mark.parametrize("endpoint", [True, False])
def test_gradients_are_those_of_the_formula(f, num, endpoint):
    parts = max(num - 1 if endpoint else num, 1)
    share = np.arange(num) / parts
    a, b = np.array(2.0), np.array(3.0)
    formulas = {
        np.linspace: (1 - share, share),
        np.logspace: tuple(np.log(10) * 10 ** (a + share) * s for s in (1 - share, share)),
        np.geomspace: tuple(a * (b / a) ** share * s for s in ((1 - share) / a, share / b)),
    }
    for i, want in enumerate(formulas[f]):
        jacobian = dg.jacobian(lambda x, i=i: f(*((x, b), (a, x))[i], num, endpoint=endpoint))
        np.testing.assert_allclose(jacobian((a, b)[i]), want, rtol=1e-12, atol=1e-15)


@every_function
def test_graphs_have_the_same_numbers(f):
    for num in (1, 5):
        with sg.Graph().as_default():
            x = sg.placeholder("float64", (2,))
            y = sg.compile(f(x, 9.0, num), [x])([2.0, 3.0])
        np.testing.assert_array_equal(y, f(np.array([2.0, 3.0]), 9.0, num))


TORCHS = {
    "arange": [(3,), (1, 4), (0, 2.0, 0.5)],
    "linspace": [(0.0, 1.0, 3), (2, 3, 1), (-1.5, 1.0, 0)],
    "full": [((2,), 3), ((2,), 2.5), ((), True)],
    "full_like": [(dg.ones(2), 3), (dg.arange(2), 3)],
    "eye": [(2,), (2, 3)],
    "zeros": [(2,), (2, 3)],
    "randperm": [(1,)],
}  # fmt: skip
"""Arguments of functions of PyTorch's that make tensors."""


@pytest.mark.parametrize("name", TORCHS)
def test_a_tensor_without_dimensions_counts_as_the_number_it_holds(name):
    for args in TORCHS[name]:
        want = getattr(dg, name)(*args)
        for i, x in enumerate(args):
            if isinstance(x, int | float):
                given = [*args[:i], dg.tensor(x), *args[i + 1 :]]
                got = getattr(dg, name)(*given)
                assert type(got.value) is np.ndarray
                assert (got.dtype, got.tolist()) == (want.dtype, want.tolist()), given


def test_linspace_differentiates_ends_that_require_it():
    start, end = (dg.tensor(x, requires_grad=True) for x in (1.0, 3.0))
    dg.linspace(start, end, 3).sum().backward()
    assert (start.grad.item(), end.grad.item()) == (1.5, 1.5)
    assert dg.linspace(start, 2.0, 1).tolist() == [1.0]
    assert dg.vmap(lambda x: dg.linspace(x, 4.0, 2))(dg.tensor([1.0, 2.0])).tolist() == [
        [1.0, 4.0], [2.0, 4.0],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        lambda x: dg.full((2,), x),
        lambda x: dg.full_like(dg.ones(2), x),
        lambda x: dg.arange(x),
        lambda x: dg.arange(0, 3, x),
    ],
)
def test_a_number_that_a_gradient_would_end_in_is_refused(call):
    with pytest.raises(TypeError, match=r"must be Number, not Tensor"):
        call(dg.tensor(2.0, requires_grad=True))
    with pytest.raises(TypeError, match="has dimensions or a history, not a number"):
        call(dg.tensor([2.0]))
