"""What is a view, and what arranging refuses."""

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import ShapeError

from ..calls import CALLS, operands, results


@pytest.mark.peers
@pytest.mark.parametrize("call", CALLS["arranging"])
def test_a_call_gives_a_view_where_pytorch_does(call):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    views = []
    for library in (dg, torch):
        scope = operands(library)
        with library.no_grad():
            found = results(call, scope)
            memory = [scope[name].detach().numpy() for name in "xv"]
            views.append(
                [any(np.shares_memory(y.numpy(), m) for m in memory) for y in found if y.numel()]
            )
    assert views[0] == views[1]


def test_writing_to_a_diagonal_is_recorded():
    x = dg.zeros(2, 2, requires_grad=True)
    y = x * 1
    y.diagonal().mul_(3.0)
    y.sum().backward()
    assert x.grad.tolist() == [[3, 1], [1, 3]]


def test_repeating_needs_a_number_for_each_dimension():
    with pytest.raises(ShapeError, match="fewer counts"):
        dg.zeros(2, 2).repeat(2)


@pytest.mark.parametrize(
    ("shapes", "joined"),
    [
        ([(2, 0), (0,)], (2, 0)),
        ([(2, 3), (0,)], (2, 3)),
        ([(0,), (2, 2, 2)], (2, 2, 2)),
        ([(3,), ()], (4,)),
    ],
)
def test_hstack_skips_empty_vectors_as_cat_does(shapes, joined):
    assert dg.hstack([dg.zeros(shape) for shape in shapes]).shape == joined
