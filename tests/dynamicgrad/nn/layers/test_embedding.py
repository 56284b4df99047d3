"""Embeddings: PyTorch's values and gradients, with padding and a greatest norm."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn

from ..beside_torch import agree_with_torch

PLACES = np.array([[0, 3, 1], [3, 3, 2]])
TABLE = {"num_embeddings": 4, "embedding_dim": 3}


@pytest.mark.peers
@pytest.mark.parametrize(
    "options", [{}, {"padding_idx": 3}, {"padding_idx": -2}, {"max_norm": 0.5, "norm_type": 1.0}]
)
def test_embeddings_are_pytorchs(options):
    agree_with_torch("Embedding", {**TABLE, **options}, [PLACES])


def test_a_row_of_padding_begins_with_zeros_and_stays():
    table = nn.Embedding(**TABLE, padding_idx=1)
    assert table.weight[1].tolist() == [0, 0, 0]
    table(dg.tensor(PLACES)).sum().backward()
    assert table.weight.grad.tolist() == [[1] * 3, [0] * 3, [1] * 3, [3] * 3]


def test_a_table_that_is_given_is_frozen_unless_it_is_not_to_be():
    given = dg.ones(4, 3)
    assert not nn.Embedding.from_pretrained(given).weight.requires_grad
    assert nn.Embedding.from_pretrained(given, freeze=False).weight.requires_grad
    with pytest.raises(ValueError, match="2-dimensional"):
        nn.Embedding.from_pretrained(dg.ones(3))


def test_what_makes_no_sense_is_refused():
    with pytest.raises(IndexError, match="index 4 is out of range"):
        nn.Embedding(**TABLE)(dg.tensor([4]))
    with pytest.raises(ValueError, match="within num_embeddings"):
        nn.Embedding(**TABLE, padding_idx=4)


def test_it_prints_as_in_pytorch():
    assert repr(nn.Embedding(4, 3, padding_idx=1)) == "Embedding(4, 3, padding_idx=1)"
