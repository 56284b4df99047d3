"""`requires_grad` and `.grad` of tensors."""

import warnings
from typing import Any

from gradops import DTypeError, NotDifferentiableError, ShapeError, TapeError
from gradops.core.source_location import describe
from gradops.core.types import is_inexact

from ..hooks.tensor_hooks import watch_of
from .grad_mode import is_inference_mode_enabled
from .handle import Handle, make_leaf
from .node import Leaf, Node, Part
from .storage import storage_of
from .tensor import Tensor
from .views import follow_leaf

ONLY_LEAVES = "you can only change requires_grad flags of leaf variables."
USE_DETACH = (
    " If you want to use a computed variable in a subgraph that doesn't require differentiation"
    " use var_no_grad = var.detach()."
)
GRAD_OF_NON_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed: it is the result"
    " of {call}, at {place}, and its .grad won't be populated by backward().\n"
    "  hint: call .retain_grad() on it before backward(), or read .grad of the leaf instead; after"
    " `w = w - lr * w.grad` the name w stands for a result, so update it in place under no_grad()"
)


def set_requires_grad(t: Tensor, wanted: bool, strictly: bool) -> Tensor:
    """Set `requires_grad` of a leaf; of a result, setting True is an error if `strictly`."""
    if isinstance(t.node, Node | Part):
        if strictly or not wanted:
            made = f"\n  this one was made by {t.node.op} at {describe(t.node.place)}"
            raise TapeError(ONLY_LEAVES + ("" if wanted else USE_DETACH) + made)
        return t
    if not wanted and t.node is not None:
        storage_of(t)  # the node keeps it: what was saved of the value may not change
        t.kept_grad, t.node.grad, t.node = t.node.grad, None, None
    elif wanted and t.node is None:
        require_float(t)
        if t.is_inference() and not is_inference_mode_enabled():
            raise TapeError(
                "Setting requires_grad=True on inference tensor outside InferenceMode is not"
                " allowed.\n  hint: clone() it first"
            )
        follow_leaf(make_leaf(t))
    return t


NEED_FLOATS = "Only Tensors of floating point and complex dtype can require gradients; this one is"
GIVE_FLOATS = "give floats: 3.0; of a tensor t.float(), of an array a.astype(float)"


def require_float(t: Handle) -> None:
    """Raise NotDifferentiableError for integers and booleans."""
    if not is_inexact(t.dtype):
        raise NotDifferentiableError(f"{NEED_FLOATS} {t.dtype}\n  hint: {GIVE_FLOATS}")


def read_requires_grad(t: Tensor) -> bool:
    """True if gradients with respect to this tensor can be computed."""
    return t.node is not None


def write_requires_grad(t: Tensor, wanted: bool) -> None:
    """Set whether a leaf requires gradients."""
    set_requires_grad(t, wanted, strictly=True)


def requires_grad_(t: Tensor, requires_grad: bool = True) -> Tensor:
    """Set whether a leaf requires gradients, and return it.

    >>> dg.ones(2).requires_grad_()
    tensor([1., 1.], requires_grad=True)
    """
    return set_requires_grad(t, requires_grad, strictly=False)


def read_grad(t: Tensor) -> Tensor | None:
    """The accumulated gradient of `t`; None with a warning for a result that retains none."""
    node = t.node
    if node is None:
        return getattr(t, "kept_grad", None)
    if type(node) is Leaf:
        return node.grad
    if node.watch is None or not node.watch.retains:
        text = GRAD_OF_NON_LEAF.format(call=node.op, place=describe(node.place))
        warnings.warn(text, UserWarning, stacklevel=2)
        return getattr(t, "kept_grad", None)  # of a view that was a leaf until a write
    return node.watch.grad


def write_grad(t: Tensor, value: Any) -> None:
    """Set `t.grad`, after a check of type, shape and dtype."""
    if value is not None:
        check_grad(t, value)
    if t.node is None:
        t.kept_grad = value
    elif type(t.node) is Leaf:
        t.node.grad = value
    elif value is not None or t.retains_grad:
        retain_grad(t)
        t.node.watch.grad = value


def delete_grad(t: Tensor) -> None:
    """Set `t.grad` to None."""
    write_grad(t, None)


def check_grad(t: Tensor, value: Any) -> None:
    """Raise TypeError, ShapeError or DTypeError for a value that cannot be a gradient of `t`."""
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got {type(value)}")
    if value is t:
        raise TapeError("can't assign Variable as its own grad")
    if value.shape != t.shape:
        raise ShapeError(
            "grad", [t.type, value.type], "attempting to assign a gradient of size"
            f" {value.shape} to a tensor of size {t.shape}", hint="they must be the same size",
        )  # fmt: skip
    if value.dtype != t.dtype:
        raise DTypeError(
            "grad", [t.type, value.type], "attempting to assign a gradient with dtype"
            f" {value.dtype} to a tensor with dtype {t.dtype}", hint="convert it with .to(dtype)",
        )  # fmt: skip


def retain_grad(t: Tensor) -> None:
    """Keep the gradient of a result in its `.grad`, as for a leaf.

    >>> x = dg.ones(2, requires_grad=True)
    >>> y = x * 3
    >>> y.retain_grad()
    >>> y.sum().backward()
    >>> y.grad
    tensor([1., 1.])
    """
    if t.node is None:
        raise TapeError("can't retain_grad on Tensor that has requires_grad=False")
    if type(t.node) is not Leaf:
        watch_of(t.node).retains = True
