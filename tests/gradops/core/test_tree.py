"""Structures are taken apart into leaves and put together again."""

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gradops.core.tree import (
    flatten,
    form_of,
    leaves_in,
    leaves_of,
    structure,
    tree_map,
)
from gradops.transforms.batching import Batched

Pair = namedtuple("Pair", "left right")


@dataclass
class Layer:
    weight: object
    bias: object


@pytest.mark.parametrize(
    ("tree", "leaves"),
    [
        (1, [1]),
        (None, []),
        ([], []),
        ([1, (2, [3])], [1, 2, 3]),
        ({"b": 1, "a": {"c": 2}}, [1, 2]),
        (Pair(1, [2]), [1, 2]),
        (OrderedDict(b=1, a={"c": 2}), [1, 2]),
        (defaultdict(list, b=1, a=[2]), [1, 2]),
        (Layer([1], None), [1]),
        ("ab", ["ab"]),
    ],
)
def test_a_structure_is_rebuilt_from_its_leaves(tree, leaves):
    found, rebuild = flatten(tree)
    assert found == leaves
    assert rebuild(leaves) == tree
    assert type(rebuild(leaves)) is type(tree)


def test_a_rebuilt_dict_keeps_what_its_kind_has_besides():
    assert flatten(defaultdict(list, a=1))[1]([2])["new"] == []
    assert list(tree_map(str, OrderedDict([("b", 1), ("a", 2)]))) == ["b", "a"]
    assert structure({"a": 1}) != structure(OrderedDict(a=1))
    assert structure(OrderedDict(a=1)) != structure(OrderedDict(b=1))


def test_operands_and_arrays_are_leaves():
    leaves = [Batched(np.ones(2), 1), np.ones((2, 2))]
    assert all(a is b for a, b in zip(leaves_of({"x": leaves}), leaves, strict=True))


def test_tree_map_takes_leaves_from_several_structures():
    assert tree_map(lambda a, b: a + b, [1, {"x": 2}], [10, {"x": 20}]) == [11, {"x": 22}]


def test_tree_map_refuses_structures_of_different_size():
    with pytest.raises(ValueError, match="zip"):
        tree_map(lambda a, b: a + b, [1, 2], [1])


@pytest.mark.parametrize("args", [(1, 2), ([1, 2], 3), ((1, (2, [3])), {"a": 4, "b": [5]}), ([],)])
def test_leaves_are_found_by_form(args):
    leaves: list[Any] = []
    assert leaves_in(args, form_of(args), leaves)
    assert leaves == leaves_of(args)


OTHERS = [([1, 2, 3],), ((1, 2),), ([1, 2], 3), ({"a": 1, "b": 2},)]


@pytest.mark.parametrize(("args", "others"), [
    (([1, 2],), OTHERS), (({"a": 1, "c": 2},), [*OTHERS, ({"c": 1, "a": 2},)]),
    (([[1], 2],), [*OTHERS, ([[1, 2], 3],), ([(1,), 2],)]),
])  # fmt: skip
def test_other_structures_are_of_another_form(args, others):
    assert not any(leaves_in(other, form_of(args), []) for other in others)


def test_only_lists_tuples_and_dicts_have_a_form():
    for tree in (None, Pair(1, 2), OrderedDict(a=1)):
        with pytest.raises(TypeError, match="no list, tuple or dict"):
            form_of((tree,))
