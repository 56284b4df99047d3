"""The tape in every format, and as a program."""

import runpy

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from gradops import OptionError

FORMATS = [
    "to_dot", "to_gexf", "to_graphml", "to_json", "to_mermaid", "to_networkx", "to_svg", "to_text",
]  # fmt: skip


def test_text_shows_operations_types_lines_and_the_memory_that_is_kept():
    x = dg.ones(3, requires_grad=True)
    y = (x * x + x).exp()
    text = dg.to_text(y.sum())
    first, mul, add, exp, total, last, size = text.splitlines()
    assert first == "tape(x: float32[3])"
    assert mul.startswith("  mul: float32[3] = mul(x, x)  # test_formats.py:")
    assert mul.endswith("keeps 12 bytes")
    assert "keeps" not in add
    assert "exp(add)" in exp
    assert total.strip().startswith("sum: float32[] = sum(exp")
    assert (last, size) == ("  return sum", "  24 bytes kept for backward")


def test_what_a_backward_has_freed_shows():
    x = dg.ones(3, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    assert "freed" in dg.to_text(y)
    assert "0 bytes kept" in dg.to_text(y)


def test_outputs_of_one_operation_and_constants():
    class Two(dg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, g, h):
            return g + 2 * h

    a, b = Two.apply(dg.ones(2, requires_grad=True))
    text = dg.to_text(a, b * dg.ones(2), dg.ones(1))
    assert "Two: several values = Two(leaf)" in text
    assert "mul(Two.1, data)" in text
    assert "return Two.0, mul, data_1" in text


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("part", ["forward", "backward", "both"])
def test_parts_are_exported(name, part):
    x = dg.ones(3, requires_grad=True)
    made = getattr(dg, name)((x * x).sum(), part=part)
    assert len(made) > 0
    if name not in ("to_networkx", "to_text"):
        assert (part == "forward") != ("SumBackward0" in made)


@pytest.mark.parametrize("name", FORMATS)
def test_only_tensors_have_a_tape(name):
    with pytest.raises(TypeError, match=f"{name} takes tensors(.|\n)*such as the loss"):
        getattr(dg, name)(dg.nn.Linear(2, 2))


@pytest.mark.parametrize("x", [np.ones(3), dg.nn.Linear(2, 2), [1.0], sg.constant([1.0])])
def test_only_tensors_have_a_page(x, tmp_path):
    with pytest.raises(TypeError, match=r"inspect takes tensors(.|\n)*such as the loss"):
        dg.inspect(x, tmp_path / "tape.html")


def test_json_follows_its_schema_and_is_read_back():
    jsonschema = pytest.importorskip("jsonschema")
    import json

    from gradops.inspection.formats.as_json import schema

    x = dg.ones(3, requires_grad=True)
    text = dg.to_json((x * x).sum())
    jsonschema.validate(json.loads(text), schema())
    assert dg.to_json(dg.from_json(text)) == text


def network():
    """A small network and its loss."""
    model = dg.nn.Sequential(
        dg.nn.Conv2d(1, 2, 3), dg.nn.ReLU(), dg.nn.Flatten(), dg.nn.Linear(8, 3)
    )
    images, labels = dg.randn(4, 1, 4, 4), dg.tensor([0, 1, 2, 0])
    return model, dg.nn.functional.cross_entropy(model(images), labels)


def pieces():
    x = dg.randn(4, 6, requires_grad=True)
    a, b = x.split(3, dim=1)
    rows = (a * b).unbind(1)
    return x, (rows[0] ** 2.0 + rows[1][1:3].sum() / 3 + x[dg.tensor([0, 2])].max()).clamp(0.0, 1.0)


@pytest.mark.parametrize("program", [network, pieces])
def test_a_tape_as_a_program_computes_the_same_bits(program, tmp_path):
    leaves, y = program()
    dg.to_python(y, path=tmp_path / "tape.py")
    (again,) = runpy.run_path(str(tmp_path / "tape.py"))["run"]()
    np.testing.assert_array_equal(again, y.detach().numpy())
    assert leaves is not None  # a tape keeps no leaf alive


def test_the_program_of_a_tape_takes_other_leaves_and_the_data_it_lacks(tmp_path):
    w, b = dg.tensor([1.0, 2.0], requires_grad=True), dg.ones(2)
    y = (w * w).exp() + b
    dg.to_python(y, y.sum(), path=tmp_path / "tape.py")
    run = runpy.run_path(str(tmp_path / "tape.py"))["run"]
    with pytest.raises(TypeError, match="data"):
        run()
    x = np.float32([0.5, 1.5])
    total = np.exp(x * x) + 1
    np.testing.assert_array_equal(run(data=np.float32([1, 1]), w=x)[0], total)


def test_what_is_no_op_is_refused_by_name(tmp_path):
    class Double(dg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = Double.apply(dg.ones(2, requires_grad=True))
    with pytest.raises(OptionError, match=r"Double.*made at test_formats.py"):
        dg.to_python(y, path=tmp_path / "tape.py")
    assert not (tmp_path / "tape.py").exists()


def test_explain_says_what_a_result_was_computed_from():
    w, x = dg.ones(2, requires_grad=True), dg.tensor([1.0, 2.0])
    y = (w * x).exp()
    text = dg.explain(y)
    assert "result of exp(mul), made at test_formats.py" in text
    assert "  mul: float32[2], made at test_formats.py" in text
    assert "it depends on w by 2 operations; 16 bytes are kept for backward" in text
