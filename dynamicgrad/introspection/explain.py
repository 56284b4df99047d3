"""Explains why a tensor has the gradient it has, or has none."""

from gradops.core.source_location import describe

from ..engine.backward import why_no_history
from ..engine.node import Leaf
from ..engine.tensor import Tensor


def explain(t: Tensor) -> str:
    """The role of a tensor in differentiation, and the reason for its `.grad`, in words.

    >>> w = dg.tensor(3.0, requires_grad=True)
    >>> print(dg.explain(w))
    a float32[] leaf that requires gradients, whose .grad is None: no backward() has reached it
    since it was made or its .grad was set to None. Was the loss computed from this very tensor?
    If so: autograd.grad() gives gradients and leaves .grad alone, and
    backward(inputs=...) reaches its inputs only.
    """
    if t.node is None:
        return f"a {t.type} that requires no gradients: {why_no_history(t)}"
    if type(t.node) is Leaf:
        return leaf_text(t)
    origin = f"a {t.type} result of {t.node.op}, made at {describe(t.node.place)}"
    if t.retains_grad:
        return origin + ", that retains its gradient"
    return (
        f"{origin}. Only leaves keep a .grad: call retain_grad() on it before backward();\n"
        "or, if it is meant to be a parameter, update the leaf in place under no_grad() and do not"
        " rebind its name"
    )


def leaf_text(t: Tensor) -> str:
    """The explanation for a leaf that requires gradients."""
    what = f"a {t.type} leaf that requires gradients, whose .grad is "
    if t.node.grad is not None:
        return what + "what backward() added up since it was last None or zero"
    return what + (
        "None: no backward() has reached it\nsince it was made or its .grad was set to None. Was"
        " the loss computed from this very tensor?\nIf so: autograd.grad() gives gradients and"
        " leaves .grad alone, and\nbackward(inputs=...) reaches its inputs only."
    )
