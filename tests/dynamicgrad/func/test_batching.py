"""Functions of one example, applied to a batch."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import MissingRuleError, TransformError

vmap = dg.vmap


@pytest.fixture
def rows():
    return dg.arange(6.0).reshape(3, 2)


def test_axes_go_where_they_are_told(rows):
    product = lambda a, b: a * b
    assert vmap(product)(rows, rows).shape == (3, 2)
    assert vmap(product, in_dims=(0, None))(rows, dg.ones(4, 2)).shape == (3, 4, 2)
    assert vmap(product, in_dims=(0, None), out_dims=1)(rows, dg.ones(4, 2)).shape == (4, 3, 2)
    assert vmap(product, in_dims=(-1, 1), out_dims=-1)(rows, rows).shape == (3, 2)
    assert vmap(lambda a: (a, {"s": a.sum()}), out_dims=(1, 0))(rows)[1]["s"].tolist() == [1, 5, 9]


def test_trees_of_axes_stand_for_trees(rows):
    f = lambda d, pair: d["k"] * pair[0] + pair[1]
    dims = {"k": 0}, (0, None)
    assert vmap(f, in_dims=dims)({"k": rows}, (rows, dg.ones(2))).shape == (3, 2)
    assert vmap(f, in_dims=(None, (0, None)))({"k": 2.0}, (rows, 1.0)).tolist()[0] == [1, 3]


def test_what_all_examples_share_is_repeated_or_left_out(rows):
    assert vmap(lambda a: dg.ones(4))(rows).shape == (3, 4)
    assert vmap(lambda a: (a, dg.ones(4)), out_dims=(0, None))(rows)[1].shape == (4,)


def test_arrays_in_arrays_out():
    got = vmap(lambda a: np.sum(a * a))(np.ones((3, 2)))
    assert type(got) is np.ndarray
    assert got.tolist() == [2, 2, 2]


def test_chunks_give_what_the_whole_gives(rows):
    f = lambda a: (a * 2, a.sum(), dg.ones(1))
    dims = (1, 0, None)
    whole = vmap(f, out_dims=dims)(rows)
    for size in (1, 2, 5):
        for got, want in zip(vmap(f, out_dims=dims, chunk_size=size)(rows), whole, strict=True):
            assert got.tolist() == want.tolist()


def test_no_examples_give_results_without_examples():
    assert vmap(lambda a: a.sum())(dg.zeros(0, 2)).shape == (0,)


def test_examples_are_indexed_by_their_own_labels(rows):
    assert vmap(lambda a, i: a[i])(rows, dg.tensor([0, 1, 0])).tolist() == [0, 3, 4]


def test_random_numbers_are_refused_or_shared_or_different(rows):
    noisy = lambda a: a + dg.rand(2)
    with pytest.raises(TransformError, match="random operation"):
        vmap(noisy)(rows)
    noise = vmap(noisy, randomness="same")(rows) - rows
    np.testing.assert_allclose(noise[0].numpy(), noise[2].numpy(), atol=1e-6)
    noise = vmap(noisy, randomness="different")(rows) - rows
    assert len(set(noise.flatten().tolist())) == noise.numel()
    with pytest.raises(TransformError, match="randomness is one of"):
        vmap(noisy, randomness="other")
    assert dg.rand(1).shape == (1,)


@pytest.mark.parametrize("outer", ["same", "different"])
def test_nested_batches_have_each_their_own_random_numbers(outer):
    inner = vmap(lambda y: y + dg.randn(()), randomness="different")
    found = vmap(inner, randomness=outer)(dg.zeros(2, 3))
    assert len(set(found.flatten().tolist())) == (6 if outer == "different" else 3)


def test_each_example_has_its_own_permutation_integers_and_dropout():
    def draw(x):
        dropped = dg.nn.functional.dropout(x, 0.5)
        return dg.randperm(50), dg.randint(0, 1000, (50,)), dropped

    for found in vmap(draw, randomness="different")(dg.ones(2, 50)):
        assert found[0].tolist() != found[1].tolist()


def test_a_new_tensor_can_be_written_to(rows):
    def doubled(a):
        y = dg.zeros(2)
        y[0] = a[0] * 2
        return y.add_(a)

    assert vmap(doubled)(rows).tolist() == [[0, 1], [6, 3], [12, 5]]


def test_gradients_of_each_example_in_what_they_share():
    w, x, y = dg.ones(2), dg.tensor([[1.0, 2.0], [3.0, 4.0]]), dg.tensor([0.0, 1.0])
    loss = lambda w, x, y: ((w * x).sum() - y) ** 2
    got = vmap(dg.grad(loss), in_dims=(None, 0, 0))(w, x, y)
    want = [dg.grad(loss)(w, a, b).tolist() for a, b in zip(x, y, strict=True)]
    assert got.tolist() == want


REFUSED = {
    "None": (lambda x: vmap(lambda a: None)(x), "must only return Tensors, got type <class 'None"),
    "float": (lambda x: vmap(lambda a: 3.0)(x), "must only return Tensors.*float"),
    "too few": (lambda x: vmap(lambda a, b: a, in_dims=(0,))(x, x), "not compatible.*inputs"),
    "no axis": (lambda x: vmap(lambda a: a, in_dims=2)(x), "dimensionality 2 .*-2 <= in_dim < 2"),
    "list": (lambda x: vmap(lambda a: a, in_dims=[0])(x), "int or a .*tuple.*list"),
    "all None": (lambda x: vmap(lambda a: a, in_dims=(None,))(x), "at least one Tensor"),
    "sizes": (lambda x: vmap(lambda a, b: a)(x, x[:2]), r"same size.*\[3, 2\]"),
    "number": (lambda x: vmap(lambda a, b: a)(x, 2), "input is of type <class 'int'>.*use None"),
    "nothing": (lambda x: vmap(lambda: x)(), "got no inputs"),
    "out": (lambda x: vmap(lambda a: a, out_dims=(0,))(x), "not compatible.*outputs"),
    "out None": (lambda x: vmap(lambda a: a, out_dims=None)(x), "can not return a BatchedTensor"),
    "out 5": (lambda x: vmap(lambda a: a, out_dims=5)(x), "Dimension out of range"),
    "branch": (lambda x: vmap(lambda a: a if a.sum() > 0 else -a)(x), "data-dependent.*where"),
    "item": (lambda x: vmap(lambda a: a.sum().item())(x), r"calling \.item\(\)"),
    "float()": (lambda x: vmap(lambda a: float(a.sum()))(x), r"calling \.item\(\)"),
    "array": (lambda x: vmap(lambda a: dg.tensor(np.asarray(a)))(x), r"calling \.item\(\)"),
    "chunk": (lambda x: vmap(lambda a: a, chunk_size=0)(x), "greater than 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused_in_words(rows, case):
    call, says = case
    with pytest.raises(TransformError, match=f"(?s){says}"):
        call(rows)


def test_a_mask_gives_no_batch(rows):
    with pytest.raises(MissingRuleError, match="where"):
        vmap(lambda a: a[a > 1])(rows)
