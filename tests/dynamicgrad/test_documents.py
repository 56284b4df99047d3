"""What PyTorch's tutorials show, snippet by snippet: same values, errors and warnings.

Error texts keep the phrase a user would search for, and add the forward line and the way out.
"""

import re

import numpy as np
import pytest

import dynamicgrad as torch
from gradops import TapeError

NON_LEAF = r"\.grad attribute of a Tensor that is not a leaf Tensor is being accessed"
THIS_FILE = "test_documents.py"


def near(t, *values):
    """Assert the entries of a tensor, to four digits as they are printed."""
    np.testing.assert_allclose(t.detach().numpy().ravel(), np.ravel(values), atol=5e-5)


def without_address(x):
    return re.sub(r" at 0x[0-9a-f]+", "", repr(x))


def test_s01_requires_grad_defaults_to_false():
    a = torch.randn((3, 3), requires_grad=True)
    b = torch.randn(3, 3)
    assert (a.requires_grad, b.requires_grad, a.shape, a.dtype) == (
        True, False, (3, 3), torch.float32,
    )  # fmt: skip


def test_s02_requires_grad_is_set_after_creation():
    t2 = torch.FloatTensor(3, 3)
    t2.requires_grad = True
    assert (t2.requires_grad, t2.is_leaf, t2.shape) == (True, True, (3, 3))
    with pytest.raises(TypeError, match="requires_grad"):
        torch.FloatTensor(3, 3, requires_grad=True)


def test_s03_a_tensor_of_numbers_has_that_shape_and_one_of_a_list_that_data():
    assert torch.Tensor(3, 5).shape == (3, 5)
    assert torch.Tensor(3, 5).dtype == torch.float32
    assert repr(torch.Tensor([3, 5])) == "tensor([3., 5.])"


def test_s04_requires_grad_is_contagious():
    x = torch.ones(2)
    w = torch.ones(2, requires_grad=True)
    assert [(x * 2).requires_grad, (x * w).requires_grad, (w * w).requires_grad] == [
        False, True, True,
    ]  # fmt: skip


def toy_network():
    a, w1, w2, w3, w4 = (torch.randn((3, 3), requires_grad=True) for _ in range(5))
    b = w1 * a
    c = w2 * a
    d = w3 * b + w4 * c
    return a, b, d, 10 - d


def test_s05_grad_fn_is_none_for_leaves_and_a_node_for_results():
    a, b, d, loss = toy_network()
    assert a.grad_fn is None
    assert without_address(d.grad_fn) == "<AddBackward0 object>"
    assert without_address(loss.grad_fn) == "<RsubBackward1 object>"
    assert without_address(b.grad_fn) == "<MulBackward0 object>"
    assert [a.is_leaf, b.is_leaf, loss.is_leaf] == [True, False, False]


def test_s06_backward_on_a_non_scalar_without_gradient_is_an_error():
    *_, loss = toy_network()
    with pytest.raises(
        RuntimeError, match=r"only for scalar outputs; this one is float32\[3, 3\](?s:.*)\.sum\(\)"
    ):
        loss.backward()


def layer():
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w1 = torch.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
    return a, w1


def test_s07_a_sum_can_be_differentiated():
    a, w1 = layer()
    loss = (10 - w1 * a).sum()
    loss.backward()
    assert repr(loss) == "tensor(-30., grad_fn=<SumBackward0>)"
    assert repr(a.grad) == "tensor([[-5., -6.],\n        [-7., -8.]])"
    assert repr(w1.grad) == "tensor([[-1., -2.],\n        [-3., -4.]])"


def test_s08_a_gradient_of_ones_does_what_sum_does():
    a, w1 = layer()
    loss = 10 - w1 * a
    loss.backward(torch.ones(loss.shape))
    near(a.grad, -5, -6, -7, -8)
    near(w1.grad, -1, -2, -3, -4)


