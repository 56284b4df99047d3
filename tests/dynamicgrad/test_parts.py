"""Parts of a tensor: unbind, iteration, split and chunk give outputs of one node."""

import tracemalloc

import pytest

import dynamicgrad as dg

from .behaviour import Table

table = Table()
WAYS = {
    "unbind": lambda x: x.unbind(), "iteration": list, "split": lambda x: x.split(1),
    "split with sizes": lambda x: x.split([1] * len(x)), "chunk": lambda x: x.chunk(len(x)),
    "unbind along another dimension": lambda x: x.t().unbind(1),
}  # fmt: skip


@table.gives(
    [
        ["UnbindBackward0", 1, 2], ["UnbindBackward0", 1, 2], ["SplitBackward0", 1, 2],
        ["SplitWithSizesBackward0", 1, 2], ["SplitBackward0", 1, 2], ["UnbindBackward0", 1, 2],
    ]
)  # fmt: skip
def parts_are_outputs_of_one_node(t):
    found = []
    for way in WAYS.values():
        parts = way(t.ones(3, 2, requires_grad=True) * 1)
        node = parts[0].grad_fn
        found.append((node.name(), len({p.grad_fn for p in parts}), parts[-1].output_nr))
    return found


@table.gives([[[0.0, 0.0], [12.0, 12.0], [0.0, 0.0]]] * len(WAYS))
def a_part_alone_has_a_gradient(t):
    found = []
    for way in WAYS.values():
        x = t.full((3, 2), 2.0, requires_grad=True)
        part = way(x * 1)[1]
        (part * part * part).sum().backward()
        found.append(x.grad.tolist())
    return found


@table.gives([[[0.0, 0.0], [0.0, 0.0], [12.0, 12.0]]] * len(WAYS))
def parts_have_second_derivatives(t):
    found = []
    for way in WAYS.values():
        x = t.full((3, 2), 2.0, requires_grad=True)
        part = way(x * 1)[-1]
        (g,) = t.autograd.grad((part * part * part).sum(), x, create_graph=True)
        found.append(t.autograd.grad(g.sum(), x)[0].tolist())
    return found


@table.gives(([[[1.0], [2.0]], [[3.0]]], [[6.0, 6.0, 3.0]]))
def uneven_parts(t):
    x = t.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    first, last = x.split(2, dim=1)
    (first.sum() * 6 + last.sum() * 3).backward()
    return [p.t().tolist() for p in (first, last)], x.grad.tolist()


@table.gives((1, True, [5.0, 5.0]))
def parts_share_memory_and_versions(t):
    x = t.zeros(2, 2)
    first, _ = x.unbind()
    with t.no_grad():
        first.add_(5)
    return x._version, first._base is x, x[0].tolist()


test_dynamicgrad, test_these_are_pytorchs_behaviours = table.tests()


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_the_backward_of_parts_takes_memory_in_proportion_to_the_whole(way):
    x = dg.ones(400, 50, requires_grad=True)
    total = sum(part.sum() for part in way(x * 1))
    tracemalloc.start()
    total.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * x.value.nbytes  # one array of the whole for each part would be 400 times it
