"""The fast path of ops with attributes: the values, histories and errors of the general one."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops as ops
from dynamicgrad.dispatch.attributed import Attributed, normal_form
from dynamicgrad.engine.array import Array
from dynamicgrad.engine.handle import Handle, hold
from dynamicgrad.engine.tensor import Tensor
from gradops.core.traits import Trait


def samples_of_floats():
    """The samples of all ops with attributes, and of views, whose operands are float64 arrays."""
    for op in ops.OPS.values():
        if not op.params and Trait.VIEW not in op.traits:
            continue
        for xs, attrs in op.samples(np.random.default_rng(0)):
            if xs and all(getattr(x, "dtype", None) == np.float64 for x in xs):
                yield op, xs, attrs


@pytest.mark.parametrize("face", [Tensor, Array])
def test_it_gives_what_the_general_path_gives(face):
    count = 0
    for op, xs, attrs in samples_of_floats():
        call = face.attributed[op]
        if call is None:
            continue
        leaves = [hold(face, np.array(x)) for x in xs]
        for x in leaves:
            x.node = dg.zeros(1, requires_grad=True).node
            x.node.shape, x.node.dtype = x.value.shape, x.value.dtype
        if (quick := call(leaves, attrs)) is NotImplemented:
            continue
        slow = Handle.__gradop__(op, *op.bind(leaves, attrs))
        assert type(quick) is type(slow) is face
        np.testing.assert_array_equal(quick.value, slow.value)
        assert quick.type == slow.type
        assert (quick.alias is None) == (slow.alias is None)
        assert (quick.node is None) == (slow.node is None)
        if slow.node is not None:
            assert quick.node.attrs == slow.node.attrs
            assert (quick.node.op, quick.node.inputs) == (slow.node.op, slow.node.inputs)
            assert (quick.node.output is None) == (slow.node.output is None)
        count += 1
    assert count > 200


def test_attributes_that_are_equal_to_others_but_not_the_same_are_unusual():
    normal = normal_form(ops.reshape)
    first = normal((), {"shape": (2, 3)})
    assert normal((), {"shape": (2, 3)}) is first
    assert normal((), {"shape": (2.0, 3)}) is None
    assert normal((), {"shape": (True, 6)}) is None
    assert normal((), {"shape": [2, 3]}) is None
    assert normal((), {}) is None
    assert normal((), {"size": (2, 3)}) is None
    total = normal_form(ops.sum)
    assert total((1,), {}) == {"axis": 1, "keepdims": False}
    assert total((1, True), {})["keepdims"] is True
    assert total((1, 1), {})["keepdims"] == 1


def test_a_mistake_is_the_same_error_the_first_and_the_second_time():
    x = dg.ones(2, 3, requires_grad=True)
    for _ in range(2):
        assert x.sum(1).shape == (2,)
        with pytest.raises((TypeError, ops.OptionError)):
            x.reshape((2.0, 3))
        with pytest.raises(ops.AxisError, match="Dimension out of range"):
            x.sum(2)
        with pytest.raises(ops.ShapeError, match="is invalid for input of size 6"):
            x.reshape(4, 2)


def test_functions_are_made_once_for_each_op():
    table = Attributed(Tensor)
    assert table[ops.sum] is table[ops.sum]


def test_modes_apply():
    x = dg.ones(2, 3, requires_grad=True)
    with dg.no_grad():
        assert not x.sum(1).requires_grad
        assert "no_grad" in x.sum(1).cut.reason
    with dg.inference_mode():
        assert x.sum(1).is_inference()
    packed = []
    with dg.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        x.amax(1)
    assert any(t is x for t in packed)
