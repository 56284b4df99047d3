"""Notebooks show tensors as before, with their tapes to be opened, and modules with parameters."""

import dynamicgrad as dg
from gradops.inspection.notebook import LIMIT


def test_a_tensor_without_history_is_shown_as_text():
    x = dg.ones(2)
    assert x._repr_mimebundle_() == {"text/plain": repr(x)}
    assert dg.array([1.0])._repr_mimebundle_().keys() == {"text/plain"}


def test_a_tape_is_below_the_text():
    w = dg.ones(2, requires_grad=True)
    forms = (w * w).sum()._repr_mimebundle_()
    assert forms["text/plain"] == "tensor(2., grad_fn=<SumBackward0>)"
    assert "tape of 2 operations, 8 bytes kept" in forms["text/html"]
    assert ">w</text>" in forms["text/html"]


def test_a_long_tape_is_counted():
    x = dg.ones(2, requires_grad=True)
    for _ in range(LIMIT + 1):
        x = x.sin()
    html = x._repr_mimebundle_()["text/html"]
    assert "<svg" not in html
    assert f"<td>sin</td><td>{LIMIT + 1}</td>" in html


def test_a_module_is_shown_with_its_parameters():
    model = dg.nn.Sequential(dg.nn.Linear(3, 4), dg.nn.ReLU())
    forms = model._repr_mimebundle_()
    assert forms["text/plain"] == repr(model)
    assert "2 parameters of 16 entries" in forms["text/html"]
    assert "<td>0.weight</td><td>float32[4, 3]</td><td>48</td>" in forms["text/html"]
    assert "<details>" not in dg.nn.ReLU()._repr_mimebundle_()["text/html"]