def test_s09_rebinding_a_parameter_makes_it_a_non_leaf():
    w = torch.tensor(3.0, requires_grad=True)
    a = torch.tensor(2.0)
    (a * w).backward()
    w = w - 0.1 * w.grad
    assert repr(w) == "tensor(2.8000, grad_fn=<SubBackward0>)"
    assert not w.is_leaf
    with pytest.warns(UserWarning, match=NON_LEAF) as caught:
        assert w.grad is None
    assert f"{THIS_FILE}:" in str(caught[0].message)
    assert "w = w - 0.1 * w.grad" in str(caught[0].message)
    assert "retain_grad()" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_s10_a_node_appears_as_the_operation_runs():
    a, w1 = layer()
    assert (a.grad_fn, w1.grad_fn) == (None, None)
    assert (w1 * a).grad_fn.name() == "MulBackward0"


def test_s11_backward_twice_on_the_same_graph_is_an_error():
    w = torch.tensor(3.0, requires_grad=True)
    loss = w * w
    loss.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time") as caught:
        loss.backward()
    text = str(caught.value)
    assert "saved tensors after they have already been freed" in text
    assert "retain_graph=True" in text
    assert text.count(THIS_FILE) == 2  # the forward line, and the first backward's
    near(w.grad, 6)


def test_s12_a_retained_graph_can_be_run_again_and_gradients_add_up():
    w = torch.tensor(3.0, requires_grad=True)
    loss = w * w
    for retain, total in ((True, 6), (True, 12), (False, 18)):
        loss.backward(retain_graph=retain)
        near(w.grad, total)


def test_s13_a_graph_that_saved_nothing_can_be_run_twice():
    w = torch.tensor(3.0, requires_grad=True)
    loss = w + 1
    loss.backward()
    loss.backward()
    assert repr(w.grad) == "tensor(2.)"


def test_s14_a_frozen_tensor_stays_out_of_the_graph():
    x, frozen = torch.ones(2), torch.full((2,), 3.0)
    w = torch.ones(2, requires_grad=True)
    y = x * frozen
    assert (y.requires_grad, y.grad_fn, y.is_leaf) == (False, None, True)
    (y * w).sum().backward()
    assert frozen.grad is None
    near(w.grad, 3, 3)


def test_s15_no_grad_needs_parentheses_as_a_context():
    with pytest.raises(TypeError, match="context manager"), torch.no_grad:
        pass


def test_s16_no_grad_records_nothing():
    x = torch.ones(5)
    w, b = torch.ones(5, 3, requires_grad=True), torch.ones(3, requires_grad=True)
    assert (torch.matmul(x, w) + b).requires_grad
    with torch.no_grad():
        z = torch.matmul(x, w) + b
    assert (z.requires_grad, z.grad_fn, z.is_leaf) == (False, None, True)


def test_s17_detach_shares_memory_and_requires_no_gradient():
    z = torch.matmul(torch.ones(5), torch.ones(5, 3, requires_grad=True))
    z_det = z.detach()
    assert (z_det.requires_grad, z_det.is_leaf) == (False, True)
    assert z_det.data_ptr() == z.data_ptr()


def product_leaf():
    a = torch.tensor(5.0, requires_grad=True) * 0.1
    b = torch.tensor(2.0, requires_grad=True)
    return a, b


def test_s18_a_gradient_of_none_cannot_be_multiplied():
    a, b = product_leaf()
    (a + b).backward()
    with (
        pytest.warns(UserWarning, match=NON_LEAF),
        pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \*: 'float' and 'None"),
    ):
        a += +0.1 * a.grad


def test_s19_retain_grad_keeps_the_gradient_of_a_result():
    a, b = product_leaf()
    a.retain_grad()
    (a + b).backward()
    assert repr(a.grad) == "tensor(1.)"
    assert (a.retains_grad, a.is_leaf) == (True, False)


def test_s20_a_leaf_made_explicitly_is_updated_under_no_grad():
    a = torch.tensor(5.0) * 0.1
    b = torch.tensor(2.0, requires_grad=True)
    assert a.is_leaf
    a.requires_grad = True
    (a + b).backward()
    with torch.no_grad():
        a += +0.1 * a.grad
    assert repr(a) == "tensor(0.6000, requires_grad=True)"
    assert a.is_leaf
    assert repr(a.grad) == "tensor(1.)"


