"""The tape as pictures have it: names of tensors, data, saved values, and the backward to come."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad.introspection.view import forward_view, tape_view
from gradops.inspection.model import Role


class Attention(dg.nn.Module):
    def __init__(self):
        super().__init__()
        self.q = dg.nn.Linear(3, 3)

    def forward(self, x):
        return x * self.q(x).tanh()


class Model(dg.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = dg.nn.ModuleList([Attention(), Attention()])
        self.register_buffer("scale", dg.tensor(2.0))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return (x * self.scale).sum()


def named(view, name):
    return next(n for n in view.nodes if n.name == name)


def titles(view, role):
    return [n.title for n in view.nodes if n.role is role]


def test_parameters_have_their_paths_in_the_model():
    model, x = Model(), dg.ones(2, 3)
    view = tape_view(model(x))
    assert titles(view, Role.PARAMETER) == [name for name, _ in model.named_parameters()]
    assert named(view, "blocks.1.q.weight").scope == "blocks/1/q"
    scopes = [n.scope for n in view.nodes if n.op == "linear"]
    assert scopes == ["blocks/0/q", "blocks/1/q"]


def test_a_model_that_is_not_on_the_tape_changes_no_paths():
    other, model = Model(), Model()
    view = tape_view(model(dg.ones(2, 3)))
    assert titles(view, Role.PARAMETER) == [name for name, _ in model.named_parameters()]
    assert other.blocks


def test_of_several_models_the_variables_tell_which():
    first, second = dg.nn.Linear(2, 2), dg.nn.Linear(2, 2)
    view = tape_view(second(first(dg.ones(1, 2))).sum())
    assert set(titles(view, Role.PARAMETER)) >= {"first.weight", "second.bias"}


def test_other_tensors_have_the_names_of_the_callers_variables():
    w, x = dg.ones(2, requires_grad=True), dg.tensor([1.0, 2.0])
    loss = (w * x).sum()
    view = tape_view(loss)
    assert titles(view, Role.PARAMETER) == ["w"]
    assert titles(view, Role.INPUT) == ["x"]
    assert view.by_id[view.outputs[0]].outputs == ("loss",)
    assert named(tape_view(loss, names={"weights": w}), "weights").op == "leaf"


def test_data_is_shown_with_its_type_and_value():
    w = dg.ones(2, requires_grad=True)
    view = tape_view((w * np.float32([3.0, 4.0]) + dg.zeros(2)) ** 2)
    saved, unsaved = (n for n in view.nodes if n.role is Role.INPUT)
    assert (saved.type, saved.value) == ("float32[2]", "[3.0, 4.0]")
    assert (unsaved.type, unsaved.value) == ("float32[2]", None)
    (number,) = (n for n in view.nodes if n.role is Role.CONSTANT)
    assert number.value == "2"


def test_one_tensor_is_one_node_however_often_it_is_read():
    w, x = dg.ones(2, requires_grad=True), dg.ones(2)
    view = tape_view(w * x + w * x)
    assert titles(view, Role.INPUT) == ["x"]


def test_nodes_say_what_they_keep():
    x = dg.ones(3, requires_grad=True)
    y = (x * x + x).exp()
    view = tape_view(y)
    assert named(view, "mul").saved == (("x", 12),)
    assert named(view, "add").saved == ()
    assert named(view, "exp").saved == (("exp", 12),)


def test_a_backward_reads_what_was_saved_and_is_on_the_side_of_its_cause():
    w, x = dg.ones(2, requires_grad=True), dg.ones(2)
    loss = (w * x).sum()
    view = tape_view(loss)
    seed, total, product, end = (n for n in view.nodes if n.role is Role.BACKWARD)
    assert [n.op for n in (seed, total, product, end)] == [
        "ones_like", "SumBackward0", "MulBackward0", "AccumulateGrad",
    ]  # fmt: skip
    assert product.inputs == (total.id, named(view, "x").id)
    assert view.by_id[product.cause].name == "mul"
    assert end.outputs == ("d loss / d w",)
    assert view.by_id[end.cause].name == "w"


def test_cotangents_meet_where_a_tensor_is_read_often():
    a = dg.ones(3, requires_grad=True)
    b, c = a.sum(), (a * a).unbind()[0]
    view = tape_view(b, c)
    end = view.nodes[-1]
    assert end.outputs == ("d (b + c) / d a",)
    assert len(end.inputs) == 3
    assert named(view, "unbind.0").op == "part"


def test_what_a_backward_has_freed_shows():
    x = dg.ones(3, requires_grad=True)
    y = (x * dg.ones(3)).sum()
    y.backward()
    view = tape_view(y)
    assert "test_view.py" in named(view, "mul").attrs["freed"]
    assert not any(n.saved for n in view.nodes)
    assert "unknown type" in {n.type for n in view.nodes}


def test_lines_are_the_users():
    x = dg.ones(3, requires_grad=True)
    y = x.exp()
    n = named(tape_view(y), "exp")
    assert n.place.text == "y = x.exp()"
    assert n.line == f"test_view.py:{n.place.line}"


def test_a_leaf_that_is_gone_has_the_value_that_was_saved():
    y = dg.tensor([3.0, 4.0], requires_grad=True)
    y = y * y
    assert named(tape_view(y), "leaf").value == "[3.0, 4.0]"


def test_tensors_without_history_are_shown_as_data():
    x = dg.ones(2)
    view = tape_view(x)
    assert [(n.name, n.role, n.outputs) for n in view.nodes] == [("x", Role.INPUT, ("x",))]


@pytest.mark.parametrize("part", ["forward", "backward"])
def test_parts_of_a_tape(part):
    w = dg.ones(2, requires_grad=True)
    view = tape_view((w * w).sum()).part(part)
    roles = {n.role for n in view.nodes}
    assert (Role.BACKWARD in roles) == (part == "backward")


def test_the_forward_view_is_the_forward_part():
    w = dg.ones(2, requires_grad=True)
    loss = (w * 2.0).exp().sum()
    assert forward_view(loss) == tape_view(loss).part("forward")


def test_custom_functions_and_writes_in_place_are_shown():
    class Two(dg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, g, h):
            return g + 2 * h

    a, b = Two.apply(dg.ones(2, requires_grad=True))
    b = b * 1
    b += a
    view = tape_view(b)
    assert [n.op for n in view.nodes if n.role is Role.FORWARD] == [
        "Two", "part", "part", "mul", "add",
    ]  # fmt: skip
    assert named(view, "Two").type == "several values"
