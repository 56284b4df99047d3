"""Data sets in batches: every example once, in an order that can be repeated."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad.data import DataLoader, Dataset, TensorDataset


class Squares(Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        return {"n": i, "x": np.full(2, i, np.float32), "pair": (i * 1.0, str(i))}


def test_batches_are_examples_stacked():
    batch = next(iter(DataLoader(Squares(), batch_size=3)))
    assert batch["n"].tolist() == [0, 1, 2]
    assert batch["x"].shape == (3, 2)
    assert batch["x"].dtype == "float32"
    assert batch["pair"][0].tolist() == [0, 1, 2]
    assert batch["pair"][1] == ["0", "1", "2"]


def test_a_set_of_tensors_gives_the_batches_of_its_examples():
    xs, ys = dg.arange(10).reshape(5, 2), dg.arange(5)
    data = TensorDataset(xs, ys)
    one_by_one = DataLoader([data[i] for i in range(5)], batch_size=2)
    at_once = DataLoader(data, batch_size=2)
    for a, b in zip(one_by_one, at_once, strict=True):
        assert all(dg.equal(s, t) for s, t in zip(a, b, strict=True))


@pytest.mark.parametrize(("drop", "sizes"), [(False, [3, 3, 1]), (True, [3, 3])])
def test_the_last_batch_may_be_left_out(drop, sizes):
    loader = DataLoader(Squares(), 3, drop_last=drop)
    assert [len(batch["n"]) for batch in loader] == sizes
    assert len(loader) == len(sizes)


def test_shuffling_gives_every_example_once_and_another_order_each_time():
    data = TensorDataset(dg.arange(100))
    loader = DataLoader(data, 10, shuffle=True, generator=np.random.default_rng(0))
    first, second = ([i for (x,) in loader for i in x.tolist()] for _ in "ab")
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != second
    dg.manual_seed(1)
    a = next(iter(DataLoader(data, 5, shuffle=True)))
    dg.manual_seed(1)
    b = next(iter(DataLoader(data, 5, shuffle=True)))
    assert dg.equal(a[0], b[0])


def test_a_sampler_and_a_function_for_batches_can_be_given():
    loader = DataLoader(Squares(), 2, sampler=[5, 3, 1], collate_fn=lambda xs: [x["n"] for x in xs])
    assert list(loader) == [[5, 3], [1]]


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: DataLoader(Squares(), 0), "positive integer"),
        (lambda: DataLoader(Squares(), shuffle=True, sampler=[1]), "mutually exclusive"),
        (lambda: TensorDataset(dg.ones(2), dg.ones(3)), "Size mismatch between tensors"),
    ],
)
def test_what_makes_no_sense_is_refused(make, match):
    with pytest.raises(ValueError, match=match):
        make()


def test_a_set_without_its_methods_says_so():
    with pytest.raises(NotImplementedError, match="Dataset must define __len__"):
        len(Dataset())
    with pytest.raises(NotImplementedError, match="__getitem__"):
        _ = Dataset()[0]
