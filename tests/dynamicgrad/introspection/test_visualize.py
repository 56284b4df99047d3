"""The tape as text and as a picture."""

import dynamicgrad as dg


def test_text_shows_operations_types_lines_and_the_memory_that_is_kept():
    x = dg.ones(3, requires_grad=True)
    y = (x * x + x).exp()
    text = dg.to_text(y.sum())
    first, mul, add, exp, total, last, size = text.splitlines()
    assert first == "tape(leaf: float32[3])"
    assert mul.startswith("  mul: float32[3] = mul(leaf, leaf)  # test_visualize.py:")
    assert mul.endswith("keeps 12 bytes")
    assert "keeps" not in add
    assert "exp(add)" in exp
    assert total.strip().startswith("sum: float32[] = sum(exp)")
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
    assert "Two: several = Two(leaf)" in text
    assert "mul(Two.1, constant)" in text
    assert "return Two.0, mul, a constant" in text


def test_dot_has_a_node_for_each_operation_and_an_edge_for_each_operand():
    x = dg.ones(2, requires_grad=True)
    dot = dg.to_dot((x * x).sum())
    assert dot.count("label=") == 3
    assert dot.count("->") == 3
    assert dot.startswith("digraph tape {")
    assert dot.endswith("}\n")
