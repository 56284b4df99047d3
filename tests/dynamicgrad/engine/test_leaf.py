"""Leaves: who requires gradients, what .grad takes, and how tensors leave the tape."""

import copy
import pickle

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import DTypeError, NotDifferentiableError, ShapeError, TapeError


def test_a_leaf_is_made_by_the_user_or_requires_nothing():
    w = dg.ones(2, requires_grad=True)
    with dg.no_grad():
        quiet = w * 2
    leaves = [w, quiet, w.detach(), dg.ones(2) * 2]
    others = [w * 2, w.clone(), w.view(2)]
    assert [t.is_leaf for t in (*leaves, *others)] == [True] * 4 + [False] * 3


def test_differentiation_of_a_leaf_can_be_turned_off_and_on_again():
    w = dg.ones(2, requires_grad=True)
    (w * 3).sum().backward()
    w.requires_grad = False
    assert not (w * 2).requires_grad
    assert w.grad.tolist() == [3, 3]
    w.requires_grad_()
    (w * 1).sum().backward()
    assert w.grad.tolist() == [4, 4]


@pytest.mark.parametrize("dtype", ["int64", "bool"])
def test_only_floats_can_require_gradients(dtype):
    with pytest.raises(NotDifferentiableError, match=dtype):
        dg.ones(2, dtype=dtype, requires_grad=True)


def test_results_that_are_no_floats_require_no_gradients():
    x = dg.tensor([1.5, -0.5], requires_grad=True)
    results = [x > 0, x == x, x.argmax(), x.long(), x.isnan()]
    assert not any(r.requires_grad for r in results)
    assert x.floor().requires_grad


def test_dot_grad_takes_a_tensor_of_its_own_kind():
    w = dg.ones(2, requires_grad=True)
    w.grad = dg.zeros(2)
    w.grad = None
    for wrong, error in (
        (1.0, TypeError), (dg.ones(3), ShapeError), (w, TapeError),
        (dg.ones(2, dtype="float64"), DTypeError),
    ):  # fmt: skip
        with pytest.raises(error):
            w.grad = wrong
    assert w.grad is None


def test_retain_grad_adds_up_and_needs_a_gradient():
    x = dg.ones(2, requires_grad=True)
    h = x * 2
    h.retain_grad()
    h.retain_grad()
    for _ in range(2):
        (h * 3).sum().backward(retain_graph=True)
    assert h.grad.tolist() == [6, 6]
    with pytest.raises(TapeError, match="requires_grad=False"):
        dg.ones(2).retain_grad()


def test_an_array_is_not_made_of_a_tensor_that_is_differentiated():
    x = dg.ones(2, requires_grad=True)
    for take in (np.array, np.asarray, lambda x: np.full(2, 1.0) + np.asarray([x, x])):
        with pytest.raises(
            RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"
        ):
            take(x)
    with dg.no_grad():
        assert np.asarray(x).tolist() == [1, 1]
    assert np.asarray(dg.ones(2)).dtype == np.float32


def test_a_number_made_of_a_tensor_that_is_differentiated_is_warned_of():
    x = dg.tensor(2.0, requires_grad=True)
    with pytest.warns(dg.DetachWarning, match=r"\.item\(\) says that"):
        assert float(x) == 2
    a = np.zeros(2)
    with pytest.warns(dg.DetachWarning):
        a[0] = x
    assert x.item() == 2
    assert f"{x:.1f}" == "2.0"


def pickled(x):
    return pickle.loads(pickle.dumps(x))


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}


@pytest.mark.parametrize("twin_of", COPIES.values(), ids=COPIES)
def test_a_leaf_is_copied_as_a_leaf(twin_of):
    for x in (dg.ones(2, requires_grad=True), dg.ones(2) * 2, dg.nn.Parameter(dg.ones(2))):
        twin = twin_of(x)
        assert (twin.requires_grad, twin.is_leaf, twin is x) == (x.requires_grad, True, False)
        assert (twin.tolist(), twin.type) == (x.tolist(), x.type)
        assert isinstance(twin, dg.nn.Parameter) == isinstance(x, dg.nn.Parameter)
        if x.requires_grad:
            (twin * 3).sum().backward()
            assert (twin.grad.tolist(), x.grad) == ([3, 3], None)