def test_s21_tensors_that_require_no_gradient_are_leaves():
    x = torch.ones(2)
    assert (x.is_leaf, (x * 2).is_leaf, (x * 2).grad_fn) == (True, True, None)


ONLY_LEAVES = "you can only change requires_grad flags of leaf variables"


def test_s22_requires_grad_of_a_result_cannot_be_turned_off():
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match=ONLY_LEAVES) as caught:
        y.requires_grad = False
    assert "var_no_grad = var.detach()" in str(caught.value)
    assert THIS_FILE in str(caught.value)


def test_s23_nor_set_to_true_again():
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match=ONLY_LEAVES):
        y.requires_grad = True


def test_s24_an_in_place_update_of_a_leaf_is_an_error():
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(
        RuntimeError,
        match=r"a leaf Variable that requires grad is being used in an(?s:.*)no_grad\(\)",
    ):
        w += 1
    near(w, 1, 1)


def test_s25_training_by_rebinding_fails_in_the_second_iteration():
    a, w = torch.tensor(2.0), torch.tensor(3.0, requires_grad=True)
    b = torch.tensor(2.0, requires_grad=True)
    leaves = []

    def train(w):
        for _ in range(10):
            (a * w + b).backward()
            leaves.append(w.is_leaf)
            w = w + 0.1 * w.grad

    with (
        pytest.warns(UserWarning, match=NON_LEAF),
        pytest.raises(TypeError, match="'float' and 'NoneType'"),
    ):
        train(w)
    assert leaves == [True, False]


def test_s26_training_under_no_grad_keeps_the_leaf_and_gradients_accumulate():
    a, w = torch.tensor(2.0), torch.tensor(3.0, requires_grad=True)
    b = torch.tensor(2.0, requires_grad=True)
    seen = []
    for _ in range(3):
        (a * w + b).backward()
        with torch.no_grad():
            w += 0.1 * w.grad
        seen.append((repr(w), repr(w.grad), w.is_leaf))
    assert seen == [
        ("tensor(3.2000, requires_grad=True)", "tensor(2.)", True),
        ("tensor(3.6000, requires_grad=True)", "tensor(4.)", True),
        ("tensor(4.2000, requires_grad=True)", "tensor(6.)", True),
    ]


def one_layer(w):
    x, y = torch.ones(5), torch.zeros(3)
    b = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
    z = torch.matmul(x, w) + b
    return z, torch.nn.functional.binary_cross_entropy_with_logits(z, y), b


def test_s27_the_nodes_of_a_one_layer_network():
    z, loss, _ = one_layer(torch.randn(5, 3, requires_grad=True))
    assert without_address(z.grad_fn) == "<AddBackward0 object>"
    assert without_address(loss.grad_fn) == "<BinaryCrossEntropyWithLogitsBackward0 object>"


def test_s28_the_gradients_of_a_one_layer_network():
    w = (torch.arange(15, dtype=torch.float32).reshape(5, 3) / 10 - 0.7).requires_grad_()
    _, loss, b = one_layer(w)
    assert repr(loss) == ("tensor(0.8274, grad_fn=<BinaryCrossEntropyWithLogitsBackward0>)")
    loss.backward()
    assert repr(b.grad) == "tensor([0.1338, 0.1833, 0.2300])"
    rows = ",\n        ".join(["[0.1338, 0.1833, 0.2300]"] * 5)
    assert repr(w.grad) == f"tensor([{rows}])"


def test_s29_requires_grad_returns_the_tensor():
    t = torch.ones(2)
    assert t.requires_grad_(True) is t
    assert repr(t) == "tensor([1., 1.], requires_grad=True)"


def test_s30_vector_jacobian_products_accumulate_until_they_are_zeroed():
    inp = torch.eye(5, requires_grad=True)
    out = (inp + 1).pow(2)
    once = np.full((5, 5), 2.0) + 2 * np.eye(5)
    out.backward(torch.ones_like(inp), retain_graph=True)
    near(inp.grad, once)
    out.backward(torch.ones_like(inp), retain_graph=True)
    near(inp.grad, 2 * once)
    inp.grad.zero_()
    out.backward(torch.ones_like(inp), retain_graph=True)
    near(inp.grad, once)


