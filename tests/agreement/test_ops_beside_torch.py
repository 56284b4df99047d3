"""Every op with a counterpart in torch, on all samples: values, first and second gradients."""

from functools import partial

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
from gradops.__main__ import spelled_in
from gradops.core.types import is_inexact
from gradops.testing.cases import cases
from gradops.testing.op_properties import NOT_OF_ARRAYS

from .torch_counterparts import COUNTERPARTS, WITHOUT

TOLERANCE = 1e-9  # other algorithms, in float64
NAMES = {op.name: names for op, names in spelled_in("dynamicgrad").items()}
RENAMED = {"axis": "dim", "keepdims": "keepdim"}


def counterpart(torch, op):
    """The function of torch that computes an op from its operands and attributes."""
    if op.name in COUNTERPARTS:
        return lambda *xs, **attrs: COUNTERPARTS[op.name](torch, *xs, **attrs)
    for name in [*NAMES.get(op.name, []), op.name]:
        for module in (torch, torch.special, torch.nn.functional):
            if found := getattr(module, name.removeprefix("nn.functional."), None):
                return lambda *xs, **attrs: found(*xs, **in_torchs_words(attrs))
    return None


def in_torchs_words(attrs):
    """Attributes under torch's names; what is None is left to its default."""
    return {RENAMED.get(k, k): v for k, v in attrs.items() if v is not None}


def derivatives(lib, f, xs):
    """The value, the gradients of a weighted sum, and those of the sum of their squares."""
    tensors = [lib.tensor(x, requires_grad=is_inexact(x.dtype)) for x in xs]
    y, wanted = f(*tensors), [t for t in tensors if t.requires_grad]
    if not y.requires_grad:
        return [array(y)]
    rng = np.random.default_rng(7)
    g = rng.uniform(0.5, 1.5, tuple(y.shape)).astype(array(y).dtype)
    first = lib.autograd.grad(y, wanted, lib.tensor(g), allow_unused=True, create_graph=True)
    parts = [(part * part.conj()).real.sum() for part in first if part is not None]
    found = [y, *(zeros(first, wanted))]
    if any(p.requires_grad for p in parts):
        found += zeros(lib.autograd.grad(sum(parts), wanted, allow_unused=True), wanted)
    return [array(t) for t in found]


def array(t):
    """A tensor as an array, also if it is a view that stands for a conjugate."""
    return t if isinstance(t, np.ndarray) else np.asarray(t.numpy(force=True))


def zeros(gradients, of):
    """The gradients, zeros where there is none."""
    shapes = [tuple(t.shape) for t in of]
    return [np.zeros(s) if g is None else g for g, s in zip(gradients, shapes, strict=True)]


CASES = [
    pytest.param(case, id=str(case))
    for op in gradops.OPS.values()
    if op.name not in WITHOUT and not op.traits & NOT_OF_ARRAYS
    for case in cases(op)
]


@pytest.mark.peers
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_values_and_gradients_are_torchs(case):
    torch = pytest.importorskip("torch")
    if (f := counterpart(torch, case.op)) is None:
        pytest.fail(f"{case.op} has no counterpart: find one, or say why in WITHOUT")
    with np.errstate(all="ignore"):
        want = derivatives(torch, partial(f, **case.attrs), case.operands)
        try:
            found = derivatives(dg, case, case.operands)
        except gradops.DTypeError:  # dtypes that are for arrays, and for torch by a conversion
            return
    for got, expected, what in zip(found, want, kinds(case.operands), strict=False):
        scale = np.abs(expected).max(initial=1)
        np.testing.assert_allclose(got, expected, TOLERANCE, TOLERANCE * scale, err_msg=what)


def kinds(operands):
    """What the results of `derivatives` are."""
    floats = [i for i, x in enumerate(operands) if is_inexact(x.dtype)]
    return ["value", *(f"gradient {i}" for i in floats), *(f"second gradient {i}" for i in floats)]


def test_what_is_said_to_have_no_counterpart_is_an_op():
    ours = {op.name for op in gradops.OPS.values()}
    assert not (set(WITHOUT) | set(COUNTERPARTS)) - ours
    assert not set(WITHOUT) & set(COUNTERPARTS)