@pytest.mark.parametrize("name", COPIES)
def test_a_result_is_not_copied_without_its_history(name):
    y = dg.ones(2, requires_grad=True) * 2
    for result in (y, y[:1], y.unbind()[0]):
        with pytest.raises(RuntimeError, match=f"graph leaves.* support the {name} protocol"):
            COPIES[name](result)
        assert COPIES[name](result.detach()).is_leaf


def test_a_deep_copy_has_the_gradient_and_a_pickle_has_none():
    x = dg.tensor([1.0, 2.0], requires_grad=True)
    x.grad = dg.ones(2)
    assert (copy.deepcopy(x).grad.tolist(), pickled(x).grad) == ([1, 1], None)


def test_a_shallow_copy_shares_memory_and_versions():
    x = dg.ones(2, requires_grad=True)
    y = (x * x).sum()
    twin = copy.copy(x)
    with dg.no_grad():
        twin.mul_(2)
    assert x.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@pytest.mark.peers
@pytest.mark.parametrize("twin_of", COPIES.values(), ids=COPIES)
def test_copies_of_leaves_are_those_of_pytorch(twin_of):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    found = []
    for t in (torch, dg):
        x = t.ones(2, requires_grad=True)
        x.sum().backward()
        twin = twin_of(x)
        with t.no_grad():
            twin.mul_(2)
        grad = None if twin.grad is None else twin.grad.tolist()
        found.append((twin.requires_grad, twin.is_leaf, grad, x.tolist(), twin.tolist()))
    assert found[0] == found[1]


@pytest.mark.parametrize("data", ["a", None, [2**70], [object()]])
def test_a_tensor_is_made_of_numbers(data):
    with pytest.raises(DTypeError, match="the entries of a tensor must be numbers"):
        dg.tensor(data)


def test_the_truth_of_several_entries_is_ambiguous():
    with pytest.raises(RuntimeError, match="more than one value is ambiguous"):
        bool(dg.ones(2))


def test_dot_grad_can_be_deleted():
    w = dg.ones(2, requires_grad=True)
    w.sum().backward()
    del w.grad
    assert w.grad is None


def test_the_warning_of_a_result_without_gradient_points_at_the_line_that_asks():
    y = dg.ones(2, requires_grad=True) * 2
    with pytest.warns(UserWarning, match="not a leaf Tensor") as caught:
        y.grad  # noqa: B018
    assert caught[0].filename == __file__


def test_clearing_the_gradient_of_a_result_does_not_make_it_retain_one():
    y = dg.ones(2, requires_grad=True) * 2
    y.grad = None
    assert not y.retains_grad


def test_a_gradient_that_itself_requires_one_is_added_to():
    w = dg.ones(2, requires_grad=True)
    w.grad = dg.ones(2, requires_grad=True)
    (w * 2).sum().backward()
    assert w.grad.tolist() == [3, 3]


def test_numpy_is_given_where_nothing_is_recorded():
    w = dg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        w.numpy()
    with dg.no_grad():
        assert w.numpy().tolist() == [1, 1]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_floats_of_any_width_can_require_gradients(dtype):
    w = dg.ones(2, dtype=dtype).requires_grad_()
    (w * w).sum().backward()
    assert w.grad.dtype == dtype


def test_an_attribute_that_follows_from_others_cannot_be_set():
    w = dg.ones(2)
    for name in ("is_leaf", "grad_fn", "shape", "dtype", "retains_grad"):
        with pytest.raises(AttributeError, match=name):
            setattr(w, name, None)