def test_s31_backward_of_a_scalar_is_backward_with_one():
    w = torch.tensor(3.0, requires_grad=True)
    (w * w).backward(torch.tensor(1.0))
    assert repr(w.grad) == "tensor(6.)"


def test_s32_the_graph_may_differ_in_each_iteration():
    w = torch.tensor(2.0, requires_grad=True)
    seen = []
    for n in (1, 2, 3):
        y = w
        for _ in range(n):
            y = y * w if n % 2 else y + w
        w.grad = None
        y.backward()
        seen.append((n, y.item(), w.grad.item()))
    assert seen == [(1, 4.0, 4.0), (2, 6.0, 3.0), (3, 16.0, 32.0)]


def test_s33_gradients_by_hand_equal_those_of_the_tape():
    a, w1, w2, w3, w4 = (torch.tensor(float(i), requires_grad=True) for i in (2, 3, 5, 7, 11))
    b, c = w1 * a, w2 * a
    d = w3 * b + w4 * c
    loss = 10 - d
    loss.backward()
    assert repr(loss) == "tensor(-142., grad_fn=<RsubBackward1>)"
    assert [t.grad.item() for t in (a, w1, w2, w3, w4)] == [-76, -14, -22, -6, -10]


def test_s34_backward_on_a_tensor_outside_any_graph_is_an_error():
    with pytest.raises(
        RuntimeError, match=r"not require grad and does not have a grad_fn(?s:.*)requires_grad=True"
    ):
        torch.ones(1).backward()


def test_s35_only_floats_can_require_gradients():
    with pytest.raises(
        RuntimeError, match=r"Only Tensors of floating point(?s:.*)int64(?s:.*)t\.float\(\)"
    ):
        torch.tensor([1, 2], requires_grad=True)


def test_s36_grad_fn_cannot_be_assigned():
    z = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(AttributeError, match="grad_fn"):
        z.grad_fn = lambda g: g


def test_s37_the_gradient_of_a_result_is_none_with_a_warning():
    z = torch.ones(2, requires_grad=True) * 2
    z.sum().backward()
    with pytest.warns(UserWarning, match=NON_LEAF):
        assert z.grad is None


def test_s38_a_scalar_is_one_element_of_any_shape():
    x = torch.ones(1, 1, requires_grad=True)
    (x * 3).backward()
    assert repr(x.grad) == "tensor([[3.]])"


def test_s39_the_method_accepts_true_on_a_result_and_refuses_false():
    y = torch.ones(2, requires_grad=True) * 2
    assert y.requires_grad_(True) is y
    with pytest.raises(RuntimeError, match=ONLY_LEAVES):
        y.requires_grad_(False)


def test_s40_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Autograd'"):
        torch.nn.Autograd.Function  # noqa: B018


def test_s41_no_grad_around_the_update_alone_does_not_help():
    a, b = product_leaf()
    (a + b).backward()
    with (
        torch.no_grad(),
        pytest.warns(UserWarning, match=NON_LEAF),
        pytest.raises(TypeError, match="'float' and 'NoneType'"),
    ):
        a += 0.1 * a.grad


def test_s42_an_update_under_no_grad_keeps_the_leaf_and_moves_its_version():
    w = torch.ones(2, requires_grad=True)
    before = w._version
    with torch.no_grad():
        w -= 0.5
    assert repr(w) == "tensor([0.5000, 0.5000], requires_grad=True)"
    assert (w.is_leaf, w.grad_fn, before, w._version) == (True, None, 0, 1)


def test_s43_gradients_add_up_over_all_paths():
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    z = y * y + x * x + y
    z.backward()
    assert repr(x.grad) == "tensor(43.)"


def test_s44_backward_works_inside_no_grad():
    w = torch.tensor(3.0, requires_grad=True)
    loss = w * w
    with torch.no_grad():
        loss.backward()
    assert repr(w.grad) == "tensor(6.)"


def test_errors_of_the_tape_are_errors_of_one_tree():
    with pytest.raises(TapeError):
        torch.ones(2, requires_grad=True).backward()
