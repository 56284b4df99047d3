"""The table of PyTorch's names: each row is of something, and each name of PyTorch's."""

from operator import attrgetter

import pytest

import dynamicgrad as dg
import gradops
from dynamicgrad.introspection.node_names import VARIANTS
from dynamicgrad.names.torch_names import TABLE

OFFERED = {*dir(dg), *dir(dg.Tensor), *dg.nn.functional.__all__, *dg.linalg.__all__}
NAMES = sorted({name for row in TABLE.values() for name in f"{row.names} {row.written}".split()})
OF_SPECIAL = {"entr", "erfcx", "i0e", "i1", "i1e", "log_ndtr", "ndtr", "ndtri", "gammaln"}
OF_SPECIAL |= {"xlog1py", "zeta"}
OF_LAYERS = {"gelu", "silu", "softplus"}
"""What PyTorch has in `special` and `nn.functional`, and dynamicgrad also beside the rest."""


@pytest.mark.parametrize("key", TABLE)
def test_a_row_is_of_an_op_or_of_a_function_that_is_offered(key):
    assert key in gradops.OPS or key in OFFERED


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_offered(name):
    if "." in name:
        assert callable(attrgetter(name.removeprefix("dg."))(dg))
    else:
        assert hasattr(dg.Tensor, name) or callable(getattr(dg, name))


@pytest.mark.peers
@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_pytorchs(name):
    torch = pytest.importorskip("torch")
    plain = name.removeprefix("dg.")
    if plain.rstrip("_") in OF_SPECIAL:
        plain = f"special.{plain.rstrip('_')}"
    if plain.rstrip("_") in OF_LAYERS:
        plain = f"nn.functional.{plain.rstrip('_')}"
    places = [torch.Tensor] if plain.endswith("_") else [torch, torch.Tensor]
    assert plain == "conj_" or any(has(place, plain) for place in places)


def has(place, name):
    try:
        return callable(attrgetter(name)(place)) or name == "imag"
    except AttributeError:
        return False


def test_ops_without_a_name_are_not_offered():
    assert not hasattr(dg, "cbrt")
    assert not hasattr(dg.Tensor, "cbrt")
    assert not hasattr(dg, "strong_product")


def test_of_several_names_of_a_node_one_is_chosen():
    several = {key for key, row in TABLE.items() if len(row.grad_fn.split()) > 1}
    assert several == VARIANTS.keys()


def test_a_method_takes_the_other_operand_by_its_name():
    x, condition = dg.zeros(2), dg.tensor([True, False])
    assert x.where(condition, other=1.0).tolist() == [0.0, 1.0]
